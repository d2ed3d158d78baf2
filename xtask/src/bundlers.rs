//! The npm package in a page that each bundler of the package's README builds, as that says, and which then runs in Chromium.

use crate::readme;
use crate::run::{npm, root, run, said, target_dir};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The page, and the versions of the bundlers.
fn page() -> PathBuf {
    root().join("web/e2e/bundlers")
}

/// Where they are installed, once for all; an error where the registry cannot be reached.
pub fn install() -> Result<PathBuf> {
    let (folder, wanted) = (target_dir().join("bundlers"), fs::read(page().join("package.json"))?);
    if fs::read(folder.join("package.json")).ok().as_ref() == Some(&wanted) {
        return Ok(folder);
    }
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let file = folder.join("package.json");
    fs::write(&file, wanted)?;
    // npm tries again for ten minutes where nothing answers. Its lock file keeps what Parcel leaves in this folder.
    let install = ["install", "--loglevel=error", "--fetch-retries=0", "--prefix"];
    if let Err(error) = said(npm(&install).arg(&folder).current_dir(&folder)) {
        // Half an installation must not be taken for one the next time.
        fs::remove_file(file)?;
        return Err(error);
    }
    Ok(folder)
}

/// The commands in the table of the package's README.
fn commands(readme: &str) -> Vec<Vec<&str>> {
    let section = readme.split("\n## ").find(|section| section.starts_with("In a bundler")).unwrap_or_default();
    let cells = section.lines().filter(|line| line.starts_with("| ")).filter_map(|line| line.split('|').nth(2));
    cells.filter_map(|cell| Some(cell.trim().strip_prefix('`')?.strip_suffix('`')?.split(' ').collect())).collect()
}

/// Builds the page with each of them in the folder `bundlers`, from the package that `installed` has. Says by command where the page is.
pub fn build(bundlers: &Path, installed: &Path) -> Result<Vec<(String, String)>> {
    let package = bundlers.join("node_modules/corun");
    let _ = fs::remove_dir_all(&package);
    run(Command::new("cp").arg("-R").arg(installed.join("node_modules/corun")).arg(&package))?;
    let about = fs::read_to_string(package.join("README.md"))?;
    let commands = commands(&about);
    ensure!(!commands.is_empty(), "the package's README names no bundler");
    let one = |(at, words): (usize, &Vec<&str>)| {
        let (shown, folder) = (words.join(" "), bundlers.join(at.to_string()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder)?;
        let module = if shown.contains("--loader:.wasm=") { "given.js" } else { "found.js" };
        for (from, to) in [("package.json", "package.json"), ("index.html", "index.html"), ("main.js", "main.js"), (module, "wasm.js")] {
            fs::copy(page().join(from), folder.join(to)).with_context(|| from.to_owned())?;
        }
        readme::write_files(&about, &folder)?;
        said(Command::new(bundlers.join("node_modules/.bin").join(words[0])).args(&words[1..]).current_dir(&folder))?;
        let built = folder.join("dist/index.html");
        if !built.is_file() {
            fs::copy(folder.join("index.html"), &built).with_context(|| format!("`{shown}` leaves no dist"))?;
        }
        Ok((shown, format!("{at}/dist/index.html")))
    };
    commands.iter().enumerate().map(one).collect()
}
