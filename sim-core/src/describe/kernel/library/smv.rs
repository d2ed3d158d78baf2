//! ccbp/SMV: a sparse matrix times a vector.

use super::parts::{ALL, alu, array, load, named, repeat, store, words};
use crate::describe::kernel::{Address, Array, Kernel, Launch, Op, Scatter};
use alloc::vec;
use alloc::vec::Vec;

/// Rows, in whole CTAs, and elements of a row: `Dubcova3`.
const ROWS: i64 = 764 * 192;
const ELEMENTS: i64 = 25;
/// Bytes of the vector over which a warp's 32 columns lie.
const WINDOW: i64 = 672;

/// The matrix by diagonals, the vector, the rows' order and the result.
pub fn arrays() -> Vec<Array> {
    let bytes = (ROWS * 4) as u64;
    vec![
        array("columns", bytes * ELEMENTS as u64),
        array("values", bytes * ELEMENTS as u64),
        array("x", 589_824),
        array("permutation", bytes),
        array("y", bytes),
    ]
}

/// The product, with `address` arithmetic instructions between an element's column and the vector's element, and `product` after it.
pub fn launch(address: u32, product: u32) -> Launch {
    let own = |array: u8| words(array, 768, 128);
    // Jagged diagonals: the n-th elements of all rows lie together.
    let element = |array: u8| load(Address { loops: [ROWS * 4, 0, 0], ..own(array) });
    // Each warp has windows of its own, far from those of the warps beside it, and another for each element.
    let x = Address {
        array: 2,
        cta: 42 * WINDOW,
        warp: 7 * WINDOW,
        loops: [1013 * WINDOW, 0, 0],
        scatter: Scatter::Lane { bytes: WINDOW as u64 },
        ..Address::default()
    };
    let program = vec![
        alu(20),
        repeat(ELEMENTS as u32),
        element(0),
        element(1),
        Op::Wait { loads: 1 },
        alu(address),
        load(x),
        ALL,
        alu(product),
        Op::End,
        load(own(3)),
        ALL,
        alu(5),
        store(own(4)),
    ];
    Launch { grid: ((ROWS / 192) as u32).into(), threads: 192, registers: 28, shared_bytes: 0, program, ..Launch::default() }
}

/// Parboil `spmv`: `spmv_jds`.
pub fn kernel() -> Kernel {
    named(
        "ccbp/SMV",
        "Sparse matrix-vector product",
        "Parboil, spmv/src/cuda/jds_kernels.cu, spmv_jds",
        "A thread takes a row. It reads column number and value of each element, in order, and the vector's element of that column, \
         gathered from several lines. The matrix streams from DRAM, the vector stays in L2: bound by the NoC. From the source: the block \
         of 192 threads that it takes for a large matrix, 28 registers, 25 elements in each of 146,688 rows, loads and stores. Free: the \
         columns (a gather of 32 words within five lines, a window of its own for each warp and element), and arithmetic (factor 1.1 to \
         2.8: the source's range). The sorted rows' results are stored in order.",
        arrays(),
        vec![launch(12, 26)],
    )
}
