//! What is run: lengths, classes of kernels, schemes, and the mixes that claims speak of. Data: papers/NAME/study.toml.

use super::runs::spaces::Space;
use super::runs::{Lengths, Mix, of_cycles};
use super::tables::Table;
use corun_batch::problem;
use sim_core::describe::error::Problems;
use sim_core::describe::rng::{below, mix};
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use std::collections::BTreeMap;

/// Millions of cycles a second that a core simulates of a pair on the machine of docs/bench.md, about.
const SPEED: f64 = 0.8;

/// Lengths and sizes of a mode.
#[derive(Clone, Debug)]
pub struct Mode {
    /// Cycles before anything is measured.
    pub warm_up: u64,
    /// Cycles that are measured, or at most.
    pub cycles: u64,
    /// The same for mixes with a kernel that needs more, cycles by kernel; studies of single parameters do without.
    long: BTreeMap<String, u64>,
    /// How well each kernel's IPC is to be known: a run ends when it is, as with `stop.settled`. Runs of a search have fixed lengths.
    pub settled: Option<f64>,
    /// How a search of each space goes on.
    searches: BTreeMap<Space, Vec<Rung>>,
    pairs: usize,
    sets: usize,
    /// How many of the cases of each kind are run.
    cases: BTreeMap<String, usize>,
    /// How many of the partitions of each kind are run.
    partitions: BTreeMap<String, usize>,
    /// How long a scheme's own time-line is, of what the paper prints; for schemes that say where it is set.
    pub time_scale: f64,
    /// How many mixes of each kind the studies of single parameters run.
    pub some: usize,
    /// How many those of readings run, each of which needs oracles of its own.
    pub few: usize,
}

/// A rung of a search: all that is left runs so long, and the best go on to the next; those of the last rung to full length.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    pub warm_up: u64,
    pub cycles: u64,
    /// How many go on, for each metric.
    pub keep: usize,
}

impl Rung {
    fn of(value: &Value) -> Option<Rung> {
        let Value::Array(items) = value else { return None };
        let whole = |i: usize| u64::try_from(items.get(i)?.as_int()?).ok();
        Some(Rung { warm_up: whole(0)?, cycles: whole(1)?, keep: usize::try_from(whole(2)?).ok().filter(|keep| *keep > 0)? })
    }

    /// The warm-up and the end of its runs.
    pub fn lengths(&self) -> Lengths {
        (self.warm_up, of_cycles(self.cycles))
    }
}

impl Mode {
    /// Cycles that are measured of a mix, or at most: what the neediest of its kernels needs.
    pub fn cycles_of(&self, mix: &[String]) -> u64 {
        mix.iter().filter_map(|kernel| self.long.get(promised(kernel).0).copied()).fold(self.cycles, u64::max)
    }

    /// For people: how many cycles with kernels that need more.
    pub fn longer(&self) -> String {
        self.long.iter().map(|(kernel, cycles)| format!("with {kernel} {cycles}")).collect::<Vec<_>>().join(", ")
    }

    /// For people: how many of the cases of each kind are run.
    pub fn cases(&self) -> String {
        self.cases.iter().map(|(kind, cases)| format!("{cases} of {kind}")).collect::<Vec<_>>().join(", ")
    }

    /// For people: how many of the drawn partitions are run.
    pub fn partitions(&self) -> String {
        match self.partitions.values().sum::<usize>() {
            0 => "all groups".into(),
            some => format!("{some} of the groups"),
        }
    }

    /// The rungs of a search; none where the study has no search.
    pub fn rungs(&self, space: Space) -> &[Rung] {
        self.searches.get(&space).map_or(&[], Vec::as_slice)
    }

    /// For people: how a search goes on.
    pub fn search(&self, space: Space) -> String {
        let rungs = self.rungs(space).iter().enumerate().map(|(place, rung)| {
            let which = if place == 0 { "all".to_owned() } else { format!("the best {}", self.rungs(space)[place - 1].keep) };
            format!("{which} over {} cycles after {}", rung.cycles, rung.warm_up)
        });
        let last = self.rungs(space).last().map_or(0, |rung| rung.keep);
        format!("{}, the best {last} at full length", rungs.collect::<Vec<_>>().join(", "))
    }
}

