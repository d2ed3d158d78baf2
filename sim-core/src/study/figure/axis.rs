//! An axis: round numbers at even steps, and where a number lies on it.

use super::svg::plain;
use alloc::string::String;
use alloc::vec::Vec;

/// Numbers from `low` to `high` along pixels from `start` to `end`.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    low: f64,
    high: f64,
    step: f64,
    start: f64,
    end: f64,
}

impl Axis {
    /// An axis that covers `values`, and zero if it is asked for, with at most about `ticks` steps.
    pub fn over(values: impl IntoIterator<Item = f64>, zero: bool, ticks: usize, (start, end): (f64, f64)) -> Axis {
        let first = if zero { (0.0, 0.0) } else { (f64::INFINITY, f64::NEG_INFINITY) };
        let (mut low, mut high) = values.into_iter().fold(first, |(low, high), v| (low.min(v), high.max(v)));
        if !low.is_finite() || !high.is_finite() {
            (low, high) = (0.0, 1.0);
        }
        if high - low <= 0.0 {
            high = low + if low == 0.0 { 1.0 } else { low.abs() };
        }
        let rough = (high - low) / ticks.max(1) as f64;
        let power = libm::pow(10.0, libm::floor(libm::log10(rough)));
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|n| n * power).into_iter().find(|step| *step >= rough * 0.999).unwrap_or(rough);
        Axis { low: libm::floor(low / step + 1e-9) * step, high: libm::ceil(high / step - 1e-9) * step, step, start, end }
    }

    /// An axis from the first of its values to the last, not from a round number to the next.
    pub fn tight(self, values: impl IntoIterator<Item = f64>) -> Axis {
        let (low, high) = values.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low >= high {
            return self;
        }
        // Fewer round numbers may lie within; one alone would say no scale.
        let within = libm::floor(high / self.step) - libm::ceil(low / self.step) + 1.0;
        Axis { low, high, step: if within < 2.0 { self.step / 2.0 } else { self.step }, ..self }
    }

    /// Where a number lies; numbers outside lie at the nearer end.
    pub fn at(&self, value: f64) -> f64 {
        let part = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.start + part * (self.end - self.start)
    }

    /// The round numbers, with their texts; `percent` writes fractions as percent.
    pub fn ticks(&self, percent: bool) -> Vec<(f64, String)> {
        let first = libm::ceil(self.low / self.step - 1e-9) * self.step;
        let count = libm::floor((self.high - first) / self.step + 1e-9) as usize;
        let scale = if percent { 100.0 } else { 1.0 };
        let places = decimals(self.step * scale);
        let tick = |i| first + i as f64 * self.step;
        (0..=count.min(100)).map(|i| (tick(i), plain(tick(i) * scale, places))).collect()
    }
}

/// Decimals that a step needs.
fn decimals(step: f64) -> usize {
    (0..6)
        .find(|places| {
            let scaled = step * libm::pow(10.0, *places as f64);
            (scaled - libm::round(scaled)).abs() < 1e-6 * scaled
        })
        .unwrap_or(6)
}
