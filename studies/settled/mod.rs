//! What stopping when settled costs and saves: all pairs of the CCBP kernels, for fixed lengths and until their IPCs are known.

use crate::{Page, short};
use sim_core::describe::ids::KernelId;
use sim_core::describe::value::Value;
use sim_core::interface::ratios::Metrics;
use sim_core::run::confidence::is_look;
use sim_core::run::experiment::{Experiment, Settled};
use sim_core::run::simulation::Simulation;
use sim_core::study::figure::lookup;
use std::collections::BTreeMap;

const KERNELS: [&str; 13] = ["ccbp/CFD", "ccbp/LAV", "ccbp/SMV", "ccbp/KM", "ccbp/LBM", "ccbp/FTD", "ccbp/SAD", "ccbp/SRT", "ccbp/BFS", "ccbp/BP", "ccbp/BT", "ccbp/HG", "ccbp/PF"];

/// Cycles before anything is measured.
const WARM_UP: u64 = 80_000;

/// Fixed lengths, cycles.
const LENGTHS: [u64; 5] = [200_000, 500_000, 1_000_000, 2_000_000, 4_000_000];

/// How well the IPCs are to be known.
const WITHIN: [f64; 3] = [0.05, 0.02, 0.01];

/// Core cycles of a window.
const WINDOW: u64 = 400;

/// What a run says after so many measured cycles.
#[derive(Clone, Debug)]
struct Said {
    cycles: u64,
    ipc: Vec<f64>,
    /// Ends of the interval of each IPC.
    ci95: Vec<[f64; 2]>,
    /// Whether it ended because it was settled.
    settled: bool,
}

/// A run, as it would have ended under each rule.
#[derive(Clone, Debug)]
struct Story {
    fixed: Vec<Said>,
    settled: Vec<Said>,
    /// At its end.
    last: Said,
}

/// Fills the page.
pub fn page(args: &[String], page: &mut Page) -> Result<(), String> {
    let millions = args.first().map_or(Ok(6), |text| text.parse()).map_err(|e| format!("MILLIONS: {e}"))?;
    let most: u64 = millions * 1_000_000;
    let mut mixes: Vec<Vec<&str>> = KERNELS.iter().map(|kernel| vec![*kernel]).collect();
    let pairs = KERNELS.iter().enumerate().flat_map(|(i, a)| KERNELS[i + 1..].iter().map(move |b| vec![*a, *b]));
    mixes.extend(pairs.filter(|pair| !same_bandwidth(pair)));
    let stories = super::each(&mixes, |mix| told(mix, most))?;
    let stories = mixes.into_iter().zip(stories).collect();
    fill(&stories, most, page);
    Ok(())
}

/// Pairs of two kernels bound by the NoC, or two bound by DRAM, which CCBP leaves out.
fn same_bandwidth(pair: &[&str]) -> bool {
    let class = |name: &&str| KERNELS.iter().position(|kernel| kernel == name).map_or(0, |place| place / 4);
    class(&pair[0]) == class(&pair[1]) && class(&pair[0]) < 2
}

fn told(mix: &[&str], most: u64) -> Result<Story, String> {
    let fields = [
        ("corun", Value::from(1)),
        ("gpu", "ccbp-16sm".into()),
        ("kernels", Value::array(mix.iter().copied())),
        ("policy", if mix.len() > 1 { "even" } else { "leftover" }.into()),
        ("warp_order", if mix.len() > 1 { "lrr" } else { "gto" }.into()),
        ("warm_up", WARM_UP.into()),
        ("stop", Value::object([("cycles", most)])),
    ];
    let experiment = Experiment::decode(&Value::object(fields)).map_err(|problems| problems.to_string())?;
    let mut run = Simulation::new(&experiment).map_err(|problems| problems.to_string())?;
    run.advance(WARM_UP);
    let (mut fixed, mut settled, mut batches) = (Vec::new(), Vec::new(), 0);
    for cycles in (WINDOW..=most).step_by(WINDOW as usize) {
        run.advance(WINDOW);
        let ended = run.batches().map_or(0, |of| of.rows().len());
        let look = ended != batches && run.batches().is_some_and(is_look);
        batches = ended;
        if LENGTHS.contains(&cycles) {
            fixed.push(said(&mut run, cycles, false));
        }
        let done = |asked: usize| {
            let asked = WITHIN.get(asked).map(|&within| Settled { within, of: 1, at_most: most });
            asked.and_then(|asked| run.settling_by(&asked)).is_some_and(|settling| settling.is_done())
        };
        let mut asked = settled.len();
        while look && done(asked) {
            asked += 1;
        }
        while settled.len() < asked {
            settled.push(said(&mut run, cycles, true));
        }
    }
    let last = said(&mut run, most, false);
    settled.resize(WITHIN.len(), last.clone());
    Ok(Story { fixed, settled, last })
}

