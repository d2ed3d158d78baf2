//! Reading files, with problems that name what is wrong with them.

use crate::kind::{self, Kind};
use crate::number::whole;
use crate::recording;
use clap::Args;
use corun_lab::{output, problem};
use sim_core::describe::error::{Problem, Problems};
use sim_core::describe::value::Value;
use sim_core::run::experiment::{Experiment, set_path};
use sim_core::study::foreign::LOOKED_AT;
use std::fs::File;
use std::io::{Cursor, ErrorKind, Read};
use std::path::Path;

/// Largest file of an experiment or a sweep, bytes: kernels of thousands of launches take some hundreds each.
const MAX_BYTES: u64 = 64 << 20;

/// The example experiments as JSON text, by name.
pub const EXPERIMENTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/experiments.rs"));

/// The example sweeps, likewise.
pub const SWEEPS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sweeps.rs"));

/// The example predictions, likewise.
pub const PREDICTIONS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/predict.rs"));

/// The example scripts, by name.
pub const SCRIPTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scripts.rs"));

/// An experiment, and what the command line changes in it.
#[derive(Args, Debug)]
pub struct ExperimentArgs {
    /// A JSON file, `-` for standard input, or the name of an example: `corun list experiments`
    experiment: String,
    /// Run for so many cycles, whatever the experiment says: 20000, 20k, 1e6
    #[arg(long, value_name = "N", value_parser = whole)]
    cycles: Option<u64>,
    /// Use this seed
    #[arg(long, value_name = "S", value_parser = whole)]
    seed: Option<u64>,
    /// Share the GPU by this script, a .rhai file, in place of the experiment's policy
    #[arg(long, value_name = "FILE.rhai")]
    script: Option<String>,
    /// Read this recording, whose launches the experiment names by its hash; may be repeated. A kernel `@FILE.corun` needs none
    #[arg(long = "recording", value_name = "FILE.corun")]
    recordings: Vec<String>,
    /// Change a field before the experiment is read, such as gpu.sm.count=8 or policy=even; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    changes: Vec<String>,
}

impl ExperimentArgs {
    /// The file or the name; `-` for standard input.
    pub fn file(&self) -> &str {
        &self.experiment
    }

    /// Refuses what would change an experiment where another kind of file was found.
    pub fn changes_nothing(&self, found: &str) -> Result<(), Problems> {
        let given = [
            ("--cycles", self.cycles.is_some()),
            ("--seed", self.seed.is_some()),
            ("--script", self.script.is_some()),
            ("--recording", !self.recordings.is_empty()),
            ("--set", !self.changes.is_empty()),
        ];
        let given = given.iter().find(|(_, given)| *given);
        given.map_or(Ok(()), |(option, _)| Err(problem(option, found, "an experiment")))
    }

    /// Reads it, and says what its scale has rounded.
    pub fn experiment(&self) -> Result<Experiment, Problems> {
        self.with_rounding().map(|(experiment, _)| experiment)
    }

    /// Likewise, with what was said.
    pub fn with_rounding(&self) -> Result<(Experiment, Problems), Problems> {
        let mut value = read(&self.experiment, Kind::Experiment)?;
        if let Some(file) = &self.script {
            let source = text(file, Kind::Script)?;
            set_path(&mut value, "policy", Value::object([("name", "script"), ("source", source.as_str())]))?;
        }
        for change in &self.changes {
            let Some((path, text)) = change.split_once('=').filter(|(path, _)| !path.trim().is_empty()) else {
                return Err(problem("--set", format!("{change:?}"), "path=value, such as gpu.sm.count=8"));
            };
            // What is neither JSON nor a number is text: `policy=even` needs no quotes.
            let number = || whole(text).map_or_else(|_| Value::from(text), Value::from);
            let new = Value::from_json(text).unwrap_or_else(|_| number());
            set_path(&mut value, path.trim(), new)?;
        }
        self.recordings.iter().try_for_each(|file| recording::know(file).map(drop))?;
        recording::put_in(&mut value, "")?;
        if let Some(seed) = self.seed {
            set_path(&mut value, "seed", seed.into())?;
        }
        if let Some(cycles) = self.cycles {
            set_path(&mut value, "stop", Value::object([("cycles", cycles)]))?;
        }
        let experiment = Experiment::decode(&value)?;
        let rounded = Experiment::rounding(&value);
        rounded.0.iter().for_each(|note| output::say(&format!("note: {note}")));
        Ok((experiment, rounded))
    }
}

/// Opens a file for reading.
pub fn open(file: &str) -> Result<File, Problems> {
    File::open(file).map_err(|error| unreadable(file, &error, &[]))
}

