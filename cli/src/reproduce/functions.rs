//! Measures that need more than a ratio of one metric. Each says what it gives; none sees a claim's value.

use super::lab::{Detail, Lab, Mix};
use super::measure::{Args, gain, ratios};
use sim_core::describe::gpu::{occupancy, presets};
use sim_core::describe::value::Value;
use sim_core::seam::ratios::{dram_bytes_per_cycle, noc_bytes_per_cycle};
use sim_core::study::figure::{Reduce, lookup, reduce};

/// What a measure calls.
pub type Function = fn(&Args) -> Option<f64>;

/// Latency of an idle L2 and of an idle DRAM, core cycles (CCBP Table 1).
const IDLE: (f64, f64) = (200.0, 380.0);

/// Every function by its name in the ledger.
pub const FUNCTIONS: &[(&str, Function)] = &[
    ("unlike_combinations", unlike_combinations),
    ("correlation", correlation),
    ("worst_latency", worst_latency),
    ("ls_slowdown", ls_slowdown),
    ("unfair_bandwidth", unfair_bandwidth),
    ("complement", complement),
    ("fewer_ctas", fewer_ctas),
    ("peak", peak),
    ("detected", detected),
    ("crossbar", crossbar),
    ("over_idle", over_idle),
    ("far", far),
    ("most_throughput", most_throughput),
    ("limiter", limiter),
    ("best_combination", best_combination),
    ("oversubscribed", oversubscribed),
    ("dram_beside_alone", dram_beside_alone),
    ("snapshot", snapshot),
    ("coarse", coarse),
    ("class_ratio", class_ratio),
    ("percent_lost", |args| Some((1.0 - scheme_gain(args, "hspeedup")?) * 100.0)),
    ("percent_kept", |args| Some(scheme_gain(args, "hspeedup")? * 100.0)),
    ("percent_gained", |args| Some((scheme_gain(args, args.text("path"))? - 1.0) * 100.0)),
    ("extra_flits", extra_flits),
    ("hardware", hardware),
    ("mil_between", mil_between),
    ("burstiness", burstiness),
    ("gain_grows", gain_grows),
    ("multi_bi", multi_bi),
    ("gain_order", gain_order),
    ("reservation_failures", reservation_failures),
    ("queueing", queueing),
    ("least_gain", least_gain),
    ("queue_order", queue_order),
    ("best_order", best_order),
    ("order_spread", order_spread),
    ("starved_dram", starved_dram),
];

/// The function of a name.
pub fn find(name: &str) -> Option<Function> {
    FUNCTIONS.iter().find(|function| function.0 == name).map(|function| function.1)
}

fn scheme_gain(args: &Args, metric: &str) -> Option<f64> {
    gain(args.lab, metric, args.text("of"), args.text("over"), &args.mixes(), Reduce::Geomean)
}

/// Pairs whose kernels hold other numbers of CTAs under one scheme than under another, by more than half a CTA.
fn unlike_combinations(args: &Args) -> Option<f64> {
    let ctas = |scheme| args.lab.all(&args.mixes(), args.text(scheme), "kernels[*].ctas_per_sm");
    let (of, over) = (ctas("of"), ctas("over"));
    let unlike: Vec<bool> = of?.iter().zip(&over?).map(|(a, b)| (a - b).abs() > 0.5).collect();
    Some(unlike.chunks(2).filter(|pair| pair.contains(&true)).count() as f64)
}

/// Pearson's correlation of both speedups over all schemes and mixes.
fn correlation(args: &Args) -> Option<f64> {
    let of = |metric| -> Option<Vec<f64>> {
        let all: Vec<Option<Vec<f64>>> = args.texts("of").iter().map(|scheme| args.lab.all(&args.mixes(), scheme, metric)).collect();
        Some(all.into_iter().collect::<Option<Vec<_>>>()?.concat())
    };
    let (x, y) = (of("hspeedup"), of("wspeedup"));
    let (x, y) = (x?, y?);
    let (mx, my) = (reduce(Reduce::Mean, &x)?, reduce(Reduce::Mean, &y)?);
    let sum = |f: &dyn Fn(f64, f64) -> f64| x.iter().zip(&y).map(|(x, y)| f(x - mx, y - my)).sum::<f64>();
    Some(sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt())
}

