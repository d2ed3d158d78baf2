//! KM: k-means clustering.

use super::{alu, array, load, named, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Trips};
use alloc::vec;

/// Points, and features of each.
const POINTS: i64 = 1 << 19;
const FEATURES: i64 = 18;

/// Rodinia `kmeans`: `invert_mapping`.
pub fn kernel() -> Kernel {
    let row = FEATURES * 4;
    let feature = Address { array: 0, cta: 256 * row, warp: 32 * row, loops: [4, 0, 0], lane: row, ..Address::default() };
    let transposed = Address { loops: [POINTS * 4, 0, 0], ..words(1, 1024, 128) };
    let program = vec![
        alu(8),
        Op::Loop { trips: Trips::Fixed(FEATURES as u32) },
        load(feature),
        Op::Wait { loads: 0 },
        store(transposed),
        alu(16),
        Op::End,
    ];
    let bytes = (POINTS * row) as u64;
    named(
        "KM",
        "k-means: transposing the features",
        "Rodinia kmeans (invert_mapping); character after CCBP Table 2",
        "Each thread copies the features of one point from rows to columns. A warp's reads lie a row apart, so that one load touches 18 lines, and the next \
         touches them again: those that L1D has lost in the meantime come from L2. Writes are coalesced. Bound by the NoC. Registers leave room for \
         four CTAs; with more, L1D would keep nothing.",
        vec![array("features", bytes), array("transposed", bytes)],
        vec![Launch { ctas: (POINTS / 256) as u32, threads: 256, registers: 64, shared_bytes: 0, program }],
    )
}
