//! Manual: Controls from outside, set by the page's sliders, a user's function, or an experiment.
//!
//! # Sets
//! Everything that it was given; the rest stays neutral.

use super::{Decision, Log, Policy};
use crate::controls::Controls;
use crate::observation::Observation;

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Manual {
    /// What to set; `None` leaves the controls neutral.
    pub controls: Option<Controls>,
}

impl Policy for Manual {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        if let Some(given) = &self.controls {
            *controls = given.clone();
        }
        log.push(Decision { cycle: seen.now, kernel: None, text: "controls set from outside".into() });
    }
}
