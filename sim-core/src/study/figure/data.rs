//! A figure as it is written and read.

use super::evaluate::{Reduce, lookup, reduce};
use crate::describe::error::Problems;
use crate::describe::path::{element, field};
use crate::describe::record::Absent::{Name, Needed, Words};
use crate::describe::record::{Datum, Shape, choice, int, is_right, list, names, number, record, rule, text};
use crate::describe::value::Value;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Most points of a figure.
pub const MAX_POINTS: usize = 20_000;

/// Most runs behind a point.
pub const MAX_RUNS: usize = 10_000;

names! {
    /// How values are shown.
    pub enum Kind {
        /// A bar for each series in each category.
        Bars = "bars",
        /// A line for each series.
        Lines = "lines",
        /// A mark for each point.
        Scatter = "scatter",
        /// The series of a category on top of each other.
        Shares = "shares",
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

rule! {
    /// `from` and `to` stand with share alone.
    pub BOUNDS = "bounds";

    /// A point's series, and x where there are categories, are places in the figure's lists; bars and shares have categories; a baseline
    /// has a run for each run.
    pub PLACES = "places";
}

const ANY: Shape = number!(-1e300, 1e300);

record! {
    /// What of a result a point shows, and how the numbers of several runs become one.
    pub static MEASURE "Measure",
        "{\"path\": where the number stands in a result, \"reduce\": geomean, mean, max, value, given, or share with from or to}", rules [&BOUNDS];
    /// Where the number stands in a result.
    path = text!(200), Needed;
    /// How several become one.
    reduce = choice!("geomean", "mean", "max", "value", "share", "given"), Needed;
    /// With share: values from there on count.
    from = ANY, Words("no bound");
    /// With share: values below it count.
    to = ANY, Words("no bound");
}

record! {
    /// An axis: what it shows and in which unit.
    #[derive(Default)]
    pub struct Label as LABEL "AxisLabel", "{\"label\": …, \"unit\": …}";
    /// Words.
    label: String = text!(200), Name("");
    /// Unit; empty for plain numbers, `%` for fractions that are shown as percent.
    unit: String = text!(40), Name(""), sparse;
}

record! {
    /// A mark of a figure.
    pub static POINT "FigurePoint", "a point: an object";
    /// Place of its series.
    series = int!(0, 31), Needed;
    /// Place of its category, or a number.
    x = ANY, Needed;
    /// Its value; missing where its runs have none.
    value = Shape::Nullable(&ANY), Words("none");
    /// The 95 % interval of its value; shares show none.
    ci95 = Shape::Nullable(&list!(ANY, 2, 2, "ends of an interval")), Words("none");
    /// What the paper prints there.
    paper = Shape::Nullable(&ANY), Words("nothing");
    /// The runs that it is made of, as places in the list of runs beside the figures.
    runs = RUNS, Words("none");
    /// The runs that they are divided by, one for each.
    baseline = RUNS, Words("none");
    /// How it is measured.
    measure = Shape::Record(&MEASURE), Words("the figure's measure");
}

const RUNS: Shape = list!(int!(0, 1_000_000), 0, MAX_RUNS, "runs");

record! {
    /// A figure as data: what is drawn, and which runs make each point.
    pub struct Figure as FIGURE "Figure", "a figure: an object", rules [&BOUNDS, &PLACES];
    /// A short name, for addresses and files.
    id: String = text!(60), Needed;
    /// Heading.
    title: String = text!(200), Needed;
    /// What it follows, such as `CCBP Fig. 9`.
    source: String = text!(400), Name("");
    /// How it is drawn.
    kind: Kind = Shape::Choice(Kind::NAMES), Needed;
    /// The horizontal axis.
    x: Label = Shape::Record(&LABEL), Words("no words");
    /// The vertical axis.
    y: Label = Shape::Record(&LABEL), Words("no words");
    /// Names of the series.
    series: Vec<String> = list!(text!(80), 1, 32, "names"), Needed;
    /// Names of the places along x.
    categories: Vec<String> = list!(text!(80), 1, 1000, "names"), Words("x is a number"), sparse;
    /// How points are measured.
    measure: Measure = Shape::Record(&MEASURE), Needed;
    /// The marks.
    points: Vec<Point> = list!(Shape::Record(&POINT), 0, MAX_POINTS, "points"), Needed;
    /// Where and why it differs from the paper.
    differs: String = text!(1000), Name("");
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
    /// The 95 % interval of its value.
    pub ci95: Option<[f64; 2]>,
    /// What the paper prints there.
    pub paper: Option<f64>,
    /// The runs that it is made of.
    pub runs: Vec<usize>,
    /// The runs that they are divided by, one for each; empty for none.
    pub baseline: Vec<usize>,
    /// How it is measured, where that differs from the figure's measure.
    pub measure: Option<Measure>,
}

impl Figure {
    /// Reads a figure at `path`; `None` if something is wrong with it, which is then among the problems.
    pub fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Figure> {
        let before = problems.0.len();
        FIGURE.check(value, path, problems);
        let figure = Figure::read(value);
        let right = |key: &str, path: &str, problems: &Problems| is_right(&field(path, key), problems);
        let lists = right("series", path, problems) && right("categories", path, problems);
        if lists && right("kind", path, problems) && figure.categories.is_empty() && matches!(figure.kind, Kind::Bars | Kind::Shares) {
            problems.by(&PLACES, |problems| problems.add(field(path, "categories"), "nothing", "names along x, for bars and shares"));
        }
        let bounds = |measure: Option<&Value>, path: String, problems: &mut Problems| {
            let share = measure.and_then(|measure| measure.get("reduce")).and_then(Value::as_str) == Some("share");
            let bound = ["from", "to"].into_iter().find(|key| measure.is_some_and(|measure| measure.get(key).is_some()));
            if let Some(key) = bound.filter(|key| !share && is_right(&field(&path, key), problems)) {
                problems.by(&BOUNDS, |problems| problems.add(field(&path, key), "a bound without share", "none"));
            }
        };
        bounds(value.get("measure"), field(path, "measure"), problems);
        let points = value.get("points").map_or(&[][..], Value::items);
        for (i, (point, given)) in figure.points.iter().zip(points).enumerate() {
            let path = element(&field(path, "points"), i);
            bounds(given.get("measure"), field(&path, "measure"), problems);
            problems.by(&PLACES, |problems| {
                let place = |n: usize| format!("a whole number from 0 to {}", n - 1);
                if lists && right("series", &path, problems) && point.series >= figure.series.len() {
                    problems.add(field(&path, "series"), point.series, place(figure.series.len()));
                }
                let places = figure.categories.len();
                if lists
                    && right("x", &path, problems)
                    && places > 0
                    && !given.get("x").and_then(Value::as_int).is_some_and(|x| (0..places as i64).contains(&x))
                {
                    problems.add(field(&path, "x"), point.x, place(places));
                }
                if right("runs", &path, problems) && !point.baseline.is_empty() && point.baseline.len() != point.runs.len() {
                    problems.add(field(&path, "baseline"), point.baseline.len(), format!("{}, one for each run", point.runs.len()));
                }
            });
        }
        (problems.0.len() == before).then_some(figure)
    }

    /// As it is written.
    pub fn encode(&self) -> Value {
        self.write()
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

impl Datum for Measure {
    fn read(value: &Value) -> Self {
        let of = |key| MEASURE.taken(value, key);
        let bound = |key, none| Option::<f64>::read(&of(key)).unwrap_or(none);
        let reduce = match of("reduce").as_str() {
            Some("geomean") => Reduce::Geomean,
            Some("mean") => Reduce::Mean,
            Some("max") => Reduce::Max,
            Some("share") => Reduce::Share { from: bound("from", f64::NEG_INFINITY), to: bound("to", f64::INFINITY) },
            Some("given") => Reduce::Given,
            _ => Reduce::Value,
        };
        Measure { path: String::read(&of("path")), reduce }
    }

    fn write(&self) -> Value {
        let bounds = if let Reduce::Share { from, to } = self.reduce { alloc::vec![("from", from), ("to", to)] } else { Vec::new() };
        let bounds = bounds.into_iter().filter(|bound| bound.1.is_finite()).map(|(key, bound)| (key, Value::from(bound)));
        Value::object([("path", Value::from(self.path.as_str())), ("reduce", self.reduce.key().into())].into_iter().chain(bounds))
    }
}

impl Datum for Point {
    fn read(value: &Value) -> Self {
        let of = |key| POINT.taken(value, key);
        Point {
            series: Datum::read(&of("series")),
            x: Datum::read(&of("x")),
            value: Datum::read(&of("value")),
            ci95: Datum::read(&of("ci95")),
            paper: Datum::read(&of("paper")),
            runs: Datum::read(&of("runs")),
            baseline: Datum::read(&of("baseline")),
            measure: Datum::read(&of("measure")),
        }
    }

    fn write(&self) -> Value {
        let x = if self.x == libm::trunc(self.x) { Value::Int(self.x as i64) } else { self.x.into() };
        let mut pairs = alloc::vec![("series", self.series.write()), ("x", x), ("value", self.value.write())];
        pairs.extend(self.ci95.map(|ends| ("ci95", Value::array(ends))));
        pairs.extend(self.paper.map(|paper| ("paper", paper.into())));
        pairs.push(("runs", self.runs.write()));
        pairs.extend((!self.baseline.is_empty()).then(|| ("baseline", self.baseline.write())));
        pairs.extend(self.measure.as_ref().map(|measure| ("measure", measure.write())));
        Value::object(pairs)
    }
}
