//! The issue stage: schedulers choose warps, warps advance from instruction to instruction, quotas and caps open and close the gates.

use super::calendar::{LSU, SCHEDULERS};
use super::code::Instruction;
use super::lanes::{MAX_SCHEDULERS, WarpRef};
use super::next::{Issue, Next};
use super::scheduler::{Gates, Look};
use super::warps::{Passed, Warp};
use super::wheel::Warps;
use super::{Inputs, Sm};
use crate::describe::ids::{Cycle, KernelId, PerKernel};
use crate::interface::controls::SmControls;
use crate::machine::noc::members;
use crate::machine::packet::Access;

impl Sm {
    pub(super) fn issue(&mut self, now: Cycle, inputs: &Inputs) {
        self.wake_warps(now);
        *self.counts.from = now + 1;
        if self.calendar.schedulers() == 0 {
            return;
        }
        if self.is_plain() {
            self.issue_in_turn::<true>(now, inputs);
        } else {
            self.issue_in_turn::<false>(now, inputs);
        }
    }

    /// Whether no quotas are to be counted, no warps are looked at in groups, and the arithmetic units take an instruction a cycle: as most often.
    #[inline]
    fn is_plain(&self) -> bool {
        !self.gate.quotas.any() && self.gate.memory_left().is_none() && self.units.alu_interval == 1 && !self.warps.has_groups()
    }

    /// Lets each scheduler that is due issue, from the one whose turn it is at the port. What is `PLAIN` (`is_plain`) has code of its own.
    #[inline(never)] // two of it would fill the loop that calls it
    fn issue_in_turn<const PLAIN: bool>(&mut self, now: Cycle, inputs: &Inputs) {
        let mut gates = Gates::new(now, self.port.shared_free);
        // Two rounds of all schedulers beside each other: a window of one round, from the one whose turn it is at the port.
        let mut window = SCHEDULERS << self.port.turn;
        loop {
            // A scheduler that another one wakes before its turn still has its turn.
            let awake = self.calendar.schedulers();
            let to_come = (awake | awake << MAX_SCHEDULERS) & window;
            if to_come == 0 {
                return;
            }
            let turn = to_come.trailing_zeros();
            window &= !1 << turn;
            self.look::<PLAIN>(now, turn as usize % MAX_SCHEDULERS, &mut gates, inputs);
        }
    }

    /// Makes the warps ready that are due, and wakes their schedulers.
    fn wake_warps(&mut self, now: Cycle) {
        if let Some(warps) = self.warps.wheel.take(now) {
            let (mut woken, mut accesses) = (0, 0);
            // Those that the SM does not have, have no warps.
            for (s, &warps) in warps.iter().enumerate() {
                let scheduler = &mut self.warps.schedulers[s];
                scheduler.ready |= warps;
                woken |= u8::from(warps != 0) << s;
                accesses |= scheduler.global & warps;
            }
            self.calendar.add(woken & !*self.warps.greedy);
            if accesses != 0 {
                self.note_ready_accesses(&warps);
            }
        }
    }

    /// Some of these warps, which have become ready, wait before the LSU.
    #[inline(never)] // its loop would keep the state of every kernel's gate at hand in `wake_warps`
    fn note_ready_accesses(&mut self, warps: &Warps) {
        for (scheduler, warps) in self.warps.schedulers.iter().zip(warps) {
            if scheduler.global & warps == 0 {
                continue;
            }
            for kernel in KernelId::first(self.counts.stats.len()) {
                let warps = (scheduler.global & warps & scheduler.of_kernel[kernel]).count_ones();
                self.lsu_gate.enter(&mut self.counts, kernel, warps);
            }
        }
    }

