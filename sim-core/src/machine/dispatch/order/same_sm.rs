//! For tests, and as a recipe: each CTA goes to the SM on which it ran in the kernel's previous launch, and waits until there is room.

use super::scheme::{CtaOrder, CtaOrderInfo, CtaOrderSpec, Offer};
use crate::describe::ids::KernelId;

pub(super) const INFO: CtaOrderInfo =
    CtaOrderInfo { name: "same-sm", source: "", doc: "Each CTA where it ran in the previous launch", params: &[] };

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SameSm;

impl SameSm {
    /// The order that `spec` describes, for so many SMs and kernels.
    pub fn new(_: &CtaOrderSpec, _: usize, _: usize) -> Self {
        SameSm
    }
}

impl CtaOrder for SameSm {
    fn remembers(&self) -> bool {
        true
    }

    fn choose(&mut self, offer: &Offer) -> Option<(KernelId, u32)> {
        let cta_of = |kernel: KernelId| {
            let grid = offer.grid(kernel);
            let mut waiting = grid.waiting().iter().flat_map(|&(first, end)| first..end);
            Some((kernel, waiting.find(|&cta| grid.ran_on().get(cta as usize).is_none_or(|&sm| sm == offer.sm))?))
        };
        offer.kernels().find_map(cta_of)
    }
}
