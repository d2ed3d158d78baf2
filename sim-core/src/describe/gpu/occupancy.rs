//! How many CTAs of a launch an SM can hold, which resource limits them, and how the SM is divided for them between L1D and shared memory.
//!
//! Where nothing else is preferred, a launch wants the smallest division that holds all CTAs that registers, threads and CTA slots allow. The
//! driver "automatically configures the shared memory capacity for each kernel to avoid shared memory occupancy bottlenecks" (CUDA C++ Programming
//! Guide, 7.x). CUDA has no formula for it; of kernels that need little, Nsight Compute often reports the next size. A preference replaces that, but
//! for what one CTA needs.

use super::SmClass;
use super::carve_out::{CarveOutWait, CarveOuts};
use crate::describe::kernel::{CarveOut, Launch, WARP_SIZE};

/// The resource that limits residency.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Limiter {
    /// CTA slots.
    Slots,
    /// Threads, in whole warps.
    Threads,
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
}

impl Limiter {
    /// Its name in results.
    pub fn key(self) -> &'static str {
        match self {
            Limiter::Slots => "cta_slots",
            Limiter::Threads => "threads",
            Limiter::Registers => "registers",
            Limiter::SharedMemory => "shared_memory",
        }
    }
}

/// CTAs that fit and what stops the next one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Occupancy {
    /// CTAs of an SM.
    pub ctas: u32,
    /// The resource that is exhausted first; the earlier of the list on a tie.
    pub limiter: Limiter,
}

/// Registers that one CTA takes: whole warps, each rounded up to the granularity. 128 a warp are 4 for each thread, which is what GPGPU-Sim does,
/// the simulator of the papers; 256 are what hardware does.
pub fn registers_of_cta(threads: u32, registers: u32, granularity: u32) -> u32 {
    threads.div_ceil(WARP_SIZE) * (registers * WARP_SIZE).next_multiple_of(granularity)
}

/// What CTAs take of an SM.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Resources {
    /// CTA slots.
    pub ctas: u32,
    /// Threads, in whole warps.
    pub threads: u32,
    /// Registers, rounded up to the granularity.
    pub registers: u32,
    /// Shared memory, bytes.
    pub shared_bytes: u32,
}

impl Resources {
    /// Everything that an SM of `class` has, with as much shared memory as it can have.
    pub fn of_class(class: &SmClass) -> Resources {
        let largest = sizes(class.carve_outs).filter(|&bytes| bytes <= class.shared_bytes).last();
        let shared_bytes = if class.carve_outs == CarveOuts::None { class.shared_bytes } else { largest.unwrap_or(0) };
        Resources { ctas: class.ctas, threads: class.threads, registers: class.registers, shared_bytes }
    }

    /// What a CTA of `launch` takes of an SM of `class`.
    pub fn of_cta(launch: &Launch, class: &SmClass) -> Resources {
        Resources {
            ctas: 1,
            threads: launch.threads.div_ceil(WARP_SIZE) * WARP_SIZE,
            registers: registers_of_cta(launch.threads, launch.registers, class.register_granularity),
            shared_bytes: launch.shared_bytes + class.shared_reserved,
        }
    }

    /// The greater of each.
    pub fn most(self, other: Resources) -> Resources {
        Resources {
            ctas: self.ctas.max(other.ctas),
            threads: self.threads.max(other.threads),
            registers: self.registers.max(other.registers),
            shared_bytes: self.shared_bytes.max(other.shared_bytes),
        }
    }

    /// The smaller of each.
    pub fn least(self, other: Resources) -> Resources {
        Resources {
            ctas: self.ctas.min(other.ctas),
            threads: self.threads.min(other.threads),
            registers: self.registers.min(other.registers),
            shared_bytes: self.shared_bytes.min(other.shared_bytes),
        }
    }

    /// Whether `more` fits beside `self` in `whole`.
    pub fn fits(&self, more: Resources, whole: Resources) -> bool {
        self.ctas + more.ctas <= whole.ctas
            && self.threads + more.threads <= whole.threads
            && self.registers + more.registers <= whole.registers
            && self.shared_bytes + more.shared_bytes <= whole.shared_bytes
    }

    /// Takes `more` too.
    pub fn add(&mut self, more: Resources) {
        self.ctas += more.ctas;
        self.threads += more.threads;
        self.registers += more.registers;
        self.shared_bytes += more.shared_bytes;
    }

    /// Gives `less` back.
    pub fn take(&mut self, less: Resources) {
        self.ctas -= less.ctas;
        self.threads -= less.threads;
        self.registers -= less.registers;
        self.shared_bytes -= less.shared_bytes;
    }
}

fn sizes(carve_outs: CarveOuts) -> impl Iterator<Item = u32> {
    carve_outs.sizes_kb().iter().map(|&kb| kb << 10)
}

/// How an SM can be divided between L1D and shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Divisions {
    carve_outs: CarveOuts,
    wait: CarveOutWait,
    whole: Resources,
}

