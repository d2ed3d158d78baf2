//! The WebAssembly module: cargo builds it, wasm-bindgen writes its JavaScript, both at the versions in Cargo.lock.

use crate::need;
use crate::run::{cargo, root, run, target_dir};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use wasm_bindgen_cli_support::Bindgen;

pub const TARGET: &str = "wasm32-unknown-unknown";

/// The page's modules, by the name of their files, with the features of each: the page fetches the second only where an experiment has a script.
/// They share all crates but the core and the module itself.
pub const MODULES: [(&str, &[&str]); 2] = [("corun", &[]), ("corun_script", &["--features", "script"])];

/// Where the page has them.
pub fn place() -> PathBuf {
    root().join("web/src/wasm")
}

/// Builds one of `MODULES`, optimised as a whole, for the page.
pub fn build(name: &str) -> Result<()> {
    build_into(name, &root(), &target_dir(), &place())?;
    let file = place().join(format!("{name}_bg.wasm"));
    eprintln!("web/src/wasm/{name}_bg.wasm: {} KB", std::fs::metadata(file)?.len() / 1000);
    Ok(())
}

/// Builds a module of the tree at `tree`, where cargo uses `target`, into the folder `out`.
pub fn build_into(name: &str, tree: &Path, target: &Path, out: &Path) -> Result<()> {
    let features = MODULES.iter().find(|module| module.0 == name).map_or(&[][..], |module| module.1);
    let mut command = cargo(&["build", "--package", "corun-wasm", "--lib", "--target", TARGET, "--release"]);
    run(command.args(features).current_dir(tree).env("CARGO_TARGET_DIR", target))?;
    bind(name, &target.join(TARGET).join("release/corun.wasm"), out)
}

/// Puts the plain module where the one that runs scripts will be.
pub fn stand_in() -> Result<()> {
    bind("corun_script", &target_dir().join(TARGET).join("release/corun.wasm"), &place())
}

/// Writes the JavaScript of a module that cargo has built, and the module beside it, as `name` into the folder `out`.
pub fn bind(name: &str, module: &Path, out: &Path) -> Result<()> {
    std::fs::create_dir_all(out)?;
    Bindgen::new()
        .input_path(module)
        .out_name(name)
        .web(true)?
        .typescript(true)
        .remove_name_section(true)
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

/// The command that runs a module of tests, its next argument, in `host`; `runner` is wasm-bindgen's.
pub fn tests(host: Host, runner: &Path) -> Result<Command> {
    let mut command = Command::new(runner);
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
