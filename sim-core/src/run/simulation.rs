//! A machine, the policy that shares it, and run control: the public face of the core.
//!
//! A snapshot is `clone()`. The run does not depend on how calls split the budget or on what is read in between; `digest` is one
//! number for all of it.

use crate::describe::digest::Fnv;
use crate::describe::error::Problems;
use crate::describe::goal::Goal;
use crate::describe::gpu::occupancy::Resources;
use crate::describe::ids::{Cycle, KernelId, PerKernel};
use crate::describe::kernel::Kernel;
use crate::interface::controls::Controls;
use crate::interface::decision::{Decision, Log};
use crate::interface::event::EventKinds;
use crate::interface::observation::{Alone, Breakdown, By, Observation, Profile, Progress};
use crate::interface::ratios::{self, Rates};
use crate::interface::shown::Table;
use crate::interface::stats::{KernelStats, StallCounts};
use crate::machine::Machine;
use crate::machine::dispatch::order::{AnyOrder, CtaOrder};
use crate::machine::sm::Sm;
use crate::machine::threads::Threads;
use crate::policy::{AnyPolicy, Policy, PolicySpec, words};
use crate::run::batches::{Batches, Counters};
use crate::run::confidence::{self, Promise, Settling};
use crate::run::experiment::warm_up::{COLD_AFTER, WarmUp, Warming};
use crate::run::experiment::{Experiment, Settled, Stop};
use crate::run::own::Own;
use crate::run::plan::{Planned, SoloProfiles};
use crate::run::sharing::Sharer;
use crate::run::shown;
use crate::run::stuck;
use crate::run::trials::Asked;
use crate::run::windows::{WINDOW, Windows};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// Intervals, or runs of a kernel with all their events, in which a policy leaves the controls unchanged although only it can free the run:
/// then it never changes them.
const STUCK_AFTER: u64 = 32;

/// SMs of a machine whose work threads share, at least, and cycles after which they meet: with less to do they wait for each other as long as they
/// work.
const SHARED: (usize, Cycle) = (16, 12);

/// Why an `advance` ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// The cycles asked for are used up.
    Budget,
    /// A CTA was placed or finished, or the policy decided something (`advance_event` only).
    Event,
    /// The experiment's number of cycles is reached.
    Cycles,
    /// Every kernel has run to its end at least once.
    KernelsDone,
    /// What is measured is known as well as the experiment asks. Looked at when a batch of windows ends.
    Settled,
    /// The run waits for something that can never happen: see `run/stuck.rs`. Checked whenever a window of 400 cycles ends.
    Stuck,
    /// The policy has failed, and `Simulation::failure` says why: a script may.
    Failed,
}

impl Reason {
    /// Its name in results.
    pub fn key(self) -> &'static str {
        match self {
            Reason::Budget => "budget",
            Reason::Event => "event",
            Reason::Cycles => "cycles",
            Reason::KernelsDone => "kernels_done",
            Reason::Settled => "settled",
            Reason::Stuck => "stuck",
            Reason::Failed => "failed",
        }
    }
}

/// One run of one experiment.
#[derive(Clone, Debug)]
pub struct Simulation {
    experiment: Experiment,
    machine: Machine,
    /// Who shares the GPU: each edits the controls in turn.
    sharers: Vec<Sharer>,
    log: Log,
    cta_limit: Vec<PerKernel<u32>>,
    most_ctas: Vec<PerKernel<u32>>,
    cta_cost: Vec<PerKernel<Resources>>,
    uniform_ctas: Vec<Vec<u32>>,
    grid: Vec<u32>,
    /// What kernels do alone, as far as it is known.
    solo: SoloProfiles,
    windows: Windows,
    /// Until when the machine has nothing to do, as far as it is known since the present window began; 0 after a change of the controls.
    rests: Cycle,
    /// Whether it rested throughout the last window.
    rested: bool,
    /// Since when only the policies can get the run out and have changed nothing.
    waits: Waits,
    /// Whether what the run waits for can never happen.
    stuck: bool,
    /// IPC alone with its interval, where they are known.
    ipc_alone: PerKernel<Option<(f64, Option<[f64; 2]>)>>,
    /// Where each kernel's time goes alone, where that is known.
    breakdown_alone: PerKernel<Option<Breakdown>>,
    /// Whether what is known of a kernel alone is of a run that goes on.
    alone_so_far: PerKernel<bool>,
    /// What each kernel does in the share that it had at last and without neighbours, where that is known.
    in_share: PerKernel<Option<Alone>>,
    /// Whether it was asked why kernels suffer.
    pub(in crate::run) why: Option<Asked>,
    /// Where measuring began; `None` during the warm-up.
    began: Option<Began>,
    /// When the policies were first found settled.
    settled_at: Option<Cycle>,
    /// Since when the GPU has been shared as it will be.
    steady_since: Option<Cycle>,
    /// What has been seen of L2, before measuring began.
    warming: Warming,
}

