//! A kernel's bandwidth against its CTAs: where it is measured, and the curve through what was measured (CCBP §5.4).

use super::model::Factors;
use alloc::vec::Vec;

/// A measurement of a kernel's bandwidth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// CTAs that could issue, on every SM.
    pub ctas: u32,
    /// Units of each bandwidth.
    pub noc: f64,
    pub dram: f64,
    /// rf and df meanwhile.
    pub factors: Factors,
}

/// CTA counts at which a curve is measured.
pub fn cta_points(even: u32) -> Vec<u32> {
    if even <= 6 { (1..=even).collect() } else { alloc::vec![1, 2, even.div_ceil(2), even] }
}

/// A curve from 0 to `most` CTAs through measured points: lines between them, the last slope beyond them, never falling, at most `units`.
pub fn through(points: &[(u32, f64)], most: u32, units: f64) -> Vec<f64> {
    let mut known: Vec<(u32, f64)> = alloc::vec![(0, 0.0)];
    for &(ctas, value) in points {
        let before = known.last().map_or(0.0, |last| last.1);
        known.push((ctas, value.min(units).max(before)));
    }
    let at = |ctas: u32| {
        let after = known.iter().position(|point| point.0 >= ctas).unwrap_or(known.len() - 1).max(1);
        match (known.get(after - 1), known.get(after)) {
            (Some(&(a, from)), Some(&(b, to))) => from + (to - from) * f64::from(ctas - a) / f64::from(b - a),
            _ => 0.0,
        }
    };
    (0..=most).map(|ctas| at(ctas).min(units)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_go_through_what_was_measured() {
        assert_eq!([4, 7, 16].map(cta_points), [[1, 2, 3, 4], [1, 2, 4, 7], [1, 2, 8, 16]]);
        // Lines between, the last slope beyond, no more than is sustainable.
        let points = [(1, 2.0), (2, 4.0), (4, 9.0), (7, 12.0)];
        assert_eq!(through(&points, 12, 15.0), [0.0, 2.0, 4.0, 6.5, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 15.0, 15.0]);
        assert_eq!(through(&[(1, 5.0), (2, 4.0)], 3, 20.0), [0.0, 5.0, 5.0, 5.0], "never falling");
        assert_eq!(through(&[(1, 30.0)], 2, 20.0), [0.0, 20.0, 20.0]);
        assert_eq!(through(&[(1, 1.5)], 3, 20.0), [0.0, 1.5, 3.0, 4.5]);
    }
}
