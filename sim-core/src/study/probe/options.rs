//! What each probe takes and gives, declared once: decoding, the runner's flags, and the forms and curves of the page are made from it.

use super::{CachePattern, DramStream};
use super::{CacheProbe, DramProbe, MeshProbe, NocProbe, Traffic, cache, dram, mesh, noc};
use crate::describe::error::Problems;
use crate::describe::gpu::{Arbiter, DramMap, PagePolicy};
use crate::describe::record::{Absent, Datum, Field, Placed, Shape, check_fields, each_of, form};
use crate::describe::value::Value;
use alloc::format;
use alloc::vec::Vec;

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

const NOC: &[Choice<NocProbe>] = &[
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

const MESH: &[Choice<MeshProbe>] = &[
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

const DRAM: &[Choice<DramProbe>] = &[
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
        ["row:bank:column" = DramMap::RowBankColumn, "row:column:bank" = DramMap::RowColumnBank, "xor" = DramMap::XorBank],
        config.map,
        "How a line number becomes row, bank and column"
    ),
    choose!("page", ["open" = PagePolicy::Open, "closed" = PagePolicy::Closed], config.page, "When a row is closed"),
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

const CACHE: &[Choice<CacheProbe>] = &[
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

static OF_NOC: [Field; NOC.len()] = each_of!(NOC, Placed::field);
static OF_MESH: [Field; MESH.len()] = each_of!(MESH, Placed::field);
static OF_DRAM: [Field; DRAM.len()] = each_of!(DRAM, Placed::field);
static OF_CACHE: [Field; CACHE.len()] = each_of!(CACHE, Placed::field);

/// A figure that a probe gives.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Figure {
    /// Key in the result.
    pub key: &'static str,
    /// Heading.
    pub title: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// The law that theory gives for it, and its source; empty where there is none. The value of the law is in the result's `theory`.
    pub law: &'static str,
}

/// A component that can be driven alone.
#[derive(Clone, Copy, Debug)]
pub struct Component {
    /// Name in commands and links.
    pub name: &'static str,
    /// Heading.
    pub title: &'static str,
    /// What it is and gives, in a sentence.
    pub doc: &'static str,
    /// The option along which its curves are drawn.
    pub sweep: &'static str,
    /// Which points of it, to begin with: `FROM:TO:STEP`.
    pub points: &'static str,
    /// The figures that are drawn.
    pub figures: &'static [Figure],
    /// What to begin with: names and options.
    pub presets: &'static [(&'static str, &'static [(&'static str, Preset)])],
    options: fn() -> Value,
    measure: fn(&Value) -> Result<Value, Problems>,
}

/// The value of an option in a preset.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Preset {
    /// A number.
    Number(f64),
    /// A name.
    Name(&'static str),
    /// True.
    On,
}

use Preset::{Name, Number, On};

