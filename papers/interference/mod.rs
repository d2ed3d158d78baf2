//! What only the claims on interference measure ("Understanding GPU Resource Interference One Level Deeper", SoCC 2025, as rerun on an RTX 5090).

use crate::engine::measures::{Code, Function, Measure};

/// The paper's code.
pub const CODE: Code = Code { functions: FUNCTIONS, complete: |_| {} };

/// Every function by its name in the claims.
const FUNCTIONS: &[(&str, Function)] = &[("added", added), ("slowdown", slowdown)];

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

/// The slowdown of `kernel` beside `beside`, which came first.
fn slowdown(measure: &Measure) -> Option<f64> {
    let mix = ["beside", "kernel"].map(|word| measure.text(word).to_owned()).to_vec();
    measure.runs.value(&mix, "streams", "kernels[1].slowdown")
}
