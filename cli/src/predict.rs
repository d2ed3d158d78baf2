//! `corun predict`: what each kernel of a group takes on its own SMs beside the others, by the formulas of the latency-prediction paper.

use crate::kind::Kind;
use crate::out::Out;
use crate::store::Kept;
use crate::{input, text};
use clap::{Args, ValueEnum};
use corun_lab::lab::Want;
use corun_lab::native;
use corun_lab::{Failure, problem, workers};
use sim_core::describe::error::one_line;
use sim_core::describe::ids::KernelId;
use sim_core::describe::kernel::library;
use sim_core::describe::value::Value;
use sim_core::predict::answer::Answer;
use sim_core::predict::group::{Part, Window};
use sim_core::predict::question::{Measured, Question};
use sim_core::predict::reading::Reading;
use sim_core::run::experiment::Experiment;
use sim_core::run::simulation::Simulation;
use sim_core::study::prediction;
use std::fmt::Write;
use std::num::NonZero;

/// Arguments of `corun predict`.
#[derive(Args, Debug)]
#[command(after_help = "\
Kernels run once, together from the start, each on SMs of its own; SMs that are freed stay idle. The formulas are those of Masola et al., JSSPP \
2023; `fluid` is a model of ours. `corun schema predict` has the format, docs/reference/predict.md what is computed and what it is good for.

Where the file names a `gpu`, what it leaves out of a kernel of the library is measured first, by runs of the kernel alone, in ms and GB/s.

Exit status: 0 done, 1 stuck, 2 bad usage or input, 130 told to stop.")]
pub struct Predict {
    /// The group: a JSON file, `-` for standard input, or the name of an example: `corun list predictions`
    file: String,
    /// How Eq. 15 is read, whatever the file says
    #[arg(long)]
    reading: Option<Named>,
    /// Search for the partition of the SMs that meets the kernels' deadlines, and of these has the shortest makespan, by prediction
    #[arg(long)]
    plan: bool,
    /// Also run the group on the file's GPU, and show what it takes there and how far off the prediction is
    #[arg(long)]
    simulate: bool,
    /// Runs at a time; as many as there are cores if left out
    #[arg(long)]
    jobs: Option<NonZero<u16>>,
    #[command(flatten)]
    kept: Kept,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    out: Out,
}

/// The readings as the command line names them.
#[derive(Clone, Copy, ValueEnum, Debug)]
#[value(rename_all = "snake_case")]
enum Named {
    /// Eq. 15 as printed
    Literal,
    /// At least 1
    Clamped,
    /// As the text says: one kernel of each window is penalised least
    Elected,
    /// No penalties, I alone
    IOnly,
    /// Not the paper's: an oversubscribed memory serves kernels in proportion to what they ask for
    Fluid,
}

impl Predict {
    pub fn execute(self) -> Result<(), Failure> {
        let mut question = Question::decode(&input::read(&self.file, Kind::Prediction)?)?;
        if let Some(named) = self.reading {
            question.model.reading = Reading::ALL[named as usize];
        }
        workers::stop_at_signals();
        let out = self.out.open(&self.file)?;
        let gpu = prediction::take_gpu(&mut question)?;
        if let Some(gpu) = &gpu {
            self.measure(&mut question, gpu.sm_count())?;
        }
        let answer = if self.plan { Answer::of_plan(&question)? } else { Answer::of(&question)? };
        let simulated = if self.simulate { Some(self.simulate(&question, &answer)?) } else { None };
        if self.json {
            let value = answer.to_value(&question);
            return out.print_json(&simulated.iter().fold(value, |value, run| with_simulated(value, &answer, run)));
        }
        let units = Units { measured: gpu.is_some() };
        let simulated = simulated.map_or(String::new(), |run| format!("\n\n{}", simulated_table(&question, &answer, &run, units)));
        out.print(&format!("{}{simulated}", table(&question, &answer, units)))
    }

    /// Runs the library's kernels alone of which the question leaves out something, and tells it.
    fn measure(&self, question: &mut Question, sms: u32) -> Result<(), Failure> {
        // Kernels that share a name share their runs. Of a kernel that is none of the library's, the question's own problems say what is missing.
        let mut runs: Vec<((String, u32), Experiment)> = Vec::new();
        let mut needed = question.needed(sms, self.plan);
        needed.retain(|(kernel, _)| library::find(&question.kernels[*kernel].name).is_some());
        for &(kernel, on) in &needed {
            let key = (question.kernels[kernel].name.clone(), on);
            if runs.iter().all(|(other, _)| *other != key) {
                runs.push((key, prediction::experiment(question, &[(kernel, on)])?));
            }
        }
        let experiments: Vec<Experiment> = runs.iter().map(|(_, experiment)| experiment.clone()).collect();
        let found = self.finished(&experiments)?;
        for (((name, on), _), measured) in runs.iter().zip(found) {
            for &(kernel, other) in &needed {
                if other == *on && question.kernels[kernel].name == *name {
                    question.set_measured(kernel, other, sms, measured[0]);
                }
            }
        }
        Ok(())
    }

