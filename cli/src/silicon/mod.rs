//! `corun silicon`: what kernels took on a real GPU, alone and beside each other, and what the machine makes of the same.

mod measured;

use crate::number::whole;
use crate::{input, text};
use clap::Args;
use corun_batch::{Failure, output, problem, workers};
use measured::{Measured, Row};
use sim_core::describe::error::Problems;
use sim_core::describe::gpu::presets;
use sim_core::describe::kernel::library::probe;
use sim_core::describe::scale::{PARTS, Scale};
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::run::plan::SoloProfiles;
use std::collections::BTreeMap;
use std::io::Read;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

/// Largest file, bytes.
const MAX_BYTES: u64 = 4 << 20;

/// Slowdowns from this on are those of caches that thrash and of slots that run out: of them the place and the sign count more than the size.
const THRASHING: f64 = 4.0;

/// Arguments of `corun silicon`.
#[derive(Args, Debug)]
#[command(after_help = "\
FILE.csv is what silicon/interfere.cu writes on a GPU of yours. Without --gpu, prints how much slower each kernel is beside each. With it, simulates the same \
kernels alone and in pairs on that preset, prints both slowdowns and how far they lie apart. Kernels that it does not know are left out and named.

Exit status: 0 done; 2 bad usage or input; 130 stopped by Ctrl-C or SIGTERM.")]
pub struct Silicon {
    /// The file; `-` for standard input
    #[arg(value_name = "FILE.csv")]
    file: String,
    /// GPU preset to simulate the same on: `corun list gpus`
    #[arg(long, value_name = "NAME")]
    gpu: Option<String>,
    /// Simulate a part of the GPU
    #[arg(long, value_name = "PART", default_value = "1", value_parser = clap::builder::PossibleValuesParser::new(PARTS))]
    scale: String,
    /// Cycles of each run that are measured, after as many that are not: 20000, 20k, 1e6
    #[arg(long, value_name = "N", default_value = "200k", value_parser = whole)]
    cycles: u64,
    /// How many simulations run at once; as many as there are cores if left out
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<u16>>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is simulated: a kernel alone, or beside another; numbers of rows.
type Case = (usize, Option<usize>);

/// IPC of a kernel in each case.
type Simulated = BTreeMap<Case, f64>;

impl Silicon {
    pub fn execute(self) -> Result<(), Failure> {
        let mut content = String::new();
        let source: Box<dyn Read> = if self.file == "-" { Box::new(std::io::stdin()) } else { Box::new(input::open(&self.file)?) };
        let read = source.take(MAX_BYTES + 1).read_to_string(&mut content);
        read.map_err(|error| problem("(file)", format!("{}: {error}", self.file), "a CSV file"))?;
        if content.len() as u64 > MAX_BYTES {
            return Err(problem("(file)", "more than 4 MiB", "what silicon/interfere.cu writes, some hundred lines").into());
        }
        let measured = Measured::read(&content)?;
        let simulated = match &self.gpu {
            Some(gpu) => Some(self.simulate(&measured, gpu)?),
            None => None,
        };
        if self.json {
            let setting = self.gpu.as_ref().map(|gpu| self.setting(&measured, gpu)).transpose()?;
            return output::print_json(&to_value(&measured, simulated.as_ref(), setting)?);
        }
        output::print(&report(&measured, simulated.as_ref())?)
    }

