//! How far a scale model is off: mixes under several schemes on the whole of a large GPU and on parts of it.

use super::{Page, each};
use super::verdicts::PAPERS;
use sim_core::describe::rng::{below, mix};
use sim_core::describe::value::Value;
use sim_core::{Experiment, Outcome, Plan, Simulation, SoloProfiles};
use std::collections::BTreeMap;
use std::time::Instant;

/// Papers of which mixes are drawn: those whose kernels run on GPUs without a mesh.
const DRAWN: usize = 4;

/// Schemes, the first of which also runs without each rule of scaling.
const SCHEMES: [&str; 4] = ["even", "spatial", "smk", "ws"];

/// Whether arrays and grids are scaled with the GPU.
const RULES: [(&str, bool, bool); 3] =
    [("grids, shared arrays and rows", true, true), ("grids alone", true, false), ("neither", false, false)];

/// Two schemes are told apart where their HSpeedups on the whole GPU differ by this part.
const APART: f64 = 0.05;

/// What is run.
struct Study {
    gpus: Vec<String>,
    parts: Vec<String>,
    mixes: Vec<[String; 2]>,
    schemes: Vec<&'static str>,
    cycles: u64,
    warm_up: u64,
}

/// A run: places in the study, and how much of it is scaled; the first part is the whole.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct At {
    gpu: usize,
    part: usize,
    mix: usize,
    scheme: usize,
    rules: usize,
}

/// What is kept of a run.
struct Ran {
    slowdowns: Vec<Option<f64>>,
    hspeedup: Option<f64>,
    seconds: f64,
}

/// An error of a slowdown, and where.
#[derive(Clone, Copy)]
struct Off {
    by: f64,
    at: At,
    kernel: usize,
}

type Runs = BTreeMap<At, Ran>;

/// Fills the page. Arguments: how many mixes, the seed that draws them, how many schemes, cycles, then GPUs and parts.
pub fn page(args: &[String], page: &mut Page) -> Result<(), String> {
    let [mixes, seed, schemes, cycles, more @ ..] = args else {
        return Err("wanted are the numbers of mixes, a seed, the number of schemes, cycles, GPUs and parts".into());
    };
    let number = |text: &String| text.parse::<u64>().map_err(|error| format!("{text}: {error}"));
    let (parts, gpus): (Vec<String>, Vec<String>) = more.iter().cloned().partition(|arg| arg.starts_with("1/"));
    let (seed, cycles) = (number(seed)?, number(cycles)?);
    let study = Study {
        gpus,
        parts: ["1".to_string()].into_iter().chain(parts).collect(),
        mixes: drawn(seed, number(mixes)? as usize),
        schemes: SCHEMES.into_iter().take(number(schemes)? as usize).collect(),
        cycles,
        warm_up: cycles / 4,
    };
    let runs = study.run()?;
    study.fill(&runs, seed, page);
    Ok(())
}

/// The first mixes of the draw, none of them twice and none of a kernel with itself.
fn drawn(seed: u64, count: usize) -> Vec<[String; 2]> {
    let all: Vec<String> =
        PAPERS[..DRAWN].iter().flat_map(|(paper, _, kernels)| kernels.iter().map(move |kernel| format!("{paper}/{kernel}"))).collect();
    let mut mixes: Vec<[String; 2]> = Vec::new();
    let mut at = 0;
    while mixes.len() < count {
        let pair = [0, 1].map(|part| all[below(mix(mix(seed, at), part), all.len() as u64) as usize].clone());
        let known = |other: &[String; 2]| pair.iter().all(|kernel| other.contains(kernel));
        if pair[0] != pair[1] && !mixes.iter().any(known) {
            mixes.push(pair);
        }
        at += 1;
    }
    mixes
}

impl Study {
    /// Every run: the whole and each part under each scheme; the parts under the first scheme also without each rule.
    fn places(&self) -> Vec<At> {
        let mut places = Vec::new();
        for mix in 0..self.mixes.len() {
            for gpu in 0..self.gpus.len() {
                for scheme in 0..self.schemes.len() {
                    for part in 0..self.parts.len() {
                        let rules = if part > 0 && scheme == 0 { RULES.len() } else { 1 };
                        places.extend((0..rules).map(|rules| At { gpu, part, mix, scheme, rules }));
                    }
                }
            }
        }
        places
    }

