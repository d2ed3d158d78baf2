//! `corun curve`: how a kernel's speed alone grows with what it is given.

use crate::number::whole;
use crate::out::Out;
use crate::store::Kept;
use crate::sweep::{How, Shard};
use crate::{report, results, text};
use clap::{Args, Subcommand};
use corun_lab::jsonl::Lines;
use corun_lab::{Failure, output, problem};
use sim_core::describe::error::Problems;
use sim_core::describe::gpu::presets;
use sim_core::describe::record::Datum;
use sim_core::describe::scale::PARTS;
use sim_core::describe::value::Value;
use sim_core::study::curve::{Curve, sms};
use sim_core::study::figure::{Options, draw};
use sim_core::study::sweep::Sweep;
use std::num::NonZero;

/// What is given.
#[derive(Subcommand, Debug)]
pub enum Curves {
    /// Speed of a kernel alone over numbers of SMs, with the whole of L2 and DRAM
    Sms(Sms),
}

/// Arguments of `corun curve sms`.
#[derive(Args, Debug)]
#[command(after_help = "\
Runs the kernel by itself on 1, 2 and up to all SMs of the GPU, about 16 numbers evenly apart, each until its IPC is known to 2 % or for --cycles. \
Speed is IPC by that on all SMs: where the curve is flat, SMs can be given away, as by MPS, MIG or green contexts.

Example: corun curve sms interference/dram --gpu h100 --scale 1/4 --svg curve.svg

Exit status: as of `corun sweep`.")]
pub struct Sms {
    /// The kernel: `corun list kernels`
    kernel: String,
    /// The GPU: `corun list gpus`
    #[arg(long, value_name = "NAME", default_value = "ccbp-16sm")]
    gpu: String,
    /// Take a part of the GPU; numbers of SMs are those of the part
    #[arg(long, value_name = "PART", default_value = "1", value_parser = clap::builder::PossibleValuesParser::new(PARTS))]
    scale: String,
    /// Cycles of each run at most: 20000, 20k, 1e6
    #[arg(long, value_name = "N", default_value = "500k", value_parser = whole)]
    cycles: u64,
    /// How many simulations run at once; as many as there are cores if left out
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<u16>>,
    #[command(flatten)]
    kept: Kept,
    /// Print JSON
    #[arg(long, conflicts_with_all = ["csv", "svg"])]
    json: bool,
    /// Comma-separated, on stdout or to this file
    #[arg(long, value_name = "FILE", conflicts_with = "svg")]
    csv: Option<Option<String>>,
    /// A plot, on stdout or to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<Option<String>>,
}

impl Curves {
    pub fn execute(self) -> Result<(), Failure> {
        match self {
            Curves::Sms(sms) => sms.execute(),
        }
    }
}

impl Sms {
    fn execute(self) -> Result<(), Failure> {
        let sweep = self.sweep()?;
        let experiment = sweep.point(0)?.experiment;
        let to = |file: &Option<String>| Out { out: file.clone() }.open("");
        // Files are opened before anything runs.
        let (csv, svg) = (self.csv.as_ref().map(to).transpose()?, self.svg.as_ref().map(to).transpose()?);
        let mut lines = Lines::scratch()?;
        How::new(self.jobs, self.kept.clone()).run(&sweep, Shard::WHOLE, &mut lines)?;
        let mut points = Vec::new();
        results::read_own(&mut lines, |line| {
            points.push(line.clone());
            Ok(())
        })?;
        let curve = Curve::of(&experiment.kernels[0].kernel.name, &self.on(&experiment.gpu.name), &points)?;
        match (csv, svg) {
            (Some(out), _) => out.print(&csv_of(&curve)),
            (_, Some(out)) => out.print(&draw(&curve.figure(), Options::default())),
            _ if self.json => output::print_json(&curve.write()),
            _ => output::print(&table(&curve, &points)),
        }
    }

    /// The GPU, or which part of it.
    fn on(&self, gpu: &str) -> String {
        if self.scale == "1" { gpu.to_owned() } else { format!("{} of {gpu}", self.scale) }
    }

    fn sweep(&self) -> Result<Sweep, Problems> {
        let gpu = presets::find(&self.gpu)
            .ok_or_else(|| problem("--gpu", format!("{:?}", self.gpu), "the name of a preset: `corun list gpus`"))?;
        sms(&self.kernel, &gpu, &self.scale, self.cycles)
    }
}

/// A line for each number of SMs.
fn table(curve: &Curve, points: &[Value]) -> String {
    let heading = ["SMs", "IPC, thread instr./cycle", "speed, of all SMs", "speed by share of SMs"].map(String::from).to_vec();
    let rows = curve.points.iter().zip(points).map(|(point, line)| {
        let ipc = line.get("result").map_or(String::new(), |result| report::figure(result, "gpu", "ipc"));
        let number = |x: Option<f64>| x.map_or("–".into(), |x| format!("{x:.3}"));
        vec![point.sms.to_string(), ipc, number(point.speed), number(point.by_share)]
    });
    format!("{} alone on {}\n\n{}", curve.kernel, curve.gpu, text::table(0, [heading].into_iter().chain(rows)))
}

fn csv_of(curve: &Curve) -> String {
    let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
    let rows =
        curve.points.iter().map(|point| format!("{},{},{},{}", point.sms, number(point.ipc), number(point.speed), number(point.by_share)));
    ["sms,ipc,speed,by_share".to_owned()].into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}
