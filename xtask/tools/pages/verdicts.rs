//! Whether verdicts hold: pairs of four papers' kernels (IKRA's run alone), and each again with one cause after another relieved.
//!
//! `cargo xtask verdicts` prints docs/reference/verdicts.md.

use sim_core::describe::gpu::Gpu;
use sim_core::describe::rng::{below, mix};
use sim_core::describe::value::Value;
use sim_core::run::verdict::{Cause, Question, Verdict};
use sim_core::{Experiment, Outcome, run};
use std::sync::Mutex;

/// Kernels by paper, with the GPU of the paper.
const PAPERS: [(&str, &str, &[&str]); 4] = [
    ("ccbp", "ccbp-16sm", &["BFS", "BP", "BT", "CFD", "FTD", "HG", "KM", "LAV", "LBM", "PF", "SAD", "SMV", "SRT"]),
    ("qos", "qos-16sm", &["CUTCP", "HISTO", "LBM", "MRIG", "MRIQ", "SAD", "SGEMM", "SPMV", "STENCIL", "TPACF"]),
    ("hetero", "fermi-16sm", &["LAVAMD", "SYRK", "KMEANS", "SYR2K", "NN", "SC", "FDTD3D", "NQU", "STO", "BTREE", "DXTC", "HISTO"]),
    ("latency", "rtx2060-30sm", &["VADD", "SAXPY", "COPY", "RAYTRACE", "DXTC", "CONV", "MVT", "PF"]),
];

const SCHEMES: [&str; 5] = ["even", "leftover", "spatial", "smk", "ccbp"];

/// Length of each run, core cycles.
const CYCLES: u64 = 100_000;

/// A verdict holds if nothing else helps the sufferer by more than this beyond what the relief of the cause does.
const WITHIN: f64 = 0.05;

/// Resources that are relieved beside the causes that a verdict can name: none may matter more.
const OTHERS: [&str; 4] = ["misses", "lsu", "l2", "slots"];

/// What was made of a mix.
#[derive(Clone, Debug)]
struct Judged {
    mix: Mix,
    verdict: Verdict,
    name: String,
    /// IPC of the sufferer with each resource relieved, over that without.
    helps: Vec<(&'static str, f64)>,
}

#[derive(Clone, Debug)]
struct Mix {
    gpu: &'static str,
    kernels: [String; 2],
    scheme: &'static str,
}

impl Judged {
    fn most(&self) -> (&'static str, f64) {
        self.helps.iter().copied().fold(("nothing", 1.0), |most, help| if help.1 > most.1 { help } else { most })
    }

    /// Whether the cause that is named helps most or nearly so; nothing where none is named.
    fn holds(&self) -> Option<bool> {
        let cause = self.verdict.cause?.name();
        let (_, helps) = self.helps.iter().find(|(relieved, _)| *relieved == cause)?;
        Some(*helps >= self.most().1 * (1.0 - WITHIN))
    }
}

/// Prints the page. Arguments: how many mixes, and the seed that draws them.
pub fn page(args: &[String]) -> Result<(), String> {
    let [wanted, seed] = args else { return Err("wanted are the number of mixes and a seed".into()) };
    let number = |text: &String| text.parse::<u64>().map_err(|error| format!("{text}: {error}"));
    let (wanted, seed) = (number(wanted)?, number(seed)?);
    let (judged, next) = (Mutex::new(Vec::new()), Mutex::new(0));
    let work = || -> Result<(), String> {
        loop {
            let at = {
                let mut next = locked(&next);
                *next += 1;
                *next - 1
            };
            let enough = locked(&judged).len() as u64 >= wanted;
            if enough || at >= 10 * wanted {
                return Ok(());
            }
            if let Some(one) = judge(drawn(seed, at))? {
                eprintln!("{}", line(&one));
                locked(&judged).push((at, one));
            }
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(|_| Err("a worker stopped".into())))
    })?;
    let mut judged = judged.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    judged.sort_by_key(|(at, _)| *at);
    judged.truncate(wanted as usize);
    print(&judged.into_iter().map(|(_, one)| one).collect::<Vec<_>>(), seed);
    Ok(())
}

