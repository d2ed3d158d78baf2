//! What each kernel of the latency prediction paper takes by itself: whole runs on ranges of 5 to 30 of the 30 SMs, beside what the paper
//! prints of it alone. And what each takes from its source.

use crate::Page;
use sim_core::describe::gpu::{occupancy, presets};
use sim_core::describe::kernel::library;
use sim_core::describe::value::Value;
use sim_core::interface::ratios::{Rates, milliseconds, ratio};
use sim_core::run::experiment::Experiment;
use sim_core::run::simulation::{Reason, Simulation};
use std::time::Instant;

/// What the paper prints of a kernel alone: milliseconds on 30 SMs and KAI (Table 2), and GB/s on some numbers of SMs (Table 3).
struct Printed {
    name: &'static str,
    ms: f64,
    kai: f64,
    gb_s: &'static [(u32, f64)],
}

const PRINTED: [Printed; 8] = [
    Printed { name: "VADD", ms: 0.379, kai: 0.056, gb_s: &[(5, 120.9), (15, 296.03), (20, 325.58)] },
    Printed { name: "SAXPY", ms: 0.379, kai: 0.059, gb_s: &[(5, 113.19), (15, 291.77)] },
    Printed { name: "COPY", ms: 0.271, kai: 0.064, gb_s: &[(5, 92.87), (15, 250.33)] },
    Printed { name: "RAYTRACE", ms: 2.621, kai: 3.575, gb_s: &[(5, 8.84), (10, 13.39), (15, 19.32)] },
    Printed { name: "DXTC", ms: 3.273, kai: 149.265, gb_s: &[(5, 0.04), (10, 0.09)] },
    Printed { name: "CONV", ms: 1.089, kai: 0.291, gb_s: &[(5, 46.96), (15, 140.37)] },
    Printed { name: "MVT", ms: 2.878, kai: 0.015, gb_s: &[(5, 45.39), (10, 74.33), (20, 109.5)] },
    Printed { name: "PF", ms: 0.337, kai: 0.475, gb_s: &[(5, 30.04), (10, 59.55)] },
];

const SMS: [u32; 6] = [5, 10, 15, 20, 25, 30];

/// A whole run alone.
struct Alone {
    ms: f64,
    gb_s: f64,
    kai: f64,
    sectors: u64,
    seconds: f64,
}

/// Fills the page.
pub fn page(args: &[String], page: &mut Page) -> Result<(), String> {
    let wanted = args;
    for printed in PRINTED.iter().filter(|printed| wanted.is_empty() || wanted.iter().any(|name| name == printed.name)) {
        let runs = SMS.map(|sms| alone(printed.name, sms));
        let runs: Vec<Alone> = runs.into_iter().collect::<Result<_, _>>()?;
        page.line("rows", row(printed, &runs));
        eprintln!("{}: {:.1?} s", printed.name, runs.iter().map(|run| run.seconds).collect::<Vec<_>>());
    }
    for printed in &PRINTED {
        page.line("sources", source(printed.name)?);
    }
    Ok(())
}

fn alone(name: &str, sms: u32) -> Result<Alone, String> {
    let text = format!(
        r#"{{ "corun": 1, "gpu": "rtx2060-30sm", "kernels": ["latency/{name}"], "policy": {{ "name": "spatial", "split": [{sms}] }},
              "warp_order": "gto", "restart": false, "stop": {{ "kernels_done": true }}, "alone": false }}"#
    );
    let value: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let experiment = Experiment::decode(&value).map_err(|problems| problems.to_string())?;
    let mut run = Simulation::new(&experiment).map_err(|problems| problems.to_string())?;
    let begun = Instant::now();
    if run.advance(u64::MAX) != Reason::KernelsDone {
        return Err(format!("{name} does not end on {sms} SMs"));
    }
    let (stats, gpu) = (run.totals()[0], &experiment.gpu);
    let sectors = stats.l2_reads + stats.l2_writes;
    Ok(Alone {
        ms: milliseconds(gpu, run.cycle()),
        gb_s: Rates::of(&stats, gpu, run.cycle()).l2_gb_s.unwrap_or(0.0),
        kai: ratio(stats.thread_instructions, sectors).unwrap_or(0.0) / 1000.0,
        sectors,
        seconds: begun.elapsed().as_secs_f64(),
    })
}

fn row(printed: &Printed, runs: &[Alone]) -> String {
    let whole = runs.last().expect("30 SMs");
    let off = 100.0 * (whole.ms / printed.ms - 1.0);
    let bandwidth = |(sms, run): (&u32, &Alone)| match printed.gb_s.iter().find(|(n, _)| n == sms) {
        Some((_, want)) => format!("{:.2} ({want}, {:+.0} %)", run.gb_s, 100.0 * (run.gb_s / want - 1.0)),
        None => format!("{:.2}", run.gb_s),
    };
    let bandwidths: Vec<String> = SMS.iter().zip(runs).map(bandwidth).collect();
    let times: Vec<String> = runs.iter().map(|run| format!("{:.3}", run.ms)).collect();
    format!(
        "| {} | {:.4} ({}) | {} | {} ({}, {off:+.1} %) | {} |",
        printed.name,
        whole.kai,
        printed.kai,
        whole.sectors,
        times.join(" / "),
        printed.ms,
        bandwidths.join(" | ")
    )
}

/// A kernel's section: where it comes from, its shapes, and what is taken and left free.
fn source(name: &str) -> Result<String, String> {
    let kernel = library::find(&format!("latency/{name}")).ok_or("no kernel")?;
    let gpu = presets::find("rtx2060-30sm").ok_or("no preset")?;
    let launch = &kernel.launches[0];
    let fit = occupancy::of(launch, &gpu.sms[0]).ctas;
    let times = if kernel.launches.len() > 1 { format!(", {} launches", kernel.launches.len()) } else { String::new() };
    Ok(format!(
        "\n### {}: {}\n\n{}\n\n{} CTAs of {} threads, {} registers each, {} bytes of shared memory: {fit} fit an SM{times}.\n\n{}",
        kernel.name,
        kernel.title,
        kernel.source,
        launch.ctas(),
        launch.threads,
        launch.registers,
        launch.shared_bytes,
        kernel.doc
    ))
}
