//! qos/MRIG: samples of an MRI scan brought onto a grid.

use super::parboil::{broadcast, launch, scan, sfu};
use super::parts::{ALL, alu, array, chain, load, named, repeat, shared, some_warps, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Scatter, Trips};
use alloc::vec;
use alloc::vec::Vec;

/// Samples, and bytes of one.
const SAMPLES: u32 = 2_655_910;
const SAMPLE: i64 = 24;
/// Points of the grid: 256 × 256 × 256.
const CELLS: u32 = 1 << 24;
/// Elements that a CTA of the sort and of a scan takes.
const TILE: u32 = 1024;
const TILES: u32 = SAMPLES.div_ceil(TILE);
/// Passes of the radix sort, four bits each.
const PASSES: usize = 7;
/// Tiles of the digits' counts, 16 of each tile.
const DIGIT_TILES: u32 = (TILES * 16).div_ceil(TILE);

const RAW: u8 = 0;
const COUNTS: u8 = 1;
const KEYS: u8 = 2;
const VALUES: u8 = 3;
const DIGITS: u8 = 4;
const SUMS: u8 = 5;
const SORTED: u8 = 6;
const GRID: u8 = 7;

/// Parboil `mri-gridding`: all of its 51 launches.
pub fn kernel() -> Kernel {
    let mut launches = vec![binning()];
    for _ in 0..PASSES {
        launches.push(split_sort());
        launches.extend(prefix_sum(DIGITS, DIGIT_TILES));
        launches.push(split_rearrange());
    }
    launches.push(reorder());
    launches.extend(prefix_sum(COUNTS, CELLS / TILE + 1));
    launches.push(gridding());
    let bytes = |elements: u32, each: u64| u64::from(elements) * each;
    named(
        "qos/MRIG",
        "Gridding of an MRI scan",
        "Parboil, mri-gridding/src/cuda: GPU_kernels.cu, sort.cu, scanLargeArray.cu; input small, arguments 32 0",
        "Samples at places of their own become values on a grid. Each finds its cell (binning). Seven passes of a radix sort bring the \
         samples into the order of their cells (split in shared memory, scan of the digits' counts, rearrange). Then reorder moves them, \
         and a scan of the cells' counts says where each cell begins. Each thread of gridding adds the samples around its four points up. \
         Of the 51 launches two million cycles see the first few passes of the sort. From the source: shapes, registers, shared memory, \
         order and number of launches, loops, barriers, trees, loads and stores. Free: a readout's samples lie along a row of the grid, \
         about a cell apart (a warp's within 64 cells); 63 steps at most to the begin of a digit's run. Free, too: two samples around each \
         point in each of 12 × 8 rows (their mean density is 0.16 a cell, the width of gridding's kernel is an argument). Left out: the \
         second look of a full bin.",
        vec![
            array("samples", bytes(SAMPLES, SAMPLE as u64)),
            array("counts", bytes(CELLS, 4)),
            array("keys", bytes(TILES * TILE, 4)),
            array("values", bytes(TILES * TILE, 4)),
            array("digits", bytes(TILES * 16, 4)),
            array("sums", bytes(CELLS / TILE + 1, 4)),
            array("sorted", bytes(SAMPLES, SAMPLE as u64)),
            array("grid", bytes(CELLS, 12)),
        ],
        launches,
    )
}

/// Of a CTA of `threads`, `bytes` a thread.
fn own(array: u8, threads: i64, bytes: i64) -> Address {
    Address { array, cta: threads * bytes, warp: 32 * bytes, lane: bytes, ..Address::default() }
}

/// A thread for each sample: its cell, and its number in the cell.
fn binning() -> Launch {
    let field = |n: i64| load(Address { offset: 8 * n, ..own(RAW, 512, SAMPLE) });
    // 10,374 readouts of 256 samples, in every sixth of the grid's rows; a row is 1 KB of counts, and a CTA has two readouts.
    let cell = Address { array: COUNTS, cta: 12 * 1024, warp: 128, scatter: Scatter::Lane { bytes: 256 }, ..Address::default() };
    let program = vec![
        alu(10),
        field(0),
        field(1),
        field(2),
        ALL,
        alu(22),
        load(cell),
        ALL,
        alu(3),
        store(cell),
        load(cell),
        ALL,
        alu(4),
        store(own(KEYS, 512, 4)),
        store(own(VALUES, 512, 4)),
    ];
    launch(SAMPLES.div_ceil(512), 512, 12, 0, program)
}

/// Sorts a tile by four bits in shared memory: four elements a thread, a scan for each bit.
fn split_sort() -> Launch {
    let four = |array: u8| load(own(array, 256, 16));
    // Counters of 16 digits: four lanes meet in one, on average.
    let mut program: Vec<Op> =
        vec![alu(25), four(KEYS), four(VALUES), ALL, Op::Shared { count: 8, stride: 4, lanes: 32 }, Op::Barrier, repeat(4)];
    program.extend([alu(16), shared(4)]);
    program.extend(scan(TILE, 256));
    program.extend([Op::Barrier, alu(20), shared(12), Op::Barrier, Op::End]);
    let anywhere = |array: u8| Address { array, cta: 4096, scatter: Scatter::Lane { bytes: 4096 }, ..Address::default() };
    program.push(repeat(4));
    program.extend([alu(4), store(anywhere(KEYS)), store(anywhere(VALUES)), Op::End]);
    // The counts of a digit lie together for all tiles.
    let count = Address { array: DIGITS, cta: 4, lane: i64::from(TILES) * 4, ..Address::default() };
    program.extend([some_warps(1, 8), alu(4), Op::Store { address: count, lanes: 16 }, Op::End]);
    launch(TILES, 256, 40, 4484, program)
}

