//! What only the latency prediction paper's claims measure (Masola, Capodieci, Cavicchioli, Sañudo Olmedo and Rouxel, 2023): predictions,
//! from runs of each kernel alone, held against runs of kernels together. The formulas stand in `sim_core::predict`; none sees a claim's
//! value.
//!
//! Latencies are milliseconds, bandwidths GB/s, errors parts of what was simulated: positive where a latency is overestimated.

use crate::engine::measures::{Code, Function, Measure, correlation, reduced};
use crate::engine::paper::mix::Mix;
use crate::engine::paper::mix::split_sms;
use crate::engine::paper::words::Bounds;
use crate::engine::runs::Detail;
use sim_core::describe::kernel::{Kernel, Op, WARP_SIZE, library};
use sim_core::predict::group::{self, Load};
use sim_core::predict::reading::{Base, Model, Reading};
use sim_core::predict::{Platform, bandwidth, isolated, naive};
use sim_core::study::figure::lookup;

/// The paper's code.
pub const CODE: Code = Code { functions: FUNCTIONS, complete: |_| {} };

/// Every function by its name in the claims.
const FUNCTIONS: &[(&str, Function)] =
    &[("together", together), ("alone", alone), ("shape", shape), ("config", config), ("sum", sum), ("count", count)];

/// The formulas' constants are the paper's, whatever the simulated machine sustains.
const PLATFORM: Platform = Platform::PAPER;

/// Bytes of an L2 access: a sector.
const SECTOR: f64 = 32.0;

/// Part of the simulated latency within which a prediction is good enough (§6).
const MARGIN: f64 = 0.2;

/// A kernel alone: on its SMs, and on all.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Profile {
    sms: u32,
    latency: f64,
    bandwidth: f64,
    latency_full: f64,
    bandwidth_full: f64,
    kai: f64,
}

impl Profile {
    /// Eq. 4.
    fn eq4(&self) -> f64 {
        isolated::latency(&PLATFORM, self.sms, self.latency_full, self.bandwidth_full, self.kai)
    }

    /// Eq. 17.
    fn eq17(&self) -> f64 {
        bandwidth::on_sms(&PLATFORM, self.sms, self.bandwidth_full)
    }

    /// What Eqs. 5 to 16 know of it. Accesses come at one rate, so that those on n SMs are the bandwidth's.
    fn load(&self, model: Model) -> Load {
        let exact = model.exact_at_n && self.sms == PLATFORM.sms;
        Load {
            sms: self.sms,
            latency: self.latency,
            bandwidth: self.bandwidth,
            accesses: self.bandwidth * self.latency * 1e6 / SECTOR,
            tc: if model.base == Base::Measured || exact { self.latency } else { self.eq4() },
        }
    }
}

/// What predicts latencies.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Predictor {
    /// The paper's or our model.
    Model(Model),
    /// The naive baseline with its margin.
    Naive(f64),
    /// What the kernel takes alone.
    Alone,
}

impl Predictor {
    /// By words: a reading, then `measured` (Eq. 8 stretches what was measured alone) or `exact` (on all SMs that alone); `naive` with the
    /// paper's margin, `naive own` with `largest`, our own; `alone`.
    fn of(words: &str, largest: impl FnOnce() -> Option<f64>) -> Option<Predictor> {
        let mut words = words.split(' ');
        let (name, more) = (words.next()?, words.next());
        match (name, more) {
            ("naive", None) => return Some(Predictor::Naive(naive::MARGIN)),
            ("naive", Some("own")) => return largest().map(Predictor::Naive),
            ("alone", None) => return Some(Predictor::Alone),
            _ => {}
        }
        let reading = *Reading::ALL.iter().find(|reading| reading.name() == name)?;
        let base = if more == Some("measured") { Base::Measured } else { Base::Eq4 };
        Some(Predictor::Model(Model { base, exact_at_n: more == Some("exact"), ..Model::default().with(reading) }))
    }

    /// The latency of each kernel of a group.
    fn latencies(&self, profiles: &[Profile]) -> Vec<f64> {
        match *self {
            Predictor::Model(model) => {
                let loads: Vec<Load> = profiles.iter().map(|profile| profile.load(model)).collect();
                group::predict(&PLATFORM, &loads, model).kernels.iter().map(|kernel| kernel.latency).collect()
            }
            Predictor::Naive(margin) => {
                let latencies = profiles.iter().map(|profile| profile.latency);
                (0..profiles.len()).map(|kernel| naive::latency(latencies.clone(), kernel, margin)).collect()
            }
            Predictor::Alone => profiles.iter().map(|profile| profile.latency).collect(),
        }
    }
}

