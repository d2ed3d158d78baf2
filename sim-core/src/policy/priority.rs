//! Priority: each kernel has the level of its stream, and CTAs of the higher level go first wherever they fit.
//!
//! # Idea
//! CUDA's stream priorities: the block scheduler prefers pending blocks of streams of higher priority, and preempts none that runs. So a kernel of a
//! lower level takes what the higher ones cannot use: SMs on which none of their CTAs fits, and all room in the tail of their grids. What
//! it holds then it keeps until its CTAs end.
//! # Sets
//! `placement_rank`.
//! # Parameters
//! `level`: of each kernel, in CUDA's numbers: 0, what a stream has by default, is the lowest, and -5 the highest.
//! # Deviations
//! 1. The documentation calls a priority a hint, and says nothing of equal ones: here their kernels take turns on each SM.
//! 2. How many levels there are is a GPU's to say; all have the six that recent ones report.

use super::scheme::{Absent, Member, Param, Policy, PolicyInfo, Shape};
use crate::describe::ids::KernelId;
use crate::interface::controls::Controls;
use crate::interface::decision::{Log, count, decide, topics};
use crate::interface::observation::Observation;
use alloc::format;
use alloc::vec::Vec;

/// The level of the highest priority.
const HIGHEST: i64 = -5;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "priority",
    title: "Stream priority",
    source: "NVIDIA, CUDA's stream priorities (documentation); a modelling assumption, not validated hardware",
    doc: "CTAs of the kernel with the higher priority go first wherever they fit; nothing is preempted",
    params: &[Param {
        name: "level",
        shape: Shape::PerKernel(&Shape::Int { min: HIGHEST, max: 0 }),
        unit: "",
        absent: Absent::Needed,
        doc: "Priority of each kernel's stream, in the order of the mix: 0 is the lowest, what a stream has by default, and -5 the highest",
    }],
    topics: TOPICS,
    check: PolicyInfo::NO_CHECK,
};

topics! {
    Preferred "placement_rank", "Which kernels' CTAs go before a kernel's where both fit" {
        placement_rank: u32, "", "Its level below the highest that there is: lower goes first";
        before: u32, "kernels", "Kernels of higher priority";
    } => match before {
        0 => "goes first wherever its CTAs fit".into(),
        n => format!("takes the room that {} of higher priority cannot use", count(*n, "kernel")),
    };
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Priority {
    /// By kernel, in CUDA's numbers.
    pub level: Vec<i64>,
}

impl Priority {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        Priority { level: spec.signed("level").to_vec() }
    }
}

impl Policy for Priority {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        for (kernel, &level) in KernelId::first(seen.kernels).zip(&self.level) {
            let placement_rank = (level - HIGHEST) as u32;
            controls.placement_rank[kernel] = placement_rank as u8;
            let before = self.level.iter().filter(|&&other| other < level).count() as u32;
            decide(log, seen, kernel, Preferred { placement_rank, before });
        }
    }
}
