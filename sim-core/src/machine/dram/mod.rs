//! DRAM channels: what L2 misses fetch from and dirty victims go to.
//!
//! A channel runs in command clocks that its owner numbers. It takes `DramRequest`s into its transaction queue, gives at most one
//! command a clock, and reports each line when its column command is given, with the clock of its last beat. It says in which clock it
//! can next do something (`next_clock`) and need not be ticked before.

mod banked;
mod ideal;
pub mod timing;

use super::link::Full;
use super::packet::{Access, DramRequest};
use crate::describe::gpu::{DramConfig, DramKind};
use crate::describe::ids::{KernelId, PerKernel};
use alloc::boxed::Box;

pub use banked::Banked;
pub use ideal::Ideal;
pub use timing::{Clock, Transfer};

/// One channel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Channel {
    /// Banks, rows, all timings.
    Banked(Box<Banked>),
    /// The latency of a closed bank, unlimited bandwidth.
    Ideal(Ideal),
}

/// Does with the channel what all kinds do.
macro_rules! each {
    ($channel:expr, $it:ident => $does:expr) => {
        match $channel {
            Channel::Banked($it) => $does,
            Channel::Ideal($it) => $does,
        }
    };
}

impl Channel {
    /// An idle channel with all banks closed.
    pub fn new(config: &DramConfig) -> Self {
        match config.kind {
            DramKind::Banked => Channel::Banked(Box::new(Banked::new(config))),
            DramKind::Ideal => Channel::Ideal(Ideal::new(config)),
        }
    }

    /// Whether the transaction queue has a place.
    pub fn has_room(&self) -> bool {
        each!(self, channel => channel.has_room())
    }

    /// Queues a request that can be served from `clock` on.
    pub fn push(&mut self, clock: Clock, request: DramRequest) -> Result<(), Full> {
        each!(self, channel => channel.push(clock, request))
    }

    /// Does what happens in `clock`, and reports the transfers that it settles.
    pub fn tick(&mut self, clock: Clock, transfer: impl FnMut(Transfer)) {
        match self {
            Channel::Banked(channel) => channel.tick(clock, transfer),
            Channel::Ideal(channel) => channel.tick(transfer),
        }
    }

    /// The first clock in which a tick can do something, unless a request or another rank comes first; never late. `Clock::MAX`: none.
    pub fn next_clock(&self) -> Clock {
        each!(self, channel => channel.next_clock())
    }

    /// Whether it has nothing to do but to be refreshed when that is due.
    pub fn rests(&self) -> bool {
        match self {
            Channel::Banked(channel) => channel.rests(),
            Channel::Ideal(channel) => channel.queued() == 0,
        }
    }

    /// Lets the clocks up to this one pass, in which it rests.
    pub fn rest(&mut self, clock: Clock) {
        if let Channel::Banked(channel) = self {
            channel.rest(clock);
        }
    }

    /// Clocks from a read's turn to its last beat, at most.
    pub fn longest_read(&self) -> Clock {
        each!(self, channel => channel.longest_read())
    }

    /// Sets the rank of each kernel's requests from now on: lower ranks go first. All are equal at the start.
    pub fn set_rank(&mut self, rank: &PerKernel<u8>) {
        if let Channel::Banked(channel) = self {
            channel.set_rank(rank);
        }
    }

    /// Requests in the transaction queue.
    pub fn queued(&self) -> u32 {
        each!(self, channel => channel.queued())
    }

    /// Requests in the transaction queue, by kernel.
    pub fn queued_by_kernel(&self) -> PerKernel<u32> {
        each!(self, channel => channel.queued_by_kernel())
    }

    /// The row that is open in a bank.
    pub fn open_row(&self, bank: u32) -> Option<u32> {
        match self {
            Channel::Banked(channel) => channel.open_row(bank),
            Channel::Ideal(_) => None,
        }
    }

    /// The kernel that the line on the data bus in `clock` is billed to.
    pub fn on_bus(&self, clock: Clock) -> Option<KernelId> {
        match self {
            Channel::Banked(channel) => channel.on_bus(clock),
            Channel::Ideal(_) => None,
        }
    }
}

impl DramRequest {
    /// Whether this is a write.
    fn is_write(&self) -> bool {
        self.access == Access::Write
    }
}

#[cfg(test)]
mod tests;
