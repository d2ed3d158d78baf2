//! The JSON of PyTorch's profiler, Kineto: what a GPU executed, among events of the host that are many times as many.
//!
//! `ts` and `dur` are microseconds whatever `displayTimeUnit` says. `shared memory` is what the kernel asks for, static and dynamic, without the KB
//! that the driver keeps of each CTA from sm_80 on. `blocks per SM` is the grid over the SMs. The estimated occupancy, and since 2026 the object
//! `occupancy`, come from a calculator that leaves shared memory at its default limit of 48 KB: above it they are 0.

use crate::gather::{Gather, check, said, want};
use crate::scan::{Scan, Stop};
use crate::time::{MICROSECOND, scaled, whole};
use crate::timeline::{Device, Kernel, Shape, Timeline, Tool};
use corun_traces::fault::{Fault, fault, shown};
use memchr::memmem::Finder;
use serde::Deserialize;
use serde_json::value::RawValue;
use sim_core::describe::error::Problem;
use std::borrow::Cow;
use std::io::Read;

/// What makes a trace with kernels.
const PROFILED: &str = "a trace with kernels: `torch.profiler.profile` with `ProfilerActivity.CUDA` records them";

/// What an event says first.
#[derive(Deserialize)]
struct Head<'e> {
    #[serde(borrow, default)]
    ph: Cow<'e, str>,
    #[serde(borrow, default)]
    cat: Cow<'e, str>,
}

/// What matters of a kernel. Numbers stay as they are written.
#[derive(Deserialize)]
struct Event<'e> {
    #[serde(borrow, default)]
    name: Cow<'e, str>,
    #[serde(borrow)]
    pid: Number<'e>,
    #[serde(borrow)]
    tid: Number<'e>,
    #[serde(borrow)]
    ts: Number<'e>,
    #[serde(borrow)]
    dur: Number<'e>,
    #[serde(borrow, default)]
    args: Args<'e>,
}

type Number<'e> = Option<&'e RawValue>;

#[derive(Deserialize, Default)]
struct Args<'e> {
    #[serde(borrow)]
    device: Number<'e>,
    #[serde(borrow)]
    stream: Number<'e>,
    #[serde(borrow)]
    grid: Number<'e>,
    #[serde(borrow)]
    block: Number<'e>,
    #[serde(borrow, rename = "registers per thread")]
    registers: Number<'e>,
    #[serde(borrow, rename = "shared memory")]
    shared: Number<'e>,
    #[serde(borrow, rename = "est. achieved occupancy %")]
    occupancy: Number<'e>,
}

/// A GPU of `deviceProperties`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Properties {
    #[serde(default)]
    id: u32,
    #[serde(default)]
    name: String,
    num_sms: Option<u32>,
    compute_major: Option<u32>,
    compute_minor: Option<u32>,
    warp_size: Option<u32>,
}

/// A field of an event, and what is wrong with it.
type Wrong = (&'static str, Fault);

/// A number's digits: older files have some numbers as texts.
fn digits(number: &RawValue) -> &str {
    number.get().trim_matches('"')
}

fn wrong(field: &'static str, number: Number<'_>, want: &str) -> Wrong {
    (field, fault(number.map_or("nothing".to_owned(), |number| shown(number.get().as_bytes())), want))
}

/// A whole number of at most 32 bits.
fn count(field: &'static str, number: Number<'_>) -> Result<u32, Wrong> {
    let n = number.and_then(|number| u32::try_from(whole(digits(number))?).ok());
    n.ok_or_else(|| wrong(field, number, "a whole number"))
}

fn extent(field: &'static str, numbers: Number<'_>) -> Result<[u32; 3], Wrong> {
    let parsed = numbers.and_then(|numbers| serde_json::from_str(numbers.get()).ok());
    parsed.ok_or_else(|| wrong(field, numbers, "three whole numbers"))
}

/// A time in nanoseconds.
fn time(field: &'static str, number: Number<'_>) -> Result<i64, Wrong> {
    number.and_then(|number| scaled(digits(number), MICROSECOND)).ok_or_else(|| wrong(field, number, "microseconds, such as 41.407"))
}

/// Which GPU or stream: the first of these that is written.
fn which(field: &'static str, numbers: [Number<'_>; 2]) -> Result<u64, Wrong> {
    let Some(number) = numbers.into_iter().flatten().next() else { return Ok(0) };
    whole(digits(number)).ok_or_else(|| wrong(field, Some(number), "a whole number"))
}

/// The events that have come.
#[derive(Default)]
struct Events {
    gather: Gather,
    /// Events so far.
    index: u64,
    /// Launches without a shape.
    shapeless: u64,
    /// Events that are no JSON, and what the first of them is.
    malformed: (u64, String),
    /// `traceEvents` has begun.
    begun: bool,
}

/// Reads a trace.
pub fn read(scan: &mut Scan<impl Read>, name: &str) -> Result<Timeline, Problem> {
    let mut events = Events::default();
    let ended = match top(scan, &mut events) {
        Ok(()) => None,
        Err(End::Stop(Stop::End)) => Some(scan.ended("the end of the JSON")),
        Err(End::Stop(Stop::Wrong(fault))) => Some(fault.at(format!("byte {}", scan.place()))),
        Err(End::Fact(place, fault)) => return Err(fault.at(format!("{name}: {place}"))),
    };
    let Events { mut gather, index, shapeless, malformed, begun } = events;
    let launches = gather.seen();
    if launches == 0 {
        let of = match malformed.0 {
            _ if !begun => fault("JSON without `traceEvents`", want()),
            0 => fault(format!("{index} events, none of which is a kernel"), PROFILED),
            malformed => fault(format!("{index} events, {malformed} of them no JSON and none a kernel"), PROFILED),
        };
        return Err(gather.nothing(name, ended, of));
    }
    if let Some(what) = said(malformed.0, ["event that is no JSON is left out", "events that are no JSON are left out"]) {
        gather.notes.push(format!("{what}, the first {}", malformed.1));
    }
    if shapeless > 0 {
        gather.notes.push(format!(
            "{shapeless} of {launches} launches {} no shape, which is grid, block, registers and shared memory: of an AMD GPU a trace has \
             at most the first two",
            if shapeless == 1 { "has" } else { "have" }
        ));
    }
    Ok(gather.finish(Tool::Kineto, ended))
}