    fn experiment(&self, at: At) -> Result<Experiment, String> {
        let read = |part: &str| {
            let fields = [
                ("corun", Value::from(1)),
                ("gpu", self.gpus[at.gpu].as_str().into()),
                ("scale", part.into()),
                ("kernels", Value::array(self.mixes[at.mix].iter().map(String::as_str))),
                ("policy", self.schemes[at.scheme].into()),
                ("warm_up", self.warm_up.into()),
                ("stop", Value::object([("cycles", self.cycles)])),
            ];
            Experiment::from_json(&Value::object(fields).to_string()).map_err(|problems| problems.to_string())
        };
        let mut experiment = read(&self.parts[at.part])?;
        let (_, grids, arrays) = RULES[at.rules];
        for (scaled, whole) in experiment.kernels.iter_mut().zip(read("1")?.kernels) {
            for (launch, whole) in scaled.kernel.launches.iter_mut().zip(whole.kernel.launches) {
                launch.grid = if grids { launch.grid } else { whole.grid };
                launch.program = if arrays { std::mem::take(&mut launch.program) } else { whole.program };
            }
            if !arrays {
                scaled.kernel.arrays = whole.kernel.arrays;
            }
        }
        Ok(experiment)
    }

    fn run(&self) -> Result<Runs, String> {
        let places = self.places();
        let experiments: Vec<Experiment> = places.iter().map(|&at| self.experiment(at)).collect::<Result<_, _>>()?;
        let mut plan = BTreeMap::new();
        experiments.iter().for_each(|of| plan.extend(Plan::of(of).runs().map(|run| (run.hash.clone(), run.experiment.clone()))));
        let plan: Vec<(String, Experiment)> = plan.into_iter().collect();
        let said = |problems: sim_core::describe::error::Problems| problems.to_string();
        let alone = each(&plan, |(hash, experiment)| {
            let began = Instant::now();
            let mut simulation = Simulation::new(experiment).map_err(said)?;
            simulation.advance(u64::MAX);
            Ok((hash.clone(), (simulation.answer(), began.elapsed().as_secs_f64())))
        })?;
        let alone: BTreeMap<_, _> = alone.into_iter().collect();
        let ran = each(&experiments, |experiment| {
            let began = Instant::now();
            let mut answers = SoloProfiles::new();
            let mut seconds = 0.0;
            for run in Plan::of(experiment).runs() {
                let (answer, took) = alone.get(&run.hash).ok_or("a run alone is missing")?;
                answers.insert(run.hash.clone(), *answer);
                seconds += took;
            }
            let mut simulation = Simulation::with(experiment, &answers).map_err(said)?;
            simulation.advance(u64::MAX);
            simulation.add_solo_profiles(&answers);
            let Outcome { kernels, metrics, .. } = simulation.outcome();
            let slowdowns = kernels.iter().map(|kernel| kernel.slowdown).collect();
            Ok(Ran { slowdowns, hspeedup: metrics.hspeedup, seconds: seconds + began.elapsed().as_secs_f64() })
        })?;
        Ok(places.into_iter().zip(ran).collect())
    }

    /// The errors of the slowdowns of some runs, the smallest first.
    fn errors(&self, runs: &Runs, of: impl Fn(&At) -> bool) -> Vec<Off> {
        let mut all = Vec::new();
        for (&at, ran) in runs.iter().filter(|(at, _)| at.part > 0 && of(at)) {
            let whole = &runs[&At { part: 0, rules: 0, ..at }];
            for (kernel, pair) in ran.slowdowns.iter().zip(&whole.slowdowns).enumerate() {
                if let (Some(part), Some(whole)) = pair {
                    all.push(Off { by: part / whole - 1.0, at, kernel });
                }
            }
        }
        all.sort_by(|a, b| a.by.abs().total_cmp(&b.by.abs()));
        all
    }

