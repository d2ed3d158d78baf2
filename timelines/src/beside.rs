//! What fits beside what, under which scheme, and why two never met.
//!
//! CTAs stay where they are until they end, so the second kernel gets what the first one leaves. That is room beside it where it does not fill the
//! GPU, in its last wave, or when its CTAs end. Files have times on the GPU, not those of launches on the host: reasons speak of when kernels ran.

use crate::overlap::Overlaps;
use crate::residency::{Described, Need, Resident};
use crate::timeline::{Shape, Timeline};
use sim_core::describe::error::Problem;
use sim_core::describe::gpu::occupancy::{Limiter, Resources};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

/// A kernel on a GPU.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct On {
    /// Where its CTAs are.
    pub resident: Resident,
    /// What one of them takes.
    pub need: Need,
}

/// What of an SM keeps another kernel's CTAs out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Holds {
    /// So much of a resource, in percent.
    Part(Limiter, f64),
    /// The division between L1D and shared memory: the KB of shared memory that the SM has, and those that the other wants.
    Division(u32, u32),
}

impl Holds {
    /// Behind "it".
    pub fn words(self) -> String {
        match self {
            Holds::Part(limiter, percent) => {
                let what = match limiter {
                    Limiter::Slots => "CTA slots",
                    Limiter::Threads => "threads",
                    Limiter::Registers => "registers",
                    Limiter::SharedMemory => "shared memory",
                };
                let the = if percent >= 99.5 { "all".into() } else { format!("{percent:.0} % of the") };
                format!("holds {the} {what}")
            }
            Holds::Division(has, wants) => format!("leaves {has} KB of an SM to shared memory, where {wants} are wanted"),
        }
    }
}

/// CTAs of the second kernel on an SM with so many of the first; if none, what keeps them out.
fn on_sm(first: &On, ctas: u32, second: &On, gpu: &Described) -> (u32, Option<Holds>) {
    if ctas == 0 || second.resident.ctas_per_sm == 0 {
        return (second.resident.ctas_per_sm, None);
    }
    let (needs, has) = (&second.need, first.need.division);
    let divided = (needs.least > has).then_some(Holds::Division(has >> 10, needs.least >> 10));
    let whole = Resources { shared_bytes: has, ..Resources::of_class(&gpu.sm) };
    let of = |limiter, whole: u32, one: u32, more: u32| {
        let taken = one.saturating_mul(ctas).min(whole);
        let fit = (whole - taken).checked_div(more).unwrap_or(u32::MAX);
        (fit, Holds::Part(limiter, 100.0 * f64::from(taken) / f64::from(whole.max(1))), taken as f64 / f64::from(whole.max(1)))
    };
    let (a, b) = (first.need.cta, needs.cta);
    let each = [
        of(Limiter::Registers, whole.registers, a.registers, b.registers),
        of(Limiter::Threads, whole.threads, a.threads, b.threads),
        of(Limiter::SharedMemory, whole.shared_bytes, a.shared_bytes, b.shared_bytes),
        of(Limiter::Slots, whole.ctas, a.ctas, b.ctas),
    ];
    // Of several that keep it out, the one of which least is left: what the SM is divided for comes last, as it changes with the SM's first CTA.
    let keeps = |of: &(u32, Holds, f64)| of.0 == 0 && (divided.is_none() || !matches!(of.1, Holds::Part(Limiter::SharedMemory, _)));
    let most = each.iter().filter(|of| keeps(of)).reduce(|most, of| if of.2 > most.2 { of } else { most });
    let fit = each.iter().map(|of| of.0).min().filter(|_| divided.is_none()).unwrap_or(0).min(second.resident.ctas_per_sm);
    (fit, most.map(|of| of.1).or(divided))
}

/// What a kernel leaves to a second one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Room {
    /// Whether the first fills the GPU before its last wave.
    pub fills: bool,
    /// CTAs of the second on each SM that the first fills.
    pub full: u32,
    /// CTAs of the second on the whole GPU beside the first's last wave, spread evenly: of a grid below one wave, beside all of it.
    pub tail: u64,
    /// CTAs of the first that have to leave an SM at once for one of the second; none where it fits no empty SM.
    pub leave: Option<u32>,
    /// What keeps the second out of an SM that the first fills.
    pub holds: Option<Holds>,
}