/// A group with what its kernels do alone, and when each ended beside the others.
#[derive(Clone, PartialEq, Debug)]
struct Group {
    kernels: Vec<String>,
    profiles: Vec<Profile>,
    ends: Vec<f64>,
}

impl Group {
    /// What the kernels ask for together, of the nominal bandwidth.
    fn asked(&self) -> f64 {
        self.profiles.iter().map(|profile| profile.bandwidth).sum::<f64>() / PLATFORM.bandwidth_max
    }

    /// A number of each kernel.
    fn values(&self, what: &str, predictor: Predictor) -> Option<Vec<f64>> {
        let predicted = predictor.latencies(&self.profiles);
        let of = |kernel: usize| {
            let (end, alone) = (self.ends[kernel], self.profiles[kernel].latency);
            let others = self.ends.iter().enumerate().filter(|other| other.0 != kernel);
            Some(match what {
                "error" => predicted[kernel] / end - 1.0,
                "predicted" => predicted[kernel],
                "slowdown" => end / alone - 1.0,
                "end" => end,
                "asked" => self.asked(),
                "beside" => end.min(others.map(|other| *other.1).fold(0.0, f64::max)),
                "after" => (end - others.map(|other| *other.1).fold(0.0, f64::max)).max(0.0),
                "rank" => 1.0 + others.filter(|other| *other.1 < end).count() as f64,
                _ => return None,
            })
        };
        (0..self.ends.len()).map(of).collect()
    }
}

/// A kernel alone on its SMs and on all; both runs are asked for, even when one is missing.
fn profile(measure: &Measure, kernel: &str) -> Option<Profile> {
    let (name, sms) = split_sms(kernel);
    let result = |kernel: String| {
        let run = measure.runs.run(&vec![kernel], measure.text("of"), "hspeedup", Detail::Full)?;
        measure.runs.results.of(&run)
    };
    let (part, full) = (result(kernel.to_owned()), result(format!("{name}:{}", PLATFORM.sms)));
    let (part, full) = (part?, full?);
    let accesses = lookup(&full, "kernels[0].counters.l2_reads")? + lookup(&full, "kernels[0].counters.l2_writes")?;
    Some(Profile {
        sms: sms?,
        latency: lookup(&part, "kernels[0].finished_at_ms")?,
        bandwidth: lookup(&part, "kernels[0].l2_gb_s")?,
        latency_full: lookup(&full, "kernels[0].finished_at_ms")?,
        bandwidth_full: lookup(&full, "kernels[0].l2_gb_s")?,
        kai: isolated::intensity(lookup(&full, "kernels[0].thread_instructions")?, accesses)?,
    })
}

/// Groups; all of their runs are asked for, even when one is missing.
fn groups(measure: &Measure, mixes: &[Mix]) -> Option<Vec<Group>> {
    let of = |mix: &Mix| {
        let profiles: Vec<Option<Profile>> = mix.iter().map(|kernel| profile(measure, kernel)).collect();
        let result = measure.runs.results.of(&measure.runs.run(mix, measure.text("of"), "hspeedup", Detail::Full)?)?;
        let ends = (0..mix.len()).map(|kernel| lookup(&result, &format!("kernels[{kernel}].finished_at_ms")));
        Some(Group {
            kernels: mix.iter().map(|kernel| split_sms(kernel).0.to_owned()).collect(),
            ends: ends.collect::<Option<_>>()?,
            profiles: profiles.into_iter().collect::<Option<_>>()?,
        })
    };
    let all: Vec<Option<Group>> = mixes.iter().map(of).collect();
    all.into_iter().collect()
}

/// The greatest slowdown in the seven experiments.
fn largest(measure: &Measure) -> Option<f64> {
    let experiments = groups(measure, &measure.runs.study.mixes.named("experiments"))?;
    let slowdowns: Option<Vec<Vec<f64>>> = experiments.iter().map(|group| group.values("slowdown", Predictor::Alone)).collect();
    reduced("max", &slowdowns?.concat())
}

