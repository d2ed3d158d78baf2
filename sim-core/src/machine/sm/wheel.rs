//! Timed wake-ups of warps: a wheel with a place for each of the next 64 cycles, which holds the warps that become ready then. One that sleeps longer
//! goes round in it.

use super::lanes::MAX_SCHEDULERS;
use crate::describe::ids::Cycle;
use alloc::vec::Vec;

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
    /// Warps that sleep longer than a turn, each with its scheduler and its cycle.
    long: Vec<(Cycle, u8, u64)>,
}

impl Default for Wheel {
    /// An empty wheel.
    fn default() -> Self {
        Wheel { places: [[0; MAX_SCHEDULERS]; PLACES as usize], turning: 0, long: Vec::new() }
    }
}

impl Wheel {
    /// Keeps a warp until cycle `at`.
    #[inline]
    pub fn put(&mut self, scheduler: usize, warp: u64, now: Cycle, at: Cycle) {
        debug_assert!(at > now);
        if at - now > Cycle::from(LONGEST_LATENCY) {
            return self.put_long(scheduler, warp, now, at);
        }
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
        let mut warps = core::mem::take(&mut self.places[place as usize]);
        if !self.long.is_empty() {
            self.send_round(now, &mut warps);
        }
        Some(warps)
    }

    /// Keeps a warp for longer than a turn: it comes by once a turn, and goes on.
    #[cold]
    fn put_long(&mut self, scheduler: usize, warp: u64, now: Cycle, at: Cycle) {
        self.long.push((at, scheduler as u8, warp));
        self.put(scheduler, warp, now, now + Cycle::from(LONGEST_LATENCY));
    }

    /// Of the warps that have come by in `now`, those whose time it is not yet go on.
    #[cold]
    fn send_round(&mut self, now: Cycle, warps: &mut Warps) {
        let here = |&(_, scheduler, warp): &(Cycle, u8, u64)| warps[usize::from(scheduler)] & warp != 0;
        let (here, rest): (Vec<_>, Vec<_>) = self.long.iter().copied().partition(here);
        self.long = rest;
        for (at, scheduler, warp) in here {
            if at > now {
                warps[usize::from(scheduler)] &= !warp;
                self.put(scheduler.into(), warp, now, at);
            }
        }
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

    #[test]
    fn a_warp_may_sleep_for_many_turns() {
        let mut wheel = Wheel::default();
        wheel.put(2, 0b100, 10, 1010);
        wheel.put(2, 0b001, 10, 73);
        let woken: Vec<_> = (11..2000).filter_map(|now| Some((now, wheel.take(now)?[2])).filter(|(_, warps)| *warps != 0)).collect();
        assert_eq!(woken, [(73, 0b001), (1010, 0b100)]);
        assert_eq!(wheel, Wheel::default());
    }
}
