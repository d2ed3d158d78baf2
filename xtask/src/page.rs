//! The page: the static folder web/dist, which any web server can serve from any sub-path.

use crate::run::{npm, root, run};
use crate::{need, profiles, wasm};
use anyhow::{Context, Result, anyhow};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Builds the module and the page, and says which step it is at and how long each took.
pub fn build() -> Result<()> {
    let began = Instant::now();
    need::node()?;
    need::wasm_target()?;
    // npm waits for the network while cargo keeps the processor busy.
    let packages = std::thread::spawn(need::packages);
    step(
        1,
        "the simulator as WebAssembly: some 30 crates, then all of them optimised as one (minutes the first time, then seconds)",
        || wasm::build(true),
    )?;
    profiles::warn()?;
    packages.join().map_err(|_| anyhow!("the page's packages could not be installed"))??;
    step(2, "the page", || run(npm(&["run", "--silent", "build"]).arg("--").arg("--logLevel=warn")).context("the page did not build"))?;
    eprintln!("Built in {:.0} s.", began.elapsed().as_secs_f64());
    Ok(())
}

/// Says what is done, does it, and says how long that took.
fn step(number: u32, what: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    eprintln!("Step {number} of 2: {what}");
    let began = Instant::now();
    work()?;
    eprintln!("Step {number} of 2 took {:.1} s", began.elapsed().as_secs_f64());
    Ok(())
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
        let packed = gzip(&bytes, Compression::best())?.len();
        println!("{:>10} {:>10}  {}", bytes.len(), packed, file.strip_prefix(&dist)?.display());
        all += bytes.len();
        all_packed += packed;
    }
    println!("{all:>10} {all_packed:>10}  web/dist, {} files: put the folder on any web server", files.len());
    Ok(())
}

/// The bytes as gzip.
pub fn gzip(bytes: &[u8], how: Compression) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), how);
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
