//! What a CTA order is made of: what it is offered, the trait that it implements, and its line in the catalogue.

pub use super::super::grid::Grid;

use crate::describe::gpu::occupancy::Resources;
use crate::describe::ids::{Cycle, KernelId, Kernels, MAX_KERNELS, Set};
use crate::interface::spec::{Param, Spec};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};

/// The chunk entry of an SM: CTAs from `first` to before `end`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ChunkEntry {
    /// First CTA.
    pub first: u32,
    /// The one after the last.
    pub end: u32,
}

impl ChunkEntry {
    /// Chunk `index` of `parts`; the first `ctas % parts` of them have one CTA more than the others.
    pub fn of(index: u32, parts: u32, ctas: u32) -> Self {
        let start = |index: u32| index * (ctas / parts) + index.min(ctas % parts);
        ChunkEntry { first: start(index), end: start(index + 1) }
    }

    /// Takes the first CTA, or the last.
    pub fn take(&mut self, last: bool) -> Option<u32> {
        if self.first == self.end {
            return None;
        }
        if last {
            self.end -= 1;
            return Some(self.end);
        }
        self.first += 1;
        Some(self.first - 1)
    }
}

/// An SM with room, and what may go there.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// Core cycle.
    pub now: Cycle,
    /// The SM's number.
    pub sm: u16,
    /// SMs of the GPU.
    pub sms: u16,
    /// What the SM has left.
    pub room: Resources,
    /// Kernels that pass the dispatcher's filter on this SM, a bit each: at least one.
    pub allowed: Kernels,
    /// SMs on which each kernel may run, as the controls are now, once there is room: its CTAs are allowed there and fit.
    pub open: &'a [Set],
    /// The launch of each kernel that is under way.
    pub grids: &'a [Grid],
}

impl Offer<'_> {
    /// The kernels of `allowed`.
    pub fn kernels(&self) -> impl Iterator<Item = KernelId> + Clone + use<> {
        let allowed = self.allowed;
        KernelId::first(MAX_KERNELS).filter(move |kernel| allowed >> kernel.0 & 1 == 1)
    }

    /// The launch of a kernel.
    pub fn grid(&self, kernel: KernelId) -> &Grid {
        &self.grids[kernel.index()]
    }

    /// The first CTA that `take` gives of what each SM has: this one, or else the SMs on which the kernel may not run now.
    pub fn own_or_closed(&self, kernel: KernelId, mut take: impl FnMut(usize) -> Option<u32>) -> Option<u32> {
        let open = self.open[kernel.index()];
        let own = take(self.sm.into());
        own.or_else(|| (0..self.sms).filter(|&sm| !open.contains(sm.into())).find_map(|sm| take(sm.into())))
    }
}

/// A CTA order. It is plain data: a snapshot of a run copies it, and the run's digest covers it.
pub trait CtaOrder: Boxed + fmt::Debug + Send + Sync {
    /// Whether it reads `Grid::ran_on`.
    fn remembers(&self) -> bool {
        false
    }

    /// The SM that is offered room first in each cycle; the others follow in the order of their numbers, around the end.
    fn first_sm(&self) -> u16 {
        0
    }

    /// A launch of `kernel` begins, on a GPU of `sms` SMs.
    fn launch(&mut self, _kernel: KernelId, _grid: &Grid, _sms: u16) {}

    /// One of the allowed kernels and one of its CTAs that wait, which is placed then; `None` leaves the SM as it is until a CTA ends there,
    /// a launch begins or the controls change.
    fn choose(&mut self, offer: &Offer) -> Option<(KernelId, u32)>;

    /// Whether the SM for which it has just chosen nothing is to be offered to it again in the next cycle.
    fn waits(&self, _offer: &Offer) -> bool {
        false
    }

    /// A CTA has finished on `sm`; those of one cycle come in the order of their SMs.
    fn finished(&mut self, _now: Cycle, _sm: u16, _kernel: KernelId, _cta: u32) {}

    /// The SM from which the CTA that it has just chosen was stolen.
    fn stolen_from(&self) -> Option<u16> {
        None
    }

    /// What each SM has before it of a kernel's launch, under an order that deals chunks.
    fn shares(&self, _kernel: KernelId) -> Option<Shares> {
        None
    }
}

/// What an order in a box is copied and hashed by. Every order that is `Clone` and `Hash` has it.
pub trait Boxed {
    /// A copy.
    fn boxed(&self) -> Box<dyn CtaOrder>;

    /// Hashes its state.
    fn hash_state(&self, state: &mut dyn Hasher);
}

impl<O: CtaOrder + Clone + Hash + 'static> Boxed for O {
    fn boxed(&self) -> Box<dyn CtaOrder> {
        Box::new(self.clone())
    }

    fn hash_state(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
    }
}

impl Clone for Box<dyn CtaOrder> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

/// What each SM has before it of a kernel's launch, for drawings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shares {
    /// SMs go from the end of their chunks to the beginning.
    pub backward: bool,
    /// The next launch deals chunks anew.
    pub deals_anew: bool,
    /// By SM; none before chunks are dealt, with the launch's first CTA.
    pub sms: Vec<Share>,
}

impl Shares {
    /// The CTAs that an SM has before it, in the order in which it comes to them.
    pub fn ahead(&self, sm: usize) -> Vec<u32> {
        let Some(share) = self.sms.get(sm) else { return Vec::new() };
        let waiting = share.queue.get(share.waiting.0 as usize..share.waiting.1 as usize).unwrap_or_default();
        let mut ctas: Vec<u32> = (share.left.first..share.left.end).chain(waiting.iter().copied()).collect();
        if self.backward {
            ctas.reverse();
        }
        ctas
    }
}

/// What an SM has of a kernel's launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Share {
    /// Its chunk, less what others have stolen of it; where the order does not keep it, only what is left is known.
    pub chunk: Option<ChunkEntry>,
    /// The part of it that has not begun.
    pub left: ChunkEntry,
    /// CTAs that it has stolen, the oldest first.
    pub queue: Vec<u32>,
    /// Those of the queue that have not begun: from this place to before that one.
    pub waiting: (u32, u32),
}

/// An order and its parameters.
pub type CtaOrderSpec = Spec<CtaOrderInfo>;

/// An order of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct CtaOrderInfo {
    /// Name in experiments.
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
}
