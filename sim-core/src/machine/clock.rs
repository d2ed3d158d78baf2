//! Clock domains by integer ratio to the core clock: exact, without floats, the same on every target.

/// Says how many ticks of a domain fall into each core cycle.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ClockRatio {
    domain_mhz: u32,
    core_mhz: u32,
    phase: u32,
}

impl ClockRatio {
    /// A domain of `domain_mhz` beside a core of `core_mhz` (both positive).
    pub fn new(domain_mhz: u32, core_mhz: u32) -> Self {
        let divisor = gcd(domain_mhz, core_mhz).max(1);
        ClockRatio { domain_mhz: domain_mhz / divisor, core_mhz: (core_mhz / divisor).max(1), phase: 0 }
    }

    /// Moves on by one core cycle and returns the ticks of the domain that fall into it.
    pub fn advance(&mut self) -> u32 {
        self.phase += self.domain_mhz;
        // Divides only if more than one tick can fall: domains are seldom faster than the core.
        let ticks = if self.phase < 2 * self.core_mhz { u32::from(self.phase >= self.core_mhz) } else { self.phase / self.core_mhz };
        self.phase -= ticks * self.core_mhz;
        ticks
    }

    /// Moves on by `cycles` core cycles at once and returns the ticks in them.
    pub fn advance_by(&mut self, cycles: u64) -> u64 {
        let total = u64::from(self.phase) + cycles * u64::from(self.domain_mhz);
        self.phase = (total % u64::from(self.core_mhz)) as u32;
        total / u64::from(self.core_mhz)
    }

    /// Core cycles until `ticks` ≥ 1 more ticks have fallen: the next tick falls into the cycle after the next `cycles_until(1) - 1`.
    pub fn cycles_until(&self, ticks: u64) -> u64 {
        let wanted = ticks.saturating_mul(u64::from(self.core_mhz));
        (wanted - u64::from(self.phase).min(wanted)).div_ceil(u64::from(self.domain_mhz.max(1)))
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::ClockRatio;

    #[test]
    fn two_ticks_in_three_cycles() {
        let mut clock = ClockRatio::new(1200, 1800);
        let ticks: alloc::vec::Vec<u32> = (0..6).map(|_| clock.advance()).collect();
        assert_eq!(ticks, [0, 1, 1, 0, 1, 1]);
    }

    #[test]
    fn the_wait_for_a_tick_is_exact() {
        for (domain, core) in [(1246, 1800), (1800, 1200), (1, 7), (5, 5)] {
            let mut clock = ClockRatio::new(domain, core);
            for ticks in 1..40_u64 {
                let cycles = clock.cycles_until(ticks);
                assert!(clock.clone().advance_by(cycles) >= ticks);
                assert!(clock.clone().advance_by(cycles - 1) < ticks);
                clock.advance();
            }
        }
    }

    #[test]
    fn a_jump_equals_its_steps() {
        let (mut a, mut b) = (ClockRatio::new(1246, 1800), ClockRatio::new(1246, 1800));
        for jump in [1_u64, 7, 900, 12_345] {
            let steps: u64 = (0..jump).map(|_| u64::from(a.advance())).sum();
            assert_eq!(steps, b.advance_by(jump));
            assert_eq!(a, b);
        }
    }
}
