//! Kernels take turns on each SM.

use super::scheme::Offer;
use crate::describe::ids::KernelId;
use alloc::vec::Vec;

/// The kernel that each SM took last.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Turns(Vec<KernelId>);

impl Turns {
    /// Kernel 0 is first everywhere.
    pub fn new(sms: usize, kernels: usize) -> Self {
        Turns(alloc::vec![KernelId(kernels.saturating_sub(1) as u8); sms])
    }

    /// The CTA that `next` has of the kernel whose turn it is on the SM; without one, it is the next kernel's turn.
    pub fn choose(&mut self, offer: &Offer, mut next: impl FnMut(KernelId) -> Option<u32>) -> Option<(KernelId, u32)> {
        let last = &mut self.0[usize::from(offer.sm)];
        let kernels = offer.grids.len() as u8;
        let turns = (1..=kernels).map(|step| KernelId((last.0 + step) % kernels));
        let (kernel, cta) = turns.filter(|kernel| offer.allowed >> kernel.0 & 1 == 1).find_map(|kernel| Some((kernel, next(kernel)?)))?;
        *last = kernel;
        Some((kernel, cta))
    }
}
