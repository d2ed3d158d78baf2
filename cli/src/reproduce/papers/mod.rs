//! The papers: a folder in examples/papers each, with its claims, what is run for them, its figures, and what people found out about them,
//! and at most one file of code here, for what no form of a measure can say.
//!
//! To add one: the folder, and its line in `papers!`.

mod ccbp;
mod hetero;
mod ikra;
mod latency;
mod qos;

use super::measure::Function;
use sim_core::describe::value::Value;

/// A paper as data, and its own code.
#[derive(Debug)]
pub struct Paper {
    /// Its folder, and what `--paper` calls it.
    pub name: &'static str,
    pub claims: &'static str,
    pub study: &'static str,
    pub figures: &'static str,
    pub causes: &'static str,
    /// Earlier reports.
    pub history: &'static str,
    pub code: Code,
}

/// What a paper's own file has.
#[derive(Debug)]
pub struct Code {
    /// What measures `call`, by name.
    pub functions: &'static [(&'static str, Function)],
    /// Adds the paper's own figures to the result of a run.
    pub complete: fn(&mut Value),
}

impl Code {
    /// For a paper that needs none.
    #[cfg(test)]
    pub const NONE: Code = Code { functions: &[], complete: |_| {} };

    /// The function of a name.
    pub fn find(&self, name: &str) -> Option<Function> {
        self.functions.iter().find(|function| function.0 == name).map(|function| function.1)
    }
}

macro_rules! papers {
    ($($name:literal: $code:expr,)*) => {
        &[$(Paper {
            name: $name,
            claims: include_str!(concat!("../../../../examples/papers/", $name, "/claims.toml")),
            study: include_str!(concat!("../../../../examples/papers/", $name, "/study.toml")),
            figures: include_str!(concat!("../../../../examples/papers/", $name, "/figures.toml")),
            causes: include_str!(concat!("../../../../examples/papers/", $name, "/causes.toml")),
            history: include_str!(concat!("../../../../examples/papers/", $name, "/history.toml")),
            code: $code,
        },)*]
    };
}

/// Every paper.
pub static PAPERS: &[Paper] = papers! {
    "ccbp": ccbp::CODE,
    "qos": qos::CODE,
    "hetero": hetero::CODE,
    "latency": latency::CODE,
    "ikra": ikra::CODE,
};
