//! Probes: one real component of the machine, driven alone with named traffic, so that its numbers can be compared with theory.
//!
//! A probe runs the same code as the machine. Each takes plain options, and reports everything that is wrong with them at once. It returns
//! an object of figures, with theory's values beside them; a figure without a measurement is null, as is a law that does not apply. The
//! first tenth of the time warms up and is not counted.

mod mesh;
mod options;
mod theory;

pub use self::mesh::{MeshProbe, Traffic, mesh};
pub use self::options::{COMPONENTS, Component, Figure, Preset, range};

use crate::describe::error::Problems;
use crate::describe::gpu::mesh::MeshConfig;
use crate::describe::gpu::{Arbiter, DramConfig, DramKind, DramMap, DramTiming, Gpu, NocConfig, NocKind, PagePolicy, SetIndex, StoreFlits};
use crate::describe::ids::{Cycle, KernelId, Set};
use crate::describe::rng::{below, draw, mix};
use crate::describe::value::Value;
use crate::interface::controls::{Controls, WarpOrder};
use crate::machine::cache::tags::Tags;
use crate::machine::dram::{Channel, Transfer};
use crate::machine::memory::Memory;
use crate::machine::noc::{Ends, Moment, Noc};
use crate::machine::packet::{Access, DramRequest, Node, Packet, Packets, Queue, Request};
use alloc::vec;
use alloc::vec::Vec;

/// A histogram of latencies, for the mean and the 99th percentile.
#[derive(Default)]
struct Latencies {
    count: u64,
    sum: u64,
    /// How many took as long as the index; the last bin also has all that took longer.
    bins: Vec<u32>,
}

impl Latencies {
    const BINS: usize = 1 << 20;

    fn add(&mut self, latency: u64) {
        self.count += 1;
        self.sum += latency;
        let bin = (latency as usize).min(Self::BINS - 1);
        if bin >= self.bins.len() {
            self.bins.resize((bin + 1).next_power_of_two(), 0);
        }
        self.bins[bin] += 1;
    }

    fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The smallest latency that 99 % do not exceed.
    fn p99(&self) -> Option<u64> {
        let wanted = (self.count * 99).div_ceil(100);
        let mut seen = 0;
        self.bins
            .iter()
            .position(|&n| {
                seen += u64::from(n);
                n > 0 && seen >= wanted
            })
            .map(|bin| bin as u64)
    }
}

/// Arrivals at random with a fixed probability in each time step, computed on demand, so that a source that cannot send needs no memory
/// for what waits.
struct Source {
    key: u64,
    /// Probability in units of 2⁻⁶⁴, or always.
    threshold: Option<u64>,
    next: u64,
}

impl Source {
    fn new(key: u64, probability: f64) -> Self {
        let threshold = (probability < 1.0).then_some((probability * 18_446_744_073_709_551_616.0) as u64);
        Source { key, threshold, next: 0 }
    }

    /// The time of the oldest arrival that was not taken yet, if it is not after `now`.
    fn oldest(&mut self, now: u64) -> Option<u64> {
        while self.next <= now {
            if self.threshold.is_none_or(|threshold| draw(mix(self.key, self.next)) < threshold) {
                return Some(self.next);
            }
            self.next += 1;
        }
        None
    }

    fn take(&mut self) {
        self.next += 1;
    }
}

/// Options of the crossbar probe.
#[derive(Clone, PartialEq, Debug)]
pub struct NocProbe {
    /// Input ports, 1 to 64.
    pub inputs: u32,
    /// Output ports, 1 to 64.
    pub outputs: u32,
    /// Flits of each packet, 1 to 1024.
    pub flits: u32,
    /// Flits that each input creates a cycle on average, 0 to 1. Packets wait at their source without limit.
    pub load: f64,
    /// Which input wins an output.
    pub arbiter: Arbiter,
    /// Cycles, up to 1,000 million.
    pub cycles: u64,
    /// Seed of arrivals, destinations and the random arbiter.
    pub seed: u64,
}

impl Default for NocProbe {
    fn default() -> Self {
        NocProbe { inputs: 16, outputs: 16, flits: 5, load: 1.0, arbiter: Arbiter::RoundRobin, cycles: 200_000, seed: 1 }
    }
}

