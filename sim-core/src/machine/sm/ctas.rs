//! The CTA table of an SM: its slots, what their CTAs take of the SM, and which of them are throttled.
//!
//! Where the SM's array is both L1D and shared memory, it is divided for the first CTA that comes to an SM without any. A CTA joins others only
//! where the division suits it (`sm.carve_out_wait`), and else waits until they have gone. An H100 does so: a kernel of 64 threads, which wants 32 KB
//! for 32 CTAs, never started beside one of 768, which wants 8 (`silicon/README.md`). That a CTA joins where there is more than it wants is the
//! guide's: "allowing concurrent execution with already launched kernels where possible". The array stays divided after the last CTA has gone.
//!
//! It knows CTAs, not warps: a CTA says which lanes of which scheduler are its own, and the SM does the rest.

use super::code::Code;
use super::lanes::MAX_SCHEDULERS;
use crate::describe::gpu::SmClass;
use crate::describe::gpu::occupancy::{self, Divisions, Resources};
use crate::describe::ids::{Cycle, KernelId, Kernels, LaunchId, PerKernel};
use crate::describe::kernel::WARP_SIZE;
use crate::interface::controls::SmControls;
use crate::machine::derived::Derived;
use crate::machine::noc::members;
use alloc::vec::Vec;

/// A CTA that is resident.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cta {
    /// Its kernel.
    pub kernel: KernelId,
    /// Its launch.
    pub launch: LaunchId,
    /// Its number in the grid.
    pub cta: u32,
    /// Core cycle of its launch.
    pub launched: Cycle,
    /// Order of arrival on this SM.
    pub order: u32,
    /// Its warps, a mask for each scheduler.
    pub warps: [u64; MAX_SCHEDULERS],
    /// Warps that have not exited.
    pub(super) live: u32,
    /// Warps at the barrier.
    pub(super) arrived: u32,
    /// Its stores that are not over, where it waits for them: those in the LSU, and lines of which L2 has not acknowledged the write.
    pub(super) stores: u32,
    /// It leaves before it has finished, and issues nothing more.
    pub leaving: bool,
}

impl Cta {
    /// Whether all its warps are done.
    pub(super) fn is_done(&self) -> bool {
        self.live == 0 && self.stores == 0
    }
}

/// How an SM is divided between L1D and shared memory. It is fed to digests where that can change.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Division {
    choices: Divisions,
    /// Shared memory.
    shared_bytes: u32,
}

impl Division {
    fn new(class: &SmClass) -> Self {
        let choices = Divisions::of(class);
        Division { choices, shared_bytes: if choices.any() { 0 } else { class.shared_bytes } }
    }

    /// Whether a CTA that takes `cost` may join others.
    fn suits(&self, cost: Resources, code: &Code) -> bool {
        !self.choices.any() || self.choices.least(cost, code.carve_out) <= self.shared_bytes
    }
}

/// A CTA that has finished, for the dispatcher.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FinishedCta {
    /// Its slot.
    pub slot: u8,
    /// Its kernel.
    pub kernel: KernelId,
    /// Its number in the grid.
    pub cta: u32,
    /// Core cycle of its launch.
    pub launched: Cycle,
}

/// The CTA table of one SM.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CtaTable {
    slots: Vec<Option<Cta>>,
    whole: Resources,
    register_granularity: u32,
    shared_reserved: Derived<u32>,
    division: Division,
    used: PerKernel<Resources>,
    used_all: Resources,
    /// Kernels that have a CTA here, a bit each.
    resident: Kernels,
    arrivals: u32,
    /// First cycle whose CTAs have not been counted.
    since: Cycle,
}

impl CtaTable {
    /// An empty table of an SM of `class`.
    pub fn new(class: &SmClass) -> Self {
        CtaTable {
            slots: alloc::vec![None; class.ctas as usize],
            whole: Resources::of_class(class),
            register_granularity: class.register_granularity,
            shared_reserved: Derived(class.shared_reserved),
            division: Division::new(class),
            used: PerKernel::all(Resources::default()),
            used_all: Resources::default(),
            resident: 0,
            arrivals: 0,
            since: 0,
        }
    }

