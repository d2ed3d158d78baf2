//! Kernels by name, one file each: which real kernel it is, what its Program takes from the source, and what the source leaves open.
//!
//! Shapes, loops, loads, stores, strides, divergence and the use of shared memory are those of the benchmark's source. What no source says
//! (footprints, addresses that follow from data, the arithmetic of the paper's compiler and how far its results depend on each other) is
//! chosen so that the kernel *alone* behaves as CCBP's Table 2 says (`tests/suite/kernels.rs`, docs/kernels.md): each `doc` ends with it, after
//! "Free:". Nothing here looks at how kernels share.
//!
//! "Factor" is how many times the instructions of a modern compile the Program issues. Table 2 needs 1.2 to 2.7 times as many nearly
//! everywhere, which a compiler of CCBP's time explains; only arithmetic is scaled, addresses and bytes stay.
//!
//! The programs of Parboil that the QoS paper runs (`parboil`, names that end in `-P`) are written the same way; of them no paper prints what
//! they do alone, and nothing is calibrated.
//!
//! The programs of the HeteroCore paper (`hetero`) have the CTAs and the class that it prints of each alone (`tests/suite/sm_classes.rs`,
//! docs/kernels-hetero.md).
//!
//! The programs of the IKRA paper (`ikra`) are sequences of launches, and have the bytes and the dependences that it prints (docs/kernels-ikra.md).
//!
//! The kernels of the latency prediction paper (`latency`) take as long alone, and ask for the bandwidth, that it prints (docs/kernels-latency.md).

mod basics;
mod bfs;
mod bp;
mod bt;
mod btree;
mod cfd;
mod cutcp;
mod dxtc;
mod fdtd3d;
mod ftd;
mod hetero;
mod hg;
mod histo;
mod histo64;
pub mod ikra;
mod ikra_graphs;
mod ikra_iterative;
mod ikra_micro;
mod ikra_single;
mod km;
mod kmeans;
mod latency;
mod lav;
mod lavamd;
mod lbm;
mod lbm_p;
mod mri_gridding;
mod mri_q;
mod nn;
mod nqu;
mod parboil;
mod pf;
mod sad;
mod sad_p;
mod sc;
mod sgemm;
mod smv;
mod spmv;
mod srt;
mod stencil;
mod sto;
mod syrk;
mod tpacf;

use super::{Address, Array, Kernel, Launch, Op, Trips};
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
    ("CUTCP-P", cutcp::kernel),
    ("HISTO-P", histo::kernel),
    ("LBM-P", lbm_p::kernel),
    ("MRIG-P", mri_gridding::kernel),
    ("MRIQ-P", mri_q::kernel),
    ("SAD-P", sad_p::kernel),
    ("SGEMM-P", sgemm::kernel),
    ("SPMV-P", spmv::kernel),
    ("STENCIL-P", stencil::kernel),
    ("TPACF-P", tpacf::kernel),
    ("LAVAMD-H", lavamd::kernel),
    ("SYRK", syrk::kernel),
    ("KMEANS-H", kmeans::kernel),
    ("SYR2K", syrk::twice),
    ("NN", nn::kernel),
    ("SC", sc::kernel),
    ("FDTD3D", fdtd3d::kernel),
    ("NQU", nqu::kernel),
    ("STO", sto::kernel),
    ("BTREE-H", btree::kernel),
    ("DXTC", dxtc::kernel),
    ("HISTO-H", histo64::kernel),
    ("VADD", basics::vector_add),
    ("SAXPY", basics::saxpy),
    ("COPY", basics::copy),
    ("MATVEC", basics::matrix_vector),
    ("latency/VADD", latency::vector_add),
    ("latency/SAXPY", latency::saxpy),
    ("latency/COPY", latency::copy),
    ("latency/RAYTRACE", latency::ray_trace),
    ("latency/DXTC", latency::dxtc),
    ("latency/CONV", latency::convolution),
    ("latency/MVT", latency::matrix_vector),
    ("latency/PF", latency::path_finder),
];

fn all() -> impl Iterator<Item = &'static (&'static str, Make)> {
    KERNELS.iter().chain(ikra::KERNELS)
}

/// Names of all kernels.
pub fn names() -> Vec<&'static str> {
    all().map(|kernel| kernel.0).collect()
}

/// The kernel of that name.
pub fn find(name: &str) -> Option<Kernel> {
    all().find(|kernel| kernel.0 == name).map(|kernel| kernel.1())
}

/// An array of `bytes`.
fn array(name: &str, bytes: u64) -> Array {
    Array { name: name.to_string(), bytes, read_only: false }
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

/// `count` arithmetic instructions of all lanes, `latency` cycles from one to the next.
fn chain(count: u32, latency: u32) -> Op {
    Op::Alu { count, latency, lanes: 32 }
}

/// Waits for every load.
const ALL: Op = Op::Wait { loads: 0 };

/// `count` accesses of shared memory, lanes a word apart.
fn shared(count: u32) -> Op {
    Op::Shared { count, stride: 1, lanes: 32 }
}

/// Begins a loop of `trips`.
fn repeat(trips: u32) -> Op {
    Op::Loop { trips: Trips::Fixed(trips) }
}

/// Begins what one warp in `one_in` does, `trips` times.
fn some_warps(trips: u32, one_in: u32) -> Op {
    Op::Loop { trips: Trips::SomeWarps { trips, one_in } }
}

/// A kernel of one or more launches.
fn named(name: &str, title: &str, source: &str, doc: &str, arrays: Vec<Array>, launches: Vec<Launch>) -> Kernel {
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
