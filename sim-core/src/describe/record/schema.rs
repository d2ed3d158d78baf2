//! JSON Schema (2020-12) of a record. Each record that it mentions stands once among the definitions.

use super::{Absent, Entries, Field, MOST_FIELDS, Record, Shape, flattened};
use crate::describe::ids::MAX_KERNELS;
use crate::describe::value::Value;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Longest name of a schema that a file may have, characters.
pub const MAX_SCHEMA: usize = 2000;

/// The schema's dialect.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of a record, under a heading.
pub fn schema(record: &'static Record, title: &str) -> Value {
    let mut definitions = Definitions::default();
    let mut pairs = alloc::vec![("$schema".to_string(), DIALECT.into()), ("title".to_string(), title.into())];
    if let Value::Object(object) = definitions.object(&[record.fields], Some(record)) {
        pairs.extend(object);
    }
    if !record.rules.is_empty() {
        pairs.push(("$comment".to_string(), rules(record).into()));
    }
    if !definitions.0.is_empty() {
        pairs.push(("$defs".to_string(), Value::object(definitions.0)));
    }
    Value::Object(pairs)
}

/// What no schema can say of a record, in a sentence a rule.
fn rules(record: &Record) -> String {
    record.rules.iter().map(|rule| format!("{}: {}", rule.name, said(rule.says))).collect::<Vec<_>>().join("; ")
}

