//! The policy on made-up counters.

use super::*;
use crate::describe::goal::Goal;
use crate::describe::gpu::{Gpu, presets};
use crate::interface::controls::WarpOrder;
use crate::interface::observation::{Profile, Progress};
use crate::interface::stats::KernelStats;
use crate::policy::spec::Setting;
use alloc::string::String;

const K: [KernelId; 3] = [KernelId(0), KernelId(1), KernelId(2)];

/// Three kernels on sixteen SMs, CTAs of 256 threads, of which an SM holds eight; 1000 of IPC alone.
struct World {
    gpu: Gpu,
    policy: Qos,
    goals: Vec<Option<Goal>>,
    launched: Vec<PerKernel<(Resources, u32)>>,
    resident: Vec<PerKernel<u32>>,
    idle_sum: Vec<PerKernel<u32>>,
    quota_left: Vec<PerKernel<i64>>,
    total: Vec<KernelStats>,
    waiting: u32,
    controls: Controls,
    log: Log,
    now: Cycle,
}

impl World {
    fn new(info: &'static PolicyInfo, goals: &[Option<f64>], settings: &[(&str, Setting)]) -> World {
        let mut gpu = presets::find("ccbp-16sm").unwrap();
        (gpu.sms[0].threads, gpu.sms[0].ctas) = (2048, 32);
        let spec = settings.iter().fold(Member::of(info), |spec, (name, value)| spec.with(name, value.clone()));
        let cost = Resources { ctas: 1, threads: 256, registers: 0, shared_bytes: 0 };
        let mut world = World {
            gpu,
            policy: Qos::new(&spec.with("ipc_alone", Setting::Numbers(alloc::vec![1000.0; 3]))),
            goals: goals.iter().map(|goal| goal.map(Goal::OfAlone)).collect(),
            launched: alloc::vec![PerKernel::all((cost, 8)); 16],
            resident: alloc::vec![PerKernel::all(0); 16],
            idle_sum: alloc::vec![PerKernel::all(0); 16],
            quota_left: alloc::vec![PerKernel::all(0); 16],
            total: alloc::vec![KernelStats::default(); goals.len()],
            waiting: 1000,
            controls: Controls::neutral(16, WarpOrder::Gto),
            log: Log::new(),
            now: 0,
        };
        world.ask(|policy, seen, controls, log| policy.start(seen, controls, log));
        // Everything is placed.
        for (resident, sm) in world.resident.iter_mut().zip(&world.controls.sms) {
            for kernel in KernelId::first(goals.len()) {
                resident[kernel] = if sm.allowed[kernel] { sm.cta_target[kernel].into() } else { 0 };
            }
        }
        world
    }

    fn ask(&mut self, ask: impl FnOnce(&mut Qos, &Observation, &mut Controls, &mut Log)) {
        let profile = Profile::default();
        let seen = Observation {
            now: self.now,
            goals: &self.goals,
            cta_cost: &alloc::vec![PerKernel::all(self.launched[0][K[0]].0); 16],
            launched: &self.launched,
            resident: &self.resident,
            quota_left: &self.quota_left,
            idle_sum: &self.idle_sum,
            idle_samples: 100,
            progress: &[Progress { waiting: self.waiting, ..Progress::default() }; 3],
            total: &self.total,
            ..Observation::bare(&self.gpu, self.goals.len(), &profile)
        };
        ask(&mut self.policy, &seen, &mut self.controls, &mut self.log);
    }

    /// An epoch in which kernels have this IPC.
    fn epoch(&mut self, ipc: &[f64]) {
        self.now += self.policy.epoch;
        for (total, ipc) in self.total.iter_mut().zip(ipc) {
            total.thread_instructions += (ipc * self.policy.epoch as f64) as u64;
        }
        self.ask(|policy, seen, controls, log| policy.on_interval(seen, controls, log));
    }

    fn quota(&self, sm: usize, kernel: KernelId) -> u32 {
        self.controls.sms[sm].thread_quota[kernel].unwrap()
    }

    fn said(&self, topic: &str) -> Vec<String> {
        self.log.iter().filter(|decision| decision.what.topic() == topic).map(|decision| decision.what.sentence()).collect()
    }
}

