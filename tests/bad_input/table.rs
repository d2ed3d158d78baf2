//! Reads the tables of tests/bad_input, for every test that goes through them.

use sim_core::describe::value::Value;
use std::path::Path;

/// A malformed experiment.
#[derive(Debug)]
pub struct Case {
    /// What is wrong, in a few words.
    pub name: String,
    /// Its file's bytes.
    pub content: Vec<u8>,
    /// Paths of its problems, in order.
    pub paths: Vec<String>,
    /// Whether a JSON schema can say what is wrong.
    #[allow(dead_code, reason = "only the test of the schemas asks")]
    pub schema: bool,
}

fn texts(value: &Value) -> Option<Vec<String>> {
    let Value::Array(items) = value else { return None };
    items.iter().map(|item| Some(item.as_str()?.to_owned())).collect()
}

/// The bytes of a case's file.
pub fn content(case: &Value) -> Option<Vec<u8>> {
    if let Some(input) = case.get("input") {
        return Some(input.to_string().into_bytes());
    }
    if let Some(text) = case.get("text") {
        return Some(text.as_str()?.as_bytes().to_vec());
    }
    if let Some(bytes) = case.get("bytes") {
        let digits = bytes.as_str()?.as_bytes();
        return digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect();
    }
    let repeat = case.get("repeat")?;
    let part = |key| repeat.get(key)?.as_str();
    let times = repeat.get("times")?.as_int()? as usize;
    Some([part("before")?, &part("part")?.repeat(times), part("after")?].concat().into_bytes())
}

/// The rows of a table of this folder, from the repository at `root`.
pub fn rows(root: &Path, table: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(root.join("tests/bad_input").join(table)).expect("the table is there");
    let table: Value = serde_json::from_str(&text).expect("the table is JSON");
    let Value::Array(rows) = table else { panic!("the table is a list") };
    rows
}

/// The malformed experiments.
pub fn cases(root: &Path) -> Vec<Case> {
    let case = |row: &Value| {
        let name = row.get("name").and_then(Value::as_str).expect("each case has a name").to_owned();
        let content = content(row).unwrap_or_else(|| panic!("{name}: no content"));
        let paths = row.get("paths").and_then(texts).unwrap_or_else(|| panic!("{name}: no paths"));
        let schema = row.get("schema") != Some(&Value::Bool(false));
        Case { name, content, paths, schema }
    };
    rows(root, "cases.json").iter().map(case).collect()
}
