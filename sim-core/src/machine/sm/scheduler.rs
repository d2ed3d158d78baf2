//! One warp scheduler: sets of warps as bit masks, one bit for each of its warps. The issue stage is one line of masks, and the first term
//! that empties the set names the stall.
//!
//! A scheduler that cannot issue sleeps until its SM wakes it. The cycles between are charged to the cause of its last stall, for the
//! scheduler as a whole and for each kernel that it holds.

use super::ages::Ages;
use super::lanes::LANES;
use super::next::Next;
use crate::describe::ids::{Cycle, KernelId, Kernels, MAX_KERNELS, PerKernel};
use crate::interface::controls::WarpOrder;
use crate::interface::stats::{StallCause, StallCounts};
use crate::machine::derived::Derived;
use crate::machine::noc::members;
use core::hash::{Hash, Hasher};

/// What keeps ready memory instructions of every kernel from issuing in this cycle: sets of all warps or of none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gates {
    /// All, if another scheduler has used the LSU's port in this cycle.
    port_taken: u64,
    /// All, if that is so or shared memory is busy with an earlier access.
    shared_taken: u64,
    /// Until when shared memory is busy.
    shared_free: Cycle,
}

impl Gates {
    /// Those of cycle `now`, when nobody has used the port; shared memory is busy until `shared_free`.
    pub fn new(now: Cycle, shared_free: Cycle) -> Self {
        Gates { port_taken: 0, shared_taken: all_if(shared_free > now), shared_free }
    }

    /// A scheduler uses the port, for an access that keeps shared memory busy until `shared_free`, or leaves it as it is.
    pub fn take(&mut self, shared_free: Cycle) {
        *self = Gates { port_taken: u64::MAX, shared_taken: u64::MAX, shared_free };
    }

    /// An access that goes through no port keeps shared memory busy until `shared_free`.
    pub fn take_shared(&mut self, shared_free: Cycle) {
        (self.shared_taken, self.shared_free) = (u64::MAX, shared_free);
    }
}

/// The groups of lanes that a scheduler looks at one at a time (`WarpOrder::GtoGroups`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Groups {
    /// Lanes of each group; 0: there are none.
    size: u8,
    /// Lanes of the group that has its turn.
    present: u64,
    /// Cycles without an issue, up to which that holds: each leads to the next group that holds warps.
    stalled: u64,
}

impl Groups {
    /// So many cycles pass without an issue, one at least.
    fn turn(&mut self, cycles: Cycle, resident: u64) {
        if resident & !self.present == 0 {
            return;
        }
        let size = u32::from(self.size);
        let held = (0..LANES as u32).step_by(size as usize).filter(|&first| group_of(first, size) & resident != 0).count();
        // After the first turn the present group is one of those that hold warps: further turns go around among them.
        for _ in 0..=(cycles - 1) % held as Cycle {
            self.present = group_of(next_after(63 - self.present.leading_zeros(), resident), size);
        }
    }
}

/// Hashed only where there are any, so that other orders have the digests that they had before there were groups.
impl Hash for Groups {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if self.size != 0 {
            (self.present, self.size).hash(state);
        }
    }
}

/// A unit that few described kernels use: the FP64 unit of a scheduler, or its view of the one that the schedulers share; its tensor unit; its integer unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Unit {
    /// Warps whose next instruction needs it.
    warps: u64,
    /// Until when it is busy.
    free: Cycle,
    /// Whether there is one.
    is_there: bool,
    /// Whether it takes the oldest of the warps that wait for it, greedy or not: a scheduler's own, which takes an instruction every few cycles.
    takes_oldest: bool,
}

/// Hashed only where it has been used, so that other kernels have the digests that they had before there was one.
impl Hash for Unit {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if self.free != 0 {
            self.free.hash(state);
        }
    }
}

/// What a scheduler did in its last cycle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// Issued for this kernel.
    Issued(KernelId),
    /// Issued nothing.
    Stalled(StallCause),
}

/// The outcome of an evaluation of a scheduler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// The warp in this lane issues.
    Issue(u32),
    /// Nothing can issue before a warp becomes ready or a gate opens.
    Sleep,
    /// A memory instruction that is ready finds the port or shared memory taken: when to look again.
    Until(Cycle),
}