/// Every component.
pub const COMPONENTS: &[Component] = &[
    Component {
        name: "noc",
        title: "Crossbar",
        doc: "A crossbar with uniform destinations: throughput and latency against load",
        sweep: "load",
        points: "0.05:1:0.05",
        figures: &[
            Figure {
                key: "throughput",
                title: "Throughput",
                unit: "flits per output and cycle",
                law: "The load until one first-in-first-out queue an input saturates: Karol, Hluchyj and Morgan, IEEE Trans. Comm. 1987, Table I \
                      (above 8 ports the limit 2 − √2 and a term in 1/N); as many inputs as outputs",
            },
            Figure {
                key: "latency_mean",
                title: "Mean latency",
                unit: "cycles, creation to tail",
                law: "The same paper's mean for very many ports and slots as long as a packet, (2 − p)(1 − p) / ((2 − √2 − p)(2 + √2 − p)) slots; \
                      fewer ports wait less, packets that are not aligned to slots a little more",
            },
            Figure { key: "latency_p99", title: "99th percentile of latency", unit: "cycles, creation to tail", law: "" },
        ],
        presets: &[
            ("16 × 16, one flit", &[("flits", Number(1.0))]),
            ("16 × 16, five flits: replies", &[("flits", Number(5.0))]),
            ("2 × 2, one flit", &[("inputs", Number(2.0)), ("outputs", Number(2.0)), ("flits", Number(1.0))]),
            (
                "64 × 64, one flit",
                &[("inputs", Number(64.0)), ("outputs", Number(64.0)), ("flits", Number(1.0)), ("cycles", Number(50_000.0))],
            ),
            ("16 × 16, oldest first", &[("flits", Number(5.0)), ("arbiter", Name("oldest"))]),
        ],
        options: || describe(NOC),
        measure: |options| noc(&decode(NOC, &OF_NOC, options)?),
    },
    Component {
        name: "mesh",
        title: "Mesh",
        doc: "A mesh of routers with X-Y routing and wormhole switching: throughput and latency against load",
        sweep: "load",
        points: "0.05:1:0.05",
        figures: &[
            Figure {
                key: "throughput",
                title: "Throughput",
                unit: "flits per node and cycle",
                law: "A bound: the load, as long as it has no link or sink of the X-Y routes carry more than a flit a cycle; beyond it nodes are not served alike",
            },
            Figure {
                key: "latency_mean",
                title: "Mean latency",
                unit: "cycles, creation to tail",
                law: "A bound from below: the mean hops and a cycle for each flit, what a packet takes that meets no other",
            },
            Figure { key: "latency_p99", title: "99th percentile of latency", unit: "cycles, creation to tail", law: "" },
            Figure { key: "hops_mean", title: "Mean hops", unit: "links", law: "Columns and rows between source and destination" },
        ],
        presets: &[
            ("4 × 4, uniform, five flits", &[]),
            ("4 × 4, uniform, one flit", &[("flits", Number(1.0))]),
            ("4 × 4, transpose", &[("traffic", Name("transpose"))]),
            ("4 × 4, neighbours", &[("traffic", Name("neighbour"))]),
            (
                "8 × 8, hops of four cycles",
                &[("width", Number(8.0)), ("height", Number(8.0)), ("hop", Number(4.0)), ("cycles", Number(20_000.0))],
            ),
        ],
        options: || describe(MESH),
        measure: |options| mesh(&decode(MESH, &OF_MESH, options)?),
    },
    Component {
        name: "dram",
        title: "DRAM channel",
        doc: "A DRAM channel: bandwidth, row hits and latency against load",
        sweep: "load",
        points: "0.05:1:0.05",
        figures: &[
            Figure {
                key: "bandwidth",
                title: "Bandwidth",
                unit: "fraction of the bus's peak",
                law: "A bound: the load, and T over the longest of T, tCCD and, for each row opened, tRRD, tFAW / 4 and tRC / banks, less refresh; \
                      from the timings alone",
            },
            Figure {
                key: "read_latency_mean",
                title: "Mean latency of reads",
                unit: "command clocks, arrival to last beat",
                law: "Reads alone: the unloaded latency and the mean wait of a Geo/D/1 queue (at most one arrival a clock): at the data bus for sequential \
                      ones, at the row's bank and for the channel's next activate for random ones",
            },
            Figure {
                key: "read_latency_p99",
                title: "99th percentile of reads' latency",
                unit: "command clocks, arrival to last beat",
                law: "",
            },
            Figure { key: "write_latency_mean", title: "Mean latency of writes", unit: "command clocks, arrival to last beat", law: "" },
            Figure {
                key: "write_latency_p99",
                title: "99th percentile of writes' latency",
                unit: "command clocks, arrival to last beat",
                law: "",
            },
            Figure { key: "row_hit_rate", title: "Row hits", unit: "fraction", law: "Sequential reads miss once a row" },
        ],
        presets: &[
            ("Sequential reads", &[]),
            ("Random reads", &[("stream", Name("random"))]),
            ("Two streams in one bank", &[("stream", Name("streams")), ("streams", Number(2.0))]),
            ("Sequential reads and writes in turn", &[("alternate_writes", On)]),
            ("Random reads and as many writes", &[("stream", Name("random")), ("write_fraction", Number(0.5))]),
            ("Sequential reads with refresh", &[("refresh", On)]),
            ("Random reads, four banks", &[("stream", Name("random")), ("banks", Number(4.0))]),
        ],
        options: || describe(DRAM),
        measure: |options| dram(&decode(DRAM, &OF_DRAM, options)?),
    },
    Component {
        name: "cache",
        title: "Cache",
        doc: "The tag array of L1D and L2: the steady miss rate against the size of what is read",
        sweep: "capacities",
        points: "0.25:2.5:0.125",
        figures: &[Figure {
            key: "miss_rate_steady",
            title: "Steady miss rate",
            unit: "fraction of accesses",
            law: "By sets of W ways with n of the lines each, least recently used first out: cyclic and stride miss always where n > W; zigzag misses \
                  n − W a pass; random misses 1 − W/n",
        }],
        presets: &[
            ("24 KB, cyclic", &[]),
            ("24 KB, forwards and backwards", &[("pattern", Name("zigzag"))]),
            ("24 KB, random", &[("pattern", Name("random")), ("passes", Number(200.0))]),
            ("24 KB, stride of 8 lines", &[("pattern", Name("stride")), ("stride", Number(8.0))]),
            ("24 KB, direct-mapped, random", &[("pattern", Name("random")), ("ways", Number(1.0)), ("passes", Number(200.0))]),
        ],
        options: || describe(CACHE),
        measure: |options| cache(&decode(CACHE, &OF_CACHE, options)?),
    },
];

