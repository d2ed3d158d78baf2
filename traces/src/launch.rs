//! Recordings as kernels that a machine can run.

use crate::header::Header;
use crate::instruction::Form;
use crate::opcode::{self, Class, Space};
use crate::pages::PAGE_BITS;
use crate::recording::{self, Step};
use foldhash::HashMap;
use sim_core::describe::digest::{Fnv, hex};
use sim_core::describe::error::Problem;
use sim_core::describe::kernel::{Array, Kernel, Launch, WARP_SIZE};
use sim_core::describe::recorded::{self, Chunk, Does, Lanes, Recorded, Trace};
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Bytes that a launch may take in memory: a module's ends at 4 GiB, and its host keeps moments of it.
const MOST_BYTES: usize = if usize::BITS == 32 { 256 << 20 } else { 2 << 30 };

/// Lists of distances that are looked for when one comes again.
const MOST_REMEMBERED: usize = 1 << 14;

/// Streams of a recording, at most: as many kernels as a mix may have.
const MOST_STREAMS: usize = sim_core::describe::ids::MAX_KERNELS;

/// Bytes of local memory after which places of warps come again.
const LOCAL_BYTES: u64 = 1 << 30;

/// Bytes that lanes have side by side of a word of their local memory.
const LOCAL_WORD: u64 = 4 * WARP_SIZE as u64;

/// A recording, ready to run.
#[derive(Debug)]
pub struct Launches {
    /// The hash of its bytes.
    pub recording: u64,
    /// What it holds.
    pub summary: recording::Recording,
    /// What its launches did.
    pub traces: Vec<Arc<Trace>>,
}

/// Reads a recording, and makes it known: experiments may name its launches from now on.
pub fn read<R: Read>(source: R, name: &str) -> Result<Launches, Problem> {
    let mut sum = Summed { source, sum: Fnv::default() };
    let mut reading = Reading::default();
    let summary = recording::visit(&mut sum, name, &mut reading)?;
    let recording = sum.sum.finish();
    let Reading { mut builders, too_large } = reading;
    builders.resize_with(summary.kernels.len(), Builder::default);
    if let Some(at) = too_large {
        let found = format!("kernel {} with more than {} MiB", summary.kernels[at].header.id, MOST_BYTES >> 20);
        return Err(Problem::new(name, found, "a part of it: corun import with --ctas A..B"));
    }
    // Local memory lies behind what any of the launches reaches of global memory.
    let global = builders.iter().map(|builder| builder.global).max().unwrap_or(0).next_multiple_of(1 << PAGE_BITS);
    let launches = builders.into_iter().zip(&summary.kernels);
    let traces: Vec<Arc<Trace>> = launches.map(|(builder, kernel)| Arc::new(builder.end(&kernel.header, global))).collect();
    recorded::know(recording, traces.clone());
    Ok(Launches { recording, summary, traces })
}

/// What is made of a recording while it is read.
#[derive(Default)]
struct Reading {
    builders: Vec<Builder>,
    /// A launch that takes more memory than there is.
    too_large: Option<usize>,
}

impl recording::Visitor for Reading {
    const ALL: bool = false;

    fn chunk(&mut self, (at, header): (usize, &Header), warp: (u64, u32), chunk: &recording::Chunk<'_>) -> bool {
        if self.builders.len() <= at {
            self.builders.resize_with(at + 1, Builder::default);
        }
        self.too_large.is_none() && {
            let is_new = self.builders[at].chunk(header, warp, chunk);
            self.has_grown(at);
            is_new
        }
    }

    fn step(&mut self, step: &Step<'_>) {
        if self.too_large.is_none() {
            self.builders[step.kernel.0].step(step);
            self.has_grown(step.kernel.0);
        }
    }
}

impl Reading {
    fn has_grown(&mut self, at: usize) {
        self.too_large = (self.builders[at].bytes() > MOST_BYTES).then_some(at);
    }
}

/// A source, and the hash of what has been read of it.
struct Summed<R> {
    source: R,
    sum: Fnv,
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let read = self.source.read(bytes)?;
        self.sum.write(&bytes[..read]);
        Ok(read)
    }
}

