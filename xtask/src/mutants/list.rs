//! The list of mutants that cargo-mutants makes, and the draw.

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// A seeded fault: a piece of one file, and what stands there instead.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Mutant {
    /// File, line, column and change; no two mutants have the same.
    pub name: String,
    pub file: String,
    span: Span,
    replacement: String,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
struct Span {
    start: Place,
    /// The first character behind it.
    end: Place,
}

/// Both count from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
struct Place {
    line: usize,
    column: usize,
}

impl Mutant {
    /// The text of its file with the fault in it.
    pub fn put_into(&self, text: &str) -> Result<String> {
        let (start, end) = (offset(text, self.span.start), offset(text, self.span.end));
        let (Some(start), Some(end)) = (start, end.filter(|&end| Some(end) >= start)) else {
            bail!("{}: {} has no such place", self.name, self.file);
        };
        Ok([&text[..start], &self.replacement, &text[end..]].concat())
    }
}

/// The byte at which a place begins.
fn offset(text: &str, place: Place) -> Option<usize> {
    let (before, column) = (place.line.checked_sub(1)?, place.column.checked_sub(1)?);
    let line = text.split_inclusive('\n').nth(before)?;
    let ends = line.char_indices().map(|(byte, _)| byte).chain([line.len()]).nth(column)?;
    Some(text.split_inclusive('\n').take(before).map(str::len).sum::<usize>() + ends)
}

/// Reads what `cargo mutants --list --json` prints.
pub fn read(json: &str) -> Result<Vec<Mutant>> {
    serde_json::from_str(json).context("the list of cargo-mutants cannot be read")
}

/// `count` of them, or all. The same seed draws the same, in the same order, and a larger count the same and more.
pub fn draw(mut mutants: Vec<Mutant>, count: usize, seed: u64) -> Vec<Mutant> {
    mutants.sort_by_cached_key(|mutant| (mix(seed, &mutant.name), mutant.name.clone()));
    mutants.truncate(count);
    mutants
}

/// FNV-1a of seed and name, and the last step of splitmix64, which lets every bit count.
fn mix(seed: u64, name: &str) -> u64 {
    let bytes = seed.to_le_bytes().into_iter().chain(name.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn mutant(name: &str, [line, column, end_line, end_column]: [usize; 4], replacement: &str) -> Mutant {
        let place = |line, column| Place { line, column };
        let span = Span { start: place(line, column), end: place(end_line, end_column) };
        Mutant { name: name.into(), file: "a.rs".into(), span, replacement: replacement.into() }
    }

    #[test]
    fn the_list_is_read_as_cargo_mutants_prints_it() {
        let entry = json!([{ "name": "a.rs:1:2: replace + with -", "package": "core", "file": "a.rs", "function": null, "genre": "BinaryOperator",
            "span": { "start": { "line": 1, "column": 2 }, "end": { "line": 1, "column": 3 } }, "replacement": "-", "diff": "" }]);
        assert_eq!(read(&entry.to_string()).expect("it is whole"), [mutant("a.rs:1:2: replace + with -", [1, 2, 1, 3], "-")]);
        let error = format!("{:#}", read(&json!([{ "name": "a" }]).to_string()).expect_err("it lacks its file"));
        assert!(error.contains("missing field `file`"), "{error}");
    }

    #[test]
    fn a_fault_stands_where_its_span_says() {
        let text = "fn f() {\n    é + 1\n}\n";
        let put = |span, replacement| mutant("m", span, replacement).put_into(text).map_err(|error| error.to_string());
        assert_eq!(put([2, 7, 2, 8], "-").as_deref(), Ok("fn f() {\n    é - 1\n}\n"));
        assert_eq!(put([1, 9, 3, 1], "()").as_deref(), Ok("fn f() {()}\n"));
        for nowhere in [[4, 1, 4, 2], [2, 1, 2, 99], [0, 1, 1, 1], [2, 8, 2, 7]] {
            assert_eq!(put(nowhere, ""), Err("m: a.rs has no such place".to_owned()), "{nowhere:?}");
        }
    }

    #[test]
    fn the_draw_follows_from_the_seed_alone() {
        let all: Vec<Mutant> = (0..100).map(|i| mutant(&i.to_string(), [1, 1, 1, 1], "")).collect();
        let drawn = |count, seed| draw(all.clone(), count, seed).into_iter().map(|mutant| mutant.name).collect::<Vec<_>>();
        let mut backwards = all.clone();
        backwards.reverse();
        assert_eq!(draw(backwards, 5, 1).into_iter().map(|mutant| mutant.name).collect::<Vec<_>>(), drawn(5, 1));
        assert_eq!(drawn(5, 1), drawn(9, 1)[..5]);
        assert_eq!(drawn(5, 1), ["46", "81", "19", "13", "69"]);
        assert_ne!(drawn(5, 1), drawn(5, 2));
        assert_eq!(drawn(1000, 1).len(), 100);
    }
}
