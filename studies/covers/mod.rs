//! Whether runs that stop when they know do know. Mixes are drawn by a seed, and each is run once for long. What shorter runs would have said, and
//! when they would have ended, is read from what happened in each of its windows.
//!
//! Arguments: how many mixes, and the seed that draws them.

use super::{Page, each};
use super::verdicts::PAPERS;
use sim_core::describe::ids::KernelId;
use sim_core::describe::kernel::Kernel;
use sim_core::describe::rng::{below, mix};
use sim_core::describe::value::Value;
use sim_core::interface::ratios::IPC;
use sim_core::run::batches::{Batches, Counters};
use sim_core::run::confidence::{GOAL_REACHED, Promise, SLOWDOWN, Settling, is_look, known};
use sim_core::run::experiment::{Experiment, Settled};
use sim_core::run::simulation::Simulation;
use std::collections::{BTreeMap, BTreeSet};

/// Core cycles of a window.
const WINDOW: u64 = 400;

/// How many runs begin within one long run.
const OFFSETS: usize = 8;

/// How well a figure is to be known.
const WITHIN: [f64; 3] = [0.1, 0.05, 0.02];

/// Goals of a kernel whose scheme knows of none, as parts of what it does in the long run.
const GOALS: [f64; 10] = [0.5, 0.7, 0.8, 0.9, 0.95, 1.05, 1.1, 1.25, 1.5, 2.0];

/// How well a goal is to be known that no interval excludes.
const NEAR: f64 = 0.02;

/// Cycles of a study's run of fixed length, and of one that measures a kernel alone.
const FIXED: u64 = 1_000_000;

const SCHEMES: [&str; 4] = ["even", "smk", "ws", "ccbp"];
const WITH_GOALS: [&str; 5] = ["spart", "qos-naive", "qos-elastic", "qos-rollover", "qos-rollover-time"];

/// A mix under a scheme.
#[derive(Clone, Debug)]
struct Case {
    gpu: &'static str,
    kernels: [&'static str; 2],
    scheme: &'static str,
    /// Percent of its IPC alone that the first kernel is promised.
    goal: Option<u64>,
    /// How long its run is, measured cycles.
    cycles: u64,
}

/// A long run: what had happened by the end of each window since measuring began.
#[derive(Debug)]
struct Long {
    case: Case,
    experiment: Experiment,
    windows: Vec<Counters>,
    /// The first window before which the scheme has learned.
    learned: usize,
    promises: Vec<Option<Promise>>,
}

/// A run that has ended within a long one.
#[derive(Debug)]
struct Ended {
    cycles: u64,
    ipc: Vec<f64>,
    /// Half of the interval of each IPC, as a part of it.
    known: Vec<Option<f64>>,
    /// Whether what was asked for is decided.
    settled: bool,
}

/// Fills the page. Arguments: how many mixes, and the seed that draws them.
pub fn page(args: &[String], page: &mut Page) -> Result<(), String> {
    let [count, seed] = args else { return Err("wanted are the number of mixes and a seed".into()) };
    let number = |text: &String| text.parse::<u64>().map_err(|error| format!("{text}: {error}"));
    let cases = drawn(number(count)?, number(seed)?);
    let alone = alone(&cases)?;
    let found = each(&cases, |case| {
        let mut of_case = Found::default();
        of_case.add(&Long::run(case.clone(), &alone)?);
        Ok(of_case)
    })?;
    let mut all = Found::default();
    found.into_iter().for_each(|of_case| all.join(of_case));
    all.fill(&cases, page);
    Ok(())
}

/// Half of the cases are pairs of CCBP's kernels under a scheme without goals, half are pairs of QoS with one.
fn drawn(count: u64, seed: u64) -> Vec<Case> {
    let one = |n: u64| {
        let draw = |what: u64, of: usize| below(mix(mix(seed, n), what), of as u64) as usize;
        let with_goal = n % 2 == 1;
        let (_, gpu, kernels) = PAPERS[usize::from(with_goal)];
        let first = draw(1, kernels.len());
        let second = (first + 1 + draw(2, kernels.len() - 1)) % kernels.len();
        Case {
            gpu,
            kernels: [kernels[first], kernels[second]],
            scheme: if with_goal { WITH_GOALS[draw(3, WITH_GOALS.len())] } else { SCHEMES[draw(3, SCHEMES.len())] },
            goal: with_goal.then(|| 50 + 5 * draw(4, 10) as u64),
            cycles: if with_goal { 3 * FIXED } else { 6 * FIXED },
        }
    };
    (0..count).map(one).collect()
}

fn experiment(gpu: &str, kernels: Value, policy: Value, alone: bool, cycles: u64) -> Result<Experiment, String> {
    let with_goals = gpu == "qos-16sm";
    let fields = [
        ("corun", Value::from(1)),
        ("gpu", gpu.into()),
        ("kernels", kernels),
        ("policy", policy),
        ("warp_order", if with_goals || alone { "gto" } else { "lrr" }.into()),
        // A goal is one of the whole run.
        ("warm_up", if with_goals { 0 } else { 80_000 }.into()),
        ("stop", Value::object([("cycles", cycles)])),
    ];
    Experiment::decode(&Value::object(fields)).map_err(|problems| problems.to_string())
}

fn named(gpu: &str, kernel: &str) -> Value {
    format!("{}/{kernel}", if gpu == "qos-16sm" { "qos" } else { "ccbp" }).into()
}

/// The IPC alone of the kernels in cases with goals.
fn alone(cases: &[Case]) -> Result<BTreeMap<&'static str, f64>, String> {
    let kernels: BTreeSet<(&str, &str)> =
        cases.iter().filter(|case| case.goal.is_some()).flat_map(|case| case.kernels.map(|kernel| (case.gpu, kernel))).collect();
    let kernels: Vec<(&str, &str)> = kernels.into_iter().collect();
    let ipc = each(&kernels, |&(gpu, kernel)| {
        let experiment = experiment(gpu, Value::array([named(gpu, kernel)]), "leftover".into(), true, FIXED)?;
        let mut run = Simulation::new(&experiment).map_err(|problems| problems.to_string())?;
        run.advance(u64::MAX);
        Ok(run.ipc(KernelId(0)).unwrap_or_default())
    })?;
    Ok(kernels.into_iter().map(|(_, kernel)| kernel).zip(ipc).collect())
}

