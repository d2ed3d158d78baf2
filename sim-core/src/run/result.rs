//! The outcome of a run: what `corun run --json` prints, without wall-clock figures. A field is its line in a record and its line where it is worked out.

use crate::describe::digest::hex;
use crate::describe::goal::Goal;
use crate::describe::gpu::SmClass;
use crate::describe::ids::{KernelId, MAX_KERNELS};
use crate::describe::record::Absent::{self, Needed, Words};
use crate::describe::record::{Datum, Shape, int, list, record, text};
use crate::describe::value::Value;
use crate::interface::decision::Decision;
use crate::interface::ratios::{
    GOALS, Goals, Latency, METRICS, Metrics, Occupancy, Rates, Requests, WarpStalls, breakdown, ipc, milliseconds, peak_ipc, ratio,
    scheduler_cycles,
};
use crate::interface::stats::KernelStats;
use crate::run::confidence::{Pace, ci95};
use crate::run::energy::{ENERGY, Energy, energy};
use crate::run::experiment::{Experiment, Stop, VERSION};
use crate::run::outcome::{
    CI95, CLASS_OUTCOME, COUNT, ClassOutcome, GPU_OUTCOME, GpuOutcome, KERNEL_OUTCOME, KernelOutcome, MEASURED, NAME, OnClass,
    POLICY_OUTCOME, PolicyOutcome, SETTLED_OUTCOME, SettledOutcome, stall_shares,
};
use crate::run::simulation::{Measured, Reason, Simulation};
use crate::run::trials::{BECAUSE, Because};
use crate::run::verdict::{VERDICT, Verdict, verdict};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The engine, as whatever it makes names it: its version and, behind a dash, eight digits of how it behaves. Engines with equal digits give equal
/// numbers. The digits are those of `tests/golden/digests.json`; a test holds the file `behaviour` against them, and blesses both.
pub const ENGINE: &str = concat!(env!("CARGO_PKG_VERSION"), "-", include_str!("behaviour"));

record! {
    /// What a run was, and what came out of it. A number that is missing is null, never 0.
    pub struct Outcome as OUTCOME "Result", "a result: an object";
    /// Version of the format.
    corun: i64 = int!(VERSION, VERSION), Needed;
    /// The engine: its version and eight digits that change with its numbers.
    engine: String = NAME, Needed;
    /// Name of the experiment.
    name: String = NAME, Needed;
    /// What it reproduces or where it comes from.
    source: String = NAME, Needed;
    /// Hash of the experiment after defaults, sixteen hexadecimal digits.
    config_hash: String = text!(16), Needed;
    /// Digest of the whole state at the end, sixteen hexadecimal digits.
    digest: String = text!(16), Needed;
    /// Seed of every draw.
    seed: u64 = COUNT, Needed;
    /// How long was simulated.
    cycles: u64 ["core cycles"] = COUNT, Needed;
    /// The core clock.
    core_mhz: u32 ["MHz"] = COUNT, Needed;
    /// The time of these cycles.
    ms: f64 ["ms"] = MEASURED, Needed;
    /// First cycle after the warm-up, from which on everything is measured; null while the warm-up lasts.
    measured_from: Option<u64> ["core cycles"] = Shape::Nullable(&COUNT), Needed;
    /// Whether L2 was still filling there, though the run was to measure from where it had filled.
    cold: bool = Shape::Flag, Absent::Flag(false), sparse;
    /// Why the run ended.
    stop: String = Shape::Choice(&["budget", "interrupted", "cycles", "kernels_done", "settled", "stuck", "failed"]), Needed;
    /// Time that the shared run took.
    wall_seconds: Option<f64> ["s"] = MEASURED, Words("by the module");
    /// Speed of the simulation.
    cycles_per_second: Option<f64> ["core cycles/s"] = MEASURED, Words("by the module");
    /// Speed of the simulation.
    warp_instructions_per_second: Option<f64> ["warp instructions/s"] = MEASURED, Words("by the module");
    /// Figures of the whole GPU.
    gpu: GpuOutcome = Shape::Record(&GPU_OUTCOME), Needed;
    /// Figures of each kernel, in the order of the mix.
    kernels: Vec<KernelOutcome> = list!(Shape::Record(&KERNEL_OUTCOME), 1, MAX_KERNELS, "kernels"), Needed;
    /// Figures of the mix.
    metrics: Metrics = Shape::Record(&METRICS), Needed;
    /// Who suffers, and how much.
    verdict: Verdict = Shape::Record(&VERDICT), Needed;
    /// What makes each kernel that suffers slower, found by running.
    because: Option<Vec<Because>> = list!(Shape::Record(&BECAUSE), 0, MAX_KERNELS, "kernels"), Words("nobody asked");
    /// Energy of the measured cycles, by published energies of events: for ratios, not for absolute values.
    energy: Energy = Shape::Record(&ENERGY), Needed;
    /// How well each ratio is known.
    ci95: Value = Shape::Record(&CI95), Needed;
    /// The policy and what it decided.
    policy: PolicyOutcome = Shape::Record(&POLICY_OUTCOME), Needed;
    /// How the goals of the mix came out.
    goals: Option<Goals> = Shape::Record(&GOALS), Words("no kernel has a goal");
    /// Why the script that shares the GPU failed: the line, and what is wrong.
    failure: Option<String> = NAME, Words("nothing failed");
    /// How sure a run is that stops when it is settled.
    settled: Option<SettledOutcome> = Shape::Record(&SETTLED_OUTCOME), Words("no stop.settled");
    /// What each kernel did on the SMs of each class.
    sm_classes: Option<Vec<ClassOutcome>> = list!(Shape::Record(&CLASS_OUTCOME), 2, 8, "classes"), Words("all SMs are alike");
}

