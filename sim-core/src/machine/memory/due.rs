//! When each DRAM channel has something to do.
//!
//! A channel that is at work is in a calendar of the next clocks. One that sleeps, until it must be refreshed, is looked at when the first
//! of the sleepers wakes.

use super::super::calendar::Calendar;
use super::super::dram::Clock;
use crate::describe::ids::{Set, members_of};
use alloc::boxed::Box;
use alloc::vec;

/// Clocks ahead that are near.
const NEAR: Clock = 64;

/// The next clock of each channel.
#[derive(Clone, Debug)]
pub(super) struct Due {
    at: Box<[Clock]>,
    /// Every channel whose clock is near is here in that clock; an entry whose channel has another clock by now says nothing.
    near: Calendar,
    far: Set,
    /// No channel in `far` is due before this clock.
    next_far: Clock,
}

impl Due {
    /// All channels are due at `at`.
    pub fn new(channels: u32, at: Clock) -> Self {
        let (at, far) = (vec![at; channels as usize], Set::below(channels));
        Due { next_far: at[0], at: at.into(), near: Calendar::new(channels, NEAR as u32), far }
    }

    /// In `clock` it turns out that a channel is due at `at` next: then, but not before the next clock. `Clock::MAX`: it is not.
    pub fn put(&mut self, channel: u32, clock: Clock, at: Clock) {
        let at = at.max(clock + 1);
        self.at[channel as usize] = at;
        if at - clock <= NEAR {
            self.near.put(at, channel);
        } else {
            self.far.insert(channel);
            self.next_far = self.next_far.min(at);
        }
    }

    /// The channels of a word that are due in `clock`. Each must then be put in again.
    pub fn take(&mut self, clock: Clock, word: u32) -> u64 {
        if clock >= self.next_far {
            self.wake(clock);
        }
        let listed = self.near.take(clock, word);
        let mut due = listed;
        for channel in members_of(word, listed, false) {
            let later = self.at[channel as usize] > clock;
            due &= !(u64::from(later) << (channel & 63));
        }
        due
    }

    /// Moves the sleepers whose time is near into the calendar.
    #[cold]
    fn wake(&mut self, clock: Clock) {
        self.next_far = Clock::MAX;
        for channel in core::mem::take(&mut self.far).members(false) {
            let at = self.at[channel as usize].max(clock);
            if at - clock < NEAR {
                self.near.put(at, channel);
            } else {
                self.far.insert(channel);
                self.next_far = self.next_far.min(at);
            }
        }
    }

    /// The first clock after `clock` in which a channel may be due; never late. `Clock::MAX`: none is.
    pub fn next(&self, clock: Clock) -> Clock {
        self.near.next(clock).unwrap_or(Clock::MAX).min(self.next_far)
    }

    /// Every channel is due in the next clock.
    #[cfg(test)]
    pub fn all(&mut self, clock: Clock) {
        (0..self.at.len() as u32).for_each(|channel| self.put(channel, clock, clock + 1));
    }
}
