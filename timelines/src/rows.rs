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

/// The key of a row: of a JSON list of kernel, shape and the others' name.
fn key(kernel: &Kernel, beside: &str) -> io::Result<String> {
    let mut hashed = Hashed::default();
    serde_json::to_writer(&mut hashed, &(&kernel.name, kernel.shape, beside))?;
    Ok(hex(hashed.0.finish()))
}

/// What a timeline has measured, each under a key that is the same in every file: kernel, shape and the others' name.
pub fn rows(timeline: &Timeline) -> io::Result<Vec<(String, Row)>> {
    let used: BTreeSet<u32> = timeline.launches.iter().map(|launch| launch.device).collect();
    let names: BTreeSet<&str> = used.into_iter().map(|device| &*timeline.devices[device as usize].name).collect();
    let gpu = names.into_iter().collect::<Vec<_>>().join(", ");
    let measured = Measured::of(timeline, &Overlaps::of(timeline));
    let row = |beside: Beside| {
        let kernel = timeline.kernels[beside.kernel as usize].clone();
        let key = key(&kernel, &beside.name)?;
        Ok((key, Row { gpu: gpu.clone(), kernel, name: beside.name, beside: beside.beside, alone: beside.alone }))
    };
    measured.beside.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::Shape;

    /// Other programs can work keys out.
    #[test]
    fn a_key_is_the_hash_of_json() {
        let shape = Shape { grid: [1, 2, 3], block: [4, 5, 6], registers: 7, shared_bytes: 8 };
        for (shape, text) in [
            (Some(shape), r#"["a \"b\"",{"grid":[1,2,3],"block":[4,5,6],"registers":7,"shared_bytes":8},"c"]"#),
            (None, r#"["a \"b\"",null,"c"]"#),
        ] {
            let mut hash = Fnv::default();
            hash.write(text.as_bytes());
            let kernel = Kernel { name: "a \"b\"".into(), shape, estimated_occupancy: None };
            assert_eq!(key(&kernel, "c").expect("memory"), hex(hash.finish()));
        }
    }
}
