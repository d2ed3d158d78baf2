//! An engine that is measured: the present tree's, or that of a commit, built beside it under target/against.

use super::number;
use crate::run::{cargo, fed, output, root, run, shown, target_dir};
use crate::wasm;
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What measures the engine natively.
const HARNESS: &str = "xtask/tools/speed.rs";
/// Where a commit's engine is built with the present one, if that compiles: every commit's root package has its examples there.
const ITS_PLACE: &str = "examples/speed.rs";

/// The programs of an engine.
#[derive(Debug)]
pub struct Engine {
    /// The commit.
    pub commit: String,
    /// The native program: the harness, or the runner of a commit whose engine the harness does not fit.
    program: PathBuf,
    /// The folder of the module.
    pub module: PathBuf,
    /// The golden digests: engines that have the same ones declare the same behaviour.
    pub behaviour: Vec<String>,
}

/// What an engine answers to a run: its figures, or what it says against the run.
pub type Answer = Result<Value, String>;

impl Engine {
    /// The present tree's; `native` and `module` say what of it is needed.
    pub fn present(native: bool, module: bool) -> Result<Engine> {
        if native {
            eprintln!("Building the native program …");
            run(&mut cargo(&["build", "--quiet", "--release", "--package", "corun-tools", "--bin", "speed"]))?;
        }
        if module {
            wasm::build("corun", wasm::Built::ToShip)?;
        }
        Ok(Engine {
            commit: super::commit(),
            program: target_dir().join("release/speed"),
            module: root().join("web/src/wasm"),
            behaviour: behaviour(&root())?,
        })
    }

    /// That of `commit`, anything that `git rev-parse` takes. What is built once is kept in target/against, a folder for each commit.
    pub fn of(commit: &str, native: bool, module: bool) -> Result<Engine> {
        let hash = resolve(commit)?;
        let all = fs::canonicalize(target_dir()).context("the target folder is not there")?.join("against");
        let kept = all.join(&hash);
        fs::create_dir_all(&kept)?;
        let tools = output(Command::new("rustc").current_dir(root()).arg("--version")).unwrap_or_default();
        let stamp = format!("{tools}\n{}", fs::read_to_string(root().join(HARNESS))?);
        if fs::read_to_string(kept.join("stamp")).ok().as_deref() != Some(&stamp) {
            fs::remove_dir_all(&kept)?;
            fs::create_dir_all(&kept)?;
        }
        let lacks_native = native && !["speed", "corun"].iter().any(|name| kept.join(name).exists());
        let lacks_module = module && !kept.join("corun_bg.wasm").exists();
        if lacks_native || lacks_module || !kept.join("digests.json").exists() {
            let tree = Tree::check_out(&all.join("tree"), &hash)?;
            let build = all.join("build");
            fs::copy(tree.0.join(GOLDENS), kept.join("digests.json")).with_context(|| format!("{commit} has no {GOLDENS}"))?;
            if lacks_native {
                native_program(&tree.0, &build, &kept).with_context(|| format!("{commit} does not build"))?;
            }
            if lacks_module {
                eprintln!("Building the module of {commit} …");
                let why = "cannot be made; `--host native` leaves it out";
                wasm::build_into("corun", wasm::Built::ToShip, &tree.0, &build, &kept)
                    .with_context(|| format!("the module of {commit} {why}"))?;
            }
            fs::write(kept.join("stamp"), stamp)?;
        }
        let program = if kept.join("speed").exists() { kept.join("speed") } else { kept.join("corun") };
        Ok(Engine { commit: hash[..10].to_owned(), program, behaviour: digests(&kept.join("digests.json"))?, module: kept })
    }

    /// The native program as words, and what it reads, for one run; `bare`: with nothing before and after that.
    pub fn native(&self, run: &Value, bare: bool) -> (Vec<OsString>, String) {
        let mut words: Vec<OsString> = vec![self.program.clone().into()];
        if self.is_runner() {
            words.extend(["run", "-", "--json", "--cycles", &run["cycles"].to_string()].map(OsString::from));
            let mut experiment = run["experiment"].clone();
            // By itself it would run each kernel alone too.
            experiment["alone"] = false.into();
            return (words, experiment.to_string());
        }
        words.extend(bare.then(|| "--bare".into()));
        (words, run.to_string())
    }

    /// Whether the commit's own runner is measured, because the present harness does not fit its engine.
    pub fn is_runner(&self) -> bool {
        self.program.ends_with("corun")
    }

    /// One run, in a process of its own.
    pub fn measure(&self, run: &Value) -> Result<Answer> {
        let (words, input) = self.native(run, false);
        let out = fed(&words, &input)?;
        if !out.status.success() {
            return Ok(Err(String::from_utf8_lossy(&out.stderr).trim().to_owned()));
        }
        let line: Value = serde_json::from_slice(&out.stdout).with_context(|| format!("{} printed no JSON", self.program.display()))?;
        Ok(Ok(if self.is_runner() { of_runner(run, &line) } else { line }))
    }
}

