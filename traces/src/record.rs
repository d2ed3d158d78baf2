//! Instructions in, a recording out.
//!
//! A recording is a stream of records, each a byte that says what it is, then its numbers. Opcodes and forms stand where they first come, then chunks of
//! warps, and at the end of each kernel its counts. A checksum ends it. Nothing in it points forward, so neither who writes nor who reads it goes back.

use crate::count::{Counter, Counts, by_stem};
use crate::fault::{Found, fault, shown};
use crate::header::Header;
use crate::instruction::{self, Bulk, Executed, Form};
use crate::opcode::{self, CLASSES, Class};
use crate::pages::Pages;
use crate::pattern::{self, Chunk, MOST_BYTES, MOST_OF_A_BULK, Memory};
use crate::scan::Words;
use crate::wire::{Sum, between, put, put_text};
use foldhash::HashMap;
use sim_core::describe::error::Problem;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, Write};
use std::ops::Range;
use std::rc::Rc;

/// How a recording begins. No text begins so.
pub const MAGIC: [u8; 8] = *b"\x93CORUN\r\n";

/// The version of recordings that is written and read.
pub const VERSION: u64 = 2;

/// A record that begins a kernel.
pub(crate) const KERNEL: u8 = 1;
/// An opcode that comes for the first time.
pub(crate) const OPCODE: u8 = 2;
/// An instruction whose address, opcode or registers come for the first time.
pub(crate) const FORM: u8 = 3;
/// A part of a warp, or all of it.
pub(crate) const CHUNK: u8 = 4;
/// The end of a kernel, with its counts.
pub(crate) const ENDED: u8 = 5;
/// Copies of all kernels.
pub(crate) const COPIES: u8 = 6;
/// The end.
pub(crate) const LAST: u8 = 7;
/// Forms, and what follows from them, begin anew.
pub(crate) const ANEW: u8 = 8;

/// Instructions of all kernels of a recording that differ in more than their masks and addresses, at most.
pub(crate) const MOST_FORMS: usize = 1 << 20;

/// With more of them than this, they begin anew at the next kernel: a program may have thousands.
const MANY_FORMS: usize = 1 << 16;

/// Bytes of the patterns that may come again: the latest ones.
const WINDOW: usize = 32 << 20;

/// Bytes of chunks of warps that have not ended, at most: then all of them are written as they are.
const OPEN: usize = 96 << 20;

/// Patterns that may come again, the same for who writes and who reads.
pub(crate) struct Window<T> {
    /// Those that are kept, with their sizes.
    pub(crate) kept: VecDeque<(T, usize)>,
    size: usize,
}

impl<T> Default for Window<T> {
    fn default() -> Self {
        Window { kept: VecDeque::new(), size: 0 }
    }
}

impl<T> Window<T> {
    /// Takes a pattern of a size; gives those that have no room any more.
    pub(crate) fn push(&mut self, item: T, size: usize) -> impl Iterator<Item = T> + '_ {
        self.kept.push_back((item, size));
        self.size += size;
        std::iter::from_fn(move || {
            if self.size <= WINDOW || self.kept.len() == 1 {
                return None;
            }
            let (gone, size) = self.kept.pop_front()?;
            self.size -= size;
            Some(gone)
        })
    }
}

/// What a recording of a kernel takes of it, and how.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Take only these CTAs.
    pub ctas: Option<Range<u64>>,
    /// Refuse opcodes that no list has.
    pub strict: bool,
}

/// What is worth saying of an import.
#[derive(Debug, Default)]
pub struct Notes {
    /// Opcodes that no list has, without modifiers, and the class that they got by how they begin.
    pub unknown: BTreeMap<String, Class>,
    /// Opcodes that a run makes simpler than they are.
    pub simplified: BTreeMap<u8, BTreeSet<String>>,
    /// Kernels that have fewer CTAs than their grid.
    pub early: Vec<String>,
    /// Memory instructions whose trace has no addresses for the lanes behind a gap.
    pub gaps: u64,
    /// Kernels whose trace does not say for which architecture they are.
    pub without_architecture: u64,
    /// CTAs stand in clusters.
    pub clusters: bool,
    /// Instructions of asynchronous copies that the raw trace has twice.
    pub doubled: u64,
}

