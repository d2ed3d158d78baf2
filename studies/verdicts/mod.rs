//! Whether verdicts hold: pairs of five papers' kernels, and each again with one cause after another relieved.

use crate::Page;
use sim_core::describe::gpu::Gpu;
use sim_core::describe::rng::{below, mix};
use sim_core::describe::value::Value;
use sim_core::run::verdict::{Cause, Question, Verdict};
use sim_core::{Controls, Experiment, KernelId, Outcome, Plan, PolicySpec, Simulation, SoloProfiles};
use std::sync::Mutex;

/// Kernels by paper, with the GPU of the paper.
pub(super) const PAPERS: [(&str, &str, &[&str]); 5] = [
    ("ccbp", "ccbp-16sm", &["BFS", "BP", "BT", "CFD", "FTD", "HG", "KM", "LAV", "LBM", "PF", "SAD", "SMV", "SRT"]),
    ("qos", "qos-16sm", &["CUTCP", "HISTO", "LBM", "MRIG", "MRIQ", "SAD", "SGEMM", "SPMV", "STENCIL", "TPACF"]),
    ("hetero", "fermi-16sm", &["LAVAMD", "SYRK", "KMEANS", "SYR2K", "NN", "SC", "FDTD3D", "NQU", "STO", "BTREE", "DXTC", "HISTO"]),
    ("latency", "rtx2060-30sm", &["VADD", "SAXPY", "COPY", "RAYTRACE", "DXTC", "CONV", "MVT", "PF"]),
    // Those that do not iterate: the paper runs every program alone.
    ("ikra", "ikra-15cu", &["BP", "CP", "LM", "NN", "SG"]),
];

/// The GPU whose network is a mesh.
const MESH: &str = "ikra-15cu";

const SCHEMES: [&str; 5] = ["even", "leftover", "spatial", "smk", "ccbp"];

/// Length of each run, core cycles, and what goes before it.
const CYCLES: u64 = 100_000;
const WARM_UP: u64 = 10_000;

/// A verdict holds if nothing else helps the sufferer by more than this beyond what the relief of the cause does.
const WITHIN: f64 = 0.05;

/// Resources that are relieved beside the causes that a verdict can name: none may matter more.
const OTHERS: [&str; 3] = ["misses", "lsu", "l2"];

