//! The words of the project: sentences that are read once, and addresses that lead somewhere.

mod prose;

use anyhow::{Context, Result, ensure};
use prose::{Prose, Sentence};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The most words that a sentence has.
const MOST: usize = 35;

/// The most words that the sentences of a page, or of a crate's doc comments, have in the mean.
const MEAN: f64 = 18.0;

/// Folders whose files nobody writes by hand. Of those that begin with a dot, only `.github` is read.
const LEFT_OUT: [&str; 4] = ["dist", "node_modules", "target", "test-results"];

/// How a page begins that a program writes. Its sentences are the program's.
const GENERATED: [&str; 1] = ["<!-- Written by"];

/// Where each term stands.
const GLOSSARY: &str = "docs/glossary.md";

/// The project's root.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(Path::to_path_buf).unwrap_or_default()
}

/// Reads every page, and every doc comment of a Rust source.
fn main() -> Result<()> {
    let mut files = Vec::new();
    walk(&root(), &mut files)?;
    files.sort();
    let texts = files.iter().map(|file| std::fs::read_to_string(root().join(file)).with_context(|| file.display().to_string()));
    let texts = files.iter().cloned().zip(texts.collect::<Result<Vec<_>>>()?).collect::<BTreeMap<PathBuf, String>>();
    let with = |extension: &'static str| texts.iter().filter(move |(file, _)| file.extension().is_some_and(|end| end == extension));
    // A study's template is read as the page that is made of it, where its links lead somewhere.
    let read = with("md").filter(|(file, _)| !file.starts_with("studies"));
    let pages: BTreeMap<&Path, Prose> = read.map(|(file, text)| (file.as_path(), prose::read(text))).collect();

    let mut problems = Vec::new();
    for (file, page) in &pages {
        if !GENERATED.iter().any(|begin| texts[*file].starts_with(begin)) {
            long_sentences(file, &page.sentences, &mut problems);
            long_mean(file, &page.sentences, &mut problems);
        }
        dead_links(file, page, &pages, &mut problems);
    }
    glossary(Path::new(GLOSSARY), texts.get(Path::new(GLOSSARY)).map_or("", String::as_str), &mut problems);
    let mut crates: BTreeMap<&Path, Vec<Sentence>> = BTreeMap::new();
    for (file, text) in with("rs") {
        let sentences = prose::read(&doc_comments(text)).sentences;
        long_sentences(file, &sentences, &mut problems);
        riddles(file, text, &mut problems);
        crates.entry(Path::new(file.components().next().map_or("", name))).or_default().extend(sentences);
    }
    for (of, sentences) in &crates {
        long_mean(of, sentences, &mut problems);
    }
    for (file, text) in &texts {
        dead_mentions(file, text, &mut problems);
    }
    ensure!(problems.is_empty(), "{} places in words:\n{}", problems.len(), problems.join("\n"));
    Ok(())
}

/// The text files of the project, below its root.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if LEFT_OUT.contains(&&*name) || name.starts_with('.') && name != ".github" {
            continue;
        }
        let is_text = path.extension().is_some_and(|end| ["html", "md", "rs", "toml", "ts", "yml"].iter().any(|text| end == *text));
        if path.is_dir() {
            walk(&path, found)?;
        } else if is_text {
            found.push(path.strip_prefix(root())?.to_owned());
        }
    }
    Ok(())
}

fn name<'a>(part: Component<'a>) -> &'a str {
    part.as_os_str().to_str().unwrap_or("")
}

fn long_sentences(file: &Path, sentences: &[Sentence], problems: &mut Vec<String>) {
    for Sentence { line, words, opening } in sentences.iter().filter(|sentence| sentence.words > MOST) {
        problems.push(format!("{}:{line}: found a sentence of {words} words, want at most {MOST}: {opening} …", file.display()));
    }
}

/// A lead-in of one or two words, such as "**Idea.**", makes no other sentence shorter: it does not count.
fn long_mean(of: &Path, sentences: &[Sentence], problems: &mut Vec<String>) {
    let mut counted: Vec<&Sentence> = sentences.iter().filter(|sentence| sentence.words > 2).collect();
    let mean = counted.iter().map(|sentence| sentence.words).sum::<usize>() as f64 / counted.len().max(1) as f64;
    if mean > MEAN {
        counted.sort_by_key(|sentence| std::cmp::Reverse(sentence.words));
        let longest: Vec<String> = counted.iter().take(5).map(|sentence| sentence.line.to_string()).collect();
        let lines = longest.join(", ");
        problems
            .push(format!("{}: found {mean:.1} words a sentence in the mean, want at most {MEAN}; longest on lines {lines}", of.display()));
    }
}

/// Paragraphs of the glossary that are no term with its source, or no term in its place. Other programs read the file.
fn glossary(file: &Path, text: &str, problems: &mut Vec<String>) {
    let mut before = String::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with("**")) {
        let term = line.strip_prefix("**").and_then(|line| line.split_once("**: "));
        let sourced = term.and_then(|(term, rest)| Some((term.to_lowercase(), rest.strip_suffix(')')?.rsplit_once(" (")?)));
        match sourced {
            Some((term, _)) if term > before => before = term,
            Some(_) => {
                problems.push(format!("{}:{}: found a term out of order, want each once, by the alphabet", file.display(), number + 1))
            }
            None => problems.push(format!("{}:{}: found another form, want **Term**: text (source)", file.display(), number + 1)),
        }
    }
    if before.is_empty() {
        problems.push(format!("{}: found no term, want **Term**: text (source)", file.display()));
    }
}

