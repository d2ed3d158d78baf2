//! ccbp/KM: k-means clustering.

use super::parts::{ALL, alu, array, load, named, repeat, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op};
use alloc::vec;

/// Points, and features of each: `kdd_cup`.
const POINTS: i64 = 494_020;
const FEATURES: i64 = 34;

/// Rodinia `kmeans`: `invert_mapping`.
pub fn kernel() -> Kernel {
    let row = FEATURES * 4;
    let column = POINTS * 4;
    // Three features a trip, and one after the last.
    let read = |n: i64, trip: i64| {
        load(Address { array: 0, offset: 4 * n, cta: 256 * row, warp: 32 * row, loops: [4 * trip, 0, 0], lane: row, ..Address::default() })
    };
    let write = |n: i64, trip: i64| store(Address { offset: n * column, loops: [trip * column, 0, 0], ..words(1, 1024, 128) });
    let mut program = vec![alu(8), repeat(FEATURES as u32 / 3), alu(18)];
    program.extend((0..3).map(|n| read(n, 3)));
    program.extend((0..3).flat_map(|n| [Op::Wait { loads: 2 - n }, write(n.into(), 3)]));
    program.extend([alu(18), Op::End, alu(6), read(FEATURES - 1, 0), ALL, write(FEATURES - 1, 0), alu(6)]);
    let bytes = (POINTS * row) as u64;
    named(
        "ccbp/KM",
        "k-means: transposing the features",
        "Rodinia 3.1, cuda/kmeans/kmeans_cuda_kernel.cu, invert_mapping",
        "Each thread copies the features of one point from rows to columns. A warp's reads lie 136 bytes apart, so one load touches 32 \
         lines, and the next touches them again. 64 warps want far more than L1D holds, and what it has lost comes from L2. Writes are \
         coalesced and misaligned by 16 bytes more with each feature. Bound by the NoC. From the source: the block, 22 registers, 494,020 \
         points of 34 features, strides. Free: how many of a lane's next features find the line still there (three loads stand together, \
         as a compiler that unrolls would place them), arithmetic (factor 2.2).",
        vec![array("features", bytes), array("transposed", bytes)],
        vec![Launch {
            grid: ((POINTS as u32).div_ceil(256)).into(),
            threads: 256,
            registers: 22,
            shared_bytes: 0,
            program,
            ..Launch::default()
        }],
    )
}
