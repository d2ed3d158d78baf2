//! The four simplest real kernels, as in every CUDA course: a thread for each element, or for each row.

use super::parts::{alu, array, load, named, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Trips};
use alloc::vec;
use alloc::vec::Vec;

/// Elements of the vectors: 16 Mi words.
const BYTES: u64 = 64 << 20;

/// One element a thread, 256 threads a CTA.
fn streaming(program: Vec<Op>) -> Launch {
    Launch { grid: ((BYTES / 1024) as u32).into(), threads: 256, registers: 16, shared_bytes: 0, program, ..Launch::default() }
}

/// `c[i] = a[i] + b[i]`
pub fn vector_add() -> Kernel {
    let at = |index| words(index, 1024, 128);
    let program = vec![alu(6), load(at(0)), load(at(1)), Op::Wait { loads: 0 }, alu(1), store(at(2))];
    named(
        "VADD",
        "Vector addition",
        "CUDA samples, vectorAdd",
        "c[i] = a[i] + b[i], a thread for each element. Index arithmetic, two coalesced loads, one addition, one coalesced store: bound by DRAM.",
        vec![array("a", BYTES), array("b", BYTES), array("c", BYTES)],
        vec![streaming(program)],
    )
}

/// `y[i] = alpha x[i] + y[i]`
pub fn saxpy() -> Kernel {
    let at = |index| words(index, 1024, 128);
    let program = vec![alu(6), load(at(0)), load(at(1)), Op::Wait { loads: 0 }, alu(1), store(at(1))];
    named(
        "SAXPY",
        "Scaled vector addition",
        "BLAS level 1; CUDA samples",
        "y[i] = alpha x[i] + y[i], in place: the store hits the line that the load brought into L2.",
        vec![array("x", BYTES), array("y", BYTES)],
        vec![streaming(program)],
    )
}

/// `b[i] = a[i]`
pub fn copy() -> Kernel {
    let at = |index| words(index, 1024, 128);
    let program = vec![alu(5), load(at(0)), Op::Wait { loads: 0 }, store(at(1))];
    named(
        "COPY",
        "Copy",
        "STREAM copy",
        "b[i] = a[i]: a line read and a line written for each warp, and the fetch that write-allocate adds.",
        vec![array("a", BYTES), array("b", BYTES)],
        vec![streaming(program)],
    )
}

/// `y[row] = Σ A[row][column] x[column]`
pub fn matrix_vector() -> Kernel {
    // A warp for each of 4096 rows, 32 columns at a time.
    let row = 4096 * 4;
    let matrix = Address { loops: [128, 0, 0], ..words(0, 8 * row, row) };
    let vector = Address { loops: [128, 0, 0], ..words(1, 0, 0) };
    let program = vec![
        alu(6),
        Op::Loop { trips: Trips::Fixed(128) },
        load(matrix),
        load(vector),
        Op::Wait { loads: 2 },
        alu(3),
        Op::End,
        Op::Wait { loads: 0 },
        // The sum over the lanes, in five exchanges.
        alu(10),
        Op::Store { address: Address { array: 2, cta: 32, warp: 4, ..Address::default() }, lanes: 1 },
    ];
    named(
        "MATVEC",
        "Matrix-vector product",
        "cuBLAS-like gemv; PolyBench MVT",
        "y = A x for a 4096 × 4096 matrix, a warp for each row: the row streams past once, coalesced, with the next loads under way; x is read by \
         every warp and stays in the caches; the lanes' sums are added up at the end.",
        vec![array("A", 4096 * 4096 * 4), array("x", 4096 * 4), array("y", 4096 * 4)],
        vec![Launch { grid: 512.into(), threads: 256, registers: 20, shared_bytes: 0, program, ..Launch::default() }],
    )
}
