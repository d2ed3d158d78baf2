//! Which functions of the machine a simulated cycle spends its instructions in, counted by callgrind: how often each is called in a cycle, and what
//! a call costs with all that it calls. What the compiler has put into another function is counted there.

use super::count::between;
use super::engine::Engine;
use super::{figure, number, rows, table, text};
use crate::run::{fed, target_dir};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a table shows.
pub const CAPTION: &str =
    "Instructions of a simulated cycle by function, with all that it calls = calls × instructions of a call (callgrind)";

/// Functions of which a table has a row: those that take this part of a run, with what they call.
const SHOWN: f64 = 0.015;

/// Functions that are kept, because a table may have a row of them for another run.
const KEPT: f64 = 0.0005;

/// Calls of a function, and instructions with all that it calls.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Cost {
    calls: f64,
    instructions: f64,
}

type Costs = BTreeMap<String, Cost>;

/// Each engine's functions in a cycle of each run that says between which lengths it is counted.
pub fn functions(runs: &[Value], engines: &[(&str, &Engine)]) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    for (name, engine) in engines {
        for run in runs {
            let Some((short, long)) = between(run) else { continue };
            eprintln!("counting calls of {}, {name} …", text(run, "name"));
            let (Some(less), Some(more)) = (profile(engine, run, short)?, profile(engine, run, long)?) else { continue };
            let found: Vec<Value> = kept(&less, &more, (long - short) as f64)
                .into_iter()
                .map(|(function, cost)| json!({ "function": function, "calls": cost.calls, "instructions": cost.instructions }))
                .collect();
            all.push(json!({ "name": run["name"], "engine": name, "functions": found }));
        }
    }
    Ok(all)
}

/// What a cycle between two runs takes, the most first; without what is too little.
fn kept(less: &Costs, more: &Costs, cycles: f64) -> Vec<(String, Cost)> {
    let cost = |name: &String, more: &Cost| {
        let less = less.get(name).copied().unwrap_or_default();
        Cost { calls: (more.calls - less.calls) / cycles, instructions: (more.instructions - less.instructions) / cycles }
    };
    let mut all: Vec<(String, Cost)> = more.iter().map(|(name, more)| (name.clone(), cost(name, more))).collect();
    let most = all.iter().map(|(_, cost)| cost.instructions).fold(0.0, f64::max);
    all.retain(|(_, cost)| cost.instructions >= KEPT * most);
    all.sort_by(|a, b| b.1.instructions.total_cmp(&a.1.instructions));
    all
}

/// Of one run; nothing if the engine does not take it.
fn profile(engine: &Engine, run: &Value, cycles: u64) -> Result<Option<Costs>> {
    let run = json!({ "name": run["name"], "cycles": cycles, "experiment": run["experiment"] });
    let file = target_dir().join("callgrind.out");
    let (program, input) = engine.native(&run, true);
    let options = ["valgrind".into(), "--tool=callgrind".into(), format!("--callgrind-out-file={}", file.display()).into()];
    let words: Vec<_> = options.into_iter().chain(program).collect();
    if !fed(&words[3..], &input)?.status.success() {
        return Ok(None);
    }
    let out = fed(&words, &input)?;
    ensure!(out.status.success(), "valgrind failed:\n{}", String::from_utf8_lossy(&out.stderr).trim());
    let text = std::fs::read_to_string(&file).with_context(|| format!("{} cannot be read", file.display()))?;
    let _ = std::fs::remove_file(&file);
    Ok(Some(read(&text)))
}

/// The machine's functions in a callgrind profile: see Callgrind Profile Format, in valgrind's manual.
fn read(profile: &str) -> Costs {
    let mut names = BTreeMap::new();
    let (mut caller, mut callee, mut calls) = ("", "", None);
    let mut costs = Costs::new();
    for line in profile.lines() {
        if let Some(text) = line.strip_prefix("fn=") {
            caller = named(&mut names, text);
        } else if let Some(text) = line.strip_prefix("cfn=") {
            callee = named(&mut names, text);
        } else if let Some(text) = line.strip_prefix("calls=") {
            calls = text.split(' ').next().and_then(|n| n.parse::<f64>().ok());
        } else if let (Some(count), Some(name)) = (calls, plain(callee)) {
            // The line after `calls=`: where, and what the calls cost. A call of itself is within the first.
            let instructions = line.split(' ').nth(1).and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0);
            let cost = costs.entry(name.clone()).or_default();
            cost.calls += count;
            cost.instructions += if plain(caller).as_ref() == Some(&name) { 0.0 } else { instructions };
            calls = None;
        } else {
            calls = None;
        }
    }
    costs
}