/// The state of one scheduler, what every look reads first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[repr(C, align(64))]
pub struct Scheduler {
    /// First cycle that has not been charged.
    since: Cycle,
    /// Warps whose next instruction has its operands.
    pub ready: u64,
    /// Warps of CTAs that may not issue.
    pub throttled: u64,
    /// Warps of kernels that have used their warp quota.
    spent: u64,
    /// Warps of kernels whose part of the LSU is full.
    lsu_full: u64,
    /// Warps whose next instruction is a global access.
    pub global: u64,
    /// Warps whose next instruction is a shared-memory access.
    pub shared: u64,
    /// Warps whose next instruction needs the special-function unit.
    pub special: u64,
    /// Until when the execution units are busy, each and the latest of all; never past `now + 1` if they take an instruction a cycle.
    alu_free: Cycle,
    sfu_free: Cycle,
    units_free: Cycle,
    /// Lane that issued last, of all and of each kernel.
    last: u8,
    last_kernel: KernelId,
    /// What happened in the last evaluated cycle.
    pub outcome: Outcome,
    last_of: PerKernel<u8>,
    /// Warps by kernel.
    pub of_kernel: PerKernel<u64>,
    /// Warps that are here.
    pub resident: u64,
    /// Warps that wait for loads.
    pub waiting: u64,
    /// Warps with a load under way that missed L1D.
    pub missed: u64,
    /// Warps at a barrier.
    pub barrier: u64,
    /// Warps of each CTA that are here; within a CTA the lower lane is the older warp.
    by_age: Ages,
    /// Stall of each kernel since `since`, while the scheduler stalls.
    kernel_causes: PerKernel<StallCause>,
    /// The stall that follows the last issue, if it is known that nothing can issue in the next cycle, and that of each kernel.
    then: Derived<Option<StallCause>>,
    then_of: Derived<PerKernel<StallCause>>,
    /// Scheduler-cycles charged so far.
    pub stalls: StallCounts,
    groups: Groups,
    fp64: Unit,
    /// Until when its memory queue is full (`MemoryQueues`).
    memory_free: Derived<Cycle>,
    tensor: Unit,
    integer: Unit,
    /// Warps whose next instruction needs one of these rare units.
    rare: Derived<u64>,
}

impl Default for Scheduler {
    /// A scheduler without warps.
    fn default() -> Self {
        Scheduler {
            since: 0,
            ready: 0,
            throttled: 0,
            spent: 0,
            lsu_full: 0,
            global: 0,
            shared: 0,
            special: 0,
            alu_free: 0,
            sfu_free: 0,
            units_free: 0,
            last: 0,
            last_kernel: KernelId(0),
            outcome: Outcome::Stalled(StallCause::Idle),
            last_of: PerKernel::all(0),
            of_kernel: PerKernel::all(0),
            resident: 0,
            waiting: 0,
            missed: 0,
            barrier: 0,
            by_age: Ages::default(),
            kernel_causes: PerKernel::all(StallCause::Idle),
            then: Derived(None),
            then_of: Derived(PerKernel::all(StallCause::Idle)),
            stalls: StallCounts::default(),
            groups: Groups::default(),
            fp64: Unit::default(),
            memory_free: Derived(0),
            tensor: Unit::default(),
            integer: Unit::default(),
            rare: Derived(0),
        }
    }
}

impl Scheduler {
    /// Puts the warps of a new CTA into empty lanes.
    pub fn admit(&mut self, warps: u64, kernel: KernelId) {
        if warps != 0 {
            self.turn_groups();
            self.resident |= warps;
            self.of_kernel[kernel] |= warps;
            self.by_age.push(warps);
        }
    }

    /// Takes a finished warp out.
    pub fn dismiss(&mut self, lane: u32, kernel: KernelId) {
        let gone = !(1 << lane);
        self.turn_groups();
        self.resident &= gone;
        self.of_kernel[kernel] &= gone;
        for set in
            [&mut self.ready, &mut self.waiting, &mut self.missed, &mut self.barrier, &mut self.global, &mut self.shared, &mut self.special]
        {
            *set &= gone;
        }
        for set in [
            &mut self.throttled,
            &mut self.spent,
            &mut self.lsu_full,
            &mut self.fp64.warps,
            &mut self.tensor.warps,
            &mut self.integer.warps,
            &mut *self.rare,
        ] {
            *set &= gone;
        }
        self.by_age.retain(gone);
    }

    /// Notes what a warp issues next.
    pub(super) fn set_next(&mut self, warp: u64, next: Next) {
        let set = |set: u64, is_in: bool| set & !warp | warp & u64::from(is_in).wrapping_neg();
        self.global = set(self.global, matches!(next, Next::Load | Next::Store | Next::Atomic));
        self.shared = set(self.shared, matches!(next, Next::Shared | Next::SharedAhead));
        self.special = set(self.special, next == Next::Sfu);
        if matches!(next, Next::Fp64 | Next::Tensor | Next::Integer | Next::BarrierInteger) || *self.rare != 0 {
            self.set_rare(warp, next);
        }
    }

