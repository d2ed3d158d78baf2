//! Whether every value that can be set does what is said of it: knobs.toml says what each is to move, and which way, and each is tried.

use super::{Page, results};
use serde::Deserialize;
use serde_json::{Value, json};
use sim_core::study::catalogue::catalogue;
use sim_core::Experiment;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A figure rises or falls by at least this part of itself, and goes the other way by no more on the way.
const MOVES: f64 = 0.02;

/// A figure that stays differs by no more than this part.
const STAYS: f64 = 0.05;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    mix: Vec<Mix>,
}

/// What all runs of some knobs share.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mix {
    says: String,
    kernels: Value,
    #[serde(default = "gpu")]
    gpu: Value,
    #[serde(default = "policy")]
    policy: Value,
    #[serde(default = "cta_order")]
    cta_order: Value,
    #[serde(default)]
    alone: bool,
    #[serde(default = "warm_up")]
    warm_up: u64,
    #[serde(default = "cycles")]
    cycles: u64,
    knobs: Vec<Knob>,
}

fn gpu() -> Value {
    "ccbp-16sm".into()
}

fn policy() -> Value {
    json!({ "name": "even" })
}

fn cta_order() -> Value {
    "round-robin".into()
}

const fn warm_up() -> u64 {
    10_000
}

const fn cycles() -> u64 {
    60_000
}

/// A value that is set, and what is said of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Knob {
    set: String,
    to: Vec<Value>,
    rises: Option<String>,
    falls: Option<String>,
    stays: Option<String>,
    covers: Option<String>,
    why: Option<String>,
    was: Option<String>,
    known: Option<String>,
}

/// How a knob came out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outcome {
    Right,
    /// The figure moves where it is to stay, or the other way.
    Wrong,
    /// Something is another, but not the figure.
    Still,
    /// No figure of any kernel is another.
    Dead,
}

const OUTCOMES: [(Outcome, &str); 4] =
    [(Outcome::Right, "right"), (Outcome::Wrong, "wrong"), (Outcome::Still, "still"), (Outcome::Dead, "dead")];

/// A figure of a run, and all of them.
type Seen = (f64, String);

impl Knob {
    /// The figure, and the sign of its way.
    fn says(&self) -> Result<(&str, f64), String> {
        match (&self.rises, &self.falls, &self.stays) {
            (Some(figure), None, None) => Ok((figure, 1.0)),
            (None, Some(figure), None) => Ok((figure, -1.0)),
            (None, None, Some(figure)) => Ok((figure, 0.0)),
            _ => Err(format!("{}: want one of rises, falls and stays", self.set)),
        }
    }

    fn outcome(&self, seen: &[Seen]) -> Result<Outcome, String> {
        let (_, way) = self.says()?;
        let figures: Vec<f64> = seen.iter().map(|(figure, _)| *figure).collect();
        let (first, last) = (figures[0], figures[figures.len() - 1]);
        let (least, most) = figures.iter().fold((f64::MAX, f64::MIN), |(least, most), &figure| (least.min(figure), most.max(figure)));
        if way == 0.0 {
            return Ok(if most <= least * (1.0 + STAYS) { Outcome::Right } else { Outcome::Wrong });
        }
        let moved = way * (last - first);
        let back = |pair: &[f64]| way * (pair[1] - pair[0]) < -MOVES * pair[0].abs();
        Ok(if seen.iter().all(|(_, all)| *all == seen[0].1) {
            Outcome::Dead
        } else if figures.windows(2).any(back) || moved < -MOVES * first.abs() {
            Outcome::Wrong
        } else if moved > 0.0 && moved >= MOVES * first.abs() {
            Outcome::Right
        } else {
            Outcome::Still
        })
    }

    /// What it is a knob of: as [`can_be_set`] names it.
    fn names(&self, mix: &Mix) -> Vec<String> {
        if let Some(name) = &self.covers {
            return vec![name.clone()];
        }
        let parameters = |of: &Value| {
            let of = of.as_object()?;
            let name = of.get("name")?.as_str()?;
            Some(of.keys().filter(|key| *key != "name").map(|key| format!("{name}.{key}")).collect::<Vec<_>>())
        };
        match (self.set.strip_prefix("policy."), self.set.as_str()) {
            (Some(parameter), _) if !parameter.starts_with("controls.") => {
                let (member, parameter) = parameter.split_once('.').unwrap_or(("", parameter));
                let of = member.parse::<usize>().map_or(&mix.policy, |member| &mix.policy[member]);
                vec![format!("{}.{parameter}", of["name"].as_str().unwrap_or_default())]
            }
            (None, "cta_order") => self.to.last().and_then(parameters).unwrap_or_else(|| vec![self.set.clone()]),
            _ => vec![self.set.clone()],
        }
    }
}

