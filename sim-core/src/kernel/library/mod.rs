//! Kernels by name, one file each: what the real kernel does, and how its Program follows it.
//!
//! Shapes (grid, block, registers, shared memory, arrays) are those of the benchmark; counts of arithmetic instructions between memory
//! accesses are chosen so that the kernel *alone* behaves as its source says. Nothing here looks at how kernels share.

mod basics;
mod bp;
mod cfd;
mod ftd;
mod sad;

use super::{Address, Array, Kernel, Launch, Op};
use alloc::string::ToString;
use alloc::vec::Vec;

type Make = fn() -> Kernel;

const KERNELS: &[(&str, Make)] = &[
    ("BP", bp::kernel),
    ("CFD", cfd::kernel),
    ("FTD", ftd::kernel),
    ("SAD", sad::kernel),
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

/// `count` dependent arithmetic instructions of all lanes. Four cycles apart: a fully pipelined ALU of six stages with a little
/// instruction-level parallelism.
fn alu(count: u32) -> Op {
    Op::Alu { count, latency: 4, lanes: 32 }
}

/// A kernel of one or more launches.
fn named(name: &str, title: &str, source: &str, doc: &str, arrays: Vec<Array>, launches: Vec<Launch>) -> Kernel {
    Kernel { name: name.to_string(), title: title.to_string(), doc: doc.to_string(), source: source.to_string(), arrays, launches }
}
