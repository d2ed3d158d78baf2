//! Where an SM meets the memory side: what has come for the SM, and what it sends. Whoever follows an SM needs its port, and nothing else of
//! the memory side; so SMs can be followed beside each other, and beside the memory side as it goes on.
//!
//! The memory side opens a port for some cycles that it has been through, and takes in afterwards what the SM has sent in them (`Memory::open`,
//! `Memory::take_in`). Between the two the port says at every cycle what the memory side would say if it were at that cycle.

use super::packet::{Answer, Forward, Packet, Request, Station};
use crate::describe::ids::{Cycle, NEVER};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// One SM's port, from cycle `start` to before `end`. Different threads work at neighbouring ports: each has lines of the host's cache of its own.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct NocPort {
    /// Bytes of a line.
    pub line_bytes: u32,
    /// Requests that the SM's input of the request NoC holds, at most.
    pub capacity: u32,
    /// Requests there once all have left that do before `end`, those that the SM has sent since `start` included.
    pub held: u32,
    /// The cycles, counted from `start`, in which a request leaves it, a bit each.
    pub left: u64,
    /// The first cycle that the SM has not been through.
    pub start: Cycle,
    /// The first cycle that the memory side has not been through.
    pub end: Cycle,
    /// Replies in the order in which the SM takes them, each `ready` in the cycle in which it does.
    pub replies: Vec<Packet>,
    /// How many of them it has taken.
    pub taken: usize,
    /// Requests that the SM has sent since `start`, each in the cycle that it has as `since`.
    pub sent: Vec<Request>,
    /// What else passes where L1Ds own words.
    pub asked: Option<Box<Asked>>,
}

/// What homes ask of an L1D that owns words, and what it answers. The port is then open for one cycle at a time.
#[derive(Clone, Default, Debug)]
pub struct Asked {
    /// The oldest forward, until the SM takes it.
    pub forward: Option<Forward>,
    /// Whether there was one.
    pub was_asked: bool,
    /// Whether the SM's input of the reply network has room.
    pub may_answer: bool,
    /// The SM's answer.
    pub answer: Option<Answer>,
}

impl NocPort {
    /// A port for which nothing has come yet.
    pub fn new(line_bytes: u32, capacity: u32, owns: bool) -> Self {
        NocPort {
            line_bytes,
            capacity,
            held: 0,
            left: 0,
            start: 0,
            end: 0,
            replies: Vec::new(),
            taken: 0,
            sent: Vec::new(),
            asked: owns.then(Box::default),
        }
    }

    /// When the SM takes its next reply or can take a forward.
    #[inline]
    pub fn next_reply(&self) -> Cycle {
        let reply = self.replies.get(self.taken).map_or(NEVER, |reply| reply.ready);
        if self.has_forward() { reply.min(self.start) } else { reply }
    }

    /// Hands the SM its oldest reply, if it is the cycle for it.
    #[inline]
    pub fn take_reply(&mut self, now: Cycle) -> Option<&Packet> {
        let reply = self.replies.get(self.taken).filter(|reply| reply.ready <= now)?;
        self.taken += 1;
        Some(reply)
    }

    /// Whether the port would accept a request in cycle `now`.
    #[inline]
    pub fn has_room(&self, now: Cycle) -> bool {
        self.held + (self.left >> (now - self.start) >> 1).count_ones() < self.capacity
    }

    /// The first cycle from `now` on in which the port has room, as far as is known: `NEVER` if that is later than the memory side is.
    pub fn room_from(&self, now: Cycle) -> Cycle {
        if now >= self.end {
            return NEVER;
        }
        if self.has_room(now) {
            return now;
        }
        // A full port holds no more than it can: the first to leave makes room.
        let later = self.left >> (now - self.start) >> 1;
        if later == 0 { NEVER } else { now + 1 + Cycle::from(later.trailing_zeros()) }
    }

    /// Takes a request from the SM's miss queue in cycle `now`, and charges the time so far to the miss queue. The caller has checked `has_room`.
    #[inline]
    pub fn send(&mut self, now: Cycle, mut request: Request) {
        debug_assert!(self.has_room(now), "the SM has looked for room");
        request.leave(Station::MissQueue, now);
        self.held += 1;
        self.sent.push(request);
    }

    /// Whether a forward waits for the SM.
    fn has_forward(&self) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked.forward.is_some())
    }

    /// Hands the SM its oldest forward, if it has arrived.
    pub fn take_forward(&mut self) -> Option<Forward> {
        self.asked.as_mut()?.forward.take()
    }

    /// Whether the SM can answer what a home has asked.
    pub fn may_answer(&self) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked.may_answer && asked.answer.is_none())
    }

    /// Takes the SM's answer to what a home has asked. The caller has checked `may_answer`.
    pub fn answer(&mut self, answer: Answer) {
        debug_assert!(self.may_answer(), "the SM has looked for room");
        if let Some(asked) = &mut self.asked {
            asked.answer = Some(answer);
        }
    }
}
