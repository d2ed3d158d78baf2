//! qos/MRIQ: the matrix Q of an MRI reconstruction.

use super::parboil::{broadcast, launch, sfu};
use super::parts::{ALL, alu, array, load, named, repeat, store, words};
use crate::describe::kernel::{Kernel, Op};
use alloc::vec;

/// Samples, and how many of them a launch has as constants.
const SAMPLES: u32 = 2048;
const CONSTANTS: u32 = 1024;
/// Points: 64 × 64 × 64.
const POINTS: u32 = 64 * 64 * 64;

/// Parboil `mri-q`: `ComputePhiMag_GPU`, then `ComputeQ_GPU` for each 1024 samples.
pub fn kernel() -> Kernel {
    let input = |array: u8| load(words(array, 2048, 128));
    let magnitude = vec![alu(8), input(0), input(1), ALL, alu(3), store(words(2, 2048, 128))];
    let own = |array: u8| words(array, 1024, 128);
    let mut sum = vec![alu(12)];
    sum.extend((3..8).map(|array| load(own(array))));
    // Two samples a trip: four constants each, a sine and a cosine each.
    sum.extend([ALL, repeat(CONSTANTS / 2), broadcast(8), alu(12), sfu(4), alu(3), Op::End]);
    sum.extend([store(own(6)), store(own(7))]);
    let q = launch(POINTS / 256, 256, 22, 0, sum);
    let samples = u64::from(SAMPLES) * 4;
    let points = u64::from(POINTS) * 4;
    named(
        "qos/MRIQ",
        "Matrix Q of an MRI reconstruction",
        "Parboil, mri-q/src/cuda/computeQ.cu, ComputePhiMag_GPU and ComputeQ_GPU; input 64_64_64",
        "A thread for each point sums sines and cosines over all samples, which are constants: nothing but arithmetic and the \
         special-function unit. From the source: blocks, registers, four CTAs of ComputePhiMag, then two launches of 1024 CTAs, each over \
         1024 samples, two a trip. A trip has eight constants, 12 arithmetic and four special-function instructions (built with fast \
         sines). Free: three instructions a trip for the loop.",
        vec![
            array("phi real", samples),
            array("phi imaginary", samples),
            array("phi", samples),
            array("x", points),
            array("y", points),
            array("z", points),
            array("q real", points),
            array("q imaginary", points),
        ],
        vec![launch(SAMPLES / 512, 512, 8, 0, magnitude), q.clone(), q],
    )
}
