//! `cargo xtask bench`: how fast the engine is, natively, in Node and in Chromium, on the fixed runs of benches/runs.json, one core.
//!
//! A full run also measures the machine's parts and appends a record to benches/history.jsonl; with `--against` it compares with a commit's
//! engine instead (`against.rs`). `--plot` draws what is recorded (`plot.rs`).

mod against;
mod count;
mod engine;
mod functions;
mod host;
mod pairs;
mod plot;
mod timelines;

use crate::run::{cargo, output, root, run, shown, target_dir};
use crate::{flag, need, none_left, number as whole, page, words};
use anyhow::{Context, Result, bail, ensure};
use engine::Engine;
use host::{HOSTS, Host};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// How many times a full run repeats each measurement; the best counts.
const ROUNDS: usize = 5;

/// What to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// A tenth of the cycles, once, and no record.
    quick: bool,
    /// Also the cost against the number of SMs, warps, kernels and memory accesses.
    scaling: bool,
    /// Also instructions, misses and mispredicted branches for each simulated cycle.
    count: bool,
    /// Nothing but drawing what is recorded.
    plot: bool,
    /// Nothing but how smooth the page is.
    paint: bool,
    memory: bool,
    /// Nothing but how fast timelines of so many megabytes are read.
    timelines: Option<u64>,
    /// Names of the only runs to make; none: all.
    only: Vec<String>,
    /// The commit to compare with, and how.
    against: Option<String>,
    hosts: Vec<String>,
    pairs: Option<u64>,
    json: bool,
}

impl Options {
    /// What the words after `bench` say.
    pub fn take(args: &mut Vec<String>) -> Result<Options> {
        let mut against = words(args, "--against", "a commit")?;
        let options = Options {
            quick: flag(args, "--quick"),
            scaling: flag(args, "--scaling"),
            count: flag(args, "--count"),
            plot: flag(args, "--plot"),
            paint: flag(args, "--paint"),
            memory: flag(args, "--memory"),
            timelines: whole(args, "--timelines")?,
            only: words(args, "--only", "an experiment's name")?,
            hosts: words(args, "--host", "a host")?,
            pairs: whole(args, "--pairs")?,
            json: flag(args, "--json"),
            against: against.pop(),
        };
        none_left(args)?;
        options.check(!against.is_empty())
    }

    fn check(self, twice: bool) -> Result<Options> {
        ensure!(!twice, "--against is there twice; one commit is compared at a time");
        if let Some(host) = self.hosts.iter().find(|host| !HOSTS.contains(&host.as_str())) {
            bail!("--host: found {host:?}, want one of {}", HOSTS.join(", "));
        }
        if let Some(pairs) = self.pairs.filter(|pairs| !(1..=1000).contains(pairs)) {
            bail!("--pairs: found {pairs}, want a number from 1 to 1000");
        }
        if self.against.is_none() {
            for (is_there, name) in [(!self.hosts.is_empty(), "--host"), (self.pairs.is_some(), "--pairs"), (self.json, "--json")] {
                ensure!(!is_there, "{name} goes with --against COMMIT");
            }
        }
        ensure!(self.against.is_none() || !self.scaling, "--scaling does not go with --against");
        ensure!(!self.paint || self == Options { paint: true, ..Options::default() }, "--paint goes with nothing else");
        ensure!(!self.memory || self == Options { memory: true, ..Options::default() }, "--memory goes with nothing else");
        if let Some(megabytes) = self.timelines {
            ensure!((1..=10_000).contains(&megabytes), "--timelines: found {megabytes}, want megabytes from 1 to 10000");
            ensure!(self == Options { timelines: self.timelines, ..Options::default() }, "--timelines goes with nothing else");
        }
        ensure!(!self.plot || self == Options { plot: true, ..Options::default() }, "--plot goes with nothing else");
        self.runs()?;
        Ok(self)
    }

    /// Whether the figures are worth a record.
    fn is_full(&self) -> bool {
        !self.quick && self.only.is_empty()
    }

