//! The mixes of a study, by the names that its claims, tables and figures give them.

use super::held_out::HeldOut;
use super::mix::{Mix, split_goal};
use super::mode::Mode;
use super::read::{count, list, table, texts};
use sim_core::describe::rng::{below, mix};
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::study::oracle;
use std::collections::BTreeMap;

/// What stands before the name of mixes of which those are meant that are set aside.
pub const HELD_OUT: &str = "held-out ";

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

/// The mixes of a study.
#[derive(Debug)]
pub struct Mixes {
    /// Kernels of each class, in the order of the file.
    pub classes: Vec<(String, Vec<String>)>,
    /// Seed of all that is drawn.
    pub seed: u64,
    /// The GPU that the kernels of a set must fit together, as an experiment writes it.
    gpu: Value,
    /// What stands before their names in the library.
    prefix: String,
    /// How many mixes `some` and `few` are.
    some: usize,
    few: usize,
    /// Names of mixes by what they put together.
    groups: BTreeMap<String, Vec<String>>,
    /// Pairs by their two classes.
    pairs: Vec<(String, Mix)>,
    /// Sets by their name.
    sets: BTreeMap<String, Vec<Mix>>,
    /// Cases by their kind.
    cases: BTreeMap<String, Vec<Mix>>,
    /// Which are set aside, where some are.
    pub held_out: Option<HeldOut>,
    /// Drawn groups with SMs of their own by their kind: those of the mode, and all.
    partitions: BTreeMap<String, [Vec<Mix>; 2]>,
}

