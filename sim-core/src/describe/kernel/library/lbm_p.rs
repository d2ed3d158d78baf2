//! qos/LBM: lattice Boltzmann, both directions of its two grids.

use super::lbm;
use super::parts::named;
use crate::describe::kernel::Kernel;

/// Parboil `lbm`: two of its 3000 time steps.
pub fn kernel() -> Kernel {
    named(
        "qos/LBM",
        "Lattice Boltzmann method, two time steps",
        "Parboil, lbm/src/cuda/lbm_kernel.cu, performStreamCollide_kernel; input long",
        "The kernel of ccbp/LBM (there in full) as a program: each launch reads the grid that the one before wrote. From the source: as ccbp/LBM; 210 arithmetic \
         instructions a cell and three divisions. Free: nothing.",
        lbm::arrays(),
        [(0, 1), (1, 0)].map(|(from, to)| lbm::launch(from, to, 210, 3)).into(),
    )
}
