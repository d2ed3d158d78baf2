//! Balanced memory issue: kernels take turns at memory by quotas that weigh their memory instructions.
//!
//! # Idea
//! Dai et al., HPCA 2018 (QBMI), as CCBP §7.5 compares it. A memory instruction of one kernel may make one request of L1D, that of another
//! many. Each kernel has a quota of memory instructions in inverse proportion to that, the least common multiple of all over its own. Of
//! ready memory instructions, those of the kernel with most of its quota left go first. When one has used its quota, all get theirs again.
//! # Observes
//! L1D requests and memory instructions of each kernel.
//! # Sets
//! `memory_quota`.
//! # Parameters
//! See `docs/reference/schemes/bmi.md`.
//! # Deviations
//! 1. Requests per instruction are those of all SMs together, and all SMs have the same quotas.
//! 2. They are checked every `interval` cycles, not at the request that completes a sample.
//! 3. Before its first sample a kernel counts as one with one request per instruction.
//! 4. Quotas decide among the ready warps of a scheduler; the schedulers of an SM take turns at the LSU's port, whichever kernel they
//!    serve.

use super::samples::{SAMPLE, SAMPLE_INTERVAL, Samples};
use super::scheme::{Member, Policy, PolicyInfo};
use crate::describe::ids::{Cycle, KernelId};
use crate::describe::value::Value;
use crate::interface::controls::Controls;
use crate::interface::decision::{Log, count, decide, list, topics};
use crate::interface::observation::Observation;
use crate::interface::shown::{Column, Row, Table};
use crate::interface::stats::KernelStats;
use alloc::format;
use alloc::vec::Vec;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "bmi",
    title: "BMI: turns at memory",
    source: "Dai et al., HPCA 2018, as CCBP §7.5 compares it",
    doc: "Kernels take turns at memory so that they make as many L1D requests each",
    params: &[SAMPLE, SAMPLE_INTERVAL],
    topics: TOPICS,
    check: PolicyInfo::NO_CHECK,
};

topics! {
    MemoryQuotas "memory_quota", "Quotas of memory instructions by what a kernel's cost (BMI)" {
        memory_quota: Vec<u32>, "memory instructions per round", "Each kernel's quota";
        cost: u64, "requests per memory instruction", "Of the kernel that was judged";
        requests: u64, "requests", "In its sample";
        instructions: u64, "memory instructions", "In its sample";
    } => {
        let (requests, instructions) = (count(*requests, "request"), count(*instructions, "memory instruction"));
        let quotas = list(memory_quota.iter().map(|quota| format!("{quota}")));
        format!("made {requests} with {instructions}, {cost} each: kernels' quotas are {quotas} a round")
    };
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Bmi {
    interval: Cycle,
    samples: Samples,
    /// Requests per memory instruction of each kernel.
    costs: Vec<u64>,
}

impl Policy for Bmi {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, _log: &mut Log) {
        self.samples.start(seen);
        self.costs = alloc::vec![1; seen.kernels];
        self.set(controls);
    }

    fn interval(&self) -> Option<Cycle> {
        Some(self.interval)
    }

    fn on_interval(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        for kernel in KernelId::first(seen.kernels) {
            let Some(sample) = self.samples.take(seen, kernel) else { continue };
            let cost = cost(&sample);
            if cost == self.costs[kernel.index()] {
                continue;
            }
            self.costs[kernel.index()] = cost;
            let (requests, instructions) = (Samples::requests(&sample), Samples::instructions(&sample));
            let memory_quota = quotas(&self.costs);
            decide(log, seen, kernel, MemoryQuotas { memory_quota, cost, requests, instructions });
        }
        self.set(controls);
    }

    fn shows(&self, seen: &Observation) -> Vec<Table> {
        let wanted = self.samples.wanted(seen);
        let row = |(kernel, (&cost, quota)): (KernelId, (&u64, u32))| {
            let sample = self.samples.so_far(seen, kernel);
            let cells = alloc::vec![cost.into(), quota.into(), Samples::requests(&sample).into(), Samples::instructions(&sample).into()];
            Row { name: Value::Null, kernel: Some(kernel), cells }
        };
        alloc::vec![Table {
            key: "bmi",
            title: format!("What memory instructions cost: a kernel is judged again after {} of its own", count(wanted, "request")),
            doc: "A quota is the least common multiple of all costs over the kernel's own: each is given as many L1D requests (Dai et al., HPCA 2018, QBMI)",
            row: "",
            course: None,
            columns: alloc::vec![
                Column::of(
                    "Cost",
                    "requests per memory instruction",
                    "L1D requests for each memory instruction in the last sample, rounded, at least one; one before the first"
                ),
                Column::of("Quota", "memory instructions", "What each round gives it, on each SM"),
                Column::of("So far", "requests", "L1D requests of the sample that is being taken, on all SMs"),
                Column::of("With", "memory instructions", "Memory instructions of the sample that is being taken, on all SMs"),
            ],
            rows: KernelId::first(seen.kernels).zip(self.costs.iter().zip(quotas(&self.costs))).map(row).collect(),
        }]
    }
}

