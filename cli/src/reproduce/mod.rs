//! `corun reproduce`: a paper's claims, each measured and judged, and a report of them.
//!
//! ```text
//! claims.toml ── measure ──> Lab ── what is missing ──> runs on every core ──> Store ──┐
//!                  ▲                                                                    │
//!                  └────────────── again, until nothing is missing ─────────────────────┘ ── verdicts, figures, report
//! ```

mod figures;
mod functions;
mod lab;
mod ledger;
mod measure;
mod report;
mod store;
mod study;

use crate::input::problem;
use crate::{Failure, output, workers};
use clap::Args;
use lab::{Detail, Lab, Mix};
use ledger::Claim;
use measure::measure;
use report::{Causes, Judged, Report};
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::run::experiment::set_path;
use sim_core::study::figure::{Figure, lookup};
use std::num::NonZero;
use std::path::PathBuf;
use store::Store;
use study::Study;

/// The papers: name, claims, study, causes.
const PAPERS: &[(&str, &str, &str, &str)] = &[(
    "ccbp",
    include_str!("../../../examples/papers/ccbp/claims.toml"),
    include_str!("../../../examples/papers/ccbp/study.toml"),
    include_str!("../../../examples/papers/ccbp/causes.toml"),
)];

/// Rounds after which something must be wrong: curves, then schemes, searches, their best, and what is made of those.
const MOST_ROUNDS: usize = 12;

/// Arguments of `corun reproduce`.
#[derive(Args, Debug)]
#[command(after_help = "\
Writes report.md, its figures and figures.json into DIR, and keeps the results of all runs there: stopped by Ctrl-C or killed, the same command goes \
on where it was. With --claim, only what these claims need is run, and they are printed.

Exit status: 0 done; 2 bad usage or input; 130 stopped by Ctrl-C or SIGTERM, with all that was done kept.")]
pub struct Reproduce {
    /// The paper
    #[arg(long, default_value = "ccbp")]
    paper: String,
    /// Only this claim, by its id; may be repeated
    #[arg(long = "claim", value_name = "ID")]
    claims: Vec<String>,
    /// A sample of the mixes, shorter: ten minutes on two cores
    #[arg(long)]
    quick: bool,
    /// How many simulations run at once; as many as there are cores if left out
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<u16>>,
    /// Where results and the report go; target/reproduce/PAPER if left out
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only list the claims
    #[arg(long)]
    list: bool,
}

impl Reproduce {
    pub fn execute(self) -> Result<(), Failure> {
        let names = || PAPERS.iter().map(|paper| paper.0).collect::<Vec<_>>().join(", ");
        let found = PAPERS.iter().find(|paper| paper.0 == self.paper);
        let &(name, claims, study, causes) = found.ok_or_else(|| problem("--paper", &self.paper, &format!("one of {}", names())))?;
        let claims = ledger::read(claims)?;
        if self.list {
            return claims.iter().try_for_each(|claim| output::print(&format!("{:<28}{}", claim.id, claim.statement)));
        }
        let chosen = self.chosen(&claims)?;
        let study = Study::read(study, if self.quick { "quick" } else { "full" })?;
        let causes = Causes::read(causes)?;
        let out = self.out.clone().unwrap_or_else(|| PathBuf::from("target/reproduce").join(name));
        let store = Store::open(&out, &study.mode_name, &commit())?;
        let mut lab = Lab::new(study, store);
        let report = self.claims.is_empty();
        let outcomes = rounds(&mut lab, workers::jobs(self.jobs), |lab| {
            let judged: Vec<Judged> = chosen.iter().map(|claim| Judged::new(claim, measure(lab, &claim.measure))).collect();
            if report {
                figures::all(lab, &claims, &causes.figures);
                lengths(lab);
                also(lab);
                report::ablations(lab);
            }
            judged
        })?;
        if report {
            let (mut all, runs) = figures::all(&lab, &claims, &causes.figures);
            fill(&mut all, &lab, &runs);
            Report { lab: &lab, judged: &outcomes, figures: &all, runs: &runs, causes: &causes, lengths: &lengths(&lab) }.write(&out)?;
            output::say(&out.join("report.md").display().to_string());
        } else {
            outcomes.iter().try_for_each(print)?;
        }
        Ok(())
    }

