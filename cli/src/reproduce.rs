//! `corun reproduce`: a paper's claims, each measured and judged, and a report of them.

use crate::kind::Kind;
use crate::{input, text};
use clap::Args;
use corun_lab::{Failure, output, problem, workers};
use corun_papers::{Chosen, PAPERS, Paper, Reproduction};
use sim_core::describe::error::Problems;
use std::num::NonZero;
use std::path::PathBuf;

/// Arguments of `corun reproduce`.
#[derive(Args, Debug)]
#[command(after_help = "\
Without --paper it lists the papers and runs nothing. Otherwise it writes report.md, its figures and figures.json into DIR, and keeps the results of all runs there: stopped by Ctrl-C or killed, the same command goes \
on where it was. With --claim, --table or --figure, only what these need is run, and they are printed; figures are drawn into DIR too.

Exit status: 0 done; 2 bad usage or input, or a full report in which another claim fails than those that causes.toml knows; 130 stopped by Ctrl-C or SIGTERM, with all that was done kept.")]
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
    /// Only this figure, by its id: its values beside what the paper prints, and a drawing; may be repeated
    #[arg(long = "figure", value_name = "ID")]
    figures: Vec<String>,
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
    /// Only list the paper's claims, tables and figures, or the papers
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
        let mode = if self.quick {
            "quick"
        } else if self.sample {
            "sample"
        } else {
            "full"
        };
        let mut reproduction = Reproduction::of(paper, mode)?;
        if self.list {
            return reproduction.contents().try_for_each(|(id, says)| output::print(&format!("{id:<28}{says}")));
        }
        reproduction.only(Chosen { claims: self.claims, tables: self.tables, figures: self.figures })?;
        for change in &self.set {
            reproduction.change(&inlined(change)?);
        }
        let out = self.out.unwrap_or_else(|| PathBuf::from("target/reproduce").join(paper.name));
        reproduction.run(workers::jobs(self.jobs), &out)
    }
}

/// The papers, with how long each takes.
fn listed() -> Result<String, Failure> {
    let mut rows = vec![["--paper", "time on two cores", "what"].map(String::from).to_vec()];
    for paper in PAPERS {
        rows.push(vec![paper.name.to_owned(), paper.time.to_owned(), paper.title()?]);
    }
    Ok(text::wrapped(rows))
}

fn none_of_them(found: String) -> Problems {
    let names: Vec<&str> = PAPERS.iter().map(|paper: &Paper| paper.name).collect();
    problem("--paper", found, &format!("one of {}", names.join(", ")))
}

/// A change with the kernel of a file in place of `@FILE`, as one word.
fn inlined(change: &str) -> Result<String, Problems> {
    let Some((key, file)) = change.split_once("=@") else { return Ok(change.to_owned()) };
    // Blanks are left within texts alone, where they may stand as numbers.
    Ok(format!("{key}={}", input::read(file, Kind::Kernel)?.to_string().replace(' ', "\\u0020")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_may_name_a_file_of_a_kernel() {
        assert_eq!(inlined("gpu.sm.count=8"), Ok("gpu.sm.count=8".to_owned()));
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../papers/ikra/stealing-dealt.json");
        let change = inlined(&format!("STEALING.kernel=@{file}")).unwrap();
        assert!(change.starts_with("STEALING.kernel={") && change.contains("\\u0020") && !change.contains(char::is_whitespace), "{change}");
        assert!(inlined("KM.kernel=@nothing.json").unwrap_err().0[0].found.starts_with("nothing.json"));
    }
}
