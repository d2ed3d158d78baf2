//! hetero/NQU: how many ways there are to place queens.

use super::hetero::{some_work, work};
use super::parboil::{launch, tree};
use super::parts::{ALL, array, load, named, store, words};
use crate::describe::kernel::{Kernel, Op, Trips};
use alloc::vec;
use alloc::vec::Vec;

/// CTAs of 96 threads, each thread with a position of its own to begin from.
const CTAS: u32 = 256;
/// Lanes that are still at work, of those that began.
const LANES: u32 = 16;

/// ISPASS 2009 `NQU`: `solve_nqueen_cuda_kernel`.
pub fn kernel() -> Kernel {
    let bytes = u64::from(CTAS) * 96 * 4;
    let begin = |array: u8| load(words(array, 384, 128));
    let mut program: Vec<Op> =
        vec![work(12), begin(0), begin(1), begin(2), ALL, work(6), Op::Loop { trips: Trips::PerWarp { min: 2000, max: 6000 } }];
    // Stacks of ten words a thread: two lanes meet in a bank.
    program.extend([Op::Shared { count: 9, stride: 10, lanes: LANES }, some_work(39, LANES), Op::End]);
    program.extend(tree(96, 96));
    program.push(Op::Barrier);
    program.push(store(words(3, 4, 0)));
    named(
        "hetero/NQU",
        "Queens on a chess board",
        "GPGPU-Sim's ISPASS 2009 benchmarks, NQU/nqueen.cu, solve_nqueen_cuda_kernel",
        "A thread counts the solutions that begin with the queens of its first rows, by a depth-first search with four stacks in shared \
         memory. A warp goes on until its last lane is done. Nothing is read or written while it searches: 9 warps of an SM wait for \
         arithmetic and shared memory. From the source: the block, 21 registers, 15,744 bytes of shared memory, 256 CTAs, loads, the tree \
         of barriers, a store a CTA. A stack has ten words, where two lanes meet in a bank. A step has nine accesses of shared memory and \
         39 other instructions. Free: the board. With n = 16 most launches have work for all threads, about 2700 steps each. Here a warp \
         has 2000 to 6000 with half of its lanes.",
        vec![array("columns", bytes), array("left", bytes), array("right", bytes), array("solutions", u64::from(CTAS) * 4)],
        vec![launch(CTAS, 96, 21, 15_744, program)],
    )
}
