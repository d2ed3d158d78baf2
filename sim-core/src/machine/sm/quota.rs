//! Instruction quotas: a counter for each kernel, from which its instructions are taken as they issue or as they complete, and to which
//! refills add. A kernel whose counter is not positive issues nothing, and neither does one that ranks behind a kernel with quota left.
//!
//! A scheduler may issue a run of independent instructions in its sleep: it reserves them, and the SM ends the run before the counter
//! could come to its end. `sure` is what a counter has beyond all that is reserved or under way. While that is more than all schedulers
//! can issue in a cycle, nobody has to look at the counter, and what completes waits to be charged.

use super::lanes::MAX_SCHEDULERS;
use super::wheel::LONGEST_LATENCY;
use crate::describe::ids::{Cycle, KernelId, Kernels, NEVER, PerKernel};
use crate::describe::kernel::WARP_SIZE;
use crate::interface::controls::{QuotaCarry, QuotaCharge, QuotaRefill, SmControls};
use crate::machine::derived::Derived;
use crate::machine::noc::members;
use alloc::vec::Vec;

/// What all schedulers of an SM together take from a counter in a cycle, at most.
const CYCLE: i64 = MAX_SCHEDULERS as i64 * WARP_SIZE as i64;

/// Cycles for which completions are known ahead.
const PLACES: usize = LONGEST_LATENCY as usize + 1;

/// A run of independent instructions that a scheduler issues in its sleep.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    kernel: KernelId,
    cost: i64,
    /// Instructions that have not been charged.
    left: i64,
}

/// The quotas of one SM.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Quotas {
    /// Kernels with a quota, and those whose quota counts thread instructions, a bit each.
    given: Kernels,
    threads: Kernels,
    left: PerKernel<i64>,
    /// Kernels with a quota of which nothing is left.
    spent: Kernels,
    /// Start of the interval that the quotas are for.
    interval_start: Cycle,
    /// What completes in each of the next cycles, by the cycle modulo their number; empty where instructions have always been charged as they
    /// issue.
    owed: Vec<PerKernel<u32>>,
    /// Active lanes of the loads under way, by their entries; empty like `owed`.
    load_lanes: Vec<u8>,
    /// Whether instructions are charged as they complete.
    late: Derived<bool>,
    /// Kernels with a quota above 0, a bit each.
    giving: Derived<Kernels>,
    /// When the interval ends.
    ends: Derived<Cycle>,
    /// Places of `owed` that are not empty, and the last cycle whose completions have been charged.
    owing: Derived<u64>,
    charged: Derived<Cycle>,
    sure: Derived<PerKernel<i64>>,
    runs: Derived<[Run; MAX_SCHEDULERS]>,
    /// Schedulers with a run, a bit each.
    running: Derived<u8>,
    /// Kernels that rank behind one with quota left, and the ranks where they differ.
    held: Derived<Kernels>,
    ranks: Derived<Option<PerKernel<u8>>>,
    /// Kernels whose end of quota has been noted.
    noted: Derived<Kernels>,
}

impl Default for Quotas {
    /// No kernel has a quota.
    fn default() -> Self {
        Quotas {
            given: 0,
            threads: 0,
            left: PerKernel::all(0),
            spent: 0,
            interval_start: 0,
            owed: Vec::new(),
            load_lanes: Vec::new(),
            late: Derived(false),
            giving: Derived(0),
            ends: Derived(NEVER),
            owing: Derived(0),
            charged: Derived(0),
            sure: Derived(PerKernel::all(0)),
            runs: Derived([Run::default(); MAX_SCHEDULERS]),
            running: Derived(0),
            held: Derived(0),
            ranks: Derived(None),
            noted: Derived(0),
        }
    }
}

impl Quotas {
    /// Whether any kernel has a quota.
    #[inline]
    pub fn any(&self) -> bool {
        self.given != 0
    }

    /// Kernels with a quota of which nothing is left.
    pub fn spent(&self) -> Kernels {
        self.spent
    }

    /// Kernels that may not issue for now.
    #[inline]
    pub fn closed(&self) -> Kernels {
        self.spent | *self.held
    }

