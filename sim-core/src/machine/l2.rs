//! One bank of the L2 cache: write-back, write-allocate, with a fetch of the line unless a store writes all of it (`l2.write_fill`).
//!
//! Each NoC cycle a bank sends one reply into its port, answers one request of a line that DRAM has delivered, and looks up the oldest
//! request of its queue, in this order. A hit and a delivered line pass the same pipeline to the port. A miss takes an MSHR, or joins
//! the one that already waits for its line, and asks the channel for the line; stores wait for their line like loads, and make it dirty.
//! With `full_lines_skip` a store of a whole line takes a place at once, unless a miss already fetches that line. A store of a part of a
//! line always fetches the rest: there are no sector masks.
//! A dirty line that a fill pushes out is written to DRAM and billed to the kernel whose miss pushed it out (CCBP §5.2).
//!
//! A request that cannot go on waits where it is, with a named reason (`Stall`), and holds back those behind it. Nothing is lost, and there
//! is no deadlock: DRAM accepts requests whatever L2 does, so the links to it drain; lines come back into a link that has a place for
//! every MSHR; the reply port drains as long as SMs take replies.
//!
//! Simplified: tags are read by lookups and fills at once (two ports); data banks do not conflict; a line is in no set while it is
//! fetched (allocate on fill).

use super::cache::mshr::Mshrs;
use super::cache::tags::Tags;
use super::link::Link;
use super::noc::{Noc, Tick};
use super::packet::{Access, DramRequest, Reply, Request, Station};
use crate::describe::gpu::{Gpu, WriteFill};
use crate::describe::ids::{Cycle, KernelId, LineAddr};
use crate::seam::stats::KernelStats;
use alloc::collections::VecDeque;

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
}

impl Stall {
    /// The reason in words.
    pub const fn doc(self) -> &'static str {
        match self {
            Stall::ReplyPort => "the pipeline to the reply port is full",
            Stall::Mshr => "no MSHR is free",
            Stall::Merge => "the line's MSHR serves its maximum of requests",
            Stall::DramLink => "the link to the DRAM channel is full",
        }
    }
}

/// What a bank is connected to.
pub(super) struct Ports<'a> {
    pub queue: &'a mut Link<Request>,
    pub fills: &'a mut Link<u16>,
    pub to_dram: &'a mut Link<DramRequest>,
    pub replies: &'a mut Noc<Reply>,
    pub stats: &'a mut [KernelStats],
}

