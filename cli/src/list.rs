//! `corun list`: what can be chosen, a line each. `corun show` has the whole of one.

use crate::{input, text};
use clap::{Args, ValueEnum};
use corun_lab::{Failure, output};
use sim_core::describe::value::Value;
use sim_core::study::catalogue::catalogue;
use std::io::IsTerminal;

/// Arguments of `corun list`.
#[derive(Args, Debug)]
#[command(
    arg_required_else_help = true,
    after_help = "A line each, cut where it is for a terminal: `corun show` has the whole of one, as in `corun show policy ccbp`."
)]
pub struct List {
    /// What to list
    what: What,
    /// Print JSON, with everything that is known of each
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
enum What {
    /// GPU presets
    Gpus,
    /// Kernels of the library
    Kernels,
    /// Sharing policies
    Policies,
    /// Controls, which policies set
    Controls,
    /// What a script of yours can say: the policy `script`
    Script,
    /// Warp orders and CTA orders
    Orders,
    /// Example experiments: `corun run NAME`
    Experiments,
    /// Example sweeps: `corun sweep NAME`
    Sweeps,
    /// Example predictions: `corun predict NAME`
    Predictions,
    /// Figures of a result, with unit and formula
    Metrics,
}

/// Widest column of sources, characters.
const SOURCE: u16 = 28;

impl List {
    pub fn execute(self) -> Result<(), Failure> {
        let listed = listed(self.what)?;
        if self.json {
            return output::print_json(&listed);
        }
        match &listed {
            Value::Object(parts) => {
                for (title, rows) in parts {
                    output::print(&format!("{title}:\n{}\n", lines(rows)))?;
                }
            }
            rows => output::print(&lines(rows))?,
        }
        if let Some(kind) = self.what.shown_by().filter(|_| std::io::stdout().is_terminal()) {
            output::say(&format!("`corun show {kind} NAME` has the whole of one."));
        }
        Ok(())
    }
}

impl What {
    /// What `corun show` calls one of them.
    fn shown_by(self) -> Option<&'static str> {
        crate::show::KINDS.iter().find(|(_, what)| *what == self.name()).map(|(kind, _)| *kind)
    }

    fn name(self) -> String {
        self.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
    }
}

/// The records of a part of the catalogue, by its name in `corun list`.
pub fn part(name: &str) -> Result<Value, Failure> {
    What::from_str(name, false).map_or(Ok(Value::Null), listed)
}

fn listed(what: What) -> Result<Value, Failure> {
    let mut experiments = Vec::new();
    if what == What::Experiments {
        for (name, text) in input::EXPERIMENTS {
            experiments.push(((*name).to_owned(), Value::from_json(text)?));
        }
    }
    let all = catalogue(&experiments, input::SCRIPTS);
    let part = |key: &str| all.get(key).cloned().unwrap_or_default();
    Ok(match what {
        What::Orders => Value::object([("warp_orders", part("warp_orders")), ("cta_orders", part("cta_orders"))]),
        What::Sweeps => examples(input::SWEEPS, "sweep")?,
        What::Predictions => examples(input::PREDICTIONS, "predict")?,
        other => part(&other.name()),
    })
}

/// Examples as records: name, title and the whole.
fn examples(examples: &[(&str, &str)], key: &str) -> Result<Value, Failure> {
    let mut rows = Vec::new();
    for (name, text) in examples {
        let whole = Value::from_json(text)?;
        let field = |field| whole.get(key).and_then(|inner| inner.get(field)).or(whole.get(field)).cloned().unwrap_or_default();
        rows.push(Value::object([
            ("name", Value::from(*name)),
            ("title", field("name")),
            ("source", field("source")),
            (key, whole.clone()),
        ]));
    }
    Ok(rows.into())
}

/// A line for each record, on a terminal as much of it as fits.
fn lines(rows: &Value) -> String {
    let Value::Array(rows) = rows else { return String::new() };
    let rows = rows.iter().map(|row| vec![name(row).to_owned(), about(row), source(row).to_owned()]);
    // Only a person's screen has a width: a file or a program gets the whole.
    if std::io::stdout().is_terminal() { text::one_line_each(SOURCE, rows) } else { text::table(3, rows) }
}

fn field<'v>(row: &'v Value, key: &str) -> &'v str {
    row.get(key).and_then(Value::as_str).unwrap_or("")
}

/// What a record is called.
pub fn name(row: &Value) -> &str {
    ["name", "key", "call"].map(|key| field(row, key)).into_iter().find(|name| !name.is_empty()).unwrap_or("")
}

/// What it is: its title where that says enough, or else as much as fits of what there is.
fn about(row: &Value) -> String {
    let [title, unit, formula, doc] = ["title", "unit", "formula", "doc"].map(|key| field(row, key));
    // Kernels and GPUs have long descriptions, and titles that speak.
    let parts = if row.get("fits").is_some() { [title, "", ""] } else { [title, unit, if formula.is_empty() { doc } else { formula }] };
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

fn source(row: &Value) -> &str {
    // A script's is its text, which `corun show script` has.
    let own = Some(field(row, "source")).filter(|source| !source.contains('\n')).unwrap_or("");
    if own.is_empty() { row.get("experiment").map_or("", |experiment| field(experiment, "source")) } else { own }
}
