//! ccbp/BFS: breadth-first search.

use super::parts::{ALL, array, chain, load, named, some_warps};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Scatter, Trips};
use alloc::vec;
use alloc::vec::Vec;

/// Nodes of the graph.
const NODES: u64 = 2 << 20;
/// Of how many warps one has a node on the frontier.
const FRONTIER: u32 = 200;
/// Most edges of such a node; its least is one.
const EDGES: u32 = 23;
/// Of how many neighbours one was not visited: each node is found once, over its six edges.
const FOUND: u32 = 6;

/// Rodinia `bfs`: `Kernel`, then `Kernel2`.
pub fn kernel() -> Kernel {
    let work = |count| chain(count, 2);
    let one = |count| Op::Alu { count, latency: 2, lanes: 1 };
    let load_one = |address| Op::Load { address, lanes: 1 };
    let store_one = |address| Op::Store { address, lanes: 1 };
    // A flag is a byte for each node: 32 bytes a warp.
    let flags = |array| Address { array, cta: 512, warp: 32, lane: 1, ..Address::default() };
    let own = |array, bytes: i64| Address { array, cta: 512 * bytes, warp: 32 * bytes, lane: bytes, ..Address::default() };
    let anywhere = |array, bytes| Address { array, scatter: Scatter::Lane { bytes }, ..Address::default() };
    let (mask, updating, visited, nodes, edges, costs, over) = (0, 1, 2, 3, 4, 5, 6);
    let edge = Address { loops: [0, 4, 0], ..own(edges, 24) };

    let mut visit: Vec<Op> = vec![work(17), load(flags(mask)), ALL, work(11)];
    // The node's record is read again in each trip: the compiler must take it for changed by the stores.
    visit.extend([some_warps(1, FRONTIER), one(8), load_one(own(nodes, 8)), store_one(flags(mask)), ALL, one(8)]);
    visit.extend([Op::Loop { trips: Trips::PerWarp { min: 1, max: EDGES } }, load_one(edge), ALL, one(7)]);
    visit.extend([load_one(anywhere(visited, NODES)), ALL, one(5)]);
    visit.extend([some_warps(1, FOUND), load_one(own(costs, 4)), ALL, one(5)]);
    visit.extend([store_one(anywhere(costs, NODES * 4)), store_one(anywhere(updating, NODES)), one(5), Op::End]);
    visit.extend([load_one(own(nodes, 8)), ALL, one(4), Op::End, Op::End]);

    let mut update: Vec<Op> = vec![work(14), load(flags(updating)), ALL, work(10), some_warps(1, FRONTIER), one(5)];
    update.extend([mask, visited, updating].map(|array| store_one(flags(array))));
    update.extend([store_one(Address { array: over, ..Address::default() }), Op::End]);
    let launch = |registers, program| Launch {
        grid: ((NODES / 512) as u32).into(),
        threads: 512,
        registers,
        shared_bytes: 0,
        program,
        ..Launch::default()
    };
    named(
        "ccbp/BFS",
        "Breadth-first search",
        "Rodinia 3.1, cuda/bfs/kernel.cu and kernel2.cu, Kernel and Kernel2",
        "A thread for each node. Most threads read one byte, see that their node is not on the frontier, and end: that is most of the \
         time, and streams. A warp with a node on the frontier walks its edges one after the other, with a single lane and four dependent \
         loads for each. Meanwhile it keeps its CTA of 16 warps. Throughput is lost to these chains, which makes the kernel \
         latency-sensitive. Neighbours, costs and flags of neighbours lie anywhere. From the source: the block, both kernels in turn, the \
         byte flags, the records of 8 bytes that are read again in each trip, and the stores. Free: 2 Mi nodes (Rodinia's graphs have 64 \
         Ki and 1 M), one warp in 200 with one node on the frontier, up to 23 edges. Free, too: one neighbour in six not visited, \
         arithmetic (factor 1.2) and its latency (2 cycles).",
        vec![
            array("mask", NODES),
            array("updating", NODES),
            array("visited", NODES),
            array("nodes", NODES * 8),
            array("edges", NODES * 24),
            array("costs", NODES * 4),
            array("over", 128),
        ],
        vec![launch(19, visit), launch(12, update)],
    )
}