/// One kernel with a goal on 16 SMs, two without on 8 each, 1024 threads of each; quotas of the first epoch by CTAs.
#[test]
fn the_start_is_symmetric() {
    let world = World::new(&rollover::INFO, &[Some(0.5), None, None], &[]);
    let allowed = |kernel: KernelId| world.controls.sms.iter().filter(|sm| sm.allowed[kernel]).count();
    assert_eq!(K.map(allowed), [16, 8, 8]);
    assert!((0..16).all(|sm| world.resident[sm].0.iter().all(|&ctas| ctas == 4 || ctas == 0)));
    assert_eq!((world.quota(0, K[0]), world.quota(0, K[1]), world.quota(15, K[1])), (312_500, 1250, 0));
    assert_eq!(world.said("goal"), ["is promised an IPC of 500.0, 50 % of 1000.0 alone"]);
    let sm = &world.controls.sms[0];
    assert_eq!((sm.quota_carry[K[0]], sm.quota_carry[K[1]]), (QuotaCarry::Nothing, QuotaCarry::Nothing));
    assert_eq!((sm.quota_top_up[K[0]], sm.quota_top_up[K[1]], sm.quota_charge), (false, true, QuotaCharge::Completion));
}

/// Without parts, an SM has a third of its threads for each of the three: three of the first one's CTAs, then as many as fit.
#[test]
fn kernels_without_a_goal_may_use_every_sm() {
    let world = World::new(&rollover::INFO, &[Some(0.5), None, None], &[("others_on", Setting::Choice("all"))]);
    assert!(world.controls.sms.iter().all(|sm| K.iter().all(|&kernel| sm.allowed[kernel])));
    assert!((0..16).all(|sm| world.resident[sm].0[..3] == [3, 3, 2]), "{:?}", world.resident[0]);
    assert_eq!((world.quota(0, K[1]), world.quota(15, K[1])), (625, 625), "a sixteenth of 10,000 each");
}

/// An SM that holds six of eight CTAs has three quarters of the quota.
#[test]
fn an_sm_has_its_share_by_its_ctas() {
    let mut world = World::new(&rollover::INFO, &[Some(0.5), None], &[("move_ctas", Setting::Bool(false))]);
    world.resident.iter_mut().for_each(|sm| sm[K[0]] = 0);
    (world.resident[0][K[0]], world.resident[1][K[0]]) = (6, 2);
    world.epoch(&[500.0, 40.0]);
    assert_eq!([0, 1, 2].map(|sm| world.quota(sm, K[0])), [3_750_000, 1_250_000, 0]);
}

/// A launch of CTAs twice as large gets half as many, a launch of small ones their threads back.
#[test]
fn a_launch_of_other_ctas_gets_as_many_threads() {
    let mut world = World::new(&rollover::INFO, &[Some(0.5), None], &[]);
    let targets = |world: &World| [K[0], K[1]].map(|kernel| world.controls.sms[3].cta_target[kernel]);
    assert_eq!(targets(&world), [4, 4]);
    for (threads, ctas) in [(512, 2), (2048, 1), (128, 8), (384, 2), (256, 4)] {
        world.launched.iter_mut().for_each(|sm| sm[K[0]] = (Resources { threads, ..sm[K[0]].0 }, 2048 / threads));
        let launched = Event::KernelLaunched { kernel: K[0], launch: crate::describe::ids::LaunchId(1) };
        world.ask(|policy, seen, controls, log| policy.on_event(launched, seen, controls, log));
        assert_eq!(targets(&world), [ctas, 4], "CTAs of {threads} threads");
    }
}

#[test]
fn a_kernel_behind_gets_more_and_the_others_less() {
    let mut world = World::new(&naive::INFO, &[Some(0.5), None], &[("move_ctas", Setting::Bool(false))]);
    world.epoch(&[400.0, 40.0]);
    assert_eq!(world.quota(0, K[0]), 390_625, "500 × 1.25 × 10,000 / 16");
    assert_eq!(world.quota(0, K[1]), 16_000, "40 × 400 / 625, by 16");
    assert_eq!(world.controls.sms[0].quota_round, 1);
    assert_eq!(world.said("quota")[0], "is at 80 % of its goal: quota × 1.25");
    world.epoch(&[600.0, 25.6]);
    assert_eq!((world.quota(0, K[0]), world.quota(0, K[1])), (312_500, 19_200), "on the mean it is at its goal; 25.6 × 600 / 500");
    let mut plain = World::new(&naive::INFO, &[Some(0.5), None], &[("use_history", Setting::Bool(false))]);
    plain.epoch(&[400.0, 40.0]);
    assert_eq!(plain.quota(0, K[0]), 312_500);
}