/// Why reading ends.
enum End {
    Stop(Stop),
    /// What this place says cannot be.
    Fact(String, Fault),
}

impl From<Stop> for End {
    fn from(stop: Stop) -> End {
        End::Stop(stop)
    }
}

/// The outermost object.
fn top(scan: &mut Scan<impl Read>, events: &mut Events) -> Result<(), End> {
    scan.expect(b'{', "the beginning of a trace")?;
    while !scan.take(b'}')? {
        if scan.take(b',')? {
            continue;
        }
        let key = scan.value()?.to_vec();
        scan.expect(b':', "behind a key")?;
        match &*key {
            b"\"traceEvents\"" => events.read(scan)?,
            b"\"deviceProperties\"" => {
                let parsed: Result<Vec<Properties>, _> = serde_json::from_slice(scan.value()?);
                let fact = |error: serde_json::Error| End::Fact("deviceProperties".into(), fault(error.to_string(), "GPUs"));
                for properties in parsed.map_err(fact)? {
                    events.gather.devices.insert(properties.id, properties.into());
                }
            }
            _ => scan.skip()?,
        }
    }
    Ok(())
}

impl From<Properties> for Device {
    fn from(properties: Properties) -> Device {
        // What AMD's GPUs say in these two is no compute capability.
        let amd = properties.name.starts_with("AMD") || properties.warp_size == Some(64);
        let capability = properties.compute_major.zip(properties.compute_minor).filter(|_| !amd);
        Device { id: properties.id, name: properties.name, sms: properties.num_sms, capability }
    }
}

impl Events {
    /// Reads the events.
    fn read(&mut self, scan: &mut Scan<impl Read>) -> Result<(), End> {
        self.begun = true;
        scan.expect(b'[', "the beginning of the events")?;
        // Most events have none of these words, and are not parsed.
        let (kernel, memory) = (Finder::new("ernel\""), Finder::new("\"gpu_mem"));
        while !scan.take(b']')? {
            if scan.take(b',')? {
                continue;
            }
            let event = scan.value()?;
            if kernel.find(event).or_else(|| memory.find(event)).is_some() {
                self.event(event)?;
            }
            self.index += 1;
        }
        Ok(())
    }

    /// Takes an event, which may be another's than a kernel's.
    fn event(&mut self, event: &[u8]) -> Result<(), End> {
        match self.taken(event) {
            Ok(taken) => taken.map_err(|(field, fault)| End::Fact(format!("traceEvents[{}].{field}", self.index), fault)),
            Err(error) => {
                // Some writers have `inf`, or quotes in names: one such event says nothing against the others.
                if self.malformed.0 == 0 {
                    self.malformed.1 = format!("traceEvents[{}]: {error}", self.index);
                }
                self.malformed.0 += 1;
                Ok(())
            }
        }
    }

    fn taken(&mut self, event: &[u8]) -> serde_json::Result<Result<(), Wrong>> {
        let Head { ph, cat } = serde_json::from_slice(event)?;
        match &*cat {
            "kernel" | "Kernel" if ph == "X" => return Ok(self.launch(serde_json::from_slice(event)?)),
            "gpu_memcpy" | "gpu_memset" if ph == "X" => self.gather.copies += 1,
            _ => {}
        }
        Ok(Ok(()))
    }

    fn launch(&mut self, event: Event<'_>) -> Result<(), Wrong> {
        let args = event.args;
        let times = [time("ts", event.ts)?, time("dur", event.dur)?];
        let device = which("args.device", [args.device, event.pid])?;
        let device = u32::try_from(device).map_err(|_| wrong("args.device", args.device.or(event.pid), "the number of a GPU"))?;
        let stream = which("args.stream", [args.stream, event.tid])?;
        let all = [args.grid, args.block, args.registers, args.shared].iter().all(Option::is_some);
        let shape = if all {
            let shape = Shape {
                grid: extent("args.grid", args.grid)?,
                block: extent("args.block", args.block)?,
                registers: count("args[\"registers per thread\"]", args.registers)?,
                shared_bytes: count("args[\"shared memory\"]", args.shared)?,
            };
            check(&shape).map_err(|(part, fault)| {
                let field = match part {
                    "grid" => "args.grid",
                    "block" => "args.block",
                    "registers" => "args[\"registers per thread\"]",
                    _ => "args[\"shared memory\"]",
                };
                (field, fault)
            })?;
            Some(shape)
        } else {
            self.shapeless += 1;
            None
        };
        // Where the calculator fails it is below 0.
        let estimated_occupancy = args.occupancy.and_then(|n| u32::try_from(scaled(digits(n), 1)?).ok());
        let kernel = Kernel { name: event.name.into_owned(), shape, estimated_occupancy };
        self.gather.add(kernel, device, stream, times, || format!("traceEvents[{}]", self.index));
        Ok(())
    }
}