    /// Lets a scheduler issue, or fall asleep.
    #[inline(always)]
    fn look<const PLAIN: bool>(&mut self, now: Cycle, s: usize, gates: &mut Gates, inputs: &Inputs) {
        let bit = 1 << s;
        self.settle_scheduler(now, s);
        *self.warps.greedy &= !bit;
        let (order, kernels) = (*self.warps.order, self.counts.stats.len());
        let scheduler = &mut self.warps.schedulers[s];
        let look = if PLAIN {
            scheduler.look_at::<false>(now, order, gates, None, kernels)
        } else {
            self.gate.quotas.release(s);
            scheduler.look(now, order, gates, self.gate.memory_left(), kernels)
        };
        match look {
            Look::Issue(lane) => {
                self.issue_warp::<PLAIN>(now, WarpRef::new(s, lane), gates, inputs);
                if self.warps.schedulers[s].has_issued_all(now, kernels) {
                    self.calendar.remove(bit);
                }
            }
            Look::Until(at) => {
                self.calendar.remove(bit);
                self.calendar.mark(now, at, bit);
            }
            Look::Sleep => self.calendar.remove(bit),
        }
    }

    /// Charges a scheduler for the cycles before `now` in which it was not evaluated.
    #[inline]
    pub(super) fn settle_scheduler(&mut self, now: Cycle, s: usize) {
        if self.warps.schedulers[s].is_behind(now) {
            self.catch_up(now, s);
        }
    }

    /// Charges all schedulers for the cycles before `now` in which they were not evaluated.
    pub(super) fn settle_schedulers(&mut self, now: Cycle) {
        (0..self.warps.schedulers.len()).for_each(|s| self.settle_scheduler(now, s));
    }

    #[inline(never)] // so that the question before it is inlined
    fn catch_up(&mut self, now: Cycle, s: usize) {
        let issued = self.warps.schedulers[s].settle(now, &mut self.counts.stalls);
        if issued > 0 {
            let issue = &mut self.warps.issues[WarpRef::new(s, self.warps.schedulers[s].last()).index()];
            issue.left -= issued;
            let stats = &mut self.counts.stats[issue.kernel.index()];
            stats.warp_instructions += u64::from(issued);
            let threads = u64::from(issue.lanes) * u64::from(issued);
            stats.thread_instructions += threads;
            match issue.next {
                Next::Sfu => stats.special_thread_instructions += threads,
                Next::Shared => stats.shared_thread_instructions += threads,
                _ => {}
            }
            if self.gate.quotas.running() != 0 {
                self.gate.quotas.ran(s, issued, now);
            }
        }
    }

    /// A warp that has just issued has more instructions that it can issue one a cycle. The scheduler sleeps before the last of them if no
    /// other warp can come between, and before its kernel's quota may come to its end.
    fn run(&mut self, now: Cycle, at: WarpRef) {
        let (s, order) = (at.scheduler(), *self.warps.order);
        let Issue { kernel, lanes, left, .. } = self.warps.issues[at.index()];
        if left <= 1 || !self.warps.schedulers[s].stays(order) {
            return;
        }
        let quotas = &mut self.gate.quotas;
        let asleep = if quotas.any() { quotas.reserve(s, kernel, lanes, left - 1) } else { left - 1 };
        if asleep > 0 {
            self.calendar.mark(now, now + 1 + Cycle::from(asleep), 1 << s);
            self.calendar.remove(1 << s);
            *self.warps.greedy |= u8::from(order.is_greedy()) << s;
        }
    }

