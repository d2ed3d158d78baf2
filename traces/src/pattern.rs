//! What warps have in common: which instructions, with which masks, and addresses after a base.
//!
//! A chunk of a warp's instructions is a pattern and bases. A pattern holds for each instruction its form and, where that changes, its mask. Of one that
//! has addresses it holds how far its lanes lie apart, and how far it lies from its own last execution in the chunk. An
//! instruction's first address in the chunk is a base. So warps that do the same work elsewhere have the same pattern.

use crate::fault::{Found, fault};
use crate::instruction::{Bulk, Executed, Form};
use crate::wire::{Slice, behind, between, folded, put, unfolded};

/// Instructions of a chunk, at most.
pub const MOST_STEPS: usize = 1 << 16;

/// Distances between lanes that a chunk lists, at most; one instruction may go beyond.
pub const MOST_DISTANCES: usize = 1 << 17;

/// Addresses of a chunk, at most; one instruction may go beyond.
const MOST_ADDRESSES: usize = 1 << 21;

/// Addresses of a bulk copy, at most.
pub const MOST_OF_A_BULK: u64 = 1 << 16;

/// Bytes of a pattern, at most.
pub const MOST_BYTES: u64 = 1 << 23;

/// How the addresses of an instruction lie to its first one.
#[derive(Clone, Copy, Debug)]
enum Lanes {
    /// There are none.
    None,
    /// Each so far from the one before.
    Stride(i64),
    /// Distances from one to the next, among those of the chunk: where they begin, and how many.
    List(u32, u32),
}

/// An instruction of a chunk.
#[derive(Clone, Copy, Debug)]
struct Step {
    form: u32,
    mask: u32,
    base: u64,
    lanes: Lanes,
}

/// A chunk that is being filled.
#[derive(Default)]
pub struct Chunk {
    steps: Vec<Step>,
    distances: Vec<i64>,
    addresses: usize,
    /// Of each bulk copy: how many addresses, and what it has besides.
    bulks: Vec<(u32, Bulk)>,
}

impl Chunk {
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.steps.len() >= MOST_STEPS || self.distances.len() >= MOST_DISTANCES || self.addresses >= MOST_ADDRESSES
    }

    /// Bytes that it takes.
    pub fn size(&self) -> usize {
        self.steps.len() * size_of::<Step>() + self.distances.len() * size_of::<i64>() + self.bulks.len() * size_of::<(u32, Bulk)>()
    }

    pub fn clear(&mut self) {
        self.steps.clear();
        self.distances.clear();
        self.bulks.clear();
        self.addresses = 0;
    }

    /// Takes an instruction.
    pub fn push(&mut self, form: u32, executed: &Executed<'_>) {
        let addresses = executed.addresses;
        self.addresses += addresses.len();
        let apart = |pair: &[u64]| pair[1] as i64 - pair[0] as i64;
        // Where lanes behind a gap have no address, a list says so by its length.
        let all = executed.bulk.is_some() || addresses.len() == executed.mask.count_ones() as usize;
        let stride = addresses.get(..2).map_or(0, apart);
        let lanes = if addresses.is_empty() {
            Lanes::None
        } else if all && addresses.windows(2).all(|pair| apart(pair) == stride) {
            Lanes::Stride(stride)
        } else {
            let start = self.distances.len() as u32;
            self.distances.extend(addresses.windows(2).map(apart));
            Lanes::List(start, addresses.len() as u32 - 1)
        };
        if let Some(bulk) = executed.bulk {
            self.bulks.push((addresses.len() as u32, bulk));
        }
        self.steps.push(Step { form, mask: executed.mask, base: addresses.first().copied().unwrap_or(0), lanes });
    }
}

/// How an instruction's addresses lay when it was last executed in the chunk.
#[derive(Clone, Copy)]
struct Last {
    chunk: u32,
    base: u64,
    lanes: Lanes,
}

