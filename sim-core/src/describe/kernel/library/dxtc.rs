//! hetero/DXTC: compression of textures.

use super::hetero::{some_work, work};
use super::parboil::{broadcast, launch};
use super::parts::{ALL, array, load, named, repeat, shared, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op};
use alloc::vec;
use alloc::vec::Vec;

/// Blocks of 4 × 4 pixels of an image of 512 × 512, a CTA each, by launch: what 16 SMs take at once, 768 each, and the rest.
const LAUNCHES: [u32; 2] = [12_288, 4096];

/// CUDA SDK `dxtc`: `compress`.
pub fn kernel() -> Kernel {
    named(
        "hetero/DXTC",
        "DirectX texture compression",
        "CUDA SDK, dxtc/dxtc.cu, compress",
        "A CTA compresses 4 × 4 pixels. It fits a line through their colours. Then its 64 threads try 992 ways to give each pixel one of \
         four colours and 160 to give it one of three, 64 at a time. A tree finds the best. Nearly all is arithmetic on what shared memory \
         and constants hold. From the source: the block, 33 registers, 2048 bytes of shared memory, 16,384 CTAs in two launches of 12,288 \
         and 4096, the table of 4 KB that all CTAs read. 16 trips and three have a shared word and two constants for each pixel, by which \
         four lanes differ. There are six steps of two barriers. Free: arithmetic, some 250 instructions a trip.",
        vec![array("image", 1 << 20), array("permutations", 4096), array("result", 128 << 10)],
        LAUNCHES.map(compress).into(),
    )
}

fn compress(ctas: u32) -> Launch {
    // Half of a warp has a pixel each.
    let half = 16;
    let few = |count| Op::Shared { count, stride: 1, lanes: half };
    let mut program: Vec<Op> =
        vec![work(10), Op::Load { address: words(0, 64, 0), lanes: half }, ALL, some_work(30, half), few(12), Op::Barrier];
    program.extend([repeat(16), some_work(6, half), few(2), Op::End, Op::Barrier]);
    // 992 pairs of colours of four, one a thread and trip; then 160 of three, from shared memory.
    let colours = || [repeat(16), broadcast(1), Op::Shared { count: 2, stride: 4, lanes: 32 }, work(6), Op::End, work(150), Op::End];
    let permutations = Address { loops: [256, 0, 0], ..words(1, 0, 128) };
    program.extend([repeat(16), load(permutations), ALL, work(20)]);
    program.extend(colours());
    program.extend([Op::Barrier, repeat(3), shared(1), work(20)]);
    program.extend(colours());
    for lanes in [32, 16, 8, 4, 2, 1] {
        program.extend([Op::Barrier, Op::Shared { count: 2, stride: 1, lanes }, some_work(4, lanes), Op::Barrier]);
    }
    program.extend([some_work(20, 1), Op::Store { address: Address { array: 2, cta: 8, lane: 4, ..Address::default() }, lanes: 2 }]);
    launch(ctas, 64, 33, 2048, program)
}
