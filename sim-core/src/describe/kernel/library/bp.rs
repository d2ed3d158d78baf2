//! BP: back-propagation.

use super::{array, broadcast, independent, load, named, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Trips};
use alloc::vec;
use alloc::vec::Vec;

/// Input nodes: 65,536, eight rows of weights a CTA; hidden nodes: 16.
const CTAS: u32 = 8192;

/// Levels of the tree that adds up eight rows, and one for the sigmoid.
const LEVELS: u32 = 4;

/// Rodinia `backprop`: `bpnn_layerforward_CUDA`, then `bpnn_adjust_weights_cuda`.
pub fn kernel() -> Kernel {
    // A CTA's 16 × 8 weights, two rows a warp, without the seventeenth word of Rodinia's rows: a warp's weights are one line.
    let weights = |index| words(index, 512, 128);
    let half_line = |address: Address| Op::Load { address, lanes: 16 };
    let inputs = || half_line(Address { array: 0, cta: 64, lane: 4, ..Address::default() });
    // A load, and what depends on it before the next.
    let step = |load: Op| [load, Op::Wait { loads: 0 }, independent(38, 32)];
    let sum = Op::Store { address: Address { array: 2, cta: 64, lane: 4, ..Address::default() }, lanes: 16 };

    let mut forward = vec![independent(10, 32)];
    forward.extend(step(inputs()));
    forward.extend(step(load(weights(1))));
    forward.extend([Op::Shared { count: 2, stride: 1, lanes: 32 }, Op::Barrier, Op::Loop { trips: Trips::Fixed(LEVELS) }]);
    forward.extend(step(load(broadcast(5, i64::from(LEVELS) * 128, [128, 0, 0]))));
    forward.extend([Op::Shared { count: 1, stride: 1, lanes: 32 }, Op::Barrier, Op::End, store(weights(1)), sum]);

    let mut adjust = vec![independent(10, 32)];
    adjust.extend(step(half_line(Address { array: 3, lane: 4, ..Address::default() })));
    adjust.extend(step(inputs()));
    adjust.extend(step(load(weights(1))));
    adjust.push(Op::Loop { trips: Trips::Fixed(5) });
    adjust.extend(step(load(broadcast(6, 4480, [128, 0, 0]))));
    adjust.push(Op::End);
    adjust.extend(step(load(weights(4))));
    adjust.extend([store(weights(1)), store(weights(4))]);

    let weight_bytes = u64::from(CTAS) * 512;
    // Shared memory: products and inputs in double precision, padded; it lets eight CTAs be resident.
    let launch = |program: Vec<Op>| Launch { ctas: CTAS, threads: 128, registers: 52, shared_bytes: 12_000, program };
    named(
        "BP",
        "Back-propagation",
        "Rodinia backprop; character after CCBP Table 2",
        "One layer of a neural network, forward and back. Forward: each CTA loads inputs and a tile of weights, multiplies them in shared memory, adds \
         them up in a tree with a barrier at each level, and writes products and partial sums. Back: each thread adjusts one weight from delta, input, \
         slope and the last change. Much arithmetic on streamed data, in a chain of dependent loads of which most are of lines that all warps of the \
         CTA share: the issue slots are well used, and yet the time is that of the chain.",
        vec![
            array("input", u64::from(CTAS) * 64),
            array("weights", weight_bytes),
            array("partial sums", u64::from(CTAS) * 64),
            array("delta", 4096),
            array("last change", weight_bytes),
            array("products", u64::from(CTAS * LEVELS) * 128),
            array("slopes", 256 << 10),
        ],
        vec![launch(forward), launch(adjust)],
    )
}
