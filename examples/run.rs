//! Runs two kernels on a small GPU, in steps, and says how much slower each is than alone.

use sim_core::{Experiment, Problems, Reason, run, start};

fn main() -> Result<(), Problems> {
    let experiment =
        Experiment::of(["ccbp/BP", "ccbp/SAD"]).set("gpu", "tiny-2sm").set("policy", "smk").set("stop.cycles", 30_000).build()?;

    // Step by step: the machine can be looked at, copied and gone on with in between.
    let mut simulation = start(&experiment)?;
    while simulation.advance(10_000) == Reason::Budget {
        let outcome = simulation.outcome();
        println!("cycle {:>6}: IPC {:.1}", outcome.cycles, outcome.gpu.rates.ipc.unwrap_or(0.0));
    }

    // To the end, and each kernel by itself.
    let outcome = run(&experiment)?;
    for kernel in &outcome.kernels {
        println!("{:<4} {:.2} times slower than alone", kernel.name, kernel.slowdown.unwrap_or(f64::NAN));
    }
    println!("digest {}", outcome.digest);
    Ok(())
}
