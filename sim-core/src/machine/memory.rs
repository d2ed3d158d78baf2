//! Everything behind the SMs: two crossbars, L2 banks, DRAM channels, and the links between them.
//!
//! ```text
//! SM ── inject ──> request NoC ──> to_l2 ──> L2 bank ── to_dram ──> DRAM channel
//! SM <── to_sm <── reply NoC <────────────────┘  ^────── fills ────────┘
//! ```
//!
//! `step` is one core cycle, sink first, so that nothing passes two parts in one cycle. NoC and L2 share a clock; DRAM has its own. SM
//! ports of the NoCs are SM numbers, memory-side ports bank numbers. Line `l` belongs to bank `l mod banks` and channel `l mod channels`.
//! Whatever lies between L2 and the pins of DRAM (controller, PHY, both ways) is one fixed latency on the way back (`dram.latency`).
//!
//! Parts without work are not visited: a set names the banks with work, and each channel has its own next clock.

use super::clock::ClockRatio;
use super::derived::Derived;
use super::dram::{Channel, Clock};
use super::l2::{Bank, Ports, Stall};
use super::link::Link;
use super::noc::{Noc, Tick};
use super::packet::{Access, DramRequest, Reply, Request, Station};
use crate::describe::gpu::{Gpu, StoreFlits};
use crate::describe::ids::{Cycle, KernelId, LineAddr, NEVER, PerKernel, Set};
use crate::seam::controls::Controls;
use crate::seam::stats::KernelStats;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// The memory side of a GPU.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Memory {
    /// Replies that have arrived at each SM. SMs take them; a full link holds back the reply NoC.
    pub to_sm: Vec<Link<Reply>>,
    /// What the memory side did for each kernel.
    pub stats: Vec<KernelStats>,
    requests: Noc<Request>,
    replies: Noc<Reply>,
    to_l2: Box<[Link<Request>]>,
    l2: Box<[Bank]>,
    to_dram: Box<[Link<DramRequest>]>,
    channels: Box<[Channel]>,
    /// Lines on their way from DRAM to each bank: the MSHR that waits.
    fills: Box<[Link<u16>]>,
    noc_clock: ClockRatio,
    noc_ticks: Tick,
    dram_clock: ClockRatio,
    dram_ticks: Clock,
    /// By channel: the bank, counted among the channel's own, whose link is emptied first. Moves on with each request taken.
    turn: Box<[u32]>,
    /// Banks that have something to do other than wait for DRAM.
    awake: Set,
    /// Banks with requests in their link to DRAM.
    asking: Set,
    line_flits: u32,
    line_bytes: u32,
    /// Bytes of a flit, if a store's packet carries only the bytes written.
    store_flit_bytes: Option<u32>,
    /// Each channel's `next_clock`, beside each other for a quick look.
    due: Derived<Box<[Clock]>>,
    /// Banks with requests in their queue that may go on.
    queued: Derived<Set>,
    /// By bank: when the next line from DRAM, or the next reply's turn at the port, comes. `NEVER`: not under way.
    fill_due: Derived<Box<[Cycle]>>,
    reply_due: Derived<Box<[Tick]>>,
    /// The ranks that the channels' plans were made with.
    rank: Derived<PerKernel<u8>>,
    /// SMs to which replies have been delivered.
    with_replies: Derived<Set>,
}

impl Memory {
    /// An idle memory side with empty caches for a mix of `kernels`; `seed` feeds the random arbiters.
    pub fn new(gpu: &Gpu, kernels: usize, seed: u64) -> Self {
        let (sms, banks, channels) = (gpu.sm_count(), gpu.l2.banks, gpu.dram.channels);
        let longest = gpu.line_flits();
        let dram = &gpu.dram;
        let channel = Channel::new(dram);
        Memory {
            to_sm: (0..sms).map(|_| Link::new(gpu.noc.queue, 1)).collect(),
            stats: vec![KernelStats::default(); kernels],
            requests: Noc::new(&gpu.noc, sms, banks, longest, seed),
            replies: Noc::new(&gpu.noc, banks, sms, longest, !seed),
            to_l2: (0..banks).map(|_| Link::new(gpu.l2.queue, 1)).collect(),
            l2: (0..banks).map(|index| Bank::new(gpu, index)).collect(),
            to_dram: (0..banks).map(|_| Link::new(TO_DRAM, 1)).collect(),
            fills: (0..banks).map(|_| Link::new(gpu.l2.mshrs, dram.latency.max(1))).collect(),
            due: Derived((0..channels).map(|_| channel.next_clock()).collect()),
            channels: vec![channel; channels as usize].into(),
            noc_clock: ClockRatio::new(gpu.noc.mhz, gpu.core_mhz),
            noc_ticks: 0,
            dram_clock: ClockRatio::new(dram.mhz, gpu.core_mhz),
            dram_ticks: 0,
            turn: vec![0; channels as usize].into(),
            awake: Set::EMPTY,
            asking: Set::EMPTY,
            line_flits: longest,
            line_bytes: gpu.l2.line_bytes,
            store_flit_bytes: (gpu.noc.store_flits == StoreFlits::Bytes).then_some(gpu.noc.flit_bytes),
            queued: Derived(Set::EMPTY),
            fill_due: Derived(vec![NEVER; banks as usize].into()),
            reply_due: Derived(vec![Tick::MAX; banks as usize].into()),
            rank: Derived(PerKernel::all(0)),
            with_replies: Derived(Set::EMPTY),
        }
    }