/// Drives one crossbar with uniform destinations. Figures: `throughput` (flits per output and cycle), `latency_mean`, `latency_p99`
/// (cycles from a packet's creation to its tail).
pub fn noc(options: &NocProbe) -> Result<Value, Problems> {
    options::noc_problems(options).or(())?;
    let &NocProbe { inputs, outputs, flits, load, arbiter, cycles, seed } = options;
    let config = NocConfig {
        kind: NocKind::Crossbar,
        mhz: 1,
        flit_bytes: 32,
        queue: 4,
        latency: 0,
        arbiter,
        store_flits: StoreFlits::Line,
        mesh: MeshConfig::default(),
    };
    let (first, end) = (inputs as u16, (inputs + outputs) as u16);
    let mut noc = Noc::new(&config, Ends::new(first, 0..first, first..end), flits, seed);
    let (mut packets, mut sinks, mut arrived) = (Packets::default(), vec![Queue::new(1); outputs as usize], Set::EMPTY);
    let mut sources: Vec<Source> = (0..inputs).map(|input| Source::new(mix(seed, u64::from(input)), load / f64::from(flits))).collect();
    let (warm, mut passed, mut latencies) = (cycles / 10, 0, Latencies::default());
    for cycle in 0..cycles {
        for (input, source) in sources.iter_mut().enumerate() {
            while noc.has_room(input as u32)
                && let Some(created) = source.oldest(cycle)
            {
                let output = below(mix(mix(seed, !created), input as u64), u64::from(outputs)) as u16;
                let request = Request { since: created, ..Request::default() };
                let handle = packets.add(Packet::new(request, Node(input as u16), Node(first + output), flits));
                let _ = noc.push(&mut packets, cycle, handle);
                source.take();
            }
        }
        let count = |packet: &mut Packet| passed += if cycle >= warm { u64::from(packet.flits) } else { 0 };
        let at = Moment { tick: cycle + 1, now: cycle, reversed: false };
        noc.tick(at, &mut packets, &mut sinks, &mut arrived, count);
        for sink in &mut sinks {
            if let Some(handle) = sink.pop(&packets) {
                if cycle >= warm {
                    latencies.add(cycle + 1 - packets[handle].request.since);
                }
                packets.remove(handle);
            }
        }
    }
    Ok(Value::object([
        ("throughput", Value::Float(passed as f64 / (cycles - warm) as f64 / f64::from(outputs))),
        ("latency_mean", latencies.mean().into()),
        ("latency_p99", latencies.p99().into()),
        ("packets", latencies.count.into()),
        ("theory", theory::noc(options)),
    ]))
}

/// Accesses of the cache probe, at most.
const MAX_ACCESSES: u64 = 1_000_000_000;

/// Which lines a DRAM probe asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DramStream {
    /// One line after the other.
    #[default]
    Sequential,
    /// Uniform over 2²⁴ lines.
    Random,
    /// Several sequential streams in turn.
    Streams,
}

/// Options of the DRAM probe: one channel.
#[derive(Clone, PartialEq, Debug)]
pub struct DramProbe {
    /// Which lines.
    pub stream: DramStream,
    /// Streams, with `DramStream::Streams`.
    pub streams: u32,
    /// Lines from the start of a stream to the start of the next.
    pub stream_stride: u32,
    /// Fraction of requests that write, at random.
    pub write_fraction: f64,
    /// Every other request writes.
    pub alternate_writes: bool,
    /// Requests as a fraction of what the data bus can carry; at 1 the transaction queue is kept full.
    pub load: f64,
    /// The channel: timings, queue, map, page policy. `latency` and `mhz` are not looked at.
    pub config: DramConfig,
    /// Command clocks, up to 1,000 million.
    pub cycles: u64,
    /// Seed of arrivals and addresses.
    pub seed: u64,
}

impl Default for DramProbe {
    fn default() -> Self {
        DramProbe {
            stream: DramStream::Sequential,
            streams: 4,
            stream_stride: 65_536,
            write_fraction: 0.0,
            alternate_writes: false,
            load: 1.0,
            config: DramConfig {
                kind: DramKind::Banked,
                channels: 1,
                mhz: 1000,
                queue: 128,
                banks: 16,
                columns: 32,
                map: DramMap::RowBankColumn,
                page: PagePolicy::Open,
                latency: 0,
                // GDDR5 as in HeteroCore's Table 2; WL, tWTR and tRTP from public configurations of the same family.
                timing: DramTiming {
                    T: 4,
                    tCL: 12,
                    WL: 4,
                    tRP: 12,
                    tRC: 40,
                    tRAS: 28,
                    tRCD: 12,
                    tRRD: 6,
                    tFAW: 0,
                    tCCD: 2,
                    tWR: 12,
                    tWTR: 5,
                    tRTW: 0,
                    tRTP: 2,
                    tREFI: 0,
                    tRFC: 60,
                },
            },
            cycles: 200_000,
            seed: 1,
        }
    }
}

impl DramProbe {
    /// Turns all-bank refresh on: every 3604 clocks, for 60.
    pub fn refresh(&mut self) {
        self.config.timing.tREFI = 3604;
        self.config.timing.tRFC = 60;
    }

