//! `cargo xtask verdicts`: whether verdicts hold, as a page of docs/.

use crate::run::{measured_page, root};
use anyhow::{Context, Result};

const PLACE: &str = "docs/reference/verdicts.md";

/// How many mixes are drawn, and with which seed, where nobody says.
const COUNT: u64 = 60;
const SEED: u64 = 2;

/// Runs the study. The usual one is the page; another one is printed.
pub fn verdicts(count: Option<u64>, seed: Option<u64>) -> Result<()> {
    let page = measured_page("verdicts", [count.unwrap_or(COUNT), seed.unwrap_or(SEED)].map(|number| number.to_string()))?;
    if count.is_some() || seed.is_some() {
        print!("{page}");
        return Ok(());
    }
    std::fs::write(root().join(PLACE), page).with_context(|| format!("cannot write {PLACE}"))
}