    /// The experiments of benches/runs.json that are asked for, as long as asked for.
    fn runs(&self) -> Result<Vec<Value>> {
        let file: Value = serde_json::from_str(&std::fs::read_to_string(record("runs.json"))?).context("benches/runs.json")?;
        let mut runs = rows(&file["experiments"]).to_vec();
        let is = |run: &Value, name: &String| text(run, "name").eq_ignore_ascii_case(name);
        if let Some(name) = self.only.iter().find(|name| !runs.iter().any(|run| is(run, name))) {
            let names: Vec<String> = runs.iter().map(|run| run["name"].to_string()).collect();
            bail!("--only: found {name:?}, want one of {}", names.join(", "));
        }
        runs.retain(|run| self.only.is_empty() || self.only.iter().any(|name| is(run, name)));
        for run in runs.iter_mut().filter(|_| self.quick) {
            run["cycles"] = (run["cycles"].as_u64().unwrap_or(0) / 10).into();
        }
        Ok(runs)
    }
}

/// A file of benches/.
fn record(name: &str) -> PathBuf {
    root().join("benches").join(name)
}

/// The records of all full runs, oldest first, a line each.
fn history() -> PathBuf {
    record("history.jsonl")
}

pub fn bench(options: &Options) -> Result<()> {
    if options.plot {
        return plot::plot(&history());
    }
    if options.paint || options.memory {
        page::build("warn", None)?;
        let script = if options.paint { "dev/paint.mjs" } else { "dev/memory.mjs" };
        return run(Command::new("node").current_dir(root().join("web")).arg(script));
    }
    if let Some(megabytes) = options.timelines {
        need::packages()?;
        return timelines::timelines(megabytes);
    }
    if let Some(commit) = &options.against {
        return against::against(commit, options);
    }
    need::wasm_target()?;
    need::packages()?;
    if options.count {
        count::needs()?;
    }
    let engine = [Engine::present(true, true)?];
    let machine = machine();
    let runs = options.runs()?;
    let experiments = experiments(&runs, &engine, if options.quick { 1 } else { ROUNDS })?;
    print!("{}{}", experiments_table(&experiments), speeds(&runs, &experiments));
    let (mut counts, mut functions) = (Value::Null, Value::Null);
    if options.count {
        counts = count::count(&runs, &[("new", &engine[0])])?.into();
        functions = functions::functions(&runs, &[("new", &engine[0])])?.into();
        print!("\n{}\n{}:\n\n{}", count::counts_table(&counts), functions::CAPTION, functions::functions_table(&functions, "new"));
    }
    let scaling = if options.scaling { scaling(options.quick)? } else { Value::Null };
    if let Value::Array(rows) = &scaling {
        print!("\n{}", scaling_table(rows));
    }
    if !options.is_full() {
        return Ok(());
    }
    timelines::timelines(timelines::MEGABYTES)?;
    println!("\nParts (cargo bench -p corun-bench) …");
    let parts = parts()?;
    print!("{}", parts_table(&parts));
    let record = json!({ "machine": machine, "date": date(), "commit": commit(), "experiments": experiments, "parts": parts,
        "scaling": scaling, "counts": counts, "functions": functions });
    let mut file = std::fs::File::options().create(true).append(true).open(history())?;
    writeln!(file, "{record}")?;
    println!("\nAdded to {}; `cargo xtask bench --plot` draws it.", history().display());
    Ok(())
}

/// Alternates the hosts, so that a busy moment of the machine hits all of them, and keeps the best of each.
fn experiments(runs: &[Value], engine: &[Engine], rounds: usize) -> Result<Vec<Value>> {
    let mut hosts = HOSTS.into_iter().map(|host| Host::start(host, engine)).collect::<Result<Vec<Host>>>()?;
    let mut found: Vec<Value> = Vec::new();
    for round in 1..=rounds {
        for host in &mut hosts {
            eprintln!("round {round} of {rounds}, {} …", host.name);
            for run in runs {
                match host.measure(0, run)? {
                    Ok(line) => keep_best(&mut found, host.name, &line)?,
                    Err(why) => bail!("{}, {}: {why}", run["name"], host.name),
                }
            }
        }
    }
    Ok(found)
}

/// Runs a program that prints lines of JSON.
fn lines(program: &mut Command) -> Result<Vec<Value>> {
    let text = output(program.current_dir(root())).with_context(|| format!("{} failed", shown(program)))?;
    text.lines().map(|line| serde_json::from_str(line).with_context(|| format!("not JSON: {line}"))).collect()
}

