//! Earlier reports of a paper, by what each said of every claim: papers/NAME/history.toml. A report writes its own into
//! verdicts.toml, in the form in which the file takes it.

use crate::engine::paper::claims::{Claim, Verdict};
use crate::engine::paper::read::list;
use crate::engine::verdict::{self, Counts, Judgement};
use corun_lab::problem;
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A report.
#[derive(Clone, Debug)]
pub struct PastReport {
    pub commit: String,
    pub date: String,
    /// What changed before it.
    pub says: String,
    /// Of each claim how it came out, and what was measured.
    claims: BTreeMap<String, (Verdict, String)>,
    /// Reproduced and all of the directions and magnitudes, as it printed them.
    directions: [usize; 2],
    magnitudes: [usize; 2],
}

#[cfg(test)]
impl PastReport {
    /// The claims that failed in it, and whether each is a result.
    pub fn failing<'c>(&self, claims: &'c [Claim]) -> BTreeMap<&'c str, bool> {
        let failed = |claim: &&Claim| self.claims.get(&claim.id).is_some_and(|(verdict, _)| verdict.fails());
        claims.iter().filter(failed).map(|claim| (claim.id.as_str(), claim.is_result())).collect()
    }
}

/// Reads history.toml, the oldest first.
pub fn read(text: &str) -> Result<Vec<PastReport>, Problems> {
    let value: Value = toml::from_str(text).map_err(|error| problem("history.toml", error, "TOML"))?;
    let mut problems = Problems::default();
    let mut reports = Vec::new();
    for (i, item) in list(value.get("report")).iter().enumerate() {
        match PastReport::of(item) {
            Some(past) => reports.push(past),
            None => problems.add(format!("report[{i}]"), item.describe(), "commit, date, says, directions, magnitudes and claims"),
        }
    }
    problems.or(reports)
}

impl PastReport {
    fn of(value: &Value) -> Option<PastReport> {
        let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
        let two = |key: &str| {
            let whole = |item: &Value| usize::try_from(item.as_int()?).ok();
            list(value.get(key)).iter().map(whole).collect::<Option<Vec<_>>>()?.try_into().ok()
        };
        let Some(Value::Object(claims)) = value.get("claims") else { return None };
        let claim = |(id, found): &(String, Value)| {
            let [verdict, here] = list(Some(found)) else { return None };
            Some((id.clone(), (Verdict::named(verdict.as_str()?)?, here.as_str()?.to_owned())))
        };
        Some(PastReport {
            commit: text("commit")?,
            date: text("date")?,
            says: text("says")?,
            claims: claims.iter().map(claim).collect::<Option<_>>()?,
            directions: two("directions")?,
            magnitudes: two("magnitudes")?,
        })
    }

    /// Its verdicts, counted as claims of today are.
    pub fn counts<'c>(&self, claims: impl Iterator<Item = &'c Claim>, kind: &str) -> Counts {
        let mut counts = [0; 4];
        for claim in claims.filter(|claim| claim.is_result() && claim.kind == kind) {
            if let Some((verdict, _)) = self.claims.get(&claim.id) {
                counts[*verdict as usize] += 1;
            }
        }
        counts
    }
}

/// The section of a report: the counts of each, and what came out otherwise than in the last.
pub fn section(past: &[PastReport], judgements: &[Judgement]) -> String {
    let Some(last) = past.last() else { return String::new() };
    let mut text = String::from(
        "## Earlier reports\n\nReproduced, of all: as each report counted, and as its verdicts count by what is a result today (the rest is \
         calibration).\n\n| report | directions then | today's count | magnitudes then | today's count |\n| --- | --: | --: | --: | --: |\n",
    );
    let claims = || judgements.iter().map(|judgement| judgement.claim);
    for report in past {
        let today = |kind: &str| {
            let counts = report.counts(claims(), kind);
            format!("{} of {}", counts[0], counts.iter().sum::<usize>())
        };
        let then = |[reproduced, all]: [usize; 2]| format!("{reproduced} of {all}");
        let _ = writeln!(
            text,
            "| {}, {}: {} | {} | {} | {} | {} |",
            report.commit,
            report.date,
            report.says,
            then(report.directions),
            today("direction"),
            then(report.magnitudes),
            today("magnitude")
        );
    }
    let _ = writeln!(text, "\n### What came out otherwise than at {}\n", last.commit);
    let mut flips: BTreeMap<(Verdict, Verdict), Vec<String>> = BTreeMap::new();
    for judgement in judgements {
        let Some((before, here)) = last.claims.get(&judgement.claim.id).filter(|(before, _)| *before != judgement.verdict) else {
            continue;
        };
        let flip = format!("{} ({here}, now {}; paper {})", judgement.claim.id, judgement.ours(), judgement.paper());
        flips.entry((judgement.verdict, *before)).or_default().push(flip);
    }
    for ((now, before), claims) in &flips {
        let _ = writeln!(text, "- {}, now {}: {}.", before.words(), now.words(), claims.join(", "));
    }
    if flips.is_empty() {
        text += "Nothing.\n";
    }
    text.push('\n');
    text
}

/// A report as history.toml takes it.
pub fn verdicts(commit: &str, date: &str, judgements: &[Judgement]) -> String {
    let total = |kind: &str| {
        let counts = verdict::counts(judgements, kind, &[]);
        format!("[{}, {}]", counts[0], counts.iter().sum::<usize>())
    };
    let mut text = format!("\n[[report]]\ncommit = \"{commit}\"\ndate = \"{date}\"\nsays = \"\"\n");
    let _ = writeln!(text, "directions = {}\nmagnitudes = {}\n\n[report.claims]", total("direction"), total("magnitude"));
    for judgement in judgements {
        let _ = writeln!(text, "{} = [{:?}, {:?}]", judgement.claim.id, judgement.verdict.words(), judgement.ours());
    }
    text
}
