//! All of this, as tables and sentences.

use crate::beside::{Holds, Place, Room, Scheme};
use crate::gather::COPY;
use crate::measured::{Beside, CAUTION, Measured, Spread};
use crate::names::{Names, short};
use crate::overlap::{Overlap, Overlaps, covered};
use crate::pairs::{Gpus, Pair, Pairs, Why};
use crate::residency::{Described, estimates};
use crate::timeline::{Device, Ended, Launched, Shape, Timeline, Tool};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem::discriminant;

/// What a timeline says.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// Who wrote it.
    pub tool: &'static str,
    /// Its GPUs.
    pub gpus: Vec<GpuRow>,
    /// Launches.
    pub launches: usize,
    /// Kernels: names with different shapes are several.
    pub kernel_count: usize,
    /// Those with most time.
    pub kernels: Vec<KernelRow>,
    /// Pairs on different streams, those with most to win first.
    pub pairs: Vec<PairRow>,
    /// Pairs with less to win, which were left out.
    pub pairs_left_out: usize,
    /// How many of the pairs overlap, and why the others do not.
    pub overview: String,
    /// What kernels took beside others, those with most time first.
    pub beside: Vec<BesideRow>,
    /// How much longer they took than alone, taken together.
    pub slowdowns: String,
    /// The largest loss, and what would help.
    pub loss: String,
    /// What is to be known, a sentence each.
    pub notes: Vec<String>,
}

/// A GPU.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GpuRow {
    /// Its number.
    pub id: u32,
    /// Its name in the file.
    pub name: String,
    /// As which it is described, or why as none.
    pub described: String,
    /// Whether it is.
    pub known: bool,
    /// Its SMs, as the file says.
    pub sms: Option<u32>,
    /// Streams that it has executed.
    pub streams: Vec<u64>,
    /// Launches on it.
    pub launches: usize,
    /// Gaps between its launches in which no kernel runs.
    pub gaps: usize,
    /// Nanoseconds of half of them at most.
    pub median_gap_ns: u64,
    /// Those of the longest.
    pub longest_gap_ns: u64,
    /// Nanoseconds from its first start to its last end, without what is lost.
    pub ns: u64,
    /// Nanoseconds between both of which a file that ends early says nothing.
    pub lost_ns: u64,
    /// Those that are not lost in which a kernel runs.
    pub busy_ns: u64,
    /// Those in which places are free while a kernel runs alone, as far as they are: small grids and last waves.
    pub free_ns: u64,
}

/// A kernel.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct KernelRow {
    /// Which of `Timeline::kernels`.
    pub kernel: u32,
    /// Its name, as the tool says it.
    pub name: String,
    /// Without what its compiler has added, but for what others of this short name have not.
    pub short: String,
    /// That, and of its shape what no other kernel of this short name has.
    pub called: String,
    /// Launches.
    pub launches: usize,
    /// Nanoseconds of all.
    pub ns: u64,
    /// Of half of them at most.
    pub median_ns: u64,
    /// Streams.
    pub streams: Vec<u64>,
    /// What it was launched with.
    pub shape: Option<Shape>,
    /// What follows from that; none without a shape, or a described GPU.
    pub resident: Option<ResidentRow>,
    /// How long it took alone.
    pub alone: Option<Spread>,
}

/// What follows from a shape.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ResidentRow {
    /// CTAs that an SM holds.
    pub ctas_per_sm: u32,
    /// What keeps the next one out.
    pub limiter: &'static str,
    /// How often the GPU is filled; none where not one CTA fits.
    pub waves: Option<f64>,
    /// CTAs of the last wave.
    pub last_wave: u64,
    /// The part of all places that it leaves free.
    pub tail_free: f64,
    /// Warps that are resident at most, in percent.
    pub occupancy: f64,
    /// What the tool estimates.
    pub estimated: Option<u32>,
}

/// Two kernels on different streams.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PairRow {
    /// Number of the GPU.
    pub gpu: u32,
    /// The kernel that starts first.
    pub first: u32,
    /// The other.
    pub second: u32,
    /// Whether shapes let them run at once.
    pub possible: bool,
    /// Pairs of launches that ran at once.
    pub meetings: usize,
    /// Nanoseconds for which they did.
    pub seen_ns: u64,
    /// The part of the shorter one's whole time.
    pub share: f64,
    /// Nanoseconds that could have been shared at most, and were not.
    pub lost_ns: u64,
    /// Where the second one's CTAs run while the first does, under each scheme.
    pub places: Vec<PlaceRow>,
    /// How many times as long each took beside the other's name as alone, where that was measured.
    pub slowdowns: [Option<f64>; 2],
    /// All of it.
    pub words: String,
    /// How many of the pairs behind it have the same names, reason and places, so that it stands for them; none where another one stands for it.
    pub alike: Option<usize>,
}