impl Launches {
    /// Its kernels, one for each stream, called after the file: launches of a stream follow each other, streams run beside each other. With a number, only the launches of
    /// the trace's kernel of that number.
    pub fn kernels(&self, file: &str, only: Option<u64>) -> Result<Vec<Kernel>, Problem> {
        let name = &*Path::new(file).file_stem().map_or_else(|| file.into(), |stem| stem.to_string_lossy());
        let mut streams: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        let mut order = Vec::new();
        for (at, kernel) in self.summary.kernels.iter().enumerate().filter(|(_, kernel)| only.is_none_or(|id| kernel.header.id == id)) {
            let launches = streams.entry(kernel.header.stream).or_default();
            if launches.is_empty() {
                order.push(kernel.header.stream);
            }
            launches.push(at);
        }
        if let Some(id) = only.filter(|_| order.is_empty()) {
            let ids: Vec<String> = self.summary.kernels.iter().take(20).map(|kernel| kernel.header.id.to_string()).collect();
            return Err(Problem::new(name, format!("kernel {id}"), format!("one that it has: {}", ids.join(", "))));
        }
        if order.is_empty() || order.len() > MOST_STREAMS {
            let found = format!("kernels on {} streams", order.len());
            return Err(Problem::new(name, found, format!("1 to {MOST_STREAMS} streams, or one kernel of them: @{name}#ID")));
        }
        let name_of = |n: usize| if order.len() > 1 { format!("{name}.{}", n + 1) } else { name.to_owned() };
        order.iter().enumerate().map(|(n, stream)| self.kernel(name_of(n), &streams[stream])).collect()
    }

    /// A kernel with these launches.
    fn kernel(&self, name: String, launches: &[usize]) -> Result<Kernel, Problem> {
        let bytes = launches.iter().map(|at| self.traces[*at].bytes).max().unwrap_or(0).max(128).next_multiple_of(128);
        let first = &self.summary.kernels[launches[0]].header;
        let launch = |at: &usize| {
            let header = &self.summary.kernels[*at].header;
            let trace = &self.traces[*at];
            let whole = u64::from(trace.ctas()) == header.ctas();
            Launch {
                grid: if whole { header.grid.into() } else { trace.ctas().into() },
                threads: header.threads(),
                registers: header.registers.max(1),
                shared_bytes: header.shared_bytes,
                recorded: Some(Recorded { recording: self.recording, launch: *at as u32, trace: Some(trace.clone()) }),
                ..Launch::default()
            }
        };
        let empty = launches.iter().find(|at| self.traces[**at].ctas() == 0);
        if let Some(at) = empty {
            let found = format!("kernel {} without CTAs", self.summary.kernels[*at].header.id);
            return Err(Problem::new(&name, found, "kernels with CTAs"));
        }
        Ok(Kernel {
            title: format!("recorded, {}", of_many(launches.len())),
            doc: first.name.chars().filter(|c| !c.is_control()).take(400).collect(),
            source: format!("recording {}, compute capability {}", hex(self.recording), first.architecture),
            name: name.chars().filter(|c| !c.is_control()).take(40).collect(),
            arrays: vec![Array { name: "memory".into(), bytes, read_only: false }],
            launches: launches.iter().map(launch).collect(),
            lists: Vec::new(),
            repeats: Vec::new(),
        })
    }
}

fn of_many(launches: usize) -> String {
    if launches == 1 { "1 launch".into() } else { format!("{launches} launches") }
}

/// What chunks with one pattern have in common.
struct Pattern {
    /// Thread instructions.
    threads: u64,
    /// How far behind each base the global memory ends that is reached from it, if it is.
    ends: Vec<i64>,
}

/// A launch so far.
#[derive(Default)]
struct Builder {
    trace: Trace,
    /// Numbers of forms, by the recording's and by the memory that they reach.
    forms: HashMap<(u32, u8), u32>,
    /// Numbers of patterns, by the recording's and by the memory of each base.
    numbers: HashMap<(u64, Vec<u8>), u32>,
    patterns: Vec<Pattern>,
    /// Chunks of each warp, by CTA and warp.
    warps: BTreeMap<(u64, u32), Vec<Chunk>>,
    /// Of the last chunk that has come the pattern as it is looked for, and its bases as they are.
    key: (u64, Vec<u8>),
    bases: Vec<u64>,
    /// Bases that lie in local memory.
    local: Vec<u32>,
    /// Where global and local memory end, as far as they are reached.
    global: u64,
    local_end: u64,
    /// Distances that instructions had before.
    distances: HashMap<Vec<i64>, u32>,
}

