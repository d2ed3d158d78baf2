//! An experiment in Rust, field by field: by the same paths as `corun run --set`, read by the same decoder.

use super::{Experiment, VERSION, set_path};
use crate::describe::error::Problems;
use crate::describe::value::Value;

/// An experiment that is being written down.
#[derive(Clone, Debug)]
pub struct Builder {
    written: Value,
    problems: Problems,
}

impl Experiment {
    /// An experiment of these kernels of the library, with the defaults of everything else.
    pub fn of<'k>(kernels: impl IntoIterator<Item = &'k str>) -> Builder {
        let written = Value::object([("corun", Value::from(VERSION)), ("kernels", Value::array(kernels))]);
        Builder { written, problems: Problems::default() }
    }
}

impl Builder {
    /// Sets a field: `gpu`, `policy`, `stop.cycles`, `gpu.sm.count`, `kernels[0].ctas_per_sm`. A field that there is not is a problem of `build`.
    pub fn set(mut self, path: &str, value: impl Into<Value>) -> Builder {
        if let Err(found) = set_path(&mut self.written, path, value.into()) {
            self.problems.0.extend(found.0);
        }
        self
    }

    /// The experiment; on failure, everything that is wrong with it.
    pub fn build(self) -> Result<Experiment, Problems> {
        self.problems.or(())?;
        Experiment::decode(&self.written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_set_by_path_and_what_is_wrong_is_named() {
        let built =
            Experiment::of(["ccbp/BP", "ccbp/CFD"]).set("gpu.sm.count", 4).set("policy", "smk").set("stop.cycles", 900).build().unwrap();
        assert_eq!((built.gpu.sm_count(), built.policy.name(), built.kernels.len()), (4, "smk", 2));
        let wrong = Experiment::of(["ccbp/BP"]).set("kernels[3].qos", 0.5).set("policy", "smok").build().unwrap_err();
        assert_eq!(wrong.0[0].path, "kernels[3].qos");
        let wrong = Experiment::of(["BPP"]).set("policy", "smok").build().unwrap_err();
        assert_eq!(wrong.0.iter().map(|problem| problem.path.as_str()).collect::<alloc::vec::Vec<_>>(), ["kernels[0]", "policy.name"]);
    }
}
