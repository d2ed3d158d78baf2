//! CCBP: coordinated CTA combination and bandwidth partitioning (Lin, Dai, Mantor and Zhou, 2019).
//!
//! # Idea
//! Kernels that saturate a bandwidth make all kernels wait, and bursts do so even when the mean does not. So each kernel's requests are
//! let out of the L1D miss queue at a rate that buys it a fixed share of NoC and DRAM bandwidth. CTAs and bandwidth are handed out
//! together: CTAs to kernels that suffer from latency, bandwidth to those that live on it (`allocate`, Algorithm 1). Each kernel's type
//! and needs are measured while the kernels run (`model` has the equations; `Phase` below is the time-line).
//! # Observes
//! Requests, reads, and DRAM accesses reported in reply headers (the RF and DF monitors). By one reading also requests that wait in the miss
//! queues at the end of credit intervals. Resident CTAs, what a CTA costs, and instructions. The IPC of each kernel alone, for the priority.
//! # Sets
//! `cta_target`, `miss_queue_split`, `miss_credits`, `credit_interval`, `credit_carry`, `miss_rank`, and `cta_throttle` while it measures.
//! # Parameters
//! See `settings`: lengths of the time-line, and a parameter for each point that the paper leaves open.
//! # Deviations
//! 1. IPC alone cannot be seen while kernels share. It is given, or measured before the run (§5.5 does not say).
//! 2. The offline variant measures in the run itself, with its longer windows; `settled` says from when on it can be judged: once the
//!    last allocation is real.
//! 3. Algorithm 1 keeps room for one CTA of each kernel (`reserve_cta`), and a kernel that gets no bandwidth keeps its even rate: no kernel starves.
//! 4. On a GPU with unlike SMs, an SM has what each class has at least: all SMs share one combination (§5.2).
//! 5. A latency-sensitive kernel without reads, or without DRAM accesses, is held to the other bound alone.

mod allocate;
mod curve;
mod model;
mod settings;
#[cfg(test)]
mod tests;
mod topics;
mod trace;

pub use self::settings::{INFO, NOC_SUSTAINABLE};
pub use self::trace::{allocation, allocation_form};

use self::allocate::{Demand, Grant, KernelType, Rules, allocate};
use self::curve::{Point, cta_points, through};
use self::model::{Factors, Model};
use self::settings::{FLOOR, INTENSIVE, LsCredits, METRIC, STEP, Settings, Variant};
use self::topics::{
    Bandwidth, BestPriority, DemandCurve, DemandPerCta, GrantedCtas, KeptPriority, MeasuringCtas, Requests, TriedPriority, Typed,
};
use super::scheme::{Member, Policy};
use crate::describe::gpu::occupancy::Resources;
use crate::describe::ids::{Cycle, KernelId, PerKernel};
use crate::describe::value::Value;
use crate::interface::controls::Controls;
use crate::interface::decision::{Decided, Log, decide};
use crate::interface::observation::Observation;
use crate::interface::observation::{By, Needs};
use crate::interface::ratios::Metrics;
use crate::interface::shown::{Column, Row, Table};
use crate::interface::stats::KernelStats;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What two equal rates may differ by.
const ROUNDING: f64 = 1e-6;

/// The time-line of CCBP §5.4 and §5.5.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Nothing is counted, nothing is limited.
    WarmUp,
    /// rf and df are counted.
    Factors,
    /// Even bandwidth has been set; nothing is counted.
    DemandSkip,
    /// The demand is sampled at the end of every credit interval.
    Demand,
    /// A bandwidth-intensive kernel runs without limit, with some of its CTAs; nothing is counted.
    CurveSkip,
    /// Its bandwidth is counted.
    Curve,
    /// A new allocation waits until no SM holds more CTAs than its targets.
    Drain {
        /// Until then at most.
        until: Cycle,
    },
    /// An allocation is judged.
    Judge,
    /// Nothing changes any more.
    Settled,
}