/// Where the second one's CTAs run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlaceRow {
    /// The scheme.
    pub scheme: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The kind of place.
    pub place: &'static str,
    /// For people.
    pub words: String,
}

/// A kernel beside others.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BesideRow {
    /// Which of `Timeline::kernels`.
    pub kernel: u32,
    /// The others' name.
    pub name: String,
    /// How long it took beside them.
    pub beside: Spread,
    /// How long alone.
    pub alone: Option<Spread>,
    /// How many times as long.
    pub slowdown: Option<f64>,
}

/// Kernels that a report has: those with most time.
const MOST_KERNELS: usize = 1_000;

/// A time with its unit.
pub fn time(ns: u64) -> String {
    let ns = ns as f64;
    let (x, unit) = if ns < 1e3 {
        return format!("{ns} ns");
    } else if ns < 1e6 {
        (ns / 1e3, "µs")
    } else if ns < 1e9 {
        (ns / 1e6, "ms")
    } else {
        (ns / 1e9, "s")
    };
    let decimals = if x < 10.0 { 2 } else { usize::from(x < 100.0) };
    format!("{x:.decimals$} {unit}")
}

fn percent(part: f64) -> String {
    match 100.0 * part {
        p if p > 0.0 && p < 0.5 => "less than 1 %".into(),
        p if (99.5..100.0).contains(&p) => "more than 99 %".into(),
        p => format!("{p:.0} %"),
    }
}

/// Times of a file may be absurd.
fn sum(times: impl Iterator<Item = u64>) -> u64 {
    times.fold(0, u64::saturating_add)
}

impl Why {
    /// Behind a colon; the room is that beside the first.
    fn words(self, room: Option<&Room>) -> String {
        let until = if room.is_some_and(|room| room.fills && room.tail > 0) { "until its last wave" } else { "until it ends" };
        let holds = |holds: Option<Holds>| holds.map_or("leaves no room".into(), Holds::words);
        match self {
            Why::Meets => "where they meet they run together, and their other launches are apart".into(),
            Why::Fills(held) => format!("the first {} {until}", held.words()),
            Why::Full(held) => format!("the first {} until it ends, and the second leaves it no room either", holds(held)),
            Why::Unfit => "not even one CTA of one of them fits an SM of this GPU".into(),
            Why::Gap(ns) => format!("their nearest launches are {} apart", time(ns)),
            Why::Short(gap, ns) => format!("the shorter takes {}, less than a launch does, and they come {} apart", time(ns), time(gap)),
            Why::Late => "the second starts late in the first, though it would fit from the start".into(),
        }
    }

    /// What would let them overlap.
    fn help(self, places: &[(Scheme, Place)]) -> String {
        let at = |scheme| places.iter().find(|(of, _)| *of == scheme).map(|(_, place)| *place);
        match (self, at(Scheme::Streams)) {
            (Why::Fills(_) | Why::Full(_), _) => {
                let priority = match at(Scheme::Priority) {
                    Some(Place::AsCtasEnd(1)) => "; a higher priority of its stream lets it in with each CTA that ends",
                    _ => "",
                };
                format!("MPS percentages or green contexts give the second SMs from the start{priority}")
            }
            (Why::Unfit, _) => "only a GPU with larger SMs, or smaller CTAs, would".into(),
            (Why::Short(..), _) => "launches from one CUDA graph come closer together".into(),
            (Why::Meets | Why::Gap(_) | Why::Late, Some(place @ (Place::Beside(_) | Place::Tail(_)))) => {
                format!("if both are launched in time, the second gets {}", place.words())
            }
            (Why::Meets | Why::Gap(_) | Why::Late, _) => "launches at the same time would".into(),
        }
    }
}

