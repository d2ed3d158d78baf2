//! A kernel of any of the formats, by what its file begins with.

use crate::fault::fault;
use crate::record::{Recorder, Summary};
use crate::unpack::{Kind, Unpacked, head, kind};
use crate::{text, tracez};
use sim_core::describe::error::Problem;
use std::io::{Read, Seek, SeekFrom, Write};

/// Reads a kernel, of which people call the file so; nothing if it is another one than `only`.
pub fn kernel<R: Read + Seek, W: Write>(
    mut source: R,
    name: &str,
    only: Option<u64>,
    recorder: &mut Recorder<W>,
) -> Result<Option<Summary>, Problem> {
    let head = head(&mut source, name)?;
    match kind(&head) {
        Some(Kind::Text | Kind::Gzip | Kind::Xz) => text::read(Unpacked::new(head, source), name, only, recorder),
        Some(Kind::Tracez) => {
            source.seek(SeekFrom::Start(0)).map_err(|error| fault(error.to_string(), "a file in which one can go").at(name))?;
            tracez::read(source, name, only, recorder)
        }
        Some(Kind::List) => Err(fault("a list of kernels", "one kernel").at(name)),
        Some(Kind::Recording) => Err(fault("a recording of Corun's", "a trace of Accel-Sim").at(name)),
        None => {
            Err(fault("another kind of file", "a trace of Accel-Sim: .trace, .traceg, .tracez, or either of the first packed").at(name))
        }
    }
}
