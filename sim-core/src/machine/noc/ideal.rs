//! A network without contention: every packet arrives after the same latency that an idle crossbar has, whatever else is under way.
//!
//! Each input is a FIFO; a packet leaves it once its latency is over and its sink has room. A full sink holds back the input, and which of
//! the inputs that wait for the same sink goes first is drawn for each tick. The queue of an input has room for all that the latency can
//! hold, so that one packet a tick always fits.

use super::super::link::Full;
use super::super::packet::{Handle, Packet, Packets, Queue};
use super::ends::{Ends, Moment, Tick, hash_queues};
use crate::describe::gpu::NocConfig;
use crate::describe::ids::{PerKernel, Set};
use crate::describe::rng;
use alloc::boxed::Box;
use alloc::vec;
use core::hash::{Hash, Hasher};

/// A network with latency only, of up to 256 × 256 ports.
#[derive(Clone, Debug)]
pub struct Ideal {
    ends: Ends,
    queues: Box<[Queue]>,
    /// Inputs that hold packets.
    occupied: Set,
    /// Inputs without room.
    full: Set,
    latency: u32,
}

impl Ideal {
    /// An idle network for packets of up to `longest` flits.
    pub fn new(config: &NocConfig, ends: Ends, longest: u32) -> Self {
        let capacity = config.queue + config.latency + longest;
        Ideal {
            queues: vec![Queue::new(capacity); ends.inputs.len()].into(),
            ends,
            occupied: Set::EMPTY,
            full: Set::EMPTY,
            latency: config.latency,
        }
    }

    pub(super) fn has_room(&self, input: u32) -> bool {
        !self.full.contains(input)
    }

    pub(super) fn full(&self) -> &Set {
        &self.full
    }

    pub(super) fn capacity(&self) -> u32 {
        self.queues[0].capacity()
    }

    #[inline(never)] // keeps the crossbar's caller small
    pub(super) fn push(&mut self, packets: &mut Packets, tick: Tick, handle: Handle) -> Result<(), Full> {
        let input = self.ends.input(&packets[handle]);
        let ready = tick + Tick::from(self.latency) + Tick::from(packets[handle].flits);
        let queue = &mut self.queues[input as usize];
        queue.push(packets, handle, ready)?;
        self.full.put(input, queue.is_full());
        self.occupied.insert(input);
        Ok(())
    }

    #[inline(never)] // keeps the crossbar's caller small
    pub(super) fn tick(
        &mut self,
        Moment { tick, now, .. }: Moment,
        packets: &mut Packets,
        sinks: &mut [Queue],
        arrived: &mut Set,
        mut passed: impl FnMut(&mut Packet),
    ) {
        // Inputs from `first` on go before those below it. A draw, because a turn that advances with the ticks would always favour the same
        // inputs of a sink that gets room at regular intervals. The order is part of the network's behaviour, so it does not depend on the
        // order in which components are visited.
        let first = rng::below(tick, self.queues.len() as u64);
        let below = Set::below(first as u32);
        for input in (self.occupied - below).members(false).chain((self.occupied & below).members(false)) {
            let queue = &mut self.queues[input as usize];
            while let Some(handle) = queue.first_ready(packets, tick) {
                let output = self.ends.output(&packets[handle]);
                let sink = &mut sinks[output as usize];
                if sink.is_full() {
                    break;
                }
                queue.pop(packets);
                passed(&mut packets[handle]);
                let _ = sink.push(packets, handle, now + 1);
                arrived.insert(output);
                self.full.remove(input);
            }
            if queue.is_empty() {
                self.occupied.remove(input);
            }
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.occupied.is_empty()
    }

    pub(super) fn next_tick(&self, tick: Tick, packets: &Packets) -> Tick {
        let ready = self.occupied.members(false).map(|input| self.queues[input as usize].next_ready(packets)).min();
        ready.unwrap_or(Tick::MAX).max(tick + 1)
    }

    pub(super) fn queued(&self, input: u32) -> u32 {
        self.queues[input as usize].len()
    }

    pub(super) fn queued_by_kernel(&self, input: u32, packets: &Packets) -> PerKernel<u32> {
        self.queues[input as usize].by_kernel(packets)
    }

    /// Feeds the state to `state`, and of each packet what `content` feeds.
    pub(super) fn hash<H: Hasher>(&self, packets: &Packets, content: impl Fn(&Packet, &mut H), state: &mut H) {
        hash_queues(&self.queues, &self.ends, packets, content, state);
        (self.occupied, self.queues[0].capacity(), self.latency).hash(state);
    }
}
