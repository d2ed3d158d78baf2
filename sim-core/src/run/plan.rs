//! The measurements of kernels alone that a run needs before it starts or before its result is complete, as a plan of plain experiments.
//!
//! A plan follows from the experiment alone. The host of a simulation runs the plan like any other experiments, keeps their solo profiles by config
//! hash, and hands them over: no simulation runs another one. A run alone uses the same GPU and seed, and a kernel that starts again when it
//! ends; it starts with empty caches, as the shared run does. What slowdowns compare with has the run's order of warps; what a policy asks for has
//! greedy-then-oldest warps, as in the papers of those that ask.

use crate::describe::error::Problems;
use crate::describe::gpu::SmClass;
use crate::describe::ids::{Cycle, KernelId};
use crate::describe::record::{ANY_KEY, Datum, Shape};
use crate::describe::value::Value;
use crate::interface::controls::{Controls, WarpOrder};
use crate::interface::observation::{ALONE, Alone, By, Needs, Profile};
use crate::policy::{Policy, PolicySpec};
use crate::run::experiment::warm_up::WarmUp;
use crate::run::experiment::{Experiment, Stop};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Solo profiles: what kernels do alone, by the config hash of the run that measured it.
pub type SoloProfiles = BTreeMap<String, Alone>;

/// A run alone that another run needs the outcome of.
#[derive(Clone, PartialEq, Debug)]
pub struct Planned {
    /// The hash of its experiment.
    pub hash: String,
    /// An experiment of one kernel, which needs nothing itself. Its name says what it measures.
    pub experiment: Experiment,
}

impl Planned {
    /// A run of this experiment.
    pub fn of(experiment: Experiment) -> Planned {
        Planned { hash: experiment.config_hash(), experiment }
    }
}

/// The runs that an experiment needs, each once.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plan {
    /// Runs that its policy needs: the run cannot start without their answers.
    pub profile: Vec<Planned>,
    /// Runs that its result compares with: without their answers it has no slowdowns.
    pub alone: Vec<Planned>,
}

impl Plan {
    /// The plan of an experiment.
    pub fn of(experiment: &Experiment) -> Plan {
        Plan::of_needs(experiment, experiment.policy.policies().iter().map(|policy| policy.needs()))
    }

    /// The plan of an experiment whose GPU another policy shares.
    pub fn under(experiment: &Experiment, policy: &dyn Policy) -> Plan {
        Plan::of_needs(experiment, [policy.needs()])
    }

    fn of_needs(experiment: &Experiment, needs: impl IntoIterator<Item = Needs>) -> Plan {
        let runs = |needs: Needs| needs.by.into_iter().flat_map(move |by| of_each(experiment, &by, needs.cycles)).flatten();
        let profile = needs.into_iter().flat_map(runs);
        let alone = experiment.alone_runs().into_iter().map(|(_, _, run)| run);
        Plan { profile: distinct(profile.map(Planned::of)), alone: distinct(alone.map(Planned::of)) }
    }

    /// Every run of the plan once, those that the policy needs first.
    pub fn runs(&self) -> impl Iterator<Item = &Planned> {
        let more = self.alone.iter().filter(|run| self.profile.iter().all(|first| first.hash != run.hash));
        self.profile.iter().chain(more)
    }
}

/// Each of these runs once, in their order.
pub(super) fn distinct(runs: impl Iterator<Item = Planned>) -> Vec<Planned> {
    let mut distinct: Vec<Planned> = Vec::new();
    for run in runs {
        if distinct.iter().all(|other| other.hash != run.hash) {
            distinct.push(run);
        }
    }
    distinct
}

/// The runs of every kernel in a set.
fn of_each(experiment: &Experiment, by: &By, cycles: Cycle) -> Vec<Vec<Experiment>> {
    KernelId::first(experiment.kernels.len()).map(|kernel| runs(experiment, kernel, by, cycles)).collect()
}

