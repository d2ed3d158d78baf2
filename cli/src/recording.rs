//! Recordings of kernels, as people read them.

use crate::{input, text};
use corun_lab::problem;
use corun_traces::launch::{self, Launches};
use corun_traces::recording::{self, Recording};
use corun_traces::unpack::{self, Kind};
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use std::io::{BufReader, Seek, SeekFrom};
use std::path::Path;

/// What a file holds, if it is a recording.
pub fn of(file: &str) -> Result<Option<Recording>, Problems> {
    // What cannot be opened, or be read but once, is said by who reads it as something else.
    let Some(mut source) = input::reopenable(file) else { return Ok(None) };
    let Ok(head) = unpack::head(&mut source, file) else { return Ok(None) };
    if unpack::kind(&head) != Some(Kind::Recording) {
        return Ok(None);
    }
    source.seek(SeekFrom::Start(0)).map_err(|error| problem("(file)", format!("{file}: {error}"), "a file that can be read"))?;
    recording::read(source, file, |_| {}).map(Some).map_err(input::one)
}

/// Beginning of a kernel that stands in a file.
const FROM_FILE: char = '@';

/// Reads a recording and makes it known, so that experiments may name its launches.
pub fn know(file: &str) -> Result<Launches, Problems> {
    launch::read(BufReader::new(input::open(file)?), file).map_err(input::one)
}

/// Puts the kernels of recordings in the place of `@FILE.corun` and `@FILE.corun#ID`, wherever kernels are listed. Files are looked for beside `beside`, then where the command runs.
pub fn put_in(value: &mut Value, beside: &str) -> Result<(), Problems> {
    match value {
        Value::Object(pairs) => {
            for (key, inner) in pairs {
                match inner {
                    Value::Array(items) if key == "kernels" => {
                        let all: Result<Vec<Vec<Value>>, Problems> = items.drain(..).map(|item| kernels_of(item, beside)).collect();
                        *items = all?.into_iter().flatten().collect();
                    }
                    inner => put_in(inner, beside)?,
                }
            }
            Ok(())
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| put_in(item, beside)),
        _ => Ok(()),
    }
}

/// The kernels that an entry of a mix stands for, each with the entry's settings.
fn kernels_of(item: Value, beside: &str) -> Result<Vec<Value>, Problems> {
    let named = item.get("kernel").unwrap_or(&item).as_str().and_then(|name| name.strip_prefix(FROM_FILE));
    let Some(named) = named else { return Ok(vec![item]) };
    let (file, id) = match named.rsplit_once('#') {
        Some((file, id)) => {
            let id =
                id.parse().map_err(|_| problem("kernels", format!("@{named}"), "@FILE.corun, or @FILE.corun#ID with a kernel's number"))?;
            (file, Some(id))
        }
        None => (named, None),
    };
    let near = Path::new(beside).parent().map(|folder| folder.join(file)).filter(|near| near.is_file());
    let path = near.map_or_else(|| file.to_owned(), |near| near.to_string_lossy().into_owned());
    let kernels = know(&path)?.kernels(file, id).map_err(input::one)?;
    let with = |kernel: Value| match &item {
        Value::Object(pairs) => {
            let rest = pairs.iter().filter(|(key, _)| key != "kernel").cloned();
            Value::Object(std::iter::once(("kernel".to_owned(), kernel)).chain(rest).collect())
        }
        _ => kernel,
    };
    Ok(kernels.iter().map(|kernel| with(kernel.encode())).collect())
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
