//! Corun simulates one GPU that runs several kernels at once, cycle by cycle, and lets its user choose who gets which share of it.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod controls;
pub mod decode;
pub mod digest;
pub mod error;
pub mod gpu;
pub mod ids;
pub mod kernel;
pub mod machine;
pub mod probe;
pub mod rng;
pub mod stats;
pub mod value;