    /// A kernel's counter: what is left of its quota, below zero what it has had too much.
    pub fn left(&self, kernel: KernelId) -> i64 {
        self.left[kernel]
    }

    /// Every kernel's counter: what is left of its quota, below zero what it has had too much.
    pub fn all_left(&self) -> PerKernel<i64> {
        self.left
    }

    /// Whether instructions are charged as they complete.
    #[inline]
    pub fn is_late(&self) -> bool {
        *self.late
    }

    /// Whether all of the `resident` kernels that have a quota have used it.
    #[inline]
    pub fn all_spent(&self, resident: Kernels) -> bool {
        resident & self.given & !self.spent == 0
    }

    /// Whether it may be found within `cycles` cycles from `now` on that all `resident` kernels have spent their quotas. `stays` says of which
    /// of these a CTA is still there then.
    pub fn may_all_be_spent(
        &self,
        now: Cycle,
        cycles: Cycle,
        resident: Kernels,
        controls: &SmControls,
        stays: impl Fn(KernelId) -> bool,
    ) -> bool {
        if self.given == 0 && self.spent == 0 {
            return false;
        }
        if *self.ends < now + cycles {
            return true;
        }
        let unspent = self.given & !self.spent;
        if each(resident & unspent).any(|kernel| self.sure[kernel] > CYCLE * cycles as i64 && stays(kernel)) {
            return false;
        }
        // Where it has been found already, it is found again when someone gets more, or when a kernel leaves.
        unspent != 0 || self.spent != *self.noted || self.given_by_spending(Kernels::MAX, controls) != 0 || !each(resident).all(stays)
    }

    #[inline]
    fn cost(&self, kernel: KernelId, lanes: u8) -> i64 {
        match 1 << kernel.0 {
            bit if self.given & bit == 0 => 0,
            bit if self.threads & bit == 0 => 1,
            _ => lanes.into(),
        }
    }

    /// Takes from a counter.
    #[inline]
    fn take(&mut self, kernel: KernelId, cost: i64) {
        self.left[kernel] -= cost;
        self.spent |= Kernels::from(self.left[kernel] <= 0 && cost > 0) << kernel.0;
    }

    /// A warp instruction of a kernel with so many active lanes issues in cycle `now` and completes in cycle `at`. Returns whether it has been taken from
    /// the counter.
    #[inline(always)]
    pub fn issue(&mut self, kernel: KernelId, lanes: u8, now: Cycle, at: Cycle) -> bool {
        let cost = self.cost(kernel, lanes);
        self.sure[kernel] -= cost;
        if !*self.late || at <= now {
            self.take(kernel, cost);
            return true;
        }
        if at - *self.charged >= PLACES as Cycle {
            self.charge(now);
        }
        self.owe(kernel, cost, at);
        false
    }

    /// An access of a kernel to global memory issues with so many active lanes. It completes when its last line is there (a load with this
    /// entry) or has left the LSU (a store). Returns whether it has been taken from the counter.
    pub fn issue_access(&mut self, kernel: KernelId, lanes: u8, load: Option<u16>) -> bool {
        let cost = self.cost(kernel, lanes);
        self.sure[kernel] -= cost;
        match load {
            _ if !*self.late => self.take(kernel, cost),
            Some(load) => self.load_lanes[usize::from(load)] = lanes,
            None => {}
        }
        !*self.late
    }

    /// Whether a kernel has come to the end of its quota since the last call.
    #[inline]
    pub fn newly_spent(&mut self) -> bool {
        self.spent & !core::mem::replace(&mut *self.noted, self.spent) != 0
    }

    /// A kernel's instruction completes in cycle `at`, after the last cycle that has been charged, by less than `PLACES`.
    #[inline]
    fn owe(&mut self, kernel: KernelId, cost: i64, at: Cycle) {
        let place = at as usize % PLACES;
        self.owed[place][kernel] += cost as u32;
        *self.owing |= 1 << place;
    }

    /// A load has its last line.
    pub fn load_completes(&mut self, entry: u16, kernel: KernelId) {
        self.completes(kernel, self.load_lanes[usize::from(entry)]);
    }

    /// A memory instruction with so many active lanes has completed.
    pub fn completes(&mut self, kernel: KernelId, lanes: u8) {
        self.take(kernel, self.cost(kernel, lanes));
    }

