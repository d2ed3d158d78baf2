//! The networks between SMs and L2: one for requests, one for replies, each of one of the kinds below.
//!
//! A network takes packets at its inputs and hands them to one sink for each output. It runs in NoC cycles ("ticks") that its owner
//! numbers; what it delivers is stamped with the core cycle. A packet of L flits pushed in tick `t` into an idle network reaches its
//! sink in tick `t + latency + L`: the pipeline of the head flit, then a tick for each flit. Each input holds `queue` waiting packets,
//! and one more for each stage of the pipeline. Networks have at most 256 inputs and 256 outputs.

mod crossbar;
mod ideal;

use super::link::{Full, Link};
use crate::describe::gpu::{NocConfig, NocKind};
use crate::describe::ids::{Cycle, KernelId, Set};

pub use crossbar::Crossbar;
pub use ideal::Ideal;

/// A number of NoC cycles since the start of the run, and the name of the last of them.
pub type Tick = u64;

/// What a network carries.
pub trait Payload: Copy {
    /// Core cycles in `now` since it was created, which may be long before it entered the network. The `oldest` arbiter compares these
    /// ages.
    fn age(&self, now: Cycle) -> Cycle;

    /// Called when the tail has arrived, in core cycle `now`, before the payload enters its sink.
    fn arrived(&mut self, now: Cycle) {
        let _ = now;
    }
}

/// A packet that waits or passes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Packet<T> {
    /// Crossbar: the first tick in which its head may pass. Ideal: the tick in which its tail arrives.
    ready: Tick,
    output: u8,
    kernel: KernelId,
    flits: u16,
    payload: T,
}

/// One network.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Noc<T> {
    /// Wormhole crossbar with FIFO inputs.
    Crossbar(Crossbar<T>),
    /// Same latency, unlimited bandwidth.
    Ideal(Ideal<T>),
}

impl<T: Payload> Noc<T> {
    /// An idle network as `config` says, for packets of up to `longest` flits; `seed` feeds the random arbiter.
    pub fn new(config: &NocConfig, inputs: u32, outputs: u32, longest: u32, seed: u64) -> Self {
        match config.kind {
            NocKind::Crossbar => Noc::Crossbar(Crossbar::new(config, inputs, outputs, longest, seed)),
            NocKind::Ideal => Noc::Ideal(Ideal::new(config, inputs, longest)),
        }
    }

    /// Whether `input` would accept a packet.
    pub fn has_room(&self, input: u32) -> bool {
        match self {
            Noc::Crossbar(noc) => noc.has_room(input),
            Noc::Ideal(noc) => noc.has_room(input),
        }
    }

    /// Inputs that would refuse a packet.
    pub fn full(&self) -> Set {
        match self {
            Noc::Crossbar(noc) => noc.full(),
            Noc::Ideal(noc) => noc.full(),
        }
    }

    /// Puts a packet of `flits` ≥ 1 into `input` in tick `tick`.
    pub fn push(&mut self, tick: Tick, input: u32, output: u32, flits: u32, kernel: KernelId, payload: T) -> Result<(), Full> {
        let packet = Packet { ready: tick, output: output as u8, kernel, flits: flits as u16, payload };
        match self {
            Noc::Crossbar(noc) => noc.push(input, packet),
            Noc::Ideal(noc) => noc.push(input, packet),
        }
    }

    /// Does what happens in tick `tick`, which falls into core cycle `now`: delivers tails into `sinks`, calls `passed` with the payload
    /// and the flits of each, and returns the set of outputs that delivered. `reversed` visits the ports backwards, to the same effect.
    pub fn tick(&mut self, tick: Tick, now: Cycle, reversed: bool, sinks: &mut [Link<T>], passed: impl FnMut(&T, u32)) -> Set {
        match self {
            Noc::Crossbar(noc) => noc.tick(tick, now, reversed, sinks, passed),
            Noc::Ideal(noc) => noc.tick(tick, now, sinks, passed),
        }
    }

    /// Whether nothing waits and nothing passes.
    pub fn is_idle(&self) -> bool {
        match self {
            Noc::Crossbar(noc) => noc.is_idle(),
            Noc::Ideal(noc) => noc.is_idle(),
        }
    }

    /// The first tick after `tick` in which something can happen if nothing more is pushed; never late. `None` when idle.
    pub fn next_tick(&self, tick: Tick) -> Option<Tick> {
        match self {
            Noc::Crossbar(noc) => noc.next_tick(tick),
            Noc::Ideal(noc) => noc.next_tick(tick),
        }
    }

    /// Packets at an input, the passing one and those in the pipeline included.
    pub fn queued(&self, input: u32) -> u32 {
        match self {
            Noc::Crossbar(noc) => noc.queued(input),
            Noc::Ideal(noc) => noc.queued(input),
        }
    }

    /// The kernel whose packet passes an output now. An ideal network has no passing packets.
    pub fn passing(&self, output: u32) -> Option<KernelId> {
        match self {
            Noc::Crossbar(noc) => noc.passing(output),
            Noc::Ideal(_) => None,
        }
    }
}

/// The members of a set in ascending order, or descending.
pub(crate) fn members(mut set: u64, reversed: bool) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let member = if reversed { 63 - set.leading_zeros() } else { set.trailing_zeros() };
        set &= !(1 << member);
        Some(member)
    })
}

#[cfg(test)]
mod tests;
