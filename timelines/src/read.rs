//! A timeline of any of the formats, by how its file begins.

use crate::kineto;
use crate::scan::Scan;
use crate::timeline::Timeline;
use corun_traces::unpack::{self, Unpacked};
use sim_core::describe::error::Problem;
use std::io::Read;

/// Reads a timeline, of which people call the file so.
pub fn timeline(mut source: impl Read, name: &str) -> Result<Timeline, Problem> {
    let head = unpack::head(&mut source, name)?;
    let mut scan = Scan::new(Unpacked::new(head, source));
    kineto::read(&mut scan, name)
}
