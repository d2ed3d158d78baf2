//! From where a run measures: after so many cycles, or once its L2 has filled.
//!
//! An empty L2 flatters a run: what it brings in pushes nothing out that must be written back. Every `LOOK` cycles the lines that L2 holds are
//! counted. Where they have grown by at most `GROWTH` of what was looked up meanwhile, its hit rate and its evictions are those of the
//! rest of the run, as far as L2 tells. L1D has been through many times its lines by then.

use super::{MAX_CYCLES, Stop};
use crate::describe::gpu::{Gpu, MeasureFrom};
use crate::describe::ids::Cycle;
use crate::describe::record::{Datum, Shape, int};
use crate::describe::value::Value;

/// Cycles from one look to the next; whole windows.
const LOOK: Cycle = 10_000;

/// Lines by which L2 may grow between two looks, of so many looked up in it.
const GROWTH: u64 = 100;

/// After so many cycles it measures all the same, and says that L2 was still filling.
pub const COLD_AFTER: Cycle = 500_000;

/// How long a run goes on before it measures anything, once its policies have settled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WarmUp {
    /// So many cycles.
    Cycles(Cycle),
    /// Until its L2 has filled, as far as the kernels fill it.
    Settled,
}

const SETTLED: Shape = Shape::Choice(&["settled"]);

/// The form of a warm-up.
pub const WARM_UP: Shape = Shape::Forms { of: &[int!(0, MAX_CYCLES), SETTLED], want: "a number of cycles, or \"settled\"" };

impl WarmUp {
    /// What holds on this GPU for a run with such an end, if nothing else is said.
    pub fn of(gpu: &Gpu, stop: Stop) -> WarmUp {
        match (gpu.measure_from, stop) {
            (MeasureFrom::Start, _) | (_, Stop::KernelsDone { .. }) => WarmUp::Cycles(0),
            (MeasureFrom::Settled, _) => WarmUp::Settled,
        }
    }

    /// The most cycles that it takes.
    pub fn at_most(self) -> Cycle {
        match self {
            WarmUp::Cycles(cycles) => cycles,
            WarmUp::Settled => COLD_AFTER,
        }
    }
}

impl Datum for WarmUp {
    fn read(value: &Value) -> Self {
        if value.as_str().is_some() { WarmUp::Settled } else { WarmUp::Cycles(Cycle::read(value)) }
    }

    fn write(&self) -> Value {
        match *self {
            WarmUp::Cycles(cycles) => cycles.into(),
            WarmUp::Settled => "settled".into(),
        }
    }
}

/// What was seen of L2 at the last look.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Warming {
    lines: u64,
    lookups: u64,
}

impl Warming {
    /// Whether it looks in this cycle.
    pub fn is_look(now: Cycle) -> bool {
        now > 0 && now.is_multiple_of(LOOK)
    }

    /// The first look after this cycle.
    pub fn next_look(now: Cycle) -> Cycle {
        (now / LOOK + 1) * LOOK
    }

    /// Looks at the lines that L2 holds and at what has been looked up in it so far: whether it has filled since the last look.
    pub fn has_filled(&mut self, lines: u64, lookups: u64) -> bool {
        let before = core::mem::replace(self, Warming { lines, lookups });
        lines.saturating_sub(before.lines) * GROWTH <= lookups - before.lookups
    }
}