    /// The `n`-th request.
    fn request(&self, n: u64) -> DramRequest {
        let line = match self.stream {
            DramStream::Sequential => n as u32,
            DramStream::Random => below(mix(self.seed, n), 1 << 24) as u32,
            DramStream::Streams => {
                let streams = u64::from(self.streams);
                ((n % streams) as u32).wrapping_mul(self.stream_stride).wrapping_add((n / streams) as u32)
            }
        };
        let drawn = draw(mix(!self.seed, n)) >> 11;
        let write = if self.alternate_writes { n % 2 == 1 } else { (drawn as f64) < self.write_fraction * 9_007_199_254_740_992.0 };
        DramRequest { line, access: if write { Access::Write } else { Access::Read }, ..DramRequest::default() }
    }
}

/// Drives one DRAM channel. Figures: `bandwidth` (fraction of the data bus's peak), `row_hit_rate`, and command clocks from a request's arrival to
/// its last beat: `read_latency_mean`, `read_latency_p99`, `write_latency_mean`, `write_latency_p99`, and of both `latency_mean`, `latency_p99`.
pub fn dram(options: &DramProbe) -> Result<Value, Problems> {
    options::dram_problems(options).or(())?;
    let mut channel = Channel::new(&options.config);
    let (cycles, warm) = (options.cycles, options.cycles / 10);
    let transfer_clocks = options.config.timing.T;
    let saturated = options.load >= 1.0;
    let mut source = Source::new(options.seed, if saturated { 1.0 } else { options.load / f64::from(transfer_clocks) });
    let (mut sent, mut lines, mut hits) = (0, 0_u64, 0_u64);
    let [mut all, mut reads, mut writes] = [(); 3].map(|()| Latencies::default());
    // A request that waits outside the queue has been waiting since it arrived; its tag finds that clock again.
    let mut arrivals: Vec<u64> = alloc::vec![0; options.config.queue as usize];
    let mut tags: Vec<u16> = (0..options.config.queue as u16).collect();
    for clock in 0..cycles {
        while channel.has_room()
            && let Some(arrived) = if saturated { Some(clock) } else { source.oldest(clock) }
            && let Some(tag) = tags.pop()
        {
            arrivals[usize::from(tag)] = arrived;
            let _ = channel.push(clock, DramRequest { tag, ..options.request(sent) });
            sent += 1;
            source.take();
        }
        channel.tick(clock, |Transfer { request, end, row_hit, .. }| {
            tags.push(request.tag);
            if clock >= warm {
                lines += 1;
                hits += u64::from(row_hit);
                let latency = end - arrivals[usize::from(request.tag)];
                all.add(latency);
                if request.access == Access::Write { &mut writes } else { &mut reads }.add(latency);
            }
        });
    }
    let bandwidth = (lines * u64::from(transfer_clocks)) as f64 / (cycles - warm) as f64;
    Ok(Value::object([
        ("bandwidth", Value::Float(bandwidth)),
        ("row_hit_rate", (lines > 0).then(|| hits as f64 / lines as f64).into()),
        ("latency_mean", all.mean().into()),
        ("latency_p99", all.p99().into()),
        ("read_latency_mean", reads.mean().into()),
        ("read_latency_p99", reads.p99().into()),
        ("write_latency_mean", writes.mean().into()),
        ("write_latency_p99", writes.p99().into()),
        ("lines", lines.into()),
        ("theory", theory::dram(options)),
    ]))
}

/// The order in which a cache probe visits its lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CachePattern {
    /// From the first to the last, again and again.
    #[default]
    Cyclic,
    /// Forwards, then backwards.
    Zigzag,
    /// Uniform.
    Random,
    /// Cyclic, with `stride` lines from one to the next.
    Stride,
}

/// Options of the cache probe: the tag array of L1D and L2, read only, every miss filled.
#[derive(Clone, PartialEq, Debug)]
pub struct CacheProbe {
    /// Capacity, bytes.
    pub size: u32,
    /// Ways of a set.
    pub ways: u32,
    /// Bytes of a line.
    pub line: u32,
    /// In which order.
    pub pattern: CachePattern,
    /// Lines visited.
    pub lines: Option<u32>,
    /// Lines visited, in units of the capacity: 1.25 is a quarter more than fits. `None`, and no `lines`: 1.
    pub capacities: Option<f64>,
    /// Lines from one to the next, with `CachePattern::Stride`.
    pub stride: u32,
    /// Visits to every line (for `Random`, on average). `None`: 10, for `Random` 1000.
    pub passes: Option<u32>,
    /// Seed of the random order.
    pub seed: u64,
}

impl Default for CacheProbe {
    fn default() -> Self {
        CacheProbe {
            size: 24_576,
            ways: 8,
            line: 128,
            pattern: CachePattern::Cyclic,
            lines: None,
            capacities: None,
            stride: 1,
            passes: None,
            seed: 1,
        }
    }
}

