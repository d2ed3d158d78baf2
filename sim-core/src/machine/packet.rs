//! What travels between SMs and memory: a handle of four bytes, from queue to queue. The record that it names stays where it is.
//!
//! `Packets` holds the records of all that is in flight. A packet is in one queue at a time, and the queue runs through the records
//! (`Queue`), so that to pass a packet on is to change two numbers, whatever it carries.
//!
//! A packet says at which node it has set out, which node it is for, and what it is. A network finds the way from that: neither packets nor
//! queues know that requests go from SMs to L2 banks.

use super::coherence::{Message, Words};
use super::link::Full;
use crate::describe::ids::{Cycle, KernelId, LineAddr, PerKernel};
use crate::interface::stats::KernelStats;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use core::ops::{Index, IndexMut};

/// What a request does to its line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Access {
    /// Fetch the line.
    #[default]
    Read,
    /// Write through the line.
    Write,
    /// Change words of the line in place: L2 does it, or, where L1Ds own words, the SM's L1D once it owns them.
    Atomic,
}

/// A request on its way from an SM's miss queue to L2.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Request {
    /// The line asked for.
    pub line: LineAddr,
    /// The SM that asks.
    pub sm: u16,
    /// The asking SM's own name for it (MSHR or store-buffer entry); returned in the reply.
    pub tag: u16,
    /// The kernel that it belongs to.
    pub kernel: KernelId,
    /// Read, write or atomic operation.
    pub access: Access,
    /// Bytes of the line that a write or an atomic operation changes, if the GPU distinguishes them, else the whole line. Where an L1D
    /// sends words as an owner, their bytes. 0 for a read, and where words are registered.
    pub bytes: u8,
    /// A line of a CTA's context, which L2 passes on to DRAM and back.
    pub context: bool,
    /// Words of the line that it is about, where L1D tells words apart; else 0.
    pub words: Words,
    /// Core cycle in which it entered the station where it is now: each station adds `now - since` to its own time and restarts it.
    pub since: Cycle,
    /// Core cycles spent so far in the miss queue, the request NoC, L2, and waiting for DRAM.
    pub stations: [u32; 4],
}

// Every queue of the miss path moves it, and a packet with it fits a line of the host's cache.
const _: () = assert!(size_of::<Request>() == 40 && size_of::<Packet>() == 64);

/// Where a request spends its time before the reply NoC: an index into `Request::stations`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Station {
    /// The SM's miss queue and its arbiter.
    MissQueue,
    /// The request crossbar and the queues at its inputs.
    RequestNoc,
    /// L2: queue, lookup, pipeline and reply port.
    L2,
    /// Waiting for DRAM, merged requests included.
    Dram,
}

impl Request {
    /// Core cycles since it entered the miss queue: the time at each station so far, and here.
    pub fn age(&self, now: Cycle) -> Cycle {
        let before = self.stations.iter().fold(0, |sum: u32, &station| sum.wrapping_add(station));
        (now.wrapping_sub(self.since) as u32).wrapping_add(before).into()
    }

    /// The node of its SM.
    pub fn node(&self) -> Node {
        Node(self.sm)
    }

    /// Charges the time since the last change of station to `station`, which it leaves in cycle `now`.
    pub fn leave(&mut self, station: Station, now: Cycle) {
        self.stations[station as usize] += (now - self.since) as u32;
        self.since = now;
    }
}

/// What a home asks of an L1D that owns words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Forward {
    /// A forward, a transfer or a recall.
    pub message: Message,
    /// On whose behalf, and which words.
    pub request: Request,
    /// The home.
    pub from: Node,
    /// The NoC cycle from which the time to its answer counts.
    pub came: u64,
}

/// What an L1D answers to that.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Answer {
    /// Data, a refusal, a grant, or what was recalled.
    pub message: Message,
    /// On whose behalf, and which words.
    pub request: Request,
    /// Whom it is for.
    pub to: Node,
    /// The NoC cycle in which it is at its port.
    pub ready: u64,
}

/// What L2 asks of its DRAM channel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct DramRequest {
    /// The line, as the channel numbers its own lines: consecutive, starting at 0.
    pub line: LineAddr,
    /// Fetch, or write back a dirty victim.
    pub access: Access,
    /// The kernel that is billed and ranked: the requester, also for a victim that another kernel dirtied (CCBP §5.2).
    pub kernel: KernelId,
    /// The bank's MSHR entry for a fetch; unused for a write.
    pub tag: u16,
}

/// Where packets set out and where they are for: an SM, an L2 bank. Whoever owns the networks numbers them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Hash, Debug, Default)]
pub struct Node(pub u16);

