//! How many CTAs of a launch an SM can hold, and which resource limits them.

use super::SmClass;
use crate::describe::kernel::{Launch, WARP_SIZE};

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
    /// Everything that an SM of `class` has.
    pub fn of_class(class: &SmClass) -> Resources {
        Resources { ctas: class.ctas, threads: class.threads, registers: class.registers, shared_bytes: class.shared_bytes }
    }

    /// What a CTA of `launch` takes of an SM of `class`.
    pub fn of_cta(launch: &Launch, class: &SmClass) -> Resources {
        Resources {
            ctas: 1,
            threads: launch.threads.div_ceil(WARP_SIZE) * WARP_SIZE,
            registers: registers_of_cta(launch.threads, launch.registers, class.register_granularity),
            shared_bytes: launch.shared_bytes,
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

/// Occupancy of an SM of `class` that holds CTAs of `launch` alone.
pub fn of(launch: &Launch, class: &SmClass) -> Occupancy {
    let Resources { threads, registers, .. } = Resources::of_cta(launch, class);
    let limits = [
        (class.ctas, Limiter::Slots),
        (class.threads.checked_div(threads).unwrap_or(u32::MAX), Limiter::Threads),
        (class.registers.checked_div(registers).unwrap_or(u32::MAX), Limiter::Registers),
        (class.shared_bytes.checked_div(launch.shared_bytes).unwrap_or(u32::MAX), Limiter::SharedMemory),
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
}
