//! Miss-status holding registers: one entry for each line under way, with the waiters that it will serve.

use super::super::link::Full;
use crate::describe::ids::LineAddr;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

const NONE: u16 = u16::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Entry {
    line: LineAddr,
    /// Next entry in the same bucket, or in the list of free entries.
    next: u16,
    first: u16,
    last: u16,
    waiters: u16,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Waiter<W> {
    what: W,
    next: u16,
}

/// A file of MSHRs with waiters of type `W`. A hash of the line finds an entry; nothing allocates after construction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mshrs<W> {
    buckets: Box<[u16]>,
    entries: Box<[Entry]>,
    free_entry: u16,
    waiters: Vec<Waiter<W>>,
    free_waiter: u16,
    merges: u16,
    used: u16,
}

impl<W: Copy + Default> Mshrs<W> {
    /// A file of `entries` MSHRs (1 to 16,384) that each serve up to `merges` waiters (≥ 1).
    pub fn new(entries: u32, merges: u32) -> Self {
        let buckets = entries.next_power_of_two().max(2);
        Mshrs {
            buckets: vec![NONE; buckets as usize].into(),
            entries: (0..entries)
                .map(|i| Entry { line: 0, next: if i + 1 == entries { NONE } else { i as u16 + 1 }, first: NONE, last: NONE, waiters: 0 })
                .collect(),
            free_entry: 0,
            waiters: Vec::with_capacity(entries as usize),
            free_waiter: NONE,
            merges: merges as u16,
            used: 0,
        }
    }

    fn bucket(&self, line: LineAddr) -> usize {
        // Multiplicative hashing: the high bits of the product are the mixed ones.
        let bits = self.buckets.len().trailing_zeros();
        (line.wrapping_mul(0x9e37_79b1) >> (32 - bits)) as usize
    }

    /// The entry of a line under way.
    pub fn find(&self, line: LineAddr) -> Option<u16> {
        let mut at = self.buckets[self.bucket(line)];
        while at != NONE {
            let entry = &self.entries[at as usize];
            if entry.line == line {
                return Some(at);
            }
            at = entry.next;
        }
        None
    }

    /// Adds a waiter to an entry; refused when the entry serves its maximum.
    pub fn merge(&mut self, entry: u16, what: W) -> Result<(), Full> {
        if self.entries[entry as usize].waiters >= self.merges {
            return Err(Full);
        }
        let at = self.waiter(what);
        let entry = &mut self.entries[entry as usize];
        if entry.first == NONE {
            entry.first = at;
        } else {
            self.waiters[entry.last as usize].next = at;
        }
        entry.last = at;
        entry.waiters += 1;
        Ok(())
    }

    fn waiter(&mut self, what: W) -> u16 {
        if self.free_waiter == NONE {
            self.waiters.push(Waiter { what, next: NONE });
            return (self.waiters.len() - 1) as u16;
        }
        let at = self.free_waiter;
        let slot = &mut self.waiters[at as usize];
        self.free_waiter = slot.next;
        *slot = Waiter { what, next: NONE };
        at
    }

    /// Opens an entry for a line that is not under way, with its first waiter; refused when all are taken.
    pub fn allocate(&mut self, line: LineAddr, what: W) -> Result<u16, Full> {
        if self.free_entry == NONE {
            return Err(Full);
        }
        let at = self.free_entry;
        let bucket = self.bucket(line);
        self.free_entry = self.entries[at as usize].next;
        self.entries[at as usize] = Entry { line, next: self.buckets[bucket], first: NONE, last: NONE, waiters: 0 };
        self.buckets[bucket] = at;
        self.used += 1;
        let _ = self.merge(at, what);
        Ok(at)
    }

    /// The line of an entry.
    pub fn line(&self, entry: u16) -> LineAddr {
        self.entries[entry as usize].line
    }

