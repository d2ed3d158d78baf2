//! The queue between two parts: bounded, in order, at least one cycle long, so that nothing moves two stages in one cycle.

use crate::describe::ids::Cycle;
use alloc::collections::VecDeque;

/// Refused: the queue has no room. The sender keeps the item and tries again.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

/// A bounded FIFO whose items become visible `latency` cycles (of the clock that its users pass in) after they enter.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Link<T> {
    items: VecDeque<(Cycle, T)>,
    capacity: u32,
    latency: u32,
}

impl<T: Copy> Link<T> {
    /// An empty link of `capacity` items and `latency` ≥ 1 cycles.
    pub fn new(capacity: u32, latency: u32) -> Self {
        debug_assert!(capacity > 0 && latency > 0);
        Link { items: VecDeque::with_capacity(capacity as usize), capacity, latency }
    }

    /// Puts an item in at `now`.
    pub fn push(&mut self, now: Cycle, item: T) -> Result<(), Full> {
        if self.is_full() {
            return Err(Full);
        }
        self.items.push_back((now + Cycle::from(self.latency), item));
        Ok(())
    }

    /// The oldest item, if it has arrived by `now`.
    pub fn peek(&self, now: Cycle) -> Option<&T> {
        self.items.front().filter(|(ready, _)| *ready <= now).map(|(_, item)| item)
    }

    /// Takes the oldest item, if it has arrived by `now`.
    pub fn pop(&mut self, now: Cycle) -> Option<T> {
        if self.items.front()?.0 > now {
            return None;
        }
        self.items.pop_front().map(|(_, item)| item)
    }

    /// When the oldest item arrives, or arrived.
    pub fn next_arrival(&self) -> Option<Cycle> {
        self.items.front().map(|(ready, _)| *ready)
    }

    /// Cycles from an item's entry to its arrival.
    pub fn latency(&self) -> u32 {
        self.latency
    }

    /// Items under way and waiting.
    pub fn len(&self) -> u32 {
        self.items.len() as u32
    }

    /// Nothing under way or waiting.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether the next push would be refused.
    pub fn is_full(&self) -> bool {
        self.items.len() >= self.capacity as usize
    }

    /// Places left.
    pub fn room(&self) -> u32 {
        self.capacity - self.len()
    }

    /// Everything in it, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.items.iter().map(|(_, item)| item)
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
