//! The report: totals, every claim with the paper's value and ours, the figures, and what is known of each claim that was not reproduced.

use super::claims::{Claim, Verdict};
use super::measure::{Outcome, gain, reduced};
use super::runs::{Mix, Run, Runs};
use crate::Failure;
use crate::input::problem;
use crate::output::not_written;
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::study::figure::{Figure, Options, draw};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::rc::Rc;

/// What people wrote about claims and figures; kept when a report is made again.
#[derive(Debug, Default)]
pub struct Causes {
    /// Said before everything else.
    pub summary: String,
    /// Why a claim was not reproduced, by its id.
    pub claims: BTreeMap<String, String>,
    /// Where a figure differs, by its id.
    pub figures: BTreeMap<String, String>,
}

impl Causes {
    /// Reads causes.toml.
    pub fn read(text: &str) -> Result<Causes, Problems> {
        let value: Value = toml::from_str(text).map_err(|error| problem("causes.toml", error, "TOML"))?;
        let table = |key: &str| match value.get(key) {
            Some(Value::Object(pairs)) => {
                pairs.iter().filter_map(|(id, text)| Some((id.clone(), text.as_str()?.trim().to_owned()))).collect()
            }
            _ => BTreeMap::new(),
        };
        let summary = value.get("summary").and_then(Value::as_str).unwrap_or("").trim().to_owned();
        Ok(Causes { summary, claims: table("claim"), figures: table("figure") })
    }
}

/// A claim, what was measured, and how it came out.
#[derive(Debug)]
pub struct Judged<'c> {
    pub claim: &'c Claim,
    pub outcome: Outcome,
    pub verdict: Verdict,
}

impl<'c> Judged<'c> {
    /// Judges a measured claim.
    pub fn new(claim: &'c Claim, outcome: Outcome) -> Self {
        let verdict = match &outcome {
            Outcome::Value(value) => claim.verdict(*value),
            Outcome::Test(_) => Verdict::Reproduced,
            Outcome::NotTestable(_) => Verdict::NotTestable,
            Outcome::Unknown(_) => Verdict::Not,
        };
        Judged { claim, outcome, verdict }
    }

    /// What stands in the column "here".
    pub fn ours(&self) -> String {
        match &self.outcome {
            Outcome::Value(Some(value)) => number(*value),
            Outcome::Value(None) => "no value".into(),
            Outcome::Test(_) => "exact, by test".into(),
            Outcome::NotTestable(_) | Outcome::Unknown(_) => "–".into(),
        }
    }

    /// What the paper says.
    pub fn paper(&self) -> String {
        let claim = self.claim;
        match (claim.unit.as_str(), claim.value) {
            ("sign", value) if value > 0.0 => format!("> {}", number(claim.neutral)),
            ("sign", value) if value < 0.0 => format!("< {}", number(claim.neutral)),
            ("sign", _) if claim.at_least => format!("≳ {}", number(claim.neutral)),
            ("sign", _) if claim.at_most => format!("≲ {}", number(claim.neutral)),
            ("sign", _) => format!("≈ {}", number(claim.neutral)),
            ("boolean", _) => "holds".into(),
            (unit, value) => {
                let value = claim.value_hi.map_or(number(value), |high| format!("{} to {}", number(value), number(high)));
                let least = if claim.at_least { "> " } else { "" };
                match unit {
                    "percent" => format!("{least}{value} %"),
                    "ratio" | "speedup" => format!("{least}{value}"),
                    unit => format!("{least}{value} {unit}"),
                }
            }
        }
    }
}

/// A number with the digits that matter.
fn number(value: f64) -> String {
    let digits = match value.abs() {
        x if x >= 1000.0 => 0,
        x if x >= 100.0 => 1,
        x if x >= 10.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Everything that the report is made of.
#[derive(Debug)]
pub struct Report<'a> {
    pub runs: &'a Runs,
    pub judged: &'a [Judged<'a>],
    pub figures: &'a [Figure],
    /// The runs that the figures name by place.
    pub placed: &'a [Rc<Run>],
    pub causes: &'a Causes,
    /// What longer runs say: mix, scheme, HSpeedup as in the report and with five times the cycles.
    pub lengths: &'a [(String, String, Option<f64>, Option<f64>)],
}

