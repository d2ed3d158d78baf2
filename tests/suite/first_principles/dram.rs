//! One DRAM channel alone, with the probe's timings: T 4, tCL 12, WL 4, tRP 12, tRC 40, tRAS 28, tRCD 12, tRRD 6, tCCD 2, tWR 12, tWTR 5,
//! tRTP 2. It has 16 banks of 32 lines a row, and a queue of 128 entries. Where the bandwidth is exact the tolerance is a few lines at the
//! edges of the window.

use super::components::geo_d_1;
use super::{figure, near};
use sim_core::describe::gpu::{DramMap, PagePolicy};
use sim_core::describe::value::Value;
use sim_core::study::probe::{self, DramProbe, DramStream};

/// Of the peak: four lines of 4 clocks in 90,000.
const EDGES: f64 = 4.0 * 4.0 / 90_000.0;

/// The banks' rows follow each other every so many lines, under the map row:bank:column.
const ROW: u32 = 32;
const ROW_OF_ALL_BANKS: u32 = 16 * ROW;

fn run(probe: &DramProbe) -> Value {
    probe::dram(probe).unwrap_or_else(|problems| panic!("{problems}"))
}

fn bandwidth(probe: &DramProbe) -> f64 {
    figure(&run(probe), "bandwidth")
}

/// The probe's channel with these timings changed.
fn with(timings: &[(&str, u32)]) -> DramProbe {
    let mut probe = DramProbe::default();
    for &(name, clocks) in timings {
        assert!(probe.set(name, clocks), "{name}");
    }
    probe
}

/// Every access `stride` lines further; after 4096 of them again from the start, a line on.
fn strided(probe: DramProbe, stride: u32) -> DramProbe {
    DramProbe { stream: DramStream::Streams, streams: 4096, stream_stride: stride, cycles: 100_000, ..probe }
}

/// Sequential reads: the next row is opened while the last one is read, so the data bus never rests; the first line of 32 misses.
#[test]
fn a_sequential_stream_fills_the_bus() {
    let got = run(&DramProbe::default());
    assert!(figure(&got, "bandwidth") >= 0.995, "{got}");
    near("row hits", figure(&got, "row_hit_rate"), 31.0 / 32.0, 1e-4);
}

/// An unloaded read takes tCL + T = 16 clocks in an open row, tRCD more = 28 in a closed bank, tRP more = 40 behind another row.
#[test]
fn an_unloaded_read_takes_16_28_or_40_clocks() {
    // Hardly loaded: 31 of 32 lines of a stream hit, and the first of each row finds another one open.
    let light = DramProbe { load: 0.0004, cycles: 20_000_000, ..DramProbe::default() };
    near("stream", figure(&run(&light), "latency_mean"), (31.0 * 16.0 + 40.0) / 32.0, 0.3);
    // Two streams whose rows lie in one bank: always a conflict.
    let conflicts = DramProbe { stream: DramStream::Streams, streams: 2, ..light };
    near("conflicts", figure(&run(&conflicts), "latency_mean"), 40.0, 0.1);
}

/// Page policy, unloaded. Random rows: open pages always conflict (40 clocks), closed ones are closed already (28). A stream: open pages
/// hit, closed pages are closed behind each line (28), so that open wins when more than (40 − 28) / (40 − 16) = half of the lines hit.
#[test]
fn closed_pages_suit_random_rows_and_open_pages_streams() {
    let light = |stream, page| {
        let mut probe = DramProbe { stream, load: 0.0004, cycles: 20_000_000, ..DramProbe::default() };
        probe.config.page = page;
        figure(&run(&probe), "latency_mean")
    };
    near("random, open", light(DramStream::Random, PagePolicy::Open), 40.0, 0.3);
    near("random, closed", light(DramStream::Random, PagePolicy::Closed), 28.0, 0.3);
    near("stream, open", light(DramStream::Sequential, PagePolicy::Open), 16.75, 0.3);
    near("stream, closed", light(DramStream::Sequential, PagePolicy::Closed), 28.0, 0.3);
}

/// A closed page stays open while the queue holds another line of its row, so a saturated stream loses nothing.
#[test]
fn a_saturated_stream_is_as_fast_with_closed_pages() {
    let mut probe = DramProbe::default();
    probe.config.page = PagePolicy::Closed;
    assert!(bandwidth(&probe) >= 0.995);
}

/// One bank, every access another row. Reads: a line every tRC. Writes: a line every tRCD + WL + T + tWR + tRP = 44 clocks, more than tRC.
#[test]
fn one_bank_gives_a_line_a_row_cycle() {
    let reads = strided(DramProbe::default(), ROW_OF_ALL_BANKS);
    near("reads", bandwidth(&reads), 4.0 / 40.0, EDGES);
    let writes = DramProbe { write_fraction: 1.0, ..reads };
    near("writes", bandwidth(&writes), 4.0 / 44.0, EDGES);
    // Whichever is longest of tRC, tRAS + tRP, and tRCD + tRTP + tRP.
    for (timings, clocks) in [
        ([("tRC", 50), ("tRAS", 28), ("tRTP", 2)], 50.0),
        ([("tRC", 0), ("tRAS", 60), ("tRTP", 2)], 72.0),
        ([("tRC", 40), ("tRAS", 28), ("tRTP", 30)], 54.0),
        ([("tRC", 0), ("tRAS", 0), ("tRTP", 2)], 26.0),
    ] {
        near(&format!("{timings:?}"), bandwidth(&strided(with(&timings), ROW_OF_ALL_BANKS)), 4.0 / clocks, EDGES);
    }
}

