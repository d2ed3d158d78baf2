//! Spatial: disjoint sets of SMs, one for each kernel.
//!
//! # Idea
//! Spatial multitasking (Adriaens et al., HPCA 2012); what MPS partitions, MIG slices and green contexts do for SMs. NoC, L2 and DRAM stay shared.
//! # Sets
//! `allowed`, `cta_target` if `ctas` is given, and `channels` with `first_channel` if `channels` is given.
//! # Parameters
//! `split`: SMs of each kernel in the order of the mix, consecutive from SM 0. Left out, equal parts with left-over SMs going to the first
//! kernels; with more kernels than SMs, one SM each in turn.
//! `first`: the first SM of each kernel's part, which then begin anywhere and overlap nowhere, as the ranges of the latency prediction paper's dispatcher
//! (Masola et al., JSSPP 2023, §4); it needs `split`.
//! `ctas`: CTAs of each kernel on each of its SMs, at most; left out, what fits. The spatial oracle searches over it.
//! `channels`: DRAM channels of each kernel with their L2 banks, consecutive from channel 0; left out, all are shared. With it, kernels meet
//! only in the crossbars' arbiters, as instances of MIG do not.

use super::scheme::{Absent, Member, Mix, Param, Policy, PolicyInfo, Shape};
use crate::describe::error::Problems;
use crate::describe::ids::KernelId;
use crate::describe::path::{element, field};
use crate::interface::controls::Controls;
use crate::interface::decision::{Log, decide, topics};
use crate::interface::observation::Observation;
use alloc::format;
use alloc::vec::Vec;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "spatial",
    title: "Spatial partitioning",
    source: "Adriaens et al., HPCA 2012; MPS and MIG partition SMs alike",
    doc: "Disjoint sets of SMs; NoC, L2 and DRAM stay shared",
    params: &[
        Param {
            name: "split",
            shape: Shape::PerKernel(&Shape::Int { min: 0, max: 256 }),
            unit: "SMs",
            absent: Absent::Words("equal parts"),
            doc: "SMs of each kernel, in the order of the mix",
        },
        Param {
            name: "first",
            shape: Shape::PerKernel(&Shape::Int { min: 0, max: 255 }),
            unit: "SM",
            absent: Absent::Words("one after the other from SM 0 on"),
            doc: "First SM of each kernel's part, in the order of the mix; parts do not overlap",
        },
        Param {
            name: "ctas",
            shape: Shape::PerKernel(&Shape::Int { min: 1, max: 64 }),
            unit: "CTAs per SM",
            absent: Absent::Words("what fits"),
            doc: "CTAs of each kernel on each of its SMs, in the order of the mix",
        },
        Param {
            name: "channels",
            shape: Shape::PerKernel(&Shape::Int { min: 1, max: 256 }),
            unit: "DRAM channels",
            absent: Absent::Words("all are shared"),
            doc: "DRAM channels of each kernel, with their L2 banks, in the order of the mix",
        },
    ],
    topics: TOPICS,
    check: |spec, mix, problems| {
        let split = spec.ints("split");
        let given: u32 = split.iter().sum();
        if given as usize > mix.sms {
            problems.add(field(mix.path, "split"), format!("{given} SMs together"), format!("at most the GPU's {}", mix.sms));
        }
        if !split.is_empty() && given == 0 {
            problems.add(field(mix.path, "split"), "only zeros", "an SM for at least one kernel");
        }
        let first = spec.ints("first");
        if first.is_empty() {
            parts_fit(&parts(split, mix.sms as u32, mix.kernels as u32), "split", mix, problems);
        } else if split.is_empty() {
            problems.add(field(mix.path, "first"), "first SMs without how many", "a split too");
        } else if apart(first, split, mix, problems) {
            parts_fit(&ranges(first, split), "split", mix, problems);
        }
        let channels: u32 = spec.ints("channels").iter().sum();
        if channels as usize > mix.channels {
            let found = format!("{channels} DRAM channels together");
            problems.add(field(mix.path, "channels"), found, format!("at most the GPU's {}", mix.channels));
        } else if channels > 0 {
            mix.own_channels(&field(mix.path, "channels"), problems);
        }
    },
};

topics! {
    Sms "sms", "SMs that a kernel gets for itself" {
        sms: u32, "SMs", "How many";
        first: u32, "", "The number of the first";
    } => match sms {
        0 => "gets no SM".into(),
        1 => format!("gets SM {first}"),
        _ => format!("gets SMs {first} to {}", first + sms - 1),
    };

    Channels "channels", "DRAM channels, with their L2 banks, that a kernel gets for itself" {
        channels: u32, "DRAM channels", "How many";
        first: u32, "", "The number of the first";
    } => match channels {
        1 => format!("gets DRAM channel {first} and its L2 banks"),
        _ => format!("gets DRAM channels {first} to {} and their L2 banks", first + channels - 1),
    };
}

