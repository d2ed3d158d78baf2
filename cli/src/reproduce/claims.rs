//! The claims of a paper, and when one counts as reproduced. Data: examples/papers/NAME/claims.toml.

use crate::input::problem;
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;

/// How far "about equal" reaches, of the neutral value, where a claim does not say.
const ABOUT_EQUAL: f64 = 0.05;

/// What counts as above or below, of the neutral value.
const ABOVE: f64 = 0.01;

/// How far from the paper's effect a reproduced one may be, of the effect.
const NEAR: f64 = 0.25;

/// One claim.
#[derive(Clone, PartialEq, Debug)]
pub struct Claim {
    pub id: String,
    pub section: String,
    pub statement: String,
    pub metric: String,
    pub subject: String,
    pub baseline: String,
    pub workloads: String,
    /// What the paper says; the upper end of a range too.
    pub value: f64,
    pub value_hi: Option<f64>,
    pub unit: String,
    /// `magnitude`, `direction` or `exact`.
    pub kind: String,
    /// The value that stands for no effect.
    pub neutral: f64,
    /// An amount without a direction.
    pub level: bool,
    /// The value is a lower bound; of a claim that something is about equal, only less contradicts it.
    pub at_least: bool,
    /// Of a claim that something is about equal: only more contradicts it.
    pub at_most: bool,
    /// How far "about equal" reaches.
    pub within: f64,
    /// What the kernels were fitted to.
    pub calibration: bool,
    /// Implied by what is printed.
    pub derived: bool,
    pub notes: String,
    /// What measures it; never the value.
    pub measure: Value,
}

/// How a claim came out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// The direction and, of an effect, its size within 25 %.
    Reproduced,
    /// Right direction, other size.
    Direction,
    /// Neither.
    Not,
    /// No run can show it.
    NotTestable,
}

impl Verdict {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
            Verdict::Direction => "direction only",
            Verdict::Not => "not reproduced",
            Verdict::NotTestable => "not testable",
        }
    }
}

/// Reads claims.toml.
pub fn read(text: &str) -> Result<Vec<Claim>, Problems> {
    let value: Value = toml::from_str(text).map_err(|error| problem("claims.toml", error, "TOML"))?;
    let Some(Value::Array(items)) = value.get("claim") else {
        return Err(problem("claims.toml", "no claims", "[[claim]] tables"));
    };
    let mut problems = Problems::default();
    let mut claims: Vec<Claim> = Vec::new();
    for (i, item) in items.iter().enumerate() {
        match Claim::of(item) {
            Some(claim) if claims.iter().any(|other| other.id == claim.id) => {
                problems.add(format!("claim[{i}].id"), &claim.id, "another id")
            }
            Some(claim) => claims.push(claim),
            None => problems.add(format!("claim[{i}]"), item.describe(), "id, section, statement, value, unit, kind and measure"),
        }
    }
    problems.or(claims)
}

