//! A sweep: many experiments from one file. The runner and the page read the same strict JSON:
//!
//! ```text
//! { "corun": 1,
//!   "sweep": {
//!     "name": "…", "source": "…",
//!     "base": an experiment, of which the axes may fill in what is missing,
//!     "axes": [
//!       { "path": "policy", "values": ["even", "spatial", { "name": "fixed", "combination": [2, 3] }] },
//!       { "path": "gpu.dram.mhz", "values": [462, 924, 1848] },
//!       { "zip": [ { "path": "kernels", "values": [["ccbp/BP", "ccbp/CFD"], ["ccbp/CFD", "ccbp/SAD"]] },
//!                  { "path": "stop.cycles", "values": [100000, 200000] } ] } ] } }
//! ```
//!
//! A path is what `corun run --set path=value` takes, a whole field (`gpu`, `kernels`, `policy`, `seed`) included. The points are the cross
//! product of the axes, as nested loops in the order of the file would visit them: the last axis turns fastest. The paths of a `zip` step
//! together. Where two paths overlap, the wider one must stand first, because axes change the base in their order.

use crate::describe::digest::{Fnv, hex};
use crate::describe::error::{ENOUGH, Problem, Problems};
use crate::describe::path::{element, field, within};
use crate::describe::record::Absent::{Name, Needed};
use crate::describe::record::{ANY_KEY, Datum, Pattern, Shape, int, list, record, rule, text};
use crate::describe::value::Value;
use crate::run::experiment::{Experiment, VERSION, set_path};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::hash::Hasher;

/// Most points of a sweep.
pub const MAX_POINTS: usize = 1_000_000;

/// Most axes, and most paths of a `zip`.
pub const MAX_AXES: usize = 16;

/// Most values of a path.
pub const MAX_VALUES: usize = 10_000;

rule! {
    /// Each path stands once, and before the paths inside it.
    pub WIDER_FIRST = "wider_first";

    /// The paths of a zip have equally many values.
    pub EQUAL_STEPS = "equal_steps";

    /// The axes make at most a million points.
    pub FEW_POINTS = "few_points";

    /// The first point is an experiment, and each that differs from it by one step of one axis.
    pub EACH_POINT = "each_point";
}

record! {
    /// A file with a sweep.
    pub static SWEEP_FILE "SweepFile", "a sweep: an object", rules [&WIDER_FIRST, &EQUAL_STEPS, &FEW_POINTS, &EACH_POINT];
    /// Version of the format.
    corun = int!(VERSION, VERSION), Needed;
    /// The sweep.
    sweep = Shape::Record(&SWEEP), Needed;
}

record! {
    /// Many experiments: a base and the fields that vary.
    pub static SWEEP "SweepBody", "{\"base\": an experiment, \"axes\": a list}";
    /// Name, for people.
    name = text!(200), Name("");
    /// What it reproduces or where it comes from.
    source = text!(400), Name("");
    /// An experiment, of which the axes may fill in what is missing.
    base = Shape::Map { keys: &ANY_KEY, of: &Shape::Any { want: "anything" }, want: "an experiment: an object" }, Needed;
    /// What varies: the points are the product of the axes, of which the last turns fastest.
    axes = list!(AXIS, 1, MAX_AXES, "axes"), Needed;
}

const WANT_AXIS: &str = "{\"path\": …, \"values\": […]} or {\"zip\": […]}";

const AXIS: Shape = Shape::Forms { of: &[Shape::Record(&ZIP), Shape::Record(&PATH)], want: WANT_AXIS };

record! {
    /// Paths that step together.
    pub static ZIP "Zip", WANT_AXIS, tag "zip";
    /// The paths.
    zip = list!(Shape::Record(&PATH), 1, MAX_AXES, "paths"), Needed;
}

record! {
    /// A field of the experiment and its values.
    pub static PATH "Path", WANT_AXIS;
    /// Where in the experiment, as `corun run --set` takes it: policy, kernels[0].ctas_per_sm, gpu.sm.count.
    path = Shape::Pattern(&A_PATH), Needed;
    /// What stands there, one after the other.
    values = list!(Shape::Any { want: "anything" }, 1, MAX_VALUES, "values"), Needed;
}

static A_PATH: Pattern = Pattern {
    regex: "^[!-~]{1,200}$",
    holds: |text| (1..=200).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_graphic()),
    want: "a path such as \"policy\" or \"gpu.sm.count\"",
};

/// Many experiments: a base and the fields that vary.
#[derive(Clone, PartialEq, Debug)]
pub struct Sweep {
    /// Name, for people.
    pub name: String,
    /// What it reproduces or where it comes from.
    pub source: String,
    base: Value,
    axes: Vec<Axis>,
    points: usize,
    hash: String,
}

