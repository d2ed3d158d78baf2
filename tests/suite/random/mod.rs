//! Random valid machines, kernels and controls for property tests: small, often extreme, and shrinking towards the plain ones.

// Each test file uses a part of it.
#![allow(dead_code)]

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::FileFailurePersistence;
use sim_core::describe::error::Problems;
use sim_core::describe::gpu::carve_out::{CarveOutWait, CarveOuts};
use sim_core::describe::gpu::mesh::MeshConfig;
use sim_core::describe::gpu::protocols::L1Protocol;
use sim_core::describe::gpu::{
    Allocate, Arbiter, BankIndex, DramKind, DramMap, DramOrder, Exit, Fp64Owner, Gpu, LsuHol, NocKind, PagePolicy, ReadOnlyLines, SetIndex,
    StoreFlits, StoreRelease, WriteFill, presets,
};
use sim_core::describe::ids::{KernelId, PerKernel};
use sim_core::describe::kernel::{Address, Array, CarveOut, Dim3, Kernel, Launch, MAX_LOOPS, Op, Repeat, Scatter, Trips};
use sim_core::describe::value::Value;
use sim_core::interface::controls::{Controls, QuotaCarry, QuotaCharge, QuotaRefill, SmControls, WarpOrder};
use sim_core::interface::spec::Mix;
use sim_core::machine::dispatch::order::{CTA_ORDERS, CtaOrderSpec};
use sim_core::policy::PolicySpec;
use sim_core::policy::spec::{MAX_LIST, Shape};
use sim_core::run::experiment::warm_up::WarmUp;
use sim_core::run::experiment::{Experiment, KernelUse, Stop};
use sim_core::run::simulation::{Reason, Simulation};

/// Cases of a property: what the test asks for, or `PROPTEST_CASES` from the environment.
pub fn cases(number: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok());
    // A case that failed once is kept, and run first from then on.
    let kept = FileFailurePersistence::Direct("tests/suite/random/regressions.txt");
    ProptestConfig {
        cases: asked.unwrap_or(number),
        max_shrink_iters: 2000,
        failure_persistence: Some(Box::new(kept)),
        ..ProptestConfig::default()
    }
}

/// Every rule of the store buffer.
const RELEASES: [StoreRelease; 3] = [StoreRelease::Sent, StoreRelease::Acknowledged, StoreRelease::Unbuffered];

/// Every order of the LSU.
const HOLS: [LsuHol; 3] = [LsuHol::No, LsuHol::Yes, LsuHol::UnlessSplit];