/// A request or its answer in flight.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packet {
    /// What is asked, by whom, and how long it has been where; `since` restarts at each station.
    pub request: Request,
    /// For the answer: DRAM accesses that the request caused, carried in the header: 0 hit or merged, 1 miss, 2 miss with dirty victim (CCBP §5.2).
    pub dram_accesses: u8,
    /// What it is.
    pub message: Message,
    /// Where it has set out.
    pub from: Node,
    /// Where it is to arrive.
    pub to: Node,
    /// Flits in which it crosses the network, at least one.
    pub flits: u16,
    /// Links between routers that it crosses; 0 where there is no mesh.
    pub hops: u16,
    /// For data: words that come beside those that were asked for, as `coherence::sixteenths` has them. For an acknowledgement: 1 if it is of words
    /// that an owner has written back. For what a home asks of an L1D: the NoC cycle in which it came, counted within its core cycle.
    pub extra: u16,
    /// When the queue that it is in lets it go on, in the clock of that queue.
    pub ready: u64,
    /// The packet behind it in its queue; the next free record.
    next: Handle,
}

impl Packet {
    /// A request from one node to another, of `flits` flits.
    pub fn new(request: Request, from: Node, to: Node, flits: u32) -> Self {
        let message = match request.access {
            Access::Read => Message::Read,
            Access::Write => Message::WriteThrough,
            Access::Atomic => Message::Update,
        };
        Packet { request, message, from, to, flits: flits as u16, ..Packet::default() }
    }

    /// A message about a request, of `flits` flits.
    pub fn about(message: Message, request: Request, from: Node, to: Node, flits: u32) -> Self {
        Packet { request, message, from, to, flits: flits as u16, ..Packet::default() }
    }

    /// Makes it the answer to the request that it was, on its way back; a line takes `line_flits` flits.
    pub fn turn_back(&mut self, line_flits: u32) {
        (self.from, self.to) = (self.to, self.from);
        (self.message, self.flits) = match self.request.access {
            Access::Read => (Message::Data, line_flits as u16),
            Access::Write | Access::Atomic => (Message::Acknowledgement, 1),
        };
    }

    /// Makes it the answer of a home to the request that it was, in so many flits.
    pub fn answer(&mut self, message: Message, words: Words, flits: u32) {
        (self.from, self.to) = (self.to, self.from);
        (self.message, self.request.words, self.flits) = (message, words, flits as u16);
    }

    /// Counts the links that its flits have crossed.
    #[inline]
    pub fn count_crossings(&self, stats: &mut KernelStats) {
        if self.hops > 0 {
            self.count_links(stats);
        }
    }

    #[inline(never)] // only on a mesh
    fn count_links(&self, stats: &mut KernelStats) {
        let crossings = u64::from(self.flits) * u64::from(self.hops);
        match self.message {
            Message::Read | Message::Data | Message::Forward | Message::Refusal => stats.noc_read_crossings += crossings,
            Message::WriteBack | Message::Recall | Message::Recalled => stats.noc_writeback_crossings += crossings,
            Message::Acknowledgement if self.extra != 0 => stats.noc_writeback_crossings += crossings,
            Message::WriteThrough
            | Message::Register
            | Message::Update
            | Message::Take
            | Message::Transfer
            | Message::Grant
            | Message::Acknowledgement => stats.noc_write_crossings += crossings,
        }
    }

    /// Feeds it to `state` as the answer that it is, or will be.
    pub fn hash_answer<H: Hasher>(&self, state: &mut H) {
        (self.request, self.dram_accesses).hash(state);
        let follows = matches!(self.message, Message::Read | Message::WriteThrough | Message::Data | Message::Acknowledgement);
        if !follows || self.extra != 0 {
            (self.message, self.extra).hash(state);
        }
    }
}

/// The name of a packet in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handle(u32);

/// No packet.
const NONE: Handle = Handle(u32::MAX);

impl Default for Handle {
    /// No packet.
    fn default() -> Self {
        NONE
    }
}

/// The records of all packets in flight. They grow to the most that were ever in flight at once, which the queues on the way bound.
/// Nothing depends on which record a packet has.
#[derive(Clone, Debug)]
pub struct Packets {
    records: Vec<Packet>,
    free: Handle,
    in_flight: u32,
}

impl Default for Packets {
    /// Nothing in flight.
    fn default() -> Self {
        Packets { records: Vec::new(), free: NONE, in_flight: 0 }
    }
}

impl Packets {
    /// A record for a packet that sets out.
    pub fn add(&mut self, packet: Packet) -> Handle {
        self.in_flight += 1;
        if self.free == NONE {
            self.records.push(packet);
            return Handle(self.records.len() as u32 - 1);
        }
        let handle = self.free;
        let record = &mut self[handle];
        let next = core::mem::replace(record, packet).next;
        self.free = next;
        handle
    }

