//! Ratios and tables from counters. Integers are counted where things happen; everything that divides is here, with its formula.

use crate::digest::hex;
use crate::experiment::Experiment;
use crate::gpu::Gpu;
use crate::ids::KernelId;
use crate::policy::Decision;
use crate::simulation::{Reason, Simulation};
use crate::stats::{KernelStats, StallCause, StallCounts};
use crate::value::Value;
use alloc::vec::Vec;

/// Version of the engine, as results carry it.
pub const ENGINE: &str = env!("CARGO_PKG_VERSION");

/// `a / b`, or nothing where there is nothing to divide by: "no data" is not 0.
fn ratio(a: u64, b: u64) -> Option<f64> {
    (b > 0).then(|| a as f64 / b as f64)
}

/// Bytes that the reply crossbar can deliver in a core cycle: one flit a NoC cycle for each port of its narrower side.
pub fn noc_bytes_per_cycle(gpu: &Gpu) -> f64 {
    let ports = gpu.sm_count().min(gpu.l2.banks);
    f64::from(ports) * f64::from(gpu.noc.flit_bytes) * f64::from(gpu.noc.mhz) / f64::from(gpu.core_mhz)
}

/// Bytes that all DRAM data buses can carry in a core cycle.
pub fn dram_bytes_per_cycle(gpu: &Gpu) -> f64 {
    let line = f64::from(gpu.l2.line_bytes) / f64::from(gpu.dram.timing.T);
    f64::from(gpu.dram.channels) * line * f64::from(gpu.dram.mhz) / f64::from(gpu.core_mhz)
}

/// Thread instructions that all schedulers can issue in a cycle.
pub fn peak_ipc(gpu: &Gpu) -> u32 {
    gpu.sms.iter().map(|class| class.count * class.schedulers * 32).sum()
}

/// Scheduler-cycles of `cycles` cycles.
pub fn scheduler_cycles(gpu: &Gpu, cycles: u64) -> u64 {
    gpu.sms.iter().map(|class| u64::from(class.count * class.schedulers)).sum::<u64>() * cycles
}

/// Multiprogram metrics from (IPC alone, IPC shared) of each kernel; each is missing while an IPC is missing or zero.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Metrics {
    /// Harmonic speedup, N / Σ (alone / shared).
    pub hspeedup: Option<f64>,
    /// System throughput or weighted speedup, Σ (shared / alone).
    pub stp: Option<f64>,
    /// Average normalised turnaround time, Σ (alone / shared) / N.
    pub antt: Option<f64>,
    /// Least over greatest normalised progress, min (shared / alone) / max (shared / alone).
    pub fairness: Option<f64>,
}

impl Metrics {
    /// The metrics of a mix.
    pub fn of(ipc: &[(Option<f64>, Option<f64>)]) -> Metrics {
        let progress: Option<Vec<f64>> =
            ipc.iter().map(|&(alone, shared)| Some(shared? / alone?)).map(|p| p.filter(|p| *p > 0.0)).collect();
        let Some(progress) = progress.filter(|p| !p.is_empty()) else { return Metrics::default() };
        let n = progress.len() as f64;
        let slowdowns: f64 = progress.iter().map(|p| 1.0 / p).sum();
        let least = progress.iter().fold(f64::INFINITY, |a, &b| a.min(b));
        let greatest = progress.iter().fold(0.0, |a: f64, &b| a.max(b));
        Metrics {
            hspeedup: Some(n / slowdowns),
            stp: Some(progress.iter().sum()),
            antt: Some(slowdowns / n),
            fairness: Some(least / greatest),
        }
    }

    fn to_value(self) -> Value {
        Value::object([
            ("hspeedup", self.hspeedup),
            ("stp", self.stp),
            ("wspeedup", self.stp),
            ("antt", self.antt),
            ("fairness", self.fairness),
        ])
    }
}

/// A kernel's thread instructions per core cycle over the whole GPU; missing before the first cycle.
pub fn ipc(stats: &KernelStats, cycles: u64) -> Option<f64> {
    ratio(stats.thread_instructions, cycles)
}

fn noc_utilisation(stats: &KernelStats, gpu: &Gpu, cycles: u64) -> Option<f64> {
    let bytes = stats.noc_reply_flits * u64::from(gpu.noc.flit_bytes);
    ratio(bytes, cycles).map(|per_cycle| per_cycle / noc_bytes_per_cycle(gpu))
}

fn dram_utilisation(stats: &KernelStats, gpu: &Gpu, cycles: u64) -> Option<f64> {
    let bytes = (stats.dram_reads + stats.dram_writes) * u64::from(gpu.l2.line_bytes);
    ratio(bytes, cycles).map(|per_cycle| per_cycle / dram_bytes_per_cycle(gpu))
}

/// Rates that exist for one kernel and for the whole GPU alike.
fn rates(stats: &KernelStats, gpu: &Gpu, cycles: u64) -> Vec<(&'static str, Value)> {
    let l2 = stats.l2_reads + stats.l2_writes;
    let dram = stats.dram_reads + stats.dram_writes;
    alloc::vec![
        ("ipc", ipc(stats, cycles).into()),
        ("noc_utilisation", noc_utilisation(stats, gpu, cycles).into()),
        ("dram_utilisation", dram_utilisation(stats, gpu, cycles).into()),
        ("l1_hit_rate", ratio(stats.l1_hits, stats.l1_reads).into()),
        ("l2_miss_rate", ratio(stats.l2_misses, l2).into()),
        ("dram_row_hit_rate", ratio(stats.dram_row_hits, dram).into()),
    ]
}

