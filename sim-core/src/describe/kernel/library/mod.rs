//! Kernels by name, one file each: what the real kernel does, and how its Program follows it.
//!
//! Loops, arrays, divergence and the use of shared memory are those of the benchmark. Blocks, footprints, counts of arithmetic
//! instructions between memory accesses, and how many lines a warp's lanes touch are chosen so that the kernel *alone* behaves as CCBP's
//! Table 2 says (`tests/kernels.rs`, docs/kernels.md). Nothing here looks at how kernels share.
//!
//! The latency-sensitive kernels (BFS, BP, BT, HG, PF) have a chain of dependent loads for each of their private lines: without it, a
//! kernel with two thirds of the issue slots in use does not slow down 1.7 times when latency doubles, as those that CCBP selected do. Most
//! loads of the chain are of lines that all warps of a CTA share.

mod basics;
mod bfs;
mod bp;
mod bt;
mod cfd;
mod ftd;
mod hg;
mod km;
mod lav;
mod lbm;
mod pf;
mod sad;
mod smv;
mod srt;

use super::{Address, Array, Kernel, Launch, MAX_LOOPS, Op};
use alloc::string::ToString;
use alloc::vec::Vec;

type Make = fn() -> Kernel;

const KERNELS: &[(&str, Make)] = &[
    ("BFS", bfs::kernel),
    ("BP", bp::kernel),
    ("BT", bt::kernel),
    ("CFD", cfd::kernel),
    ("FTD", ftd::kernel),
    ("HG", hg::kernel),
    ("KM", km::kernel),
    ("LAV", lav::kernel),
    ("LBM", lbm::kernel),
    ("PF", pf::kernel),
    ("SAD", sad::kernel),
    ("SMV", smv::kernel),
    ("SRT", srt::kernel),
    ("VADD", basics::vector_add),
    ("SAXPY", basics::saxpy),
    ("COPY", basics::copy),
    ("MATVEC", basics::matrix_vector),
];

/// Names of all kernels.
pub fn names() -> Vec<&'static str> {
    KERNELS.iter().map(|kernel| kernel.0).collect()
}

/// The kernel of that name.
pub fn find(name: &str) -> Option<Kernel> {
    KERNELS.iter().find(|kernel| kernel.0 == name).map(|kernel| kernel.1())
}

/// An array of `bytes`.
fn array(name: &str, bytes: u64) -> Array {
    Array { name: name.to_string(), bytes }
}

/// Consecutive words across the lanes of `array`, warps and CTAs `warp` and `cta` bytes apart.
fn words(array: u8, cta: i64, warp: i64) -> Address {
    Address { array, cta, warp, lane: 4, ..Address::default() }
}

/// A load by all lanes.
fn load(address: Address) -> Op {
    Op::Load { address, lanes: 32 }
}

/// A store by all lanes.
fn store(address: Address) -> Op {
    Op::Store { address, lanes: 32 }
}

/// One line that all warps of a CTA read, CTAs and iterations so many bytes apart.
fn broadcast(array: u8, cta: i64, loops: [i64; MAX_LOOPS]) -> Address {
    Address { array, cta, loops, lane: 4, ..Address::default() }
}

/// `count` arithmetic instructions with enough instruction-level parallelism to issue one after the other.
fn independent(count: u32, lanes: u32) -> Op {
    Op::Alu { count, latency: 1, lanes }
}

/// `count` dependent arithmetic instructions of all lanes. Four cycles apart: a fully pipelined ALU of six stages with a little
/// instruction-level parallelism.
fn alu(count: u32) -> Op {
    Op::Alu { count, latency: 4, lanes: 32 }
}

/// A kernel of one or more launches.
fn named(name: &str, title: &str, source: &str, doc: &str, arrays: Vec<Array>, launches: Vec<Launch>) -> Kernel {
    Kernel { name: name.to_string(), title: title.to_string(), doc: doc.to_string(), source: source.to_string(), arrays, launches }
}