/// A scheme as data.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// Name in figures.
    pub title: String,
    /// The policy as an experiment writes it; `Null` for a search.
    pub policy: Value,
    /// The GPU, where it is not the study's: kernels alone, which metrics compare with, run on the study's all the same.
    pub gpu: Option<Value>,
    /// The order of warps, where it is not the study's.
    pub warp_order: Option<String>,
    /// The order of CTAs as an experiment writes it, where it is not the usual one.
    pub cta_order: Option<Value>,
    /// Which space is searched.
    pub search: Option<Space>,
    /// By which metric the best is chosen, whatever is asked of it; by what is asked, HSpeedup or weighted speedup, if left out.
    pub best: Option<String>,
    /// Schemes whose numbers of CTAs a search also tries at full length, whatever its rungs say of them.
    pub also: Vec<String>,
    /// Parameters that are filled with what the kernels do alone.
    pub fill: Vec<String>,
    /// Where the mode's `time_scale` goes.
    pub time_scale: Option<String>,
    /// Another scheme, and the parameter of its policy that this one takes over.
    pub take: Option<[String; 2]>,
}

/// Pairs and schemes that are also measured so many times as long, except in quick mode.
#[derive(Clone, Debug)]
pub struct Longer {
    pub times: u64,
    pub mixes: Vec<String>,
    pub schemes: Vec<String>,
}

/// What the report has besides claims and figures.
#[derive(Clone, Debug)]
pub struct Report {
    /// How it was run: a sentence each; `{cycles}` and the other names of a mode stand for its numbers.
    pub how: Vec<String>,
    /// What the calibrations were to, each with a note on it.
    pub calibration: BTreeMap<String, String>,
    /// Mixes that are listed.
    pub listed: Vec<String>,
}

/// What is to come out in all.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Parts of the results that can be tested which are to be reproduced: directions, and magnitudes.
    pub directions: f64,
    pub magnitudes: f64,
    pub orders: Vec<Order>,
}

/// An order of schemes that is to come out on each of some mixes.
#[derive(Clone, Debug)]
pub struct Order {
    /// What it is by, where that is not plain.
    pub name: String,
    /// From the best to the worst.
    pub schemes: Vec<String>,
    /// A measure without its scheme and mixes.
    pub measure: Value,
    pub mixes: Vec<String>,
}

/// Cases of a kind: all mixes of so many kernels, or so many of them, each with every goal.
#[derive(Clone, Debug)]
struct Cases {
    kernels: usize,
    /// How many of the kernels have a goal: the first of the mix.
    promised: usize,
    /// The goals, percent of the IPC alone.
    percent: Vec<i64>,
    /// How many mixes: if fewer than there are, drawn so that each kernel has a goal as often.
    mixes: usize,
}

/// Groups of kernels that are drawn, each kernel with SMs of its own, as in `VADD:5+COPY:20`.
#[derive(Clone, Debug)]
struct Partitions {
    /// How many groups.
    groups: usize,
    /// How many kernels a group has, at least and at most: each number as often.
    kernels: [usize; 2],
    /// How many SMs a kernel may have: each number as often, as far as all of them are no more than `sms`.
    sizes: Vec<u32>,
    sms: u32,
}

/// Sets of kernels that are drawn: a number of kernels, or with more.
#[derive(Clone, Debug)]
struct Sets {
    kernels: usize,
    /// Kernels that are in none.
    without: Vec<String>,
    /// No set has kernels of one class alone.
    mixed: bool,
    /// Kernels have SMs of their own. Otherwise every SM holds a CTA of each kernel.
    apart: bool,
}

/// The study.
#[derive(Debug)]
pub struct Study {
    /// The paper's title and citation, and what experiments call it.
    pub title: String,
    pub citation: String,
    pub source: String,
    /// The GPU as an experiment writes it.
    pub gpu: Value,
    /// The order of warps where kernels run together.
    pub warp_order: String,
    /// Each kernel runs once, from cycle 0 to its end, and nothing is relative to kernels alone on all SMs: what a paper of latencies runs. Runs end with
    /// their last kernel, or after the mode's cycles.
    pub once: bool,
    /// What stands before a kernel's name in the library, and in no mix's.
    pub prefix: String,
    /// Millions of cycles of its runs that a core simulates in a second, about.
    pub speed: f64,
    pub seed: u64,
    pub sets_seed: u64,
    /// `full`, `sample` or `quick`.
    pub mode_name: String,
    pub mode: Mode,
    /// Kernels of each class, in the order of the file.
    pub classes: Vec<(String, Vec<String>)>,
    pub schemes: BTreeMap<String, Scheme>,
    pub tables: Vec<Table>,
    pub goal: Option<Goal>,
    /// Modifiers of every run: those of the mode first.
    pub everywhere: String,
    pub longer: Longer,
    pub report: Report,
    /// Paths that a modifier sets.
    modifiers: BTreeMap<String, String>,
    /// Mixes and schemes that are measured over the mode's own cycles, whatever kernels they have.
    pub short: Vec<String>,
    /// Names of mixes by what they put together.
    groups: BTreeMap<String, Vec<String>>,
    /// Pairs by their two classes, and sets by their name.
    pairs: Vec<(String, Mix)>,
    sets: BTreeMap<String, Vec<Mix>>,
    /// Cases by their kind.
    cases: BTreeMap<String, Vec<Mix>>,
    /// Drawn groups with SMs of their own by their kind: those of the mode, and all.
    partitions: BTreeMap<String, [Vec<Mix>; 2]>,
}

