//! `corun sweep`: every point of a sweep, on every core, one line of results for each.
//!
//! Workers take points in order. The runs alone that points need are work of their own: each distinct one runs once, before the first point
//! that needs it, and every mix gets its figure. A worker holds one simulation, so memory grows with the jobs and not with the points.

use crate::jsonl::Lines;
use crate::results::{self, Row};
use crate::workers::{self, LOOK, STEPS, interrupted, locked, stop_at_signals};
use crate::{Failure, input, output};
use clap::Args;
use sim_core::describe::error::{ENOUGH, Problems};
use sim_core::describe::ids::KernelId;
use sim_core::run::experiment::Experiment;
use sim_core::run::result;
use sim_core::run::simulation::{Reason, Simulation};
use sim_core::study::sweep::{Point, Sweep};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::num::NonZero;
use std::sync::atomic::AtomicU64;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

/// Arguments of `corun sweep`.
#[derive(Args, Debug)]
#[command(after_help = "\
One line of JSON for each point: index, points, sweep (hash), axes, config_hash, result. Lines are appended as points get done; at the end, also \
after Ctrl-C, they are put in the order of the points. The bytes depend neither on --jobs nor on --shard.

Each line ends with its checksum, `check`; a line that was changed is refused, one without a checksum (from an older version) is taken as it is. While \
a process writes FILE.jsonl, the file is locked, and FILE.jsonl.lock names the process.

Exit status: 0 done; 1 done, but some points got stuck; 2 bad usage or input; 130 stopped by Ctrl-C or SIGTERM, with all that was done kept.")]
pub struct RunSweep {
    /// The sweep, a JSON file; `-` for standard input
    sweep: String,
    /// Where the results go
    #[arg(long, value_name = "FILE.jsonl")]
    out: String,
    #[command(flatten)]
    how: How,
    /// Only the I-th of N parts, I from 1 to N: points I-1, I-1+N, I-1+2N, …
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
}

/// How a sweep is run.
#[derive(Args, Debug)]
pub struct How {
    /// How many simulations run at once; as many as there are cores if left out
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<u16>>,
    /// Keep what FILE.jsonl has of this sweep, and run only what is missing; without such a file, start one
    #[arg(long, requires = "out")]
    pub resume: bool,
}

/// Every `of`-th point from `first`.
#[derive(Clone, Copy, Debug)]
pub struct Shard {
    first: usize,
    of: usize,
}

impl Shard {
    /// Every point.
    pub const WHOLE: Shard = Shard { first: 0, of: 1 };

    fn read(text: Option<&str>) -> Result<Shard, Problems> {
        let Some(text) = text else { return Ok(Shard::WHOLE) };
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse::<usize>().ok()?, n.parse::<usize>().ok()?)));
        match parts {
            Some((i, n)) if (1..=n).contains(&i) => Ok(Shard { first: i - 1, of: n }),
            _ => Err(input::problem("--shard", format!("{text:?}"), "I/N, with I from 1 to N")),
        }
    }
}

impl RunSweep {
    pub fn execute(self) -> Result<(), Failure> {
        let shard = Shard::read(self.shard.as_deref())?;
        let sweep = Sweep::decode(&input::read(&self.sweep)?)?;
        let mut lines = Lines::open(&self.out, self.how.resume)?;
        self.how.run(&sweep, shard, &mut lines)
    }
}

impl How {
    /// Runs what `lines` lack of a shard of a sweep.
    pub fn run(&self, sweep: &Sweep, shard: Shard, lines: &mut Lines) -> Result<(), Failure> {
        let rows = results::read_own(lines, |_| Ok(()))?;
        let alone = Alone::from(sweep, &rows)?;
        let done: BTreeSet<usize> = rows.iter().map(|row| row.index).collect();
        let todo: VecDeque<usize> = (shard.first..sweep.points()).step_by(shard.of).filter(|index| !done.contains(index)).collect();
        let runs = todo.len() + runs_alone(sweep, &todo, &alone)?;
        let jobs = workers::jobs(self.jobs);
        stop_at_signals();
        let started = Instant::now();
        let work = Work {
            sweep,
            alone,
            queue: Mutex::new(Queue { tasks: VecDeque::new(), todo }),
            out: Mutex::new(Ok(lines)),
            steps: AtomicU64::new(0),
        };
        work.run(jobs.min(runs), runs as u64 * STEPS);
        let lines = work.out.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        finish(lines, sweep, shard, done.len(), started)
    }
}

