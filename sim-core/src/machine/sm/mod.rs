//! A streaming multiprocessor: its CTA table, warps and their schedulers, the quota gate, the LSU, and an L1D.
//!
//! Each cycle, sink first so that nothing moves two stages: one reply from the NoC fills L1D and wakes its loads. The miss queue hands a
//! request to the NoC and grants another. The LSU sends one line to L1D. Each scheduler issues at most one warp instruction. A stage runs
//! when the SM's `calendar` has it due, or when an earlier stage of the same cycle has found something for it. The SM sleeps until the
//! next cycle in which a stage is due, or until a reply arrives.
//!
//! Simplified: no instruction fetch, no register-bank conflicts, one memory instruction a cycle through the LSU's port but where schedulers have
//! queues before it. A load's value
//! is ready when its last line is; a barrier and arithmetic do not wait for loads, only `Wait`, the end of the warp and the limit of loads
//! per warp do. `sm.exit` says whether a CTA's place waits for its stores. Schedulers take turns at the port: the next after the one that used it last is looked at first.

mod access;
pub mod address;
mod ages;
mod array_vec;
mod calendar;
pub mod code;
pub mod context;
mod counts;
pub mod ctas;
pub mod gate;
mod issue;
mod lanes;
pub mod lsu;
mod memory_queue;
mod next;
mod outlook;
pub mod quota;
mod recorded;
mod residency;
pub mod scheduler;
pub mod walk;
mod warps;
pub mod wheel;

use self::calendar::{Calendar, HITS, LSU, MISSES, SCHEDULERS, TICK};
use self::code::Code;
use self::context::{Moves, SavedCta};
use self::counts::{Counts, LsuGate};
use self::ctas::{CtaTable, FinishedCta};
use self::gate::QuotaGate;
use self::lanes::{MAX_SCHEDULERS, WarpRef};
use self::lsu::{LoadTable, Lsu};
use self::memory_queue::MemoryQueues;
use self::scheduler::Scheduler;
use self::warps::Warps;
use super::derived::Derived;
use super::l1d::{L1d, ReservationFailure};
use super::noc_port::NocPort;
use crate::describe::gpu::{Exit, Fp64Owner, Gpu};
use crate::describe::ids::{Cycle, KernelId, Kernels, LineAddr, NEVER};
use crate::describe::kernel::WARP_SIZE;
use crate::interface::controls::{SmControls, WarpOrder};
use crate::interface::stats::{KernelStats, StallCounts};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use core::ops::Range;

/// What an SM reads but does not own.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// The actuators.
    pub controls: &'a SmControls,
    /// Programs by kernel and launch.
    pub codes: &'a [Vec<Code>],
}

/// What an SM has for the dispatcher and for who listens, until the machine takes it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct News {
    /// CTAs that were switched out in this cycle, with the slot that each had.
    pub switched_out: Vec<(u8, SavedCta)>,
    /// CTAs that finished in this cycle.
    pub finished: Vec<FinishedCta>,
    /// All resident kernels have spent their quotas.
    pub quotas_spent: Derived<bool>,
    /// Kernels that have come down to their CTA targets, a bit each.
    pub preempted: Derived<Kernels>,
    /// Whether the machine has not looked yet at one of these, or at what L1D still has to make known (`L1d::releasing`).
    pub any: Derived<bool>,
}

/// What the SM's class says of its execution units and of shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Units {
    /// Cycles from a shared-memory access without bank conflicts to its result.
    shared_latency: u32,
    /// Cycles for which a warp instruction takes the arithmetic unit of its scheduler.
    alu_interval: Cycle,
    /// Cycles for which a warp instruction takes the special-function unit of its scheduler.
    sfu_interval: Cycle,
    fp64: Derived<Option<Fp64Unit>>,
    /// Cycles for which a warp instruction takes the integer unit of its scheduler, where there is one.
    int_interval: Derived<Cycle>,
    /// Cycles from a line that the LSU sends to L1D to the next.
    line_interval: Derived<Cycle>,
}

/// From the GPU's description: FP64 units, if there are any.
#[derive(Clone, Copy, Debug)]
struct Fp64Unit {
    /// Cycles for which a warp instruction takes one.
    interval: Cycle,
    /// Whether the SM's schedulers share one.
    is_shared: bool,
}

