//! CTA orders, one file each: which kernel and which of its CTAs go next to an SM with room.
//!
//! To add one: a file with its type, `impl CtaOrder` and `INFO` (name, what it does, how it is made), and its line in `orders!`. The
//! experiment's field `cta_order`, its schema and the catalogue follow.

mod round_robin;
#[cfg(test)]
mod same_sm;

use super::grid::Grid;
use crate::describe::gpu::occupancy::Resources;
use crate::describe::ids::KernelId;
use core::hash::{Hash, Hasher};

/// An SM with room, and what may go there.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// The SM's number.
    pub sm: u16,
    /// SMs of the GPU.
    pub sms: u16,
    /// What the SM has left.
    pub room: Resources,
    /// Kernels that pass the dispatcher's filter on this SM, a bit each: at least one.
    pub allowed: u8,
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
}

/// A CTA order.
pub trait CtaOrder {
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

    /// A CTA has finished on `sm`.
    fn finished(&mut self, _sm: u16, _kernel: KernelId, _cta: u32) {}
}

/// An order of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct CtaOrderInfo {
    /// Name in experiments.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Makes it, for so many SMs and kernels.
    pub make: fn(usize, usize) -> AnyOrder,
}

impl PartialEq for CtaOrderInfo {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// Makes the enum of all orders and their catalogue from one list.
macro_rules! orders {
    ($($(#[$only:meta])? $module:ident::$Type:ident,)*) => {
        /// Any of the orders.
        #[derive(Clone, PartialEq, Eq, Debug)]
        #[allow(missing_docs)] // each is documented in its own file
        pub enum AnyOrder {
            $($(#[$only])? $Type($module::$Type),)*
        }

        /// Every order, the one that holds where an experiment names none first.
        pub static CTA_ORDERS: &[CtaOrderInfo] = &[$($(#[$only])? $module::INFO,)*];

        impl CtaOrder for AnyOrder {
            fn remembers(&self) -> bool {
                match self { $($(#[$only])? AnyOrder::$Type(order) => order.remembers(),)* }
            }

            fn first_sm(&self) -> u16 {
                match self { $($(#[$only])? AnyOrder::$Type(order) => order.first_sm(),)* }
            }

            fn launch(&mut self, kernel: KernelId, grid: &Grid, sms: u16) {
                match self { $($(#[$only])? AnyOrder::$Type(order) => order.launch(kernel, grid, sms),)* }
            }

            fn choose(&mut self, offer: &Offer) -> Option<(KernelId, u32)> {
                match self { $($(#[$only])? AnyOrder::$Type(order) => order.choose(offer),)* }
            }

            fn finished(&mut self, sm: u16, kernel: KernelId, cta: u32) {
                match self { $($(#[$only])? AnyOrder::$Type(order) => order.finished(sm, kernel, cta),)* }
            }
        }

        /// The order does not change during a run.
        impl Hash for AnyOrder {
            fn hash<H: Hasher>(&self, state: &mut H) {
                match self { $($(#[$only])? AnyOrder::$Type(order) => order.hash(state),)* }
            }
        }
    };
}

orders! {
    round_robin::RoundRobin,
    #[cfg(test)] same_sm::SameSm,
}
