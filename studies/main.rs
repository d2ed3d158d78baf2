//! The studies behind pages of docs/, a folder each: `study.toml` says what is asked and which page has the answer, `page.md` is that page with marks in
//! place of what is measured, `mod.rs` measures. `cargo xtask study NAME` makes a page anew; with arguments of one's own it is printed.

mod page;
#[path = "../tests/suite/alone/mod.rs"]
mod table_2;

use corun_lab::lab::{Compared, Want};
use corun_lab::{native, workers};
use page::Page;
use serde::Deserialize;
use serde_json::Value;
use sim_core::{Experiment, Simulation};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

macro_rules! studies {
    ($($name:ident)*) => {
        $(mod $name;)*

        /// Every study. To add one: its folder, and its name here.
        const STUDIES: &[Study] = &[$(Study {
            name: stringify!($name),
            says: include_str!(concat!(stringify!($name), "/study.toml")),
            page: include_str!(concat!(stringify!($name), "/page.md")),
            measure: $name::page,
        }),*];
    };
}

studies! {
    accelsim alone classes covers dependences knobs length orders partitions queues race scale settled silicon streams trust verdicts
}

/// A study, as its folder has it.
struct Study {
    name: &'static str,
    says: &'static str,
    page: &'static str,
    /// Measures with these arguments what stands in place of the page's marks.
    measure: fn(&[String], &mut Page) -> Result<(), String>,
}

/// What study.toml says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Says {
    /// The question.
    asks: String,
    /// The page that has the answer.
    page: String,
    /// How long it takes on two cores.
    time: String,
    /// What it is measured with, where nobody says otherwise.
    arguments: Vec<String>,
}

impl Study {
    fn says(&self) -> Result<Says, String> {
        toml::from_str(self.says).map_err(|error| format!("studies/{}/study.toml: {error}", self.name))
    }

    /// The line before what it says on a page.
    fn heading(&self) -> String {
        format!("<!-- Printed by `cargo xtask study {0}`: change the engine, or studies/{0}. -->\n", self.name)
    }

    /// The page with what is measured.
    fn made(&self, arguments: &[String]) -> Result<String, String> {
        let mut page = Page::default();
        (self.measure)(arguments, &mut page)?;
        let filled = page.fill(self.page).map_err(|(line, why)| format!("studies/{}/page.md:{line}: {why}", self.name))?;
        Ok(format!("{}{filled}", self.heading()))
    }

    /// Makes its page anew, or its part of a page that several studies have.
    fn write(&self) -> Result<(), String> {
        let says = self.says()?;
        let made = self.made(&says.arguments)?;
        let path = root().join(&says.page);
        let page = std::fs::read_to_string(&path).unwrap_or_default();
        let page = replaced(&page, &self.heading(), &made);
        std::fs::write(&path, page).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("{}", says.page);
        Ok(())
    }
}

/// The page with this part in place of the one with the same heading, up to the next; a page without it is that part.
fn replaced(page: &str, heading: &str, part: &str) -> String {
    let Some(start) = page.find(heading) else { return part.to_owned() };
    let after = start + heading.len();
    let next = page[after..].find("<!-- Printed by ").map_or(page.len(), |next| after + next);
    let rest = &page[next..];
    format!("{}{}{rest}", &page[..start], if rest.is_empty() { part.to_owned() } else { format!("{}\n\n", part.trim_end()) })
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A kernel's name without its paper: a table has kernels of one.
fn short(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Does the same work on each core until it is done.
fn on_all_cores(work: &(dyn Fn() -> Result<(), String> + Sync)) -> Result<(), String> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let join =
        |worker: std::thread::ScopedJoinHandle<'_, Result<(), String>>| worker.join().unwrap_or_else(|_| Err("a worker stopped".into()));
    std::thread::scope(|scope| (0..cores).map(|_| scope.spawn(work)).collect::<Vec<_>>().into_iter().try_for_each(join))
}

/// What is made of each of `items`, on all cores, in their order.
fn each<T: Sync, R: Send>(items: &[T], of: impl Fn(&T) -> Result<R, String> + Sync) -> Result<Vec<R>, String> {
    let (next, made) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || -> Result<(), String> {
        while let Some((at, item)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, items.get(at)?))) {
            let one = of(item)?;
            let mut made = made.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            made.push((at, one));
            eprintln!("{} of {}", made.len(), items.len());
        }
        Ok(())
    };
    on_all_cores(&work)?;
    let mut made = made.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    made.sort_by_key(|(at, _)| *at);
    Ok(made.into_iter().map(|(_, one)| one).collect())
}

