//! When which stage of an SM is due. A stage runs only then, and what it changes says which stages are due next and when; nobody asks a
//! stage whether it has anything to do. `machine::calendar` does the same for any number of parts; here they fit a byte.

use super::lanes::MAX_SCHEDULERS;
use crate::describe::ids::{Cycle, NEVER};

/// Stages, a bit each.
pub type Stages = u8;

/// The schedulers, scheduler `s` at bit `s`.
pub const SCHEDULERS: Stages = (1 << MAX_SCHEDULERS) - 1;
/// Loads that hit L1D are complete.
pub const HITS: Stages = 1 << 4;
/// L1D's miss queue grants a request or hands one to the NoC.
pub const MISSES: Stages = 1 << 5;
/// The LSU sends a line to L1D.
pub const LSU: Stages = 1 << 6;
/// A context moves, or quotas are refilled: these look in every tick of the SM, and need no more than that there is one.
pub const TICK: Stages = 1 << 7;

const PLACES: u64 = 64;

/// The stages of one SM by the cycle in which they are due: a place for each of the next 64 cycles, and one for what is later.
#[derive(Clone, Copy, Debug)]
pub struct Calendar {
    /// Stages that are due in the next tick: what is left of this cycle's, and what has been added for the next one.
    due: Stages,
    /// The next cycle in which the SM has something to do by itself.
    next: Cycle,
    places: [Stages; PLACES as usize],
    /// Places with a stage.
    marked: u64,
    /// The first cycle that lies beyond the places, and all stages that are due then or later: they look again in that cycle.
    later: Cycle,
    then: Stages,
}

impl Calendar {
    /// These stages are due, whenever the next tick is.
    pub fn new(due: Stages) -> Self {
        Calendar { due, next: NEVER, places: [0; PLACES as usize], marked: 0, later: NEVER, then: 0 }
    }

    /// Begins the cycle `now`: which stages are due in it.
    #[inline(always)] // as `Sm::begin`
    pub fn begin(&mut self, now: Cycle) {
        self.due = (self.due | self.take(now)) & !TICK;
    }

    /// Makes stages due in this tick if they are still to come in it, else in the next one.
    #[inline(always)]
    pub fn add(&mut self, stages: Stages) {
        self.due |= stages;
    }

    /// Stages are no longer due.
    #[inline(always)]
    pub fn remove(&mut self, stages: Stages) {
        self.due &= !stages;
    }

    /// Whether a stage is due, and notes that it is no longer.
    #[inline(always)]
    pub fn takes(&mut self, stage: Stages) -> bool {
        let is_due = self.due & stage != 0;
        if is_due {
            self.due &= !stage;
        }
        is_due
    }

    /// Schedulers that are due, a bit each.
    #[inline(always)]
    pub fn schedulers(&self) -> Stages {
        self.due & SCHEDULERS
    }

    /// The next cycle in which the SM has something to do by itself.
    pub fn next_event(&self) -> Cycle {
        self.next
    }

    /// The SM has something to do in cycle `at`, if not before.
    pub fn wake(&mut self, at: Cycle) {
        self.next = self.next.min(at);
    }

    /// The tick of cycle `now` is over. Warps are due in another wheel of as many places, whose bits are `others`.
    #[inline(always)]
    pub fn end(&mut self, now: Cycle, others: u64) {
        self.next = if self.due != 0 { now + 1 } else { self.next(now, others) };
    }

    /// Notes in cycle `now` that stages are due in cycle `at` after it; `NEVER` notes nothing.
    #[inline]
    pub fn mark(&mut self, now: Cycle, at: Cycle, stages: Stages) {
        if at - now < PLACES {
            self.places[(at % PLACES) as usize] |= stages;
            self.marked |= 1 << (at % PLACES);
        } else if at != NEVER {
            self.later = self.later.min(at);
            self.then |= stages;
        }
    }

    /// The stages that are due in cycle `now`; they are noted no longer.
    #[inline]
    fn take(&mut self, now: Cycle) -> Stages {
        let place = now % PLACES;
        self.marked &= !(1 << place);
        let mut due = core::mem::take(&mut self.places[place as usize]);
        if self.later <= now {
            self.later = NEVER;
            due |= core::mem::take(&mut self.then);
        }
        due
    }

    /// The first cycle after `now` in which a stage is due, or anything in another wheel of as many places, whose bits are `others`.
    #[inline]
    fn next(&self, now: Cycle, others: u64) -> Cycle {
        let marked = self.marked | others;
        if marked == 0 {
            return self.later;
        }
        let ahead = marked.rotate_right((now % PLACES) as u32 + 1).trailing_zeros();
        self.later.min(now + 1 + Cycle::from(ahead))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_due_in_their_cycle_and_once() {
        let mut calendar = Calendar::new(0);
        calendar.mark(60, 63, HITS);
        calendar.mark(60, 63, LSU);
        calendar.mark(60, 123, MISSES);
        assert_eq!((calendar.next(60, 0), calendar.next(60, 1 << 62)), (63, 62));
        assert_eq!((calendar.take(61), calendar.take(63), calendar.take(63)), (0, HITS | LSU, 0));
        assert_eq!((calendar.next(63, 0), calendar.take(123), calendar.next(123, 0)), (123, MISSES, NEVER));
    }

    #[test]
    fn what_is_far_away_is_due_at_the_first_of_its_cycles() {
        let mut calendar = Calendar::new(0);
        calendar.mark(0, 10_000, TICK);
        calendar.mark(0, 200, MISSES);
        calendar.mark(0, NEVER, HITS);
        assert_eq!((calendar.next(0, 0), calendar.take(199), calendar.take(200)), (200, 0, TICK | MISSES));
        assert_eq!(calendar.next(200, 0), NEVER);
    }
}
