//! The menu of schemes: every policy of the catalogue as it begins, and the forms of it that papers compare.

use crate::failure::problem;
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::study::catalogue::catalogue;

/// A form of a policy beside its usual one.
#[derive(Debug)]
pub struct Variant {
    /// The policy with its settings.
    pub policy: Value,
    /// What papers call it.
    pub title: Option<String>,
    /// Differs only where a kernel is promised something.
    pub goals: bool,
}

/// A policy with what must be given of it and has a beginning that makes sense: as `begun` of the page (web/src/model/choices.ts).
pub fn begun(name: &str, kernels: usize) -> Value {
    let given = match name {
        "mps" if kernels > 0 => {
            let percentage = (2000.0 / kernels as f64).round() / 10.0;
            Some(("percentage", Value::array(vec![percentage.min(100.0); kernels])))
        }
        "time-slice" if kernels > 0 => Some(("slice", 100_000.into())),
        "priority" if kernels > 0 => Some(("level", Value::array((0..kernels).map(|k| if k == 0 { -5 } else { 0 })))),
        _ => None,
    };
    Value::object([("name", Value::from(name))].into_iter().chain(given))
}

/// The names in a part of the catalogue.
pub fn names(part: &str) -> Vec<String> {
    let all = catalogue(&[], &[]);
    let names = all.get(part).map_or(&[][..], Value::items).iter();
    names.filter_map(|entry| Some(entry.get("name")?.as_str()?.to_owned())).collect()
}

/// Reads a list of further forms; `name` is what its problems call it.
pub fn variants(name: &str, text: &str) -> Result<Vec<Variant>, Problems> {
    let Value::Array(entries) = Value::from_json(text)? else { return Err(problem(name, text.trim(), "a list of forms of policies")) };
    let read = |(at, entry): (usize, &Value)| {
        let policy = entry.get("policy").filter(|policy| named(policy).is_some()).cloned();
        let wrong = || problem(&format!("{name}[{at}].policy"), entry, "an object with the policy's name");
        let title = entry.get("title").and_then(Value::as_str).map(str::to_owned);
        policy.map(|policy| Variant { policy, title, goals: entry.get("goals") == Some(&true.into()) }).ok_or_else(wrong)
    };
    entries.iter().enumerate().map(read).collect()
}

/// Every policy of the catalogue for so many kernels, each followed by its further forms. `promised`: a kernel has a goal.
pub fn policies(kernels: usize, promised: bool, variants: &[Variant]) -> Vec<Value> {
    let with_forms = |name: String| {
        let forms = variants.iter().filter(|one| (promised || !one.goals) && named(&one.policy) == Some(&name));
        [begun(&name, kernels)].into_iter().chain(forms.map(|one| one.policy.clone())).collect::<Vec<_>>()
    };
    names("policies").into_iter().flat_map(with_forms).collect()
}

/// The name in a policy.
pub fn named(policy: &Value) -> Option<&str> {
    policy.get("name")?.as_str()
}
