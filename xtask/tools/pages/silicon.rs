//! What two GPUs measured of kernels beside each other, and what the machine says of the same.
//!
//! `cargo run --release -p corun-tools --bin pages silicon` prints docs/reference/silicon.md, from `silicon/*.csv` and `corun silicon`, in two minutes.

use sim_core::describe::value::Value;
use std::path::Path;
use std::process::Command;

/// The part of the GPU that is simulated, and its cycles.
const PART: &str = "1/4";
const CYCLES: &str = "200k";

/// Slowdowns above this are those of caches that thrash: of them the place and the sign count, not the size.
const THRASHING: f64 = 4.0;

/// A pair: measured, on the other GPU, simulated.
struct Cell {
    kernel: String,
    beside: String,
    measured: f64,
    /// Measured with this kernel there before the other.
    first: Option<f64>,
    other: f64,
    simulated: Option<f64>,
}

/// Prints the page.
pub fn page(_: &[String]) -> Result<(), String> {
    let h100 = corun("h100.csv", &["--gpu", "h100-sxm5", "--scale", PART, "--cycles", CYCLES])?;
    let h200 = corun("h200.csv", &[])?;
    let cells = cells(&h100).zip(cells(&h200)).map(|(pair, other)| {
        let text = |key| pair.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
        let number = |of: &Value, key| of.get(key).and_then(Value::as_f64);
        Some(Cell {
            kernel: text("kernel"),
            beside: text("beside"),
            measured: number(pair, "measured")?,
            first: number(pair, "measured_first"),
            other: number(other, "measured")?,
            simulated: number(pair, "simulated"),
        })
    });
    let cells: Vec<Cell> = cells.collect::<Option<_>>().ok_or("a pair without a number")?;
    println!(
        "<!-- Printed by `cargo run --release -p corun-tools --bin pages silicon`: change the machine, or xtask/tools/pages/silicon.rs. -->"
    );
    println!("# Held against an H100\n");
    println!(
        "`silicon/interfere.cu` ran eight kernels alone and beside each other on an {} ({}) and on an {}. Each kernel fills one resource. `corun silicon \
         silicon/h100.csv --gpu h100-sxm5 --scale {PART}` simulates the same: a quarter of the GPU, {CYCLES} cycles after as many that are not measured, warps greedy \
         then oldest.\n",
        text(&h100, "gpu"),
        text(&h100, "date"),
        text(&h200, "gpu"),
    );
    println!(
        "The GPU and the kernels have values that were published, or measured of kernels **alone**: no pair has decided one. But all pairs had been seen by then, so \
         this is no blind test.\n"
    );
    errors(&cells);
    println!(
        "\n## Every pair\n\nSlowdown of a row beside a column: measured on the H100 / simulated. **Bold**: off by more than a quarter.\n"
    );
    matrix(&cells, |cell| match cell.simulated {
        None => format!("{:.2} / –", cell.measured),
        Some(ours) if (ours / cell.measured - 1.0).abs() > 0.25 => format!("**{:.2} / {ours:.2}**", cell.measured),
        Some(ours) => format!("{:.2} / {ours:.2}", cell.measured),
    });
    println!(
        "\nThe machine has no FP64 pipe, so `fp64` is not simulated.\n\n## Alone\n\n| kernel | ms measured | simulated time over it |\n| --- | --: | --: |"
    );
    let Some(Value::Array(alone)) = h100.get("alone") else { return Err("no kernels alone".into()) };
    for row in alone {
        let ratio = row.get("simulated_over_measured").and_then(Value::as_f64);
        let ms = row.get("ms").and_then(Value::as_f64).unwrap_or(f64::NAN);
        println!("| {} | {ms:.2} | {} |", text(row, "kernel"), ratio.map_or("–".into(), |ratio| format!("{ratio:.2}")));
    }
    println!(
        "\n{KNOWN}\n\n## One GPU beside the other\n\nThe same on the {}: the same SMs with more L2 and faster DRAM.\n",
        text(&h200, "gpu")
    );
    matrix(&cells, |cell| format!("{:.2}", cell.other));
    println!("\n{}", found(&cells));
    Ok(())
}

/// What is known of the errors.
const KNOWN: &str = "\
What is known to be wrong:

- `l2` alone: the H100 takes 18 to 20 ms in some launches and 13 in others, by where its pages lie. Its loads hit L1D in 80.5 % (counters), here in 61.
- `sleep` beside `fma`: the machine's longest instruction takes 63 cycles, so that a warp that sleeps issues 35 instructions where hardware issues three, and each of them waits for a slot.
- `l2` beside others is slowed too much, as it is too fast alone.
- `l1` and `dram` beside `l2-wide`: not explained. Here `l2-wide` leaves the lines of `l1` in L1D, on the H100 it does not. Stores cost L2 of an H100 more than their bytes (counters: 6.3 TB/s where 3.9 are asked for).
- The two halves of L2 are one cache here. A single SM finds 25 MB of an H100's L2 (study `latency`), all together some 40 (study `size`).";

