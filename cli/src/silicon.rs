//! `corun silicon`: what kernels took on a real GPU, alone and beside each other, and what the machine makes of the same. What it makes of it is the core's.

use crate::kind::{self, Kind};
use crate::number::whole;
use crate::{input, text};
use clap::Args;
use corun_batch::{Failure, output, problem, workers};
use sim_core::describe::error::Problems;
use sim_core::describe::gpu::presets;
use sim_core::describe::scale::PARTS;
use sim_core::run::plan::SoloProfiles;
use sim_core::study::silicon::{self, MAX_BYTES, Measured, On, Simulated, Summary};
use std::io::Read;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

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
        let (next, done, found) = (AtomicU64::new(0), AtomicU64::new(0), Mutex::new(Ok(Simulated::new())));
        workers::stop_at_signals();
        workers::run(workers::jobs(self.jobs), cases.len() as u64 * workers::STEPS, &done, || {
            let n = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed) as usize;
            let experiment = experiments.get(n)?;
            let ended = workers::simulate(experiment, &SoloProfiles::default(), None, workers::STEPS, &done);
            let ipc = ended.map(|simulation| simulation?.result().get("kernels")?.items().last()?.get("ipc")?.as_f64());
            let mut found = workers::locked(&found);
            match ipc {
                Ok(Some(ipc)) => found.as_mut().ok()?.insert(cases[n], silicon::of_whole(&self.scale, ipc)),
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