impl Study {
    /// Reads the study's file.
    pub fn read(text: &str, mode: &str) -> Result<Study, Problems> {
        let value: Value = toml::from_str(text).map_err(|error| problem("study.toml", error, "TOML"))?;
        let wrong = || {
            problem(
                "study.toml",
                "a study with fields missing",
                "title, citation, source, gpu, seed, sets_seed, classes, order, pairs, sets, groups, mode, scheme, modifiers, longer, report",
            )
        };
        if value.get("mode").is_some_and(|modes| modes.get(mode).is_none()) {
            return Err(problem(&format!("--{mode}"), "a paper whose study has none", "another paper, or not this option"));
        }
        Self::of(&value, mode).ok_or_else(wrong)
    }

    fn of(value: &Value, mode_name: &str) -> Option<Study> {
        let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
        let whole = |of: &Value, key: &str| u64::try_from(of.get(key)?.as_int()?).ok();
        let mode = value.get("mode")?.get(mode_name)?;
        let number = |key: &str| whole(mode, key);
        let everywhere = mode.get("everywhere").map_or(Some(String::new()), |changes| changes.as_str().map(str::to_owned));
        let mode = Mode {
            warm_up: number("warm_up")?,
            cycles: number("cycles")?,
            long: mode.get("long").map_or(Some(BTreeMap::new()), |long| table(long, |cycles| u64::try_from(cycles.as_int()?).ok()))?,
            settled: mode.get("settled").map_or(Some(None), |within| within.as_f64().map(Some))?,
            searches: Space::ALL
                .iter()
                .filter_map(|(name, space)| Some(rungs(mode.get(name)?).map(|rungs| (*space, rungs))))
                .collect::<Option<_>>()?,
            pairs: number("pairs")? as usize,
            sets: number("sets")? as usize,
            cases: mode.get("cases").map_or(Some(BTreeMap::new()), |cases| table(cases, count))?,
            partitions: mode.get("partitions").map_or(Some(BTreeMap::new()), |groups| table(groups, count))?,
            some: number("some")? as usize,
            few: number("few")? as usize,
            time_scale: mode.get("time_scale")?.as_f64()?,
        };
        let Value::Object(classes) = value.get("classes")? else { return None };
        let classes = classes.iter().map(|(name, kernels)| Some((name.clone(), texts(kernels)?))).collect::<Option<Vec<_>>>()?;
        let schemes = table(value.get("scheme")?, Scheme::of)?;
        let modifiers = table(value.get("modifiers")?, |path| Some(path.as_str()?.to_owned()))?;
        let mut study = Study {
            title: text("title")?,
            citation: text("citation")?,
            source: text("source")?,
            gpu: value.get("gpu")?.clone(),
            warp_order: value.get("warp_order").map_or(Some("lrr"), Value::as_str)?.to_owned(),
            prefix: value.get("prefix").map_or(Some(""), Value::as_str)?.to_owned(),
            speed: value.get("speed").map_or(Some(SPEED), Value::as_f64)?,
            once: value.get("once") == Some(&Value::Bool(true)),
            seed: whole(value, "seed")?,
            sets_seed: whole(value, "sets_seed")?,
            mode_name: mode_name.to_owned(),
            mode,
            classes,
            schemes,
            tables: list(value.get("table")).iter().map(Table::of).collect::<Option<_>>()?,
            goal: value.get("goal").map_or(Some(None), |goal| Goal::of(goal).map(Some))?,
            everywhere: everywhere?,
            longer: Longer::of(value.get("longer")?)?,
            report: Report::of(value.get("report")?)?,
            modifiers,
            short: value.get("short").map_or(Some(Vec::new()), texts)?,
            groups: table(value.get("groups")?, texts)?,
            pairs: Vec::new(),
            sets: BTreeMap::new(),
            cases: BTreeMap::new(),
            partitions: BTreeMap::new(),
        };
        let Value::Array(pairs) = value.get("pairs")? else { return None };
        let pairs: Vec<[String; 2]> = pairs.iter().map(|pair| texts(pair)?.try_into().ok()).collect::<Option<_>>()?;
        study.pairs = study.sampled_pairs(&pairs);
        let order = texts(value.get("order")?)?;
        let sets = table(value.get("sets")?, Sets::of)?;
        study.sets = sets.into_iter().map(|(name, sets)| (name, study.sets_of(&sets, &order))).collect();
        let cases = value.get("cases").map_or(Some(BTreeMap::new()), |cases| table(cases, Cases::of))?;
        study.cases = cases.iter().map(|(name, cases)| (name.clone(), study.sampled_cases(name, cases))).collect();
        let partitions = value.get("partitions").map_or(Some(BTreeMap::new()), |kinds| table(kinds, Partitions::of))?;
        study.partitions = partitions.iter().map(|(name, kind)| (name.clone(), study.drawn_partitions(name, kind))).collect();
        Some(study)
    }

