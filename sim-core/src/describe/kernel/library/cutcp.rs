//! qos/CUTCP: Coulomb potential with a cutoff.

use super::parboil::{broadcast, launch, sfu};
use super::parts::{ALL, alu, array, load, named, repeat, shared, store, words};
use crate::describe::kernel::{Address, Kernel, Op, Trips};
use alloc::vec;
use alloc::vec::Vec;

/// Regions of 8 × 8 × 8 points along each edge of the box.
const REGIONS: u32 = 26;
/// Bytes of a bin of atoms: eight of four words.
const BIN: i64 = 128;
/// Bins along each edge.
const BINS: i64 = 32;
/// Bins around a region that are within the cutoff; they are brought 32 at a time.
const NEIGHBOURS: u32 = 335;

/// Parboil `cutcp`: `cuda_cutoff_potential_lattice6overlap`, once for each plane of regions.
pub fn kernel() -> Kernel {
    // A warp brings four bins of each of its two halves, in two loads of half a line. Four rows of eight bins, the next plane in the next trip.
    let bin = |plane: i64, n: i64, half: i64| Address {
        offset: BIN * (plane * BINS * BINS + 2 * n) + 4 * half,
        cta: BIN,
        warp: BINS * BIN,
        loops: [BINS * BINS * BIN, 0, 0],
        lane: 8,
        ..Address::default()
    };
    let trip = |plane: i64, bins: u32| {
        let mut ops = vec![alu(12)];
        for n in 0..4 {
            ops.extend([load(bin(plane, n, 0)), load(bin(plane, n, 1)), ALL, shared(2)]);
        }
        // Each atom of a bin, for four points of the lattice: distances, comparisons, the potential and whether it counts.
        ops.extend([Op::Barrier, repeat(bins), alu(4), Op::Loop { trips: Trips::PerCta { min: 5, max: 8 } }]);
        ops.extend([broadcast(4), alu(80), sfu(8), Op::End, Op::End, Op::Barrier]);
        ops
    };
    let plane = |z: i64| {
        let mut program: Vec<Op> = vec![alu(30), repeat(NEIGHBOURS / 32)];
        program.extend(trip(z, 32));
        program.push(Op::End);
        program.extend(trip(z + i64::from(NEIGHBOURS / 32), NEIGHBOURS % 32));
        let region = |n: i64| Address { offset: 512 * n + z * i64::from(REGIONS * REGIONS) * 2048, ..words(1, 2048, 128) };
        program.extend((0..4).map(|n| store(region(n))));
        launch(REGIONS * REGIONS, 128, 32, 4116, program)
    };
    named(
        "qos/CUTCP",
        "Coulomb potential with a cutoff",
        "Parboil, cutcp/src/cuda/cutoff6overlap.cu, cuda_cutoff_potential_lattice6overlap; input watbox.sl100",
        "The potential of charged atoms at the points of a lattice. A CTA takes 8 × 8 × 8 points, a launch each plane of them. The CTA \
         brings the 335 bins of atoms within the cutoff into shared memory, 32 at a time, and adds each atom's part to four points of \
         every thread. Bound by arithmetic. From the source: the block, 32 registers, 4116 bytes of shared memory, loops, barriers, loads \
         of half a line, 26 launches of 26 × 26 CTAs. An atom takes 80 arithmetic and eight special-function instructions (a modern \
         compile selects and does not branch). Free: five to eight atoms a bin (their mean is 6.4), as many for all bins of a CTA; the \
         bins around a region as eleven blocks of four rows of eight.",
        vec![array("bins", (BINS * BINS * BINS * BIN) as u64), array("lattice", u64::from(REGIONS * REGIONS * REGIONS) * 2048)],
        (0..i64::from(REGIONS)).map(plane).collect(),
    )
}
