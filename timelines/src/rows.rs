//! What co-runs cost, as rows of a store: a GPU has measured them, so they belong to a file and a GPU as simulated ones belong to an engine.

use crate::measured::{Beside, Measured, Spread};
use crate::overlap::Overlaps;
use crate::stored;
use crate::timeline::{Kernel, Timeline};
use serde::{Deserialize, Serialize};
use sim_core::describe::digest::{Fnv, hex};
use std::collections::BTreeSet;
use std::hash::Hasher;
use std::io::{self, Write};

/// A kernel beside kernels of a name.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The GPU, as the file names it.
    pub gpu: String,
    /// The kernel.
    pub kernel: Kernel,
    /// The others' name.
    pub name: String,
    /// How long it took beside them.
    pub beside: Spread,
    /// How long alone, where that was seen often enough.
    pub alone: Option<Spread>,
}

/// Hashes what is written.
#[derive(Default)]
struct Hashed(Fnv);

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The file's hash, GPU included: of its launches as `stored` writes them, so that a file and what was made of it are one.
pub fn digits(timeline: &Timeline) -> io::Result<String> {
    let mut hashed = Hashed::default();
    stored::write(timeline, &mut hashed)?;
    Ok(hex(hashed.0.finish()))
}

/// What a timeline has measured, each under a key that is the same in every file: kernel, shape and the others' name.
pub fn rows(timeline: &Timeline) -> Vec<(String, Row)> {
    let used: BTreeSet<u32> = timeline.launches.iter().map(|launch| launch.device).collect();
    let names: BTreeSet<&str> = used.into_iter().map(|device| &*timeline.devices[device as usize].name).collect();
    let gpu = names.into_iter().collect::<Vec<_>>().join(", ");
    let measured = Measured::of(timeline, &Overlaps::of(timeline));
    let row = |beside: Beside| {
        let kernel = timeline.kernels[beside.kernel as usize].clone();
        let mut key = Fnv::default();
        key.write(format!("{} {:?} {}", kernel.name, kernel.shape, beside.name).as_bytes());
        (hex(key.finish()), Row { gpu: gpu.clone(), kernel, name: beside.name, beside: beside.beside, alone: beside.alone })
    };
    measured.beside.into_iter().map(row).collect()
}
