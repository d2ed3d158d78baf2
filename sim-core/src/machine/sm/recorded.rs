//! Recorded launches made ready for issue: when each instruction's operands are there, how its lanes meet the banks of shared memory, and which
//! lines they touch.
//!
//! A warp issues in order, and what it records has no branches: when the results of arithmetic are there is known beforehand. So each instruction
//! says how many cycles after it the next one may issue, as the control codes of NVIDIA's compilers do. What a load brings is waited for by
//! its entry of a scoreboard, before the first instruction that reads or writes one of its registers.

use super::address::stretch;
use super::next::{Issue, Next};
use crate::describe::gpu::SmClass;
use crate::describe::ids::{KernelId, LineAddr};
use crate::describe::kernel::WARP_SIZE;
use crate::describe::recorded::{Does, Form, Lanes, REGISTERS, Recorded, Step, Trace};
use crate::machine::coherence::Words;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use core::ops::RangeInclusive;

/// Loads of a warp that can be told apart: entries of its scoreboard, a bit each.
const ENTRIES: u32 = 32;

/// Cycles for which arithmetic lanes take a product of 16 × 8 × 8 numbers, where there is no tensor unit.
const WITHOUT_TENSOR: u32 = 16 * 8 * 8 / WARP_SIZE;

/// What an operation of a warp has beside what issuing reads of it.
#[derive(Clone, Copy, Debug, Default)]
struct Op {
    /// Its step of the trace.
    step: u32,
    /// Entries of the scoreboard: a load's own, or those that are waited for. None: the end of a chunk.
    entries: u32,
    /// Cycles from its issue to that of the next one, at least.
    apart: u16,
    /// Cycles for which it takes a tensor unit.
    takes: u16,
}

/// A part of a warp's instructions.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    first: u32,
    bases: u32,
    is_last: bool,
}

/// What stands between operations, and issues nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// A wait for these entries of the scoreboard.
    Wait(u32),
    /// The end of a chunk: the next one, and its first operation.
    Next(u64, u32),
    /// The end of the warp.
    Ends,
}

/// The operations of a recorded launch.
#[derive(Clone, Debug)]
pub struct Operations {
    name: Recorded,
    trace: Arc<Trace>,
    ops: Vec<Op>,
    chunks: Vec<Chunk>,
    first_line: LineAddr,
}

/// By name: what is made of a launch follows from it and from the GPU.
impl PartialEq for Operations {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, self.first_line) == (&other.name, other.first_line)
    }
}

impl Eq for Operations {}

impl Hash for Operations {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.name, self.first_line).hash(state);
    }
}

impl Operations {
    /// The operations of a launch whose kernel's memory begins at `first_line`, and what issuing reads of each.
    pub(super) fn new(
        name: &Recorded,
        trace: &Arc<Trace>,
        class: &SmClass,
        kernel: KernelId,
        first_line: LineAddr,
    ) -> (Self, Vec<Option<Issue>>) {
        // The first one is the end of warps that do nothing.
        let mut made = Made { ops: alloc::vec![Op::default()], issues: alloc::vec![None] };
        let patterns = 0..trace.patterns.len().saturating_sub(1) as u32;
        let mut board = Board::new(class, kernel);
        let firsts: Vec<u32> = patterns
            .map(|pattern| {
                let first = made.ops.len() as u32;
                board.pattern(trace, pattern, &mut made);
                first
            })
            .collect();
        let mut chunks: Vec<Chunk> =
            trace.chunks.iter().map(|of| Chunk { first: firsts[of.pattern as usize], bases: of.bases, is_last: false }).collect();
        for ends in trace.warps.windows(2).filter(|ends| ends[0] < ends[1]) {
            chunks[ends[1] as usize - 1].is_last = true;
        }
        let Made { ops, issues } = made;
        (Operations { name: name.clone(), trace: trace.clone(), ops, chunks, first_line }, issues)
    }

