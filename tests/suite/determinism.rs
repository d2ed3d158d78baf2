//! An experiment always gives equal bits: against the goldens, under any split of the budget, whatever is looked at in between, and after
//! clone-and-continue. `wasm/tests/engine.rs` holds the compiled module to these goldens in Node and in Chromium.
//!
//! After a change that is meant to change results: `CORUN_BLESS=1 cargo test --test suite determinism` prints what it changes, and the
//! commit says why.

use crate::golden;
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::run::simulation::{Reason, Simulation};
use sim_core::study::profile;
use std::fs;
use std::path::{Path, PathBuf};

/// Cycles that each experiment runs for here.
const CYCLES: u64 = 20_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// The experiments of examples/experiments, by name.
fn experiments() -> Vec<(String, Experiment)> {
    let dir = root().join("examples/experiments");
    let mut files: Vec<PathBuf> = fs::read_dir(&dir).expect("the folder is there").flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{name}: {e}"));
        let value: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        found.push((name.clone(), Experiment::decode(&value).unwrap_or_else(|problems| panic!("{name}:\n{problems}"))));
    }
    assert!(found.len() >= 8, "only {} experiments", found.len());
    found
}

fn start(experiment: &Experiment) -> Simulation {
    profile::start(experiment).unwrap_or_else(|problems| panic!("{}:\n{problems}", experiment.name))
}

fn whole_run(experiment: &Experiment) -> u64 {
    let mut simulation = start(experiment);
    simulation.advance(CYCLES);
    simulation.digest()
}

#[test]
fn digests_equal_the_goldens() {
    let digests: Vec<(String, String, String)> = experiments()
        .iter()
        .map(|(name, experiment)| (name.clone(), experiment.config_hash(), format!("{:016x}", whole_run(experiment))))
        .collect();
    let entries = digests.iter().map(|(name, config, digest)| {
        (name, Value::object([("config_hash", Value::from(config.as_str())), ("digest", digest.as_str().into())]))
    });
    let now = Value::object([("cycles", Value::from(CYCLES)), ("experiments", Value::object(entries))]);
    golden::check("digests.json", &now);
    // Two experiments with one digest would mean that the digest does not see what they differ in.
    for (i, (name, _, digest)) in digests.iter().enumerate() {
        assert!(digests[..i].iter().all(|(_, _, other)| other != digest), "{name} has the digest of another experiment");
    }
}

/// `wasm/tests/engine.rs` holds the module to the same ends of every interval.
#[test]
fn intervals_equal_the_goldens() {
    let of = |(name, experiment): (String, Experiment)| {
        let mut simulation = start(&experiment);
        simulation.advance(CYCLES);
        (name, simulation.result().get("ci95").cloned().unwrap_or_default())
    };
    let mixes = ["bp-cfd-even", "cfd-sad-two-level"];
    let now = experiments().into_iter().filter(|(name, _)| mixes.contains(&name.as_str())).map(of).collect::<Vec<_>>();
    assert!(now.len() == mixes.len() && now.iter().all(|(_, ci95)| ci95.to_string().len() > 1000), "each has many intervals");
    golden::check("ci95.json", &Value::object(now.iter().map(|(name, ci95)| (name, ci95.clone()))));
}

#[test]
fn any_split_of_the_budget_gives_the_same_run() {
    for (name, experiment) in experiments() {
        let want = whole_run(&experiment);
        let mut simulation = start(&experiment);
        for part in [1, 2, 397, 400, 401, 1, 3000, 64].into_iter().cycle() {
            let left = CYCLES - simulation.cycle();
            let reason = if part == 64 { simulation.advance_event(left.min(part)) } else { simulation.advance(left.min(part)) };
            // Looking must not touch.
            let _ = simulation.result();
            let _ = simulation.digest();
            let _ = simulation.shown();
            simulation.machine_mut().settle();
            sim_core::run::frame::fill(simulation.machine(), simulation.windows(), &mut Vec::new());
            let _ = simulation.windows().rows_since(0);
            if simulation.cycle() == CYCLES || !matches!(reason, Reason::Budget | Reason::Event) {
                break;
            }
        }
        assert_eq!(simulation.digest(), want, "{name}");
    }
}

#[test]
fn a_clone_continues_as_the_original_does() {
    for (name, experiment) in experiments() {
        let want = whole_run(&experiment);
        let mut original = start(&experiment);
        original.advance(CYCLES / 3);
        let mut clone = original.clone();
        let at = original.digest();
        assert_eq!(clone.digest(), at, "{name}: at once");
        original.advance(CYCLES - CYCLES / 3);
        assert_eq!(original.digest(), want, "{name}: the original");
        assert_eq!(clone.digest(), at, "{name}: the clone has moved with the original");
        clone.advance(CYCLES - CYCLES / 3);
        assert_eq!(clone.digest(), want, "{name}: the clone");
    }
}

#[test]
fn the_seed_reaches_the_run() {
    let differs = experiments().into_iter().filter(|(_, experiment)| {
        let reseeded = Experiment { seed: experiment.seed + 1, ..experiment.clone() };
        whole_run(experiment) != whole_run(&reseeded)
    });
    assert!(differs.count() > 0, "no experiment notices its seed");
}