impl Room {
    /// Beside the first.
    pub fn of(first: &On, second: &On, gpu: &Described) -> Room {
        let (most, grid) = (first.resident.ctas_per_sm, second.resident.ctas);
        let (full, holds) = on_sm(first, most, second, gpu);
        let last = first.resident.last_wave();
        let sms = u64::from(gpu.sms.max(1));
        // A first kernel that fits no SM leaves all of them, but never runs.
        let (each, one_more) = ((last / sms) as u32, last % sms);
        let beside = |ctas| u64::from(on_sm(first, ctas, second, gpu).0);
        let tail = if last == first.resident.places {
            sms * u64::from(full)
        } else {
            one_more * beside(each + 1) + (sms - one_more) * beside(each)
        };
        let leave = (0..=most).find(|leave| beside(most - leave) > 0);
        Room { fills: first.resident.fills(), full, tail: tail.min(grid), leave, holds }
    }

    /// Whether the second can run beside the first before its last CTAs end.
    pub fn any(&self) -> bool {
        self.tail > 0 || (self.fills && self.full > 0)
    }

    /// Whether the second has to wait for CTAs of the first to end.
    fn waits(&self) -> bool {
        if self.fills { self.full == 0 } else { self.tail == 0 }
    }
}

/// How two kernels share a GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheme {
    /// Streams: the second gets what the first leaves.
    Streams,
    /// Streams, the second's of higher priority.
    Priority,
    /// MPS at 50 % each.
    Mps,
    /// Two equal instances of MIG.
    Mig,
    /// Two equal green contexts.
    GreenContexts,
}

/// Where a second kernel's CTAs run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// So many beside the first from its start.
    Beside(u64),
    /// So many in the first one's last wave.
    Tail(u64),
    /// One wherever so many CTAs of the first on an SM have ended.
    AsCtasEnd(u32),
    /// When the first one's last CTAs end.
    End,
    /// On so many SMs of their own, so many.
    Own(u32, u64),
    /// Nowhere: a CTA fits no SM.
    Never,
    /// The GPU has no such thing, or it is not known.
    Absent,
}

impl Scheme {
    /// All of them.
    pub const ALL: [Scheme; 5] = [Scheme::Streams, Scheme::Priority, Scheme::Mps, Scheme::Mig, Scheme::GreenContexts];

    /// Its name in results.
    pub fn key(self) -> &'static str {
        match self {
            Scheme::Streams => "streams",
            Scheme::Priority => "priority",
            Scheme::Mps => "mps",
            Scheme::Mig => "mig",
            Scheme::GreenContexts => "green_contexts",
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Scheme::Streams => "streams",
            Scheme::Priority => "priority",
            Scheme::Mps => "MPS 50 % each",
            Scheme::Mig => "MIG halves",
            Scheme::GreenContexts => "green contexts",
        }
    }

    /// SMs that each of two kernels has to itself: of MPS, where 100 % are given, as policy `mps` has it.
    pub fn half(self, gpu: &Described) -> Option<u32> {
        let sms = match self {
            Scheme::Streams | Scheme::Priority => return None,
            Scheme::Mps => gpu.sms / 2,
            Scheme::Mig => gpu.vendor.and_then(|vendor| Some(vendor.part(vendor.alike(2)?.sms, gpu.sms)))?,
            Scheme::GreenContexts => {
                let (least, step) = gpu.vendor?.steps(gpu.sms);
                Some(gpu.sms / 2 / step * step).filter(|sms| *sms >= least)?
            }
        };
        (sms > 0).then_some(sms)
    }

    /// Where the second kernel's CTAs run while the first one does.
    pub fn place(self, second: &On, room: &Room, gpu: &Described) -> Place {
        let Resident { ctas, ctas_per_sm, .. } = second.resident;
        let Some(leave) = room.leave.filter(|_| ctas_per_sm > 0) else { return Place::Never };
        if !matches!(self, Scheme::Streams | Scheme::Priority) {
            return match self.half(gpu) {
                Some(sms) => Place::Own(sms, (u64::from(sms) * u64::from(ctas_per_sm)).min(ctas)),
                None => Place::Absent,
            };
        }
        match *room {
            Room { fills: true, full, .. } if full > 0 => Place::Beside((u64::from(gpu.sms) * u64::from(full)).min(ctas)),
            Room { fills: false, tail, .. } if tail > 0 => Place::Beside(tail),
            _ if self == Scheme::Priority => Place::AsCtasEnd(leave),
            Room { fills: true, tail, .. } if tail > 0 => Place::Tail(tail),
            _ => Place::End,
        }
    }
}