    /// Charges what has completed up to cycle `now`.
    pub fn charge(&mut self, now: Cycle) {
        let from = core::mem::replace(&mut *self.charged, now) + 1;
        let due = *self.owing & first((now + 1).saturating_sub(from)).rotate_left((from as usize % PLACES) as u32);
        if due == 0 {
            return;
        }
        *self.owing &= !due;
        let mut sum = PerKernel::all(0);
        for place in members(due, false) {
            let owed = core::mem::replace(&mut self.owed[place as usize], PerKernel::all(0));
            sum.0.iter_mut().zip(owed.0).for_each(|(sum, owed)| *sum += owed);
        }
        each(self.given).for_each(|kernel| self.take(kernel, sum[kernel].into()));
    }

    // --- runs --------------------------------------------------------------------------------------------------------------------

    /// Reserves instructions for a scheduler that has just issued one of them: up to `count`, or as many as are sure. Returns how many.
    pub fn reserve(&mut self, scheduler: usize, kernel: KernelId, lanes: u8, count: u32) -> u32 {
        let cost = self.cost(kernel, lanes);
        if cost == 0 {
            return count;
        }
        // The one that has just issued has not been charged yet.
        let sure = self.sure[kernel] - CYCLE - cost;
        // Seldom is so little left that it has to be divided.
        let left = if sure >= cost * i64::from(count) { i64::from(count) } else { (sure / cost).max(0) };
        if left > 0 {
            self.sure[kernel] -= left * cost;
            self.runs[scheduler] = Run { kernel, cost, left };
            *self.running |= 1 << scheduler;
        }
        left as u32
    }

    /// A scheduler has issued so many instructions in its sleep, one in each cycle before `now`.
    pub fn ran(&mut self, scheduler: usize, issued: u32, now: Cycle) {
        let Run { kernel, cost, .. } = self.runs[scheduler];
        if *self.running >> scheduler & 1 == 0 {
            return;
        }
        let issued = i64::from(issued);
        self.runs[scheduler].left -= issued;
        if *self.late {
            // Each completes in the cycle after its issue.
            self.take(kernel, (issued - 1) * cost);
            if now >= *self.charged + PLACES as Cycle {
                self.charge(now - 1);
            }
            if now > *self.charged {
                self.owe(kernel, cost, now);
            } else {
                self.take(kernel, cost);
            }
        } else {
            self.take(kernel, issued * cost);
        }
    }

    /// A scheduler's run is over: what it has not issued is no longer reserved.
    #[inline]
    pub fn release(&mut self, scheduler: usize) {
        if *self.running >> scheduler & 1 == 1 {
            let Run { kernel, cost, left } = self.runs[scheduler];
            self.sure[kernel] += left * cost;
            *self.running &= !(1 << scheduler);
        }
    }

    /// Schedulers with a run, a bit each.
    #[inline]
    pub fn running(&self) -> u8 {
        *self.running
    }

    /// Schedulers whose run must end now, so that the counter is looked at.
    #[inline]
    pub fn ending(&self) -> u8 {
        let ends = |s: &u32| self.is_near(self.runs[*s as usize].kernel);
        members((*self.running).into(), false).filter(ends).fold(0, |set, s| set | 1 << s)
    }

    fn is_near(&self, kernel: KernelId) -> bool {
        self.sure[kernel] <= CYCLE
    }

    /// Whether a counter may come to its end within a cycle.
    #[inline]
    fn any_ends(&self) -> bool {
        each(self.given & !self.spent).any(|kernel| self.is_near(kernel))
    }

    /// Whether someone has to look at the counters in cycle `now`, before anything issues in it.
    #[inline]
    pub fn is_watched(&self, now: Cycle, resident: Kernels) -> bool {
        let newly_spent = self.spent & !*self.noted != 0;
        *self.ends <= now || newly_spent || self.spent != 0 && self.all_spent(resident) || self.any_ends()
    }

    // --- refills -----------------------------------------------------------------------------------------------------------------

    /// Whether a refill by time has been missed before cycle `now`.
    #[inline]
    pub fn is_behind(&self, now: Cycle) -> bool {
        *self.ends < now
    }