/// A GPU: `tiny-2sm` with any part of it made small, slow, or of another kind.
pub fn gpu() -> impl Strategy<Value = Gpu> {
    let sm = (
        1..=5_u32,
        1..=4_u32,
        select(vec![0_u32, 0, 1, 3]),
        select(vec![16_u32, 8, 2, 1]),
        select(vec![8_u32, 4, 1]),
        select(HOLS.to_vec()),
    );
    let l1 = (select(vec![(8_u32, 8_u32), (1, 1), (4, 2), (2, 4)]), select(vec![32_u32, 8, 1]), select(vec![8_u32, 2, 1]));
    let queues = (select(vec![32_u32, 8, 9]), select(vec![16_u32, 2, 3]), select(vec![8_u32, 1, 2]), select(vec![20_u32, 1, 400]));
    let mesh = |width, height, hop, buffer| MeshConfig { width, height, hop, buffer, first_sm: 0 };
    let kinds = vec![
        (NocKind::Crossbar, MeshConfig::default()),
        (NocKind::Ideal, MeshConfig::default()),
        (NocKind::Mesh, mesh(4, 4, 8, 16)),
        (NocKind::Mesh, mesh(1, 14, 3, 1)),
    ];
    let noc = (select(kinds), select(vec![8_u32, 1, 2]), select(vec![8_u32, 1]), select(vec![32_u32, 128, 8]), 0..3_usize);
    let l2 =
        (select(vec![2_u32, 1, 4, 6]), select(vec![(16_u32, 4_u32), (1, 1), (3, 2)]), select(vec![32_u32, 4, 1]), select(vec![8_u32, 1]));
    let dram = (any::<bool>(), select(vec![16_u32, 4]), select(vec![16_u32, 1, 3]), 0..3_usize, any::<bool>(), any::<bool>());
    let clocks = (select(vec![1200_u32, 1800, 700, 5000]), select(vec![1246_u32, 1800, 333, 4999]));
    let units =
        (select(vec![32_u32, 16, 5]), select(vec![32_u32, 4]), select(RELEASES.to_vec()), select(vec![Allocate::OnFill, Allocate::OnMiss]));
    // Up to two more classes of SMs; the random kernels fit the first class, and some of them no other.
    let more = (1..=3_u32, 1..=4_u32, select(vec![8_u32, 1]), select(vec![1024_u32, 64]), select(vec![16_384_u32, 1024]));
    let classes = proptest::collection::vec(more, 0..=2);
    (sm, l1, queues, noc, l2, dram, clocks, units, classes).prop_map(|(sm, l1, queues, noc, l2, dram, clocks, units, classes)| {
        let mut gpu = presets::find("tiny-2sm").expect("a preset");
        let class = &mut gpu.sms[0];
        (class.count, class.schedulers, class.gto_group, class.ctas, class.loads_per_warp, class.lsu_hol) = sm;
        (class.lsu_queue, class.l1.mshrs, class.l1.merges) = (1 + l1.2 / 2, l1.1, l1.2);
        (class.alu_lanes, class.sfu_lanes, class.l1.store_release, class.l1.allocate) = units;
        // As good as drawn.
        class.exit = if l1.1 == 8 { Exit::Issued } else { Exit::StoresAcknowledged };
        class.fp64_lanes = [0, 2, 16][l1.2 as usize % 3];
        class.fp64_unit = if l1.1 == 8 { Fp64Owner::Sm } else { Fp64Owner::Scheduler };
        (class.memory_queue, class.lsu_pause) = ([0, 5, 1][l1.2 as usize % 3], l1.1 % 3);
        class.l1.bytes = l1.0.0 * l1.0.1 * 128;
        class.l1.ways = l1.0.1;
        (class.l1.miss_queue, class.l1.store_buffer, _, class.l1.latency) = queues;
        if class.l1.latency == 1 {
            class.l1.protocol = L1Protocol::GpuCoherence;
            (class.l1.store_release, class.l1.allocate) = (StoreRelease::Sent, Allocate::OnFill);
        }
        if class.l1.latency == 1 && noc.0.0 == NocKind::Mesh || class.l1.latency == 20 && noc.0.1.height == 14 {
            class.l1.protocol = L1Protocol::DeNovo;
            (class.l1.store_release, class.l1.allocate) = (StoreRelease::Sent, Allocate::OnFill);
            (class.l1.forward_latency, class.l1.read_only) = (5 * l1.2, ReadOnlyLines::Dropped);
        }
        // As good as drawn: an array that is L1D and shared memory.
        if class.l1.latency == 400 && !class.l1.protocol.is_by_word() {
            class.carve_outs = CarveOuts::Cc80;
            class.carve_out_wait = if l1.1 == 8 { CarveOutWait::Needed } else { CarveOutWait::Wanted };
            (class.shared_bytes, class.shared_reserved) = (164 << 10, 1024);
            class.l1.bytes += class.shared_bytes;
        }
        for (name, more) in ["second", "third"].into_iter().zip(classes) {
            let mut class = gpu.sms[0].clone();
            class.name = name.into();
            (class.count, class.schedulers, class.ctas, class.threads, class.registers) = more;
            class.gto_group = class.gto_group.min(class.warps().div_ceil(class.schedulers));
            gpu.sms.push(class);
        }
        (gpu.noc.kind, gpu.noc.mesh) = noc.0;
        (gpu.noc.queue, gpu.noc.latency, gpu.noc.flit_bytes) = (noc.1, noc.2, noc.3);
        gpu.noc.arbiter = [Arbiter::RoundRobin, Arbiter::Random, Arbiter::Oldest][noc.4];
        gpu.l2.banks = l2.0;
        (gpu.l2.bank_bytes, gpu.l2.ways) = (l2.1.0 * l2.1.1 * 128, l2.1.1);
        (gpu.l2.mshrs, gpu.l2.queue, gpu.l2.merges) = (l2.2, l2.3, l1.2);
        gpu.l2.latency = 1 + queues.2;
        // As good as drawn: they follow from latencies.
        gpu.noc.store_flits = if noc.2.is_multiple_of(2) { StoreFlits::Bytes } else { StoreFlits::Line };
        gpu.l2.write_fill = if queues.2.is_multiple_of(2) { WriteFill::FullLinesSkip } else { WriteFill::Fetch };
        gpu.l2.bank_index = if l1.2.is_multiple_of(2) { BankIndex::Hash } else { BankIndex::Modulo };
        gpu.l2.line_bytes = [128, 32, 128, 64][queues.2 as usize / 2 % 4];
        if gpu.noc.flit_bytes > gpu.l2.line_bytes {
            gpu.noc.flit_bytes = gpu.l2.line_bytes + 8;
        }
        gpu.sms[0].l1.index = if l1.2.is_multiple_of(2) { SetIndex::Xor } else { SetIndex::Modulo };
        gpu.dram.kind = if dram.0 { DramKind::Ideal } else { DramKind::Banked };
        gpu.dram.channels = if gpu.l2.banks.is_multiple_of(2) && dram.5 { 2 } else { 1 };
        (gpu.dram.queue, gpu.dram.banks) = (dram.1, dram.2);
        gpu.dram.map = [DramMap::RowBankColumn, DramMap::RowColumnBank, DramMap::HashedBank][dram.3];
        gpu.dram.page = if dram.4 { PagePolicy::Closed } else { PagePolicy::Open };
        // As good as drawn: it follows from the queue.
        gpu.dram.order = if dram.1.is_multiple_of(2) { DramOrder::OneQueue } else { DramOrder::ReadsFirst };
        (gpu.noc.mhz, gpu.dram.mhz) = clocks;
        gpu
    })
}

