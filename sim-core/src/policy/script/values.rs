//! Values on their way into the interpreter and out of it.

use crate::describe::value::Value;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use rhai::{Array, Dynamic, Map};

/// An object as a map.
pub fn map(value: &Value) -> Map {
    match value {
        Value::Object(pairs) => pairs.iter().map(|(key, value)| (key.as_str().into(), dynamic(value))).collect(),
        _ => Map::new(),
    }
}

/// A value as the interpreter has it.
pub fn dynamic(value: &Value) -> Dynamic {
    match value {
        Value::Null => Dynamic::UNIT,
        Value::Bool(flag) => (*flag).into(),
        Value::Int(n) => (*n).into(),
        Value::Float(x) => (*x).into(),
        Value::Str(text) => text.as_str().into(),
        Value::Array(items) => items.iter().map(dynamic).collect::<Array>().into(),
        Value::Object(_) => map(value).into(),
    }
}

/// A value that is nothing but data.
pub fn plain(value: &Dynamic, path: &str, depth: usize) -> Result<Value, String> {
    if depth > 8 {
        return Err(format!("{path} has lists in lists more than 8 deep"));
    }
    if let Some(items) = value.read_lock::<Array>() {
        let items: Result<Vec<Value>, String> = items.iter().map(|item| plain(item, path, depth + 1)).collect();
        return items.map(Value::Array);
    }
    if let Some(pairs) = value.read_lock::<Map>() {
        let pairs = pairs.iter().map(|(key, value)| Ok((key.to_string(), plain(value, &format!("{path}.{key}"), depth + 1)?)));
        return pairs.collect::<Result<_, String>>().map(Value::Object);
    }
    if value.is_unit() {
        return Ok(Value::Null);
    }
    let number = value.as_int().map(Value::Int).or_else(|_| value.as_float().map(Value::Float));
    let other = number.or_else(|_| value.as_bool().map(Value::Bool));
    let text = || value.clone().into_immutable_string().map(|text| Value::from(text.as_str()));
    other.or_else(|_| text()).map_err(|_| format!("{path} is no number, text, list or map, nor true or false"))
}