/// The greatest latency of any kernel of any mix under any of the schemes, over its own alone.
fn worst_latency(args: &Args) -> Option<f64> {
    let of = |scheme: &&str| gain(args.lab, "kernels[*].latency.mean", scheme, "alone", &args.mixes(), Reduce::Max);
    let worst: Vec<Option<f64>> = args.texts("of").iter().map(of).collect();
    worst.into_iter().collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
}

/// Slowdown of latency-sensitive kernels beside bandwidth-intensive ones over that beside each other, geometric means.
fn ls_slowdown(args: &Args) -> Option<f64> {
    let of = |mixes: &str, path: &str| {
        let values = args.lab.all(&args.lab.study.mixes(mixes), args.text("of"), path);
        values.and_then(|values| reduce(Reduce::Geomean, &values))
    };
    let (beside_bi, beside_ls) = (of("LS+BI", "kernels[0].slowdown"), of("LS+LS", "kernels[*].slowdown"));
    Some(beside_bi? / beside_ls?)
}

/// In pairs of one class: bandwidth of the kernel that takes more of it alone, over that of the other.
fn unfair_bandwidth(args: &Args) -> Option<f64> {
    let of = |mix: &Mix| {
        let path = if args.lab.study.class_of(&mix[0]) == "NBI" { "noc_utilisation" } else { "dram_utilisation" };
        let at = |kernel: usize, scheme: &str| args.lab.value(mix, scheme, &format!("kernels[{kernel}].{path}"));
        let all = [at(0, "alone"), at(1, "alone"), at(0, args.text("of")), at(1, args.text("of"))];
        let (first, second) = (all[2]?, all[3]?);
        Some(if all[0]? >= all[1]? { first / second } else { second / first })
    };
    let all: Vec<Option<f64>> = args.mixes().iter().map(of).collect();
    reduce(Reduce::Geomean, &all.into_iter().collect::<Option<Vec<f64>>>()?)
}

/// Sum of the sustainable shares of both bandwidths in use together, over the greater of the kernels alone.
fn complement(args: &Args) -> Option<f64> {
    let of = |mix: &Mix| {
        let sum = |mix: &Mix, scheme: &str| {
            let parts = ["gpu.noc_sustained", "gpu.dram_sustained"].map(|path| args.lab.value(mix, scheme, path));
            Some(parts[0]? + parts[1]?)
        };
        let alone = [&mix[0], &mix[1]].map(|kernel| sum(&vec![kernel.clone()], "alone"));
        let together = sum(mix, args.text("of"));
        Some(together? / alone[0]?.max(alone[1]?))
    };
    let all: Vec<Option<f64>> = args.mixes().iter().map(of).collect();
    reduce(Reduce::Geomean, &all.into_iter().collect::<Option<Vec<f64>>>()?)
}

/// IPC with half of the CTAs over IPC with all, or the inverse.
fn fewer_ctas(args: &Args) -> Option<f64> {
    let of = |mix: &Mix| {
        let half = (args.lab.most_ctas(&mix[0])? / 2).max(1);
        let values = [format!("alone {half}"), "alone".into()].map(|scheme| args.lab.value(mix, &scheme, "kernels[0].ipc"));
        Some(values[0]? / values[1]?)
    };
    let all: Vec<Option<f64>> = args.mixes().iter().map(of).collect();
    let ratio = reduce(Reduce::Geomean, &all.into_iter().collect::<Option<Vec<f64>>>()?)?;
    Some(if args.flag("inverse") { 1.0 / ratio } else { ratio })
}

/// Peak bandwidth of the study's GPU, GB/s.
fn peak(args: &Args) -> Option<f64> {
    let gpu = presets::find(args.lab.study.gpu.as_str()?)?;
    let bytes = if args.text("what") == "noc" { noc_bytes_per_cycle(&gpu) } else { dram_bytes_per_cycle(&gpu) };
    Some(bytes * f64::from(gpu.core_mhz) / 1000.0)
}

/// Part of a kernel's mixes in which CCBP takes it for the type.
fn detected(args: &Args) -> Option<f64> {
    let wanted = match args.text("type") {
        "LS" => "latency-sensitive",
        "NBI" => "NoC-intensive",
        _ => "DRAM-intensive",
    };
    let mixes: Vec<Mix> = args.mixes().into_iter().filter(|mix| mix.iter().any(|name| name == args.text("kernel"))).collect();
    let of = |mix: &Mix| {
        let run = args.lab.run(mix, args.text("of"), "hspeedup", Detail::Full)?;
        let result = args.lab.result(&run)?;
        let place = mix.iter().position(|name| name == args.text("kernel"))?;
        let Value::Array(decisions) = result.get("policy")?.get("decisions")? else { return None };
        let taken = |decision: &Value| {
            decision.get("kernel").and_then(Value::as_int) == Some(place as i64)
                && lookup_text(decision, "kernel_type").is_some_and(|kernel_type| kernel_type == wanted)
        };
        Some(f64::from(u8::from(decisions.iter().any(taken))))
    };
    let all: Vec<Option<f64>> = mixes.iter().map(of).collect();
    reduce(Reduce::Mean, &all.into_iter().collect::<Option<Vec<f64>>>()?)
}

