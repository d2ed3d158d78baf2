//! The runs of a paper and their results. Asking for a result that is not there puts its run on a list. So the claims are evaluated, the
//! list is run, and again, until nothing is missing: what a claim needs, and that some runs need others' results first (curves, oracles),
//! stands in the measure alone.

mod oracles;
pub mod spaces;
mod work;
mod written;

pub use written::of_cycles;

use crate::catalogue::Paper;
use crate::engine::measure::Bounds;
use crate::engine::store::Store;
use crate::engine::study::{Study, promised, sized};
use sim_core::describe::error::Problems;
use sim_core::describe::goal::Goal;
use sim_core::describe::record::Datum;
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::seam::ratios::{Goals, Metrics};
use sim_core::study::figure::lookup;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use written::{alone_of, fixed, mix_of};

/// Kernels by name, those with a goal as in `BP@80`: it is to keep 80 % of its IPC alone.
pub type Mix = Vec<String>;

/// Cycles of warm-up, and a stop condition as an experiment writes it.
pub type Lengths = (u64, Value);

/// The modifier of a scheme that measures it over the mode's own cycles, whatever kernels the mix has.
pub const SHORT: &str = "long=no";

/// What is kept of a result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Detail {
    /// The kernels' IPC: searches have thousands of runs.
    Ipc,
    /// The result.
    Full,
    /// The result with its windows.
    Windows,
}

/// A run that some measure needs.
#[derive(Debug)]
pub struct Run {
    /// As an experiment file writes it.
    pub written: Value,
    /// The hash of its experiment.
    pub hash: String,
    detail: Detail,
    /// The GPU of the kernels alone, where it is not the run's own.
    reference: Option<Value>,
    /// What the metrics are relative to: each kernel's run alone.
    alone: Vec<Rc<Run>>,
    /// What each kernel is promised, deadlines as rates.
    goals: Vec<Option<Goal>>,
}

/// A scheme as claims write it: a name, then modifiers, of which some change the machine and so also what kernels do alone there.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Asked<'s> {
    /// `ws`, `alone half`, `fixed(7, 4)`.
    name: &'s str,
    /// Changes of GPU, kernels, seed or lengths, `key=value` each.
    machine: String,
    /// Changes of the policy and the order of warps.
    rest: Vec<&'s str>,
}

impl Run {
    /// Its kernels by name, with their goals.
    pub fn mix(&self) -> Mix {
        let Some(Value::Array(kernels)) = self.written.get("kernels") else { return Vec::new() };
        let with_goal = |(name, kernel): (String, &Value)| match kernel.get("qos").and_then(Value::as_f64) {
            Some(goal) => format!("{name}@{}", (goal * 100.0).round()),
            None => name,
        };
        let mix = mix_of(&self.written).into_iter().zip(kernels).map(with_goal);
        // Where kernels run once, what they take is of the SMs that they have.
        let split = self.written.get("policy").and_then(|policy| policy.get("split"));
        match (self.written.get("restart"), split) {
            (Some(Value::Bool(false)), Some(Value::Array(split))) => mix.zip(split).map(|(name, sms)| format!("{name}:{sms}")).collect(),
            _ => mix.collect(),
        }
    }

    /// The experiment with what its metrics are relative to: who runs it by itself has the study's.
    pub fn shown(&self) -> Value {
        let mut shown = self.written.clone();
        if let (Value::Object(fields), Some(gpu)) = (&mut shown, &self.reference) {
            fields.push(("alone_gpu".into(), gpu.clone()));
        }
        shown
    }

    /// The name of its result with metrics: these depend on whether kernels also run alone, and where.
    pub fn compared(&self) -> String {
        let gpu = self.reference.as_ref().map(Value::to_string).unwrap_or_default();
        format!("{} {} {gpu}", self.key(), self.alone.len())
    }

    /// The name of its result: of two runs of one experiment, one may keep the windows.
    pub fn key(&self) -> String {
        format!("{}{}", self.hash, ["-ipc", "", "-windows"][self.detail as usize])
    }
}

