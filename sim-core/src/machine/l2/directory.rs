//! A bank as the home of lines whose words L1Ds own: what it does with each message. The rules are `machine::coherence`'s.
//!
//! Registrations and write-backs are taken in the order in which they come, with reads, one message a NoC cycle. A registration of a line
//! that is not there takes a place without a fetch, unless atomic operations need its values. A read is answered with what is here and
//! forwarded to the owners of the rest. What is recalled, because its line must go, comes back by the reply network, whatever waits before
//! the bank.
//!
//! No deadlock: a request waits for room in the pipelines, for DRAM, and for a recall. The pipelines drain as long as L1Ds take forwards
//! and replies. An L1D takes a forward as long as replies drain, and replies drain always. L1Ds have asked for them, and a recall's words
//! go into the line that waits for them. One line of a bank is recalled at a time.

use super::{Access, Bank, DramRequest, Handle, KernelId, LineAddr, Moment, Noc, Packets, Ports, Queue, Request, Stall, Station, Tick};
use crate::describe::gpu::Gpu;
use crate::describe::ids::Cycle;
use crate::machine::coherence::{Message, Words, all_words, home, sixteenths};
use crate::machine::packet::{Node, Packet};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// A line that is here, or its words.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
struct Home {
    line: home::Line,
    /// Its number at L1Ds, and the kernel whose it is.
    address: LineAddr,
    kernel: KernelId,
}

/// What a bank has besides where L1Ds own words.
#[derive(Clone, Debug)]
pub(super) struct Directory {
    /// By slot of the tags.
    lines: Box<[Home]>,
    /// The pipeline to the port of the forward network, in order.
    asks: Queue,
    /// The slot whose words are recalled, and the kernel that needs its place.
    evicting: Option<(u32, KernelId)>,
    /// Every word of a line.
    all: Words,
    line_bytes: u32,
    flit_bytes: u32,
    sms: u16,
}

impl Directory {
    pub fn new(gpu: &Gpu) -> Self {
        let l2 = &gpu.l2;
        Directory {
            lines: vec![Home::default(); (l2.bank_bytes / l2.line_bytes) as usize].into(),
            // One message more than a line has words can be asked at once.
            asks: Queue::new(l2.queue + l2.latency + 32),
            evicting: None,
            all: all_words(l2.line_bytes),
            line_bytes: l2.line_bytes,
            flit_bytes: gpu.noc.flit_bytes,
            sms: gpu.sm_count() as u16,
        }
    }
}

/// Of the words that a request is about, those that each L1D has to be asked for: for one that is to own them, all but its own.
fn asked_of(line: &home::Line, request: Request) -> impl Iterator<Item = (u8, Words)> {
    line.owners(request.words).filter(move |&(owner, _)| request.access == Access::Read || u16::from(owner) != request.sm)
}

/// Flits of a packet with so many words behind its header.
pub fn flits_of(words: Words, line_flits: u32, flit_bytes: u32) -> u32 {
    if line_flits == 1 { 1 } else { 1 + (4 * words.count_ones()).div_ceil(flit_bytes) }
}

impl Bank {
    /// What it has where L1Ds own words.
    fn directory(&mut self) -> &mut Directory {
        self.directory.as_mut().expect("only called where L1Ds own words")
    }

    /// Sends the oldest answer and the oldest forward into their ports, if they have passed their pipelines and the ports have room. Returns whether there
    /// is another of either.
    pub fn send_as_home(&mut self, at: Moment, packets: &mut Packets, replies: &mut Noc, forwards: &mut Noc) -> bool {
        let Some(directory) = &mut self.directory else { return false };
        let node = u32::from(directory.sms) + self.index;
        for (pipeline, flits, noc, input) in
            [(&mut self.pipeline, Some(&mut self.flits), replies, node), (&mut directory.asks, None, forwards, self.index)]
        {
            if let Some(handle) = pipeline.first_ready(packets, at.tick)
                && noc.has_room(input)
            {
                pipeline.pop(packets);
                let packet = &mut packets[handle];
                packet.request.leave(Station::L2, at.now);
                if let Some(flits) = flits {
                    *flits -= u32::from(packet.flits);
                }
                let sent = noc.push(packets, at.tick, handle);
                debug_assert!(sent.is_ok(), "the port has room");
            }
        }
        self.pipeline.first_ready(packets, at.tick).is_some() || directory.asks.first_ready(packets, at.tick).is_some()
    }

