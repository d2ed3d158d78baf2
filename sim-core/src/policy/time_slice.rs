//! Time slicing: the whole GPU goes to one kernel after the other.
//!
//! # Idea
//! What hardware does with processes that share a GPU without MPS or MIG: the contexts take turns. At the end of a slice the CTAs of the
//! kernel leave by a context switch, whose traffic goes through NoC and DRAM, and those of the next one come in.
//! # Sets
//! `allowed`, and `cta_switch` on every SM.
//! # Parameters
//! `slice`: cycles of a turn, the switch included.
//! # Deviations
//! 1. The cost of a switch follows from the context's size and the memory's bandwidth. Lengths of slices are not published.
//! 2. Each SM is handed over by itself, as soon as its CTAs have left, not the whole GPU at once.
//! 3. A slice that is shorter than the contexts take to come and go is spent on them alone, and no kernel gets on.
//! 4. A kernel that has ended and does not restart keeps its turns; hardware gives an idle context's slice up.

use super::scheme::{Absent, Member, Param, Policy, PolicyInfo, Shape};
use crate::describe::ids::{Cycle, KernelId};
use crate::interface::controls::Controls;
use crate::interface::decision::{Log, decide, topics};
use crate::interface::observation::Observation;
use alloc::format;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "time-slice",
    title: "Time slicing",
    source: "what GPUs do without MPS or MIG, as far as it is published; a modelling assumption, not validated hardware",
    doc: "The whole GPU to one kernel after the other, with context switches in between",
    params: &[Param {
        name: "slice",
        shape: Shape::Int { min: 1000, max: 1_000_000_000 },
        unit: "cycles",
        absent: Absent::Needed,
        doc: "Turn of each kernel, with the switch at its beginning",
    }],
    topics: TOPICS,
    check: PolicyInfo::NO_CHECK,
};

topics! {
    Turn "turn", "That a kernel gets the whole GPU until the next one does" {
        cycles: u64, "cycles", "For so long";
    } => format!("gets the whole GPU for {cycles} cycles; the others leave by context switches");
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct TimeSlice {
    /// Cycles of a turn.
    pub slice: Cycle,
    /// Whose it is, by position in the mix.
    turn: u8,
}

impl TimeSlice {
    fn hand_over(&self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        for kernel in KernelId::first(seen.kernels) {
            controls.each_sm(|sm| {
                sm.allowed[kernel] = kernel.0 == self.turn;
                sm.cta_switch[kernel] = true;
            });
        }
        decide(log, seen, KernelId(self.turn), Turn { cycles: self.slice });
    }
}

impl TimeSlice {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        TimeSlice { slice: spec.int("slice") as Cycle, turn: 0 }
    }
}

impl Policy for TimeSlice {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        self.turn = 0;
        self.hand_over(seen, controls, log);
    }

    fn interval(&self) -> Option<Cycle> {
        Some(self.slice)
    }

    fn takes_turns(&self) -> bool {
        true
    }

    fn on_interval(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        self.turn = (self.turn + 1) % seen.kernels as u8;
        self.hand_over(seen, controls, log);
    }
}
