//! The mechanisms, and nothing else: everything that has a clock, as plain data that one function advances by one cycle.
//!
//! Sink first, memory side before SM side, and every link at least one cycle long, so that nothing moves two stages in one cycle. Within a
//! phase no part reads what another part of the same phase writes, so the order of parts does not matter (`Machine::reversed`).
//! A part with nothing to do is not looked at, and a cycle in which no part has anything to do is not simulated at all
//! (`Machine::keep_awake` switches both off; the results are the same). Where nobody can tell the difference, SMs run ahead of each other
//! (`ahead`).

mod ahead;
pub mod cache;
pub mod calendar;
pub mod clock;
pub mod coherence;
pub mod contents;
pub mod derived;
pub mod dispatch;
pub mod dram;
pub mod l1d;
pub mod l2;
pub mod link;
pub mod memory;
pub mod noc;
pub mod noc_port;
pub mod packet;
mod roll;
pub mod sm;
pub mod threads;

use self::dispatch::order::{AnyOrder, CtaOrderSpec, Shares};
use self::dispatch::{CtaEvent, Dispatcher, Ended, LaunchEnd, Run};
use self::memory::Memory;
use self::noc_port::NocPort;
use self::sm::Sm;
use self::sm::code::{self, Code};
use self::sm::ctas::FinishedCta;
use self::threads::Threads;
use crate::describe::gpu::{Gpu, SmClass};
use crate::describe::ids::{Cycle, KernelId, Kernels, LineAddr, NEVER, PerKernel, Set};
use crate::describe::kernel::Kernel;
use crate::interface::controls::{Controls, SmControls};
use crate::interface::event::{Event, EventKind, EventKinds};
use crate::interface::observation::Progress;
use crate::interface::stats::{KernelStats, StallCounts};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use core::ops::Range;

/// The GPU and the kernels on it.
#[derive(Clone, Debug)]
pub struct Machine {
    gpu: Arc<Gpu>,
    codes: Arc<Vec<Vec<Code>>>,
    /// The lines of each array in ascending order, with its number: the arrays of all kernels are counted in the order of the mix.
    arrays: Arc<[(Range<LineAddr>, u32)]>,
    /// The present cycle: the next one to be simulated.
    pub now: Cycle,
    /// The SMs.
    pub sms: Vec<Sm>,
    /// NoC, L2 and DRAM.
    pub memory: Memory,
    /// Where each SM meets it: nothing is there but while SMs are followed.
    ports: Vec<NocPort>,
    dispatcher: Dispatcher,
    controls: Controls,
    /// SMs whose CTAs are known to keep each kernel's launch from its end: where to look first.
    witness: PerKernel<u16>,
    /// Cycles simulated since one was skipped.
    busy: u64,
    /// While SMs run ahead: the cycle in which each has stopped.
    stops: Vec<Cycle>,
    /// Who shares the work, if anyone does.
    threads: Option<Arc<dyn Threads>>,
    /// Kernels whose CTAs have all finished and whose launch ends when every L1D has made known what it wrote, a bit each.
    releases: Kernels,
    /// Whether CTAs have ever been asked to leave their SMs.
    switches: bool,
    /// Placements and retirements since they were last taken, if `record_events`.
    pub events: Vec<CtaEvent>,
    /// Ends of launches since they were last taken, if `record_events`.
    pub launch_ends: Vec<LaunchEnd>,
    /// Whether `events` and `launch_ends` are kept.
    pub record_events: bool,
    /// CTAs placed and finished so far.
    pub event_count: u64,
    /// Events since they were last taken, of the kinds that `listen_to` asked for.
    pub heard: Vec<Event>,
    listens_to: EventKinds,
    /// Test switch: parts of a phase are advanced in reverse order.
    pub reversed: bool,
    /// Test switch: every part is looked at in every cycle.
    pub keep_awake: bool,
}

/// An SM whose division keeps a kernel's CTAs out: shared memory, bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Divided {
    /// What the kernel wants.
    pub wanted: u32,
    /// What the SM has.
    pub has: u32,
}

