//! Why kernels suffer from their neighbours, found by running: with one cure after another, all kernels together and each sufferer by itself in its
//! share. What a kernel gains by a cure in its share is not its neighbours'; what it gains beyond that, they cost it there.

use crate::describe::ids::{KernelId, MAX_KERNELS};
use crate::describe::record::Absent::Needed;
use crate::describe::record::{Shape, int, list, record};
use crate::interface::controls::Controls;
use crate::run::confidence::root_of_squares;
use crate::run::cure::Cure;
use crate::run::experiment::{Experiment, Stop};
use crate::run::outcome::KernelOutcome;
use crate::run::simulation::Simulation;
use crate::run::verdict::SUFFERS;
use crate::run::verdict::words::{ALIKE, list_of, times};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

record! {
    /// What makes a kernel slower beside its neighbours.
    pub struct Because as BECAUSE "Because", "what makes a kernel slower";
    /// The kernel.
    kernel: u32 = int!(0, MAX_KERNELS - 1), Needed;
    /// How many times slower it is for its neighbours, in the runs that the cures are held against.
    neighbour_cost: Option<f64> ["×"] = Shape::Measured, Needed;
    /// Each cure that was tried, the best first. They overlap and do not add up.
    cures: Vec<Cured> = list!(Shape::Record(&CURED), 0, 16, "cures"), Needed;
    /// Cures that this GPU cannot have, or that would change nothing.
    not_tried: Vec<Cure> = list!(Shape::Choice(Cure::NAMES), 0, 16, "cures"), Needed;
}

record! {
    /// What a cure gives back.
    pub struct Cured as CURED "Cured", "what a cure gives back";
    /// Which.
    cure: Cure = Shape::Choice(Cure::NAMES), Needed;
    /// How many times slower the kernel is for its neighbours with it.
    neighbour_cost: Option<f64> ["×"] = Shape::Measured, Needed;
    /// What of the neighbours' cost goes, as a factor; 1: nothing.
    gives_back: Option<f64> ["×"] = Shape::Measured, Needed;
    /// The ends of the 95 % interval of that.
    ci95: Option<[f64; 2]> = Shape::Nullable(&list!(Shape::Measured, 2, 2, "ends of an interval")), Needed;
}

/// Measured cycles of a run with a cure, at most.
const CYCLES: u64 = 100_000;

/// The two runs of a cure, or of none.
#[derive(Clone, PartialEq, Debug)]
pub struct Trial {
    /// What both have been cured of; nothing in the runs that the others are held against.
    pub cure: Option<Cure>,
    /// All kernels, as they shared the GPU at last.
    pub together: Experiment,
    /// The sufferer by itself in that share.
    pub alone: Experiment,
}

/// The runs that tell why a kernel suffers.
#[derive(Clone, PartialEq, Debug)]
pub struct Trials {
    /// The sufferer.
    pub kernel: KernelId,
    /// The runs without a cure first.
    pub runs: Vec<Trial>,
    not_tried: Vec<Cure>,
}

/// An IPC with its interval.
pub type Measure = (f64, Option<[f64; 2]>);

impl Simulation {
    /// The runs that tell why each kernel suffers whose neighbours cost it something, as `kernels` of its outcome say. None before the run has ended.
    pub fn trials(&self, kernels: &[KernelOutcome], cures: &[Cure]) -> Vec<Trials> {
        let suffers = |outcome: &KernelOutcome| outcome.neighbour_cost.is_some_and(|cost| cost >= SUFFERS);
        let those = KernelId::first(kernels.len()).zip(kernels).filter(|(_, outcome)| suffers(outcome));
        those.filter_map(|(kernel, _)| self.trials_of(kernel, cures)).collect()
    }

    fn trials_of(&self, kernel: KernelId, cures: &[Cure]) -> Option<Trials> {
        let (gpu, controls) = (&self.experiment().gpu, self.machine().controls());
        let mut trials = Trials { kernel, runs: Vec::new(), not_tried: Vec::new() };
        trials.runs.push(self.trial(kernel, None, controls)?);
        for &cure in cures {
            // A policy that takes turns keeps its controls.
            let can = !(cure == Cure::Quota && self.takes_turns());
            let cured = cure.of(gpu, controls, kernel).filter(|_| can).and_then(|(gpu, controls)| {
                let mut trial = self.trial(kernel, Some(cure), &controls)?;
                trial.together.gpu = gpu.clone();
                trial.alone.gpu = gpu;
                Some(trial)
            });
            match cured {
                Some(trial) => trials.runs.push(trial),
                None => trials.not_tried.push(cure),
            }
        }
        Some(trials)
    }

