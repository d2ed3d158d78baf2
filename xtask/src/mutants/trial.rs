//! One mutant against the tests: a tree of its own, what is built there, and the harnesses that run.

use super::limited::{End, limited};
use super::list::Mutant;
use crate::run::{cargo, output, root, run, spent, target_dir, watch};
use crate::test::{Built, programs};
use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What is built and run, the cheapest first: most mutants end in the unit tests of sim-core, and then nothing else is built.
const STEPS: [&[&str]; 3] = [&["--lib"], &["--test", "suite"], &["--tests", "--package", "corun-papers"]];

/// All three in every step: with other packages beside it, sim-core could have other features and would be compiled once more. The papers' crate asks
/// for no feature that the runner does not.
const PACKAGES: [&str; 6] = ["--package", "sim-core", "--package", "corun-suite", "--package", "corun"];

/// A mutant's harness may take so many times what it takes without a mutant, and the least that it may take: a busy machine is not a fault.
const PATIENCE: u32 = 5;
const LEAST: Duration = Duration::from_secs(20);

/// What a harness may take without a mutant.
const HOUR: Duration = Duration::from_secs(3600);

/// Kilobytes of data that a harness may have: a loop that does not end may also fill the memory.
const MEMORY: u32 = 8 << 20;

/// What became of a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// It does not compile.
    Unviable,
    /// By a test of the first tier.
    Caught,
    /// By a test that only the full tier asks.
    CaughtByFull,
    Survived,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Trial {
    pub fate: Fate,
    /// The test that failed first, or what else gave it away.
    pub by: String,
    /// Processor seconds.
    pub cpu: f64,
}

/// Seconds that each harness takes without a mutant, by its name; those of the tests that only the full tier asks have ` --ignored` behind it.
pub type Baseline = BTreeMap<String, f64>;

/// The tree that mutants are put into: a clone of the last commit, so that one can go on working beside it.
pub fn tree() -> Result<PathBuf> {
    Ok(std::path::absolute(target_dir())?.join("mutants/tree"))
}

fn build_dir() -> Result<PathBuf> {
    Ok(tree()?.with_file_name("build"))
}

/// Makes the tree that of HEAD, and names the commit.
pub fn check_out() -> Result<String> {
    fs::create_dir_all(tree()?)?;
    run(&mut git(&["init", "--quiet"])?)?;
    run(git(&["fetch", "--quiet", "--depth", "1"])?.arg(root()).arg("HEAD"))?;
    run(&mut git(&["checkout", "--quiet", "--force", "--detach", "FETCH_HEAD"])?)?;
    restore()?;
    output(&mut git(&["rev-parse", "HEAD"])?).context("git does not name the commit")
}

/// Takes the mutant out again, with all that its tests have left: proptest keeps cases that failed, and the next mutant would get them too.
fn restore() -> Result<()> {
    run(&mut git(&["checkout", "--quiet", "--force", "HEAD", "--", "."])?)?;
    run(&mut git(&["clean", "--quiet", "-ffdx"])?)
}

/// git in the tree, and never in the repository around it.
fn git(args: &[&str]) -> Result<Command> {
    let mut git = Command::new("git");
    git.current_dir(tree()?).args(["--git-dir", ".git", "--work-tree", "."]).args(args);
    Ok(git)
}

/// Times every test without a mutant; all must pass.
pub fn baseline() -> Result<Baseline> {
    restore()?;
    let mut seconds = Baseline::new();
    let mut harnesses = Vec::new();
    for step in STEPS {
        harnesses.extend(build(step, &harnesses)?.map_err(|errors| anyhow!("the tests do not compile:\n{errors}"))?);
    }
    for (ignored, harness) in [false, true].into_iter().flat_map(|ignored| harnesses.iter().map(move |harness| (ignored, harness))) {
        let began = Instant::now();
        if let Some(by) = caught(harness, ignored, HOUR)? {
            bail!("a test fails without a mutant: {by}");
        }
        seconds.insert(key(harness, ignored), began.elapsed().as_secs_f64());
    }
    Ok(seconds)
}

/// Puts a mutant into the tree and runs the tests until one fails.
pub fn of(mutant: &Mutant, baseline: &Baseline) -> Result<Trial> {
    restore()?;
    let file = tree()?.join(&mutant.file);
    fs::write(&file, mutant.put_into(&fs::read_to_string(&file)?)?)?;
    let before = spent();
    let (fate, by) = fate(baseline)?;
    Ok(Trial { fate, by, cpu: (spent() - before).as_secs_f64() })
}

fn fate(baseline: &Baseline) -> Result<(Fate, String)> {
    let limit = |harness: &Built, ignored| -> Result<Duration> {
        let seconds = baseline.get(&key(harness, ignored)).with_context(|| format!("{} is not in the baseline", key(harness, ignored)))?;
        Ok((Duration::try_from_secs_f64(*seconds)? * PATIENCE).max(LEAST))
    };
    let mut harnesses: Vec<Built> = Vec::new();
    for step in STEPS {
        let new = match build(step, &harnesses)? {
            Ok(new) => new,
            Err(errors) => return Ok((Fate::Unviable, errors.lines().next().unwrap_or_default().to_owned())),
        };
        for harness in &new {
            if let Some(by) = caught(harness, false, limit(harness, false)?)? {
                return Ok((Fate::Caught, by));
            }
        }
        harnesses.extend(new);
    }
    for harness in &harnesses {
        if let Some(by) = caught(harness, true, limit(harness, true)?)? {
            return Ok((Fate::CaughtByFull, by));
        }
    }
    Ok((Fate::Survived, String::new()))
}

