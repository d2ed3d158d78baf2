//! A streaming multiprocessor: CTA slots, warps and their schedulers, the LSU, L1D and the miss queue.
//!
//! Each cycle, sink first so that nothing moves two stages: one reply from the NoC fills L1D and wakes its loads; the miss queue hands a
//! request to the NoC and grants another; the LSU sends one line to L1D; each scheduler issues at most one warp instruction. The SM then
//! works out when it next has something to do and sleeps until then or until a reply arrives.
//!
//! Simplified: no instruction fetch, no register-bank conflicts, one memory instruction a cycle through the LSU's port. A load's value
//! is ready when its last line is; a barrier and arithmetic do not wait for loads, only `Wait`, the end of the warp and the limit of loads
//! per warp do. Schedulers take turns at the port: the next after the one that used it last is looked at first.

pub mod code;
mod ctas;
mod issue;
mod l1d;
pub mod lsu;
pub mod scheduler;
mod waits;
pub mod wheel;

use self::code::{Code, Place};
use self::issue::Issue;
use self::l1d::charge_refusal;
use self::lsu::{LoadTable, Lsu, Refusal, WarpRef};
use self::scheduler::{LANES, Scheduler};
use self::waits::{LsuDoor, WarpCycles};
use self::wheel::Wheel;
use super::cache::miss_queue::MissQueue;
use super::cache::mshr::Mshrs;
use super::cache::tags::Tags;
use super::cache::umon::Umon;
use super::derived::Derived;
use super::memory::Memory;
use super::noc::members;
use crate::describe::gpu::Gpu;
use crate::describe::gpu::occupancy::Resources;
use crate::describe::ids::{Cycle, KernelId, NEVER, PerKernel};
use crate::describe::kernel::MAX_LOOPS;
use crate::seam::controls::{QuotaRefill, SmControls};
use crate::seam::stats::{KernelStats, StallCounts};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// Schedulers of an SM, at most.
pub const MAX_SCHEDULERS: usize = 4;

/// The rest of a warp's state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Warp {
    kernel: KernelId,
    launch: u8,
    slot: u8,
    loads: u16,
    missed_loads: u16,
    pc: u32,
    /// While it waits for loads: how many may stay outstanding.
    wait_for: u32,
    /// While it waits for loads: when its last result is ready.
    ready_from: Cycle,
    place: Place,
    trips: [u32; MAX_LOOPS],
    key: u64,
}

/// A CTA that is resident.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cta {
    /// Its kernel.
    pub kernel: KernelId,
    /// Its launch.
    pub launch: u8,
    /// Its number in the grid.
    pub cta: u32,
    /// Core cycle of its launch.
    pub launched: Cycle,
    /// Order of arrival on this SM.
    pub order: u32,
    /// Its warps, a mask for each scheduler.
    pub warps: [u64; MAX_SCHEDULERS],
    live: u32,
    arrived: u32,
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

/// What an SM reads but does not own.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    /// Its actuators.
    pub controls: &'a SmControls,
    /// Programs by kernel and launch.
    pub codes: &'a [Vec<Code>],
}