/// A warp that has not ended.
#[derive(Default)]
struct Open {
    chunk: Chunk,
    /// A part of it has been written.
    begun: bool,
    exited: u32,
    /// The first of the two lines of an asynchronous copy has come.
    half: bool,
}

/// A kernel that is being recorded.
struct Kernel {
    header: Header,
    place: String,
    counter: Counter,
    open: HashMap<(u64, u32), Open>,
    /// Bytes of the chunks of open warps.
    bytes: usize,
    /// The warps of each CTA that have come, a bit each.
    ctas: HashMap<u64, u32>,
    /// The CTA of the chunk that was written last.
    last_cta: u64,
}

/// How many forms the search by address remembers.
const REMEMBERED: usize = 1 << 12;

/// What an input is found to do, on its way into a recording.
#[allow(missing_debug_implementations, reason = "its buffers are of no use to anyone")]
pub struct Recorder<W> {
    out: Sum<W>,
    choice: Choice,
    record: Vec<u8>,
    opcodes: Vec<String>,
    numbers: HashMap<String, u32>,
    forms: Vec<Form>,
    /// The text of each form.
    texts: Vec<Box<[u8]>>,
    by_text: HashMap<(u32, Box<[u8]>), u32>,
    remembered: Vec<u32>,
    /// The form that came after each at the same address: unrolled code goes through its registers in turn.
    followers: Vec<u32>,
    /// The last first address of each form in a chunk.
    bases: Vec<u64>,
    pages: Pages,
    window: Window<Rc<[u8]>>,
    /// The number of each kept pattern, and how many there have been.
    patterns: HashMap<Rc<[u8]>, u64>,
    written: u64,
    memory: Memory,
    pattern: Vec<u8>,
    first: Vec<(u32, u64)>,
    addresses: Vec<u64>,
    spare: Vec<Open>,
    kernel: Option<Kernel>,
    kernels: u64,
    /// Bytes of text that have been read, unpacked.
    pub text_bytes: u64,
    copies: u64,
    copied: u64,
    /// What is worth saying.
    pub notes: Notes,
}

fn not_written(error: &io::Error) -> crate::fault::Fault {
    fault(error.to_string(), "room for all of the recording")
}

impl<W: Write> Recorder<W> {
    /// Begins a recording.
    pub fn new(out: W, choice: Choice) -> Found<Self> {
        let mut out = Sum::new(out);
        let mut start = MAGIC.to_vec();
        put(&mut start, VERSION);
        out.write(&start).map_err(|error| not_written(&error))?;
        Ok(Recorder {
            out,
            choice,
            record: Vec::new(),
            opcodes: Vec::new(),
            numbers: HashMap::default(),
            forms: Vec::new(),
            texts: Vec::new(),
            by_text: HashMap::default(),
            remembered: vec![u32::MAX; REMEMBERED],
            followers: Vec::new(),
            bases: Vec::new(),
            pages: Pages::default(),
            window: Window::default(),
            patterns: HashMap::default(),
            written: 0,
            memory: Memory::default(),
            pattern: Vec::new(),
            first: Vec::new(),
            addresses: Vec::new(),
            spare: Vec::new(),
            kernel: None,
            kernels: 0,
            text_bytes: 0,
            copies: 0,
            copied: 0,
            notes: Notes::default(),
        })
    }

    /// Kernels that are recorded so far.
    pub fn kernels(&self) -> u64 {
        self.kernels
    }

