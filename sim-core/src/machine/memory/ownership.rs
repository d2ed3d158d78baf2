//! What a memory side has besides where L1Ds own words: a third network, for what homes ask of L1Ds; and L1Ds at the inputs of the reply
//! network, and banks at its outputs.
//!
//! ```text
//! SM ── reads, registrations, write-backs ──> request network ──> L2 bank
//! SM <────────────── forwards, transfers, recalls ── forward network <─┘
//! SM ── data, refusals, grants, recalled words ──> reply network ──> SM or L2 bank
//! ```
//!
//! Each network is a mesh of its own. So requests may wait for forwards and replies, and forwards for replies, but never the other way
//! round. An SM takes a reply in every cycle, whatever else it waits for, and a bank puts recalled words where they belong when they
//! arrive. A forward waits at its SM until the answers to the one before have found room at the SM's port of the reply network.

use super::{Memory, Noc};
use crate::describe::gpu::Gpu;
use crate::describe::ids::{Cycle, LineAddr, Set, members_of};
use crate::machine::coherence::Words;
use crate::machine::l2::{Ports, flits_of};
use crate::machine::noc::{Ends, Moment};
use crate::machine::noc_port::Asked;
use crate::machine::packet::{Answer, Forward, Node, Packet, Queue};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// The third network, and who has something from it or from L1Ds.
#[derive(Clone, Debug)]
pub(super) struct Ownership {
    pub forwards: Noc,
    /// Forwards that have arrived at each SM.
    pub to_owner: Box<[Queue]>,
    /// Banks to which recalled words have been delivered, or that cannot yet drop their line.
    pub returned: Set,
    flit_bytes: u32,
}

impl Ownership {
    pub fn new(gpu: &Gpu, seed: u64) -> Self {
        let (sms, banks) = (gpu.sm_count() as u16, gpu.l2.banks as u16);
        Ownership {
            forwards: Noc::new(&gpu.noc, Ends::new(sms, sms..sms + banks, 0..sms), 1, seed),
            to_owner: vec![Queue::new(gpu.noc.queue); sms.into()].into(),
            returned: Set::EMPTY,
            flit_bytes: gpu.noc.flit_bytes,
        }
    }
}

/// The reply network: from banks to SMs, or, where L1Ds own words, from all to all.
pub(super) fn replies(gpu: &Gpu, longest: u32, seed: u64) -> Noc {
    let (sms, banks) = (gpu.sm_count() as u16, gpu.l2.banks as u16);
    if !gpu.owns() {
        return Noc::new(&gpu.noc, Ends::new(sms, sms..sms + banks, 0..sms), longest, seed);
    }
    let slowest = gpu.sms.iter().map(|class| class.l1.forward_latency).max().unwrap_or(0);
    let noc = Noc::new(&gpu.noc, Ends::new(sms, 0..sms + banks, 0..sms + banks), longest, seed);
    noc.late_by(slowest + MOST_PHASES)
}

/// NoC cycles of a core cycle, at most.
const MOST_PHASES: u32 = 17;

impl Memory {
    /// Puts an SM's answer to what a home has asked into its input of the reply network, which has room.
    fn send_answer(&mut self, sm: u16, Answer { message, request, to, ready }: Answer) {
        let Some(ownership) = &self.ownership else { return };
        let flits = if request.bytes > 0 { flits_of(request.words, self.sizes.line_flits, ownership.flit_bytes) } else { 1 };
        let handle = self.packets.add(Packet::about(message, request, Node(sm), to, flits));
        let sent = self.noc.replies.push(&mut self.packets, ready.max(self.noc.ticks), handle);
        debug_assert!(sent.is_ok(), "the SM has looked for room");
    }

    /// Shows an SM its oldest forward, if that has arrived by `now`, and whether it can answer.
    pub(super) fn ask(&self, now: Cycle, sm: u32, asked: &mut Asked) {
        let first = |ownership: &Ownership| ownership.to_owner[sm as usize].first_ready(&self.packets, now);
        asked.forward = self.ownership.as_deref().and_then(first).map(|handle| {
            let Packet { message, request, from, extra, .. } = self.packets[handle];
            // As long after the beginning of this core cycle as it came after the beginning of its own.
            Forward { message, request, from, came: self.noc.ticks + u64::from(extra) }
        });
        asked.was_asked = asked.forward.is_some();
        asked.may_answer = self.noc.replies.has_room(sm);
    }

