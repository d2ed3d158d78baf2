//! Floor 4: one run. The experiment says what to run, the simulation runs it, and frame, windows and result show it.

pub mod batches;
pub mod confidence;
pub mod cta_limit;
pub mod cure;
pub mod energy;
pub mod experiment;
pub mod frame;
pub mod interval;
pub mod outcome;
pub mod own;
pub mod plan;
pub mod result;
mod sharing;
mod shown;
pub mod simulation;
pub mod stuck;
pub mod trace;
pub mod trials;
pub mod verdict;
pub mod why;
pub mod windows;
