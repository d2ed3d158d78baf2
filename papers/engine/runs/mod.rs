//! The runs of a paper: which runs a scheme of the study comes to on a mix, and their results.
//!
//! Asking for a result that is not there puts its run on a list. So the claims are evaluated, the list is run, and again, until nothing is
//! missing. What a claim needs stands in its measure alone, also where some runs need others' results first (curves, searches).

mod executor;
mod experiment;
mod invocation;
mod results;
mod run;
mod search;
mod store;

pub use experiment::{Lengths, SHORT, of_cycles};
pub use results::Results;
pub use run::{Detail, Run};
pub use store::Store;

use super::paper::mix::{Mix, split_goal, split_sms};
use super::paper::mode::Rung;
use super::paper::spaces::Space;
use super::paper::study::{Scheme, Study};
use super::paper::words::Bounds;
use corun_lab::problem;
use experiment::{Draft, alone_of, change, cycles, fixed, lengths};
use invocation::Invocation;
use search::{Search, settled};
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::run::experiment::{Experiment, set_path};
use sim_core::study::figure::lookup;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The runs of a study.
#[derive(Debug)]
pub struct Runs {
    pub study: Study,
    pub results: Results,
    /// Every run that was asked for, by its experiment and what is kept of its result.
    runs: RefCell<BTreeMap<String, Rc<Run>>>,
    /// The candidates of searches, as long as the first rung.
    candidates: RefCell<BTreeMap<String, Rc<Vec<Rc<Run>>>>>,
    /// The best of searches.
    best: RefCell<BTreeMap<String, Rc<Run>>>,
    problems: RefCell<Problems>,
}

impl Runs {
    /// The runs of a study, with results.
    pub fn new(study: Study, results: Results) -> Runs {
        Runs {
            study,
            results,
            runs: RefCell::default(),
            candidates: RefCell::default(),
            best: RefCell::default(),
            problems: RefCell::default(),
        }
    }

    /// A number of a scheme's run of a mix; of several paths with ` + ` between them, the sum. `alone` is the kernel of a path by itself,
    /// `alone N` with N CTAs on each SM, `alone half` with half of what an SM holds.
    pub fn value(&self, mix: &Mix, scheme: &str, path: &str) -> Option<f64> {
        let one = |path| {
            let (run, path) = self.locate(mix, scheme, path)?;
            lookup(&*self.results.of(&run)?, &path)
        };
        path.split(" + ").map(one).reduce(|sum, next| Some(sum? + next?))?
    }

    /// The run that a number stands in, and where.
    pub fn locate(&self, mix: &Mix, scheme: &str, path: &str) -> Option<(Rc<Run>, String)> {
        let path = match path {
            "hspeedup" | "wspeedup" => format!("metrics.{path}"),
            path => path.to_owned(),
        };
        let asked = Invocation::of(&self.study, scheme);
        let Some(rest) = asked.name.strip_prefix("alone") else {
            let goal = if path == "metrics.wspeedup" { "wspeedup" } else { "hspeedup" };
            return Some((self.run(mix, scheme, goal, Detail::Full)?, path));
        };
        let kernel = (0..mix.len()).find(|k| path.starts_with(&format!("kernels[{k}]"))).unwrap_or(0);
        let ctas = match rest.trim() {
            "half" => Some((self.most_ctas(&mix[kernel], &asked.machine)? / 2).max(1)),
            ctas => ctas.parse().ok(),
        };
        let run = self.alone(&mix[kernel], ctas, &asked.machine, Detail::Full)?;
        Some((run, path.replacen(&format!("kernels[{kernel}]"), "kernels[0]", 1)))
    }

    /// As `value`; with `kernels[*]` in the path one number for each kernel.
    pub fn each(&self, mix: &Mix, scheme: &str, path: &str) -> Vec<Option<f64>> {
        if !path.contains("[*]") {
            return vec![self.value(mix, scheme, path)];
        }
        (0..mix.len()).map(|kernel| self.value(mix, scheme, &path.replace("[*]", &format!("[{kernel}]")))).collect()
    }

