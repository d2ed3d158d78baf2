//! The CTA dispatcher: which kernel's next CTA goes where, and what comes after a kernel's last.
//!
//! Once a cycle each SM can take one CTA. Filter: of the kernels with CTAs left, those of the lowest `dispatch_rank` that the controls
//! allow there and whose CTA fits. Rank: of these, those of the lowest `placement_rank`. The experiment's `cta_order` chooses among them and
//! their waiting CTAs; where it has none of theirs for this SM, the next rank has its turn. A kernel's launches follow each other without
//! overlap, each after its gap; after the last one its run is done, and it starts again if the experiment says so.
//!
//! SMs are offered in the order of their numbers, starting at the one that the order names. The dispatcher sleeps until something that it
//! reads changes.

pub mod grid;
pub mod order;

use self::grid::Grid;
use self::order::{AnyOrder, CtaOrder, Offer, Shares};
use super::l1d::word_counts::WordCounts;
use super::sm::code::Code;
use super::sm::context::SavedCta;
use super::sm::ctas::FinishedCta;
use super::sm::{Inputs, Sm};
use crate::describe::ids::{Cycle, KernelId, Kernels, LaunchId, MAX_KERNELS, NEVER, PerKernel, Set};
use crate::interface::controls::Controls;
use crate::interface::observation::Progress;
use crate::interface::stats::KernelStats;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// How far a kernel is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Run {
    /// Launch of the sequence.
    pub launch: LaunchId,
    /// CTAs of the launch that have been placed.
    pub placed: u32,
    /// CTAs of the launch that have finished.
    pub done: u32,
    /// Times that the whole sequence has finished.
    pub runs: u64,
    /// Cycle in which the last one finished.
    pub finished_at: Cycle,
    /// Nothing is left to run.
    pub over: bool,
}

impl Run {
    /// Cycles from the beginning to the end of the last of its CTAs, when it last ran to its end.
    pub fn finished(&self) -> Option<Cycle> {
        (self.runs > 0).then_some(self.finished_at + 1)
    }
}

/// A CTA that was placed or that finished, for drawings and traces.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CtaEvent {
    /// Core cycle.
    pub cycle: Cycle,
    /// SM.
    pub sm: u16,
    /// Slot of the SM.
    pub slot: u8,
    /// Kernel.
    pub kernel: KernelId,
    /// Number in the grid.
    pub cta: u32,
    /// Placed, or finished.
    pub placed: bool,
    /// A context switch: the CTA was placed to resume, or left to resume later.
    pub switched: bool,
    /// The SM from which it was stolen, where the CTA order steals and this places it for the first time.
    pub stolen_from: Option<u16>,
}

/// The end of a launch, for drawings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaunchEnd {
    /// Core cycle in which it ended.
    pub cycle: Cycle,
    /// Kernel.
    pub kernel: KernelId,
    /// The kernel's counters then, from the beginning of the run; those of cycles may lack what sleeping SMs have not counted yet.
    pub stats: KernelStats,
    /// What the L1Ds hold then, as `Machine::l1_contents` says.
    pub held: Vec<WordCounts>,
}

/// What the end of a launch has brought about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ended {
    /// It was the last of its kernel's sequence.
    pub run: bool,
    /// The launch that begins.
    pub next: Option<LaunchId>,
}

/// The dispatcher's state.
#[derive(Clone, Debug)]
pub struct Dispatcher {
    runs: PerKernel<Run>,
    restart: bool,
    runs_done: u64,
    order: AnyOrder,
    /// The launch of each kernel that is under way.
    grids: Vec<Grid>,
    /// CTAs of each kernel that have begun and are on no SM, the first to go on first.
    saved: Vec<VecDeque<SavedCta>>,
    /// SMs that may have gained room for a CTA.
    changed: Set,
    /// The first cycle in which a launch opens that does not yet; `NEVER` without any.
    opens: Cycle,
    /// SMs on which each kernel's launch may run under the present controls; none of them is known after those or the launch have changed.
    open: Vec<Set>,
    sms: u16,
}