    /// Begins a kernel.
    pub fn begin(&mut self, header: Header, place: &str) -> Found<()> {
        let grid = header.ctas();
        if let Some(ctas) = self.choice.ctas.as_ref().filter(|ctas| ctas.start >= ctas.end.min(grid)) {
            return Err(fault(format!("a grid of {grid} CTAs and --ctas {}..{}", ctas.start, ctas.end), "a range that has CTAs of it"));
        }
        self.record.clear();
        if self.forms.len() > MANY_FORMS {
            self.record.push(ANEW);
            self.forms.clear();
            self.texts.clear();
            self.by_text.clear();
            self.remembered.fill(u32::MAX);
            self.followers.clear();
            self.bases.clear();
            self.window = Window::default();
            self.patterns.clear();
        }
        let record = &mut self.record;
        record.push(KERNEL);
        put_text(record, header.name.as_bytes());
        put(record, header.id);
        header.grid.iter().chain(&header.block).for_each(|n| put(record, (*n).into()));
        [header.shared_bytes, header.registers, header.architecture, header.version].iter().for_each(|n| put(record, (*n).into()));
        put(record, header.stream);
        self.notes.without_architecture += u64::from(header.architecture == 0);
        self.pages.begin(&header);
        self.kernel = Some(Kernel {
            header,
            place: place.to_owned(),
            counter: Counter::default(),
            open: HashMap::default(),
            bytes: 0,
            ctas: HashMap::default(),
            last_cta: 0,
        });
        self.flush()
    }

    fn flush(&mut self) -> Found<()> {
        self.out.write(&self.record).map_err(|error| not_written(&error))
    }

    /// Whether a CTA is to be recorded.
    pub fn takes(&self, cta: u64) -> bool {
        self.choice.ctas.as_ref().is_none_or(|ctas| ctas.contains(&cta))
    }

    /// Says that the trace has clusters.
    pub fn clusters(&mut self) {
        self.notes.clusters = true;
    }

    /// Whether a CTA has come.
    pub fn has_cta(&self, cta: u64) -> bool {
        self.kernel.as_ref().is_some_and(|kernel| kernel.ctas.contains_key(&cta))
    }

    /// Says that a CTA is there, with or without warps.
    pub fn cta(&mut self, cta: u64) {
        if let Some(kernel) = &mut self.kernel {
            kernel.ctas.entry(cta).or_insert(0);
        }
    }

    /// Begins a warp of which the trace has all instructions together.
    pub fn warp(&mut self, cta: u64, warp: u32) -> Found<()> {
        let Some(kernel) = &mut self.kernel else { return Err(fault("a warp", "a kernel before it")) };
        if warp >= kernel.header.warps() {
            return Err(fault(format!("warp {warp}"), format!("one of {} warps of a CTA", kernel.header.warps())));
        }
        let seen = kernel.ctas.entry(cta).or_insert(0);
        if *seen >> warp & 1 == 1 {
            return Err(fault(format!("warp {warp} twice"), "each warp of a CTA once"));
        }
        *seen |= 1 << warp;
        kernel.open.insert((cta, warp), self.spare.pop().unwrap_or_default());
        Ok(())
    }

