//! How each program of the HeteroCore paper behaves by itself: on eight SMs of each class, on 16 of the baseline, and on eight big and
//! eight small ones. And what each takes from its source.
//!
//! `cargo run --release -p corun-tools --bin pages classes [CYCLES]` prints docs/reference/kernels-hetero.md.

use sim_core::describe::gpu::{Gpu, occupancy, presets};
use sim_core::describe::kernel::{Launch, library};

use crate::short;
use crate::table_2::{HETERO, Launched, Resident, classes};

/// Prints the page.
pub fn page(args: &[String]) -> Result<(), String> {
    let cycles = args.first().map_or(Ok(1_000_000), |text| text.parse().map_err(|e| format!("CYCLES: {e}")))?;
    println!("{HEAD}");
    let [fermi, hetero] = ["fermi-16sm", "hetero-8b8s"].map(|name| presets::find(name).expect("a preset"));
    let [base, big, small] = classes();
    let gpus = [base, big, small, fermi, hetero];
    let mut lean = Vec::new();
    for program in &HETERO {
        for (number, launch) in different(program.name)? {
            let (row, ipc) = row(&gpus, program, number, &launch, cycles)?;
            println!("{row}");
            // Ten million cycles, which the paper runs, do not see the second kernel of a lean program, or hardly.
            lean.extend((number == 0 && !program.thick).then_some(ipc));
        }
    }
    let most = lean.iter().copied().fold(0.0, f64::max);
    println!(
        "\nIPC of lean programs on 16 SMs: {:.0} on average (paper: 107), {most:.0} at most (467).",
        lean.iter().sum::<f64>() / lean.len() as f64
    );
    println!("{NOTES}");
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

const HEAD: &str = "<!-- Printed by `cargo run --release -p corun-tools --bin pages classes`: change the kernels, or xtask/tools/pages/classes.rs. -->
# The kernels of the HeteroCore paper by themselves

Each program of Zhao, Wang and Eeckhout (TPDS 2019), a row for each of its kernels. A kernel runs again and again for a million cycles after half as
many, with greedy-then-oldest warps and as many CTAs as fit. SC, whose launch takes nearly three million cycles, runs for three. CTAs are those of a
baseline, a big and a small SM. IPC counts thread instructions. Small and big: IPC on eight small and on eight big SMs over that on eight of the baseline.
Whole: IPC on `hetero-8b8s` over that on `fermi-16sm`, in brackets what the paper prints (§6.3). NoC / DRAM: percent of peak on eight and on 16 SMs of
the baseline. tests/suite/sm_classes.rs keeps CTAs and classes.

| kernel | class | CTAs | IPC, 8 SMs | small | big | NoC / DRAM | IPC, 16 SMs | whole | NoC / DRAM |
| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |";

const NOTES: &str = "
Classes and CTAs are calibration: they count as no result of a reproduction. What does not match, and why:

- **SYRK, KMEANS, SYR2K** saturate, but not all of DRAM. Rows of SYRK and SYR2K are a power of two apart. So all warps go to the same three of six
  channels at a time, each line in a DRAM row of its own. KMEANS's invert_mapping, which fills ten million cycles, fetches each line of its input some
  30 times, nearly always from L2: the NoC is full. Its kmeansPoint takes what DRAM gives. It gains on small SMs, where L1D still holds the half of a
  misaligned line that the warp beside wants.
- **Big SMs** look at one group of their warps at a time (§3.2), which lets the warps of a CTA drift apart. SYRK, SYR2K and KMEANS fetch more often what one
  of them had. With `sm.big.gto_group` 0 all three are at 0.99 to 1.01 on eight big SMs.
- **LAVAMD** fills the NoC and leaves DRAM alone, as the paper's authors print of it elsewhere (docs/reference/kernels.md, LAV).
- **NN** has its eight images in 216 lines and four in 108, where L1D has 128. But a load wants five lines and L1D takes one a cycle, which binds all
  classes alike. With one pixel at a time instead of a row of five, small SMs are at 0.86: too few warps. The second layer has one warp a CTA, and is
  thick. The paper's CTAs are the first's.
- **B+TREE** loses more for ranges than for keys: it holds 5 CTAs, and 8 and 2, where the paper prints 9 and 3.
- **FDTD3D** has as many CTAs on both GPUs, 32. To gain, the third CTA of a big SM would have to be worth more than the second.
- **L1D** takes a way at the miss, and hashes the set, as in GPGPU-Sim's configuration. The first without the second (`sm.l1.index=modulo`) leaves SYRK and SYR2K
  four lines under way, a set's ways, at a tenth of the NoC.

## Sources";
