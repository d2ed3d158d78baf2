//! CTAs on an SM: what fits, how they come and go, and which of them are throttled.

use super::code::{Code, Place};
use super::lsu::WarpRef;
use super::{Cta, FinishedCta, MAX_SCHEDULERS, Sm, Warp, World};
use crate::describe::gpu::occupancy::{self, Resources};
use crate::describe::ids::{Cycle, KernelId};
use crate::describe::kernel::WARP_SIZE;
use crate::seam::controls::SmControls;

impl Sm {
    /// Whether one more CTA of `code` fits.
    pub fn fits(&self, code: &Code) -> bool {
        self.used_all.fits(self.cost(code), self.whole)
    }

    /// What is left.
    pub fn room(&self) -> Resources {
        let mut room = self.whole;
        room.take(self.used_all);
        room
    }

    fn cost(&self, code: &Code) -> Resources {
        let registers = occupancy::registers_of_cta(code.threads, code.registers, self.register_granularity);
        Resources { ctas: 1, threads: code.warps * WARP_SIZE, registers, shared_bytes: code.shared_bytes }
    }

    /// Places a CTA that fits; its warps can issue from the next cycle on. Returns its slot.
    pub fn launch(&mut self, now: Cycle, kernel: KernelId, launch: u8, cta: u32, world: World) -> u8 {
        self.charge_ctas(now);
        *self.from = now + 1;
        let code = &world.codes[kernel.index()][usize::from(launch)];
        let cost = self.cost(code);
        self.used[kernel].add(cost);
        self.used_all.add(cost);
        let slot = self.ctas.iter().position(Option::is_none).expect("the dispatcher has checked that the CTA fits");
        let mut warps = [0_u64; MAX_SCHEDULERS];
        let lanes = if self.lanes == 64 { u64::MAX } else { (1 << self.lanes) - 1 };
        // The cycle `now` is over for this SM: what it stalled with is charged before the new warps can be seen.
        for s in 0..self.schedulers.len() {
            self.settle_scheduler(now + 1, s);
        }
        for number in 0..code.warps {
            let taken = |s: usize| self.schedulers[s].resident | warps[s];
            let s = (0..self.schedulers.len()).min_by_key(|&s| taken(s).count_ones()).unwrap_or(0);
            let lane = (!taken(s) & lanes).trailing_zeros();
            warps[s] |= 1 << lane;
            self.warps[WarpRef::new(s, lane).index()] = Warp {
                place: Place { cta, warp: number, ..Place::default() },
                key: code.warp_key(cta, number),
                kernel,
                launch,
                slot: slot as u8,
                ..Warp::default()
            };
        }
        for (scheduler, warps) in self.schedulers.iter_mut().zip(warps) {
            scheduler.admit(warps, kernel);
        }
        self.set_gates();
        self.arrivals += 1;
        self.ctas[slot] = Some(Cta { kernel, launch, cta, launched: now, order: self.arrivals, warps, live: code.warps, arrived: 0 });
        self.stats[kernel.index()].ctas_launched += 1;
        self.resident[kernel].enter(code.warps, *self.from);
        for (s, mask) in warps.into_iter().enumerate() {
            let mut rest = mask;
            while rest != 0 {
                let lane = rest.trailing_zeros();
                rest &= rest - 1;
                self.proceed(now, now + 1, WarpRef::new(s, lane), world);
            }
        }
        self.apply_throttle(world.controls);
        self.wake_schedulers();
        self.next.0 = self.next.0.min(now + 1);
        slot as u8
    }

    pub(super) fn finish(&mut self, now: Cycle, slot: usize, world: World) {
        self.charge_ctas(now);
        let Some(cta) = self.ctas[slot].take() else { return };
        let cost = self.cost(&world.codes[cta.kernel.index()][usize::from(cta.launch)]);
        self.used[cta.kernel].take(cost);
        self.used_all.take(cost);
        self.stats[cta.kernel.index()].ctas_done += 1;
        self.finished.push(FinishedCta { slot: slot as u8, kernel: cta.kernel, cta: cta.cta, launched: cta.launched });
        self.apply_throttle(world.controls);
    }

    pub(super) fn charge_ctas(&mut self, now: Cycle) {
        let cycles = now - self.cta_since;
        self.cta_since = now;
        for (stats, used) in self.stats.iter_mut().zip(self.used.0) {
            stats.cta_cycles += u64::from(used.ctas) * cycles;
        }
    }

    /// Pauses the youngest CTAs of each kernel beyond its throttle.
    pub(super) fn apply_throttle(&mut self, controls: &SmControls) {
        let mut throttled = [0_u64; MAX_SCHEDULERS];
        for kernel in KernelId::first(self.stats.len()) {
            let allowed = controls.cta_throttle[kernel];
            if u32::from(allowed) >= self.used[kernel].ctas {
                continue;
            }
            for cta in self.ctas.iter().flatten().filter(|cta| cta.kernel == kernel) {
                let older = self.ctas.iter().flatten().filter(|other| other.kernel == kernel && other.order < cta.order).count();
                if older >= usize::from(allowed) {
                    for (sum, warps) in throttled.iter_mut().zip(cta.warps) {
                        *sum |= warps;
                    }
                }
            }
        }
        for (s, (scheduler, throttled)) in self.schedulers.iter_mut().zip(throttled).enumerate() {
            if scheduler.throttled != throttled {
                scheduler.throttled = throttled;
                *self.awake |= 1 << s;
            }
        }
    }
}
