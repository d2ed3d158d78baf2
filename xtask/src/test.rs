//! `cargo xtask test`: everything that must hold before a change goes in, in stages that can be chosen.

use crate::run::{cargo, npm, output, root, run, shown, target_dir, watch};
use crate::wasm::Host;
use crate::{need, page, readme, wasm};
use anyhow::{Context, Result, bail, ensure};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The version of HyperQueue that the job file was written for.
const HYPERQUEUE: &str = "hyperqueue==0.27.0";

/// How many tests passed and failed.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Count {
    pub passed: u64,
    pub failed: u64,
}

/// One thing to check.
struct Check {
    stage: &'static str,
    title: &'static str,
    check: fn(&mut Count) -> Result<()>,
}

const CHECKS: &[Check] = &[
    Check { stage: "lint", title: "formatting", check: formatting },
    Check { stage: "lint", title: "goldens and their commit", check: goldens },
    Check { stage: "lint", title: "clippy", check: clippy },
    Check { stage: "native", title: "native tests", check: native },
    Check { stage: "native", title: "the core needs no std", check: no_std },
    Check { stage: "wasm", title: "module in Node", check: |n| tested(&mut wasm::tests(Host::Node)?, n) },
    Check { stage: "wasm", title: "module in Chromium", check: |n| tested(&mut wasm::tests(Host::Window)?, n) },
    Check { stage: "wasm", title: "module in a Chromium worker", check: |n| tested(&mut wasm::tests(Host::Worker)?, n) },
    Check { stage: "page", title: "page: types and unit tests", check: page_units },
    Check { stage: "e2e", title: "page in Chromium, end to end", check: end_to_end },
    Check { stage: "cluster", title: "a sweep on a HyperQueue server", check: hyperqueue },
    Check { stage: "readme", title: "the README's commands", check: readme::commands },
];

/// Runs the named stages, or all of them; every check runs even when an earlier one failed.
pub fn test(stages: &[String]) -> Result<()> {
    if let Some(unknown) = stages.iter().find(|s| !CHECKS.iter().any(|c| c.stage == s.as_str())) {
        bail!("there is no stage `{unknown}`: choose from lint native wasm page e2e cluster readme");
    }
    let chosen: Vec<&Check> = CHECKS.iter().filter(|c| stages.is_empty() || stages.iter().any(|s| s == c.stage)).collect();
    let mut total = Count::default();
    let mut rows: Vec<(&str, Count, Duration, Result<()>)> = Vec::new();
    for (i, check) in chosen.iter().enumerate() {
        println!("\n[{}/{}] {} …", i + 1, chosen.len(), check.title);
        let start = Instant::now();
        let mut count = Count::default();
        let outcome = (check.check)(&mut count);
        if let Err(error) = &outcome {
            println!("FAILED: {error:#}");
        }
        total.passed += count.passed;
        // A check that fails without naming a test is itself the one that failed.
        total.failed += if outcome.is_err() { count.failed.max(1) } else { count.failed };
        rows.push((check.title, count, start.elapsed(), outcome));
    }
    println!();
    for (title, count, time, outcome) in &rows {
        let tests = if count.passed + count.failed > 0 { format!("{} tests", count.passed + count.failed) } else { String::new() };
        println!("{:>8.1} s  {:<34} {:>10}  {}", time.as_secs_f64(), title, tests, if outcome.is_ok() { "ok" } else { "FAILED" });
    }
    println!("{:>8.1} s  in all", rows.iter().map(|r| r.2.as_secs_f64()).sum::<f64>());
    println!("{} passed, {} failed", total.passed, total.failed);
    ensure!(rows.iter().all(|r| r.3.is_ok()), "not everything holds");
    Ok(())
}

/// Runs a program that runs tests, counts them, and fails with it. A run without a single test is a failure too.
pub fn tested(command: &mut Command, count: &mut Count) -> Result<()> {
    let before = *count;
    let ok = watch(command, |line| {
        if let Some((passed, failed)) = counts(line) {
            count.passed += passed;
            count.failed += failed;
        }
    })?;
    ensure!(ok, "{} failed", shown(command));
    ensure!(count.passed > before.passed, "{} ran no test", shown(command));
    Ok(())
}