    /// Asks L1Ds for what they own of a line, each for `words` of it, on behalf of `request`.
    fn ask_owners(&mut self, at: Moment, message: Message, owners: &[(u8, Words)], request: Request, wait: Tick, ports: &mut Ports<'_>) {
        let ready = at.tick + wait + Tick::from(self.latency);
        let from = Node(self.directory().sms + self.index as u16);
        for &(owner, words) in owners {
            let request = Request { words, ..request };
            let handle = ports.packets.add(Packet::about(message, request, from, Node(owner.into()), 1));
            let sent = self.directory().asks.push(ports.packets, handle, ready);
            debug_assert!(sent.is_ok(), "a place was checked for");
            ports.passed.put(ready, self.index);
        }
    }

    /// Whether so many L1Ds can be asked.
    fn may_ask(&mut self, owners: usize) -> bool {
        let asks = &self.directory().asks;
        asks.len() + owners as u32 <= asks.capacity()
    }

    /// The slot that a line of `kernel` may take, and the DRAM accesses that it costs; none while it waits for a recall or for the link to DRAM.
    fn make_place(&mut self, at: Moment, line: LineAddr, kernel: KernelId, ports: &mut Ports<'_>) -> Option<(u32, u8)> {
        if self.directory().evicting.is_some() {
            return None;
        }
        let slots = self.tags.slots_of(line);
        // The line whose readers are being answered stays until they have been.
        let stays = self.answering.and_then(|entry| self.tags.find(self.mshrs.line(entry)));
        let mask = (0..).zip(slots.clone()).fold(0, |mask, (way, slot)| mask | u32::from(stays != Some(slot)) << way);
        if mask == 0 {
            return None;
        }
        let slot = self.tags.place_of(line, mask);
        if self.tags.line(slot).is_none() {
            return Some((slot, 0));
        }
        let home = self.directory().lines[slot as usize].clone();
        if home.line.registered != 0 {
            let owners: Vec<(u8, Words)> = home.line.owners(self.directory().all).collect();
            if self.may_ask(owners.len()) {
                self.directory().lines[slot as usize].line.recall();
                self.directory().evicting = Some((slot, kernel));
                let request = Request { line: home.address, kernel: home.kernel, since: at.now, ..Request::default() };
                self.ask_owners(at, Message::Recall, &owners, request, 0, ports);
            }
            return None;
        }
        if self.to_dram.is_full() {
            return None;
        }
        let cost = self.evict(at.now, slot, kernel, ports);
        Some((slot, cost))
    }

    /// Drops the line in a slot, of which no word is registered, and writes to DRAM what is newer here. Returns the DRAM accesses.
    fn evict(&mut self, now: Cycle, slot: u32, kernel: KernelId, ports: &mut Ports<'_>) -> u8 {
        let home = core::mem::take(&mut self.directory().lines[slot as usize]);
        let Some(line) = self.tags.line(slot) else { return 0 };
        self.tags.invalidate(line);
        if home.line.dirty == 0 {
            return 0;
        }
        ports.stats[kernel.index()].l2_dirty_victims += 1;
        let sent = self.to_dram.push(now, DramRequest { line: self.channel_line(line), access: Access::Write, kernel, tag: 0 });
        debug_assert!(sent.is_ok(), "a place was checked for");
        1
    }

    /// Puts a line that is not there into a slot that `make_place` has found.
    fn put(&mut self, slot: u32, line: LineAddr, Request { line: address, kernel, .. }: Request) {
        let way = slot - self.tags.slots_of(line).start;
        self.tags.fill(line, kernel, false, 1 << way);
        self.directory().lines[slot as usize] = Home { line: home::Line::default(), address, kernel };
    }

    /// What was recalled has come back.
    pub fn take_back(&mut self, handle: Handle, ports: &mut Ports<'_>) {
        let Request { line, kernel, words, .. } = ports.packets[handle].request;
        ports.packets.remove(handle);
        let slot = self.tags.find(line / ports.spread[kernel]);
        debug_assert!(slot.is_some(), "a line stays until its words have come back");
        if let Some(slot) = slot {
            self.directory().lines[slot as usize].line.given_back(words);
        }
    }

    /// Drops the line whose words have come back, if the link to DRAM has room for it. Returns whether it has to be tried again.
    pub fn finish_eviction(&mut self, now: Cycle, ports: &mut Ports<'_>) -> bool {
        let Some((slot, kernel)) = self.directory().evicting else { return false };
        if self.directory().lines[slot as usize].line.registered != 0 {
            return false;
        }
        if self.to_dram.is_full() {
            return true;
        }
        self.evict(now, slot, kernel, ports);
        self.directory().evicting = None;
        false
    }

