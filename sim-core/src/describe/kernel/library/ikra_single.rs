//! The five programs that do not iterate.

use super::ikra_parts::{Matrix, constant, launch, load_by, looped, plane, program, store_by, terms};
use super::parts::{ALL, alu, array, repeat, shared};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Repeat};
use alloc::vec;
use alloc::vec::Vec;

/// Launches that do not repeat.
fn once(launches: Vec<Launch>) -> (Vec<Launch>, Vec<Repeat>) {
    (launches, Vec::new())
}

/// Rodinia `backprop`: forward through one layer, then new weights.
pub fn backprop() -> Kernel {
    let weights = Matrix(17, 32_769, 68);
    let block = |array| weights.at(array, 16, terms(1, [0, 0], 0), terms(1, [0, 16], 2));
    let inputs = |lanes| Matrix::dense(32_769, 1).at(0, lanes, terms(1, [0, 16], 0), terms(0, [0, 0], 0));
    let sums = Matrix::dense(16, 2048).at(3, 16, terms(0, [0, 0], 0), terms(0, [0, 1], 0));
    let delta = Matrix::dense(17, 1).at(4, 16, terms(1, [0, 0], 0), terms(0, [0, 0], 0));
    let mut forward = vec![alu(15), load_by(16, inputs(16)), load_by(32, block(1)), ALL, shared(3), Op::Barrier, alu(2), Op::Barrier];
    forward.push(repeat(4));
    forward.extend([alu(6), shared(2), Op::Barrier, Op::End, shared(1), store_by(32, block(1)), Op::Barrier, alu(4), store_by(16, sums)]);
    // Two values of the input a warp, one for each of its rows.
    let own = Matrix::dense(32_769, 1).at(0, 2, terms(1, [0, 16], 2), terms(0, [0, 0], 0));
    let adjust = vec![
        alu(15),
        load_by(16, delta),
        load_by(2, own),
        load_by(32, block(2)),
        load_by(32, block(1)),
        ALL,
        alu(8),
        store_by(32, block(1)),
        store_by(32, block(2)),
        Op::Barrier,
    ];
    let matrix = 32_769 * 68;
    program(
        "ikra/BP",
        "Back propagation: forward, then new weights",
        "Rodinia 3.1, cuda/backprop/backprop_cuda.cu, bpnn_layerforward_CUDA, bpnn_adjust_weights_cuda; sizes of Huzaifa et al., Table 3",
        "A block has 16 rows of the weights of 32768 inputs and 16 hidden units. From the source: grid, blocks, loads, stores (products back into the weights), tree, barriers. \
         Free: arithmetic, registers. Left out: row and column 0, what the CPU does between the launches.",
        vec![
            constant("input", 32_772 * 4),
            array("weights", matrix),
            array("old weights", matrix),
            array("partial sums", 2048 * 64),
            constant("delta", 128),
        ],
        once(vec![launch(plane(1, 2048), 256, 20, 1088, forward), launch(plane(1, 2048), 256, 20, 0, adjust)]),
        Vec::new(),
    )
}

/// CUDA samples `convolutionSeparable`: rows, then columns.
pub fn convolution() -> Kernel {
    let image = Matrix::dense(1024, 512);
    let bytes = 1024 * 512 * 4;
    let taps = |program: &mut Vec<Op>, to: Address| {
        program.extend([ALL, Op::Barrier, repeat(8), shared(17), alu(36), store_by(32, to), Op::End]);
    };
    let across = |array, at| image.at(array, 16, looped(terms(at, [128, 0], 0), 1, 16), terms(0, [0, 4], 2));
    let mut rows = vec![alu(15), repeat(10), load_by(32, across(0, -16)), shared(1), alu(2), Op::End];
    taps(&mut rows, across(1, 0));
    let down = |array, at| image.at(array, 16, terms(0, [16, 0], 0), looped(terms(at, [0, 64], 2), 1, 8));
    let mut columns = vec![alu(15), repeat(10), load_by(32, down(1, -8)), shared(1), alu(2), Op::End];
    taps(&mut columns, down(2, 0));
    program(
        "ikra/CP",
        "Separable convolution: rows, then columns",
        "CUDA samples, convolutionSeparable.cu, convolutionRowsKernel, convolutionColumnsKernel; sizes of Huzaifa et al., Table 3",
        "Radius 8, eight results a thread; the second launch reads what the first wrote. From the source: grids, blocks, shared memory, ten loads and eight stores a thread, 17 \
         taps. Free: two instructions a tap, registers; filters in constant memory are not read from here.",
        vec![constant("input", bytes), array("buffer", bytes), array("output", bytes)],
        once(vec![launch(plane(8, 128), 64, 24, 2560, rows), launch(plane(64, 8), 128, 24, 5184, columns)]),
        Vec::new(),
    )
}

