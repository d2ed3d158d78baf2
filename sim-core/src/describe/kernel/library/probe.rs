//! Kernels that fill one resource each and leave the others alone, of any shape: those of "Understanding GPU Resource Interference One Level Deeper"
//! (SoCC 2025), and those that `silicon/interfere.cu` measures on a real GPU.
//!
//! Instructions are those of the machine code for the GPU (`Code`). What follows from no source is the time from one of them to the next. It is chosen
//! by what each kernel takes *alone*. Nothing here looks at how kernels share.

use super::parts::{ALL, array, chain, load, named, repeat, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op, WARP_SIZE};
use alloc::vec;
use alloc::vec::Vec;

/// Instructions of the machine code for a GPU beside the accesses and the multiply-adds: so many, and cycles from one to the next.
#[derive(Debug)]
pub struct Code {
    /// Cycles of a sleep of 1 µs, and the loop around it.
    sleep: (u32, (u32, u32)),
    /// Of a trip of a copy: from the loads to the stores, and from these to the next trip; of a copy of a region, likewise.
    copy: [(u32, u32); 2],
    region: [(u32, u32); 2],
    /// Of a pass over what is copied.
    pass: (u32, u32),
    /// Multiply-adds of each chain in a pass, and what else it has.
    fma: (u32, &'static [(u32, u32)]),
    /// FP64 multiply-adds of each chain in a pass, and what else it has.
    fp64: (u32, (u32, u32)),
}

/// `silicon/interfere.cu` as compiled for an H100: a trip of a copy has 15 instructions, a pass of the chains seven. Alone (`silicon/h100.csv`) a trip in L1D takes 81 cycles, a pass of four
/// chains 278, one of a single FP64 chain 522.
pub const INTERFERE_ON_H100: Code = Code {
    // A nanosleep of 1 µs and its loop take 1.02: 2028 cycles of 1980 MHz.
    sleep: (2016, (3, 4)),
    copy: [(10, 2), (3, 14)],
    region: [(10, 2), (3, 14)],
    pass: (15, 4),
    fma: (64, &[(7, 3)]),
    fp64: (64, (7, 2)),
};

/// The rerun's kernels on an RTX 5090, by the issue slots that the source prints of each alone: 3.2 and 5.3 % for the copies, 82.7 for fma, of which 79.0 are multiply-adds, 7.7 for
/// fp64. By its times alone a trip in L1D takes 62 cycles.
pub const RERUN_ON_RTX_5090: Code = Code {
    sleep: (2448, (1, 4)),
    copy: [(6, 2), (3, 4)],
    region: [(2, 2), (3, 10)],
    pass: (15, 4),
    // Three more to 64: two of a fixed latency, and the branch.
    fma: (16, &[(2, 4), (1, 9)]),
    fp64: (1, (16, 4)),
};

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

/// The kernel of a name, launched so, in the code of a GPU; nothing for an unknown name, or a shape that it cannot have.
pub fn kernel(name: &str, shape: Shape, code: &Code) -> Option<Kernel> {
    let Shape { ctas, threads, bytes, chains } = shape;
    if ctas == 0 || threads == 0 || !threads.is_multiple_of(WARP_SIZE) {
        return None;
    }
    let (doc, arrays, program): (_, &[_], _) = match name {
        "sleep" => {
            let (cycles, (count, latency)) = code.sleep;
            ("Holds the slots of its warps", &[], vec![repeat(ENDLESS), Op::Sleep { cycles }, chain(count, latency), Op::End])
        }
        "dram" | "l2" | "copy" | "stream" => {
            ("A copy, one word a lane: a warp has one load in flight", &[bytes], copy(code, ctas, threads, bytes, 1)?)
        }
        "dram-wide" | "l2-wide" => ("A copy, 16 bytes a lane", &[bytes], copy(code, ctas, threads, bytes, 4)?),
        "l1" | "region" => {
            let trips = trips(bytes, u64::from(threads) * 4)?;
            let at = |array| Address { loops: [0, i64::from(threads) * 4, 0], ..words(array, bytes.max(APART) as i64, 128) };
            ("Each CTA copies a region of its own", &[u64::from(ctas) * bytes.max(APART)], passes(code, &code.region, trips, 1, at))
        }
        "fma" if matches!(chains, 1 | 2 | 4) => {
            let (of_each, more) = code.fma;
            let mut program = vec![repeat(ENDLESS), chain(of_each * chains, 4 / chains)];
            program.extend(more.iter().map(|&(count, latency)| chain(count, latency)));
            program.push(Op::End);
            ("Independent chains of FP32 multiply-adds", &[], program)
        }
        "fp64" if matches!(chains, 1 | 2 | 4 | 8) => {
            let (of_each, (count, latency)) = code.fp64;
            let adds = Op::Fp64 { count: of_each * chains, latency: 8 / chains, lanes: WARP_SIZE };
            ("Independent chains of FP64 multiply-adds", &[], vec![repeat(ENDLESS), adds, chain(count, latency), Op::End])
        }
        _ => return None,
    };
    let arrays = arrays.iter().flat_map(|&bytes| [array("in", bytes), array("out", bytes)]).collect();
    let launch = Launch { grid: ctas.into(), threads, registers: 32, shared_bytes: 0, program, ..Launch::default() };
    Some(named(name, name, "silicon/interfere.cu", doc, arrays, vec![launch]))
}

/// All CTAs copy one array, each warp so many lines a trip.
fn copy(code: &Code, ctas: u32, threads: u32, bytes: u64, lines: u8) -> Option<Vec<Op>> {
    let lane = 4 * i64::from(lines);
    let (warp, cta) = (32 * lane, i64::from(threads) * lane);
    let trips = trips(bytes, u64::from(ctas) * cta as u64)?;
    Some(passes(code, &code.copy, trips, lines, |array| Address { loops: [0, i64::from(ctas) * cta, 0], ..words(array, cta, warp) }))
}

/// Passes over what each warp copies, a trip at a time: it waits for its loads before it stores them, and stores before it goes on.
fn passes(code: &Code, trip: &[(u32, u32); 2], trips: u32, lines: u8, at: impl Fn(u8) -> Address) -> Vec<Op> {
    let line = |array, n: u8| Address { offset: 128 * i64::from(n), ..at(array) };
    let mut program = vec![repeat(ENDLESS), repeat(trips)];
    program.extend((0..lines).map(|n| load(line(0, n))));
    // An access of 16 bytes a lane is four of four here, for which some of the arithmetic makes room: a trip issues as many instructions either way.
    let spared = 2 * (u32::from(lines) - 1);
    let [(before, apart), (after, apart_after)] = *trip;
    program.extend([chain(before - spared, apart), ALL]);
    program.extend((0..lines).map(|n| store(line(1, n))));
    program.extend([chain(after, apart_after), Op::End, chain(code.pass.0, code.pass.1), Op::End]);
    program
}

/// Trips that cover so many bytes.
fn trips(bytes: u64, of_a_trip: u64) -> Option<u32> {
    u32::try_from(bytes.div_ceil(of_a_trip)).ok().filter(|&trips| trips > 0 && trips < ENDLESS)
}