/// A word among the values of a decision.
fn lookup_text<'v>(decision: &'v Value, key: &str) -> Option<&'v str> {
    decision.get("values")?.get(key)?.as_str()
}

/// Percent of its peak that a saturated crossbar of read replies carries.
fn crossbar(args: &Args) -> Option<f64> {
    let gpu = presets::find(args.lab.study.gpu.as_str()?)?;
    let flits = gpu.l2.line_bytes / gpu.noc.flit_bytes + 1;
    let probe = sim_core::study::probe::Component::find("noc")?;
    let options = Value::object([("flits", Value::from(flits)), ("load", 1.0.into())]);
    Some(probe.measure(&options).ok()?.get("throughput")?.as_f64()? * 100.0)
}

/// Latency of a read alone over that of an idle machine with the same L2 misses, geometric mean.
fn over_idle(args: &Args) -> Option<f64> {
    let scheme = args.number("ctas").map_or("alone".to_owned(), |ctas| format!("alone {ctas}"));
    let of = |path| args.lab.all(&args.mixes(), &scheme, path);
    let (latency, miss) = (of("kernels[0].latency.mean"), of("kernels[0].l2_miss_rate"));
    let idle: Vec<f64> = miss?.iter().map(|miss| idle(*miss)).collect();
    ratios(&latency?, &idle, Reduce::Geomean)
}

fn idle(miss: f64) -> f64 {
    IDLE.0 * (1.0 - miss) + IDLE.1 * miss
}

/// The least slowdown of the kernels alone when L2 and DRAM take twice as long: 200 core cycles more to L2, 380 in all to DRAM.
fn far(args: &Args) -> Option<f64> {
    let gpu = presets::find(args.lab.study.gpu.as_str()?)?;
    let twice = Value::object([
        ("preset", args.lab.study.gpu.clone()),
        ("l2.latency", (gpu.l2.latency + IDLE.0 as u32 * gpu.noc.mhz / gpu.core_mhz).into()),
        ("dram.latency", (gpu.dram.latency + (IDLE.1 - IDLE.0) as u32).into()),
    ]);
    let of = |mix: &Mix| {
        let run = args.lab.alone_on(&mix[0], None, twice.clone(), args.lab.lengths(mix), Detail::Full)?;
        let (far, near) = (args.lab.result(&run), args.lab.value(mix, "alone", "kernels[0].ipc"));
        Some(near? / lookup(&*far?, "kernels[0].ipc")?)
    };
    let all: Vec<Option<f64>> = args.mixes().iter().map(of).collect();
    all.into_iter().collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::min)
}

/// The least throughput of the named kernels over the greatest of all others, alone.
fn most_throughput(args: &Args) -> Option<f64> {
    let first = args.texts("first");
    let all: Vec<(bool, Option<f64>)> = args
        .lab
        .study
        .kernels()
        .into_iter()
        .map(|kernel| (first.contains(&kernel.as_str()), args.lab.value(&vec![kernel], "alone", "gpu.throughput")))
        .collect();
    let all: Vec<(bool, f64)> = all.into_iter().map(|(first, value)| Some((first, value?))).collect::<Option<_>>()?;
    let of = |wanted: bool| all.iter().filter(move |(first, _)| *first == wanted).map(|(_, value)| *value);
    Some(of(true).reduce(f64::min)? / of(false).reduce(f64::max)?)
}

/// Whether a resource limits the CTAs of a kernel.
fn limiter(args: &Args) -> Option<f64> {
    let kernel = sim_core::describe::kernel::library::find(args.text("kernel"))?;
    let gpu = presets::find(args.lab.study.gpu.as_str()?)?;
    let limited = |launch| occupancy::of(launch, &gpu.sms[0]).limiter.key() == args.text("resource");
    Some(f64::from(u8::from(kernel.launches.iter().all(limited))))
}

