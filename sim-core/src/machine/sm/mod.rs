//! A streaming multiprocessor: CTA slots, warps and their schedulers, the LSU, L1D and the miss queue.
//!
//! Each cycle, sink first so that nothing moves two stages: one reply from the NoC fills L1D and wakes its loads; the miss queue hands a
//! request to the NoC and grants another; the LSU sends one line to L1D; each scheduler issues at most one warp instruction. The SM then
//! works out when it next has something to do and sleeps until then or until a reply arrives.
//!
//! Simplified: no instruction fetch, no register-bank conflicts, one memory instruction a cycle through the LSU's port. A load's value
//! is ready when its last line is; a barrier and arithmetic do not wait for loads, only `Wait`, the end of the warp and the limit of loads
//! per warp do. Warps that share the port are served starting with a scheduler that moves by one each cycle.

pub mod code;
pub mod lsu;
pub mod scheduler;

use self::code::{Code, Place, Step};
use self::lsu::{LoadTable, Lsu, Refusal, WarpRef};
use self::scheduler::{Gates, Scheduler};
use super::cache::miss_queue::MissQueue;
use super::cache::mshr::Mshrs;
use super::cache::tags::Tags;
use super::derived::Derived;
use super::memory::Memory;
use super::packet::{Access, Reply, Request};
use crate::controls::{Controls, QuotaRefill};
use crate::gpu::{Gpu, SmClass, occupancy};
use crate::ids::{Cycle, KernelId, NEVER, PerKernel};
use crate::kernel::{MAX_LOOPS, WARP_SIZE};
use crate::stats::{KernelStats, StallCounts};
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// Schedulers of an SM, at most.
pub const MAX_SCHEDULERS: usize = 4;

/// A warp's own state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Warp {
    place: Place,
    trips: [u32; MAX_LOOPS],
    pc: u32,
    /// Instructions left of the present step.
    left: u32,
    key: u64,
    /// While it waits for loads: how many may stay outstanding.
    wait_for: u32,
    /// While it waits for loads: when its last result is ready.
    ready_from: Cycle,
    loads: u16,
    missed_loads: u16,
    slot: u8,
    launch: u8,
    kernel: KernelId,
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

/// What CTAs take of an SM.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Resources {
    /// CTA slots.
    pub ctas: u32,
    /// Threads, in whole warps.
    pub threads: u32,
    /// Registers, rounded up to the granularity.
    pub registers: u32,
    /// Shared memory, bytes.
    pub shared_bytes: u32,
}

impl Resources {
    /// Everything that an SM of `class` has.
    pub fn of_class(class: &SmClass) -> Resources {
        Resources { ctas: class.ctas, threads: class.threads, registers: class.registers, shared_bytes: class.shared_bytes }
    }

    /// Whether `more` fits beside `self` in `whole`.
    pub fn fits(&self, more: Resources, whole: Resources) -> bool {
        self.ctas + more.ctas <= whole.ctas
            && self.threads + more.threads <= whole.threads
            && self.registers + more.registers <= whole.registers
            && self.shared_bytes + more.shared_bytes <= whole.shared_bytes
    }

    fn add(&mut self, more: Resources) {
        self.ctas += more.ctas;
        self.threads += more.threads;
        self.registers += more.registers;
        self.shared_bytes += more.shared_bytes;
    }

    fn take(&mut self, less: Resources) {
        self.ctas -= less.ctas;
        self.threads -= less.threads;
        self.registers -= less.registers;
        self.shared_bytes -= less.shared_bytes;
    }
}

