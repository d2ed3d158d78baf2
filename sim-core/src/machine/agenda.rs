//! When which SM is due.

use crate::describe::ids::{Cycle, NEVER, Set};
use alloc::vec::Vec;

const PLACES: u64 = 64;

/// SMs by the cycle in which they are due: a place for each of the next 64 cycles, and one for what is later.
#[derive(Clone, Debug)]
pub struct Agenda {
    places: Vec<Set>,
    /// Places with an SM.
    marked: u64,
    /// The first cycle that lies beyond the places, and all SMs that are due then or later: they look again in that cycle.
    later: Cycle,
    then: Set,
}

impl Default for Agenda {
    /// Nothing is due.
    fn default() -> Self {
        Agenda { places: alloc::vec![Set::EMPTY; PLACES as usize], marked: 0, later: NEVER, then: Set::EMPTY }
    }
}

impl Agenda {
    /// Notes in cycle `now` that an SM is due in cycle `at`, not before `now`; `NEVER` notes nothing.
    #[inline]
    pub fn mark(&mut self, now: Cycle, at: Cycle, sm: u32) {
        if at - now < PLACES {
            self.places[(at % PLACES) as usize].insert(sm);
            self.marked |= 1 << (at % PLACES);
        } else if at != NEVER {
            self.later = self.later.min(at);
            self.then.insert(sm);
        }
    }

    /// The SMs that are due in cycle `now`; they are noted no longer.
    #[inline]
    pub fn take(&mut self, now: Cycle) -> Set {
        let mut due = Set::EMPTY;
        let place = now % PLACES;
        if self.marked >> place & 1 == 1 {
            self.marked &= !(1 << place);
            due = core::mem::take(&mut self.places[place as usize]);
        }
        if self.later <= now {
            self.later = NEVER;
            due |= core::mem::take(&mut self.then);
        }
        due
    }

    /// The first cycle from `now` on in which an SM is due.
    #[inline]
    pub fn next(&self, now: Cycle) -> Cycle {
        if self.marked == 0 {
            return self.later;
        }
        let ahead = self.marked.rotate_right((now % PLACES) as u32).trailing_zeros();
        self.later.min(now + Cycle::from(ahead))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_sm_is_due_in_its_cycle_and_once() {
        let members = |set: Set| set.members(false).collect::<Vec<u32>>();
        let mut agenda = Agenda::default();
        agenda.mark(5, 5, 1);
        agenda.mark(5, 68, 200);
        agenda.mark(5, 69, 3);
        agenda.mark(5, NEVER, 4);
        assert_eq!((agenda.next(5), members(agenda.take(5)), agenda.next(6)), (5, alloc::vec![1], 68));
        assert_eq!((members(agenda.take(68)), agenda.next(69)), (alloc::vec![200], 69));
        assert_eq!((members(agenda.take(69)), agenda.next(70)), (alloc::vec![3], NEVER));
    }
}
