//! ccbp/CFD: an unstructured-grid Euler solver.

use super::parts::{ALL, array, chain, load, named, repeat, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Scatter};
use alloc::vec;
use alloc::vec::Vec;

/// Cells of the mesh, in whole CTAs of 64.
const CELLS: i64 = 1100 * 64;
/// Bytes over which a warp's 32 neighbours lie: eight lines.
const WINDOW: i64 = 8 * 128;

/// Rodinia `euler3d`: `cuda_compute_flux`.
pub fn kernel() -> Kernel {
    let work = |count| chain(count, 17);
    let plane = CELLS * 4;
    // Five variables, one plane after the other; of the cell itself, and of its neighbours.
    let own = |array: u8, variable: i64| Address { offset: variable * plane, ..words(array, 256, 128) };
    // Each warp has windows of its own, far from those of the warps beside it, and another for each face.
    let neighbour = |variable: i64| Address {
        array: 0,
        offset: variable * plane,
        cta: 256 + 74 * WINDOW,
        warp: 37 * WINDOW,
        loops: [1001 * WINDOW, 0, 0],
        scatter: Scatter::Lane { bytes: WINDOW as u64 },
        ..Address::default()
    };
    // The neighbour's number and three normals of each of the four faces.
    let face = |part: i64| Address { loops: [4 * plane, 0, 0], ..own(1, part) };

    let mut program: Vec<Op> = vec![work(18)];
    program.extend((0..5).map(|variable| load(own(0, variable))));
    program.extend([ALL, work(25), repeat(4), work(25)]);
    program.extend((0..4).map(|part| load(face(part))));
    program.push(Op::Wait { loads: 3 });
    // The neighbour's variables in a burst, then all of the face's arithmetic, with four divisions and three roots.
    program.extend((0..5).map(|variable| load(neighbour(variable))));
    program.extend([ALL, work(111), Op::Sfu { count: 7, latency: 39, lanes: 32 }, Op::End, work(10)]);
    program.extend((0..5).map(|variable| store(own(2, variable))));
    let bytes = plane as u64;
    named(
        "ccbp/CFD",
        "Euler solver on an unstructured grid",
        "Rodinia 3.1, cuda/cfd/euler3d.cu, cuda_compute_flux",
        "A thread for each cell of the mesh reads its own five variables. For each of four neighbours it reads the neighbour's number, the \
         face's normal, and the neighbour's five variables through that number. It sums up the flux and stores it. Numbers and normals \
         stream. The variables fit L2, and their gathers, several lines each, bind the kernel to the NoC. From the source: all loads and \
         stores, in bursts of nine and five, four divisions and three roots a face, 59 registers. The block is an option of the source: of \
         its multiples of 32 only 64 threads let the paper's combinations fit an SM. Free: the mesh's neighbours, a gather of 32 words \
         within eight lines, a window of its own for each warp and face. Free, too: 70,400 cells (the smallest mesh has 97,046, whose \
         neighbours are closer to each other than ours), arithmetic (factor 1.6) and its latency (17 cycles; 39 for divisions and roots).",
        vec![array("variables", 5 * bytes), array("faces", 16 * bytes), array("fluxes", 5 * bytes)],
        vec![Launch { grid: ((CELLS / 64) as u32).into(), threads: 64, registers: 59, shared_bytes: 0, program, ..Launch::default() }],
    )
}
