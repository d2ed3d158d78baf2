//! Pairs of kernels on different streams: what is seen of them together, and why they were not together longer.
//!
//! Files have times on the GPU, not those of launches on the host: reasons speak of when kernels ran.

use crate::beside::{Holds, On, Room};
use crate::overlap::Overlaps;
use crate::residency::Described;
use crate::timeline::Timeline;
use sim_core::describe::error::Problem;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

/// What a timeline shows of two kernels together.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Seen {
    /// Pairs of launches that ran at once.
    pub meetings: usize,
    /// For how long, in nanoseconds.
    pub ns: u64,
    /// Nanoseconds of the shorter launch of each of these pairs.
    pub of: u64,
    /// The largest part of the shorter launch for which a pair ran at once.
    pub most: f64,
}

/// Why two kernels are not beside each other all the time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Why {
    /// Where they meet they are, for most of the shorter one.
    Meets,
    /// The first fills the GPU until its last wave, and holds this.
    Fills(Holds),
    /// Neither leaves room to the other, whichever comes first; what the first holds.
    Full(Option<Holds>),
    /// One of them fits no SM.
    Unfit,
    /// Their nearest launches are so many nanoseconds apart.
    Gap(u64),
    /// So are they, and the shorter kernel takes less than a launch does: its nanoseconds, at the median.
    Short(u64, u64),
    /// The second starts while the first is under way, though it would fit from its start.
    Late,
}

/// Two kernels that a GPU has executed on different streams.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pair {
    /// Which of `Timeline::devices`.
    pub device: u32,
    /// The kernel that starts first where they meet or come nearest.
    pub first: u32,
    /// The other.
    pub second: u32,
    /// What the first leaves to the second, and the second to the first; none without shapes, or a described GPU.
    pub rooms: Option<[Room; 2]>,
    /// What is seen of it.
    pub seen: Seen,
    /// Nanoseconds for which they could have run at once at most, and did not: the shorter time of both, less what is seen.
    pub lost: u64,
    /// Why.
    pub why: Why,
}

impl Pair {
    /// The part of the shorter kernel's whole time for which they ran at once.
    pub fn share(&self) -> f64 {
        // What runs beside several at once is counted with each.
        (self.seen.ns as f64 / self.seen.ns.saturating_add(self.lost).max(1) as f64).min(1.0)
    }

    /// Whether shapes let them run at once, whichever comes first; true where nothing is known.
    pub fn possible(&self) -> bool {
        self.rooms.is_none_or(|rooms| rooms.iter().any(Room::any))
    }
}

/// All pairs of a timeline.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Pairs {
    /// Those with most to win first.
    pub all: Vec<Pair>,
    /// Pairs of which less was lost or seen, which were left out.
    pub left_out: usize,
}

/// Pairs that are kept for what they could win.
const MOST_LOST: usize = 1_500;

/// Pairs that are kept for what is seen of them.
const MOST_SEEN: usize = 500;

/// From this part of the shorter launches on, kernels that meet are beside each other.
const MEETS: f64 = 0.8;

/// What waits for room starts within so many nanoseconds after the room is there.
const NEAR: u64 = 5_000;

/// A launch takes its host so many nanoseconds: kernels that are shorter seldom meet.
const LAUNCH: u64 = 5_000;

/// Kernels further apart than this did not miss each other by being short.
const REACH: u64 = 100_000;

/// The GPUs of a timeline, and its kernels on them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Gpus {
    /// Those that differ.
    gpus: Vec<Described>,
    /// Which of them each device is.
    of_device: Vec<Option<usize>>,
    /// Every kernel on each of them.
    on: Vec<Vec<Option<On>>>,
    /// Why a device is none of them.
    pub unknown: Vec<Problem>,
}

