//! What issuing reads of a warp.

use crate::describe::ids::KernelId;

/// What a warp issues next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) enum Next {
    #[default]
    Alu,
    Sfu,
    Shared,
    Load,
    Store,
    Barrier,
    Atomic,
    Sleep,
    Fp64,
    /// A matrix product.
    Tensor,
    /// An access to shared memory whose value the next instruction does not wait for.
    SharedAhead,
    /// An instruction for the integer unit.
    Integer,
    /// A barrier that takes the integer unit.
    BarrierInteger,
}

/// What issuing reads of a warp: its next instruction, as the step of its code has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Issue {
    /// Instructions left of the step.
    pub left: u32,
    pub next: Next,
    /// Active lanes.
    pub lanes: u8,
    /// Cycles to the issue of the warp's next instruction (`Alu`, `Integer`, `Sfu`, `Fp64`, `Tensor`, and accesses if not 0), or those of the banks (`Shared`, `SharedAhead`).
    pub latency: u8,
    pub kernel: KernelId,
}
