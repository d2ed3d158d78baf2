//! `corun reproduce`: a paper's claims, each measured and judged, and a report of them.
//!
//! ```text
//! claims.toml ── measure ──> Runs ─ what is missing ──> runs on every core ──> Store ──┐
//!                  ▲                                                                    │
//!                  └────────────── again, until nothing is missing ─────────────────────┘ ── verdicts, figures, report
//! ```

mod claims;
mod figures;
mod history;
mod judged;
mod measure;
mod papers;
mod quotes;
mod report;
mod runs;
pub mod store;
mod study;
mod tables;

use crate::input;
use crate::kind::Kind;
use crate::text;
use claims::Claim;
use clap::Args;
use corun_batch::{Failure, output, problem, workers};
use judged::Judged;
use papers::PAPERS;
use report::{Causes, Report};
use runs::{Detail, Mix, Run, Runs};
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
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
Without --paper it lists the papers and runs nothing. Otherwise it writes report.md, its figures and figures.json into DIR, and keeps the results of all runs there: stopped by Ctrl-C or killed, the same command goes \
on where it was. With --claim or --table, only what these need is run, and they are printed.

Exit status: 0 done; 2 bad usage or input; 130 stopped by Ctrl-C or SIGTERM, with all that was done kept.")]
pub struct Reproduce {
    /// The paper; without one, they are listed
    #[arg(long, value_name = "NAME")]
    paper: Option<String>,
    /// Only this claim, by its id; may be repeated
    #[arg(long = "claim", value_name = "ID")]
    claims: Vec<String>,
    /// Only this table of the report, by its id; may be repeated
    #[arg(long = "table", value_name = "ID")]
    tables: Vec<String>,
    /// Change every run's machine, as in gpu.sm.lsu_hol=yes, or one kernel, as in KM.arithmetic=0.8 or KM.kernel=@FILE.json; may be repeated. Needs
    /// --out, as a report of its own
    #[arg(long = "set", value_name = "PATH=VALUE", requires = "out")]
    set: Vec<String>,
    /// A sample of the mixes, shorter: ten minutes on two cores
    #[arg(long)]
    quick: bool,
    /// A sample of the mixes, or all of them shorter, where the paper's study has one: a quarter of an hour or more on two cores
    #[arg(long, conflicts_with = "quick")]
    sample: bool,
    /// How many simulations run at once; as many as there are cores if left out
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<u16>>,
    /// Where results and the report go; target/reproduce/PAPER if left out
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only list the paper's claims and tables, or the papers
    #[arg(long)]
    list: bool,
}

impl Reproduce {
    pub fn execute(self) -> Result<(), Failure> {
        let paper = match &self.paper {
            Some(name) => PAPERS.iter().find(|paper| paper.name == name).ok_or_else(|| none_of_them(format!("{name:?}")))?,
            None if self.list => return output::print(&listed()?),
            None => {
                output::say(&listed()?);
                return Err(none_of_them("nothing".to_owned()).into());
            }
        };
        let ledger = claims::read(paper.claims)?;
        let mode = if self.quick {
            "quick"
        } else if self.sample {
            "sample"
        } else {
            "full"
        };
        let mut study = Study::read(paper.study, mode)?;
        if self.list {
            let claims = ledger.claims.iter().map(|claim| (&claim.id, &claim.statement));
            let tables = study.tables.iter().map(|table| (&table.id, &table.title));
            return claims.chain(tables).try_for_each(|(id, says)| output::print(&format!("{id:<28}{says}")));
        }
        let (chosen, tables) = (self.chosen(&ledger.claims)?, self.chosen_tables(&study)?);
        for change in &self.set {
            study.everywhere.extend([" ", &written_out(change)?]);
        }
        let mut causes = Causes::read(paper.causes)?;
        quotes::check(&causes, &ledger.claims, &study.tables)?;
        let (plans, past) = (figures::read(paper.figures)?, history::read(paper.history)?);
        let out = self.out.clone().unwrap_or_else(|| PathBuf::from("target/reproduce").join(paper.name));
        let (commit, date) = (git(&["rev-parse", "--short", "HEAD"]), git(&["show", "-s", "--format=%cs", "HEAD"]));
        let store = Store::open(&out, &study.mode_name, &commit, &date)?;
        let mut runs = Runs::new(paper, study, store);
        let whole = self.claims.is_empty() && self.tables.is_empty();
        let judged = rounds(&mut runs, workers::jobs(self.jobs), |runs| {
            let judged: Vec<Judged> = chosen.iter().map(|claim| Judged::of(runs, &ledger, claim)).collect();
            for table in runs.study.tables.iter().filter(|table| whole || tables.contains(&table.id)) {
                table.fill(runs);
            }
            if whole {
                figures::all(runs, &plans, &ledger.claims, &causes.figures);
                longer(runs);
                report::goal(runs);
            }
            judged
        })?;
        if whole {
            quotes::fill(&mut causes, &judged, &runs);
            let (mut figures, placed) = figures::all(&runs, &plans, &ledger.claims, &causes.figures);
            fill(&mut figures, &runs, &placed);
            figures::sort(&mut figures, &plans);
            let lengths = longer(&runs);
            let (runs, rules) = (&runs, &ledger.rules);
            Report { runs, judged: &judged, rules, past: &past, figures: &figures, placed: &placed, causes: &causes, lengths: &lengths }
                .write(&out)?;
            output::say(&out.join("report.md").display().to_string());
        } else {
            judged.iter().try_for_each(print)?;
            let chosen = runs.study.tables.iter().filter(|table| tables.contains(&table.id));
            chosen.into_iter().try_for_each(|table| output::print(table.markdown(&runs).trim_end()))?;
        }
        Ok(())
    }

