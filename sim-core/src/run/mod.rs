//! Floor 4: one run. The experiment that says what is run, the simulation that runs it, and what there is to see of it.

pub mod experiment;
pub mod frame;
pub mod plan;
pub mod result;
pub mod simulation;
pub mod stuck;
pub mod windows;
