//! A timeline of any of the formats, by how its file begins.

use crate::decode::Decoded;
use crate::gather::{WANT, cut, want};
use crate::scan::{END, Scan};
use crate::timeline::Timeline;
use crate::{kineto, nsys, stored};
use corun_traces::fault::{Fault, fault};
use corun_traces::unpack::{self, Kind, Unpacked};
use sim_core::describe::error::Problem;
use sim_core::study::foreign::{LOOKED_AT, UNREAD, XLA, named, recognise};
use std::io::{self, Read};

/// Reads a timeline, of which people call the file so: packed with gzip or xz, or not, in UTF-8 or, behind a byte order mark, UTF-16.
pub fn timeline(mut source: impl Read, name: &str) -> Result<Timeline, Problem> {
    let head = unpack::head(&mut source, name)?;
    let packed = matches!(unpack::kind(&head), Some(Kind::Gzip | Kind::Xz));
    let recording = unpack::kind(&head) == Some(Kind::Recording);
    let mut scan = Scan::new(Decoded::new(Unpacked::new(head, source)));
    let text = String::from_utf8_lossy(scan.head(LOOKED_AT)).into_owned();
    if recording {
        return Err(fault("a recording of kernels", WANT).at(name));
    }
    if text.starts_with(stored::BEGINS) {
        return stored::read(&mut scan, name);
    }
    let foreign = recognise(text.as_bytes());
    let json = text.trim_start().starts_with('{');
    if json && foreign.is_none_or(|foreign| is_trace(&text) && foreign.what != XLA) {
        return if text.contains(RUN) { Err(run().at(name)) } else { kineto::read(&mut scan, name) };
    }
    if let Some(separator) = nsys::separator(&text) {
        return nsys::read(&mut scan, separator, name);
    }
    if let Some(failure) = scan.failure("a whole file") {
        return Err(if failure.found == END { cut().at(name) } else { Problem { path: format!("{name}: {}", failure.path), ..failure } });
    }
    let packed = if packed { ", packed" } else { "" };
    let refused = match foreign.or_else(|| named(name)) {
        Some(foreign) if foreign.takes == UNREAD => fault(format!("{}{packed}", foreign.what), want()),
        // What makes a table of it says how.
        Some(foreign) if foreign.takes.contains("nsys stats") => {
            fault(format!("{}{packed}", foreign.what), format!("{WANT}; {}", foreign.takes))
        }
        Some(foreign) => fault(format!("{}{packed}", foreign.what), format!("{}; {}", want(), foreign.takes)),
        None if text.lines().any(nsys::is_heading) => fault("`cuda_gpu_trace` as a table for people", want()),
        None if text.trim_start().starts_with('[') => fault("JSON that is a list", want()),
        None if text.trim().is_empty() => fault("an empty file", want()),
        None => fault("another kind of file", want()),
    };
    Err(refused.at(name))
}

/// Whether a file that begins so is meant as a timeline: of other JSON, `timeline` says what it is.
pub fn is_timeline(head: &[u8]) -> bool {
    let mut scan = Scan::new(Decoded::new(Unpacked::new(head.to_vec(), io::empty())));
    let text = String::from_utf8_lossy(scan.head(LOOKED_AT));
    let trace = text.trim_start().starts_with('{') && is_trace(&text) && !text.contains(RUN);
    trace || text.starts_with(stored::BEGINS) || nsys::separator(&text).is_some()
}

/// Whether JSON has what profilers write.
fn is_trace(text: &str) -> bool {
    text.contains("\"traceEvents\"") || text.contains("\"deviceProperties\"")
}

/// What is in a trace of a run of Corun's and in no other.
const RUN: &str = "\"time_unit\":\"1 cycle is written as";

fn run() -> Fault {
    fault("a run of Corun's, as `corun run --trace` writes it", format!("{WANT}; https://ui.perfetto.dev shows it"))
}
