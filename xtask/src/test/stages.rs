//! The stages of `cargo xtask test`, as a list.

use super::compiled::{self, Built, Call};
use super::stage::{Count, Lane, Log, Stage};
use crate::run::{cargo, npm, output, quietly, root, run, said, shown, target_dir, watch};
use crate::wasm::Host;
use crate::{need, package, page, python, readme, wasm};
use anyhow::{Context, Result, anyhow, ensure};
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// What shares work out in Python: the version of HyperQueue that the job file was written for, and Dask.
const CLUSTER_PACKAGES: [&str; 2] = ["hyperqueue==0.27.0", "distributed==2026.8.0"];

/// The environment that has them.
const CLUSTER: &str = "cluster";

/// wasm-bindgen's test runner.
const RUNNER: &str = "wasm-test-runner";

/// The seed of random tests in the first tier, which gives the same answer twice.
pub const SEED: u64 = 1;

/// What the stages share.
#[derive(Debug)]
pub struct Run {
    full: bool,
    /// Whether all stages of the tier run.
    all: bool,
    seed: u64,
    native: Left,
    module: Left,
    calls: Mutex<Vec<Call>>,
    /// What only the full tier asks.
    left: Mutex<Vec<String>>,
}

impl Run {
    pub fn new(full: bool, all: bool) -> Run {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(SEED, |time| time.as_secs());
        let mut left = Vec::new();
        if !full && all {
            left.extend(STAGES.iter().filter(|stage| stage.full).map(|stage| stage.title.to_owned()));
            left.push("random machines, controls and schemes with a fresh seed".to_owned());
            left.push("every end-to-end test, on the modules as they are shipped".to_owned());
            left.push("benchmarks, under Clippy".to_owned());
        }
        Run {
            full,
            all,
            seed: if full { now } else { SEED },
            native: OnceLock::new(),
            module: OnceLock::new(),
            calls: Mutex::new(Vec::new()),
            left: Mutex::new(left),
        }
    }

