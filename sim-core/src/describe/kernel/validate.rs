//! What a kernel must satisfy so that it compiles and never hangs a machine.

use super::tile::MAX_TERM;
use super::{Address, Array, CarveOut, Kernel, Launch, MAX_LOOPS, Op, Repeat, Scatter, Tile, Trips};
use crate::describe::error::Problems;
use crate::describe::path::element;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Operations of a Program, at most.
pub const MAX_OPS: usize = 256;

/// Launches that a kernel lists, at most.
pub const MAX_LAUNCHES: usize = MAX_SEQUENCE;

/// Launches of a run, at most, each repeat counted.
pub const MAX_SEQUENCE: usize = 1 << 14;

/// Operations of all launches of a run together, at most: a machine holds each launch by itself.
pub const MAX_SEQUENCE_OPS: usize = 1 << 18;

/// What to do with more than that.
pub const CUT_LAUNCHES: &str = "cut the sequence off, or run it in parts";

/// Lists of trips that a kernel may have.
pub const MAX_LISTS: usize = 16;

/// Entries of a list, at most.
pub const MAX_LISTED: usize = 1 << 18;

/// CTAs of a grid, and its extent along each dimension, at most.
pub const MAX_EXTENT: u32 = 1 << 24;

/// Cycles between two launches, at most.
pub const MAX_GAP: u64 = 1 << 40;

/// Largest count and largest number of trips.
const MAX_COUNT: u32 = 1 << 24;

/// Largest count of arithmetic instructions: the largest count with the largest factor that `arithmetic` takes.
pub const MAX_ALU: u32 = 100 * MAX_COUNT;

/// Longest latency of an arithmetic instruction: what the schedulers' wheels can hold.
pub const MAX_LATENCY: u32 = 63;

/// Longest sleep of a warp, in cycles.
pub const MAX_SLEEP: u32 = 1 << 20;

/// Lines that all arrays of a kernel may have together: its part of the address space.
pub const MAX_LINES: u64 = 1 << 27;

/// Adds every problem of `kernel` to `problems`; `path` is where it stands in the input.
pub fn check(kernel: &Kernel, path: &str, problems: &mut Problems) {
    let at = |field: &str| format!("{path}.{field}");
    let name = kernel.name.chars().count();
    if !(1..=40).contains(&name) || kernel.name.chars().any(char::is_control) {
        problems.add(at("name"), format!("{name} characters"), "1 to 40 printable characters");
    }
    if kernel.arrays.len() > 64 {
        problems.add(at("arrays"), format!("{} arrays", kernel.arrays.len()), "at most 64");
    }
    let mut lines = 0_u64;
    for (i, array) in kernel.arrays.iter().enumerate() {
        if array.bytes < 128 || !array.bytes.is_multiple_of(4) || array.bytes > MAX_LINES * 128 {
            problems.add(format!("{}.bytes", element(&at("arrays"), i)), array.bytes, "a multiple of 4 from 128 to 17179869184");
        }
        lines = lines.saturating_add(array.bytes.div_ceil(128));
    }
    if lines > MAX_LINES {
        problems.add(at("arrays"), format!("{lines} lines of 128 bytes together"), format!("at most {MAX_LINES}"));
    }
    if !(1..=MAX_LAUNCHES).contains(&kernel.launches.len()) {
        problems.add(at("launches"), format!("{} launches", kernel.launches.len()), format!("1 to {MAX_LAUNCHES}; {CUT_LAUNCHES}"));
    }
    for (i, list) in kernel.lists.iter().enumerate() {
        let path = format!("{}.values", element(&at("lists"), i));
        range(list.values.len() as u64, 1, MAX_LISTED as u64, path.clone(), problems);
        if let Some(most) = list.values.iter().find(|&&trips| trips > MAX_COUNT) {
            problems.add(path, most, format!("trips up to {MAX_COUNT}"));
        }
    }
    range(kernel.lists.len() as u64, 0, MAX_LISTS as u64, at("lists"), problems);
    if !check_repeats(kernel, &at("launches"), problems) {
        return;
    }
    for (item, (Repeat { first, launches, times }, repeats)) in kernel.groups().enumerate() {
        let item = element(&at("launches"), item);
        for (i, launch) in kernel.launches[first..first + launches].iter().enumerate() {
            let path = if repeats { element(&format!("{item}.launches"), i) } else { item.clone() };
            check_launch(launch, kernel, &path, problems);
            check_grids(launch, repeats.then_some(times), &path, problems);
        }
    }
}

