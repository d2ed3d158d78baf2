//! Timelines of real programs, as people read them.

use crate::{input, overlaps, text};
use corun_lab::{Failure, output, problem};
use corun_timelines::read;
use corun_timelines::report::{Report, report, time};
use corun_timelines::residency::Described;
use corun_timelines::timeline::{Launched, Timeline, Tool};
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::study::foreign::LOOKED_AT;
use std::fs::File;
use std::io::{self, Read, Seek};

/// GPUs and streams that are listed.
const LISTED: usize = 10;

/// The file of a timeline, if it is one; `-` and names of examples are none.
pub fn source(file: &str) -> Result<Option<File>, Failure> {
    let Ok(mut source) = File::open(file) else { return Ok(None) };
    let unreadable = |error: io::Error| Failure::from(problem("(file)", format!("{file}: {error}"), "a file that can be read"));
    let mut head = Vec::new();
    Read::by_ref(&mut source).take(LOOKED_AT as u64).read_to_end(&mut head).map_err(unreadable)?;
    if !read::is_timeline(&head) {
        return Ok(None);
    }
    source.rewind().map_err(unreadable)?;
    Ok(Some(source))
}

/// A report as it is stored.
pub fn json(report: &Report) -> Value {
    serde_json::to_string(report).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or(Value::Null)
}

/// The GPU of `--gpu`.
pub fn asked(gpu: Option<&str>) -> Result<Option<Described>, Problems> {
    gpu.map(Described::preset).transpose().map_err(input::one)
}

/// What a timeline says; what is to be known goes to stderr.
pub fn found(timeline: &Timeline, asked: Option<&Described>) -> Report {
    let found = report(timeline, asked);
    found.notes.iter().for_each(|note| output::say(&format!("note: {note}")));
    found
}

/// What a timeline holds: its GPUs and streams, how busy they were, and what shapes and times say.
pub fn summary(timeline: &Timeline, found: &Report) -> String {
    let mut facts = vec![["from", tool(timeline.tool)].map(str::to_owned)];
    let mut streams: Vec<(u32, u64)> = timeline.launches.iter().map(|launch| (launch.device, launch.stream)).collect();
    streams.sort_unstable();
    streams.dedup();
    for (number, device) in timeline.devices.iter().enumerate() {
        let launches: Vec<&Launched> = timeline.launches.iter().filter(|launch| launch.device as usize == number).collect();
        if !launches.is_empty() {
            let sms = device.sms.map_or(String::new(), |sms| format!(", {sms} SMs"));
            let name = if device.name.is_empty() { "not named" } else { &device.name };
            let of = streams.iter().filter(|(device, _)| *device as usize == number).map(|(_, stream)| stream.to_string());
            let streams: Vec<String> = of.collect();
            facts.push([format!("GPU {}", device.id), format!("{name}{sms}")]);
            facts.push(["  taken as".into(), found.gpus[number].described.clone()]);
            facts.push(["  streams".into(), some(&streams)]);
            facts.push(["  launches".into(), grouped(launches.len() as u64)]);
            facts.extend(busy(&launches));
        }
    }
    facts.push(["kernels".into(), format!("{}, by name and shape", grouped(timeline.kernels.len() as u64))]);
    format!("{}\n\n{}", text::wrapped(facts.into_iter().map(Vec::from)), overlaps::text(timeline, found))
}

fn tool(tool: Tool) -> &'static str {
    match tool {
        Tool::Kineto => "PyTorch's profiler (Kineto)",
        Tool::Nsys => "Nsight Systems (cuda_gpu_trace)",
    }
}

fn grouped(n: u64) -> String {
    text::grouped(i64::try_from(n).unwrap_or(i64::MAX))
}

/// The first of many names.
fn some(names: &[String]) -> String {
    let more = if names.len() > LISTED { format!(", … ({} in all)", names.len()) } else { String::new() };
    format!("{}{more}", names[..names.len().min(LISTED)].join(", "))
}

/// How long a GPU was looked at, in how much of that any kernel ran, and how long none did in between. Launches come by their starts.
fn busy(launches: &[&Launched]) -> Vec<[String; 2]> {
    let (mut gaps, mut idle, mut end) = (Vec::new(), 0, launches[0].start);
    for launch in launches {
        if launch.start > end {
            gaps.push(launch.start - end);
            idle += launch.start - end;
        }
        end = end.max(launch.end());
    }
    let whole = end - launches[0].start;
    let share = if whole == 0 { 100.0 } else { (whole - idle) as f64 / whole as f64 * 100.0 };
    gaps.sort_unstable();
    let gaps = match gaps.last() {
        None => "none".to_owned(),
        Some(longest) => {
            let count = grouped(gaps.len() as u64);
            format!("{count}, the median {}, the longest {}, {} in all", time(gaps[gaps.len() / 2]), time(*longest), time(idle))
        }
    };
    vec![
        ["  time".into(), format!("{} from the first start to the last end, a kernel in {share:.1} % of it", time(whole))],
        ["  gaps without a kernel".into(), gaps],
    ]
}
