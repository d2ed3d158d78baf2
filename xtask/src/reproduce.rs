//! `cargo xtask reproduce`: the runner's `reproduce`, and its full report to where the documentation and the page have it.

use crate::run::{cargo, root, run};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Runs a release build of the runner with `args`; after a full run to the usual place, copies what it wrote.
pub fn reproduce(args: &[String]) -> Result<()> {
    let mut command = cargo(&["run", "--quiet", "--release", "--package", "corun", "--", "reproduce"]);
    run(command.args(args))?;
    let elsewhere = |arg: &String| ["--quick", "--claim", "--table", "--out", "--list", "--help"].iter().any(|name| arg.starts_with(name));
    if args.iter().any(elsewhere) {
        return Ok(());
    }
    // Without a paper the runner has listed them, and failed.
    paper(args).map_or(Ok(()), publish)
}

/// The paper that the arguments name: `--paper NAME` or `--paper=NAME`.
fn paper(args: &[String]) -> Option<&str> {
    let at = |(place, arg): (usize, &String)| match arg.strip_prefix("--paper")? {
        "" => args.get(place + 1).map(|_| place + 1),
        _ => Some(place),
    };
    args.iter().enumerate().find_map(at).map(|place| args[place].trim_start_matches("--paper="))
}

/// Copies a report: the whole to docs/reports, from where the page takes its pictures, and its figures as data to the page.
fn publish(paper: &str) -> Result<()> {
    let from = &root().join("target/reproduce").join(paper);
    let (docs, page) = (root().join("docs/reports").join(paper), root().join("web/public/papers"));
    fs::create_dir_all(&docs)?;
    fs::create_dir_all(&page)?;
    let copy = |name: &str, to: &Path| fs::copy(from.join(name), to).with_context(|| format!("cannot copy {name} to {}", to.display()));
    copy("report.md", &docs.join("report.md"))?;
    copy("verdicts.toml", &docs.join("verdicts.toml"))?;
    copy("figures.json", &page.join(format!("{paper}.json")))?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".svg") {
            copy(&name, &docs.join(&name))?;
        }
    }
    println!("{}", docs.join("report.md").display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_is_the_one_that_is_named() {
        let of = |args: &[&str]| paper(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>()).map(str::to_owned);
        let qos = Some("qos".to_owned());
        assert_eq!([of(&["--paper", "qos"]), of(&["--jobs=1", "--paper=qos"])], [qos.clone(), qos]);
        assert_eq!([of(&[]), of(&["--jobs", "2"]), of(&["--paper"])], [None, None, None]);
    }
}
