//! Utility-based cache partitioning: ways of L1D for the kernels whose hits grow most with them.
//!
//! # Idea
//! Qureshi and Patt, MICRO 2006, on L1D, as CCBP §7.5 compares it. Shadow tags count for each kernel how many reads it would hit with 1, 2, … ways to
//! itself. At each interval the look-ahead algorithm hands out the ways: always to the kernel that can gain the most hits per way with any
//! number of the ways that are left. Counts are halved after it, so that the past fades.
//! # Observes
//! Hits by position in the LRU stacks of shadow tags (UMON).
//! # Sets
//! `l1_ways`, `l1_monitor`.
//! # Parameters
//! See `docs/reference/schemes/ucp.md`.
//! # Deviations
//! 1. The source partitions a shared L2 every 5 million cycles; this is L1D, and runs are shorter.
//! 2. A kernel fills its own ways only (masks); the source counts lines and takes a victim from a kernel that has too many.
//! 3. Counts are those of all SMs together, and all SMs have the same partition.
//! 4. Every set is monitored: L1D has fewer sets than the source samples (32).
//! 5. Ways from which no kernel gains go to the kernel with the fewest, the first on a tie.
//! 6. With more kernels than ways, L1D is not partitioned. On a GPU with unlike SMs, the last kernel has the ways beyond the smallest L1D.

use super::scheme::{Absent, Member, Param, Policy, PolicyInfo};
use crate::describe::ids::{Cycle, KernelId};
use crate::describe::value::Value;
use crate::interface::controls::Controls;
use crate::interface::decision::{Log, count, decide, topics};
use crate::interface::observation::Observation;
use crate::interface::shown::{Column, Row, Table};
use alloc::format;
use alloc::vec::Vec;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "ucp",
    title: "UCP: ways of L1D",
    source: "Qureshi and Patt, MICRO 2006, on L1D, as CCBP §7.5 compares it",
    doc: "L1D's ways go to the kernels whose hits grow most with them",
    params: &[
        Param::int("repartition", (100, 1_000_000_000), 100_000, "cycles", "Cycles after which the ways are handed out again"),
        Param::constant("sampling", Absent::Int(1), "Every set has shadow tags: an L1D has fewer sets than the 32 that the source samples"),
        Param::constant("least_ways", Absent::Int(1), "Ways of each kernel before any are handed out, so that no kernel is without one"),
    ],
    topics: TOPICS,
    check: PolicyInfo::NO_CHECK,
};

topics! {
    L1Ways "l1_ways", "Ways of L1D that a kernel's fills may take, by the hits that they bring (UCP)" {
        l1_ways: Option<u32>, "ways", "How many; missing if it fills every way, as there are more kernels than ways";
        of: u32, "ways", "All of them";
        hits_one: u64, "reads", "What it would hit with 1 way";
        hits: u64, "reads", "With these";
        hits_all: u64, "reads", "With all";
    } => match l1_ways {
        Some(ways) => {
            let one = count(*hits_one, "read");
            format!("gets {ways} of {of} ways: it would hit {one} with 1 way, {hits} with these, {hits_all} with all")
        }
        None => format!("fills every way: there are more kernels than the {of} ways"),
    };
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Ucp {
    repartition: Cycle,
    /// Shadow hits when the ways were last handed out, and the counts by which they were.
    then: Vec<Vec<u64>>,
    judged: Vec<Vec<u64>>,
    partition: Vec<u32>,
}

impl Policy for Ucp {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, _log: &mut Log) {
        controls.each_sm(|sm| sm.l1_monitor = 1);
        self.then = seen.l1_utility.to_vec();
    }

    fn interval(&self) -> Option<Cycle> {
        Some(self.repartition)
    }

    fn settled(&self) -> bool {
        !self.partition.is_empty()
    }

    fn on_interval(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let counts = self.counts(seen.l1_utility);
        let ways = ways(seen);
        let partition = look_ahead(&counts, ways);
        let mut first = 0;
        for (kernel, &granted) in KernelId::first(seen.kernels).zip(&partition) {
            let last = kernel.index() + 1 == seen.kernels;
            let mask = match granted {
                0 => u32::MAX,
                _ if last => u32::MAX << first,
                _ => u32::MAX >> (32 - granted) << first,
            };
            controls.each_sm(|sm| sm.l1_ways[kernel] = mask);
            first += granted;
            if self.partition.get(kernel.index()) != Some(&granted) {
                decide(log, seen, kernel, decided(&counts[kernel.index()], granted, ways));
            }
        }
        (self.partition, self.judged, self.then) = (partition, counts, seen.l1_utility.to_vec());
    }

    fn shows(&self, seen: &Observation) -> Vec<Table> {
        alloc::vec![self.ways_shown(seen), self.hits_shown(seen)]
    }
}

