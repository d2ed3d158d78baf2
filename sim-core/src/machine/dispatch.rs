//! The CTA dispatcher: which kernel's next CTA goes where, and what comes after a kernel's last.
//!
//! Once a cycle each SM can take one CTA. Filter: kernels with CTAs left that the controls allow there and whose CTA fits. Rank: the
//! lowest `dispatch_rank`, then by turns. Commit: the next CTA of that kernel's grid. A kernel's launches follow each other without
//! overlap; after the last one its run is done, and it starts again if the experiment says so.
//!
//! SMs are offered in the order of their numbers, which fixes the numbers of the CTAs that they get. The dispatcher sleeps while nothing
//! has changed that it looks at.

use super::sm::code::Code;
use super::sm::{FinishedCta, Sm, World};
use crate::describe::ids::{Cycle, KernelId, PerKernel};
use crate::seam::controls::Controls;
use alloc::vec::Vec;

/// How far a kernel is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Run {
    /// Launch of the sequence.
    pub launch: u8,
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

/// A CTA that was placed or that finished, for whoever draws or traces.
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
}

/// The dispatcher's state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Dispatcher {
    runs: PerKernel<Run>,
    kernels: u8,
    restart: bool,
    runs_done: u64,
    /// The kernel that each SM took last.
    last: Vec<KernelId>,
    /// SMs that may have room for a CTA that was not there before.
    changed: u64,
}

impl Dispatcher {
    /// A dispatcher with every kernel before its first CTA.
    pub fn new(sms: usize, kernels: usize, restart: bool) -> Self {
        let last = alloc::vec![KernelId(kernels.saturating_sub(1) as u8); sms];
        Dispatcher { runs: PerKernel::all(Run::default()), kernels: kernels as u8, restart, runs_done: 0, last, changed: u64::MAX }
    }

    /// Has every SM looked at again: the controls have changed.
    pub fn reconsider(&mut self) {
        self.changed = u64::MAX;
    }

    /// Whether there is anything to look at.
    pub fn is_awake(&self) -> bool {
        self.changed != 0
    }

    /// How far a kernel is.
    pub fn run(&self, kernel: KernelId) -> &Run {
        &self.runs[kernel]
    }

    /// Times that any kernel has run to its end.
    pub fn runs_done(&self) -> u64 {
        self.runs_done
    }

    /// A CTA has finished on `sm`.
    pub fn retire(&mut self, now: Cycle, sm: usize, finished: FinishedCta, codes: &[Vec<Code>]) {
        self.changed |= 1 << sm;
        let launches = &codes[finished.kernel.index()];
        let run = &mut self.runs[finished.kernel];
        run.done += 1;
        if run.done < launches[usize::from(run.launch)].ctas {
            return;
        }
        (run.placed, run.done) = (0, 0);
        run.launch += 1;
        if usize::from(run.launch) == launches.len() {
            run.launch = 0;
            run.runs += 1;
            self.runs_done += 1;
            run.finished_at = now;
            run.over = !self.restart;
        }
        // CTAs have appeared that any SM may take, and a kernel of higher rank may have its turn.
        self.changed = u64::MAX;
    }

    /// Places CTAs in the cycle `now`.
    pub fn place(&mut self, now: Cycle, sms: &mut [Sm], world: World, mut placed: impl FnMut(CtaEvent)) {
        let mut offer = core::mem::take(&mut self.changed);
        while offer != 0 {
            let index = offer.trailing_zeros() as usize;
            offer &= offer - 1;
            let Some(sm) = sms.get_mut(index) else { break };
            let Some(kernel) = self.choose(index, sm, world.controls, world.codes) else { continue };
            let run = &mut self.runs[kernel];
            let (launch, cta) = (run.launch, run.placed);
            run.placed += 1;
            if run.placed == world.codes[kernel.index()][usize::from(launch)].ctas {
                // Nothing of this kernel is left to place: one of higher rank may have its turn on the SMs passed over.
                self.changed = u64::MAX;
            }
            self.last[index] = kernel;
            self.changed |= 1 << index;
            let slot = sm.launch(now, kernel, launch, cta, world);
            placed(CtaEvent { cycle: now, sm: index as u16, slot, kernel, cta, placed: true });
        }
    }

    fn choose(&self, index: usize, sm: &Sm, controls: &Controls, codes: &[Vec<Code>]) -> Option<KernelId> {
        let kernels = usize::from(self.kernels);
        let pending = |kernel: &KernelId| {
            let run = &self.runs[*kernel];
            !run.over && run.placed < codes[kernel.index()][usize::from(run.launch)].ctas
        };
        let rank = KernelId::first(kernels).filter(pending).map(|kernel| controls.dispatch_rank[kernel]).min()?;
        let allowed = |kernel: &KernelId| {
            controls.dispatch_rank[*kernel] == rank
                && controls.sm_mask[*kernel] >> index & 1 == 1
                && sm.used(*kernel).ctas < u32::from(controls.cta_target[index][*kernel])
                && sm.fits(&codes[kernel.index()][usize::from(self.runs[*kernel].launch)])
        };
        let turn = |kernel: &KernelId| (kernel.index() + kernels - self.last[index].index() - 1) % kernels;
        KernelId::first(kernels).filter(pending).filter(allowed).min_by_key(turn)
    }
}
