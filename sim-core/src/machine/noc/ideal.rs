//! A network without contention: every packet arrives after the same latency that an idle crossbar has, whatever else is under way.
//!
//! Each input is a FIFO; a packet leaves it once its latency is over and its sink has room. A full sink holds back the input, and which of
//! the inputs that wait for the same sink goes first is drawn for each tick. The queue of an input has room for all that the latency can
//! hold, so that one packet a tick always fits.

use super::super::link::{Full, Link};
use super::{Packet, Payload, Tick};
use crate::describe::gpu::NocConfig;
use crate::describe::ids::{Cycle, Set};
use crate::describe::rng;
use alloc::boxed::Box;
use alloc::collections::VecDeque;

/// A network with latency only, of up to 256 × 256 ports.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ideal<T> {
    queues: Box<[VecDeque<Packet<T>>]>,
    /// Inputs that hold packets.
    occupied: Set,
    capacity: u32,
    latency: u32,
}

impl<T: Payload> Ideal<T> {
    /// An idle network for packets of up to `longest` flits.
    pub fn new(config: &NocConfig, inputs: u32, longest: u32) -> Self {
        let capacity = config.queue + config.latency + longest;
        Ideal {
            queues: (0..inputs).map(|_| VecDeque::with_capacity(capacity as usize)).collect(),
            occupied: Set::EMPTY,
            capacity,
            latency: config.latency,
        }
    }

    pub(super) fn has_room(&self, input: u32) -> bool {
        self.queues[input as usize].len() < self.capacity as usize
    }

    pub(super) fn full(&self) -> Set {
        Set::of(&self.queues, |queue| queue.len() >= self.capacity as usize)
    }

    pub(super) fn push(&mut self, input: u32, mut packet: Packet<T>) -> Result<(), Full> {
        if !self.has_room(input) {
            return Err(Full);
        }
        packet.ready += Tick::from(self.latency) + Tick::from(packet.flits);
        self.queues[input as usize].push_back(packet);
        self.occupied.insert(input);
        Ok(())
    }

    pub(super) fn tick(&mut self, tick: Tick, now: Cycle, sinks: &mut [Link<T>], mut passed: impl FnMut(&T, u32)) -> Set {
        let mut delivered = Set::EMPTY;
        // Inputs from `first` on go before those below it. A draw, because a turn that advances with the ticks would always favour the same
        // inputs of a sink that gets room at regular intervals. The order is part of the network's behaviour, so it does not depend on the
        // order in which components are visited.
        let first = rng::below(tick, self.queues.len() as u64);
        let below = Set::below(first as u32);
        for input in (self.occupied - below).members(false).chain((self.occupied & below).members(false)) {
            let queue = &mut self.queues[input as usize];
            while let Some(mut packet) = queue.front().copied().filter(|head| head.ready <= tick) {
                let sink = &mut sinks[usize::from(packet.output)];
                if sink.is_full() {
                    break;
                }
                packet.payload.arrived(now);
                passed(&packet.payload, u32::from(packet.flits));
                let _ = sink.push(now, packet.payload);
                delivered.insert(packet.output.into());
                queue.pop_front();
            }
            if queue.is_empty() {
                self.occupied.remove(input);
            }
        }
        delivered
    }

    pub(super) fn is_idle(&self) -> bool {
        self.occupied.is_empty()
    }

    pub(super) fn next_tick(&self, tick: Tick) -> Option<Tick> {
        self.occupied.members(false).filter_map(|input| self.queues[input as usize].front()).map(|head| head.ready.max(tick + 1)).min()
    }

    pub(super) fn queued(&self, input: u32) -> u32 {
        self.queues[input as usize].len() as u32
    }
}
