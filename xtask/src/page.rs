//! The page: the static folder web/dist, which any web server can serve from any sub-path.

use crate::run::{npm, root, run};
use crate::{need, profiles, wasm};
use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Builds the module and the page.
pub fn build() -> Result<()> {
    need::wasm_target()?;
    need::packages()?;
    wasm::build(true)?;
    profiles::warn()?;
    println!("Building the page …");
    run(npm(&["run", "--silent", "build"]).arg("--").arg("--logLevel=warn")).context("the page did not build")
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
        let packed = gzip(&bytes)?;
        println!("{:>10} {:>10}  {}", bytes.len(), packed, file.strip_prefix(&dist)?.display());
        all += bytes.len();
        all_packed += packed;
    }
    println!("{all:>10} {all_packed:>10}  web/dist, {} files: put the folder on any web server", files.len());
    Ok(())
}

fn gzip(bytes: &[u8]) -> Result<usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
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
