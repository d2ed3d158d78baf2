//! qos/SGEMM: a dense matrix product.

use super::parboil::{broadcast, launch};
use super::parts::{ALL, alu, array, chain, load, named, repeat, shared, store, words};
use crate::describe::kernel::{Address, Kernel, Op};
use alloc::vec;
use alloc::vec::Vec;

/// C is ROWS × COLUMNS, DEPTH products for each element.
const ROWS: i64 = 1024;
const COLUMNS: i64 = 1056;
const DEPTH: i64 = 992;
/// A CTA has 128 rows and so many columns, and takes so many products a trip.
const WIDE: i64 = 16;
const DEEP: i64 = 8;

/// Parboil `sgemm`: `mysgemmNT`.
pub fn kernel() -> Kernel {
    // Columns of A lie one after the other: a warp's 32 rows are one line. CTAs count along the rows first; the next column of CTAs begins one
    // column of A further on, and wraps around.
    let a = |n: i64| load(Address { offset: n * ROWS * 4, loops: [DEEP * ROWS * 4, 0, 0], ..words(0, 512, 128) });
    // Two rows of B a warp, half a line each.
    let b = |half: i64| Op::Load {
        address: Address { offset: half * COLUMNS * 4, loops: [DEEP * COLUMNS * 4, 0, 0], ..words(1, 8, 2 * COLUMNS * 4) },
        lanes: 16,
    };
    let mut program: Vec<Op> = vec![alu(25), repeat((DEPTH / DEEP) as u32), b(0), b(1), ALL, shared(1), Op::Barrier, a(0)];
    for n in 1..=DEEP {
        // The next line of A is under way while this one is used: 16 products with four words of four columns each.
        if n < DEEP {
            program.extend([a(n), Op::Wait { loads: 1 }]);
        } else {
            program.push(ALL);
        }
        program.extend([broadcast(4), chain(16, 1)]);
    }
    program.extend([alu(6), Op::Barrier, Op::End]);
    let c = Address { loops: [ROWS * 4, 0, 0], ..words(2, 512, 128) };
    // A CTA's columns are not those of the CTAs beside it.
    let c = Address { cta: 512 + WIDE * ROWS * 4 / 8, ..c };
    program.extend([repeat(WIDE as u32), load(c), ALL, alu(4), store(c), Op::End]);
    named(
        "qos/SGEMM",
        "Dense matrix product",
        "Parboil, sgemm/src/cuda/sgemm_kernel.cu, mysgemmNT; input medium",
        "A thread has one row and sixteen columns of the product in registers. Eight rows of B at a time go to shared memory, from where \
         every lane reads the same words. A comes from global memory, a line a warp, and is read again by all 66 columns of CTAs, mostly \
         from L2. Bound by arithmetic. From the source: the block of 16 × 8, 48 registers, 512 bytes of shared memory, 8 × 66 CTAs, the \
         epilogue's loads and stores. 124 trips have nine loads, 128 multiply-adds, 32 wide reads of shared memory and two barriers. Free: \
         matrices of 1024 × 1056 × 992; one load ahead; a column of CTAs begins with the column of A that has its number.",
        vec![array("A", (ROWS * DEPTH * 4) as u64), array("B", (COLUMNS * DEPTH * 4) as u64), array("C", (ROWS * COLUMNS * 4) as u64)],
        vec![launch((ROWS / 128 * COLUMNS / WIDE) as u32, 128, 48, 512, program)],
    )
}
