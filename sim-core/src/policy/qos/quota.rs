//! The arithmetic of quotas (Wang et al., ISCA 2017, §3.4 and §3.5): pure functions of goals and of what was measured. Quotas are thread
//! instructions, IPC is thread instructions per core cycle over the whole GPU.

/// Largest quota that a control takes.
const MOST: f64 = 1e9;

/// How a quota is scaled up for a kernel that is behind its goal: the greater of goal over history and 1, to a power, at most `cap` (§3.4.2). 1 before
/// anything has run.
pub fn alpha(goal: f64, history: f64, power: f64, cap: f64) -> f64 {
    if history > 0.0 { libm::pow((goal / history).max(1.0), power).min(cap) } else { 1.0 }
}

/// The goal of a kernel that has none, within `[least, most]`: what it did in the last epoch, times how well each kernel with a goal did
/// (§3.5). `others` has (IPC of the epoch, the IPC that its quota is for) of each.
pub fn goal_without(epoch: f64, others: impl Iterator<Item = (f64, f64)>, least: f64, most: f64) -> f64 {
    others.fold(epoch, |goal, (ipc, wanted)| goal * ipc / wanted).max(least).min(most)
}

/// What rolls over at most where that is bounded: what a kernel is behind its goal after so many cycles, or the quota of an epoch if that is more.
pub fn bound(goal: f64, history: f64, cycles: u64, epoch: u64) -> f64 {
    ((goal - history) * cycles as f64).max(goal * epoch as f64)
}

