//! A paper from its claims to its report.
//!
//! ```text
//! claims.toml ── measure ──> Runs ─ what is missing ──> runs on every core ──> Store ──┐
//!                  ▲                                                                    │
//!                  └────────────── again, until nothing is missing ─────────────────────┘ ── verdicts, figures, report
//! ```

use crate::catalogue::Paper;
use crate::engine::measures::Measures;
use crate::engine::paper::claims::{self, Claim, Ledger};
use crate::engine::paper::mix::counted;
use crate::engine::paper::study::Study;
use crate::engine::report::causes::Causes;
use crate::engine::report::figures::FigurePlan;
use crate::engine::report::{self, Report, figures, tables, template};
use crate::engine::runs::Store;
use crate::engine::verdict::Judgement;
use corun_lab::{Failure, output, problem, workers};
use sim_core::describe::error::Problems;
use sim_core::study::figure::{Options, draw};
use std::path::Path;

/// Rounds after which something must be wrong: curves, then schemes, searches, their best, and what is made of those.
pub const MOST_ROUNDS: usize = 12;

/// What of a paper is to be reproduced, and how.
#[derive(Debug)]
pub struct Reproduction {
    paper: &'static Paper,
    ledger: Ledger,
    study: Study,
    figures: Vec<FigurePlan>,
    /// What is meant of it; all, if nothing is chosen.
    chosen: Chosen,
    /// Whether the machine or a kernel is another than the study's.
    changed: bool,
}

/// Parts of a paper's report, by their ids.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Chosen {
    /// Claims that are judged.
    pub claims: Vec<String>,
    /// Tables that are printed.
    pub tables: Vec<String>,
    /// Figures that are printed and drawn.
    pub figures: Vec<String>,
}

impl Reproduction {
    /// All of a paper in a mode of its study: `full`, `sample` or `quick`.
    pub fn of(paper: &'static Paper, mode: &str) -> Result<Reproduction, Problems> {
        let ledger = claims::read(paper.claims)?;
        let (study, figures) = (Study::read(paper.study, mode)?, figures::read(paper.figures)?);
        Ok(Reproduction { paper, ledger, study, figures, chosen: Chosen::default(), changed: false })
    }

    /// What can be chosen, by id and in words: the claims, then the tables of the report, then its figures.
    pub fn contents(&self) -> impl Iterator<Item = (&str, &str)> {
        let claims = self.ledger.claims.iter().map(|claim| (claim.id.as_str(), claim.statement.as_str()));
        let tables = self.study.tables.iter().map(|table| (table.id.as_str(), table.title.as_str()));
        claims.chain(tables).chain(self.figures.iter().map(|figure| (figure.id.as_str(), figure.title.as_str())))
    }

    /// Chooses parts of the report; with none, all of it is meant.
    pub fn only(&mut self, chosen: Chosen) -> Result<(), Problems> {
        let mut problems = Problems::default();
        let mut check = |option, ids: &[String], what, known: &dyn Fn(&str) -> bool| {
            let unknown = ids.iter().filter(|id| !known(id));
            unknown.for_each(|id| problems.add(option, id, format!("the id of a {what}: --list prints them")));
        };
        check("--claim", &chosen.claims, "claim", &|id| self.ledger.claims.iter().any(|claim| claim.id == id));
        check("--table", &chosen.tables, "table", &|id| self.study.tables.iter().any(|table| table.id == id));
        check("--figure", &chosen.figures, "figure", &|id| self.figures.iter().any(|figure| figure.id == id));
        problems.or(())?;
        self.chosen = chosen;
        Ok(())
    }

    /// Changes the machine or a kernel of every run: a modifier, `key=value` without blanks.
    pub fn change(&mut self, modifier: &str) {
        self.study.everywhere.extend([" ", modifier]);
        self.changed = true;
    }

