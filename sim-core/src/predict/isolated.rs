//! A kernel alone on n of N SMs, from a run on all N (paper §6, Eqs. 1 to 4).

use super::Platform;

/// How steep Eq. 2 is, the paper's α: nearly a step at the saturation point.
pub const STEEPNESS: f64 = 100.0;

/// Eq. 1: the part U of the nominal bandwidth that a kernel uses on all SMs.
pub fn utilisation(bandwidth_full: f64, bandwidth_max: f64) -> f64 {
    bandwidth_full / bandwidth_max
}

/// Eq. 2: how far memory is saturated at utilisation U, from 0 to 1.
pub fn saturation(utilisation: f64, saturation_point: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-STEEPNESS * (utilisation - saturation_point)))
}

/// Eq. 3: KAI, thousands of thread instructions for each L2 access (a sector of 32 B); nothing where there are no accesses.
pub fn intensity(instructions: f64, accesses: f64) -> Option<f64> {
    (accesses > 0.0).then(|| instructions / accesses / 1000.0)
}

/// Eq. 4: the latency Tc on `n` SMs, from that on all SMs. `kai` · U must be less than the number of SMs.
pub fn latency(platform: &Platform, n: u32, latency_full: f64, bandwidth_full: f64, kai: f64) -> f64 {
    let all = f64::from(platform.sms);
    let used = utilisation(bandwidth_full, platform.bandwidth_max);
    let divisor = (saturation(used, platform.saturation_point()) + 1.0) * (all - kai * used);
    latency_full / divisor * (all * all / f64::from(n))
}
