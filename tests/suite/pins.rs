//! Versions that must agree with one another, read from the files that state them.

use std::{fs, path::Path};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// All versions of `package` in Cargo.lock.
fn locked(lock: &str, package: &str) -> Vec<String> {
    let name = format!("name = \"{package}\"");
    let mut versions = Vec::new();
    let mut lines = lock.lines();
    while let Some(line) = lines.next() {
        if line == name {
            let version = lines.next().and_then(|l| l.strip_prefix("version = "));
            versions.extend(version.map(|v| v.trim_matches('"').to_owned()));
        }
    }
    versions
}

/// The module and the tool that writes its JavaScript exchange a schema without compatibility between patches.
#[test]
fn wasm_bindgen_is_one_version_everywhere() {
    let lock = read("Cargo.lock");
    let tool = locked(&lock, "wasm-bindgen-cli-support");
    assert_eq!(tool.len(), 1, "wasm-bindgen-cli-support in Cargo.lock: {tool:?}");
    for package in ["wasm-bindgen", "wasm-bindgen-cli", "wasm-bindgen-shared"] {
        assert_eq!(locked(&lock, package), tool, "{package} against wasm-bindgen-cli-support");
    }
}

/// The toolchain that builds is the one that the manifest promises to support.
#[test]
fn toolchain_matches_the_manifest() {
    let toolchain = read("rust-toolchain.toml");
    let manifest = read("Cargo.toml");
    let value = |text: &str, key: &str| {
        let line = text.lines().find_map(|l| l.strip_prefix(key));
        line.unwrap_or_else(|| panic!("no {key}")).trim().trim_matches('"').to_owned()
    };
    let channel = value(&toolchain, "channel =");
    let promised = value(&manifest, "rust-version =");
    assert!(channel.starts_with(&promised), "rust-toolchain.toml has {channel}, Cargo.toml promises {promised}");
    assert!(channel.matches('.').count() == 2, "a channel that moves ({channel}) is not a pin");
}

/// Two builds of one commit give the same bytes: a dependency of the interpreter draws its hash keys while it is compiled.
#[test]
fn a_build_draws_no_random_number() {
    assert!(option_env!("CONST_RANDOM_SEED").is_some(), "const-random needs a seed: .cargo/config.toml");
}

/// What is packed has no folder beside it: every crate of the workspace that another one uses has the workspace's version. So have the others who
/// state one.
#[test]
fn every_crate_has_the_version_of_the_whole() {
    let manifest = read("Cargo.toml");
    let version = manifest.lines().find(|line| line.starts_with("version = ")).expect("the workspace's version");
    let paths: Vec<&str> = manifest.lines().filter(|line| line.contains("path = \"") && line.contains(" = {")).collect();
    assert!(paths.len() >= 3, "{paths:?}");
    for line in paths {
        assert!(line.contains(version), "found {line}, want {version} in it");
    }
    let own = read("sim-core/Cargo.toml");
    assert!(own.contains(version) && !own.contains("path = \""), "sim-core has another version than {version}, or depends on a folder");
    let number = version.trim_start_matches("version = ");
    assert!(read("web/package.json").contains(&format!("\"version\": {number}")), "web/package.json has another version than {number}");
    assert!(read("CITATION.cff").contains(&format!("\nversion: {}\n", number.trim_matches('"'))), "CITATION.cff has another than {number}");
}

/// Links on a system that has none are files with a path in them.
#[test]
fn the_core_has_the_licences_of_the_whole() {
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        assert_eq!(read(&format!("sim-core/{licence}")), read(licence));
    }
}
