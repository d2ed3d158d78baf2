//! Described kernels as traces that Accel-Sim reads: `.traceg` of version 5, or `.tracez`.
//!
//! A description has no registers. Arithmetic that waits for the instruction before it reads what that one writes; a wait for loads becomes registers that
//! the instructions behind it read, as many as Accel-Sim takes. Loops end by instructions that the description counts as arithmetic.

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use sim_core::describe::kernel::{Op, WARP_SIZE};
use sim_core::machine::sm::code::{Code, Step};
use sim_core::machine::sm::walk::each_step;
use std::collections::VecDeque;
use std::io::{self, Write};

/// Where the windows of shared and local memory lie, and where global memory begins.
const SHARED: u64 = 0x7f00_0000_0000;
const LOCAL: u64 = SHARED - (1 << 24);
const GLOBAL: u64 = 0x7f40_0000_0000;

/// Registers of loads under way: as many as a warp can wait for.
const LOADED: [u16; 2] = [32, 192];

/// Registers that an instruction reads at most: Accel-Sim stops at a line with more.
const SOURCES: usize = 4;

/// Instructions of a chunk of a `.tracez`.
const CHUNK: usize = 4096;

/// A launch to be written.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'k> {
    /// The kernel's name.
    pub name: &'k str,
    /// Its number among all launches.
    pub id: usize,
    /// The stream in which it is launched.
    pub stream: usize,
    /// The launch, ready for issue.
    pub code: &'k Code,
    /// What its warps do, in the places that `code` has.
    pub program: &'k [Op],
    /// Bytes of a line of memory.
    pub line_bytes: u32,
}

/// Whether the work is to stop, asked once a CTA.
pub type Stop<'s> = &'s dyn Fn() -> bool;

impl Launch<'_> {
    fn header(&self) -> String {
        let Launch { name, id, stream, code, .. } = self;
        let grid = code.grid;
        // A name is a word in a trace.
        let name: String = name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
        format!(
            "-kernel name = {name}\n-kernel id = {id}\n-grid dim = ({},{},{})\n-block dim = ({},1,1)\n-shmem = {}\n-nregs = {}\n-binary version = 80\n\
             -cuda stream id = {stream}\n-shmem base_addr = 0x{SHARED:016x}\n-local mem base_addr = 0x{LOCAL:016x}\n-nvbit version = 1.7.6\n\
             -accelsim tracer version = 5\n-enable lineinfo = 0\n\n\
             #traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate\n",
            grid.x, grid.y, grid.z, code.threads, code.shared_bytes, code.registers
        )
    }

    fn place(&self, cta: u32) -> [u32; 3] {
        let grid = self.code.grid;
        [cta % grid.x, cta / grid.x % grid.y, cta / grid.x / grid.y]
    }

    /// Writes a `.traceg`.
    pub fn grouped(&self, out: &mut impl Write, stop: Stop<'_>) -> io::Result<()> {
        writeln!(out, "{}", self.header())?;
        let mut warp = Warp::new(self);
        for cta in 0..self.code.ctas {
            go_on(stop)?;
            let [x, y, z] = self.place(cta);
            writeln!(out, "#BEGIN_TB\n\nthread block = {x},{y},{z}")?;
            for number in 0..self.code.warps {
                warp.write(cta, number)?;
                writeln!(out, "\nwarp = {number}\ninsts = {}", warp.ends.len())?;
                out.write_all(&warp.text)?;
            }
            writeln!(out, "\n#END_TB\n")?;
        }
        out.flush()
    }

    /// Writes a `.tracez` without a dictionary.
    pub fn packed(&self, out: &mut impl Write, stop: Stop<'_>) -> io::Result<()> {
        let mut out = Counted { out, bytes: 0 };
        let number =
            |n: usize| u32::try_from(n).map(u32::to_le_bytes).map_err(|_| io::Error::other("a warp has more than 2^32 instructions"));
        out.put(self.header().as_bytes())?;
        out.put(&[0])?;
        out.put(&number(0)?)?;
        out.put(&number(CHUNK)?)?;
        let mut index = number(self.code.ctas as usize)?.to_vec();
        let mut warp = Warp::new(self);
        for cta in 0..self.code.ctas {
            go_on(stop)?;
            self.place(cta).iter().for_each(|n| index.extend(n.to_le_bytes()));
            // Each CTA is a cluster of its own.
            self.place(cta).iter().for_each(|n| index.extend(n.to_le_bytes()));
            index.extend([0; 16]);
            index.extend(self.code.warps.to_le_bytes());
            for lane in 0..self.code.warps {
                warp.write(cta, lane)?;
                let (count, chunks) = (number(warp.ends.len())?, number(warp.ends.len().div_ceil(CHUNK))?);
                index.extend([count, chunks].concat());
                index.extend(out.bytes.to_le_bytes());
                out.put(&[count, chunks].concat())?;
                let mut begin = 0;
                for ends in warp.ends.chunks(CHUNK) {
                    index.extend(number(ends.len())?);
                    let end = ends.last().copied().unwrap_or(begin);
                    let frame = frame(&warp.text[begin..end]);
                    out.put(&number(frame.len())?)?;
                    out.put(&frame)?;
                    begin = end;
                }
            }
        }
        let place = out.bytes;
        out.put(&index)?;
        out.put(&place.to_le_bytes())?;
        out.out.flush()
    }
}

