//! SMK: simultaneous multikernel, a dominant-resource-fair combination of CTAs on every SM and, on top, quotas of warp instructions.
//!
//! # Idea
//! Wang et al., HPCA 2016, as CCBP §7.1 reads it. *P*: the next CTA always goes to the kernel whose dominant share of the SM's static
//! resources is smallest, until nothing more fits. *W*: each kernel gets a quota of warp instructions in proportion to its IPC alone. A
//! kernel that has used its quota waits until quotas are filled up again: every `epoch` cycles, or when all have used theirs.
//! # Observes
//! What a CTA takes of each SM, CTAs of each grid, and warp instructions per cycle of each kernel alone.
//! # Sets
//! `cta_target`; with W also `warp_quota`, `quota_refill` and `quota_interval`.
//! # Parameters
//! See `docs/reference/schemes/smk.md`.
//! # Deviations
//! 1. The size of a quota is not stated: what the kernel issues alone in its K-th part of `epoch` cycles, times `quota_scale`.
//! 2. A kernel whose first CTA does not fit beside the others keeps a target of one and waits for room, so that no kernel starves.

use super::ctas::decide_ctas;
use super::scheme::{Absent, Member, PROFILE_CYCLES, Param, Policy, PolicyInfo, Shape};
use crate::describe::goal::LEAST_RATE;
use crate::describe::gpu::Gpu;
use crate::describe::gpu::occupancy::Resources;
use crate::describe::ids::{Cycle, KernelId};
use crate::describe::value::Value;
use crate::interface::controls::{Controls, QuotaRefill};
use crate::interface::decision::{Log, count, decide, percent, topics};
use crate::interface::observation::{By, Needs, Observation};
use crate::interface::shown::{Column, Row, Table};
use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "smk",
    title: "SMK: fair shares and warp quotas",
    source: "Wang et al., HPCA 2016, as read by CCBP §7.1",
    doc: "Dominant-resource-fair CTAs on every SM, and quotas of warp instructions in proportion to IPC alone",
    params: &[
        Param::choice("variant", &["p+w", "p"], "p+w", "p: the combination of CTAs alone; p+w: with quotas"),
        Param::constant(
            "slots",
            Absent::Flag(true),
            "CTA slots count in dominant shares, as in the re-implementation by others: they run out like registers, shared memory and threads",
        ),
        Param::choice(
            "refill",
            &["periodic", "when_all_spent"],
            "periodic",
            "When quotas are filled up again, without what was left. periodic: every epoch; when_all_spent: once every kernel that has CTAs on the SM has used its own",
        ),
        Param::int(
            "epoch",
            (100, 100_000_000),
            10_000,
            "cycles",
            "Cycles for which a round of quotas is meant, and after which a periodic refill comes",
        ),
        Param::number(
            "quota_scale",
            (0.01, 100.0),
            1.35,
            "",
            "Size of a quota, in parts of what the kernel issues alone in its K-th part of an epoch; at K or more a periodic quota hardly limits. 1.35 was fitted to the latency of HG beside LBM and SAD (CCBP §7.4)",
        ),
        PROFILE_CYCLES,
        Param {
            name: "warp_ipc_alone",
            shape: Shape::PerKernel(&Shape::Number { min: LEAST_RATE, max: 100_000.0 }),
            unit: "warp instructions per cycle",
            absent: Absent::Words("measured before the run"),
            doc: "What each kernel issues alone on the whole GPU, in the order of the mix",
        },
    ],
    topics: TOPICS,
    check: PolicyInfo::NO_CHECK,
};

topics! {
    FairCtas "ctas", "CTAs that a kernel may hold on each SM, by dominant-resource fairness" {
        ctas: u32, "CTAs per SM", "At most so many";
        share: f64, "of an SM", "The greatest share that they take of any resource";
        resource: &'static str, "", "That resource";
    } => format!("may hold {} on each SM: {} of its {resource}, its dominant share", count(*ctas, "CTA"), percent(*share));

    WarpQuota "warp_quota", "Warp instructions of a kernel in a round, in proportion to what it issues alone" {
        warp_quota: u32, "warp instructions per SM", "At most so many in a round";
        alone: f64, "warp instructions per cycle", "What it issues alone on the whole GPU";
    } => {
        let quota = count(*warp_quota, "warp instruction");
        format!("gets {quota} of each round on each SM: alone it issues {alone:.2} a cycle on the whole GPU")
    };
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Smk {
    /// Whether kernels have quotas: P+W, or P alone.
    pub quotas: bool,
    /// Whether quotas are filled up again every `epoch`, or when all are spent.
    pub periodic: bool,
    /// Core cycles for which a round of quotas is meant.
    pub epoch: Cycle,
    /// Size of a quota, in parts of what a kernel issues alone in its K-th part of an epoch.
    pub quota_scale: f64,
    /// Core cycles of each kernel's run alone.
    pub profile_cycles: Cycle,
    /// Warp instructions per cycle of each kernel alone; empty if they are to be measured.
    pub warp_ipc_alone: Vec<f64>,
}

impl Smk {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        Smk {
            quotas: spec.choice("variant") == "p+w",
            periodic: spec.choice("refill") == "periodic",
            epoch: spec.int("epoch") as Cycle,
            quota_scale: spec.number("quota_scale"),
            profile_cycles: spec.int("profile_cycles") as Cycle,
            warp_ipc_alone: spec.numbers("warp_ipc_alone").to_vec(),
        }
    }
}

