//! The papers that Corun reproduces: what each claims, what is run and measured for it, how it is judged, and a report of it all.
//!
//! The runner links this crate for `corun reproduce`; sim-core does not know it.

mod catalogue;
mod ccbp;
mod engine;
mod hetero;
mod ikra;
mod interference;
mod latency;
mod qos;
mod reproduction;

pub use catalogue::{PAPERS, Paper};
pub use reproduction::{Chosen, Reproduction};
