//! The parts of a run's outcome: figures of the GPU and of kernels. A field is its line in a record and its line where it is worked out.

use crate::describe::ids::MAX_KERNELS;
use crate::describe::record::Absent::{Needed, Words};
use crate::describe::record::{Datum, Field, Shape, Topic, int, list, record, text};
use crate::describe::value::Value;
use crate::interface::decision::{Kind, TopicInfo, ValueInfo};
use crate::interface::observation::{BREAKDOWN, Breakdown};
use crate::interface::ratios::{
    LATENCY, Latency, METRICS, OCCUPANCY, Occupancy, RATES, REQUESTS, Rates, Requests, WARP_STALLS, WarpStalls, ratio,
};
use crate::interface::stats::{CounterInfo, KernelStats, StallCause, StallCounts, StallInfo};
use crate::run::experiment::MAX_SEED;
use alloc::string::String;
use alloc::vec::Vec;

/// A count.
pub(super) const COUNT: Shape = int!(0, MAX_SEED);

pub(super) const MEASURED: Shape = Shape::Measured;

pub(super) const NAME: Shape = text!(4000);

record! {
    /// What the whole GPU did.
    pub struct GpuOutcome as GPU_OUTCOME "GpuResult", "figures of the GPU";
    /// Rates over all kernels.
    rates: Rates = Shape::Flat(&RATES), Needed;
    /// Share of the issue slots' lanes that did work.
    throughput: Option<f64> ["fraction of peak"] as ("Throughput", "IPC / (32 × schedulers of all SMs)", 3, Neither) = MEASURED, Needed;
    /// Shares of the cycles in which a scheduler issued nothing, by cause.
    stalls: StallShares = Shape::Record(&STALLS), Needed;
    /// Schedulers of all SMs × core cycles: what the shares of stalls can be compared with.
    scheduler_cycles: u64 ["scheduler cycles"] = COUNT, Needed;
}

record! {
    /// What a kernel did, and what was done for it.
    pub struct KernelOutcome as KERNEL_OUTCOME "KernelResult", "figures of a kernel";
    /// Name without the paper, or the whole name where two kernels would be called alike.
    name: String = NAME, Needed;
    /// Whole name.
    kernel: String = NAME, Needed;
    /// Rates of the kernel.
    rates: Rates = Shape::Flat(&RATES), Needed;
    /// IPC on the whole GPU, as many CTAs as fit, as long a run, in the run's order of warps or in `alone_warp_order`.
    ipc_alone: Option<f64> ["thread instructions per cycle"] as ("IPC alone", "IPC of the same kernel by itself", 1, Neither) = MEASURED, Needed;
    /// How many times slower the kernel is than by itself; 1 is no loss.
    slowdown: Option<f64> ["×"] as ("Slowdown", "IPC alone / IPC shared", 2, Less) = MEASURED, Needed;
    /// What the controls leave the kernel of the GPU at last, in words.
    share: Option<String> = NAME, Words("the whole GPU");
    /// IPC by itself in that share, as long a run.
    ipc_share: Option<f64> ["thread instructions per cycle"] as ("IPC in its share", "IPC of the same kernel by itself, under the last controls", 1, Neither) = MEASURED, Words("not known");
    /// How many times slower the kernel is for its share; with that of its neighbours, its slowdown.
    share_cost: Option<f64> ["×"] as ("Slowdown by its share", "IPC alone / IPC in its share", 2, Less) = MEASURED, Words("not known");
    /// How many times slower the kernel is for its neighbours.
    neighbour_cost: Option<f64> ["×"] as ("Slowdown by its neighbours", "IPC in its share / IPC shared", 2, Less) = MEASURED, Words("not known");
    /// Instructions issued, counted once for each active lane.
    thread_instructions: u64 ["thread instructions"] = COUNT, Needed;
    /// Instructions issued, counted once for each warp.
    warp_instructions: u64 ["warp instructions"] = COUNT, Needed;
    /// CTAs finished.
    ctas_done: u64 ["CTAs"] as ("CTAs done", "CTAs that have run to their end", 0, Neither) = COUNT, Needed;
    /// Times that the kernel ran to its end.
    runs_done: u64 ["runs"] = COUNT, Needed;
    /// From the beginning of the run; the kernel's latency, where it runs once.
    finished_at: Option<u64> ["core cycles"] as ("Finished at", "end of the last CTA when it last ran to its end", 0, Less) = Shape::Nullable(&COUNT), Needed;
    /// Time from the beginning of the run; the kernel's latency, where it runs once.
    finished_at_ms: Option<f64> ["ms"] as ("Finished at", "finished_at / core clock", 3, Less) = Shape::Nullable(&Shape::Number { min: 0.0, max: f64::MAX }), Needed;
    /// Time in which launches ran, without what the CPU does between them.
    launches_took: Option<u64> ["core cycles"] as ("Launches took", "finished_at − the gaps between launches", 0, Less) = Shape::Nullable(&COUNT), Needed;
    /// What its requests are.
    requests: Requests = Shape::Flat(&REQUESTS), Needed;
    /// Mean time of an L1D read miss, and its parts by station.
    latency: Latency ["core cycles"] = Shape::Record(&LATENCY), Needed;
    /// Shares of the cycles in which a scheduler that holds the kernel issued nothing, by cause.
    stalls: StallShares = Shape::Record(&STALLS), Needed;
    /// What resident warps wait for.
    warp_stalls: WarpStalls = Shape::Record(&WARP_STALLS), Needed;
    /// How full SMs are of its CTAs.
    occupancy: Occupancy = Shape::Flat(&OCCUPANCY), Needed;
    /// Where the kernel's time goes.
    breakdown: Option<Breakdown> = Shape::Record(&BREAKDOWN), Words("it has issued nothing");
    /// Where the kernel's time goes alone.
    breakdown_alone: Option<Breakdown> = Shape::Record(&BREAKDOWN), Words("not known");
    /// Every counter.
    counters: KernelStats = Shape::Record(&COUNTERS), Needed;
    /// The IPC that the kernel is promised over its whole run. IPC alone is the policy's `ipc_alone` where that is given.
    goal_ipc: Option<f64> ["thread instructions per cycle"] as ("Goal", "share × IPC alone, or instructions / (deadline × core clock)", 1, Neither) = MEASURED, Words("no goal, or none known yet");
    /// 1 or more: the promise is kept so far.
    goal_reached: Option<f64> ["fraction of its goal"] as ("Goal reached", "IPC shared / goal", 3, More) = MEASURED, Words("no goal, or none known yet");
}

