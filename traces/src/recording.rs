//! A recording, read and checked: every number of it, and what its kernels do against what it says of them.

use crate::count::{Counter, Counts, by_stem, value};
use crate::fault::{Found, fault};
use crate::header::Header;
use crate::instruction::{Executed, Form, Register};
use crate::opcode::{CLASSES, Space};
use crate::pages::END;
use crate::pattern::{MOST_BYTES, Reader};
use crate::record::{ANEW, CHUNK, COPIES, ENDED, FORM, KERNEL, LAST, MAGIC, MOST_FORMS, OPCODE, Summary, VERSION, Window};
use crate::wire::{Wire, behind};
use sim_core::describe::error::Problem;
use sim_core::describe::value::Value;
use std::collections::HashMap;
use std::io::Read;
use std::rc::Rc;

/// Kernels of a recording, at most.
const MOST_KERNELS: u64 = 1 << 20;

/// Memory spaces, in the order of their numbers.
const SPACES: [Space; 5] = [Space::Global, Space::Shared, Space::Local, Space::Generic, Space::Constant];

/// What a recording holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recording {
    /// Its kernels, in the order of their launches.
    pub kernels: Vec<Summary>,
    /// Copies between the program's memory and the GPU's.
    pub copies: u64,
    /// Their bytes.
    pub copied_bytes: u64,
}

/// An instruction as a recording has it: its CTA, its warp, its opcode, and what it did.
#[derive(Debug)]
pub struct Step<'a> {
    /// The kernel's place in the recording, and what it says of itself.
    pub kernel: (usize, &'a Header),
    /// The chunk that it is in.
    pub chunk: &'a Chunk<'a>,
    /// The CTA's number in the grid.
    pub cta: u64,
    /// The warp's number in the CTA.
    pub warp: u32,
    /// The whole opcode.
    pub opcode: &'a str,
    /// The number of its form.
    pub number: u32,
    /// What all its executions have in common.
    pub form: &'a Form,
    /// What this one has of its own.
    pub executed: &'a Executed<'a>,
}

/// A part of a warp's instructions.
#[derive(Debug)]
pub struct Chunk<'a> {
    /// Its number among all chunks.
    pub number: u64,
    /// The number of its pattern: chunks with one have the same instructions, as far from their bases.
    pub pattern: u64,
    /// The forms whose first addresses are its bases.
    pub firsts: &'a [u32],
    /// The last base of each form.
    bases: &'a [u64],
}

impl Chunk<'_> {
    /// Its bases, in the order of `firsts`.
    pub fn bases(&self) -> impl Iterator<Item = u64> + '_ {
        self.firsts.iter().map(|form| self.bases[*form as usize])
    }
}

/// Who reads a recording, warp by warp, in the order in which the recording has them.
pub trait Visitor {
    /// Whether every instruction is asked for: then each kernel's counts are checked against what the recording says of it.
    const ALL: bool;

