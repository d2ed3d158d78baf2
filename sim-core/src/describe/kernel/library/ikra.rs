//! The programs of the IKRA paper (Huzaifa et al., ACM TACO 17(3), 2020) as sequences of launches, `ikra/` before its names for them.
//!
//! Grids, blocks, arrays, halos and the order of launches are those of the public sources at the sizes of its Table 3. They give the bytes
//! that it prints for each kernel (docs/reference/kernels-ikra.md has both, and where they differ). Registers, arithmetic and its latency
//! are not in the paper. They are as in the source where that says, chosen otherwise, and not calibrated. A thousand cycles pass between
//! launches; what the CPU does there takes no time.

use super::ikra_graphs::{color, dijkstra, mis, page_rank};
use super::ikra_iterative::{hotspot, kmeans, lud, needle, path_finder, srad_v1, srad_v2, stencil};
use super::ikra_micro::{large, medium, small, stealing};
use super::ikra_single::{backprop, convolution, lava, neighbours, sgemm};

use super::{Make, array};
use crate::describe::kernel::{Address, Array, Dim3, Kernel, Launch, List, Op, Repeat, Terms, Tile, Trips};
use alloc::string::ToString;
use alloc::vec::Vec;

/// Names and makers, as the library lists them.
pub const KERNELS: &[(&str, Make)] = &[
    ("ikra/SMALL", small),
    ("ikra/MEDIUM", medium),
    ("ikra/LARGE", large),
    ("ikra/STEALING", stealing),
    ("ikra/HS", || hotspot(false)),
    ("ikra/KM", kmeans),
    ("ikra/LUD", lud),
    ("ikra/NW", needle),
    ("ikra/PF", || path_finder(false)),
    ("ikra/SD1", srad_v1),
    ("ikra/SD2", || srad_v2(false)),
    ("ikra/ST", || stencil(false)),
    ("ikra/BP", backprop),
    ("ikra/CP", convolution),
    ("ikra/LM", lava),
    ("ikra/NN", neighbours),
    ("ikra/SG", sgemm),
    ("ikra/DJ1", || dijkstra(true)),
    ("ikra/DJ2", || dijkstra(false)),
    ("ikra/CL1", || color(true)),
    ("ikra/CL2", || color(false)),
    ("ikra/MI1", || mis(true)),
    ("ikra/MI2", || mis(false)),
    ("ikra/PR1", || page_rank(true)),
    ("ikra/PR2", || page_rank(false)),
];

/// The program of that name with loads in the place of shared memory: each thread loads what it uses, so that dependences can be counted.
pub fn direct(name: &str) -> Option<Kernel> {
    match name {
        "ikra/HS" => Some(hotspot(true)),
        "ikra/PF" => Some(path_finder(true)),
        "ikra/SD2" => Some(srad_v2(true)),
        "ikra/ST" => Some(stencil(true)),
        _ => KERNELS.iter().find(|kernel| kernel.0 == name).map(|kernel| kernel.1()),
    }
}

/// Cycles from the end of a launch to the next.
pub(super) const GAP: u32 = 1000;

/// A launch of blocks of `threads`, with the gap that all have.
pub(super) fn launch(grid: impl Into<Dim3>, threads: u32, registers: u32, shared_bytes: u32, program: Vec<Op>) -> Launch {
    Launch { grid: grid.into(), grid_step: [0; 3], gap: GAP, threads, registers, shared_bytes, program }
}

/// A grid of columns and rows.
pub(super) fn plane(x: u32, y: u32) -> Dim3 {
    [x, y, 1].into()
}

/// An array that nothing writes.
pub(super) fn constant(name: &str, bytes: u64) -> Array {
    Array { read_only: true, ..array(name, bytes) }
}

/// Launches that all run so many times.
pub(super) fn times(times: u32, launches: Vec<Launch>) -> (Vec<Launch>, Vec<Repeat>) {
    let repeat = Repeat { first: 0, launches: launches.len(), times };
    (launches, alloc::vec![repeat])
}

/// A program of the paper.
pub(super) fn program(
    name: &str,
    title: &str,
    source: &str,
    doc: &str,
    arrays: Vec<Array>,
    launches: (Vec<Launch>, Vec<Repeat>),
    lists: Vec<List>,
) -> Kernel {
    let texts = [name, title, doc, source].map(ToString::to_string);
    let [name, title, doc, source] = texts;
    let (launches, repeats) = launches;
    Kernel { name, title, doc, source, arrays, launches, repeats, lists }
}

/// A list of trips.
pub(super) fn list(name: &str, values: Vec<u32>) -> List {
    List { name: name.to_string(), values }
}

/// A matrix of 4-byte elements: columns, rows, bytes from row to row.
#[derive(Clone, Copy)]
pub(super) struct Matrix(pub(super) u32, pub(super) u32, pub(super) u32);

impl Matrix {
    /// Rows without a gap.
    pub(super) fn dense(columns: u32, rows: u32) -> Matrix {
        Matrix(columns, rows, 4 * columns)
    }

    /// The element of each lane, `lanes` of them in a row.
    pub(super) fn at(self, array: u8, lanes: u32, x: Terms, y: Terms) -> Address {
        let Matrix(columns, rows, pitch) = self;
        Address { array, tile: Some(Tile { columns, rows, pitch, lanes, x, y }), ..Address::default() }
    }
}

/// `at` and so much for each CTA along x and y and for each warp.
pub(super) fn terms(at: i32, grid: [i32; 2], warp: i32) -> Terms {
    Terms { at, grid: [grid[0], grid[1], 0], warp, ..Terms::default() }
}

/// These terms and so much for each iteration of the innermost of `depth` loops.
pub(super) fn looped(terms: Terms, depth: usize, step: i32) -> Terms {
    let mut loops = terms.loops;
    loops[depth - 1] = step;
    Terms { loops, ..terms }
}

/// A load by some lanes.
pub(super) fn load_by(lanes: u32, address: Address) -> Op {
    Op::Load { address, lanes }
}

/// An atomic operation by some lanes.
pub(super) fn atomic_by(lanes: u32, address: Address) -> Op {
    Op::Atomic { address, lanes }
}

/// A store by some lanes.
pub(super) fn store_by(lanes: u32, address: Address) -> Op {
    Op::Store { address, lanes }
}

/// Begins what only some warps of each CTA do: a list of 0 and 1, one for each warp.
pub(super) fn warps(list: u8) -> Op {
    Op::Loop { trips: Trips::ListedPerWarp { list } }
}
