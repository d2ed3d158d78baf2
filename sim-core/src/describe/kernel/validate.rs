//! What a kernel must satisfy so that it compiles and never hangs a machine.

use super::{Address, Array, Kernel, Launch, MAX_LOOPS, Op, Scatter, Trips};
use crate::describe::decode::element;
use crate::describe::error::Problems;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Operations of a Program, at most.
pub const MAX_OPS: usize = 256;

/// Launches of a kernel, at most.
pub const MAX_LAUNCHES: usize = 64;

/// Largest count and largest number of trips.
const MAX_COUNT: u32 = 1 << 24;

/// Largest count of arithmetic instructions: the largest count with the largest factor that `arithmetic` takes.
pub const MAX_ALU: u32 = 100 * MAX_COUNT;

/// Longest latency of an arithmetic instruction: what the schedulers' wheels can hold.
pub const MAX_LATENCY: u32 = 63;

/// Lines that all arrays of a kernel may have together: its part of the address space.
pub const MAX_LINES: u64 = 1 << 28;

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
            problems.add(format!("{}.bytes", element(&at("arrays"), i)), array.bytes, "a multiple of 4 from 128 to 34359738368");
        }
        lines = lines.saturating_add(array.bytes.div_ceil(128));
    }
    if lines > MAX_LINES {
        problems.add(at("arrays"), format!("{lines} lines of 128 bytes together"), format!("at most {MAX_LINES}"));
    }
    if !(1..=MAX_LAUNCHES).contains(&kernel.launches.len()) {
        problems.add(at("launches"), format!("{} launches", kernel.launches.len()), format!("1 to {MAX_LAUNCHES}"));
    }
    for (i, launch) in kernel.launches.iter().enumerate() {
        check_launch(launch, &kernel.arrays, &element(&at("launches"), i), problems);
    }
}

fn range(value: u64, from: u64, to: u64, path: String, problems: &mut Problems) {
    if !(from..=to).contains(&value) {
        problems.add(path, value, format!("a whole number from {from} to {to}"));
    }
}

fn check_launch(launch: &Launch, arrays: &[Array], path: &str, problems: &mut Problems) {
    let at = |field: &str| format!("{path}.{field}");
    range(launch.ctas.into(), 1, MAX_COUNT.into(), at("ctas"), problems);
    range(launch.threads.into(), 1, 2048, at("threads"), problems);
    range(launch.registers.into(), 1, 255, at("registers"), problems);
    range(launch.shared_bytes.into(), 0, 1 << 20, at("shared_bytes"), problems);
    if !(1..=MAX_OPS).contains(&launch.program.len()) {
        problems.add(at("program"), format!("{} operations", launch.program.len()), format!("1 to {MAX_OPS}"));
    }
    check_program(&launch.program, arrays, &at("program"), problems);
}

/// A loop that is open at some point of a Program.
struct Open {
    issues: bool,
    per_warp: bool,
    path: String,
    /// Operations of its body so far.
    ops: usize,
}

fn check_program(program: &[Op], arrays: &[Array], path: &str, problems: &mut Problems) {
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
            Op::Alu { count, latency, lanes } | Op::Sfu { count, latency, lanes } => {
                range(count.into(), 1, MAX_ALU.into(), at("count"), problems);
                range(latency.into(), 1, MAX_LATENCY.into(), at("latency"), problems);
                range(lanes.into(), 1, 32, at("lanes"), problems);
            }
            Op::Shared { count, stride, lanes } => {
                range(count.into(), 1, MAX_COUNT.into(), at("count"), problems);
                range(stride.into(), 0, 4096, at("stride"), problems);
                range(lanes.into(), 1, 32, at("lanes"), problems);
            }
            Op::Load { ref address, lanes } | Op::Store { ref address, lanes } => {
                range(lanes.into(), 1, 32, at("lanes"), problems);
                check_address(address, arrays, &path, problems);
            }
            Op::Wait { loads } => range(loads.into(), 0, 255, at("loads"), problems),
            Op::Barrier => {
                if let Some(uneven) = open.iter().find(|outer| outer.per_warp) {
                    problems.add(path, "a barrier", format!("none inside {}: its trips differ between the warps of a CTA", uneven.path));
                }
            }
            Op::Loop { trips } => {
                let (min, max) = match trips {
                    Trips::Fixed(n) => (n, n),
                    Trips::PerCta { min, max } | Trips::PerWarp { min, max } => (min, max),
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

fn check_address(address: &Address, arrays: &[Array], path: &str, problems: &mut Problems) {
    let Some(array) = arrays.get(usize::from(address.array)) else {
        problems.add(format!("{path}.array"), address.array, format!("one of the kernel's {} arrays", arrays.len()));
        return;
    };
    let strides = [address.offset, address.cta, address.warp, address.lane, address.loops[0], address.loops[1], address.loops[2]];
    if let Some(stride) = strides.into_iter().find(|stride| stride.unsigned_abs() > 1 << 40) {
        problems.add(path, format!("a stride of {stride}"), "strides up to 2^40 bytes either way");
    }
    if let Scatter::Warp { bytes } | Scatter::Lane { bytes } | Scatter::Skewed { bytes } = address.scatter
        && (bytes < 4 || bytes > array.bytes)
    {
        problems.add(format!("{path}.scatter"), format!("{bytes} bytes"), format!("4 to the array's {}", array.bytes));
    }
}
