//! The Lab: experiments that are wanted go in, what is kept of their runs comes out. A run alone that several of them need runs once.
//!
//! It has no threads, no clock and no files. A host asks for a run that can `start`, runs it wherever it likes, and says `ended`. What a store
//! has of it, the host says with `stored`.

use sim_core::describe::error::{Problem, Problems};
use sim_core::describe::record::Datum;
use sim_core::describe::value::Value;
use sim_core::interface::observation::Alone;
use sim_core::run::cure::Cure;
use sim_core::run::experiment::Experiment;
use sim_core::run::plan::{self, Plan, Planned, SoloProfiles};
use sim_core::run::simulation::Simulation;
use sim_core::run::trials::{self, Tried};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// What an outcome compares with: the runs alone that it waits for, beside those that its policy needs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub enum Compared {
    /// Nothing.
    Nothing,
    /// Each kernel alone.
    Alone,
    /// Each kernel alone, and in the share that it had.
    Shares,
    /// Each kernel alone, in the share that it had, and where it suffers from its neighbours without one cause each.
    Why,
}

/// An experiment whose outcome is wanted.
#[derive(Debug)]
pub struct Want {
    /// What runs.
    pub experiment: Experiment,
    /// What its outcome compares with.
    pub compared: Compared,
    /// What is kept of its run when it has ended.
    pub keep: fn(&mut Simulation) -> Value,
    /// The name under which a store keeps that, if one does.
    pub key: Option<String>,
    /// About how long it takes beside others: the longest come first, equal ones as they are asked for.
    pub weight: u64,
    /// What who wants it knows it by.
    pub tag: usize,
}

impl Want {
    /// An outcome that compares with nothing, and that no store keeps.
    pub fn new(experiment: Experiment, keep: fn(&mut Simulation) -> Value) -> Want {
        Want { experiment, compared: Compared::Nothing, keep, key: None, weight: WEIGHT, tag: 0 }
    }
}

/// Weight of a run alone, and of all runs where no one is longer than another.
pub const WEIGHT: u64 = 1000;

/// A run that something wanted needs.
#[derive(Clone, Debug)]
struct Needed {
    run: Planned,
    trunk: String,
    /// It tells why, and not what a kernel does alone.
    tells_why: bool,
}

impl Needed {
    fn of(run: Planned) -> Needed {
        // The run itself may have this trunk, too.
        Needed { trunk: format!("alone {}", run.experiment.trunk_hash()), run, tells_why: false }
    }

    fn why(run: Planned) -> Needed {
        Needed { trunk: format!("why {}", run.experiment.trunk_hash()), run, tells_why: true }
    }
}

/// The name under which a store keeps what each kernel did in a run that tells why.
pub fn tried_key(hash: &str) -> String {
    format!("{hash}-ipc")
}

#[derive(Debug)]
struct Wanted {
    want: Want,
    trunk: String,
    /// What it needs to start, and what its outcome needs.
    first: Vec<Needed>,
    then: Vec<Needed>,
}

impl Wanted {
    fn needs(&self) -> impl Iterator<Item = &Needed> {
        self.first.iter().chain(&self.then)
    }
}

/// A run that can start.
#[derive(Debug)]
pub struct Job {
    /// What runs.
    pub experiment: Experiment,
    /// What its policy has to know of kernels alone.
    pub profiles: SoloProfiles,
    /// A run that has ended as its beginning.
    pub begun: Option<Simulation>,
    /// See `Want`.
    pub weight: u64,
    of: Of,
    key: Option<String>,
}

#[derive(Debug)]
enum Of {
    Alone(Box<Needed>),
    Wanted(Box<Wanted>),
}

impl Job {
    /// The name under which a store keeps what this run measures.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// What is wrong with it, for who has written the experiment: with the name of a run that it only needs.
    pub fn named(&self, problems: Problems) -> Problems {
        match &self.of {
            Of::Alone(needed) => of_planned(problems, &needed.run),
            Of::Wanted(_) => problems,
        }
    }
}

