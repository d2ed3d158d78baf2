//! Whole numbers as people write them: `20000`, `20k`, `1e6`, `1_000_000`.

/// Reads one.
pub fn whole(written: &str) -> Result<u64, &'static str> {
    read(written).ok_or("want a whole number, such as 20000, 20k, 1e6 or 1_000_000")
}

fn read(written: &str) -> Option<u64> {
    let (number, scale) = match written.char_indices().last()? {
        (at, 'k' | 'K') => (&written[..at], 3),
        (at, 'M') => (&written[..at], 6),
        (at, 'G') => (&written[..at], 9),
        _ => (written, 0),
    };
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.strip_prefix('+').unwrap_or(exponent).parse::<u32>().ok()?),
        None => (number, 0),
    };
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let fraction = digits(fraction)?;
    let fraction = fraction.trim_end_matches('0');
    // 1.5k is 15 × 10^(3 − 1).
    let power = exponent.checked_add(scale)?.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    let all: u64 = (digits(integer)? + fraction).parse().ok()?;
    all.checked_mul(10_u64.checked_pow(power)?)
}

/// Digits, with a `_` between any two of them left out.
fn digits(written: &str) -> Option<String> {
    let parts: Vec<&str> = written.split('_').collect();
    let good = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.iter().all(good).then(|| parts.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_many_spellings() {
        for (written, number) in [
            ("0", 0),
            ("20000", 20_000),
            ("20k", 20_000),
            ("1.5k", 1500),
            ("1.50K", 1500),
            ("3M", 3_000_000),
            ("1e6", 1_000_000),
            ("2.5E+3", 2500),
            ("1_000_000", 1_000_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(whole(written), Ok(number), "{written}");
        }
        for bad in [
            "",
            "k",
            "many",
            "-1",
            "1.5",
            "1e-3",
            "1.2345k",
            "_1",
            "1_",
            "1__0",
            "1e",
            "0x10",
            "1 000",
            "1e20",
            "18446744073709551616",
            "²",
        ] {
            assert!(whole(bad).is_err(), "{bad}");
        }
    }
}