/// Since when policies have left the controls as they are.
#[derive(Clone, Copy, Debug, Default)]
struct Waits {
    /// `Machine::runs_done` when it began, and when intervals were counted from 0 last.
    runs_before: u64,
    runs_seen: u64,
}

/// What is measured, from the end of the warm-up on.
#[derive(Clone, Debug)]
struct Began {
    at: Cycle,
    /// Counters when it began.
    before: Counters,
    batches: Batches,
    /// Whether it is known as well as the experiment asks.
    known: bool,
    /// Whether L2 was still filling.
    cold: bool,
}

/// The counters that a result is made of: those of the measured cycles so far.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The first of these cycles; `None` while the warm-up lasts, whose counters these are then.
    pub from: Option<Cycle>,
    /// Whether L2 was still filling where measuring began, though the run was to wait for it.
    pub cold: bool,
    /// How many cycles.
    pub cycles: Cycle,
    /// Counters of each kernel.
    pub stats: Vec<KernelStats>,
    /// Stalled scheduler-cycles while a scheduler held warps of each kernel.
    pub stalls: Vec<StallCounts>,
    /// Stalled scheduler-cycles of all schedulers.
    pub all_stalls: StallCounts,
    /// Counters of each kernel on the SMs of each class, without what L2 and DRAM count; empty where there is one class.
    pub classes: Vec<Vec<KernelStats>>,
}

impl Simulation {
    /// A run at cycle 0, with the policy's first decisions taken, of an experiment whose policy needs no profile.
    pub fn new(experiment: &Experiment) -> Result<Self, Problems> {
        Simulation::with(experiment, &SoloProfiles::new())
    }

    /// A run at cycle 0 with the solo profiles of the experiment's plan; on failure, also names the missing ones.
    pub fn with(experiment: &Experiment, solo: &SoloProfiles) -> Result<Self, Problems> {
        Simulation::with_own(experiment, Own::default(), solo)
    }

    /// A run at cycle 0 that a policy of the caller's own shares, which needs no profile; the experiment's own has no say.
    pub fn with_policy(experiment: &Experiment, policy: Box<dyn Policy>) -> Result<Self, Problems> {
        Simulation::with_own(experiment, Own { policy: Some(policy), ..Own::default() }, &SoloProfiles::new())
    }

    /// A run at cycle 0 of an experiment whose policy needs no profile, with a CTA order of the caller's own in place of the experiment's.
    pub fn with_order(experiment: &Experiment, order: Box<dyn CtaOrder>) -> Result<Self, Problems> {
        Simulation::with_own(experiment, Own { cta_order: Some(order), ..Own::default() }, &SoloProfiles::new())
    }

    /// A run at cycle 0 with what the caller brings, and with the solo profiles of the plan under that policy (`Plan::under`).
    pub fn with_own(experiment: &Experiment, own: Own, solo: &SoloProfiles) -> Result<Self, Problems> {
        experiment.check()?;
        let policies = own.policy.map_or_else(|| experiment.policy.policies(), |policy| alloc::vec![AnyPolicy::Own(policy)]);
        let gpu = &experiment.gpu;
        let kernels: Vec<_> = experiment.kernels.iter().map(|used| used.kernel.clone()).collect();
        let neutral = Controls::neutral(gpu.sm_count() as usize, experiment.warp_order);
        let given = || AnyOrder::new(&experiment.cta_order, gpu.sm_count() as usize, kernels.len());
        let order = own.cta_order.map_or_else(given, AnyOrder::Own);
        let machine = Machine::with_order(gpu, &kernels, experiment.seed, experiment.restart, order, neutral);
        let mut simulation = Simulation {
            windows: Windows::new(kernels.len()),
            rests: 0,
            rested: false,
            machine,
            log: Log::new(),
            cta_limit: experiment.cta_limits(),
            most_ctas: experiment.most_ctas(),
            cta_cost: experiment.cta_costs(),
            uniform_ctas: experiment.uniform_ctas(),
            grid: experiment.grids(),
            solo: SoloProfiles::new(),
            sharers: Sharer::all(policies, experiment, solo, (0, &alloc::vec![KernelStats::default(); kernels.len()]))?,
            waits: Waits::default(),
            stuck: false,
            ipc_alone: PerKernel::all(None),
            breakdown_alone: PerKernel::all(None),
            alone_so_far: PerKernel::all(false),
            in_share: PerKernel::all(None),
            why: None,
            began: None,
            settled_at: None,
            steady_since: None,
            warming: Warming::default(),
            experiment: experiment.clone(),
        };
        simulation.add_solo_profiles(solo);
        simulation.start_policies();
        if experiment.warm_up == WarmUp::Cycles(0) {
            simulation.begin(false);
        }
        simulation.settled_at = simulation.settled().then_some(0);
        simulation.look_whether_steady();
        Ok(simulation)
    }

    // --- running -----------------------------------------------------------------------------------------------------------------

