//! `cargo xtask bench`: how fast the engine is, natively and in WebAssembly, on fixed experiments, one core.

use crate::run::{cargo, output, root, run, target_dir};
use crate::{need, wasm};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::process::Command;

/// The best run of one experiment in one host.
#[derive(Clone, Debug)]
struct Best {
    cycles: f64,
    instructions: f64,
    seconds: f64,
    digest: String,
}

/// Alternates native and Node runs, so that a busy moment of the machine hits both, and compares the best of each.
pub fn bench(quick: bool) -> Result<()> {
    need::wasm_target()?;
    need::node()?;
    println!("Building the native programs …");
    run(&mut cargo(&["build", "--quiet", "--release", "--example", "speed"]))?;
    wasm::build(true)?;
    let rounds = if quick { 1 } else { 5 };
    let mut native = BTreeMap::new();
    let mut node = BTreeMap::new();
    for round in 1..=rounds {
        eprintln!("round {round} of {rounds} …");
        let speed = target_dir().join("release/examples/speed");
        keep_best(&mut native, &mut Command::new(speed), quick)?;
        keep_best(&mut node, Command::new("node").arg("--no-warnings").arg("xtask/speed.mjs"), quick)?;
    }
    println!(
        "\n{:<22} {:>14} {:>12} {:>14} {:>12} {:>8}",
        "experiment", "native cyc/s", "ns/warp inst", "wasm cyc/s", "ns/warp inst", "ratio"
    );
    for (name, here) in &native {
        let there: &Best = node.get(name).with_context(|| format!("{name} did not run in Node"))?;
        ensure!(here.digest == there.digest, "{name}: the digests differ: native {}, Node {}", here.digest, there.digest);
        println!(
            "{name:<22} {:>14.0} {:>12.1} {:>14.0} {:>12.1} {:>8.2}",
            here.cycles / here.seconds,
            here.seconds / here.instructions * 1e9,
            there.cycles / there.seconds,
            there.seconds / there.instructions * 1e9,
            there.seconds / here.seconds
        );
    }
    println!("\ncyc/s: simulated GPU cycles a second; ratio: WebAssembly's time over native time; best of {rounds}.");
    Ok(())
}

/// Runs a program that prints one line a run (name, cycles, warp instructions, seconds, digest; tabs between).
fn keep_best(best: &mut BTreeMap<String, Best>, program: &mut Command, quick: bool) -> Result<()> {
    program.current_dir(root());
    if quick {
        program.arg("--quick");
    }
    let text = output(program).with_context(|| format!("{} failed", crate::run::shown(program)))?;
    for line in text.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        let [name, cycles, instructions, seconds, digest] = parts[..] else { anyhow::bail!("not a line of a speed run: {line:?}") };
        let now =
            Best { cycles: cycles.parse()?, instructions: instructions.parse()?, seconds: seconds.parse()?, digest: digest.to_owned() };
        match best.get_mut(name) {
            Some(old) => {
                ensure!(old.digest == now.digest, "{name}: two runs, two digests");
                if now.seconds < old.seconds {
                    *old = now;
                }
            }
            None => {
                best.insert(name.to_owned(), now);
            }
        }
    }
    Ok(())
}
