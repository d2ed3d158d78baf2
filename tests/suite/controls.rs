//! Controls as data: every form is read, the canonical form reads back equal and runs alike, and what cannot be meant is refused.

use crate::random;
use proptest::prelude::*;
use sim_core::describe::error::Problems;
use sim_core::describe::ids::{KernelId, MAX_KERNELS};
use sim_core::describe::value::Value;
use sim_core::interface::controls::{Controls, WarpOrder};
use sim_core::policy::spec::Entry;
use sim_core::policy::{PolicyInfo, PolicySpec};
use sim_core::run::experiment::{Experiment, Stop};
use sim_core::study::profile;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Controls of two kernels on four SMs, in an experiment with LRR.
fn read(text: &str) -> Result<Controls, String> {
    let mut problems = Problems::default();
    let read = Controls::decode(&json(text), "controls", 2, Controls::neutral(4, WarpOrder::Lrr), &mut problems);
    read.ok_or_else(|| problems.to_string())
}

fn right(text: &str) -> Controls {
    read(text).unwrap_or_else(|problems| panic!("{text}:\n{problems}"))
}

fn digest(experiment: &Experiment) -> u64 {
    let mut run = profile::start(experiment).unwrap_or_else(|problems| panic!("{problems}"));
    run.advance(u64::MAX);
    run.digest()
}

