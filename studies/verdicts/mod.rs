//! Whether causes hold: mixes under papers' schemes and under the shares that people choose, what their short runs say, and long runs of every cure.

use crate::{Page, short};
use sim_core::describe::rng::{below, mix};
use sim_core::describe::value::Value;
use sim_core::run::cure::Cure;
use sim_core::run::experiment::Stop;
use sim_core::run::plan::Planned;
use sim_core::run::trials::{Because, GIVES_BACK};
use sim_core::{Experiment, Plan, Simulation, SoloProfiles};
use std::collections::BTreeMap;

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

/// What people choose for two, three and four kernels on GPUs of which a quarter is simulated; MIG's profiles have other names on each.
const SHARES: [&str; 6] = ["mps", "mig", "green-context", "spatial", "time-slice", "priority"];
const LARGE: [(&str, [&str; 3]); 2] =
    [("a100-40gb", ["3g.20gb", "2g.10gb", "1g.5gb"]), ("h100-sxm5", ["3g.40gb", "2g.20gb", "1g.10gb"])];

/// Measured cycles of a run, of the runs that tell why as the page has them, and of those that they are held against.
const CYCLES: u64 = 200_000;
const LONG: u64 = 800_000;
/// Long are those cures that give back at least this part of what the best does in its short run. The others are taken to stay behind.
const CLOSE: f64 = 0.75;
const WARM_UP: u64 = 10_000;

/// A cause holds if no other cure gives back more than this beyond what its own does.
const WITHIN: f64 = 0.05;

/// Two kernels of a paper on its GPU, and a scheme.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Mix {
    pub gpu: &'static str,
    pub kernels: [String; 2],
    pub scheme: &'static str,
}

/// A kernel that suffers, what the short runs say of it, and what the long ones do.
#[derive(Clone, Debug)]
struct Judged {
    mix: String,
    name: String,
    slowdown: f64,
    share: Option<f64>,
    neighbours: Option<f64>,
    said: Because,
    long: Because,
}

/// What becomes of a sentence.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Verdict {
    /// It names a cause that gives back most, or nearly so.
    Holds,
    Fails,
    /// It says that no cure gives anything back, and none does.
    None,
    /// It says so, and one does.
    Misses,
    /// It says that the runs are too short.
    Short,
}

impl Judged {
    fn named(&self) -> Option<(Cure, f64)> {
        let best = self.said.cures.first().filter(|_| self.said.says.starts_with("With "))?;
        Some((best.cure, best.gives_back?))
    }

    /// What a cure gives back in the long runs.
    fn gives(&self, cure: Cure) -> f64 {
        self.long.cures.iter().find(|cured| cured.cure == cure).and_then(|cured| cured.gives_back).unwrap_or(0.0)
    }

    fn most(&self) -> (&'static str, f64) {
        let best = self.long.cures.first();
        best.map_or(("nothing", 1.0), |best| (best.cure.name(), best.gives_back.unwrap_or(1.0)))
    }

    fn verdict(&self) -> Verdict {
        let (_, most) = self.most();
        match self.named() {
            Some((cure, _)) if self.gives(cure) >= GIVES_BACK && self.gives(cure) >= most * (1.0 - WITHIN) => Verdict::Holds,
            Some(_) => Verdict::Fails,
            None if self.said.says.starts_with("The runs ") => Verdict::Short,
            None if most < GIVES_BACK => Verdict::None,
            None => Verdict::Misses,
        }
    }
}

/// Fills the page. Arguments: how many mixes of each half, and the seed that draws them.
pub fn page(args: &[String], page: &mut Page) -> Result<(), String> {
    let [count, seed] = args else { return Err("wanted are the number of mixes of each half and a seed".into()) };
    let number = |text: &String| text.parse::<u64>().map_err(|error| format!("{text}: {error}"));
    let (count, seed) = (number(count)?, number(seed)?);
    let papers = drawn(seed, count as usize).into_iter().map(|mix| (called(&mix), of_paper(&mix)));
    let shares = (0..count).map(|at| of_share(seed, at));
    let mixes: Vec<(String, Value)> = papers.chain(shares).collect();
    let judged = super::each(&mixes, |(name, mix)| {
        let judged = judge(name, mix)?;
        judged.iter().for_each(|one| eprintln!("{}", line(one)));
        Ok(judged)
    })?;
    page.say("count", mixes.len());
    page.say("seed", seed);
    page.say("cycles", CYCLES);
    page.say("long", LONG);
    fill(&judged, page);
    Ok(())
}

