//! `corun probe`: one real component of the machine, the same code, under named traffic.

use crate::{Failure, input};
use clap::{Args, Subcommand, ValueEnum};
use sim_core::gpu::{Arbiter, DramMap, occupancy, presets};
use sim_core::kernel::Launch;
use sim_core::probe::{self, CachePattern, CacheProbe, DramProbe, DramStream, NocProbe};
use sim_core::value::Value;

/// Which component.
#[derive(Subcommand, Debug)]
pub enum Probe {
    /// A crossbar with uniform destinations: throughput (flits per output and cycle) and latency (cycles, creation to tail)
    Noc(Noc),
    /// A DRAM channel: bandwidth (fraction of the bus's peak), row hits, latency (command clocks, arrival to last beat)
    Dram(Dram),
    /// The tag array of L1D and L2: accesses, misses and the steady miss rate
    Cache(Cache),
    /// How many CTAs an SM holds, and which resource says so
    Occupancy(Occupancy),
}

/// Arguments of `corun probe noc`.
#[derive(Args, Debug)]
pub struct Noc {
    /// Input ports
    #[arg(long, default_value_t = 16)]
    inputs: u32,
    /// Output ports
    #[arg(long, default_value_t = 16)]
    outputs: u32,
    /// Flits of a packet
    #[arg(long, default_value_t = 5)]
    flits: u32,
    /// Flits that each input creates a cycle
    #[arg(long, default_value_t = 1.0)]
    load: f64,
    /// Who wins an output
    #[arg(long, value_enum, default_value_t = ArbiterName::Rr)]
    arbiter: ArbiterName,
    /// Cycles
    #[arg(long, default_value_t = 200_000)]
    cycles: u64,
    /// Seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
enum ArbiterName {
    Rr,
    Random,
    Oldest,
}

/// Arguments of `corun probe dram`.
#[derive(Args, Debug)]
pub struct Dram {
    /// Which lines
    #[arg(long, value_enum, default_value_t = StreamName::Sequential)]
    stream: StreamName,
    /// Streams, with --stream streams
    #[arg(long, default_value_t = 4)]
    streams: u32,
    /// Lines from the start of a stream to the start of the next
    #[arg(long, default_value_t = 65_536, value_name = "LINES")]
    stream_stride: u32,
    /// Fraction of requests that write
    #[arg(long, default_value_t = 0.0, conflicts_with = "alternate_writes")]
    write_fraction: f64,
    /// Every other request writes
    #[arg(long)]
    alternate_writes: bool,
    /// Requests as a fraction of what the bus can carry
    #[arg(long, default_value_t = 1.0)]
    load: f64,
    /// Timings to change, such as T=4,tCL=12,banks=16
    #[arg(long, value_delimiter = ',', value_name = "NAME=CLOCKS")]
    timing: Vec<String>,
    /// Entries of the transaction queue
    #[arg(long, default_value_t = 128)]
    queue: u32,
    /// Address map
    #[arg(long, value_enum, default_value_t = MapName::RowBankColumn)]
    map: MapName,
    /// Refresh all banks, every 3604 clocks for 60
    #[arg(long)]
    refresh: bool,
    /// Command clocks
    #[arg(long, default_value_t = 200_000)]
    cycles: u64,
    /// Seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
enum StreamName {
    Sequential,
    Random,
    Streams,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
enum MapName {
    #[value(name = "row:bank:column")]
    RowBankColumn,
    #[value(name = "row:column:bank")]
    RowColumnBank,
    Xor,
}

/// Arguments of `corun probe cache`.
#[derive(Args, Debug)]
pub struct Cache {
    /// Capacity, bytes
    #[arg(long, default_value_t = 24_576)]
    size: u32,
    /// Ways of a set
    #[arg(long, default_value_t = 8)]
    ways: u32,
    /// Bytes of a line
    #[arg(long, default_value_t = 128)]
    line: u32,
    /// In which order
    #[arg(long, value_enum, default_value_t = PatternName::Cyclic)]
    pattern: PatternName,
    /// Lines visited: up to 16 in units of the capacity, above that a number of lines
    #[arg(long, default_value_t = 1.0)]
    lines: f64,
    /// Lines from one to the next, with --pattern stride
    #[arg(long, default_value_t = 1)]
    stride: u32,
    /// Visits to every line [default: 10, with --pattern random 1000]
    #[arg(long)]
    passes: Option<u32>,
    /// Seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
enum PatternName {
    Cyclic,
    Zigzag,
    Random,
    Stride,
}

/// Arguments of `corun probe occupancy`.
#[derive(Args, Debug)]
pub struct Occupancy {
    /// GPU preset
    #[arg(long, default_value = "ccbp-16sm")]
    gpu: String,
    /// Threads of a CTA
    #[arg(long)]
    threads: u32,
    /// Registers of a thread
    #[arg(long)]
    regs: u32,
    /// Shared memory of a CTA, bytes
    #[arg(long, default_value_t = 0)]
    smem: u32,
    /// A warp gets registers in multiples of this [default: the preset's; hardware: 256]
    #[arg(long)]
    granularity: Option<u32>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Probe {
    pub fn execute(self) -> Result<(), Failure> {
        let (figures, json) = match self {
            Probe::Noc(probe) => (probe.measure()?, probe.json),
            Probe::Dram(probe) => (probe.measure()?, probe.json),
            Probe::Cache(probe) => (probe.measure()?, probe.json),
            Probe::Occupancy(probe) => (probe.measure()?, probe.json),
        };
        if json {
            input::print_json(&figures);
        } else if let Value::Object(pairs) = &figures {
            for (key, figure) in pairs {
                input::print(&format!("{key:<18} {figure}"));
            }
        }
        Ok(())
    }
}

impl Noc {
    fn measure(&self) -> Result<Value, Failure> {
        let arbiter = match self.arbiter {
            ArbiterName::Rr => Arbiter::RoundRobin,
            ArbiterName::Random => Arbiter::Random,
            ArbiterName::Oldest => Arbiter::Oldest,
        };
        let &Noc { inputs, outputs, flits, load, cycles, seed, .. } = self;
        Ok(probe::noc(&NocProbe { inputs, outputs, flits, load, arbiter, cycles, seed })?)
    }
}

impl Dram {
    fn measure(&self) -> Result<Value, Failure> {
        let mut options = DramProbe {
            stream: match self.stream {
                StreamName::Sequential => DramStream::Sequential,
                StreamName::Random => DramStream::Random,
                StreamName::Streams => DramStream::Streams,
            },
            streams: self.streams,
            stream_stride: self.stream_stride,
            write_fraction: self.write_fraction,
            alternate_writes: self.alternate_writes,
            load: self.load,
            cycles: self.cycles,
            seed: self.seed,
            ..DramProbe::default()
        };
        options.config.queue = self.queue;
        options.config.map = match self.map {
            MapName::RowBankColumn => DramMap::RowBankColumn,
            MapName::RowColumnBank => DramMap::RowColumnBank,
            MapName::Xor => DramMap::XorBank,
        };
        if self.refresh {
            options.refresh();
        }
        for change in &self.timing {
            let parsed = change.split_once('=').and_then(|(name, clocks)| Some((name.trim(), clocks.trim().parse().ok()?)));
            if !parsed.is_some_and(|(name, clocks)| options.set(name, clocks)) {
                return Err(input::problem(
                    "--timing",
                    format!("{change:?}"),
                    &format!("NAME=CLOCKS with one of {}", DramProbe::TIMINGS.join(", ")),
                )
                .into());
            }
        }
        Ok(probe::dram(&options)?)
    }
}

impl Cache {
    fn measure(&self) -> Result<Value, Failure> {
        let pattern = match self.pattern {
            PatternName::Cyclic => CachePattern::Cyclic,
            PatternName::Zigzag => CachePattern::Zigzag,
            PatternName::Random => CachePattern::Random,
            PatternName::Stride => CachePattern::Stride,
        };
        let &Cache { size, ways, line, lines, stride, passes, seed, .. } = self;
        Ok(probe::cache(&CacheProbe { size, ways, line, pattern, lines, stride, passes, seed })?)
    }
}

impl Occupancy {
    fn measure(&self) -> Result<Value, Failure> {
        let Some(gpu) = presets::find(&self.gpu) else {
            let names: Vec<&str> = presets::PRESETS.iter().map(|preset| preset.name).collect();
            return Err(input::problem("--gpu", format!("{:?}", self.gpu), &format!("one of {}", names.join(", "))).into());
        };
        let mut class = gpu.sms[0].clone();
        class.register_granularity = self.granularity.unwrap_or(class.register_granularity);
        for (flag, found, from, to) in [
            ("--threads", self.threads, 1, 2048),
            ("--regs", self.regs, 1, 255),
            ("--smem", self.smem, 0, 1 << 20),
            ("--granularity", class.register_granularity, 1, 1024),
        ] {
            if !(from..=to).contains(&found) {
                return Err(input::problem(flag, found, &format!("a whole number from {from} to {to}")).into());
            }
        }
        let launch = Launch { ctas: 1, threads: self.threads, registers: self.regs, shared_bytes: self.smem, program: Vec::new() };
        let occupancy = occupancy::of(&launch, &class);
        Ok(Value::object([("ctas_per_sm", Value::from(occupancy.ctas)), ("limiter", occupancy.limiter.key().into())]))
    }
}