/// The report on a timeline: on the GPUs that it names, or on the one that was asked for.
pub fn report(timeline: &Timeline, asked: Option<&Described>) -> Report {
    let (overlaps, gpus) = (Overlaps::of(timeline), Gpus::of(timeline, asked));
    let measured = Measured::of(timeline, &overlaps);
    let pairs = Pairs::of(timeline, &overlaps, &gpus);
    let names = Names::of(&timeline.kernels);
    let mut rows: Vec<PairRow> = pairs.all.iter().map(|pair| pair_row(timeline, &names, &gpus, &measured, pair)).collect();
    group(timeline, &pairs.all, &mut rows);
    let gpu_rows = gpu_rows(timeline, &overlaps, &gpus);
    let row = |row: &Beside| BesideRow {
        kernel: row.kernel,
        name: row.name.clone(),
        beside: row.beside,
        alone: row.alone,
        slowdown: row.slowdown(),
    };
    let mut beside: Vec<BesideRow> = measured.beside.iter().map(row).collect();
    beside.sort_by(|one, other| {
        let time = |row: &BesideRow| row.beside.median * row.beside.cases as f64;
        time(other).total_cmp(&time(one))
    });
    Report {
        tool: match timeline.tool {
            Tool::Kineto => "PyTorch's profiler (Kineto)",
            Tool::Nsys => "Nsight Systems (cuda_gpu_trace)",
        },
        launches: timeline.launches.len(),
        kernel_count: timeline.kernels.len(),
        kernels: kernel_rows(timeline, &names, &gpus, &measured),
        loss: loss(timeline, &names, &overlaps, &gpu_rows, &pairs, &gpus),
        notes: notes(timeline, &names, &overlaps, &gpus, &measured, asked),
        gpus: gpu_rows,
        pairs: rows,
        pairs_left_out: pairs.left_out,
        overview: overview(&pairs),
        slowdowns: slowdowns(&beside),
        beside,
    }
}

fn gpu_rows(timeline: &Timeline, overlaps: &Overlaps, gpus: &Gpus) -> Vec<GpuRow> {
    let mut shared: BTreeMap<u32, u64> = BTreeMap::new();
    for overlap in overlaps.across.iter().chain(&overlaps.in_stream) {
        for launch in [overlap.first, overlap.second] {
            let of = shared.entry(launch).or_default();
            *of = of.saturating_add(overlap.ns);
        }
    }
    let mut of_device: BTreeMap<u32, Vec<(u32, &Launched)>> = BTreeMap::new();
    for (number, launch) in (0..).zip(&timeline.launches) {
        of_device.entry(launch.device).or_default().push((number, launch));
    }
    let row = |(number, device): (u32, &Device)| {
        let launches = of_device.remove(&number).unwrap_or_default();
        let ends = launches.iter().map(|(_, launch)| launch.end()).max().unwrap_or(0);
        let free = |(launch, of): &(u32, &Launched)| {
            let resident = gpus.on(number, of.kernel)?.resident;
            let waves = resident.ctas.div_ceil(resident.places.max(1)).max(1);
            let free = 1.0 - resident.ctas as f64 / (waves * resident.places.max(1)) as f64;
            Some((free * of.duration.saturating_sub(shared.get(launch).copied().unwrap_or(0)) as f64) as u64)
        };
        let lost: &[(u64, u64)] = timeline.ended.as_ref().map_or(&[], |ended| &ended.lost);
        let starts = launches.first().map_or(ends, |(_, launch)| launch.start);
        let gaps = gaps(&launches, lost);
        let busy_ns = covered(launches.iter().map(|(_, launch)| (launch.start, launch.end())));
        let lost_ns = lost_in(lost, starts, ends);
        GpuRow {
            id: device.id,
            name: device.name.clone(),
            known: gpus.gpu(number).is_some(),
            described: gpus.gpu(number).map_or_else(|| "not described".into(), |gpu| gpu.words.clone()),
            sms: device.sms,
            streams: launches.iter().map(|(_, launch)| launch.stream).collect::<BTreeSet<_>>().into_iter().collect(),
            launches: launches.len(),
            gaps: gaps.len(),
            median_gap_ns: gaps.get(gaps.len() / 2).copied().unwrap_or(0),
            longest_gap_ns: gaps.last().copied().unwrap_or(0),
            // A file that somebody has changed may lose what it has.
            ns: (ends - starts).saturating_sub(lost_ns).max(busy_ns),
            lost_ns,
            busy_ns,
            free_ns: sum(launches.iter().filter_map(free)),
        }
    };
    (0..).zip(&timeline.devices).map(row).collect()
}

/// Nanoseconds of this time of which a file that ends early says nothing.
fn lost_in(lost: &[(u64, u64)], from: u64, to: u64) -> u64 {
    sum(lost.iter().map(|(begin, end)| (*end).min(to).saturating_sub((*begin).max(from))))
}

/// Nanoseconds of each gap between launches in which none runs and that is not lost, in ascending order.
fn gaps(launches: &[(u32, &Launched)], lost: &[(u64, u64)]) -> Vec<u64> {
    let mut end = launches.first().map_or(0, |(_, launch)| launch.start);
    let gap = |(_, launch): &(u32, &Launched)| {
        let gap = launch.start.saturating_sub(end).saturating_sub(lost_in(lost, end, launch.start));
        end = end.max(launch.end());
        (gap > 0).then_some(gap)
    };
    let mut gaps: Vec<u64> = launches.iter().filter_map(gap).collect();
    gaps.sort_unstable();
    gaps
}

