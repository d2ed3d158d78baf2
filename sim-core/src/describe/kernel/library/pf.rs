//! PF: the cheapest path through a grid.

use super::{array, broadcast, independent, load, named, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Trips};
use alloc::vec;
use alloc::vec::Vec;

const CTAS: u32 = 2048;
/// Times that four rows are done in a launch.
const ROUNDS: u32 = 4;

/// Rodinia `pathfinder`: `dynproc_kernel`.
pub fn kernel() -> Kernel {
    let row = i64::from(CTAS) * 1024;
    let step = |load: Op| [load, Op::Wait { loads: 0 }, independent(20, 32)];
    let shared = [Op::Shared { count: 1, stride: 1, lanes: 32 }, Op::Barrier];
    let mut program = vec![independent(16, 32), load(words(1, 1024, 128)), Op::Wait { loads: 0 }];
    program.push(Op::Loop { trips: Trips::Fixed(ROUNDS) });
    for r in 0..4_i64 {
        // The halo of the last row is not aligned: its lines are shared with the neighbours.
        let wall = Address { offset: r * row + if r == 3 { 64 } else { 0 }, loops: [4 * row, 0, 0], ..words(0, 1024, 128) };
        program.extend(step(load(wall)));
        program.extend(shared.clone());
        // What the whole CTA reads of a row: its costs, which L2 holds, and its penalties, one line each.
        let lines = 16 * i64::from(ROUNDS) * 128;
        let common = |i: i64| Address { offset: (4 * r + i) * 128, ..broadcast(if i % 2 == 0 { 3 } else { 2 }, lines, [16 * 128, 0, 0]) };
        program.extend((0..4).flat_map(|i| step(load(common(i)))));
        program.push(Op::Barrier);
    }
    program.extend([Op::End, store(words(1, 1024, 128))]);
    let arrays: Vec<_> = vec![
        array("wall", (row * 64) as u64),
        array("result", row as u64),
        array("penalties", u64::from(CTAS * ROUNDS) * 16 * 128),
        array("costs", 256 << 10),
    ];
    named(
        "PF",
        "Dynamic programming on a grid",
        "Rodinia pathfinder; character after CCBP Table 2",
        "Each CTA takes a strip of the grid and goes down its rows: each cell adds its cost to the cheapest of the three above, which are in shared \
         memory, with barriers between. Each row brings a line for every warp and, in a chain, lines that all warps of the CTA read. Much \
         arithmetic, and yet the time is that of the chain.",
        arrays,
        vec![Launch { ctas: CTAS, threads: 256, registers: 36, shared_bytes: 2048, program }],
    )
}
