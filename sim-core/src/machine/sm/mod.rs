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
pub mod lsu;
pub mod scheduler;
pub mod wheel;

use self::code::{Code, Place, Step};
use self::lsu::{Instruction, LoadTable, Lsu, Refusal, WarpRef};
use self::scheduler::{Gates, LANES, Look, Scheduler};
use self::wheel::Wheel;
use super::cache::miss_queue::MissQueue;
use super::cache::mshr::Mshrs;
use super::cache::tags::Tags;
use super::cache::umon::Umon;
use super::derived::Derived;
use super::memory::Memory;
use super::noc::members;
use super::packet::{Access, Reply, Request};
use crate::controls::{Controls, QuotaRefill, WarpOrder};
use crate::gpu::Gpu;
use crate::gpu::occupancy::{self, Resources};
use crate::ids::{Cycle, KernelId, NEVER, PerKernel};
use crate::kernel::{MAX_LOOPS, WARP_SIZE};
use crate::stats::{KernelStats, StallCounts};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// Schedulers of an SM, at most.
pub const MAX_SCHEDULERS: usize = 4;

/// What a warp issues next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
enum Next {
    #[default]
    Alu,
    Shared,
    Load,
    Store,
    Barrier,
}

/// What issuing reads of a warp: its next instruction, as the step of its code has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Issue {
    /// Instructions left of the step.
    left: u32,
    next: Next,
    /// Active lanes.
    lanes: u8,
    /// Latency (`Alu`) or cycles of the banks (`Shared`).
    latency: u8,
    kernel: KernelId,
}

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
            lsu: Lsu::new(class.lsu_queue, class.lsu_hol, gpu.l2.line_bytes, kernels),
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

    fn work_out_next(&self, now: Cycle, controls: &Controls) -> Cycle {
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
            Access::Write => {
                self.stores -= 1;
                self.retry_refused(now, &[Refusal::StoreBuffer]);
            }
            Access::Read => {
                stats.latency_count += 1;
                stats.latency_sum += request.age(now);
                stats.wait_miss_queue += u64::from(request.stations[0]);
                stats.wait_request_noc += u64::from(request.stations[1]);
                stats.wait_l2 += u64::from(request.stations[2]);
                stats.wait_dram += u64::from(request.stations[3]);
                stats.wait_reply_noc += now - request.since;
                self.l1.fill(request.line, request.kernel, false, world.controls.l1_ways[request.kernel]);
                while let Some(load) = self.mshrs.take(request.tag) {
                    let entry = self.loads.get(load);
                    entry.lines -= 1;
                    let (lines, ready) = (entry.lines, entry.ready);
                    if lines == 0 && ready <= now {
                        self.complete_load(now, load, world);
                    } else if lines == 0 {
                        let after = self.hits.partition_point(|&(at, _)| at <= ready);
                        self.hits.insert(after, (ready, load));
                    }
                }
                self.retry_refused(now, &[Refusal::Mshr, Refusal::Merge]);
            }
        }
    }

    fn retry_refused(&mut self, now: Cycle, over: &[Refusal]) {
        if self.lsu.any_refused() {
            let stats = &mut self.stats;
            self.lsu.retry(now, over, |kernel, why, cycles| charge_refusal(&mut stats[kernel.index()], why, cycles));
        }
    }

    fn complete_load(&mut self, now: Cycle, load: u16, world: World) {
        let load = self.loads.close(load);
        let stats = &mut self.stats[load.kernel.index()];
        stats.load_latency_sum += now - load.issued;
        stats.loads_done += 1;
        if self.capped != 0 {
            self.uncap(load.kernel, world.controls);
        }
        let (s, bit) = (load.warp.scheduler(), load.warp.bit());
        let warp = &mut self.warps[load.warp.index()];
        warp.loads -= 1;
        let scheduler = &mut self.schedulers[s];
        if load.missed {
            warp.missed_loads -= 1;
            if warp.missed_loads == 0 {
                scheduler.missed &= !bit;
                *self.awake |= 1 << s;
            }
        }
        if scheduler.waiting & bit != 0 && u32::from(warp.loads) <= warp.wait_for {
            let at = warp.ready_from.max(now);
            scheduler.waiting &= !bit;
            *self.awake |= 1 << s;
            self.proceed(now, at, load.warp, world);
        }
    }

    fn drain_misses(&mut self, now: Cycle, controls: &Controls, memory: &mut Memory) {
        if self.miss_queue.is_empty() {
            return;
        }
        let room = memory.has_room(self.id.into());
        self.door_shut.0 = !room && self.miss_queue.at_door(now);
        if room && let Some(request) = self.miss_queue.leave(now) {
            memory.inject(now, request);
        }
        if let Some(request) = self.miss_queue.grant(now, controls) {
            let stats = &mut self.stats[request.kernel.index()];
            stats.requests += 1;
            stats.read_requests += u64::from(request.access == Access::Read);
            self.retry_refused(now, &[Refusal::MissQueue]);
        }
    }

    /// Sends the next line of a kernel's oldest memory instruction to L1D.
    fn access_l1(&mut self, now: Cycle, kernel: KernelId, world: World) {
        let controls = world.controls;
        let head = self.lsu.head(kernel, &world.codes[kernel.index()]);
        if let (Access::Read, Some(lines)) = (head.access, head.fresh) {
            self.loads.get(head.load).lines = lines as u16;
        }
        let request =
            Request { line: head.line, sm: self.id, kernel, access: head.access, born: now as u32, since: now, ..Request::default() };
        let outcome = match head.access {
            Access::Read => self.read_l1(now, head.load, request, controls),
            Access::Write => self.write_l1(request, controls),
        };
        match outcome {
            Ok(()) => {
                let was_full = self.lsu.full();
                self.lsu.taken(kernel);
                if let Some(monitor) = &mut self.monitor {
                    monitor.access(kernel, head.line, head.access);
                }
                if self.capped != 0 {
                    self.uncap(kernel, controls);
                }
                if was_full != self.lsu.full() {
                    self.set_gates();
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
            entry.ready = now + Cycle::from(self.l1_latency);
            if entry.lines == 0 {
                self.hits.push_back((entry.ready, load));
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
            self.warps[warp.index()].missed_loads += 1;
            self.schedulers[warp.scheduler()].missed |= warp.bit();
            *self.awake |= 1 << warp.scheduler();
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

    /// Has every scheduler looked at again.
    fn wake_schedulers(&mut self) {
        *self.awake = u8::MAX >> (8 - self.schedulers.len());
    }

    // --- issue -------------------------------------------------------------------------------------------------------------------

    fn issue(&mut self, now: Cycle, world: World) {
        self.wake_warps(now);
        if *self.awake == 0 {
            return;
        }
        let mut gates =
            Gates { port_taken: false, shared_free: self.shared_free, memory_left: self.memory_quotas.then_some(self.memory_left) };
        let count = self.schedulers.len() as u32;
        let first = u32::from(self.port_turn);
        let mut turn = 0;
        while turn < count {
            // One that another one wakes before its turn has its turn.
            let in_turn = (u32::from(*self.awake) | u32::from(*self.awake) << count) >> first;
            let skipped = (in_turn >> turn).trailing_zeros();
            turn += skipped;
            if turn >= count {
                break;
            }
            let s = if first + turn < count { first + turn } else { first + turn - count };
            self.look(now, s as usize, &mut gates, world);
            turn += 1;
        }
    }

    /// Readies the warps whose time has come, and wakes their schedulers.
    fn wake_warps(&mut self, now: Cycle) {
        if let Some(warps) = self.wheel.take(now) {
            for (s, (scheduler, warps)) in self.schedulers.iter_mut().zip(warps).enumerate() {
                scheduler.ready |= warps;
                *self.awake |= (u8::from(warps != 0) << s) & !*self.greedy;
            }
        }
        if *self.running != 0 {
            for (s, &end) in self.run_ends.iter().enumerate() {
                *self.awake |= (u8::from(end <= now) << s) & *self.running;
            }
        }
        if *self.after_shared != 0 && self.shared_free <= now {
            *self.awake |= core::mem::take(&mut *self.after_shared);
        }
    }

    /// Lets a scheduler issue, or fall asleep.
    fn look(&mut self, now: Cycle, s: usize, gates: &mut Gates, world: World) {
        self.settle_scheduler(now, s);
        *self.running &= !(1 << s);
        *self.greedy &= !(1 << s);
        let look = self.schedulers[s].look(now, world.controls.warp_order, gates, self.stats.len());
        match look {
            Look::Issue(lane) => self.issue_warp(now, WarpRef::new(s, lane), gates, world),
            Look::Until(at) if at == now + 1 => {}
            Look::Until(_) => {
                *self.after_shared |= 1 << s;
                *self.awake &= !(1 << s);
            }
            Look::Sleep => *self.awake &= !(1 << s),
        }
    }

    /// Charges a scheduler for the cycles before `now` in which nobody looked at it.
    fn settle_scheduler(&mut self, now: Cycle, s: usize) {
        let issued = self.schedulers[s].settle(now, &mut self.kernel_stalls);
        if issued > 0 {
            let issue = &mut self.issues[WarpRef::new(s, self.schedulers[s].last()).index()];
            issue.left -= issued;
            let stats = &mut self.stats[issue.kernel.index()];
            stats.warp_instructions += u64::from(issued);
            stats.thread_instructions += u64::from(issue.lanes) * u64::from(issued);
        }
    }

    /// A warp has `left` more instructions that it can issue one a cycle: if no other warp can come between, nobody needs to look.
    fn run(&mut self, now: Cycle, s: usize, left: u32, world: World) {
        let order = world.controls.warp_order;
        if left > 1 && !self.quotas && self.schedulers[s].stays(order) {
            self.run_ends[s] = now + Cycle::from(left);
            *self.running |= 1 << s;
            *self.awake &= !(1 << s);
            *self.greedy |= u8::from(order == WarpOrder::Gto) << s;
        }
    }

    fn issue_warp(&mut self, now: Cycle, at: WarpRef, gates: &mut Gates, world: World) {
        let issue = &mut self.issues[at.index()];
        let kernel = issue.kernel;
        let stats = &mut self.stats[kernel.index()];
        stats.warp_instructions += 1;
        stats.thread_instructions += u64::from(issue.lanes);
        issue.left -= 1;
        let left = issue.left;
        let scheduler = &mut self.schedulers[at.scheduler()];
        scheduler.issued(at.lane(), kernel);
        let mut ready_from = now + 1;
        match issue.next {
            Next::Alu => ready_from = now + Cycle::from(issue.latency),
            Next::Shared => {
                let ways = Cycle::from(issue.latency);
                stats.shared_conflict_cycles += ways - 1;
                ready_from = now + Cycle::from(self.shared_latency) + ways - 1;
                self.shared_free = now + ways;
                gates.shared_free = self.shared_free;
                self.take_port(at.scheduler(), gates);
            }
            Next::Load => {
                stats.load_instructions += 1;
                let load = self.loads.open(at, kernel, now);
                self.warps[at.index()].loads += 1;
                self.take_port(at.scheduler(), gates);
                self.enter_lsu(at, Access::Read, load, world);
            }
            Next::Store => {
                stats.store_instructions += 1;
                self.take_port(at.scheduler(), gates);
                self.enter_lsu(at, Access::Write, 0, world);
            }
            Next::Barrier => {
                scheduler.ready &= !at.bit();
                scheduler.barrier |= at.bit();
                let slot = usize::from(self.warps[at.index()].slot);
                self.spend_quota(kernel, world.controls);
                self.arrive(now, slot, world);
                return;
            }
        }
        if left == 0 {
            self.warps[at.index()].pc += 1;
            self.proceed(now, ready_from, at, world);
        } else if ready_from > now + 1 {
            self.sleep_until(now, ready_from, at);
        } else {
            self.run(now, at.scheduler(), left, world);
        }
        self.spend_quota(kernel, world.controls);
    }

    /// A scheduler uses the LSU's port in this cycle.
    fn take_port(&mut self, scheduler: usize, gates: &mut Gates) {
        gates.port_taken = true;
        self.port_turn = if scheduler + 1 == self.schedulers.len() { 0 } else { scheduler as u8 + 1 };
    }

    fn enter_lsu(&mut self, at: WarpRef, access: Access, load: u16, world: World) {
        let Warp { kernel, launch, pc, key, ref place, .. } = self.warps[at.index()];
        let (base, key) = world.codes[kernel.index()][usize::from(launch)].base(pc, place, key);
        self.lsu.push(kernel, Instruction { base, key, pc, load, launch, access });
        if self.memory_caps {
            self.cap(kernel, world.controls);
        }
        if (self.lsu.full() | self.capped) >> kernel.0 & 1 == 1 {
            self.set_gates();
        }
        if self.memory_quotas {
            self.spend_memory_quota(kernel, world.controls);
        }
    }

    /// Memory instructions of a kernel that are under way: loads until they are complete, stores until they have left the LSU.
    fn in_flight(&self, kernel: KernelId) -> u32 {
        let stats = &self.stats[kernel.index()];
        (stats.load_instructions - stats.loads_done) as u32 + self.lsu.stores(kernel)
    }

    /// Notes whether a kernel has as many memory instructions in flight as it may have.
    fn cap(&mut self, kernel: KernelId, controls: &Controls) {
        let Some(cap) = controls.memory_cap[kernel] else { return };
        let in_flight = self.in_flight(kernel);
        self.peak_in_flight[kernel] = self.peak_in_flight[kernel].max(in_flight);
        self.capped |= u8::from(in_flight >= cap.into()) << kernel.0;
    }

    /// A memory instruction may be no longer in flight.
    fn uncap(&mut self, kernel: KernelId, controls: &Controls) {
        let within = controls.memory_cap[kernel].is_none_or(|cap| self.in_flight(kernel) < cap.into());
        if within && self.capped >> kernel.0 & 1 == 1 {
            self.capped &= !(1 << kernel.0);
            self.set_gates();
        }
    }

    /// Takes a memory instruction from a kernel's quota; the last one of it starts a round.
    fn spend_memory_quota(&mut self, kernel: KernelId, controls: &Controls) {
        if controls.memory_quota[kernel].is_none() {
            return;
        }
        self.memory_left[kernel] = self.memory_left[kernel].saturating_sub(1);
        if self.memory_left[kernel] == 0 {
            for (left, quota) in self.memory_left.0.iter_mut().zip(controls.memory_quota.0) {
                *left = left.saturating_add(quota.unwrap_or(0));
            }
        }
    }

    /// Tells the schedulers which kernels have used their quota, and which may send nothing more to the LSU.
    fn set_gates(&mut self) {
        for (s, scheduler) in self.schedulers.iter_mut().enumerate() {
            *self.awake |= u8::from(scheduler.shut(self.out_of_quota, self.lsu.full() | self.capped)) << s;
        }
    }

    /// Takes a warp from the ready ones until cycle `until`.
    fn sleep_until(&mut self, now: Cycle, until: Cycle, which: WarpRef) {
        self.schedulers[which.scheduler()].ready &= !which.bit();
        self.wheel.put(which.scheduler(), which.bit(), now, until);
    }

    fn spend_quota(&mut self, kernel: KernelId, controls: &Controls) {
        if !self.quotas || controls.warp_quota[kernel].is_none() {
            return;
        }
        self.quota_left[kernel] -= 1;
        if self.quota_left[kernel] == 0 {
            self.out_of_quota |= 1 << kernel.0;
            self.set_gates();
            self.wake_schedulers();
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
            self.set_quotas(controls);
        }
    }

    fn set_quotas(&mut self, controls: &Controls) {
        self.out_of_quota = 0;
        for kernel in KernelId::first(self.stats.len()) {
            if let Some(quota) = controls.warp_quota[kernel] {
                self.quota_left[kernel] = quota;
                self.out_of_quota |= u8::from(quota == 0) << kernel.0;
            }
        }
        self.set_gates();
        self.wake_schedulers();
    }

    /// Brings a warp to its next instruction, ready in cycle `at` or when the loads that it waits for are back.
    fn proceed(&mut self, now: Cycle, at: Cycle, which: WarpRef, world: World) {
        let warp = &mut self.warps[which.index()];
        let scheduler = &mut self.schedulers[which.scheduler()];
        let code = &world.codes[warp.kernel.index()][usize::from(warp.launch)];
        let bit = which.bit();
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
                    let issue = |next, left, lanes, latency| {
                        let (lanes, latency) = (lanes as u8, latency as u8);
                        Issue { left, next, lanes, latency, kernel: warp.kernel }
                    };
                    self.issues[which.index()] = match *step {
                        Step::Alu { count, latency, lanes } => issue(Next::Alu, count, lanes, latency),
                        Step::Shared { count, ways, lanes } => issue(Next::Shared, count, lanes, ways),
                        Step::Load { lanes, .. } => issue(Next::Load, 1, lanes, 0),
                        Step::Store { lanes, .. } => issue(Next::Store, 1, lanes, 0),
                        _ => issue(Next::Barrier, 1, WARP_SIZE, 0),
                    };
                    match step {
                        Step::Shared { .. } => scheduler.shared |= bit,
                        Step::Load { .. } | Step::Store { .. } => scheduler.global |= bit,
                        _ => {}
                    }
                    if at <= now {
                        scheduler.ready |= bit;
                        *self.awake |= 1 << which.scheduler();
                    } else if at > now + 1 || scheduler.ready & bit == 0 {
                        self.sleep_until(now, at, which);
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
            *self.awake |= 1 << s;
            while waiting != 0 {
                let lane = waiting.trailing_zeros();
                waiting &= waiting - 1;
                let which = WarpRef::new(s, lane);
                self.warps[which.index()].pc += 1;
                // Through the wheel, so that it does not matter which scheduler's warp came last.
                self.proceed(now, now + 1, which, world);
            }
        }
    }

    fn exit(&mut self, now: Cycle, which: WarpRef, world: World) {
        let warp = &self.warps[which.index()];
        let (slot, kernel) = (usize::from(warp.slot), warp.kernel);
        // Charge what the scheduler slept with its warp before the warp goes.
        self.settle_scheduler(now, which.scheduler());
        let scheduler = &mut self.schedulers[which.scheduler()];
        scheduler.dismiss(which.lane(), kernel);
        *self.awake |= 1 << which.scheduler();
        let Some(cta) = &mut self.ctas[slot] else { return };
        cta.warps[which.scheduler()] &= !which.bit();
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
        for s in 0..self.schedulers.len() {
            self.settle_scheduler(now + 1, s);
        }
        for number in 0..code.warps {
            let taken = |s: usize| self.schedulers[s].resident | warps[s];
            let s = (0..self.schedulers.len()).min_by_key(|&s| taken(s).count_ones()).unwrap_or(0);
            let lane = (!taken(s) & lanes).trailing_zeros();
            warps[s] |= 1 << lane;
            self.warps[WarpRef::new(s, lane).index()] = Warp {
                place: Place { cta, warp: number, ..Place::default() },
                key: code.warp_key(cta, number),
                kernel,
                launch,
                slot: slot as u8,
                ..Warp::default()
            };
        }
        for (scheduler, warps) in self.schedulers.iter_mut().zip(warps) {
            scheduler.admit(warps, kernel);
        }
        self.set_gates();
        self.arrivals += 1;
        self.ctas[slot] = Some(Cta { kernel, launch, cta, launched: now, order: self.arrivals, warps, live: code.warps, arrived: 0 });
        self.stats[kernel.index()].ctas_launched += 1;
        for (s, mask) in warps.into_iter().enumerate() {
            let mut rest = mask;
            while rest != 0 {
                let lane = rest.trailing_zeros();
                rest &= rest - 1;
                self.proceed(now, now + 1, WarpRef::new(s, lane), world);
            }
        }
        self.apply_throttle(world.controls);
        self.wake_schedulers();
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
        self.apply_throttle(world.controls);
    }

    fn charge_ctas(&mut self, now: Cycle) {
        let cycles = now - self.cta_since;
        self.cta_since = now;
        for (stats, used) in self.stats.iter_mut().zip(self.used.0) {
            stats.cta_cycles += u64::from(used.ctas) * cycles;
        }
    }

    /// Pauses the youngest CTAs of each kernel beyond its throttle.
    fn apply_throttle(&mut self, controls: &Controls) {
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
        for (s, (scheduler, throttled)) in self.schedulers.iter_mut().zip(throttled).enumerate() {
            if scheduler.throttled != throttled {
                scheduler.throttled = throttled;
                *self.awake |= 1 << s;
            }
        }
    }

    // --- control and observation -------------------------------------------------------------------------------------------------

    /// Has every scheduler looked at in every cycle, as if nothing ever slept: for the test that sleeping changes nothing.
    pub fn keep_awake(&mut self, now: Cycle) {
        self.wake_schedulers();
        self.next.0 = now;
    }

    /// Takes over changed controls, from the next cycle on.
    pub fn controls_changed(&mut self, now: Cycle, before: &Controls, after: &Controls) {
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
    pub fn settle(&mut self, now: Cycle, controls: &Controls) {
        if now > 0 {
            self.refill_quotas(now - 1, controls);
        }
        for s in 0..self.schedulers.len() {
            self.settle_scheduler(now, s);
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

    /// The most memory instructions that a kernel with a cap has had in flight since `forget_peaks`; 0 without a cap.
    pub fn peak_in_flight(&self, kernel: KernelId) -> u32 {
        self.peak_in_flight[kernel]
    }

    /// Starts peaks again from what is in flight.
    pub fn forget_peaks(&mut self, controls: &Controls) {
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

fn charge_refusal(stats: &mut KernelStats, why: Refusal, cycles: u64) {
    match why {
        Refusal::Mshr => stats.fail_mshr += cycles,
        Refusal::Merge => stats.fail_merge += cycles,
        Refusal::MissQueue => stats.fail_miss_queue += cycles,
        Refusal::StoreBuffer => stats.fail_store_buffer += cycles,
    }
}
