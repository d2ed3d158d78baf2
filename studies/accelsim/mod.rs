//! Recorded kernels on Accel-Sim and here: cycles, hit rates, speed and memory. What Accel-Sim said is data; what is said here runs anew.

use crate::{Page, each, root};
use serde::Deserialize;
use serde_json::Value as Json;
use sim_core::describe::gpu::{Gpu, presets};
use sim_core::study::errors::Errors;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What Accel-Sim said, and what both took.
const THEIRS: &str = include_str!("theirs.toml");

/// The GPU that both have.
const GPU: &str = "accelsim-rtx2060";

/// What theirs.toml has.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Theirs {
    /// Of the source that was built, and how.
    version: String,
    compiler: String,
    /// The engine that was timed.
    engine: String,
    /// On what both ran, and when.
    machine: String,
    date: String,
    /// Cycles before a kernel's first CTA, which are taken off.
    launch_latency: u64,
    runs: Vec<Ran>,
    tried: Vec<Tried>,
    timed: Vec<Timed>,
}

/// A kernel on Accel-Sim.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Ran {
    kernel: String,
    /// With the launch latency.
    cycles: u64,
    warp_instructions: u64,
    /// Sectors that are read, and those of them that go on.
    l1: [u64; 2],
    l2: [u64; 2],
}

/// A kernel with something changed, on Accel-Sim or here.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Tried {
    kernel: String,
    /// The options that are changed.
    change: String,
    /// With the launch latency; left out, it runs here.
    cycles: Option<u64>,
}

/// Processes of both: seconds of processor time, and the most KB that they held.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Timed {
    kernel: String,
    theirs: Vec<f64>,
    ours: Vec<f64>,
    import: Vec<f64>,
    kilobytes: [u64; 2],
}

/// A kernel there and here.
#[derive(Debug)]
struct Both<'t> {
    ran: &'t Ran,
    ours: Ours,
    /// Without the launch latency.
    cycles: u64,
    /// By the rule that needs no simulator.
    rule: f64,
}

/// A kernel here.
#[derive(Clone, PartialEq, Debug)]
struct Ours {
    cycles: u64,
    l1: [u64; 2],
    l2: [u64; 2],
}

/// Fills the page.
pub fn page(_: &[String], page: &mut Page) -> Result<(), String> {
    let theirs = theirs()?;
    let moved = each(&theirs.runs, |ran| recorded(&ran.kernel))?;
    let ours = each(&theirs.runs, |ran| run(&ran.kernel, None))?;
    let gpu = presets::find(GPU).ok_or("no such GPU")?;
    let both: Vec<Both> = theirs
        .runs
        .iter()
        .zip(ours.into_iter().zip(moved))
        .map(|(ran, (ours, moved))| Both { ran, ours, cycles: ran.cycles - theirs.launch_latency, rule: rule(&gpu, ran, moved) })
        .collect();
    both.iter().for_each(|both| page.line("rows", row(both)));
    page.say("met", errors(&both)?);
    for tried in &theirs.tried {
        page.line("tried", changed(tried, &theirs)?);
    }
    theirs.timed.iter().for_each(|timed| page.line("timed", speed(timed, warps(&theirs, &timed.kernel))));
    sums(&theirs, page);
    for (mark, word) in [("version", &theirs.version), ("compiler", &theirs.compiler), ("engine", &theirs.engine), ("machine", &theirs.machine), ("date", &theirs.date)] {
        page.say(mark, word);
    }
    page.say("launch", theirs.launch_latency);
    page.say("kernels", theirs.runs.len());
    Ok(())
}

fn theirs() -> Result<Theirs, String> {
    toml::from_str(THEIRS).map_err(|error| format!("studies/accelsim/theirs.toml: {error}"))
}

fn folder() -> PathBuf {
    root().join("target/accelsim")
}

