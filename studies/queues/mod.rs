//! Every bounded queue of `ccbp-16sm`, and of the GPUs of the QoS paper, against Little's law: outstanding = rate × time.
//!
//! First what the paper prints of each kernel alone asks for at least, then what each queue holds here while the kernel runs alone. Of the QoS
//! paper's GPUs nothing is printed: what the peak rate of DRAM asks for.

use crate::{Page, short, table_2};
use sim_core::describe::gpu::{Gpu, presets};
use sim_core::describe::ids::KernelId;
use sim_core::interface::ratios;
use sim_core::machine::Machine;
use sim_core::run::simulation::Simulation;
use sim_core::study::probe;

use crate::table_2::{Asked, PROGRAMS, SAD_LATENCY, TABLE_2, Target, experiment};

/// Core cycles between two looks at the queues: no divisor of an interval.
const STEP: u64 = 101;
/// Core cycles before the first look.
const WARM: u64 = 50_000;

/// Fills the page.
pub fn page(args: &[String], page: &mut Page) -> Result<(), String> {
    let cycles = args.first().map_or(Ok(table_2::CYCLES), |text| text.parse().map_err(|e| format!("CYCLES: {e}")))?;
    let gpu = presets::find("ccbp-16sm").ok_or("no preset")?;
    for target in &TABLE_2 {
        page.line("asked", asked(&gpu, target));
    }
    table(page, "here", &gpu, TABLE_2.map(|target| target.name).as_slice(), cycles)?;
    for name in ["qos-16sm", "qos-56sm"] {
        page.line("peaks", at_peak(&presets::find(name).ok_or("no preset")?));
    }
    table(page, "qos_here", &presets::find("qos-16sm").ok_or("no preset")?, PROGRAMS.map(|program| program.0).as_slice(), cycles)
}

/// What the queues of `gpu` hold of each kernel alone.
fn table(page: &mut Page, mark: &'static str, gpu: &Gpu, kernels: &[&str], cycles: u64) -> Result<(), String> {
    let places = Queue::ALL.map(|queue| format!("{} ({})", queue.name, (queue.places)(gpu))).join(" | ");
    page.line(mark, format!("| kernel | {places} | binds |\n| --- |{} --- |", " --: |".repeat(Queue::ALL.len())));
    for kernel in kernels {
        page.line(mark, held(gpu, kernel, cycles)?);
    }
    Ok(())
}

/// What is under way at the peak rate of DRAM and unloaded latencies, and the places for it.
fn at_peak(gpu: &Gpu) -> String {
    let lines = ratios::dram_bytes_per_cycle(gpu) / f64::from(gpu.l2.line_bytes);
    let (hit, miss) = probe::unloaded_latency(gpu);
    let of = |parts: u32, latency: f64, places: u32| format!("{:.1} of {places}", lines * latency / f64::from(parts));
    let l1 = of(gpu.sm_count(), miss, gpu.sms[0].l1.mshrs);
    let l2 = of(gpu.l2.banks, miss - hit, gpu.l2.mshrs);
    format!("| {} | {l1} | {l2} | {} |", gpu.name, of(gpu.dram.channels, miss - hit, gpu.dram.queue))
}

/// What Table 2 asks of a kernel's queues, and where there are fewer places.
fn asked(gpu: &Gpu, target: &Target) -> String {
    let asked = Asked::of(gpu, target);
    let l1 = &gpu.sms[0].l1;
    let loaded = if target.name == "ccbp/SAD" { SAD_LATENCY } else { 1.0 };
    let places =
        [(asked.reads, l1.mshrs), (asked.stores, l1.store_buffer), (asked.misses, gpu.l2.mshrs), (asked.transactions, gpu.dram.queue)];
    let fits = |(asked, places): (f64, u32)| {
        let mark = if asked * loaded > f64::from(places) { " **no**" } else { "" };
        let at_load = if loaded > 1.0 && asked > 0.0 { format!(", {:.1} at {loaded} times", asked * loaded) } else { String::new() };
        format!("{asked:.1}{at_load}{mark}")
    };
    format!("| {} | {} |", short(target.name), places.map(fits).join(" | "))
}

