//! `cargo xtask bench`: how fast the engine is, natively, in Node and in Chromium, on the fixed runs of benches/runs.json, one core.
//!
//! A full run also measures the machine's parts and appends a record to benches/history.jsonl, which `--plot` draws (`plot.rs`).

use crate::run::{cargo, output, root, run, shown, target_dir};
use crate::{need, plot, wasm};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where the same runs are made, in the order of the columns.
pub const HOSTS: [&str; 3] = ["native", "node", "chromium"];

/// How many times a full run repeats each measurement; the best counts.
const ROUNDS: usize = 5;

/// What to do.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// A tenth of the cycles, once, and no record.
    pub quick: bool,
    /// Also the cost against the number of SMs, warps, kernels and memory accesses.
    pub scaling: bool,
    /// Nothing but drawing what is recorded.
    pub plot: bool,
}

/// The records of all full runs, oldest first, a line each.
pub fn history() -> PathBuf {
    root().join("benches/history.jsonl")
}

pub fn bench(options: Options) -> Result<()> {
    if options.plot {
        return plot::plot(&history());
    }
    need::wasm_target()?;
    need::packages()?;
    let chromium = need::chromium()?;
    println!("Building the native programs …");
    run(&mut cargo(&["build", "--quiet", "--release", "--example", "speed"]))?;
    wasm::build(true)?;
    let machine = machine(&chromium);
    let experiments = experiments(&chromium, options.quick)?;
    print!("{}", experiments_table(&experiments));
    let scaling = if options.scaling { scaling(options.quick)? } else { Value::Null };
    if let Value::Array(rows) = &scaling {
        print!("\n{}", scaling_table(rows));
    }
    if options.quick {
        return Ok(());
    }
    println!("\nParts (cargo bench -p corun-bench) …");
    let parts = parts()?;
    print!("{}", parts_table(&parts));
    let record =
        json!({ "machine": machine, "date": date(), "commit": commit(), "experiments": experiments, "parts": parts, "scaling": scaling });
    let mut file = std::fs::File::options().create(true).append(true).open(history())?;
    writeln!(file, "{record}")?;
    println!("\nAdded to {}; `cargo xtask bench --plot` draws it.", history().display());
    Ok(())
}

/// Alternates the hosts, so that a busy moment of the machine hits all of them, and keeps the best of each.
fn experiments(chromium: &Path, quick: bool) -> Result<Vec<Value>> {
    let rounds = if quick { 1 } else { ROUNDS };
    let mut found: Vec<Value> = Vec::new();
    for round in 1..=rounds {
        for host in HOSTS {
            eprintln!("round {round} of {rounds}, {host} …");
            for line in lines(&mut program(host, chromium, quick))? {
                keep_best(&mut found, host, &line)?;
            }
        }
    }
    for experiment in &found {
        ensure!(HOSTS.iter().all(|host| experiment[host].is_object()), "{} did not run everywhere", experiment["name"]);
    }
    Ok(found)
}

fn program(host: &str, chromium: &Path, quick: bool) -> Command {
    let mut command = if host == "native" { Command::new(target_dir().join("release/examples/speed")) } else { Command::new("node") };
    if host != "native" {
        command.arg("--no-warnings").arg(format!("benches/{host}.mjs")).env("CHROMIUM_PATH", chromium);
    }
    if quick {
        command.arg("--quick");
    }
    command
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
pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// The best of three native runs for each point of the scaling sweeps.
fn scaling(quick: bool) -> Result<Value> {
    let mut best: Vec<Value> = Vec::new();
    for round in 0..if quick { 1 } else { 3 } {
        eprintln!("scaling, round {} …", round + 1);
        let all = lines(program("native", Path::new(""), quick).arg("--scaling"))?;
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
fn machine(chromium: &Path) -> Value {
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
        "chromium": said(Command::new(chromium).args(["--version", "--no-sandbox"])),
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

/// Headings of a table for people; the first column is text. The same rows stand in docs/bench.md.
pub fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
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
pub fn figure(x: f64) -> String {
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

/// The fixed runs in every host.
pub fn experiments_table(experiments: &[Value]) -> String {
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
pub fn scaling_table(rows: &[Value]) -> String {
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
pub fn parts_table(parts: &[Value]) -> String {
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
