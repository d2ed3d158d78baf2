//! `.trace` and `.traceg`: kernels as text.
//!
//! A raw `.trace` has warps one into another, each line with its CTA and warp before it: four numbers, or eleven from version 6 of the tracer on. A
//! `.traceg` has CTAs one after another, their warps one after another in them.

use crate::fault::{fault, shown};
use crate::header::{Header, LONGEST, Parsed, triple};
use crate::record::{Recorder, Summary};
use crate::scan::{Lines, Words, whole};
use sim_core::describe::error::Problem;
use std::io::{Read, Write};

/// Lines in a row that say nothing, at most.
const SILENT: u32 = 1 << 20;

/// Reads a header.
pub fn header<R: Read>(lines: &mut Lines<R>) -> Result<Header, Problem> {
    let mut parsed = Parsed::default();
    let mut bytes = 0;
    while lines.advance()? {
        bytes += lines.line().len() + 1;
        if bytes > LONGEST {
            return Err(lines.wrong(fault(format!("a header of more than {LONGEST} bytes"), "its last line, `#traces format = …`")));
        }
        if parsed.line(lines.line()).map_err(|fault| lines.wrong(fault))? {
            return parsed.whole().map_err(|fault| lines.wrong(fault));
        }
    }
    Err(lines.ended("the rest of the header, up to the line `#traces format = …`"))
}

/// Reads a kernel, of which people call the stream so; nothing if it is another one than `only`.
pub fn read<R: Read, W: Write>(source: R, name: &str, only: Option<u64>, recorder: &mut Recorder<W>) -> Result<Option<Summary>, Problem> {
    let mut lines = Lines::new(source, name);
    let header = header(&mut lines)?;
    if only.is_some_and(|id| id != header.id) {
        return Ok(None);
    }
    recorder.begin(header.clone(), name).map_err(|fault| lines.wrong(fault))?;
    let mut raw = false;
    let mut begun = false;
    while next(&mut lines)? {
        if lines.line().starts_with(b"#") {
            if lines.line() == b"#BEGIN_TB" {
                if raw {
                    return Err(lines.wrong(fault("a group of a CTA behind lines without one", "either kind of trace")));
                }
                begun = true;
                group(&mut lines, &header, recorder)?;
            }
            continue;
        }
        if begun {
            return Err(lines.wrong(fault(shown(lines.line()), "#BEGIN_TB")));
        }
        raw = true;
        line(lines.line(), &header, recorder).map_err(|fault| lines.wrong(fault))?;
    }
    recorder.text_bytes += lines.bytes;
    recorder.finish_kernel(raw).map(Some).map_err(|fault| lines.wrong(fault))
}

/// Goes to the next line that says something.
fn next<R: Read>(lines: &mut Lines<R>) -> Result<bool, Problem> {
    for _ in 0..SILENT {
        if !lines.advance()? {
            return Ok(false);
        }
        if !lines.line().is_empty() {
            return Ok(true);
        }
    }
    Err(lines.wrong(fault(format!("{SILENT} empty lines"), "a trace")))
}

/// A line of a raw trace.
fn line<W: Write>(line: &[u8], header: &Header, recorder: &mut Recorder<W>) -> crate::fault::Found<()> {
    let mut words = Words::new(line);
    let (cta, warp) = columns(&mut words, header)?;
    if header.version >= 6 {
        for _ in 0..6 {
            words.whole("a place in a cluster", u32::MAX.into())?;
        }
        if words.whole("a rank in a cluster", u32::MAX.into())? > 0 {
            recorder.clusters();
        }
    }
    if recorder.takes(cta) { recorder.instruction(cta, warp, &mut words, true) } else { Ok(()) }
}

/// The four columns of a CTA and its warp.
fn columns(words: &mut Words<'_>, header: &Header) -> crate::fault::Found<(u64, u32)> {
    let mut number = |what| words.whole(what, u32::MAX.into()).map(|n| n as u32);
    let place = [number("x of a CTA")?, number("y of a CTA")?, number("z of a CTA")?];
    Ok((header.cta(place)?, number("a warp")?))
}

