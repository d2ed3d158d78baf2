//! How vendors let their GPUs be shared, as far as it is published: profiles of MIG, steps of SMs, lengths of time slices. Policies, catalogue and page
//! read this one table.
//!
//! Sources: NVIDIA, *MIG user guide* (fractions, combinations); what `nvidia-smi mig -lgip` and `-lgipp` print (SMs, placements); CUDA driver API,
//! *Green Contexts* (least SMs and steps by architecture). Lengths of time slices are not published by NVIDIA; these are Red Hat's.

use super::Gpu;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Slices of memory that a GPU with MIG has.
pub const MEMORY_SLICES: u32 = 8;

/// A profile of MIG: what an instance has of the GPU.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Profile {
    /// As the vendor writes it.
    pub name: &'static str,
    /// Its SMs, of those of the whole preset.
    pub sms: u32,
    /// Its slices of memory, of `MEMORY_SLICES`: L2 and DRAM channels.
    pub memory: u32,
    /// Slices of memory at which it may begin.
    pub starts: &'static [u32],
}

/// Memory and beginnings of profiles by their compute slices.
const ONE: (u32, &[u32]) = (1, &[0, 1, 2, 3, 4, 5, 6]);
const ONE_DOUBLE: (u32, &[u32]) = (2, &[0, 2, 4, 6]);
const TWO: (u32, &[u32]) = (2, &[0, 2, 4]);
const THREE: (u32, &[u32]) = (4, &[0, 4]);
const FOUR: (u32, &[u32]) = (4, &[0]);
const SEVEN: (u32, &[u32]) = (8, &[0]);

const fn profile(name: &'static str, sms: u32, (memory, starts): (u32, &'static [u32])) -> Profile {
    Profile { name, sms, memory, starts }
}

/// How a preset's GPU may be shared.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Vendor {
    /// The preset.
    pub gpu: &'static str,
    /// SMs of the whole preset.
    pub sms: u32,
    /// Profiles of MIG, the smallest first; none without MIG.
    pub mig: &'static [Profile],
    /// Fewest SMs of a green context.
    pub least: u32,
    /// Steps of its SMs.
    pub step: u32,
}

/// The GPUs of which it is known.
pub static VENDORS: &[Vendor] = &[
    Vendor {
        gpu: "a100-40gb",
        sms: 108,
        mig: &[
            profile("1g.5gb", 14, ONE),
            profile("1g.10gb", 14, ONE_DOUBLE),
            profile("2g.10gb", 28, TWO),
            profile("3g.20gb", 42, THREE),
            profile("4g.20gb", 56, FOUR),
            profile("7g.40gb", 98, SEVEN),
        ],
        least: 4,
        step: 2,
    },
    Vendor {
        gpu: "h100-sxm5",
        sms: 132,
        mig: &[
            profile("1g.10gb", 16, ONE),
            profile("1g.20gb", 26, ONE_DOUBLE),
            profile("2g.20gb", 32, TWO),
            profile("3g.40gb", 60, THREE),
            profile("4g.40gb", 64, FOUR),
            profile("7g.80gb", 132, SEVEN),
        ],
        least: 8,
        step: 8,
    },
    Vendor {
        gpu: "h200-sxm",
        sms: 132,
        mig: &[
            profile("1g.18gb", 16, ONE),
            profile("1g.35gb", 26, ONE_DOUBLE),
            profile("2g.35gb", 32, TWO),
            profile("3g.71gb", 60, THREE),
            profile("4g.71gb", 64, FOUR),
            profile("7g.141gb", 132, SEVEN),
        ],
        least: 8,
        step: 8,
    },
    Vendor { gpu: "rtx5090", sms: 170, mig: &[], least: 8, step: 8 },
    Vendor { gpu: "rtx2060-30sm", sms: 30, mig: &[], least: 2, step: 2 },
];

/// Levels of `nvidia-smi compute-policy --set-timeslice`, which Kubernetes' drivers call by these words, and what is said of their lengths in ms.
pub const TIME_SLICES: &[(&str, f64)] = &[("default", 2.0), ("short", 2.0), ("medium", 10.0), ("long", 30.0)];

/// The words of `TIME_SLICES`.
pub const TIME_SLICE_WORDS: &[&str] = &["default", "short", "medium", "long"];

/// How a GPU may be shared that was made from a preset.
pub fn of(gpu: &Gpu) -> Option<&'static Vendor> {
    VENDORS.iter().find(|vendor| vendor.gpu == gpu.name)
}

/// The presets that have MIG, or green contexts.
pub fn gpus(has: fn(&Vendor) -> bool) -> Vec<&'static str> {
    VENDORS.iter().filter(|vendor| has(vendor)).map(|vendor| vendor.gpu).collect()
}