impl Bmi {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        Bmi { interval: spec.int(SAMPLE_INTERVAL.name) as Cycle, samples: Samples::new(spec.int(SAMPLE.name) as u64), costs: Vec::new() }
    }

    fn set(&self, controls: &mut Controls) {
        for (kernel, quota) in KernelId::first(self.costs.len()).zip(quotas(&self.costs)) {
            controls.each_sm(|sm| sm.memory_quota[kernel] = Some(quota));
        }
    }
}

/// Requests per memory instruction, to the nearest whole number, at least one.
fn cost(sample: &KernelStats) -> u64 {
    let instructions = Samples::instructions(sample).max(1);
    ((Samples::requests(sample) + instructions / 2) / instructions).max(1)
}

/// Memory instructions of each kernel in a round: the least common multiple of all costs over its own, at most 10⁹.
fn quotas(costs: &[u64]) -> Vec<u32> {
    let gcd = |mut a: u64, mut b: u64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let all = costs.iter().fold(1, |all: u64, &cost| all / gcd(all, cost) * cost);
    costs.iter().map(|cost| (all / cost).min(1_000_000_000) as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::gpu::presets;
    use crate::interface::controls::WarpOrder;
    use crate::interface::observation::Profile;

    /// 1, 4 and 6 requests an instruction: 12, 3 and 2 instructions make 12 requests each.
    #[test]
    fn quotas_make_as_many_requests_for_each_kernel() {
        assert_eq!(quotas(&[1, 4, 6]), [12, 3, 2]);
        assert_eq!(quotas(&[8, 8]), [1, 1]);
        assert_eq!(quotas(&[32, 1]), [1, 32]);
        // Eight kernels, and still within what a control takes.
        assert!(quotas(&[32, 31, 29, 27, 25, 23, 19, 17]).iter().all(|&quota| (1..=1_000_000_000).contains(&quota)));
    }

    /// Four requests an instruction: a quarter of the other's quota, and what the next sample has so far.
    #[test]
    fn costs_quotas_and_the_sample_under_way_are_shown() {
        let (gpu, profile) = (presets::find("tiny-2sm").unwrap(), Profile::default());
        let made = |l1_reads, load_instructions| KernelStats { l1_reads, load_instructions, ..KernelStats::default() };
        let [nothing, sampled, later] = [[made(0, 0), made(0, 0)], [made(400, 100), made(199, 199)], [made(430, 107), made(199, 199)]];
        let seen = |total| Observation { total, ..Observation::bare(&gpu, 2, &profile) };
        let mut bmi = Bmi { interval: 1000, samples: Samples::new(100), costs: Vec::new() };
        let mut controls = Controls::neutral(2, WarpOrder::Gto);
        bmi.start(&seen(&nothing), &mut controls, &mut Log::default());
        bmi.on_interval(&seen(&sampled), &mut controls, &mut Log::default());
        let table = bmi.shows(&seen(&later)).remove(0);
        let cells = |kernel: usize| table.rows[kernel].cells.iter().map(|cell| cell.as_f64().unwrap()).collect::<Vec<_>>();
        assert_eq!((cells(0), cells(1)), (alloc::vec![4.0, 1.0, 30.0, 7.0], alloc::vec![1.0, 4.0, 199.0, 199.0]));
        assert!(table.title.contains("200 requests"), "{}", table.title);
    }

    #[test]
    fn the_cost_is_rounded_and_never_zero() {
        let sample = |l1_reads, l1_writes, load_instructions, store_instructions| KernelStats {
            l1_reads,
            l1_writes,
            load_instructions,
            store_instructions,
            ..KernelStats::default()
        };
        assert_eq!(cost(&sample(1000, 49, 500, 200)), 1);
        assert_eq!(cost(&sample(1000, 51, 500, 200)), 2, "1.501");
        assert_eq!(cost(&sample(3, 0, 100, 0)), 1);
        assert_eq!(cost(&sample(0, 0, 0, 0)), 1);
    }
}
