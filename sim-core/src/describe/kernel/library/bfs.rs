//! BFS: breadth-first search.

use super::{array, broadcast, independent, load, named};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Scatter, Trips};
use alloc::vec;

const CTAS: u32 = 8000;
/// Neighbours of a node that are looked at.
const DEGREE: i64 = 8;
/// Bytes of a node's record: four lines that the CTA reads together.
const RECORD: i64 = 512;

/// Rodinia `bfs`: `Kernel`.
pub fn kernel() -> Kernel {
    // 22 of 32 lanes are on the frontier, on average.
    let step = |load: Op| [load, Op::Wait { loads: 0 }, independent(53, 22)];
    let record = |line: i64| Address { offset: line * 128, ..broadcast(0, DEGREE * RECORD, [RECORD, 0, 0]) };
    let somewhere = |array: u8, bytes: u64| Address { array, lane: 4, scatter: Scatter::Warp { bytes }, ..Address::default() };
    let mut program = vec![independent(12, 32), Op::Loop { trips: Trips::Fixed(DEGREE as u32) }];
    for line in 0..4 {
        program.extend(step(load(record(line))));
    }
    program.extend(step(Op::Load { address: somewhere(1, 256 << 20), lanes: 12 }));
    program.extend([Op::End, Op::Store { address: somewhere(2, 64 << 20), lanes: 6 }]);
    named(
        "BFS",
        "Breadth-first search",
        "Rodinia bfs; character after CCBP Table 2",
        "Each thread looks at one node; those on the frontier walk their edges and mark neighbours that were not visited. Divergent: a third of the \
         lanes idles. Nodes are read in order and neighbours at random, in a graph much larger than L2: every access goes to DRAM, one after the other.",
        vec![array("nodes", (i64::from(CTAS) * DEGREE * RECORD) as u64), array("edges", 256 << 20), array("costs", 64 << 20)],
        vec![Launch { ctas: CTAS, threads: 128, registers: 90, shared_bytes: 0, program }],
    )
}
