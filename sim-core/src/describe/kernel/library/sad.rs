//! ccbp/SAD: sums of absolute differences.

use super::parts::{ALL, alu, array, named, repeat, words};
use crate::describe::kernel::{Address, Array, Kernel, Launch, Op};
use alloc::vec;
use alloc::vec::Vec;

/// Blocks of 16 × 16 pixels: a frame of 1920 × 1072.
pub const BLOCKS: u32 = 8040;
/// Bytes of a row: a sum of two bytes for each of 1089 positions, padded to 1096.
pub const ROW: i64 = 2192;
/// Trips over a row, two sums for each lane; one more has a single lane.
const TRIPS: u32 = 17;

/// Rows that `larger_sad_calc_8` reads, and that it writes.
pub fn arrays() -> Vec<Array> {
    let bytes = |rows: u64| u64::from(BLOCKS) * rows * ROW as u64;
    vec![array("4 × 4", bytes(16)), array("4 × 8", bytes(8)), array("8 × 4", bytes(8)), array("8 × 8", bytes(4))]
}

/// Rows of sums that become fewer rows, with `work` arithmetic instructions a trip.
pub fn trips(inputs: &[Address], outputs: &[Address], work: u32) -> Vec<Op> {
    let trip = |lanes: u32, at: i64| {
        let from = move |address: Address| Address { offset: address.offset + at, ..address };
        let mut ops: Vec<Op> = inputs.iter().map(|&input| Op::Load { address: from(input), lanes }).collect();
        ops.extend([ALL, Op::Alu { count: work, latency: 4, lanes }]);
        ops.extend(outputs.iter().map(|&output| Op::Store { address: from(output), lanes }));
        ops
    };
    let mut program = vec![alu(20), repeat(TRIPS)];
    program.extend(trip(32, 0));
    program.push(Op::End);
    program.extend(trip(1, 128 * i64::from(TRIPS)));
    program
}

/// `larger_sad_calc_8`, with `work` arithmetic instructions a trip.
pub fn launch(work: u32) -> Launch {
    // `rows` of each block, of which a warp has `own` that follow each other.
    let row = |array: u8, rows: i64, own: i64, offset: i64| Address {
        offset: offset * ROW,
        loops: [128, 0, 0],
        ..words(array, rows * ROW, own * ROW)
    };
    let inputs = [0, 1, 8, 9].map(|n| row(0, 16, 2, n));
    let outputs = [row(1, 8, 2, 0), row(1, 8, 2, 1), row(2, 8, 2, 0), row(2, 8, 2, 1), row(3, 4, 1, 0)];
    Launch {
        grid: BLOCKS.into(),
        threads: 128,
        registers: 32,
        shared_bytes: 0,
        program: trips(&inputs, &outputs, work),
        ..Launch::default()
    }
}

/// Parboil `sad`: `larger_sad_calc_8`.
pub fn kernel() -> Kernel {
    named(
        "ccbp/SAD",
        "Sums of absolute differences",
        "Parboil, sad/src/cuda/largerBlocks.cu, larger_sad_calc_8",
        "Motion estimation: from the sums of the 4 × 4 pixels of a frame, for each of 1089 positions, come those of 4 × 8, 8 × 4 and 8 × 8. A CTA takes \
         a block of 16 × 16 pixels, a warp a quarter: two positions a lane and trip, four rows read and five written. Nothing is used twice: bound \
         by DRAM, already with one CTA. From the source: the block, 32 registers, 17 trips and one of a single lane, rows of 2192 bytes (seven of \
         eight are misaligned), 8040 blocks of the large input. Free: arithmetic (factor 2.2); which of a block's 16 rows a warp reads (each is read \
         once).",
        arrays(),
        vec![launch(38)],
    )
}