impl Builder {
    /// Bytes that it takes in memory, about.
    fn bytes(&self) -> usize {
        let Trace { steps, distances, chunks, bases, .. } = &self.trace;
        size_of_val(&steps[..]) + size_of_val(&distances[..]) + size_of_val(&chunks[..]) + size_of_val(&bases[..])
    }

    fn step(&mut self, step: &Step<'_>) {
        let Form { class, width, .. } = *step.form;
        let active = step.executed.mask.count_ones();
        self.trace.thread_instructions += u64::from(active);
        let addresses = step.executed.addresses;
        let space = addresses.first().map_or(0, |at| (at >> 40) as u8);
        let form = self.form(step, space);
        let base = step.chunk.firsts.iter().position(|form| *form == step.number);
        let Some(pattern) = self.patterns.last_mut() else { return };
        pattern.threads += u64::from(active);
        let (Some(base), false) = (base, addresses.is_empty()) else {
            let lanes = Lanes::Stride(0, 0);
            return self.trace.steps.push(recorded::Step { form, active: active as u8, lanes, base: 0, beyond: 0 });
        };
        if space == 0 {
            let last = addresses.iter().max().copied().unwrap_or(0) + u64::from(width.max(1));
            self.global = self.global.max(last);
            let end = &mut pattern.ends[base];
            *end = (*end).max(last.wrapping_sub(self.bases[base]) as i64);
        }
        let first = addresses[0];
        let beyond = first.wrapping_sub(self.bases[base]) as i64;
        let bulk = class == Class::BulkCopy;
        for part in addresses.chunks(WARP_SIZE as usize) {
            let from = part[0].wrapping_sub(first) as i64;
            let (lanes, beyond) = if space == 2 {
                // Lanes have their words side by side.
                (Lanes::Stride(part.len() as u8, 4), beyond.div_euclid(4) * LOCAL_WORD as i64)
            } else {
                (self.lanes(part), beyond + from)
            };
            let active = if bulk { 1 } else { active as u8 };
            self.trace.steps.push(recorded::Step { form, active, lanes, base: base as u32, beyond });
        }
    }

    /// How addresses lie to the first of them.
    fn lanes(&mut self, addresses: &[u64]) -> Lanes {
        let from_first: Vec<i64> = addresses[1..].iter().map(|at| at.wrapping_sub(addresses[0]) as i64).collect();
        let stride = from_first.first().copied().unwrap_or(0);
        let count = addresses.len() as u8;
        if let Ok(stride) = i32::try_from(stride)
            && from_first.iter().zip(1..).all(|(distance, n)| *distance == i64::from(stride) * n)
        {
            return Lanes::Stride(count, stride);
        }
        if let Some(first) = self.distances.get(&from_first) {
            return Lanes::Listed(count, *first);
        }
        let first = self.trace.distances.len() as u32;
        self.trace.distances.extend(&from_first);
        // Random lists never come again.
        if self.distances.len() < MOST_REMEMBERED {
            self.distances.insert(from_first, first);
        }
        Lanes::Listed(count, first)
    }

    /// Begins a chunk. Says whether its pattern is new: then its instructions are to come.
    fn chunk(&mut self, header: &Header, (cta, warp): (u64, u32), chunk: &recording::Chunk<'_>) -> bool {
        self.bases.clear();
        self.bases.extend(chunk.bases());
        self.key.0 = chunk.pattern;
        self.key.1.clear();
        self.key.1.extend(self.bases.iter().map(|base| (base >> 40) as u8));
        let first = self.trace.bases.len() as u32;
        let warp_of_grid = cta * u64::from(header.warps()) + u64::from(warp);
        for base in &self.bases {
            let place = match base >> 40 {
                2 => {
                    // A warp's words lie together, and warps apart: as much as any of them has been seen to reach.
                    self.local.push(self.trace.bases.len() as u32);
                    let within = (base & ((1 << 40) - 1)) / 4 * LOCAL_WORD;
                    let room = within.next_power_of_two().max(1 << 14);
                    let place = warp_of_grid.wrapping_mul(room) % LOCAL_BYTES + within % LOCAL_BYTES;
                    self.local_end = self.local_end.max(place + (1 << 16));
                    place
                }
                0 => *base,
                // Banks of shared memory follow from distances alone.
                _ => 0,
            };
            self.trace.bases.push(place);
        }
        let next = self.patterns.len() as u32;
        let known = self.numbers.get(&self.key).copied();
        self.warps.entry((cta, warp)).or_default().push(Chunk { pattern: known.unwrap_or(next), bases: first });
        if let Some(known) = known {
            let Pattern { threads, ends } = &self.patterns[known as usize];
            self.trace.thread_instructions += threads;
            let ends = self.bases.iter().zip(ends).filter(|(_, end)| **end != i64::MIN);
            self.global = ends.map(|(base, end)| base.wrapping_add_signed(*end)).fold(self.global, u64::max);
            return false;
        }
        self.trace.patterns.push(self.trace.steps.len() as u32);
        self.numbers.insert(self.key.clone(), next);
        self.patterns.push(Pattern { threads: 0, ends: vec![i64::MIN; self.bases.len()] });
        true
    }

