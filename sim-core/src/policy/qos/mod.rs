//! QoS quotas (Wang, Yang, Melhem, Childers, Zhang and Guo, ISCA 2017): every kernel gets what it was promised, the others get what is left.
//!
//! # Idea
//! A kernel's goal is an IPC on the mean of its run. In each epoch it gets a quota of thread instructions that keeps the goal, shared out to SMs by the
//! CTAs that they hold; a kernel behind its goal gets more (alpha). A kernel without a goal gets a quota too, so that it leaves room, and more of it
//! whenever all kernels of an SM have used theirs. The schemes differ in what a refill keeps: nothing (naive), nothing, but the next epoch begins early
//! (elastic), what kernels with a goal did not use (rollover). CTAs move to kernels behind their goals.
//! # Observes
//! Instructions, resident CTAs, idle warps, what a CTA costs; the IPC of each kernel alone, for goals that are shares of it.
//! # Sets
//! `allowed`, `cta_target`, `cta_switch`, `context_lines`; `thread_quota`, `quota_refill`, `quota_interval`, `quota_round`, `quota_charge`, `quota_carry`,
//! `quota_top_up`, `issue_rank`.
//! # Parameters
//! See `docs/reference/schemes/qos.md`, which has the paper's words beside each that the paper leaves open.
//! # Deviations
//! 1. Quotas of kernels without a goal have a floor (`least_ipc`): the paper's product is stuck at zero once it is there.
//! 2. With `elastic_scope: sm`, an SM whose epoch of its own begins early takes the quotas that hold: they are worked out once in `epoch` cycles.
//! 3. A launch whose CTAs are of another size gets the threads that the kernel has had on each SM: the paper does not speak of launches.
//! 4. Warps that their quota holds back are not idle, and neither are those that lose their scheduler's slot to another: the paper counts warps that are
//!    ready and find the pipeline full. Full are the LSU, shared memory and execution units.

mod place;
mod quota;
#[cfg(test)]
mod tests;
pub(super) mod topics;

use self::place::{Candidate, Why, idle_ctas, partition, symmetric, victim};
use self::quota::{alpha, bound, goal_without, local};
use self::topics::{GaveCtas, GoalQuota, GotCtas, LeftQuota, Promised, SymmetricCtas, TOPICS};
use super::ctas::decide_ctas;
use super::scheme::{Absent, Member, Mix, Param, Policy, PolicyInfo, Shape, schemes};
use super::spatial::Sms;
use crate::describe::error::Problems;
use crate::describe::goal::LEAST_RATE;
use crate::describe::gpu::occupancy::Resources;
use crate::describe::ids::{Cycle, KernelId, PerKernel};
use crate::describe::value::Value;
use crate::interface::controls::{Controls, QuotaCarry, QuotaCharge, QuotaRefill};
use crate::interface::decision::{Log, decide};
use crate::interface::event::{Event, EventKind, EventKinds};
use crate::interface::observation::{By, Needs, Observation};
use crate::interface::ratios::peak_ipc;
use crate::interface::shown::{Column, Row, Table};
use crate::interface::stats::KernelStats;
use alloc::format;
use alloc::vec::Vec;

const SOURCE: &str = "Wang et al., ISCA 2017";

/// IPC alone, of which goals may be shares.
pub(super) const IPC_ALONE: Param = Param {
    name: "ipc_alone",
    shape: Shape::PerKernel(&Shape::Number { min: LEAST_RATE, max: 1e6 }),
    unit: "thread instructions per cycle",
    absent: Absent::Words("measured before the run, in runs as long as it"),
    doc: "IPC of each kernel alone, of which goals are shares, in the order of the mix",
};

/// Cycles between two decisions of the schemes with goals.
pub(super) const EPOCH: Param = Param::int("epoch", (1, 100_000_000), 10_000, "cycles", "Length of an epoch (§4.1)");

/// Samples of idle warps in an epoch.
const IDLE_SAMPLES: Cycle = 100;