fn kernel_rows(timeline: &Timeline, names: &Names, gpus: &Gpus, measured: &Measured) -> Vec<KernelRow> {
    let mut launches: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    timeline.launches.iter().enumerate().for_each(|(at, launch)| launches.entry(launch.kernel).or_default().push(at));
    let row = |(number, launches): (u32, Vec<usize>)| {
        let kernel = &timeline.kernels[number as usize];
        let mut durations: Vec<u64> = launches.iter().map(|at| timeline.launches[*at].duration).collect();
        durations.sort_unstable();
        let device = timeline.launches[launches[0]].device;
        let resident = gpus.on(device, number).map(|on| ResidentRow {
            ctas_per_sm: on.resident.ctas_per_sm,
            limiter: on.resident.limiter.key(),
            waves: (on.resident.places > 0).then(|| on.resident.waves()),
            last_wave: on.resident.last_wave(),
            tail_free: on.resident.tail_free(),
            occupancy: on.resident.occupancy,
            estimated: kernel.estimated_occupancy,
        });
        KernelRow {
            kernel: number,
            name: kernel.name.clone(),
            short: names.short[number as usize].clone(),
            called: names.whole[number as usize].clone(),
            launches: launches.len(),
            ns: sum(durations.iter().copied()),
            median_ns: durations[durations.len() / 2],
            streams: launches.iter().map(|at| timeline.launches[*at].stream).collect::<BTreeSet<_>>().into_iter().collect(),
            shape: kernel.shape,
            resident,
            alone: measured.alone.get(&number).copied(),
        }
    };
    let mut rows: Vec<KernelRow> = launches.into_iter().map(row).collect();
    rows.sort_by_key(|row| (Reverse(row.ns), row.kernel));
    rows.truncate(MOST_KERNELS);
    rows
}

/// Where the second one's CTAs run, under each scheme.
fn places(gpus: &Gpus, pair: &Pair) -> Vec<(Scheme, Place)> {
    let Some((gpu, [room, _])) = gpus.gpu(pair.device).zip(pair.rooms) else { return Vec::new() };
    let Some(second) = gpus.on(pair.device, pair.second) else { return Vec::new() };
    Scheme::ALL.iter().map(|scheme| (*scheme, scheme.place(second, &room, gpu))).collect()
}

/// What two kernels do together, without a full stop.
fn words(names: &Names, pair: &Pair) -> String {
    let [first, second] = [pair.first, pair.second].map(|kernel| &names.whole[kernel as usize]);
    let both = if pair.first == pair.second { format!("{first} on two streams") } else { format!("{first} and {second}") };
    let share = match pair.seen.meetings {
        0 => "never overlap".into(),
        _ => format!("overlap for {} of the shorter one's time", percent(pair.share())),
    };
    let because = match pair.why {
        Why::Meets if pair.share() >= 0.8 => String::new(),
        why => format!(": {}", why.words(pair.rooms.as_ref().map(|rooms| &rooms[0]))),
    };
    format!("{both} {share}{because}")
}

fn pair_row(timeline: &Timeline, names: &Names, gpus: &Gpus, measured: &Measured, pair: &Pair) -> PairRow {
    let name = |kernel: u32| &*timeline.kernels[kernel as usize].name;
    let slowdown =
        |kernel, beside| measured.beside.iter().find(|row| row.kernel == kernel && row.name == name(beside)).and_then(Beside::slowdown);
    let place = |(scheme, place): (Scheme, Place)| PlaceRow {
        scheme: scheme.key(),
        title: scheme.title(),
        place: place.key(),
        words: place.words(),
    };
    PairRow {
        gpu: timeline.devices[pair.device as usize].id,
        first: pair.first,
        second: pair.second,
        possible: pair.possible(),
        meetings: pair.seen.meetings,
        seen_ns: pair.seen.ns,
        share: pair.share(),
        lost_ns: pair.lost,
        places: places(gpus, pair).into_iter().map(place).collect(),
        slowdowns: [slowdown(pair.first, pair.second), slowdown(pair.second, pair.first)],
        words: format!("{}.", words(names, pair)),
        alike: Some(0),
    }
}

/// Lets the first of those pairs stand for the others whose names, reasons and places are alike: shapes of a name, or names of a template.
fn group(timeline: &Timeline, pairs: &[Pair], rows: &mut [PairRow]) {
    let mut first: HashMap<_, usize> = HashMap::new();
    for (at, pair) in pairs.iter().enumerate() {
        let [one, other] = [pair.first, pair.second].map(|kernel| short(&timeline.kernels[kernel as usize].name));
        let places: Vec<&str> = rows[at].places.iter().map(|place| place.place).collect();
        let stands = *first.entry((pair.device, one, other, discriminant(&pair.why), pair.seen.meetings > 0, places)).or_insert(at);
        if stands != at {
            rows[at].alike = None;
            rows[stands].alike = rows[stands].alike.map(|alike| alike + 1);
        }
    }
}

