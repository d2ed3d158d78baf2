//! Leftover: the next kernel gets room only once the one before has no CTA left to place.
//!
//! # Idea
//! What GPGPU-Sim's concurrent-kernel mode does and what current hardware does with streams: a modelling assumption, the usual baseline.
//! # Observes
//! The order of the mix.
//! # Sets
//! `dispatch_rank`.

use super::{AnyPolicy, Policy, PolicyInfo};
use crate::describe::ids::KernelId;
use crate::seam::controls::Controls;
use crate::seam::decision::{Decided, Log, decide};
use crate::seam::observation::Observation;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "leftover",
    title: "Leftover",
    source: "GPGPU-Sim's concurrent kernels",
    doc: "The next kernel gets room only once the one before has no CTA left to place",
    params: &[],
    check: PolicyInfo::NO_CHECK,
    make: |_| AnyPolicy::Leftover(Leftover),
};

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Leftover;

impl Policy for Leftover {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        for kernel in KernelId::first(seen.kernels) {
            controls.dispatch_rank[kernel] = kernel.0;
            decide(log, seen, kernel, Decided::DispatchRank { dispatch_rank: kernel.0.into() });
        }
    }
}