impl Policy for Smk {
    fn needs(&self) -> Needs {
        if self.quotas && self.warp_ipc_alone.is_empty() { Needs::of(By::Whole, self.profile_cycles) } else { Needs::default() }
    }

    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let combinations: Vec<Vec<u32>> = (0..seen.cta_limit.len()).map(|sm| combination_on(sm, seen)).collect();
        for kernel in KernelId::first(seen.kernels) {
            for (sm, ctas) in controls.sms.iter_mut().zip(&combinations) {
                sm.cta_target[kernel] = ctas[kernel.index()].max(1) as u16;
            }
            let ctas = combinations[0][kernel.index()];
            let (share, resource) = Share::of(seen.cta_cost[0][kernel], ctas, whole(0, seen));
            let fair = FairCtas { ctas, share: share.to_f64(), resource };
            decide_ctas(log, seen, kernel, fair, |sm| combinations[sm][kernel.index()]);
        }
        if self.quotas {
            self.set_quotas(seen, controls, log);
        }
    }

    fn shows(&self, seen: &Observation) -> Vec<Table> {
        alloc::vec![self.shares_shown(seen)]
    }
}

impl Smk {
    /// Warp instructions per cycle of each kernel alone, and its quota.
    fn quotas(&self, seen: &Observation) -> Vec<(f64, u32)> {
        let alone = if self.warp_ipc_alone.is_empty() { seen.profile.each(|run| run.warp_ipc) } else { self.warp_ipc_alone.clone() };
        let quotas = quotas(&alone, self.epoch as f64 * self.quota_scale, seen.gpu);
        alone.into_iter().zip(quotas).collect()
    }

    fn set_quotas(&self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let refill = if self.periodic { QuotaRefill::Interval } else { QuotaRefill::WhenAllSpent };
        controls.each_sm(|sm| sm.quota_refill = refill);
        if self.periodic {
            controls.each_sm(|sm| sm.quota_interval = self.epoch as u32);
        }
        for (kernel, (alone, warp_quota)) in KernelId::first(seen.kernels).zip(self.quotas(seen)) {
            controls.each_sm(|sm| sm.warp_quota[kernel] = Some(warp_quota));
            decide(log, seen, kernel, WarpQuota { warp_quota, alone });
        }
    }

    /// Each kernel's shares of an SM and its quota, on each class of SMs.
    fn shares_shown(&self, seen: &Observation) -> Table {
        let quotas = if self.quotas { self.quotas(seen) } else { Vec::new() };
        let several = seen.gpu.sms.len() > 1;
        let of_class = |(class, sms): (usize, Range<u32>)| {
            let sm = sms.start as usize;
            let ctas = combination_on(sm, seen);
            let row = |kernel: KernelId| {
                let all = Share::each(seen.cta_cost[sm][kernel], ctas[kernel.index()], whole(sm, seen));
                let (share, resource) = Share::greatest(all);
                let quota = quotas.get(kernel.index());
                let cells = [ctas[kernel.index()].into(), Value::from(resource), (100.0 * share.to_f64()).into()]
                    .into_iter()
                    .chain(all.map(|(share, _)| (100.0 * share.to_f64()).into()))
                    .chain([quota.map(|quota| quota.0).into(), quota.map(|quota| quota.1).into()]);
                let name = several.then(|| seen.gpu.sms[class].name.as_str());
                Row { name: name.into(), kernel: Some(kernel), cells: cells.collect() }
            };
            KernelId::first(seen.kernels).map(row).collect::<Vec<_>>()
        };
        let part = |title: &'static str| Column::of(title, "%", "What its CTAs take of an SM's");
        Table {
            key: "smk",
            title: "Dominant shares and quotas".into(),
            doc: "The next CTA goes to the kernel with the smallest dominant share that still fits. A quota is in proportion to what the kernel issues \
                  alone (SMK, HPCA 2016, as read by CCBP §7.1)",
            row: "",
            course: None,
            columns: alloc::vec![
                Column::of("CTAs", "per SM", "CTAs that it gets"),
                Column::of("Dominant", "", "The resource of which it takes the greatest share"),
                Column::of("Share", "%", "That share"),
                part("Registers"),
                part("Shared memory"),
                part("Threads"),
                part("CTA slots"),
                Column::of("Alone", "per cycle", "Warp instructions that it issues alone on the whole GPU; nothing without quotas"),
                Column::of("Quota", "per round", "Warp instructions that it may issue on each SM in a round; nothing without quotas"),
            ],
            rows: seen.gpu.class_sms().into_iter().enumerate().flat_map(of_class).collect(),
        }
    }
}

