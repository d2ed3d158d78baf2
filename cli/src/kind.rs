//! What a file is, so that a command that was given another kind of file can say which command takes it.

use corun_lab::problem;
use corun_traces::unpack;
use flate2::read::GzDecoder;
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::study::foreign::{LOOKED_AT, named, recognise};
use std::io::Read;

/// A kind of file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// One experiment.
    Experiment,
    /// Many experiments.
    Sweep,
    /// A group of kernels whose latency is predicted.
    Prediction,
    /// What one run found.
    Result,
    /// What the runs of a sweep found, a line each.
    Results,
    /// What `--trace` writes.
    Timeline,
    /// Launches that a profiler has seen.
    Launches,
    /// What a store keeps.
    Row,
    /// A policy as a script.
    Script,
    /// A kernel by itself.
    Kernel,
    /// What silicon/interfere.cu measured.
    Times,
    /// Recorded kernels.
    Recording,
}

impl Kind {
    /// What it is called, and what takes it.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Kind::Experiment => ("an experiment", "`corun run FILE` runs it"),
            Kind::Sweep => ("a sweep", "`corun sweep FILE --out RESULTS.jsonl` runs it"),
            Kind::Prediction => ("a prediction", "`corun predict FILE` works it out"),
            Kind::Result => ("a result", "`corun show FILE` prints it"),
            Kind::Results => ("results of a sweep", "`corun show FILE` prints them"),
            Kind::Timeline => ("a timeline", "https://ui.perfetto.dev shows it"),
            Kind::Launches => ("launches of a real program", "`corun import timeline FILE` prints them"),
            Kind::Row => ("a row of a store", "`--store FOLDER` reads it"),
            Kind::Script => ("a script", "`corun run EXPERIMENT --script FILE` runs it"),
            Kind::Kernel => ("a kernel", "it belongs into the `kernels` of an experiment"),
            Kind::Times => ("times of a GPU", "`corun silicon FILE` reads them"),
            Kind::Recording => ("a recording of kernels", "`corun show FILE` prints what is in it"),
        }
    }

    /// What a JSON text is, as far as its outermost fields say so.
    pub fn of(value: &Value) -> Option<Kind> {
        let has = |keys: &[&str]| keys.iter().all(|key| value.get(key).is_some());
        let marks: &[(Kind, &[&str])] = &[
            (Kind::Sweep, &["sweep", "corun"]),
            (Kind::Prediction, &["predict"]),
            (Kind::Results, &["index", "points", "result"]),
            (Kind::Result, &["digest", "cycles", "kernels"]),
            (Kind::Timeline, &["traceEvents"]),
            (Kind::Launches, &["corun_timeline"]),
            (Kind::Row, &["behaviour", "key", "outcome"]),
            (Kind::Experiment, &["kernels", "corun"]),
            (Kind::Kernel, &["launches", "arrays"]),
        ];
        marks.iter().find(|(_, keys)| has(keys)).map(|(kind, _)| *kind)
    }

    /// What a text is that is no JSON as a whole.
    pub fn of_text(file: &str, text: &str) -> Option<Kind> {
        if file.ends_with(".rhai") {
            return Some(Kind::Script);
        }
        if text.starts_with("# corun silicon") {
            return Some(Kind::Times);
        }
        let first: Value = serde_json::from_str(text.lines().next()?).ok()?;
        Kind::of(&first).filter(|kind| *kind == Kind::Results)
    }

    /// The problem that a file is of this kind and not of another.
    pub fn instead_of(self, wanted: Kind) -> Problems {
        wanted.but_found(self.words())
    }

    fn but_found(self, (found, takes): (&str, &str)) -> Problems {
        problem("(file)", found, &format!("{}; {takes}", self.words().0))
    }
}

/// The problem that a file is another tool's, if it is known by its first bytes or its name; of a packed one, by what is in it. A script may have any words.
pub fn of_another_tool(file: &str, head: &[u8], wanted: Kind) -> Option<Problems> {
    if Kind::of_text(file, "") == Some(Kind::Script) {
        return None;
    }
    if unpack::kind(head) == Some(unpack::Kind::Recording) {
        return Some(Kind::Recording.instead_of(wanted));
    }
    let mut unpacked = Vec::new();
    // Of what is cut off at the end, the beginning is known all the same.
    let _ = GzDecoder::new(head).take(LOOKED_AT as u64).read_to_end(&mut unpacked);
    let packed = recognise(&unpacked);
    let foreign = packed.or_else(|| recognise(head)).or_else(|| named(file))?;
    let what = if packed.is_some() { format!("{}, packed with gzip", foreign.what) } else { foreign.what.to_owned() };
    Some(wanted.but_found((&what, foreign.takes)))
}

/// Refuses a file that is known to be of another kind.
pub fn must_be(wanted: Kind, value: &Value) -> Result<(), Problems> {
    match Kind::of(value) {
        Some(kind) if kind != wanted => Err(kind.instead_of(wanted)),
        _ => Ok(()),
    }
}