fn locked<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The mix at a place of the draw: papers by their number of kernels.
fn drawn(seed: u64, at: u64) -> Mix {
    let draw = |part: u64, bound: usize| below(mix(mix(seed, at), part), bound as u64) as usize;
    let all: usize = PAPERS.iter().map(|(_, _, kernels)| kernels.len()).sum();
    let mut place = draw(0, all);
    let (paper, gpu, kernels) = PAPERS
        .into_iter()
        .find(|(_, _, kernels)| {
            let here = place < kernels.len();
            place = place.wrapping_sub(if here { 0 } else { kernels.len() });
            here
        })
        .unwrap_or(PAPERS[0]);
    let first = place.min(kernels.len() - 1);
    let second = (first + 1 + draw(1, kernels.len() - 1)) % kernels.len();
    let named = |at: usize| format!("{paper}/{}", kernels[at]);
    Mix { gpu, kernels: [named(first), named(second)], scheme: SCHEMES[draw(2, SCHEMES.len())] }
}

fn experiment(mix: &Mix, gpu: &Value, policy: &Value, alone: bool) -> Result<Experiment, String> {
    let fields = [
        ("corun", Value::from(1)),
        ("gpu", gpu.clone()),
        ("kernels", Value::array(mix.kernels.iter().map(String::as_str))),
        ("policy", policy.clone()),
        ("alone", alone.into()),
        ("stop", Value::object([("cycles", CYCLES)])),
    ];
    Experiment::from_json(&Value::object(fields).to_string()).map_err(|problems| problems.to_string())
}

fn ran(mix: &Mix, gpu: &Value, policy: &Value, alone: bool) -> Result<Outcome, String> {
    run(&experiment(mix, gpu, policy, alone)?).map_err(|problems| format!("{mix:?}: {problems}"))
}

/// The verdict on a mix, and what each relief does; nothing where nobody suffers, or somebody gets nothing at all.
fn judge(mix: Mix) -> Result<Option<Judged>, String> {
    let (gpu, scheme) = (Value::from(mix.gpu), Value::from(mix.scheme));
    let base = ran(&mix, &gpu, &scheme, true)?;
    let verdict = base.verdict.clone();
    let Some(sufferer) = verdict.sufferer.map(|k| k as usize) else { return Ok(None) };
    let before = base.kernels[sufferer].rates.ipc.unwrap_or(0.0);
    if verdict.question != Question::Sharing || before == 0.0 {
        return Ok(None);
    }
    let of = experiment(&mix, &gpu, &scheme, false)?.gpu;
    let named = Cause::ALL.iter().map(|cause| cause.name()).chain(OTHERS);
    let mut helps = Vec::new();
    for relieved in named {
        let (fields, policy) = relief(relieved, &mix, &of, &base, sufferer);
        let gpu = Value::object([("preset", Value::from(mix.gpu))].into_iter().chain(fields));
        let after = ran(&mix, &gpu, &policy, false)?.kernels[sufferer].rates.ipc.unwrap_or(0.0);
        helps.push((relieved, after / before));
    }
    Ok(Some(Judged { name: base.kernels[sufferer].name.clone(), mix, verdict, helps }))
}

