//! Where the lanes of a memory instruction read or write, and coalescing: the lines that they touch.

use crate::describe::ids::LineAddr;
use crate::describe::kernel::{Address, Dim3, MAX_LOOPS, Scatter, Tile, WARP_SIZE};
use crate::describe::rng::{below, mix};
use crate::machine::coherence::Words;
use alloc::boxed::Box;
use core::hint::select_unpredictable;
use core::ops::RangeInclusive;

/// Farther outside a matrix it makes no difference where.
const OUTSIDE: i64 = 1 << 30;

/// Takes all lines from one to another, by their distances from the first one of an array, as far as there is room. Returns how many.
#[inline(always)] // where lanes have their lines in a row, this is what coalescing is
pub(super) fn stretch(first_line: LineAddr, all: RangeInclusive<u64>, lines: &mut [LineAddr; WARP_SIZE as usize]) -> u32 {
    let (first, last) = (*all.start() as LineAddr, *all.end() as LineAddr);
    for (slot, line) in lines.iter_mut().zip(first..=last) {
        *slot = first_line + line;
    }
    (last - first + 1).min(WARP_SIZE)
}

/// An address pattern with its array resolved.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StepAddress {
    first_line: LineAddr,
    bytes: u64,
    terms: Strides,
    /// The matrix in which it is a position, and the extent of the grid; rare, so it stands apart.
    tile: Option<Box<(Tile, Dim3)>>,
}

/// What issuing reads of an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Strides {
    offset: i64,
    cta: i64,
    warp: i64,
    loops: [i64; MAX_LOOPS],
    lane: i64,
    scatter: Scatter,
}

/// Where in its grid and loops a warp is: what an address depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Place {
    /// CTA of the grid.
    pub cta: u32,
    /// Warp of the CTA.
    pub warp: u32,
    /// Iteration of each enclosing loop, outermost first.
    pub loops: [u32; MAX_LOOPS],
}

impl StepAddress {
    pub(super) fn new(address: &Address, first_line: LineAddr, bytes: u64, grid: Dim3) -> Self {
        let &Address { offset, cta, warp, loops, lane, scatter, tile, .. } = address;
        let tile = tile.map(|tile| Box::new((tile, grid)));
        StepAddress { first_line, bytes, terms: Strides { offset, cta, warp, loops, lane, scatter }, tile }
    }

    /// Column and row of lane 0 in one word, and the bytes that are added.
    #[inline(never)] // so that what is not in a matrix stays short
    fn base_of_tile(&self, (tile, grid): &(Tile, Dim3), place: &Place, sum: i64) -> (u64, u64) {
        let (row, x) = (place.cta / grid.x, place.cta % grid.x);
        let cta = [x, row % grid.y, row / grid.y];
        let [x, y] = [&tile.x, &tile.y].map(|terms| terms.sum(cta, place.warp, place.loops).clamp(-OUTSIDE, OUTSIDE) as i32 as u32);
        (u64::from(y) << 32 | u64::from(x), self.wrap(sum))
    }

    /// Byte position of lane 0 in the array, and the key of what is drawn for the access; for a tile, what `tile_at` takes.
    pub(super) fn base(&self, place: &Place, warp_key: u64, pc: u32) -> (u64, u64) {
        let t = &self.terms;
        let mut sum =
            t.offset.wrapping_add(t.cta.wrapping_mul(i64::from(place.cta))).wrapping_add(t.warp.wrapping_mul(i64::from(place.warp)));
        for (stride, iteration) in t.loops.iter().zip(place.loops) {
            sum = sum.wrapping_add(stride.wrapping_mul(i64::from(iteration)));
        }
        if let Some(tile) = &self.tile {
            return self.base_of_tile(tile, place, sum);
        }
        let mut base = self.wrap(sum);
        if t.scatter == Scatter::None {
            return (base, 0);
        }
        let loops = u64::from(place.loops[0]) << 40 ^ u64::from(place.loops[1]) << 20 ^ u64::from(place.loops[2]);
        let key = mix(mix(warp_key, u64::from(pc) << 1), loops);
        if let Scatter::Warp { bytes } = t.scatter {
            base = (base + below(key, (bytes / 128).max(1)) * 128) % self.bytes;
        }
        (base, key)
    }

    /// A position modulo the array's size; most are inside already, and a division is slow.
    fn wrap(&self, at: i64) -> u64 {
        if (0..self.bytes as i64).contains(&at) { at as u64 } else { at.rem_euclid(self.bytes as i64) as u64 }
    }

    /// Whether each lane draws its own position.
    fn is_gather(&self) -> bool {
        self.drawn_bytes().is_some()
    }

    /// The bytes among which each lane draws its own position, if it does.
    fn drawn_bytes(&self) -> Option<u64> {
        match self.terms.scatter {
            Scatter::Lane { bytes } | Scatter::Skewed { bytes } => Some(bytes),
            Scatter::None | Scatter::Warp { .. } => None,
        }
    }