    /// As `each`, of many mixes. Everything is asked for, even when something is missing.
    pub fn all(&self, mixes: &[Mix], scheme: &str, path: &str) -> Option<Vec<f64>> {
        let values: Vec<Option<f64>> = mixes.iter().flat_map(|mix| self.each(mix, scheme, path)).collect();
        values.into_iter().collect()
    }

    /// The mixes in which a number is within bounds under each of the schemes.
    pub fn within(&self, mixes: Vec<Mix>, schemes: &[&str], path: &str, bounds: Bounds) -> Option<Vec<Mix>> {
        let is_within = |mix: Mix| {
            let values: Vec<Option<f64>> = schemes.iter().map(|scheme| self.value(&mix, scheme, path)).collect();
            let values = values.into_iter().collect::<Option<Vec<f64>>>()?;
            Some((mix, values.into_iter().all(|value| bounds.hold(value))))
        };
        // All are asked for, even when one is missing. Those that are only looked through are not what a result stands on.
        let all: Vec<Option<(Mix, bool)>> = self.results.look_through(|| mixes.into_iter().map(is_within).collect());
        let all = all.into_iter().collect::<Option<Vec<_>>>()?;
        Some(all.into_iter().filter(|(_, within)| *within).map(|(mix, _)| mix).collect())
    }

    /// The windows of a scheme's run, from the end of the warm-up on.
    pub fn windows(&self, mix: &Mix, scheme: &str) -> Option<(Rc<Run>, Vec<Value>, usize)> {
        let asked = Invocation::of(&self.study, scheme);
        let run = match asked.name.strip_prefix("alone") {
            Some(rest) => self.alone(&mix[0], rest.trim().parse().ok(), &asked.machine, Detail::Windows)?,
            None => self.run(mix, scheme, "hspeedup", Detail::Windows)?,
        };
        let result = self.results.of(&run)?;
        let from = result.get("measured_from")?.as_int()?;
        let Value::Array(windows) = result.get("windows")? else { return None };
        let skipped =
            windows.iter().take_while(|window| window.get("start").and_then(Value::as_int).is_some_and(|start| start < from)).count();
        Some((run, windows[skipped..].to_vec(), skipped))
    }

    /// A kernel by itself on a machine, with the greedy order that standalone runs have.
    pub fn alone(&self, kernel: &str, ctas: Option<u32>, machine: &str, detail: Detail) -> Option<Rc<Run>> {
        let mix = [split_goal(kernel).0.to_owned()];
        let draft = Draft { name: "", mix: &mix, policy: "even".into(), lengths: lengths(&self.study, &mix, machine), machine };
        let experiment = self.known(draft.write(&self.study))?;
        self.register(alone_of(&experiment, 0, ctas, None)?, detail, None)
    }

    /// Cycles that a kernel's run alone measures.
    pub fn cycles_alone(&self, kernel: &str, machine: &str) -> Option<f64> {
        let mix = vec![kernel.to_owned()];
        let of = |path| self.value(&mix, &format!("alone {machine}"), path);
        match self.study.mode.settled {
            None => Some(cycles(&self.study, &mix, machine) as f64),
            Some(_) => Some(of("cycles")? - of("measured_from")?),
        }
    }

    /// CTAs of a kernel that an SM holds.
    pub fn most_ctas(&self, kernel: &str, machine: &str) -> Option<u32> {
        let run = self.alone(kernel, None, machine, Detail::Full)?;
        let limits = Experiment::decode(&run.experiment).ok()?.cta_limits();
        Some(limits.iter().map(|limit| limit.0[0]).max().unwrap_or(0))
    }

    /// IPC of a kernel alone with 1, 2, … CTAs on each SM.
    pub fn curve(&self, kernel: &str, path: &str, machine: &str) -> Option<Vec<f64>> {
        let mix = vec![kernel.to_owned()];
        let most = self.most_ctas(kernel, machine)?;
        let points: Vec<Option<f64>> = (1..=most).map(|ctas| self.value(&mix, &format!("alone {ctas} {machine}"), path)).collect();
        points.into_iter().collect()
    }