type Fields = Vec<(&'static str, Value)>;

/// The fields of a GPU that relieve a resource, and the policy that goes with them.
fn relief(what: &str, mix: &Mix, gpu: &Gpu, base: &Outcome, sufferer: usize) -> (Fields, Value) {
    let sm = &gpu.sms[0];
    let l1 = &sm.l1;
    let times = |value: u32, by: u32, most: u32| Value::from((value * by).min(most));
    let ways = (l1.ways * 4).min(32);
    let fields: Fields = match what {
        "noc" => vec![("noc.kind", "ideal".into())],
        "dram" => vec![("dram.kind", "ideal".into())],
        "l1" => vec![("sm.l1.ways", ways.into()), ("sm.l1.bytes", (l1.bytes / l1.ways * ways).into())],
        "l2" => vec![
            ("l2.bank_bytes", times(gpu.l2.bank_bytes, 4, 1 << 24)),
            ("l2.mshrs", times(gpu.l2.mshrs, 4, 1024)),
            ("l2.merges", 32.into()),
            ("l2.queue", times(gpu.l2.queue, 4, 256)),
        ],
        "misses" => vec![
            ("sm.l1.mshrs", times(l1.mshrs, 4, 1024)),
            ("sm.l1.merges", 32.into()),
            ("sm.l1.miss_queue", times(l1.miss_queue, 4, 1024)),
            ("sm.l1.store_buffer", times(l1.store_buffer, 4, 1024)),
        ],
        "lsu" => vec![("sm.lsu_hol", "no".into()), ("sm.lsu_queue", times(sm.lsu_queue, 4, 64))],
        "slots" => {
            vec![("sm.schedulers", times(sm.schedulers, 2, 4)), ("sm.alu_lanes", 32.into()), ("sm.sfu_lanes", times(sm.sfu_lanes, 2, 32))]
        }
        // SMs of its own where it has some; else SMs with twice the resources, where it has as many CTAs as alone and the other what it has.
        _ if mix.scheme == "spatial" => vec![("sm.count", times(sm.count, 2, 256))],
        _ => vec![
            ("sm.ctas", times(sm.ctas, 2, 64)),
            ("sm.threads", times(sm.threads, 2, 4096)),
            ("sm.registers", times(sm.registers, 2, 1 << 20)),
            ("sm.shared_bytes", times(sm.shared_bytes, 2, 1 << 20)),
        ],
    };
    if what != "room" || mix.scheme == "spatial" {
        return (fields, mix.scheme.into());
    }
    let held = |k: usize| base.kernels[k].ctas_per_sm.unwrap_or(1.0).round().max(1.0);
    let more = warps(&base.verdict).unwrap_or(1.0);
    let combination = (0..base.kernels.len()).map(|k| if k == sufferer { (held(k) * more).round() } else { held(k) } as i64);
    (fields, Value::object([("name", Value::from("fixed")), ("combination", Value::array(combination))]))
}

/// The sufferer's warps alone over those that it has.
fn warps(verdict: &Verdict) -> Option<f64> {
    let first = verdict.evidence.first()?;
    Some((first.alone? / first.here).max(1.0))
}

fn line(one: &Judged) -> String {
    let Judged { mix, verdict, name, .. } = one;
    let (most, helps) = one.most();
    let cause = verdict.cause.map_or("none", Cause::name);
    let holds = match one.holds() {
        None => "",
        Some(true) => "holds",
        Some(false) => "fails",
    };
    let slowdown = verdict.slowdown.unwrap_or(f64::NAN);
    let sure = if verdict.sure { "yes" } else { "" };
    format!(
        "| {} | {} + {} | {} | {name} | {slowdown:.2} | {cause} | {sure} | {most} {helps:.2} | {holds} |",
        mix.gpu, mix.kernels[0], mix.kernels[1], mix.scheme
    )
}

fn print(judged: &[Judged], seed: u64) {
    let rate = |of: &dyn Fn(&&Judged) -> bool| {
        let those: Vec<bool> = judged.iter().filter(of).filter_map(Judged::holds).collect();
        let held = those.iter().filter(|holds| **holds).count();
        format!("{held} of {} ({:.0} %)", those.len(), 100.0 * held as f64 / those.len().max(1) as f64)
    };
    println!("{HEAD}");
    println!("{} mixes, drawn with seed {seed}, {CYCLES} cycles each.\n", judged.len());
    println!("| verdicts | hold |\n| --- | --- |");
    println!("| that are sure | {} |", rate(&|one| one.verdict.sure));
    println!("| that name a cause | {} |", rate(&|_| true));
    for cause in Cause::ALL {
        println!("| that name `{}` | {} |", cause.name(), rate(&|one| one.verdict.cause == Some(cause)));
    }
    let silent = judged.iter().filter(|one| one.verdict.cause.is_none()).count();
    println!("\nNo cause is named in {silent} of {}.\n", judged.len());
    println!("| GPU | mix | scheme | sufferer | slowdown | cause | sure | helps most, by | verdict |");
    println!("| --- | --- | --- | --- | --: | --- | --- | --- | --- |");
    judged.iter().for_each(|one| println!("{}", line(one)));
}

const HEAD: &str = "\
# Whether verdicts hold

A verdict names who suffers from sharing and what costs that kernel most. This page holds it against runs that could refute it. Each mix runs
once as it is. It runs again with one resource after another relieved. The verdict holds if the relief of the cause that it names helps the
sufferer most, or within 5 % of the most. What helps is the sufferer's IPC over that of the first run.

- `room`: SMs with twice the resources. The sufferer has as many CTAs as alone, the other kernel as many as before. Under `spatial`: twice the SMs.
- `noc`, `dram`: one with its latency and without limits of bandwidth.
- `l1`: four times the L1D. `l2`: four times the L2, with its MSHRs and queues.
- `misses`: four times the MSHRs, miss queue and store buffer. `lsu`: no head-of-line blocking, four times the queue. `slots`: twice the schedulers.

The last four are no causes that a verdict names: where one of them helps most, the verdict fails.

Two choices of the rule were made on other draws of the same kernels and schemes, at 40,000 cycles: no kernel here is new to it. A pair that is
drawn twice counts twice. Where nothing helps, every cause holds.

Regenerate: `cargo xtask verdicts`.
";
