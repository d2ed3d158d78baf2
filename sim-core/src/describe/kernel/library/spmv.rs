//! qos/SPMV: a sparse matrix times a vector.

use super::parts::named;
use super::smv;
use crate::describe::kernel::Kernel;
use alloc::vec;

/// Parboil `spmv`: one of its 50 launches.
pub fn kernel() -> Kernel {
    named(
        "qos/SPMV",
        "Sparse matrix-vector product, as compiled",
        "Parboil, spmv/src/cuda/jds_kernels.cu, spmv_jds; input large (Dubcova3)",
        "The kernel of ccbp/SMV (there in full) with the arithmetic that a modern compile has. From the source: as ccbp/SMV; 13 arithmetic instructions for each \
         element, the low end of the range that ccbp/SMV's source leaves. Free: the columns, as in ccbp/SMV.",
        smv::arrays(),
        vec![smv::launch(5, 8)],
    )
}
