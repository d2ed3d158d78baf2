//! What a simulated cycle costs the host, counted by cachegrind: the difference of a longer and a shorter run, so that what comes before and after
//! falls out. Counts repeat whatever else the machine does.

use super::engine::Engine;
use super::{figure, number, rows, table, text};
use crate::run::{fed, which};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// A host like most: L1 of 32 KB each, and 512 KB of what is near.
const CACHEGRIND: [&str; 7] = [
    "--tool=cachegrind",
    "--cache-sim=yes",
    "--branch-sim=yes",
    "--I1=32768,8,64",
    "--D1=32768,8,64",
    "--LL=524288,8,64",
    "--cachegrind-out-file=/dev/null",
];

/// Keys of a count, cachegrind's words for it, and headings.
const COUNTS: [(&str, &[&str], &str); 5] = [
    ("instructions", &["I refs:"], "instructions"),
    ("l1d_misses", &["D1 misses:"], "L1D misses"),
    ("l1i_misses", &["I1 misses:"], "L1I misses"),
    ("far_misses", &["LLd misses:", "LLi misses:"], "beyond 512 KB"),
    ("mispredictions", &["Mispredicts:"], "mispredicted"),
];

pub fn needs() -> Result<()> {
    ensure!(which("valgrind").is_some(), "--count needs valgrind: `sudo apt-get install valgrind`");
    Ok(())
}

/// Each engine's counts for a cycle of each run that says between which lengths (`count`); the engines are named as in tables.
pub fn count(runs: &[Value], engines: &[(&str, &Engine)]) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    for run in runs {
        let Some((short, long)) = between(run) else { continue };
        for (name, engine) in engines {
            eprintln!("counting {}, {name} …", text(run, "name"));
            let [less, more] = [counts(engine, run, short)?, counts(engine, run, long)?];
            let (Some(less), Some(more)) = (less, more) else { continue };
            let cycles = (long - short) as f64;
            let each = |key: &str| json!((number(&more[key]) - number(&less[key])) / cycles);
            let mut row =
                json!({ "name": run["name"], "engine": name, "cycles": [short, long], "warp_instructions": each("warp_instructions") });
            for (key, ..) in COUNTS {
                row[key] = each(key);
            }
            all.push(row);
        }
    }
    Ok(all)
}

/// The two lengths between which a run is counted, if it is.
pub fn between(run: &Value) -> Option<(u64, u64)> {
    let [short, long] = run["count"].as_array()?.as_slice() else { return None };
    short.as_u64().zip(long.as_u64()).filter(|(short, long)| short < long)
}

/// Of one run; nothing if the engine does not take it.
fn counts(engine: &Engine, run: &Value, cycles: u64) -> Result<Option<Value>> {
    let run = json!({ "name": run["name"], "cycles": cycles, "experiment": run["experiment"] });
    let Ok(line) = engine.measure(&run)? else { return Ok(None) };
    let (program, input) = engine.native(&run, true);
    let words: Vec<_> = ["valgrind"].iter().chain(&CACHEGRIND).map(Into::into).chain(program).collect();
    let out = fed(&words, &input)?;
    let said = String::from_utf8_lossy(&out.stderr);
    ensure!(out.status.success(), "valgrind failed:\n{}", said.trim());
    let mut found = read(&said)?;
    found["warp_instructions"] = line["warp_instructions"].clone();
    Ok(Some(found))
}

/// The counts in what cachegrind prints.
fn read(said: &str) -> Result<Value> {
    // `==PID== D1  misses:      12,345  (  10,000 rd + 2,345 wr)`, with any number of blanks.
    let lines: Vec<String> = said.lines().map(|line| line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")).collect();
    let value = |word: &str| {
        let rest = lines.iter().find_map(|line| line.strip_prefix(word)).with_context(|| format!("cachegrind does not say {word:?}"))?;
        let digits: String = rest.split_whitespace().next().unwrap_or("").replace(',', "");
        digits.parse::<u64>().with_context(|| format!("cachegrind says {rest:?} after {word:?}, want a number"))
    };
    let mut found = json!({});
    for (key, words, _) in COUNTS {
        found[key] = words.iter().map(|word| value(word)).sum::<Result<u64>>()?.into();
    }
    Ok(found)
}

/// For people.
pub fn counts_table(counts: &Value) -> String {
    let mut headings = vec!["a simulated cycle of", "engine"];
    headings.extend(COUNTS.map(|(.., heading)| heading));
    headings.extend(["warp instr.", "instructions/warp instr."]);
    let row = |count: &Value| {
        let mut cells = vec![text(count, "name").to_owned(), text(count, "engine").to_owned()];
        cells.extend(COUNTS.map(|(key, ..)| figure(number(&count[key]))));
        let warp_instructions = number(&count["warp_instructions"]);
        cells.extend([warp_instructions, number(&count["instructions"]) / warp_instructions].map(figure));
        cells
    };
    table(&headings, &rows(counts).iter().map(row).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "\
==12== Cachegrind, a high-precision tracing profiler
==12==
==12== I refs:        71,301,234
==12== I1  misses:           520
==12== LLi misses:            20
==12== I1  miss rate:       0.00%
==12==
==12== D refs:        30,000,000  (20,000,000 rd   + 10,000,000 wr)
==12== D1  misses:         1,070  (     1,000 rd   +         70 wr)
==12== LLd misses:             3  (         2 rd   +          1 wr)
==12== Mispredicts:          700  (       600 cond +        100 ind)
";

    #[test]
    fn cachegrinds_words_are_read() {
        let found = read(SAID).unwrap();
        let want = json!({ "instructions": 71_301_234, "l1d_misses": 1070, "l1i_misses": 520, "far_misses": 23, "mispredictions": 700 });
        assert_eq!(found, want);
        let error = read(&SAID.replace("Mispredicts", "Else")).unwrap_err().to_string();
        assert!(error.contains("Mispredicts"), "{error}");
    }

    #[test]
    fn counts_have_a_row_each() {
        let counts = json!([{ "name": "BP alone", "engine": "new", "instructions": 7131.2, "l1d_misses": 107.4, "l1i_misses": 52.0,
            "far_misses": 2.0, "mispredictions": 70.0, "warp_instructions": 36.7 }]);
        let cells: Vec<String> = counts_table(&counts).lines().last().unwrap().split('|').map(|cell| cell.trim().to_owned()).collect();
        assert_eq!(cells.join("|"), "|BP alone|new|7,131|107|52.0|2.00|70.0|36.7|194|");
    }
}
