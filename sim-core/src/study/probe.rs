//! Probes: one real component of the machine, driven alone with named traffic, so that its numbers can be compared with theory.
//!
//! A probe runs the same code as the machine. Each takes plain options, and reports everything that is wrong with them at once. It returns
//! an object of figures, with theory's values beside them; a figure without a measurement is null, as is a law that does not apply. The
//! first tenth of the time warms up and is not counted.

mod arrivals;
mod components;
mod drive;
mod given;
mod mesh;
mod options;
mod theory;

pub use self::components::{COMPONENTS, Component, Figure, Preset, range};
pub use self::drive::{cache, dram, noc, unloaded_latency};
pub use self::given::{CachePattern, CacheProbe, DramProbe, DramStream, MeshProbe, NocProbe, Traffic};
pub use self::mesh::mesh;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn timings_by_name() {
        let mut probe = DramProbe::default();
        assert!(probe.set("T", 100) && probe.set("tRFC", 114) && probe.set("columns", 116));
        assert!(!probe.set("tXX", 1) && !probe.set("load", 1));
        assert_eq!((probe.config.timing.T, probe.config.timing.tRFC, probe.config.columns), (100, 114, 116));
    }

    #[test]
    fn every_bad_option_is_named() {
        let found = noc(&NocProbe { inputs: 0, outputs: 65, load: f64::NAN, ..NocProbe::default() }).unwrap_err();
        assert_eq!(found.0.iter().map(|problem| problem.path.as_str()).collect::<Vec<_>>(), ["inputs", "outputs", "load"]);
        let mut bad = DramProbe { load: -1.0, ..DramProbe::default() };
        bad.set("T", 0);
        bad.set("tRP", u32::MAX);
        bad.set("tREFI", 10);
        assert_eq!(dram(&bad).unwrap_err().0.len(), 4);
        assert_eq!(cache(&CacheProbe { size: 0, ways: 0, line: 0, ..CacheProbe::default() }).unwrap_err().0.len(), 3);
    }
}
