//! What only the QoS paper's claims measure (Wang, Yang, Melhem, Childers, Zhang and Guo, 2017). Each function says what it gives; none
//! sees a claim's value.

use crate::engine::measures::{Code, Function, Measure, reduced};
use crate::engine::paper::mix::Mix;
use crate::engine::paper::mix::split_goal;
use sim_core::interface::ratios::dram_bytes_per_cycle;
use std::collections::BTreeMap;

/// The paper's code.
pub const CODE: Code = Code { functions: FUNCTIONS, complete: |_| {} };

/// Every function by its name in the claims.
const FUNCTIONS: &[(&str, Function)] = &[
    ("by_goal", by_goal),
    ("kernels_at_all_goals", kernels_at_all_goals),
    ("median_shortfall", median_shortfall),
    ("one_cta_fewer", one_cta_fewer),
    ("alike", alike),
    ("context_time", context_time),
];

/// A number at each goal, `of` a scheme, or that over the number of the scheme in `over`. By `what` it is:
///
/// - `reach`: the part of the cases that reach their goals;
/// - `others`: the mean throughput of kernels without a goal over those cases.
///
/// Of the goals at which there is one, by `pick`:
///
/// - `least`: the least number;
/// - `above_one`: the part of the goals at which it is above 1;
/// - `rise`: the mean over the upper half of the goals over that of the lower half;
/// - `where_greatest`: the goal at which it is greatest.
fn by_goal(measure: &Measure) -> Option<f64> {
    let mut cases: BTreeMap<i64, Vec<Mix>> = BTreeMap::new();
    for mix in measure.mixes() {
        cases.entry(split_goal(&mix[0]).1?).or_default().push(mix);
    }
    let over = measure.text("over");
    let values = cases.iter().map(|(goal, mixes)| {
        let of = at_goal(measure, mixes, measure.text("of"));
        let over = if over.is_empty() { Some(Some(1.0)) } else { at_goal(measure, mixes, over) };
        let value = of?.zip(over?).map(|(of, over)| of / over).filter(|value| value.is_finite());
        Some(value.map(|value| (*goal as f64, value)))
    });
    // All are asked for, even when one is missing.
    let values: Vec<Option<Option<(f64, f64)>>> = values.collect();
    let curve: Vec<(f64, f64)> = values.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
    let all: Vec<f64> = curve.iter().map(|point| point.1).collect();
    match measure.text("pick") {
        "least" => reduced("min", &all),
        "above_one" => (!all.is_empty()).then(|| all.iter().filter(|value| **value > 1.0).count() as f64 / all.len() as f64),
        "rise" => Some(reduced("mean", &all[all.len().div_ceil(2)..])? / reduced("mean", &all[..all.len() / 2])?),
        "where_greatest" => curve.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|point| point.0),
        _ => None,
    }
}

/// Of a scheme over the cases of a goal; nothing inside where no case reaches it.
fn at_goal(measure: &Measure, cases: &[Mix], scheme: &str) -> Option<Option<f64>> {
    let met = measure.runs.within(cases.to_vec(), &[scheme], "goals.least", measure.bounds())?;
    match measure.text("what") {
        "reach" => Some(Some(met.len() as f64 / cases.len() as f64)),
        _ => Some(reduced("mean", &measure.runs.all(&met, scheme, "goals.others")?)),
    }
}

/// How many kernels reach their goal in each of their cases.
fn kernels_at_all_goals(measure: &Measure) -> Option<f64> {
    let (mixes, scheme) = (measure.mixes(), measure.text("of"));
    let met = measure.runs.within(mixes.clone(), &[scheme], "goals.least", measure.bounds())?;
    let with_goal = |kernel: &String, mix: &Mix| split_goal(&mix[0]).0 == kernel;
    let always = |kernel: &String| {
        let count = |mixes: &[Mix]| mixes.iter().filter(|mix| with_goal(kernel, mix)).count();
        count(&mixes) > 0 && count(&met) == count(&mixes)
    };
    Some(measure.runs.study.mixes.kernels().iter().filter(|kernel| always(kernel)).count() as f64)
}

/// By how much the case in the middle of those that miss their goals misses it, percent of the goal.
fn median_shortfall(measure: &Measure) -> Option<f64> {
    let reached = measure.runs.all(&measure.mixes(), measure.text("of"), "goals.least")?;
    let mut short: Vec<f64> = reached.into_iter().filter(|reached| *reached < 1.0).map(|reached| (1.0 - reached) * 100.0).collect();
    short.sort_by(f64::total_cmp);
    short.get(short.len() / 2).copied()
}

/// IPC alone with one CTA on each SM fewer than fit over that with all; geometric mean.
fn one_cta_fewer(measure: &Measure) -> Option<f64> {
    let of = |mix: &Mix| {
        let ctas = measure.runs.most_ctas(&mix[0], "")?;
        let ipc = |scheme: &str| measure.runs.value(mix, scheme, "kernels[0].ipc");
        let (all, fewer) = (ipc("alone"), ipc(&format!("alone {}", (ctas - 1).max(1))));
        Some(fewer? / all?)
    };
    let all: Vec<Option<f64>> = measure.mixes().iter().map(of).collect();
    reduced("geomean", &all.into_iter().collect::<Option<Vec<f64>>>()?)
}

/// Part of the kernels whose IPC alone under `of` differs from that under `over` by no more than `by` of it.
fn alike(measure: &Measure) -> Option<f64> {
    let of = |scheme: &str| measure.runs.all(&measure.mixes(), measure.text(scheme), "kernels[0].ipc");
    let (of, over) = (of("of"), of("over"));
    let (of, over, by) = (of?, over?, measure.number("by")?);
    Some(of.iter().zip(&over).filter(|(of, over)| (*of - *over).abs() <= by * *over).count() as f64 / of.len() as f64)
}

/// Part of the time that DRAM takes to move contexts, if it does nothing else; mean. An SM whose share of the bandwidth that is stands
/// still as long, if nothing goes on beside.
fn context_time(measure: &Measure) -> Option<f64> {
    let gpu = measure.gpu()?;
    let of = |mix: &Mix| {
        let lines = ["out", "in"].map(|way| {
            let path = format!("kernels[*].counters.context_lines_{way}");
            measure.runs.all(std::slice::from_ref(mix), measure.text("of"), &path)
        });
        let cycles = measure.runs.value(mix, measure.text("of"), "cycles");
        let [out, back] = lines;
        let lines: f64 = out?.iter().chain(&back?).sum();
        Some(lines * f64::from(gpu.l2.line_bytes) / dram_bytes_per_cycle(&gpu) / cycles?)
    };
    let all: Vec<Option<f64>> = measure.mixes().iter().map(of).collect();
    reduced("mean", &all.into_iter().collect::<Option<Vec<f64>>>()?)
}
