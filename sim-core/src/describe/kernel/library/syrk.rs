//! hetero/SYRK and hetero/SYR2K: a symmetric update of a matrix.

use super::hetero::work;
use super::parboil::launch;
use super::parts::{ALL, array, load, named, repeat, store, words};
use crate::describe::kernel::{Address, Array, Kernel, Launch, Op};
use alloc::vec;
use alloc::vec::Vec;

/// Rows and columns of SYRK's matrices, and of SYR2K's.
const SYRK: i64 = 1024;
const SYR2K: i64 = 2048;

/// PolyBench `syrk`: `syrk_kernel`.
pub fn kernel() -> Kernel {
    named(
        "hetero/SYRK",
        "Symmetric rank-k update",
        "PolyBench/GPU 1.0, CUDA/SYRK/syrk.cu, syrk_kernel",
        "Each element of C has a thread. In each of 1024 trips a warp reads one word of a row of A, the same for all lanes, and a word of \
         each of 32 other rows, 4 KB apart. These 32 lines fall into one set of L1D by their numbers, and by Fermi's hash into eight, \
         whose ways they fill. Few are there in the next trip, which wants the next word of each. The warp stores its element of C in \
         every trip. From the source: the block of 32 × 8 and its order, 4096 CTAs, loops, loads, strides, the store in each trip, the \
         sizes, 16 registers. Not as in the source: a CTA's eight rows of C lie one after the other, and each CTA begins its rows of A at \
         its own place. Free: arithmetic.",
        matrices(SYRK, 1),
        vec![update(SYRK, 1, 16)],
    )
}

/// PolyBench `syr2k`: `syr2k_kernel`.
pub fn twice() -> Kernel {
    named(
        "hetero/SYR2K",
        "Symmetric rank-2k update",
        "PolyBench/GPU 1.0, CUDA/SYR2K/syr2k.cu, syr2k_kernel",
        "SYRK with two matrices: a word of one row and of 32 others, 8 KB apart, from each. From the source: as SYRK, 16,384 CTAs, 20 registers. Free: \
         arithmetic. The paper prints 1 CTA for a small SM, which no shape with 6 and 9 on the others can give; the source gives 3.",
        matrices(SYR2K, 2),
        vec![update(SYR2K, 2, 20)],
    )
}

/// C and what it is updated with.
fn matrices(size: i64, count: u8) -> Vec<Array> {
    let bytes = (size * size * 4) as u64;
    ["C", "A", "B"].into_iter().take(1 + usize::from(count)).map(|name| array(name, bytes)).collect()
}

/// One thread for each element of C.
fn update(size: i64, count: u8, registers: u32) -> Launch {
    let row = size * 4;
    let across = size / 32;
    let c = words(0, 1024, 128);
    // CTAs count along the columns first: 32 other rows of A for each, and the same eight rows for all that are beside each other.
    let others = |array: u8| load(Address { array, cta: 32 * row, loops: [4, 0, 0], lane: row, ..Address::default() });
    let own = |array: u8| load(Address { array, cta: 8 * row / across, warp: row, loops: [4, 0, 0], ..Address::default() });
    let mut program: Vec<Op> = vec![work(12), load(c), ALL, work(1), store(c), repeat(size as u32)];
    program.extend((1..=count).flat_map(|array| [own(array), others(array)]));
    program.extend([ALL, work(3 + 3 * u32::from(count)), store(c), Op::End]);
    launch((across * size / 8) as u32, 256, registers, 0, program)
}
