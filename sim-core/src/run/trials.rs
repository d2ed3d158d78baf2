//! Runs that tell why kernels suffer from their neighbours, and what they say: with one cure after another, all kernels together and each sufferer by
//! itself in its share. What a kernel gains by a cure in its share is not its neighbours'; what it gains beyond that, they cost it there.

use crate::describe::error::Problems;
use crate::describe::ids::{KernelId, MAX_KERNELS};
use crate::describe::record::Absent::{Needed, Words};
use crate::describe::record::{ANY_KEY, Datum, Shape, int, list, record, text};
use crate::describe::value::Value;
use crate::run::confidence::{error, root_of_squares};
use crate::run::cure::Cure;
use crate::run::experiment::{Experiment, Stop};
use crate::run::outcome::KernelOutcome;
use crate::run::plan::Planned;
use crate::run::verdict::words::{Figure, Sentence, times};
use alloc::collections::BTreeMap;
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
    /// Cures that say nothing: with them a quota binds, which the scheme would set anew.
    bound: Vec<Cure> = list!(Shape::Choice(Cure::NAMES), 0, 16, "cures"), Needed;
    /// A few CTAs of it begin a second wave in its share.
    wave: Option<Wave> = Shape::Record(&WAVE), Words("no such wave");
    /// What the best cure gives back, in a sentence.
    says: String = text!(400), Needed;
}

record! {
    /// What a cure gives back.
    pub struct Cured as CURED "Cured", "what a cure gives back";
    /// Which.
    cure: Cure = Shape::Choice(Cure::NAMES), Needed;
    /// What it is, behind "with".
    words: String = text!(80), Needed;
    /// How many times slower the kernel is for its neighbours without it, in runs of the same length.
    without: Option<f64> ["×"] = Shape::Measured, Needed;
    /// How many times slower it is for them with it.
    neighbour_cost: Option<f64> ["×"] = Shape::Measured, Needed;
    /// What of the neighbours' cost goes, as a factor; 1: nothing.
    gives_back: Option<f64> ["×"] = Shape::Measured, Needed;
    /// The ends of the 95 % interval of that.
    ci95: Option<[f64; 2]> = Shape::Nullable(&list!(Shape::Measured, 2, 2, "ends of an interval")), Needed;
}

record! {
    /// A wave of few CTAs, which costs as much time as a whole one.
    pub struct Wave as WAVE "Wave", "a second wave";
    /// CTAs of a launch.
    ctas: u32 ["CTAs"] = int!(1, 1 << 24), Needed;
    /// As many of them begin no such wave.
    fit: u32 ["CTAs"] = int!(1, 1 << 24), Needed;
    /// What of the slowdown goes with so many, as a factor.
    gives_back: Option<f64> ["×"] = Shape::Measured, Needed;
}

record! {
    /// What a kernel did in a run that tells why.
    #[derive(Copy)]
    pub struct Tried as TRIED "Tried", "what a kernel did in a run that tells why";
    /// Its IPC.
    ipc: Option<f64> ["thread instructions/cycle"] = Shape::Measured, Needed;
    /// The ends of the 95 % interval of that.
    ci95: Option<[f64; 2]> = Shape::Nullable(&list!(Shape::Measured, 2, 2, "ends of an interval")), Needed;
    /// The part of the cycles without an issue in which its quota holds it back.
    held: Option<f64> = Shape::Measured, Needed;
}

const ALL_TRIED: Shape = list!(Shape::Record(&TRIED), 1, MAX_KERNELS, "kernels");
const TOLD: Shape = Shape::Map { keys: &ANY_KEY, of: &ALL_TRIED, want: "an object with what kernels did for each hash" };

/// What kernels did in runs, by hash, as hosts store it.
pub fn told(value: &Value) -> Result<BTreeMap<String, Vec<Tried>>, Problems> {
    let mut problems = Problems::default();
    TOLD.check(value, "tried", &mut problems);
    let Value::Object(pairs) = value else { return Err(problems) };
    problems.or(pairs.iter().map(|(hash, given)| (hash.clone(), Vec::read(given))).collect())
}

/// Where these do not tell which cure gives most back, the best of them run so many times as long.
const LONGER: u64 = 4;

/// A cure is clearly the best if no other gives back as great a part of what it does.
const NEAR: f64 = 0.85;

/// So many cures run longer, at most.
const MOST_LONGER: usize = 4;

/// What gives back less is no cure.
pub const GIVES_BACK: f64 = 1.05;

/// From this part of the cycles without an issue on, a quota binds.
const BOUND: f64 = 0.5;

/// The neighbours cost another amount from this factor on.
const STRAYS: f64 = 1.25;

/// The two runs of a cure, or of none.
#[derive(Clone, PartialEq, Debug)]
pub struct Trial {
    /// What both have been cured of; nothing in the runs that the others are held against.
    pub cure: Option<Cure>,
    /// All kernels, as they shared the GPU at last.
    pub together: Planned,
    /// The sufferer by itself in that share.
    pub alone: Planned,
    /// Both, longer, where that is asked for.
    pub(super) longer: Option<[Planned; 2]>,
}

