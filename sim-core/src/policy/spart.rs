//! Spart: whole SMs for each kernel, as many as its goal takes, found by hill climbing while the kernels run.
//!
//! # Idea
//! Aguilera, Morrow and Kim, ASP-DAC 2014, the baseline of Wang et al., ISCA 2017: kernels with goals get SMs of their own until they keep them, the others
//! get what is left. The rule of the original is not public; what stands here is our reading of what Wang et al. say of it.
//! # Observes
//! Instructions; the IPC of each kernel alone, for goals that are shares of it.
//! # Sets
//! `allowed`, `cta_switch`, `context_lines`.
//! # Parameters
//! See `docs/reference/schemes/spart.md`.
//! # Deviations
//! 1. Every `epoch`, a kernel behind its goal gets an SM, from the kernel without a goal that has most, else from the kernel with the
//!    largest margin. A kernel that would keep its goal with one SM less, by a linear estimate, gives one to the kernel without a goal
//!    that has fewest. No kernel is part of two moves within `rest` epochs. A kernel that has ended gives all its SMs away.
//! 2. With `rule` linear, the SMs of each kernel follow from one estimate of its IPC per SM, in every epoch.

use super::qos::topics::Promised;
use super::qos::{EPOCH, IPC_ALONE, goals};
use super::scheme::{Absent, Member, Param, Policy, PolicyInfo};
use super::spatial;
use super::spatial::Sms;
use crate::describe::ids::{Cycle, KernelId};
use crate::interface::controls::Controls;
use crate::interface::decision::{Log, count, decide, percent, topics};
use crate::interface::observation::{By, Needs, Observation};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Epochs in which a kernel is part of one move.
const REST: u64 = 2;

/// Epochs without a number of SMs that is new to a kernel after which the climb is over: from then on, SMs go to and fro.
const CLIMBED: u64 = 4 * REST;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "spart",
    title: "Spart: SMs by hill climbing",
    source: "Aguilera et al., ASP-DAC 2014, as Wang et al., ISCA 2017, compare it; the rule is our reading",
    doc: "Whole SMs for each kernel: as many as its goal takes, the rest for kernels without one",
    params: &[
        Param { doc: "Cycles between two decisions", ..EPOCH },
        IPC_ALONE,
        Param::choice(
            "rule",
            &["climb", "linear"],
            "climb",
            "How SMs are found. climb: an SM at a time, as Wang et al. compare it (§4.1); linear: what a linear model of IPC by SMs asks for, as they describe it (§5)",
        ),
        Param::constant(
            "margin",
            Absent::Number(1.0),
            "A kernel gives up an SM if it would still have more than so many times its goal: the goal is all that it is promised",
        ),
        Param::constant(
            "rest",
            Absent::Int(REST as i64),
            "A kernel is part of one move in so many epochs: the one after a move shows what it brought",
        ),
        Param::constant(
            "least_sms",
            Absent::Int(0),
            "SMs that a kernel without a goal keeps: it may be left without any, which Wang et al. criticise",
        ),
        Param::choice(
            "make_room",
            &["context_switch", "free", "drain"],
            "context_switch",
            "How CTAs leave an SM. context_switch: their context travels to memory; free: it is gone at once; drain: they finish",
        ),
    ],
    topics: TOPICS,
    check: |_, mix, problems| {
        spatial::parts_fit(&spatial::parts(&[], mix.sms as u32, mix.kernels as u32), "name", mix, problems);
    },
};

