//! Reading files, with problems that name what is wrong with them.

use clap::Args;
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::run::experiment::{Experiment, set_path};
use std::fs::File;
use std::io::Read;

/// Largest file of an experiment or a sweep, bytes.
const MAX_BYTES: u64 = 4 << 20;

/// The example experiments as JSON text, by name.
pub const EXPERIMENTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/experiments.rs"));

/// The example scripts, by name.
pub const SCRIPTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scripts.rs"));

/// An experiment, and what the command line changes in it.
#[derive(Args, Debug)]
pub struct ExperimentArgs {
    /// The experiment, a JSON file; `-` for standard input
    experiment: String,
    /// Run for so many cycles, whatever the experiment says
    #[arg(long)]
    cycles: Option<u64>,
    /// Use this seed
    #[arg(long)]
    seed: Option<u64>,
    /// Share the GPU by this script, a .rhai file, in place of the experiment's policy
    #[arg(long, value_name = "FILE.rhai")]
    script: Option<String>,
    /// Change a field before the experiment is read, such as gpu.sm.count=8 or policy=even; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    changes: Vec<String>,
}

impl ExperimentArgs {
    /// The file; `-` for standard input.
    pub fn file(&self) -> &str {
        &self.experiment
    }

    /// Reads it.
    pub fn experiment(&self) -> Result<Experiment, Problems> {
        let mut value = read(&self.experiment)?;
        if let Some(file) = &self.script {
            let source = text(file)?;
            set_path(&mut value, "policy", Value::object([("name", "script"), ("source", source.as_str())]))?;
        }
        for change in &self.changes {
            let Some((path, text)) = change.split_once('=').filter(|(path, _)| !path.trim().is_empty()) else {
                return Err(problem("--set", format!("{change:?}"), "path=value, such as gpu.sm.count=8"));
            };
            // What is not JSON is text: `policy=even` needs no quotes.
            let new = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
            set_path(&mut value, path.trim(), new)?;
        }
        if let Some(seed) = self.seed {
            set_path(&mut value, "seed", seed.into())?;
        }
        if let Some(cycles) = self.cycles {
            set_path(&mut value, "stop", Value::object([("cycles", cycles)]))?;
        }
        Experiment::decode(&value)
    }
}

/// One problem.
pub fn problem(path: &str, found: impl ToString, want: &str) -> Problems {
    let mut problems = Problems::default();
    problems.add(path, found, want);
    problems
}

/// Parses JSON text.
pub fn json(text: &str) -> Result<Value, Problems> {
    // Some editors put a byte-order mark before UTF-8.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text).map_err(|error| problem("(file)", error, "JSON"))
}

/// Opens a file for reading.
pub fn open(file: &str) -> Result<File, Problems> {
    File::open(file).map_err(|error| problem("(file)", format!("{file}: {error}"), "a file that can be read"))
}

/// Reads a JSON file; `-` is standard input.
pub fn read(file: &str) -> Result<Value, Problems> {
    json(&text(file)?)
}

/// Reads a text; `-` is standard input.
fn text(file: &str) -> Result<String, Problems> {
    let source: Box<dyn Read> = if file == "-" { Box::new(std::io::stdin()) } else { Box::new(open(file)?) };
    let mut bytes = Vec::new();
    source
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| problem("(file)", format!("{file}: {error}"), "a file that can be read"))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(problem("(file)", format!("more than {MAX_BYTES} bytes"), "an experiment or a sweep, a few kilobytes of JSON"));
    }
    String::from_utf8(bytes).map_err(|error| problem("(file)", format!("not UTF-8: {error}"), "JSON text"))
}

/// The first of many numbers, for people.
pub fn some(numbers: &[usize]) -> String {
    let shown: Vec<String> = numbers.iter().take(20).map(ToString::to_string).collect();
    let more = if numbers.len() > shown.len() { format!(", … ({} in all)", numbers.len()) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
