//! The WebAssembly module: cargo builds it, wasm-bindgen writes its JavaScript, both at the versions in Cargo.lock.

use crate::need;
use crate::run::{cargo, root, run, target_dir};
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const TARGET: &str = "wasm32-unknown-unknown";

/// The page's modules, by the name of their files, with the package and the features of each. The page fetches the second only where an experiment has a
/// script, and the third where a trace is dropped on it. The first two share all crates but the core and the module itself.
pub const MODULES: [(&str, &str, &[&str]); 3] =
    [("corun", ENGINE, &[]), ("corun_script", ENGINE, &["--features", "script"]), (IMPORT, "corun-import", &[])];

/// The package that the engine is built from.
const ENGINE: &str = "corun-wasm";

/// The module that reads traces.
pub const IMPORT: &str = "corun_import";

/// Where the page has them.
pub fn place() -> PathBuf {
    root().join("web/src/wasm")
}

/// How a module is compiled.
#[derive(Clone, Copy, Debug)]
pub enum Built {
    /// Soon: for `serve`.
    Quickly,
    /// Optimised as a whole: for whoever gets the page.
    ToShip,
}

impl Built {
    fn profile(self) -> &'static str {
        match self {
            Built::Quickly => "quick",
            Built::ToShip => "release",
        }
    }

    /// The module that cargo leaves of a package in the folder `target`.
    fn module(self, target: &Path, package: &str) -> PathBuf {
        let file = if package == ENGINE { "corun" } else { IMPORT };
        target.join(TARGET).join(self.profile()).join(file).with_extension("wasm")
    }
}

/// Builds one of `MODULES` for the page.
pub fn build(name: &str, built: Built) -> Result<()> {
    build_into(name, built, &root(), &target_dir(), &place())?;
    let file = place().join(format!("{name}_bg.wasm"));
    eprintln!("web/src/wasm/{name}_bg.wasm: {} KB", std::fs::metadata(file)?.len() / 1000);
    Ok(())
}

/// Builds a module of the tree at `tree`, where cargo uses `target`, into the folder `out`.
pub fn build_into(name: &str, built: Built, tree: &Path, target: &Path, out: &Path) -> Result<()> {
    let (package, features) = MODULES.iter().find(|module| module.0 == name).map_or((ENGINE, &[][..]), |module| (module.1, module.2));
    // Of a crate that is also a Rust library, nothing is optimised as a whole: here it is a module alone.
    let mut command = cargo(&["rustc", "--package", package, "--lib", "--crate-type", "cdylib", "--target", TARGET]);
    run(command.args(["--profile", built.profile()]).args(features).current_dir(tree).env("CARGO_TARGET_DIR", target))?;
    let tool = tool(built)?;
    bind(&tool, name, &built.module(target, package), out)
}

/// The package that writes a module's JavaScript.
pub const TOOL: &str = "bindings";

/// Builds it: with the profile of a module that is built quickly, to share what both need; else as tests do.
pub fn tool(built: Built) -> Result<PathBuf> {
    let (profile, folder) = match built {
        Built::Quickly => (built.profile(), built.profile()),
        Built::ToShip => ("dev", "debug"),
    };
    run(&mut cargo(&["build", "--quiet", "--package", TOOL, "--profile", profile]))?;
    Ok(target_dir().join(folder).join(TOOL))
}

/// Puts the plain module, as `serve` has built it, where the one that runs scripts will be.
pub fn stand_in() -> Result<()> {
    bind(&tool(Built::Quickly)?, "corun_script", &Built::Quickly.module(&target_dir(), ENGINE), &place())
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
