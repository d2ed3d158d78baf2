//! The queue between two parts: bounded, in order, at least one cycle long, so that nothing moves two stages in one cycle.

use crate::describe::ids::Cycle;
use alloc::boxed::Box;
use alloc::vec;
use core::hash::{Hash, Hasher};

/// Refused: the queue has no room. The sender keeps the item and tries again.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

/// A bounded FIFO whose items become visible `latency` cycles (of the clock that its users pass in) after they enter.
#[derive(Clone, Debug)]
pub struct Link<T> {
    /// A ring of a power of two of places, with the time from which each item is visible.
    places: Box<[(Cycle, T)]>,
    first: u32,
    len: u32,
    capacity: u32,
    latency: u32,
}

impl<T: Copy + Default> Link<T> {
    /// An empty link of `capacity` items and `latency` ≥ 1 cycles.
    pub fn new(capacity: u32, latency: u32) -> Self {
        debug_assert!(capacity > 0 && latency > 0);
        let places = vec![(0, T::default()); capacity.next_power_of_two() as usize].into();
        Link { places, first: 0, len: 0, capacity, latency }
    }

    /// Puts an item in at `now`.
    pub fn push(&mut self, now: Cycle, item: T) -> Result<(), Full> {
        if self.is_full() {
            return Err(Full);
        }
        let place = self.place(self.len);
        self.places[place] = (now + Cycle::from(self.latency), item);
        self.len += 1;
        Ok(())
    }

    /// The oldest item, if it has arrived by `now`.
    pub fn peek(&self, now: Cycle) -> Option<&T> {
        let (ready, item) = &self.places[self.place(0)];
        (self.len > 0 && *ready <= now).then_some(item)
    }

    /// Takes the oldest item, if it has arrived by `now`.
    pub fn pop(&mut self, now: Cycle) -> Option<T> {
        let item = *self.peek(now)?;
        self.first = self.first.wrapping_add(1);
        self.len -= 1;
        Some(item)
    }
}

impl<T> Link<T> {
    /// Where the item is that has so many before it.
    fn place(&self, before: u32) -> usize {
        self.first.wrapping_add(before) as usize & (self.places.len() - 1)
    }

    /// When the oldest item arrives, or arrived.
    pub fn next_arrival(&self) -> Option<Cycle> {
        (self.len > 0).then(|| self.places[self.place(0)].0)
    }

    /// Cycles from an item's entry to its arrival.
    pub fn latency(&self) -> u32 {
        self.latency
    }

    /// Items under way and waiting.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Nothing under way or waiting.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the next push would be refused.
    pub fn is_full(&self) -> bool {
        self.len >= self.capacity
    }

    /// Places left.
    pub fn room(&self) -> u32 {
        self.capacity - self.len
    }

    /// Everything in it, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.timed().map(|(_, item)| item)
    }

    /// Everything in it, oldest first, each with the time from which it is visible.
    pub fn timed(&self) -> impl ExactSizeIterator<Item = &(Cycle, T)> {
        (0..self.len).map(|before| &self.places[self.place(before)])
    }
}

impl<T: PartialEq> PartialEq for Link<T> {
    fn eq(&self, other: &Self) -> bool {
        self.timed().eq(other.timed()) && (self.capacity, self.latency) == (other.capacity, other.latency)
    }
}

impl<T: Eq> Eq for Link<T> {}

impl<T: Hash> Hash for Link<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.len as usize).hash(state);
        self.timed().for_each(|item| item.hash(state));
        (self.capacity, self.latency).hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::{Full, Link};

    #[test]
    fn nothing_arrives_early_and_nothing_overflows() {
        let mut link = Link::new(2, 3);
        assert_eq!(link.push(10, 'a'), Ok(()));
        assert_eq!(link.push(10, 'b'), Ok(()));
        assert_eq!(link.push(10, 'c'), Err(Full));
        assert_eq!(link.pop(12), None);
        assert_eq!(link.pop(13), Some('a'));
        assert_eq!(link.pop(13), Some('b'));
        assert_eq!(link.pop(99), None);
    }
}