    /// Takes an entry's oldest waiter; the entry closes with its last.
    pub fn take(&mut self, entry: u16) -> Option<W> {
        let at = self.entries[entry as usize].first;
        if at == NONE {
            return None;
        }
        let waiter = self.waiters[at as usize];
        self.waiters[at as usize].next = self.free_waiter;
        self.waiters[at as usize].what = W::default();
        self.free_waiter = at;
        let state = &mut self.entries[entry as usize];
        state.first = waiter.next;
        state.waiters -= 1;
        if waiter.next == NONE {
            self.close(entry);
        }
        Some(waiter.what)
    }

    /// An entry's oldest waiter.
    pub fn first(&self, entry: u16) -> Option<W> {
        self.waiters.get(usize::from(self.entries[entry as usize].first)).map(|waiter| waiter.what)
    }

    /// An entry's oldest waiter, to be changed.
    pub fn first_mut(&mut self, entry: u16) -> Option<&mut W> {
        self.waiters.get_mut(usize::from(self.entries[entry as usize].first)).map(|waiter| &mut waiter.what)
    }

    /// Whether an entry has waiters, that is, is open.
    pub fn is_open(&self, entry: u16) -> bool {
        self.entries[entry as usize].first != NONE
    }

    fn close(&mut self, entry: u16) {
        let bucket = self.bucket(self.entries[entry as usize].line);
        let after = self.entries[entry as usize].next;
        let mut at = self.buckets[bucket];
        if at == entry {
            self.buckets[bucket] = after;
        } else {
            while self.entries[at as usize].next != entry {
                at = self.entries[at as usize].next;
            }
            self.entries[at as usize].next = after;
        }
        self.entries[entry as usize].next = self.free_entry;
        self.free_entry = entry;
        self.used -= 1;
    }

    /// Entries in use.
    pub fn used(&self) -> u32 {
        u32::from(self.used)
    }

    /// The oldest waiter of each entry in use.
    pub fn oldest(&self) -> impl Iterator<Item = W> {
        self.entries.iter().filter(|entry| entry.first != NONE).map(|entry| self.waiters[entry.first as usize].what)
    }

    /// Whether `allocate` would be refused.
    pub fn is_full(&self) -> bool {
        self.free_entry == NONE
    }
}

impl<W> Mshrs<W> {
    /// Feeds the state to `state`, and of each waiter what `content` feeds.
    pub fn hash_with<H: Hasher>(&self, state: &mut H, content: impl Fn(&W, &mut H)) {
        (&self.buckets, &self.entries, self.free_entry).hash(state);
        self.waiters.len().hash(state);
        for waiter in &self.waiters {
            content(&waiter.what, state);
            waiter.next.hash(state);
        }
        (self.free_waiter, self.merges, self.used).hash(state);
    }
}

impl<W: Hash> Hash for Mshrs<W> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash_with(state, W::hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiters_come_out_in_order_and_the_entry_closes_with_the_last() {
        let mut mshrs = Mshrs::new(2, 2);
        let entry = mshrs.allocate(7, 'a').unwrap();
        assert_eq!(mshrs.find(7), Some(entry));
        assert_eq!(mshrs.merge(entry, 'b'), Ok(()));
        assert_eq!(mshrs.merge(entry, 'c'), Err(Full));
        assert_eq!(mshrs.take(entry), Some('a'));
        assert_eq!(mshrs.find(7), Some(entry));
        assert_eq!(mshrs.take(entry), Some('b'));
        assert_eq!(mshrs.find(7), None);
        assert_eq!(mshrs.used(), 0);
    }

    #[test]
    fn as_many_lines_as_entries() {
        let mut mshrs = Mshrs::new(3, 1);
        let entries: Vec<u16> = (0..3).map(|line| mshrs.allocate(line * 64, line).unwrap()).collect();
        assert!(mshrs.is_full());
        assert_eq!(mshrs.allocate(999, 9), Err(Full));
        assert_eq!(mshrs.take(entries[1]), Some(1));
        assert!(mshrs.allocate(999, 9).is_ok());
    }
}
