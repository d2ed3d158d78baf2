//! What the whole promises, in one program: each module is a question, and `cargo test --test suite MODULE` asks it alone.
//!
//! A test marked `#[ignore = "full: …"]` costs much and few changes can break it: `cargo xtask test --full` asks it too, and names it otherwise.

mod alone;
mod bad_input;
mod ccbp;
mod conservation;
mod controls;
mod determinism;
mod first_principles;
mod golden;
mod hetero;
mod ikra;
mod kernels;
mod launches;
mod limits;
mod liveness;
mod metamorphic;
mod own;
mod partitions;
mod pins;
mod predict;
mod priority;
mod probes;
mod qos;
mod random;
mod real_gpus;
mod recipes;
mod records;
mod same_bits;
mod schemes;
mod scripts;
mod shares;
mod sm_classes;
mod sweeps;
mod vendors;
mod verdict;
mod wall;
mod why;