    fn simulate(&self, measured: &Measured, gpu: &str) -> Result<Simulated, Failure> {
        let preset = presets::find(gpu).ok_or_else(|| problem("--gpu", format!("{gpu:?}"), "the name of a preset: `corun list gpus`"))?;
        let sms = measured.number("sms")?;
        if preset.sm_count() != sms {
            return Err(problem(
                "--gpu",
                format!("{gpu}, {} SMs", preset.sm_count()),
                &format!("a preset of the GPU of the file: {}, {sms} SMs", measured.fact("gpu")?),
            )
            .into());
        }
        let known: Vec<usize> = (0..measured.alone.len()).filter(|&k| kernel(&measured.alone[k]).is_some()).collect();
        let pairs = known.iter().flat_map(|&kernel| known.iter().map(move |&beside| (kernel, Some(beside))));
        let cases: Vec<Case> = known.iter().map(|&kernel| (kernel, None)).chain(pairs).collect();
        let experiments = cases.iter().map(|&case| self.experiment(measured, gpu, case)).collect::<Result<Vec<_>, _>>()?;
        let (next, done, found) = (AtomicU64::new(0), AtomicU64::new(0), Mutex::new(Ok(Simulated::new())));
        workers::stop_at_signals();
        workers::run(workers::jobs(self.jobs), cases.len() as u64 * workers::STEPS, &done, || {
            let n = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed) as usize;
            let experiment = experiments.get(n)?;
            let ended = workers::simulate(experiment, &SoloProfiles::default(), None, workers::STEPS, &done);
            // Of the whole, as the rates of a part are a part.
            let whole = 1.0 / Scale::of(&self.scale).of_rate(1.0);
            let ipc = ended.map(|simulation| Some(whole * simulation?.result().get("kernels")?.items().last()?.get("ipc")?.as_f64()?));
            let mut found = workers::locked(&found);
            match ipc {
                Ok(Some(ipc)) => found.as_mut().ok()?.insert(cases[n], ipc),
                Ok(None) => return None,
                Err(problems) => {
                    *found = Err(problems);
                    return None;
                }
            };
            Some(())
        });
        if workers::interrupted() {
            return Err(Failure::Interrupted("nothing is kept".into()));
        }
        Ok(found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)?)
    }

    /// The kernel of a case is the last of the experiment: the other one is on the GPU before it.
    fn experiment(&self, measured: &Measured, gpu: &str, (row, beside): Case) -> Result<Experiment, Problems> {
        let kernels = beside.into_iter().chain([row]).filter_map(|k| kernel(&measured.alone[k])).map(|kernel| kernel.encode());
        let mut fields = self.setting(measured, gpu)?;
        fields.push(("kernels", Value::array(kernels)));
        Experiment::decode(&Value::object(fields))
    }

    /// What the experiments of all cases share.
    fn setting(&self, measured: &Measured, gpu: &str) -> Result<Vec<(&'static str, Value)>, Problems> {
        let mut changed = vec![("preset", Value::from(gpu))];
        // L1D has what shared memory leaves.
        if let (Ok(shared), Some(preset)) = (measured.number("shared_bytes"), presets::find(gpu)) {
            let both = preset.sms[0].l1.bytes + preset.sms[0].shared_bytes;
            let left = both
                .checked_sub(shared)
                .ok_or_else(|| problem("# shared_bytes", shared, &format!("at most L1D and shared memory of {gpu}, {both}")))?;
            changed.extend([("sm.shared_bytes", Value::from(shared)), ("sm.l1.bytes", left.into())]);
        }
        Ok(vec![
            ("corun", Value::from(1)),
            ("gpu", Value::object(changed)),
            ("policy", "leftover".into()),
            ("warp_order", "gto".into()),
            ("warm_up", self.cycles.into()),
            ("stop", Value::object([("cycles", self.cycles)])),
            ("scale", self.scale.as_str().into()),
        ])
    }
}

fn kernel(row: &Row) -> Option<sim_core::describe::kernel::Kernel> {
    probe::kernel(&row.name, row.shape, &probe::SM_90)
}

/// How many times as long as measured each kernel takes alone.
fn alone(measured: &Measured, simulated: &Simulated, row: usize) -> Option<f64> {
    let Row { passes, ms, .. } = measured.alone[row];
    let instructions = kernel(&measured.alone[row])?.thread_instructions() / f64::from(probe::ENDLESS) * passes as f64;
    let cycles = ms * 1e3 * f64::from(measured.number("core_mhz").ok()?);
    Some(instructions / simulated.get(&(row, None))? / cycles)
}

fn slowdown(simulated: &Simulated, row: usize, beside: usize) -> Option<f64> {
    Some(simulated.get(&(row, None))? / simulated.get(&(row, Some(beside)))?)
}

