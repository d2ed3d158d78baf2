//! `corun run --why`: what makes kernels slower, by runs from which one cause each is taken away.

use crate::report::{ends, items};
use crate::text;
use corun_lab::lab::Want;
use corun_lab::store::Store;
use corun_lab::{Failure, native, problem, workers};
use sim_core::describe::record::Datum;
use sim_core::describe::value::Value;
use sim_core::run::cure::Cure;
use sim_core::run::experiment::Experiment;
use sim_core::run::outcome::KernelOutcome;
use sim_core::run::simulation::Simulation;
use sim_core::run::why::{Because, Measure, Trials};
use sim_core::study::figure::lookup;
use std::collections::BTreeMap;

/// The cures that `--why` names; all of them where it names none.
pub fn cures(named: &str) -> Result<Vec<Cure>, Failure> {
    if named.is_empty() {
        return Ok(Cure::ALL.to_vec());
    }
    let find = |name: &str| {
        let found = Cure::ALL.into_iter().find(|cure| cure.name() == name);
        found.ok_or_else(|| problem("--why", format!("{name:?}"), &format!("some of {}", Cure::NAMES.join(", "))))
    };
    named.split(',').map(|name| find(name.trim())).collect::<Result<_, _>>().map_err(Failure::from)
}

/// Runs the cures for every kernel that suffers from its neighbours; nothing if it was told to stop.
pub fn because(
    run: &Simulation,
    kernels: &[KernelOutcome],
    cures: &[Cure],
    store: Option<&Store>,
) -> Result<Option<Vec<Because>>, Failure> {
    let trials: Vec<Trials> = run.trials(kernels, cures);
    let each = trials.iter().flat_map(|trials| &trials.runs).flat_map(|trial| [&trial.together, &trial.alone]);
    let runs: BTreeMap<String, &Experiment> = each.map(|run| (run.config_hash(), run)).collect();
    let want = |(hash, run): (&String, &&Experiment)| Want { key: Some(format!("{hash}-ipc")), ..Want::new((*run).clone(), measured) };
    let Some(found) = native::outcomes(runs.iter().map(want).collect(), store, workers::jobs(None))? else { return Ok(None) };
    let found: BTreeMap<&String, Value> = runs.keys().zip(found).collect();
    let ipc = |run: &Experiment, kernel: usize| measure(items(found.get(&run.config_hash())).get(kernel)?);
    Ok(Some(trials.iter().map(|trials| trials.say(ipc)).collect()))
}

/// What is kept of a run: each kernel's IPC, and its interval.
fn measured(run: &mut Simulation) -> Value {
    let result = run.result();
    let of = |kernel: usize| {
        let ends = ends(&result, &format!("kernels[{kernel}].ipc"));
        Value::object([("ipc", lookup(&result, &format!("kernels[{kernel}].ipc")).into()), ("ci95", Value::from(ends.map(Value::array)))])
    };
    Value::array((0..items(result.get("kernels")).len()).map(of))
}

fn measure(kept: &Value) -> Option<Measure> {
    let ends = lookup(kept, "ci95[0]").zip(lookup(kept, "ci95[1]")).map(<[f64; 2]>::from);
    Some((lookup(kept, "ipc")?, ends))
}

/// Puts what was found into a result.
pub fn put(result: Value, because: &[Because]) -> Value {
    let Value::Object(mut pairs) = result else { return result };
    let at = pairs.iter().position(|(key, _)| key == "energy").unwrap_or(pairs.len());
    pairs.insert(at, ("because".into(), Value::array(because.iter().map(Datum::write))));
    Value::Object(pairs)
}

/// The sentences, each with its cures below.
pub fn table(because: &[Because], kernels: &[KernelOutcome]) -> String {
    if because.is_empty() {
        let known = kernels.iter().all(|kernel| kernel.neighbour_cost.is_some());
        let none = if known { "no kernel is slower for its neighbours" } else { "what neighbours cost is not known of every kernel" };
        return format!("Why: {none}.");
    }
    let one = |one: &Because| {
        let head = ["with", "neighbours cost, ×", "gives back, ×"].map(String::from).to_vec();
        let rows = one.cures.iter().map(|cured| {
            let shown = |x: Option<f64>| x.map_or("–".into(), text::number);
            let gives =
                cured.gives_back.map_or("–".into(), |x| cured.ci95.map_or_else(|| text::number(x), |ends| text::doubted(x, ends)));
            vec![cured.cure.words().into(), shown(cured.neighbour_cost), gives]
        });
        let not = one.not_tried.iter().map(|cure| cure.name()).collect::<Vec<_>>().join(", ");
        let not = if not.is_empty() { String::new() } else { format!("\nNot tried, as it is no other GPU: {not}.") };
        format!("{}\n{}{not}", one.says(kernels).unwrap_or_default(), text::table(1, [head].into_iter().chain(rows)))
    };
    let all: Vec<String> = because.iter().map(one).collect();
    format!("Why, by runs without one cause each. They overlap: their parts do not add up.\n\n{}", all.join("\n\n"))
}
