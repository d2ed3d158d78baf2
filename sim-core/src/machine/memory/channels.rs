//! The DRAM channels, and which of them have something to do, and when.

use super::due::Due;
use crate::describe::gpu::Gpu;
use crate::describe::ids::{PerKernel, Set, words};
use crate::machine::clock::ClockRatio;
use crate::machine::dram::{Channel, Clock};
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
    pub words: u32,
    /// Channels with a place that the links of their banks have a request for.
    pub asked: Set,
    /// Channels without a place, for which the links of their banks may have a request.
    pub shut: Set,
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
    pub fn ask(&mut self, bank: &Bank) {
        self.asked.put(bank.channel(), bank.is_asking() & !self.shut.contains(bank.channel()));
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