/// A kernel is promised 500 and had 400 in its first epoch; SMs 0 and 1 have these thread instructions left. What comes of it: its quotas on three SMs, that of
/// the other kernel, which had 40, on SM 0, and what counters keep.
fn rolled_over(to: &'static str, left: [i64; 2]) -> ([u32; 3], u32, QuotaCarry) {
    let settings = [("move_ctas", Setting::Bool(false)), ("use_history", Setting::Bool(false)), ("rolls_over_to", Setting::Choice(to))];
    let mut world = World::new(&rollover::INFO, &[Some(0.5), None], &settings);
    world.resident.iter_mut().enumerate().for_each(|(sm, ctas)| ctas[K[0]] = [6, 2].get(sm).copied().unwrap_or(0));
    (world.quota_left[0][K[0]], world.quota_left[1][K[0]]) = (left[0], left[1]);
    world.quota_left[0][K[1]] = 700;
    world.epoch(&[400.0, 40.0]);
    ([0, 1, 2].map(|sm| world.quota(sm, K[0])), world.quota(0, K[1]), world.controls.sms[0].quota_carry[K[0]])
}

/// What any SM did not use is the kernel's: it goes to SMs by their CTAs, and the other kernel makes room for all of it.
#[test]
fn what_sms_did_not_use_is_the_kernels() {
    use QuotaCarry::{Nothing, Unused};
    // 5,000,000 and what is left; six of eight CTAs have three quarters of it. The other one gets 40 × 400 / (500 + 100) × 10,000 / 16.
    assert_eq!(rolled_over("kernel", [0, 1_000_000]), ([4_500_000, 1_500_000, 0], 16_667, Nothing));
    assert_eq!(rolled_over("kernel", [-800, 1_000_000]), ([4_500_000, 1_500_000, 0], 16_667, Nothing), "too much is forgiven");
    // One epoch of 400 is a million behind: an epoch's quota is more.
    assert_eq!(rolled_over("kernel_bounded", [0, 1_000_000]), rolled_over("kernel", [0, 1_000_000]));
    assert_eq!(rolled_over("kernel_bounded", [0, 9_000_000]), ([7_500_000, 2_500_000, 0], 10_000, Nothing));
    assert_eq!(rolled_over("sm", [0, 1_000_000]), ([3_750_000, 1_250_000, 0], 20_000, Unused), "40 × 400 / 500");
}

/// Fig. 4c with all CTAs on one SM: 20 of a quota of 100 are left, and the next one begins with 120.
#[test]
fn rollover_on_one_sm_is_the_papers_example() {
    for (to, quota, counter) in [("kernel", 120, 120), ("kernel_bounded", 120, 120), ("sm", 100, 120)] {
        let settings = [("move_ctas", Setting::Bool(false)), ("use_history", Setting::Bool(false)), ("rolls_over_to", Setting::Choice(to))];
        let mut world = World::new(&rollover::INFO, &[Some(0.000_01), None], &settings);
        world.resident[1..].iter_mut().for_each(|sm| sm[K[0]] = 0);
        world.quota_left[0][K[0]] = 20;
        world.epoch(&[0.008, 1.0]);
        assert_eq!(world.quota(0, K[0]), quota, "{to}");
        assert_eq!(world.controls.sms[0].quota_carry[K[0]].filled(20, quota.into(), 1), counter, "{to}");
    }
}

