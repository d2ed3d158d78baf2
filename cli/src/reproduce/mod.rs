//! `corun reproduce`: a paper's claims, each measured and judged, and a report of them.
//!
//! ```text
//! claims.toml ── measure ──> Runs ─ what is missing ──> runs on every core ──> Store ──┐
//!                  ▲                                                                    │
//!                  └────────────── again, until nothing is missing ─────────────────────┘ ── verdicts, figures, report
//! ```

mod claims;
mod figures;
mod measure;
mod papers;
mod report;
mod runs;
pub mod store;
mod study;

use crate::input::problem;
use crate::{Failure, output, workers};
use claims::Claim;
use clap::Args;
use measure::measure;
use papers::PAPERS;
use report::{Causes, Judged, Report};
use runs::{Detail, Mix, Run, Runs};
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::run::experiment::set_path;
use sim_core::study::figure::{Figure, lookup};
use std::num::NonZero;
use std::path::PathBuf;
use std::rc::Rc;
use store::Store;
use study::Study;

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
        let names = || PAPERS.iter().map(|paper| paper.name).collect::<Vec<_>>().join(", ");
        let found = PAPERS.iter().find(|paper| paper.name == self.paper);
        let paper = found.ok_or_else(|| problem("--paper", &self.paper, &format!("one of {}", names())))?;
        let claims = claims::read(paper.claims)?;
        if self.list {
            return claims.iter().try_for_each(|claim| output::print(&format!("{:<28}{}", claim.id, claim.statement)));
        }
        let chosen = self.chosen(&claims)?;
        let study = Study::read(paper.study, if self.quick { "quick" } else { "full" })?;
        let (causes, plans) = (Causes::read(paper.causes)?, figures::read(paper.figures)?);
        let out = self.out.clone().unwrap_or_else(|| PathBuf::from("target/reproduce").join(paper.name));
        let store = Store::open(&out, &study.mode_name, &commit())?;
        let mut runs = Runs::new(paper, study, store);
        let whole = self.claims.is_empty();
        let judged = rounds(&mut runs, workers::jobs(self.jobs), |runs| {
            let judged: Vec<Judged> = chosen.iter().map(|claim| Judged::new(claim, measure(runs, &claim.measure))).collect();
            if whole {
                figures::all(runs, &plans, &claims, &causes.figures);
                longer(runs);
                all_schemes(runs);
                report::ablations(runs);
            }
            judged
        })?;
        if whole {
            let (mut figures, placed) = figures::all(&runs, &plans, &claims, &causes.figures);
            fill(&mut figures, &runs, &placed);
            Report { runs: &runs, judged: &judged, figures: &figures, placed: &placed, causes: &causes, lengths: &longer(&runs) }
                .write(&out)?;
            output::say(&out.join("report.md").display().to_string());
        } else {
            judged.iter().try_for_each(print)?;
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
fn rounds<T>(runs: &mut Runs, jobs: usize, evaluate: impl Fn(&Runs) -> T) -> Result<T, Failure> {
    workers::stop_at_signals();
    for round in 1..=MOST_ROUNDS {
        let outcome = evaluate(runs);
        runs.check()?;
        if runs.open() == 0 {
            return Ok(outcome);
        }
        output::say(&format!("round {round}: {} runs, {} known", runs.open(), runs.known()));
        if !runs.work(jobs)? {
            return Err(Failure::Interrupted(format!("{} runs are kept; the same command goes on", runs.known())));
        }
    }
    Err(problem("(study)", format!("runs still missing after {MOST_ROUNDS} rounds"), "measures that end").into())
}

fn print(judged: &Judged) -> Result<(), Failure> {
    let claim = judged.claim;
    output::print(&format!("{:<28}paper {:>12}   here {:>14}   {}", claim.id, judged.paper(), judged.ours(), judged.verdict.words()))
}

/// Computes the points' values.
fn fill(figures: &mut [Figure], runs: &Runs, placed: &[Rc<Run>]) {
    let results: Vec<Value> = placed.iter().map(|run| runs.result(run).map_or(Value::Null, |result| (*result).clone())).collect();
    for figure in figures {
        let values = figure.values(&results);
        figure.points.iter_mut().zip(values).for_each(|(point, value)| point.value = value);
    }
}

/// Asks for the runs of the table of all schemes.
fn all_schemes(runs: &Runs) {
    let report = &runs.study.report;
    for (scheme, mixes) in report.schemes.iter().flat_map(|scheme| report.mixes.iter().map(move |mixes| (scheme, mixes))) {
        for metric in ["hspeedup", "wspeedup"] {
            let _ = runs.all(&runs.study.mixes(mixes), scheme, metric);
        }
    }
}

/// Mixes and schemes that are also measured longer, in full mode: HSpeedup as in the report, and measured longer.
fn longer(runs: &Runs) -> Vec<(String, String, Option<f64>, Option<f64>)> {
    let mut rows = Vec::new();
    if runs.study.mode_name != "full" {
        return rows;
    }
    let longer = &runs.study.longer;
    for (name, scheme) in longer.mixes.iter().flat_map(|name| longer.schemes.iter().map(move |scheme| (name, scheme))) {
        let mix: Mix = name.split('+').map(str::to_owned).collect();
        let short = runs.run(&mix, scheme, "hspeedup", Detail::Full);
        let long = short.as_ref().and_then(|run| {
            let mut written = run.written.clone();
            set_path(&mut written, "stop", runs::of_cycles(longer.times * runs.study.lengths(&mix, (0, runs.study.mode.cycles)).1)).ok()?;
            runs.register(written, Detail::Full)
        });
        let speedup = |run: Option<Rc<Run>>| lookup(&*runs.result(&run?)?, "metrics.hspeedup");
        rows.push((name.clone(), scheme.clone(), speedup(short), speedup(long)));
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
