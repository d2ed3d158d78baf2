//! Why kernels suffer from their neighbours, found by running: what to run, and what it says once it has been told.

use crate::describe::gpu::Gpu;
use crate::describe::ids::KernelId;
use crate::interface::controls::Controls;
use crate::interface::ratios;
use crate::interface::stats::StallCause;
use crate::run::confidence;
use crate::run::cure::Cure;
use crate::run::experiment::{Experiment, Stop};
use crate::run::outcome::{KernelOutcome, stall_shares};
use crate::run::plan::{self, Planned};
use crate::run::result::Outcome;
use crate::run::simulation::Simulation;
use crate::run::trials::{Asked, Because, Told, Trial, Trials, Tried};
use crate::run::verdict::words::Sentence;
use crate::run::verdict::{SUFFERS, suffers};
use alloc::vec::Vec;

/// Measured cycles of a run with a cure, at most.
const CYCLES: u64 = 100_000;

impl Simulation {
    /// The runs that tell why each kernel suffers whose neighbours cost it something, each once. What they do (`tried`) is to be told (`tell_why`): then
    /// the outcome says why. None before the run has ended, and where nobody's neighbours are known to cost anything.
    pub fn ask_why(&mut self, cures: &[Cure]) -> Vec<Planned> {
        self.why = Some(Asked::default());
        if self.share_runs().is_empty() {
            return Vec::new();
        }
        let Outcome { kernels, ci95, .. } = self.outcome();
        let those = KernelId::first(kernels.len()).filter(|kernel| suffers(&kernels, &ci95, kernel.index()));
        let trials: Vec<Trials> = those.filter_map(|kernel| self.trials_of(kernel, &kernels[kernel.index()], cures)).collect();
        self.why = Some(Asked { trials, told: Told::new() });
        self.untold()
    }

    /// Once these are told, longer runs of the best cures, where it is not clear which gives most back: asked again until there are none.
    pub fn ask_longer(&mut self) -> Vec<Planned> {
        if let Some(Asked { trials, told }) = &mut self.why {
            trials.iter_mut().for_each(|trials| trials.lengthen(told));
        }
        self.untold()
    }

    /// What was asked for and has not been told, each once.
    fn untold(&self) -> Vec<Planned> {
        let untold = |asked: &Asked| {
            let runs = asked.trials.iter().flat_map(Trials::each);
            plan::distinct(runs.filter(|run| !asked.told.contains_key(&run.hash)).cloned())
        };
        self.why.as_ref().map_or(Vec::new(), untold)
    }

    /// What each kernel has done in this run, which tells another one why.
    pub fn tried(&mut self) -> Vec<Tried> {
        let measured = self.measured();
        let ipcs = measured.stats.iter().map(|stats| ratios::ipc(stats, measured.cycles));
        let held = |kernel: usize| stall_shares(&measured.stalls[kernel]).0[StallCause::Quota as usize];
        let error = |kernel| self.batches().and_then(|batches| confidence::known(batches, kernel, &ratios::IPC));
        let of = |(kernel, ipc): (usize, Option<f64>)| Tried {
            ipc,
            ci95: ipc.zip(error(kernel)).map(|(ipc, error)| confidence::interval(ipc, error)),
            held: held(kernel),
        };
        ipcs.enumerate().map(of).collect()
    }

    /// What was asked is not wanted any more.
    pub fn forget_why(&mut self) {
        self.why = None;
    }

    /// Tells what each kernel has done in a run of `ask_why`.
    pub fn tell_why(&mut self, hash: &str, tried: Vec<Tried>) {
        if let Some(asked) = &mut self.why {
            asked.told.insert(hash.into(), tried);
        }
    }

    /// Why kernels suffer, once all is told that was asked, with a sentence of each.
    pub(super) fn because(&self, kernels: &[KernelOutcome]) -> Option<Vec<(Because, Sentence)>> {
        let asked = self.why.as_ref().filter(|_| self.stopped().is_some())?;
        let because: Option<Vec<_>> = asked.trials.iter().map(|trials| trials.say(&asked.told, kernels)).collect();
        because.map(|because| because.into_iter().filter(|(because, _)| !because.says.is_empty()).collect())
    }

    /// With the runs of cures, where neighbours cost a kernel something, and that without a second wave, where its share costs something.
    fn trials_of(&self, kernel: KernelId, outcome: &KernelOutcome, cures: &[Cure]) -> Option<Trials> {
        let (gpu, controls) = (&self.experiment().gpu, self.machine().controls());
        let cost = outcome.neighbour_cost?;
        let wave = self.without_second_wave(kernel).filter(|_| outcome.share_cost.is_some_and(|cost| cost >= SUFFERS));
        let wave = wave.map(|(fit, experiment)| (fit, Planned::of(experiment)));
        let mut trials =
            Trials { kernel, runs: Vec::new(), not_tried: Vec::new(), cost, wave, ctas: self.experiment().grids()[kernel.index()] };
        if cost < SUFFERS {
            return trials.wave.is_some().then_some(trials);
        }
        trials.runs.push(self.trial(kernel, None, gpu, controls)?);
        for &cure in cures {
            // A policy that takes turns keeps its controls.
            let can = !(cure == Cure::Quota && self.takes_turns());
            let cured = cure.of(gpu, controls, kernel).filter(|_| can);
            match cured.and_then(|(gpu, controls)| self.trial(kernel, Some(cure), &gpu, &controls)) {
                Some(trial) => trials.runs.push(trial),
                None => trials.not_tried.push(cure),
            }
        }
        Some(trials)
    }

    fn trial(&self, kernel: KernelId, cure: Option<Cure>, gpu: &Gpu, controls: &Controls) -> Option<Trial> {
        let short = |run: Experiment| {
            // Who takes turns has had several of them in the run, perhaps none in less.
            let most = if self.takes_turns() { u64::MAX } else { CYCLES };
            let cycles = if let Stop::Cycles(cycles) = run.stop { cycles.min(most) } else { CYCLES };
            let stop = Stop::Cycles(cycles);
            Planned::of(Experiment { gpu: gpu.clone(), stop, restart: true, alone: false, alone_gpu: None, alone_warp_order: None, ..run })
        };
        Some(Trial { cure, together: short(self.as_it_is(controls)), alone: short(self.in_its_share(kernel, controls)?), longer: None })
    }
}