/// CTAs of a kernel in the best combination of its mix.
fn best_combination(args: &Args) -> Option<f64> {
    let run = args.lab.run(&args.mix(), "cta-oracle", "hspeedup", Detail::Full)?;
    lookup(&run.written, &format!("policy.combination[{}]", args.number("kernel")?))
}

/// Part of the windows in which more reads want the NoC than it can sustain.
fn oversubscribed(args: &Args) -> Option<f64> {
    let (_, windows, _) = args.lab.windows(&args.mix(), args.text("of"))?;
    let over = windows.iter().filter(|window| lookup(window, "noc_demand").is_some_and(|demand| demand > 0.6)).count();
    Some(over as f64 / windows.len() as f64)
}

/// DRAM of a pair over that of its second kernel alone with so many CTAs: bandwidth, or how much it varies.
fn dram_beside_alone(args: &Args) -> Option<f64> {
    let mix = args.mix();
    let alone = (vec![mix[1].clone()], format!("alone {}", args.number("ctas")?));
    if args.flag("spread") {
        let of = |mix: &Mix, scheme: &str| Some(variation(&series(&args.lab.windows(mix, scheme)?.1, "dram_utilisation")));
        let (together, alone) = (of(&mix, args.text("of")), of(&alone.0, &alone.1));
        return Some(together? / alone?);
    }
    let (together, alone) =
        (args.lab.value(&mix, args.text("of"), "gpu.dram_utilisation"), args.lab.value(&alone.0, &alone.1, "gpu.dram_utilisation"));
    Some(together? / alone?)
}

/// A column of windows.
fn series(windows: &[Value], path: &str) -> Vec<f64> {
    windows.iter().filter_map(|window| lookup(window, path)).collect()
}

/// Standard deviation over mean.
fn variation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / n).sqrt() / mean
}

/// The queue of CCBP's Fig. 5: BI, BI, LS, BI, BI, LS, BI, BI, of which five are served, in their order or LS first; or the percent that a
/// kernel gains from the second.
fn snapshot(args: &Args) -> Option<f64> {
    const QUEUE: [bool; 8] = [false, false, true, false, false, false, true, false];
    let served = |ls_first: bool, ls: bool| {
        let mut queue = QUEUE;
        if ls_first {
            queue.sort_by_key(|is_ls| !is_ls);
        }
        queue[..5].iter().filter(|is_ls| **is_ls == ls).count() as f64
    };
    let ls = args.text("kernel") == "ls";
    Some(match args.text("order") {
        "fifo" => served(false, ls),
        "first" => served(true, ls),
        _ => (served(true, ls) / served(false, ls) - 1.0) * 100.0,
    })
}

/// Part of the kernels for which some number of CTAs doubles the idle latency, although one CTA fewer leaves a tenth of the best bandwidth.
fn coarse(args: &Args) -> Option<f64> {
    let of = |mix: &Mix| {
        let path = if args.lab.study.class_of(&mix[0]) == "NBI" { "gpu.noc_utilisation" } else { "gpu.dram_utilisation" };
        let curves = [path, "kernels[0].latency.mean", "kernels[0].l2_miss_rate"].map(|path| args.lab.curve(&mix[0], path));
        let [used, latency, miss] = curves;
        let (used, latency, miss) = (used?, latency?, miss?);
        let most = used.iter().fold(0.0_f64, |a, b| a.max(*b));
        let jump = (0..used.len()).any(|c| {
            let before = if c == 0 { 0.0 } else { used[c - 1] };
            before < 0.9 * most && latency[c] > 2.0 * idle(miss[c])
        });
        Some(f64::from(u8::from(jump)))
    };
    let all: Vec<Option<f64>> = args.mixes().iter().map(of).collect();
    reduce(Reduce::Mean, &all.into_iter().collect::<Option<Vec<f64>>>()?)
}

/// The mean of one class of kernels over that of another, alone.
fn class_ratio(args: &Args) -> Option<f64> {
    let of = |key| {
        let values = args.lab.all(&args.lab.study.mixes(args.text(key)), "alone", args.text("path"));
        values.and_then(|values| reduce(Reduce::Mean, &values))
    };
    let (of, over) = (of("of"), of("over"));
    Some(of? / over?)
}