topics! {
    MovedSm "sms_moved", "That an SM goes from one kernel to another" {
        sm: u32, "", "The SM";
        sms: u32, "SMs", "What it has now";
        gets: u32, "", "1 if it gets the SM, 0 if it gives it";
        of_goal: Option<f64>, "of its goal", "How it stands to its goal; missing without one";
    } => {
        let stands = of_goal.map_or(String::new(), |part| format!("is at {} of its goal: ", percent(part)));
        let what = if *gets == 1 { "gets" } else { "gives up" };
        format!("{stands}{what} SM {sm}, {} now", count(*sms, "SM"))
    };
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Spart {
    spec: Member,
    kernels: Vec<Held>,
    began: Cycle,
    epochs: u64,
    /// The last epoch in which a kernel had fewer or more SMs than ever before.
    explored: u64,
}

/// What a kernel has.
#[derive(Clone, PartialEq, Debug)]
struct Held {
    goal: Option<f64>,
    /// Its SMs.
    sms: Vec<u32>,
    /// The fewest and the most that it has had at the end of an epoch.
    range: (usize, usize),
    /// Thread instructions when the policy began.
    before: u64,
    /// Its IPC since then.
    history: f64,
    /// Whether it has ended: it has run, and did nothing in the last epoch.
    ended: bool,
    /// Sum of its SMs over epochs, for the IPC that an SM makes of it.
    sm_epochs: u64,
    /// The epoch of its last move.
    moved: Option<u64>,
}

impl Policy for Spart {
    fn needs(&self) -> Needs {
        if self.spec.numbers("ipc_alone").is_empty() { Needs::of(By::AsLong, 0) } else { Needs::default() }
    }

    fn keeps_goals(&self) -> bool {
        true
    }

    fn interval(&self) -> Option<Cycle> {
        Some(self.spec.int("epoch") as Cycle)
    }

    fn learns(&self) -> bool {
        self.epochs < self.explored + CLIMBED
    }

    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        (self.began, self.epochs, self.explored) = (seen.now, 0, 0);
        let parts = spatial::parts(&[], seen.gpu.sm_count(), seen.kernels as u32);
        let goals = goals(seen, self.spec.numbers("ipc_alone"));
        self.kernels.clear();
        for (((kernel, total), (first, count)), (goal, alone)) in KernelId::first(seen.kernels).zip(seen.total).zip(parts).zip(goals) {
            let before = total.thread_instructions;
            self.kernels.push(Held {
                goal,
                sms: (first..first + count).collect(),
                range: (count as usize, count as usize),
                before,
                history: 0.0,
                ended: false,
                sm_epochs: 0,
                moved: None,
            });
            if let Some(goal) = goal {
                decide(log, seen, kernel, Promised { goal, alone });
            }
            decide(log, seen, kernel, Sms { sms: count, first });
        }
        let room = self.spec.choice("make_room");
        controls.each_sm(|sm| {
            for kernel in KernelId::first(seen.kernels) {
                sm.cta_switch[kernel] = room != "drain";
                sm.context_lines[kernel] = (room == "free").then_some(0);
            }
        });
        self.set(controls);
    }

    fn on_interval(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        self.epochs += 1;
        for (kernel, (held, total)) in self.kernels.iter_mut().zip(seen.total).enumerate() {
            let idle = seen.window.get(kernel).is_some_and(|window| window.thread_instructions == 0);
            held.ended = idle && seen.progress.get(kernel).is_some_and(|progress| progress.runs > 0 && progress.placed == 0);
            held.history = (total.thread_instructions - held.before) as f64 / (seen.now - self.began).max(1) as f64;
            held.sm_epochs += held.sms.len() as u64;
        }
        // With fewer SMs than kernels they share SMs, and there is nothing to move.
        if seen.gpu.sm_count() as usize >= seen.kernels {
            self.bequeath(seen, log);
            match self.spec.choice("rule") {
                "linear" => self.follow_model(seen, log),
                _ => self.climb(seen, log),
            }
            self.set(controls);
        }
        for held in &mut self.kernels {
            let (fewest, most) = held.range;
            held.range = (fewest.min(held.sms.len()), most.max(held.sms.len()));
            if held.range != (fewest, most) {
                self.explored = self.epochs;
            }
        }
    }
}