    /// Position of a lane of a tile in the array.
    fn tile_at(&self, tile: &Tile, base: u64, key: u64, lane: u32) -> u64 {
        let (x, y) = (base as u32 as i32, (base >> 32) as u32 as i32);
        self.wrap((key + tile.position(x.into(), y.into(), lane)) as i64)
    }

    /// Where a lane reads or writes: line, and byte of the line.
    #[inline(always)] // as `lane_at`
    pub(super) fn at(&self, base: u64, key: u64, lane: u32, line_bytes: u32) -> (LineAddr, u32) {
        let at = match &self.tile {
            Some(tile) => self.tile_at(&tile.0, base, key, lane),
            None => self.lane_at(base, key, lane),
        };
        (self.first_line + (at / u64::from(line_bytes)) as LineAddr, (at % u64::from(line_bytes)) as u32)
    }

    /// `lines` of a tile.
    #[inline(never)]
    fn lines_of_tile(&self, tile: &Tile, base: u64, key: u64, lanes: u32, shift: u32, lines: &mut [LineAddr; WARP_SIZE as usize]) -> u32 {
        let mut count = 0;
        for lane in 0..lanes {
            let line = self.first_line + (self.tile_at(tile, base, key, lane) >> shift) as LineAddr;
            if !lines[..count].contains(&line) {
                lines[count] = line;
                count += 1;
            }
        }
        count as u32
    }

    /// Position of a lane in the array.
    #[inline(always)] // in two loops over lanes, each of which looks once at what the scatter is
    fn lane_at(&self, base: u64, key: u64, lane: u32) -> u64 {
        let at = base.wrapping_add_signed(self.terms.lane.wrapping_mul(i64::from(lane)));
        let draw_word = |n: u64, bytes: u64| below(mix(key, u64::from(lane) << 2 | n), bytes / 4);
        let word = match self.terms.scatter {
            Scatter::None | Scatter::Warp { .. } => 0,
            Scatter::Lane { bytes } => draw_word(0, bytes),
            Scatter::Skewed { bytes } => draw_word(0, bytes).min(draw_word(1, bytes)).min(draw_word(2, bytes)),
        };
        self.wrap(at.wrapping_add(word * 4) as i64)
    }

    /// The words that the lanes touch of each of `lines`, as `lines` gave them; two lanes that touch one word touch it once.
    #[inline(never)]
    pub(super) fn words(
        &self,
        base: u64,
        key: u64,
        lanes: u32,
        line_bytes: u32,
        lines: &[LineAddr],
        words: &mut [Words; WARP_SIZE as usize],
    ) {
        words.fill(0);
        let mut at = 0;
        for lane in 0..lanes {
            let (line, byte) = self.at(base, key, lane, line_bytes);
            if self.is_gather() || self.tile.is_some() {
                at = 0;
            }
            // Affine lanes move through the lines in order.
            while lines[at] != line {
                at += 1;
            }
            words[at] |= 1 << (byte / 4);
        }
    }

    /// The lines that the lanes touch, each once, in the order of the lanes: coalescing. Returns how many.
    pub(super) fn lines(&self, base: u64, key: u64, lanes: u32, line_bytes: u32, lines: &mut [LineAddr; WARP_SIZE as usize]) -> u32 {
        let t = &self.terms;
        let shift = line_bytes.trailing_zeros();
        if let Some(tile) = &self.tile {
            return self.lines_of_tile(&tile.0, base, key, lanes, shift, lines);
        }
        let drawn = self.drawn_bytes();
        let gather = drawn.is_some();
        let span = t.lane.wrapping_mul(i64::from(lanes) - 1);
        let is_dense = (0..=i64::from(line_bytes)).contains(&t.lane);
        if let Some(drawn) = drawn
            && is_dense
            && drawn <= 63 * u64::from(line_bytes) - span as u64
            && base + span as u64 + drawn <= self.bytes
        {
            return self.lines_of_near(base, key, lanes, shift, lines);
        }
        if !gather && is_dense && base + (span as u64) < self.bytes {
            // Lanes at most a line apart: every line from the first lane's to the last's.
            return stretch(self.first_line, base >> shift..=(base + span as u64) >> shift, lines);
        }
        let mut count = 0;
        // The low bits of the lines so far: most lines of a gather are new, and show it here.
        let mut low_bits = 0_u64;
        for lane in 0..lanes {
            let line = self.first_line + (self.lane_at(base, key, lane) >> shift) as LineAddr;
            let low = 1 << (line % 64);
            // Affine lanes repeat only their neighbour's line; gathers may repeat any.
            let seen = if gather { low_bits & low != 0 && lines[..count].contains(&line) } else { count > 0 && lines[count - 1] == line };
            low_bits |= low;
            if !seen {
                lines[count] = line;
                count += 1;
            }
        }
        count as u32
    }

