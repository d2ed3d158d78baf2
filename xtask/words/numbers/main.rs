//! The numbers of the README, of the tutorial and of the how-tos: each is what a run gives, or a constant with its reason.
//!
//! `numbers CORUN FOLDER` follows the pages with the runner CORUN, each in an empty folder of its own below FOLDER:
//!
//! - A fence `file=NAME` is a file. One marked `sh` is run as it stands; `sh elsewhere` and `sh server` are left to others.
//! - `sh run=NAME` gives its first command, or the comment `<!--run NAME = COMMAND-->`, a name. Its result is there for marks on every page.
//!   The comment also takes a JSON or TOML file of the project.
//!   A run of a fence must be an answer: one that says itself that it is too short is none.
//! - A fence `text of=NAME` is lines of what that run or that `corun explain` prints.
//! - A number before `<!--= EXPRESSION-->` is what the expression comes to, rounded as it stands there; before ` %` it is in percent.
//! - `<!--? COMPARISON-->` must hold.
//!
//! Every other numeral of a sentence or a table must be in a phrase of `constants.toml`. With `CORUN_BLESS=1` what differs is written anew, and the
//! program fails: only a run without it can pass.

mod page;
mod values;

use anyhow::{Context, Result, anyhow, bail, ensure};
use page::{Kind, Page, Step, line};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use values::Values;

/// The project's root.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(Path::to_path_buf).unwrap_or_default()
}

/// Profiles that pages explain.
const PROFILES: &str = "timelines/tests/data";

/// Numbers that no run gives.
#[derive(Deserialize)]
struct Constants {
    constant: Vec<Constant>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Constant {
    /// Why they are what they are.
    why: String,
    /// Of which page; of every page if left out.
    page: Option<String>,
    /// Phrases with a number, as they stand in the page.
    text: Vec<String>,
}

/// What the pages ask for and what came of it.
#[derive(Default)]
struct Run {
    values: Values,
    /// The command of each name.
    commands: BTreeMap<String, String>,
    /// What it has printed.
    printed: BTreeMap<String, String>,
    steps: u64,
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [corun, folder] = words.as_slice() else { bail!("usage: numbers CORUN FOLDER") };
    let (corun, folder) = (std::fs::canonicalize(corun).with_context(|| corun.clone())?, Path::new(folder));
    let bless = std::env::var_os("CORUN_BLESS").is_some();
    ensure!(!bless || std::env::var_os("CI").is_none(), "CORUN_BLESS is refused where CI is set");
    let _ = std::fs::remove_dir_all(folder);
    let mut pages = Vec::new();
    for file in files()? {
        let text = std::fs::read_to_string(root().join(&file)).with_context(|| file.clone())?;
        pages.push((file, page::read(&text), text));
    }
    let constants = std::fs::read_to_string(root().join("xtask/words/constants.toml"))?;
    let constants: Constants = toml::from_str(&constants).context("xtask/words/constants.toml")?;

    let mut problems = Vec::new();
    unexplained(&pages, &constants, &mut problems);
    let mut run = Run::default();
    let path = [corun.parent().map(Path::to_path_buf).unwrap_or_default()].into_iter();
    let path = std::env::join_paths(path.chain(std::env::var_os("PATH").iter().flat_map(std::env::split_paths)))?;
    for (file, page, text) in &pages {
        run.follow(file, page, text, folder, &path)?;
    }
    let (mut held, mut blessed) = (0, 0);
    for (file, page, text) in &pages {
        let (edits, checked) = run.differs(file, page, text, &mut problems);
        held += checked;
        blessed += edits.len();
        if bless && !edits.is_empty() {
            std::fs::write(root().join(file), edited(text, edits))?;
        }
    }
    ensure!(problems.is_empty(), "{} numbers of pages:\n{}{}", problems.len(), problems.join("\n"), advice(bless, blessed));
    println!("test result: ok. {} passed; 0 failed;", held + run.steps);
    Ok(())
}

fn advice(bless: bool, differ: usize) -> &'static str {
    match (bless, differ) {
        (_, 0) => "",
        (true, _) => "\nThose that runs give are written anew; run again without CORUN_BLESS",
        (false, _) => "\nCORUN_BLESS=1 cargo xtask test numbers writes anew what runs give",
    }
}

