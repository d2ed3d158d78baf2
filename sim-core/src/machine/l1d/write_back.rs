//! L1Ds that are coherent by word: what is written stays in L1D until its launch ends or the store buffer is full. What happens then is what the
//! protocols differ in: `gpu` writes it through to L2, `denovo` registers it and keeps it. The rules are `machine::coherence`'s.
//!
//! A line with written words holds an entry of the store buffer, in which later stores to it coalesce (Sinclair, Alsop, Adve, MICRO 2015), until
//! its words have left for the NoC. A store that takes the last entry lets the oldest line go.
//!
//! What may be under way at once is bounded. The entries of the store buffer and of the MSHRs bound writes and fetches together, so that a
//! line that arrives can push another out. An access that finds no place, or whose line is being written, waits as if the store buffer
//! were full.
//!
//! Where L1Ds own words (`OWNS`), an L1D is asked, too. It answers a forward at once from what it has, and takes the next one when the
//! answers to the last have found room in the reply network. So a forward waits for replies and for nothing else. What is asked of words
//! that atomic operations wait for is put off until they have come; then the next forward is taken all the same.
//!
//! An atomic operation goes to L2 (`gpu`), with an entry of the store buffer until it has left. Where L1Ds own words, its words enter the store buffer
//! as those of a store do, but leave it at once; operations on words that are under way join.

use super::{Found, KernelId, Parts, Protocol, ReservationFailure, Source};
use crate::describe::gpu::{Gpu, L1Config, ReadOnlyLines};
use crate::describe::ids::{Cycle, Kernels, LineAddr, NEVER, PerKernel};
use crate::interface::controls::SmControls;
use crate::machine::cache::mshr::Mshrs;
use crate::machine::coherence::l1::{Fetch, Line, Write};
use crate::machine::coherence::{Message, Rules, Words, all_words, from_sixteenths};
use crate::machine::derived::Derived;
use crate::machine::noc_port::NocPort;
use crate::machine::packet::{Access, Answer, Forward, Node, Packet, Request};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// A message that waits for the miss queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Leaving {
    message: Message,
    line: LineAddr,
    words: Words,
    kernel: KernelId,
    /// The entry of `writes`, or the MSHR of what is asked again.
    tag: u16,
}

/// Atomic operations that are not over.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
struct Atomics {
    /// The line of each that L2 has not acknowledged.
    at_l2: Vec<LineAddr>,
    /// Lines in the store buffer that wait with words of atomic operations.
    waiting: u32,
    /// What homes want of words that have still to come.
    put_off: Vec<Forward>,
}

impl Atomics {
    fn at_l2(&self, line: LineAddr) -> bool {
        self.at_l2.contains(&line)
    }
}

/// The words of each line, and what is written. `OWNS`: written words are registered, and stay.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WriteBack<const OWNS: bool> {
    /// Bytes that a write of a whole line has; 0 if L2 and the NoC tell how much of a line is written.
    write_bytes: u8,
    line_bytes: u32,
    /// By slot of the tags.
    lines: Box<[Line]>,
    /// By MSHR: the fetch, and who has answered it so far.
    fetches: Box<[(Fetch, Source)]>,
    /// Lines with written words and the kernels that wrote them, the oldest first: the store buffer.
    waiting: VecDeque<(LineAddr, KernelId)>,
    leaving: VecDeque<Leaving>,
    /// Writes of a line that L2 has not acknowledged, those in `leaving` among them. A line has one at most.
    writes: Mshrs<Write>,
    /// Writes and fetches under way, at most.
    under_way: u32,
    /// Lines of each kernel that wait, or that are not acknowledged or granted.
    pending: PerKernel<u32>,
    /// Kernels whose launch has ended but for what is pending, a bit each.
    releasing: Kernels,
    /// Those of them of which the LSU still has stores, a bit each.
    coming: Kernels,
    /// Kernels a store of which has found the store buffer full, or has filled it, a bit each.
    pressed: Kernels,
    /// Answers to what it was asked last.
    answers: VecDeque<Answer>,
    atomics: Atomics,
    /// NoC cycles from a forward to its answer's port.
    forward_latency: u32,
    /// Lines that an acquire leaves alone.
    read_only: Derived<Arc<[Range<LineAddr>]>>,
    keeps_read_only: bool,
}

impl<const OWNS: bool> WriteBack<OWNS> {
    const RULES: Rules = if OWNS { Rules::Ownership } else { Rules::WriteThrough };

