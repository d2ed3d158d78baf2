//! `cargo xtask test`: everything that must hold before a change goes in, in two tiers of stages.
//!
//! The first tier is what any change can break; `--full` asks all. Stages run side by side (`stage.rs`), each crate is compiled once for a
//! platform (`compiled.rs`), and the end is a table of what each stage took.

mod compiled;
mod stage;
mod stages;

#[cfg(feature = "mutants")]
pub use compiled::{Built, programs};
pub use stage::{Count, Log};
#[cfg(feature = "mutants")]
pub use stages::SEED;

use crate::run::target_dir;
use anyhow::{Result, bail, ensure};
use stage::Row;
use stages::{Run, STAGES};
use std::time::{Duration, Instant};

/// Runs the named stages, or all of the tier.
pub fn test(names: &[String], full: bool) -> Result<()> {
    let began = Instant::now();
    let stages = match stage::chosen(STAGES, names, full) {
        Ok(stages) => stages,
        Err(unknown) => {
            let known: Vec<&str> = STAGES.iter().map(|stage| stage.name).collect();
            bail!("there is no stage `{unknown}`: choose from {}", known.join(" "));
        }
    };
    // A line about the tool itself: cargo has become this program, so that what it took stands in this process.
    let itself = itself();
    let (busy, worked) = (load(), worked());
    std::fs::create_dir_all(target_dir())?;
    let shared = Run::new(full, names.is_empty());
    let rows = stage::run(&stages, &shared);
    println!();
    print!("{}", table(&rows, itself, began.elapsed()));
    if let Some((before, after)) = worked.zip(self::worked()) {
        println!("All cores together have worked {:.0} s since the suite began: a browser's processes count here alone", after - before);
    }
    if let Some(load) = busy {
        println!("The machine was busy before this began (load {load:.1} on {} cores): these are upper bounds", cores());
    }
    let (calls, left) = shared.into_parts();
    let repeated = compiled::repeated(&calls);
    println!("{} calls of the compiler; compiled more than once: {}", calls.len(), or_nothing(&repeated, ", "));
    if !left.is_empty() {
        println!("Only `cargo xtask test --full` asks:\n{}", left.iter().map(|what| format!("  - {what}\n")).collect::<String>());
    }
    let total = rows.iter().fold(Count::default(), |total, row| Count {
        passed: total.passed + row.count.passed,
        // A stage that fails without naming a test is itself what failed.
        failed: total.failed + if row.outcome.is_err() { row.count.failed.max(1) } else { row.count.failed },
    });
    println!("{} passed, {} failed", total.passed, total.failed);
    ensure!(rows.iter().all(|row| row.outcome.is_ok()), "not everything holds");
    Ok(())
}

fn or_nothing(items: &[String], between: &str) -> String {
    if items.is_empty() { "nothing".into() } else { items.join(between) }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// How many programs wanted a core during the last minute, this one and its cargo left out, where that is more than a quarter of the cores.
fn load() -> Option<f64> {
    let load: f64 = std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()?;
    let (since, cpu) = itself()?;
    // What this command has kept busy of that minute.
    let load = load - cpu / since.max(60.0);
    (load > 0.25 * cores() as f64).then_some(load)
}

/// Seconds that all cores together have worked since the system started, where it says so.
fn worked() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    let ticks: Vec<f64> = stat.lines().next()?.split_whitespace().skip(1).map(|field| field.parse().unwrap_or(0.0)).collect();
    // user, nice and system; then idle, waiting, and what belongs to neither.
    Some(ticks.get(..3)?.iter().sum::<f64>() / 100.0)
}

/// Seconds since cargo was started and processor seconds since then, where the system says so.
fn itself() -> Option<(f64, f64)> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let uptime: f64 = std::fs::read_to_string("/proc/uptime").ok()?.split_whitespace().next()?.parse().ok()?;
    // Behind the name in brackets; the fields of proc(5) count from 1, state is the third. Linux has 100 ticks a second everywhere.
    let fields: Vec<f64> = stat.rsplit(')').next()?.split_whitespace().map(|field| field.parse().unwrap_or(0.0)).collect();
    let ticks = |field: usize| fields.get(field - 3).map(|ticks| ticks / 100.0);
    Some((uptime - ticks(22)?, ticks(14)? + ticks(15)? + ticks(16)? + ticks(17)?))
}

/// A row a stage, in the order in which they ended.
fn table(rows: &[Row], itself: Option<(f64, f64)>, wall: Duration) -> String {
    let mut text = format!("{:<40} {:>8} {:>8} {:>6}\n", "stage", "wall s", "CPU s", "tests");
    let (before, before_cpu) = itself.unwrap_or_default();
    let mut add = |title: &str, wall: f64, cpu: f64, tests: u64, end: &str| {
        let tests = if tests > 0 { tests.to_string() } else { String::new() };
        text += format!("{title:<40} {wall:>8.1} {cpu:>8.1} {tests:>6}  {end}").trim_end();
        text += "\n";
    };
    if itself.is_some() {
        add("cargo xtask itself", before, before_cpu, 0, "");
    }
    for row in rows {
        let end = if row.outcome.is_ok() { "ok" } else { "FAILED" };
        add(row.title, row.wall.as_secs_f64(), row.cpu.as_secs_f64(), row.count.passed + row.count.failed, end);
    }
    let cpu: f64 = rows.iter().map(|row| row.cpu.as_secs_f64()).sum();
    let tests = rows.iter().map(|row| row.count.passed + row.count.failed).sum();
    add("in all (stages run side by side)", wall.as_secs_f64() + before, cpu + before_cpu, tests, "");
    text
}

/// Malformed and odd experiments, for `seconds`.
pub fn fuzz(seconds: u64, seed: u64) -> Result<()> {
    let mut command = crate::run::cargo(&["run", "--quiet", "--package", "corun-tools", "--bin", "fuzz", "--"]);
    crate::run::run(command.args([seconds.to_string(), seed.to_string()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_adds_up() {
        let row = |title, passed, cpu| Row {
            title,
            wall: Duration::from_secs(2),
            cpu: Duration::from_secs(cpu),
            count: Count { passed, failed: 0 },
            outcome: Ok(()),
        };
        let text = table(&[row("a", 3, 4), row("b", 0, 5)], Some((10.0, 20.0)), Duration::from_secs(3));
        let last: Vec<&str> = text.lines().last().unwrap_or("").split_whitespace().rev().take(3).collect();
        assert_eq!(last, ["3", "29.0", "13.0"], "{text}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_a_beginning() {
        let (wall, cpu) = itself().expect("Linux says so");
        assert!((0.0..86_400.0).contains(&wall) && (0.0..86_400.0).contains(&cpu), "{wall} {cpu}");
        assert!(worked().expect("Linux says so") > 0.0);
    }
}
