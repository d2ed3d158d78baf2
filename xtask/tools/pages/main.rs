//! Pages of docs/ that are measured: `cargo run --release -p corun-tools --bin pages PAGE [ARGUMENT]...` prints one of them.

mod alone;
mod classes;
mod covers;
mod dependences;
mod heat;
mod knobs;
mod length;
mod orders;
mod partitions;
mod queues;
mod scale;
mod settled;
mod silicon;
mod streams;
#[path = "../../../tests/suite/alone/mod.rs"]
mod table_2;
mod trust;
mod verdicts;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// A page: its arguments, and why it could not be measured.
type Page = fn(&[String]) -> Result<(), String>;

const PAGES: [(&str, Page); 15] = [
    ("alone", alone::page),
    ("classes", classes::page),
    ("covers", covers::page),
    ("dependences", dependences::page),
    ("knobs", knobs::page),
    ("length", length::page),
    ("orders", orders::page),
    ("partitions", partitions::page),
    ("queues", queues::page),
    ("scale", scale::page),
    ("settled", settled::page),
    ("silicon", silicon::page),
    ("streams", streams::page),
    ("trust", trust::page),
    ("verdicts", verdicts::page),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let known = args.first().and_then(|name| PAGES.iter().find(|(page, _)| page == name));
    let Some((_, page)) = known else {
        let found = args.first().map_or("nothing", String::as_str);
        eprintln!("PAGE: found {found}, want one of {}", PAGES.map(|(name, _)| name).join(", "));
        return ExitCode::from(2);
    };
    match page(&args[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