/// Rodinia `lavaMD`: eight boxes of a hundred particles.
pub fn lava() -> Kernel {
    let own = |array, bytes: i64, offset| Address { array, offset, cta: 100 * bytes, warp: 25 * bytes, lane: bytes, ..Address::default() };
    let of_box = |array, bytes: i64, offset| Address { loops: [100 * bytes, 0, 0], cta: 0, ..own(array, bytes, offset) };
    let half = |address| load_by(25, address);
    let mut work = vec![alu(20), half(own(0, 32, 0)), half(own(0, 32, 16)), ALL, shared(4), Op::Barrier, repeat(8)];
    work.extend([load_by(1, Address { array: 3, cta: 656, loops: [24, 0, 0], ..Address::default() }), ALL, alu(10)]);
    work.extend([half(of_box(0, 32, 0)), half(of_box(0, 32, 16)), half(of_box(1, 8, 0)), ALL, shared(5), Op::Barrier]);
    work.extend([repeat(100), shared(5), alu(25), Op::Sfu { count: 2, latency: 16, lanes: 25 }, Op::End]);
    work.extend([half(own(2, 32, 0)), half(own(2, 32, 16)), ALL, alu(4)]);
    work.extend([store_by(25, own(2, 32, 0)), store_by(25, own(2, 32, 16)), Op::Barrier, Op::End]);
    program(
        "ikra/LM",
        "Particles in boxes, all boxes neighbours",
        "Rodinia 3.1, cuda/lavaMD/kernel/kernel_gpu_cuda.cu; sizes of Huzaifa et al., Table 3",
        "A block has a box of 100 particles, and meets those of all eight. From the source: grid, block, 7200 bytes of shared memory, positions of 32 bytes, charges of eight, \
         boxes of 656, barriers. Free: 27 instructions a pair; the force is added up once a box, not for each pair; every second word of a double is not \
         asked for (the lines are the same).",
        vec![constant("positions", 25_600), constant("charges", 6400), array("forces", 25_600), constant("boxes", 5248)],
        once(vec![launch(8, 128, 32, 7200, work)]),
        Vec::new(),
    )
}

/// Rodinia `nn`: distances.
pub fn neighbours() -> Kernel {
    let records = Matrix::dense(2, 171_056);
    let of = |x| load_by(32, records.at(0, 1, terms(x, [0, 0], 0), terms(0, [256, 0], 32)));
    let to = Matrix::dense(171_056, 1).at(1, 32, terms(0, [256, 0], 32), terms(0, [0, 0], 0));
    let work = vec![alu(12), of(0), of(1), ALL, alu(6), Op::Sfu { count: 1, latency: 16, lanes: 32 }, store_by(32, to), alu(2)];
    program(
        "ikra/NN",
        "Nearest neighbour: distances",
        "Rodinia 3.1, cuda/nn/nn_cuda.cu, euclid; sizes of Huzaifa et al., Table 3",
        "A thread for each of 171056 records: two loads, eight bytes apart, a root, a store. From the source: grid, block, loads, store. Free: arithmetic, registers.",
        vec![constant("records", 171_056 * 8), array("distances", 171_056 * 4)],
        once(vec![launch(669, 256, 16, 0, work)]),
        Vec::new(),
    )
}

/// Parboil `sgemm`: tiles of 128 × 16.
pub fn sgemm() -> Kernel {
    let (m, n, k) = (1024, 992, 1056);
    let a = Matrix::dense(m, k).at(0, 32, terms(0, [128, 0], 32), looped(looped(terms(0, [0, 0], 0), 1, 8), 2, 1));
    let b = Matrix::dense(n, k).at(1, 16, terms(0, [0, 16], 0), looped(terms(0, [0, 0], 2), 1, 8));
    let c = Matrix::dense(m, n).at(2, 32, terms(0, [128, 0], 32), looped(terms(0, [0, 16], 0), 1, 1));
    let mut work = vec![alu(20), repeat(k / 8), load_by(32, b), ALL, shared(1), Op::Barrier, repeat(8)];
    work.extend([load_by(32, a), ALL, Op::Shared { count: 16, stride: 0, lanes: 32 }, alu(17), Op::End, Op::Barrier, alu(4), Op::End]);
    work.extend([repeat(16), load_by(32, c), ALL, alu(3), store_by(32, c), Op::End]);
    program(
        "ikra/SG",
        "Dense matrix product",
        "Parboil, sgemm/src/cuda/sgemm_kernel.cu, mysgemmNT; sizes of Huzaifa et al., Table 3, with 1056 in the middle",
        "A thread has one row and sixteen columns; B by eight rows through shared memory, A from global memory, C read and written. From the source: grid, block, loops, loads, \
         stores, barriers. Free: 17 instructions a step, registers. 496 CTAs follow from A of 1024 × 1056 and B of 1056 × 992; the sizes as printed give 528.",
        vec![constant("A", u64::from(m * k * 4)), constant("B", u64::from(n * k * 4)), array("C", u64::from(m * n * 4))],
        once(vec![launch(plane(8, 62), 128, 32, 512, work)]),
        Vec::new(),
    )
}
