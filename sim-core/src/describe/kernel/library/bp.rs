//! ccbp/BP: back-propagation.

use super::parts::{ALL, array, chain, load, named, shared, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op};
use alloc::vec;
use alloc::vec::Vec;

/// Input nodes, 16 a CTA; hidden nodes: 16.
const INPUTS: u32 = 65_536;

/// Cycles from an arithmetic instruction to the next.
const LATENCY: u32 = 5;

/// Rodinia `backprop`: `bpnn_layerforward_CUDA`.
pub fn kernel() -> Kernel {
    let work = |count| chain(count, LATENCY);
    let few = |count, lanes| Op::Alu { count, latency: LATENCY, lanes };
    let some = |count, lanes| Op::Shared { count, stride: 1, lanes };
    // Rows are 17 floats apart, the first column is skipped: a warp's two rows are misaligned, two lines for each access.
    let weights = Address { offset: 72, ..words(1, 1088, 136) };
    // The two lanes of column 0.
    let input = Address { offset: 4, ..words(0, 64, 8) };
    let sums = words(2, 64, 8);

    let mut program = vec![work(14), Op::Load { address: input, lanes: 2 }, ALL, few(2, 2), some(1, 2), Op::Barrier];
    program.extend([work(17), load(weights), ALL, shared(1), Op::Barrier]);
    program.extend([work(29), shared(2), work(2), shared(1), Op::Barrier]);
    // The tree over 16 rows: all evaluate the condition, then half of the rows add, a quarter, an eighth, two; by warp, on average.
    for lanes in [16, 8, 4, 2] {
        program.extend([work(8), some(2, lanes), few(2, lanes), some(1, lanes), Op::Barrier]);
    }
    program.extend([work(23), shared(1), store(weights), Op::Barrier]);
    program.extend([work(20), some(1, 2), few(5, 2), Op::Store { address: sums, lanes: 2 }]);
    let ctas = INPUTS / 16;
    let arrays: Vec<_> = vec![
        array("input", u64::from(ctas) * 64 + 128),
        array("weights", u64::from(ctas) * 1088 + 128),
        array("partial sums", u64::from(ctas) * 64),
    ];
    named(
        "ccbp/BP",
        "Back-propagation",
        "Rodinia 3.1, cuda/backprop/backprop_cuda_kernel.cu, bpnn_layerforward_CUDA",
        "One layer of a neural network, forward. A CTA of 16 × 16 threads loads 16 inputs and a tile of weights into shared memory. It \
         multiplies, adds the products up in a tree over the rows, and writes products and partial sums. From the source: the block, 1088 \
         bytes of shared memory, 8 barriers, rows of 17 floats (each warp's access is misaligned and takes two lines), and the default of \
         65,536 inputs. Inputs and sums are by one lane of each row. Half of the lanes are at work in the first step of the tree and fewer \
         in each after it. Free: arithmetic (factor 1.35) and its latency (5 cycles).",
        arrays,
        vec![Launch { grid: ctas.into(), threads: 256, registers: 20, shared_bytes: 1088, program, ..Launch::default() }],
    )
}
