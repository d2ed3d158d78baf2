//! The words of a measure, as claims, tables and figures write them.

use sim_core::describe::value::Value;

/// What values are to be within.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Bounds {
    pub above: Option<f64>,
    pub at_least: Option<f64>,
    pub at_most: Option<f64>,
    pub below: Option<f64>,
}

impl Bounds {
    /// Those that words give.
    pub fn of(words: &Value) -> Bounds {
        let number = |key: &str| words.get(key).and_then(Value::as_f64);
        Bounds { above: number("above"), at_least: number("at_least"), at_most: number("at_most"), below: number("below") }
    }

    /// Whether a value is within them.
    pub fn hold(&self, value: f64) -> bool {
        self.above.is_none_or(|bound| value > bound)
            && self.at_least.is_none_or(|bound| value >= bound)
            && self.at_most.is_none_or(|bound| value <= bound)
            && self.below.is_none_or(|bound| value < bound)
    }
}

/// The words of one measure, which several places have together: what comes first counts. A measure passes over words that are none of its
/// own.
pub fn merged<'v>(from: impl IntoIterator<Item = &'v Value>) -> Value {
    let mut pairs: Vec<(String, Value)> = Vec::new();
    for words in from {
        let Value::Object(fields) = words else { continue };
        for (key, value) in fields {
            if !pairs.iter().any(|(other, _)| other == key) {
                pairs.push((key.clone(), value.clone()));
            }
        }
    }
    Value::Object(pairs)
}

/// The words of a measure that name schemes.
pub const SCHEMES: &[&str] = &["of", "over", "under"];

/// The word of a measure that names mixes.
pub const MIXES: &[&str] = &["mixes"];

/// A measure with every name in it that stands at one of the words, also in its parts, replaced.
pub fn changed(words: &Value, at: &[&str], name: &impl Fn(&str) -> String) -> Value {
    let named = |value: &Value| value.as_str().map_or(value.clone(), |text| name(text).into());
    match words {
        Value::Object(pairs) => Value::object(pairs.iter().map(|(key, value)| {
            let value = match value {
                Value::Array(names) if at.contains(&key.as_str()) => Value::array(names.iter().map(named)),
                value if at.contains(&key.as_str()) => named(value),
                value => changed(value, at, name),
            };
            (key.clone(), value)
        })),
        Value::Array(items) => Value::array(items.iter().map(|item| changed(item, at, name))),
        other => other.clone(),
    }
}
