//! Malformed and odd experiments through the parser, the machine's construction and a few hundred cycles: `fuzz [SECONDS] [SEED]`.
//!
//! Each case is a function of (seed, case number) alone, so that a failure can be repeated: `fuzz --case SEED NUMBER`.
//! A case passes if the engine answers with problems that name their field, or runs, shows itself, and runs to the same digest twice.
//! A panic, a hang, a problem without words, or an unbounded allocation is a failure; the run stops there and prints the case.

use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::study::profile;
use sim_core::study::sweep::Sweep;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A case may take this long (a debug build, on a busy machine).
const PATIENCE: Duration = Duration::from_secs(30);
/// A case may leave the process this big.
const MOST_MEMORY_BYTES: u64 = 1 << 30;
/// Cycles that a case that is accepted runs for.
const CYCLES: u64 = 300;

/// SplitMix64.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Numbers at which things break.
const INTS: &[i64] = &[
    0,
    1,
    -1,
    2,
    3,
    7,
    8,
    9,
    15,
    16,
    17,
    31,
    32,
    33,
    63,
    64,
    65,
    100,
    127,
    128,
    255,
    256,
    1000,
    1023,
    1024,
    1025,
    4096,
    32767,
    32768,
    65535,
    65536,
    100_000,
    1 << 20,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
    1 << 32,
    1 << 48,
    1 << 53,
    i64::MAX,
    i64::MIN,
    -128,
    -65536,
];
const FLOATS: &[f64] =
    &[0.0, -0.0, 0.5, 1.0, 1.5, -1.5, 1e-300, 1e300, 9.1e15, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE];

fn scalar(draw: &mut Draw, words: &[String]) -> Value {
    match draw.below(8) {
        0 => Value::Null,
        1 => Value::Bool(draw.below(2) == 0),
        2..=4 => Value::Int(*draw.one(INTS)),
        5 => Value::Float(*draw.one(FLOATS)),
        6 => {
            Value::Str(["", "\0", "🂡", "..", "__proto__", "lrr", "even", "a\nb", "twolevel(0)", "two-level(99)"][draw.below(10)].to_owned())
        }
        _ => Value::Str(draw.one(words).clone()),
    }
}

fn tree(draw: &mut Draw, words: &[String], depth: usize) -> Value {
    match draw.below(if depth == 0 { 1 } else { 4 }) {
        0 | 1 => scalar(draw, words),
        2 => Value::Array((0..draw.below(5)).map(|_| tree(draw, words, depth - 1)).collect()),
        _ => Value::Object((0..draw.below(5)).map(|_| (draw.one(words).clone(), tree(draw, words, depth - 1))).collect()),
    }
}

/// Nested deeper than anyone would.
fn pit(draw: &mut Draw) -> Value {
    (0..1 + draw.below(2000)).fold(Value::Int(1), |inner, i| match i % 2 {
        0 => Value::Array(vec![inner]),
        _ => Value::Object(vec![("kernels".to_owned(), inner)]),
    })
}

/// Changes one place of a tree.
fn mutate(value: &mut Value, draw: &mut Draw, words: &[String], all: &[Value]) {
    let inside = draw.below(6) > 0;
    match value {
        Value::Object(pairs) if inside && !pairs.is_empty() => {
            let at = draw.below(pairs.len());
            match draw.below(16) {
                0 => drop(pairs.remove(at)),
                1 => pairs.push((draw.one(words).clone(), tree(draw, words, 2))),
                2 => pairs.push(pairs[at].clone()),
                3 => pairs[at].0 = draw.one(words).clone(),
                _ => mutate(&mut pairs[at].1, draw, words, all),
            }
        }
        Value::Array(items) if inside && !items.is_empty() => {
            let at = draw.below(items.len());
            match draw.below(8) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                2 => {
                    let copies = draw.below(40);
                    items.extend(vec![items[at].clone(); copies]);
                }
                3 => items.push(tree(draw, words, 2)),
                _ => mutate(&mut items[at], draw, words, all),
            }
        }
        Value::Int(n) if inside => {
            *n = match draw.below(5) {
                0 => n.wrapping_add(1),
                1 => n.wrapping_sub(1),
                2 => n.wrapping_mul(2),
                3 => *n / 2,
                _ => *draw.one(INTS),
            }
        }
        _ => {
            *value = match draw.below(24) {
                0 => tree(draw, words, 4),
                1 => pit(draw),
                2 => draw.one(all).clone(),
                _ => scalar(draw, words),
            }
        }
    }
}

