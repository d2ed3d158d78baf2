//! Even: every kernel may hold an equal part of the CTAs that it could hold alone, on every SM.
//!
//! # Idea
//! The starting point of CCBP's detection (CCBP §5.4): `CTA_k = floor(CTA_alone_k / K)`, at least 1.
//! # Observes
//! The CTAs that each SM could hold of each kernel alone.
//! # Sets
//! `cta_target`.
//! # Deviations
//! 1. The rounding is not stated in the paper; down, so that the combination always fits when every kernel has at least K.

use super::ctas::decide_ctas;
use super::scheme::{Member, Policy, PolicyInfo};
use crate::describe::ids::KernelId;
use crate::interface::controls::Controls;
use crate::interface::decision::{Log, count, topics};
use crate::interface::observation::Observation;
use alloc::format;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "even",
    title: "Even split",
    source: "CCBP §5.4",
    doc: "Every kernel may hold an equal part of the CTAs that it could hold alone, on every SM",
    params: &[],
    topics: TOPICS,
    check: PolicyInfo::NO_CHECK,
};

topics! {
    EvenCtas "ctas", "CTAs that a kernel may hold on each SM when all kernels share evenly" {
        ctas: u32, "CTAs per SM", "At most so many";
        alone: u32, "CTAs per SM", "What an SM holds of the kernel alone";
        kernels: u32, "kernels", "Kernels that share";
    } => format!("may hold {} on each SM: its {alone} alone, shared by {kernels}", count(*ctas, "CTA"));
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Even;

impl Even {
    /// The policy that `spec` describes.
    pub fn new(_: &Member) -> Self {
        Even
    }
}

impl Policy for Even {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        for kernel in KernelId::first(seen.kernels) {
            for (sm, limit) in controls.sms.iter_mut().zip(seen.cta_limit) {
                sm.cta_target[kernel] = (limit[kernel] / seen.kernels as u32).max(1) as u16;
            }
            let (target, alone) = (controls.sms[0].cta_target[kernel], seen.cta_limit[0][kernel]);
            let kernels = seen.kernels as u32;
            let even = EvenCtas { ctas: target.into(), alone, kernels };
            decide_ctas(log, seen, kernel, even, |sm| controls.sms[sm].cta_target[kernel].into());
        }
    }
}
