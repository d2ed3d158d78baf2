//! `cargo xtask mutants`: how many seeded faults do the native tests of the first tier catch? A study, in no tier of the tests.
//!
//! cargo-mutants lists small changes that the compiler accepts: an operator, a function that returns a constant, a match arm less. A draw of
//! them goes, one after the other, into a clone of the last commit, and the tests of sim-core, of the whole and of the runner must notice. What
//! they let pass meets the tests that only `--full` asks, with the same seed.
//!
//! The first tier's tests are a subset of what ran before there were tiers. So all that it catches was caught then, and what was caught then
//! is what both tiers catch together.
//!
//! cargo-mutants finds files by their `mod`: not those that a macro declares, such as the L1D's protocols. It would also build every test before
//! it runs one, so that only its list is used.

mod limited;
mod list;
mod trial;

use crate::run::{output, run, target_dir};
use crate::{flag, none_left, number};
use anyhow::{Context, Result};
use limited::kill_limited;
use list::Mutant;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use trial::{Baseline, Fate, OUT_OF_TIME, Trial};

/// The version whose list is read.
const VERSION: &str = "27.1.0";

/// Where faults are put.
const FILES: [&str; 3] = ["sim-core/src/machine/**", "sim-core/src/policy/**", "sim-core/src/run/**"];

/// Where there are but tests.
const TESTS: [&str; 2] = ["**/tests.rs", "**/tests/**"];

/// What is known of a commit: written after each mutant, so that a study that was stopped goes on where it was.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Results {
    commit: String,
    baseline: Baseline,
    mutants: BTreeMap<String, Trial>,
}

/// The command, with the words behind its name.
pub fn mutants(args: &mut Vec<String>) -> Result<()> {
    let count = usize::try_from(number(args, "--count")?.unwrap_or(30))?;
    let seed = number(args, "--seed")?.unwrap_or(1);
    let only_list = flag(args, "--list");
    none_left(args)?;
    let commit = trial::check_out()?;
    let all = list_all()?;
    let title = format!("of {} mutants, drawn by seed {seed}, commit {}", all.len(), commit.get(..9).unwrap_or(&commit));
    let drawn = list::draw(all, count, seed);
    if only_list {
        drawn.iter().for_each(|mutant| println!("{}", mutant.name));
        return Ok(());
    }
    ctrlc::set_handler(|| {
        kill_limited();
        std::process::exit(130);
    })?;
    let results = study(&drawn, commit)?;
    print!("\n{} {title}\n{}", drawn.len(), report(&drawn, &results.mutants));
    Ok(())
}

/// Every mutant there is.
fn list_all() -> Result<Vec<Mutant>> {
    let mut command = Command::new(tool()?);
    command.args(["mutants", "--list", "--json", "--no-config", "--colors", "never", "--package", "sim-core"]);
    command.args(FILES.iter().flat_map(|files| ["--file", files]));
    command.args(TESTS.iter().flat_map(|files| ["--exclude", files]));
    let listed = output(command.current_dir(trial::tree()?)).context("cargo-mutants does not list its mutants")?;
    list::read(&listed)
}

/// cargo-mutants, installed beside what is built if it is not there.
fn tool() -> Result<PathBuf> {
    let place = std::path::absolute(target_dir())?.join("tools");
    let tool = place.join("bin/cargo-mutants");
    let version = output(Command::new(&tool).args(["mutants", "--version"]));
    if version.is_none_or(|version| version != format!("cargo-mutants {VERSION}")) {
        eprintln!("Installing cargo-mutants {VERSION}: this takes minutes …");
        run(crate::run::cargo(&["install", "cargo-mutants", "--quiet", "--locked", "--force", "--version", VERSION, "--root"]).arg(place))?;
    }
    Ok(tool)
}

