//! What two GPUs measured of kernels beside each other, and what the machine says of the same.

mod heat;

use crate::Page;
use sim_core::describe::value::Value;
use sim_core::study::errors::Errors;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The part of the GPU that is simulated, and its cycles.
const PART: &str = "1/4";
const CYCLES: &str = "200k";

/// A pair: measured, on the other GPU, simulated.
pub(super) struct Cell {
    pub kernel: String,
    pub beside: String,
    pub measured: f64,
    /// Measured with this kernel there before the other.
    first: Option<f64>,
    other: f64,
    pub simulated: Option<f64>,
    other_simulated: Option<f64>,
}

/// An H200 changes a pair where its slowdown is another than an H100's by at least this part.
const CHANGED: f64 = 0.1;

/// Fills the page.
pub fn page(_: &[String], page: &mut Page) -> Result<(), String> {
    let h100 = corun("h100.csv", &["--gpu", "h100-sxm5", "--scale", PART, "--cycles", CYCLES])?;
    let h200 = corun("h200.csv", &["--gpu", "h200-sxm", "--scale", PART, "--cycles", CYCLES])?;
    let cells = cells(&h100).zip(cells(&h200)).map(|(pair, other)| {
        let text = |key| pair.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
        let number = |of: &Value, key| of.get(key).and_then(Value::as_f64);
        Some(Cell {
            kernel: text("kernel"),
            beside: text("beside"),
            measured: number(pair, "measured")?,
            first: number(pair, "measured_first"),
            other: number(other, "measured")?,
            simulated: number(pair, "simulated"),
            other_simulated: number(other, "simulated"),
        })
    });
    let cells: Vec<Cell> = cells.collect::<Option<_>>().ok_or("a pair without a number")?;
    let keep = |name: &str, text: String| {
        let path = root().join("docs/reference").join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    let changes = changes(&cells);
    let both = Value::object([
        ("h100", h100.clone()),
        ("h200", Value::object([("met", h200.get("met").cloned().unwrap_or_default()), ("changes", Value::array(changes))])),
        ("rules", Value::Array(rules(&cells)?)),
    ]);
    keep("silicon.json", format!("{both}\n"))?;
    keep("silicon.svg", heat::drawn(&cells))?;
    for (mark, word) in [("gpu", text(&h100, "gpu")), ("date", text(&h100, "date")), ("other", text(&h200, "gpu")), ("part", PART), ("of_run", CYCLES)] {
        page.say(mark, word);
    }
    errors(page, "met", h100.get("met").ok_or("no errors")?);
    matrix(page, "matrix", &cells, |cell| both_of(cell.measured, cell.simulated));
    let Some(Value::Array(alone)) = h100.get("alone") else { return Err("no kernels alone".into()) };
    for row in alone {
        let ratio = row.get("simulated_over_measured").and_then(Value::as_f64);
        let ms = row.get("ms").and_then(Value::as_f64).unwrap_or(f64::NAN);
        let ratio = ratio.map_or("–".into(), |ratio| format!("{ratio:.2}"));
        page.line("alone", format!("| {} | {ms:.2} | {ratio} |", text(row, "kernel")));
    }
    matrix(page, "other_matrix", &cells, |cell| both_of(cell.other, cell.other_simulated));
    errors(page, "other_met", h200.get("met").ok_or("no errors")?);
    page.say("changed", changes[1]);
    page.say("by", format!("{:.0}", 100.0 * CHANGED));
    page.say("same_way", changes[0]);
    found(&cells, page);
    Ok(())
}

fn both_of(measured: f64, simulated: Option<f64>) -> String {
    match simulated {
        None => format!("{measured:.2} / –"),
        Some(ours) if (ours / measured - 1.0).abs() > 0.25 => format!("**{measured:.2} / {ours:.2}**"),
        Some(ours) => format!("{measured:.2} / {ours:.2}"),
    }
}

/// Of how many pairs that the other GPU changes the machine says which way; and how many these are.
fn changes(cells: &[Cell]) -> [u64; 2] {
    cells.iter().fold([0, 0], |[right, all], cell| match (cell.simulated, cell.other_simulated) {
        (Some(ours), Some(other)) if (cell.other / cell.measured - 1.0).abs() >= CHANGED => {
            [right + u64::from((cell.other > cell.measured) == (other > ours)), all + 1]
        }
        _ => [right, all],
    })
}

/// What counters of the H100 say that each kernel takes of a resource alone, percent of its peak.
const UTILISATIONS: [&str; 6] = [
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active",
];

/// What rules that need no simulator are off by on the same pairs. Each is of the H100 and of the H200, but for the last.
fn rules(cells: &[Cell]) -> Result<Vec<Value>, String> {
    let path = root().join("silicon/h100-counters.csv");
    let file = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let rows: Vec<Vec<&str>> = file.lines().map(|line| line.split(',').collect()).collect();
    let of = |kernel: &str| -> Option<Vec<f64>> {
        let column = rows.first()?.iter().position(|name| *name == kernel)?;
        UTILISATIONS.iter().map(|name| rows.iter().find(|row| row[0] == *name)?.get(column)?.parse().ok()).collect()
    };
    // As much as the busiest resource is asked for more than all of it.
    let added = |cell: &Cell| {
        let both = of(&cell.kernel)?.into_iter().zip(of(&cell.beside)?);
        Some(both.map(|(one, other)| (one + other) / 100.0).fold(1.0, f64::max))
    };
    let rule = |name: &str, says: &dyn Fn(&Cell) -> Option<f64>, real: fn(&Cell) -> f64| {
        let pairs: Vec<(f64, f64, ())> = cells.iter().map(|cell| Some((says(cell)?, real(cell), ()))).collect::<Option<_>>()?;
        let right = pairs.iter().filter(|(said, real, ())| (*said > SUFFERS) == (*real > SUFFERS)).count() as u64;
        let Errors { count, mean, factor, worst_factor, .. } = Errors::of(pairs)?;
        let suffers = Value::array([right, count as u64]);
        Some(Value::object([
            ("rule", Value::from(name)),
            ("mean", mean.into()),
            ("factor", factor.into()),
            ("worst_factor", worst_factor.into()),
            ("suffers", suffers),
        ]))
    };
    let measured: fn(&Cell) -> f64 = |cell| cell.measured;
    let other: fn(&Cell) -> f64 = |cell| cell.other;
    let rules = [
        rule("H100: simulated", &|cell| cell.simulated, measured),
        rule("H100: nobody suffers", &|_| Some(1.0), measured),
        rule("H100: adding up utilisations", &added, measured),
        rule("H200: simulated", &|cell| cell.other_simulated, other),
        rule("H200: nobody suffers", &|_| Some(1.0), other),
        rule("H200: adding up utilisations, as counted on the H100", &added, other),
        rule("H200: what the H100 measured", &|cell| Some(cell.measured), other),
    ];
    rules.into_iter().collect::<Option<_>>().ok_or_else(|| format!("{}: not a counter of each kernel", path.display()))
}

/// A kernel suffers whose slowdown is above this.
const SUFFERS: f64 = 1.25;

/// What the measurement says by itself.
fn found(cells: &[Cell], page: &mut Page) {
    let cell = |kernel: &str, beside: &str| cells.iter().find(|cell| (cell.kernel.as_str(), cell.beside.as_str()) == (kernel, beside));
    let measured = |kernel, beside| cell(kernel, beside).map_or("–".into(), |cell| format!("{:.1}", cell.measured));
    let first = |kernel, beside| cell(kernel, beside).and_then(|cell| cell.first).map_or("–".into(), |first| format!("{first:.1}"));
    let older = cells.iter().filter_map(|cell| Some(cell.first? / cell.measured));
    let (better, worse) =
        older.fold((0, 0), |(better, worse), ratio| (better + usize::from(ratio < 0.95), worse + usize::from(ratio > 1.05)));
    page.say("better", better);
    page.say("worse", worse);
    page.say("fp64_beside_fma", measured("fp64", "fma"));
    page.say("l1_beside_fma", measured("l1", "fma"));
    page.say("fp64_first_beside_fma", first("fp64", "fma"));
    page.say("l1_first_beside_fma", first("l1", "fma"));
    page.say("pairs", cells.len());
    page.say("fp64_beside_itself", measured("fp64", "fp64"));
    page.say("fp64_first_beside_itself", first("fp64", "fp64"));
    page.say("l2_beside_fma", measured("l2", "fma"));
    page.say("l2_first_beside_fma", first("l2", "fma"));
    page.say("l1_beside_wide", measured("l1", "dram-wide"));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn corun(file: &str, arguments: &[&str]) -> Result<Value, String> {
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    command.current_dir(root()).args(["run", "--release", "--quiet", "-p", "corun", "--", "silicon", "--json"]);
    let output = command.arg(format!("silicon/{file}")).args(arguments).stderr(std::process::Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cargo: {error}"))?;
    let text = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
    Value::from_json(&text).map_err(|problems| format!("{file}: {problems}"))
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

fn cells(answer: &Value) -> impl Iterator<Item = &Value> {
    answer.get("pairs").map_or(&[][..], Value::items).iter()
}

/// The error of the slowdowns, and who of two suffers more.
fn errors(page: &mut Page, mark: &'static str, met: &Value) {
    page.line(mark,
        "| pairs | how many | mean error | as a factor | mean error, if nobody suffered | as a factor | nine in ten within | worst | worst factor |\n\
         | --- | --: | --: | --: | --: | --: | --: | --- | --: |"
    );
    for of in met.get("errors").map_or(&[][..], Value::items) {
        let number = |key| of.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN);
        let percent = |key| format!("{:.0} %", 100.0 * number(key));
        let (name, pair) = (text(of, "of"), text(of, "worst_pair"));
        let factor = |key| format!("{:.2}", number(key));
        page.line(mark, format!(
            "| {name} | {} | {} | {} | {} | {} | {} | {}, {pair} | {:.1} |",
            number("cells"),
            percent("mean"),
            factor("factor"),
            percent("nobody_suffers"),
            factor("nobody_suffers_factor"),
            percent("nine_in_ten"),
            percent("worst"),
            number("worst_factor")
        ));
    }
    let right = |key| met.get(key).map_or(&[][..], Value::items).iter().map(Value::to_string).collect::<Vec<_>>().join(" of ");
    page.line(mark, format!(
        "\nWho of two suffers more, where that is by a tenth: {} right. Whether a kernel suffers by more than a quarter at all: {}.",
        right("who_suffers_more"),
        right("suffers")
    ));
}

/// The kernels of all cells, in their order.
pub(super) fn names<'c>(cells: impl Iterator<Item = &'c Cell>) -> Vec<&'c str> {
    let mut names: Vec<&str> = Vec::new();
    for cell in cells {
        if !names.contains(&cell.kernel.as_str()) {
            names.push(&cell.kernel);
        }
    }
    names
}

fn matrix(page: &mut Page, mark: &'static str, cells: &[Cell], shown: impl Fn(&Cell) -> String) {
    let names = names(cells.iter());
    page.line(mark, format!("| | {} |\n| --- |{}", names.join(" | "), " --: |".repeat(names.len())));
    for row in &names {
        let row_cells = names.iter().map(|beside| {
            cells.iter().find(|cell| (cell.kernel.as_str(), cell.beside.as_str()) == (*row, *beside)).map_or(String::new(), &shown)
        });
        page.line(mark, format!("| {row} | {} |", row_cells.collect::<Vec<_>>().join(" | ")));
    }
}
