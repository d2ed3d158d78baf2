//! hetero/NN: a neural network that recognises digits.

use super::hetero::some_work;
use super::parboil::launch;
use super::parts::{ALL, array, named, repeat};
use crate::describe::kernel::{Address, Kernel, Launch, Op};
use alloc::vec;
use alloc::vec::Vec;

/// Images: the training set of MNIST.
const IMAGES: i64 = 60_000;
/// Bytes of an image, 29 × 29 words, of a map of the first layer, 13 × 13, and of one of the second, 5 × 5.
const IMAGE: i64 = 29 * 29 * 4;
const FIRST: i64 = 13 * 13 * 4;
const SECOND: i64 = 5 * 5 * 4;
/// Maps of both layers.
const MAPS: i64 = 6;
const MORE_MAPS: i64 = 50;

/// ISPASS 2009 `NN`: `executeFirstLayer`, `executeSecondLayer`.
pub fn kernel() -> Kernel {
    let bytes = |each: i64| (IMAGES * each) as u64;
    named(
        "hetero/NN",
        "Neural network, two layers of convolution",
        "GPGPU-Sim's ISPASS 2009 benchmarks, NN/NN_kernel.cu, executeFirstLayer and executeSecondLayer",
        "Digits go through two layers of convolution. In the first a CTA computes one of six maps of an image. It has 13 × 13 neurons, \
         each from 5 × 5 pixels that it shares with the neurons beside it. In the second a CTA of one warp computes one of 50 maps of 5 × \
         5 neurons, from six maps. The paper counts two kernels where the source has four layers, and prints the CTAs of the first: these \
         are the first two. From the source: blocks of 13 × 13 and 5 × 5, loops, loads of neurons and of weights, strides, one store, \
         registers (16, 32). Not as in the source: rows of an image lie so that a warp's pixels are evenly spaced. Free: 60,000 images, a \
         row of five pixels at a time, arithmetic. The source's default are 28 images; with 60,000 the first layer takes more than ten \
         million cycles.",
        vec![
            array("images", bytes(IMAGE)),
            array("first weights", (MAPS * 26 * 4) as u64),
            array("first layer", bytes(MAPS * FIRST)),
            array("second weights", (MORE_MAPS * (MAPS * 25 + 1) * 4) as u64),
            array("second layer", bytes(MORE_MAPS * SECOND)),
        ],
        vec![first(), second()],
    )
}

/// A CTA for each map of each image, a thread for each of its 13 × 13 neurons.
fn first() -> Launch {
    let lanes = 29;
    let one = |array: u8, cta: i64| Address { array, cta, ..Address::default() };
    // Six CTAs read one image. A warp's 32 neurons are two and a half rows of 13, two words apart; rows are two of the image apart.
    let row = 29 * 4;
    let pixel =
        |n: i64| Address { offset: 4 * n, cta: IMAGE / MAPS, warp: 32 * 2 * row / 13, loops: [row, 0, 0], lane: 2 * row / 13, ..one(0, 0) };
    let weight = |n: i64| Address { loops: [20, 0, 0], offset: 4 + 4 * n, ..one(1, 26 * 4) };
    let mut program: Vec<Op> = vec![some_work(14, lanes), Op::Load { address: one(1, 26 * 4), lanes }, ALL, repeat(5), some_work(2, lanes)];
    for n in 0..5 {
        program.extend([Op::Load { address: pixel(n), lanes }, Op::Load { address: weight(n), lanes }]);
    }
    program.extend([ALL, some_work(10, lanes), Op::End, some_work(20, lanes)]);
    program.push(Op::Store { address: Address { array: 2, cta: FIRST, warp: 128, lane: 4, ..Address::default() }, lanes });
    launch((MAPS * IMAGES) as u32, 169, 16, 0, program)
}

/// A CTA of one warp for each of 50 maps of each image, a thread for each of its 5 × 5 neurons.
fn second() -> Launch {
    let lanes = 25;
    let row = 13 * 4;
    let weights = (MAPS * 25 + 1) * 4;
    let neuron = |map: i64| Address {
        array: 2,
        offset: map * FIRST,
        cta: MAPS * FIRST / MORE_MAPS,
        loops: [row, 4, 0],
        lane: 2 * row / 5,
        ..Address::default()
    };
    let weight = |map: i64| Address { array: 3, offset: 4 + map * 100, cta: weights, loops: [20, 4, 0], ..Address::default() };
    let mut program: Vec<Op> = vec![some_work(14, lanes), repeat(5), some_work(2, lanes), repeat(5)];
    program.push(Op::Shared { count: 1, stride: 0, lanes });
    for map in 0..MAPS {
        program.extend([Op::Load { address: neuron(map), lanes }, Op::Load { address: weight(map), lanes }]);
    }
    program.extend([ALL, some_work(15, lanes), Op::End, Op::End, some_work(20, lanes)]);
    program.push(Op::Store { address: Address { array: 4, cta: SECOND, lane: 4, ..Address::default() }, lanes });
    launch((MORE_MAPS * IMAGES) as u32, 25, 32, 0, program)
}
