//! No configuration that validates may hang: each field of the GPU at its ends, and machines made to deadlock, which must say why.

use crate::random;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use sim_core::describe::error::Problems;
use sim_core::describe::gpu::fields::{GPU_FIELDS, SM_FIELDS};
use sim_core::describe::ids::{KernelId, PerKernel};
use sim_core::describe::kernel::Kernel;
use sim_core::describe::record::{Field, Shape};
use sim_core::describe::value::Value;
use sim_core::interface::controls::Controls;
use sim_core::policy::PolicySpec;
use sim_core::run::experiment::{Experiment, KernelUse, Stop};
use sim_core::run::simulation::{Reason, Simulation};

/// The smallest and the largest value of every field of `tiny-2sm`, one at a time, as overrides.
fn ends() -> Vec<(String, Value)> {
    let of = |path: String, field: Field| match field.shape {
        Shape::Int { min, max } => vec![(path.clone(), Value::from(min)), (path, Value::from(max))],
        Shape::Choice(names) => names.iter().map(|name| (path.clone(), Value::from(*name))).collect(),
        other => panic!("a GPU's field is {other:?}"),
    };
    let sm = SM_FIELDS.iter().flat_map(|placed| of(format!("sm.{}", placed.field.name), placed.field));
    sm.chain(GPU_FIELDS.iter().flat_map(|placed| of(placed.field.name.to_string(), placed.field))).collect()
}

/// Kernels that use every operation, the same ones each time.
fn kernels(count: usize) -> Vec<Kernel> {
    let mut runner = TestRunner::deterministic();
    (0..count).map(|_| random::kernel().new_tree(&mut runner).expect("a kernel").current()).collect()
}

fn experiment(overrides: &[(String, Value)]) -> Result<Experiment, Problems> {
    let mut gpu = vec![("preset".to_string(), Value::from("tiny-2sm"))];
    gpu.extend(overrides.iter().cloned());
    let value = Value::object([("corun", Value::from(1)), ("gpu", Value::Object(gpu)), ("kernels", Value::array(["COPY"]))]);
    Experiment::decode(&value)
}

/// Does a mix end on a machine with any one field at its smallest or largest?
#[test]
fn every_field_at_its_ends_still_finishes() {
    let mix = kernels(6);
    let (mut ran, mut refused) = (0, Vec::new());
    for (path, end) in ends() {
        let mut experiment = match experiment(&[(path.clone(), end.clone())]) {
            Ok(experiment) => experiment,
            Err(problems) => {
                refused.push((path, end, problems));
                continue;
            }
        };
        experiment.kernels = mix.iter().map(|kernel| KernelUse { kernel: kernel.clone(), ctas_per_sm: None, qos: None }).collect();
        (experiment.restart, experiment.stop) = (false, Stop::KernelsDone { at_most: 20_000_000 });
        // Some ends leave no room for a CTA at all; that is said when the run is built.
        let mut simulation = match Simulation::new(&experiment) {
            Ok(simulation) => simulation,
            Err(problems) => {
                refused.push((path, end, problems));
                continue;
            }
        };
        assert_eq!(simulation.advance(u64::MAX), Reason::KernelsDone, "{path} = {end}\n{}", simulation.explain_stuck());
        ran += 1;
    }
    // Fields that do not fit together, or leave no room for a CTA; any other refusal is a defect.
    let misfits = [
        "one that fits an SM",
        "a size that the SMs of",
        "whole sets",
        "the array that is both",
        "a divisor of",
        "an SM at least",
        "32 or 64 sets of lines",
        "\"mesh\" where sm.l1.protocol is",
        "\"on_fill\" where sm.l1.protocol is",
        "at most 8, the warps of a scheduler",
    ];
    for (path, end, problems) in &refused {
        let fair = problems.0.iter().all(|problem| misfits.iter().any(|misfit| problem.want.starts_with(misfit)));
        assert!(fair, "{path} = {end} is refused:\n{problems}");
    }
    assert!(ran > 4 * refused.len(), "{ran} ran, and {} were refused", refused.len());
}

fn stuck(policy: &str) -> (Reason, String) {
    let text = format!(
        r#"{{ "corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP", "COPY"], "policy": {{ "name": "manual", "controls": {policy} }},
              "restart": false, "stop": {{ "cycles": 100000000 }} }}"#
    );
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let experiment = Experiment::decode(&value).unwrap_or_else(|problems| panic!("{problems}"));
    let mut simulation = Simulation::new(&experiment).unwrap_or_else(|problems| panic!("{problems}"));
    (simulation.advance(u64::MAX), simulation.explain_stuck())
}

/// A machine that never goes on: is it found stuck, and does the explanation name what waits for what?
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
        (r#"{ "sm_mask": [[], [0, 1]] }"#, &["BP: 4096 CTAs wait to be placed: the controls let no SM take one"]),
        (r#"{ "cta_target": [0, 4] }"#, &["BP: 4096 CTAs wait to be placed: the controls let no SM take one"]),
    ] {
        let (reason, why) = stuck(controls);
        assert_eq!(reason, Reason::Stuck, "{controls}");
        for part in reasons {
            assert!(why.contains(part), "{controls}: {part:?} is missing in\n{why}");
        }
    }
}

