//! A record as a page of the docs: a table of its fields, and its rules.

use super::schema::said;
use super::{Absent, Field, Record, Shape, flattened};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Markdown of a record and of all records that it mentions, each once.
pub fn page(records: &[&'static Record]) -> String {
    let mut met: Vec<&'static Record> = Vec::new();
    records.iter().for_each(|record| meet(record, &mut met));
    met.iter().map(|record| section(record)).collect::<Vec<_>>().join("\n")
}

fn meet(record: &'static Record, met: &mut Vec<&'static Record>) {
    if met.iter().any(|known| known.name == record.name) {
        return;
    }
    met.push(record);
    flattened(record.fields).iter().for_each(|field| meet_in(&field.shape, met));
}

fn meet_in(shape: &Shape, met: &mut Vec<&'static Record>) {
    match shape {
        Shape::Record(record) => meet(record, met),
        Shape::List { of, .. } | Shape::PerKernel(of) | Shape::Nullable(of) | Shape::Map { of, .. } => meet_in(of, met),
        Shape::One(one) => one.of.iter().for_each(|field| meet_in(&field.shape, met)),
        Shape::Forms { of, .. } => of.iter().for_each(|form| meet_in(form, met)),
        _ => {}
    }
}

fn section(record: &Record) -> String {
    let mut text = format!(
        "### {}\n\n{}.\n\n| field | takes | unit | left out | what it is |\n|---|---|---|---|---|\n",
        record.name,
        said(record.doc)
    );
    flattened(record.fields).iter().for_each(|field| text += &row(field));
    if let Some(more) = record.more {
        (more.patterns)().iter().for_each(|(pattern, field)| text += &row_of(pattern, field));
    }
    if !record.rules.is_empty() {
        text += "\nRules:\n\n";
        record.rules.iter().for_each(|rule| text += &format!("- `{}`: {}.\n", rule.name, rule.says));
    }
    text
}

fn row(field: &Field) -> String {
    row_of(field.name, field)
}

fn row_of(name: &str, field: &Field) -> String {
    let absent = match field.absent {
        Absent::Needed => "needed".to_string(),
        Absent::Words(words) => words.to_string(),
        value => format!("`{}`", value.value().unwrap_or_default()),
    };
    let cells = [format!("`{name}`"), field.shape.want(), field.unit.to_string(), absent, said(field.doc)];
    format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
}
