//! Words of an L1D, counted by their state.

use crate::machine::coherence::Words;
use crate::machine::coherence::l1::Line;

/// Words of an array in an L1D, by their state; without a state by word (`none`), the words of whole lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WordCounts {
    /// Clean copies.
    pub valid: u32,
    /// Written here, and not made known yet: they wait in the store buffer, or for their registration.
    pub written: u32,
    /// Owned: they stay when a launch begins.
    pub owned: u32,
}

impl WordCounts {
    /// Counts the words of a line that are among `all`.
    pub fn add(&mut self, line: Line, all: Words) {
        let written = (line.written | line.asked) & !line.owned;
        let count = |words: Words| (words & all).count_ones();
        self.owned += count(line.owned);
        self.written += count(written);
        self.valid += count(line.valid & !line.owned & !written);
    }
}
