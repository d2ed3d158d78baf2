//! What shapes say of two programs that a profiler has seen, and what their co-runs have measured.

use corun_timelines::beside::Holds;
use corun_timelines::measured::Measured;
use corun_timelines::overlap::Overlaps;
use corun_timelines::pairs::{Gpus, Pair, Pairs, Why};
use corun_timelines::read;
use corun_timelines::report::report;
use corun_timelines::residency::{Described, Resident, estimates};
use corun_timelines::timeline::Timeline;
use sim_core::describe::gpu::occupancy::Limiter;
use std::fs::File;

fn timeline(name: &str) -> Timeline {
    let path = format!("{}/tests/data/{name}.json.gz", env!("CARGO_MANIFEST_DIR"));
    read::timeline(File::open(&path).expect(&path), name).expect(name)
}

const BOTH: [&str; 2] = ["kineto_alexnet_a100", "kineto_ddp_a100"];

fn residents(timeline: &Timeline) -> Vec<Option<Resident>> {
    let gpu = Described::device(&timeline.devices[0]).unwrap();
    timeline.kernels.iter().map(|kernel| Some(Resident::of(&kernel.shape?, &gpu))).collect()
}

/// Where Kineto's estimate means something, ours is within a point of it on every kernel; above 48 KB it says 0 of all.
#[test]
fn occupancy_is_what_the_profiler_estimates_where_it_can() {
    let found = BOTH.map(|name| {
        let timeline = timeline(name);
        let found = estimates(&timeline.kernels, &residents(&timeline));
        (found.compared, found.differ, found.zero)
    });
    assert_eq!(found, [(31, vec![], 2), (144, vec![], 50)]);
}

/// Of 21 collectives on a stream of their own, all-reduces alone overlap what runs beside them.
#[test]
fn kernels_beside_an_all_reduce_take_what_the_timeline_says() {
    let timeline = timeline("kineto_ddp_a100");
    let measured = Measured::of(&timeline, &Overlaps::of(&timeline));
    let both: Vec<_> = measured.beside.iter().filter(|row| row.name.contains("AllReduce") && row.alone.is_some()).collect();
    let mut slowdowns: Vec<f64> = both.iter().filter_map(|row| row.slowdown()).collect();
    slowdowns.sort_by(f64::total_cmp);
    let median = (slowdowns[15] + slowdowns[16]) / 2.0;
    assert_eq!((slowdowns.len(), format!("{median:.2}"), format!("{:.2}", slowdowns[31])), (32, "1.04".into(), "2.00".into()));
    assert!(measured.beside.iter().all(|row| row.name.contains("AllReduce")));
}

/// Who overlaps another for more than half of the shorter one has room beside it; who could overlap another and never does has a reason.
#[test]
fn what_overlaps_has_room_and_what_does_not_has_a_reason() {
    for (name, pairs, overlapping) in [("kineto_alexnet_a100", 90, 1), ("kineto_ddp_a100", 573, 48)] {
        let timeline = timeline(name);
        let found = pairs_of(&timeline);
        let met: Vec<_> = found.all.iter().filter(|pair| pair.seen.most > 0.5).collect();
        assert_eq!((found.all.len(), found.left_out, met.len()), (pairs, 0, overlapping), "{name}");
        assert!(met.iter().all(|pair| pair.rooms.is_some() && pair.possible()), "{name}: {met:?}");
        for pair in found.all.iter().filter(|pair| pair.seen.meetings == 0 && pair.possible()) {
            let apart = distance(&timeline, pair);
            let holds = match pair.why {
                Why::Gap(ns) | Why::Short(ns, _) => ns == apart,
                Why::Fills(_) => apart <= 5_000 && pair.rooms.is_some_and(|[room, _]| room.full == 0 && (room.fills || room.tail == 0)),
                _ => false,
            };
            assert!(holds, "{name}: {apart} ns apart, {pair:?}");
        }
    }
}

/// The least distance of launches of both kernels on different streams, by looking at all of them.
fn distance(timeline: &Timeline, pair: &Pair) -> u64 {
    let of = |kernel| timeline.launches.iter().filter(move |launch| launch.kernel == kernel);
    let all = of(pair.first).flat_map(|one| of(pair.second).map(move |other| (one, other)));
    let apart = all.filter(|(one, other)| one.stream != other.stream);
    apart.map(|(one, other)| one.start.max(other.start) - one.end().min(other.end())).min().expect("they ran on different streams")
}

fn pairs_of(timeline: &Timeline) -> Pairs {
    Pairs::of(timeline, &Overlaps::of(timeline), &Gpus::of(timeline, None))
}

/// Two Fourier transforms of a convolution, each half an SM a CTA: the second begins when the first has places left, 3.6 waves in all.
#[test]
fn a_transform_begins_in_the_last_wave_of_another() {
    let found = pairs_of(&timeline("kineto_alexnet_a100"));
    let [pair] = found.all.iter().filter(|pair| pair.seen.meetings > 0).collect::<Vec<_>>()[..] else { panic!("{found:?}") };
    assert_eq!((pair.seen.meetings, pair.why), (2, Why::Fills(Holds::Part(Limiter::Registers, 100.0))));
    let [room, _] = pair.rooms.expect("both have shapes");
    assert_eq!((room.fills, room.full, room.tail, room.leave), (true, 0, 96, Some(1)));
}

/// What a newcomer reads first of each file.
#[test]
fn a_report_says_it_in_a_few_sentences() {
    let [alexnet, ddp] = BOTH.map(|name| report(&timeline(name), None));
    assert_eq!(
        [&*ddp.overview, &*ddp.slowdowns, &*ddp.loss],
        [
            "573 pairs of kernels on different streams; overlapping: 49; apart in time: 523; one behind the other, as the first leaves no room: 1.",
            "32 kernels were measured alone and beside others: there they took 1.04 times as long at the median, 2.00 times at most.",
            "For 77 % of 661 ms, the GPU runs no kernel: launches come too late to fill it, so a CUDA graph, larger batches or fewer synchronisations \
             win more than any sharing.",
        ]
    );
    let met = alexnet.pairs.iter().find(|pair| pair.meetings > 0).expect("a pair that met");
    assert_eq!(
        met.words,
        "fft2d_r2c_32x32 (768 CTAs) and fft2d_r2c_32x32 (512 CTAs) overlap for 48 % of the shorter one's time: the first holds all registers until its \
         last wave."
    );
}
