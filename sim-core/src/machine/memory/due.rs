//! When each DRAM channel has something to do.
//!
//! A channel that is at work is in a calendar of the next clocks. One that sleeps, until it must be refreshed, is looked at when the first
//! of the sleepers wakes. A channel may be in several places: whoever looks at it too early finds nothing to do.

use super::super::calendar::Calendar;
use super::super::dram::Clock;
use crate::describe::ids::Set;

/// Clocks ahead that are near.
const NEAR: Clock = 64;

/// The next clocks of the channels.
#[derive(Clone, Debug)]
pub(super) struct Due {
    near: Calendar,
    far: Set,
    /// No channel in `far` is due before this clock.
    next_far: Clock,
}

impl Due {
    /// All channels are due at `at`.
    pub fn new(channels: u32, at: Clock) -> Self {
        Due { near: Calendar::new(channels, NEAR as u32), far: Set::below(channels), next_far: at }
    }

    /// Clocks have passed in which no channel was looked at: all are put in again.
    pub fn forget(&mut self) {
        (self.far, self.next_far) = (Set::EMPTY, Clock::MAX);
    }

    /// In `clock` it turns out that a channel is due at `at` next: then, but not before the next clock. `Clock::MAX`: it is not.
    pub fn put(&mut self, channel: u32, clock: Clock, at: Clock) {
        let at = at.max(clock + 1);
        if at - clock <= NEAR {
            self.near.put(at, channel);
        } else {
            self.far.insert(channel);
            self.next_far = self.next_far.min(at);
        }
    }

    /// The channels of a word that may be due in `clock`. Each must then be put in again.
    pub fn take(&mut self, clock: Clock, word: u32) -> u64 {
        if clock >= self.next_far {
            self.wake(clock);
        }
        self.near.take(clock, word)
    }

    /// The first of the sleepers is due: all are looked at.
    #[cold]
    fn wake(&mut self, clock: Clock) {
        self.next_far = Clock::MAX;
        core::mem::take(&mut self.far).members(false).for_each(|channel| self.near.put(clock, channel));
    }

    /// The first clock after `clock` in which a channel may be due; never late. `Clock::MAX`: none is.
    pub fn next(&self, clock: Clock) -> Clock {
        self.near.next(clock).min(self.next_far)
    }

    /// Every one of so many channels is due in the next clock.
    #[cfg(test)]
    pub fn all(&mut self, channels: u32, clock: Clock) {
        (0..channels).for_each(|channel| self.put(channel, clock, clock + 1));
    }
}
