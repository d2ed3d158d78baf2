//! Context switches: CTAs leave an SM before they have finished, and go on later, on any SM that they fit.
//!
//! A CTA that has to leave issues nothing more. Once its loads are back and its arithmetic is done, and the stores that it waits for
//! (`sm.exit`), its registers and its shared memory, as they are allocated, go to DRAM. They go a line at a time, as writes of whole lines
//! that L2 passes on and acknowledges. With the last acknowledgement the CTA leaves the SM, and the dispatcher keeps it. On the SM where it
//! resumes, it takes its resources at once. Its lines are read from DRAM, and with the last one its warps continue at their next
//! instruction, with their loops and their barrier.
//!
//! So no line is read before its write: L2 acknowledges a write when it has passed it on towards the line's DRAM channel, and a read of
//! the line goes the same way behind it. A memory controller answers a read of what it has still to write from its write queue. Each CTA
//! has lines of its own.
//!
//! An SM moves one CTA at a time. The lines take turns with the miss queue at the NoC's port: each goes first in every other cycle.
//! Simplified: lines hold no data; a read of a line that is still to be written takes its time of DRAM all the same.

use super::code::{CONTEXT_LINES, KERNEL_LINES, first_line};
use super::ctas::Cta;
use super::lanes::{MAX_SCHEDULERS, WarpRef};
use super::next::Issue;
use super::warps::Warp;
use super::{Inputs, Sm};
use crate::describe::ids::{Cycle, KernelId, Kernels, LineAddr};
use crate::interface::controls::SmControls;
use crate::machine::noc::members;
use crate::machine::noc_port::NocPort;
use crate::machine::packet::{Access, Request};
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// A CTA between two SMs.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SavedCta {
    cta: Cta,
    warps: Vec<SavedWarp>,
    first_line: LineAddr,
    lines: u32,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct SavedWarp {
    warp: Warp,
    issue: Issue,
    at_barrier: bool,
}

impl SavedCta {
    /// Its kernel.
    pub fn kernel(&self) -> KernelId {
        self.cta.kernel
    }

    /// Its number in the grid.
    pub fn cta(&self) -> u32 {
        self.cta.cta
    }
}

/// The transfer of one CTA's context, out or in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Move {
    slot: u8,
    kernel: KernelId,
    out: bool,
    /// When the switch was asked for.
    since: Cycle,
    /// Known once it begins, as are its lines.
    first_line: LineAddr,
    /// All lines, those that have been sent or asked for, and those that have been acknowledged or have come.
    lines: u32,
    sent: u32,
    come: u32,
}

/// The CTAs of an SM that are on their way, the next one first.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Moves(VecDeque<Move>);

impl Moves {
    /// Whether no CTA is on its way.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A line has come, or its acknowledgement.
    pub fn arrived(&mut self) {
        if let Some(first) = self.0.front_mut() {
            first.come += 1;
        }
    }
}

impl Sm {
    /// Makes the youngest CTAs leave of each kernel that is to be switched and holds more CTAs than its target.
    pub(super) fn switch_out(&mut self, now: Cycle, controls: &SmControls) {
        for kernel in KernelId::first(self.counts.stats.len()).filter(|&kernel| controls.cta_switch[kernel]) {
            while let Some(slot) = self.ctas.excess(kernel, controls.may_hold(kernel)) {
                let slot = slot as u8;
                self.moves.0.push_back(Move { slot, kernel, out: true, since: now, first_line: 0, lines: 0, sent: 0, come: 0 });
            }
        }
    }

