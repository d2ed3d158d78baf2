//! Reading a `Value` field by field, so that everything wrong with an input is reported at once, each with its path.

use crate::describe::error::{Problems, one_line};
use crate::describe::value::Value;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
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

/// The fields of one object, taken one after another; what is left at the end is unknown.
#[derive(Debug)]
pub struct Fields<'v> {
    path: String,
    left: Vec<(&'v str, &'v Value)>,
    known: Vec<&'static str>,
}

impl<'v> Fields<'v> {
    /// The fields of `value`, if it is an object; a field that occurs twice is a problem.
    pub fn of(value: &'v Value, path: &str, what: &str, problems: &mut Problems) -> Option<Self> {
        let Value::Object(pairs) = value else {
            problems.add(whole_path(path), value.describe(), what);
            return None;
        };
        if pairs.len() > 4096 {
            problems.add(whole_path(path), format!("{} fields", pairs.len()), "at most 4096");
            return None;
        }
        let mut left: Vec<(&str, &Value)> = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            if left.iter().any(|(seen, _)| seen == key) {
                problems.add(field(path, key), "the field twice", "it once");
            } else {
                left.push((key, value));
            }
        }
        Some(Fields { path: path.to_string(), left, known: Vec::new() })
    }

    /// The path of a field of this object.
    pub fn path(&self, key: &str) -> String {
        field(&self.path, key)
    }

    /// Takes a field, if it is there.
    pub fn take(&mut self, key: &'static str) -> Option<&'v Value> {
        self.known.push(key);
        let at = self.left.iter().position(|(k, _)| *k == key)?;
        // Keeping the order of the rest costs little and keeps problems in the order of the input.
        Some(self.left.remove(at).1)
    }

    /// Takes a field that must be there.
    pub fn need(&mut self, key: &'static str, want: &str, problems: &mut Problems) -> Option<&'v Value> {
        let value = self.take(key);
        if value.is_none() {
            problems.add(self.path(key), "nothing", want);
        }
        value
    }

    /// Takes a whole number in `range`, or `default` if it is not there (a problem if there is no default).
    pub fn int(&mut self, key: &'static str, range: RangeInclusive<i64>, default: Option<i64>, problems: &mut Problems) -> Option<i64> {
        match self.take(key) {
            Some(value) => int(value, &self.path(key), range, problems),
            None => {
                if default.is_none() {
                    problems.add(self.path(key), "nothing", want_int(&range));
                }
                default
            }
        }
    }

    /// Takes true or false, or `default` if it is not there.
    pub fn flag(&mut self, key: &'static str, default: bool, problems: &mut Problems) -> bool {
        match self.take(key) {
            Some(Value::Bool(b)) => *b,
            Some(other) => {
                problems.add(self.path(key), other.describe(), "true or false");
                default
            }
            None => default,
        }
    }

    /// Takes text of at most `longest` characters, or nothing if it is not there.
    pub fn text(&mut self, key: &'static str, longest: usize, problems: &mut Problems) -> Option<String> {
        let value = self.take(key)?;
        text(value, &self.path(key), longest, problems)
    }

    /// Takes what is left, for objects whose keys are open.
    pub fn rest(&mut self) -> Vec<(&'v str, &'v Value)> {
        core::mem::take(&mut self.left)
    }

    /// Reports every field that was not taken.
    pub fn finish(self, problems: &mut Problems) {
        for (key, value) in &self.left {
            let want = if self.known.is_empty() { "no such field".into() } else { format!("one of {}", self.known.join(", ")) };
            problems.add(field(&self.path, key), format!("an unknown field ({})", value.describe()), want);
        }
    }
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

/// A number in `range`.
pub fn number(value: &Value, path: &str, range: RangeInclusive<f64>, problems: &mut Problems) -> Option<f64> {
    match value.as_f64() {
        Some(x) if range.contains(&x) => Some(x),
        _ => {
            problems.add(path, value.describe(), format!("a number from {} to {}", range.start(), range.end()));
            None
        }
    }
}

/// Text of at most `longest` characters.
pub fn text(value: &Value, path: &str, longest: usize, problems: &mut Problems) -> Option<String> {
    match value.as_str() {
        Some(s) if s.chars().count() <= longest => Some(s.to_string()),
        _ => {
            problems.add(path, value.describe(), format!("text of at most {longest} characters"));
            None
        }
    }
}

/// One of several names; returns its place in `names`.
pub fn choice(value: &Value, path: &str, names: &[&str], problems: &mut Problems) -> Option<usize> {
    let found = value.as_str().and_then(|s| names.iter().position(|name| *name == s));
    if found.is_none() {
        problems.add(path, value.describe(), format!("one of {}", names.join(", ")));
    }
    found
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
    fn every_problem_is_reported_with_its_path() {
        let value = Value::object([("a", Value::from("x")), ("b", Value::from(9_u8)), ("b", Value::Null), ("c", Value::Null)]);
        let mut problems = Problems::default();
        let mut fields = Fields::of(&value, "top", "an object", &mut problems).unwrap();
        assert_eq!(fields.int("a", 0..=5, None, &mut problems), None);
        assert_eq!(fields.int("b", 0..=5, None, &mut problems), None);
        assert_eq!(fields.int("d", 0..=5, Some(3), &mut problems), Some(3));
        fields.finish(&mut problems);
        let lines: Vec<String> = problems.0.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "top.b: found the field twice, want it once",
                "top.a: found \"x\", want a whole number from 0 to 5",
                "top.b: found 9, want a whole number from 0 to 5",
                "top.c: found an unknown field (null), want one of a, b, d",
            ]
        );
    }

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
        let mut problems = Problems::default();
        let value = Value::object([("", Value::object([("", Value::Null)]))]);
        let Value::Object(pairs) = &value else { panic!("an object") };
        Fields::of(&pairs[0].1, &field("", &pairs[0].0), "", &mut problems).unwrap().finish(&mut problems);
        assert!(problems.to_string().starts_with("[\"\"][\"\"]: found an unknown field (null)"), "{problems}");
    }
}
