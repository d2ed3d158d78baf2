//! The eight regular programs that run the same launches again and again.

use super::ikra_parts::{Matrix, constant, launch, list, load_by, looped, plane, program, store_by, terms, times, warps};
use super::parts::{ALL, alu, array, repeat, shared};
use crate::describe::kernel::{Address, Kernel, Launch, Op, Repeat, Terms};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// Nothing along a dimension.
const ZERO: Terms = Terms { at: 0, grid: [0; 3], warp: 0, loops: [0; 3], repeat: 0 };

/// A cell and its four neighbours.
const CROSS: [(i32, i32); 5] = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)];

fn load(address: Address) -> Op {
    load_by(32, address)
}

fn store(address: Address) -> Op {
    store_by(32, address)
}

/// An address so many bytes further.
fn moved(address: Address, by: i64) -> Address {
    Address { offset: address.offset + by, ..address }
}

/// An address that is so many bytes further with each repeat.
fn again(address: Address, repeat: i64) -> Address {
    Address { repeat, ..address }
}

/// Rodinia `hotspot`, one step a launch. Here and below, `direct`: without shared memory, each thread loads what it uses. No paper runs that; it is what
/// dependences are counted of.
pub fn hotspot(direct: bool) -> Kernel {
    let image = Matrix::dense(256, 256);
    let read = |array| load(image.at(array, 16, terms(-1, [14, 0], 0), terms(-1, [0, 14], 2)));
    // The 14 × 14 cells inside: seven of the eight warps have two rows of them.
    let write = |array| store_by(28, image.at(array, 14, terms(0, [14, 0], 0), terms(0, [0, 14], 2)));
    let step = |from, to| {
        let mut work = vec![alu(30), read(from), read(2), ALL, shared(2), Op::Barrier, shared(6), alu(25), Op::Barrier];
        if direct {
            work = vec![alu(1)];
        }
        work.extend([warps(0), alu(1)]);
        if direct {
            let cell = |(x, y)| load_by(28, image.at(from, 14, terms(x, [14, 0], 0), terms(y, [0, 14], 2)));
            work.extend(CROSS.map(cell));
        }
        work.extend([write(to), Op::End]);
        launch(plane(19, 19), 256, 20, 3072, work)
    };
    program(
        "ikra/HS",
        "Heat of a chip, step by step",
        "Rodinia 3.1, cuda/hotspot/hotspot.cu, calculate_temp; sizes of Huzaifa et al., Table 3",
        "20 launches between two arrays; a block of 16 × 16 threads has 14 × 14 cells and reads its own cells and one around them. From the source: grid, block, halo, loads, store, \
         shared memory, barriers. Free: 55 instructions (most are in double precision), registers.",
        vec![array("temperature", 256 << 10), array("next temperature", 256 << 10), constant("power", 256 << 10)],
        times(10, vec![step(0, 1), step(1, 0)]),
        vec![list("inner rows", vec![1, 1, 1, 1, 1, 1, 1, 0])],
    )
}

/// Rodinia `kmeans` without textures: the assignment of points to clusters.
pub fn kmeans() -> Kernel {
    let (points, features) = (25_000, 35);
    let point = Matrix::dense(features, points).at(0, 1, looped(ZERO, 2, 1), terms(0, [64, 0], 32));
    let centroid = Address { array: 1, loops: [4 * i64::from(features), 4, 0], ..Address::default() };
    let member = Matrix::dense(points, 1).at(2, 32, terms(0, [64, 0], 32), ZERO);
    let mut work = vec![alu(10), repeat(5), repeat(features), load(point), load(centroid), ALL, alu(5), Op::End, alu(4), Op::End];
    work.extend([store(member), alu(1)]);
    program(
        "ikra/KM",
        "Clusters of points: which centre is nearest",
        "Rodinia 3.1, cuda/kmeans/kmeans_cuda_kernel.cu, kmeansPoint, as in versions without textures; sizes of Huzaifa et al., Table 3",
        "A thread for each point of 35 features compares five centres; lanes are 140 bytes apart, and a point is read again for each centre. The CPU moves the centres between \
         launches. From the source: block of 64 (the paper's), loads, one store, five clusters. Free: ten launches (it runs until no point moves), arithmetic, registers. No CTA has \
         more work than another but for the last.",
        vec![
            constant("features", u64::from(points * features * 4)),
            array("centres", 5 * 35 * 4),
            array("membership", u64::from(points) * 4),
        ],
        times(10, vec![launch(391, 64, 16, 0, work)]),
        vec![],
    )
}