/// One SM.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sm {
    id: u16,
    whole: Resources,
    register_granularity: u32,
    l1_latency: u32,
    shared_latency: u32,
    loads_per_warp: u32,
    store_buffer: u32,
    lanes: u32,
    /// The schedulers.
    pub schedulers: Vec<Scheduler>,
    wheel: Wheel,
    issues: Vec<Issue>,
    warps: Vec<Warp>,
    /// CTA slots.
    pub ctas: Vec<Option<Cta>>,
    used: PerKernel<Resources>,
    used_all: Resources,
    lsu: Lsu,
    loads: LoadTable,
    l1: Tags,
    monitor: Option<Box<Umon>>,
    mshrs: Mshrs<u16>,
    stores: u32,
    miss_queue: MissQueue,
    /// Loads that only wait for lines that hit, in the order in which they complete.
    hits: VecDeque<(Cycle, u16)>,
    shared_free: Cycle,
    /// The scheduler that is looked at first: the next after the one that used the LSU's port last.
    port_turn: u8,
    quota_left: PerKernel<u32>,
    out_of_quota: u8,
    door: LsuDoor,
    /// Whether any kernel has a quota.
    quotas: bool,
    quota_start: Cycle,
    /// Whether any kernel has a memory cap.
    memory_caps: bool,
    /// Kernels with as many memory instructions in flight as they may have, a bit each.
    capped: u8,
    /// The most of them since the peaks were last forgotten, for kernels with a cap.
    peak_in_flight: PerKernel<u32>,
    /// Whether any kernel has a memory quota, and what is left of each.
    memory_quotas: bool,
    memory_left: PerKernel<u32>,
    arrivals: u32,
    cta_since: Cycle,
    /// CTAs finished in this cycle, until the dispatcher takes them.
    pub finished: Vec<FinishedCta>,
    stats: Vec<KernelStats>,
    kernel_stalls: Vec<StallCounts>,
    /// Warps of each kernel that are resident, that wait for a load that missed L1D, and that the LSU keeps waiting.
    resident: PerKernel<WarpCycles>,
    wait_memory: PerKernel<WarpCycles>,
    wait_lsu: PerKernel<WarpCycles>,
    /// The cycle from which on warps are in the state that they change to: in the issue stage, the next one.
    from: Derived<Cycle>,
    next: Derived<Cycle>,
    /// Schedulers to be looked at in the next cycle, and those to be looked at again when shared memory is free, a bit each.
    awake: Derived<u8>,
    after_shared: Derived<u8>,
    /// Schedulers whose warp goes on with a run of independent instructions, a bit each: such a one sleeps until it has come to the last
    /// instruction of its run, and `settle` catches up.
    running: Derived<u8>,
    /// Those of them that care for no other warp.
    greedy: Derived<u8>,
    /// Where the runs end.
    run_ends: Derived<[Cycle; MAX_SCHEDULERS]>,
    /// A granted request waits for room in the NoC.
    door_shut: Derived<bool>,
}

impl Sm {
    /// An empty SM number `id` of `gpu`, for `kernels` kernels.
    pub fn new(gpu: &Gpu, id: u16, kernels: usize) -> Self {
        let class = gpu.class_of(id.into());
        let lanes = class.warps().div_ceil(class.schedulers);
        Sm {
            id,
            whole: Resources::of_class(class),
            register_granularity: class.register_granularity,
            l1_latency: class.l1.latency,
            shared_latency: class.shared_latency,
            loads_per_warp: class.loads_per_warp,
            store_buffer: class.l1.store_buffer,
            lanes,
            schedulers: (0..class.schedulers).map(|_| Scheduler::default()).collect(),
            wheel: Wheel::default(),
            issues: alloc::vec![Issue::default(); LANES * class.schedulers as usize],
            warps: alloc::vec![Warp::default(); LANES * class.schedulers as usize],
            ctas: alloc::vec![None; class.ctas as usize],
            used: PerKernel::all(Resources::default()),
            used_all: Resources::default(),
            lsu: Lsu::new(class.lsu_queue, class.lsu_hol, gpu.l2.line_bytes, gpu.counts_store_bytes(), kernels),
            loads: LoadTable::new(class.warps() * class.loads_per_warp),
            l1: Tags::new(class.l1.bytes, class.l1.ways, gpu.l2.line_bytes),
            monitor: None,
            mshrs: Mshrs::new(class.l1.mshrs, class.l1.merges),
            stores: 0,
            miss_queue: MissQueue::new(class.l1.miss_queue, class.l1.arbiter_latency, kernels),
            hits: VecDeque::with_capacity(64),
            shared_free: 0,
            port_turn: 0,
            quota_left: PerKernel::all(0),
            out_of_quota: 0,
            door: LsuDoor::default(),
            quotas: false,
            quota_start: 0,
            memory_caps: false,
            capped: 0,
            peak_in_flight: PerKernel::all(0),
            memory_quotas: false,
            memory_left: PerKernel::all(u32::MAX),
            arrivals: 0,
            cta_since: 0,
            finished: Vec::with_capacity(class.ctas as usize),
            stats: alloc::vec![KernelStats::default(); kernels],
            kernel_stalls: alloc::vec![StallCounts::default(); kernels],
            resident: PerKernel::all(WarpCycles::default()),
            wait_memory: PerKernel::all(WarpCycles::default()),
            wait_lsu: PerKernel::all(WarpCycles::default()),
            from: Derived(0),
            next: Derived(NEVER),
            awake: Derived(u8::MAX >> (8 - class.schedulers)),
            after_shared: Derived(0),
            running: Derived(0),
            greedy: Derived(0),
            run_ends: Derived([0; MAX_SCHEDULERS]),
            door_shut: Derived(false),
        }
    }

