//! How each kernel of the library behaves by itself: the whole GPU, greedy-then-oldest warps, as many CTAs as fit. Then with half of the
//! CTAs, and with twice the latency of L2 and DRAM. And what each takes from its source.
//!
//! `cargo run --release -p corun-tools --bin pages alone [CYCLES]` prints docs/reference/kernels.md.

use crate::{short, table_2};
use sim_core::describe::gpu::{Gpu, occupancy, presets};
use sim_core::describe::kernel::{Launch, library};

use crate::table_2::{
    Alone, Asked, BP_RAW_LONG, CFD_CTAS, Class, MEMORY, PROGRAMS, QOS_CYCLES, SAD_LATENCY, SAD_ONE_CTA, SENSITIVE, SUSTAINED, TABLE_2,
    Target, far, tolerance,
};

/// Prints the page.
pub fn page(args: &[String]) -> Result<(), String> {
    let cycles = args.first().map_or(Ok(table_2::CYCLES), |text| text.parse().map_err(|e| format!("CYCLES: {e}")))?;
    let gpu = presets::find("ccbp-16sm").ok_or("no preset")?;
    println!("{HEAD}");
    let mut errors = Vec::new();
    for target in &TABLE_2 {
        let found = Found::measure(&gpu, target, cycles)?;
        println!("{}", figures(target, &found));
        errors.push(error(target, &found.full));
    }
    println!("{ERRORS}\n{}", errors.join("\n"));
    others(&gpu, cycles)?;
    println!("{SENSITIVITY}");
    for target in TABLE_2.iter().filter(|target| target.class == Class::Ls) {
        println!("{}", sensitivity(&gpu, target));
    }
    println!("{SOURCES}");
    for target in &TABLE_2 {
        println!("{}", source(&gpu, target.name)?);
    }
    println!("{PARBOIL}");
    for (name, _) in PROGRAMS {
        println!("{}", program(name)?);
    }
    let qos = presets::find("qos-16sm").ok_or("no preset")?;
    for (name, _) in PROGRAMS {
        println!("{}", source(&qos, name)?);
    }
    println!("{LESSONS}");
    for name in library::names() {
        if !name.contains('/') {
            let found = Alone::measure(&gpu, name, None, cycles)?;
            println!("| {name} | {} | {:.1} | {:.1} | {:.1} | {:.1} |", found.ctas, found.throughput, found.noc, found.dram, found.l2_miss);
        }
    }
    Ok(())
}

/// A kernel with all of its CTAs, with half of them, and with twice the latency.
struct Found {
    full: Alone,
    half: Alone,
    slow: Alone,
}

impl Found {
    fn measure(gpu: &Gpu, target: &Target, cycles: u64) -> Result<Found, String> {
        let full = Alone::measure(gpu, target.name, None, cycles)?;
        let half = Alone::measure(gpu, target.name, Some(full.ctas / 2), cycles)?;
        let slow = Alone::measure(&far(gpu), target.name, None, cycles)?;
        Ok(Found { full, half, slow })
    }
}

fn figures(target: &Target, Found { full, half, slow }: &Found) -> String {
    let [thro, noc, dram, miss] = target.percent;
    format!(
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
    )
}

/// What Table 2 prints subtracted from what was found, in points, bold where it is further off than it may be.
fn error(target: &Target, full: &Alone) -> String {
    let found = [full.throughput, full.noc, full.dram, full.l2_miss];
    let mut cells = vec![target.name.to_owned()];
    cells.extend(found.into_iter().zip(target.percent.map(f64::from)).enumerate().map(|(i, (found, want))| {
        let text = format!("{:+.1}", found - want);
        if (found - want).abs() > tolerance(i, want) { format!("**{text}**") } else { text }
    }));
    // The paper's instructions for each read follow from its throughput and NoC.
    let per_read = 64.0 * f64::from(target.percent[0]) / (f64::from(target.percent[1]) * READS_AT_PEAK);
    cells.push(format!("{:.1} ({per_read:.1})", full.per_read));
    format!("| {} |", cells.join(" | "))
}

