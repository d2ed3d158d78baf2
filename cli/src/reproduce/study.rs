//! What is run: lengths, classes of kernels, schemes, and the mixes that claims speak of. Data: examples/papers/ccbp/study.toml.

use super::lab::Mix;
use crate::input::problem;
use sim_core::describe::error::Problems;
use sim_core::describe::rng::{below, mix};
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use std::collections::BTreeMap;

/// Lengths and sizes of a mode.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// Cycles before anything is measured.
    pub warm_up: u64,
    /// Cycles that are measured.
    pub cycles: u64,
    /// The same for runs of a search: of combinations, and of the spatial oracle, which has far more of them.
    pub combinations: (u64, u64),
    pub spatial: (u64, u64),
    /// Runs of a search that are repeated at full length, for each metric.
    pub finalists: usize,
    pairs: usize,
    sets: usize,
    /// How long CCBP's time-line is, of what is printed.
    pub time_scale: f64,
    /// How many mixes of each kind the studies of single parameters run.
    pub some: usize,
}

/// A scheme as data.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// Name in figures.
    pub title: String,
    /// The policy as an experiment writes it; `Null` for a search.
    pub policy: Value,
    /// Which space is searched: `combinations` or `spatial`.
    pub search: Option<String>,
    /// Parameters that are filled with what the kernels do alone.
    pub fill: Vec<String>,
}

/// The study.
#[derive(Debug)]
pub struct Study {
    /// The paper's title and citation.
    pub title: String,
    pub citation: String,
    /// The GPU as an experiment writes it.
    pub gpu: Value,
    pub seed: u64,
    pub sets_seed: u64,
    /// `full` or `quick`.
    pub mode_name: String,
    pub mode: Mode,
    /// Kernels of each class, in the order of the file.
    pub classes: Vec<(String, Vec<String>)>,
    pub schemes: BTreeMap<String, Scheme>,
    /// Readings of what the paper leaves open: words, a scheme, and what it is compared with.
    pub ablations: Vec<(String, String, String)>,
    /// Kernels with long phases: how many times longer runs with them are.
    pub long: BTreeMap<String, u64>,
    /// Schemes of which no claim speaks, for comparison.
    pub also: Vec<String>,
    /// Paths that a modifier sets.
    pub modifiers: BTreeMap<String, String>,
    pairs: Vec<(String, Mix)>,
    triples: Vec<Mix>,
    quads: Vec<Mix>,
}

/// The kinds of pairs, as the paper orders their kernels; same-bandwidth pairs are left out (CCBP §7.1).
const KINDS: [(&str, &str, &str); 4] = [("LS+LS", "LS", "LS"), ("LS+NBI", "LS", "NBI"), ("LS+DBI", "LS", "DBI"), ("NBI+DBI", "NBI", "DBI")];

impl Study {
    /// Reads the study's file.
    pub fn read(text: &str, mode: &str) -> Result<Study, Problems> {
        let value: Value = toml::from_str(text).map_err(|error| problem("study.toml", error, "TOML"))?;
        let wrong = || {
            problem("study.toml", "a study with fields missing", "title, citation, gpu, seed, sets_seed, classes, mode, scheme, modifiers")
        };
        Self::of(&value, mode).ok_or_else(wrong)
    }

