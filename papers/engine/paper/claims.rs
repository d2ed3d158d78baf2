//! The claims of a paper, and when one counts as reproduced. Data: papers/NAME/claims.toml.

use corun_lab::problem;
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;

/// How far "about equal" reaches, of the neutral value, where a claim does not say.
const ABOUT_EQUAL: f64 = 0.05;

/// What counts as above or below, of the neutral value.
const ABOVE: f64 = 0.01;

/// What a claim is made of.
const WANT: &str = "id, section, statement, value, unit, kind and measure; calibration and noise as text; needs with a claim, or says, a measure and a bound";

/// How far from the paper's effect a reproduced one may be, of the effect.
const NEAR: f64 = 0.25;

/// What else than these may decide how a claim comes out, by the name of its rule in claims.toml.
const ONE_SIDED: &str = "one-sided";
const LOWER_BOUND: &str = "lower bound";
const UPPER_BOUND: &str = "upper bound";
const THRESHOLD: &str = "threshold";
const CLOSE: &str = "close";
const REASON: &str = "reason";
const NOISE: &str = "noise";

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
    /// The value is an upper bound; of a claim that something is about equal, only more contradicts it.
    pub at_most: bool,
    /// How far "about equal" reaches, of an amount how far ours may be from the paper's; if not as far as usual.
    pub within: Option<f64>,
    /// What the kernels were fitted to when this was, or why it holds by construction; empty of a result.
    pub calibration: String,
    /// Implied by what is printed.
    pub derived: bool,
    pub notes: String,
    /// What measures it; never the value.
    pub measure: Value,
    /// What must hold too, or else the claim passes for another reason than its own.
    pub needs: Vec<Need>,
    /// Modifiers, such as `seed=2`, under which it is measured again: a difference below their spread is none.
    pub noise: Vec<String>,
}

/// What must hold for a claim to pass for its own reason: another claim, or a measure above or below a bound.
#[derive(Clone, PartialEq, Debug)]
pub struct Need {
    /// For people: what it says.
    pub says: String,
    pub claim: Option<String>,
    pub measure: Value,
    pub above: Option<f64>,
    pub below: Option<f64>,
}

impl Need {
    fn of(value: &Value) -> Option<Need> {
        let number = |key: &str| value.get(key).and_then(Value::as_f64);
        let claim = value.get("claim").and_then(Value::as_str).map(str::to_owned);
        let says = value.get("says").and_then(Value::as_str).map_or_else(|| Some(claim.as_ref()?.clone()), |says| Some(says.to_owned()))?;
        let need = Need {
            says,
            claim,
            measure: value.get("measure").cloned().unwrap_or_default(),
            above: number("above"),
            below: number("below"),
        };
        let bound = need.above.or(need.below).is_some() && matches!(need.measure, Value::Object(_));
        (need.claim.is_some() != bound).then_some(need)
    }

    /// Whether a measured value is within the bounds.
    pub fn holds(&self, value: f64) -> bool {
        self.above.is_none_or(|bound| value > bound) && self.below.is_none_or(|bound| value < bound)
    }
}

/// A rule of judging, by name, so that the totals can be told without it.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    pub name: String,
    pub says: String,
}

impl Rule {
    fn of(name: &str, value: &Value) -> Option<Rule> {
        Some(Rule { name: name.to_owned(), says: value.get("says")?.as_str()?.to_owned() })
    }
}

/// How a claim came out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// The direction and, of an effect, its size within 25 %.
    Reproduced,
    /// Right direction, another size.
    Direction,
    /// Neither.
    Not,
    /// No run can show it.
    NotTestable,
}

impl Verdict {
    /// By its words.
    #[cfg(test)]
    pub fn named(words: &str) -> Option<Verdict> {
        [Verdict::Reproduced, Verdict::Direction, Verdict::Not, Verdict::NotTestable].into_iter().find(|verdict| verdict.words() == words)
    }