/// Ways of the smallest L1D.
fn ways(seen: &Observation) -> u32 {
    seen.gpu.sms.iter().map(|class| class.l1.ways).min().unwrap_or(1)
}

impl Ucp {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        Ucp { repartition: spec.int("repartition") as Cycle, then: Vec::new(), judged: Vec::new(), partition: Vec::new() }
    }

    /// Hits by position of each kernel: new ones, and half of what there was before.
    fn counts(&self, utility: &[Vec<u64>]) -> Vec<Vec<u64>> {
        let at = |table: &[Vec<u64>], kernel: usize, way: usize| table.get(kernel).and_then(|row| row.get(way)).copied().unwrap_or(0);
        let count = |kernel: usize, way: usize, &hits: &u64| {
            // Fewer than before: the monitor has started again.
            let new = hits.checked_sub(at(&self.then, kernel, way)).unwrap_or(hits);
            new + at(&self.judged, kernel, way) / 2
        };
        let row = |(kernel, row): (usize, &Vec<u64>)| row.iter().enumerate().map(|(way, hits)| count(kernel, way, hits)).collect();
        utility.iter().enumerate().map(row).collect()
    }

    /// What each kernel has, and the hits by which it got it.
    fn ways_shown(&self, seen: &Observation) -> Table {
        let all = ways(seen);
        let row = |(kernel, (&granted, counts)): (KernelId, (&u32, &Vec<u64>))| {
            let L1Ways { l1_ways, hits_one, hits, hits_all, .. } = decided(counts, granted, all);
            Row {
                name: Value::Null,
                kernel: Some(kernel),
                cells: alloc::vec![l1_ways.into(), hits_one.into(), hits.into(), hits_all.into()],
            }
        };
        Table {
            key: "ucp",
            title: match self.partition.is_empty() {
                true => format!("Ways of L1D: every kernel fills all {all}, nothing is handed out yet"),
                false => format!("Ways of L1D, of {all}"),
            },
            doc: "Ways go to the kernel that gains the most hits per way with any number of the ways that are left (Qureshi and Patt, MICRO 2006, \
                  Algorithm 1, look-ahead)",
            row: "",
            course: None,
            columns: alloc::vec![
                Column::of("Ways", "", "Ways that its fills may take; nothing if it fills every way"),
                Column::of(
                    "With 1",
                    "hits",
                    "Reads that would hit with one way, by the counts of the last interval and half of those before"
                ),
                Column::of("With these", "hits", "The same with the ways that it has"),
                Column::of("With all", "hits", "The same with all ways"),
            ],
            rows: KernelId::first(seen.kernels).zip(self.partition.iter().zip(&self.judged)).map(row).collect(),
        }
    }

    /// The shadow tags' hits by position.
    fn hits_shown(&self, seen: &Observation) -> Table {
        let now = self.counts(seen.l1_utility);
        let cells = |kernel: usize, way: usize| {
            let hits = |of: &[Vec<u64>]| Value::from(of.get(kernel).and_then(|counts| counts.get(way)).copied());
            let given = self.partition.get(kernel).is_some_and(|&granted| granted == 0 || way < granted as usize);
            [hits(&now), hits(&self.judged), given.then_some("given").into()]
        };
        let row = |way: usize| Row {
            name: (way + 1).into(),
            kernel: None,
            cells: (0..seen.kernels).flat_map(|kernel| cells(kernel, way)).collect(),
        };
        Table {
            key: "ucp_hits",
            title: "Hits by way, from the shadow tags".into(),
            doc: "Hits that each way more would bring a kernel that had L1D to itself, by position in the LRU stack (UMON, Qureshi and Patt §3)",
            row: "Way",
            course: None,
            columns: Column::for_each(
                seen.kernels,
                &[
                    ("Now", "hits", "Hits in this position: those of this interval, and half of those before"),
                    ("Judged by", "hits", "The same when the ways were last handed out"),
                    ("Given", "", "Whether the kernel has a way for it"),
                ],
            ),
            rows: (0..ways(seen) as usize).map(row).collect(),
        }
    }
}

