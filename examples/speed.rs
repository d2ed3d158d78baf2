//! Fixed runs against the clock, on one core: `cargo xtask bench` runs this and the same runs on the compiled module, and compares.
//!
//! Prints one line a run, with tabs: name, cycles, warp instructions, seconds, digest.

use sim_core::experiment::Experiment;
use sim_core::simulation::Simulation;
use sim_core::value::Value;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let part = if std::env::args().any(|a| a == "--quick") { 10 } else { 1 };
    for line in fs::read_to_string(root.join("xtask/speed.tsv"))?.lines() {
        let (name, cycles) = line.split_once('\t').ok_or("a line of speed.tsv is a name, a tab and cycles")?;
        let value: Value = serde_json::from_str(&fs::read_to_string(root.join(format!("examples/experiments/{name}.json")))?)?;
        let experiment = Experiment::decode(&value)?;
        let budget = cycles.parse::<u64>()? / part;
        // The same warm-up as in Node, where it matters more.
        Simulation::new(&experiment)?.advance(budget.min(20_000));
        let mut simulation = Simulation::new(&experiment)?;
        let start = Instant::now();
        simulation.advance(budget);
        let seconds = start.elapsed().as_secs_f64();
        let instructions: u64 = simulation.totals().iter().map(|kernel| kernel.warp_instructions).sum();
        println!("{name}\t{}\t{instructions}\t{seconds}\t{:016x}", simulation.cycle(), simulation.digest());
    }
    Ok(())
}
