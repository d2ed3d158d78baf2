//! Floor 2: all that passes between a policy and the machine. The policy reads an observation and edits the controls; the machine reads
//! the controls and counts; the policy's decisions are data.

pub mod controls;
pub mod decision;
pub mod event;
pub mod observation;
pub mod ratios;
pub mod shown;
pub mod spec;
pub mod stats;
