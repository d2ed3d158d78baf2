//! The one source of randomness: a pure function of its key. Nothing is consumed, so a kernel issues the same addresses under every
//! policy, and a snapshot carries no generator.

/// A well-mixed 64-bit word for `key`: two rounds of multiply and xor-shift (the SplitMix64 finaliser of Steele, Lea and Flood, 2014).
pub const fn draw(key: u64) -> u64 {
    let z = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A draw below `bound` (0 when `bound` is 0), without division.
pub const fn below(key: u64, bound: u64) -> u64 {
    ((draw(key) as u128 * bound as u128) >> 64) as u64
}

/// Folds one more part into a key.
pub const fn mix(key: u64, part: u64) -> u64 {
    draw(key ^ part.wrapping_mul(0xa076_1d64_78bd_642f))
}