/// What a line of the form `key = value` says.
fn said<'l>(line: &'l [u8], key: &str) -> Option<&'l [u8]> {
    let rest = line.strip_prefix(key.as_bytes())?.trim_ascii_start().strip_prefix(b"=")?;
    Some(rest.trim_ascii())
}

/// A CTA, from behind `#BEGIN_TB` to `#END_TB`.
fn group<R: Read, W: Write>(lines: &mut Lines<R>, header: &Header, recorder: &mut Recorder<W>) -> Result<(), Problem> {
    let mut cta = None;
    loop {
        if !next(lines)? {
            return Err(lines.ended("#END_TB"));
        }
        let line = lines.line();
        if line == b"#END_TB" {
            return match cta {
                Some(_) => Ok(()),
                None => Err(lines.wrong(fault("the end of a CTA", "`thread block = x,y,z` before it"))),
            };
        }
        if let Some(value) = said(line, "thread block") {
            let found = triple(value).ok_or_else(|| fault(shown(value), "x,y,z of a CTA")).and_then(|place| header.cta(place));
            let found = found.map_err(|fault| lines.wrong(fault))?;
            if cta.is_some() || recorder.has_cta(found) {
                return Err(lines.wrong(fault(format!("CTA {} again", shown(value)), "each CTA once, in a group of its own")));
            }
            cta = Some(found);
            if recorder.takes(found) {
                recorder.cta(found);
            }
        } else if let Some(value) = said(line, "warp") {
            let number = whole(value).and_then(|n| u32::try_from(n).ok());
            let Some((cta, number)) = cta.zip(number) else {
                return Err(lines.wrong(fault(format!("warp {}", shown(value)), "the number of a warp, behind `thread block = x,y,z`")));
            };
            warp(lines, header, cta, number, recorder)?;
        } else if let Some(value) = said(line, "cluster rank") {
            if value != b"0" {
                recorder.clusters();
            }
        } else if ["cluster id", "cluster cta"].iter().all(|key| said(line, key).is_none_or(|value| triple(value).is_none())) {
            return Err(lines.wrong(fault(shown(line), "`thread block = x,y,z`, `warp = n`, or #END_TB")));
        }
    }
}

/// A warp, from behind its number.
fn warp<R: Read, W: Write>(
    lines: &mut Lines<R>,
    header: &Header,
    cta: u64,
    number: u32,
    recorder: &mut Recorder<W>,
) -> Result<(), Problem> {
    let takes = recorder.takes(cta);
    if takes {
        recorder.warp(cta, number).map_err(|fault| lines.wrong(fault))?;
    }
    if !next(lines)? {
        return Err(lines.ended("`insts = n`"));
    }
    let Some(count) = said(lines.line(), "insts").and_then(whole) else {
        return Err(lines.wrong(fault(shown(lines.line()), "`insts = n`, the number of the warp's instructions")));
    };
    for done in 0..count {
        if !next(lines)? {
            return Err(lines.ended(format!("{count} instructions of warp {number}, of which {done} are there")));
        }
        let line = lines.line();
        if !line[0].is_ascii_hexdigit() || said(line, "cluster id").is_some() {
            return Err(lines.wrong(fault(shown(line), format!("{count} instructions of warp {number}, of which {done} are there"))));
        }
        if takes {
            let mut words = Words::new(line);
            let taken = match header.version {
                ..3 => match columns(&mut words, header) {
                    Ok(place) if place == (cta, number) => recorder.instruction(cta, number, &mut words, false),
                    Ok(_) => Err(fault("an instruction of another CTA or warp", "one of the warp in whose group it is")),
                    Err(fault) => Err(fault),
                },
                _ => recorder.instruction(cta, number, &mut words, false),
            };
            taken.map_err(|fault| lines.wrong(fault))?;
        }
    }
    if takes { recorder.end(cta, number).map_err(|fault| lines.wrong(fault)) } else { Ok(()) }
}
