//! What runs have measured, kept for the next command: a folder with a file for each, by what the engine does and by what ran.
//!
//! A run follows from these two alone, so a row is never out of date. What cannot be read is said and measured anew; what cannot be written costs
//! a warning. Several processes may use one folder: each writes a file aside and puts it in place whole.

use crate::engine::behaviour;
use crate::failure::{Failure, problem};
use crate::output;
use sim_core::describe::digest::{check_of, with_check};
use sim_core::describe::error::{Problem, Problems};
use sim_core::describe::value::Value;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;

/// Rows of one engine, or of one file of what a GPU has measured, in a folder that has a folder for each.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    behaviour: String,
}

/// Rows of one engine or one file, as `contents` counts them.
#[derive(Debug)]
pub struct Contents {
    /// How the engine behaves; of a file, its hash behind `OF_GPU`.
    pub behaviour: String,
    /// Whether it is this engine.
    pub own: bool,
    /// How many.
    pub rows: usize,
    /// What their files take.
    pub bytes: u64,
}

/// How a folder is called that has what a GPU has measured: no engine's begins so.
pub const OF_GPU: &str = "gpu-";

/// What a file of a row must be.
const WANT: &str = "a row as `corun` wrote it; it is measured anew";

impl Store {
    /// Opens a store that an option names, or starts one.
    pub fn open(folder: &Path, option: &str) -> Result<Store, Problems> {
        Store::at(folder, behaviour()?, option)
    }

    /// Opens that of a file of what a GPU has measured, by its hash.
    pub fn of_gpu(folder: &Path, digits: &str, option: &str) -> Result<Store, Problems> {
        Store::at(folder, format!("{OF_GPU}{digits}"), option)
    }

    fn at(folder: &Path, behaviour: String, option: &str) -> Result<Store, Problems> {
        let own = folder.join(&behaviour);
        fs::create_dir_all(&own).map_err(|error| problem(option, format!("{}: {error}", own.display()), "a folder that can be written"))?;
        output::sweep(&own, ".");
        Ok(Store { folder: own, behaviour })
    }

    fn file(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }

    /// What is kept under a key. A file that is damaged is said, once a command.
    pub fn get(&self, key: &str) -> Option<Value> {
        static SAID: Once = Once::new();
        let file = self.file(key);
        let said = |found: String| {
            let problem = Problem::new("(store)", format!("{}: {found}", file.display()), WANT);
            SAID.call_once(|| output::say(&format!("note: {problem}")));
        };
        let bytes = match fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                said(error.to_string());
                return None;
            }
        };
        let row = self.row(key, &bytes);
        row.map_err(said).ok()
    }

    fn row(&self, key: &str, bytes: &[u8]) -> Result<Value, String> {
        let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let (found, check) = check_of(line);
        if found != Some(check.as_bytes()) {
            return Err(if found.is_some() { "a row that was changed: its check is another" } else { "a row without its check" }.into());
        }
        let mut row: Value = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        for (name, own) in [("behaviour", self.behaviour.as_str()), ("key", key)] {
            let said = row.get(name).and_then(Value::as_str).unwrap_or("nothing");
            if said != own {
                return Err(format!("the row of another {name}, {said}"));
            }
        }
        let Value::Object(pairs) = &mut row else { return Err("no row".into()) };
        let outcome = pairs.iter_mut().find(|(name, _)| name == "outcome");
        outcome.map(|(_, outcome)| std::mem::take(outcome)).ok_or_else(|| "a row without an outcome".into())
    }

    /// All rows, in the order of their keys.
    pub fn rows(&self) -> Vec<Value> {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten().filter_map(|file| file.file_name().into_string().ok());
        let mut keys: Vec<String> = files.filter_map(|name| name.strip_suffix(".json").map(str::to_owned)).collect();
        keys.sort_unstable();
        keys.iter().filter_map(|key| self.get(key)).collect()
    }

    /// Keeps something under a key. That it cannot is said, once a command: the next one measures again.
    pub fn put(&self, key: &str, outcome: &Value) {
        static SAID: Once = Once::new();
        let row = Value::object([("behaviour", Value::from(self.behaviour.as_str())), ("key", key.into()), ("outcome", outcome.clone())]);
        if let Err(Failure::Lost(_, error)) = output::write(&self.file(key), &(with_check(&row.to_string()) + "\n")) {
            let problem = Problem::new("(store)", error, "room for what runs measure");
            SAID.call_once(|| output::say(&format!("note: {problem}; it is measured again next time")));
        }
    }
}

/// What a folder has, of this engine first.
pub fn contents(folder: &Path) -> Result<Vec<Contents>, Problems> {
    let own = behaviour()?;
    let unreadable = |error: io::Error| problem("--store", format!("{}: {error}", folder.display()), "a folder that can be read");
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(unreadable)?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(unreadable)?;
        let Some(name) = entry.file_name().to_str().filter(|name| is_behaviour(name)).map(str::to_owned) else { continue };
        let files = fs::read_dir(entry.path()).map_err(unreadable)?.flatten().filter_map(|file| file.metadata().ok());
        let (rows, bytes) = files.fold((0, 0), |(rows, bytes), about| (rows + 1, bytes + about.len()));
        found.push(Contents { own: name == own, behaviour: name, rows, bytes });
    }
    found.sort_by(|a, b| b.own.cmp(&a.own).then_with(|| a.behaviour.cmp(&b.behaviour)));
    Ok(found)
}

/// Removes what other engines than this one have measured; returns what went. What a GPU has measured stays true.
pub fn prune(folder: &Path) -> Result<Vec<Contents>, Problems> {
    let is_other = |contents: &Contents| !contents.own && !contents.behaviour.starts_with(OF_GPU);
    let others: Vec<Contents> = contents(folder)?.into_iter().filter(is_other).collect();
    for contents in &others {
        let place = folder.join(&contents.behaviour);
        fs::remove_dir_all(&place)
            .map_err(|error| problem("--prune", format!("{}: {error}", place.display()), "a folder that can be removed"))?;
    }
    Ok(others)
}

/// Whether this is how a behaviour is written: nothing else in the folder is the store's.
fn is_behaviour(name: &str) -> bool {
    let name = name.strip_prefix(OF_GPU).unwrap_or(name);
    name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}