/// A pair: the numbers of both rows, its slowdown as measured and as simulated.
struct Cell {
    row: usize,
    beside: usize,
    real: f64,
    ours: f64,
}

impl Cell {
    fn error(&self) -> f64 {
        (self.ours / self.real - 1.0).abs()
    }
}

/// The pairs that have both slowdowns.
fn cells(measured: &Measured, simulated: &Simulated) -> Vec<Cell> {
    let rows = 0..measured.alone.len();
    let pairs = rows.clone().flat_map(|row| rows.clone().map(move |beside| (row, beside)));
    let cell = |(row, beside)| {
        let (real, ours) = (measured.slowdown(&measured.pairs, row, beside)?, slowdown(simulated, row, beside)?);
        Some(Cell { row, beside, real, ours })
    };
    pairs.filter_map(cell).collect()
}

/// The errors of some pairs: how many these are, mean, the most of nine in ten, the worst and which that is.
fn errors(measured: &Measured, of: &str, mut cells: Vec<&Cell>) -> Option<Value> {
    cells.sort_by(|a, b| a.error().total_cmp(&b.error()));
    let (worst, count) = (cells.last()?, cells.len());
    Some(Value::object([
        ("of", Value::from(of)),
        ("cells", (count as u64).into()),
        ("mean", (cells.iter().map(|cell| cell.error()).sum::<f64>() / count as f64).into()),
        ("nine_in_ten", cells[(count * 9).div_ceil(10) - 1].error().into()),
        ("worst", worst.error().into()),
        ("worst_pair", format!("{} beside {}", measured.alone[worst.row].name, measured.alone[worst.beside].name).into()),
    ]))
}

/// How often a question is answered as the GPU answers it: right, of all.
fn right(answers: impl Iterator<Item = bool>) -> Value {
    let (right, all) = answers.fold((0_u64, 0_u64), |(right, all), is| (right + u64::from(is), all + 1));
    Value::array([right, all])
}

/// How well the slowdowns are met: errors of all pairs, and of those on either side of `THRASHING`. Then who of two suffers more, where that is by a
/// tenth, and whether a kernel suffers by more than a quarter.
fn met(measured: &Measured, simulated: &Simulated) -> Value {
    let cells = cells(measured, simulated);
    let thrash = |cell: &&Cell| cell.real >= THRASHING;
    let of = [
        ("all", cells.iter().collect()),
        ("slowdown below 4", cells.iter().filter(|cell| !thrash(cell)).collect()),
        ("from 4 on: caches thrash, or slots run out", cells.iter().filter(thrash).collect::<Vec<_>>()),
    ];
    let more = cells.iter().filter(|cell| cell.row < cell.beside).filter_map(|cell| {
        let other = cells.iter().find(|other| (other.row, other.beside) == (cell.beside, cell.row))?;
        let clear = cell.real.max(other.real) > 1.1 * cell.real.min(other.real);
        clear.then_some((cell.real > other.real) == (cell.ours > other.ours))
    });
    Value::object([
        ("errors", Value::array(of.into_iter().filter_map(|(name, of)| errors(measured, name, of)).collect::<Vec<_>>())),
        ("who_suffers_more", right(more)),
        ("suffers", right(cells.iter().map(|cell| (cell.real > 1.25) == (cell.ours > 1.25)))),
    ])
}

/// A table of all pairs.
fn matrix(measured: &Measured, cell: impl Fn(usize, usize) -> Option<f64>) -> String {
    let names = || measured.alone.iter().map(|row| row.name.clone());
    let heading = std::iter::once(String::new()).chain(names()).collect();
    let lines = measured.alone.iter().enumerate().map(|(k, row)| {
        let cells = (0..measured.alone.len()).map(|beside| cell(k, beside).map_or("–".into(), |slowdown| format!("{slowdown:.2}")));
        std::iter::once(row.name.clone()).chain(cells).collect()
    });
    text::table(1, std::iter::once(heading).chain(lines))
}