    /// From now on these threads of the host share the work, where the machine is large enough to gain by it; the results are the same.
    pub fn share_work(&mut self, threads: Option<Arc<dyn Threads>>) {
        let gains = self.machine.sms.len() >= SHARED.0 && self.machine.memory.half() >= SHARED.1;
        self.machine.share_work(threads.filter(|_| gains));
    }

    /// Runs for at most `cycles` cycles, or until the experiment's stop condition holds.
    pub fn advance(&mut self, cycles: u64) -> Reason {
        self.run(cycles, false)
    }

    /// Runs until a CTA is placed or finishes or the policy decides something, for at most `cycles` cycles.
    pub fn advance_event(&mut self, cycles: u64) -> Reason {
        self.run(cycles, true)
    }

    fn run(&mut self, cycles: u64, stop_at_event: bool) -> Reason {
        let end = self.machine.now.saturating_add(cycles);
        let (events, decisions) = (self.machine.event_count, self.log.len());
        loop {
            if let Some(reason) = self.stopped() {
                return reason;
            }
            if stop_at_event && (self.machine.event_count != events || self.log.len() != decisions) {
                return Reason::Event;
            }
            if self.machine.now >= end {
                return Reason::Budget;
            }
            let border = end.min(self.next_border());
            if self.windows.ends_at(self.machine.now) {
                self.rests = self.machine.rests_until();
            }
            match self.windows_of_rest(end.min(self.next_border_but_windows())) {
                0 | 1 => self.run_to(border, if stop_at_event { events } else { u64::MAX }),
                windows => self.machine.rest_to(self.machine.now + windows * WINDOW),
            }
            self.at_border();
        }
    }

    /// Lets a run that has ended go on as the run of an experiment that differs in nothing but a later end, texts for people and whether
    /// runs alone are wanted. One that only counts cycles goes on before its end, too. It must be told of runs alone again. False, and
    /// nothing has changed, if there is none such to go on with.
    pub fn go_on(&mut self, experiment: &Experiment) -> bool {
        let (now, later) = (self.experiment.stop, experiment.stop);
        let counts = matches!((now, later), (Stop::Cycles(_), Stop::Cycles(_)));
        let can = (counts || self.stopped().is_some()) && now.is_no_later_than(later);
        if !can || self.experiment.trunk_hash() != experiment.trunk_hash() {
            return false;
        }
        self.experiment = experiment.clone();
        self.ipc_alone = PerKernel::all(None);
        self.breakdown_alone = PerKernel::all(None);
        self.alone_so_far = PerKernel::all(false);
        self.in_share = PerKernel::all(None);
        self.why = None;
        // It was looked at where it ended, if it ended because it was settled.
        let settled = self.began.as_ref().is_some_and(|began| began.known) && self.settling().is_some_and(|settling| settling.is_done());
        self.began.iter_mut().for_each(|began| began.known = settled);
        true
    }

    /// Simulates up to `border`, where something outside the machine is due at the earliest. Ends before it when a kernel has run to its
    /// end, or when the machine has had an event beyond the first `events` or one that the policy wants to hear of.
    fn run_to(&mut self, border: Cycle, events: u64) {
        let runs = self.machine.runs_done();
        let goes_on = |machine: &Machine| machine.event_count <= events && machine.runs_done() == runs && machine.heard.is_empty();
        while self.machine.now < border && goes_on(&self.machine) {
            if events == u64::MAX {
                self.machine.advance(border);
            } else {
                self.machine.step();
            }
            let next = self.machine.next_event().min(border);
            if next > self.machine.now && goes_on(&self.machine) {
                self.machine.skip_to(next);
            }
        }
    }

    fn next_border(&self) -> Cycle {
        self.windows.next_end(self.machine.now).min(self.next_border_but_windows())
    }

    /// Whole windows from now on, up to `border`, in which the machine rests as in the last one: they need not pass one by one. Batches end where
    /// they would.
    fn windows_of_rest(&self, border: Cycle) -> u64 {
        let now = self.machine.now;
        if !self.rested || !self.windows.ends_at(now) {
            return 0;
        }
        let of_batch = self.began.as_ref().map_or(u64::MAX, |began| began.batches.left());
        (self.rests.min(border).saturating_sub(now) / WINDOW).min(of_batch)
    }

    fn next_border_but_windows(&self) -> Cycle {
        let mut border = Cycle::MAX;
        for sharer in &self.sharers {
            border = sharer.asks_at().into_iter().chain(sharer.samples_at()).fold(border, Cycle::min);
        }
        let due = match (&self.began, self.experiment.stop) {
            (None, _) => match self.experiment.warm_up {
                WarmUp::Cycles(cycles) => self.settled_at.map_or(0, |settled| settled.saturating_add(cycles)),
                // However many windows pass at once, no look is passed over.
                WarmUp::Settled => Warming::next_look(self.machine.now),
            },
            (Some(began), Stop::Cycles(cycles)) => began.at.saturating_add(cycles),
            (Some(began), Stop::Settled(Settled { at_most, .. })) => began.at.saturating_add(at_most),
            (_, Stop::KernelsDone { at_most }) => at_most,
        };
        // While a policy learns, the cycle at which it settles is not known.
        if self.settled_at.is_some() || self.began.is_some() { border.min(due.max(self.machine.now + 1)) } else { border }
    }