    #[cold] // few described kernels need one of these: the others pay one question
    fn set_rare(&mut self, warp: u64, next: Next) {
        let integer = matches!(next, Next::Integer | Next::BarrierInteger);
        let units = [(&mut self.fp64, next == Next::Fp64), (&mut self.tensor, next == Next::Tensor), (&mut self.integer, integer)];
        for (unit, uses) in units {
            unit.warps = unit.warps & !warp | if uses && unit.is_there { warp } else { 0 };
        }
        *self.rare = self.fp64.warps | self.tensor.warps | self.integer.warps;
    }

    /// Says that integers have a unit of their own.
    pub fn add_integer(&mut self) {
        self.integer.is_there = true;
    }

    /// Says that there is a tensor unit; without one the arithmetic unit does its work.
    pub fn add_tensor(&mut self) {
        self.tensor.is_there = true;
    }

    /// Says that FP64 has a unit of its own; without one the arithmetic unit does it.
    pub fn add_fp64(&mut self, takes_oldest: bool) {
        (self.fp64.is_there, self.fp64.takes_oldest) = (true, takes_oldest);
    }

    /// Closes the gates for the kernels that have used their quota, and for those of which the LSU takes no more (a bit each). Returns
    /// whether that changes what the scheduler does.
    pub fn close(&mut self, out_of_quota: Kernels, lsu_full: Kernels) -> bool {
        let warps_of = |kernels: Kernels| members(kernels.into(), false).fold(0, |warps, kernel| warps | self.of_kernel.0[kernel as usize]);
        let (spent, full) = (warps_of(out_of_quota), warps_of(lsu_full));
        let changes = spent != self.spent || self.lsu_full & !full & self.global & self.ready != 0;
        (self.spent, self.lsu_full) = (spent, full);
        changes
    }

    /// Whether there are cycles before `now` that have not been charged.
    #[inline]
    pub fn is_behind(&self, now: Cycle) -> bool {
        self.since < now
    }

    /// Charges the cycles before `now` in which the scheduler was not evaluated, if there are any. If it issued in them, its last warp did so in
    /// each: returns how many instructions that were.
    pub fn settle(&mut self, now: Cycle, by_kernel: &mut [StallCounts]) -> u32 {
        let cycles = now - self.since;
        self.since = now;
        if let Some(cause) = self.then.take() {
            (self.outcome, self.kernel_causes) = (Outcome::Stalled(cause), *self.then_of);
        }
        let Outcome::Stalled(cause) = self.outcome else { return cycles as u32 };
        self.stalls.charge(cause, cycles);
        for (kernel, counts) in by_kernel.iter_mut().enumerate() {
            if self.of_kernel.0[kernel] != 0 {
                counts.charge(self.kernel_causes.0[kernel], cycles);
            }
        }
        0
    }

    /// Lanes of the groups that it looks at one at a time; 0: at all of them.
    pub fn group_size(&self) -> u8 {
        self.groups.size
    }

    /// Looks at groups of so many lanes from now on, after `settle`: at the first one.
    pub fn group_by(&mut self, size: u8) {
        self.groups = match size {
            0 => Groups::default(),
            _ => Groups { size, present: group_of(0, size.into()), stalled: self.stalls.total() },
        };
    }

    /// Brings the group that has its turn up to the cycles that have been charged.
    pub fn turn_groups(&mut self) {
        if self.groups.size == 0 {
            return;
        }
        let stalled = self.stalls.total();
        let cycles = stalled - core::mem::replace(&mut self.groups.stalled, stalled);
        if cycles > 0 {
            self.groups.turn(cycles, self.resident);
        }
    }

    /// Lane that issued last.
    pub fn last(&self) -> u32 {
        self.last.into()
    }

    /// Whether the warp that issued last keeps issuing, while its next instruction is ready, until another warp becomes ready.
    pub fn stays(&self, order: WarpOrder) -> bool {
        order.is_greedy() || self.free() == 1 << self.last
    }

    /// Warps of a kernel that are ready for a unit that takes nothing in cycle `now`. The LSU has no room for the kernel if `lsu_full`, and shared memory is
    /// busy until `shared_free`. A warp that loses its scheduler's slot, or the LSU's port, to another is not held by a full pipeline.
    pub fn idle_warps(&self, kernel: KernelId, now: Cycle, lsu_full: bool, shared_free: Cycle) -> u32 {
        let held = self.global & all_if(lsu_full) | self.shared & all_if(shared_free > now) | self.busy(now);
        (self.free() & held & self.of_kernel[kernel]).count_ones()
    }