    /// Takes an instruction of a warp: its text, without columns before it. Of a raw trace, the warp begins and ends by itself.
    pub fn instruction(&mut self, cta: u64, warp: u32, words: &mut Words<'_>, raw: bool) -> Found<()> {
        let Some(kernel) = &mut self.kernel else { return Err(fault("an instruction", "a kernel before it")) };
        if kernel.header.has_lines {
            words.whole("a line of source", u32::MAX.into())?;
        }
        let pc = words
            .hex("an address in the kernel's code")
            .and_then(|pc| u32::try_from(pc).map_err(|_| fault(format!("{pc:#x}"), "an address in the kernel's code, below 2^32")))?;
        let mask = words.hex("a mask of lanes")?;
        let mask = u32::try_from(mask).map_err(|_| fault(format!("{mask:#x}"), "a mask of 32 lanes"))?;
        let slot = (pc >> 4) as usize % REMEMBERED;
        let last = self.remembered[slot] as usize;
        let number = if self.fits(last, pc, words) {
            last
        } else {
            let next = self.followers.get(last).map_or(usize::MAX, |next| *next as usize);
            let number = if self.fits(next, pc, words) { next } else { self.form(pc, words)? as usize };
            if let Some(follower) = self.followers.get_mut(last) {
                *follower = number as u32;
            }
            self.remembered[slot] = number as u32;
            number
        };
        let Some(kernel) = &mut self.kernel else { return Err(fault("an instruction", "a kernel before it")) };
        let form = &self.forms[number];
        self.addresses.clear();
        let mut executed = Executed { mask, addresses: &[], bulk: None };
        if form.is_bulk() {
            executed.bulk = Some(bulk(words, &mut self.addresses)?);
        } else if form.width > 0 && lanes(words, mask, &mut self.addresses)? {
            self.notes.gaps += 1;
        }
        tail(words, kernel.header.version, form.results.len() + form.sources.len())?;
        if mask == 0 {
            self.addresses.clear();
            executed.bulk = None;
        }
        if raw && warp >= kernel.header.warps() {
            return Err(fault(format!("warp {warp}"), format!("one of {} warps of a CTA", kernel.header.warps())));
        }
        let spare = &mut self.spare;
        let open = kernel.open.entry((cta, warp)).or_insert_with(|| spare.pop().unwrap_or_default());
        if raw {
            *kernel.ctas.entry(cta).or_insert(0) |= 1 << warp;
            // A raw trace has it twice: for its address in shared memory, then for that in global memory.
            if form.class == Class::AsyncCopy && form.width > 0 {
                open.half = !open.half;
                if open.half {
                    self.notes.doubled += 1;
                    return Ok(());
                }
            }
        }
        for address in &mut self.addresses {
            *address = self.pages.place(*address, form.space)?;
        }
        executed.addresses = &self.addresses;
        kernel.counter.add(form, &executed);
        let before = open.chunk.size();
        open.chunk.push(number as u32, &executed);
        kernel.bytes += open.chunk.size() - before;
        if form.class == Class::Exit {
            open.exited |= mask;
        }
        let ended = raw && open.exited == kernel.header.lanes(warp);
        if ended {
            self.end(cta, warp)
        } else if open.chunk.is_full() {
            self.write((cta, warp))
        } else if kernel.bytes > OPEN {
            let mut warps: Vec<_> = kernel.open.keys().copied().collect();
            warps.sort_unstable();
            warps.into_iter().try_for_each(|warp| self.write(warp))
        } else {
            Ok(())
        }
    }

    /// Goes over the text of a form if it is this one's.
    fn fits(&self, number: usize, pc: u32, words: &mut Words<'_>) -> bool {
        self.forms.get(number).is_some_and(|form| form.pc == pc) && words.skip(&self.texts[number])
    }

    /// The number of a form that neither was the last one at its address nor follows it.
    fn form(&mut self, pc: u32, words: &mut Words<'_>) -> Found<u32> {
        let Some(kernel) = &self.kernel else { return Err(fault("an instruction", "a kernel before it")) };
        let mut parsed = instruction::parse(pc, words, &kernel.header)?;
        let key = (pc, parsed.text.into_boxed_slice());
        if let Some(number) = self.by_text.get(&key) {
            return Ok(*number);
        }
        if self.forms.len() == MOST_FORMS {
            return Err(fault(format!("more than {MOST_FORMS} different instructions"), "the code of kernels"));
        }
        parsed.form.opcode = self.opcode(parsed.opcode)?;
        let form = parsed.form;
        let record = &mut self.record;
        record.clear();
        record.push(FORM);
        let expected = self.forms.last().map_or(0, |form| u64::from(form.pc) + 16);
        put(record, between(expected, pc.into()));
        put(record, form.opcode.into());
        put(record, form.width.into());
        put(record, form.commits.into());
        put(record, form.groups.into());
        for registers in [&form.results, &form.sources] {
            put(record, registers.len() as u64);
            registers.iter().for_each(|register| put(record, register.0.into()));
        }
        let number = self.forms.len() as u32;
        self.forms.push(form);
        self.bases.push(0);
        self.texts.push(key.1.clone());
        self.followers.push(u32::MAX);
        self.by_text.insert(key, number);
        self.flush()?;
        Ok(number)
    }

