//! Whether results are settled: HSpeedup and WSpeedup of four pairs of kernels as a run gets longer.

use crate::{Page, short};
use sim_core::describe::ids::KernelId;
use sim_core::describe::value::Value;
use sim_core::interface::ratios::Metrics;
use sim_core::run::experiment::Experiment;
use sim_core::study::profile;
use std::collections::BTreeMap;

const PAIRS: [[&str; 2]; 4] = [["ccbp/BP", "ccbp/CFD"], ["ccbp/CFD", "ccbp/FTD"], ["ccbp/BFS", "ccbp/HG"], ["ccbp/LAV", "ccbp/LBM"]];
const POLICIES: [&str; 2] = ["ws", "ccbp"];

/// Fills the page.
pub fn page(args: &[String], page: &mut Page) -> Result<(), String> {
    let given: Result<Vec<u64>, _> = args.iter().map(|text| text.parse()).collect();
    let given = given.map_err(|e| format!("MILLIONS: {e}"))?;
    let mut lengths = if given.is_empty() { vec![1, 2, 5, 20] } else { given };
    lengths.sort_unstable();
    let columns: Vec<String> = lengths.iter().map(|length| format!(" {length} M |")).collect();
    page.say("columns", columns.concat());
    page.say("line", " --: |".repeat(lengths.len()));
    let mut alone: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut moves = vec![0.0_f64; lengths.len()];
    for pair in PAIRS {
        for kernel in pair {
            if !alone.contains_key(kernel) {
                let ipc = ipcs(&[kernel], "leftover", &lengths)?;
                alone.insert(kernel, ipc.into_iter().flatten().collect());
            }
        }
        for policy in POLICIES {
            let shared = ipcs(&pair, policy, &lengths)?;
            let metrics: Vec<Metrics> = (0..lengths.len())
                .map(|at| Metrics::of(&[0, 1].map(|k| (alone.get(pair[k]).map(|ipc| ipc[at]), Some(shared[at][k])))))
                .collect();
            let row = |of: fn(&Metrics) -> Option<f64>| -> String {
                metrics.iter().map(|metrics| of(metrics).map_or(" - |".into(), |x| format!(" {x:.3} |"))).collect()
            };
            page.line("rows", format!("| {} + {} | {policy} | HSpeedup |{}", short(pair[0]), short(pair[1]), row(|metrics| metrics.hspeedup)));
            page.line("rows", format!("| | | WSpeedup |{}", row(|metrics| metrics.stp)));
            // As they are printed, so that a reader can check it.
            let printed = |metrics: &Metrics| metrics.hspeedup.map_or(f64::NAN, |speedup| (speedup * 1000.0).round());
            let last = metrics.last().map_or(f64::NAN, printed);
            for (most, metrics) in moves.iter_mut().zip(&metrics) {
                *most = most.max((last / printed(metrics) - 1.0).abs());
            }
        }
    }
    let shorter = lengths.iter().zip(moves).take(lengths.len().saturating_sub(1));
    let moves: Vec<String> = shorter.map(|(length, most)| format!("{length} M: {:.1} %", 100.0 * most)).collect();
    page.say("moves", moves.join(", "));
    Ok(())
}

/// IPC of each kernel after each length of one run.
fn ipcs(kernels: &[&str], policy: &str, lengths: &[u64]) -> Result<Vec<Vec<f64>>, String> {
    let kernels_given = Value::array(kernels.iter().map(|name| Value::from(*name)));
    let most = lengths.iter().max().copied().unwrap_or(1) * 1_000_000;
    let fields = [
        ("corun", Value::from(1)),
        ("gpu", "ccbp-16sm".into()),
        ("kernels", kernels_given),
        ("policy", policy.into()),
        ("warp_order", "gto".into()),
        ("stop", Value::object([("cycles", most)])),
    ];
    let experiment = Experiment::decode(&Value::object(fields)).map_err(|problems| problems.to_string())?;
    let mut run = profile::start(&experiment).map_err(|problems| problems.to_string())?;
    let at = |length: &u64| {
        let left = length * 1_000_000 - run.cycle();
        run.advance(left);
        KernelId::first(kernels.len()).map(|kernel| run.ipc(kernel).unwrap_or(0.0)).collect()
    };
    Ok(lengths.iter().map(at).collect())
}
