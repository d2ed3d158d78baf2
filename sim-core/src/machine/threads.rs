//! The work of some cycles in parts that touch each other nowhere, for threads of the host. The engine has no threads of its own: whoever runs
//! it lends them.

use super::memory::Memory;
use super::noc_port::NocPort;
use super::sm::code::Code;
use super::sm::{Inputs, Sm};
use crate::describe::ids::{Cycle, Set};
use crate::interface::controls::Controls;
use alloc::vec::Vec;
use core::fmt::Debug;

/// Who does some jobs, beside each other where it can. What a run measures does not depend on it.
pub trait Threads: Debug + Send + Sync {
    /// Runs every job once, in their order where not beside each other, and returns when all are done.
    fn each(&self, jobs: &mut [Job<'_>]);
}

/// A part of the work of some cycles.
#[derive(Debug)]
pub struct Job<'a>(pub(super) Work<'a>);

/// What a job does.
#[derive(Debug)]
pub(super) enum Work<'a> {
    /// The memory side goes on in these cycles.
    Memory(&'a mut Memory, &'a Span<'a>),
    /// SMs follow.
    Sms(Part<'a>, &'a Span<'a>),
}

impl Job<'_> {
    /// Does it.
    pub fn run(&mut self) {
        match &mut self.0 {
            Work::Memory(memory, span) => memory.run_ahead(span.start, span.end, span.controls, span.reversed),
            Work::Sms(part, span) => part.follow(span),
        }
    }
}

/// Some cycles, and what is read in them.
#[derive(Debug)]
pub(super) struct Span<'a> {
    pub start: Cycle,
    pub end: Cycle,
    /// SMs that may take a CTA in the first of them.
    pub awaiting: Set,
    pub controls: &'a Controls,
    pub codes: &'a [Vec<Code>],
    pub reversed: bool,
}

/// SMs one after the other, with their ports and the cycles in which they stop.
#[derive(Debug)]
pub(super) struct Part<'a> {
    /// The number of the first of them.
    pub first: u32,
    pub sms: &'a mut [Sm],
    pub ports: &'a mut [NocPort],
    pub stops: &'a mut [Cycle],
}

impl<'a> Part<'a> {
    /// Lets each SM follow, up to the first cycle in which it has news or is offered a CTA.
    pub fn follow(&mut self, span: &Span<'_>) {
        for index in Set::below(self.sms.len() as u32).members(span.reversed) {
            let (at, sm) = (index as usize, self.first + index);
            let inputs = Inputs { controls: &span.controls.sms[sm as usize], codes: span.codes };
            // What the dispatcher has gone on to offer in the cycles before, it still does.
            let awaits = span.awaiting.contains(sm);
            let end = if awaits { span.start + 1 } else { span.end };
            let stop = self.sms[at].follow(span.start, end, &inputs, &mut self.ports[at]);
            self.stops[at] = if awaits { span.start } else { stop };
        }
    }

    /// Splits these SMs into parts of so many.
    pub fn split(self, of: usize) -> impl Iterator<Item = Part<'a>> {
        let firsts = (self.first..).step_by(of);
        let parts = self.sms.chunks_mut(of).zip(self.ports.chunks_mut(of)).zip(self.stops.chunks_mut(of));
        firsts.zip(parts).map(|(first, ((sms, ports), stops))| Part { first, sms, ports, stops })
    }
}
