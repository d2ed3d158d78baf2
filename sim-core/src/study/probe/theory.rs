//! What theory says of a probe's figures: the lines under the measured curves. Nothing here looks at the machine.

use super::given::{CachePattern, CacheProbe, DramProbe, DramStream, MeshProbe, NocProbe};
use crate::describe::value::Value;
use alloc::vec;
use alloc::vec::Vec;

/// Saturation throughput of an N × N switch with one first-in-first-out queue an input and uniform destinations, N = 1 to 8. From Karol,
/// Hluchyj and Morgan, "Input versus output queueing on a space-division packet switch", IEEE Transactions on Communications 35(12), 1987,
/// Table I.
const SATURATION: [f64; 8] = [1.0, 0.75, 0.6825, 0.6553, 0.6399, 0.6302, 0.6234, 0.6184];

/// Saturation throughput of such a switch with very many ports: 2 − √2.
const SATURATION_LIMIT: f64 = 2.0 - core::f64::consts::SQRT_2;

fn saturation(ports: u32) -> f64 {
    let last = SATURATION[7];
    SATURATION.get(ports as usize - 1).copied().unwrap_or(SATURATION_LIMIT + (last - SATURATION_LIMIT) * 8.0 / f64::from(ports))
}

/// Of the crossbar, where it has as many inputs as outputs.
pub(super) fn noc(options: &NocProbe) -> Value {
    let &NocProbe { inputs, outputs, flits, load, .. } = options;
    if inputs != outputs {
        return Value::object([("throughput", Value::Null), ("latency_mean", Value::Null)]);
    }
    let p = load;
    let flits = f64::from(flits);
    let slots = (2.0 - p) * (1.0 - p) / ((SATURATION_LIMIT - p) * (2.0 + core::f64::consts::SQRT_2 - p));
    let latency = if inputs == 1 { queue_wait(p, flits).map(|wait| flits + wait) } else { (p < SATURATION_LIMIT).then_some(slots * flits) };
    Value::object([("throughput", Value::Float(load.min(saturation(inputs)))), ("latency_mean", latency.into())])
}

/// Mean wait in a queue with one server and a fixed `service` time, at this fraction of its capacity. Arrivals are at random, at most one
/// a cycle, as a probe's source has them (Geo/D/1; with service 1 the wait is 0).
fn queue_wait(load: f64, service: f64) -> Option<f64> {
    (load < 1.0).then(|| load * (service - 1.0) / (2.0 * (1.0 - load)))
}

/// Of the mesh: the load as long as the busiest link or sink can carry it, the mean hops of X-Y routes, and what a packet takes that meets no other.
pub(super) fn mesh(options: &MeshProbe) -> Value {
    let MeshProbe { form, flits, load, traffic, .. } = options;
    let (nodes, width) = (form.routers(), form.width);
    // Of a flit that every node sends: what leaves each node in each direction, and what arrives there.
    let (mut links, mut sinks) = (vec![[0.0_f64; 4]; nodes as usize], vec![0.0; nodes as usize]);
    let mut hops = 0.0;
    for from in 0..nodes {
        let destinations = traffic.destinations(form, from);
        let share = 1.0 / destinations.len() as f64;
        for to in destinations {
            let mut at = from;
            while at != to {
                let (x, to_x) = (at % width, to % width);
                let (direction, next) = if x < to_x {
                    (0, at + 1)
                } else if x > to_x {
                    (1, at - 1)
                } else if at < to {
                    (2, at + width)
                } else {
                    (3, at - width)
                };
                links[at as usize][direction] += share;
                (at, hops) = (next, hops + share);
            }
            sinks[to as usize] += share;
        }
    }
    let busiest = links.iter().flatten().chain(&sinks).fold(0.0, |most: f64, &flow| most.max(flow));
    let hops = hops / f64::from(nodes);
    let latency = hops * f64::from(form.hop) + f64::from(*flits);
    Value::object([
        ("throughput", Value::from((load * busiest <= 1.0).then_some(*load))),
        ("latency_mean", latency.into()),
        ("hops_mean", hops.into()),
    ])
}

/// Of the DRAM channel.
pub(super) fn dram(options: &DramProbe) -> Value {
    let t = &options.config.timing;
    let clocks = |n: u32| f64::from(n);
    let activate = clocks(t.tRRD).max(clocks(t.tFAW) / 4.0);
    let row = activate.max(clocks(t.tRC) / clocks(options.config.banks));
    let lines_a_row = match options.stream {
        DramStream::Random => 1.0,
        DramStream::Sequential | DramStream::Streams => clocks(options.config.columns),
    };
    let line = clocks(t.T).max(clocks(t.tCCD)).max(row / lines_a_row);
    let refresh = if t.tREFI > 0 { 1.0 - clocks(t.tRFC + t.tRP) / clocks(t.tREFI) } else { 1.0 };
    let bound = clocks(t.T) / line * refresh;

    let reads = options.write_fraction == 0.0 && !options.alternate_writes && t.tREFI == 0;
    let (hit, conflict) = (clocks(t.tCL + t.T), clocks(t.tRP + t.tRCD + t.tCL + t.T));
    let latency = match options.stream {
        DramStream::Sequential if reads => {
            let unloaded = hit + (conflict - hit) / lines_a_row;
            queue_wait(options.load / bound, line).map(|wait| unloaded + wait)
        }
        DramStream::Random if reads => {
            let lines = options.load / clocks(t.T);
            let bank = queue_wait(lines * clocks(t.tRC) / clocks(options.config.banks), clocks(t.tRC));
            bank.zip(queue_wait(lines * activate, activate)).map(|(bank, activate)| conflict + bank + activate)
        }
        _ => None,
    };
    let hits = (options.stream == DramStream::Sequential).then(|| 1.0 - 1.0 / lines_a_row);
    let bandwidth = Value::Float(options.load.min(bound));
    Value::object([("bandwidth", bandwidth), ("read_latency_mean", latency.into()), ("row_hit_rate", hits.into())])
}