/// What the policy knows of a kernel.
#[derive(Clone, PartialEq, Debug, Default)]
struct Learned {
    /// CTAs on every SM in the even combination, and alone.
    ctas: (u32, u32),
    factors: Factors,
    /// Rate that an even share of both bandwidths buys (`IREven`).
    even_rate: f64,
    /// Requests found waiting at ends of intervals, over all SMs.
    waiting: u64,
    kind: KernelType,
    /// Where its bandwidth was measured, CTAs rising; one point for a latency-sensitive kernel.
    points: Vec<Point>,
    /// Bandwidth with 0, 1, 2, … CTAs, units.
    noc: Vec<f64>,
    dram: Vec<f64>,
}

/// The climb over priorities: the allocation applied now, and the best so far.
#[derive(Clone, PartialEq, Debug)]
struct Climb {
    /// Steps below the first priority of what is applied now.
    steps: u32,
    applied: Vec<Grant>,
    best: Option<(f64, u32, Vec<Grant>)>,
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Ccbp {
    settings: Settings,
    phase: Phase,
    /// Core cycles until the policy is asked again.
    wait: Cycle,
    /// When the present phase ends, and what was counted when it began.
    ends: Cycle,
    began: (Cycle, Vec<KernelStats>),
    samples: u64,
    kernels: Vec<Learned>,
    /// Points of curves still to be measured, last first: kernel and CTAs.
    todo: Vec<(KernelId, u32)>,
    climb: Climb,
    /// Why nothing changes any more, once the last allocation is real.
    settling: Option<Decided>,
}

impl Policy for Ccbp {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        for kernel in KernelId::first(seen.kernels) {
            // A grant of CTAs that the grid does not have would take room and bandwidth from the others.
            let alone = seen.cta_limit.iter().map(|limit| limit[kernel]).min().unwrap_or(0).min(seen.grid_per_sm(kernel));
            let even = (alone / seen.kernels as u32).max(1);
            self.kernels.push(Learned { ctas: (even, alone), ..Learned::default() });
            decide(log, seen, kernel, MeasuringCtas { ctas: even, alone, kernels: seen.kernels as u32 });
        }
        controls.each_sm(|sm| {
            (sm.miss_queue_split, sm.credit_interval, sm.credit_carry) = (true, self.settings.interval as u32, self.settings.carry);
        });
        self.set_even_ctas(controls);
        self.enter(Phase::WarmUp, self.settings.warm_up, seen);
        // Windows begin with a credit interval, also where the policy takes over in the middle of a run.
        self.wait += (self.settings.interval - seen.now % self.settings.interval) % self.settings.interval;
    }

    fn needs(&self) -> Needs {
        if self.settings.variant == Variant::Drf || !self.settings.ipc_alone.is_empty() {
            return Needs::default();
        }
        Needs::of(By::Whole, self.settings.profile_cycles)
    }

    fn interval(&self) -> Option<Cycle> {
        (self.phase != Phase::Settled).then_some(self.wait)
    }

    fn settled(&self) -> bool {
        self.phase == Phase::Settled
    }

    fn on_interval(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        match self.phase {
            Phase::WarmUp => self.enter(Phase::Factors, self.settings.factor_window, seen),
            Phase::Factors => {
                self.count_factors(seen, log);
                self.limit_evenly(controls);
                self.enter(Phase::DemandSkip, self.settings.skip, seen);
            }
            Phase::DemandSkip => {
                self.enter(Phase::Demand, self.settings.window, seen);
                self.wait = self.settings.interval;
            }
            Phase::Demand => {
                self.sample_queues(seen);
                if seen.now >= self.ends {
                    self.classify(seen, controls, log);
                    self.next_point(seen, controls, log);
                }
            }
            Phase::CurveSkip => self.enter(Phase::Curve, self.settings.window, seen),
            Phase::Curve => {
                self.record_point(seen);
                self.next_point(seen, controls, log);
            }
            Phase::Drain { until } => {
                if seen.now >= until || self.is_combined(seen) {
                    match self.settling.take() {
                        Some(why) => self.settle(why, seen, log),
                        None => self.enter(Phase::Judge, self.settings.priority_window, seen),
                    }
                }
            }
            Phase::Judge => self.judge(seen, controls, log),
            Phase::Settled => {}
        }
    }

