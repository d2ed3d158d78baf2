//! `cargo xtask`: the project's own commands.

fn main() -> anyhow::Result<()> {
    anyhow::bail!("usage: cargo xtask wasm | serve | test | dist | bench")
}
