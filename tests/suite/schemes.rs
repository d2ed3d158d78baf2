//! Does every scheme run every mix, on small and large machines and under every warp order? Does each have its page, and does the page say
//! what its parameters are?

use crate::random;
use proptest::prelude::*;
use sim_core::describe::error::Problems;
use sim_core::describe::gpu::SmClass;
use sim_core::describe::value::Value;
use sim_core::interface::controls::{CONTROLS, Control, Controls, Kind, WARP_ORDER, WarpOrder};
use sim_core::machine::dispatch::order::{CTA_ORDERS, CtaOrderInfo};
use sim_core::policy::spec::{Absent, COMBINATIONS, POLICIES, Param, Shape};
use sim_core::policy::{PolicyInfo, PolicySpec};
use sim_core::run::experiment::Experiment;
use sim_core::run::simulation::{Reason, Simulation};
use sim_core::study::profile;
use std::fs;
use std::path::Path;

const ORDERS: [&str; 8] = ["lrr", "gto", "gty", "gto-groups(3)", "two-level(4)", "two-level(8)", "two-level(16)", "lrr+gto"];

/// Mixes of two, three and four kernels: latency-sensitive, NoC-bound and DRAM-bound ones.
const MIXES: [&[&str]; 3] =
    [&["ccbp/BP", "ccbp/CFD"], &["ccbp/HG", "ccbp/KM", "ccbp/SAD"], &["ccbp/PF", "ccbp/SMV", "ccbp/LBM", "ccbp/BT"]];

/// A parameter in the shortest time that it allows, and the ones that cannot be left out; nothing is profiled on machines where that is slow.
fn setting(param: &Param, kernels: usize, profile: bool) -> Option<Value> {
    let each = |value: Value| Some(Value::array((0..kernels).map(|_| value.clone())));
    match (param.name, param.shape) {
        ("combination", _) if param.absent == Absent::Needed => each(1.into()),
        ("percentage", _) => each(100.into()),
        ("level", _) => Some(Value::array((0..kernels as i64).map(|kernel| -(kernel % 3)))),
        // Longer than any context takes to come and go.
        ("slice", _) => Some(2_000_000.into()),
        ("curves", _) if !profile => each(Value::array((1..=8).map(f64::from))),
        ("ipc_alone" | "warp_ipc_alone", _) if !profile => each(10.into()),
        ("time_scale", _) => Some(0.01.into()),
        ("source", _) => Some(include_str!("../../examples/scripts/slowest-first.rhai").into()),
        ("profile_cycles", Shape::Int { min: 0, .. }) if !profile => Some(0.into()),
        (
            "profile_cycles" | "quantum" | "warm_up" | "measure" | "repartition" | "interval" | "sample" | "epoch",
            Shape::Int { min, .. },
        ) => Some(min.max(500).into()),
        _ => None,
    }
}

/// Policies that only GPUs have of which the vendor says how they are shared: tests/suite/vendors.rs has them.
const VENDORS: [&str; 2] = ["mig", "green-context"];

/// Every policy for any GPU, every combination, and two lists without a name: by name, and with their members.
fn schemes() -> Vec<(String, Vec<&'static PolicyInfo>)> {
    let find = |name: &str| POLICIES.iter().find(|policy| policy.name == name).unwrap();
    let lists = [["ccbp", "ucp"], ["spatial", "mil"]].map(|list| list.map(find).to_vec());
    let any = POLICIES.iter().filter(|policy| !VENDORS.contains(&policy.name));
    let all = any.map(|policy| vec![policy]).chain(COMBINATIONS.iter().map(|one| one.of.to_vec())).chain(lists);
    all.map(|members| (members.iter().map(|policy| policy.name).collect::<Vec<_>>().join("+"), members)).collect()
}

fn policy(index: usize, kernels: usize, profile: bool) -> Value {
    let member = |info: &&PolicyInfo| {
        let settings = info.params.iter().filter_map(|param| Some((param.name, setting(param, kernels, profile)?)));
        Value::object([("name", info.name.into())].into_iter().chain(settings))
    };
    Value::array(schemes()[index].1.iter().map(member))
}

/// A kernel of a mix; the first two have goals where the scheme keeps goals.
fn used(index: usize, place: usize, name: &str) -> Value {
    let scheme = &schemes()[index].0;
    let keeps = scheme.starts_with("qos-") || scheme == "spart";
    match place {
        0 if keeps => Value::object([("kernel", Value::from(name)), ("qos", 0.5.into())]),
        1 if keeps => Value::object([("kernel", Value::from(name)), ("qos", Value::object([("ipc", 5.0)]))]),
        _ => name.into(),
    }
}

