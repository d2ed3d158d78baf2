//! Latency prediction: what a kernel takes on a part of the SMs beside kernels on the other parts, from profiles of each alone.
//!
//! Source: Masola et al., Memory-Aware Latency Prediction Model for Concurrent Kernels in Partitionable GPUs, JSSPP 2023. One function for
//! each of its equations, numbered as there: [`isolated`] Eqs. 1 to 4, [`interference`] Eqs. 5 to 16, [`bandwidth`] Eq. 17, and the paper's
//! baseline [`naive`]. [`group`] puts them together under a [`reading`] of what the paper leaves open. [`fluid`] is a model of ours, and
//! [`plan`] searches for a partition. [`question`] reads the file of `corun predict`, [`answer`] writes what came of it.
//!
//! Pure functions: nothing here sees the machine. All latencies share one unit, all bandwidths another; no formula needs to know which.

pub mod answer;
pub mod bandwidth;
pub mod fluid;
pub mod group;
pub mod interference;
pub mod isolated;
pub mod naive;
pub mod plan;
pub mod question;
pub mod reading;

/// What the formulas know of a GPU.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Platform {
    /// SMs of the whole GPU, the paper's N.
    pub sms: u32,
    /// L2 banks (slices).
    pub l2_banks: u32,
    /// Nominal bandwidth, the paper's BW_max.
    pub bandwidth_max: f64,
    /// Bandwidth at which kernels saturate, the paper's EM_BW.
    pub bandwidth_sustained: f64,
}

impl Platform {
    /// The paper's RTX 2060 (Table 1, §5.1), GB/s.
    pub const PAPER: Platform = Platform { sms: 30, l2_banks: 24, bandwidth_max: 348.0, bandwidth_sustained: 330.0 };

    /// The sustained bandwidth of a GPU of which only the nominal one is known: the part of it that the paper measures, 330 of 348 GB/s (§5.1).
    pub fn sustained(bandwidth_max: f64) -> f64 {
        bandwidth_max * Platform::PAPER.bandwidth_sustained / Platform::PAPER.bandwidth_max
    }

    /// The saturation point S_p: L2 banks for each SM (§6).
    pub fn saturation_point(&self) -> f64 {
        f64::from(self.l2_banks) / f64::from(self.sms)
    }

    /// The bandwidth BW_max · S_p from which Eq. 7 counts interference and Eq. 17 saturation.
    pub fn threshold(&self) -> f64 {
        // Multiplied before it is divided: 348 · 24 / 30 is 278.4, and 348 · 0.8 is a little more.
        self.bandwidth_max * f64::from(self.l2_banks) / f64::from(self.sms)
    }
}