impl Claim {
    fn of(value: &Value) -> Option<Claim> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
        let flag = |key: &str| value.get(key) == Some(&Value::Bool(true));
        let number = |key: &str| value.get(key).and_then(Value::as_f64);
        let unit = value.get("unit")?.as_str()?.to_owned();
        let neutral = match unit.as_str() {
            "ratio" | "speedup" | "sign" => 1.0,
            _ => 0.0,
        };
        let kind = value.get("kind")?.as_str().filter(|kind| ["magnitude", "direction", "exact"].contains(kind))?.to_owned();
        Some(Claim {
            id: value.get("id")?.as_str()?.to_owned(),
            section: value.get("section")?.as_str()?.to_owned(),
            statement: value.get("statement")?.as_str()?.to_owned(),
            metric: text("metric"),
            subject: text("subject"),
            baseline: text("baseline"),
            workloads: text("workloads"),
            value: number("value")?,
            value_hi: number("value_hi"),
            unit,
            kind,
            neutral: number("neutral").unwrap_or(neutral),
            level: flag("level"),
            at_least: flag("at_least"),
            at_most: flag("at_most"),
            within: number("within").unwrap_or(ABOUT_EQUAL),
            calibration: flag("calibration"),
            derived: flag("derived"),
            notes: text("notes"),
            measure: value.get("measure").filter(|measure| matches!(measure, Value::Object(_)))?.clone(),
        })
    }

    /// The rule: it sees the measured value only after it has been measured.
    pub fn verdict(&self, measured: Option<f64>) -> Verdict {
        let Some(ours) = measured else { return Verdict::Not };
        let scale = if self.neutral == 0.0 { 1.0 } else { self.neutral.abs() };
        let past = |value: f64| (value - self.neutral) / scale;
        let holds = |condition: bool| if condition { Verdict::Reproduced } else { Verdict::Not };
        match self.unit.as_str() {
            "boolean" => holds((ours >= 0.5) == (self.value >= 0.5)),
            "sign" if self.value > 0.0 => holds(past(ours) > ABOVE),
            "sign" if self.value < 0.0 => holds(past(ours) < -ABOVE),
            "sign" if self.at_least => holds(past(ours) >= -self.within),
            "sign" if self.at_most => holds(past(ours) <= self.within),
            "sign" => holds(past(ours).abs() <= self.within),
            // As many digits as are printed.
            _ if self.kind == "exact" => holds((ours - self.value).abs() <= 0.005 * self.value.abs()),
            // As tests/kernels.rs keeps them.
            "percent" if self.calibration => {
                let points = if self.metric == "L2 miss rate" { 5.0 } else { (0.1 * self.value).max(2.0) };
                holds((ours - self.value).abs() <= points)
            }
            _ if self.at_least && ours >= self.value => Verdict::Reproduced,
            _ if self.at_least => {
                if ours > self.neutral {
                    Verdict::Direction
                } else {
                    Verdict::Not
                }
            }
            _ => self.magnitude(ours),
        }
    }

    fn magnitude(&self, ours: f64) -> Verdict {
        let high = self.value_hi.unwrap_or(self.value);
        let neutral = if self.level { 0.0 } else { self.neutral };
        let near = |end: f64| (ours - end).abs() <= NEAR * (end - neutral).abs();
        // Where the paper sees no effect at all, about none counts.
        let nothing = self.value == neutral && high == neutral && (ours - neutral).abs() <= ABOVE * neutral.abs().max(1.0);
        if (self.value..=high).contains(&ours) || near(self.value) || near(high) || nothing {
            Verdict::Reproduced
        } else if !self.level && (ours - neutral) * (self.value - neutral) > 0.0 {
            Verdict::Direction
        } else {
            Verdict::Not
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(text: &str) -> Claim {
        let text = format!("[[claim]]\nid = \"a\"\nsection = \"1\"\nstatement = \"s\"\nmeasure = {{}}\n{text}");
        read(&text).unwrap().remove(0)
    }

    #[test]
    fn an_effect_is_reproduced_within_a_quarter_of_it() {
        let gain = claim("value = 1.4\nunit = \"ratio\"\nkind = \"magnitude\"");
        let verdicts = [1.4, 1.3, 1.499, 1.29, 1.6, 1.001, 0.99].map(|ours| gain.verdict(Some(ours)));
        use Verdict::{Direction, Not, Reproduced};
        assert_eq!(verdicts, [Reproduced, Reproduced, Reproduced, Direction, Direction, Direction, Not]);
        assert_eq!(gain.verdict(None), Not);
        let loss = claim("value = 0.9\nunit = \"ratio\"\nkind = \"magnitude\"");
        assert_eq!([0.88, 0.5, 1.1].map(|ours| loss.verdict(Some(ours))), [Reproduced, Direction, Not]);
        let percent = claim("value = 96\nunit = \"percent\"\nkind = \"magnitude\"\nneutral = 100");
        assert_eq!([95.5, 98.0, 101.0].map(|ours| percent.verdict(Some(ours))), [Reproduced, Direction, Not]);
        let all = claim("value = 100\nunit = \"percent\"\nkind = \"magnitude\"\nneutral = 100");
        assert_eq!([100.5, 98.0].map(|ours| all.verdict(Some(ours))), [Reproduced, Not]);
        let range = claim("value = 50\nvalue_hi = 60\nunit = \"percent\"\nkind = \"magnitude\"\nlevel = true");
        assert_eq!([55.0, 74.0, 76.0, 37.0].map(|ours| range.verdict(Some(ours))), [Reproduced, Reproduced, Not, Not]);
        let fitted = claim("value = 54\nunit = \"percent\"\nkind = \"magnitude\"\ncalibration = true");
        assert_eq!([59.0, 60.0].map(|ours| fitted.verdict(Some(ours))), [Reproduced, Not]);
        let least = claim("value = 1.7\nunit = \"ratio\"\nkind = \"magnitude\"\nat_least = true");
        assert_eq!([2.9, 1.6, 1.2].map(|ours| least.verdict(Some(ours))), [Reproduced, Direction, Direction]);
    }

    #[test]
    fn a_direction_is_reproduced_or_not() {
        use Verdict::{Not, Reproduced};
        let of = |value: i32, more: &str| claim(&format!("value = {value}\nunit = \"sign\"\nkind = \"direction\"\n{more}"));
        assert_eq!([1.02, 1.005, 0.9].map(|ours| of(1, "").verdict(Some(ours))), [Reproduced, Not, Not]);
        assert_eq!([1.02, 0.98].map(|ours| of(-1, "").verdict(Some(ours))), [Not, Reproduced]);
        assert_eq!([1.04, 0.96, 1.06].map(|ours| of(0, "").verdict(Some(ours))), [Reproduced, Reproduced, Not]);
        assert_eq!(of(0, "within = 0.25").verdict(Some(1.2)), Reproduced);
        assert_eq!([0.94, 0.96, 1.3].map(|ours| of(0, "at_least = true").verdict(Some(ours))), [Not, Reproduced, Reproduced]);
        assert_eq!([0.7, 1.04, 1.06].map(|ours| of(0, "at_most = true").verdict(Some(ours))), [Reproduced, Reproduced, Not]);
        assert_eq!([0.07, 0.05, 0.0].map(|ours| of(1, "neutral = 0.05").verdict(Some(ours))), [Reproduced, Not, Not]);
        let holds = claim("value = 1\nunit = \"boolean\"\nkind = \"direction\"");
        assert_eq!([1.0, 0.0].map(|ours| holds.verdict(Some(ours))), [Reproduced, Not]);
    }

    #[test]
    fn what_is_wrong_with_claims_is_named() {
        let problems = read("[[claim]]\nid = \"a\"\n[[claim]]\nid = \"b\"\nkind = \"guess\"").unwrap_err();
        assert_eq!(problems.0.len(), 2);
        assert!(read("claim = 3").is_err() && read("[[claim").is_err());
    }
}