    /// The number of a form that reaches such a memory.
    fn form(&mut self, step: &Step<'_>, space: u8) -> u32 {
        let trace = &mut self.trace;
        *self.forms.entry((step.number, space)).or_insert_with(|| {
            let registers = |of: &[crate::instruction::Register]| of.iter().filter(|of| of.holds()).map(|of| of.0).collect();
            let Form { width, results, sources, .. } = step.form;
            let does = does(step.form, step.opcode, space, step.executed);
            let width = match step.executed.bulk {
                Some(bulk) => (u64::from(bulk.bytes) / (step.executed.addresses.len() as u64).max(1)).clamp(1, 128) as u8,
                None if opcode::stem(step.opcode) == "LDSM" => 16,
                None => *width,
            };
            trace.forms.push(recorded::Form { does, width, results: registers(results), sources: registers(sources) });
            trace.forms.len() as u32 - 1
        })
    }

    fn end(self, header: &Header, global: u64) -> Trace {
        let Builder { mut trace, warps, local, local_end, .. } = self;
        trace.patterns.push(trace.steps.len() as u32);
        trace.warps_of_cta = header.warps();
        // CTAs in the order of their numbers: all of the grid's, or those that are there.
        let mut ctas: Vec<u64> = warps.keys().map(|(cta, _)| *cta).collect();
        ctas.dedup();
        for cta in ctas {
            for warp in 0..header.warps() {
                trace.warps.push(trace.chunks.len() as u32);
                trace.chunks.extend(warps.get(&(cta, warp)).into_iter().flatten());
            }
        }
        trace.warps.push(trace.chunks.len() as u32);
        local.iter().for_each(|at| trace.bases[*at as usize] += global);
        trace.bytes = if local.is_empty() { self.global } else { global + local_end };
        trace
    }
}

/// What an instruction does that reaches such a memory.
fn does(form: &Form, name: &str, space: u8, executed: &crate::instruction::Executed<'_>) -> Does {
    let shared = space == 1 || form.space == Space::Shared;
    let stem = opcode::stem(name);
    match form.class {
        Class::Integer | Class::Uniform | Class::Branch | Class::Exit => Does::Integer,
        Class::Single | Class::Constant | Class::Fence | Class::Nothing | Class::SharedBarrier => Does::Arithmetic,
        Class::Double => Does::Double,
        Class::Special => Does::Special,
        Class::Tensor | Class::TensorGroup => Does::Tensor(opcode::products(name)),
        Class::Barrier if stem == "BAR" && !name.contains(".ARV") => Does::Barrier,
        Class::Barrier => Does::Arithmetic,
        Class::Load | Class::Store | Class::Atomic if shared => Does::Shared,
        Class::Load | Class::Texture => Does::Load,
        Class::Store => Does::Store,
        Class::Atomic => Does::Atomic,
        Class::AsyncCopy => Does::Copy,
        Class::BulkCopy if executed.addresses.is_empty() => Does::Arithmetic,
        Class::BulkCopy if matches!(stem, "UTMASTG" | "UTMAREDG" | "UBLKRED") => Does::Store,
        Class::BulkCopy => Does::Copy,
        Class::Wait if stem == "LDGDEPBAR" => Does::Commit,
        Class::Wait if stem == "DEPBAR" => Does::Wait(form.groups),
        Class::Wait => Does::Arithmetic,
    }
}
