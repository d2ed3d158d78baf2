//! One warp scheduler: sets of warps as bit masks, one bit for each of its warps, so that the sharing story of the issue stage is one
//! line of masks, and the first term that empties the set names the stall.
//!
//! A scheduler that cannot issue sleeps until something touches it or its own wheel turns; the cycles between are charged to the cause
//! it fell asleep with, for the scheduler as a whole and for each kernel that it holds.

use crate::controls::WarpOrder;
use crate::ids::{Cycle, KernelId, MAX_KERNELS, NEVER, PerKernel};
use crate::machine::derived::Derived;
use crate::stats::{StallCause, StallCounts};

/// Warps of one scheduler.
pub const LANES: usize = 64;

/// Longest latency, in cycles, that the wheel can hold: one turn less one.
pub const LONGEST_LATENCY: u32 = 63;

/// What keeps ready warps from issuing in this cycle, worked out by the SM.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gates {
    /// The present cycle.
    pub now: Cycle,
    /// The LSU takes no more global accesses of these kernels (bit per kernel).
    pub lsu_full: u8,
    /// Another scheduler has used the LSU's port in this cycle.
    pub port_taken: bool,
    /// Shared memory is busy with an earlier access until this cycle.
    pub shared_free: Cycle,
    /// Kernels that have used their warp quota (bit per kernel).
    pub out_of_quota: u8,
}

/// What a scheduler did in its last cycle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// Issued for this kernel.
    Issued(KernelId),
    /// Issued nothing.
    Stalled(StallCause),
}

/// The state of one scheduler, what every look reads first: one line of the host's cache says whether it sleeps.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[repr(C)]
pub struct Scheduler {
    /// The next cycle in which this scheduler has to be looked at.
    pub wake: Derived<Cycle>,
    /// First cycle that has not been charged.
    since: Cycle,
    /// Warps that are here.
    pub resident: u64,
    /// Warps whose next instruction has its operands.
    pub ready: u64,
    /// Warps that wait for loads.
    pub waiting: u64,
    /// Warps with a load under way that missed L1D.
    pub missed: u64,
    /// Warps at a barrier.
    pub barrier: u64,
    /// Warps whose next instruction is a global access.
    pub global: u64,
    /// Warps whose next instruction is a shared-memory access.
    pub shared: u64,
    /// Warps of CTAs that may not issue.
    pub throttled: u64,
    /// Warps by kernel.
    pub of_kernel: PerKernel<u64>,
    /// Cycle, modulo the wheel, in which a warp becomes ready.
    wheel: [u64; LANES],
    /// Places of the wheel that hold a warp.
    turning: u64,
    /// Order of arrival, for `Gto`.
    age: [u32; LANES],
    last: u32,
    last_of: PerKernel<u8>,
    last_kernel: KernelId,
    /// What happened in the last evaluated cycle.
    pub outcome: Outcome,
    /// Stall of each kernel since `since`, while the scheduler stalls.
    kernel_causes: PerKernel<StallCause>,
    /// Scheduler-cycles charged so far.
    pub stalls: StallCounts,
    /// Warp instructions issued.
    pub issued: u64,
}

impl Default for Scheduler {
    /// A scheduler without warps.
    fn default() -> Self {
        Scheduler {
            resident: 0,
            ready: 0,
            waiting: 0,
            missed: 0,
            barrier: 0,
            global: 0,
            shared: 0,
            throttled: 0,
            of_kernel: PerKernel::all(0),
            wheel: [0; LANES],
            turning: 0,
            age: [0; LANES],
            last: 0,
            last_of: PerKernel::all(0),
            last_kernel: KernelId(0),
            outcome: Outcome::Stalled(StallCause::Idle),
            kernel_causes: PerKernel::all(StallCause::Idle),
            since: 0,
            wake: Derived(0),
            stalls: StallCounts::default(),
            issued: 0,
        }
    }
}

impl Scheduler {
    /// Has the scheduler looked at again in cycle `now`, or in its next if it is past it.
    pub fn touch(&mut self, now: Cycle) {
        self.wake.0 = self.wake.0.min(now);
    }

    /// Puts a warp into an empty lane.
    pub fn admit(&mut self, lane: u32, kernel: KernelId, age: u32) {
        self.resident |= 1 << lane;
        self.of_kernel[kernel] |= 1 << lane;
        self.age[lane as usize] = age;
    }

    /// Takes a finished warp out.
    pub fn dismiss(&mut self, lane: u32, kernel: KernelId) {
        let gone = !(1 << lane);
        self.resident &= gone;
        self.of_kernel[kernel] &= gone;
        for set in [&mut self.ready, &mut self.waiting, &mut self.missed, &mut self.barrier, &mut self.global, &mut self.shared] {
            *set &= gone;
        }
        self.throttled &= gone;
    }

