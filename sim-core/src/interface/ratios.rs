//! Everything that divides, with its formula: pure functions of counters and of the hardware. Integers are counted where things happen.

use crate::describe::gpu::{DramKind, Gpu, NocKind};
use crate::describe::record::Absent::Needed;
use crate::describe::record::{Shape, record};
use crate::interface::observation::Breakdown;
use crate::interface::stats::KernelStats;
use alloc::vec::Vec;

/// `a / b`, or `None` where `b` is 0: "no data" is not 0.
pub fn ratio(a: u64, b: u64) -> Option<f64> {
    (b > 0).then(|| a as f64 / b as f64)
}

/// Bytes that the reply crossbar can deliver in a core cycle: one flit a NoC cycle for each port of its narrower side. An ideal NoC has no such
/// bound; these are the bytes of the crossbar in whose place it stands.
pub fn noc_bytes_per_cycle(gpu: &Gpu) -> f64 {
    let ports = gpu.sm_count().min(gpu.l2.banks);
    f64::from(ports) * f64::from(gpu.noc.flit_bytes) * f64::from(gpu.noc.mhz) / f64::from(gpu.core_mhz)
}

/// Bytes that all DRAM data buses can carry in a core cycle. An ideal DRAM has no such bound; these are the bytes of the channels in whose place it
/// stands.
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

record! {
    /// Metrics of a mix; each is missing while an IPC is missing or zero.
    #[derive(Copy, Default)]
    pub struct Metrics as METRICS "Metrics", "figures of the mix";
    /// Harmonic speedup: the harmonic mean of the kernels' progress, which punishes starving one of them.
    hspeedup: Option<f64> as ("HSpeedup", "N / Σ (IPC alone / IPC shared)") = Shape::Measured, Needed;
    /// System throughput, also called weighted speedup: how many GPUs' worth of progress is made; N is the ideal.
    stp: Option<f64> as ("STP", "Σ (IPC shared / IPC alone)") = Shape::Measured, Needed;
    /// Weighted speedup, another name of STP.
    wspeedup: Option<f64> as ("WSpeedup", "Σ (IPC shared / IPC alone)") = Shape::Measured, Needed;
    /// Average normalised turnaround time: the mean slowdown; 1 is the ideal.
    antt: Option<f64> ["×"] as ("ANTT", "Σ (IPC alone / IPC shared) / N") = Shape::Measured, Needed;
    /// 1 if all kernels progress alike, 0 if one starves.
    fairness: Option<f64> as ("Fairness", "min (shared / alone) / max (shared / alone)") = Shape::Measured, Needed;
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
            wspeedup: Some(progress.iter().sum()),
            antt: Some(slowdowns / n),
            fairness: Some(least / greatest),
        }
    }
}

record! {
    /// How the goals of a mix came out (Wang et al., ISCA 2017, §4.1); each number is missing while one that it needs is.
    #[derive(Copy, Default)]
    pub struct Goals as GOALS "GoalsResult", "how goals came out";
    /// Least of IPC shared / goal over the kernels with a goal: the goals of the mix are reached where it is 1 or more.
    least: Option<f64> = Shape::Measured, Needed;
    /// Mean of IPC shared / goal over the kernels with a goal.
    mean: Option<f64> = Shape::Measured, Needed;
    /// Mean of IPC shared / IPC alone over the kernels without a goal.
    others: Option<f64> = Shape::Measured, Needed;
}

/// IPC alone, IPC shared, and of a kernel with a goal the IPC that it asks for, where that is known.
pub type Promised = (Option<f64>, Option<f64>, Option<Option<f64>>);

impl Goals {
    /// Of a mix in which a kernel has a goal; nothing of another.
    pub fn of(kernels: &[Promised]) -> Option<Goals> {
        let promised = kernels.iter().filter_map(|&(_, shared, goal)| goal.map(|goal| Some(shared? / goal?)));
        let reached: Option<Vec<f64>> = promised.collect();
        let others: Option<Vec<f64>> =
            kernels.iter().filter(|kernel| kernel.2.is_none()).map(|&(alone, shared, _)| Some(shared? / alone?)).collect();
        let mean = |values: &Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
        kernels.iter().any(|kernel| kernel.2.is_some()).then(|| Goals {
            least: reached.as_ref().and_then(|reached| reached.iter().copied().reduce(f64::min)),
            mean: reached.as_ref().and_then(mean),
            others: others.as_ref().and_then(mean),
        })
    }
}

/// A kernel's thread instructions per core cycle over the whole GPU; missing before the first cycle.
pub fn ipc(stats: &KernelStats, cycles: u64) -> Option<f64> {
    ratio(stats.thread_instructions, cycles)
}

/// What the reply crossbar can deliver in a core cycle, as a divisor; none for an ideal NoC, whose bandwidth has no limit.
pub fn noc_peak(gpu: &Gpu) -> Option<f64> {
    (gpu.noc.kind != NocKind::Ideal).then(|| noc_bytes_per_cycle(gpu))
}

/// What the DRAM data buses can carry in a core cycle, as a divisor; none for an ideal DRAM, whose bandwidth has no limit.
pub fn dram_peak(gpu: &Gpu) -> Option<f64> {
    (gpu.dram.kind != DramKind::Ideal).then(|| dram_bytes_per_cycle(gpu))
}

