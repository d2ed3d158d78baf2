//! What probes have in common: packets that arrive at random, and how long they take.

use crate::describe::rng::{draw, mix};
use alloc::vec::Vec;

/// A histogram of latencies, for the mean and the 99th percentile.
#[derive(Default)]
pub struct Latencies {
    pub count: u64,
    sum: u64,
    /// How many took as long as the index; the last bin also has all that took longer.
    bins: Vec<u32>,
}

impl Latencies {
    const BINS: usize = 1 << 20;

    pub fn add(&mut self, latency: u64) {
        self.count += 1;
        self.sum += latency;
        let bin = (latency as usize).min(Self::BINS - 1);
        if bin >= self.bins.len() {
            self.bins.resize((bin + 1).next_power_of_two(), 0);
        }
        self.bins[bin] += 1;
    }

    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The smallest latency that 99 % do not exceed.
    pub fn p99(&self) -> Option<u64> {
        let wanted = (self.count * 99).div_ceil(100);
        let mut seen = 0;
        self.bins
            .iter()
            .position(|&n| {
                seen += u64::from(n);
                n > 0 && seen >= wanted
            })
            .map(|bin| bin as u64)
    }
}

/// Arrivals at random with a fixed probability in each time step, computed on demand, so that a source that cannot send needs no memory
/// for what waits.
pub struct Source {
    key: u64,
    /// Probability in units of 2⁻⁶⁴, or always.
    threshold: Option<u64>,
    next: u64,
}

impl Source {
    pub fn new(key: u64, probability: f64) -> Self {
        let threshold = (probability < 1.0).then_some((probability * 18_446_744_073_709_551_616.0) as u64);
        Source { key, threshold, next: 0 }
    }

    /// The time of the oldest arrival that was not taken yet, if it is not after `now`.
    pub fn oldest(&mut self, now: u64) -> Option<u64> {
        while self.next <= now {
            if self.threshold.is_none_or(|threshold| draw(mix(self.key, self.next)) < threshold) {
                return Some(self.next);
            }
            self.next += 1;
        }
        None
    }

    pub fn take(&mut self) {
        self.next += 1;
    }
}
