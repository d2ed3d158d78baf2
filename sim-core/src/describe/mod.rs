//! Floor 1: what describes a run before it starts. Values and their decoding, errors, names, the GPU, kernels and their goals.

pub mod decode;
pub mod digest;
pub mod error;
pub mod goal;
pub mod gpu;
pub mod ids;
pub mod kernel;
pub mod record;
pub mod rng;
pub mod value;
