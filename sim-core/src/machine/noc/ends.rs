//! What the kinds of networks have in common: their time, the nodes at their ends, and how their queues are hashed.

use super::super::packet::{Packet, Packets, Queue};
use crate::describe::ids::Cycle;
use core::hash::{Hash, Hasher};
use core::ops::Range;

/// A number of NoC cycles since the start of the run, and the name of the last of them.
pub type Tick = u64;

/// A tick, and the core cycle that it falls into.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The tick.
    pub tick: Tick,
    /// The core cycle.
    pub now: Cycle,
    /// Parts are visited backwards, to the same effect.
    pub reversed: bool,
}

/// The nodes at a network's inputs and at its outputs, each in consecutive numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ends {
    /// Nodes below this are SMs, the others L2 banks.
    pub(super) sms: u16,
    pub(super) inputs: Range<u16>,
    pub(super) outputs: Range<u16>,
}

impl Ends {
    /// A network from these nodes to those, of which the first `sms` are SMs, and the others L2 banks.
    pub fn new(sms: u16, inputs: Range<u16>, outputs: Range<u16>) -> Self {
        Ends { sms, inputs, outputs }
    }

    /// The input at which a packet comes.
    pub fn input(&self, packet: &Packet) -> u32 {
        (packet.from.0 - self.inputs.start).into()
    }

    /// The output at which a packet leaves.
    pub fn output(&self, packet: &Packet) -> u32 {
        (packet.to.0 - self.outputs.start).into()
    }
}

/// Feeds the packets at the inputs to `state`, in order.
pub fn hash_queues<H: Hasher>(queues: &[Queue], ends: &Ends, packets: &Packets, content: impl Fn(&Packet, &mut H), state: &mut H) {
    queues.len().hash(state);
    for queue in queues {
        (queue.len() as usize).hash(state);
        for packet in queue.iter(packets) {
            (packet.ready, ends.output(packet) as u8, packet.request.kernel, packet.flits).hash(state);
            content(packet, state);
        }
    }
}

/// The members of a set in ascending order, or descending.
pub fn members(mut set: u64, reversed: bool) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let member = if reversed { 63 - set.leading_zeros() } else { set.trailing_zeros() };
        set &= !(1 << member);
        Some(member)
    })
}