    /// The fewest instructions that a warp issues after each operation: those of its chunk.
    pub(super) fn least(&self, issues: &[Option<Issue>]) -> Vec<u32> {
        let mut least = alloc::vec![0; issues.len()];
        for at in (1..issues.len()).rev() {
            least[at - 1] = match issues[at] {
                Some(_) => least[at] + 1,
                None if self.ops[at].entries == 0 => 0,
                None => least[at],
            };
        }
        least
    }

    /// The first chunk of a warp, and its first operation.
    pub fn begin(&self, warp: usize) -> (u64, u32) {
        let [first, end] = [self.trace.warps[warp], self.trace.warps[warp + 1]];
        if first < end { (first.into(), self.chunks[first as usize].first) } else { (u64::MAX, 0) }
    }

    /// The mark at `pc`, for a warp in this chunk.
    pub fn mark(&self, pc: u32, chunk: u64) -> Mark {
        match self.ops[pc as usize].entries {
            0 => match self.chunks.get(chunk as usize) {
                Some(of) if !of.is_last => Mark::Next(chunk + 1, self.chunks[chunk as usize + 1].first),
                _ => Mark::Ends,
            },
            entries => Mark::Wait(entries),
        }
    }

    /// The scoreboard's entry of the load at `pc`.
    pub fn entry(&self, pc: u32) -> u32 {
        self.ops[pc as usize].entries
    }

    /// Cycles from the issue of the operation at `pc` to that of the next one, and those for which it takes a tensor unit.
    pub fn timing(&self, pc: u32) -> (u32, u32) {
        let op = self.ops[pc as usize];
        (op.apart.into(), op.takes.into())
    }

    fn step(&self, pc: u32) -> &Step {
        &self.trace.steps[self.ops[pc as usize].step as usize]
    }

    /// The first address of the operation at `pc`, for a warp in this chunk.
    pub fn base(&self, pc: u32, chunk: u64) -> u64 {
        let step = self.step(pc);
        let bases = self.chunks[chunk as usize].bases;
        self.trace.bases[(bases + step.base) as usize].wrapping_add_signed(step.beyond)
    }

    /// Active lanes of the operation at `pc`.
    pub fn active(&self, pc: u32) -> u8 {
        self.step(pc).active
    }

    /// First and last byte of each lane's part, from the first address on.
    fn parts(&self, pc: u32, base: u64) -> impl Iterator<Item = (u64, u64)> {
        let step = self.step(pc);
        let last = u64::from(self.trace.forms[step.form as usize].width.max(1)) - 1;
        (0..step.lanes.count()).map(move |lane| {
            let at = base.wrapping_add_signed(self.trace.distance(step.lanes, lane));
            (at, at + last)
        })
    }

    /// The lines that the lanes of the operation at `pc` touch, each once, in the order of the lanes. Returns how many.
    pub fn lines(&self, pc: u32, base: u64, line_bytes: u32, lines: &mut [LineAddr; WARP_SIZE as usize]) -> u32 {
        let bits = line_bytes.trailing_zeros();
        if let Some(all) = self.in_a_row(pc, base, bits) {
            return stretch(self.first_line, all, lines);
        }
        let mut count = 0;
        for (first, last) in self.parts(pc, base) {
            for line in first >> bits..=last >> bits {
                let line = self.first_line + line as LineAddr;
                // Neighbours are most often in one line.
                let is_new = count == 0 || lines[count - 1] != line && !lines[..count].contains(&line);
                if is_new && count < lines.len() {
                    lines[count] = line;
                    count += 1;
                }
            }
        }
        count as u32
    }

    /// The first and the last line that the lanes touch, if each lane begins at most a line behind the one before it: then they touch all between.
    fn in_a_row(&self, pc: u32, base: u64, bits: u32) -> Option<RangeInclusive<u64>> {
        let step = self.step(pc);
        let Lanes::Stride(lanes @ 1.., stride) = step.lanes else { return None };
        let stride = u64::try_from(stride).ok().filter(|&stride| stride <= 1 << bits)?;
        let width = u64::from(self.trace.forms[step.form as usize].width.max(1));
        let last = base + stride * u64::from(lanes - 1) + width - 1;
        Some(base >> bits..=last >> bits)
    }