record! {
    /// The policy of a run.
    pub struct PolicyOutcome as POLICY_OUTCOME "PolicyResult", "a policy";
    /// Which one.
    name: String = NAME, Needed;
    /// What people call it with its settings: the vendor's words where it is a vendor's way to share.
    title: String = NAME, Needed;
    /// What it decided, in order.
    decisions: Vec<Value> = list!(Shape::Record(&DECISION), 0, 1 << 24, "decisions"), Needed;
}

record! {
    /// Something that a policy decided. A later decision about the same kernel and topic replaces it.
    pub static DECISION "Decision", "a decision";
    /// When.
    cycle ["core cycles"] = COUNT, Needed;
    /// About which kernel; null: about the whole GPU.
    kernel = Shape::Nullable(&int!(0, MAX_KERNELS - 1)), Needed;
    /// About what.
    topic = NAME, Needed;
    /// What holds from now on, by name.
    values = Shape::Topics(topics), Needed;
    /// A sentence for people, whose words may change.
    text = NAME, Needed;
}

record! {
    /// How sure a run is that stops when it is settled.
    pub struct SettledOutcome as SETTLED_OUTCOME "Settled", "an object";
    /// Half of an interval that was asked for, as a part of its figure.
    within: f64 = Shape::Between { above: 0.0, below: 1.0 }, Needed;
    /// Whether the run stopped for it.
    reached: bool = Shape::Flag, Needed;
    /// Half of the interval of the figure that is farthest from decided, as a part of it; null: nothing is known yet.
    known: Option<f64> = MEASURED, Needed;
    /// Of which kernel that is.
    kernel: Option<u32> = Shape::Nullable(&int!(0, MAX_KERNELS - 1)), Needed;
    /// Where the figure stands in what the result says of a kernel.
    ratio: Option<String> = Shape::Nullable(&NAME), Needed;
    /// A kernel that has not shown a whole launch; the run goes on until it has.
    waits_for: Option<u32> = Shape::Nullable(&int!(0, MAX_KERNELS - 1)), Needed;
}

