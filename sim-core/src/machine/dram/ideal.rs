//! A channel without contention: every line takes as long as in an idle channel with a closed bank (activate, column command, data).

use super::super::link::Full;
use super::super::packet::DramRequest;
use super::timing::{Clock, Transfer};
use crate::describe::gpu::DramConfig;
use crate::describe::ids::PerKernel;
use alloc::collections::VecDeque;

/// A channel with latency only. Its queue holds requests only until the next clock.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ideal {
    queue: VecDeque<(Clock, DramRequest)>,
    capacity: u32,
    read: Clock,
    write: Clock,
}

impl Ideal {
    /// An idle channel.
    pub fn new(config: &DramConfig) -> Self {
        let t = &config.timing;
        Ideal {
            queue: VecDeque::with_capacity(config.queue as usize),
            capacity: config.queue,
            read: Clock::from(t.tRCD + t.tCL + t.T),
            write: Clock::from(t.tRCD + t.WL + t.T),
        }
    }

    pub(super) fn has_room(&self) -> bool {
        self.queue.len() < self.capacity as usize
    }

    #[inline(never)]
    pub(super) fn push(&mut self, clock: Clock, request: DramRequest) -> Result<(), Full> {
        if !self.has_room() {
            return Err(Full);
        }
        self.queue.push_back((clock, request));
        Ok(())
    }

    #[inline(never)] // keeps the banked channel's caller small
    pub(super) fn tick(&mut self, mut transfer: impl FnMut(Transfer)) {
        for (arrived, request) in self.queue.drain(..) {
            let latency = if request.is_write() { self.write } else { self.read };
            transfer(Transfer { request, arrived, end: arrived + latency, row_hit: false });
        }
    }

    pub(super) fn next_clock(&self) -> Clock {
        self.queue.front().map_or(Clock::MAX, |(clock, _)| *clock)
    }

    pub(super) fn longest_read(&self) -> Clock {
        self.read
    }

    pub(super) fn queued(&self) -> u32 {
        self.queue.len() as u32
    }

    pub(super) fn queued_by_kernel(&self) -> PerKernel<u32> {
        let mut count = PerKernel::all(0);
        self.queue.iter().for_each(|(_, request)| count[request.kernel] += 1);
        count
    }
}