    /// Every slot, with its CTA if it has one.
    pub fn slots(&self) -> &[Option<Cta>] {
        &self.slots
    }

    /// The CTA in a slot.
    pub(super) fn get_mut(&mut self, slot: usize) -> Option<&mut Cta> {
        self.slots[slot].as_mut()
    }

    /// Kernels that have a CTA here, a bit each.
    pub fn resident(&self) -> Kernels {
        self.resident
    }

    /// What a kernel's CTAs take.
    pub fn used(&self, kernel: KernelId) -> Resources {
        self.used[kernel]
    }

    /// CTAs of all kernels.
    pub fn count(&self) -> u32 {
        self.used_all.ctas
    }

    /// Whether one more CTA of `code` fits.
    pub fn fits(&self, code: &Code) -> bool {
        let cost = self.cost(code);
        self.used_all.fits(cost, self.now()) && (self.used_all.ctas == 0 || self.division.suits(cost, code))
    }

    /// Whether a CTA of `code` does not fit only because the SM is divided for others, which want less.
    pub fn divided_for_others(&self, code: &Code) -> bool {
        let smaller = self.used_all.ctas > 0 && self.wanted(code) > self.division.shared_bytes;
        smaller && self.used_all.fits(self.cost(code), self.whole) && !self.fits(code)
    }

    /// Shared memory that an SM is divided for when it takes a CTA of `code` while it has none.
    pub fn wanted(&self, code: &Code) -> u32 {
        self.division.choices.wanted(self.cost(code), code.carve_out)
    }

    /// Shared memory that the SM has now, if that can be another one.
    pub fn division(&self) -> Option<u32> {
        self.division.choices.any().then_some(self.division.shared_bytes)
    }

    /// Divides an SM without CTAs for one of `code`. Returns the shared memory that it has then, if that is another one.
    pub(super) fn divide(&mut self, code: &Code) -> Option<u32> {
        if self.used_all.ctas > 0 || !self.division.choices.any() {
            return None;
        }
        let wanted = self.wanted(code);
        (core::mem::replace(&mut self.division.shared_bytes, wanted) != wanted).then_some(wanted)
    }

    /// All that CTAs can have as long as any is here; what an SM without CTAs can give at most.
    fn now(&self) -> Resources {
        let divided = self.used_all.ctas > 0;
        Resources { shared_bytes: if divided { self.division.shared_bytes } else { self.whole.shared_bytes }, ..self.whole }
    }

    /// Whether a CTA of `code` fits where there is no other.
    pub fn holds(&self, code: &Code) -> bool {
        Resources::default().fits(self.cost(code), self.whole)
    }

    /// What is left.
    pub fn room(&self) -> Resources {
        let mut room = self.now();
        room.take(self.used_all);
        room
    }

    fn cost(&self, code: &Code) -> Resources {
        let registers = occupancy::registers_of_cta(code.threads, code.registers, self.register_granularity);
        let shared_bytes = code.shared_bytes + *self.shared_reserved;
        Resources { ctas: 1, threads: code.warps * WARP_SIZE, registers, shared_bytes }
    }

    /// The slot that the next CTA gets; the caller has checked that it fits.
    pub(super) fn free_slot(&self) -> usize {
        self.slots.iter().position(Option::is_none).expect("the dispatcher has checked that the CTA fits")
    }

    /// Puts a CTA, all of whose warps are live, into a free slot.
    pub(super) fn place(&mut self, slot: usize, code: &Code, cta: Cta) {
        let cost = self.cost(code);
        self.used[cta.kernel].add(cost);
        self.used_all.add(cost);
        self.resident |= 1 << cta.kernel.0;
        self.arrivals += 1;
        self.slots[slot] = Some(Cta { order: self.arrivals, ..cta });
    }

