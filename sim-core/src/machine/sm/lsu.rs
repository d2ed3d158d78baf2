//! The load-store unit: memory instructions wait here, by kernel, while their lanes are coalesced into lines that go to L1D one a cycle.
//!
//! The oldest instruction goes first. One that L1D cannot take waits with a named reservation failure. `lsu_hol` says whether it
//! holds back other kernels: hardware with one in-order pipe does, a pipe that parks and replays does not. Between them stands one pipe
//! that parks what lacks room in its own virtual queue, where the miss queue is split by kernel (CCBP §7.2, see docs/reference/queues.md).

use super::code::{Code, Instruction};
use super::lanes::WarpRef;
use crate::describe::gpu::LsuHol;
use crate::describe::ids::{Cycle, KernelId, Kernels, LineAddr};
use crate::describe::kernel::WARP_SIZE;
use crate::machine::coherence::Words;
use crate::machine::derived::Derived;
use crate::machine::l1d::ReservationFailure;
use crate::machine::noc::members;
use crate::machine::packet::Access;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// What goes to L1D next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    /// Load or store.
    pub access: Access,
    /// Entry of the load table, for a load; the slot of its CTA, for a store that the CTA waits for.
    pub tag: u16,
    /// The line.
    pub line: LineAddr,
    /// Bytes that a store writes of it; 0 for a load.
    pub bytes: u8,
    /// Words that the access touches of it, where L1D tells words apart; else 0.
    pub words: Words,
    /// How many lines the instruction has, the first time that it is looked at.
    pub fresh: Option<u32>,
}

/// How long a kernel's head that failed has waited since it was charged last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// Whose head.
    pub kernel: KernelId,
    /// What it lacks.
    pub why: ReservationFailure,
    /// For so many cycles.
    pub cycles: u64,
    /// Whether it is the oldest of the heads that wait.
    pub oldest: bool,
}

/// One kernel's part of the LSU.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Part {
    /// Instructions with their order of arrival, the oldest first.
    waiting: VecDeque<(u64, Instruction)>,
    /// Lines of the oldest.
    lines: [LineAddr; WARP_SIZE as usize],
    /// Bytes that it writes of each, if it stores.
    bytes: [u8; WARP_SIZE as usize],
    /// Words that it touches of each, where L1D tells words apart.
    words: Derived<[Words; WARP_SIZE as usize]>,
    count: u32,
    next: u32,
    failed: Option<ReservationFailure>,
}

/// The LSU of one SM.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Lsu {
    parts: Vec<Part>,
    capacity: u32,
    /// Reasons for which a failed head holds back other kernels: bit `n` for the reason with number `n`.
    holds: u8,
    tickets: u64,
    line_bytes: u32,
    /// Whether the GPU distinguishes how much of a line a store writes.
    count_bytes: bool,
    /// Whether L1D tells words apart.
    by_word: Derived<bool>,
    /// Kernels whose part is full, a bit each.
    full: Kernels,
    /// Kernels with an instruction, and those whose head failed, a bit each.
    busy: Kernels,
    failed: Kernels,
    /// Until when heads that failed have been charged.
    charged: Cycle,
    /// Kernels whose head failed and holds back no other.
    passed: Derived<Kernels>,
    /// From the GPU's description.
    hol: Derived<LsuHol>,
    /// Why heads failed: bit `n` for the reason with number `n`.
    reasons: Derived<u8>,
}

impl Lsu {
    /// An empty LSU that holds `capacity` instructions of each of `kernels` kernels. If asked to, it counts the bytes that stores write of a line,
    /// and says which words of a line an access touches.
    pub fn new(capacity: u32, hol: LsuHol, line_bytes: u32, count_bytes: bool, by_word: bool, kernels: usize) -> Self {
        let part = || Part {
            waiting: VecDeque::with_capacity(capacity as usize),
            lines: [0; WARP_SIZE as usize],
            bytes: [0; WARP_SIZE as usize],
            words: Derived([0; WARP_SIZE as usize]),
            count: 0,
            next: 0,
            failed: None,
        };
        let mut lsu = Lsu {
            parts: (0..kernels).map(|_| part()).collect(),
            capacity,
            holds: 0,
            tickets: 0,
            line_bytes,
            count_bytes,
            by_word: Derived(by_word),
            full: 0,
            busy: 0,
            failed: 0,
            charged: 0,
            passed: Derived(0),
            hol: Derived(hol),
            reasons: Derived(0),
        };
        lsu.controls_changed(false);
        lsu
    }

