//! What kernels are written with: arrays, addresses, operations.

use crate::describe::kernel::{Address, Array, Kernel, Launch, Op, Trips};
use alloc::string::ToString;
use alloc::vec::Vec;

/// What makes a kernel.
pub type Make = fn() -> Kernel;

/// An array of `bytes`.
pub fn array(name: &str, bytes: u64) -> Array {
    Array { name: name.to_string(), bytes, read_only: false }
}

/// Consecutive words across the lanes of `array`, warps and CTAs `warp` and `cta` bytes apart.
pub fn words(array: u8, cta: i64, warp: i64) -> Address {
    Address { array, cta, warp, lane: 4, ..Address::default() }
}

/// A load by all lanes.
pub fn load(address: Address) -> Op {
    Op::Load { address, lanes: 32 }
}

/// A store by all lanes.
pub fn store(address: Address) -> Op {
    Op::Store { address, lanes: 32 }
}

/// `count` dependent arithmetic instructions of all lanes. Four cycles apart: a fully pipelined ALU of six stages with a little
/// instruction-level parallelism.
pub fn alu(count: u32) -> Op {
    Op::Alu { count, latency: 4, lanes: 32 }
}

/// `count` arithmetic instructions of all lanes, `latency` cycles from one to the next.
pub fn chain(count: u32, latency: u32) -> Op {
    Op::Alu { count, latency, lanes: 32 }
}

/// Waits for every load.
pub const ALL: Op = Op::Wait { loads: 0 };

/// `count` accesses of shared memory, lanes a word apart.
pub fn shared(count: u32) -> Op {
    Op::Shared { count, stride: 1, lanes: 32 }
}

/// Begins a loop of `trips`.
pub fn repeat(trips: u32) -> Op {
    Op::Loop { trips: Trips::Fixed(trips) }
}

/// Begins what one warp in `one_in` does, `trips` times.
pub fn some_warps(trips: u32, one_in: u32) -> Op {
    Op::Loop { trips: Trips::SomeWarps { trips, one_in } }
}

/// A kernel of one or more launches.
pub fn named(name: &str, title: &str, source: &str, doc: &str, arrays: Vec<Array>, launches: Vec<Launch>) -> Kernel {
    Kernel {
        name: name.to_string(),
        title: title.to_string(),
        doc: doc.to_string(),
        source: source.to_string(),
        arrays,
        launches,
        repeats: Vec::new(),
        lists: Vec::new(),
    }
}
