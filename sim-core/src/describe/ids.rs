//! Identifiers and the small tables indexed by them. No `usize` is stored in machine state: its width differs between targets.

use super::digest::Fnv;
use core::hash::{Hash, Hasher};
use core::ops::{BitAnd, BitOr, BitOrAssign, Index, IndexMut, Sub};

/// A point in time, counted in SM (core) clock cycles from the start of the run.
pub type Cycle = u64;

/// "Never": later than any cycle that a run can reach.
pub const NEVER: Cycle = Cycle::MAX;

/// Kernels of a mix, at most: what a set of kernels holds, and what the address space is divided among. MPS allows 48 clients.
pub const MAX_KERNELS: usize = 16;

/// A set of kernels, a bit each.
pub type Kernels = u16;

/// A global-memory line: byte address divided by the line size.
pub type LineAddr = u32;

/// Position of a kernel in the experiment's mix, `0..MAX_KERNELS`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct KernelId(pub u8);

impl KernelId {
    /// The position as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The first `count` kernels in order.
    pub fn first(count: usize) -> impl DoubleEndedIterator<Item = KernelId> + Clone {
        (0..count as u8).map(KernelId)
    }
}

/// A launch of a kernel's run, from 0, each repeat counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct LaunchId(pub u16);

impl LaunchId {
    /// Its position in the sequence.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One byte where one is enough: the digest of a short sequence is that of the time when no other existed.
impl Hash for LaunchId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u8(self.0 as u8);
        if self.0 > 255 {
            state.write_u8((self.0 >> 8) as u8);
        }
    }
}

/// One value for each kernel of the mix.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PerKernel<T>(pub [T; MAX_KERNELS]);

/// Kernels whose values every hash has, whether the mix has these kernels or not.
const ALWAYS_HASHED: usize = 8;

/// The values of the first eight kernels, as they stand. Each other one has a hash of its own, which a digest takes if the mix has the kernel.
impl<T: Hash> Hash for PerKernel<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let (first, others) = self.0.split_at(ALWAYS_HASHED);
        first.hash(state);
        for (kernel, value) in (ALWAYS_HASHED..).zip(others) {
            let mut own = Fnv::default();
            value.hash(&mut own);
            state.write_u128((kernel as u128) << 64 | u128::from(own.finish()));
        }
    }
}

impl<T: Copy> PerKernel<T> {
    /// One value for every kernel.
    pub const fn all(value: T) -> Self {
        PerKernel([value; MAX_KERNELS])
    }
}

impl<T: Copy + Default> PerKernel<T> {
    /// The values of the first kernels; what is default for the others.
    #[cfg(test)]
    pub fn of(first: &[T]) -> Self {
        PerKernel(core::array::from_fn(|kernel| first.get(kernel).copied().unwrap_or_default()))
    }
}

impl<T> Index<KernelId> for PerKernel<T> {
    type Output = T;
    fn index(&self, kernel: KernelId) -> &T {
        &self.0[kernel.index()]
    }
}

impl<T> IndexMut<KernelId> for PerKernel<T> {
    fn index_mut(&mut self, kernel: KernelId) -> &mut T {
        &mut self.0[kernel.index()]
    }
}

/// SMs, L2 banks or DRAM channels of a GPU, at most: what a [`Set`] holds.
pub const MAX_PARTS: u32 = 256;

/// A set of SMs, banks, channels or ports: of numbers below [`MAX_PARTS`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Set([u64; 4]);

impl Set {
    /// Nothing.
    pub const EMPTY: Set = Set([0; 4]);

    /// Every number.
    pub const ALL: Set = Set([u64::MAX; 4]);

    /// The positions of the items for which `is_in` holds.
    #[inline]
    pub fn of<T>(items: &[T], is_in: impl Fn(&T) -> bool) -> Set {
        let mut set = Set::EMPTY;
        for (word, items) in set.0.iter_mut().zip(items.chunks(64)) {
            *word = items.iter().rev().fold(0, |word, item| word << 1 | u64::from(is_in(item)));
        }
        set
    }

    /// The numbers below `end`.
    pub fn below(end: u32) -> Set {
        let mut set = Set::ALL;
        for (first, word) in (0..).step_by(64).zip(&mut set.0) {
            *word = if end >= first + 64 { u64::MAX } else { (1 << end.saturating_sub(first)) - 1 };
        }
        set
    }

