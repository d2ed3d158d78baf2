//! A Markdown text as sentences, links and anchors.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::HashMap;

/// A sentence. It ends at a full stop, at a question mark, at an exclamation mark, or with its paragraph, list item or line of a doc comment's list.
#[derive(Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The line that it begins on, from 1.
    pub line: usize,
    /// How many words it has. Inline code is one word; a sign without a letter or a digit is none.
    pub words: usize,
    /// Its first words.
    pub opening: String,
}

/// What a text says and where it leads.
#[derive(Debug, Default)]
pub struct Prose {
    pub sentences: Vec<Sentence>,
    /// Line and address of each link and picture.
    pub links: Vec<(usize, String)>,
    /// The names by which links find the headings.
    pub anchors: Vec<String>,
}

/// Reads Markdown. Code blocks, tables, HTML and the descriptions of pictures hold no sentence; headings hold anchors.
pub fn read(text: &str) -> Prose {
    let lines = Lines::of(text);
    let (mut prose, mut paragraph, mut heading) = (Prose::default(), Paragraph::default(), None::<String>);
    // How many tags are open whose text is no sentence.
    let mut silent = 0_u32;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                match &tag {
                    Tag::Heading { .. } => heading = Some(String::new()),
                    Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                        prose.links.push((lines.number(range.start), dest_url.to_string()))
                    }
                    _ => {}
                }
                if is_block(&tag.to_end()) {
                    paragraph.end(&lines, &mut prose.sentences);
                }
                silent += u32::from(is_silent(&tag.to_end()));
            }
            Event::End(tag) => {
                silent -= u32::from(is_silent(&tag));
                if is_block(&tag) {
                    paragraph.end(&lines, &mut prose.sentences);
                }
                if let (TagEnd::Heading(_), Some(text)) = (tag, heading.take()) {
                    prose.anchors.push(text);
                }
            }
            Event::Text(text) if silent == 0 => paragraph.push(&text, range.start),
            // Inline code is one word, whatever it holds.
            Event::Code(code) if silent == 0 => paragraph.push(&format!("`{}`", code.replace(char::is_whitespace, HELD)), range.start),
            Event::SoftBreak | Event::HardBreak if silent == 0 => paragraph.push(" ", range.start),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            _ => {}
        }
    }
    prose.anchors = anchors(&prose.anchors);
    prose
}

/// Stands for a space in inline code.
const HELD: &str = "\u{1}";

/// Whether the text of a tag ends a sentence where the tag begins and ends.
fn is_block(tag: &TagEnd) -> bool {
    !matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

/// Whether the text of a tag holds no sentence.
fn is_silent(tag: &TagEnd) -> bool {
    matches!(tag, TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::Table | TagEnd::HtmlBlock | TagEnd::Image)
}

/// A text that may have several sentences, with where its parts stand in the source.
#[derive(Default)]
struct Paragraph {
    text: String,
    parts: Vec<(usize, usize)>,
}

impl Paragraph {
    fn push(&mut self, text: &str, from: usize) {
        self.parts.push((self.text.len(), from));
        self.text.push_str(text);
    }

    fn end(&mut self, lines: &Lines, sentences: &mut Vec<Sentence>) {
        let words: Vec<&str> = self.text.split_whitespace().collect();
        let mut first = 0;
        for last in 0..words.len() {
            if last + 1 < words.len() && !ends(words[last], words[last + 1]) {
                continue;
            }
            let sentence = &words[first..=last];
            let begins = sentence[0].as_ptr() as usize - self.text.as_ptr() as usize;
            let part = self.parts[self.parts.partition_point(|part| part.0 <= begins) - 1];
            let counted = sentence.iter().filter(|word| word.contains('`') || word.contains(char::is_alphanumeric)).count();
            if counted > 0 {
                let opening = sentence[..sentence.len().min(6)].join(" ").replace(HELD, " ");
                sentences.push(Sentence { line: lines.number(part.1 + begins - part.0), words: counted, opening });
            }
            first = last + 1;
        }
        *self = Paragraph::default();
    }
}

/// Words with a full stop that end no sentence.
const ABBREVIATIONS: [&str; 21] = [
    "al", "approx", "cf", "ch", "dr", "e.g", "eq", "eqs", "etc", "fig", "figs", "i.e", "p", "pp", "resp", "sec", "st", "tab", "vol", "vs",
    "viz",
];

/// Whether a word ends a sentence before the next one, which then does not begin with a small letter.
fn ends(word: &str, next: &str) -> bool {
    let bare = word.trim_end_matches([')', ']', '"', '”', '’', '\'']);
    let goes_on = next.trim_start_matches(['(', '[', '"', '“', '‘', '\'']).starts_with(char::is_lowercase);
    if goes_on || bare.ends_with("...") {
        return false;
    }
    let Some(stem) = bare.strip_suffix('.') else { return bare.ends_with(['!', '?']) };
    let stem = stem.trim_start_matches(['(', '[', '"', '“', '‘', '\'']);
    let is_initial = stem.chars().count() == 1 && stem.starts_with(char::is_uppercase);
    !is_initial && !ABBREVIATIONS.contains(&stem.to_lowercase().as_str())
}

/// Where the lines of a text begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Lines {
        Lines(std::iter::once(0).chain(text.match_indices('\n').map(|at| at.0 + 1)).collect())
    }

    fn number(&self, at: usize) -> usize {
        self.0.partition_point(|&begin| begin <= at)
    }
}

