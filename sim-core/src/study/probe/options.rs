//! What each probe takes, declared once: decoding, the runner's flags, and the forms and curves of the page are made from it.

use super::given::{CachePattern, CacheProbe, DramProbe, DramStream, MeshProbe, NocProbe, Traffic};
use crate::describe::error::Problems;
use crate::describe::gpu::{Arbiter, DramMap, DramOrder, PagePolicy};
use crate::describe::record::{Absent, Datum, Field, Placed, Shape, check_fields, each_of, form};
use crate::describe::value::Value;
use alloc::format;

/// An option of the probe with options `T`.
pub(super) type Choice<T> = Placed<T, Value>;

/// An option that has the probe's default if it is left out.
const fn option(name: &'static str, shape: Shape, unit: &'static str, doc: &'static str) -> Field {
    Field { name, shape, unit, absent: Absent::Words("the probe's default"), doc }
}

macro_rules! whole {
    ($name:literal, $unit:literal, $min:literal..=$max:literal, $($place:ident).+, $doc:literal) => {
        Placed {
            field: option($name, Shape::Int { min: $min, max: $max }, $unit, $doc),
            get: |of| Value::from(of.$($place).+),
            set: |of, value| of.$($place).+ = Datum::read(&value),
        }
    };
}

macro_rules! real {
    ($name:literal, $unit:literal, $min:literal..=$max:literal, $place:ident, $doc:literal) => {
        Placed {
            field: option($name, Shape::Number { min: $min, max: $max }, $unit, $doc),
            get: |of| of.$place.into(),
            set: |of, value| of.$place = Datum::read(&value),
        }
    };
}

macro_rules! choose {
    ($name:literal, [$($key:literal = $value:expr),+], $($place:ident).+, $doc:literal) => {
        Placed {
            field: option($name, Shape::Choice(&[$($key),+]), "", $doc),
            get: |of| [$(($key, $value)),+].iter().find(|(_, value)| *value == of.$($place).+).map(|(key, _)| *key).into(),
            set: |of, value| {
                if let Some(&(_, found)) = [$(($key, $value)),+].iter().find(|(key, _)| value.as_str() == Some(key)) {
                    of.$($place).+ = found;
                }
            },
        }
    };
}

pub(super) const NOC: &[Choice<NocProbe>] = &[
    whole!("inputs", "ports", 1..=64, inputs, "Input ports"),
    whole!("outputs", "ports", 1..=64, outputs, "Output ports"),
    whole!("flits", "flits", 1..=1024, flits, "Flits of a packet"),
    real!(
        "load",
        "flits per input and cycle",
        0.0..=1.0,
        load,
        "Flits that each input creates a cycle; they wait at their source without limit"
    ),
    choose!(
        "arbiter",
        ["rr" = Arbiter::RoundRobin, "random" = Arbiter::Random, "oldest" = Arbiter::Oldest],
        arbiter,
        "Who wins an output: inputs in turn, any, or the packet that has waited longest"
    ),
    whole!("cycles", "cycles", 10..=1_000_000_000, cycles, "Cycles; the first tenth is not counted"),
    whole!("seed", "", 0..=4_294_967_295, seed, "Seed of arrivals, destinations and the random arbiter"),
];

pub(super) const MESH: &[Choice<MeshProbe>] = &[
    whole!("width", "nodes", 1..=16, form.width, "Nodes of a row"),
    whole!("height", "rows", 1..=16, form.height, "Rows"),
    whole!("flits", "flits", 1..=1024, flits, "Flits of a packet"),
    real!(
        "load",
        "flits per node and cycle",
        0.0..=1.0,
        load,
        "Flits that each node creates a cycle; they wait at their source without limit"
    ),
    choose!(
        "traffic",
        ["uniform" = Traffic::Uniform, "transpose" = Traffic::Transpose, "neighbour" = Traffic::Neighbour],
        traffic,
        "Where a packet goes: to any node, to the one with row and column exchanged, or to the next of the row, from the last to the first"
    ),
    choose!(
        "arbiter",
        ["rr" = Arbiter::RoundRobin, "random" = Arbiter::Random, "oldest" = Arbiter::Oldest],
        arbiter,
        "Who wins an output: inputs in turn, any, or the packet that has waited longest"
    ),
    whole!("hop", "cycles", 1..=64, form.hop, "From one router to the next, with the router's own"),
    whole!("buffer", "flits", 1..=256, form.buffer, "Flits that a router's input holds, those on their way to it included"),
    whole!("cycles", "cycles", 10..=1_000_000_000, cycles, "Cycles; the first tenth is not counted"),
    whole!("seed", "", 0..=4_294_967_295, seed, "Seed of arrivals, destinations and the random arbiter"),
];

