//! Sharing schemes, one file each: `ls policy/` is the list. A policy is a small state machine that reads an `Observation` when the run
//! begins and at its own intervals, edits the `Controls`, and says why. It sees nothing of the machine.
//!
//! A program that uses this crate has its own beside them: it implements `Policy`, and `Simulation::with_policy` takes it.
//!
//! To add one here: a file with its type with `new`, `impl Policy` and `INFO` (name and parameters), and its line in `registry.rs`.

mod bmi;
mod ccbp;
mod ctas;
mod even;
mod fixed;
mod green_context;
mod hetero;
mod leftover;
#[cfg(test)]
pub(crate) mod listener;
mod lrr_gto;
mod manual;
mod mig;
mod mil;
mod mps;
mod priority;
mod qos;
mod registry;
mod samples;
mod scheme;
pub mod script;
mod smk;
mod spart;
mod spatial;
pub mod spec;
mod tcm;
mod time_slice;
mod ucp;
pub mod words;
mod ws;

pub use self::ccbp::{NOC_SUSTAINABLE, allocation, allocation_form};
pub use self::registry::{AnyPolicy, OwnPolicy, POLICIES, all, register, topics};
pub use self::scheme::{Boxed, Policy, PolicyInfo};
pub use self::spec::PolicySpec;