/// The anchors of headings, as GitHub makes them.
fn anchors(headings: &[String]) -> Vec<String> {
    let mut seen = HashMap::new();
    let mut name = |heading: &String| {
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let plain = heading.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-");
        let times: &mut u32 = seen.entry(plain.clone()).or_default();
        *times += 1;
        if *times == 1 { plain } else { format!("{plain}-{}", *times - 1) }
    };
    headings.iter().map(&mut name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<usize> {
        read(text).sentences.iter().map(|sentence| sentence.words).collect()
    }

    #[test]
    fn a_stop_ends_a_sentence_and_an_abbreviation_or_a_number_does_not() {
        assert_eq!(words("One two. Three four? (Five!) \"Six.\" Seven"), [2, 2, 1, 1, 1]);
        assert_eq!(words("As Fig. 2 and eqs. 3 show, e.g. in §4.2 (cf. Lin et al. 2019), 0.5 vs. 1.5 it is. K. Keutzer says so."), [20, 4]);
        assert_eq!(words("From 1, 2, … to 8 or 1, 2, ... Eight"), [9]);
        assert_eq!(words("It is 1/K. The rest is 5 %. 16 SMs have it."), [3, 4, 4]);
        // What goes on with a small letter is the same sentence.
        assert_eq!(words("See machine.md. there"), [3]);
    }

    #[test]
    fn a_paragraph_and_an_item_end_a_sentence_without_a_stop() {
        assert_eq!(words("One two\n\nthree\n\n- four five\n- six\n  seven\n\n1. eight\n\n> nine ten"), [2, 1, 2, 2, 1, 2]);
        assert_eq!(words("It has:\n- one\n- two, and\n\n  a paragraph"), [2, 1, 2, 2]);
    }

    #[test]
    fn code_is_one_word_and_signs_are_none() {
        assert_eq!(words("Set `a b. C` = `d`, then *e* – **f** [g h](i.md)."), [8]);
        assert_eq!(words("Run `corun run x.json --set a=b`. `next` begins"), [2, 2]);
    }

    #[test]
    fn code_blocks_tables_headings_html_and_pictures_hold_no_sentence() {
        let text = "# One two\n\n```sh\nthree\n```\n\n| a | b |\n|---|---|\n| c | d |\n\n<!-- e\nf -->\n\n![g h](i.png)\n\nj k";
        assert_eq!(words(text), [2]);
    }

    #[test]
    fn a_sentence_knows_its_line_and_how_it_begins() {
        let found = read("\nOne two.\nThree\nfour. *Five* six `se ven` eight nine ten eleven.\n").sentences;
        let line = |line, words, opening: &str| Sentence { line, words, opening: opening.to_owned() };
        assert_eq!(found, [line(2, 2, "One two."), line(3, 2, "Three four."), line(4, 7, "Five six `se ven` eight nine ten")]);
    }

    #[test]
    fn links_and_headings_are_found() {
        let prose = read("# The `a` of B, c\n\n[x](y.md#z) ![p](q.svg)\n\n## D\n\n## D\n");
        assert_eq!(prose.links, [(3, "y.md#z".to_owned()), (3, "q.svg".to_owned())]);
        assert_eq!(prose.anchors, ["the-a-of-b-c", "d", "d-1"]);
    }
}
