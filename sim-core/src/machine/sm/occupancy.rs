//! What warps wait for: the number of a kernel's warps in a state, summed over cycles. The sum follows from when they enter and leave the
//! state, so that nothing is counted in between.

use crate::describe::ids::{Cycle, KernelId, PerKernel};
use crate::machine::noc::members;

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

/// The gate before the LSU: the warps of each kernel that are ready with a global access.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LsuGate {
    /// Kernels for which it is closed, a bit each.
    closed: u8,
    ready: PerKernel<u32>,
}

impl Default for LsuGate {
    fn default() -> Self {
        LsuGate { closed: 0, ready: PerKernel::all(0) }
    }
}

/// How long warps of each kernel have found the gate closed.
type Waits = PerKernel<WarpCycles>;

impl LsuGate {
    /// Warps of a kernel are ready from cycle `at` on.
    pub fn enter(&mut self, waits: &mut Waits, kernel: KernelId, warps: u32, at: Cycle) {
        self.ready[kernel] += warps;
        if self.closed >> kernel.0 & 1 == 1 {
            waits[kernel].enter(warps, at);
        }
    }

    /// One of them has issued.
    pub fn leave(&mut self, waits: &mut Waits, kernel: KernelId, at: Cycle) {
        self.ready[kernel] -= 1;
        if self.closed >> kernel.0 & 1 == 1 {
            waits[kernel].leave(1, at);
        }
    }

    /// Closes it for these kernels, a bit each, and opens it for all others.
    pub fn close(&mut self, waits: &mut Waits, kernels: u8, at: Cycle) {
        let changed = core::mem::replace(&mut self.closed, kernels) ^ kernels;
        for kernel in members(changed.into(), false).map(|kernel| KernelId(kernel as u8)) {
            if kernels >> kernel.0 & 1 == 1 {
                waits[kernel].enter(self.ready[kernel], at);
            } else {
                waits[kernel].leave(self.ready[kernel], at);
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