    /// An interval begins in cycle `start`.
    fn begin(&mut self, start: Cycle, controls: &SmControls) {
        self.interval_start = start;
        *self.ends = match controls.quota_refill {
            QuotaRefill::Interval | QuotaRefill::IntervalOrAllSpent if self.given != 0 => start + Cycle::from(controls.quota_interval),
            _ => NEVER,
        };
    }

    /// Kernels that get more because all that are resident have spent their quotas, a bit each.
    #[inline]
    fn given_by_spending(&self, resident: Kernels, controls: &SmControls) -> Kernels {
        if self.spent != 0 && self.all_spent(resident) { self.given_now(resident, controls) } else { 0 }
    }

    /// Kernels that get more now that all of the `resident` ones have spent their quotas, a bit each.
    #[inline(never)] // so that the question before it is inlined
    fn given_now(&self, resident: Kernels, controls: &SmControls) -> Kernels {
        let spent_here = self.spent & resident;
        match controls.quota_refill {
            QuotaRefill::WhenAllSpent if self.spent & *self.giving != 0 => self.given,
            QuotaRefill::IntervalOrAllSpent if spent_here & *self.giving != 0 => self.given,
            QuotaRefill::WhenAllSpent | QuotaRefill::IntervalOrAllSpent => 0,
            QuotaRefill::Interval | QuotaRefill::Round => {
                each(spent_here & *self.giving).filter(|&kernel| controls.quota_top_up[kernel]).fold(0, |set, kernel| set | 1 << kernel.0)
            }
        }
    }

    /// Whether a refill is due in cycle `now`.
    pub fn is_due(&self, now: Cycle, resident: Kernels, controls: &SmControls) -> bool {
        *self.ends <= now || self.given_by_spending(resident, controls) != 0
    }

    /// Whether a refill that may come later than it is due has been missed up to cycle `now`: nothing has happened that it could concern.
    pub fn is_late_due(&self, now: Cycle, resident: Kernels, controls: &SmControls) -> bool {
        let once = controls.quota_refill == QuotaRefill::WhenAllSpent && controls.quota_carry == PerKernel::all(QuotaCarry::Nothing);
        let by_spending = once && self.given_by_spending(resident, controls) != 0;
        *self.ends <= now || by_spending
    }

    /// Fills up what is due in cycle `now`; no scheduler has a run. Returns the kernels that get theirs on top before the refill, a bit each.
    pub fn refill(&mut self, now: Cycle, resident: Kernels, controls: &SmControls) -> Kernels {
        let more = self.given_by_spending(resident, controls);
        if *self.ends <= now {
            let interval = Cycle::from(controls.quota_interval);
            let missed = (now - *self.ends) / interval;
            self.begin(*self.ends + missed * interval, controls);
            self.fill(self.given, missed as i64 + 1, controls);
        } else if matches!(controls.quota_refill, QuotaRefill::Interval | QuotaRefill::Round) {
            each(more).for_each(|kernel| self.top_up(kernel, controls));
            return more;
        } else if more != 0 {
            if controls.quota_refill == QuotaRefill::IntervalOrAllSpent {
                self.begin(now, controls);
            }
            self.fill(more, 1, controls);
        }
        0
    }

    /// Fills counters up, so many times in a row.
    fn fill(&mut self, kernels: Kernels, times: i64, controls: &SmControls) {
        for kernel in each(kernels) {
            let (left, quota) = (self.left[kernel], i64::from(controls.quota(kernel).unwrap_or(0)));
            self.set(kernel, controls.quota_carry[kernel].filled(left, quota, times));
        }
    }

    fn top_up(&mut self, kernel: KernelId, controls: &SmControls) {
        self.set(kernel, self.left[kernel] + i64::from(controls.quota(kernel).unwrap_or(0)));
    }

    fn set(&mut self, kernel: KernelId, left: i64) {
        self.sure[kernel] += left - self.left[kernel];
        self.left[kernel] = left;
        self.spent = self.spent & !(1 << kernel.0) | Kernels::from(left <= 0) << kernel.0;
        *self.noted &= self.spent;
    }

