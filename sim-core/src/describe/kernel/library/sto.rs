//! hetero/STO: hashes of overlapping chunks of a file.

use super::hetero::work;
use super::parboil::launch;
use super::parts::{ALL, array, load, named, repeat, shared, store, words};
use crate::describe::kernel::{Address, Kernel, Op};
use alloc::vec;
use alloc::vec::Vec;

/// CTAs of 128 threads, a chunk each.
const CTAS: u32 = 384;

/// ISPASS 2009 `STO`: `sha1_overlap`.
pub fn kernel() -> Kernel {
    let bytes = u64::from(CTAS) * 128 * 4;
    let mut program: Vec<Op> = vec![work(20)];
    program.extend((0..13).map(|n| load(Address { offset: 4 * n, ..words(0, 512, 128) })));
    program.extend([ALL, shared(16), repeat(16), shared(5), work(8), Op::End, repeat(16), shared(1), work(10), Op::End]);
    program.extend([repeat(64), shared(5), work(12), Op::End, work(10), store(words(1, 512, 128))]);
    named(
        "hetero/STO",
        "Hashes of overlapping chunks",
        "GPGPU-Sim's ISPASS 2009 benchmarks, STO/sha1_kernel.cu, sha1_overlap",
        "Each thread hashes 52 bytes of a file (SHA-1), four bytes after those of the thread before it. Of its 13 loads all but the first \
         find their lines in L1D. Then come 80 rounds, each on words in shared memory that the rounds before wrote. Bound by the latency \
         of that chain. From the source: the block, 48 registers, 16,256 bytes of shared memory, 384 CTAs, loads, four byte stores to swap \
         a word, 80 rounds. Each of the last 64 has four reads and a write of shared memory and some 12 other instructions. Free: nothing \
         else.",
        vec![array("data", bytes), array("hashes", bytes)],
        vec![launch(CTAS, 128, 48, 16_256, program)],
    )
}
