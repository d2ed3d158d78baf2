//! Fields of a paper's files.

use sim_core::describe::value::Value;
use std::collections::BTreeMap;

/// A table by its keys; nothing if it is none or one of its values is not what `of` reads.
pub fn table<T>(value: &Value, of: impl Fn(&Value) -> Option<T>) -> Option<BTreeMap<String, T>> {
    let Value::Object(pairs) = value else { return None };
    pairs.iter().map(|(name, value)| Some((name.clone(), of(value)?))).collect()
}

/// A whole number of things.
pub fn count(value: &Value) -> Option<usize> {
    usize::try_from(value.as_int()?).ok()
}

/// The items of a list; none if it is left out or no list.
pub fn list(value: Option<&Value>) -> &[Value] {
    if let Some(Value::Array(items)) = value { items } else { &[] }
}

/// A list of texts.
pub fn texts(value: &Value) -> Option<Vec<String>> {
    let Value::Array(items) = value else { return None };
    items.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}