fn scatter() -> impl Strategy<Value = Scatter> {
    let bytes = || select(vec![128_u64, 4, 1024]);
    prop_oneof![
        3 => Just(Scatter::None),
        1 => bytes().prop_map(|bytes| Scatter::Lane { bytes }),
        1 => bytes().prop_map(|bytes| Scatter::Warp { bytes }),
        1 => bytes().prop_map(|bytes| Scatter::Skewed { bytes }),
    ]
}

fn address() -> impl Strategy<Value = Address> {
    let stride = || select(vec![0_i64, 4, 128, 132, -64, 4096]);
    (0..2_u8, stride(), stride(), stride(), select(vec![4_i64, 0, 128, -4, 260]), scatter()).prop_map(
        |(array, cta, warp, step, lane, scatter)| Address { array, cta, warp, loops: [step, 4, 0], lane, scatter, ..Address::default() },
    )
}

fn trips() -> impl Strategy<Value = Trips> {
    prop_oneof![
        2 => (0..3_u32).prop_map(Trips::Fixed),
        1 => (0..2_u32, 0..3_u32).prop_map(|(min, more)| Trips::PerCta { min, max: min + more }),
        1 => (0..2_u32, 0..3_u32).prop_map(|(min, more)| Trips::PerWarp { min, max: min + more }),
        1 => (0..3_u32, 1..4_u32).prop_map(|(trips, one_in)| Trips::SomeWarps { trips, one_in }),
    ]
}

