//! Times as they are written, in whole nanoseconds; other decimal numbers with a unit likewise.
//!
//! Microseconds since 1970 with three decimals have 19 digits, and a double keeps 15 to 17: the digits themselves are read.

/// Nanoseconds of a microsecond.
pub const MICROSECOND: u64 = 1000;

/// Largest number that is taken: so that a start and a duration can be added.
const MOST: i128 = 1 << 62;

/// Digits that are looked at: more say nothing in any unit.
const DIGITS: usize = 30;

/// A decimal number, such as `1745263461938401.875` or `-1.5e3`, times its unit and rounded.
pub fn scaled(text: &str, unit: u64) -> Option<i64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let (digits, power) = match digits.split_once(['e', 'E']) {
        Some((digits, power)) => (digits, power.parse::<i32>().ok()?),
        None => (digits, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.len() + fraction.len() > DIGITS || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let value = whole
        .bytes()
        .chain(fraction.bytes())
        .try_fold(0i128, |value, digit| digit.is_ascii_digit().then(|| value * 10 + i128::from(digit - b'0')))?;
    let value = value.checked_mul(unit.into())?;
    let shift = power.checked_sub(fraction.len() as i32)?;
    let ten = 10i128.checked_pow(shift.unsigned_abs());
    let value = match ten {
        Some(ten) if shift >= 0 => value.checked_mul(ten)?,
        Some(ten) => value.checked_add(ten / 2)? / ten,
        None if shift < 0 => 0,
        None => (value == 0).then_some(0)?,
    };
    let value = i64::try_from(value.min(MOST)).ok().filter(|value| i128::from(*value) < MOST)?;
    Some(if negative { -value } else { value })
}

/// A whole number without a sign: it may be written as 7 or 7.0.
pub fn whole(text: &str) -> Option<u64> {
    let whole = text.split_once('.').map_or(Some(text), |(whole, zeros)| zeros.bytes().all(|digit| digit == b'0').then_some(whole))?;
    if whole.bytes().all(|digit| digit.is_ascii_digit()) { whole.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_nanosecond_of_a_time_since_1970_is_lost() {
        for (text, nanoseconds) in [
            ("1745263461938401.875", 1_745_263_461_938_401_875),
            ("1745263461938401", 1_745_263_461_938_401_000),
            ("0", 0),
            ("71", 71_000),
            ("41.407", 41_407),
            ("0.0", 0),
            (".5", 500),
            ("1.7452634619384e15", 1_745_263_461_938_400_000),
            ("1E-3", 1),
            ("0.00049", 0),
            ("0.0005", 1),
            ("1e-99", 0),
            ("-2.5", -2500),
        ] {
            assert_eq!(scaled(text, MICROSECOND), Some(nanoseconds), "{text}");
        }
        assert_eq!(scaled("0.049", 1_000_000), Some(49_000));
    }

    #[test]
    fn what_is_no_number_of_this_kind_is_none() {
        for text in ["", "-", ".", "1,5", "1.2.3", "0x10", "1e", "1e99", "NaN", "inf", " 1", "+1", "5e18", "--1", "1e2147483647"] {
            assert_eq!(scaled(text, MICROSECOND), None, "{text}");
        }
        assert_eq!(["7", "7.0", "18446744073709551615"].map(whole), [Some(7), Some(7), Some(u64::MAX)]);
        assert_eq!(["", "-7", "7.5", "+7", "18446744073709551616", "seven"].map(whole), [None; 6]);
    }
}
