//! What travels between SMs and memory: small `Copy` records with indices, never pointers.

use super::noc::Payload;
use crate::describe::ids::{Cycle, KernelId, LineAddr};

/// What a request does to its line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Access {
    /// Fetch the line.
    #[default]
    Read,
    /// Write through the line.
    Write,
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
    /// Read or write.
    pub access: Access,
    /// Bytes of the line that a write changes, if the GPU distinguishes them, else the whole line; 0 for a read.
    pub bytes: u8,
    /// A line of a CTA's context, which L2 passes on to DRAM and back.
    pub context: bool,
    /// Core cycle in which it entered the miss queue: its low half, which is enough for a difference.
    pub born: u32,
    /// Core cycle in which it entered the station where it is now: each station adds `now - since` to its own time and restarts it.
    pub since: Cycle,
    /// Core cycles spent so far in the miss queue, the request NoC, L2, and waiting for DRAM.
    pub stations: [u32; 4],
}

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
    /// Core cycles since it entered the miss queue.
    pub fn age(&self, now: Cycle) -> Cycle {
        (now as u32).wrapping_sub(self.born).into()
    }

    /// Charges the time since the last change of station to `station`, which it leaves in cycle `now`.
    pub fn leave(&mut self, station: Station, now: Cycle) {
        self.stations[station as usize] += (now - self.since) as u32;
        self.since = now;
    }
}

impl Payload for Request {
    fn age(&self, now: Cycle) -> Cycle {
        Request::age(self, now)
    }

    fn arrived(&mut self, now: Cycle) {
        self.leave(Station::RequestNoc, now);
    }
}

/// The SM charges the reply NoC itself: the time from the last station to the reply's arrival.
impl Payload for Reply {
    fn age(&self, now: Cycle) -> Cycle {
        self.request.age(now)
    }
}

/// The answer to a request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Reply {
    /// The request that is answered, with `since` restarted at the last station.
    pub request: Request,
    /// DRAM accesses that the request caused, carried in the header: 0 hit or merged, 1 miss, 2 miss with dirty victim (CCBP §5.2).
    pub dram_accesses: u8,
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
