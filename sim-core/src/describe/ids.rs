//! Identifiers and the small tables indexed by them. No `usize` is stored in machine state: its width differs between targets.

use core::ops::{Index, IndexMut};

/// A point in time, counted in SM (core) clock cycles from the start of the run.
pub type Cycle = u64;

/// "Never": later than any cycle that a run can reach.
pub const NEVER: Cycle = Cycle::MAX;

/// Kernels that can be resident at once (CCBP's issue-rate controller has 8 sub-queues; the latency predictor groups 6).
pub const MAX_KERNELS: usize = 8;

/// A global-memory line: byte address divided by the line size.
pub type LineAddr = u32;

/// Position of a kernel in the experiment's mix, `0..MAX_KERNELS`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct KernelId(pub u8);

impl KernelId {
    /// The position as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The first `count` kernels in order.
    pub fn first(count: usize) -> impl DoubleEndedIterator<Item = KernelId> + Clone {
        (0..count as u8).map(KernelId)
    }
}

/// One value for each kernel of the mix.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct PerKernel<T>(pub [T; MAX_KERNELS]);

impl<T: Copy> PerKernel<T> {
    /// The same value for every kernel.
    pub const fn all(value: T) -> Self {
        PerKernel([value; MAX_KERNELS])
    }
}

impl<T> Index<KernelId> for PerKernel<T> {
    type Output = T;
    fn index(&self, kernel: KernelId) -> &T {
        &self.0[kernel.index()]
    }
}

impl<T> IndexMut<KernelId> for PerKernel<T> {
    fn index_mut(&mut self, kernel: KernelId) -> &mut T {
        &mut self.0[kernel.index()]
    }
}
