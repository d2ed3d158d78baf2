//! `cargo xtask`: one command for each thing that one does with the project.
//!
//! Start with `serve` or `test`. Both say what they are doing, fetch what a fresh machine lacks (`need.rs`),
//! and name in plain words what they cannot fetch.

mod answers;
mod bench;
mod bundlers;
mod jupyter;
#[cfg(feature = "mutants")]
mod mutants;
mod need;
mod package;
mod page;
mod profiles;
mod python;
mod readme;
mod reproduce;
mod run;
mod serve;
mod test;
mod wasm;

use anyhow::{Result, bail};
use std::process::ExitCode;

const USAGE: &str = "\
The project's own commands.

Usage: cargo xtask COMMAND

  serve [--port N] [--no-build]   build the module and the page, serve them at http://127.0.0.1:8080/ until Ctrl-C
  test [--full] [STAGE]...        what any change can break, in ten minutes from a clean clone on two cores; --full: everything, with fresh
                                  seeds, Firefox and the modules as they are shipped, in 25. A stage runs with what it waits for
  dist [--url URL]                build the static folder web/dist (relative paths: any host, any sub-path), the same once more in its folder
                                  v<version>, and print its sizes. --url: where it will be, for the pictures of shared links
  wasm                            build only the WebAssembly modules into web/src/wasm
  package                         build the npm package of the engine, its elements and its widget into target/npm
  python                          build the Python wheel of the runner and the package's widget below target/python; it needs Python 3.11 and PyPI
  jupyter                         a study: the package's widget in a real JupyterLab below target/, run in Chromium; does Python get the result?
  bench [--quick] [--scaling] [--count] [--only NAME]...
                                  simulated cycles per second, natively, in Node and in Chromium, and their ratios; without --quick and
                                  --only also of the parts, and a record in benches/history.jsonl; --scaling: also the cost against
                                  size; --count: also instructions, misses and mispredictions for each cycle (valgrind)
  bench --against COMMIT [--quick] [--count] [--only NAME]... [--host native|node|chromium]... [--pairs N] [--json]
                                  this tree's engine against that of COMMIT, built beside it, in alternating pairs: ratios with their
                                  scatter, memory, digests; a full one is kept in benches/against.json
  bench --paint                   how smooth the page is at top speed in Chromium: frames a second, tasks above 50 ms, simulated cycles a second
  bench --memory                  what the page takes in Chromium while a run goes on for 20 million cycles, and how long going back takes (minutes)
  bench --timelines MEGABYTES     how fast timelines are read: natively, in pairs with Python's json, and (100 MB at most) by the page in Chromium
  bench --plot                    draw the records: docs/reference/bench.md and its charts
  profiles [--gpu NAME]...        what the library's kernels do alone, measured natively and put into web/src/engine/profiles.json, so that the page has
                                  slowdowns at once; anew after the engine has changed
  answers                         what every scheme makes of the first mix and of the examples, run natively and put into web/public/answers, so that
                                  the page's first screen answers at once; anew after the engine or an example has changed, in some twenty minutes
  reproduce [ARGUMENTS]...        `corun reproduce` with these arguments; a full report goes to docs/reports and its figures to the page too
  study [NAME [ARGUMENT]...]      the studies behind pages of docs/: what each asks, its page and how long it takes. With a name its page is made anew;
                                  with arguments, which `studies/NAME` says, the page is printed
  mutants [--count N] [--seed N] [--list]
                                  a study: how many of 30 seeded faults in the machine, the policies and the run do the native tests of the
                                  first tier catch, and how many more those of --full? A second call goes on where the first was stopped
  fuzz [--seconds N] [--seed N]   malformed and odd experiments through the parser and the machine; stops at the first failure
";