    fn shows(&self, seen: &Observation) -> Vec<Table> {
        let mut tables = alloc::vec![self.learned()];
        if !self.climb.applied.is_empty() {
            // The best allocation so far may have been taken up again.
            let again = self.climb.best.as_ref().filter(|(.., grants)| *grants == self.climb.applied).map(|best| best.1);
            let (demands, rules) = self.asked(again.unwrap_or(self.climb.steps), seen);
            tables.push(trace::table(&demands, rules));
        }
        tables
    }
}

/// Measuring (CCBP §5.4).
impl Ccbp {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        Ccbp {
            settings: Settings::new(spec),
            phase: Phase::WarmUp,
            wait: 1,
            ends: 0,
            began: (0, Vec::new()),
            samples: 0,
            kernels: Vec::new(),
            todo: Vec::new(),
            climb: Climb { steps: 0, applied: Vec::new(), best: None },
            settling: None,
        }
    }

    fn enter(&mut self, phase: Phase, cycles: Cycle, seen: &Observation) {
        self.phase = phase;
        self.wait = cycles;
        self.ends = seen.now + cycles;
        self.began = (seen.now, seen.total.to_vec());
    }

    fn model(&self, seen: &Observation) -> Model {
        Model::new(seen.gpu, NOC_SUSTAINABLE, self.settings.dram_sustainable, self.settings.interval as f64)
    }

    /// What a kernel did since the phase began.
    fn counted(&self, seen: &Observation, kernel: KernelId) -> KernelStats {
        seen.total[kernel.index()] - self.began.1[kernel.index()]
    }

    /// Requests of an SM in a credit interval, on average since the phase began.
    fn rate(&self, seen: &Observation, requests: u64) -> f64 {
        let intervals = (seen.now - self.began.0) as f64 / self.settings.interval as f64;
        requests as f64 / (intervals * f64::from(seen.gpu.sm_count()))
    }

    fn set_even_ctas(&self, controls: &mut Controls) {
        for (kernel, learned) in KernelId::first(self.kernels.len()).zip(&self.kernels) {
            controls.each_sm(|sm| sm.cta_target[kernel] = learned.ctas.0 as u16);
        }
    }

    fn count_factors(&mut self, seen: &Observation, log: &mut Log) {
        let model = self.model(seen);
        for kernel in KernelId::first(seen.kernels) {
            let factors = factors_of(&self.counted(seen, kernel));
            let even_rate = model.even_rate(factors, seen.kernels);
            let learned = &mut self.kernels[kernel.index()];
            (learned.factors, learned.even_rate) = (factors, even_rate);
            decide(log, seen, kernel, Requests { rf: factors.rf, df: factors.df, even_rate: finite(even_rate) });
        }
    }

    /// Even bandwidth (CCBP §5.4 eq. 5).
    fn limit_evenly(&self, controls: &mut Controls) {
        for (kernel, learned) in KernelId::first(self.kernels.len()).zip(&self.kernels) {
            let credits = self.credits(learned.even_rate, false);
            controls.each_sm(|sm| sm.miss_credits[kernel] = credits);
        }
    }

    /// What waits in the miss queues at the end of a credit interval.
    fn sample_queues(&mut self, seen: &Observation) {
        for queued in seen.queued {
            for (kernel, learned) in KernelId::first(seen.kernels).zip(&mut self.kernels) {
                learned.waiting += u64::from(queued[kernel]);
            }
        }
        self.samples += seen.queued.len() as u64;
    }

    /// Types by demand against the even share, and by eq. 7; latency-sensitive kernels get their lines (CCBP §5.4).
    fn classify(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let model = self.model(seen);
        for kernel in KernelId::first(seen.kernels) {
            let counted = self.counted(seen, kernel);
            let learned = &self.kernels[kernel.index()];
            let sent = self.rate(seen, counted.requests);
            let (demand, enough) = match self.settings.backlog {
                true => (sent + learned.waiting as f64 / self.samples.max(1) as f64, learned.even_rate),
                false => (sent, INTENSIVE * learned.even_rate),
            };
            let kind = match (demand >= enough, model.noc_intensive(learned.factors)) {
                (false, _) => KernelType::LatencySensitive,
                (true, true) => KernelType::NocIntensive,
                (true, false) => KernelType::DramIntensive,
            };
            let what = Typed {
                kernel_type: kind.word(),
                demand,
                even_rate: finite(learned.even_rate),
                ratio: finite(learned.factors.df / learned.factors.rf).filter(|_| kind != KernelType::LatencySensitive),
                threshold: model.threshold(),
            };
            decide(log, seen, kernel, what);
            if kind == KernelType::LatencySensitive {
                self.draw_line(seen, kernel);
            } else {
                let points = cta_points(self.kernels[kernel.index()].ctas.0);
                self.todo.extend(points.into_iter().map(|ctas| (kernel, ctas)));
            }
            self.kernels[kernel.index()].kind = kind;
            let rank = u8::from(kind != KernelType::LatencySensitive);
            controls.each_sm(|sm| sm.miss_rank[kernel] = rank);
        }
        self.todo.reverse();
    }

    /// The bandwidth of a kernel since the phase began, with so many CTAs.
    fn measure(&mut self, seen: &Observation, kernel: KernelId, ctas: u32) -> Point {
        let (model, counted) = (self.model(seen), self.counted(seen, kernel));
        let (factors, rate, units) = (factors_of(&counted), self.rate(seen, counted.requests), self.settings.units);
        let noc = model.noc_bytes(rate, factors.rf) / model.noc * units;
        let point = Point { ctas, noc, dram: model.dram_bytes(rate, factors.df) / model.dram * units, factors };
        self.kernels[kernel.index()].points.push(point);
        point
    }

    /// Bandwidth of a latency-sensitive kernel: its average for each CTA, times CTAs.
    fn draw_line(&mut self, seen: &Observation, kernel: KernelId) {
        let counted = self.counted(seen, kernel);
        let cycles = (seen.now - self.began.0) as f64 * f64::from(seen.gpu.sm_count());
        let ctas = counted.cta_cycles as f64 / cycles;
        let point = self.measure(seen, kernel, self.kernels[kernel.index()].ctas.0);
        let slope = |units: f64| if ctas > 0.0 { units / ctas } else { 0.0 };
        let learned = &mut self.kernels[kernel.index()];
        let line = |units: f64| (0..=learned.ctas.1).map(|c| slope(units) * f64::from(c)).collect();
        (learned.noc, learned.dram) = (line(point.noc), line(point.dram));
    }

    /// Measures the next point of a bandwidth-intensive kernel's curve, or allocates when all are known.
    fn next_point(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        controls.each_sm(|sm| sm.cta_throttle = PerKernel::all(u16::MAX));
        self.limit_evenly(controls);
        if let Some(&(kernel, ctas)) = self.todo.last() {
            controls.each_sm(|sm| (sm.miss_credits[kernel], sm.cta_throttle[kernel]) = (None, ctas as u16));
            return self.enter(Phase::CurveSkip, self.settings.skip, seen);
        }
        for kernel in KernelId::first(seen.kernels) {
            self.finish_curve(kernel);
            decide(log, seen, kernel, self.kernels[kernel.index()].demand(self.settings.units));
        }
        self.begin_allocating(seen, controls, log);
    }

    fn record_point(&mut self, seen: &Observation) {
        if let Some((kernel, ctas)) = self.todo.pop() {
            self.measure(seen, kernel, ctas);
        }
    }

    /// The whole curve from its points.
    fn finish_curve(&mut self, kernel: KernelId) {
        let learned = &mut self.kernels[kernel.index()];
        if learned.kind != KernelType::LatencySensitive {
            let curve = |of: fn(&Point) -> f64| {
                let points: Vec<(u32, f64)> = learned.points.iter().map(|point| (point.ctas, of(point))).collect();
                through(&points, learned.ctas.1, self.settings.units)
            };
            (learned.noc, learned.dram) = (curve(|point| point.noc), curve(|point| point.dram));
        }
    }
}

