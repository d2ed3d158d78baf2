//! Timed wake-ups of warps: a wheel with a place for each of the next 64 cycles, which holds the warps that become ready then.

use super::lanes::MAX_SCHEDULERS;
use crate::describe::ids::Cycle;

/// Places of the wheel.
const PLACES: u64 = 64;

/// Longest latency, in cycles, that the wheel can hold: one turn less one.
pub const LONGEST_LATENCY: u32 = PLACES as u32 - 1;

/// Warps, a mask for each scheduler.
pub type Warps = [u64; MAX_SCHEDULERS];

/// The wheel of one SM. Its owner looks in every cycle in which it has warps.
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

    /// The places that hold warps: bit `n` for the cycles that are `n` modulo 64.
    #[inline]
    pub fn turning(&self) -> u64 {
        self.turning
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
        assert_eq!((wheel.take(60), wheel.turning()), (None, 1 << 63 | 1 << (123 % PLACES)));
        assert_eq!(wheel.take(63), Some([0, 0b110, 0, 0]));
        assert_eq!(wheel.take(63), None);
        assert_eq!(wheel.take(123), Some([1, 0, 0, 0]));
        assert_eq!(wheel.turning(), 0);
    }
}