/// Every key and text of a tree: what a mutation may put somewhere else.
fn gather(value: &Value, words: &mut Vec<String>, parts: &mut Vec<Value>) {
    parts.push(value.clone());
    match value {
        Value::Str(text) => words.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| gather(item, words, parts)),
        Value::Object(pairs) => pairs.iter().for_each(|(key, inner)| {
            words.push(key.clone());
            gather(inner, words, parts);
        }),
        _ => {}
    }
}

/// What a case is made of.
struct Corpus {
    seeds: Vec<Value>,
    words: Vec<String>,
    parts: Vec<Value>,
}

impl Corpus {
    fn load() -> Corpus {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        let folders = ["experiments", "sweeps"].map(|folder| std::fs::read_dir(examples.join(folder)));
        let mut files: Vec<_> = folders.into_iter().flatten().flatten().flatten().map(|entry| entry.path()).collect();
        files.sort();
        let texts = files.iter().filter_map(|file| std::fs::read_to_string(file).ok());
        let mut seeds: Vec<Value> = texts.filter_map(|text| serde_json::from_str(&text).ok()).collect();
        // With every default written out there are more fields to break.
        let whole: Vec<Value> = seeds.iter().filter_map(|value| Experiment::decode(value).ok()).map(|e| e.encode()).collect();
        seeds.extend(whole);
        let (mut words, mut parts) = (Vec::new(), Vec::new());
        seeds.iter().for_each(|seed| gather(seed, &mut words, &mut parts));
        gather(&sim_core::study::catalogue::catalogue(&[], &[]), &mut words, &mut Vec::new());
        words.sort();
        words.dedup();
        Corpus { seeds, words, parts }
    }

