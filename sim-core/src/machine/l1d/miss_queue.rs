//! The L1D miss queue: where an SM's requests wait for the NoC, and where CCBP's issue-rate controller sits (CCBP §5.1, §5.2).
//!
//! One FIFO for all kernels, or carved into one virtual queue per kernel. In both forms a kernel can be held to a number of requests
//! per credit interval. Each cycle the arbiter grants at most one request, which enters the NoC `arbiter_latency` cycles later.
//! In one FIFO only the oldest request can be granted, so a head without credit holds back the rest; virtual queues do not.

use crate::describe::ids::{Cycle, KernelId, Kernels, NEVER, PerKernel};
use crate::interface::controls::{SUB_QUEUES, SmControls};
use crate::machine::derived::Derived;
use crate::machine::link::{Full, Link};
use crate::machine::packet::{Access, Request};
use alloc::boxed::Box;

const NONE: u16 = u16::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Entry {
    request: Request,
    /// Order of arrival in the whole queue.
    ticket: u64,
    next: u16,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Virtual {
    first: u16,
    last: u16,
    waiting: u16,
}

/// A kernel's part of `entries` that are split by kernel: its share of eight parts; the first kernels get the parts left over (CCBP §5.1).
pub fn share(entries: u32, kernel: KernelId, kernels: u32) -> u32 {
    let queues = SUB_QUEUES as u32;
    let parts = queues / kernels + u32::from(u32::from(kernel.0) < queues % kernels);
    (entries * parts / queues).max(1)
}

/// The miss queue of one SM.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MissQueue {
    entries: Box<[Entry]>,
    free: u16,
    waiting: u16,
    queues: PerKernel<Virtual>,
    /// Kernels with a waiting request, a bit each.
    nonempty: Kernels,
    tickets: u64,
    kernels: u8,
    /// Whole requests left in the interval.
    credits: PerKernel<u32>,
    /// Sixteenths of a request carried into the next interval.
    fractions: PerKernel<u32>,
    /// Start of the interval that the credits are for; `NEVER` before the first.
    interval_start: Cycle,
    /// No reload is due before this cycle; 0 if that is not known.
    reloaded_until: Derived<Cycle>,
    last_granted: KernelId,
    granted: Link<Request>,
}

impl MissQueue {
    /// An empty queue of `entries` for `kernels` kernels.
    pub fn new(entries: u32, arbiter_latency: u32, kernels: usize) -> Self {
        let chain = |i: u32| Entry { next: if i + 1 == entries { NONE } else { i as u16 + 1 }, ..Entry::default() };
        MissQueue {
            entries: (0..entries).map(chain).collect::<alloc::vec::Vec<_>>().into(),
            free: 0,
            waiting: 0,
            queues: PerKernel::all(Virtual { first: NONE, last: NONE, waiting: 0 }),
            nonempty: 0,
            tickets: 0,
            kernels: kernels as u8,
            credits: PerKernel::all(0),
            fractions: PerKernel::all(0),
            interval_start: NEVER,
            reloaded_until: Derived(0),
            last_granted: KernelId(0),
            granted: Link::new(arbiter_latency + 1, arbiter_latency.max(1)),
        }
    }

    /// Whole requests that a kernel may still send in the interval of `now`; reloads that are due count. `None` without a limit.
    pub fn credits_left(&self, kernel: KernelId, now: Cycle, controls: &SmControls) -> Option<u32> {
        let (quota, interval) = (controls.miss_credits[kernel]?, Cycle::from(controls.credit_interval));
        let start = now - now % interval;
        if self.interval_start == start {
            return Some(self.credits[kernel]);
        }
        let passed = if self.interval_start == NEVER { 1 } else { (start - self.interval_start).div_ceil(interval) };
        Some((self.reloaded(kernel, quota, passed, controls.credit_carry) / 16) as u32)
    }

