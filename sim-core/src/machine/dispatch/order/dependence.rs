//! Each CTA goes to the SM that ran, in the launch before, the CTA whose data it reads: an affine function of its number.

use super::chunks::deal;
use super::scheme::{CtaOrder, CtaOrderInfo, CtaOrderSpec, Grid, Offer};
use super::turns::Turns;
use crate::describe::ids::{KernelId, Set};
use crate::interface::spec::Param;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

pub(super) const INFO: CtaOrderInfo = CtaOrderInfo {
    name: "dependence",
    source: "IKRA §8: affine dependences",
    doc: "CTA i goes to the SM that ran CTA a·i + b of the launch before. Where there is none, and in the first launch, it goes as in reset",
    params: &[
        Param::int("a", (-1024, 1024), 1, "CTAs for each CTA", "The factor of the dependence"),
        Param::int("b", (-(1 << 24), 1 << 24), 0, "CTAs", "The offset of the dependence"),
    ],
};

/// The state of this order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Dependence {
    turns: Turns,
    a: i64,
    b: i64,
    /// Of each kernel, the CTAs that each SM has before it; none before the launch's first CTA is placed.
    homes: Vec<Vec<VecDeque<u32>>>,
}

impl Dependence {
    /// The CTAs of the launch by SM, each SM's in ascending order.
    fn at_home(&self, grid: &Grid, open: Set, sms: u16) -> Vec<VecDeque<u32>> {
        let mut homes = alloc::vec![VecDeque::new(); sms.into()];
        let chunks = deal(grid.ctas, open, sms, 0);
        for (sm, chunk) in chunks.iter().enumerate() {
            for cta in chunk.first..chunk.end {
                let producer = usize::try_from(self.a * i64::from(cta) + self.b).ok();
                let ran_on = producer.and_then(|producer| grid.ran_on().get(producer)).filter(|&&sm| open.contains(sm.into()));
                homes[ran_on.map_or(sm, |&sm| sm.into())].push_back(cta);
            }
        }
        homes.iter_mut().for_each(|ctas| ctas.make_contiguous().sort_unstable());
        homes
    }
}

impl Dependence {
    /// The order that `spec` describes, for so many SMs and kernels.
    pub fn new(spec: &CtaOrderSpec, sms: usize, kernels: usize) -> Self {
        let homes = alloc::vec![Vec::new(); kernels];
        Dependence { turns: Turns::new(sms, kernels), a: spec.int("a"), b: spec.int("b"), homes }
    }
}

impl CtaOrder for Dependence {
    fn remembers(&self) -> bool {
        true
    }

    fn launch(&mut self, kernel: KernelId, _grid: &Grid, _sms: u16) {
        self.homes[kernel.index()].clear();
    }

    fn choose(&mut self, offer: &Offer) -> Option<(KernelId, u32)> {
        for kernel in offer.kernels() {
            if self.homes[kernel.index()].is_empty() {
                self.homes[kernel.index()] = self.at_home(offer.grid(kernel), offer.open[kernel.index()], offer.sms);
            }
        }
        self.turns.choose(offer, |kernel| offer.own_or_closed(kernel, |sm| self.homes[kernel.index()][sm].pop_front()))
    }
}
