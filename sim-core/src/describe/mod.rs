//! Floor 1: what describes a run before it starts. Values, records of the format, problems and their paths, names, the GPU, kernels and
//! their goals.

pub mod digest;
pub mod error;
pub mod goal;
pub mod gpu;
pub mod ids;
mod json;
pub mod kernel;
pub mod path;
pub mod record;
pub mod recorded;
pub mod rng;
pub mod scale;
pub mod value;
pub mod warp_order;
