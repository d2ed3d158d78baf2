//! Answers of runs alone, by config hash, for all workers of a command: the first worker that needs one runs it, and the others wait for
//! it. With a folder (`--answers`) they are kept there, a file each, and read from there by the next command.

use crate::engine::behaviour;
use crate::failure::{Failure, problem};
use crate::output;
use crate::workers::{self, LOOK, STEPS, interrupted, locked};
use sim_core::describe::error::{Problem, Problems};
use sim_core::describe::value::Value;
use sim_core::interface::observation::Alone;
use sim_core::run::plan::{self, Planned};
use sim_core::run::simulation::Simulation;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Condvar, Mutex, Once, PoisonError};

/// What is known so far, and what some worker has claimed and will know.
#[derive(Debug, Default)]
pub struct Answers {
    known: Mutex<BTreeMap<String, Option<Alone>>>,
    changed: Condvar,
    folder: Option<Folder>,
}

/// Where answers are kept.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// The option that names it.
    option: &'static str,
    /// Of this engine: what another one measured is measured again.
    behaviour: String,
}

impl Folder {
    /// That of this engine, which `--answers` names.
    pub fn open(path: &Path) -> Result<Folder, Problems> {
        let behaviour = behaviour()?;
        Folder::of(path, &behaviour, "--answers")
    }

    fn of(path: &Path, behaviour: &str, option: &'static str) -> Result<Folder, Problems> {
        std::fs::create_dir_all(path).map_err(|error| problem(option, format!("{}: {error}", path.display()), "a folder"))?;
        output::sweep(path, ".");
        Ok(Folder { path: path.to_owned(), option, behaviour: behaviour.to_owned() })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.json"))
    }

    /// What this engine has kept there under a name, if it can be read.
    pub fn read(&self, name: &str) -> Option<Value> {
        let kept: Value = serde_json::from_slice(&std::fs::read(self.file(name)).ok()?).ok()?;
        let same = kept.get("behaviour").and_then(Value::as_str) == Some(self.behaviour.as_str());
        kept.get("answers").filter(|_| same).cloned()
    }

    /// Keeps something under a name; that it cannot is said, once, and no more: the next command measures again. Another process may write
    /// the same file: each writes its own and puts it in place whole.
    pub fn keep(&self, name: &str, answers: Value) {
        static SAID: Once = Once::new();
        let kept = Value::object([("behaviour", Value::from(self.behaviour.as_str())), ("answers", answers)]);
        if let Err(Failure::Lost(_, error)) = output::write(&self.file(name), &kept.to_string()) {
            let problem = Problem::new(self.option, error, "room for what kernels do alone");
            SAID.call_once(|| output::say(&format!("note: {problem}; they are measured again next time")));
        }
    }
}

/// A run that another one needs, at its beginning. What is wrong with it is said with its name: its user has not written it.
pub fn begin(planned: &Planned) -> Result<Simulation, Problems> {
    Simulation::new(&planned.experiment).map_err(|problems| of_planned(problems, planned))
}

fn of_planned(problems: Problems, planned: &Planned) -> Problems {
    let named = |problem: Problem| Problem {
        found: format!("in the run \"{}\", which this one needs, {}", planned.experiment.name, problem.found),
        ..problem
    };
    Problems(problems.0.into_iter().map(named).collect())
}

impl Answers {
    /// None yet; with a folder, those that it has are there when they are asked for, and new ones are kept in it.
    pub fn new(folder: Option<&Path>) -> Result<Answers, Problems> {
        Ok(Answers { folder: folder.map(Folder::open).transpose()?, ..Answers::default() })
    }

    /// Those of an engine that behaves so, in a folder that an option names.
    pub fn within(path: &Path, behaviour: &str, option: &'static str) -> Result<Answers, Problems> {
        Ok(Answers { folder: Some(Folder::of(path, behaviour, option)?), ..Answers::default() })
    }

    /// Whether the caller is the first to ask for this run, and so has to see that it gets run.
    pub fn claim(&self, hash: &str) -> bool {
        let mut known = locked(&self.known);
        let first = !known.contains_key(hash);
        if first {
            known.insert(hash.to_owned(), None);
        }
        first
    }

    /// Runs what the caller has claimed, from where `begun` ended if that is its beginning, and leaves there what has ended; nothing if the
    /// work is to stop.
    pub fn run(&self, planned: &Planned, begun: &mut Option<Simulation>, steps: &AtomicU64) -> Result<Option<()>, Problems> {
        let alone = match self.folder.as_ref().and_then(|folder| plan::decode(&folder.read(&planned.hash)?).ok()?.remove(&planned.hash)) {
            Some(kept) => {
                steps.fetch_add(STEPS, std::sync::atomic::Ordering::Relaxed);
                kept
            }
            None => {
                let run = workers::simulate(&planned.experiment, &plan::SoloProfiles::new(), begun.take(), STEPS, steps);
                let Some(run) = run.map_err(|problems| of_planned(problems, planned))? else { return Ok(None) };
                let alone = begun.insert(run).answer();
                if let Some(folder) = &self.folder {
                    folder.keep(&planned.hash, Value::object([(planned.hash.as_str(), plan::encode(&alone))]));
                }
                alone
            }
        };
        locked(&self.known).insert(planned.hash.clone(), Some(alone));
        self.changed.notify_all();
        Ok(Some(()))
    }

    /// The answers of runs, once all of them are known; nothing if the work is to stop. Each must have been claimed.
    pub fn wait<'r>(&self, runs: impl IntoIterator<Item = &'r str>) -> Option<plan::SoloProfiles> {
        let mut answers = plan::SoloProfiles::new();
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

    /// The answers of runs, which the caller runs one after the other where no worker has claimed them; nothing if the work is to stop.
    pub fn of(&self, runs: &[Planned]) -> Result<Option<plan::SoloProfiles>, Problems> {
        for planned in runs {
            if self.claim(&planned.hash) && self.run(planned, &mut None, &AtomicU64::new(0))?.is_none() {
                return Ok(None);
            }
        }
        Ok(self.wait(runs.iter().map(|run| run.hash.as_str())))
    }
}

/// The answers of runs, run `jobs` at a time with progress on stderr; nothing if the work is to stop.
pub fn all<'r>(
    runs: impl Iterator<Item = &'r Planned>,
    jobs: usize,
    folder: Option<&Path>,
) -> Result<Option<plan::SoloProfiles>, Problems> {
    let runs: Vec<&Planned> = runs.collect();
    let (answers, queue, steps) = (Answers::new(folder)?, Mutex::new(VecDeque::from(runs.clone())), AtomicU64::new(0));
    let failure = Mutex::new(Problems::default());
    workers::run(jobs.min(runs.len()), runs.len() as u64 * STEPS, &steps, || {
        let run = locked(&queue).pop_front()?;
        let fail = |problems: Problems| {
            locked(&failure).0.extend(problems.0);
            workers::interrupt();
        };
        answers.run(run, &mut None, &steps).map_err(fail).ok()?
    });
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).or(())?;
    Ok(answers.wait(runs.iter().map(|run| run.hash.as_str())))
}
