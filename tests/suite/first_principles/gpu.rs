//! Whole experiments on the preset: do they give what the preset's source says?

use super::{K, figure, finish, kernel, machine, near, one_of_each, repeat};
use sim_core::describe::error::Problems;
use sim_core::describe::gpu::{SmClass, occupancy, presets, validate};
use sim_core::describe::ids::KernelId;
use sim_core::describe::kernel::{Address, Kernel, Op};
use sim_core::describe::value::Value;
use sim_core::interface::controls::WarpOrder;
use sim_core::interface::ratios;
use sim_core::interface::stats::KernelStats;
use sim_core::run::experiment::Experiment;
use sim_core::run::simulation::{Reason, Simulation};
use sim_core::study::probe;

/// A kernel alone on `ccbp-16sm`.
fn start(kernel: Kernel) -> Simulation {
    start_on("ccbp-16sm".into(), kernel)
}

fn start_on(gpu: Value, kernel: Kernel) -> Simulation {
    let value = Value::object([
        ("corun", Value::from(1)),
        ("gpu", gpu),
        ("kernels", Value::array(["ccbp/BP"])),
        ("policy", "leftover".into()),
        ("warp_order", "lrr".into()),
        ("stop", Value::object([("kernels_done", true)])),
        ("restart", false.into()),
    ]);
    let mut experiment = Experiment::decode(&value).unwrap();
    experiment.kernels[0].kernel = kernel;
    Simulation::new(&experiment).unwrap()
}

/// Runs a kernel until it is done and returns its counters and the cycles.
fn run(kernel: Kernel) -> (KernelStats, u64) {
    run_on("ccbp-16sm".into(), kernel)
}

fn run_on(gpu: Value, kernel: Kernel) -> (KernelStats, u64) {
    let mut simulation = start_on(gpu, kernel);
    assert_eq!(simulation.advance(u64::MAX), Reason::KernelsDone);
    assert_eq!(simulation.cycle(), simulation.machine().run(K).finished_at + 1, "the run ends with the kernel, not later");
    (simulation.totals()[K.index()], simulation.cycle())
}

/// One warp that loads one line at a time, `step` bytes further each time, `loads` times.
fn chase(loads: u32, step: i64) -> Vec<Op> {
    let address = Address { lane: 4, loops: [step, 0, 0], ..Address::default() };
    repeat(loads, &[Op::Load { address, lanes: 32 }, Op::Wait { loads: 0 }])
}

/// A load that misses everywhere takes 380 core cycles in all (CCBP Table 1).
#[test]
fn an_unloaded_dram_access_takes_380_cycles_in_all() {
    // A row further each time, so that each of the 16 banks of a channel is opened once.
    let (stats, _) = run(kernel(1, 32, chase(16, 128 * 16 * 16)));
    assert_eq!((stats.l2_misses, stats.dram_row_hits), (16, 0));
    near("cycles", stats.load_latency_sum as f64 / stats.loads_done as f64, 380.0, 0.02 * 380.0);
}

/// A load that misses L1D and hits L2 takes 200 core cycles in all (CCBP Table 1).
#[test]
fn an_unloaded_l2_hit_takes_200_cycles() {
    // The first warp brings 400 lines, more than L1D holds and fewer than L2 does; later rounds hit L2.
    let address = Address { lane: 4, loops: [0, 128, 0], ..Address::default() };
    let round = repeat(20, &repeat(400, &[Op::Load { address, lanes: 32 }, Op::Wait { loads: 0 }]));
    let (stats, _) = run(kernel(1, 32, round));
    assert_eq!((stats.l1_hits, stats.l2_misses, stats.l2_hits), (0, 400, 400 * 19));
    let dram = 400.0 * 380.0;
    near("cycles", (stats.load_latency_sum as f64 - dram) / (400.0 * 19.0), 200.0, 0.02 * 200.0);
}

