//! Do whole machines give by themselves the numbers that theory and the presets' sources say?

use sim_core::experiment::Experiment;
use sim_core::gpu::{occupancy, presets};
use sim_core::ids::KernelId;
use sim_core::kernel::{Address, Array, Kernel, Launch, Op};
use sim_core::simulation::{Reason, Simulation};
use sim_core::stats::KernelStats;
use sim_core::value::Value;

fn kernel(ctas: u32, threads: u32, program: Vec<Op>) -> Kernel {
    Kernel {
        name: "probe".into(),
        title: String::new(),
        doc: String::new(),
        source: String::new(),
        arrays: vec![Array { name: "a".into(), bytes: 1 << 30 }],
        launches: vec![Launch { ctas, threads, registers: 16, shared_bytes: 0, program }],
    }
}

/// Runs a kernel alone on `ccbp-16sm` until it is done and returns its counters and the cycles.
fn run(kernel: Kernel) -> (KernelStats, u64) {
    let value = Value::object([
        ("corun", Value::from(1)),
        ("kernels", Value::array(["BP"])),
        ("policy", "leftover".into()),
        ("warp_order", "lrr".into()),
        ("stop", Value::object([("kernels_done", true)])),
        ("restart", false.into()),
    ]);
    let mut experiment = Experiment::decode(&value).unwrap();
    experiment.kernels[0].kernel = kernel;
    let mut simulation = Simulation::new(&experiment).unwrap();
    assert_eq!(simulation.advance(u64::MAX), Reason::KernelsDone);
    assert_eq!(simulation.cycle(), simulation.machine().run(KernelId(0)).finished_at + 1, "the run ends with the kernel, not later");
    (simulation.totals()[KernelId(0).index()], simulation.cycle())
}

fn near(measured: f64, wanted: f64, part: f64) {
    assert!((measured / wanted - 1.0).abs() <= part, "{measured} where {wanted} is wanted, within {part}");
}

/// One warp that loads one line at a time, `step` bytes further each time, `loads` times.
fn chase(loads: u32, step: i64) -> Vec<Op> {
    let address = Address { lane: 4, loops: [step, 0, 0], ..Address::default() };
    vec![Op::Loop { trips: sim_core::kernel::Trips::Fixed(loads) }, Op::Load { address, lanes: 32 }, Op::Wait { loads: 0 }, Op::End]
}

#[test]
fn an_unloaded_dram_access_takes_380_cycles_in_all() {
    // A row further each time, so that each of the 16 banks of a channel is opened once.
    let (stats, _) = run(kernel(1, 32, chase(16, 128 * 16 * 16)));
    assert_eq!((stats.l2_misses, stats.dram_row_hits), (16, 0));
    near(stats.load_latency_sum as f64 / stats.loads_done as f64, 380.0, 0.02);
}

#[test]
fn an_unloaded_l2_hit_takes_200_cycles() {
    // The first warp brings 400 lines, more than L1D holds and fewer than L2 does; later rounds hit L2.
    let address = Address { lane: 4, loops: [0, 128, 0], ..Address::default() };
    let round = vec![
        Op::Loop { trips: sim_core::kernel::Trips::Fixed(20) },
        Op::Loop { trips: sim_core::kernel::Trips::Fixed(400) },
        Op::Load { address, lanes: 32 },
        Op::Wait { loads: 0 },
        Op::End,
        Op::End,
    ];
    let (stats, _) = run(kernel(1, 32, round));
    assert_eq!((stats.l1_hits, stats.l2_misses, stats.l2_hits), (0, 400, 400 * 19));
    let dram = 400.0 * 380.0;
    near((stats.load_latency_sum as f64 - dram) / (400.0 * 19.0), 200.0, 0.02);
}

#[test]
fn an_l1_hit_takes_the_presets_latency() {
    let (stats, _) = run(kernel(1, 32, chase(1000, 0)));
    assert_eq!((stats.l1_misses, stats.l1_hits), (1, 999));
    let latency = f64::from(presets::find("ccbp-16sm").unwrap().sms[0].l1.latency);
    near(stats.load_latency_sum as f64 / 1000.0, latency, 0.02);
}

#[test]
fn peak_ipc_is_2048() {
    let (stats, cycles) = run(kernel(16 * 8, 256, vec![Op::Alu { count: 50_000, latency: 4, lanes: 32 }]));
    assert_eq!(stats.thread_instructions, 16 * 8 * 256 * 50_000);
    let ipc = stats.thread_instructions as f64 / cycles as f64;
    assert!(ipc <= 2048.0);
    near(ipc, 2048.0, 0.001);
}

#[test]
fn shared_memory_conflicts_cost_a_cycle_each() {
    // Enough warps to keep the banks busy: one access a cycle without conflicts, one in 32 when all lanes hit one bank.
    let cycles = |stride: u32| run(kernel(16 * 8, 256, vec![Op::Shared { count: 100, stride, lanes: 32 }])).1 as f64;
    near(cycles(1), 8.0 * 8.0 * 100.0, 0.02);
    near(cycles(32), 8.0 * 8.0 * 100.0 * 32.0, 0.02);
    near(cycles(2) / cycles(1), 2.0, 0.02);
}

#[test]
fn occupancy_limits_what_is_resident() {
    let gpu = presets::find("ccbp-16sm").unwrap();
    let alu = || vec![Op::Alu { count: 1000, latency: 4, lanes: 32 }];
    let mut registers = kernel(1000, 128, alu());
    registers.launches[0].registers = 85;
    assert_eq!(occupancy::of(&registers.launches[0], &gpu.sms[0]).ctas, 6);
    let (stats, cycles) = run(registers);
    assert_eq!(stats.ctas_done, 1000);
    assert!(stats.cta_cycles <= 16 * 6 * cycles && stats.cta_cycles > 16 * 5 * cycles);
}
