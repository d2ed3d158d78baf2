//! hetero/SC: clustering of a stream of points.

use super::hetero::work;
use super::parboil::launch;
use super::parts::{ALL, array, load, named, repeat, some_warps, store, words};
use crate::describe::kernel::{Address, Kernel, Op, Scatter};
use alloc::vec;
use alloc::vec::Vec;

/// Points, and their dimensions.
const POINTS: i64 = 65_536;
const DIMENSIONS: i64 = 256;
/// Bytes of a point's row of costs: one for each centre, and one more.
const ROW: i64 = 21 * 4;

/// Rodinia `streamcluster`: `kernel_compute_cost`.
pub fn kernel() -> Kernel {
    let column = |address: Address| load(Address { loops: [POINTS * 4, 0, 0], ..address });
    let own = column(words(0, 2048, 128));
    // The candidate's word of this dimension is the same for all.
    let candidate = column(Address { offset: POINTS / 3 * 4, ..Address::default() });
    let mut program: Vec<Op> = vec![work(12), repeat(DIMENSIONS as u32), own, candidate, ALL, work(4), Op::End];
    // Weight, cost and centre of the point.
    let field = |n: i64| load(Address { array: 1, offset: 8 * n, cta: 512 * 32, warp: 32 * 32, lane: 32, ..Address::default() });
    program.extend([field(0), field(1), field(2), ALL, work(6)]);
    let table = Address { array: 2, scatter: Scatter::Lane { bytes: 128 }, ..Address::default() };
    let lower = Address { array: 3, cta: 512 * ROW, warp: 32 * ROW, lane: ROW, ..Address::default() };
    program.extend([load(table), ALL, work(3), load(lower), ALL, work(3), store(lower)]);
    program.extend([some_warps(1, 16), store(Address { lane: 1, warp: 32, cta: 512, ..words(4, 0, 0) }), Op::End]);
    named(
        "hetero/SC",
        "Clustering of a stream of points",
        "Rodinia 3.1, cuda/streamcluster/streamcluster_cuda.cu, kernel_compute_cost",
        "What a candidate centre would cost each point. A thread for each point sums the squares of its distance from the candidate over \
         256 dimensions. A warp's own coordinates stream from DRAM. The candidate's are one word for all warps, a line of their own in \
         each dimension. L1D loses it before the last warp has read it if many warps are apart. Then each adds to a row of costs. From the \
         source: the block, 128 CTAs, 256 dimensions, loads, strides (256 KB from dimension to dimension), records of 32 bytes, rows of \
         costs, 17 registers. Free: 20 centres, which point is the candidate, which points would move (one warp in 16 has one), \
         arithmetic.",
        vec![
            array("coordinates", (DIMENSIONS * POINTS * 4) as u64),
            array("points", (POINTS * 32) as u64),
            array("centres", (POINTS * 4) as u64),
            array("costs", (POINTS * ROW) as u64),
            array("switches", POINTS as u64),
        ],
        vec![launch((POINTS / 512) as u32, 512, 17, 0, program)],
    )
}
