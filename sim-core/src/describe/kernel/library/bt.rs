//! ccbp/BT: look-ups in a B+ tree.

use super::parts::{ALL, array, chain, load, named, some_warps, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op};
use alloc::vec;
use alloc::vec::Vec;

/// Queries, one a CTA.
const QUERIES: u64 = 10_000;
/// Bytes of a node: location, 257 children, 257 keys, flags.
const NODE: i64 = 2068;
/// Nodes of the level below the root, and leaves.
const MIDDLE: u64 = 430;
const LEAVES: u64 = 8192;

/// Cycles from an arithmetic instruction to the next.
const LATENCY: u32 = 16;

/// Rodinia `b+tree`: `findK`.
pub fn kernel() -> Kernel {
    let work = |count| chain(count, LATENCY);
    let single = |count| Op::Alu { count, latency: LATENCY, lanes: 1 };
    let load_one = |address| Op::Load { address, lanes: 1 };
    let store_one = |address| Op::Store { address, lanes: 1 };
    // A query comes to some node of each level, the same for its whole CTA; here the CTA's number times a stride that visits them all.
    let part = |array: u8, visit: i64, offset: i64| Address { array, offset, cta: NODE * visit, ..Address::default() };
    let keys = |array: u8, visit: i64, next: i64| Address { warp: 128, lane: 4, ..part(array, visit, 1032 + 4 * next) };
    let child = |array: u8, visit: i64| load_one(part(array, visit, 4 + 512));
    // 8 bytes a query.
    let (current, next) = (words(3, 8, 0), words(4, 8, 0));
    let begin = || vec![Op::Load { address: current, lanes: 2 }, load_one(words(5, 4, 0)), ALL, work(8)];
    // One thread of 256 finds its keys around the query's.
    let match_one = || some_warps(1, 8);
    let level = |array: u8, visit: i64| {
        let mut ops = begin();
        ops.extend([load(keys(array, visit, 0)), load(keys(array, visit, 1)), ALL, work(8)]);
        ops.extend([
            match_one(),
            single(3),
            load_one(next),
            ALL,
            single(3),
            child(array, visit),
            ALL,
            single(10),
            store_one(next),
            Op::End,
        ]);
        // One thread hands the child on to the CTA.
        ops.extend([Op::Barrier, match_one(), load_one(next), ALL, single(2), Op::Store { address: current, lanes: 2 }, Op::End]);
        ops.extend([Op::Barrier, work(4)]);
        ops
    };
    let mut program: Vec<Op> = vec![work(10)];
    program.extend(level(0, 0));
    program.extend(level(1, 37));
    program.extend(begin());
    program.extend([load(keys(2, 4099, 0)), ALL, work(8), match_one(), single(3), Op::Load { address: current, lanes: 2 }, ALL]);
    program.extend([child(2, 4099), ALL, single(10), load_one(Address { array: 6, cta: 4 * 33 * 7919, ..Address::default() }), ALL]);
    program.extend([store_one(words(7, 4, 0)), Op::End]);
    named(
        "ccbp/BT",
        "B+ tree look-up",
        "Rodinia 3.1, cuda/b+tree/kernel/kernel_gpu_cuda.cu, findK",
        "Each CTA looks up one key. At each level its 256 threads compare the node's keys. The one that matches reads the child's number \
         and stores it, another hands it on, with a barrier after each, and all read it again. A chain of dependent loads: number, keys, \
         child, number. Root and upper levels stay in L2, leaves and records come from DRAM. From the source: the block, nodes of 2068 \
         bytes (the keys are misaligned), what is read and stored by how many threads, barriers, 10,000 queries, 8192 leaves. Free: nodes \
         of the middle level (430; a tree of a million keys has about 60), which of a CTA's warps matches (drawn, one in eight), \
         arithmetic (factor 2.1) and its latency (16 cycles).",
        vec![
            array("root", NODE as u64),
            array("middle", MIDDLE * NODE as u64),
            array("leaves", LEAVES * NODE as u64),
            array("current", QUERIES * 8),
            array("next", QUERIES * 8),
            array("queries", QUERIES * 4),
            array("records", 4 << 20),
            array("answers", QUERIES * 4),
        ],
        vec![Launch { grid: (QUERIES as u32).into(), threads: 256, registers: 27, shared_bytes: 0, program, ..Launch::default() }],
    )
}