/// The pages, from the root.
fn files() -> Result<Vec<String>> {
    let mut files = vec!["README.md".to_owned()];
    for folder in ["docs/tutorial", "docs/how-to"] {
        let mut pages: Vec<String> = std::fs::read_dir(root().join(folder))?
            .filter_map(|entry| Some(format!("{folder}/{}", entry.ok()?.file_name().to_str()?)))
            .filter(|name| name.ends_with(".md"))
            .collect();
        pages.sort();
        files.extend(pages);
    }
    Ok(files)
}

/// Where a number stands that a mark speaks of; with its interval, where that stands before it.
fn marked(page: &Page, text: &str, at: usize) -> Option<Range<usize>> {
    let last = page.numerals.iter().find(|numeral| numeral.end == at)?;
    let first = page.numerals.iter().find(|numeral| text.get(numeral.end..last.start) == Some(" ± "));
    Some(first.unwrap_or(last).start..at)
}

/// Numerals that neither a mark nor a constant explains, and phrases that stand nowhere.
fn unexplained(pages: &[(String, Page, String)], constants: &Constants, problems: &mut Vec<String>) {
    let mut used = BTreeSet::new();
    for (file, page, text) in pages {
        let by_runs: Vec<Range<usize>> =
            page.marks.iter().filter(|m| m.kind == Kind::Value).filter_map(|m| marked(page, text, m.at)).collect();
        let mut by_reasons = Vec::new();
        for constant in constants.constant.iter().filter(|constant| constant.page.as_ref().is_none_or(|page| page == file)) {
            for phrase in &constant.text {
                for (at, _) in text.match_indices(phrase.as_str()) {
                    used.insert((constant.why.as_str(), phrase.as_str()));
                    by_reasons.push(at..at + phrase.len());
                }
            }
        }
        for numeral in &page.numerals {
            let within = |ranges: &[Range<usize>]| ranges.iter().any(|range| range.start <= numeral.start && numeral.end <= range.end);
            if !within(&by_runs) && !within(&by_reasons) {
                let line = line(text, numeral.start);
                problems.push(format!("{file}:{line}: found {} without a source, want a mark or a constant", &text[numeral.clone()]));
            }
        }
        for fence in page.steps.iter().filter(|step| step.info == ["text"] || step.info.is_empty()) {
            problems.push(format!("{file}:{}: found a fence without a run, want `text of=NAME`", line(text, fence.body.start)));
        }
    }
    for constant in &constants.constant {
        for phrase in constant.text.iter().filter(|phrase| !used.contains(&(constant.why.as_str(), phrase.as_str()))) {
            let page = constant.page.as_deref().unwrap_or("any page");
            problems.push(format!("constants.toml: found {phrase:?}, want a phrase of {page}"));
        }
    }
}

impl Run {
    /// Makes the files of a page and runs its commands.
    fn follow(&mut self, file: &str, page: &Page, text: &str, folder: &Path, path: &OsStr) -> Result<()> {
        let here = folder.join(Path::new(file).file_stem().unwrap_or_default());
        // The README's commands write below target/; profiles are where the repository has them.
        std::fs::create_dir_all(here.join("target"))?;
        std::fs::create_dir_all(here.join(PROFILES))?;
        for profile in std::fs::read_dir(root().join(PROFILES))? {
            let profile = profile?;
            std::fs::copy(profile.path(), here.join(PROFILES).join(profile.file_name()))?;
        }
        for step in &page.steps {
            if let Some(name) = step.info.iter().find_map(|word| word.strip_prefix("file=")) {
                std::fs::write(here.join(name), &text[step.body.clone()])?;
            }
        }
        let shell = |command: &str| -> Result<String> {
            let said = Command::new("sh").args(["-ec", command]).current_dir(&here).env("PATH", path).output()?;
            ensure!(said.status.success(), "{command}\n{}", String::from_utf8_lossy(&said.stderr));
            Ok(String::from_utf8(said.stdout)?)
        };
        for step in page.steps.iter() {
            let at = || format!("{file}:{}", line(text, step.body.start));
            let body = text[step.body.clone()].trim().replace("target/release/corun", "corun");
            match self.named(step, &body) {
                Some((name, command, rest)) => {
                    let known = self.commands.insert(name.to_owned(), command.clone());
                    match known {
                        Some(known) => ensure!(known == command, "{}: found {name} for another run than {known}", at()),
                        None => {
                            let answer = self.named_run(name, &command, &shell).with_context(at)?;
                            let doubt = unsure(&answer, self.printed.get(name).map_or("", String::as_str));
                            ensure!(
                                step.info[0] == "run" || doubt.is_none(),
                                "{}: found a run that says of itself: {}",
                                at(),
                                doubt.unwrap_or_default()
                            );
                        }
                    }
                    shell(&rest).with_context(at)?;
                    self.steps += 1;
                }
                // What builds the runner is run by the stage `readme`.
                None if step.info == ["sh"] => {
                    let body: Vec<&str> = body.lines().filter(|line| !line.starts_with("cargo ")).collect();
                    shell(&body.join("\n")).with_context(at)?;
                    self.steps += 1;
                }
                None => {}
            }
        }
        Ok(())
    }