/// A load that hits L1D takes 82 core cycles (Mei and Chu, TPDS 2017: Maxwell).
#[test]
fn an_l1_hit_takes_82_cycles() {
    let (stats, _) = run(kernel(1, 32, chase(1000, 0)));
    assert_eq!((stats.l1_misses, stats.l1_hits), (1, 999));
    near("cycles", stats.load_latency_sum as f64 / 1000.0, 82.0, 0.02 * 82.0);
}

/// What pointer chases measure on an A100 at 1410 MHz and on a GH200 at 1980 MHz (RRZE gpu-benches), in core cycles. They measure an L1D
/// hit, an L2 hit (on the A100 the mean of the near and the far half), and a DRAM access. Our own chase on an H100 (`silicon/h100.csv`) says 283 cycles of an L2 hit,
/// eight of which are the next address.
#[test]
fn unloaded_latencies_of_the_a100_and_the_h100_are_those_that_were_measured() {
    for (name, hit, l2, dram) in
        [("a100-40gb", 33.0, (205.0 + 400.0) / 2.0, 535.0), ("h100-sxm5", 32.0, 275.0, 650.0), ("h200-sxm", 32.0, 275.0, 650.0)]
    {
        let gpu = presets::find(name).expect("a preset");
        // A chase of a few accesses is not to meet a refresh.
        let quiet = || Value::object([("preset", Value::from(name)), ("dram.timing.tREFI", 0.into())]);
        let mean = |stats: &KernelStats| stats.load_latency_sum as f64 / stats.loads_done as f64;
        let (stats, _) = run_on(quiet(), kernel(1, 32, chase(100_000, 0)));
        assert_eq!((stats.l1_misses, stats.l1_hits), (1, 99_999));
        near(name, mean(&stats), hit, 0.02 * hit);

        let row = 128 * gpu.dram.columns * gpu.dram.channels;
        let (stats, _) = run_on(quiet(), kernel(1, 32, chase(gpu.dram.banks, row.into())));
        assert_eq!((stats.l2_misses, stats.dram_row_hits), (gpu.dram.banks.into(), 0), "{name}");
        near(name, mean(&stats), dram, 0.02 * dram);

        // More lines than L1D holds, then again.
        let lines = 2 * gpu.sms[0].l1.bytes / 128;
        let address = Address { lane: 4, loops: [0, 128, 0], ..Address::default() };
        let rounds =
            |n| run_on(quiet(), kernel(1, 32, repeat(n, &repeat(lines, &[Op::Load { address, lanes: 32 }, Op::Wait { loads: 0 }])))).0;
        let (cold, warm) = (rounds(1), rounds(5));
        assert_eq!((warm.l1_hits, warm.l2_misses, warm.l2_hits), (0, lines.into(), u64::from(4 * lines)), "{name}");
        near(name, (warm.load_latency_sum - cold.load_latency_sum) as f64 / f64::from(4 * lines), l2, 0.02 * l2);
    }
}

/// The rates that are published follow from the clocks and the widths: DRAM, and the read ports of L2, in bytes.
#[test]
fn peak_rates_of_the_a100_and_the_h100_are_the_published_ones() {
    for (name, dram, l2, within) in [
        ("a100-40gb", 1555.0, Some(5120.0), 0.001),
        ("h100-sxm5", 3350.0, None, 0.001),
        // The data sheet rounds: the clock that the driver says makes 4917.
        ("h200-sxm", 4800.0, None, 0.025),
    ] {
        let gpu = presets::find(name).expect("a preset");
        let gb = f64::from(gpu.dram.channels * 128 / gpu.dram.timing.T) * f64::from(gpu.dram.mhz) / 1000.0;
        near(name, gb, dram, within * dram);
        if let Some(bytes) = l2 {
            near(name, f64::from(gpu.l2.banks * 128 / gpu.line_flits()) * f64::from(gpu.noc.mhz) / f64::from(gpu.core_mhz), bytes, 0.0);
        }
    }
}

