//! `corun oracle`: every number of CTAs of each kernel of a mix, and which is best. A search over runs, not a policy.

use crate::input::ExperimentArgs;
use crate::sweep::{How, Shard};
use crate::{report, results, text};
use clap::{Args, ValueEnum};
use corun_lab::jsonl::Lines;
use corun_lab::{Failure, output, problem};
use sim_core::describe::error::{Problems, one_line};
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::study::oracle::{Space, sweep};

/// Arguments of `corun oracle`.
#[derive(Args, Debug)]
#[command(after_help = "\
Runs the mix under every combination of at least one CTA of each kernel that fits an SM, and prints HSpeedup and WSpeedup of each and the best of \
both, or of the one that --metric names; the experiment's own policy does not matter. It knows the best only after running them all: a bound for \
schemes, not a scheme. FILE.jsonl is a sweep's, one line for each point.

Exit status: as of `corun sweep`.")]
pub struct Oracle {
    #[command(flatten)]
    source: ExperimentArgs,
    /// Split the SMs evenly, and try every number of CTAs of each kernel on its own SMs
    #[arg(long)]
    spatial: bool,
    /// Only the best of this metric
    #[arg(long)]
    metric: Option<Metric>,
    /// Keep the results there
    #[arg(long, value_name = "FILE.jsonl")]
    out: Option<String>,
    #[command(flatten)]
    how: How,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What can be best.
#[derive(Clone, Copy, PartialEq, ValueEnum, Debug)]
enum Metric {
    Hspeedup,
    Wspeedup,
}

/// A point's numbers of CTAs, and what came of them.
struct Row {
    ctas: Value,
    hspeedup: Option<f64>,
    wspeedup: Option<f64>,
    config_hash: Value,
    /// Both for people.
    shown: [String; 2],
}

impl Oracle {
    pub fn execute(self) -> Result<(), Failure> {
        let experiment = self.source.experiment()?;
        let space = if self.spatial { Space::Spatial } else { Space::Combinations };
        let sweep = sweep(&experiment, space)?;
        let mut lines = match &self.out {
            Some(out) => Lines::open(out, self.how.resume)?,
            None => Lines::scratch()?,
        };
        let outcome = self.how.run(&sweep, Shard::WHOLE, &mut lines);
        // Where some points got stuck, the others still have a best.
        if !matches!(outcome, Ok(()) | Err(Failure::Stuck(_))) {
            return outcome;
        }
        let rows = read(&mut lines)?;
        let best = |of: fn(&Row) -> Option<f64>| {
            let score = |row: &&Row| of(row).unwrap_or(f64::NEG_INFINITY);
            // The first of equals: fewest CTAs of the first kernel.
            rows.iter().rev().max_by(|a, b| score(a).total_cmp(&score(b))).filter(|row| of(row).is_some())
        };
        let best = [(Metric::Hspeedup, "hspeedup", best(|row| row.hspeedup)), (Metric::Wspeedup, "wspeedup", best(|row| row.wspeedup))];
        let best = best.into_iter().filter(|(metric, ..)| self.metric.is_none_or(|asked| asked == *metric));
        let best: Vec<(&str, Option<&Row>)> = best.map(|(_, key, row)| (key, row)).collect();
        if self.json {
            let best = Value::object(best.into_iter().map(|(key, row)| (key, row.map(Row::to_value))));
            output::print_json(&Value::object([
                ("corun", Value::from(1)),
                ("name", sweep.name.as_str().into()),
                ("sweep", sweep.hash().into()),
                ("best", best),
                ("rows", Value::array(rows.iter().map(Row::to_value))),
            ]))?;
        } else {
            output::print(&table(&experiment, &sweep.name, &rows, &best))?;
        }
        outcome
    }
}

/// Every combination, then the best.
fn table(experiment: &Experiment, title: &str, rows: &[Row], best: &[(&str, Option<&Row>)]) -> String {
    let heading = ["CTAs per SM", "HSpeedup", "WSpeedup"].map(String::from).to_vec();
    let line = |row: &Row| [&[row.ctas.to_string()][..], &row.shown].concat();
    let every = text::table(1, [heading].into_iter().chain(rows.iter().map(line)));
    let best = best.iter().map(|(key, row)| match row {
        Some(row) => vec![format!("best {key}"), row.ctas.to_string()].into_iter().chain(row.shown.clone()).collect(),
        None => vec![format!("no {key}")],
    });
    format!(
        "{}: CTAs per SM of {}; 95 % interval after ±\n\n{every}\n\n{}",
        one_line(title),
        experiment.labels().join(", "),
        text::table(2, best)
    )
}

impl Row {
    fn of(line: &Value) -> Option<Row> {
        let policy = line.get("axes")?.get("policy")?;
        let result = line.get("result")?;
        let metrics = result.get("metrics")?;
        let metric = |key| metrics.get(key).and_then(Value::as_f64);
        Some(Row {
            ctas: policy.get("combination").or(policy.get("ctas"))?.clone(),
            hspeedup: metric("hspeedup"),
            wspeedup: metric("wspeedup"),
            config_hash: line.get("config_hash")?.clone(),
            shown: ["hspeedup", "wspeedup"].map(|key| report::figure(result, "metrics", key)),
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
}

/// The rows of a file that the sweep has just left in order.
fn read(lines: &mut Lines) -> Result<Vec<Row>, Problems> {
    let mut rows = Vec::new();
    results::read_own(lines, |line| {
        rows.push(Row::of(line).ok_or_else(|| problem("(output)", "another line", "a point of an oracle"))?);
        Ok(())
    })?;
    Ok(rows)
}