    /// Kernels of a class.
    pub fn class(&self, name: &str) -> &[String] {
        self.classes.iter().find(|(class, _)| class == name).map_or(&[], |(_, kernels)| kernels)
    }

    /// Every kernel.
    pub fn kernels(&self) -> Vec<String> {
        self.classes.iter().flat_map(|(_, kernels)| kernels.clone()).collect()
    }

    /// The class of a kernel.
    pub fn class_of(&self, kernel: &str) -> &str {
        let kernel = promised(kernel).0;
        self.classes.iter().find(|(_, kernels)| kernels.iter().any(|name| name == kernel)).map_or("", |(class, _)| class)
    }

    /// Every pair of a kernel of one class and another of the other.
    fn pairs_of(&self, first: &str, second: &str) -> Vec<Mix> {
        let mut pairs = Vec::new();
        for (i, a) in self.class(first).iter().enumerate() {
            let others = self.class(second).iter().skip(if first == second { i + 1 } else { 0 });
            pairs.extend(others.map(|b| vec![a.clone(), b.clone()]));
        }
        pairs
    }

    /// The pairs that the mode runs: of each two classes their part, spread evenly over all of theirs.
    fn sampled_pairs(&self, classes: &[[String; 2]]) -> Vec<(String, Mix)> {
        let all: Vec<Vec<Mix>> = classes.iter().map(|[first, second]| self.pairs_of(first, second)).collect();
        let count: usize = all.iter().map(Vec::len).sum();
        let mut sampled = Vec::new();
        for (classes, of) in classes.iter().zip(all) {
            let wanted = (of.len() * self.mode.pairs).div_ceil(count.max(1));
            sampled.extend(spread(of, wanted).into_iter().map(|mix| (classes.join("+"), mix)));
        }
        sampled
    }

    /// So many distinct sets of distinct kernels, uniformly drawn, the classes in `order`; one that is none of `sets` is drawn again.
    fn sets_of(&self, of: &Sets, order: &[String]) -> Vec<Mix> {
        let kernels = of.kernels;
        let all: Vec<String> = self.kernels().into_iter().filter(|kernel| !of.without.contains(kernel)).collect();
        let mut sets: Vec<Mix> = Vec::new();
        for draw in 0..10_000_u64 {
            if sets.len() == self.mode.sets || kernels > all.len() {
                break;
            }
            let mut left: Vec<usize> = (0..all.len()).collect();
            let key = mix(mix(self.sets_seed, kernels as u64), draw);
            let mut set: Vec<usize> = (0..kernels).map(|i| left.remove(below(mix(key, i as u64), left.len() as u64) as usize)).collect();
            set.sort_by_key(|&kernel| (order.iter().position(|class| *class == self.class_of(&all[kernel])), kernel));
            let set: Mix = set.into_iter().map(|kernel| all[kernel].clone()).collect();
            if !sets.contains(&set) && self.is_of(&set, of) {
                sets.push(set);
            }
        }
        sets
    }

    /// The cases of a kind that the mode runs, spread evenly over mixes and goals: mix by mix, each with its goals.
    fn sampled_cases(&self, name: &str, cases: &Cases) -> Vec<Mix> {
        let mut all = Vec::new();
        for mix in self.roles(cases) {
            let with = |percent: &i64| {
                let named = |(place, kernel): (usize, &String)| {
                    if place < cases.promised { format!("{kernel}@{percent}") } else { kernel.clone() }
                };
                mix.iter().enumerate().map(named).collect()
            };
            all.extend(cases.percent.iter().map(with));
        }
        let wanted = self.mode.cases.get(name).copied().unwrap_or(all.len());
        spread(all, wanted)
    }

