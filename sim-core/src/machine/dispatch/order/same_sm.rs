//! For tests, and as a recipe: each CTA goes to the SM on which it ran in the kernel's previous launch, and waits until there is room.

use super::{AnyOrder, CtaOrder, CtaOrderInfo, Offer};
use crate::describe::ids::KernelId;

pub(super) const INFO: CtaOrderInfo = CtaOrderInfo {
    name: "same-sm",
    source: "",
    doc: "Each CTA where it ran in the previous launch",
    params: &[],
    make: |_, _, _| AnyOrder::SameSm(SameSm),
};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SameSm;

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
