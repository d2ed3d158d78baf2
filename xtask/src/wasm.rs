//! The WebAssembly module: cargo builds it, wasm-bindgen writes its JavaScript, both at the versions in Cargo.lock.

use crate::need;
use crate::run::{cargo, root, run, target_dir};
use anyhow::{Result, anyhow};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

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
    // The last crate of the module keeps one core busy: what writes its JavaScript compiles beside it.
    let tool = thread::spawn(tool);
    run(command.args(features).current_dir(tree).env("CARGO_TARGET_DIR", target))?;
    let tool = tool.join().map_err(|_| anyhow!("the build of {TOOL} panicked"))??;
    bind(&tool, name, &target.join(TARGET).join("release/corun.wasm"), out)
}

/// The package that writes a module's JavaScript.
pub const TOOL: &str = "bindings";

/// Builds it.
pub fn tool() -> Result<PathBuf> {
    run(&mut cargo(&["build", "--quiet", "--package", TOOL]))?;
    Ok(target_dir().join("debug").join(TOOL))
}

/// Puts the plain module where the one that runs scripts will be.
pub fn stand_in() -> Result<()> {
    bind(&tool()?, "corun_script", &target_dir().join(TARGET).join("release/corun.wasm"), &place())
}

/// Writes the JavaScript of a module that cargo has built, and the module beside it, as `name` into the folder `out`.
pub fn bind(tool: &Path, name: &str, module: &Path, out: &Path) -> Result<()> {
    run(Command::new(tool).args([module.as_os_str(), name.as_ref(), out.as_os_str()]))
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
    command.env("WASM_BINDGEN_TEST_TIMEOUT", "600");
    Ok(command)
}