fn go_on(stop: Stop<'_>) -> io::Result<()> {
    if stop() { Err(io::Error::other("told to stop")) } else { Ok(()) }
}

/// A stream that knows how far it is.
struct Counted<'w, W> {
    out: &'w mut W,
    bytes: u64,
}

impl<W: Write> Counted<'_, W> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

/// A frame of zstd that says how long its content is, as readers of `.tracez` want it: the encoder leaves that out.
fn frame(text: &[u8]) -> Vec<u8> {
    let packed = compress_to_vec(text, CompressionLevel::Fastest);
    // Magic, descriptor and window; then comes the size of the content, of four bytes if the descriptor says 2 in its highest bits.
    let (head, blocks) = packed.split_at(6);
    [&head[..4], &[head[4] | 2 << 6, head[5]], &(text.len() as u32).to_le_bytes()[..], blocks].concat()
}

/// The instructions of a warp, as text.
struct Warp<'k> {
    launch: Launch<'k>,
    /// The place of each step's first instruction in the code.
    places: Vec<u64>,
    text: Vec<u8>,
    /// Where each line ends.
    ends: Vec<usize>,
    /// Registers of loads under way, and those that a wait before asks for.
    loads: VecDeque<u16>,
    awaited: Vec<u16>,
    loaded: u16,
}

/// The memory part of an instruction.
enum Reached<'a> {
    No,
    Global(&'a [(u32, u32)]),
    Shared { lanes: u32, stride: u32 },
}

impl<'k> Warp<'k> {
    fn new(launch: &Launch<'k>) -> Self {
        let mut at = 0;
        let mut places = Vec::new();
        for op in launch.program {
            places.push(at);
            at += match *op {
                Op::Alu { count, .. } | Op::Sfu { count, .. } | Op::Shared { count, .. } | Op::Fp64 { count, .. } => 16 * u64::from(count),
                _ => 16,
            };
        }
        places.push(at);
        let (loads, awaited) = (VecDeque::new(), Vec::new());
        Warp { launch: *launch, places, text: Vec::new(), ends: Vec::new(), loads, awaited, loaded: LOADED[0] }
    }

    /// Writes the text of a warp anew.
    fn write(&mut self, cta: u32, warp: u32) -> io::Result<()> {
        self.text.clear();
        self.ends.clear();
        self.loads.clear();
        self.awaited.clear();
        let Launch { code, line_bytes, program, .. } = self.launch;
        let mut written = Ok(());
        each_step(code, (cta, warp), &mut { u64::MAX }, |step, pc, place, key| {
            let mut positions = [(0, 0); WARP_SIZE as usize];
            let at = code.positions(pc, place, key, line_bytes, &mut positions);
            let done = match *step {
                Step::Alu { count, latency, lanes } => self.arithmetic(pc, (count, latency, lanes), "FFMA", [4, 5, 6]),
                Step::Fp64 { count, latency, lanes } => self.arithmetic(pc, (count, latency, lanes), "DFMA", [8, 10, 12]),
                Step::Sfu { count, latency, lanes } => self.arithmetic(pc, (count, latency, lanes), "MUFU.EX2", [14, 15, 15]),
                Step::Shared { count, lanes, .. } => {
                    let stride = if let Some(Op::Shared { stride, .. }) = program.get(pc as usize) { *stride } else { 1 };
                    (0..u64::from(count))
                        .try_for_each(|n| self.line(pc, n, lanes, Some(16), "LDS", &[17], &Reached::Shared { lanes, stride }))
                }
                Step::Load { lanes, .. } => {
                    let register = self.loaded;
                    self.loaded = if register + 1 == LOADED[1] { LOADED[0] } else { register + 1 };
                    self.loads.push_back(register);
                    self.line(pc, 0, lanes, Some(register), "LDG.E", &[2], &Reached::Global(at))
                }
                Step::Store { lanes, .. } => self.line(pc, 0, lanes, None, "STG.E", &[2, 4], &Reached::Global(at)),
                Step::Atomic { lanes, .. } => self.line(pc, 0, lanes, None, "RED.E.ADD.STRONG.GPU", &[2, 4], &Reached::Global(at)),
                Step::Wait { loads } => {
                    let over = self.loads.len().saturating_sub(loads as usize);
                    self.awaited.extend(self.loads.drain(..over));
                    Ok(())
                }
                Step::Barrier => self.line(pc, 0, WARP_SIZE, None, "BAR.SYNC.DEFER_BLOCKING", &[255], &Reached::No),
                Step::Sleep { .. } => self.line(pc, 0, WARP_SIZE, None, "NANOSLEEP", &[255], &Reached::No),
                Step::Exit => self.line(pc, 0, WARP_SIZE, None, "EXIT", &[], &Reached::No),
                Step::Loop { .. } | Step::End { .. } => Ok(()),
            };
            if written.is_ok() {
                written = done;
            }
        });
        written
    }

