//! Which scheme is fairest to a mix? Runs it under several and sorts them by harmonic speedup.

use sim_core::{Experiment, Problems, run};

fn main() -> Result<(), Problems> {
    let mut found = Vec::new();
    for policy in ["leftover", "even", "spatial", "smk", "ws"] {
        let experiment =
            Experiment::of(["ccbp/BP", "ccbp/SAD"]).set("gpu", "tiny-2sm").set("policy", policy).set("stop.cycles", 30_000).build()?;
        let metrics = run(&experiment)?.metrics;
        found.push((policy, metrics.hspeedup.unwrap_or(0.0), metrics.stp.unwrap_or(0.0)));
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    println!("{:<10} {:>9} {:>6}", "policy", "HSpeedup", "STP");
    for (policy, hspeedup, stp) in found {
        println!("{policy:<10} {hspeedup:>9.3} {stp:>6.3}");
    }
    Ok(())
}
