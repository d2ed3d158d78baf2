//! `corun silicon`: what kernels took on a real GPU, alone and beside each other, and what the machine makes of the same. What it makes of it is the core's.

use crate::kind::{self, Kind};
use crate::number::whole;
use crate::{input, text};
use clap::Args;
use corun_lab::lab::Want;
use corun_lab::native;
use corun_lab::{Failure, output, problem, workers};
use sim_core::describe::error::Problems;
use sim_core::describe::gpu::presets;
use sim_core::describe::scale::PARTS;
use sim_core::describe::value::Value;
use sim_core::run::simulation::Simulation;
use sim_core::study::silicon::{self, Case, MAX_BYTES, Measured, On, Simulated, Summary};
use std::io::Read;
use std::num::NonZero;

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
    /// Cycles of each run that are measured, once L2 has filled: 20000, 20k, 1e6
    #[arg(long, value_name = "N", default_value = "200k", value_parser = whole)]
    cycles: u64,
    /// How many simulations run at once; as many as there are cores if left out
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<u16>>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Silicon {
    pub fn execute(self) -> Result<(), Failure> {
        let unreadable = |error: &dyn std::fmt::Display| problem("(file)", format!("{}: {error}", self.file), "a CSV file");
        let mut bytes = Vec::new();
        let source: Box<dyn Read> = if self.file == "-" { Box::new(std::io::stdin()) } else { Box::new(input::open(&self.file)?) };
        source.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
        if let Some(problems) = kind::of_another_tool(&self.file, &bytes, Kind::Times) {
            return Err(problems.into());
        }
        let content = String::from_utf8(bytes).map_err(|error| unreadable(&error))?;
        let measured = Measured::read(&content)?;
        let simulated = match &self.gpu {
            Some(gpu) => Some(self.simulate(&measured, gpu)?),
            None => None,
        };
        if self.json {
            let setting = self.gpu.as_ref().map(|gpu| silicon::setting(&measured, self.on(gpu))).transpose()?;
            return output::print_json(&silicon::to_value(&measured, simulated.as_ref(), setting)?);
        }
        output::print(&report(&measured, simulated.as_ref())?)
    }

    fn on<'a>(&'a self, gpu: &'a str) -> On<'a> {
        On { gpu, scale: &self.scale, cycles: self.cycles }
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
        let cases = silicon::cases(measured);
        let experiments: Vec<_> = cases.iter().map(|&case| silicon::experiment(measured, self.on(gpu), case)).collect::<Result<_, _>>()?;
        workers::stop_at_signals();
        let ipc = |run: &mut Simulation| {
            run.result().get("kernels").and_then(|kernels| kernels.items().last()?.get("ipc").cloned()).unwrap_or_default()
        };
        let wants = experiments.into_iter().map(|experiment| Want::new(experiment, ipc)).collect();
        let found = native::outcomes(wants, None, workers::jobs(self.jobs))?;
        let found = found.ok_or_else(|| Failure::Interrupted("nothing is kept".into()))?;
        let of_whole = |(case, ipc): (Case, Value)| Some((case, silicon::of_whole(&self.scale, ipc.as_f64()?)));
        Ok(cases.into_iter().zip(found).filter_map(of_whole).collect())
    }
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
    let mut said = vec![silicon::title(measured)?];
    said.push(format!(
        "Slowdown of a row beside a column\n\n{}",
        matrix(measured, |row, beside| measured.slowdown(&measured.pairs, row, beside))
    ));
    let Some(simulated) = simulated else { return Ok(said.join("\n\n")) };
    said.push(format!("Simulated\n\n{}", matrix(measured, |row, beside| silicon::slowdown(simulated, row, beside))));
    let summary = Summary::of(measured, simulated);
    said.extend(summary.alone);
    said.push(text::table(1, summary.errors));
    said.push(summary.right);
    Ok(said.join("\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser, Debug)]
    struct Alone {
        #[command(flatten)]
        of: Silicon,
    }

    #[test]
    fn a_run_is_as_long_as_on_the_page() {
        assert_eq!(Alone::parse_from(["silicon", "file.csv"]).of.cycles, silicon::CYCLES);
    }
}
