//! What must follow when one thing is changed: more of a resource never hurts, order and copies do not matter, idle neighbours cost nothing.

use crate::random;
use proptest::prelude::*;
use sim_core::describe::gpu::{Gpu, presets};
use sim_core::describe::ids::{KernelId, PerKernel};
use sim_core::describe::kernel::library;
use sim_core::interface::stats::KernelStats;
use sim_core::policy::PolicySpec;
use sim_core::run::experiment::warm_up::WarmUp;
use sim_core::run::experiment::{Experiment, KernelUse, Stop};
use sim_core::study::profile;

/// Cycles of a run: a few rounds of CTAs of every kernel here.
const CYCLES: u64 = 60_000;

fn experiment(gpu: Gpu, kernels: &[&str], policy: PolicySpec) -> Experiment {
    let found = |name: &&str| KernelUse { kernel: library::find(name).expect("a kernel of the library"), ctas_per_sm: None, qos: None };
    Experiment {
        name: String::new(),
        source: String::new(),
        seed: 1,
        gpu,
        kernels: kernels.iter().map(found).collect(),
        policy,
        warp_order: sim_core::interface::controls::WarpOrder::Gto,
        cta_order: sim_core::machine::dispatch::order::CtaOrderSpec::default(),
        warm_up: WarmUp::Cycles(0),
        alone_warp_order: None,
        stop: Stop::Cycles(CYCLES),
        restart: true,
        alone: false,
        alone_gpu: None,
    }
}

fn totals(experiment: &Experiment) -> Vec<KernelStats> {
    let mut simulation = profile::start(experiment).unwrap_or_else(|problems| panic!("{problems}"));
    simulation.advance(u64::MAX);
    simulation.totals()
}

fn alone(gpu: &Gpu, kernel: &str) -> u64 {
    // A CTA of CFD takes 80,000 cycles, and its warps set out in step.
    let cycles = if kernel == "ccbp/CFD" { 240_000 } else { CYCLES };
    let experiment = experiment(gpu.clone(), &[kernel], PolicySpec::leftover());
    totals(&Experiment { stop: Stop::Cycles(cycles), ..experiment })[0].thread_instructions
}

fn ccbp() -> Gpu {
    presets::find("ccbp-16sm").expect("a preset")
}