    /// Warps that are ready and that no control keeps from issuing.
    fn free(&self) -> u64 {
        self.ready & !self.throttled & !self.spent
    }

    /// Looks for a warp to issue in `now`, after `settle`; `memory_left` is what kernels have left of their memory quotas, if any has one.
    /// Looking more often than needed changes nothing.
    #[inline]
    pub fn look(&mut self, now: Cycle, order: WarpOrder, gates: &Gates, memory_left: Option<&PerKernel<u32>>, kernels: usize) -> Look {
        match order {
            WarpOrder::GtoGroups(_) => self.look_at_a_group(now, gates, memory_left, kernels),
            order => self.look_at::<false>(now, order, gates, memory_left, kernels),
        }
    }

    #[inline(never)] // few machines have groups: what they take stays out of the way of those that have none
    fn look_at_a_group(&mut self, now: Cycle, gates: &Gates, memory_left: Option<&PerKernel<u32>>, kernels: usize) -> Look {
        self.turn_groups();
        self.look_at::<true>(now, WarpOrder::Gto, gates, memory_left, kernels)
    }

    /// Looks as `look` does: at the group that has its turn, or at all warps, as where there are no groups.
    #[inline(always)]
    pub fn look_at<const A_GROUP: bool>(
        &mut self,
        now: Cycle,
        order: WarpOrder,
        gates: &Gates,
        memory_left: Option<&PerKernel<u32>>,
        kernels: usize,
    ) -> Look {
        *self.then = None;
        let free = self.free();
        let memory = self.shared & gates.shared_taken | self.global & (self.lsu_full | gates.port_taken);
        let busy = if self.units_free > now { self.busy(now) } else { 0 };
        let eligible = free & !(memory | busy);
        if eligible == 0 {
            self.fall_asleep(kernels, if busy == 0 { 0 } else { busy & !self.queued(now) });
            return match free {
                0 => Look::Sleep,
                _ if gates.port_taken | free & busy != 0 => Look::Until(now + 1),
                _ if free & self.shared != 0 => Look::Until(gates.shared_free),
                _ => Look::Sleep,
            };
        }
        let here = if A_GROUP { eligible & self.groups.present } else { eligible };
        if A_GROUP && here == 0 {
            return self.lose_cycle(now, eligible, kernels, busy);
        }
        self.since = now + 1;
        let here = memory_left.map_or(here, |left| self.memory_in_turn(here, left));
        let lane = self.choose(order, here);
        self.last = lane as u8;
        Look::Issue(lane)
    }

    /// Without the global accesses of kernels that have less of their memory quota left than another kernel with one.
    #[inline(never)] // keeps `look` small
    fn memory_in_turn(&self, eligible: u64, left: &PerKernel<u32>) -> u64 {
        let of = |kernel: usize| eligible & self.global & self.of_kernel.0[kernel];
        let most = (0..MAX_KERNELS).filter(|&k| of(k) != 0).map(|k| left.0[k]).max().unwrap_or(0);
        let behind = (0..MAX_KERNELS).filter(|&k| left.0[k] < most).fold(0, |warps, k| warps | of(k));
        eligible & !behind
    }

    /// Warps whose next instruction needs an execution unit that is busy, or a place of the memory queue. Whatever is neither a memory access nor special-function work
    /// uses the arithmetic unit, as in GPGPU-Sim a barrier, too, but where a recorded kernel's has an integer unit.
    #[cold]
    fn busy(&self, now: Cycle) -> u64 {
        let arithmetic = !(self.global | self.shared | self.special | self.fp64.warps | self.tensor.warps | self.integer.warps);
        let rare = [&self.fp64, &self.tensor, &self.integer].map(|unit| (unit.warps, unit.free));
        let units = [(arithmetic, self.alu_free), (self.special, self.sfu_free)].into_iter().chain(rare);
        units.fold(self.queued(now), |busy, (warps, free)| busy | warps & all_if(free > now))
    }

    /// Warps whose next instruction is a memory access for which the memory queue has no place.
    #[inline]
    fn queued(&self, now: Cycle) -> u64 {
        (self.global | self.shared) & all_if(*self.memory_free > now)
    }

    /// The memory queue has no place until `free`.
    pub fn fill_queue(&mut self, free: Cycle) {
        *self.memory_free = free;
        self.units_free = self.units_free.max(free);
    }

