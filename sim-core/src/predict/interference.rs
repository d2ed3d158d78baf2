//! What kernels on disjoint SMs cost each other in L2 and DRAM (paper §7.1, Eqs. 5 to 16).
//!
//! Time is cut into windows w at the ends of the kernels alone; K(w) are the kernels that run in w, m their number, S(w) the sum of the
//! bandwidths that they ask for.

/// Eq. 5: the part P of its latency alone that a kernel spends in a window.
pub fn overlap(size: f64, latency: f64) -> f64 {
    size / latency
}

/// Eq. 6: Π, the penalty of a window only where S(w) reaches the sustained bandwidth.
pub fn penalty(sum: f64, bandwidth_sustained: f64, penalties: impl FnOnce() -> f64) -> f64 {
    if sum < bandwidth_sustained { 1.0 } else { penalties() }
}

/// Eq. 7: the interference factor I(w), with `threshold` = BW_max · S_p. Between the threshold and the sustained bandwidth I is above 1 and Π
/// is 1.
pub fn interference(sum: f64, threshold: f64) -> f64 {
    (sum / threshold).max(1.0)
}

/// Eq. 8: the latency of a kernel in the group, from its latency Tc alone and (P, I, Π) of each of its windows.
pub fn latency(tc: f64, windows: impl Iterator<Item = (f64, f64, f64)>) -> f64 {
    windows.map(|(overlap, interference, penalty)| tc * overlap * interference * penalty).sum()
}

/// Eq. 9: the three penalties together, before Eq. 15 bounds them.
pub fn together(penalty_sm: f64, penalty_access: f64, penalty_bandwidth: f64) -> f64 {
    penalty_sm * penalty_access * penalty_bandwidth
}

/// Eq. 10: how far the partition is from an equal one.
pub fn penalty_sm(sms: u32, n: u32, kernels: usize) -> f64 {
    f64::from(sms) / f64::from(n) / kernels as f64
}

/// Eq. 11: the kernel's part of the accesses in the window, times P; 0 where nobody accesses L2.
pub fn penalty_access(accesses: f64, of_all: f64, overlap: f64) -> f64 {
    if of_all > 0.0 { accesses / of_all * overlap } else { 0.0 }
}

/// Eq. 12: the bandwidth that the kernel asks for, in equal shares.
pub fn penalty_bandwidth(bandwidth: f64, equity: f64) -> f64 {
    bandwidth / equity
}

/// Eq. 13: the accesses of all kernels in the window.
pub fn accesses(of_each: impl Iterator<Item = f64>) -> f64 {
    of_each.sum()
}

/// Eq. 14: an equal share of the nominal bandwidth.
pub fn equity(bandwidth_max: f64, kernels: usize) -> f64 {
    bandwidth_max / kernels as f64
}

/// Eq. 15, as printed: `together` (Eq. 9) where it is from 1 to 2, and beyond these bounds what stands in for it.
pub fn bounded(together: f64, penalty_bandwidth: f64, interference: f64, density: impl FnOnce() -> f64) -> f64 {
    if together < 1.0 {
        penalty_bandwidth.min(interference)
    } else if together >= 2.0 {
        density()
    } else {
        together
    }
}

/// Eq. 16a: the kernel's request density as a part of the densest one's, from 0 to 1.
pub fn penalty_density(density: f64, densest: f64) -> f64 {
    if densest > 0.0 { density / densest } else { 1.0 }
}

/// Eq. 16b: the request density of a kernel in a window.
pub fn request_density(accesses: f64, tc: f64) -> f64 {
    accesses / tc
}

/// Eq. 16c: the greatest request density in a window.
pub fn densest(of_each: impl Iterator<Item = f64>) -> f64 {
    of_each.fold(0.0, f64::max)
}