    /// Sends or asks for the next line of the CTA that is on its way, if it can.
    #[inline(never)] // contexts are rare
    pub(super) fn move_context(&mut self, now: Cycle, inputs: &Inputs, port: &mut NocPort) {
        let Some(&first) = self.moves.0.front() else { return };
        let begins = first.out && first.sent == 0;
        if !begins && first.come != first.lines && !(first.sent < first.lines && port.has_room(now)) {
            return;
        }
        let mut first = first;
        if begins {
            let Some(cta) = self.ctas.slots()[usize::from(first.slot)].as_ref().filter(|_| self.is_quiet(first.slot.into())) else {
                return;
            };
            let lines = self.ctas.context_bytes(first.slot.into(), inputs.codes).div_ceil(port.line_bytes).max(1);
            // Contexts lie one after the other; more than have a place of their own are never under way at once.
            first.first_line = CONTEXT_LINES + first_line(first.kernel.index()) + cta.cta % ((KERNEL_LINES - 1) / lines) * lines;
            first.lines = inputs.controls.context_lines[first.kernel].map_or(lines, |most| lines.min(most));
        }
        if first.sent < first.lines && port.has_room(now) {
            let access = if first.out { Access::Write } else { Access::Read };
            let line = first.first_line + first.sent;
            let request = Request { line, sm: self.l1.sm() as u16, kernel: first.kernel, access, context: true, ..Request::default() };
            port.send(now, Request { since: now, ..request });
            first.sent += 1;
        }
        self.moves.0[0] = first;
        if first.come == first.lines {
            self.moves.0.pop_front();
            let stats = &mut self.counts.stats[first.kernel.index()];
            stats.switch_cycles += now - first.since;
            if first.out {
                stats.context_lines_out += u64::from(first.lines);
                self.leave(now, first, inputs);
            } else {
                stats.context_lines_in += u64::from(first.lines);
                self.go_on(now, first.slot.into());
            }
        }
    }

    /// Whether a CTA may leave within `cycles` cycles, no more than a line on its way to L2 and its acknowledgement take: all that the CTA has
    /// must have been sent before.
    pub fn may_lose_context(&self, cycles: Cycle, controls: &SmControls) -> bool {
        let Some(first) = self.moves.0.front() else { return false };
        let sent = first.sent > 0 && first.sent == first.lines && Cycle::from(first.lines - first.come) <= cycles;
        let leaves_nothing = |moved: &Move| moved.out && controls.context_lines[moved.kernel] == Some(0);
        first.out && sent || self.moves.0.iter().any(leaves_nothing)
    }

    /// Whether the CTA in a slot has nothing under way.
    fn is_quiet(&self, slot: usize) -> bool {
        let Some(cta) = &self.ctas.slots()[slot] else { return false };
        cta.stores == 0
            && self.warps.schedulers.iter().zip(cta.warps).enumerate().all(|(s, (scheduler, warps))| {
                let at_rest = warps & !(scheduler.ready | scheduler.barrier) == 0;
                at_rest && members(warps, false).all(|lane| self.warps.states[WarpRef::new(s, lane).index()].loads == 0)
            })
    }

    /// Takes the CTA off the SM, for the dispatcher.
    fn leave(&mut self, now: Cycle, done: Move, inputs: &Inputs) {
        self.charge_ctas(now);
        self.settle_schedulers(now);
        let Some(cta) = self.ctas.remove(done.slot.into(), inputs.codes) else { return };
        let mut warps = Vec::new();
        for (s, &mask) in cta.warps.iter().enumerate().take(self.warps.schedulers.len()) {
            for lane in members(mask, false) {
                let which = WarpRef::new(s, lane);
                let scheduler = &mut self.warps.schedulers[s];
                if scheduler.ready & scheduler.global & which.bit() != 0 {
                    self.lsu_gate.leave(&mut self.counts, cta.kernel);
                }
                let at_barrier = scheduler.barrier & which.bit() != 0;
                warps.push(SavedWarp {
                    warp: self.warps.states[which.index()].clone(),
                    issue: self.warps.issues[which.index()],
                    at_barrier,
                });
                scheduler.dismiss(lane, cta.kernel);
                self.counts.depart(cta.kernel);
            }
        }
        self.counts.stats[cta.kernel.index()].ctas_switched_out += 1;
        self.note_fewer(cta.kernel, inputs.controls);
        self.residents_changed();
        *self.news.any = true;
        self.news.switched_out.push((done.slot, SavedCta { cta, warps, first_line: done.first_line, lines: done.lines }));
        self.apply_throttle(inputs.controls);
        self.wake_schedulers();
    }