    /// The special-function unit, or the arithmetic unit, is busy until `free`.
    pub fn occupy(&mut self, special: bool, free: Cycle) {
        *(if special { &mut self.sfu_free } else { &mut self.alu_free }) = free;
        self.units_free = self.units_free.max(free);
    }

    /// The FP64 unit is busy until `free`.
    pub fn occupy_fp64(&mut self, free: Cycle) {
        self.fp64.free = free;
        self.units_free = self.units_free.max(free);
    }

    /// The integer unit is busy until `free`.
    pub fn occupy_integer(&mut self, free: Cycle) {
        self.integer.free = free;
        self.units_free = self.units_free.max(free);
    }

    /// The tensor unit is busy until `free`, or the arithmetic unit where there is none.
    pub fn occupy_tensor(&mut self, free: Cycle) {
        *(if self.tensor.is_there { &mut self.tensor.free } else { &mut self.alu_free }) = free;
        self.units_free = self.units_free.max(free);
    }

    fn fall_asleep(&mut self, kernels: usize, busy: u64) {
        let mut of = self.kernel_causes;
        self.outcome = Outcome::Stalled(self.causes(kernels, busy, &mut of));
        self.kernel_causes = of;
    }

    /// Only warps of other groups than the present one can issue: the cycle passes with the change to the next group.
    #[cold]
    fn lose_cycle(&mut self, now: Cycle, eligible: u64, kernels: usize, busy: u64) -> Look {
        self.fall_asleep(kernels, busy);
        self.outcome = Outcome::Stalled(StallCause::RawShort);
        for (cause, warps) in self.kernel_causes.0.iter_mut().zip(self.of_kernel.0) {
            if eligible & warps != 0 {
                *cause = StallCause::RawShort;
            }
        }
        Look::Until(now + 1)
    }

    /// After an issue in this cycle: whether nothing can issue in the next before a warp becomes ready or a gate opens.
    #[inline]
    pub fn has_issued_all(&mut self, now: Cycle, kernels: usize) -> bool {
        let done = self.free() & !(self.global & self.lsu_full) == 0 && self.units_free <= now + 1;
        if done {
            let mut of = self.kernel_causes;
            *self.then = Some(self.causes(kernels, 0, &mut of));
            *self.then_of = of;
        }
        done
    }

    /// Why nothing issues, and in `of` why nothing of each kernel that is here does: the first term that leaves none.
    #[inline(never)] // it is called in two places
    fn causes(&self, kernels: usize, busy: u64, of: &mut PerKernel<StallCause>) -> StallCause {
        let unthrottled = self.ready & !self.throttled;
        let free = unthrottled & !self.spent;
        let (unbusy, missed, under_way) = (free & !busy, self.waiting & self.missed, self.resident & !self.barrier);
        let cause = |warps: u64| {
            if unbusy & warps != 0 {
                StallCause::LsuFull
            } else if free & warps != 0 {
                StallCause::RawShort
            } else if unthrottled & warps != 0 {
                StallCause::Quota
            } else if self.ready & warps != 0 {
                StallCause::Throttled
            } else if missed & warps != 0 {
                StallCause::RawLong
            } else if under_way & warps != 0 {
                StallCause::RawShort
            } else {
                StallCause::Barrier
            }
        };
        let of_all = if self.resident == 0 { StallCause::Idle } else { cause(!0) };
        for (of, &warps) in of.0.iter_mut().zip(&self.of_kernel.0).take(kernels) {
            match warps {
                0 => {}
                warps if warps == self.resident => *of = of_all,
                warps => *of = cause(warps),
            }
        }
        of_all
    }

    #[inline(always)] // a call would cost as much as the choice
    fn choose(&self, order: WarpOrder, eligible: u64) -> u32 {
        let last = u32::from(self.last);
        match order {
            WarpOrder::Lrr => next_after(last, eligible),
            WarpOrder::Gto | WarpOrder::GtoGroups(_) => self.greedy(last, eligible),
            WarpOrder::TwoLevel(size) => in_group(last, u32::from(size), eligible),
            WarpOrder::LrrGto => self.greedy_by_kernel(eligible),
            WarpOrder::Gty if eligible >> last & 1 == 1 => last,
            WarpOrder::Gty => self.by_age.youngest(eligible),
        }
    }

    #[inline(never)] // keeps `choose` small
    fn greedy_by_kernel(&self, eligible: u64) -> u32 {
        let turn = |k: usize| (k + MAX_KERNELS - self.last_kernel.index() - 1) % MAX_KERNELS;
        let candidates = (0..MAX_KERNELS).filter(|&k| eligible & self.of_kernel.0[k] != 0);
        let kernel = candidates.min_by_key(|&k| turn(k)).unwrap_or(0);
        self.greedy(u32::from(self.last_of.0[kernel]), eligible & self.of_kernel.0[kernel])
    }