    /// The name of a step's run, the run, and what else the step does.
    fn named<'s>(&self, step: &'s Step, body: &str) -> Option<(&'s str, String, String)> {
        if step.info.first().is_some_and(|word| word == "run") {
            return Some((step.info.get(1)?, body.to_owned(), String::new()));
        }
        let name = step.info.iter().find_map(|word| word.strip_prefix("run="))?;
        let lines: Vec<&str> = body.lines().filter(|line| !line.starts_with("cargo ")).collect();
        let (first, rest) = lines.split_first()?;
        Some((name, (*first).to_owned(), rest.join("\n")))
    }

    /// Runs what has a name, and keeps what it came to and what it prints.
    fn named_run(&mut self, name: &str, command: &str, shell: &dyn Fn(&str) -> Result<String>) -> Result<Value> {
        let json = |text: &str| serde_json::from_str::<Value>(text).with_context(|| format!("{name} is no JSON"));
        let alone = "--store ../alone";
        let value = if command.starts_with("corun run ") {
            // The table is what `corun run` prints; kernels alone run once for all pages.
            let result = shell(&format!("{command} {alone} --json --out {name}.result.json && cat {name}.result.json"))?;
            self.printed.insert(name.to_owned(), shell(&format!("corun show {name}.result.json"))?);
            json(&result)?
        } else if let Some(file) = command.strip_prefix("corun sweep ").and_then(|words| words.split(" --out ").nth(1)) {
            self.printed.insert(name.to_owned(), shell(&format!("{command} {alone}"))?);
            points(&shell(&format!("cat {file}"))?.lines().map(json).collect::<Result<Vec<_>>>()?)
        } else if command.starts_with("corun explain ") {
            self.printed.insert(name.to_owned(), shell(command)?);
            json(&shell(&format!("{command} --json"))?)?
        } else if command.starts_with("corun ") {
            json(&shell(command)?)?
        } else if command.ends_with(".md") {
            Value::String(std::fs::read_to_string(root().join(command)).with_context(|| command.to_owned())?)
        } else if command.ends_with(".toml") {
            toml::from_str(&std::fs::read_to_string(root().join(command)).with_context(|| command.to_owned())?)?
        } else {
            json(&std::fs::read_to_string(root().join(command)).with_context(|| command.to_owned())?)?
        };
        self.values.add(name, &value);
        Ok(value)
    }

    /// What of a page differs from what runs give, as edits, and how much does not.
    fn differs(&self, file: &str, page: &Page, text: &str, problems: &mut Vec<String>) -> (Vec<(Range<usize>, String)>, u64) {
        let (mut edits, mut held) = (Vec::new(), 0);
        for mark in &page.marks {
            let place = format!("{file}:{}", line(text, mark.at));
            let found = match mark.kind {
                Kind::Value => self.value(page, text, mark),
                Kind::Holds => self
                    .values
                    .holds(&mark.expression)
                    .map(|sides| sides.map(|sides| (None, format!("{}, and it is {sides}", mark.expression)))),
            };
            match found {
                Ok(None) => held += 1,
                Ok(Some((None, sides))) => problems.push(format!("{place}: found a conclusion that does not hold: {sides}")),
                Ok(Some((Some(range), new))) => {
                    problems.push(format!("{place}: found {}, want {new} ({})", &text[range.clone()], mark.expression));
                    edits.push((range, new));
                }
                Err(error) => problems.push(format!("{place}: {error:#}")),
            }
        }
        for step in &page.steps {
            let Some(name) = step.info.iter().find_map(|word| word.strip_prefix("of=")) else { continue };
            let Some(printed) = self.printed.get(name) else {
                problems.push(format!("{file}:{}: found no run {name} that prints", line(text, step.body.start)));
                continue;
            };
            let mut at = step.body.start;
            for old in text[step.body.clone()].lines() {
                let range = at..at + old.len();
                at = range.end + 1;
                match printed_like(printed, old) {
                    Some(new) if new == old => held += 1,
                    Some(new) => {
                        problems.push(format!("{file}:{}: found {old:?}, want {new:?}", line(text, range.start)));
                        edits.push((range, new.to_owned()));
                    }
                    None => problems.push(format!("{file}:{}: found {old:?}, want a line that {name} prints", line(text, range.start))),
                }
            }
        }
        (edits, held)
    }

    /// Of a number that differs, its place and what it is to be.
    #[allow(clippy::type_complexity)]
    fn value(&self, page: &Page, text: &str, mark: &page::Mark) -> Result<Option<(Option<Range<usize>>, String)>> {
        let range = marked(page, text, mark.at).ok_or_else(|| anyhow!("found a mark with no number before it"))?;
        let new = self.values.value(&mark.expression)?.like(&text[range.clone()], text[mark.end..].starts_with(" %"));
        Ok((new != text[range.clone()]).then_some((Some(range), new)))
    }
}