/// Operations without a barrier, which need no care inside loops.
fn plain() -> impl Strategy<Value = Op> {
    let lanes = || select(vec![32_u32, 1, 17]);
    prop_oneof![
        (1..6_u32, select(vec![4_u32, 1, 63]), lanes()).prop_map(|(count, latency, lanes)| Op::Alu { count, latency, lanes }),
        (1..4_u32, select(vec![16_u32, 1]), lanes()).prop_map(|(count, latency, lanes)| Op::Sfu { count, latency, lanes }),
        (1..4_u32, select(vec![8_u32, 1]), lanes()).prop_map(|(count, latency, lanes)| Op::Fp64 { count, latency, lanes }),
        (1..3_u32, select(vec![1_u32, 0, 2, 32]), lanes()).prop_map(|(count, stride, lanes)| Op::Shared { count, stride, lanes }),
        (address(), lanes()).prop_map(|(address, lanes)| Op::Load { address, lanes }),
        (address(), lanes()).prop_map(|(address, lanes)| Op::Store { address, lanes }),
        (address(), lanes()).prop_map(|(address, lanes)| Op::Atomic { address, lanes }),
        (0..3_u32).prop_map(|loads| Op::Wait { loads }),
        select(vec![1_u32, 63, 64, 200]).prop_map(|cycles| Op::Sleep { cycles }),
    ]
}

/// A Program: plain operations, barriers, and loops of up to three levels, each of which issues something itself.
fn program() -> impl Strategy<Value = Vec<Op>> {
    let block = prop_oneof![
        4 => plain().prop_map(|op| vec![op]),
        1 => Just(vec![Op::Barrier]),
    ];
    let nested = block.prop_recursive(MAX_LOOPS as u32, 12, 4, |inner| {
        (trips(), plain(), proptest::collection::vec(inner, 0..3)).prop_map(|(trips, first, body)| {
            let own = if matches!(first, Op::Wait { .. }) { Op::Alu { count: 1, latency: 2, lanes: 32 } } else { first };
            let mut ops = vec![Op::Loop { trips }, own];
            let uneven = trips.differ_between_warps();
            ops.extend(body.into_iter().flatten().filter(|op| !(uneven && *op == Op::Barrier)));
            ops.push(Op::End);
            ops
        })
    });
    proptest::collection::vec(nested, 1..5).prop_map(|blocks| {
        let ops: Vec<Op> = blocks.into_iter().flatten().collect();
        if barriers_stand_evenly(&ops) { ops } else { ops.into_iter().filter(|op| *op != Op::Barrier).collect() }
    })
}

/// No barrier inside a loop whose trips differ between warps, however deep.
fn barriers_stand_evenly(program: &[Op]) -> bool {
    let mut uneven = Vec::new();
    program.iter().all(|op| {
        match op {
            Op::Loop { trips } => uneven.push(trips.differ_between_warps()),
            Op::End => drop(uneven.pop()),
            _ => {}
        }
        *op != Op::Barrier || !uneven.contains(&true)
    })
}

/// A kernel of one or two launches that fits any of the GPUs above.
pub fn kernel() -> impl Strategy<Value = Kernel> {
    let grid = prop_oneof![(1..8_u32).prop_map(Dim3::from), select(vec![Dim3 { x: 2, y: 3, z: 1 }, Dim3 { x: 1, y: 2, z: 2 }])];
    let carve_out = vec![CarveOut::Default, CarveOut::Percent(0), CarveOut::Percent(50), CarveOut::Bytes(16 << 10)];
    let shared = (select(vec![0_u32, 512]), select(carve_out));
    let shape = (select(vec![32_u32, 64, 61, 128]), select(vec![16_u32, 1, 40]), shared, select(vec![0_u64, 0, 1, 40, 700]));
    let launch = (grid, shape, program()).prop_map(|(grid, (threads, registers, shared, gap), program)| Launch {
        grid,
        gap,
        threads,
        registers,
        shared_bytes: shared.0,
        carve_out: shared.1,
        program,
        ..Launch::default()
    });
    let launches = (proptest::collection::vec(launch, 1..3), select(vec![1_u32, 1, 1, 3]), 0..3_i32);
    (launches, select(vec![4096_u64, 1024, 1 << 20])).prop_map(|((mut launches, times, step), bytes)| Kernel {
        // The last launch repeats, each time with more CTAs.
        repeats: if times > 1 { vec![Repeat { first: launches.len() - 1, launches: 1, times }] } else { vec![] },
        lists: vec![],
        launches: {
            if let Some(last) = launches.last_mut().filter(|_| times > 1) {
                last.grid_step = [step, 0, 0];
            }
            launches
        },
        name: "K".into(),
        title: String::new(),
        doc: String::new(),
        source: String::new(),
        arrays: ["a", "b"].map(|name| Array { name: name.into(), bytes, read_only: false }).into(),
    })
}

