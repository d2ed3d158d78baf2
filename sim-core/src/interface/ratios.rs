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
    hspeedup: Option<f64> as ("HSpeedup", "N / Σ (IPC alone / IPC shared)", 3, More) = Shape::Measured, Needed;
    /// System throughput, also called weighted speedup: how many GPUs' worth of progress is made; N is the ideal.
    stp: Option<f64> as ("STP", "Σ (IPC shared / IPC alone)", 3, More) = Shape::Measured, Needed;
    /// Weighted speedup, another name of STP.
    wspeedup: Option<f64> as ("WSpeedup", "Σ (IPC shared / IPC alone)", 3, More) = Shape::Measured, Needed;
    /// Average normalised turnaround time: the mean slowdown; 1 is the ideal.
    antt: Option<f64> ["×"] as ("ANTT", "Σ (IPC alone / IPC shared) / N", 3, Less) = Shape::Measured, Needed;
    /// 1 if all kernels progress alike, 0 if one starves.
    fairness: Option<f64> as ("Fairness", "min (shared / alone) / max (shared / alone)", 3, More) = Shape::Measured, Needed;
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

/// What a ratio is made of: cycles, and counters of a kernel or of the whole GPU.
type Part = fn(u64, &KernelStats) -> u64;

/// What makes a ratio's figure of the quotient of its parts.
#[derive(Clone, Copy, Debug)]
enum Scale {
    /// Nothing.
    Plain,
    /// Flits, as a part of what the reply crossbar can deliver; missing with an ideal NoC.
    OfNoc,
    /// Lines, as a part of what DRAM's buses can carry; missing with an ideal DRAM.
    OfDram,
    /// Lines in a core cycle, as gigabytes in a second.
    GbS,
    /// The mean over SMs.
    EachSm,
}
use Scale::*;

/// A figure of a result: where it stands, what is divided, by what, and what it can be.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    /// Where it stands in what the result says of a kernel.
    pub path: &'static str,
    of: Part,
    over: Part,
    scale: Scale,
    /// What it can be at most.
    pub most: f64,
}

/// What a ratio of which nothing else is known can be at most.
pub const NO_END: f64 = f64::INFINITY;

impl Ratio {
    /// What is divided, and by what, constants aside.
    pub fn parts(&self, stats: &KernelStats, cycles: u64) -> (u64, u64) {
        ((self.of)(cycles, stats), (self.over)(cycles, stats))
    }

    /// The figure; missing where nothing is divided by.
    pub fn of(&self, stats: &KernelStats, gpu: &Gpu, cycles: u64) -> Option<f64> {
        let (of, over) = self.parts(stats, cycles);
        let lines = || ratio(of * u64::from(gpu.l2.line_bytes), over);
        match self.scale {
            Plain => ratio(of, over),
            OfNoc => Some(ratio(of * u64::from(gpu.noc.flit_bytes), over)? / noc_peak(gpu)?),
            OfDram => Some(lines()? / dram_peak(gpu)?),
            GbS => Some(lines()? * f64::from(gpu.core_mhz) / 1000.0),
            EachSm => ratio(of, over * u64::from(gpu.sm_count())),
        }
    }
}

fn cycles(cycles: u64, _: &KernelStats) -> u64 {
    cycles
}

fn replies(_: u64, stats: &KernelStats) -> u64 {
    stats.latency_count
}

/// Cycles in which a resident warp issues nothing.
fn not_issuing(_: u64, stats: &KernelStats) -> u64 {
    stats.warp_cycles - stats.warp_instructions
}

