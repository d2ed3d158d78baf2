//! qos/HISTO: a histogram that saturates.

use super::parboil::{launch, tree};
use super::parts::{ALL, alu, array, load, named, repeat, shared, some_warps, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op};
use alloc::vec;
use alloc::vec::Vec;

/// Pixels of the image, 996 × 1040, and bytes of a row.
const PIXELS: i64 = 996 * 1040;
const ROW: i64 = 996 * 4;
/// Bins, a byte each: 256 × 8192.
const BINS: i64 = 256 * 8192;
/// Ranges of bins that the image hits, and bins of a range: what fits shared memory.
const RANGES: u32 = 6;
const RANGE: i64 = 24_576;
/// CTAs for each range.
const COLUMNS: u32 = 14;

const IMAGE: u8 = 0;
const SAMPLE: u8 = 1;
const MAPPED: u8 = 2;
const PARTS: u8 = 3;
const OVERFLOW: u8 = 4;
const HISTOGRAM: u8 = 5;

/// Parboil `histo`: one of its 10,000 iterations.
pub fn kernel() -> Kernel {
    named(
        "qos/HISTO",
        "Saturating histogram",
        "Parboil, histo/src/cuda/histo_prescan.cu, histo_intermediates.cu, histo_main.cu, histo_final.cu; input large",
        "Four short launches an iteration. The launch prescan samples an eighth of the image and finds which bins are likely. The next \
         one, intermediates, turns each pixel into bin numbers. The third, main, counts in shared memory. Each of 14 columns of CTAs reads \
         its part of the pixels once for each range of bins, and counts those of its own. The last, final, adds the columns' counts up and \
         clears what overflowed. From the source: blocks, registers, shared memory, grids (64, 65, 14 × ranges, 42), loops, barriers, \
         loads and stores. Free: six ranges (the image decides), so that a sixth of the lanes counts, all in one bank; 256 × 8192 bins. \
         Left out: the copy of eight bytes to the host after prescan, main's rare global additions.",
        vec![
            array("image", (PIXELS * 4) as u64),
            array("sample", 128),
            array("mapped", (PIXELS * 4) as u64),
            array("parts", u64::from(COLUMNS * RANGES) * RANGE as u64),
            array("overflow", (BINS * 2) as u64),
            array("histogram", BINS as u64),
        ],
        vec![prescan(), intermediates(), main(), last()],
    )
}

/// Mean and deviation of a sample: two passes over the first eighth of the CTA's part of the image, each with a tree over the CTA's sums.
fn prescan() -> Launch {
    let pixel = Address { loops: [0, 2048, 0], ..words(IMAGE, PIXELS * 4 / 64, 128) };
    let mut program: Vec<Op> = vec![alu(15), repeat(2), repeat(4), load(pixel), ALL, alu(6), Op::End, shared(1)];
    program.extend(tree(512, 512));
    program.push(Op::End);
    // One warp adds the CTA's range to all others'.
    let sample = Address { array: SAMPLE, lane: 4, ..Address::default() };
    let one = |address| [Op::Store { address, lanes: 2 }, Op::Load { address, lanes: 2 }];
    program.extend([some_warps(1, 16), alu(6)]);
    program.extend(one(sample));
    program.extend([ALL, Op::End]);
    launch(64, 512, 17, 4096, program)
}

/// Two pixels a lane and row, 16 rows a CTA; 498 lanes of 512 are at work.
fn intermediates() -> Launch {
    let lanes = 31;
    let pixels = Address { cta: 16 * ROW, warp: 256, loops: [ROW, 0, 0], lane: 8, ..words(IMAGE, 0, 0) };
    let mapped = |n: i64| Address { offset: n * 498 * 4, loops: [ROW, 0, 0], ..words(MAPPED, 16 * ROW, 128) };
    let program = vec![
        alu(12),
        repeat(16),
        Op::Load { address: pixels, lanes },
        ALL,
        Op::Alu { count: 40, latency: 4, lanes },
        Op::Store { address: mapped(0), lanes },
        Op::Store { address: mapped(1), lanes },
        Op::End,
    ];
    launch(65, 498, 16, 0, program)
}

/// Counts what falls into the CTA's range.
fn main() -> Launch {
    let stride = i64::from(COLUMNS) * 768 * 4;
    let pixel = Address { loops: [stride, 0, 0], ..words(MAPPED, 768 * 4, 128) };
    let hit = 32 / RANGES;
    let mut program: Vec<Op> = vec![alu(12), shared(8), Op::Barrier, repeat((PIXELS * 4 / stride) as u32)];
    program.extend([load(pixel), ALL, alu(10)]);
    // An atomic addition to shared memory: a read and a write, one lane after the other.
    program.extend([Op::Shared { count: 2, stride: 32, lanes: hit }, Op::Alu { count: 6, latency: 4, lanes: hit }, Op::End, Op::Barrier]);
    program.extend([repeat(8), shared(1), store(Address { loops: [3072, 0, 0], ..words(PARTS, RANGE, 128) }), alu(3), Op::End]);
    launch(COLUMNS * RANGES, 768, 18, 24_576, program)
}

/// Four bins a lane: those of the ranges hit from the columns' counts, the others from what overflowed.
fn last() -> Launch {
    let threads: i64 = 42 * 512;
    let own = |array: u8, bytes: i64, from: i64| Address {
        array,
        offset: from * bytes / 4,
        cta: 512 * bytes,
        warp: 32 * bytes,
        loops: [threads * bytes, 0, 0],
        lane: bytes,
        ..Address::default()
    };
    let inside = i64::from(RANGES) * RANGE;
    let mut program: Vec<Op> =
        vec![alu(20), repeat((inside / 4 / threads) as u32 + 1), load(own(OVERFLOW, 16, 0)), store(own(OVERFLOW, 16, 0))];
    for column in 0..i64::from(COLUMNS) {
        program.push(load(Address { offset: column * inside, ..own(PARTS, 4, 0) }));
        if column % 4 == 3 {
            program.extend([Op::Wait { loads: 2 }, alu(16)]);
        }
    }
    program.extend([ALL, alu(30), store(own(HISTOGRAM, 4, 0)), Op::End]);
    // Two bytes overflow for each bin.
    program.extend([repeat(((BINS - inside) / 4 / threads) as u32 + 1), load(own(OVERFLOW, 8, inside)), ALL]);
    program.extend([store(own(OVERFLOW, 8, inside)), alu(18), store(own(HISTOGRAM, 4, inside)), Op::End]);
    launch(42, 512, 32, 0, program)
}