    fn of(value: &Value, mode_name: &str) -> Option<Study> {
        let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
        let whole = |of: &Value, key: &str| u64::try_from(of.get(key)?.as_int()?).ok();
        let mode = value.get("mode")?.get(mode_name)?;
        let number = |key: &str| whole(mode, key);
        let mode = Mode {
            warm_up: number("warm_up")?,
            cycles: number("cycles")?,
            combinations: two(mode.get("combinations")?)?,
            spatial: two(mode.get("spatial")?)?,
            finalists: number("finalists")? as usize,
            pairs: number("pairs")? as usize,
            sets: number("sets")? as usize,
            some: number("some")? as usize,
            time_scale: mode.get("time_scale")?.as_f64()?,
        };
        let Value::Object(classes) = value.get("classes")? else { return None };
        let classes = classes.iter().map(|(name, kernels)| Some((name.clone(), texts(kernels)?))).collect::<Option<Vec<_>>>()?;
        let Value::Object(schemes) = value.get("scheme")? else { return None };
        let schemes = schemes.iter().map(|(name, scheme)| Some((name.clone(), Scheme::of(scheme)?))).collect::<Option<_>>()?;
        let Value::Object(modifiers) = value.get("modifiers")? else { return None };
        let modifiers = modifiers.iter().map(|(name, path)| Some((name.clone(), path.as_str()?.to_owned()))).collect::<Option<_>>()?;
        let Value::Object(long) = value.get("long")? else { return None };
        let long = long.iter().map(|(name, times)| Some((name.clone(), u64::try_from(times.as_int()?).ok()?))).collect::<Option<_>>()?;
        let mut study = Study {
            title: text("title")?,
            citation: text("citation")?,
            gpu: value.get("gpu")?.clone(),
            seed: whole(value, "seed")?,
            sets_seed: whole(value, "sets_seed")?,
            mode_name: mode_name.to_owned(),
            mode,
            classes,
            schemes,
            long,
            ablations: ablations(value.get("ablation"))?,
            also: texts(value.get("also")?)?,
            modifiers,
            pairs: Vec::new(),
            triples: Vec::new(),
            quads: Vec::new(),
        };
        study.pairs = study.sampled_pairs();
        study.triples = study.sets_of(3);
        study.quads = study.sets_of(4);
        Some(study)
    }

    /// The warm-up and the length of a mix's runs, from those of the mode.
    pub fn lengths(&self, mix: &[String], (warm_up, cycles): (u64, u64)) -> (u64, u64) {
        let times = mix.iter().filter_map(|kernel| self.long.get(kernel)).max().copied().unwrap_or(1);
        (warm_up, cycles * times)
    }

    /// Kernels of a class.
    pub fn class(&self, name: &str) -> &[String] {
        self.classes.iter().find(|(class, _)| class == name).map_or(&[], |(_, kernels)| kernels)
    }

    /// Every kernel.
    pub fn kernels(&self) -> Vec<String> {
        self.classes.iter().flat_map(|(_, kernels)| kernels.clone()).collect()
    }

    /// The class of a kernel.
    pub fn class_of(&self, kernel: &str) -> &str {
        self.classes.iter().find(|(_, kernels)| kernels.iter().any(|name| name == kernel)).map_or("", |(class, _)| class)
    }

    /// Every pair of the paper with its kind; the LS kernel first, then NBI before DBI.
    pub fn all_pairs(&self) -> Vec<(String, Mix)> {
        let mut pairs = Vec::new();
        for (kind, first, second) in KINDS {
            for (i, a) in self.class(first).iter().enumerate() {
                let others = self.class(second).iter().skip(if first == second { i + 1 } else { 0 });
                pairs.extend(others.map(|b| (kind.to_owned(), vec![a.clone(), b.clone()])));
            }
        }
        pairs
    }

    /// Those of them that the mode runs: of each kind its part, spread evenly over the kind.
    fn sampled_pairs(&self) -> Vec<(String, Mix)> {
        let all = self.all_pairs();
        let mut sampled = Vec::new();
        for (kind, ..) in KINDS {
            let of: Vec<_> = all.iter().filter(|pair| pair.0 == kind).cloned().collect();
            let wanted = (of.len() * self.mode.pairs).div_ceil(all.len());
            sampled.extend(spread(of, wanted));
        }
        sampled
    }

    /// So many distinct sets of distinct kernels, uniformly drawn (CCBP §7.4); a set of which an SM cannot hold a CTA of each is drawn again.
    fn sets_of(&self, kernels: usize) -> Vec<Mix> {
        let all = self.kernels();
        let mut sets: Vec<Mix> = Vec::new();
        for draw in 0..10_000_u64 {
            if sets.len() == self.mode.sets || kernels > all.len() {
                break;
            }
            let mut left: Vec<usize> = (0..all.len()).collect();
            let key = mix(mix(self.sets_seed, kernels as u64), draw);
            let mut set: Vec<usize> = (0..kernels).map(|i| left.remove(below(mix(key, i as u64), left.len() as u64) as usize)).collect();
            // LS kernels first, then NBI, DBI, as in pairs.
            set.sort_by_key(|&kernel| (["LS", "NBI", "DBI"].iter().position(|class| *class == self.class_of(&all[kernel])), kernel));
            let set: Mix = set.into_iter().map(|kernel| all[kernel].clone()).collect();
            if !sets.contains(&set) && self.fits(&set) {
                sets.push(set);
            }
        }
        sets
    }