/// Allocating (CCBP §5.2) and adjusting the priority (§5.5).
impl Ccbp {
    fn begin_allocating(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let grants = self.allocate_at(0, seen);
        self.apply(grants, seen, controls, log);
        let latency_sensitive = self.kernels.iter().filter(|learned| learned.kind == KernelType::LatencySensitive).count();
        let why = match self.settings.variant {
            _ if latency_sensitive == 0 => Some("no_latency_sensitive"),
            _ if latency_sensitive == seen.kernels => Some("all_latency_sensitive"),
            Variant::Drf => Some("variant"),
            _ if self.alone(seen).is_none() => Some("no_ipc_alone"),
            _ => None,
        };
        self.settling = why.map(|why| KeptPriority { priority: priority(0), why }.into());
        self.drain(seen);
    }

    fn settle(&mut self, why: Decided, seen: &Observation, log: &mut Log) {
        self.phase = Phase::Settled;
        decide(log, seen, None, why);
    }

    fn drain(&mut self, seen: &Observation) {
        self.enter(Phase::Drain { until: seen.now + self.settings.drain_limit }, self.settings.poll, seen);
    }

    /// Whether no SM holds more CTAs than it should; growing is immediate.
    fn is_combined(&self, seen: &Observation) -> bool {
        let kernels = || KernelId::first(seen.kernels).zip(&self.climb.applied);
        seen.resident.iter().all(|resident| kernels().all(|(kernel, grant)| resident[kernel] as usize <= grant.ctas))
    }

