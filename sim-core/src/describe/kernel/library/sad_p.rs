//! qos/SAD: sums of absolute differences, the whole program.

use super::parboil::launch;
use super::parts::{ALL, alu, load, named, repeat, shared, some_warps, store, words};
use super::sad::{self, BLOCKS, ROW};
use crate::describe::kernel::{Address, Array, Kernel, Launch, Op};
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

/// Bytes of a row of the frame: 1920 pixels.
const LINE: i64 = 3840;
/// Blocks of 4 × 4 pixels in a row of them, and in all.
const ACROSS: u32 = 480;
const SMALL_BLOCKS: u32 = ACROSS * 268;

/// Parboil `sad`: `mb_sad_calc`, `larger_sad_calc_8`, `larger_sad_calc_16`.
pub fn kernel() -> Kernel {
    // Sums of 4 × 4, 4 × 8, 8 × 4 and 8 × 8 as in SAD; then those of 8 × 16, 16 × 8 and 16 × 16, and the frame and its reference.
    let mut arrays = sad::arrays();
    let sums = |rows: u64| u64::from(BLOCKS) * rows * ROW as u64;
    let frame = (LINE * 1072) as u64;
    for (name, bytes) in [("8 × 16", sums(2)), ("16 × 8", sums(2)), ("16 × 16", sums(1)), ("frame", frame), ("reference", frame)] {
        arrays.push(Array { name: name.to_string(), bytes, read_only: false });
    }
    let row = |array: u8, rows: i64, n: i64| Address { offset: n * ROW, loops: [128, 0, 0], ..words(array, rows * ROW, 0) };
    let inputs = [0, 1, 2, 3].map(|n| row(3, 4, n));
    let outputs = [row(4, 2, 0), row(4, 2, 1), row(5, 2, 0), row(5, 2, 1), row(6, 1, 0)];
    named(
        "qos/SAD",
        "Sums of absolute differences, the whole program",
        "Parboil, sad/src/cuda/sad4.cu and largerBlocks.cu, mb_sad_calc, larger_sad_calc_8, larger_sad_calc_16; input large",
        "Motion estimation. The launch mb_sad_calc compares each block of 4 × 4 pixels with 1089 places of the reference frame. The two \
         other launches add these sums up for larger blocks (the first of them is ccbp/SAD, there in full). The first launch is bound by \
         arithmetic and by textures, and takes more than ten million cycles; the others stream. From the source: blocks of 61, 128 and 32 \
         threads, registers, shared memory, grids, rows of 2192 bytes, loads, stores, barriers. Six trips of three places have 24 texture \
         fetches, 16 reads of shared memory and 400 arithmetic instructions. Free: frames of 1920 × 1072 pixels; what of the window of 36 \
         rows the textures' cache lacks, here each row once a CTA.",
        arrays,
        vec![differences(), sad::launch(10), launch(BLOCKS, 32, 32, 0, sad::trips(&inputs, &outputs, 10))],
    )
}

/// The sums of one block of 4 × 4 pixels at 33 × 33 places.
fn differences() -> Launch {
    let (frame, reference) = (7, 8);
    let lanes = 30;
    let work = |count| Op::Alu { count, latency: 4, lanes };
    let of_shared = |count, stride| Op::Shared { count, stride, lanes };
    // Four rows of a block, eight bytes each; 36 rows of the window.
    let rows = |array: u8| Address { array, cta: 8, lane: LINE, ..Address::default() };
    let window = |first: i64| Address { offset: (first - 16) * LINE, ..rows(reference) };
    let mut program: Vec<Op> = vec![alu(25), some_warps(1, 2), Op::Load { address: rows(frame), lanes: 4 }, ALL];
    program.extend([Op::Shared { count: 1, stride: 1, lanes: 16 }, Op::End, Op::Barrier]);
    program.extend([load(window(0)), Op::Load { address: window(32), lanes: 4 }, ALL, repeat(6)]);
    for _ in 0..4 {
        program.extend([of_shared(6, 4), of_shared(4, 0), work(100)]);
    }
    program.extend([of_shared(3, 1), Op::End, Op::Barrier]);
    let sums = Address { loops: [256, 0, 0], lane: 8, ..words(0, ROW, 0) };
    program.extend([some_warps(9, 2), shared(2), alu(3), store(sums), Op::End]);
    launch(SMALL_BLOCKS, 61, 40, 2224, program)
}
