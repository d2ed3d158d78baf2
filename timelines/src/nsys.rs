//! The table `cuda_gpu_trace` of Nsight Systems: a launch or a copy a row, with or without a column for green contexts.
//!
//! Units stand in the headings, `(ns)` or `:dur_ns`. Static and dynamic shared memory are what the kernel asks for, without the KB that the driver keeps
//! of each CTA from sm_80 on. `nsys stats` writes them in MB with three decimals, unless it is asked for bytes.

use crate::gather::{Gather, check, said, want};
use crate::scan::{END, LARGEST, Scan};
use crate::time::{scaled, whole};
use crate::timeline::{Device, Kernel, Shape, Timeline, Tool};
use corun_traces::fault::{Fault, Found, fault};
use csv::{ReaderBuilder, StringRecord};
use sim_core::describe::error::Problem;
use std::collections::HashMap;
use std::io::Read;

/// Columns that are read, in the order of `Columns`; any other is left alone.
const COLUMNS: [&str; 14] =
    ["Start", "Duration", "GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ", "Reg/Trd", "StcSMem", "DymSMem", "Device", "Strm", "Name"];
const CONTEXT: &str = "Ctx";
const GREEN: &str = "GreenCtx";

/// The separator of a table that begins in one of these lines.
pub fn separator(head: &str) -> Option<u8> {
    let heading = head.lines().find(|line| is_heading(line))?;
    // A quoted heading ends in a quote.
    let rest = heading.split_once("Duration")?.0.trim_end_matches('"');
    let last = rest.as_bytes().last()?;
    matches!(last, b',' | b';' | b'\t').then_some(*last)
}

/// Whether these are the columns of the report.
pub fn is_heading(line: &str) -> bool {
    ["Start", "Duration", "GrdX", "BlkX", "Reg/Trd", "Strm"].iter().all(|column| line.contains(column))
}

/// Where the columns are, and the units of those that have one.
struct Columns {
    at: [usize; COLUMNS.len()],
    context: Option<usize>,
    green: Option<usize>,
    /// Nanoseconds of the unit of starts and durations.
    start: u64,
    duration: u64,
    /// Bytes of the unit of static and dynamic shared memory.
    fixed: u64,
    dynamic: u64,
}

impl Columns {
    fn of(heading: &StringRecord) -> Found<Columns> {
        let place = |name: &str| {
            // Some versions misspell dynamic shared memory, others do not.
            heading.iter().position(|cell| bare(cell) == name || (name == "DymSMem" && bare(cell) == "DynSMem"))
        };
        let mut at = [0; COLUMNS.len()];
        for (at, name) in at.iter_mut().zip(COLUMNS) {
            *at = place(name).ok_or_else(|| fault(format!("no column {name}"), want()))?;
        }
        let unit = |column: usize, units: &[(&str, u64)]| {
            let text = unit(&heading[at[column]]);
            let known = units.iter().find(|(name, _)| text.eq_ignore_ascii_case(name));
            let names = || units.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            known
                .map(|(_, factor)| *factor)
                .ok_or_else(|| fault(format!("{:?}", &heading[at[column]]), format!("one of these units: {}", names())))
        };
        Ok(Columns {
            context: place(CONTEXT),
            green: place(GREEN),
            start: unit(0, TIMES)?,
            duration: unit(1, TIMES)?,
            fixed: unit(9, SIZES)?,
            dynamic: unit(10, SIZES)?,
            at,
        })
    }
}

/// Units of time, in nanoseconds.
const TIMES: &[(&str, u64)] = &[
    ("ns", 1),
    ("nsec", 1),
    ("us", 1000),
    ("μs", 1000),
    ("usec", 1000),
    ("ms", 1_000_000),
    ("msec", 1_000_000),
    ("s", 1_000_000_000),
    ("sec", 1_000_000_000),
];

/// Units of memory, in bytes.
const SIZES: &[(&str, u64)] = &[
    ("B", 1),
    ("byte", 1),
    ("bytes", 1),
    ("KB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

/// A heading without its unit.
fn bare(cell: &str) -> &str {
    cell.split(['(', ':']).next().unwrap_or(cell).trim()
}

/// The unit of a heading, `ns` of `Start (ns)` and of `Start:ts_ns`.
fn unit(cell: &str) -> &str {
    let unit = cell.split_once('(').map(|(_, unit)| unit.trim_end_matches(')'));
    unit.or_else(|| cell.rsplit_once('_').map(|(_, unit)| unit)).unwrap_or("").trim()
}

/// The rows that have come.
#[derive(Default)]
struct Rows {
    gather: Gather,
    green: u64,
    /// Contexts of each GPU in the order in which they come: each has streams of its own.
    contexts: HashMap<(u32, u64), u64>,
    /// Bytes to which shared memory is rounded.
    rounded: u64,
}

/// Reads a table.
pub fn read(scan: &mut Scan<impl Read>, separator: u8, name: &str) -> Result<Timeline, Problem> {
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).delimiter(separator).from_reader(&mut *scan);
    let (mut columns, mut row, mut rows, mut ended) = (None, StringRecord::new(), Rows::default(), None);
    loop {
        let line = reader.position().line();
        let place = || format!("{name}: line {line}");
        reader.get_mut().allow(LARGEST);
        match reader.read_record(&mut row) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                ended = Some(fault(error.to_string(), "rows of a table").at(format!("line {line}")));
                break;
            }
        }
        let Some(Heading { columns, cells }) = &columns else {
            if is_heading(&row.iter().collect::<Vec<_>>().join(",")) {
                let known = Columns::of(&row).map_err(|fault| fault.at(place()))?;
                columns = Some(Heading { columns: known, cells: row.len() });
            }
            continue;
        };
        if row.len() == *cells {
            rows.row(&row, columns, line).map_err(|(column, fault)| fault.at(format!("{}, {column}", place())))?;
        } else if row[0].starts_with(|first: char| first.is_ascii_digit()) {
            let found = format!("{} cells", row.len());
            // The last row of a table that is cut is short.
            let cut = matches!(reader.read_record(&mut row), Ok(false));
            ended = Some(
                fault(if cut { END.to_owned() } else { found }, format!("{cells} cells as in the headings")).at(format!("line {line}")),
            );
            break;
        } else {
            // Another report, or what a program has printed.
            break;
        }
    }
    ended = ended.or_else(|| scan.failure("all of the table"));
    let Rows { mut gather, green, contexts, rounded } = rows;
    if gather.seen() == 0 {
        let rows = fault(format!("a table without kernels, and {} copies and fills of memory", gather.copies), "a table with kernels");
        return Err(gather.nothing(name, ended, rows));
    }
    let green = said(green, ["launch is of a green context", "launches are of green contexts"]);
    gather.notes.extend(green.map(|what| format!("{what}; which SMs it has, the table does not say")));
    let mut others: Vec<_> = contexts.into_iter().filter(|(_, number)| *number > 0).collect();
    others.sort_unstable();
    for ((device, context), number) in others {
        gather.notes.push(format!("streams of context {context} of GPU {device} have {} added to their numbers", number << STREAM_BITS));
    }
    if rounded > 1 {
        gather.notes.push(format!("shared memory is rounded to {rounded} bytes; `nsys stats --format csv:mem=B` prints all of them"));
    }
    Ok(gather.finish(Tool::Nsys, ended))
}

