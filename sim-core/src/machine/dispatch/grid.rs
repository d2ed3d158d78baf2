//! A kernel's launch as the dispatcher knows it: its shape, which CTAs wait for an SM, and where those of the launch before ran.

use crate::describe::ids::Cycle;
use crate::describe::kernel::Dim3;
use crate::machine::sm::code::Code;
use alloc::vec::Vec;

/// `Grid::ran_on` of a CTA that has not run.
pub const NOWHERE: u16 = u16::MAX;

/// The launch of a kernel that is under way.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Grid {
    /// CTAs of the grid along each dimension.
    pub extent: Dim3,
    /// CTAs of the grid.
    pub ctas: u32,
    /// Threads of a CTA.
    pub threads: u32,
    /// Registers of a thread.
    pub registers: u32,
    /// Shared memory of a CTA, bytes.
    pub shared_bytes: u32,
    /// The first cycle in which they may be placed, until then; 0 afterwards.
    pub opens: Cycle,
    /// CTAs that wait, as ranges from a first one to before an end, in ascending order and apart from each other.
    waiting: Vec<(u32, u32)>,
    /// SM of each CTA in this launch and in the one before, if `CtaOrder::remembers`.
    runs_on: Vec<u16>,
    ran_on: Vec<u16>,
}

impl Grid {
    /// Makes all CTAs of a new launch wait; with `remember` it records the SM of each.
    pub fn begin(&mut self, code: &Code, remember: bool) {
        (self.threads, self.registers, self.shared_bytes) = (code.threads, code.registers, code.shared_bytes);
        self.opens = 0;
        self.make_wait(code.grid, remember);
    }

    /// Makes the CTAs of a grid wait.
    pub(super) fn make_wait(&mut self, extent: Dim3, remember: bool) {
        let ctas = extent.ctas();
        (self.extent, self.ctas) = (extent, ctas);
        self.waiting = alloc::vec![(0, ctas)];
        self.ran_on = core::mem::take(&mut self.runs_on);
        self.runs_on = if remember { alloc::vec![NOWHERE; ctas as usize] } else { Vec::new() };
    }

    /// CTAs that wait, as ranges from a first one to before an end, in ascending order and apart from each other.
    pub fn waiting(&self) -> &[(u32, u32)] {
        &self.waiting
    }

    /// Whether no CTA waits.
    pub fn is_placed(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether CTAs wait that may be placed.
    pub fn is_offered(&self) -> bool {
        self.opens == 0 && !self.is_placed()
    }

    /// SM of each CTA in the kernel's previous launch; empty before the second, and unless `CtaOrder::remembers`.
    pub fn ran_on(&self) -> &[u16] {
        &self.ran_on
    }

    /// Takes a CTA out of those that wait, for `sm`; false if it does not wait.
    pub fn take(&mut self, cta: u32, sm: u16) -> bool {
        let at = self.waiting.partition_point(|&(_, end)| end <= cta);
        let Some(&(first, end)) = self.waiting.get(at).filter(|range| range.0 <= cta) else { return false };
        match (first == cta, end == cta + 1) {
            (true, true) => drop(self.waiting.remove(at)),
            (true, false) => self.waiting[at].0 = cta + 1,
            (false, true) => self.waiting[at].1 = cta,
            (false, false) => {
                self.waiting[at].1 = cta;
                self.waiting.insert(at + 1, (cta + 1, end));
            }
        }
        if let Some(place) = self.runs_on.get_mut(cta as usize) {
            *place = sm;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cta_is_taken_once_from_wherever_it_waits() {
        let mut grid = Grid { ctas: 8, waiting: alloc::vec![(0, 8)], ..Grid::default() };
        let mut left: Vec<u32> = (0..8).collect();
        for cta in [3, 0, 7, 4, 1, 6, 2, 5] {
            assert!(grid.take(cta, 0) && !grid.take(cta, 0), "{cta}");
            left.retain(|&other| other != cta);
            let waiting: Vec<u32> = grid.waiting().iter().flat_map(|&(first, end)| first..end).collect();
            assert_eq!(waiting, left);
        }
        assert!(grid.is_placed() && !grid.take(8, 0));
    }
}
