//! Does a run say who suffers and how much, and does it say so only where it knows?

use sim_core::run::verdict::{Question, Verdict};
use sim_core::{Experiment, Simulation, SoloProfiles, Value, run, start};

fn verdict(fields: &str) -> Verdict {
    let gpu = if fields.contains("\"gpu\"") { "" } else { r#""gpu": "ccbp-16sm","# };
    let experiment = Experiment::from_json(&format!(r#"{{ "corun": 1, {gpu} {fields} }}"#)).unwrap_or_else(|problems| panic!("{problems}"));
    run(&experiment).unwrap_or_else(|problems| panic!("{problems}")).verdict
}

const LENGTH: &str = r#""stop": { "cycles": 60000 }"#;

#[test]
fn a_kernel_that_waits_for_another_division_is_told_so() {
    let gpu =
        r#"{ "preset": "tiny-2sm", "sm.carve_outs": "9.0", "sm.shared_bytes": 233472, "sm.shared_reserved": 1024, "sm.l1.bytes": 262144 }"#;
    let kernel = |name: &str, wants: u32| {
        format!(
            r#"{{ "name": "{name}", "launches": [{{ "ctas": 2, "threads": 64, "carve_out": {wants}, "program": [{{ "alu": {{ "count": 9000000 }} }}] }}] }}"#
        )
    };
    let says = |first: u32, second: u32| {
        let kernels = [kernel("first", first), kernel("second", second)].join(", ");
        verdict(&format!(r#""gpu": {gpu}, "kernels": [{kernels}], "policy": "leftover", {LENGTH}"#)).sentences()
    };
    let waits = "second waits for empty SMs: it wants 64 KB of an SM as shared memory, and others have it divided with 8 (carve_out).";
    let said = says(8192, 65_536);
    assert!(said[0].starts_with("second gets nothing") && said.iter().any(|sentence| sentence == waits), "{said:?}");
    assert!(says(65_536, 8192)[0].starts_with("Nobody suffers"), "{:?}", says(65_536, 8192));
}

#[test]
fn a_verdict_says_who_sits_on_sms_of_which_class() {
    // Spatial sharing gives the first half of the SMs to the first kernel: the big ones.
    let of = |policy: &str| {
        let mix = r#""gpu": "hetero-8b8s", "kernels": ["hetero/FDTD3D", "hetero/SYRK"]"#;
        verdict(&format!(r#"{mix}, "policy": "{policy}", {LENGTH}"#))
    };
    let apart = of("spatial");
    assert_eq!(apart.question, Question::Classes, "{:?}", apart.says);
    for sits in ["FDTD3D sits on the big SMs", "SYRK sits on the small SMs"] {
        assert!(apart.sentences().iter().any(|sentence| sentence.contains(sits)), "{:?}", apart.says);
    }
    let spread = of("hetero-agnostic").sentences();
    assert!(!spread.iter().any(|sentence| sentence.contains(" sits on ")), "{spread:?}");
    assert!(spread.iter().any(|sentence| sentence.contains("of its warps' time on the ")), "{spread:?}");
}

#[test]
fn a_verdict_names_the_sufferer_of_the_result_with_its_slowdown_and_interval() {
    let experiment = Experiment::from_json(&format!(
        r#"{{ "corun": 1, "kernels": ["ccbp/BP", "ccbp/CFD"], "gpu": "ccbp-16sm", "policy": "even", {LENGTH} }}"#
    ));
    let outcome = run(&experiment.unwrap_or_else(|problems| panic!("{problems}"))).unwrap_or_else(|problems| panic!("{problems}"));
    let verdict = &outcome.verdict;
    let sufferer = &outcome.kernels[verdict.sufferer.expect("BP suffers") as usize];
    assert_eq!(verdict.slowdown, sufferer.slowdown);
    assert!(outcome.kernels.iter().all(|kernel| kernel.slowdown <= sufferer.slowdown));
    let [low, high] = verdict.ci95.expect("the run has an interval");
    assert!(low < sufferer.slowdown.unwrap_or(0.0) && sufferer.slowdown.unwrap_or(0.0) < high);
    assert!(verdict.headline_text().starts_with(&format!("{} is ", sufferer.name)), "{:?}", verdict.says);
}

#[test]
fn where_time_goes_is_warps_over_the_cycles_of_an_instruction() {
    let experiment = Experiment::from_json(&format!(
        r#"{{ "corun": 1, "kernels": ["ccbp/BP", "ccbp/CFD"], "gpu": "tiny-2sm", "policy": "even", {LENGTH} }}"#
    ));
    let outcome = run(&experiment.unwrap_or_else(|problems| panic!("{problems}"))).unwrap_or_else(|problems| panic!("{problems}"));
    for kernel in &outcome.kernels {
        let here = kernel.breakdown.expect("it has issued");
        let ipc = here.warps / (here.memory + here.lsu + here.other);
        let issued = kernel.warp_instructions as f64 / outcome.cycles as f64;
        assert!((ipc / issued - 1.0).abs() < 1e-9, "{ipc} and {issued}");
        let stations = here.miss_queue + here.request_noc + here.l2 + here.dram + here.reply_noc;
        assert!((stations / kernel.latency.mean.unwrap_or_default() - 1.0).abs() < 1e-9, "{here:?} and {:?}", kernel.latency);
    }
}

/// Kernels alone may be told before their runs end: the verdict then says so, is not sure, and no policy learns of it.
#[test]
fn a_verdict_of_runs_alone_that_go_on_says_so() {
    let read = |text: &str| Experiment::from_json(text).unwrap_or_else(|problems| panic!("{problems}"));
    let mix = r#""corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/FTD"], "policy": "even""#;
    let shared = read(&format!(r#"{{ {mix}, {LENGTH} }}"#));
    let mut run = Simulation::new(&shared).unwrap_or_else(|problems| panic!("{problems}"));
    run.advance(u64::MAX);
    let mut so_far = SoloProfiles::default();
    for (_, hash, alone) in shared.alone_runs() {
        let mut one = Simulation::new(&alone).unwrap_or_else(|problems| panic!("{problems}"));
        assert!(one.answer_so_far(0.5).is_none(), "nothing has run");
        one.advance(20_000);
        let answer = one.answer_so_far(0.9).expect("20,000 cycles know an IPC to nine tenths");
        assert_eq!(answer.ipc, one.answer().ipc);
        assert_eq!(answer.ipc_ci95, None, "how it goes on has not been seen");
        assert!(one.answer_so_far(1e-9).is_none());
        so_far.insert(hash, answer);
    }
    run.show_so_far(&so_far);
    let said = run.outcome().verdict;
    assert!(said.slowdown.is_some() && said.ci95.is_none() && !said.sure, "{said:?}");
    assert!(!said.sentences().iter().any(|sentence| sentence.contains(" times ")), "a factor without an interval: {:?}", said.says);
    assert!(said.sentences().iter().any(|sentence| sentence.contains("still being measured")), "{:?}", said.says);
    assert!(so_far.keys().all(|hash| !run.knows(hash)), "a policy would learn of it");
    run.add_solo_profiles(&so_far);
    assert!(!run.outcome().verdict.sentences().iter().any(|sentence| sentence.contains("still being measured")));
}

#[test]
fn a_run_that_knows_nothing_alone_names_nobody() {
    let verdict = verdict(&format!(r#""kernels": ["ccbp/BP", "ccbp/CFD"], "policy": "even", "alone": false, {LENGTH}"#));
    assert_eq!((verdict.sufferer, verdict.sure), (None, false), "{verdict:?}");
}

#[test]
fn a_run_is_not_sure_while_its_policy_learns() {
    let learns = |policy: &str| {
        let verdict = verdict(&format!(r#""kernels": ["ccbp/BP", "ccbp/CFD"], "policy": "{policy}", {LENGTH}"#));
        let says = verdict.sentences().iter().any(|sentence| sentence.contains("still learns"));
        assert!(!(says && verdict.sure), "{verdict:?}");
        says
    };
    assert!(learns("ccbp"));
    assert!(!learns("even"));
}

#[test]
fn where_a_promise_is_made_the_verdict_says_whether_it_is_kept() {
    let goal = |share: f64| {
        verdict(&format!(r#""kernels": [{{ "kernel": "ccbp/BP", "qos": {share} }}, "ccbp/CFD"], "policy": "spart", {LENGTH}"#))
    };
    let (low, high) = (goal(0.05), goal(0.99));
    assert_eq!((low.question, high.question), (Question::Goals, Question::Goals));
    assert!(low.headline_text().contains("keeps its promise"), "{:?}", low.says);
    assert!(high.headline_text().contains("misses its promise"), "{:?}", high.says);
}

#[test]
fn one_kernel_is_told_what_it_finds_again() {
    let verdict = verdict(&format!(r#""kernels": ["ccbp/CFD"], "policy": "leftover", {LENGTH}"#));
    assert_eq!(verdict.question, Question::Reuse);
    assert!(verdict.headline_text().contains("in L1D"), "{:?}", verdict.says);
}

#[test]
fn the_words_of_the_data_are_those_of_json() {
    let experiment = Experiment::from_json(&format!(
        r#"{{ "corun": 1, "kernels": ["ccbp/BP", "ccbp/CFD"], "gpu": "tiny-2sm", "policy": "even", {LENGTH} }}"#
    ));
    let mut simulation = start(&experiment.unwrap_or_else(|problems| panic!("{problems}"))).unwrap_or_else(|problems| panic!("{problems}"));
    simulation.advance(u64::MAX);
    let says = simulation.outcome().verdict.says;
    let result = simulation.result();
    let Some(Value::Array(written)) = result.get("verdict").and_then(|verdict| verdict.get("says")) else {
        panic!("no verdict in {result}")
    };
    assert_eq!(written.iter().filter_map(Value::as_str).collect::<Vec<_>>(), says);
}