fn decided(counts: &[u64], granted: u32, ways: u32) -> L1Ways {
    let with = |ways: u32| counts.iter().take(ways as usize).sum::<u64>();
    let l1_ways = (granted > 0).then_some(granted);
    L1Ways { l1_ways, of: ways, hits_one: with(1), hits: with(l1_ways.unwrap_or(ways)), hits_all: with(ways) }
}

/// The look-ahead algorithm (Qureshi and Patt, Algorithm 1): ways of each kernel by its hits in each position, from one each; zeros with more
/// kernels than ways.
fn look_ahead(counts: &[Vec<u64>], ways: u32) -> Vec<u32> {
    let kernels = counts.len() as u32;
    let mut granted = alloc::vec![u32::from(kernels <= ways); counts.len()];
    let mut left = ways - granted.iter().sum::<u32>();
    if granted.contains(&0) {
        return granted;
    }
    while left > 0 {
        // Hits, ways and kernel of the best step so far.
        let mut best = (0, 1, 0);
        for (kernel, counts) in counts.iter().enumerate() {
            let (hits, more) = best_step(counts, granted[kernel], left);
            // hits / more against best.0 / best.1, without division.
            let (this, other) = (u128::from(hits) * u128::from(best.1), u128::from(best.0) * u128::from(more));
            if this > other || this == other && granted[kernel] < granted[best.2] {
                best = (hits, more, kernel);
            }
        }
        granted[best.2] += best.1;
        left -= best.1;
    }
    granted
}