    /// The next cycle after `now` in which the counters have to be looked at although nothing issues or completes in the LSU.
    #[inline]
    pub fn next(&self, now: Cycle, resident: Kernels, controls: &SmControls) -> Cycle {
        if self.spent & self.given_by_spending(resident, controls) & *self.giving != 0 {
            return now + 1;
        }
        let under_way = self.owed_after(now);
        // What runs or is under way is charged to the interval in which it was.
        let waits = self.spent & *self.giving != 0 || *self.running != 0 || under_way != 0;
        let next = if waits { *self.ends } else { NEVER };
        if under_way != 0 && self.any_ends() { next.min(now + 1 + Cycle::from(under_way.trailing_zeros())) } else { next }
    }

    /// The cycles after `now` in which something completes, the next one at bit 0.
    #[inline]
    fn owed_after(&self, now: Cycle) -> u64 {
        // Places up to `now` may wait to be charged.
        let known = (*self.charged + PLACES as Cycle).saturating_sub(now + 1);
        (*self.owing).rotate_right((now as usize % PLACES) as u32 + 1) & first(known)
    }

    // --- ranks -------------------------------------------------------------------------------------------------------------------

    /// Whether kernels have ranks.
    #[inline]
    pub fn is_ranked(&self) -> bool {
        self.ranks.is_some()
    }

    /// Works out which kernels rank behind one that is resident and has quota left.
    pub fn hold(&mut self, resident: Kernels) {
        if let Some(ranks) = *self.ranks {
            let first = members((resident & self.given & !self.spent).into(), false).map(|kernel| ranks.0[kernel as usize]).min();
            let behind = |kernel: &u32| first.is_some_and(|first| ranks.0[*kernel as usize] > first);
            *self.held = members(Kernels::MAX.into(), false).filter(behind).fold(0, |set, kernel| set | 1 << kernel);
        }
    }

    // --- controls ----------------------------------------------------------------------------------------------------------------

    /// Takes over changed controls in cycle `now`; no scheduler has a run. `under_way` are the memory instructions of each kernel in flight, and
    /// `loads` the entries for loads.
    pub fn controls_changed(&mut self, now: Cycle, under_way: PerKernel<u32>, loads: u32, before: &SmControls, after: &SmControls) {
        let which = |set: fn(&SmControls, KernelId) -> bool| {
            KernelId::first(after.warp_quota.0.len()).filter(|&kernel| set(after, kernel)).fold(0, |set, kernel| set | 1 << kernel.0)
        };
        let had = core::mem::replace(&mut self.given, which(|controls, kernel| controls.quota(kernel).is_some()));
        self.threads = which(|controls, kernel| controls.thread_quota[kernel].is_some());
        *self.giving = which(|controls, kernel| controls.quota(kernel).is_some_and(|quota| quota > 0));
        self.spent &= self.given;
        *self.noted &= self.spent;
        let timing = |controls: &SmControls| (controls.warp_quota, controls.quota_refill, controls.quota_interval);
        let begins_anew = timing(before) != timing(after) || had == 0 && self.given != 0;
        let start = match after.quota_refill {
            QuotaRefill::IntervalOrAllSpent if begins_anew || before.quota_round != after.quota_round => now,
            _ if begins_anew => now - now % Cycle::from(after.quota_interval),
            _ => self.interval_start,
        };
        self.begin(start, after);
        let new = if begins_anew { self.given } else { self.given & !had };
        each(new).for_each(|kernel| self.set(kernel, after.quota(kernel).unwrap_or(0).into()));
        if before.quota_round != after.quota_round {
            self.fill(self.given & !new, 1, after);
        }
        *self.late = after.quota_charge == QuotaCharge::Completion;
        if *self.late && self.owed.is_empty() {
            self.owed = alloc::vec![PerKernel::all(0); PLACES];
            self.load_lanes = alloc::vec![WARP_SIZE as u8; loads as usize];
        }
        let ranks = after.issue_rank;
        *self.ranks = ranks.0.iter().any(|rank| *rank != ranks.0[0]).then_some(ranks);
        *self.held = 0;
        self.count_sure(under_way);
    }