/// A run that another one needs, at its beginning.
pub fn begin(planned: &Planned) -> Result<Simulation, Problems> {
    Simulation::new(&planned.experiment).map_err(|problems| of_planned(problems, planned))
}

fn of_planned(problems: Problems, planned: &Planned) -> Problems {
    let named = |problem: Problem| Problem {
        found: format!("in the run \"{}\", which this one needs, {}", planned.experiment.name, problem.found),
        ..problem
    };
    Problems(problems.0.into_iter().map(named).collect())
}

/// Where something wanted stands: by weight, then in the order of asking.
type Place = (Reverse<u64>, usize);

/// What can start.
enum First {
    Alone(Box<Needed>),
    Wanted(Place),
}

/// A run that has ended and waits for others.
#[derive(Debug)]
struct Waiting {
    wanted: Wanted,
    run: Simulation,
    waits_for: Vec<Needed>,
    /// What it compares with once it has these.
    then: Compared,
}

/// What is wanted, what is under way, and what is known.
#[derive(Debug, Default)]
pub struct Lab {
    wanted: BTreeMap<Place, Wanted>,
    /// How many have been wanted.
    asked: usize,
    /// How many runs alone have begun for them.
    alone: u64,
    /// Trunks of the runs under way: of one beginning, one runs at a time, so that the next goes on where it ended.
    under_way: BTreeSet<String>,
    waiting: Vec<Waiting>,
    /// Runs that have ended and from which longer ones go on, by trunk.
    begun: BTreeMap<String, Simulation>,
    solo: SoloProfiles,
    /// What each kernel did in runs that tell why, by their hash.
    tried: BTreeMap<String, Vec<Tried>>,
    outcomes: Vec<(usize, Value)>,
    /// What a store is to keep.
    rows: Vec<(String, Value)>,
}

impl Lab {
    /// Wants the outcome of an experiment. Of those that differ only in their end, the shorter is to be asked for first.
    pub fn want(&mut self, want: Want) {
        let plan = Plan::of(&want.experiment);
        let needed = |runs: Vec<Planned>| runs.into_iter().map(Needed::of).collect();
        let then = if want.compared == Compared::Nothing { Vec::new() } else { needed(plan.alone) };
        let trunk = want.experiment.trunk_hash();
        self.asked += 1;
        self.wanted.insert((Reverse(want.weight), self.asked), Wanted { trunk, first: needed(plan.profile), then, want });
    }

    /// A run that can start now; nothing while all that is left waits for runs under way, or there is none.
    pub fn start(&mut self) -> Option<Job> {
        let mut waited_for = self.waiting.iter().flat_map(|one| &one.waits_for);
        if let Some(needed) = waited_for.find(|needed| self.can_start(needed)).cloned() {
            return Some(self.alone(needed));
        }
        let place = match self.first_that_can()? {
            First::Alone(needed) => return Some(self.alone(*needed)),
            First::Wanted(place) => place,
        };
        let wanted = self.wanted.remove(&place)?;
        self.under_way.insert(wanted.trunk.clone());
        Some(Job {
            experiment: wanted.want.experiment.clone(),
            profiles: self.known(&wanted.first),
            begun: self.begun.remove(&wanted.trunk),
            weight: wanted.want.weight,
            key: wanted.want.key.clone(),
            of: Of::Wanted(Box::new(wanted)),
        })
    }

    /// The first of what is wanted that can start, or that waits for a run alone that can.
    fn first_that_can(&self) -> Option<First> {
        let mut ahead = BTreeSet::new();
        for (place, wanted) in &self.wanted {
            if let Some(needed) = wanted.needs().find(|needed| self.can_start(needed)) {
                return Some(First::Alone(Box::new(needed.clone())));
            }
            let known = wanted.first.iter().all(|needed| self.solo.contains_key(&needed.run.hash));
            if known && !self.under_way.contains(&wanted.trunk) && !ahead.contains(&wanted.trunk) {
                return Some(First::Wanted(*place));
            }
            ahead.insert(&wanted.trunk);
        }
        None
    }

    fn can_start(&self, needed: &Needed) -> bool {
        !self.is_known(needed) && !self.under_way.contains(&needed.trunk)
    }

