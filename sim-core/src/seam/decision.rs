//! What a policy decided, for the result and the page's timeline.

use crate::describe::ids::{Cycle, KernelId};
use crate::seam::observation::Observation;
use alloc::string::String;
use alloc::vec::Vec;

/// Something that a policy decided, for the result and the page's timeline.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Decision {
    /// When.
    pub cycle: Cycle,
    /// About which kernel, if about one.
    pub kernel: Option<KernelId>,
    /// What and why, as a sentence.
    pub text: String,
}

/// The policy's log of decisions.
pub type Log = Vec<Decision>;

/// Writes down a decision about a kernel.
pub fn decide(log: &mut Log, seen: &Observation, kernel: KernelId, text: String) {
    log.push(Decision { cycle: seen.now, kernel: Some(kernel), text });
}
