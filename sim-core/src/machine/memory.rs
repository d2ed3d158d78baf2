//! Everything behind the SMs: two crossbars, L2 banks, DRAM channels, and the links between them. Where L1Ds own words there is a third
//! network (`ownership`).
//!
//! ```text
//! SM ── inject ──> request NoC ──> to_l2 ──> L2 bank ── to_dram ──> DRAM channel
//! SM <── to_sm <── reply NoC <────────────────┘  ^────── fills ────────┘
//! ```
//!
//! `step` is one core cycle, sink first, so that nothing passes two parts in one cycle. NoC and L2 share a clock; DRAM has its own. The
//! nodes of the NoCs are the SMs, then the banks. Which bank a line belongs to says `mapping`; bank `b` has channel
//! `b mod channels`.
//! Whatever lies between L2 and the pins of DRAM (controller, PHY, both ways) is one fixed latency on the way back (`dram.latency`).
//!
//! What is in flight is a record in one place (`Packets`); its handle moves from queue to queue. Parts without work are not visited: what
//! happens puts the parts that it concerns into sets, at once or, through calendars, when its time has come.

mod ahead;
mod channels;
mod digest;
mod due;
mod mapping;
mod ownership;

use self::ahead::Ahead;
use self::channels::Channels;
use self::mapping::Mapping;
use self::ownership::Ownership;
use super::calendar::Calendar;
use super::clock::ClockRatio;
use super::coherence::Message;
use super::dram::{Clock, Transfer};
use super::l2::{Bank, Ports, Stall, Trip};
use super::noc::{Ends, Moment, Noc, Tick};
use super::packet::{Access, Node, Packet, Packets, Queue, Request, Station};
use crate::describe::gpu::{Gpu, StoreFlits};
use crate::describe::ids::{Cycle, KernelId, NEVER, PerKernel, Set, members_of, words};
use crate::interface::controls::Controls;
use crate::interface::stats::KernelStats;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// The memory side of a GPU.
#[derive(Clone, Debug)]
pub struct Memory {
    /// What the memory side did for each kernel.
    pub stats: Vec<KernelStats>,
    /// All that is in flight.
    packets: Packets,
    noc: Networks,
    banks: Banks,
    channels: Channels,
    sizes: Sizes,
    /// What else there is where L1Ds own words.
    ownership: Option<Box<Ownership>>,
    /// How far it is ahead of the SMs: nothing of it is left when they have caught up.
    ahead: Ahead,
}

/// The networks between SMs and L2, and the replies that have arrived at SMs.
#[derive(Clone, Debug)]
struct Networks {
    /// From SMs to banks.
    requests: Noc,
    /// From banks to SMs.
    replies: Noc,
    clock: ClockRatio,
    /// NoC cycles so far.
    ticks: Tick,
    /// The NoC cycle that it is, counted within its core cycle.
    phase: u8,
    /// How many SMs there are: nodes from this number on are banks.
    sms: u16,
    /// Replies that have arrived at each SM. SMs take them; a full queue holds back the reply NoC.
    to_sm: Box<[Queue]>,
    /// Replies that wait for an SM, at most.
    reply_queue: u32,
    /// SMs to which replies have been delivered.
    with_replies: Set,
}

/// The L2 banks, and which of them have something to do, and when.
#[derive(Clone, Debug)]
struct Banks {
    all: Box<[Bank]>,
    /// Requests that have arrived at each bank.
    queues: Box<[Queue]>,
    mapping: Mapping,
    /// Words of a set of banks.
    words: u32,
    /// Banks with requests in their queue.
    queued: Set,
    /// Banks whose oldest request waits for something else to happen.
    stalled: Set,
    /// Banks whose oldest reply has passed the pipeline.
    replying: Set,
    /// NoC cycles in which a bank's oldest reply has passed the pipeline.
    passed: Calendar,
    /// Banks that answer requests whose line is there.
    answering: Set,
    /// Core cycles in which lines come to banks from DRAM.
    arrivals: Calendar,
}

/// The sizes of packets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Sizes {
    /// Flits of a packet with a line.
    line_flits: u32,
    line_bytes: u32,
    /// Bytes of a flit, if a store's packet carries only the bytes written.
    store_flit_bytes: Option<u32>,
}