    fn fits(&self, set: &Mix) -> bool {
        let kernels = Value::array(set.iter().map(String::as_str));
        let value = Value::object([("corun", Value::from(1)), ("gpu", self.gpu.clone()), ("kernels", kernels)]);
        Experiment::decode(&value).is_ok_and(|experiment| sim_core::study::oracle::fits_once(&experiment))
    }

    /// The mixes that a claim names: a class, kinds of pairs, sets, `some` of any of these, or one mix such as `BP+CFD`.
    pub fn mixes(&self, name: &str) -> Vec<Mix> {
        let pairs =
            |kinds: &[&str]| self.pairs.iter().filter(|(kind, _)| kinds.contains(&kind.as_str())).map(|(_, mix)| mix.clone()).collect();
        if let Some(kind) = name.strip_prefix("some ") {
            let mut some = spread(self.mixes(kind), self.mode.some);
            some.retain(|mix| mix.iter().all(|kernel| !self.long.contains_key(kernel)));
            return some;
        }
        let each = |classes: &[&str]| classes.iter().flat_map(|class| self.class(class)).map(|kernel| vec![kernel.clone()]).collect();
        match name {
            "pairs" => pairs(&["LS+LS", "LS+NBI", "LS+DBI", "NBI+DBI"]),
            "bandwidth" => pairs(&["LS+NBI", "LS+DBI", "NBI+DBI"]),
            "LS+BI" => pairs(&["LS+NBI", "LS+DBI"]),
            "LS+LS" | "LS+NBI" | "LS+DBI" | "NBI+DBI" => pairs(&[name]),
            "same" => ["NBI", "DBI"].iter().flat_map(|class| same(self.class(class))).collect(),
            "triples" => self.triples.clone(),
            "quads" => self.quads.clone(),
            "BI" => each(&["NBI", "DBI"]),
            "LS" | "NBI" | "DBI" => each(&[name]),
            mix => vec![mix.split('+').map(str::to_owned).collect()],
        }
    }
}

impl Scheme {
    fn of(value: &Value) -> Option<Scheme> {
        Some(Scheme {
            title: value.get("title")?.as_str()?.to_owned(),
            policy: value.get("policy").cloned().unwrap_or_default(),
            search: value.get("search").and_then(Value::as_str).map(str::to_owned),
            fill: value.get("fill").map_or(Some(Vec::new()), texts)?,
        })
    }
}

/// So many of a list, spread evenly over it; the step drifts, so that in rows of equal length not always the same column is taken.
fn spread<T: Clone>(all: Vec<T>, wanted: usize) -> Vec<T> {
    if wanted >= all.len() {
        return all;
    }
    (0..wanted).map(|i| all[(i * all.len() / wanted + i % (all.len() / wanted)) % all.len()].clone()).collect()
}

fn same(kernels: &[String]) -> Vec<Mix> {
    kernels.iter().enumerate().flat_map(|(i, a)| kernels[i + 1..].iter().map(|b| vec![a.clone(), b.clone()])).collect()
}

fn ablations(value: Option<&Value>) -> Option<Vec<(String, String, String)>> {
    let Some(Value::Object(rows)) = value else { return Some(Vec::new()) };
    let row = |(words, schemes): &(String, Value)| {
        let [scheme, over] = <[String; 2]>::try_from(texts(schemes)?).ok()?;
        Some((words.clone(), scheme, over))
    };
    let mut rows = rows.iter().map(row).collect::<Option<Vec<_>>>()?;
    // What is as usual comes first.
    rows.sort_by_key(|(_, scheme, _)| scheme.contains(' '));
    Some(rows)
}

/// A warm-up and a length.
fn two(value: &Value) -> Option<(u64, u64)> {
    let Value::Array(items) = value else { return None };
    let whole = |i: usize| u64::try_from(items.get(i)?.as_int()?).ok();
    Some((whole(0)?, whole(1)?))
}

fn texts(value: &Value) -> Option<Vec<String>> {
    let Value::Array(items) = value else { return None };
    items.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}
