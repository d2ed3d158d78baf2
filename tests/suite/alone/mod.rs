//! A kernel by itself, and what CCBP's Table 2 says of it. Used by tests/suite/kernels.rs and studies/.

#![allow(dead_code)] // each of them uses a part

use sim_core::describe::gpu::{Gpu, presets};
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::run::experiment::warm_up::WarmUp;
use sim_core::run::simulation::Simulation;

/// Cycles of a measurement: several launches of every kernel.
pub const CYCLES: u64 = 400_000;

/// What bounds a kernel (CCBP §3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// The NoC.
    Nbi,
    /// DRAM.
    Dbi,
    /// Latency.
    Ls,
}

impl Class {
    /// As CCBP abbreviates it.
    pub fn name(self) -> &'static str {
        match self {
            Class::Nbi => "NBI",
            Class::Dbi => "DBI",
            Class::Ls => "LS",
        }
    }
}

/// A row of CCBP's Table 2: throughput, NoC, DRAM, L2 misses, in percent.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub name: &'static str,
    pub class: Class,
    pub percent: [u32; 4],
}

const fn row(name: &'static str, class: Class, percent: [u32; 4]) -> Target {
    Target { name, class, percent }
}

/// CCBP, Table 2.
pub const TABLE_2: [Target; 13] = [
    row("ccbp/CFD", Class::Nbi, [7, 54, 14, 15]),
    row("ccbp/LAV", Class::Nbi, [5, 53, 1, 1]),
    row("ccbp/SMV", Class::Nbi, [10, 52, 25, 30]),
    row("ccbp/KM", Class::Nbi, [2, 52, 22, 17]),
    row("ccbp/LBM", Class::Dbi, [17, 15, 61, 88]),
    row("ccbp/FTD", Class::Dbi, [29, 32, 65, 66]),
    row("ccbp/SAD", Class::Dbi, [5, 17, 64, 78]),
    row("ccbp/SRT", Class::Dbi, [25, 37, 59, 69]),
    row("ccbp/BFS", Class::Ls, [44, 14, 24, 100]),
    row("ccbp/BP", Class::Ls, [68, 19, 36, 51]),
    row("ccbp/BT", Class::Ls, [24, 27, 19, 44]),
    row("ccbp/HG", Class::Ls, [28, 19, 25, 74]),
    row("ccbp/PF", Class::Ls, [72, 28, 39, 90]),
];

/// The programs of Parboil that the QoS paper runs, and whether each is bound by memory: it takes at least `MEMORY` of the DRAM bandwidth of
/// `qos-16sm` alone. The paper splits them so and does not say which is which.
pub const PROGRAMS: [(&str, bool); 10] = [
    ("qos/CUTCP", false),
    ("qos/HISTO", true),
    ("qos/LBM", true),
    ("qos/MRIG", true),
    ("qos/MRIQ", false),
    ("qos/SAD", false),
    ("qos/SGEMM", false),
    ("qos/SPMV", true),
    ("qos/STENCIL", true),
    ("qos/TPACF", false),
];
/// Percent of DRAM's peak from which on a program is bound by memory: within the widest gap between two of them.
pub const MEMORY: f64 = 25.0;
/// Cycles of the QoS paper's runs (§4.1).
pub const QOS_CYCLES: u64 = 2_000_000;

/// What the paper of HeteroCore prints of a program: CTAs that a baseline, a big and a small SM hold (Table 3), and whether it is thick.
/// Where §6.3 says so, also how many times faster it is alone on 8 big and 8 small SMs than on 16 of the baseline.
#[derive(Clone, Copy, Debug)]
pub struct Resident {
    pub name: &'static str,
    pub ctas: [u32; 3],
    pub thick: bool,
    pub hetero: Option<f64>,
}

const fn resident(name: &'static str, ctas: [u32; 3], thick: bool, hetero: Option<f64>) -> Resident {
    Resident { name, ctas, thick, hetero }
}

/// HeteroCore, Table 3 and §6.3. What no SM can hold stands as the source has it: KMEANS and SYR2K have 1 on a small SM in print, B+TREE 5, 9 and 3.
pub const HETERO: [Resident; 12] = [
    resident("hetero/LAVAMD", [6, 9, 3], false, None),
    resident("hetero/SYRK", [6, 9, 3], false, None),
    resident("hetero/KMEANS", [6, 9, 3], false, None),
    resident("hetero/SYR2K", [6, 9, 3], false, None),
    resident("hetero/NN", [8, 10, 4], false, Some(1.099)),
    resident("hetero/SC", [3, 4, 1], false, Some(1.466)),
    resident("hetero/FDTD3D", [2, 3, 1], true, Some(1.199)),
    resident("hetero/NQU", [3, 4, 2], true, None),
    resident("hetero/STO", [3, 4, 2], true, None),
    resident("hetero/BTREE", [5, 8, 2], true, Some(0.937)),
    resident("hetero/DXTC", [8, 10, 6], true, None),
    resident("hetero/HISTO", [8, 10, 6], true, None),
];

