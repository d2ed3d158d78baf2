//! qos/TPACF: the angles between all pairs of galaxies.

use super::parboil::{broadcast, launch};
use super::parts::{ALL, alu, array, load, named, repeat, shared, some_warps, words};
use crate::describe::kernel::{Address, Kernel, Op, Trips};
use alloc::vec;
use alloc::vec::Vec;

/// Sets of random points beside the real one, and points of a set, in trips of a CTA's 256.
const SETS: u32 = 100;
const POINTS: i64 = 10_391;
const TRIPS: u32 = 41;

/// Parboil `tpacf`: `gen_hists`.
pub fn kernel() -> Kernel {
    let bytes = POINTS * 4;
    // x, y and z of a set lie one after the other.
    let point = |coordinate: i64, trip: [i64; 3]| load(Address { offset: coordinate * bytes, loops: trip, ..words(0, 3 * bytes, 128) });
    let mut program: Vec<Op> = vec![alu(20), shared(10), Op::Barrier, repeat(TRIPS)];
    program.extend((0..3).map(|n| point(n, [1024, 0, 0])));
    program.extend([ALL, Op::Shared { count: 3, stride: 3, lanes: 32 }, Op::Barrier]);
    // Real data against a random set takes all pairs, a set against itself half of them.
    program.push(Op::Loop { trips: Trips::PerCta { min: TRIPS / 2, max: TRIPS } });
    program.extend((0..3).map(|n| point(n, [0, 1024, 0])));
    // A pair: the product of two points, its bin by a search among 21 constants, one more in a histogram that two lanes share.
    program.extend([ALL, alu(4), repeat(256), broadcast(3), alu(5), broadcast(5), alu(32)]);
    program.extend([Op::Shared { count: 2, stride: 2, lanes: 32 }, alu(3), Op::End, Op::End, Op::End]);
    // 128 columns of each of the bins become one.
    for lanes in [32, 16, 8, 4, 2, 1, 1] {
        program.extend([repeat(10), Op::Barrier, Op::Shared { count: 3, stride: 1, lanes }, alu(4), Op::End]);
    }
    let bins = Address { array: 1, cta: 160, lane: 8, ..Address::default() };
    program.extend([Op::Barrier, some_warps(1, 8), Op::Store { address: bins, lanes: 20 }, Op::End]);
    named(
        "qos/TPACF",
        "Two-point angular correlation",
        "Parboil, tpacf/src/cuda/tpacf_kernel.cu, gen_hists; input large (-n 100 -p 10391)",
        "A CTA compares all pairs of two sets of points, 256 of one in shared memory at a time. It counts their angles in private \
         histograms in shared memory. Bound by arithmetic and the pipe of shared memory. A CTA takes longer than any run. From the source: \
         the block, 30 registers, 13,312 bytes of shared memory, 201 CTAs, loops, loads, the tree of 70 barriers. A pair has three reads \
         of shared memory, five constants, 40 arithmetic instructions, and an atomic addition by which two lanes meet. Free: how many of \
         the second set's points a CTA goes through (drawn for each from half of them to all).",
        vec![array("points", u64::from(SETS + 1) * 3 * bytes as u64), array("histograms", u64::from(2 * SETS + 1) * 160)],
        vec![launch(2 * SETS + 1, 256, 30, 13_312, program)],
    )
}
