//! The figures of a paper, each point with the runs that it is made of. Data: papers/NAME/figures.toml.
//!
//! A figure has series and categories. A point is what its series says of it, else its category, else the figure:
//!
//! - `path`, `of`, `mixes` (`sms`), and `over` for a quotient: a metric under a scheme, over the mixes, as measures have them. `with` are
//!   modifiers of the scheme. `reduce` is `mean`, or `share` with `at_least` and `below`, if it is not to be the geometric mean. With
//!   `where = path` only the mixes in which that is within these bounds; no point if there are none.
//! - `call`: what the paper's own code computes from the words of all three, as in measures. `shown` names it for people.
//! - `window`: a column of the windows of one run, a point for each of the first `most`.
//! - `paper`, of a series: for each category the claim that has what the paper prints there. Or a table of such claims, each under its
//!   category's name; of a sorted series `least` and `greatest`.
//!
//! A series without a name has its scheme's title. `each` in place of categories: one for each mix of these. With `sorted = true` there are
//! no categories: each series has its own points in the order of their values, from the least. `sim_core::study::figure` has the format
//! that comes out, and computes and draws it.

use crate::engine::measures::Measures;
use crate::engine::paper::claims::Claim;
use crate::engine::paper::mix::Mix;
use crate::engine::paper::read::list;
use crate::engine::paper::words::{Bounds, merged};
use crate::engine::runs::{Results, Run, Runs, SHORT};
use crate::engine::verdict::number;
use corun_lab::problem;
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::study::figure::{Figure, Kind, Label, Measure, Point, Reduce};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;

/// A figure as its file has it.
#[derive(Debug)]
pub struct FigurePlan {
    pub id: String,
    pub title: String,
    source: String,
    kind: Kind,
    x: String,
    y: (String, String),
    series: Vec<Value>,
    categories: Vec<Value>,
    sorted: bool,
    /// What holds for all points.
    all: Value,
}

/// Reads figures.toml.
pub fn read(text: &str) -> Result<Vec<FigurePlan>, Problems> {
    let value: Value = toml::from_str(text).map_err(|error| problem("figures.toml", error, "TOML"))?;
    let mut problems = Problems::default();
    let mut plans = Vec::new();
    for (i, item) in list(value.get("figure")).iter().enumerate() {
        match FigurePlan::of(item) {
            Some(plan) => plans.push(plan),
            None => problems.add(format!("figure[{i}]"), item.describe(), "id, title, source, kind, x, y = [label, unit] and series"),
        }
    }
    problems.or(plans)
}

impl FigurePlan {
    fn of(value: &Value) -> Option<FigurePlan> {
        let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
        let [label, unit] = list(value.get("y")) else { return None };
        let series = list(value.get("series")).to_vec();
        (!series.is_empty()).then_some(FigurePlan {
            id: text("id")?,
            title: text("title")?,
            source: text("source")?,
            kind: match text("kind")?.as_str() {
                "bars" => Kind::Bars,
                "lines" => Kind::Lines,
                "shares" => Kind::Shares,
                _ => return None,
            },
            x: text("x")?,
            y: (label.as_str()?.to_owned(), unit.as_str()?.to_owned()),
            series,
            categories: list(value.get("categories")).to_vec(),
            sorted: value.get("sorted") == Some(&Value::Bool(true)),
            all: value.clone(),
        })
    }
}

/// Every figure, and the runs that their points name by place.
pub fn all(measures: &Measures, plans: &[FigurePlan], claims: &[Claim]) -> (Vec<Figure>, Vec<Rc<Run>>) {
    let mut drawing = Drawing { measures, runs: &measures.runs, claims, placed: Vec::new(), places: BTreeMap::new() };
    let figures = plans.iter().map(|plan| drawing.figure(plan)).collect();
    (figures, drawing.placed)
}