/// One to four kernels, each with its own name and so its own draws.
pub fn mix() -> impl Strategy<Value = Vec<Kernel>> {
    proptest::collection::vec(kernel(), 1..5).prop_map(|mut kernels| {
        for (number, kernel) in kernels.iter_mut().enumerate() {
            kernel.name = format!("K{number}");
        }
        kernels
    })
}

pub fn warp_order() -> impl Strategy<Value = WarpOrder> {
    prop_oneof![
        Just(WarpOrder::Gto),
        Just(WarpOrder::Lrr),
        select(vec![1_u8, 4, 64]).prop_map(WarpOrder::TwoLevel),
        select(vec![1_u8, 3]).prop_map(WarpOrder::GtoGroups),
        Just(WarpOrder::LrrGto),
    ]
}

/// Every rule that fills quotas up by itself.
const REFILLS: [QuotaRefill; 3] = [QuotaRefill::Interval, QuotaRefill::WhenAllSpent, QuotaRefill::IntervalOrAllSpent];

/// What is said of thread quotas: most often nothing.
type Quotas = ([Option<u32>; 8], [QuotaCarry; 8], [bool; 8], [u8; 8], QuotaCharge);

fn quotas() -> impl Strategy<Value = Quotas> {
    use proptest::array::uniform8;
    let quota = prop_oneof![1 => Just(None), 2 => select(vec![5000_u32, 1, 40, 320]).prop_map(Some)];
    let carry = select(vec![QuotaCarry::Nothing, QuotaCarry::Unused, QuotaCarry::Overrun, QuotaCarry::Both]);
    let charge = select(vec![QuotaCharge::Issue, QuotaCharge::Completion]);
    let some = (uniform8(quota), uniform8(carry), uniform8(any::<bool>()), uniform8(prop_oneof![2 => Just(0_u8), 1 => Just(1)]), charge);
    let none = ([None; 8], [QuotaCarry::Nothing; 8], [false; 8], [0; 8], QuotaCharge::Issue);
    prop_oneof![Just(none), some]
}

/// The eight values that were drawn, one for each kernel; from the ninth on again.
pub fn by_kernel<T: Copy>(drawn: [T; 8]) -> PerKernel<T> {
    PerKernel(std::array::from_fn(|kernel| drawn[kernel % 8]))
}

/// Controls that slow kernels down but starve none.
pub fn controls() -> impl Strategy<Value = Controls> {
    let maybe = |values: Vec<u32>| prop_oneof![2 => Just(None), 1 => select(values).prop_map(Some)];
    let for_each = (
        proptest::array::uniform8(maybe(vec![16, 8, 24, 100])),
        proptest::array::uniform8(maybe(vec![50, 7, 20])),
        proptest::array::uniform8(select(vec![u32::MAX, 1, 2])),
        proptest::array::uniform8(0..2_u8),
        proptest::array::uniform8(select(vec![u16::MAX, 1, 2])),
        proptest::array::uniform8(any::<bool>()),
        proptest::array::uniform8(prop_oneof![2 => Just(None), 1 => select(vec![40_u16, 1, 3]).prop_map(Some)]),
        proptest::array::uniform8(maybe(vec![20, 1, 7])),
        proptest::array::uniform8(any::<bool>()),
        quotas().boxed(),
    );
    let monitor = select(vec![0_u32, 0, 1, 3]);
    // Boxed, as all that is below is: values of strategies lie on the stack of a test.
    (for_each.boxed(), any::<bool>(), select(REFILLS.to_vec()), select(vec![200_u32, 1, 37]), warp_order(), monitor).prop_map(
        |((credits, quotas, ways, ranks, limits, allowed, caps, memory, switch, more), split, refill, interval, order, monitor)| {
            let (threads, carry, top_up, ranked, charge) = more;
            let sm = SmControls {
                allowed: by_kernel(allowed),
                cta_target: by_kernel(limits),
                cta_switch: by_kernel(switch),
                warp_quota: by_kernel(quotas),
                thread_quota: by_kernel(threads),
                quota_carry: by_kernel(carry),
                quota_top_up: by_kernel(top_up),
                issue_rank: by_kernel(ranked),
                quota_charge: charge,
                quota_refill: refill,
                quota_interval: interval,
                memory_cap: by_kernel(caps),
                memory_quota: by_kernel(memory),
                miss_queue_split: split,
                miss_credits: by_kernel(credits),
                credit_interval: interval,
                credit_carry: monitor,
                miss_rank: by_kernel(ranks),
                // Way 0 is in every mask, so that the smallest cache has one.
                l1_ways: by_kernel(ways.map(|mask| mask | 1)),
                l1_monitor: monitor,
                ..SmControls::neutral(order)
            };
            let mut controls = Controls {
                sms: vec![sm; 64],
                dram_rank: by_kernel(ranks),
                placement_rank: by_kernel(allowed.map(u8::from)),
                ..Controls::neutral(0, order)
            };
            // Every kernel may use SM 0.
            controls.sms[0].allowed = PerKernel::all(true);
            controls
        },
    )
}