impl Sizes {
    /// Flits of a request's packet.
    fn flits(&self, message: Message, request: &Request) -> u32 {
        match (message, self.store_flit_bytes) {
            (Message::Read | Message::Register | Message::Take, _) => 1,
            (_, Some(flit)) if !request.context => 1 + u32::from(request.bytes).div_ceil(flit),
            _ => self.line_flits,
        }
    }
}

impl Memory {
    /// An idle memory side with empty caches for a mix of `kernels`; `seed` feeds the random arbiters.
    pub fn new(gpu: &Gpu, kernels: usize, seed: u64) -> Self {
        let (sms, banks) = (gpu.sm_count(), gpu.l2.banks);
        let (sm_nodes, bank_nodes) = (0..sms as u16, sms as u16..(sms + banks) as u16);
        let longest = gpu.line_flits();
        let channels = Channels::new(gpu);
        // From a column command to the line's arrival at its bank.
        let fill = channels.longest_read() + gpu.dram.latency.max(1) + Trip::longest(gpu);
        Memory {
            stats: vec![KernelStats::default(); kernels],
            packets: Packets::default(),
            noc: Networks {
                requests: Noc::new(&gpu.noc, Ends::new(sms as u16, sm_nodes, bank_nodes), longest, seed),
                replies: ownership::replies(gpu, longest, !seed),
                clock: ClockRatio::new(gpu.noc.mhz, gpu.core_mhz),
                ticks: 0,
                phase: 0,
                sms: sms as u16,
                to_sm: (0..if gpu.owns() { sms + banks } else { sms })
                    .map(|node| Queue::new(if node < sms { Ahead::replies(gpu) } else { u32::MAX }))
                    .collect(),
                reply_queue: gpu.noc.queue,
                with_replies: Set::EMPTY,
            },
            banks: Banks {
                all: (0..banks).map(|index| Bank::new(gpu, index)).collect(),
                queues: vec![Queue::new(gpu.l2.queue); banks as usize].into(),
                mapping: Mapping::new(gpu),
                words: words(banks),
                queued: Set::EMPTY,
                stalled: Set::EMPTY,
                replying: Set::EMPTY,
                passed: Calendar::new(banks, gpu.l2.latency + 1 + Trip::REST),
                answering: Set::EMPTY,
                arrivals: Calendar::new(banks, fill + 1),
            },
            channels,
            sizes: Sizes {
                line_flits: longest,
                line_bytes: gpu.l2.line_bytes,
                store_flit_bytes: (gpu.noc.store_flits == StoreFlits::Bytes && longest > 1).then_some(gpu.noc.flit_bytes),
            },
            ownership: gpu.owns().then(|| Box::new(Ownership::new(gpu, seed.rotate_left(32)))),
            ahead: Ahead::new(gpu),
        }
    }

    /// Whether an SM's port of the request NoC would accept a request.
    pub fn has_room(&self, sm: u32) -> bool {
        self.noc.requests.has_room(sm)
    }

    /// SMs to which replies have been delivered.
    pub fn with_replies(&self) -> Set {
        self.noc.with_replies
    }

    /// Hands an SM its oldest reply, if it has arrived.
    #[inline]
    pub fn take_reply(&mut self, now: Cycle, sm: u32) -> Option<&Packet> {
        let queue = &mut self.noc.to_sm[sm as usize];
        let handle = queue.first_ready(&self.packets, now)?;
        queue.pop(&self.packets);
        if queue.is_empty() && !self.has_forwards(sm) {
            self.noc.with_replies.remove(sm);
        }
        Some(self.packets.remove(handle))
    }

    /// Takes a request from its SM's miss queue in cycle `now`, after the step of that cycle, and charges the time since `since` to the miss
    /// queue. The caller has checked `has_room`.
    #[inline]
    pub fn inject(&mut self, now: Cycle, mut request: Request) {
        request.leave(Station::MissQueue, now);
        let message = match request.access {
            Access::Read => Message::Read,
            Access::Atomic if self.ownership.is_none() => Message::Update,
            Access::Atomic => Message::Take,
            Access::Write if self.ownership.is_none() => Message::WriteThrough,
            Access::Write if request.bytes == 0 && !request.context => Message::Register,
            Access::Write => Message::WriteBack,
        };
        let flits = self.sizes.flits(message, &request);
        let bank = Node(self.noc.sms + self.banks.mapping.bank_of(request.kernel, request.line) as u16);
        let handle = self.packets.add(Packet::about(message, request, Node(request.sm), bank, flits));
        let ticks = self.ahead.ticks_after(now).unwrap_or(self.noc.ticks);
        debug_assert!(self.ahead.is_in_time(ticks, self.noc.ticks), "a request competes once it has passed the pipeline");
        let sent = self.noc.requests.push(&mut self.packets, ticks, handle);
        debug_assert!(sent.is_ok(), "the SM has looked for room");
    }