/// Takes up one host's measurement of one run: what is the same everywhere must be the same, and the shortest time counts.
fn keep_best(found: &mut Vec<Value>, host: &str, line: &Value) -> Result<()> {
    let name = &line["name"];
    let at = match found.iter().position(|experiment| experiment["name"] == *name) {
        Some(at) => at,
        None => {
            found.push(json!({ "name": name, "bytes": line["bytes"], "cycles": line["cycles"],
                "warp_instructions": line["warp_instructions"], "digest": line["digest"] }));
            found.len() - 1
        }
    };
    let experiment = &mut found[at];
    for key in ["digest", "cycles", "warp_instructions"] {
        ensure!(experiment[key] == line[key], "{name}: {key} is {} natively and {} in {host}", experiment[key], line[key]);
    }
    if experiment[host].is_null() || number(&line["seconds"]) < number(&experiment[host]["seconds"]) {
        experiment[host] = speed(line);
    }
    Ok(())
}

/// The figures of one measurement.
fn speed(line: &Value) -> Value {
    let (cycles, instructions, seconds) = (number(&line["cycles"]), number(&line["warp_instructions"]), number(&line["seconds"]));
    json!({
        "seconds": seconds,
        "cycles_per_second": (cycles / seconds).round(),
        "warp_instructions_per_second": (instructions / seconds).round(),
        "ns_per_warp_instruction": seconds / instructions * 1e9,
        "snapshot_ms": line["snapshot_ms"],
    })
}

/// A number, or NaN where there is none.
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

fn rows(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or("?")
}

/// The best of three native runs for each point of the scaling sweeps.
fn scaling(quick: bool) -> Result<Value> {
    let mut best: Vec<Value> = Vec::new();
    for round in 0..if quick { 1 } else { 3 } {
        eprintln!("scaling, round {} …", round + 1);
        let mut program = Command::new(target_dir().join("release/speed"));
        let all = lines(program.arg("--scaling").args(quick.then_some("--quick")))?;
        let rows = all.iter().map(|line| {
            let mut row = speed(line);
            (row["name"], row["x"], row["bytes"]) = (line["name"].clone(), line["x"].clone(), line["bytes"].clone());
            row
        });
        if best.is_empty() {
            best = rows.collect();
        } else {
            for (old, new) in best.iter_mut().zip(rows) {
                if number(&new["seconds"]) < number(&old["seconds"]) {
                    *old = new;
                }
            }
        }
    }
    Ok(best.into())
}

/// Nanoseconds for each part, as criterion leaves them: the median, for one element.
fn parts() -> Result<Vec<Value>> {
    let folder = target_dir().join("criterion");
    // What an earlier version of the benches left would be taken for a part.
    let _ = std::fs::remove_dir_all(&folder);
    run(cargo(&["bench", "--quiet", "--package", "corun-bench", "--bench", "parts", "--", "--quiet"]).stdout(Stdio::null()))?;
    let mut parts = Vec::new();
    let mut left = vec![folder];
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(&folder)?.flatten().filter(|entry| entry.path().is_dir()) {
            left.push(entry.path());
        }
        let read = |file: &str| std::fs::read(folder.join(file)).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        if let (true, Some(bench), Some(estimates)) = (folder.ends_with("new"), read("benchmark.json"), read("estimates.json")) {
            let elements = bench["throughput"]["Elements"].as_f64().unwrap_or(1.0);
            parts.push(json!({ "name": bench["full_id"], "ns": number(&estimates["median"]["point_estimate"]) / elements }));
        }
    }
    parts.sort_by_key(|part| part["name"].to_string());
    ensure!(!parts.is_empty(), "criterion left no figures");
    Ok(parts)
}

/// What the figures were measured on.
fn machine() -> Value {
    let said = |command: &mut Command| output(command).unwrap_or_else(|| "?".into());
    let file = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let processor = file("/proc/cpuinfo");
    let model = processor.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|(_, model)| model.to_owned()));
    json!({
        "cpu": model.unwrap_or_else(|| std::env::consts::ARCH.into()),
        "cores": std::thread::available_parallelism().map_or(0, Into::into),
        "load": file("/proc/loadavg").split(' ').next().unwrap_or("?"),
        "os": said(Command::new("uname").arg("-sr")),
        "rustc": said(Command::new("rustc").arg("--version")),
        "node": said(Command::new("node").arg("--version")),
        "chromium": need::chromium_path().map_or_else(|| "?".into(), |path| said(Command::new(path).args(["--version", "--no-sandbox"]))),
    })
}

fn date() -> String {
    output(Command::new("date").args(["-u", "+%Y-%m-%dT%H:%M:%SZ"])).unwrap_or_default()
}

