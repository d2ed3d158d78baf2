//! ccbp/FTD: two-dimensional finite-difference time domain.

use super::parts::{ALL, alu, array, load, named, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op};
use alloc::vec;
use alloc::vec::Vec;

/// Rows and columns of the grid.
const SIDE: i64 = 2048;

/// PolyBench/GPU `fdtd2d`: three stencils for each time step.
pub fn kernel() -> Kernel {
    // A row of `ex` has a word more than a line has, so that its lines are misaligned.
    let at = |array: u8, rows: i64, columns: i64| {
        let skew = if array == 0 { 64 } else { 0 };
        Address { offset: rows * 128 + columns * 4 + skew, ..words(array, 1024, 128) }
    };
    let step = |out: u8, inputs: &[Address], work: u32| {
        let mut program: Vec<Op> = vec![alu(24)];
        program.extend(inputs.iter().map(|&input| load(input)));
        program.extend([ALL, alu(work), store(at(out, 0, 0))]);
        program
    };
    let (ex, ey, hz) = (0, 1, 2);
    let launch = |registers, program| Launch {
        grid: ((SIDE * SIDE / 256) as u32).into(),
        threads: 256,
        registers,
        shared_bytes: 0,
        program,
        ..Launch::default()
    };
    let bytes = (SIDE * SIDE * 4) as u64;
    named(
        "ccbp/FTD",
        "Finite-difference time domain, 2D",
        "PolyBench/GPU 1.0, CUDA/FDTD-2D/fdtd2d.cu, fdtd_step1_kernel, fdtd_step2_kernel, fdtd_step3_kernel",
        "Three launches for each time step, a thread for each cell of a 2048 × 2048 grid. They make ey from hz and the row above, ex from \
         hz and the column before, hz from both. Little arithmetic on arrays that do not fit L2: bound by DRAM, smoothly. From the source: \
         the block of 32 × 8 as eight warps of a row each, the three kernels in turn with their loads and stores, ex misaligned (its rows \
         have 2049 words), the sizes. Not as in the source: a CTA's eight rows of 32 cells lie one after the other in memory. So the row \
         above and the column before are both the line of the warp before. In row-major order a column's neighbours are other CTAs'. Then \
         10.2 lines are read for 10 DRAM accesses, where Table 2 has 7.6. Free: that order, arithmetic (factor 2.5).",
        vec![array("ex", bytes), array("ey", bytes), array("hz", bytes)],
        vec![
            launch(10, step(ey, &[at(ey, 0, 0), at(hz, 0, 0), at(hz, -1, 0)], 29)),
            launch(10, step(ex, &[at(ex, 0, 0), at(hz, 0, 0), at(hz, 0, -1)], 26)),
            launch(14, step(hz, &[at(hz, 0, 0), at(ex, 0, 1), at(ex, 0, 0), at(ey, 1, 0), at(ey, 0, 0)], 33)),
        ],
    )
}