/// Rodinia `lud`: 47 steps of three launches, and the last block.
pub fn lud() -> Kernel {
    let matrix = Matrix::dense(768, 768);
    // From the diagonal block of the step: blocks that lie `at` so many elements on, one for each CTA.
    let along = |at, grid| Terms { repeat: 16, ..terms(at, grid, 0) };
    let by_row = |x, y, depth| matrix.at(0, 16, x, looped(y, depth, 2));
    let diagonal = |at| {
        let row = |first| matrix.at(0, 16, Terms { at, ..along(0, [0, 0]) }, looped(Terms { at: at + first, ..along(0, [0, 0]) }, 1, 1));
        let mut work = vec![alu(10), repeat(16), load_by(16, row(0)), alu(2), Op::End, ALL, shared(16), Op::Barrier];
        work.extend([repeat(15), alu(20), shared(8), Op::Barrier, alu(20), shared(8), Op::Barrier, Op::End]);
        work.extend([repeat(15), alu(2), store_by(16, row(1)), Op::End]);
        launch(1, 16, 16, 1024, work)
    };
    let mut perimeter = vec![alu(12)];
    for (x, y) in [(along(0, [0, 0]), along(0, [0, 0])), (along(16, [16, 0]), along(0, [0, 0])), (along(0, [0, 0]), along(16, [16, 0]))] {
        perimeter.extend([repeat(8), load(by_row(x, y, 1)), alu(2), Op::End]);
    }
    perimeter.extend([ALL, shared(24), Op::Barrier, repeat(16), alu(17), shared(16), Op::End, Op::Barrier]);
    let one = |x, y| matrix.at(0, 16, x, looped(y, 1, 1));
    perimeter.extend([repeat(15), alu(2), store_by(16, one(along(16, [16, 0]), along(1, [0, 0]))), Op::End]);
    perimeter.extend([repeat(16), alu(2), store_by(16, one(along(0, [0, 0]), along(16, [16, 0]))), Op::End]);
    let warp = |terms: Terms| Terms { warp: 2, ..terms };
    let block = |x, y| matrix.at(0, 16, x, warp(y));
    let own = block(along(16, [16, 0]), along(16, [0, 16]));
    let mut inner = vec![alu(14), load(block(along(16, [16, 0]), along(0, [0, 0]))), load(block(along(0, [0, 0]), along(16, [0, 16])))];
    inner.extend([ALL, shared(2), Op::Barrier, repeat(16), shared(2), alu(2), Op::End, load(own), ALL, alu(1), store(own)]);
    let shrinks = |launch: Launch, step| Launch { grid_step: step, ..launch };
    let launches = vec![
        diagonal(0),
        shrinks(launch(47, 32, 20, 3072, perimeter), [-1, 0, 0]),
        shrinks(launch(plane(47, 47), 256, 16, 2048, inner), [-1, -1, 0]),
        diagonal(752),
    ];
    program(
        "ikra/LUD",
        "LU decomposition by blocks",
        "Rodinia 3.1, cuda/lud/cuda/lud_kernel.cu, lud_diagonal, lud_perimeter, lud_internal; size of Huzaifa et al., Table 3",
        "47 steps on 48 × 48 blocks: the block on the diagonal, its row and column of blocks, all blocks below and to the right; then the last block. 142 launches whose grids shrink. \
         From the source: grids, blocks, loads, stores, shared memory, barriers. Free: arithmetic, registers.",
        vec![array("matrix", 768 * 768 * 4)],
        (launches, vec![Repeat { first: 0, launches: 3, times: 47 }]),
        vec![],
    )
}

