//! JSON text, and whatever else serde reads and writes, as a `Value`.

use crate::describe::error::{Problem, Problems};
use crate::describe::value::Value;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde_core::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_core::ser::{Serialize, SerializeMap, Serializer};

impl Value {
    /// Reads JSON text; a byte-order mark before it, which some editors write, is left out. What is nested deeper than 127 levels is a problem,
    /// as all that is no JSON.
    pub fn from_json(text: &str) -> Result<Value, Problems> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let problem = |error| Problem::new("(whole)", excerpt(text, &error), format!("JSON ({error})"));
        serde_json::from_str(text).map_err(|error| Problems(alloc::vec![problem(error)]))
    }
}

/// The text around the place where a parser stopped.
fn excerpt(text: &str, error: &serde_json::Error) -> String {
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or("");
    let part: String = line.chars().skip(error.column().saturating_sub(20)).take(40).collect();
    if part.is_empty() { "nothing".to_owned() } else { format!("{part:?}") }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => s.serialize_unit(),
            Value::Bool(b) => s.serialize_bool(*b),
            Value::Int(n) => s.serialize_i64(*n),
            // JSON has no infinities; a missing figure is null, never 0.
            Value::Float(x) if !x.is_finite() => s.serialize_unit(),
            Value::Float(x) => s.serialize_f64(*x),
            Value::Str(text) => s.serialize_str(text),
            Value::Array(items) => s.collect_seq(items),
            Value::Object(pairs) => {
                let mut map = s.serialize_map(Some(pairs.len()))?;
                for (key, value) in pairs {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(Tree)
    }
}

struct Tree;

impl<'de> Visitor<'de> for Tree {
    type Value = Value;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_some<D: Deserializer<'de>>(self, d: D) -> Result<Value, D::Error> {
        d.deserialize_any(Tree)
    }
    fn visit_bool<E>(self, b: bool) -> Result<Value, E> {
        Ok(Value::Bool(b))
    }
    fn visit_i64<E>(self, n: i64) -> Result<Value, E> {
        Ok(Value::Int(n))
    }
    fn visit_u64<E>(self, n: u64) -> Result<Value, E> {
        Ok(n.into())
    }
    fn visit_f64<E>(self, x: f64) -> Result<Value, E> {
        Ok(Value::Float(x))
    }
    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry::<String, Value>()? {
            pairs.push(pair);
        }
        Ok(Value::Object(pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn text_that_is_no_json_is_one_problem_with_the_whole() {
        let problem = |text: &str| Value::from_json(text).map(drop).map_err(|problems| problems.to_string());
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        for (text, found) in [
            ("", "(whole): found nothing, want JSON (EOF while parsing a value at line 1 column 0)"),
            ("{\"seed\": 1,\n \"gpu\": tiny}", "(whole): found \" \\\"gpu\\\": tiny}\", want JSON (expected ident at line 2 column 10)"),
            (
                &deep(128),
                "(whole): found \"[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]\", want JSON (recursion limit exceeded at line 1 column 128)",
            ),
        ] {
            assert_eq!(problem(text), Err(found.to_string()));
        }
        assert_eq!(problem(&deep(127)), Ok(()));
    }

    #[test]
    fn json_keeps_the_order_of_fields_and_what_stands_twice() {
        let text = "\u{feff} {\"b\": 1, \"a\": [0.1, null], \"b\": 18446744073709551615}";
        assert_eq!(Value::from_json(text).unwrap().to_string(), "{\"b\":1,\"a\":[0.1,null],\"b\":1.8446744073709552e19}");
    }
}
