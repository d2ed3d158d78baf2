//! `bindings MODULE NAME FOLDER` writes NAME.js, its types and the module beside it, as wasm-bindgen does for the web.

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [module, name, folder] = &args[..] else { bail!("usage: bindings MODULE NAME FOLDER") };
    std::fs::create_dir_all(folder)?;
    Bindgen::new()
        .input_path(module)
        .out_name(name)
        .web(true)?
        .typescript(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(folder)
        .context("wasm-bindgen")
}
