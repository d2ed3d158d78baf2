//! An experiment always gives equal bits: against the goldens, under any split of the budget, whatever is looked at in between, and after
//! clone-and-continue. `wasm/tests/engine.rs` holds the compiled module to these goldens in Node and in Chromium.
//!
//! After a change that is meant to change results: `CORUN_BLESS=1 cargo test --test suite determinism` prints what it changes, and the
//! commit says why.

use crate::golden;
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::run::result::ENGINE;
use sim_core::run::simulation::{Reason, Simulation};
use sim_core::study::profile;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Examples that came after the page's stored values were made: none of these values comes from them. Without this list each new example would make
/// every stored value another engine's. The next values that are stored begin a new one.
const LATER: &[&str] = &[];

/// Real GPUs, on which no example runs, and a part of each that is a scale model. What is stored of them is of an engine too.
const REAL: [(&str, &str); 4] = [("a100-40gb", "1/4"), ("h100-sxm5", "1/4"), ("h200-sxm", "1/4"), ("rtx5090", "1/2")];

/// Cycles that each experiment runs for here.
const CYCLES: u64 = 20_000;

/// An experiment of examples/experiments.
struct Example {
    name: String,
    experiment: Experiment,
    /// Before its first cycle. What its policy wants to know of the kernels alone has been measured, which takes as long as some of the runs.
    started: Simulation,
    /// After `CYCLES` in one go.
    digest: u64,
}

impl Example {
    fn read(file: &Path) -> Example {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{name}: {e}"));
        let value: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let experiment = Experiment::decode(&value).unwrap_or_else(|problems| panic!("{name}:\n{problems}"));
        let started = profile::start(&experiment).unwrap_or_else(|problems| panic!("{name}:\n{problems}"));
        let digest = digest_of(started.clone());
        Example { name, experiment, started, digest }
    }
}

/// The digest after `CYCLES` in one go.
fn digest_of(mut started: Simulation) -> u64 {
    started.advance(CYCLES);
    started.digest()
}

/// The experiments of examples/experiments, by name.
static EXAMPLES: LazyLock<Vec<Example>> = LazyLock::new(|| {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/experiments");
    let mut files: Vec<PathBuf> = fs::read_dir(&dir).expect("the folder is there").flatten().map(|entry| entry.path()).collect();
    files.sort();
    assert!(files.len() >= 8, "only {} experiments", files.len());
    files.iter().map(|file| Example::read(file)).collect()
});

/// Kernels that are launched again and again, reread what they have read, and fill FP64 units, on a part of a real GPU: what it does by itself.
fn real(gpu: &str, part: &str) -> Value {
    let text =
        format!(r#"{{"corun": 1, "gpu": "{gpu}", "scale": "{part}", "kernels": ["ccbp/BP", "interference/l1", "interference/fp64"]}}"#);
    let experiment = Experiment::from_json(&text).unwrap_or_else(|problems| panic!("{gpu}: {problems}"));
    let started = profile::start(&experiment).unwrap_or_else(|problems| panic!("{gpu}: {problems}"));
    Value::object([
        ("config_hash", Value::from(experiment.config_hash().as_str())),
        ("digest", format!("{:016x}", digest_of(started)).into()),
    ])
}

/// Eight hexadecimal digits of golden digests: engines that give other results have other ones.
fn behaviour(goldens: &Value) -> String {
    let text = serde_json::to_string_pretty(goldens).expect("a value is JSON");
    let mut later = false;
    let digests = text.lines().filter(|line| {
        if line.ends_with('{') {
            later = LATER.iter().any(|name| line.contains(&format!("\"{name}\"")));
        }
        !later && line.contains("\"digest\"")
    });
    // FNV-1a.
    let hash =
        digests.flat_map(str::bytes).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{:08x}", hash >> 32)
}

#[test]
fn digests_equal_the_goldens() {
    let entries = EXAMPLES.iter().map(|example| {
        let digest = format!("{:016x}", example.digest);
        (&example.name, Value::object([("config_hash", Value::from(example.experiment.config_hash().as_str())), ("digest", digest.into())]))
    });
    let gpus = Value::object(REAL.iter().map(|(gpu, part)| (gpu, real(gpu, part))));
    let now = Value::object([("cycles", Value::from(CYCLES)), ("experiments", Value::object(entries)), ("gpus", gpus)]);
    // Blessed first: `check` fails where it blesses.
    let digits = behaviour(&now);
    let stamp = Path::new(env!("CARGO_MANIFEST_DIR")).join("sim-core/src/run/behaviour");
    if std::env::var_os("CORUN_BLESS").is_some() && std::env::var_os("CI").is_none() {
        fs::write(stamp, &digits).expect("the engine's stamp");
    }
    golden::check("digests.json", &now);
    assert!(ENGINE.ends_with(&format!("-{digits}")), "the engine calls itself {ENGINE}, and behaves as {digits}: CORUN_BLESS=1 mends it");
    // Two experiments with one digest would mean that the digest does not see what they differ in.
    for (i, Example { name, digest, .. }) in EXAMPLES.iter().enumerate() {
        assert!(EXAMPLES[..i].iter().all(|other| other.digest != *digest), "{name} has the digest of another experiment");
    }
}

/// `wasm/tests/engine.rs` holds the module to the same ends of every interval.
#[test]
fn intervals_equal_the_goldens() {
    let of = |example: &Example| {
        let mut simulation = example.started.clone();
        simulation.advance(CYCLES);
        (example.name.clone(), simulation.result().get("ci95").cloned().unwrap_or_default())
    };
    let mixes = ["bp-cfd-even", "cfd-sad-two-level"];
    let now: Vec<_> = EXAMPLES.iter().filter(|example| mixes.contains(&example.name.as_str())).map(of).collect();
    assert!(now.len() == mixes.len() && now.iter().all(|(_, ci95)| ci95.to_string().len() > 1000), "each has many intervals");
    golden::check("ci95.json", &Value::object(now.iter().map(|(name, ci95)| (name, ci95.clone()))));
}

/// `same_bits` asks it of random experiments in the first tier, and the module of each of these.
#[test]
#[ignore = "full: do the examples give equal bits under any split of the budget?"]
fn any_split_of_the_budget_gives_the_same_run() {
    for Example { name, started, digest, .. } in EXAMPLES.iter() {
        let mut simulation = started.clone();
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
        assert_eq!(simulation.digest(), *digest, "{name}");
    }
}

#[test]
#[ignore = "full: do the examples go on from a clone as the original does?"]
fn a_clone_continues_as_the_original_does() {
    for Example { name, started, digest, .. } in EXAMPLES.iter() {
        let mut original = started.clone();
        original.advance(CYCLES / 3);
        let mut clone = original.clone();
        let at = original.digest();
        assert_eq!(clone.digest(), at, "{name}: at once");
        original.advance(CYCLES - CYCLES / 3);
        assert_eq!(original.digest(), *digest, "{name}: the original");
        assert_eq!(clone.digest(), at, "{name}: the clone has moved with the original");
        clone.advance(CYCLES - CYCLES / 3);
        assert_eq!(clone.digest(), *digest, "{name}: the clone");
    }
}

#[test]
fn the_seed_reaches_the_run() {
    let notices = |Example { experiment, digest, .. }: &Example| {
        let reseeded = Experiment { seed: experiment.seed + 1, ..experiment.clone() };
        digest_of(profile::start(&reseeded).expect("the seed alone is another")) != *digest
    };
    assert!(EXAMPLES.iter().any(notices), "no experiment notices its seed");
}