/// Rodinia `nw`: the diagonals of a matrix of 63 × 63 tiles, down and up again.
pub fn needle() -> Kernel {
    let matrix = Matrix::dense(512, 512);
    let diagonal = |x: Terms, y: Terms| {
        let moved = |terms: Terms, by| Terms { at: terms.at + by, ..terms };
        let rows = |array| matrix.at(array, 8, x, looped(y, 1, 1));
        let mut work = vec![
            alu(16),
            load_by(1, matrix.at(0, 8, moved(x, -1), moved(y, -1))),
            repeat(8),
            load_by(8, rows(1)),
            shared(1),
            alu(2),
            Op::End,
        ];
        work.extend([Op::Barrier, load_by(8, matrix.at(0, 1, moved(x, -1), y)), ALL, shared(1), Op::Barrier]);
        work.extend([load_by(8, matrix.at(0, 8, x, moved(y, -1))), ALL, shared(1), Op::Barrier]);
        work.extend([
            repeat(15),
            Op::Shared { count: 5, stride: 1, lanes: 8 },
            Op::Alu { count: 8, latency: 4, lanes: 8 },
            Op::Barrier,
            Op::End,
        ]);
        work.extend([repeat(8), shared(1), store_by(8, rows(0)), alu(2), Op::End]);
        work
    };
    let down = diagonal(terms(1, [8, 0], 0), Terms { repeat: 8, ..terms(1, [-8, 0], 0) });
    let up = diagonal(Terms { repeat: 8, ..terms(9, [8, 0], 0) }, terms(497, [-8, 0], 0));
    let one = |grid: u32, step, work| Launch { grid_step: [step, 0, 0], ..launch(grid, 8, 20, 580, work) };
    program(
        "ikra/NW",
        "Alignment of two sequences, diagonal by diagonal",
        "Rodinia 3.1, cuda/nw/needle_kernel.cu, needle_cuda_shared_1 and _2; sizes of Huzaifa et al., Table 3",
        "Tiles of 8 × 8 scores, a launch for each diagonal of them: 1 to 63 tiles, then 62 to 1. A tile needs the row above, the column before and the corner, and reads its part of the \
         reference once. From the source: order, loads, stores, shared memory, 15 steps with a barrier. Free: arithmetic, registers, the row of 512 scores.",
        vec![array("scores", 1 << 20), constant("reference", 1 << 20)],
        (
            vec![one(1, 1, down), one(62, -1, up)],
            vec![Repeat { first: 0, launches: 1, times: 63 }, Repeat { first: 1, launches: 1, times: 62 }],
        ),
        vec![],
    )
}

/// Rodinia `pathfinder`, one row a launch.
pub fn path_finder(direct: bool) -> Kernel {
    let row = Matrix::dense(100_000, 1);
    let wide = |array, at| row.at(array, 32, terms(at, [254, 0], 32), ZERO);
    let step = |from, to, rows: i64| {
        let wall = Address { offset: rows * 400_000, ..again(wide(2, -1), 800_000) };
        let mut work =
            vec![alu(20), load(wide(from, -1)), ALL, shared(1), Op::Barrier, load(wall), shared(3), ALL, alu(8), shared(1), Op::Barrier];
        if direct {
            work = vec![alu(1), warps(0), alu(1)];
            work.extend([-1, 0, 1].map(|by| load(wide(from, by))));
            work.extend([Op::End, warps(1), alu(1)]);
            work.extend([-1, 0, 1].map(|by| load_by(30, wide(from, by))));
            work.push(Op::End);
        }
        // 254 of 256 threads have a cell.
        work.extend([warps(0), alu(1), store(wide(to, 0)), Op::End, warps(1), alu(1), store_by(30, wide(to, 0)), Op::End]);
        launch(394, 256, 16, 2048, work)
    };
    program(
        "ikra/PF",
        "Cheapest path, row by row",
        "Rodinia 3.1, cuda/pathfinder/pathfinder.cu, dynproc_kernel, one row a launch; sizes of Huzaifa et al., Table 3",
        "Ten launches, each with the next row of the wall (of eleven: ten rows have nine steps), between two rows of sums. A block of 256 threads has 254 cells. From the source: grid, \
         block, loads, store, shared memory, barriers. Free: arithmetic, registers.",
        vec![array("sums", 400_000), array("next sums", 400_000), constant("wall", 10 * 400_000)],
        times(5, vec![step(0, 1, 0), step(1, 0, 1)]),
        vec![list("all warps but the last", vec![1, 1, 1, 1, 1, 1, 1, 0]), list("the last warp", vec![0, 0, 0, 0, 0, 0, 0, 1])],
    )
}

