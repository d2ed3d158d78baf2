//! No coherence, as in the GPUs of the CCBP paper: stores are written through and allocate nothing, and the line leaves L1D if it is there
//! (write-evict). A line that a kernel has read stays, even if another SM writes it.

use super::{Parts, Protocol, ReservationFailure};
use crate::describe::gpu::{Gpu, L1Config};
use crate::interface::controls::SmControls;
use crate::machine::packet::{Packet, Request};

/// The protocol has no state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Uncoherent;

impl Uncoherent {
    pub fn new(_: &L1Config, _: &Gpu) -> Self {
        Uncoherent
    }
}

impl Protocol for Uncoherent {
    fn store(&mut self, parts: &mut Parts, request: Request, controls: &SmControls) -> Result<(), ReservationFailure> {
        parts.write_through(request, controls)?;
        parts.tags.invalidate(request.line);
        Ok(())
    }

    fn message(&mut self, parts: &mut Parts, reply: &Packet) {
        parts.stores.acknowledged(reply.request.kernel);
    }
}
