//! Kernels that fill one resource each and leave the others alone, of any shape: those that `silicon/interfere.cu` measures on a real GPU.
//!
//! The first six are those of "Understanding GPU Resource Interference One Level Deeper" (SoCC 2025). Instructions are those of the machine code for sm_90: a
//! trip of a copy has 15, a pass of the chains has seven beside its multiply-adds. What follows from no source is the time from one of them to the
//! next. It is chosen by what each kernel takes *alone* on an H100 (`silicon/h100.csv`): a trip in L1D 81 cycles, a pass of four chains 278. Nothing here
//! looks at how kernels share.

use super::parts::{ALL, array, chain, load, named, repeat, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op, WARP_SIZE};
use alloc::vec;
use alloc::vec::Vec;

/// Names of the kernels. The machine has no FP64 pipe, so `fp64` is none of them.
pub const NAMES: &[&str] = &["sleep", "dram", "l2", "l1", "fma", "dram-wide", "l2-wide"];

/// What a kernel is launched with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// CTAs of the grid.
    pub ctas: u32,
    /// Threads of a CTA, whole warps.
    pub threads: u32,
    /// Bytes that a copy reads and writes: all CTAs together, or each where it has a region of its own.
    pub bytes: u64,
    /// Independent chains of a thread: 1, 2 or 4.
    pub chains: u32,
}

/// Passes of a kernel: more than any run takes.
pub const ENDLESS: u32 = 1 << 24;

/// Bytes from the region of one CTA to that of the next.
const APART: u64 = 128 << 10;

/// The kernel of a name, launched so; nothing for a name that is none of `NAMES`, or a shape that it cannot have.
pub fn kernel(name: &str, shape: Shape) -> Option<Kernel> {
    let Shape { ctas, threads, bytes, chains } = shape;
    if ctas == 0 || threads == 0 || !threads.is_multiple_of(WARP_SIZE) {
        return None;
    }
    let (doc, arrays, program): (_, &[_], _) = match name {
        // A nanosleep of 1 µs and its loop take 1.02: 2028 cycles of 1980 MHz.
        "sleep" => ("Holds the slots of its warps", &[], vec![repeat(ENDLESS), Op::Sleep { cycles: 2016 }, chain(3, 4), Op::End]),
        "dram" | "l2" | "copy" | "stream" => {
            ("A copy, one word a lane: a warp has one load in flight", &[bytes], copy(ctas, threads, bytes, 1)?)
        }
        "dram-wide" | "l2-wide" => ("A copy, 16 bytes a lane", &[bytes], copy(ctas, threads, bytes, 4)?),
        "l1" | "region" => {
            let trips = trips(bytes, u64::from(threads) * 4)?;
            let at = |array| Address { loops: [0, i64::from(threads) * 4, 0], ..words(array, bytes.max(APART) as i64, 128) };
            ("Each CTA copies a region of its own", &[u64::from(ctas) * bytes.max(APART)], passes(trips, 1, at))
        }
        "fma" if matches!(chains, 1 | 2 | 4) => {
            let program = vec![repeat(ENDLESS), chain(64 * chains, 4 / chains), chain(7, 3), Op::End];
            ("Independent chains of FP32 multiply-adds", &[], program)
        }
        _ => return None,
    };
    let arrays = arrays.iter().flat_map(|&bytes| [array("in", bytes), array("out", bytes)]).collect();
    let launch = Launch { grid: ctas.into(), threads, registers: 32, shared_bytes: 0, program, ..Launch::default() };
    Some(named(name, name, "silicon/interfere.cu", doc, arrays, vec![launch]))
}

/// All CTAs copy one array, each warp so many lines a trip.
fn copy(ctas: u32, threads: u32, bytes: u64, lines: u8) -> Option<Vec<Op>> {
    let lane = 4 * i64::from(lines);
    let (warp, cta) = (32 * lane, i64::from(threads) * lane);
    let trips = trips(bytes, u64::from(ctas) * cta as u64)?;
    Some(passes(trips, lines, |array| Address { loops: [0, i64::from(ctas) * cta, 0], ..words(array, cta, warp) }))
}

/// Passes over what each warp copies, a trip at a time: it waits for its loads before it stores them, and stores before it goes on.
fn passes(trips: u32, lines: u8, at: impl Fn(u8) -> Address) -> Vec<Op> {
    let line = |array, n: u8| Address { offset: 128 * i64::from(n), ..at(array) };
    let mut program = vec![repeat(ENDLESS), repeat(trips)];
    program.extend((0..lines).map(|n| load(line(0, n))));
    // An access of 16 bytes a lane is four of four here, for which some of the arithmetic makes room: a trip issues 15 instructions either way.
    let spared = 2 * (u32::from(lines) - 1);
    program.extend([chain(10 - spared, 2), ALL]);
    program.extend((0..lines).map(|n| store(line(1, n))));
    program.extend([chain(3, 14), Op::End, chain(15, 4), Op::End]);
    program
}

/// Trips that cover so many bytes.
fn trips(bytes: u64, of_a_trip: u64) -> Option<u32> {
    u32::try_from(bytes.div_ceil(of_a_trip)).ok().filter(|&trips| trips > 0 && trips < ENDLESS)
}