    /// The mixes of a kind, kernels with a goal first. The order among those with a goal makes no other mix, nor does that among those without.
    fn roles(&self, cases: &Cases) -> Vec<Mix> {
        let names = self.kernels();
        let mut all = Vec::new();
        for first in subsets(names.len(), cases.promised) {
            let others = subsets(names.len(), cases.kernels - cases.promised);
            let others = others.into_iter().filter(|others| others.iter().all(|kernel| !first.contains(kernel)));
            all.extend(others.map(|others| [first.clone(), others].concat()));
        }
        if cases.mixes < all.len() {
            all = self.drawn(all, cases);
        }
        all.into_iter().map(|mix| mix.into_iter().map(|kernel| names[kernel].clone()).collect()).collect()
    }

    /// So many of the mixes, drawn one by one, always among those whose kernels with a goal had one least often so far.
    fn drawn(&self, mut left: Vec<Vec<usize>>, cases: &Cases) -> Vec<Vec<usize>> {
        let mut often = vec![0_u32; self.kernels().len()];
        let mut drawn = Vec::new();
        let key = mix(self.sets_seed, (8 * cases.kernels + cases.promised) as u64);
        while drawn.len() < cases.mixes {
            let load = |mix: &Vec<usize>| {
                let mut loads: Vec<u32> = mix[..cases.promised].iter().map(|kernel| often[*kernel]).collect();
                loads.sort_unstable_by(|a, b| b.cmp(a));
                loads
            };
            let least = left.iter().map(load).min();
            let of: Vec<usize> = (0..left.len()).filter(|place| Some(load(&left[*place])) == least).collect();
            let chosen = left.remove(of[below(mix(key, drawn.len() as u64), of.len() as u64) as usize]);
            chosen[..cases.promised].iter().for_each(|kernel| often[*kernel] += 1);
            drawn.push(chosen);
        }
        drawn.sort();
        drawn
    }

    /// The groups of a kind: those that the mode runs, the same number of each size, and all.
    fn drawn_partitions(&self, name: &str, kind: &Partitions) -> [Vec<Mix>; 2] {
        let names = self.kernels();
        let all: Vec<Mix> = (0..kind.groups as u64).map(|group| kind.group(&names, mix(self.sets_seed, group))).collect();
        let mut left: Vec<&Mix> = all.iter().collect();
        let wanted = self.mode.partitions.get(name).copied().unwrap_or(all.len()).min(all.len());
        let mut taken: Vec<Mix> = Vec::new();
        for size in (0..all.len()).flat_map(|_| kind.kernels[0]..=kind.kernels[1]) {
            if taken.len() == wanted {
                break;
            }
            if let Some(place) = left.iter().position(|group| group.len() == size) {
                taken.push(left.remove(place).clone());
            }
        }
        // In the order in which they were drawn.
        taken.sort_by_key(|group| all.iter().position(|other| other == group));
        [taken, all]
    }

    /// All groups of a kind that is drawn, also those that the mode does not run.
    pub fn all_partitions(&self, name: &str) -> &[Mix] {
        self.partitions.get(name).map_or(&[], |[_, all]| all)
    }

    fn is_of(&self, set: &Mix, of: &Sets) -> bool {
        let one_class = set.iter().all(|kernel| self.class_of(kernel) == self.class_of(&set[0]));
        (!of.mixed || !one_class) && (of.apart || self.fits(set))
    }

    fn fits(&self, set: &Mix) -> bool {
        let kernels = Value::array(set.iter().map(String::as_str));
        let value = Value::object([("corun", Value::from(1)), ("gpu", self.gpu.clone()), ("kernels", kernels)]);
        Experiment::decode(&value).is_ok_and(|experiment| sim_core::study::oracle::fits_once(&experiment))
    }