/// Orders the file and says how it stands.
fn finish(lines: &mut Lines, sweep: &Sweep, shard: Shard, before: usize, started: Instant) -> Result<(), Failure> {
    let rows = results::order(lines)?;
    let mine = (shard.first..sweep.points()).step_by(shard.of).len();
    let mine_done = rows.iter().filter(|row| row.index % shard.of == shard.first).count();
    let part = if shard.of == 1 { String::new() } else { format!(" of shard {}/{}", shard.first + 1, shard.of) };
    let known = if before == 0 { String::new() } else { format!(", {before} of the file's lines were there before") };
    let seconds = started.elapsed().as_secs_f64();
    let name = lines.name().map_or(String::new(), |name| format!("{name}: "));
    let summary = format!("{name}{mine_done} of {mine} points{part} in {seconds:.1} s{known}");
    if mine_done < mine {
        let how = if lines.name().is_some() { "--resume goes on" } else { "with --out, it would be kept" };
        return Err(Failure::Interrupted(format!("{summary}; {how}")));
    }
    output::say(&summary);
    let stuck: Vec<usize> = rows.iter().filter(|row| row.stuck).map(|row| row.index).collect();
    if stuck.is_empty() { Ok(()) } else { Err(Failure::Stuck(format!("in these points: {}", input::some(&stuck)))) }
}

/// Decodes every point that is to be run, so that nothing starts before all can; counts the runs alone that they need.
fn runs_alone(sweep: &Sweep, todo: &VecDeque<usize>, alone: &Alone) -> Result<usize, Problems> {
    let mut problems = Problems::default();
    let mut needed = BTreeSet::new();
    for &index in todo {
        match sweep.point(index) {
            Ok(point) => needed.extend(point.experiment.alone_runs().into_iter().map(|(_, hash, _)| hash).filter(|hash| !alone.has(hash))),
            Err(found) => problems.0.extend(found.0.into_iter().map(|mut problem| {
                problem.found = format!("{} (point {index})", problem.found);
                problem
            })),
        }
        if problems.0.len() >= ENOUGH {
            break;
        }
    }
    problems.or(needed.len())
}

/// IPC alone by config hash.
#[derive(Debug)]
struct Alone {
    known: Mutex<BTreeMap<String, Figure>>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug)]
enum Figure {
    /// Some worker runs it or will do so.
    Claimed,
    /// Missing where the run alone got stuck.
    Known(Option<f64>),
}

impl Alone {
    /// What the rows of a file know already. Each row must be one of this sweep.
    fn from(sweep: &Sweep, rows: &[Row]) -> Result<Alone, Problems> {
        let mut problems = Problems::default();
        let mut known = BTreeMap::new();
        for row in rows {
            if row.sweep != sweep.hash() || row.points != sweep.points() || row.index >= sweep.points() {
                problems.add(&row.line.place, format!("a point of sweep {}", row.sweep), format!("one of {}", sweep.hash()));
                continue;
            }
            let experiment = sweep.point(row.index)?.experiment;
            if row.config_hash != experiment.config_hash() {
                problems.add(&row.line.place, format!("config hash {}", row.config_hash), experiment.config_hash());
            } else if row.engine != result::ENGINE {
                problems.add(&row.line.place, format!("a result of engine {}", row.engine), result::ENGINE);
            }
            known.extend(experiment.alone_runs().into_iter().zip(&row.alone).map(|((_, hash, _), ipc)| (hash, Figure::Known(*ipc))));
        }
        problems.or(Alone { known: Mutex::new(known), changed: Condvar::new() })
    }

    fn has(&self, hash: &str) -> bool {
        locked(&self.known).contains_key(hash)
    }

    /// Whether the caller is the first to ask for this figure, and so has to see that it gets run.
    fn claim(&self, hash: &str) -> bool {
        let mut known = locked(&self.known);
        let first = !known.contains_key(hash);
        if first {
            known.insert(hash.to_owned(), Figure::Claimed);
        }
        first
    }

    fn set(&self, hash: String, ipc: Option<f64>) {
        locked(&self.known).insert(hash, Figure::Known(ipc));
        self.changed.notify_all();
    }

    /// Waits for a figure that somebody has claimed; gives up when the sweep is interrupted.
    fn wait(&self, hash: &str) -> Option<Figure> {
        let mut known = locked(&self.known);
        loop {
            match known.get(hash) {
                Some(figure @ Figure::Known(_)) => return Some(*figure),
                _ if interrupted() => return None,
                _ => known = self.changed.wait_timeout(known, LOOK).unwrap_or_else(PoisonError::into_inner).0,
            }
        }
    }
}

/// One simulation to run.
#[derive(Debug)]
enum Task {
    Alone(String, Box<Experiment>),
    /// A point, with the runs alone that it waits for.
    Point(Box<Point>, Vec<(KernelId, String)>),
}

