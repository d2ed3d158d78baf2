//! How each kernel of the library behaves by itself: the whole GPU, greedy-then-oldest warps, as many CTAs as fit. Then with half of the
//! CTAs, and with twice the latency of L2 and DRAM. And what each takes from its source.

use crate::{Page, short, table_2};
use sim_core::describe::gpu::{Gpu, occupancy, presets};
use sim_core::describe::kernel::{Launch, library};

use crate::table_2::{
    Alone, Asked, BP_RAW_LONG, CFD_CTAS, Class, MEMORY, PROGRAMS, QOS_CYCLES, SAD_LATENCY, SAD_ONE_CTA, SENSITIVE, SUSTAINED, TABLE_2,
    Target, far, tolerance,
};

/// Fills the page.
pub fn page(args: &[String], page: &mut Page) -> Result<(), String> {
    let cycles = args.first().map_or(Ok(table_2::CYCLES), |text| text.parse().map_err(|e| format!("CYCLES: {e}")))?;
    let gpu = presets::find("ccbp-16sm").ok_or("no preset")?;
    for target in &TABLE_2 {
        let found = Found::measure(&gpu, target, cycles)?;
        page.line("figures", figures(target, &found));
        page.line("errors", error(target, &found.full));
    }
    others(&gpu, cycles, page)?;
    for target in TABLE_2.iter().filter(|target| target.class == Class::Ls) {
        page.line("sensitivity", sensitivity(&gpu, target));
    }
    for target in &TABLE_2 {
        page.line("sources", source(&gpu, target.name)?);
    }
    for (name, _) in PROGRAMS {
        page.line("programs", program(name)?);
    }
    let qos = presets::find("qos-16sm").ok_or("no preset")?;
    for (name, _) in PROGRAMS {
        page.line("qos_sources", source(&qos, name)?);
    }
    for name in library::names() {
        if !name.contains('/') {
            let found = Alone::measure(&gpu, name, None, cycles)?;
            let Alone { ctas, throughput, noc, dram, l2_miss, .. } = found;
            page.line("lessons", format!("| {name} | {ctas} | {throughput:.1} | {noc:.1} | {dram:.1} | {l2_miss:.1} |"));
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
        short(target.name),
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
    let mut cells = vec![short(target.name).to_owned()];
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

fn others(gpu: &Gpu, cycles: u64, page: &mut Page) -> Result<(), String> {
    let mut row = |what: &str, paper: String, here: String| page.line("others", format!("| {what} | {paper} | {here} |"));
    let (part, latency) = SAD_ONE_CTA;
    let one = Alone::measure(gpu, "ccbp/SAD", Some(1), cycles)?;
    row("SAD, one CTA an SM: part of sustainable DRAM bandwidth (§4.3)", format!("{part:.2}"), format!("{:.2}", one.dram / SUSTAINED.1));
    row("SAD, one CTA an SM: latency over idle (§4.3)", format!("{latency}"), format!("{:.1}", one.over_idle));
    let all = Alone::measure(gpu, "ccbp/SAD", None, cycles)?;
    row("SAD: latency over idle (§3)", format!("{SAD_LATENCY}"), format!("{:.1}", all.over_idle));
    for (ctas, beside) in CFD_CTAS {
        let found = Alone::measure(gpu, "ccbp/CFD", Some(ctas), cycles)?.noc / SUSTAINED.0;
        row(
            &format!("CFD, {ctas} CTAs: part of sustainable NoC bandwidth (§4.1, beside BP)"),
            format!("{beside:.2}"),
            format!("{found:.2}"),
        );
    }
    let bp = Alone::measure(gpu, "ccbp/BP", None, cycles)?;
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
    format!("| {} | {warps} | {reads:.1} | {waiting:.0} | {:.1} |", short(target.name), waiting / reads)
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
