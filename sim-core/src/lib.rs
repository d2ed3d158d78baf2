//! Corun simulates **one GPU that runs several kernels at once**, cycle by cycle. Its user chooses which kernel gets which share of it:
//! SMs, CTA slots, warp issue, L1 ways, NoC and DRAM bandwidth.
//!
//! ```
//! use sim_core::{Experiment, run};
//!
//! let experiment = Experiment::of(["ccbp/BP", "ccbp/SAD"]).set("gpu", "tiny-2sm").set("policy", "spatial").set("stop.cycles", 20_000).build()?;
//! let outcome = run(&experiment)?;
//! for kernel in &outcome.kernels {
//!     println!("{} is {:.2} times slower than alone", kernel.name, kernel.slowdown.unwrap_or(f64::NAN));
//! }
//! assert!(outcome.metrics.stp.is_some_and(|stp| stp > 0.5 && stp < 2.0));
//! # Ok::<(), sim_core::Problems>(())
//! ```
//!
//! An [`Experiment`] comes from JSON ([`Experiment::decode`]) or from Rust ([`Experiment::of`]). [`run`] takes it to its end; [`start`] gives a
//! [`Simulation`] that is advanced step by step, copied by `clone`, and asked for its [`Outcome`] at any time. A [`Policy`] or a [`CtaOrder`] of
//! one's own goes in by [`Simulation::with_policy`] and [`Simulation::with_order`]. Everything that is wrong with an input is in [`Problems`],
//! each with its path, what was found and what is wanted.
//!
//! # Inside
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
//! 2  interface  controls, observation, counters, ratios, decisions
//! 1  describe   values, decoding, errors, names, the GPU, kernels
//! ```
//!
//! Two rules. The machine never calls a policy and never knows which one runs: it reads [`interface::controls::Controls`]. A policy never sees
//! the machine: it reads an [`interface::observation::Observation`] and edits the Controls. So a policy is tested with made-up counters, the
//! page's sliders are one more policy, a snapshot is `clone()`, and `interface/controls/mod.rs` lists all that any policy can do.
//!
//! Words are the field's. A *kernel* is launched as a grid of *CTAs* (thread blocks) of *warps* of 32 threads. A *streaming
//! multiprocessor* (SM) holds CTAs and issues warp instructions. Misses of its L1 data cache wait in *MSHRs*, pass a *miss queue* and two
//! crossbars (the *NoC*) to *L2 banks*, and from there go to *DRAM channels*.
//!
//! Where to start reading: `machine/mod.rs` (the tick) → `interface/controls/mod.rs` → `policy/even.rs` → `machine/sm/mod.rs` →
//! `machine/l1d/miss_queue.rs` → `run/simulation.rs`.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

extern crate alloc;
#[cfg(test)]
extern crate std;

// The rooms are no part of the promise: the module, the runner and the tests of this repository reach into them.
#[doc(hidden)]
pub mod describe;
#[doc(hidden)]
pub mod interface;
#[doc(hidden)]
pub mod machine;
#[doc(hidden)]
pub mod policy;
#[doc(hidden)]
pub mod predict;
#[doc(hidden)]
pub mod run;
#[doc(hidden)]
pub mod study;

// What runs.
pub use describe::error::{Problem, Problems};
pub use describe::goal::Goal;
pub use describe::gpu::Gpu;
pub use describe::ids::{Cycle, KernelId, PerKernel};
pub use describe::kernel::{Address, Array, CarveOut, Dim3, Kernel, Launch, List, Op, Repeat, Scatter, Terms, Tile, Trips};
pub use describe::value::Value;
pub use run::cta_limit::CtaLimit;
pub use run::experiment::{Builder, Experiment, KernelUse, Settled, Stop};

// Running it.
pub use run::own::Own;
pub use run::plan::{Plan, Planned, SoloProfiles};
pub use run::simulation::{Reason, Simulation};
pub use study::profile::{run, run_own, start, start_own};

// What comes out.
pub use interface::ratios::{Goals, Latency, Metrics, Occupancy, Rates, Requests, WarpStalls};
pub use interface::stats::{KernelStats, StallCause};
pub use run::energy::{Energy, Parts, Totals};
pub use run::outcome::{ClassOutcome, GpuOutcome, KernelOutcome, OnClass, PolicyOutcome, SettledOutcome, StallShares};
pub use run::result::Outcome;
pub use run::verdict::Verdict;

// A policy or an order of one's own.
pub use interface::controls::{Controls, QuotaCarry, QuotaCharge, QuotaRefill, SmControls, WarpOrder};
pub use interface::decision::{Decided, Decision, Log, Topic, decide};
pub use interface::event::{Event, EventKind, EventKinds};
pub use interface::observation::{Alone, By, Needs, Observation, Profile, Progress};
pub use interface::shown::{Column, Row, Table};
pub use machine::dispatch::grid::Grid;
pub use machine::dispatch::order::{CtaOrder, Offer};
pub use policy::spec::{Member, PolicyInfo};
pub use policy::{OwnPolicy, Policy, PolicySpec, register};

// What there is to choose from, and the format.
pub use describe::record::{Absent, Field, Record, Rule, Shape};
pub use policy::POLICIES;
pub use study::catalogue::{FORMAT, Metric, catalogue, metrics};

// Studies.
pub use predict::answer::Answer;
pub use predict::question::Question;
pub use study::figure::Figure;
pub use study::oracle::Space;
pub use study::probe::{COMPONENTS, CacheProbe, Component, DramProbe, MeshProbe, NocProbe};
pub use study::sweep::{Axis, Point, Sweep};
