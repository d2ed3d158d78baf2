//! The WebAssembly module: cargo builds it, wasm-bindgen writes its JavaScript, both at the versions in Cargo.lock.

use crate::need;
use crate::run::{cargo, root, run, target_dir};
use anyhow::{Context, Result, anyhow};
use std::path::{Path, PathBuf};
use std::process::Command;
use wasm_bindgen_cli_support::Bindgen;

const TARGET: &str = "wasm32-unknown-unknown";

/// Builds both modules into web/src/wasm, side by side: optimising either takes one core most of the time. Cargo says how far it is.
pub fn build(release: bool) -> Result<()> {
    let out = root().join("web/src/wasm");
    std::thread::scope(|scope| {
        let plain = scope.spawn(|| build_into(&root(), &target_dir(), release, &out));
        // The same with the interpreter of scripts: the page fetches it only where an experiment has one.
        build_as("corun_script", &["--features", "script"], &root(), &scripts_target(), release, &out)?;
        plain.join().map_err(|_| anyhow!("the build of the module panicked"))?
    })?;
    let size = |file: &str| Ok::<_, std::io::Error>(std::fs::metadata(out.join(file))?.len() / 1000);
    eprintln!(
        "web/src/wasm: the module has {} KB, the one that also runs scripts {} KB",
        size("corun_bg.wasm")?,
        size("corun_script_bg.wasm")?
    );
    Ok(())
}

/// Where cargo builds what runs scripts in WebAssembly: two cargos in one folder would wait for each other.
fn scripts_target() -> PathBuf {
    target_dir().join("scripts")
}

/// Builds the module of the tree at `tree`, where cargo uses `target`, into the folder `out`.
pub fn build_into(tree: &Path, target: &Path, release: bool, out: &Path) -> Result<()> {
    build_as("corun", &[], tree, target, release, out)
}

fn build_as(name: &str, features: &[&str], tree: &Path, target: &Path, release: bool, out: &Path) -> Result<()> {
    let mut command = cargo(&["build", "--package", "corun-wasm", "--lib", "--target", TARGET]);
    command.args(features).current_dir(tree).env("CARGO_TARGET_DIR", target);
    if release {
        command.arg("--release");
    }
    run(&mut command)?;
    std::fs::create_dir_all(out)?;
    Bindgen::new()
        .input_path(target.join(TARGET).join(if release { "release" } else { "debug" }).join("corun.wasm"))
        .out_name(name)
        .web(true)?
        .typescript(true)
        .remove_name_section(release)
        .remove_producers_section(true)
        .generate(out)
        .context("wasm-bindgen")
}

/// Where the module's tests run.
#[derive(Clone, Copy, Debug)]
pub enum Host {
    Node,
    Window,
    Worker,
}

/// The command that runs the module's tests in `host`.
pub fn tests(host: Host) -> Result<Command> {
    need::wasm_target()?;
    // Not --quiet: cargo hands that on to the runner, which does not know it.
    let mut command = cargo(&["test", "--package", "corun-wasm", "--tests", "--features", "script", "--target", TARGET, "--release"]);
    command.env("CARGO_TARGET_DIR", scripts_target());
    // Built here, so that cargo does not start a second cargo for it.
    run(&mut cargo(&[
        "build",
        "--quiet",
        "--profile",
        "xtask",
        "--package",
        "xtask",
        "--features",
        "runner",
        "--bin",
        "wasm-test-runner",
    ]))?;
    command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", target_dir().join("xtask/wasm-test-runner"));
    match host {
        Host::Node => need::node()?,
        Host::Window => {
            command.env("WASM_BINDGEN_USE_BROWSER", "1");
        }
        Host::Worker => {
            command.env("WASM_BINDGEN_USE_DEDICATED_WORKER", "1");
        }
    }
    if !matches!(host, Host::Node) {
        let chromium = need::chromium()?;
        let settings = std::fs::read_to_string(root().join("webdriver.json"))?;
        let binary = format!("\"goog:chromeOptions\": {{\n    \"binary\": {chromium:?},");
        let file = target_dir().join("webdriver.json");
        std::fs::write(&file, settings.replace("\"goog:chromeOptions\": {", &binary))?;
        command.env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", file);
    }
    command.env("WASM_BINDGEN_TEST_TIMEOUT", "120");
    Ok(command)
}
