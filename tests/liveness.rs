//! No configuration that validates may hang: each field of the GPU at its ends, and machines made to deadlock, which must say why.

mod random;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use sim_core::describe::gpu::fields::{GPU_FIELDS, Kind, SM_FIELDS};
use sim_core::describe::kernel::Kernel;
use sim_core::describe::value::Value;
use sim_core::run::experiment::{Experiment, KernelUse, Stop};
use sim_core::run::simulation::{Reason, Simulation};

/// The smallest and the largest value of every field of `tiny-2sm`, one at a time, as overrides.
fn ends() -> Vec<(String, Value)> {
    let of = |path: String, kind: Kind| match kind {
        Kind::Int(min, max) => vec![(path.clone(), Value::from(min)), (path, Value::from(max))],
        Kind::Choice(names) => names.iter().map(|name| (path.clone(), Value::from(*name))).collect(),
    };
    let sm = SM_FIELDS.iter().flat_map(|field| of(format!("sm.{}", field.path), field.kind));
    sm.chain(GPU_FIELDS.iter().flat_map(|field| of(field.path.to_string(), field.kind))).collect()
}

/// Kernels that use every operation, the same ones each time.
fn kernels(count: usize) -> Vec<Kernel> {
    let mut runner = TestRunner::deterministic();
    (0..count).map(|_| random::kernel().new_tree(&mut runner).expect("a kernel").current()).collect()
}

fn experiment(overrides: &[(String, Value)]) -> Result<Experiment, String> {
    let mut gpu = vec![("preset".to_string(), Value::from("tiny-2sm"))];
    gpu.extend(overrides.iter().cloned());
    let value = Value::object([("corun", Value::from(1)), ("gpu", Value::Object(gpu)), ("kernels", Value::array(["COPY"]))]);
    Experiment::decode(&value).map_err(|problems| problems.to_string())
}

/// Does a mix end on a machine with any one field at its smallest or largest?
#[test]
fn every_field_at_its_ends_still_finishes() {
    let mix = kernels(6);
    let (mut ran, mut refused) = (0, Vec::new());
    for (path, end) in ends() {
        let Ok(mut experiment) = experiment(&[(path.clone(), end.clone())]) else {
            refused.push(format!("{path} = {end}"));
            continue;
        };
        experiment.kernels = mix.iter().map(|kernel| KernelUse { kernel: kernel.clone(), ctas_per_sm: None, qos: None }).collect();
        (experiment.restart, experiment.stop) = (false, Stop::KernelsDone { at_most: 20_000_000 });
        // Some ends leave no room for a CTA at all; that is said when the run is built.
        let Ok(mut simulation) = Simulation::new(&experiment) else {
            refused.push(format!("{path} = {end}"));
            continue;
        };
        assert_eq!(simulation.advance(u64::MAX), Reason::KernelsDone, "{path} = {end}\n{}", simulation.explain_stuck());
        ran += 1;
    }
    assert!(ran > 4 * refused.len(), "{ran} ran, but these were refused: {refused:?}");
}

fn stuck(policy: &str) -> (Reason, String) {
    let text = format!(
        r#"{{ "corun": 1, "gpu": "tiny-2sm", "kernels": ["BP", "COPY"], "policy": {{ "name": "manual", "controls": {policy} }},
              "restart": false, "stop": {{ "kernels_done": true }} }}"#
    );
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let experiment = Experiment::decode(&value).unwrap_or_else(|problems| panic!("{problems}"));
    let mut simulation = Simulation::new(&experiment).unwrap_or_else(|problems| panic!("{problems}"));
    (simulation.advance(u64::MAX), simulation.explain_stuck())
}

/// A machine that is made to wait for ever: is it found out, and does the explanation name who waits for what?
#[test]
fn a_deadlock_is_found_and_explained_from_its_cause() {
    for (controls, reasons) in [
        // One queue for all: COPY has no credit, and BP waits behind it.
        (
            r#"{ "miss_credits": [null, 0] }"#,
            &[
                "requests of COPY in the miss queue wait for credits: it gets 0 in 200 cycles",
                "requests of BP in the miss queue wait for what stands before them",
            ][..],
        ),
        // A queue each: BP runs to its end, COPY does not.
        (
            r#"{ "miss_credits": [null, 0], "miss_queue_split": true }"#,
            &["requests of COPY in the miss queue wait for credits: it gets 0 in 200 cycles", "warps of COPY wait for loads"],
        ),
        (r#"{ "warp_quota": [0, 0] }"#, &["warps of BP are ready but have used their quota of 0 instructions"]),
        (r#"{ "memory_cap": [0, 0] }"#, &["warps of BP are ready for a memory instruction but 0 may be in flight (memory_cap)"]),
        (r#"{ "cta_throttle": [0, 0] }"#, &["warps of COPY are ready but belong to CTAs that are throttled"]),
        (r#"{ "sm_mask": [[], [0, 1]] }"#, &["BP: 8192 CTAs wait to be placed: the controls let no SM take one"]),
        (r#"{ "cta_target": [0, 4] }"#, &["BP: 8192 CTAs wait to be placed: the controls let no SM take one"]),
    ] {
        let (reason, why) = stuck(controls);
        assert_eq!(reason, Reason::Stuck, "{controls}");
        for part in reasons {
            assert!(why.contains(part), "{controls}: {part:?} is missing in\n{why}");
        }
    }
}
