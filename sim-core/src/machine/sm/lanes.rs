//! The lanes of an SM: one for each warp that it can hold.

/// Schedulers of an SM, at most.
pub const MAX_SCHEDULERS: usize = 4;

/// Warps of one scheduler, at most: one word.
pub const LANES: usize = 64;

/// A warp of an SM: its scheduler and its lane there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct WarpRef(u8);

impl WarpRef {
    /// The warp in a lane of a scheduler, below `LANES`: whoever asks for the scheduler of what has just been made gets it without a computation.
    #[inline(always)]
    pub fn new(scheduler: usize, lane: u32) -> Self {
        WarpRef((scheduler * LANES) as u8 | (lane % LANES as u32) as u8)
    }

    /// Scheduler of the SM.
    pub fn scheduler(self) -> usize {
        usize::from(self.0) / LANES
    }

    /// Lane of the scheduler.
    pub fn lane(self) -> u32 {
        u32::from(self.0) % LANES as u32
    }

    /// The lane as a set.
    pub fn bit(self) -> u64 {
        1 << self.lane()
    }

    /// Position in a table of the SM's lanes.
    pub fn index(self) -> usize {
        self.0.into()
    }
}