    /// The words that the lanes touch of each of `lines`, as `lines` gave them.
    pub fn words(&self, pc: u32, base: u64, line_bytes: u32, lines: &[LineAddr], words: &mut [Words; WARP_SIZE as usize]) {
        words.fill(0);
        let bits = line_bytes.trailing_zeros() - 2;
        // Lines were listed in the order of the lanes: the next one is most often the last one, or follows it.
        let mut at = 0;
        for (first, last) in self.parts(pc, base) {
            for word in first >> 2..=last >> 2 {
                let line = self.first_line + (word >> bits) as LineAddr;
                let listed = [at, at + 1].into_iter().find(|at| lines.get(*at) == Some(&line));
                if let Some(found) = listed.or_else(|| lines.iter().position(|of| *of == line)) {
                    at = found;
                    words[at] |= 1 << (word & ((1 << bits) - 1));
                }
            }
        }
    }

    /// Where each lane's part begins: line, and byte of the line. Returns how many lanes have one.
    pub fn positions(&self, pc: u32, base: u64, line_bytes: u32, positions: &mut [(LineAddr, u32); WARP_SIZE as usize]) -> usize {
        let bits = line_bytes.trailing_zeros();
        let parts = self.parts(pc, base).zip(positions.iter_mut()).map(|((first, _), position)| {
            *position = (self.first_line + (first >> bits) as LineAddr, first as u32 & (line_bytes - 1));
        });
        parts.count()
    }

    /// What a warp loads, stores and adds to, in order, as far as `steps` go, one for each operation: whether it writes, its place, and the chunk.
    pub(super) fn each_access(
        &self,
        warp: usize,
        issues: &[Option<Issue>],
        steps: &mut u64,
        mut visit: impl FnMut(bool, u32, u64),
    ) -> bool {
        let (mut chunk, mut pc) = self.begin(warp);
        loop {
            let Some(left) = steps.checked_sub(1) else { return false };
            *steps = left;
            match issues[pc as usize].map(|issue| issue.next) {
                Some(Next::Load) => visit(false, pc, chunk),
                Some(Next::Store | Next::Atomic) => visit(true, pc, chunk),
                Some(_) => {}
                None => match self.mark(pc, chunk) {
                    Mark::Wait(_) => {}
                    Mark::Next(next, first) => {
                        (chunk, pc) = (next, first);
                        continue;
                    }
                    Mark::Ends => return true,
                },
            }
            pc += 1;
        }
    }
}

/// Operations so far.
struct Made {
    ops: Vec<Op>,
    issues: Vec<Option<Issue>>,
}

/// A scoreboard, and the cycles of a warp that nothing delays.
struct Board<'g> {
    class: &'g SmClass,
    kernel: KernelId,
    /// When each register's value is there, and the loads that bring it.
    there: Vec<(u32, u32)>,
    /// Loads under way; those that no register waits for, and groups of them.
    pending: u32,
    open: u32,
    groups: Vec<u32>,
    next: u32,
    now: u32,
    /// The last result of arithmetic.
    last: u32,
}

impl<'g> Board<'g> {
    fn new(class: &'g SmClass, kernel: KernelId) -> Self {
        let there = alloc::vec![(0, 0); REGISTERS];
        Board { class, kernel, there, pending: 0, open: 0, groups: Vec::new(), next: 0, now: 0, last: 0 }
    }

