//! Answers of runs alone, by config hash, for all workers of a command: the first worker that needs one runs it, and the others wait for
//! it.

use crate::workers::{self, LOOK, STEPS, interrupted, locked};
use sim_core::describe::error::Problems;
use sim_core::run::plan::{self, Planned};
use sim_core::seam::observation::Alone;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::AtomicU64;
use std::sync::{Condvar, Mutex, PoisonError};

/// What is known so far, and what some worker has claimed and will know.
#[derive(Debug, Default)]
pub struct Answers {
    known: Mutex<BTreeMap<String, Option<Alone>>>,
    changed: Condvar,
}

impl Answers {
    /// Whether the caller is the first to ask for this run, and so has to see that it gets run.
    pub fn claim(&self, hash: &str) -> bool {
        let mut known = locked(&self.known);
        let first = !known.contains_key(hash);
        if first {
            known.insert(hash.to_owned(), None);
        }
        first
    }

    /// Runs what the caller has claimed; nothing if the work is to stop.
    pub fn run(&self, planned: &Planned, steps: &AtomicU64) -> Result<Option<()>, Problems> {
        let Some((mut alone, _)) = workers::simulate(&planned.experiment, &plan::Answers::new(), steps)? else { return Ok(None) };
        locked(&self.known).insert(planned.hash.clone(), Some(alone.answer()));
        self.changed.notify_all();
        Ok(Some(()))
    }

    /// The answers of runs, once all of them are known; nothing if the work is to stop. Each must have been claimed.
    pub fn wait<'r>(&self, runs: impl IntoIterator<Item = &'r str>) -> Option<plan::Answers> {
        let mut answers = plan::Answers::new();
        let mut known = locked(&self.known);
        for hash in runs {
            let alone = loop {
                match known.get(hash) {
                    Some(Some(alone)) => break *alone,
                    _ if interrupted() => return None,
                    _ => known = self.changed.wait_timeout(known, LOOK).unwrap_or_else(PoisonError::into_inner).0,
                }
            };
            answers.insert(hash.to_owned(), alone);
        }
        Some(answers)
    }

    /// The answers of runs, which the caller runs one after the other where nobody has claimed them; nothing if the work is to stop.
    pub fn of(&self, runs: &[Planned]) -> Result<Option<plan::Answers>, Problems> {
        for planned in runs {
            if self.claim(&planned.hash) && self.run(planned, &AtomicU64::new(0))?.is_none() {
                return Ok(None);
            }
        }
        Ok(self.wait(runs.iter().map(|run| run.hash.as_str())))
    }
}

/// The answers of runs, run `jobs` at a time with progress on stderr; nothing if the work is to stop.
pub fn all<'r>(runs: impl Iterator<Item = &'r Planned>, jobs: usize) -> Result<Option<plan::Answers>, Problems> {
    let runs: Vec<&Planned> = runs.collect();
    let (answers, queue, steps) = (Answers::default(), Mutex::new(VecDeque::from(runs.clone())), AtomicU64::new(0));
    let failure = Mutex::new(Problems::default());
    workers::run(jobs.min(runs.len()), runs.len() as u64 * STEPS, &steps, || {
        let run = locked(&queue).pop_front()?;
        let fail = |problems: Problems| {
            locked(&failure).0.extend(problems.0);
            workers::interrupt();
        };
        answers.run(run, &steps).map_err(fail).ok()?
    });
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).or(())?;
    Ok(answers.wait(runs.iter().map(|run| run.hash.as_str())))
}