impl Long {
    fn run(case: Case, alone: &BTreeMap<&'static str, f64>) -> Result<Long, String> {
        let used = |(place, kernel): (usize, &&str)| match case.goal.filter(|_| place == 0) {
            Some(percent) => Value::object([("kernel", named(case.gpu, kernel)), ("qos", (percent as f64 / 100.0).into())]),
            None => named(case.gpu, kernel),
        };
        let policy = match case.goal {
            Some(_) => {
                let ipc = Value::array(case.kernels.map(|kernel| alone[kernel]));
                Value::object([("name", Value::from(case.scheme)), ("ipc_alone", ipc)])
            }
            None => case.scheme.into(),
        };
        let kernels = Value::array(case.kernels.iter().enumerate().map(used));
        let experiment = experiment(case.gpu, kernels, policy, false, case.cycles)?;
        let mut run = sim_core::study::profile::start(&experiment).map_err(|problems| problems.to_string())?;
        let (mut windows, mut learned) = (Vec::new(), 0);
        // Windows end where the clock says; measuring may begin within one, which is left out.
        while run.stopped().is_none() {
            run.advance(WINDOW - run.cycle() % WINDOW);
            if run.measured().from.is_some() && run.cycle().is_multiple_of(WINDOW) {
                let stats = run.windows().totals().0.to_vec();
                windows.push(Counters { cycles: run.cycle(), stats, ..Counters::default() });
                learned = if run.learns() { windows.len() } else { learned };
            }
        }
        Ok(Long { promises: run.promises(), case, experiment, windows, learned })
    }

    /// The IPC of each kernel over windows `from` to `to`.
    fn ipc(&self, from: usize, to: usize) -> Vec<f64> {
        let counted = self.windows[to].since(&self.windows[from]);
        counted.stats.iter().map(|stats| stats.thread_instructions as f64 / counted.cycles as f64).collect()
    }

