//! The policies that share a run's GPU, each in its own time: when it is asked next, and what it is shown of the time since it was asked last.

use crate::describe::error::Problems;
use crate::describe::ids::{Cycle, KernelId, PerKernel};
use crate::interface::event::EventKinds;
use crate::interface::observation::Profile;
use crate::interface::stats::KernelStats;
use crate::machine::sm::Sm;
use crate::policy::AnyPolicy;
use crate::run::experiment::Experiment;
use crate::run::plan::{self, SoloProfiles};
use alloc::vec::Vec;

/// A policy, and what the run keeps for it.
#[derive(Clone, Debug)]
pub struct Sharer {
    /// The policy.
    pub policy: AnyPolicy,
    /// What it needed to know of kernels alone.
    pub profile: Profile,
    /// Events that it wanted when it began.
    pub wants: EventKinds,
    /// Intervals after which the controls have stayed as they were, since they last changed or a kernel ended.
    pub unchanged: u64,
    /// Counters of each kernel when it was last asked, and the cycle.
    pub asked: Vec<KernelStats>,
    asked_at: Cycle,
    /// Samples of idle warps since then: their sums on each SM, how many, and the cycle of the last.
    pub idle_sum: Vec<PerKernel<u32>>,
    pub idle_samples: u32,
    sampled_at: Cycle,
    /// The most memory instructions in flight on each SM since then, up to where the machine forgot them because another policy was asked.
    peaks: Vec<PerKernel<u32>>,
}

impl Sharer {
    /// Policies before they begin, each with the profile that it needs, in a run that has these counters in this cycle.
    pub fn all(
        policies: Vec<AnyPolicy>,
        experiment: &Experiment,
        solo: &SoloProfiles,
        (now, totals): (Cycle, &[KernelStats]),
    ) -> Result<Vec<Self>, Problems> {
        let none = alloc::vec![PerKernel::all(0); experiment.gpu.sm_count() as usize];
        let sharer = |policy: AnyPolicy| {
            Ok(Sharer {
                profile: plan::profile(experiment, &*policy, solo)?,
                wants: policy.wants(),
                policy,
                unchanged: 0,
                asked: totals.to_vec(),
                asked_at: now,
                idle_sum: none.clone(),
                idle_samples: 0,
                sampled_at: now,
                peaks: none.clone(),
            })
        };
        policies.into_iter().map(sharer).collect()
    }

    /// The cycle in which its interval ends; `None` if it has none.
    pub fn asks_at(&self) -> Option<Cycle> {
        self.policy.interval().map(|interval| self.asked_at + interval)
    }

    /// The cycle of the next sample of idle warps; `None` if it wants none.
    pub fn samples_at(&self) -> Option<Cycle> {
        self.policy.sampling().map(|sampling| self.sampled_at + sampling)
    }

    /// It has been asked: what it is shown begins anew.
    pub fn begin_interval(&mut self, now: Cycle, totals: &[KernelStats]) {
        self.asked.copy_from_slice(totals);
        self.idle_sum.fill(PerKernel::all(0));
        self.peaks.fill(PerKernel::all(0));
        (self.asked_at, self.idle_samples, self.sampled_at) = (now, 0, now);
    }

    /// Samples idle warps.
    pub fn sample(&mut self, now: Cycle, sms: &[Sm], kernels: usize) {
        for (sm, sum) in sms.iter().zip(&mut self.idle_sum) {
            KernelId::first(kernels).for_each(|kernel| sum[kernel] += sm.idle_warps(now, kernel));
        }
        (self.idle_samples, self.sampled_at) = (self.idle_samples + 1, now);
    }

    /// The most in flight since it was last asked, where the machine has seen so many.
    pub fn peaks(&self, machine: &[PerKernel<u32>]) -> Vec<PerKernel<u32>> {
        let most = |(mine, seen): (&PerKernel<u32>, &PerKernel<u32>)| {
            let mut most = *mine;
            most.0.iter_mut().zip(seen.0).for_each(|(most, seen)| *most = seen.max(*most));
            most
        };
        self.peaks.iter().zip(machine).map(most).collect()
    }

    /// The machine forgets its peaks: keeps them, if they are still of use.
    pub fn keep_peaks(&mut self, machine: &[PerKernel<u32>]) {
        self.peaks = self.peaks(machine);
    }
}