/// How much longer kernels took beside others than alone.
fn slowdowns(rows: &[BesideRow]) -> String {
    let mut all: Vec<f64> = rows.iter().filter_map(|row| row.slowdown).collect();
    all.sort_by(f64::total_cmp);
    let (Some(largest), middle) = (all.last(), all.len() / 2) else {
        return "No kernel was seen three times alone and three times beside others of a name.".into();
    };
    let median = if all.len().is_multiple_of(2) { f64::midpoint(all[middle - 1], all[middle]) } else { all[middle] };
    match all.len() {
        1 => format!("One kernel was measured alone and beside others: it took {largest:.2} times as long."),
        count => format!(
            "{count} kernels were measured alone and beside others: there they took {median:.2} times as long at the median, {largest:.2} times at most."
        ),
    }
}

/// How many pairs overlap, and why the others do not.
fn overview(pairs: &Pairs) -> String {
    let count = |of: &dyn Fn(&Pair) -> bool| pairs.all.iter().filter(|pair| of(pair)).count();
    let never = |of: fn(&Why) -> bool| count(&|pair| pair.seen.meetings == 0 && of(&pair.why));
    let parts = [
        (count(&|pair| pair.seen.meetings > 0), "overlapping"),
        (never(|why| matches!(why, Why::Gap(_))), "apart in time"),
        (never(|why| matches!(why, Why::Fills(_))), "one behind the other, as the first leaves no room"),
        (never(|why| matches!(why, Why::Full(_))), "without room for each other"),
        (never(|why| matches!(why, Why::Short(..))), "too short to meet"),
        (never(|why| matches!(why, Why::Unfit)), "with one that fits no SM"),
    ];
    let some: Vec<String> = parts.iter().filter(|part| part.0 > 0).map(|(count, what)| format!("{what}: {count}")).collect();
    match pairs.all.len() {
        0 => "No two kernels ran on different streams of a GPU.".into(),
        all => format!("{all} pair{} of kernels on different streams; {}.", if all == 1 { "" } else { "s" }, some.join("; ")),
    }
}

/// The largest loss in a sentence, and what would help.
fn loss(timeline: &Timeline, names: &Names, overlaps: &Overlaps, rows: &[GpuRow], pairs: &Pairs, gpus: &Gpus) -> String {
    let Some((number, worst)) = (0..).zip(rows).max_by_key(|(_, row)| (row.ns - row.busy_ns).max(row.free_ns)) else {
        return "No kernel ran.".into();
    };
    let gpu = if rows.len() == 1 { "the GPU".into() } else { format!("GPU {}", worst.id) };
    let idle = worst.ns - worst.busy_ns;
    let read = if timeline.ended.is_some() { " that were read" } else { "" };
    let part = |ns: u64| percent(ns as f64 / worst.ns.max(1) as f64);
    if idle >= worst.free_ns && idle > 0 {
        return format!(
            "For {} of {}{read}, {gpu} runs no kernel: launches come too late to fill it, so a CUDA graph, larger batches or fewer synchronisations win \
             more than any sharing.",
            part(idle),
            time(worst.ns)
        );
    }
    let free = format!("Small grids and last waves leave places free, all together {} of the time of {gpu}", part(worst.free_ns));
    let pair = pairs.all.iter().find(|pair| pair.device == number && pair.possible());
    let chained = overlaps.in_stream.iter().any(|overlap| timeline.launches[overlap.first as usize].device == number);
    if worst.free_ns == 0 {
        return match (&worst.streams[..], pair) {
            ([_], _) if chained => "None is seen.".into(),
            ([stream], _) => format!("None is seen; all launches of {gpu} are on stream {stream}, so that none overlaps another."),
            (_, Some(pair)) => format!("Most could be won where {}; {}.", words(names, pair), pair.why.help(&places(gpus, pair))),
            (_, None) => "None is seen.".into(),
        };
    }
    match (&worst.streams[..], pair) {
        ([stream], _) => {
            let or = if chained { ", or launches that begin before the one before has ended" } else { "" };
            format!("{free}: all its launches are on stream {stream}, and only work on another one could use them{or}.")
        }
        (_, Some(pair)) => {
            let words = words(names, pair);
            format!("{free}; most could be won where {words}; {}.", pair.why.help(&places(gpus, pair)))
        }
        (_, None) => format!("{free}, and no two kernels on different streams leave room to each other."),
    }
}