    /// Runs what is missing in `out`, `jobs` runs at a time; then writes the report there, or prints what was chosen.
    pub fn run(self, jobs: usize, out: &Path) -> Result<(), Failure> {
        let Reproduction { paper, ledger, study, figures: mut plans, chosen: Chosen { claims, tables, figures: drawn }, changed } = self;
        let whole = claims.is_empty() && tables.is_empty() && drawn.is_empty();
        plans.retain(|plan| whole || drawn.contains(&plan.id));
        let chosen: Vec<&Claim> = match whole {
            true => ledger.claims.iter().collect(),
            false => claims.iter().filter_map(|id| ledger.claims.iter().find(|claim| claim.id == *id)).collect(),
        };
        let mut causes = Causes::read(paper.causes)?;
        template::check(&causes, &ledger.claims, &study.tables)?;
        let (commit, date) = (git(&["rev-parse", "--short", "HEAD"]), git(&["show", "-s", "--format=%cs", "HEAD"]));
        let store = Store::open(out, &study.mode_name, &commit, &date)?;
        let mut measures = Measures::new(study, store, paper.code);
        let judgements = rounds(&mut measures, jobs, |measures| {
            let judgements: Vec<Judgement> = chosen.iter().map(|claim| Judgement::of(measures, &ledger, claim)).collect();
            for table in measures.runs.study.tables.iter().filter(|table| whole || tables.contains(&table.id)) {
                tables::fill(table, measures);
            }
            figures::all(measures, &plans, &ledger.claims);
            if whole {
                report::longer(&measures.runs);
                report::goal(measures);
            }
            judgements
        })?;
        let (mut figures, placed) = figures::all(&measures, &plans, &ledger.claims);
        figures::fill(&mut figures, &measures.runs.results, &placed);
        figures::sort(&mut figures, &plans, &ledger.claims);
        if whole {
            template::fill(&mut causes, &judgements, &measures);
            figures.iter_mut().for_each(|figure| figure.differs = causes.figures.get(&figure.id).cloned().unwrap_or_default());
            Report {
                paper: paper.name,
                measures: &measures,
                judgements: &judgements,
                rules: &ledger.rules,
                figures: &figures,
                placed: &placed,
                causes: &causes,
                lengths: &report::longer(&measures.runs),
            }
            .write(out)?;
            output::say(&out.join("report.md").display().to_string());
            if measures.runs.study.mode_name == "full" && !changed {
                causes.are_all_that_fails(&report::failing(&judgements))?;
            }
        } else {
            judgements.iter().try_for_each(print)?;
            let chosen = measures.runs.study.tables.iter().filter(|table| tables.contains(&table.id));
            chosen.into_iter().try_for_each(|table| output::print(tables::markdown(table, &measures).trim_end()))?;
            for figure in &figures {
                output::print(figures::markdown(figure).trim_end())?;
                let file = out.join(format!("{}.svg", figure.id));
                output::write(&file, &draw(figure, Options::default()))?;
                output::say(&file.display().to_string());
            }
        }
        Ok(())
    }
}

/// Evaluates and runs what is missing, until nothing is.
pub fn rounds<T>(measures: &mut Measures, jobs: usize, evaluate: impl Fn(&Measures) -> T) -> Result<T, Failure> {
    workers::stop_at_signals();
    for round in 1..=MOST_ROUNDS {
        let outcome = evaluate(measures);
        measures.runs.check()?;
        let results = &mut measures.runs.results;
        if results.missing() == 0 {
            return Ok(outcome);
        }
        output::say(&format!("round {round}: {} runs, {} known", results.missing(), results.known()));
        if !results.run_missing(jobs)? {
            return Err(Failure::Interrupted(format!("{} runs are kept; the same command goes on", results.known())));
        }
    }
    Err(problem("(study)", format!("runs still missing after {MOST_ROUNDS} rounds"), "measures that end").into())
}

fn print(judgement: &Judgement) -> Result<(), Failure> {
    let (claim, over) = (judgement.claim, counted(&judgement.population));
    let objection = judgement.objection().unwrap_or_default();
    let line = format!(
        "{:<28}paper {:>12}   here {:>14}   over {over:>10}   {}   {objection}",
        claim.id,
        judgement.paper(),
        judgement.ours(),
        judgement.verdict.words()
    );
    output::print(line.trim_end())
}

/// What git says of the commit that the program stands at, if it runs in its own checkout.
fn git(ask: &[&str]) -> String {
    let output = std::process::Command::new("git").args(ask).output();
    let text = output.ok().filter(|output| output.status.success()).and_then(|output| String::from_utf8(output.stdout).ok());
    text.map_or("unknown".into(), |text| text.trim().to_owned())
}