/// Reads that the reply NoC of `ccbp-16sm` can carry in a core cycle: 614.4 GB/s, 160 bytes each, 1.8 GHz.
const READS_AT_PEAK: f64 = 614.4 / 160.0 / 1.8;

fn others(gpu: &Gpu, cycles: u64) -> Result<(), String> {
    println!("{OTHERS}");
    let row = |what: &str, paper: String, here: String| println!("| {what} | {paper} | {here} |");
    let (part, latency) = SAD_ONE_CTA;
    let one = Alone::measure(gpu, "SAD", Some(1), cycles)?;
    row("SAD, one CTA an SM: part of sustainable DRAM bandwidth (§4.3)", format!("{part:.2}"), format!("{:.2}", one.dram / SUSTAINED.1));
    row("SAD, one CTA an SM: latency over idle (§4.3)", format!("{latency}"), format!("{:.1}", one.over_idle));
    let all = Alone::measure(gpu, "SAD", None, cycles)?;
    row("SAD: latency over idle (§3)", format!("{SAD_LATENCY}"), format!("{:.1}", all.over_idle));
    for (ctas, beside) in CFD_CTAS {
        let found = Alone::measure(gpu, "CFD", Some(ctas), cycles)?.noc / SUSTAINED.0;
        row(
            &format!("CFD, {ctas} CTAs: part of sustainable NoC bandwidth (§4.1, beside BP)"),
            format!("{beside:.2}"),
            format!("{found:.2}"),
        );
    }
    let bp = Alone::measure(gpu, "BP", None, cycles)?;
    row("BP: part of its stalls that waits for a load that missed L1D (§7.2)", format!("{BP_RAW_LONG:.2}"), format!("{:.2}", bp.raw_long));
    Ok(())
}

/// A program of Parboil on both GPUs of the QoS paper.
fn program(name: &str) -> Result<String, String> {
    let on = |gpu: &str| Alone::measure(&presets::find(gpu).ok_or("no preset")?, name, None, QOS_CYCLES);
    let (found, large) = (on("qos-16sm")?, on("qos-56sm")?);
    let class = if found.dram >= MEMORY { "memory" } else { "compute" };
    Ok(format!(
        "| {} | {class} | {:.0} | {:.1} | {:.1} | {:.1} | {:.1} | {:.0} | {:.1} |",
        short(name),
        found.ipc,
        found.throughput,
        found.noc,
        found.dram,
        found.l2_miss,
        large.ipc,
        large.dram
    ))
}

/// Reads under way by Little's law, and by how many warps each would have to be waited for.
fn sensitivity(gpu: &Gpu, target: &Target) -> String {
    let kernel = library::find(target.name).expect("a kernel of the library");
    let sms = gpu.sm_count();
    let ctas = |launch: &Launch| occupancy::of(launch, &gpu.sms[0]).ctas.min(launch.ctas().div_ceil(sms));
    let warps = kernel.launches.iter().map(|launch| ctas(launch) * launch.threads.div_ceil(32)).max().unwrap_or(0);
    // A slowdown of 1.7 when each wait doubles: seven tenths of a warp's time are waits.
    let waiting = (SENSITIVE - 1.0) * f64::from(warps);
    let reads = Asked::of(gpu, target).reads;
    format!("| {} | {warps} | {reads:.1} | {waiting:.0} | {:.1} |", target.name, waiting / reads)
}

/// A kernel's section: where it comes from, its shape, and what is taken and left free.
fn source(gpu: &Gpu, name: &str) -> Result<String, String> {
    let kernel = library::find(name).ok_or("no kernel")?;
    let mut shapes: Vec<String> = kernel.launches.iter().map(|launch| shape(gpu, launch)).collect();
    // A sequence of launches that repeats itself is said once.
    let mut said: Vec<String> = Vec::new();
    shapes.retain(|shape| {
        let new = !said.contains(shape);
        said.extend(new.then(|| shape.clone()));
        new
    });
    let times = if kernel.launches.len() > shapes.len() { format!(", {} launches", kernel.launches.len()) } else { String::new() };
    Ok(format!("\n### {}: {}\n\n{}\n\n{}{times}.\n\n{}", kernel.name, kernel.title, kernel.source, shapes.join(". Then "), kernel.doc))
}