    /// Answers one read that waited for DRAM, if it can; the first of each line also puts the line into the cache.
    pub fn answer_as_home(&mut self, at: Moment, ports: &mut Ports<'_>) -> bool {
        let first = self.answering.is_none();
        let Some(entry) = self.answering.or_else(|| self.fills.peek(at.now).copied()) else { return false };
        let (line, waiter) = (self.mshrs.line(entry), self.mshrs.first(entry));
        let Some(handle) = waiter.filter(|_| !self.is_full()) else { return false };
        let request = ports.packets[handle].request;
        let mut dram_accesses = 0;
        if request.context {
            ports.stats[request.kernel.index()].dram_context_lines += 1;
        } else {
            let mut slot = self.tags.find(line);
            if first && slot.is_none() {
                let Some((place, cost)) = self.make_place(at, line, request.kernel, ports) else { return false };
                self.put(place, line, request);
                (slot, dram_accesses) = (Some(place), cost);
            }
            let Some(slot) = slot else { return false };
            let all = self.directory().all;
            let home = &mut self.directory().lines[slot as usize].line;
            if home.recalled != 0 || self.directory().evicting.is_some_and(|(evicting, _)| evicting == slot) {
                return false;
            }
            let home = &mut self.directory().lines[slot as usize].line;
            let owners = asked_of(home, request).count();
            if first {
                home.fetched(all);
                dram_accesses += 1;
            }
            if !self.may_ask(owners) {
                // What has been fetched is here; only the count of it waits.
                return false;
            }
            ports.packets[handle].request.leave(Station::Dram, at.now);
            self.answer_with_values(at, slot, handle, (self.trip.wait(entry), dram_accesses), ports);
        }
        if first {
            self.fills.pop(at.now);
        }
        self.mshrs.take(entry);
        self.answering = self.mshrs.is_open(entry).then_some(entry);
        if request.context {
            ports.packets[handle].request.leave(Station::Dram, at.now);
            self.send(at, self.trip.wait(entry), handle, dram_accesses, ports);
        }
        true
    }

    /// Answers an L1D that needs values of words that are here or at L1Ds, and takes them from there if it asks for that.
    fn answer_with_values(&mut self, at: Moment, slot: u32, handle: Handle, (wait, dram_accesses): (Tick, u8), ports: &mut Ports<'_>) {
        let request = ports.packets[handle].request;
        if request.access == Access::Atomic {
            return self.pass_to(at, slot, handle, (wait, dram_accesses), ports);
        }
        let (line_flits, line_bytes, flit_bytes) = (self.line_flits, self.directory().line_bytes, self.directory().flit_bytes);
        let line = &self.directory().lines[slot as usize].line;
        let owners: Vec<(u8, Words)> = line.owners(request.words).collect();
        let (here, beside) = (line.valid & request.words, sixteenths(line.valid, line_bytes));
        self.ask_owners(at, Message::Forward, &owners, request, wait, ports);
        if here == 0 {
            ports.packets.remove(handle);
            return;
        }
        let all = here | crate::machine::coherence::from_sixteenths(beside, line_bytes);
        let packet = &mut ports.packets[handle];
        packet.answer(Message::Data, here, flits_of(all, line_flits, flit_bytes));
        packet.extra = beside;
        self.send(at, wait, handle, dram_accesses, ports);
    }

    /// An L1D owns the words that it asks for from now on: grants them, with their values if it takes these, or has their owners do so.
    fn pass_to(&mut self, at: Moment, slot: u32, handle: Handle, (wait, dram_accesses): (Tick, u8), ports: &mut Ports<'_>) {
        let request = ports.packets[handle].request;
        let (line_flits, flit_bytes) = (self.line_flits, self.directory().flit_bytes);
        let line = &mut self.directory().lines[slot as usize].line;
        let owners: Vec<(u8, Words)> = asked_of(line, request).collect();
        let granted = line.register(request.words, request.sm as u8);
        self.ask_owners(at, Message::Transfer, &owners, request, wait, ports);
        if granted == 0 {
            ports.packets.remove(handle);
        } else {
            let flits = if request.access == Access::Atomic { flits_of(granted, line_flits, flit_bytes) } else { 1 };
            ports.packets[handle].answer(Message::Grant, granted, flits);
            self.send(at, wait, handle, dram_accesses, ports);
        }
    }

