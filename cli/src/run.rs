//! `corun run` and `corun explain`.

use crate::import;
use crate::input::ExperimentArgs;
use crate::out::{Out, Sink};
use crate::report::{self, items};
use crate::store::Kept;
use crate::text::{self, csv_text, shown};
use crate::timeline;
use crate::why;
use clap::Args;
use corun_lab::output::Whole;
use corun_lab::store::Store;
use corun_lab::threads::Crew;
use corun_lab::{Failure, lab, native, output, problem, workers};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sim_core::describe::digest::{Fnv, hex};
use sim_core::describe::error::{Problems, one_line};
use sim_core::describe::gpu::occupancy::Divisions;
use sim_core::describe::value::Value;
use sim_core::run::experiment::{Experiment, Settled, Stop};
use sim_core::run::plan::{Plan, Planned, SoloProfiles};
use sim_core::run::simulation::{Reason, Simulation};
use sim_core::run::trace::Trace;
use sim_core::study::catalogue;
use std::fs::File;
use std::hash::Hasher;
use std::io::{IsTerminal, Write};
use std::time::{Instant, UNIX_EPOCH};

/// Cycles between two looks at progress, signals, trace and windows: fewer than the windows that are kept, and well below a second.
const SLICE: u64 = Trace::STEP;

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
    /// Write a timeline that Perfetto reads: CTAs by slot, launches, decisions, bandwidth by kernel; 1 cycle is shown as 1 µs
    #[arg(long, value_name = "FILE.json")]
    trace: Option<String>,
    /// Find out why kernels are slower beside others: run them once more without each cause, or without those of this list, as --why=noc,dram
    #[arg(long, value_name = "CURES", num_args = 0..=1, require_equals = true, default_missing_value = why::ALL)]
    why: Option<String>,
    /// Threads that share the run where the GPU is large, while no other run is under way; left out, as many as there are cores. The result is the same
    #[arg(long, value_name = "N")]
    threads: Option<String>,
    #[command(flatten)]
    kept: Kept,
    #[command(flatten)]
    out: Out,
}

/// Arguments of `corun explain`.
#[derive(Args, Debug)]
pub struct Explain {
    #[command(flatten)]
    source: ExperimentArgs,
    /// Of a timeline, say what it would be on this GPU, such as h200-sxm: `corun list gpus`
    #[arg(long, value_name = "GPU")]
    gpu: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    out: Out,
}

impl Run {
    pub fn execute(self) -> Result<(), Failure> {
        let cures = self.why.as_deref().map(why::cures).transpose()?;
        let crew = Crew::new(threads(self.threads.as_deref(), workers::jobs(None))?);
        let experiment = self.source.experiment()?;
        for warning in experiment.warnings().0 {
            output::say(&format!("note: {warning}"));
        }
        workers::stop_at_signals();
        let store = self.kept.open()?;
        if let Some(result) = store
            .as_ref()
            .filter(|_| self.windows.is_none() && self.trace.is_none() && cures.is_none())
            .and_then(|store| store.get(&key(&experiment)?))
        {
            let [out] = output::create(self.source.file(), [("--out", self.out.out.as_deref())])?;
            self.print(result, out)?;
            if !self.json {
                output::say("from the store, where an earlier run has left it: --no-store runs it again");
            }
            return Ok(());
        }
        let plan = Plan::of(&experiment);
        let mut simulation = Simulation::with(&experiment, &measure(&plan.profile, store.as_ref(), crew.as_ref())?)?;
        let files = [("--windows", self.windows.as_deref()), ("--trace", self.trace.as_deref()), ("--out", self.out.out.as_deref())];
        let [windows, trace, out] = output::create(self.source.file(), files)?;
        let windows = windows.map(|file| WindowsFile::start(file, &simulation)).transpose()?;
        let trace = trace.map(|file| TraceFile { trace: Trace::start(&mut simulation), file });
        let start = Instant::now();
        let reason = to_its_end(&mut simulation, crew.as_ref(), (windows, trace))?;
        let seconds = start.elapsed().as_secs_f64();
        let cut_off = reason == Reason::Budget;
        if !cut_off {
            // A kernel's share follows from what it does alone.
            for runs in [|_: &mut Simulation, alone| alone, |run: &mut Simulation, _| run.share_runs()] {
                let runs = runs(&mut simulation, plan.alone.clone());
                let profiles = native::profiles(&simulation.unknown(runs), store.as_ref(), workers::jobs(None), crew.as_ref())?;
                profiles.iter().for_each(|profiles| simulation.add_solo_profiles(profiles));
            }
        }
        let result = simulation.result();
        let ended = !cut_off && reason != Reason::Stuck && simulation.failure().is_none() && !workers::interrupted();
        if let Some((store, key)) = store.as_ref().zip(key(&experiment)).filter(|_| ended) {
            store.put(&key, &result);
        }
        let result = match cures.filter(|_| ended) {
            Some(cures) => {
                why::ask(&mut simulation, &cures, store.as_ref())?;
                simulation.result()
            }
            None if cut_off => marked(result),
            None => result,
        };
        // Wall-clock figures stand in JSON alone: for people they go to stderr, so that equal runs print equal bytes.
        self.print(if self.json { with_speed(result, &mut simulation, seconds) } else { result }, out)?;
        match (reason, simulation.failure()) {
            (Reason::Stuck, _) => Err(Failure::Stuck(simulation.explain_stuck())),
            (_, Some(failure)) => Err(Failure::Policy(format!("at cycle {}: {failure}", simulation.cycle()))),
            (Reason::Budget, _) => Err(Failure::Interrupted(format!("at cycle {}, where the result ends", simulation.cycle()))),
            _ if workers::interrupted() && ended => Err(Failure::Interrupted("before it was known why".into())),
            _ if workers::interrupted() => Err(Failure::Interrupted("before its kernels were measured alone".into())),
            _ if self.json => Ok(()),
            _ => {
                let speed = text::grouped((simulation.cycle() as f64 / seconds) as i64);
                output::say(&format!("{seconds:.2} s, {speed} cycles a second"));
                Ok(())
            }
        }
    }
}

