//! A second protocol, for the tests alone: it shows what a protocol needs. Stores are written through and update the line; a launch starts
//! with nothing of what its kernel has read before (self-invalidation).

use super::{KernelId, Parts, Protocol, ReservationFailure};
use crate::describe::gpu::{Gpu, L1Config};
use crate::interface::controls::SmControls;
use crate::machine::packet::{Packet, Request};

/// Counts of the calls that it gets.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Invalidating {
    evicted: u32,
    launches: (u32, u32),
}

impl Invalidating {
    pub fn new(_: &L1Config, _: &Gpu) -> Self {
        Invalidating { evicted: 0, launches: (0, 0) }
    }

    pub fn heard(&self) -> (u32, (u32, u32)) {
        (self.evicted, self.launches)
    }
}

impl Protocol for Invalidating {
    fn store(&mut self, parts: &mut Parts, request: Request, controls: &SmControls) -> Result<(), ReservationFailure> {
        parts.write_through(request, controls)?;
        parts.tags.lookup(request.line);
        Ok(())
    }

    fn evicted(&mut self) {
        self.evicted += 1;
    }

    fn launch_starts(&mut self, parts: &mut Parts, kernel: KernelId) {
        self.launches.0 += 1;
        parts.tags.drop_lines(|owner| owner == kernel);
    }

    fn launch_ends(&mut self, _: &mut Parts, _: KernelId, _: bool) {
        self.launches.1 += 1;
    }

    fn message(&mut self, parts: &mut Parts, reply: &Packet) {
        parts.stores.acknowledged(reply.request.kernel);
    }
}