impl Place {
    /// Its name in results.
    pub fn key(self) -> &'static str {
        match self {
            Place::Beside(_) => "beside",
            Place::Tail(_) => "tail",
            Place::AsCtasEnd(_) => "as_ctas_end",
            Place::End => "end",
            Place::Own(..) => "own",
            Place::Never => "never",
            Place::Absent => "absent",
        }
    }

    /// For people.
    pub fn words(self) -> String {
        let some = |ctas: u64| if ctas == 1 { "1 CTA".into() } else { format!("{ctas} CTAs") };
        match self {
            Place::Beside(ctas) => format!("{} beside it", some(ctas)),
            Place::Tail(ctas) => format!("{} in its last wave", some(ctas)),
            Place::AsCtasEnd(1) => "with each CTA that ends".into(),
            Place::AsCtasEnd(leave) => format!("where {leave} CTAs of an SM end"),
            Place::End => "when it ends".into(),
            Place::Own(sms, ctas) => format!("{} on {sms} SMs", some(ctas)),
            Place::Never => "never: no SM holds one".into(),
            Place::Absent => "–".into(),
        }
    }
}

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
                let on = |shape: &Shape| On { resident: Resident::of(shape, &gpu), need: Need::of(shape, &gpu) };
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
    for overlap in &overlaps.all {
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
    use crate::timeline::{Device, Kernel, Launched, Tool};

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

    fn room(first: (u32, u32, u32, u32), second: (u32, u32, u32, u32)) -> (Room, [Place; 5]) {
        let timeline = timeline(&[first, second], &[]);
        let gpus = Gpus::of(&timeline, None);
        let (gpu, [first, second]) = (gpus.gpu(0).unwrap(), [0, 1].map(|kernel| gpus.on(0, kernel).unwrap()));
        let room = Room::of(first, second, gpu);
        (room, Scheme::ALL.map(|scheme| scheme.place(second, &room, gpu)))
    }

    /// By hand, for an A100 of 108 SMs with 65,536 registers, 2,048 threads, 32 CTAs.
    #[test]
    fn what_a_kernel_leaves_to_another_is_counted_in_ctas() {
        // 512 × 64 registers are half of an SM, so 216 are a wave. Of 768, 120 are in the last: 12 SMs with two, 96 with room for one.
        let (found, places) = room((768, 512, 64, 0), (512, 512, 64, 0));
        assert_eq!((found.fills, found.full, found.tail, found.leave), (true, 0, 96, Some(1)));
        assert_eq!(found.holds.map(Holds::words), Some("holds all registers".into()));
        assert_eq!(places, [Place::Tail(96), Place::AsCtasEnd(1), Place::Own(54, 108), Place::Own(42, 84), Place::Own(54, 108)]);
        // 432 are two whole waves: nothing is left before the end.
        assert_eq!(room((432, 512, 64, 0), (512, 512, 64, 0)).1[..2], [Place::End, Place::AsCtasEnd(1)]);
        // 1,024 × 32 registers twice take all threads and registers.
        assert_eq!(room((2160, 1024, 32, 0), (9, 32, 16, 0)).0.holds.map(Holds::words), Some("holds all registers".into()));
        // 8 CTAs of an all-reduce lie on 8 SMs: 100 have all their places, and those 8 one more of 256 × 32 registers.
        let (found, places) = room((8, 544, 96, 60_000), (5000, 256, 32, 0));
        assert_eq!((found.fills, found.tail, places[0]), (false, 100 * 8 + 8, Place::Beside(808)));
        // 6 CTAs of 256 × 40 registers leave 4,096, which are one of 256 × 16.
        let (found, places) = room((648, 256, 40, 0), (4000, 256, 16, 0));
        assert_eq!((found.fills, found.full, found.tail, found.holds), (true, 1, 108, None));
        assert_eq!(places[..2], [Place::Beside(108), Place::Beside(108)]);
    }

    /// An SM that is divided for kernels with little shared memory takes no CTA of one with much, as on an H100.
    #[test]
    fn the_division_of_an_sm_keeps_a_kernel_out() {
        let (found, places) = room((864, 256, 40, 0), (108, 128, 32, 60_000));
        assert_eq!((found.full, found.leave, found.holds), (0, Some(6), Some(Holds::Division(8, 164))));
        assert_eq!(places[..2], [Place::End, Place::AsCtasEnd(6)]);
    }

    /// What does not fit an empty SM is never resident, and a GPU without MIG has no halves.
    #[test]
    fn nothing_is_promised_that_a_gpu_cannot_have() {
        assert_eq!(room((100, 64, 32, 0), (9, 64, 32, 166 << 10)).1, [Place::Never; 5]);
        let mut timeline = timeline(&[(999, 256, 32, 0)], &[]);
        timeline.devices[0] = Device { id: 0, name: "NVIDIA GeForce RTX 5090".into(), sms: None, capability: None };
        let gpus = Gpus::of(&timeline, None);
        let halves = Scheme::ALL.map(|scheme| scheme.half(gpus.gpu(0).unwrap()));
        assert_eq!(halves, [None, None, Some(85), None, Some(80)], "170 SMs in steps of 8");
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