pub(super) const DRAM: &[Choice<DramProbe>] = &[
    choose!(
        "stream",
        ["sequential" = DramStream::Sequential, "random" = DramStream::Random, "streams" = DramStream::Streams],
        stream,
        "Which lines: one after the other, any of 2^24, or several sequential streams in turn"
    ),
    whole!("streams", "streams", 1..=4096, streams, "Streams, where there are several"),
    whole!("stream_stride", "lines", 0..=4_294_967_295, stream_stride, "From the start of a stream to the start of the next"),
    real!("write_fraction", "fraction", 0.0..=1.0, write_fraction, "Requests that write, at random"),
    Placed {
        field: option("alternate_writes", Shape::Flag, "", "Every other request writes"),
        get: |of| of.alternate_writes.into(),
        set: |of, value| of.alternate_writes = bool::read(&value),
    },
    real!(
        "load",
        "fraction of the bus",
        0.0..=1.0,
        load,
        "Requests as a fraction of what the data bus can carry; at 1 the queue is kept full"
    ),
    whole!("queue", "transactions", 1..=4096, config.queue, "Entries of the transaction queue"),
    choose!(
        "map",
        ["row:bank:column" = DramMap::RowBankColumn, "row:column:bank" = DramMap::RowColumnBank, "hash" = DramMap::HashedBank],
        config.map,
        "How a line number becomes row, bank and column"
    ),
    choose!("page", ["open" = PagePolicy::Open, "closed" = PagePolicy::Closed], config.page, "When a row is closed"),
    choose!(
        "order",
        ["reads_first" = DramOrder::ReadsFirst, "one_queue" = DramOrder::OneQueue],
        config.order,
        "Reads before writes, which are drained in batches, or one queue for both"
    ),
    Placed {
        field: option("refresh", Shape::Flag, "", "Refresh all banks every 3604 clocks, for 60"),
        get: |of| (of.config.timing.tREFI > 0).into(),
        set: |of, value| {
            if bool::read(&value) {
                of.refresh();
            }
        },
    },
    whole!("banks", "banks", 1..=64, config.banks, "Banks"),
    whole!("columns", "lines", 1..=65_536, config.columns, "Lines of a row"),
    whole!("T", "clocks", 1..=10_000, config.timing.T, "Clocks that a line occupies the data bus"),
    whole!("tCL", "clocks", 0..=10_000, config.timing.tCL, "Read command to first data"),
    whole!("WL", "clocks", 0..=10_000, config.timing.WL, "Write command to first data"),
    whole!("tRP", "clocks", 0..=10_000, config.timing.tRP, "Precharge to activate"),
    whole!("tRC", "clocks", 0..=10_000, config.timing.tRC, "Activate to activate, same bank"),
    whole!("tRAS", "clocks", 0..=10_000, config.timing.tRAS, "Activate to precharge"),
    whole!("tRCD", "clocks", 0..=10_000, config.timing.tRCD, "Activate to column command"),
    whole!("tRRD", "clocks", 0..=10_000, config.timing.tRRD, "Activate to activate, other bank"),
    whole!("tFAW", "clocks", 0..=10_000, config.timing.tFAW, "Span of any five activates, at least; 0: off"),
    whole!("tCCD", "clocks", 0..=10_000, config.timing.tCCD, "Column command to column command"),
    whole!("tWR", "clocks", 0..=10_000, config.timing.tWR, "End of write data to precharge"),
    whole!("tWTR", "clocks", 0..=10_000, config.timing.tWTR, "End of write data to read command"),
    whole!("tRTW", "clocks", 0..=10_000, config.timing.tRTW, "Idle clocks of the data bus from a read to a write"),
    whole!("tRTP", "clocks", 0..=10_000, config.timing.tRTP, "Read command to precharge"),
    whole!("tREFI", "clocks", 0..=10_000_000, config.timing.tREFI, "Refresh interval; 0: no refresh"),
    whole!("tRFC", "clocks", 0..=1_000_000, config.timing.tRFC, "Refresh duration"),
    whole!("cycles", "command clocks", 10..=1_000_000_000, cycles, "Command clocks; the first tenth is not counted"),
    whole!("seed", "", 0..=4_294_967_295, seed, "Seed of arrivals and addresses"),
];