fn experiment(index: usize, gpu: Value, mix: &[&str], order: &str, cycles: i64, profile: bool) -> Experiment {
    let value = Value::object([
        ("corun", Value::from(1)),
        ("gpu", gpu),
        ("kernels", Value::array(mix.iter().enumerate().map(|(place, &name)| used(index, place, name)))),
        ("policy", policy(index, mix.len(), profile)),
        ("warp_order", order.into()),
        ("stop", Value::object([("cycles", cycles)])),
    ]);
    Experiment::decode(&value).unwrap_or_else(|problems| panic!("{}:\n{problems}", schemes()[index].0))
}

/// A GPU that a scheme can run on: `preset` with `sms` SMs, or for schemes that assign SM classes, with half of them in a class of its own.
fn gpu(index: usize, preset: &str, sms: i64) -> Value {
    let plain = [("preset", Value::from(preset)), ("sm.count", sms.into())];
    if !schemes()[index].0.starts_with("hetero-") {
        return Value::object(plain);
    }
    let half = sms.max(8) / 2;
    Value::object([plain[0].clone(), ("sm.count", half.into()), ("sm.small.count", half.into()), ("sm.small.registers", 16_384.into())])
}

/// Runs to the end and says which kernels have issued nothing.
fn idle(experiment: &Experiment) -> Vec<usize> {
    let name = experiment.policy.name();
    let mut simulation = profile::start(experiment).unwrap_or_else(|problems| panic!("{name}:\n{problems}"));
    let reason = simulation.advance(u64::MAX);
    assert_eq!(reason, Reason::Cycles, "{name}: {}", simulation.explain_stuck());
    simulation.result();
    within_limits(&simulation, name);
    let totals = simulation.totals();
    (0..totals.len()).filter(|&kernel| totals[kernel].warp_instructions == 0).collect()
}

/// What a scheme leaves the controls at is what they may be.
fn within_limits(simulation: &Simulation, name: &str) {
    let experiment = simulation.experiment();
    let (kernels, sms) = (experiment.kernels.len(), experiment.gpu.sm_count() as usize);
    let controls = simulation.machine().controls();
    let mut problems = Problems::default();
    let (written, neutral) = (controls.encode(kernels, experiment.warp_order), Controls::neutral(sms, experiment.warp_order));
    let read = Controls::decode(&written, "controls", kernels, neutral, &mut problems);
    assert!(read.is_some(), "{name}:\n{problems}");
    if name == "manual" {
        return;
    }
    let ways = experiment.gpu.sms[0].l1.ways;
    let all = u32::MAX >> (32 - ways);
    let masks: Vec<u32> = (0..kernels).map(|kernel| controls.sms[0].l1_ways.0[kernel] & all).collect();
    assert!(masks.iter().all(|&mask| mask != 0), "{name}: a kernel without a way");
    if masks.iter().any(|&mask| mask != all) {
        assert_eq!(masks.iter().map(|mask| mask.count_ones()).sum::<u32>(), ways, "{name}: ways in {masks:?}");
        assert_eq!(masks.iter().fold(0, |union, mask| union | mask), all, "{name}: ways in {masks:?}");
    }
}

#[test]
fn every_scheme_runs_two_to_four_kernels_under_every_warp_order() {
    for (policy, (name, _)) in schemes().iter().enumerate() {
        for mix in MIXES {
            for order in ORDERS {
                assert!((WARP_ORDER.holds)(order), "{order}");
                let idle = idle(&experiment(policy, gpu(policy, "tiny-2sm", 2), mix, order, 3000, true));
                assert!(idle.len() < mix.len(), "{name}, {order}: no kernel of {mix:?} has issued anything");
            }
        }
    }
}

/// On 56 SMs there is room for a CTA of each: only leftover, turns and priorities keep kernels waiting.
#[test]
fn on_a_large_gpu_every_kernel_gets_its_turn() {
    for (policy, (name, _)) in schemes().iter().enumerate() {
        for mix in MIXES {
            let idle = idle(&experiment(policy, gpu(policy, "ccbp-16sm", 56), mix, "lrr", 2000, false));
            assert!(idle.is_empty() || ["leftover", "time-slice", "priority"].contains(&name.as_str()), "{name}: {idle:?} of {mix:?} wait");
        }
    }
}

/// An experiment of the examples after some of its decisions.
fn after(name: &str, cycles: u64) -> Simulation {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/experiments").join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let experiment = Experiment::decode(&value).unwrap_or_else(|problems| panic!("{name}:\n{problems}"));
    let mut simulation = profile::start(&experiment).unwrap_or_else(|problems| panic!("{name}:\n{problems}"));
    simulation.advance(cycles);
    simulation
}

