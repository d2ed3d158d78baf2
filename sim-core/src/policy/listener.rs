//! For tests, and as a recipe: a policy that hears events and sets each SM by itself. Each CTA that retires on an SM
//! moves its kernel's target there by one; kernels change ranks when one has finished.

use super::scheme::{Member, Policy, PolicyInfo};
use crate::describe::goal::Goal;
use crate::describe::ids::{Cycle, KernelId, PerKernel};
use crate::interface::controls::{Controls, QuotaRefill};
use crate::interface::decision::Log;
use crate::interface::event::{Event, EventKind, EventKinds};
use crate::interface::observation::{Observation, Progress};
use alloc::vec::Vec;

pub const INFO: PolicyInfo = PolicyInfo {
    name: "listener",
    title: "Listener",
    source: "Corun",
    doc: "Hears events and sets each SM by itself",
    params: &[],
    topics: &[],
    check: PolicyInfo::NO_CHECK,
};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Listener {
    /// What it has heard, when, and with how many warp instructions of all kernels so far.
    pub heard: Vec<(Cycle, Event, u64)>,
    pub goals: Vec<Option<Goal>>,
    pub progress: Vec<Progress>,
    pub most_idle: u32,
    /// How often another kernel has to end before the second one may run; until then, nothing else changes.
    pub held_back: u32,
}

impl Listener {
    /// The policy that `spec` describes.
    pub fn new(_: &Member) -> Self {
        Listener::default()
    }
}

impl Policy for Listener {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, _log: &mut Log) {
        self.goals = seen.goals.to_vec();
        controls.each_sm(|sm| {
            sm.quota_refill = QuotaRefill::WhenAllSpent;
            sm.warp_quota = PerKernel::all(Some(300));
            sm.cta_target = PerKernel::all(1);
            sm.allowed[KernelId(1)] = self.held_back == 0;
        });
    }

    fn wants(&self) -> EventKinds {
        EventKinds::of(&[EventKind::KernelLaunched, EventKind::KernelFinished, EventKind::CtaRetired, EventKind::QuotasSpent])
    }

    fn on_event(&mut self, event: Event, seen: &Observation, controls: &mut Controls, _log: &mut Log) {
        let issued = |stats: &[crate::interface::stats::KernelStats]| stats.iter().map(|stats| stats.warp_instructions).sum::<u64>();
        assert_eq!(seen.on_sm.iter().map(|sm| issued(sm)).sum::<u64>(), issued(seen.total), "SMs add up to the GPU");
        self.heard.push((seen.now, event, issued(seen.total)));
        self.progress = seen.progress.to_vec();
        let idle = seen.idle_warps.iter().flat_map(|kernels| kernels.0).max().unwrap_or(0);
        self.most_idle = self.most_idle.max(idle);
        if self.held_back > 0 {
            self.held_back -= u32::from(matches!(event, Event::KernelFinished { .. }));
            controls.each_sm(|sm| sm.allowed[KernelId(1)] = self.held_back == 0);
            return;
        }
        match event {
            Event::CtaRetired { sm, kernel, .. } => {
                let target = &mut controls.sms[usize::from(sm)].cta_target[kernel];
                *target = 3 - *target;
            }
            Event::KernelFinished { kernel } => controls.dispatch_rank[kernel] ^= 1,
            Event::KernelLaunched { .. } | Event::QuotasSpent { .. } | Event::PreemptionDone { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::gpu::presets;
    use crate::interface::controls::WarpOrder;
    use crate::interface::observation::Profile;

    /// A made-up observation is enough to ask a policy.
    #[test]
    fn a_retired_cta_changes_its_own_sm_alone() {
        let gpu = presets::find("tiny-2sm").unwrap();
        let profile = Profile::default();
        let seen = Observation { now: 77, goals: &[None, Some(Goal::OfAlone(0.5))], ..Observation::bare(&gpu, 2, &profile) };
        let (mut policy, mut controls, mut log) = (Listener::default(), Controls::neutral(2, WarpOrder::Gto), Log::new());
        policy.start(&seen, &mut controls, &mut log);
        assert_eq!(policy.goals, [None, Some(Goal::OfAlone(0.5))]);
        policy.on_event(Event::CtaRetired { sm: 1, kernel: KernelId(1), cta: 9 }, &seen, &mut controls, &mut log);
        let targets: Vec<&[u16]> = controls.sms.iter().map(|sm| &sm.cta_target.0[..2]).collect();
        assert_eq!(targets, [[1, 1], [1, 2]]);
    }
}
