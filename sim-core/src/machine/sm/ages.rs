//! The CTAs of a scheduler by age: which of them is the oldest with a warp in a set.

use super::lanes::LANES;
use crate::machine::derived::Derived;
use core::hash::{Hash, Hasher};

/// CTAs that are looked at together.
const GROUP: usize = 4;

/// Groups that are always looked at: seldom does a scheduler hold more.
const USUAL: usize = 4;

/// The warps of each CTA, the oldest CTA first; hashed as a `Vec` of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ages {
    ctas: [[u64; GROUP]; LANES / GROUP],
    count: u8,
    /// The warps of each group.
    groups: Derived<[u64; LANES / GROUP]>,
}

impl Default for Ages {
    /// No CTA.
    fn default() -> Self {
        Ages { ctas: [[0; GROUP]; LANES / GROUP], count: 0, groups: Derived([0; LANES / GROUP]) }
    }
}

impl Hash for Ages {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.ctas.as_flattened()[..self.count.into()].hash(state);
    }
}

impl Ages {
    /// Adds the youngest CTA.
    pub fn push(&mut self, warps: u64) {
        let at = usize::from(self.count);
        self.ctas[at / GROUP][at % GROUP] = warps;
        self.groups[at / GROUP] |= warps;
        self.count += 1;
    }

    /// Takes out warps, all but those of `stay`, and CTAs that have none left.
    pub fn retain(&mut self, stay: u64) {
        let before = core::mem::take(self);
        for warps in before.ctas.as_flattened()[..before.count.into()].iter().map(|warps| warps & stay).filter(|&warps| warps != 0) {
            self.push(warps);
        }
    }

    /// Those of `warps`, which are here, that are of the oldest CTA that has any: without a branch on where that stands, which is hard to predict.
    #[inline(always)]
    pub fn oldest(&self, warps: u64) -> u64 {
        let many = usize::from(self.count) > GROUP * USUAL;
        let group = if many { first_of(&self.groups[..], warps) } else { first_of(&self.groups[..USUAL], warps) };
        let ctas = &self.ctas[group % (LANES / GROUP)];
        ctas.iter().rev().fold(0, |younger, cta| if cta & warps != 0 { cta & warps } else { younger })
    }
}

/// Which set is the first that has any of `warps`.
#[inline(always)]
fn first_of(sets: &[u64], warps: u64) -> usize {
    (0..sets.len()).rev().fold(0, |later, n| if sets[n] & warps != 0 { n } else { later })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::rng::{below, mix};
    use alloc::vec::Vec;

    /// Random CTAs come and go, few and many, against a plain list.
    #[test]
    fn the_oldest_cta_is_found_among_few_and_many() {
        let (mut ages, mut list): (Ages, Vec<u64>) = (Ages::default(), Vec::new());
        for step in 0..4000 {
            let draw = |n, limit| below(mix(mix(11, step), n), limit);
            let free = !list.iter().fold(0, |all, warps| all | warps);
            let lane = 1 << draw(0, 64);
            let grows = if step / 500 % 2 == 0 { 3 } else { 1 };
            if free & lane != 0 && draw(1, 4) < grows {
                list.push(lane);
                ages.push(lane);
            } else {
                let stay = !(1 << draw(2, 64));
                list.iter_mut().for_each(|warps| *warps &= stay);
                list.retain(|&warps| warps != 0);
                ages.retain(stay);
            }
            let asked = mix(step, 7) & list.iter().fold(0, |all, warps| all | warps);
            let oldest = list.iter().map(|warps| warps & asked).find(|&found| found != 0).unwrap_or(0);
            assert_eq!(ages.oldest(asked), oldest, "step {step}: {} CTAs", list.len());
        }
    }
}
