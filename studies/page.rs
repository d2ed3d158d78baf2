//! A page with marks: `{rows}` stands for what a study has measured under that name, as lines or within one.

use std::collections::BTreeMap;
use std::fmt::Display;

/// What a study has measured, by mark.
#[derive(Debug, Default)]
pub struct Page(BTreeMap<&'static str, String>);

impl Page {
    /// A word or a number.
    pub fn say(&mut self, mark: &'static str, text: impl Display) {
        self.0.insert(mark, text.to_string());
    }

    /// One more line.
    pub fn line(&mut self, mark: &'static str, text: impl Display) {
        let lines = self.0.entry(mark).or_default();
        if !lines.is_empty() {
            lines.push('\n');
        }
        *lines += &text.to_string();
    }

    /// The template with what was measured in place of its marks. A mark that nothing fills, and something that stands nowhere, are wrong: the line of
    /// the template, and why.
    pub fn fill(&self, template: &str) -> Result<String, (usize, String)> {
        let (mut text, mut unused) = (String::new(), self.0.clone());
        for (at, line) in template.lines().enumerate() {
            let mut rest = line;
            while let Some((before, mark, after)) = next_mark(rest) {
                let found = self.0.get(mark).ok_or_else(|| {
                    let known: Vec<&str> = self.0.keys().copied().collect();
                    (at + 1, format!("found {{{mark}}}, want a mark that the study fills: {}", known.join(", ")))
                })?;
                unused.remove(mark);
                text.extend([before, found]);
                rest = after;
            }
            text.extend([rest, "\n"]);
        }
        match unused.keys().next() {
            Some(mark) => Err((template.lines().count(), format!("found no {{{mark}}}, want it where the study's {mark} are to stand"))),
            None => Ok(text),
        }
    }
}

/// The first mark of a line, with what is before and behind it.
fn next_mark(line: &str) -> Option<(&str, &str, &str)> {
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    line.match_indices('{').find_map(|(start, _)| {
        let end = start + line[start..].find('}')?;
        let name = &line[start + 1..end];
        is_name(name).then(|| (&line[..start], name, &line[end + 1..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_filled_and_what_is_wrong_has_its_line() {
        let mut page = Page::default();
        page.say("count", 2);
        ["a", "b"].into_iter().for_each(|line| page.line("rows", line));
        assert_eq!(page.fill("{count} of {count} {\"x\": 1}:\n\n{rows}\n").as_deref(), Ok("2 of 2 {\"x\": 1}:\n\na\nb\n"));
        let why = page.fill("{count}\n{row}\n{rows}").unwrap_err();
        assert_eq!(why, (2, "found {row}, want a mark that the study fills: count, rows".to_owned()));
        assert_eq!(page.fill("{count}\n").unwrap_err().0, 1);
    }
}
