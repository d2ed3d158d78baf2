//! The kernels of "Understanding GPU Resource Interference One Level Deeper" (SoCC 2025) as a public rerun launches them on an RTX 5090
//! (`852866031/GPU-interfere`): a CTA on each of its 170 SMs.
//!
//! `copy-N`, `region-N`, `stream-N` and `sleep-N` have a size behind their name. They are found, but stand in no list.

use super::parts::named;
use super::probe::{self, RERUN_ON_RTX_5090, Shape};
use crate::describe::kernel::Kernel;
use alloc::format;

/// Where names of these begin.
const PREFIX: &str = "interference/";

/// Kernels in their order in lists.
pub const NAMES: &[&str] =
    &["interference/sleep", "interference/dram", "interference/l2", "interference/l1", "interference/fma", "interference/fp64"];

const KB: u64 = 1 << 10;
const MB: u64 = 1 << 20;

/// The kernel of this name:
///
/// - `copy-N` copies N MB on half of the SMs, `stream-N` half a GB by N CTAs, both of 1,024 threads;
/// - `region-N` copies N KB of each SM's own;
/// - `sleep-N` has N CTAs.
pub fn find(name: &str) -> Option<Kernel> {
    let short = name.strip_prefix(PREFIX)?;
    let (kind, size) = match short.split_once('-') {
        Some((kind @ ("copy" | "region" | "stream" | "sleep"), size)) => {
            (kind, size.parse().ok().filter(|size| (1..=4096).contains(size))?)
        }
        Some(_) => return None,
        None if NAMES.contains(&name) => (short, 0),
        None => return None,
    };
    let on_each = |threads, bytes, chains| Shape { ctas: 170, threads, bytes, chains };
    let shape = match kind {
        "sleep" if size > 0 => Shape { ctas: size, ..on_each(768, 0, 0) },
        "sleep" => on_each(768, 0, 0),
        "dram" => on_each(512, 512 * MB, 0),
        "l2" => on_each(512, 16 * MB, 0),
        "l1" => on_each(64, 32 * KB, 0),
        "region" => on_each(64, u64::from(size) * KB, 0),
        "copy" => Shape { ctas: 85, ..on_each(1024, u64::from(size) * MB, 0) },
        "stream" => Shape { ctas: size, ..on_each(1024, 512 * MB, 0) },
        _ => on_each(128, 0, 4),
    };
    let probe = probe::kernel(kind, shape, &RERUN_ON_RTX_5090)?;
    let source = "GPU-interfere, on an RTX 5090; SoCC 2025";
    Some(named(&format!("{PREFIX}{short}"), short, source, &probe.doc, probe.arrays, probe.launches))
}
