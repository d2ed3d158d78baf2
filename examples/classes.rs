//! How each program of the HeteroCore paper behaves by itself: on eight SMs of each class, on 16 of the baseline, and on eight big and eight small
//! ones; and what each takes from its source.
//!
//! `cargo run --release --example classes -- [CYCLES]` prints docs/kernels-hetero.md.

use sim_core::describe::gpu::{Gpu, occupancy, presets};
use sim_core::describe::kernel::{Launch, library};

#[path = "../tests/alone/mod.rs"]
#[allow(dead_code)] // the tests and the other examples use the rest
mod alone;

use alone::{HETERO, Launched, Resident, classes};

fn main() -> Result<(), String> {
    let cycles = std::env::args().nth(1).map_or(Ok(300_000), |text| text.parse().map_err(|e| format!("CYCLES: {e}")))?;
    println!("{HEAD}");
    let [fermi, hetero] = ["fermi-16sm", "hetero-8b8s"].map(|name| presets::find(name).expect("a preset"));
    let [base, big, small] = classes();
    let gpus = [base, big, small, fermi, hetero];
    for program in &HETERO {
        for (number, launch) in different(program.name)? {
            println!("{}", row(&gpus, program, number, &launch, cycles)?);
        }
    }
    println!("{SOURCES}");
    for program in &HETERO {
        println!("{}", source(&gpus, program.name)?);
    }
    Ok(())
}

/// A program's kernels: its launches, of which equal programs and shapes count once, each with its number.
fn different(name: &str) -> Result<Vec<(usize, Launch)>, String> {
    let launches = library::find(name).ok_or("no kernel")?.launches;
    let mut found: Vec<(usize, Launch)> = Vec::new();
    for (number, launch) in launches.into_iter().enumerate() {
        let kind = |launch: &Launch| (launch.threads, launch.registers, launch.shared_bytes, launch.program.len());
        if found.iter().all(|(_, other)| kind(other) != kind(&launch)) {
            found.push((number, launch));
        }
    }
    Ok(found)
}

fn row(gpus: &[Gpu; 5], program: &Resident, number: usize, launch: &Launch, cycles: u64) -> Result<String, String> {
    let measure = |gpu: &Gpu| Launched::measure(gpu, program.name, number, cycles);
    let [base, big, small, sixteen, hetero] = [0, 1, 2, 3, 4].map(|n: usize| measure(&gpus[n]));
    let (base, big, small, sixteen, hetero) = (base?, big?, small?, sixteen?, hetero?);
    let class = if program.thick { "thick" } else { "lean" };
    let printed = program.hetero.filter(|_| number == 0).map_or(String::new(), |printed| format!(" ({printed})"));
    Ok(format!(
        "| {}{} | {class} | {} | {:.0} | {:.2} | {:.2} | {:.0} / {:.0} | {:.0} | {:.2}{printed} | {:.0} / {:.0} |",
        program.name,
        if number > 0 { format!(", launch {}", number + 1) } else { String::new() },
        held(gpus, launch),
        base.ipc,
        small.ipc / base.ipc,
        big.ipc / base.ipc,
        base.noc,
        base.dram,
        sixteen.ipc,
        hetero.ipc / sixteen.ipc,
        sixteen.noc,
        sixteen.dram,
    ))
}

/// CTAs of the launch that an SM of each class holds.
fn held(gpus: &[Gpu; 5], launch: &Launch) -> String {
    let [base, big, small] = [0, 1, 2].map(|n: usize| occupancy::of(launch, &gpus[n].sms[0]).ctas);
    format!("{base} / {big} / {small}")
}

/// A program's section: where it comes from, its shapes, and what is taken and left free.
fn source(gpus: &[Gpu; 5], name: &str) -> Result<String, String> {
    let kernel = library::find(name).ok_or("no kernel")?;
    let shapes: Vec<String> = different(name)?.iter().map(|(_, launch)| shape(gpus, launch)).collect();
    let times = if kernel.launches.len() > shapes.len() { format!(", {} launches", kernel.launches.len()) } else { String::new() };
    Ok(format!("\n### {name}: {}\n\n{}\n\n{}{times}.\n\n{}", kernel.title, kernel.source, shapes.join("; then "), kernel.doc))
}

fn shape(gpus: &[Gpu; 5], launch: &Launch) -> String {
    let Launch { ctas, threads, registers, shared_bytes, .. } = launch;
    let held = held(gpus, launch);
    format!("{ctas} CTAs of {threads} threads, {registers} registers each, {shared_bytes} bytes of shared memory: {held} fit an SM")
}

const HEAD: &str = "<!-- Printed by `cargo run --release --example classes`: change the kernels, or examples/classes.rs. -->
# The kernels of the HeteroCore paper by themselves

Each program of Zhao, Wang and Eeckhout (TPDS 2019), a row for each of its kernels, again and again for 300,000 cycles after half as many, with
greedy-then-oldest warps and as many CTAs as fit. CTAs are those of a baseline, a big and a small SM. IPC counts thread instructions. Small and big: IPC
on eight small and on eight big SMs over that on eight of the baseline. Whole: IPC on `hetero-8b8s` over that on `fermi-16sm`, in brackets what the paper
prints (§6.3). NoC / DRAM: percent of peak on eight and on 16 SMs of the baseline. tests/sm_classes.rs keeps CTAs and classes.

| kernel | class | CTAs | IPC, 8 SMs | small | big | NoC / DRAM | IPC, 16 SMs | whole | NoC / DRAM |
| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |";

const SOURCES: &str = "
The classes are calibration, as the CTAs are: they count as no result of a reproduction.

## Sources";