fn shape(gpu: &Gpu, launch: &Launch) -> String {
    let Launch { threads, registers, shared_bytes, .. } = launch;
    let ctas = launch.ctas();
    let most = occupancy::of(launch, &gpu.sms[0]).ctas;
    format!("{ctas} CTAs of {threads} threads, {registers} registers each, {shared_bytes} bytes of shared memory: {most} fit an SM")
}

const HEAD: &str = "<!-- Printed by `cargo run --release -p corun-tools --bin pages alone`: change the kernels, or xtask/tools/pages/alone.rs. -->
# The kernels by themselves

Each kernel of CCBP's Table 2 alone on `ccbp-16sm`, greedy-then-oldest warps, as many CTAs as fit. In brackets stands what the paper prints. Percent
of peak, but for L2 misses, which are percent of look-ups. NoC: replies that carry data, as CCBP's equation 1 counts them. Acknowledgements
of stores are left out. `rf`, `df`: reads and DRAM accesses for each request. Latency: an L1D read miss, in core cycles. Half: NoC / DRAM with
half of the CTAs. Far: how many times slower with twice the latency of L2 and of DRAM. tests/suite/kernels.rs keeps all of it.

| kernel | class | CTAs | throughput | NoC | DRAM | L2 misses | rf | df | latency | half | far |
| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |";

const ERRORS: &str = "
## Calibration

The programs are the loops, loads, stores, strides and shapes of the benchmarks' sources. What these leave open is calibrated to the figures of
this page, all of kernels alone, and to nothing else. None of them counts as a result of a reproduction. Errors in points; bold: more than a
tenth (at least 2 points) of throughput, NoC or DRAM, more than 5 points of L2 misses. tests/suite/kernels.rs gives the reason for each. The last
column: warp instructions of 32 lanes for each read, in brackets what follows from Table 2.

| kernel | throughput | NoC | DRAM | L2 misses | instructions a read |
| --- | --: | --: | --: | --: | --: |";

const OTHERS: &str = "
Other printed figures of kernels alone; CFD's are of few CTAs beside BP, and alone it can only have more:

| figure | paper | here |
| --- | --: | --: |";

const SENSITIVITY: &str = "
### What latency-sensitive kernels can be

CCBP selects as latency-sensitive what slows down more than 1.7 times when L2's and DRAM's latencies double (far, above). Then warps wait for
loads seven tenths of the time, at the least. Little's law gives the reads under way on an SM from Table 2's NoC and L2 misses and Table 1's
latencies, so it says how many warps would have to wait for each line:

| kernel | warps of an SM | reads under way | warps that would wait | warps for each line |
| --- | --: | --: | --: | --: |";

const SOURCES: &str = "
HG's 12 warps have a line each. A CTA of BFS keeps the places of its 16 warps until the slowest has walked its edges, and BT's eight wait at
a barrier for what one thread reads. In the sources of BP and PF two warps share a line. For these two, Table 2 and the selection by 1.7 contradict each other on any machine with these
latencies. Here they keep the source and Table 2.

## Sources";

const PARBOIL: &str = "
## The programs of Parboil in the QoS paper

Each whole program that the QoS paper runs (Wang et al., ISCA 2017), from its beginning, alone for two million cycles on `qos-16sm`, and in the last
two columns on `qos-56sm`. No paper prints what one of them does alone, so nothing here is calibrated. Arithmetic is what a modern compile has, and
what a source leaves open stands after *Free*. The paper splits its programs into compute and memory and does not say which is which. Here those of at
least a quarter of DRAM's peak alone are memory: the widest gap between two of them lies there. SPMV is memory, though the NoC bounds it before DRAM
does. MRIG takes 59 % in its first million cycles. SAD is compute because two million cycles do not see its two launches that stream. Percent of peak,
but for L2 misses.

| program | class | IPC | throughput | NoC | DRAM | L2 misses | IPC, 56 SMs | DRAM, 56 SMs |
| --- | --- | --: | --: | --: | --: | --: | --: | --: |";

const LESSONS: &str = "
## Kernels for lessons and tests, without a target

| kernel | CTAs | throughput | NoC | DRAM | L2 misses |
| --- | --: | --: | --: | --: | --: |";