impl Machine {
    /// A machine at cycle 0. GPU and kernels are valid and fit each other.
    pub fn new(gpu: &Gpu, kernels: &[Kernel], seed: u64, restart: bool, order: &CtaOrderSpec, controls: Controls) -> Self {
        let order = AnyOrder::new(order, gpu.sm_count() as usize, kernels.len());
        Machine::with_order(gpu, kernels, seed, restart, order, controls)
    }

    /// A machine before its first cycle, whose CTAs go to SMs in the order that `order` says.
    pub fn with_order(gpu: &Gpu, kernels: &[Kernel], seed: u64, restart: bool, order: AnyOrder, controls: Controls) -> Self {
        let count = kernels.len();
        let compile = |(index, kernel)| Code::compile(kernel, index, seed, gpu.l2.line_bytes, &gpu.sms[0]);
        let codes: Vec<Vec<Code>> = kernels.iter().enumerate().map(compile).collect();
        let arrays = (0..).zip(kernels).flat_map(|(index, kernel)| code::layout(kernel, index, gpu.l2.line_bytes));
        let mut arrays: Vec<_> = arrays.map(|(_, lines)| lines).zip(0..).collect();
        arrays.sort_unstable_by_key(|(lines, _)| lines.start);
        let memory = Memory::new(gpu, count, seed);
        let mut machine = Machine {
            now: 0,
            ports: alloc::vec![memory.port(); gpu.sm_count() as usize],
            sms: (0..gpu.sm_count()).map(|id| Sm::new(gpu, id as u16, count)).collect(),
            memory,
            dispatcher: Dispatcher::new(gpu.sm_count() as usize, &codes, restart, order),
            codes: Arc::new(codes),
            arrays: arrays.into(),
            events: Vec::new(),
            launch_ends: Vec::new(),
            record_events: false,
            event_count: 0,
            heard: Vec::new(),
            listens_to: EventKinds::NONE,
            reversed: false,
            keep_awake: false,
            gpu: Arc::new(gpu.clone()),
            controls: controls.clone(),
            witness: PerKernel::all(0),
            releases: 0,
            busy: 0,
            stops: alloc::vec![NEVER; gpu.sm_count() as usize],
            threads: None,
            switches: controls.sms.iter().any(|sm| sm.cta_switch.0.contains(&true)),
        };
        for (sm, controls) in machine.sms.iter_mut().zip(&controls.sms) {
            sm.controls_changed(0, &SmControls::neutral(controls.warp_order), controls);
        }
        machine.memory.controls_changed(&controls);
        if gpu.owns() {
            let mut read_only: Vec<_> =
                (0..).zip(kernels).flat_map(|(index, kernel)| code::read_only(kernel, index, gpu.l2.line_bytes)).collect();
            read_only.sort_unstable_by_key(|lines| lines.start);
            let read_only = read_only.into();
            machine.sms.iter_mut().for_each(|sm| sm.keeps(&read_only));
        }
        machine
    }

    /// Simulates one cycle.
    pub fn step(&mut self) {
        let now = self.now;
        self.memory.run_ahead(now, now + 1, &self.controls, self.reversed);
        let mut news = Set::EMPTY;
        for index in Set::below(self.sms.len() as u32).members(self.reversed) {
            if self.is_due(index, now) {
                self.memory.open(index, &mut self.ports[index as usize]);
                if self.keep_awake {
                    self.sms[index as usize].keep_awake(now);
                }
                news.put(index, self.follow(index, now, now + 1) == now);
                self.memory.take_in(index, &mut self.ports[index as usize]);
            }
        }
        self.memory.caught_up(now + 1);
        if !news.is_empty() {
            self.collect(now, news);
        }
        self.place(now);
        self.now += 1;
        self.busy += 1;
    }

    /// From now on these threads share the work of what is long enough for it; the results are the same.
    pub fn share_work(&mut self, threads: Option<Arc<dyn Threads>>) {
        self.threads = threads;
    }

    /// From now on `heard` has events of these kinds.
    pub fn listen_to(&mut self, kinds: EventKinds) {
        self.listens_to = kinds;
        self.heard.clear();
        for sm in &mut self.sms {
            (*sm.news.quotas_spent, *sm.news.preempted) = (false, 0);
        }
    }

