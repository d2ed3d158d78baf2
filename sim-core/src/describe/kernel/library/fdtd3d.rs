//! hetero/FDTD3D: finite differences in three dimensions.

use super::hetero::work;
use super::parboil::launch;
use super::parts::{ALL, array, load, named, repeat, shared, some_warps, store, words};
use crate::describe::kernel::{Address, Kernel, Op};
use alloc::vec;
use alloc::vec::Vec;

/// Tiles of 32 × 16 across a plane, and down it.
const ACROSS: i64 = 12;
const DOWN: i64 = 24;
/// Planes that a launch goes through, and launches.
const PLANES: u32 = 376;
const STEPS: usize = 5;
/// Bytes of a tile, and of a plane.
const TILE: i64 = 2048;
const PLANE: i64 = ACROSS * DOWN * TILE;

/// CUDA SDK `FDTD3d`: `FiniteDifferencesKernel`.
pub fn kernel() -> Kernel {
    // Four planes ahead, the rows and columns beside the tile in this plane.
    let at = |array: u8, offset: i64| Address { offset, loops: [PLANE, 0, 0], ..words(array, TILE, 128) };
    let launches = (0..STEPS as u8).map(|step| {
        let (from, to) = (step % 2, 1 - step % 2);
        let beside = |tiles: i64| load(at(from, 4 * PLANE + tiles * TILE));
        let edge = |tiles: i64| Op::Load { address: at(from, 4 * PLANE + tiles * TILE), lanes: 4 };
        let mut program: Vec<Op> = vec![work(20)];
        program.extend((0..8).map(|n| load(Address { loops: [0; 3], ..at(from, n * PLANE) })));
        program.extend([ALL, repeat(PLANES), work(8), load(at(from, 8 * PLANE)), Op::Barrier]);
        program.extend([some_warps(1, 4), beside(-ACROSS), beside(ACROSS), ALL, shared(2), Op::End]);
        program.extend([edge(-1), edge(1), ALL, Op::Shared { count: 2, stride: 1, lanes: 4 }, shared(1), Op::Barrier]);
        program.extend([work(33), shared(16), store(at(to, 4 * PLANE)), Op::End]);
        launch((ACROSS * DOWN) as u32, 512, 29, 3840, program)
    });
    let bytes = (PLANE * 384) as u64;
    named(
        "hetero/FDTD3D",
        "Finite differences, 3D",
        "CUDA SDK, FDTD3d/inc/FDTD3dGPUKernel.cuh, FiniteDifferencesKernel",
        "A CTA takes a tile of 32 × 16 points through 376 planes. In each it reads its own points four planes ahead into registers. \
         Between two barriers it reads those of this plane beside the tile into shared memory. It stores the sum of 25 points. From the \
         source: the block, 29 registers, 3840 bytes of shared memory, 12 × 24 CTAs, loops, barriers, loads, five launches that swap two \
         volumes. A point has 17 accesses of shared memory and 33 arithmetic instructions. Not as in the source: a tile's rows lie one \
         after the other in memory, and its neighbours' around it. Free: which rows of a tile load those above and below it (a quarter of \
         them, drawn).",
        vec![array("one", bytes), array("other", bytes)],
        launches.collect(),
    )
}
