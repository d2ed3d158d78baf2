//! What only the claims on interference measure ("Understanding GPU Resource Interference One Level Deeper", SoCC 2025, as rerun on an RTX 5090).

use crate::engine::measures::{Code, Function, Measure};
use crate::engine::paper::mix::Mix;
use sim_core::describe::kernel::library::{self, probe};

/// The paper's code.
pub const CODE: Code = Code { functions: FUNCTIONS, complete: |_| {} };

/// Every function by its name in the claims.
const FUNCTIONS: &[(&str, Function)] = &[("added", added), ("nobody", |_| Some(1.0)), ("slowdown", slowdown), ("printed", printed)];

/// What hardware counters say of each kernel alone, percent of the peak of DRAM, L2, L1, issue slots, FMA pipe and FP64 pipe.
const ALONE: [(&str, [f64; 6]); 5] = [
    ("dram", [69.0, 27.3, 13.9, 3.2, 0.4, 0.0]),
    ("l2", [0.1, 76.3, 39.6, 12.2, 1.3, 0.0]),
    ("l1", [0.0, 46.1, 23.6, 5.3, 1.5, 0.0]),
    ("fma", [0.0, 0.0, 0.0, 82.7, 79.0, 0.0]),
    ("fp64", [0.0, 0.0, 0.0, 7.7, 0.0, 99.5]),
];

/// The slowdown of `kernel` beside `beside` by adding up utilisations: as much as the busiest resource is asked for more than all of it.
fn added(measure: &Measure) -> Option<f64> {
    let of = |word| ALONE.iter().find(|alone| alone.0 == measure.text(word)).map(|alone| alone.1);
    let sums = of("kernel")?.into_iter().zip(of("beside")?).map(|(one, other)| (one + other) / 100.0);
    Some(sums.fold(1.0, f64::max))
}

/// Passes of a launch in the rerun's program (`profiler/code/probe.cu`). It counts the loops of `fma`, four multiply-adds each; a pass here has 64.
const PASSES: [(&str, f64); 5] = [("dram", 48.0), ("l2", 1200.0), ("l1", 15_000.0), ("fma", 20e6 / 16.0), ("fp64", 400e3)];

/// Launches that the rerun's program times, and how many more of the other kernel it queues than take as long.
const TIMED: usize = 7;
const MORE: f64 = 4.0;

/// The mix of `kernel` and `beside`, which came first.
fn mix(measure: &Measure) -> Mix {
    ["beside", "kernel"].map(|word| measure.text(word).to_owned()).to_vec()
}

/// The slowdown of `kernel` beside `beside`, while both run.
fn slowdown(measure: &Measure) -> Option<f64> {
    measure.runs.value(&mix(measure), "streams", "kernels[1].slowdown")
}

/// The slowdown of `kernel` beside `beside` as the rerun's program prints it (`timeColoc` in `profiler/code/probe.cu`).
fn printed(measure: &Measure) -> Option<f64> {
    let mix = mix(measure);
    let value = |path: &str| measure.runs.value(&mix, "streams", path);
    let launch = |name: &str, ipc: f64| {
        let passes = PASSES.iter().find(|of| of.0 == name)?.1;
        Some(passes * library::find(&format!("interference/{name}"))?.thread_instructions() / f64::from(probe::ENDLESS) / ipc)
    };
    let other = (launch(&mix[0], value("kernels[0].ipc_alone")?)?, value("kernels[0].slowdown")?);
    let timed = (launch(&mix[1], value("kernels[1].ipc_alone")?)?, value("kernels[1].slowdown")?);
    Some(median_of_launches(timed, other))
}

/// The median of seven launches over one alone. Of either kernel: the time of a launch alone, and its slowdown while both run. As many launches of the
/// other are queued first as cover seven alone, and four more. So a kernel that is slowed by much is still timed after the last of these has ended.
fn median_of_launches(timed: (f64, f64), other: (f64, f64)) -> f64 {
    let queued = (TIMED as f64 * timed.0 / other.0).floor() + MORE;
    let mut left = queued * other.0 * other.1;
    let mut took = [0.0; TIMED];
    for time in &mut took {
        let beside = left.min(timed.0 * timed.1);
        left -= beside;
        *time = beside + timed.0 - beside / timed.1;
    }
    took.sort_by(f64::total_cmp);
    took[TIMED / 2] / timed.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::describe::kernel::Op;

    #[test]
    fn a_pass_of_fma_is_sixteen_loops_of_four() {
        let program = &library::find("interference/fma").unwrap().launches[0].program;
        assert!(matches!(program[1], Op::Alu { count: 64, .. }), "{program:?}");
    }

    #[test]
    fn a_kernel_that_outlasts_the_queue_of_the_other_seems_not_to_suffer() {
        // Eleven launches of the other kernel cover four launches that take 2.5 times as long, one and a half that take six times, and three and a
        // half that take three: the fourth then is half done, and goes on alone.
        let of = |slowdown| median_of_launches((1.0, slowdown), (1.0, 1.0));
        assert_eq!([1.0, 2.5, 6.0].map(of), [1.0, 2.5, 1.0]);
        assert!((of(22.0 / 7.0) - (11.0 / 7.0 + 0.5)).abs() < 1e-12);
        // What slows both as much lasts as long.
        assert_eq!(median_of_launches((1.0, 6.0), (1.0, 6.0)), 6.0);
    }
}