    /// Notes that a warp of `kernel` issued.
    pub fn issued(&mut self, lane: u32, kernel: KernelId) {
        self.outcome = Outcome::Issued(kernel);
        self.last_of[kernel] = lane as u8;
        self.last_kernel = kernel;
    }

    #[inline(always)]
    fn greedy(&self, last: u32, eligible: u64) -> u32 {
        if eligible >> last & 1 == 0 {
            return self.by_age.oldest(eligible);
        }
        // It has waited for its FP64 unit, which takes the oldest that does.
        if self.fp64.takes_oldest && self.fp64.warps >> last & 1 == 1 { self.by_age.oldest(eligible & self.fp64.warps) } else { last }
    }
}

fn in_group(last: u32, size: u32, eligible: u64) -> u32 {
    let group = group_of(last, size);
    // While the whole group stalls, the next warp after it.
    next_after(last, if eligible & group != 0 { eligible & group } else { eligible })
}

/// The lanes of the group that a lane is in.
fn group_of(lane: u32, size: u32) -> u64 {
    let first = lane / size * size;
    (u64::MAX >> (64 - size.min(64 - first))) << first
}

/// All warps, or none.
fn all_if(condition: bool) -> u64 {
    u64::from(condition).wrapping_neg()
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
    fn issue(order: WarpOrder, ctas: &[(u64, u8)], stalled_after: impl Fn(usize) -> u64, count: usize) -> Vec<u32> {
        let mut scheduler = Scheduler::default();
        for &(warps, kernel) in ctas {
            scheduler.admit(warps, KernelId(kernel));
        }
        (0..count)
            .map(|n| {
                scheduler.ready = scheduler.resident & !stalled_after(n);
                let look = scheduler.look(n as u64, order, &Gates::default(), None, 2);
                let Look::Issue(lane) = look else { panic!("{look:?}") };
                let kernel = ctas.iter().find(|cta| cta.0 >> lane & 1 == 1).unwrap().1;
                scheduler.issued(lane, KernelId(kernel));
                lane
            })
            .collect()
    }

    #[test]
    fn lrr_takes_turns() {
        assert_eq!(issue(WarpOrder::Lrr, &[(0b100011, 0)], |_| 0, 6), [1, 5, 0, 1, 5, 0]);
    }

    #[test]
    fn gto_stays_until_it_stalls_then_takes_the_oldest() {
        let ctas = [(0b1000, 0), (0b0011, 0)];
        let stalled = |n: usize| if n >= 2 { 1 << 0 } else { 0 };
        assert_eq!(issue(WarpOrder::Gto, &ctas, stalled, 4), [0, 0, 3, 3]);
    }

    #[test]
    fn gty_stays_until_it_stalls_then_takes_the_youngest() {
        let ctas = [(0b1000, 0), (0b0011, 0)];
        let stalled = |n: usize| [0b0010, 0b0010, 0b0011, 0b0001][n];
        assert_eq!(issue(WarpOrder::Gty, &ctas, stalled, 4), [0, 0, 3, 3]);
        assert_eq!(issue(WarpOrder::Gty, &ctas, |n| if n == 0 { 0b0001 } else { 0 }, 2), [1, 1]);
    }

    #[test]
    fn two_level_stays_in_its_group_until_all_of_it_stalls() {
        let stalled = |n: usize| if n >= 3 { 0b1111 } else { 0 };
        assert_eq!(issue(WarpOrder::TwoLevel(4), &[(0xff, 0)], stalled, 6), [1, 2, 3, 4, 5, 6]);
    }

    /// The lane that issues in each cycle, among warps `resident` in lanes of groups of `size`, of which `ready(cycle)` are ready. A scheduler that may
    /// sleep is looked at only when it asks for it and when another warp has become ready.
    fn grouped(size: u8, resident: u64, ready: impl Fn(Cycle) -> u64, cycles: Cycle, may_sleep: bool) -> Vec<Option<u32>> {
        let mut scheduler = Scheduler::default();
        scheduler.group_by(size);
        scheduler.admit(resident, KernelId(0));
        let (mut by_kernel, mut wake) = ([StallCounts::default(); 1], 0);
        let issued = Vec::from_iter((0..cycles).map(|now| {
            let before = core::mem::replace(&mut scheduler.ready, ready(now));
            if may_sleep && now < wake && scheduler.ready & !before == 0 {
                return None;
            }
            scheduler.settle(now, &mut by_kernel);
            match scheduler.look(now, WarpOrder::GtoGroups(size), &Gates::default(), None, 1) {
                Look::Issue(lane) => {
                    scheduler.issued(lane, KernelId(0));
                    wake = now + 1;
                    return Some(lane);
                }
                Look::Sleep => wake = Cycle::MAX,
                Look::Until(at) => wake = at,
            }
            None
        }));
        scheduler.settle(cycles, &mut by_kernel);
        assert_eq!(scheduler.stalls.total(), issued.iter().filter(|lane| lane.is_none()).count() as u64, "each lost cycle is charged");
        issued
    }

    fn lanes(count: u32) -> u64 {
        (1 << count) - 1
    }

    /// A big SM of HeteroCore (24 + 12), one of four (24 + 24 + 12) and one of twelve (24 + 4), cycle by cycle.
    #[test]
    fn a_change_of_groups_loses_a_cycle() {
        let from = |steps: &'static [(Cycle, u64)]| move |now| steps.iter().rev().find(|step| step.0 <= now).map_or(0, |step| step.1);
        for may_sleep in [false, true] {
            // It stays in a group while it can, whoever is older in the other one.
            let ready = from(&[(0, 1 << 5), (3, 1 << 30), (6, 1 << 30 | 1 << 2), (8, 1 << 2)]);
            let want = [Some(5), Some(5), Some(5), None, Some(30), Some(30), Some(30), Some(30), None, Some(2)];
            assert_eq!(grouped(24, lanes(36), ready, 10, may_sleep), want);
            // The groups follow each other: two cycles to the last, one back to the first.
            let ready = from(&[(0, 1), (2, 1 << 48), (6, 1)]);
            let want = [Some(0), Some(0), None, None, Some(48), Some(48), None, Some(0)];
            assert_eq!(grouped(24, lanes(60), ready, 8, may_sleep), want);
            // A group without warps is left out.
            let (ready, held) = (from(&[(0, 1), (2, 1 << 59)]), lanes(60) & !(lanes(24) << 24));
            assert_eq!(grouped(24, held, ready, 5, may_sleep), [Some(0), Some(0), None, Some(59), Some(59)]);
            let ready = from(&[(0, 1 << 23), (1, 1 << 24), (4, 1 << 27 | 1 << 23), (5, 1 << 23)]);
            assert_eq!(grouped(24, lanes(28), ready, 7, may_sleep), [Some(23), None, Some(24), Some(24), Some(27), None, Some(23)]);
        }
    }

    /// While no warp is ready the groups take turns, a cycle each: one that becomes ready issues at once or waits for its group's turn.
    #[test]
    fn groups_take_turns_while_nothing_can_issue() {
        let first = |size: u8, held: u64, lane: u32, at: Cycle| {
            let find = |may_sleep| {
                grouped(size, held, |now| if now < at { 0 } else { 1 << lane }, at + 4, may_sleep).iter().position(Option::is_some)
            };
            let found = find(true).unwrap() as Cycle;
            assert_eq!(find(false), Some(found as usize), "the same whether or not it sleeps");
            found - at
        };
        for at in 0..20 {
            assert_eq!([first(24, lanes(36), 0, at), first(24, lanes(36), 24, at)], [at % 2, 1 - at % 2], "after {at} cycles");
            let waits = [0, 24, 48].map(|lane| first(24, lanes(60), lane, at));
            assert_eq!(waits, [0, 1, 2].map(|group| (group + 3 - at % 3) % 3), "after {at} cycles");
            // Alone, a group has every turn: the first at once, the second from the second cycle on.
            assert_eq!([first(24, lanes(24), 7, at), first(24, lanes(12) << 24, 30, at)], [0, u64::from(at == 0)], "after {at} cycles");
        }
    }

    /// The lost cycle is no wait for memory, though all warps of the present group wait for it.
    #[test]
    fn the_lost_cycle_is_charged_as_execution() {
        let mut scheduler = Scheduler::default();
        scheduler.group_by(24);
        scheduler.admit(lanes(24), KernelId(0));
        scheduler.admit(lanes(12) << 24, KernelId(1));
        (scheduler.waiting, scheduler.missed, scheduler.ready) = (lanes(24), lanes(24), 1 << 24);
        let mut by_kernel = [StallCounts::default(); 2];
        let order = WarpOrder::GtoGroups(24);
        assert_eq!(scheduler.look(0, order, &Gates::default(), None, 2), Look::Until(1));
        scheduler.settle(1, &mut by_kernel);
        assert_eq!(scheduler.look(1, order, &Gates::default(), None, 2), Look::Issue(24));
        assert_eq!(scheduler.stalls.0[StallCause::RawShort.index()], 1);
        assert_eq!(by_kernel.map(|counts| counts.0[StallCause::RawLong.index()]), [1, 0]);
        assert_eq!(by_kernel.map(|counts| counts.0[StallCause::RawShort.index()]), [0, 1]);
    }

    #[test]
    fn lrr_gto_alternates_kernels_and_is_greedy_within_each() {
        assert_eq!(issue(WarpOrder::LrrGto, &[(0b0011, 0), (0b1100, 1)], |_| 0, 4), [2, 0, 2, 0]);
    }

    /// Kernel 0 has less left: its access waits for kernel 1's while that is ready. Its arithmetic never waits.
    #[test]
    fn memory_goes_to_the_kernel_with_more_left() {
        let mut left = PerKernel::all(0);
        left.0[..2].copy_from_slice(&[3, 4]);
        let issued = |ready: u64, global: u64| {
            let mut scheduler = Scheduler::default();
            scheduler.admit(0b0011, KernelId(0));
            scheduler.admit(0b0100, KernelId(1));
            (scheduler.ready, scheduler.global) = (ready, global);
            scheduler.look(0, WarpOrder::Gto, &Gates::default(), Some(&left), 2)
        };
        assert_eq!(issued(0b111, 0b111), Look::Issue(2));
        assert_eq!(issued(0b111, 0b110), Look::Issue(0));
        assert_eq!(issued(0b011, 0b011), Look::Issue(0));
    }

    /// Each warp is idle as long as its own unit is taken, and none because another one has the slot.
    #[test]
    fn a_warp_is_idle_while_its_unit_takes_nothing() {
        let mut scheduler = Scheduler::default();
        scheduler.admit(0b11_1111, KernelId(0));
        scheduler.admit(0b1100_0000, KernelId(1));
        scheduler.ready = 0b0111_1111;
        // Two wait for the LSU, one for shared memory, one for the special-function unit, and two for the arithmetic unit; kernel 1 has an access too.
        (scheduler.global, scheduler.shared, scheduler.special) = (0b0100_0011, 0b100, 0b1000);
        let idle = |scheduler: &Scheduler, now, full| [0, 1].map(|kernel| scheduler.idle_warps(KernelId(kernel), now, full, 12));
        assert_eq!(scheduler.look(12, WarpOrder::Gto, &Gates::new(12, 12), None, 2), Look::Issue(0));
        scheduler.issued(0, KernelId(0));
        assert_eq!(idle(&scheduler, 12, false), [0, 0], "five others are ready and were not chosen");
        assert_eq!(idle(&scheduler, 12, true), [2, 1]);
        assert_eq!(idle(&scheduler, 11, false), [1, 0], "shared memory is busy in cycle 11");
        scheduler.occupy(true, 14);
        assert_eq!([13, 14].map(|now| idle(&scheduler, now, false)), [[1, 0], [0, 0]]);
        scheduler.occupy(false, 16);
        assert_eq!([15, 16].map(|now| idle(&scheduler, now, false)), [[2, 0], [0, 0]]);
        scheduler.throttled = 0b1_0000;
        assert_eq!(idle(&scheduler, 15, false), [1, 0], "what a control holds back is not idle");
    }

    #[test]
    fn every_cycle_is_charged_once() {
        let mut scheduler = Scheduler::default();
        let mut by_kernel = [StallCounts::default(); 1];
        assert_eq!(scheduler.look(0, WarpOrder::Gto, &Gates::default(), None, 1), Look::Sleep);
        scheduler.settle(10, &mut by_kernel);
        scheduler.admit(1 << 4, KernelId(0));
        assert_eq!(scheduler.look(10, WarpOrder::Gto, &Gates::default(), None, 1), Look::Sleep);
        scheduler.ready = 1 << 4;
        assert_eq!(scheduler.settle(20, &mut by_kernel), 0);
        assert_eq!(scheduler.look(20, WarpOrder::Gto, &Gates::default(), None, 1), Look::Issue(4));
        scheduler.issued(4, KernelId(0));
        assert_eq!((scheduler.settle(21, &mut by_kernel), scheduler.settle(30, &mut by_kernel)), (0, 9), "it went on issuing");
        assert_eq!(scheduler.stalls.total(), 20);
        assert_eq!(scheduler.stalls.0[StallCause::Idle.index()], 10);
        assert_eq!(by_kernel[0].0[StallCause::RawShort.index()], 10);
    }
}
