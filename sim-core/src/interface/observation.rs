//! The only thing that a policy sees: counters that hardware could have, and nothing of the machine's inside.

use crate::describe::goal::Goal;
use crate::describe::gpu::Gpu;
use crate::describe::gpu::occupancy::Resources;
#[cfg(test)]
use crate::describe::ids::MAX_KERNELS;
use crate::describe::ids::{Cycle, KernelId, LaunchId, PerKernel};
use crate::describe::record::Absent::{Flag, Needed, Words};
use crate::describe::record::{Shape, list, number, record};
use crate::interface::stats::{KernelStats, StallCounts};
use alloc::vec::Vec;

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
    /// CTAs of each kernel that an SM can hold when it holds nothing else, for each SM. For a sequence of launches, the most. No CTA
    /// target is above it.
    pub most_ctas: &'a [PerKernel<u32>],
    /// What a CTA of each kernel takes of each SM. For a sequence of launches, the most of each resource.
    pub cta_cost: &'a [PerKernel<Resources>],
    /// What a CTA of the launch that each kernel is in takes of each SM, and how many of them the SM can hold when it holds nothing else.
    pub launched: &'a [PerKernel<(Resources, u32)>],
    /// CTAs of each launch of each kernel that an SM of the uniform GPU (`Gpu::uniform`) can hold when it holds nothing else.
    pub uniform_ctas: &'a [Vec<u32>],
    /// CTAs of each kernel's launch. For a sequence of launches, the most.
    pub grid: &'a [u32],
    /// What each kernel does alone, as far as the policy's `needs` ask for it.
    pub profile: &'a Profile,
    /// What each kernel is promised, where it has a goal; deadlines are rates.
    pub goals: &'a [Option<Goal>],
    /// How far each kernel is.
    pub progress: &'a [Progress],
    /// CTAs of each kernel on each SM.
    pub resident: &'a [PerKernel<u32>],
    /// What is left of each kernel's instruction quota on each SM, below zero where it has had too much; 0 without a quota.
    pub quota_left: &'a [PerKernel<i64>],
    /// Requests of each kernel that wait in each SM's miss queue.
    pub queued: &'a [PerKernel<u32>],
    /// With `Controls::memory_cap`: the most memory instructions that each kernel has had in flight on each SM since the policy was last
    /// asked. 0 for a kernel without a cap.
    pub peak_in_flight: &'a [PerKernel<u32>],
    /// With `Controls::l1_monitor`: reads of the monitored sets that would have hit if the kernel had L1D to itself. They are counted for
    /// each kernel by position in the LRU stack, the most recently used first, over all SMs since the monitor was set. Empty lists without
    /// it.
    pub l1_utility: &'a [Vec<u64>],
    /// Counters of each kernel since the run began.
    pub total: &'a [KernelStats],
    /// Counters of each kernel since the policy began or its last interval ended; events in between do not restart them.
    pub window: &'a [KernelStats],
    /// Counters of each SM, for each kernel, since the run began; what L2 and DRAM count is 0.
    pub on_sm: &'a [Vec<KernelStats>],
    /// Cycles in which an SM's schedulers stalled while they held warps of a kernel, by cause, for each SM and kernel, since the run began.
    pub stalls_on_sm: &'a [Vec<StallCounts>],
    /// With `Policy::sampling`: the same warps, summed over so many samples since the policy's last interval ended.
    pub idle_sum: &'a [PerKernel<u32>],
    /// How many samples.
    pub idle_samples: u32,
    /// Warps of each kernel on each SM that are ready and whose unit takes nothing now: the LSU, shared memory or an execution unit is full.
    pub idle_warps: &'a [PerKernel<u32>],
}

/// How far a kernel is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Launch of its sequence, from 0.
    pub launch: LaunchId,
    /// CTAs of this launch that have been placed.
    pub placed: u32,
    /// CTAs that wait for an SM: those of this launch that have not been placed, and those that were switched out.
    pub waiting: u32,
    /// CTAs of this launch that have finished.
    pub done: u32,
    /// Times that the whole sequence has finished.
    pub runs: u64,
}

impl<'a> Observation<'a> {
    /// What a policy's tests start from: nothing has run, and nothing is resident.
    #[cfg(test)]
    pub fn bare(gpu: &'a Gpu, kernels: usize, profile: &'a Profile) -> Self {
        Observation {
            now: 0,
            gpu,
            kernels,
            cta_limit: &[],
            most_ctas: &[],
            cta_cost: &[],
            launched: &[],
            uniform_ctas: &[],
            grid: &[u32::MAX; MAX_KERNELS],
            profile,
            goals: &[],
            progress: &[],
            resident: &[],
            quota_left: &[],
            queued: &[],
            peak_in_flight: &[],
            l1_utility: &[],
            total: &[],
            window: &[],
            on_sm: &[],
            stalls_on_sm: &[],
            idle_sum: &[],
            idle_samples: 0,
            idle_warps: &[],
        }
    }

    /// CTAs on each SM that spread a kernel's whole grid over the GPU: where more are allowed, there are none to place.
    pub fn grid_per_sm(&self, kernel: KernelId) -> u32 {
        self.grid[kernel.index()].div_ceil(self.gpu.sm_count())
    }

    /// What a CTA of the launch that each kernel is in takes of an SM, and how many of them it may hold.
    pub fn launched_on(&self, sm: usize) -> (Vec<Resources>, Vec<u32>) {
        self.launched[sm].0[..self.kernels].iter().copied().unzip()
    }

