//! No coherence, and stores stay: they are written through, and in L1D as well. A store of a whole line takes a way for it, one of a part of a line
//! that is there updates it, and any other allocates nothing. Atomic operations are L2's, so the line leaves L1D.
//!
//! An H100 does so: copies of regions, one CTA an SM, fit L1D as long as what they read and what they write does together (`silicon/h100.csv`, study
//! `region`).

use super::{Parts, Protocol, ReservationFailure};
use crate::describe::gpu::{Gpu, L1Config};
use crate::interface::controls::SmControls;
use crate::machine::packet::{Access, Packet, Request};

/// What it knows of the GPU.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Allocating {
    line_bytes: u32,
}

impl Allocating {
    pub fn new(_: &L1Config, gpu: &Gpu) -> Self {
        Allocating { line_bytes: gpu.l2.line_bytes }
    }
}

impl Protocol for Allocating {
    fn store(&mut self, parts: &mut Parts, request: Request, controls: &SmControls) -> Result<(), ReservationFailure> {
        let Request { line, kernel, access, bytes, .. } = request;
        parts.write_through(request, controls)?;
        if access == Access::Atomic {
            parts.tags.invalidate(line);
        } else if parts.tags.lookup(line).is_none()
            && u32::from(bytes) == self.line_bytes
            && parts.mshrs.find(line).is_none()
            && parts.has_way(line, kernel, controls)
        {
            // Nothing is dirty here, so what it pushes out is only gone.
            parts.tags.fill(line, kernel, false, controls.l1_ways[kernel]);
        }
        Ok(())
    }

    fn message(&mut self, parts: &mut Parts, reply: &Packet) {
        parts.stores.acknowledged(reply.request.kernel);
    }
}
