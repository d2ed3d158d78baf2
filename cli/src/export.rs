//! `corun export`: an experiment's kernels as files of another tool.

use crate::input::ExperimentArgs;
use crate::text;
use clap::{Args, Subcommand};
use corun_lab::output::Whole;
use corun_lab::{Failure, output, problem, workers};
use corun_traces::export::Launch;
use sim_core::describe::kernel::Kernel;
use sim_core::machine::sm::code::Code;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// What can be exported.
#[derive(Subcommand, Debug)]
pub enum Export {
    /// Traces that Accel-Sim reads, one for each launch, and kernelslist.g
    Accelsim(Accelsim),
}

/// Arguments of `corun export accelsim`.
#[derive(Args, Debug)]
#[command(after_help = "\
Each kernel's launches have a stream of their own, and are listed in the order of their numbers: the first launch of every kernel, then the second ones. Lanes, \
addresses, registers and shared memory are those of the description; registers that instructions name stand for what they wait for.

Exit status: 0 done; 1 output lost; 2 bad usage or input; 130 stopped by Ctrl-C or SIGTERM.")]
pub struct Accelsim {
    #[command(flatten)]
    source: ExperimentArgs,
    /// Write kernelslist.g and the traces into this folder, which is made if need be
    #[arg(long, value_name = "DIR")]
    out: String,
    /// Write .tracez, for Accel-Sim 2.0, in place of .traceg
    #[arg(long)]
    tracez: bool,
}

impl Export {
    pub fn execute(self) -> Result<(), Failure> {
        let Export::Accelsim(command) = self;
        command.execute()
    }
}

impl Accelsim {
    fn execute(self) -> Result<(), Failure> {
        let experiment = self.source.experiment()?;
        workers::stop_at_signals();
        let recorded = |kernel: &Kernel| kernel.launches.iter().any(|launch| launch.recorded.is_some());
        if let Some(at) = experiment.kernels.iter().position(|used| recorded(&used.kernel)) {
            let found = format!("{}, which is recorded", experiment.kernels[at].kernel.name);
            return Err(problem(&format!("kernels[{at}]"), found, "described kernels: a recorded one has a trace already").into());
        }
        let folder = Path::new(&self.out);
        fs::create_dir_all(folder).map_err(|error| problem("--out", format!("{}: {error}", self.out), "a folder that can be made"))?;
        let line_bytes = experiment.gpu.l2.line_bytes;
        let compiled: Vec<_> = experiment
            .kernels
            .iter()
            .map(|used| &used.kernel)
            .enumerate()
            .map(|(stream, kernel)| {
                let codes = Code::compile(kernel, stream, experiment.seed, line_bytes, &experiment.gpu.sms[0]);
                (kernel, codes, kernel.sequence().map(|(number, _)| number).collect::<Vec<_>>())
            })
            .collect();
        let longest = compiled.iter().map(|(_, codes, _)| codes.len()).max().unwrap_or(0);
        let launches = (0..longest).flat_map(|at| compiled.iter().enumerate().map(move |(stream, kernel)| (at, stream, kernel)));
        let (mut list, mut id, mut bytes) = (String::new(), 0, 0);
        for (at, stream, (kernel, codes, numbers)) in launches {
            let Some((code, number)) = codes.get(at).zip(numbers.get(at)) else { continue };
            id += 1;
            let name = format!("kernel-{id}.{}", if self.tracez { "tracez" } else { "traceg" });
            let launch = Launch { name: &kernel.name, id, stream, code, program: &kernel.launches[*number].program, line_bytes };
            bytes += self.write(&folder.join(&name), &launch)?;
            list += &format!("{name}\n");
        }
        output::write(&folder.join("kernelslist.g"), &list)?;
        let grouped = |n: u64| text::grouped(i64::try_from(n).unwrap_or(i64::MAX));
        let file = folder.join("kernelslist.g");
        output::print(&format!("{}: {id} launches, {} bytes", file.display(), grouped(bytes)))
    }

    /// Writes the trace of a launch; gives its size.
    fn write(&self, path: &Path, launch: &Launch<'_>) -> Result<u64, Failure> {
        let mut file =
            Whole::open(path).map_err(|error| problem("--out", format!("{}: {error}", path.display()), "a file that can be written"))?;
        let mut sized = Sized { file: &mut file, bytes: 0 };
        let written =
            if self.tracez { launch.packed(&mut sized, &workers::interrupted) } else { launch.grouped(&mut sized, &workers::interrupted) };
        let bytes = sized.bytes;
        if workers::interrupted() {
            return Err(Failure::Interrupted(format!("before {} was whole", path.display())));
        }
        written.map_err(output::not_written)?;
        file.finish().map(|()| bytes)
    }
}

/// A file, and how much has been written to it.
struct Sized<'f> {
    file: &'f mut Whole,
    bytes: u64,
}

impl Write for Sized<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
