//! The file of a timeline: JSON, in which a launch is five numbers.

use crate::gather::check;
use crate::scan::Scan;
use crate::timeline::{Device, Ended, Kernel, Launched, MOST_LAUNCHES, Timeline, Tool};
use corun_traces::fault::fault;
use serde::{Deserialize, Serialize};
use sim_core::describe::error::Problem;
use std::io::{self, BufReader, Read, Write};

/// How such a file begins.
pub const BEGINS: &str = "{\"corun_timeline\":";

/// Version of the format.
const VERSION: u32 = 1;

/// Bytes of such a file: each launch may be of a kernel of its own, whose name has kilobytes.
const LARGEST: usize = 256 << 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    corun_timeline: u32,
    tool: Tool,
    devices: Vec<Device>,
    kernels: Vec<Kernel>,
    /// Kernel, device, stream, start, duration.
    launches: Vec<(u32, u32, u64, u64, u64)>,
    notes: Vec<String>,
    ended: Option<Ended>,
}

/// Writes a timeline.
pub fn write(timeline: &Timeline, mut out: impl Write) -> io::Result<()> {
    let launch = |launch: &Launched| (launch.kernel, launch.device, launch.stream, launch.start, launch.duration);
    let stored = Stored {
        corun_timeline: VERSION,
        tool: timeline.tool,
        devices: timeline.devices.clone(),
        kernels: timeline.kernels.clone(),
        launches: timeline.launches.iter().map(launch).collect(),
        notes: timeline.notes.clone(),
        ended: timeline.ended.clone(),
    };
    serde_json::to_writer(&mut out, &stored)?;
    out.write_all(b"\n")
}

/// Reads what `write` has written.
pub fn read(scan: &mut Scan<impl Read>, name: &str) -> Result<Timeline, Problem> {
    scan.allow(LARGEST);
    let stored: Stored =
        serde_json::from_reader(BufReader::new(scan)).map_err(|error| fault(error.to_string(), "a timeline of Corun's").at(name))?;
    let wrong = |place: String, found: String, want: &str| fault(found, want).at(format!("{name}: {place}"));
    if stored.corun_timeline != VERSION {
        return Err(wrong("corun_timeline".into(), stored.corun_timeline.to_string(), "1, the version that is read"));
    }
    for (at, kernel) in stored.kernels.iter().enumerate() {
        let shape = kernel.shape.as_ref().map_or(Ok(()), check);
        shape.map_err(|(part, fault)| fault.at(format!("{name}: kernels[{at}], {part}")))?;
    }
    if stored.launches.len() > MOST_LAUNCHES {
        return Err(wrong("launches".into(), stored.launches.len().to_string(), "at most 100,000 launches"));
    }
    let mut launches: Vec<Launched> = Vec::with_capacity(stored.launches.len());
    for (at, (kernel, device, stream, start, duration)) in stored.launches.into_iter().enumerate() {
        let known = (kernel as usize) < stored.kernels.len() && (device as usize) < stored.devices.len();
        let in_order = launches.last().is_none_or(|before| before.start <= start) && start.checked_add(duration).is_some();
        if !known || !in_order {
            let found = format!("[{kernel}, {device}, {stream}, {start}, {duration}]");
            return Err(wrong(format!("launches[{at}]"), found, "a known kernel on a known device, in the order of starts"));
        }
        launches.push(Launched { kernel, device, stream, start, duration });
    }
    let Stored { tool, devices, kernels, notes, ended, .. } = stored;
    Ok(Timeline { tool, devices, kernels, launches, notes, ended })
}
