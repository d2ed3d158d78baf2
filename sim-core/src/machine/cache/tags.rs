//! A set-associative tag array with LRU replacement, dirty bits, owners, and way masks that bound where a fill may go.
//!
//! A way may be reserved for a line under way: no lookup finds the line before it is filled, and no other line takes the way.

use super::super::derived::Derived;
use super::recency::Recency;
use crate::describe::gpu::SetIndex;
use crate::describe::ids::{KernelId, LineAddr};
use alloc::boxed::Box;
use alloc::vec;
use core::ops::Range;

/// Marks an empty way: validation keeps kernels from reaching this line.
const EMPTY: LineAddr = LineAddr::MAX;

/// The lowest bit of each byte.
const BYTES: u64 = 0x0101_0101_0101_0101;

/// Set in a line's `meta` when its data is newer than the level below.
const DIRTY: u8 = 0x80;

/// Set in a line's `meta` while its way is reserved for it. Its sign is the complement of the line's own, so that `find` passes it by.
const RESERVED: u8 = 0x40;

/// Set in a line's `meta` while a line is there, or has its way reserved: what is in the slot need not be read for that. It follows from the slot.
const HELD: u8 = 0x20;

/// The bits of `meta` that say whose the line is.
const OWNER: u8 = HELD - 1;

/// What a fill pushed out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Victim {
    /// A line that is below as it was here.
    Clean,
    /// A line that must be written back.
    Dirty(LineAddr),
}

/// The tag array. What one access looks at lies together: the arrays of all SMs are more than a processor's own caches hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Tags {
    sets: u32,
    index: SetIndex,
    ways: u32,
    /// Of the first `sets` sets, and of those that there were once.
    lines: Box<[LineAddr]>,
    /// Owner in the low bits, what is set of a line above.
    meta: Box<[u8]>,
    /// The ways of each set by their last use.
    recency: Recency,
    /// A byte of each line that follows from its number, eight ways a word: says without a look at each way which may hold a line.
    signs: Derived<Box<[u64]>>,
    /// Words of signs of a set.
    sign_words: Derived<u32>,
}

impl Tags {
    /// An empty array of `bytes` capacity in sets of `ways` lines of `line_bytes`; at least one set.
    pub fn new(index: SetIndex, bytes: u32, ways: u32, line_bytes: u32) -> Self {
        let sets = (bytes / (ways * line_bytes)).max(1);
        let slots = (sets * ways) as usize;
        let sign_words = ways.div_ceil(8);
        Tags {
            sets,
            index,
            ways,
            lines: vec![EMPTY; slots].into(),
            meta: vec![0; slots].into(),
            recency: Recency::new(sets, ways),
            signs: Derived(vec![0; (sets * sign_words) as usize].into()),
            sign_words: Derived(sign_words),
        }
    }

    /// Drops every line, and goes on with so many sets, at most as many as at first.
    pub fn restart(&mut self, sets: u32) {
        self.sets = sets;
        self.lines.fill(EMPTY);
        self.meta.fill(0);
        self.signs.fill(0);
        self.recency.restart();
    }

    /// Empties a slot.
    #[inline]
    fn empty(&mut self, slot: u32) {
        self.lines[slot as usize] = EMPTY;
        self.meta[slot as usize] = 0;
        self.recency.make_oldest(slot / self.ways, slot % self.ways);
    }

    /// The set of a line, and its sign.
    fn set(&self, line: LineAddr) -> (u32, u64) {
        let sign = line.wrapping_mul(0x9e37_79b1) >> 24;
        (self.index.set(line, self.sets), sign.into())
    }

    /// The slot of a line, if it is there, without counting as a use.
    #[inline]
    pub fn find(&self, line: LineAddr) -> Option<u32> {
        let (set, sign) = self.set(line);
        self.find_in(set, sign, line)
    }

    #[inline]
    fn find_in(&self, set: u32, sign: u64, line: LineAddr) -> Option<u32> {
        let first = set * self.ways;
        let lines = &self.lines[first as usize..(first + self.ways) as usize];
        let signs = (set * *self.sign_words) as usize;
        for (word, &signs) in (0..).step_by(8).zip(&self.signs[signs..signs + *self.sign_words as usize]) {
            let mut same = alike(signs, sign);
            while same != 0 {
                let way = word + (same.trailing_zeros() >> 3);
                // A word has signs beyond the last way, too.
                if lines.get(way as usize) == Some(&line) {
                    return Some(first + way);
                }
                same &= same - 1;
            }
        }
        None
    }

