//! Timed wake-ups of warps: a wheel with a place for each of the next 64 cycles, which holds the warps that become ready then.

use super::MAX_SCHEDULERS;
use crate::describe::ids::{Cycle, NEVER};

/// Places of the wheel.
const PLACES: u64 = 64;

/// Longest latency, in cycles, that the wheel can hold: one turn less one.
pub const LONGEST_LATENCY: u32 = PLACES as u32 - 1;

/// Warps, a mask for each scheduler.
pub type Warps = [u64; MAX_SCHEDULERS];

/// The wheel of one SM. Its owner looks in every cycle that `next` names.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Wheel {
    places: [Warps; PLACES as usize],
    /// Places that hold a warp.
    turning: u64,
}

impl Default for Wheel {
    /// An empty wheel.
    fn default() -> Self {
        Wheel { places: [[0; MAX_SCHEDULERS]; PLACES as usize], turning: 0 }
    }
}

impl Wheel {
    /// Keeps a warp until cycle `at`, at most `LONGEST_LATENCY` after `now`.
    pub fn put(&mut self, scheduler: usize, warp: u64, now: Cycle, at: Cycle) {
        debug_assert!(at > now && at - now <= Cycle::from(LONGEST_LATENCY));
        let place = at % PLACES;
        self.places[place as usize][scheduler] |= warp;
        self.turning |= 1 << place;
    }

    /// The warps that become ready in `now`.
    pub fn take(&mut self, now: Cycle) -> Option<Warps> {
        let place = now % PLACES;
        if self.turning >> place & 1 == 0 {
            return None;
        }
        self.turning &= !(1 << place);
        Some(core::mem::take(&mut self.places[place as usize]))
    }

    /// The first cycle after `now` for which there are warps.
    pub fn next(&self, now: Cycle) -> Cycle {
        if self.turning == 0 {
            return NEVER;
        }
        let ahead = self.turning.rotate_right((now % PLACES) as u32 + 1).trailing_zeros();
        now + 1 + Cycle::from(ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warps_come_back_in_their_cycle_and_once() {
        let mut wheel = Wheel::default();
        wheel.put(1, 0b100, 60, 63);
        wheel.put(1, 0b010, 60, 63);
        wheel.put(0, 0b001, 60, 60 + Cycle::from(LONGEST_LATENCY));
        assert_eq!((wheel.take(60), wheel.next(60)), (None, 63));
        assert_eq!(wheel.take(63), Some([0, 0b110, 0, 0]));
        assert_eq!((wheel.take(63), wheel.next(63)), (None, 123));
        assert_eq!(wheel.take(123), Some([1, 0, 0, 0]));
        assert_eq!(wheel.next(123), NEVER);
    }
}