impl Dispatcher {
    /// A dispatcher with every kernel before its first CTA.
    pub fn new(sms: usize, codes: &[Vec<Code>], restart: bool, order: AnyOrder) -> Self {
        let mut dispatcher = Dispatcher {
            runs: PerKernel::all(Run::default()),
            restart,
            runs_done: 0,
            order,
            grids: alloc::vec![Grid::default(); codes.len()],
            saved: alloc::vec![VecDeque::new(); codes.len()],
            changed: Set::ALL,
            opens: NEVER,
            open: Vec::new(),
            sms: sms as u16,
        };
        KernelId::first(codes.len()).for_each(|kernel| dispatcher.begin(kernel, None, codes));
        dispatcher
    }

    /// Begins the kernel's current launch, its gap after the end of the one before.
    fn begin(&mut self, kernel: KernelId, ended: Option<Cycle>, codes: &[Vec<Code>]) {
        let code = &codes[kernel.index()][self.runs[kernel].launch.index()];
        let grid = &mut self.grids[kernel.index()];
        grid.begin(code, self.order.remembers());
        if let Some(ended) = ended.filter(|_| code.gap > 0) {
            grid.opens = ended + code.gap;
            self.opens = self.opens.min(grid.opens);
        }
        self.order.launch(kernel, grid, self.sms);
        self.open.clear();
    }

    /// The controls have changed: looks at every SM again.
    pub fn reconsider(&mut self) {
        self.changed = Set::ALL;
        self.open.clear();
    }

    /// Whether there is anything to look at.
    pub fn is_awake(&self) -> bool {
        !self.changed.is_empty()
    }

    /// The first cycle in which a launch opens that does not yet; `NEVER` without any.
    pub fn opens(&self) -> Cycle {
        self.opens
    }

    /// Opens the launches whose gap is over.
    pub fn open(&mut self, now: Cycle) {
        if now < self.opens {
            return;
        }
        for grid in self.grids.iter_mut().filter(|grid| grid.opens <= now) {
            grid.opens = 0;
        }
        self.opens = self.grids.iter().map(|grid| grid.opens).filter(|&opens| opens > 0).min().unwrap_or(NEVER);
        self.changed = Set::ALL;
    }

    /// SMs that may take a CTA in the next cycle that they are offered one.
    pub fn awaiting(&self) -> Set {
        self.changed
    }

    /// Whether an SM may take a CTA in the next cycle that it is offered one.
    pub fn awaits(&self, sm: u32) -> bool {
        self.changed.contains(sm)
    }

    /// The kernels of which a launch may end within a few cycles unless an SM has a CTA that does not finish, a bit each. In these cycles
    /// at most `ctas` CTAs find a place. `None` if something else may happen that more than one SM would notice.
    pub fn may_end(&self, ctas: u32, controls: &Controls) -> Option<Kernels> {
        let mut ending = 0;
        for (kernel, grid) in KernelId::first(self.grids.len()).zip(&self.grids) {
            let run = &self.runs[kernel];
            let last = !run.over && grid.ctas - run.placed <= ctas;
            if last && !grid.is_placed() && self.has_other_rank(kernel, controls) {
                return None;
            }
            ending |= Kernels::from(last) << kernel.0;
        }
        Some(ending)
    }

    /// Whether CTAs of another kernel wait that have another rank.
    fn has_other_rank(&self, kernel: KernelId, controls: &Controls) -> bool {
        let rank = controls.dispatch_rank[kernel];
        KernelId::first(self.grids.len()).any(|other| controls.dispatch_rank[other] != rank && !self.grids[other.index()].is_placed())
    }

    /// How far a kernel is.
    pub fn run(&self, kernel: KernelId) -> &Run {
        &self.runs[kernel]
    }

    /// Times that any kernel has run to its end.
    pub fn runs_done(&self) -> u64 {
        self.runs_done
    }

    /// A CTA has finished on `sm`. Returns whether it was the last of its launch.
    pub fn retire(&mut self, now: Cycle, sm: usize, finished: FinishedCta, codes: &[Vec<Code>]) -> bool {
        self.changed.insert(sm as u32);
        self.order.finished(now, sm as u16, finished.kernel, finished.cta);
        let run = &mut self.runs[finished.kernel];
        run.done += 1;
        run.done == codes[finished.kernel.index()][run.launch.index()].ctas
    }