    /// What a CTA of each kernel takes of an SM, and how many of them the SM may hold, whatever the launch.
    pub fn ctas_of(&self, sm: usize) -> (Vec<Resources>, Vec<u32>) {
        (self.cta_cost[sm].0[..self.kernels].into(), self.cta_limit[sm].0[..self.kernels].into())
    }
}

/// The runs of each kernel alone that a policy needs before it begins. The host runs them as plain experiments and gives the policy the
/// outcomes in `Observation::profile`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// Sets of runs; none if it needs nothing.
    pub by: Vec<By>,
    /// Core cycles of each run, where nothing else is said.
    pub cycles: Cycle,
}

/// What varies among the runs of each kernel alone. Otherwise the kernel has all SMs and as many CTAs as fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum By {
    /// Nothing: one run.
    Whole,
    /// Nothing: one run as long as the run itself, whatever `Needs::cycles` says. It is the one that the result's slowdowns compare with.
    AsLong,
    /// CTAs on every SM: 1, 2, … up to what the SM with the most room holds.
    Ctas,
    /// SMs: the first so many of the GPU, one run for each number.
    Sms(Vec<u32>),
    /// SM class: all SMs of each class of the GPU, in its order.
    Class,
    /// Nothing: one run on SMs that are all alike (`Gpu::uniform`).
    Uniform {
        /// On as many of them as the GPU has of the class with the least room for threads; else on all.
        as_small: bool,
    },
}

impl Needs {
    /// One set of runs.
    pub fn of(by: By, cycles: Cycle) -> Needs {
        Needs { by: alloc::vec![by], cycles }
    }
}

record! {
    /// What a kernel does in a run alone.
    #[derive(Copy, Default)]
    pub struct Alone as ALONE "Alone", "an answer";
    /// IPC over the whole GPU.
    ipc: f64 ["thread instructions per cycle"] = RATE, Needed;
    /// Warp instructions per core cycle over the whole GPU.
    warp_ipc: f64 ["warp instructions per cycle"] = RATE, Needed;
    /// Part of the reply crossbar's peak that it takes.
    noc_utilisation: f64 ["fraction of peak"] = RATE, Needed;
    /// Part of the DRAM data buses' peak that it takes.
    dram_utilisation: f64 ["fraction of peak"] = RATE, Needed;
    /// The ends of the 95 % interval of `ipc`.
    ipc_ci95: Option<[f64; 2]> = Shape::Nullable(&list!(number!(-1e12, 1e12), 2, 2, "ends of an interval")), Words("the run is too short for one");
    /// Whether the run got stuck: the rates are those up to there.
    stuck: bool = Shape::Flag, Flag(false);
    /// Where the kernel's time goes.
    breakdown: Option<Breakdown> = Shape::Record(&BREAKDOWN), Words("it issued nothing");
}

record! {
    /// Where a kernel's time goes: its warps, what an instruction of a warp waits for, and where a read that misses L1D waits.
    #[derive(Copy, Default)]
    pub struct Breakdown as BREAKDOWN "Breakdown", "a breakdown";
    /// Resident warps of the whole GPU, mean over cycles.
    warps: f64 ["warps"] = RATE, Needed;
    /// Waiting for loads that missed L1D.
    memory: f64 ["cycles of a warp per instruction"] = RATE, Needed;
    /// Waiting for the load-store unit to take an access.
    lsu: f64 ["cycles of a warp per instruction"] = RATE, Needed;
    /// Everything else: the instruction itself, arithmetic, barriers, another warp's turn, a quota.
    other: f64 ["cycles of a warp per instruction"] = RATE, Needed;
    /// In L1D's miss queue and its arbiter.
    miss_queue: f64 ["cycles per read"] = RATE, Needed;
    /// In the request network and its queues.
    request_noc: f64 ["cycles per read"] = RATE, Needed;
    /// In L2: queue, lookup, pipeline and reply port.
    l2: f64 ["cycles per read"] = RATE, Needed;
    /// Waiting for DRAM, merged requests included.
    dram: f64 ["cycles per read"] = RATE, Needed;
    /// In the reply network and its queues.
    reply_noc: f64 ["cycles per read"] = RATE, Needed;
    /// Reads that found their line in L1D.
    l1_hit_rate: f64 ["fraction"] = RATE, Needed;
    /// Lookups that sent a fetch to DRAM.
    l2_miss_rate: f64 ["fraction"] = RATE, Needed;
}

const RATE: Shape = number!(0.0, 1e12);

/// What each kernel does alone on the same GPU, with greedy-then-oldest warps (CCBP §3.1), measured before the run begins. For each set of
/// runs that the policy needs, and for each kernel, it has the runs in their order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Profile(pub Vec<Vec<Vec<Alone>>>);

impl Profile {
    /// A figure of every run of each kernel in the first set: a curve, if the set is one.
    pub fn curves(&self, figure: impl Fn(&Alone) -> f64) -> Vec<Vec<f64>> {
        self.0.first().into_iter().flatten().map(|runs| runs.iter().map(&figure).collect()).collect()
    }

    /// A figure of the only run of each kernel in the first set.
    pub fn each<T>(&self, figure: impl Fn(&Alone) -> T) -> Vec<T> {
        self.0.first().into_iter().flatten().filter_map(|runs| runs.first().map(&figure)).collect()
    }
}
