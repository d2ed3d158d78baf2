//! SMs run ahead of each other. The memory side goes first, as far as nothing that an SM sends meanwhile can reach it. Then each SM goes
//! by itself, one after the other, while its state is in the host's cache. The state afterwards is that of single steps.
//!
//! SMs meet at the dispatcher alone. An SM that has news for it stops there. The dispatcher takes the news of the earliest cycle first,
//! and whoever gets a CTA goes on. That another SM is ahead by then does not matter as long as the dispatcher has nothing to say to it.
//! Then no launch ends, no CTA leaves with its context, and no kernel's last CTA is placed while CTAs of another rank wait. Nor does
//! anything happen that the policy wants to hear of at once. Where that cannot be said beforehand, the machine takes single steps.

use super::Machine;
use super::memory::Memory;
use super::sm::{Inputs, Sm};
use super::threads::{Part, Span};
use crate::describe::ids::{Cycle, KernelId, NEVER, Set};
use crate::interface::event::{EventKind, EventKinds};

/// Cycles that are worth a run ahead, at least.
const SHORTEST: Cycle = 4;

/// Cycles one after the other in each of which something happened, before a run ahead is tried: where most cycles are skipped, it costs more.
const BUSY: u64 = 8;

/// Events that do not happen while SMs run ahead: no launch ends.
const NOT_AHEAD: EventKinds = EventKinds::of(&[EventKind::KernelLaunched, EventKind::KernelFinished]);

impl Machine {
    /// Simulates a cycle, or some at once if no one can tell the difference; at most to `limit`.
    pub fn advance(&mut self, limit: Cycle) {
        let end = limit.min(self.now + self.memory.lookahead());
        let tries = self.busy >= BUSY && end >= self.now + SHORTEST && !self.dispatcher.is_awake();
        if !tries || !self.may_run_ahead(end - self.now) {
            self.step();
        } else if let Some(threads) = self.threads.clone().filter(|_| self.memory.half() >= SHORTEST) {
            self.roll(&*threads, end, limit);
        } else {
            self.run_ahead(end);
        }
    }

    /// Whether the dispatcher has nothing to say within some cycles to an SM that has no news for it.
    pub(super) fn may_run_ahead(&mut self, cycles: Cycle) -> bool {
        let opens = self.dispatcher.opens() < self.now + cycles;
        if opens || self.keep_awake || self.may_lose_context(cycles) || !self.is_quiet(cycles) {
            return false;
        }
        // A CTA for each SM and cycle is the most that can find a place.
        let Some(ending) = self.dispatcher.may_end(self.sms.len() as u32 * cycles as u32, &self.controls) else { return false };
        KernelId::first(self.codes.len()).filter(|kernel| ending >> kernel.0 & 1 == 1).all(|kernel| self.goes_on(kernel, cycles))
    }

    /// Whether an SM has a CTA that keeps a kernel's launch from its end for some cycles.
    fn goes_on(&mut self, kernel: KernelId, cycles: Cycle) -> bool {
        let codes = &self.codes[kernel.index()];
        let keeps = |sm: &Sm| sm.has_cta_beyond(kernel, cycles, codes);
        if keeps(&self.sms[usize::from(self.witness[kernel])]) {
            return true;
        }
        let found = self.sms.iter().position(keeps);
        self.witness[kernel] = found.unwrap_or(0) as u16;
        found.is_some()
    }

    /// Whether a CTA may leave with its context within some cycles: any SM may then take it.
    fn may_lose_context(&self, cycles: Cycle) -> bool {
        self.switches && self.sms.iter().zip(&self.controls.sms).any(|(sm, controls)| sm.may_lose_context(cycles, controls))
    }