    /// Bytes of a line.
    pub fn line_bytes(&self) -> u32 {
        self.line_bytes
    }

    /// Whether an SM's port of the request NoC would accept a request.
    pub fn has_room(&self, sm: u32) -> bool {
        self.requests.has_room(sm)
    }

    /// SMs to which replies have been delivered before this cycle.
    pub fn with_replies(&self) -> Set {
        *self.with_replies
    }

    /// SMs whose port of the request NoC would refuse a request.
    pub fn full_ports(&self) -> Set {
        self.requests.full()
    }

    /// Hands an SM its oldest reply, if there is one.
    pub fn take_reply(&mut self, now: Cycle, sm: u16) -> Option<Reply> {
        let link = &mut self.to_sm[usize::from(sm)];
        let reply = link.pop(now)?;
        if link.is_empty() {
            self.with_replies.remove(sm.into());
        }
        Some(reply)
    }

    /// Takes a request from its SM's miss queue in cycle `now`, after the step of that cycle, and charges the time since `since` to the miss
    /// queue. The caller has checked `has_room`.
    #[inline]
    pub fn inject(&mut self, now: Cycle, mut request: Request) {
        request.leave(Station::MissQueue, now);
        let flits = match (request.access, self.store_flit_bytes) {
            (Access::Read, _) => 1,
            (Access::Write, _) if request.context => self.line_flits,
            (Access::Write, None) => self.line_flits,
            (Access::Write, Some(flit)) => 1 + u32::from(request.bytes).div_ceil(flit),
        };
        let sent = self.requests.push(self.noc_ticks, u32::from(request.sm), self.bank_of(request.line), flits, request.kernel, request);
        debug_assert!(sent.is_ok(), "the SM has looked for room");
    }

    /// The bank of a line: its number modulo the banks, without the division where it can be.
    fn bank_of(&self, line: LineAddr) -> u32 {
        let banks = self.to_l2.len() as u32;
        if banks.is_power_of_two() { line & (banks - 1) } else { line % banks }
    }

    /// One core cycle. `reversed` visits the components of each phase backwards, to the same effect.
    pub fn step(&mut self, now: Cycle, controls: &Controls, reversed: bool) {
        self.ask_dram(now, reversed);
        self.step_dram(now, controls, reversed);
        for _ in 0..self.noc_clock.advance() {
            self.noc_ticks += 1;
            self.step_l2(now, reversed);
            self.step_replies(now, reversed);
            self.step_requests(now, reversed);
        }
    }

    /// Moves requests from the banks' links into the channels' transaction queues; the banks of a channel take turns.
    fn ask_dram(&mut self, now: Cycle, reversed: bool) {
        if self.asking.is_empty() {
            return;
        }
        let (channels, banks) = (self.channels.len() as u32, self.to_l2.len() as u32);
        let per_channel = banks / channels;
        let mut visited = Set::EMPTY;
        for bank in self.asking.members(reversed) {
            let index = bank % channels;
            if visited.contains(index) {
                continue;
            }
            visited.insert(index);
            let channel = &mut self.channels[index as usize];
            let mut passed_over = 0;
            while passed_over < per_channel && channel.has_room() {
                let turn = &mut self.turn[index as usize];
                let bank = *turn * channels + index;
                *turn = if *turn + 1 == per_channel { 0 } else { *turn + 1 };
                let link = &mut self.to_dram[bank as usize];
                match link.pop(now) {
                    Some(request) => {
                        let _ = channel.push(self.dram_ticks + 1, request);
                        passed_over = 0;
                        self.queued.put(bank, !self.to_l2[bank as usize].is_empty());
                        if link.is_empty() {
                            self.asking.remove(bank);
                        }
                    }
                    None => passed_over += 1,
                }
            }
            self.due[index as usize] = channel.next_clock();
        }
    }

