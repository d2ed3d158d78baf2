//! The memory side and the SMs go at the same time, on threads of the host. It goes through the next half of what it may be ahead by. They
//! follow meanwhile through the half before.
//!
//! A request that an SM sends in one half reaches the memory side at the end of it, when that is at the end of the next: no later than the
//! request may compete. So the memory side goes through each half without what SMs send in it or in the half before, as it would alone. What
//! both of them read, and the order in which they are put together again, does not depend on who was faster.
//!
//! Before the memory side goes on, the machine asks whether the dispatcher has nothing to say in all cycles that the SMs have still to follow
//! through by then. If it may have, they catch up first.

use super::Machine;
use super::threads::{Job, Span, Threads, Work};
use crate::describe::ids::Cycle;
use alloc::vec::Vec;

/// SMs of one job: few enough for all threads to end at about the same time.
const SMS_OF_JOB: usize = 3;

impl Machine {
    /// Runs to `end` at least, in which the dispatcher has nothing to say, and on to `limit` at most while that stays so. Afterwards the SMs have
    /// caught up.
    pub(super) fn roll(&mut self, threads: &dyn Threads, end: Cycle, limit: Cycle) {
        let half = self.memory.half();
        let mut quiet_until = end.min(self.now + 2 * half);
        // The memory side has been through all cycles before this one.
        let mut known = quiet_until.min(self.now + half);
        self.memory.run_ahead(self.now, known, &self.controls, self.reversed);
        while self.now < known {
            self.open_ports();
            let next = quiet_until.min(known + half);
            self.go_beside(threads, known, next);
            self.meet_dispatcher(known);
            self.catch_up(known);
            known = next;
            let beyond = limit.min(known + half);
            quiet_until = if self.goes_on_to(known, beyond) { beyond } else { known };
        }
    }

    /// The SMs follow to before `known`, while the memory side goes on from there to before `next`.
    fn go_beside(&mut self, threads: &dyn Threads, known: Cycle, next: Cycle) {
        let (memory, all, span) = self.apart(known);
        let beyond = Span { start: known, end: next, ..span };
        let goes_on = (next > known).then_some(Work::Memory(memory, &beyond));
        let follow = all.split(SMS_OF_JOB).map(|part| Work::Sms(part, &span));
        let mut jobs: Vec<Job<'_>> = goes_on.into_iter().chain(follow).map(Job).collect();
        threads.each(&mut jobs);
    }

    /// Whether the memory side may go on from `known` to `beyond`: SMs have something to do, and the dispatcher has nothing to say to them.
    fn goes_on_to(&mut self, known: Cycle, beyond: Cycle) -> bool {
        let awake = !self.memory.with_replies().is_empty() || self.sms.iter().any(|sm| sm.next_event() < known);
        self.now < known && known < beyond && awake && self.may_run_ahead(beyond - self.now)
    }
}
