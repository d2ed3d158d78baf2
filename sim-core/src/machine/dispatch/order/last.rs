//! Which SM finished a CTA last.

use crate::describe::ids::Cycle;
use crate::describe::rng::mix;
use crate::interface::spec::Param;

/// Whether ties are drawn, for orders that begin a launch after the last SM.
pub const DRAW_TIES: Param = Param::flag(
    "draw_ties",
    false,
    "Of the SMs that finish in the same cycle one is drawn as the last, and not that of the greatest number. Without, a kernel whose SMs all take the same time \
     begins each of its launches at the same SM",
);

/// The SM that finished last, SM `sms - 1` at first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Last {
    sm: u16,
    cycle: Cycle,
    draws: bool,
}

impl Last {
    /// Nothing has finished on any of so many SMs.
    pub fn of(sms: usize, draws: bool) -> Self {
        Last { sm: (sms - 1) as u16, cycle: 0, draws }
    }

    /// A CTA finishes on `sm`; SMs that finish in the same cycle come in the order of their numbers.
    pub fn finished(&mut self, now: Cycle, sm: u16) {
        let draw = |sm: u16| mix(mix(now, 0x6c61_7374), sm.into());
        if !self.draws || now != self.cycle || draw(sm) > draw(self.sm) {
            self.sm = sm;
        }
        self.cycle = now;
    }

    /// The SM after it.
    pub fn next(&self, sms: u16) -> u16 {
        (self.sm + 1) % sms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three SMs that always finish together: without draws the last is always the same, with draws it is each of them at some time. Who finishes later alone
    /// is last all the same.
    #[test]
    fn ties_go_to_the_greatest_number_or_are_drawn() {
        let after = |draws: bool, launch: u64| {
            let mut last = Last::of(3, draws);
            (0..3).for_each(|sm| last.finished(1000 * launch, sm));
            last.next(3)
        };
        assert!((1..30).all(|launch| after(false, launch) == 0));
        assert!((0..3).all(|sm| (1..30).any(|launch| after(true, launch) == sm)));
        let mut last = Last::of(3, true);
        (0..3).for_each(|sm| last.finished(7, sm));
        last.finished(8, 1);
        assert_eq!(last.next(3), 2);
    }
}
