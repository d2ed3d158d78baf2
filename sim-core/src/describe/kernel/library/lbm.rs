//! LBM: lattice Boltzmann.

use super::{alu, array, load, named, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op};
use alloc::vec;

const CTAS: u32 = 15_000;
/// Directions in which particles move: D3Q19.
const DIRECTIONS: i64 = 19;

/// Parboil `lbm`: `performStreamCollide_kernel`.
pub fn kernel() -> Kernel {
    let plane = i64::from(CTAS) * 512;
    let own = |array: u8, direction: i64, cells: i64| Address { offset: direction * plane + 4 * cells, ..words(array, 512, 128) };
    let mut program = vec![alu(12)];
    for directions in [0..8, 8..14] {
        program.extend(directions.map(|direction| load(own(0, direction, 0))));
        program.extend([Op::Wait { loads: 2 }, alu(200)]);
    }
    program.extend((14..DIRECTIONS).map(|direction| load(own(0, direction, 0))));
    program.extend([load(own(2, 0, 0)), Op::Wait { loads: 0 }, alu(200)]);
    // Particles that move along x land beside their cell: of the ten directions that do, five cross to another line of the warp.
    program.extend((0..DIRECTIONS).map(|direction| store(own(1, direction, i64::from(direction < 5)))));
    let bytes = (DIRECTIONS * plane) as u64;
    named(
        "LBM",
        "Lattice Boltzmann method",
        "Parboil lbm; character after CCBP Table 2",
        "A thread for each cell of a fluid: reads the particles that move in each of 19 directions, lets them collide, and writes them to the cells where \
         they go. Nothing is used twice: every line is read or fetched, and written back, once. Bound by DRAM, with many rows open.",
        vec![array("source", bytes), array("destination", bytes), array("flags", plane as u64)],
        vec![Launch { ctas: CTAS, threads: 128, registers: 64, shared_bytes: 0, program }],
    )
}
