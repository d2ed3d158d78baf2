//! What each probe is given.

use crate::describe::gpu::mesh::MeshConfig;
use crate::describe::gpu::{Arbiter, DramConfig, DramKind, DramMap, DramOrder, DramTiming, PagePolicy};
use crate::describe::rng::{below, draw, mix};
use crate::machine::packet::{Access, DramRequest};

/// Options of the crossbar probe.
#[derive(Clone, PartialEq, Debug)]
pub struct NocProbe {
    /// Input ports, 1 to 64.
    pub inputs: u32,
    /// Output ports, 1 to 64.
    pub outputs: u32,
    /// Flits of each packet, 1 to 1024.
    pub flits: u32,
    /// Flits that each input creates a cycle on average, 0 to 1. Packets wait at their source without limit.
    pub load: f64,
    /// Which input wins an output.
    pub arbiter: Arbiter,
    /// Cycles, up to 1,000 million.
    pub cycles: u64,
    /// Seed of arrivals, destinations and the random arbiter.
    pub seed: u64,
}

impl Default for NocProbe {
    fn default() -> Self {
        NocProbe { inputs: 16, outputs: 16, flits: 5, load: 1.0, arbiter: Arbiter::RoundRobin, cycles: 200_000, seed: 1 }
    }
}

/// Where the packets of a node go to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Traffic {
    /// Any node, itself too.
    #[default]
    Uniform,
    /// From row y and column x to row x and column y.
    Transpose,
    /// The next node of the row; from the last to the first.
    Neighbour,
}

impl Traffic {
    /// The nodes to which a node sends, equally often.
    pub fn destinations(self, form: &MeshConfig, node: u32) -> core::ops::Range<u32> {
        let (x, y) = (node % form.width, node / form.width);
        let one = |to: u32| to..to + 1;
        match self {
            Traffic::Uniform => 0..form.routers(),
            Traffic::Transpose => one(x * form.width + y),
            Traffic::Neighbour => one(y * form.width + (x + 1) % form.width),
        }
    }
}

/// Options of the mesh probe: one network with a source and a sink at each node.
#[derive(Clone, PartialEq, Debug)]
pub struct MeshProbe {
    /// Width, height, cycles of a hop and flits of a buffer.
    pub form: MeshConfig,
    /// Flits of each packet.
    pub flits: u32,
    /// Flits that each node creates a cycle on average, 0 to 1. Packets wait at their source without limit.
    pub load: f64,
    /// Where they go.
    pub traffic: Traffic,
    /// Which input wins an output.
    pub arbiter: Arbiter,
    /// Cycles, up to 1,000 million.
    pub cycles: u64,
    /// Seed of arrivals, destinations and the random arbiter.
    pub seed: u64,
}

impl Default for MeshProbe {
    fn default() -> Self {
        MeshProbe {
            form: MeshConfig::default(),
            flits: 5,
            load: 1.0,
            traffic: Traffic::Uniform,
            arbiter: Arbiter::RoundRobin,
            cycles: 50_000,
            seed: 1,
        }
    }
}

/// Which lines a DRAM probe asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DramStream {
    /// One line after the other.
    #[default]
    Sequential,
    /// Uniform over 2²⁴ lines.
    Random,
    /// Several sequential streams in turn.
    Streams,
}

/// Options of the DRAM probe: one channel.
#[derive(Clone, PartialEq, Debug)]
pub struct DramProbe {
    /// Which lines.
    pub stream: DramStream,
    /// Streams, with `DramStream::Streams`.
    pub streams: u32,
    /// Lines from the start of a stream to the start of the next.
    pub stream_stride: u32,
    /// Fraction of requests that write, at random.
    pub write_fraction: f64,
    /// Every other request writes.
    pub alternate_writes: bool,
    /// Requests as a fraction of what the data bus can carry; at 1 the transaction queue is kept full.
    pub load: f64,
    /// The channel: timings, queue, map, page policy. `latency` and `mhz` are not looked at.
    pub config: DramConfig,
    /// Command clocks, up to 1,000 million.
    pub cycles: u64,
    /// Seed of arrivals and addresses.
    pub seed: u64,
}