    /// Makes a warp ready in cycle `at`, at most `LONGEST_LATENCY` after `now`.
    pub fn ready_at(&mut self, lane: u32, now: Cycle, at: Cycle) {
        debug_assert!(at > now && at - now <= Cycle::from(LONGEST_LATENCY));
        self.ready &= !(1 << lane);
        self.wheel[(at % LANES as u64) as usize] |= 1 << lane;
        self.turning |= 1 << (at % LANES as u64);
        self.touch(at);
    }

    /// Charges the cycles before `now` in which the scheduler slept.
    pub fn settle(&mut self, now: Cycle, by_kernel: &mut [StallCounts]) {
        if self.since >= now {
            return;
        }
        let cycles = now - self.since;
        self.since = now;
        if let Outcome::Stalled(cause) = self.outcome {
            self.stalls.charge(cause, cycles);
            for (kernel, counts) in by_kernel.iter_mut().enumerate() {
                if self.of_kernel.0[kernel] != 0 {
                    counts.charge(self.kernel_causes.0[kernel], cycles);
                }
            }
        }
    }

    /// Looks for a warp to issue in `now` (which is `wake` or later) and returns its lane. When there is none the scheduler falls asleep.
    pub fn pick(&mut self, now: Cycle, order: WarpOrder, gates: &Gates, by_kernel: &mut [StallCounts]) -> Option<u32> {
        self.settle(now, by_kernel);
        let place = now % LANES as u64;
        if self.turning >> place & 1 == 1 {
            self.turning &= !(1 << place);
            self.ready |= core::mem::take(&mut self.wheel[place as usize]);
        }
        let mut blocked = if gates.port_taken { self.global | self.shared } else { 0 };
        if gates.shared_free > now {
            blocked |= self.shared;
        }
        if gates.lsu_full != 0 {
            blocked |= self.global & self.warps_of(gates.lsu_full);
        }
        let out_of_quota = if gates.out_of_quota == 0 { 0 } else { self.warps_of(gates.out_of_quota) };
        let eligible = self.ready & !self.throttled & !out_of_quota & !blocked;
        if eligible == 0 {
            self.sleep(now, gates, out_of_quota, by_kernel.len());
            return None;
        }
        self.since = now + 1;
        self.wake.0 = now + 1;
        let lane = self.choose(order, eligible);
        Some(lane)
    }

    fn warps_of(&self, mut kernels: u8) -> u64 {
        let mut warps = 0;
        while kernels != 0 {
            warps |= self.of_kernel.0[kernels.trailing_zeros() as usize];
            kernels &= kernels - 1;
        }
        warps
    }

    fn sleep(&mut self, now: Cycle, gates: &Gates, out_of_quota: u64, kernels: usize) {
        self.outcome = Outcome::Stalled(self.cause(!0, out_of_quota));
        for kernel in 0..kernels {
            if self.of_kernel.0[kernel] != 0 {
                self.kernel_causes.0[kernel] = self.cause(self.of_kernel.0[kernel], out_of_quota);
            }
        }
        let ready = self.ready & !self.throttled & !out_of_quota;
        let memory_again = if ready == 0 {
            NEVER
        } else if gates.port_taken {
            now + 1
        } else if ready & self.shared != 0 {
            gates.shared_free
        } else {
            NEVER
        };
        self.wake.0 = self.next_turn(now).min(memory_again);
        self.since = now;
    }

    /// Why nothing among `warps` issues: the first term that leaves none.
    fn cause(&self, warps: u64, out_of_quota: u64) -> StallCause {
        let ready = self.ready & warps;
        if self.resident & warps == 0 {
            StallCause::Idle
        } else if ready & !self.throttled & !out_of_quota != 0 {
            StallCause::LsuFull
        } else if ready & !self.throttled != 0 {
            StallCause::Quota
        } else if ready != 0 {
            StallCause::Throttled
        } else if self.waiting & self.missed & warps != 0 {
            StallCause::RawLong
        } else if self.resident & warps & !self.barrier != 0 {
            StallCause::RawShort
        } else {
            StallCause::Barrier
        }
    }

    /// The next cycle after `now` in which the wheel readies a warp.
    fn next_turn(&self, now: Cycle) -> Cycle {
        if self.turning == 0 {
            return NEVER;
        }
        let ahead = self.turning.rotate_right((now % LANES as u64) as u32 + 1).trailing_zeros();
        now + 1 + Cycle::from(ahead)
    }

    fn choose(&mut self, order: WarpOrder, eligible: u64) -> u32 {
        let lane = match order {
            WarpOrder::Lrr => next_after(self.last, eligible),
            WarpOrder::Gto => self.greedy(self.last, eligible),
            WarpOrder::TwoLevel(size) => self.in_group(u32::from(size), eligible),
            WarpOrder::LrrGto => {
                let turn = |k: usize| (k + MAX_KERNELS - self.last_kernel.index() - 1) % MAX_KERNELS;
                let candidates = (0..MAX_KERNELS).filter(|&k| eligible & self.of_kernel.0[k] != 0);
                let kernel = candidates.min_by_key(|&k| turn(k)).unwrap_or(0);
                self.greedy(u32::from(self.last_of.0[kernel]), eligible & self.of_kernel.0[kernel])
            }
        };
        self.last = lane;
        lane
    }

