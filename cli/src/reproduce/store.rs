//! Results on disk: one line for each run, by the hash of its experiment and how much of the result is kept. Appended as runs end, so that
//! whatever stops the program, it goes on where it was. The first line says which engine and commit they come from.

use crate::input::{not_written, problem};
use crate::results::Appender;
use sim_core::describe::digest::{Fnv, hex};
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::policy::POLICIES;
use sim_core::run::experiment::Experiment;
use sim_core::run::result::ENGINE;
use sim_core::run::simulation::Simulation;
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

/// What is known so far.
#[derive(Debug)]
pub struct Store {
    path: String,
    complete: u64,
    /// Version, digest of what the machine does, and commit of the engine.
    pub origin: Value,
    results: BTreeMap<String, Arc<Value>>,
}

impl Store {
    /// Opens the store in a folder, or starts one there.
    pub fn open(folder: &Path, mode: &str, commit: &str) -> Result<Store, Problems> {
        std::fs::create_dir_all(folder)
            .map_err(|error| problem("--out", format!("{}: {error}", folder.display()), "a folder that can be written"))?;
        let path = folder.join(format!("runs-{mode}.jsonl")).display().to_string();
        let behaviour = behaviour().ok_or_else(|| problem("(engine)", "an experiment that does not run", "one that does"))?;
        let origin = Value::object([("engine", ENGINE), ("behaviour", &behaviour), ("commit", commit)]);
        let mut store = Store { path, complete: 0, origin, results: BTreeMap::new() };
        if Path::new(&store.path).exists() {
            store.load()?;
        }
        if store.complete == 0 {
            let mut file = Appender::open(&store.path, 0)?;
            file.append(&store.origin)?;
            store.complete = std::fs::metadata(&store.path).map_err(not_written)?.len();
        }
        Ok(store)
    }

    fn load(&mut self) -> Result<(), Problems> {
        let unreadable = |error: std::io::Error| problem("--out", format!("{}: {error}", self.path), "a file that can be read");
        let mut reader = BufReader::new(std::fs::File::open(&self.path).map_err(unreadable)?);
        let mut line = Vec::new();
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line).map_err(unreadable)?;
            if line.last() != Some(&b'\n') {
                return Ok(());
            }
            let value: Value = serde_json::from_slice(&line).map_err(|error| problem(&self.path, error, "lines of JSON"))?;
            if self.complete == 0 {
                if ["engine", "behaviour"].iter().any(|key| value.get(key) != self.origin.get(key)) {
                    return Err(problem("--out", format!("{}, results of another engine", self.path), "another folder, or none"));
                }
                // The commit is that of the program which writes the report: what it found here, it would have found itself.
            } else if let (Some(key), Some(result)) = (value.get("key").and_then(Value::as_str), value.get("result")) {
                self.results.insert(key.to_owned(), Arc::new(result.clone()));
            }
            self.complete += length as u64;
        }
    }

    /// A run's result, if it has run.
    pub fn get(&self, key: &str) -> Option<&Arc<Value>> {
        self.results.get(key)
    }

    /// How many runs are known.
    pub fn len(&self) -> usize {
        self.results.len()
    }

    /// A writer behind what there is. What it writes, `add` tells the store.
    pub fn appender(&self) -> Result<Appender, Problems> {
        Appender::open(&self.path, self.complete)
    }

    /// Takes results that an appender has written.
    pub fn add(&mut self, results: Vec<(String, Value)>) -> Result<(), Problems> {
        self.results.extend(results.into_iter().map(|(key, result)| (key, Arc::new(result))));
        self.complete = std::fs::metadata(&self.path).map_err(not_written)?.len();
        Ok(())
    }
}

/// A line of the store.
pub fn line(key: &str, result: &Value) -> Value {
    Value::object([("key", Value::from(key)), ("result", result.clone())])
}

/// A digest of what the machine and every policy without needed parameters do in a short run, so that results of two engines that behave
/// differently never mix.
fn behaviour() -> Option<String> {
    let mut digest = Fnv::default();
    for info in POLICIES {
        let has = |name: &str| info.params.iter().any(|param| param.name == name);
        let mut policy = vec![("name", Value::from(info.name))];
        policy.extend(has("profile_cycles").then(|| ("profile_cycles", 1000.into())));
        policy.extend(has("time_scale").then(|| ("time_scale", 0.02.into())));
        let value = Value::object([
            ("corun", Value::from(1)),
            ("gpu", "tiny-2sm".into()),
            ("kernels", Value::array(["BP", "CFD"])),
            ("policy", Value::object(policy)),
            ("stop", Value::object([("cycles", 10_000)])),
        ]);
        if let Ok(experiment) = Experiment::decode(&value) {
            let mut simulation = Simulation::new(&experiment).ok()?;
            simulation.advance(u64::MAX);
            digest.write_u64(simulation.digest());
        }
    }
    Some(hex(digest.finish()))
}
