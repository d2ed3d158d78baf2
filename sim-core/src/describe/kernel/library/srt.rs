//! ccbp/SRT: bucket sort.

use super::parts::{ALL, alu, array, load, named, repeat, shared, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Scatter};
use alloc::vec;

/// Values, and CTAs over them.
const VALUES: u32 = 1 << 22;
const CTAS: u32 = 1024;
/// Bytes of the buckets that are filled at a time.
const BUCKETS: u64 = 128 << 10;

/// Rodinia `hybridsort`: `bucketsort`.
pub fn kernel() -> Kernel {
    let each = |array: u8| load(Address { loops: [i64::from(CTAS) * 128, 0, 0], ..words(array, 128, 0) });
    let sorted = Address { array: 2, lane: 4, scatter: Scatter::Warp { bytes: BUCKETS }, ..Address::default() };
    let line = |array: u8, cta: i64| load(Address { loops: [128, 0, 0], ..words(array, cta, 0) });
    let program = vec![
        // Where the 1024 buckets begin for this CTA.
        repeat(32),
        alu(4),
        line(3, 0),
        line(4, 4096),
        ALL,
        alu(3),
        shared(1),
        Op::End,
        Op::Barrier,
        repeat(VALUES / 32 / CTAS),
        alu(20),
        each(0),
        each(1),
        ALL,
        alu(18),
        Op::Shared { count: 1, stride: 7, lanes: 32 },
        store(sorted),
        Op::End,
    ];
    let bytes = u64::from(VALUES) * 4;
    named(
        "ccbp/SRT",
        "Bucket sort",
        "Rodinia 3.1, cuda/hybridsort/bucketsort_kernel.cu, bucketsort",
        "Each CTA is a single warp. It brings the places of its values in 1024 buckets into shared memory, then moves 128 lines of values \
         to their buckets. Value and bucket are read, coalesced, the place comes from shared memory, and the value is stored there. Reads \
         stream: bound by DRAM. From the source: the block, 4 KB of shared memory, 1024 CTAs, loops, reads, 4,194,304 values. Free: \
         arithmetic (factor 2.0), and where values go. Random ones would store 32 lines a warp, and nine requests of ten would be stores, \
         where Table 2 allows one of three. Here a warp's values go to one line, somewhere in the 128 KB that are filled at a time.",
        vec![
            array("values", bytes),
            array("buckets of values", bytes),
            array("sorted", bytes),
            array("offsets", 4096),
            array("counts", 4096 * u64::from(CTAS)),
        ],
        vec![Launch { grid: CTAS.into(), threads: 32, registers: 12, shared_bytes: 4096, program, ..Launch::default() }],
    )
}
