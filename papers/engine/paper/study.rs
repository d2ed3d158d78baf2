//! What is run: lengths, classes of kernels, schemes, and the mixes that claims speak of. Data: papers/NAME/study.toml.

use super::mixes::{HELD_OUT, Mixes};
use super::mode::Mode;
use super::read::{list, table, texts};
use super::spaces::Space;
use super::tables::Table;
use corun_lab::problem;
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use std::collections::BTreeMap;

/// Millions of cycles a second that a core simulates of a pair on the machine of docs/reference/bench.md, about.
const SPEED: f64 = 0.8;

/// A scheme as data.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// Name in figures.
    pub title: String,
    /// The policy as an experiment writes it; `Null` for a search.
    pub policy: Value,
    /// The GPU, where it is not the study's: kernels alone, which metrics compare with, run on the study's all the same.
    pub gpu: Option<Value>,
    /// The order of warps, where it is not the study's.
    pub warp_order: Option<String>,
    /// The order of CTAs as an experiment writes it, where it is not the usual one.
    pub cta_order: Option<Value>,
    /// Which space is searched.
    pub search: Option<Space>,
    /// By which metric the best is chosen, whatever is asked of it; by what is asked, HSpeedup or weighted speedup, if left out.
    pub best: Option<String>,
    /// Schemes whose numbers of CTAs a search also tries at full length, whatever its rungs say of them.
    pub also: Vec<String>,
    /// Parameters that are filled with what the kernels do alone.
    pub fill: Vec<String>,
    /// Where the mode's `time_scale` goes.
    pub time_scale: Option<String>,
    /// Another scheme, and the parameter of its policy that this one takes over.
    pub take: Option<[String; 2]>,
}

/// Pairs and schemes that are also measured so many times as long, except in quick mode.
#[derive(Clone, Debug)]
pub struct Longer {
    pub times: u64,
    pub mixes: Vec<String>,
    pub schemes: Vec<String>,
}

/// What the report has besides claims and figures.
#[derive(Clone, Debug)]
pub struct Report {
    /// How it was run: a sentence each; `{cycles}` and the other names of a mode stand for its numbers.
    pub how: Vec<String>,
    /// Other answers to what claims `call`, whose errors stand beside ours: in words, and the name of the function.
    pub rivals: BTreeMap<String, String>,
    /// What the calibrations were to, each with a note on it.
    pub calibration: BTreeMap<String, String>,
    /// Mixes that are listed.
    pub listed: Vec<String>,
}

/// What is to come out in all.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Parts of the results that can be tested which are to be reproduced: directions, and magnitudes.
    pub directions: f64,
    pub magnitudes: f64,
    pub orders: Vec<Order>,
}

/// An order of schemes that is to come out on each of some mixes.
#[derive(Clone, Debug)]
pub struct Order {
    /// What it is by, where that is not plain.
    pub name: String,
    /// From the best to the worst.
    pub schemes: Vec<String>,
    /// A measure without its scheme and mixes.
    pub measure: Value,
    pub mixes: Vec<String>,
}

/// The study.
#[derive(Debug)]
pub struct Study {
    /// The paper's title and citation, and what experiments call it.
    pub title: String,
    pub citation: String,
    pub source: String,
    /// The GPU as an experiment writes it.
    pub gpu: Value,
    /// The order of warps where kernels run together.
    pub warp_order: String,
    /// That of kernels alone, where the paper has another one for them.
    pub alone_warp_order: Option<String>,
    /// Each kernel runs once, from cycle 0 to its end, and nothing is relative to kernels alone on all SMs: what a paper of latencies runs.
    /// Runs end with their last kernel, or after the mode's cycles.
    pub once: bool,
    /// What stands before a kernel's name in the library, and in no mix's.
    pub prefix: String,
    /// Millions of cycles of its runs that a core simulates in a second, about.
    pub speed: f64,
    pub seed: u64,
    /// `full`, `sample` or `quick`.
    pub mode_name: String,
    pub mode: Mode,
    pub mixes: Mixes,
    pub schemes: BTreeMap<String, Scheme>,
    pub tables: Vec<Table>,
    pub goal: Option<Goal>,
    /// Modifiers of every run: those of the mode first.
    pub everywhere: String,
    pub longer: Longer,
    pub report: Report,
    /// Paths that a modifier sets.
    modifiers: BTreeMap<String, String>,
    /// Mixes and schemes that are measured over the mode's own cycles, whatever kernels they have.
    pub short: Vec<String>,
}

impl Study {
    /// Reads the study's file.
    pub fn read(text: &str, mode: &str) -> Result<Study, Problems> {
        let value: Value = toml::from_str(text).map_err(|error| problem("study.toml", error, "TOML"))?;
        let wrong = || {
            problem(
                "study.toml",
                "a study with fields missing",
                "title, citation, source, gpu, seed, sets_seed, classes, order, pairs, sets, groups, mode, scheme, modifiers, longer, report",
            )
        };
        if value.get("mode").is_some_and(|modes| modes.get(mode).is_none()) {
            return Err(problem(&format!("--{mode}"), "a paper whose study has none", "another paper, or not this option"));
        }
        Self::of(&value, mode).ok_or_else(wrong)
    }

