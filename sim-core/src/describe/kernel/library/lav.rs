//! LAV: particles in boxes.

use super::{alu, array, load, named, store};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Trips};
use alloc::vec;

/// Boxes along an edge of the space.
const EDGE: i64 = 6;
/// Bytes of a box's 128 particles, 16 each, and of their charges.
const BOX: i64 = 128 * 16;

/// Rodinia `lavaMD`: `kernel_gpu_cuda`.
pub fn kernel() -> Kernel {
    // 3 × 3 × 3 boxes: the loops run over planes, rows and boxes.
    let neighbour = |array: u8, bytes: i64| Address {
        array,
        cta: bytes,
        warp: bytes / 4,
        loops: [EDGE * EDGE * bytes, EDGE * bytes, bytes],
        lane: bytes / 128,
        ..Address::default()
    };
    let three = Op::Loop { trips: Trips::Fixed(3) };
    let program = vec![
        alu(20),
        three.clone(),
        alu(2),
        three.clone(),
        alu(2),
        three,
        load(neighbour(0, BOX)),
        load(neighbour(1, BOX / 4)),
        Op::Wait { loads: 0 },
        Op::Barrier,
        alu(6),
        Op::Shared { count: 2, stride: 1, lanes: 32 },
        Op::Barrier,
        Op::End,
        Op::End,
        Op::End,
        store(Address { array: 2, cta: BOX, warp: BOX / 4, lane: BOX / 128, ..Address::default() }),
    ];
    let boxes = (EDGE * EDGE * EDGE) as u64;
    named(
        "LAV",
        "Forces between particles in boxes",
        "Rodinia lavaMD; character after CCBP Table 2",
        "A CTA for each box: for each of the 27 boxes around it, it brings particles (16 bytes each, four lines a load) and charges into shared memory and \
         adds up forces. Of the arithmetic, which Rodinia does in double precision, only so much is kept as Table 2's throughput leaves room \
         for. Neighbouring boxes share their neighbours, and L2 holds the whole space: bound by the NoC.",
        vec![array("particles", boxes * BOX as u64), array("charges", boxes * BOX as u64 / 4), array("forces", boxes * BOX as u64)],
        vec![Launch { ctas: boxes as u32, threads: 128, registers: 36, shared_bytes: 2560, program }],
    )
}
