//! What a form for a record needs to know of it: for each field its name, kind, range, unit, default and what it is.

use super::schema::said;
use super::{Absent, Field, Record, Shape, flattened};
use crate::describe::value::Value;
use alloc::vec::Vec;

/// Fields, each with all that a form for it takes; constants have no place in a form.
pub fn fields(fields: &'static [Field]) -> Value {
    Value::array(flattened(fields).into_iter().filter(|field| !field.is_constant()).map(field))
}

/// A record: its name, what it is, its fields and its rules.
pub fn record(record: &Record) -> Value {
    let rules = record.rules.iter().map(|rule| Value::object([("name", rule.name.into()), ("says", said(rule.says))]));
    Value::object([
        ("name", Value::from(record.name)),
        ("doc", said(record.doc).into()),
        ("fields", fields(record.fields)),
        ("rules", Value::array(rules)),
    ])
}

/// A field.
pub fn field(field: &Field) -> Value {
    let default = match field.absent {
        Absent::Words(words) => words.into(),
        value => value.value().unwrap_or_default(),
    };
    let mut pairs = alloc::vec![
        ("name", Value::from(field.name)),
        ("unit", field.unit.into()),
        ("doc", said(field.doc).into()),
        ("required", (field.absent == Absent::Needed).into()),
        ("default", default),
    ];
    pairs.extend(shape(&field.shape));
    Value::object(pairs)
}

/// A shape as `kind`, its range, and what it is made of.
pub fn shape(of: &Shape) -> Vec<(&'static str, Value)> {
    let range = |kind: &'static str, min: Value, max: Value| alloc::vec![("kind", Value::from(kind)), ("min", min), ("max", max)];
    let inner = |of: &Shape| Value::object(shape(of));
    match of {
        Shape::Any { want } => alloc::vec![("kind", "any".into()), ("want", (*want).into())],
        Shape::Flag => alloc::vec![("kind", "bool".into())],
        Shape::True => alloc::vec![("kind", "true".into())],
        Shape::Int { min, max } => range("int", (*min).into(), (*max).into()),
        Shape::Number { min, max } => range("number", (*min).into(), (*max).into()),
        Shape::Between { above, below } => range("between", (*above).into(), (*below).into()),
        Shape::Limit { min, max } => range("limit", (*min).into(), (*max).into()),
        Shape::Allowance { max } => range("allowance", 0.into(), (*max).into()),
        Shape::Numbers { max } => range("numbers", 0.into(), (*max).into()),
        Shape::Text { longest } => alloc::vec![("kind", "text".into()), ("max", (*longest).into())],
        Shape::Choice(names) => alloc::vec![("kind", "choice".into()), ("choices", Value::array(names.iter().copied()))],
        Shape::Constant(_) => alloc::vec![("kind", "constant".into())],
        Shape::Listed(names) => alloc::vec![("kind", "name".into()), ("of", names.what.into())],
        Shape::Pattern(pattern) => alloc::vec![("kind", "pattern".into()), ("want", pattern.want.into())],
        Shape::List { of, min, max, .. } => {
            let mut pairs = range("list", (*min).into(), (*max).into());
            pairs.push(("of", inner(of)));
            pairs
        }
        Shape::PerKernel(of) | Shape::ForEach(of) => {
            let kind = match of {
                Shape::Int { .. } => "per_kernel_int",
                Shape::Number { .. } => "per_kernel_number",
                Shape::List { .. } => "per_kernel_list",
                Shape::Text { .. } => "per_kernel_text",
                _ => "per_kernel",
            };
            let element = if let Shape::List { of, .. } = of { of } else { of };
            let ends = shape(element).into_iter().filter(|(key, _)| ["min", "max"].contains(key));
            let rest = (kind == "per_kernel").then(|| ("of", inner(of)));
            [("kind", kind.into())].into_iter().chain(ends).chain(rest).collect()
        }
        Shape::Map { of, want, .. } => alloc::vec![("kind", "map".into()), ("want", (*want).into()), ("of", inner(of))],
        Shape::Measured => alloc::vec![("kind", "measured".into())],
        Shape::Topics(_) => alloc::vec![("kind", "topics".into())],
        Shape::Intervals(record) => alloc::vec![("kind", "intervals".into()), ("of", record.name.into())],
        Shape::Record(record) | Shape::Flat(record) => alloc::vec![("kind", "record".into()), ("of", record.name.into())],
        Shape::One(one) => alloc::vec![("kind", "one".into()), ("want", one.want.into()), ("fields", fields(one.of))],
        Shape::Entry(entries) => alloc::vec![("kind", "entry".into()), ("of", entries.name.into())],
        Shape::Nullable(of) => {
            let mut pairs = shape(of);
            pairs.push(("nullable", true.into()));
            pairs
        }
        Shape::Forms { of, want } => {
            alloc::vec![("kind", "forms".into()), ("want", (*want).into()), ("of", Value::array(of.iter().map(inner)))]
        }
    }
}
