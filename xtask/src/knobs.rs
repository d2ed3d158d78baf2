//! `cargo xtask knobs`: whether every value that can be set does what is said of it, as a page of docs/.

use crate::run::{measured_page, root};
use anyhow::{Context, Result};

const PLACE: &str = "docs/reference/knobs.md";

/// Runs the study. All of it is the page; some knobs are printed.
pub fn knobs(names: Vec<String>) -> Result<()> {
    let all = names.is_empty();
    let page = measured_page("knobs", names)?;
    if !all {
        print!("{page}");
        return Ok(());
    }
    std::fs::write(root().join(PLACE), page).with_context(|| format!("cannot write {PLACE}"))
}