    /// Whether a number is in the set.
    #[inline]
    pub fn contains(&self, member: u32) -> bool {
        self.0[word(member)] >> (member & 63) & 1 != 0
    }

    /// Puts a number in.
    #[inline]
    pub fn insert(&mut self, member: u32) {
        self.put(member, true);
    }

    /// Puts a number in if `is_in`, and leaves it as it is otherwise.
    #[inline]
    pub fn put(&mut self, member: u32, is_in: bool) {
        self.0[word(member)] |= u64::from(is_in) << (member & 63);
    }

    /// Puts a number in if `is_in`, and takes it out otherwise.
    #[inline]
    pub fn set(&mut self, member: u32, is_in: bool) {
        let word = &mut self.0[word(member)];
        *word = *word & !(1 << (member & 63)) | u64::from(is_in) << (member & 63);
    }

    /// Takes a number out.
    #[inline]
    pub fn remove(&mut self, member: u32) {
        self.0[word(member)] &= !(1 << (member & 63));
    }

    /// Nothing is in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        let [a, b, c, d] = self.0;
        a | b | c | d == 0
    }

    /// How many numbers are in it.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The lowest number.
    #[inline]
    pub fn first(&self) -> Option<u32> {
        let low = self.0[0];
        if low != 0 { Some(low.trailing_zeros()) } else { self.members(false).next() }
    }

    /// The lowest number above `member`.
    #[inline]
    pub fn after(&self, member: u32) -> Option<u32> {
        let at = word(member);
        let above = self.0[at] & (!1 << (member & 63));
        if above != 0 {
            return Some(member & !63 | above.trailing_zeros());
        }
        (at + 1..4).find(|&at| self.0[at] != 0).map(|at| (at as u32) << 6 | self.0[at].trailing_zeros())
    }

    /// The numbers in ascending order, or descending.
    #[inline]
    pub fn members(&self, reversed: bool) -> Members {
        let words = self.0;
        // GPUs with more than 64 of anything are few; the others look at one word.
        if words[1] | words[2] | words[3] == 0 {
            return Members { words, word: words[0], base: 0, left: 0, reversed };
        }
        let first = if reversed { 3 } else { 0 };
        Members { words, word: words[first as usize], base: first << 6, left: 3, reversed }
    }

    /// The set whose first words are these.
    pub fn from_words(words: &[u64]) -> Set {
        let mut set = Set::EMPTY;
        set.0.iter_mut().zip(words).for_each(|(word, from)| *word = *from);
        set
    }

    /// The numbers from 64 × `word` on, below the next word's, a bit each.
    #[inline]
    pub fn word(&self, word: u32) -> u64 {
        self.0[(word & 3) as usize]
    }

    /// The numbers from 64 × `word` on, below the next word's, a bit each, to change.
    #[inline]
    pub fn word_mut(&mut self, word: u32) -> &mut u64 {
        &mut self.0[(word & 3) as usize]
    }

    /// Numbers 0 to 63, 64 to 127 and so on, a bit each.
    pub fn words(&self) -> [u64; 4] {
        self.0
    }
}

/// Words of a [`Set`] that `parts` parts take. Who visits members often goes through these words, one for most GPUs, and through the
/// [`members_of`] each.
#[inline]
pub fn words(parts: u32) -> u32 {
    parts.div_ceil(64)
}

/// The bit of a number in its word.
#[inline]
pub fn bit(member: u32) -> u64 {
    1 << (member & 63)
}

/// The numbers that `bits`, from the word of that number, stand for: in ascending order, or descending.
#[inline]
pub fn members_of(word: u32, mut bits: u64, reversed: bool) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        if bits == 0 {
            return None;
        }
        let bit = if reversed { 63 - bits.leading_zeros() } else { bits.trailing_zeros() };
        bits &= !(1 << bit);
        Some(word << 6 | bit)
    })
}

/// The numbers of a set, in order.
#[derive(Clone, Debug)]
pub struct Members {
    words: [u64; 4],
    /// What is left of the present word, the number of its lowest bit, and how many words are to come.
    word: u64,
    base: u32,
    left: u32,
    reversed: bool,
}

/// The next word with anything in it, if there is one, with `base` and `left` as [`Members`] has them. Not a method, so that these three stay
/// in registers while a loop walks through a word.
#[cold]
fn next_word(words: &[u64; 4], mut base: u32, mut left: u32, reversed: bool) -> (u64, u32, u32) {
    let mut found = 0;
    while found == 0 && left > 0 {
        left -= 1;
        base = if reversed { base - 64 } else { base + 64 };
        found = words[word(base)];
    }
    (found, base, left)
}