    /// Takes over which channels each kernel has.
    pub fn controls_changed(&mut self, controls: &Controls) {
        if self.ownership.is_some() {
            // Who owns what is known at a line's home.
            return;
        }
        for kernel in KernelId::first(self.stats.len()) {
            if self.banks.mapping.moves(kernel, controls) {
                // Its lines have other numbers from now on.
                self.banks.all.iter_mut().for_each(|bank| bank.drop_lines(kernel));
            }
        }
    }

    /// Cycle `now`, not ahead of any SM.
    pub fn step(&mut self, now: Cycle, controls: &Controls, reversed: bool) {
        self.run_ahead(now, now + 1, controls, reversed);
        self.caught_up(now + 1);
    }

    /// One core cycle. `reversed` visits the components of each phase backwards, to the same effect.
    fn cycle(&mut self, now: Cycle, controls: &Controls, reversed: bool) {
        self.channels.ask(now, &mut self.banks, reversed);
        self.step_dram(now, controls, reversed);
        for word in 0..self.banks.words {
            *self.banks.answering.word_mut(word) |= self.banks.arrivals.take(now, word);
        }
        for phase in 0..self.noc.clock.advance() {
            self.noc.ticks += 1;
            self.noc.phase = phase as u8;
            let at = Moment { tick: self.noc.ticks, now, reversed };
            if self.ownership.is_some() {
                self.step_homes(at);
                self.step_forwards(at);
            } else {
                self.step_l2(at);
            }
            self.step_replies(at);
            self.step_requests(at);
        }
    }

    /// The DRAM clocks of this core cycle.
    fn step_dram(&mut self, now: Cycle, controls: &Controls, reversed: bool) {
        let (banks, stats, line_flits) = (&mut self.banks, &mut self.stats, u64::from(self.sizes.line_flits));
        self.channels.set_rank(&controls.dram_rank);
        self.channels.step(now, reversed, |channel, Transfer { request, row_hit, .. }, here| {
            let stats = &mut stats[request.kernel.index()];
            stats.dram_row_hits += u64::from(row_hit);
            let index = banks.mapping.bank_of_channel(channel, request.line);
            let bank = &mut banks.all[index as usize];
            let hops = u64::from(bank.hops_to_channel());
            if request.access == Access::Write {
                stats.dram_writes += 1;
                stats.noc_writeback_crossings += hops * line_flits;
                return;
            }
            stats.dram_reads += 1;
            stats.noc_read_crossings += hops * (1 + line_flits);
            banks.arrivals.put(bank.fetched(here, request.tag), index);
        });
    }

    /// One NoC cycle of the L2 banks: each sends a reply into its port, answers a request whose line is there, and looks up a request.
    fn step_l2(&mut self, at: Moment) {
        for word in 0..self.banks.words {
            *self.banks.replying.word_mut(word) |= self.banks.passed.take(at.tick, word);
            for bank in members_of(word, self.banks.replying.word(word) & !self.noc.replies.full().word(word), at.reversed) {
                self.reply(at, bank);
            }
            for bank in members_of(word, self.banks.answering.word(word), at.reversed) {
                self.answer(at, bank);
            }
            for bank in members_of(word, self.banks.queued.word(word) & !self.banks.stalled.word(word), at.reversed) {
                self.look_up(at, bank);
            }
        }
    }

    // The functions for one bank stay out of the loops over banks: inlined, they would have all that they need loaded for each loop, though
    // most loops visit one bank or none.

    /// Sends a bank's oldest reply into its port.
    #[inline(never)]
    fn reply(&mut self, at: Moment, index: u32) {
        let bank = &mut self.banks.all[index as usize];
        if !bank.reply(at, &mut self.packets, &mut self.noc.replies) {
            self.banks.replying.remove(index);
        }
        // A request that waits in its bank goes on after something else has happened there, or in the link to DRAM.
        self.banks.stalled.remove(index);
    }