    /// Entries that a kernel may hold: all, or its share.
    pub fn capacity(&self, kernel: KernelId, split: bool) -> u32 {
        let entries = self.entries.len() as u32;
        if split { share(entries, kernel, self.kernels.into()) } else { entries }
    }

    /// Whether a request of `kernel` finds a place.
    pub fn has_room(&self, kernel: KernelId, controls: &SmControls) -> bool {
        self.free != NONE && u32::from(self.queues[kernel].waiting) < self.capacity(kernel, controls.miss_queue_split)
    }

    /// Puts a request in.
    pub fn push(&mut self, request: Request, controls: &SmControls) -> Result<(), Full> {
        let kernel = request.kernel;
        if !self.has_room(kernel, controls) {
            return Err(Full);
        }
        let at = self.free;
        let entry = &mut self.entries[at as usize];
        self.free = entry.next;
        *entry = Entry { request, ticket: self.tickets, next: NONE };
        self.tickets += 1;
        self.waiting += 1;
        self.nonempty |= 1 << kernel.0;
        let queue = &mut self.queues[kernel];
        queue.waiting += 1;
        if queue.first == NONE {
            queue.first = at;
        } else {
            self.entries[queue.last as usize].next = at;
        }
        queue.last = at;
        Ok(())
    }

    /// Starts every credit interval that has begun by `now`.
    fn reload(&mut self, now: Cycle, controls: &SmControls) {
        if now < *self.reloaded_until {
            return;
        }
        if controls.miss_credits.0[..usize::from(self.kernels)].iter().all(Option::is_none) {
            return;
        }
        let interval = Cycle::from(controls.credit_interval);
        let start = now - now % interval;
        *self.reloaded_until = start + interval;
        if self.interval_start == start {
            return;
        }
        let passed = if self.interval_start == NEVER { 1 } else { (start - self.interval_start).div_ceil(interval) };
        for kernel in KernelId::first(self.kernels.into()) {
            if let Some(quota) = controls.miss_credits[kernel] {
                let total = self.reloaded(kernel, quota, passed, controls.credit_carry);
                self.credits[kernel] = (total / 16) as u32;
                self.fractions[kernel] = (total % 16) as u32;
            }
        }
        self.interval_start = start;
    }

    /// A kernel's credits, in sixteenths, after so many reloads of its quota in a row. The fraction carries from reload to reload; whole
    /// credits that were not used are dropped, or kept for `carry` more intervals.
    fn reloaded(&self, kernel: KernelId, quota: u32, reloads: u64, carry: u32) -> u64 {
        let (fraction, quota) = (u64::from(self.fractions[kernel]), u64::from(quota));
        if carry == 0 {
            return (fraction + quota * (reloads - 1)) % 16 + quota;
        }
        (16 * u64::from(self.credits[kernel]) + fraction + quota * reloads).min(quota * (1 + u64::from(carry)) + 15)
    }

    /// The controls have changed.
    pub fn controls_changed(&mut self) {
        *self.reloaded_until = 0;
    }

    /// Catches up with the reloads before `now` that the SM slept through because they gave no whole credit.
    pub fn settle(&mut self, now: Cycle, controls: &SmControls) {
        if now > 0 && self.waiting > 0 && !self.granted.is_full() && self.interval_start != NEVER {
            self.reload(now - 1, controls);
        }
    }

    /// Whether requests wait, and the place behind the arbiter is free.
    #[inline]
    pub fn has_ungranted(&self) -> bool {
        self.waiting > 0 && !self.granted.is_full()
    }

    /// Grants at most one request in this cycle. Returns it if one was granted.
    pub fn grant(&mut self, now: Cycle, controls: &SmControls) -> Option<Request> {
        if self.waiting == 0 || self.granted.is_full() {
            return None;
        }
        self.reload(now, controls);
        let kernel = self.choose(controls)?;
        let queue = &mut self.queues[kernel];
        let at = queue.first;
        let entry = self.entries[at as usize];
        queue.first = entry.next;
        queue.waiting -= 1;
        if queue.waiting == 0 {
            self.nonempty &= !(1 << kernel.0);
        }
        self.waiting -= 1;
        self.entries[at as usize] = Entry { next: self.free, ..Entry::default() };
        self.free = at;
        if controls.miss_credits[kernel].is_some() {
            self.credits[kernel] -= 1;
        }
        self.last_granted = kernel;
        let _ = self.granted.push(now, entry.request);
        Some(entry.request)
    }

