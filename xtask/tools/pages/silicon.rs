//! What two GPUs measured of kernels beside each other, and what the machine says of the same.
//!
//! `cargo run --release -p corun-tools --bin pages silicon` prints docs/reference/silicon.md, from `silicon/*.csv` and `corun silicon`, in two minutes. It
//! keeps what the runner said of the H100 beside it, for the page and for docs/trust.md, and draws both matrices.

use sim_core::describe::value::Value;
use sim_core::study::errors::Errors;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The part of the GPU that is simulated, and its cycles.
const PART: &str = "1/4";
const CYCLES: &str = "200k";

/// A pair: measured, on the other GPU, simulated.
pub(super) struct Cell {
    pub kernel: String,
    pub beside: String,
    pub measured: f64,
    /// Measured with this kernel there before the other.
    first: Option<f64>,
    other: f64,
    pub simulated: Option<f64>,
    other_simulated: Option<f64>,
}

/// An H200 changes a pair where its slowdown is another than an H100's by at least this part.
const CHANGED: f64 = 0.1;

/// Prints the page.
pub fn page(_: &[String]) -> Result<(), String> {
    let h100 = corun("h100.csv", &["--gpu", "h100-sxm5", "--scale", PART, "--cycles", CYCLES])?;
    let h200 = corun("h200.csv", &["--gpu", "h200-sxm", "--scale", PART, "--cycles", CYCLES])?;
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
            other_simulated: number(other, "simulated"),
        })
    });
    let cells: Vec<Cell> = cells.collect::<Option<_>>().ok_or("a pair without a number")?;
    let keep = |name: &str, text: String| {
        let path = root().join("docs/reference").join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    let changes = changes(&cells);
    let both = Value::object([
        ("h100", h100.clone()),
        ("h200", Value::object([("met", h200.get("met").cloned().unwrap_or_default()), ("changes", Value::array(changes))])),
        ("rules", Value::Array(rules(&cells)?)),
    ]);
    keep("silicon.json", format!("{both}\n"))?;
    keep("silicon.svg", super::heat::drawn(&cells))?;
    println!(
        "<!-- Printed by `cargo run --release -p corun-tools --bin pages silicon`: change the machine, or xtask/tools/pages/silicon.rs. -->"
    );
    println!("# Held against an H100\n");
    println!(
        "`silicon/interfere.cu` ran eight kernels alone and beside each other on an {} ({}) and on an {}. Each kernel fills one resource. `corun silicon \
         silicon/h100.csv --gpu h100-sxm5 --scale {PART}` simulates the same: a quarter of the GPU, {CYCLES} cycles from where its L2 has filled, \
         and else what holds by default.\n",
        text(&h100, "gpu"),
        text(&h100, "date"),
        text(&h200, "gpu"),
    );
    println!(
        "The GPU and the kernels have values that were published, or measured of kernels **alone**. Pairs have decided three things. Sleep is an instruction \
         (`sleep` beside `fma` was 4.4 times as long, measured 1.0). Between kernels the older warp goes first (study `first`). An FP64 unit takes the oldest warp that waits for it (`fp64` beside `fp64` was 1.95). All pairs had been seen by then, \
         so this is no blind test.\n"
    );
    errors(h100.get("met").ok_or("no errors")?);
    println!(
        "\n## Every pair\n\nSlowdown of a row beside a column: measured on the H100 / simulated. **Bold**: off by more than a quarter.\n"
    );
    matrix(&cells, |cell| both_of(cell.measured, cell.simulated));
    println!("\n## Alone\n\n| kernel | ms measured | simulated time over it |\n| --- | --: | --: |");
    let Some(Value::Array(alone)) = h100.get("alone") else { return Err("no kernels alone".into()) };
    for row in alone {
        let ratio = row.get("simulated_over_measured").and_then(Value::as_f64);
        let ms = row.get("ms").and_then(Value::as_f64).unwrap_or(f64::NAN);
        println!("| {} | {ms:.2} | {} |", text(row, "kernel"), ratio.map_or("–".into(), |ratio| format!("{ratio:.2}")));
    }
    println!(
        "\n{KNOWN}\n\n## One GPU beside the other\n\nThe same on the {}, which has the same SMs with more L2 and faster DRAM. Measured / simulated:\n",
        text(&h200, "gpu")
    );
    matrix(&cells, |cell| both_of(cell.other, cell.other_simulated));
    println!("\n{BLIND}\n");
    errors(h200.get("met").ok_or("no errors")?);
    println!(
        "\nWhat the other GPU changes: {} pairs have a slowdown that is at least {:.0} % off that on the H100. In {} of them the simulated one goes the same way.",
        changes[1],
        100.0 * CHANGED,
        changes[0]
    );
    println!("\n{}", found(&cells));
    Ok(())
}