/// HeteroCore's Table 2 prints 177.4 GB/s: six channels of 64 bits, with four bits a clock on each line, at 924 MHz. That is 253.4 bytes a cycle of its SMs. A
/// stream fills a channel's bus.
#[test]
fn six_channels_have_the_bandwidth_that_the_hetero_paper_prints() {
    for name in ["fermi-16sm", "hetero-8b8s", "hetero-4b12s", "hetero-12b4s"] {
        let gpu = presets::find(name).expect("a preset");
        let bytes = f64::from(gpu.dram.channels * 128 / gpu.dram.timing.T) * f64::from(gpu.dram.mhz);
        near(name, f64::from(gpu.dram.channels * 8 * 4) * f64::from(gpu.dram.mhz), bytes, 0.0);
        near(name, bytes / 1000.0, 177.4, 0.05);
        near(name, bytes / f64::from(gpu.core_mhz), 253.4, 0.05);
        let stream = probe::DramProbe { config: gpu.dram, ..Default::default() };
        let got = probe::dram(&stream).unwrap_or_else(|problems| panic!("{problems}"));
        assert!(figure(&got, "bandwidth") >= 0.995, "{name}: {got}");
    }
}

/// What the QoS paper leaves open is CCBP's in core cycles: an L2 hit in 200, a DRAM access in 380. Its data rate, 7 Gb/s on each of 256 lines (GTX
/// 980), is 184.2 bytes in a cycle of its core clock, and its schedulers issue 2048 and 3584 thread instructions.
#[test]
fn the_gpus_of_the_qos_paper_have_its_rates_and_the_latencies_of_ccbp() {
    for (name, peak) in [("qos-16sm", 2048), ("qos-56sm", 3584)] {
        let gpu = presets::find(name).expect("a preset");
        assert_eq!(ratios::peak_ipc(&gpu), peak);
        near(name, ratios::dram_bytes_per_cycle(&gpu), 7e9 * 256.0 / 8.0 / 1216e6, 0.01);
        let (hit, miss) = probe::unloaded_latency(&gpu);
        near(name, hit, 200.0, 0.02 * 200.0);
        near(name, miss, 380.0, 0.02 * 380.0);
    }
}

/// No queue of the GPUs of the QoS paper keeps a kernel from its DRAM bandwidth. By Little's law each holds what is under way at the peak
/// rate and unloaded latencies, and a quarter more. L2's ports can read what DRAM delivers.
#[test]
fn the_queues_of_the_qos_paper_hold_its_dram_bandwidth() {
    for name in ["qos-16sm", "qos-56sm"] {
        let gpu = presets::find(name).expect("a preset");
        let lines = ratios::dram_bytes_per_cycle(&gpu) / f64::from(gpu.l2.line_bytes);
        let (hit, miss) = probe::unloaded_latency(&gpu);
        let l1 = &gpu.sms[0].l1;
        // Stores leave the buffer with the NoC's acceptance: what waits is the miss queue's, which reads share.
        for (what, parts, cycles, places) in [
            ("L1D MSHRs", gpu.sm_count(), miss, l1.mshrs),
            ("L2 MSHRs", gpu.l2.banks, miss - hit, gpu.l2.mshrs),
            ("DRAM queue", gpu.dram.channels, miss - hit, gpu.dram.queue),
        ] {
            let under_way = lines * cycles / f64::from(parts);
            assert!(1.25 * under_way < f64::from(places), "{name}, {what}: {under_way} of {places}");
        }
        // Head-of-line blocking leaves six tenths of a port (CCBP §6), and a line travels behind a header.
        let data = ratios::noc_bytes_per_cycle(&gpu) * f64::from(gpu.line_flits() - 1) / f64::from(gpu.line_flits());
        assert!(0.6 * data > ratios::dram_bytes_per_cycle(&gpu), "{name}: {data}");
    }
}

