//! The crossbar, a DRAM channel and a cache alone, and the memory side without load.

use super::arrivals::{Latencies, Source};
use super::given::{CachePattern, CacheProbe, DramProbe, NocProbe};
use super::{options, theory};
use crate::describe::error::Problems;
use crate::describe::gpu::mesh::MeshConfig;
use crate::describe::gpu::{Gpu, NocConfig, NocKind, SetIndex, StoreFlits};
use crate::describe::ids::{Cycle, KernelId, Set};
use crate::describe::rng::{below, mix};
use crate::describe::value::Value;
use crate::interface::controls::{Controls, WarpOrder};
use crate::machine::cache::tags::Tags;
use crate::machine::dram::{Channel, Transfer};
use crate::machine::memory::Memory;
use crate::machine::noc::{Ends, Moment, Noc};
use crate::machine::packet::{Access, DramRequest, Node, Packet, Packets, Queue, Request};
use alloc::vec;
use alloc::vec::Vec;

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
