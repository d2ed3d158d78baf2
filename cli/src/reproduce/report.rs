//! The report: totals, every claim with the paper's value and ours, the figures, and what is known of each claim that was not reproduced.

use super::lab::{Lab, Mix, Run};
use super::ledger::{Claim, Verdict};
use super::measure::{Outcome, gain};
use super::study::Study;
use crate::Failure;
use crate::input::problem;
use crate::output::not_written;
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::study::figure::{Figure, Options, Reduce, draw, reduce};
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
    pub lab: &'a Lab,
    pub judged: &'a [Judged<'a>],
    pub figures: &'a [Figure],
    pub runs: &'a [Rc<Run>],
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
        self.lab.origin().get(key).and_then(Value::as_str).unwrap_or("?")
    }

    /// The figures with all that is needed to run them again.
    fn document(&self) -> Value {
        let study = &self.lab.study;
        let stamp = Value::object([
            ("engine", Value::from(self.origin("engine"))),
            ("commit", self.origin("commit").into()),
            ("mode", study.mode_name.as_str().into()),
            ("cycles", study.mode.cycles.into()),
            ("seed", study.seed.into()),
        ]);
        let run = |run: &Rc<Run>| {
            let digest = self.lab.result(run).and_then(|result| result.get("digest").cloned());
            let named = Value::object([("experiment", run.written.clone()), ("hash", run.hash.as_str().into())]);
            let Value::Object(mut pairs) = named else { return named };
            pairs.extend(digest.map(|digest| ("digest".to_owned(), digest)));
            Value::Object(pairs)
        };
        Value::object([
            ("corun", Value::from(1)),
            ("paper", "ccbp".into()),
            ("title", study.title.as_str().into()),
            ("citation", study.citation.as_str().into()),
            ("stamp", stamp),
            ("runs", Value::array(self.runs.iter().map(run))),
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
        text += "## Calibration: Table 2\n\nThe kernels were fitted to these rows, each alone, before any scheme was compared; they count apart. Judged as in tests/kernels.rs: \
within 10 % or 2 points, L2 misses within 5 points. There all is measured from the start on, over 400,000 cycles (docs/kernels.md), and holds; over the cycles \
measured here, without the start, some rows lie just outside.\n\n";
        self.table(&mut text, |claim| claim.calibration);
        self.not_reproduced(&mut text);
        self.ablations(&mut text);
        self.also(&mut text);
        self.settled(&mut text);
        self.sets(&mut text);
        text
    }

    fn head(&self, text: &mut String) {
        let (study, mode) = (&self.lab.study, self.lab.study.mode);
        let _ = writeln!(
            text,
            "<!-- Written by `corun reproduce`. What people found out about it stands in examples/papers/ccbp/causes.toml. -->"
        );
        let _ = writeln!(text, "# {}: what reproduces\n\n{}\n", study.title, study.citation);
        let _ = writeln!(
            text,
            "Engine {}, commit {}, mode {}, {} cycles measured after {} of warm-up, seed {}, {} runs.\n",
            self.origin("engine"),
            self.origin("commit"),
            study.mode_name,
            mode.cycles,
            mode.warm_up,
            study.seed,
            self.lab.known()
        );
    }

    fn totals(&self, text: &mut String) {
        let group = |claim: &Claim| match claim.kind.as_str() {
            _ if claim.calibration => 3,
            "direction" => 0,
            "magnitude" => 1,
            _ => 2,
        };
        let groups = ["Directions", "Magnitudes", "Worked examples, exact", "Calibration (Table 2)"];
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
        let mode = self.lab.study.mode;
        let _ = writeln!(
            text,
            "## How it was run\n\n\
             - Every kernel's IPC alone: greedy-then-oldest warps, as many CTAs as fit, the same cycles. Together: LRR, unless a study says otherwise.\n\
             - Nothing is measured during the warm-up. It begins when a scheme has learned what it learns, so CCBP's detection and priorities \
             are left out of what is measured; in the paper they are under 1.5 % of a run. CCBP's time-line is {} times as long as printed.\n\
             - Mixes with BP and SRT are measured four and six times as long, as their launches differ and each must be in every run.\n\
             - The studies of queues, orders of warps, M and the arbiter run {} mixes of each kind, spread evenly over it, but for those with BP and \
             SRT; everything else runs all.\n\
             - The CTA oracle compares every combination over {} cycles after {}, the spatial one over {} after {}; the best {} of each metric \
             run again at full length, and the best of these counts. So an oracle can be a little below the true best.\n\
             - Curves for WS, IPC for SMK's quotas and for CCBP's priorities are measured once alone and given to the policies as parameters.\n\
             - Means over pairs are geometric, as the paper's. Sets of three and four kernels are drawn with a fixed seed and listed below.\n\
             - A share of the NoC counts replies that carry data (CCBP eq. 1).\n",
            mode.time_scale, mode.some, mode.combinations.1, mode.combinations.0, mode.spatial.1, mode.spatial.0, mode.finalists
        );
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
        if self.lab.study.ablations.is_empty() {
            return;
        }
        *text += "## What the paper leaves open\n\nCCBP's gain in HSpeedup over WS, geometric means of the pairs without BP and SRT.\n\n";
        let _ = writeln!(text, "| reading | {} |\n| --- | --: | --: | --: |", ABLATED.join(" | "));
        for (words, gains) in ablations(self.lab) {
            let cells: Vec<String> = gains.iter().map(|gain| gain.map_or("–".to_owned(), number)).collect();
            let _ = writeln!(text, "| {words} | {} |", cells.join(" | "));
        }
        text.push('\n');
    }

    /// Both speedups by kind of pair, also of schemes of which no claim speaks.
    fn also(&self, text: &mut String) {
        let study = &self.lab.study;
        if study.also.is_empty() {
            return;
        }
        const KINDS: [&str; 5] = ["LS+LS", "LS+NBI", "LS+DBI", "NBI+DBI", "pairs"];
        let _ = writeln!(text, "## All schemes\n\nHSpeedup / WSpeedup, geometric means.\n\n| scheme | {} |", KINDS.join(" | "));
        *text += "| --- | --: | --: | --: | --: | --: |\n";
        for scheme in schemes(study) {
            let mean = |kind: &str, metric: &str| {
                let values = self.lab.all(&study.mixes(kind), scheme, metric);
                values.and_then(|values| reduce(Reduce::Geomean, &values)).map_or("–".to_owned(), number)
            };
            let cells: Vec<String> = KINDS.iter().map(|kind| format!("{} / {}", mean(kind, "hspeedup"), mean(kind, "wspeedup"))).collect();
            let title = study.schemes.get(scheme).map_or(scheme, |found| found.title.as_str());
            let _ = writeln!(text, "| {title} | {} |", cells.join(" | "));
        }
        text.push('\n');
    }

    fn settled(&self, text: &mut String) {
        if self.lengths.is_empty() {
            return;
        }
        *text += "## Are the runs long enough?\n\nHSpeedup as above, and measured five times as long.\n\n";
        *text += "| pair | scheme | here | five times as long |\n| --- | --- | --: | --: |\n";
        let shown = |value: &Option<f64>| value.map_or("–".to_owned(), number);
        for (mix, scheme, short, long) in self.lengths {
            let _ = writeln!(text, "| {mix} | {scheme} | {} | {} |", shown(short), shown(long));
        }
        text.push('\n');
    }

    fn sets(&self, text: &mut String) {
        let list = |mixes: Vec<Mix>| mixes.iter().map(|mix| mix.join("+")).collect::<Vec<_>>().join(", ");
        let study = &self.lab.study;
        let _ = writeln!(text, "## Mixes\n\nPairs: {}.\n", list(study.mixes("pairs")));
        let _ = writeln!(text, "Some of them, for studies: {}.\n", list(study.mixes("some bandwidth")));
        let _ = writeln!(text, "Three kernels (seed {}): {}.\n", study.sets_seed, list(study.mixes("triples")));
        let _ = writeln!(text, "Four kernels (seed {}): {}.", study.sets_seed, list(study.mixes("quads")));
    }
}

/// Kinds of pairs on which other readings are tried.
const ABLATED: [&str; 3] = ["LS+NBI", "LS+DBI", "NBI+DBI"];

/// Other readings of what the paper leaves open, with the gain on each kind of pair.
pub fn ablations(lab: &Lab) -> Vec<(String, Vec<Option<f64>>)> {
    let gains = |scheme: &str, over: &str| {
        let of = |kind: &&str| gain(lab, "hspeedup", scheme, over, &lab.study.mixes(&format!("some {kind}")), Reduce::Geomean);
        ABLATED.iter().map(of).collect()
    };
    lab.study.ablations.iter().map(|(words, scheme, over)| (words.clone(), gains(scheme, over))).collect()
}

/// What the table of all schemes has: those of Fig. 9 and the others.
pub fn schemes(study: &Study) -> Vec<&str> {
    let figure = ["smk", "ws", "spatial-oracle", "cta-oracle", "ccbp-drf", "ccbp", "ccbp-offline"];
    figure.into_iter().chain(study.also.iter().map(String::as_str)).collect()
}

fn about(claim: &Claim) -> String {
    let over = if claim.baseline.is_empty() { String::new() } else { format!(" against {}", claim.baseline) };
    let on = if claim.workloads.is_empty() { String::new() } else { format!(", {}", claim.workloads) };
    format!("{} of {}{over}{on}", claim.metric, claim.subject)
}
