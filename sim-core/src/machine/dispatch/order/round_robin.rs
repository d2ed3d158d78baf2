//! Each kernel's CTAs in the order of the grid, whichever SM has room; on each SM the kernels take turns.

use super::last::{DRAW_TIES, Last};
use super::scheme::{CtaOrder, CtaOrderInfo, CtaOrderSpec, Grid, Offer};
use super::turns::Turns;
use crate::describe::ids::{Cycle, KernelId};
use crate::interface::spec::Param;

pub(super) const INFO: CtaOrderInfo = CtaOrderInfo {
    name: "round-robin",
    source: "IKRA §2.2: the baseline G",
    doc: "CTAs in the order of the grid, to SMs in turn",
    params: &[
        Param::flag(
            "after_last",
            false,
            "A launch begins at the SM after the one that finished the last CTA before it, rather than at SM 0. With several kernels at once: the last CTA of any",
        ),
        DRAW_TIES,
    ],
};

/// The state of this order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RoundRobin {
    turns: Turns,
    after: Option<AfterLast>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct AfterLast {
    last: Last,
    /// SM that is offered room first.
    first: u16,
}

impl RoundRobin {
    /// The order that `spec` describes, for so many SMs and kernels.
    pub fn new(spec: &CtaOrderSpec, sms: usize, kernels: usize) -> Self {
        let after = spec.flag("after_last").then_some(AfterLast { last: Last::of(sms, spec.flag("draw_ties")), first: 0 });
        RoundRobin { turns: Turns::new(sms, kernels), after }
    }
}

impl CtaOrder for RoundRobin {
    fn first_sm(&self) -> u16 {
        self.after.as_ref().map_or(0, |after| after.first)
    }

    fn launch(&mut self, _kernel: KernelId, _grid: &Grid, sms: u16) {
        if let Some(after) = &mut self.after {
            after.first = after.last.next(sms);
        }
    }

    fn choose(&mut self, offer: &Offer) -> Option<(KernelId, u32)> {
        self.turns.choose(offer, |kernel| Some(offer.grid(kernel).waiting().first()?.0))
    }

    fn finished(&mut self, now: Cycle, sm: u16, _kernel: KernelId, _cta: u32) {
        if let Some(after) = &mut self.after {
            after.last.finished(now, sm);
        }
    }
}