    /// Arithmetic: each instruction waits for the one before it, unless they follow each other without a latency.
    fn arithmetic(&mut self, pc: u32, (count, latency, lanes): (u32, u32, u32), opcode: &str, [own, a, b]: [u16; 3]) -> io::Result<()> {
        for n in 0..u64::from(count) {
            let result = if latency > 1 { own } else { 200 + 2 * (n % 16) as u16 };
            let first = if latency > 1 { own } else { a };
            // What is waited for takes the place of registers that nothing writes, so that one instruction waits for it.
            let kept = if opcode.starts_with("MUFU") { 1 } else { SOURCES.saturating_sub(self.awaited.len()).clamp(1, 3) };
            self.line(pc, n, lanes, Some(result), opcode, &[first, a, b][..kept], &Reached::No)?;
        }
        Ok(())
    }

    /// A line of an instruction.
    #[allow(clippy::too_many_arguments, reason = "the parts of a line, in their order")]
    fn line(
        &mut self,
        pc: u32,
        n: u64,
        lanes: u32,
        result: Option<u16>,
        opcode: &str,
        sources: &[u16],
        reached: &Reached<'_>,
    ) -> io::Result<()> {
        let mask = u32::MAX >> (WARP_SIZE - lanes.clamp(1, WARP_SIZE));
        let place = self.places[pc as usize] + 16 * n;
        // The latest loads end last. No instruction behind an end reads anything.
        let room = if opcode == "EXIT" { 0 } else { SOURCES.saturating_sub(sources.len()) };
        let left = self.awaited.len().saturating_sub(room);
        let awaited = self.awaited.split_off(left);
        let text = &mut self.text;
        write!(text, "{place:04x} {mask:08x} ")?;
        match result {
            Some(register) => write!(text, "1 R{register} {opcode} ")?,
            None => write!(text, "0 {opcode} ")?,
        }
        write!(text, "{}", sources.len() + awaited.len())?;
        for register in sources.iter().chain(&awaited) {
            write!(text, " R{register}")?;
        }
        match *reached {
            Reached::No => write!(text, " 0")?,
            Reached::Shared { lanes, stride } => addresses(text, (0..lanes).map(|lane| SHARED + u64::from(lane * stride * 4) % (1 << 20)))?,
            Reached::Global(positions) => {
                let line_bytes = u64::from(self.launch.line_bytes);
                addresses(text, positions.iter().map(|(line, byte)| GLOBAL + u64::from(*line) * line_bytes + u64::from(*byte)))?;
            }
        }
        text.extend_from_slice(b" 0\n");
        self.ends.push(text.len());
        Ok(())
    }
}

/// Addresses of words of four bytes: a base and a stride where that says all, else a base and distances.
fn addresses(text: &mut Vec<u8>, addresses: impl Iterator<Item = u64>) -> io::Result<()> {
    let addresses: Vec<u64> = addresses.collect();
    let apart: Vec<i64> = addresses.windows(2).map(|pair| pair[1] as i64 - pair[0] as i64).collect();
    let base = addresses.first().copied().unwrap_or(0);
    let stride = apart.first().copied().unwrap_or(0);
    if apart.iter().all(|distance| *distance == stride) {
        return write!(text, " 4 1 0x{base:016x} {stride}");
    }
    write!(text, " 4 2 0x{base:016x}")?;
    apart.iter().try_for_each(|distance| write!(text, " {distance}"))
}
