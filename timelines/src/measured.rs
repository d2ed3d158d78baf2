//! How long kernels took alone and beside others, as the timeline has measured it.
//!
//! A launch is *alone* if launches of other streams overlap at most 5 % of it. It is *beside X* if kernels named X overlap at least 80 % of it, and others
//! at most 5 %. Less than three cases are not shown. What launches of its own stream overlap by more is neither: it may have waited for them all the time.

use crate::overlap::{Overlaps, both, covered};
use crate::timeline::Timeline;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// What may mislead.
pub const CAUTION: &str =
    "A persistent kernel's work may differ by launch though its shape does not, clocks change, and few cases say little.";

/// The part of a launch that others may overlap though it is alone.
const ALONE: f64 = 0.05;

/// The part of a launch that kernels of a name overlap if it is beside them.
const BESIDE: f64 = 0.8;

/// Cases from which on they are shown.
const LEAST_CASES: usize = 3;

/// How long launches took.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Spread {
    /// How many.
    pub cases: usize,
    /// Nanoseconds: a quarter of them took at most this.
    pub lower: f64,
    /// Half of them.
    pub median: f64,
    /// Three quarters.
    pub upper: f64,
}

impl Spread {
    /// Of at least three durations.
    fn of(mut durations: Vec<u64>) -> Option<Spread> {
        durations.sort_unstable();
        let last = durations.len().checked_sub(1).filter(|last| *last + 1 >= LEAST_CASES)?;
        let at = |part: f64| {
            let place = part * last as f64;
            let (below, above) = (durations[place.floor() as usize] as f64, durations[place.ceil() as usize] as f64);
            below + (above - below) * place.fract()
        };
        Some(Spread { cases: last + 1, lower: at(0.25), median: at(0.5), upper: at(0.75) })
    }
}

/// A kernel beside kernels of a name.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Beside {
    /// Which of `Timeline::kernels`.
    pub kernel: u32,
    /// The others' name.
    pub name: String,
    /// How long it took beside them.
    pub beside: Spread,
    /// How long alone, where that was seen often enough.
    pub alone: Option<Spread>,
}

impl Beside {
    /// How many times as long it took beside them as alone.
    pub fn slowdown(&self) -> Option<f64> {
        self.alone.filter(|alone| alone.median > 0.0).map(|alone| self.beside.median / alone.median)
    }
}

/// What a timeline has measured.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Measured {
    /// Of each kernel alone, by its number.
    pub alone: BTreeMap<u32, Spread>,
    /// Of kernels beside others, by their numbers and the others' names.
    pub beside: Vec<Beside>,
}

