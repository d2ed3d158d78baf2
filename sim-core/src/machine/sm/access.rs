//! The SM's side of L1D: lines of the LSU go there, and loads whose lines are there go back to their warps.

use super::calendar::{HITS, LSU, MISSES};
use super::{Inputs, Pause, Sm};
use crate::describe::ids::{Cycle, KernelId};
use crate::interface::controls::SmControls;
use crate::machine::l1d::{Found, ReservationFailure};
use crate::machine::noc_port::NocPort;
use crate::machine::packet::{Access, Packet};

impl Sm {
    /// Takes in what the NoC has for the SM in a cycle that has begun: what a home asks of L1D, and a reply.
    #[inline(never)] // most cycles bring nothing
    pub(super) fn hear(&mut self, now: Cycle, inputs: &Inputs, port: &mut NocPort) {
        if self.l1.may_be_asked()
            && let Some(forward) = port.take_forward()
        {
            self.l1.asked(forward);
            self.calendar.add(MISSES);
            self.retry_failed(now, &[ReservationFailure::StoreBuffer, ReservationFailure::Line], inputs.controls);
        }
        match port.take_reply(now) {
            Some(reply) if reply.request.context => self.moves.arrived(),
            Some(reply) => self.receive(now, reply, inputs),
            None => {}
        }
    }

    fn receive(&mut self, now: Cycle, reply: &Packet, inputs: &Inputs) {
        let request = &reply.request;
        let releasing = self.l1.releasing();
        let there = self.l1.receive(now, reply, inputs.controls, &mut self.counts.stats[request.kernel.index()]);
        *self.news.any |= self.l1.releasing() != releasing;
        self.note_misses();
        match request.access {
            Access::Write | Access::Atomic => {
                self.retry_failed(now, &[ReservationFailure::StoreBuffer, ReservationFailure::Line], inputs.controls);
                if *self.awaits_stores && !self.l1.keeps_stores() {
                    self.count_stores(now, request.tag, (0, 1), inputs);
                }
            }
            Access::Read if !there => {}
            Access::Read => {
                while let Some(load) = self.l1.next_waiter(request.tag) {
                    let entry = self.loads.get(load);
                    entry.lines -= 1;
                    let (lines, ready) = (entry.lines, entry.ready);
                    if lines == 0 && ready <= now {
                        self.complete_load(now, load, inputs);
                    } else if lines == 0 {
                        self.l1.hit_in_order(ready, load);
                        self.calendar.mark(now, ready, HITS);
                    }
                }
                let freed = [ReservationFailure::Mshr, ReservationFailure::Merge, ReservationFailure::Line];
                self.retry_failed(now, &freed, inputs.controls);
            }
        }
    }

    /// L1D may have put requests into its miss queue.
    #[inline]
    fn note_misses(&mut self) {
        if self.l1.has_ungranted() {
            self.calendar.add(MISSES);
        }
    }

    /// A resource has become free. Tries accesses again that failed for a reason in `over`, if they now find what they failed to reserve.
    #[inline]
    pub(super) fn retry_failed(&mut self, now: Cycle, over: &[ReservationFailure], controls: &SmControls) {
        if self.lsu.any_failed(over) {
            self.retry(now, over, controls);
        }
    }

    #[inline(never)] // so that the question before it is inlined
    fn retry(&mut self, now: Cycle, over: &[ReservationFailure], controls: &SmControls) {
        self.calendar.add(LSU);
        let (counts, l1) = (&mut self.counts, &self.l1);
        let ready = |kernel, line, why| over.contains(&why) && l1.has_room(kernel, line, why, controls);
        self.lsu.retry(now, ready, |wait| counts.charge_failure(wait));
    }

    pub(super) fn complete_load(&mut self, now: Cycle, load: u16, inputs: &Inputs) {
        let entry = load;
        let load = self.loads.close(load);
        if self.gate.quotas.is_late() {
            self.gate.quotas.load_completes(entry, load.kernel);
        }
        let stats = &mut self.counts.stats[load.kernel.index()];
        stats.load_latency_sum += now - load.issued;
        stats.loads_done += 1;
        self.uncap(load.kernel, inputs.controls);
        let (s, bit) = (load.warp.scheduler(), load.warp.bit());
        let warp = &mut self.warps.states[load.warp.index()];
        warp.loads -= 1;
        warp.board.pending &= !*load.entry;
        let scheduler = &mut self.warps.schedulers[s];
        if load.missed {
            warp.missed_loads -= 1;
            if warp.missed_loads == 0 {
                if scheduler.waiting & bit != 0 {
                    self.counts.has_memory(load.kernel);
                }
                scheduler.missed &= !bit;
                self.calendar.add(1 << s);
            }
        }
        if scheduler.waiting & bit != 0 && u32::from(warp.loads) <= warp.wait_for && warp.board.pending & warp.board.awaited == 0 {
            let at = warp.ready_from.max(now);
            if scheduler.missed & bit != 0 {
                self.counts.has_memory(load.kernel);
            }
            scheduler.waiting &= !bit;
            warp.board.awaited = 0;
            self.calendar.add(1 << s);
            self.proceed(now, at, load.warp, inputs);
        }
    }

