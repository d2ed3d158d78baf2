//! qos/STENCIL: seven points of a grid in three dimensions.

use super::parboil::launch;
use super::parts::{ALL, alu, array, load, named, repeat, shared, some_warps, store, words};
use crate::describe::kernel::{Address, Kernel, Op};
use alloc::vec;
use alloc::vec::Vec;

/// Points along x, y and z.
const SIDE: i64 = 512;
const PLANES: i64 = 64;
const PLANE: i64 = SIDE * SIDE * 4;
/// A CTA's tile: 64 points of four rows, two points a thread; tiles of a row.
const TILE: i64 = 64 * 4 * 4;
const ACROSS: i64 = SIDE / 64;

/// Parboil `stencil`: two of its 100 launches of `block2D_hybrid_coarsen_x`.
pub fn kernel() -> Kernel {
    let step = |from: u8, to: u8| {
        // A tile's rows lie one after the other; a warp has one of them, in two lines.
        let row = |array: u8, plane: i64, half: i64| Address {
            offset: plane * PLANE + 128 * half,
            loops: [PLANE, 0, 0],
            ..words(array, TILE, 256)
        };
        let beside = |tiles: i64, half: i64| Address { offset: PLANE + tiles * TILE + 128 * half, ..row(from, 0, 0) };
        let edge = |tiles: i64| Op::Load { address: beside(tiles, 0), lanes: 1 };
        let mut program: Vec<Op> =
            vec![alu(30), load(row(from, 0, 0)), load(row(from, 0, 1)), load(row(from, 1, 0)), load(row(from, 1, 1)), ALL];
        program.extend([repeat(PLANES as u32 - 2), alu(20), shared(2), load(row(from, 2, 0)), load(row(from, 2, 1))]);
        // The first and the last row of a tile need the row before and after it, the first and the last lane the point beside them.
        program.extend([some_warps(1, 2), load(beside(-ACROSS, 0)), load(beside(-ACROSS, 1)), Op::End]);
        program.extend([edge(-1), edge(1), ALL, Op::Barrier, alu(20), shared(8), alu(40)]);
        program.extend([store(row(to, 1, 0)), store(row(to, 1, 1)), Op::Barrier, Op::End]);
        launch((SIDE / 4 * ACROSS) as u32, 128, 32, 1024, program)
    };
    let bytes = (PLANE * PLANES) as u64;
    named(
        "qos/STENCIL",
        "Seven-point stencil, two time steps",
        "Parboil, stencil/src/cuda/kernels.cu, block2D_hybrid_coarsen_x; input default (512 × 512 × 64)",
        "A CTA takes a tile of 64 × 4 points through all planes. It reads the plane above, has its own in shared memory and the one below \
         in registers, and writes the sum of seven points. Each launch reads what the one before wrote. Loads are used in the trip that \
         issues them: bound by DRAM and latency. From the source: the block of 32 × 4, 32 registers, 1024 bytes of shared memory, 8 × 128 \
         CTAs, 62 trips. A trip has two loads and two stores, two more loads for half of the rows, and one lane's load for each side. It \
         also has ten accesses of shared memory, 80 arithmetic instructions and two barriers. Not as in the source: a tile's rows lie one \
         after the other in memory, and its neighbours' around it. Free: which rows of a tile load what is beside it (half of them, \
         drawn).",
        vec![array("a", bytes), array("b", bytes)],
        vec![step(0, 1), step(1, 0)],
    )
}
