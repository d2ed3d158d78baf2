//! An input-queued crossbar with wormhole switching.
//!
//! Each input has one FIFO; only its head competes, so that a blocked head blocks all behind it. That, and nothing coded here, is why
//! 16 × 16 ports with uniform traffic sustain .6017 of their peak (Karol, Hluchyj and Morgan 1987). A packet holds its input and its
//! output from head to tail: L flits take L ticks, flits of packets do not interleave, and the ports are free in the tick after the
//! tail. An output is granted only while its sink has room for the whole packet. An arbiter at each output sees the heads of the tick's
//! start; all outputs decide at once. The cost of a tick follows the packets that start or end in it; a port that is busy costs nothing.
//!
//! Simplified: an input's pipeline comes before its queue, so that its latency never overlaps with the wait; a sink takes a packet
//! whole, at its tail.

use super::super::derived::Derived;
use super::super::link::{Full, Link};
use super::{Packet, Payload, Tick};
use crate::describe::gpu::{Arbiter, NocConfig};
use crate::describe::ids::{Cycle, KernelId, MAX_PARTS, Set};
use crate::describe::rng::{below, mix};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec;
use core::cmp::Reverse;

/// A crossbar of up to 256 × 256 ports.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Crossbar<T> {
    queues: Box<[VecDeque<Packet<T>>]>,
    /// Inputs whose head is still in the pipeline.
    unready: Set,
    /// No head in `unready` is ready before this tick.
    next_ready: Derived<Tick>,
    /// Inputs without room.
    full: Set,
    /// By output: inputs whose head is ready and wants it.
    wants: Box<[Set]>,
    /// Outputs that a ready head wants.
    wanted: Set,
    /// Outputs that a packet holds.
    busy: Set,
    /// By output: the input whose packet holds it, or held it last.
    holder: Box<[u8]>,
    /// Outputs whose tail passes in the tick that is equal to the index, modulo the length.
    tails: Box<[Set]>,
    capacity: u32,
    latency: u32,
    arbiter: Arbiter,
    seed: u64,
}

impl<T: Payload> Crossbar<T> {
    /// An idle crossbar for packets of up to `longest` flits.
    pub fn new(config: &NocConfig, inputs: u32, outputs: u32, longest: u32, seed: u64) -> Self {
        debug_assert!(inputs <= MAX_PARTS && outputs <= MAX_PARTS);
        let capacity = config.queue + config.latency;
        Crossbar {
            queues: (0..inputs).map(|_| VecDeque::with_capacity(capacity as usize)).collect(),
            unready: Set::EMPTY,
            next_ready: Derived(Tick::MAX),
            full: Set::EMPTY,
            wants: vec![Set::EMPTY; outputs as usize].into(),
            wanted: Set::EMPTY,
            busy: Set::EMPTY,
            holder: vec![0; outputs as usize].into(),
            tails: vec![Set::EMPTY; longest.max(1).next_power_of_two() as usize].into(),
            capacity,
            latency: config.latency,
            arbiter: config.arbiter,
            seed,
        }
    }

    pub(super) fn has_room(&self, input: u32) -> bool {
        !self.full.contains(input)
    }

    pub(super) fn full(&self) -> Set {
        self.full
    }

    pub(super) fn push(&mut self, input: u32, mut packet: Packet<T>) -> Result<(), Full> {
        if !self.has_room(input) {
            return Err(Full);
        }
        let queue = &mut self.queues[input as usize];
        packet.ready += 1 + Tick::from(self.latency);
        debug_assert!(packet.flits > 0 && usize::from(packet.flits) <= self.tails.len());
        if queue.is_empty() {
            self.unready.insert(input);
            *self.next_ready = packet.ready.min(*self.next_ready);
        }
        queue.push_back(packet);
        self.full.put(input, queue.len() >= self.capacity as usize);
        Ok(())
    }

