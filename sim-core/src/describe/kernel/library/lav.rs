//! ccbp/LAV: particles in boxes.

use super::parts::{ALL, alu, array, named, repeat, shared};
use crate::describe::kernel::{Address, Array, Kernel, Launch, Op, Trips};
use alloc::vec;
use alloc::vec::Vec;

/// Boxes: ten along each edge.
const BOXES: u32 = 1000;
/// Bytes of a box's 100 particles: four values of eight bytes each.
const BOX: i64 = 3200;
/// Lanes at work: 100 threads of 128 are, here 24 of each warp.
const LANES: u32 = 24;
/// Particles of a neighbour that are gone through.
const PARTICLES: u32 = 5;

/// Positions, sums of forces and charges.
pub fn arrays() -> Vec<Array> {
    let bytes = u64::from(BOXES) * BOX as u64;
    vec![array("positions", bytes), array("forces", bytes), array("charges", bytes / 4)]
}

/// The kernel, with so many registers.
pub fn launch(registers: u32) -> Launch {
    let work = |count| Op::Alu { count, latency: 4, lanes: LANES };
    let values = |array: u8, value: i64| Address { array, offset: 8 * value, cta: BOX, warp: BOX / 4 - 32, lane: 32, ..Address::default() };
    let of = |address| Op::Load { address, lanes: LANES };
    // The next of the boxes around.
    let neighbour = |value: i64| of(Address { loops: [7 * BOX, 0, 0], ..values(0, value) });
    let charge = Address { array: 2, cta: BOX / 4, warp: BOX / 16 - 8, loops: [7 * BOX / 4, 0, 0], lane: 8, ..Address::default() };

    let mut program: Vec<Op> = vec![alu(20), Op::Loop { trips: Trips::PerCta { min: 8, max: 27 } }, alu(6)];
    program.extend((0..4).map(neighbour));
    program.extend([of(charge), ALL, shared(5), Op::Barrier]);
    program.extend([repeat(PARTICLES), Op::Shared { count: 5, stride: 0, lanes: LANES }, work(80)]);
    for sum in 0..4 {
        let force = values(1, sum);
        program.extend([of(force), ALL, work(2), Op::Store { address: force, lanes: LANES }]);
    }
    program.extend([Op::End, Op::Barrier, Op::End]);
    Launch { grid: BOXES.into(), threads: 128, registers, shared_bytes: 7200, program, ..Launch::default() }
}

/// Rodinia `lavaMD`: `kernel_gpu_cuda`.
pub fn kernel() -> Kernel {
    named(
        "ccbp/LAV",
        "Forces between particles in boxes",
        "Rodinia 3.1, cuda/lavaMD/kernel/kernel_gpu_cuda.cu, kernel_gpu_cuda",
        "A CTA takes a box. From each of the 8 to 27 boxes around it, it brings positions and charges into shared memory. For each of \
         their particles it adds to four sums of every particle of its own. The sums are in global memory, 32 bytes apart, and are loaded \
         and stored in each inner trip. A store drops its line from L1D, so each load reads eight lines from L2 again. Only that code fits \
         Table 2: a modern compiler keeps the sums in registers and has nothing to read. From the source: the block, 7200 bytes of shared \
         memory, 64 registers, 1000 boxes, loops, strides, barriers, 100 of 128 threads at work. Free: arithmetic (factor 1.2), five \
         particles of each neighbour's hundred, all alike. Eight on each SM, a CTA takes 1.4 million cycles.",
        arrays(),
        vec![launch(64)],
    )
}