    /// Comes to a chunk of a kernel, by the kernel's place in the recording, and of a CTA's warp. Says whether it wants its instructions.
    fn chunk(&mut self, kernel: (usize, &Header), warp: (u64, u32), chunk: &Chunk<'_>) -> bool;

    /// Comes to an instruction.
    fn step(&mut self, step: &Step<'_>);
}

/// Wants every instruction.
struct Every<F>(F);

impl<F: FnMut(&Step<'_>)> Visitor for Every<F> {
    const ALL: bool = true;

    fn chunk(&mut self, _: (usize, &Header), _: (u64, u32), _: &Chunk<'_>) -> bool {
        true
    }

    fn step(&mut self, step: &Step<'_>) {
        (self.0)(step);
    }
}

/// An opcode, and the numbers of its class and its memory.
type Opcode = (String, u8, u8);

/// What chunks share.
struct Pattern {
    /// Its number.
    number: u64,
    bytes: Vec<u8>,
    /// The forms whose first addresses are a chunk's bases.
    firsts: Vec<u32>,
    /// How far from its base each of them reaches, the least and the most.
    reach: Vec<(i64, i64)>,
}

/// Reads a recording; `each` gets all its instructions.
pub fn read<R: Read>(source: R, name: &str, each: impl FnMut(&Step<'_>)) -> Result<Recording, Problem> {
    visit(source, name, &mut Every(each))
}

/// Reads a recording for a visitor. For one that does not ask for all, counts are those that the recording says, and opcodes are not counted.
pub fn visit<R: Read, V: Visitor>(source: R, name: &str, visitor: &mut V) -> Result<Recording, Problem> {
    let mut wire = Wire::new(source, name);
    for byte in MAGIC {
        if wire.byte()? != byte {
            return Err(wire.wrong("another beginning", "a recording of Corun's"));
        }
    }
    let version = wire.number("a version", u64::MAX)?;
    if version != VERSION {
        return Err(wire.wrong(format!("version {version}"), format!("version {VERSION}; import the trace again")));
    }
    let mut recording = Recording::default();
    let mut opcodes: Vec<Opcode> = Vec::new();
    let mut forms: Vec<Form> = Vec::new();
    let mut last_bases: Vec<u64> = Vec::new();
    let mut window: Window<Rc<Pattern>> = Window::default();
    let mut reader = Reader::default();
    let mut kernel: Option<Kernel> = None;
    let (mut chunks, mut patterns) = (0, 0);
    loop {
        match wire.byte()? {
            KERNEL if kernel.is_none() => kernel = Some(Kernel { header: header(&mut wire)?, ..Kernel::default() }),
            ANEW if kernel.is_none() => {
                forms.clear();
                last_bases.clear();
                window = Window::default();
            }
            OPCODE if opcodes.len() < MOST_FORMS => {
                let name = String::from_utf8(wire.text("an opcode", 100)?);
                let name = name.map_err(|_| wire.wrong("an opcode that is no text", "one"))?;
                let class = wire.number("a class", CLASSES.len() as u64 - 1)? as u8;
                opcodes.push((name, class, wire.number("a memory", SPACES.len() as u64 - 1)? as u8));
            }
            FORM if forms.len() < MOST_FORMS => {
                forms.push(form(&mut wire, &opcodes, forms.last().map_or(0, |form| u64::from(form.pc) + 16))?);
                last_bases.push(0);
            }
            CHUNK => {
                let Some(kernel) = &mut kernel else { return Err(wire.wrong("a chunk", "a kernel before it")) };
                let cta = behind(kernel.last_cta, wire.number("a CTA", u64::MAX)?);
                if cta >= kernel.header.ctas() {
                    return Err(wire.wrong(format!("CTA {cta}"), format!("one of {}", kernel.header.ctas())));
                }
                kernel.last_cta = cta;
                let warp = wire.number("a warp", u64::from(kernel.header.warps()) - 1)? as u32;
                let back = wire.number("a pattern", window.kept.len() as u64)? as usize;
                let pattern = if back == 0 {
                    let bytes = wire.text("a pattern", MOST_BYTES)?;
                    let size = bytes.len();
                    let pattern = Pattern::new(patterns, bytes, &forms, &mut reader).map_err(|fault| fault.at(wire.place()))?;
                    let pattern = Rc::new(pattern);
                    patterns += 1;
                    window.push(Rc::clone(&pattern), size).for_each(drop);
                    pattern
                } else {
                    Rc::clone(&window.kept[window.kept.len() - back].0)
                };
                for (form, reach) in pattern.firsts.iter().zip(&pattern.reach) {
                    let base = behind(last_bases[*form as usize], wire.number("a first address", u64::MAX)?);
                    within(base, *reach).map_err(|fault| fault.at(wire.place()))?;
                    last_bases[*form as usize] = base;
                }
                let chunk = Chunk { number: chunks, pattern: pattern.number, firsts: &pattern.firsts, bases: &last_bases };
                chunks += 1;
                kernel
                    .chunk((recording.kernels.len(), cta, warp), &pattern.bytes, (&forms, &opcodes, &chunk), &mut reader, visitor)
                    .map_err(|fault| fault.at(wire.place()))?;
            }
            ENDED => {
                let Some(kernel) = kernel.take() else { return Err(wire.wrong("the end of a kernel", "its beginning")) };
                if recording.kernels.len() as u64 == MOST_KERNELS {
                    return Err(wire.wrong(format!("more than {MOST_KERNELS} kernels"), "fewer"));
                }
                recording.kernels.push(kernel.end(&mut wire, &opcodes, V::ALL)?);
            }
            COPIES if kernel.is_none() => {
                recording.copies = wire.number("copies", u64::MAX)?;
                recording.copied_bytes = wire.number("bytes of copies", u64::MAX)?;
            }
            LAST if kernel.is_none() => {
                let kernels = wire.number("kernels", u64::MAX)?;
                if kernels != recording.kernels.len() as u64 {
                    return Err(wire.wrong(format!("{kernels} kernels"), format!("{}, as there are", recording.kernels.len())));
                }
                return wire.finish().map(|()| recording);
            }
            other => return Err(wire.wrong(format!("record {other}"), "one that can stand here")),
        }
    }
}

impl Pattern {
    /// Reads it as if all its bases were 0: so its addresses are the distances from them.
    fn new(number: u64, bytes: Vec<u8>, forms: &[Form], reader: &mut Reader) -> Found<Pattern> {
        let (mut firsts, mut reach): (Vec<u32>, Vec<(i64, i64)>) = (Vec::new(), Vec::new());
        let mut last = 0;
        reader.read(
            &bytes,
            forms,
            |_| Ok(0),
            |form, _, executed| {
                let distances = executed.addresses.iter().map(|address| *address as i64);
                let Some((least, most)) = distances.clone().min().zip(distances.max()) else { return Ok(()) };
                // The next one most often: a loop comes to its forms in their order.
                match (last + 1..firsts.len()).chain(0..firsts.len()).find(|at| firsts[*at] == form) {
                    Some(at) => {
                        reach[at] = (least.min(reach[at].0), most.max(reach[at].1));
                        last = at;
                    }
                    None => {
                        last = firsts.len();
                        firsts.push(form);
                        reach.push((least, most));
                    }
                }
                Ok(())
            },
        )?;
        Ok(Pattern { number, bytes, firsts, reach })
    }
}

/// Whether addresses so far from a base are those of a recording.
fn within(base: u64, (least, most): (i64, i64)) -> Found<()> {
    let ends = [least, most].map(|distance| i128::from(base) + i128::from(distance));
    match ends.iter().find(|end| !(0..i128::from(END)).contains(*end)) {
        Some(beyond) => Err(fault(format!("address {:#x}", *beyond as u64), "one of a recording")),
        None => Ok(()),
    }
}

/// A kernel that is being read.
#[derive(Default)]
struct Kernel {
    header: Header,
    counter: Counter,
    ctas: HashMap<u64, u32>,
    last_cta: u64,
}

impl Kernel {
    fn chunk<V: Visitor>(
        &mut self,
        (number, cta, warp): (usize, u64, u32),
        pattern: &[u8],
        (forms, opcodes, chunk): (&[Form], &[Opcode], &Chunk<'_>),
        reader: &mut Reader,
        visitor: &mut V,
    ) -> Found<()> {
        let (counter, header) = (&mut self.counter, &self.header);
        if V::ALL {
            *self.ctas.entry(cta).or_insert(0) |= 1 << warp;
        }
        if !visitor.chunk((number, header), (cta, warp), chunk) {
            return Ok(());
        }
        reader.read(
            pattern,
            forms,
            |form| Ok(chunk.bases[form as usize]),
            |number_of_form, form, executed| {
                if V::ALL {
                    counter.add(form, executed);
                }
                visitor.step(&Step {
                    kernel: (number, header),
                    chunk,
                    cta,
                    warp,
                    opcode: &opcodes[form.opcode as usize].0,
                    number: number_of_form,
                    form,
                    executed,
                });
                Ok(())
            },
        )
    }

    fn end<R: Read>(mut self, wire: &mut Wire<R>, opcodes: &[Opcode], counted: bool) -> Result<Summary, Problem> {
        let mut stated = [0; Counts::COUNT];
        for n in &mut stated {
            *n = wire.number("a count", u64::MAX)?;
        }
        if !counted {
            return Ok(Summary { header: self.header, counts: Counts::of(stated), by_opcode: Vec::new() });
        }
        let counts = &mut self.counter.counts;
        // CTAs that no warp has are only stated.
        counts.ctas = stated[0].max(self.ctas.len() as u64).min(self.header.ctas());
        counts.warps = self.ctas.values().map(|warps| u64::from(warps.count_ones())).sum();
        let stated = Counts::of(stated);
        if let Some(((name, found), (_, said))) = counts.all().into_iter().zip(stated.all()).find(|(found, said)| found != said) {
            return Err(wire.wrong(format!("{name} {said}"), format!("{found}, as its instructions have")));
        }
        let by_opcode = by_stem(&self.counter.by_opcode, opcodes.iter().map(|(name, _, _)| name.as_str()));
        Ok(Summary { header: self.header, counts: self.counter.counts, by_opcode })
    }
}

fn header<R: Read>(wire: &mut Wire<R>) -> Result<Header, Problem> {
    let name = String::from_utf8_lossy(&wire.text("the name of a kernel", 1 << 20)?).into_owned();
    let id = wire.number("the number of a kernel", u32::MAX.into())?;
    let mut next = |what, most: u32| wire.number(what, most.into()).map(|n| n as u32);
    let grid = [next("a grid", i32::MAX as u32)?, next("a grid", 65_535)?, next("a grid", 65_535)?];
    let block = [next("a block", 1024)?, next("a block", 1024)?, next("a block", 64)?];
    let header = Header {
        name,
        id,
        grid,
        block,
        shared_bytes: next("shared memory", 1 << 20)?,
        registers: next("registers", 255)?,
        architecture: next("an architecture", 999)?,
        version: next("a version of the tracer", 6)?,
        stream: wire.number("a stream", u64::MAX)?,
        ..Header::default()
    };
    let threads: u64 = block.iter().map(|n| u64::from(*n)).product();
    let ctas: u128 = grid.iter().map(|n| u128::from(*n)).product();
    if !(1..=1024).contains(&threads) || !(1..=u128::from(u32::MAX)).contains(&ctas) {
        return Err(wire.wrong(format!("a grid of {grid:?} with blocks of {block:?}"), "one that a GPU has"));
    }
    Ok(header)
}

fn form<R: Read>(wire: &mut Wire<R>, opcodes: &[Opcode], expected: u64) -> Result<Form, Problem> {
    let pc = behind(expected, wire.number("an address of code", u64::MAX)?);
    let pc = u32::try_from(pc).map_err(|_| wire.wrong(format!("address {pc:#x} of code"), "one below 2^32"))?;
    let opcode = wire.number("an opcode", u64::MAX)?;
    let known = usize::try_from(opcode).ok().and_then(|at| opcodes.get(at));
    let Some((_, class, space)) = known else { return Err(wire.wrong(format!("opcode {opcode}"), format!("one of {}", opcodes.len()))) };
    let width = wire.number("bytes of a lane", 128)? as u8;
    let commits = wire.number("whether it commits", 1)? == 1;
    let groups = wire.number("groups under way", 255)? as u8;
    let mut registers = || -> Result<Vec<Register>, Problem> {
        let count = wire.number("registers", 128)?;
        (0..count).map(|_| wire.number("a register", 1023).map(|n| Register(n as u16))).collect()
    };
    let (results, sources) = (registers()?, registers()?);
    let (class, space) = (CLASSES[usize::from(*class)].0, SPACES[usize::from(*space)]);
    Ok(Form { pc, opcode: opcode as u32, class, space, width, results, sources, commits, groups })
}

impl Recording {
    /// All of it as JSON has it.
    pub fn encode(&self) -> Value {
        Value::object([
            ("recording", value(VERSION)),
            ("copies", value(self.copies)),
            ("copied_bytes", value(self.copied_bytes)),
            ("kernels", Value::array(self.kernels.iter().map(Summary::encode))),
        ])
    }
}

impl Summary {
    /// What a kernel is and does, as JSON has it.
    pub fn encode(&self) -> Value {
        let Header { name, id, grid, block, shared_bytes, registers, architecture, stream, version, .. } = &self.header;
        let numbers = |numbers: &[u32; 3]| Value::array(numbers.iter().map(|n| value((*n).into())));
        let mut pairs = vec![
            ("name", Value::from(name.as_str())),
            ("id", value(*id)),
            ("grid", numbers(grid)),
            ("block", numbers(block)),
            ("stream", value(*stream)),
            ("architecture", value((*architecture).into())),
            ("tracer_version", value((*version).into())),
            ("threads", value(self.header.threads().into())),
            ("registers", value((*registers).into())),
            ("shared_bytes", value((*shared_bytes).into())),
        ];
        pairs.extend(self.counts.all().map(|(name, n)| (name, value(n))));
        pairs.push(("by_opcode", Value::object(self.by_opcode.iter().map(|(stem, n)| (stem.as_str(), value(*n))))));
        Value::object(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opcode::Class;
    use crate::wire::{folded, put};

    /// A pattern that chunks share is read once: that none of them leaves the memory of a recording follows from it and from their bases.
    #[test]
    fn a_chunk_reaches_no_further_than_a_recording_does() {
        let form = |width| Form {
            pc: 0,
            opcode: 0,
            class: Class::Load,
            space: Space::Global,
            width,
            results: vec![],
            sources: vec![],
            commits: false,
            groups: 0,
        };
        // Four lanes 128 bytes apart; the same 4096 bytes before; four of another form, downwards; and one that has no addresses.
        let steps = [&[1, 15, 1, folded(128)][..], &[2, folded(-4096) << 2], &[0, 1, folded(-8)], &[0]];
        let mut bytes = vec![steps.len() as u8];
        steps.concat().into_iter().for_each(|n| put(&mut bytes, n));
        let pattern = Pattern::new(0, bytes, &[form(4), form(8), form(0)], &mut Reader::default()).unwrap();
        assert_eq!((pattern.firsts, &pattern.reach[..]), (vec![0, 1], &[(-4096, 384), (-24, 0)][..]));
        for (base, is_there) in [(4096, true), (4095, false), (END - 385, true), (END - 384, false), (u64::MAX, false)] {
            assert_eq!(within(base, pattern.reach[0]).is_ok(), is_there, "{base:#x}");
        }
    }
}