    fn of(value: &Value, mode_name: &str) -> Option<Study> {
        let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
        let mode = value.get("mode")?.get(mode_name)?;
        let everywhere = mode.get("everywhere").map_or(Some(String::new()), |changes| changes.as_str().map(str::to_owned));
        let mode = Mode::of(mode)?;
        let mixes = Mixes::of(value, &mode)?;
        let schemes = table(value.get("scheme")?, Scheme::of)?;
        let modifiers = table(value.get("modifiers")?, |path| Some(path.as_str()?.to_owned()))?;
        Some(Study {
            title: text("title")?,
            citation: text("citation")?,
            source: text("source")?,
            gpu: value.get("gpu")?.clone(),
            warp_order: value.get("warp_order").map_or(Some("lrr"), Value::as_str)?.to_owned(),
            alone_warp_order: value.get("alone_warp_order").and_then(Value::as_str).map(str::to_owned),
            prefix: value.get("prefix").map_or(Some(""), Value::as_str)?.to_owned(),
            speed: value.get("speed").map_or(Some(SPEED), Value::as_f64)?,
            once: value.get("once") == Some(&Value::Bool(true)),
            seed: u64::try_from(value.get("seed")?.as_int()?).ok()?,
            mode_name: mode_name.to_owned(),
            mode,
            mixes,
            schemes,
            tables: list(value.get("table")).iter().map(Table::of).collect::<Option<_>>()?,
            goal: value.get("goal").map_or(Some(None), |goal| Goal::of(goal).map(Some))?,
            everywhere: everywhere?,
            longer: Longer::of(value.get("longer")?)?,
            report: Report::of(value.get("report")?)?,
            modifiers,
            short: value.get("short").map_or(Some(Vec::new()), texts)?,
        })
    }

    /// Whether mixes are measured over the mode's own cycles under all of these schemes. They are in studies of single parameters, and
    /// where one of these names, or the mixes', is among those that are `short`.
    pub fn is_short<'s>(&self, mixes: &str, mut schemes: impl Iterator<Item = &'s str>) -> bool {
        let is_listed = |name: &str| name.split([' ', '(']).next().is_some_and(|name| self.short.iter().any(|short| short == name));
        let mixes = mixes.trim_start_matches(HELD_OUT);
        ["some ", "few "].iter().any(|word| mixes.starts_with(word)) || is_listed(mixes) || schemes.any(is_listed)
    }

    /// What a modifier sets: by its name, or the path itself.
    pub fn path<'s>(&'s self, key: &'s str) -> Option<&'s str> {
        self.modifiers.get(key).map(String::as_str).or_else(|| Some(key).filter(|key| key.contains('.')))
    }

    /// A modifier of one kernel: which, and what of it.
    pub fn kernel_field<'k>(&self, key: &'k str) -> Option<(&'k str, &'k str)> {
        key.split_once('.').filter(|(name, _)| self.mixes.classes.iter().any(|(_, kernels)| kernels.iter().any(|kernel| kernel == name)))
    }

    /// A scheme's name in figures.
    pub fn title<'s>(&'s self, scheme: &'s str) -> &'s str {
        self.schemes.get(scheme).map_or(scheme, |scheme| &scheme.title)
    }
}

impl Scheme {
    fn of(value: &Value) -> Option<Scheme> {
        Some(Scheme {
            title: value.get("title")?.as_str()?.to_owned(),
            policy: value.get("policy").cloned().unwrap_or_default(),
            gpu: value.get("gpu").cloned(),
            warp_order: value.get("warp_order").map_or(Some(None), |order| order.as_str().map(|order| Some(order.to_owned())))?,
            cta_order: value.get("cta_order").cloned(),
            search: value.get("search").map_or(Some(None), |name| Space::named(name.as_str()?).map(Some))?,
            best: value.get("best").map_or(Some(None), |best| best.as_str().map(|best| Some(best.to_owned())))?,
            also: value.get("also").map_or(Some(Vec::new()), texts)?,
            fill: value.get("fill").map_or(Some(Vec::new()), texts)?,
            time_scale: value.get("time_scale").and_then(Value::as_str).map(str::to_owned),
            take: value.get("take").and_then(|take| texts(take)?.try_into().ok()),
        })
    }
}

impl Longer {
    fn of(value: &Value) -> Option<Longer> {
        let times = u64::try_from(value.get("times")?.as_int()?).ok()?;
        Some(Longer { times, mixes: texts(value.get("mixes")?)?, schemes: texts(value.get("schemes")?)? })
    }
}

impl Report {
    fn of(value: &Value) -> Option<Report> {
        let list = |key: &str| texts(value.get(key)?);
        Some(Report {
            how: list("how")?,
            rivals: value.get("rivals").map_or(Some(BTreeMap::new()), |rivals| table(rivals, |call| Some(call.as_str()?.to_owned())))?,
            calibration: table(value.get("calibration")?, |note| Some(note.as_str()?.to_owned()))?,
            listed: list("listed")?,
        })
    }
}

impl Goal {
    fn of(value: &Value) -> Option<Goal> {
        let part = |key: &str| value.get(key)?.as_f64();
        Some(Goal {
            directions: part("directions")?,
            magnitudes: part("magnitudes")?,
            orders: list(value.get("orders")).iter().map(Order::of).collect::<Option<_>>()?,
        })
    }
}

impl Order {
    fn of(value: &Value) -> Option<Order> {
        Some(Order {
            name: value.get("name").map_or(Some(""), Value::as_str)?.to_owned(),
            schemes: texts(value.get("schemes")?)?,
            measure: value.get("measure")?.clone(),
            mixes: texts(value.get("mixes")?)?,
        })
    }
}
