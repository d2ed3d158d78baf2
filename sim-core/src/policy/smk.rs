//! SMK: simultaneous multikernel, a dominant-resource-fair combination of CTAs on every SM and, on top, quotas of warp instructions.
//!
//! # Idea
//! Wang et al., HPCA 2016, as CCBP §6 reads it. *P*: the next CTA always goes to the kernel whose dominant share of the SM's static resources
//! is smallest, until nothing more fits. *W*: each kernel gets a quota of warp instructions in proportion to its IPC alone, and a kernel
//! that has used its quota waits until all have, so that all progress alike.
//! # Observes
//! What a CTA takes of each SM, and warp instructions per cycle of each kernel alone.
//! # Sets
//! `cta_target`; with W also `warp_quota` and `quota_refill`.
//! # Parameters
//! See `docs/schemes/smk.md`.
//! # Deviations
//! 1. The size of a quota is not stated: what the kernel issues alone in its K-th part of `epoch` cycles.
//! 2. A kernel whose first CTA does not fit beside the others keeps a target of one and waits for room, so that no kernel starves.

use super::spec::{Fallback, Param, ParamKind};
use super::{AnyPolicy, PROFILE_CYCLES, Policy, PolicyInfo};
use crate::describe::gpu::Gpu;
use crate::describe::gpu::occupancy::Resources;
use crate::describe::ids::{Cycle, KernelId};
use crate::seam::controls::{Controls, QuotaRefill};
use crate::seam::decision::{Decided, Log, decide, decide_ctas};
use crate::seam::observation::{By, Needs, Observation};
use alloc::vec::Vec;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "smk",
    title: "SMK: fair shares and warp quotas",
    source: "Wang et al., HPCA 2016, as read by CCBP §6",
    doc: "Dominant-resource-fair CTAs on every SM, and quotas of warp instructions in proportion to IPC alone",
    params: &[
        Param::choice("variant", &["p+w", "p"], "p+w", "p: the combination of CTAs alone; p+w: with quotas"),
        Param::flag("slots", true, "CTA slots count in dominant shares like registers, shared memory and threads"),
        Param::int("epoch", (100, 100_000_000), 10_000, "cycles", "Cycles for which a round of quotas is meant"),
        PROFILE_CYCLES,
        Param {
            name: "warp_ipc_alone",
            kind: ParamKind::PerKernelNumber { min: 0.001, max: 100_000.0 },
            unit: "warp instructions per cycle",
            default: Fallback::Words("measured before the run"),
            doc: "What each kernel issues alone on the whole GPU, in the order of the mix",
        },
    ],
    check: PolicyInfo::NO_CHECK,
    make: |spec| {
        AnyPolicy::Smk(Smk {
            quotas: spec.choice("variant") == "p+w",
            slots: spec.flag("slots"),
            epoch: spec.int("epoch") as Cycle,
            profile_cycles: spec.int("profile_cycles") as Cycle,
            warp_ipc_alone: spec.numbers("warp_ipc_alone").to_vec(),
        })
    },
};

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Smk {
    /// Whether kernels have quotas: P+W, or P alone.
    pub quotas: bool,
    /// Whether CTA slots count in dominant shares; they always count in what fits.
    pub slots: bool,
    /// Core cycles for which a round of quotas is meant.
    pub epoch: Cycle,
    /// Core cycles of each kernel's run alone.
    pub profile_cycles: Cycle,
    /// Warp instructions per cycle of each kernel alone; empty if they are to be measured.
    pub warp_ipc_alone: Vec<f64>,
}

impl Policy for Smk {
    fn needs(&self) -> Needs {
        if self.quotas && self.warp_ipc_alone.is_empty() { Needs::of(By::Whole, self.profile_cycles) } else { Needs::default() }
    }

    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let whole = |sm: usize| Resources::of_class(seen.gpu.class_of(sm as u32));
        let combination = |sm: usize| {
            let (costs, limits) = seen.ctas_of(sm);
            combination(&costs, &limits, whole(sm), self.slots)
        };
        let combinations: Vec<Vec<u32>> = (0..seen.cta_limit.len()).map(combination).collect();
        for kernel in KernelId::first(seen.kernels) {
            for (sm, ctas) in controls.sms.iter_mut().zip(&combinations) {
                sm.cta_target[kernel] = ctas[kernel.index()].max(1) as u16;
            }
            let ctas = combinations[0][kernel.index()];
            let (share, resource) = Share::of(seen.cta_cost[0][kernel], ctas, whole(0), self.slots);
            let fair = Decided::FairCtas { ctas, share: share.to_f64(), resource };
            decide_ctas(log, seen, kernel, fair, |sm| combinations[sm][kernel.index()]);
        }
        if self.quotas {
            self.set_quotas(seen, controls, log);
        }
    }
}