/// A value that a parameter may take, out of a draw.
pub fn drawn(shape: &Shape, draw: u64, kernels: usize) -> Option<Value> {
    let int = |min: i64, max: i64| min + (draw % (max - min).unsigned_abs().saturating_add(1)) as i64;
    let number = |min: f64, max: f64| min + (max - min) * (draw % 1000) as f64 / 1000.0;
    let each = |value: Value| Value::array((0..kernels).map(|_| value.clone()));
    Some(match *shape {
        Shape::Int { min, max } => int(min, max.min(min + 1000)).into(),
        Shape::Number { min, max } => number(min, max.min(min + 2.0)).into(),
        Shape::Choice(names) => names[(draw % names.len() as u64) as usize].into(),
        Shape::Flag => (draw & 1 == 1).into(),
        Shape::PerKernel(&Shape::Int { min, max }) => each(int(min, max).into()),
        Shape::PerKernel(&Shape::Number { min, max }) => each(number(min, max).into()),
        Shape::PerKernel(&Shape::List { of: &Shape::Number { min, max }, .. }) => {
            each(Value::array((0..1 + draw as usize % MAX_LIST).map(|_| number(min, max))))
        }
        Shape::Text { .. } => "fn start(seen, controls) {}".into(),
        _ => return None,
    })
}

/// Any order of the catalogue, with any parameters.
fn cta_order(draws: [u64; 8], mix: Mix) -> CtaOrderSpec {
    let order = &CTA_ORDERS[draws[0] as usize % CTA_ORDERS.len()];
    let mut pairs = vec![("name", Value::from(order.name))];
    for (param, draw) in order.params.iter().zip(&draws[1..]) {
        let value = drawn(&param.shape, *draw, mix.kernels).filter(|_| draw >> 32 & 1 == 0);
        pairs.extend(value.map(|value| (param.name, value)));
    }
    CtaOrderSpec::decode(&Value::object(pairs), mix, &mut Problems::default()).unwrap_or_default()
}

/// A run of a mix to its end, without restarts.
pub fn experiment() -> impl Strategy<Value = Experiment> {
    (gpu().boxed(), mix().boxed(), controls().boxed(), any::<u32>(), any::<bool>(), any::<[u64; 8]>()).prop_map(
        |(gpu, kernels, mut controls, seed, neutral, draws)| {
            let sms = gpu.sm_count() as usize;
            let warp_order = controls.sms[0].warp_order;
            controls.sms.truncate(sms);
            let policy = if neutral { PolicySpec::leftover() } else { PolicySpec::manual(controls) };
            let mut experiment = Experiment {
                name: "random".into(),
                source: String::new(),
                seed: seed.into(),
                gpu,
                kernels: kernels.into_iter().map(|kernel| KernelUse { kernel, ctas_per_sm: None, qos: None }).collect(),
                policy,
                warp_order,
                cta_order: CtaOrderSpec::default(),
                warm_up: WarmUp::Cycles(0),
                alone_warp_order: None,
                stop: Stop::KernelsDone { at_most: 30_000_000 },
                restart: false,
                alone: false,
                alone_gpu: None,
            };
            if draws[0] >> 32 & 1 == 0 {
                experiment.cta_order = cta_order(draws, experiment.mix());
            }
            experiment
        },
    )
}

