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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// Eight slots and nothing else that could run out.
    const WHOLE: Resources = Resources { ctas: 8, threads: 2048, registers: 65_536, shared_bytes: 96 * 1024 };

    fn filled(curves: &[Vec<f64>]) -> Vec<u32> {
        let costs = vec![Resources { ctas: 1, threads: 32, registers: 32, shared_bytes: 0 }; curves.len()];
        fill(curves, &costs, &vec![8; curves.len()], WHOLE, |_, _, _| {})
    }

    /// A grows evenly to 8 CTAs, B has 80 % with two of them and all with three: levels rise to A 6/8 and B 8/10.
    #[test]
    fn the_lowest_level_gets_the_next_step() {
        let a = (1..=8).map(f64::from).collect();
        let b = vec![50.0, 80.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0];
        // A .125, B .5: A to 2, 3, 4 (.5); on the tie A to 5 (.625); B to 2 (.8); A to 6 (.75): eight slots are full.
        assert_eq!(filled(&[a, b]), [6, 2]);
    }

    /// CTAs that bring nothing are passed over in one step, or not taken at all.
    #[test]
    fn useless_ctas_are_not_handed_out() {
        let peaks = vec![60.0, 100.0, 70.0, 60.0];
        let stairs = vec![40.0, 40.0, 90.0, 90.0, 100.0];
        assert_eq!(next_step(&stairs, 1), Some(3));
        assert_eq!(next_step(&peaks, 2), None);
        // Stairs .4 → 3 CTAs (.9), peaks .6 → 2 (1.0), stairs → 5 (1.0): one slot stays empty.
        assert_eq!(filled(&[peaks, stairs]), [2, 5]);
    }

    /// CTAs that bring no more than noise are not taken one by one, nor all together: a curve that is flat from its first CTA on keeps that
    /// one. A slow rise is taken in steps that are more than noise.
    #[test]
    fn noise_is_no_step() {
        let flat = vec![95.0, 97.0, 96.0, 98.0, 99.0, 98.5, 99.5, 99.7];
        let slow = vec![94.0, 97.0, 100.0];
        assert_eq!([next_step(&flat, 1), next_step(&slow, 1), next_step(&slow, 3)], [None, Some(3), None]);
        assert_eq!(filled(&[flat, (1..=8).map(f64::from).collect()]), [1, 7]);
    }

    /// A step that does not fit as a whole ends a kernel's growth; the others go on.
    #[test]
    fn a_step_is_granted_as_a_whole_or_not_at_all() {
        let jump = vec![10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 100.0];
        let slow = (1..=8).map(f64::from).collect();
        assert_eq!(filled(&[jump, slow]), [1, 7]);
    }
}
