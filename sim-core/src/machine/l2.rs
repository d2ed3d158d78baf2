//! One bank of the L2 cache: write-back, write-allocate, with a fetch of the line unless a store writes all of it (`l2.write_fill`).
//!
//! Each NoC cycle a bank sends one reply into its port, answers one request of a line that DRAM has delivered, and looks up the oldest
//! request of its queue, in this order. A hit and a delivered line pass the same pipeline to the port. It takes what the port sends while a
//! reply passes it, and beyond that `l2.queue` lines that wait. While there is no room the bank neither answers nor looks up, so that a
//! busy port keeps later misses from DRAM (CCBP §4.1; GPGPU-Sim 3.2.2, l2cache.cc). A miss takes an MSHR, or joins
//! the one that already waits for its line, and asks the channel for the line; stores wait for their line like loads, and make it dirty.
//! With `full_lines_skip` a store of a whole line takes a place at once, unless a miss already fetches that line. A store of a part of a
//! line always fetches the rest: there are no sector masks.
//! A dirty line that a fill pushes out is written to DRAM and billed to the kernel whose miss pushed it out (CCBP §5.2).
//!
//! A request that cannot go on waits where it is, with a named reason (`Stall`), and holds back those behind it. Nothing is lost, and
//! there is no deadlock. DRAM accepts requests whatever L2 does, so the links to it drain. Lines come back into a link that has a place
//! for every MSHR. The reply port drains as long as SMs take replies.
//!
//! Simplified: tags are read by lookups and fills at once (two ports); data banks do not conflict; a line is in no set while it is
//! fetched (allocate on fill).

mod directory;

pub(super) use self::directory::flits_of;

use self::directory::Directory;
use super::cache::mshr::Mshrs;
use super::cache::tags::{Tags, Victim};
use super::calendar::Calendar;
use super::link::Link;
use super::noc::{Moment, Noc, Tick};
use super::packet::{Access, DramRequest, Handle, Packets, Queue, Request, Station};
use crate::describe::gpu::{Gpu, NocKind, SetIndex, WriteFill};
use crate::describe::ids::{Cycle, KernelId, LineAddr, PerKernel};
use crate::interface::stats::KernelStats;
use alloc::boxed::Box;
use alloc::vec;
use core::hash::{Hash, Hasher};

/// Why a bank's oldest request, or a delivered line, waits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stall {
    /// The pipeline to the reply port is full.
    ReplyPort,
    /// No MSHR is free.
    Mshr,
    /// The line's MSHR serves its maximum.
    Merge,
    /// The link to the DRAM channel is full.
    DramLink,
    /// The pipeline to the port of the forward network is full.
    ForwardPort,
    /// The line, or the one in its place, waits for words that are recalled from L1Ds.
    Recall,
}

impl Stall {
    /// The reason in words.
    pub const fn doc(self) -> &'static str {
        match self {
            Stall::ReplyPort => "the pipeline to the reply port is full",
            Stall::Mshr => "no MSHR is free",
            Stall::Merge => "the line's MSHR serves its maximum of requests",
            Stall::DramLink => "the link to the DRAM channel is full",
            Stall::ForwardPort => "the pipeline to the forward port is full",
            Stall::Recall => "words are recalled from L1Ds",
        }
    }
}

/// What banks have in common.
#[derive(Debug)]
pub struct Ports<'a> {
    /// All that is under way.
    pub packets: &'a mut Packets,
    /// When replies have passed the banks' pipelines.
    pub passed: &'a mut Calendar,
    /// By kernel.
    pub stats: &'a mut [KernelStats],
    /// Banks over which each kernel's lines are spread: a bank numbers its own lines, consecutive ones of a kernel without gaps.
    pub spread: &'a PerKernel<u32>,
    /// The NoC cycle that it is, counted within its core cycle.
    pub phase: u8,
}

