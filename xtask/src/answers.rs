//! `cargo xtask answers`: what every scheme makes of the first mix and of the examples, run natively and put into the page, so that its first screen
//! answers before anything has run.

use crate::run::{cargo, root, target_dir};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;

/// What the page begins with. The page reads the same file.
pub const FIRST: &str = "web/src/model/first.json";
/// Forms of schemes that papers compare beside their usual ones. The page reads the same file.
const VARIANTS: &str = "web/src/schemes/variants.json";
/// Where the page has a file for each mix.
const PLACE: &str = "web/public/answers";
/// Where it has which file is of which mix.
pub const INDEX: &str = "web/src/model/answers.json";

/// Runs everything; what kernels do alone and an earlier command has left is taken as it is.
pub fn answers() -> Result<()> {
    let mut examples = stems(&root().join("examples/experiments"))?;
    examples.sort();
    let mut command =
        cargo(&["run", "--quiet", "--release", "--package", "corun", "--", "answers", "--variants", VARIANTS, "--out", PLACE, FIRST]);
    command.args(examples).arg("--store").arg(target_dir().join("profiles"));
    let made = command.stderr(Stdio::inherit()).output().context("cannot run corun")?;
    ensure!(made.status.success(), "corun answers failed");
    std::fs::write(root().join(INDEX), &made.stdout)?;
    let index: Value = serde_json::from_slice(&made.stdout)?;
    let mixes: Vec<&str> = index["mixes"].as_array().into_iter().flatten().filter_map(|mix| mix["file"].as_str()).collect();
    let (mut largest, mut all) = (0, 0);
    for name in stems(&root().join(PLACE))? {
        let file = root().join(PLACE).join(format!("{name}.json"));
        if mixes.contains(&name.as_str()) {
            let bytes = file.metadata()?.len();
            (largest, all) = (largest.max(bytes), all + bytes);
        } else {
            std::fs::remove_file(file)?;
        }
    }
    println!("{PLACE}: {} mixes, {} KB, the largest {} KB, of engine {}", mixes.len(), all / 1000, largest / 1000, index["engine"]);
    Ok(())
}

/// The names of the JSON files in a folder, without the ending.
fn stems(folder: &Path) -> Result<Vec<String>> {
    let mut files = crate::page::files(folder)?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    Ok(files.iter().filter_map(|file| Some(file.file_stem()?.to_string_lossy().into_owned())).collect())
}