    pub fn new(config: &L1Config, gpu: &Gpu) -> Self {
        let line_bytes = gpu.l2.line_bytes;
        let under_way = config.store_buffer + config.mshrs;
        WriteBack {
            write_bytes: if gpu.counts_store_bytes() { 0 } else { line_bytes as u8 },
            line_bytes,
            lines: vec![Line::default(); (config.bytes / line_bytes) as usize].into(),
            fetches: vec![(Fetch::default(), Source::L2); config.mshrs as usize].into(),
            waiting: VecDeque::with_capacity(config.store_buffer as usize),
            leaving: VecDeque::new(),
            writes: Mshrs::new(under_way, 1),
            under_way,
            pending: PerKernel::all(0),
            releasing: 0,
            coming: 0,
            pressed: 0,
            answers: VecDeque::new(),
            atomics: Atomics::default(),
            forward_latency: config.forward_latency,
            read_only: Derived(Arc::new([])),
            keeps_read_only: OWNS && config.read_only == ReadOnlyLines::Kept,
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
            let line = self.lines[slot as usize];
            // Where a write of the line is under way, another must wait.
            let no_other = |of: LineAddr| self.writes.is_full() || self.writes.find(of).is_some();
            let stays = line.is_pinned(Self::RULES) || line.evict(Self::RULES) != 0 && parts.tags.line(slot).is_some_and(no_other);
            ways &= !(u32::from(stays) << way);
        }
        if ways.trailing_zeros() >= slots.len() as u32 {
            return None;
        }
        let slot = parts.tags.place_of(line, ways);
        let before = core::mem::take(&mut self.lines[slot as usize]);
        if let Some(victim) = parts.tags.line(slot) {
            self.leave(victim, parts.tags.owner(slot), before.evict(Self::RULES));
        }
        parts.tags.fill(line, kernel, false, ways);
        Some(slot)
    }

    /// A line has left: what nobody else has goes on its way to L2. The caller has seen to it that there is a place.
    fn leave(&mut self, line: LineAddr, kernel: KernelId, words: Words) {
        if words != 0 {
            if OWNS {
                self.write(Message::WriteBack, line, words, kernel);
            } else {
                self.write_through(line, words);
            }
        }
    }

    /// Written words of a line, which waits, go through to L2.
    fn write_through(&mut self, line: LineAddr, words: Words) {
        if let Some(at) = self.waiting.iter().position(|waits| waits.0 == line)
            && let Some((_, kernel)) = self.waiting.remove(at)
        {
            self.write(Message::WriteThrough, line, words, kernel);
        }
    }

    fn write(&mut self, message: Message, line: LineAddr, words: Words, kernel: KernelId) {
        let tag = self.writes.allocate(line, Write { words, answered: false });
        debug_assert!(tag.is_ok(), "a place was checked for");
        if let Ok(tag) = tag {
            self.leaving.push_back(Leaving { message, line, words, kernel, tag });
        }
    }

    /// The oldest line that may go leaves the store buffer, if one is to go.
    fn let_go(&mut self, parts: &mut Parts, controls: &SmControls) {
        let state = |line: LineAddr| parts.tags.find(line).map_or(Line::default(), |slot| self.lines[slot as usize]);
        let oldest = |kernels: Kernels| {
            let may = |&&(line, kernel): &&(LineAddr, KernelId)| {
                kernels >> kernel.0 & 1 == 1 && self.writes.find(line).is_none() && state(line).may_ask()
            };
            self.waiting.iter().find(may)
        };
        let takes = |&&(line, _): &&(LineAddr, KernelId)| {
            let here = state(line);
            here.atomic != 0 && here.may_ask() && self.writes.find(line).is_none()
        };
        let atomic = if self.atomics.waiting > 0 { self.waiting.iter().find(takes) } else { None };
        // Where the store buffer is split by kernel, a kernel makes room for itself, if it can.
        let own = if controls.miss_queue_split || self.pressed == 0 { self.releasing | self.pressed } else { Kernels::MAX };
        let any = if self.pressed == 0 { 0 } else { Kernels::MAX };
        if (OWNS || self.has_place(parts))
            && let Some(&(line, kernel)) = atomic.or_else(|| oldest(own)).or_else(|| oldest(any))
            && let Some(slot) = parts.tags.find(line)
        {
            let takes = self.lines[slot as usize].atomic != 0;
            let words = self.lines[slot as usize].ask(Self::RULES);
            if OWNS {
                self.waiting.retain(|waits| waits.0 != line);
                self.atomics.waiting -= u32::from(takes);
                let message = if takes { Message::Take } else { Message::Register };
                self.leaving.push_back(Leaving { message, line, words, kernel, tag: 0 });
            } else {
                self.write_through(line, words);
            }
            self.pressed = 0;
        }
    }