/// The first mixes of the draw, none of them twice.
pub(super) fn drawn(seed: u64, count: usize) -> Vec<Mix> {
    let mut mixes: Vec<Mix> = Vec::new();
    for mix in (0..100 * count as u64).map(|at| drawn_at(seed, at)) {
        let Mix { gpu, kernels: [first, second], scheme } = &mix;
        let turned = Mix { gpu, kernels: [second.clone(), first.clone()], scheme };
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

fn called(Mix { gpu, kernels: [first, second], scheme }: &Mix) -> String {
    format!("{gpu} | {first} + {} | {scheme}", short(second))
}

/// CCBP learns in a tenth of its time, so that what it has learned is measured.
fn of_paper(Mix { gpu, kernels, scheme }: &Mix) -> Value {
    let policy = match *scheme {
        "ccbp" => Value::object([("name", Value::from("ccbp")), ("time_scale", 0.1.into())]),
        name => name.into(),
    };
    Value::object([("gpu", Value::from(*gpu)), ("kernels", Value::array(kernels.iter().map(String::as_str))), ("policy", policy)])
}

/// The mix at a place of the other draw: two to four kernels of the first four papers under a share that people choose.
fn of_share(seed: u64, at: u64) -> (String, Value) {
    let draw = |part: u64, bound: usize| below(mix(mix(seed, 1_000_000 + at), part), bound as u64) as usize;
    let kernels = 2 + [0, 0, 1, 2][draw(0, 4)];
    let drawn = (0..kernels).map(|k| {
        let (paper, _, names) = PAPERS[draw(1 + 2 * k as u64, 4)];
        format!("{paper}/{}", names[draw(2 + 2 * k as u64, names.len())])
    });
    let drawn: Vec<String> = drawn.collect();
    let (gpu, profiles) = LARGE[draw(20, LARGE.len())];
    let each = 100 / kernels as u32;
    // More than their even parts, so that they meet.
    let percentage = [each, 60, 100][draw(21, 3)].max(each);
    let (scheme, setting) = match SHARES[draw(22, SHARES.len())] {
        "mps" => ("mps", Some(("percentage", Value::array(vec![percentage; kernels])))),
        "mig" => ("mig", Some(("profiles", Value::array(vec![profiles[kernels - 2]; kernels])))),
        "green-context" => ("green-context", Some(("sms", Value::array(vec![96 / kernels as u32 / 8 * 8; kernels])))),
        "time-slice" => ("time-slice", Some(("slice", 25_000.into()))),
        "priority" => ("priority", Some(("level", Value::array((0..kernels).map(|k| if k == 0 { -5 } else { 0 }))))),
        name => (name, None),
    };
    let policy = Value::object([("name", Value::from(scheme))].into_iter().chain(setting));
    let names: Vec<&str> = drawn.iter().map(|name| short(name)).collect();
    let value = [
        ("gpu", Value::from(gpu)),
        ("scale", "1/4".into()),
        ("kernels", Value::array(drawn.iter().map(String::as_str))),
        ("policy", policy),
    ];
    (format!("{gpu}, 1/4 | {} | {scheme}", names.join(" + ")), Value::object(value))
}

fn experiment(mix: &Value) -> Result<Experiment, String> {
    let Value::Object(pairs) = mix else { return Err("no mix".into()) };
    let fields = [("corun", Value::from(1)), ("warm_up", WARM_UP.into()), ("stop", Value::object([("cycles", CYCLES)]))];
    let fields = fields.into_iter().chain(pairs.iter().map(|(key, value)| (key.as_str(), value.clone())));
    Experiment::from_json(&Value::object(fields).to_string()).map_err(|problems| format!("{mix}: {problems}"))
}

/// A run to its end, with what it wants to know of runs alone.
pub(super) fn ran(experiment: &Experiment) -> Result<Simulation, String> {
    let said = |problems| format!("{}: {problems}", experiment.name);
    let answers = |runs: &mut dyn Iterator<Item = &Planned>| {
        let mut answers = SoloProfiles::new();
        for run in runs {
            let mut alone = Simulation::new(&run.experiment).map_err(said)?;
            alone.advance(u64::MAX);
            answers.insert(run.hash.clone(), alone.answer());
        }
        Ok::<_, String>(answers)
    };
    let alone = answers(&mut Plan::of(experiment).runs())?;
    let mut simulation = Simulation::with(experiment, &alone).map_err(said)?;
    simulation.advance(u64::MAX);
    simulation.add_solo_profiles(&alone);
    let shares = simulation.share_runs();
    simulation.add_solo_profiles(&answers(&mut simulation.unknown(shares).iter())?);
    Ok(simulation)
}

/// The cures whose long runs matter.
fn close(because: &Because) -> Vec<Cure> {
    let best = because.cures.first().and_then(|best| best.gives_back).unwrap_or_default();
    because.cures.iter().filter(|cured| cured.gives_back.is_some_and(|gives| gives >= CLOSE * best)).map(|cured| cured.cure).collect()
}

/// What is said of each kernel that suffers from its neighbours, and what longer runs of the same cures say.
fn judge(name: &str, mix: &Value) -> Result<Vec<Judged>, String> {
    let said = |problems| format!("{name}: {problems}");
    let mut run = ran(&experiment(mix)?)?;
    let mut longer = run.clone();
    let mut trials = BTreeMap::new();
    let mut asked = run.ask_why(&Cure::ALL);
    while !asked.is_empty() {
        for one in asked {
            let trial = trials.entry(one.experiment.trunk_hash()).or_insert(Simulation::new(&one.experiment).map_err(said)?);
            trial.go_on(&one.experiment);
            trial.advance(u64::MAX);
            run.tell_why(&one.hash, trial.tried());
        }
        asked = run.ask_longer();
    }
    let close: Vec<Cure> = run.outcome().because.iter().flatten().flat_map(close).collect();
    for one in longer.ask_why(&close) {
        let Some(trial) = trials.get_mut(&one.experiment.trunk_hash()) else { continue };
        trial.go_on(&Experiment { stop: Stop::Cycles(LONG), ..one.experiment.clone() });
        trial.advance(u64::MAX);
        longer.tell_why(&one.hash, trial.tried());
    }
    let (outcome, long) = (run.outcome(), longer.outcome().because.unwrap_or_default());
    let of = |(said, long): (Because, Because)| {
        let kernel = &outcome.kernels[said.kernel as usize];
        Judged {
            mix: name.to_owned(),
            name: kernel.name.clone(),
            slowdown: kernel.slowdown.unwrap_or(f64::NAN),
            share: kernel.share_cost,
            neighbours: kernel.neighbour_cost,
            said,
            long,
        }
    };
    // Of a second wave alone no cure was tried.
    let judged = outcome.because.clone().unwrap_or_default().into_iter().zip(long).map(of);
    Ok(judged.filter(|one| !one.said.cures.is_empty()).collect())
}

fn line(one: &Judged) -> String {
    let number = |x: Option<f64>| x.map_or("–".into(), |x| format!("{x:.2}"));
    let (most, gives) = one.most();
    let said = match one.named() {
        Some((cure, gives)) if one.said.says.contains("perhaps") => format!("perhaps {} {gives:.2}", cure.name()),
        Some((cure, gives)) => format!("{} {gives:.2}", cure.name()),
        None if one.verdict() == Verdict::Short => "too short".into(),
        None => "none".into(),
    };
    let verdict = match one.verdict() {
        Verdict::Holds => "holds",
        Verdict::Fails => "**fails**",
        Verdict::None => "right",
        Verdict::Misses => "misses",
        Verdict::Short => "",
    };
    let [slowdown, share, neighbours] = [Some(one.slowdown), one.share, one.neighbours].map(number);
    format!("| {} | {} | {slowdown} | {share} | {neighbours} | {said} | {most} {gives:.2} | {verdict} |", one.mix, one.name)
}

fn fill(judged: &[Vec<Judged>], page: &mut Page) {
    let all: Vec<&Judged> = judged.iter().flatten().collect();
    let count = |of: &dyn Fn(&Judged) -> bool| all.iter().filter(|one| of(one)).count();
    let rate = |held: usize, of: usize| format!("{held} of {of} ({:.0} %)", 100.0 * held as f64 / of.max(1) as f64);
    let named = |of: &dyn Fn(&Judged) -> bool| {
        let holds = count(&|one| one.verdict() == Verdict::Holds && of(one));
        rate(holds, count(&|one| one.named().is_some() && of(one)))
    };
    let perhaps = |one: &Judged| one.said.says.contains("perhaps");
    page.say("suffer", all.len());
    page.say("named", named(&|_| true));
    page.say("plain", named(&|one| !perhaps(one)));
    page.say("perhaps", named(&perhaps));
    for cure in Cure::ALL {
        let of = |one: &Judged| one.named().is_some_and(|(named, _)| named == cure);
        if count(&of) > 0 {
            page.line("causes", format!("| that name `{}` | {} |", cure.name(), named(&of)));
        }
    }
    let none = count(&|one| one.verdict() == Verdict::None);
    page.say("none", rate(none, none + count(&|one| one.verdict() == Verdict::Misses)));
    page.say("short", count(&|one| one.verdict() == Verdict::Short));
    // The trivial rule: always the cure that is right most often.
    let always = |cure: Cure| count(&|one| one.named().is_some() && one.gives(cure) >= one.most().1 * (1.0 - WITHIN));
    let best = Cure::ALL.into_iter().max_by_key(|cure| always(*cure)).unwrap_or(Cure::Noc);
    page.say("always", best.name());
    page.say("trivial", rate(always(best), count(&|one| one.named().is_some())));
    all.iter().for_each(|one| page.line("rows", line(one)));
}