/// That a run, or a point of a sweep, is no answer, by its own words. A lesson shows only what is one.
fn unsure(value: &Value, printed: &str) -> Option<String> {
    let is =
        |line: &str| ["Too short to say", "The run is too short", "The policy still learns"].iter().any(|words| line.starts_with(words));
    let within = match value {
        Value::Object(fields) if fields.contains_key("verdict") => value["verdict"]["says"].as_array().cloned().unwrap_or_default(),
        Value::Object(fields) => fields.values().filter_map(|point| unsure(point, "").map(Value::from)).collect(),
        Value::Array(points) => points.iter().filter_map(|point| unsure(point, "").map(Value::from)).collect(),
        _ => Vec::new(),
    };
    within.iter().filter_map(Value::as_str).chain(printed.lines()).find(|line| is(line)).map(str::to_owned)
}

/// The results of a sweep: by the names that its points have, or in a list where these are not distinct.
fn points(lines: &[Value]) -> Value {
    let name = |line: &Value| {
        let axes = line.get("axes")?.as_object()?.values();
        let one = |axis: &Value| axis.as_str().or(axis.get("name").and_then(Value::as_str)).map_or(axis.to_string(), str::to_owned);
        Some(axes.map(one).collect::<Vec<_>>().join(","))
    };
    let named: BTreeMap<String, Value> = lines.iter().filter_map(|line| Some((name(line)?, line["result"].clone()))).collect();
    if named.len() == lines.len() {
        Value::Object(named.into_iter().collect())
    } else {
        Value::Array(lines.iter().map(|line| line["result"].clone()).collect())
    }
}

/// The line of an output that begins as one of a page does: with the words of its first column, or else with two words.
fn printed_like<'p>(printed: &'p str, old: &str) -> Option<&'p str> {
    let same = printed.lines().find(|line| line.trim_end() == old);
    let label = old.split("  ").next().filter(|label| !label.is_empty() && label.len() < old.len());
    let labelled = || printed.lines().find(|line| label.is_some() && line.split("  ").next() == label);
    let words = |line: &str| line.split_whitespace().take(2).map(str::to_owned).collect::<Vec<_>>();
    let sentence = || printed.lines().find(|line| label.is_none() && words(line) == words(old));
    same.or_else(labelled).or_else(sentence).map(str::trim_end)
}