    /// The miss queue is split by kernel from now on, or is not.
    pub fn controls_changed(&mut self, split: bool) {
        let shared = |why: &&ReservationFailure| !matches!(why, ReservationFailure::MissQueue | ReservationFailure::StoreBuffer);
        self.holds = match *self.hol {
            LsuHol::No => 0,
            LsuHol::UnlessSplit if split => bits(ReservationFailure::ALL.iter().filter(shared)),
            LsuHol::Yes | LsuHol::UnlessSplit => bits(&ReservationFailure::ALL),
        };
        *self.passed = 0;
        for (kernel, part) in self.parts.iter().enumerate() {
            let passes = part.failed.is_some_and(|why| self.holds >> why as u8 & 1 == 0);
            *self.passed |= Kernels::from(passes) << kernel;
        }
    }

    /// Kernels that cannot put another instruction in, a bit each.
    pub fn full(&self) -> Kernels {
        self.full
    }

    /// Puts an instruction in; the caller has checked `full`.
    pub fn push(&mut self, kernel: KernelId, instruction: Instruction) {
        let part = &mut self.parts[kernel.index()];
        part.waiting.push_back((self.tickets, instruction));
        self.tickets += 1;
        self.full |= Kernels::from(part.waiting.len() as u32 == self.capacity) << kernel.0;
        self.busy |= 1 << kernel.0;
    }

    /// Of `kernels`, a bit each, the one whose head came first; there is one.
    #[inline]
    fn oldest(&self, kernels: Kernels) -> u32 {
        let ticket = |kernel: &u32| self.parts[*kernel as usize].waiting.front().map_or(u64::MAX, |head| head.0);
        if kernels & (kernels - 1) == 0 {
            return kernels.trailing_zeros();
        }
        members(kernels.into(), false).min_by_key(ticket).unwrap_or(0)
    }

    /// The kernel whose head goes to L1D now, if any.
    pub fn turn(&self) -> Option<KernelId> {
        let open = self.busy & !*self.passed;
        if open == 0 {
            return None;
        }
        let oldest = self.oldest(open);
        (self.failed >> oldest & 1 == 0).then_some(KernelId(oldest as u8))
    }

    /// Whether a kernel's head has not failed: it may go to L1D.
    #[inline]
    pub fn has_unfailed(&self) -> bool {
        self.busy & !self.failed != 0
    }

    /// The next line of a kernel's oldest instruction; coalesces the lanes when the instruction is new.
    pub fn head(&mut self, kernel: KernelId, codes: &[Code]) -> Head {
        let Part { waiting, lines, bytes, words, count, next, .. } = &mut self.parts[kernel.index()];
        let head = &waiting[0].1;
        let mut fresh = None;
        if *next == *count {
            *count = codes[head.launch.index()].lines(head, self.line_bytes, lines);
            *next = 0;
            fresh = Some(*count);
            let is_store = head.access != Access::Read;
            if *self.by_word || is_store && self.count_bytes {
                codes[head.launch.index()].words(head, self.line_bytes, &lines[..*count as usize], words);
            }
            if is_store && self.count_bytes {
                bytes.iter_mut().zip(words.iter()).for_each(|(bytes, words)| *bytes = 4 * words.count_ones() as u8);
            } else if is_store {
                bytes.fill(self.line_bytes as u8);
            }
        }
        Head {
            access: head.access,
            tag: head.tag,
            line: lines[*next as usize],
            bytes: if head.access != Access::Read { bytes[*next as usize] } else { 0 },
            words: if *self.by_word { words[*next as usize] } else { 0 },
            fresh,
        }
    }

    /// A kernel's oldest instruction, if it is a store of which L1D takes the last line now.
    pub fn store_leaves(&self, kernel: KernelId) -> Option<&Instruction> {
        let part = &self.parts[kernel.index()];
        let (_, head) = part.waiting.front()?;
        (head.access != Access::Read && part.next + 1 == part.count).then_some(head)
    }