fn main() -> ExitCode {
    match command(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn command(mut args: Vec<String>) -> Result<()> {
    if args.iter().any(|a| a == "--help" || a == "-h") || args.first().is_some_and(|a| a == "help") {
        print!("{USAGE}");
        return Ok(());
    }
    let name = if args.is_empty() { String::new() } else { args.remove(0) };
    let args = &mut args;
    match name.as_str() {
        "serve" => {
            let port = number(args, "--port")?.unwrap_or(8080);
            let build = !flag(args, "--no-build");
            none_left(args)?;
            serve::serve(u16::try_from(port)?, build)
        }
        "test" => {
            let full = flag(args, "--full");
            test::test(args, full)
        }
        "dist" => {
            let url = words(args, "--url", "the address of its folder")?.pop();
            none_left(args)?;
            page::dist(url.as_deref())
        }
        "wasm" => {
            none_left(args)?;
            need::wasm_target()?;
            wasm::MODULES.iter().try_for_each(|module| wasm::build(module.0, wasm::Built::ToShip))
        }
        "package" => {
            none_left(args)?;
            package::package()?;
            println!("{}: `npm pack` in it makes the file that npm installs", package::place().display());
            Ok(())
        }
        "python" => {
            none_left(args)?;
            println!("{}", python::python()?.display());
            Ok(())
        }
        "jupyter" => {
            none_left(args)?;
            jupyter::jupyter()
        }
        "bench" => {
            let options = bench::Options::take(args)?;
            bench::bench(&options)
        }
        "fuzz" => {
            let seconds = number(args, "--seconds")?.unwrap_or(60);
            let seed = number(args, "--seed")?.unwrap_or(1);
            none_left(args)?;
            test::fuzz(seconds, seed)
        }
        #[cfg(feature = "mutants")]
        "mutants" => mutants::mutants(args),
        #[cfg(not(feature = "mutants"))]
        "mutants" => {
            let words = ["run", "--quiet", "--package", "xtask", "--features", "mutants", "--", "mutants"];
            run::run(run::cargo(&words).args(std::mem::take(args)))
        }
        "profiles" => {
            let gpus = words(args, "--gpu", "a GPU's name")?;
            none_left(args)?;
            profiles::profiles(&gpus)
        }
        "answers" => {
            none_left(args)?;
            answers::answers()
        }
        "reproduce" => reproduce::reproduce(args),
        "study" => run::run(run::cargo(&["run", "--quiet", "--release", "--package", "corun-studies", "--"]).args(std::mem::take(args))),
        "" => bail!("a command is missing\n\n{USAGE}"),
        other => bail!("there is no command `{other}`\n\n{USAGE}"),
    }
}

/// Takes `name` out of `args` if it is there.
fn flag(args: &mut Vec<String>, name: &str) -> bool {
    let before = args.len();
    args.retain(|a| a != name);
    args.len() != before
}

/// Takes every `name WORD` or `name=WORD` out of `args`; `what` says what the word is. A word does not begin with two dashes.
fn words(args: &mut Vec<String>, name: &str, what: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    while let Some(at) = args.iter().position(|a| a == name || a.strip_prefix(name).is_some_and(|rest| rest.starts_with('='))) {
        let arg = args.remove(at);
        match arg.split_once('=') {
            Some((_, word)) => found.push(word.to_owned()),
            None if args.get(at).is_some_and(|next| !next.starts_with("--")) => found.push(args.remove(at)),
            None => bail!("{name} wants {what} after it"),
        }
    }
    Ok(found)
}

/// Takes `name N` or `name=N` out of `args` if it is there.
fn number(args: &mut Vec<String>, name: &str) -> Result<Option<u64>> {
    let Some(text) = words(args, name, "a number")?.pop() else { return Ok(None) };
    match text.parse() {
        Ok(n) => Ok(Some(n)),
        Err(_) => bail!("{name}: found {text:?}, want a number"),
    }
}

fn none_left(args: &[String]) -> Result<()> {
    match args.first() {
        Some(arg) => bail!("{arg:?} is not an argument of this command\n\n{USAGE}"),
        None => Ok(()),
    }
}