    /// The mixes that a claim names: a group of others, sets, a class (each kernel by itself), pairs of two classes, `same` and a class
    /// (all pairs within it), `some` or `few` of any of these, any of these `but` those with a kernel, as in `NBI+DBI but KM`, or one mix such as
    /// `BP+CFD`. Of cases, where kernels have goals: all of a kind, those at a goal (`pairs@80`), those with kernels of these classes in any order
    /// (`pairs of C+M`), those in which a kernel has a goal (`pairs for BP`) or has none (`pairs beside BP`). In a mix a goal stands behind its
    /// kernel, in percent of the IPC alone: `BP@80+CFD`. Where kernels have SMs of their own, their number stands behind the kernel: `VADD:5+COPY:20`,
    /// or `memory:5`, each kernel of a class by itself on so many; of drawn groups and others, those `by` so many kernels (`random by 4`).
    pub fn mixes(&self, name: &str) -> Vec<Mix> {
        if let Some((kind, kernels)) = name.split_once(" by ") {
            return self.mixes(kind).into_iter().filter(|mix| mix.len().to_string() == kernels).collect();
        }
        if let Some([some, _]) = self.partitions.get(name) {
            return some.clone();
        }
        if let Some((kind, sms)) = name.rsplit_once(':').filter(|(kind, _)| self.groups.contains_key(*kind) || !self.class(kind).is_empty())
        {
            return self.mixes(kind).into_iter().map(|mix| mix.into_iter().map(|kernel| format!("{kernel}:{sms}")).collect()).collect();
        }
        let part = [("some ", self.mode.some), ("few ", self.mode.few)];
        if let Some((kind, wanted)) = part.iter().find_map(|(word, wanted)| Some((name.strip_prefix(word)?, *wanted))) {
            let all = self.mixes(kind);
            let have_goals = all.iter().flatten().any(|kernel| promised(kernel).1.is_some());
            return if have_goals { spread_cases(all, wanted) } else { spread(all, wanted) };
        }
        if let Some((kind, kernel)) = name.split_once(" but ") {
            return self.mixes(kind).into_iter().filter(|mix| mix.iter().all(|name| promised(name).0 != kernel)).collect();
        }
        if let Some(cases) = self.some_cases(name) {
            return cases;
        }
        if let Some(class) = name.strip_prefix("same ") {
            return self.pairs_of(class, class);
        }
        if let Some(group) = self.groups.get(name) {
            return group.iter().flat_map(|name| self.mixes(name)).collect();
        }
        if let Some(sets) = self.sets.get(name) {
            return sets.clone();
        }
        let pairs: Vec<Mix> = self.pairs.iter().filter(|(classes, _)| classes == name).map(|(_, mix)| mix.clone()).collect();
        let class: Vec<Mix> = self.class(name).iter().map(|kernel| vec![kernel.clone()]).collect();
        match (pairs.is_empty(), class.is_empty()) {
            (false, _) => pairs,
            (_, false) => class,
            _ => vec![name.split('+').map(str::to_owned).collect()],
        }
    }

    /// Cases of a kind, or some of them.
    fn some_cases(&self, name: &str) -> Option<Vec<Mix>> {
        if let Some(cases) = self.cases.get(name) {
            return Some(cases.clone());
        }
        let has = |mix: &Mix, kernel: &str, goal: bool| {
            mix.iter().map(|name| promised(name)).any(|found| found.0 == kernel && found.1.is_some() == goal)
        };
        let chosen = |kind: &str, which: &dyn Fn(&Mix) -> bool| Some(self.some_cases(kind)?.into_iter().filter(which).collect());
        let sorted = |mut classes: Vec<&str>| {
            classes.sort_unstable();
            classes.join("+")
        };
        let parts = [" of ", " for ", " beside "].iter().find_map(|word| Some((*word, name.split_once(word)?)));
        match parts {
            Some((" of ", (kind, classes))) => {
                let wanted = sorted(classes.split('+').collect());
                chosen(kind, &|mix| sorted(mix.iter().map(|kernel| self.class_of(kernel)).collect()) == wanted)
            }
            Some((word, (kind, kernel))) => chosen(kind, &|mix| has(mix, kernel, word == " for ")),
            None => {
                let (kind, percent) = name.rsplit_once('@')?;
                let percent: i64 = percent.parse().ok()?;
                chosen(kind, &|mix| mix.iter().filter_map(|kernel| promised(kernel).1).all(|goal| goal == percent))
            }
        }
    }

    /// Whether mixes are measured over the mode's own cycles under all of these schemes: in studies of single parameters, and if one of these names, or the
    /// mixes', is among those that are `short`.
    pub fn is_short<'s>(&self, mixes: &str, mut schemes: impl Iterator<Item = &'s str>) -> bool {
        let is_listed = |name: &str| name.split([' ', '(']).next().is_some_and(|name| self.short.iter().any(|short| short == name));
        ["some ", "few "].iter().any(|word| mixes.starts_with(word)) || is_listed(mixes) || schemes.any(is_listed)
    }

    /// What a modifier sets: by its name, or the path itself.
    pub fn path<'s>(&'s self, key: &'s str) -> Option<&'s str> {
        self.modifiers.get(key).map(String::as_str).or_else(|| Some(key).filter(|key| key.contains('.')))
    }

    /// A modifier of one kernel: which, and what of it.
    pub fn kernel_field<'k>(&self, key: &'k str) -> Option<(&'k str, &'k str)> {
        key.split_once('.').filter(|(name, _)| self.classes.iter().any(|(_, kernels)| kernels.iter().any(|kernel| kernel == name)))
    }

    /// A scheme's name in figures.
    pub fn title<'s>(&'s self, scheme: &'s str) -> &'s str {
        self.schemes.get(scheme).map_or(scheme, |scheme| &scheme.title)
    }
}