/// Tests passed and failed, from the lines in which cargo, `node --test` and Playwright say so.
fn counts(line: &str) -> Option<(u64, u64)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |at: usize| words.get(at).and_then(|w| w.parse().ok());
    match *words.as_slice() {
        ["test", "result:", _, _, "passed;", _, ..] => Some((number(3)?, number(5)?)),
        ["#" | "ℹ", "pass", _] => Some((number(2)?, 0)),
        ["#" | "ℹ", "fail", _] => Some((0, number(2)?)),
        [_, "passed", time] if time.starts_with('(') => Some((number(0)?, 0)),
        [_, "failed"] => Some((0, number(0)?)),
        _ => None,
    }
}

fn formatting(_: &mut Count) -> Result<()> {
    run(&mut cargo(&["fmt", "--all", "--check"]))?;
    // `cargo fmt` finds modules by their `mod`: not those that a macro declares, such as the L1D's protocols.
    let mut core = page::files(&root().join("sim-core/src"))?;
    core.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    run(Command::new("rustfmt").current_dir(root()).args(["--check", "--edition", "2024"]).args(core))
}

/// A golden is a promise about results: the commit that changed one last must say so. One that only adds another breaks no promise.
fn goldens(_: &mut Count) -> Result<()> {
    let git = |args: &[&str]| output(Command::new("git").current_dir(root()).args(args));
    if git(&["rev-parse", "--is-shallow-repository"]).as_deref().map(str::trim) != Some("false") {
        println!("Left out: there is no git history here that would say which commit changed a golden");
        return Ok(());
    }
    let changed = git(&["status", "--porcelain", "--", GOLDENS]).context("git cannot say whether goldens are changed")?;
    ensure!(changed.trim().is_empty(), "goldens that differ from their commit:\n{}", changed.trim_end());
    let commit = git(&["log", "-1", "--diff-filter=MDR", "--format=%h %B", "--", GOLDENS]).context("git does not know the goldens")?;
    ensure!(says_golden(&commit), "the last commit that changed {GOLDENS} names neither goldens nor digests:\n{}", commit.trim_end());
    Ok(())
}

/// The golden files, as git names them.
const GOLDENS: &str = "tests/golden/*.json";

fn says_golden(message: &str) -> bool {
    let message = message.to_lowercase();
    message.contains("golden") || message.contains("digest")
}

