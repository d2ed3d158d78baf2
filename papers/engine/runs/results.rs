//! Results by run. Asking for one that is not there puts its run on a list; the list is run, and what asked asks again.

use super::executor;
use super::run::Run;
use super::store::Store;
use crate::engine::paper::mix::Mix;
use corun_lab::Failure;
use sim_core::describe::goal::Goal;
use sim_core::describe::record::Datum;
use sim_core::describe::value::Value;
use sim_core::interface::ratios::{Goals, Metrics};
use sim_core::study::figure::lookup;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// See the module.
#[derive(Debug)]
pub struct Results {
    store: Store,
    /// Adds the paper's own figures to a result.
    complete: fn(&mut Value),
    completed: RefCell<BTreeMap<String, Rc<Value>>>,
    missing: RefCell<BTreeMap<String, Rc<Run>>>,
    asked: RefCell<Asked>,
}

/// What results have been asked for.
#[derive(Default, Debug)]
pub struct Asked {
    mixes: BTreeSet<Mix>,
    runs: BTreeMap<String, Rc<Run>>,
}

impl Asked {
    /// The mixes that a number stands on: where several kernels run, what each does alone does not count.
    pub fn population(self) -> BTreeSet<Mix> {
        let together = self.mixes.iter().any(|mix| mix.len() > 1);
        self.mixes.into_iter().filter(|mix| mix.len() > 1 || !together).collect()
    }

    /// The runs, also those that were only looked through.
    pub fn runs(self) -> impl Iterator<Item = Rc<Run>> {
        self.runs.into_values()
    }
}

impl Results {
    /// A store's results, each with what `complete` adds.
    pub fn new(store: Store, complete: fn(&mut Value)) -> Results {
        Results { store, complete, completed: RefCell::default(), missing: RefCell::default(), asked: RefCell::default() }
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

    /// Half of the 95 % intervals of the IPCs of kernels that run together, as parts of the IPC, from the narrowest; and how many have
    /// none.
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

    /// What `ask` gives, and the results that it asks for.
    pub fn watch<T>(&self, ask: impl FnOnce() -> T) -> (T, Asked) {
        let before = self.asked.take();
        let found = ask();
        (found, self.asked.replace(before))
    }

    /// What `look` gives; the mixes whose results it asks for are none that a number stands on.
    pub fn look_through<T>(&self, look: impl FnOnce() -> T) -> T {
        let (found, asked) = self.watch(look);
        self.asked.borrow_mut().runs.extend(asked.runs);
        found
    }

    /// A run's result with what is relative to the kernels alone; if something of it has not run, it is put on the list.
    pub fn of(&self, run: &Rc<Run>) -> Option<Rc<Value>> {
        let key = run.key();
        let with = run.compared();
        let mut asked = self.asked.borrow_mut();
        asked.mixes.insert(run.mix());
        asked.runs.insert(with.clone(), run.clone());
        drop(asked);
        if let Some(result) = self.completed.borrow().get(&with) {
            return Some(result.clone());
        }
        let alone: Vec<Option<Rc<Value>>> = run.alone.iter().map(|alone| self.of(alone)).collect();
        let Some(raw) = self.store.get(&key) else {
            self.missing.borrow_mut().insert(key, run.clone());
            return None;
        };
        let alone: Vec<Rc<Value>> = alone.into_iter().collect::<Option<_>>()?;
        let ipc: Vec<Option<f64>> = alone.iter().map(|alone| lookup(alone, "kernels[0].ipc")).collect();
        let mut result = completed(raw, &ipc, &run.goals);
        (self.complete)(&mut result);
        let result = Rc::new(result);
        self.completed.borrow_mut().insert(with, result.clone());
        Some(result)
    }

    /// Runs the list, `jobs` runs at a time, and empties it; false if it was told to stop.
    pub fn run_missing(&mut self, jobs: usize) -> Result<bool, Failure> {
        let missing = std::mem::take(&mut *self.missing.borrow_mut());
        executor::execute(missing, &mut self.store, jobs)
    }

    /// How many runs are on the list.
    pub fn missing(&self) -> usize {
        self.missing.borrow().len()
    }

    /// Takes the list.
    #[cfg(test)]
    pub fn take_missing(&mut self) -> BTreeMap<String, Rc<Run>> {
        std::mem::take(&mut *self.missing.borrow_mut())
    }

    /// Takes results from elsewhere.
    #[cfg(test)]
    pub fn add(&mut self, results: Vec<(String, Value)>) {
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
