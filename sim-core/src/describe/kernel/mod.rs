//! What runs: a kernel is a sequence of launches; a launch is a shape (grid, block, registers, shared memory) and a Program.
//!
//! A Program is a short list of operations with loops, as real kernels are. Addresses are pure functions of (seed, kernel, launch, CTA,
//! warp, iteration, lane): nothing is consumed, so a kernel issues the same addresses under every policy. Hit rates, coalescing,
//! burstiness and row locality come out of the caches and the DRAM; they are never numbers in a kernel.

pub mod carve_out;
pub mod decode;
pub mod library;
pub mod records;
pub mod sequence;
pub mod tile;
pub mod validate;

pub use carve_out::CarveOut;
pub use sequence::{Dim3, Repeat};
pub use tile::{Terms, Tile};
pub use validate::{MAX_ALU, MAX_GAP, MAX_LAUNCHES, MAX_LINES, MAX_SEQUENCE};

use crate::describe::record::Absent::{Flag, Needed};
use crate::describe::record::{Shape, int, list, record, text};
use crate::describe::recorded::Recorded;
use alloc::string::String;
use alloc::vec::Vec;

/// Lanes of a warp.
pub const WARP_SIZE: u32 = 32;

/// Loops that may be nested.
pub const MAX_LOOPS: usize = 3;

/// A kernel as it stands in an experiment or in the library.
#[derive(Clone, PartialEq, Debug)]
pub struct Kernel {
    /// Name, such as `ccbp/BP`.
    pub name: String,
    /// What it is, in a few words.
    pub title: String,
    /// What the real kernel does and how the Program follows it.
    pub doc: String,
    /// Where its shape comes from.
    pub source: String,
    /// Its arrays in global memory; launches share them.
    pub arrays: Vec<Array>,
    /// Launches, in order; each starts when the one before has finished. At least one.
    pub launches: Vec<Launch>,
    /// Lists of trips that loops refer to.
    pub lists: Vec<List>,
    /// Which of them run several times, in order and apart from each other; `sequence` has every launch of a run.
    pub repeats: Vec<Repeat>,
}

impl Kernel {
    /// Its name without the paper: `BP` of `ccbp/BP`.
    pub fn short_name(&self) -> &str {
        self.name.rsplit('/').next().filter(|short| !short.is_empty()).unwrap_or(&self.name)
    }

    /// Whether every count of arithmetic instructions is one that a Program may have.
    pub fn arithmetic_in_range(&self) -> bool {
        let mut ops = self.launches.iter().flat_map(|launch| &launch.program);
        ops.all(|op| !matches!(op, Op::Alu { count, .. } | Op::Sfu { count, .. } | Op::Fp64 { count, .. } if *count > MAX_ALU))
    }

    /// Thread instructions of a run of the whole sequence; of loops that run differently often, the mean.
    pub fn thread_instructions(&self) -> f64 {
        let of_cta = |launch: &Launch| match launch.recorded.as_ref().and_then(|recorded| recorded.trace.as_ref()) {
            Some(trace) => trace.thread_instructions as f64 / f64::from(trace.ctas().max(1)),
            None => f64::from(launch.threads.div_ceil(WARP_SIZE)) * of_warp(&launch.program, &self.lists),
        };
        let of_each: Vec<f64> = self.launches.iter().map(of_cta).collect();
        self.sequence().map(|(at, repeat)| f64::from(self.launches[at].grid_at(repeat).ctas()) * of_each[at]).sum()
    }

    /// The kernel with `factor` times the arithmetic instructions between its memory accesses; at least one where there is any.
    pub fn with_arithmetic(mut self, factor: f64) -> Kernel {
        for op in self.launches.iter_mut().flat_map(|launch| &mut launch.program) {
            if let Op::Alu { count, .. } | Op::Sfu { count, .. } | Op::Fp64 { count, .. } = op {
                *count = ((f64::from(*count) * factor + 0.5) as u32).max(1);
            }
        }
        self
    }
}

