//! Numbers that the crossbar, the DRAM channel and the tag array must give by themselves: from queueing theory, from the protocol's
//! timings, and from exact counting. Nothing in the machine is tuned to them.

use sim_core::gpu::{Arbiter, presets};
use sim_core::probe::{self, CachePattern, CacheProbe, DramProbe, DramStream, NocProbe};
use sim_core::value::Value;

fn figure(result: &Value, key: &str) -> f64 {
    result.get(key).and_then(Value::as_f64).unwrap_or_else(|| panic!("no {key} in {result}"))
}

fn near(what: &str, got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "{what}: {got}, want {want} ± {tolerance}");
}

#[test]
fn crossbar_saturation() {
    for (ports, want) in [(1, 1.0), (2, 0.75), (3, 0.6825), (4, 0.6552), (8, 0.6184), (16, 0.6017)] {
        for arbiter in [Arbiter::RoundRobin, Arbiter::Random, Arbiter::Oldest] {
            for flits in [1, 5] {
                let probe = NocProbe { inputs: ports, outputs: ports, flits, arbiter, ..NocProbe::default() };
                let got = figure(&probe::noc(&probe).unwrap(), "throughput");
                near(&format!("{ports} × {ports}, {arbiter:?}, {flits} flits"), got, want, 0.003);
            }
        }
    }
}

#[test]
fn crossbar_zero_load_latency() {
    for flits in 1..=5 {
        // One input, hardly used, so that packets hardly ever meet.
        let probe = NocProbe { inputs: 1, flits, load: 1e-4, cycles: 1_000_000, ..NocProbe::default() };
        near("latency", figure(&probe::noc(&probe).unwrap(), "latency_mean"), f64::from(flits), 0.01);
    }
}

#[test]
fn crossbar_latency_under_load() {
    for (load, want) in [(0.1, 1.06), (0.3, 1.31), (0.5, 2.73)] {
        let probe = NocProbe { flits: 1, load, ..NocProbe::default() };
        near(&format!("load {load}"), figure(&probe::noc(&probe).unwrap(), "latency_mean"), want, 0.02 * want);
    }
}

#[test]
fn dram_sequential_reads() {
    let got = probe::dram(&DramProbe::default()).unwrap();
    assert!(figure(&got, "bandwidth") >= 0.995, "{got}");
    near("row hits", figure(&got, "row_hit_rate"), 31.0 / 32.0, 1e-4);
}

#[test]
fn dram_unloaded_latency() {
    // Sequential and hardly loaded: 31 of 32 lines hit (16 clocks); the first of each row finds its bank closed on the first way through the
    // banks (28) and another row open from then on (40).
    let light = DramProbe { load: 0.0004, cycles: 20_000_000, ..DramProbe::default() };
    near("hits", figure(&probe::dram(&light).unwrap(), "latency_mean"), (31.0 * 16.0 + 40.0) / 32.0, 0.3);
    // Two streams whose rows lie in one bank: always a conflict.
    let conflicts = DramProbe { stream: DramStream::Streams, streams: 2, ..light };
    near("conflicts", figure(&probe::dram(&conflicts).unwrap(), "latency_mean"), 40.0, 0.1);
}

#[test]
fn dram_one_bank_another_row_each_time() {
    let mut probe = DramProbe { stream: DramStream::Streams, streams: 4096, stream_stride: 512, ..DramProbe::default() };
    probe.cycles = 100_000;
    let got = probe::dram(&probe).unwrap();
    near("bandwidth", figure(&got, "bandwidth"), 4.0 / 40.0, 0.02 * 0.1);
}

#[test]
fn dram_refresh() {
    let mut probe = DramProbe::default();
    probe.refresh();
    near("bandwidth", figure(&probe::dram(&probe).unwrap(), "bandwidth"), 0.973, 0.005);
}

#[test]
fn dram_writes_in_batches_cost_few_turnarounds() {
    let mixed = figure(&probe::dram(&DramProbe { alternate_writes: true, ..DramProbe::default() }).unwrap(), "bandwidth");
    let mut queueless = DramProbe { alternate_writes: true, ..DramProbe::default() };
    queueless.config.queue = 1;
    let alternating = figure(&probe::dram(&queueless).unwrap(), "bandwidth");
    // Read and write in turn: two lines in (tCL + T - WL) + (WL + T + tWTR) = 25 clocks.
    assert!(alternating <= 8.0 / 25.0 + 0.005, "{alternating}");
    assert!(mixed > 0.8, "{mixed}");
}

#[test]
fn cache_patterns() {
    use CachePattern::{Cyclic, Random, Zigzag};
    for (pattern, wants, tolerance) in
        [(Cyclic, [0.0, 0.0, 1.0, 1.0], 0.0), (Zigzag, [0.0, 0.0, 0.2, 0.5], 0.0), (Random, [0.0, 0.0, 0.2, 0.5], 0.01)]
    {
        for (lines, want) in [0.5, 1.0, 1.25, 2.0].into_iter().zip(wants) {
            let got = probe::cache(&CacheProbe { pattern, lines, ..CacheProbe::default() }).unwrap();
            near(&format!("{pattern:?}, {lines} × capacity"), figure(&got, "miss_rate_steady"), want, tolerance);
        }
    }
}

#[test]
fn cache_sweeps_miss_exactly() {
    for (lines, want) in [(96, 96), (192, 192), (193, 274), (200, 848), (216, 2160), (240, 2400), (384, 3840)] {
        let got = probe::cache(&CacheProbe { lines: f64::from(lines), ..CacheProbe::default() }).unwrap();
        near(&format!("{lines} lines"), figure(&got, "misses"), f64::from(want), 0.0);
    }
}

#[test]
fn unloaded_latency_of_the_preset() {
    // The SM's part, from the L1D miss to the port and back, is not in these.
    let (hit, miss) = probe::unloaded_latency(&presets::find("ccbp-16sm").unwrap());
    near("L2", hit, 200.0, 0.02 * 200.0);
    near("DRAM", miss, 380.0, 0.02 * 380.0);
}