    pub(super) fn tick(&mut self, tick: Tick, now: Cycle, reversed: bool, sinks: &mut [Link<T>], mut passed: impl FnMut(&T, u32)) -> Set {
        if tick >= *self.next_ready {
            self.make_ready(tick, reversed);
        }
        let slots = self.tails.len() as Tick - 1;
        for output in (self.wanted - self.busy).members(reversed) {
            if sinks[output as usize].is_full() {
                continue;
            }
            let input = self.choose(tick, now, output);
            let wants = &mut self.wants[output as usize];
            wants.remove(input);
            if wants.is_empty() {
                self.wanted.remove(output);
            }
            self.busy.insert(output);
            self.holder[output as usize] = input as u8;
            let flits = Tick::from(self.queues[input as usize][0].flits);
            self.tails[((tick + flits - 1) & slots) as usize].insert(output);
        }
        let tails = core::mem::take(&mut self.tails[(tick & slots) as usize]);
        if tails.is_empty() {
            return tails;
        }
        self.busy = self.busy - tails;
        for output in tails.members(reversed) {
            let input = self.holder[output as usize];
            let queue = &mut self.queues[usize::from(input)];
            if let Some(mut packet) = queue.pop_front() {
                packet.payload.arrived(now);
                passed(&packet.payload, u32::from(packet.flits));
                let delivered = sinks[output as usize].push(now, packet.payload);
                debug_assert!(delivered.is_ok(), "the grant reserved a place");
            }
            self.full.remove(input.into());
            match queue.front() {
                Some(head) if head.ready <= tick => {
                    self.wants[usize::from(head.output)].insert(input.into());
                    self.wanted.insert(head.output.into());
                }
                Some(head) => {
                    self.unready.insert(input.into());
                    *self.next_ready = head.ready.min(*self.next_ready);
                }
                None => {}
            }
        }
        tails
    }

    /// Lets the heads that have passed the pipeline compete.
    fn make_ready(&mut self, tick: Tick, reversed: bool) {
        *self.next_ready = Tick::MAX;
        for input in self.unready.members(reversed) {
            let head = &self.queues[input as usize][0];
            if head.ready <= tick {
                self.unready.remove(input);
                self.wants[usize::from(head.output)].insert(input);
                self.wanted.insert(head.output.into());
            } else {
                *self.next_ready = head.ready.min(*self.next_ready);
            }
        }
    }

    /// The input that wins an output that at least one ready head wants.
    fn choose(&self, tick: Tick, now: Cycle, output: u32) -> u32 {
        let wants = &self.wants[output as usize];
        let first = wants.first().unwrap_or(0);
        if wants.is_single() {
            return first;
        }
        match self.arbiter {
            Arbiter::RoundRobin => wants.after(self.holder[output as usize].into()).unwrap_or(first),
            Arbiter::Random => {
                let skip = below(mix(mix(self.seed, tick), u64::from(output)), u64::from(wants.len()));
                wants.members(false).nth(skip as usize).unwrap_or(first)
            }
            // Ties go to the lower input.
            Arbiter::Oldest => {
                let age = |&input: &u32| Reverse(self.queues[input as usize][0].payload.age(now));
                wants.members(false).min_by_key(age).unwrap_or(first)
            }
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        (self.unready | self.wanted | self.busy).is_empty()
    }

    pub(super) fn next_tick(&self, tick: Tick) -> Option<Tick> {
        if !(self.wanted - self.busy).is_empty() {
            return Some(tick + 1);
        }
        let slots = self.tails.len() as Tick - 1;
        let tail = (!self.busy.is_empty()).then(|| (tick + 1..).find(|t| !self.tails[(t & slots) as usize].is_empty())).flatten();
        let head = self.unready.members(false).map(|input| self.queues[input as usize][0].ready.max(tick + 1)).min();
        tail.into_iter().chain(head).min()
    }

    pub(super) fn queued(&self, input: u32) -> u32 {
        self.queues[input as usize].len() as u32
    }

    pub(super) fn passing(&self, output: u32) -> Option<KernelId> {
        let input = self.holder[output as usize];
        self.busy.contains(output).then(|| self.queues[usize::from(input)].front().map(|packet| packet.kernel)).flatten()
    }
}
