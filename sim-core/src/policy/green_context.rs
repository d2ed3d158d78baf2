//! Green contexts: each kernel on SMs of its own, in the steps that the driver grants.
//!
//! # Idea
//! CUDA's green contexts, one for each kernel, that do not overlap. NoC, L2 and DRAM stay shared.
//! # Sets
//! `allowed`.
//! # Parameters
//! `sms`: SMs of each kernel, or one number for all; left out, equal parts in whole steps.
//! # Deviations
//! 1. The driver rounds a wish up to the next step. Here a number that is no step is refused, and the steps are named.
//! 2. Contexts that overlap on purpose are not modelled, nor the flag that ignores co-scheduling for finer steps.
//! 3. On a scale model the steps have the scale's part, rounded down.

use super::scheme::{Absent, Member, Mix, Param, Policy, PolicyInfo, Shape};
use super::spatial::{Spatial, parts, parts_fit};
use crate::describe::error::Problems;
use crate::describe::gpu::vendor::{self, Vendor};
use crate::describe::path::{element, field};
use crate::interface::controls::Controls;
use crate::interface::decision::Log;
use crate::interface::observation::Observation;
use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "green-context",
    title: "Green contexts",
    source: "NVIDIA, CUDA driver API (Green Contexts); a modelling assumption, not validated hardware",
    doc: "SMs of its own for each kernel, in the steps that the driver grants; NoC, L2 and DRAM stay shared",
    params: &[Param {
        name: "sms",
        shape: Shape::ForEach(&Shape::Int { min: 1, max: 256 }),
        unit: "SMs",
        absent: Absent::Words("equal parts in whole steps"),
        doc: "SMs of each kernel, in the order of the mix, or one number for all",
    }],
    topics: &[],
    check,
};

fn check(spec: &Member, mix: Mix, problems: &mut Problems) {
    let Some(vendor) = mix.vendor else {
        let gpus = vendor::gpus(|_| true).join(", ");
        return problems.add(field(mix.path, "name"), "green contexts on a GPU without them", format!("one of the GPUs {gpus}"));
    };
    let (path, all) = (field(mix.path, "sms"), mix.sms as u32);
    let (least, step) = vendor.steps(all);
    let of_each = of_each(vendor, spec.ints("sms"), all, mix.kernels as u32);
    for (kernel, &sms) in of_each.iter().enumerate().filter(|&(_, &sms)| sms < least || !sms.is_multiple_of(step)) {
        let want = format!("at least {least} SMs in steps of {step}, which {} has for green contexts", vendor.gpu);
        problems.add(element(&path, kernel), format!("{sms} SMs"), want);
    }
    let given: u32 = of_each.iter().sum();
    if given > all {
        return problems.add(path, format!("{given} SMs together"), format!("at most the GPU's {all}"));
    }
    parts_fit(&parts(&of_each, all, mix.kernels as u32), "sms", mix, problems);
}

/// SMs of each kernel: as given, or equal parts in whole steps.
fn of_each<'s>(vendor: &Vendor, given: &'s [u32], sms: u32, kernels: u32) -> Cow<'s, [u32]> {
    let (_, step) = vendor.steps(sms);
    let equal = || alloc::vec![sms / kernels / step * step; kernels as usize];
    if given.is_empty() { Cow::Owned(equal()) } else { Cow::Borrowed(given) }
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct GreenContext {
    /// SMs by kernel; empty for equal parts.
    pub sms: Vec<u32>,
}

impl GreenContext {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        GreenContext { sms: spec.ints("sms").to_vec() }
    }
}

impl Policy for GreenContext {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let Some(vendor) = vendor::of(seen.gpu) else { return };
        let split = of_each(vendor, &self.sms, seen.gpu.sm_count(), seen.kernels as u32).into_owned();
        Spatial { split, ..Spatial::default() }.start(seen, controls, log);
    }
}
