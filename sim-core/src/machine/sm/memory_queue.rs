//! Memory instructions between each scheduler and the LSU, where schedulers hold some (`sm.memory_queue`): how long they keep their places.
//!
//! As "Dissecting and Modeling the Architecture of Modern GPU Cores" (MICRO 2025) measures it on Turing, Ampere and Blackwell. Of the loads of one warp five
//! issue one a cycle, the sixth eleven cycles after the first, and each more after four. Beside other sub-cores it is two for each of them.
//!
//! Simplified: an instruction is in the LSU from its issue on, so that of a burst L1D sees the later ones up to eight cycles early. One that L1D
//! cannot take keeps no place here, but one in the LSU.

use crate::describe::ids::Cycle;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// Cycles from the issue of an instruction until its place is free, if nothing is before it.
const HELD: Cycle = 11;

/// Cycles that a scheduler's address unit takes for an instruction.
const ADDRESS: Cycle = 4;

/// Cycles that the LSU takes for one, whichever scheduler's.
const LSU: Cycle = 2;

/// The queues of an SM's schedulers, where there are any. They stand apart, so that they take no place in the state of those that have none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MemoryQueues(Option<Box<Queues>>);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Queues {
    places: usize,
    /// When each instruction of a scheduler leaves its place.
    leave: Vec<VecDeque<Cycle>>,
    /// When the last of all does.
    last: Cycle,
}

/// Hashed only where there are any, so that machines without have the digests that they had before there were queues.
impl Hash for MemoryQueues {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.iter().for_each(|queues| queues.hash(state));
    }
}

impl MemoryQueues {
    /// Empty ones with so many places each; 0: there are none.
    pub fn new(places: u32, schedulers: u32) -> MemoryQueues {
        let empty = || Queues { places: places as usize, leave: (0..schedulers).map(|_| VecDeque::new()).collect(), last: 0 };
        MemoryQueues((places > 0).then(|| Box::new(empty())))
    }

    /// A scheduler issues an instruction in `now`. Returns from when on it has a place for another; nothing where there are no queues.
    #[inline]
    pub fn push(&mut self, now: Cycle, scheduler: usize) -> Option<Cycle> {
        self.0.as_mut().map(|queues| queues.push(now, scheduler))
    }
}

impl Queues {
    #[cold] // few machines have queues
    fn push(&mut self, now: Cycle, scheduler: usize) -> Cycle {
        let queue = &mut self.leave[scheduler];
        while queue.front().is_some_and(|&at| at <= now) {
            queue.pop_front();
        }
        let behind = queue.back().map_or(0, |&at| at + ADDRESS);
        self.last = (now + HELD).max(behind).max(self.last + LSU);
        queue.push_back(self.last);
        if queue.len() < self.places { now + 1 } else { queue[0] }
    }
}
