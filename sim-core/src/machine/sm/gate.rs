//! The quota gate: which kernels an SM may not issue for now. An instruction quota stops a kernel altogether, a memory cap its global accesses;
//! a memory quota stops no kernel and only orders their accesses.
//!
//! It counts instructions and returns sets of kernels, a bit each; the SM closes the schedulers' gates accordingly.

use super::quota::Quotas;
use crate::describe::ids::{KernelId, Kernels, PerKernel};
use crate::interface::controls::SmControls;

/// The gate of one SM.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct QuotaGate {
    /// Instruction quotas.
    pub quotas: Quotas,
    /// Whether any kernel has a memory cap.
    caps: bool,
    capped: Kernels,
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
            quotas: Quotas::default(),
            caps: false,
            capped: 0,
            peak_in_flight: PerKernel::all(0),
            memory_quotas: false,
            memory_left: PerKernel::all(u32::MAX),
        }
    }
}

impl QuotaGate {
    /// Kernels with as many memory instructions in flight as they may have.
    #[inline]
    pub fn capped(&self) -> Kernels {
        self.capped
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
        self.capped |= Kernels::from(in_flight >= cap.into()) << kernel.0;
    }

    /// Notes that a kernel has so many memory instructions in flight, perhaps fewer than before. Returns whether the gate opens.
    pub fn uncap(&mut self, kernel: KernelId, in_flight: u32, controls: &SmControls) -> bool {
        let opens = self.capped >> kernel.0 & 1 == 1 && controls.memory_cap[kernel].is_none_or(|cap| in_flight < cap.into());
        self.capped &= !(Kernels::from(opens) << kernel.0);
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

    /// Takes over changed memory caps and quotas.
    pub fn controls_changed(&mut self, in_flight: PerKernel<u32>, before: &SmControls, after: &SmControls) {
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
    use crate::interface::controls::WarpOrder;

    const K: KernelId = KernelId(1);

    fn gate(set: impl Fn(&mut SmControls)) -> (QuotaGate, SmControls) {
        let before = SmControls::neutral(WarpOrder::Lrr);
        let mut after = before.clone();
        set(&mut after);
        let mut gate = QuotaGate::default();
        gate.controls_changed(PerKernel::all(0), &before, &after);
        (gate, after)
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
