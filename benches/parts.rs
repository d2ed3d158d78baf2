//! Parts of the machine by themselves: `cargo bench -p corun-bench`, and the same within `cargo xtask bench`.
//!
//! Crossbar, DRAM channel and tag array are driven by the probes of `corun probe`, so that their figures include the traffic's own cost: a
//! draw or two for each packet, request or access. One iteration is `CYCLES` cycles, or as many accesses; figures are for one of them.
#![allow(missing_docs)] // criterion's macros write functions

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sim_core::describe::gpu::SmClass;
use sim_core::describe::ids::LaunchId;
use sim_core::describe::kernel::{Address, Op, Scatter, WARP_SIZE, library};
use sim_core::describe::value::Value;
use sim_core::machine::packet::Access;
use sim_core::machine::sm::address::Place;
use sim_core::machine::sm::code::{Code, Instruction, Step};
use sim_core::run::experiment::Experiment;
use sim_core::study::probe::{self, CachePattern, CacheProbe, DramProbe, DramStream, NocProbe};
use sim_core::study::profile;
use std::hint::black_box;
use std::time::Duration;

const CYCLES: u64 = 20_000;

/// A 16 × 16 crossbar with every source full.
fn crossbar(c: &mut Criterion) {
    let mut group = c.benchmark_group("crossbar 16x16 saturated, a cycle");
    group.throughput(Throughput::Elements(CYCLES));
    for flits in [1, 5] {
        let options = NocProbe { flits, cycles: CYCLES, ..NocProbe::default() };
        group.bench_function(format!("{flits} flits a packet"), |b| b.iter(|| probe::noc(&options)));
    }
}

/// One channel with a full queue.
fn dram(c: &mut Criterion) {
    let mut group = c.benchmark_group("DRAM channel saturated, a command clock");
    group.throughput(Throughput::Elements(CYCLES));
    for (name, stream) in [("sequential", DramStream::Sequential), ("random", DramStream::Random)] {
        let options = DramProbe { stream, cycles: CYCLES, ..DramProbe::default() };
        group.bench_function(name, |b| b.iter(|| probe::dram(&options)));
    }
}

/// A tag array of 24 KB, 8 ways: lookups that hit, and lookups that miss with the fill that follows.
fn l1(c: &mut Criterion) {
    let mut group = c.benchmark_group("L1 tags, a lookup");
    for (name, pattern, capacities) in
        [("hits", CachePattern::Cyclic, 1.0), ("misses and fills", CachePattern::Cyclic, 2.0), ("random", CachePattern::Random, 1.25)]
    {
        let options = CacheProbe { pattern, capacities: Some(capacities), passes: Some(100), ..CacheProbe::default() };
        group.throughput(Throughput::Elements((capacities * 192.0 * 100.0) as u64));
        group.bench_function(name, |b| b.iter(|| probe::cache(&options)));
    }
}

/// The lines of one memory instruction of 32 lanes.
fn coalescing(c: &mut Criterion) {
    let mut group = c.benchmark_group("coalescing, an instruction");
    let row = Address { cta: 4096, ..Address::default() };
    let addresses = [
        ("one line", Address { lane: 4, ..row }),
        ("32 lines", Address { lane: 128, ..row }),
        ("a gather", Address { scatter: Scatter::Lane { bytes: 1 << 20 }, ..row }),
    ];
    for (name, address) in addresses {
        let code = load(address);
        let pc = code.steps.iter().position(|step| matches!(step, Step::Load { .. })).unwrap_or(0) as u32;
        let (mut cta, mut lines) = (0, [0; WARP_SIZE as usize]);
        group.bench_function(name, |b| {
            b.iter(|| {
                cta = (cta + 1) % 4096;
                let key = code.begin(cta, 0).0;
                let (base, key) = code.base(pc, &Place { cta, ..Place::default() }, key);
                let head = Instruction { base, key, pc, tag: 0, launch: LaunchId(0), access: Access::Read };
                black_box(code.lines(&head, 128, &mut lines))
            });
        });
    }
}

/// A launch whose only memory instruction is a load from `address`.
fn load(address: Address) -> Code {
    let Some(mut kernel) = library::find("VADD") else { unreachable!("VADD is in the library") };
    kernel.launches[0].program = vec![Op::Load { address, lanes: WARP_SIZE }, Op::Wait { loads: 0 }];
    Code::compile(&kernel, 0, 1, 128, &SmClass { shared_banks: 32, ..SmClass::default() }).remove(0)
}

/// What a pause costs: a copy of a whole simulation in the middle of its work.
fn snapshot(c: &mut Criterion) {
    let value = Value::object([("corun", Value::from(1)), ("kernels", Value::array(["ccbp/BP", "ccbp/CFD"]))]);
    let Ok(mut simulation) = Experiment::decode(&value).and_then(|experiment| profile::start(&experiment)) else { return };
    simulation.advance(CYCLES);
    c.bench_function("snapshot of BP + CFD on 16 SMs", |b| b.iter(|| black_box(simulation.clone())));
}

criterion_group! {
    name = parts;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = crossbar, dram, l1, coalescing, snapshot
}
criterion_main!(parts);
