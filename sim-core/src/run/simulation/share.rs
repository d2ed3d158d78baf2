//! A kernel's share of the GPU: what the controls leave it, in words, and the run in which it has that and no neighbour.
//!
//! The run is another plain experiment, for the host: a kernel alone under the last controls (`PolicySpec::manual`). Who takes turns keeps its policy, and
//! the others do nothing in theirs. What is known of a kernel in its share parts a slowdown: what the share costs, and what the neighbours do.

use super::{Reason, Simulation};
use crate::describe::ids::KernelId;
use crate::describe::kernel::{Dim3, Kernel, Launch, Op};
use crate::interface::controls::{CONTROLS, Controls, QuotaRefill};
use crate::interface::observation::Alone;
use crate::policy::PolicySpec;
use crate::run::experiment::{Experiment, KernelUse, Stop};
use crate::run::plan::Planned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Controls that limit what a kernel gets of its SMs, beside its CTAs.
const LIMITS: [&str; 7] = ["cta_throttle", "warp_quota", "thread_quota", "memory_cap", "memory_quota", "miss_credits", "l1_ways"];

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
    pub fn share_runs(&self) -> Vec<Planned> {
        let mut runs: Vec<Planned> = Vec::new();
        for run in KernelId::first(self.machine.kernels()).filter_map(|kernel| self.share_run(kernel)) {
            if runs.iter().all(|other| other.hash != run.hash) {
                runs.push(run);
            }
        }
        runs
    }

    fn share_run(&self, kernel: KernelId) -> Option<Planned> {
        let ended = self.stopped().is_some_and(|reason| !matches!(reason, Reason::Stuck | Reason::Failed));
        if !ended || !self.experiment.alone || self.machine.kernels() < 2 {
            return None;
        }
        let experiment = self.in_its_share(kernel, self.machine.controls())?;
        Some(Planned { hash: experiment.config_hash(), experiment })
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
        controls.of_one(kernel, &self.most_ctas, self.experiment.gpu.dram.channels)
    }

    /// Whether the whole GPU goes from one kernel to the next.
    pub fn takes_turns(&self) -> bool {
        self.sharers.iter().any(|sharer| sharer.policy.takes_turns())
    }

    /// Keeps what is known of kernels in their shares.
    pub(super) fn look_up_shares(&mut self) {
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
        let (controls, all) = (self.of_one(kernel, self.machine.controls()), self.machine.controls().sms.len());
        let first = KernelId(0);
        let mut parts: Vec<String> = Vec::new();
        if self.takes_turns() {
            let kernels = self.machine.kernels();
            if kernels > 1 {
                parts.push(format!("one of {kernels} turns on the whole GPU"));
            }
        } else {
            let most = controls.sms.iter().zip(&self.most_ctas).map(|(sm, most)| (sm.may_hold(first).min(most[kernel]), most[kernel]));
            let on: Vec<(u32, u32)> = most.filter(|(may, _)| *may > 0).collect();
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
        let last = parts.pop()?;
        Some(if parts.is_empty() { last } else { format!("{} and {last}", parts.join(", ")) })
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