/// `what` of the kernels of groups, all or those of the name `kernel`, as one number by `pick` (see `picked`):
///
/// - `error`: that of the latencies that a `model` predicts (see `Predictor`); `predicted`: what it has predicted;
/// - `slowdown`: how much longer than alone a kernel takes beside the others;
/// - `end`: when it ends; `beside` and `after`: how long it runs beside another, and after all others; `rank`: its place among them by its
///   end;
/// - `asked`: what is asked for together, of the nominal bandwidth.
///
/// With `pick = "correlation"` it is Pearson's between what the groups ask for and the mean of each.
fn together(measure: &Measure) -> Option<f64> {
    let groups = groups(measure, &measure.mixes());
    let model = if measure.text("model").is_empty() { "alone" } else { measure.text("model") };
    let predictor = Predictor::of(model, || largest(measure));
    let (groups, predictor, kernel) = (groups?, predictor?, measure.text("kernel"));
    let of = |group: &Group| {
        let values = group.values(measure.text("what"), predictor)?;
        Some(values.into_iter().zip(&group.kernels).filter(|of| kernel.is_empty() || of.1 == kernel).map(|of| of.0).collect())
    };
    let values: Vec<Vec<f64>> = groups.iter().map(of).collect::<Option<_>>()?;
    if measure.text("pick") == "correlation" {
        let means: Option<Vec<f64>> = values.iter().map(|values| reduced("mean", values)).collect();
        return correlation(&groups.iter().map(Group::asked).collect::<Vec<_>>(), &means?);
    }
    picked(measure.text("pick"), &values.concat(), measure.bounds())
}

/// `what` of kernels alone, as one number by `pick` (see `picked`): by Eq. 4 the `latency`, by Eq. 17 the `bandwidth`, and their errors.
fn alone(measure: &Measure) -> Option<f64> {
    let all: Vec<Option<Profile>> = measure.mixes().iter().map(|mix| profile(measure, &mix[0])).collect();
    let of = |profile: &Profile| {
        Some(match measure.text("what") {
            "latency" => profile.eq4(),
            "latency error" => profile.eq4() / profile.latency - 1.0,
            "bandwidth" => profile.eq17(),
            "bandwidth error" => profile.eq17() / profile.bandwidth - 1.0,
            "kai" => profile.kai,
            "utilisation" => isolated::utilisation(profile.bandwidth, PLATFORM.bandwidth_max),
            _ => return None,
        })
    };
    let values: Vec<f64> = all.into_iter().collect::<Option<Vec<_>>>()?.iter().map(of).collect::<Option<_>>()?;
    picked(measure.text("pick"), &values, measure.bounds())
}

/// The shape of the kernels' `what` (`bandwidth` or `latency`) over SMs, as one number by `pick`: on `to` SMs over that on `from`. Without
/// these it is how straight the shape is over all sizes: the square of Pearson's correlation with the number of SMs. With `warps`, the
/// kernels' grids are cut into CTAs of so many warps.
fn shape(measure: &Measure) -> Option<f64> {
    let sizes =
        if measure.number("to").is_some() { ["from", "to"].map(|key| measure.number(key)).to_vec() } else { STEPS.map(Some).to_vec() };
    let sizes: Vec<f64> = sizes.into_iter().collect::<Option<_>>()?;
    let path = if measure.text("what") == "latency" { "kernels[0].finished_at_ms" } else { "kernels[0].l2_gb_s" };
    let of = |mix: &Mix| {
        let mut scheme = measure.text("of").to_owned();
        if let Some(warps) = measure.number("warps") {
            let kernel = recut(library::find(&format!("{}{}", measure.runs.study.prefix, mix[0]))?, warps as u32)?;
            scheme += &format!(" {}.kernel={}", mix[0], kernel.encode().to_string().replace(' ', "\\u0020"));
        }
        let at = |sms: &f64| measure.runs.value(&vec![format!("{}:{sms}", mix[0])], &scheme, path);
        let values: Vec<Option<f64>> = sizes.iter().map(at).collect();
        let values: Vec<f64> = values.into_iter().collect::<Option<_>>()?;
        match values[..] {
            [from, to] => Some(to / from),
            _ => correlation(&sizes, &values).map(|r| r * r),
        }
    };
    let all: Vec<Option<f64>> = measure.mixes().iter().map(of).collect();
    picked(measure.text("pick"), &all.into_iter().collect::<Option<Vec<f64>>>()?, measure.bounds())
}