/// The way over the mesh from a bank to its channel and back, which is a latency of its own: what goes there does not meet other packets.
/// DRAM goes by core cycles. So that the way takes as many NoC cycles wherever in a core cycle it begins, a line comes back in the phase of the
/// core cycle in which it was asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Trip {
    /// Links of it, one way.
    hops: u32,
    /// Whole core cycles of it.
    cycles: u32,
    /// What is left of it, NoC cycles.
    rest: u8,
    /// By MSHR: the phase in which its line was asked for; empty where there is no mesh.
    phases: Box<[u8]>,
}

impl Trip {
    /// NoC cycles that are left of a way, and in which a line waits for its phase, at most: clocks differ by 16 times at most.
    pub const REST: u32 = 34;

    fn new(gpu: &Gpu, bank: u32) -> Self {
        if gpu.noc.kind != NocKind::Mesh {
            return Trip::default();
        }
        let hops = gpu.noc.mesh.hops_to_channel(bank, bank % gpu.dram.channels);
        let ticks = 2 * gpu.noc.mesh.hop * hops;
        let cycles = ticks * gpu.core_mhz / gpu.noc.mhz;
        Trip { hops, cycles, rest: (ticks - cycles * gpu.noc.mhz / gpu.core_mhz) as u8, phases: vec![0; gpu.l2.mshrs as usize].into() }
    }

    /// The longest way of a bank, in whole core cycles.
    pub fn longest(gpu: &Gpu) -> u32 {
        (0..gpu.l2.banks).map(|bank| Trip::new(gpu, bank).cycles).max().unwrap_or(0)
    }

    /// A line is asked for.
    fn begins(&mut self, entry: u16, phase: u8) {
        if let Some(of_entry) = self.phases.get_mut(usize::from(entry)) {
            *of_entry = phase;
        }
    }

    /// NoC cycles from the start of the core cycle in which a line is back until its phase.
    fn wait(&self, entry: u16) -> Tick {
        self.phases.get(usize::from(entry)).map_or(0, |phase| Tick::from(phase + self.rest))
    }
}

/// One bank.
#[derive(Clone, Debug)]
pub struct Bank {
    index: u32,
    channel: u32,
    tags: Tags,
    mshrs: Mshrs<Handle>,
    /// The pipeline to the reply port, in order; and flits in it, now and at most.
    pipeline: Queue,
    flits: u32,
    most_flits: u32,
    /// Lines on their way from DRAM: the MSHR that waits.
    fills: Link<u16>,
    /// What it asks of its channel.
    to_dram: Link<DramRequest>,
    /// The MSHR whose waiters beyond the first are being answered.
    answering: Option<u16>,
    trip: Trip,
    stall: Option<Stall>,
    /// What else there is where L1Ds own words.
    directory: Option<Box<Directory>>,
    // What the configuration says, once.
    latency: u32,
    banks: u32,
    banks_per_channel: u32,
    channels: u32,
    line_flits: u32,
    /// Bytes of a store that takes a place without a fetch; `None` if every store fetches.
    skips_fetch: Option<u8>,
}

impl Bank {
    /// An empty bank.
    pub fn new(gpu: &Gpu, index: u32) -> Self {
        let l2 = &gpu.l2;
        let (trip, line_flits) = (Trip::new(gpu, index), gpu.line_flits());
        // A port sends a flit a cycle; an ideal one all that there is, of which a bank makes a line a cycle.
        let sent = if gpu.noc.kind == NocKind::Ideal { line_flits } else { 1 };
        Bank {
            index,
            channel: index % gpu.dram.channels,
            tags: Tags::new(SetIndex::Modulo, l2.bank_bytes, l2.ways, l2.line_bytes),
            mshrs: Mshrs::new(l2.mshrs, l2.merges),
            pipeline: Queue::new(u32::MAX),
            flits: 0,
            most_flits: l2.queue.saturating_mul(line_flits).saturating_add(l2.latency * sent),
            fills: Link::new(l2.mshrs, gpu.dram.latency.max(1) + trip.cycles),
            trip,
            to_dram: Link::new(TO_DRAM, 1),
            answering: None,
            stall: None,
            directory: gpu.owns().then(|| Box::new(Directory::new(gpu))),
            latency: l2.latency,
            banks: l2.banks,
            banks_per_channel: (l2.banks / gpu.dram.channels).max(1),
            channels: gpu.dram.channels,
            line_flits,
            skips_fetch: (l2.write_fill == WriteFill::FullLinesSkip).then_some(l2.line_bytes as u8),
        }
    }