/// All that the page and an experiment offer.
fn can_be_set() -> Vec<String> {
    let all: Value = serde_json::from_str(&catalogue(&[], &[]).to_string()).unwrap_or_default();
    let list = |of: &Value, key: &str| of[key].as_array().cloned().unwrap_or_default();
    let text = |of: &Value, key: &str| of[key].as_str().unwrap_or_default().to_owned();
    // A field of one class of SMs is that of all.
    let of_a_class = |path: &String| path.starts_with("sm.big.") || path.starts_with("sm.small.");
    let fields = list(&all, "gpu_fields").iter().map(|field| text(field, "path")).filter(|path| !of_a_class(path)).collect::<Vec<_>>();
    let mut names: Vec<String> = fields.iter().map(|path| format!("gpu.{path}")).collect();
    names.extend(list(&all, "controls").iter().map(|control| format!("policy.controls.{}", text(control, "key"))));
    for of in list(&all, "policies").iter().chain(&list(&all, "cta_orders")) {
        let name = text(of, "name");
        // A combination has the parameters of its members; what `manual` has are the controls.
        if !name.contains('+') && name != "manual" {
            names.extend(list(of, "params").iter().map(|parameter| format!("{name}.{}", text(parameter, "name"))));
        }
    }
    names
}

/// The schemes that are one type: those of QoS, and of HeteroCore. With its parameter.
fn family(path: &str) -> (&str, &str) {
    let (scheme, parameter) = path.split_once('.').unwrap_or((path, ""));
    (scheme.split('-').next().unwrap_or(scheme), parameter)
}

fn experiment(mix: &Mix, knob: &Knob, to: &Value) -> Result<Experiment, String> {
    let mut whole = json!({
        "corun": 1,
        "gpu": mix.gpu,
        "kernels": mix.kernels,
        "policy": mix.policy,
        "warp_order": "gto",
        "cta_order": mix.cta_order,
        "alone": mix.alone,
        "warm_up": mix.warm_up,
        "stop": { "cycles": mix.cycles },
    });
    // What a GPU says of experiments that say nothing is tried on one that says nothing.
    for (of_gpu, own) in [("gpu.warp_order", "warp_order"), ("gpu.measure_from", "warm_up")] {
        if let Some(fields) = whole.as_object_mut().filter(|_| knob.set == of_gpu) {
            fields.remove(own);
        }
    }
    match knob.set.strip_prefix("gpu.") {
        Some(field) => {
            if let Some(preset) = whole["gpu"].as_str().map(str::to_owned) {
                whole["gpu"] = json!({ "preset": preset });
            }
            whole["gpu"][field] = to.clone();
        }
        None => *place(&mut whole, &knob.set) = nulls(to),
    }
    let text = nulls(&whole).to_string();
    Experiment::from_json(&text).map_err(|problems| format!("{} = {to}: {problems}", knob.set))
}

/// What a path leads to; a name on the way becomes an object with that name.
fn place<'v>(of: &'v mut Value, path: &str) -> &'v mut Value {
    path.split('.').fold(of, |at, part| match part.parse::<usize>() {
        Ok(index) => &mut at[index],
        Err(_) => {
            if let Some(kernel) = at.as_str().map(str::to_owned) {
                *at = json!({ "kernel": kernel });
            }
            &mut at[part]
        }
    })
}

/// TOML has no null: the word stands for it.
fn nulls(of: &Value) -> Value {
    match of {
        Value::String(word) if word == "null" => Value::Null,
        Value::Array(items) => items.iter().map(nulls).collect(),
        Value::Object(fields) => Value::Object(fields.iter().map(|(key, value)| (key.clone(), nulls(value))).collect()),
        other => other.clone(),
    }
}

