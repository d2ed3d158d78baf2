//! Every component that can be driven alone, with what it gives.

use super::drive::{cache, dram, noc};
use super::mesh::mesh;
use super::options::{CACHE, DRAM, MESH, NOC, OF_CACHE, OF_DRAM, OF_MESH, OF_NOC, decode, describe};
use crate::describe::error::Problems;
use crate::describe::value::Value;
use alloc::vec::Vec;

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