    /// The next cycle in which the SM has something to do by itself.
    pub fn next_event(&self) -> Cycle {
        self.next.0
    }

    /// Whether the SM has a request that only waits for room in the NoC: it wants to be woken when there is some.
    pub fn waits_for_noc(&self) -> bool {
        self.door_shut.0
    }

    /// Advances the SM by the cycle `now`.
    pub fn tick(&mut self, now: Cycle, world: World, memory: &mut Memory) {
        *self.from = now;
        if let Some(reply) = memory.take_reply(now, self.id) {
            self.receive(now, reply, world);
        }
        while let Some(&(at, load)) = self.hits.front()
            && at <= now
        {
            self.hits.pop_front();
            self.complete_load(now, load, world);
        }
        self.drain_misses(now, world.controls, memory);
        if let Some(kernel) = self.lsu.turn() {
            self.access_l1(now, kernel, world);
        }
        self.refill_quotas(now, world.controls);
        self.issue(now, world);
        self.next.0 = self.work_out_next(now, world.controls);
    }

    fn work_out_next(&self, now: Cycle, controls: &SmControls) -> Cycle {
        if *self.awake != 0 || self.lsu.turn().is_some() {
            return now + 1;
        }
        let mut next = self.miss_queue.next_event(now, controls, self.door_shut.0).min(self.wheel.next(now));
        for s in members(u64::from(*self.running), false) {
            next = next.min(self.run_ends[s as usize]);
        }
        if let Some(&(at, _)) = self.hits.front() {
            next = next.min(at);
        }
        if *self.after_shared != 0 {
            next = next.min(self.shared_free);
        }
        if self.out_of_quota != 0 {
            next = next.min(match controls.quota_refill {
                _ if !self.refill_gives(controls) => NEVER,
                QuotaRefill::Interval => self.quota_start + Cycle::from(controls.quota_interval),
                QuotaRefill::WhenAllSpent if self.all_spent(controls) => now + 1,
                QuotaRefill::WhenAllSpent => NEVER,
            });
        }
        next.max(now + 1)
    }

    /// Has every scheduler looked at again.
    fn wake_schedulers(&mut self) {
        *self.awake = u8::MAX >> (8 - self.schedulers.len());
    }

    /// Has every scheduler looked at in every cycle, as if nothing ever slept: for the test that sleeping changes nothing.
    pub fn keep_awake(&mut self, now: Cycle) {
        self.wake_schedulers();
        self.next.0 = now;
    }

    /// Takes over changed controls, from the next cycle on.
    pub fn controls_changed(&mut self, now: Cycle, before: &SmControls, after: &SmControls) {
        *self.from = now;
        self.miss_queue.settle(now, before);
        self.apply_throttle(after);
        if (before.warp_quota, before.quota_refill, before.quota_interval) != (after.warp_quota, after.quota_refill, after.quota_interval) {
            self.quotas = after.warp_quota.0.iter().any(Option::is_some);
            self.quota_start = now - now % Cycle::from(after.quota_interval);
            self.set_quotas(after);
        }
        if before.memory_cap != after.memory_cap {
            self.memory_caps = after.memory_cap.0.iter().any(Option::is_some);
            self.capped = 0;
            self.forget_peaks(after);
            KernelId::first(self.stats.len()).for_each(|kernel| self.cap(kernel, after));
            self.set_gates();
        }
        if before.memory_quota != after.memory_quota {
            self.memory_quotas = after.memory_quota.0.iter().any(Option::is_some);
            self.memory_left = PerKernel(after.memory_quota.0.map(|quota| quota.unwrap_or(u32::MAX)));
        }
        if before.l1_monitor != after.l1_monitor {
            let monitor = || Umon::new(after.l1_monitor, self.l1.sets(), self.l1.ways(), self.stats.len());
            self.monitor = (after.l1_monitor > 0).then(|| Box::new(monitor()));
        }
        // Virtual queues may have grown, and a head may have got credit.
        self.retry_refused(now, &Refusal::ALL);
        self.wake_schedulers();
        self.next.0 = self.next.0.min(now);
    }

