//! BT: look-ups in a B+ tree.

use super::{array, broadcast, independent, load, named};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Scatter, Trips};
use alloc::vec;

/// Bytes of the tree's upper levels, which L2 holds, and of its leaves.
const UPPER: u64 = 832 << 10;
const LEAVES: u64 = 16 << 20;

/// Rodinia `b+tree`: `findK`.
pub fn kernel() -> Kernel {
    // The whole CTA compares a node's keys, while lanes beyond the node's fill idle; then all follow one child's index.
    let compare = |array: u8, bytes: u64| {
        let keys = Address { array, lane: 4, scatter: Scatter::Warp { bytes }, ..Address::default() };
        [load(keys), Op::Wait { loads: 0 }, independent(18, 24), Op::Barrier]
    };
    let follow = |cta: i64, level: i64| {
        let index = Address { lane: 0, ..broadcast(0, cta, [level, 0, 0]) };
        [Op::Load { address: index, lanes: 8 }, Op::Wait { loads: 0 }, independent(28, 24), Op::Barrier]
    };
    let mut program = vec![independent(10, 32), Op::Loop { trips: Trips::Fixed(3) }];
    program.extend(compare(0, UPPER));
    program.extend(follow(37 * 128 + 64, 27 * 128));
    program.extend(compare(1, LEAVES));
    program.extend(follow(57 * 128 + 64, 33 * 128));
    program.extend([Op::End, Op::Store { address: Address { array: 2, cta: 512, warp: 32, lane: 4, ..Address::default() }, lanes: 8 }]);
    named(
        "BT",
        "B+ tree look-up",
        "Rodinia b+tree (findK); character after CCBP Table 2",
        "Each CTA looks up keys: at each level its threads compare the node's keys, and the one that fits gives the index of the child. A chain of \
         dependent loads with barriers between; upper levels stay in L2, leaves are in DRAM. Lanes beyond a node's keys idle.",
        vec![array("upper levels", UPPER), array("leaves", LEAVES), array("records", 1 << 20)],
        vec![Launch { ctas: 6000, threads: 64, registers: 140, shared_bytes: 0, program }],
    )
}
