//! Thread cluster memory scheduling: DRAM serves latency-sensitive kernels first.
//!
//! # Idea
//! Kim et al., MICRO 2010, with kernels in place of threads, as CCBP §7.5 compares it. At the end of each quantum, kernels go into the
//! latency-sensitive cluster in the order of their misses per thousand instructions (MPKI), the lowest first. They do so until the next
//! one would take the cluster beyond a part of the DRAM traffic. The cluster goes first in DRAM, in that order; the ranks of the others
//! are shuffled.
//! # Observes
//! L2 misses, instructions and DRAM lines of each kernel.
//! # Sets
//! `dram_rank`.
//! # Parameters
//! See `docs/reference/schemes/tcm.md`.
//! # Deviations
//! 1. The quantum is a tenth of the source's million cycles: runs here are shorter.
//! 2. Of the two shuffles of the source, the random one. Insertion shuffle wants the bank-level parallelism of each kernel, which no counter has.
//! 3. Bandwidth is counted in lines, not in cycles of banks.
//! 4. The past does not count: with 7/8 of it, as in the authors' released code, nothing changes (see `history`).

use super::scheme::{Absent, Member, Param, Policy, PolicyInfo};
use crate::describe::ids::{Cycle, KernelId};
use crate::describe::rng::{below, mix};
use crate::describe::value::Value;
use crate::interface::controls::Controls;
use crate::interface::decision::{Log, decide, percent, topics};
use crate::interface::observation::Observation;
use crate::interface::shown::{Column, Row, Table};
use crate::interface::stats::KernelStats;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Core cycles between two shuffles of the ranks outside the latency-sensitive cluster.
const SHUFFLE_INTERVAL: Cycle = 800;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "tcm",
    title: "TCM: ranks in DRAM",
    source: "Kim et al., MICRO 2010, with kernels for threads, as CCBP §7.5 compares it",
    doc: "DRAM serves the kernels with the fewest misses per instruction first",
    params: &[
        Param::int("quantum", (100, 1_000_000_000), 100_000, "cycles", "Cycles after which kernels are put into clusters again"),
        Param::number(
            "cluster_threshold",
            (0.0, 1.0),
            0.1667,
            "",
            "DRAM lines that the latency-sensitive cluster may take, as a part of all; at 1 every kernel is in it",
        ),
        Param::constant(
            "history",
            Absent::Number(0.0),
            "Weight of the past in a kernel's intensity: the last quantum alone counts. With 7/8, as in the authors' code, WS+TCM over WS was equal to three digits",
        ),
        Param::constant(
            "intensity_per",
            Absent::Name("warp"),
            "Misses are counted against warp instructions: a warp is what the source calls a thread",
        ),
        Param::constant(
            "shuffle",
            Absent::Name("random"),
            "Of the source's two shuffles the random one: insertion shuffle wants bank-level parallelism, which no counter has",
        ),
        Param::constant("shuffle_interval", Absent::Int(SHUFFLE_INTERVAL as i64), "Cycles between two shuffles; no report asks for others"),
    ],
    topics: TOPICS,
    check: PolicyInfo::NO_CHECK,
};

topics! {
    Clustered "cluster", "A kernel's place in DRAM scheduling by clusters (TCM)" {
        rank: Option<u32>, "", "Its rank in the latency-sensitive cluster; missing outside it";
        mpki: f64, "L2 misses per 1000 instructions", "How intensive it is";
        dram_part: f64, "of the DRAM lines", "What it takes";
    } => {
        let place = match rank {
            Some(rank) => format!("in the latency-sensitive cluster, rank {rank}"),
            None => "behind the latency-sensitive cluster, with the ranks that change".into(),
        };
        format!("has {mpki:.1} L2 misses per 1000 instructions and {} of the DRAM lines: {place}", percent(*dram_part))
    };
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Tcm {
    quantum: Cycle,
    cluster_threshold: f64,
    /// Counters when the quantum began.
    then: Vec<KernelStats>,
    quantum_end: Cycle,
    asked: Cycle,
    clusters: Clusters,
    /// What the last quantum showed of each kernel.
    judged: Vec<Traffic>,
    quanta: u64,
}

/// What a kernel asks of memory.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Traffic {
    /// L2 misses per 1000 warp instructions.
    mpki: f64,
    /// DRAM lines.
    lines: u64,
}