/// No queue of the GPU of the latency prediction paper keeps a kernel from its DRAM bandwidth. By Little's law each holds what is under
/// way at the peak rate and unloaded latencies, and a quarter more. By head-of-line blocking the ports of L2 give more than DRAM.
#[test]
fn the_queues_of_the_latency_paper_hold_its_dram_bandwidth() {
    let gpu = presets::find("rtx2060-30sm").expect("a preset");
    near("GB/s", ratios::dram_bytes_per_cycle(&gpu) * f64::from(gpu.core_mhz) / 1000.0, 348.0, 1e-9);
    let lines = ratios::dram_bytes_per_cycle(&gpu) / f64::from(gpu.l2.line_bytes);
    let (hit, miss) = probe::unloaded_latency(&gpu);
    for (what, parts, cycles, places) in [
        ("L1D MSHRs", gpu.sm_count(), miss, gpu.sms[0].l1.mshrs),
        ("L2 MSHRs", gpu.l2.banks, miss - hit, gpu.l2.mshrs),
        ("L2 queue", gpu.l2.banks, 1.0, gpu.l2.queue),
        ("DRAM queue", gpu.dram.channels, miss - hit, gpu.dram.queue),
    ] {
        let under_way = lines * cycles / f64::from(parts);
        println!("{what}: {under_way:.1} of {places}");
        assert!(1.25 * under_way < f64::from(places), "{what}: {under_way} of {places}");
    }
    assert_eq!(gpu.line_flits(), 1);
    let ports = f64::from(gpu.l2.banks * gpu.l2.line_bytes);
    assert!(0.6 * ports > ratios::dram_bytes_per_cycle(&gpu));
}

/// Unloaded latencies of L2 and DRAM on `ccbp-16sm`, behind the SM's port; the SM's part, from the L1D miss to the port and back, is not
/// in these.
#[test]
fn unloaded_latency_behind_the_port() {
    let (hit, miss) = probe::unloaded_latency(&presets::find("ccbp-16sm").unwrap());
    near("L2", hit, 200.0, 0.02 * 200.0);
    near("DRAM", miss, 380.0, 0.02 * 380.0);
}

/// 16 SMs × 4 schedulers × 32 lanes.
#[test]
fn peak_ipc_is_2048() {
    let mut simulation = start(kernel(16 * 8, 256, vec![Op::Alu { count: 50_000, latency: 4, lanes: 32 }]));
    simulation.advance(100);
    let before = simulation.totals()[K.index()];
    simulation.advance(1000);
    assert_eq!((simulation.totals()[K.index()] - before).thread_instructions, 2048 * 1000);
}

/// 128 threads of 85 registers: five CTAs in 65,536 registers where a thread gets multiples of 4; six without granularity (`gpu/occupancy.rs`).
#[test]
fn occupancy_limits_what_is_resident() {
    let gpu = presets::find("ccbp-16sm").unwrap();
    let alu = || vec![Op::Alu { count: 1000, latency: 4, lanes: 32 }];
    let mut registers = kernel(1000, 128, alu());
    registers.launches[0].registers = 85;
    assert_eq!(occupancy::of(&registers.launches[0], &gpu.sms[0]).ctas, 5);
    let (stats, cycles) = run(registers);
    assert_eq!(stats.ctas_done, 1000);
    assert!(stats.cta_cycles <= 16 * 5 * cycles && stats.cta_cycles > 16 * 4 * cycles);
}

/// An experiment on the preset with other sizes.
fn sized(sms: u32, banks: u32, channels: u32, kernels: &str) -> Result<Experiment, Problems> {
    let text = format!(
        r#"{{ "corun": 1, "gpu": {{ "preset": "ccbp-16sm", "sm.count": {sms}, "l2.banks": {banks}, "dram.channels": {channels} }},
              "kernels": {kernels}, "policy": {{ "name": "even" }}, "stop": {{ "cycles": 2500 }}, "alone": false }}"#
    );
    Experiment::decode(&serde_json::from_str::<Value>(&text).expect("JSON"))
}

