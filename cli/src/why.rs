//! `corun run --why`: what makes kernels slower, by runs from which one cause each is taken away.

use crate::text;
use corun_lab::lab::{Want, tried_key};
use corun_lab::store::Store;
use corun_lab::{Failure, native, problem, workers};
use sim_core::describe::record::Datum;
use sim_core::run::cure::Cure;
use sim_core::run::outcome::KernelOutcome;
use sim_core::run::plan::Planned;
use sim_core::run::simulation::Simulation;
use sim_core::run::trials::Because;
use sim_core::run::verdict::SUFFERS;

/// Names all cures.
pub const ALL: &str = "all";

/// The cures that `--why` names.
pub fn cures(named: &str) -> Result<Vec<Cure>, Failure> {
    if named == ALL {
        return Ok(Cure::ALL.to_vec());
    }
    let find = |name: &str| {
        let found = Cure::ALL.into_iter().find(|cure| cure.name() == name);
        found.ok_or_else(|| problem("--why", format!("{name:?}"), &format!("{ALL}, or some of {}", Cure::NAMES.join(", "))))
    };
    named.split(',').map(|name| find(name.trim())).collect::<Result<_, _>>().map_err(Failure::from)
}

/// Asks a run why its kernels suffer, and tells it what the runs with these cures say; it does not know why if it was told to stop.
pub fn ask(simulation: &mut Simulation, cures: &[Cure], store: Option<&Store>) -> Result<(), Failure> {
    let want = |run: &Planned| Want { key: Some(tried_key(&run.hash)), ..Want::new(run.experiment.clone(), |run| run.tried().write()) };
    let mut runs = simulation.ask_why(cures);
    while !runs.is_empty() {
        let Some(found) = native::outcomes(runs.iter().map(want).collect(), store, workers::jobs(None))? else {
            simulation.forget_why();
            return Ok(());
        };
        for (run, tried) in runs.iter().zip(found) {
            simulation.tell_why(&run.hash, Vec::read(&tried));
        }
        runs = simulation.ask_longer();
    }
    Ok(())
}

/// The sentences, each with its cures below.
pub fn table(because: &[Because], kernels: &[KernelOutcome]) -> String {
    if because.is_empty() {
        let costs: Option<Vec<f64>> = kernels.iter().map(|kernel| kernel.neighbour_cost).collect();
        let none = match costs {
            _ if kernels.len() < 2 => "a kernel by itself has no neighbours",
            None => "what neighbours cost is not known of every kernel",
            Some(costs) if costs.iter().any(|cost| *cost >= SUFFERS) => "the run is too short to say who suffers",
            Some(_) => "no kernel is slower for its neighbours",
        };
        return format!("Why: {none}.");
    }
    let one = |one: &Because| {
        let head = ["with", "neighbours cost, ×", "without it, ×", "gives back, ×"].map(String::from).to_vec();
        let rows = one.cures.iter().map(|cured| {
            let shown = |x: Option<f64>| x.map_or("–".into(), text::number);
            let gives =
                cured.gives_back.map_or("–".into(), |x| cured.ci95.map_or_else(|| text::number(x), |ends| text::doubted(x, ends)));
            vec![cured.cure.words().into(), shown(cured.neighbour_cost), shown(cured.without), gives]
        });
        let left = |because: &str, cures: &[Cure]| {
            let names = cures.iter().map(|cure| cure.name()).collect::<Vec<_>>().join(", ");
            if names.is_empty() { String::new() } else { format!("\n{because}: {names}.") }
        };
        let table = if one.cures.is_empty() { String::new() } else { format!("\n{}", text::table(1, [head].into_iter().chain(rows))) };
        let bound = left("They say nothing, as the scheme would set anew the quota that binds with them", &one.bound);
        format!("{}{table}{}{bound}", one.says, left("Not tried, as nothing would change or this GPU cannot have it", &one.not_tried))
    };
    let all: Vec<String> = because.iter().map(one).collect();
    format!("Why, by runs without one cause each. They overlap: their parts do not add up.\n\n{}", all.join("\n\n"))
}