    fn at_border(&mut self) {
        let now = self.machine.now;
        if self.windows.ends_at(now) {
            let closed = self.windows.close(&mut self.machine);
            self.rested = self.rests >= now;
            self.close_batch(closed);
        }
        let kernels = self.machine.kernels();
        for sharer in self.sharers.iter_mut().filter(|sharer| sharer.samples_at() == Some(now)) {
            sharer.sample(now, &self.machine.sms, kernels);
        }
        self.ask_policies();
        for event in core::mem::take(&mut self.machine.heard) {
            let controls = self.machine.controls().clone();
            let hears = |sharer: &Sharer| sharer.wants.has(event.kind());
            self.consult(controls, hears, |policy, seen, controls, log| policy.on_event(event, seen, controls, log));
        }
        if self.settled_at.is_none() && self.settled() {
            self.settled_at = Some(now);
        }
        self.look_whether_steady();
        if self.began.is_none() {
            self.look_whether_warm();
        }
        if self.windows.ends_at(now) {
            self.look_whether_stuck();
        }
    }

    fn look_whether_steady(&mut self) {
        let changes = self.learns() || self.takes_turns();
        self.steady_since = if changes { None } else { self.steady_since.or(Some(self.machine.now)) };
    }

    /// Begins to measure, if it is time.
    fn look_whether_warm(&mut self) {
        let now = self.machine.now;
        let Some(warm) = self.settled_at.map(|settled| now - settled) else { return };
        match self.experiment.warm_up {
            WarmUp::Cycles(cycles) if warm >= cycles => self.begin(false),
            WarmUp::Settled if Warming::is_look(now) => {
                let lookups = self.totals().iter().map(|stats| stats.l2_reads + stats.l2_writes).sum();
                let filled = self.warming.has_filled(self.machine.memory.l2_lines(), lookups);
                if filled || warm >= COLD_AFTER {
                    self.begin(!filled);
                }
            }
            _ => {}
        }
    }

    /// Whether the run is settled is looked at only when a batch ends, so that it depends on the machine and not on when the host asks.
    fn close_batch(&mut self, windows: u64) {
        let learns = self.learns();
        let Some(began) = &mut self.began else { return };
        let ended = began.batches.close_windows(windows, &self.machine, &self.windows);
        if ended && !learns && confidence::is_look(&began.batches) {
            let settling = self.settling();
            self.began.iter_mut().for_each(|began| began.known = settling.as_ref().is_some_and(Settling::is_done));
        }
    }

    /// How far a run that stops when it is settled is from there; nothing for others, and during the warm-up.
    pub fn settling(&self) -> Option<Settling> {
        if let Stop::Settled(asked) = self.experiment.stop { self.settling_by(&asked) } else { None }
    }

    /// How far the run is from being settled, if that were asked for; nothing during the warm-up.
    pub fn settling_by(&self, asked: &Settled) -> Option<Settling> {
        let began = self.began.as_ref()?;
        let kernels: Vec<&Kernel> = self.experiment.kernels.iter().map(|used| &used.kernel).collect();
        Some(Settling::of(&began.batches, began.at == 0, &kernels, asked, &self.promises()))
    }

    /// What goals ask for, as far as that was known when the run began: when it ends must not depend on what it is told meanwhile.
    pub fn promises(&self) -> Vec<Option<Promise>> {
        let given = self.experiment.policy.numbers("ipc_alone");
        let by_goals = |sharer: &&Sharer| sharer.policy.keeps_goals() && sharer.policy.needs().by.first() == Some(&By::AsLong);
        let measured = self.sharers.iter().find(by_goals).map_or(Vec::new(), |sharer| sharer.profile.each(|alone| *alone));
        let alone = |kernel: usize| {
            let measured = || measured.get(kernel).map(|alone| (alone.ipc, confidence::error(alone.ipc, alone.ipc_ci95)));
            given.get(kernel).map(|&ipc| (ipc, Some(0.0))).or_else(measured)
        };
        let of = |(kernel, goal): (usize, Option<Goal>)| {
            let (ipc, error) = alone(kernel).unzip();
            let of_alone = matches!(goal?, Goal::OfAlone(_));
            let error = if of_alone { error.flatten().unwrap_or(f64::INFINITY) } else { 0.0 };
            Some(Promise { ipc: goal?.ipc(ipc)?, error })
        };
        self.experiment.goals().into_iter().enumerate().map(of).collect()
    }

