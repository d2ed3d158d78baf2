//! Does taking a cause away find it, and does it find none where the neighbours cost nothing?

use sim_core::run::cure::Cure;
use sim_core::run::why::{Because, Measure};
use sim_core::{Experiment, KernelId, Outcome, Simulation, SoloProfiles, run};

fn experiment(fields: &str) -> Experiment {
    Experiment::from_json(&format!(r#"{{ "corun": 1, {fields} }}"#)).unwrap_or_else(|problems| panic!("{problems}"))
}

/// A run to its end by itself, without what kernels do alone.
fn ran(experiment: &Experiment) -> Simulation {
    let mut run = Simulation::with(experiment, &SoloProfiles::new()).unwrap_or_else(|problems| panic!("{problems}"));
    run.advance(u64::MAX);
    run
}

fn ipc(experiment: &Experiment, kernel: usize) -> Option<Measure> {
    Some((ran(experiment).outcome().kernels[kernel].rates.ipc?, None))
}

/// Why each kernel suffers, of these cures.
fn why(fields: &str, cures: &[Cure]) -> (Outcome, Vec<Because>) {
    let experiment = experiment(fields);
    let outcome = run(&experiment).unwrap_or_else(|problems| panic!("{problems}"));
    let because = ran(&experiment).trials(&outcome.kernels, cures).iter().map(|trials| trials.say(ipc)).collect();
    (outcome, because)
}

fn best(because: &[Because], kernel: u32) -> Option<(Cure, f64)> {
    let cured = because.iter().find(|one| one.kernel == kernel)?.cures.first()?;
    Some((cured.cure, cured.gives_back?))
}

/// CFD's replies fill the crossbar: BP waits for it, and nothing else gives as much back.
#[test]
fn a_kernel_that_waits_for_the_noc_is_cured_by_one_without_limits() {
    let fields = r#""gpu": "ccbp-16sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": "even", "stop": { "cycles": 60000 }"#;
    let (outcome, because) = why(fields, &[Cure::Dram, Cure::Noc, Cure::L1]);
    let (cure, gives_back) = best(&because, 0).expect("BP suffers");
    assert!(cure == Cure::Noc && gives_back > 2.0, "{because:?}");
    let says = because[0].says(&outcome.kernels).expect("all is known");
    assert!(
        says.contains(" × because it has 4 of 8 CTAs on an SM, ") && says.contains(" × because of CFD; with a NoC without limits, "),
        "{says}"
    );
}

/// What chance may explain is not said as a fact.
#[test]
fn a_cure_within_its_interval_is_said_with_a_perhaps() {
    let of = experiment(r#""gpu": "ccbp-16sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": "even", "stop": { "cycles": 20000 }"#);
    let outcome = run(&of).unwrap_or_else(|problems| panic!("{problems}"));
    let trials = ran(&of).trials(&outcome.kernels, &[Cure::Noc]);
    let known: Vec<(String, f64)> = trials[0]
        .runs
        .iter()
        .flat_map(|trial| [(&trial.together, trials[0].kernel.index()), (&trial.alone, 0)])
        .map(|(run, kernel)| (run.config_hash(), ipc(run, kernel).expect("it ran").0))
        .collect();
    let says = |part: f64| {
        let of = |run: &Experiment, _: usize| {
            let hash = run.config_hash();
            let ipc = known.iter().find(|(other, _)| *other == hash)?.1;
            Some((ipc, Some([ipc * (1.0 - part), ipc * (1.0 + part)])))
        };
        trials[0].say(of).says(&outcome.kernels).expect("all is known")
    };
    assert!(!says(0.01).contains("perhaps"), "{}", says(0.01));
    assert!(says(0.6).contains("; with a NoC without limits, perhaps "), "{}", says(0.6));
}

/// All lines of MVT come to one bank of L2: neither more bandwidth of DRAM nor a larger cache helps HG as much as spreading them.
#[test]
fn a_kernel_behind_a_camped_bank_is_cured_by_spreading_lines() {
    let fields = r#""gpu": "ccbp-16sm", "kernels": ["latency/MVT", "ccbp/HG"], "policy": "even", "stop": { "cycles": 60000 }"#;
    let (_, because) = why(fields, &[Cure::Noc, Cure::Dram, Cure::L2, Cure::Banks]);
    let (cure, gives_back) = best(&because, 1).expect("HG suffers");
    assert!(cure == Cure::Banks && gives_back > 4.0, "{because:?}");
}

/// Kernels on SMs, L2 banks and DRAM channels of their own lose by their share alone: nothing is to be cured.
#[test]
fn neighbours_that_cost_nothing_are_no_cause() {
    let own = r#"{ "name": "spatial", "split": [8, 8], "channels": [3, 3] }"#;
    let fields = format!(r#""gpu": "ccbp-16sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": {own}, "stop": {{ "cycles": 60000 }}"#);
    let (outcome, because) = why(&fields, &Cure::ALL);
    assert!(because.is_empty(), "{because:?}, {:?}", outcome.verdict.says);
}

/// A kernel in its turns meets no neighbour but the contexts that go through DRAM between two turns.
#[test]
fn short_turns_cost_what_moving_contexts_costs() {
    let fields = r#""gpu": "ccbp-16sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": { "name": "time-slice", "slice": 10000 }, "stop": { "cycles": 60000 }"#;
    let (_, because) = why(fields, &[Cure::Noc, Cure::Dram, Cure::L1, Cure::Quota]);
    let (cure, gives_back) = best(&because, 1).expect("CFD suffers");
    assert!(cure == Cure::Dram && gives_back > 1.5, "{because:?}");
    assert_eq!(because[0].not_tried, [Cure::Quota], "a scheme of turns keeps its controls");
}

/// What cures are held against is the run itself, where its scheme decides at the beginning.
#[test]
fn without_a_cure_the_run_is_what_it_was() {
    for policy in
        [r#""even""#, r#""leftover""#, r#"{ "name": "mps", "percentage": [50, 50] }"#, r#"{ "name": "spatial", "split": [4, 12] }"#]
    {
        let of = experiment(&format!(
            r#""gpu": "ccbp-16sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": {policy}, "stop": {{ "cycles": 20000 }}"#
        ));
        let mut base = ran(&of);
        let mut again = ran(&base.as_it_is(base.machine().controls()));
        assert_eq!(base.totals(), again.totals(), "{policy}");
        let alone = base.in_its_share(KernelId(0), base.machine().controls()).expect("time fills what it has");
        assert_eq!(alone.kernels.len(), 1, "{policy}");
    }
}
