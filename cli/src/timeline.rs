//! Timelines of real programs, as people read them.

use crate::{input, overlaps, text};
use corun_lab::{Failure, output, problem};
use corun_timelines::read;
use corun_timelines::report::{Report, report, time};
use corun_timelines::residency::Described;
use corun_timelines::timeline::Timeline;
use serde::Serialize;
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::study::foreign::LOOKED_AT;
use std::fs::File;
use std::io::{self, Read, Seek};

/// GPUs and streams that are listed.
const LISTED: usize = 10;

/// The file of a timeline, if it is one; `-` and names of examples are none, nor is what can be read but once, such as a pipe.
pub fn source(file: &str) -> Result<Option<File>, Failure> {
    let Some(mut source) = input::reopenable(file) else { return Ok(None) };
    let unreadable = |error: io::Error| Failure::from(problem("(file)", format!("{file}: {error}"), "a file that can be read"));
    let mut head = Vec::new();
    Read::by_ref(&mut source).take(LOOKED_AT as u64).read_to_end(&mut head).map_err(unreadable)?;
    if !read::is_timeline(&head) {
        return Ok(None);
    }
    source.rewind().map_err(unreadable)?;
    Ok(Some(source))
}

/// A report or a row as it is stored.
pub fn json(of: &impl Serialize) -> Value {
    serde_json::to_string(of).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or(Value::Null)
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
pub fn summary(found: &Report) -> String {
    let mut facts = vec![["from", found.tool].map(str::to_owned)];
    for gpu in found.gpus.iter().filter(|gpu| gpu.launches > 0) {
        let sms = gpu.sms.map_or(String::new(), |sms| format!(", {sms} SMs"));
        let name = if gpu.name.is_empty() { "not named" } else { &gpu.name };
        let streams: Vec<String> = gpu.streams.iter().map(ToString::to_string).collect();
        let share = if gpu.ns == 0 { 100.0 } else { 100.0 * gpu.busy_ns as f64 / gpu.ns as f64 };
        let gaps = match gpu.gaps {
            0 => "none".to_owned(),
            gaps => {
                let [median, longest, all] = [gpu.median_gap_ns, gpu.longest_gap_ns, gpu.ns - gpu.busy_ns].map(time);
                format!("{}, the median {median}, the longest {longest}, {all} in all", grouped(gaps as u64))
            }
        };
        let read = if gpu.lost_ns == 0 { String::new() } else { format!(" that were read of the {}", time(gpu.ns + gpu.lost_ns)) };
        facts.extend([
            [format!("GPU {}", gpu.id), format!("{name}{sms}")],
            ["  taken as".into(), gpu.described.clone()],
            ["  streams".into(), some(&streams)],
            ["  launches".into(), grouped(gpu.launches as u64)],
            ["  time".into(), format!("{}{read} from the first start to the last end, a kernel in {share:.1} % of it", time(gpu.ns))],
            ["  gaps without a kernel".into(), gaps],
        ]);
    }
    facts.push(["kernels".into(), format!("{}, by name and shape", grouped(found.kernel_count as u64))]);
    format!("{}\n\n{}", text::wrapped(facts.into_iter().map(Vec::from)), overlaps::text(found))
}

fn grouped(n: u64) -> String {
    text::grouped(i64::try_from(n).unwrap_or(i64::MAX))
}

/// The first of many names.
fn some(names: &[String]) -> String {
    let more = if names.len() > LISTED { format!(", … ({} in all)", names.len()) } else { String::new() };
    format!("{}{more}", names[..names.len().min(LISTED)].join(", "))
}