    /// Checked only when a window ends, so that the answer depends on the machine and not on when the host asks.
    fn look_whether_stuck(&mut self) {
        let waits_for_kernels = matches!(self.experiment.stop, Stop::KernelsDone { .. });
        if self.machine.runs_done() != self.waits.runs_seen {
            self.waits.runs_seen = self.machine.runs_done();
            self.sharers.iter_mut().for_each(|sharer| sharer.unchanged = 0);
        }
        let hopeless = stuck::is_stuck(&self.machine, waits_for_kernels);
        if !hopeless {
            self.wait_anew();
        }
        self.stuck = hopeless && !self.policy_may_act();
    }

    /// Whether a policy may still change the controls. It may at an interval, of which there are a few after the last end of a kernel, or
    /// while the machine goes on, as it may wait for another kernel's end.
    fn policy_may_act(&self) -> bool {
        let asked = |sharer: &Sharer| sharer.policy.interval().is_some();
        let waits = self.sharers.iter().any(|sharer| asked(sharer) || sharer.wants != EventKinds::NONE) && !self.machine.is_still();
        self.sharers.iter().any(|sharer| asked(sharer) && sharer.unchanged < STUCK_AFTER)
            || waits && self.machine.runs_done() - self.waits.runs_before < STUCK_AFTER
    }

    fn wait_anew(&mut self) {
        let runs = self.machine.runs_done();
        self.waits = Waits { runs_before: runs, runs_seen: runs };
        self.sharers.iter_mut().for_each(|sharer| sharer.unchanged = 0);
    }

    /// Begins to measure.
    fn begin(&mut self, cold: bool) {
        let before = self.counted();
        self.began = Some(Began { at: self.machine.now, batches: Batches::new(before.clone()), before, known: false, cold });
    }

    /// All counters since the run began.
    fn counted(&mut self) -> Counters {
        self.machine.settle();
        Counters::of(&self.machine)
    }

    /// Why the run has ended, if it has.
    pub fn stopped(&self) -> Option<Reason> {
        if self.failure().is_some() {
            return Some(Reason::Failed);
        }
        let now = self.machine.now;
        let all_done = || KernelId::first(self.machine.kernels()).all(|kernel| self.machine.run(kernel).runs > 0);
        match self.experiment.stop {
            Stop::Cycles(cycles) if self.began.as_ref().is_some_and(|began| now - began.at >= cycles) => return Some(Reason::Cycles),
            Stop::Settled(_) if self.began.as_ref().is_some_and(|began| began.known) => return Some(Reason::Settled),
            Stop::Settled(settled) if self.began.as_ref().is_some_and(|began| now - began.at >= settled.at_most) => {
                return Some(Reason::Cycles);
            }
            Stop::KernelsDone { .. } if all_done() => return Some(Reason::KernelsDone),
            Stop::KernelsDone { at_most } if now >= at_most => return Some(Reason::Cycles),
            _ => {}
        }
        if KernelId::first(self.machine.kernels()).all(|kernel| self.machine.run(kernel).over) {
            return Some(Reason::KernelsDone);
        }
        self.stuck.then_some(Reason::Stuck)
    }

    // --- policy ------------------------------------------------------------------------------------------------------------------

    fn start_policies(&mut self) {
        let sms = self.machine.sms.len();
        let neutral = Controls::neutral(sms, self.experiment.warp_order);
        self.consult(neutral, |_| true, |policy, seen, controls, log| policy.start(seen, controls, log));
        self.begin_intervals(&alloc::vec![true; self.sharers.len()]);
        self.sharers.iter_mut().for_each(|sharer| sharer.wants = sharer.policy.wants());
        self.machine.listen_to(self.sharers.iter().fold(EventKinds::NONE, |all, sharer| all.with(sharer.wants)));
    }

    /// Asks the policies whose intervals end now.
    fn ask_policies(&mut self) {
        let now = self.machine.now;
        let due: Vec<bool> = self.sharers.iter().map(|sharer| sharer.asks_at() == Some(now)).collect();
        if !due.contains(&true) {
            return;
        }
        self.sharers.iter_mut().zip(&due).for_each(|(sharer, &due)| sharer.unchanged += u64::from(due));
        let controls = self.machine.controls().clone();
        let is_due = |sharer: &Sharer| sharer.asks_at() == Some(now);
        self.consult(controls, is_due, |policy, seen, controls, log| policy.on_interval(seen, controls, log));
        self.begin_intervals(&due);
    }

    /// Begins the next interval of the policies that have been asked.
    fn begin_intervals(&mut self, asked: &[bool]) {
        let (now, totals) = (self.machine.now, self.totals());
        if asked.contains(&false) {
            let peaks = self.on_each_sm(|sm, kernel| sm.gate().peak_in_flight(kernel));
            self.sharers.iter_mut().for_each(|sharer| sharer.keep_peaks(&peaks));
        }
        self.machine.forget_peaks();
        for (sharer, _) in self.sharers.iter_mut().zip(asked).filter(|(_, asked)| **asked) {
            sharer.begin_interval(now, &totals);
        }
    }

