//! A set-associative tag array with LRU replacement, dirty bits, owners, and way masks that bound where a fill may go.
//!
//! A way may be reserved for a line under way: no lookup finds the line before it is filled, and no other line takes the way.

use super::super::derived::Derived;
use super::super::noc::members;
use crate::describe::gpu::SetIndex;
use crate::describe::ids::{KernelId, LineAddr};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// Marks an empty way: validation keeps kernels from reaching this line.
const EMPTY: LineAddr = LineAddr::MAX;

/// The lowest bit of each byte.
const BYTES: u64 = 0x0101_0101_0101_0101;

/// Set in a line's `meta` when its data is newer than the level below.
const DIRTY: u8 = 0x80;

/// Set in a line's `meta` while its way is reserved for it. Its sign is the complement of the line's own, so that `find` passes it by.
const RESERVED: u8 = 0x40;

/// Time of use of a reserved way: later than any other, so that it is a victim only if every way is reserved.
const IN_USE: u32 = u32::MAX;

/// What a fill pushed out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Victim {
    /// The line that was there.
    pub line: LineAddr,
    /// The kernel that filled it.
    pub kernel: KernelId,
    /// Whether it must be written back.
    pub dirty: bool,
}

/// The tag array.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Tags {
    sets: u32,
    index: SetIndex,
    ways: u32,
    /// Of the first `sets` sets, and of those that there were once.
    lines: Box<[LineAddr]>,
    /// Time of last use, in accesses to this array; 0 without a line.
    used: Box<[u32]>,
    /// Owner in the low bits, `DIRTY` above.
    meta: Box<[u8]>,
    accesses: u32,
    /// A byte of each line that follows from its number, eight ways a word: says without a look at each way which may hold a line.
    signs: Derived<Box<[u64]>>,
    /// Words of signs of a set.
    sign_words: Derived<u32>,
    /// By set: ways that are reserved, a bit each.
    in_use: Derived<Box<[u32]>>,
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
            used: vec![0; slots].into(),
            meta: vec![0; slots].into(),
            accesses: 0,
            signs: Derived(vec![0; (sets * sign_words) as usize].into()),
            sign_words: Derived(sign_words),
            in_use: Derived(vec![0; sets as usize].into()),
        }
    }

    /// Drops every line, and goes on with so many sets, at most as many as at first.
    pub fn restart(&mut self, sets: u32) {
        self.sets = sets;
        self.lines.fill(EMPTY);
        self.used.fill(0);
        self.meta.fill(0);
        self.signs.fill(0);
        self.in_use.fill(0);
    }

    /// The set of a line, and its sign.
    fn set(&self, line: LineAddr) -> (u32, u64) {
        let sign = (line / self.sets).wrapping_mul(0x9e37_79b1) >> 24;
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
        let signs = set * *self.sign_words;
        let same = alike(self.signs[signs as usize], sign);
        let slot = set * self.ways + (same.trailing_zeros() >> 3);
        if same != 0 && self.lines.get(slot as usize) == Some(&line) {
            return Some(slot);
        }
        // Nearly always it is nowhere now.
        if same & same.wrapping_sub(1) == 0 && *self.sign_words == 1 { None } else { self.find_among(set, line, sign) }
    }

    /// The slot of a line, from a look at every way whose sign is the line's.
    #[cold]
    fn find_among(&self, set: u32, line: LineAddr, sign: u64) -> Option<u32> {
        (0..*self.sign_words).find_map(|word| {
            let same = alike(self.signs[(set * *self.sign_words + word) as usize], sign);
            let slots = members(same, false).map(|bit| set * self.ways + word * 8 + bit / 8);
            { slots }.find(|&slot| self.lines.get(slot as usize) == Some(&line))
        })
    }

    /// The slot of a line, if it is there; the line becomes the most recently used of its set.
    pub fn lookup(&mut self, line: LineAddr) -> Option<u32> {
        let slot = self.find(line)?;
        self.used[slot as usize] = self.next_use();
        Some(slot)
    }

    /// The time of one more use.
    #[inline]
    fn next_use(&mut self) -> u32 {
        if self.accesses == IN_USE - 1 {
            self.restart_count();
        }
        self.accesses += 1;
        self.accesses
    }

    /// Restarts the count of accesses: in each set the times of use become ranks, in the same order.
    #[cold]
    fn restart_count(&mut self) {
        for set in self.used.chunks_mut(self.ways as usize) {
            let mut times: Vec<u32> = set.iter().copied().filter(|&time| time != 0 && time != IN_USE).collect();
            times.sort_unstable();
            for time in set.iter_mut().filter(|time| **time != 0 && **time != IN_USE) {
                *time = times.partition_point(|earlier| earlier <= time) as u32;
            }
        }
        self.accesses = self.ways;
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
        let time = self.next_use();
        if let Some(slot) = self.find_in(set, sign, line) {
            self.used[slot as usize] = time;
            self.meta[slot as usize] |= dirty_bit;
            return None;
        }
        self.put(line, (set, sign), kernel.0 | dirty_bit, time, mask)
    }

    /// The way of a set that a line takes which may go into the ways of `mask`.
    #[inline]
    fn oldest(&self, set: u32, mask: u32) -> u32 {
        let first = (set * self.ways) as usize;
        let used = &self.used[first..first + self.ways as usize];
        if mask == u32::MAX { least(used) } else { least_of(used, mask) }
    }

    /// The slot that a line takes which is not there and may go into the ways of `mask`, at least one of the array's.
    pub fn place_of(&self, line: LineAddr, mask: u32) -> u32 {
        let set = self.set(line).0;
        set * self.ways + self.oldest(set, mask)
    }

    /// Puts a line that is not in its set in, with what its sign, `meta` and `used` shall be.
    #[inline]
    fn put(&mut self, line: LineAddr, (set, sign): (u32, u64), meta: u8, time: u32, mask: u32) -> Option<Victim> {
        let way = self.oldest(set, mask);
        let chosen = (set * self.ways + way) as usize;
        self.sign(set, way, sign);
        let in_use = &mut self.in_use[set as usize];
        *in_use = *in_use & !(1 << way) | u32::from(time == IN_USE) << way;
        let victim = (self.lines[chosen] != EMPTY).then(|| Victim {
            line: self.lines[chosen],
            kernel: KernelId(self.meta[chosen] & !DIRTY),
            dirty: self.meta[chosen] & DIRTY != 0,
        });
        self.lines[chosen] = line;
        self.used[chosen] = time;
        self.meta[chosen] = meta;
        victim
    }

    /// Sets the sign of a way.
    #[inline]
    fn sign(&mut self, set: u32, way: u32, sign: u64) {
        let signs = &mut self.signs[(set * *self.sign_words + way / 8) as usize];
        *signs = *signs & !(0xff << (way % 8 * 8)) | sign << (way % 8 * 8);
    }

    /// Whether a line's set has a way in `mask` that is not reserved.
    pub fn can_reserve(&self, line: LineAddr, mask: u32) -> bool {
        let ways = u32::MAX >> (u32::BITS - self.ways);
        mask & ways & !self.in_use[self.set(line).0 as usize] != 0
    }

    /// Reserves a way of `mask` for a line that is not there; the caller has checked `can_reserve`. Returns what it pushed out.
    pub fn reserve(&mut self, line: LineAddr, kernel: KernelId, mask: u32) -> Option<Victim> {
        let (set, sign) = self.set(line);
        self.put(line, (set, !sign & 0xff), kernel.0 | RESERVED, IN_USE, mask)
    }

    /// The line for which a way is reserved has arrived: it is there, as the most recently used.
    pub fn fill_reserved(&mut self, line: LineAddr) {
        let (set, sign) = self.set(line);
        if let Some(slot) = self.find_in(set, !sign & 0xff, line) {
            let way = slot - set * self.ways;
            self.sign(set, way, sign);
            self.in_use[set as usize] &= !(1 << way);
            self.meta[slot as usize] &= !RESERVED;
            self.used[slot as usize] = self.next_use();
        }
    }

    /// Ways that are reserved.
    pub fn reserved(&self) -> u32 {
        self.in_use.iter().map(|ways| ways.count_ones()).sum()
    }

    /// Drops a line, if it is there.
    pub fn invalidate(&mut self, line: LineAddr) {
        if let Some(slot) = self.find(line) {
            self.lines[slot as usize] = EMPTY;
            self.used[slot as usize] = 0;
            self.meta[slot as usize] = 0;
        }
    }

    /// Drops the lines of kernels that `of` picks, but for those whose way is only reserved: these are still to come.
    pub fn drop_lines(&mut self, of: impl Fn(KernelId) -> bool) {
        for ((line, used), meta) in self.lines.iter_mut().zip(&mut self.used).zip(&mut self.meta) {
            if *line != EMPTY && *meta & RESERVED == 0 && of(KernelId(*meta & !DIRTY)) {
                (*line, *used, *meta) = (EMPTY, 0, 0);
            }
        }
    }

    /// Lines that are there, or whose way is reserved.
    pub fn held(&self) -> u32 {
        self.lines.iter().filter(|&&line| line != EMPTY).count() as u32
    }

    /// Lines that `kernel` has filled and that are still there.
    pub fn resident(&self, kernel: KernelId) -> u32 {
        self.lines.iter().zip(self.meta.iter()).filter(|&(&line, &meta)| line != EMPTY && meta & !DIRTY == kernel.0).count() as u32
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

    /// Ways of each set.
    pub fn ways(&self) -> u32 {
        self.ways
    }

    /// Sets of the array.
    pub fn sets(&self) -> (u32, SetIndex) {
        (self.sets, self.index)
    }
}

