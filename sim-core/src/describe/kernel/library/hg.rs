//! ccbp/HG: histogram.

use super::parts::{ALL, array, chain, load, named, repeat, shared, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Trips};
use alloc::vec;
use alloc::vec::Vec;

/// CTAs of the grid, which the source fixes.
const CTAS: u32 = 64;
/// Times that each warp takes a line of the data.
const TRIPS: u32 = 50;
/// Histograms, each of data of its own.
const LAUNCHES: i64 = 16;

/// Rodinia `hybridsort`: `histogram1024Kernel`.
pub fn kernel() -> Kernel {
    let work = |count| chain(count, 1);
    // Three warps a CTA, a line each; the grid's next stretch in the next trip.
    let grid = i64::from(CTAS) * 384;
    let data = |launch: i64| Address { offset: launch * grid * i64::from(TRIPS), loops: [grid, 0, 0], ..words(0, 384, 128) };
    let bins = Address { loops: [384, 0, 0], ..words(1, 0, 128) };
    let program = |launch: i64| {
        let mut ops: Vec<Op> = vec![repeat(32), chain(2, 4), shared(1), Op::End, Op::Barrier];
        ops.extend([repeat(TRIPS), work(4), load(data(launch)), ALL, work(27)]);
        // The first pass of the retry loop; half of the trips have a second one, with the lanes that met others in a bin.
        ops.extend([Op::Shared { count: 1, stride: 2, lanes: 32 }, work(8)]);
        ops.extend([Op::Loop { trips: Trips::PerWarp { min: 0, max: 1 } }, Op::Shared { count: 1, stride: 1, lanes: 8 }]);
        ops.extend([Op::Alu { count: 8, latency: 1, lanes: 8 }, Op::End, work(3), Op::End, Op::Barrier]);
        // An atomic addition: it leaves no line in L1D, and L2 answers it.
        ops.extend([repeat(11), shared(3), work(6), store(bins), load(bins), Op::End]);
        ops
    };
    let launch =
        |n| Launch { grid: CTAS.into(), threads: 96, registers: 17, shared_bytes: 12 << 10, program: program(n), ..Launch::default() };
    let bytes = (grid * i64::from(TRIPS) * LAUNCHES) as u64;
    named(
        "ccbp/HG",
        "Histogram",
        "Rodinia 3.1, cuda/hybridsort/histogram1024_kernel.cu, histogram1024Kernel",
        "Each warp counts a stretch of the data in a histogram of its own in shared memory, a line at a time. It loads, divides, then \
         makes a loop of tagged writes that repeats for lanes that meet in one bin. The CTA's three histograms are added to the result \
         with atomic additions, a load and a store here. 12 warps on an SM with one load each are too few to hide latency. From the \
         source: the block, 12 KB of shared memory, the fixed grid of 64 CTAs (four an SM, though eight would fit), stride of the grid, \
         loops. Free: 307,200 values, other ones for each of 16 launches, as each histogram is of another sort. By default a sort has \
         4,194,304; with few, atomic additions are the quarter of the look-ups that hit in Table 2. Free, too: how often a pass is \
         repeated (every second time), arithmetic (factor 1.6) and its latency (1 cycle), one wait for shared memory a pass.",
        vec![array("data", bytes), array("bins", 4096)],
        (0..LAUNCHES).map(launch).collect(),
    )
}
