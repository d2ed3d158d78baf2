//! Whether CCBP's headline hangs on the seed, or on kernels being just so: its harmonic speedup over Warped-Slicer's and SMK's.
//!
//! `cargo run --release --example robustness` prints docs/papers/ccbp/robustness.md, in some five minutes on two cores.

use sim_core::describe::ids::KernelId;
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::seam::ratios::Metrics;
use sim_core::study::profile;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Four pairs of each category, without BP and SRT, whose launches differ too much for short runs.
const CATEGORIES: [(&str, [[&str; 2]; 4]); 3] = [
    ("LS+NBI", [["BFS", "CFD"], ["HG", "SMV"], ["PF", "LAV"], ["BT", "KM"]]),
    ("LS+DBI", [["BFS", "LBM"], ["HG", "FTD"], ["PF", "SAD"], ["BT", "LBM"]]),
    ("NBI+DBI", [["CFD", "LBM"], ["LAV", "FTD"], ["SMV", "SAD"], ["KM", "FTD"]]),
];

/// Seed, and a factor on every kernel's arithmetic.
const VARIANTS: [(u64, f64); 7] = [(1, 1.0), (2, 1.0), (3, 1.0), (4, 1.0), (5, 1.0), (1, 0.8), (1, 1.2)];

const SCHEMES: [&str; 3] = ["ccbp", "ws", "smk"];

/// Cycles of each run that are measured, and before them, after a scheme has learned.
const CYCLES: u64 = 200_000;
const WARM_UP: u64 = 80_000;

fn main() -> Result<(), String> {
    let mut tasks = Vec::new();
    for (variant, _) in VARIANTS.iter().enumerate() {
        for (category, (_, pairs)) in CATEGORIES.iter().enumerate() {
            tasks.extend((0..pairs.len()).map(|pair| (variant, category, pair)));
        }
    }
    let speedups = in_parallel(&tasks, |&(variant, category, pair)| {
        let pair = CATEGORIES[category].1[pair];
        let alone = [alone(pair[0], VARIANTS[variant])?, alone(pair[1], VARIANTS[variant])?];
        SCHEMES.iter().map(|scheme| hspeedup(pair, scheme, VARIANTS[variant], alone)).collect::<Result<Vec<f64>, String>>()
    })?;
    println!("{HEAD}");
    for (variant, (seed, arithmetic)) in VARIANTS.iter().enumerate() {
        let cells: Vec<String> = (0..CATEGORIES.len())
            .flat_map(|category| {
                let of = |task: &&(usize, usize, usize)| (task.0, task.1) == (variant, category);
                let rows: Vec<&Vec<f64>> = tasks.iter().zip(&speedups).filter(|(task, _)| of(task)).map(|(_, row)| row).collect();
                [1, 2].map(|other| format!(" {:.3} |", geomean(rows.iter().map(|row| row[0] / row[other]))))
            })
            .collect();
        println!("| {seed} | {arithmetic} |{}", cells.concat());
    }
    Ok(())
}

fn geomean(values: impl Iterator<Item = f64>) -> f64 {
    let logs: Vec<f64> = values.map(f64::ln).collect();
    (logs.iter().sum::<f64>() / logs.len() as f64).exp()
}

/// All results in the order of the tasks, by as many threads as there are cores.
fn in_parallel<T: Sync, R: Send>(tasks: &[T], work: impl Fn(&T) -> Result<R, String> + Sync) -> Result<Vec<R>, String> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                while let Some((at, task)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, tasks.get(at)?))) {
                    let result = work(task);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

fn alone(kernel: &str, variant: (u64, f64)) -> Result<f64, String> {
    Ok(run(&[kernel], "leftover", "gto", variant)?[0])
}

fn hspeedup(pair: [&str; 2], scheme: &str, variant: (u64, f64), alone: [f64; 2]) -> Result<f64, String> {
    let shared = run(&pair, scheme, "lrr", variant)?;
    let metrics = Metrics::of(&[0, 1].map(|k| (Some(alone[k]), Some(shared[k]))));
    metrics.hspeedup.ok_or_else(|| format!("{pair:?} under {scheme}: no HSpeedup"))
}

fn run(kernels: &[&str], policy: &str, order: &str, (seed, arithmetic): (u64, f64)) -> Result<Vec<f64>, String> {
    let used = |name: &&str| Value::object([("kernel", Value::from(*name)), ("arithmetic", arithmetic.into())]);
    let fields = [
        ("corun", Value::from(1)),
        ("seed", seed.into()),
        ("gpu", "ccbp-16sm".into()),
        ("kernels", Value::array(kernels.iter().map(used))),
        ("policy", policy.into()),
        ("warp_order", order.into()),
        ("warm_up", WARM_UP.into()),
        ("stop", Value::object([("cycles", CYCLES)])),
    ];
    let experiment = Experiment::decode(&Value::object(fields)).map_err(|problems| problems.to_string())?;
    let mut run = profile::start(&experiment).map_err(|problems| problems.to_string())?;
    run.advance(u64::MAX);
    Ok(KernelId::first(kernels.len()).map(|kernel| run.ipc(kernel).unwrap_or(0.0)).collect())
}

const HEAD: &str = "<!-- Printed by `cargo run --release --example robustness`: change that. -->
# Does CCBP's headline hang on the seed or on the kernels?

HSpeedup of `ccbp` over that of `ws` and of `smk`, geometric means of four pairs of each category (examples/robustness.rs lists them), 200,000
cycles after what each scheme learns and 80,000 more. First for five seeds, then with a fifth less and a fifth more arithmetic in every kernel.

| seed | arithmetic | LS+NBI: ws | smk | LS+DBI: ws | smk | NBI+DBI: ws | smk |
| --: | --: | --: | --: | --: | --: | --: | --: |";