    /// L1D has taken the head's line. Returns whether it was its last.
    pub fn taken(&mut self, kernel: KernelId) -> bool {
        let part = &mut self.parts[kernel.index()];
        part.next += 1;
        let is_last = part.next == part.count;
        if is_last {
            part.waiting.pop_front();
            (part.next, part.count) = (0, 0);
            self.full &= !(1 << kernel.0);
            self.busy &= !(Kernels::from(part.waiting.is_empty()) << kernel.0);
        }
        is_last
    }

    /// L1D could not take the head's line in `now`; it is tried again after `retry`.
    pub fn fail(&mut self, now: Cycle, kernel: KernelId, why: ReservationFailure, charge: impl FnMut(Wait)) {
        self.settle(now, charge);
        self.parts[kernel.index()].failed = Some(why);
        self.failed |= 1 << kernel.0;
        *self.passed |= Kernels::from(!self.holds >> why as u8 & 1) << kernel.0;
        *self.reasons |= 1 << why as u8;
    }

    /// Retries the failed heads for which `ready` holds.
    pub fn retry(&mut self, now: Cycle, ready: impl Fn(KernelId, LineAddr, ReservationFailure) -> bool, charge: impl FnMut(Wait)) {
        let (mut open, mut reasons): (Kernels, u8) = (0, 0);
        for kernel in members(self.failed.into(), false) {
            let Part { failed, lines, next, .. } = &self.parts[kernel as usize];
            let Some(why) = *failed else { continue };
            if ready(KernelId(kernel as u8), lines[*next as usize], why) {
                open |= 1 << kernel;
            } else {
                reasons |= 1 << why as u8;
            }
        }
        *self.reasons = reasons;
        if open != 0 {
            self.settle(now, charge);
            members(open.into(), false).for_each(|kernel| self.parts[kernel as usize].failed = None);
            self.failed &= !open;
            *self.passed &= self.failed;
        }
    }

    /// Charges the cycles that failed heads have waited until `now`, and leaves them waiting.
    pub fn settle(&mut self, now: Cycle, mut charge: impl FnMut(Wait)) {
        let cycles = now - core::mem::replace(&mut self.charged, now);
        if self.failed == 0 || cycles == 0 {
            return;
        }
        let oldest = self.oldest(self.failed);
        for kernel in members(self.failed.into(), false) {
            if let Some(why) = self.parts[kernel as usize].failed {
                charge(Wait { kernel: KernelId(kernel as u8), why, cycles, oldest: kernel == oldest });
            }
        }
    }

    /// Why a kernel's head waits, if it failed.
    pub fn failure(&self, kernel: KernelId) -> Option<ReservationFailure> {
        self.parts[kernel.index()].failed
    }

    /// Instructions of a kernel.
    pub fn waiting(&self, kernel: KernelId) -> u32 {
        self.parts[kernel.index()].waiting.len() as u32
    }

    /// Stores among them.
    pub fn stores(&self, kernel: KernelId) -> u32 {
        self.parts[kernel.index()].waiting.iter().filter(|(_, instruction)| instruction.access != Access::Read).count() as u32
    }

    /// Whether any head has failed for one of these reasons.
    #[inline]
    pub fn any_failed(&self, over: &[ReservationFailure]) -> bool {
        bits(over) & *self.reasons != 0
    }
}

/// These reasons, a bit each.
#[inline]
fn bits<'a>(reasons: impl IntoIterator<Item = &'a ReservationFailure>) -> u8 {
    reasons.into_iter().fold(0, |bits, &why| bits | 1 << why as u8)
}

/// A load under way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Load {
    /// The warp that issued it.
    pub warp: WarpRef,
    /// The kernel that it belongs to.
    pub kernel: KernelId,
    /// Lines that have not arrived, plus one while its lanes are not coalesced yet.
    pub lines: u16,
    /// Whether one of them missed L1D.
    pub missed: bool,
    /// Core cycle of its issue.
    pub issued: Cycle,
    /// When the last of its lines that hit is ready.
    pub ready: Cycle,
    next_free: u16,
    /// Its entry of the warp's scoreboard, a bit; none for described kernels. It follows from the warp's step.
    pub entry: Derived<u32>,
}

/// Loads under way on one SM.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LoadTable {
    loads: alloc::boxed::Box<[Load]>,
    free: u16,
}

