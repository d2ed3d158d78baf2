//! Corun simulates **one GPU that runs several kernels at once**, cycle by cycle, and lets its user choose which kernel gets which share of
//! it: SMs, CTA slots, warp issue, L1 ways, NoC and DRAM bandwidth.
//!
//! ```text
//! Experiment (data) ── build ──> Simulation ── step ──> Machine ── counters ──> Stats
//!                                     │                    ▲                      │ difference
//!                                     │ interval, event    │ reads                ▼
//!                                     └──> Policy ──edits──> Controls        Observation ──> Policy
//! ```
//!
//! Seven rooms on five floors; each uses only the floors below it:
//!
//! ```text
//! 5  study      profiles, sweeps, oracles, probes of single parts, figures, the catalogue
//! 4  run        one run: experiment, simulation, windows, frame, result, stuck
//! 3  machine    the mechanisms            policy    one file a scheme         (strangers to each other)
//! 3  predict    latency by formula, a stranger to both
//! 2  seam       controls, observation, counters, ratios, decisions
//! 1  describe   values, decoding, errors, names, the GPU, kernels
//! ```
//!
//! Two rules. The machine never calls a policy and never knows which one runs: it reads [`seam::controls::Controls`]. A policy never sees
//! the machine: it reads an [`seam::observation::Observation`] and edits the Controls. So a policy is tested with made-up counters, the
//! page's sliders are one more policy, a snapshot is `clone()`, and `seam/controls/mod.rs` lists all that any policy can do.
//!
//! Words are the field's: a *kernel* is launched as a grid of *CTAs* (thread blocks) of *warps* of 32 threads; a *streaming multiprocessor*
//! (SM) holds CTAs and issues warp instructions; misses of its L1 data cache wait in *MSHRs*, pass a *miss queue* and two crossbars (the
//! *NoC*) to *L2 banks*, and from there to *DRAM channels*.
//!
//! Where to start reading: `machine/mod.rs` (the tick) → `seam/controls/mod.rs` → `policy/even.rs` → `machine/sm/mod.rs` →
//! `machine/l1d/miss_queue.rs` → `run/simulation.rs`.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod describe;
pub mod machine;
pub mod policy;
pub mod predict;
pub mod run;
pub mod seam;
pub mod study;
