//! Fixed: a combination of CTAs per SM, given by the user, the same on every SM.
//!
//! # Idea
//! One point of the space that intra-SM schemes search; oracles run them all.
//! # Sets
//! `cta_target`.
//! # Parameters
//! `combination`: CTAs on each SM, one number per kernel of the mix; 0 keeps a kernel out.

use super::scheme::{Absent, Member, Param, Policy, PolicyInfo, Shape};
use crate::describe::ids::KernelId;
use crate::describe::path::field;
use crate::interface::controls::Controls;
use crate::interface::decision::{Log, count, decide, topics};
use crate::interface::observation::Observation;
use alloc::format;
use alloc::vec::Vec;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "fixed",
    title: "Fixed combination",
    source: "CCBP §4.1",
    doc: "So many CTAs of each kernel on every SM",
    params: &[Param {
        name: "combination",
        shape: Shape::PerKernel(&Shape::Int { min: 0, max: 64 }),
        unit: "CTAs per SM",
        absent: Absent::Needed,
        doc: "CTAs of each kernel on every SM, in the order of the mix; 0 keeps a kernel out",
    }],
    topics: TOPICS,
    check: |spec, mix, problems| {
        if spec.ints("combination").iter().all(|&ctas| ctas == 0) {
            problems.add(field(mix.path, "combination"), "only zeros", "a CTA of at least one kernel");
        }
    },
};

topics! {
    GivenCtas "ctas", "CTAs that a kernel may hold on each SM, as they were given" {
        ctas: u32, "CTAs per SM", "At most so many";
    } => format!("may hold {} on each SM, as given", count(*ctas, "CTA"));
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Fixed {
    /// CTAs on each SM by kernel.
    pub combination: Vec<u32>,
}

impl Fixed {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        Fixed { combination: spec.ints("combination").to_vec() }
    }
}

impl Policy for Fixed {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        for (kernel, &ctas) in KernelId::first(seen.kernels).zip(&self.combination) {
            controls.each_sm(|sm| sm.cta_target[kernel] = ctas.min(u32::from(u16::MAX)) as u16);
            decide(log, seen, kernel, GivenCtas { ctas });
        }
    }
}