    /// What each counter has beyond all that is under way, or more than that.
    fn count_sure(&mut self, under_way: PerKernel<u32>) {
        for kernel in each(self.given) {
            let owed: i64 = self.owed.iter().map(|owed| i64::from(owed[kernel])).sum();
            let in_memory = if *self.late { i64::from(under_way[kernel]) * i64::from(WARP_SIZE) } else { 0 };
            self.sure[kernel] = self.left[kernel] - owed - in_memory;
        }
    }
}

/// So many bits, or all.
#[inline]
fn first(count: Cycle) -> u64 {
    if count < PLACES as Cycle { (1 << count) - 1 } else { u64::MAX }
}

/// These kernels, a bit each.
#[inline]
fn each(kernels: Kernels) -> impl Iterator<Item = KernelId> {
    members(kernels.into(), false).map(|kernel| KernelId(kernel as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interface::controls::WarpOrder;

    const A: KernelId = KernelId(0);
    const B: KernelId = KernelId(1);
    const BOTH: Kernels = 0b11;

    fn quotas(set: impl Fn(&mut SmControls)) -> (Quotas, SmControls) {
        let before = SmControls::neutral(WarpOrder::Lrr);
        let mut after = before.clone();
        set(&mut after);
        let mut quotas = Quotas::default();
        quotas.controls_changed(0, PerKernel::all(0), 4, &before, &after);
        (quotas, after)
    }

    fn issue(quotas: &mut Quotas, kernel: KernelId, lanes: &[u8]) {
        for &lanes in lanes {
            quotas.issue(kernel, lanes, 0, 0);
        }
    }

    #[test]
    fn a_quota_of_two_closes_with_the_second_and_opens_with_the_interval() {
        let (mut quotas, controls) = quotas(|controls| controls.warp_quota[B] = Some(2));
        issue(&mut quotas, B, &[32]);
        assert!(!quotas.newly_spent() && quotas.closed() == 0);
        issue(&mut quotas, B, &[32]);
        assert!(quotas.newly_spent() && quotas.closed() == 0b10);
        assert_eq!(quotas.next(7, BOTH, &controls), 10_000);
        assert!(!quotas.is_due(9_999, BOTH, &controls) && quotas.is_due(10_000, BOTH, &controls));
        quotas.refill(10_000, BOTH, &controls);
        assert_eq!((quotas.closed(), quotas.next(10_000, BOTH, &controls)), (0, NEVER));
    }

    #[test]
    fn a_refill_when_all_are_spent_waits_for_residents_alone() {
        let (mut quotas, controls) = quotas(|controls| {
            controls.quota_refill = QuotaRefill::WhenAllSpent;
            controls.warp_quota = PerKernel::all(Some(1));
        });
        issue(&mut quotas, B, &[32]);
        assert!(!quotas.is_due(1, BOTH, &controls), "kernel 0 is resident and has quota left");
        assert!(quotas.is_due(1, 0b10, &controls));
    }

    /// The timeline of Fig. 4 of Wang et al., ISCA 2017, by their three rules: quotas of 100 and 50 thread instructions, both used up.
    /// Then what the end of an epoch leaves of other counters.
    #[test]
    fn counters_follow_the_timeline_of_the_paper() {
        use QuotaCarry::{Nothing, Overrun, Unused};
        let rules = [
            ("naive", QuotaRefill::Interval, [Nothing, Nothing], [0, 36], [[100, 50], [100, 50]]),
            ("elastic", QuotaRefill::IntervalOrAllSpent, [Overrun, Overrun], [100, 36], [[100, 50], [97, 36]]),
            ("rollover", QuotaRefill::Interval, [Unused, Nothing], [0, 36], [[120, 50], [100, 50]]),
        ];
        for (name, refill, carry, when_spent, [unused, overrun]) in rules {
            let new = || {
                quotas(|controls| {
                    (controls.thread_quota[A], controls.thread_quota[B]) = (Some(100), Some(50));
                    (controls.quota_carry[A], controls.quota_carry[B]) = (carry[0], carry[1]);
                    controls.quota_refill = refill;
                    controls.quota_top_up[B] = true;
                })
            };
            let counters = |quotas: &Quotas| [quotas.left(A), quotas.left(B)];
            let (mut quotas, controls) = new();
            issue(&mut quotas, B, &[32, 32]);
            assert_eq!((counters(&quotas), quotas.closed()), ([100, -14], 0b10), "{name}");
            assert!(!quotas.is_due(40, BOTH, &controls), "{name}: kernel A has some left");
            issue(&mut quotas, A, &[32, 32, 32, 4]);
            assert_eq!((counters(&quotas), quotas.next(40, BOTH, &controls)), ([0, -14], 41), "{name}");
            quotas.refill(41, BOTH, &controls);
            assert_eq!(counters(&quotas), when_spent, "{name}");
            let early = refill == QuotaRefill::IntervalOrAllSpent;
            assert!(quotas.is_due(if early { 10_041 } else { 10_000 }, BOTH, &controls) && quotas.is_due(10_000, BOTH, &controls) != early);

            let (mut quotas, controls) = new();
            issue(&mut quotas, A, &[32, 32, 16]);
            issue(&mut quotas, B, &[32]);
            assert_eq!(counters(&quotas), [20, 18]);
            quotas.refill(10_000, BOTH, &controls);
            assert_eq!(counters(&quotas), unused, "{name}");

            let (mut quotas, controls) = new();
            issue(&mut quotas, A, &[32, 32, 32, 7]);
            issue(&mut quotas, B, &[32, 32]);
            assert_eq!(counters(&quotas), [-3, -14]);
            quotas.refill(10_000, BOTH, &controls);
            assert_eq!(counters(&quotas), overrun, "{name}");
        }
    }

    /// Arithmetic of five cycles counts when its result is there, a load when its last line is, and a store when it has left the LSU.
    #[test]
    fn instructions_are_charged_as_they_complete() {
        let (mut quotas, _) = quotas(|controls| {
            controls.thread_quota[A] = Some(60);
            controls.quota_charge = QuotaCharge::Completion;
        });
        quotas.issue(A, 32, 10, 15);
        quotas.issue_access(A, 20, Some(3));
        quotas.issue_access(A, 9, None);
        quotas.charge(14);
        assert_eq!((quotas.left(A), quotas.closed()), (60, 0));
        quotas.charge(15);
        assert_eq!(quotas.left(A), 28);
        quotas.load_completes(3, A);
        assert_eq!((quotas.left(A), quotas.newly_spent()), (8, false));
        quotas.completes(A, 9);
        assert_eq!((quotas.left(A), quotas.newly_spent()), (-1, true));
    }

    /// A run ends before the counter does, by more than all schedulers can take in the cycle in which it is looked at.
    #[test]
    fn a_scheduler_reserves_what_is_sure() {
        let (mut quotas, _) = quotas(|controls| controls.thread_quota[A] = Some(1000));
        quotas.issue(A, 10, 0, 0);
        // 990 are left, of which 128 may go in a cycle, and ten more for the instruction that is not charged yet.
        assert_eq!(quotas.reserve(0, A, 10, 200), 85);
        quotas.issue(A, 10, 0, 0);
        assert_eq!((quotas.reserve(1, A, 10, 5), quotas.ending(), quotas.left(A)), (0, 0, 980));
        quotas.issue(A, 10, 1, 1);
        assert_eq!(quotas.ending(), 1, "another warp has come between");
        quotas.ran(0, 2, 3);
        quotas.release(0);
        assert_eq!((quotas.left(A), quotas.running(), quotas.ending()), (950, 0, 0));
        assert_eq!(quotas.reserve(0, B, 32, 7), 7, "a kernel without a quota");
    }

    /// Kernel B waits as long as A is here and has quota left.
    #[test]
    fn a_kernel_waits_behind_one_of_lower_rank() {
        let (mut quotas, _) = quotas(|controls| {
            (controls.thread_quota[A], controls.thread_quota[B]) = (Some(32), Some(32));
            controls.issue_rank[B] = 1;
        });
        let closed = |quotas: &mut Quotas, resident| {
            quotas.hold(resident);
            quotas.closed() & BOTH
        };
        assert_eq!([closed(&mut quotas, BOTH), closed(&mut quotas, 0b10)], [0b10, 0]);
        issue(&mut quotas, A, &[32]);
        assert_eq!(closed(&mut quotas, BOTH), 0b01);
    }
}
