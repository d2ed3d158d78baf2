//! MIG: each kernel in an instance of its own, by the profiles that the vendor has for the GPU.
//!
//! # Idea
//! NVIDIA's Multi-Instance GPU: an instance has SMs, L2 slices and DRAM channels of its own.
//! # Sets
//! `allowed`, `channels` with `first_channel`: what `spatial` sets for such parts.
//! # Parameters
//! `profiles`: of each kernel, or one for all; left out, the largest that all kernels can have alike.
//! # Deviations
//! 1. Instances lie one after the other in the order of the mix, not where the driver places them; nothing depends on it.
//! 2. A profile with double memory has a quarter of L2; the vendor's table says an eighth.
//! 3. A changed number of SMs or channels, as in a scale model, is shared in the profile's proportions, rounded down.

use super::scheme::{Absent, Member, Mix, Param, Policy, PolicyInfo, Shape};
use super::spatial::{Spatial, parts, parts_fit};
use crate::describe::error::Problems;
use crate::describe::gpu::vendor::{self, Profile, Vendor};
use crate::describe::path::{element, field};
use crate::interface::controls::Controls;
use crate::interface::decision::Log;
use crate::interface::observation::Observation;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "mig",
    title: "MIG",
    source: "NVIDIA, MIG user guide, and what nvidia-smi prints; a modelling assumption, not validated hardware",
    doc: "An instance for each kernel, with SMs, L2 slices and DRAM channels of its own, by the GPU's profiles",
    params: &[Param {
        name: "profiles",
        shape: Shape::ForEach(&Shape::Text { longest: 20 }),
        unit: "",
        absent: Absent::Words("the largest that all kernels can have alike"),
        doc: "Profile of each kernel's instance, in the order of the mix, or one for all, such as 3g.20gb",
    }],
    topics: &[],
    check,
};

fn check(spec: &Member, mix: Mix, problems: &mut Problems) {
    let Some(vendor) = mix.vendor.filter(|vendor| !vendor.mig.is_empty()) else {
        let gpus = vendor::gpus(|vendor| !vendor.mig.is_empty()).join(", ");
        return problems.add(field(mix.path, "name"), "MIG on a GPU without it", format!("one of the GPUs {gpus}"));
    };
    let (path, names) = (field(mix.path, "profiles"), spec.texts("profiles"));
    let before = problems.0.len();
    let is_new = |(kernel, name): &(usize, &String)| vendor.profile(name).is_none() && !names[..*kernel].contains(name);
    for (kernel, name) in names.iter().enumerate().filter(is_new) {
        problems.add(element(&path, kernel), format!("{name:?}"), format!("a profile of {}: {}", vendor.gpu, vendor.instances()));
    }
    if problems.0.len() > before {
        return;
    }
    let profiles = of_each(vendor, names, mix.kernels);
    if profiles.is_empty() || !vendor::fit(&profiles, 0) {
        let found = match names {
            [] => format!("{} instances", mix.kernels),
            _ => names.join(" + "),
        };
        let want = format!("instances that {} can place together in 7 SM slices and 8 memory slices: {}", vendor.gpu, vendor.instances());
        return problems.add(path, found, want);
    }
    let shares = Shares::of(vendor, &profiles, mix.sms as u32, mix.channels as u32);
    if shares.sms.contains(&0) || shares.channels.contains(&0) {
        let found = format!("an instance without an SM or a DRAM channel, of {} SMs and {} channels", mix.sms, mix.channels);
        return problems.add(path, found, "a larger profile, or a larger GPU");
    }
    parts_fit(&parts(&shares.sms, mix.sms as u32, mix.kernels as u32), "profiles", mix, problems);
    mix.own_channels(&path, problems);
}

/// The profile of each kernel: as named, or alike; none where there is none.
pub(super) fn of_each(vendor: &'static Vendor, names: &[String], kernels: usize) -> Vec<&'static Profile> {
    match names {
        [] => vendor.alike(kernels).map_or(Vec::new(), |profile| alloc::vec![profile; kernels]),
        _ => names.iter().filter_map(|name| vendor.profile(name)).collect(),
    }
}

/// SMs and DRAM channels of each instance.
struct Shares {
    sms: Vec<u32>,
    channels: Vec<u32>,
}

impl Shares {
    fn of(vendor: &Vendor, profiles: &[&Profile], sms: u32, channels: u32) -> Shares {
        Shares {
            sms: profiles.iter().map(|profile| vendor.part(profile.sms, sms)).collect(),
            channels: profiles.iter().map(|profile| profile.channels(channels)).collect(),
        }
    }
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Mig {
    /// Profiles by kernel; empty for the largest that all can have alike.
    pub profiles: Vec<String>,
}

impl Mig {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        Mig { profiles: spec.texts("profiles").to_vec() }
    }
}

impl Policy for Mig {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        let Some(vendor) = vendor::of(seen.gpu) else { return };
        let profiles = of_each(vendor, &self.profiles, seen.kernels);
        let Shares { sms, channels } = Shares::of(vendor, &profiles, seen.gpu.sm_count(), seen.gpu.dram.channels);
        Spatial { split: sms, channels, ..Spatial::default() }.start(seen, controls, log);
    }
}