/// What is known of each form within a chunk.
#[derive(Default)]
pub struct Memory {
    chunk: u32,
    last: Vec<Last>,
}

impl Memory {
    /// Forgets, for the next chunk.
    fn begin(&mut self, forms: usize) {
        // After 2^32 chunks numbers come again.
        self.chunk = self.chunk.checked_add(1).unwrap_or_else(|| {
            self.last.clear();
            1
        });
        self.last.resize(forms, Last { chunk: 0, base: 0, lanes: Lanes::None });
    }

    fn of(&self, form: u32) -> Option<Last> {
        self.last.get(form as usize).copied().filter(|last| last.chunk == self.chunk)
    }

    fn set(&mut self, form: u32, base: u64, lanes: Lanes) {
        self.last[form as usize] = Last { chunk: self.chunk, base, lanes };
    }
}

/// As the last time.
const AGAIN: u64 = 0;
/// One distance for all lanes.
const STRIDE: u64 = 1;
/// A distance for each lane but the first.
const LIST: u64 = 2;
/// Likewise, behind their number: lanes behind a gap have none.
const PART: u64 = 3;

/// Writes the pattern of a chunk; adds to `bases` the form and the first address of each instruction that has addresses.
pub fn write(chunk: &Chunk, forms: &[Form], memory: &mut Memory, out: &mut Vec<u8>, bases: &mut Vec<(u32, u64)>) {
    memory.begin(forms.len());
    let (mut expected, mut mask) = (0, u32::MAX);
    let mut bulks = chunk.bulks.iter();
    put(out, chunk.steps.len() as u64);
    for step in &chunk.steps {
        let changed = u64::from(step.mask != mask);
        put(out, between(expected, step.form.into()) << 1 | changed);
        if changed == 1 {
            mask = step.mask;
            put(out, mask.into());
        }
        expected = u64::from(step.form) + 1;
        let form = &forms[step.form as usize];
        if form.width == 0 || step.mask == 0 {
            continue;
        }
        if form.is_bulk() {
            let Some((count, bulk)) = bulks.next() else { continue };
            for n in [*count, bulk.bytes, bulk.outside, bulk.ctas, bulk.barrier] {
                put(out, n.into());
            }
            if *count == 0 {
                continue;
            }
        }
        let last = memory.of(step.form);
        let distances = |start: u32, count: u32| &chunk.distances[start as usize..(start + count) as usize];
        let one = !form.is_bulk() && step.mask.is_power_of_two();
        let kind = match (last.map(|last| last.lanes), step.lanes) {
            (Some(Lanes::Stride(last)), Lanes::Stride(stride)) if last == stride || one => AGAIN,
            (Some(Lanes::List(a, n)), Lanes::List(b, m))
                if !form.is_bulk() && distances(a, n) == distances(b, m) && n + 1 == step.mask.count_ones() =>
            {
                AGAIN
            }
            (_, Lanes::Stride(_) | Lanes::None) => STRIDE,
            (_, Lanes::List(_, n)) if form.is_bulk() || n + 1 == step.mask.count_ones() => LIST,
            (_, Lanes::List(..)) => PART,
        };
        match last {
            Some(last) => put(out, between(last.base, step.base) << 2 | kind),
            None => {
                bases.push((step.form, step.base));
                put(out, kind);
            }
        }
        match step.lanes {
            Lanes::Stride(stride) if kind == STRIDE => put(out, folded(stride)),
            Lanes::List(start, count) if kind != AGAIN => {
                if kind == PART {
                    put(out, u64::from(count) + 1);
                }
                distances(start, count).iter().for_each(|distance| put(out, folded(*distance)));
            }
            _ => {}
        }
        let lanes = match (kind, last) {
            (AGAIN, Some(last)) => last.lanes,
            _ => step.lanes,
        };
        memory.set(step.form, step.base, lanes);
    }
}

