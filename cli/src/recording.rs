//! Recordings of kernels, as people read them.

use crate::{input, text};
use corun_lab::problem;
use corun_traces::recording::{self, Recording};
use corun_traces::unpack::{self, Kind};
use sim_core::describe::error::Problems;
use std::fs::File;
use std::io::{Seek, SeekFrom};

/// What a file holds, if it is a recording.
pub fn of(file: &str) -> Result<Option<Recording>, Problems> {
    // What cannot be opened is said by who reads it as something else.
    let Ok(mut source) = File::open(file) else { return Ok(None) };
    let Ok(head) = unpack::head(&mut source, file) else { return Ok(None) };
    if unpack::kind(&head) != Some(Kind::Recording) {
        return Ok(None);
    }
    source.seek(SeekFrom::Start(0)).map_err(|error| problem("(file)", format!("{file}: {error}"), "a file that can be read"))?;
    recording::read(source, file, |_| {}).map(Some).map_err(input::one)
}

/// What its kernels are and do.
pub fn table(recording: &Recording) -> String {
    let number = |n: u64| text::grouped(i64::try_from(n).unwrap_or(i64::MAX));
    let mut parts = Vec::new();
    for kernel in &recording.kernels {
        let header = &kernel.header;
        let shape = |numbers: &[u32; 3]| numbers.map(|n| n.to_string()).join(" × ");
        let mut facts = vec![
            [format!("kernel {}", header.id), header.name.clone()],
            ["grid".into(), format!("{} CTAs of {} threads", shape(&header.grid), shape(&header.block))],
            ["registers".into(), header.registers.to_string()],
            ["shared_bytes".into(), number(header.shared_bytes.into())],
            ["stream".into(), header.stream.to_string()],
            ["architecture".into(), format!("sm_{}, traced by version {}", header.architecture, header.version)],
        ];
        facts.extend(kernel.counts.all().map(|(name, n)| [name.to_owned(), number(n)]));
        let by_opcode: Vec<String> = kernel.by_opcode.iter().map(|(stem, n)| format!("{stem} {}", number(*n))).collect();
        facts.push(["by_opcode".into(), by_opcode.join(", ")]);
        parts.push(text::wrapped(facts.into_iter().map(Vec::from)));
    }
    parts.push(format!("{} copies of {} bytes in all", number(recording.copies), number(recording.copied_bytes)));
    parts.join("\n\n")
}