    /// A line of a kernel is no longer pending: its launch ends here when nothing is, and nothing is to come.
    fn settled(&mut self, kernel: KernelId) {
        self.pending[kernel] -= 1;
        self.release(kernel);
    }

    fn release(&mut self, kernel: KernelId) {
        let done = self.pending[kernel] == 0 && !self.awaits_stores(kernel);
        self.releasing &= !(Kernels::from(done) << kernel.0);
    }

    /// Whether a line is to leave the store buffer.
    fn lets_go(&self) -> bool {
        self.releasing | self.pressed != 0 && !self.waiting.is_empty() || self.atomics.waiting > 0
    }

    /// L2 does an atomic operation.
    fn update(&mut self, parts: &mut Parts, request: Request, controls: &SmControls) -> Result<(), ReservationFailure> {
        let Request { line, words, kernel, .. } = request;
        let slot = parts.tags.lookup(line);
        let is_stored = slot.is_some_and(|slot| self.lines[slot as usize].written & words != 0);
        if is_stored || !parts.stores.has_room(kernel, controls) {
            self.pressed |= 1 << kernel.0;
            return Err(ReservationFailure::StoreBuffer);
        }
        if self.writes.find(line).is_some() {
            return Err(ReservationFailure::StoreBuffer);
        }
        parts.miss_queue.push(request, controls).map_err(|_| ReservationFailure::MissQueue)?;
        parts.stores.hold(kernel);
        self.pending[kernel] += 1;
        self.atomics.at_l2.push(line);
        if let Some(entry) = parts.mshrs.find(line) {
            self.fetches[entry as usize].0.overwritten |= words;
        }
        if let Some(slot) = slot {
            let here = &mut self.lines[slot as usize];
            here.forget(words);
            if here.valid == 0 {
                parts.tags.invalidate(line);
            }
        }
        Ok(())
    }

    /// Puts a line into the store buffer.
    fn enter(&mut self, parts: &mut Parts, line: LineAddr, kernel: KernelId, controls: &SmControls) {
        parts.stores.hold(kernel);
        self.waiting.push_back((line, kernel));
        self.pending[kernel] += 1;
        self.pressed |= Kernels::from(!parts.stores.has_room(kernel, controls)) << kernel.0;
    }

    /// Answers what a home wants of `words`, which this L1D has given up.
    fn answer(&mut self, Forward { message, request, from, came }: Forward, words: Words) {
        if words == 0 {
            return;
        }
        let (message, to) = match message {
            Message::Transfer => (Message::Grant, request.node()),
            _ => (Message::Recalled, from),
        };
        self.reply(message, Request { words, ..request }, to, came);
    }

    /// Sends what it was asked for, with values where the message has them.
    fn reply(&mut self, message: Message, request: Request, to: Node, came: u64) {
        let has_values = match message {
            Message::Data | Message::Recalled => true,
            Message::Grant => request.access == Access::Atomic,
            _ => false,
        };
        let bytes = if has_values { 4 * request.words.count_ones() as u8 } else { 0 };
        let ready = came + u64::from(self.forward_latency);
        self.answers.push_back(Answer { message, request: Request { bytes, ..request }, to, ready });
    }

    fn is_read_only(&self, line: LineAddr) -> bool {
        let at = self.read_only.partition_point(|lines| lines.end <= line);
        self.read_only.get(at).is_some_and(|lines| lines.start <= line)
    }
}

// What every cycle of an L1D may call stays out of the functions of L1Ds that are not coherent.
impl<const OWNS: bool> Protocol for WriteBack<OWNS> {
    #[inline(never)]
    fn load(&mut self, parts: &mut Parts, load: u16, request: Request, controls: &SmControls) -> Result<Found, ReservationFailure> {
        let slot = parts.tags.lookup(request.line);
        let line = slot.map_or(Line::default(), |slot| self.lines[slot as usize]);
        let missing = request.words & !line.valid;
        if missing == 0 {
            return Ok(Found::Hit);
        }
        if request.words & line.awaited() != 0 || self.atomics.at_l2(request.line) {
            return Err(ReservationFailure::StoreBuffer);
        }
        match parts.mshrs.find(request.line) {
            Some(entry) if !self.fetches[entry as usize].0.serves(missing) => return Err(ReservationFailure::Merge),
            None if self.writes.find(request.line).is_some() || !self.has_place(parts) => return Err(ReservationFailure::StoreBuffer),
            _ => {}
        }
        // Of words that another owns, those that nobody has asked for stay where they are.
        let words = if OWNS { missing } else { all_words(self.line_bytes) };
        let found = parts.fetch(load, Request { words, ..request }, controls)?;
        if let Some(entry) = parts.mshrs.find(request.line) {
            let fetch = &mut self.fetches[entry as usize];
            match found {
                Found::Fetched => *fetch = (line.fetch(words), Source::L2),
                _ => fetch.0.awaited_for(missing),
            }
        }
        Ok(found)
    }

