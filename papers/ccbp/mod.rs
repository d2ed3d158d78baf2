//! What only CCBP's claims measure (Lin, Dai, Mantor and Zhou, 2019). Each function says what it gives; none sees a claim's value.

use crate::engine::measures::{Code, Function, Measure, quotients, reduced};
use crate::engine::paper::mix::Mix;
use sim_core::describe::value::Value;

/// The paper's code.
pub const CODE: Code = Code { functions: FUNCTIONS, complete };

/// Every function by its name in the claims.
const FUNCTIONS: &[(&str, Function)] = &[
    ("unfair_bandwidth", unfair_bandwidth),
    ("complement", complement),
    ("over_idle", over_idle),
    ("far", far),
    ("snapshot", snapshot),
    ("coarse", coarse),
    ("extra_flits", extra_flits),
    ("hardware", hardware),
    ("reservation_failures", reservation_failures),
    ("queueing", queueing),
];

/// Latency of an idle L2 and of an idle DRAM, core cycles (CCBP Table 1).
const IDLE: (f64, f64) = (200.0, 380.0);

/// What NoC and DRAM can sustain, of their peaks (CCBP §3.2).
const SUSTAINABLE: (f64, f64) = (0.6, 0.7);

/// Adds `noc_sustained` and `dram_sustained`, what is used of what can be sustained, for the GPU and each kernel.
fn complete(result: &mut Value) {
    let Value::Object(fields) = result else { return };
    for (key, value) in fields {
        match value {
            gpu if key == "gpu" => sustained(gpu),
            Value::Array(kernels) if key == "kernels" => kernels.iter_mut().for_each(sustained),
            _ => {}
        }
    }
}

fn sustained(of: &mut Value) {
    let part = |key: &str, sustainable: f64| of.get(key).and_then(Value::as_f64).map(|used| used / sustainable);
    let (noc, dram) = (part("noc_utilisation", SUSTAINABLE.0), part("dram_utilisation", SUSTAINABLE.1));
    if let Value::Object(fields) = of {
        fields.extend([("noc_sustained".to_owned(), noc.into()), ("dram_sustained".to_owned(), dram.into())]);
    }
}

/// A number of each mix, as one; all are asked for, even when one is missing.
fn over_mixes(measure: &Measure, how: &str, of: impl Fn(&Mix) -> Option<f64>) -> Option<f64> {
    let all: Vec<Option<f64>> = measure.mixes().iter().map(of).collect();
    reduced(how, &all.into_iter().collect::<Option<Vec<f64>>>()?)
}

/// In pairs of one class: bandwidth of the kernel that takes more of it alone, over that of the other.
fn unfair_bandwidth(measure: &Measure) -> Option<f64> {
    over_mixes(measure, "geomean", |mix| {
        let path = if measure.runs.study.mixes.class_of(&mix[0]) == "NBI" { "noc_utilisation" } else { "dram_utilisation" };
        let at = |kernel: usize, scheme: &str| measure.runs.value(mix, scheme, &format!("kernels[{kernel}].{path}"));
        let all = [at(0, "alone"), at(1, "alone"), at(0, measure.text("of")), at(1, measure.text("of"))];
        let (first, second) = (all[2]?, all[3]?);
        Some(if all[0]? >= all[1]? { first / second } else { second / first })
    })
}

/// Sum of the sustainable shares of both bandwidths in use together, over the greater of the kernels alone.
fn complement(measure: &Measure) -> Option<f64> {
    over_mixes(measure, "geomean", |mix| {
        let sum = |mix: &Mix, scheme: &str| measure.runs.value(mix, scheme, "gpu.noc_sustained + gpu.dram_sustained");
        let alone = [&mix[0], &mix[1]].map(|kernel| sum(&vec![kernel.clone()], "alone"));
        let together = sum(mix, measure.text("of"));
        Some(together? / alone[0]?.max(alone[1]?))
    })
}

/// Latency of a read alone over that of an idle machine with the same L2 misses, geometric mean.
fn over_idle(measure: &Measure) -> Option<f64> {
    let of = |path| measure.runs.all(&measure.mixes(), measure.text("of"), path);
    let (latency, miss) = (of("kernels[0].latency.mean"), of("kernels[0].l2_miss_rate"));
    let idle: Vec<f64> = miss?.iter().map(|miss| idle(*miss)).collect();
    reduced("geomean", &quotients(&latency?, &idle))
}

fn idle(miss: f64) -> f64 {
    IDLE.0 * (1.0 - miss) + IDLE.1 * miss
}

/// The least slowdown of the kernels alone when L2 and DRAM take twice as long: 200 core cycles more to L2, 380 in all to DRAM.
fn far(measure: &Measure) -> Option<f64> {
    let (gpu, runs) = (measure.gpu()?, measure.runs);
    let l2 = gpu.l2.latency + IDLE.0 as u32 * gpu.noc.mhz / gpu.core_mhz;
    let dram = gpu.dram.latency + (IDLE.1 - IDLE.0) as u32;
    let twice = format!("alone gpu.l2.latency={l2} gpu.dram.latency={dram}");
    over_mixes(measure, "min", |mix| {
        let (far, near) = (runs.value(mix, &twice, "kernels[0].ipc"), runs.value(mix, "alone", "kernels[0].ipc"));
        Some(near? / far?)
    })
}