fn key(harness: &Built, ignored: bool) -> String {
    format!("{}{}", harness.name, if ignored { " --ignored" } else { "" })
}

/// Builds the harnesses of a step, and gives those that no step has built before; the inner error is what the compiler says of the source.
///
/// A compiler that was stopped can leave what the next one cannot link. That says nothing of the mutant: it is built once more, from nothing.
fn build(step: &[&str], before: &[Built]) -> Result<std::result::Result<Vec<Built>, String>> {
    let mut built = compile(step)?;
    if built.as_ref().is_err_and(|errors| errors.of_source.is_empty()) {
        println!("           cannot be linked: the compiler begins anew");
        fs::remove_dir_all(build_dir()?.join("mutants/incremental"))?;
        built = compile(step)?;
    }
    match built {
        Ok(mut built) => {
            built.retain(|harness| before.iter().all(|known| known.file != harness.file));
            Ok(Ok(built))
        }
        Err(errors) if errors.of_source.is_empty() => bail!("the tests cannot be built: {}", errors.others),
        Err(errors) => Ok(Err(errors.of_source)),
    }
}

/// Errors of the compiler, as it prints them.
#[derive(Default)]
struct Errors {
    /// Those that point into the source.
    of_source: String,
    others: String,
}

impl Errors {
    fn read(&mut self, message: &Value) {
        let message = &message["message"];
        if message["level"] == "error" {
            let somewhere = message["spans"].as_array().is_some_and(|spans| !spans.is_empty());
            let kind = if somewhere { &mut self.of_source } else { &mut self.others };
            *kind += message["rendered"].as_str().unwrap_or_default();
        }
    }
}

/// Every harness of a step.
fn compile(step: &[&str]) -> Result<std::result::Result<Vec<Built>, Errors>> {
    let mut command = cargo(&["test", "--no-run", "--locked", "--quiet", "--message-format", "json", "--profile", "mutants"]);
    command.args(PACKAGES).args(step).current_dir(tree()?).env("CARGO_TARGET_DIR", build_dir()?);
    let (mut built, mut errors) = (Vec::new(), Errors::default());
    let ok = watch(&mut command, |line| {
        let Ok(message) = serde_json::from_str(line) else { return };
        built.extend(programs(&message).into_iter().filter(|program| program.test));
        errors.read(&message);
    })?;
    Ok(if ok { Ok(built) } else { Err(errors) })
}

/// Runs a harness with the first tier's seed to the first test that fails, and says what gave the mutant away.
fn caught(harness: &Built, ignored: bool, limit: Duration) -> Result<Option<String>> {
    // The shell sets the limit of memory, where the system has one, and becomes the harness.
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -d \"$0\" 2>/dev/null; exec \"$@\"", &MEMORY.to_string()]).arg(&harness.file);
    command.args(ignored.then_some("--ignored")).current_dir(&harness.package).env("CARGO_MANIFEST_DIR", &harness.package);
    command.env("PROPTEST_RNG_SEED", crate::test::SEED.to_string()).stderr(Stdio::null());
    let mut test = None;
    let end = limited(&mut command, limit, |line| {
        test = failed(line);
        test.is_some()
    })?;
    let how = match end {
        End::Well => return Ok(None),
        End::Stopped => test.unwrap_or_default(),
        End::OutOfTime => OUT_OF_TIME.to_owned(),
        End::Badly => "ends before its tests".to_owned(),
    };
    Ok(Some(format!("{}: {how}", key(harness, ignored))))
}

/// What stands in place of a test that failed.
pub const OUT_OF_TIME: &str = "does not end in time";

/// The test that a line of a harness calls failed.
fn failed(line: &str) -> Option<String> {
    line.strip_prefix("test ")?.strip_suffix(" ... FAILED").map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_test_that_fails_is_named() {
        assert_eq!(failed("test a::b ... FAILED"), Some("a::b".to_owned()));
        assert_eq!(failed("test a::b - should panic ... FAILED"), Some("a::b - should panic".to_owned()));
        assert_eq!((failed("test a::b ... ok"), failed("test result: FAILED. 1 passed; 1 failed")), (None, None));
    }

    #[test]
    fn only_errors_of_the_source_speak_of_the_mutant() {
        let mut errors = Errors::default();
        let mut read =
            |level, rendered, spans| errors.read(&json!({ "message": { "level": level, "rendered": rendered, "spans": spans } }));
        read("error", "mismatched types", json!([{ "line_start": 1 }]));
        read("error", "linking failed", json!([]));
        read("warning", "unused", json!([{ "line_start": 1 }]));
        errors.read(&json!({ "reason": "compiler-artifact" }));
        assert_eq!((errors.of_source.as_str(), errors.others.as_str()), ("mismatched types", "linking failed"));
    }

    #[test]
    fn a_harness_that_fails_ends_or_hangs_is_caught() {
        let caught = |file: &str, limit| {
            let harness = Built { package: "/".into(), name: "h".into(), test: true, file: file.into() };
            caught(&harness, false, limit).expect("sh starts")
        };
        assert_eq!(caught("true", HOUR), None);
        assert_eq!(caught("false", HOUR).as_deref(), Some("h: ends before its tests"));
        assert_eq!(caught("yes", Duration::from_millis(50)).as_deref(), Some("h: does not end in time"));
    }
}
