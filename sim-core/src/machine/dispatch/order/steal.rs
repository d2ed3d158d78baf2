//! Steal (S): chunks that flip, and an SM without work takes a CTA of another. It keeps it: a queue of what it has stolen is its own work in
//! the next launch, beside its chunk.
//!
//! The paper's text and its Algorithm 1 differ in places, and leave others open; those that can matter are parameters.

use super::chunks::deal;
use super::scheme::{ChunkEntry, CtaOrder, CtaOrderInfo, CtaOrderSpec, Grid, Offer, Share, Shares};
use super::turns::Turns;
use crate::describe::ids::{Cycle, KernelId, NEVER, Set};
use crate::describe::kernel::Dim3;
use crate::interface::spec::Param;
use alloc::vec::Vec;

pub(super) const INFO: CtaOrderInfo = CtaOrderInfo {
    name: "steal",
    source: "IKRA §4.4 and Algorithm 1: the scheduler S",
    doc: "Flip, but an SM that has done its own steals from others, the left and the right neighbour first, and remembers it for the next launches",
    params: &[
        Param::flag("wrap", false, "The first SM and the last are neighbours"),
        Param::choice(
            "scan",
            &["next", "first"],
            "next",
            "Where an SM looks after its neighbours: at those after it and then those from SM 0 on, or at all from SM 0 on",
        ),
        Param::int("entries", (1, 65_536), 32, "CTAs", "Size of an SM's steal queue; what an SM steals beyond it is not remembered"),
        Param::flag(
            "overflow_on_evict",
            false,
            "The next launch deals anew if a queue had to leave a CTA out, rather than if it became full (Algorithm 1, line 16)",
        ),
        Param::flag(
            "tail",
            false,
            "Always the youngest CTA is stolen from a queue (Algorithm 1, line 36), rather than the one that its SM would run last",
        ),
        Param::int("latency", (0, 10_000), 0, "cycles", "From when an SM has room and no work of its own until it has stolen a CTA"),
    ],
};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Rules {
    wrap: bool,
    scan_from_first: bool,
    entries: u32,
    overflow_on_evict: bool,
    tail: bool,
    latency: Cycle,
}

impl Rules {
    fn of(spec: &CtaOrderSpec) -> Self {
        Rules {
            wrap: spec.flag("wrap"),
            scan_from_first: spec.choice("scan") == "first",
            entries: spec.int("entries") as u32,
            overflow_on_evict: spec.flag("overflow_on_evict"),
            tail: spec.flag("tail"),
            latency: spec.int("latency") as Cycle,
        }
    }

    /// The SMs from which `thief` steals, in the order in which it looks at them; some more than once.
    fn victims(self, thief: u16, sms: u16) -> impl Iterator<Item = usize> + Clone {
        let left = thief.checked_sub(1).or(self.wrap.then_some(sms - 1));
        let right = (thief + 1 < sms).then_some(thief + 1).or(self.wrap.then_some(0));
        let from = if self.scan_from_first { 0 } else { thief };
        left.into_iter().chain(right).chain(from..sms).chain(0..from).filter(move |&sm| sm != thief).map(usize::from)
    }
}

/// The state of this order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Steal {
    rules: Rules,
    turns: Turns,
    kernels: Vec<Work>,
    /// The victim of the last choice.
    stolen_from: Option<u16>,
}

#[cfg(test)]
impl Steal {
    /// Whether the kernel's next launch deals chunks anew.
    pub fn deals_anew(&self, kernel: KernelId) -> bool {
        self.kernels[kernel.index()].deal_anew
    }
}

/// A kernel's CTAs.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Work {
    sms: Vec<Own>,
    /// What the chunks were dealt for: the grid, and the SMs on which the kernel may run.
    dealt: Option<(Dim3, Set)>,
    /// A launch has begun before.
    launched: bool,
    /// A launch has begun of which no CTA has been placed.
    begins: bool,
    /// Direction of the launch.
    backward: bool,
    /// A queue has overflowed: the next launch deals anew.
    deal_anew: bool,
}

/// What an SM has of a kernel.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Own {
    chunk: ChunkEntry,
    /// Forwards, the first CTA of the chunk that has not begun; backwards, the one after the last that has not.
    current: u32,
    /// CTAs that it has stolen, the oldest first.
    queue: Vec<u32>,
    /// Those of the queue that have not begun: from here to before there.
    waiting: (u32, u32),
    /// When it steals; `NEVER` if it does not look for work.
    steals_at: Cycle,
}

impl Own {
    fn begin(&mut self, backward: bool) {
        self.current = if backward { self.chunk.end } else { self.chunk.first };
        self.waiting = (0, self.queue.len() as u32);
        self.steals_at = NEVER;
    }

    /// The part of the chunk that has not begun.
    fn chunk_left(&self, backward: bool) -> ChunkEntry {
        if backward { ChunkEntry { end: self.current, ..self.chunk } } else { ChunkEntry { first: self.current, ..self.chunk } }
    }

