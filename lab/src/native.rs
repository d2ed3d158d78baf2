//! A Lab on every core: what a study wants is run, or read from a store, until nothing is left or a signal comes.

use crate::failure::Failure;
use crate::lab::{Job, Lab, Want, begin, solo};
use crate::store::Store;
use crate::threads::Crew;
use crate::workers::{self, LOOK, interrupted, locked};
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::run::plan::{self, Planned, SoloProfiles};
use sim_core::run::simulation::Simulation;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Who wants outcomes.
pub trait Study: Send {
    /// What to run next, together: what differs only in its end, the shorter first. Nothing once all has been asked for.
    fn more(&mut self) -> Result<Vec<Want>, Failure>;

    /// An outcome has come, of what was wanted with this tag.
    fn ended(&mut self, tag: usize, outcome: Value) -> Result<(), Failure>;
}

/// Runs all that a study wants, `jobs` at a time, and tells how much is done meanwhile of `all` that it weighs; false if it was told to stop.
pub fn run(study: &mut impl Study, store: Option<&Store>, jobs: usize, all: u64) -> Result<bool, Failure> {
    run_with(study, store, (jobs, None), all)
}

/// Runs all that a study wants, as `run`; as long as a single job is under way, a crew shares its work.
fn run_with(study: &mut impl Study, store: Option<&Store>, (jobs, crew): (usize, Option<&Crew>), all: u64) -> Result<bool, Failure> {
    let shared = Mutex::new(Shared { lab: Lab::default(), study, all_asked: false, failure: None });
    let (changed, steps, done) = (Condvar::new(), AtomicU64::new(all), AtomicU64::new(0));
    workers::run(jobs, &steps, &done, || {
        let job = next(&shared, &changed)?;
        // What runs alone is known only as it begins.
        steps.store(all + locked(&shared).lab.weight_alone(), Ordering::Relaxed);
        let ended = perform(job, &shared, (store, crew), &done);
        changed.notify_all();
        ended
    });
    let failure = shared.into_inner().unwrap_or_else(PoisonError::into_inner).failure;
    failure.map_or(Ok(!interrupted()), Err)
}

/// What the workers share.
struct Shared<'s, S> {
    lab: Lab,
    study: &'s mut S,
    /// Whether the study has no more.
    all_asked: bool,
    failure: Option<Failure>,
}

impl<S: Study> Shared<'_, S> {
    /// Ends the work with a failure, the first of them.
    fn fail(&mut self, failure: Failure) {
        self.failure.get_or_insert(failure);
        workers::interrupt();
    }

    /// Hands the study its outcomes; nothing if it can take no more.
    fn hand_over(&mut self) -> Option<()> {
        for (tag, outcome) in self.lab.outcomes() {
            self.study.ended(tag, outcome).map_err(|failure| self.fail(failure)).ok()?;
        }
        Some(())
    }
}

/// The next job, once there is one; nothing if there will be none.
fn next<S: Study>(shared: &Mutex<Shared<'_, S>>, changed: &Condvar) -> Option<Job> {
    let mut held = locked(shared);
    loop {
        if interrupted() {
            return None;
        }
        if let Some(job) = held.lab.start() {
            return Some(job);
        }
        if !held.all_asked {
            let more = held.study.more().map_err(|failure| held.fail(failure)).ok()?;
            held.all_asked = more.is_empty();
            more.into_iter().for_each(|want| held.lab.want(want));
        } else if held.lab.is_over() {
            return None;
        } else {
            held = changed.wait_timeout(held, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Does a job to its end; nothing if the work is to stop.
fn perform<S: Study>(
    mut job: Job,
    shared: &Mutex<Shared<'_, S>>,
    (store, crew): (Option<&Store>, Option<&Crew>),
    done: &AtomicU64,
) -> Option<()> {
    if let Some(kept) = store.zip(job.key()).and_then(|(store, key)| store.get(key)) {
        let mut held = locked(shared);
        let weight = job.weight;
        match held.lab.stored(job, kept) {
            None => {
                done.fetch_add(weight, Ordering::Relaxed);
                return held.hand_over();
            }
            Some(given_back) => job = given_back,
        }
    }
    let begun = job.begun.take();
    let run = match crew {
        None => workers::simulate(&job.experiment, &job.profiles, begun, job.weight, done, Simulation::advance),
        Some(crew) => crew
            .count(|| workers::simulate(&job.experiment, &job.profiles, begun, job.weight, done, |run, cycles| crew.advance(run, cycles))),
    };
    let run = match run {
        Ok(run) => run?,
        Err(problems) => {
            locked(shared).fail(job.named(problems).into());
            return None;
        }
    };
    let mut held = locked(shared);
    held.lab.ended(job, run);
    let kept = held.lab.rows();
    held.hand_over()?;
    drop(held);
    if let Some(store) = store {
        kept.iter().for_each(|(key, outcome)| store.put(key, outcome));
    }
    Some(())
}

/// The outcomes of all that is wanted, in its order, whatever its tags; nothing if the work is to stop.
pub fn outcomes(wants: Vec<Want>, store: Option<&Store>, jobs: usize) -> Result<Option<Vec<Value>>, Failure> {
    outcomes_with(wants, store, (jobs, None))
}

fn outcomes_with(wants: Vec<Want>, store: Option<&Store>, (jobs, crew): (usize, Option<&Crew>)) -> Result<Option<Vec<Value>>, Failure> {
    let (count, all) = (wants.len(), wants.iter().map(|want| want.weight).sum());
    let mut list = List { wants, found: vec![Value::Null; count] };
    Ok(run_with(&mut list, store, (jobs.min(count), crew), all)?.then_some(list.found))
}

/// What is wanted all at once.
struct List {
    wants: Vec<Want>,
    found: Vec<Value>,
}

impl Study for List {
    fn more(&mut self) -> Result<Vec<Want>, Failure> {
        Ok(std::mem::take(&mut self.wants).into_iter().enumerate().map(|(tag, want)| Want { tag, ..want }).collect())
    }

    fn ended(&mut self, tag: usize, outcome: Value) -> Result<(), Failure> {
        self.found[tag] = outcome;
        Ok(())
    }
}

/// What runs alone measure, `jobs` of them at a time; nothing if the work is to stop. As long as a single one is under way, a crew shares its work.
pub fn profiles<'r>(
    runs: impl IntoIterator<Item = &'r Planned>,
    store: Option<&Store>,
    jobs: usize,
    crew: Option<&Crew>,
) -> Result<Option<SoloProfiles>, Failure> {
    let runs: Vec<&Planned> = runs.into_iter().collect();
    let want =
        |run: &&Planned| Want { key: Some(run.hash.clone()), ..Want::new(run.experiment.clone(), |run| plan::encode(&run.answer())) };
    let found = outcomes_with(runs.iter().map(want).collect(), store, (jobs, crew));
    // Which of them cannot run, with its name: its user has not written it.
    let named = |failure| runs.iter().find_map(|run| begin(run).err()).map_or(failure, Failure::from);
    let Some(found) = found.map_err(named)? else { return Ok(None) };
    let profiles = runs.iter().zip(found).map(|(run, outcome)| Ok((run.hash.clone(), solo(&outcome)?)));
    Ok(Some(profiles.collect::<Result<_, Problems>>()?))
}
