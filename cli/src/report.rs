//! A result for people and for spreadsheets.

use crate::{text, why};
use sim_core::describe::error::one_line;
use sim_core::describe::record::Datum;
use sim_core::describe::value::Value;
use sim_core::run::outcome::KernelOutcome;
use sim_core::run::verdict::Verdict;
use sim_core::study::catalogue::metrics;
use sim_core::study::figure::lookup;
use std::fmt::Write;

/// Figures of a kernel, by their places in it.
pub const FIGURES: &[&str] = &[
    "ipc",
    "ipc_alone",
    "slowdown",
    "share_cost",
    "neighbour_cost",
    "noc_utilisation",
    "dram_utilisation",
    "l1_hit_rate",
    "l2_miss_rate",
    "latency.mean",
    "ctas_per_sm",
    "runs_done",
];

/// Half of the interval of an IPC, of the IPC, beyond which a run says next to nothing of a kernel.
const TOO_WIDE: f64 = 0.25;

/// The elements of a list, or none.
pub fn items(value: Option<&Value>) -> &[Value] {
    if let Some(Value::Array(items)) = value { items } else { &[] }
}

/// One line of comma-separated figures for each kernel, and which engine found them; where it was asked why, also what the best cure gives back.
pub fn csv(result: &Value) -> String {
    let engine = text::csv_cell(result.get("engine"));
    let because = result.get("because");
    let why = |kernel: usize| because.map_or(Vec::new(), |because| best_cure(items(Some(because)), kernel).to_vec());
    let row = |kernel: usize| {
        let cells = kernel_cells(result, kernel).into_iter().map(|(_, cell)| cell);
        cells.chain(why(kernel)).chain([engine.clone()]).collect::<Vec<_>>().join(",")
    };
    let heading = ["name".to_owned()].into_iter().chain(FIGURES.iter().flat_map(|key| columns(key)));
    let heading = heading.chain(BEST_CURE.iter().filter(|_| because.is_some()).map(|key| (*key).to_owned())).chain(["engine".to_owned()]);
    [heading.collect::<Vec<_>>().join(",")]
        .into_iter()
        .chain((0..items(result.get("kernels")).len()).map(row))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Columns of the cure that gives a kernel most back.
const BEST_CURE: [&str; 4] = ["cure", "gives_back", "gives_back.low", "gives_back.high"];

/// They are empty for a kernel that does not suffer.
fn best_cure(because: &[Value], kernel: usize) -> [String; 4] {
    let of = because.iter().find(|one| one.get("kernel").and_then(Value::as_int) == Some(kernel as i64));
    let Some(best) = of.and_then(|of| items(of.get("cures")).first()) else { return Default::default() };
    let number = |place: &str| lookup(best, place).map_or(String::new(), |x| x.to_string());
    [text::csv_cell(best.get("cure")), number("gives_back"), number("ci95[0]"), number("ci95[1]")]
}

/// The columns of a kernel's figure: what is measured has an interval.
fn columns(key: &str) -> Vec<String> {
    let ends = if key == "runs_done" { &[][..] } else { &[".low", ".high"] };
    [""].iter().chain(ends).map(|end| format!("{key}{end}")).collect()
}

/// A kernel's name and figures with the ends of their intervals, each under its heading.
pub fn kernel_cells(result: &Value, kernel: usize) -> Vec<(String, String)> {
    let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
    let name = items(result.get("kernels")).get(kernel).and_then(|kernel| kernel.get("name"));
    let figures = FIGURES.iter().flat_map(|key| {
        let place = format!("kernels[{kernel}].{key}");
        let [low, high] = ends(result, &place).map_or([None; 2], |ends| ends.map(Some));
        columns(key).into_iter().zip([lookup(result, &place), low, high].map(number))
    });
    [("name".to_owned(), text::csv_cell(name))].into_iter().chain(figures).collect()
}

/// The whole of a result: what ran, how sure it is, each kernel, the mix, what the policy decided.
pub fn table(result: &Value) -> String {
    let field = |key| text::shown(result.get(key));
    let mut out = format!("{}\n{}", field("name"), ran(result));
    let scheme = result.get("policy").and_then(|policy| policy.get("title")).and_then(Value::as_str);
    let scheme = scheme.map_or(String::new(), |title| format!("{}; ", one_line(title)));
    let _ = writeln!(out, "\n{scheme}config {}, seed {}, digest {}\n", field("config_hash"), field("seed"), field("digest"));
    if let Some(doubt) = doubt(result) {
        let _ = writeln!(out, "{doubt}\n");
    }
    let _ = writeln!(out, "{}\n", kernels(result));
    for goal in items(result.get("kernels")).iter().enumerate().filter_map(|(place, kernel)| goal(result, place, kernel)) {
        let _ = writeln!(out, "{goal}");
    }
    for metric in metrics().iter().filter(|metric| metric.scope == "mix" && metric.key != "wspeedup") {
        let unit = if metric.unit.is_empty() { String::new() } else { format!("{}, ", metric.unit) };
        let _ = writeln!(out, "{}", row(metric.title, &figure(result, "metrics", &metric.key), &format!("{unit}{}", metric.formula)));
    }
    let _ = writeln!(out, "{}", energy(result));
    out.push('\n');
    items(result.get("policy").and_then(|policy| policy.get("decisions"))).iter().for_each(|made| out += &decision(result, made));
    if let Some(verdict) = result.get("verdict").map(Verdict::read) {
        verdict.sentences().iter().for_each(|says| {
            let _ = writeln!(out, "{says}");
        });
    }
    if let Some(because) = result.get("because") {
        let kernels: Vec<KernelOutcome> = items(result.get("kernels")).iter().map(Datum::read).collect();
        let _ = writeln!(out, "\n{}", why::table(&Vec::read(because), &kernels));
    }
    out.trim_end().to_owned()
}

/// How long it ran, and why it ended.
fn ran(result: &Value) -> String {
    let cycles = result.get("cycles").and_then(Value::as_int).unwrap_or(0);
    let why = match result.get("stop").and_then(Value::as_str).unwrap_or("") {
        "cycles" if result.get("settled").is_some() => "its most, short of what its figures were to be known to",
        "cycles" => "as many as asked for",
        "kernels_done" => "until every kernel had run to its end",
        "settled" => "until its figures were known as well as asked for",
        "stuck" => "until it was stuck",
        "failed" => "until its policy failed",
        _ => "where it was CUT OFF, short of its end",
    };
    let from = result.get("measured_from").and_then(Value::as_int).filter(|from| *from > 0);
    let cold = if result.get("cold") == Some(&true.into()) { " on, while L2 was still filling" } else { "" };
    let from = from.map_or(String::new(), |from| format!(", measured from cycle {}{cold}", text::grouped(from)));
    let [ms, mhz] = ["ms", "core_mhz"].map(|key| text::shown(result.get(key)));
    format!("{} core cycles, {ms} ms at {mhz} MHz, {why}{from}", text::grouped(cycles))
}

/// That the run is too short to say anything, where it is: of an IPC, or else as its verdict says.
fn doubt(result: &Value) -> Option<String> {
    let verdict = result.get("verdict").map(Verdict::read);
    let mut says = verdict.iter().flat_map(Verdict::sentences);
    let short = says.find(|sentence| sentence.starts_with("The run is too short"));
    doubt_of_ipc(result).or(short)
}

fn doubt_of_ipc(result: &Value) -> Option<String> {
    let known = |place: usize| {
        let ipc = lookup(result, &format!("kernels[{place}].ipc"))?;
        let [low, high] = ends(result, &format!("kernels[{place}].ipc"))?;
        (ipc > 0.0).then_some((high - low) / 2.0 / ipc)
    };
    let kernels = items(result.get("kernels"));
    let widest = |a: &(usize, Option<f64>), b: &(usize, Option<f64>)| a.1.unwrap_or(f64::INFINITY).total_cmp(&b.1.unwrap_or(f64::INFINITY));
    let (place, known) = (0..kernels.len()).map(|place| (place, known(place))).max_by(widest)?;
    let name = text::shown(kernels[place].get("name"));
    let why = match known {
        None => "nothing tells how sure its IPC is".to_owned(),
        Some(part) if part > TOO_WIDE => format!("its IPC is known to ± {:.0} %", 100.0 * part),
        Some(_) => return None,
    };
    Some(format!("Too short to say much of {name}: {why}. Let it run for more cycles."))
}

/// The 95 % interval of a figure, by the figure's place in the result.
pub fn ends(result: &Value, place: &str) -> Option<[f64; 2]> {
    let end = |end: usize| lookup(result, &format!("ci95.{place}[{end}]"));
    Some([end(0)?, end(1)?])
}

/// A figure with its doubt.
pub fn figure(result: &Value, place: &str, key: &str) -> String {
    let place = format!("{place}.{key}");
    match (lookup(result, &place), ends(result, &place)) {
        (None, _) => "–".to_owned(),
        (Some(x), Some(ends)) => text::doubted(x, ends),
        (Some(x), None) if x.fract() == 0.0 && key == "runs_done" => format!("{x}"),
        (Some(x), None) => text::number(x),
    }
}

/// A row for each figure, with its unit, and a column for each kernel.
fn kernels(result: &Value) -> String {
    let kernels = items(result.get("kernels"));
    let row = |key: &&str| {
        let heading = match (*key, metrics().into_iter().find(|metric| metric.key == *key)) {
            ("ctas_per_sm", _) => "CTAs per SM".to_owned(),
            ("runs_done", _) => "Runs to its end".to_owned(),
            (_, Some(metric)) => format!("{}, {}", metric.title, metric.unit),
            (key, None) => key.to_owned(),
        };
        let cells: Vec<String> = (0..kernels.len()).map(|place| figure(result, &format!("kernels[{place}]"), key)).collect();
        cells.iter().any(|cell| cell != "–").then(|| [vec![heading], cells].concat())
    };
    let names = kernels.iter().map(|kernel| text::shown(kernel.get("name")));
    let heading = ["95 % interval after ±".to_owned()].into_iter().chain(names).collect();
    text::table(1, [heading].into_iter().chain(FIGURES.iter().filter_map(row)))
}

/// A figure of the whole, and what it is.
fn row(title: &str, value: &str, what: &str) -> String {
    format!("{title:<10}{value:>16}   {what}")
}

/// What has become of a kernel's goal, if it has one.
fn goal(result: &Value, place: usize, kernel: &Value) -> Option<String> {
    kernel.get("goal_ipc")?;
    let outcome = match kernel.get("goal_reached").and_then(Value::as_f64) {
        None => "not known".into(),
        Some(reached) if reached >= 1.0 => format!("reached with {:.1} % to spare", (reached - 1.0) * 100.0),
        Some(reached) => format!("missed by {:.1} %", (1.0 - reached) * 100.0),
    };
    let [name, ipc, goal] = ["name", "ipc", "goal_ipc"].map(|key| text::shown(kernel.get(key)));
    let reached = figure(result, &format!("kernels[{place}]"), "goal_reached");
    Some(row("Goal", &reached, &format!("{name}: IPC {ipc} / goal {goal}, {outcome}")))
}

/// The energy of the run in a line, with what it is good for.
fn energy(result: &Value) -> String {
    let figure = |key| result.get("energy").and_then(|energy| energy.get(key));
    let millijoules = figure("joules").and_then(Value::as_f64).map(|joules| Value::from(joules * 1e3));
    let [energy, watts, per_watt] = [millijoules.as_ref(), figure("watts"), figure("instructions_per_watt")].map(text::shown);
    row("Energy", &energy, &format!("mJ, {watts} W, {per_watt} thread instructions per watt: for ratios between runs on one GPU"))
}

/// A line for a decision of the policy.
fn decision(result: &Value, decision: &Value) -> String {
    let number = decision.get("kernel").and_then(Value::as_int).and_then(|kernel| usize::try_from(kernel).ok());
    let kernel = number.and_then(|number| items(result.get("kernels")).get(number));
    let kernel = kernel.map_or(String::new(), |kernel| format!("{} ", text::shown(kernel.get("name"))));
    let words = decision.get("text").and_then(Value::as_str).map_or(String::new(), one_line);
    format!("cycle {}: {kernel}{words}\n", text::shown(decision.get("cycle")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(ends: &str) -> Value {
        let text = format!(
            r#"{{"name": "n", "cycles": 20000, "stop": "cycles", "kernels": [{{"name": "A", "ipc": 100.0, "runs_done": 0}}],
                "ci95": {{"kernels": [{{"ipc": {ends}}}]}}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_result_says_what_shares_the_gpu() {
        let mut result = result("null");
        assert!(table(&result).contains("\nconfig –, seed –"), "a result of before");
        let policy = Value::object([("title", "MIG 3g.71gb + 4g.71gb")]);
        if let Value::Object(pairs) = &mut result {
            pairs.push(("policy".into(), policy));
        }
        assert!(table(&result).contains("\nMIG 3g.71gb + 4g.71gb; config –, seed –"));
    }

    #[test]
    fn a_run_that_says_nothing_says_so() {
        let said =
            |ends: &str| table(&result(ends)).lines().filter(|line| line.starts_with("Too short")).map(String::from).collect::<Vec<_>>();
        assert_eq!(said("null"), ["Too short to say much of A: nothing tells how sure its IPC is. Let it run for more cycles."]);
        assert_eq!(said("[60.0, 140.0]"), ["Too short to say much of A: its IPC is known to ± 40 %. Let it run for more cycles."]);
        assert_eq!(said("[90.0, 110.0]"), [""; 0]);
        assert!(table(&result("[90.0, 110.0]")).contains("100 ± 10"));
        assert!(!table(&result("null")).contains("slowdown"), "a row of nothing");
    }
}