/// What an SM reads but does not own.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    /// The actuators.
    pub controls: &'a Controls,
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
    warps: Vec<Warp>,
    /// CTA slots.
    pub ctas: Vec<Option<Cta>>,
    used: PerKernel<Resources>,
    used_all: Resources,
    lsu: Lsu,
    loads: LoadTable,
    l1: Tags,
    mshrs: Mshrs<u16>,
    stores: u32,
    miss_queue: MissQueue,
    /// Loads whose last line hit, in the order in which they complete.
    hits: VecDeque<(Cycle, u16)>,
    shared_free: Cycle,
    quota_left: PerKernel<u32>,
    out_of_quota: u8,
    /// Whether any kernel has a quota.
    quotas: bool,
    quota_start: Cycle,
    arrivals: u32,
    cta_since: Cycle,
    /// CTAs finished in this cycle, until the dispatcher takes them.
    pub finished: Vec<FinishedCta>,
    stats: Vec<KernelStats>,
    kernel_stalls: Vec<StallCounts>,
    next: Derived<Cycle>,
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
            warps: alloc::vec![Warp::default(); (lanes * class.schedulers) as usize],
            ctas: alloc::vec![None; class.ctas as usize],
            used: PerKernel::all(Resources::default()),
            used_all: Resources::default(),
            lsu: Lsu::new(class.lsu_queue, class.lsu_hol, gpu.l2.line_bytes, kernels),
            loads: LoadTable::new(class.warps() * class.loads_per_warp),
            l1: Tags::new(class.l1.bytes, class.l1.ways, gpu.l2.line_bytes),
            mshrs: Mshrs::new(class.l1.mshrs, class.l1.merges),
            stores: 0,
            miss_queue: MissQueue::new(class.l1.miss_queue, class.l1.arbiter_latency, kernels),
            hits: VecDeque::with_capacity(64),
            shared_free: 0,
            quota_left: PerKernel::all(0),
            out_of_quota: 0,
            quotas: false,
            quota_start: 0,
            arrivals: 0,
            cta_since: 0,
            finished: Vec::with_capacity(class.ctas as usize),
            stats: alloc::vec![KernelStats::default(); kernels],
            kernel_stalls: alloc::vec![StallCounts::default(); kernels],
            next: Derived(NEVER),
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
        if let Some(reply) = memory.to_sm[usize::from(self.id)].pop(now) {
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
            self.access_l1(now, kernel, world.controls);
        }
        self.refill_quotas(now, world.controls);
        self.issue(now, world);
        self.next.0 = self.work_out_next(now, world.controls);
    }

    fn work_out_next(&self, now: Cycle, controls: &Controls) -> Cycle {
        let mut next = self.miss_queue.next_event(now, controls, self.door_shut.0);
        for scheduler in &self.schedulers {
            next = next.min(scheduler.wake.0);
        }
        if let Some(&(at, _)) = self.hits.front() {
            next = next.min(at);
        }
        if self.lsu.turn().is_some() {
            next = next.min(now + 1);
        }
        if self.out_of_quota != 0 {
            next = next.min(match controls.quota_refill {
                QuotaRefill::Interval => self.quota_start + Cycle::from(controls.quota_interval),
                QuotaRefill::WhenAllSpent if self.all_spent(controls) => now + 1,
                QuotaRefill::WhenAllSpent => NEVER,
            });
        }
        next.max(now + 1)
    }

    // --- memory side -------------------------------------------------------------------------------------------------------------

    fn receive(&mut self, now: Cycle, reply: Reply, world: World) {
        let request = reply.request;
        let stats = &mut self.stats[request.kernel.index()];
        stats.replies += 1;
        stats.reported_dram_accesses += u64::from(reply.dram_accesses);
        match request.access {
            Access::Write => self.stores -= 1,
            Access::Read => {
                stats.latency_count += 1;
                stats.latency_sum += now - request.born;
                stats.wait_miss_queue += u64::from(request.stations[0]);
                stats.wait_request_noc += u64::from(request.stations[1]);
                stats.wait_l2 += u64::from(request.stations[2]);
                stats.wait_dram += u64::from(request.stations[3]);
                stats.wait_reply_noc += now - request.since;
                self.l1.fill(request.line, request.kernel, false, world.controls.l1_ways[request.kernel]);
                while let Some(load) = self.mshrs.take(request.tag) {
                    let lines = &mut self.loads.get(load).lines;
                    *lines -= 1;
                    if *lines == 0 {
                        self.complete_load(now, load, world);
                    }
                }
            }
        }
        self.retry_refused(now);
    }

    fn retry_refused(&mut self, now: Cycle) {
        if self.lsu.any_refused() {
            let stats = &mut self.stats;
            self.lsu.retry(now, |kernel, why, cycles| charge_refusal(&mut stats[kernel.index()], why, cycles));
        }
    }

    fn complete_load(&mut self, now: Cycle, load: u16, world: World) {
        let load = self.loads.close(load);
        let stats = &mut self.stats[load.kernel.index()];
        stats.load_latency_sum += now - load.issued;
        stats.loads_done += 1;
        let (s, bit) = (usize::from(load.warp.scheduler), 1_u64 << load.warp.lane);
        let warp = &mut self.warps[s * self.lanes as usize + usize::from(load.warp.lane)];
        warp.loads -= 1;
        let scheduler = &mut self.schedulers[s];
        if load.missed {
            warp.missed_loads -= 1;
            if warp.missed_loads == 0 {
                scheduler.missed &= !bit;
                scheduler.touch(now);
            }
        }
        if scheduler.waiting & bit != 0 && u32::from(warp.loads) <= warp.wait_for {
            let at = warp.ready_from.max(now);
            scheduler.waiting &= !bit;
            self.proceed(now, at, load.warp, world);
        }
    }

    fn drain_misses(&mut self, now: Cycle, controls: &Controls, memory: &mut Memory) {
        if self.miss_queue.is_empty() {
            return;
        }
        self.door_shut.0 = false;
        if let Some(&request) = self.miss_queue.at_door(now) {
            if memory.inject(now, request).is_ok() {
                self.miss_queue.leave(now);
            } else {
                self.door_shut.0 = true;
            }
        }
        if let Some(request) = self.miss_queue.grant(now, controls) {
            let stats = &mut self.stats[request.kernel.index()];
            stats.requests += 1;
            stats.read_requests += u64::from(request.access == Access::Read);
            self.retry_refused(now);
        }
    }

    /// Sends the next line of a kernel's oldest memory instruction to L1D.
    fn access_l1(&mut self, now: Cycle, kernel: KernelId, controls: &Controls) {
        let head = self.lsu.head(kernel);
        if let (Access::Read, Some(lines)) = (head.access, head.fresh) {
            self.loads.get(head.load).lines = lines as u16;
        }
        let request = Request { line: head.line, sm: self.id, kernel, access: head.access, born: now, since: now, ..Request::default() };
        let outcome = match head.access {
            Access::Read => self.read_l1(now, head.load, request, controls),
            Access::Write => self.write_l1(request, controls),
        };
        match outcome {
            Ok(()) => {
                let was_full = self.lsu.full();
                self.lsu.taken(kernel);
                if was_full != self.lsu.full() {
                    self.touch_schedulers(now);
                }
            }
            Err(why) => self.lsu.refuse(kernel, why, now),
        }
    }

    fn read_l1(&mut self, now: Cycle, load: u16, mut request: Request, controls: &Controls) -> Result<(), Refusal> {
        let kernel = request.kernel;
        if self.l1.lookup(request.line).is_some() {
            let stats = &mut self.stats[kernel.index()];
            stats.l1_reads += 1;
            stats.l1_hits += 1;
            let entry = self.loads.get(load);
            entry.lines -= 1;
            if entry.lines == 0 {
                self.hits.push_back((now + Cycle::from(self.l1_latency), load));
            }
            return Ok(());
        }
        if let Some(entry) = self.mshrs.find(request.line) {
            self.mshrs.merge(entry, load).map_err(|_| Refusal::Merge)?;
            self.stats[kernel.index()].l1_merged += 1;
        } else {
            if self.mshrs.is_full() {
                return Err(Refusal::Mshr);
            }
            if !self.miss_queue.has_room(kernel, controls) {
                return Err(Refusal::MissQueue);
            }
            request.tag = self.mshrs.allocate(request.line, load).map_err(|_| Refusal::Mshr)?;
            self.miss_queue.push(request, controls).map_err(|_| Refusal::MissQueue)?;
            self.stats[kernel.index()].l1_misses += 1;
        }
        self.stats[kernel.index()].l1_reads += 1;
        let entry = self.loads.get(load);
        if !entry.missed {
            entry.missed = true;
            let warp = entry.warp;
            self.warps[usize::from(warp.scheduler) * self.lanes as usize + usize::from(warp.lane)].missed_loads += 1;
            let scheduler = &mut self.schedulers[usize::from(warp.scheduler)];
            scheduler.missed |= 1 << warp.lane;
            scheduler.touch(now);
        }
        Ok(())
    }

    /// Write-through, no allocation, and the line leaves L1D if it is there (write-evict).
    fn write_l1(&mut self, request: Request, controls: &Controls) -> Result<(), Refusal> {
        if self.stores == self.store_buffer {
            return Err(Refusal::StoreBuffer);
        }
        self.miss_queue.push(request, controls).map_err(|_| Refusal::MissQueue)?;
        self.l1.invalidate(request.line);
        self.stores += 1;
        self.stats[request.kernel.index()].l1_writes += 1;
        Ok(())
    }

    fn touch_schedulers(&mut self, now: Cycle) {
        for scheduler in &mut self.schedulers {
            scheduler.touch(now);
        }
    }

    // --- issue -------------------------------------------------------------------------------------------------------------------

    fn issue(&mut self, now: Cycle, world: World) {
        let count = self.schedulers.len();
        let mut gates =
            Gates { now, lsu_full: self.lsu.full(), port_taken: false, shared_free: self.shared_free, out_of_quota: self.out_of_quota };
        // The low half turns as well as the whole, and is quicker to divide.
        let first = (now as u32 % count as u32) as usize;
        for turn in 0..count {
            let s = if first + turn < count { first + turn } else { first + turn - count };
            if self.schedulers[s].wake.0 > now {
                continue;
            }
            let order = world.controls.warp_order;
            if let Some(lane) = self.schedulers[s].pick(now, order, &gates, &mut self.kernel_stalls) {
                self.issue_warp(now, WarpRef { scheduler: s as u8, lane: lane as u8 }, &mut gates, world);
            }
        }
    }

    fn issue_warp(&mut self, now: Cycle, at: WarpRef, gates: &mut Gates, world: World) {
        let warp = &mut self.warps[usize::from(at.scheduler) * self.lanes as usize + usize::from(at.lane)];
        let kernel = warp.kernel;
        let code = &world.codes[kernel.index()][usize::from(warp.launch)];
        let stats = &mut self.stats[kernel.index()];
        stats.warp_instructions += 1;
        let scheduler = &mut self.schedulers[usize::from(at.scheduler)];
        scheduler.issued(at.lane.into(), kernel);
        let bit = 1_u64 << at.lane;
        let mut ready_from = now + 1;
        match code.steps[warp.pc as usize] {
            Step::Alu { latency, lanes, .. } => {
                stats.thread_instructions += u64::from(lanes);
                ready_from = now + Cycle::from(latency);
                warp.left -= 1;
            }
            Step::Shared { ways, lanes, .. } => {
                stats.thread_instructions += u64::from(lanes);
                stats.shared_conflict_cycles += u64::from(ways - 1);
                ready_from = now + Cycle::from(self.shared_latency + ways - 1);
                self.shared_free = now + Cycle::from(ways);
                gates.shared_free = self.shared_free;
                gates.port_taken = true;
                warp.left -= 1;
            }
            Step::Load { ref address, lanes } => {
                stats.thread_instructions += u64::from(lanes);
                stats.load_instructions += 1;
                let load = self.loads.open(at, kernel, now);
                let start = address.base(&warp.place, warp.key, warp.pc);
                self.lsu.push(kernel, Access::Read, load, lanes, *address, start);
                warp.loads += 1;
                warp.left = 0;
                gates.port_taken = true;
                gates.lsu_full = self.lsu.full();
            }
            Step::Store { ref address, lanes } => {
                stats.thread_instructions += u64::from(lanes);
                stats.store_instructions += 1;
                let start = address.base(&warp.place, warp.key, warp.pc);
                self.lsu.push(kernel, Access::Write, 0, lanes, *address, start);
                warp.left = 0;
                gates.port_taken = true;
                gates.lsu_full = self.lsu.full();
            }
            Step::Barrier => {
                stats.thread_instructions += u64::from(WARP_SIZE);
                scheduler.ready &= !bit;
                scheduler.barrier |= bit;
                let slot = usize::from(warp.slot);
                self.spend_quota(kernel, gates, world.controls);
                self.arrive(now, slot, world);
                return;
            }
            // `proceed` never leaves a warp ready at one of these.
            Step::Wait { .. } | Step::Loop { .. } | Step::End { .. } | Step::Exit => {}
        }
        if warp.left > 0 {
            if ready_from > now + 1 {
                scheduler.ready_at(at.lane.into(), now, ready_from);
            }
        } else {
            warp.pc += 1;
            self.proceed(now, ready_from, at, world);
        }
        self.spend_quota(kernel, gates, world.controls);
    }

    fn spend_quota(&mut self, kernel: KernelId, gates: &mut Gates, controls: &Controls) {
        if controls.warp_quota[kernel].is_none() {
            return;
        }
        self.quota_left[kernel] -= 1;
        if self.quota_left[kernel] == 0 {
            self.out_of_quota |= 1 << kernel.0;
            gates.out_of_quota = self.out_of_quota;
            self.touch_schedulers(gates.now);
        }
    }

    fn all_spent(&self, controls: &Controls) -> bool {
        let limited = |k: &KernelId| controls.warp_quota[*k].is_some() && self.used[*k].ctas > 0;
        KernelId::first(self.stats.len()).filter(limited).all(|k| self.out_of_quota >> k.0 & 1 == 1)
    }

    fn refill_quotas(&mut self, now: Cycle, controls: &Controls) {
        if !self.quotas {
            return;
        }
        let due = match controls.quota_refill {
            QuotaRefill::Interval => {
                let start = now - now % Cycle::from(controls.quota_interval);
                core::mem::replace(&mut self.quota_start, start) != start
            }
            QuotaRefill::WhenAllSpent => self.out_of_quota != 0 && self.all_spent(controls),
        };
        if due {
            self.set_quotas(now, controls);
        }
    }

    fn set_quotas(&mut self, now: Cycle, controls: &Controls) {
        self.out_of_quota = 0;
        for kernel in KernelId::first(self.stats.len()) {
            if let Some(quota) = controls.warp_quota[kernel] {
                self.quota_left[kernel] = quota;
                self.out_of_quota |= u8::from(quota == 0) << kernel.0;
            }
        }
        self.touch_schedulers(now);
    }

    /// Brings a warp to its next instruction, ready in cycle `at` or when the loads that it waits for are back.
    fn proceed(&mut self, now: Cycle, at: Cycle, which: WarpRef, world: World) {
        let index = usize::from(which.scheduler) * self.lanes as usize + usize::from(which.lane);
        let warp = &mut self.warps[index];
        let scheduler = &mut self.schedulers[usize::from(which.scheduler)];
        let code = &world.codes[warp.kernel.index()][usize::from(warp.launch)];
        let bit = 1_u64 << which.lane;
        scheduler.global &= !bit;
        scheduler.shared &= !bit;
        let loads = u32::from(warp.loads);
        let wait_for = loop {
            match code.steps[warp.pc as usize] {
                Step::Loop { depth, trips, after } => {
                    let trips = code.trips(trips, warp.pc, &warp.place);
                    warp.trips[depth] = trips;
                    warp.place.loops[depth] = 0;
                    warp.pc = if trips == 0 { after } else { warp.pc + 1 };
                }
                Step::End { depth, body } => {
                    warp.place.loops[depth] += 1;
                    if warp.place.loops[depth] < warp.trips[depth] {
                        warp.pc = body;
                    } else {
                        warp.place.loops[depth] = 0;
                        warp.pc += 1;
                    }
                }
                Step::Wait { loads: at_most } if loads > at_most => break at_most,
                Step::Wait { .. } => warp.pc += 1,
                Step::Exit if loads > 0 => break 0,
                Step::Exit => return self.exit(now, which, world),
                Step::Load { .. } if loads >= self.loads_per_warp => break self.loads_per_warp - 1,
                ref step => {
                    match *step {
                        Step::Alu { count, .. } => warp.left = count,
                        Step::Shared { count, .. } => {
                            warp.left = count;
                            scheduler.shared |= bit;
                        }
                        Step::Load { .. } | Step::Store { .. } => scheduler.global |= bit,
                        _ => {}
                    }
                    if at <= now {
                        scheduler.ready |= bit;
                        scheduler.touch(now);
                    } else if at > now + 1 || scheduler.ready & bit == 0 {
                        scheduler.ready_at(which.lane.into(), now, at);
                    }
                    return;
                }
            }
        };
        warp.wait_for = wait_for;
        warp.ready_from = at;
        scheduler.ready &= !bit;
        scheduler.waiting |= bit;
    }

    /// A warp has come to its CTA's barrier, or has left: the last one opens it.
    fn arrive(&mut self, now: Cycle, slot: usize, world: World) {
        let Some(cta) = &mut self.ctas[slot] else { return };
        cta.arrived += 1;
        self.open_barrier(now, slot, world);
    }

    fn open_barrier(&mut self, now: Cycle, slot: usize, world: World) {
        let Some(cta) = &mut self.ctas[slot] else { return };
        if cta.arrived == 0 || cta.arrived < cta.live {
            return;
        }
        cta.arrived = 0;
        let warps = cta.warps;
        for (s, &mask) in warps.iter().enumerate().take(self.schedulers.len()) {
            let mut waiting = mask & self.schedulers[s].barrier;
            self.schedulers[s].barrier &= !waiting;
            self.schedulers[s].touch(now);
            while waiting != 0 {
                let lane = waiting.trailing_zeros();
                waiting &= waiting - 1;
                self.warps[s * self.lanes as usize + lane as usize].pc += 1;
                // Through the wheel, so that it does not matter which scheduler's warp came last.
                self.proceed(now, now + 1, WarpRef { scheduler: s as u8, lane: lane as u8 }, world);
            }
        }
    }

    fn exit(&mut self, now: Cycle, which: WarpRef, world: World) {
        let warp = &self.warps[usize::from(which.scheduler) * self.lanes as usize + usize::from(which.lane)];
        let (slot, kernel) = (usize::from(warp.slot), warp.kernel);
        // Charge what the scheduler slept with its warp before the warp goes.
        let scheduler = &mut self.schedulers[usize::from(which.scheduler)];
        scheduler.settle(now, &mut self.kernel_stalls);
        scheduler.dismiss(which.lane.into(), kernel);
        scheduler.touch(now);
        let Some(cta) = &mut self.ctas[slot] else { return };
        cta.warps[usize::from(which.scheduler)] &= !(1 << which.lane);
        cta.live -= 1;
        if cta.live == 0 {
            self.finish(now, slot, world);
        } else {
            self.open_barrier(now, slot, world);
        }
    }

    // --- CTAs --------------------------------------------------------------------------------------------------------------------

    /// Whether one more CTA of `code` fits.
    pub fn fits(&self, code: &Code) -> bool {
        self.used_all.fits(self.cost(code), self.whole)
    }

    fn cost(&self, code: &Code) -> Resources {
        let registers = occupancy::registers_of_cta(code.threads, code.registers, self.register_granularity);
        Resources { ctas: 1, threads: code.warps * WARP_SIZE, registers, shared_bytes: code.shared_bytes }
    }

    /// Places a CTA that fits; its warps can issue from the next cycle on. Returns its slot.
    pub fn launch(&mut self, now: Cycle, kernel: KernelId, launch: u8, cta: u32, world: World) -> u8 {
        self.charge_ctas(now);
        let code = &world.codes[kernel.index()][usize::from(launch)];
        let cost = self.cost(code);
        self.used[kernel].add(cost);
        self.used_all.add(cost);
        let slot = self.ctas.iter().position(Option::is_none).expect("the dispatcher has checked that the CTA fits");
        let mut warps = [0_u64; MAX_SCHEDULERS];
        let lanes = if self.lanes == 64 { u64::MAX } else { (1 << self.lanes) - 1 };
        // The cycle `now` is over for this SM: what it stalled with is charged before the new warps can be seen.
        for scheduler in &mut self.schedulers {
            scheduler.settle(now + 1, &mut self.kernel_stalls);
        }
        for number in 0..code.warps {
            let emptiest = |s: &usize| self.schedulers[*s].resident.count_ones();
            let s = (0..self.schedulers.len()).min_by_key(emptiest).unwrap_or(0);
            let lane = (!self.schedulers[s].resident & lanes).trailing_zeros();
            self.schedulers[s].admit(lane, kernel, self.arrivals);
            self.arrivals += 1;
            warps[s] |= 1 << lane;
            self.warps[s * self.lanes as usize + lane as usize] = Warp {
                place: Place { cta, warp: number, ..Place::default() },
                key: code.warp_key(cta, number),
                kernel,
                launch,
                slot: slot as u8,
                ..Warp::default()
            };
        }
        self.ctas[slot] = Some(Cta { kernel, launch, cta, launched: now, order: self.arrivals, warps, live: code.warps, arrived: 0 });
        self.stats[kernel.index()].ctas_launched += 1;
        for (s, mask) in warps.into_iter().enumerate() {
            let mut rest = mask;
            while rest != 0 {
                let lane = rest.trailing_zeros() as u8;
                rest &= rest - 1;
                self.proceed(now, now + 1, WarpRef { scheduler: s as u8, lane }, world);
            }
        }
        self.apply_throttle(now, world.controls);
        self.touch_schedulers(now + 1);
        self.next.0 = self.next.0.min(now + 1);
        slot as u8
    }

    fn finish(&mut self, now: Cycle, slot: usize, world: World) {
        self.charge_ctas(now);
        let Some(cta) = self.ctas[slot].take() else { return };
        let cost = self.cost(&world.codes[cta.kernel.index()][usize::from(cta.launch)]);
        self.used[cta.kernel].take(cost);
        self.used_all.take(cost);
        self.stats[cta.kernel.index()].ctas_done += 1;
        self.finished.push(FinishedCta { slot: slot as u8, kernel: cta.kernel, cta: cta.cta, launched: cta.launched });
        self.apply_throttle(now, world.controls);
    }

    fn charge_ctas(&mut self, now: Cycle) {
        let cycles = now - self.cta_since;
        self.cta_since = now;
        for (stats, used) in self.stats.iter_mut().zip(self.used.0) {
            stats.cta_cycles += u64::from(used.ctas) * cycles;
        }
    }

    /// Pauses the youngest CTAs of each kernel beyond its throttle.
    fn apply_throttle(&mut self, now: Cycle, controls: &Controls) {
        let mut throttled = [0_u64; MAX_SCHEDULERS];
        for kernel in KernelId::first(self.stats.len()) {
            let allowed = controls.cta_throttle[kernel];
            if u32::from(allowed) >= self.used[kernel].ctas {
                continue;
            }
            for cta in self.ctas.iter().flatten().filter(|cta| cta.kernel == kernel) {
                let older = self.ctas.iter().flatten().filter(|other| other.kernel == kernel && other.order < cta.order).count();
                if older >= usize::from(allowed) {
                    for (sum, warps) in throttled.iter_mut().zip(cta.warps) {
                        *sum |= warps;
                    }
                }
            }
        }
        for (scheduler, throttled) in self.schedulers.iter_mut().zip(throttled) {
            if scheduler.throttled != throttled {
                scheduler.throttled = throttled;
                scheduler.touch(now);
            }
        }
    }

    // --- control and observation -------------------------------------------------------------------------------------------------

    /// Has every scheduler looked at in every cycle, as if nothing ever slept: for the test that sleeping changes nothing.
    pub fn keep_awake(&mut self, now: Cycle) {
        self.touch_schedulers(now);
        self.next.0 = now;
    }

    /// Takes over changed controls, from the next cycle on.
    pub fn controls_changed(&mut self, now: Cycle, before: &Controls, after: &Controls) {
        self.apply_throttle(now, after);
        if (before.warp_quota, before.quota_refill, before.quota_interval) != (after.warp_quota, after.quota_refill, after.quota_interval) {
            self.quotas = after.warp_quota.0.iter().any(Option::is_some);
            self.quota_start = now - now % Cycle::from(after.quota_interval);
            self.set_quotas(now, after);
        }
        // Virtual queues may have grown, and a head may have got credit.
        self.retry_refused(now);
        self.touch_schedulers(now);
        self.next.0 = self.next.0.min(now);
    }

    /// Brings counters and quotas that are worked out lazily up to the start of `now`.
    pub fn settle(&mut self, now: Cycle, controls: &Controls) {
        if now > 0 {
            self.refill_quotas(now - 1, controls);
        }
        for scheduler in &mut self.schedulers {
            scheduler.settle(now, &mut self.kernel_stalls);
        }
        let stats = &mut self.stats;
        self.lsu.settle(now, |kernel, why, cycles| charge_refusal(&mut stats[kernel.index()], why, cycles));
        self.charge_ctas(now);
    }

    /// What each kernel did here.
    pub fn stats(&self) -> &[KernelStats] {
        &self.stats
    }

    /// Cycles in which a scheduler stalled while it held warps of a kernel, by what kept that kernel's warps.
    pub fn kernel_stalls(&self) -> &[StallCounts] {
        &self.kernel_stalls
    }

    /// What a kernel's CTAs take.
    pub fn used(&self, kernel: KernelId) -> Resources {
        self.used[kernel]
    }

    /// CTAs of all kernels.
    pub fn resident_ctas(&self) -> u32 {
        self.used_all.ctas
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
        let warp = &self.warps[scheduler * self.lanes as usize + lane as usize];
        (warp.pc, warp.slot)
    }

    /// Lanes of each scheduler.
    pub fn lanes(&self) -> u32 {
        self.lanes
    }
}

fn charge_refusal(stats: &mut KernelStats, why: Refusal, cycles: u64) {
    match why {
        Refusal::Mshr => stats.fail_mshr += cycles,
        Refusal::Merge => stats.fail_merge += cycles,
        Refusal::MissQueue => stats.fail_miss_queue += cycles,
        Refusal::StoreBuffer => stats.fail_store_buffer += cycles,
    }
}
