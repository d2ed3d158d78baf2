//! Stages that run side by side: lanes, each with one stage at a time, and what waits for what.

use crate::run::spent;
use anyhow::{Result, anyhow};
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Longest time without a line.
const SILENCE: Duration = Duration::from_secs(14);

/// What a stage keeps busy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lane {
    /// The network.
    Fetch,
    /// Compilers.
    Build,
    /// Tests on every core.
    Test,
    /// Tests on one core.
    OneCore,
}

const LANES: [Lane; 4] = [Lane::Fetch, Lane::Build, Lane::Test, Lane::OneCore];

/// How many tests passed and failed.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Count {
    pub passed: u64,
    pub failed: u64,
}

/// One stage. `C` is what the stages share.
#[derive(Debug)]
pub struct Stage<C: 'static> {
    pub name: &'static str,
    pub title: &'static str,
    pub lane: Lane,
    /// Whether only `--full` runs it.
    pub full: bool,
    /// Stages that have to have passed.
    pub after: &'static [&'static str],
    pub work: fn(&C, &Log, &mut Count) -> Result<()>,
}

/// What came of a stage.
#[derive(Debug)]
pub struct Row {
    pub title: &'static str,
    pub wall: Duration,
    pub cpu: Duration,
    pub count: Count,
    pub outcome: Result<()>,
}

#[derive(Debug)]
struct Board {
    /// Whether a stage that has ended has passed.
    ended: BTreeMap<&'static str, bool>,
    /// What runs, and how far it is.
    running: BTreeMap<&'static str, String>,
    rows: Vec<Row>,
    said: Instant,
    lanes: usize,
}

/// Where a stage says what it does.
#[derive(Debug)]
pub struct Log<'b> {
    name: &'static str,
    board: &'b Mutex<Board>,
}

impl Log<'_> {
    /// Prints lines of the stage.
    pub fn say(&self, text: &str) {
        let mut board = locked(self.board);
        for line in text.lines() {
            println!("{:>12} | {line}", self.name);
        }
        board.said = Instant::now();
    }

    /// How far the stage is, for those who wait.
    pub fn progress(&self, how_far: String) {
        locked(self.board).running.insert(self.name, how_far);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `names` with everything that they wait for; all of `stages` for no name. The error is a name that is none.
pub fn chosen<'s, C>(stages: &'s [Stage<C>], names: &[String], full: bool) -> Result<Vec<&'s Stage<C>>, String> {
    if let Some(unknown) = names.iter().find(|name| !stages.iter().any(|stage| stage.name == name.as_str())) {
        return Err(unknown.clone());
    }
    let wanted = |stage: &Stage<C>| if names.is_empty() { full || !stage.full } else { names.iter().any(|name| name == stage.name) };
    let mut wanted: Vec<bool> = stages.iter().map(wanted).collect();
    // A stage stands behind those that it waits for: from the end, one pass finds them all.
    for (i, stage) in stages.iter().enumerate().rev() {
        if wanted[i] {
            stages[..i].iter().zip(&mut wanted).for_each(|(earlier, wanted)| *wanted |= stage.after.contains(&earlier.name));
        }
    }
    Ok(stages.iter().zip(wanted).filter_map(|(stage, wanted)| wanted.then_some(stage)).collect())
}

/// Runs the stages, each lane in their order. A stage that waits for one that failed fails; all others run.
pub fn run<C: Sync>(stages: &[&Stage<C>], shared: &C) -> Vec<Row> {
    let board =
        Mutex::new(Board { ended: BTreeMap::new(), running: BTreeMap::new(), rows: Vec::new(), said: Instant::now(), lanes: LANES.len() });
    let changed = Condvar::new();
    let began = Instant::now();
    thread::scope(|scope| {
        for lane in LANES {
            let (board, changed) = (&board, &changed);
            scope.spawn(move || {
                for stage in stages.iter().filter(|stage| stage.lane == lane) {
                    one(stage, shared, board, changed);
                }
                locked(board).lanes -= 1;
                changed.notify_all();
            });
        }
        let mut held = locked(&board);
        while held.lanes > 0 {
            held = changed.wait_timeout(held, Duration::from_secs(1)).unwrap_or_else(PoisonError::into_inner).0;
            if held.said.elapsed() >= SILENCE {
                let running: Vec<String> =
                    held.running.iter().map(|(name, far)| [name, far.as_str()].join(" ").trim().to_owned()).collect();
                println!("{:>12} | {:.0} s: {}", "…", began.elapsed().as_secs_f64(), running.join(", "));
                held.said = Instant::now();
            }
        }
    });
    board.into_inner().unwrap_or_else(PoisonError::into_inner).rows
}