    fn alone(&self, seen: &Observation) -> Option<Vec<f64>> {
        let given = &self.settings.ipc_alone;
        let known = if given.is_empty() { seen.profile.each(|run| run.ipc) } else { given.clone() };
        (known.len() == seen.kernels && known.iter().all(|&ipc| ipc > 0.0)).then_some(known)
    }

    /// What Algorithm 1 is asked so many steps below the first priority.
    fn asked(&self, steps: u32, seen: &Observation) -> (Vec<Demand>, Rules) {
        let demands: Vec<Demand> = KernelId::first(seen.kernels)
            .zip(&self.kernels)
            .map(|(kernel, learned)| {
                let cta = seen.cta_cost.iter().map(|cost| cost[kernel]).fold(Resources::default(), Resources::most);
                Demand { kind: learned.kind, noc: learned.noc.clone(), dram: learned.dram.clone(), cta }
            })
            .collect();
        let rules = Rules {
            sm: smallest_sm(seen),
            units: if self.partitions() { self.settings.units } else { f64::INFINITY },
            priority: priority(steps),
            clip: self.settings.clip,
        };
        (demands, rules)
    }

    /// Algorithm 1 so many steps below the first priority.
    fn allocate_at(&self, steps: u32, seen: &Observation) -> Vec<Grant> {
        let (demands, rules) = self.asked(steps, seen);
        let mut grants = allocate(&demands, rules);
        grants.iter_mut().for_each(|grant| grant.ctas = grant.ctas.max(1));
        grants
    }

    /// Bandwidth is partitioned only if a kernel is bandwidth-intensive.
    fn partitions(&self) -> bool {
        self.kernels.iter().any(|learned| learned.kind != KernelType::LatencySensitive)
    }

    fn apply(&mut self, grants: Vec<Grant>, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let model = self.model(seen);
        for (kernel, grant) in KernelId::first(seen.kernels).zip(&grants) {
            controls.each_sm(|sm| sm.cta_target[kernel] = grant.ctas as u16);
            let rate = self.bought(&model, kernel, &grants);
            let latency_sensitive = self.kernels[kernel.index()].kind == KernelType::LatencySensitive;
            let credits = self.credits(rate, latency_sensitive);
            controls.each_sm(|sm| sm.miss_credits[kernel] = credits);
            let requests = credits.map(|credits| f64::from(credits) / 16.0);
            decide(log, seen, kernel, GrantedCtas { ctas: grant.ctas as u32 });
            let units = self.settings.units as u32;
            decide(log, seen, kernel, Bandwidth { noc: grant.noc, dram: grant.dram, units, requests });
        }
        self.climb.applied = grants;
    }