/// Thread instructions of a warp on average.
fn of_warp(program: &[Op], lists: &[List]) -> f64 {
    // How often the operations of each loop that is open run.
    let mut open = alloc::vec![1.0];
    let mut sum = 0.0;
    for op in program {
        let times = open.last().copied().unwrap_or(1.0);
        sum += times
            * match *op {
                Op::Alu { count, lanes, .. }
                | Op::Sfu { count, lanes, .. }
                | Op::Fp64 { count, lanes, .. }
                | Op::Shared { count, lanes, .. } => f64::from(count) * f64::from(lanes),
                Op::Load { lanes, .. } | Op::Store { lanes, .. } | Op::Atomic { lanes, .. } => f64::from(lanes),
                Op::Barrier | Op::Sleep { .. } => f64::from(WARP_SIZE),
                Op::Wait { .. } | Op::Loop { .. } | Op::End => 0.0,
            };
        match *op {
            Op::Loop { trips } => open.push(times * trips.mean(lists)),
            Op::End => drop(open.pop()),
            _ => {}
        }
    }
    sum
}

record! {
    /// Numbers of trips, for work that follows from data: the degrees of a graph's vertices, an input.
    #[derive(Eq, Hash)]
    pub struct List as LIST "TripList", "a list of trips: {\"name\", \"values\"}";
    /// Name, by which loops refer to it.
    name: String = text!(40), Needed;
    /// The trips, one after the other; behind the last comes the first again.
    values: Vec<u32> ["trips"] = list!(int!(0, 1 << 24), 1, validate::MAX_LISTED, "trips"), Needed;
}

record! {
    /// An array in global memory.
    #[derive(Eq, Hash)]
    pub struct Array as ARRAY "GlobalArray", "an array: {\"name\", \"bytes\"}";
    /// Name, by which accesses refer to it.
    name: String = text!(40), Needed;
    /// Size. Addresses wrap around in it.
    bytes: u64 ["bytes"] = int!(128, 128 * MAX_LINES), Needed;
    /// Whether neither a launch nor the CPU between launches writes it: what a cache holds of it stays valid.
    read_only: bool = Shape::Flag, Flag(false), sparse;
}

/// One launch of a kernel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Launch {
    /// CTAs of the grid along each dimension.
    pub grid: Dim3,
    /// What is added to it with each repeat of the launch.
    pub grid_step: [i32; 3],
    /// Cycles from the end of the launch before, of this run or the last, to the first in which a CTA may be placed.
    pub gap: u64,
    /// Threads of a CTA.
    pub threads: u32,
    /// Registers of a thread.
    pub registers: u32,
    /// Shared memory of a CTA, bytes.
    pub shared_bytes: u32,
    /// Shared memory of an SM that it prefers.
    pub carve_out: CarveOut,
    /// What each warp does; nothing where it is recorded.
    pub program: Vec<Op>,
    /// The recorded launch that it is, instead of a program.
    pub recorded: Option<Recorded>,
}

/// One operation of a Program. `lanes` is the number of active lanes, 1 to 32.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Op {
    /// `count` dependent arithmetic instructions, each issuing `latency` cycles after the one before.
    Alu { count: u32, latency: u32, lanes: u32 },
    /// `count` instructions on the special-function unit, `latency` cycles apart: roots, reciprocals, sines.
    Sfu { count: u32, latency: u32, lanes: u32 },
    /// `count` shared-memory accesses, lanes `stride` words apart (bank conflicts follow from it; 0: all lanes read one word).
    Shared { count: u32, stride: u32, lanes: u32 },
    /// A global load; only `Wait` waits for it, a `Barrier` does not.
    Load { address: Address, lanes: u32 },
    /// A global store; nothing waits for it.
    Store { address: Address, lanes: u32 },
    /// A global atomic operation whose old value nobody asks for, as in a reduction; nothing waits for it. It counts as a store.
    Atomic { address: Address, lanes: u32 },
    /// Waits until at most `loads` loads of the warp are outstanding. Takes no issue slot.
    Wait { loads: u32 },
    /// Waits for all warps of the CTA.
    Barrier,
    /// Repeats what stands up to the matching `End`, `trips` times (0 skips it). Takes no issue slot.
    Loop { trips: Trips },
    /// Ends the innermost loop. Takes no issue slot: its compare and branch are part of the body's `Alu` counts.
    End,
    /// One instruction, after which the warp issues nothing for `cycles`: it holds its place, and nothing else.
    Sleep { cycles: u32 },
    /// `count` double-precision instructions, `latency` cycles apart, on the FP64 unit, or on the arithmetic unit where there is none.
    Fp64 { count: u32, latency: u32, lanes: u32 },
}

