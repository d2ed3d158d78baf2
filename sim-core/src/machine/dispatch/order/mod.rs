//! CTA orders, one file each: which kernel and which of its CTAs go next to an SM with room.
//!
//! A program that uses this crate has its own beside them: it implements `CtaOrder`, and `Simulation::with_order` takes it.
//!
//! To add one here: a file with its type, `impl CtaOrder` and `INFO` (name, source, what it does, its parameters, how it is made), and its line in
//! `orders!`. The experiment's field `cta_order`, its schema, the catalogue and the page's form follow.
//!
//! With several kernels at once an order keeps its state of each kernel apart, over the SMs on which that kernel may run.

mod chunk;
mod chunks;
mod dependence;
mod flip;
mod last;
mod reset;
mod round_robin;
#[cfg(test)]
mod same_sm;
mod steal;
#[cfg(test)]
mod tests;
mod turns;

pub use self::chunks::ChunkEntry;
use super::grid::Grid;
use crate::describe::gpu::occupancy::Resources;
use crate::describe::ids::{Cycle, KernelId, Set};
use crate::describe::path::one_of;
use crate::describe::record::{Entries, Names};
use crate::interface::spec::{Entry, Param, Spec};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};

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
    pub allowed: u8,
    /// SMs on which each kernel may run, as the controls are now, once there is room: its CTAs are allowed there and fit.
    pub open: &'a [Set],
    /// The launch of each kernel that is under way.
    pub grids: &'a [Grid],
}

impl Offer<'_> {
    /// The kernels of `allowed`.
    pub fn kernels(&self) -> impl Iterator<Item = KernelId> + Clone + use<> {
        let allowed = self.allowed;
        KernelId::first(8).filter(move |kernel| allowed >> kernel.0 & 1 == 1)
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
    /// Makes it, for so many SMs and kernels.
    pub make: fn(&CtaOrderSpec, usize, usize) -> AnyOrder,
}

/// The names of the orders.
static NAMES: Names = Names {
    names: || CTA_ORDERS.iter().map(|order| order.name).collect(),
    old: Vec::new,
    known: |name| CtaOrderInfo::find(name).is_some(),
    want: |_| one_of(&CTA_ORDERS.iter().map(|order| order.name).collect::<Vec<_>>()),
    what: "a CTA order",
};

/// What experiments choose an order from.
static ENTRIES: Entries = Entries { name: "CtaOrder", names: &NAMES, params: |name| Some(alloc::vec![CtaOrderInfo::find(name)?.params]) };

impl Entry for CtaOrderInfo {
    const ENTRIES: &'static Entries = &ENTRIES;

    fn all() -> &'static [CtaOrderInfo] {
        CTA_ORDERS
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn params(&self) -> &'static [Param] {
        self.params
    }
}

/// What holds where an experiment names none.
impl Default for CtaOrderSpec {
    fn default() -> Self {
        Self::of(&CTA_ORDERS[0])
    }
}

impl AnyOrder {
    /// The order that `spec` describes, for so many SMs and kernels.
    pub fn new(spec: &CtaOrderSpec, sms: usize, kernels: usize) -> Self {
        (spec.info().make)(spec, sms, kernels)
    }
}

/// Makes the enum of all orders and their catalogue from one list.
macro_rules! orders {
    ($($(#[$only:meta])? $module:ident::$Type:ident,)*) => {
        /// Any of the orders.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)] // each is documented in its own file
        pub enum AnyOrder {
            $($(#[$only])? $Type($module::$Type),)*
            /// One from outside this crate.
            Own(Box<dyn CtaOrder>),
        }

        /// Every order, the one that holds where an experiment names none first.
        pub static CTA_ORDERS: &[CtaOrderInfo] = &[$($(#[$only])? $module::INFO,)*];

        impl CtaOrder for AnyOrder {
            fn remembers(&self) -> bool {
                match self { $($(#[$only])? AnyOrder::$Type(order) => order.remembers(),)* AnyOrder::Own(order) => order.remembers(), }
            }

            fn first_sm(&self) -> u16 {
                match self { $($(#[$only])? AnyOrder::$Type(order) => order.first_sm(),)* AnyOrder::Own(order) => order.first_sm(), }
            }

            fn launch(&mut self, kernel: KernelId, grid: &Grid, sms: u16) {
                match self { $($(#[$only])? AnyOrder::$Type(order) => order.launch(kernel, grid, sms),)* AnyOrder::Own(order) => order.launch(kernel, grid, sms), }
            }

            fn choose(&mut self, offer: &Offer) -> Option<(KernelId, u32)> {
                match self { $($(#[$only])? AnyOrder::$Type(order) => order.choose(offer),)* AnyOrder::Own(order) => order.choose(offer), }
            }

            fn waits(&self, offer: &Offer) -> bool {
                match self { $($(#[$only])? AnyOrder::$Type(order) => order.waits(offer),)* AnyOrder::Own(order) => order.waits(offer), }
            }

            fn finished(&mut self, now: Cycle, sm: u16, kernel: KernelId, cta: u32) {
                match self { $($(#[$only])? AnyOrder::$Type(order) => order.finished(now, sm, kernel, cta),)* AnyOrder::Own(order) => order.finished(now, sm, kernel, cta), }
            }

            fn stolen_from(&self) -> Option<u16> {
                match self { $($(#[$only])? AnyOrder::$Type(order) => order.stolen_from(),)* AnyOrder::Own(order) => order.stolen_from(), }
            }

            fn shares(&self, kernel: KernelId) -> Option<Shares> {
                match self { $($(#[$only])? AnyOrder::$Type(order) => order.shares(kernel),)* AnyOrder::Own(order) => order.shares(kernel), }
            }
        }

        /// The order does not change during a run.
        impl Hash for AnyOrder {
            fn hash<H: Hasher>(&self, state: &mut H) {
                match self { $($(#[$only])? AnyOrder::$Type(order) => order.hash(state),)* AnyOrder::Own(order) => order.hash_state(state), }
            }
        }
    };
}

orders! {
    round_robin::RoundRobin,
    chunk::Chunk,
    reset::Reset,
    flip::Flip,
    steal::Steal,
    dependence::Dependence,
    #[cfg(test)] same_sm::SameSm,
}