/// A scan of `tiles` tiles: each tile, then the tiles' sums in up to two levels, then the sums added to the tiles.
fn prefix_sum(data: u8, tiles: u32) -> Vec<Launch> {
    let one_level = tiles <= 128;
    let (threads, shared_bytes) = if one_level { (64, 544) } else { (128, 1092) };
    let between = |ctas: u32, stride: i64, elements: u32| {
        let sum = |n: i64| Address { offset: n * 4 * i64::from(threads), ..own(SUMS, 2 * i64::from(threads), stride) };
        let mut program: Vec<Op> = vec![alu(14), load(sum(0)), load(sum(1)), ALL, shared(2)];
        program.extend(scan(elements, threads));
        program.extend([Op::Barrier, shared(2), store(sum(0)), store(sum(1))]);
        launch(ctas, threads, 16, shared_bytes, program)
    };
    let elements = 2 * threads;
    let levels: Vec<(u32, i64)> = if one_level { vec![(1, 4)] } else { vec![(tiles / 64, 4), (1, 256)] };
    let mut launches = vec![scan_tile(data, tiles)];
    // Up the levels, and down.
    launches.extend(levels.iter().chain(levels.iter().rev()).map(|&(ctas, stride)| between(ctas, stride, elements)));
    launches.push(uniform_add(data, tiles));
    launches
}

/// Two elements a thread: the tile's scan, and its sum.
fn scan_tile(data: u8, tiles: u32) -> Launch {
    let half = |n: i64| Address { offset: 2048 * n, ..words(data, 4096, 128) };
    let mut program: Vec<Op> = vec![alu(14), load(half(0)), load(half(1)), ALL, shared(2)];
    program.extend(scan(TILE, 512));
    program.extend([Op::Barrier, shared(2), store(half(0)), store(half(1))]);
    let sum = Address { array: SUMS, cta: 4, ..Address::default() };
    program.extend([some_warps(1, 16), Op::Store { address: sum, lanes: 1 }, Op::End]);
    launch(tiles, 512, 16, 4368, program)
}

/// Adds what comes before a tile to its elements.
fn uniform_add(data: u8, tiles: u32) -> Launch {
    let half = |n: i64| Address { offset: 2048 * n, ..words(data, 4096, 128) };
    let before = Address { array: SUMS, cta: 4, ..Address::default() };
    let program = vec![
        alu(8),
        some_warps(1, 16),
        Op::Load { address: before, lanes: 1 },
        ALL,
        Op::Shared { count: 1, stride: 0, lanes: 1 },
        Op::End,
        Op::Barrier,
        broadcast(1),
        load(half(0)),
        load(half(1)),
        ALL,
        alu(2),
        store(half(0)),
        store(half(1)),
    ];
    launch(tiles, 512, 7, 4, program)
}

/// Moves a tile's 16 runs to where their digits begin.
fn split_rearrange() -> Launch {
    let four = |array: u8| load(own(array, 256, 16));
    let mut program: Vec<Op> = vec![alu(20), four(KEYS), four(VALUES), ALL, shared(4), Op::Barrier];
    // The search for the begin of an element's run.
    program.extend([Op::Loop { trips: Trips::PerWarp { min: 1, max: 63 } }, shared(1), alu(3), Op::End, Op::Barrier]);
    // A warp's 128 elements are two runs.
    let place = |array: u8| Address { offset: 68, loops: [128, 0, 0], ..words(array, 512, i64::from(TILES) * 512) };
    program.extend([repeat(4), alu(8), broadcast(1), store(place(KEYS)), store(place(VALUES)), Op::End]);
    launch(TILES, 256, 26, 4160, program)
}

/// A thread for each sample: moves it to its cell's place.
fn reorder() -> Launch {
    let sample = Address { array: RAW, scatter: Scatter::Lane { bytes: u64::from(SAMPLES) * 24 }, ..Address::default() };
    let program = vec![
        alu(8),
        load(words(VALUES, 2048, 128)),
        ALL,
        alu(6),
        load(sample),
        ALL,
        store(own(SORTED, 512, 8)),
        store(own(SORTED, 512, 16)),
    ];
    launch(SAMPLES.div_ceil(512), 512, 16, 0, program)
}

/// A thread for each four points along z: all samples around them, brought into shared memory by rows.
fn gridding() -> Launch {
    let (planes, rows, samples) = (12, 8, 2);
    let begin = |n: i64| Address { array: COUNTS, offset: 40 * n, cta: 1024, loops: [262_144, 1024, 0], ..Address::default() };
    let part = |bytes: i64| Address { array: SORTED, cta: 960, loops: [245_760, 960, 0], lane: bytes, ..Address::default() };
    let few = |bytes: i64| Op::Load { address: part(bytes), lanes: samples };
    let mut program: Vec<Op> = vec![alu(40), repeat(planes), alu(6), repeat(rows), alu(10)];
    program.extend([load(begin(0)), load(begin(1)), ALL, alu(4), few(8), few(16), ALL]);
    program.extend([Op::Shared { count: 6, stride: 1, lanes: samples }, Op::Barrier, repeat(samples)]);
    program.extend([broadcast(6), chain(127, 2), sfu(8), Op::End, Op::Barrier, Op::End, Op::End]);
    let values = |n: i64, bytes: i64| store(Address { offset: n * 262_144, lane: bytes, ..words(GRID, 768, 384) });
    program.extend((0..4).flat_map(|n| [values(n, 8), values(n, 4)]));
    launch(32 * 2048, 64, 48, 1536, program)
}