    /// Sends the oldest reply into its port, if it has passed the pipeline and the port has room. Returns whether there is another.
    pub(super) fn reply(&mut self, at: Moment, packets: &mut Packets, replies: &mut Noc) -> bool {
        if let Some(handle) = self.pipeline.first_ready(packets, at.tick)
            && replies.has_room(self.index)
        {
            self.pipeline.pop(packets);
            let packet = &mut packets[handle];
            packet.request.leave(Station::L2, at.now);
            self.flits -= u32::from(packet.flits);
            let sent = replies.push(packets, at.tick, handle);
            debug_assert!(sent.is_ok(), "the port has room");
        }
        self.pipeline.first_ready(packets, at.tick).is_some()
    }

    /// Answers one request that waited for DRAM, if it can; the first of each line also puts the line into the cache.
    pub(super) fn answer(&mut self, at: Moment, ports: &mut Ports<'_>) -> bool {
        let entry = match self.answering {
            Some(entry) => entry,
            None => match self.fills.peek(at.now) {
                Some(&entry) => entry,
                None => return false,
            },
        };
        if self.is_full() {
            return false;
        }
        let first = self.answering.is_none();
        if first && self.to_dram.is_full() {
            // The victim may be dirty, so the link to DRAM must have room for it.
            return false;
        }
        let line = self.mshrs.line(entry);
        if first {
            self.fills.pop(at.now);
        }
        let Some(handle) = self.mshrs.take(entry) else { return false };
        self.answering = self.mshrs.is_open(entry).then_some(entry);
        let Request { kernel, access, context, .. } = ports.packets[handle].request;
        let mut dram_accesses = 0;
        if first && context {
            ports.stats[kernel.index()].dram_context_lines += 1;
        } else if first {
            dram_accesses = 1 + self.fill(line, kernel, false, at.now, ports);
        }
        if access != Access::Read
            && let Some(slot) = self.tags.find(line)
        {
            self.tags.set_dirty(slot);
        }
        ports.packets[handle].request.leave(Station::Dram, at.now);
        self.send(at, self.trip.wait(entry), handle, dram_accesses, ports);
        true
    }

    /// Whether the pipeline to the port has no room for a line.
    fn is_full(&self) -> bool {
        self.flits + self.line_flits > self.most_flits
    }

    /// Puts an answered request into the pipeline to the port, to be `wait` NoC cycles late. The caller has seen a place.
    fn send(&mut self, at: Moment, wait: Tick, handle: Handle, dram_accesses: u8, ports: &mut Ports<'_>) {
        let ready = at.tick + wait + Tick::from(self.latency);
        let packet = &mut ports.packets[handle];
        packet.dram_accesses = dram_accesses;
        if self.directory.is_none() || packet.request.context {
            packet.turn_back(self.line_flits);
        }
        self.flits += u32::from(packet.flits);
        let sent = self.pipeline.push(ports.packets, handle, ready);
        debug_assert!(sent.is_ok(), "a place was checked for");
        ports.passed.put(ready, self.index);
    }

    /// Puts a line in; returns the DRAM accesses that the victim costs.
    fn fill(&mut self, line: LineAddr, kernel: KernelId, dirty: bool, now: Cycle, ports: &mut Ports<'_>) -> u8 {
        match self.tags.fill(line, kernel, dirty, u32::MAX) {
            Some(Victim::Dirty(victim)) => {
                ports.stats[kernel.index()].l2_dirty_victims += 1;
                let write = DramRequest { line: self.channel_line(victim), access: Access::Write, kernel, tag: 0 };
                let sent = self.to_dram.push(now, write);
                debug_assert!(sent.is_ok(), "a place was checked for");
                1
            }
            _ => 0,
        }
    }

