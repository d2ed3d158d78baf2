//! The tables of a report, as data: of schemes, of readings, of single runs that a cause quotes. A table has rows and columns, and in each
//! field one number or several, `cells`; each is a measure whose words are those of its row, else of its cell, column and table. Besides,
//! in rows:
//!
//! - `with`: modifiers of all schemes, as in `hol=yes`: another machine, or other kernels;
//! - `instead`: other schemes in place of these, as in `{ ccbp = "ccbp credits=residual" }`;
//! - `measure`: the measure itself.

use super::measure::{Outcome, measure};
use super::report::number;
use super::runs::{Mix, Runs};
use super::study::{promised, sized};
use sim_core::describe::value::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Words that are no measure's.
const OWN: [&str; 9] = ["id", "title", "says", "name", "rows", "columns", "cells", "with", "instead"];

/// A table as its file has it.
#[derive(Clone, Debug)]
pub struct Table {
    /// What `--table` calls it.
    pub id: String,
    pub title: String,
    /// What stands above it.
    pub says: String,
    rows: Vec<Value>,
    columns: Vec<Value>,
    cells: Vec<Value>,
    /// What holds for all.
    all: Value,
}

/// A table with its numbers: in each field those of its cells.
#[derive(Clone, PartialEq, Debug)]
pub struct Filled {
    pub rows: Vec<Vec<Vec<Option<f64>>>>,
    /// On how many mixes each column stands.
    pub mixes: Vec<BTreeSet<Mix>>,
}

impl Table {
    /// Reads a table.
    pub fn of(value: &Value) -> Option<Table> {
        let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
        let list = |key: &str| match value.get(key) {
            Some(Value::Array(items)) => Some(items.clone()),
            None => Some(vec![Value::Object(Vec::new())]),
            Some(_) => None,
        };
        Some(Table {
            id: text("id")?,
            title: text("title")?,
            says: text("says")?,
            rows: list("rows")?,
            columns: list("columns")?,
            cells: list("cells")?,
            all: value.clone(),
        })
    }

    /// Every measure: by rows, columns and cells.
    pub fn measures(&self) -> Vec<Vec<Vec<Value>>> {
        let field = |row: &Value, column: &Value| self.cells.iter().map(|cell| words([row, cell, column, &self.all])).collect();
        self.rows.iter().map(|row| self.columns.iter().map(|column| field(row, column)).collect()).collect()
    }

    /// Measures what it can and asks for the rest.
    pub fn fill(&self, runs: &Runs) -> Filled {
        let mut mixes = vec![BTreeSet::new(); self.columns.len()];
        let mut field = |column: usize, words: &[Value]| {
            runs.population();
            let values = words
                .iter()
                .map(|words| match measure(runs, words) {
                    Outcome::Value(value) => value,
                    _ => None,
                })
                .collect();
            mixes[column].extend(runs.population());
            values
        };
        let row = |row: &Vec<Vec<Value>>| row.iter().enumerate().map(|(column, words)| field(column, words)).collect();
        let rows = self.measures().iter().map(row).collect();
        Filled { rows, mixes }
    }

    /// Where a row, a column and a cell of these names meet; the cell may be left out where a field has one number.
    pub fn place(&self, row: &str, column: &str, cell: Option<&str>) -> Option<[usize; 3]> {
        let at = |of: &[Value], wanted: &str| {
            let name = |words: &Value| ["name", "of"].into_iter().find_map(|key| words.get(key)?.as_str().map(str::to_owned));
            of.iter().position(|words| name(words).is_some_and(|name| name == wanted))
        };
        let cell = match cell {
            Some(cell) => at(&self.cells, cell)?,
            None => (self.cells.len() == 1).then_some(0)?,
        };
        Some([at(&self.rows, row)?, at(&self.columns, column)?, cell])
    }