/// That a file ended early, what is missing, and what to do.
fn ended(ended: &Ended) -> String {
    let Ended { launches, last, lost, broken } = ended;
    let what =
        broken.as_ref().map_or("ends early".into(), |(place, found, want)| format!("is broken at {place} (found {found}, want {want})"));
    let none = |(from, to): &(u64, u64)| format!("{} to {}", time(*from), time(*to));
    let between = match &lost[..] {
        [] => String::new(),
        lost => {
            let some: Vec<String> = lost.iter().take(3).map(none).collect();
            format!(" Nor was anything read of {}{}.", some.join(", "), if lost.len() > 3 { " and other times" } else { "" })
        }
    };
    format!(
        "The file {what}, behind launch {launches}, which starts at {}. What comes after it is missing.{between} All numbers here are of what was read. To have \
         the rest, {COPY}.",
        time(*last)
    )
}

fn notes(
    timeline: &Timeline,
    names: &Names,
    overlaps: &Overlaps,
    gpus: &Gpus,
    measured: &Measured,
    asked: Option<&Described>,
) -> Vec<String> {
    let mut notes = timeline.notes.clone();
    notes.extend(timeline.ended.iter().map(ended));
    notes.extend(gpus.unknown.iter().map(|problem| format!("{problem}.")));
    let mut residents = vec![None; timeline.kernels.len()];
    for launch in &timeline.launches {
        residents[launch.kernel as usize] = gpus.on(launch.device, launch.kernel).map(|on| on.resident);
    }
    let found = estimates(&timeline.kernels, &residents);
    if asked.is_none() && found.compared + found.zero > 0 {
        let differ = found
            .differ
            .iter()
            .take(3)
            .map(|(kernel, theirs, ours)| format!("{}: {theirs} % there, {ours:.0} % here", names.whole[*kernel as usize]));
        let differ = if found.differ.is_empty() { String::new() } else { format!(" ({})", differ.collect::<Vec<_>>().join("; ")) };
        let zero = match found.zero {
            0 => String::new(),
            zero => format!(" It says 0 of {zero} with more than 48 KB of shared memory."),
        };
        notes.push(format!(
            "Occupancy is worked out here. The profiler's estimate is within a point of it for {} of {} kernels{differ}.{zero}",
            found.compared - found.differ.len(),
            found.compared
        ));
    }
    notes.extend(in_stream(timeline, names, overlaps));
    if let Some(until) = overlaps.until {
        notes.push(format!("Too many launches run at once: overlaps are known of the first {until} launches only."));
    }
    if !measured.beside.is_empty() {
        notes.push(CAUTION.into());
    }
    notes
}

