//! Malformed experiments, each with the paths that its problems must name: tests/bad_input/cases.json. The table is data, so that the
//! runner and the page are held to the same one.
//!
//! A case has a `name`, the `paths` of its problems in order, and its file's content. The content has one of four forms: `input` (JSON),
//! `text` (as it stands), `bytes` (hexadecimal) or `repeat` (`before`, then `part` so many `times`, then `after`). `"schema": false` marks
//! what the experiments' JSON schema cannot see: what is wrong between fields, not in one.

use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use std::path::Path;

#[path = "../bad_input/table.rs"]
pub mod table;
use table::Case;

fn cases() -> Vec<Case> {
    table::cases(Path::new(env!("CARGO_MANIFEST_DIR")))
}

/// Reads a case as the runner and the module do: what is not JSON is one problem with the whole.
fn read(content: &[u8]) -> Result<Experiment, Problems> {
    let value: Value = serde_json::from_slice(content).map_err(|error| {
        let mut problems = Problems::default();
        problems.add("(whole)", error, "JSON");
        problems
    })?;
    Experiment::decode(&value)
}

#[test]
fn every_malformed_experiment_names_what_is_wrong() {
    let cases = cases();
    assert!(cases.len() >= 40, "only {} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        match read(&case.content) {
            Ok(_) => wrong.push(format!("{}: accepted", case.name)),
            Err(problems) => {
                let paths: Vec<&str> = problems.0.iter().map(|problem| problem.path.as_str()).collect();
                if paths != case.paths {
                    wrong.push(format!("{}: expected {:?}, got\n{problems}", case.name, case.paths));
                }
                for problem in &problems.0 {
                    if problem.found.is_empty() || problem.want.is_empty() || problem.to_string().lines().count() != 1 {
                        wrong.push(format!("{}: not one plain line: {problem:?}", case.name));
                    }
                    if problem.to_string().chars().count() > 600 {
                        wrong.push(format!("{}: {} characters", case.name, problem.to_string().chars().count()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_are_told_apart() {
    let cases = cases();
    for (i, case) in cases.iter().enumerate() {
        assert!(!cases[..i].iter().any(|other| other.name == case.name), "{} stands twice", case.name);
    }
}

/// A flood of unknown fields ends in one problem, not in millions, and that one has a path.
#[test]
fn a_flood_of_fields_is_cut_short() {
    let flood: String = (0..1_000_000).map(|n| format!(",\"x{n}\":0")).collect();
    let problems = read(format!("{{\"corun\":1{flood}}}").as_bytes()).expect_err("a million unknown fields");
    assert_eq!(problems.0.iter().map(|problem| problem.path.as_str()).collect::<Vec<_>>(), ["(whole)"], "{problems}");
}
