//! What people found out about a paper's claims and figures. Data: papers/NAME/causes.toml.

use corun_lab::problem;
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What people wrote about claims and figures; kept when a report is made again.
#[derive(Debug, Default)]
pub struct Causes {
    /// Said before everything else.
    pub summary: String,
    /// Why claims were not reproduced.
    pub causes: Vec<Cause>,
    /// Claims that are known to fail, and nobody knows why.
    pub unexplained: Vec<String>,
    /// Printed figures that no machine that we could build has together.
    pub contradictions: Vec<Cause>,
    /// Where a figure differs, by its id.
    pub figures: BTreeMap<String, String>,
}

/// Something found out about claims.
#[derive(Debug)]
pub struct Cause {
    pub says: String,
    /// Their ids.
    pub claims: Vec<String>,
    /// The command whose runs show it.
    pub tested: Option<String>,
}

impl Cause {
    fn of(value: &Value) -> Option<Cause> {
        let text = |key: &str| Some(value.get(key)?.as_str()?.trim().to_owned());
        let Some(Value::Array(claims)) = value.get("claims") else { return None };
        let claims: Vec<String> = claims.iter().map(|id| id.as_str().map(str::to_owned)).collect::<Option<_>>()?;
        let tested = value.get("tested").map_or(Some(None), |command| command.as_str().map(|command| Some(command.to_owned())))?;
        (!claims.is_empty()).then_some(Cause { says: text("says")?, claims, tested })
    }

    /// Whether a run shows it.
    pub fn shown(&self) -> String {
        self.tested.as_ref().map_or("Not tested.".into(), |command| format!("Tested: `{command}`."))
    }
}

impl Causes {
    /// Reads causes.toml.
    pub fn read(text: &str) -> Result<Causes, Problems> {
        let value: Value = toml::from_str(text).map_err(|error| problem("causes.toml", error, "TOML"))?;
        let mut problems = Problems::default();
        let mut list = |key: &str| {
            let Some(Value::Array(items)) = value.get(key) else { return Vec::new() };
            let mut of = |(i, item): (usize, &Value)| {
                let cause = Cause::of(item);
                if cause.is_none() {
                    problems.add(format!("{key}[{i}]"), item.describe(), "says, claims, and tested if a command shows it");
                }
                cause
            };
            items.iter().enumerate().filter_map(&mut of).collect()
        };
        let (causes, contradictions) = (list("cause"), list("contradiction"));
        let figures = match value.get("figure") {
            Some(Value::Object(pairs)) => {
                pairs.iter().filter_map(|(id, text)| Some((id.clone(), text.as_str()?.trim().to_owned()))).collect()
            }
            _ => BTreeMap::new(),
        };
        let summary = value.get("summary").and_then(Value::as_str).unwrap_or("").trim().to_owned();
        let ids = |list: &Value| list.items().iter().map(|id| id.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
        let unexplained = match value.get("unexplained") {
            Some(list @ Value::Array(_)) => ids(list),
            other => other.is_none().then(Vec::new),
        };
        if unexplained.is_none() {
            problems.add("unexplained", "something else", "a list of ids of claims");
        }
        let unexplained = unexplained.unwrap_or_default();
        problems.or(Causes { summary, causes, unexplained, contradictions, figures })
    }

    /// Every text with its place.
    pub fn texts(&self) -> Vec<(String, &str)> {
        let mut texts = vec![("summary".to_owned(), self.summary.as_str())];
        for (key, causes) in [("cause", &self.causes), ("contradiction", &self.contradictions)] {
            texts.extend(causes.iter().enumerate().map(|(i, cause)| (format!("{key}[{i}].says"), cause.says.as_str())));
        }
        texts.extend(self.figures.iter().map(|(id, text)| (format!("figure.{id}"), text.as_str())));
        texts
    }

    /// Writes every text anew.
    pub fn change(&mut self, write: impl Fn(&str) -> String) {
        let causes = self.causes.iter_mut().chain(&mut self.contradictions).map(|cause| &mut cause.says);
        causes.chain(self.figures.values_mut()).chain([&mut self.summary]).for_each(|text| *text = write(text));
    }

    /// The claims that are known to fail, with a cause or without, are those that do, or it says which are not. A calibration that fails may be among them and
    /// need not: each claim is `true` where it is a result.
    pub fn are_all_that_fails(&self, failing: &BTreeMap<&str, bool>) -> Result<(), Problems> {
        let ids = self.causes.iter().flat_map(|cause| &cause.claims).chain(&self.unexplained);
        let known: BTreeSet<&str> = ids.map(String::as_str).collect();
        let mut problems = Problems::default();
        let holds = known.iter().filter(|id| !failing.contains_key(*id));
        holds.for_each(|id| problems.add("causes.toml", format!("{id}, which holds"), "claims that fail: take it off the list"));
        let without = failing.iter().filter(|(id, is_result)| **is_result && !known.contains(*id));
        without.for_each(|(id, _)| {
            problems.add("causes.toml", format!("nothing of {id}, which fails"), "its cause, or its id under unexplained");
        });
        problems.or(())
    }

    /// Everything found out about a claim.
    pub fn of<'s>(&'s self, claim: &'s str) -> impl Iterator<Item = &'s Cause> {
        self.causes.iter().filter(move |cause| cause.claims.iter().any(|id| id == claim))
    }
}