impl Run {
    fn print(&self, result: Value, out: Option<Whole>) -> Result<(), Failure> {
        let out = Sink(out);
        if self.json {
            return out.print_json(&result);
        }
        out.print(&if self.csv { report::csv(&result) } else { report::table(&result) })
    }
}

/// The name under which a store keeps an experiment's result: of all that it says, also what it is called and what its result compares with, and of
/// this program. What a run measures follows from the engine; a result has words, too, and another program may have others.
fn key(experiment: &Experiment) -> Option<String> {
    let program = std::env::current_exe().ok()?;
    let about = program.metadata().ok()?;
    let changed = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let mut all = Fnv::default();
    for part in [experiment.encode().to_string(), format!("{} {} {changed:?}", program.display(), about.len())] {
        all.write(part.as_bytes());
    }
    Some(format!("{}-{}", experiment.config_hash(), hex(all.finish())))
}

/// Runs a simulation until it ends or a signal comes, with its windows and its timeline.
fn to_its_end(
    simulation: &mut Simulation,
    crew: Option<&Crew>,
    (mut windows, mut trace): (Option<WindowsFile>, Option<TraceFile>),
) -> Result<Reason, Failure> {
    let bar = progress(simulation.experiment());
    let reason = loop {
        let reason = match crew {
            Some(crew) => crew.advance(simulation, SLICE),
            None => simulation.advance(SLICE),
        };
        if let Some(windows) = &mut windows {
            windows.append(simulation)?;
        }
        if let Some(trace) = &mut trace {
            trace.trace.append(simulation);
            trace.write()?;
        }
        bar.set_position(simulation.cycle());
        if reason != Reason::Budget || workers::interrupted() {
            break reason;
        }
    };
    bar.finish_and_clear();
    trace.map_or(Ok(()), |trace| trace.finish(simulation))?;
    windows.map_or(Ok(()), WindowsFile::finish)?;
    Ok(reason)
}

/// A result of a run that a signal has cut off.
fn marked(result: Value) -> Value {
    let Value::Object(mut pairs) = result else { return result };
    pairs.iter_mut().filter(|(key, _)| key == "stop").for_each(|(_, stop)| *stop = "interrupted".into());
    Value::Object(pairs)
}