impl Gpus {
    /// As the file says, or all of them the one that was asked for.
    pub fn of(timeline: &Timeline, asked: Option<&Described>) -> Gpus {
        let mut found = Gpus::default();
        for device in &timeline.devices {
            let gpu = match asked.map_or_else(|| Described::device(device), |asked| Ok(asked.clone())) {
                Ok(gpu) => gpu,
                Err(problem) => {
                    found.of_device.push(None);
                    found.unknown.push(problem);
                    continue;
                }
            };
            let known = found.gpus.iter().position(|known| *known == gpu);
            found.of_device.push(Some(known.unwrap_or(found.gpus.len())));
            if known.is_none() {
                let on = |shape| On::of(shape, &gpu);
                found.on.push(timeline.kernels.iter().map(|kernel| kernel.shape.as_ref().map(on)).collect());
                found.gpus.push(gpu);
            }
        }
        found
    }

    /// That of a device.
    pub fn gpu(&self, device: u32) -> Option<&Described> {
        self.gpus.get((*self.of_device.get(device as usize)?)?)
    }

    /// A kernel on that of a device.
    pub fn on(&self, device: u32, kernel: u32) -> Option<&On> {
        self.on.get((*self.of_device.get(device as usize)?)?)?.get(kernel as usize)?.as_ref()
    }
}

/// What a device has executed of a kernel.
#[derive(Default)]
struct Use {
    kernel: u32,
    ns: u64,
    /// In the order of their starts.
    launches: Vec<u32>,
    /// Each once.
    streams: BTreeSet<u64>,
}

impl Use {
    /// The nanoseconds that half of its launches take at most.
    fn median(&self, timeline: &Timeline) -> u64 {
        let mut all: Vec<u64> = self.launches.iter().map(|launch| timeline.launches[*launch as usize].duration).collect();
        all.sort_unstable();
        all.get(all.len() / 2).copied().unwrap_or(0)
    }
}

/// The latest ends of two streams.
#[derive(Clone, Copy, Default)]
struct Ends([Option<(u64, u64)>; 2]);

impl Ends {
    fn add(&mut self, stream: u64, end: u64) {
        let [latest, other] = &mut self.0;
        match latest {
            Some((of, until)) if *of == stream => *until = end.max(*until),
            Some((_, until)) if *until > end => {
                if other.is_none_or(|other| other.0 == stream || other.1 < end) {
                    *other = Some((stream, end));
                }
            }
            _ => {
                *other = *latest;
                *latest = Some((stream, end));
            }
        }
    }

    /// The latest on another stream.
    fn beside(&self, stream: u64) -> Option<u64> {
        self.0.iter().flatten().find(|(of, _)| *of != stream).map(|(_, end)| *end)
    }
}

/// The least time from the end of a launch to the start of another kernel's on another stream, and whether the one that ends is `one`.
fn nearest(timeline: &Timeline, one: &Use, other: &Use) -> Option<(u64, bool)> {
    let (mut ends, mut found): ([Ends; 2], Option<(u64, bool)>) = Default::default();
    let (mut ones, mut others) = (one.launches.iter().peekable(), other.launches.iter().peekable());
    loop {
        let of_one = match (ones.peek(), others.peek()) {
            (Some(one), Some(other)) => one < other,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => return found,
        };
        let next = if of_one { ones.next() } else { others.next() };
        let Some(launch) = next.map(|next| timeline.launches[*next as usize]) else { return found };
        if let Some(end) = ends[usize::from(of_one)].beside(launch.stream) {
            let gap = launch.start.saturating_sub(end);
            if found.is_none_or(|found| gap < found.0) {
                found = Some((gap, !of_one));
            }
        }
        // Who comes later looks at the other kernel's ends.
        ends[usize::from(!of_one)].add(launch.stream, launch.end());
    }
}

/// Two kernels of a device.
type Key = (u32, u32, u32);

/// What is seen of pairs, and in how many of their meetings the kernel with the lower number starts first.
fn seen(timeline: &Timeline, overlaps: &Overlaps) -> BTreeMap<Key, (Seen, usize)> {
    let mut found: BTreeMap<Key, (Seen, usize)> = BTreeMap::new();
    for overlap in &overlaps.across {
        let [first, second] = [overlap.first, overlap.second].map(|launch| timeline.launches[launch as usize]);
        let key = (first.device, first.kernel.min(second.kernel), first.kernel.max(second.kernel));
        let (seen, lower_first) = found.entry(key).or_default();
        let shorter = first.duration.min(second.duration);
        seen.meetings += 1;
        seen.ns = seen.ns.saturating_add(overlap.ns);
        seen.of = seen.of.saturating_add(shorter);
        seen.most = seen.most.max(overlap.ns as f64 / shorter.max(1) as f64);
        *lower_first += usize::from(first.kernel <= second.kernel);
    }
    found
}

