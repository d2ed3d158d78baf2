//! Paths within an input, as problems name them; and two checks that depend on the mix, which no record can say.

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

/// Names in a row in the place of one that is none, behind those that it may be meant for.
pub fn one_near(name: &str, names: &[&str]) -> String {
    let near = near(name, names.iter().copied());
    if near.is_empty() { one_of(names) } else { format!("perhaps {}: {}", near.join(" or "), one_of(names)) }
}

/// Names that are shown as near to another.
const MOST_NEAR: usize = 5;

/// Of `names`, those that begin alike, or else are a few letters away, whatever their case and the part before a slash.
pub fn near<'n>(name: &str, names: impl Iterator<Item = &'n str> + Clone) -> Vec<&'n str> {
    let short = |name: &str| name.rsplit('/').next().unwrap_or(name).to_uppercase();
    let wanted = short(name);
    if wanted.is_empty() || wanted.len() > LONGEST_KEY {
        return Vec::new();
    }
    let begins = |other: &&str| short(other).starts_with(&wanted) || wanted.starts_with(&short(other));
    let alike: Vec<&str> = names.clone().filter(begins).take(MOST_NEAR).collect();
    if !alike.is_empty() {
        return alike;
    }
    let away = |other: &&str| edits(&wanted, &short(other)) <= wanted.chars().count() / 3;
    names.filter(away).take(MOST_NEAR).collect()
}

/// Letters to add, to take away, to replace or to swap with the next one until one text is the other.
fn edits(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let first: Vec<usize> = (0..=to.len()).collect();
    let (mut before, mut above) = (first.clone(), first);
    for (i, a) in from.iter().enumerate() {
        let mut row = alloc::vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let replaced = above[j] + usize::from(a != b);
            let swaps = i > 0 && j > 0 && from[i - 1] == *b && to[j - 1] == *a;
            let swapped = if swaps { before[j - 1] + 1 } else { usize::MAX };
            row.push(replaced.min(swapped).min(above[j + 1] + 1).min(row[j] + 1));
        }
        (before, above) = (above, row);
    }
    above[to.len()]
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
    fn names_are_near_that_begin_alike_or_are_a_few_letters_away() {
        let names = ["leftover", "even", "spatial", "ccbp", "a100-40gb", "h100-sxm5", "h200-sxm"];
        for (name, want) in [
            ("evn", &["even"][..]),
            ("CCPB", &["ccbp"]),
            ("eevn", &["even"]),
            ("neve", &[]),
            ("spacial", &["spatial"]),
            ("paper/Spatial", &["spatial"]),
            ("h100", &["h100-sxm5"]),
            ("h", &["h100-sxm5", "h200-sxm"]),
            ("h100-sxm", &["h100-sxm5"]),
            ("h300-sxm", &["h100-sxm5", "h200-sxm"]),
            ("fair", &[]),
            ("", &[]),
        ] {
            assert_eq!(near(name, names.into_iter()), want, "{name}");
        }
        assert_eq!(one_near("evn", &names[..2]), "perhaps even: one of leftover, even");
        assert_eq!(one_near("fair", &names[..2]), "one of leftover, even");
        assert_eq!([edits("", "ab"), edits("kitten", "sitting"), edits("ab", "ba"), edits("x", "x")], [2, 3, 1, 0]);
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
    }
}