/// Where the least of some numbers is, the first of equals.
#[inline]
fn least(numbers: &[u32]) -> u32 {
    // Two passes without a branch; for as many ways as most arrays have, without a loop.
    let least = |numbers: &[u32]| {
        let least = numbers.iter().copied().fold(u32::MAX, u32::min);
        (0..).zip(numbers).map(|(at, &number)| if number == least { at } else { u32::MAX }).fold(u32::MAX, u32::min)
    };
    match numbers.len() {
        8 => least(&numbers[..8]),
        16 => least(&numbers[..16]),
        32 => least(&numbers[..32]),
        _ => least(numbers),
    }
}

/// Where the least of the numbers at a mask's places is, the first of equals.
#[inline(never)]
fn least_of(numbers: &[u32], mask: u32) -> u32 {
    let allowed = (0..numbers.len() as u32).filter(|at| mask >> at & 1 != 0);
    allowed.min_by_key(|&at| numbers[at as usize]).unwrap_or(0)
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
        assert_eq!(tags.fill(3, K, false, !0), Some(Victim { line: 2, kernel: K, dirty: true }));
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
        let pushed = |victim: Option<Victim>| victim.map(|victim| victim.line);
        assert_eq!([10, 11].map(|line| pushed(tags.reserve(line, K, 0b0011))), [Some(0), Some(1)]);
        assert_eq!((tags.find(10), tags.reserved(), tags.resident(K), tags.resident(KernelId(1))), (None, 2, 0, 2));
        assert!(!tags.can_reserve(12, 0b0011) && tags.can_reserve(12, 0b0111));
        // A line that never arrives is dropped by no one, and fills go elsewhere.
        tags.invalidate(10);
        assert_eq!([20, 21, 22].map(|line| pushed(tags.fill(line, K, false, !0))), [Some(2), Some(3), Some(20)]);
        tags.fill_reserved(11);
        assert_eq!((tags.find(11), tags.reserved(), tags.resident(K)), (Some(1), 1, 3));
        assert_eq!([30, 31, 32].map(|line| pushed(tags.fill(line, K, false, !0))), [Some(21), Some(22), Some(11)]);
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

    /// The count of accesses runs out after 2³² of them: the order of use stays.
    #[test]
    fn least_recently_used_survives_the_end_of_its_count() {
        let mut young = Tags::new(SetIndex::Modulo, 6 * 4 * 128, 4, 128);
        let mut old = young.clone();
        old.accesses = u32::MAX - 100;
        for n in 0..400 {
            let line = below(mix(5, n), 40) as u32;
            assert_eq!(young.lookup(line), old.lookup(line), "access {n}");
            assert_eq!(young.fill(line, K, n % 3 == 0, !0), old.fill(line, K, n % 3 == 0, !0), "access {n}");
            if n % 50 == 0 {
                young.invalidate(line);
                old.invalidate(line);
            }
            if n == 20 {
                assert_eq!(young.reserve(1000, K, 1), old.reserve(1000, K, 1), "before the count runs out");
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
