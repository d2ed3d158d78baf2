//! The bandwidth that a kernel asks for on n of N SMs, from a run on all N (paper §8, Eq. 17).

use super::Platform;

/// Eq. 17. A kernel that saturates memory asks for what `n` SMs without an L2 bank of their own can take, whatever kernel it is.
pub fn on_sms(platform: &Platform, n: u32, bandwidth_full: f64) -> f64 {
    if bandwidth_full < platform.threshold() {
        return bandwidth_full / f64::from(platform.sms) * f64::from(n);
    }
    let miss_banks = platform.sms.saturating_sub(platform.l2_banks).max(1);
    platform.bandwidth_sustained * (1.0 - libm::exp(-f64::from(n) / f64::from(miss_banks)))
}