/// Whether the repeats are of launches that exist, apart from each other and in order, and the sequence is no longer than it may be.
fn check_repeats(kernel: &Kernel, path: &str, problems: &mut Problems) -> bool {
    let before = problems.0.len();
    let mut end = 0;
    for &Repeat { first, launches, times } in &kernel.repeats {
        if first < end || launches == 0 || times == 0 || launches > kernel.launches.len().saturating_sub(first) {
            problems.add(
                path,
                format!("{times} repeats of {launches} launches from the one at {first}"),
                "one or more of launches that exist",
            );
            return false;
        }
        end = first + launches;
    }
    let (mut launches, mut ops) = (0_usize, 0_usize);
    for (group, _) in kernel.groups() {
        let body = &kernel.launches[group.first..group.first + group.launches];
        let times = group.times as usize;
        launches = launches.saturating_add(times.saturating_mul(body.len()));
        ops = ops.saturating_add(times.saturating_mul(body.iter().map(|launch| launch.program.len()).sum()));
    }
    if launches > MAX_SEQUENCE {
        problems.add(path, format!("{launches} launches, each repeat counted"), format!("at most {MAX_SEQUENCE}; {CUT_LAUNCHES}"));
    } else if ops > MAX_SEQUENCE_OPS {
        problems.add(
            path,
            format!("{ops} operations in all repeats of all launches"),
            format!("at most {MAX_SEQUENCE_OPS}; {CUT_LAUNCHES}"),
        );
    }
    problems.0.len() == before
}

/// Checks the grid of a launch that runs so many times, if it repeats.
fn check_grids(launch: &Launch, times: Option<u32>, path: &str, problems: &mut Problems) {
    let [x, y, z] = launch.grid.into();
    let too_large = |extents: [i64; 3]| {
        let ctas = extents.into_iter().try_fold(1_i64, |product, extent| product.checked_mul(extent));
        extents.iter().any(|&extent| extent < 1) || ctas.is_none_or(|ctas| ctas > MAX_EXTENT.into())
    };
    let want = format!("1 to {MAX_EXTENT} CTAs");
    if too_large([x, y, z].map(i64::from)) {
        let field = if (y, z) == (1, 1) { "ctas" } else { "grid" };
        problems.add(format!("{path}.{field}"), format!("{x} × {y} × {z} CTAs"), want);
        return;
    }
    if launch.grid_step == [0; 3] {
        return;
    }
    let Some(times) = times else {
        problems.add(format!("{path}.grid_step"), "a launch that does not repeat", "none, or the launch within launches that repeat");
        return;
    };
    for repeat in 1..times {
        let extent = |i: usize| i64::from([x, y, z][i]) + i64::from(launch.grid_step[i]) * i64::from(repeat);
        let [x, y, z] = [0, 1, 2].map(extent);
        if too_large([x, y, z]) {
            problems.add(format!("{path}.grid_step"), format!("{x} × {y} × {z} CTAs in repeat {repeat}"), want);
            return;
        }
    }
}

fn range(value: u64, from: u64, to: u64, path: String, problems: &mut Problems) {
    if !(from..=to).contains(&value) {
        problems.add(path, value, format!("a whole number from {from} to {to}"));
    }
}

fn check_launch(launch: &Launch, kernel: &Kernel, path: &str, problems: &mut Problems) {
    let at = |field: &str| format!("{path}.{field}");
    range(launch.gap, 0, MAX_GAP, at("gap"), problems);
    range(launch.threads.into(), 1, 2048, at("threads"), problems);
    range(launch.registers.into(), 1, 255, at("registers"), problems);
    range(launch.shared_bytes.into(), 0, 1 << 20, at("shared_bytes"), problems);
    match launch.carve_out {
        CarveOut::Default => {}
        CarveOut::Bytes(bytes) => range(bytes.into(), 0, 1 << 20, at("carve_out"), problems),
        CarveOut::Percent(percent) => range(percent.into(), 0, 100, at("carve_out.percent"), problems),
    }
    if launch.recorded.is_some() {
        return;
    }
    if !(1..=MAX_OPS).contains(&launch.program.len()) {
        problems.add(at("program"), format!("{} operations", launch.program.len()), format!("1 to {MAX_OPS}"));
    }
    check_program(&launch.program, kernel, &at("program"), problems);
}

/// A loop that is open at some point of a Program.
struct Open {
    issues: bool,
    per_warp: bool,
    path: String,
    /// Operations of its body so far.
    ops: usize,
}