#[test]
fn quotas_follow_ctas_and_rules_follow_the_scheme() {
    let on_each_sm = [("move_ctas", Setting::Bool(false)), ("elastic_scope", Setting::Choice("sm"))];
    let mut world = World::new(&elastic::INFO, &[Some(0.5), None], &on_each_sm);
    world.resident.iter_mut().enumerate().for_each(|(sm, ctas)| ctas[K[0]] = [4, 2, 2].get(sm).copied().unwrap_or(0));
    world.epoch(&[0.8, 1.0]);
    let quotas = [0, 1, 2, 3].map(|sm| world.quota(sm, K[0]));
    assert_eq!(quotas, [16 * 2_500_000, 16 * 1_250_000, 16 * 1_250_000, 0], "alpha is at its cap of 16");
    let sm = &world.controls.sms[0];
    assert_eq!((sm.quota_refill, sm.quota_round, sm.quota_top_up[K[1]]), (QuotaRefill::IntervalOrAllSpent, 0, false));
    assert_eq!((sm.quota_carry[K[0]], sm.quota_carry[K[1]]), (QuotaCarry::Overrun, QuotaCarry::Overrun));
    let world = World::new(&rollover_time::INFO, &[Some(0.5), None], &[]);
    assert_eq!((world.controls.sms[0].issue_rank[K[0]], world.controls.sms[0].issue_rank[K[1]]), (0, 1));
}

/// Behind its goal without idle CTAs, a kernel gets one CTA more on each SM, taken from the one without a goal; no more before that one has left.
#[test]
fn ctas_move_to_a_kernel_behind_its_goal() {
    let mut world = World::new(&rollover::INFO, &[Some(0.5), None], &[]);
    assert_eq!((world.resident[0][K[0]], world.resident[0][K[1]]), (4, 4));
    world.idle_sum[1][K[0]] = 16 * 100;
    world.epoch(&[400.0, 40.0]);
    let targets = |world: &World, sm: usize| (world.controls.sms[sm].cta_target[K[0]], world.controls.sms[sm].cta_target[K[1]]);
    assert_eq!((targets(&world, 0), targets(&world, 1)), ((5, 3), (4, 4)), "two CTAs are idle on SM 1");
    let sms = "SMs 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15";
    let got = alloc::format!("is behind its goal: one CTA more on {sms}");
    assert_eq!(world.said("sm_ctas"), [got, alloc::format!("gives up 15 CTAs on {sms}: it has no goal")]);
    world.epoch(&[400.0, 40.0]);
    assert_eq!(targets(&world, 0), (5, 3), "the CTA has not left");
    for sm in 0..16 {
        (world.resident[sm][K[0]], world.resident[sm][K[1]]) = (targets(&world, sm).0.into(), targets(&world, sm).1.into());
    }
    world.epoch(&[400.0, 40.0]);
    assert_eq!(targets(&world, 0), (6, 2));
    world.waiting = 0;
    for sm in 0..16 {
        (world.resident[sm][K[0]], world.resident[sm][K[1]]) = (targets(&world, sm).0.into(), targets(&world, sm).1.into());
    }
    world.epoch(&[400.0, 40.0]);
    assert_eq!(targets(&world, 0), (6, 2), "it has no CTA to place");
    world.waiting = 1000;
    world.resident[0] = PerKernel::all(0);
    (world.resident[0][K[0]], world.resident[0][K[1]]) = (6, 2);
    world.epoch(&[2000.0, 40.0]);
    assert_eq!(targets(&world, 0), (6, 2), "its goal is kept");
}

/// An epoch ends when every SM of the GPU has used its quotas, and the next one is as long as any.
#[test]
fn an_epoch_of_the_gpu_begins_early() {
    let mut world = World::new(&elastic::INFO, &[Some(0.5), None], &[]);
    assert_eq!(world.controls.sms[0].quota_refill, QuotaRefill::Round);
    world.now = 4000;
    world.total[0].thread_instructions = 4000 * 500;
    world.quota_left[15][K[1]] = 1;
    world.ask(|policy, seen, controls, log| policy.on_event(Event::QuotasSpent { sm: 3 }, seen, controls, log));
    assert_eq!(world.controls.sms[0].quota_round, 0, "the last SM has an instruction left");
    world.quota_left[15][K[1]] = 0;
    world.ask(|policy, seen, controls, log| policy.on_event(Event::QuotasSpent { sm: 15 }, seen, controls, log));
    assert_eq!((world.controls.sms[0].quota_round, world.policy.interval()), (1, Some(14_000)));
    world.ask(|policy, seen, controls, log| policy.on_event(Event::QuotasSpent { sm: 4 }, seen, controls, log));
    assert_eq!(world.controls.sms[0].quota_round, 1, "once");
}
