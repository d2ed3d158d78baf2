//! The warps of an SM, and their schedulers.

use super::address::Place;
use super::array_vec::ArrayVec;
use super::calendar::Stages;
use super::code::{Code, Step};
use super::lanes::{LANES, MAX_SCHEDULERS, WarpRef};
use super::next::Issue;
use super::recorded::Mark;
use super::scheduler::Scheduler;
use super::wheel::Wheel;
use crate::describe::gpu::{Fp64Owner, SmClass};
use crate::describe::ids::{Cycle, KernelId, LaunchId};
use crate::describe::kernel::{MAX_LOOPS, WARP_SIZE};
use crate::interface::controls::WarpOrder;
use crate::machine::derived::Derived;
use alloc::vec;
use alloc::vec::Vec;

/// The state of a warp, but for what its scheduler and the issue stage read in every cycle.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Warp {
    pub kernel: KernelId,
    pub launch: LaunchId,
    pub slot: u8,
    pub loads: u16,
    pub missed_loads: u16,
    pub pc: u32,
    /// While it waits for loads: how many may stay outstanding.
    pub wait_for: u32,
    /// While it waits for loads: when its last result is ready.
    pub ready_from: Cycle,
    pub place: Place,
    pub trips: [u32; MAX_LOOPS],
    /// The key of its draws; the chunk that it is in, where it is recorded.
    pub key: u64,
    pub board: Scoreboard,
}

/// What is known of a warp's loads one by one, where they are recorded: entries of loads, a bit each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Scoreboard {
    /// Loads under way.
    pub pending: u32,
    /// Those that it waits for.
    pub awaited: u32,
}

/// Where a step that issues nothing leaves a warp.
#[derive(Clone, Copy, Debug)]
pub enum Passed {
    /// At another step.
    Step,
    /// There, until at most so many of its loads are outstanding.
    Waits(u32),
    /// There, until these of its loads are back.
    Awaits(u32),
    /// At its end.
    Exits,
}

impl Warp {
    /// Takes a step that issues nothing.
    #[inline(never)] // keeps `Sm::proceed` small
    pub fn pass(&mut self, code: &Code) -> Passed {
        let loads = u32::from(self.loads);
        let Some(step) = code.steps.get(self.pc as usize) else {
            match code.mark(self.pc, self.key) {
                Mark::Wait(entries) if self.board.pending & entries != 0 => return Passed::Awaits(entries),
                Mark::Wait(_) => self.pc += 1,
                Mark::Next(chunk, first) => (self.key, self.pc) = (chunk, first),
                Mark::Ends if loads > 0 => return Passed::Waits(0),
                Mark::Ends => return Passed::Exits,
            }
            return Passed::Step;
        };
        match *step {
            Step::Loop { depth, trips, after } => {
                let trips = code.trips(trips, self.pc, &self.place);
                self.trips[depth] = trips;
                self.place.loops[depth] = 0;
                self.pc = if trips == 0 { after } else { self.pc + 1 };
            }
            Step::End { depth, body } => {
                self.place.loops[depth] += 1;
                if self.place.loops[depth] < self.trips[depth] {
                    self.pc = body;
                } else {
                    self.place.loops[depth] = 0;
                    self.pc += 1;
                }
            }
            Step::Wait { loads: at_most } if loads > at_most => return Passed::Waits(at_most),
            Step::Exit if loads > 0 => return Passed::Waits(0),
            Step::Exit => return Passed::Exits,
            _ => self.pc += 1,
        }
        Passed::Step
    }
}

/// All warps of an SM, by lane.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Warps {
    /// Loads that a warp may have under way.
    pub loads_per_warp: u32,
    /// Warps of a scheduler that it looks at together where the controls say `gto`; 0: all.
    pub gto_group: Derived<u8>,
    /// The order in which each scheduler chooses warps: that of the controls, but groups of `gto_group` for `gto` where there are any.
    pub order: Derived<WarpOrder>,
    /// Lanes of each scheduler.
    pub lanes: u32,
    /// The warp schedulers, by the number that `WarpRef` has of them.
    pub schedulers: ArrayVec<Scheduler, MAX_SCHEDULERS>,
    /// Warps that sleep until a cycle that is known.
    pub wheel: Wheel,
    /// The next instruction of each warp, by `WarpRef::index`.
    pub issues: ArrayVec<Issue, { LANES * MAX_SCHEDULERS }>,
    /// The rest of each warp's state, by `WarpRef::index`.
    pub states: Vec<Warp>,
    /// Schedulers whose warp issues a run of independent instructions that no other warp can interrupt (greedy-then-oldest), a bit each. They
    /// sleep until the last instruction of the run, and `settle` catches up.
    pub greedy: Derived<Stages>,
}

impl Warps {
    /// No warp.
    pub fn new(class: &SmClass) -> Self {
        let mut schedulers: ArrayVec<Scheduler, MAX_SCHEDULERS> = ArrayVec::new(class.schedulers);
        if class.fp64_lanes > 0 {
            let takes_oldest = class.fp64_unit == Fp64Owner::Scheduler && class.fp64_lanes < WARP_SIZE;
            schedulers.iter_mut().for_each(|scheduler| scheduler.add_fp64(takes_oldest));
        }
        if class.int_lanes > 0 {
            schedulers.iter_mut().for_each(Scheduler::add_integer);
        }
        if class.tensor_interval > 0 {
            schedulers.iter_mut().for_each(Scheduler::add_tensor);
        }
        Warps {
            loads_per_warp: class.loads_per_warp,
            gto_group: Derived(class.gto_group as u8),
            order: Derived(WarpOrder::default()),
            lanes: class.warps().div_ceil(class.schedulers),
            schedulers,
            wheel: Wheel::default(),
            issues: ArrayVec::new(LANES as u32 * class.schedulers),
            states: vec![Warp::default(); LANES * class.schedulers as usize],
            greedy: Derived(0),
        }
    }

    /// A free lane of the scheduler with the fewest warps, `more` included.
    pub fn free_lane(&self, more: &[u64; MAX_SCHEDULERS]) -> WarpRef {
        let lanes = if self.lanes == 64 { u64::MAX } else { (1 << self.lanes) - 1 };
        let taken = |s: usize| self.schedulers[s].resident | more[s];
        let s = (0..self.schedulers.len()).min_by_key(|&s| taken(s).count_ones()).unwrap_or(0);
        WarpRef::new(s, (!taken(s) & lanes).trailing_zeros())
    }

    /// Whether schedulers look at groups of their warps one at a time.
    pub fn has_groups(&self) -> bool {
        matches!(*self.order, WarpOrder::GtoGroups(_))
    }

    /// Takes a warp from the ready ones until cycle `until`.
    pub fn sleep_until(&mut self, now: Cycle, until: Cycle, which: WarpRef) {
        self.schedulers[which.scheduler()].ready &= !which.bit();
        self.wheel.put(which.scheduler(), which.bit(), now, until);
    }
}