/// See the module.
#[derive(Debug)]
pub struct Runs {
    pub paper: &'static Paper,
    pub study: Study,
    store: Store,
    runs: RefCell<BTreeMap<String, Rc<Run>>>,
    completed: RefCell<BTreeMap<String, Rc<Value>>>,
    searches: RefCell<BTreeMap<String, Rc<Vec<Rc<Run>>>>>,
    best: RefCell<BTreeMap<String, Rc<Run>>>,
    wanted: RefCell<BTreeMap<String, Rc<Run>>>,
    /// Of which mixes a result has been asked for since this was last taken.
    looked_at: RefCell<BTreeSet<Mix>>,
    /// The same, the runs themselves.
    behind: RefCell<BTreeMap<String, Rc<Run>>>,
    problems: RefCell<Problems>,
}

impl Runs {
    /// The runs of a paper, with a store's results.
    pub fn new(paper: &'static Paper, study: Study, store: Store) -> Runs {
        Runs {
            paper,
            study,
            store,
            runs: RefCell::default(),
            completed: RefCell::default(),
            searches: RefCell::default(),
            best: RefCell::default(),
            wanted: RefCell::default(),
            looked_at: RefCell::default(),
            behind: RefCell::default(),
            problems: RefCell::default(),
        }
    }

    /// Where the results come from.
    pub fn origin(&self) -> &Value {
        &self.store.origin
    }

    /// How many runs are known.
    pub fn known(&self) -> usize {
        self.store.len()
    }

    /// How many runs the report stands on, and their cycles in all.
    pub fn used(&self) -> (usize, f64) {
        let all = self.completed.borrow();
        (all.len(), all.values().filter_map(|result| lookup(result, "cycles")).sum())
    }

    /// Half of the 95 % intervals of the IPCs of kernels that run together, as parts of the IPC, from the narrowest; and how many have none.
    pub fn intervals(&self) -> (Vec<f64>, usize) {
        let (mut known, mut none) = (Vec::new(), 0);
        for result in self.completed.borrow().values() {
            let Some(Value::Array(kernels)) = result.get("kernels") else { continue };
            if kernels.len() < 2 || result.get("ci95").is_none() {
                continue;
            }
            for kernel in 0..kernels.len() {
                // The upper half, for the lower one ends at 0.
                let high = lookup(result, &format!("ci95.kernels[{kernel}].ipc[1]"));
                let ipc = lookup(result, &format!("kernels[{kernel}].ipc")).filter(|ipc| *ipc > 0.0);
                match (ipc, high) {
                    (Some(ipc), Some(high)) => known.push((high - ipc) / ipc),
                    _ => none += 1,
                }
            }
        }
        known.sort_by(f64::total_cmp);
        (known, none)
    }

    // --- asking ------------------------------------------------------------------------------------------------------------------

    /// The mixes of which a result was asked for since the last call: where several kernels run, what each does alone does not count.
    pub fn population(&self) -> BTreeSet<Mix> {
        let all = std::mem::take(&mut *self.looked_at.borrow_mut());
        let together = all.iter().any(|mix| mix.len() > 1);
        all.into_iter().filter(|mix| mix.len() > 1 || !together).collect()
    }

    /// The runs that were asked for since the last call.
    pub fn behind(&self) -> Vec<Rc<Run>> {
        std::mem::take(&mut *self.behind.borrow_mut()).into_values().collect()
    }

    /// A number of a scheme's run of a mix; of several paths with ` + ` between them, the sum. `alone` is the kernel of a path by itself,
    /// `alone N` with N CTAs on each SM, `alone half` with half of what an SM holds.
    pub fn value(&self, mix: &Mix, scheme: &str, path: &str) -> Option<f64> {
        let one = |path| {
            let (run, path) = self.placed(mix, scheme, path)?;
            lookup(&*self.result(&run)?, &path)
        };
        path.split(" + ").map(one).reduce(|sum, next| Some(sum? + next?))?
    }

