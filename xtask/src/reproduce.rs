//! `cargo xtask reproduce`: the runner's `reproduce`, and its full report to where the documentation and the page have it.

use crate::run::{cargo, root, run};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// The paper that is reproduced where none is named.
const PAPER: &str = "ccbp";

/// Runs a release build of the runner with `args`; after a full run to the usual place, copies what it wrote.
pub fn reproduce(args: &[String]) -> Result<()> {
    let mut command = cargo(&["run", "--quiet", "--release", "--package", "corun", "--", "reproduce"]);
    run(command.args(args))?;
    let elsewhere = |arg: &String| ["--quick", "--claim", "--out", "--list", "--paper", "--help"].iter().any(|name| arg.starts_with(name));
    if args.iter().any(elsewhere) {
        return Ok(());
    }
    publish(&root().join("target/reproduce").join(PAPER))
}

/// Copies a report: the whole to docs/papers, from where the page takes its pictures, and its figures as data to the page.
fn publish(from: &Path) -> Result<()> {
    let (docs, page) = (root().join("docs/papers").join(PAPER), root().join("web/public/papers"));
    fs::create_dir_all(&docs)?;
    fs::create_dir_all(&page)?;
    let copy = |name: &str, to: &Path| fs::copy(from.join(name), to).with_context(|| format!("cannot copy {name} to {}", to.display()));
    copy("report.md", &docs.join("report.md"))?;
    copy("verdicts.toml", &docs.join("verdicts.toml"))?;
    copy("figures.json", &page.join(format!("{PAPER}.json")))?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".svg") {
            copy(&name, &docs.join(&name))?;
        }
    }
    println!("{}", docs.join("report.md").display());
    Ok(())
}
