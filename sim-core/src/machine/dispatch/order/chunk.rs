//! Chunk (C): each SM gets one chunk, the first of them the SM after the one that finished last in the launch before.

use super::chunks::Chunks;
use super::last::{DRAW_TIES, Last};
use super::scheme::{CtaOrder, CtaOrderInfo, CtaOrderSpec, Grid, Offer, Shares};
use super::turns::Turns;
use crate::describe::ids::{Cycle, KernelId};
use alloc::vec::Vec;

pub(super) const INFO: CtaOrderInfo = CtaOrderInfo {
    name: "chunk",
    source: "IKRA §4.1: the scheduler C",
    doc: "A chunk of the grid to each SM, the first to the SM after the one that finished last. An SM that has done its chunk waits for the next launch",
    params: &[DRAW_TIES],
};

/// The state of this order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Chunk {
    turns: Turns,
    chunks: Vec<Chunks>,
    /// SM that finished a CTA of each kernel last.
    last: Vec<Last>,
}

impl Chunk {
    /// The order that `spec` describes, for so many SMs and kernels.
    pub fn new(spec: &CtaOrderSpec, sms: usize, kernels: usize) -> Self {
        let chunks = alloc::vec![Chunks::default(); kernels];
        Chunk { turns: Turns::new(sms, kernels), chunks, last: alloc::vec![Last::of(sms, spec.flag("draw_ties")); kernels] }
    }
}

impl CtaOrder for Chunk {
    fn launch(&mut self, kernel: KernelId, _grid: &Grid, sms: u16) {
        let kernel = kernel.index();
        self.chunks[kernel].launch(self.last[kernel].next(sms), false);
    }

    fn shares(&self, kernel: KernelId) -> Option<Shares> {
        Some(self.chunks[kernel.index()].shares())
    }

    fn choose(&mut self, offer: &Offer) -> Option<(KernelId, u32)> {
        self.turns.choose(offer, |kernel| self.chunks[kernel.index()].next(kernel, offer))
    }

    fn finished(&mut self, now: Cycle, sm: u16, kernel: KernelId, _cta: u32) {
        self.last[kernel.index()].finished(now, sm);
    }
}
