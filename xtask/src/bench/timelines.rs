//! How fast timelines of real programs are read: natively, in pairs with Python's `json` where that is there, and by the page in Chromium.

use crate::page;
use crate::run::{cargo, root, run, target_dir};
use anyhow::Result;
use std::process::Command;

/// Megabytes where nobody says how many: they take seconds.
pub const MEGABYTES: u64 = 50;

/// Pairs with Python.
const PAIRS: u64 = 3;

/// Megabytes that the page reads at most: a gigabyte takes minutes.
const MOST_OF_PAGE: u64 = 100;

/// Prints both speeds on a trace of so many megabytes.
pub fn timelines(megabytes: u64) -> Result<()> {
    run(&mut cargo(&["build", "--quiet", "--release", "--package", "corun-timelines", "--example", "speed"]))?;
    let speed = || Command::new(target_dir().join("release/examples/speed"));
    println!("\nA trace of PyTorch's profiler, read:");
    run(speed().args([megabytes, PAIRS].map(|n| n.to_string())))?;
    page::build("warn", None)?;
    let file = target_dir().join("timeline.json");
    run(speed().arg("--write").arg(&file).arg(megabytes.min(MOST_OF_PAGE).to_string()))?;
    let read = run(Command::new("node").current_dir(root().join("web")).arg("dev/timelines.mjs").arg(&file));
    std::fs::remove_file(&file)?;
    read
}
