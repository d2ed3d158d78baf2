//! Cures: an experiment with one cause of slowness taken away. What a kernel gains by a cure, beyond what it gains by it in its share with no
//! neighbour, is what the neighbours cost it there.
//!
//! A cure is a function of a GPU and of controls, and changes nothing else: no CTA finds more room by it, so that who runs where stays as it is.

use crate::describe::error::Problems;
use crate::describe::gpu::{BankIndex, DramKind, DramMap, Fp64Owner, Gpu, LsuHol, NocKind, SetIndex, SmClass, validate};
use crate::describe::ids::KernelId;
use crate::describe::record::names;
use crate::interface::controls::Controls;

names! {
    /// What is taken away.
    #[derive(PartialOrd, Ord)]
    pub enum Cure {
        /// The bandwidth and the queues of the NoC.
        Noc = "noc",
        /// The bandwidth and the timings of DRAM.
        Dram = "dram",
        /// Misses of L2, its MSHRs and its queues.
        L2 = "l2",
        /// Lines that come to few of L2's banks and of DRAM's.
        Banks = "banks",
        /// Misses of L1D.
        L1 = "l1",
        /// L1D's MSHRs and queues.
        L1Mshrs = "l1-mshrs",
        /// The load-store unit's queue, and what is blocked in it by others.
        Lsu = "lsu",
        /// Issue slots.
        Slots = "slots",
        /// The FP64 units.
        Fp64 = "fp64",
        /// The special-function units.
        Sfu = "sfu",
        /// Bank conflicts of shared memory.
        Shared = "shared",
        /// What the scheme lets the kernel issue and send.
        Quota = "quota",
    }
}

/// By how much what is finite grows.
const MORE: u32 = 4;

impl Cure {
    /// What it is, behind "with".
    pub fn words(self) -> &'static str {
        match self {
            Cure::Noc => "an unlimited NoC",
            Cure::Dram => "unlimited DRAM",
            Cure::L2 => "a larger L2",
            Cure::Banks => "lines spread over all banks",
            Cure::L1 => "a larger L1D",
            Cure::L1Mshrs => "more L1D MSHRs",
            Cure::Lsu => "an unlimited LSU",
            Cure::Slots => "twice the issue slots",
            Cure::Fp64 => "warp-wide FP64 units",
            Cure::Sfu => "warp-wide SFUs",
            Cure::Shared => "twice the shared-memory banks",
            Cure::Quota => "no quota",
        }
    }

    /// The policies that act on it: they keep kernels apart there, or hold back who takes most. Whether one helps a mix, its run says.
    pub fn policies(self) -> &'static [&'static str] {
        match self {
            Cure::Noc => &["ccbp", "bmi", "mil", "mps", "green-context", "spatial", "mig"],
            Cure::Dram => &["tcm", "ccbp", "bmi", "mil", "mig"],
            Cure::L2 | Cure::Banks => &["mig"],
            Cure::L1 | Cure::L1Mshrs => &["ucp", "bmi", "mil", "mps", "green-context", "spatial", "mig"],
            Cure::Lsu => &["bmi", "mil", "mps", "green-context", "spatial", "mig"],
            Cure::Slots => &["smk", "lrr+gto", "mps", "green-context", "spatial", "mig"],
            Cure::Fp64 | Cure::Sfu | Cure::Shared => &["mps", "green-context", "spatial", "mig"],
            Cure::Quota => &["even", "ws", "leftover"],
        }
    }

    /// The GPU and the controls without what is taken away from `sufferer`; nothing where the GPU cannot be so, or where that changes nothing.
    pub fn of(self, gpu: &Gpu, controls: &Controls, sufferer: KernelId) -> Option<(Gpu, Controls)> {
        let (mut cured, mut free) = (gpu.clone(), controls.clone());
        match self {
            Cure::Noc => without_noc(&mut cured),
            Cure::Dram => cured.dram.kind = DramKind::Ideal,
            Cure::L2 => more_l2(&mut cured),
            Cure::Banks => spread(&mut cured),
            Cure::L1 => cured.sms.iter_mut().for_each(more_l1),
            Cure::L1Mshrs => cured.sms.iter_mut().for_each(more_l1_mshrs),
            Cure::Lsu => cured.sms.iter_mut().for_each(free_lsu),
            Cure::Slots => cured.sms.iter_mut().for_each(more_slots),
            Cure::Fp64 => cured.sms.iter_mut().filter(|sm| sm.fp64_lanes > 0).for_each(|sm| {
                (sm.fp64_lanes, sm.fp64_unit) = (32, Fp64Owner::Scheduler);
            }),
            Cure::Sfu => cured.sms.iter_mut().for_each(|sm| sm.sfu_lanes = 32),
            Cure::Shared => cured.sms.iter_mut().for_each(|sm| sm.shared_banks = more(sm.shared_banks, 2, 64)),
            Cure::Quota => unbound(&mut free, sufferer),
        }
        let mut problems = Problems::default();
        validate::check(&cured, "gpu", &mut problems);
        let changed = cured != *gpu || free != *controls;
        (problems.0.is_empty() && changed && cured.sms.iter().all(|sm| sm.schedulers <= MAX_SCHEDULERS)).then_some((cured, free))
    }
}

