//! `corun sweep`: every point of a sweep, on every core, one line of results for each.
//!
//! Workers take points in order. The runs alone that points need are work of their own: each distinct one runs once, before the first point
//! that needs it, and every mix gets its figure. A worker holds one simulation, so memory grows with the jobs and not with the points.

use crate::input;
use crate::kind::Kind;
use crate::points::Points;
use crate::results::{self, IpcAlone, Row};
use clap::Args;
use corun_batch::answers::Answers;
use corun_batch::jsonl::Lines;
use corun_batch::workers::{LOOK, STEPS, interrupted, locked, stop_at_signals};
use corun_batch::{Failure, output, problem, workers};
use sim_core::describe::error::{ENOUGH, Problems};
use sim_core::run::plan::{Plan, Planned};
use sim_core::run::result::ENGINE;
use sim_core::run::simulation::Simulation;
use sim_core::study::sweep::{Point, Sweep};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

/// Arguments of `corun sweep`.
#[derive(Args, Debug)]
#[command(after_help = "\
One line of JSON for each point: index, points, sweep (hash), axes, config_hash, result. Lines are appended as points get done; at the end, also \
after Ctrl-C, they are put in the order of the points. The bytes depend neither on --jobs nor on --shard. A table of the points is \
printed at the end; `corun show FILE.jsonl` prints it again, or draws it.

Each line ends with its checksum, `check`; a line that was changed, or has none, is refused. So is a result of an engine that behaves \
otherwise, which the digits of `engine` say. While a process writes FILE.jsonl, the file is locked, and FILE.jsonl.lock names the process.

Exit status: 0 done; 1 done, but in some points the run got stuck or its script failed; 2 bad usage or input; 130 stopped by Ctrl-C or SIGTERM, with all that was done kept.")]
pub struct RunSweep {
    /// A JSON file, `-` for standard input, or the name of an example: `corun list sweeps`
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
    /// Keep what kernels do alone in this folder, and read there what an earlier command measured
    #[arg(long, value_name = "DIR")]
    answers: Option<PathBuf>,
    /// Also run each kernel of each point in the share that it had, without its neighbours: what a slowdown is made of
    #[arg(long)]
    shares: bool,
}

/// Points of the table at the end; `corun show` has all.
const SHOWN: usize = 40;

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
            _ => Err(problem("--shard", format!("{text:?}"), "I/N, with I from 1 to N")),
        }
    }
}

impl RunSweep {
    pub fn execute(self) -> Result<(), Failure> {
        let shard = Shard::read(self.shard.as_deref())?;
        let sweep = Sweep::decode(&input::read(&self.sweep, Kind::Sweep)?)?;
        let mut lines = Lines::open(&self.out, self.how.resume)?;
        let outcome = self.how.run(&sweep, shard, &mut lines);
        if matches!(outcome, Ok(()) | Err(Failure::Stuck(_) | Failure::Policy(_) | Failure::Interrupted(_))) {
            output::print(&Points::of(&mut lines)?.table(SHOWN))?;
        }
        outcome
    }
}

impl How {
    /// For a command that keeps no points.
    pub fn new(jobs: Option<NonZero<u16>>, answers: Option<PathBuf>) -> How {
        How { jobs, resume: false, answers, shares: false }
    }

