//! How each kernel of the library behaves by itself: the whole GPU, greedy-then-oldest warps, as many CTAs as fit.
//!
//! `cargo run --release --example alone -- [GPU] [CYCLES]`

use sim_core::experiment::Experiment;
use sim_core::ids::KernelId;
use sim_core::kernel::library;
use sim_core::simulation::Simulation;
use sim_core::value::Value;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let gpu = arguments.next().unwrap_or_else(|| "ccbp-16sm".into());
    let cycles: i64 = arguments.next().map_or(Ok(300_000), |text| text.parse())?;
    println!(
        "{:<8} {:>6} {:>6} {:>6} {:>7} {:>6} {:>6} {:>8} {:>6} {:>9}",
        "kernel", "CTAs", "thro", "NoC", "DRAM", "L2miss", "rf", "df", "lat", "kcyc/s"
    );
    for name in library::names() {
        let value = Value::object([
            ("corun", Value::from(1)),
            ("gpu", gpu.as_str().into()),
            ("kernels", Value::array([name])),
            ("policy", "leftover".into()),
            ("warp_order", "gto".into()),
            ("stop", Value::object([("cycles", cycles)])),
        ]);
        let mut simulation = Simulation::new(&Experiment::decode(&value)?)?;
        let start = std::time::Instant::now();
        simulation.advance(u64::MAX);
        let seconds = start.elapsed().as_secs_f64();
        let result = simulation.result();
        let kernel = result
            .get("kernels")
            .map(|kernels| if let Value::Array(items) = kernels { items[0].clone() } else { Value::Null })
            .unwrap_or_default();
        let number = |value: Option<&Value>| value.and_then(Value::as_f64).unwrap_or(f64::NAN);
        let percent = |key: &str| 100.0 * number(kernel.get(key));
        let throughput = 100.0 * number(result.get("gpu").and_then(|gpu| gpu.get("throughput")));
        println!(
            "{name:<8} {:>6} {throughput:>6.1} {:>6.1} {:>7.1} {:>6.1} {:>6.2} {:>8.2} {:>6.0} {:>9.0}",
            simulation.cta_limit()[0][KernelId(0)],
            percent("noc_utilisation"),
            percent("dram_utilisation"),
            percent("l2_miss_rate"),
            number(kernel.get("rf")),
            number(kernel.get("df")),
            number(kernel.get("latency").and_then(|latency| latency.get("mean"))),
            simulation.cycle() as f64 / seconds / 1e3,
        );
    }
    Ok(())
}