    /// The IPC of each kernel over all of it.
    fn whole(&self) -> Vec<f64> {
        self.ipc(0, self.windows.len() - 1)
    }

    /// What a run says that begins with window `from` and ends when it knows, or after half of the long one.
    fn ended(&self, from: usize, asked: &Settled, promises: &[Option<Promise>]) -> Ended {
        let mut batches = Batches::new(self.windows[from].clone());
        let kernels: Vec<&Kernel> = self.experiment.kernels.iter().map(|used| &used.kernel).collect();
        let last = from + (self.windows.len() / 2).min((asked.at_most / WINDOW) as usize);
        for to in from + 1..=last {
            let look = batches.close(1, || self.windows[to].clone()) && to >= self.learned && is_look(&batches);
            // The first window of a run without a warm-up is missing, and changes nothing.
            let beginning = from == 0 && self.experiment.warm_up.at_most() == 0;
            let settled = look && Settling::of(&batches, beginning, &kernels, asked, promises).is_done();
            if settled || to == last {
                let known = (0..2).map(|kernel| known(&batches, kernel, &IPC)).collect();
                return Ended { cycles: (to - from) as u64 * WINDOW, ipc: self.ipc(from, to), known, settled };
            }
        }
        Ended { cycles: 0, ipc: Vec::new(), known: Vec::new(), settled: false }
    }

    /// Where runs begin: with the long one, and at equal distances in its first half.
    fn offsets(&self) -> impl Iterator<Item = usize> {
        (0..OFFSETS).map(|n| n * self.windows.len() / 2 / OFFSETS)
    }
}

/// How often something holds.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    of: usize,
    holds: usize,
}

impl Share {
    fn add(&mut self, holds: bool) {
        self.of += 1;
        self.holds += usize::from(holds);
    }

    fn join(&mut self, other: Share) {
        self.of += other.of;
        self.holds += other.holds;
    }

    fn percent(self) -> String {
        if self.of == 0 { "–".into() } else { format!("{:.1} %", 100.0 * self.holds as f64 / self.of as f64) }
    }
}

/// What was found of runs under one rule.
#[derive(Clone, Debug, Default)]
struct Rule {
    /// Whether they were settled.
    settled: Share,
    /// Cycles of each run.
    cycles: Vec<u64>,
    /// What each IPC of a settled run is off by.
    off: Vec<f64>,
    /// Whether its interval holds it, by kernel.
    holds: BTreeMap<&'static str, Share>,
    /// Whether a goal that is said to be kept or missed is not; those that are too near to tell do not count.
    wrong: Share,
}

impl Rule {
    fn add(&mut self, ended: &Ended) {
        self.settled.add(ended.settled);
        self.cycles.push(ended.cycles);
    }

    fn all(&self) -> Share {
        let mut all = Share::default();
        self.holds.values().for_each(|share| all.join(*share));
        all
    }

    fn mean(&self) -> f64 {
        self.cycles.iter().sum::<u64>() as f64 / self.cycles.len().max(1) as f64 / 1e6
    }
}

/// What was found of all runs, by rule.
#[derive(Debug, Default)]
struct Found(BTreeMap<String, Rule>);

impl Found {
    fn rule(&mut self, name: impl Into<String>) -> &mut Rule {
        self.0.entry(name.into()).or_default()
    }