impl Divisions {
    /// Those of an SM of `class`.
    pub fn of(class: &SmClass) -> Self {
        Divisions { carve_outs: class.carve_outs, wait: class.carve_out_wait, whole: Resources::of_class(class) }
    }

    /// Whether there is a choice.
    pub fn any(&self) -> bool {
        self.carve_outs != CarveOuts::None
    }

    /// The sizes that shared memory can have, in ascending order.
    pub fn sizes(&self) -> impl Iterator<Item = u32> + use<> {
        let most = self.whole.shared_bytes;
        sizes(self.carve_outs).filter(move |&bytes| bytes <= most)
    }

    /// The smallest size that holds so many bytes; the largest, if none does.
    fn holding(&self, bytes: u64) -> u32 {
        self.sizes().find(|&size| u64::from(size) >= bytes).unwrap_or(self.whole.shared_bytes)
    }

    /// The shared memory of an SM that is divided for a launch with CTAs that take `cta` each.
    pub fn wanted(&self, cta: Resources, wish: CarveOut) -> u32 {
        let one = u64::from(cta.shared_bytes);
        self.holding(match wish {
            CarveOut::Default => {
                let by = |whole: u32, of_one: u32| whole.checked_div(of_one).unwrap_or(u32::MAX);
                let Resources { ctas, threads, registers, .. } = self.whole;
                one * u64::from(ctas.min(by(threads, cta.threads)).min(by(registers, cta.registers)))
            }
            CarveOut::Bytes(bytes) => one.max(bytes.into()),
            CarveOut::Percent(percent) => one.max(u64::from(self.whole.shared_bytes) * u64::from(percent) / 100),
        })
    }

    /// The least shared memory of an SM with CTAs that such a CTA may join.
    pub fn least(&self, cta: Resources, wish: CarveOut) -> u32 {
        match self.wait {
            CarveOutWait::Wanted => self.wanted(cta, wish),
            CarveOutWait::Needed => self.holding(cta.shared_bytes.into()),
        }
    }
}