/// Core cycles of an unloaded L2 hit and of an unloaded DRAM access, whole ways (CCBP Table 1).
pub const L2_HIT: f64 = 200.0;
pub const DRAM: f64 = 380.0;
/// Latency of SAD alone over the idle one (CCBP §3).
pub const SAD_LATENCY: f64 = 6.8;
/// What one CTA of SAD takes of the DRAM bandwidth that can be sustained, and its latency over the idle one (CCBP §4.3).
pub const SAD_ONE_CTA: (f64, f64) = (0.89, 2.3);
/// What two and four CTAs of CFD take of the NoC bandwidth that can be sustained, beside BP (CCBP §4.1).
pub const CFD_CTAS: [(u32, f64); 2] = [(2, 0.44), (4, 0.62)];
/// Part of BP's stalls, alone, that wait for a load that missed L1D (CCBP §7.2).
pub const BP_RAW_LONG: f64 = 0.43;
/// Percent of peak that NoC and DRAM can sustain (CCBP §3).
pub const SUSTAINED: (f64, f64) = (60.0, 70.0);
/// Slowdown with twice the latency of L2 and DRAM beyond which CCBP selects a kernel as latency-sensitive (§3).
pub const SENSITIVE: f64 = 1.7;

/// How far a figure of Table 2 may be off, in points: throughput, NoC and DRAM a tenth or two points, L2 misses five points.
pub fn tolerance(figure: usize, want: f64) -> f64 {
    if figure == 3 { 5.0 } else { (0.1 * want).max(2.0) }
}

/// What Table 2 asks of one SM, one bank and one channel, at least: with unloaded latencies.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Reads under way of an SM: MSHRs, if no two merge.
    pub reads: f64,
    /// Stores under way of an SM until L2 answers: the part that Table 2 cannot do without.
    pub stores: f64,
    /// Misses under way of an L2 bank.
    pub misses: f64,
    /// Transactions of a DRAM channel.
    pub transactions: f64,
}

impl Asked {
    /// By Little's law, from the printed rates.
    pub fn of(gpu: &Gpu, target: &Target) -> Asked {
        let [_, noc, dram, miss] = target.percent.map(|percent| f64::from(percent) / 100.0);
        let sms = f64::from(gpu.sm_count());
        let line = f64::from(gpu.l2.line_bytes);
        // CCBP eq. 1: a read's reply has a header flit and the line; eq. 3: every access moves a line.
        let reads = noc * sim_core::interface::ratios::noc_bytes_per_cycle(gpu) / (line + f64::from(gpu.noc.flit_bytes)) / sms;
        let accesses = dram * sim_core::interface::ratios::dram_bytes_per_cycle(gpu) / line / sms;
        // A request causes at most two accesses, and only a miss does: what reads cannot cause, stores must.
        let stores = (accesses / (2.0 * miss) - reads).max(0.0);
        let latency = L2_HIT + miss * (DRAM - L2_HIT);
        Asked {
            reads: reads * latency,
            stores: stores * latency,
            misses: reads * miss * (DRAM - L2_HIT),
            transactions: accesses * (DRAM - L2_HIT),
        }
    }
}

/// How a kernel behaves by itself. Percent of peak where nothing else is said.
#[derive(Clone, Copy, Debug)]
pub struct Alone {
    /// CTAs that an SM holds.
    pub ctas: u32,
    pub throughput: f64,
    /// Replies with data only.
    pub noc: f64,
    pub dram: f64,
    /// Percent of look-ups.
    pub l2_miss: f64,
    pub rf: f64,
    pub df: f64,
    /// Core cycles of an L1D read miss.
    pub latency: f64,
    /// The latency over what it is without load: 200 cycles for L2 hits and 380 for misses.
    pub over_idle: f64,
    /// Part of its warps' stalls that wait for a load that missed L1D.
    pub raw_long: f64,
    /// Warp instructions of 32 lanes for each read that L1D sends on.
    pub per_read: f64,
    /// Thread instructions per cycle.
    pub ipc: f64,
}