/// What is not yet taken: the tasks of the point that came last, then points.
#[derive(Debug)]
struct Queue {
    tasks: VecDeque<Task>,
    todo: VecDeque<usize>,
}

/// What the workers share.
#[derive(Debug)]
struct Work<'s> {
    sweep: &'s Sweep,
    alone: Alone,
    queue: Mutex<Queue>,
    /// The file, or why there is no going on.
    out: Mutex<Result<&'s mut Lines, Failure>>,
    steps: AtomicU64,
}

impl Work<'_> {
    /// Runs everything on `jobs` threads, or until a signal.
    fn run(&self, jobs: usize, steps: u64) {
        workers::run(jobs, steps, &self.steps, || self.perform(self.next()?));
    }

    /// The next task in order: a point's runs alone that nobody has claimed, then the point. So whoever waits for a figure waits for a run
    /// that has started before.
    fn next(&self) -> Option<Task> {
        let mut queue = locked(&self.queue);
        if queue.tasks.is_empty() {
            let index = queue.todo.pop_front()?;
            let point = self.sweep.point(index).map_err(|problems| self.fail(problems)).ok()?;
            let mut waits = Vec::new();
            for (kernel, hash, experiment) in point.experiment.alone_runs() {
                if self.alone.claim(&hash) {
                    queue.tasks.push_back(Task::Alone(hash.clone(), Box::new(experiment)));
                }
                waits.push((kernel, hash));
            }
            queue.tasks.push_back(Task::Point(Box::new(point), waits));
        }
        queue.tasks.pop_front()
    }

    /// Does a task to its end; nothing if the sweep is to stop.
    fn perform(&self, task: Task) -> Option<()> {
        match task {
            Task::Alone(hash, experiment) => {
                let (mut alone, _) = self.simulate(&experiment)?;
                let ipc = alone.ipc(KernelId(0));
                self.alone.set(hash, ipc);
            }
            Task::Point(point, waits) => {
                let (mut simulation, _) = self.simulate(&point.experiment)?;
                for (kernel, hash) in waits {
                    if let Figure::Known(Some(ipc)) = self.alone.wait(&hash)? {
                        simulation.set_ipc_alone(kernel, ipc);
                    }
                }
                let line = self.sweep.line(&point, simulation.result());
                let mut out = locked(&self.out);
                if let Err(failure) = out.as_mut().ok()?.append(&line) {
                    drop(out);
                    self.fail(failure);
                    return None;
                }
            }
        }
        Some(())
    }

    fn simulate(&self, experiment: &Experiment) -> Option<(Simulation, Reason)> {
        workers::simulate(experiment, &self.steps).map_err(|problems| self.fail(problems)).ok()?
    }

    /// Ends the sweep with a failure.
    fn fail(&self, failure: impl Into<Failure>) {
        *locked(&self.out) = Err(failure.into());
        workers::interrupt();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three mixes of three kernels, twice, with two lengths: each kernel alone has two lengths, however many mixes it is in.
    #[test]
    fn each_distinct_run_alone_is_needed_once() {
        let text = r#"{"corun": 1, "sweep": {"base": {"corun": 1, "gpu": "tiny-2sm"}, "axes": [
            {"path": "kernels", "values": [["BP", "SAD"], ["SAD", "CFD"], ["BP", "BP", "CFD"]]},
            {"path": "policy", "values": ["even", "leftover"]},
            {"path": "stop.cycles", "values": [1000, 2000]}]}}"#;
        let sweep = Sweep::decode(&input::json(text).unwrap()).unwrap();
        let alone = Alone { known: Mutex::default(), changed: Condvar::new() };
        let all: VecDeque<usize> = (0..sweep.points()).collect();
        assert_eq!((all.len(), runs_alone(&sweep, &all, &alone).unwrap()), (12, 6));
        // The tasks say the same, each run alone before the first point that waits for it.
        let work = Work {
            sweep: &sweep,
            alone,
            queue: Mutex::new(Queue { tasks: VecDeque::new(), todo: all }),
            out: Mutex::new(Err(Problems::default().into())),
            steps: AtomicU64::new(0),
        };
        let (mut started, mut points) = (BTreeSet::new(), 0);
        while let Some(task) = work.next() {
            match task {
                Task::Alone(hash, _) => assert!(started.insert(hash), "a run alone twice"),
                Task::Point(point, waits) => {
                    assert!(waits.iter().all(|(_, hash)| started.contains(hash)), "point {} waits for what has not begun", point.index);
                    points += 1;
                }
            }
        }
        assert_eq!((started.len(), points), (6, 12));
    }
}
