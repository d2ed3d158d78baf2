//! The quota gate: which kernels an SM may not issue for now. A warp quota stops a kernel altogether, a memory cap its global accesses; a
//! memory quota stops no kernel and only orders their accesses.
//!
//! It counts issued instructions and returns sets of kernels, a bit each; the SM closes the schedulers' gates accordingly.

use crate::describe::ids::{Cycle, KernelId, NEVER, PerKernel};
use crate::machine::noc::members;
use crate::seam::controls::{QuotaRefill, SmControls};

/// The gate of one SM.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct QuotaGate {
    /// Whether any kernel has a warp quota, and what is left of each.
    quotas: bool,
    left: PerKernel<u32>,
    out_of_quota: u8,
    /// Start of the interval that the quotas are for.
    interval_start: Cycle,
    /// Whether any kernel has a memory cap.
    caps: bool,
    capped: u8,
    /// The most memory instructions in flight since the peaks were last forgotten, for kernels with a cap.
    peak_in_flight: PerKernel<u32>,
    /// Whether any kernel has a memory quota, and what is left of each.
    memory_quotas: bool,
    memory_left: PerKernel<u32>,
}

impl Default for QuotaGate {
    /// A gate that is open for every kernel.
    fn default() -> Self {
        QuotaGate {
            quotas: false,
            left: PerKernel::all(0),
            out_of_quota: 0,
            interval_start: 0,
            caps: false,
            capped: 0,
            peak_in_flight: PerKernel::all(0),
            memory_quotas: false,
            memory_left: PerKernel::all(u32::MAX),
        }
    }
}

impl QuotaGate {
    /// Kernels that have used their warp quota.
    #[inline]
    pub fn out_of_quota(&self) -> u8 {
        self.out_of_quota
    }

    /// Kernels with as many memory instructions in flight as they may have.
    #[inline]
    pub fn capped(&self) -> u8 {
        self.capped
    }

    /// Whether any kernel has a warp quota.
    #[inline]
    pub fn has_quotas(&self) -> bool {
        self.quotas
    }

    /// Whether any kernel has a memory cap.
    #[inline]
    pub fn has_caps(&self) -> bool {
        self.caps
    }

    /// What kernels have left of their memory quotas, if any has one.
    #[inline]
    pub fn memory_left(&self) -> Option<&PerKernel<u32>> {
        self.memory_quotas.then_some(&self.memory_left)
    }

    /// Takes a warp instruction from a kernel's quota. Returns whether it was the last.
    #[inline]
    pub fn spend(&mut self, kernel: KernelId, controls: &SmControls) -> bool {
        self.quotas && self.take_one(kernel, controls)
    }

    fn take_one(&mut self, kernel: KernelId, controls: &SmControls) -> bool {
        if controls.warp_quota[kernel].is_none() {
            return false;
        }
        self.left[kernel] -= 1;
        self.out_of_quota |= u8::from(self.left[kernel] == 0) << kernel.0;
        self.left[kernel] == 0
    }

    /// Whether all of the `resident` kernels that have a quota have used it.
    pub fn all_spent(&self, resident: u8, controls: &SmControls) -> bool {
        members(resident.into(), false)
            .filter(|&kernel| controls.warp_quota.0[kernel as usize].is_some())
            .all(|kernel| self.out_of_quota >> kernel & 1 == 1)
    }

    /// Refills quotas that are due. Returns whether they were.
    pub fn refill(&mut self, now: Cycle, resident: u8, controls: &SmControls) -> bool {
        let due = match controls.quota_refill {
            QuotaRefill::Interval => {
                let start = now - now % Cycle::from(controls.quota_interval);
                core::mem::replace(&mut self.interval_start, start) != start
            }
            QuotaRefill::WhenAllSpent => self.out_of_quota != 0 && self.all_spent(resident, controls),
        };
        if due {
            self.fill(controls);
        }
        due
    }

    fn fill(&mut self, controls: &SmControls) {
        self.out_of_quota = 0;
        for (kernel, quota) in controls.warp_quota.0.iter().enumerate() {
            if let Some(quota) = *quota {
                self.left.0[kernel] = quota;
                self.out_of_quota |= u8::from(quota == 0) << kernel;
            }
        }
    }

    /// The next refill by interval, if it gives a waiting kernel any quota.
    #[inline]
    pub fn next_refill(&self, now: Cycle, resident: u8, controls: &SmControls) -> Cycle {
        if self.out_of_quota == 0 { NEVER } else { self.refill_due(now, resident, controls) }
    }

    fn refill_due(&self, now: Cycle, resident: u8, controls: &SmControls) -> Cycle {
        let gives = members(self.out_of_quota.into(), false).any(|kernel| controls.warp_quota.0[kernel as usize] != Some(0));
        match controls.quota_refill {
            _ if !gives => NEVER,
            QuotaRefill::Interval => self.interval_start + Cycle::from(controls.quota_interval),
            QuotaRefill::WhenAllSpent if self.all_spent(resident, controls) => now + 1,
            QuotaRefill::WhenAllSpent => NEVER,
        }
    }

    /// Takes a memory instruction from a kernel's memory quota; the last one of it starts a round.
    #[inline]
    pub fn spend_memory(&mut self, kernel: KernelId, controls: &SmControls) {
        if self.memory_quotas && controls.memory_quota[kernel].is_some() {
            self.take_one_memory(kernel, controls);
        }
    }