    #[inline(never)]
    fn store(&mut self, parts: &mut Parts, request: Request, controls: &SmControls) -> Result<(), ReservationFailure> {
        let Request { line, words, kernel, access, .. } = request;
        let is_atomic = access == Access::Atomic;
        if is_atomic && !OWNS {
            return self.update(parts, request, controls);
        }
        let slot = parts.tags.lookup(line);
        let state = slot.map_or(Line::default(), |slot| self.lines[slot as usize]);
        if !is_atomic && (state.awaited() & words != 0 || self.atomics.at_l2(line)) {
            return Err(ReservationFailure::StoreBuffer);
        }
        let fetch = parts.mshrs.find(line);
        if OWNS && fetch.is_some_and(|entry| self.fetches[entry as usize].0.awaited() & words != 0) {
            // An earlier load waits for the word: it is not registered while it may be asked for.
            return Err(ReservationFailure::Merge);
        }
        let enters = state.waits() == 0 && words & !state.held() != 0;
        if enters && !parts.stores.has_room(kernel, controls) || slot.is_none() && !self.has_place(parts) {
            self.pressed |= 1 << kernel.0;
            return Err(ReservationFailure::StoreBuffer);
        }
        let Some(slot) = self.place(parts, line, kernel, controls) else {
            // Lines that wait for ownership stay until they have it.
            self.pressed |= Kernels::from(OWNS && !self.waiting.is_empty()) << kernel.0;
            return Err(ReservationFailure::Line);
        };
        let here = &mut self.lines[slot as usize];
        if is_atomic {
            here.update(words);
            self.atomics.waiting += u32::from(state.atomic == 0 && here.atomic != 0);
        } else {
            here.store(words);
        }
        if enters {
            self.enter(parts, line, kernel, controls);
        }
        if let Some(entry) = fetch {
            self.fetches[entry as usize].0.overwritten |= words;
        }
        Ok(())
    }

    #[inline(never)]
    fn fill(&mut self, parts: &mut Parts, reply: &Packet, controls: &SmControls) -> Option<Source> {
        let Request { line, words, kernel, tag, .. } = reply.request;
        if reply.message == Message::Refusal {
            self.leaving.push_back(Leaving { message: Message::Read, line, words, kernel, tag });
            return None;
        }
        let (fetch, source) = &mut self.fetches[usize::from(tag)];
        let taken = fetch.arrived(words, from_sixteenths(reply.extra, self.line_bytes));
        *source = Source::of(reply).max(*source);
        let again = fetch.asks_again();
        if again != 0 {
            self.leaving.push_back(Leaving { message: Message::Read, line, words: again, kernel, tag });
        }
        let answered = (fetch.wanted == 0).then_some(*source);
        // What finds no way goes past L1D to the loads that wait for it.
        if taken != 0
            && let Some(slot) = self.place(parts, line, kernel, controls)
        {
            self.lines[slot as usize].fill(taken);
        }
        answered
    }

    #[cold]
    fn launch_starts(&mut self, parts: &mut Parts, _: KernelId) {
        for slot in 0..self.lines.len() {
            let Some(address) = parts.tags.line(slot as u32) else { continue };
            if self.keeps_read_only && self.is_read_only(address) {
                continue;
            }
            let line = &mut self.lines[slot];
            line.acquire();
            if line.valid == 0 && !line.is_pinned(Self::RULES) {
                parts.tags.invalidate(address);
            }
        }
    }

    fn launch_ends(&mut self, _: &mut Parts, kernel: KernelId, coming: bool) {
        self.releasing |= Kernels::from(coming || self.pending[kernel] > 0) << kernel.0;
        self.coming |= Kernels::from(coming) << kernel.0;
    }

    fn awaits_stores(&self, kernel: KernelId) -> bool {
        self.coming >> kernel.0 & 1 == 1
    }

    fn stores_came(&mut self, kernel: KernelId) {
        self.coming &= !(1 << kernel.0);
        self.release(kernel);
    }