    /// Adds the operations of a pattern. Each begins with nothing under way, and waits for its loads at its end.
    fn pattern(&mut self, trace: &Trace, pattern: u32, made: &mut Made) {
        self.there.fill((0, 0));
        (self.pending, self.open, self.next, self.now, self.last) = (0, 0, 0, 0, 0);
        self.groups.clear();
        let mut before = None;
        for at in trace.pattern(pattern) {
            let step = &trace.steps[at];
            let form = &trace.forms[step.form as usize];
            let (mut from, mut entries) = (self.now + u32::from(before.is_some()), self.waits(form));
            for register in form.sources.iter().chain(&form.results) {
                let (there, of) = self.there[usize::from(*register)];
                from = from.max(there);
                entries |= of;
            }
            let does = if reaches(form.does) && step.lanes.count() == 0 { Does::Arithmetic } else { form.does };
            let is_load = matches!(does, Does::Load | Does::Copy);
            if is_load {
                entries |= self.pending & 1 << self.next;
            }
            set_apart(before, from - self.now, made);
            self.wait(entries, made);
            self.now = from;
            before = Some(made.ops.len());
            self.issue(trace, at as u32, (step, form, does), made);
        }
        set_apart(before, self.last.saturating_sub(self.now).max(1), made);
        self.wait(self.pending, made);
        made.ops.push(Op::default());
        made.issues.push(None);
    }

    /// Copies that an instruction waits for.
    fn waits(&self, form: &Form) -> u32 {
        let Does::Wait(groups) = form.does else { return 0 };
        let ended = self.groups.len().saturating_sub(groups.into());
        self.groups[..ended].iter().fold(0, |entries, group| entries | group) & self.pending
    }

    /// Waits for these loads, if any of them are under way.
    fn wait(&mut self, entries: u32, made: &mut Made) {
        let entries = entries & self.pending;
        if entries == 0 {
            return;
        }
        self.pending &= !entries;
        self.there.iter_mut().for_each(|(_, of)| *of &= !entries);
        made.ops.push(Op { entries, ..Op::default() });
        made.issues.push(None);
    }

    fn issue(&mut self, trace: &Trace, at: u32, (step, form, does): (&Step, &Form, Does), made: &mut Made) {
        let class = self.class;
        let mut op = Op { step: at, ..Op::default() };
        // What issues, its latency, and what stands in for that where the latency is not what issuing reads.
        let (next, latency, shown) = match does {
            Does::Arithmetic => (Next::Alu, class.alu_latency, 0),
            Does::Integer if class.int_lanes > 0 => (Next::Integer, class.alu_latency, 0),
            Does::Integer => (Next::Alu, class.alu_latency, 0),
            Does::Special => (Next::Sfu, class.sfu_latency, 0),
            Does::Double => (Next::Fp64, class.fp64_latency, 0),
            Does::Tensor(times) => {
                let interval = if class.tensor_interval > 0 { class.tensor_interval } else { WITHOUT_TENSOR };
                let takes = interval * u32::from(times.max(1));
                op.takes = takes as u16;
                (Next::Tensor, class.tensor_latency.max(class.alu_latency) + takes - interval, 0)
            }
            Does::Shared => {
                let ways = ways(trace, step, form.width, class.shared_banks);
                (Next::SharedAhead, class.shared_latency + ways - 1, ways as u8)
            }
            Does::Load | Does::Copy => {
                op.entries = 1 << self.next;
                self.next = (self.next + 1) % ENTRIES;
                self.pending |= op.entries;
                (Next::Load, 0, 0)
            }
            Does::Store => (Next::Store, 0, 0),
            Does::Atomic => (Next::Atomic, 0, 0),
            Does::Barrier if class.int_lanes > 0 => (Next::BarrierInteger, 0, 0),
            Does::Barrier => (Next::Barrier, 0, 0),
            Does::Commit | Does::Wait(_) => {
                if does == Does::Commit {
                    self.groups.push(core::mem::take(&mut self.open));
                }
                (Next::Alu, class.alu_latency, 0)
            }
        };
        if does == Does::Copy {
            self.open |= op.entries;
        }
        let there = self.now + latency;
        let entry = if does == Does::Load { op.entries } else { 0 };
        for register in &form.results {
            self.there[usize::from(*register)] = (there, entry);
        }
        if !form.results.is_empty() {
            self.last = self.last.max(there);
        }
        made.ops.push(op);
        made.issues.push(Some(Issue { left: 1, next, lanes: step.active, latency: shown, kernel: self.kernel }));
    }
}