/// Rodinia `srad_v1`: six launches, of which five in each of ten iterations.
pub fn srad_v1() -> Kernel {
    // Columns of 256 pixels one after the other; a block has two columns.
    let image = Matrix::dense(65_536, 1);
    let at = |array, by| image.at(array, 32, terms(by, [512, 0], 32), ZERO);
    let own = |array| at(array, 0);
    let (i, north, south, west, east, c, sum, squares) = (0, 1, 2, 3, 4, 5, 6, 7);
    // Indices of neighbours: by row for a warp's 32 rows, by column for all of its lanes.
    let row_of = |array| Address { array, warp: 128, lane: 4, ..Address::default() };
    let column_of = |array| Address { array, cta: 8, ..Address::default() };
    let root = || Op::Sfu { count: 1, latency: 16, lanes: 32 };
    let whole = |program| launch(128, 512, 16, 0, program);
    let point = || whole(vec![alu(10), load(own(i)), ALL, root(), alu(2), store(own(i))]);
    let prepare = vec![alu(10), load(own(i)), ALL, alu(1), store(own(sum)), store(own(squares))];
    let tree = |work: &mut Vec<Op>| work.extend([repeat(9), alu(8), shared(4), Op::Barrier, Op::End]);
    let sums = |first: Address| [first, Address { array: squares, ..first }];
    let mut reduce = vec![alu(10), load(own(sum)), load(own(squares)), ALL, shared(2), Op::Barrier];
    tree(&mut reduce);
    let ends = sums(Address { array: sum, cta: 2048, ..Address::default() });
    reduce.extend([warps(0), alu(1)]);
    reduce.extend(ends.map(|end| store_by(1, end)));
    reduce.push(Op::End);
    // 128 sums, each in a line of its own.
    let mut last = vec![alu(10), warps(1), alu(1)];
    last.extend(sums(Address { array: sum, warp: 32 * 2048, lane: 2048, ..Address::default() }).map(load));
    last.extend([ALL, shared(2), Op::End, Op::Barrier]);
    tree(&mut last);
    last.extend([warps(0), alu(1)]);
    last.extend(sums(Address { array: sum, ..Address::default() }).map(|end| store_by(1, end)));
    last.push(Op::End);
    let mut srad = vec![alu(14), load(row_of(8)), load(row_of(9)), load(column_of(10)), load(column_of(11)), load(own(i)), ALL];
    srad.extend([-1, 1, -256, 256].map(|by| load(at(i, by))));
    srad.extend([ALL, alu(40), Op::Sfu { count: 5, latency: 16, lanes: 32 }]);
    srad.extend([north, south, west, east, c].map(|array| store(own(array))));
    let mut srad2 = vec![alu(12), load(row_of(9)), load(column_of(10)), load(own(c)), ALL, load(at(c, 1)), load(at(c, 256))];
    srad2.extend([north, south, west, east, i].map(|array| load(own(array))));
    srad2.extend([ALL, alu(12), store(own(i))]);
    let tree_of = |grid: u32, program| launch(grid, 512, 16, 4096, program);
    let launches = vec![point(), whole(prepare), tree_of(128, reduce), tree_of(1, last), whole(srad), whole(srad2), point()];
    let mut arrays: Vec<_> =
        ["image", "north", "south", "west", "east", "coefficient", "sums", "squares"].map(|name| array(name, 256 << 10)).into();
    arrays.extend(["row above", "row below", "column after", "column before"].map(|name| constant(&format!("index of the {name}"), 1024)));
    program(
        "ikra/SD1",
        "Speckle reduction, all of it on the GPU",
        "Rodinia 3.1, cuda/srad/srad_v1: extract, prepare, reduce, srad, srad2, compress; sizes of Huzaifa et al., Table 3",
        "extract; ten times prepare, reduce, a second reduce of one block, srad, srad2; compress. A block has two columns of the image. From the source: launches, grids, blocks, loads, \
         stores, trees in shared memory; the four index vectors have 1 KB each (Table 3 counts them as images). Free: arithmetic, registers. Beyond an \
         end of the image is its first or last pixel; above a column's first pixel is the last pixel of the column before, where the source has the pixel itself.",
        arrays,
        (launches, vec![Repeat { first: 1, launches: 5, times: 10 }]),
        vec![list("the last warp", [vec![0; 15], vec![1]].concat()), list("the first four warps", [vec![1; 4], vec![0; 12]].concat())],
    )
}