/// Fraction of the reply crossbar's peak that replies to a kernel's reads take (CCBP eq. 1: acknowledgements of stores are left out); missing with
/// an ideal NoC.
pub fn noc_utilisation(stats: &KernelStats, gpu: &Gpu, cycles: u64) -> Option<f64> {
    noc_share(stats.noc_reply_flits, gpu, cycles)
}

/// Fraction of the reply crossbar's peak that all replies to a kernel take, acknowledgements of stores included; missing with an ideal NoC.
pub fn noc_utilisation_all(stats: &KernelStats, gpu: &Gpu, cycles: u64) -> Option<f64> {
    noc_share(stats.noc_reply_flits + stats.noc_acknowledgement_flits, gpu, cycles)
}

fn noc_share(flits: u64, gpu: &Gpu, cycles: u64) -> Option<f64> {
    Some(ratio(flits * u64::from(gpu.noc.flit_bytes), cycles)? / noc_peak(gpu)?)
}

/// Fraction of the DRAM data buses' peak that a kernel's transactions take; missing with an ideal DRAM.
pub fn dram_utilisation(stats: &KernelStats, gpu: &Gpu, cycles: u64) -> Option<f64> {
    let bytes = (stats.dram_reads + stats.dram_writes) * u64::from(gpu.l2.line_bytes);
    Some(ratio(bytes, cycles)? / dram_peak(gpu)?)
}

/// Where a kernel's time goes; missing until it issues. A kernel that reads nothing waits nowhere.
pub fn breakdown(stats: &KernelStats, cycles: u64) -> Option<Breakdown> {
    let instruction = |sum: u64| ratio(sum, stats.warp_instructions);
    let read = |sum: u64| ratio(sum, stats.latency_count).unwrap_or_default();
    Some(Breakdown {
        warps: ratio(stats.warp_cycles, cycles)?,
        memory: instruction(stats.warps_wait_memory)?,
        lsu: instruction(stats.warps_wait_lsu)?,
        other: instruction(stats.warp_cycles - stats.warps_wait_memory - stats.warps_wait_lsu)?,
        miss_queue: read(stats.wait_miss_queue),
        request_noc: read(stats.wait_request_noc),
        l2: read(stats.wait_l2),
        dram: read(stats.wait_dram),
        reply_noc: read(stats.wait_reply_noc),
        l1_hit_rate: ratio(stats.l1_hits, stats.l1_reads).unwrap_or_default(),
        l2_miss_rate: ratio(stats.l2_misses, stats.l2_reads + stats.l2_writes).unwrap_or_default(),
    })
}

/// Milliseconds of so many core cycles.
pub fn milliseconds(gpu: &Gpu, cycles: u64) -> f64 {
    cycles as f64 / (f64::from(gpu.core_mhz) * 1000.0)
}

/// Gigabytes that a kernel's lines, in requests or replies, move between SMs and L2 in a second.
pub fn l2_gb_s(stats: &KernelStats, gpu: &Gpu, cycles: u64) -> Option<f64> {
    gb_s(stats.l2_reads + stats.l2_writes, gpu, cycles)
}

/// Gigabytes that DRAM moves for a kernel in a second.
pub fn dram_gb_s(stats: &KernelStats, gpu: &Gpu, cycles: u64) -> Option<f64> {
    gb_s(stats.dram_reads + stats.dram_writes, gpu, cycles)
}

fn gb_s(lines: u64, gpu: &Gpu, cycles: u64) -> Option<f64> {
    Some(ratio(lines * u64::from(gpu.l2.line_bytes), cycles)? * f64::from(gpu.core_mhz) / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_follow_their_formulas() {
        let metrics = Metrics::of(&[(Some(100.0), Some(50.0)), (Some(40.0), Some(10.0))]);
        assert_eq!(
            metrics,
            Metrics { hspeedup: Some(2.0 / 6.0), stp: Some(0.75), wspeedup: Some(0.75), antt: Some(3.0), fairness: Some(0.5) }
        );
        assert_eq!(Metrics::of(&[(Some(1.0), None)]), Metrics::default());
        assert_eq!(Metrics::of(&[(Some(1.0), Some(0.0))]), Metrics::default());
    }

    #[test]
    fn goals_are_reached_where_the_least_of_them_is() {
        let of = |kernels: &[Promised]| Goals::of(kernels);
        let (one, two) = ((Some(100.0), Some(90.0), Some(Some(75.0))), (Some(40.0), Some(10.0), Some(Some(20.0))));
        let free = (Some(50.0), Some(20.0), None);
        assert_eq!(of(&[one, two, free]), Some(Goals { least: Some(0.5), mean: Some(0.85), others: Some(0.4) }));
        assert_eq!(of(&[one, free, (Some(10.0), Some(6.0), None)]), Some(Goals { least: Some(1.2), mean: Some(1.2), others: Some(0.5) }));
        assert_eq!(of(&[one]), Some(Goals { least: Some(1.2), mean: Some(1.2), others: None }));
        let unknown = (None, Some(90.0), Some(None));
        assert_eq!(of(&[unknown, two, free]), Some(Goals { least: None, mean: None, others: Some(0.4) }));
        assert_eq!(of(&[free, free]), None);
    }
}