    /// Both runs under these controls on the GPU as it is.
    fn trial(&self, kernel: KernelId, cure: Option<Cure>, controls: &Controls) -> Option<Trial> {
        let short = |run: Experiment| {
            let cycles = if let Stop::Cycles(cycles) = run.stop { cycles.min(CYCLES) } else { CYCLES };
            Experiment { stop: Stop::Cycles(cycles), restart: true, alone: false, alone_gpu: None, alone_warp_order: None, ..run }
        };
        Some(Trial { cure, together: short(self.as_it_is(controls)), alone: short(self.in_its_share(kernel, controls)?) })
    }
}

impl Trials {
    /// What the runs say; `ipc` is what a kernel, by its place, had in one of them.
    pub fn say(&self, ipc: impl Fn(&Experiment, usize) -> Option<Measure>) -> Because {
        // How many times slower the neighbours make it, and the relative error of that.
        let cost = |trial: &Trial| {
            let by_itself = trial.alone.kernels.len() == 1;
            let alone = ipc(&trial.alone, if by_itself { 0 } else { self.kernel.index() })?;
            let together = ipc(&trial.together, self.kernel.index()).filter(|(ipc, _)| *ipc > 0.0)?;
            Some((alone.0 / together.0, error(alone).zip(error(together)).map(|(a, b)| root_of_squares([a, b]))))
        };
        let base = self.runs.first().and_then(cost);
        let cured = |trial: &Trial| {
            let here = cost(trial);
            let both = base.zip(here);
            let gives_back = both.map(|(base, here)| base.0 / here.0);
            let wide = both.and_then(|(base, here)| base.1.zip(here.1)).map(|(a, b)| root_of_squares([a, b]));
            Some(Cured {
                cure: trial.cure?,
                neighbour_cost: here.map(|here| here.0),
                gives_back,
                ci95: gives_back.zip(wide).map(|(factor, wide)| [(factor * (1.0 - wide)).max(0.0), factor * (1.0 + wide)]),
            })
        };
        let mut cures: Vec<Cured> = self.runs.iter().filter_map(cured).collect();
        cures.sort_by(|a, b| b.gives_back.unwrap_or(0.0).total_cmp(&a.gives_back.unwrap_or(0.0)));
        Because { kernel: self.kernel.index() as u32, neighbour_cost: base.map(|base| base.0), cures, not_tried: self.not_tried.clone() }
    }
}

impl Because {
    /// In one sentence: how much of a slowdown is the share's, how much the neighbours', and what of that the best cure gives back.
    pub fn says(&self, kernels: &[KernelOutcome]) -> Option<String> {
        let place = self.kernel as usize;
        let kernel = kernels.get(place)?;
        let share = kernel.share_cost.zip(kernel.share.as_ref()).map_or(String::new(), |(cost, share)| match cost {
            cost if cost > 1.0 + ALIKE => format!("{} × because it has {share}, ", times(cost)),
            cost if cost < 1.0 - ALIKE => format!("with {share} it would be {} × faster by itself, and is ", times(1.0 / cost)),
            _ => String::new(),
        });
        let others = list_of(kernels.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, other)| other.name.as_str()));
        let neighbours = format!("{} × because of {others}", times(kernel.neighbour_cost?));
        let cure = match self.cures.first() {
            Some(Cured { cure, gives_back: Some(factor), ci95, .. }) if *factor >= GIVES_BACK => {
                let perhaps = if ci95.is_some_and(|[low, _]| low <= 1.0) { "perhaps " } else { "" };
                format!("with {}, {perhaps}{} × of that would go", cure.words(), times(*factor))
            }
            Some(_) => "no cure gives back 5 % of that".into(),
            None => "no cure was tried".into(),
        };
        Some(format!("{} is {} × slower: {share}{neighbours}; {cure}.", kernel.name, times(kernel.slowdown?)))
    }
}

/// What gives back less is no cure.
const GIVES_BACK: f64 = 1.05;

/// The relative half-width of a measure.
fn error((ipc, ends): Measure) -> Option<f64> {
    ends.filter(|_| ipc > 0.0).map(|[low, high]| (high - low) / 2.0 / ipc)
}