/// Rodinia `srad_v2`: two launches an iteration on tiles of 16 × 16.
pub fn srad_v2(direct: bool) -> Kernel {
    let image = Matrix::dense(512, 512);
    let moved = |array, x, y| image.at(array, 16, terms(x, [16, 0], 0), terms(y, [0, 16], 2));
    let own = |array| moved(array, 0, 0);
    // A row or column next to the tile: the same values for both of a warp's rows, or one for each of them.
    let row = |array, y| load_by(16, image.at(array, 16, terms(0, [16, 0], 0), terms(y, [0, 16], 0)));
    let column = |array, x| load_by(2, image.at(array, 1, terms(x, [16, 0], 0), terms(0, [0, 16], 2)));
    let (j, c) = (0, 1);
    let mut first = vec![alu(20), row(j, -1), row(j, 16), column(j, -1), column(j, 16), load(own(j)), ALL, shared(5), Op::Barrier];
    first.extend([shared(5), alu(30), Op::Barrier, shared(1), Op::Sfu { count: 3, latency: 16, lanes: 32 }, alu(6), Op::Barrier]);
    if direct {
        first = CROSS.map(|(x, y)| load(moved(j, x, y))).into();
    }
    first.extend([c, 2, 3, 4, 5].map(|array| store(own(array))));
    first.push(Op::Barrier);
    let mut second = vec![alu(20), load(own(j)), row(c, 16), column(c, 16), load(own(c)), ALL, shared(4), Op::Barrier];
    if direct {
        second = vec![load(own(j)), load(own(c)), load(moved(c, 0, 1)), load(moved(c, 1, 0))];
    }
    second.extend([2, 3, 4, 5].map(|array| load(own(array))));
    second.extend([shared(3), ALL, alu(14), Op::Barrier, shared(1), Op::Barrier, store(own(j)), Op::Barrier]);
    program(
        "ikra/SD2",
        "Speckle reduction, partly on the CPU",
        "Rodinia 3.1, cuda/srad/srad_v2/srad_kernel.cu, srad_cuda_1, srad_cuda_2; sizes of Huzaifa et al., Table 3",
        "Ten iterations of two launches on six images of 512 × 512; the CPU reads a part of the image before each. From the source: grid, block, loads and their halos, stores, shared \
         memory, barriers. Free: arithmetic, registers.",
        ["image", "coefficient", "east", "west", "north", "south"].map(|name| array(name, 1 << 20)).into(),
        times(10, vec![launch(plane(32, 32), 256, 20, 6144, first), launch(plane(32, 32), 256, 20, 5120, second)]),
        vec![],
    )
}

/// Parboil `stencil`: seven points, two columns a thread.
pub fn stencil(direct: bool) -> Kernel {
    // Each plane with its part of the padding behind it.
    let plane_bytes: i64 = 128 * 128 * 4 + 328;
    let level =
        |address: Address, first: i64| Address { offset: address.offset + first * plane_bytes, loops: [plane_bytes, 0, 0], ..address };
    let cells = Matrix::dense(128, 128);
    let own = |array, x, z| level(cells.at(array, 32, terms(x, [64, 0], 0), terms(0, [0, 4], 1)), z);
    let row = |array, x, y| level(cells.at(array, 32, terms(x, [64, 0], 0), terms(y, [0, 4], 0)), 1);
    let side = |array, x| level(cells.at(array, 1, terms(x, [64, 0], 0), terms(0, [0, 4], 0)), 1);
    // Only cells inside are written: those at the border count as their neighbours.
    let inside = |array, x| {
        let address = Matrix(126, 126, 512).at(array, 32, terms(x - 1, [64, 0], 0), terms(-1, [0, 4], 1));
        Address { offset: 516, ..address }
    };
    let step = |from, to| {
        let mut work = vec![alu(20)];
        work.extend(
            [0, 1]
                .into_iter()
                .flat_map(|z| [load(Address { loops: [0; 3], ..own(from, 0, z) }), load(Address { loops: [0; 3], ..own(from, 32, z) })]),
        );
        work.extend([repeat(6), load(own(from, 0, 2)), load(own(from, 32, 2))]);
        work.extend([warps(0), alu(1), load(row(from, 0, -1)), load(row(from, 32, -1)), load_by(4, side(from, -1)), Op::End]);
        work.extend([warps(1), alu(1), load(row(from, 0, 4)), load(row(from, 32, 4)), load_by(4, side(from, 64)), Op::End]);
        if direct {
            work = vec![alu(1), repeat(6)];
            for x in [0, 32] {
                let cell = level(inside(from, x), 1);
                work.extend([0, -4, 4, -512, 512, -plane_bytes, plane_bytes].map(|by| load(moved(cell, by))));
            }
        }
        work.extend([ALL, shared(2), Op::Barrier, shared(8), alu(16)]);
        work.extend([0, 32].map(|x| store(level(inside(to, x), 1))));
        work.extend([Op::Barrier, alu(6), Op::End]);
        launch(plane(2, 32), 128, 32, 1024, work)
    };
    program(
        "ikra/ST",
        "Seven-point stencil",
        "Parboil, stencil/src/cuda, block2D_hybrid_coarsen_x; sizes of Huzaifa et al., Table 3",
        "Ten launches between two arrays of 128 × 128 × 8; a block has 64 × 4 cells of every plane. From the source: grid, block, loads and their halos, stores of the cells inside, \
         shared memory, barriers. Free: arithmetic, registers, 328 bytes of padding behind each plane (0.5 %, as the paper added).",
        vec![array("cells", 8 * plane_bytes as u64), array("next cells", 8 * plane_bytes as u64)],
        times(5, vec![step(0, 1), step(1, 0)]),
        vec![list("the first warp", vec![1, 0, 0, 0]), list("the last warp", vec![0, 0, 0, 1])],
    )
}
