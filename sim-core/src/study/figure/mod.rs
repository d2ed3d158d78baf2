//! Figures as data: what is drawn, and which runs make each point. The runner writes them, the page reads them, and both draw them here.
//!
//! ```text
//! { "id": "fig9", "title": "…", "source": "CCBP Fig. 9", "kind": "bars" | "lines" | "scatter" | "shares",
//!   "x": { "label": "…" }, "y": { "label": "…", "unit": "…" },
//!   "series": ["SMK", …], "categories": ["LS+BI", …],
//!   "measure": { "path": "metrics.hspeedup", "reduce": "geomean" | "mean" | "max" | "value" | "share" | "given", "from": 0.95, "to": 1 },
//!   "points": [ { "series": 0, "x": 0, "value": 1.2, "paper": 1.0, "runs": [3, 4], "baseline": [7, 8], "measure": {…} } ],
//!   "differs": "…" }
//! ```
//!
//! A point's value is `reduce` over i of `path` in the result of `runs[i]`, divided by `path` in the result of `baseline[i]` where there is a
//! baseline. `runs` and `baseline` are places in the list of runs that stands beside the figures. A path is as in `kernels[0].latency.mean`;
//! `windows[12].kernels[0].noc_utilisation` is a window of 400 cycles ([`crate::run::windows::Windows::to_value`]). `share` is the part of the values
//! that are at least `from` and less than `to`; either may be left out. `given` is the value as the report computed it from these runs, by more than a
//! path can say (the path names it): it stands, and is not computed again.
//!
//! With `categories`, `x` is the place of one. `shares` are stacked, in the order of the series. Where the unit is `%`, values are fractions.

mod axis;
mod draw;
mod evaluate;
mod svg;

pub use draw::{Options, draw};
pub use evaluate::{lookup, reduce};

use crate::describe::decode::{Fields, choice, element, int, list, number, text};
use crate::describe::error::Problems;
use crate::describe::value::Value;
use alloc::string::String;
use alloc::vec::Vec;

/// Most points of a figure.
pub const MAX_POINTS: usize = 20_000;

/// Most runs behind a point.
pub const MAX_RUNS: usize = 10_000;

/// How values are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A bar for each series in each category.
    Bars,
    /// A line for each series.
    Lines,
    /// A mark for each point.
    Scatter,
    /// The series of a category on top of each other.
    Shares,
}

const KINDS: [&str; 4] = ["bars", "lines", "scatter", "shares"];

/// How the runs of a point become one value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Reduce {
    /// Geometric mean; nothing where a value is not positive.
    Geomean,
    /// Arithmetic mean.
    Mean,
    /// Greatest.
    Max,
    /// The only one.
    Value,
    /// The part of them that are at least `from` and less than `to`.
    Share {
        /// Values from there on count.
        from: f64,
        /// Values below it do.
        to: f64,
    },
    /// What the report computed from them: the stored value stands.
    Given,
}

const REDUCES: [&str; 6] = ["geomean", "mean", "max", "value", "share", "given"];

impl Reduce {
    fn key(self) -> &'static str {
        match self {
            Reduce::Geomean => "geomean",
            Reduce::Mean => "mean",
            Reduce::Max => "max",
            Reduce::Value => "value",
            Reduce::Share { .. } => "share",
            Reduce::Given => "given",
        }
    }
}

/// What is read from a run's result, and how runs are put together.
#[derive(Clone, PartialEq, Debug)]
pub struct Measure {
    /// Where the number stands in a result.
    pub path: String,
    /// How several become one.
    pub reduce: Reduce,
}

/// An axis: what it shows and in which unit.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Label {
    /// Words.
    pub label: String,
    /// Unit; empty for plain numbers, `%` for fractions that are shown as percent.
    pub unit: String,
}

/// One mark.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// Place of its series.
    pub series: usize,
    /// Place of its category, or a number.
    pub x: f64,
    /// Its value; missing where its runs have none.
    pub value: Option<f64>,
    /// What the paper prints there.
    pub paper: Option<f64>,
    /// The runs that it is made of.
    pub runs: Vec<usize>,
    /// The runs that they are divided by, one for each; empty for none.
    pub baseline: Vec<usize>,
    /// How it is measured, where that differs from the figure's measure.
    pub measure: Option<Measure>,
}

/// A figure.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// A short name, for addresses and files.
    pub id: String,
    /// Heading.
    pub title: String,
    /// What it follows, such as `CCBP Fig. 9`.
    pub source: String,
    /// How it is drawn.
    pub kind: Kind,
    /// The horizontal axis.
    pub x: Label,
    /// The vertical axis.
    pub y: Label,
    /// Names of the series.
    pub series: Vec<String>,
    /// Names of the places along x; empty where x is a number.
    pub categories: Vec<String>,
    /// How points are measured.
    pub measure: Measure,
    /// The marks.
    pub points: Vec<Point>,
    /// Where and why it differs from the paper.
    pub differs: String,
}

