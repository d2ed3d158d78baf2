//! HG: histogram.

use super::{array, independent, load, named, store};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Scatter, Trips};
use alloc::vec;

const CTAS: u32 = 4000;
/// Lines that each warp counts.
const LINES: i64 = 24;

/// Parboil `histo`: `histo_main_kernel`.
pub fn kernel() -> Kernel {
    let data = Address { array: 0, cta: 256 * LINES, warp: 128 * LINES, loops: [3 * 128, 128, 0], lane: 4, ..Address::default() };
    let overflow = Address { array: 1, lane: 4, scatter: Scatter::Warp { bytes: 256 << 10 }, ..Address::default() };
    let program = vec![
        Op::Shared { count: 4, stride: 1, lanes: 32 },
        Op::Barrier,
        Op::Loop { trips: Trips::Fixed(LINES as u32 / 3) },
        independent(2, 32),
        Op::Loop { trips: Trips::Fixed(3) },
        load(data),
        Op::Wait { loads: 0 },
        independent(46, 32),
        // Several lanes count in one bank.
        Op::Shared { count: 2, stride: 2, lanes: 32 },
        Op::End,
        load(overflow),
        Op::Wait { loads: 0 },
        independent(23, 32),
        Op::End,
        Op::Barrier,
        Op::Shared { count: 4, stride: 1, lanes: 32 },
        store(Address { array: 2, cta: 256, warp: 128, lane: 4, ..Address::default() }),
    ];
    named(
        "HG",
        "Histogram",
        "Parboil histo; character after CCBP Table 2",
        "Each CTA counts a stretch of the data in a histogram of its own in shared memory, where lanes meet in one bank, looks up what overflows in a \
         table that L2 holds, and adds its counts to the result. Shared memory limits it to six CTAs on an SM, too few to hide latency.",
        vec![array("data", (i64::from(CTAS) * 256 * LINES) as u64), array("overflow", 256 << 10), array("bins", 16 << 10)],
        vec![Launch { ctas: CTAS, threads: 64, registers: 24, shared_bytes: 16 << 10, program }],
    )
}
