//! The only thing that a policy sees: what the hardware's own counters could tell it, and nothing of the machine's inside.

use crate::gpu::Gpu;
use crate::ids::{Cycle, PerKernel};
use crate::stats::KernelStats;

/// What a policy sees when it is asked.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// The present cycle.
    pub now: Cycle,
    /// The hardware.
    pub gpu: &'a Gpu,
    /// Kernels of the mix.
    pub kernels: usize,
    /// CTAs of each kernel that an SM can hold when it holds nothing else, for each SM. For a sequence of launches, the fewest.
    pub cta_limit: &'a [PerKernel<u32>],
    /// Counters of each kernel since the run began.
    pub total: &'a [KernelStats],
    /// Counters of each kernel since the policy was last asked.
    pub window: &'a [KernelStats],
}