impl Figure {
    /// Reads a figure at `path`; `None` if something is wrong with it, which is then among the problems.
    pub fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Figure> {
        let before = problems.0.len();
        let mut fields = Fields::of(value, path, "a figure: an object", problems)?;
        let id = need_text(&mut fields, "id", 60, problems);
        let title = need_text(&mut fields, "title", 200, problems);
        let source = fields.text("source", 400, problems).unwrap_or_default();
        let kind = fields.need("kind", "one of bars, lines, scatter, shares", problems);
        let kind = kind.and_then(|value| choice(value, &fields.path("kind"), &KINDS, problems));
        let x = label(fields.take("x"), &fields.path("x"), problems);
        let y = label(fields.take("y"), &fields.path("y"), problems);
        let series = names(&mut fields, "series", 1..=32, problems);
        let categories =
            if value.get("categories").is_some() { names(&mut fields, "categories", 1..=1000, problems) } else { Some(Vec::new()) };
        let at = fields.path("measure");
        let measure = fields.need("measure", WANT_MEASURE, problems).and_then(|value| Measure::decode(value, &at, problems));
        let at = fields.path("points");
        let points = fields.need("points", "a list of points", problems);
        let differs = fields.text("differs", 1000, problems).unwrap_or_default();
        fields.finish(problems);
        let (series, categories) = (series?, categories?);
        let points = list(points?, &at, 0..=MAX_POINTS, "points", problems)?;
        let points: Vec<Option<Point>> = points
            .iter()
            .enumerate()
            .map(|(i, point)| read_point(point, &element(&at, i), (series.len(), categories.len()), problems))
            .collect();
        let kind = [Kind::Bars, Kind::Lines, Kind::Scatter, Kind::Shares][kind?];
        if categories.is_empty() && matches!(kind, Kind::Bars | Kind::Shares) {
            problems.add(crate::describe::decode::field(path, "categories"), "nothing", "names along x, for bars and shares");
        }
        let points = points.into_iter().collect::<Option<_>>()?;
        let figure = Figure { id: id?, title: title?, source, kind, x: x?, y: y?, series, categories, measure: measure?, points, differs };
        (problems.0.len() == before).then_some(figure)
    }

    /// As it is written.
    pub fn encode(&self) -> Value {
        let mut pairs = alloc::vec![
            ("id", Value::from(self.id.as_str())),
            ("title", self.title.as_str().into()),
            ("source", self.source.as_str().into()),
            ("kind", KINDS[self.kind as usize].into()),
            ("x", self.x.encode()),
            ("y", self.y.encode()),
            ("series", Value::array(self.series.iter().map(String::as_str))),
        ];
        if !self.categories.is_empty() {
            pairs.push(("categories", Value::array(self.categories.iter().map(String::as_str))));
        }
        pairs.push(("measure", self.measure.encode()));
        pairs.push(("points", Value::array(self.points.iter().map(Point::encode))));
        pairs.push(("differs", self.differs.as_str().into()));
        Value::object(pairs)
    }

    /// The value of every point, in order, from the results of the runs; missing where a result is missing or has no such number. A given value stands.
    pub fn values(&self, results: &[Value]) -> Vec<Option<f64>> {
        let of = |runs: &[usize], i: usize, path: &str| lookup(results.get(*runs.get(i)?)?, path);
        let value = |point: &Point| {
            let measure = point.measure.as_ref().unwrap_or(&self.measure);
            if measure.reduce == Reduce::Given {
                return point.value;
            }
            let one = |i| {
                let value = of(&point.runs, i, &measure.path)?;
                if point.baseline.is_empty() { Some(value) } else { Some(value / of(&point.baseline, i, &measure.path)?) }
            };
            let each: Option<Vec<f64>> = (0..point.runs.len()).map(one).collect();
            reduce(measure.reduce, &each?)
        };
        self.points.iter().map(value).collect()
    }
}

const WANT_MEASURE: &str =
    "{\"path\": where the number stands in a result, \"reduce\": geomean, mean, max, value, given, or share with from or to}";

impl Measure {
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Measure> {
        let mut fields = Fields::of(value, path, WANT_MEASURE, problems)?;
        let place = need_text(&mut fields, "path", 200, problems);
        let reduce = fields.need("reduce", "geomean, mean, max, value, share or given", problems);
        let reduce = reduce.and_then(|value| choice(value, &fields.path("reduce"), &REDUCES, problems));
        let is_share = reduce == REDUCES.iter().position(|key| *key == "share");
        let mut bound = |key, none| match is_share.then(|| fields.take(key)).flatten() {
            Some(value) => number(value, &fields.path(key), -1e300..=1e300, problems),
            None => Some(none),
        };
        let (from, to) = (bound("from", f64::NEG_INFINITY), bound("to", f64::INFINITY));
        fields.finish(problems);
        let all = [Reduce::Geomean, Reduce::Mean, Reduce::Max, Reduce::Value, Reduce::Share { from: from?, to: to? }, Reduce::Given];
        Some(Measure { path: place?, reduce: all[reduce?] })
    }

