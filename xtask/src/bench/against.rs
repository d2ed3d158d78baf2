//! `cargo xtask bench --against COMMIT`: the present engine against a commit's, built beside it, in alternating pairs.

use super::count::{self, counts_table};
use super::engine::Engine;
use super::functions::{self, functions_table};
use super::host::{HOSTS, Host};
use super::pairs::{Ratio, median, ratio};
use super::{Options, commit, date, figure, machine, number, record, rows, table, text};
use crate::need;
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The two engines, as tables name them and in the order in which they stand.
const ENGINES: [&str; 2] = ["old", "new"];

/// Pairs of a full and of a quick comparison: the interval of ten forgets the worst at each end, of six it is all of them.
const PAIRS: u64 = 10;
const QUICK_PAIRS: u64 = 6;

pub fn against(old: &str, options: &Options) -> Result<()> {
    let hosts: Vec<&str> =
        HOSTS.into_iter().filter(|host| options.hosts.is_empty() || options.hosts.iter().any(|name| name == host)).collect();
    let runs = options.runs()?;
    if options.count {
        count::needs()?;
    }
    let module = hosts.iter().any(|host| *host != "native");
    if module {
        need::wasm_target()?;
        need::packages()?;
    }
    let native = hosts.contains(&"native") || options.count;
    let engines = [Engine::of(old, native, module)?, Engine::present(native, module)?];
    if native && engines[0].is_runner() {
        eprintln!("{old} is measured by its own runner, which does not say how much it holds.");
    }
    let mut made = json!({
        "old": engines[0].commit, "new": commit(), "date": date(), "machine": machine(), "quick": options.quick,
        "same_behaviour": engines[0].behaviour == engines[1].behaviour,
    });
    let pairs = options.pairs.unwrap_or(if options.quick { QUICK_PAIRS } else { PAIRS });
    made["rows"] = measure(&runs, &engines, &hosts, pairs)?.into();
    if options.count {
        let named = [(ENGINES[0], &engines[0]), (ENGINES[1], &engines[1])];
        made["counts"] = count::count(&runs, &named)?.into();
        made["functions"] = functions::functions(&runs, &named)?.into();
    }
    if options.json {
        println!("{made:#}");
    } else {
        print!("{}", report(&made));
    }
    if options.is_full() && hosts.len() == HOSTS.len() {
        std::fs::write(record("against.json"), format!("{made}\n"))?;
        eprintln!("\nKept in benches/against.json; `cargo xtask bench --plot` puts it into docs/reference/bench.md.");
    }
    let other = differing(&made);
    ensure!(
        made["same_behaviour"] != true || other.is_empty(),
        "both engines declare the same behaviour, but their digests differ in {}",
        other.join(", ")
    );
    Ok(())
}