/// The queue of CCBP's Fig. 5: BI, BI, LS, BI, BI, LS, BI, BI, of which five are served, in their order or LS first; or the percent that a
/// kernel gains from the second.
fn snapshot(measure: &Measure) -> Option<f64> {
    const QUEUE: [bool; 8] = [false, false, true, false, false, false, true, false];
    let served = |ls_first: bool, ls: bool| {
        let mut queue = QUEUE;
        if ls_first {
            queue.sort_by_key(|is_ls| !is_ls);
        }
        queue[..5].iter().filter(|is_ls| **is_ls == ls).count() as f64
    };
    let ls = measure.text("kernel") == "ls";
    Some(match measure.text("order") {
        "fifo" => served(false, ls),
        "first" => served(true, ls),
        _ => (served(true, ls) / served(false, ls) - 1.0) * 100.0,
    })
}

/// Part of the kernels for which some number of CTAs doubles the idle latency, although one CTA fewer leaves a tenth of the best bandwidth.
fn coarse(measure: &Measure) -> Option<f64> {
    over_mixes(measure, "mean", |mix| {
        let path = if measure.runs.study.mixes.class_of(&mix[0]) == "NBI" { "gpu.noc_utilisation" } else { "gpu.dram_utilisation" };
        let curves = [path, "kernels[0].latency.mean", "kernels[0].l2_miss_rate"].map(|path| measure.runs.curve(&mix[0], path, ""));
        let [used, latency, miss] = curves;
        let (used, latency, miss) = (used?, latency?, miss?);
        let most = used.iter().fold(0.0_f64, |a, b| a.max(*b));
        let jump = (0..used.len()).any(|c| {
            let before = if c == 0 { 0.0 } else { used[c - 1] };
            before < 0.9 * most && latency[c] > 2.0 * idle(miss[c])
        });
        Some(f64::from(u8::from(jump)))
    })
}

/// Flits that the DRAM count of a reply's header adds: a header is a flit of its own, with or without it.
fn extra_flits(measure: &Measure) -> Option<f64> {
    let field_bits = 2;
    // Id of the SM, of the warp and of the line's place take less than 64 bits of the flit.
    Some(f64::from((64 + field_bits) / (8 * measure.gpu()?.noc.flit_bytes)))
}

/// The hardware of CCBP §6.4 for eight kernels.
fn hardware(measure: &Measure) -> Option<f64> {
    let n: u32 = 8;
    let bits = |most: u32| u32::BITS - most.leading_zeros();
    Some(f64::from(match measure.text("what") {
        "wires" => 3 * n - 1,
        "multiplexers" => n - 1,
        "credit bits" => bits(200),
        "partition bits" => n * bits(n - 1),
        _ => 4 * 32,
    }))
}

/// Cycles in which an L1D access waits for an MSHR, a merge or the miss queue: NoC-intensive kernels over DRAM-intensive ones, alone.
fn reservation_failures(measure: &Measure) -> Option<f64> {
    let runs = measure.runs;
    let of = |class: &str| {
        let mixes = runs.study.mixes.named(class);
        let parts =
            ["fail_mshr", "fail_merge", "fail_miss_queue"].map(|key| runs.all(&mixes, "alone", &format!("kernels[0].counters.{key}")));
        let cycles: Option<Vec<f64>> = mixes.iter().map(|mix| runs.cycles_alone(&mix[0], "")).collect();
        let cycles = cycles?;
        let rates = |part: Vec<f64>| part.iter().zip(&cycles).map(|(failures, cycles)| failures / cycles).sum::<f64>();
        let sums: Option<Vec<f64>> = parts.into_iter().map(|part| Some(rates(part?))).collect();
        Some(sums?.iter().sum::<f64>() / mixes.len() as f64)
    };
    let (nbi, dbi) = (of("NBI"), of("DBI"));
    // A failure in a thousand cycles stands for none, so that there is a ratio.
    Some(nbi?.max(0.001) / dbi?.max(0.001))
}

/// Time of a read that waits for DRAM, beyond an idle one's, over the time in the L1D miss queue, alone; geometric mean.
fn queueing(measure: &Measure) -> Option<f64> {
    let of = |path| measure.runs.all(&measure.mixes(), "alone", path);
    let (dram, miss, queue) = (of("kernels[0].latency.dram"), of("kernels[0].l2_miss_rate"), of("kernels[0].latency.miss_queue"));
    let waits: Vec<f64> = dram?.iter().zip(&miss?).map(|(dram, miss)| (dram - miss * (IDLE.1 - IDLE.0)).max(1.0)).collect();
    let queue: Vec<f64> = queue?.iter().map(|cycles| cycles.max(1.0)).collect();
    reduced("geomean", &quotients(&waits, &queue))
}
