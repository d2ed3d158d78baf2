//! The memory side runs ahead of the SMs.
//!
//! A request that an SM sends competes with nothing before it has passed the pipeline of its port, `noc.latency` NoC cycles later. So what
//! the memory side does in these cycles does not depend on what SMs send in them: it runs first, and each SM follows by itself, while its
//! state is near. Replies wait with their time, and what has left a port meanwhile counts as there until its time has come.

use super::Memory;
use crate::describe::gpu::{Gpu, NocKind};
use crate::describe::ids::{Cycle, Set};
use crate::interface::controls::Controls;
use crate::machine::noc::Tick;
use crate::machine::noc_port::NocPort;
use alloc::vec::Vec;

/// Cycles of a run ahead, at most.
const LONGEST: u64 = 64;

/// What SMs need to follow.
#[derive(Clone, Debug)]
pub(super) struct Ahead {
    /// Ticks that the memory side may be ahead; 0 where it may not.
    ticks: Tick,
    /// Cycles that are half as many as it may be ahead for, whatever the phase of the clocks; 0 where it may not.
    half: Cycle,
    /// The cycle from which SMs follow.
    start: Cycle,
    /// The NoC's ticks after each cycle from there on; empty if no SM follows.
    after: Vec<Tick>,
    /// The cycle from which the memory side has run since ports were opened last.
    from: Cycle,
    /// SMs whose port a request has left since then.
    with_left: Set,
    /// By SM: the cycles, counted from `from`, in which a request has left its port, a bit each.
    left: Vec<u64>,
}

impl Ahead {
    pub(super) fn new(gpu: &Gpu) -> Self {
        Ahead {
            ticks: if Ahead::may(gpu) { gpu.noc.latency.into() } else { 0 },
            half: if Ahead::may(gpu) { Ahead::shortest(gpu).min(LONGEST) / 2 } else { 0 },
            start: 0,
            from: 0,
            after: Vec::with_capacity(LONGEST as usize),
            with_left: Set::EMPTY,
            left: alloc::vec![0; gpu.sm_count() as usize],
        }
    }

    /// Cycles in which no more NoC cycles pass than the pipeline takes, whatever the phase of the clocks.
    fn shortest(gpu: &Gpu) -> Cycle {
        Cycle::from(gpu.noc.latency) * Cycle::from(gpu.core_mhz) / Cycle::from(gpu.noc.mhz.max(1))
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
        self.left[sm as usize] |= 1 << (now - self.from);
        self.with_left.insert(sm);
    }

    /// Whether a request that was sent in tick `sent` may enter its port in tick `now`.
    pub(super) fn is_in_time(&self, sent: Tick, now: Tick) -> bool {
        sent == now || now <= sent + self.ticks
    }

    /// The NoC's ticks after cycle `now`, if the memory side is ahead of it.
    #[inline]
    pub(super) fn ticks_after(&self, now: Cycle) -> Option<Tick> {
        self.after.get(now.wrapping_sub(self.start) as usize).copied()
    }
}

impl Memory {
    /// Cycles for which the memory side may run ahead from now on; 0 where it may not.
    pub fn lookahead(&self) -> Cycle {
        // Not into the tick in which a request of the first of these cycles may compete.
        if self.ahead.ticks == 0 { 0 } else { (self.noc.clock.cycles_until(self.ahead.ticks + 1) - 1).min(LONGEST) }
    }

    /// Cycles that the memory side and the SMs may go at the same time, it as many ahead of them: what they send meanwhile competes with nothing
    /// before the end of its cycles. 0 where it may not run ahead.
    pub fn half(&self) -> Cycle {
        self.ahead.half
    }

    /// Runs ahead from cycle `start` to before `end`, by at most `lookahead` cycles. The SMs follow, with `now` from `start` on.
    pub fn run_ahead(&mut self, start: Cycle, end: Cycle, controls: &Controls, reversed: bool) {
        let ahead = &mut self.ahead;
        ahead.from = start;
        if ahead.after.is_empty() {
            ahead.start = start;
        }
        core::mem::take(&mut ahead.with_left).members(false).for_each(|sm| ahead.left[sm as usize] = 0);
        for now in start..end {
            self.cycle(now, controls, reversed);
            self.ahead.after.push(self.noc.ticks);
        }
    }

    /// A port at which nothing has come yet.
    pub fn port(&self) -> NocPort {
        NocPort::new(self.sizes.line_bytes, self.noc.requests.capacity(), self.ownership.is_some())
    }

    /// Opens an SM's port for the cycles of the last run ahead.
    #[inline]
    pub fn open(&mut self, sm: u32, port: &mut NocPort) {
        port.start = self.ahead.from;
        port.end = self.ahead.start + self.ahead.after.len() as Cycle;
        port.held = self.noc.requests.queued(sm);
        port.left = core::mem::take(&mut self.ahead.left[sm as usize]);
        if self.noc.with_replies.contains(sm) {
            self.hand_over(sm, port);
        }
        if let Some(asked) = &mut port.asked {
            self.ask(port.start, sm, asked);
        }
    }

    /// Hands over the replies that the SM takes while the port is open: one a cycle, once it has arrived.
    #[inline(never)] // for most ports there is none
    fn hand_over(&mut self, sm: u32, port: &mut NocPort) {
        debug_assert_eq!(port.taken, port.replies.len(), "the SM takes all that it was handed");
        port.replies.clear();
        port.taken = 0;
        let queue = &mut self.noc.to_sm[sm as usize];
        let mut at = port.start;
        while let Some(first) = queue.first() {
            at = at.max(self.packets[first].ready);
            if at >= port.end {
                return;
            }
            queue.pop(&self.packets);
            let mut reply = *self.packets.remove(first);
            reply.ready = at;
            port.replies.push(reply);
            at += 1;
        }
        if !self.has_forwards(sm) {
            self.noc.with_replies.remove(sm);
        }
    }

    /// Takes in what an SM has sent through its port.
    #[inline]
    pub fn take_in(&mut self, sm: u32, port: &mut NocPort) {
        for request in port.sent.drain(..) {
            self.inject(request.since, request);
        }
        if let Some(asked) = &mut port.asked {
            self.answered(sm, asked);
        }
    }

    /// The SMs have followed to before cycle `end`, and what they sent has been taken in.
    pub fn caught_up(&mut self, end: Cycle) {
        self.ahead.after.drain(..(end - self.ahead.start) as usize);
        self.ahead.start = end;
    }
}