fn decided(simulation: &Simulation, topic: &str) -> usize {
    simulation.decisions().iter().filter(|decision| decision.what.topic() == topic).count()
}

/// In a run, does what each hybrid observes reach it, and what it decides the machine?
#[test]
fn each_hybrid_turns_its_control() {
    let tcm = after("km-lbm-sad-ws-tcm.json", 20_000);
    let mut ranks = tcm.machine().controls().dram_rank.0[..3].to_vec();
    ranks.sort_unstable();
    assert_eq!(ranks, [0, 1, 2]);
    assert!(decided(&tcm, "cluster") >= 3);

    let bmi = after("bp-cfd-ws-bmi.json", 20_000);
    let quotas = bmi.machine().controls().sms[0].memory_quota.0;
    assert!(quotas[0] > quotas[1] && quotas[1].is_some(), "CFD's gathers make more requests an instruction than BP's loads: {quotas:?}");

    let mil = after("bp-cfd-ws-mil.json", 20_000);
    assert!(decided(&mil, "memory_cap") >= 2, "{:?}", mil.decisions());
    assert!(mil.machine().controls().sms[0].memory_cap.0.iter().take(2).all(Option::is_some));

    let ucp = after("bp-cfd-ws-ucp.json", 20_000);
    let ways = ucp.machine().controls().sms[0].l1_ways.0;
    assert_eq!((ways[0] & ways[1], (ways[0] | ways[1]) & 0xff), (0, 0xff));
    assert_eq!(decided(&ucp, "l1_ways"), ucp.decisions().iter().filter(|decision| decision.cycle > 0).count());

    let turns = after("bt-cfd-ws-lrr-gto.json", 1000);
    assert_eq!(turns.experiment().warp_order, WarpOrder::Lrr);
    assert_eq!(turns.machine().controls().sms[0].warp_order, WarpOrder::LrrGto);
}