    pub(super) fn drain_misses(&mut self, now: Cycle, controls: &SmControls, port: &mut NocPort) {
        let (store_left, granted) = self.l1.drain(now, controls, port, &mut self.counts.stats);
        if store_left {
            self.retry_failed(now, &[ReservationFailure::StoreBuffer], controls);
        }
        if granted {
            self.retry_failed(now, &[ReservationFailure::MissQueue], controls);
        }
        self.calendar.mark(now, self.l1.drains_next(now, controls).max(now + 1), MISSES);
        if self.l1.waits_for_noc() {
            self.calendar.mark(now, port.room_from(now + 1), MISSES);
        }
    }

    /// Sends the next line of a kernel's oldest memory instruction to L1D.
    pub(super) fn access_l1(&mut self, now: Cycle, kernel: KernelId, inputs: &Inputs) {
        let controls = inputs.controls;
        let head = self.lsu.head(kernel, &inputs.codes[kernel.index()]);
        let stats = &mut self.counts.stats[kernel.index()];
        let outcome = match head.access {
            Access::Write | Access::Atomic => {
                self.l1.store(now, (head.access, head.tag), (head.line, head.bytes, head.words), kernel, controls, stats)
            }
            Access::Read => {
                if let Some(lines) = head.fresh {
                    self.loads.get(head.tag).lines = lines as u16;
                }
                self.l1.load(now, head.tag, (head.line, head.words), kernel, controls, stats).map(|found| self.found(now, head.tag, found))
            }
        };
        match outcome {
            Ok(()) => {
                if *self.units.line_interval > 1 {
                    self.port.pause = Pause(now + *self.units.line_interval);
                }
                let was_full = self.lsu.full();
                if self.gate.quotas.is_late() {
                    self.charge_store(kernel, inputs);
                }
                let is_last = self.lsu.taken(kernel);
                if *self.awaits_stores && head.access != Access::Read {
                    self.count_stores(now, head.tag, (u32::from(!self.l1.keeps_stores()), u32::from(is_last)), inputs);
                }
                if self.l1.awaits_stores(kernel) && self.lsu.stores(kernel) == 0 {
                    self.l1.stores_came(kernel);
                    *self.news.any = true;
                }
                self.uncap(kernel, controls);
                if was_full != self.lsu.full() {
                    self.set_gates();
                }
            }
            Err(why) => {
                let counts = &mut self.counts;
                self.lsu.fail(now, kernel, why, |wait| counts.charge_failure(wait));
            }
        }
        if self.lsu.has_unfailed() {
            self.calendar.add(LSU);
        }
        self.note_misses();
    }

    /// Of the CTA in a slot so many stores or lines of stores are on their way from now on, and so many no longer: it may be done.
    fn count_stores(&mut self, now: Cycle, slot: u16, (begin, end): (u32, u32), inputs: &Inputs) {
        let Some(cta) = self.ctas.get_mut(slot.into()) else { return };
        cta.stores += begin;
        cta.stores -= end;
        if cta.is_done() {
            self.finish(now, slot.into(), inputs);
        }
    }

    /// L1D has taken a line of a kernel's oldest memory instruction: a store completes with its last line.
    fn charge_store(&mut self, kernel: KernelId, inputs: &Inputs) {
        if let Some(store) = self.lsu.store_leaves(kernel) {
            let lanes = inputs.codes[kernel.index()][store.launch.index()].lanes(store.pc);
            self.gate.quotas.completes(kernel, lanes);
        }
    }

    /// L1D has taken a line of a load.
    fn found(&mut self, now: Cycle, load: u16, found: Found) {
        let entry = self.loads.get(load);
        if found == Found::Hit {
            entry.lines -= 1;
            entry.ready = now + Cycle::from(self.l1.latency());
            if entry.lines == 0 {
                self.l1.hit(entry.ready, load);
                self.calendar.mark(now, entry.ready, HITS);
            }
        } else if !entry.missed {
            entry.missed = true;
            let (warp, kernel) = (entry.warp, entry.kernel);
            self.warps.states[warp.index()].missed_loads += 1;
            let scheduler = &mut self.warps.schedulers[warp.scheduler()];
            if scheduler.waiting & !scheduler.missed & warp.bit() != 0 {
                self.counts.wait_for_memory(kernel);
            }
            scheduler.missed |= warp.bit();
            self.calendar.add(1 << warp.scheduler());
        }
    }
}