/// Occupancy of an SM of `class` that holds CTAs of `launch` alone.
pub fn of(launch: &Launch, class: &SmClass) -> Occupancy {
    let cta = Resources::of_cta(launch, class);
    let Resources { threads, registers, .. } = cta;
    let shared_bytes = Divisions::of(class).wanted(cta, launch.carve_out);
    let limits = [
        (class.ctas, Limiter::Slots),
        (class.threads.checked_div(threads).unwrap_or(u32::MAX), Limiter::Threads),
        (class.registers.checked_div(registers).unwrap_or(u32::MAX), Limiter::Registers),
        (shared_bytes.checked_div(cta.shared_bytes).unwrap_or(u32::MAX), Limiter::SharedMemory),
    ];
    let (ctas, limiter) = limits.into_iter().min_by_key(|limit| limit.0).unwrap_or((0, Limiter::Slots));
    Occupancy { ctas, limiter }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::gpu::presets;
    use alloc::vec;

    /// First principles: 128 threads × 85 registers in 65,536 registers give 5 CTAs where a thread gets multiples of 4 (the presets of papers), 6
    /// without granularity, 5 where a warp gets multiples of 256.
    #[test]
    fn register_granularity_costs_a_cta() {
        let mut class = presets::find("ccbp-16sm").unwrap().sms[0].clone();
        let launch = Launch { grid: 1.into(), threads: 128, registers: 85, shared_bytes: 0, program: vec![], ..Launch::default() };
        assert_eq!(of(&launch, &class), Occupancy { ctas: 5, limiter: Limiter::Registers });
        for (granularity, ctas) in [(1, 6), (128, 5), (256, 5)] {
            class.register_granularity = granularity;
            assert_eq!(of(&launch, &class), Occupancy { ctas, limiter: Limiter::Registers }, "{granularity}");
        }
        assert_eq!(registers_of_cta(61, 85, 128), 2 * 32 * 88);
    }

    #[test]
    fn each_resource_can_be_the_one_that_binds() {
        let class = presets::find("ccbp-16sm").unwrap().sms[0].clone();
        let limiter = |threads, registers, shared_bytes| {
            of(&Launch { grid: 1.into(), threads, registers, shared_bytes, program: vec![], ..Launch::default() }, &class)
        };
        assert_eq!(limiter(32, 16, 0), Occupancy { ctas: 32, limiter: Limiter::Slots });
        assert_eq!(limiter(1000, 16, 0), Occupancy { ctas: 2, limiter: Limiter::Threads });
        assert_eq!(limiter(64, 255, 0), Occupancy { ctas: 4, limiter: Limiter::Registers });
        assert_eq!(limiter(64, 16, 40_000), Occupancy { ctas: 2, limiter: Limiter::SharedMemory });
    }

    fn shape(threads: u32, registers: u32, shared_bytes: u32) -> Launch {
        Launch { threads, registers, shared_bytes, ..Launch::default() }
    }

    /// CTAs, what limits them, and KB of the SM as shared memory. By hand, as CUDA's occupancy calculator has it: a warp gets registers in
    /// multiples of 256, a CTA takes 1 KB besides its own shared memory.
    #[test]
    fn an_sm_is_divided_for_the_ctas_that_it_holds() {
        for (gpu, launch, ctas, limiter, kb) in [
            // 2048 threads are 8 CTAs, of 8 warps with 1,024 registers each as many; 8 KB.
            ("h100-sxm5", shape(256, 32, 0), 8, Limiter::Threads, 8),
            // 32 CTAs of 64 threads, the slots; 32 KB.
            ("h100-sxm5", shape(64, 16, 0), 32, Limiter::Slots, 32),
            // A persistent GEMM: 12 warps with 5,376 registers are 64,512. 206,720 bytes are more than 196 KB.
            ("h100-sxm5", shape(384, 168, 205_696), 1, Limiter::Registers, 228),
            // 5 CTAs of 4 warps with 96 × 32 registers; 5 × 6,267 bytes. An H100 had 64 KB here, the next size.
            ("h100-sxm5", shape(128, 90, 5_243), 5, Limiter::Registers, 32),
            // The most that a CTA can have: 227 KB.
            ("h100-sxm5", shape(32, 16, 227 << 10), 1, Limiter::SharedMemory, 228),
            ("h100-sxm5", shape(32, 16, (227 << 10) + 1), 0, Limiter::SharedMemory, 228),
            // FlashAttention-2: 255 registers are 8,192 a warp, so 2 CTAs; 2 × 65 KB.
            ("a100-40gb", shape(128, 255, 64 << 10), 2, Limiter::Registers, 132),
            // cuBLAS: 4 CTAs by registers, 2 of 81 KB in 164.
            ("a100-40gb", shape(128, 100, 80 << 10), 2, Limiter::SharedMemory, 164),
            // 1536 threads are 6 CTAs, and 40 registers as many; 6 KB.
            ("rtx5090", shape(256, 40, 0), 6, Limiter::Threads, 8),
            ("rtx5090", shape(256, 54, 30_536), 3, Limiter::SharedMemory, 100),
            // Accel-Sim: 1024 threads are 4 CTAs, which leave L1D 64 KB of 96 without shared memory, and 32 with 48 KB.
            ("accelsim-rtx2060", shape(256, 32, 0), 4, Limiter::Threads, 32),
            ("accelsim-rtx2060", shape(256, 32, 12 << 10), 4, Limiter::Threads, 64),
            ("accelsim-qv100", shape(256, 32, 0), 8, Limiter::Threads, 0),
            ("accelsim-rtx3070", shape(256, 32, 11 << 10), 6, Limiter::Threads, 100),
            ("accelsim-h100", shape(256, 32, 20 << 10), 8, Limiter::Threads, 164),
        ] {
            let class = &presets::find(gpu).unwrap().sms[0];
            let wanted = Divisions::of(class).wanted(Resources::of_cta(&launch, class), CarveOut::Default);
            assert_eq!((of(&launch, class), wanted), (Occupancy { ctas, limiter }, kb << 10), "{gpu}: {launch:?}");
        }
    }

    /// CUDA: "rounded up" to a size that there is, and more if a CTA needs it. 15 % of 228 KB are 34, and 64 is the next: what copies of regions
    /// find on an H100 (`silicon/h100.csv`). A preference for less bounds the CTAs.
    #[test]
    fn a_preference_is_rounded_up_and_bounds_the_ctas() {
        let class = &presets::find("h100-sxm5").unwrap().sms[0];
        let found = |shared_bytes, carve_out| {
            let launch = Launch { carve_out, ..shape(64, 16, shared_bytes) };
            (Divisions::of(class).wanted(Resources::of_cta(&launch, class), carve_out) >> 10, of(&launch, class).ctas)
        };
        let percent = CarveOut::Percent;
        assert_eq!([15, 14, 0, 100].map(|part| found(0, percent(part))), [(64, 32), (32, 32), (8, 8), (228, 32)]);
        assert_eq!([32, 64].map(|kb| found(16 << 10, CarveOut::Bytes(kb << 10))), [(32, 1), (64, 3)]);
        assert_eq!(found(40 << 10, percent(0)), (64, 1), "41 KB for one");
        assert_eq!(found(16 << 10, CarveOut::Default), (228, 13));
    }

    /// Papers' GPUs have both by themselves: a preference does nothing.
    #[test]
    fn where_nothing_can_be_chosen_nothing_is() {
        let class = &presets::find("ccbp-16sm").unwrap().sms[0];
        let launch = Launch { carve_out: CarveOut::Percent(0), ..shape(64, 16, 40_000) };
        assert_eq!((of(&launch, class).ctas, Divisions::of(class).any(), Divisions::of(class).sizes().count()), (2, false, 0));
        assert_eq!(Divisions::of(class).wanted(Resources::of_cta(&launch, class), launch.carve_out), 98_304);
    }
}