/// Definitions by name, in the order in which they were met.
#[derive(Default)]
struct Definitions(Vec<(&'static str, Value)>);

impl Definitions {
    /// A reference to a definition, which is made when it is met for the first time.
    fn reference(&mut self, name: &'static str, make: impl FnOnce(&mut Self) -> Value) -> Value {
        if self.0.iter().all(|(known, _)| *known != name) {
            let place = self.0.len();
            self.0.push((name, Value::Null));
            self.0[place].1 = make(self);
        }
        Value::object([("$ref", format!("#/$defs/{name}"))])
    }

    fn object(&mut self, fields: &[&'static [Field]], record: Option<&'static Record>) -> Value {
        let all: Vec<&Field> = fields.iter().copied().flat_map(flattened).collect();
        let all = || all.iter();
        let properties: Vec<(&str, Value)> = all().map(|field| (field.name, self.field(field))).collect();
        let required = all().filter(|field| field.absent == Absent::Needed).map(|field| field.name);
        // Files name their schema, which editors read; the decoder passes over it.
        let named = record.is_some_and(|record| record.name == "Experiment");
        let schema = named.then(|| ("$schema", Value::object([("type", Value::from("string")), ("maxLength", MAX_SCHEMA.into())])));
        let properties: Vec<(&str, Value)> = schema.into_iter().chain(properties).collect();
        let mut pairs =
            alloc::vec![("type", Value::from("object")), ("properties", Value::object(properties)), ("required", Value::array(required)),];
        if let Some(more) = record.and_then(|record| record.more) {
            let patterns = (more.patterns)().into_iter().map(|(pattern, _, field)| (pattern, self.field(field)));
            pairs.push(("patternProperties", Value::Object(patterns.collect())));
            pairs.push(("maxProperties", MOST_FIELDS.into()));
        }
        pairs.push(("additionalProperties", false.into()));
        Value::object(pairs)
    }

    /// A field's shape with what the field is.
    fn field(&mut self, field: &Field) -> Value {
        let doc = if field.unit.is_empty() { said(field.doc) } else { format!("{} ({})", said(field.doc), field.unit) };
        let mut pairs = alloc::vec![("description".to_string(), Value::from(doc))];
        pairs.extend(field.absent.value().map(|value| ("default".to_string(), value)));
        if let Value::Object(shape) = self.shape(&field.shape) {
            pairs.extend(shape);
        }
        Value::Object(pairs)
    }

    fn shape(&mut self, shape: &Shape) -> Value {
        let typed = |kind: &str, more: &[(&str, Value)]| {
            Value::object([("type", Value::from(kind))].into_iter().chain(more.iter().map(|(key, value)| (*key, value.clone()))))
        };
        match shape {
            Shape::Any { .. } => Value::Object(Vec::new()),
            Shape::Flag => typed("boolean", &[]),
            Shape::True => Value::object([("const", true)]),
            Shape::Int { min, max } if min == max => Value::object([("const", *min)]),
            Shape::Int { min, max } => typed("integer", &[("minimum", (*min).into()), ("maximum", (*max).into())]),
            Shape::Number { min, max } => typed("number", &[("minimum", (*min).into()), ("maximum", (*max).into())]),
            Shape::Between { above, below } => {
                typed("number", &[("exclusiveMinimum", (*above).into()), ("exclusiveMaximum", (*below).into())])
            }
            Shape::Limit { min, max } => {
                Value::object([("type", Value::array(["integer", "null"])), ("minimum", (*min).into()), ("maximum", (*max).into())])
            }
            Shape::Allowance { max } => {
                Value::object([("type", Value::array(["number", "null"])), ("minimum", 0.into()), ("maximum", (*max).into())])
            }
            Shape::Numbers { max } => self.list(&Shape::Int { min: 0, max: *max }, 1, *max as usize + 1),
            Shape::Text { longest } => typed("string", &[("maxLength", (*longest).into())]),
            Shape::Choice(names) => Value::object([("enum", Value::array(names.iter().copied()))]),
            Shape::Constant(value) => Value::object([("const", value.value().unwrap_or_default()), ("deprecated", true.into())]),
            Shape::Listed(names) => {
                let shorter = (names.shorter)();
                let names = Value::object([("enum", Value::array((names.names)()))]);
                let shorter = (!shorter.is_empty()).then(|| Value::object([("enum", Value::array(shorter))]));
                any_of([names].into_iter().chain(shorter))
            }
            Shape::Pattern(pattern) => typed("string", &[("pattern", pattern.regex.into())]),
            Shape::List { of, min, max, .. } => self.list(of, *min, *max),
            Shape::PerKernel(of) => self.list(of, 1, MAX_KERNELS),
            Shape::ForEach(of) => any_of([self.shape(of), self.list(of, 1, MAX_KERNELS)]),
            Shape::Map { keys, of, .. } => {
                let of = self.shape(of);
                let keys = Value::object([(keys.regex, of)]);
                typed(
                    "object",
                    &[("patternProperties", keys), ("additionalProperties", false.into()), ("maxProperties", MOST_FIELDS.into())],
                )
            }
            Shape::Flat(record) => self.object(&[record.fields], Some(record)),
            Shape::Measured => Value::object([("type", Value::array(["number", "null"]))]),
            Shape::Intervals(record) => self.intervals(record),
            Shape::Topics(topics) => {
                let of = |topic: super::Topic| {
                    let needed = topic.values.iter().filter(|field| field.absent == Absent::Needed).map(|field| field.name);
                    let needed: Vec<&str> = needed.collect();
                    let fields: Vec<(&str, Value)> = topic.values.iter().map(|field| (field.name, self.field(field))).collect();
                    Value::object([
                        ("title", Value::from(topic.name)),
                        ("description", topic.doc.into()),
                        ("type", "object".into()),
                        ("properties", Value::object(fields)),
                        ("required", Value::array(needed)),
                        ("additionalProperties", false.into()),
                    ])
                };
                any_of(topics().into_iter().map(of))
            }
            Shape::Record(record) => self.reference(record.name, |all| all.object(&[record.fields], Some(record))),
            Shape::One(one) => self.reference(one.name, |all| {
                let each = |field: &Field| {
                    Value::object([
                        ("type", Value::from("object")),
                        ("properties", Value::object([(field.name, all.field(field))])),
                        ("required", Value::array([field.name])),
                        ("additionalProperties", false.into()),
                    ])
                };
                any_of(one.of.iter().map(each))
            }),
            Shape::Entry(entries) => self.reference(entries.name, |all| all.entries(entries)),
            Shape::Nullable(of) => any_of([self.shape(of), typed("null", &[])]),
            Shape::Forms { of, .. } => any_of(of.iter().map(|form| self.shape(form))),
        }
    }

    /// For each measured number its interval, and for each record of such an object of them.
    fn intervals(&mut self, record: &'static Record) -> Value {
        let ends = Value::object([
            ("type", Value::from("array")),
            ("items", Value::object([("type", "number")])),
            ("minItems", 2.into()),
            ("maxItems", 2.into()),
        ]);
        let of = |field: &&Field| match field.shape {
            Shape::Measured => Some((field.name, any_of([ends.clone(), Value::object([("type", "null")])]))),
            Shape::Record(inner) if inner.fields.iter().any(|field| matches!(field.shape, Shape::Measured)) => {
                Some((field.name, Value::object([("type", "object")])))
            }
            _ => None,
        };
        Value::object([
            ("type", Value::from("object")),
            ("properties", Value::object(flattened(record.fields).iter().filter_map(of))),
            ("additionalProperties", false.into()),
        ])
    }

    fn list(&mut self, of: &Shape, min: usize, max: usize) -> Value {
        Value::object([("type", Value::from("array")), ("items", self.shape(of)), ("minItems", min.into()), ("maxItems", max.into())])
    }

    fn entries(&mut self, entries: &Entries) -> Value {
        let params = |name: &str| (entries.params)(name).unwrap_or_default();
        let needs = |name: &&str| params(name).into_iter().flatten().any(|param| param.absent == Absent::Needed);
        let names = (entries.names.names)();
        let alone = Value::array(names.iter().filter(|name| !needs(name)).copied());
        let mut forms = alloc::vec![Value::object([("enum", alone)])];
        for name in &names {
            let Value::Object(mut object) = self.object(&params(name), None) else { continue };
            for (key, value) in &mut object {
                match (key.as_str(), value) {
                    ("properties", Value::Object(all)) => all.insert(0, ("name".to_string(), Value::object([("const", *name)]))),
                    ("required", Value::Array(all)) => all.insert(0, "name".into()),
                    _ => {}
                }
            }
            forms.push(Value::Object(object));
        }
        any_of(forms)
    }
}

fn any_of(forms: impl IntoIterator<Item = Value>) -> Value {
    let mut forms: Vec<Value> = forms.into_iter().collect();
    if forms.len() == 1 { forms.remove(0) } else { Value::object([("anyOf", Value::from(forms))]) }
}

/// A doc comment as one line of text.
pub fn said(doc: &str) -> String {
    doc.trim().trim_end_matches('.').to_string()
}
