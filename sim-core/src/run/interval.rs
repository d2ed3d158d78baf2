//! How well a mean is known that was measured over one run: the half-width of a 95 % interval, from batch means.
//!
//! What a kernel does in one window resembles what it did in the last one, so windows are no independent samples. Batches of many windows
//! nearly are. The two ways to look at them, of which the narrower interval holds:
//!
//! - **Batches**: 32 to 63 of equal length (Schmeiser, *Operations Research* 30(3), 1982: few long batches lose little), Student's t. For
//!   correlation that is left between neighbours, the variance times (1 + r) / (1 − r) with r their lag-1 correlation, as if they were
//!   autoregressive. SBatch (Lada and Wilson, WSC 2008) and N-Skart (Tafazzoli, Steiger and Wilson, *IEEE Trans. Automatic Control* 56(2),
//!   2011) correct in this way; here the factor is never below 1, and their skewness term is left out.
//! - **Periods**: a kernel of several launches repeats itself, launch by launch. If the batches correlate with themselves at some distance,
//!   after they have not at a shorter one, that distance is a period, and each of its repetitions is a batch. What lies outside whole
//!   periods moves the mean, and is added to the half-width.
//!
//! Only `+ − × ÷` and the square root, which every IEEE 754 machine rounds alike: the bits are the same natively and in WebAssembly.

use alloc::vec::Vec;

/// Fewest batches of which an interval is made.
pub const FEWEST: usize = 10;

/// Batches above which neighbours are put together, two by two or more.
const BATCHES: usize = 32;

/// Correlation at which a distance counts as a period.
const PERIODIC: f64 = 0.5;

/// Fewest periods of which an interval is made.
const PERIODS: usize = 3;

/// The 0.975 quantile of Student's t by degrees of freedom, from 1: NIST/SEMATECH e-Handbook of Statistical Methods, §1.3.6.7.2. Beyond its end
/// the last one holds, which is too large by 2 % at most.
const T95: [f64; 63] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093,
    2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042, 2.040, 2.037, 2.035, 2.032, 2.030, 2.028, 2.026, 2.024,
    2.023, 2.021, 2.020, 2.018, 2.017, 2.015, 2.014, 2.013, 2.012, 2.011, 2.010, 2.009, 2.008, 2.007, 2.006, 2.005, 2.004, 2.003, 2.002,
    2.002, 2.001, 2.000, 2.000, 1.999, 1.998,
];

/// The half-width of the 95 % interval of a sum, from what each batch adds to it beyond its part: the deviations sum to 0. Missing where there
/// are too few of them.
pub fn half_width(deviations: &[f64]) -> Option<f64> {
    if deviations.len() < FEWEST {
        return None;
    }
    let batches = of_groups(&grouped(deviations, deviations.len() / (deviations.len() / BATCHES).max(1)));
    Some(match of_periods(deviations) {
        Some(periods) if periods < batches => periods,
        _ => batches,
    })
}

/// `groups` sums of equally many neighbours; what is left over joins the first.
fn grouped(deviations: &[f64], groups: usize) -> Vec<f64> {
    let (left, size) = (deviations.len() % groups, deviations.len() / groups);
    let (first, rest) = deviations.split_at(left + size);
    core::iter::once(first).chain(rest.chunks(size)).map(|group| group.iter().sum()).collect()
}

/// The half-width of the sum of groups.
fn of_groups(groups: &[f64]) -> f64 {
    let count = groups.len() as f64;
    let mean = groups.iter().sum::<f64>() / count;
    let squares: f64 = groups.iter().map(|x| (x - mean) * (x - mean)).sum();
    if squares == 0.0 {
        return 0.0;
    }
    let products: f64 = groups.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    let correlation = (products / squares).max(0.0);
    let inflation = (1.0 + correlation) / (1.0 - correlation);
    let student = T95[(groups.len() - 1).min(T95.len()) - 1];
    student * libm::sqrt(inflation * count * squares / (count - 1.0))
}

/// The half-width from whole periods, and from what lies outside them; missing where nothing repeats itself.
fn of_periods(deviations: &[f64]) -> Option<f64> {
    let period = period(deviations)?;
    let periods = deviations.len() / period;
    let whole = &deviations[deviations.len() - periods * period..];
    let groups: Vec<f64> = whole.chunks(period).map(|group| group.iter().sum()).collect();
    let outside = groups.iter().sum::<f64>();
    let outside = if outside < 0.0 { -outside } else { outside };
    let scale = deviations.len() as f64 / whole.len() as f64;
    Some(scale * (of_groups(&groups) + outside))
}

