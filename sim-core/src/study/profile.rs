//! Runs plans to their end, for callers that can wait: tests, examples, programs that use the library. A host that shows progress or must
//! be able to stop runs a plan's experiments like any others.

use crate::describe::error::Problems;
use crate::run::experiment::Experiment;
use crate::run::own::Own;
use crate::run::plan::{Plan, Planned, SoloProfiles};
use crate::run::result::Outcome;
use crate::run::simulation::Simulation;

/// The answers that the policy of an experiment needs.
pub fn answer(experiment: &Experiment) -> Result<SoloProfiles, Problems> {
    measure(Plan::of(experiment))
}

fn measure(plan: Plan) -> Result<SoloProfiles, Problems> {
    measured(plan.profile.iter())
}

fn measured<'p>(runs: impl Iterator<Item = &'p Planned>) -> Result<SoloProfiles, Problems> {
    let mut answers = SoloProfiles::new();
    for run in runs {
        let mut alone = Simulation::new(&run.experiment)?;
        alone.advance(u64::MAX);
        answers.insert(run.hash.clone(), alone.answer());
    }
    Ok(answers)
}

/// An experiment's run at cycle 0, with the profile that its policy needs.
pub fn start(experiment: &Experiment) -> Result<Simulation, Problems> {
    Simulation::with(experiment, &answer(experiment)?)
}

/// An experiment's run at cycle 0 with what the caller brings, and with the profile that its policy needs.
pub fn start_own(experiment: &Experiment, own: Own) -> Result<Simulation, Problems> {
    let answers = own.policy.as_ref().map_or_else(|| answer(experiment), |policy| measure(Plan::under(experiment, &**policy)))?;
    Simulation::with_own(experiment, own, &answers)
}

/// Runs an experiment to its end, after what its policy needs to know, and each kernel alone, also in its share: its whole outcome.
pub fn run(experiment: &Experiment) -> Result<Outcome, Problems> {
    run_own(experiment, Own::default())
}

