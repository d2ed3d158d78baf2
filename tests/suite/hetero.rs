//! Do kernels go to the SMs that HeteroCore's schemes say, when they say so, and by the way that they say?

use sim_core::describe::gpu::presets;
use sim_core::describe::ids::KernelId;
use sim_core::describe::value::Value;
use sim_core::interface::decision::Decision;
use sim_core::run::experiment::Experiment;
use sim_core::run::simulation::Simulation;
use sim_core::study::profile;

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// A run of two kernels on a small GPU with two big and two small SMs.
fn start(kernels: &str, policy: &str, more: &str) -> Simulation {
    let text = format!(
        r#"{{ "corun": 1, "kernels": [{kernels}], "policy": {policy}, "warp_order": "gto",
              "gpu": {{ "preset": "tiny-2sm", "sm.count": 2, "sm.ctas": 12, "sm.small.count": 2, "sm.small.ctas": 4 }} {more} }}"#
    );
    let experiment = Experiment::decode(&read(&text)).unwrap_or_else(|problems| panic!("{text}:\n{problems}"));
    profile::start(&experiment).unwrap_or_else(|problems| panic!("{text}:\n{problems}"))
}

/// A kernel that computes without memory, so many instructions long.
fn compute(name: &str, ctas: u32, instructions: u32) -> String {
    format!(
        r#"{{ "name": "{name}", "launches": [{{ "ctas": {ctas}, "threads": 64, "registers": 16,
              "program": [{{ "alu": {{ "count": {instructions}, "latency": 20 }} }}] }}] }}"#
    )
}

/// Values of a decision by their keys.
fn numbers<const N: usize>(decision: &Decision, keys: [&str; N]) -> [f64; N] {
    keys.map(|key| decision.what.value(key).as_f64().unwrap())
}

fn said<'a>(run: &'a Simulation, topic: &'a str) -> impl Iterator<Item = &'a Decision> {
    run.decisions().iter().filter(move |decision| decision.what.topic() == topic)
}

/// The SMs on which each kernel has CTAs.
fn on(run: &Simulation) -> Vec<Vec<usize>> {
    let sms = &run.machine().sms;
    (0..2).map(|kernel| (0..sms.len()).filter(|&sm| sms[sm].ctas.used(KernelId(kernel)).ctas > 0).collect()).collect()
}

/// Big and small SMs together have the room of as many SMs of the baseline, which all sizings of the paper keep (§5).
#[test]
fn uniform_sms_are_those_of_the_baseline() {
    let baseline = presets::find("fermi-16sm").unwrap();
    for name in ["hetero-8b8s", "hetero-4b12s", "hetero-12b4s"] {
        let uniform = presets::find(name).unwrap().uniform();
        assert_eq!((uniform.sms[0].count, uniform.sms.len()), (16, 1), "{name}");
        assert_eq!(uniform.sms[0].room(), baseline.sms[0].room(), "{name}");
    }
}