fn report(measured: &Measured, simulated: Option<&Simulated>) -> Result<String, Problems> {
    let fact = |key| measured.fact(key);
    let mut said = vec![format!("{}: {} SMs, {} MHz, measured {}", fact("gpu")?, fact("sms")?, fact("core_mhz")?, fact("date")?)];
    said.push(format!(
        "Slowdown of a row beside a column\n\n{}",
        matrix(measured, |row, beside| measured.slowdown(&measured.pairs, row, beside))
    ));
    let Some(simulated) = simulated else { return Ok(said.join("\n\n")) };
    said.push(format!("Simulated\n\n{}", matrix(measured, |row, beside| slowdown(simulated, row, beside))));
    let times =
        measured.alone.iter().enumerate().filter_map(|(k, row)| Some(format!("{} {:.2}", row.name, alone(measured, simulated, k)?)));
    said.push(format!("Alone, simulated time over measured: {}", times.collect::<Vec<_>>().join(", ")));
    let left_out: Vec<&str> = measured.alone.iter().filter(|row| kernel(row).is_none()).map(|row| row.name.as_str()).collect();
    if !left_out.is_empty() {
        said.push(format!("Not simulated, as the machine cannot run them: {}", left_out.join(", ")));
    }
    let met = met(measured, simulated);
    let number = |of: &Value, key| of.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let percent = |of: &Value, key| format!("{:.0} %", 100.0 * number(of, key));
    let heading = ["Error of the slowdown", "pairs", "mean", "nine in ten within", "worst", ""].map(String::from).to_vec();
    let lines = met.get("errors").map_or(&[][..], Value::items).iter().map(|of| {
        let (name, worst) = (text::plain(of.get("of")), text::plain(of.get("worst_pair")));
        vec![name, number(of, "cells").to_string(), percent(of, "mean"), percent(of, "nine_in_ten"), percent(of, "worst"), worst]
    });
    said.push(text::table(1, std::iter::once(heading).chain(lines)));
    let right = |key| met.get(key).map_or(&[][..], Value::items).iter().map(Value::to_string).collect::<Vec<_>>().join(" of ");
    said.push(format!(
        "Right: who of two suffers more {}, whether a kernel suffers by more than a quarter {}",
        right("who_suffers_more"),
        right("suffers")
    ));
    Ok(said.join("\n\n"))
}

/// `setting`: what all runs share. That of a pair has the kernel of `beside` and then that of `kernel`.
fn to_value(measured: &Measured, simulated: Option<&Simulated>, setting: Option<Vec<(&'static str, Value)>>) -> Result<Value, Problems> {
    let rows = 0..measured.alone.len();
    let cells = rows.clone().flat_map(|row| rows.clone().map(move |beside| (row, beside))).map(|(row, beside)| {
        Value::object([
            ("kernel", Value::from(measured.alone[row].name.as_str())),
            ("beside", measured.alone[beside].name.as_str().into()),
            ("measured", measured.slowdown(&measured.pairs, row, beside).into()),
            ("measured_first", measured.slowdown(&measured.first, row, beside).into()),
            ("simulated", simulated.and_then(|simulated| slowdown(simulated, row, beside)).into()),
        ])
    });
    let alone = rows.clone().map(|row| {
        Value::object([
            ("kernel", Value::from(measured.alone[row].name.as_str())),
            ("ms", measured.alone[row].ms.into()),
            ("program", kernel(&measured.alone[row]).map(|kernel| kernel.encode()).into()),
            ("simulated_over_measured", simulated.and_then(|simulated| alone(measured, simulated, row)).into()),
        ])
    });
    Ok(Value::object([
        ("corun", Value::from(1)),
        ("gpu", measured.fact("gpu")?.into()),
        ("date", measured.fact("date")?.into()),
        ("alone", Value::array(alone.collect::<Vec<_>>())),
        ("pairs", Value::array(cells.collect::<Vec<_>>())),
        ("met", simulated.map(|simulated| met(measured, simulated)).into()),
        ("setting", setting.map(Value::object).into()),
    ]))
}