record! {
    /// What each kernel did on the SMs of a class.
    pub struct ClassOutcome as CLASS_OUTCOME "ClassResult", "a class of SMs";
    /// Name of the class.
    name: String = NAME, Needed;
    /// SMs of it.
    sms: u32 ["SMs"] = COUNT, Needed;
    /// Figures of each kernel there.
    kernels: Vec<OnClass> = list!(Shape::Record(&ON_CLASS), 1, MAX_KERNELS, "kernels"), Needed;
}

record! {
    /// What a kernel did on the SMs of a class.
    pub struct OnClass as ON_CLASS "KernelOnClass", "figures of a kernel";
    /// Its name, as among the kernels.
    name: String = NAME, Needed;
    /// IPC over these SMs.
    ipc: Option<f64> ["thread instructions per cycle"] = MEASURED, Needed;
    /// Resident CTAs on each of them, mean over cycles.
    ctas_per_sm: Option<f64> ["CTAs"] = MEASURED, Needed;
    /// CTAs finished there.
    ctas_done: u64 ["CTAs"] = COUNT, Needed;
}

record! {
    /// The 95 % interval of each ratio of a result, at its place there.
    pub static CI95 "Ci95", "intervals";
    /// Batches that the intervals are made of.
    batches ["batches"] = COUNT, Needed;
    /// Windows of 400 cycles in each batch; null while the warm-up lasts.
    batch_windows ["windows"] = Shape::Nullable(&COUNT), Needed;
    /// Of the whole GPU.
    gpu = Shape::Intervals(&GPU_OUTCOME), Needed;
    /// Of each kernel.
    kernels = list!(Shape::Intervals(&KERNEL_OUTCOME), 1, MAX_KERNELS, "kernels"), Needed;
    /// Of the mix.
    metrics = Shape::Intervals(&METRICS), Needed;
    /// Of each class of SMs, by kernel.
    sm_classes = Shape::Any { want: "intervals of each kernel on each class" }, Words("all SMs are alike");
}

/// What policies decide about.
fn topics() -> Vec<Topic> {
    let of = |kind: Kind| match kind {
        Kind::Integer => COUNT,
        Kind::Number => MEASURED,
        Kind::Word => NAME,
        Kind::Integers => list!(COUNT, 0, 4096, "whole numbers"),
        Kind::Numbers => list!(MEASURED, 0, 4096, "numbers"),
    };
    let value = |info: &ValueInfo| {
        let absent = if info.optional { Words("not known") } else { Needed };
        Field { name: info.key, shape: of(info.kind), unit: info.unit, absent, doc: info.doc }
    };
    let topic = |info: &TopicInfo| Topic { name: info.topic, doc: info.doc, values: info.values.iter().map(value).collect() };
    crate::policy::topics().into_iter().map(topic).collect()
}

/// Shares of stalled scheduler cycles by cause, in the causes' order; missing where nothing stalled.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StallShares(pub [Option<f64>; StallCause::COUNT]);

record! {
    /// Shares of the cycles in which schedulers issued nothing, by cause.
    pub static STALLS "Stalls", "shares"; each of StallCause::INFO, share
}

const fn share(cause: &StallInfo) -> Field {
    Field { name: cause.key, shape: MEASURED, unit: "fraction", absent: Needed, doc: cause.doc }
}

record! {
    /// Everything that is counted of a kernel.
    pub static COUNTERS "Counters", "counters"; each of KernelStats::INFO, count
}

const fn count(counter: &CounterInfo) -> Field {
    Field { name: counter.key, shape: COUNT, unit: counter.unit, absent: Needed, doc: counter.doc }
}

impl Datum for StallShares {
    fn read(value: &Value) -> Self {
        StallShares(StallCause::INFO.map(|info| value.get(info.key).and_then(Value::as_f64)))
    }

    fn write(&self) -> Value {
        Value::object(StallCause::INFO.iter().zip(self.0).map(|(info, share)| (info.key, share)))
    }
}

impl Datum for KernelStats {
    fn read(value: &Value) -> Self {
        KernelStats::of(|key| value.get(key).map_or(0, u64::read))
    }

    fn write(&self) -> Value {
        Value::object(KernelStats::INFO.iter().zip(self.values()).map(|(info, n)| (info.key, n)))
    }
}

pub(super) fn stall_shares(counts: &StallCounts) -> StallShares {
    StallShares(counts.0.map(|cycles| ratio(cycles, counts.total())))
}
