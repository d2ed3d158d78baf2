//! Threads that share the work of one run, where it is the only one.

use crate::workers::locked;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sim_core::machine::threads::{Job, Threads};
use sim_core::run::simulation::{Reason, Simulation};
use std::slice::IterMut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Threads for one run at a time. What it measures is the same without them.
#[derive(Debug)]
pub struct Crew {
    pool: ThreadPool,
    /// Runs under way.
    runs: AtomicUsize,
}

impl Crew {
    /// So many threads; nothing where one is enough, or the system has no more.
    pub fn new(threads: usize) -> Option<Crew> {
        let pool = (threads > 1).then(|| ThreadPoolBuilder::new().num_threads(threads).build().ok())??;
        Some(Crew { pool, runs: AtomicUsize::new(0) })
    }

    /// Counts a run as long as `during` takes: where others are under way, each keeps to a thread of its own.
    pub fn count<T>(&self, during: impl FnOnce() -> T) -> T {
        self.runs.fetch_add(1, Ordering::Relaxed);
        let done = during();
        self.runs.fetch_sub(1, Ordering::Relaxed);
        done
    }

    /// Advances a run by at most so many cycles, on all threads if it is the only one.
    pub fn advance(&self, run: &mut Simulation, cycles: u64) -> Reason {
        if self.runs.load(Ordering::Relaxed) > 1 {
            return run.advance(cycles);
        }
        run.share_work(Some(Arc::new(Pool)));
        let reason = self.pool.install(|| run.advance(cycles));
        run.share_work(None);
        reason
    }
}

/// The threads of the pool that the caller is in.
#[derive(Debug)]
struct Pool;

impl Threads for Pool {
    fn each(&self, jobs: &mut [Job<'_>]) {
        let threads = rayon::current_num_threads();
        let Some((first, others)) = jobs.split_first_mut() else { return };
        let own = others.len().div_ceil(threads).max(1);
        let left: Vec<Own> = others.chunks_mut(own).map(|jobs| Own(Mutex::new(jobs.iter_mut()))).collect();
        let work = || {
            let me = rayon::current_thread_index().unwrap_or(0);
            while let Some(job) = next(&left, me) {
                job.run();
            }
        };
        let here = || {
            first.run();
            work();
        };
        rayon::join(here, || spread(threads - 1, &work));
    }
}

/// What is left of a thread's own jobs, in a line of the host's cache of its own.
#[repr(align(128))]
struct Own<'j, 'w>(Mutex<IterMut<'j, Job<'w>>>);

/// A thread's next job: of its own the first, else the last that another one has left. So a thread does the same jobs most of the time, and what
/// they work on stays in its cache.
fn next<'j, 'w>(left: &[Own<'j, 'w>], me: usize) -> Option<&'j mut Job<'w>> {
    let own = left.get(me).and_then(|own| locked(&own.0).next());
    own.or_else(|| left.iter().find_map(|other| locked(&other.0).next_back()))
}

/// Calls a function on so many threads.
fn spread(threads: usize, work: &(impl Fn() + Sync)) {
    match threads {
        0 => {}
        1 => work(),
        _ => drop(rayon::join(|| spread(threads / 2, work), || spread(threads - threads / 2, work))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::describe::digest::hex;
    use sim_core::describe::value::Value;
    use sim_core::run::experiment::Experiment;
    use sim_core::study::profile;
    use std::fs;
    use std::path::Path;

    fn read(file: &Path) -> Value {
        serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
    }

    /// Advances a run on all threads of a crew, however little they gain.
    fn on(crew: &Crew, run: &mut Simulation, cycles: u64) -> Reason {
        run.machine_mut().share_work(Some(Arc::new(Pool)));
        crew.pool.install(|| run.advance(cycles))
    }

    /// Examples end as their goldens say, however many threads share them, and into whatever pieces they are cut.
    #[test]
    fn threads_change_no_golden() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let goldens = read(&root.join("tests/golden/digests.json"));
        let cycles = goldens.get("cycles").and_then(Value::as_int).unwrap() as u64;
        let crews = [2, 3, 8].map(|threads| Crew::new(threads).unwrap());
        let examples =
            [("bp-cfd-even", 400), ("bp-cfd-ccbp", 7001), ("bp-cfd-spart", 97), ("bp-cfd-smk", 4000), ("cfd-sad-two-level", 1000)];
        for ((name, slice), crew) in examples.into_iter().zip(crews.iter().cycle()) {
            let experiment = Experiment::decode(&read(&root.join(format!("examples/experiments/{name}.json")))).unwrap();
            let mut run = profile::start(&experiment).unwrap();
            while let left @ 1.. = cycles - run.cycle() {
                assert_eq!(on(crew, &mut run, left.min(slice)), Reason::Budget, "{name}");
            }
            let golden = goldens.get("experiments").and_then(|all| all.get(name)?.get("digest")?.as_str());
            assert_eq!(golden, Some(hex(run.digest()).as_str()), "{name}");
        }
    }

    /// Launches end again and again, on more SMs than threads and on a large GPU; one thread is none.
    #[test]
    fn threads_change_no_digest() {
        assert!(Crew::new(0).is_none() && Crew::new(1).is_none());
        let crews = [2, 3, 8].map(|threads| Crew::new(threads).unwrap());
        for (gpu, kernels, cycles) in [("ccbp-16sm", ["VADD", "ccbp/SAD"], 20_000), ("a100-40gb", ["ccbp/BP", "ccbp/CFD"], 1000)] {
            let value = Value::object([
                ("corun", Value::from(1)),
                ("gpu", gpu.into()),
                ("kernels", Value::array(kernels)),
                ("policy", "even".into()),
                ("warm_up", 0.into()),
                ("stop", Value::object([("cycles", cycles)])),
            ]);
            let started = Simulation::new(&Experiment::decode(&value).unwrap()).unwrap();
            let mut alone = started.clone();
            alone.advance(u64::MAX);
            for crew in &crews {
                let mut shared = started.clone();
                assert_eq!(on(crew, &mut shared, u64::MAX), Reason::Cycles);
                assert_eq!(shared.digest(), alone.digest(), "{gpu}: {crew:?}");
            }
            for runs in [1, 2] {
                let mut counted = started.clone();
                let mut advance = || crews[0].count(|| crews[0].advance(&mut counted, u64::MAX));
                assert_eq!(if runs == 1 { advance() } else { crews[0].count(advance) }, Reason::Cycles);
                assert_eq!(counted.digest(), alone.digest(), "{gpu} beside {runs}");
            }
        }
    }
}