/// Tests each mutant that is not in the results yet.
fn study(drawn: &[Mutant], commit: String) -> Result<Results> {
    let file = target_dir().join("mutants/results.json");
    let kept = fs::read_to_string(&file).ok().and_then(|text| serde_json::from_str::<Results>(&text).ok());
    let mut results = kept.filter(|kept| kept.commit == commit).unwrap_or(Results { commit, ..Results::default() });
    if results.baseline.is_empty() {
        println!("First the tests without a mutant …");
        results.baseline = trial::baseline()?;
        keep(&file, &results)?;
    }
    for (mutant, place) in drawn.iter().zip(1..) {
        if !results.mutants.contains_key(&mutant.name) {
            println!("{place:>3} of {}: {}", drawn.len(), mutant.name);
            let trial = trial::of(mutant, &results.baseline)?;
            println!("           {}, {:.0} s of processor time", told(&trial), trial.cpu);
            results.mutants.insert(mutant.name.clone(), trial);
            keep(&file, &results)?;
        }
    }
    Ok(results)
}

/// Written aside and renamed: Ctrl-C leaves the old ones or the new.
fn keep(file: &PathBuf, results: &Results) -> Result<()> {
    let aside = file.with_extension("new");
    fs::write(&aside, serde_json::to_string_pretty(results)? + "\n")?;
    fs::rename(&aside, file).with_context(|| format!("cannot write {}", file.display()))
}

fn told(trial: &Trial) -> String {
    match trial.fate {
        Fate::Unviable => format!("does not compile: {}", trial.by),
        Fate::Caught => format!("caught by {}", trial.by),
        Fate::CaughtByFull => format!("caught only by --full, {}", trial.by),
        Fate::Survived => "survived".to_owned(),
    }
}

/// What the draw says of the tests, and the survivors. What hangs is caught: no test run would end well.
fn report(drawn: &[Mutant], trials: &BTreeMap<String, Trial>) -> String {
    let of = |fate| drawn.iter().filter_map(|mutant| trials.get(&mutant.name)).filter(move |trial| trial.fate == fate);
    let count = |fate| of(fate).count();
    let (caught, unviable) = (count(Fate::Caught), count(Fate::Unviable));
    let late = of(Fate::Caught).filter(|trial| trial.by.ends_with(OUT_OF_TIME)).count();
    let mut text = format!("caught by the first tier: {caught} of {}, {late} of them by the time limit\n", drawn.len() - unviable);
    text += &format!("caught only by --full:    {}\n", count(Fate::CaughtByFull));
    text += &format!("do not compile:           {unviable}\n");
    text += &format!("survived:                 {}\n", count(Fate::Survived));
    let survived = |name: &&str| trials.get(*name).is_some_and(|trial| trial.fate == Fate::Survived);
    let mut survivors: Vec<&str> = drawn.iter().map(|mutant| mutant.name.as_str()).filter(survived).collect();
    survivors.sort_unstable();
    text + &survivors.iter().map(|name| format!("  {name}\n")).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_report_counts_what_compiles_and_names_survivors() {
        let place = json!({ "line": 1, "column": 1 });
        let mut fates = vec![("b", "survived", ""), ("a", "survived", ""), ("c", "unviable", ""), ("d", "caught", "suite: x::y")];
        fates.extend([("e", "caught", "suite: does not end in time"), ("f", "caught-by-full", "suite --ignored: z")]);
        let entry = |name| json!({ "name": name, "file": "a", "span": { "start": place, "end": place }, "replacement": "" });
        let drawn = list::read(&json!(fates.iter().map(|(name, ..)| entry(name)).collect::<Vec<_>>()).to_string()).expect("it is whole");
        let trial = |fate, by| serde_json::from_value::<Trial>(json!({ "fate": fate, "by": by, "cpu": 1.5 })).expect("it is whole");
        let mut trials: BTreeMap<String, Trial> = fates.iter().map(|&(name, fate, by)| (name.to_owned(), trial(fate, by))).collect();
        // Of another draw.
        trials.insert("z".to_owned(), trial("survived", ""));
        let lines = [
            "caught by the first tier: 2 of 5, 1 of them by the time limit",
            "caught only by --full:    1",
            "do not compile:           1",
            "survived:                 2",
            "  a",
            "  b",
            "",
        ];
        assert_eq!(report(&drawn, &trials), lines.join("\n"));
    }
}
