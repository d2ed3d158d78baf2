//! A recorded launch: what each warp of a real launch did, instruction by instruction, with its lanes and its addresses.
//!
//! Warps that do the same work elsewhere share it. A warp's instructions come in chunks; a chunk is a pattern and bases. A pattern's steps say which
//! form of instruction comes next, for which lanes, and how far from one of the bases their addresses lie.
//!
//! It knows no GPU: latencies, bank conflicts and lines follow from the one that runs it.

use super::digest::hex;
use super::error::Problems;
use alloc::boxed::Box;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};
use once_cell::race::OnceBox;

/// Registers that an instruction can name: four kinds of 256.
pub const REGISTERS: usize = 1024;

/// What an instruction does, as far as a machine tells instructions apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Does {
    /// Arithmetic in single precision, and what has no unit of its own: constants, fences.
    Arithmetic,
    /// Arithmetic and logic on whole numbers, moves, branches.
    Integer,
    /// Special functions.
    Special,
    /// Double precision.
    Double,
    /// A matrix product, so many times as large as one of 16 × 8 × 8 half-precision numbers.
    Tensor(u8),
    /// A load through L1D.
    Load,
    /// A load from global into shared memory, which no register waits for.
    Copy,
    /// A store through L1D.
    Store,
    /// An atomic operation in L2.
    Atomic,
    /// An access to shared memory.
    Shared,
    /// A barrier of the CTA.
    Barrier,
    /// The end of the copies before it, as a group.
    Commit,
    /// A wait until at most so many groups of copies are under way.
    Wait(u8),
}

/// What all executions of an instruction have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    /// What it does.
    pub does: Does,
    /// Bytes that a lane moves.
    pub width: u8,
    /// Registers that it writes, each below `REGISTERS`.
    pub results: Vec<u16>,
    /// Registers that it reads.
    pub sources: Vec<u16>,
}

/// How an instruction's addresses lie to its first one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lanes {
    /// So many, each so many bytes from the one before.
    Stride(u8, i32),
    /// So many, of which those behind the first have their distances from it in the launch's list, from this place on.
    Listed(u8, u32),
}

impl Lanes {
    /// How many lanes have an address.
    pub fn count(self) -> u8 {
        match self {
            Lanes::Stride(count, _) | Lanes::Listed(count, _) => count,
        }
    }
}

/// An instruction of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Its form.
    pub form: u32,
    /// Lanes that are active.
    pub active: u8,
    /// Addresses: how they lie to each other, and the first one's distance from a base of the chunk.
    pub lanes: Lanes,
    /// Which base.
    pub base: u32,
    /// That distance.
    pub beyond: i64,
}

/// A part of a warp's instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chunk {
    /// Its pattern.
    pub pattern: u32,
    /// Its first base.
    pub bases: u32,
}

/// What the warps of a launch did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// Forms of its instructions.
    pub forms: Vec<Form>,
    /// Steps of all patterns, one pattern after the other.
    pub steps: Vec<Step>,
    /// Where each pattern begins in `steps`; behind the last one, where that ends.
    pub patterns: Vec<u32>,
    /// Distances of lanes.
    pub distances: Vec<i64>,
    /// Chunks, warp by warp.
    pub chunks: Vec<Chunk>,
    /// Their bases: byte addresses of the kernel's memory, which begins at 0.
    pub bases: Vec<u64>,
    /// Where each warp begins in `chunks`, CTA by CTA; behind the last one, where that ends.
    pub warps: Vec<u32>,
    /// Warps of a CTA.
    pub warps_of_cta: u32,
    /// Thread instructions.
    pub thread_instructions: u64,
    /// Where the kernel's memory ends, as far as it is reached.
    pub bytes: u64,
}

impl Trace {
    /// CTAs that are recorded.
    pub fn ctas(&self) -> u32 {
        (self.warps.len() as u32).saturating_sub(1) / self.warps_of_cta.max(1)
    }

