//! The npm package of the engine: the module with its JavaScript and its types, and the files of wasm/npm around them.

use crate::page::files;
use crate::run::{npm, root, said, target_dir};
use crate::test::Count;
use crate::wasm::{self, Built};
use crate::{need, readme};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The one module that runs every experiment, scripts too, as the runner does.
const MODULE: &str = "corun_script";

/// The version that wasm/npm/package.json has; the package has the workspace's.
const NO_VERSION: &str = "\"0.0.0\"";

/// Where the package is.
pub fn place() -> PathBuf {
    target_dir().join("npm")
}

/// Builds the package anew.
pub fn package() -> Result<()> {
    need::wasm_target()?;
    let place = place();
    let _ = fs::remove_dir_all(&place);
    wasm::build_into(MODULE, Built::ToShip, &root(), &target_dir(), &place)?;
    let licences = ["LICENSE-APACHE", "LICENSE-MIT"].map(|name| root().join(name));
    for file in files(&root().join("wasm/npm"))?.iter().chain(&licences) {
        fs::copy(file, place.join(file.file_name().unwrap_or_default())).with_context(|| file.display().to_string())?;
    }
    let about = place.join("package.json");
    let text = fs::read_to_string(&about)?;
    ensure!(text.contains(NO_VERSION), "wasm/npm/package.json has no version {NO_VERSION} to replace");
    fs::write(about, text.replace(NO_VERSION, concat!("\"", env!("CARGO_PKG_VERSION"), "\"")))?;
    Ok(())
}

/// Packs the package, installs it in an empty folder, and follows its README there. The run ends like that of the runner `corun`, in Node and in
/// Chromium; a mistake is named by its path; the types fit, and refuse what does not.
pub fn check(corun: &Path, count: &mut Count) -> Result<()> {
    let folder = target_dir().join("npm-installed");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let tarball = said(npm(&["pack", "--silent", "--pack-destination"]).arg(&folder).arg(place()))?;
    // A package without dependencies asks no registry. Without a prefix, npm looks for a project further up.
    said(npm(&["install", "--offline", "--prefix"]).arg(&folder).arg(folder.join(tarball)).current_dir(&folder))?;
    readme::write_files(&fs::read_to_string(place().join("README.md"))?, &folder)?;
    let here = |program: &Path, args: &[&str]| said(Command::new(program).args(args).current_dir(&folder));
    let node = Path::new("node");

    let native: Value = serde_json::from_str(&here(corun, &["run", "pair.json", "--json"])?)?;
    let native = native["digest"].as_str().context("the runner prints no digest")?;
    let run = here(node, &["run.mjs"])?;
    ensure!(run.lines().last() == Some(native), "the package does not end with the runner's digest {native}:\n{run}");
    count.passed += 1;

    let mut page = Command::new("node");
    page.current_dir(root().join("web")).arg("e2e/package.mjs").arg(&folder).arg("run.mjs").env("CHROMIUM_PATH", need::headless()?);
    let page = said(&mut page)?;
    ensure!(page == run, "the package prints in Chromium:\n{page}\nand in Node:\n{run}");
    count.passed += 1;

    let tsc = root().join("web/node_modules/.bin/tsc");
    let strict = |file| here(&tsc, &["--strict", "--target", "es2022", "--module", "nodenext", "--types", "", file]);
    strict("mistake.mts")?;
    let mistake = here(node, &["mistake.mjs"])?;
    ensure!(mistake.starts_with("kernels[1]: found"), "a bad experiment is not named by its path:\n{mistake}");
    count.passed += 1;

    let wrong = "import { Simulation } from \"corun\";\nexport const digest: number = new Simulation(\"\").digest();\n";
    fs::write(folder.join("wrong.mts"), wrong)?;
    let refused = strict("wrong.mts").err().map(|error| error.to_string()).unwrap_or_default();
    ensure!(refused.contains("TS2322"), "a digest passes as a number, so the types prove nothing: {refused}");
    count.passed += 1;
    Ok(())
}
