//! SMV: a sparse matrix times a vector.

use super::{alu, array, load, named, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Scatter, Trips};
use alloc::vec;

const ROWS: i64 = 1 << 17;
/// Elements of a row.
const ELEMENTS: i64 = 32;

/// Parboil `spmv`: `spmv_jds`.
pub fn kernel() -> Kernel {
    // Jagged diagonals: the n-th elements of all rows lie together.
    let element = |array: u8| Address { loops: [ROWS * 4, 0, 0], ..words(array, 512, 128) };
    // A row's columns lie along the diagonal, spread over eight lines.
    let x = Address { array: 2, cta: 1024, warp: 256, loops: [4096, 0, 0], scatter: Scatter::Lane { bytes: 1100 }, ..Address::default() };
    let program = vec![
        alu(10),
        Op::Loop { trips: Trips::Fixed(ELEMENTS as u32) },
        load(element(0)),
        Op::Wait { loads: 0 },
        load(element(1)),
        load(x),
        Op::Wait { loads: 0 },
        alu(30),
        Op::End,
        store(words(3, 512, 128)),
    ];
    let bytes = (ROWS * 4) as u64;
    named(
        "SMV",
        "Sparse matrix-vector product",
        "Parboil spmv; character after CCBP Table 2",
        "A thread for each row: reads column number and value of each element, in order, and the vector's element of that column, gathered from several \
         lines. The matrix streams from DRAM, the vector stays in L2: bound by the NoC.",
        vec![array("columns", bytes * ELEMENTS as u64), array("values", bytes * ELEMENTS as u64), array("x", 1 << 20), array("y", bytes)],
        vec![Launch { ctas: (ROWS / 128) as u32, threads: 128, registers: 20, shared_bytes: 0, program }],
    )
}
