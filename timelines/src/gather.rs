//! Launches as they come, in any order: the earliest are kept.

use crate::scan::END;
use crate::timeline::{Device, Ended, Kernel, Kernels, Launched, MOST_LAUNCHES, Shape, Timeline, Tool};
use corun_traces::fault::{Fault, Found, fault};
use sim_core::describe::error::Problem;
use std::collections::{BTreeMap, HashMap};

/// What is read.
pub const WANT: &str = "a trace of PyTorch's profiler, or a table `cuda_gpu_trace` of Nsight Systems";

/// What is read, and what makes it.
pub fn want() -> String {
    format!(
        "{WANT}: `profile.export_chrome_trace(\"trace.json.gz\")` writes the one, `nsys stats --report cuda_gpu_trace --format csv FILE.nsys-rep` prints \
         the other"
    )
}

/// A launch whose time is still the profiler's.
#[derive(Debug)]
struct Launch {
    start: i64,
    /// Launches that start at once keep the order of the file.
    order: u64,
    duration: u64,
    kernel: u32,
    device: u32,
    stream: u64,
}

/// Stretches that are lost: profilers write by buffers, of which there are a few.
const MOST_LOST: usize = 100;

/// What is said of a file that ends before there is anything to show.
pub fn cut() -> Fault {
    fault("a file that ends before its first kernel", format!("all of it: {COPY}"))
}

/// What mends a file that ends early.
pub const COPY: &str = "copy it again; a profiler that is stopped before it has written leaves half a file, too";

/// Launches of a file.
#[derive(Debug, Default)]
pub struct Gather {
    kernels: Kernels,
    launches: Vec<Launch>,
    seen: u64,
    /// Starts that follow each other in the file in the order of time, as the first one and the last end.
    runs: Vec<(i64, i64)>,
    /// The start of the last launch in the file.
    last: i64,
    /// GPUs by their numbers.
    pub devices: BTreeMap<u32, Device>,
    /// Copies and fills of memory.
    pub copies: u64,
    /// Launches that end before they start, and what the first of them is.
    negative: (u64, String),
    /// What is to be known besides.
    pub notes: Vec<String>,
}

impl Gather {
    /// Takes a launch of these times in nanoseconds, which stands there in the file.
    pub fn add(&mut self, kernel: Kernel, device: u32, stream: u64, [start, duration]: [i64; 2], place: impl FnOnce() -> String) {
        let Ok(duration) = u64::try_from(duration) else {
            // Older profilers write this of a few short kernels, newer ones 0: no reason to lose all others.
            if self.negative.0 == 0 {
                self.negative.1 = format!("{}, of {duration} ns", place());
            }
            self.negative.0 += 1;
            return;
        };
        let launch = Launch { start, order: self.seen, duration, kernel: self.kernels.number(kernel), device, stream };
        let end = start.saturating_add_unsigned(duration);
        match self.runs.last_mut().filter(|_| start >= self.last) {
            Some(run) => run.1 = run.1.max(end),
            None => self.runs.push((start, end)),
        }
        (self.last, self.seen) = (start, self.seen + 1);
        self.launches.push(launch);
        // Profilers do not write by start: which ones are the earliest is known at the end alone.
        if self.launches.len() >= 2 * MOST_LAUNCHES {
            self.launches.select_nth_unstable_by_key(MOST_LAUNCHES, |launch| (launch.start, launch.order));
            self.launches.truncate(MOST_LAUNCHES);
            self.forget_kernels();
            self.merge_runs();
        }
    }

    /// Makes one of runs that overlap, in the order of time. The last one stays the one that grows.
    fn merge_runs(&mut self) {
        let Some(growing) = self.runs.last().copied() else { return };
        self.runs.sort_unstable();
        self.runs.dedup_by(|next, run| {
            let meet = next.0 <= run.1;
            run.1 = if meet { run.1.max(next.1) } else { run.1 };
            meet
        });
        self.runs.push(growing);
    }

    /// How many launches came.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// The problem that a file has no kernels: why it ended, if it ended early, or what was found in all of it.
    pub fn nothing(&self, name: &str, ended: Option<Problem>, found: Fault) -> Problem {
        match ended {
            Some(ended) if ended.found == END => cut().at(name),
            Some(ended) => Problem { path: format!("{name}: {}", ended.path), ..ended },
            None => found.at(name),
        }
    }