/// A file that can be looked at and read again from its beginning; a folder, a pipe and what cannot be read are none.
pub fn reopenable(file: &str) -> Option<File> {
    std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file()).then(|| File::open(file).ok()).flatten()
}

/// That a file cannot be read, with the name of an example that may have been meant.
fn unreadable(file: &str, error: &std::io::Error, examples: &[(&str, &str)]) -> Problems {
    let near = (error.kind() == ErrorKind::NotFound).then(|| nearest(file, examples.iter().map(|(name, _)| *name))).flatten();
    let near = near.map_or(String::new(), |name| format!(", or the name of an example, such as {name}"));
    problem("(file)", format!("{file}: {error}"), &format!("a file that can be read{near}"))
}

/// The name that is most like a written one, if one is.
pub fn nearest<'n>(written: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let written = written.to_lowercase();
    let likeness = |name: &str| strsim::jaro_winkler(&written, &name.to_lowercase());
    names.map(|name| (likeness(name), name)).filter(|(like, _)| *like > 0.8).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

/// The examples of a kind, by name.
fn examples(kind: Kind) -> &'static [(&'static str, &'static str)] {
    match kind {
        Kind::Experiment => EXPERIMENTS,
        Kind::Sweep => SWEEPS,
        Kind::Prediction => PREDICTIONS,
        _ => &[],
    }
}

/// The example of a name, unless a file has that name.
fn example(name: &str, kind: Kind) -> Option<&'static str> {
    let (_, text) = examples(kind).iter().find(|(known, _)| *known == name)?;
    let file = Path::new(name);
    (file.is_dir() || !file.exists()).then_some(text)
}

/// Reads a JSON file of a kind, or an example by its name; `-` is standard input.
pub fn read(file: &str, wanted: Kind) -> Result<Value, Problems> {
    let mut value = Value::from_json(&text(file, wanted)?)?;
    kind::must_be(wanted, &value)?;
    recording::put_in(&mut value, file)?;
    Ok(value)
}

/// The problem that a file is of another kind, if it is known to be: for who reads it in another way, and could not.
pub fn of_another_kind(file: &str, wanted: Kind) -> Option<Problems> {
    let mut bytes = Vec::new();
    let mut source = File::open(file).ok()?;
    head(&mut source, &mut bytes).ok()?;
    if let Some(problems) = kind::of_another_tool(file, &bytes, wanted) {
        return Some(problems);
    }
    source.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let kind = Kind::of_text(file, &text).or_else(|| Kind::of(&Value::from_json(&text).ok()?))?;
    (kind != wanted).then(|| kind.instead_of(wanted))
}

/// The first bytes of a file, by which other tools' are known.
fn head(source: &mut impl Read, bytes: &mut Vec<u8>) -> std::io::Result<()> {
    source.take(LOOKED_AT as u64).read_to_end(bytes).map(drop)
}

/// Reads a text of a kind; `-` is standard input.
fn text(file: &str, wanted: Kind) -> Result<String, Problems> {
    let unreadable = |error: std::io::Error| unreadable(file, &error, examples(wanted));
    let mut source: Box<dyn Read> = match example(file, wanted) {
        _ if file == "-" => Box::new(std::io::stdin()),
        Some(text) => Box::new(Cursor::new(text)),
        None => Box::new(File::open(file).map_err(unreadable)?),
    };
    let mut bytes = Vec::new();
    head(&mut source, &mut bytes).map_err(unreadable)?;
    if let Some(problems) = kind::of_another_tool(file, &bytes, wanted) {
        return Err(problems);
    }
    source.take(MAX_BYTES + 1 - bytes.len() as u64).read_to_end(&mut bytes).map_err(unreadable)?;
    let whole = String::from_utf8_lossy(&bytes);
    // What is to be JSON is looked at when it is parsed.
    let parsed = || if wanted == Kind::Script { Kind::of(&Value::from_json(&whole).ok()?) } else { None };
    if let Some(kind) = Kind::of_text(file, &whole).or_else(parsed).filter(|kind| *kind != wanted) {
        return Err(kind.instead_of(wanted));
    }
    if bytes.len() as u64 > MAX_BYTES {
        return Err(problem(
            "(file)",
            format!("more than {MAX_BYTES} bytes"),
            "an experiment or a sweep, most often a few kilobytes of JSON",
        ));
    }
    String::from_utf8(bytes).map_err(|error| problem("(file)", format!("not UTF-8: {error}"), "JSON text"))
}

/// A problem by itself.
pub fn one(problem: Problem) -> Problems {
    Problems(vec![problem])
}

/// The first of many numbers, for people.
pub fn some(numbers: &[usize]) -> String {
    let shown: Vec<String> = numbers.iter().take(20).map(ToString::to_string).collect();
    let more = if numbers.len() > shown.len() { format!(", … ({} in all)", numbers.len()) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
