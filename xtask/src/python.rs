//! The Python wheel: the runner with the functions of python/ around it, and the widget of the npm package.

use crate::page::files;
use crate::run::{cargo, root, run, said, target_dir};
use crate::test::Count;
use crate::{package, readme};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What builds the wheel, as python/pyproject.toml has it.
const BUILDER: &str = "hatchling==1.33.0";

/// What the how-to's programs need beside the wheel.
const OTHERS: [&str; 2] = ["pandas==3.1.1", "anywidget==0.11.0"];

/// The version that python/pyproject.toml has; the wheel has the workspace's.
const NO_VERSION: &str = "version = \"0.0.0\"";

/// What the wheel has of the npm package.
const OF_NPM: [&str; 2] = ["widget.mjs", "corun_script_bg.wasm"];

/// What the how-to's table holds.
const TABLE: &str = r#"
from table import table
assert list(table["axes.policy"]) == ["even"] * 2 + ["spatial"] * 2 and list(table["name"]) == ["BP", "SAD"] * 2, table
assert (table["slowdown.low"] <= table["slowdown"]).all() and (table["slowdown"] <= table["slowdown.high"]).all(), table
assert {"run.digest", "run.policy", "latency.mean", "latency.mean.low"} <= set(table.columns), list(table.columns)
"#;

/// What a host of widgets is given, and what the widget makes of the message that it sends: of each run the rows of its columns, as doubles.
const WIDGET: &str = r#"
from array import array
from math import isnan
from notebook import run
assert "render" in str(run._esm) and run.wasm[:4] == b"\0asm" and run.link, run
rows = array("d", [0, float("nan"), 400, 812.5]).tobytes()
run._handle_custom_msg({"result": {"digest": "d"}, "series": [["cycle", "latency"]]}, [memoryview(rows)])
latency = run.series[0]["latency"]
assert run.result["digest"] == "d" and isnan(latency[0]) and latency[1] == 812.5, run.series
"#;

/// The Python of an environment below target/ that has `packages`. Half an environment must not be taken for one the next time.
pub fn environment(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = target_dir().join(name);
    let python = folder.join("bin/python");
    let install = || -> Result<()> {
        if !python.is_file() {
            said(Command::new("python3").args(["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]))
                .context("Python 3.11 is needed")?;
            said(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        }
        said(pip(&python, &["install"]).args(packages)).context("PyPI is needed")?;
        Ok(())
    };
    if let Err(error) = install() {
        let _ = fs::remove_dir_all(&folder);
        return Err(error);
    }
    Ok(python)
}

fn pip(python: &Path, words: &[&str]) -> Command {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "--quiet", "--disable-pip-version-check"]).args(words);
    pip
}

/// Where the wheel is.
fn place() -> PathBuf {
    target_dir().join("python")
}

/// Builds the runner, the npm package and of them the wheel, which it returns.
pub fn python() -> Result<PathBuf> {
    run(&mut cargo(&["build", "--quiet", "--release", "--package", "corun"]))?;
    package::package()?;
    wheel(&environment("python-tools", &[BUILDER])?, &target_dir().join("release").join(RUNNER))
}

/// The runner's file.
const RUNNER: &str = if cfg!(windows) { "corun.exe" } else { "corun" };

/// Builds the wheel anew, with this runner and the npm package that is there.
fn wheel(python: &Path, corun: &Path) -> Result<PathBuf> {
    let (from, place) = (root().join("python"), place());
    let _ = fs::remove_dir_all(&place);
    let inside = place.join("corun_sim");
    fs::create_dir_all(&inside)?;
    let put = |file: &Path, to: PathBuf| fs::copy(file, to).map(drop).with_context(|| file.display().to_string());
    for file in files(&from)? {
        let name = file.strip_prefix(&from)?;
        if !name.components().any(|part| part.as_os_str() == "__pycache__") {
            put(&file, place.join(name))?;
        }
    }
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        put(&root().join(licence), place.join(licence))?;
    }
    for name in OF_NPM {
        put(&package::place().join(name), inside.join(name))?;
    }
    put(corun, inside.join(RUNNER))?;
    // Two thirds of the wheel are symbols otherwise. Windows keeps them in a file of their own.
    if cfg!(unix) {
        said(Command::new("strip").arg(inside.join(RUNNER)))?;
    }
    let about = place.join("pyproject.toml");
    let text = fs::read_to_string(&about)?;
    ensure!(text.contains(NO_VERSION) && text.contains(BUILDER), "python/pyproject.toml lacks {NO_VERSION} or {BUILDER}");
    fs::write(about, text.replace(NO_VERSION, concat!("version = \"", env!("CARGO_PKG_VERSION"), "\"")))?;
    let out = place.join("dist");
    let mut build = pip(python, &["wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir"]);
    said(build.arg(&out).arg(&place)).context("the wheel did not build")?;
    let mut wheels = files(&out)?;
    ensure!(wheels.len() == 1, "{} has {} wheels", out.display(), wheels.len());
    Ok(wheels.remove(0))
}

/// What the wheel is built and tried with, or why that cannot be had.
pub fn tools() -> Result<PathBuf> {
    environment("python-tools", &[&[BUILDER], &OTHERS[..]].concat())
}

/// Builds the wheel with the runner `corun`, installs it, and follows the how-to. Runs end like those of the runner; what it says against its input is
/// an exception; a data frame has a row a kernel, with the ends of intervals; the widget has its files.
pub fn check(python: &Path, corun: &Path, count: &mut Count) -> Result<()> {
    let wheel = wheel(python, corun)?;
    said(pip(python, &["install", "--no-index", "--no-deps", "--force-reinstall"]).arg(wheel))?;
    let folder = place().join("how-to");
    fs::create_dir_all(&folder)?;
    readme::write_files(&fs::read_to_string(root().join("docs/how-to/use-from-python.md"))?, &folder)?;
    let here = |args: &[&str]| said(Command::new(python).args(args).current_dir(&folder));

    let native: Value = serde_json::from_str(&said(Command::new(corun).args(["run", "bp-cfd-even", "--cycles", "20k", "--json"]))?)?;
    let native = native["digest"].as_str().context("the runner prints no digest")?;
    let pair = here(&["pair.py"])?;
    ensure!(pair.lines().last() == Some(native), "Python does not end with the runner's digest {native}:\n{pair}");
    count.passed += 1;

    let mistake = here(&["mistake.py"])?;
    ensure!(mistake.starts_with("kernels[1]: found"), "a bad experiment is not named by its path:\n{mistake}");
    count.passed += 1;

    here(&["-c", TABLE]).context("a data frame has not what the how-to says")?;
    here(&["-c", WIDGET]).context("the widget lacks something")?;
    count.passed += 2;
    Ok(())
}
