//! Leftover: the next kernel gets room only once the one before has no CTA left to place.
//!
//! # Idea
//! What GPGPU-Sim's concurrent-kernel mode does and what current hardware does with streams: a modelling assumption, the usual baseline.
//! # Observes
//! The order of the mix.
//! # Sets
//! `dispatch_rank`.

use super::scheme::{Member, Policy, PolicyInfo};
use crate::describe::ids::KernelId;
use crate::interface::controls::Controls;
use crate::interface::decision::{Log, decide, topics};
use crate::interface::observation::Observation;
use alloc::format;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "leftover",
    title: "Leftover",
    source: "GPGPU-Sim's concurrent kernels",
    doc: "The next kernel gets room only once the one before has no CTA left to place",
    params: &[],
    topics: TOPICS,
    check: PolicyInfo::NO_CHECK,
};

topics! {
    DispatchRank "dispatch_rank", "Which kernels have to have placed their CTAs before a kernel gets room" {
        dispatch_rank: u32, "kernels", "Kernels before it";
    } => match dispatch_rank {
        0 => "takes all the room that it can use".into(),
        1 => "takes what is left once the kernel before it has no CTA to place".into(),
        n => format!("takes what is left once the {n} kernels before it have no CTA to place"),
    };
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Leftover;

impl Leftover {
    /// The policy that `spec` describes.
    pub fn new(_: &Member) -> Self {
        Leftover
    }
}

impl Policy for Leftover {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        for kernel in KernelId::first(seen.kernels) {
            controls.dispatch_rank[kernel] = kernel.0;
            decide(log, seen, kernel, DispatchRank { dispatch_rank: kernel.0.into() });
        }
    }
}