    /// Steps of a pattern, by their places in `steps`.
    pub fn pattern(&self, pattern: u32) -> core::ops::Range<usize> {
        self.patterns[pattern as usize] as usize..self.patterns[pattern as usize + 1] as usize
    }

    /// Distance of a lane's address from the first one.
    #[inline]
    pub fn distance(&self, lanes: Lanes, lane: u8) -> i64 {
        match lanes {
            Lanes::Stride(_, stride) => i64::from(stride) * i64::from(lane),
            Lanes::Listed(_, _) if lane == 0 => 0,
            Lanes::Listed(_, first) => self.distances[first as usize + usize::from(lane) - 1],
        }
    }
}

/// A launch of a recording, by what it is called, and what its warps did if that is here.
#[derive(Clone, Default)]
pub struct Recorded {
    /// The recording: a hash of its bytes.
    pub recording: u64,
    /// The launch's place in it.
    pub launch: u32,
    /// What it did, if the process knows the recording. Without it nothing can run.
    pub trace: Option<Arc<Trace>>,
}

/// A recording that the process knows, and the next one.
#[derive(Debug)]
struct Known {
    recording: u64,
    launches: Vec<Arc<Trace>>,
    next: OnceBox<Known>,
}

/// Recordings that experiments may name: a description says which, and not what is in it. They stay for as long as the process runs.
static KNOWN: OnceBox<Known> = OnceBox::new();

/// Makes a recording known by the hash of its bytes.
pub fn know(recording: u64, launches: Vec<Arc<Trace>>) {
    if known(recording).is_some() {
        return;
    }
    let (mut place, mut one) = (&KNOWN, Box::new(Known { recording, launches, next: OnceBox::new() }));
    while let Err(again) = place.set(one) {
        one = again;
        let Some(taken) = place.get() else { return };
        place = &taken.next;
    }
}

/// The launches of a recording, if it is known.
pub fn known(recording: u64) -> Option<&'static [Arc<Trace>]> {
    let mut place = KNOWN.get();
    while let Some(one) = place {
        if one.recording == recording {
            return Some(&one.launches);
        }
        place = one.next.get();
    }
    None
}

impl Recorded {
    /// A launch of a recording, with what it did if the recording is known.
    pub fn of(recording: u64, launch: u32) -> Recorded {
        let trace = known(recording).and_then(|launches| launches.get(launch as usize)).cloned();
        Recorded { recording, launch, trace }
    }

    /// Whether the launch is here and is what a description says of it: so many CTAs of so many warps, in memory of so many bytes.
    pub fn check(&self, ctas: u32, warps: u32, bytes: u64, path: &str, problems: &mut Problems) {
        let name = hex(self.recording);
        let Some(trace) = &self.trace else {
            let (found, want) = match known(self.recording) {
                Some(launches) => (format!("launch {} of recording {name}", self.launch), format!("one of its {}, from 0", launches.len())),
                None => (format!("recording {name}, which is not here"), "its file: --recording FILE.corun, or dropped on the page".into()),
            };
            return problems.add(path, found, want);
        };
        if trace.ctas() < ctas || trace.warps_of_cta != warps {
            let found = format!("{ctas} CTAs of {warps} warps of recording {name}");
            return problems.add(path, found, format!("at most {} CTAs of {} warps, as it has", trace.ctas(), trace.warps_of_cta));
        }
        if trace.bytes > bytes {
            problems.add(
                path,
                format!("arrays of {bytes} bytes"),
                format!("{} bytes at least, which recording {name} reaches", trace.bytes),
            );
        }
    }
}

/// By its name: a hash says what its bytes are.
impl PartialEq for Recorded {
    fn eq(&self, other: &Self) -> bool {
        (self.recording, self.launch) == (other.recording, other.launch)
    }
}

impl Eq for Recorded {}

impl Hash for Recorded {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.recording, self.launch).hash(state);
    }
}

/// Its name, and not its millions of instructions.
impl fmt::Debug for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recorded({:016x}, {}, {})", self.recording, self.launch, if self.trace.is_some() { "here" } else { "not here" })
    }
}