/// Members of a list work at their own intervals, and both turn their controls.
#[test]
fn every_policy_of_a_list_works_in_its_own_time() {
    let policy = r#"[{ "name": "bmi", "sample": 100, "interval": 1000 }, { "name": "ucp", "repartition": 2500 }]"#;
    let run = pair(["ccbp/BP", "ccbp/CFD"], policy, 12_000);
    let at = |topic: &str| run.decisions().iter().filter(|d| d.what.topic() == topic).map(|d| d.cycle).collect::<Vec<_>>();
    let (quotas, ways) = (at("memory_quota"), at("l1_ways"));
    assert!(!quotas.is_empty() && quotas.iter().all(|cycle| cycle % 1000 == 0), "{quotas:?}");
    assert!(ways.contains(&2500) && ways.iter().all(|cycle| cycle % 2500 == 0), "{ways:?}");
    let sm = &run.machine().controls().sms[0];
    assert!(sm.memory_quota.0[0].is_some() && sm.l1_ways.0[0] & sm.l1_ways.0[1] == 0);

    let run = pair(["ccbp/BP", "ccbp/CFD"], r#"["spatial", "mil"]"#, 12_000);
    let sms = &run.machine().controls().sms;
    assert!(sms.iter().all(|sm| sm.allowed.0[0] != sm.allowed.0[1] && sm.memory_cap.0[0].is_some()));
    assert_eq!(run.policy_name(), "spatial+mil");
}

/// Where two set a control, the later one's value holds.
#[test]
fn the_order_of_a_list_matters() {
    let targets = |policy: &str| pair(["ccbp/BP", "ccbp/CFD"], policy, 0).machine().controls().sms[0].cta_target.0[..2].to_vec();
    let fixed = r#"{ "name": "fixed", "combination": [1, 2] }"#;
    let even = targets(r#""even""#);
    assert_eq!((targets(&format!("[\"even\", {fixed}]")), targets(&format!("[{fixed}, \"even\"]"))), (vec![1, 2], even));
}

/// Two kernels under a policy on `ccbp-16sm`, until `cycles`.
fn pair(mix: [&str; 2], policy: &str, cycles: u64) -> Simulation {
    let text = format!(
        r#"{{ "corun": 1, "gpu": "ccbp-16sm", "kernels": ["{}", "{}"], "policy": {policy}, "stop": {{ "cycles": 1000000 }} }}"#,
        mix[0], mix[1]
    );
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let experiment = Experiment::decode(&value).unwrap_or_else(|problems| panic!("{problems}"));
    let mut simulation = Simulation::new(&experiment).unwrap_or_else(|problems| panic!("{problems}"));
    simulation.advance(cycles);
    simulation
}

/// With SMs, L2 banks and channels of its own, as an instance of MIG, a kernel does not notice who is beside it; with SMs alone, it does.
#[test]
fn a_kernel_with_sms_and_channels_of_its_own_runs_as_if_alone() {
    let beside = |other, channels: &str| {
        pair(["ccbp/CFD", other], &format!(r#"{{ "name": "spatial", "split": [6, 10]{channels} }}"#), 12_000).totals()[0]
    };
    let own = r#", "channels": [5, 11]"#;
    assert_eq!(beside("ccbp/LBM", own), beside("ccbp/BP", own));
    assert_ne!(beside("ccbp/LBM", ""), beside("ccbp/BP", ""));
}

/// Warped-Slicer online, for a few thousand cycles: 16 SMs, and fewer SMs than kernels.
fn online(gpu: &str, mix: &[&str]) -> Simulation {
    let policy = [("name", Value::from("ws")), ("curves_from", "online".into()), ("warm_up", 2000.into()), ("window", 1000.into())];
    let value = Value::object([
        ("corun", Value::from(1)),
        ("gpu", gpu.into()),
        ("kernels", Value::array(mix.iter().copied())),
        ("policy", Value::object(policy)),
        ("stop", Value::object([("cycles", 4000)])),
    ]);
    let experiment = Experiment::decode(&value).unwrap_or_else(|problems| panic!("{problems}"));
    // It asks for no run alone.
    Simulation::new(&experiment).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn warped_slicer_can_measure_its_curves_in_the_run() {
    for (gpu, mix) in [("ccbp-16sm", MIXES[0]), ("ccbp-16sm", MIXES[2]), ("tiny-2sm", MIXES[1]), ("hetero-8b8s", MIXES[0])] {
        let mut simulation = online(gpu, mix);
        simulation.advance(2999);
        let apart = |sm: usize| (0..mix.len()).filter(|&k| simulation.machine().controls().sms[sm].allowed.0[k]).count();
        assert_eq!(apart(0), mix.len().div_ceil(simulation.machine().sms.len()), "{gpu}: kernels have SMs of their own");
        assert_eq!((decided(&simulation, "sampled_ctas"), decided(&simulation, "ipc_curve")), (mix.len(), 0));
        simulation.advance(1);
        assert_eq!(decided(&simulation, "ipc_curve"), mix.len());
        let controls = simulation.machine().controls();
        assert!(controls.sms.iter().all(|sm| sm.allowed.0.iter().all(|&allowed| allowed)), "{gpu}: then every kernel is on every SM");
        assert!(controls.sms.iter().all(|sm| sm.cta_target == controls.sms[0].cta_target || gpu == "hetero-8b8s"));
        simulation.advance(u64::MAX);
        within_limits(&simulation, "ws");
        assert!(simulation.totals().iter().all(|kernel| kernel.warp_instructions > 0), "{gpu} {mix:?}");
    }
}

#[test]
fn curves_are_measured_or_given() {
    let refused = |given: &str| {
        let text = format!(
            r#"{{ "corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/SAD"], "stop": {{ "cycles": 5000 }},
                 "policy": {{ "name": "ws", "curves_from": "online", {given} }} }}"#
        );
        let value: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        Experiment::decode(&value).err().map(|problems| problems.to_string())
    };
    let problem = "policy.curves_from: found online, with curves or a combination that are given, want one of them: online measures what the others give";
    for given in [r#""curves": [[1, 2], [3]]"#, r#""combination": [1, 2]"#] {
        assert_eq!(refused(given).as_deref().map(str::trim), Some(problem));
    }
    assert_eq!(refused(r#""warm_up": 3000"#), None);
}

proptest! {
    #![proptest_config(random::cases(300))]

    /// On any machine and mix, every scheme keeps its controls within their limits, and the mix comes to its end.
    #[test]
    fn on_random_machines_every_scheme_stays_within_limits(mut experiment in random::experiment(), index in 0..schemes().len()) {
        let mut problems = Problems::default();
        if schemes()[index].0.starts_with("hetero-") {
            let count = experiment.kernels.len() as u32;
            let big = SmClass { count, ..experiment.gpu.sms[0].clone() };
            experiment.gpu.sms = vec![SmClass { name: "small".into(), ctas: big.ctas.div_ceil(2), ..big.clone() }, big];
        }
        experiment.policy = match PolicySpec::decode(&policy(index, experiment.kernels.len(), false), experiment.mix(), &mut problems) {
            Some(policy) => policy,
            None => panic!("{problems}"),
        };
        let mut simulation = match profile::start(&experiment) {
            Ok(simulation) => simulation,
            Err(problems) if random::too_unlike(&problems) => return Ok(()),
            Err(problems) => panic!("{}:\n{problems}", experiment.policy.name()),
        };
        let mut reason = Reason::Budget;
        while reason == Reason::Budget {
            reason = simulation.advance(700);
            within_limits(&simulation, experiment.policy.name());
        }
        prop_assert_eq!(reason, Reason::KernelsDone, "{}: {}", experiment.policy.name(), simulation.explain_stuck());
    }
}

// --- docs/reference/schemes ------------------------------------------------------------------------------------------------------

fn docs(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/schemes").join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A parameter as a row of its page's table.
fn row(param: &Param) -> String {
    let default = match param.absent {
        Absent::Needed => "none: it must be given".into(),
        Absent::Words(words) => words.to_string(),
        Absent::Int(n) => format!("`{n}`"),
        Absent::Number(x) => format!("`{x}`"),
        Absent::Name(name) => format!("`{name}`"),
        Absent::Flag(b) => format!("`{b}`"),
    };
    if param.is_constant() {
        return format!("| `{}` | {default} | {} |", param.name, param.doc);
    }
    format!("| `{}` | {default} | {} | {} |", param.name, param.unit, param.doc)
}

#[test]
fn every_scheme_has_its_page_with_its_parameters_as_the_catalogue_has_them() {
    let index = docs("README.md");
    let mut missing = String::new();
    for combination in COMBINATIONS {
        let file = format!("{}.md", combination.of.last().map(|policy| policy.name.replace('+', "-")).unwrap_or_default());
        let page = docs(&file);
        assert!(
            index.contains(&format!("[`{}`]({file})", combination.name)) && page.contains(&format!("`{}`", combination.name)),
            "{file}"
        );
    }
    for info in POLICIES {
        // The schemes of one paper that differ in a rule have one page, with a chapter for each.
        let family = ["qos", "hetero"].into_iter().find(|family| info.name.starts_with(&format!("{family}-")));
        let name = family.map_or_else(|| info.name.replace('+', "-"), Into::into);
        let file = format!("{name}.md");
        assert!(index.contains(&format!("[`{}`]({file})", info.name)), "docs/reference/schemes/README.md does not link {file}");
        let page = docs(&file);
        let titled =
            page.starts_with(&format!("# {}\n", info.title)) || family.is_some() && page.contains(&format!("\n## {}\n", info.title));
        assert!(titled, "{file} begins otherwise than with \"# {}\"", info.title);
        for param in info.params {
            // CCBP's page sorts its parameters by what the paper leaves open.
            let found = if info.name == "ccbp" && !param.is_constant() {
                page.contains(&format!("`{}`", param.name))
            } else {
                page.contains(&row(param))
            };
            if !found {
                missing += &format!("{file}: {}\n", row(param));
            }
        }
    }
    assert!(missing.is_empty(), "rows that are missing:\n{missing}");
}

#[test]
fn the_page_of_the_machine_has_every_cta_order_and_its_parameters() {
    let page = docs("../machine.md");
    let rows = |info: &CtaOrderInfo| {
        let of_params = info.params.iter().map(|param| format!("\n| `{}` {}\n", info.name, row(param)));
        of_params.chain([format!("\n| `{}` | ", info.name)]).collect::<Vec<_>>()
    };
    let missing: String = CTA_ORDERS.iter().flat_map(rows).filter(|row| !page.contains(row.as_str())).collect();
    assert!(missing.is_empty(), "rows that are missing:\n{missing}");
}

#[test]
fn the_page_of_the_manual_policy_names_every_control() {
    let page = docs("manual.md");
    let row = |control: &Control| {
        let takes = match control.kind {
            Kind::Flag => "true, false".to_string(),
            Kind::Int { min, max } | Kind::Limit { min, max } => format!("{min} to {max}"),
            Kind::Requests { max } => format!("0, or 0.0625 to {max}"),
            Kind::Numbers { max } => format!("numbers from 0 to {max}"),
            Kind::Sms => "SM numbers".to_string(),
            Kind::Choice(names) => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
            Kind::WarpOrder => "a warp order".to_string(),
        };
        let (unit, neutral) = (control.field.unit, control.neutral());
        format!(
            "| `{}` | {} | {takes} | {unit} | {neutral} | {} | {} |\n",
            control.field.name,
            control.scope.words(),
            control.field.doc,
            control.effect
        )
    };
    let missing: String = CONTROLS.iter().map(row).filter(|row| !page.contains(row.as_str())).collect();
    assert!(missing.is_empty(), "rows that are missing:\n{missing}");
}