/// An SM has so many schedulers at most.
const MAX_SCHEDULERS: u32 = 4;

fn more(value: u32, times: u32, most: u32) -> u32 {
    (value * times).min(most.max(value))
}

/// A mesh stays one, as its protocol wants it: wide links and long queues.
fn without_noc(gpu: &mut Gpu) {
    if gpu.noc.kind == NocKind::Mesh {
        gpu.noc.flit_bytes = more(gpu.noc.flit_bytes, 8, 256);
        gpu.noc.queue = more(gpu.noc.queue, MORE, 256);
        gpu.noc.mesh.buffer = more(gpu.noc.mesh.buffer, MORE, 256);
    } else {
        gpu.noc.kind = NocKind::Ideal;
    }
}

/// A scheduler looks together at as many warps as it has then.
fn more_slots(sm: &mut SmClass) {
    sm.schedulers *= 2;
    sm.gto_group = sm.gto_group.min(sm.warps().div_ceil(sm.schedulers));
}

/// As far as there is room for tags.
fn more_l2(gpu: &mut Gpu) {
    let times = (validate::MOST_L2 / u64::from(gpu.l2.banks) / u64::from(gpu.l2.bank_bytes)).min(MORE.into()) as u32;
    gpu.l2.bank_bytes = more(gpu.l2.bank_bytes, times.max(1), 1 << 24);
    gpu.l2.mshrs = more(gpu.l2.mshrs, MORE, 1024);
    gpu.l2.merges = 32;
    gpu.l2.queue = more(gpu.l2.queue, MORE, 256);
}

fn spread(gpu: &mut Gpu) {
    gpu.l2.bank_index = BankIndex::Hash;
    gpu.dram.map = DramMap::HashedBank;
}

/// More sets, but where the sets are fixed more ways.
fn more_l1(sm: &mut SmClass) {
    let l1 = &mut sm.l1;
    let times = if l1.index == SetIndex::Fermi { (32 / l1.ways).min(MORE) } else { MORE };
    if l1.index == SetIndex::Fermi {
        l1.ways *= times;
    }
    l1.bytes *= times;
}

/// More misses under way, which may also thrash what L1D has: a cure of its own.
fn more_l1_mshrs(sm: &mut SmClass) {
    let l1 = &mut sm.l1;
    l1.mshrs = more(l1.mshrs, MORE, 1024);
    l1.merges = 32;
    l1.miss_queue = more(l1.miss_queue, MORE, 1024);
    l1.store_buffer = more(l1.store_buffer, MORE, 1024);
}

fn free_lsu(sm: &mut SmClass) {
    sm.lsu_hol = LsuHol::No;
    sm.lsu_queue = more(sm.lsu_queue, MORE, 64);
    sm.lsu_pause = 0;
}

