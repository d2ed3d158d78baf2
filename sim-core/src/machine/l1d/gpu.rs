//! GPU coherence: what is written stays in L1D, by word, until its launch ends or the store buffer is full; then it is written through to L2.
//! A launch begins with an empty L1D, but for words that wait in the store buffer. The rules are `machine::coherence`'s.
//!
//! A line with written words holds an entry of the store buffer, in which later stores to it coalesce (Sinclair, Alsop, Adve, MICRO 2015), until
//! its words have left for the NoC. A store that takes the last entry lets the oldest line go.
//!
//! What may be under way at once is bounded: writes and fetches together by the entries of the store buffer and of the MSHRs, so that a line that
//! arrives can always push another out. An access that finds no place, or whose line is being written, waits as if the store buffer were full.

use super::{Found, KernelId, Parts, Protocol, ReservationFailure};
use crate::describe::gpu::{Gpu, L1Config};
use crate::describe::ids::{Cycle, LineAddr, NEVER, PerKernel};
use crate::machine::cache::mshr::Mshrs;
use crate::machine::coherence::l1::{Fetch, Line};
use crate::machine::coherence::{Rules, Words, all_words};
use crate::machine::packet::{Access, Request};
use crate::seam::controls::SmControls;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec;

/// Words that have left their line, on the way to the miss queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Leaving {
    line: LineAddr,
    words: Words,
    kernel: KernelId,
    /// The entry of `writes`.
    tag: u16,
}

/// The words of each line, and what is written.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct GpuCoherence {
    /// Every word of a line.
    all: Words,
    /// Bytes that a write of a whole line has; 0 if L2 and the NoC tell how much of a line is written.
    line_bytes: u8,
    /// By slot of the tags.
    lines: Box<[Line]>,
    /// By MSHR.
    fetches: Box<[Fetch]>,
    /// Lines with written words and the kernels that wrote them, the oldest first: the store buffer.
    waiting: VecDeque<(LineAddr, KernelId)>,
    leaving: VecDeque<Leaving>,
    /// Writes that L2 has not acknowledged, those in `leaving` among them. A line has one at most.
    writes: Mshrs<Words>,
    /// Writes and fetches under way, at most.
    under_way: u32,
    /// Lines of each kernel that wait or whose write is not acknowledged.
    pending: PerKernel<u32>,
    /// Kernels whose launch has ended but for what is pending, a bit each.
    releasing: u8,
    /// Those of them of which the LSU still has stores, a bit each.
    coming: u8,
    /// Kernels a store of which has found the store buffer full, or has filled it, a bit each.
    pressed: u8,
}

impl GpuCoherence {
    pub fn new(config: &L1Config, gpu: &Gpu) -> Self {
        let line_bytes = gpu.l2.line_bytes;
        let under_way = config.store_buffer + config.mshrs;
        GpuCoherence {
            all: all_words(line_bytes),
            line_bytes: if gpu.counts_store_bytes() { 0 } else { line_bytes as u8 },
            lines: vec![Line::default(); (config.bytes / line_bytes) as usize].into(),
            fetches: vec![Fetch::default(); config.mshrs as usize].into(),
            waiting: VecDeque::with_capacity(config.store_buffer as usize),
            leaving: VecDeque::new(),
            writes: Mshrs::new(under_way, 1),
            under_way,
            pending: PerKernel::all(0),
            releasing: 0,
            coming: 0,
            pressed: 0,
        }
    }

    /// Whether one more write or fetch may be under way.
    fn has_place(&self, parts: &Parts) -> bool {
        self.writes.used() + parts.mshrs.used() < self.under_way
    }

    /// The slot of a line that is there or takes a way now, unless none may be given up.
    fn place(&mut self, parts: &mut Parts, line: LineAddr, kernel: KernelId, controls: &SmControls) -> Option<u32> {
        if let Some(slot) = parts.tags.lookup(line) {
            return Some(slot);
        }
        let mut ways = controls.l1_ways[kernel];
        let slots = parts.tags.slots_of(line);
        for (way, slot) in (0..).zip(slots.clone()) {
            // A write of its line is under way, so that another must wait.
            let stays =
                self.lines[slot as usize].written != 0 && parts.tags.line(slot).is_some_and(|line| self.writes.find(line).is_some());
            ways &= !(u32::from(stays) << way);
        }
        if ways.trailing_zeros() >= slots.len() as u32 {
            return None;
        }
        let victim = parts.tags.fill(line, kernel, false, ways);
        let slot = parts.tags.find(line)?;
        let before = core::mem::take(&mut self.lines[slot as usize]);
        if let Some(victim) = victim {
            self.leave(victim.line, before.evict(Rules::WriteThrough));
        }
        Some(slot)
    }

    /// Written words of a line go on their way to L2. The caller has seen to it that there is a place.
    fn leave(&mut self, line: LineAddr, words: Words) {
        if words != 0
            && let Some(at) = self.waiting.iter().position(|waits| waits.0 == line)
            && let Some((_, kernel)) = self.waiting.remove(at)
            && let Ok(tag) = self.writes.allocate(line, words)
        {
            self.leaving.push_back(Leaving { line, words, kernel, tag });
        }
    }

    /// The oldest line that may go leaves the store buffer, if one is to go.
    fn let_go(&mut self, parts: &mut Parts, controls: &SmControls) {
        let oldest = |kernels: u8| {
            let may = |waits: &&(LineAddr, KernelId)| kernels >> waits.1.0 & 1 == 1 && self.writes.find(waits.0).is_none();
            self.waiting.iter().find(may)
        };
        // Where the store buffer is split by kernel, a kernel makes room for itself, if it can.
        let own = if controls.miss_queue_split || self.pressed == 0 { self.releasing | self.pressed } else { u8::MAX };
        let any = if self.pressed == 0 { 0 } else { u8::MAX };
        if self.has_place(parts)
            && let Some(&(line, _)) = oldest(own).or_else(|| oldest(any))
            && let Some(slot) = parts.tags.find(line)
        {
            let words = self.lines[slot as usize].ask(Rules::WriteThrough);
            self.leave(line, words);
            self.pressed = 0;
        }
    }

