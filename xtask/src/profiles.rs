//! `cargo xtask profiles`: what the library's kernels do alone, measured natively and put into the page, so that slowdowns are there at once.

use crate::run::{cargo, root, target_dir};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// Where the page has them.
const PLACE: &str = "web/src/engine/profiles.json";
/// The GPUs that most start from, of large ones the part that the page begins with. What the page does not have, it measures.
const GPUS: [&str; 5] = ["ccbp-16sm", "tiny-2sm", "a100-40gb,1/4", "h100-sxm5,1/4", "h200-sxm,1/4"];

/// The stamp of the engine of this tree, as `ENGINE` of sim-core.
const ENGINE: &str = concat!(env!("CARGO_PKG_VERSION"), "-", include_str!("../../sim-core/src/run/behaviour"));

/// Measures every run alone that the library's kernels need on `gpus` under any policy; answers that the last time has left are taken as they are.
pub fn profiles(gpus: &[String]) -> Result<()> {
    let mut command = cargo(&["run", "--quiet", "--release", "--package", "corun", "--", "profiles"]);
    command.arg("--store").arg(target_dir().join("profiles"));
    // As long as the page's first mix, which other mixes begin as.
    let first: Value = serde_json::from_str(&std::fs::read_to_string(root().join(crate::answers::FIRST))?)?;
    command.args(["--cycles", &first["stop"]["cycles"].to_string()]);
    let gpus = if gpus.is_empty() { GPUS.map(str::to_owned).to_vec() } else { gpus.to_vec() };
    for gpu in &gpus {
        command.args(["--gpu", gpu]);
    }
    let answers = command.stderr(std::process::Stdio::inherit()).output().context("cannot run corun")?;
    ensure!(answers.status.success(), "corun profiles failed");
    let answers: Value = serde_json::from_slice(&answers.stdout)?;
    // A line for each, so that a change can be read.
    let lines: Vec<String> =
        answers.as_object().context("answers are an object")?.iter().map(|(hash, answer)| format!("{hash:?}: {answer}")).collect();
    let written = format!("{{ \"engine\": {}, \"answers\": {{\n{}\n}} }}\n", json!(ENGINE), lines.join(",\n"));
    std::fs::write(root().join(PLACE), &written)?;
    println!("{PLACE}: {} runs alone, {} KB, of engine {ENGINE}", lines.len(), written.len() / 1000);
    Ok(())
}

/// Says so where what the page has is of an engine that behaves otherwise: it then measures or runs it all.
pub fn warn() -> Result<()> {
    // As in web/src/model/stamp.ts: what counts is the behaviour, not the version.
    let behaviour = concat!("-", include_str!("../../sim-core/src/run/behaviour"));
    for (place, command) in [(PLACE, "profiles"), (crate::answers::INDEX, "answers")] {
        let text = std::fs::read_to_string(root().join(place))?;
        let made: Value = serde_json::from_str(&text).with_context(|| format!("{place} is no JSON"))?;
        if !made["engine"].as_str().is_some_and(|engine| engine.ends_with(behaviour)) {
            println!("{place} is another engine's: the page does without it. `cargo xtask {command}` makes it anew in some minutes.");
        }
    }
    Ok(())
}