/// Waits for what a stage waits for, and runs it.
fn one<C>(stage: &Stage<C>, shared: &C, board: &Mutex<Board>, changed: &Condvar) {
    let missing = {
        let mut held = locked(board);
        while stage.after.iter().any(|name| !held.ended.contains_key(name)) {
            held = changed.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        held.running.insert(stage.name, String::new());
        stage.after.iter().find(|name| !held.ended[**name])
    };
    let log = Log { name: stage.name, board };
    let (began, before, mut count) = (Instant::now(), spent(), Count::default());
    let outcome = match missing {
        Some(name) => Err(anyhow!("not run: {name} failed")),
        None => {
            log.say(&format!("{} …", stage.title));
            (stage.work)(shared, &log, &mut count)
        }
    };
    if let Err(error) = &outcome {
        log.say(&format!("FAILED: {error:#}"));
    }
    let row = Row { title: stage.title, wall: began.elapsed(), cpu: spent() - before, count, outcome };
    if row.outcome.is_ok() {
        log.say(&format!("done in {:.1} s", row.wall.as_secs_f64()));
    }
    let mut held = locked(board);
    held.running.remove(stage.name);
    held.ended.insert(stage.name, row.outcome.is_ok());
    held.rows.push(row);
    changed.notify_all();
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    type Order = Mutex<Vec<&'static str>>;

    const STAGES: [Stage<Order>; 4] = [
        Stage { name: "a", title: "a", lane: Lane::Build, full: false, after: &[], work: |order, _, _| noted(order, "a") },
        Stage { name: "b", title: "b", lane: Lane::Test, full: false, after: &["a"], work: |order, _, _| noted(order, "b") },
        Stage { name: "c", title: "c", lane: Lane::Build, full: true, after: &[], work: |_, _, _| bail!("broken") },
        Stage { name: "d", title: "d", lane: Lane::Fetch, full: true, after: &["b", "c"], work: |order, _, _| noted(order, "d") },
    ];

    fn noted(order: &Order, name: &'static str) -> Result<()> {
        locked(order).push(name);
        Ok(())
    }

    fn names(stages: &[&Stage<Order>]) -> String {
        stages.iter().map(|stage| stage.name).collect()
    }

    #[test]
    fn a_stage_brings_what_it_waits_for() {
        let choose = |given: &[&str], full| {
            let given: Vec<String> = given.iter().map(|&name| name.to_owned()).collect();
            chosen(&STAGES, &given, full).map(|stages| names(&stages))
        };
        assert_eq!(choose(&[], false), Ok("ab".into()));
        assert_eq!(choose(&[], true), Ok("abcd".into()));
        assert_eq!(choose(&["b"], false), Ok("ab".into()));
        assert_eq!(choose(&["d"], false), Ok("abcd".into()));
        assert_eq!(choose(&["x"], false), Err("x".into()));
    }

    #[test]
    fn a_stage_waits_and_is_not_run_behind_one_that_failed() {
        let order = Order::default();
        let stages: Vec<&Stage<Order>> = STAGES.iter().collect();
        let rows = run(&stages, &order);
        assert_eq!(*locked(&order), ["a", "b"]);
        let failed: Vec<&str> = rows.iter().filter(|row| row.outcome.is_err()).map(|row| row.title).collect();
        assert_eq!(failed, ["c", "d"]);
    }
}