    fn is_known(&self, needed: &Needed) -> bool {
        let hash = &needed.run.hash;
        if needed.tells_why { self.tried.contains_key(hash) } else { self.solo.contains_key(hash) }
    }

    fn alone(&mut self, needed: Needed) -> Job {
        self.under_way.insert(needed.trunk.clone());
        self.alone += 1;
        Job {
            experiment: needed.run.experiment.clone(),
            profiles: SoloProfiles::new(),
            begun: self.begun.remove(&needed.trunk),
            weight: WEIGHT,
            key: Some(if needed.tells_why { tried_key(&needed.run.hash) } else { needed.run.hash.clone() }),
            of: Of::Alone(Box::new(needed)),
        }
    }

    fn known(&self, needed: &[Needed]) -> SoloProfiles {
        let of = |needed: &Needed| Some((needed.run.hash.clone(), *self.solo.get(&needed.run.hash)?));
        needed.iter().filter_map(of).collect()
    }

    /// A job has ended.
    pub fn ended(&mut self, job: Job, mut run: Simulation) {
        match job.of {
            Of::Alone(needed) if needed.tells_why => {
                let tried = run.tried();
                self.rows.extend(job.key.map(|key| (key, tried.write())));
                self.under_way.remove(&needed.trunk);
                self.tried.insert(needed.run.hash, tried);
            }
            Of::Alone(needed) => {
                let alone = run.answer();
                self.rows.extend(job.key.map(|key| (key, plan::encode(&alone))));
                self.solo.insert(needed.run.hash, alone);
                let goes_on =
                    |wanted: &Wanted| wanted.needs().any(|other| other.trunk == needed.trunk && !self.solo.contains_key(&other.run.hash));
                self.under_way.remove(&needed.trunk);
                if self.wanted.values().any(goes_on) {
                    self.begun.insert(needed.trunk, run);
                }
            }
            Of::Wanted(wanted) => {
                let (waits_for, then) = (wanted.then.clone(), if wanted.then.is_empty() { wanted.want.compared } else { Compared::Alone });
                self.waiting.push(Waiting { wanted: *wanted, run, waits_for, then });
            }
        }
        self.complete();
    }

    /// A store has what a job would have measured. What is no such thing is not taken: the job is given back, to be run.
    pub fn stored(&mut self, job: Job, kept: Value) -> Option<Job> {
        match job.of {
            Of::Alone(ref needed) if needed.tells_why => {
                let read = trials::told(&Value::object([(needed.run.hash.as_str(), kept.clone())]));
                let Ok(mut told) = read else { return Some(job) };
                let tried = told.remove(&needed.run.hash).unwrap_or_default();
                self.under_way.remove(&needed.trunk);
                self.tried.insert(needed.run.hash.clone(), tried);
            }
            Of::Alone(ref needed) => {
                let Ok(alone) = solo(&kept) else { return Some(job) };
                self.under_way.remove(&needed.trunk);
                self.begun.extend(job.begun.map(|begun| (needed.trunk.clone(), begun)));
                self.solo.insert(needed.run.hash.clone(), alone);
            }
            Of::Wanted(wanted) => {
                self.under_way.remove(&wanted.trunk);
                self.outcomes.push((wanted.want.tag, kept));
                self.begun.extend(job.begun.map(|begun| (wanted.trunk, begun)));
            }
        }
        self.complete();
        None
    }

    /// Makes the outcomes of those that have waited for what is known now.
    fn complete(&mut self) {
        for mut one in std::mem::take(&mut self.waiting) {
            if !self.has_all(&mut one) {
                self.waiting.push(one);
                continue;
            }
            let Waiting { wanted, mut run, .. } = one;
            let outcome = (wanted.want.keep)(&mut run);
            self.rows.extend(wanted.want.key.map(|key| (key, outcome.clone())));
            self.outcomes.push((wanted.want.tag, outcome));
            self.under_way.remove(&wanted.trunk);
            if self.wanted.values().any(|other| other.trunk == wanted.trunk) {
                self.begun.insert(wanted.trunk, run);
            }
        }
    }