/// What the measurement says by itself.
fn found(cells: &[Cell]) -> String {
    let cell = |kernel: &str, beside: &str| cells.iter().find(|cell| (cell.kernel.as_str(), cell.beside.as_str()) == (kernel, beside));
    let measured = |kernel, beside| cell(kernel, beside).map_or("–".into(), |cell| format!("{:.1}", cell.measured));
    let first = |kernel, beside| cell(kernel, beside).and_then(|cell| cell.first).map_or("–".into(), |first| format!("{first:.1}"));
    let older = cells.iter().filter_map(|cell| Some(cell.first? / cell.measured));
    let (better, worse) =
        older.fold((0, 0), |(better, worse), ratio| (better + usize::from(ratio < 0.95), worse + usize::from(ratio > 1.05)));
    format!(
        "What these say of sharing, before any simulation:

- **A kernel that can always issue starves the others of its schedulers.** Beside `fma`, `fp64` takes {} times as long and `l1` {}, whoever came first ({}, {}). \
         Round robin would give twice.
- **The older kernel wins.** In the study `first` a kernel is there before the other, in the table above after it. {better} pairs of {} are better off by more than 5 % if they \
         come first, {worse} worse. `fp64` beside `fp64`: {} times as long as the second, {} as the first; `l2` beside `fma`: {} and {}. So greedy, then **oldest** is what an H100 shows of \
         kernels beside each other, where greedy, then youngest has been measured of warps of one.
- **Stores fill L1D.** Copies of regions fit it up to half of its bytes, alone and together (study `region`). That is `sm.l1.protocol` `allocating`.
- **Streams through L1D cost their neighbours most.** `l1` beside `dram-wide`: {} times as long, though of no unit do they use more than there is (`silicon/h100-counters.csv`).",
        measured("fp64", "fma"),
        measured("l1", "fma"),
        first("fp64", "fma"),
        first("l1", "fma"),
        cells.len(),
        measured("fp64", "fp64"),
        first("fp64", "fp64"),
        measured("l2", "fma"),
        first("l2", "fma"),
        measured("l1", "dram-wide"),
    )
}

fn corun(file: &str, arguments: &[&str]) -> Result<Value, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    command.current_dir(&root).args(["run", "--release", "--quiet", "-p", "corun", "--", "silicon", "--json"]);
    let output = command.arg(format!("silicon/{file}")).args(arguments).stderr(std::process::Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cargo: {error}"))?;
    let text = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
    Value::from_json(&text).map_err(|problems| format!("{file}: {problems}"))
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

fn cells(answer: &Value) -> impl Iterator<Item = &Value> {
    answer.get("pairs").map_or(&[][..], Value::items).iter()
}

/// The error of the slowdowns, and who of two suffers more.
fn errors(cells: &[Cell]) {
    let off = |cell: &Cell| cell.simulated.map(|ours| (ours / cell.measured - 1.0).abs());
    println!("| cells | how many | mean error | nine in ten within | worst |\n| --- | --: | --: | --: | --- |");
    for (name, of) in [
        ("all", &(|_: &Cell| true) as &dyn Fn(&Cell) -> bool),
        ("slowdown below 4", &|cell: &Cell| cell.measured < THRASHING),
        ("above: caches thrash, or slots run out", &|cell: &Cell| cell.measured >= THRASHING),
    ] {
        let mut found: Vec<(f64, &Cell)> = cells.iter().filter(|cell| of(cell)).filter_map(|cell| Some((off(cell)?, cell))).collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let Some((worst, cell)) = found.last() else { continue };
        let mean = found.iter().map(|(off, _)| off).sum::<f64>() / found.len() as f64;
        let nine = found[(found.len() * 9).div_ceil(10) - 1].0;
        println!(
            "| {name} | {} | {:.0} % | {:.0} % | {:.0} %, {} beside {} |",
            found.len(),
            100.0 * mean,
            100.0 * nine,
            100.0 * worst,
            cell.kernel,
            cell.beside
        );
    }
    let turned = |cell: &Cell| cells.iter().find(|other| (&other.kernel, &other.beside) == (&cell.beside, &cell.kernel));
    let asked = cells.iter().filter(|cell| cell.kernel < cell.beside).filter_map(|cell| {
        let other = turned(cell)?;
        let clear = cell.measured.max(other.measured) > 1.1 * cell.measured.min(other.measured);
        let right = (cell.measured > other.measured) == (cell.simulated? > other.simulated?);
        clear.then_some(right)
    });
    let (right, all) = asked.fold((0, 0), |(right, all), is| (right + usize::from(is), all + 1));
    let hurt = cells.iter().filter_map(|cell| Some((cell.measured > 1.25) == (cell.simulated? > 1.25)));
    let (hurts, cells) = hurt.fold((0, 0), |(right, all), is| (right + usize::from(is), all + 1));
    println!(
        "\nWho of two suffers more, where that is by a tenth: {right} of {all} right. Whether a kernel suffers by more than a quarter at all: {hurts} of {cells}."
    );
}

fn matrix(cells: &[Cell], shown: impl Fn(&Cell) -> String) {
    let mut names: Vec<&str> = Vec::new();
    for cell in cells {
        if !names.contains(&cell.kernel.as_str()) {
            names.push(&cell.kernel);
        }
    }
    println!("| | {} |\n| --- |{}", names.join(" | "), " --: |".repeat(names.len()));
    for row in &names {
        let row_cells = names.iter().map(|beside| {
            cells.iter().find(|cell| (cell.kernel.as_str(), cell.beside.as_str()) == (*row, *beside)).map_or(String::new(), &shown)
        });
        println!("| {row} | {} |", row_cells.collect::<Vec<_>>().join(" | "));
    }
}