    #[inline(always)]
    fn issue_warp<const PLAIN: bool>(&mut self, now: Cycle, at: WarpRef, gates: &mut Gates, inputs: &Inputs) {
        let issue = &mut self.warps.issues[at.index()];
        issue.left -= 1;
        let Issue { next, lanes, latency, kernel, .. } = *issue;
        let threads = u64::from(lanes);
        let stats = &mut self.counts.stats[kernel.index()];
        stats.warp_instructions += 1;
        stats.thread_instructions += threads;
        let scheduler = &mut self.warps.schedulers[at.scheduler()];
        scheduler.issued(at.lane(), kernel);
        // One question for most instructions: which of the kinds it is is hard to predict.
        let special = next == Next::Sfu;
        if !special && next != Next::Alu {
            return self.issue_beyond(now, at, gates, inputs);
        }
        stats.special_thread_instructions += if special { threads } else { 0 };
        let interval = match special {
            true => self.units.sfu_interval,
            false if PLAIN => 1,
            false => self.units.alu_interval,
        };
        if interval > 1 {
            scheduler.occupy(special, now + interval);
        }
        let ready_from = now + Cycle::from(latency);
        self.has_issued(now, ready_from, interval == 1, at, inputs);
        if !PLAIN {
            self.spend_quota(now, kernel, lanes, ready_from);
        }
    }

    /// A warp issues an instruction for which arithmetic is not enough: an access or a barrier.
    #[inline(never)] // keeps `issue_warp` small
    fn issue_beyond(&mut self, now: Cycle, at: WarpRef, gates: &mut Gates, inputs: &Inputs) {
        let Issue { next, lanes, latency, kernel, .. } = self.warps.issues[at.index()];
        let threads = u64::from(lanes);
        let stats = &mut self.counts.stats[kernel.index()];
        match next {
            Next::Alu | Next::Sfu => {}
            Next::Shared | Next::SharedAhead => {
                let ways = Cycle::from(latency);
                stats.shared_thread_instructions += threads;
                stats.shared_conflict_cycles += ways - 1;
                let ready_from = match next {
                    Next::Shared => now + Cycle::from(self.units.shared_latency) + ways - 1,
                    _ => now + Cycle::from(self.timing(at, inputs).0),
                };
                self.port.shared_free = now + ways;
                if self.enter_queue(now, at.scheduler()) {
                    gates.take_shared(self.port.shared_free);
                } else {
                    self.take_port(at.scheduler(), gates);
                }
                self.has_issued(now, ready_from, true, at, inputs);
                self.spend_quota(now, kernel, lanes, ready_from);
            }
            Next::Load => {
                stats.load_instructions += 1;
                stats.global_thread_instructions += threads;
                let load = self.loads.open(at, kernel, now);
                self.warps.states[at.index()].loads += 1;
                if latency != 0 {
                    self.note_entry(at, load, inputs);
                }
                self.access_issues(now, (at, latency), Access::Read, load, gates, inputs);
                self.spend_on_access(kernel, lanes, Some(load));
            }
            Next::Store | Next::Atomic => {
                stats.store_instructions += 1;
                stats.global_thread_instructions += threads;
                let access = if next == Next::Store { Access::Write } else { Access::Atomic };
                let tag = if *self.awaits_stores { self.begin_store(at) } else { 0 };
                self.access_issues(now, (at, latency), access, tag, gates, inputs);
                self.spend_on_access(kernel, lanes, None);
            }
            Next::Barrier | Next::BarrierInteger => {
                let scheduler = &mut self.warps.schedulers[at.scheduler()];
                scheduler.ready &= !at.bit();
                scheduler.barrier |= at.bit();
                match next {
                    Next::Barrier => drop(self.occupy_alu(now, at.scheduler())),
                    _ => self.occupy_integer(now, at.scheduler()),
                }
                let warp = &mut self.warps.states[at.index()];
                if latency != 0 {
                    // A recorded warp's next instruction may wait for what came before the barrier.
                    warp.ready_from = now + Cycle::from(latency);
                }
                let slot = usize::from(warp.slot);
                self.spend_quota(now, kernel, lanes, now);
                self.arrive(now, slot, inputs);
            }
            Next::Fp64 => {
                let interval = self.occupy_fp64(now, at.scheduler());
                let ready_from = now + Cycle::from(latency);
                self.has_issued(now, ready_from, interval == 1, at, inputs);
                self.spend_quota(now, kernel, lanes, ready_from);
            }
            Next::Integer => {
                self.occupy_integer(now, at.scheduler());
                let ready_from = now + Cycle::from(latency);
                self.has_issued(now, ready_from, false, at, inputs);
                self.spend_quota(now, kernel, lanes, ready_from);
            }
            Next::Tensor => {
                let (apart, takes) = self.timing(at, inputs);
                self.warps.schedulers[at.scheduler()].occupy_tensor(now + Cycle::from(takes));
                let ready_from = now + Cycle::from(apart);
                self.has_issued(now, ready_from, false, at, inputs);
                self.spend_quota(now, kernel, lanes, ready_from);
            }
            Next::Sleep => {
                let warp = &self.warps.states[at.index()];
                let cycles = inputs.codes[kernel.index()][warp.launch.index()].sleep(warp.pc);
                self.occupy_alu(now, at.scheduler());
                self.has_issued(now, now + Cycle::from(cycles), false, at, inputs);
                self.spend_quota(now, kernel, lanes, now);
            }
        }
    }

