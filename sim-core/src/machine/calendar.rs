//! When the parts of one kind have something to do: a wheel with a set of parts for each of the next ticks of a clock.
//!
//! What happens puts a part in for the tick in which it goes on; nobody looks through the parts for one that may. A part is in no more
//! places than it has events ahead, and events of one tick come out as one set, so the order in which they were put in is forgotten.

use crate::describe::ids::{Set, bit, words};
use alloc::boxed::Box;
use alloc::vec;

/// Events of the next ticks. Its owner takes those of every tick, or of every tick that `next` names.
#[derive(Clone, Debug)]
pub struct Calendar {
    /// The parts that are due in the tick that is equal to the place, modulo the places: `words` words for each place, a bit for each part.
    due: Box<[u64]>,
    words: u32,
    /// Places less one.
    mask: u32,
    /// Places with a part, a bit each.
    turning: Box<[u64]>,
}

impl Calendar {
    /// An empty calendar of `parts` parts for events less than `span` ≥ 1 ticks ahead of the next tick to be taken.
    pub fn new(parts: u32, span: u32) -> Self {
        let (words, places) = (words(parts), span.next_power_of_two());
        Calendar {
            due: vec![0; (places * words) as usize].into(),
            words,
            mask: places - 1,
            turning: vec![0; places.div_ceil(64) as usize].into(),
        }
    }

    fn place(&self, tick: u64) -> u32 {
        tick as u32 & self.mask
    }

    /// Something of `part` is due in `tick`.
    #[inline]
    pub fn put(&mut self, tick: u64, part: u32) {
        let place = self.place(tick);
        self.due[(place * self.words + (part >> 6)) as usize] |= bit(part);
        self.turning[(place >> 6) as usize] |= bit(place);
    }

    /// The parts of a word (as in [`Set::word`]) that are due in `tick`. Its owner takes all words of a tick.
    #[inline]
    pub fn take(&mut self, tick: u64, word: u32) -> u64 {
        let place = self.place(tick);
        let due = core::mem::take(&mut self.due[(place * self.words + word) as usize]);
        if due != 0 {
            self.turning[(place >> 6) as usize] &= !bit(place);
        }
        due
    }

    /// The first tick after `tick` with a part that is due; `u64::MAX` if there is none.
    #[inline]
    pub fn next(&self, tick: u64) -> u64 {
        if let &[turning] = &*self.turning {
            let first = self.place(tick + 1);
            // The places from the next tick's on, then those below it.
            let ahead = (turning >> first | turning << (self.mask - first) << 1).trailing_zeros();
            return if turning == 0 { u64::MAX } else { tick + 1 + u64::from(ahead) };
        }
        self.next_of_words(tick)
    }

    fn next_of_words(&self, tick: u64) -> u64 {
        let (first, words) = (self.place(tick + 1), self.turning.len() as u32);
        let below = (1 << (first & 63)) - 1;
        // The word of the next tick is looked at twice: first above it, in the end below it.
        let next = (0..=words).find_map(|step| {
            let at = ((first >> 6) + step) & (words - 1);
            let word = self.turning[at as usize] & if step == 0 { !below } else { u64::MAX } & if step == words { below } else { u64::MAX };
            let place = at << 6 | word.trailing_zeros();
            (word != 0).then(|| tick + 1 + u64::from(place.wrapping_sub(first) & self.mask))
        });
        next.unwrap_or(u64::MAX)
    }

    /// The parts by place.
    pub fn places(&self) -> impl ExactSizeIterator<Item = Set> {
        self.due.chunks(self.words as usize).map(Set::from_words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::ids::members_of;
    use crate::describe::rng::{below, mix};
    use alloc::vec::Vec;

    /// Random events against a plain list of them.
    #[test]
    fn every_event_comes_out_in_its_tick() {
        for span in [1, 2, 5, 64, 65, 200, 1000] {
            let mut calendar = Calendar::new(200, span);
            let mut events: Vec<(u64, u32)> = Vec::new();
            for tick in 0..3000_u64 {
                for n in 0..below(mix(7, tick), 3) {
                    let key = mix(mix(u64::from(span), tick), n);
                    let event = (tick + below(key, u64::from(span)), below(mix(key, 1), 200) as u32);
                    calendar.put(event.0, event.1);
                    events.push(event);
                }
                let mut due: Vec<u32> = events.iter().filter(|event| event.0 == tick).map(|event| event.1).collect();
                due.sort_unstable();
                due.dedup();
                let taken: Vec<u32> = (0..words(200)).flat_map(|word| members_of(word, calendar.take(tick, word), false)).collect();
                assert_eq!(taken, due, "span {span}, tick {tick}");
                events.retain(|event| event.0 > tick);
                assert_eq!(calendar.next(tick), events.iter().map(|event| event.0).min().unwrap_or(u64::MAX), "span {span}, tick {tick}");
            }
        }
    }
}
