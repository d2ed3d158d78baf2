//! Runs what is missing, on as many cores as there may be.

use super::run::{Detail, Run};
use super::store::{Out, Store};
use corun_lab::Failure;
use corun_lab::lab::Want;
use corun_lab::native::{self, Study};
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::run::experiment::{Experiment, Settled, Stop};
use sim_core::run::simulation::Simulation;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Runs all that is wanted, long runs first, `jobs` of them at a time, and stores what they find; false if it was told to stop.
pub fn execute(wanted: BTreeMap<String, Rc<Run>>, store: &mut Store, jobs: usize) -> Result<bool, Failure> {
    let tasks: Vec<Task> = wanted.into_iter().map(|(key, run)| Task::new(key, &run)).collect::<Result<_, Problems>>()?;
    let jobs = jobs.min(tasks.len());
    // A run counts by its length: the long ones come first, so that by their number the rest would seem to take many times as long.
    let all = tasks.iter().map(|task| task.length).sum();
    let (out, solo) = store.parts();
    let mut missing = Missing { tasks, asked: false, out };
    native::run(&mut missing, Some(solo), jobs, all)
}

/// Runs that a report misses.
struct Missing<'s> {
    tasks: Vec<Task>,
    asked: bool,
    out: Out<'s>,
}

impl Study for Missing<'_> {
    fn more(&mut self) -> Result<Vec<Want>, Failure> {
        let all = !std::mem::replace(&mut self.asked, true);
        Ok(self.tasks.iter().enumerate().filter(|_| all).map(|(tag, task)| task.want(tag)).collect())
    }

    fn ended(&mut self, tag: usize, outcome: Value) -> Result<(), Failure> {
        self.out.add(&self.tasks[tag].key, outcome)
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
        let experiment = Experiment::decode(&run.experiment)?;
        let (Stop::Cycles(cycles) | Stop::KernelsDone { at_most: cycles } | Stop::Settled(Settled { at_most: cycles, .. })) =
            experiment.stop;
        // A scheme that learns takes longer than it is measured.
        let learns = u64::from(experiment.policy.policies().iter().any(|policy| !policy.settled()));
        Ok(Task {
            key,
            detail: run.detail,
            length: (cycles + experiment.warm_up.at_most()) * (1 + learns) * (experiment.kernels.len() as u64 + 1),
            experiment,
        })
    }
}

impl Task {
    fn want(&self, tag: usize) -> Want {
        let keep: fn(&mut Simulation) -> Value = match self.detail {
            Detail::Ipc => |run| brief(&run.result()),
            Detail::Full => Simulation::result,
            Detail::Windows => Simulation::result_with_windows,
        };
        Want { weight: self.length, tag, ..Want::new(self.experiment.clone(), keep) }
    }
}

/// What a search needs of a result.
fn brief(result: &Value) -> Value {
    let Some(Value::Array(kernels)) = result.get("kernels") else { return Value::Null };
    let kernels = kernels.iter().map(|kernel| Value::object([("ipc", kernel.get("ipc").cloned().unwrap_or_default())]));
    let field = |key: &'static str| (key, result.get(key).cloned().unwrap_or_default());
    Value::object([("kernels", Value::array(kernels)), field("stop"), field("cycles")])
}
