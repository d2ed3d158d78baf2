//! SRT: radix sort.

use super::{alu, array, load, named, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Scatter, Trips};
use alloc::vec;

const KEYS: u32 = 1 << 22;
/// Keys of a thread.
const EACH: u32 = 4;

/// SHOC `sort`: `reduce`, then `bottom_scan`.
pub fn kernel() -> Kernel {
    let keys = Address { loops: [1024, 0, 0], ..words(0, 4096, 128) };
    let anywhere =
        |array: u8, offset: i64, bytes: u64| Address { array, offset, lane: 4, scatter: Scatter::Warp { bytes }, ..Address::default() };
    let each = Op::Loop { trips: Trips::Fixed(EACH) };
    let count = vec![
        alu(10),
        each.clone(),
        load(keys),
        Op::Wait { loads: 0 },
        alu(17),
        Op::Shared { count: 2, stride: 0, lanes: 32 },
        Op::End,
        Op::Barrier,
        alu(20),
    ];
    let scatter = vec![
        alu(10),
        each,
        load(keys),
        Op::Wait { loads: 0 },
        alu(17),
        Op::Shared { count: 3, stride: 1, lanes: 32 },
        load(anywhere(1, 0, 64 << 10)),
        load(anywhere(1, 64 << 10, 64 << 10)),
        Op::Wait { loads: 0 },
        alu(8),
        store(anywhere(2, 0, u64::from(KEYS) * 4)),
        Op::End,
    ];
    let bytes = u64::from(KEYS) * 4;
    let launch = |program| Launch { ctas: KEYS / 256 / EACH, threads: 256, registers: 20, shared_bytes: 24_000, program };
    named(
        "SRT",
        "Radix sort",
        "SHOC sort; character after CCBP Table 2",
        "Two passes over the keys: each CTA counts the digits of its keys in shared memory; then each warp, whose keys were sorted in shared memory, looks up \
         where its runs go, in tables that L2 holds, and writes a run there. Reads stream, writes go anywhere: bound by DRAM.",
        vec![array("keys", bytes), array("offsets", 256 << 10), array("sorted", bytes)],
        vec![launch(count), launch(scatter)],
    )
}
