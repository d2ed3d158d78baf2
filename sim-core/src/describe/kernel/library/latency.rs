//! The eight kernels of the latency prediction paper (Masola et al., JSSPP 2023), by its name before theirs: most names are taken.
//!
//! Grids, blocks, shared memory and bytes are those of its Table 2; loops, loads, stores and strides those of the public sources, where there are
//! any. Instructions follow from its KAI (thousands of thread instructions for each access of a sector of 32 bytes). What is left is chosen so that
//! the kernel alone takes as long on 30 SMs as Table 2 prints, and asks for the bandwidth that Table 3 prints of it alone (`studies/partitions.rs`,
//! docs/reference/kernels-latency.md). Nothing here looks at how kernels share.

use super::parts::{ALL, array, chain, load, named, repeat, shared, some_warps, store, words};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Scatter};
use alloc::vec;
use alloc::vec::Vec;

/// Floats of a vector, 40 MiB, and CTAs that take one each thread.
const VECTOR: u64 = 40 << 20;

/// Cycles from an arithmetic instruction of VADD, SAXPY and COPY to the next. With these all three are within 10 % of each bandwidth of
/// Table 3, on five SMs and on 15, where they nearly saturate.
const STREAM: u32 = 17;

fn stream(name: &str, title: &str, doc: &str, vectors: &[&str], program: Vec<Op>) -> Kernel {
    let arrays = vectors.iter().map(|name| array(name, VECTOR)).collect();
    let launch = Launch { grid: 81_920.into(), threads: 128, registers: 12, shared_bytes: 0, program, ..Launch::default() };
    named(name, title, "Masola et al., JSSPP 2023, Table 2: in house", doc, arrays, vec![launch])
}

/// Two loads, `between` arithmetic instructions on them, a store.
fn two_to_one(between: u32) -> Vec<Op> {
    let at = |index| words(index, 512, 128);
    let work = |count| chain(count, STREAM);
    vec![work(14), load(at(0)), work(1), load(at(1)), ALL, work(between), store(at(2)), work(2)]
}

/// `c[i] = a[i] + b[i]`
pub fn vector_add() -> Kernel {
    stream(
        "latency/VADD",
        "Vector addition",
        "c[i] = a[i] + b[i], a thread for each element. From the source: 21 PTX instructions of a thread (so compiled, and KAI 0.056), two independent \
         loads. Free: 17 cycles from one instruction to the next.",
        &["a", "b", "c"],
        two_to_one(1),
    )
}

/// `z[i] = alpha x[i] + y[i]`
pub fn saxpy() -> Kernel {
    stream(
        "latency/SAXPY",
        "Scaled vector addition",
        "z[i] = alpha x[i] + y[i], out of place: Table 2 has two vectors in and one out. From the source: 22 PTX instructions (KAI 0.059). Free: as VADD.",
        &["x", "y", "z"],
        two_to_one(2),
    )
}

/// `b[i] = a[i]`
pub fn copy() -> Kernel {
    let at = |index| words(index, 512, 128);
    let work = |count| chain(count, STREAM);
    stream(
        "latency/COPY",
        "Copy",
        "b[i] = a[i], a thread for each element. From the source: 16 PTX instructions (KAI 0.064). Free: as VADD.",
        &["a", "b"],
        vec![work(11), load(at(0)), work(1), ALL, store(at(1)), work(2)],
    )
}

/// Rows and columns of MVT's matrix.
const N: i64 = 4096;