    /// Takes the CTA out of its slot; `codes` are the programs by kernel and launch.
    pub(super) fn remove(&mut self, slot: usize, codes: &[Vec<Code>]) -> Option<Cta> {
        let cta = self.slots[slot].take()?;
        let cost = self.cost(&codes[cta.kernel.index()][cta.launch.index()]);
        self.used[cta.kernel].take(cost);
        self.used_all.take(cost);
        self.resident &= !(Kernels::from(self.used[cta.kernel].ctas == 0) << cta.kernel.0);
        Some(cta)
    }

    /// The slot of the youngest CTA of a kernel beyond the first `most`, which is marked as leaving; those that leave already do not count.
    pub(super) fn excess(&mut self, kernel: KernelId, most: u32) -> Option<usize> {
        let staying = |slot: &Option<Cta>| slot.as_ref().filter(|cta| cta.kernel == kernel && !cta.leaving).map(|cta| cta.order);
        let count = self.slots.iter().filter_map(staying).count();
        let slot =
            (0..self.slots.len()).filter(|&slot| staying(&self.slots[slot]).is_some()).max_by_key(|&slot| staying(&self.slots[slot]))?;
        if count as u32 <= most {
            return None;
        }
        self.slots[slot].as_mut()?.leaving = true;
        Some(slot)
    }

    /// Registers and shared memory of the CTA in a slot, as they are allocated, in bytes.
    pub(super) fn context_bytes(&self, slot: usize, codes: &[Vec<Code>]) -> u32 {
        let cost = self.slots[slot].as_ref().map(|cta| self.cost(&codes[cta.kernel.index()][cta.launch.index()])).unwrap_or_default();
        cost.registers * 4 + cost.shared_bytes
    }

    /// Cycles before `now` whose CTAs have not been counted yet.
    pub(super) fn take_cycles(&mut self, now: Cycle) -> Cycle {
        now - core::mem::replace(&mut self.since, now)
    }

    /// Warps of the youngest CTAs of each kernel beyond its throttle, a mask for each scheduler.
    pub(super) fn throttled(&self, controls: &SmControls) -> [u64; MAX_SCHEDULERS] {
        let mut throttled = [0_u64; MAX_SCHEDULERS];
        for cta in self.slots.iter().flatten().filter(|cta| cta.leaving) {
            for (sum, warps) in throttled.iter_mut().zip(cta.warps) {
                *sum |= warps;
            }
        }
        for kernel in members(self.resident.into(), false).map(|kernel| kernel as usize) {
            let allowed = controls.cta_throttle.0[kernel];
            if u32::from(allowed) >= self.used.0[kernel].ctas {
                continue;
            }
            let ctas = || self.slots.iter().flatten().filter(|cta| cta.kernel.index() == kernel);
            for cta in ctas() {
                let older = ctas().filter(|other| other.order < cta.order).count();
                if older >= usize::from(allowed) {
                    for (sum, warps) in throttled.iter_mut().zip(cta.warps) {
                        *sum |= warps;
                    }
                }
            }
        }
        throttled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::gpu::presets;
    use crate::describe::kernel::library;

    /// A warp that is not full holds the threads of a whole one, and registers in the GPU's steps.
    #[test]
    fn a_cta_takes_whole_warps() {
        let gpu = presets::find("ccbp-16sm").unwrap();
        let table = CtaTable::new(&gpu.sms[0]);
        let mut kernel = library::find("VADD").unwrap();
        for (threads, taken) in [(1, 32), (32, 32), (33, 64), (250, 256)] {
            kernel.launches[0].threads = threads;
            assert_eq!(table.cost(&Code::compile(&kernel, 0, 1, 128, &gpu.sms[0])[0]).threads, taken, "{threads} threads");
        }
    }
}
