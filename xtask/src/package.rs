//! The npm package of the engine: the module with its JavaScript and its types, the page's elements and the widget, which run the same module, and
//! the files of wasm/npm around them.

use crate::page::files;
use crate::run::{npm, root, said, target_dir};
use crate::test::{Count, Log};
use crate::wasm::{self, Built};
use crate::{bundlers, need, readme};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The one module that runs every experiment, scripts too, as the runner does.
const MODULE: &str = "corun_script";

/// The version that wasm/npm/package.json has; the package has the workspace's.
const NO_VERSION: &str = "\"0.0.0\"";

/// What Vite builds for it (web/build/embed.config.ts).
const EMBEDDED: [&str; 2] = ["elements", "widget"];

/// Imports what may be imported where there is no document, and says what of one is touched meanwhile.
const IMPORT: &str = r#"
for (const name of ["customElements", "HTMLElement", "document", "window"])
  Object.defineProperty(globalThis, name, { get() { throw new Error(`${name} is touched`); } });
const { define } = await import("corun/elements"), { default: widget } = await import("corun/widget.mjs");
console.log(typeof define, typeof widget.render);
"#;

/// What the module's JavaScript has, and what the package has instead: a call that comes before the module says so, and not that undefined has no
/// property of an odd name.
const EARLY: [(&str, &str); 2] = [
    (
        "wasmInstance, wasm;",
        "wasmInstance, wasm = new Proxy({}, { get() { throw new Error(\"corun: found a call, want await init() before it\"); } });",
    ),
    ("if (wasm !== undefined)", "if (wasmInstance !== undefined)"),
];

/// Where the package is.
pub fn place() -> PathBuf {
    target_dir().join("npm")
}

/// Builds the package anew.
pub fn package() -> Result<()> {
    need::wasm_target()?;
    need::node()?;
    need::packages()?;
    let place = place();
    let _ = fs::remove_dir_all(&place);
    wasm::build_into(MODULE, Built::ToShip, &root(), &target_dir(), &place)?;
    let glue = place.join(MODULE).with_extension("js");
    let mut text = fs::read_to_string(&glue)?;
    for (had, has) in EARLY {
        ensure!(text.contains(had), "{}: found no `{had}` to replace: wasm-bindgen writes something else", glue.display());
        text = text.replace(had, has);
    }
    fs::write(&glue, text)?;
    for mode in EMBEDDED {
        let mut vite = npm(&["exec", "--", "vite", "build", "--config", "build/embed.config.ts", "--mode", mode]);
        said(vite.env("CORUN_PACKAGE", &place)).with_context(|| format!("the package's {mode} did not build"))?;
    }
    let licences = ["LICENSE-APACHE", "LICENSE-MIT"].map(|name| root().join(name));
    for file in files(&root().join("wasm/npm"))?.iter().chain(&licences) {
        fs::copy(file, place.join(file.file_name().unwrap_or_default())).with_context(|| file.display().to_string())?;
    }
    let about = place.join("package.json");
    let text = fs::read_to_string(&about)?;
    ensure!(text.contains(NO_VERSION), "wasm/npm/package.json has no version {NO_VERSION} to replace");
    fs::write(about, text.replace(NO_VERSION, concat!("\"", env!("CARGO_PKG_VERSION"), "\"")))?;
    Ok(())
}

/// Packs the package, and installs it in an empty folder, which it returns, with the files of its README.
pub fn install() -> Result<PathBuf> {
    let folder = target_dir().join("npm-installed");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let tarball = said(npm(&["pack", "--silent", "--pack-destination"]).arg(&folder).arg(place()))?;
    // A package without dependencies asks no registry. Without a prefix, npm looks for a project further up.
    said(npm(&["install", "--offline", "--prefix"]).arg(&folder).arg(folder.join(tarball)).current_dir(&folder))?;
    readme::write_files(&fs::read_to_string(place().join("README.md"))?, &folder)?;
    Ok(folder)
}