/// What is changed, in words, and the change.
type Change = (&'static str, fn(&mut Gpu));

/// Changes that can only help a kernel that has the GPU to itself. A bank's pipeline to the reply port is a buffer as well, of one flit a
/// cycle and the lines of its queue. It keeps them when its latency is cut: with less it would buffer less.
const IMPROVEMENTS: [Change; 8] = [
    ("DRAM at half as many MHz more", |gpu| gpu.dram.mhz = gpu.dram.mhz * 3 / 2),
    ("NoC and L2 at half as many MHz more", |gpu| gpu.noc.mhz = gpu.noc.mhz * 3 / 2),
    ("flits twice as wide", |gpu| gpu.noc.flit_bytes *= 2),
    ("twice the L1 MSHRs", |gpu| gpu.sms[0].l1.mshrs *= 2),
    ("twice the L2 MSHRs", |gpu| gpu.l2.mshrs *= 2),
    ("half the L2 latency", |gpu| {
        gpu.l2.latency /= 2;
        gpu.l2.queue += gpu.l2.latency / gpu.line_flits();
    }),
    ("half the DRAM latency", |gpu| gpu.dram.latency /= 2),
    ("twice the store buffer", |gpu| gpu.sms[0].l1.store_buffer *= 2),
];

/// Does more of anything ever make a kernel alone slower by more than 1 %?
#[test]
fn more_of_a_resource_never_hurts_a_kernel_alone() {
    for kernel in ["ccbp/BP", "ccbp/CFD", "ccbp/FTD", "ccbp/SAD", "VADD", "MATVEC"] {
        let base = alone(&ccbp(), kernel);
        for (what, improve) in IMPROVEMENTS {
            let mut gpu = ccbp();
            improve(&mut gpu);
            let better = alone(&gpu, kernel);
            // FTD fills DRAM, and its CTAs read each other's rows; MATVEC's warps read rows that begin on the same channel, so that warps in
            // step crowd on it. How many meet in L2, on a channel and in an open row depends on how close they happen to run, and moves
            // the speed by up to 7 % either way when a latency changes by a tenth.
            // With more MSHRs more of CFD's reads wait at banks behind busy ports, in another order.
            let least = match kernel {
                "ccbp/FTD" | "MATVEC" => 92,
                "ccbp/CFD" => 98,
                _ => 99,
            };
            assert!(better * 100 >= base * least, "{kernel} with {what}: {better} thread instructions, {base} without");
        }
    }
}

/// Twice the SMs, banks and channels: does each SM keep its speed? Within 5 %. A crossbar with twice the ports blocks a little more at its
/// inputs (.6184 of a port at 8 × 8, .6017 at 16 × 16: 3 %). The same grid on twice the SMs meets twice as many ends of launches, at which
/// SMs wait for the last CTA. SAXPY and FTD lose more: with twice the CTAs under way more of their reads and writes want different rows of
/// one bank (82 % row hits instead of 91 %, of both).
#[test]
fn a_gpu_twice_as_large_keeps_the_speed_of_an_sm() {
    let mut half = ccbp();
    half.sms[0].count /= 2;
    half.l2.banks /= 2;
    half.dram.channels /= 2;
    // A row of all channels together keeps its length.
    half.dram.columns *= 2;
    for (kernel, tolerance) in [("ccbp/BP", 0.05), ("ccbp/FTD", 0.12), ("ccbp/SAD", 0.05), ("VADD", 0.05), ("SAXPY", 0.12)] {
        let (small, large) = (alone(&half, kernel) as f64 / 8.0, alone(&ccbp(), kernel) as f64 / 16.0);
        assert!((large / small - 1.0).abs() <= tolerance, "{kernel}: {small} thread instructions an SM on 8, {large} on 16");
    }
}

/// Two copies of a kernel under `even`: do they end up alike? They differ only in which goes first when both could: the first CTA of each SM is
/// the first kernel's, and greedy-then-oldest favours it until CTAs have come and gone, so the run is longer.
#[test]
fn two_copies_of_a_kernel_under_even_fare_alike() {
    for kernel in ["ccbp/BP", "ccbp/CFD", "ccbp/FTD", "ccbp/SAD"] {
        let both = totals(&Experiment { stop: Stop::Cycles(500_000), ..experiment(ccbp(), &[kernel, kernel], PolicySpec::even()) });
        let [first, second] = [both[0].thread_instructions, both[1].thread_instructions].map(|n| n as f64);
        assert!((first / second - 1.0).abs() <= 0.03, "{kernel}: {first} and {second} thread instructions");
    }
}

/// Does the order in which kernels are named matter? Only through ties (which kernel is dispatched and granted first) and through where
/// their arrays lie (sets of L2, banks and rows of DRAM), so each kernel keeps its speed within 5 %.
#[test]
fn the_order_of_the_mix_permutes_the_result() {
    for (a, b) in [("ccbp/BP", "ccbp/CFD"), ("ccbp/FTD", "ccbp/SAD"), ("ccbp/BP", "ccbp/SAD")] {
        let forth = totals(&experiment(ccbp(), &[a, b], PolicySpec::even()));
        let back = totals(&experiment(ccbp(), &[b, a], PolicySpec::even()));
        for (name, there, here) in [(a, &forth[0], &back[1]), (b, &forth[1], &back[0])] {
            let ratio = there.thread_instructions as f64 / here.thread_instructions as f64;
            assert!((ratio - 1.0).abs() <= 0.05, "{name} of {a}+{b}: {ratio} of its speed the other way round");
        }
    }
}

proptest! {
    #![proptest_config(random::cases(150))]

    /// A neighbour that may not place a CTA: is the run the same to the bit?
    #[test]
    fn an_idle_kernel_costs_its_neighbour_nothing(mut one in random::experiment(), idle in random::kernel()) {
        one.kernels.truncate(1);
        one.policy = PolicySpec::leftover();
        (one.stop, one.restart) = (Stop::Cycles(3000), true);
        let mut two = one.clone();
        two.kernels.push(KernelUse { kernel: idle, ctas_per_sm: None, qos: None });
        let mut controls = sim_core::interface::controls::Controls::neutral(two.gpu.sm_count() as usize, two.warp_order);
        controls.each_sm(|sm| {
            sm.cta_target = PerKernel::all(0);
            sm.cta_target[KernelId(0)] = u16::MAX;
        });
        two.policy = PolicySpec::manual(controls);
        prop_assert_eq!(totals(&one)[0], totals(&two)[0]);
    }
}