/// What the runner prints.
fn corun(arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    command.current_dir(root()).args(["run", "--release", "--quiet", "-p", "corun", "--"]).args(arguments);
    let output = command.stderr(Stdio::piped()).output().map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("corun {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

/// Exports a kernel and imports it again; gives the bytes that its lanes load and store.
fn recorded(name: &str) -> Result<u64, String> {
    let path = |name: String| folder().join(name).to_string_lossy().into_owned();
    let (traces, file) = (path(name.to_owned()), path(format!("{name}.corun")));
    corun(&["export", "accelsim", &format!("studies/accelsim/{name}.json"), "--tracez", "--out", &traces])?;
    corun(&["import", "accelsim", &format!("{traces}/kernelslist.g"), "--out", &file])?;
    let shown: Json = serde_json::from_str(&corun(&["show", &file, "--json"])?).map_err(|error| error.to_string())?;
    let bytes = ["global_load_bytes", "global_store_bytes", "atomic_bytes"];
    let of = |kernel: &Json| bytes.iter().filter_map(|key| kernel[key].as_u64()).sum::<u64>();
    Ok(shown["kernels"].as_array().into_iter().flatten().map(of).sum())
}

/// A recorded kernel on the GPU, or on one that is changed.
fn run(kernel: &str, change: Option<&str>) -> Result<Ours, String> {
    let recording = format!("kernels=[\"@{}/{kernel}.corun\"]", folder().display());
    let experiment = format!("studies/accelsim/{kernel}.json");
    let mut arguments = vec!["run", &experiment, "--json", "--no-store", "--threads", "1", "--set", &recording];
    change.iter().for_each(|change| arguments.extend(["--set", change]));
    let result: Json = serde_json::from_str(&corun(&arguments)?).map_err(|error| error.to_string())?;
    let sum = |name: &str| {
        result["kernels"].as_array().into_iter().flatten().filter_map(|kernel| kernel["counters"][name].as_u64()).sum::<u64>()
    };
    // Where nothing is read, the atomic operations that look a line up.
    let looked_up = if sum("l2_reads") == 0 { sum("l2_writes") } else { sum("l2_reads") };
    Ok(Ours {
        cycles: result["cycles"].as_u64().ok_or("a run without cycles")?,
        l1: [sum("l1_reads"), sum("l1_misses")],
        l2: [looked_up, sum("l2_misses")],
    })
}

/// Cycles without a simulator: those of the instructions if each scheduler issued one a cycle, or those of the bytes at DRAM's bandwidth.
fn rule(gpu: &Gpu, ran: &Ran, bytes: u64) -> f64 {
    let issued = gpu.sms.iter().map(|class| class.count * class.schedulers).sum::<u32>();
    let bytes_a_clock = f64::from(gpu.dram.channels * gpu.l2.line_bytes) / f64::from(gpu.dram.timing.T);
    let bytes_a_cycle = bytes_a_clock * f64::from(gpu.dram.mhz) / f64::from(gpu.core_mhz);
    (ran.warp_instructions as f64 / f64::from(issued)).max(bytes as f64 / bytes_a_cycle)
}

/// Of what is read the part that does not go on, percent.
fn found([reads, on]: [u64; 2]) -> Option<f64> {
    (reads > 0).then(|| 100.0 * (1.0 - on.min(reads) as f64 / reads as f64))
}

fn off(value: f64, measured: f64) -> String {
    // Not minus nothing.
    let percent = (1000.0 * (value / measured - 1.0)).round() / 10.0 + 0.0;
    let text = format!("{percent:+.1} %");
    if percent.abs() > 10.0 { format!("**{text}**") } else { text }
}

fn row(Both { ran, ours, cycles, rule }: &Both) -> String {
    let rate = |of: [u64; 2]| found(of).map_or("–".into(), |part| format!("{part:.1}"));
    let cells = [
        ran.kernel.clone(),
        cycles.to_string(),
        ours.cycles.to_string(),
        off(ours.cycles as f64, *cycles as f64),
        off(*rule, *cycles as f64).replace('*', ""),
        format!("{} / {}", rate(ran.l1), rate(ours.l1)),
        format!("{} / {}", rate(ran.l2), rate(ours.l2)),
    ];
    format!("| {} |", cells.join(" | "))
}

/// Errors of all kernels, and those of the rule.
fn errors(all: &[Both]) -> Result<String, String> {
    let line = |value: fn(&Both) -> f64| {
        let errors = Errors::of(all.iter().map(|both| (value(both), both.cycles as f64, both.ran.kernel.as_str())));
        let Errors { mean, worst: (worst, name), .. } = errors.ok_or("no kernel")?;
        Ok::<_, String>(format!("off by {:.1} % in the mean, at worst {:.1} % (`{name}`)", 100.0 * mean, 100.0 * worst))
    };
    Ok(format!("Cycles are {}. A rule that needs no simulator is {}.", line(|both| both.ours.cycles as f64)?, line(|both| both.rule)?))
}

/// A kernel with something changed beside the same as it was.
fn changed(tried: &Tried, theirs: &Theirs) -> Result<String, String> {
    let Tried { kernel, change, cycles } = tried;
    let ran = theirs.runs.iter().find(|ran| ran.kernel == *kernel).ok_or(format!("no {kernel}"))?;
    let (before, after, whose) = match cycles {
        Some(cycles) => (ran.cycles - theirs.launch_latency, cycles - theirs.launch_latency, "Accel-Sim"),
        None => (run(kernel, None)?.cycles, run(kernel, Some(change))?.cycles, "here"),
    };
    Ok(format!("| {kernel} | {whose} | `{change}` | {before} | {after} |"))
}

fn warps(theirs: &Theirs, kernel: &str) -> u64 {
    theirs.runs.iter().find(|ran| ran.kernel == kernel).map_or(0, |ran| ran.warp_instructions)
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = [sorted.len().saturating_sub(1) / 2, sorted.len() / 2].map(|at| sorted.get(at).copied().unwrap_or(f64::NAN));
    (middle[0] + middle[1]) / 2.0
}

/// How many times the speed of Accel-Sim.
fn times(timed: &Timed) -> f64 {
    median(&timed.theirs) / median(&timed.ours)
}

fn speed(timed: &Timed, warp_instructions: u64) -> String {
    let rate = |seconds: &[f64]| format!("{:.0}", warp_instructions as f64 / median(seconds));
    let [theirs, ours] = timed.kilobytes.map(|kilobytes| kilobytes.div_ceil(1024));
    format!(
        "| {} | {warp_instructions} | {} | {} | {:.0} | {theirs} | {ours} | {:.2} |",
        timed.kernel,
        rate(&timed.theirs),
        rate(&timed.ours),
        times(timed),
        median(&timed.import)
    )
}

/// Speed and memory over all kernels.
fn sums(theirs: &Theirs, page: &mut Page) {
    let ratios: Vec<f64> = theirs.timed.iter().map(times).collect();
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp();
    let memory = theirs.timed.iter().map(|timed| timed.kilobytes[0] as f64 / timed.kilobytes[1] as f64);
    page.say("times", format!("{mean:.0}"));
    page.say("least", format!("{:.0}", ratios.iter().copied().fold(f64::MAX, f64::min)));
    page.say("memory", format!("{:.0}", memory.fold(f64::MAX, f64::min)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;

    fn ran(kernel: &str, warp_instructions: u64) -> Ran {
        Ran { kernel: kernel.into(), cycles: 6000, warp_instructions, l1: [0, 0], l2: [200, 50] }
    }

    /// A kernel that has not run there would be missing on the page.
    #[test]
    fn every_kernel_has_run_and_every_run_is_of_a_kernel() {
        let theirs = theirs().unwrap();
        let files = fs::read_dir(root().join("studies/accelsim")).unwrap().map(|file| file.unwrap().path());
        let kernels: BTreeSet<String> = files
            .filter(|path| path.extension().is_some_and(|end| end == "json"))
            .map(|path| {
                let experiment: Json = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
                assert_eq!(experiment["gpu"], GPU, "{path:?}");
                path.file_stem().unwrap().to_string_lossy().into_owned()
            })
            .collect();
        assert_eq!(kernels, theirs.runs.iter().map(|ran| ran.kernel.clone()).collect());
        assert_eq!(kernels, theirs.timed.iter().map(|timed| timed.kernel.clone()).collect());
        assert!(theirs.runs.iter().all(|ran| ran.cycles > theirs.launch_latency && ran.l2[1] <= ran.l2[0]));
        assert!(theirs.tried.iter().all(|tried| kernels.contains(&tried.kernel)));
    }

    #[test]
    fn a_row_has_errors_and_hits_of_both() {
        let ran = ran("k", 60_000);
        let both = |cycles, rule| Both { ran: &ran, ours: Ours { cycles, l1: [10, 11], l2: [200, 49] }, cycles: 1000, rule };
        assert_eq!(row(&both(880, 1050.0)), "| k | 1000 | 880 | **-12.0 %** | +5.0 % | – / 0.0 | 75.0 / 75.5 |");
        assert!(row(&both(1000, 1000.0)).contains("| +0.0 % | +0.0 % |") && row(&both(1000, 999.9)).contains("| +0.0 % | +0.0 % |"));
        let errors = errors(&[both(880, 900.0), both(1020, 1000.0)]).unwrap();
        assert_eq!(errors, "Cycles are off by 7.0 % in the mean, at worst 12.0 % (`k`). A rule that needs no simulator is off by 5.0 % in the mean, at worst 10.0 % (`k`).");
    }

    /// 30 SMs of four schedulers; 12 channels of 32 bytes each fourth clock of 3500 MHz, at 1365 MHz.
    #[test]
    fn the_rule_is_the_longer_of_issue_and_bandwidth() {
        let gpu = presets::find(GPU).unwrap();
        assert!((rule(&gpu, &ran("k", 120_000), 0) - 1000.0).abs() < 1e-9);
        assert!((rule(&gpu, &ran("k", 1), 96_000) - 390.0).abs() < 1e-9);
    }

    #[test]
    fn speeds_are_of_medians() {
        let timed = Timed { kernel: "k".into(), theirs: vec![10.0, 30.0, 20.0], ours: vec![0.1; 3], import: vec![1.0], kilobytes: [4096, 1024] };
        assert!((times(&timed) - 200.0).abs() < 1e-9 && (median(&[1.0, 2.0, 5.0, 9.0]) - 3.5).abs() < 1e-9);
        assert_eq!(speed(&timed, 40_000), "| k | 40000 | 2000 | 400000 | 200 | 4 | 1 | 1.00 |");
    }
}
