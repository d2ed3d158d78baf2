//! The page: the static folder web/dist, which any web server can serve from any sub-path.

use crate::run::{npm, root, run};
use crate::{need, profiles, wasm};
use anyhow::{Context, Result, anyhow};
use std::path::{Path, PathBuf};
use std::thread;

/// What the commands that build the page need.
pub fn needs() -> Result<()> {
    need::node()?;
    need::wasm_target()?;
    profiles::warn()
}

/// Builds all modules and the page into web/dist, types checked.
pub fn build(log_level: &str, url: Option<&str>) -> Result<()> {
    needs()?;
    // npm waits for the network while cargo keeps the processor busy.
    let packages = thread::spawn(need::packages);
    for (name, _, _) in wasm::MODULES {
        wasm::build(name, wasm::Built::ToShip)?;
    }
    packages.join().map_err(|_| anyhow!("the page's packages could not be installed"))??;
    run(&mut npm(&["run", "--silent", "typecheck"])).context("the page's types do not fit")?;
    let mut command = npm(&["run", "--silent", "bundle", "--", "--logLevel", log_level]);
    run(command.env("CORUN_URL", url.unwrap_or_default())).context("the page did not build")
}

/// Bundles the page with the modules that are there; `args` go to Vite.
pub fn bundle(args: &[&str]) -> Result<()> {
    run(npm(&["run", "--silent", "bundle", "--"]).args(args)).context("the page did not build")
}

/// Builds web/dist, a second time in a folder that has the version in its name, and prints what it weighs: Vite each file that it makes, and what
/// browsers fetch of it compressed. `url`: where it will be, which only the pages of shared links have to know.
pub fn dist(url: Option<&str>) -> Result<()> {
    let place = root().join("web/dist");
    build("info", url)?;
    let folder = concat!("v", env!("CARGO_PKG_VERSION"));
    pin(&place, folder)?;
    println!("web/dist/{folder}: the same, for embeds that are to stay as they are: a host keeps the folders of older versions");
    let files = files(&place)?;
    let sizes: std::io::Result<Vec<u64>> = files.iter().map(|file| Ok(file.metadata()?.len())).collect();
    println!("web/dist: {} files, {} KB; put the folder on any web server", files.len(), sizes?.iter().sum::<u64>() / 1000);
    Ok(())
}

/// Copies all of a built page into a folder below it. Every address in it is relative, so the copy is whole.
fn pin(place: &Path, folder: &str) -> Result<()> {
    for file in files(place)? {
        let copy = place.join(folder).join(file.strip_prefix(place)?);
        std::fs::create_dir_all(copy.parent().unwrap_or(place))?;
        std::fs::copy(&file, &copy).with_context(|| file.display().to_string())?;
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_version_is_a_whole_copy_of_the_page() -> Result<()> {
        let place = std::env::temp_dir().join(format!("corun-dist-{}", std::process::id()));
        fs::create_dir_all(place.join("assets"))?;
        fs::write(place.join("index.html"), "page")?;
        fs::write(place.join("assets/a.js"), "script")?;
        pin(&place, "v1.2.3")?;
        let copied = fs::read_to_string(place.join("v1.2.3/assets/a.js"))?;
        let all = files(&place)?.len();
        fs::remove_dir_all(&place)?;
        assert_eq!((copied.as_str(), all), ("script", 4));
        Ok(())
    }
}
