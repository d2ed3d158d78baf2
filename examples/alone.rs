//! How each kernel of the library behaves by itself: the whole GPU, greedy-then-oldest warps, as many CTAs as fit; then with half of the
//! CTAs, and with twice the latency of L2 and DRAM.
//!
//! `cargo run --release --example alone -- [CYCLES]` prints docs/kernels.md.

use sim_core::describe::gpu::{Gpu, presets};
use sim_core::describe::kernel::library;

#[path = "../tests/alone/mod.rs"]
#[allow(dead_code)] // the tests and examples/queues.rs use the rest
mod alone;

use alone::{Alone, TABLE_2, Target, far};

fn main() -> Result<(), String> {
    let cycles = std::env::args().nth(1).map_or(Ok(alone::CYCLES), |text| text.parse().map_err(|e| format!("CYCLES: {e}")))?;
    let gpu = presets::find("ccbp-16sm").ok_or("no preset")?;
    println!("{HEAD}");
    for target in &TABLE_2 {
        println!("{}", row(&gpu, target, cycles)?);
    }
    println!("{OTHERS}");
    for name in library::names() {
        if TABLE_2.iter().all(|target| target.name != name) {
            let found = Alone::measure(&gpu, name, None, cycles)?;
            println!("| {name} | {} | {:.1} | {:.1} | {:.1} | {:.1} |", found.ctas, found.throughput, found.noc, found.dram, found.l2_miss);
        }
    }
    Ok(())
}

fn row(gpu: &Gpu, target: &Target, cycles: u64) -> Result<String, String> {
    let full = Alone::measure(gpu, target.name, None, cycles)?;
    let half = Alone::measure(gpu, target.name, Some(full.ctas / 2), cycles)?;
    let slow = Alone::measure(&far(gpu), target.name, None, cycles)?;
    let [thro, noc, dram, miss] = target.percent;
    Ok(format!(
        "| {} | {} | {} | {:.1} ({thro}) | {:.1} ({noc}) | {:.1} ({dram}) | {:.1} ({miss}) | {:.2} | {:.2} | {:.0} | {:.1} / {:.1} | {:.2} |",
        target.name,
        target.class.name(),
        full.ctas,
        full.throughput,
        full.noc,
        full.dram,
        full.l2_miss,
        full.rf,
        full.df,
        full.latency,
        half.noc,
        half.dram,
        full.ipc / slow.ipc,
    ))
}

const HEAD: &str = "<!-- Printed by `cargo run --release --example alone`: change the kernels, or examples/alone.rs. -->
# The kernels by themselves

Each kernel of CCBP's Table 2 alone on `ccbp-16sm`, greedy-then-oldest warps, as many CTAs as fit; in brackets what the paper prints. Percent
of peak, but for L2 misses, which are percent of look-ups. NoC: replies that carry data, as CCBP's equation 1 counts them; acknowledgements
of stores are left out. `rf`, `df`: reads and DRAM accesses for each request. Latency: an L1D read miss, in core cycles. Half: NoC / DRAM with
half of the CTAs. Far: how many times slower with twice the latency of L2 and of DRAM. tests/kernels.rs keeps all of it, and names what is
further from the paper than it should be: KM, LAV, LBM and SRT were calibrated with another rule of the store buffer ([queues](queues.md)).

| kernel | class | CTAs | throughput | NoC | DRAM | L2 misses | rf | df | latency | half | far |
| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |";

const OTHERS: &str = "
Kernels for lessons and tests, without a target:

| kernel | CTAs | throughput | NoC | DRAM | L2 misses |
| --- | --: | --: | --: | --: | --: |";
