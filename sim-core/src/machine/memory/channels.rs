//! The DRAM channels, and which of them have something to do, and when: requests come to them from the links of their banks.

use super::Banks;
use super::due::Due;
use crate::describe::gpu::Gpu;
use crate::describe::ids::{Cycle, PerKernel, Set, members_of, words};
use crate::machine::clock::ClockRatio;
use crate::machine::dram::{Channel, Clock, Transfer};
use crate::machine::l2::Bank;
use alloc::boxed::Box;
use alloc::vec;

/// All channels.
#[derive(Clone, Debug)]
pub(super) struct Channels {
    pub all: Box<[Channel]>,
    pub clock: ClockRatio,
    /// DRAM clocks so far.
    pub ticks: Clock,
    /// By channel: the bank, counted among the channel's own, whose link is emptied first. Moves on with each request taken.
    pub turn: Box<[u32]>,
    /// Words of a set of channels.
    words: u32,
    /// Channels with a place that the links of their banks have a request for.
    pub asked: Set,
    /// Channels without a place, for which the links of their banks may have a request.
    shut: Set,
    /// When each channel has something to do.
    pub due: Due,
    /// The ranks that the channels' plans were made with.
    rank: PerKernel<u8>,
}

impl Channels {
    pub fn new(gpu: &Gpu) -> Self {
        let (channel, channels) = (Channel::new(&gpu.dram), gpu.dram.channels);
        Channels {
            due: Due::new(channels, channel.next_clock()),
            all: vec![channel; channels as usize].into(),
            clock: ClockRatio::new(gpu.dram.mhz, gpu.core_mhz),
            ticks: 0,
            turn: vec![0; channels as usize].into(),
            words: words(channels),
            asked: Set::EMPTY,
            shut: Set::EMPTY,
            rank: PerKernel::all(0),
        }
    }

    /// Core cycles from a column command of a read to its last beat, at most.
    pub fn longest_read(&self) -> u32 {
        self.clock.cycles_until(self.all[0].longest_read()) as u32
    }

    /// A bank may have a request for its channel.
    pub fn may_ask(&mut self, bank: &Bank) {
        self.asked.put(bank.channel(), bank.is_asking() & !self.shut.contains(bank.channel()));
    }

    /// Moves requests from the banks' links into the channels' transaction queues.
    pub fn ask(&mut self, now: Cycle, banks: &mut Banks, reversed: bool) {
        for word in 0..self.words {
            let asked = core::mem::take(self.asked.word_mut(word));
            for channel in members_of(word, asked, reversed) {
                self.ask_channel(now, banks, channel);
            }
        }
    }

    /// Fills a channel's transaction queue from the links of its banks, which take turns, until it is full or they are empty.
    #[inline(never)]
    fn ask_channel(&mut self, now: Cycle, banks: &mut Banks, index: u32) {
        let (channels, banks_per_channel) = (self.all.len() as u32, banks.mapping.banks_per_channel);
        let channel = &mut self.all[index as usize];
        let (mut at, mut left) = (self.turn[index as usize], banks_per_channel);
        while left > 0 {
            if !channel.has_room() {
                self.shut.insert(index);
                break;
            }
            let bank = at * channels + index;
            at = if at + 1 == banks_per_channel { 0 } else { at + 1 };
            left -= 1;
            if let Some(request) = banks.all[bank as usize].ask(now) {
                let _ = channel.push(self.ticks + 1, request);
                banks.stalled.remove(bank);
                self.turn[index as usize] = at;
                // All others again, and last this one.
                left = banks_per_channel - u32::from(!banks.all[bank as usize].is_asking());
            }
        }
        self.due.put(index, self.ticks, channel.next_clock());
    }

    /// The clocks of core cycle `now`. For each transfer it calls `done` with its channel and the core cycle in which the line has left DRAM.
    pub fn step(&mut self, now: Cycle, reversed: bool, mut done: impl FnMut(u32, Transfer, Cycle)) {
        let last = self.ticks + Clock::from(self.clock.advance());
        let mut clock = self.ticks;
        while clock < last {
            clock += 1;
            for word in 0..self.words {
                for index in members_of(word, self.due.take(clock, word), reversed) {
                    self.step_channel(now, clock, last, index, &mut done);
                }
            }
        }
        self.ticks = last;
    }

    /// One clock of a channel, of those up to `last` that fall into `now`.
    #[inline(never)]
    fn step_channel(&mut self, now: Cycle, clock: Clock, last: Clock, index: u32, done: &mut impl FnMut(u32, Transfer, Cycle)) {
        let channel = &mut self.all[index as usize];
        channel.tick(clock, |transfer| {
            // The channel has a place again.
            self.asked.put(index, self.shut.contains(index));
            self.shut.remove(index);
            // A line has left DRAM in the core cycle into which its last beat's clock falls.
            let here = if transfer.end <= last { now } else { now + self.clock.cycles_until(transfer.end - last) };
            done(index, transfer, here);
        });
        self.due.put(index, clock, channel.next_clock());
    }

    /// Lets core cycles pass in which every channel rests.
    pub fn rest(&mut self, cycles: Cycle) {
        self.ticks += self.clock.advance_by(cycles);
        self.due.forget();
        for (index, channel) in (0..).zip(&mut self.all) {
            channel.rest(self.ticks);
            self.due.put(index, self.ticks, channel.next_clock());
        }
    }

    /// Lets all channels plan anew if kernels have other ranks.
    #[inline]
    pub fn set_rank(&mut self, rank: &PerKernel<u8>) {
        if self.rank != *rank {
            self.plan_anew(rank);
        }
    }

    #[cold]
    fn plan_anew(&mut self, rank: &PerKernel<u8>) {
        self.rank = *rank;
        for (index, channel) in (0..).zip(&mut self.all) {
            channel.set_rank(rank);
            self.due.put(index, self.ticks, channel.next_clock());
        }
    }
}
