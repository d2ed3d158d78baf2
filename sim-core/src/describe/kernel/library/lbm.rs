//! ccbp/LBM: lattice Boltzmann.

use super::parts::{ALL, array, named, words};
use crate::describe::kernel::{Address, Array, Kernel, Launch, Op};
use alloc::vec;
use alloc::vec::Vec;

/// Directions in which particles move: D3Q19.
const DIRECTIONS: i64 = 19;
/// Bytes of a plane: 128 × 120 × 154 cells, of which 120 × 120 × 150 are used.
const PLANE: i64 = 128 * 120 * 154 * 4;
/// Lanes at work: a row's 120 cells are 32, 32, 32 and 24.
const LANES: u32 = 30;

/// Its two grids.
pub fn arrays() -> Vec<Array> {
    let bytes = ((DIRECTIONS + 1) * PLANE) as u64;
    vec![array("source", bytes), array("destination", bytes)]
}

/// A time step from one grid to the other, with `work` arithmetic instructions and so many divisions a cell.
pub fn launch(from: u8, to: u8, work: u32, divisions: u32) -> Launch {
    let cell = |array: u8, direction: i64, moved: i64| Address { offset: direction * PLANE + moved, ..words(array, 512, 128) };
    let alu = |count| Op::Alu { count, latency: 4, lanes: LANES };
    let mut program: Vec<Op> = vec![alu(20)];
    program.extend((0..=DIRECTIONS).map(|direction| Op::Load { address: cell(from, direction, 0), lanes: LANES }));
    program.extend([ALL, alu(work)]);
    program.extend((divisions > 0).then_some(Op::Sfu { count: divisions, latency: 4, lanes: LANES }));
    // Ten directions move along x, to another line; rows and planes before and after are aligned.
    let rows = [0, 512, -512, 120 * 512, -120 * 512];
    program.extend((0..DIRECTIONS).map(|direction| {
        let x = [-4, 4][direction as usize % 2] * i64::from(direction < 10);
        Op::Store { address: cell(to, direction, 1024 + rows[direction as usize % 5] + x), lanes: LANES }
    }));
    Launch { grid: 18_000.into(), threads: 120, registers: 40, shared_bytes: 0, program, ..Launch::default() }
}

/// Parboil `lbm`: `performStreamCollide_kernel`.
pub fn kernel() -> Kernel {
    named(
        "ccbp/LBM",
        "Lattice Boltzmann method",
        "Parboil, lbm/src/cuda/lbm_kernel.cu, performStreamCollide_kernel",
        "A thread takes a cell of a fluid. It reads the particles that move in each of 19 directions, and the cell's flags. It lets them \
         collide, and writes them to the cells where they go. Nothing is used twice: every line is read or fetched, and written back, \
         once. Bound by DRAM, with many rows open. From the source: the block of 120 threads (a row), 18,000 CTAs, 40 registers, 20 \
         aligned loads back to back, 19 stores of which ten are misaligned by a cell, the planes' sizes. Free: arithmetic (factor 2.5).",
        arrays(),
        vec![launch(0, 1, 643, 0)],
    )
}
