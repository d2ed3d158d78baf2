//! Paths within an input, as problems name them; and two checks that depend on the mix, which no record can say.

use crate::describe::error::{Problems, one_line};
use crate::describe::value::Value;
use alloc::format;
use alloc::string::{String, ToString};
use core::ops::RangeInclusive;

/// The path of a field of an object: `path.key`, or `path["key"]` for a key that would not read as one.
pub fn field(path: &str, key: &str) -> String {
    let is_word = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "_-+/".contains(c));
    if key.len() > LONGEST_KEY || !key.split('.').all(is_word) {
        format!("{path}[{}]", quoted(key))
    } else if path.is_empty() {
        key.to_string()
    } else {
        format!("{path}.{key}")
    }
}

/// Characters of a key that a path shows.
const LONGEST_KEY: usize = 64;

/// A key from an input, short and on one line.
fn quoted(key: &str) -> String {
    let shown: String = key.chars().take(LONGEST_KEY).collect();
    let more = if shown.len() < key.len() { "…" } else { "" };
    format!("\"{}{more}\"", one_line(&shown.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// The path of an element of a list.
pub fn element(path: &str, index: usize) -> String {
    format!("{path}[{index}]")
}

/// Names in a row, as problems want one of them.
pub fn one_of(names: &[&str]) -> String {
    format!("one of {}", names.join(", "))
}

/// What follows `outer` in `path`, if that is the same path or lies inside.
pub fn within<'p>(path: &'p str, outer: &str) -> Option<&'p str> {
    path.strip_prefix(outer).filter(|rest| rest.is_empty() || outer.is_empty() || rest.starts_with(['.', '[']))
}

/// The path as a problem prints it: the input itself needs a name too.
pub fn whole_path(path: &str) -> &str {
    if path.is_empty() { "(whole)" } else { path }
}

fn want_int(range: &RangeInclusive<i64>) -> String {
    if range.start() == range.end() {
        range.start().to_string()
    } else {
        format!("a whole number from {} to {}", range.start(), range.end())
    }
}

/// A whole number in `range`.
pub fn int(value: &Value, path: &str, range: RangeInclusive<i64>, problems: &mut Problems) -> Option<i64> {
    match value.as_int() {
        Some(n) if range.contains(&n) => Some(n),
        _ => {
            problems.add(path, value.describe(), want_int(&range));
            None
        }
    }
}

/// The elements of a list of `range` elements.
pub fn list<'v>(value: &'v Value, path: &str, range: RangeInclusive<usize>, what: &str, problems: &mut Problems) -> Option<&'v [Value]> {
    match value {
        Value::Array(items) if range.contains(&items.len()) => Some(items),
        _ => {
            problems.add(path, value.describe(), format!("a list of {} to {} {what}", range.start(), range.end()));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_no_word_is_quoted() {
        for (key, at_top, within) in [
            ("sm.l1-x/y_2", "sm.l1-x/y_2", "a.sm.l1-x/y_2"),
            ("", "[\"\"]", "a[\"\"]"),
            ("b.", "[\"b.\"]", "a[\"b.\"]"),
            ("b c", "[\"b c\"]", "a[\"b c\"]"),
            ("b[0]", "[\"b[0]\"]", "a[\"b[0]\"]"),
            ("\"\\\n", "[\"\\\"\\\\\\n\"]", "a[\"\\\"\\\\\\n\"]"),
        ] {
            assert_eq!((field("", key).as_str(), field("a", key).as_str()), (at_top, within));
        }
        assert_eq!(field("a", &"é".repeat(65)), format!("a[\"{}…\"]", "é".repeat(64)));
    }
}