/// GPUs as large as an A100 (108 SMs, 80 L2 slices) and an H100 (132 SMs, here with 96 banks), just beside where a set of parts needs
/// another word. And as large as they get. Every SM and every bank works, requests come back, and the order in which parts are visited,
/// and sleeping, change nothing.
#[test]
fn a_gpu_has_up_to_256_sms_and_banks() {
    for (sms, banks, channels) in [(64, 64, 64), (65, 65, 65), (108, 80, 40), (132, 96, 48), (256, 256, 256)] {
        let experiment = sized(sms, banks, channels, r#"["ccbp/BP", "ccbp/SAD"]"#).unwrap_or_else(|problems| panic!("{problems}"));
        let run = |reversed, keep_awake| {
            let mut simulation = Simulation::new(&experiment).expect("valid");
            (simulation.machine_mut().reversed, simulation.machine_mut().keep_awake) = (reversed, keep_awake);
            simulation.advance(u64::MAX);
            simulation
        };
        let mut forwards = run(false, false);
        let what = format!("{sms} SMs, {banks} banks");
        assert_eq!(run(true, false).digest(), forwards.digest(), "{what}, backwards");
        assert_eq!(run(false, true).digest(), forwards.digest(), "{what}, awake");
        let machine = forwards.machine_mut();
        machine.settle();
        for (sm, stats) in machine.sms.iter().map(|sm| sm.stats()).enumerate() {
            assert!(stats.iter().all(|stats| stats.replies > 0), "{what}: nothing comes back to SM {sm}");
        }
        let total = |count: fn(&KernelStats) -> u64| KernelId::first(2).map(|kernel| count(&machine.kernel_stats(kernel))).sum::<u64>();
        // A line of each bank and channel at least.
        assert!(total(|s| s.dram_reads) > u64::from(banks), "{what}");
    }
}

/// One request to each bank from each SM of the largest GPU: all of them come back, and DRAM reads each line once.
#[test]
fn every_sm_reaches_every_bank() {
    let mut gpu = one_of_each();
    (gpu.sms[0].count, gpu.l2.banks, gpu.dram.channels) = (132, 250, 125);
    let load = Op::Load { address: Address { lane: 4, loops: [128, 0, 0], ..Address::default() }, lanes: 32 };
    let mut m = machine(&gpu, kernel(132, 32, repeat(250, &[load])), WarpOrder::Lrr);
    finish(&mut m);
    m.settle();
    let got = m.kernel_stats(K);
    assert_eq!([got.requests, got.replies, got.l2_reads, got.dram_reads], [132 * 250, 132 * 250, 132 * 250, 250]);
    assert!(m.sms.iter().all(|sm| sm.stats()[K.index()].replies == 250), "each SM its own");
}

/// Beyond 256 an experiment is refused, with the field that says so.
#[test]
fn more_than_256_of_anything_is_an_error() {
    let problems = |sms, banks, channels| match sized(sms, banks, channels, r#"["ccbp/BP"]"#) {
        Ok(_) => panic!("{sms} SMs, {banks} banks, {channels} channels"),
        Err(problems) => problems.to_string(),
    };
    assert!(problems(257, 16, 16).contains("gpu.sm.count: found 257, want a whole number from 0 to 256"));
    assert!(problems(16, 257, 1).contains("gpu.l2.banks: found 257, want a whole number from 1 to 256"));
    assert!(problems(16, 256, 512).contains("gpu.dram.channels: found 512, want a whole number from 1 to 256"));
    let mut gpu = presets::find("ccbp-16sm").expect("a preset");
    gpu.sms[0].count = 200;
    gpu.sms.push(SmClass { name: "small".into(), count: 57, ..gpu.sms[0].clone() });
    let mut problems = Problems::default();
    validate::check(&gpu, "gpu", &mut problems);
    assert!(problems.to_string().contains("gpu.sm.count: found 257, want at most 256 SMs in all classes"), "{problems}");
}
