//! Many numbers as one.

use sim_core::study::figure::{Reduce, reduce};

/// Values as one: `min`, `max`, `mean` or `geomean`.
pub fn reduced(how: &str, values: &[f64]) -> Option<f64> {
    match how {
        "min" => values.iter().copied().reduce(f64::min),
        "max" => reduce(Reduce::Max, values),
        "mean" => reduce(Reduce::Mean, values),
        "geomean" => reduce(Reduce::Geomean, values),
        _ => None,
    }
}

/// Each of a list over that of another.
pub fn quotients(above: &[f64], below: &[f64]) -> Vec<f64> {
    above.iter().zip(below).map(|(a, b)| a / b).collect()
}

/// Which part of values holds.
pub fn part(values: &[f64], holds: impl Fn(f64) -> bool) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().filter(|value| holds(**value)).count() as f64 / values.len() as f64)
}

/// Standard deviation over mean.
pub fn variation(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variation = (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / n).sqrt() / mean;
    variation.is_finite().then_some(variation)
}

/// Pearson's correlation; nothing where one of the two does not vary.
pub fn correlation(x: &[f64], y: &[f64]) -> Option<f64> {
    let (mx, my) = (reduced("mean", x)?, reduced("mean", y)?);
    let sum = |f: &dyn Fn(f64, f64) -> f64| x.iter().zip(y).map(|(x, y)| f(x - mx, y - my)).sum::<f64>();
    let r = sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    r.is_finite().then_some(r)
}