    /// Takes what these SMs have done with their CTAs, and the events that the policy wants to hear of.
    #[inline(never)] // rare
    fn collect(&mut self, now: Cycle, news: Set) {
        let quotas = self.listens_to.has(EventKind::QuotasSpent);
        for index in news.members(false) {
            let index = index as usize;
            *self.sms[index].news.any = false;
            while let Some((slot, saved)) = self.sms[index].news.switched_out.pop() {
                self.record_left(now, index, (slot, saved.kernel(), saved.cta()), true);
                self.dispatcher.keep(saved);
            }
            if self.listens_to.has(EventKind::PreemptionDone) {
                let preempted = core::mem::take(&mut *self.sms[index].news.preempted);
                for kernel in KernelId::first(self.codes.len()).filter(|kernel| preempted >> kernel.0 & 1 == 1) {
                    self.heard.push(Event::PreemptionDone { sm: index as u16, kernel });
                }
            }
            if quotas && core::mem::take(&mut *self.sms[index].news.quotas_spent) {
                self.heard.push(Event::QuotasSpent { sm: index as u16 });
            }
            while let Some(finished) = self.sms[index].news.finished.pop() {
                self.record_left(now, index, (finished.slot, finished.kernel, finished.cta), false);
                let last = self.dispatcher.retire(self.now, index, finished, &self.codes);
                let FinishedCta { kernel, cta, .. } = finished;
                self.tell(EventKind::CtaRetired, Event::CtaRetired { sm: index as u16, kernel, cta });
                if last {
                    self.sms.iter_mut().for_each(|sm| sm.launch_ended(now, kernel));
                    self.releases |= 1 << kernel.0;
                    self.end_launches(now);
                }
            }
        }
        if self.releases != 0 {
            self.end_launches(now);
        }
    }

    /// Counts, and keeps where events are kept, that a CTA has left its slot: switched out, or finished.
    fn record_left(&mut self, now: Cycle, sm: usize, (slot, kernel, cta): (u8, KernelId, u32), switched: bool) {
        self.event_count += 1;
        if self.record_events {
            self.events.push(CtaEvent { cycle: now, sm: sm as u16, slot, kernel, cta, placed: false, switched, stolen_from: None });
        }
    }

    /// Ends the launches whose CTAs have finished, and of which no L1D keeps anything that others may not know yet.
    fn end_launches(&mut self, now: Cycle) {
        let releasing = self.sms.iter().fold(0, |kernels, sm| kernels | sm.l1().releasing());
        let ended = core::mem::replace(&mut self.releases, releasing) & !releasing;
        for kernel in KernelId::first(self.codes.len()).filter(|kernel| ended >> kernel.0 & 1 == 1) {
            if self.record_events {
                let held = self.l1_contents();
                self.launch_ends.push(LaunchEnd { cycle: now, kernel, stats: self.kernel_stats(kernel), held });
            }
            let Ended { run, next } = self.dispatcher.end_launch(now, kernel, &self.codes);
            if run {
                self.tell(EventKind::KernelFinished, Event::KernelFinished { kernel });
            }
            if let Some(launch) = next {
                self.tell(EventKind::KernelLaunched, Event::KernelLaunched { kernel, launch });
            }
        }
    }

    /// Places CTAs if any may find room.
    fn place(&mut self, now: Cycle) {
        self.dispatcher.open(now);
        if self.dispatcher.is_awake() {
            let (count, record, events) = (&mut self.event_count, self.record_events, &mut self.events);
            self.dispatcher.place(now, &mut self.sms, &self.controls, &self.codes, |event| {
                *count += 1;
                if record {
                    events.push(event);
                }
            });
        }
    }

    /// Notes an event, if the policy wants to hear of its kind.
    fn tell(&mut self, kind: EventKind, event: Event) {
        if self.listens_to.has(kind) {
            self.heard.push(event);
        }
    }

