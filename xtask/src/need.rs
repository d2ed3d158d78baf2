//! What the commands need beside Rust, fetched when it is missing, or named in plain words when it cannot be.

use crate::run::{npm, output, root, run, which};
use anyhow::{Context, Result, bail, ensure};
use std::path::PathBuf;
use std::process::Command;

/// The page's tools want at least this Node (Vite's own floor).
const NODE: (u32, u32) = (20, 19);

/// Adds a target's own library to the toolchain in use, if it is not there. (rustup does not do so by itself for a toolchain that it has.)
fn rust_target(target: &str) -> Result<()> {
    let libraries = output(Command::new("rustc").current_dir(root()).args(["--print", "target-libdir", "--target", target]));
    let has_core = libraries.and_then(|dir| std::fs::read_dir(dir).ok()).is_some_and(|files| {
        let mut names = files.flatten().map(|f| f.file_name());
        names.any(|name| name.to_string_lossy().starts_with("libcore-"))
    });
    if has_core {
        return Ok(());
    }
    if which("rustup").is_none() {
        bail!("the Rust target {target} is missing and there is no rustup to add it: install Rust from https://rustup.rs");
    }
    eprintln!("Adding the Rust target {target} …");
    run(Command::new("rustup").current_dir(root()).args(["target", "add", target]))
        .with_context(|| format!("the Rust target {target} is needed: run `rustup target add {target}` while online"))
}

/// The target of the module.
pub fn wasm_target() -> Result<()> {
    rust_target("wasm32-unknown-unknown")
}

/// A target without std, for the proof that the core needs none.
pub fn bare_target() -> Result<()> {
    rust_target("wasm32v1-none")
}

/// Node, new enough.
pub fn node() -> Result<()> {
    let want = format!("Node {}.{} or newer is needed for the page: install it from https://nodejs.org", NODE.0, NODE.1);
    let Some(version) = output(Command::new("node").arg("--version")) else {
        bail!("there is no `node`. {want}");
    };
    let mut parts = version.trim_start_matches('v').split('.').map(|n| n.parse::<u32>().unwrap_or(0));
    let have = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if have < NODE {
        bail!("`node` is {version}. {want}");
    }
    if which("npm").is_none() {
        bail!("there is a `node` but no `npm`. {want}");
    }
    Ok(())
}

/// The page's packages, exactly as web/package-lock.json names them.
pub fn packages() -> Result<()> {
    node()?;
    let web = root().join("web");
    let lock = web.join("package-lock.json");
    let installed = web.join("node_modules/.package-lock.json");
    let time = |p: &PathBuf| std::fs::metadata(p).and_then(|m| m.modified()).ok();
    if time(&installed).is_some_and(|have| Some(have) >= time(&lock)) {
        return Ok(());
    }
    eprintln!("Installing the page's packages (npm ci in web/) …");
    run(npm(&["ci", "--loglevel=error"]).env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"))
        .context("the page's packages could not be installed: `npm ci` in web/ must work, which needs the network once")
}

/// A Chromium: `CHROMIUM_PATH`, or the one on PATH.
pub fn chromium_path() -> Option<PathBuf> {
    match std::env::var_os("CHROMIUM_PATH") {
        Some(path) => Some(PathBuf::from(path)).filter(|p| p.is_file()),
        None => ["chromium", "chromium-browser", "google-chrome"].iter().find_map(|name| which(name)),
    }
}

fn is_root() -> bool {
    output(Command::new("id").arg("-u")).as_deref() == Some("0")
}

/// Installs Debian's packages where that is possible.
fn debian(packages: &[&str]) -> Result<()> {
    if is_root() && which("apt-get").is_some() {
        eprintln!("Installing {} (apt-get) …", packages.join(" and "));
        let apt = |args: &[&str]| run(Command::new("apt-get").args(args).arg("-qq").env("DEBIAN_FRONTEND", "noninteractive"));
        let _ = apt(&["update"]);
        apt(&[&["install", "-y", "--no-install-recommends"], packages].concat())
            .with_context(|| format!("{} could not be installed", packages.join(" and ")))?;
    }
    Ok(())
}

/// The daemons of Slurm and of munge, which answers who asks.
pub fn slurm() -> Result<()> {
    let have = || ["slurmctld", "slurmd", "sbatch", "munged"].iter().all(|name| which(name).is_some());
    if !have() {
        debian(&["slurm-wlm", "munge"])?;
    }
    ensure!(have(), "Slurm and munge are needed: `sudo apt-get install slurm-wlm munge`");
    ensure!(is_root(), "Slurm starts only as root");
    Ok(())
}

/// A Firefox: `FIREFOX_PATH`, or the one on PATH.
pub fn firefox() -> Result<PathBuf> {
    let find = || match std::env::var_os("FIREFOX_PATH") {
        Some(path) => Some(PathBuf::from(path)).filter(|p| p.is_file()),
        None => ["firefox-esr", "firefox"].iter().find_map(|name| which(name)),
    };
    if find().is_none() {
        debian(&["firefox-esr"])?;
    }
    find().context("a Firefox is needed: `sudo apt-get install firefox-esr`, or set FIREFOX_PATH to yours")
}

/// The smaller Chromium without windows, where it is installed, else the other: what end-to-end tests run in.
pub fn headless() -> Result<PathBuf> {
    match which("chromium-headless-shell").filter(|_| std::env::var_os("CHROMIUM_PATH").is_none()) {
        Some(shell) => Ok(shell),
        None => chromium(),
    }
}

/// A Chromium and its driver.
pub fn chromium() -> Result<PathBuf> {
    if let (Some(path), Some(_)) = (chromium_path(), which("chromedriver")) {
        return Ok(path);
    }
    debian(&["chromium", "chromium-driver", "chromium-headless-shell"])?;
    match (chromium_path(), which("chromedriver")) {
        (Some(path), Some(_)) => Ok(path),
        (None, _) => bail!(
            "a Chromium is needed for the tests in a browser: `sudo apt-get install chromium chromium-driver`, or set CHROMIUM_PATH to yours"
        ),
        (_, None) => {
            bail!("`chromedriver` is needed for the tests in a browser: `sudo apt-get install chromium-driver`, or put yours on PATH")
        }
    }
}