impl Report<'_> {
    /// Writes the report, its figures and their data into a folder.
    pub fn write(&self, folder: &Path) -> Result<(), Failure> {
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).map_err(not_written);
        write("report.md", &self.markdown())?;
        for figure in self.figures {
            write(&format!("{}.svg", figure.id), &draw(figure, Options::default()))?;
        }
        let mut text = serde_json::to_string(&self.document()).map_err(|error| not_written(error.into()))?;
        text.push('\n');
        write("figures.json", &text)
    }

    fn origin(&self, key: &str) -> &str {
        self.runs.origin().get(key).and_then(Value::as_str).unwrap_or("?")
    }

    /// The figures with all that is needed to run them again.
    fn document(&self) -> Value {
        let study = &self.runs.study;
        let stamp = Value::object([
            // With its behaviour, as the page's module names itself: so the page knows values of another engine.
            ("engine", Value::from(concat!(env!("CARGO_PKG_VERSION"), "-", env!("CORUN_BEHAVIOUR")))),
            ("commit", self.origin("commit").into()),
            ("mode", study.mode_name.as_str().into()),
            ("cycles", study.mode.cycles.into()),
            ("seed", study.seed.into()),
        ]);
        let run = |run: &Rc<Run>| {
            let digest = self.runs.result(run).and_then(|result| result.get("digest").cloned());
            let named = Value::object([("experiment", run.written.clone()), ("hash", run.hash.as_str().into())]);
            let Value::Object(mut pairs) = named else { return named };
            pairs.extend(digest.map(|digest| ("digest".to_owned(), digest)));
            Value::Object(pairs)
        };
        Value::object([
            ("corun", Value::from(1)),
            ("paper", self.runs.paper.name.into()),
            ("title", study.title.as_str().into()),
            ("citation", study.citation.as_str().into()),
            ("stamp", stamp),
            ("runs", Value::array(self.placed.iter().map(run))),
            ("figures", Value::array(self.figures.iter().map(Figure::encode))),
        ])
    }

    fn markdown(&self) -> String {
        let mut text = String::new();
        self.head(&mut text);
        self.totals(&mut text);
        if !self.causes.summary.is_empty() {
            let _ = writeln!(text, "{}\n", self.causes.summary);
        }
        self.how(&mut text);
        self.pictures(&mut text);
        text += "## Claims\n\n`≈`: within 5 % unless said; `≳` and `≲`: not further below, or above, where the paper says that something is not hurt, or \
                 does not help. The paper's value and ours stand in the same unit.\n\n";
        self.table(&mut text, |claim| !claim.calibration && claim.kind != "exact");
        text += "## Worked examples and arithmetic\n\nHeld exactly, by unit tests or by the same formula.\n\n";
        self.table(&mut text, |claim| claim.kind == "exact");
        let [what, note] = &self.runs.study.report.calibration;
        let _ = writeln!(text, "## Calibration: {what}\n\n{note}\n");
        self.table(&mut text, |claim| claim.calibration);
        self.not_reproduced(&mut text);
        self.ablations(&mut text);
        self.all_schemes(&mut text);
        self.settled(&mut text);
        self.sets(&mut text);
        text
    }

    fn head(&self, text: &mut String) {
        let (study, mode) = (&self.runs.study, self.runs.study.mode);
        let _ = writeln!(
            text,
            "<!-- Written by `corun reproduce`. What people found out about it stands in examples/papers/{}/causes.toml. -->",
            self.runs.paper.name
        );
        let _ = writeln!(text, "# {}: what reproduces\n\n{}\n", study.title, study.citation);
        let _ = writeln!(
            text,
            "Engine {}, commit {}, mode {}, {} cycles measured{} after {} of warm-up, seed {}, {} runs.\n",
            self.origin("engine"),
            self.origin("commit"),
            study.mode_name,
            mode.cycles,
            mode.settled.map_or(String::new(), |within| format!(" at most, until every IPC is known to {within} of itself,")),
            mode.warm_up,
            study.seed,
            self.runs.known()
        );
    }

    fn totals(&self, text: &mut String) {
        let group = |claim: &Claim| match claim.kind.as_str() {
            _ if claim.calibration => 3,
            "direction" => 0,
            "magnitude" => 1,
            _ => 2,
        };
        let calibration = format!("Calibration ({})", self.runs.study.report.calibration[0]);
        let groups = ["Directions", "Magnitudes", "Worked examples, exact", calibration.as_str()];
        *text += "| claims | all | reproduced | direction only | not reproduced | not testable |\n| --- | --: | --: | --: | --: | --: |\n";
        for (i, name) in groups.into_iter().enumerate() {
            let mine = || self.judged.iter().filter(|judged| group(judged.claim) == i);
            let of = |verdict| mine().filter(|judged| judged.verdict == verdict).count();
            let all = mine().count();
            let counts = [Verdict::Reproduced, Verdict::Direction, Verdict::Not, Verdict::NotTestable].map(of);
            let _ = writeln!(text, "| {name} | {all} | {} | {} | {} | {} |", counts[0], counts[1], counts[2], counts[3]);
        }
        *text += "\nReproduced: the right direction, and of an effect its size within 25 %. Direction only: the right direction, another size.\n\n";
    }

    fn how(&self, text: &mut String) {
        let mode = self.runs.study.mode;
        let numbers = [
            ("{warm_up}", mode.warm_up.to_string()),
            ("{cycles}", mode.cycles.to_string()),
            ("{combinations.0}", mode.combinations.0.to_string()),
            ("{combinations.1}", mode.combinations.1.to_string()),
            ("{spatial.0}", mode.spatial.0.to_string()),
            ("{spatial.1}", mode.spatial.1.to_string()),
            ("{finalists}", mode.finalists.to_string()),
            ("{some}", mode.some.to_string()),
            ("{time_scale}", mode.time_scale.to_string()),
        ];
        *text += "## How it was run\n\n";
        for sentence in &self.runs.study.report.how {
            let sentence = numbers.iter().fold(sentence.clone(), |text, (name, number)| text.replace(name, number));
            let _ = writeln!(text, "- {sentence}");
        }
        text.push('\n');
    }

    fn pictures(&self, text: &mut String) {
        *text += "## Figures\n\nHollow diamonds: what the paper prints.\n\n";
        for figure in self.figures {
            let _ = writeln!(text, "![{} ({})]({}.svg)\n", figure.title, figure.source, figure.id);
            if !figure.differs.is_empty() {
                let _ = writeln!(text, "{}\n", figure.differs);
            }
        }
    }

    fn table(&self, text: &mut String, belongs: fn(&Claim) -> bool) {
        *text += "| claim | § | paper | here | verdict |\n| --- | --- | --: | --: | --- |\n";
        for judged in self.judged.iter().filter(|judged| belongs(judged.claim)) {
            let claim = judged.claim;
            let (notes, derived) = (if claim.notes.is_empty() { "" } else { "; " }, if claim.derived { " (implied)" } else { "" });
            let more = match &judged.outcome {
                Outcome::Test(name) => format!("<br>`{name}`"),
                Outcome::NotTestable(why) => format!("<br>{why}"),
                Outcome::Unknown(what) => format!("<br>no such measure: {what}"),
                Outcome::Value(_) => String::new(),
            };
            let _ = writeln!(
                text,
                "| **{}** {}{derived}: {}{notes}{}{more} | {} | {} | {} | {} |",
                claim.id,
                claim.statement,
                about(claim),
                claim.notes,
                claim.section,
                judged.paper(),
                judged.ours(),
                judged.verdict.words()
            );
        }
        text.push('\n');
    }

    fn not_reproduced(&self, text: &mut String) {
        *text += "## Claims not reproduced, and why\n\n";
        for verdict in [Verdict::Not, Verdict::Direction] {
            let _ = writeln!(text, "### {}\n", if verdict == Verdict::Not { "Not reproduced" } else { "Right direction, another size" });
            for judged in self.judged.iter().filter(|judged| judged.verdict == verdict && !judged.claim.calibration) {
                let cause = self.causes.claims.get(&judged.claim.id).map_or("Cause not yet known.", String::as_str);
                let _ = writeln!(
                    text,
                    "- **{}** {} (paper {}, here {}). {cause}",
                    judged.claim.id,
                    judged.claim.statement,
                    judged.paper(),
                    judged.ours()
                );
            }
            text.push('\n');
        }
    }

    fn ablations(&self, text: &mut String) {
        if self.runs.study.ablations.is_empty() {
            return;
        }
        let report = &self.runs.study.report;
        let kinds: Vec<&str> = report.ablated.iter().map(|mixes| mixes.trim_start_matches("some ")).collect();
        let _ = writeln!(text, "## What the paper leaves open\n\n{}\n", report.ablation);
        let _ = writeln!(text, "| reading | {} |\n| --- |{}", kinds.join(" | "), " --: |".repeat(kinds.len()));
        for (words, gains) in ablations(self.runs) {
            let cells: Vec<String> = gains.iter().map(|gain| gain.map_or("–".to_owned(), number)).collect();
            let _ = writeln!(text, "| {words} | {} |", cells.join(" | "));
        }
        text.push('\n');
    }

    /// Both speedups by mixes, also of schemes of which no claim speaks.
    fn all_schemes(&self, text: &mut String) {
        let (study, report) = (&self.runs.study, &self.runs.study.report);
        if report.schemes.is_empty() {
            return;
        }
        let _ = writeln!(text, "## All schemes\n\nHSpeedup / WSpeedup, geometric means.\n\n| scheme | {} |", report.mixes.join(" | "));
        let _ = writeln!(text, "| --- |{}", " --: |".repeat(report.mixes.len()));
        for scheme in &report.schemes {
            let mean = |mixes: &str, metric: &str| {
                let values = self.runs.all(&study.mixes(mixes), scheme, metric);
                values.and_then(|values| reduced("geomean", &values)).map_or("–".to_owned(), number)
            };
            let cell = |mixes: &String| format!("{} / {}", mean(mixes, "hspeedup"), mean(mixes, "wspeedup"));
            let cells: Vec<String> = report.mixes.iter().map(cell).collect();
            let _ = writeln!(text, "| {} | {} |", study.title(scheme), cells.join(" | "));
        }
        text.push('\n');
    }

    fn settled(&self, text: &mut String) {
        if self.lengths.is_empty() {
            return;
        }
        let times = self.runs.study.longer.times;
        let _ = writeln!(text, "## Are the runs long enough?\n\nHSpeedup as above, and measured {times} times as long.\n");
        let _ = writeln!(text, "| mix | scheme | here | {times} times as long |\n| --- | --- | --: | --: |");
        let shown = |value: &Option<f64>| value.map_or("–".to_owned(), number);
        for (mix, scheme, short, long) in self.lengths {
            let _ = writeln!(text, "| {mix} | {scheme} | {} | {} |", shown(short), shown(long));
        }
        text.push('\n');
    }

    fn sets(&self, text: &mut String) {
        let (study, list) = (&self.runs.study, |mixes: Vec<Mix>| mixes.iter().map(|mix| mix.join("+")).collect::<Vec<_>>().join(", "));
        let _ = writeln!(text, "## Mixes\n\nSets are drawn with seed {}.\n", study.sets_seed);
        for mixes in &study.report.listed {
            let _ = writeln!(text, "- {mixes}: {}.", list(study.mixes(mixes)));
        }
    }
}

/// Other readings of what the paper leaves open, with the gain on each of the mixes.
pub fn ablations(runs: &Runs) -> Vec<(String, Vec<Option<f64>>)> {
    let study = &runs.study;
    let gains = |scheme: &str, over: &str| {
        let of = |mixes: &String| gain(runs, "hspeedup", scheme, over, &study.mixes(mixes));
        study.report.ablated.iter().map(of).collect()
    };
    study.ablations.iter().map(|(words, scheme, over)| (words.clone(), gains(scheme, over))).collect()
}

fn about(claim: &Claim) -> String {
    let over = if claim.baseline.is_empty() { String::new() } else { format!(" against {}", claim.baseline) };
    let on = if claim.workloads.is_empty() { String::new() } else { format!(", {}", claim.workloads) };
    format!("{} of {}{over}{on}", claim.metric, claim.subject)
}
