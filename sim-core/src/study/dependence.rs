//! Which CTA reads what which CTA has written: dependences between the launches of a kernel, counted from its description alone (Huzaifa et al., TACO 2020,
//! Section 2.2).
//!
//! For each lane of each load, the last store to that word in an earlier launch decides. *Self*: by the CTA of the same number in the
//! launch before. *Ghost*: by a neighbour in the grid in the launch before, if that had an equal grid. *Other*: by any other CTA or in an
//! older launch. Arrays that are read only do not count, nor do words that no launch has written yet: what the CPU writes between launches
//! is not in a description.

use crate::describe::gpu::SmClass;
use crate::describe::kernel::{Dim3, Kernel};
use crate::machine::sm::code::Code;
use crate::machine::sm::walk::each_access;
use alloc::vec::Vec;

/// Line by which arrays are laid out; the counts do not depend on it.
const LINE: u32 = 128;

/// What a run of a kernel reads and writes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Dependence {
    /// Reads of what the CTA of the same number wrote in the launch before.
    pub own: u64,
    /// Reads of what a neighbour wrote in the launch before.
    pub ghost: u64,
    /// Reads of what anyone else wrote, or in an older launch.
    pub other: u64,
    /// Of `other`: what the CTA of the same number wrote in an older launch.
    pub own_older: u64,
    /// Words that two CTAs wrote in one launch.
    pub written_twice: u64,
    /// Each launch in order.
    pub launches: Vec<Touched>,
}

/// What one launch reads and writes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Touched {
    /// CTAs of the grid.
    pub ctas: u32,
    /// Bytes of which it reads or writes any, in words.
    pub bytes: u64,
    /// Of these, bytes of arrays that are read only.
    pub read_only: u64,
    /// Accesses of the CTA with most of them, and of all CTAs, in lanes.
    pub most: u64,
    /// See `most`.
    pub accesses: u64,
    /// Reads of what the CTA of the same number wrote in the launch before, and of what any CTA wrote in an earlier one.
    pub own: u64,
    /// See `own`.
    pub written_before: u64,
}

impl Dependence {
    /// Self, ghost and other as parts of all; `None` if there are none.
    pub fn split(&self) -> Option<[f64; 3]> {
        let all = self.own + self.ghost + self.other;
        (all > 0).then(|| [self.own, self.ghost, self.other].map(|part| part as f64 / all as f64))
    }

    /// Self, if what the same CTA wrote in an older launch counts too.
    pub fn own_with_older(&self) -> Option<f64> {
        let all = self.own + self.ghost + self.other;
        (all > 0).then(|| (self.own + self.own_older) as f64 / all as f64)
    }
}

/// Who wrote a word last.
#[derive(Clone, Copy, Default)]
struct Writer {
    /// Launch, from 1; 0 for nobody.
    launch: u32,
    cta: u32,
}

/// Dependences of a whole run of `kernel`, which is valid.
pub fn dependence(kernel: &Kernel) -> Dependence {
    let codes = Code::compile(kernel, 0, 1, LINE, &SmClass { shared_banks: 32, ..SmClass::default() });
    let mut starts = Vec::new();
    let mut words = 0;
    for array in &kernel.arrays {
        starts.push(words);
        words += array.bytes.div_ceil(u64::from(LINE)) as usize * (LINE as usize / 4);
    }
    let read_only = |word: usize| kernel.arrays[starts.partition_point(|&start| start <= word) - 1].read_only;
    let (mut before, mut now) = (alloc::vec![Writer::default(); words], alloc::vec![Writer::default(); words]);
    let mut touched = alloc::vec![0_u32; words];
    let mut found = Dependence::default();
    let mut grid_before = Dim3::default();
    for (code, number) in codes.iter().zip(1_u32..) {
        let mut stored = Vec::new();
        let mut launch = Touched { ctas: code.ctas, bytes: 0, read_only: 0, most: 0, accesses: 0, own: 0, written_before: 0 };
        for cta in 0..code.ctas {
            let mut accesses = 0;
            for warp in 0..code.warps {
                each_access(code, (cta, warp), LINE, &mut { u64::MAX }, |stores, line, byte| {
                    let word = line as usize * (LINE as usize / 4) + byte as usize / 4;
                    accesses += 1;
                    if touched[word] != number {
                        touched[word] = number;
                        launch.bytes += 4;
                        launch.read_only += 4 * u64::from(read_only(word));
                    }
                    if stores {
                        let last = core::mem::replace(&mut now[word], Writer { launch: number, cta });
                        if last.launch != number {
                            stored.push(word);
                        } else if last.cta != cta {
                            found.written_twice += 1;
                        }
                        return;
                    }
                    let writer = before[word];
                    if writer.launch == 0 || read_only(word) {
                        return;
                    }
                    let is_last = writer.launch + 1 == number;
                    launch.written_before += 1;
                    if is_last && writer.cta == cta {
                        launch.own += 1;
                        found.own += 1;
                    } else if is_last && grid_before == code.grid && are_neighbours(code.grid, cta, writer.cta) {
                        found.ghost += 1;
                    } else {
                        found.other += 1;
                        found.own_older += u64::from(writer.cta == cta);
                    }
                });
            }
            launch.most = launch.most.max(accesses);
            launch.accesses += accesses;
        }
        stored.into_iter().for_each(|word| before[word] = now[word]);
        grid_before = code.grid;
        found.launches.push(launch);
    }
    found
}

/// Whether two CTAs are next to each other, also across a corner.
fn are_neighbours(grid: Dim3, one: u32, other: u32) -> bool {
    let at = |cta: u32| [cta % grid.x, cta / grid.x % grid.y, cta / grid.x / grid.y];
    at(one).into_iter().zip(at(other)).all(|(one, other)| one.abs_diff(other) <= 1)
}
