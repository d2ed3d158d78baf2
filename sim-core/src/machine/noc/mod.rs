//! The networks between SMs and L2: one for requests, one for replies, and, where L1Ds own words, one for what L2 asks of them; each of one of
//! the kinds below.
//!
//! A network takes packets at its inputs and hands them to one sink for each output. It runs in NoC cycles ("ticks") that its owner
//! numbers; what it delivers is stamped with the core cycle. A packet of L flits pushed in tick `t` into an idle network reaches its
//! sink in tick `t + latency + L`: the pipeline of the head flit, then a tick for each flit. Each input holds `queue` waiting packets,
//! and one more for each stage of the pipeline. A mesh takes longer by the hops on the way. Networks have at most 256 inputs and 256 outputs.
//!
//! Inputs and outputs stand for nodes. A packet's record names the nodes between which it travels, and the network finds its ports.

mod crossbar;
mod ends;
mod ideal;
mod mesh;

use super::link::Full;
use super::packet::{Handle, Packet, Packets, Queue};
use crate::describe::gpu::{NocConfig, NocKind};
use crate::describe::ids::{KernelId, PerKernel, Set};
use core::hash::{Hash, Hasher};

pub use crossbar::Crossbar;
pub(crate) use ends::members;
pub use ends::{Ends, Moment, Tick};
pub use ideal::Ideal;
pub use mesh::Mesh;

/// One network. Every cycle asks of which kind it is: the answer has a byte of its own.
#[derive(Clone, Debug)]
#[repr(u8)]
pub enum Noc {
    /// Wormhole crossbar with FIFO inputs.
    Crossbar(Crossbar),
    /// Same latency, unlimited bandwidth.
    Ideal(Ideal),
    /// Routers with links between neighbours.
    Mesh(Mesh),
}

/// Does with the network what all kinds do.
macro_rules! each {
    ($noc:expr, $it:ident => $does:expr) => {
        match $noc {
            Noc::Crossbar($it) => $does,
            Noc::Ideal($it) => $does,
            Noc::Mesh($it) => $does,
        }
    };
}

impl Noc {
    /// An idle network as `config` says between these ends, for packets of up to `longest` flits; `seed` feeds the random arbiter.
    pub fn new(config: &NocConfig, ends: Ends, longest: u32, seed: u64) -> Self {
        match config.kind {
            NocKind::Crossbar => Noc::Crossbar(Crossbar::new(config, ends, longest, seed)),
            NocKind::Ideal => Noc::Ideal(Ideal::new(config, ends, longest)),
            NocKind::Mesh => Noc::Mesh(Mesh::new(config, ends, seed)),
        }
    }

    /// A network into which packets may be put up to `ticks` before their time; only a mesh lets them wait.
    pub fn late_by(self, ticks: u32) -> Self {
        match self {
            Noc::Mesh(mesh) => Noc::Mesh(mesh.late_by(ticks)),
            other => other,
        }
    }

    /// Whether `input` would accept a packet.
    pub fn has_room(&self, input: u32) -> bool {
        each!(self, noc => noc.has_room(input))
    }

    /// Inputs that would refuse a packet.
    pub fn full(&self) -> &Set {
        each!(self, noc => noc.full())
    }

    /// Packets that an input holds, at most.
    pub fn capacity(&self) -> u32 {
        each!(self, noc => noc.capacity())
    }

    /// Puts a packet in at the node where it sets out, in tick `tick`.
    pub fn push(&mut self, packets: &mut Packets, tick: Tick, handle: Handle) -> Result<(), Full> {
        each!(self, noc => noc.push(packets, tick, handle))
    }

    /// Does what happens in a tick. For each packet whose tail arrives it calls `passed`, puts the packet into the sink of its output,
    /// where it can go on in the next core cycle, and the output into `arrived`.
    pub fn tick(&mut self, at: Moment, packets: &mut Packets, sinks: &mut [Queue], arrived: &mut Set, passed: impl FnMut(&mut Packet)) {
        each!(self, noc => noc.tick(at, packets, sinks, arrived, passed))
    }

    /// Whether nothing waits and nothing passes.
    pub fn is_idle(&self) -> bool {
        each!(self, noc => noc.is_idle())
    }

    /// The first tick after `tick` in which something can happen if nothing more is pushed; never late. `Tick::MAX` when idle.
    pub fn next_tick(&self, tick: Tick, packets: &Packets) -> Tick {
        match self {
            Noc::Crossbar(noc) => noc.next_tick(tick),
            Noc::Ideal(noc) => noc.next_tick(tick, packets),
            Noc::Mesh(noc) => noc.next_tick(tick),
        }
    }

    /// Packets at an input, the passing one and those in the pipeline included.
    pub fn queued(&self, input: u32) -> u32 {
        each!(self, noc => noc.queued(input))
    }

    /// Packets of each kernel at an input, the passing one and those in the pipeline included.
    pub fn queued_by_kernel(&self, input: u32, packets: &Packets) -> PerKernel<u32> {
        each!(self, noc => noc.queued_by_kernel(input, packets))
    }

    /// The kernel whose packet passes an output now. An ideal network has no passing packets.
    pub fn passing(&self, output: u32, packets: &Packets) -> Option<KernelId> {
        match self {
            Noc::Crossbar(noc) => noc.passing(output, packets),
            Noc::Ideal(_) => None,
            Noc::Mesh(noc) => noc.passing(output, packets),
        }
    }

    /// Feeds the state after `tick` to `state`, and of each packet what `content` feeds.
    pub fn hash<H: Hasher>(&self, tick: Tick, packets: &Packets, content: impl Fn(&Packet, &mut H), state: &mut H) {
        core::mem::discriminant(self).hash(state);
        match self {
            Noc::Crossbar(noc) => noc.hash(tick, packets, content, state),
            Noc::Ideal(noc) => noc.hash(packets, content, state),
            Noc::Mesh(noc) => noc.hash(packets, content, state),
        }
    }
}

#[cfg(test)]
mod tests;
