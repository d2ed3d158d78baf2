//! `corun`: experiments in, results out, with the same engine as the page.
//!
//! Exit status: 0, done. 1, the run ended in an error state that it names, or stdout or a file did not take all of the output. 2, bad usage, or bad
//! input, with one line for each problem on stderr. 130, told to stop by Ctrl-C or SIGTERM.

mod answers;
mod curve;
mod export;
mod import;
mod input;
mod kind;
mod list;
mod merge;
mod number;
mod oracle;
mod out;
mod overlaps;
mod points;
mod predict;
mod probe;
mod profiles;
mod recording;
mod report;
mod reproduce;
mod results;
mod run;
mod schema;
mod show;
mod silicon;
mod store;
mod sweep;
mod text;
mod timeline;
mod why;

use clap::{CommandFactory, Parser, Subcommand};
use corun_lab::{Failure, output};
use sim_core::describe::error::Problem;
use sim_core::run::result::ENGINE;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// What to try first.
const EXAMPLES: &str = "\
Examples:
  corun run bp-cfd-even                           two kernels share a GPU: what each of them loses
  corun run bp-cfd-even --set policy=ccbp         the same under another policy
  corun sweep policies --out results.jsonl        nine experiments at once; `corun show results.jsonl` prints them again";

/// Simulates one GPU that runs several kernels at once, cycle by cycle.
#[derive(Parser, Debug)]
#[command(
    name = "corun",
    version = ENGINE,
    before_help = EXAMPLES,
    after_help = "Exit status: 0 done, 1 stuck, a script failed, points missing or output lost, 2 bad usage or input (one line for each problem), 130 told to stop."
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
    /// Speed of a kernel by itself over what it is given
    #[command(subcommand)]
    Curve(curve::Curves),
    /// Predict the latency of kernels that run together on SMs of their own
    Predict(predict::Predict),
    /// Run a paper's claims, judge them and write a report
    Reproduce(reproduce::Reproduce),
    /// Measure what the library's kernels do alone, as the page brings it along
    Profiles(profiles::Profiles),
    /// Run mixes under every scheme, as the page brings the answers along
    Answers(answers::RunAnswers),
    /// Put the shards of a sweep together
    Merge(merge::Merge),
    /// Print an experiment after defaults: configuration, hash, occupancy and its limiter for each kernel; of a timeline, who overlaps whom and why not
    Explain(run::Explain),
    /// List what can be chosen
    List(list::List),
    /// Show the whole of one kernel, policy, GPU or experiment, or what a file of results or a recording says
    Show(show::Show),
    /// Write an experiment's kernels as files of another tool
    #[command(subcommand)]
    Export(export::Export),
    /// Take what another tool has written: traces as recorded kernels, profiles as timelines
    #[command(subcommand)]
    Import(import::Import),
    /// Hold the machine against what kernels took on a real GPU, alone and beside each other
    Silicon(silicon::Silicon),
    /// Show what is kept of runs that have been measured, and where; remove what other engines have left
    Store(store::StoreCommand),
    /// Print what a file or an output looks like: a JSON Schema, TypeScript types, or tables
    Schema(schema::Schema),
    /// Print completions for a shell, such as `corun completions bash > /etc/bash_completion.d/corun`
    #[command(arg_required_else_help = true)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Drive one component of the machine with named traffic
    #[command(subcommand)]
    Probe(probe::Probe),
}

fn main() -> ExitCode {
    let outcome = match Arguments::try_parse() {
        Ok(arguments) => arguments.command.execute(),
        Err(error) if error.use_stderr() => {
            // That stderr takes nothing is no reason for another exit status.
            let _ = error.print();
            return ExitCode::from(2);
        }
        // Help or the version.
        Err(text) => text.print().and_then(|()| std::io::stdout().flush()).map_err(output::not_printed),
    };
    outcome.map_or_else(|failure| ExitCode::from(exit_status(&failure)), |()| ExitCode::SUCCESS)
}

/// Says on stderr why a command failed; returns its exit status.
fn exit_status(failure: &Failure) -> u8 {
    match failure {
        Failure::Input(problems) => {
            output::say(&problems.to_string());
            2
        }
        Failure::Stuck(why) => {
            output::say(&format!("stuck: what the run waits for can never happen\n{why}"));
            1
        }
        Failure::Policy(why) => {
            output::say(&format!("failed: the script cannot go on\n{why}"));
            1
        }
        Failure::Missing(what) => {
            output::say(&format!("{what}; `corun sweep SWEEP --resume --out FILE.jsonl` runs them, --partial does without them"));
            1
        }
        Failure::Lost(place, error) => {
            // The reader has closed the pipe: no message is needed.
            if error.kind() != ErrorKind::BrokenPipe {
                output::say(&Problem::new(place, error, "room for all of the output").to_string());
            }
            1
        }
        Failure::Interrupted(how) => {
            output::say(&format!("stopped: {how}"));
            130
        }
    }
}

impl Command {
    fn execute(self) -> Result<(), Failure> {
        match self {
            Command::Run(command) => command.execute(),
            Command::Sweep(command) => command.execute(),
            Command::Oracle(command) => command.execute(),
            Command::Curve(command) => command.execute(),
            Command::Predict(command) => command.execute(),
            Command::Reproduce(command) => command.execute(),
            Command::Profiles(command) => command.execute(),
            Command::Answers(command) => command.execute(),
            Command::Merge(command) => command.execute(),
            Command::Explain(command) => command.execute(),
            Command::List(command) => command.execute(),
            Command::Show(command) => command.execute(),
            Command::Export(command) => command.execute(),
            Command::Import(command) => command.execute(),
            Command::Silicon(command) => command.execute(),
            Command::Store(command) => command.execute(),
            Command::Schema(command) => command.execute(),
            Command::Completions { shell } => {
                let mut script = Vec::new();
                clap_complete::generate(shell, &mut Arguments::command(), "corun", &mut script);
                output::print(String::from_utf8_lossy(&script).trim_end())
            }
            Command::Probe(command) => command.execute(),
        }
    }
}