/// Whether an instruction reaches memory, if it has addresses.
fn reaches(does: Does) -> bool {
    matches!(does, Does::Load | Does::Copy | Does::Store | Does::Atomic | Does::Shared)
}

/// The next instruction may issue so many cycles after this one.
fn set_apart(before: Option<usize>, apart: u32, made: &mut Made) {
    let Some(at) = before else { return };
    made.ops[at].apart = apart.max(1).min(u16::MAX.into()) as u16;
    if let Some(issue) = &mut made.issues[at]
        && issue.next != Next::SharedAhead
    {
        issue.latency = apart.clamp(1, u8::MAX.into()) as u8;
    }
}

/// Cycles that the banks of shared memory need for an access. Lanes that move 8 or 16 bytes come in two or four parts; those that want one word share it.
fn ways(trace: &Trace, step: &Step, width: u8, banks: u32) -> u32 {
    let words = u32::from(width.max(4) / 4).min(4);
    let mut sum = 0;
    let lanes: Vec<u8> = (0..step.lanes.count()).collect();
    let mut wanted: Vec<(u32, i64)> = Vec::with_capacity(WARP_SIZE as usize);
    for part in lanes.chunks((WARP_SIZE / words) as usize) {
        wanted.clear();
        for lane in part {
            let first = trace.distance(step.lanes, *lane).div_euclid(4);
            wanted.extend((first..first + i64::from(words)).map(|word| (word.rem_euclid(banks.into()) as u32, word)));
        }
        wanted.sort_unstable();
        wanted.dedup();
        let most = wanted.chunk_by(|one, other| one.0 == other.0).map(<[_]>::len).max().unwrap_or(1);
        sum += most as u32;
    }
    sum.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lanes at every distance from each other, and from a line's beginning: the lines that hold a byte of theirs, each once, in the order of the lanes.
    #[test]
    fn lines_are_those_of_the_lanes_bytes() {
        let strides = [-200, -32, -4, 0, 1, 4, 8, 31, 32, 33, 64, 128, 129, 4096];
        let widths = [1, 4, 16];
        let form = |width| Form { does: Does::Load, width, results: Vec::new(), sources: Vec::new() };
        let mut trace = Trace { forms: widths.map(form).into(), distances: alloc::vec![4, 8, 300, 12], ..Trace::default() };
        for form in 0..3 {
            let listed = [Lanes::Listed(1, 0), Lanes::Listed(5, 0)];
            let lanes = strides.iter().flat_map(|stride| [1, 2, 20, 32].map(|count| Lanes::Stride(count, *stride))).chain(listed);
            trace.steps.extend(lanes.map(|lanes| Step { form, active: lanes.count(), lanes, base: 0, beyond: 0 }));
        }
        let ops = (0..trace.steps.len() as u32).map(|step| Op { step, ..Op::default() }).collect();
        let name = Recorded { recording: 1, launch: 0, trace: None };
        let made = Operations { name, trace: Arc::new(trace), ops, chunks: Vec::new(), first_line: 7 };
        for (pc, base, line_bytes) in (0..made.ops.len()).flat_map(|pc| [(pc, 8192, 32), (pc, 8223, 32), (pc, 9001, 128)]) {
            let (step, mut wanted) = (made.trace.steps[pc], Vec::new());
            let width = i64::from(widths[step.form as usize]);
            for byte in (0..step.lanes.count()).map(|lane| base + made.trace.distance(step.lanes, lane)).flat_map(|at| at..at + width) {
                let line = (byte / line_bytes) as LineAddr + 7;
                if !wanted.contains(&line) && wanted.len() < 32 {
                    wanted.push(line);
                }
            }
            let mut found = [0; WARP_SIZE as usize];
            let count = made.lines(pc as u32, base as u64, line_bytes as u32, &mut found);
            assert_eq!(&found[..count as usize], &wanted, "{step:?} from {base}, lines of {line_bytes}");
        }
    }
}
