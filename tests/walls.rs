//! The two walls of the engine, read from its source: a policy never sees the machine, and the machine never sees a policy.
//! (`policy/` and `predict/` work from controls, observations, and descriptions of the GPU and the kernels.)

use std::fs;
use std::path::{Path, PathBuf};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sim-core/src")
}

fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found
}

/// The modules of the crate that a line of code names, as in `crate::machine::Machine` and `use crate::{machine, stats::Counter};`.
fn modules(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for after in code.split("crate::").skip(1) {
        let word = |text: &str| text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        let Some(list) = after.strip_prefix('{') else {
            found.push(word(after));
            continue;
        };
        // Only the outermost level of the braces names modules.
        let mut depth = 0;
        let mut start = true;
        for (at, c) in list.char_indices() {
            if depth == 0 && start && !c.is_whitespace() {
                found.push(word(&list[at..]));
                start = false;
            }
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => start = true,
                _ => {}
            }
        }
    }
    found.retain(|w| !w.is_empty());
    found
}

fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// Lines of `folder` (a file or folder of the core) that name one of `forbidden`.
fn breaches(folder: &str, forbidden: &[&str]) -> Vec<String> {
    let place = source().join(folder);
    let mut files = rust_files(&place);
    let file = place.with_extension("rs");
    files.extend(file.exists().then_some(file));
    assert!(!files.is_empty(), "sim-core/src/{folder} is not there: has the wall moved?");
    let mut found = Vec::new();
    for file in files {
        let text = without_comments(&fs::read_to_string(&file).expect("a source file can be read"));
        for module in modules(&text).iter().filter(|m| forbidden.contains(&m.as_str())) {
            found.push(format!("{} names {module}", file.display()));
        }
    }
    found
}

#[test]
fn policies_never_see_the_machine() {
    assert_eq!(breaches("policy", &["machine", "simulation"]), Vec::<String>::new());
}

#[test]
fn the_machine_never_sees_a_policy() {
    assert_eq!(breaches("machine", &["policy", "predict", "simulation", "experiment"]), Vec::<String>::new());
}

#[test]
fn the_reader_of_imports_sees_what_it_should() {
    let text = without_comments("use crate::{gpu, machine::sm::Warp, stats::{A, B}}; // crate::policy\nlet x = crate::policy::X;");
    assert_eq!(modules(&text), ["gpu", "machine", "stats", "policy"]);
}
