//! Chunks: the CTAs of a launch in contiguous parts of equal size, one for each SM on which the kernel may run (IKRA §4.1).
//!
//! The chunks are dealt when the launch's first CTA is placed: by then the policy has said where the kernel may run. What the controls close
//! to the kernel afterwards leaves its rest to the other SMs, when they have done their own: no CTA waits for an SM that does not take it.

use super::scheme::{ChunkEntry, Offer, Share, Shares};
use crate::describe::ids::{KernelId, Set};
use alloc::vec::Vec;

/// Deals chunks of `ctas` CTAs to the SMs of `open`, of which that at or after `first` gets the first chunk: an entry for each of `sms` SMs.
pub fn deal(ctas: u32, open: Set, sms: u16, first: u16) -> Vec<ChunkEntry> {
    let mut entries = alloc::vec![ChunkEntry::default(); sms.into()];
    let takers = (first..sms).chain(0..first).filter(|&sm| open.contains(sm.into()));
    for (index, sm) in (0..).zip(takers) {
        entries[usize::from(sm)] = ChunkEntry::of(index, open.len(), ctas);
    }
    entries
}

/// The chunks of one kernel, under an order in which each SM keeps to its own.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Chunks {
    /// One for each SM; empty before the launch's first CTA is placed.
    entries: Vec<ChunkEntry>,
    /// The SM that gets the first chunk.
    first_sm: u16,
    /// SMs go from the end of their chunks to the beginning.
    backward: bool,
}

impl Chunks {
    /// A launch begins.
    pub fn launch(&mut self, first_sm: u16, backward: bool) {
        self.entries.clear();
        (self.first_sm, self.backward) = (first_sm, backward);
    }

    /// What each SM has left.
    pub fn shares(&self) -> Shares {
        let share = |&left: &ChunkEntry| Share { chunk: None, left, queue: Vec::new(), waiting: (0, 0) };
        Shares { backward: self.backward, deals_anew: false, sms: self.entries.iter().map(share).collect() }
    }

    /// The next CTA for the SM of the offer.
    pub fn next(&mut self, kernel: KernelId, offer: &Offer) -> Option<u32> {
        if self.entries.is_empty() {
            self.entries = deal(offer.grid(kernel).ctas, offer.open[kernel.index()], offer.sms, self.first_sm);
        }
        offer.own_or_closed(kernel, |sm| self.entries[sm].take(self.backward))
    }
}
