//! `corun`: experiments in, results out, with the same engine as the page.
//!
//! Exit status: 0 done; 1 the run ended in an error state that it names; 2 bad usage or bad input, one line for each problem on stderr;
//! 130 a sweep that was told to stop.

mod input;
mod jsonl;
mod list;
mod merge;
mod oracle;
mod probe;
mod reproduce;
mod results;
mod run;
mod schema;
mod sweep;
mod trace;
mod workers;

use clap::{Parser, Subcommand};
use sim_core::describe::error::Problems;
use std::process::ExitCode;

/// Simulates one GPU that runs several kernels at once, cycle by cycle.
#[derive(Parser, Debug)]
#[command(
    name = "corun",
    version,
    about,
    after_help = "Exit status: 0 done, 1 stuck, 2 bad usage or input (one line for each problem), 130 a sweep that was told to stop."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Run an experiment and print its result
    Run(run::Run),
    /// Run every point of a sweep, on every core, and write one line of results for each
    Sweep(sweep::RunSweep),
    /// Find the best fixed numbers of CTAs for an experiment's mix, by running them all
    Oracle(oracle::Oracle),
    /// Run a paper's claims, judge them and write a report
    Reproduce(reproduce::Reproduce),
    /// Put the shards of a sweep together
    Merge(merge::Merge),
    /// Print an experiment after defaults: configuration, hash, occupancy and its limiter for each kernel
    Explain(run::Explain),
    /// List what can be chosen
    List(list::List),
    /// Print a JSON Schema
    Schema(schema::Schema),
    /// Drive one component of the machine with named traffic
    #[command(subcommand)]
    Probe(probe::Probe),
}

/// How a command can fail.
#[derive(Debug)]
enum Failure {
    /// Bad input: exit 2.
    Input(Problems),
    /// The run got stuck, with the explanation: exit 1.
    Stuck(String),
    /// A signal ended the sweep, with what is done and how to go on: exit 130.
    Interrupted(String),
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Failure::Input(problems)
    }
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Run(command) => command.execute(),
        Command::Sweep(command) => command.execute(),
        Command::Oracle(command) => command.execute(),
        Command::Reproduce(command) => command.execute(),
        Command::Merge(command) => command.execute(),
        Command::Explain(command) => command.execute(),
        Command::List(command) => command.execute(),
        Command::Schema(command) => command.execute(),
        Command::Probe(command) => command.execute(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Input(problems)) => {
            eprintln!("{problems}");
            ExitCode::from(2)
        }
        Err(Failure::Stuck(why)) => {
            eprintln!("stuck: nothing issues any more\n{why}");
            ExitCode::from(1)
        }
        Err(Failure::Interrupted(how)) => {
            eprintln!("stopped: {how}");
            ExitCode::from(130)
        }
    }
}