/// Kernels in the order of their ranks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Clusters {
    order: Vec<usize>,
    /// How many of them are in the latency-sensitive cluster.
    sensitive: usize,
}

impl Clusters {
    /// A kernel's rank in the latency-sensitive cluster, or none if it is not in it; nothing before the first quantum is over.
    fn place(&self, kernel: usize) -> Option<Option<usize>> {
        let rank = self.order.iter().position(|&other| other == kernel)?;
        Some((rank < self.sensitive).then_some(rank))
    }
}

impl Policy for Tcm {
    fn start(&mut self, seen: &Observation, _controls: &mut Controls, _log: &mut Log) {
        self.then = seen.total.to_vec();
        self.asked = seen.now;
        self.quantum_end = seen.now + self.quantum;
    }

    fn interval(&self) -> Option<Cycle> {
        let shuffled = self.clusters.order.len() - self.clusters.sensitive > 1;
        let left = self.quantum_end - self.asked;
        Some(if shuffled { left.min(SHUFFLE_INTERVAL) } else { left })
    }

    fn settled(&self) -> bool {
        self.quanta > 0
    }

    fn on_interval(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        self.asked = seen.now;
        if seen.now >= self.quantum_end {
            self.cluster(seen, log);
        } else {
            shuffle(&mut self.clusters.order[self.clusters.sensitive..], seen.now);
        }
        for (rank, &kernel) in (0..).zip(&self.clusters.order) {
            controls.dram_rank.0[kernel] = rank;
        }
    }

    fn shows(&self, seen: &Observation) -> Vec<Table> {
        let ranks = match (self.quanta, self.interval()) {
            (0, _) => String::from("all alike"),
            (_, Some(wait)) if self.asked + wait < self.quantum_end => {
                format!("of cycle {}, next shuffle in cycle {}", self.asked, self.asked + wait)
            }
            _ => format!("of cycle {}", self.asked),
        };
        let so_far = self.traffic(seen);
        let row = |kernel: usize| {
            let judged = self.judged.get(kernel);
            let cluster = |place: Option<usize>| if place.is_some() { "latency-sensitive" } else { "bandwidth-sensitive" };
            let cells = alloc::vec![
                Value::from(self.clusters.place(kernel).map(cluster)),
                self.clusters.order.iter().position(|&other| other == kernel).into(),
                judged.map(|judged| judged.mpki).into(),
                judged.map(|_| 100.0 * part(&self.judged, kernel)).into(),
                so_far[kernel].mpki.into(),
                (100.0 * part(&so_far, kernel)).into(),
            ];
            Row { name: Value::Null, kernel: Some(KernelId(kernel as u8)), cells }
        };
        alloc::vec![Table {
            key: "tcm",
            title: format!("Clusters in DRAM: quantum {} until cycle {}, ranks {ranks}", self.quanta + 1, self.quantum_end),
            doc: "By misses per instruction, the lowest first, kernels enter the latency-sensitive cluster up to its part of the DRAM lines. The ranks of the \
                  others are shuffled (Kim et al., MICRO 2010, Algorithm 1)",
            row: "",
            course: None,
            columns: alloc::vec![
                Column::of("Cluster", "", "Where the last quantum put it; nothing before the first is over"),
                Column::of("Rank", "", "DRAM serves lower ranks first"),
                Column::of("Misses", "per 1000", "Its L2 misses per 1000 warp instructions in the last quantum"),
                Column::of("Lines", "% of all", "Its part of the DRAM lines in the last quantum"),
                Column::of("Misses so far", "per 1000", "The same since this quantum began"),
                Column::of("Lines so far", "% of all", "The same since this quantum began"),
            ],
            rows: (0..seen.kernels).map(row).collect(),
        }]
    }
}