/// What steps together: one path, or the paths of a `zip`.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// The paths that change, each with its values; equally many for each, and at least one.
    pub paths: Vec<(String, Vec<Value>)>,
    zip: bool,
}

impl Axis {
    /// How many steps it takes.
    pub fn steps(&self) -> usize {
        self.paths.first().map_or(0, |(_, values)| values.len())
    }
}

/// One experiment of a sweep.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// Its place in the sweep's order, from 0.
    pub index: usize,
    /// What the axes set, by path, in the order of the axes.
    pub axes: Vec<(String, Value)>,
    /// What to run.
    pub experiment: Experiment,
    /// The experiment of the point as JSON: the base with the axes' values.
    pub written: Value,
}

impl Sweep {
    /// Reads a sweep; on failure, everything that is wrong with it. Every value of every axis is tried once, with the first values of the
    /// other axes; a combination of values that cannot run is found by `point`.
    pub fn decode(value: &Value) -> Result<Sweep, Problems> {
        let mut problems = Problems::default();
        let Some(sweep) = Self::read(value, &mut problems).filter(|_| problems.0.is_empty()) else { return Err(problems) };
        problems.by(&EACH_POINT, |problems| sweep.try_each_value(problems));
        problems.or(sweep)
    }

    fn read(value: &Value, problems: &mut Problems) -> Option<Sweep> {
        if !SWEEP_FILE.check(value, "", problems) {
            return None;
        }
        let sweep = value.get("sweep")?;
        let (base, axes) = (sweep.get("base")?.clone(), sweep.get("axes")?);
        let mut hash = Fnv::default();
        hash.write(Value::object([("base", sorted(&base)), ("axes", sorted(axes))]).to_string().as_bytes());
        let axes = read_axes(axes, problems)?;
        let points = count(&axes, problems)?;
        let text = |key| String::read(&SWEEP.taken(sweep, key));
        Some(Sweep { name: text("name"), source: text("source"), base, axes, points, hash: hex(hash.finish()) })
    }

    /// Decodes the first point, and each point that differs from it by one step of one axis. So every value is checked once, in a time
    /// that grows with the sum of the axes, not with their product.
    fn try_each_value(&self, problems: &mut Problems) {
        let mut stride = self.points;
        let mut tried = alloc::vec![0];
        for axis in &self.axes {
            stride /= axis.steps();
            tried.extend((1..axis.steps()).map(|step| step * stride));
        }
        let mut seen = Vec::new();
        for index in tried {
            let Err(found) = self.point(index) else { continue };
            for problem in found.0 {
                let plain = Problem { found: without_point(&problem.found), ..problem.clone() };
                if seen.contains(&plain) {
                    continue;
                }
                seen.push(plain);
                problems.0.push(problem);
                if problems.0.len() >= ENOUGH {
                    return;
                }
            }
        }
    }

    /// How many points there are, at least one.
    pub fn points(&self) -> usize {
        self.points
    }

    /// What is varied, in order: the last axis turns fastest.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Sixteen hexadecimal digits that name the sweep: its base and axes as written, whatever the spelling of numbers and the order of fields.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The point with an index below `points()`; on failure, everything that is wrong with it, at the axis or at the base where it stands.
    pub fn point(&self, index: usize) -> Result<Point, Problems> {
        let steps = self.steps(index);
        let mut changed = self.base.clone();
        let mut axes = Vec::new();
        let mut problems = Problems::default();
        for (a, (axis, &step)) in self.axes.iter().zip(&steps).enumerate() {
            for (p, (path, values)) in axis.paths.iter().enumerate() {
                if let Err(found) = set_path(&mut changed, path, values[step].clone()) {
                    let at = field(&axis_path(a, axis.zip.then_some(p)), "path");
                    problems.0.extend(found.0.into_iter().map(|problem| Problem { path: at.clone(), ..problem }));
                }
                axes.push((path.clone(), values[step].clone()));
            }
        }
        problems.or(())?;
        match Experiment::decode(&changed) {
            Ok(experiment) => Ok(Point { index, axes, experiment, written: changed }),
            Err(found) => Err(Problems(found.0.into_iter().map(|problem| self.placed(problem, index, &steps)).collect())),
        }
    }

    /// The step of each axis at a point.
    fn steps(&self, index: usize) -> Vec<usize> {
        let mut rest = index;
        let mut steps: Vec<usize> = self
            .axes
            .iter()
            .rev()
            .map(|axis| {
                let step = rest % axis.steps();
                rest /= axis.steps();
                step
            })
            .collect();
        steps.reverse();
        steps
    }