    /// The next cycle in which any part has something to do; `NEVER` if nothing will ever happen again.
    pub fn next_event(&self) -> Cycle {
        if self.keep_awake || self.dispatcher.is_awake() || self.now == 0 || !self.memory.with_replies().is_empty() {
            return self.now;
        }
        // An SM that waits for room in the NoC is woken by what the NoC does next.
        let next = self.sms.iter().map(Sm::next_event).min().unwrap_or(NEVER).min(self.dispatcher.opens());
        if next <= self.now { self.now } else { next.min(self.memory.next_event(self.now - 1)) }
    }

    /// Whether nothing will ever happen again under the present controls, but for refreshes of DRAM.
    pub fn is_still(&self) -> bool {
        let still = self.now > 0 && !self.dispatcher.is_awake() && self.dispatcher.opens() == NEVER && self.memory.is_still(self.now - 1);
        still && self.memory.with_replies().is_empty() && self.sms.iter().all(|sm| sm.next_event() == NEVER)
    }

    /// The first cycle in which anything can happen but refreshes of an idle DRAM: the present one if something may happen at once, or if quotas
    /// are filled up meanwhile.
    pub fn rests_until(&self) -> Cycle {
        if self.keep_awake || self.dispatcher.is_awake() || self.now == 0 || !self.memory.with_replies().is_empty() {
            return self.now;
        }
        let next = self.sms.iter().map(Sm::next_event).min().unwrap_or(NEVER).min(self.dispatcher.opens());
        let quotas = || self.sms.iter().any(|sm| sm.gate().quotas.any());
        if next > self.now && self.memory.rests(self.now - 1) && !quotas() { next } else { self.now }
    }

    /// Moves to `cycle`, up to which it rests: at most `rests_until`.
    pub fn rest_to(&mut self, cycle: Cycle) {
        self.memory.rest(cycle - self.now);
        self.busy = 0;
        self.now = cycle;
    }

    /// Moves to `cycle` without simulating what lies between, in which nothing happens: at most `next_event`.
    pub fn skip_to(&mut self, cycle: Cycle) {
        self.memory.skip(cycle - self.now);
        self.busy = 0;
        self.now = cycle;
    }

    /// Replaces the actuators from the present cycle on.
    pub fn set_controls(&mut self, mut controls: Controls) {
        controls.keep_kernels(self.kernels());
        if controls == self.controls {
            return;
        }
        for (sm, (before, after)) in self.sms.iter_mut().zip(self.controls.sms.iter().zip(&controls.sms)) {
            if before != after {
                sm.controls_changed(self.now, before, after);
            }
        }
        self.switches |= controls.sms.iter().any(|sm| sm.cta_switch.0.contains(&true));
        self.memory.controls_changed(&controls);
        self.controls = controls;
        self.dispatcher.reconsider();
    }

    /// The actuators.
    pub fn controls(&self) -> &Controls {
        &self.controls
    }

    /// The hardware.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Launches of a kernel, ready for issue.
    pub fn codes(&self, kernel: KernelId) -> &[Code] {
        &self.codes[kernel.index()]
    }

    /// Kernels of the mix.
    pub fn kernels(&self) -> usize {
        self.codes.len()
    }

    /// Times that any kernel has run to its end.
    pub fn runs_done(&self) -> u64 {
        self.dispatcher.runs_done()
    }

    /// How far a kernel is.
    pub fn run(&self, kernel: KernelId) -> &Run {
        self.dispatcher.run(kernel)
    }

    /// What a policy may read of it.
    pub fn progress(&self, kernel: KernelId) -> Progress {
        self.dispatcher.progress(kernel)
    }

    /// CTAs of a kernel that have left an SM by a context switch and are on none.
    pub fn saved(&self, kernel: KernelId) -> u32 {
        self.dispatcher.saved(kernel)
    }

    /// What each SM has before it of a kernel's launch, if the CTA order deals chunks.
    pub fn shares(&self, kernel: KernelId) -> Option<Shares> {
        self.dispatcher.shares(kernel)
    }

    /// The code of the launch that a kernel is at.
    pub fn code_now(&self, kernel: KernelId) -> &Code {
        &self.codes(kernel)[self.run(kernel).launch.index()]
    }