    /// Takes in an SM's answer, and that it has taken its oldest forward.
    pub(super) fn answered(&mut self, sm: u32, asked: &mut Asked) {
        if let Some(answer) = asked.answer.take() {
            self.send_answer(sm as u16, answer);
        }
        if core::mem::take(&mut asked.was_asked)
            && asked.forward.take().is_none()
            && let Some(ownership) = &mut self.ownership
            && let Some(handle) = ownership.to_owner[sm as usize].pop(&self.packets)
        {
            self.packets.remove(handle);
            if !self.has_forwards(sm) && self.noc.to_sm[sm as usize].is_empty() {
                self.noc.with_replies.remove(sm);
            }
        }
    }

    /// Whether forwards wait at an SM.
    pub(super) fn has_forwards(&self, sm: u32) -> bool {
        self.ownership.as_ref().is_some_and(|ownership| !ownership.to_owner[sm as usize].is_empty())
    }

    /// One NoC cycle of banks that are homes: recalled words, an answer and a forward into their ports, a read whose line is there, a request.
    pub(super) fn step_homes(&mut self, at: Moment) {
        for word in 0..self.banks.words {
            let returned = self.ownership.as_ref().map_or(0, |ownership| ownership.returned.word(word));
            for bank in members_of(word, returned, at.reversed) {
                self.take_back(at, bank);
            }
            *self.banks.replying.word_mut(word) |= self.banks.passed.take(at.tick, word);
            for bank in members_of(word, self.banks.replying.word(word), at.reversed) {
                if let Some(ownership) = &mut self.ownership
                    && !self.banks.all[bank as usize].send_as_home(at, &mut self.packets, &mut self.noc.replies, &mut ownership.forwards)
                {
                    self.banks.replying.remove(bank);
                }
            }
            for bank in members_of(word, self.banks.answering.word(word), at.reversed) {
                self.act(bank, |bank, _, ports| bank.answer_as_home(at, ports));
                self.banks.answering.set(bank, self.banks.all[bank as usize].is_answering(at.now));
            }
            for bank in members_of(word, self.banks.queued.word(word), at.reversed) {
                self.act(bank, |bank, queue, ports| bank.look_up_as_home(at, queue, ports));
                self.banks.queued.set(bank, !self.banks.queues[bank as usize].is_empty());
            }
        }
    }

    /// What was recalled has come back to a bank.
    fn take_back(&mut self, at: Moment, bank: u32) {
        let sms = self.noc.sms;
        while let Some(handle) = self.noc.to_sm[usize::from(sms) + bank as usize].pop(&self.packets) {
            self.act(bank, |bank, _, ports| bank.take_back(handle, ports));
        }
        let again = self.act(bank, |bank, _, ports| bank.finish_eviction(at.now, ports));
        if let Some(ownership) = &mut self.ownership {
            ownership.returned.set(bank, again);
        }
    }

    /// Lets a bank do something, which may put requests into its link to DRAM.
    fn act<T>(&mut self, index: u32, does: impl FnOnce(&mut super::Bank, &mut Queue, &mut Ports<'_>) -> T) -> T {
        let (bank, packets, passed, stats) =
            (&mut self.banks.all[index as usize], &mut self.packets, &mut self.banks.passed, &mut self.stats);
        let mut ports = Ports { packets, passed, stats, spread: &self.banks.mapping.spread, phase: self.noc.phase };
        let done = does(bank, &mut self.banks.queues[index as usize], &mut ports);
        self.channels.may_ask(&self.banks.all[index as usize]);
        done
    }

    /// One cycle of the forward network.
    pub(super) fn step_forwards(&mut self, at: Moment) {
        let (stats, phase) = (&mut self.stats, self.noc.phase);
        let count = |packet: &mut Packet| {
            packet.extra = phase.into();
            let stats = &mut stats[packet.request.kernel.index()];
            packet.count_crossings(stats);
            stats.noc_request_flits += u64::from(packet.flits);
        };
        if let Some(ownership) = &mut self.ownership {
            ownership.forwards.tick(at, &mut self.packets, &mut ownership.to_owner, &mut self.noc.with_replies, count);
        }
    }

    /// Recalled words that the reply network has delivered are for banks.
    pub(super) fn sort_replies(&mut self) {
        let Some(ownership) = &mut self.ownership else { return };
        let sms = u32::from(self.noc.sms);
        while let Some(node) = self.noc.with_replies.after(sms - 1) {
            self.noc.with_replies.remove(node);
            ownership.returned.insert(node - sms);
        }
    }

    /// What L2 has down of who owns what: lines, SMs and words, where L1Ds own words.
    pub fn owned(&self) -> Vec<(LineAddr, u8, Words)> {
        self.banks.all.iter().flat_map(super::Bank::owned).collect()
    }
}