/// The harness's line, from a result of `corun run --json`. The runner does not say what it holds.
fn of_runner(run: &Value, result: &Value) -> Value {
    let kernels = result["kernels"].as_array().map_or(&[][..], Vec::as_slice);
    let instructions: f64 = kernels.iter().map(|kernel| number(&kernel["warp_instructions"])).sum();
    json!({ "name": run["name"], "cycles": result["cycles"], "warp_instructions": instructions as u64, "seconds": result["wall_seconds"],
        "digest": result["digest"] })
}

/// The full hash of a commit.
fn resolve(commit: &str) -> Result<String> {
    ensure!(!commit.starts_with('-'), "--against: found {commit:?}, want a commit");
    let git = |args: &[&str]| output(Command::new("git").current_dir(root()).args(args));
    if git(&["rev-parse", "--git-dir"]).is_none() {
        bail!("--against needs git and its history: {} is no git checkout", root().display());
    }
    git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{commit}^{{commit}}")])
        .with_context(|| format!("--against: found {commit:?}, want a commit that `git rev-parse` knows"))
}

const GOLDENS: &str = "tests/golden/digests.json";

/// What the engine of a tree declares as its behaviour.
fn behaviour(tree: &Path) -> Result<Vec<String>> {
    digests(&tree.join(GOLDENS))
}

fn digests(file: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    Ok(text.lines().filter(|line| line.contains("\"digest\"")).map(|line| line.trim().to_owned()).collect())
}

/// A commit's files, gone again when this is.
struct Tree(PathBuf);

impl Tree {
    fn check_out(place: &Path, hash: &str) -> Result<Tree> {
        let tree = Tree(place.to_owned());
        // One that an interrupted command left.
        tree.remove();
        run(Command::new("git").current_dir(root()).args(["worktree", "add", "--quiet", "--force", "--detach"]).arg(place).arg(hash))?;
        Ok(tree)
    }

    fn remove(&self) {
        output(Command::new("git").current_dir(root()).args(["worktree", "remove", "--force"]).arg(&self.0));
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Builds the present harness on the engine in `tree`, or, if that does not fit, the runner in it.
fn native_program(tree: &Path, build: &Path, kept: &Path) -> Result<()> {
    let cargo = |args: &[&str]| {
        let mut command = cargo(args);
        command.current_dir(tree).env("CARGO_TARGET_DIR", build);
        command
    };
    eprintln!("Building the native program on that engine …");
    let place = tree.join(ITS_PLACE);
    fs::copy(root().join(HARNESS), &place).with_context(|| format!("{HARNESS} has no place there: {}", place.display()))?;
    let mut harness = cargo(&["build", "--quiet", "--release", "--example", "speed"]);
    if output(&mut harness).is_some() {
        fs::copy(build.join("release/examples/speed"), kept.join("speed"))?;
        return Ok(());
    }
    eprintln!("The present {HARNESS} does not fit it ({} fails): building its runner …", shown(&harness));
    run(&mut cargo(&["build", "--quiet", "--release"]))?;
    fs::copy(build.join("release/corun"), kept.join("corun"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_commit_is_named() {
        for bad in ["no-such-commit", "HEAD:README.md", "--all", ""] {
            let error = resolve(bad).unwrap_err().to_string();
            assert!(error.contains(&format!("{bad:?}")) && error.contains("want a commit"), "{error}");
        }
        assert_eq!(resolve("HEAD").unwrap().len(), 40);
    }

    #[test]
    fn a_runner_is_asked_and_read_as_the_harness_is() {
        let run = json!({ "name": "a", "cycles": 100, "experiment": { "corun": 1 } });
        let engine =
            |program: &str| Engine { commit: String::new(), program: program.into(), module: PathBuf::new(), behaviour: Vec::new() };
        let (words, input) = engine("x/corun").native(&run, true);
        assert_eq!(
            (words.join(" ".as_ref()), input.as_str()),
            ("x/corun run - --json --cycles 100".into(), r#"{"alone":false,"corun":1}"#)
        );
        let (words, input) = engine("x/speed").native(&run, true);
        assert_eq!((words.join(" ".as_ref()), input), ("x/speed --bare".into(), run.to_string()));
        let result = json!({ "cycles": 100, "wall_seconds": 0.5, "digest": "d", "kernels": [{ "warp_instructions": 3 }, { "warp_instructions": 4 }] });
        let line = of_runner(&run, &result);
        assert_eq!(line, json!({ "name": "a", "cycles": 100, "warp_instructions": 7, "seconds": 0.5, "digest": "d" }));
    }
}