/// Every access another row, the banks in turn: an activate every tRRD, or four in every tFAW if that is longer than 4 tRRD. A line each.
#[test]
fn activates_are_bounded_by_trrd_and_tfaw() {
    for (rrd, faw, clocks) in [(5, 0, 5.0), (7, 0, 7.0), (10, 0, 10.0), (7, 28, 7.0), (7, 29, 29.0 / 4.0), (7, 40, 10.0), (7, 80, 20.0)] {
        let probe = strided(with(&[("tRRD", rrd), ("tFAW", faw)]), ROW);
        near(&format!("tRRD {rrd}, tFAW {faw}"), bandwidth(&probe), 4.0 / clocks, EDGES);
    }
}

/// The command bus is shared and column commands go first: where tRCD is a multiple of tRRD each read meets a later activate on it, and every
/// other activate is a clock late.
#[test]
fn reads_and_activates_meet_on_the_command_bus() {
    near("tRRD 6, tRCD 12", bandwidth(&strided(DramProbe::default(), ROW)), 4.0 / 6.5, EDGES);
}

/// Column commands are tCCD apart: where that is longer than a line on the bus, it bounds a stream.
#[test]
fn column_commands_are_bounded_by_tccd() {
    for (ccd, want) in [(4, 1.0), (8, 0.5), (10, 0.4)] {
        near(&format!("tCCD {ccd}"), bandwidth(&with(&[("tCCD", ccd), ("columns", 65_536)])), want, EDGES);
    }
}

/// Read and write in turn, in one open row: read to write tCL + T + tRTW − WL, write to read WL + T + tWTR, so two lines in
/// tCL + 2 T + tRTW + tWTR clocks.
#[test]
fn a_turn_of_the_bus_costs_what_the_timings_say() {
    for (wtr, rtw, clocks) in [(0, 0, 20.0), (5, 0, 25.0), (12, 0, 32.0), (5, 2, 27.0), (5, 9, 34.0)] {
        let mut probe = DramProbe { alternate_writes: true, ..with(&[("tWTR", wtr), ("columns", 65_536)]) };
        probe.config.timing.tRTW = rtw;
        probe.config.queue = 1;
        near(&format!("tWTR {wtr}, tRTW {rtw}"), bandwidth(&probe), 8.0 / clocks, EDGES);
    }
}

/// A long queue turns the bus seldom. Writes are drained from a half of 128 entries to a quarter while half of what comes in are writes.
/// So a batch is 64 lines, and so is that of reads between. A pair of turns rests the data bus for tCL + tWTR clocks.
#[test]
fn writes_in_batches_cost_few_turns() {
    let probe = DramProbe { alternate_writes: true, ..with(&[("columns", 65_536)]) };
    let lines = 2.0 * 64.0 * 4.0;
    near("half writes", bandwidth(&probe), lines / (lines + 12.0 + 5.0), 0.002);
}

/// All-bank refresh every tREFI: the last row is precharged (up to tRTP + T after its last read), tRP, tRFC, and tRCD until the next read. The
/// rest of the time the stream fills the bus.
#[test]
fn refresh_takes_its_share() {
    for (refi, rfc) in [(3604, 60), (1802, 60), (3604, 200)] {
        let got = bandwidth(&with(&[("tREFI", refi), ("tRFC", rfc)]));
        let lost = (1.0 - got) * f64::from(refi);
        let least = f64::from(12 + rfc + 12 - 4);
        assert!(
            lost >= least && lost <= least + 2.0 * 4.0 + 2.0,
            "{refi}/{rfc}: {lost} clocks lost a refresh, want {least} or little more"
        );
    }
    let mut probe = DramProbe::default();
    probe.refresh();
    near("3604/60", bandwidth(&probe), 0.973, 0.005);
}

