#!/usr/bin/env bash
# Two builds of one commit differ, because a crate draws a random number while it is compiled.
#
# Versions: rhai 1.27.0 with `no_std`, which takes ahash 0.8 with `compile-time-rng`, which takes const-random 0.1; Rust 1.95.
# Guess: cargo with a lock file and the same compiler gives the same bytes; where there is no operating system there is no random.
# Seen: without std, ahash has no other source of keys, so const-random puts new ones into each build: one program, built twice,
#   hashes a name to two numbers. With CONST_RANDOM_SEED in the build's environment both are the same.
# Hurts: an engine of wasm that is known by its digest has another one in each build, and the order of a hash map, should anything
#   depend on it, is another one too.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
mkdir src
cat > Cargo.toml <<'TOML'
[package]
name = "built"
version = "0.0.0"
edition = "2021"
[dependencies]
ahash = { version = "=0.8.12", default-features = false, features = ["compile-time-rng"] }
[target.'cfg(any())'.dependencies]
rhai = { version = "=1.27.0", default-features = false, features = ["no_std"] }
TOML
cat > src/main.rs <<'RUST'
use std::hash::Hasher;
fn main() {
    let mut hasher = ahash::AHasher::default();
    hasher.write(b"kernel");
    println!("{:x}", hasher.finish());
}
RUST
cargo tree --quiet --target all --invert const-random --prefix none --format '{p}' 2> log | cut -d' ' -f1 | uniq | paste -sd' ' | tee chain
hash() { cargo run --quiet --target-dir "$1" 2>> log; }
one=$(hash one) again=$(hash one) two=$(hash two)
export CONST_RANDOM_SEED=1
three=$(hash three) four=$(hash four)
echo "two builds $one $two, one build twice $one $again, two builds with a seed $three $four"
[ "$one" != "$two" ]
[ "$one" = "$again" ]
[ "$three" = "$four" ]
grep -q '^const-random ahash .*rhai' chain