/// What reading a pattern needs room for.
#[derive(Default)]
pub struct Reader {
    memory: Memory,
    distances: Vec<i64>,
    addresses: Vec<u64>,
}

impl Reader {
    /// Reads a pattern: `base` gives the first address of a form, `each` gets every instruction.
    pub fn read(
        &mut self,
        pattern: &[u8],
        forms: &[Form],
        mut base: impl FnMut(u32) -> Found<u64>,
        mut each: impl FnMut(u32, &Form, &Executed<'_>) -> Found<()>,
    ) -> Found<()> {
        let Reader { memory, distances, addresses } = self;
        memory.begin(forms.len());
        distances.clear();
        let mut in_all = 0;
        let mut wire = Slice::new(pattern);
        let (mut expected, mut mask) = (0, u32::MAX);
        let steps = wire.number("instructions of a chunk", MOST_STEPS as u64)?;
        for _ in 0..steps {
            let head = wire.number("a form", u64::MAX)?;
            let number = behind(expected, head >> 1);
            let Some(form) = usize::try_from(number).ok().and_then(|number| forms.get(number)) else {
                return Err(fault(format!("form {number}"), format!("one of the {} before it", forms.len())));
            };
            if head & 1 == 1 {
                mask = wire.number("a mask", u32::MAX.into())? as u32;
            }
            expected = number + 1;
            let number = number as u32;
            addresses.clear();
            let mut executed = Executed { mask, addresses: &[], bulk: None };
            if form.width == 0 || mask == 0 {
                each(number, form, &executed)?;
                continue;
            }
            let mut count = u64::from(mask.count_ones());
            if form.is_bulk() {
                count = wire.number("addresses of a bulk copy", MOST_OF_A_BULK)?;
                let mut next = |what| wire.number(what, u32::MAX.into()).map(|n| n as u32);
                executed.bulk =
                    Some(Bulk { bytes: next("bytes")?, outside: next("bytes outside")?, ctas: next("CTAs")?, barrier: next("a barrier")? });
            }
            in_all += count as usize;
            if in_all > MOST_ADDRESSES + MOST_OF_A_BULK as usize {
                return Err(fault(format!("{in_all} addresses"), format!("at most {MOST_ADDRESSES} in a chunk")));
            }
            if count > 0 {
                let head = wire.number("addresses", u64::MAX)?;
                let last = memory.of(number);
                let first = match last {
                    Some(last) => behind(last.base, head >> 2),
                    None if head > PART => return Err(fault("a distance to an execution before it", "a base")),
                    None => base(number)?,
                };
                let lanes = match head & 3 {
                    AGAIN => last.ok_or_else(|| fault("lanes as the last time", "how they lie: it is the first time"))?.lanes,
                    STRIDE => Lanes::Stride(unfolded(wire.number("a distance of lanes", u64::MAX)?)),
                    kind => {
                        if kind == PART {
                            count = wire.number("lanes before a gap", count)?.max(1);
                        }
                        let start = distances.len() as u32;
                        for _ in 1..count {
                            distances.push(unfolded(wire.number("a distance of lanes", u64::MAX)?));
                        }
                        Lanes::List(start, count as u32 - 1)
                    }
                };
                memory.set(number, first, lanes);
                let mut address = first;
                addresses.push(address);
                match lanes {
                    Lanes::Stride(stride) => {
                        addresses.extend((1..count).map(|_| {
                            address = address.wrapping_add_signed(stride);
                            address
                        }));
                    }
                    Lanes::List(start, count) => {
                        addresses.extend(distances[start as usize..(start + count) as usize].iter().map(|distance| {
                            address = address.wrapping_add_signed(*distance);
                            address
                        }));
                    }
                    Lanes::None => {}
                }
            }
            executed.addresses = addresses;
            each(number, form, &executed)?;
        }
        if wire.is_empty() { Ok(()) } else { Err(fault("more behind its instructions", "the end of the pattern")) }
    }
}
