//! The memory side runs ahead of the SMs.
//!
//! A request that an SM sends competes with nothing before it has passed the pipeline of its port, `noc.latency` NoC cycles later. So what
//! the memory side does in these cycles does not depend on what SMs send in them: it runs first, and each SM follows by itself, while its
//! state is near. Replies wait with their time, and what has left a port meanwhile counts as there until its time has come.

use super::Memory;
use crate::describe::gpu::{Gpu, NocKind};
use crate::describe::ids::{Cycle, NEVER, Set};
use crate::interface::controls::Controls;
use crate::machine::noc::Tick;
use alloc::vec::Vec;

/// Cycles of a run ahead, at most.
const LONGEST: u64 = 64;

/// What SMs need to follow.
#[derive(Clone, Debug)]
pub(super) struct Ahead {
    /// Ticks that the memory side may be ahead; 0 where it may not.
    ticks: Tick,
    /// The cycle from which SMs follow.
    start: Cycle,
    /// The NoC's ticks after each cycle from there on; empty if no SM follows.
    after: Vec<Tick>,
    /// SMs whose port a request has left since then.
    with_left: Set,
    /// By SM: the cycles, counted from `start`, in which a request has left its port, a bit each.
    left: Vec<u64>,
}

impl Ahead {
    pub(super) fn new(gpu: &Gpu) -> Self {
        Ahead {
            ticks: if Ahead::may(gpu) { gpu.noc.latency.into() } else { 0 },
            start: 0,
            after: Vec::with_capacity(LONGEST as usize),
            with_left: Set::EMPTY,
            left: alloc::vec![0; gpu.sm_count() as usize],
        }
    }

    /// Whether the memory side may run ahead. An SM takes a reply a cycle: with no more than that to come, a link of two never holds back the
    /// reply NoC.
    fn may(gpu: &Gpu) -> bool {
        gpu.noc.kind == NocKind::Crossbar && gpu.noc.mhz <= gpu.core_mhz && gpu.noc.queue >= 2
    }

    /// Replies that may have arrived at an SM: where the memory side runs ahead, those of cycles to come are among them.
    pub(super) fn replies(gpu: &Gpu) -> u32 {
        if Ahead::may(gpu) { u32::MAX } else { gpu.noc.queue }
    }

    /// A request leaves an SM's port in cycle `now`.
    #[inline]
    pub(super) fn leaves(&mut self, now: Cycle, sm: u32) {
        self.left[sm as usize] |= 1 << (now - self.start);
        self.with_left.insert(sm);
    }

    /// The NoC's ticks after cycle `now`, if the memory side is ahead of it.
    #[inline]
    pub(super) fn ticks_after(&self, now: Cycle) -> Option<Tick> {
        self.after.get((now - self.start) as usize).copied()
    }

    /// Requests at an SM's port in cycle `now` that have left it since.
    #[inline]
    pub(super) fn still_there(&self, now: Cycle, sm: u32) -> u32 {
        let left = self.left[sm as usize];
        if left == 0 { 0 } else { (left >> (now - self.start) >> 1).count_ones() }
    }
}

impl Memory {
    /// Cycles for which the memory side may run ahead from now on; 0 where it may not.
    pub fn lookahead(&self) -> Cycle {
        // Not into the tick in which a request of the first of these cycles may compete.
        if self.ahead.ticks == 0 { 0 } else { (self.noc.clock.cycles_until(self.ahead.ticks + 1) - 1).min(LONGEST) }
    }

    /// Runs ahead from cycle `start` to before `end`, by at most `lookahead` cycles. The SMs follow, with `now` from `start` on.
    pub fn run_ahead(&mut self, start: Cycle, end: Cycle, controls: &Controls, reversed: bool) {
        self.ahead.start = start;
        for now in start..end {
            self.cycle(now, controls, reversed);
            self.ahead.after.push(self.noc.ticks);
        }
    }

    /// The first cycle from `now` on in which an SM's port has room, as far as is known: `NEVER` if that is later than the memory side is.
    pub fn room_from(&self, now: Cycle, sm: u32) -> Cycle {
        if now >= self.ahead.start + self.ahead.after.len() as Cycle {
            return NEVER;
        }
        if self.has_room(now, sm) {
            return now;
        }
        // A full port holds no more than it can: the first to leave makes room.
        let later = self.ahead.left[sm as usize] >> (now - self.ahead.start) >> 1;
        if later == 0 { NEVER } else { now + 1 + Cycle::from(later.trailing_zeros()) }
    }

    /// The SMs have caught up.
    pub fn caught_up(&mut self) {
        self.ahead.after.clear();
        for sm in core::mem::take(&mut self.ahead.with_left).members(false) {
            self.ahead.left[sm as usize] = 0;
        }
    }
}