    /// The group on its GPU.
    fn simulate(&self, question: &Question, answer: &Answer) -> Result<Vec<Measured>, Failure> {
        let group: Vec<(usize, u32)> = answer.loads.iter().map(|load| load.sms).enumerate().collect();
        let found = self.finished(&[prediction::experiment(question, &group)?])?;
        Ok(found.into_iter().flatten().collect())
    }

    /// What each kernel of each run has done, from the store or from runs to their ends.
    fn finished(&self, runs: &[Experiment]) -> Result<Vec<Vec<Measured>>, Failure> {
        let want = |experiment: &Experiment| Want {
            key: Some(format!("{}-once", experiment.config_hash())),
            ..Want::new(experiment.clone(), kept)
        };
        let found = native::outcomes(runs.iter().map(want).collect(), self.kept.open()?.as_ref(), workers::jobs(self.jobs))?;
        let stopped = || Failure::Interrupted("before all had run; what has ended is kept, but with --no-store".into());
        runs.iter().zip(found.ok_or_else(stopped)?).map(|(run, outcome)| read(&outcome, run.kernels.len())).collect()
    }
}

/// What each of so many kernels has done in a run that has ended.
fn read(outcome: &Value, kernels: usize) -> Result<Vec<Measured>, Failure> {
    if let Some(why) = outcome.as_str() {
        return Err(Failure::Stuck(why.to_owned()));
    }
    let measured: Vec<Measured> = outcome.items().iter().filter_map(decode).collect();
    if measured.len() == kernels {
        Ok(measured)
    } else {
        Err(problem("(store)", outcome, "what each kernel of the run has measured").into())
    }
}

/// What each kernel of a run has done, all of which must have ended; else why they cannot.
fn kept(run: &mut Simulation) -> Value {
    let kernels = KernelId::first(run.experiment().kernels.len());
    let found: Option<Vec<Measured>> = kernels.map(|kernel| prediction::measured(run, kernel)).collect();
    found.map_or_else(|| run.explain_stuck().into(), |found| Value::array(found.iter().map(encode)))
}

fn encode(measured: &Measured) -> Value {
    let Measured { latency, bandwidth, accesses, kai } = *measured;
    Value::object([("latency", latency), ("bandwidth", bandwidth), ("accesses", accesses), ("kai", kai)])
}

fn decode(value: &Value) -> Option<Measured> {
    let number = |key| value.get(key).and_then(Value::as_f64);
    Some(Measured { latency: number("latency")?, bandwidth: number("bandwidth")?, accesses: number("accesses")?, kai: number("kai")? })
}

/// How far a prediction is off what a run says, as a part of the latter: above 0 where it says too much.
fn error(answer: &Answer, kernel: usize, run: &Measured) -> f64 {
    (answer.prediction.kernels[kernel].latency - run.latency) / run.latency
}

/// The answer with `simulated` in each kernel and in the whole.
fn with_simulated(mut value: Value, answer: &Answer, runs: &[Measured]) -> Value {
    let Value::Object(pairs) = &mut value else { return value };
    let makespan = runs.iter().fold(0.0_f64, |last, run| last.max(run.latency));
    if let Some((_, Value::Array(kernels))) = pairs.iter_mut().find(|(key, _)| key == "kernels") {
        for (at, (kernel, run)) in kernels.iter_mut().zip(runs).enumerate() {
            let slowdown = run.latency / answer.loads[at].latency;
            let figures =
                [("latency", run.latency), ("slowdown", slowdown), ("bandwidth", run.bandwidth), ("error", error(answer, at, run))];
            if let Value::Object(kernel) = kernel {
                kernel.push(("simulated".to_owned(), Value::object(figures)));
            }
        }
    }
    pairs.push(("simulated".to_owned(), Value::object([("makespan", makespan)])));
    value
}

/// What kernels took when they ran, beside what was predicted.
fn simulated_table(question: &Question, answer: &Answer, runs: &[Measured], units: Units) -> String {
    let heading = ["simulated".to_owned(), units.time("latency"), units.time("predicted"), "error, %".to_owned(), "slowdown, ×".to_owned()];
    let rows = question.kernels.iter().zip(runs).enumerate().map(|(at, (kernel, run))| {
        vec![
            kernel.name.clone(),
            number(run.latency),
            number(answer.prediction.kernels[at].latency),
            format!("{:+.1}", 100.0 * error(answer, at, run)),
            format!("{:.3}", run.latency / answer.loads[at].latency),
            kernel.deadline.map_or("", |end| if run.latency <= end { "deadline met" } else { "deadline missed" }).to_owned(),
        ]
    });
    text::table(1, [[&heading[..], &[String::new()]].concat()].into_iter().chain(rows))
}