    /// Cycles from the issue of a recorded warp's instruction to that of its next one, and those for which it takes a tensor unit.
    #[cold]
    fn timing(&self, at: WarpRef, inputs: &Inputs) -> (u32, u32) {
        let warp = &self.warps.states[at.index()];
        inputs.codes[warp.kernel.index()][warp.launch.index()].timing(warp.pc)
    }

    /// A scheduler issues to its integer unit.
    fn occupy_integer(&mut self, now: Cycle, scheduler: usize) {
        self.warps.schedulers[scheduler].occupy_integer(now + *self.units.int_interval);
    }

    /// A scheduler issues to its arithmetic unit. Returns for how long that is busy.
    fn occupy_alu(&mut self, now: Cycle, scheduler: usize) -> Cycle {
        let interval = self.units.alu_interval;
        if interval > 1 {
            self.warps.schedulers[scheduler].occupy(false, now + interval);
        }
        interval
    }

    /// A scheduler issues to the FP64 unit, its own or the SM's, or to its arithmetic unit where there is none. Returns for how long that is busy.
    fn occupy_fp64(&mut self, now: Cycle, scheduler: usize) -> Cycle {
        let Some(unit) = *self.units.fp64 else { return self.occupy_alu(now, scheduler) };
        let free = now + unit.interval;
        if unit.is_shared {
            self.warps.schedulers.iter_mut().for_each(|scheduler| scheduler.occupy_fp64(free));
            self.give_turn_after(scheduler);
            // Each instruction is one of the SM's: none runs ahead.
            return unit.interval.max(2);
        }
        if unit.interval > 1 {
            self.warps.schedulers[scheduler].occupy_fp64(free);
        }
        unit.interval
    }

    /// The CTA of a warp waits for a store from now on. Returns its slot.
    fn begin_store(&mut self, at: WarpRef) -> u16 {
        let slot = self.warps.states[at.index()].slot;
        if let Some(cta) = self.ctas.get_mut(slot.into()) {
            cta.stores += 1;
        }
        slot.into()
    }

    fn access_issues(&mut self, now: Cycle, (at, apart): (WarpRef, u8), access: Access, tag: u16, gates: &mut Gates, inputs: &Inputs) {
        if !self.enter_queue(now, at.scheduler()) {
            self.take_port(at.scheduler(), gates);
        }
        self.enter_lsu(at, access, tag, inputs);
        // A described kernel's next instruction may follow at once.
        self.has_issued(now, now + Cycle::from(apart.max(1)), true, at, inputs);
    }

    /// A warp has issued one instruction of its step: what follows, in cycle `ready_from` or later. `runs` says that its unit takes one a cycle.
    #[inline(always)]
    fn has_issued(&mut self, now: Cycle, ready_from: Cycle, runs: bool, at: WarpRef, inputs: &Inputs) {
        if self.warps.issues[at.index()].left == 0 {
            self.warps.states[at.index()].pc += 1;
            self.proceed(now, ready_from, at, inputs);
        } else if ready_from > now + 1 {
            self.warps.sleep_until(now, ready_from, at);
        } else if runs {
            self.run(now, at);
        }
    }