    /// The next CTA of its own: the chunk upwards and then the queue from the oldest on, or all of that the other way round.
    fn next(&mut self, backward: bool) -> Option<u32> {
        let queue = |own: &mut Own| {
            let (first, end) = &mut own.waiting;
            let mut left = ChunkEntry { first: *first, end: *end };
            let at = left.take(backward)?;
            (*first, *end) = (left.first, left.end);
            Some(own.queue[at as usize])
        };
        let chunk = |own: &mut Own| {
            let cta = own.chunk_left(backward).take(backward)?;
            own.current = if backward { cta } else { cta + 1 };
            Some(cta)
        };
        if backward { queue(self).or_else(|| chunk(self)) } else { chunk(self).or_else(|| queue(self)) }
    }

    /// Gives away the CTA of the queue that it would run last, or the youngest.
    fn lose_of_queue(&mut self, backward: bool, tail: bool) -> Option<u32> {
        let (first, end) = self.waiting;
        if first == end {
            return None;
        }
        self.waiting.1 -= 1;
        Some(self.queue.remove(if backward && !tail { first } else { end - 1 } as usize))
    }

    /// Gives away the CTA of the chunk that it would run last, for good.
    fn lose_of_chunk(&mut self, backward: bool) -> Option<u32> {
        self.chunk_left(backward).take(!backward)?;
        self.chunk.take(!backward)
    }
}

impl Work {
    fn launch(&mut self) {
        self.backward = self.launched && !self.backward;
        (self.launched, self.begins) = (true, true);
    }

    /// Deals chunks if there are none for such a launch, or no right ones; else all SMs keep what they have.
    fn begin(&mut self, grid: &Grid, open: Set, sms: u16) {
        if self.deal_anew || self.dealt != Some((grid.extent, open)) {
            self.dealt = Some((grid.extent, open));
            let chunks = deal(grid.ctas, open, sms, 0).into_iter();
            self.sms = chunks.map(|chunk| Own { chunk, ..Own::default() }).collect();
        }
        self.sms.iter_mut().for_each(|own| own.begin(self.backward));
        (self.begins, self.deal_anew) = (false, false);
    }

    /// The next CTA for an SM, and its victim: one of its own, or a stolen one.
    fn next(&mut self, rules: Rules, sm: u16, now: Cycle) -> Option<(u32, Option<u16>)> {
        let (backward, sms) = (self.backward, self.sms.len() as u16);
        let own = &mut self.sms[usize::from(sm)];
        if let Some(cta) = own.next(backward) {
            return Some((cta, None));
        }
        if own.steals_at > now && rules.latency > 0 {
            let waits = own.steals_at != NEVER;
            let is_left = |own: &Own| own.waiting.0 < own.waiting.1 || own.chunk_left(backward).take(false).is_some();
            if !waits && self.sms.iter().any(is_left) {
                self.sms[usize::from(sm)].steals_at = now + rules.latency;
            }
            return None;
        }
        own.steals_at = NEVER;
        let mut victims = rules.victims(sm, sms);
        let of_queue = victims.clone().find_map(|victim| Some((self.sms[victim].lose_of_queue(backward, rules.tail)?, victim)));
        let (cta, victim) = of_queue.or_else(|| victims.find_map(|victim| Some((self.sms[victim].lose_of_chunk(backward)?, victim))))?;
        let queue = &mut self.sms[usize::from(sm)].queue;
        let is_full = queue.len() as u32 == rules.entries;
        if !is_full {
            queue.push(cta);
        }
        self.deal_anew |= is_full || !rules.overflow_on_evict && queue.len() as u32 == rules.entries;
        Some((cta, Some(victim as u16)))
    }
}

impl Steal {
    /// The order that `spec` describes, for so many SMs and kernels.
    pub fn new(spec: &CtaOrderSpec, sms: usize, kernels: usize) -> Self {
        let kernels = alloc::vec![Work::default(); kernels];
        Steal { rules: Rules::of(spec), turns: Turns::new(sms, kernels.len()), kernels, stolen_from: None }
    }
}

impl CtaOrder for Steal {
    fn launch(&mut self, kernel: KernelId, _grid: &Grid, _sms: u16) {
        self.kernels[kernel.index()].launch();
    }

    fn choose(&mut self, offer: &Offer) -> Option<(KernelId, u32)> {
        let stolen_from = &mut self.stolen_from;
        self.turns.choose(offer, |kernel| {
            let work = &mut self.kernels[kernel.index()];
            if work.begins {
                work.begin(offer.grid(kernel), offer.open[kernel.index()], offer.sms);
            }
            let (cta, victim) = work.next(self.rules, offer.sm, offer.now)?;
            *stolen_from = victim;
            Some(cta)
        })
    }

    fn stolen_from(&self) -> Option<u16> {
        self.stolen_from
    }

    fn shares(&self, kernel: KernelId) -> Option<Shares> {
        let work = &self.kernels[kernel.index()];
        let begins = work.begins;
        let share = |own: &Own| {
            // What the launch that begins has not looked at yet is whole.
            let left = if begins { own.chunk } else { own.chunk_left(work.backward) };
            let waiting = if begins { (0, own.queue.len() as u32) } else { own.waiting };
            Share { chunk: Some(own.chunk), left, queue: own.queue.clone(), waiting }
        };
        let sms = work.sms.iter().map(share).collect();
        Some(Shares { backward: work.backward, deals_anew: work.deal_anew, sms })
    }

    fn waits(&self, offer: &Offer) -> bool {
        offer.kernels().any(|kernel| self.kernels[kernel.index()].sms[usize::from(offer.sm)].steals_at != NEVER)
    }
}
