//! The ten programs of Parboil that the QoS paper runs (Wang et al., ISCA 2017), each whole: all of its launches, one after the other, with
//! its largest input.
//!
//! Shapes, loops, loads, stores, strides, divergence and the use of shared memory are those of the variant `cuda`, the one that Parboil builds by
//! default. No paper prints what one of them does alone: nothing is calibrated, arithmetic is what a modern compile has, and what the source
//! leaves open stands after "Free:". Nothing here looks at how kernels share.
//!
//! Constants and textures have no caches of their own in this machine. Their accesses take the pipe of shared memory, as every space takes
//! GPGPU-Sim's load-store unit: a cycle for a constant, four for a texture (the GTX 980 has eight texture lanes an SM). A global atomic addition
//! is a store and a load: it leaves no line in L1D, and L2 answers it.

use super::parts::alu;
use crate::describe::kernel::{Launch, Op};
use alloc::vec::Vec;

/// A launch.
pub fn launch(ctas: u32, threads: u32, registers: u32, shared_bytes: u32, program: Vec<Op>) -> Launch {
    Launch { grid: ctas.into(), threads, registers, shared_bytes, program, ..Launch::default() }
}

/// `count` accesses of a word that all lanes read: in shared memory, or a constant.
pub fn broadcast(count: u32) -> Op {
    Op::Shared { count, stride: 0, lanes: 32 }
}

/// Special-function instructions of all lanes.
pub fn sfu(count: u32) -> Op {
    Op::Sfu { count, latency: 4, lanes: 32 }
}

/// The steps of a tree over `elements` in shared memory, each after a barrier, by a CTA of `threads`. In every step half as many lanes are
/// at work, on average over the warps, at least one. Each reads two words, works and writes one.
pub fn tree(elements: u32, threads: u32) -> Vec<Op> {
    let steps = (1..=elements.ilog2()).map(|step| elements >> step);
    steps
        .flat_map(|pairs| {
            let lanes = (32 * pairs / threads).clamp(1, 32);
            let count = 3 * pairs.div_ceil(threads);
            [Op::Barrier, alu(6), Op::Shared { count, stride: 1, lanes }, Op::Alu { count: 2, latency: 4, lanes }]
        })
        .collect()
}

/// A sum over all elements before each: up a tree, and down again.
pub fn scan(elements: u32, threads: u32) -> Vec<Op> {
    let up = tree(elements, threads);
    // Down, the steps come in the opposite order; each step is four operations.
    let down = up.rchunks(4).flatten().cloned().collect::<Vec<_>>();
    up.into_iter().chain(down).collect()
}