/// A figure of a result, by its path.
fn seen(result: &Value, figure: &str) -> Result<Seen, String> {
    let at = figure.split('.').fold(result, |at, part| part.parse::<usize>().map_or_else(|_| &at[part], |index| &at[index]));
    let all = format!("{} {}", result["gpu"], result["kernels"]);
    Ok((at.as_f64().ok_or_else(|| format!("{}: no {figure}", result["name"]))?, all))
}

/// A knob that has been tried.
struct Tried<'f> {
    mix: &'f Mix,
    knob: &'f Knob,
    seen: Vec<Seen>,
    outcome: Outcome,
}

/// Prints the page; with words, only what has one of them in its name.
pub fn page(words: &[String], page: &mut Page) -> Result<(), String> {
    let file: File = toml::from_str(include_str!("knobs.toml")).map_err(|error| format!("knobs.toml: {error}"))?;
    let missing = left_out(&file);
    if !missing.is_empty() {
        return Err(format!("knobs.toml says nothing of {}", missing.join(", ")));
    }
    let wanted = |knob: &Knob, mix: &Mix| words.is_empty() || words.iter().any(|word| knob.names(mix).concat().contains(word.as_str()));
    let knobs: Vec<(&Mix, &Knob)> =
        file.mix.iter().flat_map(|mix| mix.knobs.iter().map(move |knob| (mix, knob))).filter(|(mix, knob)| wanted(knob, mix)).collect();
    let all = knobs.iter().flat_map(|(mix, knob)| knob.to.iter().map(|to| experiment(mix, knob, to)));
    let mut results = results(all.collect::<Result<_, _>>()?)?.into_iter();
    let tried = knobs.into_iter().map(|(mix, knob)| {
        let (figure, _) = knob.says()?;
        let seen = results.by_ref().take(knob.to.len()).map(|result| seen(&result, figure)).collect::<Result<Vec<_>, _>>()?;
        let outcome = knob.outcome(&seen)?;
        Ok(Tried { mix, knob, seen, outcome })
    });
    let tried = tried.collect::<Result<Vec<_>, String>>()?;
    print(&tried, page)
}

/// What can be set and has no knob.
fn left_out(file: &File) -> Vec<String> {
    let tried: BTreeSet<String> = file.mix.iter().flat_map(|mix| mix.knobs.iter().flat_map(|knob| knob.names(mix))).collect();
    // One scheme of a family is tried for all.
    let is_tried = |path: &String| tried.iter().any(|other| family(other) == family(path));
    can_be_set().into_iter().filter(|path| !is_tried(path)).collect()
}

