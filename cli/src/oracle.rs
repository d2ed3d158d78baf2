//! `corun oracle`: every number of CTAs of each kernel of a mix, and which is best. A search over runs, not a policy.

use crate::input::{Given, problem};
use crate::sweep::{How, Shard};
use crate::{Failure, input};
use clap::Args;
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::study::oracle::{Space, sweep};
use std::io::{BufRead, BufReader};

/// Arguments of `corun oracle`.
#[derive(Args, Debug)]
#[command(after_help = "\
Runs the mix under every combination of at least one CTA of each kernel that fits an SM, and prints HSpeedup and WSpeedup of each and the best of \
both; the experiment's own policy does not matter. It knows the best only after running them all: a bound for schemes, not a scheme. FILE.jsonl is a
sweep's, one line for each point.

Exit status: as of `corun sweep`.")]
pub struct Oracle {
    #[command(flatten)]
    given: Given,
    /// Split the SMs evenly, and try every number of CTAs of each kernel on its own SMs
    #[arg(long)]
    spatial: bool,
    #[command(flatten)]
    how: How,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A point's numbers of CTAs, and what came of them.
struct Row {
    ctas: Value,
    hspeedup: Option<f64>,
    wspeedup: Option<f64>,
    config_hash: Value,
}

impl Oracle {
    pub fn execute(self) -> Result<(), Failure> {
        let experiment = self.given.experiment()?;
        let space = if self.spatial { Space::Spatial } else { Space::Combinations };
        let sweep = sweep(&experiment, space)?;
        let outcome = self.how.run(&sweep, Shard::WHOLE);
        // Where some points got stuck, the others still have a best.
        if !matches!(outcome, Ok(()) | Err(Failure::Stuck(_))) {
            return outcome;
        }
        let rows = read(&self.how.out)?;
        let best = |of: fn(&Row) -> Option<f64>| {
            let score = |row: &&Row| of(row).unwrap_or(f64::NEG_INFINITY);
            // The first of equals: fewest CTAs of the first kernel.
            rows.iter().rev().max_by(|a, b| score(a).total_cmp(&score(b))).filter(|row| of(row).is_some())
        };
        let best = [("hspeedup", best(|row| row.hspeedup)), ("wspeedup", best(|row| row.wspeedup))];
        if self.json {
            let best = Value::object(best.map(|(key, row)| (key, row.map(Row::to_value))));
            input::print_json(&Value::object([
                ("corun", Value::from(1)),
                ("name", sweep.name.as_str().into()),
                ("sweep", sweep.hash().into()),
                ("best", best),
                ("rows", Value::array(rows.iter().map(Row::to_value))),
            ]));
        } else {
            let names: Vec<&str> = experiment.kernels.iter().map(|used| used.kernel.name.as_str()).collect();
            input::print(&format!("{}: CTAs per SM of {}\n", sweep.name, names.join(", ")));
            input::print(&format!("{:<20}{:>10}{:>10}", "CTAs", "HSpeedup", "WSpeedup"));
            rows.iter().for_each(|row| input::print(&row.line("")));
            input::print("");
            for (key, row) in best {
                input::print(&row.map_or(format!("no {key}"), |row| row.line(&format!("   best {key}"))));
            }
        }
        outcome
    }
}

impl Row {
    fn of(line: &Value) -> Option<Row> {
        let policy = line.get("axes")?.get("policy")?;
        let metrics = line.get("result")?.get("metrics")?;
        let metric = |key| metrics.get(key).and_then(Value::as_f64);
        Some(Row {
            ctas: policy.get("combination").or(policy.get("ctas"))?.clone(),
            hspeedup: metric("hspeedup"),
            wspeedup: metric("wspeedup"),
            config_hash: line.get("config_hash")?.clone(),
        })
    }

    fn to_value(&self) -> Value {
        Value::object([
            ("ctas", self.ctas.clone()),
            ("hspeedup", self.hspeedup.into()),
            ("wspeedup", self.wspeedup.into()),
            ("config_hash", self.config_hash.clone()),
        ])
    }

    fn line(&self, end: &str) -> String {
        let shown = |metric: Option<f64>| metric.map_or("–".into(), |x| format!("{x:.4}"));
        format!("{:<20}{:>10}{:>10}{end}", self.ctas.to_string(), shown(self.hspeedup), shown(self.wspeedup))
    }
}

/// The rows of a file that the sweep has just left in order.
fn read(path: &str) -> Result<Vec<Row>, Problems> {
    let unreadable = |error: std::io::Error| problem("(file)", format!("{path}: {error}"), "a file that can be read");
    let lines = BufReader::new(std::fs::File::open(path).map_err(unreadable)?).lines();
    let row = |line: std::io::Result<String>| {
        let line = input::json(&line.map_err(unreadable)?)?;
        Row::of(&line).ok_or_else(|| problem(path, "another line", "a point of an oracle"))
    };
    lines.map(row).collect()
}
