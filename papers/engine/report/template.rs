//! Texts that people write of a paper, with placeholders for what its report has measured.
//!
//! `{g107-avg}` is what that claim comes to. `{readings/literal/two/mean size}` stands in the table `readings`: row `literal`, column
//! `two`, cell `mean size`. A table with one number in each field needs no cell. `:1` at the end is how many decimals.

use super::causes::Causes;
use super::tables::{self, Filled};
use crate::engine::measures::{Measures, Outcome};
use crate::engine::paper::claims::Claim;
use crate::engine::paper::tables::Table;
use crate::engine::verdict::{Judgement, number};
use sim_core::describe::error::Problems;

/// Decimals of a value, at most.
const MOST_DECIMALS: usize = 6;

/// Names every placeholder that is of no claim and of no table.
pub fn check(causes: &Causes, claims: &[Claim], tables: &[Table]) -> Result<(), Problems> {
    let mut problems = Problems::default();
    let known = |name: &str| claims.iter().any(|claim| claim.id == name) || field(tables, name).is_some();
    for (path, text) in causes.texts() {
        for placeholder in pieces(text).filter_map(|(_, placeholder)| placeholder).filter(|placeholder| !known(named(placeholder).0)) {
            problems.add(
                format!("causes.toml: {path}"),
                format!("{{{placeholder}}}"),
                "the id of a claim, or table/row/column/cell, in braces",
            );
        }
    }
    problems.or(())
}

/// Puts values in the place of placeholders.
pub fn fill(causes: &mut Causes, judgements: &[Judgement], measures: &Measures) {
    let tables = &measures.runs.study.tables;
    let filled: Vec<Filled> = tables.iter().map(|table| tables::fill(table, measures)).collect();
    let value = |name: &str| match judgements.iter().find(|judgement| judgement.claim.id == name) {
        Some(Judgement { outcome: Outcome::Value(value), .. }) => *value,
        Some(_) => None,
        None => field(tables, name).and_then(|(table, [row, column, cell])| filled[table].rows[row][column][cell]),
    };
    let shown = |placeholder: &str| {
        let (name, decimals) = named(placeholder);
        let rounded = |value: f64| decimals.map_or_else(|| number(value), |decimals| format!("{value:.decimals$}"));
        value(name).map_or("–".to_owned(), rounded)
    };
    causes
        .change(|text| pieces(text).map(|(before, placeholder)| format!("{before}{}", placeholder.map_or(String::new(), shown))).collect());
}

/// A text cut at its placeholders: what stands before each, and the last piece alone.
fn pieces(text: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let now = rest?;
        let Some((before, (placeholder, after))) = now.split_once('{').and_then(|(before, after)| Some((before, after.split_once('}')?)))
        else {
            rest = None;
            return Some((now, None));
        };
        rest = Some(after);
        Some((before, Some(placeholder)))
    })
}

/// What a placeholder names, and with how many decimals.
fn named(placeholder: &str) -> (&str, Option<usize>) {
    let decimals = |(name, decimals): (_, &str)| Some((name, decimals.parse().ok().filter(|&n: &usize| n <= MOST_DECIMALS)));
    placeholder.rsplit_once(':').and_then(decimals).filter(|(_, decimals)| decimals.is_some()).unwrap_or((placeholder, None))
}

/// The table of a name and where in it the value stands.
fn field(tables: &[Table], name: &str) -> Option<(usize, [usize; 3])> {
    let mut words = name.split('/');
    let (table, row, column, cell) = (words.next()?, words.next()?, words.next()?, words.next());
    let at = tables.iter().position(|other| other.id == table)?;
    Some((at, tables[at].place(row, column, cell)?)).filter(|_| words.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_its_quotes() {
        let cut = |text| pieces(text).collect::<Vec<_>>();
        assert_eq!(cut("a {b:1} c {d/e}"), [("a ", Some("b:1")), (" c ", Some("d/e")), ("", None)]);
        assert_eq!(cut("none"), [("none", None)]);
        assert_eq!(cut("open { only"), [("open { only", None)]);
        assert_eq!(named("b:1"), ("b", Some(1)));
        assert_eq!(named("r/1: x/c"), ("r/1: x/c", None));
    }
}