    /// Notes that a warp of `kernel` issued.
    pub fn issued(&mut self, lane: u32, kernel: KernelId) {
        self.outcome = Outcome::Issued(kernel);
        self.last_of[kernel] = lane as u8;
        self.last_kernel = kernel;
        self.issued += 1;
    }

    fn greedy(&self, last: u32, eligible: u64) -> u32 {
        if eligible >> last & 1 == 1 {
            return last;
        }
        let mut rest = eligible;
        let mut oldest = rest.trailing_zeros();
        rest &= rest - 1;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            if self.age[lane as usize] < self.age[oldest as usize] {
                oldest = lane;
            }
            rest &= rest - 1;
        }
        oldest
    }

    fn in_group(&self, size: u32, eligible: u64) -> u32 {
        let first = self.last / size * size;
        let group = (u64::MAX >> (64 - size.min(64 - first))) << first;
        if eligible & group != 0 {
            return next_after(self.last, eligible & group);
        }
        // The whole group stalls: the next group with a candidate, from its first warp.
        next_after((first + size - 1).min(63), eligible)
    }
}

/// The first set bit after `last`, around the end.
fn next_after(last: u32, set: u64) -> u32 {
    (set.rotate_right(last + 1).trailing_zeros() + last + 1) % 64
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Issues `count` times from warps that are always ready and returns the lanes.
    fn issue(order: WarpOrder, warps: &[(u32, u8)], stalled_after: impl Fn(usize) -> u64, count: usize) -> Vec<u32> {
        let mut scheduler = Scheduler::default();
        for (age, &(lane, kernel)) in warps.iter().enumerate() {
            scheduler.admit(lane, KernelId(kernel), age as u32);
        }
        (0..count)
            .map(|n| {
                scheduler.ready = scheduler.resident & !stalled_after(n);
                let lane = scheduler.pick(n as u64, order, &Gates::default(), &mut [StallCounts::default(); 2]).unwrap();
                let kernel = warps.iter().find(|warp| warp.0 == lane).unwrap().1;
                scheduler.issued(lane, KernelId(kernel));
                lane
            })
            .collect()
    }

    #[test]
    fn lrr_takes_turns() {
        assert_eq!(issue(WarpOrder::Lrr, &[(0, 0), (1, 0), (5, 0)], |_| 0, 6), [1, 5, 0, 1, 5, 0]);
    }

    #[test]
    fn gto_stays_until_it_stalls_then_takes_the_oldest() {
        let warps = [(3, 0), (0, 0), (1, 0)];
        let stalled = |n: usize| if n >= 2 { 1 << 0 } else { 0 };
        assert_eq!(issue(WarpOrder::Gto, &warps, stalled, 4), [0, 0, 3, 3]);
    }

    #[test]
    fn two_level_stays_in_its_group_until_all_of_it_stalls() {
        let warps: Vec<(u32, u8)> = (0..8).map(|lane| (lane, 0)).collect();
        let stalled = |n: usize| if n >= 3 { 0b1111 } else { 0 };
        assert_eq!(issue(WarpOrder::TwoLevel(4), &warps, stalled, 6), [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn lrr_gto_alternates_kernels_and_is_greedy_within_each() {
        let warps = [(0, 0), (1, 0), (2, 1), (3, 1)];
        assert_eq!(issue(WarpOrder::LrrGto, &warps, |_| 0, 4), [2, 0, 2, 0]);
    }

    #[test]
    fn every_cycle_is_charged_once() {
        let mut scheduler = Scheduler::default();
        let mut by_kernel = [StallCounts::default(); 1];
        assert_eq!(scheduler.pick(0, WarpOrder::Gto, &Gates::default(), &mut by_kernel), None);
        scheduler.settle(10, &mut by_kernel);
        scheduler.admit(4, KernelId(0), 0);
        scheduler.ready_at(4, 10, 20);
        scheduler.touch(10);
        assert_eq!(scheduler.pick(10, WarpOrder::Gto, &Gates::default(), &mut by_kernel), None);
        assert_eq!(scheduler.wake.0, 20);
        assert_eq!(scheduler.pick(20, WarpOrder::Gto, &Gates::default(), &mut by_kernel), Some(4));
        assert_eq!(scheduler.stalls.total(), 20);
        assert_eq!(scheduler.stalls.0[StallCause::Idle.index()], 10);
        assert_eq!(by_kernel[0].0[StallCause::RawShort.index()], 10);
    }
}