    /// The slot of a line, if it is there; the line becomes the most recently used of its set.
    pub fn lookup(&mut self, line: LineAddr) -> Option<u32> {
        let (set, sign) = self.set(line);
        let slot = self.find_in(set, sign, line)?;
        self.recency.make_newest(set, slot - set * self.ways);
        Some(slot)
    }

    /// Marks the line in a slot as newer than below.
    pub fn set_dirty(&mut self, slot: u32) {
        self.meta[slot as usize] |= DIRTY;
    }

    /// Puts a line in as the most recently used, for `kernel`, into one of the ways of `mask` (at least one of the array's ways): an empty
    /// one, else the least recently used. Returns what it pushed out. A line that is there already is only refreshed.
    pub fn fill(&mut self, line: LineAddr, kernel: KernelId, dirty: bool, mask: u32) -> Option<Victim> {
        let dirty_bit = u8::from(dirty) * DIRTY;
        let (set, sign) = self.set(line);
        if let Some(slot) = self.find_in(set, sign, line) {
            self.recency.make_newest(set, slot - set * self.ways);
            self.meta[slot as usize] |= dirty_bit;
            return None;
        }
        let (way, victim) = self.put(line, (set, sign), kernel.0 | dirty_bit, mask);
        self.recency.make_newest(set, way);
        victim
    }

    /// The way of a set that a line takes which may go into the ways of `mask`: if each is reserved, the first.
    #[inline]
    fn way(&self, set: u32, mask: u32) -> u32 {
        self.recency.oldest(set, mask).unwrap_or_else(|| mask.trailing_zeros())
    }

    /// The slot that a line takes which is not there and may go into the ways of `mask`, at least one of the array's.
    pub fn place_of(&self, line: LineAddr, mask: u32) -> u32 {
        let set = self.set(line).0;
        set * self.ways + self.way(set, mask)
    }

    /// Puts a line that is not in its set in, with what its sign and `meta` shall be: which way it took, and what it pushed out.
    #[inline]
    fn put(&mut self, line: LineAddr, (set, sign): (u32, u64), meta: u8, mask: u32) -> (u32, Option<Victim>) {
        let way = self.way(set, mask);
        let chosen = (set * self.ways + way) as usize;
        self.sign(set, way, sign);
        let victim = match self.meta[chosen] {
            before if before & HELD == 0 => None,
            before if before & DIRTY == 0 => Some(Victim::Clean),
            _ => Some(Victim::Dirty(self.lines[chosen])),
        };
        self.lines[chosen] = line;
        self.meta[chosen] = meta | HELD;
        (way, victim)
    }

    /// Sets the sign of a way.
    #[inline]
    fn sign(&mut self, set: u32, way: u32, sign: u64) {
        let signs = &mut self.signs[(set * *self.sign_words + way / 8) as usize];
        *signs = *signs & !(0xff << (way % 8 * 8)) | sign << (way % 8 * 8);
    }

    /// Whether a line's set has a way in `mask` that is not reserved.
    pub fn can_reserve(&self, line: LineAddr, mask: u32) -> bool {
        self.recency.oldest(self.set(line).0, mask).is_some()
    }

    /// Reserves a way of `mask` for a line that is not there; the caller has checked `can_reserve`. Returns what it pushed out.
    pub fn reserve(&mut self, line: LineAddr, kernel: KernelId, mask: u32) -> Option<Victim> {
        let (set, sign) = self.set(line);
        let (way, victim) = self.put(line, (set, !sign & 0xff), kernel.0 | RESERVED, mask);
        self.recency.take_out(set, way);
        victim
    }

    /// The line for which a way is reserved has arrived: it is there, as the most recently used.
    pub fn fill_reserved(&mut self, line: LineAddr) {
        let (set, sign) = self.set(line);
        if let Some(slot) = self.find_in(set, !sign & 0xff, line) {
            let way = slot - set * self.ways;
            self.sign(set, way, sign);
            self.meta[slot as usize] &= !RESERVED;
            self.recency.make_newest(set, way);
        }
    }

    /// Ways that are reserved.
    pub fn reserved(&self) -> u32 {
        self.meta.iter().filter(|&&meta| meta & RESERVED != 0).count() as u32
    }

    /// Drops a line, if it is there.
    pub fn invalidate(&mut self, line: LineAddr) {
        if let Some(slot) = self.find(line) {
            self.empty(slot);
        }
    }

    /// Drops the lines of kernels that `of` picks, but for those whose way is only reserved: these are still to come.
    pub fn drop_lines(&mut self, of: impl Fn(KernelId) -> bool) {
        for slot in 0..self.lines.len() {
            let meta = self.meta[slot];
            if meta & HELD != 0 && meta & RESERVED == 0 && of(KernelId(meta & OWNER)) {
                self.empty(slot as u32);
            }
        }
    }