fn both_of(measured: f64, simulated: Option<f64>) -> String {
    match simulated {
        None => format!("{measured:.2} / –"),
        Some(ours) if (ours / measured - 1.0).abs() > 0.25 => format!("**{measured:.2} / {ours:.2}**"),
        Some(ours) => format!("{measured:.2} / {ours:.2}"),
    }
}

/// Of how many pairs that the other GPU changes the machine says which way; and how many these are.
fn changes(cells: &[Cell]) -> [u64; 2] {
    cells.iter().fold([0, 0], |[right, all], cell| match (cell.simulated, cell.other_simulated) {
        (Some(ours), Some(other)) if (cell.other / cell.measured - 1.0).abs() >= CHANGED => {
            [right + u64::from((cell.other > cell.measured) == (other > ours)), all + 1]
        }
        _ => [right, all],
    })
}

/// What counters of the H100 say that each kernel takes of a resource alone, percent of its peak.
const UTILISATIONS: [&str; 6] = [
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active",
];

/// What rules that need no simulator are off by on the same pairs. Each is of the H100 and of the H200, but for the last.
fn rules(cells: &[Cell]) -> Result<Vec<Value>, String> {
    let path = root().join("silicon/h100-counters.csv");
    let file = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let rows: Vec<Vec<&str>> = file.lines().map(|line| line.split(',').collect()).collect();
    let of = |kernel: &str| -> Option<Vec<f64>> {
        let column = rows.first()?.iter().position(|name| *name == kernel)?;
        UTILISATIONS.iter().map(|name| rows.iter().find(|row| row[0] == *name)?.get(column)?.parse().ok()).collect()
    };
    // As much as the busiest resource is asked for more than all of it.
    let added = |cell: &Cell| {
        let both = of(&cell.kernel)?.into_iter().zip(of(&cell.beside)?);
        Some(both.map(|(one, other)| (one + other) / 100.0).fold(1.0, f64::max))
    };
    let rule = |name: &str, says: &dyn Fn(&Cell) -> Option<f64>, real: fn(&Cell) -> f64| {
        let pairs: Vec<(f64, f64, ())> = cells.iter().map(|cell| Some((says(cell)?, real(cell), ()))).collect::<Option<_>>()?;
        let right = pairs.iter().filter(|(said, real, ())| (*said > SUFFERS) == (*real > SUFFERS)).count() as u64;
        let Errors { count, mean, factor, worst_factor, .. } = Errors::of(pairs)?;
        let suffers = Value::array([right, count as u64]);
        Some(Value::object([
            ("rule", Value::from(name)),
            ("mean", mean.into()),
            ("factor", factor.into()),
            ("worst_factor", worst_factor.into()),
            ("suffers", suffers),
        ]))
    };
    let measured: fn(&Cell) -> f64 = |cell| cell.measured;
    let other: fn(&Cell) -> f64 = |cell| cell.other;
    let rules = [
        rule("H100: simulated", &|cell| cell.simulated, measured),
        rule("H100: nobody suffers", &|_| Some(1.0), measured),
        rule("H100: adding up utilisations", &added, measured),
        rule("H200: simulated", &|cell| cell.other_simulated, other),
        rule("H200: nobody suffers", &|_| Some(1.0), other),
        rule("H200: adding up utilisations, as counted on the H100", &added, other),
        rule("H200: what the H100 measured", &|cell| Some(cell.measured), other),
    ];
    rules.into_iter().collect::<Option<_>>().ok_or_else(|| format!("{}: not a counter of each kernel", path.display()))
}

/// A kernel suffers whose slowdown is above this.
const SUFFERS: f64 = 1.25;

/// What the second comparison is worth.
const BLIND: &str = "\
This one was blind. The preset `h200-sxm` is `h100-sxm5` with what the data sheet and the driver say of an H200: channels, memory clock, L2. It was frozen in a commit before any of its pairs was simulated. What an H200 measures of pairs stood on this page before; nothing was taken from it. The first run was off by 24 % in the mean, as the H100's was then. Since, eight things were changed for both, two of them for pairs: sleep is an instruction of the machine, and a scheduler's FP64 unit takes the oldest of the warps that wait for it. Two others were decided by kernels alone on an H100, two by scale models, one by CUDA's guide. Streams that lie a power of two apart decided one: DRAM's banks are hashed by all bits of a row. The kernels ask for 15 % of the shared memory, 34 KB, which CUDA rounds up to 64. L1D's sets are by modulo, which has `l2` and the largest region that fits nearer to their times than a hash has, and the other regions as near. Rows of arrays shrink with the grid on the quarter that is simulated, so that as many accesses hit DRAM's open rows as on the whole. A hash spreads lines over L2's banks, without which kernels that read rows a power of two apart were faster on a quarter than on the whole.";

