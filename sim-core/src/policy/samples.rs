//! Samples of kernels, by which BMI and MIL judge them.

use super::scheme::Param;
use crate::describe::ids::KernelId;
use crate::interface::observation::Observation;
use crate::interface::stats::KernelStats;
use alloc::vec::Vec;

/// L1D requests of a kernel, on each SM on average, by which BMI and MIL judge it.
pub const SAMPLE: Param =
    Param::int("sample", (1, 1_000_000_000), 1024, "requests", "L1D requests on an SM, on average, by which a kernel is judged");

/// Core cycles between two checks of whether there are so many.
pub const SAMPLE_INTERVAL: Param =
    Param::int("interval", (1, 1_000_000_000), 1000, "cycles", "Cycles after which it is looked whether a sample is complete");

/// Counters of each kernel since its present sample began: a sample ends with so many L1D requests.
#[derive(Clone, PartialEq, Debug)]
pub struct Samples {
    requests: u64,
    then: Vec<KernelStats>,
}

impl Samples {
    pub fn new(requests: u64) -> Self {
        Samples { requests, then: Vec::new() }
    }

    pub fn start(&mut self, seen: &Observation) {
        self.then = seen.total.to_vec();
    }

    /// The sample of a kernel if it is complete; the next one begins.
    pub fn take(&mut self, seen: &Observation, kernel: KernelId) -> Option<KernelStats> {
        let sample = self.so_far(seen, kernel);
        let complete = Samples::requests(&sample) >= self.wanted(seen);
        complete.then(|| {
            self.then[kernel.index()] = seen.total[kernel.index()];
            sample
        })
    }

    /// The sample of a kernel that is being taken.
    pub fn so_far(&self, seen: &Observation, kernel: KernelId) -> KernelStats {
        seen.total[kernel.index()] - self.then[kernel.index()]
    }

    /// L1D requests of a complete sample.
    pub fn wanted(&self, seen: &Observation) -> u64 {
        self.requests * u64::from(seen.gpu.sm_count())
    }

    pub fn requests(sample: &KernelStats) -> u64 {
        sample.l1_reads + sample.l1_writes
    }

    pub fn instructions(sample: &KernelStats) -> u64 {
        sample.load_instructions + sample.store_instructions
    }
}
