//! Addresses: pages of global memory by first use, and the windows of the other memories.
//!
//! Where an allocation lies is chance. So pages of 2 MiB, in which a GPU maps memory, get numbers in the order in which they come in the trace, and
//! keep what is below: the low 21 bits.

use crate::fault::{Found, fault};
use crate::header::Header;
use crate::opcode::Space;
use foldhash::HashMap;

/// Bits of an address within its page.
pub const PAGE_BITS: u32 = 21;

/// Pages of a recording, at most: 256 GiB.
pub const MOST_PAGES: usize = 1 << 17;

/// Addresses end here: a GPU has 49 bits of them.
const BEYOND: u64 = 1 << 49;

/// A window is so large, and lies at a multiple of this.
const WINDOW: u64 = 1 << 24;

/// Addresses of a recording from here on are of shared memory, then of local memory, then constants; below lie those of global memory.
const SHARED: u64 = 1 << 40;
const LOCAL: u64 = 2 << 40;
const CONSTANT: u64 = 3 << 40;

/// Beyond all addresses of a recording.
pub const END: u64 = 4 << 40;

/// Which memory an address of a recording is of.
pub fn space(address: u64) -> Space {
    match address >> 40 {
        0 => Space::Global,
        1 => Space::Shared,
        2 => Space::Local,
        _ => Space::Constant,
    }
}

/// Numbers of pages.
#[derive(Default)]
pub struct Pages {
    numbers: HashMap<u64, u64>,
    /// The page of the last address, and its number.
    last: Option<(u64, u64)>,
    shared: Option<u64>,
    local: Option<u64>,
}

impl Pages {
    /// From now on addresses are of this kernel.
    pub fn begin(&mut self, header: &Header) {
        // A broken writer has zeros.
        self.shared = header.shared_base.filter(|base| *base > 0);
        self.local = header.local_base.filter(|base| *base > 0);
    }

    /// The address in the recording.
    #[inline]
    pub fn place(&mut self, address: u64, space: Space) -> Found<u64> {
        if address >= BEYOND {
            return Err(fault(format!("address {address:#x}"), "one below 2^49"));
        }
        let within = |base: Option<u64>| base.and_then(|base| address.checked_sub(base)).filter(|offset| *offset < WINDOW);
        match space {
            Space::Global => self.global(address),
            Space::Shared => Ok(SHARED + within(self.shared).unwrap_or(address % WINDOW)),
            Space::Local => Ok(LOCAL + within(self.local).unwrap_or(address % WINDOW)),
            Space::Constant => Ok(CONSTANT + address % WINDOW),
            Space::Generic => match (within(self.shared), within(self.local)) {
                (Some(offset), _) => Ok(SHARED + offset),
                (_, Some(offset)) => Ok(LOCAL + offset),
                _ => self.global(address),
            },
        }
    }

    fn global(&mut self, address: u64) -> Found<u64> {
        let page = address >> PAGE_BITS;
        let number = match self.last {
            Some((last, number)) if last == page => number,
            _ => {
                let next = self.numbers.len() as u64;
                let number = *self.numbers.entry(page).or_insert(next);
                if number as usize >= MOST_PAGES {
                    return Err(fault(format!("more than {MOST_PAGES} pages of 2 MiB"), "addresses of one GPU's memory"));
                }
                self.last = Some((page, number));
                number
            }
        };
        Ok(number << PAGE_BITS | (address & ((1 << PAGE_BITS) - 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_numbered_as_they_come_and_keep_their_low_bits() {
        let mut pages = Pages::default();
        pages.begin(&Header { shared_base: Some(0x7f00_0000_0000), ..Header::default() });
        let at = |pages: &mut Pages, address, space| pages.place(address, space).unwrap();
        assert_eq!(at(&mut pages, 0x7f40_0012_3456, Space::Global), 0x12_3456);
        assert_eq!(at(&mut pages, 0x7000_0000_0010, Space::Global), (1 << 21) + 0x10);
        assert_eq!(at(&mut pages, 0x7f40_001f_ffff, Space::Global), 0x1f_ffff);
        assert_eq!(at(&mut pages, 0x7f40_0020_0000, Space::Global), 2 << 21);
        assert_eq!(at(&mut pages, 0x7f00_0000_0400, Space::Generic), SHARED + 0x400);
        assert_eq!(at(&mut pages, 0x200, Space::Shared), SHARED + 0x200);
        assert_eq!(at(&mut pages, 0x7f00_0100_0000, Space::Generic), 3 << 21);
        assert!(pages.place(1 << 49, Space::Global).is_err());
    }
}