/// Drives a tag array. Figures: `accesses`, `misses` (all of them), `miss_rate_steady` (of the second half of the passes), `lines`.
pub fn cache(options: &CacheProbe) -> Result<Value, Problems> {
    options::cache_problems(options).or(())?;
    let &CacheProbe { size, ways, line, pattern, lines, capacities, stride, passes, seed } = options;
    let passes = passes.unwrap_or(if pattern == CachePattern::Random { 1000 } else { 10 });
    let mut tags = Tags::new(SetIndex::Modulo, size, ways, line);
    let fitting = |capacities: f64| (capacities * f64::from(size / line) + 0.5) as u64;
    let count = lines.map_or_else(|| fitting(capacities.unwrap_or(1.0)), u64::from).max(1);
    if count * u64::from(passes) > MAX_ACCESSES {
        let mut problems = Problems::default();
        problems.add("passes", passes, alloc::format!("at most {MAX_ACCESSES} accesses in all"));
        return problems.or(Value::Null);
    }
    let (mut accesses, mut misses, mut steady, mut steady_misses) = (0_u64, 0_u64, 0_u64, 0_u64);
    for pass in 0..passes {
        for i in 0..count {
            let visited = match pattern {
                CachePattern::Cyclic => i,
                CachePattern::Zigzag => {
                    if pass % 2 == 0 {
                        i
                    } else {
                        count - 1 - i
                    }
                }
                CachePattern::Random => below(mix(seed, accesses), count),
                CachePattern::Stride => i * u64::from(stride),
            } as u32;
            accesses += 1;
            let missed = tags.lookup(visited).is_none();
            if missed {
                tags.fill(visited, KernelId(0), false, u32::MAX);
            }
            misses += u64::from(missed);
            if pass >= passes / 2 {
                steady += 1;
                steady_misses += u64::from(missed);
            }
        }
    }
    Ok(Value::object([
        ("accesses", Value::from(accesses)),
        ("misses", misses.into()),
        ("miss_rate_steady", Value::Float(steady_misses as f64 / steady as f64)),
        ("lines", count.into()),
        ("theory", theory::cache(options, count)),
    ]))
}

/// Mean core cycles from a read's entry into an SM's port of an otherwise idle memory side until the SM can take the reply. The first is
/// for a line that L2 holds, the second for one that comes from a closed bank of DRAM. The mean is over the phases between the clocks.
pub fn unloaded_latency(gpu: &Gpu) -> (f64, f64) {
    let controls = Controls::neutral(gpu.sm_count() as usize, WarpOrder::Gto);
    let mut memory = Memory::new(gpu, 1, 0);
    let mut now: Cycle = 0;
    let mut sums = [0, 0];
    const READS: u32 = 90;
    for n in 0..READS {
        // Another row each time, its bank and the phase of the clocks changing; both reads go to the same line.
        let line = n * gpu.dram.columns * gpu.dram.channels + n % gpu.l2.banks;
        for sum in sums.iter_mut().rev() {
            let request = Request { line, since: now, ..Request::default() };
            memory.inject(now, request);
            let start = now;
            while memory.take_reply(now, 0).is_none() && now - start < 1_000_000 {
                now += 1;
                memory.step(now, &controls, false);
            }
            *sum += now - start;
            for _ in 0..7 + n {
                now += 1;
                memory.step(now, &controls, false);
            }
        }
        if (n + 1) % gpu.dram.banks == 0 {
            // All banks have an open row now: begin again with closed ones.
            memory = Memory::new(gpu, 1, 0);
        }
    }
    (sums[0] as f64 / f64::from(READS), sums[1] as f64 / f64::from(READS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timings_by_name() {
        let mut probe = DramProbe::default();
        assert!(probe.set("T", 100) && probe.set("tRFC", 114) && probe.set("columns", 116));
        assert!(!probe.set("tXX", 1) && !probe.set("load", 1));
        assert_eq!((probe.config.timing.T, probe.config.timing.tRFC, probe.config.columns), (100, 114, 116));
    }

    #[test]
    fn every_bad_option_is_named() {
        let found = noc(&NocProbe { inputs: 0, outputs: 65, load: f64::NAN, ..NocProbe::default() }).unwrap_err();
        assert_eq!(found.0.iter().map(|problem| problem.path.as_str()).collect::<Vec<_>>(), ["inputs", "outputs", "load"]);
        let mut bad = DramProbe { load: -1.0, ..DramProbe::default() };
        bad.set("T", 0);
        bad.set("tRP", u32::MAX);
        bad.set("tREFI", 10);
        assert_eq!(dram(&bad).unwrap_err().0.len(), 4);
        assert_eq!(cache(&CacheProbe { size: 0, ways: 0, line: 0, ..CacheProbe::default() }).unwrap_err().0.len(), 3);
    }
}
