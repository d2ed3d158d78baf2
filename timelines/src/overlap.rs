//! Which launches ran at once, and for how long.

use crate::timeline::{Launched, Timeline};
use std::collections::BTreeMap;

/// Two launches of a GPU that ran at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overlap {
    /// The one that started first, of `Timeline::launches`.
    pub first: u32,
    /// The other.
    pub second: u32,
    /// For how long, in nanoseconds.
    pub ns: u64,
}

/// All of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Overlaps {
    /// Of different streams, by the starts of the second ones.
    pub across: Vec<Overlap>,
    /// Of one stream, as well. Its launches follow each other, but for programmatic dependent launch, branches of a graph, and wrong durations.
    pub in_stream: Vec<Overlap>,
    /// Where more was to be looked at than is: the launch from which on nothing is known.
    pub until: Option<u32>,
}

/// Launches under way that are looked at, over all starts. Timelines have a few at a time; what has thousands is made up, or no timeline of a GPU.
const MOST_LOOKS: usize = 10_000_000;

/// Overlaps that are kept.
const MOST_OVERLAPS: usize = 1_000_000;

impl Overlaps {
    /// Those of a timeline, in one pass over its starts.
    pub fn of(timeline: &Timeline) -> Overlaps {
        let mut found = Overlaps::default();
        // Under way on each device. A stream has one at a time, or a few.
        let mut under_way: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut looks = 0;
        for (number, launch) in (0..).zip(&timeline.launches) {
            let running = under_way.entry(launch.device).or_default();
            looks += running.len();
            if looks > MOST_LOOKS || found.across.len() + found.in_stream.len() > MOST_OVERLAPS {
                found.until = Some(number);
                break;
            }
            running.retain(|&other| {
                let other_launch = &timeline.launches[other as usize];
                let ns = other_launch.end().min(launch.end()).saturating_sub(launch.start);
                if ns > 0 {
                    let of = if other_launch.stream == launch.stream { &mut found.in_stream } else { &mut found.across };
                    of.push(Overlap { first: other, second: number, ns });
                }
                other_launch.end() > launch.start
            });
            running.push(number);
        }
        found
    }
}

/// Nanoseconds in which at least one of some intervals is under way; they come in the order of their beginnings.
pub fn covered(intervals: impl IntoIterator<Item = (u64, u64)>) -> u64 {
    let (mut ns, mut until) = (0, 0);
    for (start, end) in intervals {
        let from = start.max(until);
        ns += end.saturating_sub(from);
        until = until.max(end);
    }
    ns
}

/// The interval in which both launches run.
pub fn both(one: &Launched, other: &Launched) -> (u64, u64) {
    (one.start.max(other.start), one.end().min(other.end()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::Tool;

    fn timeline(launches: Vec<Launched>) -> Timeline {
        Timeline { tool: Tool::Kineto, devices: vec![], kernels: vec![], launches, notes: vec![], ended: None }
    }

    fn launch(device: u32, stream: u64, start: u64, duration: u64) -> Launched {
        Launched { kernel: 0, device, stream, start, duration }
    }

    /// Ends that touch do not overlap, nor streams of another GPU; launches of one stream stand apart.
    #[test]
    fn launches_overlap_while_both_run() {
        let found = Overlaps::of(&timeline(vec![
            launch(0, 7, 0, 100),
            launch(0, 7, 10, 10),
            launch(1, 8, 20, 50),
            launch(0, 8, 30, 30),
            launch(0, 9, 40, 200),
            launch(0, 9, 50, 0),
            launch(0, 8, 100, 10),
            launch(0, 7, 240, 10),
        ]));
        let [across, in_stream]: [Vec<_>; 2] = [&found.across, &found.in_stream]
            .map(|found| found.iter().map(|overlap| (overlap.first, overlap.second, overlap.ns)).collect());
        assert_eq!(across, [(0, 3, 30), (0, 4, 60), (3, 4, 20), (4, 6, 10)]);
        assert_eq!(in_stream, [(0, 1, 10)]);
        assert_eq!(found.until, None);
        assert_eq!(covered([(0, 10), (5, 7), (8, 20), (30, 31)]), 21);
    }

    /// What a file may hold at most, once as a program has it, and once as no program does: then it ends where more would be kept than is.
    #[test]
    fn a_full_timeline_has_bounds() {
        for (of, overlaps) in
            [((|i: u64| launch(0, i % 4, i * 100, 390)) as fn(u64) -> Launched, 299_994), (|i| launch(0, i, i, 1 << 40), MOST_OVERLAPS)]
        {
            let whole = timeline((0..100_000).map(of).collect());
            let found = Overlaps::of(&whole);
            assert!(found.across.len() >= overlaps && found.across.len() < overlaps + 100_000);
            assert_eq!(found.until.is_some(), overlaps == MOST_OVERLAPS);
        }
    }
}
