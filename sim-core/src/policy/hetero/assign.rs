//! Which kernels get the big SMs: the arithmetic of the paper, apart from the machine.

use alloc::vec::Vec;

/// What a kernel does on SMs of each class, as many of one as of the other.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Speeds {
    /// IPC on big SMs.
    pub big: f64,
    /// IPC on small SMs.
    pub small: f64,
    /// IPC on uniform SMs, measured or estimated.
    pub base: f64,
}

impl Speeds {
    /// Speed on big SMs, in parts of that on uniform ones; 0 for a kernel that did nothing.
    fn on_big(&self) -> f64 {
        if self.base > 0.0 { self.big / self.base } else { 0.0 }
    }

    fn on_small(&self) -> f64 {
        if self.base > 0.0 { self.small / self.base } else { 0.0 }
    }
}

/// Where kernels go.
#[derive(Clone, PartialEq, Debug)]
pub enum Assignment {
    /// Every kernel has some SMs of each class.
    Split,
    /// Each kernel has SMs of one class: whether of the big one.
    Apart(Vec<bool>),
}

/// The assignment with the greatest sum of speeds.
#[derive(Clone, PartialEq, Debug)]
pub struct Best {
    /// Whether each kernel is on the big SMs.
    pub big: Vec<bool>,
    /// Sum of the speeds in parts of those on uniform SMs.
    pub sum: f64,
    /// The greatest sum of any other way.
    pub other: f64,
}

/// IPC on uniform SMs, from that on big and small ones: linear in the CTAs that an SM holds (Alg. 2, lines 11 and 12). `ctas`: what a uniform,
/// a big and a small SM hold; where the last two are equal, `scaled` stands for the quotient.
pub fn estimate(big: f64, small: f64, ctas: (u32, u32, u32), scaled: f64) -> f64 {
    let (base, most, least) = ctas;
    let scaled = if most == least { scaled } else { (f64::from(base) - f64::from(least)) / (f64::from(most) - f64::from(least)) };
    scaled * (big - small) + small
}

/// Half of the kernels on the big SMs, the others on the small ones: of all ways, that with the greatest sum (Algorithms 1 and 2; four kernels: §6.4). Of equal
/// sums, the one that puts later kernels on the big SMs: the paper's `else`. `split_if_all_gain`: none for two kernels that both do better on
/// big SMs: they keep some of each class.
pub fn best(speeds: &[Speeds], split_if_all_gain: bool) -> Option<Best> {
    if split_if_all_gain && speeds.len() == 2 && speeds.iter().all(|of| of.big > of.small) {
        return None;
    }
    let half = speeds.len() / 2;
    let ways = (0_u32..1 << speeds.len()).filter(|way| way.count_ones() as usize == half);
    let sum =
        |way: u32| -> f64 { speeds.iter().enumerate().map(|(k, of)| if way >> k & 1 == 1 { of.on_big() } else { of.on_small() }).sum() };
    let (mut chosen, mut most, mut other) = (0, f64::NEG_INFINITY, f64::NEG_INFINITY);
    for way in ways {
        let sum = sum(way);
        if sum >= most {
            (chosen, most, other) = (way, sum, most);
        } else {
            other = other.max(sum);
        }
    }
    Some(Best { big: (0..speeds.len()).map(|k| chosen >> k & 1 == 1).collect(), sum: most, other })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dynamic(kernels: [(f64, f64, (u32, u32, u32)); 2]) -> (Vec<f64>, Option<Best>) {
        let speeds = kernels.map(|(big, small, ctas)| Speeds { big, small, base: estimate(big, small, ctas, 0.5) });
        (speeds.iter().map(|of| of.base).collect(), best(&speeds, true))
    }

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 5e-6 * wanted.abs(), "{found}, want {wanted}");
    }

    /// Algorithm 2, worked by hand.
    #[test]
    fn the_pair_with_the_greater_sum_of_speeds_is_taken() {
        let (base, way) = dynamic([(120.0, 80.0, (2, 3, 1)), (50.0, 55.0, (6, 9, 3))]);
        assert_eq!(base, [100.0, 52.5]);
        let Some(Best { big, sum, other }) = way else { panic!("{way:?}") };
        assert_eq!(big, [true, false]);
        near(sum, 2.24762);
        near(other, 1.75238);

        let (_, way) = dynamic([(120.0, 80.0, (2, 3, 1)), (100.0, 90.0, (3, 4, 2))]);
        assert_eq!(way, None, "both do better on big SMs");

        let (base, way) = dynamic([(50.0, 60.0, (8, 10, 4)), (90.0, 100.0, (3, 4, 1))]);
        near(base[0], 53.3333);
        near(base[1], 93.3333);
        let Some(Best { big, sum, other }) = way else { panic!("{way:?}") };
        assert_eq!(big, [false, true]);
        near(sum, 2.08929);
        near(other, 2.00893);
    }

    /// The quotient of each kernel of Table 3, from what the three kinds of SM hold.
    #[test]
    fn the_estimate_is_linear_in_ctas() {
        let scaled = |ctas| estimate(1.0, 0.0, ctas, 0.25);
        for (ctas, wanted) in [
            ((6, 9, 3), 0.5),
            ((6, 9, 1), 0.625),
            ((8, 10, 4), 2.0 / 3.0),
            ((3, 4, 1), 2.0 / 3.0),
            ((2, 3, 1), 0.5),
            ((3, 4, 2), 0.5),
            ((5, 9, 3), 1.0 / 3.0),
            ((8, 10, 6), 0.5),
            ((5, 8, 2), 0.5),
            ((4, 4, 4), 0.25),
        ] {
            near(scaled(ctas), wanted);
        }
    }

    /// Equal sums: the printed `else` puts the second kernel on the big SMs.
    #[test]
    fn of_equal_sums_the_second_kernel_goes_to_the_big_sms() {
        let same = Speeds { big: 90.0, small: 100.0, base: 95.0 };
        let Some(Best { big, sum, other }) = best(&[same, same], true) else { panic!() };
        assert_eq!((big, sum == other), (alloc::vec![false, true], true));
    }

    /// Two of four on the big SMs, whatever all of them like best.
    #[test]
    fn of_four_the_two_that_gain_most_go_to_the_big_sms() {
        let gains = [1.5, 1.1, 1.4, 0.9].map(|gain| Speeds { big: gain, small: 1.0, base: 1.0 });
        let Some(Best { big, sum, other }) = best(&gains, true) else { panic!() };
        assert_eq!(big, [true, false, true, false]);
        near(sum, 4.9);
        near(other, 4.6);
    }

    /// A kernel that did nothing while it was measured pulls no one anywhere.
    #[test]
    fn a_kernel_that_did_nothing_has_no_speed() {
        let (_, way) = dynamic([(0.0, 0.0, (2, 3, 1)), (50.0, 55.0, (6, 9, 3))]);
        let Some(Best { big, sum, .. }) = way else { panic!() };
        assert_eq!((big, sum > 0.0), (alloc::vec![true, false], true));
    }
}