    /// The case: a tree, or a text that may not be JSON at all.
    fn case(&self, seed: u64, number: u64) -> Result<Value, String> {
        let mut draw = Draw(seed.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ number);
        draw.next();
        let mut value = draw.one(&self.seeds).clone();
        for _ in 0..draw.below(6) {
            mutate(&mut value, &mut draw, &self.words, &self.parts);
        }
        if draw.below(8) > 0 {
            return Ok(value);
        }
        let mut text = value.to_string().into_bytes();
        for _ in 0..1 + draw.below(8) {
            if text.is_empty() {
                break;
            }
            let at = draw.below(text.len());
            match draw.below(4) {
                0 => text[at] = draw.next() as u8,
                1 => drop(text.remove(at)),
                2 => text.insert(at, *draw.one(b"{}[]\",:0-e\\")),
                _ => text.truncate(at),
            }
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        serde_json::from_str(&text).map_err(|_| text)
    }
}

/// What became of a case.
#[derive(Default, Debug)]
struct Tally {
    not_json: u64,
    refused: u64,
    ran: u64,
}

/// Runs one case; panics if the engine breaks a promise.
fn attempt(value: &Value, tally: &mut Tally) {
    if value.get("sweep").is_some() {
        match Sweep::decode(value) {
            Ok(sweep) => {
                for index in [0, sweep.points() / 2, sweep.points() - 1] {
                    match sweep.point(index) {
                        Ok(point) => attempt(&point.experiment.encode(), tally),
                        Err(problems) => refused(&problems, tally),
                    }
                }
            }
            Err(problems) => refused(&problems, tally),
        }
        return;
    }
    let built = Experiment::decode(value).and_then(|experiment| profile::start(&experiment));
    let mut simulation = match built {
        Ok(simulation) => simulation,
        Err(problems) => return refused(&problems, tally),
    };
    tally.ran += 1;
    let mut twin = simulation.clone();
    simulation.advance(CYCLES);
    let mut frame = Vec::new();
    simulation.machine_mut().settle();
    sim_core::run::frame::fill(simulation.machine(), simulation.windows(), &mut frame);
    let _ = sim_core::run::frame::layout(simulation.machine(), simulation.experiment());
    let _ = simulation.windows().rows_since(0);
    let _ = simulation.result().to_string();
    let _ = simulation.explain_stuck();
    twin.advance(CYCLES / 3);
    twin.advance(CYCLES - CYCLES / 3);
    assert_eq!(simulation.digest(), twin.digest(), "two runs, two digests");
    let written = simulation.experiment().encode();
    let read = Experiment::decode(&written).unwrap_or_else(|problems| panic!("what it writes it does not read:\n{problems}"));
    assert_eq!(read.config_hash(), simulation.experiment().config_hash(), "written and read again it is another experiment");
}

fn refused(problems: &Problems, tally: &mut Tally) {
    assert!(!problems.0.is_empty(), "refused without a problem");
    for problem in &problems.0 {
        assert!(!problem.want.is_empty() && !problem.found.is_empty(), "a problem without words: {problem:?}");
    }
    tally.refused += 1;
}

fn resident_bytes() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok().and_then(|t| t.split(' ').nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| args.get(at).and_then(|a| a.parse::<u64>().ok());
    let corpus = Corpus::load();
    if args.first().is_some_and(|a| a == "--case") {
        let (Some(seed), Some(number)) = (number(1), number(2)) else {
            eprintln!("usage: fuzz --case SEED NUMBER");
            return ExitCode::from(2);
        };
        match corpus.case(seed, number) {
            Ok(value) => {
                println!("{value}");
                attempt(&value, &mut Tally::default());
            }
            Err(text) => println!("not JSON: {text}"),
        }
        return ExitCode::SUCCESS;
    }
    let (seconds, seed) = (number(0).unwrap_or(60), number(1).unwrap_or(1));

    // The case that runs and its start, for the panic hook and for the thread that watches for hangs.
    let present = Arc::new(Mutex::new((0_u64, Instant::now())));
    let watched = Arc::clone(&present);
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let (case, since) = *watched.lock().unwrap_or_else(|e| e.into_inner());
            if since.elapsed() > PATIENCE {
                eprintln!("case {case} hangs; repeat it with: fuzz --case {seed} {case}");
                std::process::abort();
            }
        }
    });
    let shown = Arc::clone(&present);
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        usual(info);
        let case = shown.lock().map_or_else(|e| e.into_inner().0, |now| now.0);
        eprintln!("case {case} fails; repeat it with: cargo run -p corun-tools --bin fuzz -- --case {seed} {case}");
    }));

    let start = Instant::now();
    let mut tally = Tally::default();
    let mut said = Instant::now();
    for case in 0.. {
        if start.elapsed().as_secs() >= seconds {
            break;
        }
        if let Ok(mut now) = present.lock() {
            *now = (case, Instant::now());
        }
        match corpus.case(seed, case) {
            Ok(value) => attempt(&value, &mut tally),
            Err(_) => tally.not_json += 1,
        }
        let bytes = resident_bytes();
        assert!(bytes < MOST_MEMORY_BYTES, "{bytes} bytes resident");
        if said.elapsed() > Duration::from_secs(10) {
            said = Instant::now();
            eprintln!("{:>5} s: {tally:?}", start.elapsed().as_secs());
        }
    }
    println!("fuzz: {} s, seed {seed}, no failure: {tally:?}", start.elapsed().as_secs());
    ExitCode::SUCCESS
}
