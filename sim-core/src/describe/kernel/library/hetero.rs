//! The twelve programs of the HeteroCore paper (Zhao, Wang and Eeckhout, TPDS 2019).
//!
//! Shapes, loops, loads, stores, strides, divergence and the use of shared memory are those of the public sources. How many CTAs an SM of
//! each class holds is what the paper's Table 3 prints, with the registers that an old compiler needs. The paper gives no inputs and no
//! counts of instructions. What a source leaves open is chosen once for all of them where that is possible (`LATENCY`), and otherwise so
//! that the kernel alone has the class that the paper gives it. Nothing here looks at how kernels share.
//!
//! Constants and textures have no caches of their own in this machine: a constant takes the pipe of shared memory, a texture is a load.

use super::parts::chain;
use crate::describe::kernel::Op;

/// Cycles from an arithmetic instruction to the next of its warp. On Fermi 22 pass until a result can be used (CUDA C Programming Guide,
/// compute capability 2.x). Two instructions of a warp are under way, by our choice.
pub const LATENCY: u32 = 11;

/// `count` arithmetic instructions of all lanes.
pub fn work(count: u32) -> Op {
    chain(count, LATENCY)
}

/// `count` arithmetic instructions of so many lanes.
pub fn some_work(count: u32, lanes: u32) -> Op {
    Op::Alu { count, latency: LATENCY, lanes }
}