/// What a file's numbers count: its own, or those of what is measured.
#[derive(Clone, Copy)]
struct Units {
    /// The file names a GPU.
    measured: bool,
}

impl Units {
    fn time(self, what: &str) -> String {
        if self.measured { format!("{what}, ms") } else { what.to_owned() }
    }

    fn bandwidth(self, what: &str) -> String {
        if self.measured { format!("{what}, GB/s") } else { what.to_owned() }
    }
}

/// For people: each kernel, then each window.
fn table(question: &Question, answer: &Answer, units: Units) -> String {
    let platform = &answer.platform;
    let mut out = if question.name.is_empty() { String::new() } else { one_line(&question.name) + "\n" };
    let _ = writeln!(
        out,
        "{} SMs, {} L2 banks; {} {} nominal, {} sustained; reading {}",
        platform.sms,
        platform.l2_banks,
        units.bandwidth("bandwidth"),
        number(platform.bandwidth_max),
        number(platform.bandwidth_sustained),
        question.model.reading.name()
    );
    if !units.measured {
        out += "Latencies share the unit of the file, and so do bandwidths.\n";
    }
    if let Some(plan) = &answer.plan {
        let how = if plan.meets { "the shortest that meets every deadline" } else { "no partition meets every deadline; the least late" };
        let _ = writeln!(out, "plan: {how}, of {} partitions in steps of {} SMs", plan.tried, plan.step);
    }
    let _ = writeln!(out, "\n{}", kernel_table(question, answer, units));
    let _ = writeln!(out, "{} {}", units.time("makespan"), number(answer.prediction.makespan()));
    answer.notes(question).iter().for_each(|note| out += &(one_line(note) + "\n"));
    let heading = ["window".to_owned(), units.time("from"), units.time("to"), "S".to_owned(), "I".to_owned()];
    let kernels = question.kernels.iter().map(|kernel| format!("{}: share × Π", kernel.name));
    let heading = heading.into_iter().chain(kernels).collect();
    let windows = answer.prediction.windows.iter().enumerate().map(|(at, window)| line(question, answer, at, window));
    format!("{out}\n{}", text::table(0, [heading].into_iter().chain(windows)))
}

fn kernel_table(question: &Question, answer: &Answer, units: Units) -> String {
    let heading = [
        "kernel".to_owned(),
        "SMs".to_owned(),
        units.time("alone"),
        units.time("Tc"),
        units.time("latency"),
        "slowdown, ×".to_owned(),
        units.bandwidth("bandwidth"),
        units.time("naive"),
        units.time("deadline"),
        String::new(),
    ];
    let rows = answer.loads.iter().enumerate().map(|(at, load)| {
        let (kernel, predicted) = (&question.kernels[at], &answer.prediction.kernels[at]);
        let kept = |end: f64| if predicted.latency <= end { "met" } else { "missed" };
        vec![
            kernel.name.clone(),
            load.sms.to_string(),
            number(load.latency),
            number(load.tc),
            number(predicted.latency),
            format!("{:.3}", predicted.slowdown),
            number(load.bandwidth),
            number(answer.naive(at)),
            kernel.deadline.map_or("–".to_owned(), number),
            kernel.deadline.map_or("", kept).to_owned(),
        ]
    });
    text::table(1, [heading.to_vec()].into_iter().chain(rows))
}

fn line(question: &Question, answer: &Answer, at: usize, window: &Window) -> Vec<String> {
    let part = |part: Option<&Part>| part.map_or("–".to_owned(), |part| format!("{:.3}×{:.3}", part.share, part.penalty));
    let parts = (0..question.kernels.len()).map(|kernel| part(answer.prediction.kernels[kernel].parts.get(at)));
    let numbers = [window.start, window.end, window.sum].map(number);
    let first = [(at + 1).to_string()].into_iter().chain(numbers).chain([format!("{:.4}", window.interference)]);
    first.chain(parts).collect()
}

/// Five significant digits, whatever the unit.
fn number(x: f64) -> String {
    let digits = if x == 0.0 { 0 } else { x.abs().log10().floor() as i32 };
    if (-4..9).contains(&digits) { format!("{x:.*}", (4 - digits).max(0) as usize) } else { format!("{x:.4e}") }
}
