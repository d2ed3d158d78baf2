//! A kernel's share of the GPU: what the controls leave it, in words, and the run in which it has that and no neighbour.
//!
//! The run is another plain experiment, for the host: a kernel alone under the last controls (`PolicySpec::manual`). Who takes turns keeps its policy, and
//! the others do nothing in theirs. What is known of a kernel in its share parts a slowdown: what the share costs, and what the neighbours do.

use super::{Reason, Simulation};
use crate::describe::gpu::occupancy::Resources;
use crate::describe::ids::KernelId;
use crate::describe::kernel::{Dim3, Kernel, Launch, Op};
use crate::interface::controls::{CONTROLS, Controls, QuotaRefill};
use crate::interface::observation::Alone;
use crate::interface::ratios::ratio;
use crate::machine::sm::Sm;
use crate::policy::PolicySpec;
use crate::run::experiment::{Experiment, KernelUse, Stop};
use crate::run::plan::{self, Planned};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Controls that limit what a kernel gets of its SMs, beside its CTAs.
const LIMITS: [&str; 7] = ["cta_throttle", "warp_quota", "thread_quota", "memory_cap", "memory_quota", "miss_credits", "l1_ways"];

/// Others have left a kernel less room than its controls say, if it had less than this part of that.
const CLEARLY: f64 = 0.9;

/// Among more waves of CTAs, the last one costs little.
const FEW_WAVES: u32 = 4;

/// A kernel that does nothing in its turns.
pub(in crate::run) fn idle() -> Kernel {
    let program = alloc::vec![Op::Sleep { cycles: 1000 }];
    let launch = Launch { grid: Dim3::from(1), threads: 32, registers: 16, program, ..Launch::default() };
    Kernel {
        name: "idle".into(),
        title: String::new(),
        doc: String::new(),
        source: String::new(),
        arrays: Vec::new(),
        launches: alloc::vec![launch],
        lists: Vec::new(),
        repeats: Vec::new(),
    }
}

impl Simulation {
    /// The runs in which kernels have the share of the GPU that they had at last, and no neighbour, each once. None before the run has ended, where no kernel
    /// is run by itself, and where there is one kernel, which has no neighbour.
    pub fn share_runs(&mut self) -> Vec<Planned> {
        self.machine.settle();
        plan::distinct(KernelId::first(self.machine.kernels()).filter_map(|kernel| self.share_run(kernel)))
    }

    fn share_run(&self, kernel: KernelId) -> Option<Planned> {
        let ended = self.stopped().is_some_and(|reason| !matches!(reason, Reason::Stuck | Reason::Failed));
        if !ended || !self.experiment.alone || self.machine.kernels() < 2 {
            return None;
        }
        self.in_its_share(kernel, self.machine.controls()).map(Planned::of)
    }

    /// A kernel by itself in the share that these controls leave it. Nothing where somebody else than time has to fill its quota.
    pub fn in_its_share(&self, kernel: KernelId, controls: &Controls) -> Option<Experiment> {
        if self.takes_turns() { Some(self.in_its_turns(kernel)) } else { self.under_controls(kernel, controls) }
    }

    /// All kernels as they share the GPU under these controls, from the beginning on.
    pub fn as_it_is(&self, controls: &Controls) -> Experiment {
        let run = &self.experiment;
        let policy = if self.takes_turns() { run.policy.clone() } else { PolicySpec::manual(controls.clone()) };
        Experiment { name: format!("{} as it is", run.name), policy, ..run.clone() }
    }

    fn under_controls(&self, kernel: KernelId, controls: &Controls) -> Option<Experiment> {
        let (run, controls) = (&self.experiment, self.of_one(kernel, controls));
        if controls.sms.iter().any(|sm| sm.quota_refill == QuotaRefill::Round && sm.quota(KernelId(0)).is_some()) {
            return None;
        }
        let neutral = controls == Controls::neutral(controls.sms.len(), run.warp_order);
        let policy = if neutral { PolicySpec::leftover() } else { PolicySpec::manual(controls) };
        let alone = run.alone(kernel);
        let name = format!("{} in its share", run.kernels[kernel.index()].kernel.short_name());
        Some(Experiment { name, gpu: run.gpu.clone(), warp_order: run.warp_order, policy, ..alone })
    }