    #[inline(never)]
    fn message(&mut self, parts: &mut Parts, reply: &Packet) {
        let Request { line, words, kernel, tag, access, .. } = reply.request;
        if reply.message == Message::Grant {
            let granted = parts.tags.find(line).map(|slot| self.lines[slot as usize].granted(words));
            debug_assert!(granted.is_some(), "a line that waits for ownership stays");
            if granted == Some(true) {
                self.settled(kernel);
            }
            let coming = parts.tags.find(line).map_or(0, |slot| self.lines[slot as usize].coming);
            for mut forward in core::mem::take(&mut self.atomics.put_off) {
                let has_come = if forward.request.line == line { forward.request.words & !coming } else { 0 };
                self.answer(forward, has_come);
                forward.request.words &= !has_come;
                if forward.request.words != 0 {
                    self.atomics.put_off.push(forward);
                }
            }
            return;
        }
        if access == Access::Atomic {
            if let Some(at) = self.atomics.at_l2.iter().position(|&at| at == line) {
                self.atomics.at_l2.remove(at);
            }
        } else if let Some(write) = self.writes.first_mut(tag) {
            write.answered(words);
            if write.is_over() {
                self.writes.take(tag);
            }
        }
        if !OWNS {
            parts.stores.acknowledged(kernel);
            self.settled(kernel);
        }
    }

    #[inline(never)]
    fn send(&mut self, parts: &mut Parts, blank: Request, controls: &SmControls, port: &mut NocPort) -> Option<KernelId> {
        if OWNS
            && let Some(&answer) = self.answers.front()
            && port.may_answer()
        {
            self.answers.pop_front();
            port.answer(answer);
        }
        if self.leaving.is_empty() && self.lets_go() {
            self.let_go(parts, controls);
        }
        let &Leaving { message, line, words, kernel, tag } = self.leaving.front()?;
        let (access, bytes) = match message {
            Message::Read => (Access::Read, 0),
            Message::Register => (Access::Write, 0),
            Message::Take => (Access::Atomic, 0),
            _ => (Access::Write, if self.write_bytes == 0 { 4 * words.count_ones() as u8 } else { self.write_bytes }),
        };
        let request = Request { line, words, kernel, tag, bytes, access, ..blank };
        parts.miss_queue.push(request, controls).ok()?;
        self.leaving.pop_front();
        (access == Access::Read).then_some(kernel)
    }

    #[inline(never)]
    fn sends_next(&self, parts: &Parts, now: Cycle, controls: &SmControls) -> Cycle {
        let may = match self.leaving.front() {
            Some(first) => parts.miss_queue.has_room(first.kernel, controls),
            None => self.lets_go(),
        };
        if may || !self.answers.is_empty() { now + 1 } else { NEVER }
    }

    fn has_to_send(&self) -> bool {
        !self.leaving.is_empty() || self.lets_go() || !self.answers.is_empty()
    }

    fn releasing(&self) -> Kernels {
        self.releasing
    }

    fn is_by_word(&self) -> bool {
        true
    }

    fn keeps(&mut self, read_only: &Arc<[Range<LineAddr>]>) {
        *self.read_only = read_only.clone();
    }

    fn may_be_asked(&self) -> bool {
        OWNS && self.answers.is_empty()
    }

    fn asked(&mut self, parts: &mut Parts, forward: Forward) {
        let Forward { message, request, came, .. } = forward;
        let (line, words) = (request.line, request.words);
        let none = &mut Line::default();
        let here = parts.tags.find(line).map_or(none, |slot| &mut self.lines[slot as usize]);
        let tag = self.writes.find(line);
        let write = tag.and_then(|tag| self.writes.first_mut(tag));
        if message == Message::Forward {
            let has = here.serves(words) | write.map_or(0, |write| write.words & words);
            if has != 0 {
                self.reply(Message::Data, Request { words: has, ..request }, request.node(), came);
            }
            if words & !has != 0 {
                self.reply(Message::Refusal, Request { words: words & !has, ..request }, request.node(), came);
            }
            return;
        }
        let mut given = here.give_up(words);
        let coming = given & here.coming;
        if let Some(write) = write {
            given |= write.give_up(words & !given);
            if write.is_over() {
                self.writes.take(tag.unwrap_or_default());
            }
        }
        debug_assert_eq!(given, words, "L2 asks who has the words");
        self.answer(forward, words & !coming);
        if coming != 0 {
            self.atomics.put_off.push(Forward { request: Request { words: coming, ..request }, ..forward });
        }
    }

    fn lines(&self, parts: &Parts) -> Vec<(LineAddr, Line)> {
        let slots = (0..).zip(&self.lines).filter(|(_, line)| line.valid != 0);
        slots.filter_map(|(slot, line)| Some((parts.tags.line(slot)?, *line))).collect()
    }
}
