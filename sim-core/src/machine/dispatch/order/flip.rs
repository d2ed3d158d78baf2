//! Flip (F): chunks as in `reset`, run from the other end in every other launch: what ran last is still in L1D, and runs first.

use super::chunks::Chunks;
use super::scheme::{CtaOrder, CtaOrderInfo, CtaOrderSpec, Grid, Offer, Shares};
use super::turns::Turns;
use crate::describe::ids::KernelId;
use crate::describe::kernel::Dim3;
use crate::interface::spec::Param;
use alloc::vec::Vec;

pub(super) const INFO: CtaOrderInfo = CtaOrderInfo {
    name: "flip",
    source: "IKRA §4.3: the scheduler F",
    doc: "The chunks of reset, run from the beginning in one launch and from the end in the next: what ran last runs first",
    params: &[Param::flag(
        "anew",
        false,
        "A launch with another grid than the one before begins with the beginning; the paper does not say",
    )],
};

/// The state of this order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Flip {
    turns: Turns,
    kernels: Vec<Flipped>,
    anew: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Flipped {
    chunks: Chunks,
    /// Direction of the launch.
    backward: bool,
    /// Grid of the launch; none before the first.
    grid: Option<Dim3>,
}

impl Flip {
    /// The order that `spec` describes, for so many SMs and kernels.
    pub fn new(spec: &CtaOrderSpec, sms: usize, kernels: usize) -> Self {
        let kernels = alloc::vec![Flipped::default(); kernels];
        Flip { turns: Turns::new(sms, kernels.len()), kernels, anew: spec.flag("anew") }
    }
}

impl CtaOrder for Flip {
    fn launch(&mut self, kernel: KernelId, grid: &Grid, _sms: u16) {
        let of = &mut self.kernels[kernel.index()];
        let first = of.grid.is_none() || self.anew && of.grid != Some(grid.extent);
        of.backward = !first && !of.backward;
        of.grid = Some(grid.extent);
        of.chunks.launch(0, of.backward);
    }

    fn shares(&self, kernel: KernelId) -> Option<Shares> {
        Some(self.kernels[kernel.index()].chunks.shares())
    }

    fn choose(&mut self, offer: &Offer) -> Option<(KernelId, u32)> {
        self.turns.choose(offer, |kernel| self.kernels[kernel.index()].chunks.next(kernel, offer))
    }
}