/// The distance at which the series resembles itself most, once it has ceased to.
fn period(series: &[f64]) -> Option<usize> {
    let mean = |squares: f64, count: usize| squares / count as f64;
    let variance = mean(series.iter().map(|x| x * x).sum(), series.len());
    let (mut ceased, mut best) = (false, None);
    for distance in 1..=series.len() / PERIODS {
        let later = &series[distance..];
        let covariance = mean(series.iter().zip(later).map(|(a, b)| a * b).sum(), later.len());
        ceased |= covariance <= 0.0;
        let most = best.map_or(PERIODIC * variance, |(_, most)| most);
        if ceased && covariance > most {
            best = Some((distance, covariance));
        }
    }
    best.map(|(distance, _)| distance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::rng::mix;

    /// A uniform draw between 0 and 1.
    fn uniform(key: u64) -> f64 {
        ((mix(key, 1) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// A draw from the normal distribution with mean 0 and variance 1 (Box and Muller).
    fn normal(key: u64) -> f64 {
        let angle = 2.0 * core::f64::consts::PI * uniform(mix(key, 3));
        libm::sqrt(-2.0 * libm::log(uniform(mix(key, 2)))) * libm::cos(angle)
    }

    /// What each of at most 255 equal batches of an autoregressive series of mean 0 and variance 1 adds to its sum, and the sum.
    fn autoregressive(seed: u64, windows: usize, correlation: f64) -> (Vec<f64>, f64) {
        let mut width = 1;
        while windows / width > 255 {
            width *= 2;
        }
        let mut value = normal(mix(seed, 0));
        let step = libm::sqrt(1.0 - correlation * correlation);
        let mut series = Vec::new();
        for i in 1..=windows / width * width {
            series.push(value);
            value = correlation * value + step * normal(mix(seed, i as u64));
        }
        let sum: f64 = series.iter().sum();
        let mean = sum / series.len() as f64;
        (series.chunks(width).map(|batch| batch.iter().map(|x| x - mean).sum()).collect(), sum)
    }

    /// The share of runs whose interval covers the true mean.
    fn coverage(windows: usize, correlation: f64, runs: u64) -> f64 {
        let covers = |&seed: &u64| {
            let (deviations, sum) = autoregressive(mix(2026, seed), windows, correlation);
            half_width(&deviations).is_some_and(|half| sum.abs() <= half)
        };
        (0..runs).filter(covers).count() as f64 / runs as f64
    }

    /// At every correlation between windows, in runs of at least some twenty times the time that the series takes to forget, the interval covers the
    /// true mean as often as it says. With 1,000 runs, the share itself is known to 1.4 points.
    #[test]
    fn the_interval_covers_the_mean_as_often_as_it_says() {
        for (correlation, windows) in [(0.0, 100), (0.0, 4000), (0.5, 250), (0.5, 4000), (0.9, 1000), (0.9, 4000), (0.97, 4000)] {
            let share = coverage(windows, correlation, 1000);
            assert!((0.93..=0.97).contains(&share), "{share} of runs of {windows} windows, correlation {correlation}");
        }
    }

    /// The limit that the documentation names: a run as short as what it has to forget says less than it knows.
    #[test]
    fn a_run_that_is_too_short_is_too_sure() {
        let share = coverage(100, 0.99, 300);
        assert!(share < 0.8, "{share}: the documentation says otherwise");
    }

    /// Two launches of different speed and some noise, over and over: from three periods on, the interval is a tenth of what batches alone
    /// would say, and still covers the mean of whole periods.
    #[test]
    fn a_period_is_seen_and_used() {
        for count in [150, 185, 250] {
            let level = |i: usize| if i % 50 < 28 { -0.2 } else { 0.2 * 28.0 / 22.0 };
            let series: Vec<f64> = (0..count).map(|i| level(i) + 0.01 * normal(mix(7, i as u64))).collect();
            let mean = series.iter().sum::<f64>() / count as f64;
            let deviations: Vec<f64> = series.iter().map(|x| x - mean).collect();
            let half = half_width(&deviations).unwrap() / count as f64;
            let groups = grouped(&deviations, count / (count / BATCHES));
            let batches = of_groups(&groups) / count as f64;
            assert!(mean.abs() <= half, "{count}: {mean} by {half}");
            assert!(half < batches * if count % 50 == 0 { 0.1 } else { 0.6 }, "{count}: {half}, batches alone {batches}");
        }
    }

    /// The table is the quantile: under the density from −t to t lie 95 %.
    #[test]
    fn the_table_is_of_students_t() {
        for (freedom, &t) in (1_u32..).zip(&T95) {
            let nu = f64::from(freedom);
            let density = |x: f64| libm::pow(1.0 + x * x / nu, -(nu + 1.0) / 2.0);
            let constant = libm::exp(libm::lgamma((nu + 1.0) / 2.0) - libm::lgamma(nu / 2.0)) / libm::sqrt(nu * core::f64::consts::PI);
            let steps = 2000;
            let at =
                |i: u32| density(t * f64::from(i) / f64::from(steps)) * if i == 0 || i == steps { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
            let half = constant * (0..=steps).map(at).sum::<f64>() * t / f64::from(steps) / 3.0;
            assert!((2.0 * half - 0.95).abs() < 1e-4, "{freedom}: {}", 2.0 * half);
        }
    }

    #[test]
    fn too_few_batches_have_no_interval_and_constant_ones_a_point() {
        assert_eq!(half_width(&[0.5; 9]), None);
        assert_eq!(half_width(&[0.0; 10]), Some(0.0));
    }
}
