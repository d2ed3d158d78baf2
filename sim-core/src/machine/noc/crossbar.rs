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

use super::super::calendar::Calendar;
use super::super::link::Full;
use super::super::packet::{Handle, Packet, Packets, Queue};
use super::ends::{Ends, Moment, Tick, hash_queues};
use crate::describe::gpu::{Arbiter, NocConfig};
use crate::describe::ids::{Cycle, KernelId, MAX_PARTS, PerKernel, Set, bit, members_of, words};
use crate::describe::rng::{below, mix};
use alloc::boxed::Box;
use alloc::vec;
use core::cmp::Reverse;
use core::hash::{Hash, Hasher};

/// A crossbar of up to 256 × 256 ports.
#[derive(Clone, Debug)]
pub struct Crossbar {
    ends: Ends,
    queues: Box<[Queue]>,
    /// Inputs without room.
    full: Set,
    /// By output: inputs whose head is ready and wants it, a bit each in `input_words` words.
    wants: Box<[u64]>,
    /// Outputs that a ready head wants.
    wanted: Set,
    /// Outputs that a packet holds.
    busy: Set,
    /// By output: the input whose packet holds it, or held it last.
    holder: Box<[u8]>,
    /// Inputs by the tick in which their head leaves the pipeline.
    heads: Calendar,
    /// Outputs by the tick in which a tail passes.
    tails: Calendar,
    /// Words of sets of inputs and of outputs.
    input_words: u32,
    output_words: u32,
    latency: u32,
    arbiter: Arbiter,
    seed: u64,
}