impl Mixes {
    /// Those of a study's file in a mode.
    pub fn of(study: &Value, mode: &Mode) -> Option<Mixes> {
        let Value::Object(classes) = study.get("classes")? else { return None };
        let classes = classes.iter().map(|(name, kernels)| Some((name.clone(), texts(kernels)?))).collect::<Option<Vec<_>>>()?;
        let mut mixes = Mixes {
            classes,
            seed: u64::try_from(study.get("sets_seed")?.as_int()?).ok()?,
            gpu: study.get("gpu")?.clone(),
            prefix: study.get("prefix").map_or(Some(""), Value::as_str)?.to_owned(),
            some: mode.some,
            few: mode.few,
            groups: table(study.get("groups")?, texts)?,
            pairs: Vec::new(),
            sets: BTreeMap::new(),
            cases: BTreeMap::new(),
            held_out: study.get("held_out").map_or(Some(None), |held| HeldOut::of(held).map(Some))?,
            partitions: BTreeMap::new(),
        };
        let Value::Array(pairs) = study.get("pairs")? else { return None };
        let pairs: Vec<[String; 2]> = pairs.iter().map(|pair| texts(pair)?.try_into().ok()).collect::<Option<_>>()?;
        mixes.pairs = mixes.sampled_pairs(&pairs, mode);
        let order = texts(study.get("order")?)?;
        let sets = table(study.get("sets")?, Sets::of)?;
        mixes.sets = sets.into_iter().map(|(name, sets)| (name, mixes.sets_of(&sets, &order, mode))).collect();
        let cases = study.get("cases").map_or(Some(BTreeMap::new()), |cases| table(cases, Cases::of))?;
        mixes.cases = cases.iter().map(|(name, cases)| (name.clone(), mixes.sampled_cases(name, cases, mode))).collect();
        let partitions = study.get("partitions").map_or(Some(BTreeMap::new()), |kinds| table(kinds, Partitions::of))?;
        mixes.partitions = partitions.iter().map(|(name, kind)| (name.clone(), mixes.drawn_partitions(name, kind, mode))).collect();
        Some(mixes)
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
        let kernel = split_goal(kernel).0;
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
    fn sampled_pairs(&self, classes: &[[String; 2]], mode: &Mode) -> Vec<(String, Mix)> {
        let all: Vec<Vec<Mix>> = classes.iter().map(|[first, second]| self.pairs_of(first, second)).collect();
        let count: usize = all.iter().map(Vec::len).sum();
        let mut sampled = Vec::new();
        for (classes, of) in classes.iter().zip(all) {
            let wanted = (of.len() * mode.pairs).div_ceil(count.max(1));
            sampled.extend(spread(of, wanted).into_iter().map(|mix| (classes.join("+"), mix)));
        }
        sampled
    }

    /// So many distinct sets of distinct kernels, uniformly drawn, the classes in `order`; one that is none of `sets` is drawn again.
    fn sets_of(&self, of: &Sets, order: &[String], mode: &Mode) -> Vec<Mix> {
        let kernels = of.kernels;
        let all: Vec<String> = self.kernels().into_iter().filter(|kernel| !of.without.contains(kernel)).collect();
        let mut sets: Vec<Mix> = Vec::new();
        for draw in 0..10_000_u64 {
            if sets.len() == mode.sets || kernels > all.len() {
                break;
            }
            let mut left: Vec<usize> = (0..all.len()).collect();
            let key = mix(mix(self.seed, kernels as u64), draw);
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
    fn sampled_cases(&self, name: &str, cases: &Cases, mode: &Mode) -> Vec<Mix> {
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
        let wanted = mode.cases.get(name).copied().unwrap_or(all.len());
        spread(all, wanted)
    }

    /// The mixes of a kind, kernels with a goal first. The order among those with a goal makes no other mix, nor does that among those
    /// without.
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
        let key = mix(self.seed, (8 * cases.kernels + cases.promised) as u64);
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
    fn drawn_partitions(&self, name: &str, kind: &Partitions, mode: &Mode) -> [Vec<Mix>; 2] {
        let names = self.kernels();
        let all: Vec<Mix> = (0..kind.groups as u64).map(|group| kind.group(&names, mix(self.seed, group))).collect();
        let mut left: Vec<&Mix> = all.iter().collect();
        let wanted = mode.partitions.get(name).copied().unwrap_or(all.len()).min(all.len());
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
        let kernels = Value::array(set.iter().map(|kernel| format!("{}{kernel}", self.prefix)));
        let value = Value::object([("corun", Value::from(1)), ("gpu", self.gpu.clone()), ("kernels", kernels)]);
        Experiment::decode(&value).is_ok_and(|experiment| oracle::fits_once(&experiment))
    }

    /// The mixes of a name. It is one of these:
    ///
    /// - a group of others, or sets;
    /// - a class, each kernel by itself;
    /// - pairs of two classes (`NBI+DBI`), or `same` and a class: all pairs within it;
    /// - `some` or `few` of any of these, or any of these `but` those with a kernel (`NBI+DBI but KM`);
    /// - `held-out` and any of these: those of them that are set aside;
    /// - one mix (`BP+CFD`). A goal stands behind its kernel, in percent of the IPC alone: `BP@80+CFD`. Where kernels have SMs of their
    ///   own, their number stands there: `VADD:5+COPY:20`.
    ///
    /// Where kernels have goals, also cases:
    ///
    /// - all of a kind, or those at a goal (`pairs@80`);
    /// - those with kernels of these classes in any order (`pairs of C+M`);
    /// - those in which a kernel has a goal (`pairs for BP`) or has none (`pairs beside BP`).
    ///
    /// Where kernels have SMs of their own, also each kernel of a class by itself on so many (`memory:5`), and drawn groups and others `by`
    /// so many kernels (`random by 4`).
    pub fn named(&self, name: &str) -> Vec<Mix> {
        if let Some(kind) = name.strip_prefix(HELD_OUT) {
            return self.named(kind).into_iter().filter(|mix| self.held_out.as_ref().is_some_and(|held| held.has(mix))).collect();
        }
        if let Some((kind, kernels)) = name.split_once(" by ") {
            return self.named(kind).into_iter().filter(|mix| mix.len().to_string() == kernels).collect();
        }
        if let Some([some, _]) = self.partitions.get(name) {
            return some.clone();
        }
        if let Some((kind, sms)) = name.rsplit_once(':').filter(|(kind, _)| self.groups.contains_key(*kind) || !self.class(kind).is_empty())
        {
            return self.named(kind).into_iter().map(|mix| mix.into_iter().map(|kernel| format!("{kernel}:{sms}")).collect()).collect();
        }
        let part = [("some ", self.some), ("few ", self.few)];
        if let Some((kind, wanted)) = part.iter().find_map(|(word, wanted)| Some((name.strip_prefix(word)?, *wanted))) {
            let all = self.named(kind);
            let have_goals = all.iter().flatten().any(|kernel| split_goal(kernel).1.is_some());
            return if have_goals { spread_cases(all, wanted) } else { spread(all, wanted) };
        }
        if let Some((kind, kernel)) = name.split_once(" but ") {
            return self.named(kind).into_iter().filter(|mix| mix.iter().all(|name| split_goal(name).0 != kernel)).collect();
        }
        if let Some(cases) = self.some_cases(name) {
            return cases;
        }
        if let Some(class) = name.strip_prefix("same ") {
            return self.pairs_of(class, class);
        }
        if let Some(group) = self.groups.get(name) {
            return group.iter().flat_map(|name| self.named(name)).collect();
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
            mix.iter().map(|name| split_goal(name)).any(|found| found.0 == kernel && found.1.is_some() == goal)
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
                chosen(kind, &|mix| mix.iter().filter_map(|kernel| split_goal(kernel).1).all(|goal| goal == percent))
            }
        }
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

/// So many cases of a list: always the first of those whose goal was taken least often so far, then whose kernels with a goal were, then
/// whose others. Steps of one length over mixes and goals fall on the same goals again and again.
fn spread_cases(all: Vec<Mix>, wanted: usize) -> Vec<Mix> {
    let traits = |mix: &Mix| {
        let (with, without): (Vec<_>, Vec<_>) = mix.iter().map(|kernel| split_goal(kernel)).partition(|kernel| kernel.1.is_some());
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