    /// A memory instruction takes a place of its scheduler's queue. Returns whether there are queues: without them it needs the LSU's port.
    #[inline]
    fn enter_queue(&mut self, now: Cycle, scheduler: usize) -> bool {
        let next = self.queues.push(now, scheduler);
        if let Some(next) = next.filter(|&next| next > now + 1) {
            self.warps.schedulers[scheduler].fill_queue(next);
        }
        next.is_some()
    }

    /// A scheduler uses the LSU's port in this cycle.
    fn take_port(&mut self, scheduler: usize, gates: &mut Gates) {
        gates.take(self.port.shared_free);
        self.give_turn_after(scheduler);
    }

    /// A scheduler has used what all share: the next one is looked at first.
    fn give_turn_after(&mut self, scheduler: usize) {
        self.port.turn = if scheduler + 1 == self.warps.schedulers.len() { 0 } else { scheduler as u8 + 1 };
    }

    fn enter_lsu(&mut self, at: WarpRef, access: Access, tag: u16, inputs: &Inputs) {
        let Warp { kernel, launch, pc, key, ref place, .. } = self.warps.states[at.index()];
        let code = &inputs.codes[kernel.index()][launch.index()];
        let (base, key) = code.base(pc, place, key);
        self.lsu.push(kernel, Instruction { base, key, pc, tag, launch, access });
        self.calendar.add(LSU);
        if self.gate.has_caps() {
            self.gate.cap(kernel, self.in_flight(kernel), inputs.controls);
        }
        if (self.lsu.full() | self.gate.capped()) >> kernel.0 & 1 == 1 {
            self.set_gates();
        }
        self.gate.spend_memory(kernel, inputs.controls);
    }

    /// A recorded warp's load has an entry of its scoreboard from now on.
    #[cold]
    fn note_entry(&mut self, at: WarpRef, load: u16, inputs: &Inputs) {
        let warp = &mut self.warps.states[at.index()];
        let entry = inputs.codes[warp.kernel.index()][warp.launch.index()].entry(warp.pc);
        warp.board.pending |= entry;
        *self.loads.get(load).entry = entry;
    }

    /// Memory instructions of a kernel that are under way: loads until they are complete, stores until they have left the LSU.
    pub(super) fn in_flight(&self, kernel: KernelId) -> u32 {
        let stats = &self.counts.stats[kernel.index()];
        (stats.load_instructions - stats.loads_done) as u32 + self.lsu.stores(kernel)
    }

    /// Memory instructions of every kernel that are under way, as `in_flight` counts them.
    pub(super) fn all_in_flight(&self) -> PerKernel<u32> {
        let mut all = PerKernel::all(0);
        KernelId::first(self.counts.stats.len()).for_each(|kernel| all[kernel] = self.in_flight(kernel));
        all
    }

    /// A memory instruction of a kernel may have left flight: updates the count.
    pub(super) fn uncap(&mut self, kernel: KernelId, controls: &SmControls) {
        if self.gate.capped() != 0 && self.gate.uncap(kernel, self.in_flight(kernel), controls) {
            self.set_gates();
        }
    }

    /// Tells the schedulers which kernels may not issue by their quotas, and which may send nothing more to the LSU.
    pub(super) fn set_gates(&mut self) {
        self.gate.quotas.hold(self.ctas.resident());
        let full = self.lsu.full() | self.gate.capped();
        for (s, scheduler) in self.warps.schedulers.iter_mut().enumerate() {
            self.calendar.add(u8::from(scheduler.close(self.gate.quotas.closed(), full)) << s);
        }
        self.lsu_gate.close(&mut self.counts, full);
    }

