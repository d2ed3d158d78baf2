//! A line's words at its home, the L2 bank.

use super::Words;

/// The words of a line that L2 holds. Where a word is registered, its place holds the owner's number instead of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Line {
    /// Words with a value.
    pub valid: Words,
    /// Words of these whose value is newer than DRAM's.
    pub dirty: Words,
    /// Words that an L1D owns; none of them is valid here.
    pub registered: Words,
    /// Words of these that are recalled. Reads and registrations of the line wait meanwhile.
    pub recalled: Words,
    owners: [u8; 32],
}

impl Line {
    /// Of `words`, those that have to come from DRAM first.
    pub fn absent(&self, words: Words) -> Words {
        words & !(self.valid | self.registered)
    }

    /// DRAM has delivered the line of the words `all`: their values go where there is nothing newer. Returns where they went.
    pub fn fetched(&mut self, all: Words) -> Words {
        let taken = self.absent(all);
        self.valid |= taken;
        taken
    }

    /// Of `words`, those that each owner has, owners in ascending order of their numbers.
    pub fn owners(&self, words: Words) -> impl Iterator<Item = (u8, Words)> {
        let owners = self.owners;
        let mut left = words & self.registered;
        core::iter::from_fn(move || {
            let of =
                |owner: u8| (0..32).filter(|word| left >> word & 1 == 1 && owners[*word] == owner).fold(0, |words, word| words | 1 << word);
            let first = (0..32).filter(|word| left >> word & 1 == 1).map(|word| owners[word]).min()?;
            let words = of(first);
            left &= !words;
            Some((first, words))
        })
    }

    /// Of `words`, those that `by` owns.
    pub fn owned_by(&self, words: Words, by: u8) -> Words {
        self.owners(words).find(|&(owner, _)| owner == by).map_or(0, |(_, words)| words)
    }

    /// `by` owns `words` from now on. Returns those that it gets from here; the owners that there were grant the others. Ask for those first.
    pub fn register(&mut self, words: Words, by: u8) -> Words {
        let granted = words & !self.registered | self.owned_by(words, by);
        self.registered |= words;
        self.valid &= !words;
        self.dirty &= !words;
        self.owners.iter_mut().enumerate().filter(|(word, _)| words >> word & 1 == 1).for_each(|(_, owner)| *owner = by);
        granted
    }

    /// `from` writes `words` back. Returns those that are taken, which nobody owns from now on. The others `from` has been asked for in the
    /// meantime, and keeps until it knows: another has registered them, or they are recalled.
    pub fn written_back(&mut self, words: Words, from: u8) -> Words {
        let taken = self.owned_by(words & !self.recalled, from);
        self.registered &= !taken;
        self.written_through(taken);
        taken
    }

    /// Every registered word is recalled from its owner.
    pub fn recall(&mut self) {
        self.recalled = self.registered;
    }

    /// An owner gives back `words`, which were recalled.
    pub fn given_back(&mut self, words: Words) {
        self.registered &= !words;
        self.recalled &= !words;
        self.written_through(words);
    }

    /// Values of `words` come from an L1D that owns nothing.
    pub fn written_through(&mut self, words: Words) {
        self.valid |= words;
        self.dirty |= words;
    }
}