impl Spart {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        Spart { spec: spec.clone(), kernels: Vec::new(), began: 0, epochs: 0, explored: 0 }
    }

    /// Lets each kernel use its SMs.
    fn set(&self, controls: &mut Controls) {
        for (kernel, held) in KernelId::first(self.kernels.len()).zip(&self.kernels) {
            for (number, sm) in (0..).zip(&mut controls.sms) {
                sm.allowed[kernel] = held.sms.contains(&number);
            }
        }
    }

    /// The SMs of kernels that have ended go to those with fewest that have not.
    fn bequeath(&mut self, seen: &Observation, log: &mut Log) {
        for kernel in (0..self.kernels.len()).filter(|&kernel| self.kernels[kernel].ended).collect::<Vec<_>>() {
            while !self.kernels[kernel].sms.is_empty() {
                let heirs = (0..self.kernels.len()).filter(|&heir| !self.kernels[heir].ended);
                let Some(heir) = heirs.min_by_key(|&heir| self.kernels[heir].sms.len()) else { return };
                self.move_sm(kernel, heir, seen, log);
            }
        }
    }

    /// One step: SMs go to kernels behind their goals, and from kernels with a margin to those without a goal.
    fn climb(&mut self, seen: &Observation, log: &mut Log) {
        for kernel in 0..self.kernels.len() {
            if self.rests(kernel) || self.kernels[kernel].goal.is_none() || self.kernels[kernel].ended {
                continue;
            }
            if self.ratio(kernel) < 1.0 {
                if let Some(giver) = self.giver(kernel) {
                    self.move_sm(giver, kernel, seen, log);
                }
            } else if self.can_spare(kernel)
                && let Some(taker) = self.taker()
            {
                self.move_sm(kernel, taker, seen, log);
            }
        }
    }

    /// The SMs that a linear model asks for: goal over the IPC that an SM has made, rounded up; moved one by one until they are there.
    fn follow_model(&mut self, seen: &Observation, log: &mut Log) {
        let wanted = |held: &Held| {
            let per_sm = held.history * self.epochs as f64 / held.sm_epochs.max(1) as f64;
            held.goal.map(|goal| if per_sm > 0.0 { libm::ceil(goal / per_sm).min(256.0) as usize } else { held.sms.len() + 1 })
        };
        let wanted: Vec<Option<usize>> = self.kernels.iter().map(wanted).collect();
        for (kernel, wanted) in wanted.into_iter().enumerate() {
            let Some(wanted) = wanted.filter(|_| !self.kernels[kernel].ended) else { continue };
            while self.kernels[kernel].sms.len() > wanted.max(1) {
                let Some(taker) = self.taker_at_all() else { break };
                self.move_sm(kernel, taker, seen, log);
            }
            while self.kernels[kernel].sms.len() < wanted {
                let Some(giver) = self.richest_without_goal(kernel, false) else { break };
                self.move_sm(giver, kernel, seen, log);
            }
        }
    }

    /// IPC over goal; for kernels with a goal.
    fn ratio(&self, kernel: usize) -> f64 {
        let held = &self.kernels[kernel];
        held.goal.map_or(0.0, |goal| held.history / goal)
    }

    fn rests(&self, kernel: usize) -> bool {
        self.kernels[kernel].moved.is_some_and(|moved| self.epochs < moved + REST)
    }

    /// Whether a kernel with a goal would keep it with one SM less, by a linear estimate.
    fn can_spare(&self, kernel: usize) -> bool {
        let sms = self.kernels[kernel].sms.len() as f64;
        sms > 1.0 && self.ratio(kernel) * (sms - 1.0) / sms > 1.0
    }

    /// Who gives an SM to a kernel: one without a goal, else the one with the largest margin that would still keep its goal.
    fn giver(&self, to: usize) -> Option<usize> {
        let spare = (0..self.kernels.len()).filter(|&kernel| kernel != to && !self.rests(kernel) && self.kernels[kernel].goal.is_some());
        let spare = spare.filter(|&kernel| self.can_spare(kernel));
        let widest = || spare.max_by(|&a, &b| self.ratio(a).total_cmp(&self.ratio(b)).then(b.cmp(&a)));
        self.richest_without_goal(to, true).or_else(widest)
    }

    /// The kernel without a goal that has most SMs.
    fn richest_without_goal(&self, to: usize, rested: bool) -> Option<usize> {
        let may = |&kernel: &usize| {
            let held = &self.kernels[kernel];
            kernel != to && held.goal.is_none() && !held.sms.is_empty() && !(rested && self.rests(kernel))
        };
        (0..self.kernels.len()).filter(may).max_by_key(|&kernel| (self.kernels[kernel].sms.len(), usize::MAX - kernel))
    }

    /// The kernel without a goal that has fewest SMs.
    fn taker(&self) -> Option<usize> {
        self.taker_at_all().filter(|&kernel| !self.rests(kernel))
    }

    fn taker_at_all(&self) -> Option<usize> {
        let may = |&kernel: &usize| self.kernels[kernel].goal.is_none() && !self.kernels[kernel].ended;
        (0..self.kernels.len()).filter(may).min_by_key(|&kernel| self.kernels[kernel].sms.len())
    }

    /// Hands the last SM of one kernel to another.
    fn move_sm(&mut self, from: usize, to: usize, seen: &Observation, log: &mut Log) {
        let Some(sm) = self.kernels[from].sms.pop() else { return };
        self.kernels[to].sms.push(sm);
        for kernel in [from, to] {
            self.kernels[kernel].moved = Some(self.epochs);
            let Held { goal, history, ref sms, .. } = self.kernels[kernel];
            let what = MovedSm { sm, sms: sms.len() as u32, gets: u32::from(kernel == to), of_goal: goal.map(|goal| history / goal) };
            decide(log, seen, KernelId(kernel as u8), what);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::goal::Goal;
    use crate::describe::gpu::presets;
    use crate::interface::controls::WarpOrder;
    use crate::interface::observation::{Profile, Progress};
    use crate::interface::stats::KernelStats;
    use crate::policy::spec::Setting;

    /// Runs kernels whose IPC is a function of their SMs for so many epochs; SMs of each at the end, and the IPC of each since the beginning.
    fn run(goals: &[Option<f64>], ipc: impl Fn(usize, usize) -> f64, epochs: u64, settings: &[(&str, Setting)]) -> (Vec<usize>, Vec<f64>) {
        let policy = after(goals, ipc, epochs, settings);
        (policy.kernels.iter().map(|held| held.sms.len()).collect(), policy.kernels.iter().map(|held| held.history).collect())
    }

    /// The policy after these epochs.
    fn after(goals: &[Option<f64>], ipc: impl Fn(usize, usize) -> f64, epochs: u64, settings: &[(&str, Setting)]) -> Spart {
        let gpu = presets::find("ccbp-16sm").unwrap();
        let alone = goals.iter().map(|_| 1600.0).collect();
        let spec = settings.iter().fold(Member::of(&INFO), |spec, (name, value)| spec.with(name, value.clone()));
        let mut policy = Spart::new(&spec.with("ipc_alone", Setting::Numbers(alone)));
        let goals: Vec<Option<Goal>> = goals.iter().map(|goal| goal.map(Goal::OfAlone)).collect();
        let (profile, mut controls, mut log) = (Profile::default(), Controls::neutral(16, WarpOrder::Gto), Log::new());
        let mut total = alloc::vec![KernelStats::default(); goals.len()];
        let see = |now, total: &[KernelStats], ask: &mut dyn FnMut(&Observation)| {
            ask(&Observation { now, goals: &goals, total, ..Observation::bare(&gpu, goals.len(), &profile) });
        };
        see(0, &total, &mut |seen| policy.start(seen, &mut controls, &mut log));
        for epoch in 1..=epochs {
            for (kernel, total) in total.iter_mut().enumerate() {
                total.thread_instructions += (ipc(kernel, policy.kernels[kernel].sms.len()) * 1e4) as u64;
            }
            see(epoch * 10_000, &total, &mut |seen| policy.on_interval(seen, &mut controls, &mut log));
            let owners = |sm: usize| (0..goals.len()).filter(|&kernel| controls.sms[sm].allowed.0[kernel]).count();
            assert!((0..16).all(|sm| owners(sm) == 1), "every SM is one kernel's");
        }
        policy
    }

    /// From 8 SMs of each kernel to the 16 that a goal takes, an SM in two epochs: the climb lasts as long, and is over although SMs go to and fro.
    #[test]
    fn it_learns_while_it_climbs() {
        let learns = |goal: f64, epochs: u64| after(&[Some(goal), None], |_, sms| 100.0 * sms as f64, epochs, &[]).learns();
        assert_eq!([1, 8, 14, 20].map(|epochs| learns(0.95, epochs)), [true; 4]);
        assert_eq!([40, 100, 200].map(|epochs| learns(0.95, epochs)), [false; 3]);
        assert_eq!([7, 8].map(|epochs| learns(0.5, epochs)), [true, false], "it has what it needs");
    }

    /// With linear scaling, 50 % to 95 % of 16 SMs alone take 8, 9, … 16 SMs: all or one more at the end of the climb, and the goal kept.
    #[test]
    fn a_linear_kernel_gets_the_sms_that_its_goal_takes() {
        for (percent, needed) in [50, 55, 60, 65, 70, 75, 80, 85, 90, 95].into_iter().zip([8, 9, 10, 11, 12, 12, 13, 14, 15, 16]) {
            let goal = f64::from(percent) / 100.0;
            let (sms, history) = run(&[Some(goal), None], |_, sms| 100.0 * sms as f64, 200, &[]);
            assert_eq!(sms[0] + sms[1], 16);
            assert!((needed..=needed + 1).contains(&sms[0]), "{percent} %: {sms:?}");
            assert!(history[0] >= 0.99 * goal * 1600.0, "{percent} %: {history:?}");
            let linear = [("rule", Setting::Choice("linear"))];
            let (sms, history) = run(&[Some(goal), None], |_, sms| 100.0 * sms as f64, 200, &linear);
            assert_eq!((sms[0], history[0] >= 0.99 * goal * 1600.0), (needed, true), "{percent} %, by the model");
        }
    }

    /// Two goals that together take more SMs than there are cannot both be kept; the kernel without a goal then has none.
    #[test]
    fn goals_that_do_not_fit_leave_the_others_nothing() {
        let (sms, history) = run(&[Some(0.7), Some(0.7), None], |_, sms| 100.0 * sms as f64, 100, &[]);
        assert_eq!((sms[0] + sms[1], sms[2]), (16, 0));
        assert!(history.iter().take(2).any(|&ipc| ipc < 0.7 * 1600.0));
    }

    /// Nobody waits for SMs of a kernel that has ended.
    #[test]
    fn a_kernel_that_has_ended_gives_all_its_sms_away() {
        let gpu = presets::find("ccbp-16sm").unwrap();
        let mut policy = Spart::new(&Member::of(&INFO).with("ipc_alone", Setting::Numbers(alloc::vec![1000.0; 2])));
        let (profile, mut controls, mut log) = (Profile::default(), Controls::neutral(16, WarpOrder::Gto), Log::new());
        let goals = [Some(Goal::OfAlone(0.9)), None];
        let (before, mut total) = ([KernelStats::default(); 2], [KernelStats::default(); 2]);
        let bare = Observation { goals: &goals, total: &before, ..Observation::bare(&gpu, 2, &profile) };
        policy.start(&bare, &mut controls, &mut log);
        total[0].thread_instructions = 1000;
        let progress = [Progress { runs: 1, ..Progress::default() }, Progress::default()];
        let window = [KernelStats::default(), KernelStats { thread_instructions: 5, ..KernelStats::default() }];
        let seen = Observation { now: 10_000, total: &total, progress: &progress, window: &window, ..bare };
        policy.on_interval(&seen, &mut controls, &mut log);
        assert_eq!((policy.kernels[0].sms.len(), policy.kernels[1].sms.len()), (0, 16));
    }

    /// A kernel that moved rests for an epoch.
    #[test]
    fn a_kernel_is_part_of_one_move_in_two_epochs() {
        let after = |epochs| run(&[Some(0.95), None], |_, sms| 100.0 * sms as f64, epochs, &[]).0[0];
        assert_eq!([1, 2, 3, 4, 5].map(after), [9, 9, 10, 10, 11]);
    }
}