impl Scheme {
    fn of(value: &Value) -> Option<Scheme> {
        Some(Scheme {
            title: value.get("title")?.as_str()?.to_owned(),
            policy: value.get("policy").cloned().unwrap_or_default(),
            gpu: value.get("gpu").cloned(),
            warp_order: value.get("warp_order").map_or(Some(None), |order| order.as_str().map(|order| Some(order.to_owned())))?,
            cta_order: value.get("cta_order").cloned(),
            search: value.get("search").map_or(Some(None), |name| Space::named(name.as_str()?).map(Some))?,
            best: value.get("best").map_or(Some(None), |best| best.as_str().map(|best| Some(best.to_owned())))?,
            also: value.get("also").map_or(Some(Vec::new()), texts)?,
            fill: value.get("fill").map_or(Some(Vec::new()), texts)?,
            time_scale: value.get("time_scale").and_then(Value::as_str).map(str::to_owned),
            take: value.get("take").and_then(|take| texts(take)?.try_into().ok()),
        })
    }
}

impl Longer {
    fn of(value: &Value) -> Option<Longer> {
        let times = u64::try_from(value.get("times")?.as_int()?).ok()?;
        Some(Longer { times, mixes: texts(value.get("mixes")?)?, schemes: texts(value.get("schemes")?)? })
    }
}

impl Report {
    fn of(value: &Value) -> Option<Report> {
        let list = |key: &str| texts(value.get(key)?);
        Some(Report {
            how: list("how")?,
            calibration: table(value.get("calibration")?, |note| Some(note.as_str()?.to_owned()))?,
            listed: list("listed")?,
        })
    }
}

impl Goal {
    fn of(value: &Value) -> Option<Goal> {
        let part = |key: &str| value.get(key)?.as_f64();
        Some(Goal {
            directions: part("directions")?,
            magnitudes: part("magnitudes")?,
            orders: list(value.get("orders")).iter().map(Order::of).collect::<Option<_>>()?,
        })
    }
}

impl Order {
    fn of(value: &Value) -> Option<Order> {
        Some(Order {
            name: value.get("name").map_or(Some(""), Value::as_str)?.to_owned(),
            schemes: texts(value.get("schemes")?)?,
            measure: value.get("measure")?.clone(),
            mixes: texts(value.get("mixes")?)?,
        })
    }
}

impl Sets {
    fn of(value: &Value) -> Option<Sets> {
        let flag = |key: &str| value.get(key) == Some(&Value::Bool(true));
        let kernels = value.get("kernels").unwrap_or(value);
        let without = value.get("without").map_or(Some(Vec::new()), texts)?;
        Some(Sets { kernels: count(kernels)?, without, mixed: flag("mixed"), apart: flag("apart") })
    }
}

impl Partitions {
    fn of(value: &Value) -> Option<Partitions> {
        let sizes = list(value.get("sizes")).iter().map(|size| u32::try_from(size.as_int()?).ok()).collect::<Option<Vec<u32>>>()?;
        let kernels = list(value.get("kernels")).iter().map(count).collect::<Option<Vec<usize>>>()?;
        let kind = Partitions {
            groups: count(value.get("groups")?)?,
            kernels: kernels.try_into().ok()?,
            sizes,
            sms: u32::try_from(value.get("sms")?.as_int()?).ok()?,
        };
        let least = kind.sizes.iter().min()?;
        (1..=kind.kernels[1]).contains(&kind.kernels[0]).then_some(())?;
        (kind.kernels[1] as u32 * least <= kind.sms).then_some(kind)
    }

    /// A group: how many kernels, which, no kernel twice, and SMs for each, drawn again while they are too many together.
    fn group(&self, names: &[String], key: u64) -> Mix {
        let mut draws = 0..;
        let mut draw = |of: usize| below(mix(key, draws.next().unwrap_or(0)), of as u64) as usize;
        let kernels = self.kernels[0] + draw(self.kernels[1] - self.kernels[0] + 1);
        let mut left: Vec<&String> = names.iter().collect();
        let chosen: Vec<&String> = (0..kernels.min(names.len())).map(|_| left.remove(draw(left.len()))).collect();
        loop {
            let sizes: Vec<u32> = chosen.iter().map(|_| self.sizes[draw(self.sizes.len())]).collect();
            if sizes.iter().sum::<u32>() <= self.sms {
                return chosen.iter().zip(sizes).map(|(kernel, sms)| format!("{kernel}:{sms}")).collect();
            }
        }
    }
}