/// A kernel's part of the DRAM lines of all.
fn part(of: &[Traffic], kernel: usize) -> f64 {
    of[kernel].lines as f64 / of.iter().map(|of| of.lines).sum::<u64>().max(1) as f64
}

impl Tcm {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        Tcm {
            quantum: spec.int("quantum") as Cycle,
            cluster_threshold: spec.number("cluster_threshold"),
            then: Vec::new(),
            quantum_end: 0,
            asked: 0,
            clusters: Clusters::default(),
            judged: Vec::new(),
            quanta: 0,
        }
    }

    /// What each kernel has asked of memory since the quantum began.
    fn traffic(&self, seen: &Observation) -> Vec<Traffic> {
        let done = seen.total.iter().zip(&self.then).map(|(&now, &then)| now - then);
        let of = |done: KernelStats| Traffic {
            mpki: 1000.0 * done.l2_misses as f64 / done.warp_instructions.max(1) as f64,
            lines: done.dram_reads + done.dram_writes,
        };
        done.map(of).collect()
    }

    /// A quantum is over.
    fn cluster(&mut self, seen: &Observation, log: &mut Log) {
        let judged = self.traffic(seen);
        let (mpki, lines): (Vec<f64>, Vec<u64>) = judged.iter().map(|of| (of.mpki, of.lines)).unzip();
        let clusters = clusters(&mpki, &lines, self.cluster_threshold);
        for &kernel in &clusters.order {
            let place = clusters.place(kernel);
            if self.clusters.place(kernel) == place {
                continue;
            }
            let rank = place.flatten().map(|rank| rank as u32);
            decide(log, seen, KernelId(kernel as u8), Clustered { rank, mpki: mpki[kernel], dram_part: part(&judged, kernel) });
        }
        (self.clusters, self.judged) = (clusters, judged);
        self.then = seen.total.to_vec();
        self.quantum_end = seen.now + self.quantum;
        self.quanta += 1;
    }
}

/// TCM's clustering (Kim et al., Algorithm 1): by MPKI, the lowest first, kernels enter the latency-sensitive cluster until the next would take its
/// lines beyond `threshold` of all.
fn clusters(mpki: &[f64], lines: &[u64], threshold: f64) -> Clusters {
    let mut order: Vec<usize> = (0..mpki.len()).collect();
    order.sort_by(|&a, &b| mpki[a].total_cmp(&mpki[b]));
    let most = threshold * lines.iter().sum::<u64>() as f64;
    let sums = order.iter().scan(0, |sum, &kernel| {
        *sum += lines[kernel];
        Some(*sum)
    });
    let sensitive = sums.take_while(|&sum| sum as f64 <= most).count();
    Clusters { order, sensitive }
}

