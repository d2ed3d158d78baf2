//! The programs of the IKRA paper (Huzaifa et al., ACM TACO 17(3), 2020) as sequences of launches, `ikra/` before its names for them.
//!
//! Grids, blocks, arrays, halos and the order of launches are those of the public sources at the sizes of its Table 3. They give the bytes
//! that it prints for each kernel (docs/reference/kernels-ikra.md has both, and where they differ). Registers, arithmetic and its latency
//! are not in the paper. They are as in the source where that says, chosen otherwise, and not calibrated. A thousand cycles pass between
//! launches; what the CPU does there takes no time.

use super::ikra_graphs::{color, dijkstra, mis, page_rank};
use super::ikra_iterative::{hotspot, kmeans, lud, needle, path_finder, srad_v1, srad_v2, stencil};
use super::ikra_micro::{large, medium, small, stealing};
use super::ikra_single::{backprop, convolution, lava, neighbours, sgemm};
use super::parts::Make;
use crate::describe::kernel::Kernel;

/// Names and makers, as the library lists them.
pub const KERNELS: &[(&str, Make)] = &[
    ("ikra/SMALL", small),
    ("ikra/MEDIUM", medium),
    ("ikra/LARGE", large),
    ("ikra/STEALING", stealing),
    ("ikra/HS", || hotspot(false)),
    ("ikra/KM", kmeans),
    ("ikra/LUD", lud),
    ("ikra/NW", needle),
    ("ikra/PF", || path_finder(false)),
    ("ikra/SD1", srad_v1),
    ("ikra/SD2", || srad_v2(false)),
    ("ikra/ST", || stencil(false)),
    ("ikra/BP", backprop),
    ("ikra/CP", convolution),
    ("ikra/LM", lava),
    ("ikra/NN", neighbours),
    ("ikra/SG", sgemm),
    ("ikra/DJ1", || dijkstra(true)),
    ("ikra/DJ2", || dijkstra(false)),
    ("ikra/CL1", || color(true)),
    ("ikra/CL2", || color(false)),
    ("ikra/MI1", || mis(true)),
    ("ikra/MI2", || mis(false)),
    ("ikra/PR1", || page_rank(true)),
    ("ikra/PR2", || page_rank(false)),
];

/// The program of that name with loads in the place of shared memory: each thread loads what it uses, so that dependences can be counted.
pub fn direct(name: &str) -> Option<Kernel> {
    match name {
        "ikra/HS" => Some(hotspot(true)),
        "ikra/PF" => Some(path_finder(true)),
        "ikra/SD2" => Some(srad_v2(true)),
        "ikra/ST" => Some(stencil(true)),
        _ => KERNELS.iter().find(|kernel| kernel.0 == name).map(|kernel| kernel.1()),
    }
}