/// Flits that the DRAM count of a reply's header adds: a header is a flit of its own, with or without it.
fn extra_flits(args: &Args) -> Option<f64> {
    let gpu = presets::find(args.lab.study.gpu.as_str()?)?;
    let field_bits = 2;
    // Id of the SM, of the warp and of the line's place take less than 64 bits of the flit.
    Some(f64::from((64 + field_bits) / (8 * gpu.noc.flit_bytes)))
}

/// The hardware of CCBP §6.4 for eight kernels.
fn hardware(args: &Args) -> Option<f64> {
    let n: u32 = 8;
    let bits = |most: u32| u32::BITS - most.leading_zeros();
    Some(f64::from(match args.text("what") {
        "wires" => 3 * n - 1,
        "multiplexers" => n - 1,
        "credit bits" => bits(200),
        "partition bits" => n * bits(n - 1),
        _ => 4 * 32,
    }))
}

/// Memory stalls of the first kernel with the best combination, with that and MIL, and under CCBP: the lesser ratio of neighbours.
fn mil_between(args: &Args) -> Option<f64> {
    let mix = args.mix();
    let stalls =
        |result: &Value| Some(lookup(result, "kernels[0].warp_stalls.raw_long")? + lookup(result, "kernels[0].warp_stalls.lsu_full")?);
    let oracle = args.lab.run(&mix, "cta-oracle", "hspeedup", Detail::Full);
    let ccbp = args.lab.run(&mix, "ccbp", "hspeedup", Detail::Full).and_then(|run| args.lab.result(&run));
    let oracle = oracle?;
    let mil = args.lab.result(&mil_on(args.lab, &mix, &oracle.written)?);
    let (oracle, mil, ccbp) = (stalls(&*args.lab.result(&oracle)?)?, stalls(&*mil?)?, stalls(&*ccbp?)?);
    Some((oracle / mil).min(mil / ccbp))
}

/// MIL with a run's combination.
pub fn mil_on(lab: &Lab, mix: &Mix, oracle: &Value) -> Option<std::rc::Rc<super::lab::Run>> {
    let combination = oracle.get("policy")?.get("combination")?.clone();
    let policy = Value::object([("name", Value::from("ws+mil")), ("combination", combination)]);
    lab.register(lab.written("CTA oracle with MIL", mix, policy, lab.lengths(mix)), Detail::Full)
}

/// How much NoC and DRAM use vary from window to window, the mean of both; or over that of another scheme, the geometric mean of both.
fn burstiness(args: &Args) -> Option<f64> {
    let of = |scheme: &str| {
        let (_, windows, _) = args.lab.windows(&args.mix(), scheme)?;
        Some(["noc_utilisation", "dram_utilisation"].map(|path| variation(&series(&windows, path))))
    };
    let first = of(args.text("of"));
    if args.text("over").is_empty() {
        let [noc, dram] = first?;
        return Some((noc + dram) / 2.0);
    }
    let second = of(args.text("over"));
    ratios(&first?, &second?, Reduce::Geomean)
}

/// The gain with three and four kernels over the gain with two.
fn gain_grows(args: &Args) -> Option<f64> {
    let of = |mixes: &str| gain(args.lab, "hspeedup", args.text("of"), args.text("over"), &args.lab.study.mixes(mixes), Reduce::Geomean);
    let (three, four, two) = (of("triples"), of("quads"), of("pairs"));
    Some((three? * four?).sqrt() / two?)
}

/// Latency of HG beside two DRAM-intensive kernels over that beside the worse of the two.
fn multi_bi(args: &Args) -> Option<f64> {
    let of = |mix: &str| args.lab.value(&args.lab.study.mixes(mix)[0], args.text("of"), "kernels[0].latency.mean");
    let (both, one, other) = (of("HG+LBM+SAD"), of("HG+LBM"), of("HG+SAD"));
    Some(both? / one?.max(other?))
}

/// The gain in one kind of pairs over that in another.
fn gain_order(args: &Args) -> Option<f64> {
    let of = |key| gain(args.lab, "hspeedup", args.text("of"), args.text("over"), &args.lab.study.mixes(args.text(key)), Reduce::Geomean);
    let (first, second) = (of("first"), of("second"));
    Some(first? / second?)
}