/// A kernel with the same warps, each with the same work, in CTAs of so many; nothing if its addresses or its grid do not allow it.
fn recut(mut kernel: Kernel, warps: u32) -> Option<Kernel> {
    for launch in &mut kernel.launches {
        let before = launch.threads / WARP_SIZE;
        let all = launch.ctas() * before;
        if !all.is_multiple_of(warps) || !launch.threads.is_multiple_of(WARP_SIZE) {
            return None;
        }
        (launch.grid, launch.threads) = ((all / warps).into(), warps * WARP_SIZE);
        for op in &mut launch.program {
            let (Op::Load { address, .. } | Op::Store { address, .. }) = op else { continue };
            if address.cta != address.warp * i64::from(before) {
                return None;
            }
            address.cta = address.warp * i64::from(warps);
        }
    }
    Some(kernel)
}

/// Sizes of partitions (§5).
const STEPS: [f64; 6] = [5.0, 10.0, 15.0, 20.0, 25.0, 30.0];

/// What the machine, a kernel or a formula has.
fn config(measure: &Measure) -> Option<f64> {
    let gpu = measure.gpu()?;
    Some(match measure.text("what") {
        "sms" => f64::from(gpu.sm_count()),
        "banks" => f64::from(gpu.l2.banks),
        "l2_mb" => f64::from(gpu.l2.banks) * f64::from(gpu.l2.bank_bytes) / f64::from(1 << 20),
        "nominal" => PLATFORM.bandwidth_max,
        "saturation_point" => PLATFORM.saturation_point(),
        "steepness" => isolated::STEEPNESS,
        "miss_banks" => f64::from(PLATFORM.sms - PLATFORM.l2_banks),
        "margin" => 100.0 * MARGIN,
        "ctas" => f64::from(measure.kernel()?.launches.first()?.ctas()),
        _ => return None,
    })
}

/// The sum of numbers that the paper prints apart.
fn sum(measure: &Measure) -> Option<f64> {
    measure.numbers("parts").into_iter().sum::<Option<f64>>()
}

/// How many groups there are, the seven experiments with all that are drawn, or how many `kernels` they have. `one`: how many percent one
/// of the kernels is, with one digit, as printed.
fn count(measure: &Measure) -> Option<f64> {
    let study = &measure.runs.study;
    let all = [study.mixes.all_partitions("random"), &study.mixes.named("experiments")].concat();
    let kernels = all.iter().map(Vec::len).sum::<usize>() as f64;
    Some(match measure.text("what") {
        "groups" => all.len() as f64,
        "kernels" => kernels,
        "one" => (1000.0 / kernels).round() / 10.0,
        _ => return None,
    })
}