    /// Where the file ended, and what is wrong there unless it is that nothing follows.
    fn ended(&mut self, problem: Problem, from: i64, until: u64) -> Ended {
        self.merge_runs();
        self.runs.pop();
        let since = |time: i64| if time > from { time.abs_diff(from).min(until) } else { 0 };
        let lost = self.runs.windows(2).map(|two| (since(two[0].1), since(two[1].0))).filter(|(from, to)| from < to);
        let lost: Vec<_> = lost.take(MOST_LOST + 1).collect();
        // A file in no order of time says nothing of where it has all.
        let lost = if lost.len() > MOST_LOST { Vec::new() } else { lost };
        let broken = (problem.found != END).then_some((problem.path, problem.found, problem.want));
        Ended { launches: self.seen, last: since(self.last), lost, broken }
    }

    /// Numbers kernels anew by their first use, so that none stays that no launch has.
    fn forget_kernels(&mut self) {
        let all = std::mem::take(&mut self.kernels).finish();
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        for launch in &mut self.launches {
            let number = numbers.entry(launch.kernel).or_insert_with(|| self.kernels.number(all[launch.kernel as usize].clone()));
            launch.kernel = *number;
        }
    }

    /// The timeline.
    pub fn finish(mut self, tool: Tool, ended: Option<Problem>) -> Timeline {
        self.launches.sort_unstable_by_key(|launch| (launch.start, launch.order));
        self.launches.truncate(MOST_LAUNCHES);
        self.forget_kernels();
        let behind = self.seen - self.launches.len() as u64;
        let notes = [
            said(behind, ["launch is left out", "launches are left out"]).map(|what| format!("{what}, behind the first {MOST_LAUNCHES}")),
            said(self.copies, ["copy or fill of memory is left out", "copies and fills of memory are left out"]),
            said(self.negative.0, ["launch that ends before it starts is left out", "launches that end before they start are left out"])
                .map(|what| format!("{what}, the first {}", self.negative.1)),
        ];
        self.notes.splice(0..0, notes.into_iter().flatten());
        for launch in &self.launches {
            self.devices.entry(launch.device).or_insert_with(|| Device { id: launch.device, ..Device::default() });
        }
        let places: HashMap<u32, u32> = self.devices.keys().copied().zip(0..).collect();
        let first = self.launches.first().map_or(0, |launch| launch.start);
        let launched = |launch: &Launch| Launched {
            kernel: launch.kernel,
            device: places[&launch.device],
            stream: launch.stream,
            start: launch.start.abs_diff(first),
            duration: launch.duration,
        };
        let launches: Vec<Launched> = self.launches.iter().map(launched).collect();
        let until = launches.iter().map(Launched::end).max().unwrap_or(0);
        let ended = ended.map(|problem| self.ended(problem, first, until));
        Timeline { tool, launches, devices: self.devices.into_values().collect(), kernels: self.kernels.finish(), notes: self.notes, ended }
    }
}

/// Most CTAs along x, y, z, threads likewise, and threads in all: CUDA's own limits.
const MOST_CTAS: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];
const MOST_THREADS: [u32; 3] = [1024, 1024, 64];
const MOST_THREADS_OF_CTA: u64 = 1024;

/// Most registers of a thread.
const MOST_REGISTERS: u32 = 255;

/// Most bytes of shared memory of a CTA: more than any GPU has.
const MOST_SHARED: u32 = 1 << 20;

/// What is wrong with a shape, and with which of its parts, if it is none that a kernel can be launched with.
pub fn check(shape: &Shape) -> Result<(), (&'static str, Fault)> {
    extent(shape.grid, MOST_CTAS, "CTAs").map_err(|fault| ("grid", fault))?;
    extent(shape.block, MOST_THREADS, "threads").map_err(|fault| ("block", fault))?;
    let threads: u64 = shape.block.iter().map(|n| u64::from(*n)).product();
    if threads > MOST_THREADS_OF_CTA {
        return Err(("block", fault(format!("{threads} threads"), format!("at most {MOST_THREADS_OF_CTA} threads in a CTA"))));
    }
    let at_most = |part, n: u32, most: u32, what: &str| {
        if n > most { Err((part, fault(n.to_string(), format!("{what}, 0 to {most}")))) } else { Ok(()) }
    };
    at_most("registers", shape.registers, MOST_REGISTERS, "registers of a thread")?;
    at_most("shared memory", shape.shared_bytes, MOST_SHARED, "bytes of shared memory of a CTA")
}

fn extent(n: [u32; 3], most: [u32; 3], what: &str) -> Found<()> {
    let fits = n.iter().zip(most).all(|(n, most)| (1..=most).contains(n));
    if fits { Ok(()) } else { Err(fault(format!("{n:?}"), format!("three numbers of {what}, 1 to {most:?}"))) }
}

/// So many of what is said in words for one and for many, unless there is none.
pub fn said(count: u64, [one, many]: [&str; 2]) -> Option<String> {
    (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { many }))
}