    /// The rate that a kernel's bandwidth buys; infinite for no limit.
    fn bought(&self, model: &Model, kernel: KernelId, grants: &[Grant]) -> f64 {
        let (learned, grant) = (&self.kernels[kernel.index()], grants[kernel.index()]);
        let factors = learned.factors_near(grant.ctas);
        let rates = |noc: f64, dram: f64| {
            let units = self.settings.units;
            (model.rate_of_noc(noc / units * model.noc, factors.rf), model.rate_of_dram(dram / units * model.dram, factors.df))
        };
        if !self.partitions() {
            return f64::INFINITY;
        }
        if grant.noc <= 0.0 && grant.dram <= 0.0 {
            // It used none when it was measured, or none was left: it keeps its even share rather than starve.
            return learned.even_rate;
        }
        if learned.kind != KernelType::LatencySensitive {
            let (noc, dram) = rates(grant.noc, grant.dram);
            return noc.min(dram);
        }
        let (noc, dram) = rates(grant.noc, grant.dram);
        // The greater of the bounds that there are.
        let demand = if noc.is_finite() && dram.is_finite() { noc.max(dram) } else { noc.min(dram) };
        match self.settings.ls_credits {
            LsCredits::Literal => demand,
            // One that is taken for latency-sensitive although it is not would take all, as its requests go first.
            LsCredits::Unlimited => demand.max(learned.even_rate),
        }
    }

    /// A rate as credits, in sixteenths; none where the queue cannot issue more anyway (one request a cycle).
    fn credits(&self, rate: f64, latency_sensitive: bool) -> Option<u32> {
        if rate >= self.settings.interval as f64 {
            return None;
        }
        // Rates come from divisions: 7.9999999 is 8.
        Some(if latency_sensitive {
            16 * ((rate - ROUNDING) as u32 + 1)
        } else if self.settings.whole_credits {
            16 * ((rate + 0.5) as u32).max(1)
        } else {
            ((rate * 16.0 + ROUNDING) as u32).max(1)
        })
    }

    /// The metric of the window that has just ended.
    fn score(&self, seen: &Observation) -> Option<f64> {
        let cycles = (seen.now - self.began.0) as f64;
        let alone = self.alone(seen)?;
        let ipc: Vec<(Option<f64>, Option<f64>)> = KernelId::first(seen.kernels)
            .map(|kernel| (Some(alone[kernel.index()]), Some(self.counted(seen, kernel).thread_instructions as f64 / cycles)))
            .collect();
        Some(Metrics::of(&ipc).hspeedup.unwrap_or(0.0))
    }

    /// One step of the climb (CCBP §5.5); the offline variant takes them all.
    fn judge(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let score = self.score(seen).unwrap_or(0.0);
        let steps = self.climb.steps;
        let better = self.climb.best.as_ref().is_none_or(|best| score > best.0);
        let best = self.climb.best.as_ref().map(|best| best.0);
        decide(log, seen, None, TriedPriority { priority: priority(steps), metric: METRIC, score, best });
        if better {
            self.climb.best = Some((score, steps, self.climb.applied.clone()));
        }
        let next = if better || self.settings.variant == Variant::Offline { self.next_allocation(seen) } else { None };
        if let Some((steps, grants)) = next {
            self.climb.steps = steps;
            self.apply(grants, seen, controls, log);
            return self.drain(seen);
        }
        let Some((score, best, grants)) = self.climb.best.clone() else { return };
        let why: Decided = BestPriority { priority: priority(best), metric: METRIC, score }.into();
        if grants == self.climb.applied {
            return self.settle(why, seen, log);
        }
        self.apply(grants, seen, controls, log);
        self.settling = Some(why);
        self.drain(seen);
    }

    /// The next priority that changes the allocation: judging the same allocation twice would let noise end the climb.
    fn next_allocation(&self, seen: &Observation) -> Option<(u32, Vec<Grant>)> {
        (self.climb.steps + 1..)
            .take_while(|&steps| priority(steps) >= FLOOR - 1e-9)
            .map(|steps| (steps, self.allocate_at(steps, seen)))
            .find(|(_, grants)| *grants != self.climb.applied)
    }
}

