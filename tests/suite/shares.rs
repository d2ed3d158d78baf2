//! What is a kernel's share of the GPU, what does that alone cost it, and who else costs it what?

use sim_core::run::verdict::Question;
use sim_core::{Experiment, Outcome, PolicySpec, Simulation, SoloProfiles, run};

fn outcome(fields: &str) -> Outcome {
    let experiment = Experiment::from_json(&format!(r#"{{ "corun": 1, {fields} }}"#)).unwrap_or_else(|problems| panic!("{problems}"));
    run(&experiment).unwrap_or_else(|problems| panic!("{problems}"))
}

/// It was 3.78 times slower than itself: alone, warps went greedy then oldest whatever the run said.
#[test]
fn a_kernel_by_itself_is_as_fast_as_alone_in_every_warp_order() {
    for order in ["lrr", "gto", "two-level(8)"] {
        let alone = outcome(&format!(
            r#""gpu": "ccbp-16sm", "kernels": ["ccbp/KM"], "policy": "even", "warp_order": "{order}", "stop": {{ "cycles": 30000 }}"#
        ));
        assert_eq!(alone.kernels[0].slowdown, Some(1.0), "{order}");
    }
}

/// What a verdict says, as one text.
fn said(outcome: &Outcome) -> String {
    outcome.verdict.sentences().join(" ")
}

/// Slowdown by the share and by the neighbours.
fn costs(outcome: &Outcome, kernel: usize) -> [f64; 2] {
    let kernel = &outcome.kernels[kernel];
    [kernel.share_cost, kernel.neighbour_cost].map(|cost| cost.expect("both are known"))
}

/// A slowdown is what the share costs times what the neighbours do, whatever the scheme: by SMs, by CTAs, by DRAM channels, by turns.
#[test]
fn share_and_neighbours_make_up_a_slowdown() {
    let policies = [
        r#"{ "name": "mps", "percentage": [50, 50] }"#,
        r#"{ "name": "mps", "percentage": [75, 75] }"#,
        r#"{ "name": "spatial", "split": [4, 12], "channels": [4, 4] }"#,
        r#"{ "name": "fixed", "combination": [2, 3] }"#,
        r#"{ "name": "time-slice", "slice": 10000 }"#,
        r#""even""#,
        r#""leftover""#,
    ];
    for policy in policies {
        let outcome = outcome(&format!(
            r#""gpu": "ccbp-16sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": {policy}, "stop": {{ "cycles": 60000 }}"#
        ));
        for (k, kernel) in outcome.kernels.iter().enumerate().filter(|(_, kernel)| kernel.thread_instructions > 0) {
            let [share, neighbours] = costs(&outcome, k);
            assert!((share * neighbours / kernel.slowdown.unwrap() - 1.0).abs() < 1e-12, "{policy}: {share} and {neighbours}");
            assert!(share > 0.9 && neighbours > 0.6, "{policy}: {share} and {neighbours} of {}", kernel.name);
            assert_eq!(kernel.share.is_none(), policy == r#""leftover""#, "{policy}: {:?}", kernel.share);
        }
    }
}

/// Who has SMs and channels of its own is alone in its share: the run of its share is the run itself.
#[test]
fn a_slice_that_nobody_can_reach_costs_all() {
    for (kernels, sufferer) in [(r#"["ccbp/CFD", "COPY"]"#, 0), (r#"["VADD", "interference/sleep"]"#, 0)] {
        let policy = r#"{ "name": "spatial", "split": [8, 8], "channels": [2, 14] }"#;
        let outcome = outcome(&format!(r#""gpu": "ccbp-16sm", "kernels": {kernels}, "policy": {policy}, "stop": {{ "cycles": 100000 }}"#));
        let [_, neighbours] = costs(&outcome, sufferer);
        assert!((neighbours - 1.0).abs() < 0.01, "{neighbours}");
        assert!(said(&outcome).contains("is 8 of 16 SMs and 2 of 16 DRAM channels."), "{}", said(&outcome));
        assert!(!["fills", "itself", "taken"].iter().any(|word| said(&outcome).contains(word)), "{}", said(&outcome));
    }
}

/// A cap is the cap's, not the neighbour's who sleeps: with and without knowing what the share costs by a run.
#[test]
fn a_cap_beside_an_idle_gpu_is_no_neighbours() {
    for policy in [r#"{ "name": "mps", "percentage": [25, 25] }"#, r#"{ "name": "spatial", "split": [4, 4] }"#] {
        let text = format!(
            r#"{{ "corun": 1, "gpu": "ccbp-16sm", "kernels": ["ccbp/BP", "interference/sleep"], "policy": {policy}, "stop": {{ "cycles": 100000 }} }}"#
        );
        let whole = run(&Experiment::from_json(&text).unwrap()).unwrap();
        let capped = &whole.kernels[0];
        assert!(capped.neighbour_cost.unwrap() < 1.01 && capped.share.as_deref() == Some("4 of 16 SMs"), "{capped:?}");
        // A host that never asks for shares.
        let experiment = Experiment::from_json(&text).unwrap();
        let mut without = Simulation::new(&experiment).unwrap();
        without.advance(u64::MAX);
        let mut answers = SoloProfiles::new();
        for (_, hash, alone) in experiment.alone_runs() {
            let mut one = Simulation::new(&alone).unwrap();
            one.advance(u64::MAX);
            answers.insert(hash, one.answer());
        }
        without.add_solo_profiles(&answers);
        let outcome = without.outcome();
        assert_eq!(outcome.kernels[0].share_cost, None);
        assert!(!said(&outcome).contains("taken"), "{}", said(&outcome));
    }
}

/// Two replicas at 10 % and 90 %: they are told apart, and what is lost is the smaller one's share, though it has as many warps as alone.
#[test]
fn replicas_have_numbers_and_a_share() {
    let mix = r#""gpu": "h100-sxm5", "warp_order": "gto", "kernels": ["interference/fma", "interference/fma"]"#;
    let outcome = outcome(&format!(r#"{mix}, "policy": {{ "name": "mps", "percentage": [10, 90] }}, "stop": {{ "cycles": 20000 }}"#));
    assert_eq!(outcome.kernels.iter().map(|kernel| kernel.name.as_str()).collect::<Vec<_>>(), ["fma #1", "fma #2"]);
    assert!(outcome.verdict.headline_text().starts_with("fma #1 is 8.7"), "{}", said(&outcome));
    assert!(outcome.verdict.headline_text().ends_with(" times slower than alone, all of it for its share."), "{}", said(&outcome));
    assert!(said(&outcome).contains("The share of fma #1 is 13 of 132 SMs."), "{}", said(&outcome));
    let [first, second] = [0, 1].map(|k| outcome.kernels[k].rates.ipc.unwrap());
    assert!((7.5..8.5).contains(&(second / first)), "1 : 7.95, as reported");
}

/// Two light jobs in turns: the slice halves them, and neither takes the other's room.
#[test]
fn a_time_slice_is_a_share() {
    let job = |name: &str| {
        format!(
            r#"{{ "name": "{name}", "arrays": [{{ "name": "a", "bytes": 16777216 }}], "launches": [{{ "ctas": 16, "threads": 256, "registers": 32,
                "gap": 2000, "program": [{{ "loop": {{ "trips": 10, "body": [{{ "load": {{ "array": "a", "lane": 4, "warp": 128, "cta": 1024,
                "loops": [16384] }} }}, {{ "wait": {{ "loads": 0 }} }}, {{ "alu": {{ "count": 40 }} }}] }} }}] }}] }}"#
        )
    };
    let text = format!(
        r#""gpu": "ccbp-16sm", "kernels": [{}, {}], "policy": {{ "name": "time-slice", "slice": 50000 }}, "stop": {{ "cycles": 1000000 }}"#,
        job("job 1"),
        job("job 2")
    );
    let outcome = outcome(&text);
    for k in 0..2 {
        let [share, neighbours] = costs(&outcome, k);
        assert!((1.8..2.2).contains(&share) && (0.95..1.05).contains(&neighbours), "{share} and {neighbours}");
        assert_eq!(outcome.kernels[k].share.as_deref(), Some("one of 2 turns on the whole GPU"));
    }
    assert!(said(&outcome).contains("is one of 2 turns on the whole GPU."), "{}", said(&outcome));
}

/// The run of a share is a plain experiment, which a page and a file can hold; under its last controls a scheme that learns is one, too.
#[test]
fn the_runs_of_shares_are_written_down_and_read_back() {
    for policy in [r#""ccbp""#, r#"{ "name": "time-slice", "slice": 5000 }"#, r#"{ "name": "mps", "percentage": [50, 25] }"#] {
        let text = format!(
            r#"{{ "corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": {policy}, "stop": {{ "cycles": 30000 }} }}"#
        );
        let mut run = sim_core::start(&Experiment::from_json(&text).unwrap()).unwrap();
        assert!(run.share_runs().is_empty(), "what a share was is known at the end");
        run.advance(u64::MAX);
        let planned = run.share_runs();
        assert_eq!(planned.len(), 2, "{policy}");
        for one in planned {
            let read = Experiment::from_json(&one.experiment.encode().to_string()).unwrap_or_else(|problems| panic!("{problems}"));
            assert_eq!((&read.config_hash(), &read.kernels), (&one.hash, &one.experiment.kernels), "{policy}");
        }
        run.set_policy(&PolicySpec::even()).unwrap();
        assert!(run.share_runs().len() == 2 && run.outcome().kernels[0].share_cost.is_none(), "another share");
    }
}

/// A kernel by itself under a cap: it is slower for that alone.
#[test]
fn a_kernel_by_itself_is_slower_for_its_share() {
    let policy = r#"{ "name": "mps", "percentage": [50] }"#;
    let outcome =
        outcome(&format!(r#""gpu": "rtx2060-30sm", "kernels": ["latency/RAYTRACE"], "policy": {policy}, "stop": {{ "cycles": 60000 }}"#));
    assert_eq!(outcome.verdict.question, Question::Reuse);
    assert_eq!(costs(&outcome, 0), [outcome.kernels[0].slowdown.unwrap(), 1.0]);
    assert!(outcome.verdict.headline_text().contains("times slower than alone: its share is 15 of 30 SMs."), "{}", said(&outcome));
}

/// No factor is said that is not known to a quarter, and nobody is called unharmed, or faster than alone, who has not been seen to its end once.
#[test]
fn a_run_that_is_too_short_says_so_first() {
    let short = |fields: &str| {
        let outcome = outcome(fields);
        let first = outcome.verdict.headline_text();
        assert!(first.starts_with("The run is too short to say "), "{}", said(&outcome));
        assert!(!outcome.verdict.sure);
        outcome
    };
    // 0.86 ± 0.10 with no run done, where "nobody suffers" stood.
    let replicas = short(
        r#""gpu": "h100-sxm5", "scale": "1/4", "warp_order": "gto", "kernels": ["qos/SGEMM", "qos/SGEMM"],
           "policy": { "name": "mps", "percentage": [48.5, 48.5] }, "stop": { "cycles": 60000 }"#,
    );
    assert_eq!(replicas.verdict.headline_text(), "The run is too short to say whether SGEMM #1 and SGEMM #2 suffer.");
    assert!(!said(&replicas).contains(" times"), "{}", said(&replicas));
    let wide = short(r#""gpu": "ccbp-16sm", "kernels": ["ccbp/LBM", "ccbp/CFD"], "policy": "even", "stop": { "cycles": 5000 }"#);
    assert_eq!(wide.verdict.sufferer, None, "{}", said(&wide));
}

/// A run that was to settle and did not says that it missed, and by how much.
#[test]
fn a_run_that_does_not_settle_says_that_it_missed() {
    let settled = |within: f64| {
        let stop = format!(r#""stop": {{ "settled": {within}, "at_most": 60000 }}"#);
        let outcome = outcome(&format!(r#""gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": "even", {stop}"#));
        (outcome.settled.as_ref().unwrap().reached, said(&outcome))
    };
    let (reached, says) = settled(0.001);
    assert!(!reached && says.contains("The run was to settle within ± 0.1 %, and missed that at its most cycles: "), "{says}");
    let (reached, says) = settled(0.9);
    assert_eq!(reached, !says.contains("missed that"), "{says}");
}

/// A scheme that keeps goals says that it has none to keep.
#[test]
fn a_scheme_without_a_goal_says_so() {
    let mix = r#""gpu": "tiny-2sm", "policy": "qos-rollover", "stop": { "cycles": 20000 }, "kernels""#;
    let without = Experiment::from_json(&format!(r#"{{ "corun": 1, {mix}: ["ccbp/BP", "ccbp/CFD"] }}"#)).unwrap();
    assert!(without.warnings().to_string().contains("kernels: found no goal for any kernel under policy qos-rollover"));
    assert!(said(&run(&without).unwrap()).contains("qos-rollover keeps goals, and no kernel has one."));
    let with = Experiment::from_json(&format!(r#"{{ "corun": 1, {mix}: [{{ "kernel": "ccbp/BP", "qos": 0.5 }}, "ccbp/CFD"] }}"#)).unwrap();
    assert!(with.warnings().0.is_empty() && !said(&run(&with).unwrap()).contains("no kernel has one"));
}

/// The room that others leave under a scheme without limits is a share: three equal kernels have a third each.
#[test]
fn the_room_that_others_leave_is_a_share() {
    let mix = r#""gpu": "fermi-16sm", "kernels": ["hetero/NQU", "hetero/NQU", "hetero/NQU"]"#;
    let policy = r#"{ "name": "mps", "percentage": [100, 100, 100] }"#;
    let outcome = outcome(&format!(r#"{mix}, "policy": {policy}, "stop": {{ "cycles": 60000 }}"#));
    for (k, kernel) in outcome.kernels.iter().enumerate() {
        assert_eq!(kernel.share.as_deref(), Some("1 of 3 CTAs on an SM, as others leave it"));
        let [share, neighbours] = costs(&outcome, k);
        assert!((2.8..3.2).contains(&share) && (0.95..1.05).contains(&neighbours), "{share} and {neighbours}");
    }
}
