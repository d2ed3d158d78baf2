//! hetero/BTREE: look-ups in a B+ tree, the whole program.

use super::hetero::{some_work, work};
use super::parboil::launch;
use super::parts::{ALL, array, load, named, some_warps, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op};
use alloc::vec;
use alloc::vec::Vec;

/// Queries of both kernels, one a CTA.
const RANGES: u32 = 6000;
const POINTS: u32 = 10_000;
/// Bytes of a node: location, 257 children, 257 keys, flags.
const NODE: i64 = 2068;
/// Nodes of the level below the root, and leaves, of a tree of a million keys.
const MIDDLE: u64 = 61;
const LEAVES: u64 = 8192;

const ROOT: u8 = 0;
const CURRENT: u8 = 3;
const NEXT: u8 = 4;
const QUERIES: u8 = 5;
const RECORDS: u8 = 6;
const ANSWERS: u8 = 7;

/// Rodinia `b+tree`: `findRangeK`, then `findK`.
pub fn kernel() -> Kernel {
    let queries = u64::from(POINTS);
    named(
        "hetero/BTREE",
        "B+ tree, ranges and single keys",
        "Rodinia 3.1, cuda/b+tree/kernel/kernel_gpu_cuda_2.cu, findRangeK, and kernel_gpu_cuda.cu, findK",
        "Each CTA looks up one key (findK) or two (findRangeK). At each level its 256 threads compare the node's keys. The one that \
         matches reads the child's number and stores it, another hands it on, with a barrier after each. A chain of dependent loads, as in \
         BT. From the source: the block, nodes of 2068 bytes, what is read and stored by how many threads, barriers, 6000 ranges and then \
         10,000 keys. The tree of a million keys has three levels, 61 nodes below the root and 8192 leaves. Free: which of a CTA's warps \
         matches (drawn, one in eight), arithmetic, and registers. With 24 and 20 of them, 5, 8 and 2 CTAs fit for ranges and 6, 9 and 3 \
         for keys. The paper prints 5, 9 and 3, which no kernel can have.",
        vec![
            array("root", NODE as u64),
            array("middle", MIDDLE * NODE as u64),
            array("leaves", LEAVES * NODE as u64),
            array("current", queries * 16),
            array("next", queries * 16),
            array("queries", queries * 8),
            array("records", 4 << 20),
            array("answers", queries * 8),
        ],
        vec![search(RANGES, 24, 2), search(POINTS, 20, 1)],
    )
}

/// A CTA looks up `keys` keys at a time: its 256 threads compare them with those of a node, level by level.
fn search(ctas: u32, registers: u32, keys: i64) -> Launch {
    let single = |count| some_work(count, 1);
    let load_one = |address| Op::Load { address, lanes: 1 };
    let store_one = |address| Op::Store { address, lanes: 1 };
    // A query comes to some node of each level, the same for its whole CTA; here the CTA's number times a stride that visits them all.
    let part = |level: u8, key: i64, offset: i64| {
        let visit = [0, 37, 4099][usize::from(level)];
        Address { array: ROOT + level, offset: offset + key * visit * NODE * 7, cta: NODE * visit, ..Address::default() }
    };
    let each = |address: fn(i64) -> Address| (0..keys).map(move |key| load_one(address(key)));
    let current = |key: i64| Address { offset: 8 * key, ..words(CURRENT, 16, 0) };
    let next = |key: i64| Address { offset: 8 * key, ..words(NEXT, 16, 0) };
    let query = |key: i64| Address { offset: 4 * key, ..words(QUERIES, 8, 0) };
    // One thread of 256 finds its keys around the query's.
    let match_one = || some_warps(1, 8);

    let mut program: Vec<Op> = vec![work(10)];
    for level in 0..3 {
        for key in 0..keys {
            let node = |n: i64| load(Address { warp: 128, lane: 4, ..part(level, key, 1032 + 4 * n) });
            program.extend([load_one(current(key)), load_one(query(key)), ALL, work(6), node(0), node(1), ALL, work(6)]);
            program.extend([match_one(), load_one(next(key)), ALL, single(4), load_one(part(level, key, 516)), ALL, single(4)]);
            program.extend([store_one(next(key)), Op::End]);
        }
        program.extend([Op::Barrier, match_one()]);
        program.extend(each(next));
        program.push(ALL);
        program.extend((0..keys).map(|key| store_one(current(key))));
        program.extend([single(2), Op::End, Op::Barrier, work(4)]);
    }
    for key in 0..keys {
        program.extend([
            load_one(current(key)),
            load_one(query(key)),
            ALL,
            work(6),
            load(Address { warp: 128, lane: 4, ..part(2, key, 1032) }),
            ALL,
        ]);
        program.extend([work(6), match_one(), load_one(part(2, key, 516)), ALL, single(6)]);
        program.extend([load_one(Address { array: RECORDS, cta: 4 * 33 * 7919, ..Address::default() }), ALL]);
        program.extend([store_one(Address { offset: 4 * key, ..words(ANSWERS, 8, 0) }), Op::End]);
    }
    launch(ctas, 256, registers, 0, program)
}