    /// A problem of a point's experiment as a problem of the sweep's file: at the value that was set there last, or else at the base.
    fn placed(&self, problem: Problem, index: usize, steps: &[usize]) -> Problem {
        for (a, (axis, step)) in self.axes.iter().zip(steps).enumerate().rev() {
            for (p, (path, _)) in axis.paths.iter().enumerate().rev() {
                if let Some(rest) = within(&problem.path, path) {
                    let values = field(&axis_path(a, axis.zip.then_some(p)), "values");
                    return Problem { path: format!("{}{rest}", element(&values, *step)), ..problem };
                }
            }
        }
        let path = match problem.path.as_str() {
            "(whole)" => "sweep.base".into(),
            path if path.starts_with('[') => format!("sweep.base{path}"),
            path => format!("sweep.base.{path}"),
        };
        let found = if index == 0 { problem.found } else { format!("{}{IN_POINT}{index}", problem.found) };
        Problem { path, found, ..problem }
    }

    /// A point's line in a file of results. `result` is what `Simulation::result` gives: no wall-clock figures, so that equal points have
    /// equal lines.
    pub fn line(&self, point: &Point, result: Value) -> Value {
        Value::object([
            ("index", Value::from(point.index)),
            ("points", self.points.into()),
            ("sweep", self.hash.as_str().into()),
            ("axes", Value::Object(point.axes.clone())),
            ("config_hash", point.experiment.config_hash().into()),
            ("result", result),
        ])
    }
}

/// Between the value found in the base and the first point where it fails.
const IN_POINT: &str = ", in point ";

fn without_point(found: &str) -> String {
    found.rsplit_once(IN_POINT).map_or(found, |(plain, _)| plain).into()
}

fn axis_path(axis: usize, zipped: Option<usize>) -> String {
    let path = element("sweep.axes", axis);
    zipped.map_or(path.clone(), |part| element(&field(&path, "zip"), part))
}

fn read_axes(value: &Value, problems: &mut Problems) -> Option<Vec<Axis>> {
    let axes: Vec<Option<Axis>> = value.items().iter().enumerate().map(|(a, item)| read_axis(item, a, problems)).collect();
    let axes: Vec<Axis> = axes.into_iter().collect::<Option<_>>()?;
    let mut earlier: Vec<&str> = Vec::new();
    for (a, axis) in axes.iter().enumerate() {
        for (p, (path, _)) in axis.paths.iter().enumerate() {
            let at = field(&axis_path(a, axis.zip.then_some(p)), "path");
            problems.by(&WIDER_FIRST, |problems| {
                if earlier.contains(&path.as_str()) {
                    problems.add(at, format!("{path:?} a second time"), "each path once");
                } else if let Some(inner) = earlier.iter().find(|inner| within(inner, path).is_some()) {
                    problems.add(at, format!("{path:?} after {inner:?}, which it replaces"), "the wider path first");
                }
            });
            earlier.push(path);
        }
    }
    Some(axes)
}

fn read_axis(value: &Value, a: usize, problems: &mut Problems) -> Option<Axis> {
    let one = |part: &Value| (String::read(&PATH.taken(part, "path")), PATH.taken(part, "values").items().to_vec());
    let Some(parts) = value.get("zip") else { return Some(Axis { paths: alloc::vec![one(value)], zip: false }) };
    let paths: Vec<(String, Vec<Value>)> = parts.items().iter().map(one).collect();
    let steps = paths[0].1.len();
    for (p, (_, values)) in paths.iter().enumerate().filter(|(_, (_, values))| values.len() != steps) {
        let found = format!("a list of {}", values.len());
        let want = format!("{steps} values, as many as the first path of the zip has");
        problems.by(&EQUAL_STEPS, |problems| problems.add(field(&axis_path(a, Some(p)), "values"), found, want));
    }
    paths.iter().all(|(_, values)| values.len() == steps).then_some(Axis { paths, zip: true })
}

/// The product of the axes, if it is not too large.
fn count(axes: &[Axis], problems: &mut Problems) -> Option<usize> {
    let points = axes.iter().try_fold(1_usize, |points, axis| points.checked_mul(axis.steps())).filter(|points| *points <= MAX_POINTS);
    if points.is_none() {
        let steps = axes.iter().map(|axis| format!("{}", axis.steps())).collect::<Vec<_>>().join(" × ");
        problems.by(&FEW_POINTS, |problems| problems.add("sweep.axes", format!("{steps} points"), format!("at most {MAX_POINTS}")));
    }
    points
}