/// PolyBench `mvt`: a thread for each row, then a thread for each column.
pub fn matrix_vector() -> Kernel {
    let latency = 63;
    // `unroll` trips between two lots of five instructions that count and compare.
    let walk = |again: u32, unroll: i64, first: Address, step: i64, vector: u8| {
        let matrix = Address { loops: [unroll * step, step, 0], ..first };
        let factor = Address { array: vector, loops: [4 * unroll, 4, 0], ..Address::default() };
        let mut program = vec![chain(12, latency), repeat((N / unroll) as u32), repeat(unroll as u32)];
        program.extend((0..again).map(|_| load(matrix)));
        program.extend([load(factor), ALL, chain(1, latency), store(words(vector + 1, 256, 128)), Op::End, chain(5, 4), Op::End]);
        program
    };
    let rows = Address { cta: 64 * 4 * N, warp: 32 * 4 * N, lane: 4 * N, ..Address::default() };
    let launch = |registers, program| Launch { grid: 64.into(), threads: 64, registers, shared_bytes: 0, program, ..Launch::default() };
    let launches = vec![launch(14, walk(2, 16, rows, 4, 1)), launch(18, walk(1, 8, words(0, 256, 128), 4 * N, 3))];
    let vectors = ["y1", "x1", "y2", "x2"].map(|name| array(name, 4 * N as u64));
    let mut arrays = vec![array("a", (4 * N * N) as u64)];
    arrays.extend(vectors);
    named(
        "latency/MVT",
        "Matrix times vector, then its transpose",
        "PolyBench/GPU 1.0, CUDA/MVT/mvt.cu, mvt_kernel1 and mvt_kernel2; CTAs as Masola et al., Table 2, has them",
        "x1 = x1 + A y1, a thread for each row: 32 sectors a load, of which L1D has seven in eight trips. Then x2 = x2 + Aᵀ y2, a thread \
         for each column. From the source: two launches, 4096 trips unrolled 16 and 8 times, the element and the factor loaded, one \
         multiply-add, and the sum stored in each trip, before which the next cannot load. Free: 63 cycles from the multiply-add to the \
         store, and that the first launch issues its load by rows twice. A trip of a warp takes the load-store unit 69 cycles, where Table \
         3's figures of 5, 10 and 20 SMs need 76.",
        arrays,
        launches,
    )
}

/// Rodinia `pathfinder`: `dynproc_kernel`.
pub fn path_finder() -> Kernel {
    let latency = 3;
    let columns = 131_072;
    let row = 4 * columns;
    let cells = |array: u8, lanes: i64| Address { offset: -128, ..words(array, 512, 4 * lanes) };
    let mut program = vec![chain(58, latency), Op::Load { address: cells(1, 24), lanes: 24 }, ALL, shared(1), Op::Barrier];
    // Of 256 threads 254 to 128 are at work, one less at either side in each step: first all lanes of each warp, then 24, next to those of the warp
    // before. With these a CTA moves the source's 1632 sectors.
    let mut steps = |first: i64, count: u32, lanes: u32| {
        let some = |count| Op::Alu { count, latency, lanes };
        let shared_by_some = |count| Op::Shared { count, stride: 1, lanes };
        let wall = cells(0, lanes.into());
        let wall = Address { offset: wall.offset + first * row, loops: [row, 0, 0], ..wall };
        program.extend([repeat(count), some(16), shared_by_some(3), some(16), Op::Load { address: wall, lanes }, ALL, some(6)]);
        program.extend([shared_by_some(1), Op::Barrier, chain(4, latency), shared(2), Op::Barrier, chain(4, latency), Op::End]);
    };
    steps(0, 7, 32);
    steps(7, 57, 24);
    program.extend([chain(5, latency), Op::Store { address: words(2, 512, 64), lanes: 16 }]);
    named(
        "latency/PF",
        "Dynamic programming on a grid",
        "Rodinia 3.1, cuda/pathfinder/pathfinder.cu, dynproc_kernel; pyramid and grid as Masola et al., Table 2, has them",
        "As PF, with strips of 128 columns and 64 steps: one of its eight launches, as 256 MiB in 0.337 ms are not possible. From the source: the block, \
         2048 bytes of shared memory, 1024 CTAs, 64 steps, one load a step, a row that is read by two neighbours for its half, two barriers a step. Free: \
         arithmetic (KAI 0.475) and its latency (3 cycles).",
        vec![array("wall", (512 * row) as u64), array("result", row as u64), array("next result", row as u64)],
        vec![Launch { grid: 1024.into(), threads: 256, registers: 18, shared_bytes: 2048, program, ..Launch::default() }],
    )
}

