//! Do the recipes of docs/reference/recipes work as they stand? A copy of the engine and its runner gets every file and every line that they
//! add, and nothing else. It must build; the engine's own tests must pass, and those that the pages add.
//!
//! A fence marked `file=PATH` behind its language is a new file; one marked `line=PATH after=TEXT` is put behind the only line of that file
//! that begins with TEXT.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// What a fence adds.
#[derive(Debug, PartialEq)]
enum Step {
    File { path: String, text: String },
    Line { path: String, after: String, text: String },
}

/// The steps of a page, in order.
fn steps(page: &str) -> Vec<Step> {
    let mut found = Vec::new();
    let mut open: Option<(&str, String)> = None;
    for line in page.lines() {
        let fence = line.trim_start().strip_prefix("```");
        match (&mut open, fence) {
            (None, Some(info)) => open = Some((info, String::new())),
            (Some(_), Some(_)) => {
                let (info, text) = open.take().unwrap();
                let Some((_, what)) = info.split_once(' ') else { continue };
                if let Some(path) = what.strip_prefix("file=") {
                    found.push(Step::File { path: path.to_owned(), text });
                } else if let Some((path, after)) = what.strip_prefix("line=").and_then(|rest| rest.split_once(" after=")) {
                    found.push(Step::Line { path: path.to_owned(), after: after.to_owned(), text });
                }
            }
            (Some((_, text)), None) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

/// `text` with the lines of `added` behind its only line that begins with `after`.
fn insert(text: &str, after: &str, added: &str) -> Result<String, String> {
    let lines: Vec<&str> = text.lines().collect();
    let places: Vec<usize> = (0..lines.len()).filter(|&i| lines[i].trim_start().starts_with(after)).collect();
    let [place] = places[..] else { return Err(format!("{} lines begin with `{after}`", places.len())) };
    Ok(format!("{}\n{added}{}\n", lines[..=place].join("\n"), lines[place + 1..].join("\n")))
}

/// What the runner and the engine's tests are built from.
const COPIED: [&str; 13] = [
    "sim-core",
    "traces",
    "timelines",
    "lab",
    "papers",
    "cli",
    "studies",
    "wasm",
    "web/src/schemes",
    "examples",
    "tests/golden",
    "tests/suite/alone",
    "silicon",
];

/// Copies a folder without what a build has left there.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap).filter(|entry| entry.file_name() != "target") {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A workspace of the runner and what it links, with the versions, lints and build of this one.
fn manifest() -> String {
    let whole = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let kept = [
        "[workspace.package]",
        "[workspace.dependencies]",
        "[workspace.lints.rust]",
        "[workspace.lints.clippy]",
        "[profile.dev]",
        "[profile.dev.package.sim-core]",
    ];
    let section = |name: &str| {
        let from = whole.find(name).unwrap_or_else(|| panic!("Cargo.toml has no {name}"));
        let rest = &whole[from..];
        &rest[..rest[1..].find("\n[").map_or(rest.len(), |end| end + 2)]
    };
    let sections: String = kept.iter().map(|name| section(name)).collect();
    format!("[workspace]\nresolver = \"3\"\nmembers = [\"sim-core\", \"traces\", \"lab\", \"papers\", \"cli\", \"studies\"]\n\n{sections}")
}

#[test]
#[ignore = "full: do the recipes of docs/reference/recipes build and pass as they stand?"]
fn every_recipe_works_as_it_stands() {
    let pages = fs::read_dir(root().join("docs/reference/recipes")).unwrap();
    let steps = pages.flat_map(|page| steps(&fs::read_to_string(page.unwrap().path()).unwrap()));
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("recipes");
    for part in COPIED {
        let _ = fs::remove_dir_all(place.join(part));
        copy(&root().join(part), &place.join(part));
    }
    fs::write(place.join("Cargo.toml"), manifest()).unwrap();
    fs::copy(root().join("Cargo.lock"), place.join("Cargo.lock")).unwrap();
    let mut tests = 0;
    for step in steps {
        match step {
            Step::File { path, text } => {
                let file = place.join(&path);
                assert!(!file.exists(), "{path} is there already");
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                tests += text.matches("#[test]").count();
                fs::write(file, text).unwrap();
            }
            Step::Line { path, after, text } => {
                let file = place.join(&path);
                let old = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {error}"));
                fs::write(&file, insert(&old, &after, &text).unwrap_or_else(|error| panic!("{path}: {error}"))).unwrap();
            }
        }
    }
    assert!(tests >= 3, "the pages test only {tests} of their recipes");
    let cargo = |words: &[&str]| {
        let cargo = Command::new(env!("CARGO"))
            .args(words)
            .current_dir(&place)
            .env("CARGO_TARGET_DIR", place.join("target"))
            .env("RUSTFLAGS", "-D warnings")
            .output()
            .unwrap();
        let text = format!("{}{}", String::from_utf8_lossy(&cargo.stdout), String::from_utf8_lossy(&cargo.stderr));
        assert!(cargo.status.success(), "{text}");
        text
    };
    let promised = cargo(&["test", "--quiet", "--offline", "--package", "corun", "--test", "recipes"]);
    assert!(promised.contains(&format!("{tests} passed")), "{promised}");
    cargo(&["test", "--quiet", "--offline", "--package", "sim-core", "--lib"]);
    let study = cargo(&["run", "--quiet", "--offline", "--package", "corun-studies", "--", "seeds", "2000"]);
    assert!(study.contains("| 3 | ") && study.contains("for 2000 cycles"), "{study}");
}

#[test]
fn a_recipe_that_fits_nothing_is_noticed() {
    assert_eq!(insert("a,\nb,\n", "b", "c,\n"), Ok("a,\nb,\nc,\n\n".to_owned()));
    assert!(insert("a,\nb,\n", "x", "c,\n").is_err());
    assert!(insert("a,\na,\n", "a", "c,\n").is_err());
    let page = "```rust file=a.rs\nx\n```\ntext\n```rust line=b.rs after=mod a;\ny\n```\n```sh\nls\n```\n";
    let file = Step::File { path: "a.rs".into(), text: "x\n".into() };
    let line = Step::Line { path: "b.rs".into(), after: "mod a;".into(), text: "y\n".into() };
    assert_eq!(steps(page), [file, line]);
}