impl Cases {
    fn of(value: &Value) -> Option<Cases> {
        let number = |key: &str| count(value.get(key)?);
        let cases = Cases {
            kernels: number("kernels")?,
            promised: number("promised")?,
            percent: list(value.get("percent")).iter().map(Value::as_int).collect::<Option<_>>()?,
            mixes: number("mixes")?,
        };
        (1..=cases.kernels).contains(&cases.promised).then_some(cases)
    }
}

/// A kernel of a mix, and its goal if it has one: `BP@80` is to keep 80 % of its IPC alone.
pub fn promised(kernel: &str) -> (&str, Option<i64>) {
    match kernel.rsplit_once('@') {
        Some((name, percent)) => (name, percent.parse().ok()),
        None => (sized(kernel).0, None),
    }
}

/// A kernel of a mix, and how many SMs it has if they are its own: `VADD:15`.
pub fn sized(kernel: &str) -> (&str, Option<u32>) {
    match kernel.rsplit_once(':') {
        Some((name, sms)) => (name, sms.parse().ok()),
        None => (kernel, None),
    }
}

/// Every set of so many of the first `all` numbers.
fn subsets(all: usize, size: usize) -> Vec<Vec<usize>> {
    let mut sets = vec![Vec::new()];
    for _ in 0..size {
        let more = |set: &Vec<usize>| {
            let set = set.clone();
            (set.last().map_or(0, |last| last + 1)..all).map(move |next| [set.clone(), vec![next]].concat())
        };
        sets = sets.iter().flat_map(more).collect();
    }
    sets
}

/// So many of a list, spread evenly over it; the step drifts, so that in rows of equal length not always the same column is taken.
fn spread<T: Clone>(all: Vec<T>, wanted: usize) -> Vec<T> {
    if wanted >= all.len() {
        return all;
    }
    (0..wanted).map(|i| all[(i * all.len() / wanted + i % (all.len() / wanted)) % all.len()].clone()).collect()
}

/// So many cases of a list: always the first of those whose goal was taken least often so far, then whose kernels with a goal were, then whose
/// others. Steps of one length over mixes and goals fall on the same goals again and again.
fn spread_cases(all: Vec<Mix>, wanted: usize) -> Vec<Mix> {
    let traits = |mix: &Mix| {
        let (with, without): (Vec<_>, Vec<_>) = mix.iter().map(|kernel| promised(kernel)).partition(|kernel| kernel.1.is_some());
        let goal = with.iter().filter_map(|kernel| kernel.1).map(|goal| format!("@{goal}")).take(1);
        let with = with.iter().map(|kernel| format!("{}@", kernel.0));
        goal.chain(with).chain(without.iter().map(|kernel| kernel.0.to_owned())).collect::<Vec<String>>()
    };
    let all: Vec<(Vec<String>, Mix)> = all.into_iter().map(|mix| (traits(&mix), mix)).collect();
    let mut often: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut left, mut taken): (Vec<usize>, Vec<usize>) = ((0..all.len()).collect(), Vec::new());
    while taken.len() < wanted {
        let load = |case: &usize| all[*case].0.iter().map(|word| often.get(word.as_str()).copied().unwrap_or(0)).collect::<Vec<_>>();
        let Some(place) = (0..left.len()).min_by_key(|place| load(&left[*place])) else { break };
        let case = left.remove(place);
        all[case].0.iter().for_each(|word| *often.entry(word).or_insert(0) += 1);
        taken.push(case);
    }
    taken.sort_unstable();
    taken.into_iter().map(|case| all[case].1.clone()).collect()
}

/// A table by its keys.
fn table<T>(value: &Value, of: impl Fn(&Value) -> Option<T>) -> Option<BTreeMap<String, T>> {
    let Value::Object(pairs) = value else { return None };
    pairs.iter().map(|(name, value)| Some((name.clone(), of(value)?))).collect()
}

fn count(value: &Value) -> Option<usize> {
    usize::try_from(value.as_int()?).ok()
}

fn rungs(value: &Value) -> Option<Vec<Rung>> {
    let rungs: Vec<Rung> = list(Some(value)).iter().map(Rung::of).collect::<Option<_>>()?;
    (!rungs.is_empty()).then_some(rungs)
}

fn list(value: Option<&Value>) -> &[Value] {
    if let Some(Value::Array(items)) = value { items } else { &[] }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    let Value::Array(items) = value else { return None };
    items.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}