/// Of the cache, for `count` lines.
pub(super) fn cache(options: &CacheProbe, count: u64) -> Value {
    let &CacheProbe { size, ways, line, pattern, stride, .. } = options;
    let sets = u64::from(size / line / ways);
    let step = if pattern == CachePattern::Stride { u64::from(stride) } else { 1 };
    let mut in_set: Vec<u64> = alloc::vec![0; sets as usize];
    for i in 0..count {
        in_set[(i * step % sets) as usize] += 1;
    }
    let ways = u64::from(ways);
    let missing = |n: u64| match pattern {
        CachePattern::Cyclic | CachePattern::Stride => {
            if n > ways {
                n
            } else {
                0
            }
        }
        CachePattern::Zigzag | CachePattern::Random => n.saturating_sub(ways),
    };
    let missed: u64 = in_set.iter().map(|&n| missing(n)).sum();
    Value::object([("miss_rate_steady", Value::Float(missed as f64 / count as f64))])
}

#[cfg(test)]
mod tests {
    use super::super::{self as probe};
    use super::*;

    fn pair(figures: &Value, key: &str) -> (f64, f64) {
        let figure = |of: &Value| of.get(key).and_then(Value::as_f64).unwrap_or_else(|| panic!("{key} in {figures}"));
        (figure(figures), figure(figures.get("theory").unwrap()))
    }

    #[track_caller]
    fn near(figures: &Value, key: &str, tolerance: f64) {
        let (measured, law) = pair(figures, key);
        assert!((measured - law).abs() <= tolerance * law, "{key}: {measured}, theory {law}");
    }

    /// The latency law is that of very many ports: 64 come within a few percent.
    #[test]
    fn a_large_crossbar_waits_as_theory_says() {
        for load in [0.1, 0.3, 0.5] {
            let options = NocProbe { inputs: 64, outputs: 64, flits: 1, load, cycles: 20_000, ..NocProbe::default() };
            near(&probe::noc(&options).unwrap(), "latency_mean", 0.03);
        }
    }

    #[test]
    fn crossbars_of_any_size_saturate_as_theory_says() {
        for ports in [1, 2, 5, 7, 8, 12, 32, 64] {
            let options = NocProbe { inputs: ports, outputs: ports, flits: 1, cycles: 1_000_000 / u64::from(ports), ..NocProbe::default() };
            near(&probe::noc(&options).unwrap(), "throughput", 0.005);
        }
    }

    /// Queues in series are worked out as if each were alone, which is good at light load.
    #[test]
    fn a_lightly_loaded_channel_waits_as_theory_says() {
        for (stream, load, tolerance) in
            [(DramStream::Random, 0.1, 0.02), (DramStream::Random, 0.3, 0.03), (DramStream::Sequential, 0.1, 0.03)]
        {
            let options = DramProbe { stream, load, cycles: 1_000_000, ..DramProbe::default() };
            near(&probe::dram(&options).unwrap(), "read_latency_mean", tolerance);
        }
    }

    /// No traffic gets past the bound, and none of its terms is idle.
    #[test]
    fn bandwidth_stays_under_its_bound() {
        for (name, clocks, near_bound) in [("tFAW", 100, 0.99), ("tRRD", 30, 0.99), ("banks", 1, 0.99), ("T", 40, 0.98), ("tCCD", 20, 0.98)]
        {
            for stream in [DramStream::Random, DramStream::Sequential] {
                let mut options = DramProbe { stream, ..DramProbe::default() };
                assert!(options.set(name, clocks));
                let (measured, bound) = pair(&probe::dram(&options).unwrap(), "bandwidth");
                assert!(measured <= bound * 1.001, "{name} = {clocks}, {stream:?}: {measured} of at most {bound}");
                if stream == DramStream::Random {
                    assert!(measured >= bound * near_bound, "{name} = {clocks}: {measured} of {bound}");
                }
            }
        }
    }

    #[test]
    fn caches_of_any_shape_miss_as_theory_says() {
        for pattern in [CachePattern::Cyclic, CachePattern::Zigzag, CachePattern::Stride, CachePattern::Random] {
            for (size, ways, capacities, stride) in [(24_576, 8, 1.3, 7), (4096, 1, 2.5, 8), (32_768, 16, 1.06, 24), (6144, 2, 0.8, 3)] {
                let options = CacheProbe { size, ways, pattern, capacities: Some(capacities), stride, ..CacheProbe::default() };
                let (measured, law) = pair(&probe::cache(&options).unwrap(), "miss_rate_steady");
                let tolerance = if pattern == CachePattern::Random { 0.005 } else { 0.0 };
                assert!((measured - law).abs() <= tolerance, "{pattern:?}, {size}, {ways}, {capacities}: {measured}, theory {law}");
            }
        }
    }
}
