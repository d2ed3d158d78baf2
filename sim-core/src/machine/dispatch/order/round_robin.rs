//! Each kernel's CTAs in the order of the grid, whichever SM has room; on each SM the kernels take turns.

use super::{AnyOrder, CtaOrder, CtaOrderInfo, Offer};
use crate::describe::ids::KernelId;
use alloc::vec::Vec;

pub(super) const INFO: CtaOrderInfo = CtaOrderInfo {
    name: "round-robin",
    doc: "CTAs in the order of the grid, to SMs in turn",
    make: |sms, kernels| AnyOrder::RoundRobin(RoundRobin { last: alloc::vec![KernelId(kernels.saturating_sub(1) as u8); sms] }),
};

/// The state of this order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RoundRobin {
    /// The kernel that each SM took last.
    last: Vec<KernelId>,
}

impl CtaOrder for RoundRobin {
    fn choose(&mut self, offer: &Offer) -> Option<(KernelId, u32)> {
        let last = &mut self.last[usize::from(offer.sm)];
        let kernels = offer.grids.len();
        let turn = |kernel: &KernelId| (kernel.index() + kernels - last.index() - 1) % kernels;
        *last = offer.kernels().min_by_key(turn)?;
        Some((*last, offer.grid(*last).waiting().first()?.0))
    }
}
