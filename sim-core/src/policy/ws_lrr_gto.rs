//! Warped-Slicer with schedulers that take turns between kernels: round robin over kernels, greedy then oldest within each.
//!
//! # Idea
//! The warp order of Maestro (Park et al., ASPLOS 2017), as CCBP §7.6 compares it. Round robin over kernels keeps one kernel's warps from starving another's, and
//! greedy-then-oldest within a kernel keeps the locality that it has alone. The combination of CTAs is Warped-Slicer's, as in CCBP Fig. 16.
//! # Observes
//! What Warped-Slicer does.
//! # Sets
//! `warp_order`; and what Warped-Slicer does.
//! # Parameters
//! See `docs/schemes/ws-lrr-gto.md`.
//! # Deviations
//! 1. This is not Maestro, which searches for a combination of CTAs while the kernels run: that search is not published where we could read it, and
//!    CCBP compares the warp order only.

use super::spec::PolicySpec;
use super::ws::{self, Ws};
use super::{AnyPolicy, PROFILE_CYCLES, Policy, PolicyInfo};
use crate::seam::controls::{Controls, WarpOrder};
use crate::seam::decision::{Log, decide, topics};
use crate::seam::observation::Needs;
use crate::seam::observation::Observation;
use alloc::format;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "ws+lrr+gto",
    title: "Warped-Slicer with LRR across kernels, GTO within",
    source: "The warp order of Maestro (Park et al., ASPLOS 2017), as CCBP §7.6 compares it",
    doc: "Warped-Slicer's combination of CTAs; schedulers take turns between kernels and are greedy within each, whatever the experiment's warp order",
    params: &[PROFILE_CYCLES, ws::CURVES, ws::COMBINATION, ws::FALLBACK, ws::FALLBACK_LOSS],
    topics: TOPICS,
    check: PolicyInfo::NO_CHECK,
    make: |spec| AnyPolicy::WsLrrGto(WsLrrGto::new(spec)),
};

topics! {
    OrderOfWarps "warp_order", "The order of warps" {
        warp_order: &'static str, "", "As controls write it";
    } => match *warp_order {
        "lrr+gto" => "warps issue in round robin over kernels, greedy then oldest within each".into(),
        other => format!("warps issue in the order {other}"),
    };
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct WsLrrGto {
    ws: Ws,
}

impl Policy for WsLrrGto {
    fn needs(&self) -> Needs {
        self.ws.needs()
    }

    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        self.ws.start(seen, controls, log);
        controls.each_sm(|sm| sm.warp_order = WarpOrder::LrrGto);
        decide(log, seen, None, OrderOfWarps { warp_order: "lrr+gto" });
    }
}

impl WsLrrGto {
    fn new(spec: &PolicySpec) -> Self {
        WsLrrGto { ws: Ws::new(spec) }
    }
}