    /// Looks up the oldest request of the queue.
    pub fn look_up_as_home(&mut self, at: Moment, queue: &mut Queue, ports: &mut Ports<'_>) {
        let Some(handle) = queue.first_ready(ports.packets, at.now) else { return };
        if self.is_full() {
            self.stall = Some(Stall::ReplyPort);
            return;
        }
        let request = ports.packets[handle].request;
        if request.context {
            return self.pass_on(at, handle, queue, ports);
        }
        let line = request.line / ports.spread[request.kernel];
        let slot = self.tags.find(line);
        let leaves = slot.is_some() && self.directory().evicting.map(|(slot, _)| slot) == slot;
        self.stall = match (request.access, request.bytes) {
            (_, 0) if leaves => Some(Stall::Recall),
            (Access::Read | Access::Atomic, _) => self.find_values(at, line, slot, handle, queue, ports),
            (Access::Write, 0) => self.register(at, line, slot, handle, queue, ports),
            (Access::Write, _) => {
                // Also while words of the line are recalled.
                self.take(queue, ports);
                let taken = slot.map_or(0, |slot| self.directory().lines[slot as usize].line.written_back(request.words, request.sm as u8));
                let stats = &mut ports.stats[request.kernel.index()];
                (stats.l2_writes, stats.l2_hits) = (stats.l2_writes + 1, stats.l2_hits + 1);
                let packet = &mut ports.packets[handle];
                packet.answer(Message::Acknowledgement, taken, 1);
                packet.extra = 1;
                self.send(at, 0, handle, 0, ports);
                None
            }
        };
    }

    /// An L1D asks for words with their values.
    fn find_values(
        &mut self,
        at: Moment,
        line: LineAddr,
        slot: Option<u32>,
        handle: Handle,
        queue: &mut Queue,
        ports: &mut Ports<'_>,
    ) -> Option<Stall> {
        let request = ports.packets[handle].request;
        let Request { words, kernel, access, .. } = request;
        let here = slot.filter(|&slot| self.directory().lines[slot as usize].line.absent(words) == 0);
        if let Some(slot) = here {
            let owners = asked_of(&self.directory().lines[slot as usize].line, request).count();
            if !self.may_ask(owners) {
                return Some(Stall::ForwardPort);
            }
            self.tags.lookup(line);
            self.take(queue, ports);
            ports.stats[kernel.index()].l2_hits += 1;
            self.answer_with_values(at, slot, handle, (0, 0), ports);
        } else if let Some(entry) = self.mshrs.find(line) {
            if self.mshrs.merge(entry, handle).is_err() {
                return Some(Stall::Merge);
            }
            self.take(queue, ports);
            ports.stats[kernel.index()].l2_merged += 1;
            ports.packets[handle].request.leave(Station::L2, at.now);
        } else if self.to_dram.is_full() {
            return Some(Stall::DramLink);
        } else {
            let Ok(tag) = self.mshrs.allocate(line, handle) else { return Some(Stall::Mshr) };
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
        None
    }

    /// An L1D wants to own words.
    fn register(
        &mut self,
        at: Moment,
        line: LineAddr,
        slot: Option<u32>,
        handle: Handle,
        queue: &mut Queue,
        ports: &mut Ports<'_>,
    ) -> Option<Stall> {
        let request = ports.packets[handle].request;
        let kernel = request.kernel;
        let place = match slot {
            Some(slot) => slot,
            None => {
                let Some((place, _)) = self.make_place(at, line, kernel, ports) else { return Some(Stall::Recall) };
                self.put(place, line, request);
                place
            }
        };
        let owners = asked_of(&self.directory().lines[place as usize].line, request).count();
        if !self.may_ask(owners) {
            return Some(Stall::ForwardPort);
        }
        self.tags.lookup(line);
        self.take(queue, ports);
        let stats = &mut ports.stats[kernel.index()];
        stats.l2_writes += 1;
        if slot.is_some() {
            stats.l2_hits += 1;
        } else {
            stats.l2_filled_by_stores += 1;
        }
        self.pass_to(at, place, handle, (0, 0), ports);
        None
    }

    /// Lines of which L1Ds own words: which, who, and what.
    pub fn owned(&self) -> impl Iterator<Item = (LineAddr, u8, Words)> {
        let lines = self.directory.iter().flat_map(|directory| directory.lines.iter());
        lines.flat_map(|home| home.line.owners(Words::MAX).map(|(owner, words)| (home.address, owner, words)).collect::<Vec<_>>())
    }

    /// Feeds what it has as a home to `state`.
    pub(super) fn hash_homes<H: Hasher>(&self, packets: &Packets, state: &mut H) {
        let Some(directory) = &self.directory else { return };
        (&directory.lines, directory.evicting, directory.asks.len()).hash(state);
        for packet in directory.asks.iter(packets) {
            packet.ready.hash(state);
            packet.hash_answer(state);
            packet.to.hash(state);
        }
    }
}