    /// Tells a run what it has waited for, and finds what it waits for next: a kernel's share follows from what it does alone, and who suffers from what
    /// it does in its share. True once nothing is left.
    fn has_all(&self, one: &mut Waiting) -> bool {
        loop {
            if !one.waits_for.iter().all(|needed| self.is_known(needed)) {
                return false;
            }
            one.run.add_solo_profiles(&self.known(&one.waits_for));
            for (hash, tried) in one.waits_for.iter().filter_map(|needed| self.tried.get_key_value(&needed.run.hash)) {
                one.run.tell_why(hash, tried.clone());
            }
            one.waits_for = match one.then {
                Compared::Why => one.run.ask_longer().into_iter().map(Needed::why).collect(),
                then if then == one.wanted.want.compared => return true,
                Compared::Shares => {
                    one.then = Compared::Why;
                    one.run.ask_why(&Cure::ALL).into_iter().map(Needed::why).collect()
                }
                _ => {
                    one.then = Compared::Shares;
                    let shares = one.run.share_runs();
                    one.run.unknown(shares).into_iter().map(Needed::of).collect()
                }
            };
            if one.then == Compared::Why && one.waits_for.is_empty() {
                return true;
            }
        }
    }

    /// The outcomes that have come since this was asked last, by the tags of what was wanted.
    pub fn outcomes(&mut self) -> Vec<(usize, Value)> {
        std::mem::take(&mut self.outcomes)
    }

    /// What a store is to keep of what has come since this was asked last, by key.
    pub fn rows(&mut self) -> Vec<(String, Value)> {
        std::mem::take(&mut self.rows)
    }

    /// The weight of the runs alone that have begun.
    pub fn weight_alone(&self) -> u64 {
        self.alone * WEIGHT
    }

    /// Whether nothing that is wanted is left.
    pub fn is_over(&self) -> bool {
        self.wanted.is_empty() && self.waiting.is_empty() && self.under_way.is_empty()
    }
}