/// Values as one: their `mean`, its size (`bias`), the mean of their sizes (`absolute`), their `variance`, `min`, `max`, `spread` from the
/// least to the greatest, or the `part` of them within bounds.
fn picked(how: &str, values: &[f64], bounds: Bounds) -> Option<f64> {
    let mean = reduced("mean", values)?;
    let n = values.len() as f64;
    match how {
        "bias" => Some(mean.abs()),
        "absolute" => Some(values.iter().map(|value| value.abs()).sum::<f64>() / n),
        "variance" => Some(values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / n),
        "spread" => Some(reduced("max", values)? - reduced("min", values)?),
        "part" => Some(values.iter().filter(|value| bounds.hold(**value)).count() as f64 / n),
        how => reduced(how, values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::describe::kernel::Launch;
    use sim_core::describe::value::Value;

    /// A kernel that takes `latency` on `sms` and in proportion on all, with a bandwidth that is far from saturation.
    fn kernel(sms: u32, latency: f64, bandwidth: f64) -> Profile {
        let part = f64::from(sms) / 30.0;
        Profile { sms, latency, bandwidth, latency_full: latency * part, bandwidth_full: (bandwidth / part).min(200.0), kai: 0.0 }
    }

    fn close(found: f64, want: f64) {
        assert!((found - want).abs() < 1e-9 * want.abs().max(1.0), "{found}, not {want}");
    }

    /// Below saturation Eq. 4 is a proportion, so that a kernel beside one that asks for little takes what it takes alone, and is predicted
    /// so.
    #[test]
    fn errors_are_of_the_simulated_latency() {
        let profiles = vec![kernel(15, 2.0, 50.0), kernel(15, 8.0, 10.0)];
        let group = Group { kernels: vec!["A".into(), "B".into()], profiles, ends: vec![2.5, 8.0] };
        let model = |words| Predictor::of(words, || Some(0.25)).unwrap();
        let of = |what, words| group.values(what, model(words)).unwrap();
        for words in ["literal", "clamped", "elected", "i_only", "fluid", "literal measured", "literal exact", "alone"] {
            close(of("error", words)[0], -0.2);
            close(of("error", words)[1], 0.0);
        }
        close(of("error", "naive")[0], 2.0 * 1.73 / 2.5 - 1.0);
        close(of("predicted", "naive own")[1], 8.0 + 0.25 * 2.0);
        close(of("slowdown", "alone")[0], 0.25);
        assert_eq!(of("rank", "alone"), [1.0, 2.0]);
        assert_eq!((of("beside", "alone"), of("after", "alone")), (vec![2.5, 2.5], vec![0.0, 5.5]));
        close(group.asked(), 60.0 / 348.0);
        assert_eq!(Predictor::of("nothing", || None), None);
        assert_eq!(Predictor::of("naive own", || None), None);
    }

    /// Two kernels that ask for 400 of 278.4 GB/s: each reading has its own answer, and what was measured alone may stand in for Eq. 4.
    #[test]
    fn readings_differ_where_memory_is_asked_for_more_than_it_has() {
        let profiles = [kernel(20, 1.0, 300.0), kernel(10, 4.0, 100.0)];
        let latency = |words: &str| Predictor::of(words, || None).unwrap().latencies(&profiles)[0];
        let factor = 400.0 / 278.4;
        close(latency("i_only measured"), factor);
        // Eq. 9: (30/20)/2 · 300/400 · 300/174 is under 1.
        close(latency("literal measured"), factor * factor);
        close(latency("fluid"), 400.0 / 330.0);
        // The same time on all SMs, wherever Eq. 4 puts it.
        let saturated = Profile { sms: 30, latency: 1.0, bandwidth: 320.0, latency_full: 1.0, bandwidth_full: 320.0, kai: 0.05 };
        let alone = |words: &str| Predictor::of(words, || None).unwrap().latencies(&[saturated])[0];
        close(alone("i_only exact"), 320.0 / 278.4);
        assert!((alone("i_only") / alone("i_only exact") - 0.5).abs() < 0.001);
    }

    /// A warp's place in the grid decides what it touches, whatever CTA it is in.
    #[test]
    fn a_grid_that_is_cut_otherwise_has_the_same_warps() {
        let whole = library::find("latency/MVT").unwrap();
        let (first, cut) = (whole.launches[0].clone(), recut(whole.clone(), 1).unwrap().launches[0].clone());
        assert_eq!((first.ctas(), first.threads, cut.ctas(), cut.threads), (64, 64, 128, 32));
        let touched = |launch: &Launch, warp: i64| {
            let warps = i64::from(launch.threads / WARP_SIZE);
            let (cta, warp) = (warp / warps, warp % warps);
            let of = |op: &Op| match op {
                Op::Load { address, .. } | Op::Store { address, .. } => Some(address.cta * cta + address.warp * warp),
                _ => None,
            };
            launch.program.iter().filter_map(of).collect::<Vec<i64>>()
        };
        assert!((0..128).all(|warp| touched(&first, warp) == touched(&cut, warp)));
        assert_eq!(recut(recut(whole.clone(), 4).unwrap(), 2), Some(whole.clone()));
        assert_eq!(recut(whole, 3), None);
    }

    #[test]
    fn values_are_put_together_as_asked() {
        let values = [-0.1, 0.3, 0.1];
        let of = |how| picked(how, &values, Bounds::default()).unwrap();
        close(of("mean"), 0.1);
        close(of("bias"), 0.1);
        close(of("absolute"), 0.5 / 3.0);
        close(of("variance"), 0.08 / 3.0);
        close(of("spread"), 0.4);
        assert_eq!((of("min"), of("max")), (-0.1, 0.3));
        let within = Bounds::of(&Value::object([("at_least", -0.2), ("at_most", 0.2)]));
        close(picked("part", &values, within).unwrap(), 2.0 / 3.0);
        assert_eq!((picked("mean", &[], within), picked("nothing", &values, within)), (None, None));
        close(correlation(&[1.0, 2.0, 3.0], &[5.0, 4.0, 3.0]).unwrap(), -1.0);
        assert_eq!(correlation(&[1.0, 1.0], &[5.0, 4.0]), None);
    }
}