    /// Lines that are there, or whose way is reserved.
    pub fn held(&self) -> u32 {
        self.meta.iter().filter(|&&meta| meta & HELD != 0).count() as u32
    }

    /// Lines that `kernel` has filled and that are still there.
    pub fn resident(&self, kernel: KernelId) -> u32 {
        self.meta.iter().filter(|&&meta| meta & !DIRTY == HELD | kernel.0).count() as u32
    }

    /// Places for lines, over all sets.
    pub fn slots(&self) -> u32 {
        self.sets * self.ways
    }

    /// The slots of the set that a line goes to, from way 0 on.
    pub fn slots_of(&self, line: LineAddr) -> Range<u32> {
        let first = self.set(line).0 * self.ways;
        first..first + self.ways
    }

    /// The line in a slot.
    pub fn line(&self, slot: u32) -> Option<LineAddr> {
        Some(self.lines[slot as usize]).filter(|&line| line != EMPTY)
    }

    /// The kernel whose line is in a slot.
    pub fn owner(&self, slot: u32) -> KernelId {
        KernelId(self.meta[slot as usize] & OWNER)
    }

    /// Ways of each set.
    pub fn ways(&self) -> u32 {
        self.ways
    }

    /// Sets of the array.
    pub fn sets(&self) -> (u32, SetIndex) {
        (self.sets, self.index)
    }
}

