//! The tables of a report with their numbers.

use crate::engine::measures::Measures;
use crate::engine::paper::mix::{Mix, counted};
use crate::engine::paper::tables::Table;
use crate::engine::verdict::number;
use sim_core::describe::value::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A table with its numbers: in each field those of its cells.
#[derive(Clone, PartialEq, Debug)]
pub struct Filled {
    pub rows: Vec<Vec<Vec<Option<f64>>>>,
    /// On how many mixes each column stands.
    pub mixes: Vec<BTreeSet<Mix>>,
}

/// Measures what it can and asks for the rest.
pub fn fill(table: &Table, measures: &Measures) -> Filled {
    let mut mixes = vec![BTreeSet::new(); table.columns.len()];
    let mut field = |column: usize, words: &[Value]| {
        let (values, asked) = measures.runs.results.watch(|| words.iter().map(|words| measures.number(words)).collect());
        mixes[column].extend(asked.population());
        values
    };
    let row = |row: &Vec<Vec<Value>>| row.iter().enumerate().map(|(column, words)| field(column, words)).collect();
    let rows = table.measures().iter().map(row).collect();
    Filled { rows, mixes }
}

/// As Markdown.
pub fn markdown(table: &Table, measures: &Measures) -> String {
    let filled = fill(table, measures);
    let name = |words: &Value, key: &str| words.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
    let columns: Vec<String> =
        table.columns.iter().zip(&filled.mixes).map(|(words, mixes)| format!("{} ({})", name(words, "name"), counted(mixes))).collect();
    let cells: Vec<String> = table.cells.iter().map(|words| name(words, "name")).filter(|name| !name.is_empty()).collect();
    let mut text = format!("## {}\n\n{}\n\n", table.title, table.says);
    let _ = writeln!(text, "| {} | {} |\n| --- |{}", cells.join(" / "), columns.join(" | "), " --: |".repeat(columns.len()));
    for (row, fields) in table.rows.iter().zip(&filled.rows) {
        let title = || measures.runs.study.title(&name(row, "of")).to_owned();
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
