//! What is counted of each kernel on an SM. How long its warps are in a state is the number of them in it, summed over cycles. The sum
//! follows from when they enter and leave the state, so that nothing is counted in between.

use super::lsu::Wait;
use crate::describe::ids::{Cycle, KernelId, Kernels, PerKernel};
use crate::interface::stats::{KernelStats, StallCounts};
use crate::machine::derived::Derived;
use crate::machine::l1d::ReservationFailure;
use crate::machine::noc::members;
use alloc::vec;
use alloc::vec::Vec;

/// Warps in one state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct WarpCycles {
    inside: u64,
    /// Cycles in which warps left, less those in which they entered; modulo 2^64.
    sum: u64,
}

impl WarpCycles {
    /// So many warps are in the state from cycle `at` on.
    pub fn enter(&mut self, warps: u32, at: Cycle) {
        self.inside += u64::from(warps);
        self.sum = self.sum.wrapping_sub(u64::from(warps) * at);
    }

    /// So many warps are in it no longer.
    pub fn leave(&mut self, warps: u32, at: Cycle) {
        self.inside -= u64::from(warps);
        self.sum = self.sum.wrapping_add(u64::from(warps) * at);
    }

    /// Warp cycles before `now` that have not been taken yet.
    pub fn take(&mut self, now: Cycle) -> u64 {
        let until_now = self.inside * now;
        core::mem::replace(&mut self.sum, until_now.wrapping_neg()).wrapping_add(until_now)
    }
}

/// What is counted of each kernel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Counts {
    pub stats: Vec<KernelStats>,
    /// Cycles in which a scheduler stalled while it held warps of the kernel, by what kept these.
    pub stalls: Vec<StallCounts>,
    /// Warps that are resident, that wait for a load that missed L1D, and that the LSU keeps waiting.
    resident: PerKernel<WarpCycles>,
    wait_memory: PerKernel<WarpCycles>,
    wait_lsu: PerKernel<WarpCycles>,
    /// The cycle in which a change of a warp's state takes effect: in the issue stage, the next one.
    pub from: Derived<Cycle>,
}

impl Counts {
    pub fn new(kernels: usize) -> Self {
        let none = PerKernel::all(WarpCycles::default());
        Counts {
            stats: vec![KernelStats::default(); kernels],
            stalls: vec![StallCounts::default(); kernels],
            resident: none,
            wait_memory: none,
            wait_lsu: none,
            from: Derived(0),
        }
    }

    /// Warps of a kernel become resident.
    pub fn arrive(&mut self, kernel: KernelId, warps: u32) {
        self.resident[kernel].enter(warps, *self.from);
    }

    /// A warp of a kernel is resident no longer.
    pub fn depart(&mut self, kernel: KernelId) {
        self.resident[kernel].leave(1, *self.from);
    }

    /// A warp waits for a load that missed L1D.
    pub fn wait_for_memory(&mut self, kernel: KernelId) {
        self.wait_memory[kernel].enter(1, *self.from);
    }

    /// It waits for none any longer.
    pub fn has_memory(&mut self, kernel: KernelId) {
        self.wait_memory[kernel].leave(1, *self.from);
    }

    /// A kernel's access has failed for some cycles.
    pub fn charge_failure(&mut self, Wait { kernel, why, cycles, oldest }: Wait) {
        let stats = &mut self.stats[kernel.index()];
        if oldest && why == ReservationFailure::StoreBuffer {
            stats.oldest_fails_store += cycles;
        } else if oldest {
            stats.oldest_fails_miss += cycles;
        }
        match why {
            ReservationFailure::Mshr => stats.fail_mshr += cycles,
            ReservationFailure::Merge => stats.fail_merge += cycles,
            ReservationFailure::MissQueue => stats.fail_miss_queue += cycles,
            ReservationFailure::StoreBuffer => stats.fail_store_buffer += cycles,
            ReservationFailure::Line => stats.fail_line += cycles,
        }
    }

    /// Adds the warp cycles before `now`.
    pub fn settle(&mut self, now: Cycle) {
        for (k, stats) in self.stats.iter_mut().enumerate() {
            stats.warp_cycles += self.resident.0[k].take(now);
            stats.warps_wait_memory += self.wait_memory.0[k].take(now);
            stats.warps_wait_lsu += self.wait_lsu.0[k].take(now);
        }
    }
}

/// The gate before the LSU: the warps of each kernel that are ready with a global access. How long they find it closed goes to the counts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LsuGate {
    /// Kernels for which it is closed, a bit each.
    closed: Kernels,
    ready: PerKernel<u32>,
}

impl Default for LsuGate {
    fn default() -> Self {
        LsuGate { closed: 0, ready: PerKernel::all(0) }
    }
}

impl LsuGate {
    /// Warps of a kernel are ready.
    pub fn enter(&mut self, counts: &mut Counts, kernel: KernelId, warps: u32) {
        self.ready[kernel] += warps;
        if self.closed >> kernel.0 & 1 == 1 {
            counts.wait_lsu[kernel].enter(warps, *counts.from);
        }
    }

    /// One of them has issued.
    pub fn leave(&mut self, counts: &mut Counts, kernel: KernelId) {
        self.ready[kernel] -= 1;
        if self.closed >> kernel.0 & 1 == 1 {
            counts.wait_lsu[kernel].leave(1, *counts.from);
        }
    }

    /// Closes it for these kernels, a bit each, and opens it for all others.
    pub fn close(&mut self, counts: &mut Counts, kernels: Kernels) {
        let changed = core::mem::replace(&mut self.closed, kernels) ^ kernels;
        for kernel in members(changed.into(), false).map(|kernel| KernelId(kernel as u8)) {
            if kernels >> kernel.0 & 1 == 1 {
                counts.wait_lsu[kernel].enter(self.ready[kernel], *counts.from);
            } else {
                counts.wait_lsu[kernel].leave(self.ready[kernel], *counts.from);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two warps from 10 to 14, one of them to 20, a third from 17 on: 4 + 10 + 3 until 20, however often the sum is read.
    #[test]
    fn warps_are_counted_in_every_cycle_once() {
        for asked in 0..20 {
            let mut state = WarpCycles::default();
            let mut taken = 0;
            for now in 0..20 {
                match now {
                    10 => state.enter(2, 10),
                    14 => state.leave(1, 14),
                    17 => state.enter(1, 17),
                    _ => {}
                }
                if now == asked {
                    taken += state.take(now);
                }
            }
            assert_eq!(taken + state.take(20), 17, "asked in {asked}");
            assert_eq!(state.take(22), 4);
        }
    }
}
