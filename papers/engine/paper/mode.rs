//! A mode of a study: how long runs are, how searches go on, and how much of the study is run.

use super::mix::split_goal;
use super::read::{count, list, table};
use super::spaces::Space;
use sim_core::describe::value::Value;
use std::collections::BTreeMap;

/// Lengths and sizes of a mode.
#[derive(Clone, Debug)]
pub struct Mode {
    /// Cycles before anything is measured.
    pub warm_up: u64,
    /// Cycles that are measured, or at most.
    pub cycles: u64,
    /// Cycles of mixes with a kernel that needs more, by kernel. Studies of single parameters do without.
    long: BTreeMap<String, u64>,
    /// How well each kernel's IPC is to be known: a run ends when it is, as with `stop.settled`. Runs of a search have fixed lengths.
    pub settled: Option<f64>,
    /// How a search of each space goes on.
    searches: BTreeMap<Space, Vec<Rung>>,
    pub pairs: usize,
    pub sets: usize,
    /// How many of the cases of each kind are run.
    pub cases: BTreeMap<String, usize>,
    /// How many of the partitions of each kind are run.
    pub partitions: BTreeMap<String, usize>,
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
}

impl Mode {
    /// Reads a mode of study.toml.
    pub fn of(value: &Value) -> Option<Mode> {
        let whole = |key: &str| u64::try_from(value.get(key)?.as_int()?).ok();
        let number = |key: &str| count(value.get(key)?);
        let rungs = |(name, space): &(&str, Space)| Some(rungs(value.get(name)?).map(|rungs| (*space, rungs)));
        Some(Mode {
            warm_up: whole("warm_up")?,
            cycles: whole("cycles")?,
            long: value.get("long").map_or(Some(BTreeMap::new()), |long| table(long, |cycles| u64::try_from(cycles.as_int()?).ok()))?,
            settled: value.get("settled").map_or(Some(None), |within| within.as_f64().map(Some))?,
            searches: Space::ALL.iter().filter_map(rungs).collect::<Option<_>>()?,
            pairs: number("pairs")?,
            sets: number("sets")?,
            cases: value.get("cases").map_or(Some(BTreeMap::new()), |cases| table(cases, count))?,
            partitions: value.get("partitions").map_or(Some(BTreeMap::new()), |groups| table(groups, count))?,
            some: number("some")?,
            few: number("few")?,
            time_scale: value.get("time_scale")?.as_f64()?,
        })
    }

    /// Cycles that are measured of a mix, or at most: what the neediest of its kernels needs.
    pub fn cycles_of(&self, mix: &[String]) -> u64 {
        mix.iter().filter_map(|kernel| self.long.get(split_goal(kernel).0).copied()).fold(self.cycles, u64::max)
    }

    /// For people: how many cycles with kernels that need more.
    pub fn longer(&self) -> String {
        let mut by_cycles: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
        self.long.iter().for_each(|(kernel, cycles)| by_cycles.entry(*cycles).or_default().push(kernel));
        by_cycles.iter().rev().map(|(cycles, kernels)| format!("{cycles} with {}", kernels.join(", "))).collect::<Vec<_>>().join("; ")
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

fn rungs(value: &Value) -> Option<Vec<Rung>> {
    let rungs: Vec<Rung> = list(Some(value)).iter().map(Rung::of).collect::<Option<_>>()?;
    (!rungs.is_empty()).then_some(rungs)
}