    /// Passes a line of a context on: a write to DRAM, and acknowledges it, a read through an MSHR. Neither has a place in the cache.
    #[cold] // contexts move seldom
    fn pass_on(&mut self, at: Moment, handle: Handle, queue: &mut Queue, ports: &mut Ports<'_>) {
        if self.to_dram.is_full() {
            self.stall = Some(Stall::DramLink);
            return;
        }
        let Request { line, access, kernel, .. } = ports.packets[handle].request;
        let line = line / ports.spread[kernel];
        let mut tag = 0;
        if access == Access::Read {
            let Ok(entry) = self.mshrs.allocate(line, handle) else {
                self.stall = Some(Stall::Mshr);
                return;
            };
            self.trip.begins(entry, ports.phase);
            tag = entry;
        }
        let request = DramRequest { line: self.channel_line(line), access, kernel, tag };
        let sent = self.to_dram.push(at.now, request);
        debug_assert!(sent.is_ok(), "a place was checked for");
        self.take(queue, ports);
        match access {
            Access::Read => ports.packets[handle].request.leave(Station::L2, at.now),
            Access::Write | Access::Atomic => {
                ports.stats[kernel.index()].dram_context_lines += 1;
                self.send(at, 0, handle, 0, ports);
            }
        }
    }

    /// Looks up the oldest request of the queue.
    pub(super) fn look_up(&mut self, at: Moment, queue: &mut Queue, ports: &mut Ports<'_>) {
        let Some(handle) = queue.first_ready(ports.packets, at.now) else { return };
        // A waiting request need not be looked up again before what it waits for is there: its line cannot arrive in the meantime,
        // unless it waits for the MSHR that fetches that line.
        let blocked = match self.stall {
            Some(Stall::Mshr) => self.mshrs.is_full(),
            Some(Stall::DramLink) => self.to_dram.is_full(),
            _ => false,
        };
        if blocked {
            return;
        }
        if self.is_full() {
            self.stall = Some(Stall::ReplyPort);
            return;
        }
        let Request { line, kernel, access, context, bytes, .. } = ports.packets[handle].request;
        if context {
            return self.pass_on(at, handle, queue, ports);
        }
        let line = line / ports.spread[kernel];
        if let Some(slot) = self.tags.lookup(line) {
            if access != Access::Read {
                self.tags.set_dirty(slot);
            }
            self.take(queue, ports);
            ports.stats[kernel.index()].l2_hits += 1;
            self.send(at, 0, handle, 0, ports);
        } else if let Some(entry) = self.mshrs.find(line) {
            if self.mshrs.merge(entry, handle).is_err() {
                self.stall = Some(Stall::Merge);
                return;
            }
            self.take(queue, ports);
            ports.stats[kernel.index()].l2_merged += 1;
            ports.packets[handle].request.leave(Station::L2, at.now);
        } else if self.to_dram.is_full() {
            // No room for the fetch, or for the victim.
            self.stall = Some(Stall::DramLink);
            return;
        } else if access == Access::Write && self.skips_fetch == Some(bytes) {
            // A store of a whole line puts its line in without a fetch.
            self.take(queue, ports);
            ports.packets[handle].request.leave(Station::L2, at.now);
            let dram_accesses = self.fill(line, kernel, true, at.now, ports);
            ports.stats[kernel.index()].l2_filled_by_stores += 1;
            self.send(at, 0, handle, dram_accesses, ports);
        } else {
            let Ok(tag) = self.mshrs.allocate(line, handle) else {
                self.stall = Some(Stall::Mshr);
                return;
            };
            self.trip.begins(tag, ports.phase);
            self.take(queue, ports);
            ports.stats[kernel.index()].l2_misses += 1;
            ports.packets[handle].request.leave(Station::L2, at.now);
            let fetch = DramRequest { line: self.channel_line(line), access: Access::Read, kernel, tag };
            let sent = self.to_dram.push(at.now, fetch);
            debug_assert!(sent.is_ok(), "a place was checked for");
        }
        let stats = &mut ports.stats[kernel.index()];
        match access {
            Access::Read => stats.l2_reads += 1,
            Access::Write | Access::Atomic => stats.l2_writes += 1,
        }
    }

