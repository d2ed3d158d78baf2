//! The sweeps of examples/sweeps can run, every point of them, and malformed ones name what is wrong: tests/bad_input/sweeps.json.

use sim_core::describe::value::Value;
use sim_core::study::sweep::Sweep;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn json(file: &Path) -> Value {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[test]
fn every_point_of_every_example_can_run() {
    let files = std::fs::read_dir(root().join("examples/sweeps")).expect("the examples").flatten();
    let mut seen = 0;
    for file in files.map(|entry| entry.path()) {
        let sweep = Sweep::decode(&json(&file)).unwrap_or_else(|problems| panic!("{}:\n{problems}", file.display()));
        let hashes: std::collections::BTreeSet<String> = (0..sweep.points())
            .map(|i| sweep.point(i).unwrap_or_else(|problems| panic!("{}, point {i}:\n{problems}", file.display())))
            .map(|point| point.experiment.config_hash())
            .collect();
        assert_eq!(hashes.len(), sweep.points(), "{}: points that are the same", file.display());
        seen += 1;
    }
    assert!(seen >= 3);
}

#[test]
fn every_malformed_sweep_names_what_is_wrong() {
    let Value::Array(cases) = json(&root().join("tests/bad_input/sweeps.json")) else { panic!("the table is a list") };
    assert!(cases.len() >= 20, "only {} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let name = case.get("name").and_then(Value::as_str).expect("each case has a name");
        let expected = case.get("paths").expect("each case has paths");
        match Sweep::decode(case.get("input").expect("each case has an input")) {
            Ok(_) => wrong.push(format!("{name}: accepted")),
            Err(problems) => {
                let found = Value::array(problems.0.iter().map(|problem| problem.path.as_str()));
                if found != *expected {
                    wrong.push(format!("{name}: expected {expected}, got\n{problems}"));
                }
                if problems.0.iter().any(|problem| problem.to_string().chars().count() > 600) {
                    wrong.push(format!("{name}: a problem that is too long to read"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