fn check_program(program: &[Op], kernel: &Kernel, path: &str, problems: &mut Problems) {
    let arrays = &kernel.arrays;
    let mut open: Vec<Open> = Vec::new();
    let mut outermost = 0;
    for op in program {
        // The operation's path in the input, where the body of a loop is a separate list without an `End`.
        let path = match open.last() {
            Some(inner) => element(&format!("{}.loop.body", inner.path), inner.ops),
            None => element(path, outermost),
        };
        if *op != Op::End {
            *open.last_mut().map_or(&mut outermost, |inner| &mut inner.ops) += 1;
        }
        let at = |field: &str| format!("{path}.{field}");
        if !matches!(op, Op::Loop { .. } | Op::End | Op::Wait { .. })
            && let Some(inner) = open.last_mut()
        {
            inner.issues = true;
        }
        match *op {
            Op::Alu { count, latency, lanes } | Op::Sfu { count, latency, lanes } | Op::Fp64 { count, latency, lanes } => {
                range(count.into(), 1, MAX_ALU.into(), at("count"), problems);
                range(latency.into(), 1, MAX_LATENCY.into(), at("latency"), problems);
                range(lanes.into(), 1, 32, at("lanes"), problems);
            }
            Op::Shared { count, stride, lanes } => {
                range(count.into(), 1, MAX_COUNT.into(), at("count"), problems);
                range(stride.into(), 0, 4096, at("stride"), problems);
                range(lanes.into(), 1, 32, at("lanes"), problems);
            }
            Op::Load { ref address, lanes } | Op::Store { ref address, lanes } | Op::Atomic { ref address, lanes } => {
                range(lanes.into(), 1, 32, at("lanes"), problems);
                let writes = match op {
                    Op::Store { .. } => Some("a store to"),
                    Op::Atomic { .. } => Some("an atomic operation on"),
                    _ => None,
                };
                if let (Some(writes), Some(array)) = (writes, arrays.get(usize::from(address.array)))
                    && array.read_only
                {
                    problems.add(at("array"), format!("{writes} {}", array.name), "an array that is not read_only");
                }
                check_address(address, arrays, &path, problems);
            }
            Op::Wait { loads } => range(loads.into(), 0, 255, at("loads"), problems),
            Op::Sleep { cycles } => range(cycles.into(), 1, MAX_SLEEP.into(), at("cycles"), problems),
            Op::Barrier => {
                if let Some(uneven) = open.iter().find(|outer| outer.per_warp) {
                    problems.add(path, "a barrier", format!("none inside {}: its trips differ between the warps of a CTA", uneven.path));
                }
            }
            Op::Loop { trips } => {
                let (min, max) = match trips {
                    Trips::Fixed(n) => (n, n),
                    Trips::PerCta { min, max } | Trips::PerWarp { min, max } => (min, max),
                    Trips::ListedPerCta { list } | Trips::ListedPerWarp { list } => {
                        if kernel.lists.get(usize::from(list)).is_none_or(|list| list.values.is_empty()) {
                            problems.add(at("trips"), format!("list {list}"), format!("one of the kernel's {} lists", kernel.lists.len()));
                        }
                        (0, 0)
                    }
                    Trips::SomeWarps { trips, one_in } => {
                        range(one_in.into(), 1, MAX_COUNT.into(), at("trips"), problems);
                        (0, trips)
                    }
                };
                if min > max || max > MAX_COUNT {
                    problems.add(at("trips"), format!("{min} to {max}"), format!("a range up to {MAX_COUNT}, the smaller first"));
                }
                open.push(Open { issues: false, per_warp: trips.differ_between_warps(), path: path.clone(), ops: 0 });
                if open.len() > MAX_LOOPS {
                    problems.add(at("body"), format!("{} nested loops", open.len()), format!("at most {MAX_LOOPS}"));
                }
            }
            Op::End => match open.pop() {
                Some(closed) if !closed.issues => {
                    problems.add(closed.path, "a loop whose body issues nothing itself", "at least one instruction beside inner loops");
                }
                Some(_) => {}
                None => problems.add(path, "an end", "one for each loop"),
            },
        }
    }
    for left in open {
        problems.add(left.path, "a loop without an end", "one that ends");
    }
}

fn check_tile(tile: &Tile, address: &Address, path: &str, problems: &mut Problems) {
    let sizes =
        [("columns", tile.columns, MAX_TERM), ("rows", tile.rows, MAX_TERM), ("lanes", tile.lanes, 32), ("pitch", tile.pitch, 1 << 30)];
    for (key, value, most) in sizes {
        range(value.into(), 1, most as u64, format!("{path}.{key}"), problems);
    }
    for (key, terms) in [("x", &tile.x), ("y", &tile.y)] {
        let all = [terms.at, terms.warp, terms.repeat].into_iter().chain(terms.grid).chain(terms.loops);
        if let Some(term) = all.into_iter().find(|term| i64::from(term.unsigned_abs()) > MAX_TERM) {
            problems.add(format!("{path}.{key}"), term, format!("terms up to {MAX_TERM} either way"));
        }
    }
    if address.lane != 0 || address.scatter != Scatter::None {
        problems.add(path, "a tile besides a stride of lanes or a scatter", "one of them");
    }
}

fn check_address(address: &Address, arrays: &[Array], path: &str, problems: &mut Problems) {
    let Some(array) = arrays.get(usize::from(address.array)) else {
        problems.add(format!("{path}.array"), address.array, format!("one of the kernel's {} arrays", arrays.len()));
        return;
    };
    let strides = [address.offset, address.repeat, address.cta, address.warp, address.lane];
    if let Some(stride) = strides.into_iter().chain(address.loops).find(|stride| stride.unsigned_abs() > 1 << 40) {
        problems.add(path, format!("a stride of {stride}"), "strides up to 2^40 bytes either way");
    }
    if let Some(tile) = &address.tile {
        check_tile(tile, address, &format!("{path}.tile"), problems);
    }
    if let Scatter::Warp { bytes } | Scatter::Lane { bytes } | Scatter::Skewed { bytes } = address.scatter
        && (bytes < 4 || bytes > array.bytes)
    {
        problems.add(format!("{path}.scatter"), format!("{bytes} bytes"), format!("4 to the array's {}", array.bytes));
    }
}
