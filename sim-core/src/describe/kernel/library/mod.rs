//! Kernels by name, one file each: which real kernel it is, what its Program takes from the source, and what the source leaves open.
//! `paper/NAME` is the kernel that a paper calls NAME; the four without a paper are for lessons and tests.
//!
//! Shapes, loops, loads, stores, strides, divergence and the use of shared memory are those of the benchmark's source. No source says
//! footprints, addresses that follow from data, the arithmetic of the paper's compiler and how far its results depend on each other. These
//! are chosen so that the kernel *alone* behaves as CCBP's Table 2 says (`tests/suite/kernels.rs`, docs/reference/kernels.md). Each `doc`
//! ends with them, after "Free:". Nothing here looks at how kernels share.
//!
//! "Factor" is how many times the instructions of a modern compile the Program issues. Table 2 needs 1.2 to 2.7 times as many nearly
//! everywhere, which a compiler of CCBP's time explains; only arithmetic is scaled, addresses and bytes stay.
//!
//! The programs of Parboil that the QoS paper runs (`parboil`) are written the same way; of them no paper prints what they do alone, and nothing is
//! calibrated.
//!
//! The programs of the HeteroCore paper (`hetero`) have the CTAs and the class that it prints of each alone (`tests/suite/sm_classes.rs`,
//! docs/reference/kernels-hetero.md).
//!
//! The programs of the IKRA paper (`ikra`) are sequences of launches, and have the bytes and the dependences that it prints (docs/reference/kernels-ikra.md).
//!
//! Those that a real GPU is measured with (`probe`) have the shape with which they are launched, so they stand in no list; but for those that a paper
//! on interference has measured (`interference`).
//!
//! The kernels of the latency prediction paper (`latency`) take as long alone, and ask for the bandwidth, that it prints (docs/reference/kernels-latency.md).

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
mod ikra_parts;
mod ikra_single;
mod interference;
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
mod parts;
mod pf;
pub mod probe;
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

use self::parts::Make;
use crate::describe::kernel::Kernel;
use crate::describe::path;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

const KERNELS: &[(&str, Make)] = &[
    ("ccbp/BFS", bfs::kernel),
    ("ccbp/BP", bp::kernel),
    ("ccbp/BT", bt::kernel),
    ("ccbp/CFD", cfd::kernel),
    ("ccbp/FTD", ftd::kernel),
    ("ccbp/HG", hg::kernel),
    ("ccbp/KM", km::kernel),
    ("ccbp/LAV", lav::kernel),
    ("ccbp/LBM", lbm::kernel),
    ("ccbp/PF", pf::kernel),
    ("ccbp/SAD", sad::kernel),
    ("ccbp/SMV", smv::kernel),
    ("ccbp/SRT", srt::kernel),
    ("qos/CUTCP", cutcp::kernel),
    ("qos/HISTO", histo::kernel),
    ("qos/LBM", lbm_p::kernel),
    ("qos/MRIG", mri_gridding::kernel),
    ("qos/MRIQ", mri_q::kernel),
    ("qos/SAD", sad_p::kernel),
    ("qos/SGEMM", sgemm::kernel),
    ("qos/SPMV", spmv::kernel),
    ("qos/STENCIL", stencil::kernel),
    ("qos/TPACF", tpacf::kernel),
    ("hetero/LAVAMD", lavamd::kernel),
    ("hetero/SYRK", syrk::kernel),
    ("hetero/KMEANS", kmeans::kernel),
    ("hetero/SYR2K", syrk::twice),
    ("hetero/NN", nn::kernel),
    ("hetero/SC", sc::kernel),
    ("hetero/FDTD3D", fdtd3d::kernel),
    ("hetero/NQU", nqu::kernel),
    ("hetero/STO", sto::kernel),
    ("hetero/BTREE", btree::kernel),
    ("hetero/DXTC", dxtc::kernel),
    ("hetero/HISTO", histo64::kernel),
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

/// Names of all kernels that stand in lists.
pub fn names() -> Vec<&'static str> {
    all().map(|kernel| kernel.0).chain(interference::NAMES.iter().copied()).collect()
}

/// The kernel of this name.
pub fn find(name: &str) -> Option<Kernel> {
    all().find(|kernel| kernel.0 == name).map(|kernel| kernel.1()).or_else(|| interference::find(name))
}

/// What to write in the place of a name that is none, with those that are near.
pub fn near(name: &str) -> String {
    let near = path::near(name, names().into_iter());
    let (how, which) = if near.is_empty() { ("such as", "ccbp/BP or VADD".to_string()) } else { ("perhaps", near.join(" or ")) };
    format!("the name of a kernel, {how} {which} (`corun list kernels` has all)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn each_name_is_one_kernels() {
        for name in names() {
            assert_eq!(find(name).map(|kernel| kernel.name).as_deref(), Some(name));
        }
        assert_eq!(names().into_iter().collect::<BTreeSet<&str>>().len(), names().len());
    }

    #[test]
    fn names_that_are_near() {
        for (name, want) in [
            ("bp", "perhaps ccbp/BP or ikra/BP"),
            ("qos/SGEM", "perhaps qos/SGEMM or ikra/SG"),
            ("HISTO-Q", "perhaps qos/HISTO or hetero/HISTO"),
            ("Flowers", "such as ccbp/BP or VADD"),
            ("", "such as ccbp/BP or VADD"),
        ] {
            assert_eq!(near(name), format!("the name of a kernel, {want} (`corun list kernels` has all)"));
        }
        assert_eq!(near("S").matches(" or ").count(), 4);
    }
}
