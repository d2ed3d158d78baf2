//! The crossbar and the tag array alone: from queueing theory and from exact counting.

use super::{figure, near};
use sim_core::describe::gpu::Arbiter;
use sim_core::study::probe::{self, CachePattern, CacheProbe, NocProbe};

/// FIFO inputs, uniform destinations, a packet holds its output: head-of-line blocking leaves this of a port, whatever the arbiter and the
/// packets' length (Karol, Hluchyj and Morgan, IEEE Trans. Comm. 1987, Table I; 16 × 16 by exact Markov chain and simulation).
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

/// A packet of L flits through an idle crossbar without a pipeline takes L cycles.
#[test]
fn crossbar_zero_load_latency() {
    for flits in 1..=5 {
        // One input, hardly used, so that packets hardly ever meet.
        let probe = NocProbe { inputs: 1, flits, load: 1e-4, cycles: 1_000_000, ..NocProbe::default() };
        near("latency", figure(&probe::noc(&probe).unwrap(), "latency_mean"), f64::from(flits), 0.01);
    }
}

/// Mean latency of single flits at 16 × 16, round robin, under load; from independent cycle models of the same switch.
#[test]
fn crossbar_latency_under_load() {
    for (load, want) in [(0.1, 1.06), (0.3, 1.31), (0.5, 2.73)] {
        let probe = NocProbe { flits: 1, load, ..NocProbe::default() };
        near(&format!("load {load}"), figure(&probe::noc(&probe).unwrap(), "latency_mean"), want, 0.02 * want);
    }
}

/// The `oldest` arbiter goes by a packet's creation, also while it waits outside the input's queue of four. The figures are mean latency
/// and the 99th percentile of single flits at 16 × 16 near saturation, from an independent model of inputs with queues without bound.
#[test]
fn oldest_first_goes_by_creation() {
    for (load, mean, p99) in [(0.5, 2.266, 6.0), (0.55, 3.236, 8.0), (0.58, 4.981, 12.0)] {
        let probe = NocProbe { flits: 1, load, arbiter: Arbiter::Oldest, cycles: 1_000_000, ..NocProbe::default() };
        let got = probe::noc(&probe).unwrap();
        near(&format!("load {load}"), figure(&got, "latency_mean"), mean, 0.02 * mean);
        near(&format!("load {load}, 99 %"), figure(&got, "latency_p99"), p99, 1.0);
    }
}

/// 24 KB, 8 ways, LRU. More lines than fit: a cyclic sweep always evicts what it needs next; a zig-zag finds all but what does not fit; random
/// accesses find what is there, capacity / lines.
#[test]
fn cache_patterns() {
    use CachePattern::{Cyclic, Random, Zigzag};
    for (pattern, wants, tolerance) in
        [(Cyclic, [0.0, 0.0, 1.0, 1.0], 0.0), (Zigzag, [0.0, 0.0, 0.2, 0.5], 0.0), (Random, [0.0, 0.0, 0.2, 0.5], 0.01)]
    {
        for (capacities, want) in [0.5, 1.0, 1.25, 2.0].into_iter().zip(wants) {
            let got = probe::cache(&CacheProbe { pattern, capacities: Some(capacities), ..CacheProbe::default() }).unwrap();
            near(&format!("{pattern:?}, {capacities} × capacity"), figure(&got, "miss_rate_steady"), want, tolerance);
        }
    }
}

/// Ten cyclic sweeps, set = line mod 24: a set with at most 8 of the lines misses once each, a set with more misses always.
#[test]
fn cache_sweeps_miss_exactly() {
    for (lines, want) in [(1, 1), (16, 16), (17, 17), (96, 96), (192, 192), (193, 274), (200, 848), (216, 2160), (240, 2400), (384, 3840)] {
        let got = probe::cache(&CacheProbe { lines: Some(lines), ..CacheProbe::default() }).unwrap();
        near(&format!("{lines} lines"), figure(&got, "misses"), f64::from(want), 0.0);
    }
}

/// Arrivals with probability q in each cycle, each of S cycles of service, one server (Geo/D/1, first come first served). The mean wait
/// before the S cycles is q S (S − 1) / 2 (1 − q S) (Takagi, Queueing Analysis vol. 3, 1993).
pub(super) fn geo_d_1(load: f64, service: f64) -> f64 {
    load * (service - 1.0) / (2.0 * (1.0 - load))
}

/// One input, one output: a queue with one server, whose service is the packet's length. Single flits never wait.
#[test]
fn a_port_alone_is_a_queue_with_one_server() {
    for flits in [1, 2, 5] {
        for load in [0.2, 0.5, 0.8] {
            let probe = NocProbe { inputs: 1, outputs: 1, flits, load, cycles: 1_000_000, ..NocProbe::default() };
            let length = f64::from(flits);
            let want = length + geo_d_1(load, length);
            let got = probe::noc(&probe).unwrap();
            near(&format!("{flits} flits, load {load}"), figure(&got, "latency_mean"), want, 0.02 * want);
            near("the lab's line", figure(got.get("theory").unwrap(), "latency_mean"), want, 1e-9);
        }
    }
}

/// N inputs, one output, single flits: all that arrive wait for one server. So the mean latency is that of output queueing, 1 + (N − 1) /
/// N · p / 2 (1 − p) at load p of the output (Karol, Hluchyj and Morgan 1987, eq. 6), whatever the arbiter.
#[test]
fn many_inputs_to_one_output_wait_as_in_one_queue() {
    for inputs in [2, 4, 16] {
        for load in [0.3, 0.6, 0.8] {
            for arbiter in [Arbiter::RoundRobin, Arbiter::Random, Arbiter::Oldest] {
                let n = f64::from(inputs);
                let probe = NocProbe { inputs, outputs: 1, flits: 1, load: load / n, arbiter, cycles: 400_000, ..NocProbe::default() };
                let want = 1.0 + (n - 1.0) / n * load / (2.0 * (1.0 - load));
                near(
                    &format!("{inputs} inputs, load {load}, {arbiter:?}"),
                    figure(&probe::noc(&probe).unwrap(), "latency_mean"),
                    want,
                    0.03 * want,
                );
            }
        }
    }
}