/// How often a loop runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Trips {
    /// This many times, for every warp.
    Fixed(u32),
    /// Drawn uniformly from `min..=max` for each CTA, the same for all of its warps (safe around barriers).
    PerCta { min: u32, max: u32 },
    /// Drawn uniformly from `min..=max` for each warp.
    PerWarp { min: u32, max: u32 },
    /// `trips` for one warp in `one_in`, drawn for each; none for the others: a branch that few take.
    SomeWarps { trips: u32, one_in: u32 },
    /// Those of a list of the kernel: the first for the first CTA of the grid, in the next repeat of the launch from there on.
    ListedPerCta { list: u8 },
    /// Those of a list of the kernel: the first for the first warp of the first CTA, in the next repeat of the launch from there on.
    ListedPerWarp { list: u8 },
}

impl Trips {
    /// How often it runs on average.
    pub fn mean(self, lists: &[List]) -> f64 {
        match self {
            Trips::Fixed(trips) => trips.into(),
            Trips::PerCta { min, max } | Trips::PerWarp { min, max } => (f64::from(min) + f64::from(max)) / 2.0,
            Trips::SomeWarps { trips, one_in } => f64::from(trips) / f64::from(one_in),
            Trips::ListedPerCta { list } | Trips::ListedPerWarp { list } => {
                let values = lists.get(usize::from(list)).map_or(&[][..], |list| &list.values);
                values.iter().map(|&trips| f64::from(trips)).sum::<f64>() / values.len().max(1) as f64
            }
        }
    }

    /// Whether the warps of a CTA may run it differently often.
    pub fn differ_between_warps(self) -> bool {
        match self {
            Trips::Fixed(_) | Trips::PerCta { .. } | Trips::ListedPerCta { .. } => false,
            Trips::ListedPerWarp { .. } => true,
            Trips::PerWarp { min, max } => min != max,
            Trips::SomeWarps { trips, one_in } => trips > 0 && one_in > 1,
        }
    }
}

/// Byte address of each lane's 4-byte word in an array: the sum of the terms, modulo the array's size.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Address {
    /// Index into the kernel's `arrays`.
    pub array: u8,
    /// Bytes at which it starts.
    pub offset: i64,
    /// Bytes for each repeat of the launch.
    pub repeat: i64,
    /// Bytes for each CTA of the grid.
    pub cta: i64,
    /// Bytes for each warp of the CTA.
    pub warp: i64,
    /// Bytes for each iteration of the enclosing loops, outermost first.
    pub loops: [i64; MAX_LOOPS],
    /// Bytes for each lane.
    pub lane: i64,
    /// What is added at random.
    pub scatter: Scatter,
    /// Position in a matrix to which `offset`, `repeat`, `cta`, `warp` and `loops` are added; then there is neither `lane` nor `scatter`.
    pub tile: Option<Tile>,
}

/// A random part of an address, drawn from (seed, kernel, launch, CTA, warp, operation, iterations, lane). Repeats of a launch draw the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs)]
pub enum Scatter {
    /// Nothing.
    #[default]
    None,
    /// One draw for the warp, in whole lines, over `bytes`: each visit goes to a random line and its lanes stay together.
    Warp { bytes: u64 },
    /// A draw for each lane, in words, over `bytes`: a gather.
    Lane { bytes: u64 },
    /// A draw for each lane, in words, over `bytes`, the smallest of three: a gather that favours the start of the array.
    Skewed { bytes: u64 },
}