    /// Answers a bank's oldest request for a line that is there.
    #[inline(never)]
    fn answer(&mut self, at: Moment, index: u32) {
        let (bank, packets, passed, stats) =
            (&mut self.banks.all[index as usize], &mut self.packets, &mut self.banks.passed, &mut self.stats);
        if !bank.answer(at, &mut Ports { packets, passed, stats, spread: &self.banks.mapping.spread, phase: self.noc.phase }) {
            return;
        }
        if !bank.is_answering(at.now) {
            self.banks.answering.remove(index);
        }
        self.banks.stalled.remove(index);
        self.channels.may_ask(&self.banks.all[index as usize]);
    }

    /// Looks up the oldest request at a bank.
    #[inline(never)]
    fn look_up(&mut self, at: Moment, index: u32) {
        let (bank, packets, passed, stats) =
            (&mut self.banks.all[index as usize], &mut self.packets, &mut self.banks.passed, &mut self.stats);
        let queue = &mut self.banks.queues[index as usize];
        bank.look_up(at, queue, &mut Ports { packets, passed, stats, spread: &self.banks.mapping.spread, phase: self.noc.phase });
        if queue.is_empty() {
            self.banks.queued.remove(index);
        } else if bank.stall().is_some() {
            self.banks.stalled.insert(index);
        }
        self.channels.may_ask(&self.banks.all[index as usize]);
    }

    /// One cycle of the reply NoC.
    fn step_replies(&mut self, at: Moment) {
        let stats = &mut self.stats;
        let count = |packet: &mut Packet| {
            let stats = &mut stats[packet.request.kernel.index()];
            packet.count_crossings(stats);
            match packet.message {
                Message::Acknowledgement | Message::Grant => stats.noc_acknowledgement_flits += u64::from(packet.flits),
                _ => stats.noc_reply_flits += u64::from(packet.flits),
            }
        };
        self.noc.replies.tick(at, &mut self.packets, &mut self.noc.to_sm, &mut self.noc.with_replies, count);
        if self.ownership.is_some() {
            self.sort_replies();
        }
    }

    /// One cycle of the request NoC.
    fn step_requests(&mut self, at: Moment) {
        let (stats, ahead) = (&mut self.stats, &mut self.ahead);
        let count = |packet: &mut Packet| {
            packet.request.leave(Station::RequestNoc, at.now);
            let stats = &mut stats[packet.request.kernel.index()];
            packet.count_crossings(stats);
            stats.noc_request_flits += u64::from(packet.flits);
            ahead.leaves(at.now, packet.from.0.into());
        };
        self.noc.requests.tick(at, &mut self.packets, &mut self.banks.queues, &mut self.banks.queued, count);
    }

    /// The first core cycle after `now` in which a step can do something if nothing more is injected and SMs take no replies: exact or
    /// early, never late. `NEVER` when idle. Replies that wait for SMs are the SMs' to look at.
    pub fn next_event(&self, now: Cycle) -> Cycle {
        let next = self.next_but_dram(now);
        let due = self.channels.due.next(self.channels.ticks);
        if next <= now + 1 || due == Clock::MAX {
            return next;
        }
        next.min(now + self.channels.clock.cycles_until(due - self.channels.ticks))
    }

    /// Whether nothing is under way and nothing that waits will ever go on, unless SMs send or take something: DRAM may still be refreshed.
    pub fn is_still(&self, now: Cycle) -> bool {
        self.next_but_dram(now) == NEVER && self.channels.all.iter().all(|channel| channel.queued() == 0)
    }

    /// The first core cycle after `now` in which a step can do something, without what DRAM channels do: exact or early, never late.
    fn next_but_dram(&self, now: Cycle) -> Cycle {
        if !self.channels.asked.is_empty() {
            return now + 1;
        }
        let due = match &self.ownership {
            None => (self.banks.replying - *self.noc.replies.full()) | self.banks.answering | (self.banks.queued - self.banks.stalled),
            Some(ownership) => self.banks.replying | self.banks.answering | self.banks.queued | ownership.returned,
        };
        let ticks = self.noc.ticks;
        let tick = if due.is_empty() {
            let [requests, replies] = [&self.noc.requests, &self.noc.replies].map(|noc| noc.next_tick(ticks, &self.packets));
            let forwards = self.ownership.as_ref().map_or(Tick::MAX, |ownership| ownership.forwards.next_tick(ticks, &self.packets));
            requests.min(replies).min(forwards).min(self.banks.passed.next(ticks))
        } else {
            ticks + 1
        };
        let noc_cycle = if tick == Tick::MAX { NEVER } else { now + self.noc.clock.cycles_until(tick - ticks) };
        noc_cycle.min(self.banks.arrivals.next(now))
    }

