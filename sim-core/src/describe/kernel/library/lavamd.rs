//! hetero/LAVAMD: particles in boxes, on Fermi.

use super::lav;
use super::parts::named;
use crate::describe::kernel::Kernel;
use alloc::vec;

/// Rodinia `lavaMD`: `kernel_gpu_cuda`.
pub fn kernel() -> Kernel {
    named(
        "hetero/LAVAMD",
        "Forces between particles in boxes, with the registers of Fermi",
        "Rodinia 3.1, cuda/lavaMD/kernel/kernel_gpu_cuda.cu, kernel_gpu_cuda",
        "The kernel of ccbp/LAV (there in full). Its authors print of it alone, on a later GPU, that it loads the NoC and hardly DRAM. \
         From the source: as ccbp/LAV. Free: as ccbp/LAV; 40 registers, of which 6, 9 and 3 CTAs follow (the source is double precision, \
         and a modern compiler takes 53 for it).",
        lav::arrays(),
        vec![lav::launch(40)],
    )
}
