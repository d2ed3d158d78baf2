//! A policy and a CTA order of the caller's own, in place of those that an experiment names.

use crate::machine::dispatch::order::CtaOrder;
use crate::policy::Policy;
use alloc::boxed::Box;

/// What a run takes from its caller in place of what its experiment names. The experiment's `config_hash` says nothing of it.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// The policy; none for the experiment's.
    pub policy: Option<Box<dyn Policy>>,
    /// The CTA order; none for the experiment's.
    pub cta_order: Option<Box<dyn CtaOrder>>,
}