    /// Frees the record of a packet that has arrived, which can be read until the next one sets out.
    pub fn remove(&mut self, handle: Handle) -> &Packet {
        let free = core::mem::replace(&mut self.free, handle);
        self.in_flight -= 1;
        let record = &mut self[handle];
        record.next = free;
        record
    }

    /// A copy of a packet, or of an empty one for `Handle::default()`.
    pub fn get(&self, handle: Handle) -> Packet {
        self.records.get(handle.0 as usize).copied().unwrap_or_default()
    }

    /// Packets in flight.
    #[cfg(test)]
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Whether nothing is in flight.
    pub fn is_empty(&self) -> bool {
        self.in_flight == 0
    }
}

impl Index<Handle> for Packets {
    type Output = Packet;
    fn index(&self, handle: Handle) -> &Packet {
        &self.records[handle.0 as usize]
    }
}

impl IndexMut<Handle> for Packets {
    fn index_mut(&mut self, handle: Handle) -> &mut Packet {
        &mut self.records[handle.0 as usize]
    }
}

/// A bounded FIFO of packets: a list through their records. Each goes on when its `ready` has come.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    first: Handle,
    last: Handle,
    len: u32,
    capacity: u32,
}

impl Queue {
    /// An empty queue of `capacity` packets.
    pub fn new(capacity: u32) -> Self {
        Queue { first: NONE, last: NONE, len: 0, capacity }
    }

    /// Puts a packet in that can go on from `ready` on.
    pub fn push(&mut self, packets: &mut Packets, handle: Handle, ready: u64) -> Result<(), Full> {
        if self.is_full() {
            return Err(Full);
        }
        let packet = &mut packets[handle];
        packet.ready = ready;
        packet.next = NONE;
        if self.len == 0 {
            self.first = handle;
        } else {
            packets[self.last].next = handle;
        }
        self.last = handle;
        self.len += 1;
        Ok(())
    }

    /// The oldest packet.
    pub fn first(&self) -> Option<Handle> {
        (self.len > 0).then_some(self.first)
    }

    /// The oldest packet, if it can go on in `now`.
    pub fn first_ready(&self, packets: &Packets, now: u64) -> Option<Handle> {
        self.first().filter(|&handle| packets[handle].ready <= now)
    }

    /// Takes the oldest packet out.
    pub fn pop(&mut self, packets: &Packets) -> Option<Handle> {
        let handle = self.first()?;
        self.first = packets[handle].next;
        self.len -= 1;
        Some(handle)
    }

    /// When the oldest packet can go on, or could; `u64::MAX` without one.
    pub fn next_ready(&self, packets: &Packets) -> u64 {
        self.first().map_or(u64::MAX, |handle| packets[handle].ready)
    }

    /// Packets in it.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// No packet is in it.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the next push would be refused.
    pub fn is_full(&self) -> bool {
        self.len >= self.capacity
    }

    /// The packets that it holds at most.
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Everything in it, oldest first.
    pub fn iter<'a>(&self, packets: &'a Packets) -> impl Iterator<Item = &'a Packet> {
        let mut next = self.first;
        (0..self.len).map(move |_| {
            let packet = &packets[next];
            next = packet.next;
            packet
        })
    }

    /// How many packets of each kernel are in it.
    pub fn by_kernel(&self, packets: &Packets) -> PerKernel<u32> {
        let mut count = PerKernel::all(0);
        self.iter(packets).for_each(|packet| count[packet.request.kernel] += 1);
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_share_records_and_keep_their_order() {
        let mut packets = Packets::default();
        let mut queues = [Queue::new(2), Queue::new(3)];
        for line in 0..6 {
            let handle = packets.add(Packet { request: Request { line, ..Request::default() }, ..Packet::default() });
            let pushed = queues[line as usize & 1].push(&mut packets, handle, 10 + u64::from(line));
            assert_eq!(pushed, if line == 4 { Err(Full) } else { Ok(()) });
            if pushed.is_err() {
                packets.remove(handle);
            }
        }
        let lines = |queue: &Queue, packets: &Packets| queue.iter(packets).map(|packet| packet.request.line).collect::<Vec<_>>();
        assert_eq!((lines(&queues[0], &packets), lines(&queues[1], &packets)), (alloc::vec![0, 2], alloc::vec![1, 3, 5]));
        assert_eq!((queues[1].first_ready(&packets, 10), queues[1].next_ready(&packets)), (None, 11));
        for (queue, line) in [(1, 1), (0, 0), (1, 3), (0, 2), (1, 5)] {
            let handle = queues[queue].pop(&packets).unwrap();
            assert_eq!(packets[handle].request.line, line);
            packets.remove(handle);
        }
        assert!(packets.is_empty() && packets.records.len() == 5 && queues.iter().all(Queue::is_empty));
    }
}
