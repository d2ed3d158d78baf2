//! Runs against the clock, on one core: `cargo xtask bench` asks this program, and the same of the compiled module, and compares.
//!
//! `speed` answers each line of standard input, a run of benches/runs.json with `name`, `cycles` and `experiment`, with a line of JSON.
//! The line has `name`, `cycles`, `warp_instructions`, `seconds`, `digest`, `bytes` (the most that the simulation held at once), and
//! `snapshot_ms` (median of its copies at the end). `--bare` leaves out the warm-up and the copies, for those who count instructions.
//! `speed --scaling [--quick]` runs the sweeps of benches/runs.json instead; their lines have an `x` too.

use sim_core::describe::digest::hex;
use sim_core::describe::value::Value;
use sim_core::run::experiment::{Experiment, set_path};
use sim_core::run::simulation::Simulation;
use sim_core::study::profile;
use sim_core::study::sweep::Sweep;
use std::alloc::{GlobalAlloc, Layout, System};
use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The system's allocator, counting bytes in use and the most there were.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to the system's allocator as it came. (A default `realloc` allocates, copies and frees through these two.)
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = IN_USE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(place, layout) }
    }
}

/// Copies of a simulation that are timed; the median counts.
const SNAPSHOTS: usize = 21;

fn main() -> Result<(), Box<dyn Error>> {
    let flag = |name: &str| std::env::args().any(|a| a == name);
    if flag("--scaling") {
        return scaling(if flag("--quick") { 10 } else { 1 });
    }
    let copies = if flag("--bare") { 0 } else { SNAPSHOTS };
    for line in std::io::stdin().lines() {
        let run: Value = serde_json::from_str(&line?)?;
        let cycles = budget(&run, 1);
        println!("{}", measure(name(&run), &with_cycles(run.get("experiment"), cycles)?, cycles, copies)?);
    }
    Ok(())
}

/// The sweeps of benches/runs.json; `part` divides their cycles.
fn scaling(part: u64) -> Result<(), Box<dyn Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/runs.json");
    let runs: Value = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    for run in list(&runs, "scaling") {
        let cycles = budget(run, part);
        let mut file = Value::object([("corun", Value::from(1)), ("sweep", run.get("sweep").cloned().unwrap_or_default())]);
        set_path(&mut file, "sweep.base.stop", Value::object([("cycles", cycles)]))?;
        let sweep = Sweep::decode(&file)?;
        for (index, x) in list(run, "at").iter().enumerate() {
            let Value::Object(mut line) = measure(name(run), &sweep.point(index)?.experiment, cycles, SNAPSHOTS)? else { continue };
            line.insert(1, ("x".into(), x.clone()));
            println!("{}", Value::Object(line));
        }
    }
    Ok(())
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    if let Some(Value::Array(items)) = value.get(key) { items } else { &[] }
}

fn name(run: &Value) -> &str {
    run.get("name").and_then(Value::as_str).unwrap_or("?")
}

fn budget(run: &Value, part: u64) -> u64 {
    run.get("cycles").and_then(Value::as_int).unwrap_or(0) as u64 / part
}

fn with_cycles(experiment: Option<&Value>, cycles: u64) -> Result<Experiment, Box<dyn Error>> {
    let mut value = experiment.cloned().unwrap_or_default();
    set_path(&mut value, "stop", Value::object([("cycles", cycles)]))?;
    Ok(Experiment::decode(&value)?)
}

/// Runs an experiment once against the clock, and copies it; where it is to be copied, a short run before warms up.
fn measure(name: &str, experiment: &Experiment, cycles: u64, copies: usize) -> Result<Value, Box<dyn Error>> {
    let answers = profile::answer(experiment)?;
    if copies > 0 {
        // The same warm-up as in Node, where it matters more.
        Simulation::with(experiment, &answers)?.advance(cycles.min(20_000));
    }
    let before = IN_USE.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let mut simulation = Simulation::with(experiment, &answers)?;
    let start = Instant::now();
    simulation.advance(cycles);
    let seconds = start.elapsed().as_secs_f64();
    let bytes = MOST.load(Ordering::Relaxed) - before;
    let mut snapshots: Vec<f64> = (0..copies)
        .map(|_| {
            let start = Instant::now();
            let copy = black_box(simulation.clone());
            let milliseconds = start.elapsed().as_secs_f64() * 1e3;
            drop(copy);
            milliseconds
        })
        .collect();
    snapshots.sort_by(f64::total_cmp);
    let instructions: u64 = simulation.totals().iter().map(|kernel| kernel.warp_instructions).sum();
    Ok(Value::object([
        ("name", Value::from(name)),
        ("cycles", simulation.cycle().into()),
        ("warp_instructions", instructions.into()),
        ("seconds", seconds.into()),
        ("digest", hex(simulation.digest()).into()),
        ("bytes", bytes.into()),
        ("snapshot_ms", snapshots.get(copies / 2).map_or(Value::Null, |&median| median.into())),
    ]))
}