/// `tiny-2sm` whose SMs have an array of 256 KB for L1D and shared memory, as an H100's.
const DIVIDED: &str =
    r#"{ "preset": "tiny-2sm", "sm.carve_outs": "9.0", "sm.shared_bytes": 233472, "sm.shared_reserved": 1024, "sm.l1.bytes": 262144 }"#;

/// A kernel of two CTAs of arithmetic that prefers so much shared memory.
fn preferring(name: &str, carve_out: u32, instructions: u32) -> String {
    format!(
        r#"{{ "name": "{name}", "launches": [{{ "ctas": 2, "threads": 64, "carve_out": {carve_out}, "program": [{{ "alu": {{ "count": {instructions} }} }}] }}] }}"#
    )
}

/// A kernel may wait for ever for SMs that are divided for others. Where nothing else goes on either, the run is stuck, and says so.
#[test]
fn who_waits_for_another_division_is_found_and_explained() {
    let run = |throttle: &str, wants: u32| {
        let kernels = [preferring("small", 8192, 100_000), preferring("large", wants, 100)].join(", ");
        let mut simulation = simulation(&format!(
            r#"{{ "corun": 1, "gpu": {DIVIDED}, "kernels": [{kernels}], "policy": {{ "name": "manual", "controls": {{ "cta_throttle": {throttle} }} }},
                  "restart": false, "alone": false, "stop": {{ "cycles": 10000000 }} }}"#
        ));
        (simulation.advance(u64::MAX), simulation.explain_stuck())
    };
    let (reason, why) = run("[0, 4]", 65_536);
    assert_eq!(reason, Reason::Stuck);
    let said = "large: 2 CTAs wait to be placed: SMs are divided for others until they are empty: \
                they have 8192 bytes of shared memory, and it wants 65536 (carve_out)";
    assert!(why.contains(said), "{why}");
    // Who wants no more than there is runs beside a kernel that does nothing.
    let (_, why) = run("[0, 4]", 8192);
    assert!(!why.contains("large"), "{why}");
    // It waits no longer than the other one takes.
    assert_eq!(run("[4, 4]", 65_536).0, Reason::KernelsDone);
}

fn simulation(text: &str) -> Simulation {
    let value: Value = serde_json::from_str(text).expect("JSON");
    let experiment = Experiment::decode(&value).unwrap_or_else(|problems| panic!("{problems}"));
    Simulation::new(&experiment).unwrap_or_else(|problems| panic!("{problems}"))
}

/// Long intervals without one instruction, and work without any instruction, are no standstill.
#[test]
fn what_is_slow_is_not_stuck() {
    let mut quota = simulation(
        r#"{ "corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/SAD"], "stop": { "cycles": 5000000 },
             "policy": { "name": "manual", "controls": { "warp_quota": [100], "quota_interval": 2000000 } } }"#,
    );
    assert_eq!(quota.advance(u64::MAX), Reason::Cycles);
    assert_eq!(quota.totals()[0].warp_instructions, 3 * 2 * 100, "three intervals, two SMs, a quota of 100");
    let mut credits = simulation(
        r#"{ "corun": 1, "gpu": "tiny-2sm", "kernels": ["VADD"], "stop": { "cycles": 33000000 },
             "policy": { "name": "manual", "controls": { "miss_credits": [0.0625], "credit_interval": 1000000 } } }"#,
    );
    assert_eq!(credits.advance(u64::MAX), Reason::Cycles);
    assert_eq!(credits.totals()[0].read_requests, 2 * 2, "two SMs, one request in sixteen intervals");
    let mut empty = simulation(
        r#"{ "corun": 1, "gpu": "tiny-2sm", "stop": { "kernels_done": true }, "kernels": [{ "name": "k",
             "arrays": [{ "name": "a", "bytes": 65536 }], "launches": [{ "ctas": 3000000, "threads": 64, "program": [{ "wait": {} }] }] }] }"#,
    );
    assert_eq!(empty.advance(u64::MAX), Reason::KernelsDone);
    assert!(empty.cycle() > 1_000_000 && empty.totals()[0].warp_instructions == 0);
}