    /// A kernel has lost a CTA: notes whether it has just come down to its target.
    pub(super) fn note_fewer(&mut self, kernel: KernelId, controls: &SmControls) {
        let left = self.ctas.used(kernel).ctas;
        *self.news.preempted |= Kernels::from(left == controls.may_hold(kernel)) << kernel.0;
    }

    /// Takes back a CTA that fits; its warps continue once its context has arrived. Returns its slot.
    pub fn resume(&mut self, now: Cycle, saved: SavedCta, inputs: &Inputs) -> u8 {
        let SavedCta { cta, warps: saved, first_line, lines } = saved;
        let kernel = cta.kernel;
        self.charge_ctas(now);
        *self.counts.from = now + 1;
        self.settle_schedulers(now + 1);
        let slot = self.ctas.free_slot();
        let mut warps = [0_u64; MAX_SCHEDULERS];
        let mut at_barrier = [0_u64; MAX_SCHEDULERS];
        for saved in saved {
            let which = self.warps.free_lane(&warps);
            warps[which.scheduler()] |= which.bit();
            if saved.at_barrier {
                at_barrier[which.scheduler()] |= which.bit();
            }
            self.warps.states[which.index()] = Warp { slot: slot as u8, ..saved.warp };
            self.warps.issues[which.index()] = saved.issue;
        }
        for (scheduler, (warps, at_barrier)) in self.warps.schedulers.iter_mut().zip(warps.into_iter().zip(at_barrier)) {
            scheduler.admit(warps, kernel);
            scheduler.barrier |= at_barrier;
        }
        self.set_gates();
        self.counts.arrive(kernel, cta.live);
        let code = &inputs.codes[kernel.index()][cta.launch.index()];
        self.divide(code);
        self.ctas.place(slot, code, Cta { warps, leaving: false, ..cta });
        self.l1.cta_placed(kernel);
        self.residents_changed();
        self.counts.stats[kernel.index()].ctas_switched_in += 1;
        self.moves.0.push_back(Move { slot: slot as u8, kernel, out: false, since: now, first_line, lines, sent: 0, come: 0 });
        self.apply_throttle(inputs.controls);
        self.wake_schedulers();
        self.calendar.wake(now + 1);
        slot as u8
    }

    /// The context of the CTA in a slot has arrived: its warps continue.
    fn go_on(&mut self, now: Cycle, slot: usize) {
        let Some(cta) = &self.ctas.slots()[slot] else { return };
        for (s, warps) in cta.warps.into_iter().enumerate().take(self.warps.schedulers.len()) {
            for lane in members(warps & !self.warps.schedulers[s].barrier, false) {
                let which = WarpRef::new(s, lane);
                self.warps.schedulers[s].set_next(which.bit(), self.warps.issues[which.index()].next);
                self.warps.sleep_until(now, now + 1, which);
            }
        }
    }

    /// The CTA in a slot has finished: cancels its switch, if one was asked for.
    pub(super) fn stays(&mut self, slot: usize) {
        self.moves.0.retain(|moved| usize::from(moved.slot) != slot);
    }

    /// The way of the CTA in a slot: `Some(true)` if it is to leave, `Some(false)` if its context is on the way here.
    pub fn moving(&self, slot: usize) -> Option<bool> {
        self.moves.0.iter().rev().find(|moved| usize::from(moved.slot) == slot).map(|moved| moved.out)
    }

    /// Whether the SM has a line of a context to send, a CTA that may leave, or one that may go on.
    pub(super) fn moves_on(&self) -> bool {
        self.moves.0.front().is_some_and(|first| match first.sent {
            0 if first.out => self.is_quiet(first.slot.into()),
            sent => sent < first.lines || first.come == first.lines,
        })
    }
}
