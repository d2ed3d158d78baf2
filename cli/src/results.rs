//! Files of results: one line of JSON for each point of a sweep.
//!
//! While a sweep runs, each line is appended, whole, when its point is done, so that a killed process leaves at most one torn line at the
//! end. A sweep that ends, by itself or by Ctrl-C, leaves the lines in the order of the points. Nothing in a line depends on the clock, on
//! the number of jobs or on the shard, so the file of all points is the same bytes however it came about.

use crate::input::{not_written, problem};
use sim_core::describe::digest::Fnv;
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use std::fs::File;
use std::hash::Hasher;
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

/// Longest line, bytes.
const MAX_LINE: u64 = 16 << 20;

/// What the runner needs to know of a line.
#[derive(Debug)]
pub struct Row {
    /// The point's place in its sweep.
    pub index: usize,
    /// How many points the sweep has.
    pub points: usize,
    /// The sweep's hash.
    pub sweep: String,
    /// The point's hash.
    pub config_hash: String,
    /// Version of the engine that made the result.
    pub engine: String,
    /// Whether the run got stuck.
    pub stuck: bool,
    /// IPC alone by kernel, where it is known.
    pub alone: Vec<Option<f64>>,
    /// File and line, for people.
    pub place: String,
    digest: u64,
    file: usize,
    start: u64,
    length: u64,
}

/// A file of results, read.
#[derive(Debug)]
pub struct Table {
    /// Its complete lines.
    pub rows: Vec<Row>,
    /// Bytes of its complete lines; what follows is a torn line.
    pub complete: u64,
}

/// Reads a file of results, number `file` of those that will be put in order together. A last line without its end is left out.
pub fn read(path: &str, file: usize) -> Result<Table, Problems> {
    let unreadable = |error: std::io::Error| problem("(file)", format!("{path}: {error}"), "a file that can be read");
    let mut reader = BufReader::new(File::open(path).map_err(unreadable)?);
    let mut table = Table { rows: Vec::new(), complete: 0 };
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).map_err(unreadable)? as u64;
        let place = format!("{path}:{}", table.rows.len() + 1);
        if line.last() != Some(&b'\n') {
            let torn = length < MAX_LINE;
            return if torn { Ok(table) } else { Err(problem(&place, format!("a line of more than {MAX_LINE} bytes"), WANT)) };
        }
        let value: Value = serde_json::from_slice(&line).map_err(|error| problem(&place, error, WANT))?;
        let Some(mut row) = row(&value) else { return Err(problem(&place, "other JSON", WANT)) };
        let mut digest = Fnv::default();
        digest.write(&line);
        (row.digest, row.file, row.start, row.length) = (digest.finish(), file, table.complete, length);
        row.place = place;
        table.rows.push(row);
        table.complete += length;
    }
}

const WANT: &str = "a line that `corun sweep` wrote";

fn row(line: &Value) -> Option<Row> {
    let whole = |key| usize::try_from(line.get(key)?.as_int()?).ok();
    let text = |value: &Value, key| Some(value.get(key)?.as_str()?.to_owned());
    let result = line.get("result")?;
    let Value::Array(kernels) = result.get("kernels")? else { return None };
    Some(Row {
        index: whole("index")?,
        points: whole("points")?,
        sweep: text(line, "sweep")?,
        config_hash: text(line, "config_hash")?,
        engine: text(result, "engine")?,
        stuck: text(result, "stop")? == "stuck",
        alone: kernels.iter().map(|kernel| kernel.get("ipc_alone").and_then(Value::as_f64)).collect(),
        place: String::new(),
        digest: 0,
        file: 0,
        start: 0,
        length: 0,
    })
}

/// Puts rows in the order of their points. A point that stands twice must have the same line twice, and stays once.
pub fn sort(rows: &mut Vec<Row>) -> Result<(), Problems> {
    rows.sort_by_key(|row| (row.index, row.file, row.start));
    let mut problems = Problems::default();
    for pair in rows.windows(2).filter(|pair| pair[0].index == pair[1].index && pair[0].digest != pair[1].digest) {
        let found = format!("another line for point {} than {} has", pair[1].index, pair[0].place);
        problems.add(&pair[1].place, found, "the same line for the same point");
    }
    rows.dedup_by_key(|row| row.index);
    problems.or(())
}

/// Writes rows of `files` to `out`, which is replaced as a whole at the end or not at all.
pub fn write(rows: &[Row], files: &[String], out: &str) -> Result<(), Problems> {
    let sources: Result<Vec<File>, _> = files.iter().map(File::open).collect();
    let mut sources = sources.map_err(|error| problem("(file)", error, "a file that can be read"))?;
    let unfinished = format!("{out}.unfinished");
    let mut target = crate::input::create(&unfinished)?;
    let mut line = Vec::new();
    for row in rows {
        let source = &mut sources[row.file];
        line.resize(row.length as usize, 0);
        source.seek(SeekFrom::Start(row.start)).and_then(|_| source.read_exact(&mut line)).map_err(not_written)?;
        target.write_all(&line).map_err(not_written)?;
    }
    target.into_inner().map_err(|error| not_written(error.into_error()))?.sync_all().map_err(not_written)?;
    std::fs::rename(&unfinished, out).map_err(not_written)
}

/// Puts the lines of a file in the order of the points, unless they stand so already.
pub fn order(path: &str) -> Result<Vec<Row>, Problems> {
    let Table { mut rows, .. } = read(path, 0)?;
    let in_order = rows.is_sorted_by(|a, b| a.index < b.index);
    if !in_order {
        sort(&mut rows)?;
        write(&rows, &[path.to_owned()], path)?;
    }
    Ok(rows)
}

/// A file that lines are appended to, each with one write; no second process may do so.
#[derive(Debug)]
pub struct Appender(BufWriter<File>);

impl Appender {
    /// Opens `path` behind its first `complete` bytes, or makes it.
    pub fn open(path: &str, complete: u64) -> Result<Self, Problems> {
        let unwritable = |error: std::io::Error| problem("(output)", format!("{path}: {error}"), "a file that can be written");
        let mut file = File::options().create(true).truncate(false).write(true).open(path).map_err(unwritable)?;
        // Where locks do not exist, nothing is locked.
        if let Err(std::fs::TryLockError::WouldBlock) = file.try_lock() {
            return Err(problem("(output)", format!("{path}, which another sweep is writing"), "a file of its own for each process"));
        }
        file.set_len(complete).and_then(|()| file.seek(SeekFrom::Start(complete))).map_err(unwritable)?;
        Ok(Appender(BufWriter::with_capacity(1 << 16, file)))
    }

    /// Appends one line.
    pub fn append(&mut self, line: &Value) -> Result<(), Problems> {
        let mut text = serde_json::to_string(line).map_err(|error| not_written(error.into()))?;
        text.push('\n');
        self.0.write_all(text.as_bytes()).and_then(|()| self.0.flush()).map_err(not_written)
    }
}