    fn in_its_turns(&self, kernel: KernelId) -> Experiment {
        let run = &self.experiment;
        let of = |(other, used): (KernelId, &KernelUse)| match other == kernel {
            true => KernelUse { qos: None, ..used.clone() },
            false => KernelUse { kernel: idle(), ctas_per_sm: None, qos: None },
        };
        let kernels = KernelId::first(run.kernels.len()).zip(&run.kernels).map(of).collect();
        // An idle kernel never settles.
        let began = self.began.as_ref().map_or(0, |began| began.at);
        let stop = if let Stop::Settled(_) = run.stop { Stop::Cycles(self.machine.now - began) } else { run.stop };
        let name = format!("{} in its turns", run.kernels[kernel.index()].kernel.short_name());
        Experiment { name, kernels, stop, alone: false, alone_gpu: None, alone_warp_order: None, ..run.clone() }
    }

    fn of_one(&self, kernel: KernelId, controls: &Controls) -> Controls {
        self.share_of(kernel, controls).0
    }

    /// What these controls leave a kernel, as controls of its own, and whether others leave it less.
    fn share_of(&self, kernel: KernelId, controls: &Controls) -> (Controls, bool) {
        let mut one = controls.of_one(kernel, &self.most_ctas, self.experiment.gpu.dram.channels);
        let left = self.left_by_others(kernel);
        for (sm, ctas) in one.sms.iter_mut().zip(left.iter().flatten()) {
            sm.cta_target[KernelId(0)] = *ctas as u16;
        }
        (one, left.is_some())
    }

    /// On each SM, the CTAs for which others have left a kernel room, where that is clearly less than it can have at once: what fits beside those that the
    /// others held there on average. Nothing under a scheme that has changed its mind, which held them down earlier, and where nobody left anything.
    fn left_by_others(&self, kernel: KernelId) -> Option<Vec<u32>> {
        if self.settled_at != Some(0) || self.takes_turns() {
            return None;
        }
        let may = self.places(self.machine.controls(), kernel, kernel);
        let code = self.machine.code_now(kernel);
        let room = |(sm, of): (usize, &Sm)| {
            if of.ctas.divided_for_others(code) {
                // It has room for no more of the kernel's CTAs than it had at times.
                ratio(of.stats()[kernel.index()].cta_cycles, self.machine.now).unwrap_or_default()
            } else {
                self.beside_others(kernel, sm, of)
            }
        };
        let left: Vec<f64> = self.machine.sms.iter().enumerate().map(room).collect();
        let left: Vec<f64> = left.iter().zip(&may).map(|(left, may)| left.min((*may).into())).collect();
        let at_once = self.grid[kernel.index()].min(may.iter().sum());
        if left.iter().sum::<f64>() >= CLEARLY * f64::from(at_once) {
            return None;
        }
        let left: Vec<u32> = left.into_iter().map(|left| (left + 0.5) as u32).collect();
        left.iter().any(|left| *left > 0).then_some(left)
    }

    /// CTAs of a kernel that fit beside those that others held on an SM on average: for a part of the time beside one more of each.
    fn beside_others(&self, kernel: KernelId, sm: usize, of: &Sm) -> f64 {
        let others = KernelId::first(self.machine.kernels()).filter(|other| *other != kernel);
        let held: Vec<(KernelId, f64)> =
            others.map(|other| (other, ratio(of.stats()[other.index()].cta_cycles, self.machine.now).unwrap_or_default())).collect();
        let fit = |more: u32| {
            let mut taken = Resources::default();
            for (other, held) in &held {
                let whole = *held as u32;
                (0..whole + if *held > f64::from(whole) { more } else { 0 }).for_each(|_| taken.add(self.cta_cost[sm][*other]));
            }
            let whole = Resources::of_class(self.experiment.gpu.class_of(sm as u32));
            let mut ctas = 0;
            while ctas < whole.ctas && taken.fits(self.cta_cost[sm][kernel], whole) {
                taken.add(self.cta_cost[sm][kernel]);
                ctas += 1;
            }
            f64::from(ctas)
        };
        let part = held.iter().map(|(_, held)| held - f64::from(*held as u32)).fold(0.0, f64::max);
        fit(0) * (1.0 - part) + fit(1) * part
    }

    /// CTAs that a kernel may hold on each SM under controls that have it as `called`.
    fn places(&self, controls: &Controls, kernel: KernelId, called: KernelId) -> Vec<u32> {
        controls.sms.iter().zip(&self.most_ctas).map(|(sm, most)| sm.may_hold(called).min(most[kernel])).collect()
    }