/// The commit, with a mark if something in the tree is not in it.
fn commit() -> String {
    let git = |args: &[&str]| output(Command::new("git").current_dir(root()).args(args)).unwrap_or_default();
    let changed = !git(&["status", "--porcelain", "--untracked-files=no", "--", ".", ":!benches/history.jsonl", ":!docs"]).is_empty();
    format!("{}{}", git(&["rev-parse", "--short=10", "HEAD"]), if changed { "+changes" } else { "" })
}

/// Headings of a table for people; the first column is text. The same rows stand in docs/reference/bench.md.
fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    let all = std::iter::once(headings.iter().map(ToString::to_string).collect()).chain(rows.iter().cloned());
    let all: Vec<Vec<String>> = all.collect();
    let widths: Vec<usize> = (0..headings.len()).map(|c| all.iter().map(|row| row[c].chars().count()).max().unwrap_or(0)).collect();
    for (r, row) in all.iter().enumerate() {
        let cells = row.iter().zip(&widths).enumerate();
        let cells: Vec<String> = cells.map(|(c, (cell, &w))| if c == 0 { format!("{cell:<w$}") } else { format!("{cell:>w$}") }).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
        if r == 0 {
            let rule = widths.iter().enumerate().map(|(c, &w)| if c == 0 { "-".repeat(w) } else { format!("{}:", "-".repeat(w - 1)) });
            let _ = writeln!(text, "| {} |", rule.collect::<Vec<_>>().join(" | "));
        }
    }
    text
}

/// A number of four or five digits that mean something.
fn figure(x: f64) -> String {
    match x.abs() {
        _ if x.is_nan() => "–".into(),
        a if a >= 100.0 => {
            let digits = format!("{x:.0}");
            let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
            groups.join(",")
        }
        a if a >= 10.0 => format!("{x:.1}"),
        _ => format!("{x:.2}"),
    }
}

/// Of runs that are held against another (`speed_of`): cycles a second over the other's, in each host.
fn speeds(runs: &[Value], experiments: &[Value]) -> String {
    let mut said = String::new();
    for run in runs {
        let found = |name: &Value| experiments.iter().find(|row| row["name"] == *name);
        let (Some(row), Some(base)) = (found(&run["name"]), found(&run["speed_of"])) else { continue };
        let of = |host: &str| figure(number(&row[host]["cycles_per_second"]) / number(&base[host]["cycles_per_second"]));
        let (name, other) = (row["name"].as_str().unwrap_or("?"), base["name"].as_str().unwrap_or("?"));
        let hosts = [of("native"), of("node"), of("chromium")].join(", ");
        let _ = writeln!(said, "{name}, against {other}: {hosts} of its cycles a second, natively, in Node and in Chromium.");
    }
    said
}

/// The fixed runs in every host.
fn experiments_table(experiments: &[Value]) -> String {
    let headings = [
        "experiment",
        "native cycles/s",
        "warp instr./s",
        "ns/warp instr.",
        "Node cycles/s",
        "of native",
        "Chromium cycles/s",
        "of native",
        "KB held",
        "snapshot ms",
        "in Chromium",
    ];
    let row = |e: &Value| {
        let rate = |host: &str| number(&e[host]["cycles_per_second"]);
        vec![
            e["name"].as_str().unwrap_or("?").to_owned(),
            figure(rate("native")),
            figure(number(&e["native"]["warp_instructions_per_second"])),
            figure(number(&e["native"]["ns_per_warp_instruction"])),
            figure(rate("node")),
            figure(rate("node") / rate("native")),
            figure(rate("chromium")),
            figure(rate("chromium") / rate("native")),
            figure(number(&e["bytes"]) / 1e3),
            figure(number(&e["native"]["snapshot_ms"])),
            figure(number(&e["chromium"]["snapshot_ms"])),
        ]
    };
    table(&headings, &experiments.iter().map(row).collect::<Vec<_>>())
}

/// Cost against size.
fn scaling_table(rows: &[Value]) -> String {
    let row = |r: &Value| {
        let figures = ["x", "cycles_per_second", "warp_instructions_per_second", "ns_per_warp_instruction"].map(|key| number(&r[key]));
        let mut cells = vec![r["name"].as_str().unwrap_or("?").to_owned(), format!("{}", figures[0])];
        cells.extend(figures[1..].iter().map(|x| figure(*x)));
        cells.push(figure(number(&r["bytes"]) / 1e3));
        cells
    };
    let headings = ["", "x", "cycles/s", "warp instr./s", "ns/warp instr.", "KB held"];
    table(&headings, &rows.iter().map(row).collect::<Vec<_>>())
}