impl Smk {
    fn set_quotas(&self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let alone = &if self.warp_ipc_alone.is_empty() { seen.profile.each(|run| run.warp_ipc) } else { self.warp_ipc_alone.clone() };
        controls.each_sm(|sm| sm.quota_refill = QuotaRefill::WhenAllSpent);
        for ((kernel, quota), ipc) in KernelId::first(seen.kernels).zip(quotas(alone, self.epoch, seen.gpu)).zip(alone) {
            controls.each_sm(|sm| sm.warp_quota[kernel] = Some(quota));
            decide(log, seen, kernel, Decided::WarpQuota { warp_quota: quota, alone: *ipc });
        }
    }
}

/// Warp instructions of each kernel in a round on one SM: what it issues alone in its part of `epoch` cycles, at least one.
fn quotas(warp_ipc_alone: &[f64], epoch: Cycle, gpu: &Gpu) -> Vec<u32> {
    let cycles = epoch as f64 / warp_ipc_alone.len() as f64;
    let quota = |ipc: &f64| libm::round(ipc / f64::from(gpu.sm_count()) * cycles).clamp(1.0, 1e9) as u32;
    warp_ipc_alone.iter().map(quota).collect()
}

/// A kernel's share of a resource, as a fraction.
#[derive(Clone, Copy, Debug)]
struct Share {
    part: u64,
    whole: u64,
}

impl Share {
    /// The greatest share that `ctas` CTAs take of any resource, and which resource it is.
    fn of(cost: Resources, ctas: u32, whole: Resources, slots: bool) -> (Share, &'static str) {
        let share = |cost: u32, whole: u32, name| (Share { part: u64::from(cost) * u64::from(ctas), whole: u64::from(whole.max(1)) }, name);
        let all = [
            share(cost.registers, whole.registers, "registers"),
            share(cost.shared_bytes, whole.shared_bytes, "shared memory"),
            share(cost.threads, whole.threads, "threads"),
            share(if slots { cost.ctas } else { 0 }, whole.ctas, "CTA slots"),
        ];
        all.into_iter().reduce(|most, next| if most.0.below(next.0) { next } else { most }).unwrap_or(all[0])
    }

    fn below(self, other: Share) -> bool {
        self.part * other.whole < other.part * self.whole
    }

    fn to_f64(self) -> f64 {
        self.part as f64 / self.whole as f64
    }
}

/// CTAs of each kernel on an SM that has `whole`, by dominant-resource fairness: one CTA at a time to the kernel with the smallest dominant
/// share, the first of them on a tie, until none fits; `limits` hold besides.
fn combination(costs: &[Resources], limits: &[u32], whole: Resources, slots: bool) -> Vec<u32> {
    let mut ctas = alloc::vec![0; costs.len()];
    let mut used = Resources::default();
    let mut open: Vec<usize> = (0..costs.len()).collect();
    while let Some(next) = open.iter().copied().reduce(|least, k| {
        let share = |k: usize| Share::of(costs[k], ctas[k], whole, slots).0;
        if share(k).below(share(least)) { k } else { least }
    }) {
        if ctas[next] < limits[next] && used.fits(costs[next], whole) {
            used.add(costs[next]);
            ctas[next] += 1;
        } else {
            open.retain(|&k| k != next);
        }
    }
    ctas
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::gpu::presets;

    const WHOLE: Resources = Resources { ctas: 32, threads: 2048, registers: 65_536, shared_bytes: 96 * 1024 };

    fn cost(threads: u32, registers: u32, shared_bytes: u32) -> Resources {
        Resources { ctas: 1, threads, registers, shared_bytes }
    }

    /// A takes 1/8 of threads and registers, B 1/4 of shared memory and 1/16 of threads. By smallest share: A B A A B A A B A makes
    /// 6/8 and 3/4 with 1920 of 2048 threads; a seventh of A has no threads left, a fourth of B just has.
    #[test]
    fn the_smallest_dominant_share_goes_first() {
        let costs = [cost(256, 8192, 0), cost(128, 1024, 24 * 1024)];
        assert_eq!(combination(&costs, &[8, 4], WHOLE, true), [6, 4]);
        // A's own limit leaves room that stays empty: B has its 4 already.
        assert_eq!(combination(&costs, &[3, 4], WHOLE, true), [3, 4]);
    }

    /// Tiny CTAs: 32 slots are the only scarce thing. With slots in the share both get 16; without, B's share grows four times as fast.
    #[test]
    fn cta_slots_can_be_the_dominant_resource() {
        let costs = [cost(32, 512, 0), cost(32, 2048, 0)];
        assert_eq!(combination(&costs, &[32, 32], WHOLE, true), [16, 16]);
        assert_eq!(combination(&costs, &[32, 32], WHOLE, false), [21, 11]);
    }

    /// 16 SMs, 10,000 cycles, two kernels: 32 a cycle are 2 on each SM, 10,000 in 5,000 cycles.
    #[test]
    fn quotas_are_in_proportion_to_ipc_alone() {
        let gpu = presets::find("ccbp-16sm").unwrap();
        assert_eq!(quotas(&[32.0, 8.0], 10_000, &gpu), [10_000, 2500]);
        assert_eq!(quotas(&[0.0, 8.0], 10_000, &gpu), [1, 2500], "every kernel gets a quota");
    }
}
