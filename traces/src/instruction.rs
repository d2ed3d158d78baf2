//! An instruction: what every execution of it has in common, and what one has of its own.

use crate::fault::{Found, fault, shown};
use crate::header::Header;
use crate::opcode::{self, Class, Space};
use crate::scan::{Words, whole};

/// Kinds of registers.
pub const KINDS: [&str; 4] = ["R", "UR", "P", "UP"];

/// A register: its kind, two bits, then its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Register(pub u16);

impl Register {
    fn parse(word: &[u8]) -> Option<Register> {
        let digits = word.iter().position(u8::is_ascii_digit)?;
        let kind = KINDS.iter().position(|kind| kind.as_bytes() == &word[..digits])?;
        let number = whole(&word[digits..]).filter(|n| *n < 256)?;
        Some(Register((kind as u16) << 8 | number as u16))
    }

    /// Whether it is a general one that holds anything: R255 is zero.
    fn is_general(self) -> bool {
        self.0 < 255
    }

    /// Whether it holds anything: each kind has a last one that does not, R255, UR63 (UR255 from Blackwell on), P7 and UP7.
    pub fn holds(self) -> bool {
        let (kind, number) = (self.0 >> 8, self.0 & 255);
        match kind {
            0 => number != 255,
            1 => number != 63 && number != 255,
            _ => number != 7,
        }
    }
}

/// Registers that an instruction names, at most.
pub const MOST_REGISTERS: u64 = 64;

/// What all executions of an instruction have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    /// Its address in the kernel's code.
    pub pc: u32,
    /// The number of its opcode.
    pub opcode: u32,
    /// The opcode's class.
    pub class: Class,
    /// Which memory it reaches.
    pub space: Space,
    /// Bytes that a lane moves; 0 where it has no addresses.
    pub width: u8,
    /// Registers that it writes.
    pub results: Vec<Register>,
    /// Registers that it reads.
    pub sources: Vec<Register>,
    /// Whether a commit of its group belongs to it.
    pub commits: bool,
    /// Groups of asynchronous copies that may stay under way, for a wait for them; 0 where the trace does not say.
    pub groups: u8,
}

impl Form {
    /// Whether its addresses are those of a bulk copy.
    pub fn is_bulk(&self) -> bool {
        self.class == Class::BulkCopy && self.width > 0
    }
}

/// What a bulk copy has besides addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bulk {
    /// Bytes in all.
    pub bytes: u32,
    /// Bytes of them that lie outside the tensor.
    pub outside: u32,
    /// The CTAs of the cluster that get them; 0 where it is not multicast.
    pub ctas: u32,
    /// Where its barrier lies in shared memory.
    pub barrier: u32,
}

/// What an execution has of its own.
#[derive(Debug)]
pub struct Executed<'a> {
    /// Lanes that are active.
    pub mask: u32,
    /// An address for each lane that has one, from the lowest on, or those of a bulk copy.
    pub addresses: &'a [u64],
    /// What a bulk copy has besides.
    pub bulk: Option<Bulk>,
}

/// What an instruction's text says before its memory part.
#[derive(Debug)]
pub(crate) struct Text {
    /// The opcode.
    pub opcode: String,
    /// The form but for the number of its opcode.
    pub form: Form,
    /// The text, one blank between words, as far as it is the same each time.
    pub text: Vec<u8>,
}

/// Reads the text between the mask and the memory part, of a line that has it for the first time.
pub(crate) fn parse(pc: u32, words: &mut Words<'_>, header: &Header) -> Found<Text> {
    let mut text = Vec::new();
    let mut results = registers(words, &mut text, "the number of destinations")?;
    let word = kept(words, &mut text, "an opcode")?;
    let name = std::str::from_utf8(word).ok().filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase()) && name.len() <= 100);
    let name = name.ok_or_else(|| fault(shown(word), "an opcode"))?.to_owned();
    let known = opcode::of(&name);
    let sources = registers(words, &mut text, "the number of sources")?;
    let grouped = header.version >= 6 && opcode::stem(&name).ends_with("GMMA");
    let commits = grouped && number(words, &mut text, "whether a commit belongs to it", 1)? == 1;
    let recorded = number(words, &mut text, "the bytes of a lane", 1 << 20)?;
    let reaches = matches!(known.class, Class::Load | Class::Store | Class::Atomic | Class::AsyncCopy);
    let width = match (recorded, reaches) {
        (0, _) => 0,
        (_, true) => opcode::width(&name),
        (width, false) => width.min(128) as u8,
    };
    if header.version < 6 {
        fill(&mut results, opcode::results(&name, known.class));
    }
    // The number behind it is the same each time: it is part of the code.
    let waits = header.version >= 4 && known.class == Class::Wait && width == 0;
    let groups = if waits { words.clone().word("an immediate").ok().and_then(whole).map_or(0, |n| n.min(255) as u8) } else { 0 };
    let form = Form { pc, opcode: 0, class: known.class, space: known.space, width, results, sources, commits, groups };
    Ok(Text { opcode: name, form, text })
}

/// The next word, also put behind the text.
fn kept<'l>(words: &mut Words<'l>, text: &mut Vec<u8>, what: &str) -> Found<&'l [u8]> {
    let word = words.word(what)?;
    if !text.is_empty() {
        text.push(b' ');
    }
    text.extend_from_slice(word);
    Ok(word)
}

fn number(words: &mut Words<'_>, text: &mut Vec<u8>, what: &str, most: u64) -> Found<u64> {
    let word = kept(words, text, what)?;
    whole(word).filter(|n| *n <= most).ok_or_else(|| fault(shown(word), format!("{what}, a whole number up to {most}")))
}

fn registers(words: &mut Words<'_>, text: &mut Vec<u8>, what: &str) -> Found<Vec<Register>> {
    let count = number(words, text, what, MOST_REGISTERS)?;
    let register = |_| {
        let word = kept(words, text, "a register")?;
        Register::parse(word).ok_or_else(|| fault(shown(word), "a register, such as R12, UR4 or P0"))
    };
    (0..count).map(register).collect()
}

/// Adds the registers that follow the first one in a wide result.
fn fill(results: &mut Vec<Register>, wide: u8) {
    if let [first] = results[..]
        && first.is_general()
    {
        results.extend((1..u16::from(wide)).map(|next| Register(first.0 + next)).filter(|register| register.is_general()));
    }
}
