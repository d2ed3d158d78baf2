//! The example scripts: the same bits whatever the host, the split of the budget and the moment of a clone. `wasm/tests/engine.rs` holds the
//! module with the interpreter to the same goldens.

use crate::golden;
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::run::simulation::{Reason, Simulation};
use sim_core::study::profile;
use std::fs;
use std::path::Path;

const CYCLES: u64 = 20_000;

/// BP and CFD shared by a script.
fn experiment(source: &str, gpu: &str) -> Experiment {
    Experiment::decode(&described(source, gpu, 2000)).unwrap_or_else(|problems| panic!("{problems}"))
}

fn described(source: &str, gpu: &str, profile_cycles: i64) -> Value {
    let policy =
        [("name", Value::from("script")), ("source", source.into()), ("interval", 1000.into()), ("profile_cycles", profile_cycles.into())];
    Value::object([
        ("corun", Value::from(1)),
        ("gpu", gpu.into()),
        ("kernels", Value::array(["ccbp/BP", "ccbp/CFD"])),
        ("policy", Value::object(policy)),
    ])
}

fn start(source: &str) -> Simulation {
    profile::start(&experiment(source, "tiny-2sm")).unwrap_or_else(|problems| panic!("{problems}"))
}

/// The scripts of examples/scripts, by name.
fn scripts() -> Vec<(String, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/scripts");
    let files = fs::read_dir(&dir).expect("the folder is there").flatten().map(|entry| entry.path());
    let mut found: Vec<(String, String)> = files
        .map(|file| (file.file_stem().unwrap_or_default().to_string_lossy().into_owned(), fs::read_to_string(&file).expect("a script")))
        .collect();
    found.sort();
    assert!(found.len() >= 3, "only {} scripts", found.len());
    found
}

#[test]
fn each_example_turns_its_controls_and_its_digest_equals_the_golden() {
    let run = |(name, source): (String, String)| {
        let mut simulation = profile::start(&experiment(&source, "ccbp-16sm")).unwrap_or_else(|problems| panic!("{name}:\n{problems}"));
        assert_eq!(simulation.advance(CYCLES), Reason::Budget, "{name}: {:?}", simulation.failure());
        let set =
            |cycle: u64| simulation.decisions().iter().filter(|decision| decision.what.topic() == "set" && decision.cycle > cycle).count();
        assert!(set(0) > 3, "{name} has set something {} times", set(0));
        let digest = Value::from(format!("{:016x}", simulation.digest()));
        (name, Value::object([("config_hash", simulation.experiment().config_hash().into()), ("digest", digest)]))
    };
    golden::check("scripts.json", &Value::object(scripts().into_iter().map(run)));
}

/// A script with a state, random numbers and events, which a clone must carry.
const BUSY: &str = "
    fn start(seen, controls) { this.n = 0; }
    fn interval(seen, controls) { this.n += 1; controls.cta_target[random(2)] = 1 + random(3); log(`${this.n}`); }
    fn cta_retired(seen, controls, event) { this.n += event.cta; controls.sms[event.sm].dram_rank[event.kernel] = this.n % 4; }
    ";

#[test]
fn split_and_cloned_runs_are_the_run() {
    let mut whole = start(BUSY);
    whole.advance(CYCLES);
    let mut split = start(BUSY);
    for part in [1, 399, 1000, 7, 2600].into_iter().cycle() {
        split.advance(part.min(CYCLES - split.cycle()));
        split.digest();
        split = split.clone();
        if split.cycle() == CYCLES {
            break;
        }
    }
    assert_eq!(split.digest(), whole.digest());
    assert!(whole.decisions().len() > 20, "{}", whole.decisions().len());
    // The controls of cta_retired are of the GPU: `sms[n]` makes no difference for them.
    assert!(whole.decisions().iter().any(|decision| decision.what.sentence().starts_with("DRAM rank: ")));
}

#[test]
fn a_script_that_fails_ends_the_run_with_its_line() {
    let source = "fn interval(seen, controls) {\n  if seen.now > 5000 {\n    let gone = seen.kernels[7];\n  }\n}";
    let mut simulation = start(source);
    assert_eq!(simulation.advance(CYCLES), Reason::Failed);
    assert_eq!((simulation.cycle(), simulation.advance(1)), (6000, Reason::Failed));
    let result = simulation.result();
    let said = |key: &str| result.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    assert_eq!(
        (said("stop").as_str(), said("failure").as_str()),
        ("failed", "line 3: Array index 7 out of bounds: only 2 elements in array")
    );
    // Another policy can take over.
    let changed = sim_core::policy::PolicySpec::even();
    simulation.set_policy(&changed).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(simulation.advance(1000), Reason::Budget);
}

/// Bodies of a function, and why they fail.
const FAILURES: &[(&str, &str)] = include!("failures.rs");

#[test]
fn what_fails_says_why_at_its_line() {
    for (body, why) in FAILURES {
        let said = match Experiment::decode(&described(&format!("fn start(seen, controls) {{\n{body}\n}}"), "tiny-2sm", 0)) {
            Err(problems) => problems.to_string(),
            Ok(experiment) => {
                let mut simulation = Simulation::new(&experiment).unwrap_or_else(|problems| panic!("{body}:\n{problems}"));
                simulation.advance(1);
                simulation.failure().unwrap_or_default().to_owned()
            }
        };
        let said = said.trim_start_matches("policy.source: found ").trim_end_matches(", want a script that can run");
        assert_eq!(said, *why, "{body}");
    }
}

#[test]
fn a_runaway_script_is_stopped_before_the_run_begins() {
    let mut simulation = start("fn deeper(n) { }\nfn start(seen, controls) { loop { } }");
    assert_eq!((simulation.advance(1), simulation.cycle()), (Reason::Failed, 0));
    assert_eq!(simulation.failure(), Some("line 2: the call takes too long: more than 200000 operations"));
}

#[test]
fn the_text_of_a_script_is_part_of_the_experiment() {
    let one = experiment(BUSY, "tiny-2sm");
    let other = experiment(&BUSY.replace("random(3)", "random(4)"), "tiny-2sm");
    assert_ne!(one.config_hash(), other.config_hash());
    assert_eq!(Experiment::decode(&one.encode()).unwrap_or_else(|problems| panic!("{problems}")), one);
}