    /// The number of an opcode.
    fn opcode(&mut self, name: String) -> Found<u32> {
        if let Some(number) = self.numbers.get(&name) {
            return Ok(*number);
        }
        let known = opcode::of(&name);
        let stem = opcode::stem(&name).to_owned();
        if !known.known {
            if self.choice.strict {
                return Err(fault(format!("opcode {name}"), "one that is known, or no --strict"));
            }
            self.notes.unknown.insert(stem.clone(), known.class);
        }
        if known.class.simplified().is_some() {
            self.notes.simplified.entry(known.class as u8).or_default().insert(stem);
        }
        self.record.clear();
        self.record.push(OPCODE);
        put_text(&mut self.record, name.as_bytes());
        self.record.push(known.class as u8);
        self.record.push(known.space as u8);
        self.flush()?;
        let number = self.opcodes.len() as u32;
        self.opcodes.push(name.clone());
        self.numbers.insert(name, number);
        Ok(number)
    }

    /// Ends a warp.
    pub fn end(&mut self, cta: u64, warp: u32) -> Found<()> {
        self.write((cta, warp))?;
        let Some(kernel) = &mut self.kernel else { return Ok(()) };
        if let Some(mut open) = kernel.open.remove(&(cta, warp)) {
            if open.half {
                return Err(fault(format!("an odd number of asynchronous copies in warp {warp} of CTA {cta}"), "each of them twice"));
            }
            (open.begun, open.exited) = (false, 0);
            self.spare.push(open);
        }
        Ok(())
    }

    /// Writes the chunk of a warp.
    fn write(&mut self, warp: (u64, u32)) -> Found<()> {
        let Some(kernel) = &mut self.kernel else { return Ok(()) };
        let Some(open) = kernel.open.get_mut(&warp) else { return Ok(()) };
        if open.chunk.is_empty() && open.begun {
            return Ok(());
        }
        self.pattern.clear();
        self.first.clear();
        pattern::write(&open.chunk, &self.forms, &mut self.memory, &mut self.pattern, &mut self.first);
        if self.pattern.len() as u64 > MOST_BYTES {
            return Err(fault(format!("{} bytes of a chunk", self.pattern.len()), format!("at most {MOST_BYTES}")));
        }
        kernel.bytes -= open.chunk.size();
        open.chunk.clear();
        open.begun = true;
        let record = &mut self.record;
        record.clear();
        record.push(CHUNK);
        put(record, between(kernel.last_cta, warp.0));
        put(record, warp.1.into());
        kernel.last_cta = warp.0;
        match self.patterns.get(&self.pattern[..]) {
            Some(number) => put(record, self.written - number),
            None => {
                put(record, 0);
                put_text(record, &self.pattern);
                let pattern: Rc<[u8]> = Rc::from(&self.pattern[..]);
                for gone in self.window.push(Rc::clone(&pattern), pattern.len()) {
                    self.patterns.remove(&gone);
                }
                self.patterns.insert(pattern, self.written);
                self.written += 1;
            }
        }
        for (form, base) in &self.first {
            let last = &mut self.bases[*form as usize];
            put(record, between(*last, *base));
            *last = *base;
        }
        self.flush()
    }