fn said(run: &mut Simulation, cycles: u64, settled: bool) -> Said {
    let ipc = KernelId::first(run.experiment().kernels.len()).map(|kernel| run.ipc(kernel).unwrap_or(0.0)).collect();
    let intervals = run.intervals();
    let end = |k: usize, end: u8| lookup(&intervals, &format!("ci95.kernels[{k}].ipc[{end}]")).unwrap_or(f64::NAN);
    let ci95 = (0..run.experiment().kernels.len()).map(|k| [end(k, 0), end(k, 1)]).collect();
    Said { cycles, ipc, ci95, settled }
}

/// What each IPC is off by, relative to the end of the run.
fn errors(said: &Said, last: &Said) -> Vec<f64> {
    said.ipc.iter().zip(&last.ipc).map(|(ipc, last)| (ipc / last - 1.0).abs()).collect()
}

fn worst(errors: &[f64]) -> f64 {
    errors.iter().fold(0.0, |a, &b| a.max(b))
}

/// The rows of a table: a rule, and what each run says under it.
fn fill(stories: &BTreeMap<Vec<&str>, Story>, most: u64, page: &mut Page) {
    let pairs: Vec<(&Vec<&str>, &Story)> = stories.iter().filter(|(mix, _)| mix.len() == 2).collect();
    page.say("pairs", pairs.len());
    page.say("most", most / 1_000_000);
    let fixed = LENGTHS.iter().enumerate().map(|(i, length)| (format!("{:.1} M", *length as f64 / 1e6), (false, i)));
    let settled = WITHIN.iter().enumerate().map(|(i, within)| (format!("settled, {:.0} %", within * 100.0), (true, i)));
    for (name, (settles, i)) in fixed.chain(settled) {
        let of = |story: &Story| (if settles { &story.settled } else { &story.fixed })[i].clone();
        page.line("rules", row(&name, settles, stories, &pairs, &of));
    }
    page.say("columns", LENGTHS.map(|length| format!(" {:.1} M |", length as f64 / 1e6)).concat());
    page.say("line", " --: |".repeat(LENGTHS.len()));
    for kernel in KERNELS {
        let off = std::array::from_fn::<_, { LENGTHS.len() }, _>(|i| of_kernel(kernel, &pairs, i)).concat();
        page.line("kernels", format!("| {} |{off}", short(kernel)));
    }
}

/// What a kernel's own IPC is off by after a fixed length: the mean over its pairs, and the most.
fn of_kernel(kernel: &str, pairs: &[(&Vec<&str>, &Story)], length: usize) -> String {
    let own = |(mix, story): &(&Vec<&str>, &Story)| {
        let place = mix.iter().position(|name| *name == kernel)?;
        Some(errors(&story.fixed[length], &story.last)[place])
    };
    let off: Vec<f64> = pairs.iter().filter_map(own).collect();
    format!(" {:.1} %, {:.1} % |", 100.0 * off.iter().sum::<f64>() / off.len() as f64, 100.0 * worst(&off))
}

fn row(name: &str, settles: bool, stories: &BTreeMap<Vec<&str>, Story>, pairs: &[(&Vec<&str>, &Story)], of: &dyn Fn(&Story) -> Said) -> String {
    let count = pairs.len() as f64;
    let said: Vec<Said> = pairs.iter().map(|(_, story)| of(story)).collect();
    let cycles: Vec<f64> = said.iter().map(|said| said.cycles as f64 / 1e6).collect();
    let mut off: Vec<f64> = pairs.iter().zip(&said).flat_map(|((_, story), said)| errors(said, &story.last)).collect();
    off.sort_by(f64::total_cmp);
    let hspeedup = |mix: &[&str], shared: &Said, rule: &dyn Fn(&Story) -> Said| {
        let alone = |k: usize| stories.get(&vec![mix[k]]).map(|story| rule(story).ipc[0]);
        Metrics::of(&[0, 1].map(|k| (alone(k), Some(shared.ipc[k])))).hspeedup.unwrap_or(f64::NAN)
    };
    let last = |story: &Story| story.last.clone();
    let speedups: Vec<f64> = pairs
        .iter()
        .zip(&said)
        .map(|((mix, story), said)| (hspeedup(mix, said, of) / hspeedup(mix, &story.last, &last) - 1.0).abs())
        .collect();
    let holds = pairs.iter().zip(&said).flat_map(|((_, story), said)| {
        said.ci95.iter().zip(&story.last.ipc).map(|([low, high], ipc)| low <= ipc && ipc <= high).collect::<Vec<_>>()
    });
    let holds = holds.filter(|holds| *holds).count() as f64 / off.len() as f64;
    let open = said.iter().filter(|said| !said.settled).count();
    format!(
        "| {name} | {:.2} M | {:.2} M | {} | {:.2} % | {:.2} % | {:.1} % | {:.2} % | {:.1} % | {:.0} % |",
        cycles.iter().sum::<f64>() / count,
        worst(&cycles),
        if settles { open.to_string() } else { "–".into() },
        100.0 * off.iter().sum::<f64>() / off.len() as f64,
        100.0 * off[off.len() * 95 / 100],
        100.0 * worst(&off),
        100.0 * speedups.iter().sum::<f64>() / count,
        100.0 * worst(&speedups),
        100.0 * holds,
    )
}