/// The value with the fields of objects in the order of their names, and whole numbers in one spelling.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::array(items.iter().map(sorted)),
        Value::Object(pairs) => {
            let mut pairs: Vec<(String, Value)> = pairs.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            pairs.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(pairs)
        }
        other => other.as_int().map_or_else(|| other.clone(), Value::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(path: &str, values: impl IntoIterator<Item = Value>) -> Value {
        Value::object([("path", Value::from(path)), ("values", Value::array(values))])
    }

    fn ints(values: &[i64]) -> Vec<Value> {
        values.iter().map(|n| (*n).into()).collect()
    }

    fn sweep(base: Vec<(&str, Value)>, axes: Vec<Value>) -> Value {
        let mut fields = alloc::vec![("corun", Value::from(1)), ("gpu", "tiny-2sm".into())];
        fields.extend(base);
        let sweep = Value::object([("base", Value::object(fields)), ("axes", axes.into())]);
        Value::object([("corun", Value::from(1)), ("sweep", sweep)])
    }

    fn mix() -> Vec<(&'static str, Value)> {
        alloc::vec![("kernels", Value::array(["ccbp/BP", "ccbp/SAD"]))]
    }

    fn problems(value: &Value) -> Vec<String> {
        Sweep::decode(value).expect_err("a bad sweep").0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_last_axis_turns_fastest_and_a_zip_steps_together() {
        let zip = Value::object([("zip", Value::array([axis("stop.cycles", ints(&[100, 200])), axis("gpu.sm.count", ints(&[1, 2]))]))]);
        let value = sweep(mix(), alloc::vec![axis("policy", ["even".into(), "spatial".into()]), zip, axis("seed", ints(&[7, 8, 9]))]);
        // A spatial split wants an SM for each kernel: a problem of one point is not one of the sweep.
        let sweep = Sweep::decode(&value).unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(sweep.points(), 12);
        let visited: Vec<String> = (0..12)
            .filter_map(|i| sweep.point(i).ok())
            .map(|p| format!("{} {} {} {}", p.index, p.experiment.policy.name(), p.experiment.gpu.sm_count(), p.experiment.seed))
            .collect();
        assert_eq!(visited[..4], ["0 even 1 7", "1 even 1 8", "2 even 1 9", "3 even 2 7"]);
        assert_eq!(visited.last().map(String::as_str), Some("11 spatial 2 9"));
        let point = sweep.point(4).unwrap();
        let axes = Value::Object(point.axes.clone()).to_string();
        assert_eq!(axes, r#"{"policy":"even","stop.cycles":200,"gpu.sm.count":2,"seed":8}"#);
    }

    #[test]
    fn the_hash_names_what_is_swept_and_not_how_it_is_spelt() {
        let hash = |value: &Value| Sweep::decode(value).unwrap().hash().to_string();
        let one = sweep(mix(), alloc::vec![axis("seed", ints(&[1, 2]))]);
        assert_eq!(hash(&one), hash(&sweep(mix(), alloc::vec![axis("seed", [Value::Float(1.0), Value::Float(2.0)])])));
        assert_ne!(hash(&one), hash(&sweep(mix(), alloc::vec![axis("seed", ints(&[2, 1]))])));
    }

    #[test]
    fn problems_stand_at_the_value_that_makes_them() {
        let value = sweep(mix(), alloc::vec![axis("policy", ["even".into(), "fair".into()]), axis("gpu.sm.count", ints(&[2, 0]))]);
        let found = problems(&value);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("sweep.axes[0].values[1].name: found \"fair\""), "{found:?}");
        assert!(found[1].starts_with("sweep.axes[1].values[1]: found 0"), "{found:?}");
        // A mistake in the base is reported once, however many points have it.
        let mut base = mix();
        base.push(("seeed", 1.into()));
        let found = problems(&sweep(base, alloc::vec![axis("policy", ["even".into(), "spatial".into()])]));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("sweep.base.seeed: found an unknown field"), "{found:?}");
        // A value that is wrong only together with the base.
        let mut base = mix();
        base.push(("policy", Value::object([("name", Value::from("fixed")), ("combination", Value::array([1, 1]))])));
        let mixes = axis("kernels", [Value::array(["ccbp/BP", "ccbp/SAD"]), Value::array(["ccbp/BP", "ccbp/SAD", "ccbp/CFD"])]);
        let found = problems(&sweep(base, alloc::vec![mixes]));
        assert!(found.len() == 1 && found[0].starts_with("sweep.base.policy.combination: found "), "{found:?}");
        assert!(found[0].contains(", in point 1, want "), "{found:?}");
    }
}
