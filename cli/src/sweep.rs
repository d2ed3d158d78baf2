//! `corun sweep`: every point of a sweep, on every core, one line of results for each.
//!
//! A sweep is a study: it wants its points in order, what differs only in its end together. Workers hold a simulation each, so memory grows with the
//! jobs and not with the points.

use crate::input;
use crate::kind::Kind;
use crate::points::Points;
use crate::results::{self, Row};
use crate::store::Kept;
use clap::Args;
use corun_lab::jsonl::Lines;
use corun_lab::lab::{Compared, WEIGHT, Want};
use corun_lab::native::{self, Study};
use corun_lab::workers::stop_at_signals;
use corun_lab::{Failure, output, problem, workers};
use sim_core::describe::error::{ENOUGH, Problems};
use sim_core::describe::value::Value;
use sim_core::run::plan::Plan;
use sim_core::run::result::ENGINE;
use sim_core::run::simulation::Simulation;
use sim_core::study::sweep::{Point, Sweep};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::num::NonZero;
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
    #[command(flatten)]
    kept: Kept,
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
    pub fn new(jobs: Option<NonZero<u16>>, kept: Kept) -> How {
        How { jobs, resume: false, kept, shares: false }
    }

    /// Runs the points of a shard of a sweep that `lines` does not have.
    pub fn run(&self, sweep: &Sweep, shard: Shard, lines: &mut Lines) -> Result<(), Failure> {
        let rows = results::read_own(lines, |_| Ok(()))?;
        check(sweep, &rows)?;
        let done: BTreeSet<usize> = rows.iter().map(|row| row.index).collect();
        let todo: Vec<usize> = (shard.first..sweep.points()).step_by(shard.of).filter(|index| !done.contains(index)).collect();
        let (points, runs) = (todo.len() as u64, todo.len() + runs_alone(sweep, &todo)?);
        let compared = if self.shares { Compared::Shares } else { Compared::Alone };
        let mut study = Rest { sweep, compared, todo: together(sweep, todo)?, points: BTreeMap::new(), lines };
        stop_at_signals();
        let started = Instant::now();
        let store = if runs > 0 { self.kept.open()? } else { None };
        native::run(&mut study, store.as_ref(), workers::jobs(self.jobs).min(runs), points * WEIGHT)?;
        finish(study.lines, sweep, shard, done.len(), started)
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
fn runs_alone(sweep: &Sweep, todo: &[usize]) -> Result<usize, Problems> {
    let mut problems = Problems::default();
    let mut needed = BTreeSet::new();
    for &index in todo {
        match sweep.point(index) {
            Ok(point) => needed.extend(Plan::of(&point.experiment).runs().map(|run| run.hash.clone())),
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

/// The points in order; what differs only in its end together with the first of them, in the order of their ends.
fn together(sweep: &Sweep, todo: Vec<usize>) -> Result<VecDeque<Vec<usize>>, Problems> {
    let ends = |path: &str| path == "stop" || path.starts_with("stop.");
    if !sweep.axes().iter().flat_map(|axis| &axis.paths).any(|(path, _)| ends(path)) {
        return Ok(todo.into_iter().map(|index| vec![index]).collect());
    }
    let points = todo.iter().map(|&index| sweep.point(index)).collect::<Result<Vec<Point>, _>>()?;
    let chains = workers::chains(points, |point| &point.experiment);
    Ok(chains.into_iter().map(|chain| chain.iter().map(|point| point.index).collect()).collect())
}

/// The rows of a file that goes on must be of this sweep and of this engine.
fn check(sweep: &Sweep, rows: &[Row]) -> Result<(), Problems> {
    let mut problems = Problems::default();
    for row in rows {
        if row.sweep != sweep.hash() || row.points != sweep.points() || row.index >= sweep.points() {
            problems.add(&row.line.place, format!("a point of sweep {}", row.sweep), format!("one of {}", sweep.hash()));
            continue;
        }
        let hash = sweep.point(row.index)?.experiment.config_hash();
        if row.config_hash != hash {
            problems.add(&row.line.place, format!("config hash {}", row.config_hash), hash);
        } else if row.engine != ENGINE {
            problems.add(&row.line.place, format!("a result of engine {}", row.engine), ENGINE);
        }
    }
    problems.or(())
}

/// The points of a sweep that its file does not have.
struct Rest<'s> {
    sweep: &'s Sweep,
    compared: Compared,
    todo: VecDeque<Vec<usize>>,
    /// Those under way.
    points: BTreeMap<usize, Point>,
    lines: &'s mut Lines,
}

impl Study for Rest<'_> {
    fn more(&mut self) -> Result<Vec<Want>, Failure> {
        let Some(chain) = self.todo.pop_front() else { return Ok(Vec::new()) };
        let mut wants = Vec::new();
        for tag in chain {
            let point = self.sweep.point(tag)?;
            wants.push(Want { compared: self.compared, tag, ..Want::new(point.experiment.clone(), Simulation::result) });
            self.points.insert(tag, point);
        }
        Ok(wants)
    }

    fn ended(&mut self, tag: usize, outcome: Value) -> Result<(), Failure> {
        let Some(point) = self.points.remove(&tag) else { return Ok(()) };
        self.lines.append(&self.sweep.line(&point, outcome))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::describe::value::Value;

    /// Three mixes of three kernels, twice, with two lengths: each kernel alone has two lengths, however many mixes it is in, and what differs only
    /// in its end is wanted together.
    #[test]
    fn each_distinct_run_alone_is_needed_once() {
        let text = r#"{"corun": 1, "sweep": {"base": {"corun": 1, "gpu": "tiny-2sm"}, "axes": [
            {"path": "stop.cycles", "values": [2000, 1000]},
            {"path": "kernels", "values": [["ccbp/BP", "ccbp/SAD"], ["ccbp/SAD", "ccbp/CFD"], ["ccbp/BP", "ccbp/CFD", "ccbp/CFD"]]},
            {"path": "policy", "values": ["even", "leftover"]}]}}"#;
        let sweep = Sweep::decode(&Value::from_json(text).unwrap()).unwrap();
        let all: Vec<usize> = (0..sweep.points()).collect();
        assert_eq!((all.len(), runs_alone(&sweep, &all).unwrap()), (12, 6));
        let together = together(&sweep, all).unwrap();
        assert_eq!(together, (0..6).map(|first| vec![first + 6, first]).collect::<Vec<_>>());
    }
}
