//! `corun merge`: the shards of a sweep as one file.

use crate::input::problem;
use crate::results::{self, Row};
use crate::{Failure, input};
use clap::Args;
use sim_core::describe::error::Problems;

/// Arguments of `corun merge`.
#[derive(Args, Debug)]
pub struct Merge {
    /// Files that `corun sweep` wrote, all of one sweep; a point may stand in several of them
    #[arg(required = true)]
    files: Vec<String>,
    /// Where to write them as one, in the order of the points
    #[arg(long, value_name = "FILE.jsonl")]
    out: String,
}

impl Merge {
    pub fn execute(self) -> Result<(), Failure> {
        let mut rows = Vec::new();
        for (number, file) in self.files.iter().enumerate() {
            rows.extend(results::read(file, number)?.rows);
        }
        one_sweep(&rows)?;
        results::sort(&mut rows)?;
        results::write(&rows, &self.files, &self.out)?;
        let points = rows.first().map_or(0, |row| row.points);
        let missing = missing(&rows, points);
        let list = if missing.is_empty() { String::new() } else { format!("; missing: {}", input::some(&missing)) };
        eprintln!("{}: {} of {points} points{list}", self.out, rows.len());
        Ok(())
    }
}

/// All rows must be of the same sweep, run by the same engine.
fn one_sweep(rows: &[Row]) -> Result<(), Problems> {
    let mut problems = Problems::default();
    for pair in rows.windows(2) {
        let (a, b) = (&pair[0], &pair[1]);
        if (&a.sweep, a.points) != (&b.sweep, b.points) {
            problems.add(&b.place, format!("a point of sweep {}", b.sweep), format!("one of {}, as in {}", a.sweep, a.place));
        } else if a.engine != b.engine {
            problems.add(&b.place, format!("a result of engine {}", b.engine), format!("one of {}, as in {}", a.engine, a.place));
        }
    }
    if rows.is_empty() {
        return Err(problem("(file)", "no points", "files with at least one complete line"));
    }
    problems.or(())
}

/// The points that no row has; `rows` are in order.
fn missing(rows: &[Row], points: usize) -> Vec<usize> {
    let mut rows = rows.iter().map(|row| row.index).peekable();
    (0..points).filter(|index| rows.next_if_eq(index).is_none()).collect()
}
