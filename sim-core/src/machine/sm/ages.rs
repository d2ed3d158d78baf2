//! The warps of a scheduler by age: which of a set is the oldest. Of a CTA, it is the one in the lowest lane.

use super::lanes::LANES;
use crate::machine::derived::Derived;
use crate::machine::noc::members;
use core::hash::{Hash, Hasher};
use core::hint::select_unpredictable;

/// The warps of each CTA, the oldest CTA first; hashed as a `Vec` of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ages {
    ctas: [u64; LANES],
    count: u8,
    /// Of the warp in each lane, the older ones; lanes without a warp may be among them.
    older: Derived<[u64; LANES]>,
}

impl Default for Ages {
    /// No CTA.
    fn default() -> Self {
        Ages { ctas: [0; LANES], count: 0, older: Derived([0; LANES]) }
    }
}

impl Hash for Ages {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.ctas().hash(state);
    }
}

impl Ages {
    fn ctas(&self) -> &[u64] {
        &self.ctas[..self.count.into()]
    }

    /// Adds the youngest CTA.
    pub fn push(&mut self, warps: u64) {
        let here = self.ctas().iter().fold(0, |all, cta| all | cta);
        for lane in members(here, false) {
            self.older[lane as usize] &= !warps;
        }
        for lane in members(warps, false) {
            self.older[lane as usize] = here | warps & ((1 << lane) - 1);
        }
        self.ctas[usize::from(self.count)] = warps;
        self.count += 1;
    }

    /// Takes out warps, all but those of `stay`, and CTAs that have none left.
    pub fn retain(&mut self, stay: u64) {
        let mut kept = 0;
        for at in 0..usize::from(self.count) {
            self.ctas[kept] = self.ctas[at] & stay;
            kept += usize::from(self.ctas[kept] != 0);
        }
        self.ctas[kept..usize::from(self.count)].fill(0);
        self.count = kept as u8;
    }

    /// The lane of the youngest of `warps`, which are here.
    #[inline(never)] // few runs ask
    pub fn youngest(&self, warps: u64) -> u32 {
        let cta = self.ctas().iter().rev().map(|cta| cta & warps).find(|&warps| warps != 0).unwrap_or(1);
        63 - cta.leading_zeros()
    }

    /// The lane of the oldest of `warps`, which are here. Few are asked for at once: the first step, which no branch depends on, finds most.
    #[inline(always)]
    pub fn oldest(&self, warps: u64) -> u32 {
        let first = warps.trailing_zeros() % LANES as u32;
        let older = self.older[first as usize] & warps;
        let mut lane = select_unpredictable(older != 0, older.trailing_zeros(), first) % LANES as u32;
        loop {
            let older = self.older[lane as usize] & warps;
            if older == 0 {
                return lane;
            }
            lane = older.trailing_zeros() % LANES as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::rng::{below, mix};
    use alloc::vec::Vec;

    /// Random CTAs come and go, few and many, against a plain list.
    #[test]
    fn the_oldest_warp_is_found_among_few_and_many() {
        let (mut ages, mut list): (Ages, Vec<u64>) = (Ages::default(), Vec::new());
        for step in 0..4000 {
            let draw = |n, limit| below(mix(mix(11, step), n), limit);
            let free = !list.iter().fold(0, |all, warps| all | warps);
            let warps = (1 << draw(0, 64) | 1 << draw(3, 64)) & free;
            let grows = if step / 500 % 2 == 0 { 3 } else { 1 };
            if warps != 0 && draw(1, 4) < grows {
                list.push(warps);
                ages.push(warps);
            } else {
                let stay = !(1 << draw(2, 64));
                list.iter_mut().for_each(|warps| *warps &= stay);
                list.retain(|&warps| warps != 0);
                ages.retain(stay);
            }
            let asked = mix(step, 7) & list.iter().fold(0, |all, warps| all | warps);
            if let Some(oldest) = list.iter().map(|warps| warps & asked).find(|&found| found != 0) {
                assert_eq!(ages.oldest(asked), oldest.trailing_zeros(), "step {step}: {} CTAs", list.len());
                let youngest = list.iter().rev().map(|warps| warps & asked).find(|&found| found != 0).unwrap();
                assert_eq!(ages.youngest(asked), 63 - youngest.leading_zeros(), "step {step}");
            }
        }
    }
}
