//! Corun simulates **one GPU that runs several kernels at once**, cycle by cycle, and lets its user choose who gets which share of it:
//! SMs, CTA slots, warp issue, L1 ways, NoC and DRAM bandwidth.
//!
//! ```text
//! Experiment (data) ── build ──> Simulation ── step ──> Machine ── counters ──> Stats
//!                                     │                    ▲                      │ difference
//!                                     │ interval, event    │ reads                ▼
//!                                     └──> Policy ──edits──> Controls        Observation ──> Policy
//! ```
//!
//! Two rules. The machine never calls a policy and never knows which one runs: it reads [`controls::Controls`]. A policy never sees the
//! machine: it reads an [`observation::Observation`] and edits the Controls. So a policy is tested with made-up counters, the page's
//! sliders are one more policy, a snapshot is `clone()`, and who has read `controls.rs` knows all that any policy can do.
//!
//! Words are the field's: a *kernel* is launched as a grid of *CTAs* (thread blocks) of *warps* of 32 threads; a *streaming multiprocessor*
//! (SM) holds CTAs and issues warp instructions; misses of its L1 data cache wait in *MSHRs*, pass a *miss queue* and two crossbars (the
//! *NoC*) to *L2 banks*, and from there to *DRAM channels*.
//!
//! Where to start reading: `machine/mod.rs` (the tick) → `controls.rs` → `policy/even.rs` → `machine/sm/mod.rs` →
//! `machine/cache/miss_queue.rs` → `simulation.rs`.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod catalogue;
pub mod controls;
pub mod decode;
pub mod digest;
pub mod error;
pub mod experiment;
pub mod figure;
pub mod frame;
pub mod gpu;
pub mod ids;
pub mod kernel;
pub mod machine;
pub mod observation;
pub mod oracle;
pub mod policy;
pub mod probe;
pub mod profile;
pub mod report;
pub mod rng;
pub mod simulation;
pub mod stats;
pub mod stuck;
pub mod sweep;
pub mod value;
pub mod windows;
