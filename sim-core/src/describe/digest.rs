//! One number for a whole state: equal digests mean equal runs. FNV-1a over fixed-width little-endian words, so that the same state gives the
//! same digest on every target, whatever the width of its `usize`.

use alloc::format;
use alloc::string::String;
use core::hash::Hasher;

/// A 64-bit FNV-1a hasher.
#[derive(Clone, Debug)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    // Whole words at a time: a step of the same kind with a wider mix, and no dependence on the target's byte order.
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 ^= self.0 >> 29;
    }
    fn write_u8(&mut self, n: u8) {
        self.write_u64(n.into());
    }
    fn write_u16(&mut self, n: u16) {
        self.write_u64(n.into());
    }
    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }
    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
    fn write_i64(&mut self, n: i64) {
        self.write_u64(n as u64);
    }
    fn write_isize(&mut self, n: isize) {
        self.write_u64(n as i64 as u64);
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

/// A digest or hash as sixteen hexadecimal digits.
pub fn hex(n: u64) -> String {
    format!("{n:016x}")
}
