//! Schedulers that take turns between kernels: round robin over kernels, greedy then oldest within each.
//!
//! # Idea
//! The warp order of Maestro (Park et al., ASPLOS 2017), as CCBP §7.6 compares it. Round robin over kernels keeps one kernel's warps from starving another's, and
//! greedy-then-oldest within a kernel keeps the locality that it has alone.
//! # Observes
//! Nothing.
//! # Sets
//! `warp_order`.
//! # Parameters
//! See `docs/reference/schemes/lrr-gto.md`.
//! # Deviations
//! 1. This is not Maestro, which searches for a combination of CTAs while the kernels run: that search is not published where we could read it, and
//!    CCBP compares the warp order only.

use super::scheme::{Member, Policy, PolicyInfo};
use crate::interface::controls::{Controls, WarpOrder};
use crate::interface::decision::{Log, decide, topics};
use crate::interface::observation::Observation;
use alloc::format;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "lrr+gto",
    title: "LRR + GTO: across kernels and within",
    source: "The warp order of Maestro (Park et al., ASPLOS 2017), as CCBP §7.6 compares it",
    doc: "Schedulers take turns between kernels and are greedy within each, whatever the experiment's warp order",
    params: &[],
    topics: TOPICS,
    check: PolicyInfo::NO_CHECK,
};

topics! {
    OrderOfWarps "warp_order", "The order of warps" {
        warp_order: &'static str, "", "As controls write it";
    } => match *warp_order {
        "lrr+gto" => "warps issue in round robin over kernels, greedy then oldest within each".into(),
        other => format!("warps issue in the order {other}"),
    };
}

/// It remembers nothing.
#[derive(Clone, PartialEq, Debug)]
pub struct LrrGto;

impl LrrGto {
    /// The policy that `spec` describes.
    pub fn new(_: &Member) -> Self {
        LrrGto
    }
}

impl Policy for LrrGto {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        controls.each_sm(|sm| sm.warp_order = WarpOrder::LrrGto);
        decide(log, seen, None, OrderOfWarps { warp_order: "lrr+gto" });
    }
}