/// One bank.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Bank {
    index: u32,
    tags: Tags,
    mshrs: Mshrs<Request>,
    /// The pipeline to the reply port: when each reply has passed it, in order.
    pipeline: VecDeque<(Tick, Reply)>,
    /// The MSHR whose waiters beyond the first are being answered.
    answering: Option<u16>,
    stall: Option<Stall>,
    // What the configuration says, once.
    capacity: u32,
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
        let capacity = l2.queue + l2.latency;
        Bank {
            index,
            tags: Tags::new(l2.bank_bytes, l2.ways, l2.line_bytes),
            mshrs: Mshrs::new(l2.mshrs, l2.merges),
            pipeline: VecDeque::with_capacity(capacity as usize),
            answering: None,
            stall: None,
            capacity,
            latency: l2.latency,
            banks: l2.banks,
            banks_per_channel: (l2.banks / gpu.dram.channels).max(1),
            channels: gpu.dram.channels,
            line_flits: gpu.line_flits(),
            skips_fetch: (l2.write_fill == WriteFill::FullLinesSkip).then_some(l2.line_bytes as u8),
        }
    }

    /// One NoC cycle. Returns whether the bank has work left that does not wait for DRAM.
    pub(super) fn tick(&mut self, tick: Tick, now: Cycle, mut ports: Ports<'_>) -> bool {
        self.reply(tick, now, &mut ports);
        self.answer(tick, now, &mut ports);
        self.look_up(tick, now, &mut ports);
        !(self.pipeline.is_empty() && self.answering.is_none() && ports.queue.is_empty() && ports.fills.is_empty())
    }

    /// Sends the oldest reply into its port.
    fn reply(&mut self, tick: Tick, now: Cycle, ports: &mut Ports<'_>) {
        let Some((ready, reply)) = self.pipeline.front_mut() else { return };
        if *ready > tick || !ports.replies.has_room(self.index) {
            return;
        }
        reply.request.leave(Station::L2, now);
        let Request { sm, kernel, access, .. } = reply.request;
        let flits = if access == Access::Read { self.line_flits } else { 1 };
        if ports.replies.push(tick, self.index, u32::from(sm), flits, kernel, *reply).is_ok() {
            self.pipeline.pop_front();
        }
    }

    /// Answers one request that waited for DRAM; the first of each line also puts the line into the cache.
    fn answer(&mut self, tick: Tick, now: Cycle, ports: &mut Ports<'_>) {
        let entry = match self.answering {
            Some(entry) => entry,
            None => match ports.fills.peek(now) {
                Some(&entry) => entry,
                None => return,
            },
        };
        if self.pipeline.len() >= self.capacity as usize {
            return;
        }
        let first = self.answering.is_none();
        if first && ports.to_dram.is_full() {
            // The victim may be dirty, so the link to DRAM must have room for it.
            return;
        }
        let line = self.mshrs.line(entry);
        if first {
            ports.fills.pop(now);
        }
        let Some(mut request) = self.mshrs.take(entry) else { return };
        self.answering = self.mshrs.is_open(entry).then_some(entry);
        let mut dram_accesses = 0;
        if first && !request.context {
            dram_accesses = 1 + self.fill(line, request.kernel, false, now, ports);
        }
        if request.access == Access::Write
            && let Some(slot) = self.tags.find(line)
        {
            self.tags.set_dirty(slot);
        }
        request.leave(Station::Dram, now);
        self.pipeline.push_back((tick + Tick::from(self.latency), Reply { request, dram_accesses }));
    }

    /// Puts a line in; returns the DRAM accesses that the victim costs.
    fn fill(&mut self, line: LineAddr, kernel: KernelId, dirty: bool, now: Cycle, ports: &mut Ports<'_>) -> u8 {
        match self.tags.fill(line, kernel, dirty, u32::MAX) {
            Some(victim) if victim.dirty => {
                ports.stats[kernel.index()].l2_dirty_victims += 1;
                let write = DramRequest { line: self.channel_line(victim.line), access: Access::Write, kernel, tag: 0 };
                let sent = ports.to_dram.push(now, write);
                debug_assert!(sent.is_ok(), "a place was checked for");
                1
            }
            _ => 0,
        }
    }

    /// Passes a line of a context on: a write to DRAM, and acknowledges it, a read through an MSHR. Neither has a place in the cache.
    fn pass_on(&mut self, tick: Tick, now: Cycle, mut request: Request, ports: &mut Ports<'_>) {
        if ports.to_dram.is_full() {
            self.stall = Some(Stall::DramLink);
            return;
        }
        let line = request.line / self.banks;
        let mut tag = 0;
        if request.access == Access::Read {
            request.leave(Station::L2, now);
            let Ok(entry) = self.mshrs.allocate(line, request) else {
                self.stall = Some(Stall::Mshr);
                return;
            };
            tag = entry;
        } else {
            self.pipeline.push_back((tick + Tick::from(self.latency), Reply { request, dram_accesses: 0 }));
        }
        let sent =
            ports.to_dram.push(now, DramRequest { line: self.channel_line(line), access: request.access, kernel: request.kernel, tag });
        debug_assert!(sent.is_ok(), "a place was checked for");
        self.stall = None;
        ports.queue.pop(now);
    }

    /// Looks up the oldest request of the queue.
    fn look_up(&mut self, tick: Tick, now: Cycle, ports: &mut Ports<'_>) {
        let Some(request) = ports.queue.peek(now) else { return };
        // A waiting request need not be looked up again before what it waits for is there: its line cannot arrive in the meantime,
        // unless it waits for the MSHR that fetches that line.
        let blocked = match self.stall {
            Some(Stall::Mshr) => self.mshrs.is_full(),
            Some(Stall::DramLink) => ports.to_dram.is_full(),
            _ => false,
        };
        if blocked {
            return;
        }
        if self.pipeline.len() >= self.capacity as usize {
            self.stall = Some(Stall::ReplyPort);
            return;
        }
        let mut request = *request;
        if request.context {
            return self.pass_on(tick, now, request, ports);
        }
        let line = request.line / self.banks;
        let stats = &mut ports.stats[request.kernel.index()];
        if let Some(slot) = self.tags.lookup(line) {
            if request.access == Access::Write {
                self.tags.set_dirty(slot);
            }
            stats.l2_hits += 1;
            self.pipeline.push_back((tick + Tick::from(self.latency), Reply { request, dram_accesses: 0 }));
        } else {
            request.leave(Station::L2, now);
            if let Some(entry) = self.mshrs.find(line) {
                if self.mshrs.merge(entry, request).is_err() {
                    self.stall = Some(Stall::Merge);
                    return;
                }
                stats.l2_merged += 1;
            } else {
                // Room for the fetch, or for the victim.
                if ports.to_dram.is_full() {
                    self.stall = Some(Stall::DramLink);
                    return;
                }
                if request.access == Access::Write && self.skips_fetch == Some(request.bytes) {
                    return self.take_place(tick, now, request, ports);
                }
                let Ok(tag) = self.mshrs.allocate(line, request) else {
                    self.stall = Some(Stall::Mshr);
                    return;
                };
                stats.l2_misses += 1;
                let read = DramRequest { line: self.channel_line(line), access: Access::Read, kernel: request.kernel, tag };
                let sent = ports.to_dram.push(now, read);
                debug_assert!(sent.is_ok(), "a place was checked for");
            }
        }
        match request.access {
            Access::Read => stats.l2_reads += 1,
            Access::Write => stats.l2_writes += 1,
        }
        self.stall = None;
        ports.queue.pop(now);
    }

    /// Lets the oldest request of the queue, a store of a whole line, put its line in without a fetch.
    fn take_place(&mut self, tick: Tick, now: Cycle, request: Request, ports: &mut Ports<'_>) {
        let dram_accesses = self.fill(request.line / self.banks, request.kernel, true, now, ports);
        let stats = &mut ports.stats[request.kernel.index()];
        stats.l2_filled_by_stores += 1;
        stats.l2_writes += 1;
        self.pipeline.push_back((tick + Tick::from(self.latency), Reply { request, dram_accesses }));
        self.stall = None;
        ports.queue.pop(now);
    }

    /// The number that the channel gives to a line of this bank: the banks of a channel take turns, so that a channel's lines are
    /// consecutive (channel = line mod channels).
    fn channel_line(&self, line: LineAddr) -> LineAddr {
        line * self.banks_per_channel + self.index / self.channels
    }

    /// When the oldest reply's turn at the port comes, or came. `Tick::MAX`: no reply waits.
    pub(super) fn reply_due(&self) -> Tick {
        self.pipeline.front().map_or(Tick::MAX, |(ready, _)| *ready)
    }

    /// Whether requests for a delivered line wait for their replies.
    pub(super) fn is_answering(&self) -> bool {
        self.answering.is_some()
    }

    /// The first tick after `tick` in which the bank can do something by itself (replies, answers); `None`: not before a request or a line comes.
    pub(super) fn next_tick(&self, tick: Tick) -> Option<Tick> {
        if self.answering.is_some() {
            return Some(tick + 1);
        }
        self.pipeline.front().map(|(ready, _)| (*ready).max(tick + 1))
    }

    /// Why the oldest request waited when it was last tried, if it did.
    pub fn stall(&self) -> Option<Stall> {
        self.stall
    }

    /// Misses under way.
    pub fn mshrs_used(&self) -> u32 {
        self.mshrs.used()
    }

    /// Lines that a kernel has brought in and that are still there.
    pub fn resident(&self, kernel: KernelId) -> u32 {
        self.tags.resident(kernel)
    }
}