const KEEP_OVERRUN: Param = Param::constant(
    "keep_overrun",
    Absent::Flag(false),
    "What a kernel with a goal used too much is forgiven: the paper rolls over what was not used. Kept, 90 % of 20 goals were reached as without",
);

const ROLLS_OVER_TO: Param = Param::choice(
    "rolls_over_to",
    &["kernel", "kernel_bounded", "sm"],
    "kernel",
    "Whose a quota is that was not used. kernel: the kernel's (§3.4.4), shared out by CTAs again; its quota with all of it stands for alpha times goal in \
     §3.5. kernel_bounded: so too, at most what the kernel is behind its goal, or an epoch's quota if that is more. sm: its SM's, as Fig. 4c draws the \
     counter; alpha times goal in §3.5, as printed",
);

/// The parameters that all of the schemes have, and those of one.
macro_rules! params {
    ($($own:expr),*) => { &[
        EPOCH,
        IPC_ALONE,
        Param::flag("use_history", true, "A kernel behind its goal gets more: alpha (§3.4.2)"),
        Param::number("alpha_cap", (1.0, 1e6), 16.0, "", "Greatest alpha; the paper names no bound"),
        Param::number("alpha_power", (0.0, 10.0), 1.0, "", "Alpha is goal over history to this power; the paper's is 1, and it tried more aggressive ones"),
        Param::number("first_ipc", (0.0, 1e6), 1.0, "thread instructions per cycle", "Goal of a kernel without one in the first epoch (§3.5)"),
        Param::number("least_ipc", (0.0, 1e6), 1.0, "thread instructions per cycle", "Least goal of a kernel without one; the paper's product has no floor: 0"),
        Param::choice("charge", &["completion", "issue"], "completion", "When an instruction counts against its quota. completion: as it completes, as in the paper; issue: as it issues"),
        Param::constant("share_by", Absent::Name("resident"), "An SM's share of a quota is by the CTAs that it holds, as in the paper (§3.4.1). As much for each SM kept 85 % of 20 goals in place of 90"),
        Param::constant("share_rounding", Absent::Name("nearest"), "An SM's share is rounded to the nearest, so that the shares add up to the quota; the paper does not say"),
        Param::choice("others_on", &["parts", "all"], "parts", "SMs of kernels without a goal. parts: each has a part of the SMs, as in the paper; all: each may use every SM (§3.6)"),
        Param::flag("move_ctas", true, "CTAs move to kernels behind their goals (§3.6)"),
        Param::choice("make_room", &["context_switch", "free", "drain"], "context_switch", "How CTAs leave. context_switch: their context travels to memory; free: it is gone at once; drain: they finish"),
        Param::constant("idle_samples", Absent::Int(IDLE_SAMPLES as i64), "Samples of idle warps in an epoch (§4.1)"),
        Param::int("least_ctas", (0, 64), 1, "CTAs per SM", "CTAs that a kernel without a goal keeps on each of its SMs; the paper names no least: 0"),
        Param::constant("margin_of", Absent::Name("sm"), "A kernel's margin is counted over its CTAs on the SM that loses some"),
        $($own),*
    ] };
}

/// Every SM holds a CTA of each kernel with a goal.
fn check(_: &Member, mix: Mix, problems: &mut Problems) {
    if !mix.goals_fit {
        problems.add(mix.path, "more kernels with a goal than fit an SM together", "a CTA of each of them on every SM at once");
    }
}

