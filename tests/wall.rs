//! Does the tree keep its wall? Policies and the predictor never see the machine; the machine never sees policies.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found
}

fn mentions(folder: &str, forbidden: &[&str]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("sim-core/src");
    let is_test = |file: &PathBuf| file.strip_prefix(&root).unwrap().iter().any(|part| part == "tests" || part == "tests.rs");
    let files = sources(&root.join(folder)).into_iter().filter(|file| !is_test(file));
    let mut found = Vec::new();
    for file in files.collect::<Vec<_>>() {
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            if forbidden.iter().any(|word| line.contains(word)) {
                found.push(format!("{}:{}: {}", file.display(), number + 1, line.trim()));
            }
        }
    }
    found
}

#[test]
fn policies_and_predictor_do_not_see_the_machine() {
    assert!(!sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sim-core/src/policy")).is_empty());
    for folder in ["policy", "predict"] {
        assert_eq!(mentions(folder, &["machine", "crate::simulation", "crate::frame"]), Vec::<String>::new());
    }
}

#[test]
fn the_machine_does_not_see_policies() {
    assert!(sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sim-core/src/machine")).len() > 10);
    let found = mentions("machine", &["crate::policy", "crate::observation", "crate::simulation", "crate::experiment", "crate::predict"]);
    assert_eq!(found, Vec::<String>::new());
}

/// The machine's state holds no floats, no hash maps, and nothing else whose value could depend on the target.
#[test]
fn machine_state_is_the_same_everywhere() {
    let found = mentions("machine", &["f64", "f32", "HashMap", "HashSet"]);
    assert_eq!(found, Vec::<String>::new());
}