    fn encode(&self) -> Value {
        let mut pairs = alloc::vec![("path", Value::from(self.path.as_str())), ("reduce", self.reduce.key().into())];
        if let Reduce::Share { from, to } = self.reduce {
            pairs.extend(
                [("from", from), ("to", to)].into_iter().filter(|bound| bound.1.is_finite()).map(|(key, bound)| (key, bound.into())),
            );
        }
        Value::object(pairs)
    }
}

impl Label {
    fn encode(&self) -> Value {
        let unit = (!self.unit.is_empty()).then_some(("unit", self.unit.as_str()));
        Value::object([("label", self.label.as_str())].into_iter().chain(unit))
    }
}

impl Point {
    fn encode(&self) -> Value {
        let places = |places: &[usize]| Value::array(places.iter().copied());
        let x = if self.x == libm::trunc(self.x) { Value::Int(self.x as i64) } else { self.x.into() };
        let mut pairs = alloc::vec![("series", Value::from(self.series)), ("x", x), ("value", self.value.into())];
        pairs.extend(self.paper.map(|paper| ("paper", paper.into())));
        pairs.push(("runs", places(&self.runs)));
        if !self.baseline.is_empty() {
            pairs.push(("baseline", places(&self.baseline)));
        }
        pairs.extend(self.measure.as_ref().map(|measure| ("measure", measure.encode())));
        Value::object(pairs)
    }
}

fn need_text(fields: &mut Fields, key: &'static str, longest: usize, problems: &mut Problems) -> Option<String> {
    let value = fields.need(key, "text", problems)?;
    text(value, &fields.path(key), longest, problems)
}

fn label(value: Option<&Value>, path: &str, problems: &mut Problems) -> Option<Label> {
    let Some(value) = value else { return Some(Label::default()) };
    let mut fields = Fields::of(value, path, "{\"label\": …, \"unit\": …}", problems)?;
    let label = fields.text("label", 200, problems).unwrap_or_default();
    let unit = fields.text("unit", 40, problems).unwrap_or_default();
    fields.finish(problems);
    Some(Label { label, unit })
}

fn names(fields: &mut Fields, key: &'static str, range: core::ops::RangeInclusive<usize>, problems: &mut Problems) -> Option<Vec<String>> {
    let value = fields.need(key, "a list of names", problems)?;
    let at = fields.path(key);
    let items = list(value, &at, range, "names", problems)?;
    items.iter().enumerate().map(|(i, item)| text(item, &element(&at, i), 80, problems)).collect()
}

fn read_point(value: &Value, path: &str, (series, categories): (usize, usize), problems: &mut Problems) -> Option<Point> {
    let mut fields = Fields::of(value, path, "a point: an object", problems)?;
    let place = fields.int("series", 0..=series as i64 - 1, None, problems);
    let x = fields.need("x", "a number", problems).and_then(|value| match categories {
        0 => number(value, &fields.path("x"), -1e300..=1e300, problems),
        n => int(value, &fields.path("x"), 0..=n as i64 - 1, problems).map(|n| n as f64),
    });
    let mut optional = |key| match fields.take(key) {
        None | Some(Value::Null) => Some(None),
        Some(value) => number(value, &fields.path(key), -1e300..=1e300, problems).map(Some),
    };
    let (value, paper) = (optional("value"), optional("paper"));
    let mut places = |key| match fields.take(key) {
        None => Some(Vec::new()),
        Some(value) => {
            let at = fields.path(key);
            let items = list(value, &at, 0..=MAX_RUNS, "runs", problems)?;
            items.iter().enumerate().map(|(i, item)| Some(int(item, &element(&at, i), 0..=1_000_000, problems)? as usize)).collect()
        }
    };
    let (runs, baseline): (Option<Vec<usize>>, Option<Vec<usize>>) = (places("runs"), places("baseline"));
    let at = fields.path("measure");
    let measure = match fields.take("measure") {
        None => Some(None),
        Some(value) => Measure::decode(value, &at, problems).map(Some),
    };
    fields.finish(problems);
    let (runs, baseline) = (runs?, baseline?);
    if !baseline.is_empty() && baseline.len() != runs.len() {
        problems.add(crate::describe::decode::field(path, "baseline"), baseline.len(), alloc::format!("{}, one for each run", runs.len()));
    }
    Some(Point { series: place? as usize, x: x?, value: value?, paper: paper?, runs, baseline, measure: measure? })
}

#[cfg(test)]
mod tests;
