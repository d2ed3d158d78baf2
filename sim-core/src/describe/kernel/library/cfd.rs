//! CFD: an unstructured-grid Euler solver.

use super::{alu, array, load, named, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Scatter, Trips};
use alloc::vec;

/// Cells of the mesh: `fvcorr.domn.097K`, rounded to whole CTAs of 64.
const CELLS: u64 = 1520 * 64;

/// Rodinia `euler3d`: `cuda_compute_flux`.
pub fn kernel() -> Kernel {
    let bytes = CELLS * 4;
    // Five variables of the cell itself, one array after the other.
    let own = |variable: i64| Address { offset: variable * bytes as i64, ..words(0, 256, 128) };
    // The same of a neighbour: cells are numbered along a front, so a warp's neighbours lie
    // near its own cells, within 15 lines.
    let neighbour =
        |variable: i64| Address { lane: 0, loops: [bytes as i64 / 5, 0, 0], scatter: Scatter::Lane { bytes: 1900 }, ..own(variable) };
    // Index and three normals of each of the four faces.
    let face = |part: i64| Address { array: 1, offset: part * bytes as i64, loops: [4 * bytes as i64, 0, 0], ..words(1, 256, 128) };
    let program = vec![
        alu(8),
        load(own(0)),
        load(own(1)),
        load(own(2)),
        load(own(3)),
        load(own(4)),
        Op::Wait { loads: 0 },
        alu(24),
        Op::Loop { trips: Trips::Fixed(4) },
        load(face(0)),
        load(face(1)),
        load(face(2)),
        load(face(3)),
        Op::Wait { loads: 3 },
        load(neighbour(0)),
        load(neighbour(1)),
        load(neighbour(2)),
        load(neighbour(3)),
        load(neighbour(4)),
        Op::Wait { loads: 0 },
        alu(150),
        Op::End,
        store(Address { array: 2, ..own(0) }),
        store(Address { array: 2, ..own(1) }),
    ];
    named(
        "CFD",
        "Euler solver on an unstructured grid",
        "Rodinia euler3d (compute_flux); character after CCBP Table 2",
        "A thread for each cell of the mesh: reads its own five variables, then, for each of four neighbours, the neighbour's number, the face's \
         normal, and the neighbour's five variables through that number, and sums up the flux. The indirect loads touch several lines each and come \
         in bursts; the variables fit L2, so the kernel is bound by the NoC.",
        vec![array("variables", 5 * bytes), array("faces", 16 * bytes), array("fluxes", 5 * bytes)],
        vec![Launch { ctas: (CELLS / 64) as u32, threads: 64, registers: 63, shared_bytes: 0, program }],
    )
}
