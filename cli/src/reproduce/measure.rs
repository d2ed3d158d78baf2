//! How claims are measured. A measure sees runs and its own words in the ledger, never what the paper found. Its forms:
//!
//! - `{ gain = metric, of = scheme, over = scheme, mixes = … }`: the geometric mean over the mixes of the metric under one scheme over that
//!   under the other; `reduce = "max"` takes the greatest. Several schemes in `over`: the best of them.
//! - `{ level = metric, of = scheme, mixes = … }`: the mean; `reduce` as above or `geomean`, `times` scales it.
//! - `{ compare = metric, against = metric, of = scheme, mixes = … }`: the geometric mean of one metric over another of the same run.
//! - `{ call = name, … }`: a function of `functions.rs`.
//! - `{ test = "file::name" }`: a unit test that holds the exact numbers.
//! - `{ not_testable = why }`.
//!
//! A metric is `hspeedup`, `wspeedup` or a path in a result, `kernels[*]` standing for each kernel. Mixes are as `Study::mixes` reads them,
//! schemes as `Lab::run` and `Lab::value` do.

use super::functions;
use super::lab::{Lab, Mix};
use sim_core::describe::value::Value;
use sim_core::study::figure::{Reduce, reduce};

/// What a measure gives.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// A number; nothing while runs are missing, or where they have none.
    Value(Option<f64>),
    /// A unit test that shows it.
    Test(String),
    /// Why nothing can show it.
    NotTestable(String),
    /// The measure is not one of those above.
    Unknown(String),
}

/// The forms of a measure.
pub const FORMS: [&str; 6] = ["gain", "level", "compare", "call", "test", "not_testable"];

/// Measures.
pub fn measure(lab: &Lab, measure: &Value) -> Outcome {
    let args = Args { lab, measure };
    let form = |form: &'static str| Some((form, measure.get(form)?.as_str()?));
    match FORMS.into_iter().find_map(form) {
        Some(("gain", metric)) => Outcome::Value(args.gain(metric)),
        Some(("level", metric)) => Outcome::Value(args.level(metric)),
        Some(("compare", metric)) => Outcome::Value(args.compare(metric)),
        Some(("test", name)) => Outcome::Test(name.to_owned()),
        Some(("not_testable", why)) => Outcome::NotTestable(why.to_owned()),
        Some(("call", name)) => match functions::find(name) {
            Some(function) => Outcome::Value(function(&args)),
            None => Outcome::Unknown(format!("a function {name:?}")),
        },
        _ => Outcome::Unknown(measure.to_string()),
    }
}

/// A laboratory and the words of one measure.
#[derive(Clone, Copy, Debug)]
pub struct Args<'a> {
    pub lab: &'a Lab,
    measure: &'a Value,
}

impl<'a> Args<'a> {
    /// A word; empty if it is not there.
    pub fn text(&self, key: &str) -> &'a str {
        self.measure.get(key).and_then(Value::as_str).unwrap_or("")
    }

    /// A word or a list of them.
    pub fn texts(&self, key: &str) -> Vec<&'a str> {
        match self.measure.get(key) {
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
            Some(Value::Str(text)) => vec![text],
            _ => Vec::new(),
        }
    }

    /// A number.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.measure.get(key).and_then(Value::as_f64)
    }

    /// True if it says so.
    pub fn flag(&self, key: &str) -> bool {
        self.measure.get(key) == Some(&Value::Bool(true))
    }

    /// The mixes.
    pub fn mixes(&self) -> Vec<Mix> {
        self.lab.study.mixes(self.text("mixes"))
    }

    /// The first mix.
    pub fn mix(&self) -> Mix {
        self.mixes().into_iter().next().unwrap_or_default()
    }

    fn reduce(&self, default: Reduce) -> Reduce {
        match self.text("reduce") {
            "max" => Reduce::Max,
            "mean" => Reduce::Mean,
            "geomean" => Reduce::Geomean,
            _ => default,
        }
    }

    fn gain(&self, metric: &str) -> Option<f64> {
        let mixes = self.mixes();
        let gains: Vec<Option<f64>> = self
            .texts("over")
            .iter()
            .map(|over| gain(self.lab, metric, self.text("of"), over, &mixes, self.reduce(Reduce::Geomean)))
            .collect();
        // Over the best is the least gain.
        gains.into_iter().collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::min)
    }

    fn level(&self, metric: &str) -> Option<f64> {
        let values = self.lab.all(&self.mixes(), self.text("of"), metric)?;
        Some(reduce(self.reduce(Reduce::Mean), &values)? * self.number("times").unwrap_or(1.0))
    }

    fn compare(&self, metric: &str) -> Option<f64> {
        let of = |metric| self.lab.all(&self.mixes(), self.text("of"), metric);
        let (above, below) = (of(metric), of(self.text("against")));
        ratios(&above?, &below?, self.reduce(Reduce::Geomean))
    }
}

/// A metric under one scheme over that under another, reduced over the mixes.
pub fn gain(lab: &Lab, metric: &str, of: &str, over: &str, mixes: &[Mix], how: Reduce) -> Option<f64> {
    let (above, below) = (lab.all(mixes, of, metric), lab.all(mixes, over, metric));
    ratios(&above?, &below?, how)
}

/// Reduced ratios of pairs.
pub fn ratios(above: &[f64], below: &[f64], how: Reduce) -> Option<f64> {
    let ratios: Vec<f64> = above.iter().zip(below).map(|(a, b)| a / b).collect();
    reduce(how, &ratios)
}
