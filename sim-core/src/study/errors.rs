//! How far values are from those measured.

use alloc::vec::Vec;

/// The errors of several values, each a part of what was measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Errors<T> {
    /// How many there are.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// The most that nine in ten of them have.
    pub nine_in_ten: f64,
    /// The largest, and what has it.
    pub worst: (f64, T),
    /// The geometric mean of the larger of value and measured over the smaller. A part of what was measured cannot show by how much a value is too small.
    pub factor: f64,
    /// The largest of these factors.
    pub worst_factor: f64,
}

impl<T> Errors<T> {
    /// Of pairs of a value and what was measured, each with what it is of; nothing where there are none.
    pub fn of(values: impl IntoIterator<Item = (f64, f64, T)>) -> Option<Errors<T>> {
        let (mut logs, mut errors) = (Vec::new(), Vec::new());
        for (value, measured, of) in values {
            logs.push(libm::log(value / measured).abs());
            errors.push(((value / measured - 1.0).abs(), of));
        }
        errors.sort_by(|a: &(f64, T), b| a.0.total_cmp(&b.0));
        let count = errors.len();
        let mean = errors.iter().map(|error| error.0).sum::<f64>() / count as f64;
        let nine_in_ten = errors.get((count * 9).div_ceil(10).checked_sub(1)?)?.0;
        let factor = libm::exp(logs.iter().sum::<f64>() / count as f64);
        let worst_factor = libm::exp(logs.into_iter().fold(0.0, f64::max));
        Some(Errors { count, mean, nine_in_ten, worst: errors.pop()?, factor, worst_factor })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_in_ten_are_within_the_ninth_of_ten() {
        let of = |values: &[f64]| Errors::of(values.iter().enumerate().map(|(n, &value)| (value, 100.0, n))).unwrap();
        let ten = of(&[101.0, 98.0, 103.0, 96.0, 105.0, 94.0, 107.0, 92.0, 109.0, 50.0]);
        assert_eq!((ten.count, ten.worst.1), (10, 9));
        assert!((ten.mean - 0.095).abs() < 1e-12 && (ten.nine_in_ten - 0.09).abs() < 1e-12, "{ten:?}");
        let two = of(&[150.0, 100.0]);
        assert_eq!((two.mean, two.nine_in_ten, two.worst), (0.25, 0.5, (0.5, 0)));
        // Four times too small is 75 %, and a factor of four.
        let small = of(&[25.0, 100.0]);
        assert!(small.mean == 0.375 && (small.factor - 2.0).abs() < 1e-12 && (small.worst_factor - 4.0).abs() < 1e-12, "{small:?}");
        assert_eq!(Errors::<()>::of([]), None);
    }
}