    /// Whether it says that a result has not come out, or with another size.
    pub fn fails(self) -> bool {
        matches!(self, Verdict::Not | Verdict::Direction)
    }

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

/// What claims.toml has.
#[derive(Clone, PartialEq, Debug)]
pub struct Ledger {
    pub claims: Vec<Claim>,
    pub rules: Vec<Rule>,
}

/// Reads claims.toml.
pub fn read(text: &str) -> Result<Ledger, Problems> {
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
            None => problems.add(format!("claim[{i}]"), item.describe(), WANT),
        }
    }
    let mut rules = Vec::new();
    if let Some(Value::Object(pairs)) = value.get("rule") {
        for (name, item) in pairs {
            match Rule::of(name, item) {
                Some(rule) => rules.push(rule),
                None => problems.add(format!("rule.{name}"), item.describe(), "says"),
            }
        }
    }
    rules.sort_by(|a, b| a.name.cmp(&b.name));
    // So that no claim waits for itself.
    let plain = |id: &str| claims.iter().any(|claim| claim.id == id && claim.needs.iter().all(|need| need.claim.is_none()));
    for id in claims.iter().flat_map(|claim| claim.needs.iter().filter_map(|need| need.claim.as_deref())).filter(|id| !plain(id)) {
        problems.add("needs", id, "the id of a claim that needs no other");
    }
    problems.or(Ledger { claims, rules })
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
        let list = |key: &str| match value.get(key) {
            Some(Value::Array(items)) => Some(items.as_slice()),
            None => Some([].as_slice()),
            Some(_) => None,
        };
        // A flag there would be a claim that counts as a result.
        let calibration = value.get("calibration").map_or(Some(""), Value::as_str)?.to_owned();
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
            within: number("within"),
            calibration,
            derived: flag("derived"),
            notes: text("notes"),
            measure: value.get("measure").filter(|measure| matches!(measure, Value::Object(_)))?.clone(),
            needs: list("needs")?.iter().map(Need::of).collect::<Option<_>>()?,
            noise: list("noise")?.iter().map(|text| text.as_str().map(str::to_owned)).collect::<Option<_>>()?,
        })
    }

    /// Whether it counts as a result: not what the kernels were fitted to, nor what holds by construction.
    pub fn is_result(&self) -> bool {
        self.calibration.is_empty()
    }

    /// The rules that decide how it comes out or where it counts, beside the usual ones: their names in claims.toml. What a calibration was
    /// to is one.
    pub fn rules(&self) -> Vec<&str> {
        let sign = self.unit == "sign";
        let given = [
            (ONE_SIDED, sign && (self.at_least || self.at_most)),
            (LOWER_BOUND, !sign && self.at_least),
            (UPPER_BOUND, !sign && self.at_most),
            (THRESHOLD, sign && (self.within.is_some() || ![0.0, 1.0].contains(&self.neutral))),
            (CLOSE, !sign && self.within.is_some()),
            (REASON, !self.needs.is_empty()),
            (NOISE, !self.noise.is_empty()),
            (self.calibration.as_str(), !self.is_result()),
        ];
        given.into_iter().filter(|rule| rule.1).map(|rule| rule.0).collect()
    }

    /// The claim as it would stand without a rule.
    pub fn without(&self, rule: &str) -> Claim {
        let mut claim = self.clone();
        match rule {
            _ if !self.rules().contains(&rule) => {}
            ONE_SIDED | LOWER_BOUND | UPPER_BOUND => (claim.at_least, claim.at_most) = (false, false),
            THRESHOLD | CLOSE => {
                claim.within = None;
                if ![0.0, 1.0].contains(&claim.neutral) && self.unit == "sign" {
                    claim.neutral = 0.0;
                }
            }
            REASON => claim.needs.clear(),
            NOISE => claim.noise.clear(),
            _ => claim.calibration.clear(),
        }
        claim
    }

    /// The rule: it sees the measured value only after it has been measured.
    pub fn verdict(&self, measured: Option<f64>) -> Verdict {
        let Some(ours) = measured else { return Verdict::Not };
        let within = self.within.unwrap_or(ABOUT_EQUAL);
        let scale = if self.neutral == 0.0 { 1.0 } else { self.neutral.abs() };
        let past = |value: f64| (value - self.neutral) / scale;
        let holds = |condition: bool| if condition { Verdict::Reproduced } else { Verdict::Not };
        match self.unit.as_str() {
            "boolean" => holds((ours >= 0.5) == (self.value >= 0.5)),
            "sign" if self.value > 0.0 => holds(past(ours) > ABOVE),
            "sign" if self.value < 0.0 => holds(past(ours) < -ABOVE),
            "sign" if self.at_least => holds(past(ours) >= -within),
            "sign" if self.at_most => holds(past(ours) <= within),
            "sign" => holds(past(ours).abs() <= within),
            // As many digits as are printed.
            _ if self.kind == "exact" => holds((ours - self.value).abs() <= 0.005 * self.value.abs()),
            // As tests/suite/kernels.rs keeps them.
            "percent" if !self.is_result() && self.value_hi.is_none() => {
                let points = if self.metric == "L2 miss rate" { 5.0 } else { (0.1 * self.value).max(2.0) };
                holds((ours - self.value).abs() <= points)
            }
            _ if self.at_least && ours >= self.value => Verdict::Reproduced,
            _ if self.at_most && (0.0..=self.value).contains(&ours) => Verdict::Reproduced,
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
        let reach = self.within.unwrap_or(NEAR);
        let near = |end: f64| (ours - end).abs() <= reach * (end - neutral).abs();
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
        read(&text).unwrap().claims.remove(0)
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
        let fitted = claim("value = 54\nunit = \"percent\"\nkind = \"magnitude\"\ncalibration = \"Table 2\"");
        assert_eq!([59.0, 60.0].map(|ours| fitted.verdict(Some(ours))), [Reproduced, Not]);
        let least = claim("value = 1.7\nunit = \"ratio\"\nkind = \"magnitude\"\nat_least = true");
        assert_eq!([2.9, 1.6, 1.2].map(|ours| least.verdict(Some(ours))), [Reproduced, Direction, Direction]);
        let most = claim("value = 5\nunit = \"percent\"\nkind = \"magnitude\"\nlevel = true\nat_most = true");
        assert_eq!([0.5, 6.0, 7.0, -1.0].map(|ours| most.verdict(Some(ours))), [Reproduced, Reproduced, Not, Not]);
        assert_eq!((most.rules(), most.without("upper bound").verdict(Some(0.5))), (vec!["upper bound"], Not));
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

    /// A number of CTAs is that number: within a quarter, eight would be seven.
    #[test]
    fn an_amount_may_have_to_be_closer() {
        use Verdict::{Not, Reproduced};
        let ctas = |more: &str| claim(&format!("value = 7\nunit = \"CTAs\"\nkind = \"magnitude\"\nlevel = true\n{more}"));
        assert_eq!([7.0, 8.0].map(|ours| ctas("within = 0").verdict(Some(ours))), [Reproduced, Not]);
        let without = ctas("within = 0").without("close");
        assert_eq!((without.clone(), without.verdict(Some(8.0))), (ctas(""), Reproduced));
    }

    /// Each rule is named by what a claim says, and taking it away leaves the claim without it.
    #[test]
    fn a_claim_knows_its_rules_and_can_be_judged_without_each() {
        use Verdict::{Not, Reproduced};
        let of = |more: &str| claim(&format!("unit = \"sign\"\nkind = \"direction\"\n{more}"));
        let sided = of("value = 0\nat_most = true");
        assert_eq!((sided.rules(), sided.without("one-sided").rules()), (vec!["one-sided"], vec![]));
        assert_eq!([sided.verdict(Some(0.5)), sided.without("one-sided").verdict(Some(0.5))], [Reproduced, Not]);
        let often = of("value = 1\nneutral = 0.05");
        assert_eq!((often.rules(), often.without("noise").rules()), (vec!["threshold"], vec!["threshold"]));
        assert_eq!([often.verdict(Some(0.04)), often.without("threshold").verdict(Some(0.04))], [Not, Reproduced]);
        let fitted =
            of("value = 1\ncalibration = \"by construction\"\nneeds = [{ says = \"x\", measure = {}, above = 1 }]\nnoise = [\"seed=2\"]");
        assert_eq!(fitted.rules(), ["reason", "noise", "by construction"]);
        assert!(!fitted.is_result() && fitted.without("by construction").is_result());
        assert!(fitted.without("reason").needs.is_empty() && fitted.without("noise").noise.is_empty());
        assert!(of("value = 1").rules().is_empty());
    }

    #[test]
    fn what_is_wrong_with_claims_is_named() {
        let problems = read("[[claim]]\nid = \"a\"\n[[claim]]\nid = \"b\"\nkind = \"guess\"").unwrap_err();
        assert_eq!(problems.0.len(), 2);
        let of = |more: &str| {
            let claim =
                "[[claim]]\nid = \"a\"\nsection = \"1\"\nstatement = \"s\"\nmeasure = {}\nvalue = 1\nunit = \"sign\"\nkind = \"direction\"";
            read(&format!("{claim}\n{more}")).map(|ledger| ledger.rules.len()).map_err(|problems| problems.0[0].path.clone())
        };
        assert_eq!(of("calibration = true"), Err("claim[0]".into()));
        assert_eq!(of("needs = [{ says = \"x\", measure = {} }]"), Err("claim[0]".into()));
        assert_eq!(of("needs = [{ claim = \"b\" }]"), Err("needs".into()));
        assert_eq!(of("[rule.noise]"), Err("rule.noise".into()));
        assert_eq!(of("[rule.noise]\nsays = \"x\""), Ok(1));
        assert!(read("claim = 3").is_err() && read("[[claim").is_err());
    }
}