    fn add(&mut self, long: &Long) {
        let (whole, at_most) = (long.whole(), long.case.cycles);
        let paper = if long.case.goal.is_some() { "QoS" } else { "CCBP" };
        for from in long.offsets() {
            for (figure, within) in WITHIN.iter().map(|&within| (0, within)).chain([(SLOWDOWN, 0.1)]) {
                let ended = long.ended(from, &Settled { within, of: 1 << figure, at_most }, &[]);
                let name = if figure == 0 { "IPC" } else { "slowdown" };
                let rule = self.rule(format!("{paper}: {name}, {:.0} %", 100.0 * within));
                rule.add(&ended);
                for kernel in (0..2).filter(|_| ended.settled) {
                    let Some(half) = ended.known[kernel] else { continue };
                    let off = (whole[kernel] / ended.ipc[kernel] - 1.0).abs();
                    rule.off.push((ended.ipc[kernel] / whole[kernel] - 1.0).abs());
                    rule.holds.entry(long.case.kernels[kernel]).or_default().add(off <= half);
                }
            }
            if long.case.goal.is_none() {
                for (kernel, part) in (0..2).flat_map(|kernel| GOALS.map(|part| (kernel, part))) {
                    let mut promises = vec![None; 2];
                    promises[kernel] = Some(Promise { ipc: part * whole[kernel], error: 0.0 });
                    self.goal("CCBP: goals", long, from, kernel, &promises);
                }
            }
        }
        if long.case.goal.is_some() {
            self.goal("QoS: goals, after 1 M at most", long, 0, 0, &long.promises);
            let ipc = long.ipc(0, (FIXED / WINDOW) as usize);
            let fixed = Ended { cycles: FIXED, ipc, known: Vec::new(), settled: true };
            self.judged("QoS: goals, always after 1 M", long, 0, &long.promises, &fixed);
        }
    }

    /// Runs until a goal of `kernel` is decided.
    fn goal(&mut self, name: &str, long: &Long, from: usize, kernel: usize, promises: &[Option<Promise>]) {
        let at_most = if long.case.goal.is_some() { FIXED } else { long.case.cycles };
        let ended = long.ended(from, &Settled { within: NEAR, of: 1 << GOAL_REACHED, at_most }, promises);
        self.judged(name, long, kernel, promises, &ended);
    }

    /// Holds what a run says of the goal of `kernel` against the long run.
    fn judged(&mut self, name: &str, long: &Long, kernel: usize, promises: &[Option<Promise>], ended: &Ended) {
        let Some(promise) = promises[kernel] else { return };
        let rule = self.rule(name);
        rule.add(ended);
        let apart = (ended.ipc[kernel] / promise.ipc - 1.0).abs();
        if ended.settled && apart > NEAR {
            rule.wrong.add((ended.ipc[kernel] >= promise.ipc) != (long.whole()[kernel] >= promise.ipc));
        }
    }

    fn join(&mut self, other: Found) {
        for (name, of) in other.0 {
            let rule = self.rule(name);
            rule.settled.join(of.settled);
            rule.wrong.join(of.wrong);
            rule.cycles.extend(of.cycles);
            rule.off.extend(of.off);
            of.holds.into_iter().for_each(|(kernel, share)| rule.holds.entry(kernel).or_default().join(share));
        }
    }

    fn fill(&self, cases: &[Case], page: &mut Page) {
        page.say("cases", cases.len());
        page.say("offsets", OFFSETS);
        // Of few cases, there may be none of these.
        ["rules", "goals", "kernels"].into_iter().for_each(|mark| page.say(mark, ""));
        page.say("near", format!("{:.0} %", 100.0 * NEAR));
        for (name, rule) in self.0.iter().filter(|(_, rule)| !rule.holds.is_empty()) {
            let mut off = rule.off.clone();
            off.sort_by(f64::total_cmp);
            let mean = off.iter().sum::<f64>() / off.len() as f64;
            let (settled, holds, most) = (rule.settled.percent(), rule.all().percent(), off[(off.len() - 1) * 95 / 100]);
            let (runs, cycles) = (rule.cycles.len(), rule.mean());
            page.line("rules", format!("| {name} | {runs} | {cycles:.2} M | {settled} | {holds} | {:.2} % | {:.1} % |", 100.0 * mean, 100.0 * most));
        }
        for (name, rule) in self.0.iter().filter(|(_, rule)| rule.holds.is_empty()) {
            let told = Share { of: rule.cycles.len(), holds: rule.wrong.of };
            let (settled, told, wrong) = (rule.settled.percent(), told.percent(), rule.wrong.percent());
            page.line("goals", format!("| {name} | {} | {:.2} M | {settled} | {told} | {wrong} |", rule.cycles.len(), rule.mean()));
        }
        for paper in ["CCBP", "QoS"] {
            let Some(rule) = self.0.get(&format!("{paper}: IPC, 5 %")) else { continue };
            for (kernel, share) in &rule.holds {
                page.line("kernels", format!("| {paper} | {kernel} | {} | {} |", share.of, share.percent()));
            }
        }
    }
}
