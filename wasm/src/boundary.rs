//! What crosses between JavaScript and the engine: experiments and settings in, results and problems out.

use js_sys::{Array, Error, JSON, JsString, Object, Reflect};
use serde::Deserialize;
use sim_core::describe::error::{Problem, Problems};
use sim_core::describe::value::Value;
use wasm_bindgen::{JsCast, JsValue};

/// Values nested deeper than this are refused, as serde_json refuses text: reading them takes stack.
const DEEPEST: usize = 128;

/// Values with more parts than this are refused: one small object may stand in many places of another.
const MOST_PARTS: usize = 1_000_000;

/// Reads JSON text, or an object.
pub fn value(given: &JsValue) -> Result<Value, Problems> {
    if let Some(text) = given.as_string() {
        return Value::from_json(&text);
    }
    if !fits(given, DEEPEST, &mut { MOST_PARTS }) {
        return Err(one("a value that is nested too deeply, too large, or contains itself", "plain JSON, at most 128 levels deep"));
    }
    Value::deserialize(serde_wasm_bindgen::Deserializer::from(given.clone()))
        .map_err(|error| one(error, "JSON text or a plain object of numbers, texts, lists and objects"))
}

/// A text that a caller hands over; whatever else stands in its place, or nothing, is a problem there.
pub fn text(given: &JsValue, path: &str) -> Result<String, Problems> {
    given.as_string().ok_or_else(|| {
        let found = given.js_typeof().as_string().unwrap_or_default();
        Problems(vec![Problem::new(path, found, "a text")])
    })
}

/// Hands out a value as plain JavaScript objects; what does not exist is `null`. As one text, since each text that crosses costs the host more
/// than to read it there.
pub fn plain(value: &Value) -> Result<JsValue, JsValue> {
    JSON::parse(&value.to_string())
}

/// An `Error` whose `problems` lists what is wrong, and whose message says the same to people.
pub fn error(problems: &Problems) -> JsValue {
    let error = Error::new(&problems.to_string());
    error.set_name("ExperimentError");
    // Setting a new property of a fresh object cannot fail.
    let _ = Reflect::set(&error, &"problems".into(), &list(&problems.0));
    error.into()
}

/// Problems as `{path, found, want}[]`.
pub fn list(problems: &[Problem]) -> Array {
    let fields = |p: &Problem| Value::object([("path", p.path.as_str()), ("found", p.found.as_str()), ("want", p.want.as_str())]);
    problems.iter().filter_map(|p| plain(&fields(p)).ok()).collect()
}

/// A problem with the whole, as the core names it where there is no field yet.
fn one(found: impl ToString, want: &str) -> Problems {
    Problems(vec![Problem::new("(whole)", found, want)])
}

/// Whether a value has an end, at a depth and size that can be read.
fn fits(value: &JsValue, depth: usize, parts: &mut usize) -> bool {
    let Some(left) = parts.checked_sub(1) else { return false };
    *parts = left;
    // A list may have holes for which there is no memory.
    if Array::is_array(value) && value.unchecked_ref::<Array>().length() as usize > *parts {
        return false;
    }
    match value.dyn_ref::<Object>() {
        Some(object) if depth > 0 && !value.is_instance_of::<JsString>() => {
            Object::values(object).iter().all(|inner| fits(&inner, depth - 1, parts))
        }
        Some(_) => false,
        None => true,
    }
}
