//! Reset (R): each SM gets one chunk, and the same one in every launch of the same grid.

use super::chunks::Chunks;
use super::scheme::{CtaOrder, CtaOrderInfo, CtaOrderSpec, Grid, Offer, Shares};
use super::turns::Turns;
use crate::describe::ids::KernelId;
use alloc::vec::Vec;

pub(super) const INFO: CtaOrderInfo = CtaOrderInfo {
    name: "reset",
    source: "IKRA §4.2: the scheduler R",
    doc: "A chunk of the grid to each SM, the first to SM 0: every launch of the same grid runs each CTA on the same SM",
    params: &[],
};

/// The state of this order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Reset {
    turns: Turns,
    chunks: Vec<Chunks>,
}

impl Reset {
    /// The order that `spec` describes, for so many SMs and kernels.
    pub fn new(_: &CtaOrderSpec, sms: usize, kernels: usize) -> Self {
        Reset { turns: Turns::new(sms, kernels), chunks: alloc::vec![Chunks::default(); kernels] }
    }
}

impl CtaOrder for Reset {
    fn launch(&mut self, kernel: KernelId, _grid: &Grid, _sms: u16) {
        self.chunks[kernel.index()].launch(0, false);
    }

    fn shares(&self, kernel: KernelId) -> Option<Shares> {
        Some(self.chunks[kernel.index()].shares())
    }

    fn choose(&mut self, offer: &Offer) -> Option<(KernelId, u32)> {
        self.turns.choose(offer, |kernel| self.chunks[kernel.index()].next(kernel, offer))
    }
}