/// Makes a record of ratios: of each its unit and words, what is divided by what, what makes the figure of it, and its end. A ratio is this line alone.
macro_rules! ratios {
    (
        $(#[doc = $rdoc:literal])+
        pub struct $Name:ident as $RECORD:ident $name:literal, $want:literal, at $at:literal;
        $( $(#[doc = $doc:literal])+ $field:ident [$unit:literal] $(as ($title:literal, $formula:literal, $digits:literal, $better:ident))? = $of:expr, $over:expr, $scale:expr, $most:expr; )*
    ) => {
        record! {
            $(#[doc = $rdoc])+
            pub struct $Name as $RECORD $name, $want;
            $( $(#[doc = $doc])+ $field: Option<f64> [$unit] $(as ($title, $formula, $digits, $better))? = Shape::Measured, Needed; )*
        }

        impl $Name {
            const ALL: &[Ratio] =
                &[$(Ratio { path: concat!($at, stringify!($field)), of: $of, over: $over, scale: $scale, most: $most }),*];

            /// Each of them, of a kernel or of the whole GPU.
            pub fn of(stats: &KernelStats, gpu: &Gpu, cycles: u64) -> $Name {
                let mut figures = Self::ALL.iter().map(|ratio| ratio.of(stats, gpu, cycles));
                $Name { $($field: figures.next().flatten()),* }
            }
        }
    };
}

ratios! {
    /// Rates that exist for one kernel and for the whole GPU alike.
    pub struct Rates as RATES "Rates", "rates", at "";
    /// Instructions of active lanes per core cycle, over the whole GPU.
    ipc ["thread instructions per cycle"] as ("IPC", "thread instructions / core cycles", 1, Neither) = |_, s| s.thread_instructions, cycles, Plain, NO_END;
    /// Share of the L2-to-SM crossbar's bandwidth that replies to reads take, headers included (CCBP eq. 1); missing with an ideal NoC.
    noc_utilisation ["fraction of peak"] as ("NoC utilisation", "bytes of replies to reads / (ports × flit × NoC cycles)", 3, Neither) = |_, s| s.noc_reply_flits, cycles, OfNoc, 1.0;
    /// Share of that bandwidth that all replies take, acknowledgements of stores included.
    noc_utilisation_all ["fraction of peak"] as ("NoC utilisation, all replies", "bytes of replies / (ports × flit × NoC cycles)", 3, Neither) = |_, s| s.noc_reply_flits + s.noc_acknowledgement_flits, cycles, OfNoc, 1.0;
    /// Share of all DRAM data buses' time; missing with an ideal DRAM.
    dram_utilisation ["fraction of peak"] as ("DRAM utilisation", "bytes read and written / (channels × line / T × DRAM clocks)", 3, Neither) = |_, s| s.dram_reads + s.dram_writes, cycles, OfDram, 1.0;
    /// Bytes of lines that SMs and L2 move between them, headers not counted.
    l2_gb_s ["GB/s"] as ("L2 bandwidth", "L2 lookups × line × core clock / cycles", 1, Neither) = |_, s| s.l2_reads + s.l2_writes, cycles, GbS, NO_END;
    /// Bytes that DRAM moves.
    dram_gb_s ["GB/s"] as ("DRAM bandwidth", "lines read and written × line × core clock / cycles", 1, Neither) = |_, s| s.dram_reads + s.dram_writes, cycles, GbS, NO_END;
    /// Reads that found their line in L1D.
    l1_hit_rate ["fraction"] as ("L1D hit rate", "L1D hits / lines read", 3, Neither) = |_, s| s.l1_hits, |_, s| s.l1_reads, Plain, 1.0;
    /// Lookups that sent a fetch to DRAM.
    l2_miss_rate ["fraction"] as ("L2 miss rate", "L2 misses / L2 lookups", 3, Neither) = |_, s| s.l2_misses, |_, s| s.l2_reads + s.l2_writes, Plain, 1.0;
    /// DRAM accesses that found their row open.
    dram_row_hit_rate ["fraction"] as ("Row hits", "row hits / lines moved", 3, Neither) = |_, s| s.dram_row_hits, |_, s| s.dram_reads + s.dram_writes, Plain, 1.0;
}

ratios! {
    /// What a kernel's requests are.
    pub struct Requests as REQUESTS "Requests", "figures of requests", at "";
    /// Reads among the requests (CCBP eq. 2).
    rf ["fraction"] as ("Read fraction", "read requests / requests", 3, Neither) = |_, s| s.read_requests, |_, s| s.requests, Plain, 1.0;
    /// DRAM accesses that a reply reports, 0 to 2 (CCBP eq. 4).
    df ["accesses per request"] as ("DRAM accesses", "reported DRAM accesses / replies", 2, Neither) = |_, s| s.reported_dram_accesses, |_, s| s.replies, Plain, NO_END;
}

ratios! {
    /// How full SMs are of a kernel's CTAs.
    pub struct Occupancy as OCCUPANCY "Occupancy", "figures of occupancy", at "";
    /// Resident CTAs, mean over cycles and SMs.
    ctas_per_sm ["CTAs"] = |_, s| s.cta_cycles, cycles, EachSm, NO_END;
}

ratios! {
    /// Mean time of an L1D read miss, and its parts by station.
    pub struct Latency as LATENCY "Latency", "latencies", at "latency.";
    /// From entering the miss queue to the reply.
    mean ["core cycles"] as ("Memory latency", "Σ (reply − miss-queue entry) / read replies", 0, Less) = |_, s| s.latency_sum, replies, Plain, NO_END;
    /// In the miss queue and its arbiter.
    miss_queue ["core cycles"] = |_, s| s.wait_miss_queue, replies, Plain, NO_END;
    /// In the request network and its queues.
    request_noc ["core cycles"] = |_, s| s.wait_request_noc, replies, Plain, NO_END;
    /// In L2: queue, lookup, pipeline and reply port.
    l2 ["core cycles"] = |_, s| s.wait_l2, replies, Plain, NO_END;
    /// Waiting for DRAM, merged requests included.
    dram ["core cycles"] = |_, s| s.wait_dram, replies, Plain, NO_END;
    /// In the reply network and its queues.
    reply_noc ["core cycles"] = |_, s| s.wait_reply_noc, replies, Plain, NO_END;
    /// All but the wait for DRAM.
    l1_to_l2 ["core cycles"] = |_, s| s.latency_sum - s.wait_dram, replies, Plain, NO_END;
    /// The wait for DRAM.
    l2_to_dram ["core cycles"] = |_, s| s.wait_dram, replies, Plain, NO_END;
    /// From a load's issue to its last line.
    load ["core cycles"] = |_, s| s.load_latency_sum, |_, s| s.loads_done, Plain, NO_END;
}

ratios! {
    /// What warps wait for, as shares of the cycles in which a resident warp issues nothing (the account of CCBP Fig. 11(d)).
    pub struct WarpStalls as WARP_STALLS "WarpStalls", "shares", at "warp_stalls.";
    /// Waits for a load that missed L1D.
    raw_long ["fraction"] = |_, s| s.warps_wait_memory, not_issuing, Plain, 1.0;
    /// Has an access that the load-store unit does not take.
    lsu_full ["fraction"] = |_, s| s.warps_wait_lsu, not_issuing, Plain, 1.0;
    /// Anything else: arithmetic, a barrier, ready while another warp issues.
    other ["fraction"] = |c, s| not_issuing(c, s) - s.warps_wait_memory - s.warps_wait_lsu, not_issuing, Plain, 1.0;
}

/// Every ratio of a kernel; the whole GPU and a class of SMs have some of them too.
pub const RATIOS: &[Ratio] = &joined();

const COUNT: usize = Rates::ALL.len() + Requests::ALL.len() + Occupancy::ALL.len() + Latency::ALL.len() + WarpStalls::ALL.len();

const fn joined() -> [Ratio; COUNT] {
    let parts = [Rates::ALL, Requests::ALL, Occupancy::ALL, Latency::ALL, WarpStalls::ALL];
    let mut all = [IPC; COUNT];
    let (mut part, mut at, mut i) = (0, 0, 0);
    while i < COUNT {
        if at == parts[part].len() {
            (part, at) = (part + 1, 0);
        }
        all[i] = parts[part][at];
        (at, i) = (at + 1, i + 1);
    }
    all
}

/// Thread instructions per core cycle.
pub const IPC: Ratio = Rates::ALL[0];

/// A kernel's thread instructions per core cycle over the whole GPU; missing before the first cycle.
pub fn ipc(stats: &KernelStats, cycles: u64) -> Option<f64> {
    let (of, over) = IPC.parts(stats, cycles);
    ratio(of, over)
}

/// What the reply crossbar can deliver in a core cycle, as a divisor; none for an ideal NoC, whose bandwidth has no limit.
pub fn noc_peak(gpu: &Gpu) -> Option<f64> {
    (gpu.noc.kind != NocKind::Ideal).then(|| noc_bytes_per_cycle(gpu))
}

/// What the DRAM data buses can carry in a core cycle, as a divisor; none for an ideal DRAM, whose bandwidth has no limit.
pub fn dram_peak(gpu: &Gpu) -> Option<f64> {
    (gpu.dram.kind != DramKind::Ideal).then(|| dram_bytes_per_cycle(gpu))
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