impl Vendor {
    /// The profile of that name.
    pub fn profile(&self, name: &str) -> Option<&'static Profile> {
        self.mig.iter().find(|profile| profile.name == name)
    }

    /// Its profiles, each with how many of it there may be at once.
    pub fn instances(&self) -> String {
        let each: Vec<String> = self.mig.iter().map(|profile| format!("{} × {}", profile.most(), profile.name)).collect();
        format!("at most {}", each.join(", "))
    }

    /// The largest profile of which there may be so many.
    pub fn alike(&self, instances: usize) -> Option<&'static Profile> {
        self.mig.iter().rfind(|profile| fit(&alloc::vec![*profile; instances], 0))
    }

    /// So many of the whole preset's SMs on a GPU that has `sms` of them: a scale model has its part, rounded down.
    pub fn part(&self, count: u32, sms: u32) -> u32 {
        (u64::from(count) * u64::from(sms) / u64::from(self.sms)) as u32
    }

    /// Fewest SMs of a green context and their steps, likewise, one at least.
    pub fn steps(&self, sms: u32) -> (u32, u32) {
        (self.part(self.least, sms).max(1), self.part(self.step, sms).max(1))
    }
}

impl Profile {
    /// How many of them there may be at once.
    pub fn most(&self) -> usize {
        (1..=7).rfind(|&count| fit(&alloc::vec![self; count], 0)).unwrap_or(0)
    }

    /// Its part of a GPU's DRAM channels.
    pub fn channels(&self, channels: u32) -> u32 {
        channels * self.memory / MEMORY_SLICES
    }
}

/// Whether instances can be placed so that none overlaps another, nor the slices in `taken`.
pub fn fit(profiles: &[&Profile], taken: u32) -> bool {
    // The largest first: it may begin at the fewest places.
    let Some(at) = (0..profiles.len()).max_by_key(|&at| profiles[at].memory) else { return true };
    let mut others = profiles.to_vec();
    let profile = others.remove(at);
    profile.starts.iter().any(|start| {
        let slices = ((1 << profile.memory) - 1) << start;
        taken & slices == 0 && fit(&others, taken | slices)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::gpu::presets;

    fn can(gpu: &str, names: &[&str]) -> bool {
        let vendor = of(&presets::find(gpu).unwrap()).unwrap();
        fit(&names.iter().map(|name| vendor.profile(name).unwrap()).collect::<Vec<_>>(), 0)
    }

    /// What the vendor's tools allow, as their tables print it.
    #[test]
    fn instances_are_placed_as_on_the_gpu() {
        for together in [
            &["3g.71gb", "4g.71gb"][..],
            &["3g.71gb", "3g.71gb"],
            &["4g.71gb", "2g.35gb", "1g.18gb"],
            &["1g.18gb", "2g.35gb", "3g.71gb"],
            &["2g.35gb", "2g.35gb", "2g.35gb", "1g.18gb"],
            &["3g.71gb", "1g.18gb", "1g.18gb", "1g.18gb", "1g.18gb"],
            &["7g.141gb"],
        ] {
            assert!(can("h200-sxm", together), "{together:?}");
        }
        for apart in [
            &["4g.71gb", "4g.71gb"][..],
            &["3g.71gb", "3g.71gb", "1g.18gb"],
            &["7g.141gb", "1g.18gb"],
            &["2g.35gb", "2g.35gb", "2g.35gb", "2g.35gb"],
            &["4g.71gb", "2g.35gb", "2g.35gb"],
        ] {
            assert!(!can("h200-sxm", apart), "{apart:?}");
        }
        // Instances, as `nvidia-smi mig -lgip` counts them.
        for vendor in VENDORS.iter().filter(|vendor| !vendor.mig.is_empty()) {
            assert_eq!(vendor.mig.iter().map(Profile::most).collect::<Vec<_>>(), [7, 4, 3, 2, 1, 1], "{}", vendor.gpu);
            assert_eq!((1..=7).map(|n| vendor.alike(n).unwrap().sms).collect::<Vec<_>>().len(), 7);
        }
        assert_eq!(VENDORS[0].alike(2).map(|profile| profile.name), Some("3g.20gb"));
        assert_eq!(VENDORS[0].alike(8), None);
    }

    /// Every combination that can be placed has SMs and channels enough, and memory is in whole channels.
    #[test]
    fn the_table_fits_its_presets() {
        for vendor in VENDORS {
            let gpu = presets::find(vendor.gpu).unwrap();
            assert_eq!(gpu.sm_count(), vendor.sms, "{}", vendor.gpu);
            for profile in vendor.mig {
                assert!(
                    gpu.dram.channels.is_multiple_of(MEMORY_SLICES) && profile.sms * profile.most() as u32 <= vendor.sms,
                    "{profile:?}"
                );
            }
        }
        assert_eq!(TIME_SLICES.iter().map(|(word, _)| *word).collect::<Vec<_>>(), TIME_SLICE_WORDS);
    }
}
