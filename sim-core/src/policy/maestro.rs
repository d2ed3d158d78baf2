//! Maestro's warp order for kernels that share an SM: round robin over kernels, greedy then oldest within each.
//!
//! # Idea
//! Park et al., ASPLOS 2017, as far as CCBP §7.6 evaluates it. Round robin over kernels keeps one kernel's warps from starving another's, and
//! greedy-then-oldest within a kernel keeps the locality that it has alone. The combination of CTAs is Warped-Slicer's, as in CCBP Fig. 16.
//! # Observes
//! What Warped-Slicer does.
//! # Sets
//! `warp_order`; and what Warped-Slicer does.
//! # Parameters
//! See `docs/schemes/maestro.md`.
//! # Deviations
//! 1. Maestro's own search for a combination of CTAs while the kernels run is not here: CCBP does not describe it and compares the warp order only.

use super::spec::PolicySpec;
use super::ws::{self, Ws};
use super::{AnyPolicy, PROFILE_CYCLES, Policy, PolicyInfo};
use crate::seam::controls::{Controls, WarpOrder};
use crate::seam::decision::{Decided, Log, decide};
use crate::seam::observation::Needs;
use crate::seam::observation::Observation;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "maestro",
    title: "Maestro: LRR across kernels, GTO within",
    source: "Park et al., ASPLOS 2017, as CCBP §7.6 compares it",
    doc: "Warped-Slicer's combination of CTAs; schedulers take turns between kernels and are greedy within each, whatever the experiment's warp order",
    params: &[PROFILE_CYCLES, ws::CURVES, ws::COMBINATION, ws::FALLBACK, ws::FALLBACK_LOSS],
    check: PolicyInfo::NO_CHECK,
    make: |spec| AnyPolicy::Maestro(Maestro::new(spec)),
};

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Maestro {
    ws: Ws,
}

impl Policy for Maestro {
    fn needs(&self) -> Needs {
        self.ws.needs()
    }

    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        self.ws.start(seen, controls, log);
        controls.each_sm(|sm| sm.warp_order = WarpOrder::LrrGto);
        decide(log, seen, None, Decided::WarpOrder { warp_order: "lrr+gto" });
    }
}

impl Maestro {
    fn new(spec: &PolicySpec) -> Self {
        Maestro { ws: Ws::new(spec) }
    }
}