/// `(7) name` the first time, `(7)` from then on.
fn named<'p>(names: &mut BTreeMap<&'p str, &'p str>, text: &'p str) -> &'p str {
    match text.split_once(' ') {
        Some((id, name)) => {
            names.insert(id, name);
            name
        }
        None => names.get(text).copied().unwrap_or(text),
    }
}

/// `sm::access::drain_misses`, for a function of the machine or the run around it.
fn plain(name: &str) -> Option<String> {
    let ours = name.contains("sim_core::machine::") || name.contains("sim_core::run::simulation::");
    let mut name = name.split('\'').next()?.replace("sim_core::machine::", "").replace("sim_core::run::", "");
    while let Some(from) = name.find("<impl ") {
        let len = name[from..].find(">::")? + 3;
        name.replace_range(from..from + len, "");
    }
    (ours && !name.contains("Hash")).then_some(name)
}

/// For people: a row for each function and a column for each run, `calls in a cycle × instructions of a call`.
pub fn functions_table(functions: &Value, engine: &str) -> String {
    let runs: Vec<&Value> = rows(functions).iter().filter(|run| run["engine"] == engine).collect();
    let mut names: Vec<&str> = Vec::new();
    for run in &runs {
        // The first takes the most.
        let least = SHOWN * number(&run["functions"][0]["instructions"]);
        for function in rows(&run["functions"]).iter().filter(|function| number(&function["instructions"]) >= least) {
            if !names.contains(&text(function, "function")) {
                names.push(text(function, "function"));
            }
        }
    }
    let headings: Vec<&str> = std::iter::once("function").chain(runs.iter().map(|run| text(run, "name"))).collect();
    let cell = |run: &&Value, name: &str| {
        let Some(found) = rows(&run["functions"]).iter().find(|function| function["function"] == name) else { return "–".into() };
        let [calls, instructions] = ["calls", "instructions"].map(|key| number(&found[key]));
        if calls < 0.005 {
            figure(instructions)
        } else {
            format!("{} = {} × {}", figure(instructions), figure(calls), figure(instructions / calls))
        }
    };
    let row = |name: &&str| std::iter::once((*name).to_owned()).chain(runs.iter().map(|run| cell(run, name))).collect();
    table(&headings, &names.iter().map(row).collect::<Vec<Vec<String>>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROFILE: &str = "\
events: Ir
fn=(1) main
5 100
cfn=(2) sim_core::machine::Machine::step
calls=10 0
7 5000
fn=(2)
+1 2000
cob=(3) libc
cfn=(4) sim_core::machine::sm::access::<impl sim_core::machine::sm::Sm>::drain_misses
calls=40 0
* 3000
cfn=(2)
calls=5 0
* 1500
fn=(4)
9 2500
cfn=(5) memcpy
calls=3 0
9 500
";

    #[test]
    fn a_profile_is_read_and_the_difference_shown() {
        let long = read(PROFILE);
        let step = Cost { calls: 15.0, instructions: 5000.0 };
        let drain = Cost { calls: 40.0, instructions: 3000.0 };
        assert_eq!(long, Costs::from([("Machine::step".into(), step), ("sm::access::drain_misses".into(), drain)]));
        let short = Costs::from([("Machine::step".into(), Cost { calls: 5.0, instructions: 1000.0 })]);
        let found = kept(&short, &long, 10.0);
        let want = [
            ("Machine::step", Cost { calls: 1.0, instructions: 400.0 }),
            ("sm::access::drain_misses", Cost { calls: 4.0, instructions: 300.0 }),
        ];
        assert_eq!(found, want.map(|(name, cost)| (name.to_owned(), cost)));
        assert_eq!(
            kept(&Costs::new(), &Costs::from([("a".into(), step), ("b".into(), Cost { calls: 1.0, instructions: 1.0 })]), 1.0).len(),
            1
        );
    }

    #[test]
    fn a_function_has_a_row_and_a_run_a_column() {
        let of = |name: &str, engine: &str, function: &str| {
            let all = json!({ "function": "all", "calls": 0.0, "instructions": 9000.0 });
            let little = json!({ "function": "b", "calls": 1.0, "instructions": 20.0 });
            json!({ "name": name, "engine": engine, "functions": [all, { "function": function, "calls": 4.0, "instructions": 300.0 }, little] })
        };
        let table = functions_table(&json!([of("BP", "new", "a"), of("CFD", "new", "b"), of("CFD", "old", "c")]), "new");
        let cells: Vec<String> = table.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>().join("|")).collect();
        let want = ["|function|BP|CFD|", "|all|9,000|9,000|", "|a|300 = 4.00 × 75.0|–|", "|b|20.0 = 1.00 × 20.0|300 = 4.00 × 75.0|"];
        assert_eq!([&cells[0], &cells[2], &cells[3], &cells[4]], want);
        assert_eq!(cells.len(), 5);
    }
}
