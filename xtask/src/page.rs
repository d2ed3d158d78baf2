//! The page: the static folder web/dist, which any web server can serve from any sub-path.

use crate::run::{npm, root, run};
use crate::{need, profiles, wasm};
use anyhow::{Context, Result, anyhow};
use std::path::{Path, PathBuf};
use std::thread;

/// What the commands that build the page need.
pub fn needs() -> Result<()> {
    need::node()?;
    need::wasm_target()?;
    profiles::warn()
}

/// Builds both modules and the page into web/dist, types checked.
pub fn build(log_level: &str) -> Result<()> {
    needs()?;
    // npm waits for the network while cargo keeps the processor busy.
    let packages = thread::spawn(need::packages);
    for (name, _) in wasm::MODULES {
        wasm::build(name, wasm::Built::ToShip)?;
    }
    packages.join().map_err(|_| anyhow!("the page's packages could not be installed"))??;
    run(&mut npm(&["run", "--silent", "typecheck"])).context("the page's types do not fit")?;
    bundle(&["--logLevel", log_level])
}

/// Bundles the page with the modules that are there; `args` go to Vite.
pub fn bundle(args: &[&str]) -> Result<()> {
    run(npm(&["run", "--silent", "bundle", "--"]).args(args)).context("the page did not build")
}

/// Builds web/dist and prints what it weighs: Vite each file that it makes, and what browsers fetch of it compressed.
pub fn dist() -> Result<()> {
    build("info")?;
    let files = files(&root().join("web/dist"))?;
    let sizes: std::io::Result<Vec<u64>> = files.iter().map(|file| Ok(file.metadata()?.len())).collect();
    println!("web/dist: {} files, {} KB; put the folder on any web server", files.len(), sizes?.iter().sum::<u64>() / 1000);
    Ok(())
}

/// Every file in a folder and in those within it.
pub fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).with_context(|| format!("{} is not there", dir.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.extend(files(&entry.path())?);
        } else {
            found.push(entry.path());
        }
    }
    Ok(found)
}