impl Pairs {
    /// Those of a timeline whose overlaps are known.
    pub fn of(timeline: &Timeline, overlaps: &Overlaps, gpus: &Gpus) -> Pairs {
        let mut uses: BTreeMap<(u32, u32), Use> = BTreeMap::new();
        for (number, launch) in (0..).zip(&timeline.launches) {
            let of = uses.entry((launch.device, launch.kernel)).or_default();
            of.kernel = launch.kernel;
            of.ns = of.ns.saturating_add(launch.duration);
            of.launches.push(number);
            of.streams.insert(launch.stream);
        }
        let mut of_device: BTreeMap<u32, Vec<Use>> = BTreeMap::new();
        uses.into_iter().for_each(|((device, _), of)| of_device.entry(device).or_default().push(of));
        let seen = seen(timeline, overlaps);
        let (mut most_lost, mut most_seen, mut all) = (Greatest::new(MOST_LOST), Greatest::new(MOST_SEEN), 0);
        for (device, uses) in &mut of_device {
            uses.sort_by_key(|of| Reverse(of.ns));
            let of_kernel: HashMap<u32, usize> = uses.iter().enumerate().map(|(at, of)| (of.kernel, at)).collect();
            for (key, (seen, _)) in seen.range((*device, 0, 0)..=(*device, u32::MAX, u32::MAX)) {
                most_seen.add(seen.ns, (*key, of_kernel[&key.1], of_kernel[&key.2]));
            }
            // Those with more time than this one, by the streams that they have run on.
            let mut before: BTreeMap<&BTreeSet<u64>, Vec<usize>> = BTreeMap::new();
            let mut searched = false;
            for (at, of) in uses.iter().enumerate() {
                let alike = before.entry(&of.streams).or_default();
                alike.push(at);
                all += at + 1 - if of.streams.len() == 1 { alike.len() } else { 0 };
                // A pair loses no more than the shorter time of both, and those to come have less.
                searched = searched || most_lost.least().is_some_and(|least| least >= of.ns);
                if searched {
                    continue;
                }
                for (_, others) in before.iter().filter(|(streams, _)| streams.len() > 1 || ***streams != of.streams) {
                    for &other in others {
                        let key = (*device, of.kernel.min(uses[other].kernel), of.kernel.max(uses[other].kernel));
                        let seen = seen.get(&key).map_or(0, |seen| seen.0.ns);
                        most_lost.add(lost(of, &uses[other], seen), (key, at, other));
                    }
                }
            }
        }
        let chosen: BTreeMap<Key, (usize, usize)> =
            most_lost.all().chain(most_seen.all()).map(|(key, one, other)| (key, (one, other))).collect();
        let pair = |(key, (one, other)): (Key, (usize, usize))| {
            let uses = &of_device[&key.0];
            pair(timeline, gpus, key, seen.get(&key).copied().unwrap_or_default(), [&uses[one], &uses[other]])
        };
        let mut found: Vec<Pair> = chosen.into_iter().map(pair).collect();
        found.sort_by_key(|pair| Reverse(pair.lost));
        Pairs { left_out: all - found.len(), all: found }
    }
}

/// Nanoseconds for which two kernels could have run at once at most, and did not.
fn lost(one: &Use, other: &Use, seen: u64) -> u64 {
    let both = if one.kernel == other.kernel { one.ns / 2 } else { one.ns.min(other.ns) };
    both.saturating_sub(seen)
}

/// The greatest of many, so many of them.
struct Greatest<T> {
    most: usize,
    kept: BinaryHeap<Reverse<(u64, T)>>,
}

impl<T: Ord> Greatest<T> {
    fn new(most: usize) -> Self {
        Greatest { most, kept: BinaryHeap::new() }
    }

    fn add(&mut self, size: u64, one: T) {
        self.kept.push(Reverse((size, one)));
        if self.kept.len() > self.most {
            self.kept.pop();
        }
    }

