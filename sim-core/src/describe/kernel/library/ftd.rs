//! FTD: two-dimensional finite-difference time domain.

use super::{alu, array, load, named, store};
use crate::describe::kernel::{Address, Kernel, Launch, Op};
use alloc::vec;

/// Rows and columns of the grid.
const SIDE: i64 = 2048;

/// PolyBench/GPU `fdtd2d`: three stencils for each time step.
pub fn kernel() -> Kernel {
    // A CTA takes 256 cells in rows of 32 that lie one after the other in memory: of PolyBench's 32 × 8 blocks this keeps that the row above
    // is the line of the warp before, and of the whole grid that arrays are read in order.
    let at = |array: u8, rows: i64, columns: i64| Address {
        array,
        offset: rows * 128 + columns * 4,
        cta: 1024,
        warp: 128,
        lane: 4,
        ..Address::default()
    };
    let stencil = |out: u8, first: Address, second: Address, work: u32| {
        vec![alu(16), load(at(out, 0, 0)), load(first), load(second), Op::Wait { loads: 0 }, alu(work), store(at(out, 0, 0))]
    };
    let launch = |program| Launch { ctas: (SIDE * SIDE / 256) as u32, threads: 256, registers: 18, shared_bytes: 0, program };
    let (ex, ey, hz) = (0, 1, 2);
    let mut last = stencil(hz, at(ex, 0, 1), at(ey, 1, 0), 44);
    last.insert(3, load(at(ex, 0, 0)));
    last.insert(4, load(at(ey, 0, 0)));
    let bytes = (SIDE * SIDE * 4) as u64;
    named(
        "FTD",
        "Finite-difference time domain, 2D",
        "PolyBench/GPU fdtd2d; character after CCBP Table 2",
        "Three launches for each time step, a thread for each cell of a 2048 × 2048 grid: ey from hz and the row above, ex from hz and the column \
         before, hz from both. Little arithmetic on arrays that do not fit L2: bound by DRAM, smoothly.",
        vec![array("ex", bytes), array("ey", bytes), array("hz", bytes)],
        vec![launch(stencil(ey, at(hz, 0, 0), at(hz, -1, 0), 36)), launch(stencil(ex, at(hz, 0, 0), at(hz, 0, -1), 36)), launch(last)],
    )
}
