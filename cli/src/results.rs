//! Files of results: one line of JSON for each point of a sweep.
//!
//! A sweep that ends, by itself or by Ctrl-C, leaves the lines in the order of the points. Nothing in a line depends on the clock, on the
//! number of jobs or on the shard, so the file of all points is the same bytes however it came about.

use corun_lab::jsonl::{Line, Lines, WANT};
use corun_lab::{Failure, jsonl, problem};
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::study::sweep::MAX_POINTS;
use std::fs::File;

/// How a line begins.
const BEGINS: &[&str] = &["{\"index\":"];

/// What the runner needs to know of a line.
#[derive(Debug)]
pub struct Row {
    /// The point's place in its sweep, below `points`.
    pub index: usize,
    /// How many points the sweep has, at most `MAX_POINTS`.
    pub points: usize,
    /// The sweep's hash.
    pub sweep: String,
    /// The point's hash.
    pub config_hash: String,
    /// The engine that made the result: its version and how it behaves.
    pub engine: String,
    /// Whether the run got stuck.
    pub stuck: bool,
    /// Whether its policy failed.
    pub failed: bool,
    /// Number of its file among those that are put in order together.
    pub file: usize,
    /// Where the line stands; without what it says.
    pub line: Line,
}

/// Reads a file of results that another process may be writing, number `number` of several; `each` gets what every line says.
pub fn read(file: &File, name: &str, number: usize, mut each: impl FnMut(&Value) -> Result<(), Problems>) -> Result<Vec<Row>, Problems> {
    let mut rows = Vec::new();
    jsonl::read(file, name, BEGINS, |line| {
        each(&line.value)?;
        rows.push(row(line, number)?);
        Ok(())
    })?;
    Ok(rows)
}

/// Reads the results of a file of one's own; `each` gets what every line says.
pub fn read_own(lines: &mut Lines, mut each: impl FnMut(&Value) -> Result<(), Problems>) -> Result<Vec<Row>, Problems> {
    let mut rows = Vec::new();
    lines.read(BEGINS, |line| {
        each(&line.value)?;
        rows.push(row(line, 0)?);
        Ok(())
    })?;
    Ok(rows)
}

fn row(mut line: Line, file: usize) -> Result<Row, Problems> {
    let value = std::mem::take(&mut line.value);
    let bad = |found: String| problem(&line.place, found, WANT);
    let (points, index) = match fields(&value) {
        Some(found) => found,
        None => return Err(bad("other JSON".into())),
    };
    if points > MAX_POINTS || index >= points {
        return Err(bad(format!("point {index} of {points}")));
    }
    let text = |key| value.get(key).and_then(Value::as_str);
    let result = value.get("result").unwrap_or(&Value::Null);
    let of_result = |key| result.get(key).and_then(Value::as_str);
    let (Some(sweep), Some(config_hash), Some(engine), Some(stop)) =
        (text("sweep"), text("config_hash"), of_result("engine"), of_result("stop"))
    else {
        return Err(bad("other JSON".into()));
    };
    if of_result("config_hash") != Some(config_hash) {
        return Err(bad(format!("the result of another point than {config_hash}")));
    }
    if !matches!(result.get("kernels"), Some(Value::Array(_))) {
        return Err(bad("a result without kernels".into()));
    }
    Ok(Row {
        index,
        points,
        sweep: sweep.to_owned(),
        config_hash: config_hash.to_owned(),
        engine: engine.to_owned(),
        stuck: stop == "stuck",
        failed: stop == "failed",
        file,
        line,
    })
}

/// How many points, and which this is.
fn fields(value: &Value) -> Option<(usize, usize)> {
    let whole = |key| usize::try_from(value.get(key)?.as_int()?).ok();
    Some((whole("points")?, whole("index")?))
}

/// All rows must be of the same sweep, run by the same engine.
pub fn one_sweep<'r>(rows: impl IntoIterator<Item = &'r Row>) -> Result<(), Problems> {
    let mut problems = Problems::default();
    let mut rows = rows.into_iter();
    let Some(a) = rows.next() else { return Err(problem("(file)", "no points", "results of a sweep: at least one whole line")) };
    for b in rows {
        if (&a.sweep, a.points) != (&b.sweep, b.points) {
            problems.add(&b.line.place, format!("a point of sweep {}", b.sweep), format!("one of {}, as in {}", a.sweep, a.line.place));
        } else if a.engine != b.engine {
            problems.add(&b.line.place, format!("a result of engine {}", b.engine), format!("one of {}, as in {}", a.engine, a.line.place));
        }
    }
    problems.or(())
}

/// Puts rows in the order of their points. A point that stands twice must have the same line twice, and stays once.
pub fn sort(rows: &mut Vec<Row>) -> Result<(), Problems> {
    rows.sort_by_key(|row| (row.index, row.file, row.line.start));
    let mut problems = Problems::default();
    for pair in rows.windows(2).filter(|pair| pair[0].index == pair[1].index && pair[0].line.check != pair[1].line.check) {
        let found = format!("another line for point {} than {} has", pair[1].index, pair[0].line.place);
        problems.add(&pair[1].line.place, found, "the same line for the same point");
    }
    rows.dedup_by_key(|row| row.index);
    problems.or(())
}

/// Puts the lines of a file in the order of the points, unless they stand so already.
pub fn order(lines: &mut Lines) -> Result<Vec<Row>, Failure> {
    let mut rows = read_own(lines, |_| Ok(()))?;
    if !rows.is_sorted_by(|a, b| a.index < b.index) {
        sort(&mut rows)?;
        lines.arrange(rows.iter().map(|row| &row.line))?;
    }
    Ok(rows)
}