impl Simulation {
    /// The outcome as it stands now, without wall-clock figures.
    pub fn outcome(&mut self) -> Outcome {
        let reason = self.stopped().unwrap_or(Reason::Budget);
        outcome(self, reason)
    }

    /// The outcome as JSON.
    pub fn result(&mut self) -> Value {
        self.outcome().write()
    }

    /// The intervals of the result as it stands now, by themselves: `ci95`, and `settled` where that is the stop condition.
    pub fn intervals(&mut self) -> Value {
        intervals(self)
    }

    /// The result with `windows`, a list of what happened in each window of 400 cycles: the points of a time series read them.
    pub fn result_with_windows(&mut self) -> Value {
        let windows = self.windows().to_value(&self.experiment().gpu);
        let mut result = self.result();
        if let Value::Object(pairs) = &mut result {
            pairs.push(("windows".into(), windows));
        }
        result
    }
}

/// Figures of a run: of the GPU, of its kernels, and of the mix.
struct Figures {
    gpu: GpuOutcome,
    kernels: Vec<KernelOutcome>,
    metrics: Metrics,
    goals: Option<Goals>,
    classes: Vec<ClassOutcome>,
    ci95: Value,
    verdict: Verdict,
}

fn figures(simulation: &Simulation, measured: &Measured) -> Figures {
    let (totals, cycles) = (&measured.stats, measured.cycles);
    let experiment = simulation.experiment();
    let gpu = &experiment.gpu;
    let mut whole = KernelStats::default();
    totals.iter().for_each(|stats| whole += *stats);
    let given = experiment.policy.numbers("ipc_alone");
    let mut paces = Vec::new();
    let mut kernels = Vec::new();
    let labels = experiment.labels();
    for (kernel, (stats, used)) in KernelId::first(totals.len()).zip(totals.iter().zip(&experiment.kernels)) {
        let shared = ipc(stats, cycles);
        let alone = simulation.ipc_alone(kernel);
        let goal = used.qos.map(|goal| of_given(goal.as_rate(&used.kernel, gpu.core_mhz), given.get(kernel.index()).copied()));
        // A kernel without neighbours has its share to itself.
        let in_share = if totals.len() == 1 {
            shared.map(|shared| (shared, None))
        } else {
            simulation.in_share(kernel).map(|of| (of.ipc, of.ipc_ci95))
        };
        // Of a kernel that has done nothing, nothing says what others would leave it.
        let in_share = in_share.filter(|(ipc, _)| alone.is_some() && *ipc > 0.0 && stats.thread_instructions > 0);
        let ipc_share = in_share.map(|(ipc, _)| ipc);
        paces.push(Pace { alone, alone_ci95: simulation.ipc_alone_ci95(kernel), in_share, shared, goal });
        let run = simulation.machine().run(kernel);
        let finished = run.finished();
        let goal_ipc = goal.and_then(|goal| goal.ipc(alone));
        kernels.push(KernelOutcome {
            name: labels[kernel.index()].clone(),
            kernel: used.kernel.name.clone(),
            rates: Rates::of(stats, gpu, cycles),
            ipc_alone: alone,
            slowdown: shared.filter(|s| *s > 0.0).and_then(|s| Some(alone? / s)),
            share: simulation.share(kernel),
            ipc_share,
            share_cost: alone.zip(ipc_share).map(|(alone, share)| alone / share),
            neighbour_cost: ipc_share.zip(shared.filter(|s| *s > 0.0)).map(|(share, shared)| share / shared),
            thread_instructions: stats.thread_instructions,
            warp_instructions: stats.warp_instructions,
            ctas_done: stats.ctas_done,
            runs_done: stats.runs_done,
            finished_at: finished,
            finished_at_ms: finished.map(|cycles| milliseconds(gpu, cycles)),
            launches_took: finished.map(|cycles| cycles - used.kernel.gaps(run.runs)),
            requests: Requests::of(stats, gpu, cycles),
            latency: Latency::of(stats, gpu, cycles),
            stalls: stall_shares(&measured.stalls[kernel.index()]),
            warp_stalls: WarpStalls::of(stats, gpu, cycles),
            occupancy: Occupancy::of(stats, gpu, cycles),
            breakdown: breakdown(stats, cycles),
            breakdown_alone: simulation.breakdown_alone(kernel).copied(),
            counters: *stats,
            goal_ipc,
            goal_reached: shared.and_then(|shared| Some(shared / goal_ipc?)),
        });
    }
    let gpu = GpuOutcome {
        rates: Rates::of(&whole, gpu, cycles),
        throughput: ipc(&whole, cycles).map(|ipc| ipc / f64::from(peak_ipc(gpu))),
        stalls: stall_shares(&measured.all_stalls),
        scheduler_cycles: scheduler_cycles(gpu, cycles),
    };
    let metrics = Metrics::of(&paces.iter().map(|pace| (pace.alone, pace.shared)).collect::<Vec<_>>());
    let goals = paces.iter().map(|pace| (pace.alone, pace.shared, pace.goal.map(|goal| goal.ipc(pace.alone))));
    let goals = Goals::of(&goals.collect::<Vec<_>>());
    let classes = sm_classes(experiment, measured);
    let written = |kernels: &[KernelOutcome]| kernels.iter().map(Datum::write).collect::<Vec<_>>();
    let of_classes: Vec<Value> = classes.iter().map(Datum::write).collect();
    let ci95 = ci95(simulation.batches(), &gpu.write(), &written(&kernels), &of_classes, &paces, metrics);
    let verdict = verdict(simulation, measured, &kernels, &ci95);
    Figures { gpu, kernels, metrics, goals, classes, ci95, verdict }
}