/// From a cycle on, which CTAs may stay: allowed kernels, targets, and whether CTAs beyond them are switched, for SMs in turn.
#[derive(Clone, Debug)]
pub struct Change {
    at: u64,
    sms: Vec<([bool; 8], [u16; 8], [bool; 8])>,
}

/// Changes in the course of a run, in the order of their cycles, after each of which every kernel may use SM 0.
pub fn changes() -> impl Strategy<Value = Vec<Change>> {
    use proptest::array::uniform8;
    let sm =
        (uniform8(any::<bool>()), uniform8(select(vec![1_u16, 2, u16::MAX])), uniform8(prop_oneof![1 => Just(false), 3 => Just(true)]));
    let change = (1..1500_u64, proptest::collection::vec(sm, 1..4)).prop_map(|(at, sms)| Change { at, sms });
    proptest::collection::vec(change, 0..5).prop_map(|mut changes| {
        changes.sort_by_key(|change| change.at);
        changes.dedup_by_key(|change| change.at);
        changes
    })
}

/// Advances a run, and changes its controls in the cycles that say so.
pub fn advance(run: &mut Simulation, changes: &[Change], cycles: u64, by_event: bool) -> Reason {
    let end = run.cycle().saturating_add(cycles);
    while run.cycle() < end {
        let from = run.cycle();
        if let Some(change) = changes.iter().find(|change| change.at == from) {
            let mut controls = run.machine().controls().clone();
            for (sm, (allowed, target, switch)) in controls.sms.iter_mut().zip(change.sms.iter().cycle()) {
                (sm.allowed, sm.cta_target, sm.cta_switch) = (by_kernel(*allowed), by_kernel(*target), by_kernel(*switch));
                // As good as drawn: rounds of quotas, some of which are not as large as before, and now and then another time of charging.
                sm.quota_round += u32::from(allowed[1]);
                if switch[7] {
                    sm.thread_quota.0.iter_mut().zip(target).for_each(|(quota, target)| *quota = quota.map(|_| u32::from(*target)));
                    sm.quota_charge = if target[6] == 1 { QuotaCharge::Issue } else { QuotaCharge::Completion };
                }
            }
            controls.sms[0].allowed = PerKernel::all(true);
            run.machine_mut().set_controls(controls);
        }
        let next = changes.iter().map(|change| change.at).find(|&at| at > from).unwrap_or(u64::MAX).min(end);
        let reason = if by_event { run.advance_event(next - from) } else { run.advance(next - from) };
        if reason != Reason::Budget {
            return reason;
        }
    }
    Reason::Budget
}

/// Where to cut a run, as parts of its length.
pub fn cuts() -> impl Strategy<Value = Vec<Index>> {
    proptest::collection::vec(any::<Index>(), 1..6)
}

/// The kernels of an experiment by number.
pub fn kernels(experiment: &Experiment) -> impl Iterator<Item = KernelId> + Clone + use<> {
    KernelId::first(experiment.kernels.len())
}

/// Whether a scheme refuses SMs as unlike as these: CCBP gives all of them one combination of CTAs, and spatial partitioning a kernel SMs that
/// hold none of its CTAs.
#[allow(dead_code)] // not every test that draws machines runs schemes
pub fn too_unlike(problems: &Problems) -> bool {
    !problems.0.is_empty()
        && problems.0.iter().all(|p| {
            p.path.starts_with("policy")
                && (p.found.ends_with("do not fit every SM class") || p.found.ends_with("whose CTAs fit none of them"))
        })
}