/// The results of experiments in their order, each beside its kernels alone: a run alone that several need runs once.
fn results(experiments: Vec<Experiment>) -> Result<Vec<Value>, String> {
    let want = |experiment| Want { compared: Compared::Alone, ..Want::new(experiment, Simulation::result) };
    let found = native::outcomes(experiments.into_iter().map(want).collect(), None, workers::jobs(None));
    let found = found.map_err(|failure| format!("{failure:?}"))?.ok_or("it was told to stop")?;
    found.iter().map(|result| serde_json::from_str(&result.to_string()).map_err(|error| error.to_string())).collect()
}

/// All studies, or one: its page, or with arguments what it would be.
fn study(args: &[String]) -> Result<(), String> {
    let [name, arguments @ ..] = args else {
        for study in STUDIES {
            let says = study.says()?;
            println!("{:<12} {} ({}; {})", study.name, says.asks, says.page, says.time);
        }
        return Ok(());
    };
    let known = || STUDIES.iter().map(|study| study.name).collect::<Vec<_>>().join(", ");
    let study = STUDIES.iter().find(|study| study.name == name).ok_or_else(|| format!("NAME: found {name}, want one of {}", known()))?;
    if arguments.is_empty() {
        return study.write();
    }
    print!("{}", study.made(arguments)?);
    Ok(())
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    study(&args).map_or_else(
        |error| {
            eprintln!("{error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_study_says_what_it_asks_and_stands_on_its_page() {
        for study in STUDIES {
            let says = study.says().unwrap();
            assert!(says.asks.ends_with('?') && !says.time.is_empty(), "{}", study.name);
            let page = std::fs::read_to_string(root().join(&says.page)).unwrap();
            assert!(page.contains(&study.heading()), "{} has nothing of `cargo xtask study {}`", says.page, study.name);
            // Its prose is what the template says, line by line, where no mark stands.
            for line in study.page.lines().filter(|line| !line.contains('{')) {
                assert!(page.lines().any(|other| other == line), "{}: {line}", says.page);
            }
        }
    }

    /// Nothing runs for this one: its page is always that of the reports and studies that are there.
    #[test]
    fn how_far_to_trust_is_of_the_reports_and_studies_that_are_there() {
        let trust = STUDIES.iter().find(|study| study.name == "trust").unwrap();
        let page = std::fs::read_to_string(root().join("docs/trust.md")).unwrap();
        assert_eq!(page, trust.made(&[]).unwrap(), "cargo xtask study trust");
    }

    #[test]
    fn a_part_of_a_page_is_replaced_and_the_others_stay() {
        let heading = |name: &str| format!("<!-- Printed by `{name}` -->\n");
        let page = format!("{}1\n\n{}old\n\n{}2\n", heading("one"), heading("two"), heading("three"));
        let new = format!("{}new\n", heading("two"));
        let want = format!("{}1\n\n{}new\n\n{}2\n", heading("one"), heading("two"), heading("three"));
        assert_eq!(replaced(&page, &heading("two"), &new), want);
        assert_eq!(replaced("no part", &heading("two"), &new), new);
        assert_eq!(replaced(&new, &heading("two"), &new), new);
    }
}
