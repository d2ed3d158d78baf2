//! The words of a verdict.

use crate::describe::ids::MAX_KERNELS;
use crate::describe::record::Absent::{Needed, Words};
use crate::describe::record::{Shape, int, names, record, text};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

names! {
    /// A figure in a sentence.
    pub enum Figure {
        /// How many times slower than alone a kernel is.
        Slowdown = "slowdown",
        /// How many times slower its share makes it.
        ShareCost = "share_cost",
        /// How many times slower its neighbours make it there.
        NeighbourCost = "neighbour_cost",
        /// How many times less they cost it with the best cure.
        GivesBack = "gives_back",
    }
}

record! {
    /// A piece of a headline.
    pub struct Part as PART "Part", "a piece of a headline";
    /// Its words.
    text: String = text!(400), Needed;
    /// The kernel that it names, or whose figure it is.
    kernel: Option<u32> = int!(0, MAX_KERNELS - 1), Words("neither");
    /// Which figure of that kernel it is.
    figure: Option<Figure> = Shape::Choice(Figure::NAMES), Words("words");
}

/// A sentence in which kernels and their figures can be found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sentence(pub Vec<Part>);

impl Sentence {
    fn with(mut self, text: impl Into<String>, kernel: Option<usize>, figure: Option<Figure>) -> Self {
        self.0.push(Part { text: text.into(), kernel: kernel.map(|kernel| kernel as u32), figure });
        self
    }

    /// Goes on with words.
    pub fn words(self, text: impl Into<String>) -> Self {
        self.with(text, None, None)
    }

    /// Goes on with a kernel's name.
    pub fn name(self, kernel: usize, name: &str) -> Self {
        self.with(name, Some(kernel), None)
    }

    /// Goes on with a kernel's figure.
    pub fn figure(self, kernel: usize, figure: Figure, value: f64) -> Self {
        self.with(times(value), Some(kernel), Some(figure))
    }

    /// The kernel beside which another one runs, or that there are several.
    pub fn other(self, of: usize, names: &[&str]) -> Self {
        match names {
            [_, _] => self.name(1 - of, names[1 - of]),
            _ => self.words("others"),
        }
    }

    /// As text.
    pub fn text(&self) -> String {
        self.0.iter().map(|part| part.text.as_str()).collect()
    }
}

/// A headline is read at a glance.
const MOST_WORDS: usize = 25;

/// As many of these sentences, at least one, as are read at a glance; and the others.
pub fn headline(sentences: Vec<Sentence>) -> (Sentence, Vec<Sentence>) {
    let (mut first, mut rest) = (Sentence::default(), Vec::new());
    for sentence in sentences {
        let words = |of: &Sentence| of.text().split_whitespace().count();
        if first.0.is_empty() {
            first = sentence;
        } else if rest.is_empty() && words(&first) + words(&sentence) <= MOST_WORDS {
            first = first.words(" ");
            first.0.extend(sentence.0);
        } else {
            rest.push(sentence);
        }
    }
    (first, rest)
}

/// Within this of 1, a slowdown is none.
pub const ALIKE: f64 = 0.05;

/// What a kernel does; `again`: after a clause about another one.
pub fn pace(kernel: usize, name: &str, slowdown: f64, again: bool) -> Sentence {
    let said = Sentence::default().name(kernel, name);
    if slowdown.is_infinite() {
        said.words(" gets nothing")
    } else if slowdown < 1.0 - ALIKE {
        said.words(" is ").with(times(1.0 / slowdown), Some(kernel), Some(Figure::Slowdown)).words(" times faster than alone")
    } else if slowdown <= 1.0 + ALIKE {
        said.words(" is as fast as alone")
    } else {
        let than = if again { " times slower" } else { " times slower than alone" };
        said.words(" is ").figure(kernel, Figure::Slowdown, slowdown).words(than)
    }
}

/// `BP`, `BP and CFD`, `BP, CFD and SAD`.
pub fn list_of<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut names: Vec<&str> = names.into_iter().collect();
    match names.pop() {
        Some(last) if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        last => last.unwrap_or_default().into(),
    }
}

/// `12.3`, `1.29`: as many digits as a reader can use.
pub fn times(times: f64) -> String {
    if times >= 9.95 { format!("{times:.1}") } else { format!("{times:.2}") }
}

pub fn percent(part: f64) -> String {
    if part < 0.095 { format!("{:.1} %", part * 100.0) } else { format!("{:.0} %", part * 100.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slowdown_is_said_once_in_full() {
        let said = |slowdown, again| pace(0, "BP", slowdown, again).text();
        assert_eq!([said(4.768, false), said(4.768, true)], ["BP is 4.77 times slower than alone", "BP is 4.77 times slower"]);
        assert_eq!([said(1.02, true), said(0.5, true)], ["BP is as fast as alone", "BP is 2.00 times faster than alone"]);
        assert_eq!([said(f64::INFINITY, false), said(12.34, true)], ["BP gets nothing", "BP is 12.3 times slower"]);
    }

    #[test]
    fn a_headline_has_whole_sentences_that_are_read_at_a_glance() {
        let of = |words: usize| Sentence::default().words(["word"].repeat(words).join(" "));
        let long = |sentences: &[usize]| {
            let (first, rest) = headline(sentences.iter().map(|words| of(*words)).collect());
            (first.text().split_whitespace().count(), rest.len())
        };
        assert_eq!([long(&[14, 11]), long(&[14, 12, 3]), long(&[30]), long(&[])], [(25, 0), (14, 2), (30, 0), (0, 0)]);
    }
}
