//! BP: back-propagation.

use super::{alu, array, load, named, store, words};
use crate::kernel::{Address, Kernel, Launch, Op, Trips};
use alloc::vec;

/// Input nodes: 65,536, 16 a CTA; hidden nodes: 16.
const CTAS: u32 = 4096;

/// Rodinia `backprop`: `bpnn_layerforward_CUDA`, then `bpnn_adjust_weights_cuda`.
pub fn kernel() -> Kernel {
    // A CTA's 16 × 16 weights lie in 16 rows of 17 words; a warp's 32 lanes cover two rows.
    let weights = |index| words(index, 16 * 17 * 4, 2 * 17 * 4);
    let inputs = Address { array: 0, cta: 64, lane: 4, ..Address::default() };
    let sums = Address { array: 2, cta: 64, lane: 4, ..Address::default() };
    let forward = vec![
        alu(14),
        Op::Load { address: inputs, lanes: 16 },
        load(weights(1)),
        Op::Wait { loads: 0 },
        Op::Shared { count: 2, stride: 1, lanes: 32 },
        Op::Barrier,
        alu(40),
        // The tree over 16 rows: 1, 2, 4, 8.
        Op::Loop { trips: Trips::Fixed(4) },
        Op::Shared { count: 2, stride: 1, lanes: 32 },
        alu(44),
        Op::Barrier,
        Op::End,
        store(weights(1)),
        alu(20),
        Op::Store { address: sums, lanes: 16 },
    ];
    let adjust = vec![
        alu(18),
        Op::Load { address: Address { array: 3, lane: 4, ..Address::default() }, lanes: 16 },
        Op::Load { address: inputs, lanes: 16 },
        load(weights(1)),
        load(weights(4)),
        Op::Wait { loads: 0 },
        alu(130),
        store(weights(1)),
        store(weights(4)),
    ];
    let weight_bytes = u64::from(CTAS) * 16 * 17 * 4;
    named(
        "BP",
        "Back-propagation",
        "Rodinia backprop; character after CCBP Table 2",
        "One layer of a neural network, forward and back. Forward: each CTA loads 16 inputs and a 16 × 16 tile of weights, multiplies them in shared \
         memory, adds them up in a tree with a barrier at each level, and writes the products and 16 partial sums. Back: each thread adjusts one \
         weight from delta, input and the last change. Much arithmetic (indices, powf) on little, streamed data: bound by issue.",
        vec![
            array("input", u64::from(CTAS) * 64),
            array("weights", weight_bytes),
            array("partial sums", u64::from(CTAS) * 64),
            array("delta", 128),
            array("last change", weight_bytes),
        ],
        vec![
            Launch { ctas: CTAS, threads: 256, registers: 21, shared_bytes: 1088, program: forward },
            Launch { ctas: CTAS, threads: 256, registers: 20, shared_bytes: 0, program: adjust },
        ],
    )
}
