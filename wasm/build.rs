//! Lists the experiments of examples/experiments in the module, so that adding one needs no second place.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let folder = manifest.join("../examples/experiments").canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)?.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "json"));
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        list += &format!("    ({name:?}, include_str!({:?})),\n", file.display().to_string());
    }
    list += "]\n";
    fs::write(Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("experiments.rs"), list)
}