/// A goal as the policy sees it. A share is one of the IPC alone that the policy was given, where it was, whatever the kernel does alone
/// in a run as long as this one.
fn of_given(goal: Goal, alone: Option<f64>) -> Goal {
    match goal {
        Goal::OfAlone(_) => goal.ipc(alone).map_or(goal, Goal::Ipc),
        _ => goal,
    }
}

/// The intervals of a run's figures as it stands.
fn intervals(simulation: &mut Simulation) -> Value {
    let measured = simulation.measured();
    let mut pairs = alloc::vec![("ci95", figures(simulation, &measured).ci95)];
    pairs.extend(settled(simulation).map(|settled| ("settled", settled.write())));
    Value::object(pairs)
}

fn settled(simulation: &Simulation) -> Option<SettledOutcome> {
    let Stop::Settled(asked) = simulation.experiment().stop else { return None };
    let settling = simulation.settling();
    let least = settling.and_then(|settling| settling.least);
    Some(SettledOutcome {
        within: asked.within,
        reached: simulation.stopped() == Some(Reason::Settled),
        known: least.and_then(|least| least.known),
        kernel: least.map(|least| least.kernel as u32),
        ratio: least.map(|least| least.figure.to_string()),
        waits_for: settling.and_then(|settling| settling.waits_for).map(|kernel| kernel as u32),
    })
}

/// The outcome of a run as it stands (wall-clock figures are the runner's to add).
fn outcome(simulation: &mut Simulation, reason: Reason) -> Outcome {
    let measured = simulation.measured();
    let digest = simulation.digest();
    let mut figures = figures(simulation, &measured);
    let because = simulation.because(&figures.kernels);
    let of_sufferer = because.iter().flatten().find(|(because, _)| Some(because.kernel) == figures.verdict.sufferer);
    if let Some((_, why)) = of_sufferer {
        figures.verdict.add_cause(why.clone());
    }
    let experiment = simulation.experiment();
    Outcome {
        corun: VERSION,
        engine: ENGINE.into(),
        name: experiment.name.clone(),
        source: experiment.source.clone(),
        config_hash: experiment.config_hash(),
        digest: hex(digest),
        seed: experiment.seed,
        cycles: simulation.cycle(),
        core_mhz: experiment.gpu.core_mhz,
        ms: milliseconds(&experiment.gpu, simulation.cycle()),
        measured_from: measured.from,
        cold: measured.cold,
        stop: reason.key().into(),
        wall_seconds: None,
        cycles_per_second: None,
        warp_instructions_per_second: None,
        gpu: figures.gpu,
        because: because.map(|all| all.into_iter().map(|(because, _)| because).collect()),
        kernels: figures.kernels,
        metrics: figures.metrics,
        verdict: figures.verdict,
        energy: energy(&measured, &experiment.gpu),
        ci95: figures.ci95,
        policy: PolicyOutcome {
            name: simulation.policy_name().into(),
            title: simulation.policy_title(),
            decisions: simulation.decisions().iter().map(Decision::to_value).collect(),
        },
        goals: figures.goals,
        failure: simulation.failure().map(Into::into),
        settled: settled(simulation),
        sm_classes: (!figures.classes.is_empty()).then_some(figures.classes),
    }
}

/// What each kernel did on the SMs of each class.
fn sm_classes(experiment: &Experiment, measured: &Measured) -> Vec<ClassOutcome> {
    let of_class = |(class, stats): (&SmClass, &Vec<KernelStats>)| ClassOutcome {
        name: class.name.clone(),
        sms: class.count,
        kernels: experiment
            .labels()
            .into_iter()
            .zip(stats)
            .map(|(label, stats)| OnClass {
                name: label,
                ipc: ipc(stats, measured.cycles),
                ctas_per_sm: ratio(stats.cta_cycles, measured.cycles * u64::from(class.count)),
                ctas_done: stats.ctas_done,
            })
            .collect(),
    };
    experiment.gpu.sms.iter().zip(&measured.classes).map(of_class).collect()
}