schemes! { Qos, SOURCE, check, TOPICS;
    naive QosNaive "qos-naive" "QoS naive: quotas, anew in each epoch" "Quotas that keep goals, full again in each epoch" params![];
    elastic QosElastic "qos-elastic" "QoS elastic: quotas, epochs end once they are used" "Quotas that keep goals; the next epoch begins once all are used" params![
        Param::choice("elastic_scope", &["sm", "gpu"], "gpu", "Where all quotas have to be used. sm: on an SM, which has an epoch of its own then; gpu: on every SM. Not stated: one manager allocates the quotas of all SMs (§3.3)"),
        Param::constant("keep_unused", Absent::Flag(false), "What was not used when time ends an epoch is lost: to keep it is what rollover adds")
    ];
    rollover QosRollover "qos-rollover" "QoS rollover: quotas, what is left is kept" "Quotas that keep goals; what kernels with a goal did not use is kept" params![
        ROLLS_OVER_TO,
        KEEP_OVERRUN
    ];
    rollover_time QosRolloverTime "qos-rollover-time" "QoS rollover-time: quotas, goals first" "As qos-rollover; kernels without a goal issue once all quotas of those with one are used" params![
        ROLLS_OVER_TO,
        KEEP_OVERRUN
    ];
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Qos {
    spec: Member,
    epoch: Cycle,
    kernels: Vec<Learned>,
    /// When the policy began, when the present epoch did, and when it was asked at an interval last.
    began: Cycle,
    epoch_began: Cycle,
    asked_at: Cycle,
    /// Epochs so far.
    rounds: u32,
    /// Threads that each SM may hold of each kernel: a launch whose CTAs are of another size gets as many.
    threads: Vec<PerKernel<u32>>,
    /// What moves were last decided on, by SM; nothing before the first.
    judged: Vec<Judged>,
}

/// What was found of an SM when moves were decided on, and what was decided.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Judged {
    /// Idle CTAs of each kernel.
    idle: PerKernel<u32>,
    /// CTAs that each kernel has got, or given up.
    moved: PerKernel<i32>,
}

/// What the policy knows of a kernel.
#[derive(Clone, PartialEq, Debug)]
struct Learned {
    /// The IPC that it is promised, if it is.
    goal: Option<f64>,
    /// Thread instructions when the policy began, and when the present epoch did.
    before: u64,
    before_epoch: u64,
    /// The IPC that its quota is for, but for what has rolled over.
    rate: f64,
    /// Thread instructions of its quota that have rolled over from the last epoch, of all SMs.
    rolled_over: f64,
    /// What was said of its quota last.
    said: f64,
}

/// One CTA more of a kernel on an SM, and whose CTAs make room for it, how many, and why.
struct Moved {
    sm: u32,
    kernel: KernelId,
    from: Option<(KernelId, u32, Why)>,
}

/// What a kernel has done.
#[derive(Clone, Copy, Debug)]
struct Done {
    /// IPC since the policy began, and in the last epoch.
    history: f64,
    epoch: f64,
}

impl Policy for Qos {
    fn needs(&self) -> Needs {
        if self.spec.numbers("ipc_alone").is_empty() { Needs::of(By::AsLong, 0) } else { Needs::default() }
    }

    fn keeps_goals(&self) -> bool {
        true
    }

    fn interval(&self) -> Option<Cycle> {
        // An epoch that began early ends later.
        Some(self.epoch_began + self.epoch - self.asked_at)
    }

    fn sampling(&self) -> Option<Cycle> {
        self.spec.flag("move_ctas").then_some((self.epoch / IDLE_SAMPLES).max(1))
    }

    fn wants(&self) -> EventKinds {
        if self.is("qos-elastic") && self.spec.choice("elastic_scope") == "gpu" {
            EventKinds::of(&[EventKind::KernelLaunched, EventKind::QuotasSpent])
        } else {
            EventKinds::of(&[EventKind::KernelLaunched])
        }
    }

    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        (self.began, self.epoch_began, self.asked_at) = (seen.now, seen.now, seen.now);
        let goals = goals(seen, self.spec.numbers("ipc_alone"));
        self.kernels.clear();
        for ((kernel, total), (goal, alone)) in KernelId::first(seen.kernels).zip(seen.total).zip(goals) {
            let (before, rate) = (total.thread_instructions, goal.unwrap_or(self.first_ipc()));
            self.kernels.push(Learned { goal, before, before_epoch: before, rate, rolled_over: 0.0, said: 0.0 });
            if let Some(goal) = goal {
                decide(log, seen, kernel, Promised { goal, alone });
            }
        }
        self.place(seen, controls, log);
        self.set_rules(controls);
        self.set_quotas(seen, controls);
    }

    fn on_interval(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        self.asked_at = seen.now;
        self.begin_epoch(seen, controls, log);
    }

    fn on_event(&mut self, event: Event, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        if let Event::KernelLaunched { kernel, .. } = event {
            return self.fit_launch(kernel, seen, controls);
        }
        let spent = |(resident, left): (&PerKernel<u32>, &PerKernel<i64>)| {
            resident.0.iter().zip(left.0).all(|(&ctas, left)| ctas == 0 || left <= 0)
        };
        let any = seen.resident.iter().any(|sm| sm.0.iter().any(|&ctas| ctas > 0));
        if any && seen.now > self.epoch_began && seen.resident.iter().zip(seen.quota_left).all(spent) {
            self.begin_epoch(seen, controls, log);
        }
    }

    fn shows(&self, seen: &Observation) -> Vec<Table> {
        let moves = self.spec.flag("move_ctas").then(|| self.moves_shown(seen));
        [self.goals_shown(seen)].into_iter().chain(moves).collect()
    }
}