impl Iterator for Members {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.word == 0 {
            if self.left == 0 {
                return None;
            }
            (self.word, self.base, self.left) = next_word(&self.words, self.base, self.left, self.reversed);
            if self.word == 0 {
                return None;
            }
        }
        let bit = if self.reversed { 63 - self.word.leading_zeros() } else { self.word.trailing_zeros() };
        self.word &= !(1 << bit);
        Some(self.base | bit)
    }
}

/// Where a number's bit is.
#[inline]
fn word(member: u32) -> usize {
    (member >> 6 & 3) as usize
}

macro_rules! each_word {
    ($($trait:ident $name:ident |$a:ident, $b:ident| $value:expr;)*) => {
        $(impl $trait for Set {
            type Output = Set;
            #[inline]
            fn $name(mut self, other: Set) -> Set {
                for (a, b) in self.0.iter_mut().zip(other.0) {
                    let ($a, $b) = (*a, b);
                    *a = $value;
                }
                self
            }
        })*
    };
}

each_word! {
    BitOr bitor |a, b| a | b;
    BitAnd bitand |a, b| a & b;
    Sub sub |a, b| a & !b;
}

impl BitOrAssign for Set {
    #[inline]
    fn bitor_assign(&mut self, other: Set) {
        *self = *self | other;
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_KERNELS, MAX_PARTS, PerKernel, Set};
    use crate::describe::digest::Fnv;
    use crate::describe::rng::{below, mix};
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;
    use core::hash::{Hash, Hasher};

    /// A digest has the first eight kernels, as an array of eight has them, and of the others those of the mix.
    #[test]
    fn a_digest_has_every_kernel_of_the_mix() {
        fn digest(kernels: usize, values: impl Hash) -> u64 {
            let mut state = Fnv::of_mix(kernels);
            values.hash(&mut state);
            state.finish()
        }
        let values = PerKernel::all(7_u32);
        for kernels in 1..=MAX_KERNELS {
            let before = digest(kernels, values);
            assert_eq!(before == digest(kernels, [7_u32; 8]), kernels <= 8, "{kernels} kernels");
            for changed in 0..MAX_KERNELS {
                let mut other = values;
                other.0[changed] = 9;
                assert_eq!(digest(kernels, other) != before, changed < kernels.max(8), "{kernels} kernels, the one at {changed}");
            }
        }
    }

    /// Random sets, and random changes to them, against a plain sorted set.
    #[test]
    fn a_set_is_a_set() {
        for round in 0..100 {
            let bound = [1, 16, 64, 65, 132, 256][round as usize % 6];
            let (mut set, mut plain) = (Set::EMPTY, BTreeSet::new());
            for step in 0..200 {
                let key = mix(round, step);
                let member = below(key, bound) as u32;
                if key.is_multiple_of(3) {
                    set.remove(member);
                    plain.remove(&member);
                } else {
                    set.insert(member);
                    plain.insert(member);
                }
                assert_eq!(set.members(false).collect::<Vec<_>>(), plain.iter().copied().collect::<Vec<_>>());
                assert_eq!(set.members(true).collect::<Vec<_>>(), plain.iter().rev().copied().collect::<Vec<_>>());
                assert_eq!((set.len() as usize, set.is_empty(), set.first()), (plain.len(), plain.is_empty(), plain.first().copied()));
                let pivot = below(mix(key, 1), bound) as u32;
                assert_eq!(set.contains(pivot), plain.contains(&pivot));
                assert_eq!(set.after(pivot), plain.range(pivot + 1..).next().copied());
                assert_eq!((set & Set::below(pivot)).len() as usize, plain.range(..pivot).count());
                assert_eq!((set - Set::below(pivot)).len() as usize, plain.range(pivot..).count());
                assert_eq!(set & Set::below(pivot) | (set - Set::below(pivot)), set);
            }
        }
        assert_eq!((Set::ALL, Set::ALL.len()), (Set::below(MAX_PARTS), MAX_PARTS));
        let numbers: Vec<u32> = (0..200).collect();
        assert_eq!(Set::of(&numbers, |n| n % 7 == 3).members(false).collect::<Vec<_>>(), (3..200).step_by(7).collect::<Vec<_>>());
    }
}
