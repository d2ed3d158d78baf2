//! A record as a page of the docs: a table of its fields, and its rules.

use super::schema::said;
use super::{Absent, Field, Record, flattened, met};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Markdown of some records and of all that they mention, each once.
pub fn page(records: &[&'static Record]) -> String {
    met(records).into_iter().map(section).collect::<Vec<_>>().join("\n")
}

fn section(record: &Record) -> String {
    let mut text = format!(
        "### {}\n\n{}.\n\n| field | takes | unit | left out | what it is |\n|---|---|---|---|---|\n",
        record.name,
        said(record.doc)
    );
    flattened(record.fields).iter().for_each(|field| text += &row(field));
    if let Some(more) = record.more {
        (more.patterns)().iter().for_each(|(_, key, field)| text += &row_of(key, field));
    }
    if !record.rules.is_empty() {
        text += "\nRules:\n\n";
        record.rules.iter().for_each(|rule| text += &format!("- `{}`: {}.\n", rule.name, said(rule.says)));
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