impl Default for DramProbe {
    fn default() -> Self {
        DramProbe {
            stream: DramStream::Sequential,
            streams: 4,
            stream_stride: 65_536,
            write_fraction: 0.0,
            alternate_writes: false,
            load: 1.0,
            config: DramConfig {
                kind: DramKind::Banked,
                channels: 1,
                mhz: 1000,
                queue: 128,
                banks: 16,
                columns: 32,
                map: DramMap::RowBankColumn,
                page: PagePolicy::Open,
                order: DramOrder::ReadsFirst,
                latency: 0,
                // GDDR5 as in HeteroCore's Table 2; WL, tWTR and tRTP from public configurations of the same family.
                timing: DramTiming {
                    T: 4,
                    tCL: 12,
                    WL: 4,
                    tRP: 12,
                    tRC: 40,
                    tRAS: 28,
                    tRCD: 12,
                    tRRD: 6,
                    tFAW: 0,
                    tCCD: 2,
                    tWR: 12,
                    tWTR: 5,
                    tRTW: 0,
                    tRTP: 2,
                    tREFI: 0,
                    tRFC: 60,
                },
            },
            cycles: 200_000,
            seed: 1,
        }
    }
}

impl DramProbe {
    /// Turns all-bank refresh on: every 3604 clocks, for 60.
    pub fn refresh(&mut self) {
        self.config.timing.tREFI = 3604;
        self.config.timing.tRFC = 60;
    }

    /// The `n`-th request.
    pub fn request(&self, n: u64) -> DramRequest {
        let line = match self.stream {
            DramStream::Sequential => n as u32,
            DramStream::Random => below(mix(self.seed, n), 1 << 24) as u32,
            DramStream::Streams => {
                let streams = u64::from(self.streams);
                ((n % streams) as u32).wrapping_mul(self.stream_stride).wrapping_add((n / streams) as u32)
            }
        };
        let drawn = draw(mix(!self.seed, n)) >> 11;
        let write = if self.alternate_writes { n % 2 == 1 } else { (drawn as f64) < self.write_fraction * 9_007_199_254_740_992.0 };
        DramRequest { line, access: if write { Access::Write } else { Access::Read }, ..DramRequest::default() }
    }
}

/// The order in which a cache probe visits its lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CachePattern {
    /// From the first to the last, again and again.
    #[default]
    Cyclic,
    /// Forwards, then backwards.
    Zigzag,
    /// Uniform.
    Random,
    /// Cyclic, with `stride` lines from one to the next.
    Stride,
}

/// Options of the cache probe: the tag array of L1D and L2, read only, every miss filled.
#[derive(Clone, PartialEq, Debug)]
pub struct CacheProbe {
    /// Capacity, bytes.
    pub size: u32,
    /// Ways of a set.
    pub ways: u32,
    /// Bytes of a line.
    pub line: u32,
    /// In which order.
    pub pattern: CachePattern,
    /// Lines visited.
    pub lines: Option<u32>,
    /// Lines visited, in units of the capacity: 1.25 is a quarter more than fits. `None`, and no `lines`: 1.
    pub capacities: Option<f64>,
    /// Lines from one to the next, with `CachePattern::Stride`.
    pub stride: u32,
    /// Visits to every line (for `Random`, on average). `None`: 10, for `Random` 1000.
    pub passes: Option<u32>,
    /// Seed of the random order.
    pub seed: u64,
}

impl Default for CacheProbe {
    fn default() -> Self {
        CacheProbe {
            size: 24_576,
            ways: 8,
            line: 128,
            pattern: CachePattern::Cyclic,
            lines: None,
            capacities: None,
            stride: 1,
            passes: None,
            seed: 1,
        }
    }
}
