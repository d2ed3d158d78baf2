//! `corun run` and `corun explain`.

use crate::input::ExperimentArgs;
use crate::trace::Trace;
use crate::{Failure, answers, output, workers};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sim_core::describe::error::one_line;
use sim_core::describe::value::Value;
use sim_core::run::experiment::{Experiment, Settled, Stop};
use sim_core::run::plan::{Answers, Plan, Planned};
use sim_core::run::simulation::{Reason, Simulation};
use sim_core::run::windows::{KEPT, WINDOW};
use sim_core::study::catalogue;
use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Cycles between two looks at progress, signals, trace and windows: fewer than the windows that are kept, and well below a second.
const SLICE: u64 = WINDOW * 40;
const _: () = assert!(SLICE < WINDOW * KEPT as u64);

/// Arguments of `corun run`.
#[derive(Args, Debug)]
pub struct Run {
    #[command(flatten)]
    source: ExperimentArgs,
    /// Print the result as JSON, and nothing else
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print one line of comma-separated figures for each kernel
    #[arg(long)]
    csv: bool,
    /// Write every window of 400 cycles to this CSV file
    #[arg(long, value_name = "FILE.csv")]
    windows: Option<String>,
    /// Write a timeline that Perfetto reads: CTAs by slot, bandwidth by kernel; 1 cycle is shown as 1 µs
    #[arg(long, value_name = "FILE.json")]
    trace: Option<String>,
    /// Keep what kernels do alone in this folder, and read there what an earlier command measured
    #[arg(long, value_name = "DIR")]
    answers: Option<PathBuf>,
}