    /// Runs the points of a shard of a sweep that `lines` does not have.
    pub fn run(&self, sweep: &Sweep, shard: Shard, lines: &mut Lines) -> Result<(), Failure> {
        let rows = results::read_own(lines, |_| Ok(()))?;
        let before = Before::from(sweep, &rows)?;
        let done: BTreeSet<usize> = rows.iter().map(|row| row.index).collect();
        let mut todo: VecDeque<usize> = (shard.first..sweep.points()).step_by(shard.of).filter(|index| !done.contains(index)).collect();
        let runs = todo.len() + runs_alone(sweep, &todo, &before)?;
        let later = later(sweep, &mut todo)?;
        let jobs = workers::jobs(self.jobs);
        stop_at_signals();
        let started = Instant::now();
        let work = Work {
            sweep,
            before,
            answers: Answers::new(self.answers.as_deref())?,
            shares: self.shares,
            queue: Mutex::new(Queue { tasks: VecDeque::new(), todo, later, open: 0 }),
            more: Condvar::new(),
            begun: Mutex::default(),
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
    let points = |of: fn(&Row) -> bool| -> Vec<usize> { rows.iter().filter(|row| of(row)).map(|row| row.index).collect() };
    let (stuck, failed) = (points(|row| row.stuck), points(|row| row.failed));
    match (&failed[..], &stuck[..]) {
        ([], []) => Ok(()),
        ([], stuck) => Err(Failure::Stuck(format!("in these points: {}", input::some(stuck)))),
        (failed, _) => Err(Failure::Policy(format!("in these points: {}", input::some(failed)))),
    }
}

/// Decodes every point that is to be run, so that nothing starts before all can; counts the runs alone that they need.
fn runs_alone(sweep: &Sweep, todo: &VecDeque<usize>, before: &Before) -> Result<usize, Problems> {
    let mut problems = Problems::default();
    let mut needed = BTreeSet::new();
    for &index in todo {
        match sweep.point(index) {
            Ok(point) => needed.extend(before.plan(&point).runs().map(|run| run.hash.clone())),
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

/// Points that differ from an earlier one only in a later end, by that one, in the order of their ends; `todo` keeps the others.
fn later(sweep: &Sweep, todo: &mut VecDeque<usize>) -> Result<BTreeMap<usize, VecDeque<usize>>, Problems> {
    let ends = |path: &str| path == "stop" || path.starts_with("stop.");
    if !sweep.axes().iter().flat_map(|axis| &axis.paths).any(|(path, _)| ends(path)) {
        return Ok(BTreeMap::new());
    }
    let points = todo.iter().map(|&index| sweep.point(index)).collect::<Result<Vec<Point>, _>>()?;
    let mut later = BTreeMap::new();
    todo.clear();
    for chain in workers::chains(points, |point| &point.experiment) {
        let mut chain: VecDeque<usize> = chain.iter().map(|point| point.index).collect();
        let first = chain.pop_front();
        todo.extend(first);
        later.extend(first.filter(|_| !chain.is_empty()).map(|first| (first, chain)));
    }
    Ok(later)
}

/// IPC alone by config hash, as the rows of a file have it; missing where the run alone got stuck.
#[derive(Debug, Default)]
struct Before(BTreeMap<String, Option<IpcAlone>>);

impl Before {
    /// What the rows of a file know already. Each row must be one of this sweep.
    fn from(sweep: &Sweep, rows: &[Row]) -> Result<Before, Problems> {
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
            } else if row.engine != ENGINE {
                problems.add(&row.line.place, format!("a result of engine {}", row.engine), ENGINE);
            }
            known.extend(experiment.alone_runs().into_iter().zip(&row.alone).map(|((_, hash, _), ipc)| (hash, *ipc)));
        }
        problems.or(Before(known))
    }

    /// What a point needs beyond that.
    fn plan(&self, point: &Point) -> Plan {
        let mut plan = Plan::of(&point.experiment);
        plan.alone.retain(|run| !self.0.contains_key(&run.hash));
        plan
    }
}

/// One simulation to run.
#[derive(Debug)]
enum Task {
    /// A run alone that has been claimed.
    Alone(Box<Planned>),
    /// A point.
    Point(Box<Stage>),
}

/// A point, of which the run of an earlier one may be the beginning, and whose own run later ones may go on with.
#[derive(Debug)]
struct Stage {
    point: Point,
    /// The runs alone that it waits for.
    plan: Plan,
    begun: Option<Simulation>,
    later: VecDeque<usize>,
}

/// What is not yet taken: the tasks of the points that came last, then points, with those that go on from each.
#[derive(Debug)]
struct Queue {
    tasks: VecDeque<Task>,
    todo: VecDeque<usize>,
    later: BTreeMap<usize, VecDeque<usize>>,
    /// Points under way from which others go on.
    open: usize,
}

/// What the workers share.
#[derive(Debug)]
struct Work<'s> {
    sweep: &'s Sweep,
    before: Before,
    answers: Answers,
    /// Whether kernels also run in their shares.
    shares: bool,
    queue: Mutex<Queue>,
    /// Tells those who find the queue empty that there may be more.
    more: Condvar,
    /// Runs alone that have ended and may go on, by their trunk.
    begun: Mutex<BTreeMap<String, Simulation>>,
    /// The file, or why there is no going on.
    out: Mutex<Result<&'s mut Lines, Failure>>,
    steps: AtomicU64,
}

impl Work<'_> {
    /// Runs everything on `jobs` threads, or until a signal.
    fn run(&self, jobs: usize, steps: u64) {
        workers::run(jobs, steps, &self.steps, || self.perform(self.next()?));
    }

    /// The next task in order: a point's unclaimed runs alone, then the point. So a worker that waits for an answer waits for a run
    /// that has started before.
    fn next(&self) -> Option<Task> {
        let mut queue = locked(&self.queue);
        loop {
            if let Some(task) = queue.tasks.pop_front() {
                return Some(task);
            }
            if let Some(index) = queue.todo.pop_front() {
                let later = queue.later.remove(&index).unwrap_or_default();
                self.put(&mut queue, index, None, later)?;
            } else if queue.open == 0 || interrupted() {
                return None;
            } else {
                queue = self.more.wait_timeout(queue, LOOK).unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }

    /// Puts a point's tasks at the end of the queue.
    fn put(&self, queue: &mut Queue, index: usize, begun: Option<Simulation>, later: VecDeque<usize>) -> Option<()> {
        let point = self.sweep.point(index).map_err(|problems| self.fail(problems)).ok()?;
        let plan = self.before.plan(&point);
        let claimed = plan.runs().filter(|run| self.answers.claim(&run.hash)).cloned();
        queue.tasks.extend(claimed.map(|run| Task::Alone(Box::new(run))));
        queue.open += usize::from(!later.is_empty());
        queue.tasks.push_back(Task::Point(Box::new(Stage { point, plan, begun, later })));
        Some(())
    }

    /// Does a task to its end; nothing if the sweep is to stop.
    fn perform(&self, task: Task) -> Option<()> {
        match task {
            Task::Alone(run) => {
                let trunk = run.experiment.trunk_hash();
                let mut begun = locked(&self.begun).remove(&trunk);
                self.answers.run(&run, &mut begun, &self.steps).map_err(|problems| self.fail(problems)).ok()??;
                if locked(&self.queue).open > 0 {
                    locked(&self.begun).extend(begun.map(|begun| (trunk, begun)));
                }
            }
            Task::Point(stage) => {
                let Stage { point, plan, begun, later } = *stage;
                let ended = self.point(&point, &plan, begun)?;
                self.go_on(&plan, later, ended)?;
            }
        }
        Some(())
    }

    /// Puts the next of the points in the queue that go on from one that has ended.
    fn go_on(&self, plan: &Plan, mut later: VecDeque<usize>, ended: Simulation) -> Option<()> {
        let Some(next) = later.pop_front() else {
            let mut begun = locked(&self.begun);
            if !begun.is_empty() {
                plan.runs().for_each(|run| drop(begun.remove(&run.experiment.trunk_hash())));
            }
            return Some(());
        };
        let mut queue = locked(&self.queue);
        let put = self.put(&mut queue, next, Some(ended), later);
        queue.open -= 1;
        self.more.notify_all();
        put
    }

    /// Runs a point, from where `begun` ended if that is its beginning, and writes its line; nothing if the sweep is to stop.
    fn point(&self, point: &Point, plan: &Plan, begun: Option<Simulation>) -> Option<Simulation> {
        let profile = self.answers.wait(hashes(&plan.profile))?;
        let run = workers::simulate(&point.experiment, &profile, begun, STEPS, &self.steps);
        let mut simulation = run.map_err(|problems| self.fail(problems)).ok()??;
        simulation.add_solo_profiles(&self.answers.wait(hashes(&plan.alone))?);
        for (kernel, hash, _) in point.experiment.alone_runs() {
            if let Some(Some((ipc, ci95, breakdown))) = self.before.0.get(&hash) {
                simulation.set_alone(kernel, *ipc, *ci95);
                breakdown.iter().for_each(|breakdown| simulation.set_breakdown_alone(kernel, *breakdown));
            }
        }
        if self.shares {
            let unknown = simulation.unknown(simulation.share_runs());
            simulation.add_solo_profiles(&self.answers.of(&unknown).map_err(|problems| self.fail(problems)).ok()??);
        }
        let line = self.sweep.line(point, simulation.result());
        let mut out = locked(&self.out);
        if let Err(failure) = out.as_mut().ok()?.append(&line) {
            drop(out);
            self.fail(failure);
            return None;
        }
        drop(out);
        Some(simulation)
    }

    /// Ends the sweep with a failure.
    fn fail(&self, failure: impl Into<Failure>) {
        *locked(&self.out) = Err(failure.into());
        workers::interrupt();
    }
}

fn hashes(runs: &[Planned]) -> impl Iterator<Item = &str> {
    runs.iter().map(|run| run.hash.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::describe::value::Value;

    /// Three mixes of three kernels, twice, with two lengths: each kernel alone has two lengths, however many mixes it is in.
    #[test]
    fn each_distinct_run_alone_is_needed_once() {
        let text = r#"{"corun": 1, "sweep": {"base": {"corun": 1, "gpu": "tiny-2sm"}, "axes": [
            {"path": "kernels", "values": [["BP", "SAD"], ["SAD", "CFD"], ["BP", "CFD", "CFD"]]},
            {"path": "policy", "values": ["even", "leftover"]},
            {"path": "stop.cycles", "values": [1000, 2000]}]}}"#;
        let sweep = Sweep::decode(&Value::from_json(text).unwrap()).unwrap();
        let before = Before::default();
        let mut all: VecDeque<usize> = (0..sweep.points()).collect();
        assert_eq!((all.len(), runs_alone(&sweep, &all, &before).unwrap()), (12, 6));
        // The tasks say the same, each run alone before the first point that waits for it.
        let work = Work {
            sweep: &sweep,
            before,
            answers: Answers::default(),
            shares: false,
            queue: Mutex::new(Queue { tasks: VecDeque::new(), later: later(&sweep, &mut all).unwrap(), todo: all, open: 0 }),
            more: Condvar::new(),
            begun: Mutex::default(),
            out: Mutex::new(Err(Problems::default().into())),
            steps: AtomicU64::new(0),
        };
        let (mut started, mut points) = (BTreeSet::new(), 0);
        while let Some(task) = work.next() {
            match task {
                Task::Alone(run) => assert!(started.insert(run.hash), "a run alone twice"),
                Task::Point(stage) => {
                    let Stage { point, plan, later, .. } = *stage;
                    assert!(plan.runs().all(|run| started.contains(&run.hash)), "point {} waits for what has not begun", point.index);
                    assert_eq!(later, if point.index % 2 == 0 { vec![point.index + 1] } else { vec![] });
                    points += 1;
                    work.go_on(&plan, later, Simulation::new(&point.experiment).unwrap()).unwrap();
                }
            }
        }
        assert_eq!((started.len(), points), (6, 12));
    }
}
