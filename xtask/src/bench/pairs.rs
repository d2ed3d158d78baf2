//! Ratios of measurements that were made in pairs: both of a pair meet the same busy moment of the machine, and the median forgets what does not.

/// A linear quantile of values in rising order.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = q * last as f64;
    let below = sorted[at.floor() as usize];
    below + (sorted[at.ceil() as usize] - below) * at.fract()
}

/// Which values in rising order, counted from either end, hold the median between them in at least 95 of 100 series, whatever the values'
/// distribution (the sign test turned round). None of fewer than six do.
fn rank(count: usize) -> Option<usize> {
    // Of `count` independent values, exactly `rank` lie below the median with this probability.
    let mut exactly = 0.5_f64.powi(count as i32);
    let (mut fewer, mut rank) = (exactly, 0);
    while 2.0 * fewer <= 0.05 && rank < count {
        rank += 1;
        exactly *= (count + 1 - rank) as f64 / rank as f64;
        fewer += exactly;
    }
    (rank > 0).then_some(rank)
}

/// What a series of ratios says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    pub median: f64,
    pub quartiles: (f64, f64),
    /// The median's 95 % interval, of six values or more.
    pub interval: Option<(f64, f64)>,
}

/// The ratio of each pair, summed up; what is not in both is left out.
pub fn ratio(above: &[f64], below: &[f64]) -> Ratio {
    let mut values: Vec<f64> = above.iter().zip(below).map(|(a, b)| a / b).collect();
    values.sort_by(f64::total_cmp);
    let interval = rank(values.len()).map(|rank| (values[rank - 1], values[values.len() - rank]));
    Ratio { median: quantile(&values, 0.5), quartiles: (quantile(&values, 0.25), quantile(&values, 0.75)), interval }
}

/// The median of values in any order.
pub fn median(values: &[f64]) -> f64 {
    ratio(values, &vec![1.0; values.len()]).median
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranks_are_those_of_the_sign_test() {
        // Conover, Practical Nonparametric Statistics, the binomial table at p = 1/2.
        let ranks = [0, 1, 5, 6, 8, 9, 10, 12, 20, 50].map(rank);
        assert_eq!(ranks, [None, None, None, Some(1), Some(1), Some(2), Some(2), Some(3), Some(6), Some(18)]);
        assert!(rank(1000).is_some_and(|rank| (460..480).contains(&rank)));
    }

    #[test]
    fn a_ratio_is_of_pairs_and_forgets_an_outlier() {
        // The machine is three times as slow in two of the pairs, and one measurement was interrupted.
        let old = [2.0, 6.0, 2.0, 6.2, 2.2, 2.0, 2.0, 20.0, 2.0, 2.0];
        let new = [1.0, 3.0, 1.0, 3.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        let found = ratio(&old, &new);
        assert_eq!(found.median, 2.0);
        assert!(found.quartiles.0 == 2.0 && (found.quartiles.1 - 2.05).abs() < 1e-9, "{found:?}");
        assert_eq!(found.interval, Some((2.0, 2.2)));
        assert_eq!(ratio(&[3.0, 1.0], &[1.0, 1.0]), Ratio { median: 2.0, quartiles: (1.5, 2.5), interval: None });
        assert!(ratio(&[], &[1.0]).median.is_nan());
        assert_eq!(median(&[5.0, 1.0, 3.0]), 3.0);
    }

    #[test]
    fn the_interval_holds_the_median_as_often_as_it_says() {
        // Skewed values, whose median is known: e^z with z even around 0.
        let mut state = 1_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (((state >> 33) as f64 / f64::from(1_u32 << 31)) * 6.0 - 3.0).exp()
        };
        let series = 4000;
        let held = (0..series).filter(|_| {
            let values: Vec<f64> = (0..10).map(|_| draw()).collect();
            ratio(&values, &[1.0; 10]).interval.is_some_and(|(low, high)| low <= 1.0 && 1.0 <= high)
        });
        // 97.9 % by the binomial; half a percent is more than two standard errors.
        let share = held.count() as f64 / f64::from(series);
        assert!((share - 0.979).abs() < 0.006, "{share}");
    }
}