/// Cycles in which an L1D access waits for an MSHR, a merge or the miss queue: NoC-intensive kernels over DRAM-intensive ones, alone.
fn reservation_failures(args: &Args) -> Option<f64> {
    let of = |class: &str| {
        let mixes = args.lab.study.mixes(class);
        let parts =
            ["fail_mshr", "fail_merge", "fail_miss_queue"].map(|key| args.lab.all(&mixes, "alone", &format!("kernels[0].counters.{key}")));
        let cycles: Vec<f64> = mixes.iter().map(|mix| args.lab.lengths(mix).1 as f64).collect();
        let rates = |part: Vec<f64>| part.iter().zip(&cycles).map(|(failures, cycles)| failures / cycles).sum::<f64>();
        let sums: Option<Vec<f64>> = parts.into_iter().map(|part| Some(rates(part?))).collect();
        Some(sums?.iter().sum::<f64>() / mixes.len() as f64)
    };
    let (nbi, dbi) = (of("NBI"), of("DBI"));
    // A failure in a thousand cycles stands for none, so that there is a ratio.
    Some(nbi?.max(0.001) / dbi?.max(0.001))
}

/// Time of a read that waits for DRAM, beyond an idle one's, over the time in the L1D miss queue, alone; geometric mean.
fn queueing(args: &Args) -> Option<f64> {
    let of = |path| args.lab.all(&args.mixes(), "alone", path);
    let (dram, miss, queue) = (of("kernels[0].latency.dram"), of("kernels[0].l2_miss_rate"), of("kernels[0].latency.miss_queue"));
    let waits: Vec<f64> = dram?.iter().zip(&miss?).map(|(dram, miss)| (dram - miss * (IDLE.1 - IDLE.0)).max(1.0)).collect();
    let queue: Vec<f64> = queue?.iter().map(|cycles| cycles.max(1.0)).collect();
    ratios(&waits, &queue, Reduce::Geomean)
}

/// The least gain over several schemes in several kinds of pairs.
fn least_gain(args: &Args) -> Option<f64> {
    let mut all = Vec::new();
    for mixes in args.texts("mixes") {
        let mixes = args.lab.study.mixes(mixes);
        all.extend(args.texts("over").iter().map(|over| gain(args.lab, "hspeedup", args.text("of"), over, &mixes, Reduce::Geomean)));
    }
    all.into_iter().collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::min)
}

/// What is left with short queues, of what endless ones give: four kernels over two, geometric mean of the sizes.
fn queue_order(args: &Args) -> Option<f64> {
    let of = |mixes: &str| {
        let mixes = args.lab.study.mixes(mixes);
        let kept = ["ccbp queue=64", "ccbp", "ccbp queue=256"]
            .map(|of| gain(args.lab, "hspeedup", of, "ccbp queue=1024", &mixes, Reduce::Geomean));
        reduce(Reduce::Geomean, &kept.into_iter().collect::<Option<Vec<f64>>>()?)
    };
    let (four, two) = (of("some quads"), of("some bandwidth"));
    Some(four? / two?)
}

/// A scheme with an order of warps; LRR is the default.
fn with_order(scheme: &str, order: &str) -> String {
    if order == "lrr" { scheme.to_owned() } else { format!("{scheme} {order}") }
}

fn order_means(args: &Args, orders: &[&str]) -> Option<Vec<f64>> {
    let of = |order: &&str| {
        let values = args.lab.all(&args.mixes(), &with_order(args.text("of"), order), "hspeedup");
        values.and_then(|values| reduce(Reduce::Geomean, &values))
    };
    let all: Vec<Option<f64>> = orders.iter().map(of).collect();
    all.into_iter().collect()
}

/// HSpeedup with one order of warps over the best of the others.
fn best_order(args: &Args) -> Option<f64> {
    let (first, others) = (order_means(args, &[args.text("first")]), order_means(args, &args.texts("others")));
    Some(first?[0] / others?.into_iter().reduce(f64::max)?)
}

/// HSpeedup with the best order of warps over that with the worst.
fn order_spread(args: &Args) -> Option<f64> {
    let all = order_means(args, &args.texts("orders"))?;
    Some(all.iter().copied().reduce(f64::max)? / all.iter().copied().reduce(f64::min)?)
}

/// DRAM use in windows whose demand is more than the NoC can sustain, over that in the others.
fn starved_dram(args: &Args) -> Option<f64> {
    let (_, windows, _) = args.lab.windows(&args.mix(), args.text("of"))?;
    let of = |over: bool| {
        let chosen = windows.iter().filter(|window| lookup(window, "noc_demand").is_some_and(|demand| (demand > 0.6) == over));
        reduce(Reduce::Mean, &chosen.filter_map(|window| lookup(window, "dram_utilisation")).collect::<Vec<_>>())
    };
    Some(of(true)? / of(false)?)
}
