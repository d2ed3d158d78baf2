//! The microbenchmarks: blocks that load, add and store the same words in every launch.

use super::ikra_parts::{launch, list, program, times};
use super::parts::{ALL, alu, array, load, repeat, store, words};
use crate::describe::kernel::{Address, Kernel, Op, Trips};
use alloc::vec;
use alloc::vec::Vec;

/// Bytes of a CTA: eight words for each of 256 threads.
const BLOCK: i64 = 8192;

/// Load, add, store, a stretch further with each trip of the loop in which it stands.
fn update(depth: usize) -> [Op; 5] {
    let mut loops = [0; 3];
    loops[depth - 1] = BLOCK / 8;
    let at = Address { loops, ..words(0, BLOCK, 128) };
    [load(at), ALL, alu(1), store(at), alu(2)]
}

fn micro(name: &str, title: &str, doc: &str, ctas: u32) -> Kernel {
    let mut work = vec![alu(4), repeat(8)];
    work.extend(update(1));
    work.push(Op::End);
    let arrays = vec![array("data", u64::from(ctas) * BLOCK as u64)];
    program(name, title, SOURCE, doc, arrays, times(16, vec![launch(ctas, 256, 16, 0, work)]), Vec::new())
}

const SOURCE: &str = "Huzaifa et al., TACO 2020, Section 5.4.1";

const DOC: &str = "16 launches in which each thread loads, adds to and stores eight words in place, 8 KB a CTA. From the paper: launches, eight operations. Free: 256 \
                   threads, words of a warp next to each other, CTAs.";

/// GPU-small: an L1D of 32 KB holds what its SM works on.
pub fn small() -> Kernel {
    micro("ikra/SMALL", "GPU-small: data that fit L1D", DOC, 12)
}

/// GPU-medium: between all L1D and L2.
pub fn medium() -> Kernel {
    micro("ikra/MEDIUM", "GPU-medium: data of L1D and L2", DOC, 18)
}

/// GPU-large: mostly L2 and memory.
pub fn large() -> Kernel {
    micro("ikra/LARGE", "GPU-large: data of L2 and memory", DOC, 69)
}

/// Work-Stealing: from 1 to 64 operations a thread, ever more along the grid.
pub fn stealing() -> Kernel {
    let ctas = 69;
    let operations = |cta: u32| 1 + 63 * cta / (ctas - 1);
    // Whole passes over the CTA's words, and what is left.
    let lists = vec![
        list("passes", (0..ctas).map(|cta| operations(cta) / 8).collect()),
        list("rest", (0..ctas).map(|cta| operations(cta) % 8).collect()),
    ];
    let listed = |list| Op::Loop { trips: Trips::ListedPerCta { list } };
    let mut work = vec![alu(4), listed(0), alu(1), repeat(8)];
    work.extend(update(2));
    work.extend([Op::End, Op::End, listed(1)]);
    work.extend(update(1));
    work.push(Op::End);
    let arrays = vec![array("data", u64::from(ctas) * BLOCK as u64)];
    let doc = "As GPU-large, with 1 to 64 operations a thread, in passes over its eight words. From the paper: 1 to 64, the input's size. Free: that they grow along the \
               grid, so that contiguous chunks of CTAs differ.";
    let launches = times(16, vec![launch(ctas, 256, 16, 0, work)]);
    program("ikra/STEALING", "Work-Stealing: CTAs of uneven work", SOURCE, doc, arrays, launches, lists)
}