/// See the module.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Spatial {
    /// SMs by kernel; empty for equal parts.
    pub split: Vec<u32>,
    /// The first of them by kernel; empty for parts one after the other.
    pub first: Vec<u32>,
    /// CTAs on each SM by kernel; empty for what fits.
    pub ctas: Vec<u32>,
    /// DRAM channels by kernel; empty where all are shared.
    pub channels: Vec<u32>,
}

impl Spatial {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        let [split, first, ctas, channels] = ["split", "first", "ctas", "channels"].map(|name| spec.ints(name).to_vec());
        Spatial { split, first, ctas, channels }
    }
}

impl Policy for Spatial {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let parts = match self.first.as_slice() {
            [] => parts(&self.split, seen.gpu.sm_count(), seen.kernels as u32),
            first => ranges(first, &self.split),
        };
        for (kernel, (first, count)) in KernelId::first(seen.kernels).zip(parts) {
            give(controls, kernel, first, count);
            if let Some(&ctas) = self.ctas.get(kernel.index()) {
                controls.each_sm(|sm| sm.cta_target[kernel] = ctas as u16);
            }
            decide(log, seen, kernel, Sms { sms: count, first });
        }
        let mut first = 0;
        for (kernel, &channels) in KernelId::first(seen.kernels).zip(&self.channels) {
            (controls.first_channel[kernel], controls.channels[kernel]) = (first as u16, channels as u16);
            decide(log, seen, kernel, Channels { channels, first });
            first += channels;
        }
    }
}

/// Lets a kernel use `count` SMs from `first` on, and after the last one from SM 0 on, and no others.
pub(super) fn give(controls: &mut Controls, kernel: KernelId, first: u32, count: u32) {
    let sms = controls.sms.len() as u32;
    for (number, sm) in (0..).zip(&mut controls.sms) {
        sm.allowed[kernel] = (number + sms - first) % sms < count;
    }
}

/// Adds the kernels whose CTAs fit none of their SMs to `problems` of the parameter `name`.
pub(super) fn parts_fit(parts: &[(u32, u32)], name: &str, mix: Mix, problems: &mut Problems) {
    for (kernel, &(first, count)) in KernelId::first(mix.kernels).zip(parts) {
        let mut own = mix.limits.iter().cycle().skip(first as usize).take(count as usize);
        if count > 0 && !mix.limits.is_empty() && own.all(|limit| limit[kernel] == 0) {
            let last = (first + count - 1) % mix.sms as u32;
            let found = format!("SMs {first} to {last} for kernel {}, whose CTAs fit none of them", kernel.0);
            problems.add(field(mix.path, name), found, "an SM that each kernel fits");
        }
    }
}

/// The first SM and the number of SMs of each kernel.
fn ranges(first: &[u32], split: &[u32]) -> Vec<(u32, u32)> {
    first.iter().copied().zip(split.iter().copied()).collect()
}

/// Whether the parts lie on the GPU and none overlaps another; if not, adds what does to `problems`.
fn apart(first: &[u32], split: &[u32], mix: Mix, problems: &mut Problems) -> bool {
    let before = problems.0.len();
    let mut taken: Vec<(u32, u32, usize)> = Vec::new();
    for (kernel, (first, count)) in ranges(first, split).into_iter().enumerate().filter(|(_, (_, count))| *count > 0) {
        let path = || element(&field(mix.path, "first"), kernel);
        let last = first + count - 1;
        if last as usize >= mix.sms {
            problems.add(path(), format!("SMs {first} to {last}"), format!("SMs up to {}, the GPU's last", mix.sms - 1));
        }
        if let Some((from, to, other)) = taken.iter().find(|(from, to, _)| first <= *to && *from <= last) {
            problems.add(path(), format!("SMs {first} to {last}"), format!("none of SMs {from} to {to}, which kernel {other} has"));
        }
        taken.push((first, last, kernel));
    }
    problems.0.len() == before
}

/// The first SM and the number of SMs of each kernel: as `split` says, or equal parts.
pub(super) fn parts(split: &[u32], sms: u32, kernels: u32) -> Vec<(u32, u32)> {
    let mut next = 0;
    let part = |kernel: u32| {
        // More kernels than SMs have one each, in turn.
        let equal = (sms / kernels + u32::from(kernel < sms % kernels)).max(1);
        let first = if split.is_empty() { next % sms } else { next.min(sms) };
        let count = split.get(kernel as usize).copied().unwrap_or(equal).min(sms - first);
        next += count;
        (first, count)
    };
    (0..kernels).map(part).collect()
}