/// The number of ways, up to `left`, that brings a kernel with `granted` the most hits per way, and these hits: the fewest on a tie.
fn best_step(counts: &[u64], granted: u32, left: u32) -> (u64, u32) {
    let mut best = (0, 1);
    let mut hits = 0;
    for more in 1..=left {
        hits += counts.get((granted + more) as usize - 1).copied().unwrap_or(0);
        if u128::from(hits) * u128::from(best.1) > u128::from(best.0) * u128::from(more) {
            best = (hits, more);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::gpu::presets;
    use crate::interface::controls::WarpOrder;
    use crate::interface::observation::Profile;
    use alloc::vec;

    /// Hits with 1 to 8 ways. A: 10 20 30 … evenly. B: nothing before its fourth way, then 100 at once, nothing after it.
    #[test]
    fn look_ahead_sees_past_a_plateau() {
        let a = vec![10; 8];
        let b = vec![0, 0, 0, 100, 0, 0, 0, 0];
        // From one way each: B's next three bring 100/3 a way, A's next 10: B has four. The other three are A's.
        assert_eq!(look_ahead(&[a.clone(), b.clone()], 8), [4, 4]);
        // With four ways B cannot get there beside A's one: two are left after it.
        assert_eq!(look_ahead(&[a, b], 4), [3, 1]);
    }

    /// The marginal gains of two concave curves: 50 40 30 20 10 … and 45 25 5 …, merged from the top.
    #[test]
    fn concave_curves_are_served_by_their_next_way() {
        let a = vec![50, 40, 30, 20, 10, 5, 2, 1];
        let b = vec![45, 25, 5, 1, 0, 0, 0, 0];
        // After one each: 40 A, 30 A, 25 B, 20 A, 10 A, 5 of A's sixth and of B's third: B has fewer.
        assert_eq!(look_ahead(&[a, b], 8), [5, 3]);
    }

    #[test]
    fn ways_without_gain_are_spread() {
        assert_eq!(look_ahead(&[vec![0; 8], vec![0; 8], vec![0; 8]], 8), [3, 3, 2]);
        assert_eq!(look_ahead(&[vec![9; 8], vec![0; 8]], 8), [7, 1]);
        assert_eq!(look_ahead(&[vec![9; 2], vec![9; 2], vec![9; 2]], 2), [0, 0, 0], "more kernels than ways");
    }

    /// The kernels of `look_ahead_sees_past_a_plateau` on a GPU with eight ways; then 6 hits more in A's first position.
    #[test]
    fn hits_by_way_and_the_ways_given_can_be_watched() {
        let (mut gpu, profile) = (presets::find("tiny-2sm").unwrap(), Profile::default());
        gpu.sms[0].l1.ways = 8;
        let mut ucp = Ucp::new(&Member::of(&INFO));
        let (mut controls, mut log) = (Controls::neutral(2, WarpOrder::Lrr), Log::new());
        let mut hits = [vec![vec![0; 8]; 2], vec![vec![10; 8], vec![0, 0, 0, 100, 0, 0, 0, 0]]];
        ucp.start(&Observation { l1_utility: &hits[0], ..Observation::bare(&gpu, 2, &profile) }, &mut controls, &mut log);
        let tables = ucp.shows(&Observation { l1_utility: &hits[1], ..Observation::bare(&gpu, 2, &profile) });
        assert!(tables[0].title.contains("nothing is handed out yet") && tables[0].rows.is_empty(), "{tables:?}");
        let [null, given] = [Value::Null, Value::from("given")];
        assert_eq!(tables[1].rows[3].cells, [10.into(), null.clone(), null.clone(), 100.into(), null.clone(), null.clone()]);

        ucp.on_interval(&Observation { l1_utility: &hits[1], ..Observation::bare(&gpu, 2, &profile) }, &mut controls, &mut log);
        hits[1][0][0] += 6;
        let tables = ucp.shows(&Observation { l1_utility: &hits[1], ..Observation::bare(&gpu, 2, &profile) });
        let ways = [[4, 10, 40, 80], [4, 0, 100, 100]].map(|cells| cells.map(Value::from));
        assert_eq!((tables[0].title.as_str(), tables[0].cells()), ("Ways of L1D, of 8", ways.iter().map(|cells| &cells[..]).collect()));
        assert_eq!(tables[1].rows.len(), 8);
        assert_eq!(tables[1].rows[0].cells, [11.into(), 10.into(), given.clone(), 0.into(), 0.into(), given.clone()]);
        assert_eq!(tables[1].rows[3].cells, [5.into(), 10.into(), given.clone(), 50.into(), 100.into(), given]);
        assert_eq!(tables[1].rows[4].cells, [5.into(), 10.into(), null.clone(), 0.into(), 0.into(), null]);
    }

    #[test]
    fn counts_fade_by_half() {
        let mut ucp = Ucp::new(&Member::of(&INFO));
        ucp.then = vec![vec![100, 10]];
        assert_eq!(ucp.counts(&[vec![140, 20]]), [[40, 10]]);
        (ucp.then, ucp.judged) = (vec![vec![140, 20]], vec![vec![40, 10]]);
        assert_eq!(ucp.counts(&[vec![150, 20]]), [[30, 5]]);
        ucp.then = vec![vec![150, 20]];
        assert_eq!(ucp.counts(&[vec![4, 0]]), [[24, 5]], "a monitor that has started again");
    }
}