/// CUDA samples `dxtc`, as the paper launches it: 178 tiles, one after the other, for each of 46 CTAs.
pub fn dxtc() -> Kernel {
    let latency = 13;
    let work = |count| chain(count, latency);
    let tiles = 178;
    let per_cta = i64::from(tiles);
    let tile = Op::Load { address: Address { loops: [64, 0, 0], ..words(0, 64 * per_cta, 0) }, lanes: 16 };
    let mut program = vec![work(20), repeat(tiles), tile, ALL, work(60), shared(4), Op::Barrier];
    // 992 ways to give each pixel one of four colours and 160 one of three, of 512 threads.
    for _ in 0..2 {
        program.extend([load(words(2, 0, 128)), ALL, work(330), shared(16)]);
    }
    program.extend([Op::Barrier, work(40), shared(12), Op::Barrier, some_warps(1, 16), work(4)]);
    program
        .push(Op::Store { address: Address { array: 1, cta: 32 * per_cta, loops: [32, 0, 0], lane: 4, ..Address::default() }, lanes: 2 });
    program.extend([Op::End, work(70), Op::End]);
    named(
        "latency/DXTC",
        "DirectX texture compression",
        "CUDA samples, 5_Domain_Specific/dxtc, compress; CTAs as Masola et al., Table 2, has them, which no source has",
        "As DXTC, with 512 threads that take 178 tiles one after the other: 512 KB of pixels are 8192 tiles for 46 CTAs. From the source: two sectors read and \
         one written for each tile, a table that all read, barriers; 98 registers, of which one CTA fits an SM. Free: arithmetic (KAI 149) and its latency \
         (13 cycles).",
        vec![array("image", 8192 * 64), array("result", 8192 * 32), array("permutations", 4096)],
        vec![Launch { grid: 46.into(), threads: 512, registers: 98, shared_bytes: 1536, program, ..Launch::default() }],
    )
}

/// Bytes of a row of CONV's image, of 81,920 floats. Of so long a row L1D has nothing left when the next comes, on any number of SMs. So
/// it is in Table 3, where bandwidth is in proportion to SMs.
const PITCH: i64 = 327_680;

/// A filter of five taps down the columns, a warp for each CTA.
pub fn convolution() -> Kernel {
    let latency = 13;
    let work = |count| chain(count, latency);
    let mut program = vec![work(30)];
    for tap in -2..=2_i64 {
        program.extend([
            load(Address { offset: tap * PITCH, ..words(0, 128, 0) }),
            load(Address { array: 2, offset: 4 * (tap + 2), ..Address::default() }),
        ]);
        program.extend([ALL, work(29)]);
    }
    program.extend([shared(1), Op::Barrier, shared(1), work(27), store(words(1, 128, 0)), work(2)]);
    named(
        "latency/CONV",
        "Convolution with a small filter",
        "Masola et al., JSSPP 2023, Table 2: in house, not published",
        "Each warp is a CTA and makes 32 outputs of a filter of five floats down the columns. What Table 2 says of the filter (11 to 20 \
         bytes) and of the traffic leaves little else. Rows are so long that L2 has four in five and L1D none. From Table 2: 327,680 CTAs \
         of one warp, 128 bytes of shared memory. Free: the shape; arithmetic (KAI 0.291), its latency (13 cycles), one tap after the \
         other.",
        vec![array("image", VECTOR), array("result", VECTOR), array("filter", 128)],
        vec![Launch { grid: 327_680.into(), threads: 32, registers: 27, shared_bytes: 128, program, ..Launch::default() }],
    )
}

/// Bytes of RAYTRACE's scene, an object in every fourth sector.
const SCENE: u64 = 4 << 20;

/// A ray for each pixel, scene objects from L2.
pub fn ray_trace() -> Kernel {
    let latency = 8;
    let work = |count| chain(count, latency);
    let object = Address { scatter: Scatter::Warp { bytes: SCENE }, array: 0, ..Address::default() };
    let mut program = vec![work(60), repeat(175), load(object), ALL, work(105), Op::End, work(40)];
    // Three bytes for each pixel: four rows of eight lanes, 24 bytes each, three stores.
    let pixels = |byte: i64| Address { offset: byte, ..words(1, 192, 96) };
    program.extend((0..3).flat_map(|byte| [work(4), Op::Store { address: pixels(32 * byte), lanes: 8 }]));
    named(
        "latency/RAYTRACE",
        "Ray tracing of a 3D scene",
        "Masola et al., JSSPP 2023, Table 2: in house, not published",
        "A thread for each of 832 × 640 pixels, in blocks of 8 × 8, of which each follows its ray through objects that L1D does not hold; three bytes out. From \
         Table 2: the grid, the bytes. Free: the shape; arithmetic (KAI 3.575), its latency (8 cycles), 175 objects of a scene of 4 MB, one in every fourth sector.",
        vec![array("scene", SCENE), array("image", 8320 * 192)],
        vec![Launch { grid: 8320.into(), threads: 64, registers: 54, shared_bytes: 0, program, ..Launch::default() }],
    )
}