    /// Brings counters and quotas that are worked out lazily up to the start of `now`.
    pub fn settle(&mut self, now: Cycle, controls: &SmControls) {
        if now > 0 {
            self.refill_quotas(now - 1, controls);
        }
        self.miss_queue.settle(now, controls);
        for s in 0..self.schedulers.len() {
            self.settle_scheduler(now, s);
        }
        let stats = &mut self.stats;
        self.lsu.settle(now, |kernel, why, cycles| charge_refusal(&mut stats[kernel.index()], why, cycles));
        self.charge_ctas(now);
        for (k, stats) in self.stats.iter_mut().enumerate() {
            stats.warp_cycles += self.resident.0[k].take(now);
            stats.warps_wait_memory += self.wait_memory.0[k].take(now);
            stats.warps_wait_lsu += self.wait_lsu.0[k].take(now);
        }
    }

    /// What each kernel did here.
    pub fn stats(&self) -> &[KernelStats] {
        &self.stats
    }

    /// Cycles in which a scheduler stalled while it held warps of a kernel, by what kept that kernel's warps.
    pub fn kernel_stalls(&self) -> &[StallCounts] {
        &self.kernel_stalls
    }

    /// The most memory instructions that a kernel with a cap has had in flight since `forget_peaks`; 0 without a cap.
    pub fn peak_in_flight(&self, kernel: KernelId) -> u32 {
        self.peak_in_flight[kernel]
    }

    /// Starts peaks again from what is in flight.
    pub fn forget_peaks(&mut self, controls: &SmControls) {
        for kernel in KernelId::first(self.stats.len()) {
            self.peak_in_flight[kernel] = if controls.memory_cap[kernel].is_some() { self.in_flight(kernel) } else { 0 };
        }
    }

    /// Kernels with as many memory instructions in flight as they may have, a bit each.
    pub fn capped(&self) -> u8 {
        self.capped
    }

    /// What a kernel would hit if it had L1D to itself, by position in the LRU stack; empty without a monitor.
    pub fn l1_utility(&self, kernel: KernelId) -> &[u64] {
        self.monitor.as_deref().map_or(&[], |monitor| monitor.hits(kernel))
    }

    /// What a kernel's CTAs take.
    pub fn used(&self, kernel: KernelId) -> Resources {
        self.used[kernel]
    }

    /// CTAs of all kernels.
    pub fn resident_ctas(&self) -> u32 {
        self.used_all.ctas
    }

    /// Kernels that have used their warp quota, a bit each.
    pub fn out_of_quota(&self) -> u8 {
        self.out_of_quota
    }

    /// Memory instructions of a kernel in the LSU.
    pub fn lsu_waiting(&self, kernel: KernelId) -> u32 {
        self.lsu.waiting(kernel)
    }

    /// Why L1D refuses a kernel's oldest access, if it does.
    pub fn refusal(&self, kernel: KernelId) -> Option<Refusal> {
        self.lsu.refusal(kernel)
    }

    /// Requests of a kernel in the miss queue.
    pub fn misses_waiting(&self, kernel: KernelId) -> u32 {
        self.miss_queue.waiting(kernel)
    }

    /// Whether some warp or load of a kernel waits for what the present controls will never give it, and so its CTA never ends.
    pub fn barred(&self, kernel: KernelId, controls: &SmControls) -> bool {
        let any = |set: fn(&Scheduler) -> u64| self.schedulers.iter().any(|s| s.ready & set(s) & s.of_kernel[kernel] != 0);
        controls.cta_throttle[kernel] == 0 && any(|s| s.throttled)
            || controls.warp_quota[kernel] == Some(0) && any(|s| s.ready)
            || controls.memory_cap[kernel] == Some(0) && any(|s| s.global)
            || self.miss_queue.starves(kernel, controls)
    }

    /// Misses under way.
    pub fn mshrs_used(&self) -> u32 {
        self.mshrs.used()
    }

    /// Lines of a kernel in L1D.
    pub fn l1_resident(&self, kernel: KernelId) -> u32 {
        self.l1.resident(kernel)
    }

    /// Position in its Program, and CTA slot, of the warp in a lane.
    pub fn warp_at(&self, scheduler: usize, lane: u32) -> (u32, u8) {
        let warp = &self.warps[WarpRef::new(scheduler, lane).index()];
        (warp.pc, warp.slot)
    }

    /// Lanes of each scheduler.
    pub fn lanes(&self) -> u32 {
        self.lanes
    }
}
