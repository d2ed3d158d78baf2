//! A page as what the numbers of it stand on: its fences, its marks, the numerals between them.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// What of a page is not prose, and every numeral that is.
#[derive(Debug, Default)]
pub struct Page {
    /// Fences and runs that comments name, in the order of the page.
    pub steps: Vec<Step>,
    /// What comments say of the text before them.
    pub marks: Vec<Mark>,
    /// Numerals of sentences, tables and descriptions, by their place. Headings, code and addresses have none.
    pub numerals: Vec<Range<usize>>,
}

/// A fence, or a comment such as `<!--run NAME = COMMAND-->`.
#[derive(Debug, PartialEq, Eq)]
pub struct Step {
    /// Words behind the opening of a fence; of a comment `run` and the name.
    pub info: Vec<String>,
    /// The lines within.
    pub body: Range<usize>,
}

/// A comment behind what it speaks of.
#[derive(Debug, PartialEq, Eq)]
pub struct Mark {
    /// Where the comment begins.
    pub at: usize,
    /// Where it ends.
    pub end: usize,
    pub kind: Kind,
    /// What is to be computed.
    pub expression: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `<!--= EXPRESSION-->`: the number before it.
    Value,
    /// `<!--? EXPRESSION-->`: what the sentence before it concludes.
    Holds,
}

/// Reads Markdown.
pub fn read(text: &str) -> Page {
    let mut page = Page::default();
    let (mut silent, mut fence) = (0_u32, None::<(Vec<String>, Option<Range<usize>>)>);
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let info = if let CodeBlockKind::Fenced(info) = kind { info.to_string() } else { String::new() };
                fence = Some((info.split_whitespace().map(str::to_owned).collect(), None));
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some((info, body)) = fence.take() {
                    page.steps.push(Step { info, body: body.unwrap_or(range.end..range.end) });
                }
            }
            Event::Text(_) if fence.is_some() => {
                if let Some((_, body)) = &mut fence {
                    *body = Some(body.as_ref().map_or(range.start, |body| body.start)..range.end);
                }
            }
            Event::Start(Tag::Heading { .. }) => silent += 1,
            Event::End(TagEnd::Heading(_)) => silent -= 1,
            Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) => comments(text, range, &mut page),
            Event::Text(_) if silent == 0 => numerals(text, range, &mut page.numerals),
            _ => {}
        }
    }
    page
}

/// The comments of a piece of HTML that say something to this program.
fn comments(text: &str, range: Range<usize>, page: &mut Page) {
    let mut from = range.start;
    while let Some(begin) = text[from..range.end].find("<!--").map(|at| from + at) {
        let Some(end) = text[begin..].find("-->").map(|at| begin + at + 3) else { return };
        let inside = begin + 4..end - 3;
        let said = &text[inside.clone()];
        let mark = |kind, expression: &str| Mark { at: begin, end, kind, expression: expression.trim().to_owned() };
        if let Some(expression) = said.strip_prefix('=') {
            page.marks.push(mark(Kind::Value, expression));
        } else if let Some(expression) = said.strip_prefix('?') {
            page.marks.push(mark(Kind::Holds, expression));
        } else if let Some((name, command)) = said.strip_prefix("run ").and_then(|run| run.split_once(" = ")) {
            let info = ["run", name].map(str::to_owned).to_vec();
            page.steps.push(Step { info, body: inside.end - command.len()..inside.end });
        }
        from = end;
    }
}

/// Digits with no letter before them, with the points and commas between them.
fn numerals(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let digit = |at: usize| at < range.end && bytes[at].is_ascii_digit();
    let mut at = range.start;
    while at < range.end {
        if !digit(at) {
            at += 1;
            continue;
        }
        let part_of_word = text[..at].chars().next_back().is_some_and(|c| c.is_alphabetic() || c == '_');
        let mut end = at + 1;
        while digit(end) || (end < range.end && matches!(bytes[end], b'.' | b',') && digit(end + 1)) {
            end += 1;
        }
        if !part_of_word {
            // `.3` begins at its point.
            let point = at > range.start && bytes[at - 1] == b'.' && (at < 2 || !bytes[at - 2].is_ascii_alphanumeric());
            found.push(at - usize::from(point)..end);
        }
        at = end;
    }
}

/// The line of a place, from 1.
pub fn line(text: &str, at: usize) -> usize {
    text[..at].bytes().filter(|&byte| byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_its_fences_its_marks_and_its_numerals() {
        let text = "# 1. A\n\nBP is 5.4<!--= a.x--> slower, 1,200 in L2 of `200`; .3.<!--? a.x > 2-->\n\n\
                    <!--run b = corun run x --cycles 9k-->\n\n```sh run=a\ncorun run 7\n```\n\n| 8 | [x 9](y10.md) |\n|-|-|\n";
        let page = read(text);
        let numerals: Vec<&str> = page.numerals.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(numerals, ["5.4", "1,200", ".3", "8", "9"]);
        let marks: Vec<(Kind, &str)> = page.marks.iter().map(|mark| (mark.kind, mark.expression.as_str())).collect();
        assert_eq!(marks, [(Kind::Value, "a.x"), (Kind::Holds, "a.x > 2")]);
        let steps: Vec<(String, &str)> = page.steps.iter().map(|step| (step.info.join(" "), &text[step.body.clone()])).collect();
        assert_eq!(steps, [("run b".into(), "corun run x --cycles 9k"), ("sh run=a".into(), "corun run 7\n")]);
        assert_eq!(line(text, page.numerals[0].start), 3);
    }
}
