//! `corun predict`: what each kernel of a group takes on its own SMs beside the others, by the formulas of the latency-prediction paper.

use crate::{Failure, input, output};
use clap::{Args, ValueEnum};
use sim_core::describe::error::one_line;
use sim_core::predict::answer::Answer;
use sim_core::predict::group::{Part, Window};
use sim_core::predict::question::Question;
use sim_core::predict::reading::Reading;

/// Arguments of `corun predict`.
#[derive(Args, Debug)]
#[command(after_help = "\
Kernels run once, together from the start, each on SMs of its own; SMs that are freed stay idle. The formulas are those of Masola et al., JSSPP \
2023; `fluid` is a model of ours. `corun schema predict` has the format, docs/predict.md what is computed and what it is good for.

Exit status: 0 done, 2 bad usage or input.")]
pub struct Predict {
    /// The group, a JSON file; `-` for standard input
    file: String,
    /// How Eq. 15 is read, whatever the file says
    #[arg(long)]
    reading: Option<Named>,
    /// Search for the partition of the SMs that meets the kernels' deadlines, and of these has the shortest makespan, by prediction
    #[arg(long)]
    plan: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
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
        let mut question = Question::decode(&input::read(&self.file)?)?;
        if let Some(named) = self.reading {
            question.model.reading = Reading::ALL[named as usize];
        }
        let answer = if self.plan { Answer::of_plan(&question)? } else { Answer::of(&question)? };
        if self.json { output::print_json(&answer.to_value(&question)) } else { print(&question, &answer) }
    }
}

/// For people: each kernel, then each window.
fn print(question: &Question, answer: &Answer) -> Result<(), Failure> {
    let platform = &answer.platform;
    if !question.name.is_empty() {
        output::print(&one_line(&question.name))?;
    }
    output::print(&format!(
        "{} SMs, {} L2 banks; bandwidth {} nominal, {} sustained; reading {}",
        platform.sms,
        platform.l2_banks,
        platform.bandwidth_max,
        platform.bandwidth_sustained,
        question.model.reading.name()
    ))?;
    if let Some(plan) = &answer.plan {
        let how = if plan.meets { "the shortest that meets every deadline" } else { "no partition meets every deadline; the least late" };
        output::print(&format!("plan: {how}, of {} partitions in steps of {} SMs", plan.tried, plan.step))?;
    }
    output::print(&format!(
        "\n{:<16}{:>5}{:>12}{:>12}{:>12}{:>10}{:>12}{:>12}{:>12}",
        "kernel", "SMs", "alone", "Tc", "latency", "slowdown", "bandwidth", "naive", "deadline"
    ))?;
    for (at, load) in answer.loads.iter().enumerate() {
        let (kernel, predicted) = (&question.kernels[at], &answer.prediction.kernels[at]);
        let numbers = [load.latency, load.tc, predicted.latency].map(|x| format!("{:>12}", number(x))).concat();
        let deadline = kernel
            .deadline
            .map_or("–".into(), |end| format!("{} {}", number(end), if predicted.latency <= end { "met" } else { "missed" }));
        output::print(&format!(
            "{:<16}{:>5}{numbers}{:>10.3}{:>12}{:>12}{deadline:>12}",
            one_line(&kernel.name),
            load.sms,
            predicted.slowdown,
            number(load.bandwidth),
            number(answer.naive(at))
        ))?;
    }
    output::print(&format!("makespan {}", number(answer.prediction.makespan())))?;
    output::print(&format!("\n{:<6}{:>12}{:>12}{:>12}{:>8}  share × Π of each kernel", "window", "from", "to", "S", "I"))?;
    for (at, window) in answer.prediction.windows.iter().enumerate() {
        output::print(&line(question, answer, at, window))?;
    }
    Ok(())
}

fn line(question: &Question, answer: &Answer, at: usize, window: &Window) -> String {
    let part = |(kernel, part): (&str, &Part)| format!("{} {:.3}×{:.3}", one_line(kernel), part.share, part.penalty);
    let kernels = question.kernels.iter().zip(&answer.prediction.kernels);
    let parts: Vec<String> =
        kernels.filter_map(|(kernel, predicted)| Some(part((kernel.name.as_str(), predicted.parts.get(at)?)))).collect();
    let numbers = [window.start, window.end, window.sum].map(|x| format!("{:>12}", number(x))).concat();
    format!("{:<6}{numbers}{:>8.4}  {}", at + 1, window.interference, parts.join(", "))
}

/// Five significant digits, whatever the unit.
fn number(x: f64) -> String {
    let digits = if x == 0.0 { 0 } else { x.abs().log10().floor() as i32 };
    if (-4..9).contains(&digits) { format!("{x:.*}", (4 - digits).max(0) as usize) } else { format!("{x:.4e}") }
}
