//! What a kernel does, counted: while it is recorded, and again when its recording is read.

use crate::instruction::{Executed, Form};
use crate::opcode::{Class, Space, stem};
use crate::pages::{MOST_PAGES, PAGE_BITS, space};
use sim_core::describe::value::Value;

/// Bits of an address within its line of 128 bytes.
const LINE_BITS: u32 = 7;

/// Words that hold a bit for each line of a page.
const WORDS: usize = 1 << (PAGE_BITS - LINE_BITS - 6);

macro_rules! counts {
    ($($(#[$about:meta])+ $name:ident,)+) => {
        /// Sums over a kernel.
        #[derive(Clone, PartialEq, Eq, Debug, Default)]
        pub struct Counts { $($(#[$about])+ pub $name: u64,)+ }

        impl Counts {
            /// How many there are.
            pub const COUNT: usize = [$(stringify!($name)),+].len();

            /// All of them, with their names.
            pub fn all(&self) -> [(&'static str, u64); Self::COUNT] {
                [$((stringify!($name), self.$name)),+]
            }

            /// The counts of these numbers, in the order of `all`.
            pub fn of([$($name),+]: [u64; Self::COUNT]) -> Counts {
                Counts { $($name),+ }
            }
        }
    };
}

counts! {
    /// CTAs that are recorded.
    ctas,
    /// Warps that are recorded.
    warps,
    /// Instructions of warps.
    instructions,
    /// Lanes that were active, over all instructions.
    active_lanes,
    /// Bytes that lanes load from global memory, without those of atomic operations.
    global_load_bytes,
    /// Bytes that lanes store to global memory, likewise.
    global_store_bytes,
    /// Bytes of global memory that atomic operations and reductions reach.
    atomic_bytes,
    /// Bytes of bulk copies.
    bulk_bytes,
    /// Different lines of 128 bytes of global memory that are touched.
    lines_of_128,
    /// Lines of each instruction, over all instructions: what a coalescer of 128 bytes makes of them.
    line_accesses,
}

/// Counts a kernel's instructions as they come.
#[derive(Debug, Default)]
pub struct Counter {
    /// What is counted so far.
    pub counts: Counts,
    /// Instructions by opcode, by the opcode's number.
    pub by_opcode: Vec<u64>,
    lines: Lines,
    /// Lines of the instruction.
    touched: Vec<u64>,
}

impl Counter {
    /// Takes an instruction.
    pub fn add(&mut self, form: &Form, executed: &Executed<'_>) {
        self.counts.instructions += 1;
        self.counts.active_lanes += u64::from(executed.mask.count_ones());
        let opcode = form.opcode as usize;
        if self.by_opcode.len() <= opcode {
            self.by_opcode.resize(opcode + 1, 0);
        }
        self.by_opcode[opcode] += 1;
        if executed.addresses.is_empty() {
            return;
        }
        let width = u64::from(form.width);
        self.touched.clear();
        let mut lanes = 0;
        for &address in executed.addresses.iter().filter(|address| space(**address) == Space::Global) {
            lanes += 1;
            let last = if executed.bulk.is_some() { address } else { address + width - 1 };
            for line in address >> LINE_BITS..=last >> LINE_BITS {
                if self.touched.last() != Some(&line) {
                    self.touched.push(line);
                }
            }
        }
        match (&executed.bulk, form.class) {
            (Some(bulk), _) => self.counts.bulk_bytes += u64::from(bulk.bytes),
            (None, Class::Store) => self.counts.global_store_bytes += lanes * width,
            (None, Class::Atomic) => self.counts.atomic_bytes += lanes * width,
            (None, _) => self.counts.global_load_bytes += lanes * width,
        }
        if !self.touched.is_sorted() {
            self.touched.sort_unstable();
        }
        self.touched.dedup();
        self.counts.line_accesses += self.touched.len() as u64;
        self.counts.lines_of_128 += self.touched.iter().filter(|line| self.lines.insert(**line)).count() as u64;
    }
}

/// Lines that have been touched, a bit each.
#[derive(Debug, Default)]
struct Lines {
    pages: Vec<Option<Box<[u64; WORDS]>>>,
}

impl Lines {
    /// Takes a line; says whether it is a new one.
    fn insert(&mut self, line: u64) -> bool {
        let page = (line >> (PAGE_BITS - LINE_BITS)) as usize;
        // An address at the end of the last page can reach one byte beyond it.
        if page > MOST_PAGES {
            return false;
        }
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        let words = self.pages[page].get_or_insert_with(|| Box::new([0; WORDS]));
        let at = (line as usize) % (64 * WORDS);
        let bit = 1 << (at % 64);
        let new = words[at / 64] & bit == 0;
        words[at / 64] |= bit;
        new
    }
}

/// Instructions by the part of their opcodes before the first dot, in the order in which those first come.
pub fn by_stem<'o>(by_opcode: &[u64], opcodes: impl Iterator<Item = &'o str>) -> Vec<(String, u64)> {
    let mut stems: Vec<(String, u64)> = Vec::new();
    for (count, opcode) in by_opcode.iter().zip(opcodes).filter(|(count, _)| **count > 0) {
        match stems.iter_mut().find(|(known, _)| known == stem(opcode)) {
            Some((_, sum)) => *sum += count,
            None => stems.push((stem(opcode).to_owned(), *count)),
        }
    }
    stems
}

/// A number as JSON has it.
pub fn value(n: u64) -> Value {
    Value::from(i64::try_from(n).unwrap_or(i64::MAX))
}
