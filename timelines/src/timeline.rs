//! Launches in the order of their starts, each kernel and device once.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Launches that are kept of a timeline.
pub const MOST_LAUNCHES: usize = 100_000;

/// Which tool wrote a timeline.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Tool {
    /// PyTorch's profiler.
    Kineto,
    /// Nsight Systems.
    Nsys,
}

/// What a kernel was launched with.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    /// CTAs along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a CTA along x, y, z.
    pub block: [u32; 3],
    /// Registers of a thread.
    pub registers: u32,
    /// Shared memory of a CTA, static and dynamic, without what the driver keeps for itself, in bytes.
    pub shared_bytes: u32,
}

impl Shape {
    /// CTAs of the grid.
    pub fn ctas(&self) -> u64 {
        self.grid.iter().map(|n| u64::from(*n)).product()
    }

    /// Threads of a CTA.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }
}

/// A kernel: launches of one name and one shape.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Kernel {
    /// Its name, as the tool says it.
    pub name: String,
    /// What it was launched with, where the tool says it: timelines of AMD GPUs do not.
    pub shape: Option<Shape>,
    /// The occupancy that the tool estimates, in percent. It is shown beside ours and never used: it is 0 above 48 KB of shared memory.
    pub estimated_occupancy: Option<u32>,
}

/// A GPU, as the tool describes it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug, Default)]
pub struct Device {
    /// Its number.
    pub id: u32,
    /// Its name, such as "NVIDIA A100-SXM4-40GB"; empty where the tool says none.
    pub name: String,
    /// Its SMs.
    pub sms: Option<u32>,
    /// Its compute capability.
    pub capability: Option<(u32, u32)>,
}

/// A launch, or what else a stream executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Launched {
    /// Which of `Timeline::kernels`.
    pub kernel: u32,
    /// Which of `Timeline::devices`.
    pub device: u32,
    /// Its stream, as the tool numbers it.
    pub stream: u64,
    /// Its start after that of the first launch, in nanoseconds.
    pub start: u64,
    /// Nanoseconds that it took.
    pub duration: u64,
}

impl Launched {
    /// Its end, in nanoseconds after the start of the first launch.
    pub fn end(&self) -> u64 {
        self.start + self.duration
    }
}

/// The launches that a profiler has seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timeline {
    /// Who wrote it.
    pub tool: Tool,
    /// The GPUs that have launches or a description.
    pub devices: Vec<Device>,
    /// Each name and shape once, by first use.
    pub kernels: Vec<Kernel>,
    /// In the order of their starts.
    pub launches: Vec<Launched>,
    /// What was left out or is to be known, a line each.
    pub notes: Vec<String>,
    /// Where the file ended early: what was read until there is good.
    pub ended: Option<Ended>,
}

/// Where a file ended early.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Ended {
    /// Launches until there.
    pub launches: u64,
    /// When the last one in the file started, in nanoseconds after the first start.
    pub last: u64,
    /// From when to when nothing was read, between the first start and the last end: profilers do not write in the order of starts.
    pub lost: Vec<(u64, u64)>,
    /// What is wrong there, as place, found and wanted; none where the file is cut.
    pub broken: Option<(String, String, String)>,
}

/// Kernels by their name and shape, as they come.
#[derive(Clone, Debug, Default)]
pub struct Kernels {
    all: Vec<Kernel>,
    known: HashMap<Kernel, u32>,
}

impl Kernels {
    /// The number of a kernel.
    pub fn number(&mut self, kernel: Kernel) -> u32 {
        if let Some(known) = self.known.get(&kernel) {
            return *known;
        }
        let number = self.all.len() as u32;
        self.all.push(kernel.clone());
        self.known.insert(kernel, number);
        number
    }

    /// All of them.
    pub fn finish(self) -> Vec<Kernel> {
        self.all
    }
}