impl Crossbar {
    /// An idle crossbar for packets of up to `longest` flits.
    pub fn new(config: &NocConfig, ends: Ends, longest: u32, seed: u64) -> Self {
        let [inputs, outputs] = [&ends.inputs, &ends.outputs].map(|nodes| nodes.len() as u32);
        debug_assert!(inputs <= MAX_PARTS && outputs <= MAX_PARTS);
        Crossbar {
            ends,
            queues: vec![Queue::new(config.queue + config.latency); inputs as usize].into(),
            full: Set::EMPTY,
            wants: vec![0; (outputs * words(inputs)) as usize].into(),
            wanted: Set::EMPTY,
            busy: Set::EMPTY,
            holder: vec![0; outputs as usize].into(),
            heads: Calendar::new(inputs, config.latency + 2),
            tails: Calendar::new(outputs, longest.max(1)),
            input_words: words(inputs),
            output_words: words(outputs),
            latency: config.latency,
            arbiter: config.arbiter,
            seed,
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

    pub(super) fn push(&mut self, packets: &mut Packets, tick: Tick, handle: Handle) -> Result<(), Full> {
        let ready = tick + 1 + Tick::from(self.latency);
        let input = self.ends.input(&packets[handle]);
        let queue = &mut self.queues[input as usize];
        queue.push(packets, handle, ready)?;
        if queue.len() == 1 {
            self.heads.put(ready, input);
        }
        if queue.is_full() {
            self.full.insert(input);
        }
        Ok(())
    }

    pub(super) fn tick(
        &mut self,
        Moment { tick, now, reversed }: Moment,
        packets: &mut Packets,
        sinks: &mut [Queue],
        arrived: &mut Set,
        mut passed: impl FnMut(&mut Packet),
    ) {
        for word in 0..self.input_words {
            for input in members_of(word, self.heads.take(tick, word), reversed) {
                self.leave_pipeline(tick, input, packets);
            }
        }
        for word in 0..self.output_words {
            for output in members_of(word, self.wanted.word(word) & !self.busy.word(word), reversed) {
                if !sinks[output as usize].is_full() {
                    self.grant(tick, now, output, packets);
                }
            }
        }
        // Heads that come to the front now compete from the next tick on.
        for word in 0..self.output_words {
            let tails = self.tails.take(tick, word);
            *self.busy.word_mut(word) &= !tails;
            *arrived.word_mut(word) |= tails;
            for output in members_of(word, tails, reversed) {
                let Some(handle) = self.release(tick, output, packets) else { continue };
                passed(&mut packets[handle]);
                let delivered = sinks[output as usize].push(packets, handle, now + 1);
                debug_assert!(delivered.is_ok(), "the grant reserved a place");
            }
        }
    }

    /// The head of an input has passed the pipeline: it competes from now on.
    #[inline(never)]
    fn leave_pipeline(&mut self, tick: Tick, input: u32, packets: &Packets) {
        if let Some(head) = self.queues[input as usize].first() {
            debug_assert_eq!(packets[head].ready, tick);
            self.want(input, self.ends.output(&packets[head]));
        }
    }

    fn want(&mut self, input: u32, output: u32) {
        self.wants[(output * self.input_words + (input >> 6)) as usize] |= bit(input);
        self.wanted.insert(output);
    }

    /// The words of `wants` for an output.
    fn rivals(&self, output: u32) -> core::ops::Range<usize> {
        let first = (output * self.input_words) as usize;
        first..first + self.input_words as usize
    }

    /// Gives an output to one of the heads that want it, until its tail has passed.
    #[inline(never)]
    fn grant(&mut self, tick: Tick, now: Cycle, output: u32, packets: &Packets) {
        let input = self.choose(tick, now, output, packets);
        let rivals = self.rivals(output);
        let wants = &mut self.wants[rivals];
        wants[(input >> 6) as usize] &= !bit(input);
        self.wanted.set(output, wants.iter().any(|&inputs| inputs != 0));
        self.busy.insert(output);
        self.holder[output as usize] = input as u8;
        if let Some(head) = self.queues[input as usize].first() {
            self.tails.put(tick + Tick::from(packets[head].flits) - 1, output);
        }
    }

    /// The tail of the packet that holds an output has passed: takes the packet out and lets the one behind it compete from the next tick on.
    #[inline(never)]
    fn release(&mut self, tick: Tick, output: u32, packets: &Packets) -> Option<Handle> {
        let input = self.holder[output as usize].into();
        let queue = &mut self.queues[input as usize];
        if queue.is_full() {
            self.full.remove(input);
        }
        let handle = queue.pop(packets)?;
        if let Some(head) = queue.first() {
            if packets[head].ready <= tick {
                self.want(input, self.ends.output(&packets[head]));
            } else {
                self.heads.put(packets[head].ready, input);
            }
        }
        Some(handle)
    }

    /// The input that wins an output that at least one ready head wants.
    fn choose(&self, tick: Tick, now: Cycle, output: u32, packets: &Packets) -> u32 {
        if self.arbiter == Arbiter::RoundRobin {
            return next_in_turn(&self.wants[self.rivals(output)], self.holder[output as usize].into());
        }
        self.choose_otherwise(tick, now, output, packets)
    }

    #[cold] // keeps the registers of `grant` free
    fn choose_otherwise(&self, tick: Tick, now: Cycle, output: u32, packets: &Packets) -> u32 {
        let wants = Set::from_words(&self.wants[self.rivals(output)]);
        let winner = if self.arbiter == Arbiter::Random {
            let skip = below(mix(mix(self.seed, tick), u64::from(output)), u64::from(wants.len()));
            wants.members(false).nth(skip as usize)
        } else {
            // Ties go to the lower input.
            let age = |&input: &u32| Reverse(self.queues[input as usize].first().map(|head| packets[head].request.age(now)));
            wants.members(false).min_by_key(age)
        };
        winner.unwrap_or(0)
    }

    pub(super) fn is_idle(&self) -> bool {
        self.queues.iter().all(Queue::is_empty)
    }

    pub(super) fn next_tick(&self, tick: Tick) -> Tick {
        if !(self.wanted - self.busy).is_empty() {
            return tick + 1;
        }
        self.tails.next(tick).min(self.heads.next(tick))
    }

    pub(super) fn queued(&self, input: u32) -> u32 {
        self.queues[input as usize].len()
    }

    pub(super) fn queued_by_kernel(&self, input: u32, packets: &Packets) -> PerKernel<u32> {
        self.queues[input as usize].by_kernel(packets)
    }

    pub(super) fn passing(&self, output: u32, packets: &Packets) -> Option<KernelId> {
        let input = self.holder[output as usize];
        let head = self.queues[usize::from(input)].first().filter(|_| self.busy.contains(output));
        head.map(|head| packets[head].request.kernel)
    }

    /// Feeds the state after `tick` to `state`, and of each packet what `content` feeds.
    pub(super) fn hash<H: Hasher>(&self, tick: Tick, packets: &Packets, content: impl Fn(&Packet, &mut H), state: &mut H) {
        hash_queues(&self.queues, &self.ends, packets, content, state);
        let in_pipeline = |queue: &Queue| queue.first().is_some_and(|head| packets[head].ready > tick);
        Set::of(&self.queues, in_pipeline).hash(state);
        self.full.hash(state);
        let wants = self.wants.chunks(self.input_words as usize).map(Set::from_words);
        wants.len().hash(state);
        wants.for_each(|inputs| inputs.hash(state));
        (self.wanted, self.busy, &self.holder).hash(state);
        self.tails.places().len().hash(state);
        self.tails.places().for_each(|outputs| outputs.hash(state));
        (self.queues[0].capacity(), self.latency, self.arbiter, self.seed).hash(state);
    }
}

/// The first member of a set of words after `last`; after the highest comes the lowest.
fn next_in_turn(words: &[u64], last: u32) -> u32 {
    if let &[word] = words {
        let above = word & !1 << (last & 63);
        return (if above != 0 { above } else { word }).trailing_zeros();
    }
    let above = words[(last >> 6) as usize] & !1 << (last & 63);
    if above != 0 {
        return last & !63 | above.trailing_zeros();
    }
    let (before, after) = words.split_at((last >> 6) as usize + 1);
    let first = |base: usize, words: &[u64]| {
        let at = words.iter().position(|&word| word != 0)?;
        Some((base + at) as u32 * 64 + words[at].trailing_zeros())
    };
    first(before.len(), after).or_else(|| first(0, before)).unwrap_or(0)
}