    fn has_credit(&self, kernel: KernelId, controls: &SmControls) -> bool {
        controls.miss_credits[kernel].is_none() || self.credits[kernel] > 0
    }

    fn choose(&self, controls: &SmControls) -> Option<KernelId> {
        let has_credit = |kernel: KernelId| self.has_credit(kernel, controls);
        if self.nonempty & (self.nonempty - 1) == 0 {
            // One kernel waits: it is first in either form.
            return Some(KernelId(self.nonempty.trailing_zeros() as u8)).filter(|&kernel| has_credit(kernel));
        }
        let kernels = usize::from(self.kernels);
        let waiting = |kernel: &KernelId| self.nonempty >> kernel.0 & 1 == 1;
        if !controls.miss_queue_split {
            let oldest = |kernel: &KernelId| self.entries[self.queues[*kernel].first as usize].ticket;
            return KernelId::first(kernels).filter(waiting).min_by_key(oldest).filter(|&kernel| has_credit(kernel));
        }
        let turn = |kernel: KernelId| (kernel.index() + kernels - self.last_granted.index() - 1) % kernels;
        let candidates = KernelId::first(kernels).filter(waiting).filter(|&kernel| has_credit(kernel));
        candidates.min_by_key(|&kernel| (controls.miss_rank[kernel], turn(kernel)))
    }

    /// Whether a granted request has reached the NoC's port.
    pub fn at_port(&self, now: Cycle) -> bool {
        self.granted.next_arrival().is_some_and(|arrival| arrival <= now)
    }

    /// Takes the request at the NoC's port.
    pub fn leave(&mut self, now: Cycle) -> Option<Request> {
        self.granted.pop(now)
    }

    /// The next cycle in which the queue can act, after it has acted in `now`. With `port_full` the request at the port found the NoC full
    /// and waits until the NoC has room.
    pub fn next_event(&self, now: Cycle, controls: &SmControls, port_full: bool) -> Cycle {
        let port = if port_full { NEVER } else { self.granted.next_arrival().map_or(NEVER, |arrival| arrival.max(now + 1)) };
        if self.waiting == 0 || self.granted.is_full() {
            return port;
        }
        if self.choose(controls).is_some() {
            return now + 1;
        }
        // A grant reloads credits, so the credits seen here may belong to an interval that is over.
        let interval = Cycle::from(controls.credit_interval);
        let start = now - now % interval;
        if self.interval_start != start {
            return now + 1;
        }
        port.min(start.saturating_add(interval.saturating_mul(self.reloads_to_a_credit(controls))))
    }

    /// Reloads until a kernel that could be granted something has a whole credit, if none has now; `NEVER` if none ever will.
    fn reloads_to_a_credit(&self, controls: &SmControls) -> Cycle {
        let waiting = KernelId::first(self.kernels.into()).filter(|kernel| self.nonempty >> kernel.0 & 1 == 1);
        let oldest = |kernel: &KernelId| self.entries[self.queues[*kernel].first as usize].ticket;
        let head = if controls.miss_queue_split { None } else { waiting.clone().min_by_key(oldest) };
        let reloads = |kernel: KernelId| match controls.miss_credits[kernel] {
            Some(0) => NEVER,
            Some(quota) => (16 - self.fractions[kernel]).div_ceil(quota).into(),
            None => 1,
        };
        waiting.filter(|&kernel| head.is_none_or(|head| head == kernel)).map(reloads).min().unwrap_or(NEVER)
    }