impl Measured {
    /// Launches of a timeline whose overlaps are known.
    pub fn of(timeline: &Timeline, overlaps: &Overlaps) -> Measured {
        let [mut others, mut in_stream] = [&overlaps.across, &overlaps.in_stream].map(|overlaps| {
            let mut others: HashMap<u32, Vec<u32>> = HashMap::new();
            for overlap in overlaps {
                others.entry(overlap.first).or_default().push(overlap.second);
                others.entry(overlap.second).or_default().push(overlap.first);
            }
            // In the order of their starts, as their numbers are.
            others.values_mut().for_each(|others| others.sort_unstable());
            others
        });
        let mut alone: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        let mut beside: BTreeMap<(u32, &str), Vec<u64>> = BTreeMap::new();
        let known = overlaps.until.unwrap_or(u32::MAX);
        for (number, launch) in (0..known).zip(&timeline.launches).filter(|(_, launch)| launch.duration > 0) {
            let [others, in_stream] = [&mut others, &mut in_stream].map(|others| others.remove(&number).unwrap_or_default());
            let part = |chosen: &mut dyn Iterator<Item = &u32>| {
                let intervals = chosen.map(|other| both(launch, &timeline.launches[*other as usize]));
                covered(intervals) as f64 / launch.duration as f64
            };
            if part(&mut in_stream.iter()) > ALONE {
                continue;
            }
            if part(&mut others.iter()) <= ALONE {
                alone.entry(launch.kernel).or_default().push(launch.duration);
                continue;
            }
            let name = |other: &&u32| &*timeline.kernels[timeline.launches[**other as usize].kernel as usize].name;
            let mut by_name: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
            for other in &others {
                by_name.entry(name(&other)).or_default().push(*other);
            }
            // Who overlaps it most is the only one that it can be beside.
            let parts = by_name.iter().map(|(name, of_name)| (part(&mut of_name.iter()), *name));
            let Some((most, one)) = parts.max_by(|one, other| one.0.total_cmp(&other.0)) else { continue };
            if most >= BESIDE && part(&mut others.iter().filter(|other| name(other) != one)) <= ALONE {
                beside.entry((launch.kernel, one)).or_default().push(launch.duration);
            }
        }
        let alone: BTreeMap<u32, Spread> =
            alone.into_iter().filter_map(|(kernel, durations)| Some((kernel, Spread::of(durations)?))).collect();
        let spread = |((kernel, name), durations): ((u32, &str), Vec<u64>)| {
            Some(Beside { kernel, name: name.into(), beside: Spread::of(durations)?, alone: alone.get(&kernel).copied() })
        };
        let beside = beside.into_iter().filter_map(spread).collect();
        Measured { alone, beside }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::{Kernel, Launched, Tool};

    /// Kernels 0, 1, 2 named a, b, c; a launch is (kernel, stream, start, duration).
    fn measured(launches: &[(u32, u64, u64, u64)]) -> Measured {
        let kernel = |name: &str| Kernel { name: name.into(), shape: None, estimated_occupancy: None };
        let mut launches: Vec<_> =
            launches.iter().map(|&(kernel, stream, start, duration)| Launched { kernel, device: 0, stream, start, duration }).collect();
        launches.sort_by_key(|launch| launch.start);
        let kernels = ["a", "b", "c"].map(kernel).to_vec();
        let timeline = Timeline { tool: Tool::Kineto, devices: vec![], kernels, launches, notes: vec![], ended: None };
        Measured::of(&timeline, &Overlaps::of(&timeline))
    }

    #[test]
    fn a_kernel_is_slower_beside_another_than_alone() {
        // Alone 100, 110, 120, 130 (the last with 5 % overlapped); beside b 200, 220 and 300 (of which b overlaps 80 %).
        let found = measured(&[
            (0, 1, 0, 100),
            (0, 1, 1000, 110),
            (0, 1, 2000, 120),
            (0, 1, 3000, 140),
            (1, 2, 3133, 7),
            (1, 2, 4000, 700),
            (0, 1, 4000, 200),
            (0, 1, 4300, 220),
            (0, 1, 4640, 75),
            (0, 1, 9000, 75),
            (1, 2, 9000, 60),
        ]);
        assert_eq!(found.alone[&0], Spread { cases: 4, lower: 107.5, median: 115.0, upper: 125.0 });
        let [beside] = &found.beside[..] else { panic!("{found:?}") };
        assert_eq!((beside.kernel, &*beside.name, beside.beside.cases, beside.beside.median), (0, "b", 4, 137.5));
        assert_eq!(beside.slowdown(), Some(137.5 / 115.0));
    }

    /// Two of b on two streams are one b; a c besides spoils it; so do less than three cases, and launches that took no time.
    #[test]
    fn cases_are_those_that_the_rule_takes() {
        let with = |more: &[(u32, u64, u64, u64)]| {
            let three = (0..3).flat_map(|i| [(0, 1, i * 1000, 100), (1, 2, i * 1000, 60), (1, 3, i * 1000 + 20, 60)]);
            measured(&three.chain(more.iter().copied()).collect::<Vec<_>>())
        };
        let found = with(&[]);
        assert_eq!((found.beside[0].beside.cases, found.beside[0].slowdown()), (3, None), "80 of 100, never alone");
        assert_eq!(with(&[(2, 4, 10, 6)]).beside.iter().filter(|row| row.kernel == 0).count(), 0, "c overlaps 6 %: two cases are left");
        assert_eq!(with(&[(2, 4, 10, 5)]).beside.iter().filter(|row| row.kernel == 0).count(), 1, "5 % are allowed");
        let in_stream = with(&[(2, 1, 2094, 50), (2, 1, 3000, 10), (2, 1, 4000, 10), (2, 1, 5000, 100), (2, 1, 5005, 10)]);
        assert_eq!(in_stream.beside.iter().filter(|row| row.kernel == 0).count(), 0, "6 % of it are of its own stream: two cases are left");
        assert_eq!(in_stream.alone.len(), 0, "of c two are alone, and three are not");
        assert_eq!(with(&[(2, 9, 5000, 0), (2, 9, 6000, 0), (2, 9, 7000, 0)]).alone.len(), 0, "nothing was measured");
    }
}
