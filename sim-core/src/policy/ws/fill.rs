//! How Warped-Slicer fills an SM: water filling over curves of IPC by CTAs.

use crate::describe::gpu::occupancy::Resources;
use crate::interface::observation::Observation;
use alloc::vec::Vec;

/// IPC with so many CTAs, as a part of the curve's best; 0 for none. Beyond the end of the curve nothing changes.
pub fn level(curve: &[f64], ctas: u32) -> f64 {
    let best = curve.iter().copied().fold(0.0, f64::max);
    let reached = curve.iter().copied().take(ctas as usize).next_back().unwrap_or(0.0);
    if best > 0.0 { reached / best } else { 0.0 }
}

/// What two points of a curve may differ by without a reason. Half of the 95 % interval of an IPC is 3.6 % of it in the median over CCBP's
/// mixes. That of a difference is longer by the square root of two.
const NOISE: f64 = 0.05;

/// The fewest CTAs that have more IPC than any fewer, by more than noise, from `ctas` on.
pub fn next_step(curve: &[f64], ctas: u32) -> Option<u32> {
    let reached = curve.iter().copied().take(ctas as usize).fold(0.0, f64::max);
    curve.iter().skip(ctas as usize).position(|&ipc| ipc > reached * (1.0 + NOISE)).map(|more| ctas + more as u32 + 1)
}

/// CTAs of each kernel on an SM, with every turn (`fill`).
pub fn filled(curves: &[Vec<f64>], sm: usize, seen: &Observation, turn: impl FnMut(usize, Option<&'static str>, &[u32])) -> Vec<u32> {
    let (costs, limits) = seen.ctas_of(sm);
    fill(curves, &costs, &limits, Resources::of_class(seen.gpu.class_of(sm as u32)), turn)
}

/// CTAs of each kernel on an SM that has `whole`: max-min fair levels of IPC by steps, the first kernel on a tie; `limits` hold besides. `turn`
/// hears of each turn: whose it is, what refuses its step and so ends its growth, and the CTAs after it.
pub fn fill(
    curves: &[Vec<f64>],
    costs: &[Resources],
    limits: &[u32],
    whole: Resources,
    mut turn: impl FnMut(usize, Option<&'static str>, &[u32]),
) -> Vec<u32> {
    let mut ctas = alloc::vec![0; costs.len()];
    let mut used = Resources::default();
    let mut grant = |more: u32, cost: Resources| {
        let mut together = used;
        for _ in 0..more {
            if !together.fits(cost, whole) {
                return false;
            }
            together.add(cost);
        }
        used = together;
        true
    };
    for (ctas, &cost) in ctas.iter_mut().zip(costs) {
        *ctas = u32::from(grant(1, cost));
    }
    let mut open: Vec<usize> = (0..costs.len()).filter(|&k| ctas[k] > 0).collect();
    while let Some(lowest) = open.iter().copied().reduce(|least, k| {
        let level = |k: usize| level(&curves[k], ctas[k]);
        if level(k) < level(least) { k } else { least }
    }) {
        let refused = match next_step(&curves[lowest], ctas[lowest]) {
            None => Some("its curve: no step brings more"),
            Some(target) if target > limits[lowest] => Some("its own limit"),
            Some(target) if !grant(target - ctas[lowest], costs[lowest]) => Some("room on the SM"),
            Some(target) => {
                ctas[lowest] = target;
                None
            }
        };
        if refused.is_some() {
            open.retain(|&k| k != lowest);
        }
        turn(lowest, refused, &ctas);
    }
    ctas
}