    /// The calls of the compiler, and what only the full tier asks.
    pub fn into_parts(self) -> (Vec<Call>, Vec<String>) {
        (self.calls.into_inner().unwrap_or_else(PoisonError::into_inner), self.left.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn build(&self, log: &Log, command: &mut Command) -> Result<Vec<Built>> {
        compiled::build(log, command, &mut self.calls.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The runner that the tests of the page and the README are held against.
    fn corun(&self) -> Result<PathBuf> {
        program(&self.native, "corun")
    }
}

/// What a build has left, once it has run.
type Left = OnceLock<Vec<Built>>;

/// Keeps what a build has left.
fn keep(left: &Left, built: Vec<Built>) -> Result<()> {
    left.set(built).map_err(|_| anyhow!("built twice"))
}

/// The test harnesses that a build has left.
fn harnesses(left: &Left) -> impl Iterator<Item = &Built> {
    left.get().into_iter().flatten().filter(|built| built.test)
}

/// A program, or a module, that a build has left.
fn program(left: &Left, name: &str) -> Result<PathBuf> {
    let found = left.get().into_iter().flatten().find(|built| built.name == name && !built.test);
    Ok(found.with_context(|| format!("the build left no {name}"))?.file.clone())
}

pub const STAGES: &[Stage<Run>] = &[
    Stage { name: "packages", title: "packages of the page, browsers", lane: Lane::Fetch, full: false, after: &[], work: packages },
    Stage { name: "format", title: "formatting, goldens and their commit", lane: Lane::Build, full: false, after: &[], work: formatting },
    Stage { name: "build", title: "build and lint, native", lane: Lane::Build, full: false, after: &[], work: native_build },
    Stage { name: "module", title: "build and lint, WebAssembly", lane: Lane::Build, full: false, after: &[], work: module_build },
    Stage { name: "no-std", title: "the core needs no std", lane: Lane::Build, full: false, after: &[], work: no_std },
    Stage { name: "docs", title: "documentation without warnings", lane: Lane::Build, full: true, after: &["build"], work: docs },
    Stage {
        name: "page",
        title: "the page: lint, types, build",
        lane: Lane::Build,
        full: false,
        after: &["packages", "module", "build"],
        work: page_build,
    },
    Stage { name: "words", title: "sentences and links of the docs", lane: Lane::Test, full: false, after: &["build"], work: docs_words },
    Stage { name: "native", title: "native tests", lane: Lane::Test, full: false, after: &["build"], work: native },
    Stage {
        name: "numbers",
        title: "steps and numbers of README and lessons",
        lane: Lane::Test,
        full: false,
        after: &["build"],
        work: numbers,
    },
    Stage {
        name: "node",
        title: "module in Node",
        lane: Lane::OneCore,
        full: false,
        after: &["module", "build"],
        work: |run, log, count| in_host(run, log, count, Host::Node),
    },
    Stage {
        name: "chromium",
        title: "module in Chromium",
        lane: Lane::OneCore,
        // In the first tier the page's own workers run it, end to end.
        full: true,
        after: &["packages", "module", "build"],
        work: |run, log, count| in_host(run, log, count, Host::Window),
    },
    Stage {
        name: "worker",
        title: "module in a Chromium worker",
        lane: Lane::OneCore,
        full: true,
        after: &["packages", "module", "build"],
        work: |run, log, count| in_host(run, log, count, Host::Worker),
    },
    Stage { name: "units", title: "the page's unit tests", lane: Lane::OneCore, full: false, after: &["page"], work: units },
    Stage {
        name: "e2e",
        title: "the page in Chromium, end to end",
        lane: Lane::Test,
        full: false,
        after: &["page", "build"],
        work: end_to_end,
    },
    Stage { name: "firefox", title: "every page in Firefox", lane: Lane::Test, full: true, after: &["page", "build"], work: firefox },
    Stage {
        name: "fuzz",
        title: "malformed and odd experiments, half a minute",
        lane: Lane::OneCore,
        full: true,
        after: &["build"],
        work: fuzz,
    },
    Stage { name: "library", title: "the engine from a crate outside", lane: Lane::Test, full: true, after: &["build"], work: library },
    Stage {
        name: "package",
        title: "the npm package, installed and run",
        lane: Lane::Test,
        full: true,
        // The page has built the module.
        after: &["page", "build"],
        work: |run, log, count| package::package().and_then(|()| package::check(&run.corun()?, log, count)),
    },
    Stage {
        name: "cluster",
        title: "sweeps on HyperQueue and on Slurm",
        lane: Lane::OneCore,
        full: true,
        after: &["build"],
        work: |run, log, count| hyperqueue(run, log, count).and_then(|()| slurm(run, log, count)),
    },
    Stage {
        name: "others",
        title: "the how-tos that need a program of others",
        lane: Lane::OneCore,
        full: true,
        // It has installed Dask.
        after: &["build", "cluster"],
        work: with_others,
    },
    Stage {
        name: "python",
        title: "the Python wheel, installed and run",
        lane: Lane::OneCore,
        full: true,
        // It has the widget of the package, which comes late: it is the last of its lane.
        after: &["package", "build"],
        work: wheel,
    },
    Stage {
        name: "readme",
        title: "the README's commands as they stand",
        lane: Lane::Test,
        full: true,
        after: &["page"],
        work: |_, _, count| readme::commands(count),
    },
];

fn packages(_: &Run, _: &Log, _: &mut Count) -> Result<()> {
    need::chromium()?;
    need::packages()
}

fn formatting(_: &Run, log: &Log, _: &mut Count) -> Result<()> {
    quietly(&mut cargo(&["fmt", "--all", "--check"]))?;
    // `cargo fmt` finds modules by their `mod`: not those that a macro declares, such as the L1D's protocols.
    let mut core = page::files(&root().join("sim-core/src"))?;
    core.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    let examples =
        page::files(&root().join("examples"))?.into_iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs"));
    quietly(Command::new("rustfmt").current_dir(root()).args(["--check", "--edition", "2024"]).args(core).args(examples))?;
    goldens(log)
}

fn docs_words(run: &Run, _: &Log, _: &mut Count) -> Result<()> {
    quietly(&mut Command::new(program(&run.native, "words")?))
}

/// A golden is a promise about results: the commit that changed one last must say so. One that only adds another breaks no promise.
fn goldens(log: &Log) -> Result<()> {
    let git = |args: &[&str]| output(Command::new("git").current_dir(root()).args(args));
    if git(&["rev-parse", "--is-shallow-repository"]).as_deref().map(str::trim) != Some("false") {
        log.say("Left out: there is no git history here that would say which commit changed a golden");
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

/// Cargo with all that is native, wasm-bindgen's programs too: with one set of packages, features are resolved once, and calls share what they build.
/// Benchmarks, with criterion, are in the full tier.
fn all_native(run: &Run, command: &str) -> Command {
    let mut cargo = cargo(&[command, "--workspace", "--exclude", "corun-wasm", "--exclude", "corun-import", "--features", "xtask/mutants"]);
    if !run.full {
        cargo.args(["--exclude", "corun-bench"]);
    }
    cargo
}

fn native_build(run: &Run, log: &Log, _: &mut Count) -> Result<()> {
    let mut command = all_native(run, "build");
    command.args(if run.full { ["--all-targets"].as_slice() } else { &["--lib", "--bins", "--tests"] });
    keep(&run.native, run.build(log, &mut command)?)
}

/// The module with its tests, and no optimisation of the whole: the full tier tests the page's own modules.
fn module_build(run: &Run, log: &Log, _: &mut Count) -> Result<()> {
    need::wasm_target()?;
    let mut command =
        cargo(&["test", "--no-run", "--package", "corun-wasm", "--package", "corun-import", "--features", "corun-wasm/script"]);
    command.args(["--target", wasm::TARGET]);
    keep(&run.module, run.build(log, &mut command)?)
}

/// Builds the core for a target that has no std, and shows that the target would refuse a crate that uses it.
fn no_std(run: &Run, log: &Log, _: &mut Count) -> Result<()> {
    need::bare_target()?;
    let mut command = cargo(&["check", "--package", "sim-core", "--target", "wasm32v1-none"]);
    run.build(log, &mut command).context("the core does not build without std")?;
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

/// The crates that `cargo build` has by default. The tools have no reader but their own source, and their dependencies would be compiled once more for it.
fn docs(_: &Run, _: &Log, _: &mut Count) -> Result<()> {
    quietly(cargo(&["doc", "--quiet", "--no-deps", "--document-private-items"]).env("RUSTDOCFLAGS", "-D warnings"))
}

/// Native tests: every harness that the build left, each in its package's folder.
fn native(run: &Run, log: &Log, count: &mut Count) -> Result<()> {
    log.say(&format!("random tests draw from seed {}", run.seed));
    let mut failed = Vec::new();
    for built in harnesses(&run.native) {
        log.progress(built.name.clone());
        let mut command = Command::new(&built.file);
        command.current_dir(&built.package).env("CARGO_MANIFEST_DIR", &built.package).env("PROPTEST_RNG_SEED", run.seed.to_string());
        if run.full {
            command.arg("--include-ignored");
        }
        // What threads of a test write past its harness is of use only where one fails.
        let errors = target_dir().join("stderr.txt");
        command.stderr(File::create(&errors)?);
        let mut left = Vec::new();
        let ok = counted(log, &mut command, count, |line| left.extend(ignored(line)))?;
        if !ok {
            failed.push(built.name.as_str());
            log.say(&std::fs::read_to_string(&errors)?);
        }
        if run.all {
            run.left.lock().unwrap_or_else(PoisonError::into_inner).extend(left);
        }
    }
    ensure!(failed.is_empty(), "tests fail in {}", failed.join(", "));
    ensure!(count.passed > 0, "no test ran");
    Ok(())
}

/// The question of a test that only the full tier asks, from the line in which its harness leaves it out.
fn ignored(line: &str) -> Option<String> {
    line.strip_prefix("test ")?.split_once("... ignored, full: ").map(|(_, question)| question.to_owned())
}

/// Runs a program that runs tests; shows what is not simply passed, and counts. Says whether it ended well.
fn counted(log: &Log, command: &mut Command, count: &mut Count, mut each: impl FnMut(&str)) -> Result<bool> {
    watch(command, |line| {
        if let Some((passed, failed)) = counts(line) {
            count.passed += passed;
            count.failed += failed;
        }
        each(line);
        if !is_passed(line) {
            log.say(line);
        }
    })
}

/// Runs a program that runs tests, counts them, and fails with it. A run without a single test is a failure too.
fn tested(log: &Log, command: &mut Command, count: &mut Count) -> Result<()> {
    let before = *count;
    let ok = counted(log, command, count, |_| ())?;
    ensure!(ok, "{} failed", shown(command));
    ensure!(count.passed > before.passed, "{} ran no test", shown(command));
    Ok(())
}

/// Whether a line only says that one test has passed or is left out, or nothing.
fn is_passed(line: &str) -> bool {
    let line = line.trim_start();
    let cargo = line.starts_with("test ") && (line.ends_with("... ok") || line.contains("... ignored"));
    let empty = line.is_empty() || line.starts_with("running ") || line.starts_with("test result: ok. 0 passed");
    cargo || empty || line.starts_with('✔') || line.starts_with('✓')
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

/// Follows the README, the tutorial and the how-tos, and holds every number of theirs against what they run.
fn numbers(run: &Run, log: &Log, count: &mut Count) -> Result<()> {
    tested(log, Command::new(program(&run.native, "numbers")?).arg(run.corun()?).arg(target_dir().join("lessons")), count)
}

fn in_host(run: &Run, log: &Log, count: &mut Count, host: Host) -> Result<()> {
    let runner = program(&run.native, RUNNER)?;
    for built in harnesses(&run.module) {
        let mut command = wasm::tests(host, &runner)?;
        tested(log, command.arg(&built.file).current_dir(&built.package), count)?;
    }
    Ok(())
}

/// The page as it is tested: with the modules of the tests, of which one is two of its modules, or, in the full tier, with its own.
fn page_build(run: &Run, log: &Log, _: &mut Count) -> Result<()> {
    need::packages()?;
    quietly(&mut npm(&["run", "--silent", "lint"]))?;
    if run.full {
        log.progress("the modules as they are shipped".to_owned());
        wasm::MODULES.iter().try_for_each(|module| wasm::build(module.0, wasm::Built::ToShip))?;
    } else {
        let (tool, engine, import) =
            (program(&run.native, wasm::TOOL)?, program(&run.module, "corun")?, program(&run.module, wasm::IMPORT)?);
        let built = |name: &str| if name == wasm::IMPORT { &import } else { &engine };
        wasm::MODULES.iter().try_for_each(|(name, _, _)| wasm::bind(&tool, name, built(name), &wasm::place()))?;
    }
    // The page is checked against the declarations of the real module.
    quietly(npm(&["run", "--silent", "build"]).arg("--").arg("--logLevel=warn"))
}

fn units(_: &Run, log: &Log, count: &mut Count) -> Result<()> {
    tested(log, &mut npm(&["run", "--silent", "test:unit"]), count)
}

fn end_to_end(run: &Run, log: &Log, count: &mut Count) -> Result<()> {
    let mut command = npm(&["run", "--silent", "test:e2e"]);
    if !run.full {
        command.args(["--", "--grep", "@core"]);
    }
    // The page's lines of a sweep are held against the runner's.
    tested(log, command.env("CHROMIUM_PATH", need::headless()?).env("CORUN", run.corun()?).env("CI", "1"), count)
}

/// Every page in Firefox: it plays, ends like the native build, sweeps, and runs a figure again.
fn firefox(run_: &Run, _: &Log, count: &mut Count) -> Result<()> {
    run(npm(&["run", "--silent", "test:firefox"]).env("FIREFOX_PATH", need::firefox()?).env("CORUN", run_.corun()?))?;
    count.passed += 1;
    Ok(())
}

fn fuzz(run_: &Run, _: &Log, count: &mut Count) -> Result<()> {
    run(Command::new(program(&run_.native, "fuzz")?).args(["30", &run_.seed.to_string()]))?;
    count.passed += 1;
    Ok(())
}

/// The engine as others have it: its docs' examples, the programs of `examples/`, and its package.
fn library(run: &Run, log: &Log, count: &mut Count) -> Result<()> {
    // Clippy's driver has compiled the crates: with another compiler cargo would do so again.
    quietly(all_native(run, "test").args(["--quiet", "--doc"]).env("RUSTC_WORKSPACE_WRAPPER", compiled::clippy_driver()?))?;
    count.passed += 1;
    let examples = run.build(log, all_native(run, "build").arg("--examples"))?;
    let programs: Vec<&Built> = examples.iter().filter(|built| built.package == root()).collect();
    ensure!(programs.len() >= 4, "only {} programs in examples/", programs.len());
    for Built { name, file, .. } in programs {
        let said = said(&mut Command::new(file)).with_context(|| format!("examples/{name}.rs"))?;
        ensure!(said.lines().count() > 1, "examples/{name}.rs says only {said:?}");
        log.say(&format!("examples/{name}.rs: {}", said.lines().last().unwrap_or_default()));
        count.passed += 1;
    }
    let package = ["package", "--quiet", "--allow-dirty", "--package", "sim-core"];
    let files = said(cargo(&package).arg("--list"))?;
    for wanted in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
        ensure!(files.lines().any(|file| file == wanted), "sim-core's package has no {wanted}");
    }
    // Unpacked it stands in no workspace: the core compiles without optimisation, in a quarter of the time.
    quietly(cargo(&package).env("CARGO_PROFILE_DEV_DEBUG", "false"))?;
    count.passed += 2;
    Ok(())
}

/// A Python's environment, or nothing where Python or PyPI is missing: what needs it is left out, and the log says so.
fn unless_left_out(log: &Log, environment: Result<PathBuf>) -> Option<PathBuf> {
    environment.inspect_err(|error| log.say(&format!("Left out, for want of Python's packages: {error:#}"))).ok()
}

/// The Python wheel, where Python and PyPI have what builds one.
fn wheel(run: &Run, log: &Log, count: &mut Count) -> Result<()> {
    let Some(tools) = unless_left_out(log, python::tools()) else { return Ok(()) };
    python::check(&tools, &run.corun()?, count)
}

/// What the how-tos do with programs of others; one that is not here is left out.
fn with_others(run: &Run, log: &Log, count: &mut Count) -> Result<()> {
    let folders = run.corun()?.parent().map(PathBuf::from).into_iter().chain([target_dir().join(CLUSTER).join("bin")]).collect();
    for program in readme::with_others(folders, count)? {
        log.say(&format!("Left out: what needs `{program}`"));
    }
    Ok(())
}

/// The job file of examples/cluster on a real server, where Python and PyPI give one; elsewhere the runner's own tests have to do.
fn hyperqueue(run_: &Run, log: &Log, count: &mut Count) -> Result<()> {
    let Some(python) = unless_left_out(log, python::environment(CLUSTER, &CLUSTER_PACKAGES)) else { return Ok(()) };
    shared_out(run_, Command::new(&python).arg("examples/cluster/try_hyperqueue.py"), count)
}

/// The array of examples/cluster on a Slurm of this machine alone, where one can be installed.
fn slurm(run_: &Run, log: &Log, count: &mut Count) -> Result<()> {
    if let Err(error) = need::slurm() {
        log.say(&format!("Left out: a sweep on Slurm ({error:#})"));
        return Ok(());
    }
    shared_out(run_, Command::new("python3").arg("examples/cluster/try_slurm.py"), count)
}

/// A script of examples/cluster, with a sweep and with the runner on its path.
fn shared_out(run_: &Run, script: &mut Command, count: &mut Count) -> Result<()> {
    let mut path: Vec<PathBuf> = run_.corun()?.parent().map(PathBuf::from).into_iter().collect();
    path.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
    script.current_dir(root()).arg("examples/sweeps/bandwidth.json").env("PATH", std::env::join_paths(path)?);
    run(script.stderr(Stdio::null()))?;
    count.passed += 1;
    Ok(())
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

    #[test]
    fn what_passes_is_not_shown_and_what_fails_is() {
        for passed in [
            "test a::b ... ok",
            "test a ... ignored, full: is it?",
            "  ✓  3 a.spec.ts:1:1 › a (1.0s)",
            "✔ a (1.0ms)",
            "",
            "running 3 tests",
        ] {
            assert!(is_passed(passed), "{passed:?}");
        }
        for shown in
            ["test a ... FAILED", "  ✘  3 a.spec.ts:1:1 › a (1.0s)", "✖ a", "panicked at", "test result: FAILED. 0 passed; 1 failed;"]
        {
            assert!(!is_passed(shown), "{shown:?}");
        }
        assert_eq!(ignored("test a::b ... ignored, full: is it so?"), Some("is it so?".into()));
        assert_eq!(ignored("test a::b ... ok"), None);
    }

    #[test]
    fn no_stage_of_the_first_tier_waits_for_one_of_the_full() {
        for stage in STAGES.iter().filter(|stage| !stage.full) {
            let full = |name: &str| STAGES.iter().any(|other| other.name == name && other.full);
            assert!(!stage.after.iter().any(|name| full(name)), "{}", stage.name);
        }
    }
}