/// Arguments of `corun explain`.
#[derive(Args, Debug)]
pub struct Explain {
    #[command(flatten)]
    source: ExperimentArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Run {
    pub fn execute(self) -> Result<(), Failure> {
        let experiment = self.source.experiment()?;
        for warning in experiment.warnings().0 {
            output::say(&format!("note: {warning}"));
        }
        workers::stop_at_signals();
        let plan = Plan::of(&experiment);
        let mut simulation = Simulation::with(&experiment, &measure(&plan.profile, self.answers.as_deref())?)?;
        let files = [("--windows", self.windows.as_deref()), ("--trace", self.trace.as_deref())];
        let [windows, trace] = output::create(self.source.file(), files)?;
        let mut windows = windows.map(|file| WindowsFile::start(file, &simulation)).transpose()?;
        let mut trace = trace.map(|file| Trace::start(file, &mut simulation)).transpose()?;
        let bar = progress(&experiment);
        let start = Instant::now();
        let reason = loop {
            let reason = simulation.advance(SLICE);
            if let Some(windows) = &mut windows {
                windows.append(&simulation)?;
            }
            if let Some(trace) = &mut trace {
                trace.append(&mut simulation)?;
            }
            bar.set_position(simulation.cycle());
            if reason != Reason::Budget || workers::interrupted() {
                break reason;
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        bar.finish_and_clear();
        if let Some(trace) = trace {
            trace.finish(&simulation)?;
        }
        if let Some(windows) = windows {
            windows.finish()?;
        }
        let unknown: Vec<Planned> = plan.alone.into_iter().filter(|run| !simulation.knows(&run.hash)).collect();
        if let Some(answers) =
            answers::all(unknown.iter(), workers::jobs(None), self.answers.as_deref())?.filter(|_| !workers::interrupted())
        {
            simulation.tell(&answers);
        } else {
            return Err(Failure::Interrupted(format!("at cycle {}, where the files of this run end", simulation.cycle())));
        }
        let result = with_speed(simulation.result(), &mut simulation, seconds);
        if self.json {
            output::print_json(&result)?;
        } else if self.csv {
            print_csv(&result)?;
        } else {
            print_table(&result)?;
        }
        match (reason, simulation.failure()) {
            (Reason::Stuck, _) => Err(Failure::Stuck(simulation.explain_stuck())),
            (_, Some(failure)) => Err(Failure::Policy(format!("at cycle {}: {failure}", simulation.cycle()))),
            _ => Ok(()),
        }
    }
}

fn progress(experiment: &Experiment) -> ProgressBar {
    let cycles = match experiment.stop {
        Stop::Cycles(cycles) | Stop::Settled(Settled { at_most: cycles, .. }) => Some(experiment.warm_up.saturating_add(cycles)),
        Stop::KernelsDone { .. } => None,
    };
    if !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(cycles, ProgressDrawTarget::hidden());
    }
    let (bar, template) = match cycles {
        Some(cycles) => (ProgressBar::new(cycles), "{bar:40} {human_pos} of {human_len} cycles, {eta} left"),
        None => (ProgressBar::new_spinner(), "{spinner} {human_pos} cycles"),
    };
    bar.with_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Runs a part of the experiment's plan, on every core.
fn measure(runs: &[Planned], folder: Option<&Path>) -> Result<Answers, Failure> {
    answers::all(runs.iter(), workers::jobs(None), folder)?.ok_or_else(|| Failure::Interrupted("while kernels were measured alone".into()))
}

/// Adds the wall-clock figures behind `stop`.
fn with_speed(result: Value, simulation: &mut Simulation, seconds: f64) -> Value {
    let warps: u64 = simulation.totals().iter().map(|stats| stats.warp_instructions).sum();
    let cycles = simulation.cycle() as f64;
    let Value::Object(mut pairs) = result else { return result };
    let at = pairs.iter().position(|(key, _)| key == "gpu").unwrap_or(pairs.len());
    let figures =
        [("wall_seconds", seconds), ("cycles_per_second", cycles / seconds), ("warp_instructions_per_second", warps as f64 / seconds)];
    pairs.splice(at..at, figures.map(|(key, figure)| (key.to_owned(), figure.into())));
    Value::Object(pairs)
}

impl Explain {
    pub fn execute(self) -> Result<(), Failure> {
        let experiment = self.source.experiment()?;
        let explained = catalogue::explain(&experiment);
        if self.json {
            return output::print_json(&explained);
        }
        output::print(&format!("{}\nconfig hash {}, seed {}\n", one_line(&experiment.name), experiment.config_hash(), experiment.seed))?;
        output::print(&format!("{:<10} {:>6} {:<10} {:>12}  limited by", "kernel", "launch", "SM class", "CTAs per SM"))?;
        for kernel in items(explained.get("kernels")) {
            for row in items(kernel.get("occupancy")) {
                let text = |key| shown(row.get(key));
                let name = shown(kernel.get("name"));
                output::print(&format!(
                    "{name:<10} {:>6} {:<10} {:>12}  {}",
                    text("launch"),
                    text("sm_class"),
                    text("ctas_per_sm"),
                    text("limiter")
                ))?;
            }
        }
        output::print("")?;
        if let Some(Value::Object(fields)) = explained.get("gpu") {
            for (path, value) in fields {
                output::print(&format!("gpu.{path} = {}", shown(Some(value))))?;
            }
        }
        let policy = experiment.policy.encode(experiment.mix());
        output::print(&format!("policy = {policy}"))
    }
}

/// The elements of a list, or none.
fn items(value: Option<&Value>) -> &[Value] {
    if let Some(Value::Array(items)) = value { items } else { &[] }
}

/// A value for people: nothing is a dash, numbers have four digits.
fn shown(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "–".into(),
        Some(Value::Str(text)) => one_line(text),
        Some(Value::Float(x)) if x.abs() >= 100.0 => format!("{x:.1}"),
        Some(Value::Float(x)) => format!("{x:.3}"),
        Some(other) => other.to_string(),
    }
}

/// Columns of the table and of the CSV: heading, key.
const COLUMNS: &[(&str, &str)] = &[
    ("kernel", "name"),
    ("IPC", "ipc"),
    ("alone", "ipc_alone"),
    ("slowdown", "slowdown"),
    ("NoC", "noc_utilisation"),
    ("DRAM", "dram_utilisation"),
    ("L1 hits", "l1_hit_rate"),
    ("L2 miss", "l2_miss_rate"),
    ("latency", "latency.mean"),
    ("CTAs/SM", "ctas_per_sm"),
    ("runs", "runs_done"),
];

fn cell(kernel: &Value, key: &str) -> String {
    let mut at = Some(kernel);
    for part in key.split('.') {
        at = at.and_then(|value| value.get(part));
    }
    shown(at)
}

fn print_table(result: &Value) -> Result<(), Failure> {
    let text = |key| shown(result.get(key));
    output::print(&format!(
        "{}: {} cycles ({}), digest {}, config {}",
        text("name"),
        text("cycles"),
        text("stop"),
        text("digest"),
        text("config_hash")
    ))?;
    output::print(&format!("{} simulated cycles a second\n", text("cycles_per_second")))?;
    let line = |cells: Vec<String>| {
        cells.iter().enumerate().map(|(i, cell)| if i == 0 { format!("{cell:<10}") } else { format!("{cell:>10}") }).collect::<String>()
    };
    output::print(&line(COLUMNS.iter().map(|column| column.0.to_owned()).collect()))?;
    for kernel in items(result.get("kernels")) {
        output::print(&line(COLUMNS.iter().map(|column| cell(kernel, column.1)).collect()))?;
    }
    output::print("")?;
    for goal in items(result.get("kernels")).iter().filter_map(goal_text) {
        output::print(&goal)?;
    }
    for metric in catalogue::METRICS.iter().filter(|metric| metric.scope == "mix" && metric.key != "wspeedup") {
        let value = shown(result.get("metrics").and_then(|metrics| metrics.get(metric.key)));
        output::print(&format!("{:<10}{value:>10}   {}", metric.title, metric.formula))?;
    }
    output::print(&energy_text(result))?;
    for decision in items(result.get("policy").and_then(|policy| policy.get("decisions"))) {
        let number = decision.get("kernel").and_then(Value::as_int).and_then(|kernel| usize::try_from(kernel).ok());
        let kernel = number.and_then(|number| items(result.get("kernels")).get(number));
        let kernel = kernel.map_or(String::new(), |kernel| format!("{} ", shown(kernel.get("name"))));
        output::print(&format!("cycle {}: {kernel}{}", shown(decision.get("cycle")), shown(decision.get("text"))))?;
    }
    Ok(())
}

/// What has become of a kernel's goal, if it has one.
fn goal_text(kernel: &Value) -> Option<String> {
    kernel.get("goal_ipc")?;
    let outcome = match kernel.get("goal_reached").and_then(Value::as_f64) {
        None => "not known".into(),
        Some(reached) if reached >= 1.0 => format!("reached with {:.1} % to spare", (reached - 1.0) * 100.0),
        Some(reached) => format!("missed by {:.1} %", (1.0 - reached) * 100.0),
    };
    let [name, ipc, goal, reached] = ["name", "ipc", "goal_ipc", "goal_reached"].map(|key| cell(kernel, key));
    Some(format!("{:<10}{reached:>10}   {name}: IPC {ipc} / goal {goal}, {outcome}", "Goal"))
}

/// The energy of the run in a line, with what it is good for.
fn energy_text(result: &Value) -> String {
    let figure = |key| result.get("energy").and_then(|energy| energy.get(key));
    let millijoules = figure("joules").and_then(Value::as_f64).map(|joules| Value::from(joules * 1e3));
    let [energy, watts, per_watt] = [millijoules.as_ref(), figure("watts"), figure("instructions_per_watt")].map(shown);
    format!("{:<10}{energy:>10}   mJ, {watts} W, {per_watt} thread instructions per watt: for ratios between runs on one GPU", "Energy")
}

fn print_csv(result: &Value) -> Result<(), Failure> {
    output::print(&COLUMNS.iter().map(|column| column.1).collect::<Vec<_>>().join(","))?;
    for kernel in items(result.get("kernels")) {
        let cells: Vec<String> = COLUMNS
            .iter()
            .map(|column| {
                let mut at = Some(kernel);
                for part in column.1.split('.') {
                    at = at.and_then(|value| value.get(part));
                }
                match at {
                    None | Some(Value::Null) => String::new(),
                    Some(Value::Str(text)) => csv_text(text),
                    Some(other) => other.to_string(),
                }
            })
            .collect();
        output::print(&cells.join(","))?;
    }
    Ok(())
}

fn csv_text(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// The CSV file of `--windows`.
struct WindowsFile {
    file: BufWriter<File>,
    written: u64,
    columns: usize,
}

impl WindowsFile {
    fn start(mut file: BufWriter<File>, simulation: &Simulation) -> Result<Self, Failure> {
        let experiment = simulation.experiment();
        let layout = simulation.windows().layout(&experiment.gpu);
        let headings: Vec<String> = items(layout.get("columns"))
            .iter()
            .map(|column| {
                let key = shown(column.get("key"));
                let kernel = column.get("kernel").and_then(Value::as_int).and_then(|kernel| experiment.kernels.get(kernel as usize));
                kernel.map_or(key.clone(), |used| csv_text(&format!("{}.{key}", used.kernel.name)))
            })
            .collect();
        writeln!(file, "{}", headings.join(",")).map_err(output::not_written)?;
        Ok(WindowsFile { file, written: 0, columns: headings.len() })
    }

    fn append(&mut self, simulation: &Simulation) -> Result<(), Failure> {
        for row in simulation.windows().rows_since(self.written).chunks(self.columns) {
            let cells: Vec<String> = row.iter().map(|x| format!("{x}")).collect();
            writeln!(self.file, "{}", cells.join(",")).map_err(output::not_written)?;
        }
        self.written = simulation.windows().count();
        Ok(())
    }

    fn finish(mut self) -> Result<(), Failure> {
        self.file.flush().map_err(output::not_written)
    }
}