    /// The DRAM clocks of this core cycle.
    fn step_dram(&mut self, now: Cycle, controls: &Controls, reversed: bool) {
        if *self.rank != controls.dram_rank {
            *self.rank = controls.dram_rank;
            for (channel, due) in self.channels.iter_mut().zip(self.due.iter_mut()) {
                channel.set_rank(&self.rank);
                *due = channel.next_clock();
            }
        }
        let ticks = Clock::from(self.dram_clock.advance());
        let last = self.dram_ticks + ticks;
        let channels = self.channels.len();
        for clock in self.dram_ticks + 1..=last {
            for index in Set::of(&self.due, |&due| due <= clock).members(reversed) {
                let index = index as usize;
                let channel = &mut self.channels[index];
                channel.tick(clock, |transfer| {
                    let request = transfer.request;
                    let stats = &mut self.stats[request.kernel.index()];
                    stats.dram_row_hits += u64::from(transfer.row_hit);
                    if request.access == Access::Write {
                        stats.dram_writes += 1;
                        return;
                    }
                    stats.dram_reads += 1;
                    // The line has left DRAM in the core cycle into which its last beat's clock falls.
                    let here = if transfer.end <= last { now } else { now + self.dram_clock.cycles_until(transfer.end - last) };
                    let bank = request.line % (self.l2.len() / channels) as u32 * channels as u32 + index as u32;
                    let sent = self.fills[bank as usize].push(here, request.tag);
                    debug_assert!(sent.is_ok(), "the link has a place for every MSHR");
                    self.awake.insert(bank);
                    // A bank that is answering is due already.
                    let due = &mut self.fill_due[bank as usize];
                    *due = (*due).min(self.fills[bank as usize].next_arrival().unwrap_or(NEVER));
                });
                self.due[index] = channel.next_clock();
            }
        }
        self.dram_ticks = last;
    }

    /// One NoC cycle of the L2 banks.
    fn step_l2(&mut self, now: Cycle, reversed: bool) {
        if self.awake.is_empty() {
            return;
        }
        let fills = Set::of(&self.fill_due, |&at| at <= now);
        let replies = Set::of(&self.reply_due, |&at| at <= self.noc_ticks) - self.replies.full();
        for index in (fills | replies | *self.queued).members(reversed) {
            let i = index as usize;
            let ports = Ports {
                queue: &mut self.to_l2[i],
                fills: &mut self.fills[i],
                to_dram: &mut self.to_dram[i],
                replies: &mut self.replies,
                stats: &mut self.stats,
            };
            let bank = &mut self.l2[i];
            let awake = bank.tick(self.noc_ticks, now, ports);
            self.reply_due[i] = bank.reply_due();
            self.fill_due[i] = if bank.is_answering() { 0 } else { self.fills[i].next_arrival().unwrap_or(NEVER) };
            // A request that waits in the bank goes on after something else has happened there, or in its link to DRAM.
            let (queued, asking) = (!self.to_l2[i].is_empty() && bank.stall().is_none(), !self.to_dram[i].is_empty());
            self.queued.set(index, queued);
            self.awake.set(index, awake);
            self.asking.put(index, asking);
        }
    }

    /// One cycle of the reply NoC.
    fn step_replies(&mut self, now: Cycle, reversed: bool) {
        let stats = &mut self.stats;
        let count = |reply: &Reply, flits| {
            let stats = &mut stats[reply.request.kernel.index()];
            match reply.request.access {
                Access::Read => stats.noc_reply_flits += u64::from(flits),
                Access::Write => stats.noc_acknowledgement_flits += u64::from(flits),
            }
        };
        *self.with_replies |= self.replies.tick(self.noc_ticks, now, reversed, &mut self.to_sm, count);
    }

    /// One cycle of the request NoC.
    fn step_requests(&mut self, now: Cycle, reversed: bool) {
        let stats = &mut self.stats;
        let count = |request: &Request, flits| stats[request.kernel.index()].noc_request_flits += u64::from(flits);
        let delivered = self.requests.tick(self.noc_ticks, now, reversed, &mut self.to_l2, count);
        self.awake |= delivered;
        *self.queued |= delivered;
    }

    /// The first core cycle after `now` in which a step can do something if nothing more is injected and SMs take no replies: exact or
    /// early, never late. `NEVER` when idle. Replies that wait in `to_sm` are the SMs' to look at.
    pub fn next_event(&self, now: Cycle) -> Cycle {
        let next = self.next_but_dram(now);
        let due = self.due.iter().copied().min().unwrap_or(Clock::MAX);
        if next <= now + 1 || due == Clock::MAX {
            return next;
        }
        next.min(now + self.dram_clock.cycles_until(due.max(self.dram_ticks + 1) - self.dram_ticks))
    }

