//! Do the words of vendors mean what their documents say, and does a GPU that lacks something say what it has?

use sim_core::describe::error::Problems;
use sim_core::describe::gpu::presets::PRESETS;
use sim_core::describe::gpu::vendor::VENDORS;
use sim_core::describe::value::Value;
use sim_core::policy::words::{self, WORDS};
use sim_core::run::experiment::Experiment;
use sim_core::run::simulation::Simulation;
use sim_core::study::catalogue::catalogue;

/// Kernels of this many under a policy on a GPU.
fn read(gpu: &str, kernels: usize, policy: &str) -> Result<Experiment, Problems> {
    let kernels = vec!["\"ccbp/BP\""; kernels].join(", ");
    let text = format!(r#"{{"corun": 1, "gpu": {gpu:?}, "kernels": [{kernels}], "policy": {policy}, "alone": false}}"#);
    let experiment = Experiment::from_json(&text)?;
    assert_eq!(Experiment::decode(&experiment.encode()), Ok(experiment.clone()), "{policy} on {gpu}");
    Ok(experiment)
}

fn right(gpu: &str, kernels: usize, policy: &str) -> Experiment {
    read(gpu, kernels, policy).unwrap_or_else(|problems| panic!("{policy} on {gpu}: {problems}"))
}

fn wrong(gpu: &str, kernels: usize, policy: &str) -> String {
    read(gpu, kernels, policy).expect_err(policy).to_string().trim().to_owned()
}

/// SMs and DRAM channels of each kernel after a run has begun; no two kernels have one in common.
fn apart(experiment: &Experiment) -> (Vec<usize>, Vec<u16>) {
    let mut run = Simulation::new(experiment).unwrap();
    run.advance(1);
    let (controls, kernels) = (run.machine().controls(), experiment.kernels.len());
    assert!(controls.sms.iter().all(|sm| sm.allowed.0[..kernels].iter().filter(|&&allowed| allowed).count() <= 1));
    let sms = |kernel: usize| controls.sms.iter().filter(|sm| sm.allowed.0[kernel]).count();
    let ends = |kernel: usize| (controls.first_channel.0[kernel], controls.first_channel.0[kernel] + controls.channels.0[kernel]);
    if controls.channels.0[0] < u16::MAX {
        assert!((1..kernels).all(|kernel| ends(kernel).0 >= ends(kernel - 1).1));
        assert!(usize::from(ends(kernels - 1).1) <= experiment.gpu.dram.channels as usize);
    }
    ((0..kernels).map(sms).collect(), controls.channels.0[..kernels].to_vec())
}

#[test]
fn an_instance_of_mig_has_what_its_profile_says() {
    for (gpu, kernels, profiles, sms, channels) in [
        ("h200", 2, r#"["3g.71gb", "4g.71gb"]"#, vec![60, 64], vec![48, 48]),
        ("h100", 3, r#"["4g.40gb", "2g.20gb", "1g.10gb"]"#, vec![64, 32, 16], vec![40, 20, 10]),
        ("h100", 4, r#""1g.20gb""#, vec![26; 4], vec![20; 4]),
        ("a100", 7, r#""1g.5gb""#, vec![14; 7], vec![5; 7]),
        ("a100-40gb", 2, r#"["2g.10gb", "3g.20gb"]"#, vec![28, 42], vec![10, 20]),
        ("a100", 1, r#"["7g.40gb"]"#, vec![98], vec![40]),
    ] {
        let experiment = right(gpu, kernels, &format!(r#"{{"name": "mig", "profiles": {profiles}}}"#));
        assert_eq!(apart(&experiment), (sms, channels), "{gpu} {profiles}");
    }
    assert_eq!(apart(&right("h100", 3, r#""mig""#)).0, [32, 32, 32], "the largest that all three can have alike");
}

#[test]
fn what_a_gpu_does_not_have_is_said_with_what_it_has() {
    let mig = |profiles: &str| format!(r#"{{"name": "mig", "profiles": {profiles}}}"#);
    let has = "at most 7 × 1g.10gb, 4 × 1g.20gb, 3 × 2g.20gb, 2 × 3g.40gb, 1 × 4g.40gb, 1 × 7g.80gb";
    let together = format!("want instances that h100-sxm5 can place together in 7 SM slices and 8 memory slices: {has}");
    for (gpu, kernels, policy, want) in [
        ("h100", 2, mig(r#"["3g.40gb", "5g.50gb"]"#), format!(r#"policy.profiles[1]: found "5g.50gb", want a profile of h100-sxm5: {has}"#)),
        ("h100", 2, mig(r#""3g.20gb""#), format!(r#"policy.profiles[0]: found "3g.20gb", want a profile of h100-sxm5: {has}"#)),
        ("h100", 2, mig(r#""4g.40gb""#), format!("policy.profiles: found 4g.40gb + 4g.40gb, {together}")),
        ("h100", 3, mig(r#"["3g.40gb", "3g.40gb", "1g.10gb"]"#), format!("policy.profiles: found 3g.40gb + 3g.40gb + 1g.10gb, {together}")),
        ("h100", 8, mig("[]").replace(r#", "profiles": []"#, ""), format!("policy.profiles: found 8 instances, {together}")),
        ("h100", 2, mig(r#"["3g.40gb"]"#), "policy.profiles: found 1 names, want 2".into()),
        ("rtx5090", 2, mig(r#""3g.40gb""#), "policy.name: found MIG on a GPU without it, want one of the GPUs a100-40gb, h100-sxm5, h200-sxm".into()),
        (
            "h100",
            2,
            r#"{"name": "green-context", "sms": [60, 64]}"#.into(),
            "policy.sms[0]: found 60 SMs, want at least 8 SMs in steps of 8, which h100-sxm5 has for green contexts".into(),
        ),
        (
            "a100",
            2,
            r#"{"name": "green-context", "sms": [2, 64]}"#.into(),
            "policy.sms[0]: found 2 SMs, want at least 4 SMs in steps of 2, which a100-40gb has for green contexts".into(),
        ),
        ("h100", 2, r#"{"name": "green-context", "sms": 72}"#.into(), "policy.sms: found 144 SMs together, want at most the GPU's 132".into()),
        (
            "ccbp-16sm",
            2,
            r#""green-context""#.into(),
            "policy.name: found green contexts on a GPU without them, want one of the GPUs a100-40gb, h100-sxm5, h200-sxm, rtx5090, rtx2060-30sm".into(),
        ),
        ("h100", 2, r#"{"name": "mps", "percentage": 101}"#.into(), "policy.percentage: found 101, want a number from 0.1 to 100".into()),
        (
            "h100",
            2,
            r#"{"name": "time-slice", "timeslice": "brief"}"#.into(),
            r#"policy.timeslice: found "brief", want one of default, short, medium, long"#.into(),
        ),
        (
            "h100",
            2,
            r#"{"name": "time-slice", "slice": 5000, "slice_ms": 2}"#.into(),
            "policy.slice_ms: found slice and slice_ms together, want one of them".into(),
        ),
        (
            "h100",
            2,
            r#"{"name": "time-slice", "slice_ms": 900}"#.into(),
            "policy.slice_ms: found 1782000000 cycles at 1980 MHz, want a length of 1000 to 1000000000 cycles".into(),
        ),
    ] {
        assert_eq!(wrong(gpu, kernels, &policy), want, "{policy}");
    }
}

#[test]
fn green_contexts_are_in_the_drivers_steps() {
    for (gpu, kernels, sms, want) in
        [("h100", 2, "[96, 32]", vec![96, 32]), ("5090", 3, "48", vec![48; 3]), ("rtx2060-30sm", 2, "[2, 28]", vec![2, 28])]
    {
        let experiment = right(gpu, kernels, &format!(r#"{{"name": "green-context", "sms": {sms}}}"#));
        let (sms, channels) = apart(&experiment);
        assert_eq!((sms, channels), (want, vec![u16::MAX; kernels]), "all channels are shared");
    }
    assert_eq!(apart(&right("h100", 2, r#""green-context""#)).0, [64, 64], "equal parts in whole steps");
    assert_eq!(apart(&right("a100", 5, r#""green-context""#)).0, [20; 5]);
}

/// One figure for all clients is that figure for each.
#[test]
fn one_percentage_holds_for_all() {
    let [one, each] = ["50", "[50, 50]"].map(|percentage| right("h100", 2, &format!(r#"{{"name": "mps", "percentage": {percentage}}}"#)));
    assert_eq!(one, each);
    assert_eq!(one.config_hash(), each.config_hash());
}

/// Which kernel has its turn, from slice to slice.
#[test]
fn slices_are_as_long_as_said_and_weights_are_slices_in_a_row() {
    let turns = |policy: &str| {
        let mut run = Simulation::new(&right("h100", 2, policy)).unwrap();
        run.advance(1);
        let decided = run.decisions().iter().find(|decision| decision.what.topic() == "turn").unwrap();
        decided.to_value().get("values").and_then(|values| values.get("cycles")).and_then(Value::as_int).unwrap()
    };
    for (said, ms) in [
        (r#""time-slice""#, 2.0),
        (r#"{"name": "time-slice", "timeslice": "default"}"#, 2.0),
        (r#"{"name": "time-slice", "timeslice": "short"}"#, 2.0),
        (r#"{"name": "time-slice", "timeslice": "medium"}"#, 10.0),
        (r#"{"name": "time-slice", "timeslice": "long"}"#, 30.0),
        (r#"{"name": "time-slice", "slice_ms": 0.5}"#, 0.5),
        (r#"{"name": "time-slice", "slice_ms": 0.5, "weights": [3, 1]}"#, 1.5),
    ] {
        assert_eq!(turns(said), (ms * 1_980_000.0) as i64, "{said}");
    }
    let text = r#"{"corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/SAD"], "alone": false, "stop": {"cycles": 100000},
        "policy": {"name": "time-slice", "slice": 10000, "weights": [3, 2]}}"#;
    let mut run = Simulation::new(&Experiment::from_json(text).unwrap()).unwrap();
    run.advance(u64::MAX);
    let turns: Vec<_> = run.decisions().iter().map(|decision| (decision.cycle, decision.kernel.map(|kernel| kernel.0))).collect();
    assert_eq!(turns, [(0, Some(0)), (30_000, Some(1)), (50_000, Some(0)), (80_000, Some(1)), (100_000, Some(0))]);
}

/// A result calls a scheme as its user did.
#[test]
fn titles_are_the_vendors_words() {
    for (gpu, kernels, policy, title) in [
        ("h200", 2, r#"{"name": "mig", "profiles": ["3g.71gb", "4g.71gb"]}"#, "MIG 3g.71gb + 4g.71gb"),
        ("h200", 2, r#"{"name": "mig", "profiles": "3g.71gb"}"#, "MIG 3g.71gb each"),
        ("a100", 1, r#"{"name": "mig", "profiles": "3g.20gb"}"#, "MIG 3g.20gb"),
        ("h100", 2, r#"{"name": "mps", "percentage": 50}"#, "MPS 50 % each"),
        ("h100", 2, r#"{"name": "mps", "percentage": [70, 30.5]}"#, "MPS 70 + 30.5 %"),
        ("h100", 2, r#"{"name": "green-context", "sms": [96, 32]}"#, "Green contexts 96 + 32 SMs"),
        ("h100", 2, r#""green-context""#, "Green contexts"),
        ("h100", 2, r#"{"name": "time-slice", "timeslice": "long"}"#, "Time slicing long"),
        ("h100", 2, r#"{"name": "time-slice", "slice_ms": 2}"#, "Time slicing 2 ms"),
        ("h100", 2, r#"{"name": "time-slice", "slice": 100000}"#, "Time slicing 100,000 cycles"),
        ("h100", 2, r#""even""#, "Even split"),
        ("h100", 2, r#"["spatial", "mil"]"#, "Spatial partitioning + MIL: caps on memory instructions"),
    ] {
        let experiment = right(gpu, kernels, policy);
        assert_eq!(words::title(&experiment.policy), title, "{policy}");
        let mut run = Simulation::new(&experiment).unwrap();
        assert_eq!(run.result().get("policy").and_then(|policy| policy.get("title")).and_then(Value::as_str), Some(title));
    }
}

/// A GPU may be named in short; the canonical form has its whole name, and the run is the same.
#[test]
fn short_names_of_gpus_mean_their_presets() {
    for preset in PRESETS.iter() {
        let Some(alias) = preset.alias else { continue };
        let [short, long] = [alias, preset.name].map(|gpu| right(gpu, 2, r#""even""#));
        assert_eq!((&short, short.config_hash()), (&long, long.config_hash()));
        let gpu = short.encode().get("gpu").and_then(|gpu| gpu.get("preset")).cloned();
        assert_eq!(gpu.as_ref().and_then(Value::as_str), Some(preset.name));
    }
    for alias in ["a100", "h100", "h200", "5090"] {
        assert!(read(alias, 1, r#""even""#).is_ok());
        let text = format!(r#"{{"corun": 1, "gpu": {{"preset": "{alias}", "sm.count": 8}}, "kernels": ["ccbp/BP"]}}"#);
        assert_eq!(Experiment::from_json(&text).map(|experiment| experiment.gpu.sm_count()), Ok(8));
    }
}

/// Page and runner read these.
#[test]
fn the_catalogue_has_the_words() {
    let all = catalogue(&[], &[]);
    let vendors = all.get("vendors").unwrap();
    let names = |key: &str, of: &str| -> Vec<String> {
        let entries = vendors.get(key).unwrap().items().iter();
        entries.map(|entry| entry.get(of).and_then(Value::as_str).unwrap().to_owned()).collect()
    };
    assert_eq!(names("gpus", "gpu"), VENDORS.iter().map(|vendor| vendor.gpu).collect::<Vec<_>>());
    assert_eq!(names("time_slices", "word"), ["default", "short", "medium", "long"]);
    // Each word is a policy's, and its values are parameters of it.
    let policies = all.get("policies").unwrap().items();
    for word in WORDS {
        let policy = policies.iter().find(|policy| policy.get("name").and_then(Value::as_str) == Some(word.policy)).unwrap();
        let params: Vec<&str> = policy.get("params").unwrap().items().iter().filter_map(|param| param.get("name")?.as_str()).collect();
        assert!(word.values.iter().all(|(param, _)| params.contains(param)), "{}: {params:?}", word.policy);
    }
}