    /// The size below which none is kept any more.
    fn least(&self) -> Option<u64> {
        self.kept.peek().filter(|_| self.kept.len() == self.most).map(|least| least.0.0)
    }

    fn all(self) -> impl Iterator<Item = T> {
        self.kept.into_iter().map(|kept| kept.0.1)
    }
}

fn pair(timeline: &Timeline, gpus: &Gpus, key: Key, (seen, lower_first): (Seen, usize), [one, other]: [&Use; 2]) -> Pair {
    let device = key.0;
    let gap = if seen.meetings == 0 { nearest(timeline, one, other) } else { None };
    let one_first = match gap {
        Some((_, one_first)) => one_first,
        None => (2 * lower_first >= seen.meetings) == (one.kernel <= other.kernel),
    };
    let [first, second] = if one_first { [one, other] } else { [other, one] };
    let rooms = gpus.gpu(device).and_then(|gpu| {
        let [first, second] = [gpus.on(device, first.kernel)?, gpus.on(device, second.kernel)?];
        Some([Room::of(first, second, gpu), Room::of(second, first, gpu)])
    });
    let fills = rooms.and_then(|[room, _]| room.holds.filter(|_| room.waits()));
    let shorter = first.median(timeline).min(second.median(timeline));
    let why = match (rooms, gap.map(|gap| gap.0)) {
        _ if seen.meetings > 0 && seen.ns as f64 >= MEETS * seen.of as f64 => Why::Meets,
        (Some(rooms), _) if rooms.iter().any(|room| room.leave.is_none()) => Why::Unfit,
        (Some(rooms), Some(_)) if !rooms.iter().any(Room::any) => Why::Full(rooms[0].holds),
        (_, Some(gap)) if gap > NEAR && gap <= REACH && shorter < LAUNCH => Why::Short(gap, shorter),
        (_, Some(gap)) if gap > NEAR => Why::Gap(gap),
        (_, gap) => match (fills, gap) {
            (Some(holds), _) => Why::Fills(holds),
            (None, Some(gap)) => Why::Gap(gap),
            (None, None) => Why::Late,
        },
    };
    Pair { device, first: first.kernel, second: second.kernel, rooms, seen, lost: lost(one, other, seen.ns), why }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::{Device, Kernel, Launched, Shape, Tool};
    use sim_core::describe::gpu::occupancy::Limiter;

    /// An A100 with kernels of these CTAs, threads, registers, shared bytes, and launches of kernel, stream, start, duration in microseconds.
    fn timeline(shapes: &[(u32, u32, u32, u32)], launches: &[(u32, u64, u64, u64)]) -> Timeline {
        let shape = |&(ctas, threads, registers, shared_bytes): &(u32, u32, u32, u32)| {
            let shape = Shape { grid: [ctas, 1, 1], block: [threads, 1, 1], registers, shared_bytes };
            Kernel { name: "k".into(), shape: Some(shape), estimated_occupancy: None }
        };
        let launch = |&(kernel, stream, start, duration): &(u32, u64, u64, u64)| Launched {
            kernel,
            device: 0,
            stream,
            start: start * 1000,
            duration: duration * 1000,
        };
        Timeline {
            tool: Tool::Nsys,
            devices: vec![Device { id: 0, name: "NVIDIA A100".into(), sms: Some(108), capability: Some((8, 0)) }],
            kernels: shapes.iter().map(shape).collect(),
            launches: launches.iter().map(launch).collect(),
            notes: vec![],
            ended: None,
        }
    }

    /// The first fills an A100, the second needs as much; the third is small.
    const SHAPES: &[(u32, u32, u32, u32)] = &[(768, 512, 64, 0), (216, 512, 64, 0), (4, 64, 32, 0), (216, 512, 64, 0)];

    fn why(launches: &[(u32, u64, u64, u64)]) -> Pair {
        let timeline = timeline(SHAPES, launches);
        let found = Pairs::of(&timeline, &Overlaps::of(&timeline), &Gpus::of(&timeline, None));
        assert_eq!((found.all.len(), found.left_out), (1, 0), "{found:?}");
        found.all[0]
    }

    #[test]
    fn each_pair_has_a_reason() {
        let fills = Holds::Part(Limiter::Registers, 100.0);
        let all = why(&[(0, 7, 0, 100), (1, 8, 97, 60)]);
        assert_eq!((all.why, all.first, all.second, all.lost, all.seen.meetings), (Why::Fills(fills), 0, 1, 57_000, 1));
        assert!((all.share() - 0.05).abs() < 1e-9 && (all.seen.most - 0.05).abs() < 1e-9);
        assert_eq!(why(&[(1, 8, 0, 60), (0, 7, 61, 100)]).why, Why::Fills(fills));
        assert_eq!(why(&[(0, 7, 0, 100), (1, 8, 102, 60)]).why, Why::Fills(fills), "it waits until the end");
        assert_eq!(why(&[(0, 7, 0, 100), (1, 8, 400, 60)]).why, Why::Gap(300_000));
        assert_eq!(why(&[(0, 7, 0, 100), (2, 8, 150, 2)]).why, Why::Short(50_000, 2000));
        assert_eq!(why(&[(2, 8, 0, 50), (0, 7, 10, 100)]).why, Why::Meets);
        assert_eq!(why(&[(2, 8, 0, 50), (0, 7, 40, 100)]).why, Why::Late);
        assert_eq!(why(&[(2, 8, 0, 50), (0, 7, 51, 100)]).why, Why::Gap(1000), "it would fit");
        assert_eq!(why(&[(1, 8, 0, 50), (3, 7, 51, 100)]).why, Why::Full(Some(fills)), "one whole wave each");
        let no_pair = timeline(SHAPES, &[(0, 7, 0, 100), (1, 7, 100, 100)]);
        assert_eq!(Pairs::of(&no_pair, &Overlaps::of(&no_pair), &Gpus::of(&no_pair, None)), Pairs::default(), "one stream");
    }

    /// A kernel on two streams is beside itself; distances count between different streams only.
    #[test]
    fn a_kernel_on_two_streams_is_a_pair_with_itself() {
        let found = why(&[(1, 7, 0, 100), (1, 7, 101, 100), (1, 8, 260, 100)]);
        assert_eq!((found.first, found.second, found.why), (1, 1, Why::Full(Some(Holds::Part(Limiter::Registers, 100.0)))));
        let timeline = timeline(SHAPES, &[(2, 7, 0, 50), (2, 7, 60, 50), (2, 8, 150, 50)]);
        let of = |stream| {
            let launches = (0..).zip(&timeline.launches).filter(|(_, launch)| launch.stream == stream).map(|(number, _)| number);
            Use { launches: launches.collect(), ..Use::default() }
        };
        assert_eq!(nearest(&timeline, &of(7), &of(8)), Some((40_000, true)));
        assert_eq!(nearest(&timeline, &of(8), &of(7)), Some((40_000, false)));
    }

    /// Of 100 kernels on a stream and 60 on another, 6,000 pairs are on different ones: those that could win most are kept, and the one that overlaps.
    #[test]
    fn of_many_pairs_those_with_most_to_win_are_kept() {
        let shapes = vec![(9, 64, 32, 0); 160];
        let launch = |kernel: u32| (kernel, u64::from(kernel / 100), u64::from(kernel) * 1000, u64::from(1 + kernel % 100));
        let mut launches: Vec<_> = (0..160).map(launch).collect();
        launches.push((0, 2, 100_000, 1));
        launches.sort_by_key(|launch| launch.2);
        let timeline = timeline(&shapes, &launches);
        let found = Pairs::of(&timeline, &Overlaps::of(&timeline), &Gpus::of(&timeline, None));
        // Kernel 0 is on two streams, so it is a pair with the 99 others of its first one, and with itself.
        assert_eq!((found.all.len() + found.left_out, found.all.len()), (6_000 + 99 + 1, 1_501));
        let least = found.all[1_499].lost;
        assert_eq!((found.all[0].lost, found.all[1_500].seen.meetings), (60_000, 1));
        let mut all: Vec<u64> = (0..100).flat_map(|one: u64| (0..60).map(move |other: u64| 1000 * (1 + one.min(other)))).collect();
        all.sort_unstable_by_key(|lost| Reverse(*lost));
        assert_eq!(least, all[1_499]);
    }
}
