//! Runs what is missing, on as many cores as there may be.

use super::run::{Detail, Run};
use super::store::{self, Store};
use corun_batch::workers::locked;
use corun_batch::{Failure, workers};
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::run::experiment::{Experiment, Settled, Stop};
use sim_core::run::plan::Plan;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

/// Runs all that is wanted, long runs first, `jobs` of them at a time, and stores what they find; false if it was told to stop.
pub fn execute(wanted: BTreeMap<String, Rc<Run>>, store: &mut Store, jobs: usize) -> Result<bool, Failure> {
    let mut tasks: Vec<Task> = wanted.into_iter().map(|(key, run)| Task::new(key, &run)).collect::<Result<_, Problems>>()?;
    tasks.sort_by(|a, b| b.length.cmp(&a.length).then_with(|| a.key.cmp(&b.key)));
    let jobs = jobs.min(tasks.len());
    // A run counts by its length: the long ones come first, so that by their number the rest would seem to take many times as long.
    let all = tasks.iter().map(|task| task.length).sum();
    let queue = Mutex::new(VecDeque::from(tasks));
    let (lines, answers) = store.parts();
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
    store.add(done);
    failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).map_or(Ok(!workers::interrupted()), Err)
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

/// What a search needs of a result.
fn brief(result: &Value) -> Value {
    let Some(Value::Array(kernels)) = result.get("kernels") else { return Value::Null };
    let kernels = kernels.iter().map(|kernel| Value::object([("ipc", kernel.get("ipc").cloned().unwrap_or_default())]));
    let field = |key: &'static str| (key, result.get(key).cloned().unwrap_or_default());
    Value::object([("kernels", Value::array(kernels)), field("stop"), field("cycles")])
}
