//! Lists the experiments, sweeps, predictions and scripts of examples, so that adding one needs no second place.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    list(&manifest, "experiments", "json")?;
    list(&manifest, "sweeps", "json")?;
    list(&manifest, "predict", "json")?;
    list(&manifest, "scripts", "rhai")
}

/// Writes the texts of a folder of examples, by name.
fn list(manifest: &Path, examples: &str, extension: &str) -> io::Result<()> {
    let folder = manifest.join("../examples").join(examples).canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)?.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == extension));
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        list += &format!("    ({name:?}, include_str!({:?})),\n", file.display().to_string());
    }
    list += "]\n";
    fs::write(Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join(format!("{examples}.rs")), list)
}
