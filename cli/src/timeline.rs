//! Timelines of real programs, as people read them.

use crate::text;
use corun_timelines::timeline::{Kernel, Launched, Timeline, Tool};

/// Kernels that are listed.
const LISTED: usize = 10;

/// Characters of a kernel's name that are shown.
const NAME: usize = 40;

/// What a timeline holds: its GPUs and streams, how busy they were, and the kernels with most time.
pub fn summary(timeline: &Timeline) -> String {
    let mut facts = vec![["from", tool(timeline.tool)].map(str::to_owned)];
    let mut streams: Vec<(u32, u64)> = timeline.launches.iter().map(|launch| (launch.device, launch.stream)).collect();
    streams.sort_unstable();
    streams.dedup();
    for (number, device) in timeline.devices.iter().enumerate() {
        let launches: Vec<&Launched> = timeline.launches.iter().filter(|launch| launch.device as usize == number).collect();
        if !launches.is_empty() {
            let sms = device.sms.map_or(String::new(), |sms| format!(", {sms} SMs"));
            let name = if device.name.is_empty() { "not named" } else { &device.name };
            let of = streams.iter().filter(|(device, _)| *device as usize == number).map(|(_, stream)| stream.to_string());
            let streams: Vec<String> = of.collect();
            facts.push([format!("GPU {}", device.id), format!("{name}{sms}")]);
            facts.push(["  streams".into(), some(&streams)]);
            facts.push(["  launches".into(), grouped(launches.len() as u64)]);
            facts.extend(busy(&launches));
        }
    }
    facts.push(["kernels".into(), format!("{}, by name and shape", grouped(timeline.kernels.len() as u64))]);
    let mut parts = vec![text::wrapped(facts.into_iter().map(Vec::from))];
    parts.push(text::table(1, kernels(timeline)));
    parts.join("\n\n")
}

fn tool(tool: Tool) -> &'static str {
    match tool {
        Tool::Kineto => "PyTorch's profiler (Kineto)",
        Tool::Nsys => "Nsight Systems (cuda_gpu_trace)",
    }
}

fn grouped(n: u64) -> String {
    text::grouped(i64::try_from(n).unwrap_or(i64::MAX))
}

/// The first of many names.
fn some(names: &[String]) -> String {
    let more = if names.len() > LISTED { format!(", … ({} in all)", names.len()) } else { String::new() };
    format!("{}{more}", names[..names.len().min(LISTED)].join(", "))
}

/// Nanoseconds in the unit that suits them.
fn time(nanoseconds: u64) -> String {
    let (unit, name) = match nanoseconds {
        0..1_000_000 => (1e3, "µs"),
        1_000_000..1_000_000_000 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    format!("{} {name}", text::number(nanoseconds as f64 / unit))
}

/// How long a GPU was looked at, in how much of that any kernel ran, and how long none did in between. Launches come by their starts.
fn busy(launches: &[&Launched]) -> Vec<[String; 2]> {
    let (mut gaps, mut idle, mut end) = (Vec::new(), 0, launches[0].start);
    for launch in launches {
        if launch.start > end {
            gaps.push(launch.start - end);
            idle += launch.start - end;
        }
        end = end.max(launch.end());
    }
    let whole = end - launches[0].start;
    let share = if whole == 0 { 100.0 } else { (whole - idle) as f64 / whole as f64 * 100.0 };
    gaps.sort_unstable();
    let gaps = match gaps.last() {
        None => "none".to_owned(),
        Some(longest) => {
            let count = grouped(gaps.len() as u64);
            format!("{count}, the median {}, the longest {}, {} in all", time(gaps[gaps.len() / 2]), time(*longest), time(idle))
        }
    };
    vec![
        ["  time".into(), format!("{} from the first start to the last end, a kernel in {share:.1} % of it", time(whole))],
        ["  gaps without a kernel".into(), gaps],
    ]
}

/// The kernels with most time.
fn kernels(timeline: &Timeline) -> Vec<Vec<String>> {
    let mut durations: Vec<Vec<u64>> = vec![Vec::new(); timeline.kernels.len()];
    for launch in &timeline.launches {
        durations[launch.kernel as usize].push(launch.duration);
    }
    let total = |durations: &[u64]| durations.iter().fold(0u64, |sum, duration| sum.saturating_add(*duration));
    let mut all: Vec<(&Kernel, Vec<u64>)> = timeline.kernels.iter().zip(durations).filter(|(_, durations)| !durations.is_empty()).collect();
    all.sort_by_key(|(_, durations)| std::cmp::Reverse(total(durations)));
    let heading = ["kernel", "launches", "total", "median", "grid", "block", "registers", "shared"].map(str::to_owned).to_vec();
    let row = |(kernel, mut durations): (&Kernel, Vec<u64>)| {
        durations.sort_unstable();
        let extent = |n: [u32; 3]| {
            let last = n.iter().rposition(|n| *n != 1).unwrap_or(0);
            n[..=last].iter().map(ToString::to_string).collect::<Vec<_>>().join("×")
        };
        let shape = kernel.shape.map_or(["–"; 4].map(str::to_owned), |shape| {
            [extent(shape.grid), extent(shape.block), shape.registers.to_string(), grouped(shape.shared_bytes.into())]
        });
        let times = [grouped(durations.len() as u64), time(total(&durations)), time(durations[durations.len() / 2])];
        [vec![short(&kernel.name)], times.to_vec(), shape.to_vec()].concat()
    };
    std::iter::once(heading).chain(all.into_iter().take(LISTED).map(row)).collect()
}

/// A kernel's name without what it returns, its namespaces and parameters, and no longer than a column.
pub fn short(name: &str) -> String {
    let name = name.strip_prefix("void ").unwrap_or(name).replace("(anonymous namespace)::", "");
    let call = name.find(['<', '(']).unwrap_or(name.len());
    let from = name[..call].rfind("::").map_or(0, |colons| colons + 2);
    // Templates say which of its forms a kernel is.
    let to = if name[call..].starts_with('(') && call > from { call } else { name.len() };
    let last = if from == name.len() { &name } else { &name[from..to] };
    let shown: String = last.chars().take(NAME).collect();
    if shown.len() < last.len() { format!("{shown}…") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_short_and_says_which_kernel_it_is() {
        for (name, want) in [
            ("void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, 2>(float*)", "CatArrayBatchedCopy<float, 2>(float*)"),
            ("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64>(T)", "Kernel<cutlass_80_tensorop_s1688gemm_64x6…"),
            ("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)", "ncclKernel_AllReduce_RING_LL_Sum_float"),
            ("burn(float *, int, int)", "burn"),
            ("void at::native::", "at::native::"),
            ("<lambda>", "<lambda>"),
            ("", ""),
            (&"gemm_".repeat(20), &format!("{}…", "gemm_".repeat(8))),
        ] {
            assert_eq!(short(name), want);
        }
    }

    #[test]
    fn a_time_is_in_a_unit_that_suits_it() {
        assert_eq!([0, 41_407, 1_000_000, 12_840_239_000].map(time), ["0.000 µs", "41.41 µs", "1.000 ms", "12.84 s"]);
    }
}