    fn take_one_memory(&mut self, kernel: KernelId, controls: &SmControls) {
        self.memory_left[kernel] = self.memory_left[kernel].saturating_sub(1);
        if self.memory_left[kernel] == 0 {
            for (left, quota) in self.memory_left.0.iter_mut().zip(controls.memory_quota.0) {
                *left = left.saturating_add(quota.unwrap_or(0));
            }
        }
    }

    /// Notes that a kernel has so many memory instructions in flight, one more than before.
    pub fn cap(&mut self, kernel: KernelId, in_flight: u32, controls: &SmControls) {
        let Some(cap) = controls.memory_cap[kernel] else { return };
        self.peak_in_flight[kernel] = self.peak_in_flight[kernel].max(in_flight);
        self.capped |= u8::from(in_flight >= cap.into()) << kernel.0;
    }

    /// Notes that a kernel has so many memory instructions in flight, perhaps fewer than before. Returns whether the gate opens.
    pub fn uncap(&mut self, kernel: KernelId, in_flight: u32, controls: &SmControls) -> bool {
        let opens = self.capped >> kernel.0 & 1 == 1 && controls.memory_cap[kernel].is_none_or(|cap| in_flight < cap.into());
        self.capped &= !(u8::from(opens) << kernel.0);
        opens
    }

    /// The most memory instructions that a kernel with a cap has had in flight since `forget_peaks`; 0 without a cap.
    pub fn peak_in_flight(&self, kernel: KernelId) -> u32 {
        self.peak_in_flight[kernel]
    }

    /// Restarts the peaks at the number in flight now.
    pub fn forget_peaks(&mut self, in_flight: PerKernel<u32>, controls: &SmControls) {
        for (kernel, peak) in self.peak_in_flight.0.iter_mut().enumerate() {
            *peak = if controls.memory_cap.0[kernel].is_some() { in_flight.0[kernel] } else { 0 };
        }
    }

    /// Takes over changed controls. Quotas that changed start full, in the present interval.
    pub fn controls_changed(&mut self, now: Cycle, in_flight: PerKernel<u32>, before: &SmControls, after: &SmControls) {
        let quotas = |controls: &SmControls| (controls.warp_quota, controls.quota_refill, controls.quota_interval);
        if quotas(before) != quotas(after) {
            self.quotas = after.warp_quota.0.iter().any(Option::is_some);
            self.interval_start = now - now % Cycle::from(after.quota_interval);
            self.fill(after);
        }
        if before.memory_cap != after.memory_cap {
            self.caps = after.memory_cap.0.iter().any(Option::is_some);
            self.capped = 0;
            self.forget_peaks(in_flight, after);
            for kernel in KernelId::first(in_flight.0.len()) {
                self.cap(kernel, in_flight[kernel], after);
            }
        }
        if before.memory_quota != after.memory_quota {
            self.memory_quotas = after.memory_quota.0.iter().any(Option::is_some);
            self.memory_left = PerKernel(after.memory_quota.0.map(|quota| quota.unwrap_or(u32::MAX)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seam::controls::WarpOrder;

    const K: KernelId = KernelId(1);

    fn gate(set: impl Fn(&mut SmControls)) -> (QuotaGate, SmControls) {
        let before = SmControls::neutral(WarpOrder::Lrr);
        let mut after = before.clone();
        set(&mut after);
        let mut gate = QuotaGate::default();
        gate.controls_changed(0, PerKernel::all(0), &before, &after);
        (gate, after)
    }

    #[test]
    fn a_quota_of_two_closes_with_the_second_and_opens_with_the_interval() {
        let (mut gate, controls) = gate(|controls| controls.warp_quota[K] = Some(2));
        assert!(!gate.spend(K, &controls) && gate.out_of_quota() == 0);
        assert!(gate.spend(K, &controls) && gate.out_of_quota() == 0b10);
        assert_eq!(gate.next_refill(7, 0b11, &controls), 10_000);
        assert!(!gate.refill(9_999, 0b11, &controls) && gate.refill(10_000, 0b11, &controls));
        assert_eq!((gate.out_of_quota(), gate.next_refill(10_000, 0b11, &controls)), (0, NEVER));
    }

    #[test]
    fn a_refill_when_all_are_spent_waits_for_residents_alone() {
        let (mut gate, controls) = gate(|controls| {
            controls.quota_refill = QuotaRefill::WhenAllSpent;
            controls.warp_quota = PerKernel([Some(1); crate::describe::ids::MAX_KERNELS]);
        });
        gate.spend(K, &controls);
        assert!(!gate.refill(1, 0b11, &controls), "kernel 0 is resident and has quota left");
        assert!(gate.refill(1, 0b10, &controls));
    }

    #[test]
    fn a_cap_closes_when_it_is_reached_and_keeps_the_peak() {
        let (mut gate, controls) = gate(|controls| controls.memory_cap[K] = Some(3));
        gate.cap(K, 2, &controls);
        assert_eq!(gate.capped(), 0);
        gate.cap(K, 3, &controls);
        assert_eq!(gate.capped(), 0b10);
        assert!(!gate.uncap(K, 3, &controls) && gate.uncap(K, 2, &controls));
        assert_eq!((gate.capped(), gate.peak_in_flight(K)), (0, 3));
    }
}