    /// A kernel of which a few CTAs begin a second wave in its share, and none does alone: with as many CTAs as there is room for at once, in that share.
    pub(in crate::run) fn without_second_wave(&self, kernel: KernelId) -> Option<(u32, Experiment)> {
        let used = self.experiment.kernels.get(kernel.index())?;
        let [launch] = &used.kernel.launches[..] else { return None };
        let (grid, alone) = (launch.grid, self.most_ctas.iter().map(|most| most[kernel]).sum::<u32>());
        let share = self.of_one(kernel, self.machine.controls());
        let one: u32 = self.places(&share, kernel, KernelId(0)).iter().sum();
        let last = grid.ctas().checked_rem(one)?;
        let few = last > 0 && 2 * last < one && grid.ctas() > one && grid.ctas() / one <= FEW_WAVES;
        if !few || grid.x != grid.ctas() || grid.ctas().div_ceil(one) == grid.ctas().div_ceil(alone) {
            return None;
        }
        let mut run = self.in_its_share(kernel, self.machine.controls())?;
        let fit = grid.ctas() - last;
        run.kernels.first_mut()?.kernel.launches[0].grid = Dim3::from(fit);
        Some((fit, run))
    }

    /// Whether the whole GPU goes from one kernel to the next.
    pub fn takes_turns(&self) -> bool {
        self.sharers.iter().any(|sharer| sharer.policy.takes_turns())
    }

    /// Keeps what is known of kernels in their shares.
    pub(super) fn look_up_shares(&mut self) {
        self.machine.settle();
        for kernel in KernelId::first(self.machine.kernels()) {
            let found = self.share_run(kernel).and_then(|run| self.solo.get(&run.hash).copied());
            self.in_share[kernel] = found.filter(|alone| !alone.stuck && alone.ipc > 0.0);
        }
    }

    /// What a kernel does by itself in the share that it had at last, where that is known.
    pub fn in_share(&self, kernel: KernelId) -> Option<&Alone> {
        self.in_share[kernel].as_ref()
    }

    /// A kernel's share as the controls have it now, in words; none where it is the whole GPU.
    pub fn share(&self, kernel: KernelId) -> Option<String> {
        let ((controls, left), all) = (self.share_of(kernel, self.machine.controls()), self.machine.controls().sms.len());
        let first = KernelId(0);
        let mut parts: Vec<String> = Vec::new();
        if self.takes_turns() {
            let kernels = self.machine.kernels();
            if kernels > 1 {
                parts.push(format!("one of {kernels} turns on the whole GPU"));
            }
        } else {
            let most = self.most_ctas.iter().map(|most| most[kernel]);
            let on: Vec<(u32, u32)> = self.places(&controls, kernel, first).into_iter().zip(most).filter(|(may, _)| *may > 0).collect();
            let fits = self.most_ctas.iter().filter(|most| most[kernel] > 0).count();
            if on.len() < fits {
                parts.push(if on.is_empty() { "no SM".into() } else { format!("{} of {all} SMs", on.len()) });
            }
            let [may, most] = [on.iter().map(|on| on.0).sum::<u32>(), on.iter().map(|on| on.1).sum()];
            if may < most && on.iter().all(|one| *one == on[0]) {
                parts.push(format!("{} of {} CTAs on an SM", on[0].0, on[0].1));
            } else if may < most {
                parts.push(format!("{may} of {most} CTAs on its SMs"));
            }
        }
        let channels = self.experiment.gpu.dram.channels;
        let home = controls.home(first, channels).1;
        if home < channels {
            parts.push(format!("{home} of {channels} DRAM channels"));
        }
        parts.extend(limits(&controls));
        let left = if left { ", as others leave it" } else { "" };
        let last = parts.pop()?;
        Some(if parts.is_empty() { format!("{last}{left}") } else { format!("{} and {last}{left}", parts.join(", ")) })
    }
}

/// The other limits of the only kernel of these controls.
fn limits(controls: &Controls) -> impl Iterator<Item = String> {
    let set = Controls::neutral(controls.sms.len(), controls.sms.first().map_or_else(Default::default, |sm| sm.warp_order));
    let limited = CONTROLS.iter().filter(move |control| LIMITS.contains(&control.field.name) && control.differs(controls, &set));
    let words = |title: &str| {
        let mut letters = title.chars();
        match (letters.next(), letters.clone().next()) {
            (Some(first), Some(second)) if second.is_lowercase() => format!("{}{}", first.to_lowercase(), letters.as_str()),
            _ => title.to_string(),
        }
    };
    limited.map(move |control| format!("a limit: {}", words(control.title))).collect::<Vec<_>>().into_iter()
}
