//! CTA orders, one file each: which kernel and which of its CTAs go next to an SM with room.
//!
//! A program that uses this crate has its own beside them: it implements `CtaOrder`, and `Simulation::with_order` takes it.
//!
//! To add one here: a file with its type with `new`, `impl CtaOrder` and `INFO` (name, source, what it does, its parameters), and its line in
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
mod scheme;
mod steal;
#[cfg(test)]
mod tests;
mod turns;

pub use self::scheme::{Boxed, ChunkEntry, CtaOrder, CtaOrderInfo, CtaOrderSpec, Grid, Offer, Share, Shares};

use crate::describe::ids::{Cycle, KernelId};
use crate::describe::path::one_near;
use crate::describe::record::{Entries, Names};
use crate::interface::spec::{Entry, Param};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// The names of the orders.
static NAMES: Names = Names {
    names: || CTA_ORDERS.iter().map(|order| order.name).collect(),
    shorter: Vec::new,
    known: |name| CtaOrderInfo::find(name).is_some(),
    want: |name| one_near(name, &CTA_ORDERS.iter().map(|order| order.name).collect::<Vec<_>>()),
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

        impl AnyOrder {
            /// The order that `spec` describes, for so many SMs and kernels.
            pub fn new(spec: &CtaOrderSpec, sms: usize, kernels: usize) -> Self {
                match spec.name() {
                    $($(#[$only])? name if name == $module::INFO.name => AnyOrder::$Type($module::$Type::new(spec, sms, kernels)),)*
                    name => unreachable!("{name} is not in the catalogue"),
                }
            }
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