    /// Ends the kernel. Of a raw trace, all warps must have ended.
    pub fn finish_kernel(&mut self, raw: bool) -> Found<Summary> {
        let Some(kernel) = &mut self.kernel else { return Err(fault("the end of a kernel", "its beginning")) };
        let header = &kernel.header;
        if raw {
            let shown = |cta: u64| header.place(cta).map(|n| n.to_string()).join(",");
            if let Some((cta, warp)) = kernel.open.keys().min() {
                return Err(fault(
                    format!("the end of the file before warp {warp} of CTA {} has ended", shown(*cta)),
                    "EXIT of all lanes of each warp",
                ));
            }
            let all = u32::MAX >> (32 - header.warps());
            if let Some((cta, seen)) = kernel.ctas.iter().filter(|(_, seen)| **seen != all).min() {
                let found = format!("the end of the file with {} of {} warps of CTA {}", seen.count_ones(), header.warps(), shown(*cta));
                return Err(fault(found, "all warps of a CTA"));
            }
        }
        if kernel.ctas.is_empty() {
            return Err(fault("the end of the file before any CTA", "CTAs"));
        }
        let wanted = self.choice.ctas.as_ref().map_or(header.ctas(), |ctas| ctas.end.min(header.ctas()) - ctas.start);
        let found = kernel.ctas.len() as u64;
        if found < wanted {
            self.notes.early.push(format!("{}: it ended early, with {found} of {wanted} CTAs of kernel {}", kernel.place, header.id));
        }
        let counts = &mut kernel.counter.counts;
        counts.ctas = found;
        counts.warps = kernel.ctas.values().map(|seen| u64::from(seen.count_ones())).sum();
        self.record.clear();
        self.record.push(ENDED);
        counts.all().iter().for_each(|(_, n)| put(&mut self.record, *n));
        self.kernels += 1;
        let summary = Summary {
            header: header.clone(),
            counts: counts.clone(),
            by_opcode: by_stem(&kernel.counter.by_opcode, self.opcodes.iter().map(String::as_str)),
        };
        self.kernel = None;
        self.flush()?;
        Ok(summary)
    }

    /// Says that a program copied so many bytes between its memory and the GPU's.
    pub fn copy(&mut self, bytes: u64) {
        self.copies += 1;
        self.copied = self.copied.saturating_add(bytes);
    }

    /// Ends the recording; gives what it was written to, and its size.
    pub fn finish(mut self) -> Result<(W, u64, Notes), Problem> {
        self.record.clear();
        self.record.push(COPIES);
        put(&mut self.record, self.copies);
        put(&mut self.record, self.copied);
        self.record.push(LAST);
        put(&mut self.record, self.kernels);
        self.flush().map_err(|fault| fault.at("(output)"))?;
        let bytes = self.out.bytes + 8;
        let out = self.out.finish().map_err(|error| not_written(&error).at("(output)"))?;
        Ok((out, bytes, self.notes))
    }
}

/// What a kernel of a recording is and does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Its launch.
    pub header: Header,
    /// What it does.
    pub counts: Counts,
    /// Instructions by the part of their opcodes before the first dot.
    pub by_opcode: Vec<(String, u64)>,
}

impl Notes {
    /// All that is worth saying, a line each.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = self.early.clone();
        let mut say = |is: bool, line: String| lines.extend(is.then_some(line));
        let unknown: Vec<String> = self.unknown.iter().map(|(stem, class)| format!("{stem} ({})", class.name())).collect();
        say(!unknown.is_empty(), format!("opcodes that are not known got a class by how they begin: {}", unknown.join(", ")));
        for (class, stems) in &self.simplified {
            let class = CLASSES[usize::from(*class)].0;
            let stems: Vec<&str> = stems.iter().map(String::as_str).collect();
            let becomes = class.simplified().unwrap_or_default();
            say(true, format!("approximated: {} ({}) as {becomes}", stems.join(", "), class.name()));
        }
        say(self.clusters, "approximated: CTAs of a cluster as CTAs without one".into());
        say(self.gaps > 0, format!("{} memory instructions have no address for lanes behind a gap: those do nothing", self.gaps));
        say(self.doubled > 0, format!("{} asynchronous copies stand twice in the raw trace and are taken once", self.doubled));
        say(self.without_architecture > 0, "the trace does not say for which architecture it is (binary version 0)".into());
        lines
    }
}

