//! What cargo builds: the programs that come of it, and each call of the compiler.

use super::stage::Log;
use crate::run::{shown, watch};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program or a module that cargo has built.
#[derive(Clone, Debug)]
pub struct Built {
    /// The package's folder: where cargo starts its tests.
    pub package: PathBuf,
    /// The target's name.
    pub name: String,
    /// Whether it is a test harness; benchmarks are none.
    pub test: bool,
    pub file: PathBuf,
}

/// One call of the compiler: crate, kind and platform. Two that are equal had other features or another profile.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Call {
    /// The package with its version and place.
    package: String,
    name: String,
    kind: String,
    /// The target's name; empty for this machine.
    platform: String,
    test: bool,
}

impl Call {
    fn shown(&self) -> String {
        let test = if self.test { ", test" } else { "" };
        let on = if self.platform.is_empty() { String::new() } else { format!(" for {}", self.platform) };
        format!("{} ({}{test}){on}", self.name, self.kind)
    }
}

/// The crates that were compiled more than once for a platform, and how often.
pub fn repeated(calls: &[Call]) -> Vec<String> {
    let mut count: BTreeMap<&Call, usize> = BTreeMap::new();
    for call in calls {
        *count.entry(call).or_default() += 1;
    }
    count
        .into_iter()
        .filter(|&(call, times)| times > 1 && call.kind != "custom-build")
        .map(|(call, times)| format!("{} × {times}", call.shown()))
        .collect()
}

/// Runs `command`, a cargo that builds, with lints: a warning is an error. Gives what it built, fresh or not, and adds its calls of the compiler to `calls`.
///
/// Clippy's driver is a compiler: as cargo's wrapper for the workspace's own crates it lints and builds in one go, where `cargo clippy` beside a
/// build would check every dependency once more.
pub fn build(log: &Log, command: &mut Command, calls: &mut Vec<Call>) -> Result<Vec<Built>> {
    command.args(["--quiet", "--message-format", "json"]).env("RUSTC_WORKSPACE_WRAPPER", clippy_driver()?);
    let (mut built, mut warnings, mut compiled) = (Vec::new(), 0, 0);
    let ok = watch(command, |line| {
        let Ok(message) = serde_json::from_str::<Value>(line) else { return };
        match message["reason"].as_str() {
            Some("compiler-message") => {
                warnings += usize::from(message["message"]["level"] == "warning");
                log.say(message["message"]["rendered"].as_str().unwrap_or("").trim_end());
            }
            Some("compiler-artifact") => {
                if message["fresh"] == false {
                    compiled += 1;
                    log.progress(format!("{compiled} crates"));
                    calls.push(call(&message));
                }
                built.extend(programs(&message));
            }
            _ => {}
        }
    })?;
    if !ok {
        bail!("{} failed", shown(command));
    }
    if warnings > 0 {
        bail!("the compiler and Clippy have {warnings} warnings");
    }
    Ok(built)
}

fn call(message: &Value) -> Call {
    let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
    let files = message["filenames"].as_array().map_or(&[][..], Vec::as_slice);
    Call {
        package: text(&message["package_id"]),
        name: text(&message["target"]["name"]),
        kind: text(&message["target"]["kind"][0]),
        platform: files
            .iter()
            .find_map(|file| text(file).split(['/', '\\']).find(|part| part.starts_with("wasm32")).map(str::to_owned))
            .unwrap_or_default(),
        test: message["profile"]["test"] == true,
    }
}

/// The executables and the modules of an artifact.
pub fn programs(message: &Value) -> Vec<Built> {
    let files = message["filenames"].as_array().map_or(&[][..], Vec::as_slice);
    let package = Path::new(message["manifest_path"].as_str().unwrap_or("")).parent().map(Path::to_path_buf).unwrap_or_default();
    let wanted = files.iter().filter_map(Value::as_str).filter(|file| message["executable"] == **file || file.ends_with(".wasm"));
    wanted
        .map(|file| Built {
            package: package.clone(),
            name: message["target"]["name"].as_str().unwrap_or("").to_owned(),
            test: message["profile"]["test"] == true && message["target"]["kind"][0] != "bench",
            file: file.into(),
        })
        .collect()
}

/// Clippy as a compiler, of the toolchain in use.
pub fn clippy_driver() -> Result<PathBuf> {
    let sysroot = crate::run::output(Command::new("rustc").current_dir(crate::run::root()).args(["--print", "sysroot"]))
        .context("cannot run rustc")?;
    let driver = Path::new(&sysroot).join("bin").join(format!("clippy-driver{}", std::env::consts::EXE_SUFFIX));
    if !driver.is_file() {
        bail!("Clippy is missing: run `rustup component add clippy`");
    }
    Ok(driver)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn artifact(features: &str, file: &str) -> Value {
        json!({ "reason": "compiler-artifact", "package_id": "path+file:///a#core@1", "manifest_path": "/a/Cargo.toml", "fresh": false,
            "target": { "name": "core", "kind": ["lib"] }, "profile": { "test": false }, "features": [features], "filenames": [file], "executable": null })
    }

    #[test]
    fn a_crate_that_is_compiled_twice_for_a_platform_is_named() {
        let calls: Vec<Call> =
            [("a", "/t/debug/libcore.rlib"), ("b", "/t/debug/libcore.rlib"), ("a", "/t/wasm32-unknown-unknown/libcore.rlib")]
                .map(|(features, file)| call(&artifact(features, file)))
                .into();
        assert_eq!(repeated(&calls), ["core (lib) × 2"]);
        assert_eq!(repeated(&calls[1..]), Vec::<String>::new());
    }

    #[test]
    fn executables_and_modules_are_programs() {
        let mut message = artifact("", "/t/debug/core");
        assert!(programs(&message).is_empty());
        message["executable"] = "/t/debug/core".into();
        assert_eq!(programs(&message)[0].package, Path::new("/a"));
        assert_eq!(programs(&artifact("", "/t/core.wasm")).len(), 1);
    }
}