/// The LSU's port, and shared memory behind it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Port {
    /// The cycle until which shared memory is busy.
    shared_free: Cycle,
    /// The scheduler that is looked at first: the next after the one that used the port, or a shared FP64 unit, last.
    turn: u8,
    pause: Pause,
}

/// Until when the LSU pauses after a line (`sm.lsu_pause`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Pause(Cycle);

/// Hashed only where there have been any, so that machines without have the digests that they had before there were pauses.
impl Hash for Pause {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if self.0 != 0 {
            self.0.hash(state);
        }
    }
}

/// One SM.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sm {
    units: Units,
    warps: Warps,
    /// CTAs that are resident.
    pub ctas: CtaTable,
    gate: QuotaGate,
    queues: MemoryQueues,
    lsu: Lsu,
    loads: LoadTable,
    l1: L1d,
    port: Port,
    /// From the GPU's description: whether a CTA's place is free only when its stores are over.
    awaits_stores: Derived<bool>,
    lsu_gate: LsuGate,
    moves: Moves,
    /// What it has for the dispatcher and for who listens.
    pub news: News,
    counts: Counts,
    /// When which stage is due.
    calendar: Derived<Calendar>,
}

impl Sm {
    /// An empty SM number `id` of `gpu`, for `kernels` kernels.
    pub fn new(gpu: &Gpu, id: u16, kernels: usize) -> Self {
        let class = gpu.class_of(id.into());
        Sm {
            units: Units {
                shared_latency: class.shared_latency,
                alu_interval: WARP_SIZE.div_ceil(class.alu_lanes).into(),
                sfu_interval: WARP_SIZE.div_ceil(class.sfu_lanes).into(),
                fp64: Derived((class.fp64_lanes > 0).then(|| Fp64Unit {
                    interval: WARP_SIZE.div_ceil(class.fp64_lanes).into(),
                    is_shared: class.fp64_unit == Fp64Owner::Sm,
                })),
                int_interval: Derived(WARP_SIZE.div_ceil(class.int_lanes.max(1)).into()),
                line_interval: Derived(1 + Cycle::from(class.lsu_pause)),
            },
            warps: Warps::new(class),
            ctas: CtaTable::new(class),
            gate: QuotaGate::default(),
            queues: MemoryQueues::new(class.memory_queue, class.schedulers),
            lsu: Lsu::new(
                class.lsu_queue,
                class.lsu_hol,
                gpu.l2.line_bytes,
                gpu.counts_store_bytes(),
                class.l1.protocol.is_by_word(),
                kernels,
            ),
            loads: LoadTable::new(class.warps() * class.loads_per_warp),
            l1: L1d::new(gpu, id, kernels),
            port: Port::default(),
            awaits_stores: Derived(class.exit == Exit::StoresAcknowledged),
            lsu_gate: LsuGate::default(),
            moves: Moves::default(),
            news: News { finished: Vec::with_capacity(class.ctas as usize), ..News::default() },
            counts: Counts::new(kernels),
            calendar: Derived(Calendar::new(SCHEDULERS >> (MAX_SCHEDULERS - class.schedulers as usize))),
        }
    }

    /// The next cycle in which the SM has something to do by itself.
    pub fn next_event(&self) -> Cycle {
        self.calendar.next_event()
    }

    /// Whether the SM has a request that only waits for room in the NoC: it wants to be woken when there is some.
    pub fn waits_for_noc(&self) -> bool {
        self.l1.waits_for_noc()
    }

    /// Begins the cycle `now`: which stages are due in it.
    #[inline(always)] // into the one loop that calls it
    fn begin(&mut self, now: Cycle, inputs: &Inputs) {
        *self.counts.from = now;
        self.calendar.begin(now);
        if self.gate.quotas.is_behind(now) {
            self.settle_quotas(now - 1, inputs.controls);
        }
    }

    /// Advances the SM by the cycle `now`, which has begun: the stages that are due, sink first.
    #[inline(always)] // into the one loop that calls it
    fn tick(&mut self, now: Cycle, inputs: &Inputs, noc: &mut NocPort) {
        if self.calendar.takes(HITS) {
            while let Some(load) = self.l1.completed(now) {
                self.complete_load(now, load, inputs);
            }
            self.calendar.mark(now, self.l1.next_hit(), HITS);
        }
        if self.moves.is_empty() {
            if self.calendar.takes(MISSES) {
                self.drain_misses(now, inputs.controls, noc);
            }
        } else {
            self.drain_misses_and_contexts(now, inputs, noc);
        }
        if self.calendar.takes(LSU)
            && let Some(kernel) = self.lsu.turn()
        {
            if self.port.pause.0 <= now {
                self.access_l1(now, kernel, inputs);
            } else {
                self.calendar.mark(now, self.port.pause.0, LSU);
            }
        }
        self.refill_quotas(now, inputs.controls);
        self.issue(now, inputs);
        self.plan(now, inputs.controls);
    }

