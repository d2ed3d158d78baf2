//! What can be wrong with an input, and how a run can end.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// What concerns several fields together, so that no shape can say it. A problem that it finds carries its name.
#[derive(Debug)]
pub struct Rule {
    /// Name, for docs and tests.
    pub name: &'static str,
    /// What must hold.
    pub says: &'static str,
}

/// Rules, each a doc comment and a name: the comment is what must hold.
macro_rules! rule {
    ($($(#[doc = $says:literal])+ pub $RULE:ident = $name:literal;)+) => { $(
        $(#[doc = $says])+
        pub static $RULE: $crate::describe::error::Rule = $crate::describe::error::Rule { name: $name, says: concat!($($says),+) };
    )+ };
}
pub(crate) use rule;

/// One thing wrong with an input: where, what was found, what is wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Path of the field, such as `kernels[1].ctas_per_sm`.
    pub path: String,
    /// What was found, shortened.
    pub found: String,
    /// What is wanted instead.
    pub want: String,
    /// Name of the rule across fields that found it; none for a field by itself.
    pub rule: Option<&'static str>,
}

/// Characters of a place, and of what was found there, beyond which the rest is left out: both may be an input's.
const SHOWN: usize = 300;

impl Problem {
    /// A problem from its three parts.
    pub fn new(path: impl ToString, found: impl ToString, want: impl ToString) -> Self {
        Problem { path: shortened(path.to_string()), found: shortened(found.to_string()), want: want.to_string(), rule: None }
    }
}

/// A text without its middle, if it is long: a message begins and ends with what it says itself.
fn shortened(text: String) -> String {
    // Bytes are no fewer than characters.
    if text.len() <= SHOWN || text.chars().count() <= SHOWN {
        return text;
    }
    let end: Vec<char> = text.chars().rev().take(SHOWN / 3).collect();
    text.chars().take(SHOWN - end.len()).chain(['…']).chain(end.into_iter().rev()).collect()
}

/// Text from an input as one line of a terminal: what would end the line, drive the terminal or turn the reading direction is escaped.
pub fn one_line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let drives = c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if drives { shown.extend(c.escape_debug()) } else { shown.push(c) }
    }
    shown
}

/// One line, whatever stands in the input.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&one_line(&format!("{}: found {}, want {}", self.path, self.found, self.want)))
    }
}

/// Problems that are listed in full; the rest are counted.
const LISTED: usize = 20;

/// Problems after which a search in many places may stop: one bad value can spoil many points of a sweep.
pub const ENOUGH: usize = 1000;

/// Every problem found in one input; never empty when it is returned as an error.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Problems(pub Vec<Problem>);

impl Problems {
    /// Adds a problem.
    pub fn add(&mut self, path: impl ToString, found: impl ToString, want: impl ToString) {
        self.0.push(Problem::new(path, found, want));
    }

    /// Runs a check of a rule across fields: what it adds carries the rule's name, unless a rule within it has given its own.
    pub fn by<T>(&mut self, rule: &'static Rule, check: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.0.len();
        let checked = check(self);
        self.0[before..].iter_mut().for_each(|problem| {
            problem.rule.get_or_insert(rule.name);
        });
        checked
    }

    /// The value if nothing was found wrong, else all that was, as problems of a rule.
    pub fn or_of<T>(mut self, rule: &'static Rule, value: T) -> Result<T, Problems> {
        self.0.iter_mut().for_each(|problem| problem.rule = Some(rule.name));
        self.or(value)
    }

    /// The value if nothing was found wrong, else all that was.
    pub fn or<T>(self, value: T) -> Result<T, Problems> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }
}

/// A line for each problem, and a last one that counts those which are not listed.
impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<String> = self.0.iter().take(LISTED).map(ToString::to_string).collect();
        let more = self.0.len() - lines.len();
        if more > 0 {
            let least = if self.0.len() < ENOUGH { "" } else { "at least " };
            lines.push(Problem::new("(and more)", format!("{least}{more} more problems"), "none").to_string());
        }
        f.write_str(&lines.join("\n"))
    }
}

impl core::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_one_line_that_drives_no_terminal() {
        let problem = Problem::new("a\nb", "\u{1b}[31mred\u{9b}2J\u{7f}\r", "é “quoted” \u{202e}drawkcab\u{2028}");
        let shown = problem.to_string();
        assert_eq!(shown, r"a\nb: found \u{1b}[31mred\u{9b}2J\u{7f}\r, want é “quoted” \u{202e}drawkcab\u{2028}");
    }

    #[test]
    fn many_problems_are_counted() {
        let lines = |n: usize| Problems((0..n).map(|i| Problem::new(i, "x", "y")).collect()).to_string();
        assert_eq!(lines(20).lines().count(), 20);
        let many = lines(123);
        assert_eq!(many.lines().count(), 21);
        assert_eq!(many.lines().last(), Some("(and more): found 103 more problems, want none"));
        assert_eq!(lines(ENOUGH).lines().last(), Some("(and more): found at least 980 more problems, want none"));
    }
}