    /// A launch has ended: the kernel's next begins, if there is one.
    pub fn end_launch(&mut self, now: Cycle, kernel: KernelId, codes: &[Vec<Code>]) -> Ended {
        let launches = &codes[kernel.index()];
        let run = &mut self.runs[kernel];
        (run.placed, run.done) = (0, 0);
        run.launch.0 += 1;
        let last = run.launch.index() == launches.len();
        if last {
            run.launch = LaunchId(0);
            run.runs += 1;
            self.runs_done += 1;
            run.finished_at = now;
            run.over = !self.restart;
        }
        let next = (!run.over).then_some(run.launch);
        if next.is_some() {
            self.begin(kernel, Some(now), codes);
        }
        // Any SM may take the new launch's CTAs, and a kernel of higher rank may have its turn.
        self.changed = Set::ALL;
        Ended { run: last, next }
    }

    /// Keeps a CTA that has left its SM until an SM has room for it.
    pub fn keep(&mut self, saved: SavedCta) {
        self.saved[saved.kernel().index()].push_back(saved);
        self.changed = Set::ALL;
    }

    /// CTAs of a kernel that have begun and are on no SM.
    pub fn saved(&self, kernel: KernelId) -> u32 {
        self.saved[kernel.index()].len() as u32
    }

    /// What each SM has before it of a kernel's launch, if the CTA order deals chunks.
    pub fn shares(&self, kernel: KernelId) -> Option<Shares> {
        self.order.shares(kernel)
    }

    /// What a policy may read of how far a kernel is.
    pub fn progress(&self, kernel: KernelId) -> Progress {
        let run = self.runs[kernel];
        let waiting = if run.over { 0 } else { self.grids[kernel.index()].ctas - run.placed + self.saved(kernel) };
        Progress { launch: run.launch, placed: run.placed, waiting, done: run.done, runs: run.runs }
    }

    /// Places CTAs in the cycle `now`.
    pub fn place(&mut self, now: Cycle, sms: &mut [Sm], controls: &Controls, codes: &[Vec<Code>], mut placed: impl FnMut(CtaEvent)) {
        let offered = core::mem::take(&mut self.changed);
        let first = self.order.first_sm();
        if self.open.is_empty() {
            self.find_open(sms, controls, codes);
        }
        for index in (first..self.sms).chain(0..first).filter(|&sm| offered.contains(sm.into())) {
            let sm = &mut sms[usize::from(index)];
            let allowed = self.allowed(index.into(), sm, controls, codes);
            if allowed == 0 {
                continue;
            }
            let inputs = &Inputs { controls: &controls.sms[usize::from(index)], codes };
            // CTAs that have begun go first: those of the first kernel that has any.
            let begun = KernelId::first(codes.len()).filter(|kernel| allowed >> kernel.0 & 1 == 1);
            if let Some((kernel, saved)) = begun.into_iter().find_map(|kernel| Some((kernel, self.saved[kernel.index()].pop_front()?))) {
                self.changed.insert(index.into());
                let cta = saved.cta();
                let slot = sm.resume(now, saved, inputs);
                placed(CtaEvent { cycle: now, sm: index, slot, kernel, cta, placed: true, switched: true, stolen_from: None });
                continue;
            }
            let Some((kernel, cta)) = self.choose(now, index, sm, allowed, controls) else { continue };
            let grid = &mut self.grids[kernel.index()];
            assert!(allowed >> kernel.0 & 1 == 1 && grid.take(cta, index), "the order chooses an allowed kernel and a CTA that waits");
            if grid.is_placed() && self.has_other_rank(kernel, controls) {
                // Nothing of this kernel is left to place: one of higher rank may have its turn on the SMs passed over.
                self.changed = Set::ALL;
            }
            self.changed.insert(index.into());
            let run = &mut self.runs[kernel];
            run.placed += 1;
            let slot = sm.launch(now, kernel, run.launch, cta, inputs);
            placed(CtaEvent {
                cycle: now,
                sm: index,
                slot,
                kernel,
                cta,
                placed: true,
                switched: false,
                stolen_from: self.order.stolen_from(),
            });
        }
    }

