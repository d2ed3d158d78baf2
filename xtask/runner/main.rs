//! `cargo test --target wasm32-unknown-unknown` calls this (see .cargo/config.toml):
//! wasm-bindgen-test-runner at the version pinned in Cargo.lock.

fn main() -> anyhow::Result<()> {
    env_logger::init();
    wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(std::env::args_os())
}