/// A text with parts of it exchanged.
fn edited(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut text = text.to_owned();
    for (range, new) in edits {
        text.replace_range(range, &new);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What a page has wrong, and what it is with what runs give written anew.
    fn of(text: &str, constants: &str) -> (Vec<String>, String) {
        let pages = [("a.md".to_owned(), page::read(text), text.to_owned())];
        let mut run = Run::default();
        let kernel = |slowdown: f64| json!({ "slowdown": slowdown });
        run.values.add("even", &json!({ "kernels": [kernel(5.42), kernel(1.26)], "cycles": 200_000 }));
        run.printed.insert("even".into(), "row        BP\nSlowdown, ×   5.42 ± 0.49\nBP runs 5.42 times slower.\n".into());
        let mut problems = Vec::new();
        unexplained(&pages, &toml::from_str(constants).unwrap(), &mut problems);
        let (edits, _) = run.differs("a.md", &pages[0].1, text, &mut problems);
        (problems, edited(text, edits))
    }

    #[test]
    fn a_stale_number_is_found_with_its_line_and_its_new_value() {
        let text = "BP is\n5.2<!--= even.kernels[0].slowdown--> times slower in 1,000<!--= even.cycles--> cycles.\n";
        let (problems, anew) = of(text, "constant = []");
        assert_eq!(problems, ["a.md:2: found 5.2, want 5.4 (even.kernels[0].slowdown)", "a.md:2: found 1,000, want 200,000 (even.cycles)"]);
        assert_eq!(anew, text.replace("5.2<", "5.4<").replace("1,000<", "200,000<"));
        assert_eq!(of(&anew, "constant = []"), (vec![], anew));
    }

    #[test]
    fn a_stale_line_of_an_output_is_found_by_its_first_column_or_words() {
        let text = "```text of=even\nSlowdown, ×   5.20 ± 0.39\nBP runs 5.20 times slower.\n```\n";
        let (problems, anew) = of(text, "constant = []");
        assert_eq!(problems.len(), 2);
        assert!(problems[0].starts_with("a.md:2: found \"Slowdown, ×   5.20 ± 0.39\", want \"Slowdown, ×   5.42 ± 0.49\""), "{problems:?}");
        assert_eq!(of(&anew, "constant = []"), (vec![], anew.clone()));
        assert_eq!(of("```text of=even\nA line that it never prints\n```\n", "constant = []").0.len(), 1);
        assert_eq!(of("```text of=odd\nx\n```\n", "constant = []").0, ["a.md:2: found no run odd that prints"]);
        assert_eq!(of("```text\nx 5\n```\n", "constant = []").0, ["a.md:2: found a fence without a run, want `text of=NAME`"]);
    }

    #[test]
    fn a_false_conclusion_is_found_with_its_sides() {
        let of = |holds: &str| of(&format!("CFD suffers more.<!--? {holds}-->\n"), "constant = []").0;
        assert_eq!(of("even.kernels[0].slowdown > even.kernels[1].slowdown"), [""; 0]);
        let sides = "even.kernels[0].slowdown < even.kernels[1].slowdown";
        assert_eq!(of(sides), [format!("a.md:1: found a conclusion that does not hold: {sides}, and it is 5.42 < 1.26")]);
        assert_eq!(of("even.kernels[2].slowdown > 1.0").len(), 1);
    }

    #[test]
    fn a_numeral_without_a_source_is_found_and_a_constant_is_one_phrase() {
        let constants = "[[constant]]\nwhy = \"input\"\ntext = [\"32 lanes\"]";
        assert_eq!(of("32 lanes.\n", constants).0, [""; 0]);
        assert_eq!(of("32 lanes took 32 cycles.\n", constants).0, ["a.md:1: found 32 without a source, want a mark or a constant"]);
        assert_eq!(of("No lanes.\n", constants).0, ["constants.toml: found \"32 lanes\", want a phrase of any page"]);
    }

    #[test]
    fn a_run_that_is_no_answer_says_so() {
        let of = |says: &str| json!({ "verdict": { "says": ["BP suffers.", says] } });
        assert_eq!(unsure(&of("It waits."), "BP   1\n"), None);
        assert_eq!(
            unsure(&json!([of("It waits."), of("The policy still learns: wait.")]), "").as_deref(),
            Some("The policy still learns: wait.")
        );
        assert!(unsure(&json!({ "ws": of("The run is too short to say more.") }), "").is_some());
        assert!(unsure(&of(""), "BP\nToo short to say anything: let it run.\n").is_some());
    }

    #[test]
    fn points_go_by_their_axes_where_these_differ() {
        let point = |axes: Value, x: u32| json!({ "axes": axes, "result": { "x": x } });
        let named = points(&[point(json!({ "policy": "ws" }), 1), point(json!({ "policy": { "name": "even" } }), 2)]);
        assert_eq!(named, json!({ "ws": { "x": 1 }, "even": { "x": 2 } }));
        let same = points(&[point(json!({ "policy": { "name": "fixed" } }), 1), point(json!({ "policy": { "name": "fixed" } }), 2)]);
        assert_eq!(same, json!([{ "x": 1 }, { "x": 2 }]));
    }
}