/// What is known of the errors.
const KNOWN: &str = "\
What is known to be wrong:

- How L1D overflows. The kernels leave it 192 KB. Copies of a region that takes 1.17 times as much have half of their speed on the H100, alone, and a sixth here. Two regions that do so together have a quarter there and here
  (study `region`). So what an H100 replaces is not always what was used least recently. With the driver's own division, which leaves `l2` all but a line in a thousand, the H100 finds four of five accesses there
  (`silicon/h100-counters.csv`), the machine 94 %.
- `l1` and `dram` beside `l2-wide` are slowed too little: a part was L1D, of which shared memory had too little (`l1` was 1.65), the rest is not explained. Stores cost L2 of an H100 more than their bytes (`silicon/h100-counters.csv`).
- `dram` alone is nearly a quarter too fast, and beside `fma` it is slowed too much: not explained.
- `l2` beside copies, and copies beside each other, are slowed too little: not explained.
- `fma` beside `fma`: nearly three times as long on the H100, where two that share all slots would take twice as long. Together they do three quarters of what one does alone. Reads of operands, which a scheduler that changes warps may
  have to repeat, are not modelled. Not explained.
- `fp64` beside `fp64`: on the H100 the first loses nothing, and the second takes 21 times as long. Here it takes longer still: what it has are the cycles in which the first is at the end of its loop.
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
         Under round robin it would be twice at most.
- **The older kernel wins.** In the study `first` a kernel is there before the other, in the table above after it. {better} pairs of {} are better off by more than 5 % if they \
         come first, {worse} worse. `fp64` beside `fp64`: {} times as long as the second, {} as the first; `l2` beside `fma`: {} and {}. That is greedy, then **oldest**, \
         between kernels. Among the warps of one kernel greedy, then youngest has been measured (\"Dissecting and Modeling the Architecture of Modern GPU Cores\", MICRO 2025).
- **Stores fill L1D.** Copies of regions fit it as long as what they read and what they write does together, alone and beside each other (study `region`). That is `sm.l1.protocol` `allocating`.
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

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn corun(file: &str, arguments: &[&str]) -> Result<Value, String> {
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    command.current_dir(root()).args(["run", "--release", "--quiet", "-p", "corun", "--", "silicon", "--json"]);
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
fn errors(met: &Value) {
    println!(
        "| pairs | how many | mean error | as a factor | mean error, if nobody suffered | as a factor | nine in ten within | worst | worst factor |\n\
         | --- | --: | --: | --: | --: | --: | --: | --- | --: |"
    );
    for of in met.get("errors").map_or(&[][..], Value::items) {
        let number = |key| of.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN);
        let percent = |key| format!("{:.0} %", 100.0 * number(key));
        let (name, pair) = (text(of, "of"), text(of, "worst_pair"));
        let factor = |key| format!("{:.2}", number(key));
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {}, {pair} | {:.1} |",
            number("cells"),
            percent("mean"),
            factor("factor"),
            percent("nobody_suffers"),
            factor("nobody_suffers_factor"),
            percent("nine_in_ten"),
            percent("worst"),
            number("worst_factor")
        );
    }
    let right = |key| met.get(key).map_or(&[][..], Value::items).iter().map(Value::to_string).collect::<Vec<_>>().join(" of ");
    println!(
        "\nWho of two suffers more, where that is by a tenth: {} right. Whether a kernel suffers by more than a quarter at all: {}.",
        right("who_suffers_more"),
        right("suffers")
    );
}

/// The kernels of all cells, in their order.
pub(super) fn names<'c>(cells: impl Iterator<Item = &'c Cell>) -> Vec<&'c str> {
    let mut names: Vec<&str> = Vec::new();
    for cell in cells {
        if !names.contains(&cell.kernel.as_str()) {
            names.push(&cell.kernel);
        }
    }
    names
}

fn matrix(cells: &[Cell], shown: impl Fn(&Cell) -> String) {
    let names = names(cells.iter());
    println!("| | {} |\n| --- |{}", names.join(" | "), " --: |".repeat(names.len()));
    for row in &names {
        let row_cells = names.iter().map(|beside| {
            cells.iter().find(|cell| (cell.kernel.as_str(), cell.beside.as_str()) == (*row, *beside)).map_or(String::new(), &shown)
        });
        println!("| {row} | {} |", row_cells.collect::<Vec<_>>().join(" | "));
    }
}