    /// Misses and contexts go to the NoC, each first in every other cycle.
    #[inline(never)] // contexts are rare
    fn drain_misses_and_contexts(&mut self, now: Cycle, inputs: &Inputs, noc: &mut NocPort) {
        let first = now.is_multiple_of(2);
        if first {
            self.move_context(now, inputs, noc);
        }
        if self.calendar.takes(MISSES) {
            self.drain_misses(now, inputs.controls, noc);
        }
        if !first {
            self.move_context(now, inputs, noc);
        }
    }

    /// Advances from cycle `now` to before `end`, or to the first cycle in which it has news, which is then the answer.
    pub fn follow(&mut self, now: Cycle, end: Cycle, inputs: &Inputs, noc: &mut NocPort) -> Cycle {
        if self.waits_for_noc() {
            self.drains_from(now, noc.room_from(now));
        }
        let mut at = now;
        let mut reply_at = noc.next_reply();
        loop {
            at = self.next_event().min(reply_at).max(at);
            if at >= end {
                return NEVER;
            }
            self.begin(at, inputs);
            if reply_at <= at {
                self.hear(at, inputs, noc);
                reply_at = noc.next_reply();
            }
            self.tick(at, inputs, noc);
            if *self.news.any {
                return at;
            }
            at += 1;
        }
    }

    /// The NoC has room for the request that waits for it from cycle `at` on, `now` or later.
    fn drains_from(&mut self, now: Cycle, at: Cycle) {
        self.calendar.mark(now, at, MISSES);
        self.calendar.wake(at);
    }

    /// After a tick: when the SM has something to do next.
    #[inline]
    fn plan(&mut self, now: Cycle, controls: &SmControls) {
        if self.gate.quotas.any() {
            let next = self.gate.quotas.next(now, self.ctas.resident(), controls);
            self.calendar.mark(now, next, TICK);
        }
        if !self.moves.is_empty() && self.moves_on() {
            self.calendar.add(TICK);
        }
        self.calendar.end(now, self.warps.wheel.turning());
    }

    /// Wakes every scheduler.
    fn wake_schedulers(&mut self) {
        self.calendar.add(SCHEDULERS >> (MAX_SCHEDULERS - self.warps.schedulers.len()));
    }

    /// Makes every stage due in cycle `now`: after something has changed from outside, and for the test that sleeping changes nothing.
    pub fn keep_awake(&mut self, now: Cycle) {
        self.calendar.add(!SCHEDULERS);
        self.wake_schedulers();
        self.calendar.wake(now);
    }

    /// Takes over changed controls, from the next cycle on.
    pub fn controls_changed(&mut self, now: Cycle, before: &SmControls, after: &SmControls) {
        *self.counts.from = now;
        if self.gate.quotas.any() && now > 0 {
            self.settle_quotas(now - 1, before);
            self.end_runs(now, self.gate.quotas.running());
        }
        self.order_warps(now, after.warp_order);
        self.switch_out(now, after);
        self.apply_throttle(after);
        let in_flight = self.all_in_flight();
        self.gate.quotas.controls_changed(now, in_flight, self.loads.capacity(), before, after);
        self.gate.controls_changed(in_flight, before, after);
        self.set_gates();
        self.l1.controls_changed(now, before, after, self.counts.stats.len());
        self.lsu.controls_changed(after.miss_queue_split);
        // Virtual queues may have grown, and a head may have got credit.
        self.retry_failed(now, &ReservationFailure::ALL, after);
        self.keep_awake(now);
    }

    /// Takes over the order of the controls, as this SM has it.
    fn order_warps(&mut self, now: Cycle, order: WarpOrder) {
        *self.warps.order = match (order, *self.warps.gto_group) {
            (WarpOrder::Gto, size @ 1..) => WarpOrder::GtoGroups(size),
            _ => order,
        };
        let size = if let WarpOrder::GtoGroups(size) = *self.warps.order { size } else { 0 };
        for s in 0..self.warps.schedulers.len() {
            if self.warps.schedulers[s].group_size() != size {
                self.settle_scheduler(now, s);
                self.warps.schedulers[s].group_by(size);
            }
        }
    }