    /// The run of a mix under a scheme; of a search, the best run by `goal`, which is `hspeedup` or `wspeedup`.
    pub fn run(&self, mix: &Mix, scheme: &str, goal: &str, detail: Detail) -> Option<Rc<Run>> {
        let asked = Invocation::of(&self.study, scheme);
        let machine = asked.machine.as_str();
        let draft = |name, policy| Draft { name, mix, policy, lengths: lengths(&self.study, mix, machine), machine };
        if let Some(ctas) = asked.name.strip_prefix("fixed(").and_then(|rest| rest.strip_suffix(')')) {
            let ctas: Option<Vec<u32>> = ctas.split(',').map(|n| n.trim().parse().ok()).collect();
            let mut experiment = self.known(draft(scheme, fixed(&ctas?)).write(&self.study))?;
            self.known(asked.policy.iter().try_for_each(|modifier| change(&self.study, &mut experiment, modifier)))?;
            return self.register(experiment, detail, None);
        }
        let Some(found) = self.study.schemes.get(asked.name) else { return self.wrong("scheme", scheme, "one of study.toml") };
        if let Some(space) = found.search {
            if let Some(rest) = asked.policy.first() {
                return self.wrong("scheme", rest, "what changes the machine: a search has no policy of its own");
            }
            let best = self.search(mix, asked.name, space, goal, machine)?;
            return if detail == Detail::Full {
                Some(best)
            } else {
                self.register(best.experiment.clone(), detail, best.reference.clone())
            };
        }
        let (mut experiment, reference) = self.known(draft(&found.title, found.policy.clone()).under(found, &self.study))?;
        let time_scale = self.study.mode.time_scale;
        if let Some(path) = found.time_scale.as_ref().filter(|_| time_scale != 1.0) {
            self.known(set_path(&mut experiment, path, time_scale.into()))?;
        }
        if let Some([scheme, parameter]) = &found.take {
            let other = self.run(mix, &format!("{scheme} {machine}"), goal, Detail::Full)?;
            let taken = other.experiment.get("policy")?.get(parameter)?.clone();
            self.known(set_path(&mut experiment, &format!("policy.{parameter}"), taken))?;
        }
        let fill = |key: &String| Some((key.clone(), self.filled(mix, key, machine)?));
        let filled: Vec<Option<(String, Value)>> = found.fill.iter().map(fill).collect();
        for (key, value) in filled.into_iter().collect::<Option<Vec<_>>>()? {
            self.known(set_path(&mut experiment, &format!("policy.{key}"), value))?;
        }
        self.known(asked.policy.iter().try_for_each(|modifier| change(&self.study, &mut experiment, modifier)))?;
        self.register(experiment, detail, reference)
    }

    /// A parameter that says what the kernels of a mix do alone.
    fn filled(&self, mix: &Mix, key: &str, machine: &str) -> Option<Value> {
        // To a thousandth, so that experiments stay readable.
        let round = |ipc: f64| Value::from((ipc * 1000.0).round() / 1000.0);
        let of = |kernel: &String| -> Option<Value> {
            let alone = |path: &str| self.value(&vec![kernel.clone()], &format!("alone {machine}"), path);
            match key {
                "split" => Some(split_sms(kernel).1?.into()),
                "curves" => self.curve(kernel, "kernels[0].ipc", machine).map(|curve| Value::array(curve.into_iter().map(round))),
                "warp_ipc_alone" => Some(round(alone("kernels[0].counters.warp_instructions")? / self.cycles_alone(kernel, machine)?)),
                _ => alone("kernels[0].ipc").map(round),
            }
        };
        let values: Vec<Option<Value>> = mix.iter().map(of).collect();
        Some(Value::array(values.into_iter().collect::<Option<Vec<Value>>>()?))
    }

    /// The run of an experiment, with the GPU of the kernels alone if it is another; each stands once, however often it is asked for.
    fn register(&self, experiment: Value, detail: Detail, reference: Option<Value>) -> Option<Rc<Run>> {
        let key = format!("{experiment}{detail:?}{reference:?}");
        if let Some(run) = self.runs.borrow().get(&key) {
            return Some(run.clone());
        }
        let decoded = self.known(Experiment::decode(&experiment))?;
        let alone = match experiment.get("alone") {
            Some(Value::Bool(true)) => {
                let of = |kernel| self.register(alone_of(&experiment, kernel, None, reference.as_ref())?, Detail::Full, None);
                (0..decoded.kernels.len()).map(of).collect::<Option<_>>()?
            }
            _ => Vec::new(),
        };
        let run = Rc::new(Run { hash: decoded.config_hash(), experiment, detail, reference, alone, goals: decoded.goals() });
        self.runs.borrow_mut().insert(key, run.clone());
        Some(run)
    }