impl Alone {
    /// Runs `kernel` on `gpu` with at most `ctas` CTAs on each SM.
    pub fn measure(gpu: &Gpu, kernel: &str, ctas: Option<u32>, cycles: u64) -> Result<Alone, String> {
        let experiment = experiment(gpu, kernel, ctas, cycles)?;
        let mut simulation = Simulation::new(&experiment).map_err(|problems| problems.to_string())?;
        simulation.advance(u64::MAX);
        let result = simulation.result();
        let kernels = result.get("kernels");
        let Some(Value::Array(kernels)) = kernels else { return Err("a result without kernels".to_owned()) };
        let figure = |path: &str| {
            let found = path.split('.').try_fold(&kernels[0], |value, key| value.get(key));
            found.and_then(Value::as_f64).ok_or_else(|| format!("{kernel}: no {path}"))
        };
        Ok(Alone {
            ctas: simulation.cta_limit()[0][sim_core::describe::ids::KernelId(0)],
            over_idle: figure("latency.mean")? / (L2_HIT + figure("l2_miss_rate")? * (DRAM - L2_HIT)),
            raw_long: figure("warp_stalls.raw_long")?,
            per_read: figure("counters.thread_instructions")? / 32.0 / figure("counters.read_requests")?.max(1.0),
            throughput: 100.0 * result.get("gpu").and_then(|gpu| gpu.get("throughput")).and_then(Value::as_f64).ok_or("no throughput")?,
            noc: 100.0 * figure("noc_utilisation")?,
            dram: 100.0 * figure("dram_utilisation")?,
            l2_miss: 100.0 * figure("l2_miss_rate")?,
            rf: figure("rf")?,
            df: figure("df")?,
            latency: figure("latency.mean")?,
            ipc: figure("ipc")?,
        })
    }
}

/// `kernel` alone on `gpu`, with at most `ctas` CTAs on each SM.
pub fn experiment(gpu: &Gpu, kernel: &str, ctas: Option<u32>, cycles: u64) -> Result<Experiment, String> {
    let used = Value::object([("kernel", Value::from(kernel))].into_iter().chain(ctas.map(|ctas| ("ctas_per_sm", ctas.into()))));
    let value = Value::object([
        ("corun", Value::from(1)),
        ("gpu", gpu.name.as_str().into()),
        ("kernels", Value::array([used])),
        ("policy", "leftover".into()),
        ("warp_order", "gto".into()),
        ("stop", Value::object([("cycles", cycles)])),
    ]);
    let mut experiment = Experiment::decode(&value).map_err(|problems| problems.to_string())?;
    experiment.gpu = gpu.clone();
    Ok(experiment)
}

/// The GPU with twice the unloaded latency of L2 (200 core cycles more) and of DRAM (380 more in all, of which L2's are 200).
pub fn far(gpu: &Gpu) -> Gpu {
    let mut far = gpu.clone();
    far.l2.latency += 200 * far.noc.mhz / far.core_mhz;
    far.dram.latency += 180;
    far
}

/// Eight SMs of one class, with everything around them as in `preset`.
pub fn eight(preset: &str, class: usize) -> Gpu {
    let mut gpu = presets::find(preset).expect("a preset");
    gpu.sms = vec![gpu.sms.swap_remove(class)];
    gpu.sms[0].count = 8;
    gpu
}

/// Eight SMs of the baseline, eight big and eight small ones (HeteroCore §4.2.1).
pub fn classes() -> [Gpu; 3] {
    [eight("fermi-16sm", 0), eight("hetero-8b8s", 0), eight("hetero-8b8s", 1)]
}

/// One launch of a kernel over and over, its caches warm.
#[derive(Clone, Copy, Debug)]
pub struct Launched {
    /// Thread instructions per cycle.
    pub ipc: f64,
    /// Percent of peak.
    pub noc: f64,
    pub dram: f64,
}

impl Launched {
    /// Runs launch `number` of `kernel` on `gpu` for `cycles`, after half as many.
    pub fn measure(gpu: &Gpu, kernel: &str, number: usize, cycles: u64) -> Result<Launched, String> {
        let mut experiment = experiment(gpu, kernel, None, cycles)?;
        experiment.warm_up = WarmUp::Cycles(cycles / 2);
        let launches = &mut experiment.kernels[0].kernel.launches;
        *launches = vec![launches.swap_remove(number)];
        let mut simulation = Simulation::new(&experiment).map_err(|problems| problems.to_string())?;
        simulation.advance(u64::MAX);
        let result = simulation.result();
        let Some(Value::Array(kernels)) = result.get("kernels") else { return Err("a result without kernels".to_owned()) };
        let figure = |key: &str| kernels[0].get(key).and_then(Value::as_f64).ok_or_else(|| format!("{kernel}: no {key}"));
        Ok(Launched { ipc: figure("ipc")?, noc: 100.0 * figure("noc_utilisation")?, dram: 100.0 * figure("dram_utilisation")? })
    }
}