/// Each launch is followed by a measurement on some SMs of each class, and an assignment; an SM has CTAs of one kernel only.
#[test]
fn a_measurement_assigns_sms_and_begins_anew_with_each_launch() {
    let kernels = format!("{}, {}", compute("long", 100_000, 4000), compute("short", 100, 100));
    let mut run = start(&kernels, r#"{ "name": "hetero-dynamic", "warm_up": 2000, "measure": 2000 }"#, r#", "stop": { "cycles": 60000 }"#);
    run.advance(1000);
    assert_eq!(on(&run), [[0, 2], [1, 3]]);
    run.advance(3001);
    assert_eq!(said(&run, "phase").count(), 2);
    let first = said(&run, "class_ipc").next().unwrap();
    assert_eq!(first.cycle, 4000);
    let [big, small, base] = numbers(first, ["big", "small", "base"]);
    assert!(big > small && (small..=big).contains(&base), "{big}, {small}, {base}");
    let mut launches = 0;
    while run.machine().now < 60_000 {
        run.advance(100);
        let sms = &run.machine().sms;
        for sm in sms {
            let kernels = (0..2).filter(|&kernel| sm.ctas.used(KernelId(kernel)).ctas > 0).count();
            assert!(kernels <= 1, "an SM with CTAs of two kernels at {}", run.machine().now);
        }
        launches = run.totals()[1].runs_done;
    }
    assert!(launches >= 3, "{launches}");
    let measured = said(&run, "phase").filter(|decision| decision.what.value("measure") != Value::Null).count() as u64;
    assert!((2..=1 + launches).contains(&measured), "{measured} measurements, {launches} runs");
}

/// What a kernel may hold on uniform SMs counts in the estimate of its IPC there: by class, as Table 3's rows that no shape gives, or on any SM.
#[test]
fn the_estimate_keeps_to_ctas_per_sm() {
    let scaled = |limit: &str| {
        let kernels = format!(r#"{{ "kernel": {}, "ctas_per_sm": {limit} }}, {}"#, compute("any", 4000, 900), compute("other", 4000, 900));
        let mut run =
            start(&kernels, r#"{ "name": "hetero-dynamic", "warm_up": 3000, "measure": 9000 }"#, r#", "stop": { "cycles": 20000 }"#);
        run.advance(12_001);
        let [big, small, base] = numbers(said(&run, "class_ipc").next().unwrap(), ["big", "small", "base"]);
        assert!(big > small, "{limit}: {big}, {small}");
        (base - small) / (big - small)
    };
    // What fits: eight on a uniform and a big SM, four on a small one.
    for (limit, wanted) in [("64", 1.0), (r#"{ "uniform": 5 }"#, 0.25), (r#"{ "uniform": 6, "small": 2 }"#, 2.0 / 3.0), ("6", 1.0)] {
        let found = scaled(limit);
        assert!((found - wanted).abs() < 1e-9, "{limit}: {found}, want {wanted}");
    }
}

/// A kernel without a CTA that ended in the warm-up leaves by context switches, one with such a CTA as its CTAs end.
#[test]
fn ctas_leave_as_they_did_in_the_warm_up() {
    let kernels = format!("{}, {}", compute("slow", 4000, 60_000), compute("fast", 8, 50));
    let policy = |room: &str| {
        format!(r#"{{ "name": "hetero-dynamic", "warm_up": 3000, "measure": 1000, "again": "never", "make_room": "{room}" }}"#)
    };
    let stop = r#", "stop": { "cycles": 30000 }"#;
    let mut run = start(&kernels, &policy("adaptive"), stop);
    run.advance(30_000);
    let how: Vec<Value> = said(&run, "make_room").map(|decision| decision.what.value("how")).collect();
    assert_eq!(how, ["context_switch", "drain"].map(Value::from));
    for (room, switched) in [("drain", false), ("context_switch", true), ("free", true)] {
        let mut run = start(&kernels, &policy(room), stop);
        run.advance(30_000);
        let assigned = said(&run, "phase").find_map(|decision| decision.what.value("split").as_int());
        let totals = run.totals();
        let (out, lines) = totals.iter().fold((0, 0), |(out, lines), of| (out + of.ctas_switched_out, lines + of.context_lines_out));
        assert_eq!((assigned, out > 0, lines > 0), (Some(0), switched, room == "context_switch"), "{room}");
    }
}

/// Once the other kernel has ended for good, a kernel has all SMs.
#[test]
fn the_last_kernel_gets_all_sms() {
    let kernels = format!("{}, {}", compute("long", 100_000, 4000), compute("short", 100, 100));
    let mut run = start(&kernels, r#"{ "name": "hetero-dynamic" }"#, r#", "restart": false, "stop": { "cycles": 60000 }"#);
    run.advance(60_000);
    assert_eq!(on(&run), [vec![0, 1, 2, 3], vec![]]);
}

/// A kernel that fills any SM gains on big ones; one that never fills a small one does not.
#[test]
fn schemes_that_know_kernels_alone_give_big_sms_to_who_gains() {
    let kernels = format!("{}, {}", compute("thick", 100_000, 4000), compute("lean", 8, 100_000));
    let classes = |policy: &str| {
        let mut run = start(&kernels, policy, r#", "stop": { "cycles": 5000 }"#);
        run.advance(4000);
        on(&run)
    };
    let apart = [vec![0, 1], vec![2, 3]];
    for name in ["hetero-classify", "hetero-stp", "hetero-balanced"] {
        assert_eq!(classes(&format!(r#"{{ "name": "{name}", "profile_cycles": 10000 }}"#)), apart, "{name}");
        let swapped = classes(&format!(r#"{{ "name": "{name}", "profile_cycles": 10000, "swap": true }}"#));
        assert_eq!(swapped, [apart[1].clone(), apart[0].clone()], "{name}, turned round");
    }
    assert_eq!(classes(r#""hetero-agnostic""#), [[0, 2], [1, 3]]);
}

/// What cannot be assigned is refused by name.
#[test]
fn a_gpu_without_two_classes_is_refused() {
    let refused = |gpu: &str, kernels: &str, policy: &str| {
        let text = format!(r#"{{ "corun": 1, "gpu": {gpu}, "kernels": {kernels}, "policy": "{policy}" }}"#);
        Experiment::decode(&read(&text)).err().map(|problems| problems.to_string().trim().to_string())
    };
    for policy in ["hetero-agnostic", "hetero-classify", "hetero-stp", "hetero-balanced", "hetero-dynamic"] {
        let found = refused(r#""fermi-16sm""#, r#"["ccbp/BP", "ccbp/SAD"]"#, policy);
        let wanted = format!("policy.name: found {policy} on a GPU with 1 SM class, want a GPU with two SM classes, such as hetero-8b8s");
        assert_eq!(found, Some(wanted));
        assert_eq!(refused(r#""hetero-8b8s""#, r#"["ccbp/BP", "ccbp/SAD"]"#, policy), None);
    }
    let found = refused(r#""hetero-4b12s""#, r#"["ccbp/BP", "ccbp/SAD", "ccbp/BP", "ccbp/SAD", "ccbp/BP"]"#, "hetero-agnostic");
    assert_eq!(
        found.as_deref(),
        Some("policy: found 5 kernels on a GPU with 4 SMs in one of its classes, want an SM of each class for every kernel")
    );
}
