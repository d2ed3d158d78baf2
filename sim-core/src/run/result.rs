//! The result of a run: what `corun run --json` prints, without wall-clock figures.

use crate::describe::digest::hex;
use crate::describe::goal::Goal;
use crate::describe::gpu::{Gpu, SmClass};
use crate::describe::ids::KernelId;
use crate::describe::value::Value;
use crate::run::confidence::{Pace, ci95};
use crate::run::energy::energy;
use crate::run::experiment::{Experiment, Stop};
use crate::run::simulation::{Measured, Reason, Simulation};
use crate::seam::decision::Decision;
use crate::seam::ratios::{
    Goals, Metrics, dram_gb_s, dram_utilisation, ipc, l2_gb_s, milliseconds, noc_utilisation, noc_utilisation_all, peak_ipc, ratio,
    scheduler_cycles,
};
use crate::seam::stats::{KernelStats, StallCause, StallCounts};
use alloc::vec::Vec;

/// Version of the engine, as results carry it.
pub const ENGINE: &str = env!("CARGO_PKG_VERSION");

/// Rates that exist for one kernel and for the whole GPU alike.
fn rates(stats: &KernelStats, gpu: &Gpu, cycles: u64) -> Vec<(&'static str, Value)> {
    let l2 = stats.l2_reads + stats.l2_writes;
    let dram = stats.dram_reads + stats.dram_writes;
    alloc::vec![
        ("ipc", ipc(stats, cycles).into()),
        ("noc_utilisation", noc_utilisation(stats, gpu, cycles).into()),
        ("noc_utilisation_all", noc_utilisation_all(stats, gpu, cycles).into()),
        ("dram_utilisation", dram_utilisation(stats, gpu, cycles).into()),
        ("l2_gb_s", l2_gb_s(stats, gpu, cycles).into()),
        ("dram_gb_s", dram_gb_s(stats, gpu, cycles).into()),
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

/// Figures of a run: of the GPU, of its kernels, and of the mix.
struct Figures {
    gpu: Value,
    kernels: Vec<Value>,
    metrics: Metrics,
    /// Where a kernel has a goal.
    goals: Option<Goals>,
    /// Of each class of SMs; empty where there is one.
    classes: Vec<Value>,
    ci95: Value,
}

fn figures(simulation: &Simulation, measured: &Measured) -> Figures {
    let (totals, cycles) = (&measured.stats, measured.cycles);
    let experiment = simulation.experiment();
    let gpu = &experiment.gpu;
    let mut whole = KernelStats::default();
    totals.iter().for_each(|stats| whole += *stats);
    let given = experiment.policy.numbers_if_any("ipc_alone");
    let mut paces = Vec::new();
    let mut kernels = Vec::new();
    let labels = experiment.labels();
    for (kernel, (stats, used)) in KernelId::first(totals.len()).zip(totals.iter().zip(&experiment.kernels)) {
        let shared = ipc(stats, cycles);
        let alone = simulation.ipc_alone(kernel);
        let goal = used.qos.map(|goal| of_given(goal.as_rate(&used.kernel, gpu.core_mhz), given.get(kernel.index()).copied()));
        paces.push(Pace { alone, alone_ci95: simulation.ipc_alone_ci95(kernel), shared, goal });
        let run = simulation.machine().run(kernel);
        let finished = run.finished();
        let mut fields = alloc::vec![("name", Value::from(labels[kernel.index()])), ("kernel", used.kernel.name.as_str().into())];
        fields.extend(rates(stats, gpu, cycles));
        fields.extend([
            ("ipc_alone", alone.into()),
            ("slowdown", shared.filter(|s| *s > 0.0).and_then(|s| Some(alone? / s)).into()),
            ("thread_instructions", stats.thread_instructions.into()),
            ("warp_instructions", stats.warp_instructions.into()),
            ("ctas_done", stats.ctas_done.into()),
            ("runs_done", stats.runs_done.into()),
            ("finished_at", finished.into()),
            ("finished_at_ms", finished.map(|cycles| milliseconds(gpu, cycles)).into()),
            ("launches_took", finished.map(|cycles| cycles - used.kernel.gaps(run.runs)).into()),
            ("rf", ratio(stats.read_requests, stats.requests).into()),
            ("df", ratio(stats.reported_dram_accesses, stats.replies).into()),
            ("latency", latency(stats)),
            ("stalls", stall_shares(&measured.stalls[kernel.index()])),
            ("warp_stalls", warp_stalls(stats)),
            ("ctas_per_sm", ratio(stats.cta_cycles, cycles * u64::from(gpu.sm_count())).into()),
            ("counters", counters(stats)),
        ]);
        if let Some(goal) = goal {
            let ipc = goal.ipc(alone);
            fields.extend([("goal_ipc", ipc.into()), ("goal_reached", shared.and_then(|shared| Some(shared / ipc?)).into())]);
        }
        kernels.push(Value::object(fields));
    }
    let mut gpu_fields = rates(&whole, gpu, cycles);
    gpu_fields.push(("throughput", ipc(&whole, cycles).map(|ipc| ipc / f64::from(peak_ipc(gpu))).into()));
    gpu_fields.push(("stalls", stall_shares(&measured.all_stalls)));
    gpu_fields.push(("scheduler_cycles", scheduler_cycles(gpu, cycles).into()));
    let gpu = Value::object(gpu_fields);
    let metrics = Metrics::of(&paces.iter().map(|pace| (pace.alone, pace.shared)).collect::<Vec<_>>());
    let goals = paces.iter().map(|pace| (pace.alone, pace.shared, pace.goal.map(|goal| goal.ipc(pace.alone))));
    let goals = Goals::of(&goals.collect::<Vec<_>>());
    let classes = sm_classes(experiment, measured);
    let ci95 = ci95(simulation.batches(), &gpu, &kernels, &classes, &paces, metrics);
    Figures { gpu, kernels, metrics, goals, classes, ci95 }
}

/// A goal as the policy sees it: a share is one of the IPC alone that the policy was given, where it was, whatever the kernel does alone in a run as
/// long as this one.
fn of_given(goal: Goal, alone: Option<f64>) -> Goal {
    match goal {
        Goal::OfAlone(_) => goal.ipc(alone).map_or(goal, Goal::Ipc),
        _ => goal,
    }
}

/// The intervals of a run's figures as it stands.
pub fn intervals(simulation: &mut Simulation) -> Value {
    let measured = simulation.measured();
    let mut pairs = alloc::vec![("ci95", figures(simulation, &measured).ci95)];
    pairs.extend(settled(simulation));
    Value::object(pairs)
}

/// How sure a run is that stops when it is settled.
fn settled(simulation: &Simulation) -> Option<(&'static str, Value)> {
    let Stop::Settled(asked) = simulation.experiment().stop else { return None };
    let settling = simulation.settling();
    let least = settling.and_then(|settling| settling.least);
    let fields = Value::object([
        ("within", Value::from(asked.within)),
        ("reached", (simulation.stopped() == Some(Reason::Settled)).into()),
        ("known", least.and_then(|least| least.known).into()),
        ("kernel", least.map(|least| least.kernel as u32).into()),
        ("ratio", least.map(|least| least.ratio.path).into()),
        ("waits_for", settling.and_then(|settling| settling.waits_for).map(|kernel| kernel as u32).into()),
    ]);
    Some(("settled", fields))
}

/// The result of a run as it stands (wall-clock figures are the runner's to add).
pub fn result(simulation: &mut Simulation, reason: Reason) -> Value {
    let measured = simulation.measured();
    let digest = simulation.digest();
    let figures = figures(simulation, &measured);
    let experiment = simulation.experiment();
    let mut pairs = alloc::vec![
        ("corun", Value::from(1_u32)),
        ("engine", ENGINE.into()),
        ("name", experiment.name.as_str().into()),
        ("source", experiment.source.as_str().into()),
        ("config_hash", experiment.config_hash().into()),
        ("digest", hex(digest).into()),
        ("seed", experiment.seed.into()),
        ("cycles", simulation.cycle().into()),
        ("core_mhz", experiment.gpu.core_mhz.into()),
        ("ms", milliseconds(&experiment.gpu, simulation.cycle()).into()),
        ("measured_from", measured.from.into()),
        ("stop", reason.key().into()),
        ("gpu", figures.gpu),
        ("kernels", figures.kernels.into()),
        ("metrics", figures.metrics.to_value()),
        ("energy", energy(&measured, &experiment.gpu)),
        ("ci95", figures.ci95),
        ("policy", policy(experiment, simulation.decisions())),
    ];
    pairs.extend(figures.goals.map(|goals| ("goals", goals.to_value())));
    pairs.extend(simulation.failure().map(|failure| ("failure", failure.into())));
    pairs.extend(settled(simulation));
    if !figures.classes.is_empty() {
        pairs.push(("sm_classes", Value::array(figures.classes)));
    }
    Value::object(pairs)
}

/// What each kernel did on the SMs of each class: IPC over these SMs, and CTAs on each of them.
fn sm_classes(experiment: &Experiment, measured: &Measured) -> Vec<Value> {
    let of_class = |(class, stats): (&SmClass, &Vec<KernelStats>)| {
        let kernels = experiment.labels().into_iter().zip(stats).map(|(label, stats)| {
            Value::object([
                ("name", Value::from(label)),
                ("ipc", ipc(stats, measured.cycles).into()),
                ("ctas_per_sm", ratio(stats.cta_cycles, measured.cycles * u64::from(class.count)).into()),
                ("ctas_done", stats.ctas_done.into()),
            ])
        });
        Value::object([("name", Value::from(class.name.as_str())), ("sms", class.count.into()), ("kernels", Value::array(kernels))])
    };
    experiment.gpu.sms.iter().zip(&measured.classes).map(of_class).collect()
}

fn policy(experiment: &Experiment, decisions: &[Decision]) -> Value {
    let decisions = decisions.iter().map(Decision::to_value);
    Value::object([("name", Value::from(experiment.policy.name())), ("decisions", Value::array(decisions))])
}