impl Trial {
    fn short(&self) -> [&Planned; 2] {
        [&self.alone, &self.together]
    }

    fn lengthen(&mut self) {
        let longer = |run: &Planned| {
            let stop = if let Stop::Cycles(cycles) = run.experiment.stop { Stop::Cycles(cycles * LONGER) } else { run.experiment.stop };
            Planned::of(Experiment { stop, ..run.experiment.clone() })
        };
        self.longer.get_or_insert_with(|| [longer(&self.alone), longer(&self.together)]);
    }
}

/// The runs that tell why a kernel suffers.
#[derive(Clone, PartialEq, Debug)]
pub struct Trials {
    /// The sufferer.
    pub kernel: KernelId,
    /// The runs without a cure first.
    pub runs: Vec<Trial>,
    pub(super) not_tried: Vec<Cure>,
    /// How many times slower the neighbours make it in the run itself.
    pub(super) cost: f64,
    /// CTAs that begin no second wave, and the kernel in its share with so many.
    pub(super) wave: Option<(u32, Planned)>,
    /// CTAs of its launch.
    pub(super) ctas: u32,
}

/// What kernels did, by the hash of their run.
pub(super) type Told = BTreeMap<String, Vec<Tried>>;

/// A run that was asked why, and what it has been told since: what each kernel did, by the hash of the run.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    pub(super) trials: Vec<Trials>,
    pub(super) told: Told,
}

/// How many times slower neighbours make a kernel, and the relative error of that.
type Cost = (f64, Option<f64>);

impl Trials {
    pub(super) fn each(&self) -> impl Iterator<Item = &Planned> {
        let wave = self.wave.iter().map(|(_, run)| run);
        self.runs.iter().flat_map(|trial| trial.short().into_iter().chain(trial.longer.iter().flatten())).chain(wave)
    }

    fn did(&self, told: &Told, run: &Planned) -> Option<Tried> {
        let by_itself = run.experiment.kernels.len() == 1;
        told.get(&run.hash)?.get(if by_itself { 0 } else { self.kernel.index() }).copied()
    }

    fn cost(&self, told: &Told, [alone, together]: [&Planned; 2]) -> Option<Cost> {
        let [alone, together] = [self.did(told, alone)?, self.did(told, together)?];
        let (fast, slow) = (alone.ipc?, together.ipc.filter(|ipc| *ipc > 0.0)?);
        let errors = error(fast, alone.ci95).zip(error(slow, together.ci95));
        Some((fast / slow, errors.map(|(a, b)| root_of_squares([a, b]))))
    }

    /// What the longest runs of a trial that are told say of it, with those of no cure that are as long.
    fn known(&self, told: &Told, trial: &Trial) -> (Option<Cost>, Option<Cost>) {
        let Some(base) = self.runs.first() else { return (None, None) };
        let longer = |trial: &Trial| trial.longer.as_ref().and_then(|[alone, together]| self.cost(told, [alone, together]));
        let long = longer(base).zip(longer(trial));
        long.map_or_else(|| (self.cost(told, base.short()), self.cost(told, trial.short())), |(base, here)| (Some(base), Some(here)))
    }

    /// A quota binds in a run with a cure: it stays as it was, where the scheme would set it anew by what the kernel does alone then.
    fn is_bound(&self, told: &Told, trial: &Trial) -> bool {
        let held = |run| self.did(told, run).and_then(|tried| tried.held).is_some_and(|held| held >= BOUND);
        trial.cure.is_some_and(|cure| cure != Cure::Quota) && trial.short().into_iter().any(held)
    }

    /// The cures that say something, the best first.
    fn cured(&self, told: &Told) -> Vec<Cured> {
        let cured = |trial: &Trial| {
            let cure = trial.cure.filter(|_| !self.is_bound(told, trial))?;
            let (base, here) = self.known(told, trial);
            let both = base.zip(here);
            let gives_back = both.map(|(base, here)| base.0 / here.0);
            let wide = both.and_then(|(base, here)| base.1.zip(here.1)).map(|(a, b)| root_of_squares([a, b]));
            let ci95 = gives_back.zip(wide).map(|(factor, wide)| [(factor * (1.0 - wide)).max(0.0), factor * (1.0 + wide)]);
            let cost = |of: Option<Cost>| of.map(|of| of.0);
            Some(Cured { cure, words: cure.words().into(), without: cost(base), neighbour_cost: cost(here), gives_back, ci95 })
        };
        let mut cures: Vec<Cured> = self.runs.iter().filter_map(cured).collect();
        cures.sort_by(|a, b| b.gives_back.unwrap_or(0.0).total_cmp(&a.gives_back.unwrap_or(0.0)));
        cures
    }

    /// How much neighbours cost without a cure.
    fn base(&self, told: &Told) -> Option<f64> {
        self.known(told, self.runs.first()?).0.map(|base| base.0)
    }

    fn strays(&self, base: f64) -> bool {
        self.cost >= base * STRAYS || base >= self.cost * STRAYS
    }