    /// The oldest request of the queue goes on.
    fn take(&mut self, queue: &mut Queue, ports: &mut Ports<'_>) {
        self.stall = None;
        queue.pop(ports.packets);
    }

    /// The number that the channel gives to a line of this bank: the banks of a channel take turns, so that its lines are
    /// numbered without gaps.
    fn channel_line(&self, line: LineAddr) -> LineAddr {
        line * self.banks_per_channel + self.index / self.channels
    }

    /// The channel that the bank's lines belong to.
    pub(super) fn channel(&self) -> u32 {
        self.channel
    }

    /// Links of the mesh between it and its channel; 0 where there is no mesh.
    pub(super) fn hops_to_channel(&self) -> u32 {
        self.trip.hops
    }

    /// A line leaves DRAM in cycle `now`: says when it arrives for the MSHR `entry`.
    pub(super) fn fetched(&mut self, now: Cycle, entry: u16) -> Cycle {
        let sent = self.fills.push(now, entry);
        debug_assert!(sent.is_ok(), "the link has a place for every MSHR");
        now + Cycle::from(self.fills.latency())
    }

    /// Hands the channel what the bank asks next of it, if anything has come through their link.
    pub(super) fn ask(&mut self, now: Cycle) -> Option<DramRequest> {
        self.to_dram.pop(now)
    }

    /// Whether the link to the channel holds anything.
    pub(super) fn is_asking(&self) -> bool {
        !self.to_dram.is_empty()
    }

    /// Whether requests for a line that is there wait for their replies.
    pub(super) fn is_answering(&self, now: Cycle) -> bool {
        self.answering.is_some() || self.fills.peek(now).is_some()
    }

    /// Whether anything is in the bank that does not wait for DRAM's channel.
    pub(super) fn is_at_work(&self) -> bool {
        !self.pipeline.is_empty() || self.answering.is_some() || !self.fills.is_empty()
    }

    /// The links to and from DRAM.
    pub(super) fn links(&self) -> (&Link<DramRequest>, &Link<u16>) {
        (&self.to_dram, &self.fills)
    }

    /// Why the oldest request waited when it was last tried, if it did.
    pub fn stall(&self) -> Option<Stall> {
        self.stall
    }

    /// Lines that it holds.
    pub(super) fn lines(&self) -> u32 {
        self.tags.held()
    }

    /// Misses under way, by the kernel whose request waits longest for each.
    pub fn mshrs_by_kernel(&self, packets: &Packets) -> PerKernel<u32> {
        let mut count = PerKernel::all(0);
        self.mshrs.oldest().for_each(|handle| count[packets[handle].request.kernel] += 1);
        count
    }

    /// Drops the lines that a kernel has brought in, also those that are not written back. One that is on its way comes in by its old number.
    #[cold]
    pub(super) fn drop_lines(&mut self, kernel: KernelId) {
        self.tags.drop_lines(|owner| owner == kernel);
    }

    /// Feeds the state to `state`, with what `packets` holds of the requests in it.
    pub(super) fn hash<H: Hasher>(&self, packets: &Packets, state: &mut H) {
        self.index.hash(state);
        self.tags.hash(state);
        self.mshrs.hash_with(state, |&handle, state| packets.get(handle).request.hash(state));
        (self.pipeline.len() as usize).hash(state);
        for packet in self.pipeline.iter(packets) {
            packet.ready.hash(state);
            packet.hash_answer(state);
        }
        (self.answering, self.stall, self.most_flits, self.latency).hash(state);
        (self.banks, self.banks_per_channel, self.channels, self.line_flits, self.skips_fetch).hash(state);
        if !self.trip.phases.is_empty() {
            self.trip.phases.hash(state);
        }
        self.hash_homes(packets, state);
    }
}

/// Requests that a bank's link to its channel holds.
const TO_DRAM: u32 = 4;