fn progress(experiment: &Experiment) -> ProgressBar {
    let cycles = match experiment.stop {
        Stop::Cycles(cycles) | Stop::Settled(Settled { at_most: cycles, .. }) => Some(experiment.warm_up.at_most().saturating_add(cycles)),
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

/// The number of threads that `--threads` asks for, or else that of the cores.
fn threads(asked: Option<&str>, cores: usize) -> Result<usize, Problems> {
    let Some(asked) = asked else { return Ok(cores) };
    let number = asked.parse().ok().filter(|number| (1..=cores).contains(number));
    let want = match cores {
        1 => "1: this machine has one core".into(),
        _ => format!("a whole number from 1 to {cores}, the cores of this machine"),
    };
    number.ok_or_else(|| problem("--threads", format!("{asked:?}"), &want))
}

/// Runs a part of the experiment's plan, on every core.
fn measure(runs: &[Planned], store: Option<&Store>, crew: Option<&Crew>) -> Result<SoloProfiles, Failure> {
    let stopped = || Failure::Interrupted("while kernels were measured alone".into());
    native::profiles(runs, store, workers::jobs(None), crew)?.ok_or_else(stopped)
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
        if let Some(source) = timeline::source(self.source.file())? {
            return self.timeline(source);
        }
        if let Some(gpu) = &self.gpu {
            return Err(problem("--gpu", gpu, "a timeline to say it of: an experiment takes `--set gpu=NAME`").into());
        }
        let (experiment, rounded) = self.source.with_rounding()?;
        // What cannot run is not explained either: the runs that the policy and the slowdowns need included.
        Plan::of(&experiment).runs().try_for_each(|run| lab::begin(run).map(drop))?;
        let out = self.out.open(self.source.file())?;
        let explained = catalogue::explain(&experiment, &rounded);
        if self.json { out.print_json(&explained) } else { out.print(&explanation(&experiment, &explained)) }
    }

    fn timeline(self, source: File) -> Result<(), Failure> {
        self.source.changes_nothing("a timeline, which has nothing of an experiment to change")?;
        let asked = timeline::asked(self.gpu.as_deref())?;
        let read = import::read_timeline(source, self.source.file())?;
        let out = self.out.open(self.source.file())?;
        let found = timeline::found(&read, asked.as_ref());
        if self.json { out.print_json(&timeline::json(&found)) } else { out.print(&timeline::summary(&found)) }
    }
}

/// An experiment for people.
fn explanation(experiment: &Experiment, explained: &Value) -> String {
    let mut heading = ["kernel", "launch", "SM class", "limited by", "CTAs per SM"].map(String::from).to_vec();
    let divides = experiment.gpu.sms.iter().any(|class| Divisions::of(class).any());
    heading.extend(divides.then(|| ["shared memory, KB of an SM", "L1D, KB"].map(String::from)).into_iter().flatten());
    let rows = items(explained.get("kernels")).iter().flat_map(|kernel| {
        items(kernel.get("occupancy")).iter().map(move |row| {
            let text = |key| shown(row.get(key));
            let kb = |key| row.get(key).and_then(Value::as_int).map_or_else(|| shown(None), |bytes| (bytes >> 10).to_string());
            let shape = [shown(kernel.get("name")), text("launch"), text("sm_class"), text("limiter"), text("ctas_per_sm")];
            let divided = divides.then(|| [kb("sm_shared_bytes"), kb("sm_l1_bytes")]);
            shape.into_iter().chain(divided.into_iter().flatten()).collect()
        })
    });
    let occupancy = text::table(4, [heading].into_iter().chain(rows));
    let fields = match explained.get("gpu") {
        Some(Value::Object(fields)) => fields.iter().map(|(path, value)| format!("gpu.{path} = {}\n", text::plain(Some(value)))).collect(),
        _ => String::new(),
    };
    format!(
        "{}\n{}; config hash {}, seed {}\n\n{occupancy}\n\n{fields}policy = {}",
        one_line(&experiment.name),
        shown(explained.get("policy_title")),
        experiment.config_hash(),
        experiment.seed,
        experiment.policy.encode(experiment.mix())
    )
}

/// The file of `--trace`.
struct TraceFile {
    trace: Trace,
    file: Whole,
}

impl TraceFile {
    fn write(&mut self) -> Result<(), Failure> {
        self.file.write_all(self.trace.take().as_bytes()).map_err(output::not_written)
    }

    fn finish(mut self, simulation: &Simulation) -> Result<(), Failure> {
        self.trace.finish(simulation);
        self.write()?;
        self.file.finish()
    }
}

/// The CSV file of `--windows`.
struct WindowsFile {
    file: Whole,
    written: u64,
    columns: usize,
}

impl WindowsFile {
    fn start(mut file: Whole, simulation: &Simulation) -> Result<Self, Failure> {
        let experiment = simulation.experiment();
        let layout = simulation.windows().layout(&experiment.gpu);
        let labels = experiment.labels();
        let headings: Vec<String> = items(layout.get("columns"))
            .iter()
            .map(|column| {
                let key = shown(column.get("key"));
                let kernel = column.get("kernel").and_then(Value::as_int).and_then(|kernel| labels.get(kernel as usize));
                kernel.map_or(key.clone(), |label| csv_text(&format!("{label}.{key}")))
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

    fn finish(self) -> Result<(), Failure> {
        self.file.finish()
    }
}
