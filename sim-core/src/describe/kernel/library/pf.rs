//! ccbp/PF: the cheapest path through a grid.

use super::parts::{ALL, array, chain, load, named, repeat, shared, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op};
use alloc::vec;

/// Columns and rows of the grid; steps of a launch.
const COLUMNS: i64 = 100_000;
const ROWS: i64 = 100;
const STEPS: u32 = 20;
/// Lanes at work: the block loses a column on either side with each step.
const LANES: u32 = 31;

/// Cycles from an arithmetic instruction to the next.
const LATENCY: u32 = 13;

/// Rodinia `pathfinder`: `dynproc_kernel`.
pub fn kernel() -> Kernel {
    let work = |count| Op::Alu { count, latency: LATENCY, lanes: LANES };
    let some = |count| Op::Shared { count, stride: 1, lanes: LANES };
    let row = COLUMNS * 4;
    // 216 columns of a CTA's 256 are its own; 20 on either side are its neighbours'.
    let cells = |array: u8| Address { offset: 48, ..words(array, 864, 128) };
    let mut program = vec![chain(48, LATENCY), load(cells(1)), ALL, shared(1), Op::Barrier, repeat(STEPS)];
    program.extend([work(24), some(3), work(18), load(Address { loops: [row, 0, 0], ..cells(0) }), ALL, work(12), some(1), Op::Barrier]);
    program.extend([chain(18, LATENCY), some(2), Op::Barrier, chain(12, LATENCY), Op::End]);
    program.push(Op::Store { address: words(2, 864, 108), lanes: 27 });
    named(
        "ccbp/PF",
        "Dynamic programming on a grid",
        "Rodinia 3.1, cuda/pathfinder/pathfinder.cu, dynproc_kernel",
        "Each CTA takes a strip of the grid and goes down 20 of its rows. Each cell adds its cost to the cheapest of the three above, \
         which are in shared memory. There are two barriers for each row. Each row is read once, misaligned, and overlaps with the \
         neighbouring CTAs' by 40 columns. From the source: the block, 2048 bytes of shared memory, 463 CTAs of 216 columns, 20 steps, one \
         load a step, what is read and written in shared memory. Free: arithmetic (factor 2.4) and its latency (13 cycles).",
        vec![array("wall", (ROWS * row) as u64), array("result", row as u64), array("next result", row as u64)],
        vec![Launch {
            grid: ((COLUMNS as u32).div_ceil(216)).into(),
            threads: 256,
            registers: 14,
            shared_bytes: 2048,
            program,
            ..Launch::default()
        }],
    )
}