/// Follows the README of the installed package. The run ends like that of the runner `corun`: in Node, in Chromium, as an element and as a widget.
/// A mistake is named by its path; the types fit, and refuse what does not. Each bundler builds a page that runs.
pub fn check(corun: &Path, log: &Log, count: &mut Count) -> Result<()> {
    let folder = install()?;
    let here = |program: &Path, args: &[&str]| said(Command::new(program).args(args).current_dir(&folder));
    let node = Path::new("node");

    let native: Value = serde_json::from_str(&here(corun, &["run", "pair.json", "--json"])?)?;
    let native = native["digest"].as_str().context("the runner prints no digest")?;
    let run = here(node, &["run.mjs"])?;
    ensure!(run.lines().last() == Some(native), "the package does not end with the runner's digest {native}:\n{run}");
    count.passed += 1;

    let chromium = need::headless()?;
    let in_chromium = |folder: &Path, files: &[&str]| {
        let mut page = Command::new("node");
        page.current_dir(root().join("web")).arg("e2e/package.mjs").arg(folder).args(files).env("CHROMIUM_PATH", &chromium);
        said(&mut page)
    };
    let in_page = |file: &str| in_chromium(&folder, &[file]);
    let page = in_page("run.mjs")?;
    ensure!(page == run, "the package prints in Chromium:\n{page}\nand in Node:\n{run}");
    count.passed += 1;

    fs::write(
        folder.join("early.mjs"),
        "import { version } from \"corun\";\ntry { version(); } catch (error) { console.log(error.message); }\n",
    )?;
    let early = in_page("early.mjs")?;
    ensure!(early.ends_with("want await init() before it"), "a call before init() says: {early}");
    count.passed += 1;

    let imported = here(node, &["--input-type=module", "--eval", IMPORT])?;
    ensure!(imported == "function function", "elements and widget are not there without a document: {imported}");
    count.passed += 1;

    let element = in_page("show.mjs")?;
    ensure!(element == native, "the element ends with {element}, the runner with {native}");
    count.passed += 1;

    fs::copy(root().join("web/e2e/widget-host.mjs"), folder.join("widget-host.mjs"))?;
    let widget = in_page("widget-host.mjs")?;
    let lines: Vec<&str> = widget.lines().collect();
    ensure!(
        matches!(lines[..], [once, "50 0 NaN", a, _, "2 2", path, "nothing left"] if once == native && a == native && path == "kernels[1]"),
        "a host of widgets has other results than the runner's {native}, or a series without NaN:\n{widget}"
    );
    count.passed += 1;

    let copies = files(&folder.join("node_modules"))?.iter().filter(|file| file.extension().is_some_and(|end| end == "wasm")).count();
    ensure!(copies == 1, "the package has {copies} modules, not one");
    count.passed += 1;

    let tsc = root().join("web/node_modules/.bin/tsc");
    let strict = |file| here(&tsc, &["--strict", "--target", "es2022", "--module", "nodenext", "--types", "", file]);
    strict("mistake.mts")?;
    let mistake = here(node, &["mistake.mjs"])?;
    ensure!(mistake.starts_with("kernels[1]: found"), "a bad experiment is not named by its path:\n{mistake}");
    count.passed += 1;

    strict("grid.mts")?;
    let grid = in_page("grid.mjs")?;
    let (cycle, sms) = (grid.contains("16 SMs at cycle 20,000. "), grid.contains("BP: ") && grid.contains(" CTAs resident"));
    ensure!(cycle && sms, "the picture of a run of one's own says: {grid}");
    count.passed += 1;

    refused(
        &folder,
        &strict,
        "digest",
        "import { Simulation } from \"corun\";\nexport const digest: number = new Simulation(\"\").digest();\n",
    )?;
    let embedded = "import { define } from \"corun/elements\";\nimport widget from \"corun/widget.mjs\";\n\
                    export const ready: Promise<void> = define();\nexport const end: number = widget.render({ model: new Map(), el: document.body });\n";
    refused(&folder, &strict, "model", embedded)?;
    count.passed += 2;

    let bundlers = match bundlers::install() {
        Ok(folder) => folder,
        Err(error) => {
            let why = error.to_string().lines().take(2).collect::<Vec<_>>().join(" ");
            log.say(&format!("Left out: bundlers, which npm's registry is needed for once ({why})"));
            return Ok(());
        }
    };
    let pages = bundlers::build(&bundlers, &folder)?;
    let printed = in_chromium(&bundlers, &pages.iter().map(|(_, page)| &page[..]).collect::<Vec<_>>())?;
    for (at, (command, _)) in pages.iter().enumerate() {
        let line = printed.lines().nth(at).unwrap_or_default();
        ensure!(
            line.split(' ').eq([native; 3]),
            "the page that `{command}` builds says, where simulation, element and widget have {native}: {line}"
        );
        count.passed += 1;
    }
    Ok(())
}

/// The compiler refuses a text that is wrong in `what`, and nothing else.
fn refused(folder: &Path, strict: &dyn Fn(&'static str) -> Result<String>, what: &str, text: &str) -> Result<()> {
    fs::write(folder.join("wrong.mts"), text)?;
    let said = strict("wrong.mts").err().map(|error| error.to_string()).unwrap_or_default();
    ensure!(said.contains("TS2322") && !said.contains("TS2307"), "a wrong {what} passes, so the types prove nothing: {said}");
    Ok(())
}
