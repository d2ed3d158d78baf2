//! Does the machine keep its promises to the cycle: issue rates, sleeping, order, accounting?

mod ahead;
mod carve_out;
mod contents;
mod context;
mod controls;
mod exit;
mod orders;
mod recorded;

use super::dispatch::order::CtaOrderSpec;
use super::*;
use crate::describe::digest::Fnv;
use crate::describe::gpu::carve_out::{CarveOutWait, CarveOuts};
use crate::describe::gpu::*;
use crate::describe::kernel::{Address, Array, Launch, Op, Scatter, Trips};
use crate::interface::controls::WarpOrder;
use alloc::string::ToString;
use alloc::vec;

fn gpu(sms: u32) -> Gpu {
    let l1 = L1Config {
        protocol: protocols::L1Protocol::Uncoherent,
        bytes: 24 * 1024,
        ways: 8,
        latency: 28,
        mshrs: 256,
        merges: 8,
        index: SetIndex::Modulo,
        allocate: Allocate::OnFill,
        miss_queue: 128,
        arbiter_latency: 1,
        store_buffer: 16,
        store_release: StoreRelease::Sent,
        forward_latency: 0,
        read_only: ReadOnlyLines::Kept,
        launch_drops: LaunchDrops::Nothing,
    };
    let class = SmClass {
        name: "sm".to_string(),
        count: sms,
        ctas: 32,
        threads: 2048,
        registers: 65_536,
        register_granularity: 1,
        shared_bytes: 96 * 1024,
        shared_reserved: 0,
        carve_outs: CarveOuts::None,
        carve_out_wait: CarveOutWait::Wanted,
        shared_banks: 32,
        shared_latency: 24,
        schedulers: 4,
        gto_group: 0,
        alu_lanes: 32,
        sfu_lanes: 32,
        fp64_lanes: 16,
        fp64_unit: Fp64Owner::Scheduler,
        int_lanes: 16,
        alu_latency: 4,
        sfu_latency: 20,
        fp64_latency: 8,
        tensor_latency: 16,
        tensor_interval: 8,
        loads_per_warp: 8,
        exit: Exit::Issued,
        memory_queue: 0,
        lsu_queue: 8,
        lsu_pause: 0,
        lsu_hol: LsuHol::No,
        l1,
    };
    Gpu {
        name: "test".to_string(),
        warp_order: WarpOrder::Lrr,
        measure_from: MeasureFrom::Start,
        sms: vec![class],
        core_mhz: 1800,
        noc: NocConfig {
            kind: NocKind::Crossbar,
            mhz: 1200,
            flit_bytes: 32,
            queue: 8,
            latency: 4,
            arbiter: Arbiter::RoundRobin,
            store_flits: StoreFlits::Line,
            mesh: mesh::MeshConfig::default(),
        },
        l2: L2Config {
            banks: sms,
            bank_index: BankIndex::Modulo,
            bank_bytes: 128 * 1024,
            ways: 8,
            line_bytes: 128,
            mshrs: 256,
            merges: 8,
            queue: 8,
            latency: 100,
            write_fill: WriteFill::Fetch,
        },
        dram: DramConfig {
            kind: DramKind::Banked,
            channels: sms,
            mhz: 1246,
            queue: 128,
            banks: 16,
            columns: 32,
            map: DramMap::RowBankColumn,
            page: PagePolicy::Open,
            order: DramOrder::ReadsFirst,
            latency: 100,
            timing: DramTiming {
                T: 8,
                tCL: 15,
                WL: 5,
                tRP: 15,
                tRC: 50,
                tRAS: 35,
                tRCD: 15,
                tRRD: 8,
                tFAW: 0,
                tCCD: 2,
                tWR: 15,
                tWTR: 6,
                tRTW: 0,
                tRTP: 3,
                tREFI: 0,
                tRFC: 0,
            },
        },
    }
}

fn kernel(name: &str, ctas: u32, threads: u32, program: Vec<Op>) -> Kernel {
    Kernel {
        name: name.to_string(),
        title: "".into(),
        doc: "".into(),
        source: "".into(),
        arrays: vec![Array { name: "a".into(), bytes: 64 << 20, read_only: false }],
        launches: vec![Launch { grid: ctas.into(), threads, registers: 16, shared_bytes: 1024, program, ..Launch::default() }],
        repeats: vec![],
        lists: vec![],
    }
}

fn unit(scatter: Scatter) -> Address {
    Address { lane: 4, warp: 128, cta: 1024, loops: [65_536, 0, 0], scatter, ..Address::default() }
}

fn mixed(name: &str) -> Kernel {
    kernel(
        name,
        40,
        256,
        vec![
            Op::Loop { trips: Trips::PerWarp { min: 3, max: 9 } },
            Op::Load { address: unit(Scatter::None), lanes: 32 },
            Op::Load { address: unit(Scatter::Lane { bytes: 1 << 16 }), lanes: 20 },
            Op::Alu { count: 5, latency: 4, lanes: 32 },
            Op::Wait { loads: 0 },
            Op::Shared { count: 2, stride: 2, lanes: 32 },
            Op::Store { address: unit(Scatter::None), lanes: 32 },
            Op::End,
            Op::Barrier,
            Op::Alu { count: 3, latency: 1, lanes: 7 },
        ],
    )
}