    /// As Markdown.
    pub fn markdown(&self, runs: &Runs) -> String {
        let filled = self.fill(runs);
        let name = |words: &Value, key: &str| words.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
        let columns: Vec<String> =
            self.columns.iter().zip(&filled.mixes).map(|(words, mixes)| format!("{} ({})", name(words, "name"), counted(mixes))).collect();
        let cells: Vec<String> = self.cells.iter().map(|words| name(words, "name")).filter(|name| !name.is_empty()).collect();
        let mut text = format!("## {}\n\n{}\n\n", self.title, self.says);
        let _ = writeln!(text, "| {} | {} |\n| --- |{}", cells.join(" / "), columns.join(" | "), " --: |".repeat(columns.len()));
        for (row, fields) in self.rows.iter().zip(&filled.rows) {
            let title = || runs.study.title(&name(row, "of")).to_owned();
            let named = Some(name(row, "name")).filter(|name| !name.is_empty()).unwrap_or_else(title);
            let shown = |values: &Vec<Option<f64>>| {
                let values: Vec<String> = values.iter().map(|value| value.map_or("–".to_owned(), number)).collect();
                values.join(" / ")
            };
            let _ = writeln!(text, "| {named} | {} |", fields.iter().map(shown).collect::<Vec<_>>().join(" | "));
        }
        text.push('\n');
        text
    }
}

/// Mixes by their number: `20 mixes`, kernels by themselves, or cases, where kernels have goals.
pub fn counted(mixes: &BTreeSet<Mix>) -> String {
    let of = |n: usize, what: &str| {
        format!("{n} {what}{}", if n == 1 { "" } else { what.chars().last().map_or("", |c| if c == 'x' { "es" } else { "s" }) })
    };
    let has_goal = |mix: &Mix| mix.iter().any(|kernel| promised(kernel).1.is_some());
    match mixes.len() {
        0 => "–".into(),
        // A kernel on several numbers of SMs is several.
        n if mixes.iter().all(|mix| mix.len() == 1 && sized(&mix[0]).1.is_some()) => of(n, "run"),
        n if mixes.iter().all(|mix| mix.len() == 1) => of(n, "kernel"),
        n if mixes.iter().all(has_goal) => of(n, "case"),
        n => of(n, "mix"),
    }
}

/// The words of one measure: what comes first counts.
fn words(from: [&Value; 4]) -> Value {
    if let Some(own) = from[0].get("measure") {
        return own.clone();
    }
    let mut pairs: Vec<(String, Value)> = Vec::new();
    for of in from {
        let Value::Object(fields) = of else { continue };
        for (key, value) in fields.iter().filter(|(key, _)| !OWN.contains(&key.as_str())) {
            if !pairs.iter().any(|(other, _)| other == key) {
                pairs.push((key.clone(), value.clone()));
            }
        }
    }
    let with = from[0].get("with").and_then(Value::as_str).unwrap_or("");
    let scheme = |scheme: &str| {
        let other = from[0].get("instead").and_then(|instead| instead.get(scheme)?.as_str());
        format!("{} {with}", other.unwrap_or(scheme)).trim_end().to_owned()
    };
    changed(&Value::Object(pairs), &scheme)
}

/// A measure with every scheme in it, also of its parts, replaced.
pub fn changed(words: &Value, scheme: &impl Fn(&str) -> String) -> Value {
    let name = |value: &Value| value.as_str().map_or(value.clone(), |text| scheme(text).into());
    match words {
        Value::Object(pairs) => Value::object(pairs.iter().map(|(key, value)| {
            let value = match (key.as_str(), value) {
                ("of" | "over" | "under", Value::Array(schemes)) => Value::array(schemes.iter().map(name)),
                ("of" | "over" | "under", value) => name(value),
                (_, value) => changed(value, scheme),
            };
            (key.clone(), value)
        })),
        Value::Array(items) => Value::array(items.iter().map(|item| changed(item, scheme))),
        other => other.clone(),
    }
}