    /// The lines that lanes ask for in a gather from 64 lines at most that does not wrap in its array: the low bits of a line tell it from
    /// the others. Which lane repeats a line is hard to predict, so there is no branch on it.
    fn lines_of_near(&self, base: u64, key: u64, lanes: u32, shift: u32, lines: &mut [LineAddr; WARP_SIZE as usize]) -> u32 {
        let mut count = 0;
        let mut seen = 0_u64;
        for lane in 0..lanes {
            let line = self.first_line + (self.lane_at(base, key, lane) >> shift) as LineAddr;
            let low = 1 << (line % 64);
            let is_new = seen & low == 0;
            let slot = &mut lines[count];
            *slot = select_unpredictable(is_new, line, *slot);
            count += usize::from(is_new);
            seen |= low;
        }
        count as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn address(terms: Address, bytes: u64) -> StepAddress {
        StepAddress::new(&terms, 100, bytes, 1.into())
    }

    fn lines_of(a: &StepAddress, place: Place, lanes: u32) -> Vec<LineAddr> {
        let mut lines = [0; 32];
        let (base, key) = a.base(&place, 1, 2);
        let count = a.lines(base, key, lanes, 128, &mut lines);
        lines[..count as usize].to_vec()
    }

    #[test]
    fn lanes_coalesce_into_lines() {
        let unit = address(Address { lane: 4, ..Address::default() }, 1 << 20);
        assert_eq!(lines_of(&unit, Place::default(), 32), [100]);
        let shifted = address(Address { lane: 4, offset: 64, ..Address::default() }, 1 << 20);
        assert_eq!(lines_of(&shifted, Place::default(), 32), [100, 101]);
        let strided = address(Address { lane: 128, ..Address::default() }, 1 << 20);
        assert_eq!(lines_of(&strided, Place::default(), 32).len(), 32);
        let broadcast = address(Address::default(), 1 << 20);
        assert_eq!(lines_of(&broadcast, Place::default(), 32), [100]);
    }

    #[test]
    fn addresses_wrap_in_their_array() {
        let a = address(Address { lane: 4, cta: 128, ..Address::default() }, 256);
        assert_eq!(lines_of(&a, Place { cta: 5, ..Place::default() }, 32), [101]);
        let backwards = address(Address { lane: -4, ..Address::default() }, 256);
        assert_eq!(lines_of(&backwards, Place::default(), 32), [100, 101]);
    }

    /// Of n draws from a span, the least lies at 1 / (n + 1) of it on average: at a half for one draw, at a quarter for three.
    #[test]
    fn a_skewed_gather_takes_the_least_of_three_draws() {
        for (scatter, mean) in [(Scatter::Lane { bytes: 1 << 20 }, 0.5), (Scatter::Skewed { bytes: 1 << 20 }, 0.25)] {
            let a = address(Address { scatter, ..Address::default() }, 1 << 20);
            let all = (0..200).flat_map(|seed| {
                let (base, key) = a.base(&Place::default(), seed, 2);
                (0..32).map(|lane| a.lane_at(base, key, lane) as f64 / f64::from(1 << 20)).collect::<Vec<_>>()
            });
            let found = all.sum::<f64>() / 6400.0;
            // Four standard deviations of the mean of so many draws from 0 to 1.
            assert!((found - mean).abs() < 0.015, "{scatter:?}: {found}");
        }
    }

    #[test]
    fn a_gather_stays_in_its_span_and_repeats_under_the_same_key() {
        let a = address(Address { scatter: Scatter::Lane { bytes: 1 << 16 }, ..Address::default() }, 1 << 20);
        let first = lines_of(&a, Place::default(), 32);
        assert_eq!(first, lines_of(&a, Place::default(), 32));
        assert!(first.len() > 20 && first.iter().all(|&line| (100..100 + 512).contains(&line)));
        assert_ne!(first, lines_of(&a, Place { loops: [1, 0, 0], ..Place::default() }, 32));
    }

    /// Gathers from few lines and from many, at the start of the array and across its end: as the lanes say, one after the other.
    #[test]
    fn a_gather_touches_each_line_once_in_the_order_of_its_lanes() {
        for (bytes, lane) in [(1900, 0), (1900, 4), (63 * 128, 0), (62 * 128, 4), (64 * 128, 0), (200 * 128, 0), (1900, 128), (1900, -4)] {
            for offset in [0, 68, (1 << 20) - 1900, (1 << 20) - 4] {
                for scatter in [Scatter::Lane { bytes }, Scatter::Skewed { bytes }] {
                    let a = address(Address { scatter, lane, offset, ..Address::default() }, 1 << 20);
                    let (base, key) = a.base(&Place::default(), 1, 2);
                    let mut touched: Vec<LineAddr> = Vec::new();
                    for lane in 0..32 {
                        let line = 100 + (a.lane_at(base, key, lane) / 128) as LineAddr;
                        if !touched.contains(&line) {
                            touched.push(line);
                        }
                    }
                    assert_eq!(lines_of(&a, Place::default(), 32), touched, "{bytes} bytes, lane {lane}, offset {offset}");
                }
            }
        }
    }
}
