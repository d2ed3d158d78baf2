//! Manual: Controls from outside, set by the page's sliders, a user's function, or an experiment.
//!
//! # Sets
//! The given controls; the rest stays neutral.

use super::scheme::{Absent, Member, Param, Policy, PolicyInfo, Shape};
use crate::describe::path::field;
use crate::interface::controls::{CONTROLS_RECORD, Controls};
use crate::interface::decision::{Log, decide, topics};
use crate::interface::observation::Observation;
use alloc::format;

/// The policy as data.
pub const INFO: PolicyInfo = PolicyInfo {
    name: "manual",
    title: "Manual",
    source: "Corun",
    doc: "Controls set from outside: sliders, a function, or an experiment",
    params: &[Param {
        name: "controls",
        shape: Shape::Record(&CONTROLS_RECORD),
        unit: "",
        absent: Absent::Words("neutral"),
        doc: "What to set; what is left out stays neutral",
    }],
    topics: TOPICS,
    check: |spec, mix, problems| {
        let Some(controls) = spec.controls() else { return };
        let (path, channels) = (field(&field(mix.path, "controls"), "channels"), mix.channels as u32);
        if controls.own_channels(mix.kernels, channels) {
            mix.own_channels(&path, problems);
        }
        if controls.split_too_far(mix.kernels) {
            mix.sub_queues(&field(&field(mix.path, "controls"), "miss_queue_split"), problems);
        }
        if let Some([a, b]) = controls.mixed_homes(mix.kernels, channels) {
            let found = format!("kernels {} and {} with some channels in common", a.0, b.0);
            problems.add(path, found, "for each two kernels the same channels, or none in common");
        }
    },
};

topics! {
    FromOutside "controls", "That controls were set from outside" {
    } => "controls set from outside".into();
}

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Manual {
    /// What to set; `None` leaves the controls neutral.
    pub controls: Option<Controls>,
}

impl Manual {
    /// The policy that `spec` describes.
    pub fn new(spec: &Member) -> Self {
        Manual { controls: spec.controls().cloned() }
    }
}

impl Policy for Manual {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        if let Some(given) = &self.controls {
            *controls = given.clone();
        }
        decide(log, seen, None, FromOutside {});
    }
}
