//! hetero/KMEANS: k-means clustering, the whole program.

use super::hetero::work;
use super::parboil::{broadcast, launch};
use super::parts::{ALL, array, load, named, repeat, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op};
use alloc::vec;
use alloc::vec::Vec;

/// Points, and features of each: `kdd_cup`.
const POINTS: i64 = 494_020;
const FEATURES: i64 = 34;
/// Clusters by default, and iterations until fewer points move than the threshold says.
const CLUSTERS: u32 = 5;
const ITERATIONS: usize = 8;
/// A grid of 44 × 44.
const CTAS: u32 = 1936;

/// Rodinia `kmeans`: `invert_mapping`, then `kmeansPoint` until the clusters stay.
pub fn kernel() -> Kernel {
    let bytes = (POINTS * FEATURES * 4) as u64;
    let mut launches = vec![transpose()];
    launches.extend((0..ITERATIONS).map(|_| nearest()));
    named(
        "hetero/KMEANS",
        "k-means, the whole program",
        "Rodinia 3.1, cuda/kmeans/kmeans_cuda_kernel.cu, invert_mapping and kmeansPoint",
        "First the features of each point go from rows to columns. Reads lie 136 bytes apart, 32 lines a load, and L1D has lost them when \
         the next trip wants them again. Then, until the clusters stay, a thread for each point compares it with five centres. It reads \
         the point's features again for each, coalesced and misaligned, far more than L1D holds. From the source: the blocks, 10 and 17 \
         registers, loops, strides, a store for each feature and one for each point. Free: 494,020 points of 34 features, eight \
         iterations, two features a trip of kmeansPoint (17 registers are those of an unrolled loop), arithmetic. Textures are loads. The \
         paper prints 1 CTA for a small SM, which no shape with 6 and 9 on the others can give; the source gives 3.",
        vec![array("features", bytes), array("transposed", bytes), array("membership", (POINTS * 4) as u64)],
        launches,
    )
}

/// The features of one point, a thread.
fn transpose() -> Launch {
    let row = FEATURES * 4;
    let feature = Address { cta: 256 * row, warp: 32 * row, loops: [4, 0, 0], lane: row, ..Address::default() };
    let transposed = Address { loops: [POINTS * 4, 0, 0], ..words(1, 1024, 128) };
    let program = vec![work(8), repeat(FEATURES as u32), load(feature), ALL, work(5), store(transposed), Op::End];
    launch(CTAS, 256, 10, 0, program)
}

/// The nearest centre of one point, a thread.
fn nearest() -> Launch {
    let column = POINTS * 4;
    let feature = |n: i64| load(Address { offset: n * column, loops: [0, 2 * column, 0], ..words(1, 1024, 128) });
    let mut program: Vec<Op> = vec![work(10), repeat(CLUSTERS), work(6), repeat(FEATURES as u32 / 2), feature(0), feature(1), broadcast(2)];
    program.extend([ALL, work(7), Op::End, Op::End, store(words(2, 1024, 128))]);
    launch(CTAS, 256, 17, 0, program)
}