#[test]
fn what_is_left_out_is_neutral_and_the_warp_order_is_the_experiments() {
    assert_eq!(right("{}"), Controls::neutral(4, WarpOrder::Lrr));
    assert_eq!(right("{}").encode(2, WarpOrder::Lrr).to_string(), "{}");
    assert_eq!(right("{}").encode(2, WarpOrder::Gto).to_string(), r#"{"warp_order":"lrr"}"#);
    let run = |order: &str, controls: &str| {
        let text = format!(
            r#"{{ "corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/SAD"], "warp_order": "{order}",
                 "policy": {{ "name": "manual", "controls": {controls} }}, "stop": {{ "cycles": 5000 }} }}"#
        );
        digest(&Experiment::decode(&json(&text)).unwrap_or_else(|problems| panic!("{problems}")))
    };
    assert_ne!(run("lrr", r#"{ "cta_target": [2, 2] }"#), run("gto", r#"{ "cta_target": [2, 2] }"#), "the experiment's order counts");
    let named = r#"{ "cta_target": [2, 2], "warp_order": "gto" }"#;
    assert_eq!(run("lrr", named), run("gto", named), "and the controls' own before it");
}

/// Every control on some SMs alone, in the one notation that all have; what is alike on all SMs is written once.
#[test]
fn every_control_of_an_sm_is_said_once_or_by_sms() {
    for (key, value, neutral) in [
        ("sm_mask", "[true, false]", "[true, true]"),
        ("cta_target", "[3, null]", "[null, null]"),
        ("context_lines", "[null, 0]", "[null, null]"),
        ("cta_throttle", "[null, 1]", "[null, null]"),
        ("warp_quota", "[100, 7]", "[null, null]"),
        ("quota_refill", r#""when_all_spent""#, r#""interval""#),
        ("quota_interval", "777", "10000"),
        ("quota_round", "3", "0"),
        ("quota_charge", r#""completion""#, r#""issue""#),
        ("thread_quota", "[100, 0]", "[null, null]"),
        ("quota_carry", r#"["unused", "overrun"]"#, r#"["nothing", "nothing"]"#),
        ("quota_top_up", "[true, false]", "[false, false]"),
        ("issue_rank", "[0, 1]", "[0, 0]"),
        ("memory_cap", "[1, 65535]", "[null, null]"),
        ("memory_quota", "[1, 2]", "[null, null]"),
        ("miss_queue_split", "true", "false"),
        ("miss_credits", "[0.5, 2.25]", "[null, null]"),
        ("credit_interval", "1", "200"),
        ("credit_carry", "2", "0"),
        ("miss_rank", "[0, 255]", "[0, 0]"),
        (
            "l1_ways",
            "[[0, 1], [2, 31]]",
            "[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]]",
        ),
        ("l1_monitor", "32", "0"),
        ("warp_order", r#""two-level(4)""#, r#""lrr""#),
    ] {
        let some = right(&format!(r#"{{ "{key}": {{ "0": {value}, "2-3": {value} }} }}"#));
        assert_eq!((&some.sms[0], &some.sms[2]), (&some.sms[3], &some.sms[3]), "{key}");
        assert_ne!(some.sms[0], some.sms[1], "{key}");
        assert_eq!(some.sms[1], right("{}").sms[1], "{key}: neutral where nothing is said");
        assert_eq!(some, right(&format!(r#"{{ "{key}": {{ "0": {value}, "1": {neutral}, "2-3": {value} }} }}"#)), "{key}");
        let all = right(&format!(r#"{{ "{key}": {{ "0-3": {value} }} }}"#));
        if key != "sm_mask" {
            assert_eq!(some.encode(2, WarpOrder::Lrr), json(&format!(r#"{{ "{key}": {{ "0": {value}, "2-3": {value} }} }}"#)));
            assert_eq!(all, right(&format!(r#"{{ "{key}": {value} }}"#)), "{key}");
            assert_eq!(all.encode(2, WarpOrder::Lrr), json(&format!(r#"{{ "{key}": {value} }}"#)), "once for all");
        }
        assert_eq!(right(&some.encode(2, WarpOrder::Lrr).to_string()), some, "{key}");
    }
}

#[test]
fn forms_of_before_are_read() {
    let masks = right(r#"{ "sm_mask": [[0, 2], [1, 2, 3]] }"#);
    let allowed = |kernel| (0..4).map(|sm| masks.sms[sm].allowed[KernelId(kernel)]).collect::<Vec<_>>();
    assert_eq!((allowed(0), allowed(1)), (vec![true, false, true, false], vec![false, true, true, true]));
    let masked = r#"{"sm_mask":[[0,2],[1,2,3]]}"#;
    assert_eq!(masks.encode(2, WarpOrder::Lrr).to_string(), masked);
    let targets = right(r#"{ "cta_target": [[1, 2], [1, 2], [3, null], [3, null]] }"#);
    assert_eq!(targets.encode(2, WarpOrder::Lrr).to_string(), r#"{"cta_target":{"0-1":[1,2],"2-3":[3,null]}}"#);
    // An old canonical form has an entry for each of eight kernels.
    let eight = right(r#"{ "cta_throttle": [1, 2, null, null, null, null, null, null], "dram_rank": [0, 1, 9, 9, 9, 9, 9, 9] }"#);
    assert_eq!(eight, right(r#"{ "cta_throttle": [1, 2], "dram_rank": [0, 1] }"#));
}

#[test]
fn what_cannot_be_meant_is_refused_with_its_path() {
    for (text, problem) in [
        (
            r#"{ "miss_credits": [0.01, null] }"#,
            "controls.miss_credits[0]: found 0.01, want null, 0, or a number from 0.0625 (1/16) to 1000000",
        ),
        (
            r#"{ "warp_quota": { "0-4": [1, 2] } }"#,
            "controls.warp_quota.0-4: found a list of 2, want a value for an SM such as 0, or for some such as 0-3",
        ),
        (r#"{ "warp_quota": { "2-1": [1, 2] } }"#, "controls.warp_quota.2-1: found"),
        (r#"{ "warp_quota": { "01": [1, 2] } }"#, "controls.warp_quota.01: found"),
        (r#"{ "l1_monitor": { "1": 1, "0-2": 1 } }"#, "controls.l1_monitor.0-2: found an SM for the second time, want each SM once"),
        (r#"{ "dram_rank": { "0": [1, 2] } }"#, "controls.dram_rank: found"),
        (r#"{ "warp_quota": [1] }"#, "controls.warp_quota: found"),
        (r#"{ "warp_quota": { "1": [1, -1] } }"#, "controls.warp_quota.1[1]: found -1"),
        (r#"{ "nothing": 1 }"#, "controls.nothing: found an unknown field"),
    ] {
        let problems = read(text).expect_err(text);
        assert!(problems.starts_with(problem), "{text}:\n{problems}");
    }
    assert_eq!(right(r#"{ "miss_credits": [0, 0.0625] }"#).sms[0].miss_credits.0[..2], [Some(0), Some(1)]);
}

/// Controls that differ from SM to SM, ranks included.
fn by_sms() -> impl Strategy<Value = Controls> {
    (random::controls().boxed(), random::controls().boxed(), 1..4_usize, any::<[u8; 8]>()).prop_map(
        |(mut controls, other, every, ranks)| {
            for (sm, theirs) in controls.sms.iter_mut().zip(other.sms).skip(1).step_by(every) {
                *sm = theirs;
            }
            controls.dispatch_rank = random::by_kernel(ranks);
            controls
        },
    )
}

proptest! {
    #![proptest_config(random::cases(200))]

    #[test]
    fn controls_read_back_from_their_canonical_form(controls in by_sms().boxed(), kernels in 1..=MAX_KERNELS, sms in 1..=64_usize) {
        let controls = Controls { sms: controls.sms[..sms].to_vec(), ..controls };
        for order in [WarpOrder::Lrr, controls.sms[0].warp_order] {
            let written = controls.encode(kernels, order);
            let mut problems = Problems::default();
            let Some(read) = Controls::decode(&written, "", kernels, Controls::neutral(sms, order), &mut problems) else {
                panic!("{written}:\n{problems}")
            };
            prop_assert_eq!(read.encode(kernels, order), written);
            let hash = |controls: &Controls| {
                let mut state = sim_core::describe::digest::Fnv::default();
                controls.hash_set(kernels, &mut state);
                std::hash::Hasher::finish(&state)
            };
            prop_assert_eq!(hash(&read), hash(&controls));
            if kernels == MAX_KERNELS {
                prop_assert_eq!(&read, &controls);
            }
        }
    }
}

proptest! {
    #![proptest_config(random::cases(60))]

    /// One configuration hash, one run: what an experiment says and its canonical form run alike, to the bit.
    #[test]
    fn an_experiment_runs_as_its_canonical_form(
        mut experiment in random::experiment().boxed(),
        controls in by_sms().boxed(),
        policy in 0..(PolicyInfo::ENTRIES.names.names)().len(),
        draws in any::<[u64; 24]>(),
    ) {
        let (name, kernels) = ((PolicyInfo::ENTRIES.names.names)()[policy], experiment.kernels.len());
        let mut pairs = vec![("name", Value::from(name))];
        for (param, draw) in (PolicyInfo::ENTRIES.params)(name).unwrap().into_iter().flatten().zip(draws) {
            let value = if param.name == "profile_cycles" { Some(1000.into()) } else { random::drawn(&param.shape, draw, kernels) };
            pairs.extend(value.filter(|_| draw >> 32 & 1 == 0 || param.name == "profile_cycles").map(|value| (param.name, value)));
        }
        let mut problems = Problems::default();
        experiment.policy = match PolicySpec::decode(&Value::object(pairs), experiment.mix(), &mut problems) {
            _ if name == "manual" => PolicySpec::manual(Controls { sms: controls.sms[..experiment.mix().sms].to_vec(), ..controls }),
            Some(policy) => policy,
            None => return Ok(()),
        };
        experiment.stop = Stop::Cycles(3000);
        let canonical = match Experiment::decode(&experiment.encode()) {
            Ok(canonical) => canonical,
            Err(problems) if random::too_unlike(&problems) => return Ok(()),
            Err(problems) => panic!("{problems}"),
        };
        prop_assert_eq!(canonical.config_hash(), experiment.config_hash());
        if profile::start(&experiment).is_ok() {
            prop_assert_eq!(digest(&canonical), digest(&experiment), "{}", experiment.encode());
        }
    }
}

/// An L2 bank numbers its lines by their kernel's channels: kernels that share some channels and not all cannot be told apart there.
#[test]
fn kernels_share_all_of_their_channels_or_none() {
    let run = |controls: &str| {
        let text = format!(
            r#"{{ "corun": 1, "gpu": "ccbp-16sm", "kernels": ["ccbp/BP", "ccbp/CFD"],
                 "policy": {{ "name": "manual", "controls": {controls} }}, "stop": {{ "cycles": 5000 }} }}"#
        );
        Experiment::decode(&json(&text)).map(|_| ()).map_err(|problems| problems.to_string())
    };
    for apart in [r#"{ "channels": [2, 2], "first_channel": [0, 2] }"#, r#"{ "channels": [2, 2], "first_channel": [1, 1] }"#] {
        assert_eq!(run(apart), Ok(()), "{apart}");
    }
    for mixed in [
        r#"{ "channels": [2, 3], "first_channel": [0, 1] }"#,
        r#"{ "channels": [2, null] }"#,
        r#"{ "channels": [3, 3], "first_channel": [15, 0] }"#,
    ] {
        let found = run(mixed).expect_err(mixed);
        assert!(found.contains("policy.controls.channels: found kernels 0 and 1 with some channels in common"), "{mixed}: {found}");
    }
}