    /// A kernel's launch ends here when nothing of it is pending and nothing is to come.
    fn release(&mut self, kernel: KernelId) {
        let done = self.pending[kernel] == 0 && !self.awaits_stores(kernel);
        self.releasing &= !(u8::from(done) << kernel.0);
    }

    /// Whether a line is to leave the store buffer.
    fn lets_go(&self) -> bool {
        self.releasing | self.pressed != 0 && !self.waiting.is_empty()
    }
}

impl Protocol for GpuCoherence {
    fn load(&mut self, parts: &mut Parts, load: u16, request: Request, controls: &SmControls) -> Result<Found, ReservationFailure> {
        let slot = parts.tags.lookup(request.line);
        let line = slot.map_or(Line::default(), |slot| self.lines[slot as usize]);
        let missing = request.words & !line.valid;
        if missing == 0 {
            return Ok(Found::Hit);
        }
        match parts.mshrs.find(request.line) {
            Some(entry) if !self.fetches[entry as usize].covers(missing) => return Err(ReservationFailure::Merge),
            None if self.writes.find(request.line).is_some() || !self.has_place(parts) => return Err(ReservationFailure::StoreBuffer),
            _ => {}
        }
        let found = parts.fetch(load, Request { words: self.all, ..request }, controls)?;
        if found == Found::Fetched
            && let Some(entry) = parts.mshrs.find(request.line)
        {
            self.fetches[entry as usize] = line.fetch(self.all);
        }
        Ok(found)
    }

    fn store(&mut self, parts: &mut Parts, request: Request, controls: &SmControls) -> Result<(), ReservationFailure> {
        let Request { line, words, kernel, .. } = request;
        let slot = parts.tags.lookup(line);
        let waits = slot.is_some_and(|slot| self.lines[slot as usize].written != 0);
        if !waits && !parts.stores.has_room(kernel, controls) || slot.is_none() && !self.has_place(parts) {
            self.pressed |= 1 << kernel.0;
            return Err(ReservationFailure::StoreBuffer);
        }
        let Some(slot) = self.place(parts, line, kernel, controls) else { return Err(ReservationFailure::Line) };
        self.lines[slot as usize].store(words);
        if !waits {
            parts.stores.hold(kernel);
            self.waiting.push_back((line, kernel));
            self.pending[kernel] += 1;
            self.pressed |= u8::from(!parts.stores.has_room(kernel, controls)) << kernel.0;
        }
        if let Some(entry) = parts.mshrs.find(line) {
            self.fetches[entry as usize].overwritten |= words;
        }
        Ok(())
    }

    fn fill(&mut self, parts: &mut Parts, request: Request, controls: &SmControls) {
        let words = self.fetches[usize::from(request.tag)].arrived(self.all, 0);
        // What finds no way goes past L1D to the loads that wait for it.
        if words != 0
            && let Some(slot) = self.place(parts, request.line, request.kernel, controls)
        {
            self.lines[slot as usize].fill(words);
        }
    }

    #[cold]
    fn launch_starts(&mut self, parts: &mut Parts, _: KernelId) {
        for (slot, line) in (0..).zip(&mut self.lines) {
            line.acquire();
            if line.valid == 0
                && let Some(address) = parts.tags.line(slot)
            {
                parts.tags.invalidate(address);
            }
        }
    }

    fn launch_ends(&mut self, _: &mut Parts, kernel: KernelId, coming: bool) {
        self.releasing |= u8::from(coming || self.pending[kernel] > 0) << kernel.0;
        self.coming |= u8::from(coming) << kernel.0;
    }

    fn awaits_stores(&self, kernel: KernelId) -> bool {
        self.coming >> kernel.0 & 1 == 1
    }

    fn stores_came(&mut self, kernel: KernelId) {
        self.coming &= !(1 << kernel.0);
        self.release(kernel);
    }

    fn message(&mut self, parts: &mut Parts, request: Request) {
        let kernel = request.kernel;
        parts.stores.acknowledged(kernel);
        self.writes.take(request.tag);
        self.pending[kernel] -= 1;
        self.release(kernel);
    }

    fn send(&mut self, parts: &mut Parts, blank: Request, controls: &SmControls) -> bool {
        if self.leaving.is_empty() && self.lets_go() {
            self.let_go(parts, controls);
        }
        let Some(&Leaving { line, words, kernel, tag }) = self.leaving.front() else { return false };
        let bytes = if self.line_bytes == 0 { 4 * words.count_ones() as u8 } else { self.line_bytes };
        let request = Request { line, words, kernel, tag, bytes, access: Access::Write, ..blank };
        let sent = parts.miss_queue.push(request, controls).is_ok();
        if sent {
            self.leaving.pop_front();
        }
        sent
    }

    fn sends_next(&self, parts: &Parts, now: Cycle, controls: &SmControls) -> Cycle {
        let may = match self.leaving.front() {
            Some(first) => parts.miss_queue.has_room(first.kernel, controls),
            None => self.lets_go(),
        };
        if may { now + 1 } else { NEVER }
    }

    fn has_to_send(&self) -> bool {
        !self.leaving.is_empty() || self.lets_go()
    }

    fn releasing(&self) -> u8 {
        self.releasing
    }

    fn is_by_word(&self) -> bool {
        true
    }
}
