//! `corun import`: what another tool has seen: kernels that it traced, recorded, and timelines of their launches.

use crate::{input, text, timeline};
use clap::{Args, Subcommand};
use corun_lab::store::Store;
use corun_lab::{Failure, output, problem, workers};
use corun_timelines::{read, rows, stored};
use corun_traces::import;
use corun_traces::list::{self, Entry};
use corun_traces::record::{Choice, Recorder};
use corun_traces::unpack::{self, Kind};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sim_core::describe::error::Problems;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What can be imported.
#[derive(Subcommand, Debug)]
pub enum Import {
    /// Traces that Accel-Sim's tracer has written: .trace, .traceg, either packed with xz or gzip, .tracez, and lists of them
    Accelsim(Accelsim),
    /// Timelines of real programs: traces of PyTorch's profiler (Kineto), packed with gzip or not, and cuda_gpu_trace of Nsight Systems as CSV
    Timeline(Timeline),
}

/// Arguments of `corun import timeline`.
#[derive(Args, Debug)]
#[command(after_help = "\
Prints which GPUs, kernels and streams there are, how long the GPU was busy, and which kernels overlap, why others do not, and what that costs: `corun explain \
FILE` says it too, and its --json all of it. The first 100,000 launches are kept: names, shapes, streams and times. What is left out, and where a file ended early, is listed on stderr. Nothing of users, hosts or processes is kept.

Exit status: 0 done; 1 output lost; 2 bad usage or input; 130 stopped by Ctrl-C or SIGTERM: then nothing is written.")]
pub struct Timeline {
    /// trace.json or trace.json.gz of torch.profiler, a table of `nsys stats --report cuda_gpu_trace --format csv`, or what --out wrote
    #[arg(value_name = "FILE")]
    file: String,
    /// Say what it would be on this GPU, such as h200-sxm: `corun list gpus`
    #[arg(long, value_name = "GPU")]
    gpu: Option<String>,
    /// Write the launches to this file
    #[arg(long, value_name = "FILE")]
    out: Option<String>,
    /// Keep what co-runs cost in this store, beside that of other files: `corun store --store DIR --measured` prints it
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
}

/// Arguments of `corun import accelsim`.
#[derive(Args, Debug)]
#[command(after_help = "\
The recording holds what the trace says of each kernel, its instructions, masks and addresses; pages of 2 MiB are numbered as they first come. What a run \
makes simpler than the traced GPU did is listed on stderr. `corun show FILE.corun` prints what is in it.

Exit status: 0 done; 1 output lost; 2 bad usage or input; 130 stopped by Ctrl-C or SIGTERM: then nothing is written.")]
pub struct Accelsim {
    /// A kernel's trace, or kernelslist or kernelslist.g with all kernels of a program
    #[arg(value_name = "FILE")]
    file: String,
    /// Record only the kernel of this number
    #[arg(long, value_name = "ID")]
    kernel: Option<u64>,
    /// Record only these CTAs, by their numbers in the grid: A and more, less than B
    #[arg(long, value_name = "A..B", value_parser = range)]
    ctas: Option<Range<u64>>,
    /// Refuse opcodes that no list of NVIDIA's has
    #[arg(long)]
    strict: bool,
    /// Write the recording to this file
    #[arg(long, value_name = "FILE.corun")]
    out: String,
}

fn range(text: &str) -> Result<Range<u64>, String> {
    let parsed = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    parsed.filter(|range: &Range<u64>| !range.is_empty()).ok_or_else(|| "want A..B with A less than B, such as 0..64".to_owned())
}

impl Import {
    pub fn execute(self) -> Result<(), Failure> {
        match self {
            Import::Accelsim(command) => command.execute(),
            Import::Timeline(command) => command.execute(),
        }
    }
}

/// A file that is being read: says how far, and ends where the work is to stop.
struct Watched {
    file: File,
    bar: ProgressBar,
}

impl Read for Watched {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if workers::interrupted() {
            return Err(io::Error::other("told to stop"));
        }
        let read = self.file.read(bytes)?;
        self.bar.inc(read as u64);
        Ok(read)
    }
}

impl Seek for Watched {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Reads a timeline, with progress, until somebody stops it.
pub fn read_timeline(file: File, name: &str) -> Result<corun_timelines::timeline::Timeline, Failure> {
    workers::stop_at_signals();
    let bar = progress([file.metadata().map_or(0, |about| about.len())].into_iter());
    let read = read::timeline(Watched { file, bar: bar.clone() }, name);
    bar.finish_and_clear();
    if workers::interrupted() {
        return Err(Failure::Interrupted(format!("while {name} was read; nothing is written")));
    }
    Ok(read.map_err(input::one)?)
}

impl Timeline {
    fn execute(self) -> Result<(), Failure> {
        let asked = timeline::asked(self.gpu.as_deref())?;
        let file = input::open(&self.file)?;
        let [out] = output::create(&self.file, [("--out", self.out.as_deref())])?;
        let timeline = read_timeline(file, &self.file)?;
        if let Some(mut out) = out {
            stored::write(&timeline, &mut out).map_err(output::not_written)?;
            out.finish()?;
        }
        if let Some(folder) = &self.store {
            self.keep(&timeline, folder)?;
        }
        let found = timeline::found(&timeline, asked.as_ref());
        output::print(&timeline::summary(&found))
    }