    /// Whether nothing happens within some cycles that the policy wants to hear of at once; no CTA leaves with its context.
    fn is_quiet(&self, cycles: Cycle) -> bool {
        if self.listens_to.are_among(NOT_AHEAD) {
            return true;
        }
        let [retired, preempted, spent] =
            [EventKind::CtaRetired, EventKind::PreemptionDone, EventKind::QuotasSpent].map(|kind| self.listens_to.has(kind));
        (0..).zip(&self.sms).all(|(index, sm)| {
            let inputs = self.inputs(index);
            let may = retired && sm.may_finish_any(cycles, &inputs)
                || preempted && sm.may_come_to_target(cycles, &inputs)
                || spent && sm.may_spend_quotas(self.now, cycles, &inputs);
            !may
        })
    }

    fn inputs(&self, index: u32) -> Inputs<'_> {
        Inputs { controls: &self.controls.sms[index as usize], codes: &self.codes }
    }

    /// Runs from the present cycle to before `end`.
    fn run_ahead(&mut self, end: Cycle) {
        self.memory.run_ahead(self.now, end, &self.controls, self.reversed);
        self.open_ports();
        let (_, mut all, span) = self.apart(end);
        all.follow(&span);
        self.meet_dispatcher(end);
        self.catch_up(end);
    }

    /// Opens every SM's port for the cycles that the memory side has been through.
    pub(super) fn open_ports(&mut self) {
        (0..).zip(&mut self.ports).for_each(|(index, port)| self.memory.open(index, port));
    }

    /// The SMs are before cycle `end`, and the memory side learns what they have sent.
    pub(super) fn catch_up(&mut self, end: Cycle) {
        (0..).zip(&mut self.ports).for_each(|(index, port)| self.memory.take_in(index, port));
        self.memory.caught_up(end);
        self.busy += end - self.now;
        self.now = end;
    }

    /// The memory side, all SMs, and what they read on the way from the present cycle to before `end`.
    pub(super) fn apart(&mut self, end: Cycle) -> (&mut Memory, Part<'_>, Span<'_>) {
        let span = Span {
            start: self.now,
            end,
            awaiting: self.dispatcher.awaiting(),
            controls: &self.controls,
            codes: &self.codes,
            reversed: self.reversed,
        };
        (&mut self.memory, Part { first: 0, sms: &mut self.sms, ports: &mut self.ports, stops: &mut self.stops }, span)
    }

    /// SMs have followed to before `end`, or have stopped: they get what the dispatcher has for them, in the order of cycles, and go on.
    pub(super) fn meet_dispatcher(&mut self, end: Cycle) {
        let start = self.now;
        let mut stops = core::mem::take(&mut self.stops);
        loop {
            let now = stops.iter().copied().min().unwrap_or(NEVER);
            if now == NEVER {
                break;
            }
            let stopped = Set::of(&stops, |&stop| stop == now);
            self.now = now;
            self.collect(now, stopped);
            self.place(now);
            for index in stopped.members(self.reversed) {
                let next = now + 1;
                // An SM that may get another CTA goes on by one cycle.
                let awaits = self.dispatcher.awaits(index) && next < end;
                let stop = self.follow(index, next, if awaits { next + 1 } else { end });
                stops[index as usize] = if awaits { next } else { stop };
            }
        }
        self.stops = stops;
        self.now = start;
    }

    /// Whether an SM may have something to do in cycle `now`.
    #[inline]
    pub(super) fn is_due(&self, index: u32, now: Cycle) -> bool {
        let sm = &self.sms[index as usize];
        sm.next_event() <= now || sm.waits_for_noc() || self.memory.with_replies().contains(index) || self.keep_awake
    }

    /// Advances one SM from cycle `now` to before `end`, or to the first cycle in which it has news, which is then the answer.
    pub(super) fn follow(&mut self, index: u32, now: Cycle, end: Cycle) -> Cycle {
        let inputs = Inputs { controls: &self.controls.sms[index as usize], codes: &self.codes };
        self.sms[index as usize].follow(now, end, &inputs, &mut self.ports[index as usize])
    }
}
