//! The crossbar and the tag array alone: from queueing theory and from exact counting.

use super::{figure, near};
use sim_core::gpu::Arbiter;
use sim_core::probe::{self, CachePattern, CacheProbe, NocProbe};

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

/// 24 KB, 8 ways, LRU. More lines than fit: a cyclic sweep always evicts what it needs next; a zig-zag finds all but what does not fit; random
/// accesses find what is there, capacity / lines.
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

/// Ten cyclic sweeps, set = line mod 24: a set with at most 8 of the lines misses once each, a set with more misses always.
#[test]
fn cache_sweeps_miss_exactly() {
    for (lines, want) in [(96, 96), (192, 192), (193, 274), (200, 848), (216, 2160), (240, 2400), (384, 3840)] {
        let got = probe::cache(&CacheProbe { lines: f64::from(lines), ..CacheProbe::default() }).unwrap();
        near(&format!("{lines} lines"), figure(&got, "misses"), f64::from(want), 0.0);
    }
}
