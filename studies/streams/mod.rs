//! How fast streams are that lie a power of two apart, on presets of real GPUs, against the same a little farther apart.

use crate::{Page, each};
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::run::simulation::Simulation;

const GPUS: [&str; 4] = ["a100-40gb", "h100-sxm5", "h200-sxm", "rtx5090"];

/// Numbers of streams, one for each CTA.
const STREAMS: [u64; 3] = [1, 32, 132];

/// Distances, as powers of two of bytes.
const POWERS: std::ops::RangeInclusive<u32> = 12..=27;

/// What an odd distance has more, bytes: a row of a few banks, and two lines.
const MORE: u64 = 4352;

/// Bytes of addresses that a kernel's arrays have at most.
const ADDRESSES: u64 = 16 << 30;

/// Cycles before it is measured, and those that are.
const CYCLES: [u64; 2] = [5_000, 15_000];

/// Streams of 4 KB a step; where they would meet, they go on behind the last of them. GB/s.
fn speed(gpu: &str, streams: u64, distance: u64) -> Result<f64, String> {
    let inner = (distance / 4096).clamp(1, 2000);
    let outer = (2000 / inner + 1).min((ADDRESSES / (streams * distance)).max(1));
    let bytes = (streams * distance * outer + (1 << 16)).min(ADDRESSES);
    let round = streams * distance;
    let text = format!(
        r#"{{"corun": 1, "gpu": "{gpu}", "alone": false, "warm_up": {}, "stop": {{"cycles": {}}}, "kernels": [
            {{"name": "streams", "arrays": [{{"name": "a", "bytes": {bytes}, "read_only": true}}],
              "launches": [{{"ctas": {streams}, "threads": 512, "registers": 32, "program": [
                {{"loop": {{"trips": {outer}, "body": [{{"alu": {{"count": 1}}}}, {{"loop": {{"trips": {inner}, "body": [
                  {{"load": {{"array": "a", "lane": 4, "warp": 128, "cta": {distance}, "loops": [{round}, 4096]}}}},
                  {{"load": {{"array": "a", "offset": 2048, "lane": 4, "warp": 128, "cta": {distance}, "loops": [{round}, 4096]}}}},
                  {{"wait": {{"loads": 1}}}}]}}}}]}}}}]}}]}}]}}"#,
        CYCLES[0], CYCLES[1]
    );
    let value = Value::from_json(&text).map_err(|problems| problems.to_string())?;
    let experiment = Experiment::decode(&value).map_err(|problems| problems.to_string())?;
    let mut simulation = Simulation::new(&experiment).map_err(|problems| problems.to_string())?;
    simulation.advance(u64::MAX);
    let loads = simulation.measured().stats[0].load_instructions;
    Ok((loads * 128) as f64 / CYCLES[1] as f64 * f64::from(experiment.gpu.core_mhz) / 1000.0)
}

/// Fills the page.
pub fn page(_: &[String], page: &mut Page) -> Result<(), String> {
    let mut cases = Vec::new();
    for gpu in GPUS {
        for power in POWERS {
            for most in STREAMS {
                let streams = most.min(ADDRESSES / ((1 << power) + MORE));
                cases.extend([0, MORE].map(|more| (gpu, streams, (1_u64 << power) + more)));
            }
        }
    }
    let speeds = each(&cases, |&(gpu, streams, distance)| speed(gpu, streams, distance))?;
    let of = |at: usize| (speeds[at], speeds[at] / speeds[at + 1]);
    let rows = POWERS.count() * STREAMS.len();
    let least = |gpu: usize| (0..rows).map(|row| of(2 * (gpu * rows + row)).1).fold(f64::MAX, f64::min);
    GPUS.iter().enumerate().for_each(|(gpu, name)| page.line("least", format!("| `{name}` | {:.2} |", least(gpu))));
    let heading = STREAMS.map(|streams| format!("{streams}, GB/s | over odd"));
    page.say("heading", heading.join(" | "));
    page.say("line", "--:|".repeat(2 * STREAMS.len()));
    let mut at = 0;
    for gpu in GPUS {
        for power in POWERS {
            let cells = STREAMS.map(|_| {
                let (speed, ratio) = of(at);
                at += 2;
                format!("{speed:.0} | {ratio:.2}")
            });
            page.line("rows", format!("| `{gpu}` | 2^{power} | {} |", cells.join(" | ")));
        }
    }
    Ok(())
}