    /// How an SM is divided on which a kernel's CTAs wait for nothing else: they are allowed there, and there is room, but not as the SM is
    /// divided for others.
    pub fn divided_for_others(&self, kernel: KernelId) -> Option<Divided> {
        let code = self.code_now(kernel);
        let Progress { waiting, .. } = self.progress(kernel);
        let waits = |(sm, controls): &(&Sm, &SmControls)| {
            let may = controls.allowed[kernel] && sm.ctas.used(kernel).ctas < u32::from(controls.cta_target[kernel]);
            may && sm.ctas.divided_for_others(code)
        };
        let (sm, _) = self.sms.iter().zip(&self.controls.sms).find(waits).filter(|_| waiting > 0)?;
        Some(Divided { wanted: sm.ctas.wanted(code), has: sm.ctas.division()? })
    }

    /// Feeds everything that decides how the run goes on, and every counter, to `state`; call `settle` first. Derived facts and the test
    /// switches stay out.
    pub fn hash_state(&self, state: &mut impl Hasher) {
        self.now.hash(state);
        self.sms.hash(state);
        self.memory.hash(state);
        self.dispatcher.hash(state);
        self.controls.hash_set(self.kernels(), state);
    }

    /// Brings counters that are charged lazily up to the present cycle.
    pub fn settle(&mut self) {
        for (sm, controls) in self.sms.iter_mut().zip(&self.controls.sms) {
            sm.settle(self.now, controls);
        }
    }

    /// What a kernel did so far, over the whole GPU; call `settle` first.
    pub fn kernel_stats(&self, kernel: KernelId) -> KernelStats {
        let mut sum = self.memory.stats[kernel.index()];
        for sm in &self.sms {
            sum += sm.stats()[kernel.index()];
        }
        sum.runs_done = self.run(kernel).runs;
        sum
    }

    /// What each kernel did so far on the SMs of each class, without what L2 and DRAM count; empty where there is one class. Call `settle` first.
    pub fn class_stats(&self) -> Vec<Vec<KernelStats>> {
        if let [_] = self.gpu.sms[..] {
            return Vec::new();
        }
        let mut sms = self.sms.iter();
        let of_class = |class: &SmClass| {
            let mut sum = alloc::vec![KernelStats::default(); self.kernels()];
            for sm in sms.by_ref().take(class.count as usize) {
                sum.iter_mut().zip(sm.stats()).for_each(|(sum, &stats)| *sum += stats);
            }
            sum
        };
        self.gpu.sms.iter().map(of_class).collect()
    }

    /// The most memory instructions that a kernel with a cap has had in flight on any SM since `forget_peaks`; 0 without a cap.
    pub fn peak_in_flight(&self, kernel: KernelId) -> u32 {
        self.sms.iter().map(|sm| sm.gate().peak_in_flight(kernel)).max().unwrap_or(0)
    }

    /// Restarts the peaks at the number in flight now.
    pub fn forget_peaks(&mut self) {
        self.sms.iter_mut().zip(&self.controls.sms).for_each(|(sm, controls)| sm.forget_peaks(controls));
    }

    /// What a kernel would have hit in the monitored sets of every L1D if it had the caches to itself, by position in the LRU stack; empty
    /// without monitors.
    pub fn l1_utility(&self, kernel: KernelId) -> Vec<u64> {
        let mut sum = Vec::new();
        for sm in &self.sms {
            let hits = sm.l1().utility(kernel);
            sum.resize(hits.len().max(sum.len()), 0);
            sum.iter_mut().zip(hits).for_each(|(sum, hits)| *sum += hits);
        }
        sum
    }

    /// Scheduler-cycles of the whole GPU by stall cause; call `settle` first.
    pub fn stalls(&self) -> StallCounts {
        let mut sum = StallCounts::default();
        for scheduler in self.sms.iter().flat_map(|sm| sm.schedulers().iter()) {
            sum += scheduler.stalls;
        }
        sum
    }

    /// Cycles in which schedulers stalled while they held warps of a kernel, by what kept its warps; call `settle` first.
    pub fn kernel_stalls(&self, kernel: KernelId) -> StallCounts {
        let mut sum = StallCounts::default();
        for sm in &self.sms {
            sum += sm.kernel_stalls()[kernel.index()];
        }
        sum
    }
}

#[cfg(test)]
mod tests;