impl Qos {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        let epoch = spec.int("epoch") as Cycle;
        Qos {
            spec: spec.clone(),
            epoch,
            kernels: Vec::new(),
            began: 0,
            epoch_began: 0,
            asked_at: 0,
            rounds: 0,
            threads: Vec::new(),
            judged: Vec::new(),
        }
    }

    fn is(&self, name: &str) -> bool {
        self.spec.name() == name
    }

    /// Where what a kernel with a goal did not use goes, if it is not lost.
    fn rolls_over_to(&self) -> Option<&str> {
        (self.is("qos-rollover") || self.is("qos-rollover-time")).then(|| self.spec.choice("rolls_over_to"))
    }

    fn first_ipc(&self) -> f64 {
        self.spec.number("first_ipc").max(self.spec.number("least_ipc"))
    }

    // --- quotas ------------------------------------------------------------------------------------------------------------------

    /// What never changes: when instructions count, what refills keep, who gets more, and who goes first.
    fn set_rules(&self, controls: &mut Controls) {
        let (elastic, by_sm) = (self.is("qos-elastic"), self.rolls_over_to() == Some("sm"));
        let early = elastic && self.spec.choice("elastic_scope") == "sm";
        let charge = if self.spec.choice("charge") == "issue" { QuotaCharge::Issue } else { QuotaCharge::Completion };
        controls.each_sm(|sm| {
            sm.quota_charge = charge;
            sm.quota_refill = if early { QuotaRefill::IntervalOrAllSpent } else { QuotaRefill::Round };
            sm.quota_interval = self.epoch as u32;
            for (kernel, learned) in KernelId::first(self.kernels.len()).zip(&self.kernels) {
                let has_goal = learned.goal.is_some();
                sm.quota_carry[kernel] = match has_goal {
                    _ if elastic => QuotaCarry::Overrun,
                    true if by_sm => QuotaCarry::Unused,
                    _ => QuotaCarry::Nothing,
                };
                sm.quota_top_up[kernel] = !elastic && !has_goal;
                sm.issue_rank[kernel] = u8::from(self.is("qos-rollover-time") && !has_goal);
            }
        });
    }

    /// Gives each SM its share of each kernel's quota.
    fn set_quotas(&self, seen: &Observation, controls: &mut Controls) {
        for (kernel, learned) in KernelId::first(seen.kernels).zip(&self.kernels) {
            let resident = |sm: usize| seen.resident.get(sm).map_or(0, |ctas| ctas[kernel]);
            // Before anything is placed, by what may be.
            let none = (0..controls.sms.len()).all(|sm| resident(sm) == 0);
            let ctas: Vec<u32> = if none {
                controls.sms.iter().map(|sm| if sm.allowed[kernel] { sm.cta_target[kernel].into() } else { 0 }).collect()
            } else {
                (0..controls.sms.len()).map(resident).collect()
            };
            let all = ctas.iter().sum();
            for (sm, ctas) in controls.sms.iter_mut().zip(ctas) {
                sm.thread_quota[kernel] = Some(local(learned.quota(self.epoch), ctas, all));
            }
        }
    }

    /// Works out quotas and CTAs for the next epoch from what the last one has shown.
    fn begin_epoch(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let done = self.done(seen);
        let (power, cap) = (self.spec.number("alpha_power"), self.spec.number("alpha_cap"));
        let scale = |goal: f64, history: f64| if self.spec.flag("use_history") { alpha(goal, history, power, cap) } else { 1.0 };
        let wanted: Vec<Option<f64>> =
            self.kernels.iter().zip(&done).map(|(learned, done)| learned.goal.map(|goal| goal * scale(goal, done.history))).collect();
        let rolled_over: Vec<f64> = KernelId::first(seen.kernels).map(|kernel| self.rolled_over(seen, kernel, &done)).collect();
        let quotas: Vec<Option<f64>> =
            wanted.iter().zip(&rolled_over).map(|(wanted, more)| Some((*wanted)? + more / self.epoch as f64)).collect();
        let (least, most) = (self.spec.number("least_ipc"), f64::from(peak_ipc(seen.gpu)));
        for (kernel, (learned, &wanted_here)) in KernelId::first(seen.kernels).zip(self.kernels.iter_mut().zip(&wanted)) {
            let own = done[kernel.index()];
            let others = done.iter().zip(&quotas).filter_map(|(done, quota)| Some((done.epoch, (*quota)?)));
            learned.rolled_over = rolled_over[kernel.index()];
            learned.rate = wanted_here.unwrap_or_else(|| goal_without(own.epoch, others, least, most));
            learned.say(seen, kernel, own.history, log);
        }
        if self.spec.flag("move_ctas") {
            self.move_ctas(seen, &done, controls, log);
        }
        self.set_quotas(seen, controls);
        if controls.sms[0].quota_refill == QuotaRefill::Round {
            self.rounds = (self.rounds + 1) % 1_000_000_000;
            controls.each_sm(|sm| sm.quota_round = self.rounds);
        }
        self.epoch_began = seen.now;
        self.kernels.iter_mut().zip(seen.total).for_each(|(learned, total)| learned.before_epoch = total.thread_instructions);
    }

    /// What all SMs have left of a kernel's quota together, where that goes into its next one.
    fn rolled_over(&self, seen: &Observation, kernel: KernelId, done: &[Done]) -> f64 {
        let (Some(goal), Some(to)) = (self.kernels[kernel.index()].goal, self.rolls_over_to()) else { return 0.0 };
        let left = seen.quota_left.iter().map(|left| left[kernel].max(0) as f64).sum::<f64>();
        match to {
            "sm" => 0.0,
            "kernel_bounded" => left.min(bound(goal, done[kernel.index()].history, seen.now - self.began, self.epoch)),
            _ => left,
        }
    }

    fn done(&self, seen: &Observation) -> Vec<Done> {
        let per_cycle = |instructions: u64, since: Cycle| instructions as f64 / (seen.now - since).max(1) as f64;
        let of = |(learned, total): (&Learned, &KernelStats)| Done {
            history: per_cycle(total.thread_instructions - learned.before, self.began),
            epoch: per_cycle(total.thread_instructions - learned.before_epoch, self.epoch_began),
        };
        self.kernels.iter().zip(seen.total).map(of).collect()
    }

    // --- CTAs --------------------------------------------------------------------------------------------------------------------

    /// The symmetric start.
    fn place(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let has_goal: Vec<bool> = self.kernels.iter().map(|learned| learned.goal.is_some()).collect();
        let mut parts = partition(controls.sms.len(), &has_goal);
        if self.spec.choice("others_on") == "all" {
            parts.iter_mut().for_each(|sm| sm.fill(true));
        }
        for kernel in KernelId::first(seen.kernels) {
            // Of unlike SMs, a part may hold none of the CTAs of a kernel's largest launch.
            let holds = |sm: usize| seen.cta_cost[sm][kernel].fits(Resources::default(), Resources::of_class(seen.gpu.class_of(sm as u32)));
            let fits = parts.iter().enumerate().any(|(sm, may_use)| may_use[kernel.index()] && holds(sm));
            parts.iter_mut().for_each(|sm| sm[kernel.index()] |= !fits);
        }
        let placed: Vec<Vec<u32>> = parts
            .iter()
            .enumerate()
            .map(|(sm, may_use)| {
                let (costs, mut limits) = seen.launched_on(sm);
                limits
                    .iter_mut()
                    .zip(KernelId::first(seen.kernels))
                    .for_each(|(limit, kernel)| *limit = (*limit).min(seen.grid_per_sm(kernel)));
                symmetric(&costs, &limits, may_use, Resources::of_class(seen.gpu.class_of(sm as u32)))
            })
            .collect();
        let switches = self.spec.choice("make_room") != "drain";
        self.threads = alloc::vec![PerKernel::all(0); controls.sms.len()];
        for kernel in KernelId::first(seen.kernels) {
            for (number, (ctas, may_use)) in placed.iter().zip(&parts).enumerate() {
                // What does not fit beside the others waits for room.
                self.allow(number, kernel, ctas[kernel.index()].max(1), seen, controls);
                let sm = &mut controls.sms[number];
                sm.allowed[kernel] = may_use[kernel.index()];
                sm.cta_switch[kernel] = switches;
                sm.context_lines[kernel] = (self.spec.choice("make_room") == "free").then_some(0);
            }
            let own = || parts.iter().enumerate().filter(|(_, sm)| sm[kernel.index()]).map(|(sm, _)| sm as u32);
            let first = own().next().unwrap_or(0);
            decide(log, seen, kernel, Sms { sms: own().count() as u32, first });
            let ctas = placed[first as usize][kernel.index()];
            decide_ctas(log, seen, kernel, SymmetricCtas { ctas }, |sm| placed[sm][kernel.index()]);
        }
    }

    /// Lets an SM hold so many CTAs of a kernel.
    fn allow(&mut self, sm: usize, kernel: KernelId, ctas: u32, seen: &Observation, controls: &mut Controls) {
        controls.sms[sm].cta_target[kernel] = ctas as u16;
        self.threads[sm][kernel] = ctas * seen.launched[sm][kernel].0.threads;
    }

    /// Lets each SM hold as many threads of a kernel's new launch as of those before.
    fn fit_launch(&self, kernel: KernelId, seen: &Observation, controls: &mut Controls) {
        for ((sm, threads), launched) in controls.sms.iter_mut().zip(&self.threads).zip(seen.launched) {
            sm.cta_target[kernel] = (threads[kernel] / launched[kernel].0.threads).max(1) as u16;
        }
    }

    /// On each SM, one CTA more for each kernel behind its goal that has no idle ones, if it has CTAs that wait and none is still to leave.
    fn move_ctas(&mut self, seen: &Observation, done: &[Done], controls: &mut Controls, log: &mut Log) {
        let target = |sm: usize, kernel: KernelId, controls: &Controls| u32::from(controls.sms[sm].cta_target[kernel]);
        let kernels = KernelId::first(seen.kernels);
        let leaving =
            (0..controls.sms.len()).any(|sm| kernels.clone().any(|kernel| seen.resident[sm][kernel] > target(sm, kernel, controls)));
        if leaving {
            return;
        }
        self.judged.clear();
        let mut moves = Vec::new();
        for sm in 0..controls.sms.len() {
            let mut resident = seen.resident[sm];
            for kernel in kernels.clone() {
                let behind = self.kernels[kernel.index()].goal.is_some_and(|goal| done[kernel.index()].history < goal);
                let waits = seen.progress[kernel.index()].waiting > 0;
                if behind && waits && resident[kernel] < seen.launched[sm][kernel].1 && self.idle(seen, sm, kernel) <= 1 {
                    moves.extend(self.add_cta(seen, done, (sm, kernel), &mut resident, controls));
                }
            }
            let mut judged = Judged { idle: PerKernel::all(0), moved: PerKernel::all(0) };
            for kernel in kernels.clone() {
                judged.idle[kernel] = self.idle(seen, sm, kernel);
                judged.moved[kernel] = resident[kernel] as i32 - seen.resident[sm][kernel] as i32;
            }
            self.judged.push(judged);
        }
        say_moves(&moves, seen, log);
    }

    /// Makes room for one CTA more of a kernel on an SM, if it can be made.
    fn add_cta(
        &mut self,
        seen: &Observation,
        done: &[Done],
        (sm, kernel): (usize, KernelId),
        resident: &mut PerKernel<u32>,
        controls: &mut Controls,
    ) -> Option<Moved> {
        let (costs, _) = seen.launched_on(sm);
        let mut room = Resources::of_class(seen.gpu.class_of(sm as u32));
        for (other, cost) in KernelId::first(seen.kernels).zip(&costs) {
            (0..resident[other]).for_each(|_| room.take(cost.least(room)));
        }
        let cost = costs[kernel.index()];
        let mut from = None;
        if !Resources::default().fits(cost, room) {
            let candidates: Vec<Candidate> = KernelId::first(seen.kernels)
                .filter(|&other| other != kernel)
                .map(|other| self.candidate(seen, done, sm, other, resident[other], costs[other.index()]))
                .collect();
            let (other, ctas, why) = victim(&candidates, cost, room)?;
            resident[other] -= ctas;
            self.allow(sm, other, resident[other], seen, controls);
            from = Some((other, ctas, why));
        }
        resident[kernel] += 1;
        self.allow(sm, kernel, resident[kernel], seen, controls);
        Some(Moved { sm: sm as u32, kernel, from })
    }

    fn candidate(&self, seen: &Observation, done: &[Done], sm: usize, kernel: KernelId, ctas: u32, cost: Resources) -> Candidate {
        let goal = self.kernels[kernel.index()].goal;
        Candidate {
            kernel,
            ctas,
            keeps: if goal.is_none() { self.spec.int("least_ctas") as u32 } else { 0 },
            cost,
            idle: self.idle(seen, sm, kernel),
            history: done[kernel.index()].history,
            goal,
        }
    }

    // --- what people watch -------------------------------------------------------------------------------------------------------

    /// How each kernel stands to its goal, and the quota of its epoch.
    fn goals_shown(&self, seen: &Observation) -> Table {
        let row = |((kernel, learned), done): ((KernelId, &Learned), Done)| Row {
            name: Value::Null,
            kernel: Some(kernel),
            cells: alloc::vec![
                learned.goal.into(),
                done.history.into(),
                done.epoch.into(),
                learned.goal.map(|goal| learned.rate / goal).into(),
                learned.quota(self.epoch).into(),
                learned.rolled_over.into(),
            ],
        };
        Table {
            key: "qos",
            title: format!("Goals, and the quotas of the epoch that began at cycle {}", self.epoch_began),
            doc: "A kernel behind its goal gets alpha times the quota that keeps the goal; one without a goal gets what is left (QoS §3.4, §3.5)",
            row: "",
            course: None,
            columns: alloc::vec![
                Column::of("Goal", "IPC", "Thread instructions per cycle that it is promised; nothing without a goal"),
                Column::of("So far", "IPC", "Its IPC since the policy began"),
                Column::of("This epoch", "IPC", "Its IPC in the present epoch so far"),
                Column::of("Alpha", "", "Its quota, but for what has rolled over, in parts of what keeps the goal"),
                Column::of("Quota", "instructions", "Thread instructions of the whole GPU in this epoch"),
                Column::of("Rolled over", "instructions", "What of these was not used in the epoch before and is the kernel's"),
            ],
            rows: KernelId::first(seen.kernels).zip(&self.kernels).zip(self.done(seen)).map(row).collect(),
        }
    }

    /// Idle warps and CTAs of each SM, and what was last moved for them.
    fn moves_shown(&self, seen: &Observation) -> Table {
        let warps = |sm: usize, kernel: KernelId| f64::from(seen.idle_sum[sm][kernel]) / f64::from(seen.idle_samples);
        let cells = |sm: usize, kernel: KernelId| {
            let judged = self.judged.get(sm);
            [
                Value::from(seen.resident[sm][kernel]),
                (seen.idle_samples > 0).then(|| warps(sm, kernel)).into(),
                judged.map(|judged| judged.idle[kernel]).into(),
                judged.map(|judged| i64::from(judged.moved[kernel])).into(),
            ]
        };
        let row = |sm: usize| Row {
            name: sm.into(),
            kernel: None,
            cells: KernelId::first(seen.kernels).flat_map(|kernel| cells(sm, kernel)).collect(),
        };
        Table {
            key: "qos_moves",
            title: "Idle warps and CTAs, on which moves are decided".into(),
            doc: "A kernel behind its goal gets a CTA more where it has no idle ones; room comes from kernels without a goal, with idle CTAs, or with a margin, in this order (QoS §3.6)",
            row: "SM",
            course: None,
            columns: Column::for_each(
                seen.kernels,
                &[
                    ("CTAs", "", "Resident CTAs"),
                    ("Idle warps", "", "Warps that are ready for a unit that takes nothing, mean of the samples of this epoch so far"),
                    ("Idle CTAs", "", "As many as its idle warps fill, when moves were last decided on"),
                    ("Moved", "CTAs", "CTAs that it got, or gave up, at that decision"),
                ],
            ),
            rows: (0..seen.resident.len()).map(row).collect(),
        }
    }

    /// Idle CTAs of a kernel on an SM in the last epoch.
    fn idle(&self, seen: &Observation, sm: usize, kernel: KernelId) -> u32 {
        let warps = f64::from(seen.idle_sum[sm][kernel]) / f64::from(seen.idle_samples.max(1));
        idle_ctas(warps, seen.launched[sm][kernel].0.threads / 32)
    }
}