    /// Whether a load of `kernel` waits for credits that it will never get, or a store, if anything waits for its `stores`.
    pub fn starves(&self, kernel: KernelId, stores: bool, controls: &SmControls) -> bool {
        let mut at = self.queues[kernel].first;
        let mut one_waits = false;
        while at != NONE && !one_waits {
            let entry = &self.entries[at as usize];
            one_waits = stores || entry.request.access == Access::Read;
            at = entry.next;
        }
        one_waits && controls.miss_credits[kernel] == Some(0) && !self.has_credit(kernel, controls)
    }

    /// Requests of a kernel that wait for a grant.
    pub fn waiting(&self, kernel: KernelId) -> u32 {
        u32::from(self.queues[kernel].waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interface::controls::WarpOrder;
    use alloc::vec::Vec;

    fn request(kernel: u8, line: u32) -> Request {
        Request { kernel: KernelId(kernel), line, ..Request::default() }
    }

    fn controls() -> SmControls {
        SmControls::neutral(WarpOrder::Lrr)
    }

    /// Runs the queue with an always free NoC and returns (cycle, kernel) of each grant.
    fn grants(queue: &mut MissQueue, controls: &SmControls, cycles: core::ops::Range<Cycle>) -> Vec<(Cycle, u8)> {
        let mut log = Vec::new();
        for now in cycles {
            queue.leave(now);
            if let Some(request) = queue.grant(now, controls) {
                log.push((now, request.kernel.0));
            }
        }
        log
    }

    /// Quota 3, one request in the first interval, five in the second. With one interval's carry the two unused credits let all five leave
    /// at once. Without it, or after ten idle intervals with no more than two quotas kept, the quota holds.
    #[test]
    fn unused_credits_are_dropped_or_kept_for_a_while() {
        let leave = |carry, idle: Cycle, requests: u32| {
            let mut controls = controls();
            controls.miss_credits[KernelId(0)] = Some(3 * 16);
            controls.credit_carry = carry;
            let mut queue = MissQueue::new(16, 1, 1);
            queue.push(request(0, 0), &controls).unwrap();
            assert_eq!(grants(&mut queue, &controls, 0..200).len(), 1);
            (0..requests).for_each(|line| queue.push(request(0, line), &controls).unwrap());
            let start = 200 * idle;
            grants(&mut queue, &controls, start..start + 200).len()
        };
        assert_eq!((leave(0, 1, 5), leave(1, 1, 5)), (3, 5));
        assert_eq!((leave(1, 10, 12), leave(3, 10, 16)), (6, 12), "two quotas, four quotas");
    }

    /// Quota 3, five queued requests, port free: three leave in cycles 0, 1, 2, the rest at 200 and 201.
    #[test]
    fn a_quota_of_three_lets_three_leave_in_each_interval() {
        let mut controls = controls();
        controls.miss_queue_split = true;
        controls.miss_credits[KernelId(0)] = Some(3 * 16);
        let mut queue = MissQueue::new(128, 1, 2);
        for line in 0..5 {
            queue.push(request(0, line), &controls).unwrap();
        }
        let cycles: Vec<Cycle> = grants(&mut queue, &controls, 0..400).iter().map(|grant| grant.0).collect();
        assert_eq!(cycles, [0, 1, 2, 200, 201]);
    }

    #[test]
    fn fractions_carry_over_and_whole_credits_do_not() {
        let mut controls = controls();
        controls.miss_queue_split = true;
        controls.miss_credits[KernelId(0)] = Some(24); // one and a half
        let mut queue = MissQueue::new(128, 1, 1);
        for line in 0..20 {
            queue.push(request(0, line), &controls).unwrap();
        }
        let log = grants(&mut queue, &controls, 0..800);
        let in_interval = |n: u64| log.iter().filter(|grant| grant.0 / 200 == n).count();
        assert_eq!([in_interval(0), in_interval(1), in_interval(2), in_interval(3)], [1, 2, 1, 2]);
        // An idle stretch leaves no more than one interval's credits.
        let mut idle = MissQueue::new(128, 1, 1);
        idle.grant(0, &controls);
        for line in 0..20 {
            idle.push(request(0, line), &controls).unwrap();
        }
        assert!(grants(&mut idle, &controls, 2000..2200).len() <= 2);
    }

    #[test]
    fn a_request_that_comes_to_new_credits_is_not_slept_over() {
        let mut controls = controls();
        controls.miss_credits[KernelId(0)] = Some(16);
        let mut queue = MissQueue::new(128, 1, 1);
        queue.push(request(0, 1), &controls).unwrap();
        assert_eq!(grants(&mut queue, &controls, 0..10), [(0, 0)]);
        // The next interval's credit counts although it has not been reloaded yet.
        queue.push(request(0, 2), &controls).unwrap();
        assert_eq!(queue.next_event(9, &controls, false), 200);
        assert_eq!(queue.next_event(250, &controls, false), 251);
    }

    #[test]
    fn virtual_queues_of_lower_rank_go_first_and_equals_take_turns() {
        let mut controls = controls();
        controls.miss_queue_split = true;
        let mut queue = MissQueue::new(128, 1, 2);
        for line in 0..3 {
            queue.push(request(1, line), &controls).unwrap();
        }
        for line in 0..3 {
            queue.push(request(0, line), &controls).unwrap();
        }
        controls.miss_rank[KernelId(1)] = 1;
        let order: Vec<u8> = grants(&mut queue.clone(), &controls, 0..10).iter().map(|grant| grant.1).collect();
        assert_eq!(order, [0, 0, 0, 1, 1, 1]);
        controls.miss_rank[KernelId(1)] = 0;
        let order: Vec<u8> = grants(&mut queue, &controls, 0..10).iter().map(|grant| grant.1).collect();
        assert_eq!(order, [1, 0, 1, 0, 1, 0]);
    }

    /// CCBP §4.2, figure 5: two requests of a latency-sensitive kernel and six of another wait, and five can be served.
    #[test]
    fn of_five_that_are_served_the_latency_sensitive_kernel_has_both_rather_than_one() {
        let mut controls = controls();
        let served = |controls: &SmControls| {
            let mut queue = MissQueue::new(128, 1, 2);
            [1, 1, 0, 1, 1, 1, 0, 1].into_iter().for_each(|kernel| queue.push(request(kernel, 0), controls).unwrap());
            let of: Vec<u8> = grants(&mut queue, controls, 0..10).iter().take(5).map(|grant| grant.1).collect();
            [0, 1].map(|kernel| of.iter().filter(|&&k| k == kernel).count())
        };
        assert_eq!(served(&controls), [1, 4]);
        controls.miss_queue_split = true;
        controls.miss_rank[KernelId(1)] = 1;
        assert_eq!(served(&controls), [2, 3]);
    }

    #[test]
    fn one_fifo_keeps_the_order_of_arrival_and_is_held_back_by_its_head() {
        let mut controls = controls();
        let mut queue = MissQueue::new(128, 1, 2);
        for kernel in [1, 0, 1] {
            queue.push(request(kernel, 0), &controls).unwrap();
        }
        let order: Vec<u8> = grants(&mut queue.clone(), &controls, 0..10).iter().map(|grant| grant.1).collect();
        assert_eq!(order, [1, 0, 1]);
        controls.miss_credits[KernelId(1)] = Some(0);
        assert_eq!(grants(&mut queue, &controls, 0..500), []);
    }

    #[test]
    fn a_split_queue_keeps_a_place_for_everyone() {
        let mut controls = controls();
        controls.miss_queue_split = true;
        let mut queue = MissQueue::new(128, 1, 3);
        let fits =
            |queue: &mut MissQueue, kernel: u8| (0..200).take_while(|&line| queue.push(request(kernel, line), &controls).is_ok()).count();
        assert_eq!([fits(&mut queue, 0), fits(&mut queue, 1), fits(&mut queue, 2)], [48, 48, 32]);
    }
}
