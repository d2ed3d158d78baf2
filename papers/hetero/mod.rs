//! What only HeteroCore's claims measure (Zhao, Wang and Eeckhout, 2019). Each function says what it gives; none sees a claim's value.

use crate::engine::measures::{Code, Function, Measure, reduced};
use crate::engine::paper::mix::Mix;
use crate::engine::runs::Detail;
use sim_core::describe::gpu::{SmClass, occupancy, presets};
use sim_core::describe::value::Value;
use sim_core::policy::{POLICIES, spec::Absent};
use sim_core::run::experiment::Experiment;

/// The paper's code.
pub const CODE: Code = Code { functions: FUNCTIONS, complete: |_| {} };

/// Every function by its name in the claims.
const FUNCTIONS: &[(&str, Function)] = &[
    ("gap", gap),
    ("where_lost", where_lost),
    ("thick_has_all_big", thick_has_all_big),
    ("residency", residency),
    ("size", size),
    ("area", area),
    ("count", count),
    ("cycles", |measure| Some(measure.runs.study.mode.cycles as f64)),
    ("profile_length", profile_length),
];

/// A metric under each of some schemes in each mix, over that under the scheme in `over`.
fn quotients<const N: usize>(measure: &Measure, metric: &str, schemes: [&str; N]) -> Option<Vec<[f64; N]>> {
    let mixes = measure.mixes();
    let of = |scheme: &str| measure.runs.all(&mixes, scheme, metric);
    // All are asked for, even when one is missing.
    let (over, all) = (of(measure.text("over")), schemes.map(of));
    let over = over?;
    let all: Vec<Vec<f64>> = all.into_iter().collect::<Option<_>>()?;
    Some((0..mixes.len()).map(|mix| core::array::from_fn(|scheme| all[scheme][mix] / over[mix])).collect())
}

/// By how many points `metric` improves more under the scheme in `under` than under that in `of`, each over that in `over`; ANTT improves
/// as it falls. By `pick`: on average, 0 if it does not (`mean`); in the worst mix (`worst`); or by how much `of` improves there
/// (`at_worst`).
fn gap(measure: &Measure) -> Option<f64> {
    let metric = measure.text("metric");
    let better = |quotient: f64| 100.0 * if metric == "metrics.antt" { 1.0 - quotient } else { quotient - 1.0 };
    let found = quotients(measure, metric, [measure.text("of"), measure.text("under")])?;
    let gaps: Vec<(f64, f64)> = found.iter().map(|[of, under]| (better(*under) - better(*of), better(*of))).collect();
    let worst = gaps.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    match measure.text("pick") {
        "worst" => Some(worst.0),
        "at_worst" => Some(worst.1),
        _ => Some(reduced("mean", &gaps.iter().map(|gap| gap.0).collect::<Vec<f64>>())?.max(0.0)),
    }
}

/// What the metric `lost` is under the scheme in `of` over that under the scheme in `under`, geometric mean. Only the mixes count in which
/// it is more than a hundredth lower under `under` than under `over`.
fn where_lost(measure: &Measure) -> Option<f64> {
    let found = quotients(measure, measure.text("lost"), [measure.text("of"), measure.text("under")])?;
    let lost: Vec<f64> = found.iter().filter(|[_, under]| *under < 0.99).map(|[of, under]| of / under).collect();
    reduced("geomean", &lost)
}

/// Part of the mixes for which a search gives the first kernel, the thick one, all SMs of the first class and no others.
fn thick_has_all_big(measure: &Measure) -> Option<f64> {
    let of = |mix: &Mix| {
        let run = measure.runs.run(mix, measure.text("of"), "wspeedup", Detail::Full)?;
        measure.runs.results.of(&run)?;
        let big = Experiment::decode(&run.experiment).ok()?.gpu.sms.first()?.count;
        let Value::Array(masks) = run.experiment.get("policy")?.get("controls")?.get("sm_mask")? else { return None };
        Some(f64::from(u8::from(masks.first() == Some(&Value::array(0..big)))))
    };
    let all: Vec<Option<f64>> = measure.mixes().iter().map(of).collect();
    reduced("mean", &all.into_iter().collect::<Option<Vec<f64>>>()?)
}

/// The SM that `on` names: of a preset, and of its class if it has two, as in `hetero-8b8s small`.
fn sm(measure: &Measure) -> Option<SmClass> {
    let mut words = measure.text("on").split(' ');
    let gpu = presets::find(words.next()?)?;
    let class = words.next();
    gpu.sms.into_iter().find(|sm| class.is_none_or(|name| sm.name == name))
}

/// CTAs of a kernel that an SM holds; of several launches, the fewest.
fn residency(measure: &Measure) -> Option<f64> {
    let (kernel, sm) = (measure.kernel()?, sm(measure)?);
    kernel.launches.iter().map(|launch| f64::from(occupancy::of(launch, &sm).ctas)).reduce(f64::min)
}

/// What an SM has.
fn size(measure: &Measure) -> Option<f64> {
    let sm = sm(measure)?;
    Some(f64::from(match measure.text("what") {
        "registers" => sm.registers,
        "shared_kb" => sm.shared_bytes >> 10,
        "threads" => sm.threads,
        "warps" => sm.threads / 32,
        "ctas" => sm.ctas,
        _ => return None,
    }))
}

/// Of the areas of a big and a small SM, percent more than the baseline's: their sum (`pair`). Or what a seventeenth SM adds at most, with
/// one digit, as printed: of two as near, the even one.
fn area(measure: &Measure) -> Option<f64> {
    match measure.text("what") {
        "pair" => Some(measure.number("big")? + measure.number("small")?),
        "seventeenth" => Some((10.0 * 100.0 / 16.0_f64).round_ties_even() / 10.0),
        _ => None,
    }
}

/// How many sets of so many `kernels` there are; `without` some kernels, and with `mixed` none of one class.
fn count(measure: &Measure) -> Option<f64> {
    let study = &measure.runs.study;
    let without = measure.texts("without");
    let all: Vec<String> = study.mixes.kernels().into_iter().filter(|kernel| !without.contains(&kernel.as_str())).collect();
    let classes: Vec<usize> =
        study.mixes.classes.iter().map(|(_, kernels)| kernels.iter().filter(|kernel| all.contains(kernel)).count()).collect();
    let size = measure.number("kernels")? as usize;
    let of_one_class = if measure.flag("mixed") { classes.iter().map(|kernels| choose(*kernels, size)).sum() } else { 0.0 };
    Some(choose(all.len(), size) - of_one_class)
}

fn choose(of: usize, size: usize) -> f64 {
    (0..size).map(|i| of.saturating_sub(i) as f64 / (i + 1) as f64).product()
}

/// How long the dynamic scheme profiles: its warm-up and its measurement, if nothing else is said.
fn profile_length(_: &Measure) -> Option<f64> {
    let dynamic = POLICIES.iter().find(|policy| policy.name == "hetero-dynamic")?;
    let length = |name: &str| {
        let param = dynamic.params.iter().find(|param| param.name == name)?;
        if let Absent::Int(cycles) = param.absent { Some(cycles as f64) } else { None }
    };
    Some(length("warm_up")? + length("measure")?)
}