/// What is said of launches that overlap others of their stream.
fn in_stream(timeline: &Timeline, names: &Names, overlaps: &Overlaps) -> Vec<String> {
    // How many of a stream's later launches begin and end while a launch runs.
    let mut within: BTreeMap<u32, usize> = BTreeMap::new();
    let mut times: BTreeMap<u32, u64> = BTreeMap::new();
    for Overlap { first, second, ns } in &overlaps.in_stream {
        let longest = times.entry(*second).or_default();
        *longest = (*longest).max(*ns);
        *within.entry(*first).or_default() += usize::from(timeline.launches[*second as usize].duration == *ns);
    }
    let mut times: Vec<u64> = times.into_values().collect();
    times.sort_unstable();
    let launches = |count: usize, verb: &str| if count == 1 { format!("1 launch {verb}s") } else { format!("{count} launches {verb}") };
    let begin = times.get(times.len() / 2).map(|median| {
        format!(
            "{} before one of the same stream has ended, the median by {}: by programmatic dependent launch, as branches of a graph, or by wrong times. They may have \
             waited, and count neither as alone nor as beside another.",
            launches(times.len(), "begin"),
            time(*median)
        )
    });
    let longest = within.into_iter().max_by_key(|(first, count)| (*count, Reverse(*first))).filter(|(_, count)| *count > 1);
    let wrong = longest.map(|(first, count)| {
        let launch = timeline.launches[first as usize];
        format!(
            "One of {} is said to take {}, in which {count} later launches of its stream begin and end: the duration is wrong, unless they are branches of \
             a graph.",
            names.whole[launch.kernel as usize],
            time(launch.duration)
        )
    });
    begin.into_iter().chain(wrong).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::Kernel;

    /// Kernels of CTAs, threads, registers on an A100, and launches of kernel, stream, start, duration in microseconds.
    fn timeline(shapes: &[(u32, u32, u32)], launches: &[(u32, u64, u64, u64)]) -> Timeline {
        let shape = |(number, &(ctas, threads, registers)): (usize, &(u32, u32, u32))| Kernel {
            name: format!("void kernel_number_{number}<float>(int)"),
            shape: Some(Shape { grid: [ctas, 1, 1], block: [threads, 1, 1], registers, shared_bytes: 0 }),
            estimated_occupancy: None,
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
            devices: vec![Device { id: 3, name: "NVIDIA A100".into(), sms: Some(108), capability: Some((8, 0)) }],
            kernels: shapes.iter().enumerate().map(shape).collect(),
            launches: launches.iter().map(launch).collect(),
            notes: vec!["2 copies are left out".into()],
            ended: None,
        }
    }

    /// Two kernels on one stream, then with a gap between them, then one behind the other on two streams.
    #[test]
    fn the_largest_loss_is_said_with_what_would_help() {
        let shapes = &[(218, 512, 64), (432, 512, 64)];
        let loss = |launches: &[(u32, u64, u64, u64)]| report(&timeline(shapes, launches), None).loss;
        assert_eq!(
            loss(&[(0, 7, 0, 100), (1, 7, 100, 100)]),
            "Small grids and last waves leave places free, all together 25 % of the time of the GPU: all its launches are on stream 7, and only work on \
             another one could use them.",
            "of two waves the second has 2 of 216 places"
        );
        assert_eq!(
            loss(&[(0, 7, 0, 100), (1, 8, 400, 100)]),
            "For 60 % of 500 µs, the GPU runs no kernel: launches come too late to fill it, so a CUDA graph, larger batches or fewer synchronisations win \
             more than any sharing."
        );
        let found = loss(&[(0, 7, 0, 100), (1, 8, 97, 100)]);
        let [before, after] = [
            "most could be won where kernel_number_0 (218 CTAs) and kernel_number_1 (432 CTAs) overlap for 3 % of the shorter one's time: \
             the first holds all registers until its last wave; ",
            "MPS percentages or green contexts give the second SMs from the start; a higher priority \
             of its stream lets it in with each CTA that ends.",
        ];
        assert!(found.starts_with("Small grids") && found.ends_with(&format!("{before}{after}")), "{found}");
        assert_eq!(
            loss(&[(1, 7, 0, 100), (1, 7, 100, 100)]),
            "None is seen; all launches of the GPU are on stream 7, so that none overlaps another.",
            "two whole waves, without a gap"
        );
        assert_eq!(report(&timeline(&[], &[]), None).overview, "No two kernels ran on different streams of a GPU.");
    }

    /// By programmatic dependent launch the next kernel of a stream begins before the one before has ended.
    #[test]
    fn launches_of_one_stream_that_overlap_are_said() {
        let said = |shapes, launches: &[(u32, u64, u64, u64)]| {
            let Report { loss, notes, kernels, .. } = report(&timeline(shapes, launches), None);
            (loss, notes, kernels.iter().filter(|kernel| kernel.alone.is_some()).count())
        };
        let free = &[(218, 512, 64), (432, 512, 64)];
        let each = |from: u64, by: u64| (0..3).flat_map(move |i| [(0, 7, i * 100, 50), (1, 7, i * 100 + from, by)]).collect::<Vec<_>>();
        let (loss, notes, alone) = said(free, &each(48, 52));
        assert!(
            loss.ends_with("only work on another one could use them, or launches that begin before the one before has ended."),
            "{loss}"
        );
        assert_eq!(
            notes[1..],
            [
                "3 launches begin before one of the same stream has ended, the median by 2.00 µs: by programmatic dependent launch, as branches of a graph, or by wrong \
              times. They may have waited, and count neither as alone nor as beside another."
            ]
        );
        assert_eq!(alone, 2, "2 of 50 and of 52 µs are less than 5 %");
        assert_eq!(said(free, &each(40, 60)).2, 0, "10 of 50 µs are not");
        assert_eq!(said(&free[1..], &[(0, 7, 0, 100), (0, 7, 90, 110)]).0, "None is seen.");
        let (_, notes, _) = said(free, &[(0, 7, 0, 500), (1, 7, 100, 50), (1, 7, 200, 50), (1, 7, 480, 50)]);
        assert_eq!(
            notes[2..],
            [
                "One of kernel_number_0 (218 CTAs) is said to take 500 µs, in which 2 later launches of its stream begin and end: the duration is wrong, unless \
              they are branches of a graph."
            ]
        );
    }

    #[test]
    fn a_pair_says_what_fits_under_each_scheme() {
        let found = report(&timeline(&[(218, 512, 64), (432, 512, 64)], &[(0, 7, 0, 100), (1, 8, 97, 100)]), None);
        let places: Vec<_> = found.pairs[0].places.iter().map(|place| (place.scheme, place.place, &*place.words)).collect();
        assert_eq!(
            places,
            [
                ("streams", "tail", "214 CTAs in its last wave"),
                ("priority", "as_ctas_end", "with each CTA that ends"),
                ("mps_25", "own", "54 CTAs on 27 SMs"),
                ("mps_50", "own", "108 CTAs on 54 SMs"),
                ("mps_75", "own", "162 CTAs on 81 SMs"),
                ("mig", "own", "84 CTAs on 42 SMs"),
                ("green_contexts", "own", "108 CTAs on 54 SMs"),
            ]
        );
        assert_eq!(found.overview, "1 pair of kernels on different streams; overlapping: 1.");
        assert_eq!((found.gpus[0].id, &*found.gpus[0].described, found.gpus[0].busy_ns), (3, "a100-40gb", 197_000));
        assert_eq!(found.notes, ["2 copies are left out"]);
        assert_eq!(found.slowdowns, "No kernel was seen three times alone and three times beside others of a name.");
        let json = serde_json::to_value(&found).expect("numbers, texts, lists");
        assert_eq!(json["pairs"][0]["places"][3]["words"], "108 CTAs on 54 SMs");
    }

    /// Two kernels of one name, whose shapes differ in nothing that matters beside another one, are one row; the third leaves room.
    #[test]
    fn pairs_that_are_alike_are_one() {
        let shapes = &[(432, 512, 56), (434, 512, 64), (436, 512, 64), (9, 512, 16)];
        let mut alike = timeline(shapes, &[(0, 7, 0, 100), (1, 8, 400, 100), (2, 8, 800, 90), (3, 8, 1200, 80)]);
        let of = |timeline: &Timeline| report(timeline, None).pairs.iter().map(|pair| (pair.second, pair.alike)).collect::<Vec<_>>();
        assert_eq!(of(&alike), [(1, Some(0)), (2, Some(0)), (3, Some(0))], "names differ");
        alike.kernels.iter_mut().skip(1).for_each(|kernel| kernel.name = "void kernel<float>(int)".into());
        assert_eq!(of(&alike), [(1, Some(1)), (2, None), (3, Some(0))], "one leaves no room, the other one does");
    }

    /// 264 CTAs, two an SM, are one wave of an H200's 132 SMs.
    #[test]
    fn another_gpu_can_be_asked_for() {
        let of = |gpu| {
            let asked = Described::preset(gpu).expect(gpu);
            let found = report(&timeline(&[(264, 512, 64)], &[(0, 7, 0, 100)]), Some(&asked));
            (found.gpus[0].described.clone(), found.kernels[0].resident.clone().and_then(|resident| resident.waves))
        };
        assert_eq!(of("h200"), ("h200-sxm, as asked for".into(), Some(1.0)));
        assert_eq!(of("a100"), ("a100-40gb, as asked for".into(), Some(264.0 / 216.0)));
    }

    /// AMD's timelines have times alone: what ran at once is said all the same.
    #[test]
    fn without_shapes_times_are_left() {
        let mut bare = timeline(&[(1, 32, 8), (1, 32, 8)], &[(0, 1, 0, 100), (1, 2, 10, 50), (0, 1, 200, 10), (1, 2, 400, 10)]);
        bare.devices[0] = Device { id: 0, name: "AMD Instinct MI250X".into(), sms: Some(104), capability: Some((9, 0)) };
        bare.kernels.iter_mut().for_each(|kernel| kernel.shape = None);
        let found = report(&bare, None);
        assert_eq!((found.gpus[0].known, &found.kernels[0].resident, found.pairs[0].places.len()), (false, &None, 0));
        assert_eq!((found.pairs[0].meetings, found.pairs[0].seen_ns), (1, 50_000));
        assert!(found.notes[1].contains("--gpu PRESET"), "{:?}", found.notes);
    }

    #[test]
    fn times_of_centuries_are_added_too() {
        let mut long = timeline(&[(218, 512, 64), (432, 512, 64)], &[(0, 7, 0, 1), (0, 8, 0, 1), (0, 9, 0, 1), (1, 1, 1, 1)]);
        long.launches.iter_mut().for_each(|launch| launch.duration = 1 << 63);
        let found = report(&long, None);
        assert_eq!((found.kernels[0].ns, found.pairs.len(), found.gpus[0].busy_ns), (u64::MAX, 2, (1 << 63) + 1000));
    }

    #[test]
    fn times_and_parts_have_units() {
        assert_eq!([999, 1500, 23_456, 661_000_000, 12_840_000_000].map(time), ["999 ns", "1.50 µs", "23.5 µs", "661 ms", "12.8 s"]);
        assert_eq!([0.0, 0.001, 0.034, 0.999, 1.0].map(percent), ["0 %", "less than 1 %", "3 %", "more than 99 %", "100 %"]);
    }
}