/// Address maps under strides that are powers of two, reads. Each map has its worst stride, at which all rows lie in one bank (T / tRC), and that
/// stride is harmless under another: the hash spreads it over the banks (T / tRRD).
#[test]
fn each_map_has_its_own_conflicts() {
    use DramMap::{HashedBank, RowBankColumn, RowColumnBank};
    let (conflict, spread) = (4.0 / 40.0, 4.0 / 7.0);
    // 16 lines of one row, then its bank's next row: 15 T to the last read, then tRTP + tRP + tRCD.
    let bank_by_bank = 16.0 * 4.0 / (15.0 * 4.0 + 2.0 + 12.0 + 12.0);
    for (map, stride, want) in [
        (RowBankColumn, ROW_OF_ALL_BANKS, conflict),
        (RowColumnBank, ROW_OF_ALL_BANKS, conflict),
        (HashedBank, ROW_OF_ALL_BANKS, spread),
        (RowBankColumn, ROW, spread),
        (RowColumnBank, ROW, bank_by_bank),
        (HashedBank, ROW, spread),
    ] {
        let mut probe = strided(with(&[("tRRD", 7)]), stride);
        probe.config.map = map;
        // Fewer than 4096 lines; a period of up to 86 clocks is cut at each edge.
        probe.cycles = 20_000;
        // Under the hash a bank comes again too soon once in 256 rows, where its bits carry: a row cycle of so many is lost.
        let lost = if map == HashedBank { 40.0 / (256.0 * 7.0) * want } else { 0.0 };
        near(&format!("{map:?}, every {stride} lines"), bandwidth(&probe), want, 26.0 / 18_000.0 + lost);
    }
    // None of them hurts a stream.
    for map in [RowBankColumn, RowColumnBank, HashedBank] {
        let mut probe = DramProbe::default();
        probe.config.map = map;
        assert!(bandwidth(&probe) >= 0.99, "{map:?}");
    }
}

/// Reads of one open row arrive at random: a queue with one server, the data bus, of T clocks a line behind the fixed tCL + T.
#[test]
fn an_open_row_under_load_is_a_queue_with_one_server() {
    for load in [0.1, 0.3, 0.5, 0.7, 0.8] {
        let probe = DramProbe { load, cycles: 1_000_000, ..with(&[("columns", 65_536), ("banks", 1)]) };
        let want = 16.0 + geo_d_1(load, 4.0);
        let got = run(&probe);
        near(&format!("load {load}"), figure(&got, "latency_mean"), want, 0.02 * want);
        near("the lab's line", figure(got.get("theory").unwrap(), "read_latency_mean"), want, 0.01);
    }
}

/// Reads at half the load beside as many writes: the bus turns for batches of writes, so a read waits less than twice as long as among reads alone
/// at the same load. A sequential stream of reads hardly waits at all, so that a batch of writes weighs more on it.
#[test]
fn writes_beside_reads_do_not_double_their_latency() {
    for stream in [DramStream::Random, DramStream::Sequential, DramStream::Streams] {
        let latency = |write_fraction| {
            let probe = DramProbe { stream, write_fraction, load: 0.5, cycles: 1_000_000, ..DramProbe::default() };
            figure(&run(&probe), "read_latency_mean")
        };
        let (alone, beside) = (latency(0.0), latency(0.5));
        assert!(beside < 2.0 * alone, "{stream:?}: {beside} beside writes, {alone} alone");
    }
}

/// A drain has a lower and an upper watermark also when it begins for want of reads: a load that leaves the bus free now and then does not
/// make it turn for every read. The ratios to reads alone are those of an independent model of this channel with these watermarks: a loop
/// that looks at every request in every clock, written from the data sheet's rules. Sequential: 1.32, 1.53 and 2.02 at loads .5, .7 and
/// .9. Four streams: 1.27, 1.33 and 1.44.
#[test]
fn reads_beside_writes_wait_as_long_as_in_an_independent_model() {
    let latency = |stream, load, write_fraction| {
        let probe = DramProbe { stream, write_fraction, load, cycles: 1_000_000, ..DramProbe::default() };
        figure(&run(&probe), "read_latency_mean")
    };
    for (stream, want) in [(DramStream::Sequential, [1.32, 1.53, 2.02]), (DramStream::Streams, [1.27, 1.33, 1.44])] {
        for (load, want) in [0.5, 0.7, 0.9].into_iter().zip(want) {
            let got = latency(stream, load, 0.5) / latency(stream, load, 0.0);
            near(&format!("{stream:?} at load {load}"), got, want, 0.1 * want);
        }
    }
}

/// Reads and writes are reported apart: their means, weighted by their shares, are the mean of all.
#[test]
fn latencies_of_reads_and_writes_make_up_the_whole() {
    let got = run(&DramProbe { stream: DramStream::Random, write_fraction: 0.25, load: 0.3, cycles: 1_000_000, ..DramProbe::default() });
    let [all, reads, writes] = ["latency_mean", "read_latency_mean", "write_latency_mean"].map(|key| figure(&got, key));
    near("mean", 0.75 * reads + 0.25 * writes, all, 0.01 * all);
    assert!(writes > 2.0 * reads, "writes wait for their batch: {got}");
    for kind in ["read", "write"] {
        assert!(figure(&got, &format!("{kind}_latency_p99")) > figure(&got, &format!("{kind}_latency_mean")));
    }
    let idle = run(&DramProbe { load: 0.1, ..DramProbe::default() });
    assert_eq!(idle.get("write_latency_mean"), Some(&Value::Null), "no data is not 0: {idle}");
}
