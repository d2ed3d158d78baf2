//! The runs of a paper and their results. Asking for a result that is not there puts its run on a list. So the claims are evaluated, the
//! list is run, and again, until nothing is missing: what a claim needs, and that some runs need others' results first (curves, oracles),
//! stands in the measure alone.

use super::measure::Bounds;
use super::papers::Paper;
use super::search::Space;
use super::store::{self, Store};
use super::study::{Rung, Scheme, Study, promised, sized};
use crate::Failure;
use crate::workers::{self, locked};
use sim_core::describe::error::Problems;
use sim_core::describe::goal::Goal;
use sim_core::describe::value::Value;
use sim_core::policy::{AnyPolicy, Policy};
use sim_core::run::experiment::{Experiment, Settled, Stop, set_path};
use sim_core::run::plan::Plan;
use sim_core::seam::ratios::{Goals, Metrics};
use sim_core::study::figure::lookup;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

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
                let end = |end: usize| lookup(result, &format!("ci95.kernels[{kernel}].ipc[{end}]"));
                let ipc = lookup(result, &format!("kernels[{kernel}].ipc")).filter(|ipc| *ipc > 0.0);
                match (ipc, end(0), end(1)) {
                    (Some(ipc), Some(low), Some(high)) => known.push((high - low) / 2.0 / ipc),
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

    /// An experiment of a scheme, and the GPU of the kernels alone if it is another.
    fn under(&self, scheme: &Scheme, name: &str, mix: &Mix, policy: Value, lengths: Lengths, machine: &str) -> (Value, Option<Value>) {
        let reference =
            scheme.gpu.as_ref().and_then(|_| self.written(name, mix, policy.clone(), lengths.clone(), machine).get("gpu").cloned());
        let gpu = scheme.gpu.as_ref().unwrap_or(&self.study.gpu);
        let mut written = self.written_on(gpu, name, mix, policy, lengths, machine);
        if let Some(order) = &scheme.warp_order {
            self.set(&mut written, "warp_order", order.as_str().into());
        }
        if let Some(order) = &scheme.cta_order {
            self.set(&mut written, "cta_order", order.clone());
        }
        (written, reference)
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

    // --- oracles -----------------------------------------------------------------------------------------------------------------

    /// The best run of a search: all of it short, after each rung the best of what is left, the last few at full length; and with these what the
    /// schemes of `also` settle for.
    fn search(&self, mix: &Mix, scheme: &str, space: Space, goal: &str, machine: &str) -> Option<Rc<Run>> {
        let found = self.study.schemes.get(scheme)?;
        let goal = found.best.as_deref().unwrap_or(goal);
        let key = format!("{} {scheme} {machine} {goal}", mix.join("+"));
        if let Some(best) = self.best.borrow().get(&key) {
            return Some(best.clone());
        }
        let rungs = self.study.mode.rungs(space);
        let all = self.space(mix, found, space, machine)?;
        let settled: Vec<Option<Vec<u32>>> =
            found.also.iter().map(|scheme| self.settled(mix, &format!("{scheme} {machine}"), goal)).collect();
        let mut left = all.clone();
        for (place, rung) in rungs.iter().enumerate() {
            let mut ranked = self.ranked(&left, goal)?;
            ranked.truncate(rung.keep);
            let next = rungs.get(place + 1);
            if next.is_none() {
                let settled: Vec<Value> = settled.iter().map(|ctas| Some(fixed(ctas.as_ref()?))).collect::<Option<_>>()?;
                ranked.extend(all.iter().filter(|run| run.written.get("policy").is_some_and(|policy| settled.contains(policy))).cloned());
            }
            let runs: Vec<Option<Rc<Run>>> = ranked
                .iter()
                .map(|run| match next {
                    Some(next) => self.again(run, next.lengths(), Detail::Ipc),
                    None => self.again(run, self.lengths(mix, machine), Detail::Full),
                })
                .collect();
            left = Rc::new(runs.into_iter().collect::<Option<_>>()?);
        }
        let best = self.ranked(&left, goal)?.into_iter().next()?;
        self.best.borrow_mut().insert(key, best.clone());
        Some(best)
    }

    /// The CTAs of each kernel on an SM that a scheme settles for: what it decided last.
    fn settled(&self, mix: &Mix, scheme: &str, goal: &str) -> Option<Vec<u32>> {
        let result = self.result(&self.run(mix, scheme, goal, Detail::Full)?)?;
        let Value::Array(decisions) = result.get("policy")?.get("decisions")? else { return None };
        let last = |kernel: usize| {
            let about = |decision: &Value| {
                let (of, topic) = (decision.get("kernel").and_then(Value::as_int), decision.get("topic").and_then(Value::as_str));
                (of, topic) == (Some(kernel as i64), Some("ctas"))
            };
            let decision = decisions.iter().rev().find(|decision| about(decision))?;
            u32::try_from(decision.get("values")?.get("ctas")?.as_int()?).ok()
        };
        // A scheme may leave a kernel without any.
        Some((0..mix.len()).map(|kernel| last(kernel).unwrap_or(0)).collect())
    }

    /// Every run of a search, as long as its first rung.
    fn space(&self, mix: &Mix, scheme: &Scheme, space: Space, machine: &str) -> Option<Rc<Vec<Rc<Run>>>> {
        let lengths = self.study.mode.rungs(space).first().map(Rung::lengths)?;
        let name = format!("{} {space:?} {machine}", mix.join("+"));
        let (base, reference) = self.under(scheme, name.trim_end(), mix, "even".into(), lengths, machine);
        let key = format!("{base}");
        if let Some(runs) = self.searches.borrow().get(&key) {
            return Some(runs.clone());
        }
        let policies = Experiment::decode(&base).and_then(|experiment| space.policies(&experiment));
        let policies = policies.map_err(|problems| self.problems.borrow_mut().0.extend(problems.0)).ok()?;
        let run = |policy| {
            let mut written = base.clone();
            self.set(&mut written, "policy", policy);
            self.register(written, Detail::Ipc, reference.clone())
        };
        let runs: Rc<Vec<Rc<Run>>> = Rc::new(policies.into_iter().map(run).collect::<Option<_>>()?);
        self.searches.borrow_mut().insert(key, runs.clone());
        Some(runs)
    }

    /// Runs from the best to the worst; of equals, the first. Stuck runs come last.
    fn ranked(&self, runs: &[Rc<Run>], goal: &str) -> Option<Vec<Rc<Run>>> {
        let results: Vec<Option<Rc<Value>>> = runs.iter().map(|run| self.result(run)).collect();
        let results: Vec<Rc<Value>> = results.into_iter().collect::<Option<_>>()?;
        // Of ANTT less is better.
        let sign = if goal == "antt" { -1.0 } else { 1.0 };
        let score = |result: &Value| lookup(result, &format!("metrics.{goal}")).map_or(f64::NEG_INFINITY, |metric| sign * metric);
        let mut ranked: Vec<(f64, Rc<Run>)> = results.iter().map(|result| score(result)).zip(runs.iter().cloned()).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        Some(ranked.into_iter().map(|(_, run)| run).collect())
    }

    /// The same run with other lengths.
    pub fn again(&self, run: &Run, (warm_up, stop): Lengths, detail: Detail) -> Option<Rc<Run>> {
        let mut written = run.written.clone();
        self.set(&mut written, "warm_up", warm_up.into());
        self.set(&mut written, "stop", stop);
        self.register(written, detail, run.reference.clone())
    }

    // --- runs --------------------------------------------------------------------------------------------------------------------

    /// The warm-up of a mix's runs, and when they end.
    pub fn lengths(&self, mix: &[String], machine: &str) -> Lengths {
        let (mode, cycles) = (&self.study.mode, self.cycles(mix, machine));
        let settled = |within: f64| Value::object([("settled", Value::from(within)), ("at_most", cycles.into())]);
        if self.study.once {
            return (0, Value::object([("kernels_done", Value::from(true)), ("cycles", cycles.into())]));
        }
        (mode.warm_up, mode.settled.map_or(of_cycles(cycles), settled))
    }

    /// How many cycles a mix's runs measure, or at most.
    pub fn cycles(&self, mix: &[String], machine: &str) -> u64 {
        let short = machine.split_whitespace().any(|modifier| modifier == SHORT);
        if short { self.study.mode.cycles } else { self.study.mode.cycles_of(mix) }
    }

    /// An experiment as a file writes it.
    fn written(&self, scheme: &str, mix: &[String], policy: Value, lengths: Lengths, machine: &str) -> Value {
        self.written_on(&self.study.gpu, scheme, mix, policy, lengths, machine)
    }

    fn written_on(&self, gpu: &Value, scheme: &str, mix: &[String], policy: Value, (warm_up, stop): Lengths, machine: &str) -> Value {
        let name = if mix.len() > 1 { format!("{}: {scheme}", mix.join("+")) } else { scheme.to_owned() };
        let mut written = Value::object([
            ("corun", Value::from(1)),
            ("name", name.into()),
            ("source", self.study.source.as_str().into()),
            ("seed", self.study.seed.into()),
            ("gpu", gpu.clone()),
            ("kernels", Value::array(mix.iter().map(|kernel| used(&self.study.prefix, kernel)))),
            ("policy", policy),
            ("warp_order", self.study.warp_order.as_str().into()),
            ("warm_up", warm_up.into()),
            ("stop", stop),
            ("alone", (!self.study.once).into()),
        ]);
        if let (Value::Object(fields), true) = (&mut written, self.study.once) {
            fields.push(("restart".into(), false.into()));
        }
        let all = [self.study.everywhere.as_str(), machine];
        let modifiers = all.iter().flat_map(|machine| machine.split_whitespace()).filter(|modifier| *modifier != SHORT);
        // Another GPU comes before what is changed of it.
        let (whole, parts): (Vec<&str>, Vec<&str>) = modifiers.partition(|modifier| modifier.starts_with("gpu="));
        whole.into_iter().chain(parts).for_each(|modifier| self.change(&mut written, modifier));
        written
    }

    /// Applies a modifier: `key=value`, or an order of warps. `KERNEL.field=value` changes one kernel, in the mixes that have it.
    fn change(&self, written: &mut Value, modifier: &str) {
        let Some((key, value)) = modifier.split_once('=') else {
            return self.set(written, "warp_order", modifier.into());
        };
        let one = self.study.kernel_field(key);
        let path = one.map(|(_, field)| format!("kernels[*].{field}")).or_else(|| self.study.path(key).map(str::to_owned));
        let Some(path) = path else {
            return self.wrong("modifier", key, "one of study.toml, or a path");
        };
        let value: Value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
        if !path.contains("[*]") {
            return self.set(written, &path, value);
        }
        let mix = mix_of(written).into_iter().enumerate();
        for (place, _) in mix.filter(|(_, name)| one.is_none_or(|(kernel, _)| kernel == name)) {
            self.set(written, &path.replace("[*]", &format!("[{place}]")), value.clone());
        }
    }

    /// Sets a field of an experiment as a file writes it.
    fn set(&self, written: &mut Value, path: &str, value: Value) {
        if let Err(problems) = set_path(written, path, value) {
            self.problems.borrow_mut().0.extend(problems.0);
        }
    }

    fn wrong(&self, path: &str, found: &str, want: &str) {
        self.problems.borrow_mut().add(path, format!("{found:?}"), want);
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

    // --- running -----------------------------------------------------------------------------------------------------------------

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

    /// Runs the list, long runs first, and empties it; false if it was told to stop.
    pub fn work(&mut self, jobs: usize) -> Result<bool, Failure> {
        let wanted = std::mem::take(&mut *self.wanted.borrow_mut());
        let mut tasks: Vec<Task> = wanted.into_iter().map(|(key, run)| Task::new(key, &run)).collect::<Result<_, Problems>>()?;
        tasks.sort_by(|a, b| b.length.cmp(&a.length).then_with(|| a.key.cmp(&b.key)));
        let jobs = jobs.min(tasks.len());
        // A run counts by its length: the long ones come first, so that by their number the rest would seem to take many times as long.
        let all = tasks.iter().map(|task| task.length).sum();
        let queue = Mutex::new(VecDeque::from(tasks));
        let (lines, answers) = self.store.parts();
        let out = Mutex::new((lines, Vec::new()));
        let failure = Mutex::new(None);
        let steps = AtomicU64::new(0);
        let fail = |found: Failure| {
            locked(&failure).get_or_insert(found);
            workers::interrupt();
        };
        workers::run(jobs, all, &steps, || {
            let task = locked(&queue).pop_front()?;
            let ended = answers
                .of(&Plan::of(&task.experiment).profile)
                .and_then(|known| known.map_or(Ok(None), |known| workers::simulate(&task.experiment, &known, None, task.length, &steps)));
            let mut simulation = ended.map_err(|problems| fail(problems.into())).ok()??;
            let result = match task.detail {
                Detail::Ipc => brief(&simulation.result()),
                Detail::Full => simulation.result(),
                Detail::Windows => simulation.result_with_windows(),
            };
            let mut out = locked(&out);
            out.0.append(&store::line(&task.key, &result)).map_err(fail).ok()?;
            out.1.push((task.key, result));
            Some(())
        });
        let (_, done) = out.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        self.store.add(done);
        failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).map_or(Ok(!workers::interrupted()), Err)
    }
}

/// A run as a worker takes it.
#[derive(Debug)]
struct Task {
    key: String,
    experiment: Experiment,
    detail: Detail,
    /// About how long it takes.
    length: u64,
}

impl Task {
    fn new(key: String, run: &Run) -> Result<Task, Problems> {
        let experiment = Experiment::decode(&run.written)?;
        let (Stop::Cycles(cycles) | Stop::KernelsDone { at_most: cycles } | Stop::Settled(Settled { at_most: cycles, .. })) =
            experiment.stop;
        // A scheme that learns takes longer than it is measured.
        let learns = u64::from(!AnyPolicy::new(&experiment.policy).settled());
        Ok(Task {
            key,
            detail: run.detail,
            length: (cycles + experiment.warm_up) * (1 + learns) * (experiment.kernels.len() as u64 + 1),
            experiment,
        })
    }
}

/// The kernels of an experiment by name, as a file writes it: those of the library, or with all their fields.
fn mix_of(written: &Value) -> Mix {
    let Some(Value::Array(kernels)) = written.get("kernels") else { return Vec::new() };
    kernels.iter().map(|kernel| named(kernel.get("kernel").unwrap_or(kernel)).to_owned()).collect()
}

fn named(kernel: &Value) -> &str {
    let name = kernel.as_str().or_else(|| kernel.get("name")?.as_str()).unwrap_or("");
    name.rsplit('/').next().unwrap_or(name)
}

/// The stop condition of a run of fixed length.
pub fn of_cycles(cycles: u64) -> Value {
    Value::object([("cycles", cycles)])
}

fn fixed(ctas: &[u32]) -> Value {
    Value::object([("name", Value::from("fixed")), ("combination", Value::array(ctas.iter().copied()))])
}

/// A kernel of a mix as an experiment writes it.
fn used(prefix: &str, kernel: &str) -> Value {
    let (name, goal) = promised(kernel);
    let name = Value::from(format!("{prefix}{name}"));
    match goal {
        Some(percent) => Value::object([("kernel", name), ("qos", (percent as f64 / 100.0).into())]),
        None => name,
    }
}

/// A kernel of an experiment by itself on the same machine, or on another GPU, with all of its CTAs or so many. It has no goal there, so that all of its
/// goals are parts of one run.
fn alone_of(written: &Value, kernel: usize, ctas: Option<u32>, gpu: Option<&Value>) -> Option<Value> {
    let Some(Value::Array(kernels)) = written.get("kernels") else { return None };
    let used = without_goal(kernels.get(kernel)?);
    let name = named(used.get("kernel").unwrap_or(&used));
    let Value::Object(mut fields) = written.clone() else { return None };
    for (key, value) in &mut fields {
        match key.as_str() {
            "name" => *value = ctas.map_or(format!("{name} alone"), |ctas| format!("{name} alone, {ctas} CTAs on each SM")).into(),
            "kernels" => *value = Value::array([used.clone()]),
            "policy" => *value = ctas.map_or("leftover".into(), |ctas| fixed(&[ctas])),
            "warp_order" => *value = "gto".into(),
            "alone" => *value = false.into(),
            "gpu" => *value = gpu.unwrap_or(value).clone(),
            _ => {}
        }
    }
    Some(Value::Object(fields))
}

/// A kernel as an experiment writes it without its goal.
fn without_goal(used: &Value) -> Value {
    let Value::Object(fields) = used else { return used.clone() };
    if used.get("qos").is_none() {
        return used.clone();
    }
    let rest: Vec<_> = fields.iter().filter(|(key, _)| key != "qos").cloned().collect();
    match &rest[..] {
        [(key, name)] if key == "kernel" => name.clone(),
        _ => Value::Object(rest),
    }
}

/// What a search needs of a result.
fn brief(result: &Value) -> Value {
    let Some(Value::Array(kernels)) = result.get("kernels") else { return Value::Null };
    let kernels = kernels.iter().map(|kernel| Value::object([("ipc", kernel.get("ipc").cloned().unwrap_or_default())]));
    let field = |key: &'static str| (key, result.get(key).cloned().unwrap_or_default());
    Value::object([("kernels", Value::array(kernels)), field("stop"), field("cycles")])
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
        fields.push(("goals".to_owned(), goals.to_value()));
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