    /// The best run of a search; and with its candidates what the schemes of `also` settle for.
    fn search(&self, mix: &Mix, scheme: &str, space: Space, goal: &str, machine: &str) -> Option<Rc<Run>> {
        let found = self.study.schemes.get(scheme)?;
        let goal = found.best.as_deref().unwrap_or(goal);
        let key = format!("{} {scheme} {machine} {goal}", mix.join("+"));
        if let Some(best) = self.best.borrow().get(&key) {
            return Some(best.clone());
        }
        let all = self.candidates(mix, found, space, machine)?;
        let settle = |scheme: &String| {
            let run = self.run(mix, &format!("{scheme} {machine}"), goal, Detail::Full)?;
            Some(fixed(&settled(&*self.results.of(&run)?, mix.len())?))
        };
        // All are asked for, even when one is missing.
        let also: Vec<Option<Value>> = found.also.iter().map(settle).collect();
        let search = Search { all: &all, rungs: self.study.mode.rungs(space), goal, also: also.into_iter().collect() };
        let best = search.best(&self.results, |run, rung| match rung {
            Some(rung) => self.again(run, rung_lengths(rung), Detail::Ipc),
            None => self.again(run, lengths(&self.study, mix, machine), Detail::Full),
        })?;
        self.best.borrow_mut().insert(key, best.clone());
        Some(best)
    }

    /// Every candidate of a search, as long as its first rung.
    fn candidates(&self, mix: &Mix, scheme: &Scheme, space: Space, machine: &str) -> Option<Rc<Vec<Rc<Run>>>> {
        let lengths = self.study.mode.rungs(space).first().map(rung_lengths)?;
        let name = format!("{} {space:?} {machine}", mix.join("+"));
        let draft = Draft { name: name.trim_end(), mix, policy: "even".into(), lengths, machine };
        let (base, reference) = self.known(draft.under(scheme, &self.study))?;
        let key = format!("{base}");
        if let Some(runs) = self.candidates.borrow().get(&key) {
            return Some(runs.clone());
        }
        let policies = self.known(Experiment::decode(&base).and_then(|experiment| space.policies(&experiment)))?;
        let run = |policy| {
            let mut experiment = base.clone();
            self.known(set_path(&mut experiment, "policy", policy))?;
            self.register(experiment, Detail::Ipc, reference.clone())
        };
        let runs: Rc<Vec<Rc<Run>>> = Rc::new(policies.into_iter().map(run).collect::<Option<_>>()?);
        self.candidates.borrow_mut().insert(key, runs.clone());
        Some(runs)
    }

    /// A run's experiment with other lengths.
    pub fn again(&self, run: &Run, (warm_up, stop): Lengths, detail: Detail) -> Option<Rc<Run>> {
        let mut experiment = run.experiment.clone();
        self.known(set_path(&mut experiment, "warm_up", warm_up.into()))?;
        self.known(set_path(&mut experiment, "stop", stop))?;
        self.register(experiment, detail, run.reference.clone())
    }

    /// What is wrong with runs that were asked for.
    pub fn check(&self) -> Result<(), Problems> {
        let mut problems = self.problems.borrow().clone();
        problems.0.dedup();
        problems.0.truncate(20);
        problems.or(())
    }

    /// What is right of something; what is wrong is noted, for `check`.
    fn known<T>(&self, found: Result<T, Problems>) -> Option<T> {
        found.map_err(|problems| self.problems.borrow_mut().0.extend(problems.0)).ok()
    }

    fn wrong<T>(&self, path: &str, found: &str, want: &str) -> Option<T> {
        self.known(Err(problem(path, format!("{found:?}"), want)))
    }
}

/// The warm-up of a rung's runs, and when they end.
fn rung_lengths(rung: &Rung) -> Lengths {
    (rung.warm_up, of_cycles(rung.cycles))
}
