//! `cargo xtask verdicts`: whether verdicts hold, as a page of docs/.

use crate::run::{cargo, root};
use anyhow::{Context, Result, ensure};
use std::process::Stdio;

const PLACE: &str = "docs/reference/verdicts.md";

/// How many mixes are drawn, and with which seed, where nobody says.
const COUNT: u64 = 60;
const SEED: u64 = 2;

/// Runs the study. The usual one is the page; another one is printed.
pub fn verdicts(count: Option<u64>, seed: Option<u64>) -> Result<()> {
    let mut command = cargo(&["run", "--quiet", "--release", "--package", "corun-tools", "--bin", "pages", "--", "verdicts"]);
    command.args([count.unwrap_or(COUNT).to_string(), seed.unwrap_or(SEED).to_string()]);
    let said = command.stdout(Stdio::piped()).spawn()?.wait_with_output()?;
    ensure!(said.status.success(), "the study ended with {}", said.status);
    let page = String::from_utf8(said.stdout)?;
    if count.is_some() || seed.is_some() {
        print!("{page}");
        return Ok(());
    }
    std::fs::write(root().join(PLACE), page).with_context(|| format!("cannot write {PLACE}"))
}
