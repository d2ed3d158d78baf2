//! How a claim came out: what was measured and over how many mixes, whether it is more than noise, and whether what the claim gives as its
//! reason holds too.

use super::measures::{Measures, Outcome};
use super::paper::claims::{Claim, Ledger, Verdict};
use super::paper::held_out;
use super::paper::mix::Mix;
use super::paper::mixes::HELD_OUT;
use super::paper::words::{MIXES, SCHEMES, changed};
use std::collections::BTreeSet;

/// A claim, what was measured, and how it came out.
#[derive(Clone, Debug)]
pub struct Judgement<'c> {
    pub claim: &'c Claim,
    pub outcome: Outcome,
    pub verdict: Verdict,
    /// On which mixes, or kernels alone.
    pub population: BTreeSet<Mix>,
    /// What it comes to on mixes that are set aside.
    pub held_out: Option<Apart>,
    /// How far the measured value moves where only noise changes.
    spread: Option<f64>,
    /// What of its needs does not hold.
    unmet: Vec<String>,
}

/// A claim on the mixes that are set aside, judged by its value alone, as it is judged on all of them.
#[derive(Clone, Copy, Debug)]
pub struct Apart {
    pub value: f64,
    pub verdict: Verdict,
    pub on_all: Verdict,
    pub mixes: usize,
}

/// How many came out each way, in the order of `Verdict`.
pub type Counts = [usize; 4];

impl<'c> Judgement<'c> {
    /// Measures and judges a claim.
    pub fn of(measures: &Measures, ledger: &'c Ledger, claim: &'c Claim) -> Judgement<'c> {
        let (outcome, asked) = measures.runs.results.watch(|| measures.measure(&claim.measure));
        let spread = spread(measures, claim, &outcome);
        let unmet = claim.needs.iter().filter_map(|need| {
            let found = match &need.claim {
                Some(id) => {
                    let other = ledger.claims.iter().find(|other| other.id == *id)?;
                    let other = Judgement::of(measures, ledger, other);
                    (other.verdict != Verdict::Reproduced).then(|| other.verdict.words().to_owned())
                }
                None => match measures.number(&need.measure) {
                    Some(value) => (!need.holds(value)).then(|| number(value)),
                    None => Some("no value".into()),
                },
            };
            found.map(|found| format!("{}: {found}", need.says))
        });
        let unmet = unmet.collect();
        let mut judgement =
            Judgement { claim, outcome, verdict: Verdict::Not, population: asked.population(), held_out: None, spread, unmet };
        judgement.verdict = judgement.verdict_of(claim);
        judgement.held_out = judgement.apart(measures);
        judgement
    }

    /// A result on the mixes of it that are set aside, if there are others too.
    fn apart(&self, measures: &Measures) -> Option<Apart> {
        let Outcome::Value(Some(of_all)) = self.outcome else { return None };
        measures.runs.study.mixes.held_out.as_ref().filter(|_| self.claim.is_result())?;
        let words = changed(&self.claim.measure, MIXES, &|mixes| format!("{HELD_OUT}{mixes}"));
        let (value, asked) = measures.runs.results.watch(|| measures.number(&words));
        let (value, mixes) = (value?, asked.population().len());
        let verdict = |value| self.claim.verdict(Some(value));
        (held_out::LEAST..self.population.len()).contains(&mixes).then(|| Apart {
            value,
            verdict: verdict(value),
            on_all: verdict(of_all),
            mixes,
        })
    }

    /// How the claim comes out by the rules that `claim` has.
    fn verdict_of(&self, claim: &Claim) -> Verdict {
        let value = match &self.outcome {
            Outcome::Value(value) => *value,
            Outcome::Test(_) => return Verdict::Reproduced,
            Outcome::NotTestable(_) => return Verdict::NotTestable,
            Outcome::Unknown(_) => return Verdict::Not,
        };
        if !claim.needs.is_empty() && !self.unmet.is_empty() || !claim.noise.is_empty() && self.is_noise() {
            return Verdict::Not;
        }
        claim.verdict(value)
    }

    /// Whether what was measured differs from no effect by less than it does where only noise changes.
    fn is_noise(&self) -> bool {
        match (&self.outcome, self.spread) {
            (Outcome::Value(Some(value)), Some(spread)) => (value - self.claim.neutral).abs() <= spread,
            _ => true,
        }
    }

    /// Why a claim whose value alone would pass does not.
    pub fn objection(&self) -> Option<String> {
        let needs = (!self.unmet.is_empty()).then(|| format!("Its reason does not hold: {}.", self.unmet.join("; ")));
        let noise = (!self.claim.noise.is_empty() && self.is_noise())
            .then(|| format!("No more than noise: it moves by {} between seeds.", self.spread.map_or("?".into(), number)));
        needs.or(noise)
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
                let least = if claim.at_least {
                    "> "
                } else if claim.at_most {
                    "< "
                } else {
                    ""
                };
                match unit {
                    "percent" => format!("{least}{value} %"),
                    "ratio" | "speedup" => format!("{least}{value}"),
                    unit => format!("{least}{value} {unit}"),
                }
            }
        }
    }
}

/// How far a claim's value moves under its modifiers of noise: the greatest of all less the least.
fn spread(measures: &Measures, claim: &Claim, outcome: &Outcome) -> Option<f64> {
    let again =
        claim.noise.iter().map(|modifier| measures.number(&changed(&claim.measure, SCHEMES, &|scheme| format!("{scheme} {modifier}"))));
    // All are asked for, even when one is missing.
    let again: Vec<Option<f64>> = again.collect();
    let mut values = again.into_iter().collect::<Option<Vec<f64>>>()?;
    let Outcome::Value(Some(first)) = outcome else { return None };
    values.push(*first);
    Some(values.iter().copied().reduce(f64::max)? - values.iter().copied().reduce(f64::min)?)
}

/// Results of a kind, by how they come out without some of the rules.
pub fn counts(judgements: &[Judgement], kind: &str, without: &[&str]) -> Counts {
    let mut counts = [0; 4];
    for judgement in judgements {
        let claim = without.iter().fold(judgement.claim.clone(), |claim, rule| claim.without(rule));
        if claim.is_result() && claim.kind == kind {
            counts[judgement.verdict_of(&claim) as usize] += 1;
        }
    }
    counts
}

/// A number with the digits that matter.
pub fn number(value: f64) -> String {
    let digits = match value.abs() {
        x if x >= 1000.0 => 0,
        x if x >= 100.0 => 1,
        x if x >= 10.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