/// Computes the points' values; those that are given stand.
pub fn fill(figures: &mut [Figure], results: &Results, placed: &[Rc<Run>]) {
    let results: Vec<Value> = placed.iter().map(|run| results.of(run).map_or(Value::Null, |result| (*result).clone())).collect();
    for figure in figures {
        let values = figure.values(&results);
        figure.points.iter_mut().zip(values).for_each(|(point, value)| point.value = value);
    }
}

/// Puts the points of sorted figures in the order of their values, those without one last. The ends of a series have what the paper prints.
pub fn sort(figures: &mut [Figure], plans: &[FigurePlan], claims: &[Claim]) {
    let value = |point: &Point| point.value.unwrap_or(f64::INFINITY);
    for (figure, plan) in figures.iter_mut().zip(plans).filter(|(_, plan)| plan.sorted) {
        figure.points.sort_by(|a, b| a.series.cmp(&b.series).then(value(a).total_cmp(&value(b))));
        let mut place = 0.0;
        for i in 0..figure.points.len() {
            place = if i > 0 && figure.points[i].series == figure.points[i - 1].series { place + 1.0 } else { 1.0 };
            figure.points[i].x = place;
        }
        for (series, words) in plan.series.iter().enumerate() {
            let valued = || figure.points.iter().enumerate().filter(|(_, point)| point.series == series && point.value.is_some());
            for (end, at) in [("least", valued().next()), ("greatest", valued().next_back())].map(|(end, at)| (end, at.map(|(i, _)| i))) {
                let claim = words.get("paper").and_then(|ends| ends.get(end)?.as_str());
                if let (Some(claim), Some(i)) = (claim, at) {
                    figure.points[i].paper = printed(claims, claim);
                }
            }
        }
    }
}

/// A figure's values as Markdown, each with what the paper prints there.
pub fn markdown(figure: &Figure) -> String {
    let mut text = format!("## {} ({})\n\n", figure.title, figure.source);
    let _ = writeln!(text, "| {} | {} |\n| --- |{}", figure.x.label, figure.series.join(" | "), " --: |".repeat(figure.series.len()));
    let scale = if figure.y.unit == "%" { 100.0 } else { 1.0 };
    let shown = |value: Option<f64>| value.map_or("–".to_owned(), |value| number(value * scale));
    let mut places: Vec<f64> = figure.points.iter().map(|point| point.x).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    for place in places {
        let field = |series: usize| {
            let at = |point: &&Point| point.series == series && point.x.total_cmp(&place).is_eq();
            let Some(point) = figure.points.iter().find(at) else { return String::new() };
            let paper = point.paper.map_or(String::new(), |paper| format!(" (paper {})", shown(Some(paper))));
            format!("{}{paper}", shown(point.value))
        };
        let fields: Vec<String> = (0..figure.series.len()).map(field).collect();
        let name = figure.categories.get(place as usize).cloned().unwrap_or_else(|| number(place));
        let _ = writeln!(text, "| {name} | {} |", fields.join(" | "));
    }
    let _ =
        writeln!(text, "\n{}{}.", figure.y.label, if figure.y.unit.is_empty() { String::new() } else { format!(", {}", figure.y.unit) });
    text
}

/// Figures in the making, with the runs that they are made of, each once.
struct Drawing<'a> {
    measures: &'a Measures,
    runs: &'a Runs,
    claims: &'a [Claim],
    placed: Vec<Rc<Run>>,
    places: BTreeMap<String, usize>,
}

/// What is said of a point: by its series, else by its category, else by the figure.
struct Words<'a>([&'a Value; 3]);

impl<'a> Words<'a> {
    fn get(&self, key: &str) -> Option<&'a Value> {
        self.0.iter().find_map(|words| words.get(key))
    }

    fn text(&self, key: &str) -> &'a str {
        self.get(key).and_then(Value::as_str).unwrap_or("")
    }

    /// Those of the first that gives any.
    fn bounds(&self) -> Bounds {
        self.0.iter().map(|words| Bounds::of(words)).find(|bounds| *bounds != Bounds::default()).unwrap_or_default()
    }
}