/// Bits of a stream's number in its context.
const STREAM_BITS: u32 = 32;

/// What the headings say.
struct Heading {
    columns: Columns,
    /// Cells of a row.
    cells: usize,
}

/// A column, and what is wrong with its cell.
type Wrong = (&'static str, Fault);

impl Rows {
    fn row(&mut self, row: &StringRecord, columns: &Columns, line: u64) -> Result<(), Wrong> {
        let cell = |column: usize| (COLUMNS[column], row[columns.at[column]].trim());
        if matches!(cell(2).1, "" | "-") {
            self.gather.copies += 1;
            return Ok(());
        }
        let number = |column: usize, unit: u64, want: &str| {
            let (name, text) = cell(column);
            // A comma is one of another locale, for thousands or decimals.
            let locale = if text.contains([',', ' ', '\u{a0}']) { ", with a point for decimals and nothing between thousands" } else { "" };
            scaled(text, unit).ok_or_else(|| (name, fault(format!("{text:?}"), format!("{want}{locale}"))))
        };
        let count = |column: usize| {
            let (name, text) = cell(column);
            let n = whole(text).and_then(|n| u32::try_from(n).ok());
            n.ok_or_else(|| (name, fault(format!("{text:?}"), "a whole number without a sign or separators")))
        };
        let extent = |first: usize| Ok([count(first)?, count(first + 1)?, count(first + 2)?]);
        let size = |column: usize, unit: u64| {
            let bytes = number(column, unit, "shared memory, such as 0.049")?;
            u32::try_from(bytes).map_err(|_| (COLUMNS[column], fault(bytes.to_string(), "bytes of shared memory")))
        };
        let times = [number(0, columns.start, "a time, such as 1000")?, number(1, columns.duration, "a time, such as 1000")?];
        let (grid, block, registers) = (extent(2)?, extent(5)?, count(8)?);
        let shared_bytes = size(9, columns.fixed)?.saturating_add(size(10, columns.dynamic)?);
        let shape = Shape { grid, block, registers, shared_bytes };
        check(&shape).map_err(|(part, fault)| {
            let column = match part {
                "grid" => "GrdX, GrdY, GrdZ",
                "block" => "BlkX, BlkY, BlkZ",
                "registers" => "Reg/Trd",
                _ => "StcSMem and DymSMem",
            };
            (column, fault)
        })?;
        for (column, unit) in [(9, columns.fixed), (10, columns.dynamic)] {
            let decimals = cell(column).1.split_once('.').map_or(0, |(_, decimals)| decimals.len() as u32);
            self.rounded = self.rounded.max(unit / 10u64.saturating_pow(decimals));
        }
        let (device, gpu) = device(cell(11).1);
        self.gather.devices.entry(device).or_insert_with(|| Device { id: device, name: gpu.to_owned(), ..Device::default() });
        let text = cell(12).1;
        let stream = whole(text).filter(|stream| *stream >> STREAM_BITS == 0);
        let stream = stream.ok_or_else(|| (COLUMNS[12], fault(format!("{text:?}"), "the number of a stream")))?;
        let context = columns.context.and_then(|at| whole(row[at].trim())).unwrap_or(0);
        let known = self.contexts.keys().filter(|(of, _)| *of == device).count() as u64;
        let number = *self.contexts.entry((device, context)).or_insert(known);
        self.green += u64::from(columns.green.is_some_and(|at| !matches!(row[at].trim(), "" | "-")));
        let kernel = Kernel { name: cell(13).1.to_owned(), shape: Some(shape), estimated_occupancy: None };
        self.gather.add(kernel, device, number << STREAM_BITS | stream, times, || format!("line {line}"));
        Ok(())
    }
}

/// The number and the name of `NVIDIA A10G (0)`.
fn device(cell: &str) -> (u32, &str) {
    let parts = cell.rsplit_once('(').and_then(|(name, number)| Some((number.trim_end_matches(')').parse().ok()?, name.trim())));
    parts.unwrap_or((0, cell))
}