    /// Whether nothing is under way and nothing that waits will ever go on, unless SMs send or take something: DRAM may still be refreshed.
    pub fn is_still(&self, now: Cycle) -> bool {
        self.next_but_dram(now) == NEVER && self.channels.iter().all(|channel| channel.queued() == 0)
    }

    /// The same without what DRAM channels do.
    fn next_but_dram(&self, now: Cycle) -> Cycle {
        let soon = now + 1;
        if !self.queued.is_empty() {
            return soon;
        }
        let noc_cycle = |tick: Tick| now + self.noc_clock.cycles_until(tick.max(self.noc_ticks + 1) - self.noc_ticks);
        let mut next = NEVER;
        let nocs = [self.requests.next_tick(self.noc_ticks), self.replies.next_tick(self.noc_ticks)];
        for tick in nocs.into_iter().flatten() {
            next = next.min(noc_cycle(tick));
        }
        for bank in self.awake.members(false) {
            if next <= soon {
                return soon;
            }
            let i = bank as usize;
            if let Some(tick) = self.l2[i].next_tick(self.noc_ticks) {
                next = next.min(noc_cycle(tick));
            }
            for arrival in [self.to_l2[i].next_arrival(), self.fills[i].next_arrival()].into_iter().flatten() {
                next = next.min(arrival.max(soon));
            }
        }
        for bank in self.asking.members(false) {
            // A full channel takes nothing before it has done something itself.
            if self.channels[bank as usize % self.channels.len()].has_room() {
                next = next.min(self.to_dram[bank as usize].next_arrival().map_or(NEVER, |arrival| arrival.max(soon)));
            }
        }
        next
    }

    /// Lets `cycles` core cycles pass in which nothing can happen.
    pub fn skip(&mut self, cycles: Cycle) {
        self.noc_ticks += self.noc_clock.advance_by(cycles);
        self.dram_ticks += self.dram_clock.advance_by(cycles);
    }

    /// Whether no request is under way and no reply waits to be taken. Writes may still wait in DRAM.
    pub fn is_idle(&self) -> bool {
        self.requests.is_idle()
            && self.replies.is_idle()
            && (self.awake | self.asking).is_empty()
            && self.l2.iter().all(|bank| bank.mshrs_used() == 0)
            && self.to_sm.iter().all(Link::is_empty)
    }

    /// Packets at an SM's port of the request NoC.
    pub fn request_queue(&self, sm: u32) -> u32 {
        self.requests.queued(sm)
    }

    /// The kernel whose packet passes to a bank now.
    pub fn request_passing(&self, bank: u32) -> Option<KernelId> {
        self.requests.passing(bank)
    }

    /// Packets at a bank's port of the reply NoC.
    pub fn reply_queue(&self, bank: u32) -> u32 {
        self.replies.queued(bank)
    }

    /// The kernel whose packet passes to an SM now.
    pub fn reply_passing(&self, sm: u32) -> Option<KernelId> {
        self.replies.passing(sm)
    }

    /// Requests that wait at a bank.
    pub fn l2_queue(&self, bank: u32) -> u32 {
        self.to_l2[bank as usize].len()
    }

    /// Misses that a bank has under way.
    pub fn l2_mshrs(&self, bank: u32) -> u32 {
        self.l2[bank as usize].mshrs_used()
    }

    /// Why a bank's oldest request waits, if it does.
    pub fn l2_stall(&self, bank: u32) -> Option<Stall> {
        self.l2[bank as usize].stall()
    }

    /// Lines that a kernel has in L2.
    pub fn l2_resident(&self, kernel: KernelId) -> u32 {
        self.l2.iter().map(|bank| bank.resident(kernel)).sum()
    }

    /// Requests in a channel's transaction queue, by kernel.
    pub fn dram_queue(&self, channel: u32) -> PerKernel<u32> {
        self.channels[channel as usize].queued_by_kernel()
    }

    /// The kernel whose line is on a channel's data bus.
    pub fn dram_bus(&self, channel: u32) -> Option<KernelId> {
        self.channels[channel as usize].on_bus(self.dram_ticks)
    }

    /// The row that is open in a bank of a channel.
    pub fn dram_open_row(&self, channel: u32, bank: u32) -> Option<u32> {
        self.channels[channel as usize].open_row(bank)
    }
}

/// Requests that a bank's link to its channel holds.
const TO_DRAM: u32 = 4;

#[cfg(test)]
mod tests;