impl Learned {
    /// Thread instructions that it gets for an epoch, on all SMs together.
    fn quota(&self, epoch: Cycle) -> f64 {
        self.rate * epoch as f64 + self.rolled_over
    }

    /// Writes down what the kernel's quota is for, where people would see a difference.
    fn say(&mut self, seen: &Observation, kernel: KernelId, history: f64, log: &mut Log) {
        match self.goal {
            Some(goal) if libm::round(100.0 * self.rate / goal) != self.said => {
                self.said = libm::round(100.0 * self.rate / goal);
                decide(log, seen, kernel, GoalQuota { alpha: self.rate / goal, goal, history });
            }
            None if self.rate > 1.1 * self.said || self.rate < 0.9 * self.said => {
                self.said = self.rate;
                decide(log, seen, kernel, LeftQuota { ipc: self.rate });
            }
            _ => {}
        }
    }
}

/// Writes down what moves, for all SMs of a kernel at once.
fn say_moves(moves: &[Moved], seen: &Observation, log: &mut Log) {
    for kernel in KernelId::first(seen.kernels) {
        for why in [Why::NoGoal, Why::Idle, Why::Margin] {
            let given =
                || moves.iter().filter_map(|moved| Some((moved.sm, moved.from.filter(|from| (from.0, from.2) == (kernel, why))?.1)));
            let mut sms: Vec<u32> = given().map(|(sm, _)| sm).collect();
            sms.dedup();
            if !sms.is_empty() {
                decide(log, seen, kernel, GaveCtas { sms, ctas: given().map(|(_, ctas)| ctas).sum(), why: why.key() });
            }
        }
        let sms: Vec<u32> = moves.iter().filter(|moved| moved.kernel == kernel).map(|moved| moved.sm).collect();
        if !sms.is_empty() {
            decide(log, seen, kernel, GotCtas { sms });
        }
    }
}

/// The IPC that each kernel is promised, and its IPC alone where that is known; `given` is IPC alone that the policy was given.
pub(super) fn goals(seen: &Observation, given: &[f64]) -> Vec<(Option<f64>, Option<f64>)> {
    let measured = seen.profile.each(|run| run.ipc);
    let alone = if given.is_empty() { &measured[..] } else { given };
    let of = |kernel: usize| {
        let alone = alone.get(kernel).copied();
        (seen.goals.get(kernel).copied().flatten().and_then(|goal| goal.ipc(alone)), alone)
    };
    (0..seen.kernels).map(of).collect()
}