    #[inline(always)] // most often there are no quotas
    fn spend_quota(&mut self, now: Cycle, kernel: KernelId, lanes: u8, completes: Cycle) {
        if self.gate.quotas.any() && self.gate.quotas.issue(kernel, lanes, now, completes) {
            self.note_spent();
        }
    }

    fn spend_on_access(&mut self, kernel: KernelId, lanes: u8, load: Option<u16>) {
        if self.gate.quotas.any() && self.gate.quotas.issue_access(kernel, lanes, load) {
            self.note_spent();
        }
    }

    /// Closes the gates if a kernel has come to the end of its quota.
    #[inline]
    fn note_spent(&mut self) {
        if self.gate.quotas.newly_spent() {
            self.close_quotas();
        }
    }

    #[inline(never)] // so that the question before it is inlined
    fn close_quotas(&mut self) {
        *self.news.quotas_spent |= self.gate.quotas.all_spent(self.ctas.resident());
        *self.news.any |= *self.news.quotas_spent;
        self.set_gates();
        self.wake_schedulers();
    }

    /// Brings quotas up to cycle `now`, before anything issues in it.
    #[inline]
    pub(super) fn refill_quotas(&mut self, now: Cycle, controls: &SmControls) {
        if self.gate.quotas.any() && self.gate.quotas.is_watched(now, self.ctas.resident()) {
            self.step_quotas(now, controls);
        }
    }

    #[inline(never)] // so that the question before it is inlined
    fn step_quotas(&mut self, now: Cycle, controls: &SmControls) {
        let ending = self.gate.quotas.ending();
        if ending != 0 {
            self.end_runs(now, ending);
        }
        self.gate.quotas.charge(now);
        self.note_spent();
        let resident = self.ctas.resident();
        if self.gate.quotas.is_due(now, resident, controls) {
            self.end_runs(now, self.gate.quotas.running());
            let on_top = self.gate.quotas.refill(now, resident, controls);
            members(on_top.into(), false).for_each(|kernel| self.counts.stats[kernel as usize].quota_top_ups += 1);
            self.gate.quotas.newly_spent();
            self.set_gates();
            self.wake_schedulers();
        }
    }

    /// These schedulers, a bit each, no longer issue in their sleep.
    pub(super) fn end_runs(&mut self, now: Cycle, schedulers: u8) {
        for s in members(schedulers.into(), false).map(|s| s as usize) {
            self.settle_scheduler(now, s);
            self.gate.quotas.release(s);
        }
        self.calendar.add(schedulers);
    }

    /// Brings quotas that are worked out lazily up to the end of cycle `now`.
    pub(super) fn settle_quotas(&mut self, now: Cycle, controls: &SmControls) {
        let resident = self.ctas.resident();
        self.gate.quotas.charge(now);
        if self.gate.quotas.is_late_due(now, resident, controls) {
            self.gate.quotas.refill(now, resident, controls);
            self.gate.quotas.newly_spent();
            self.set_gates();
            self.wake_schedulers();
        }
    }

    /// Brings a warp to its next instruction, ready in cycle `at` or when the loads that it waits for are back.
    pub(super) fn proceed(&mut self, now: Cycle, at: Cycle, which: WarpRef, inputs: &Inputs) {
        let warp = &mut self.warps.states[which.index()];
        let scheduler = &mut self.warps.schedulers[which.scheduler()];
        let code = &inputs.codes[warp.kernel.index()][warp.launch.index()];
        let bit = which.bit();
        if scheduler.ready & scheduler.global & bit != 0 {
            self.lsu_gate.leave(&mut self.counts, warp.kernel);
        }
        let issue = loop {
            match code.issue(warp.pc) {
                Some(issue) if issue.next != Next::Load || u32::from(warp.loads) < self.warps.loads_per_warp => break issue,
                Some(_) => return self.wait(at, which, self.warps.loads_per_warp - 1),
                None => match warp.pass(code) {
                    Passed::Step => {}
                    Passed::Waits(loads) => return self.wait(at, which, loads),
                    Passed::Awaits(entries) => {
                        self.wait(at, which, u32::MAX);
                        self.warps.states[which.index()].board.awaited = entries;
                        return;
                    }
                    Passed::Exits => return self.exit(now, which, inputs),
                },
            }
        };
        self.warps.issues[which.index()] = issue;
        scheduler.set_next(bit, issue.next);
        if at <= now {
            scheduler.ready |= bit;
            self.calendar.add(1 << which.scheduler());
        } else if at > now + 1 || scheduler.ready & bit == 0 {
            return self.warps.sleep_until(now, at, which);
        }
        if scheduler.global & bit != 0 {
            self.lsu_gate.enter(&mut self.counts, issue.kernel, 1);
        }
    }

