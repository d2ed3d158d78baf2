//! How the array of an SM that is L1D and shared memory can be divided between the two.
//!
//! NVIDIA's GPUs since Volta have one array for both. A launch says how much of it is shared memory, and L1D is the rest. The sizes are those
//! of "CUDA C++ Programming Guide", Compute Capabilities. A preference that is none of them is rounded up to the next. The launch's descriptor has the least, the
//! greatest and the intended division of an SM that takes its CTAs: `MIN_`, `MAX_` and `TARGET_SM_CONFIG_SHARED_MEM_SIZE` in NVIDIA's open headers.

/// The sizes of shared memory that can be chosen, by compute capability.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum CarveOuts {
    /// None: L1D and shared memory are arrays of their own.
    #[default]
    None,
    /// 7.0: V100.
    Cc70,
    /// 7.5: Turing.
    Cc75,
    /// 8.0: A100.
    Cc80,
    /// 8.6: RTX 30.
    Cc86,
    /// 9.0: H100, H200.
    Cc90,
    /// 12.0: RTX 5090.
    Cc120,
}

impl CarveOuts {
    /// In ascending order, KB.
    pub fn sizes_kb(self) -> &'static [u32] {
        match self {
            CarveOuts::None => &[],
            CarveOuts::Cc70 => &[0, 8, 16, 32, 64, 96],
            CarveOuts::Cc75 => &[32, 64],
            CarveOuts::Cc80 => &[0, 8, 16, 32, 64, 100, 132, 164],
            CarveOuts::Cc90 => &[0, 8, 16, 32, 64, 100, 132, 164, 196, 228],
            CarveOuts::Cc86 | CarveOuts::Cc120 => &[0, 8, 16, 32, 64, 100],
        }
    }
}

/// When a CTA may join others on an SM that is divided for them. Otherwise it waits until the SM is empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum CarveOutWait {
    /// When its launch wants no more shared memory of the SM than the division has.
    #[default]
    Wanted,
    /// When the division has room for it.
    Needed,
}