/// Nanoseconds a part.
fn parts_table(parts: &[Value]) -> String {
    let row = |part: &Value| vec![part["name"].as_str().unwrap_or("?").to_owned(), figure(number(&part["ns"]))];
    table(&["part", "ns"], &parts.iter().map(row).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        assert_eq!([0.104, 12.34, 123.4, 1_234_567.0].map(figure), ["0.10", "12.3", "123", "1,234,567"]);
        assert_eq!(figure(f64::NAN), "–");
    }

    #[test]
    fn words_become_options() {
        let take = |line: &str| Options::take(&mut line.split_terminator(' ').map(ToOwned::to_owned).collect());
        let options = take("--against HEAD~1 --quick --host node --host=native --pairs 4 --count --json").unwrap();
        let want = Options {
            quick: true,
            count: true,
            against: Some("HEAD~1".into()),
            hosts: vec!["node".into(), "native".into()],
            pairs: Some(4),
            json: true,
            ..Options::default()
        };
        assert_eq!(options, want);
        for (line, says) in [
            ("--against", "--against wants a commit after it"),
            ("--against --quick", "--against wants a commit after it"),
            ("--against a --against b", "--against is there twice"),
            ("--against a --host firefox", "--host: found \"firefox\", want one of native, node, chromium"),
            ("--against a --pairs 0", "--pairs: found 0, want a number from 1 to 1000"),
            ("--against a --scaling", "--scaling does not go with --against"),
            ("--host node", "--host goes with --against COMMIT"),
            ("--only sAd", "--only: found \"sAd\", want one of \"BP alone\", \"CFD alone\""),
            ("--plot --quick", "--plot goes with nothing else"),
            ("--fast", "\"--fast\" is not an argument of this command"),
        ] {
            let error = take(line).unwrap_err().to_string();
            assert!(error.contains(says), "{line}: {error}");
        }
    }

    #[test]
    fn runs_can_be_chosen_and_shortened() {
        let all = Options::default().runs().unwrap();
        let one = Options { quick: true, only: vec!["bp ALONE".into()], ..Options::default() }.runs().unwrap();
        assert_eq!((one.len(), &one[0]["name"], &all[0]["name"]), (1, &json!("BP alone"), &json!("BP alone")));
        assert_eq!(one[0]["cycles"].as_u64().unwrap() * 10, all[0]["cycles"].as_u64().unwrap());
        // A row's cost is compared with that of a row that is there.
        for base in all.iter().flat_map(|run| [&run["per_sm_of"], &run["speed_of"]]).filter(|base| !base.is_null()) {
            assert!(all.iter().any(|run| run["name"] == *base && run["sms"].is_u64()), "{base}");
        }
    }

    #[test]
    fn a_run_is_held_against_the_one_that_it_names() {
        let row =
            |name: &str, rate: f64| json!({ "name": name, "native": { "cycles_per_second": rate }, "node": { "cycles_per_second": rate } });
        let runs = [json!({ "name": "a" }), json!({ "name": "b", "speed_of": "a" }), json!({ "name": "c", "speed_of": "left out" })];
        let said = speeds(&runs, &[row("a", 200.0), row("b", 170.0), row("c", 1.0)]);
        assert_eq!(said, "b, against a: 0.85, 0.85, – of its cycles a second, natively, in Node and in Chromium.\n");
    }

    #[test]
    fn the_best_of_each_host_counts_and_digests_must_agree() {
        let line = |seconds: f64, digest: &str| json!({ "name": "a", "cycles": 100, "warp_instructions": 50, "seconds": seconds, "digest": digest });
        let mut found = Vec::new();
        for (host, seconds) in [("native", 2.0), ("native", 1.0), ("native", 3.0), ("node", 4.0)] {
            keep_best(&mut found, host, &line(seconds, "same")).unwrap();
        }
        assert_eq!(
            (found.len(), &found[0]["native"]["cycles_per_second"], &found[0]["node"]["cycles_per_second"]),
            (1, &json!(100.0), &json!(25.0))
        );
        assert!(keep_best(&mut found, "chromium", &line(1.0, "other")).is_err());
    }
}
