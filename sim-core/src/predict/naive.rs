//! The paper's baseline (§7.2): every kernel is slowed by one margin for as long as another kernel may run beside it.

/// The largest slowdown that the paper saw in its seven experiments: COPY beside SAXPY, 73 % (§7.2, Fig. 9).
pub const MARGIN: f64 = 0.73;

/// The latency of the kernel `own` of a group, from the latencies of all alone on their SMs.
pub fn latency(latencies: impl Iterator<Item = f64> + Clone, own: usize, margin: f64) -> f64 {
    let others = latencies.clone().enumerate().filter(|&(kernel, _)| kernel != own);
    let longest_other = others.fold(0.0_f64, |longest, (_, latency)| longest.max(latency));
    let alone = latencies.clone().nth(own).unwrap_or_default();
    // Only the longest kernel outlives the others, and runs its rest alone.
    let beside = alone.min(longest_other);
    (1.0 + margin) * beside + (alone - beside)
}