/// What an SM has.
fn whole(sm: usize, seen: &Observation) -> Resources {
    Resources::of_class(seen.gpu.class_of(sm as u32))
}

/// CTAs of each kernel on an SM: no more than spread its whole grid over the SMs.
fn combination_on(sm: usize, seen: &Observation) -> Vec<u32> {
    let (costs, mut limits) = seen.ctas_of(sm);
    limits.iter_mut().zip(KernelId::first(seen.kernels)).for_each(|(limit, kernel)| *limit = (*limit).min(seen.grid_per_sm(kernel)));
    combination(&costs, &limits, whole(sm, seen))
}

/// Warp instructions of each kernel in a round on one SM: what it issues alone in its part of these cycles, at least one.
fn quotas(warp_ipc_alone: &[f64], cycles: f64, gpu: &Gpu) -> Vec<u32> {
    let cycles = cycles / warp_ipc_alone.len() as f64;
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
    fn of(cost: Resources, ctas: u32, whole: Resources) -> (Share, &'static str) {
        Share::greatest(Share::each(cost, ctas, whole))
    }

    /// The share that `ctas` CTAs take of each resource.
    fn each(cost: Resources, ctas: u32, whole: Resources) -> [(Share, &'static str); 4] {
        let share = |cost: u32, whole: u32, name| (Share { part: u64::from(cost) * u64::from(ctas), whole: u64::from(whole.max(1)) }, name);
        [
            share(cost.registers, whole.registers, "registers"),
            share(cost.shared_bytes, whole.shared_bytes, "shared memory"),
            share(cost.threads, whole.threads, "threads"),
            share(cost.ctas, whole.ctas, "CTA slots"),
        ]
    }

    /// The greatest, the first of them on a tie.
    fn greatest(all: [(Share, &'static str); 4]) -> (Share, &'static str) {
        all.into_iter().reduce(|most, next| if most.0.below(next.0) { next } else { most }).unwrap_or(all[0])
    }

    fn below(self, other: Share) -> bool {
        self.part * other.whole < other.part * self.whole
    }

    fn to_f64(self) -> f64 {
        self.part as f64 / self.whole as f64
    }
}

/// CTAs of each kernel on an SM that has `whole`, by dominant-resource fairness. One CTA at a time goes to the kernel with the smallest
/// dominant share, the first of them on a tie, until none fits. `limits` hold besides.
fn combination(costs: &[Resources], limits: &[u32], whole: Resources) -> Vec<u32> {
    let mut ctas = alloc::vec![0; costs.len()];
    let mut used = Resources::default();
    let mut open: Vec<usize> = (0..costs.len()).collect();
    while let Some(next) = open.iter().copied().reduce(|least, k| {
        let share = |k: usize| Share::of(costs[k], ctas[k], whole).0;
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
    use super::super::scheme::{Member, Setting};
    use super::*;
    use crate::describe::gpu::presets;
    use crate::describe::ids::PerKernel;
    use crate::interface::controls::WarpOrder;
    use crate::interface::observation::Profile;

    const WHOLE: Resources = Resources { ctas: 32, threads: 2048, registers: 65_536, shared_bytes: 96 * 1024 };

    fn cost(threads: u32, registers: u32, shared_bytes: u32) -> Resources {
        Resources { ctas: 1, threads, registers, shared_bytes }
    }

    /// A takes 1/8 of threads and registers, B 1/4 of shared memory and 1/16 of threads. By smallest share: A B A A B A A B A makes
    /// 6/8 and 3/4 with 1920 of 2048 threads; a seventh of A has no threads left, a fourth of B just has.
    #[test]
    fn the_smallest_dominant_share_goes_first() {
        let costs = [cost(256, 8192, 0), cost(128, 1024, 24 * 1024)];
        assert_eq!(combination(&costs, &[8, 4], WHOLE), [6, 4]);
        // A's own limit leaves room that stays empty: B has its 4 already.
        assert_eq!(combination(&costs, &[3, 4], WHOLE), [3, 4]);
    }

    /// Tiny CTAs: 32 slots are the only scarce thing, and both get 16, though B's share of registers grows four times as fast.
    #[test]
    fn cta_slots_can_be_the_dominant_resource() {
        let costs = [cost(32, 512, 0), cost(32, 2048, 0)];
        assert_eq!(combination(&costs, &[32, 32], WHOLE), [16, 16]);
    }

    /// 16 SMs, 10,000 cycles, two kernels: 32 a cycle are 2 on each SM, 10,000 in 5,000 cycles.
    #[test]
    fn quotas_are_in_proportion_to_ipc_alone() {
        let gpu = presets::find("ccbp-16sm").unwrap();
        assert_eq!(quotas(&[32.0, 8.0], 10_000.0, &gpu), [10_000, 2500]);
        assert_eq!(quotas(&[0.0, 8.0], 10_000.0, &gpu), [1, 2500], "every kernel gets a quota");
    }

    /// At 3/8 each the big kernel's second CTA does not fit into the last quarter; the small one's do.
    #[test]
    fn a_kernel_that_does_not_fit_does_not_end_the_others_turns() {
        let costs = [cost(768, 0, 0), cost(64, 0, 0)];
        assert_eq!(combination(&costs, &[2, 32], WHOLE), [1, 20]);
    }

    /// What it sets with these parameters, from the IPC of two kernels alone, and what it shows.
    fn started(settings: &[(&str, Setting)], grid: &[u32]) -> (Controls, Table) {
        let spec = settings.iter().fold(Member::of(&INFO), |spec, (name, setting)| spec.with(name, setting.clone()));
        let spec = spec.with("warp_ipc_alone", Setting::Numbers(alloc::vec![32.0, 8.0]));
        let (gpu, profile) = (presets::find("ccbp-16sm").unwrap(), Profile::default());
        let seen = Observation {
            cta_limit: &[PerKernel::all(8); 16],
            cta_cost: &[PerKernel::all(cost(128, 4096, 0)); 16],
            grid,
            ..Observation::bare(&gpu, 2, &profile)
        };
        let mut controls = Controls::neutral(16, WarpOrder::Lrr);
        let mut smk = Smk::new(&spec);
        smk.start(&seen, &mut controls, &mut Log::new());
        (controls, smk.shows(&seen).remove(0))
    }

    /// Each CTA takes a sixteenth of 65,536 registers and of 2048 threads, and a 32nd of the slots. 4 and 8 of them fit, and a quota is 1.35 times 2 or
    /// 0.5 a cycle in 5000 cycles.
    #[test]
    fn shares_and_quotas_can_be_watched() {
        let (_, table) = started(&[], &[64, 1000]);
        let row = |ctas: u32, share: f64, alone: f64, quota: u32| {
            let shares = [share, 0.0, share, share / 2.0].map(Value::from);
            [&[ctas.into(), "registers".into(), share.into()], &shares[..], &[alone.into(), quota.into()]].concat()
        };
        assert_eq!(table.cells(), [row(4, 25.0, 32.0, 13_500), row(8, 50.0, 8.0, 3375)]);
        let (_, table) = started(&[("variant", Setting::Choice("p"))], &[64, 1000]);
        assert!(table.cells().iter().all(|cells| cells[7..] == [Value::Null, Value::Null]), "no quotas: {table:?}");
    }

    /// 64 CTAs on 16 SMs are 4 on each: more would find no CTA to place, and what they leave is the other's.
    #[test]
    fn no_kernel_gets_more_than_spreads_its_grid_over_the_sms() {
        let ctas = |grid: [u32; 2]| started(&[], &grid).0.sms[0].cta_target.0[..2].to_vec();
        assert_eq!([ctas([1000, 1000]), ctas([64, 1000]), ctas([65, 1])], [[8, 8], [4, 8], [5, 1]]);
    }

    #[test]
    fn quotas_come_back_with_time_or_when_all_are_spent() {
        let set = |settings: &[(&str, Setting)]| {
            let scaled = settings.iter().any(|setting| setting.0 == "quota_scale");
            let one = [("quota_scale", Setting::Number(1.0))];
            let sm = started(&[settings, &one[usize::from(scaled)..]].concat(), &[1000; 2]).0.sms[3].clone();
            (sm.quota_refill, sm.quota_interval, [0, 1].map(|kernel| sm.warp_quota.0[kernel]))
        };
        assert_eq!(set(&[]), (QuotaRefill::Interval, 10_000, [Some(10_000), Some(2500)]));
        let (epoch, choice) = (("epoch", Setting::Int(2000)), |name| ("refill", Setting::Choice(name)));
        // 2 and 0.5 a cycle on each SM, for 1000 of 2000 cycles each.
        let quotas = [Some(2000), Some(500)];
        assert_eq!(set(&[epoch.clone(), choice("periodic")]), (QuotaRefill::Interval, 2000, quotas));
        assert_eq!(set(&[epoch.clone(), choice("when_all_spent")]), (QuotaRefill::WhenAllSpent, 10_000, quotas));
        assert_eq!(set(&[epoch, ("quota_scale", Setting::Number(0.5))]).2, [Some(1000), Some(250)]);
    }
}
