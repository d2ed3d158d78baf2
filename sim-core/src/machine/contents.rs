//! What the L1Ds hold, and how much of that their next CTAs will read. It is counted when somebody looks, and kept nowhere.

use super::Machine;
use super::coherence::{Words, all_words};
use super::l1d::word_counts::WordCounts;
use super::sm::walk::each_access;
use crate::describe::ids::{KernelId, LineAddr};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// A CTA that runs on an SM or is before it, and how much of what it reads is in that SM's L1D.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ahead {
    /// SM.
    pub sm: u16,
    /// Number in the grid.
    pub cta: u32,
    /// It runs already.
    pub runs: bool,
    /// Words that it reads, each once.
    pub reads: u32,
    /// Of these, those that are here.
    pub here: u32,
}

impl Machine {
    /// What each L1D holds of each array: SM by SM, and of each all arrays of all kernels in turn.
    pub fn l1_contents(&self) -> Vec<WordCounts> {
        let all = all_words(self.gpu().l2.line_bytes);
        let mut held = alloc::vec![WordCounts::default(); self.sms.len() * self.arrays.len()];
        for (sm, held) in self.sms.iter().zip(held.chunks_mut(self.arrays.len().max(1))) {
            for (at, line) in sm.l1().lines() {
                let array = self.arrays.partition_point(|(lines, _)| lines.end <= at);
                let Some(held) = self.arrays.get(array).and_then(|&(_, number)| held.get_mut(number as usize)) else { continue };
                held.add(line, all);
            }
        }
        held
    }

    /// The CTAs of a kernel's launch that each SM runs, the oldest first, then those that it has before it. The latter are as far as the
    /// CTA order deals them, in the order in which the SM comes to them. Programs are walked through to count this, for at most so many
    /// `steps` of each SM: what comes after that is left out.
    pub fn l1_ahead(&self, kernel: KernelId, steps: u64) -> Vec<Ahead> {
        let line_bytes = self.gpu().l2.line_bytes;
        let Some(code) = self.codes(kernel).get(self.run(kernel).launch.index()) else { return Vec::new() };
        let shares = self.shares(kernel);
        let mut found = Vec::new();
        for (index, sm) in self.sms.iter().enumerate() {
            let here: BTreeMap<LineAddr, Words> = sm.l1().lines().into_iter().map(|(at, line)| (at, line.valid)).collect();
            let mut running: Vec<_> = sm.ctas.slots().iter().flatten().filter(|cta| cta.kernel == kernel).collect();
            running.sort_unstable_by_key(|cta| cta.order);
            let running = running.into_iter().map(|cta| (cta.cta, true));
            let ahead = shares.iter().flat_map(|shares| shares.ahead(index)).map(|cta| (cta, false));
            let mut left = steps;
            for (cta, runs) in running.chain(ahead) {
                let mut reads: BTreeMap<LineAddr, Words> = BTreeMap::new();
                let mut whole = |warp| {
                    each_access(code, (cta, warp), line_bytes, &mut left, |stores, line, byte| {
                        if !stores {
                            *reads.entry(line).or_default() |= 1 << (byte / 4);
                        }
                    })
                };
                if !(0..code.warps).all(&mut whole) {
                    break;
                }
                let count = |words: Words| words.count_ones();
                let of_these = |(line, &words): (&LineAddr, &Words)| count(words & here.get(line).copied().unwrap_or(0));
                let (all, here) = (reads.values().copied().map(count).sum(), reads.iter().map(of_these).sum());
                found.push(Ahead { sm: index as u16, cta, runs, reads: all, here });
            }
        }
        found
    }
}