    /// A warp waits until at most `loads` of its loads are outstanding; it then goes on in cycle `at` or later.
    #[inline(never)] // keeps `proceed` small
    fn wait(&mut self, at: Cycle, which: WarpRef, loads: u32) {
        let warp = &mut self.warps.states[which.index()];
        let scheduler = &mut self.warps.schedulers[which.scheduler()];
        let bit = which.bit();
        warp.wait_for = loads;
        warp.ready_from = at;
        scheduler.set_next(bit, Next::default());
        if scheduler.missed & bit != 0 {
            self.counts.wait_for_memory(warp.kernel);
        }
        scheduler.ready &= !bit;
        scheduler.waiting |= bit;
    }

    /// A warp has come to its CTA's barrier, or has left: the last one opens it.
    fn arrive(&mut self, now: Cycle, slot: usize, inputs: &Inputs) {
        let Some(cta) = self.ctas.get_mut(slot) else { return };
        cta.arrived += 1;
        self.open_barrier(now, slot, inputs);
    }

    fn open_barrier(&mut self, now: Cycle, slot: usize, inputs: &Inputs) {
        let Some(cta) = self.ctas.get_mut(slot) else { return };
        if cta.arrived == 0 || cta.arrived < cta.live {
            return;
        }
        cta.arrived = 0;
        let warps = cta.warps;
        for (s, &mask) in warps.iter().enumerate().take(self.warps.schedulers.len()) {
            let mut waiting = mask & self.warps.schedulers[s].barrier;
            self.warps.schedulers[s].barrier &= !waiting;
            self.calendar.add(1 << s);
            while waiting != 0 {
                let lane = waiting.trailing_zeros();
                waiting &= waiting - 1;
                let which = WarpRef::new(s, lane);
                let warp = &mut self.warps.states[which.index()];
                warp.pc += 1;
                // Goes through the wheel, so that it does not matter which scheduler's warp came last.
                let at = warp.ready_from.max(now + 1);
                self.proceed(now, at, which, inputs);
            }
        }
    }

    #[inline(never)] // keeps `proceed` small
    fn exit(&mut self, now: Cycle, which: WarpRef, inputs: &Inputs) {
        let warp = &self.warps.states[which.index()];
        let (slot, kernel) = (usize::from(warp.slot), warp.kernel);
        // Charge the scheduler's sleep to its warp before the warp goes.
        self.settle_scheduler(now, which.scheduler());
        let scheduler = &mut self.warps.schedulers[which.scheduler()];
        scheduler.dismiss(which.lane(), kernel);
        self.calendar.add(1 << which.scheduler());
        self.counts.depart(kernel);
        let Some(cta) = self.ctas.get_mut(slot) else { return };
        cta.warps[which.scheduler()] &= !which.bit();
        cta.live -= 1;
        // Where the CTA waits for stores, its barrier does not.
        if cta.live > 0 {
            self.open_barrier(now, slot, inputs);
        } else if cta.is_done() {
            self.finish(now, slot, inputs);
        }
    }
}