    fn chosen<'c>(&self, claims: &'c [Claim]) -> Result<Vec<&'c Claim>, Problems> {
        if self.claims.is_empty() && self.tables.is_empty() {
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

    fn chosen_tables(&self, study: &Study) -> Result<Vec<String>, Problems> {
        let mut problems = Problems::default();
        for id in self.tables.iter().filter(|id| !study.tables.iter().any(|table| table.id == **id)) {
            problems.add("--table", id, "the id of a table: --list prints them");
        }
        problems.or(self.tables.clone())
    }
}

/// How long each paper takes on two cores.
const TIMES: &[(&str, &str)] = &[
    ("ccbp", "45 minutes; --quick 10"),
    ("qos", "over 3 hours; --sample 40 minutes"),
    ("hetero", "2¼ hours; --sample 45 minutes"),
    ("latency", "half an hour"),
    ("ikra", "half an hour"),
];

/// The papers, with how long each takes.
fn listed() -> Result<String, Failure> {
    let mut rows = vec![["--paper", "time on two cores", "what"].map(String::from).to_vec()];
    for paper in PAPERS {
        let time = TIMES.iter().find(|(name, _)| *name == paper.name).map_or("", |(_, time)| *time);
        rows.push(vec![paper.name.to_owned(), time.to_owned(), Study::read(paper.study, "full")?.title]);
    }
    Ok(text::wrapped(rows))
}

fn none_of_them(found: String) -> Problems {
    let names: Vec<&str> = PAPERS.iter().map(|paper| paper.name).collect();
    problem("--paper", found, &format!("one of {}", names.join(", ")))
}

/// A change with what its file has in place of `@FILE`, as one word.
fn written_out(change: &str) -> Result<String, Problems> {
    let Some((key, file)) = change.split_once("=@") else { return Ok(change.to_owned()) };
    // Blanks are left within texts alone, where they may stand as numbers.
    Ok(format!("{key}={}", input::read(file, Kind::Kernel)?.to_string().replace(' ', "\\u0020")))
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
    let (claim, over) = (judged.claim, tables::counted(&judged.population));
    let objection = judged.objection().unwrap_or_default();
    let line = format!(
        "{:<28}paper {:>12}   here {:>14}   over {over:>10}   {}   {objection}",
        claim.id,
        judged.paper(),
        judged.ours(),
        judged.verdict.words()
    );
    output::print(line.trim_end())
}

/// Computes the points' values; those that are given stand.
fn fill(figures: &mut [Figure], runs: &Runs, placed: &[Rc<Run>]) {
    let results: Vec<Value> = placed.iter().map(|run| runs.result(run).map_or(Value::Null, |result| (*result).clone())).collect();
    for figure in figures {
        let values = figure.values(&results);
        figure.points.iter_mut().zip(values).for_each(|(point, value)| point.value = value);
    }
}

/// Mixes and schemes that are also measured longer, except in quick mode: HSpeedup as in the report, and measured longer.
fn longer(runs: &Runs) -> Vec<(String, String, Option<f64>, Option<f64>)> {
    let mut rows = Vec::new();
    if runs.study.mode_name == "quick" {
        return rows;
    }
    let longer = &runs.study.longer;
    for (name, scheme) in longer.mixes.iter().flat_map(|name| longer.schemes.iter().map(move |scheme| (name, scheme))) {
        let mix: Mix = name.split('+').map(str::to_owned).collect();
        let short = runs.run(&mix, scheme, "hspeedup", Detail::Full);
        let long = short.as_ref().and_then(|run| {
            runs.again(run, (runs.study.mode.warm_up, runs::of_cycles(longer.times * runs.cycles(&mix, ""))), Detail::Full)
        });
        let speedup = |run: Option<Rc<Run>>| lookup(&*runs.result(&run?)?, "metrics.hspeedup");
        rows.push((name.clone(), scheme.clone(), speedup(short), speedup(long)));
    }
    rows
}

/// What git says of the commit that the program stands at, if it runs in its own checkout.
fn git(ask: &[&str]) -> String {
    let output = std::process::Command::new("git").args(ask).output();
    let text = output.ok().filter(|output| output.status.success()).and_then(|output| String::from_utf8(output.stdout).ok());
    text.map_or("unknown".into(), |text| text.trim().to_owned())
}

#[cfg(test)]
mod tests;