/// Every run in every host, by both engines in turn, the first of a pair being second in the next.
fn measure(runs: &[Value], engines: &[Engine], hosts: &[&'static str], pairs: u64) -> Result<Vec<Value>> {
    let mut hosts = hosts.iter().map(|host| Host::start(host, engines)).collect::<Result<Vec<Host>>>()?;
    let mut measured: Vec<Value> = runs.iter().map(row).collect();
    for host in hosts.iter_mut().filter(|host| host.name != "native") {
        eprintln!("warming up {} …", host.name);
        for run in runs {
            let mut short = run.clone();
            short["cycles"] = (cycles(run) / 10).into();
            for engine in 0..ENGINES.len() {
                // What it says against a run, it says again when that counts.
                let _ = host.measure(engine, &short)?;
            }
        }
    }
    for pair in 0..pairs {
        for (run, row) in runs.iter().zip(&mut measured) {
            eprintln!("pair {} of {pairs}: {} …", pair + 1, text(run, "name"));
            for host in &mut hosts {
                for engine in if pair % 2 == 0 { [0, 1] } else { [1, 0] } {
                    if row["refused"][ENGINES[engine]].is_null() {
                        let answer = host.measure(engine, run)?;
                        take(row, ENGINES[engine], host.name, answer)?;
                    }
                }
            }
        }
    }
    Ok(measured)
}

fn cycles(run: &Value) -> u64 {
    run["cycles"].as_u64().unwrap_or(0)
}

/// What is known of a run before it is made.
fn row(run: &Value) -> Value {
    json!({ "name": run["name"], "cycles": run["cycles"], "sms": run["sms"], "per_sm_of": run["per_sm_of"], "refused": {}, "seconds": {} })
}

/// Takes up one measurement. Whatever host and pair, an engine's figures are the same; the old one may refuse a run, if it cannot make it.
fn take(row: &mut Value, engine: &str, host: &str, answer: Result<Value, String>) -> Result<()> {
    let name = text(row, "name").to_owned();
    let line = match answer {
        Ok(line) => line,
        Err(why) if engine == "old" => {
            row["refused"][engine] = why.into();
            return Ok(());
        }
        Err(why) => bail!("{name}, {host}: {why}"),
    };
    for key in ["digest", "warp_instructions"] {
        let known = &mut row[key][engine];
        ensure!(known.is_null() || *known == line[key], "{name}: {key} of the {engine} engine is {known}, and {} in {host}", line[key]);
        *known = line[key].clone();
    }
    if !line["bytes"].is_null() {
        row["bytes"][engine] = line["bytes"].clone();
    }
    let seconds = number(&line["seconds"]);
    match row["seconds"][host][engine].as_array_mut() {
        Some(all) => all.push(seconds.into()),
        None => row["seconds"][host][engine] = json!([seconds]),
    }
    Ok(())
}

/// The runs whose digests differ.
fn differing(made: &Value) -> Vec<String> {
    let other = |row: &&Value| row["refused"]["old"].is_null() && row["digest"]["old"] != row["digest"]["new"];
    rows(&made["rows"]).iter().filter(other).map(|row| text(row, "name").to_owned()).collect()
}

fn seconds(row: &Value, host: &str, engine: &str) -> Vec<f64> {
    rows(&row["seconds"][host][engine]).iter().map(number).collect()
}

fn span((low, high): (f64, f64)) -> String {
    format!("{low:.2} to {high:.2}")
}

fn interval(ratio: &Ratio) -> String {
    ratio.interval.map_or("–".into(), span)
}

/// A ratio in a sentence or a cell.
fn with_interval(ratio: &Ratio) -> String {
    match ratio.interval {
        _ if ratio.median.is_nan() => "–".into(),
        Some(ends) => format!("{:.2} ({})", ratio.median, span(ends)),
        None => format!("{:.2}", ratio.median),
    }
}

/// The whole comparison for people. docs/reference/bench.md has the same.
pub fn report(made: &Value) -> String {
    let pairs = rows(&made["rows"]).iter().flat_map(|row| HOSTS.map(|host| seconds(row, host, "new").len())).max().unwrap_or(0);
    let mut page = format!(
        "Old: {}. New: {}. Alternating pairs: {pairs}{}. “New/old” is speed: 2.00 is twice as fast. It is the median over the pairs; its 95 % interval\n\
         (sign test) needs six pairs.\n",
        text(made, "old"),
        text(made, "new"),
        if made["quick"] == true { ", a tenth of the cycles" } else { "" }
    );
    let hosts = HOSTS.iter().filter(|host| rows(&made["rows"]).iter().any(|row| row["seconds"][*host].is_object()));
    for host in hosts.clone() {
        let title = match *host {
            "native" => "Natively",
            "node" => "In Node",
            _ => "In a worker of a Chromium page",
        };
        let _ = write!(page, "\n{title}:\n\n{}", speeds_table(&made["rows"], host));
    }
    let modules: Vec<&str> = hosts.copied().filter(|host| *host != "native").collect();
    let _ = match modules.as_slice() {
        [] => Ok(()),
        modules => write!(page, "\nThe module's speed over native speed, of the same pair:\n\n{}", module_table(&made["rows"], modules)),
    };
    let _ = write!(page, "\n{}", sentences(made));
    if !rows(&made["counts"]).is_empty() {
        let _ = write!(page, "\nCounted by cachegrind:\n\n{}", counts_table(&made["counts"]));
        for engine in ENGINES {
            let _ = write!(page, "\n{}, {engine}:\n\n{}", functions::CAPTION, functions_table(&made["functions"], engine));
        }
    }
    page
}

/// One host's rows.
fn speeds_table(measured: &Value, host: &str) -> String {
    let mut headings = vec!["experiment", "new/old", "95 % interval", "quartiles", "old cycles/s", "new cycles/s"];
    headings.extend(["old ns/warp instr.", "new ns/warp instr."]);
    if host == "native" {
        headings.extend(["old KB held", "new KB held"]);
    }
    let line = |row: &Value| {
        let [old, new] = ENGINES.map(|engine| seconds(row, host, engine));
        let ratio = ratio(&old, &new);
        let quartiles = if ratio.median.is_nan() { "–".into() } else { span(ratio.quartiles) };
        let mut cells = vec![text(row, "name").to_owned(), figure(ratio.median), interval(&ratio), quartiles];
        let medians = [median(&old), median(&new)];
        cells.extend(medians.map(|seconds| figure(number(&row["cycles"]) / seconds)));
        let each = ENGINES.iter().zip(medians).map(|(engine, seconds)| seconds / number(&row["warp_instructions"][engine]) * 1e9);
        cells.extend(each.map(figure));
        if host == "native" {
            cells.extend(ENGINES.map(|engine| figure(number(&row["bytes"][engine]) / 1e3)));
        }
        cells
    };
    table(&headings, &rows(measured).iter().map(line).collect::<Vec<_>>())
}

/// The module's speed over native speed.
fn module_table(measured: &Value, modules: &[&str]) -> String {
    let columns: Vec<(&str, &str)> = modules.iter().flat_map(|host| ENGINES.map(|engine| (*host, engine))).collect();
    let headings: Vec<String> = columns.iter().map(|(host, engine)| format!("{host}, {engine}")).collect();
    let headings: Vec<&str> = std::iter::once("experiment").chain(headings.iter().map(String::as_str)).collect();
    let line = |row: &Value| {
        let of = |(host, engine): &(&str, &str)| with_interval(&ratio(&seconds(row, "native", engine), &seconds(row, host, engine)));
        std::iter::once(text(row, "name").to_owned()).chain(columns.iter().map(of)).collect()
    };
    table(&headings, &rows(measured).iter().map(line).collect::<Vec<_>>())
}

/// What is no column: digests, the cost of many SMs against few, memory, and what the old engine refused.
fn sentences(made: &Value) -> String {
    let measured = rows(&made["rows"]);
    let mut said = String::new();
    let (other, refused) = (differing(made), measured.iter().filter(|row| !row["refused"]["old"].is_null()));
    let compared = measured.len() - refused.clone().count();
    let declared = if made["same_behaviour"] == true { "the same behaviour" } else { "different behaviour" };
    let _ = match other.as_slice() {
        [] => writeln!(said, "The engines declare {declared}; all {compared} digests are equal."),
        names if names.len() == compared && compared > 1 => {
            writeln!(
                said,
                "The engines declare {declared}; all {compared} digests differ. There the work differs too: compare ns/warp instr."
            )
        }
        names => writeln!(
            said,
            "The engines declare {declared}; {} of {compared} digests differ: {}. There the work differs too: compare ns/warp instr.",
            names.len(),
            names.join("; ")
        ),
    };
    for row in refused {
        // Its beginning says what: a list of all that an engine takes is long.
        let why: Vec<&str> = text(&row["refused"], "old").split_whitespace().collect();
        let (begins, more) = (&why[..why.len().min(12)], if why.len() > 12 { " …" } else { "" });
        let _ = writeln!(said, "The old engine does not take {}: {}{more}.", text(row, "name"), begins.join(" "));
    }
    for row in measured {
        let Some(base) = measured.iter().find(|base| base["name"] == row["per_sm_of"]) else { continue };
        for engine in ENGINES {
            let cost = |per: &str| {
                let of = |row: &Value, by: f64| seconds(row, "native", engine).iter().map(|s| s / by).collect::<Vec<_>>();
                let work = |row: &Value| {
                    if per == "SM" { number(&row["cycles"]) * number(&row["sms"]) } else { number(&row["warp_instructions"][engine]) }
                };
                with_interval(&ratio(&of(row, work(row)), &of(base, work(base))))
            };
            if cost("SM") != "–" {
                let _ = writeln!(
                    said,
                    "{}, against {}, {engine}: {} of the cost of a busy SM's cycle, {} of that of a warp instruction.",
                    text(row, "name"),
                    text(base, "name"),
                    cost("SM"),
                    cost("warp instruction")
                );
            }
        }
    }
    for engine in ENGINES {
        let small = measured.iter().filter(|row| row["sms"] == 16 && row["bytes"][engine].is_number());
        let most = small.max_by(|a, b| number(&a["bytes"][engine]).total_cmp(&number(&b["bytes"][engine])));
        if let Some(row) = most {
            let held = figure(number(&row["bytes"][engine]) / 1e3);
            let _ = writeln!(said, "Most that a simulation of 16 SMs held, {engine}: {held} KB ({}).", text(row, "name"));
        }
    }
    said
}

/// The last full comparison, if there is one.
pub fn kept() -> Result<Option<Value>> {
    let file = record("against.json");
    if !file.exists() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&file)?;
    serde_json::from_str(&text).map(Some).with_context(|| format!("{} is not JSON", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A comparison of two pairs natively and in Node, in which the new engine is twice as fast.
    fn made() -> Value {
        let line = |seconds: f64| Ok(json!({ "digest": "d", "warp_instructions": 1000, "seconds": seconds, "bytes": 2_000_000 }));
        let mut small = row(&json!({ "name": "small", "cycles": 1000, "sms": 16 }));
        let mut large = row(&json!({ "name": "large", "cycles": 100, "sms": 160, "per_sm_of": "small" }));
        for (row, times) in [(&mut small, 1.0), (&mut large, 1.5)] {
            for _ in 0..2 {
                for (host, slower) in [("native", 1.0), ("node", 1.25)] {
                    take(row, "old", host, line(2.0 * times * slower)).unwrap();
                    take(row, "new", host, line(times * slower)).unwrap();
                }
            }
        }
        json!({ "old": "abc", "new": "def", "quick": false, "same_behaviour": true, "rows": [small, large] })
    }

    #[test]
    fn a_report_has_ratios_digests_and_costs() {
        let text = report(&made());
        let has = |part: &str| assert!(text.contains(part), "no {part:?} in\n{text}");
        has("Alternating pairs: 2.");
        has("| small      |    2.00 |             – | 2.00 to 2.00 |");
        has("| small      |      0.80 |      0.80 |");
        has("declare the same behaviour; all 2 digests are equal");
        has("large, against small, new: 1.50 of the cost of a busy SM's cycle, 1.50 of that of a warp instruction.");
        has("held, old: 2,000 KB (small)");
        assert!(!text.contains("Chromium") && !text.contains("NaN"), "{text}");
    }

    #[test]
    fn other_digests_and_refusals_are_told() {
        let mut made = made();
        made["rows"][0]["digest"]["new"] = "e".into();
        made["same_behaviour"] = false.into();
        let mut large = row(&json!({ "name": "large", "cycles": 100, "sms": 160, "per_sm_of": "small" }));
        take(&mut large, "old", "native", Err("gpu.sm.count: found 160, want less".into())).unwrap();
        take(&mut large, "new", "native", Ok(json!({ "digest": "x", "warp_instructions": 1, "seconds": 1.0 }))).unwrap();
        made["rows"][1] = large;
        let text = report(&made);
        assert_eq!(differing(&made), ["small"]);
        assert!(text.contains("declare different behaviour; 1 of 1 digests differ: small."), "{text}");
        assert!(text.contains("The old engine does not take large: gpu.sm.count: found 160, want less.\n"), "{text}");
        assert!(text.contains("large, against small, new") && !text.contains("large, against small, old"), "{text}");
    }

    #[test]
    fn an_engine_must_agree_with_itself_and_the_new_one_may_not_refuse() {
        let mut row = row(&json!({ "name": "a", "cycles": 10, "sms": 16 }));
        let line = |digest: &str| Ok(json!({ "digest": digest, "warp_instructions": 1, "seconds": 1.0 }));
        take(&mut row, "old", "native", line("x")).unwrap();
        take(&mut row, "new", "native", line("y")).unwrap();
        let error = take(&mut row, "new", "node", line("x")).unwrap_err().to_string();
        assert!(error.contains("digest of the new engine") && error.contains("in node"), "{error}");
        assert!(take(&mut row, "new", "node", Err("no".into())).is_err());
    }
}
