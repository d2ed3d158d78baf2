//! An input-queued crossbar with wormhole switching.
//!
//! Each input has one FIFO; only its head competes, so that a blocked head blocks all behind it. That, and nothing coded here, is why
//! 16 × 16 ports with uniform traffic sustain .6017 of their peak (Karol, Hluchyj and Morgan 1987). A packet holds its input and its
//! output from head to tail: L flits take L ticks, flits of packets do not interleave, and the ports are free in the tick after the
//! tail. An output is granted only while its sink has room for the whole packet. An arbiter at each output sees the heads of the tick's
//! start; all outputs decide at once. The cost of a tick follows the packets that start or end in it; a port that is busy costs nothing.
//!
//! Simplified: an input's pipeline comes before its queue, so that its latency overlaps with nothing of the wait; a sink takes a packet
//! whole, at its tail.

use super::super::derived::Derived;
use super::super::link::{Full, Link};
use super::{Packet, Payload, Tick, members};
use crate::describe::gpu::{Arbiter, NocConfig};
use crate::describe::ids::{Cycle, KernelId};
use crate::describe::rng::{below, mix};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec;
use core::cmp::Reverse;

/// A crossbar of up to 64 × 64 ports.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Crossbar<T> {
    queues: Box<[VecDeque<Packet<T>>]>,
    /// Inputs whose head is still in the pipeline.
    unready: u64,
    /// No head in `unready` is ready before this tick.
    next_ready: Derived<Tick>,
    /// Inputs without room.
    full: u64,
    /// By output: inputs whose head is ready and wants it.
    wants: Box<[u64]>,
    /// Outputs that somebody wants.
    wanted: u64,
    /// Outputs that a packet holds.
    busy: u64,
    /// By output: the input whose packet holds it, or held it last.
    holder: Box<[u8]>,
    /// Outputs whose tail passes in the tick that is equal to the index, modulo the length.
    tails: Box<[u64]>,
    capacity: u32,
    latency: u32,
    arbiter: Arbiter,
    seed: u64,
}

impl<T: Payload> Crossbar<T> {
    /// An idle crossbar for packets of up to `longest` flits.
    pub fn new(config: &NocConfig, inputs: u32, outputs: u32, longest: u32, seed: u64) -> Self {
        debug_assert!(inputs <= 64 && outputs <= 64);
        let capacity = config.queue + config.latency;
        Crossbar {
            queues: (0..inputs).map(|_| VecDeque::with_capacity(capacity as usize)).collect(),
            unready: 0,
            next_ready: Derived(Tick::MAX),
            full: 0,
            wants: vec![0; outputs as usize].into(),
            wanted: 0,
            busy: 0,
            holder: vec![0; outputs as usize].into(),
            tails: vec![0; longest.max(1).next_power_of_two() as usize].into(),
            capacity,
            latency: config.latency,
            arbiter: config.arbiter,
            seed,
        }
    }

    pub(super) fn has_room(&self, input: u32) -> bool {
        self.full >> input & 1 == 0
    }

    pub(super) fn full(&self) -> u64 {
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
            self.unready |= 1 << input;
            *self.next_ready = packet.ready.min(*self.next_ready);
        }
        queue.push_back(packet);
        self.full |= u64::from(queue.len() >= self.capacity as usize) << input;
        Ok(())
    }

    pub(super) fn tick(&mut self, tick: Tick, now: Cycle, reversed: bool, sinks: &mut [Link<T>], mut passed: impl FnMut(&T, u32)) -> u64 {
        if tick >= *self.next_ready {
            self.make_ready(tick, reversed);
        }
        let slots = self.tails.len() as Tick - 1;
        for output in members(self.wanted & !self.busy, reversed) {
            if sinks[output as usize].is_full() {
                continue;
            }
            let input = self.choose(tick, now, output);
            let wants = &mut self.wants[output as usize];
            *wants &= !(1 << input);
            if *wants == 0 {
                self.wanted &= !(1 << output);
            }
            self.busy |= 1 << output;
            self.holder[output as usize] = input as u8;
            let flits = Tick::from(self.queues[input as usize][0].flits);
            self.tails[((tick + flits - 1) & slots) as usize] |= 1 << output;
        }
        let tails = core::mem::take(&mut self.tails[(tick & slots) as usize]);
        self.busy &= !tails;
        for output in members(tails, reversed) {
            let input = self.holder[output as usize];
            let queue = &mut self.queues[usize::from(input)];
            if let Some(mut packet) = queue.pop_front() {
                packet.payload.arrived(now);
                passed(&packet.payload, u32::from(packet.flits));
                let delivered = sinks[output as usize].push(now, packet.payload);
                debug_assert!(delivered.is_ok(), "the grant reserved a place");
            }
            self.full &= !(1 << input);
            match queue.front() {
                Some(head) if head.ready <= tick => {
                    self.wants[usize::from(head.output)] |= 1 << input;
                    self.wanted |= 1 << head.output;
                }
                Some(head) => {
                    self.unready |= 1 << input;
                    *self.next_ready = head.ready.min(*self.next_ready);
                }
                None => {}
            }
        }
        tails
    }

    /// Lets the heads compete that have passed the pipeline.
    fn make_ready(&mut self, tick: Tick, reversed: bool) {
        *self.next_ready = Tick::MAX;
        for input in members(self.unready, reversed) {
            let head = &self.queues[input as usize][0];
            if head.ready <= tick {
                self.unready &= !(1 << input);
                self.wants[usize::from(head.output)] |= 1 << input;
                self.wanted |= 1 << head.output;
            } else {
                *self.next_ready = head.ready.min(*self.next_ready);
            }
        }
    }

    /// The input that wins an output that somebody wants.
    fn choose(&self, tick: Tick, now: Cycle, output: u32) -> u32 {
        let wants = self.wants[output as usize];
        if wants & (wants - 1) == 0 {
            return wants.trailing_zeros();
        }
        match self.arbiter {
            Arbiter::RoundRobin => {
                let after = wants & (!1 << self.holder[output as usize]);
                if after != 0 { after.trailing_zeros() } else { wants.trailing_zeros() }
            }
            Arbiter::Random => {
                let skip = below(mix(mix(self.seed, tick), u64::from(output)), u64::from(wants.count_ones()));
                members(wants, false).nth(skip as usize).unwrap_or(0)
            }
            // Ties go to the lower input.
            Arbiter::Oldest => {
                let age = |&input: &u32| Reverse(self.queues[input as usize][0].payload.age(now));
                members(wants, false).min_by_key(age).unwrap_or(0)
            }
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.unready | self.wanted | self.busy == 0
    }

    pub(super) fn next_tick(&self, tick: Tick) -> Option<Tick> {
        if self.wanted & !self.busy != 0 {
            return Some(tick + 1);
        }
        let slots = self.tails.len() as Tick - 1;
        let tail = (self.busy != 0).then(|| (tick + 1..).find(|t| self.tails[(t & slots) as usize] != 0)).flatten();
        let head = members(self.unready, false).map(|input| self.queues[input as usize][0].ready.max(tick + 1)).min();
        tail.into_iter().chain(head).min()
    }

    pub(super) fn queued(&self, input: u32) -> u32 {
        self.queues[input as usize].len() as u32
    }

    pub(super) fn passing(&self, output: u32) -> Option<KernelId> {
        let input = self.holder[output as usize];
        (self.busy >> output & 1 != 0).then(|| self.queues[usize::from(input)].front().map(|packet| packet.kernel)).flatten()
    }
}