/// A kind of bounded queue: there are `count` of them, each of `places`.
struct Queue {
    name: &'static str,
    count: fn(&Gpu) -> u32,
    places: fn(&Gpu) -> u32,
    held: fn(&Machine, u32) -> u32,
}

const ONLY: KernelId = KernelId(0);

impl Queue {
    const ALL: [Queue; 9] = [
        Queue { name: "LSU", count: Gpu::sm_count, places: |gpu| gpu.sms[0].lsu_queue, held: |m, i| m.sms[i as usize].lsu_waiting(ONLY) },
        Queue {
            name: "L1D MSHRs",
            count: Gpu::sm_count,
            places: |gpu| gpu.sms[0].l1.mshrs,
            held: |m, i| m.sms[i as usize].l1().mshrs_used(),
        },
        Queue {
            name: "store buffer",
            count: Gpu::sm_count,
            places: |gpu| gpu.sms[0].l1.store_buffer,
            held: |m, i| m.sms[i as usize].l1().stores_held(ONLY),
        },
        Queue {
            name: "miss queue",
            count: Gpu::sm_count,
            places: |gpu| gpu.sms[0].l1.miss_queue,
            held: |m, i| m.sms[i as usize].l1().misses_waiting(ONLY),
        },
        Queue {
            name: "request NoC",
            count: Gpu::sm_count,
            places: |gpu| gpu.noc.queue + gpu.noc.latency,
            held: |m, i| m.memory.request_queue(i)[ONLY],
        },
        Queue { name: "L2 queue", count: |gpu| gpu.l2.banks, places: |gpu| gpu.l2.queue, held: |m, i| m.memory.l2_queue(i)[ONLY] },
        Queue { name: "L2 MSHRs", count: |gpu| gpu.l2.banks, places: |gpu| gpu.l2.mshrs, held: |m, i| m.memory.l2_mshrs(i)[ONLY] },
        Queue {
            name: "reply NoC",
            count: |gpu| gpu.l2.banks,
            places: |gpu| gpu.noc.queue + gpu.noc.latency,
            held: |m, i| m.memory.reply_queue(i)[ONLY],
        },
        Queue {
            name: "DRAM queue",
            count: |gpu| gpu.dram.channels,
            places: |gpu| gpu.dram.queue,
            held: |m, i| m.memory.dram_queue(i)[ONLY],
        },
    ];
}

/// Mean of what each kind of queue holds, and in how many of a hundred looks it is full.
fn held(gpu: &Gpu, kernel: &str, cycles: u64) -> Result<String, String> {
    let mut simulation = Simulation::new(&experiment(gpu, kernel, None, WARM + cycles)?).map_err(|problems| problems.to_string())?;
    simulation.advance(WARM);
    let mut sums = [(0_u64, 0_u64); Queue::ALL.len()];
    let mut looks = 0_u64;
    while simulation.cycle() + STEP < WARM + cycles {
        simulation.advance(STEP);
        looks += 1;
        for (queue, (sum, full)) in Queue::ALL.iter().zip(&mut sums) {
            for i in 0..(queue.count)(gpu) {
                let held = (queue.held)(simulation.machine(), i);
                *sum += u64::from(held);
                *full += u64::from(held >= (queue.places)(gpu));
            }
        }
    }
    let mut cells = Vec::new();
    let mut binds = Vec::new();
    for (queue, (sum, full)) in Queue::ALL.iter().zip(sums) {
        let all = (looks * u64::from((queue.count)(gpu))) as f64;
        let full = 100.0 * full as f64 / all;
        cells.push(format!("{:.1}, {full:.0} %", sum as f64 / all));
        if full >= 10.0 {
            binds.push(queue.name);
        }
    }
    let binds = if binds.is_empty() { "none".to_owned() } else { binds.join(", ") };
    Ok(format!("| {} | {} | {binds} |", short(kernel), cells.join(" | ")))
}
