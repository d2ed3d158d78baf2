//! The papers, a folder beside this file each. It has the paper's claims, what is run for them, its figures, and what people found out
//! about them. It has at most one file of code, for what no form of a measure can say.
//!
//! To add one: the folder, and its line in `papers!`.

use crate::engine::measures::Code;
use crate::engine::paper::study::Study;
use crate::{ccbp, hetero, ikra, interference, latency, qos};
use sim_core::describe::error::Problems;

/// A paper as data, and its own code.
#[derive(Debug)]
pub struct Paper {
    /// Its folder, and what `--paper` calls it.
    pub name: &'static str,
    /// How long it takes on two cores, for people.
    pub time: &'static str,
    pub(crate) claims: &'static str,
    pub(crate) study: &'static str,
    pub(crate) figures: &'static str,
    pub(crate) causes: &'static str,
    pub(crate) code: Code,
}

impl Paper {
    /// Its title.
    pub fn title(&self) -> Result<String, Problems> {
        Ok(Study::read(self.study, "full")?.title)
    }
}

macro_rules! papers {
    ($($name:literal $time:literal: $code:expr,)*) => {
        &[$(Paper {
            name: $name,
            time: $time,
            claims: include_str!(concat!($name, "/claims.toml")),
            study: include_str!(concat!($name, "/study.toml")),
            figures: include_str!(concat!($name, "/figures.toml")),
            causes: include_str!(concat!($name, "/causes.toml")),
            code: $code,
        },)*]
    };
}

/// Every paper.
pub static PAPERS: &[Paper] = papers! {
    "ccbp" "45 minutes; --quick 10": ccbp::CODE,
    "qos" "an hour and a half; --sample 20 minutes": qos::CODE,
    "hetero" "an hour and a quarter; --sample 25 minutes": hetero::CODE,
    "latency" "half an hour": latency::CODE,
    "ikra" "half an hour": ikra::CODE,
    "interference" "a quarter of an hour": interference::CODE,
};