fn clippy(_: &mut Count) -> Result<()> {
    need::wasm_target()?;
    run(&mut cargo(&["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    let wasm = [
        "clippy",
        "--quiet",
        "--package",
        "corun-wasm",
        "--all-targets",
        "--features",
        "script",
        "--target",
        "wasm32-unknown-unknown",
        "--",
        "-D",
        "warnings",
    ];
    run(&mut cargo(&wasm))
}

fn native(count: &mut Count) -> Result<()> {
    tested(&mut cargo(&["test", "--quiet", "--workspace", "--exclude", "xtask"]), count)?;
    tested(&mut cargo(&["test", "--quiet", "--package", "xtask", "--profile", "xtask"]), count)
}

/// Builds the core for a target that has no std, and shows that the target would refuse a crate that uses it.
fn no_std(_: &mut Count) -> Result<()> {
    need::bare_target()?;
    for features in [[].as_slice(), &["--features", "serde"]] {
        let mut command = cargo(&["check", "--quiet", "--package", "sim-core", "--target", "wasm32v1-none"]);
        run(command.args(features)).context("the core does not build without std")?;
    }
    let mut control = Command::new("rustc");
    control.current_dir(root()).args(["--edition", "2024", "--crate-type", "lib", "--target", "wasm32v1-none", "--emit", "metadata"]);
    control.args(["-o", "-", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = control.spawn().context("cannot start rustc")?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(b"#![no_std]\nextern crate std;\n")?;
    }
    let refused = child.wait_with_output()?;
    ensure!(!refused.status.success(), "wasm32v1-none accepts a crate that uses std, so building the core for it proves nothing");
    let why = String::from_utf8_lossy(&refused.stderr);
    ensure!(why.contains("E0463"), "the control crate was refused for another reason than the missing std: {why}");
    Ok(())
}

fn page_units(count: &mut Count) -> Result<()> {
    need::packages()?;
    need::wasm_target()?;
    // The page is checked against the declarations of the real module.
    wasm::build(true)?;
    run(&mut npm(&["run", "--silent", "typecheck"]))?;
    tested(&mut npm(&["run", "--silent", "test:unit"]), count)
}

fn end_to_end(count: &mut Count) -> Result<()> {
    let chromium = need::chromium()?;
    page::build()?;
    // The page's lines of a sweep are held against the runner's.
    run(&mut cargo(&["build", "--quiet", "--package", "corun"]))?;
    let runner = target_dir().join("debug/corun");
    tested(npm(&["run", "--silent", "test:e2e"]).env("CHROMIUM_PATH", chromium).env("CORUN", runner).env("CI", "1"), count)
}

/// Every page in Firefox, which no stage runs.
pub fn firefox() -> Result<()> {
    let firefox = need::firefox()?;
    page::build()?;
    run(&mut cargo(&["build", "--quiet", "--package", "corun"]))?;
    run(npm(&["run", "--silent", "test:firefox"]).env("FIREFOX_PATH", firefox).env("CORUN", target_dir().join("debug/corun")))
}

/// The job file of examples/cluster on a real server, where Python and PyPI give one; elsewhere cli/tests/sweep.rs has to do.
fn hyperqueue(count: &mut Count) -> Result<()> {
    let venv = target_dir().join("hyperqueue");
    let python = venv.join("bin/python");
    let install = || -> Result<()> {
        run(Command::new("python3").args(["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]))?;
        run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", HYPERQUEUE]))
    };
    if !python.exists()
        && let Err(error) = install()
    {
        // Half an environment must not be taken for one the next time.
        let _ = std::fs::remove_dir_all(&venv);
        println!("Left out: {HYPERQUEUE} from PyPI and Python 3.11 are needed ({error:#})");
        return Ok(());
    }
    run(&mut cargo(&["build", "--quiet", "--package", "corun"]))?;
    let mut path = vec![target_dir().join("debug")];
    path.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
    let mut sweep = Command::new(&python);
    sweep.current_dir(root()).args(["examples/cluster/try_hyperqueue.py", "examples/sweeps/bandwidth.json"]);
    run(sweep.env("PATH", std::env::join_paths(path)?).stderr(Stdio::null()))?;
    count.passed += 1;
    Ok(())
}

/// Malformed and odd experiments, for `seconds`.
pub fn fuzz(seconds: u64, seed: u64) -> Result<()> {
    let mut command = cargo(&["run", "--quiet", "--package", "corun-tools", "--bin", "fuzz", "--"]);
    run(command.args([seconds.to_string(), seed.to_string()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_that_changes_goldens_says_so() {
        assert!(says_golden("ab12 Golden digests: stores leave sooner\n") && says_golden("ab12 X\n\nAll digests move.\n"));
        assert!(!says_golden("ab12 Tidy up\n") && !says_golden(""));
    }

    #[test]
    fn counts_what_the_tools_print() {
        assert_eq!(counts("test result: ok. 12 passed; 1 failed; 0 ignored; 0 measured"), Some((12, 1)));
        assert_eq!(counts("ℹ pass 7"), Some((7, 0)));
        assert_eq!(counts("# fail 2"), Some((0, 2)));
        assert_eq!(counts("  5 passed (3.7s)"), Some((5, 0)));
        assert_eq!(counts("  1 failed"), Some((0, 1)));
        assert_eq!(counts("nothing passed here"), None);
        assert_eq!(counts(""), None);
    }
}
