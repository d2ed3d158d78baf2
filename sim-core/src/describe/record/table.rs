//! Records as a page of the docs: for each a table of its fields, and its rules.

use super::schema::said;
use super::{Absent, Field, More, Named, Record, meet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Markdown of some files of the format, each with its name, record and heading, and of all that they mention, each once.
pub fn page(files: &[(&str, &'static Record, &str)]) -> String {
    let mut met: Vec<Named> = Vec::new();
    let mut open: Vec<(&'static More, &str)> = Vec::new();
    let mut text = String::new();
    for (_, record, title) in files {
        let known = met.len();
        meet(Named::Record(record), &mut met);
        text += &format!("## {title}\n\n");
        met[known..].iter().for_each(|named| text += &section(*named, &mut open));
    }
    text.trim_end().to_string()
}

/// A record with its heading. Open fields that a record before it has, of those in `open`, stand there.
fn section(named: Named, open: &mut Vec<(&'static More, &str)>) -> String {
    let (doc, needed) = match named {
        Named::Record(record) => (said(record.doc), "needed"),
        Named::One(_) => ("An object with exactly one of these fields".to_string(), ""),
    };
    let heads = "| field | takes | unit | left out | what it is |\n|---|---|---|---|---|\n";
    let mut text = format!("### {}\n\n{doc}.\n\n{heads}", named.name());
    named.fields().iter().for_each(|field| text += &row(field.name, field, needed));
    let Named::Record(record) = named else { return text + "\n" };
    if let Some(more) = record.more {
        match open.iter().find(|(known, _)| core::ptr::eq(*known, more)) {
            Some((_, of)) => text += &format!("\nAll other fields are those of {}.\n", link(of)),
            None => {
                (more.patterns)().iter().for_each(|(_, key, field)| text += &row(key, field, needed));
                open.push((more, record.name));
            }
        }
    }
    if !record.rules.is_empty() {
        text += "\nRules:\n\n";
        record.rules.iter().for_each(|rule| text += &format!("- `{}`: {}.\n", rule.name, said(rule.says)));
    }
    text + "\n"
}

fn row(name: &str, field: &Field, needed: &str) -> String {
    let absent = match field.absent {
        Absent::Needed => needed.to_string(),
        Absent::Words(words) => words.to_string(),
        value => format!("`{}`", value.value().unwrap_or_default()),
    };
    let cells = [format!("`{name}`"), takes(field), field.unit.to_string(), absent, said(field.doc)];
    format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
}

/// What a field takes, with links to the tables of what it is made of.
fn takes(field: &Field) -> String {
    let links: Vec<String> = field.shape.mentions().into_iter().map(|named| link(named.name())).collect();
    if links.is_empty() { field.shape.want() } else { format!("{}: {}", field.shape.want(), links.join(", ")) }
}

/// A link to the table of that heading.
fn link(name: &str) -> String {
    format!("[{name}](#{})", name.to_lowercase())
}
