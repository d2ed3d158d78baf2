//! SAD: sums of absolute differences.

use super::{alu, array, load, named, store};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Trips};
use alloc::vec;

/// Parboil `sad`: `mb_sad_calc`.
pub fn kernel() -> Kernel {
    // A CTA takes one 4 × 4 block of the frame and all 33 × 33 search positions, 61 threads with 18 positions each. A warp's row of
    // reference pixels is a line; blocks that follow each other search overlapping parts of the reference.
    let frame = Address { array: 0, cta: 64, lane: 4, ..Address::default() };
    let reference = Address { array: 1, cta: 20 * 128, warp: 18 * 128, loops: [128, 0, 0], lane: 4, ..Address::default() };
    let sums = Address { array: 2, cta: 36 * 128, warp: 18 * 128, loops: [128, 0, 0], lane: 4, ..Address::default() };
    let program = vec![
        alu(12),
        load(frame),
        Op::Loop { trips: Trips::Fixed(18) },
        load(reference),
        Op::Wait { loads: 0 },
        alu(6),
        store(sums),
        Op::End,
    ];
    named(
        "SAD",
        "Sums of absolute differences",
        "Parboil sad (mb_sad_calc); character after CCBP Table 2",
        "Motion estimation: for each 4 × 4 block of a frame and each of 33 × 33 positions of the reference, the sum of absolute differences of 16 \
         pixels. Few threads, little arithmetic, and a result for every position: the results stream through L2, each line fetched before it is \
         written and written back later. Bound by DRAM, already with few CTAs.",
        vec![array("frame", 1 << 20), array("reference", 4 << 20), array("sums", 128 << 20)],
        vec![Launch { ctas: 25_344, threads: 61, registers: 28, shared_bytes: 0, program }],
    )
}