    /// Keeps what co-runs cost.
    fn keep(&self, timeline: &corun_timelines::timeline::Timeline, folder: &Path) -> Result<(), Failure> {
        let rows = rows::rows(timeline).map_err(output::not_written)?;
        if rows.is_empty() {
            output::say("note: no kernel was seen three times beside others of a name: nothing is kept in the store");
            return Ok(());
        }
        let store = Store::of_gpu(folder, &rows::digits(timeline).map_err(output::not_written)?, "--store")?;
        rows.iter().for_each(|(key, row)| store.put(key, &timeline::json(row)));
        Ok(())
    }
}

impl Accelsim {
    fn execute(self) -> Result<(), Failure> {
        workers::stop_at_signals();
        let started = Instant::now();
        let entries = self.entries()?;
        let bar = progress(entries.iter().map(|entry| match entry {
            Entry::Kernel(file) => fs::metadata(file).map_or(0, |about| about.len()),
            Entry::Copy(_) => 0,
        }));
        let [out] = output::create(&self.file, [("--out", Some(&*self.out))])?;
        let Some(out) = out else { return Err(problem("--out", "nothing", "a file").into()) };
        let choice = Choice { ctas: self.ctas.clone(), strict: self.strict };
        let mut recorder = Recorder::new(out, choice).map_err(|wrong| input::one(wrong.at("(output)")))?;
        let recorded = self.record(&entries, &bar, &mut recorder);
        bar.finish_and_clear();
        if workers::interrupted() {
            return Err(Failure::Interrupted(format!("while {} was read; {} is not written", self.file, self.out)));
        }
        recorded?;
        let (kernels, text_bytes) = (recorder.kernels(), recorder.text_bytes);
        if kernels == 0 {
            let found =
                self.kernel.map_or_else(|| "a list without kernels".into(), |id| format!("{}, which has no kernel {id}", self.file));
            return Err(problem("(file)", found, "a kernel to record").into());
        }
        let (out, bytes, notes) = recorder.finish().map_err(input::one)?;
        out.finish()?;
        notes.lines().iter().for_each(|note| output::say(&format!("note: {note}")));
        let grouped = |n: u64| text::grouped(i64::try_from(n).unwrap_or(i64::MAX));
        let one = if kernels == 1 { "" } else { "s" };
        output::print(&format!(
            "{}: {} kernel{one}, {} bytes of {} of text",
            self.out,
            grouped(kernels),
            grouped(bytes),
            grouped(text_bytes)
        ))?;
        let seconds = started.elapsed().as_secs_f64();
        output::say(&format!("{seconds:.2} s, {} MB of text a second", grouped((text_bytes as f64 / 1e6 / seconds) as u64)));
        Ok(())
    }

    /// The kernels to read and the copies between them: those of a list, or one kernel.
    fn entries(&self) -> Result<Vec<Entry>, Problems> {
        let mut file = input::open(&self.file)?;
        let head = unpack::head(&mut file, &self.file).map_err(input::one)?;
        if unpack::kind(&head) != Some(Kind::List) {
            return Ok(vec![Entry::Kernel(self.file.clone())]);
        }
        let listed = list::read((&head[..]).chain(file), &self.file).map_err(input::one)?;
        let folder = Path::new(&self.file).parent().unwrap_or(Path::new(""));
        let beside = |entry| match entry {
            Entry::Kernel(name) => Entry::Kernel(folder.join(name).to_string_lossy().into_owned()),
            copy @ Entry::Copy(_) => copy,
        };
        Ok(listed.into_iter().map(beside).collect())
    }

    fn record<W: io::Write>(&self, entries: &[Entry], bar: &ProgressBar, recorder: &mut Recorder<W>) -> Result<(), Problems> {
        for entry in entries {
            match entry {
                Entry::Copy(bytes) => recorder.copy(*bytes),
                Entry::Kernel(name) => {
                    let source = Watched { file: input::open(name)?, bar: bar.clone() };
                    import::kernel(source, name, self.kernel, recorder).map_err(input::one)?;
                }
            }
        }
        Ok(())
    }
}

/// A bar over the bytes of all files.
fn progress(sizes: impl Iterator<Item = u64>) -> ProgressBar {
    let target = if io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template("{bar:40} {bytes} of {total_bytes}, {eta} left");
    ProgressBar::with_draw_target(Some(sizes.sum()), target).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
