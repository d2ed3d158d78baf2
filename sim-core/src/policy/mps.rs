//! MPS: each kernel may use a percentage of the SMs, on which other kernels may run too.
//!
//! # Idea
//! NVIDIA's Multi-Process Service with `CUDA_MPS_ACTIVE_THREAD_PERCENTAGE`: a limit, which reserves nothing. NoC, L2 and DRAM are shared.
//! # Sets
//! `allowed`.
//! # Parameters
//! `percentage`: of the SMs, of each kernel, or one for all. Each kernel's SMs begin where those of the kernel before it end, and go on at SM 0, so that
//! kernels share SMs only where they have more than 100 % together.
//! # Deviations
//! 1. Which SMs a limited client gets, and who places CTAs first on a shared one, is not published: here kernels take turns.
//! 2. The percentage is rounded down to whole SMs, one at least. Hardware's steps are not published; they may be pairs of SMs.

use super::scheme::{Absent, Member, Param, Policy, PolicyInfo, Shape};
use super::spatial::{give, parts_fit};
use crate::describe::ids::KernelId;
use crate::interface::controls::Controls;
use crate::interface::decision::{Log, count, decide, topics};
use crate::interface::observation::Observation;
use alloc::format;
use alloc::vec::Vec;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "mps",
    title: "MPS with a thread percentage",
    source: "NVIDIA, Multi-Process Service (documentation); a modelling assumption, not validated hardware",
    doc: "Each kernel may use a percentage of the SMs, where others may run too; nothing is reserved",
    params: &[Param {
        name: "percentage",
        shape: Shape::ForEach(&Shape::Number { min: 0.1, max: 100.0 }),
        unit: "%",
        absent: Absent::Needed,
        doc: "SMs that each kernel may use, of all, in the order of the mix, or one figure for all: CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
    }],
    topics: TOPICS,
    check: |spec, mix, problems| parts_fit(&parts(spec.numbers("percentage"), mix.sms as u32), "percentage", mix, problems),
};

topics! {
    SharedSms "sms", "SMs that a kernel may use, where others may run too" {
        sms: u32, "SMs", "How many";
        first: u32, "", "The number of the first; after the GPU's last one comes SM 0";
    } => format!("may use {} from SM {first} on, beside others", count(*sms, "SM"));
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Mps {
    /// Of the SMs, by kernel.
    pub percentage: Vec<f64>,
}

impl Mps {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        Mps { percentage: spec.numbers("percentage").to_vec() }
    }
}

impl Policy for Mps {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        for (kernel, (first, sms)) in KernelId::first(seen.kernels).zip(parts(&self.percentage, seen.gpu.sm_count())) {
            give(controls, kernel, first, sms);
            decide(log, seen, kernel, SharedSms { sms, first });
        }
    }
}

/// The first SM and the number of SMs of each kernel.
fn parts(percentage: &[f64], sms: u32) -> Vec<(u32, u32)> {
    let mut next = 0;
    let part = |&percent: &f64| {
        let count = ((f64::from(sms) * percent / 100.0) as u32).clamp(1, sms);
        let first = next;
        next = (next + count) % sms;
        (first, count)
    };
    percentage.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn sms_are_rounded_down_and_overlap_only_beyond_a_hundred_percent() {
        assert_eq!(parts(&[50.0, 50.0], 108), [(0, 54), (54, 54)]);
        assert_eq!(parts(&[70.0, 30.0], 108), [(0, 75), (75, 32)]);
        assert_eq!(parts(&[100.0, 100.0], 16), [(0, 16), (0, 16)]);
        assert_eq!(parts(&[75.0, 50.0], 16), [(0, 12), (12, 8)], "the second goes on at SM 0");
        // A T4 of 40 SMs gives ten clients of 10 % 4 SMs each.
        assert_eq!(parts(&[10.0; 10], 40).last(), Some(&(36, 4)));
        assert_eq!(parts(&[0.1], 2), [(0, 1)]);
    }
}