    /// A number for each kernel on each SM.
    fn on_each_sm(&self, count: impl Fn(&Sm, KernelId) -> u32) -> Vec<PerKernel<u32>> {
        let of = |sm: &Sm| {
            let mut counts = PerKernel::all(0);
            KernelId::first(self.machine.kernels()).for_each(|kernel| counts[kernel] = count(sm, kernel));
            counts
        };
        self.machine.sms.iter().map(of).collect()
    }

    /// Asks policies about the controls, one after another, and sets what they make of them.
    fn consult(
        &mut self,
        mut controls: Controls,
        whom: impl Fn(&Sharer) -> bool,
        ask: impl Fn(&mut AnyPolicy, &Observation, &mut Controls, &mut Log),
    ) {
        self.observe(|policy, seen, log| ask(policy, seen, &mut controls, log), whom);
        controls.keep_limits(&self.most_ctas, self.machine.kernels());
        if controls != *self.machine.controls() {
            self.wait_anew();
        }
        self.machine.set_controls(controls);
        self.rests = 0;
    }

    /// What the mechanisms in force and the policies show of themselves.
    pub fn shown(&mut self) -> Vec<Table> {
        let mut tables = Vec::new();
        self.observe(|policy, seen, _| tables.extend(policy.shows(seen)), |_| true);
        tables.extend(shown::tables(&self.machine));
        tables
    }

    /// Shows policies, one after another, what they may see.
    fn observe(&mut self, mut show: impl FnMut(&mut AnyPolicy, &Observation, &mut Log), whom: impl Fn(&Sharer) -> bool) {
        self.machine.settle();
        let total = self.totals();
        let kernels = KernelId::first(total.len());
        let on_sm: Vec<Vec<KernelStats>> = self.machine.sms.iter().map(|sm| sm.stats().to_vec()).collect();
        let stalls_on_sm: Vec<Vec<StallCounts>> = self.machine.sms.iter().map(|sm| sm.kernel_stalls().to_vec()).collect();
        let goals = self.experiment.goals();
        let progress: Vec<Progress> = kernels.clone().map(|kernel| self.machine.progress(kernel)).collect();
        let l1_utility: Vec<Vec<u64>> = kernels.map(|kernel| self.machine.l1_utility(kernel)).collect();
        let in_flight = self.on_each_sm(|sm, kernel| sm.gate().peak_in_flight(kernel));
        let now = self.machine.now;
        let all = Observation {
            now,
            resident: &self.on_each_sm(|sm, kernel| sm.ctas.used(kernel).ctas),
            quota_left: &self.machine.sms.iter().map(|sm| sm.gate().quotas.all_left()).collect::<Vec<_>>(),
            queued: &self.on_each_sm(|sm, kernel| sm.l1().misses_waiting(kernel)),
            idle_warps: &self.on_each_sm(|sm, kernel| sm.idle_warps(now, kernel)),
            idle_sum: &[],
            idle_samples: 0,
            on_sm: &on_sm,
            stalls_on_sm: &stalls_on_sm,
            goals: &goals,
            progress: &progress,
            gpu: &self.experiment.gpu,
            kernels: total.len(),
            cta_limit: &self.cta_limit,
            most_ctas: &self.most_ctas,
            cta_cost: &self.cta_cost,
            launched: &self.experiment.of_launches(|kernel| progress[kernel.index()].launch),
            uniform_ctas: &self.uniform_ctas,
            grid: &self.grid,
            profile: &Profile::default(),
            peak_in_flight: &in_flight,
            l1_utility: &l1_utility,
            total: &total,
            window: &[],
        };
        for sharer in &mut self.sharers {
            if !whom(sharer) {
                continue;
            }
            let window: Vec<KernelStats> = total.iter().zip(&sharer.asked).map(|(&now, &then)| now - then).collect();
            let seen = Observation {
                window: &window,
                profile: &sharer.profile,
                peak_in_flight: &sharer.peaks(&in_flight),
                idle_sum: &sharer.idle_sum,
                idle_samples: sharer.idle_samples,
                ..all
            };
            show(&mut sharer.policy, &seen, &mut self.log);
        }
    }

    /// Hands the sharing over to other policies, from the present cycle on. The host has passed on the solo profiles that they need before
    /// (`add_solo_profiles`).
    pub fn set_policy(&mut self, spec: &PolicySpec) -> Result<(), Problems> {
        let changed = Experiment { policy: spec.clone(), ..self.experiment.clone() };
        changed.check()?;
        let totals = self.totals();
        self.sharers = Sharer::all(spec.policies(), &changed, &self.solo, (self.machine.now, &totals))?;
        self.experiment = changed;
        self.in_share = PerKernel::all(None);
        self.why = None;
        self.wait_anew();
        self.stuck = false;
        self.start_policies();
        Ok(())
    }

    /// Sets the controls by hand: the policy becomes `manual`.
    pub fn set_controls(&mut self, controls: Controls) -> Result<(), Problems> {
        self.set_policy(&PolicySpec::manual(controls))
    }

    // --- looking -----------------------------------------------------------------------------------------------------------------