/// What a run alone has measured, as a store has it.
pub fn solo(kept: &Value) -> Result<Alone, Problems> {
    const ONE: &str = "one";
    plan::decode(&Value::object([(ONE, kept.clone())])).map(|mut read| read.remove(ONE).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::study::profile;

    fn experiment(kernels: &[&str], policy: &str, cycles: u64) -> Experiment {
        let value = Value::object([
            ("corun", Value::from(1)),
            ("gpu", "tiny-2sm".into()),
            ("kernels", Value::array(kernels.iter().copied())),
            ("policy", policy.into()),
            ("stop", Value::object([("cycles", cycles)])),
        ]);
        Experiment::decode(&value).unwrap()
    }

    fn want(experiment: Experiment, compared: Compared, tag: usize) -> Want {
        Want { experiment, compared, keep: Simulation::result, key: Some(format!("row {tag}")), weight: WEIGHT, tag }
    }

    /// Runs a job to its end.
    fn run(job: &mut Job) -> Simulation {
        let begun = job.begun.take().and_then(|mut begun| begun.go_on(&job.experiment).then_some(begun));
        let mut run = begun.unwrap_or_else(|| Simulation::with(&job.experiment, &job.profiles).unwrap());
        run.advance(u64::MAX);
        run
    }

    /// Does all that is left, one after the other: the names of the runs in their order, whether they went on from another, and the outcomes.
    fn all(lab: &mut Lab) -> (Vec<(String, bool)>, BTreeMap<usize, Value>) {
        let (mut order, mut outcomes) = (Vec::new(), BTreeMap::new());
        while let Some(mut job) = lab.start() {
            order.push((job.experiment.name.clone(), job.begun.is_some()));
            let ended = run(&mut job);
            lab.ended(job, ended);
            outcomes.extend(lab.outcomes());
        }
        assert!(lab.is_over());
        (order, outcomes)
    }

    /// What a Lab gives is what the library gives; each run alone has run once, whatever needs it.
    #[test]
    fn outcomes_are_those_of_runs_by_themselves() {
        let mixes: Vec<Experiment> = [["ccbp/BP", "ccbp/CFD"], ["ccbp/SAD", "ccbp/CFD"]]
            .iter()
            .flat_map(|mix| ["even", "smk"].map(|policy| experiment(mix, policy, 2000)))
            .collect();
        for compared in [Compared::Alone, Compared::Shares] {
            let mut lab = Lab::default();
            mixes.iter().enumerate().for_each(|(tag, mix)| lab.want(want(mix.clone(), compared, tag)));
            let (order, outcomes) = all(&mut lab);
            let alone: BTreeSet<String> =
                mixes.iter().flat_map(|mix| Plan::of(mix).runs().map(|run| run.hash.clone()).collect::<Vec<_>>()).collect();
            assert!(compared == Compared::Shares || order.len() == mixes.len() + alone.len(), "{order:?}");
            for (tag, mix) in mixes.iter().enumerate() {
                let own = profile::run(mix).unwrap();
                let digest = outcomes[&tag].get("digest").and_then(Value::as_str);
                assert_eq!(digest, Some(own.digest.as_str()));
                let of = |key: &str| outcomes[&tag].get("kernels").unwrap().items()[0].get(key).and_then(Value::as_f64);
                assert_eq!(of("slowdown"), own.kernels[0].slowdown);
                assert_eq!(of("share_cost").is_some(), compared == Compared::Shares && own.kernels[0].share_cost.is_some());
            }
        }
    }

    /// What differs only in its end is one run, and so are the runs alone that it compares with.
    #[test]
    fn a_longer_run_goes_on_where_a_shorter_one_ended() {
        let mut lab = Lab::default();
        let lengths = [1000, 2000, 3000];
        lengths
            .iter()
            .enumerate()
            .for_each(|(tag, cycles)| lab.want(want(experiment(&["ccbp/BP", "ccbp/CFD"], "even", *cycles), Compared::Alone, tag)));
        let (order, outcomes) = all(&mut lab);
        assert_eq!(order.len(), 9);
        assert_eq!(order.iter().filter(|(_, goes_on)| *goes_on).count(), 6, "{order:?}");
        for (tag, cycles) in lengths.into_iter().enumerate() {
            let own = profile::run(&experiment(&["ccbp/BP", "ccbp/CFD"], "even", cycles)).unwrap();
            assert_eq!(outcomes[&tag].get("digest").and_then(Value::as_str), Some(own.digest.as_str()), "{cycles}");
        }
        assert!(lab.begun.is_empty(), "nothing is held that nobody goes on from");
    }

    /// Of one beginning one runs at a time; the longest comes first, and nothing starts before what its policy asks for.
    #[test]
    fn a_host_with_many_threads_gets_what_can_start() {
        let mut lab = Lab::default();
        lab.want(want(experiment(&["ccbp/BP", "ccbp/CFD"], "even", 1000), Compared::Nothing, 0));
        lab.want(want(experiment(&["ccbp/BP", "ccbp/CFD"], "even", 2000), Compared::Nothing, 1));
        lab.want(Want { weight: 2 * WEIGHT, ..want(experiment(&["ccbp/SAD", "ccbp/CFD"], "smk", 1000), Compared::Nothing, 2) });
        let jobs: Vec<Job> = std::iter::from_fn(|| lab.start()).collect();
        let names: Vec<&str> = jobs.iter().map(|job| job.experiment.name.as_str()).collect();
        assert!(matches!(names[..], [sad, cfd, _] if sad.contains("SAD alone") && cfd.contains("CFD alone")), "{names:?}");
        assert!(!lab.is_over());
        // What a store has needs no run; what is no answer is given back.
        let [sad, cfd, _] = <[Job; 3]>::try_from(jobs).unwrap();
        let sad = lab.stored(sad, Value::from("no answer")).expect("it is to be run");
        assert!(lab.start().is_none());
        let kept = plan::encode(&Alone { ipc: 1.0, ..Alone::default() });
        assert!(lab.stored(sad, kept.clone()).is_none() && lab.stored(cfd, kept).is_none());
        let started = lab.start().expect("it has its profiles");
        assert_eq!((started.key(), started.profiles.len()), (Some("row 2"), 2));
    }
}