impl Component {
    /// The component of that name.
    pub fn find(name: &str) -> Option<&'static Component> {
        COMPONENTS.iter().find(|component| component.name == name)
    }

    /// Its options, each an object: `name`, `unit`, `kind` (`int`, `number`, `choice` or `flag`), `min`, `max`, `choices`, `default`, `doc`.
    pub fn options(&self) -> Value {
        (self.options)()
    }

    /// Drives it with these options; what is left out has its default. The figures, and in `theory` what the laws say of them.
    pub fn measure(&self, options: &Value) -> Result<Value, Problems> {
        (self.measure)(options)
    }

    /// Everything that is declared of it.
    pub fn describe(&self) -> Value {
        let figure = |f: &Figure| Value::object([("key", f.key), ("title", f.title), ("unit", f.unit), ("law", f.law)]);
        let preset = |&(name, options): &(&str, &[(&str, Preset)])| {
            let options = Value::object(options.iter().map(|&(key, value)| (key, Value::from(value))));
            Value::object([("name", Value::from(name)), ("options", options)])
        };
        Value::object([
            ("name", Value::from(self.name)),
            ("title", self.title.into()),
            ("doc", self.doc.into()),
            ("sweep", self.sweep.into()),
            ("points", self.points.into()),
            ("figures", Value::array(self.figures.iter().map(figure))),
            ("presets", Value::array(self.presets.iter().map(preset))),
            ("options", self.options()),
        ])
    }
}

impl From<Preset> for Value {
    fn from(preset: Preset) -> Value {
        match preset {
            Number(number) => number.into(),
            Name(name) => name.into(),
            On => true.into(),
        }
    }
}

fn describe<T: Default>(options: &[Choice<T>]) -> Value {
    let defaults = T::default();
    Value::array(options.iter().map(|option| {
        let Value::Object(mut pairs) = form::field(&option.field) else { return Value::Null };
        pairs.iter_mut().filter(|(key, _)| key == "default").for_each(|(_, default)| *default = (option.get)(&defaults));
        Value::Object(pairs)
    }))
}

fn decode<T: Default>(table: &'static [Choice<T>], fields: &'static [Field], given: &Value) -> Result<T, Problems> {
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

/// A curve's points: the numbers that `text` (`FROM:TO:STEP`) stands for, at most 1000.
pub fn range(text: &str) -> Option<Vec<f64>> {
    let mut parts = text.split(':').map(|part| part.trim().parse::<f64>().ok().filter(|x| x.is_finite()));
    let (from, to, step) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() || step <= 0.0 || to < from || (to - from) / step > 999.5 {
        return None;
    }
    let count = libm::floor((to - from) / step + 1e-6) as u32;
    // Multiplied, not summed, and without the last bits that this leaves: 0.3, not 0.30000000000000004.
    Some((0..=count).map(|i| libm::round((from + f64::from(i) * step) * 1e9) / 1e9).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::{String, ToString};

    #[test]
    fn every_preset_and_default_can_be_measured() {
        for component in COMPONENTS {
            assert!(range(component.points).is_some());
            for (name, options) in component.presets {
                let mut given: Vec<(&str, Value)> = options.iter().map(|&(key, value)| (key, value.into())).collect();
                given.retain(|(key, _)| *key != "cycles" && *key != "passes");
                given.push(if component.name == "cache" { ("passes", 4.into()) } else { ("cycles", 2000.into()) });
                let measured = component.measure(&Value::object(given)).unwrap_or_else(|problems| panic!("{name}: {problems}"));
                for figure in component.figures {
                    assert!(measured.get(figure.key).is_some(), "{name}: {}", figure.key);
                }
            }
        }
    }

    #[test]
    fn bad_options_are_named() {
        let given = Value::object([("inputs", Value::from(0)), ("load", "much".into()), ("speed", 1.into())]);
        let problems = Component::find("noc").unwrap().measure(&given).unwrap_err();
        let lines: Vec<String> = problems.0.iter().map(ToString::to_string).collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0], "inputs: found 0, want a whole number from 1 to 64");
        assert_eq!(lines[1], "load: found \"much\", want a number from 0 to 1");
        assert!(lines[2].starts_with("speed: found an unknown field (1), want one of inputs, outputs,"), "{}", lines[2]);
        let small = Value::object([("size", Value::from(128)), ("ways", 8.into())]);
        assert_eq!(Component::find("cache").unwrap().measure(&small).unwrap_err().0[0].path, "size");
    }

    #[test]
    fn ranges() {
        assert_eq!(range("0.1:0.3:0.1"), Some(alloc::vec![0.1, 0.2, 0.3]));
        assert_eq!(range("1:1:1"), Some(alloc::vec![1.0]));
        for bad in ["", "1", "1:2", "2:1:1", "1:2:0", "1:2:-1", "0:1:0.0001", "a:b:c", "1:2:1:1", "0:inf:1"] {
            assert_eq!(range(bad), None, "{bad}");
        }
    }
}
