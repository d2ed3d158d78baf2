//! How CTAs arrive at an SM and leave it.

use super::address::Place;
use super::code::Code;
use super::ctas::{Cta, FinishedCta};
use super::lanes::{MAX_SCHEDULERS, WarpRef};
use super::warps::Warp;
use super::{Inputs, Sm};
use crate::describe::ids::{Cycle, KernelId, LaunchId};
use crate::interface::controls::SmControls;

impl Sm {
    /// Places a CTA that fits; its warps can issue from the next cycle on. Returns its slot.
    pub fn launch(&mut self, now: Cycle, kernel: KernelId, launch: LaunchId, cta: u32, inputs: &Inputs) -> u8 {
        self.charge_ctas(now);
        *self.counts.from = now + 1;
        let code = &inputs.codes[kernel.index()][launch.index()];
        let slot = self.ctas.free_slot();
        let mut warps = [0_u64; MAX_SCHEDULERS];
        // The cycle `now` is over for this SM: it charges its stalls before the new warps count.
        self.settle_schedulers(now + 1);
        for number in 0..code.warps {
            let which = self.warps.free_lane(&warps);
            warps[which.scheduler()] |= which.bit();
            let (key, pc) = code.begin(cta, number);
            self.warps.states[which.index()] = Warp {
                place: Place { cta, warp: number, ..Place::default() },
                key,
                pc,
                kernel,
                launch,
                slot: slot as u8,
                ..Warp::default()
            };
        }
        for (scheduler, warps) in self.warps.schedulers.iter_mut().zip(warps) {
            scheduler.admit(warps, kernel);
        }
        self.set_gates();
        self.divide(code);
        self.ctas.place(
            slot,
            code,
            Cta { kernel, launch, cta, launched: now, order: 0, warps, live: code.warps, arrived: 0, stores: 0, leaving: false },
        );
        self.l1.cta_placed(kernel);
        self.residents_changed();
        self.counts.stats[kernel.index()].ctas_launched += 1;
        self.counts.arrive(kernel, code.warps);
        for (s, mask) in warps.into_iter().enumerate() {
            let mut rest = mask;
            while rest != 0 {
                let lane = rest.trailing_zeros();
                rest &= rest - 1;
                self.proceed(now, now + 1, WarpRef::new(s, lane), inputs);
            }
        }
        self.apply_throttle(inputs.controls);
        self.wake_schedulers();
        self.calendar.wake(now + 1);
        slot as u8
    }

    /// Divides L1D and shared memory for a CTA of `code`, if the SM has none.
    pub(super) fn divide(&mut self, code: &Code) {
        if let Some(shared_bytes) = self.ctas.divide(code) {
            self.l1.carve_out(shared_bytes);
        }
    }

    /// All warps of a CTA are done.
    pub(super) fn finish(&mut self, now: Cycle, slot: usize, inputs: &Inputs) {
        self.charge_ctas(now);
        let Some(cta) = self.ctas.remove(slot, inputs.codes) else { return };
        if !self.moves.is_empty() {
            self.stays(slot);
        }
        let stats = &mut self.counts.stats[cta.kernel.index()];
        stats.ctas_done += 1;
        let left = self.ctas.used(cta.kernel).ctas;
        stats.ctas_drained += u64::from(left >= inputs.controls.may_hold(cta.kernel));
        self.note_fewer(cta.kernel, inputs.controls);
        let (resident, spent) = (self.ctas.resident(), self.gate.quotas.spent());
        let left_behind = resident >> cta.kernel.0 & 1 == 0 && resident & spent != 0;
        *self.news.quotas_spent |= left_behind && self.gate.quotas.all_spent(resident);
        self.residents_changed();
        *self.news.any = true;
        self.news.finished.push(FinishedCta { slot: slot as u8, kernel: cta.kernel, cta: cta.cta, launched: cta.launched });
        self.apply_throttle(inputs.controls);
    }

    /// A CTA has come or gone: where kernels have ranks, who may issue depends on who is here.
    pub(super) fn residents_changed(&mut self) {
        if self.gate.quotas.is_ranked() {
            self.set_gates();
        }
    }

    /// Counts the CTA cycles before `now`.
    pub(super) fn charge_ctas(&mut self, now: Cycle) {
        let cycles = self.ctas.take_cycles(now);
        for (kernel, stats) in (0..).map(KernelId).zip(&mut self.counts.stats) {
            stats.cta_cycles += u64::from(self.ctas.used(kernel).ctas) * cycles;
        }
    }

    /// Pauses the youngest CTAs of each kernel beyond its throttle.
    pub(super) fn apply_throttle(&mut self, controls: &SmControls) {
        for (s, (scheduler, throttled)) in self.warps.schedulers.iter_mut().zip(self.ctas.throttled(controls)).enumerate() {
            if scheduler.throttled != throttled {
                scheduler.throttled = throttled;
                self.calendar.add(1 << s);
            }
        }
    }
}