    /// How many pairs of schemes of a mix the whole tells apart, and of how many of these the part has the same order.
    fn orders(&self, runs: &Runs, gpu: usize, part: usize) -> (usize, usize) {
        let of = |part, mix, scheme| runs[&At { gpu, part, mix, scheme, rules: 0 }].hspeedup;
        let (mut apart, mut kept) = (0, 0);
        for mix in 0..self.mixes.len() {
            for (a, b) in (0..self.schemes.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
                let ratio = |part| Some(of(part, mix, a)? / of(part, mix, b)?);
                if let (Some(whole), Some(part)) = (ratio(0), ratio(part))
                    && whole.ln().abs() > APART
                {
                    apart += 1;
                    kept += usize::from((whole > 1.0) == (part > 1.0));
                }
            }
        }
        (apart, kept)
    }

    fn named(&self, off: &Off) -> String {
        let [a, b] = &self.mixes[off.at.mix];
        let kernel = super::short(&self.mixes[off.at.mix][off.kernel]);
        format!("{} ({kernel} of {a} + {b}, {})", percent(off.by), self.schemes[off.at.scheme])
    }

    fn fill(&self, runs: &Runs, seed: u64, page: &mut Page) {
        page.say("mixes", self.mixes.len());
        page.say("seed", seed);
        page.say("count", self.schemes.len());
        page.say("schemes", self.schemes.join(", "));
        page.say("cycles", self.cycles);
        page.say("warm_up", self.warm_up);
        page.say("first", self.schemes[0]);
        let places = || (0..self.gpus.len()).flat_map(|gpu| (1..self.parts.len()).map(move |part| (gpu, part)));
        for (gpu, part) in places() {
            let errors = self.errors(runs, |at| (at.gpu, at.part, at.rules) == (gpu, part, 0));
            let (apart, kept) = self.orders(runs, gpu, part);
            let seconds = |part: usize| -> f64 {
                runs.iter().filter(|(at, _)| (at.gpu, at.part, at.rules) == (gpu, part, 0)).map(|(_, ran)| ran.seconds).sum()
            };
            page.line("slowdowns", format!(
                "| `{}` | {} | {} | {} | {} | {} | {kept} of {apart} | {:.0} % |",
                self.gpus[gpu],
                self.parts[part],
                errors.len(),
                quantile(&errors, 0.5),
                quantile(&errors, 0.9),
                errors.last().map_or(String::new(), |off| self.named(off)),
                100.0 * seconds(part) / seconds(0)
            ));
        }
        for (gpu, part) in places() {
            for (rules, (name, ..)) in RULES.iter().enumerate() {
                let errors = self.errors(runs, |at| (at.gpu, at.part, at.scheme, at.rules) == (gpu, part, 0, rules));
                let worst = errors.last().map_or(String::new(), |off| self.named(off));
                let [gpu, part] = [&self.gpus[gpu], &self.parts[part]];
                let [median, ninth] = [0.5, 0.9].map(|part| quantile(&errors, part));
                page.line("rules", format!("| `{gpu}` | {part} | {name} | {median} | {ninth} | {worst} |"));
            }
        }
        for (at, ran) in runs.iter().filter(|(at, _)| at.part > 0 && at.rules == 0) {
            let whole = &runs[&At { part: 0, rules: 0, ..*at }];
            let [a, b] = &self.mixes[at.mix];
            let slowdowns: Vec<String> = whole.slowdowns.iter().map(|x| x.map_or("–".into(), |x| format!("{x:.2}"))).collect();
            let off = |(part, whole): (&Option<f64>, &Option<f64>)| Some(percent((*part)? / (*whole)? - 1.0));
            let off: Vec<String> = ran.slowdowns.iter().zip(&whole.slowdowns).map(|pair| off(pair).unwrap_or("–".into())).collect();
            let (gpu, part, scheme) = (&self.gpus[at.gpu], &self.parts[at.part], self.schemes[at.scheme]);
            page.line("every", format!("| `{gpu}` | {part} | {scheme} | {a} + {b} | {} | {} |", slowdowns.join(", "), off.join(", ")));
        }
    }
}

fn percent(by: f64) -> String {
    format!("{:+.1} %", 100.0 * by)
}

/// The error that so many of all are no larger than.
fn quantile(errors: &[Off], part: f64) -> String {
    let at = ((errors.len() as f64 * part).ceil() as usize).saturating_sub(1);
    errors.get(at).map_or("–".into(), |off| format!("{:.1} %", 100.0 * off.by.abs()))
}