/// No quota of instructions, no cap on those in flight, and no credits to send misses with. Ranks stay: they are the scheme's order.
fn unbound(controls: &mut Controls, sufferer: KernelId) {
    controls.each_sm(|sm| {
        sm.warp_quota[sufferer] = None;
        sm.thread_quota[sufferer] = None;
        sm.memory_quota[sufferer] = None;
        sm.miss_credits[sufferer] = None;
        sm.memory_cap[sufferer] = None;
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::gpu::presets::{self, PRESETS};
    use crate::describe::warp_order::WarpOrder;
    use alloc::vec::Vec;

    const FIRST: KernelId = KernelId(0);

    fn neutral(gpu: &Gpu) -> Controls {
        Controls::neutral(gpu.sm_count() as usize, WarpOrder::Gto)
    }

    fn gpus() -> Vec<Gpu> {
        PRESETS.iter().filter_map(|preset| presets::find(preset.name)).collect()
    }

    /// What decides where a CTA fits: a cure that changed it would change who runs where.
    fn room(gpu: &Gpu) -> Vec<[u32; 6]> {
        gpu.sms.iter().map(|sm| [sm.count, sm.ctas, sm.threads, sm.registers, sm.shared_bytes, sm.shared_reserved]).collect()
    }

    #[test]
    fn every_gpu_can_be_cured_of_what_it_has_and_finds_no_more_room_by_it() {
        for gpu in gpus() {
            let controls = neutral(&gpu);
            for cure in Cure::ALL {
                let cured = cure.of(&gpu, &controls, FIRST);
                let always = [Cure::Dram, Cure::L2, Cure::L1].contains(&cure);
                let has_crossbar = cure == Cure::Noc && gpu.noc.kind == NocKind::Crossbar;
                assert!(cured.is_some() || !(always || has_crossbar), "{} without {}", gpu.name, cure.name());
                let Some((cured, free)) = cured else { continue };
                assert_eq!((room(&cured), &free), (room(&gpu), &controls), "{} without {}", gpu.name, cure.name());
            }
        }
    }

    #[test]
    fn what_a_gpu_cannot_have_or_does_not_lack_is_no_cure() {
        for gpu in gpus() {
            let has = |cure: Cure| cure.of(&gpu, &neutral(&gpu), FIRST).is_some();
            assert_eq!(has(Cure::Slots), gpu.sms.iter().all(|sm| sm.schedulers <= 2), "{}", gpu.name);
            let narrow = |sm: &SmClass| sm.fp64_lanes > 0 && (sm.fp64_lanes < 32 || sm.fp64_unit == Fp64Owner::Sm);
            assert_eq!(has(Cure::Fp64), gpu.sms.iter().any(narrow), "{}", gpu.name);
            let spread = gpu.l2.bank_index == BankIndex::Hash && gpu.dram.map == DramMap::HashedBank;
            assert_eq!(has(Cure::Banks), !spread, "{}", gpu.name);
            assert!(!has(Cure::Quota), "{}: nobody has one", gpu.name);
        }
    }

    #[test]
    fn each_cure_changes_its_part_of_the_gpu_alone() {
        for gpu in gpus() {
            for cure in Cure::ALL {
                let Some((cured, _)) = cure.of(&gpu, &neutral(&gpu), FIRST) else { continue };
                let sms = cured.sms != gpu.sms;
                let changed = [cured.noc != gpu.noc, cured.l2 != gpu.l2, cured.dram != gpu.dram, sms];
                let may = match cure {
                    Cure::Noc => [true, false, false, false],
                    Cure::L2 => [false, true, false, false],
                    Cure::Dram => [false, false, true, false],
                    Cure::Banks => [false, true, true, false],
                    _ => [false, false, false, true],
                };
                assert!(changed.iter().zip(may).all(|(changed, may)| !changed || may), "{} without {}", gpu.name, cure.name());
            }
        }
    }

    #[test]
    fn who_acts_on_a_cause_can_be_chosen() {
        let known = |name: &str| crate::policy::spec::POLICIES.iter().any(|policy| policy.name == name);
        for (cure, name) in Cure::ALL.into_iter().flat_map(|cure| cure.policies().iter().map(move |name| (cure, *name))) {
            assert!(known(name), "{}: {name}", cure.name());
        }
    }

    #[test]
    fn a_quota_is_taken_from_the_sufferer_alone() {
        let gpu = &gpus()[0];
        let mut controls = neutral(gpu);
        controls.each_sm(|sm| {
            for kernel in [FIRST, KernelId(1)] {
                (sm.warp_quota[kernel], sm.miss_credits[kernel], sm.memory_cap[kernel]) = (Some(5), Some(16), Some(2));
            }
        });
        let (cured, free) = Cure::Quota.of(gpu, &controls, FIRST).unwrap();
        assert_eq!(cured, *gpu);
        for (sm, was) in free.sms.iter().zip(&controls.sms) {
            assert_eq!((sm.warp_quota[FIRST], sm.miss_credits[FIRST], sm.memory_cap[FIRST]), (None, None, None));
            let of = |sm: &crate::interface::controls::SmControls| {
                let other = KernelId(1);
                (sm.warp_quota[other], sm.miss_credits[other], sm.memory_cap[other])
            };
            assert_eq!(of(sm), of(was));
        }
    }
}