impl Drawing<'_> {
    fn figure(&mut self, plan: &FigurePlan) -> Figure {
        let mut categories = plan.categories.clone();
        for mixes in list(plan.all.get("each")).iter().filter_map(Value::as_str) {
            // Each stands under its own name, of which the study does not know how long it is measured.
            let brief = self.runs.study.is_short(mixes, std::iter::empty());
            let named = |mix: Mix| {
                let name = Value::from(mix.join("+"));
                Value::object([("name", name.clone()), ("mixes", name), ("brief", brief.into())])
            };
            categories.extend(self.runs.study.mixes.named(mixes).into_iter().map(named));
        }
        let mut points = Vec::new();
        for (place, series) in plan.series.iter().enumerate() {
            if series.get("window").is_some() {
                points.extend(self.windows(place, &Words([series, &Value::Null, &plan.all])));
            }
            for (x, category) in categories.iter().enumerate() {
                let words = Words([series, category, &plan.all]);
                let point = if words.get("call").is_some() { self.computed(place, x, &words) } else { self.point(place, x, &words) };
                let Some(mut point) = point else { continue };
                let named = category.get("name").and_then(Value::as_str).unwrap_or("");
                let claim = series.get("paper").and_then(|claims| claims.get(named).or(list(Some(claims)).get(x))?.as_str());
                point.paper = claim.and_then(|claim| printed(self.claims, claim));
                points.push(point);
            }
        }
        // What most points share stands with the figure.
        let measure = points.iter().find(|point| !point.runs.is_empty()).or(points.first()).and_then(|point| point.measure.clone());
        let measure = measure.unwrap_or(Measure { path: "metrics.hspeedup".into(), reduce: Reduce::Value });
        for point in &mut points {
            point.measure = point.measure.take().filter(|own| *own != measure);
        }
        Figure {
            id: plan.id.clone(),
            title: plan.title.clone(),
            source: plan.source.clone(),
            kind: plan.kind,
            x: Label { label: plan.x.clone(), unit: String::new() },
            y: Label { label: plan.y.0.clone(), unit: plan.y.1.clone() },
            series: plan.series.iter().map(|series| self.name(series)).collect(),
            categories: categories.iter().filter(|_| !plan.sorted).map(|category| self.name(category)).collect(),
            measure,
            points,
            differs: String::new(),
        }
    }

    /// Its name, or else its scheme's title.
    fn name(&self, words: &Value) -> String {
        let text = |key: &str| words.get(key).and_then(Value::as_str);
        text("name").unwrap_or_else(|| text("of").map_or("", |scheme| self.runs.study.title(scheme))).to_owned()
    }

    /// The place of a run, which is asked for.
    fn place(&mut self, run: Option<Rc<Run>>) -> Option<usize> {
        let run = run?;
        self.runs.results.of(&run)?;
        let placed = &mut self.placed;
        Some(*self.places.entry(run.compared()).or_insert_with(|| {
            placed.push(run);
            placed.len() - 1
        }))
    }

    /// The places of a scheme's runs of the mixes, and where in them the number stands; no places while a run is missing.
    fn scheme(&mut self, mixes: &[Mix], scheme: &str, path: &str) -> (Option<Vec<usize>>, String) {
        let mut at = String::new();
        let places: Vec<Option<usize>> = mixes
            .iter()
            .map(|mix| {
                let (run, path) = self.runs.locate(mix, scheme, path)?;
                at = path;
                self.place(Some(run))
            })
            .collect();
        (places.into_iter().collect(), at)
    }

    /// A point over mixes; without runs while some are missing, and none over no mix.
    fn point(&mut self, series: usize, x: usize, words: &Words) -> Option<Point> {
        let mixes = match words.get("sms").and_then(Value::as_int) {
            Some(sms) => self.runs.study.mixes.named(&format!("{}:{sms}", words.text("mixes"))),
            None => self.runs.study.mixes.named(words.text("mixes")),
        };
        let path = words.text("path");
        let schemes = ["of", "over"].into_iter().filter_map(|key| words.get(key)?.as_str());
        let brief = words.get("brief") == Some(&true.into());
        let short = if brief || self.runs.study.is_short(words.text("mixes"), schemes) { SHORT } else { "" };
        let scheme = format!("{} {} {short}", words.text("of"), words.text("with"));
        let bounds = words.bounds();
        let mixes = match words.text("where") {
            "" => mixes,
            // While results are missing, all of them.
            at => self.runs.within(mixes.clone(), &[scheme.trim_end()], at, bounds).unwrap_or(mixes),
        };
        if mixes.is_empty() {
            return None;
        }
        let (runs, at) = self.scheme(&mixes, scheme.trim_end(), path);
        let over = words.get("over").and_then(Value::as_str).map(|over| format!("{over} {short}"));
        let baseline = over.map(|over| self.scheme(&mixes, over.trim_end(), path).0);
        let reduce = match words.text("reduce") {
            "share" => Reduce::Share { from: bounds.at_least.unwrap_or(f64::NEG_INFINITY), to: bounds.below.unwrap_or(f64::INFINITY) },
            _ if mixes.len() == 1 => Reduce::Value,
            "mean" => Reduce::Mean,
            _ => Reduce::Geomean,
        };
        let mut point = empty(series, x as f64, Measure { path: at, reduce });
        if let (Some(runs), Some(baseline)) = (runs, baseline.unwrap_or(Some(Vec::new()))) {
            (point.runs, point.baseline) = (runs, baseline);
        }
        Some(point)
    }

    /// A point that the paper's own code computes, with all runs that it looks at. Without a value, no point.
    fn computed(&mut self, series: usize, x: usize, words: &Words) -> Option<Point> {
        let (value, asked) = self.runs.results.watch(|| self.measures.number(&merged(words.0)));
        let value = value?;
        let places: Vec<Option<usize>> = asked.runs().map(|run| self.place(Some(run))).collect();
        let runs = places.into_iter().collect::<Option<_>>()?;
        let measure = Measure { path: words.text("shown").to_owned(), reduce: Reduce::Given };
        Some(Point { value: Some(value), runs, ..empty(series, x as f64, measure) })
    }

    /// Windows of one run from the end of its warm-up on, as a series of points.
    fn windows(&mut self, series: usize, words: &Words) -> Vec<Point> {
        let mixes = self.runs.study.mixes.named(words.text("mixes"));
        let found = mixes.first().and_then(|mix| self.runs.windows(mix, words.text("of")));
        let Some((run, windows, skipped)) = found else { return Vec::new() };
        let Some(place) = self.place(Some(run)) else { return Vec::new() };
        let (column, most) = (words.text("window"), words.get("most").and_then(Value::as_int).unwrap_or(i64::MAX));
        let point = |(i, window): (usize, &Value)| {
            let start = window.get("start").and_then(Value::as_f64).unwrap_or(0.0);
            let measure = Measure { path: format!("windows[{}].{column}", skipped + i), reduce: Reduce::Value };
            Point { runs: vec![place], ..empty(series, start, measure) }
        };
        windows.iter().take(most.max(0) as usize).enumerate().map(point).collect()
    }
}

/// What the paper prints, by its claim; nothing where it prints no number.
fn printed(claims: &[Claim], claim: &str) -> Option<f64> {
    let claim = claims.iter().find(|other| other.id == claim && other.kind == "magnitude")?;
    let part = if claim.unit == "percent" { claim.value / 100.0 } else { claim.value };
    // Of gains and losses a figure shows the quotient.
    Some(match claim.measure.get("as").and_then(Value::as_str) {
        Some("percent_gained") => 1.0 + part,
        Some("percent_lost") => 1.0 - part,
        _ => part,
    })
}

fn empty(series: usize, x: f64, measure: Measure) -> Point {
    Point { series, x, value: None, ci95: None, paper: None, runs: Vec::new(), baseline: Vec::new(), measure: Some(measure) }
}