pub(super) const CACHE: &[Choice<CacheProbe>] = &[
    whole!("size", "bytes", 1..=268_435_456, size, "Capacity"),
    whole!("ways", "ways", 1..=32, ways, "Ways of a set"),
    whole!("line", "bytes", 1..=65_536, line, "Bytes of a line"),
    choose!(
        "pattern",
        [
            "cyclic" = CachePattern::Cyclic,
            "zigzag" = CachePattern::Zigzag,
            "random" = CachePattern::Random,
            "stride" = CachePattern::Stride
        ],
        pattern,
        "From the first line to the last again and again; forwards, then backwards; any; or cyclic with a stride"
    ),
    Placed {
        field: option("lines", Shape::Int { min: 1, max: 16_777_216 }, "lines", "Lines visited; left out: as `capacities` says"),
        get: |of| of.lines.into(),
        set: |of, value| of.lines = Datum::read(&value),
    },
    Placed {
        field: option(
            "capacities",
            Shape::Number { min: 0.0, max: 16.0 },
            "capacities",
            "Lines visited, in units of the capacity; left out, and no `lines`: 1",
        ),
        get: |of| of.capacities.into(),
        set: |of, value| of.capacities = Datum::read(&value),
    },
    whole!("stride", "lines", 1..=1_048_576, stride, "From one line to the next, with the pattern `stride`"),
    Placed {
        field: option(
            "passes",
            Shape::Int { min: 1, max: 1_000_000 },
            "",
            "Visits to every line; left out: 10, with the pattern `random` 1000",
        ),
        get: |of| of.passes.into(),
        set: |of, value| of.passes = Datum::read(&value),
    },
    whole!("seed", "", 0..=4_294_967_295, seed, "Seed of the random order"),
];

pub(super) static OF_NOC: [Field; NOC.len()] = each_of!(NOC, Placed::field);
pub(super) static OF_MESH: [Field; MESH.len()] = each_of!(MESH, Placed::field);
pub(super) static OF_DRAM: [Field; DRAM.len()] = each_of!(DRAM, Placed::field);
pub(super) static OF_CACHE: [Field; CACHE.len()] = each_of!(CACHE, Placed::field);

pub(super) fn describe<T: Default>(options: &[Choice<T>]) -> Value {
    let defaults = T::default();
    Value::array(options.iter().map(|option| {
        let Value::Object(mut pairs) = form::field(&option.field) else { return Value::Null };
        pairs.iter_mut().filter(|(key, _)| key == "default").for_each(|(_, default)| *default = (option.get)(&defaults));
        Value::Object(pairs)
    }))
}

pub(super) fn decode<T: Default>(table: &'static [Choice<T>], fields: &'static [Field], given: &Value) -> Result<T, Problems> {
    let (mut options, mut problems) = (T::default(), Problems::default());
    if check_fields(fields, "an object of options", given, &mut problems) {
        let named = |option: &Choice<T>| Some(((option.set), given.get(option.field.name)?.clone()));
        table.iter().filter_map(named).for_each(|(set, value)| set(&mut options, value));
    }
    problems.or(options)
}

/// The problems of options that were set in Rust.
pub(super) fn problems<T>(table: &[Choice<T>], options: &T) -> Problems {
    let mut problems = Problems::default();
    for option in table {
        let value = (option.get)(options);
        if value != Value::Null {
            option.field.shape.check(&value, option.field.name, &mut problems);
        }
    }
    problems
}

pub(super) fn noc_problems(options: &NocProbe) -> Problems {
    problems(NOC, options)
}

pub(super) fn mesh_problems(options: &MeshProbe) -> Problems {
    let mut problems = problems(MESH, options);
    let form = &options.form;
    if options.traffic == Traffic::Transpose && form.width != form.height {
        problems.add("height", form.height, format!("{}, as many rows as columns, with the traffic transpose", form.width));
    }
    problems
}

pub(super) fn dram_problems(options: &DramProbe) -> Problems {
    let mut problems = problems(DRAM, options);
    let timing = &options.config.timing;
    if timing.tREFI > 0 && timing.tREFI <= timing.tRFC.saturating_add(timing.tRP) {
        problems.add("tREFI", timing.tREFI, "0, or more than tRFC + tRP");
    }
    problems
}

pub(super) fn cache_problems(options: &CacheProbe) -> Problems {
    let mut problems = problems(CACHE, options);
    let &CacheProbe { size, ways, line, .. } = options;
    let set = u64::from(line) * u64::from(ways);
    if problems.0.is_empty() && u64::from(size) < set {
        problems.add("size", size, format!("at least a set: {set} bytes, {ways} ways of {line}"));
    }
    if options.lines.is_some() && options.capacities.is_some() {
        problems.add("lines", "both lines and capacities", "one of them");
    }
    problems
}

impl DramProbe {
    /// Sets a whole-number option by name. Returns whether there is one of that name.
    pub fn set(&mut self, name: &str, value: u32) -> bool {
        let option = DRAM.iter().find(|option| option.field.name == name && matches!(option.field.shape, Shape::Int { .. }));
        if let Some(option) = option {
            (option.set)(self, value.into());
        }
        option.is_some()
    }
}
