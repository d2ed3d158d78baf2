//! A utility monitor (UMON: Qureshi and Patt, MICRO 2006). For each kernel it has shadow tags of some sets of L1D, as they would be if the
//! kernel had the cache to itself. It counts how many reads hit in each position of their LRU stacks. Hits in the first n positions are
//! the hits that the kernel would have with n ways.
//!
//! Simplified: a line enters its stack when it is read, not when its data arrives, so a read that would join a miss under way counts as a hit.

use crate::describe::gpu::SetIndex;
use crate::describe::ids::{KernelId, LineAddr};
use crate::machine::packet::Access;
use alloc::vec::Vec;

/// Marks an empty place: validation keeps kernels from reaching this line.
const EMPTY: LineAddr = LineAddr::MAX;

/// Shadow tags of one L1D.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Umon {
    /// One set in this many has shadow tags.
    every: u32,
    sets: u32,
    index: SetIndex,
    ways: u32,
    /// Stacks by kernel and monitored set, the most recently used line first.
    stacks: Vec<LineAddr>,
    /// Hits by kernel and position.
    hits: Vec<u64>,
}

impl Umon {
    /// Shadow tags for `kernels` kernels of every `every`-th (from 1 on) of `sets` sets of `ways` ways, without a line.
    pub fn new(every: u32, (sets, index): (u32, SetIndex), ways: u32, kernels: usize) -> Self {
        let slots = (sets.div_ceil(every) * ways) as usize;
        Umon { every, sets, index, ways, stacks: alloc::vec![EMPTY; kernels * slots], hits: alloc::vec![0; kernels * ways as usize] }
    }

    /// The cache is empty, with so many sets: so are the stacks. What has been counted stays.
    pub fn restart(&mut self, (sets, index): (u32, SetIndex)) {
        let kernels = self.hits.len() / self.ways as usize;
        let hits = core::mem::take(&mut self.hits);
        *self = Umon { hits, ..Umon::new(self.every, (sets, index), self.ways, kernels) };
    }

    /// The stack in which a line of a kernel would stand, if its set is monitored.
    fn stack(&self, kernel: KernelId, line: LineAddr) -> Option<core::ops::Range<usize>> {
        let set = self.index.set(line, self.sets);
        if !set.is_multiple_of(self.every) {
            return None;
        }
        let set = (set / self.every) as usize;
        let first = (kernel.index() * self.sets.div_ceil(self.every) as usize + set) * self.ways as usize;
        Some(first..first + self.ways as usize)
    }

    /// L1D has accepted a kernel's access to a line.
    pub fn access(&mut self, kernel: KernelId, line: LineAddr, access: Access) {
        match access {
            Access::Read => self.read(kernel, line),
            Access::Write | Access::Atomic => self.write(kernel, line),
        }
    }

    fn read(&mut self, kernel: KernelId, line: LineAddr) {
        let Some(stack) = self.stack(kernel, line) else { return };
        let stack = &mut self.stacks[stack];
        let position = stack.iter().position(|&held| held == line);
        if let Some(position) = position {
            self.hits[kernel.index() * self.ways as usize + position] += 1;
        }
        let last = position.unwrap_or(stack.len() - 1);
        stack[..=last].rotate_right(1);
        stack[0] = line;
    }

    /// A write takes its line out of L1D.
    fn write(&mut self, kernel: KernelId, line: LineAddr) {
        let Some(stack) = self.stack(kernel, line) else { return };
        let stack = &mut self.stacks[stack];
        if let Some(position) = stack.iter().position(|&held| held == line) {
            stack[position..].rotate_left(1);
            stack[self.ways as usize - 1] = EMPTY;
        }
    }

    /// Hits of a kernel by position, the most recently used first.
    pub fn hits(&self, kernel: KernelId) -> &[u64] {
        let ways = self.ways as usize;
        &self.hits[kernel.index() * ways..(kernel.index() + 1) * ways]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::rng::{below, mix};
    use crate::machine::cache::tags::Tags;

    const K: KernelId = KernelId(1);

    /// Lines 0, 4, 8 share set 0 of four: 0 4 0 finds 0 in the second place, 0 again in the first, 4 in the second, 8 nowhere.
    #[test]
    fn hits_are_counted_by_position() {
        let mut umon = Umon::new(2, (4, SetIndex::Modulo), 2, 2);
        for line in [0, 4, 0, 0, 4, 8, 1, 1] {
            umon.read(K, line);
        }
        assert_eq!(umon.hits(K), [1, 2], "set 1 is not monitored");
        assert_eq!(umon.hits(KernelId(0)), [0, 0]);
        umon.write(K, 4);
        umon.read(K, 4);
        assert_eq!(umon.hits(K), [1, 2], "a write took it out");
    }

    /// First principles: LRU stacks are inclusive, so hits in the first n places are the hits of a real cache of n ways.
    #[test]
    fn the_first_places_hit_as_often_as_a_cache_of_so_many_ways() {
        let mut umon = Umon::new(1, (6, SetIndex::Modulo), 8, 1);
        let mut caches: Vec<(Tags, u64)> = (1..=8).map(|ways| (Tags::new(SetIndex::Modulo, 6 * ways * 128, ways, 128), 0)).collect();
        for n in 0..5000 {
            let line = below(mix(3, n), 70) as u32;
            umon.read(KernelId(0), line);
            for (tags, hits) in &mut caches {
                *hits += u64::from(tags.lookup(line).is_some());
                tags.fill(line, KernelId(0), false, !0);
            }
        }
        let mut sum = 0;
        for ((_, hits), more) in caches.iter().zip(umon.hits(KernelId(0))) {
            sum += more;
            assert_eq!(sum, *hits);
        }
        assert!(sum > 1000);
    }
}