/// A run to the end of kernels of which one can never end says so at once, although others never end.
#[test]
fn a_run_that_cannot_end_says_why_at_once() {
    let kernels = r#""corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/SAD", "VADD"], "stop": { "kernels_done": true }"#;
    for (policy, why) in [
        (r#"{ "name": "fixed", "combination": [0, 2] }"#, "SAD: 8040 CTAs wait to be placed: the controls let no SM take one"),
        (r#"{ "name": "spatial", "split": [0, 2] }"#, "SAD: 8040 CTAs wait to be placed: the controls let no SM take one"),
        (r#"{ "name": "manual", "controls": { "warp_quota": [0, null] } }"#, "warps of SAD are ready but have used their quota of 0"),
        (
            r#"{ "name": "manual", "controls": { "cta_throttle": [0, 64] } }"#,
            "warps of SAD are ready but belong to CTAs that are throttled",
        ),
        (r#"{ "name": "manual", "controls": { "memory_cap": [0, null] } }"#, "warps of SAD are ready for a memory instruction but 0 may"),
        (
            r#"{ "name": "manual", "controls": { "miss_credits": [0, null], "miss_queue_split": true } }"#,
            "requests of SAD in the miss queue wait for credits: it gets 0",
        ),
    ] {
        let mut run = simulation(&format!("{{ {kernels}, \"policy\": {policy} }}"));
        assert_eq!(run.advance(10_000_000), Reason::Stuck, "{policy}");
        assert!(run.cycle() <= 10_000, "{policy}: {}", run.cycle());
        assert!(run.explain_stuck().contains(why), "{policy}:\n{}", run.explain_stuck());
    }
}

/// Only the policy could get this run out, and never does: it is asked for a while, and then the run is stuck, wherever it is cut.
#[test]
fn a_policy_that_changes_nothing_does_not_keep_a_dead_run_going() {
    let ended = |slice: u64| {
        let mut run = simulation(
            r#"{ "corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/SAD", "VADD"], "policy": { "name": "ws+mil", "combination": [1, 1], "interval": 3000 } }"#,
        );
        let mut controls = run.machine().controls().clone();
        controls.each_sm(|sm| sm.cta_throttle = PerKernel::all(0));
        run.machine_mut().set_controls(controls);
        while run.advance(slice) == Reason::Budget {}
        (run.advance(slice), run.cycle(), run.digest())
    };
    let whole = ended(u64::MAX);
    assert_eq!((whole.0, whole.1), (Reason::Stuck, 32 * 3000));
    assert_eq!([4096, 1000, 777].map(ended), [whole; 3]);
}

/// Random controls, some of which stop a kernel.
fn stopping() -> impl Strategy<Value = Controls> {
    (random::controls(), 0..6_u8, 0..3_u8, select_interval()).prop_map(|(mut controls, gate, kernel, interval)| {
        let kernel = KernelId(kernel);
        controls.each_sm(|sm| {
            match gate {
                0 => sm.miss_credits[kernel] = Some(0),
                1 => sm.warp_quota[kernel] = Some(0),
                2 => sm.memory_cap[kernel] = Some(0),
                3 => sm.cta_throttle[kernel] = 0,
                4 => sm.allowed[kernel] = false,
                _ => {}
            }
            (sm.credit_interval, sm.quota_interval) = (interval, interval);
        });
        controls
    })
}

fn select_interval() -> impl Strategy<Value = u32> {
    proptest::sample::select(vec![200_u32, 1, 3_000, 1_000_000])
}

fn maybe_stuck() -> impl Strategy<Value = Experiment> {
    let stop = prop_oneof![Just(Stop::Cycles(20_000)), Just(Stop::KernelsDone { at_most: 40_000 })];
    (random::experiment().boxed(), stopping().boxed(), stop, any::<bool>()).prop_map(|(mut experiment, mut controls, stop, restart)| {
        controls.sms.truncate(experiment.gpu.sm_count() as usize);
        experiment.policy = PolicySpec::manual(controls);
        (experiment.stop, experiment.restart) = (stop, restart);
        experiment
    })
}

proptest! {
    #![proptest_config(random::cases(60))]

    /// When a run ends, why, and with what, is a matter of the machine alone.
    #[test]
    fn the_end_of_a_run_does_not_depend_on_slices(experiment in maybe_stuck(), slices in proptest::collection::vec(1..5_000_u64, 1..6)) {
        let new = || Simulation::new(&experiment).unwrap_or_else(|problems| panic!("the generator makes valid experiments:\n{problems}"));
        let end = |mut run: Simulation, reason: Reason| (reason, run.cycle(), run.digest(), run.result().to_string());
        let mut whole = new();
        let reason = whole.advance(u64::MAX);
        let want = end(whole.clone(), reason);
        for (by_event, awake) in [(false, false), (true, false), (false, true)] {
            let mut cut = new();
            cut.machine_mut().keep_awake = awake;
            let mut turns = slices.iter().cycle();
            let reason = loop {
                let slice = *turns.next().expect("a cycle of slices");
                let reason = if by_event { cut.advance_event(slice) } else { cut.advance(slice) };
                if !matches!(reason, Reason::Budget | Reason::Event) {
                    break reason;
                }
            };
            prop_assert_eq!(&end(cut, reason), &want, "by event: {}, awake: {}", by_event, awake);
        }
        // A stuck run stays stuck: stepped through every cycle, nothing moves.
        if let (Reason::Stuck, Stop::Cycles(_)) = (reason, experiment.stop) {
            let before = whole.totals();
            whole.machine_mut().keep_awake = true;
            (0..4_000).for_each(|_| whole.machine_mut().step());
            let issued = |stats: &[sim_core::interface::stats::KernelStats]| stats.iter().map(|s| (s.warp_instructions, s.ctas_done)).collect::<Vec<_>>();
            prop_assert_eq!(issued(&whole.totals()), issued(&before), "{}", whole.explain_stuck());
        }
    }
}