impl LoadTable {
    /// A table for `capacity` loads, at least one, fewer than 65,535.
    pub fn new(capacity: u32) -> Self {
        LoadTable { loads: (0..capacity).map(|i| Load { next_free: i as u16 + 1, ..Load::default() }).collect(), free: 0 }
    }

    /// How many entries it has.
    pub fn capacity(&self) -> u32 {
        self.loads.len() as u32
    }

    /// Opens an entry; the table is as large as the warps' limits together, so there is one.
    pub fn open(&mut self, warp: WarpRef, kernel: KernelId, now: Cycle) -> u16 {
        let at = self.free;
        let load = &mut self.loads[at as usize];
        self.free = load.next_free;
        *load = Load { warp, kernel, lines: 1, missed: false, issued: now, ready: 0, next_free: 0, entry: Derived(0) };
        at
    }

    /// The entry.
    pub fn get(&mut self, load: u16) -> &mut Load {
        &mut self.loads[load as usize]
    }

    /// Closes an entry and returns what it was.
    pub fn close(&mut self, load: u16) -> Load {
        let closed = self.loads[load as usize];
        self.loads[load as usize] = Load { next_free: self.free, ..Load::default() };
        self.free = load;
        closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::ids::LaunchId;

    const HOLS: [LsuHol; 3] = [LsuHol::No, LsuHol::Yes, LsuHol::UnlessSplit];

    /// An LSU in which the older access is kernel 0's and the younger one kernel 1's.
    fn two(hol: LsuHol) -> Lsu {
        let mut lsu = Lsu::new(4, hol, 128, false, false, 2);
        for kernel in [0, 1] {
            lsu.push(KernelId(kernel), Instruction { base: 0, key: 0, pc: 0, tag: 0, launch: LaunchId(0), access: Access::Read });
        }
        lsu
    }

    /// Kernel 1's access passes kernel 0's, which failed, where the LSU parks it: always, never, or, as long as the miss queue is split, if
    /// it lacks a place that is kernel 0's own.
    #[test]
    fn a_failed_access_is_passed_by_where_it_is_parked() {
        let own = [ReservationFailure::MissQueue, ReservationFailure::StoreBuffer];
        for (hol, why) in HOLS.into_iter().flat_map(|hol| ReservationFailure::ALL.map(|why| (hol, why))) {
            let mut lsu = two(hol);
            assert_eq!(lsu.turn(), Some(KernelId(0)), "the oldest goes first");
            lsu.fail(10, KernelId(0), why, |_| panic!("nothing has waited"));
            let passes = |split: bool| hol == LsuHol::No || hol == LsuHol::UnlessSplit && split && own.contains(&why);
            for split in [false, true, false] {
                lsu.controls_changed(split);
                assert_eq!(lsu.turn(), passes(split).then_some(KernelId(1)), "{hol:?}, {why:?}, split: {split}");
            }
            lsu.retry(12, |_, _, _| true, |wait| assert_eq!(wait, Wait { kernel: KernelId(0), why, cycles: 2, oldest: true }));
            assert_eq!(lsu.turn(), Some(KernelId(0)));
        }
    }

    /// Kernel 1's access, the younger, fails in cycle 10, kernel 0's in 13 and is tried again in 18. Each is charged its own wait, and in
    /// every cycle one of them as the oldest, whenever the sums are read.
    #[test]
    fn in_every_cycle_one_access_waits_as_the_oldest() {
        let why = ReservationFailure::Mshr;
        for read in 10..20 {
            let mut lsu = two(LsuHol::No);
            let mut waited = [(0, 0); 2];
            let mut add = |wait: Wait| {
                let of = &mut waited[wait.kernel.index()];
                *of = (of.0 + wait.cycles, of.1 + if wait.oldest { wait.cycles } else { 0 });
            };
            for now in 10..=20 {
                match now {
                    10 => lsu.fail(now, KernelId(1), why, &mut add),
                    13 => lsu.fail(now, KernelId(0), why, &mut add),
                    18 => lsu.retry(now, |kernel, _, _| kernel == KernelId(0), &mut add),
                    _ => {}
                }
                if now == read || now == 20 {
                    lsu.settle(now, &mut add);
                }
            }
            assert_eq!(waited, [(5, 5), (10, 3 + 2)], "read in {read}");
        }
    }
}