/// Every order with the same probability (Fisher and Yates), by draws of the cycle.
fn shuffle(order: &mut [usize], now: Cycle) {
    for last in (1..order.len()).rev() {
        order.swap(last, below(mix(now, last as u64), last as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::super::scheme::Setting;
    use super::*;
    use crate::describe::gpu::presets;
    use crate::interface::controls::WarpOrder;
    use crate::interface::observation::Profile;
    use alloc::vec;

    /// MPKI 20, 1, 8, 2 with 50, 10, 30 and 10 of 100 lines: 1 and 3 fit in 25 lines, 2 would make 50.
    #[test]
    fn the_cluster_fills_up_by_intensity_until_its_part_of_the_bandwidth_is_full() {
        let (mpki, lines) = ([20.0, 1.0, 8.0, 2.0], [50, 10, 30, 10]);
        assert_eq!(clusters(&mpki, &lines, 0.25), Clusters { order: vec![1, 3, 2, 0], sensitive: 2 });
        assert_eq!(clusters(&mpki, &lines, 0.5).sensitive, 3, "just fits");
        assert_eq!(clusters(&mpki, &lines, 1.0).sensitive, 4, "all of the bandwidth is room for all");
        assert_eq!(clusters(&mpki, &lines, 0.0).sensitive, 0);
        // The first that does not fit ends it: 4 lines would, but after 90 that do not.
        assert_eq!(clusters(&[1.0, 2.0, 3.0], &[6, 90, 4], 0.1).sensitive, 1);
    }

    #[test]
    fn equal_intensities_keep_the_order_of_the_mix_and_idle_kernels_go_first() {
        assert_eq!(clusters(&[5.0, 0.0, 5.0, 0.0], &[9, 0, 9, 0], 0.1), Clusters { order: vec![1, 3, 0, 2], sensitive: 2 });
    }

    /// Kernels with the MPKI and lines above: nothing is known before the first quantum is over. Then places, ranks and what they follow from are there, beside
    /// what the next quantum shows so far.
    #[test]
    fn clusters_and_ranks_can_be_watched() {
        let (gpu, profile) = (presets::find("tiny-2sm").unwrap(), Profile::default());
        let [quantum, threshold] = [("quantum", Setting::Int(10_000)), ("cluster_threshold", Setting::Number(0.25))];
        let mut tcm = Tcm::new(&Member::of(&INFO).with(quantum.0, quantum.1).with(threshold.0, threshold.1));
        let did = |misses: u64, lines: u64| KernelStats {
            l2_misses: misses,
            dram_reads: lines,
            warp_instructions: 1000,
            ..KernelStats::default()
        };
        let none = [KernelStats::default(); 4];
        let after = [did(20, 50), did(1, 10), did(8, 30), did(2, 10)];
        let (mut controls, mut log) = (Controls::neutral(2, WarpOrder::Lrr), Log::new());
        let seen = |now| Observation { now, total: &after, ..Observation::bare(&gpu, 4, &profile) };
        tcm.start(&Observation { total: &none, ..seen(0) }, &mut controls, &mut log);
        let table = tcm.shows(&seen(5000)).remove(0);
        assert!(table.title.ends_with("quantum 1 until cycle 10000, ranks all alike"), "{}", table.title);
        assert_eq!(table.rows[0].cells, [Value::Null, Value::Null, Value::Null, Value::Null, 20.0.into(), 50.0.into()]);

        tcm.on_interval(&seen(10_000), &mut controls, &mut log);
        let table = tcm.shows(&seen(10_400)).remove(0);
        assert!(table.title.ends_with("quantum 2 until cycle 20000, ranks of cycle 10000, next shuffle in cycle 10800"), "{}", table.title);
        let row = |cluster: &str, rank: u32, mpki: f64, lines: f64| {
            [Value::from(cluster), rank.into(), mpki.into(), lines.into(), 0.0.into(), 0.0.into()]
        };
        let wanted = [
            row("bandwidth-sensitive", 3, 20.0, 50.0),
            row("latency-sensitive", 0, 1.0, 10.0),
            row("bandwidth-sensitive", 2, 8.0, 30.0),
            row("latency-sensitive", 1, 2.0, 10.0),
        ];
        assert_eq!(table.cells(), wanted);
        // Every shuffle shows the ranks that are set.
        for now in [10_800, 11_600, 12_400] {
            tcm.on_interval(&seen(now), &mut controls, &mut log);
            let table = tcm.shows(&seen(now)).remove(0);
            assert!(table.title.contains(&format!("of cycle {now}")), "{}", table.title);
            let ranks: Vec<Value> = table.cells().iter().map(|cells| cells[1].clone()).collect();
            assert_eq!(ranks, controls.dram_rank.0[..4].iter().map(|&rank| rank.into()).collect::<Vec<_>>());
        }
    }

    /// Six orders of three: 6000 draws give each about 1000 times (five standard deviations are 145).
    #[test]
    fn every_order_comes_as_often_in_a_shuffle() {
        let mut counts = alloc::collections::BTreeMap::new();
        for n in 0..6000 {
            let mut order = [0, 1, 2];
            shuffle(&mut order, 800 * n);
            *counts.entry(order).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|&count: &i32| (count - 1000).abs() < 145), "{counts:?}");
    }
}