/// Runs an experiment to its end with a policy or an order of the caller's own: its whole outcome.
pub fn run_own(experiment: &Experiment, own: Own) -> Result<Outcome, Problems> {
    let plan = own.policy.as_ref().map_or_else(|| Plan::of(experiment), |policy| Plan::under(experiment, &**policy));
    let answers = measured(plan.runs())?;
    let mut run = Simulation::with_own(experiment, own, &answers)?;
    run.advance(u64::MAX);
    run.add_solo_profiles(&answers);
    let shares = run.share_runs();
    let shares = run.unknown(shares);
    run.add_solo_profiles(&measured(shares.iter())?);
    Ok(run.outcome())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::ids::KernelId;
    use crate::describe::value::Value;
    use crate::interface::controls::WarpOrder;
    use crate::interface::ratios::{self, Rates};
    use crate::policy::spec::{PolicySpec, Setting};
    use crate::run::experiment::Stop;
    use crate::run::plan;

    fn experiment(policy: &str) -> Experiment {
        let value = Value::object([
            ("corun", Value::from(1)),
            ("gpu", "tiny-2sm".into()),
            ("kernels", Value::array(["ccbp/CFD", "ccbp/SAD"])),
            ("policy", policy.into()),
            ("stop", Value::object([("cycles", 30_000)])),
        ]);
        let mut experiment = Experiment::decode(&value).unwrap();
        experiment.policy = experiment.policy.with("profile_cycles", Setting::Int(2000));
        experiment
    }

    /// Could the user have measured the same by hand, with experiments of one kernel?
    #[test]
    fn a_profile_is_what_runs_alone_measure() {
        let experiment = experiment("ws");
        let answers = answer(&experiment).unwrap();
        let profile = plan::profile(&experiment, &*experiment.policy.policies()[0], &answers).unwrap();
        let limit = experiment.cta_limits()[0];
        let curves = profile.curves(|run| run.ipc);
        for kernel in KernelId::first(2) {
            let curve = &curves[kernel.index()];
            assert_eq!(curve.len() as u32, limit[kernel]);
            assert!(curve.iter().all(|&ipc| ipc > 0.0) && curve[0] != curve[1], "{curve:?}");
            let by_hand = Experiment { stop: Stop::Cycles(2000), warp_order: WarpOrder::Gto, ..experiment.alone(kernel) };
            let mut run = Simulation::new(&by_hand).unwrap();
            run.advance(u64::MAX);
            assert_eq!(curve.last().copied(), ratios::ipc(&run.totals()[0], 2000));
            let last = &profile.0[0][kernel.index()][curve.len() - 1];
            assert_eq!(Some(last.dram_utilisation), Rates::of(&run.totals()[0], &experiment.gpu, 2000).dram_utilisation);
        }
    }

    /// An error names each run that is missing; answers that are there are not asked for again.
    #[test]
    fn a_run_without_its_answers_says_which() {
        let experiment = experiment("smk");
        let plan = Plan::of(&experiment);
        assert_eq!((plan.profile.len(), plan.alone.len(), plan.runs().count()), (2, 2, 4), "of other lengths");
        let mut answers = answer(&experiment).unwrap();
        answers.remove(&plan.profile[1].hash);
        let problem = &Simulation::with(&experiment, &answers).map(|_| ()).unwrap_err().0[0];
        assert_eq!(problem.path, "policy");
        assert!(problem.found.contains("SAD alone") && !problem.found.contains("CFD alone"), "{}", problem.found);
        let mut even = Simulation::new(&self::experiment("even")).unwrap();
        even.advance(1000);
        let before = even.clone().digest();
        assert!(even.set_policy(&experiment.policy).is_err());
        assert_eq!(even.digest(), before, "nothing has changed");
        assert_eq!(even.policy_name(), "even");
    }

    /// A host reads back the answers that it stored, to the last bit; an error names what is no answer.
    #[test]
    fn answers_are_written_down_and_read_back() {
        let answers = answer(&experiment("ws")).unwrap();
        let written = Value::object(answers.iter().map(|(hash, alone)| (hash.as_str(), plan::encode(alone))));
        assert_eq!(plan::decode(&written).unwrap(), answers);
        let wrong = Value::object([("0123", Value::object([("ipc", Value::from("fast"))]))]);
        let problems = plan::decode(&wrong).unwrap_err();
        let paths: alloc::vec::Vec<&str> = problems.0.iter().map(|problem| problem.path.as_str()).collect();
        assert_eq!(paths, ["answers.0123.ipc", "answers.0123.warp_ipc", "answers.0123.noc_utilisation", "answers.0123.dram_utilisation"]);
    }

    /// A run alone that the profile and the slowdowns share is planned once.
    #[test]
    fn equal_runs_are_planned_once() {
        // A profile has GTO warps; so has a run alone where the run itself has them.
        let experiment = Experiment { stop: Stop::Cycles(2000), warp_order: WarpOrder::Gto, ..experiment("smk") };
        let plan = Plan::of(&experiment);
        assert_eq!((plan.profile.len(), plan.alone.len(), plan.runs().count()), (2, 2, 2));
        let answers = answer(&experiment).unwrap();
        let run = Simulation::with(&experiment, &answers).unwrap();
        assert_eq!(run.ipc_alone(KernelId(1)), Some(answers[&plan.alone[1].hash].ipc));
    }

    #[test]
    fn a_policy_that_profiles_decides_alike_whenever_it_takes_over() {
        for policy in ["smk", "ws"] {
            let new = || start(&experiment(policy)).unwrap();
            let mut whole = new();
            whole.advance(u64::MAX);
            let mut cut = new();
            cut.advance(10_000);
            let mut copy = cut.clone();
            while cut.advance(777) == crate::run::simulation::Reason::Budget {}
            copy.advance(u64::MAX);
            assert_eq!([cut.digest(), copy.digest()], [whole.digest(); 2], "{policy}, cut, and from a snapshot");
            let mut late = Simulation::new(&experiment("even")).unwrap();
            late.advance(5000);
            late.add_solo_profiles(&answer(&experiment(policy)).unwrap());
            late.set_policy(&experiment(policy).policy).unwrap();
            let decided = |run: &Simulation| run.decisions().iter().map(|decision| decision.what.clone()).collect::<alloc::vec::Vec<_>>();
            assert_eq!(decided(&late)[2..], decided(&new()), "{policy}");
            assert_eq!(late.machine().controls(), new().machine().controls());
            late.set_policy(&PolicySpec::even()).unwrap();
            late.set_policy(&experiment(policy).policy).unwrap();
        }
    }

    /// One run for each number of SMs and for each class, on these SMs alone.
    #[test]
    fn sms_and_classes_are_measured_apart() {
        let mut experiment = experiment("even");
        let mut small = experiment.gpu.sms[0].clone();
        (small.name, small.count, small.schedulers) = ("small".into(), 2, 1);
        experiment.gpu.sms.push(small);
        let by = |by| plan::runs(&experiment, KernelId(0), &by, 500);
        let ran = |runs: alloc::vec::Vec<Experiment>| -> alloc::vec::Vec<alloc::vec::Vec<bool>> {
            let used = |run: &Experiment| {
                let mut alone = Simulation::new(run).unwrap();
                alone.advance(u64::MAX);
                alone.machine().sms.iter().map(|sm| sm.ctas.used(KernelId(0)).ctas > 0).collect()
            };
            runs.iter().map(used).collect()
        };
        use crate::interface::observation::By;
        assert_eq!(ran(by(By::Sms(alloc::vec![1, 3]))), [[true, false, false, false], [true, true, true, false]]);
        assert_eq!(ran(by(By::Class)), [[true, true, false, false], [false, false, true, true]]);
    }
}