/// Marks the bytes of `signs` that are equal to `sign`, and few others, by their highest bit.
#[inline]
fn alike(signs: u64, sign: u64) -> u64 {
    let differences = signs ^ (sign * BYTES);
    differences.wrapping_sub(BYTES) & !differences & BYTES << 7
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::rng::{below, mix};

    const K: KernelId = KernelId(0);

    #[test]
    fn least_recently_used_leaves_first() {
        let mut tags = Tags::new(SetIndex::Modulo, 2 * 128, 2, 128);
        assert_eq!(tags.fill(1, K, false, !0), None);
        assert_eq!(tags.fill(2, K, true, !0), None);
        assert!(tags.lookup(1).is_some());
        assert_eq!(tags.fill(3, K, false, !0), Some(Victim::Dirty(2)));
        assert!(tags.find(1).is_some() && tags.find(2).is_none());
    }

    #[test]
    fn a_fill_stays_within_its_ways_and_hits_are_everywhere() {
        let mut tags = Tags::new(SetIndex::Modulo, 4 * 128, 4, 128);
        for line in 0..4 {
            tags.fill(line, KernelId(0), false, 0b0011);
        }
        assert_eq!(tags.resident(KernelId(0)), 2);
        tags.fill(10, KernelId(1), false, 0b1100);
        assert!(tags.lookup(10).is_some() && tags.lookup(3).is_some());
        assert_eq!(tags.resident(KernelId(0)), 2);
    }

    /// A reserved way is no victim, and its line is nowhere until it is filled; then it is the most recently used.
    #[test]
    fn a_reserved_way_is_neither_found_nor_pushed_out() {
        let mut tags = Tags::new(SetIndex::Modulo, 4 * 128, 4, 128);
        (0..4).for_each(|line| assert_eq!(tags.fill(line, KernelId(1), false, !0), None));
        let pushed = |tags: &mut Tags, line, mask, reserves| {
            let before = tags.line(tags.place_of(line, mask));
            let victim = if reserves { tags.reserve(line, K, mask) } else { tags.fill(line, K, false, mask) };
            victim.and(before)
        };
        assert_eq!([10, 11].map(|line| pushed(&mut tags, line, 0b0011, true)), [Some(0), Some(1)]);
        assert_eq!((tags.find(10), tags.reserved(), tags.resident(K), tags.resident(KernelId(1))), (None, 2, 0, 2));
        assert!(!tags.can_reserve(12, 0b0011) && tags.can_reserve(12, 0b0111));
        // A line that never arrives is dropped by no one, and fills go elsewhere.
        tags.invalidate(10);
        assert_eq!([20, 21, 22].map(|line| pushed(&mut tags, line, !0, false)), [Some(2), Some(3), Some(20)]);
        tags.fill_reserved(11);
        assert_eq!((tags.find(11), tags.reserved(), tags.resident(K)), (Some(1), 1, 3));
        assert_eq!([30, 31, 32].map(|line| pushed(&mut tags, line, !0, false)), [Some(21), Some(22), Some(11)]);
    }

    /// Nugteren et al. (HPCA 2014): of a 16 KB cache, address bit 7 + n is bit n of the set. Bits 13, 14, 15, 17 and 19 each turn one
    /// over; 12, 16 and 18 do nothing. So 32 rows of 4 KB have their first words in eight sets, where modulo puts them into one. A cache
    /// of 48 KB looks at bit 12 too.
    #[test]
    fn fermi_spreads_rows_of_a_power_of_two_over_sets() {
        let set = |sets: u32, address: u32| SetIndex::Fermi.set(address / 128, sets);
        for (bit, turned) in
            [(7, 1), (8, 2), (9, 4), (10, 8), (11, 16), (13, 1), (14, 2), (15, 4), (17, 8), (19, 16), (12, 0), (16, 0), (18, 0), (20, 0)]
        {
            let address = 0b1010_0110_1011_0000_0000;
            assert_eq!(set(32, address ^ 1 << bit), set(32, address) ^ turned, "bit {bit}");
            assert_eq!(set(64, address ^ 1 << bit), set(64, address) ^ if bit == 12 { 32 } else { turned }, "bit {bit} of 64 sets");
        }
        let sets = |index: SetIndex| (0..32).fold(0_u32, |seen, row| seen | 1 << index.set(row * 32, 32)).count_ones();
        assert_eq!([SetIndex::Modulo, SetIndex::Fermi].map(sets), [1, 8]);
        // The ways of these sets hold all 32 lines.
        let mut tags = Tags::new(SetIndex::Fermi, 16 * 1024, 4, 128);
        assert!((0..32).all(|row| tags.fill(row * 32, K, false, !0).is_none()));
        assert!((0..32).all(|row| tags.lookup(row * 32).is_some()));
    }

    /// Is the way that a line takes always an empty one, or else the least recently used of those that it may take?
    #[test]
    fn a_line_takes_the_way_used_longest_ago() {
        for ways in [1, 4, 7, 32] {
            let mut tags = Tags::new(SetIndex::Modulo, 3 * ways * 128, ways, 128);
            // When each slot was used last, as seen from outside: 0 without a line.
            let mut used = vec![0; tags.slots() as usize];
            for n in 1..4000 {
                let line = below(mix(7, n), 5 * u64::from(ways)) as u32;
                let all = u32::MAX >> (32 - ways);
                let mask = match mix(11, n) as u32 & all {
                    0 => all,
                    mask => mask,
                };
                let first = tags.slots_of(line).start;
                let free = |slot: &u32| tags.meta[*slot as usize] & RESERVED == 0;
                let allowed = (0..ways).filter(|way| mask >> way & 1 != 0).map(|way| first + way);
                let oldest = allowed.filter(free).map(|slot| used[slot as usize]).min();
                let taken = tags.place_of(line, mask);
                assert_eq!(oldest.is_some(), tags.can_reserve(line, mask), "{ways} ways, step {n}");
                assert!(oldest.is_none_or(|oldest| used[taken as usize] == oldest), "{ways} ways, step {n}");
                let coming = tags.slots_of(line).any(|slot| tags.lines[slot as usize] == line && !free(&slot));
                match below(mix(13, n), 8) {
                    0 => tags.invalidate(line),
                    1..=3 if coming => tags.fill_reserved(line),
                    _ if coming => continue,
                    1 if tags.find(line).is_none() && tags.can_reserve(line, mask) => drop(tags.reserve(line, K, mask)),
                    2 => drop(tags.lookup(line)),
                    3 if below(mix(17, n), 50) == 0 => tags.drop_lines(|_| true),
                    _ => drop(tags.fill(line, K, false, mask)),
                }
                used.iter_mut().zip(&tags.lines).filter(|(_, held)| **held == EMPTY).for_each(|(used, _)| *used = 0);
                if let Some(slot) = tags.find(line) {
                    used[slot as usize] = n;
                }
            }
        }
    }

    /// First principles: exact number of misses in ten cyclic sweeps over a 24 KB, 8-way cache.
    #[test]
    fn cyclic_sweeps_miss_exactly() {
        for (lines, misses) in [(96, 96), (192, 192), (193, 274), (200, 848), (216, 2160), (240, 2400), (384, 3840)] {
            let mut tags = Tags::new(SetIndex::Modulo, 24 * 1024, 8, 128);
            let mut missed = 0;
            for line in (0..10).flat_map(|_| 0..lines) {
                if tags.lookup(line).is_none() {
                    missed += 1;
                    tags.fill(line, K, false, !0);
                }
            }
            assert_eq!(missed, misses, "{lines} lines");
        }
    }
}