/// The addresses of lanes; says whether lanes behind a gap have none.
fn lanes(words: &mut Words<'_>, mask: u32, addresses: &mut Vec<u64>) -> Found<bool> {
    let active = mask.count_ones() as usize;
    match words.whole("how addresses are written", 2)? {
        0 => {
            for _ in 0..active {
                addresses.push(words.hex("an address for each active lane")?);
            }
            Ok(false)
        }
        1 => {
            let mut address = words.hex("the address of the first lane")?;
            let stride = words.signed("the distance between lanes")?;
            let run = (mask >> mask.trailing_zeros().min(31)).trailing_ones() as usize;
            for _ in 0..run.min(active) {
                addresses.push(address);
                address = address.wrapping_add_signed(stride);
            }
            Ok(run < active)
        }
        _ => {
            let mut address = words.hex("the address of the first lane")?;
            addresses.push(address);
            for _ in 1..active {
                address = address.wrapping_add_signed(words.signed("a distance for each active lane but the first")?);
                addresses.push(address);
            }
            Ok(false)
        }
    }
}

/// The memory part of a bulk copy.
fn bulk(words: &mut Words<'_>, addresses: &mut Vec<u64>) -> Found<Bulk> {
    let barrier = words.hex("the address of a barrier")?;
    let multicast = words.whole("whether it is multicast", 1)? == 1;
    let ctas = if multicast { words.hex("the CTAs that get it")? } else { 0 };
    let ctas = u32::try_from(ctas).map_err(|_| fault(format!("{ctas:#x}"), "a mask of CTAs"))?;
    let bytes = words.whole("the bytes of a bulk copy", u32::MAX.into())? as u32;
    let outside = words.whole("the bytes of them outside", u32::MAX.into())? as u32;
    // Barriers lie in shared memory: what is above is its window.
    let bulk = Bulk { bytes, outside, ctas, barrier: (barrier & 0xff_ffff) as u32 };
    let mode = words.word("how addresses are written")?;
    match mode {
        b"3" => {
            for _ in 0..words.whole("the number of addresses", MOST_OF_A_BULK)? {
                addresses.push(words.hex("an address")?);
            }
        }
        b"4" => {
            let mut address = words.hex("the first address")?;
            let count = words.whole("the number of addresses", MOST_OF_A_BULK)?;
            if count > 0 {
                addresses.push(address);
            }
            for _ in 1..count {
                address = address.wrapping_add_signed(words.signed("a distance")?);
                addresses.push(address);
            }
        }
        other => return Err(fault(shown(other), "how addresses of a bulk copy are written, 3 or 4")),
    }
    Ok(bulk)
}

/// What stands behind the memory part: immediates, and values of registers.
fn tail(words: &mut Words<'_>, version: u32, registers: usize) -> Found<()> {
    for _ in 0..[0, 0, 0, 0, 1, 1, 2][version.min(6) as usize] {
        words.word("an immediate")?;
    }
    if version >= 6 {
        match words.word("NoVal or Val")? {
            b"NoVal" => {}
            b"Val" => {
                for _ in 0..registers {
                    // A register that is the same for all lanes has one value.
                    let values = words.word("how many values a register has")?;
                    let count = match values {
                        b"1" => 1,
                        b"32" => 32,
                        other => return Err(fault(shown(other), "1 or 32 values of a register")),
                    };
                    for _ in 0..count {
                        words.hex("the value of a register")?;
                    }
                }
            }
            other => return Err(fault(shown(other), "NoVal or Val")),
        }
    }
    words.end()
}
