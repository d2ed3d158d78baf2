//! One number for a whole state: equal digests mean equal runs. FNV-1a over fixed-width little-endian words, so that the same state gives the
//! same digest on every target, whatever the width of its `usize`.

use alloc::format;
use alloc::string::String;
use core::hash::Hasher;

/// A 64-bit FNV-1a hasher.
#[derive(Clone, Debug)]
pub struct Fnv {
    hash: u64,
    /// Kernels of the mix.
    kernels: usize,
}

impl Default for Fnv {
    fn default() -> Self {
        Fnv::of_mix(0)
    }
}

impl Fnv {
    /// A hasher for the state of a mix of so many kernels. It leaves out what a [`PerKernel`](super::ids::PerKernel) has of kernels beyond the eighth that
    /// the mix does not have. So a digest does not depend on how many kernels another mix may have.
    pub fn of_mix(kernels: usize) -> Self {
        Fnv { hash: 0xcbf2_9ce4_8422_2325, kernels }
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    // Hashes whole words: a step of the same kind with a wider mix, independent of the target's byte order.
    fn write_u64(&mut self, word: u64) {
        self.hash = (self.hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        self.hash ^= self.hash >> 29;
    }
    // What a `PerKernel` has of one kernel: its number above, the hash of its value below.
    fn write_u128(&mut self, of_kernel: u128) {
        if of_kernel >> 64 < self.kernels as u128 {
            self.write_u64(of_kernel as u64);
        }
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
        self.hash
    }
}

/// A digest or hash as sixteen hexadecimal digits.
pub fn hex(n: u64) -> String {
    format!("{n:016x}")
}

/// What `hex` has written.
pub fn of_hex(text: &str) -> Option<u64> {
    let is_one = text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    u64::from_str_radix(text, 16).ok().filter(|_| is_one)
}

/// Between a line's content and its checksum.
const CHECK: &str = ",\"check\":\"";

/// A JSON object on one line, with its checksum as the last field: FNV-1a over all bytes before that field, sixteen hexadecimal digits.
pub fn with_check(object: &str) -> String {
    let body = object.strip_suffix('}').unwrap_or(object);
    format!("{body}{CHECK}{}\"}}", hex(of_bytes(body.as_bytes())))
}

/// The checksum that a line has and the one that it should have, where nothing follows the line's last `}`. Lines of older files have no
/// checksum.
pub fn check_of(line: &[u8]) -> (Option<&[u8]>, String) {
    let end = line.len().saturating_sub(CHECK.len() + 18);
    let (body, rest) = line.split_at(end);
    let found = rest.strip_prefix(CHECK.as_bytes()).and_then(|rest| rest.strip_suffix(b"\"}"));
    let body = if found.is_some() { body } else { line.strip_suffix(b"}").unwrap_or(line) };
    (found, hex(of_bytes(body)))
}

fn of_bytes(bytes: &[u8]) -> u64 {
    let mut hash = Fnv::default();
    hash.write(bytes);
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_notices_every_changed_byte() {
        let line = with_check(r#"{"index":3,"ipc":41.25}"#);
        let (found, wanted) = check_of(line.as_bytes());
        assert_eq!(found, Some(wanted.as_bytes()));
        let old = check_of(br#"{"index":3,"ipc":41.25}"#);
        assert_eq!(old, (None, wanted), "a line without one is named by the same figure");
        for at in 0..line.len() {
            for flip in [1, 2, 0x80] {
                let mut changed = line.clone().into_bytes();
                changed[at] ^= flip;
                let (found, wanted) = check_of(&changed);
                assert!(found != Some(wanted.as_bytes()), "byte {at}");
            }
        }
        assert_eq!(check_of(b"").0, None);
    }
}