    /// The run that a number stands in, and where.
    pub fn placed(&self, mix: &Mix, scheme: &str, path: &str) -> Option<(Rc<Run>, String)> {
        let path = match path {
            "hspeedup" | "wspeedup" => format!("metrics.{path}"),
            path => path.to_owned(),
        };
        let asked = self.asked(scheme);
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

    /// A scheme taken apart.
    fn asked<'s>(&self, scheme: &'s str) -> Asked<'s> {
        let second = |(place, word): (usize, &str)| {
            let counts = scheme.starts_with("alone") && (word == "half" || word.parse::<u32>().is_ok());
            place + if counts { word.len() } else { 0 }
        };
        let end = match (scheme.find(')'), scheme.split_once(' ')) {
            (Some(end), _) if scheme.starts_with("fixed(") => end + 1,
            (_, Some((name, rest))) => second((name.len() + 1, rest.split(' ').next().unwrap_or(""))),
            _ => scheme.len(),
        };
        let (name, modifiers) = scheme.split_at(end);
        let machine = |modifier: &&str| {
            let Some((key, _)) = modifier.split_once('=') else { return false };
            let path = self.study.path(key).unwrap_or("");
            let of_machine = ["gpu.", "kernels", "stop."].iter().any(|start| path.starts_with(start)) || ["gpu", "seed"].contains(&path);
            of_machine || *modifier == SHORT || self.study.kernel_field(key).is_some()
        };
        let (machine, rest): (Vec<&str>, Vec<&str>) = modifiers.split_whitespace().partition(machine);
        Asked { name: name.trim_end(), machine: machine.join(" "), rest }
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
        // Those that are only looked through are not what a result stands on.
        let before = self.looked_at.borrow().clone();
        // All are asked for, even when one is missing.
        let all: Vec<Option<(Mix, bool)>> = mixes.into_iter().map(is_within).collect();
        *self.looked_at.borrow_mut() = before;
        let all = all.into_iter().collect::<Option<Vec<_>>>()?;
        Some(all.into_iter().filter(|(_, within)| *within).map(|(mix, _)| mix).collect())
    }

    /// The windows of a scheme's run, from the end of the warm-up on.
    pub fn windows(&self, mix: &Mix, scheme: &str) -> Option<(Rc<Run>, Vec<Value>, usize)> {
        let asked = self.asked(scheme);
        let run = match asked.name.strip_prefix("alone") {
            Some(rest) => self.alone(&mix[0], rest.trim().parse().ok(), &asked.machine, Detail::Windows)?,
            None => self.run(mix, scheme, "hspeedup", Detail::Windows)?,
        };
        let result = self.result(&run)?;
        let from = result.get("measured_from")?.as_int()?;
        let Value::Array(windows) = result.get("windows")? else { return None };
        let skipped =
            windows.iter().take_while(|window| window.get("start").and_then(Value::as_int).is_some_and(|start| start < from)).count();
        Some((run, windows[skipped..].to_vec(), skipped))
    }

    /// A kernel by itself on a machine, with the greedy order that standalone runs have.
    pub fn alone(&self, kernel: &str, ctas: Option<u32>, machine: &str, detail: Detail) -> Option<Rc<Run>> {
        let mix = [promised(kernel).0.to_owned()];
        let written = self.written("", &mix, "even".into(), self.lengths(&mix, machine), machine);
        self.register(alone_of(&written, 0, ctas, None)?, detail, None)
    }

    /// Cycles that a kernel's run alone measures.
    pub fn cycles_alone(&self, kernel: &str, machine: &str) -> Option<f64> {
        let mix = vec![kernel.to_owned()];
        let of = |path| self.value(&mix, &format!("alone {machine}"), path);
        match self.study.mode.settled {
            None => Some(self.cycles(&mix, machine) as f64),
            Some(_) => Some(of("cycles")? - of("measured_from")?),
        }
    }

    /// CTAs of a kernel that an SM holds.
    pub fn most_ctas(&self, kernel: &str, machine: &str) -> Option<u32> {
        let run = self.alone(kernel, None, machine, Detail::Full)?;
        let limits = Experiment::decode(&run.written).ok()?.cta_limits();
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
        let asked = self.asked(scheme);
        if let Some(ctas) = asked.name.strip_prefix("fixed(").and_then(|rest| rest.strip_suffix(')')) {
            let ctas: Option<Vec<u32>> = ctas.split(',').map(|n| n.trim().parse().ok()).collect();
            let mut written = self.written(scheme, mix, fixed(&ctas?), self.lengths(mix, &asked.machine), &asked.machine);
            asked.rest.iter().for_each(|modifier| self.change(&mut written, modifier));
            return self.register(written, detail, None);
        }
        let Some(found) = self.study.schemes.get(asked.name) else {
            self.wrong("scheme", scheme, "one of study.toml");
            return None;
        };
        if let Some(space) = found.search {
            if let Some(rest) = asked.rest.first() {
                self.wrong("scheme", rest, "what changes the machine: a search has no policy of its own");
            }
            let best = self.search(mix, asked.name, space, goal, &asked.machine)?;
            return if detail == Detail::Full { Some(best) } else { self.register(best.written.clone(), detail, best.reference.clone()) };
        }
        let lengths = self.lengths(mix, &asked.machine);
        let (mut written, reference) = self.under(found, &found.title, mix, found.policy.clone(), lengths, &asked.machine);
        let time_scale = self.study.mode.time_scale;
        if let Some(path) = found.time_scale.as_ref().filter(|_| time_scale != 1.0) {
            self.set(&mut written, path, time_scale.into());
        }
        if let Some([scheme, parameter]) = &found.take {
            let other = self.run(mix, &format!("{scheme} {}", asked.machine), goal, Detail::Full)?;
            self.set(&mut written, &format!("policy.{parameter}"), other.written.get("policy")?.get(parameter)?.clone());
        }
        let fill = |key: &String| Some((key.clone(), self.filled(mix, key, &asked.machine)?));
        let filled: Vec<Option<(String, Value)>> = found.fill.iter().map(fill).collect();
        for (key, value) in filled.into_iter().collect::<Option<Vec<_>>>()? {
            self.set(&mut written, &format!("policy.{key}"), value);
        }
        asked.rest.iter().for_each(|modifier| self.change(&mut written, modifier));
        self.register(written, detail, reference)
    }

    /// A parameter that says what the kernels of a mix do alone.
    fn filled(&self, mix: &Mix, key: &str, machine: &str) -> Option<Value> {
        // To a thousandth, so that experiments stay readable.
        let round = |ipc: f64| Value::from((ipc * 1000.0).round() / 1000.0);
        let of = |kernel: &String| -> Option<Value> {
            let alone = |path: &str| self.value(&vec![kernel.clone()], &format!("alone {machine}"), path);
            match key {
                "split" => Some(sized(kernel).1?.into()),
                "curves" => self.curve(kernel, "kernels[0].ipc", machine).map(|curve| Value::array(curve.into_iter().map(round))),
                "warp_ipc_alone" => Some(round(alone("kernels[0].counters.warp_instructions")? / self.cycles_alone(kernel, machine)?)),
                _ => alone("kernels[0].ipc").map(round),
            }
        };
        let values: Vec<Option<Value>> = mix.iter().map(of).collect();
        Some(Value::array(values.into_iter().collect::<Option<Vec<Value>>>()?))
    }

    /// The run of an experiment, with the GPU of the kernels alone if it is another; each stands once, however often it is asked for.
    fn register(&self, written: Value, detail: Detail, reference: Option<Value>) -> Option<Rc<Run>> {
        let key = format!("{written}{detail:?}{reference:?}");
        if let Some(run) = self.runs.borrow().get(&key) {
            return Some(run.clone());
        }
        let experiment = Experiment::decode(&written).map_err(|problems| self.problems.borrow_mut().0.extend(problems.0)).ok()?;
        let alone = match written.get("alone") {
            Some(Value::Bool(true)) => {
                let of = |kernel| self.register(alone_of(&written, kernel, None, reference.as_ref())?, Detail::Full, None);
                (0..experiment.kernels.len()).map(of).collect::<Option<_>>()?
            }
            _ => Vec::new(),
        };
        let run = Rc::new(Run { hash: experiment.config_hash(), written, detail, reference, alone, goals: experiment.goals() });
        self.runs.borrow_mut().insert(key, run.clone());
        Some(run)
    }

    /// A run's result with what is relative to the kernels alone; if something of it has not run, it is put on the list.
    pub fn result(&self, run: &Rc<Run>) -> Option<Rc<Value>> {
        let key = run.key();
        self.looked_at.borrow_mut().insert(run.mix());
        let with = run.compared();
        self.behind.borrow_mut().insert(with.clone(), run.clone());
        if let Some(result) = self.completed.borrow().get(&with) {
            return Some(result.clone());
        }
        let alone: Vec<Option<Rc<Value>>> = run.alone.iter().map(|alone| self.result(alone)).collect();
        let Some(raw) = self.store.get(&key) else {
            self.wanted.borrow_mut().insert(key, run.clone());
            return None;
        };
        let alone: Vec<Rc<Value>> = alone.into_iter().collect::<Option<_>>()?;
        let ipc: Vec<Option<f64>> = alone.iter().map(|alone| lookup(alone, "kernels[0].ipc")).collect();
        let mut result = completed(raw, &ipc, &run.goals);
        (self.paper.code.complete)(&mut result);
        let result = Rc::new(result);
        self.completed.borrow_mut().insert(with, result.clone());
        Some(result)
    }

    /// What is wrong with runs that were asked for.
    pub fn check(&self) -> Result<(), Problems> {
        let mut problems = self.problems.borrow().clone();
        problems.0.dedup();
        problems.0.truncate(20);
        problems.or(())
    }

    /// How many runs are on the list.
    pub fn open(&self) -> usize {
        self.wanted.borrow().len()
    }

    /// Takes the list.
    #[cfg(test)]
    pub fn take(&mut self) -> BTreeMap<String, Rc<Run>> {
        std::mem::take(&mut *self.wanted.borrow_mut())
    }

    /// Takes results from elsewhere.
    #[cfg(test)]
    pub fn learn(&mut self, results: Vec<(String, Value)>) {
        self.store.add(results);
    }
}