    /// The present cycle.
    pub fn cycle(&self) -> Cycle {
        self.machine.now
    }

    /// What is run.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// The machine, to look at.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The machine, for test switches and recorders.
    pub fn machine_mut(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// What the policy decided so far.
    pub fn decisions(&self) -> &[Decision] {
        &self.log
    }

    /// The name of what shares the GPU, as results have it.
    pub fn policy_name(&self) -> &str {
        match &self.sharers[..] {
            [Sharer { policy: AnyPolicy::Own(own), .. }] => own.name(),
            _ => self.experiment.policy.name(),
        }
    }

    /// What people call what shares the GPU, with its settings.
    pub fn policy_title(&self) -> String {
        match &self.sharers[..] {
            [Sharer { policy: AnyPolicy::Own(own), .. }] => own.name().into(),
            _ => words::title(&self.experiment.policy),
        }
    }

    /// Whether every policy has finished learning: from then on they keep their settings, and the scheme can be judged.
    pub fn settled(&self) -> bool {
        self.sharers.iter().all(|sharer| sharer.policy.settled())
    }

    /// Whether a policy keeps goals, though no kernel has one.
    pub fn lacks_goals(&self) -> bool {
        self.sharers.iter().any(|sharer| sharer.policy.keeps_goals()) && self.experiment.kernels.iter().all(|used| used.qos.is_none())
    }

    /// Whether a policy still finds out what to do: a run that stops when it knows what it measures goes on meanwhile.
    pub fn learns(&self) -> bool {
        self.sharers.iter().any(|sharer| sharer.policy.learns())
    }

    /// Since when the GPU has been shared as it will be; nothing while a policy finds out what to do, and where one hands the GPU from kernel to kernel.
    pub fn steady_since(&self) -> Option<Cycle> {
        self.steady_since
    }

    /// Why a policy can decide nothing more, the first of those that have failed: the run has ended.
    pub fn failure(&self) -> Option<&str> {
        self.sharers.iter().find_map(|sharer| sharer.policy.failure())
    }

    /// Series over time.
    pub fn windows(&self) -> &Windows {
        &self.windows
    }

    /// CTAs of each kernel that each SM could hold if it held nothing else.
    pub fn cta_limit(&self) -> &[PerKernel<u32>] {
        &self.cta_limit
    }

    /// Counters of each kernel up to now.
    pub fn totals(&mut self) -> Vec<KernelStats> {
        self.machine.settle();
        KernelId::first(self.machine.kernels()).map(|kernel| self.machine.kernel_stats(kernel)).collect()
    }

    /// What is measured so far: everything, or what came after the warm-up.
    pub fn measured(&mut self) -> Measured {
        let mut counters = self.counted();
        if let Some(began) = &self.began {
            counters = counters.since(&began.before);
        }
        let Counters { cycles, stats, stalls, all_stalls, classes } = counters;
        let (from, cold) = self.began.as_ref().map(|began| (began.at, began.cold)).unzip();
        Measured { from, cold: cold.unwrap_or(false), cycles, stats, stalls, all_stalls, classes }
    }

    /// What is measured, batch by batch; nothing during the warm-up.
    pub fn batches(&self) -> Option<&Batches> {
        self.began.as_ref().map(|began| &began.batches)
    }

    /// The IPC of one kernel as it is measured, unless the run has got stuck.
    pub fn ipc(&mut self, kernel: KernelId) -> Option<f64> {
        let measured = self.measured();
        let stuck = self.stopped() == Some(Reason::Stuck);
        ratios::ipc(measured.stats.get(kernel.index())?, measured.cycles).filter(|_| !stuck)
    }

    /// How much of a run for a number of cycles, or for so many at most, is done, from 0 to 1; of another run, nothing is known before its end.
    pub fn part_done(&self) -> f64 {
        let (Stop::Cycles(cycles) | Stop::Settled(Settled { at_most: cycles, .. })) = self.experiment.stop else { return 0.0 };
        let wait = if let WarmUp::Cycles(cycles) = self.experiment.warm_up { cycles } else { 0 };
        let warm = self.settled_at.unwrap_or(self.machine.now) + wait;
        let end = self.began.as_ref().map_or(warm, |began| began.at).saturating_add(cycles);
        (self.machine.now as f64 / end as f64).min(1.0)
    }

    /// One number for the whole state: machine, counters and decisions (their values, not their sentences).
    pub fn digest(&mut self) -> u64 {
        self.machine.settle();
        let mut state = Fnv::of_mix(self.machine.kernels());
        self.machine.hash_state(&mut state);
        self.log.hash(&mut state);
        state.finish()
    }

    // --- alone -------------------------------------------------------------------------------------------------------------------

    /// The experiment that measures a kernel's IPC alone.
    pub fn alone_experiment(&self, kernel: KernelId) -> Experiment {
        self.experiment.alone(kernel)
    }

    /// Adds the solo profiles of kernels: for slowdowns, for policies that take over later, and once the run has ended for what shares cost.
    pub fn add_solo_profiles(&mut self, solo: &SoloProfiles) {
        self.solo.extend(solo.iter().map(|(hash, alone)| (hash.clone(), *alone)));
        self.show_alone(solo, false);
        self.look_up_shares();
    }

    /// Shows what runs alone say that still go on, for slowdowns until they end: no policy learns of it.
    pub fn show_so_far(&mut self, solo: &SoloProfiles) {
        self.show_alone(solo, true);
    }

    fn show_alone(&mut self, solo: &SoloProfiles, so_far: bool) {
        for (kernel, hash, _) in self.experiment.alone_runs() {
            if let Some(alone) = solo.get(&hash).filter(|alone| !alone.stuck) {
                self.set_alone(kernel, alone.ipc, alone.ipc_ci95);
                self.breakdown_alone[kernel] = alone.breakdown;
                self.alone_so_far[kernel] = so_far;
            }
        }
    }

    /// Whether a run alone that goes on is among what is known.
    pub fn is_so_far(&self) -> bool {
        KernelId::first(self.machine.kernels()).any(|kernel| self.alone_so_far[kernel])
    }

    /// Whether the run knows the solo profile of this hash.
    pub fn knows(&self, hash: &str) -> bool {
        self.solo.contains_key(hash)
    }

    /// Of runs alone, those whose solo profiles the run does not know.
    pub fn unknown(&self, runs: Vec<Planned>) -> Vec<Planned> {
        runs.into_iter().filter(|run| !self.knows(&run.hash)).collect()
    }

    /// The answer of a plan's run that has ended: what it measured of its first kernel that is not idle.
    pub fn answer(&mut self) -> Alone {
        let measured = self.measured();
        let first = self.experiment.kernels.iter().position(|used| used.kernel != share::idle()).unwrap_or(0);
        let error = self.batches().and_then(|batches| confidence::known(batches, first, &ratios::IPC));
        let (stats, cycles) = (&measured.stats[first], measured.cycles.max(1));
        let rates = Rates::of(stats, &self.experiment.gpu, cycles);
        let ipc = stats.thread_instructions as f64 / cycles as f64;
        Alone {
            ipc,
            warp_ipc: stats.warp_instructions as f64 / cycles as f64,
            noc_utilisation: rates.noc_utilisation.unwrap_or_default(),
            dram_utilisation: rates.dram_utilisation.unwrap_or_default(),
            ipc_ci95: error.map(|error| confidence::interval(ipc, error)),
            stuck: self.stuck,
            breakdown: ratios::breakdown(stats, cycles),
        }
    }

    /// Its answer while it goes on, once its IPC is known to this part. There is no interval: a run that begins has not shown yet how it goes
    /// on.
    pub fn answer_so_far(&mut self, within: f64) -> Option<Alone> {
        confidence::known(self.batches()?, 0, &ratios::IPC).filter(|&known| known <= within)?;
        // A kernel that has done nothing does so without any doubt.
        Some(Alone { ipc_ci95: None, ..self.answer() }).filter(|answer| answer.ipc > 0.0)
    }

    /// Tells the run a kernel's IPC alone, so that it can say slowdowns, and the interval in which it lies, if that is known.
    pub fn set_alone(&mut self, kernel: KernelId, ipc: f64, ci95: Option<[f64; 2]>) {
        if kernel.index() < self.machine.kernels() && ipc.is_finite() && ipc > 0.0 {
            // An answer from elsewhere may say what no rate can be.
            self.ipc_alone[kernel] = Some((ipc, ci95.map(|[low, high]| [low.max(0.0), high])));
        }
    }

    /// IPC alone, where it is known.
    pub fn ipc_alone(&self, kernel: KernelId) -> Option<f64> {
        self.ipc_alone[kernel].map(|(ipc, _)| ipc)
    }

    /// The 95 % interval of the IPC alone, where it is known.
    pub fn ipc_alone_ci95(&self, kernel: KernelId) -> Option<[f64; 2]> {
        self.ipc_alone[kernel].and_then(|(_, ci95)| ci95)
    }

    /// Tells the run where a kernel's time goes alone, so that it can say what costs it.
    pub fn set_breakdown_alone(&mut self, kernel: KernelId, breakdown: Breakdown) {
        if kernel.index() < self.machine.kernels() {
            self.breakdown_alone[kernel] = Some(breakdown);
        }
    }

    /// Where a kernel's time goes alone, where that is known.
    pub fn breakdown_alone(&self, kernel: KernelId) -> Option<&Breakdown> {
        self.breakdown_alone[kernel].as_ref()
    }

    /// Whether the policies have learned what they want to learn.
    pub fn has_settled(&self) -> bool {
        self.settled_at.is_some()
    }

    /// Which queue waits for which, for a run that is stuck.
    pub fn explain_stuck(&self) -> String {
        stuck::explain(&self.machine, &self.experiment.labels())
    }
}

mod share;
#[cfg(test)]
mod tests;