fn machine(gpu: &Gpu, kernels: &[Kernel], restart: bool) -> Machine {
    Machine::new(gpu, kernels, 1, restart, &CtaOrderSpec::default(), Controls::neutral(gpu.sm_count() as usize, WarpOrder::Gto))
}

fn run(machine: &mut Machine, cycles: Cycle) {
    let end = machine.now + cycles;
    while machine.now < end {
        machine.advance(end);
        let next = machine.next_event().min(end);
        if next > machine.now {
            machine.skip_to(next);
        }
    }
    machine.settle();
}

fn digest(machine: &mut Machine) -> u64 {
    machine.settle();
    let mut state = Fnv::default();
    machine.hash_state(&mut state);
    state.finish()
}

#[test]
fn a_dependent_chain_issues_every_latency_cycles() {
    for latency in [1, 4, 20] {
        let gpu = gpu(1);
        let mut m = machine(&gpu, &[kernel("A", 1, 32, vec![Op::Alu { count: 1000, latency, lanes: 32 }])], false);
        run(&mut m, 1 + Cycle::from(latency) * 100);
        assert_eq!(m.kernel_stats(KernelId(0)).warp_instructions, 100, "latency {latency}");
    }
}

#[test]
fn enough_warps_issue_one_instruction_a_cycle_a_scheduler() {
    let gpu = gpu(2);
    let mut m = machine(&gpu, &[kernel("A", 100, 256, vec![Op::Alu { count: 100_000, latency: 4, lanes: 32 }])], false);
    run(&mut m, 101);
    let before = m.kernel_stats(KernelId(0));
    run(&mut m, 1000);
    let window = m.kernel_stats(KernelId(0)) - before;
    assert_eq!(window.warp_instructions, 2 * 4 * 1000);
    assert_eq!(window.thread_instructions, 2 * 4 * 1000 * 32);
}

#[test]
fn everything_finishes_and_every_cycle_is_charged_once() {
    let gpu = gpu(3);
    let mut m = machine(&gpu, &[mixed("A"), mixed("B")], false);
    run(&mut m, 300_000);
    assert_eq!(m.next_event(), NEVER);
    let mut issued = 0;
    for k in [KernelId(0), KernelId(1)] {
        let s = m.kernel_stats(k);
        assert_eq!((s.ctas_launched, s.ctas_done, s.runs_done), (40, 40, 1));
        assert_eq!(s.l1_reads, s.l1_hits + s.l1_merged + s.l1_misses);
        assert_eq!(s.requests, s.replies);
        assert_eq!(s.requests, s.l1_misses + s.l1_writes);
        assert_eq!(s.loads_done, s.load_instructions);
        assert_eq!(s.latency_sum, s.wait_miss_queue + s.wait_request_noc + s.wait_l2 + s.wait_dram + s.wait_reply_noc);
        issued += s.warp_instructions;
    }
    assert_eq!(issued + m.stalls().total(), 3 * 4 * m.now);
}

#[test]
fn sleeping_and_order_change_nothing() {
    let gpu = gpu(3);
    let mut plain = machine(&gpu, &[mixed("A"), mixed("B")], true);
    let mut awake = plain.clone();
    awake.keep_awake = true;
    let mut reversed = plain.clone();
    reversed.reversed = true;
    for _ in 0..20 {
        run(&mut plain, 997);
        run(&mut awake, 997);
        run(&mut reversed, 997);
        assert!(plain.memory == awake.memory, "memory at {}", plain.now);
        assert!(plain.sms == awake.sms, "SMs at {}", plain.now);
        assert_eq!(digest(&mut plain), digest(&mut awake));
        assert_eq!(digest(&mut plain), digest(&mut reversed));
    }
}

/// A warp that may go on with one of its loads back, but not before its arithmetic is: from then on it stalls for another cause.
#[test]
fn a_stall_that_changes_its_cause_is_not_slept_over() {
    let gpu = gpu(1);
    let far = |offset: i64| Op::Load { address: Address { offset, lane: 128, ..Address::default() }, lanes: 32 };
    // For one of these counts the first load comes back while the last arithmetic is under way.
    for count in 1..30 {
        let work = Op::Alu { count, latency: 63, lanes: 32 };
        let program = vec![far(0), far(1 << 20), work, Op::Wait { loads: 1 }, Op::Alu { count: 1, latency: 4, lanes: 32 }];
        let mut plain = machine(&gpu, &[kernel("A", 1, 32, program)], false);
        let mut awake = plain.clone();
        awake.keep_awake = true;
        for _ in 0..4000 {
            run(&mut plain, 1);
            run(&mut awake, 1);
            assert_eq!(plain.stalls(), awake.stalls(), "after cycle {}", plain.now);
        }
    }
}