/// The runs of a kernel of an experiment in a set.
pub fn runs(experiment: &Experiment, kernel: KernelId, by: &By, cycles: Cycle) -> Vec<Experiment> {
    let run = experiment.alone(kernel);
    if *by == By::AsLong {
        return alloc::vec![run];
    }
    let run = Experiment { stop: Stop::Cycles(cycles), warm_up: WarmUp::Cycles(0), restart: true, warp_order: WarpOrder::Gto, ..run };
    let gpu = if matches!(by, By::Uniform { .. }) { experiment.gpu.uniform() } else { experiment.gpu.clone() };
    let points = points(experiment, kernel, by).into_iter();
    points.map(|(policy, how)| Experiment { name: format!("{}{how}", run.name), gpu: gpu.clone(), policy, ..run.clone() }).collect()
}

/// The policies under which a kernel is measured, each with a label for the run's name.
fn points(experiment: &Experiment, kernel: KernelId, by: &By) -> Vec<(PolicySpec, String)> {
    let gpu = &experiment.gpu;
    let on = |sms: core::ops::Range<u32>| {
        let mut controls = Controls::neutral(gpu.sm_count() as usize, WarpOrder::Gto);
        for (sm, controls) in (0..).zip(&mut controls.sms) {
            controls.allowed[KernelId(0)] = sms.contains(&sm);
        }
        PolicySpec::manual(controls)
    };
    match by {
        By::Whole | By::AsLong => alloc::vec![(PolicySpec::leftover(), String::new())],
        By::Ctas => {
            let most = experiment.cta_limits().iter().map(|limit| limit[kernel]).max().unwrap_or(0);
            (1..=most).map(|ctas| (PolicySpec::fixed(&[ctas]), format!(", {ctas} CTAs on every SM"))).collect()
        }
        By::Sms(counts) => counts.iter().map(|&count| (on(0..count), format!(", on {count} SMs"))).collect(),
        By::Class => {
            let of_class = |(class, sms): (&SmClass, _)| (on(sms), format!(", on the SMs of class {}", class.name));
            gpu.sms.iter().zip(gpu.class_sms()).map(of_class).collect()
        }
        By::Uniform { as_small } => {
            let small = gpu.sms.iter().min_by_key(|class| class.room()).map_or(0, |class| class.count);
            let count = if *as_small { small } else { gpu.sm_count() };
            alloc::vec![(on(0..count), format!(", on {count} uniform SMs"))]
        }
    }
}

/// The profile that a policy needs which shares an experiment's GPU, from the answers; on failure, the runs of the plan without an answer.
pub fn profile(experiment: &Experiment, policy: &dyn Policy, solo: &SoloProfiles) -> Result<Profile, Problems> {
    let mut missing = Vec::new();
    let mut answer = |run: Experiment| {
        let hash = run.config_hash();
        let found = solo.get(&hash).copied();
        if found.is_none() {
            missing.push(format!("{} ({hash})", run.name));
        }
        found.unwrap_or_default()
    };
    let mut profile = Profile::default();
    let needs = policy.needs();
    for by in &needs.by {
        let mut of_kernel = |runs: Vec<Experiment>| runs.into_iter().map(&mut answer).collect();
        profile.0.push(of_each(experiment, by, needs.cycles).into_iter().map(&mut of_kernel).collect());
    }
    let mut problems = Problems::default();
    if !missing.is_empty() {
        let found = format!("a policy without the answers of {} runs: {}", missing.len(), missing.join("; "));
        problems.add("policy", found, "the answers of every run that its plan puts first");
    }
    problems.or(profile)
}

/// An answer as hosts store it.
pub fn encode(alone: &Alone) -> Value {
    alone.write()
}

const ANSWERS: Shape = Shape::Map { keys: &ANY_KEY, of: &Shape::Record(&ALONE), want: "an object with an answer for each hash" };

/// Answers as hosts store them: an object with an answer for each hash.
pub fn decode(value: &Value) -> Result<SoloProfiles, Problems> {
    let mut problems = Problems::default();
    ANSWERS.check(value, "answers", &mut problems);
    let Value::Object(pairs) = value else { return Err(problems) };
    problems.or(pairs.iter().map(|(hash, given)| (hash.clone(), Alone::read(given))).collect())
}
