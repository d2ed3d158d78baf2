//! How each program of the HeteroCore paper behaves by itself: on eight SMs of each class, on 16 of the baseline, and on eight big and
//! eight small ones. And what each takes from its source.

use sim_core::describe::gpu::{Gpu, occupancy, presets};
use sim_core::describe::kernel::{Launch, library};

use crate::{Page, short};
use crate::table_2::{HETERO, Launched, Resident, classes};

/// Fills the page.
pub fn page(args: &[String], page: &mut Page) -> Result<(), String> {
    let cycles = args.first().map_or(Ok(1_000_000), |text| text.parse().map_err(|e| format!("CYCLES: {e}")))?;
    let [fermi, hetero] = ["fermi-16sm", "hetero-8b8s"].map(|name| presets::find(name).expect("a preset"));
    let [base, big, small] = classes();
    let gpus = [base, big, small, fermi, hetero];
    let mut lean = Vec::new();
    for program in &HETERO {
        for (number, launch) in different(program.name)? {
            let (row, ipc) = row(&gpus, program, number, &launch, cycles)?;
            page.line("rows", row);
            // Ten million cycles, which the paper runs, do not see the second kernel of a lean program, or hardly.
            lean.extend((number == 0 && !program.thick).then_some(ipc));
        }
    }
    let most = lean.iter().copied().fold(0.0, f64::max);
    page.say("mean", format!("{:.0}", lean.iter().sum::<f64>() / lean.len() as f64));
    page.say("most", format!("{most:.0}"));
    for program in &HETERO {
        page.line("sources", source(&gpus, program.name)?);
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

/// A row of the table, and the IPC on 16 SMs of the baseline.
fn row(gpus: &[Gpu; 5], program: &Resident, number: usize, launch: &Launch, cycles: u64) -> Result<(String, f64), String> {
    // A launch of SC begins with all warps in step, which is not how it goes on.
    let cycles = if short(program.name) == "SC" { 3 * cycles } else { cycles };
    let measure = |gpu: &Gpu| Launched::measure(gpu, program.name, number, cycles);
    let [base, big, small, sixteen, hetero] = [0, 1, 2, 3, 4].map(|n: usize| measure(&gpus[n]));
    let (base, big, small, sixteen, hetero) = (base?, big?, small?, sixteen?, hetero?);
    let class = if program.thick { "thick" } else { "lean" };
    let printed = program.hetero.filter(|_| number == 0).map_or(String::new(), |printed| format!(" ({printed})"));
    let row = format!(
        "| {}{} | {class} | {} | {:.0} | {:.2} | {:.2} | {:.0} / {:.0} | {:.0} | {:.2}{printed} | {:.0} / {:.0} |",
        short(program.name),
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
    );
    Ok((row, sixteen.ipc))
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
    Ok(format!("\n### {}: {}\n\n{}\n\n{}{times}.\n\n{}", kernel.name, kernel.title, kernel.source, shapes.join(". Then "), kernel.doc))
}

fn shape(gpus: &[Gpu; 5], launch: &Launch) -> String {
    let Launch { threads, registers, shared_bytes, .. } = launch;
    let ctas = launch.ctas();
    let held = held(gpus, launch);
    format!("{ctas} CTAs of {threads} threads, {registers} registers each, {shared_bytes} bytes of shared memory: {held} fit an SM")
}
