//! TypeScript types of records, each once. They are aliases and no interfaces, so that a value of one fits where any field may stand.

use super::schema::said;
use super::{Absent, Field, Record, Shape, flattened};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The declarations of some records and of all that they mention.
pub fn declarations(records: &[&'static Record]) -> String {
    let mut all = Declarations::default();
    for record in records {
        all.record(record);
    }
    all.0.into_iter().map(|(_, text)| text).collect()
}

/// Declarations by name, in the order in which they were met.
#[derive(Default)]
struct Declarations(Vec<(&'static str, String)>);

impl Declarations {
    /// The name of a declaration, which is made when it is met for the first time.
    fn named(&mut self, name: &'static str, make: impl FnOnce(&mut Self) -> String) -> String {
        if self.0.iter().all(|(known, _)| *known != name) {
            let place = self.0.len();
            self.0.push((name, String::new()));
            self.0[place].1 = make(self);
        }
        name.to_string()
    }

    fn record(&mut self, record: &'static Record) -> String {
        self.named(record.name, |all| {
            let mut text = format!("/** {} */\nexport type {} = {{\n", said(record.doc), record.name);
            for field in flattened(record.fields) {
                text += &all.line(field);
            }
            if let Some(more) = record.more {
                let mut types: Vec<String> = Vec::new();
                for (_, _, field) in (more.patterns)() {
                    let of = if let Shape::Choice(_) = field.shape { "string".into() } else { all.shape(&field.shape) };
                    if !types.contains(&of) {
                        types.push(of);
                    }
                }
                text += &format!("  [more: string]: {};\n", types.join(" | "));
            }
            text + "};\n"
        })
    }

    fn line(&mut self, field: &Field) -> String {
        let mark = if field.absent == Absent::Needed { "" } else { "?" };
        let unit = if field.unit.is_empty() { String::new() } else { format!(" ({})", field.unit) };
        let name = if field.name.contains('.') { format!("{:?}", field.name) } else { field.name.to_string() };
        format!("  /** {}{unit} */\n  {name}{mark}: {};\n", said(field.doc), self.shape(&field.shape))
    }

    fn shape(&mut self, shape: &Shape) -> String {
        match shape {
            Shape::Any { .. } => "unknown".into(),
            Shape::Flag => "boolean".into(),
            Shape::True => "true".into(),
            Shape::Int { min, max } if min == max => min.to_string(),
            Shape::Int { .. } | Shape::Number { .. } | Shape::Between { .. } => "number".into(),
            Shape::Limit { .. } | Shape::Allowance { .. } => "number | null".into(),
            Shape::Numbers { .. } => "number[]".into(),
            Shape::Text { .. } | Shape::Pattern(_) | Shape::Listed(_) => "string".into(),
            Shape::Choice(names) => names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(" | "),
            Shape::Constant(value) => value.value().unwrap_or_default().to_string(),
            Shape::List { of, .. } | Shape::PerKernel(of) => {
                let of = self.shape(of);
                if of.contains(' ') { format!("({of})[]") } else { format!("{of}[]") }
            }
            Shape::ForEach(of) => format!("{} | {}", self.shape(of), self.shape(&Shape::PerKernel(of))),
            Shape::Map { of, .. } => format!("Record<string, {}>", self.shape(of)),
            Shape::Record(record) | Shape::Flat(record) => self.record(record),
            Shape::Measured => "number | null".into(),
            Shape::Topics(_) => "Record<string, number | string | number[]>".into(),
            Shape::Intervals(_) => "IntervalsOf".into(),
            Shape::One(one) => self.named(one.name, |all| {
                let each = one.of.iter().map(|field| format!("{{ {}: {} }}", field.name, all.shape(&field.shape)));
                let each = each.collect::<Vec<_>>().join(" | ");
                format!("/** {} */\nexport type {} = {each};\n", one.want, one.name)
            }),
            Shape::Entry(entries) => self.named(entries.name, |_| {
                let doc = format!("{}: its name, or its name and parameters", entries.names.what);
                format!("/** {doc} */\nexport type {} = string | {{ name: string; [parameter: string]: unknown }};\n", entries.name)
            }),
            Shape::Nullable(of) => format!("{} | null", self.shape(of)),
            Shape::Forms { of, .. } => of.iter().map(|form| self.shape(form)).collect::<Vec<_>>().join(" | "),
        }
    }
}
