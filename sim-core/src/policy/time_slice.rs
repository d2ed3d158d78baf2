//! Time slicing: the whole GPU goes to one kernel after the other.
//!
//! # Idea
//! What hardware does with processes that share a GPU without MPS or MIG: the contexts take turns. At the end of a slice the CTAs of the
//! kernel leave by a context switch, whose traffic goes through NoC and DRAM, and those of the next one come in.
//! # Sets
//! `allowed`, and `cta_switch` on every SM.
//! # Parameters
//! `slice`, `slice_ms` or `timeslice`: the length of a turn, the switch included, in cycles, in milliseconds, or as a level of the vendor's tool.
//! `weights`: slices that each kernel has in a row.
//! # Deviations
//! 1. The cost of a switch follows from the context's size and the memory's bandwidth. Lengths of slices are not published by the vendor.
//! 2. Each SM is handed over by itself, as soon as its CTAs have left, not the whole GPU at once.
//! 3. A slice that is shorter than the contexts take to come and go is spent on them alone, and no kernel gets on.
//! 4. A kernel that has ended and does not restart keeps its turns; hardware gives an idle context's slice up.

use super::scheme::{Absent, Member, Mix, Param, Policy, PolicyInfo, Setting, Shape};
use crate::describe::error::Problems;
use crate::describe::gpu::vendor::{TIME_SLICE_WORDS, TIME_SLICES};
use crate::describe::ids::{Cycle, KernelId};
use crate::describe::path::field;
use crate::interface::controls::Controls;
use crate::interface::decision::{Log, decide, topics};
use crate::interface::observation::Observation;
use alloc::format;
use alloc::vec::Vec;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "time-slice",
    title: "Time slicing",
    source: "what GPUs do without MPS or MIG, as far as it is published; a modelling assumption, not validated hardware",
    doc: "The whole GPU to one kernel after the other, with context switches in between",
    params: &[
        Param {
            name: "slice",
            shape: Shape::Int { min: SHORTEST, max: LONGEST },
            unit: "cycles",
            absent: Absent::Words("as `slice_ms` or `timeslice` says"),
            doc: "Turn of each kernel, with the switch at its beginning",
        },
        Param {
            name: "slice_ms",
            shape: Shape::Number { min: 0.001, max: 1000.0 },
            unit: "ms",
            absent: Absent::Words("as `slice` or `timeslice` says"),
            doc: "The same in milliseconds of the GPU's clock",
        },
        Param {
            name: "timeslice",
            shape: Shape::Choice(TIME_SLICE_WORDS),
            unit: "",
            absent: Absent::Words("default, if no other length is said"),
            doc: "The same as a level of nvidia-smi compute-policy: default and short 2 ms, medium 10 ms, long 30 ms",
        },
        Param {
            name: "weights",
            shape: Shape::PerKernel(&Shape::Int { min: 1, max: 1000 }),
            unit: "slices",
            absent: Absent::Words("one for each"),
            doc: "Slices that each kernel has in a row, in the order of the mix",
        },
    ],
    topics: TOPICS,
    check,
};

/// Ends of a slice, cycles.
const SHORTEST: i64 = 1000;
const LONGEST: i64 = 1_000_000_000;

fn check(spec: &Member, mix: Mix, problems: &mut Problems) {
    let given: Vec<&str> = ["slice", "slice_ms", "timeslice"].into_iter().filter(|name| *spec.get(name) != Setting::Unset).collect();
    if let [_, second, ..] = given[..] {
        return problems.add(field(mix.path, second), format!("{} together", given.join(" and ")), "one of them");
    }
    let cycles = Length::of(spec).cycles(mix.core_mhz);
    if !(SHORTEST as Cycle..=LONGEST as Cycle).contains(&cycles) {
        let found = format!("{cycles} cycles at {} MHz", mix.core_mhz);
        let path = field(mix.path, given.first().copied().unwrap_or("name"));
        problems.add(path, found, format!("a length of {SHORTEST} to {LONGEST} cycles"));
    }
}

/// How long a slice is.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Length {
    Cycles(Cycle),
    Ms(f64),
}

impl Length {
    fn of(spec: &Member) -> Length {
        match (spec.get("slice"), spec.get("slice_ms"), spec.get("timeslice")) {
            (Setting::Int(cycles), ..) => Length::Cycles(*cycles as Cycle),
            (_, Setting::Number(ms), _) => Length::Ms(*ms),
            (.., word) => {
                let named = |(name, _): &&(&str, f64)| matches!(word, Setting::Choice(chosen) if chosen == name);
                Length::Ms(TIME_SLICES.iter().find(named).unwrap_or(&TIME_SLICES[0]).1)
            }
        }
    }

    fn cycles(self, core_mhz: u32) -> Cycle {
        match self {
            Length::Cycles(cycles) => cycles,
            Length::Ms(ms) => (ms * f64::from(core_mhz) * 1000.0 + 0.5) as Cycle,
        }
    }
}

topics! {
    Turn "turn", "That a kernel gets the whole GPU until the next one does" {
        cycles: u64, "cycles", "For so long";
    } => format!("gets the whole GPU for {cycles} cycles; the others leave by context switches");
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct TimeSlice {
    length: Length,
    /// Slices of each kernel in a row; empty for one each.
    weights: Vec<u32>,
    /// Cycles of a slice, once the GPU is known.
    slice: Cycle,
    /// Whose turn it is, by position in the mix.
    turn: u8,
    /// Slices that are left of it.
    left: u32,
}

impl TimeSlice {
    fn hand_over(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        for kernel in KernelId::first(seen.kernels) {
            controls.each_sm(|sm| {
                sm.allowed[kernel] = kernel.0 == self.turn;
                sm.cta_switch[kernel] = true;
            });
        }
        self.left = self.weights.get(usize::from(self.turn)).copied().unwrap_or(1);
        decide(log, seen, KernelId(self.turn), Turn { cycles: self.slice * u64::from(self.left) });
    }
}

impl TimeSlice {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        TimeSlice { length: Length::of(spec), weights: spec.ints("weights").to_vec(), slice: SHORTEST as Cycle, turn: 0, left: 0 }
    }
}

impl Policy for TimeSlice {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        self.turn = 0;
        self.slice = self.length.cycles(seen.gpu.core_mhz);
        self.hand_over(seen, controls, log);
    }

    fn interval(&self) -> Option<Cycle> {
        Some(self.slice)
    }

    fn takes_turns(&self) -> bool {
        true
    }

    fn on_interval(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        self.left -= 1;
        if self.left == 0 {
            self.turn = (self.turn + 1) % seen.kernels as u8;
            self.hand_over(seen, controls, log);
        }
    }
}