/// What people watch.
impl Ccbp {
    /// What it is doing, and what it knows of each kernel so far.
    fn learned(&self) -> Table {
        let counted = !matches!(self.phase, Phase::WarmUp | Phase::Factors);
        let typed = counted && !matches!(self.phase, Phase::DemandSkip | Phase::Demand);
        let measured = self.todo.last().filter(|_| typed);
        let row = |(kernel, learned): (KernelId, &Learned)| Row {
            name: Value::Null,
            kernel: Some(kernel),
            cells: alloc::vec![
                typed.then(|| learned.kind.word()).into(),
                counted.then_some(learned.factors.rf).into(),
                counted.then_some(learned.factors.df).into(),
                finite(learned.even_rate).filter(|_| counted).into(),
                measured.filter(|now| now.0 == kernel).map(|now| now.1).into(),
            ],
        };
        let doing = match self.phase {
            Phase::WarmUp => "nothing is counted yet".into(),
            Phase::Factors => "counts reads and DRAM accesses".into(),
            Phase::DemandSkip => "even bandwidth has been set".into(),
            Phase::Demand => "measures the demand".into(),
            Phase::CurveSkip | Phase::Curve => "measures bandwidth by CTAs".into(),
            Phase::Drain { .. } => "CTAs beyond the targets finish".into(),
            Phase::Judge => format!("judges priorLSK {:.2}", priority(self.climb.steps)),
            Phase::Settled => String::from("settled"),
        };
        let until = if self.phase == Phase::Settled { String::new() } else { format!(", until cycle {}", self.ends) };
        Table {
            key: "ccbp",
            title: format!("CCBP: {doing}{until}"),
            doc: "What CCBP knows of each kernel by now (CCBP §5.4)",
            row: "",
            course: None,
            columns: alloc::vec![
                Column::of("Type", "", "What limits the kernel"),
                Column::of("rf", "", "Reads among its requests"),
                Column::of("df", "", "DRAM accesses of each request"),
                Column::of(
                    "Even share",
                    "requests per interval",
                    "What an even share of both bandwidths buys; nothing for a kernel that pays for none"
                ),
                Column::of("Measured with", "CTAs", "CTAs with which its bandwidth is being measured"),
            ],
            rows: KernelId::first(self.kernels.len()).zip(&self.kernels).map(row).collect(),
        }
    }
}

impl Learned {
    /// rf and df when bandwidth was measured with so many CTAs, or the next count above that was, or the last.
    fn factors_near(&self, ctas: usize) -> Factors {
        let point = self.points.iter().find(|point| point.ctas as usize >= ctas).or(self.points.last());
        point.map_or(self.factors, |point| point.factors)
    }

    /// Its bandwidth by CTAs, as it was measured.
    fn demand(&self, units: f64) -> Decided {
        let units = units as u32;
        let at = |line: &[f64], ctas: u32| line.get(ctas as usize).copied().unwrap_or(0.0);
        if self.kind == KernelType::LatencySensitive {
            return DemandPerCta { noc: at(&self.noc, 1), dram: at(&self.dram, 1), units }.into();
        }
        let ctas: Vec<u32> = self.points.iter().map(|point| point.ctas).collect();
        let with = |line: &[f64]| ctas.iter().map(|&ctas| at(line, ctas)).collect();
        DemandCurve { noc: with(&self.noc), dram: with(&self.dram), ctas, units }.into()
    }
}

/// The factor on the dominant share of latency-sensitive kernels (priorLSK) so many steps below the first.
fn priority(steps: u32) -> f64 {
    1.0 - f64::from(steps) * STEP
}

/// rf and df of what was counted.
fn factors_of(n: &KernelStats) -> Factors {
    Factors::count(n.requests, n.read_requests, n.replies, n.reported_dram_accesses)
}

/// A number, unless it is NaN.
fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

/// What every SM has at least.
fn smallest_sm(seen: &Observation) -> Resources {
    let classes = seen.gpu.sms.iter().map(Resources::of_class);
    classes.reduce(Resources::least).unwrap_or_default()
}