/// What was made of a mix.
#[derive(Clone, Debug)]
struct Judged {
    mix: Mix,
    verdict: Verdict,
    name: String,
    /// IPC of the sufferer with each resource relieved, over that without.
    helps: Vec<(&'static str, f64)>,
}

/// Two kernels of a paper on its GPU, and a scheme.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Mix {
    pub gpu: &'static str,
    pub kernels: [String; 2],
    pub scheme: &'static str,
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

/// Fills the page. Arguments: how many mixes, and the seed that draws them.
pub fn page(args: &[String], page: &mut Page) -> Result<(), String> {
    let [wanted, seed] = args else { return Err("wanted are the number of mixes and a seed".into()) };
    let number = |text: &String| text.parse::<u64>().map_err(|error| format!("{text}: {error}"));
    let (wanted, seed) = (number(wanted)?, number(seed)?);
    let mixes = drawn(seed, 10 * wanted as usize);
    let (judged, next) = (Mutex::new(Vec::new()), Mutex::new(0));
    let work = || -> Result<(), String> {
        loop {
            let at = {
                let mut next = locked(&next);
                *next += 1;
                *next - 1
            };
            let enough = locked(&judged).len() as u64 >= wanted;
            let Some(mix) = mixes.get(at).filter(|_| !enough) else { return Ok(()) };
            if let Some(one) = judge(mix.clone())? {
                eprintln!("{}", line(&one));
                locked(&judged).push((at, one));
            }
        }
    };
    super::on_all_cores(&work)?;
    let mut judged = judged.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    judged.sort_by_key(|(at, _)| *at);
    judged.truncate(wanted as usize);
    fill(&judged.into_iter().map(|(_, one)| one).collect::<Vec<_>>(), seed, page);
    Ok(())
}

fn locked<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The first mixes of the draw, none of them twice.
pub(super) fn drawn(seed: u64, count: usize) -> Vec<Mix> {
    let mut mixes: Vec<Mix> = Vec::new();
    for mix in (0..100 * count as u64).map(|at| drawn_at(seed, at)) {
        let Mix { gpu, kernels: [first, second], scheme } = &mix;
        let turned = Mix { gpu, kernels: [second.clone(), first.clone()], scheme };
        // A mesh has no place for the SMs that relieve `room`.
        let can_be = !(*gpu == MESH && *scheme == "spatial");
        if can_be && mixes.len() < count && !mixes.contains(&mix) && !mixes.contains(&turned) {
            mixes.push(mix);
        }
    }
    mixes
}

/// The mix at a place of the draw: papers by their number of kernels.
fn drawn_at(seed: u64, at: u64) -> Mix {
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

fn experiment(mix: &Mix, gpu: &Value, policy: Value, alone: bool) -> Result<Experiment, String> {
    let fields = [
        ("corun", Value::from(1)),
        ("gpu", gpu.clone()),
        ("kernels", Value::array(mix.kernels.iter().map(String::as_str))),
        ("policy", policy),
        ("alone", alone.into()),
        ("warm_up", WARM_UP.into()),
        ("stop", Value::object([("cycles", CYCLES)])),
    ];
    Experiment::from_json(&Value::object(fields).to_string()).map_err(|problems| problems.to_string())
}

/// A run to its end, with what it wants to know of runs alone.
pub(super) fn ran(experiment: &Experiment) -> Result<Simulation, String> {
    let said = |problems| format!("{}: {problems}", experiment.name);
    let mut answers = SoloProfiles::new();
    for run in Plan::of(experiment).runs() {
        let mut alone = Simulation::new(&run.experiment).map_err(said)?;
        alone.advance(u64::MAX);
        answers.insert(run.hash.clone(), alone.answer());
    }
    let mut simulation = Simulation::with(experiment, &answers).map_err(said)?;
    simulation.advance(u64::MAX);
    simulation.add_solo_profiles(&answers);
    let mut in_shares = SoloProfiles::new();
    for run in simulation.unknown(simulation.share_runs()) {
        let mut alone = Simulation::new(&run.experiment).map_err(said)?;
        alone.advance(u64::MAX);
        in_shares.insert(run.hash.clone(), alone.answer());
    }
    simulation.add_solo_profiles(&in_shares);
    Ok(simulation)
}

/// The scheme of a mix. CCBP learns in a tenth of its time, so that what it has learned is measured.
fn scheme(mix: &Mix) -> Value {
    match mix.scheme {
        "ccbp" => Value::object([("name", Value::from("ccbp")), ("time_scale", 0.1.into())]),
        name => name.into(),
    }
}

/// The verdict on a mix, and what each relief does; nothing where nobody suffers, or somebody gets nothing at all.
fn judge(mix: Mix) -> Result<Option<Judged>, String> {
    let of = experiment(&mix, &mix.gpu.into(), scheme(&mix), true)?;
    let mut first = ran(&of)?;
    let base = first.outcome();
    let verdict = base.verdict.clone();
    let Some(sufferer) = verdict.sufferer.map(|k| k as usize) else { return Ok(None) };
    if verdict.question != Question::Sharing || base.kernels[sufferer].thread_instructions == 0 {
        return Ok(None);
    }
    let controls = first.machine().controls().clone();
    let ipc = |of: &Experiment| Ok::<_, String>(ran(of)?.outcome().kernels[sufferer].rates.ipc.unwrap_or(0.0));
    // What the scheme has decided, from the beginning on: as relieved runs have it.
    let before =
        ipc(&Experiment { policy: PolicySpec::manual(controls.clone()), ..experiment(&mix, &mix.gpu.into(), "even".into(), false)? })?;
    let named = Cause::ALL.iter().map(|cause| cause.name()).chain(OTHERS);
    let mut helps = Vec::new();
    for relieved in named {
        let on = |fields: Fields, policy| {
            let gpu = Value::object([("preset", Value::from(mix.gpu))].into_iter().chain(fields));
            experiment(&mix, &gpu, policy, false)
        };
        let under = |fields, controls| Ok::<_, String>(Experiment { policy: PolicySpec::manual(controls), ..on(fields, "even".into())? });
        let again = match relieved {
            "share" | "room" if mix.scheme == "spatial" => more_sms(&of.gpu, sufferer, on)?,
            "quota" => under(Vec::new(), unbound(controls.clone(), sufferer))?,
            "share" | "room" => under(larger_sms(&of.gpu), more_ctas(controls.clone(), &base, sufferer))?,
            _ => under(relief(relieved, &mix, &of.gpu), controls.clone())?,
        };
        helps.push((relieved, ipc(&again)? / before));
    }
    Ok(Some(Judged { name: base.kernels[sufferer].name.clone(), mix, verdict, helps }))
}

type Fields = Vec<(&'static str, Value)>;

/// The fields of a GPU that relieve a resource; what the scheme has decided stays.
fn relief(what: &str, mix: &Mix, gpu: &Gpu) -> Fields {
    let sm = &gpu.sms[0];
    let l1 = &sm.l1;
    let times = |value: u32, by: u32, most: u32| Value::from((value * by).min(most));
    let ways = (l1.ways * 4).min(32);
    match what {
        // Its protocol wants a mesh.
        "noc" if mix.gpu == MESH => vec![
            ("noc.flit_bytes", times(gpu.noc.flit_bytes, 8, 256)),
            ("noc.queue", times(gpu.noc.queue, 4, 256)),
            ("noc.buffer", times(gpu.noc.mesh.buffer, 4, 256)),
        ],
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
        _ => vec![("sm.schedulers", times(sm.schedulers, 2, 4)), ("sm.alu_lanes", 32.into()), ("sm.sfu_lanes", times(sm.sfu_lanes, 2, 32))],
    }
}

/// The sufferer has as many SMs as there are, and the other kernel as many as it has beside it.
fn more_sms(gpu: &Gpu, sufferer: usize, on: impl Fn(Fields, Value) -> Result<Experiment, String>) -> Result<Experiment, String> {
    let sms = gpu.sm_count();
    let mut split = [sms - sms / 2, sms / 2];
    split[sufferer] = sms;
    let policy = Value::object([("name", Value::from("spatial")), ("split", Value::array(split))]);
    on(vec![("sm.count", split.iter().sum::<u32>().into())], policy)
}

/// SMs with room for two kernels.
fn larger_sms(gpu: &Gpu) -> Fields {
    let sm = &gpu.sms[0];
    let twice = |value: u32, most: u32| Value::from((value * 2).min(most));
    vec![
        ("sm.ctas", twice(sm.ctas, 64)),
        ("sm.threads", twice(sm.threads, 4096)),
        ("sm.registers", twice(sm.registers, 1 << 20)),
        ("sm.shared_bytes", twice(sm.shared_bytes, 1 << 20)),
    ]
}

/// The sufferer has as many CTAs as alone; the other kernel has what it has beside it.
fn more_ctas(mut controls: Controls, base: &Outcome, sufferer: usize) -> Controls {
    let more = warps(&base.verdict).unwrap_or(1.0);
    for (kernel, of) in KernelId::first(base.kernels.len()).zip(&base.kernels) {
        let held = of.occupancy.ctas_per_sm.unwrap_or(1.0).round().max(1.0);
        let ctas = if kernel.index() == sufferer { (held * more).round() } else { held };
        controls.each_sm(|sm| {
            sm.cta_target[kernel] = ctas as u16;
        });
    }
    controls
}

/// The sufferer has neither a quota of instructions nor credits to spend.
fn unbound(mut controls: Controls, sufferer: usize) -> Controls {
    let kernel = KernelId(sufferer as u8);
    controls.each_sm(|sm| {
        sm.warp_quota[kernel] = None;
        sm.thread_quota[kernel] = None;
        sm.miss_credits[kernel] = None;
    });
    controls
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

fn fill(judged: &[Judged], seed: u64, page: &mut Page) {
    let rate = |of: &dyn Fn(&&Judged) -> bool| {
        let those: Vec<bool> = judged.iter().filter(of).filter_map(Judged::holds).collect();
        let held = those.iter().filter(|holds| **holds).count();
        format!("{held} of {} ({:.0} %)", those.len(), 100.0 * held as f64 / those.len().max(1) as f64)
    };
    page.say("count", judged.len());
    page.say("seed", seed);
    page.say("cycles", CYCLES);
    page.say("sure", rate(&|one| one.verdict.sure));
    page.say("all", rate(&|_| true));
    for cause in Cause::ALL {
        page.line("causes", format!("| that name `{}` | {} |", cause.name(), rate(&|one| one.verdict.cause == Some(cause))));
    }
    let idle = judged.iter().filter(|one| one.holds() == Some(true) && one.most().1 * (1.0 - WITHIN) < 1.0).count();
    page.say("idle", idle);
    let silent = judged.iter().filter(|one| one.verdict.cause.is_none()).count();
    page.say("silent", silent);
    judged.iter().for_each(|one| page.line("rows", line(one)));
}
