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
    // WebAssembly has no product of 128 bits, and most bounds are short.
    if cfg!(target_arch = "wasm32") && bound <= u32::MAX as u64 {
        high_word(draw(key), bound)
    } else {
        ((draw(key) as u128 * bound as u128) >> 64) as u64
    }
}

/// The high 64 bits of a product whose second factor has at most 32.
const fn high_word(a: u64, b: u64) -> u64 {
    ((a >> 32) * b + (((a & u32::MAX as u64) * b) >> 32)) >> 32
}

/// Folds one more part into a key.
pub const fn mix(key: u64, part: u64) -> u64 {
    draw(key ^ part.wrapping_mul(0xa076_1d64_78bd_642f))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_high_word_of_a_product_is_that_of_the_whole_product() {
        for b in [0, 1, 3, 128, 0xffff_fffe, 0xffff_ffff] {
            for a in (0..1000).map(draw).chain([0, u64::MAX, u64::MAX << 32, u32::MAX.into()]) {
                assert_eq!(high_word(a, b), ((u128::from(a) * u128::from(b)) >> 64) as u64, "{a} times {b}");
            }
        }
    }
}