    fn chosen<'c>(&self, claims: &'c [Claim]) -> Result<Vec<&'c Claim>, Problems> {
        if self.claims.is_empty() {
            return Ok(claims.iter().collect());
        }
        let mut problems = Problems::default();
        let find = |id: &String| {
            let found = claims.iter().find(|claim| claim.id == *id);
            if found.is_none() {
                problems.add("--claim", id, "the id of a claim: --list prints them");
            }
            found
        };
        let found: Vec<&Claim> = self.claims.iter().filter_map(find).collect();
        problems.or(found)
    }
}

/// Evaluates and runs what is missing, until nothing is.
fn rounds<T>(lab: &mut Lab, jobs: usize, evaluate: impl Fn(&Lab) -> T) -> Result<T, Failure> {
    workers::stop_at_signals();
    for round in 1..=MOST_ROUNDS {
        let outcome = evaluate(lab);
        lab.check()?;
        if lab.open() == 0 {
            return Ok(outcome);
        }
        output::say(&format!("round {round}: {} runs, {} known", lab.open(), lab.known()));
        if !lab.work(jobs)? {
            return Err(Failure::Interrupted(format!("{} runs are kept; the same command goes on", lab.known())));
        }
    }
    Err(problem("(study)", format!("runs still missing after {MOST_ROUNDS} rounds"), "measures that end").into())
}

fn print(judged: &Judged) -> Result<(), Failure> {
    let claim = judged.claim;
    output::print(&format!("{:<28}paper {:>12}   here {:>14}   {}", claim.id, judged.paper(), judged.ours(), judged.verdict.words()))
}

/// Computes the points' values.
fn fill(figures: &mut [Figure], lab: &Lab, runs: &[std::rc::Rc<lab::Run>]) {
    let results: Vec<Value> = runs.iter().map(|run| lab.result(run).map_or(Value::Null, |result| (*result).clone())).collect();
    for figure in figures {
        let values = figure.values(&results);
        figure.points.iter_mut().zip(values).for_each(|(point, value)| point.value = value);
    }
}

/// Asks for the runs of the table of all schemes.
fn also(lab: &Lab) {
    for scheme in report::schemes(&lab.study) {
        for metric in ["hspeedup", "wspeedup"] {
            let _ = lab.all(&lab.study.mixes("pairs"), scheme, metric);
        }
    }
}

/// Pairs and schemes that are also measured five times as long.
fn lengths(lab: &Lab) -> Vec<(String, String, Option<f64>, Option<f64>)> {
    let mut rows = Vec::new();
    if lab.study.mode_name != "full" {
        return rows;
    }
    for name in ["BP+CFD", "CFD+FTD", "HG+LBM", "BT+PF"] {
        let mix: Mix = name.split('+').map(str::to_owned).collect();
        for scheme in ["smk", "ws", "ccbp"] {
            let short = lab.run(&mix, scheme, "hspeedup", Detail::Full);
            let long = short.as_ref().and_then(|run| {
                let mut written = run.written.clone();
                set_path(&mut written, "stop", Value::object([("cycles", 5 * lab.lengths(&mix).1)])).ok()?;
                lab.register(written, Detail::Full)
            });
            let speedup = |run: Option<std::rc::Rc<lab::Run>>| lookup(&*lab.result(&run?)?, "metrics.hspeedup");
            rows.push((name.to_owned(), scheme.to_owned(), speedup(short), speedup(long)));
        }
    }
    rows
}

/// The commit that the program stands at, if it runs in its own checkout.
fn commit() -> String {
    let git = std::process::Command::new("git").args(["rev-parse", "--short", "HEAD"]).output();
    let text = git.ok().filter(|output| output.status.success()).and_then(|output| String::from_utf8(output.stdout).ok());
    text.map_or("unknown".into(), |text| text.trim().to_owned())
}

#[cfg(test)]
mod tests;