/// An SM's part of a kernel's quota, by the CTAs that the SM holds of the kernel's (§3.4.1), to the nearest whole number. An SM with a CTA gets one
/// instruction at least.
pub fn local(quota: f64, ctas: u32, all: u32) -> u32 {
    if ctas == 0 {
        return 0;
    }
    libm::round(quota * f64::from(ctas) / f64::from(all)).clamp(1.0, MOST) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interface::controls::QuotaCarry;
    use alloc::vec::Vec;

    #[test]
    fn quotas_are_shared_by_resident_ctas() {
        assert_eq!(local(1e7, 4, 64), 625_000, "16 SMs with as many CTAs each");
        assert_eq!([4, 2, 2].map(|ctas| local(8000.0, ctas, 8)), [4000, 2000, 2000]);
        assert_eq!(local(1e4, 1, 16), 625, "the first quota of a kernel without a goal");
        assert_eq!(local(5.0, 1, 3), 2, "1.67");
        assert_eq!([local(1.0, 1, 100), local(1.0, 0, 100)], [1, 0]);
        assert_eq!(local(2048e8, 1, 1), 1_000_000_000);
    }

    /// The parts add up to the whole but for half an instruction for each SM.
    #[test]
    fn local_quotas_add_up_to_the_global_one() {
        for (ipc, ctas) in [(123.4, [3_u32, 5, 1, 7]), (999.9, [1, 1, 1, 1]), (7.77, [16, 2, 9, 4])] {
            let all = ctas.iter().sum();
            let sum = ctas.iter().map(|&ctas| f64::from(local(ipc * 1e4, ctas, all))).sum::<f64>();
            assert!((sum - ipc * 1e4).abs() <= 2.0, "{ipc}, {ctas:?}");
        }
    }

    #[test]
    fn a_kernel_behind_its_goal_gets_more() {
        assert_eq!(alpha(125.0, 100.0, 1.0, 16.0), 1.25);
        assert_eq!(alpha(100.0, 125.0, 1.0, 16.0), 1.0);
        assert_eq!(alpha(100.0, 0.0, 1.0, 16.0), 1.0, "the first epoch");
        assert_eq!(alpha(100.0, 1.0, 1.0, 16.0), 16.0, "capped");
        assert_eq!(alpha(120.0, 100.0, 2.0, 16.0), 1.44, "a more aggressive one");
    }

    #[test]
    fn a_kernel_without_a_goal_follows_those_with_one() {
        let goal = |others: &[(f64, f64)]| goal_without(40.0, others.iter().copied(), 1.0, 2048.0);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(goal(&[(110.0, 1.0 * 100.0)]), 44.0));
        assert!(near(goal(&[(100.0, 1.25 * 100.0)]), 32.0));
        assert!(near(goal(&[(90.0, 100.0), (110.0, 100.0)]), 39.6));
        assert_eq!(goal(&[]), 40.0);
        assert_eq!(goal(&[(0.0, 100.0)]), 1.0, "not absorbed by zero");
        assert_eq!(goal_without(40.0, [(0.0, 100.0)].into_iter(), 0.0, 2048.0), 0.0, "without a floor");
        assert_eq!(goal(&[(1e6, 100.0)]), 2048.0);
    }

    /// A kernel on one SM that can do `able` in each epoch, in turn, under quotas for a goal of 100: the quotas, and what it executes.
    fn fluid(able: [f64; 2], history: bool, carry: QuotaCarry, epochs: usize) -> (Vec<f64>, Vec<f64>) {
        // Epochs of a million cycles for millionths of an instruction.
        let unit = 1e6;
        let (mut counter, mut sum, mut quotas, mut done) = (0_i64, 0.0, Vec::new(), Vec::new());
        for epoch in 0..epochs {
            let mean = if epoch == 0 { 0.0 } else { sum / epoch as f64 };
            let scale = if history { alpha(100.0, mean, 1.0, 16.0) } else { 1.0 };
            counter = carry.filled(counter, local(100.0 * scale * unit, 1, 1).into(), 1);
            quotas.push(counter as f64 / unit);
            let executed = counter.min((able[epoch % 2] * unit) as i64);
            counter -= executed;
            done.push(executed as f64 / unit);
            sum += executed as f64 / unit;
        }
        (quotas, done)
    }

    /// Every row of the fluid model: quotas and work of the first six epochs, and the mean of two hundred.
    #[test]
    fn a_fluctuating_kernel_misses_with_history_alone_and_reaches_its_goal_with_what_it_did_not_use() {
        use QuotaCarry::{Nothing, Unused};
        let rows = [
            ("naive", false, Nothing, [100.0; 6], [80.0, 100.0, 80.0, 100.0, 80.0, 100.0], 90.0),
            (
                "naive with history",
                true,
                Nothing,
                [100.0, 125.0, 100.0, 107.143, 103.321, 107.034],
                [80.0, 120.0, 80.0, 107.143, 80.0, 107.034],
                93.55,
            ),
            (
                "rollover without history",
                false,
                Unused,
                [100.0, 120.0, 100.0, 120.0, 100.0, 120.0],
                [80.0, 120.0, 80.0, 120.0, 80.0, 120.0],
                100.0,
            ),
            ("rollover", true, Unused, [100.0, 145.0, 125.0, 152.143, 132.143, 156.31], [80.0, 120.0, 80.0, 120.0, 80.0, 120.0], 100.0),
        ];
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.0006);
        for (name, history, carry, quotas, done, mean) in rows {
            let (all_quotas, all_done) = fluid([80.0, 120.0], history, carry, 200);
            assert!(near(&all_quotas[..6], &quotas), "{name}: {:?}", &all_quotas[..6]);
            assert!(near(&all_done[..6], &done), "{name}: {:?}", &all_done[..6]);
            let found = all_done.iter().sum::<f64>() / 200.0;
            assert!((found - mean).abs() < 0.006, "{name}: {found}");
        }
        let limit = (80.0 + libm::sqrt(86_400.0)) / 4.0;
        let far = fluid([80.0, 120.0], true, Nothing, 40_000).1.iter().sum::<f64>() / 40_000.0;
        assert!((far - limit).abs() < 0.001, "{far}, {limit}");
    }

    /// A kernel with a goal of 100 and one without share a machine that does 150 in an epoch; what the second does, the first can't. The second does more than
    /// its quota by this part, as what is under way when a counter ends is on top of it. What the first has of its goal after so many epochs, where what it
    /// did not use rolls over (`whole`) or not.
    fn beside_another(overrun: f64, whole: bool, epochs: u32) -> f64 {
        let (mut sum, mut unused, mut other, mut history) = (0.0, 0.0, 1.0, 0.0);
        for epoch in 1..=epochs {
            let quota = 100.0 * alpha(100.0, history, 1.0, 16.0) + unused;
            let did = (150.0 - other * (1.0 + overrun)).max(0.0).min(quota);
            unused = if whole { quota - did } else { 0.0 };
            sum += did;
            history = sum / f64::from(epoch);
            let next = 100.0 * alpha(100.0, history, 1.0, 16.0) + unused;
            other = goal_without(other * (1.0 + overrun), [(did, next)].into_iter(), 1.0, 2048.0);
        }
        history / 100.0
    }

    /// As printed, §3.5 comes to rest where the kernel without a goal gets back what it did too much: at 1 / sqrt(1 + overrun) of the goal, below it. With
    /// the whole quota in its place it does not rest below the goal.
    #[test]
    fn the_printed_product_rests_below_the_goal() {
        for overrun in [0.004, 0.017, 0.1] {
            let rests = 1.0 / libm::sqrt(1.0 + overrun);
            let [printed, whole] = [false, true].map(|whole| beside_another(overrun, whole, 40_000));
            assert!((printed - rests).abs() < 0.0005, "{overrun}: {printed}, {rests}");
            assert!(whole > 0.999_99 && whole < 1.01, "{overrun}: {whole}");
        }
    }

    #[test]
    fn what_rolls_over_is_bounded_by_what_a_kernel_is_behind() {
        assert_eq!(bound(100.0, 90.0, 50_000, 10_000), 1e6, "half an epoch behind: one epoch's quota");
        assert_eq!(bound(100.0, 90.0, 400_000, 10_000), 4e6, "four epochs behind");
        assert_eq!(bound(100.0, 120.0, 400_000, 10_000), 1e6, "ahead of its goal");
    }

    #[test]
    fn other_fluctuations_end_as_computed_by_hand() {
        use QuotaCarry::{Nothing, Unused};
        let ways = [(false, Nothing), (true, Nothing), (false, Unused), (true, Unused)];
        for (able, means) in [([90.0, 130.0], [95.0, 96.74, 100.0, 100.056]), ([60.0, 100.0], [80.0; 4])] {
            for ((history, carry), mean) in ways.into_iter().zip(means) {
                let found = fluid(able, history, carry, 200).1.iter().sum::<f64>() / 200.0;
                let digits = if mean == 100.056 { 0.0006 } else { 0.006 };
                assert!((found - mean).abs() < digits, "{able:?}, history: {history}, {carry:?}: {found}");
            }
        }
    }
}
