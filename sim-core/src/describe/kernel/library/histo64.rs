//! hetero/HISTO: a histogram of 64 bins.

use super::hetero::work;
use super::parboil::launch;
use super::parts::{ALL, array, load, named, repeat, shared, store, words};
use crate::describe::kernel::{Address, Kernel, Op};
use alloc::vec;
use alloc::vec::Vec;

/// Bytes that are counted; a thread takes 16 at a time, at most 240 in all, so that no counter of a byte overflows.
const BYTES: i64 = 64 << 20;
const TRIPS: i64 = 15;
const CTAS: i64 = (BYTES as u64).div_ceil(64 * 16 * TRIPS as u64) as i64;

/// CUDA SDK `histogram`: `histogram64Kernel`.
pub fn kernel() -> Kernel {
    let data = Address { cta: 1024, warp: 512, loops: [CTAS * 1024, 0, 0], lane: 16, ..Address::default() };
    let mut program: Vec<Op> = vec![work(12), shared(16), Op::Barrier, repeat(TRIPS as u32), load(data), ALL, work(3)];
    program.extend([repeat(16), work(3), shared(2), Op::End, Op::End, Op::Barrier]);
    program.extend([repeat(16), shared(4), work(6), Op::End, store(words(1, 256, 128))]);
    named(
        "hetero/HISTO",
        "Histogram of 64 bins",
        "CUDA SDK, histogram/histogram64.cu, histogram64Kernel",
        "A thread counts 240 bytes in 64 counters of a byte each in shared memory, 16 bytes a load. Then it adds one bin of all threads up \
         and stores it. Each byte is a read and a write of shared memory that the next must wait for. No kernel of Parboil's histogram can \
         have the 8, 10 and 6 CTAs that the paper prints beside its name; this one has. From the source: the block, 4096 bytes of shared \
         memory, 64 MB of data, 4370 CTAs, loops, loads of 16 bytes, accesses of shared memory, barriers. Free: the bytes (none meet in a \
         bank). The launch that adds the CTAs' histograms up is left out: the paper counts one kernel.",
        vec![array("data", BYTES as u64), array("partial histograms", (CTAS * 256) as u64)],
        vec![launch(CTAS as u32, 64, 16, 4096, program)],
    )
}