fn kind(tried: &Tried<'_>) -> &'static str {
    match tried.knob.names(tried.mix)[0].as_str() {
        name if name.starts_with("gpu.") => "fields of a GPU",
        name if name.starts_with("policy.controls") => "controls, by hand",
        name if tried.knob.set == "cta_order" || !name.contains('.') || name.starts_with("kernels.") => {
            "fields of an experiment, orders of CTAs"
        }
        _ => "parameters of schemes",
    }
}

fn print(tried: &[Tried<'_>], page: &mut Page) -> Result<(), String> {
    page.say("outcomes", OUTCOMES.map(|(_, name)| name).join(" | "));
    // There may be none of these.
    ["wrong", "names"].into_iter().for_each(|mark| page.say(mark, ""));
    page.say("line", OUTCOMES.map(|_| "--:").join(" | "));
    let mut kinds: Vec<&str> = tried.iter().map(kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut row = |name: &str, of: &dyn Fn(&&Tried<'_>) -> bool| {
        let those: Vec<_> = tried.iter().filter(of).collect();
        let counts = OUTCOMES.map(|(outcome, _)| those.iter().filter(|one| one.outcome == outcome).count().to_string());
        page.line("kinds", format!("| {name} | {} | {} |", those.len(), counts.join(" | ")));
    };
    kinds.iter().for_each(|name| row(name, &|one| kind(one) == *name));
    row("**all**", &|_| true);
    for one in tried.iter().filter(|one| one.outcome != Outcome::Right) {
        let known = one.knob.known.as_deref().unwrap_or("not explained.");
        page.line("wrong", format!("- `{}`: {known}", one.knob.names(one.mix).join("`, `")));
    }
    let silent = |one: &&Tried<'_>| one.knob.stays.is_some() && one.seen.iter().all(|(_, all)| *all == one.seen[0].1);
    let names: Vec<String> = tried.iter().filter(silent).map(|one| format!("`{}`", one.knob.names(one.mix).join("`, `"))).collect();
    page.say("silent", names.len());
    names.iter().for_each(|name| page.line("names", format!("- {name}")));
    let mut says = "";
    for one in tried {
        if says != one.mix.says {
            says = &one.mix.says;
            page.line("every", format!("\n{says}.\n\n| knob | set to | is to | does | |\n| --- | --- | --- | --- | --- |"));
        }
        page.line("every", line(one)?);
    }
    Ok(())
}

fn line(one: &Tried<'_>) -> Result<String, String> {
    let Tried { mix, knob, seen, outcome } = one;
    let (figure, way) = knob.says()?;
    let way = if way > 0.0 {
        "raise"
    } else if way < 0.0 {
        "lower"
    } else {
        "keep"
    };
    let values: Vec<String> = knob.to.iter().map(|to| value(to).replace('|', "\\|")).collect();
    let figures: Vec<String> = seen.iter().map(|(figure, _)| number(*figure)).collect();
    let name = OUTCOMES.iter().find(|(of, _)| of == outcome).map_or("", |(_, name)| name);
    let mut text = format!("| `{}` | {} | {way} `{figure}`", knob.names(mix).join("`, `"), values.join("; "));
    for (word, said) in [("", &knob.why), ("said at first: ", &knob.was)] {
        if let Some(said) = said {
            write!(text, "; {word}{said}").map_err(|error| error.to_string())?;
        }
    }
    Ok(format!("{text} | {} | {} |", figures.join("; "), if *outcome == Outcome::Right { name.to_owned() } else { format!("**{name}**") }))
}

/// A value as short as it can be said: long ones by their beginning.
fn value(of: &Value) -> String {
    let text = match of {
        Value::String(text) if text == "null" => "no limit".into(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(value).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => fields.iter().map(|(key, of)| format!("{key} {}", value(of))).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    };
    let text = text.replace('\n', " ");
    if text.chars().count() > 70 { text.chars().take(67).chain("…".chars()).collect() } else { text }
}

fn number(of: f64) -> String {
    match of.abs() {
        size if size >= 100.0 => format!("{of:.0}"),
        size if size >= 1.0 => format!("{of:.2}"),
        _ => format!("{of:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> File {
        toml::from_str(include_str!("knobs.toml")).unwrap()
    }

    #[test]
    fn all_that_can_be_set_has_a_knob() {
        assert_eq!(left_out(&file()), Vec::<String>::new());
        let mut less = file();
        less.mix.iter_mut().for_each(|mix| mix.knobs.retain(|knob| knob.set != "gpu.dram.timing.tWR"));
        assert_eq!(left_out(&less), ["gpu.dram.timing.tWR"]);
    }

    #[test]
    fn every_knob_is_an_experiment_at_each_of_its_values() {
        for mix in &file().mix {
            for knob in &mix.knobs {
                assert!(knob.to.len() > 1 && knob.says().is_ok(), "{}", knob.set);
                knob.to.iter().for_each(|to| drop(experiment(mix, knob, to).unwrap()));
            }
        }
    }

    #[test]
    fn a_figure_that_moves_back_or_not_at_all_is_told_from_one_that_follows() {
        let knob: Knob = toml::from_str("set = \"x\"\nto = [1, 2]\nrises = \"y\"").unwrap();
        let of = |figures: &[(f64, &str)]| {
            knob.outcome(&figures.iter().map(|(figure, all)| (*figure, (*all).to_owned())).collect::<Vec<_>>()).unwrap()
        };
        assert_eq!(of(&[(1.0, "a"), (1.1, "b"), (1.2, "c")]), Outcome::Right);
        assert_eq!(of(&[(1.0, "a"), (1.5, "b"), (1.2, "c")]), Outcome::Wrong);
        assert_eq!(of(&[(1.2, "a"), (1.0, "b")]), Outcome::Wrong);
        assert_eq!(of(&[(1.0, "a"), (1.01, "b")]), Outcome::Still);
        assert_eq!(of(&[(1.0, "a"), (1.0, "a")]), Outcome::Dead);
        assert_eq!(of(&[(0.0, "a"), (0.0, "b")]), Outcome::Still);
    }
}
