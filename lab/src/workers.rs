//! Simulations on every core, with progress on stderr, until they are done or a signal comes.

use crate::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sim_core::describe::error::Problems;
use sim_core::run::experiment::Experiment;
use sim_core::run::plan::SoloProfiles;
use sim_core::run::simulation::{Reason, Simulation};
use std::io::IsTerminal;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Cycles between two looks at the flag that Ctrl-C sets: well below a tenth of a second.
const SLICE: u64 = 4096;

/// Between two looks at the progress.
pub const LOOK: Duration = Duration::from_millis(100);

/// Between two lines of progress where stderr is no terminal, and before the first of them.
const TELL: Duration = Duration::from_secs(60);
const TELL_FIRST: Duration = Duration::from_secs(10);

/// Set by Ctrl-C and SIGTERM.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C and SIGTERM end the work in an orderly way; a second one ends it at once.
pub fn stop_at_signals() {
    // Without a handler, a signal ends the process, and --resume still finds what is done.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// Whether the work is to stop.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Ends the work as a signal does.
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// How many simulations run at once: so many as asked for, or else as many as there are cores.
pub fn jobs(asked: Option<NonZero<u16>>) -> usize {
    let cores = || thread::available_parallelism().ok().and_then(|n| n.try_into().ok());
    usize::from(asked.or_else(cores).map_or(1, NonZero::get))
}

/// The value of a mutex, even if a thread panicked while it held the lock.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `work` on `jobs` threads, on each until it gives nothing; tells how many `steps` of all are `done` meanwhile.
pub fn run(jobs: usize, steps: &AtomicU64, done: &AtomicU64, work: impl Fn() -> Option<()> + Sync) {
    thread::scope(|scope| {
        let (ended, all) = channel::<()>();
        for _ in 0..jobs {
            let ended = ended.clone();
            let work = &work;
            scope.spawn(move || {
                while work().is_some() {}
                drop(ended);
            });
        }
        drop(ended);
        let mut progress = Progress::new();
        while all.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            progress.show(done.load(Ordering::Relaxed), steps.load(Ordering::Relaxed));
        }
        progress.bar.finish_and_clear();
    });
}

/// Runs an experiment to its end with what its policy has to know, and adds its `steps` to `done` on the way; nothing if the work is to
/// stop. Where `begun` has ended as the beginning of the same run, it goes on from there. `advance` does so by at most so many cycles.
pub fn simulate(
    experiment: &Experiment,
    answers: &SoloProfiles,
    begun: Option<Simulation>,
    steps: u64,
    done: &AtomicU64,
    advance: impl Fn(&mut Simulation, u64) -> Reason,
) -> Result<Option<Simulation>, Problems> {
    let begun = begun.and_then(|mut begun| begun.go_on(experiment).then_some(begun));
    let mut simulation = begun.map_or_else(|| Simulation::with(experiment, answers), Ok)?;
    let mut told = 0;
    loop {
        if interrupted() {
            return Ok(None);
        }
        let reason = advance(&mut simulation, SLICE);
        let part = if reason == Reason::Budget { simulation.part_done() } else { 1.0 };
        let so_far = told.max((part * steps as f64) as u64);
        done.fetch_add(so_far - told, Ordering::Relaxed);
        told = so_far;
        if reason != Reason::Budget {
            return Ok(Some(simulation));
        }
    }
}

/// Puts together, in the order of their ends, what differs only in when it ends: each can go on where the one before it ended.
pub fn chains<T>(items: impl IntoIterator<Item = T>, experiment: impl Fn(&T) -> &Experiment) -> Vec<Vec<T>> {
    let mut chains: Vec<(String, Vec<T>)> = Vec::new();
    for item in items {
        let trunk = experiment(&item).trunk_hash();
        let stop = experiment(&item).stop;
        let fits = |chain: &[T]| {
            let place = chain.partition_point(|other| experiment(other).stop.is_no_later_than(stop));
            (place == chain.len() || stop.is_no_later_than(experiment(&chain[place]).stop)).then_some(place)
        };
        let found = chains.iter_mut().filter(|(other, _)| *other == trunk).find_map(|(_, chain)| Some((fits(chain)?, chain)));
        match found {
            Some((place, chain)) => chain.insert(place, item),
            None => chains.push((trunk, vec![item])),
        }
    }
    chains.into_iter().map(|(_, chain)| chain).collect()
}

/// A bar on a terminal, else a line now and then.
struct Progress {
    bar: ProgressBar,
    lines: bool,
    started: Instant,
    tell_at: Duration,
}

impl Progress {
    fn new() -> Progress {
        let lines = !std::io::stderr().is_terminal();
        let target = if lines { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let style = ProgressStyle::with_template("{bar:40} {percent}% {elapsed} {msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(Some(1), target).with_style(style);
        Progress { bar, lines, started: Instant::now(), tell_at: TELL_FIRST }
    }

    fn show(&mut self, steps: u64, all: u64) {
        let (elapsed, all) = (self.started.elapsed(), all.max(1));
        let left = elapsed.as_secs_f64() * all.saturating_sub(steps) as f64 / steps.max(1) as f64;
        let message =
            if steps == 0 { String::new() } else { format!("about {} left", indicatif::HumanDuration(Duration::from_secs_f64(left))) };
        if self.lines && elapsed >= self.tell_at {
            output::say(&format!("{} % after {}, {message}", 100 * steps / all, indicatif::HumanDuration(elapsed)));
            self.tell_at = elapsed + TELL;
        }
        self.bar.set_message(message);
        self.bar.set_length(all);
        self.bar.set_position(steps);
    }
}