    /// Brings counters and quotas that are worked out lazily up to the start of `now`.
    pub fn settle(&mut self, now: Cycle, controls: &SmControls) {
        if now > 0 && self.gate.quotas.any() {
            self.settle_quotas(now - 1, controls);
        }
        self.l1.settle(now, controls);
        self.settle_schedulers(now);
        self.warps.schedulers.iter_mut().for_each(Scheduler::turn_groups);
        let counts = &mut self.counts;
        self.lsu.settle(now, |wait| counts.charge_failure(wait));
        self.charge_ctas(now);
        self.counts.settle(now);
    }

    /// What each kernel did here.
    pub fn stats(&self) -> &[KernelStats] {
        &self.counts.stats
    }

    /// Cycles in which a scheduler stalled while it held warps of a kernel, by what kept that kernel's warps.
    pub fn kernel_stalls(&self) -> &[StallCounts] {
        &self.counts.stalls
    }

    /// Which kernels may not issue for now.
    pub fn gate(&self) -> &QuotaGate {
        &self.gate
    }

    /// Restarts the peaks of memory instructions in flight at the number in flight now.
    pub fn forget_peaks(&mut self, controls: &SmControls) {
        let in_flight = self.all_in_flight();
        self.gate.forget_peaks(in_flight, controls);
    }

    /// Its L1 data cache.
    pub fn l1(&self) -> &L1d {
        &self.l1
    }

    /// The lines of arrays that are read only, in ascending order.
    pub fn keeps(&mut self, read_only: &Arc<[Range<LineAddr>]>) {
        self.l1.keeps(read_only);
    }

    /// The last CTA of a kernel's launch has finished, here or elsewhere.
    pub fn launch_ended(&mut self, now: Cycle, kernel: KernelId) {
        self.l1.launch_ended(kernel, self.lsu.stores(kernel) > 0);
        self.calendar.add(MISSES);
        if self.l1.releasing() != 0 {
            self.calendar.wake(now + 1);
        }
    }

    /// Warps of a kernel that are ready for a unit that takes nothing in cycle `now`, before anything happens in it: the LSU, shared memory or an execution unit.
    pub fn idle_warps(&self, now: Cycle, kernel: KernelId) -> u32 {
        let lsu_full = self.lsu.full() >> kernel.0 & 1 == 1;
        self.warps.schedulers.iter().map(|scheduler| scheduler.idle_warps(kernel, now, lsu_full, self.port.shared_free)).sum()
    }

    /// Its warp schedulers.
    pub fn schedulers(&self) -> &[Scheduler] {
        &self.warps.schedulers
    }

    /// Memory instructions of a kernel in the LSU.
    pub fn lsu_waiting(&self, kernel: KernelId) -> u32 {
        self.lsu.waiting(kernel)
    }

    /// Why L1D cannot take a kernel's oldest access, if it cannot.
    pub fn failure(&self, kernel: KernelId) -> Option<ReservationFailure> {
        self.lsu.failure(kernel)
    }

    /// Whether a CTA of a kernel never ends because a warp or load of it waits for what the present controls never grant.
    pub fn barred(&self, kernel: KernelId, controls: &SmControls) -> bool {
        let any = |set: fn(&Scheduler) -> u64| self.warps.schedulers.iter().any(|s| s.ready & set(s) & s.of_kernel[kernel] != 0);
        controls.cta_throttle[kernel] == 0 && any(|s| s.throttled)
            || controls.quota(kernel) == Some(0) && any(|s| s.ready)
            || controls.memory_cap[kernel] == Some(0) && any(|s| s.global)
            || self.l1.starves(kernel, *self.awaits_stores, controls)
    }

    /// Position in its Program, and CTA slot, of the warp in a lane.
    pub fn warp_at(&self, scheduler: usize, lane: u32) -> (u32, u8) {
        let warp = &self.warps.states[WarpRef::new(scheduler, lane).index()];
        (warp.pc, warp.slot)
    }

    /// Lanes of each scheduler.
    pub fn lanes(&self) -> u32 {
        self.warps.lanes
    }
}