    /// Asks for longer runs of the best cures, where it is not clear which gives most back.
    pub(super) fn lengthen(&mut self, told: &Told) {
        let cures = self.cured(told);
        let mut near =
            cures.iter().filter(|cured| cured.gives_back.is_some() && cured.gives_back >= cures[0].gives_back.map(|best| best * NEAR));
        let is_long = |cure: Cure| self.runs.iter().any(|trial| trial.cure == Some(cure) && trial.longer.is_some());
        let clear = |best: &Cured| best.ci95.is_some_and(|[low, _]| low > 1.0) && self.base(told).is_some_and(|base| !self.strays(base));
        if near.clone().count() == 1 && near.clone().all(clear) {
            return;
        }
        let room = MOST_LONGER.saturating_sub(self.runs.iter().skip(1).filter(|trial| trial.longer.is_some()).count());
        let next: Vec<Cure> = near.by_ref().map(|cured| cured.cure).filter(|cure| !is_long(*cure)).take(room).collect();
        for trial in self.runs.iter_mut().filter(|trial| !next.is_empty() && trial.cure.is_none_or(|cure| next.contains(&cure))) {
            trial.lengthen();
        }
    }

    /// What the runs say, and the sentence of that; nothing until all short ones are told.
    pub(super) fn say(&self, told: &Told, kernels: &[KernelOutcome]) -> Option<(Because, Sentence)> {
        let short = self.runs.iter().flat_map(Trial::short).chain(self.wave.iter().map(|(_, run)| run));
        short.into_iter().try_for_each(|run| self.did(told, run).map(|_| ()))?;
        let (base, cures) = (self.base(told), self.cured(told));
        let outcome = kernels.get(self.kernel.index())?;
        let wave = self.second_wave(told, outcome);
        let of_wave = wave.as_ref().and_then(|wave| wave.says(outcome));
        let mut says = Sentence::default().words(of_wave.unwrap_or_default());
        if !self.runs.is_empty() {
            let between = if says.text().is_empty() { "" } else { " " };
            says = says.words(between);
            says.0.extend(self.sentence(base, cures.first(), kernels).0);
        }
        says.0.retain(|part| !part.text.is_empty());
        let bound = self.runs.iter().filter(|trial| self.is_bound(told, trial)).filter_map(|trial| trial.cure).collect();
        let (kernel, text) = (self.kernel.index() as u32, says.text());
        Some((Because { kernel, neighbour_cost: base, cures, not_tried: self.not_tried.clone(), bound, wave, says: text }, says))
    }

    fn second_wave(&self, told: &Told, outcome: &KernelOutcome) -> Option<Wave> {
        let (fit, run) = self.wave.as_ref()?;
        let ipc = self.did(told, run)?.ipc;
        Some(Wave { ctas: self.ctas, fit: *fit, gives_back: ipc.zip(outcome.ipc_share).map(|(without, share)| without / share) })
    }

    /// What of the neighbours' cost the best cure gives back. Chance may explain an interval that holds 1. Runs in which the neighbours cost another
    /// amount than in the run itself do not tell why they do there.
    fn sentence(&self, base: Option<f64>, best: Option<&Cured>, kernels: &[KernelOutcome]) -> Sentence {
        let (k, said) = (self.kernel.index(), Sentence::default());
        let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        let name = names.get(k).copied().unwrap_or_default();
        let cost = if kernels.len() > 2 { " cost " } else { " costs " };
        if base.is_none_or(|base| self.strays(base)) {
            return said
                .words("The runs that would tell why ")
                .other(k, &names)
                .words(cost)
                .name(k, name)
                .words(" time are too short for it.");
        }
        match best {
            Some(Cured { cure, gives_back: Some(factor), ci95, .. }) if *factor >= GIVES_BACK => {
                let perhaps = if ci95.is_some_and(|[low, _]| low <= 1.0) { " perhaps" } else { "" };
                // Less than half of what they cost, as factors go.
                let only = if perhaps.is_empty() && factor * factor < base.unwrap_or(1.0) { " only" } else { "" };
                said.words(format!("With {}, ", cure.words()))
                    .other(k, &names)
                    .words(format!("{perhaps}{cost}"))
                    .name(k, name)
                    .words(format!("{only} "))
                    .figure(k, Figure::GivesBack, *factor)
                    .words(" times less.")
            }
            Some(_) => said.words("No cure that was tried lowers by 5 % what ").other(k, &names).words(cost).name(k, name).words("."),
            None => said.words("Nothing was tried against what ").other(k, &names).words(cost).name(k, name).words("."),
        }
    }
}

impl Wave {
    /// Where it costs something.
    fn says(&self, outcome: &KernelOutcome) -> Option<String> {
        let (back, share) = self.gives_back.filter(|back| *back >= GIVES_BACK).zip(outcome.share_cost)?;
        let (name, ctas, fit) = (&outcome.name, self.ctas, self.fit);
        let (back, share) = (times(back), times(share));
        Some(format!(
            "In its share {name} takes a wave more for {} of its {ctas} CTAs: with {fit}, {back} × of the {share} × would go.",
            ctas - fit
        ))
    }
}
