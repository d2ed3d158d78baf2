//! Floor 5: what uses runs. Profiles, sweeps, oracles, curves, probes of single parts, figures, errors, files of other tools, GPUs that were measured, and the catalogue of all that can be chosen.

pub mod catalogue;
pub mod curve;
pub mod dependence;
pub mod errors;
pub mod figure;
pub mod foreign;
pub mod oracle;
pub mod prediction;
pub mod probe;
pub mod profile;
pub mod race;
pub mod silicon;
pub mod sweep;