    /// Lets `cycles` core cycles pass in which nothing can happen.
    pub fn skip(&mut self, cycles: Cycle) {
        self.noc.ticks += self.noc.clock.advance_by(cycles);
        self.channels.ticks += self.channels.clock.advance_by(cycles);
    }

    /// Whether nothing is under way, and every DRAM channel waits for requests alone: its refreshes need not be looked at one by one.
    pub fn rests(&self, now: Cycle) -> bool {
        self.next_but_dram(now) == NEVER && self.channels.all.iter().all(|channel| channel.rests())
    }

    /// Lets `cycles` core cycles pass in which it rests.
    pub fn rest(&mut self, cycles: Cycle) {
        self.noc.ticks += self.noc.clock.advance_by(cycles);
        self.channels.rest(cycles);
    }

    /// Whether no request is under way and no reply waits to be taken. Writes may still wait in DRAM.
    pub fn is_idle(&self) -> bool {
        self.packets.is_empty() && !self.banks.all.iter().any(Bank::is_asking)
    }

    /// Packets in flight.
    #[cfg(test)]
    pub fn in_flight(&self) -> u32 {
        self.packets.in_flight()
    }

    /// Packets at an SM's port of the request NoC.
    pub fn request_queue(&self, sm: u32) -> PerKernel<u32> {
        self.noc.requests.queued_by_kernel(sm, &self.packets)
    }

    /// The kernel whose packet passes to a bank now.
    pub fn request_passing(&self, bank: u32) -> Option<KernelId> {
        self.noc.requests.passing(bank, &self.packets)
    }

    /// Packets at a bank's port of the reply NoC, by kernel.
    pub fn reply_queue(&self, bank: u32) -> PerKernel<u32> {
        let first = if self.ownership.is_some() { u32::from(self.noc.sms) } else { 0 };
        self.noc.replies.queued_by_kernel(first + bank, &self.packets)
    }

    /// The kernel whose packet passes to an SM now.
    pub fn reply_passing(&self, sm: u32) -> Option<KernelId> {
        self.noc.replies.passing(sm, &self.packets)
    }

    /// Requests that wait at a bank, by kernel.
    pub fn l2_queue(&self, bank: u32) -> PerKernel<u32> {
        self.banks.queues[bank as usize].by_kernel(&self.packets)
    }

    /// Lines that L2 holds.
    pub fn l2_lines(&self) -> u64 {
        self.banks.all.iter().map(|bank| u64::from(bank.lines())).sum()
    }

    /// Misses that a bank has under way, by kernel.
    pub fn l2_mshrs(&self, bank: u32) -> PerKernel<u32> {
        self.banks.all[bank as usize].mshrs_by_kernel(&self.packets)
    }

    /// Why a bank's oldest request waits, if it does.
    pub fn l2_stall(&self, bank: u32) -> Option<Stall> {
        self.banks.all[bank as usize].stall()
    }

    /// Flits that have gone over each link of the mesh: from each router to the east, west, south and north; nothing where there is no mesh.
    pub fn link_flits(&self) -> Vec<[u64; 4]> {
        let [Noc::Mesh(requests), Noc::Mesh(replies)] = [&self.noc.requests, &self.noc.replies] else { return Vec::new() };
        let mut carried: Vec<[u64; 4]> = requests.carried().collect();
        let forwards = self.ownership.as_ref().map(|ownership| &ownership.forwards);
        let others = [Some(replies), forwards.and_then(|noc| if let Noc::Mesh(mesh) = noc { Some(mesh) } else { None })];
        for (sum, more) in others.into_iter().flatten().flat_map(|mesh| (0..).zip(mesh.carried())) {
            let sum: &mut [u64; 4] = &mut carried[sum];
            sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        carried
    }

    /// Requests in a channel's transaction queue, by kernel.
    pub fn dram_queue(&self, channel: u32) -> PerKernel<u32> {
        self.channels.all[channel as usize].queued_by_kernel()
    }

    /// The kernel whose line is on a channel's data bus.
    pub fn dram_bus(&self, channel: u32) -> Option<KernelId> {
        self.channels.all[channel as usize].on_bus(self.channels.ticks)
    }

    /// The row that is open in a bank of a channel.
    pub fn dram_open_row(&self, channel: u32, bank: u32) -> Option<u32> {
        self.channels.all[channel as usize].open_row(bank)
    }
}

#[cfg(test)]
mod tests;
