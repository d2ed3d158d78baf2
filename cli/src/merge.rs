//! `corun merge`: the shards of a sweep as one file.

use crate::input;
use crate::input::open;
use crate::kind::Kind;
use crate::results::{self, Row, one_sweep};
use clap::Args;
use corun_lab::jsonl::Lines;
use corun_lab::{Failure, output};
use sim_core::describe::error::{Problems, one_line};
use std::fs::File;

/// Arguments of `corun merge`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit status: 0 every point is there; 1 some are missing, and named, and the others are merged; 2 bad usage or input."
)]
pub struct Merge {
    /// Files that `corun sweep` wrote, all of one sweep; a point may stand in several of them
    #[arg(required = true)]
    files: Vec<String>,
    /// Where to write them as one, in the order of the points
    #[arg(long, value_name = "FILE.jsonl")]
    out: String,
    /// Points may be missing
    #[arg(long)]
    partial: bool,
}

impl Merge {
    pub fn execute(self) -> Result<(), Failure> {
        // Opened once: what a sweep that still runs puts in the place of one of them is another file.
        let files: Vec<File> = self.files.iter().map(|name| open(name)).collect::<Result<_, Problems>>()?;
        let mut rows = Vec::new();
        for (number, (file, name)) in files.iter().zip(&self.files).enumerate() {
            rows.extend(
                results::read(file, name, number, |_| Ok(()))
                    .map_err(|problems| input::of_another_kind(name, Kind::Results).unwrap_or(problems))?,
            );
        }
        one_sweep(&rows)?;
        results::sort(&mut rows)?;
        let mut out = Lines::open(&self.out, true)?;
        // What stands there already is replaced if it is of this sweep too.
        let before = results::read_own(&mut out, |_| Ok(()))?;
        one_sweep(rows.first().into_iter().chain(&before))?;
        let files: Vec<&File> = files.iter().collect();
        out.replace(&files, rows.iter().map(|row| (row.file, &row.line)))?;
        let points = rows.first().map_or(0, |row| row.points);
        let missing = missing(&rows, points);
        let summary = format!("{}: {} of {points} points", one_line(&self.out), rows.len());
        if missing.is_empty() {
            output::say(&summary);
            return Ok(());
        }
        let summary = format!("{summary}; missing: {}", input::some(&missing));
        if !self.partial {
            return Err(Failure::Missing(summary));
        }
        output::say(&summary);
        Ok(())
    }
}

/// The points that no row has; `rows` are in order.
fn missing(rows: &[Row], points: usize) -> Vec<usize> {
    let mut rows = rows.iter().map(|row| row.index).peekable();
    (0..points).filter(|index| rows.next_if_eq(index).is_none()).collect()
}
