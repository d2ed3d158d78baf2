//! What the programs of the IKRA paper are written with.

use super::parts::array;
use crate::describe::kernel::{Address, Array, Dim3, Kernel, Launch, List, Op, Repeat, Terms, Tile, Trips};
use alloc::string::ToString;
use alloc::vec::Vec;

/// Cycles from the end of a launch to the next.
pub const GAP: u64 = 1000;

/// A launch of blocks of `threads`, with the gap that all have.
pub fn launch(grid: impl Into<Dim3>, threads: u32, registers: u32, shared_bytes: u32, program: Vec<Op>) -> Launch {
    Launch { grid: grid.into(), gap: GAP, threads, registers, shared_bytes, program, ..Launch::default() }
}

/// A grid of columns and rows.
pub fn plane(x: u32, y: u32) -> Dim3 {
    [x, y, 1].into()
}

/// An array that nothing writes.
pub fn constant(name: &str, bytes: u64) -> Array {
    Array { read_only: true, ..array(name, bytes) }
}

/// Launches that all run so many times.
pub fn times(times: u32, launches: Vec<Launch>) -> (Vec<Launch>, Vec<Repeat>) {
    let repeat = Repeat { first: 0, launches: launches.len(), times };
    (launches, alloc::vec![repeat])
}

/// A program of the paper.
pub fn program(
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
pub fn list(name: &str, values: Vec<u32>) -> List {
    List { name: name.to_string(), values }
}

/// A matrix of 4-byte elements: columns, rows, bytes from row to row.
#[derive(Clone, Copy)]
pub struct Matrix(pub u32, pub u32, pub u32);

impl Matrix {
    /// Rows without a gap.
    pub fn dense(columns: u32, rows: u32) -> Matrix {
        Matrix(columns, rows, 4 * columns)
    }

    /// The element of each lane, `lanes` of them in a row.
    pub fn at(self, array: u8, lanes: u32, x: Terms, y: Terms) -> Address {
        let Matrix(columns, rows, pitch) = self;
        Address { array, tile: Some(Tile { columns, rows, pitch, lanes, x, y }), ..Address::default() }
    }
}

/// `at` and so much for each CTA along x and y and for each warp.
pub fn terms(at: i32, grid: [i32; 2], warp: i32) -> Terms {
    Terms { at, grid: [grid[0], grid[1], 0], warp, ..Terms::default() }
}

/// These terms and so much for each iteration of the innermost of `depth` loops.
pub fn looped(terms: Terms, depth: usize, step: i32) -> Terms {
    let mut loops = terms.loops;
    loops[depth - 1] = step;
    Terms { loops, ..terms }
}

/// A load by some lanes.
pub fn load_by(lanes: u32, address: Address) -> Op {
    Op::Load { address, lanes }
}

/// An atomic operation by some lanes.
pub fn atomic_by(lanes: u32, address: Address) -> Op {
    Op::Atomic { address, lanes }
}

/// A store by some lanes.
pub fn store_by(lanes: u32, address: Address) -> Op {
    Op::Store { address, lanes }
}

/// Begins what only some warps of each CTA do: a list of 0 and 1, one for each warp.
pub fn warps(list: u8) -> Op {
    Op::Loop { trips: Trips::ListedPerWarp { list } }
}