fn latency(stats: &KernelStats) -> Value {
    let mean = |sum: u64| Value::from(ratio(sum, stats.latency_count));
    Value::object([
        ("mean", mean(stats.latency_sum)),
        ("miss_queue", mean(stats.wait_miss_queue)),
        ("request_noc", mean(stats.wait_request_noc)),
        ("l2", mean(stats.wait_l2)),
        ("dram", mean(stats.wait_dram)),
        ("reply_noc", mean(stats.wait_reply_noc)),
        ("l1_to_l2", mean(stats.latency_sum - stats.wait_dram)),
        ("l2_to_dram", mean(stats.wait_dram)),
        ("load", ratio(stats.load_latency_sum, stats.loads_done).into()),
    ])
}

/// Shares of `counts`, by cause; missing where nothing stalled.
fn stall_shares(counts: &StallCounts) -> Value {
    let total = counts.total();
    Value::object(StallCause::INFO.iter().zip(counts.0).map(|(info, cycles)| (info.key, ratio(cycles, total))))
}

/// What warps wait for, as shares of the cycles in which a resident warp issues nothing (the account of CCBP Fig. 11(d)): `other` is
/// everything else, such as arithmetic, barriers, and warps that are ready while another one issues.
fn warp_stalls(stats: &KernelStats) -> Value {
    let stalled = stats.warp_cycles - stats.warp_instructions;
    let other = stalled - stats.warps_wait_memory - stats.warps_wait_lsu;
    let parts = [("raw_long", stats.warps_wait_memory), ("lsu_full", stats.warps_wait_lsu), ("other", other)];
    Value::object(parts.map(|(key, cycles)| (key, ratio(cycles, stalled))))
}

fn counters(stats: &KernelStats) -> Value {
    Value::object(KernelStats::INFO.iter().zip(stats.values()).map(|(info, n)| (info.key, n)))
}

/// The result of a run as it stands (wall-clock figures are the runner's to add).
pub fn result(simulation: &mut Simulation, reason: Reason) -> Value {
    let measured = simulation.measured();
    let (totals, cycles) = (&measured.stats, measured.cycles);
    let digest = simulation.digest();
    let experiment = simulation.experiment();
    let gpu = &experiment.gpu;
    let mut whole = KernelStats::default();
    totals.iter().for_each(|stats| whole += *stats);
    let mut pairs = Vec::new();
    let mut kernels = Vec::new();
    for (kernel, (stats, used)) in KernelId::first(totals.len()).zip(totals.iter().zip(&experiment.kernels)) {
        let shared = ipc(stats, cycles);
        let alone = simulation.ipc_alone(kernel);
        pairs.push((alone, shared));
        let mut fields = alloc::vec![("name", Value::from(used.kernel.name.as_str()))];
        fields.extend(rates(stats, gpu, cycles));
        fields.extend([
            ("ipc_alone", alone.into()),
            ("slowdown", shared.filter(|s| *s > 0.0).and_then(|s| Some(alone? / s)).into()),
            ("thread_instructions", stats.thread_instructions.into()),
            ("warp_instructions", stats.warp_instructions.into()),
            ("ctas_done", stats.ctas_done.into()),
            ("runs_done", stats.runs_done.into()),
            ("rf", ratio(stats.read_requests, stats.requests).into()),
            ("df", ratio(stats.reported_dram_accesses, stats.replies).into()),
            ("latency", latency(stats)),
            ("stalls", stall_shares(&measured.stalls[kernel.index()])),
            ("warp_stalls", warp_stalls(stats)),
            ("ctas_per_sm", ratio(stats.cta_cycles, cycles * u64::from(gpu.sm_count())).into()),
            ("counters", counters(stats)),
        ]);
        kernels.push(Value::object(fields));
    }
    let mut gpu_fields = rates(&whole, gpu, cycles);
    gpu_fields.push(("throughput", ipc(&whole, cycles).map(|ipc| ipc / f64::from(peak_ipc(gpu))).into()));
    gpu_fields.push(("stalls", stall_shares(&measured.all_stalls)));
    gpu_fields.push(("scheduler_cycles", scheduler_cycles(gpu, cycles).into()));
    Value::object([
        ("corun", Value::from(1_u32)),
        ("engine", ENGINE.into()),
        ("name", experiment.name.as_str().into()),
        ("source", experiment.source.as_str().into()),
        ("config_hash", experiment.config_hash().into()),
        ("digest", hex(digest).into()),
        ("seed", experiment.seed.into()),
        ("cycles", simulation.cycle().into()),
        ("measured_from", measured.from.into()),
        ("stop", reason.key().into()),
        ("gpu", Value::object(gpu_fields)),
        ("kernels", kernels.into()),
        ("metrics", Metrics::of(&pairs).to_value()),
        ("policy", policy(experiment, simulation.decisions())),
    ])
}

fn policy(experiment: &Experiment, decisions: &[Decision]) -> Value {
    let decisions = decisions.iter().map(decision);
    Value::object([("name", Value::from(experiment.policy.name())), ("decisions", Value::array(decisions))])
}

/// A decision as results and the page's timeline carry it.
pub fn decision(decision: &Decision) -> Value {
    Value::object([
        ("cycle", Value::from(decision.cycle)),
        ("kernel", decision.kernel.map(|kernel| kernel.0).into()),
        ("text", decision.text.as_str().into()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_follow_their_formulas() {
        let metrics = Metrics::of(&[(Some(100.0), Some(50.0)), (Some(40.0), Some(10.0))]);
        assert_eq!(metrics, Metrics { hspeedup: Some(2.0 / 6.0), stp: Some(0.75), antt: Some(3.0), fairness: Some(0.5) });
        assert_eq!(Metrics::of(&[(Some(1.0), None)]), Metrics::default());
        assert_eq!(Metrics::of(&[(Some(1.0), Some(0.0))]), Metrics::default());
    }
}