/// A result with IPC alone and what follows from it.
fn completed(raw: &Value, ipc_alone: &[Option<f64>], goals: &[Option<Goal>]) -> Value {
    let mut result = raw.clone();
    let Value::Object(fields) = &mut result else { return result };
    let stuck = raw.get("stop").and_then(Value::as_str) == Some("stuck");
    let (mut pairs, mut promises) = (Vec::new(), Vec::new());
    for (key, value) in fields.iter_mut() {
        let (true, Value::Array(kernels)) = (key == "kernels", value) else { continue };
        for (i, kernel) in kernels.iter_mut().enumerate() {
            let number = |key| kernel.get(key).and_then(Value::as_f64);
            let alone = ipc_alone.get(i).copied().flatten();
            let shared = number("ipc").filter(|_| !stuck);
            pairs.push((alone, shared));
            let slowdown = shared.filter(|ipc| *ipc > 0.0).and_then(|ipc| Some(alone? / ipc));
            let goal = goals.get(i).copied().flatten().map(|goal| goal.ipc(alone));
            promises.push((alone, shared, goal));
            let reached = |goal: Option<f64>| Some(shared? / goal?);
            let found = [("ipc_alone", alone), ("slowdown", slowdown)].into_iter();
            let found = found.chain(goal.into_iter().flat_map(|goal| [("goal_ipc", goal), ("goal_reached", reached(goal))]));
            let Value::Object(fields) = kernel else { continue };
            fields.retain(|(key, _)| !["ipc_alone", "slowdown", "goal_ipc", "goal_reached"].contains(&key.as_str()));
            fields.extend(found.map(|(key, value)| (key.to_owned(), value.into())));
        }
    }
    if let Some(goals) = Goals::of(&promises).filter(|_| ipc_alone.len() == promises.len()) {
        fields.retain(|(key, _)| key != "goals");
        fields.push(("goals".to_owned(), goals.write()));
    }
    if ipc_alone.len() == pairs.len() {
        let metrics = Metrics::of(&pairs);
        let metrics = Value::object([
            ("hspeedup", metrics.hspeedup),
            ("wspeedup", metrics.stp),
            ("antt", metrics.antt),
            ("fairness", metrics.fairness),
        ]);
        fields.retain(|(key, _)| key != "metrics");
        fields.push(("metrics".to_owned(), metrics));
    }
    result
}
