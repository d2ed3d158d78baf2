//! The page: the static folder web/dist, which any web server can serve from any sub-path.

use crate::run::{npm, root, run};
use crate::{need, profiles, wasm};
use anyhow::{Context, Result, anyhow};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread;

/// What the commands that build the page need.
pub fn needs() -> Result<()> {
    need::node()?;
    need::wasm_target()?;
    profiles::warn()
}

/// Builds both modules and the page into web/dist.
pub fn build() -> Result<()> {
    needs()?;
    // npm waits for the network while cargo keeps the processor busy.
    let packages = thread::spawn(need::packages);
    for (name, _) in wasm::MODULES {
        wasm::build(name)?;
    }
    packages.join().map_err(|_| anyhow!("the page's packages could not be installed"))??;
    bundle(&[])
}

/// Bundles the page with the modules that are there; `args` go to Vite.
pub fn bundle(args: &[&str]) -> Result<()> {
    run(npm(&["run", "--silent", "build", "--", "--logLevel=warn"]).args(args)).context("the page did not build")
}

/// Builds web/dist and prints what it weighs.
pub fn dist() -> Result<()> {
    build()?;
    let dist = root().join("web/dist");
    let mut files = files(&dist)?;
    files.sort();
    println!("\n{:>10} {:>10}", "bytes", "gzip");
    let (mut all, mut all_packed) = (0, 0);
    for file in &files {
        let bytes = std::fs::read(file)?;
        let packed = gzip(&bytes)?.len();
        println!("{:>10} {:>10}  {}", bytes.len(), packed, file.strip_prefix(&dist)?.display());
        all += bytes.len();
        all_packed += packed;
    }
    println!("{all:>10} {all_packed:>10}  web/dist, {} files: put the folder on any web server", files.len());
    Ok(())
}

/// The bytes as gzip, as small as it gets.
fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
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