    /// The CTA that goes to an SM: of the `allowed` kernels of the lowest rank, or of the next rank where the CTA order has none of theirs for this SM.
    fn choose(&mut self, now: Cycle, index: u16, sm: &Sm, allowed: Kernels, controls: &Controls) -> Option<(KernelId, u32)> {
        let mut left = allowed;
        while left != 0 {
            let first = first_ranked(left, &controls.placement_rank);
            left &= !first;
            let offer = Offer { now, sm: index, sms: self.sms, room: sm.ctas.room(), allowed: first, open: &self.open, grids: &self.grids };
            let chosen = self.order.choose(&offer);
            if chosen.is_some() {
                return chosen;
            }
            if self.order.waits(&offer) {
                self.changed.insert(index.into());
            }
        }
        None
    }

    /// Finds the SMs that may hold CTAs of each kernel's launch, when they have room.
    fn find_open(&mut self, sms: &[Sm], controls: &Controls, codes: &[Vec<Code>]) {
        for (kernel, launches) in KernelId::first(codes.len()).zip(codes) {
            let code = &launches[self.runs[kernel].launch.index()];
            let mut open = Set::EMPTY;
            for (index, (sm, controls)) in (0..).zip(sms.iter().zip(&controls.sms)) {
                open.put(index, controls.allowed[kernel] && controls.cta_target[kernel] > 0 && sm.ctas.holds(code));
            }
            self.open.push(open);
        }
    }

    /// Kernels that may get room on an SM, a bit each.
    fn allowed(&self, index: usize, sm: &Sm, controls: &Controls, codes: &[Vec<Code>]) -> Kernels {
        let pending = KernelId::first(codes.len()).filter(|kernel| self.grids[kernel.index()].is_offered() || self.saved(*kernel) > 0);
        let Some(rank) = pending.clone().map(|kernel| controls.dispatch_rank[kernel]).min() else { return 0 };
        let allowed = |kernel: &KernelId| {
            controls.dispatch_rank[*kernel] == rank
                && controls.sms[index].allowed[*kernel]
                && sm.ctas.used(*kernel).ctas < u32::from(controls.sms[index].cta_target[*kernel])
                && sm.ctas.fits(&codes[kernel.index()][self.runs[*kernel].launch.index()])
        };
        pending.filter(allowed).fold(0, |set, kernel| set | 1 << kernel.0)
    }
}

/// Those of some kernels that have the lowest rank of them.
fn first_ranked(kernels: Kernels, rank: &PerKernel<u8>) -> Kernels {
    let each = || KernelId::first(MAX_KERNELS).filter(|kernel| kernels >> kernel.0 & 1 == 1);
    let lowest = each().map(|kernel| rank[kernel]).min();
    each().filter(|&kernel| Some(rank[kernel]) == lowest).fold(0, |set, kernel| set | 1 << kernel.0)
}

/// The number of SMs does not change during a run, and `open` follows from the controls.
impl Hash for Dispatcher {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.runs, self.grids.len() as u8, self.restart, self.runs_done).hash(state);
        (&self.order, self.changed).hash(state);
        self.grids.iter().for_each(|grid| grid.hash(state));
        self.saved.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::gpu::SmClass;
    use crate::describe::kernel::library;
    use crate::machine::dispatch::order::CtaOrderSpec;

    /// A launch opens its gap after the end of the one before, and the first at once.
    #[test]
    fn a_launch_opens_its_gap_after_the_one_before() {
        let mut kernel = library::find("VADD").unwrap();
        kernel.launches[0].gap = 50;
        let codes = [Code::compile(&kernel, 0, 1, 128, &SmClass { shared_banks: 32, ..SmClass::default() })];
        let mut dispatcher = Dispatcher::new(2, &codes, true, AnyOrder::new(&CtaOrderSpec::default(), 2, 1));
        assert_eq!(dispatcher.opens, NEVER);
        dispatcher.begin(KernelId(0), Some(100), &codes);
        assert_eq!((dispatcher.opens, dispatcher.grids[0].opens), (150, 150));
    }
}
