//! Results on disk: one line for each run, by the hash of its experiment and how much of the result is kept. Appended as runs end, so that
//! whatever stops the program, it goes on where it was. The first line says which engine and commit they come from.

use corun_lab::engine::behaviour;
use corun_lab::jsonl::Lines;
use corun_lab::store::Store as Solo;
use corun_lab::{Failure, problem};
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::run::result::ENGINE;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// How a line begins: the first, and every other.
const BEGINS: &[&str] = &["{\"engine\":", "{\"key\":"];

/// What is known so far. No other process writes there as long as this exists.
#[derive(Debug)]
pub struct Store {
    lines: Lines,
    /// Version, digest of what the machine does, and commit of the engine.
    pub origin: Value,
    /// What policies have to know of kernels alone: kept beside the results.
    solo: Solo,
    results: BTreeMap<String, Arc<Value>>,
}

impl Store {
    /// Opens the store in a folder, or starts one there.
    pub fn open(folder: &Path, mode: &str, commit: &str, date: &str) -> Result<Store, Failure> {
        std::fs::create_dir_all(folder)
            .map_err(|error| problem("--out", format!("{}: {error}", folder.display()), "a folder that can be written"))?;
        let path = folder.join(format!("runs-{mode}.jsonl")).display().to_string();
        let behaviour = behaviour()?;
        let origin = Value::object([("engine", ENGINE), ("behaviour", &behaviour), ("commit", commit), ("date", date)]);
        let mut lines = Lines::open(&path, true)?;
        let solo = Solo::open(&folder.join("alone"), "--out")?;
        let Some(results) = load(&mut lines, &path, &origin)? else {
            lines.append(&origin)?;
            return Ok(Store { lines, origin, solo, results: BTreeMap::new() });
        };
        Ok(Store { lines, origin, solo, results })
    }

    /// A run's result, if it has run.
    pub fn get(&self, key: &str) -> Option<&Arc<Value>> {
        self.results.get(key)
    }

    /// How many runs are known.
    pub fn len(&self) -> usize {
        self.results.len()
    }

    /// Where the results of runs go that end, and what is known of runs alone.
    pub fn parts(&mut self) -> (Out<'_>, &Solo) {
        (Out { lines: &mut self.lines, results: &mut self.results }, &self.solo)
    }

    /// Takes results that nobody has run.
    #[cfg(test)]
    pub fn add(&mut self, results: Vec<(String, Value)>) {
        self.results.extend(results.into_iter().map(|(key, result)| (key, Arc::new(result))));
    }
}

/// Where results go: to the file, and to what is known.
#[derive(Debug)]
pub struct Out<'s> {
    lines: &'s mut Lines,
    results: &'s mut BTreeMap<String, Arc<Value>>,
}

impl Out<'_> {
    /// A run has ended.
    pub fn add(&mut self, key: &str, result: Value) -> Result<(), Failure> {
        self.lines.append(&Value::object([("key", Value::from(key)), ("result", result.clone())]))?;
        self.results.insert(key.to_owned(), Arc::new(result));
        Ok(())
    }
}

/// The results of a file by key; nothing if it does not even have its first line.
fn load(lines: &mut Lines, path: &str, origin: &Value) -> Result<Option<BTreeMap<String, Arc<Value>>>, Problems> {
    let mut results = None;
    lines.read(BEGINS, |line| {
        let Some(results) = &mut results else {
            if ["engine", "behaviour"].iter().any(|key| line.value.get(key) != origin.get(key)) {
                return Err(problem("--out", format!("{path}, results of another engine"), "another folder, or none"));
            }
            // The commit is that of the program which writes the report: what it found here, it would have found itself.
            results = Some(BTreeMap::new());
            return Ok(());
        };
        if let (Some(key), Some(result)) = (line.value.get("key").and_then(Value::as_str), line.value.get("result")) {
            results.insert(key.to_owned(), Arc::new(result.clone()));
        }
        Ok(())
    })?;
    Ok(results)
}