/// The doc comments of a Rust source, each line where it stands, and nothing else.
fn doc_comments(text: &str) -> String {
    let comment = |line: &str| {
        let rest = line.trim_start();
        let rest = rest.strip_prefix("//!").or_else(|| rest.strip_prefix("///").filter(|rest| !rest.starts_with('/')));
        format!("{}\n", rest.map_or("", |rest| rest.strip_prefix(' ').unwrap_or(rest)))
    };
    text.lines().map(comment).collect()
}

/// Doc comments that only another one explains. A reader sees one at a time.
fn riddles(file: &Path, text: &str, problems: &mut Vec<String>) {
    let docs = doc_comments(text);
    let mut before = "";
    for (number, line) in docs.lines().enumerate() {
        if before.is_empty() && line.starts_with("The same") {
            let line = number + 1;
            problems.push(format!("{}:{line}: found a doc comment that begins with \"The same\", want what the item is", file.display()));
        }
        before = line;
    }
}

/// Links of a page into the project that lead nowhere.
fn dead_links(file: &Path, page: &Prose, pages: &BTreeMap<&Path, Prose>, problems: &mut Vec<String>) {
    for (line, link) in page.links.iter().filter(|(_, link)| !link.contains(':')) {
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        let to = if path.is_empty() { file.to_owned() } else { flat(&file.parent().unwrap_or(Path::new("")).join(path)) };
        if !root().join(&to).exists() {
            problems.push(format!("{}:{line}: found a link to {link}, want a file that is there", file.display()));
        } else if !anchor.is_empty() && pages.get(to.as_path()).is_some_and(|page| !page.anchors.iter().any(|name| name == anchor)) {
            problems.push(format!("{}:{line}: found a link to {link}, want a heading of that page", file.display()));
        }
    }
}

/// Pages that a text names, `docs/…` from the root, and that are not there.
fn dead_mentions(file: &Path, text: &str, problems: &mut Vec<String>) {
    for (number, line) in text.lines().enumerate() {
        for (at, _) in line.match_indices("docs/") {
            let before = line[..at].trim_end_matches("../");
            if before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '_' | '-' | '.')) {
                continue;
            }
            let rest = &line[at..];
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_'))).unwrap_or(rest.len());
            let named = rest[..end].trim_end_matches('.');
            if !root().join(named).exists() {
                problems.push(format!("{}:{}: found {named}, want a file that is there", file.display(), number + 1));
            }
        }
    }
}

/// A path without `..`.
fn flat(path: &Path) -> PathBuf {
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(flat.pop()),
            Component::CurDir => {}
            part => flat.push(part),
        }
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(check: impl FnOnce(&mut Vec<String>)) -> Vec<String> {
        let mut problems = Vec::new();
        check(&mut problems);
        problems
    }

    fn text(words: &[usize]) -> String {
        words.iter().map(|&words| vec!["Word"; words].join(" ") + ".\n").collect()
    }

    #[test]
    fn long_sentences_are_found_with_their_line() {
        let page = prose::read(&text(&[35, 36]));
        let of = found(|problems| long_sentences(Path::new("a.md"), &page.sentences, problems));
        assert_eq!(of, ["a.md:2: found a sentence of 36 words, want at most 35: Word Word Word Word Word Word …"]);
    }

    #[test]
    fn the_mean_leaves_out_lead_ins() {
        let mean = |words: &[usize]| found(|problems| long_mean(Path::new("a.md"), &prose::read(&text(words)).sentences, problems));
        assert_eq!(mean(&[18, 17, 19]), [""; 0]);
        assert_eq!(mean(&[1, 2, 20, 17]), ["a.md: found 18.5 words a sentence in the mean, want at most 18; longest on lines 3, 4"]);
        assert_eq!(mean(&[]), [""; 0]);
    }

    #[test]
    fn doc_comments_stay_on_their_lines_and_code_goes() {
        assert_eq!(doc_comments("//! A.\n\n/// B\n///  c\nfn d() {} // e\n//// f\n"), "A.\n\nB\n c\n\n\n");
        let source = "/// The same as a.\n/// The same here.\nx\n    /// The same.\n//! A.\n";
        let lines = found(|problems| riddles(Path::new("a.rs"), source, problems));
        assert_eq!(lines.iter().map(|line| &line[..7]).collect::<Vec<_>>(), ["a.rs:1:", "a.rs:4:"]);
    }

    #[test]
    fn the_glossary_has_each_term_once_by_the_alphabet() {
        let of = |text: &str| found(|problems| glossary(Path::new("g.md"), text, problems)).len();
        assert_eq!(of("# G\n\nWords.\n\n**A (a)**: one (B, 2019)\n\n**b**: two ([x](y.md))\n"), 0);
        assert_eq!([of(""), of("**A**: one\n"), of("**A**: one (B)\n**A**: two (C)\n"), of("**B**: b (x)\n**A**: a (x)\n")], [1, 2, 1, 1]);
    }

    #[test]
    fn links_and_mentions_that_lead_nowhere_are_found() {
        let links = |text: &str| {
            let file = Path::new("README.md");
            let pages = [(file, prose::read(text))].into();
            found(|problems| dead_links(file, &prose::read(text), &pages, problems)).len()
        };
        assert_eq!(links("# B\n[x](xtask/../CHANGELOG.md) [x](#b) [x](https://no.where) ![x](docs)"), 0);
        assert_eq!(links("# B\n[x](xtask/src/none.rs) [x](#c)"), 2);
        let mentions = |line: &str| found(|problems| dead_mentions(Path::new("a.rs"), line, problems)).len();
        assert_eq!(mentions("docs/reference/machine.md, ../../docs/reference/schemes/*.md. https://a.b/docs/none (mydocs/none)"), 0);
        assert_eq!(mentions(concat!("`docs", "/none.md`, \"../docs", "/nor/this\"")), 2);
    }
}
