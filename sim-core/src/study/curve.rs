//! Curves: how a kernel's speed alone grows with the SMs that it is given, with the whole of L2 and DRAM.

use super::figure::{Figure, Kind, Label, Measure, Point, Reduce, lookup};
use super::sweep::Sweep;
use crate::describe::error::Problems;
use crate::describe::gpu::Gpu;
use crate::describe::record::Absent::Needed;
use crate::describe::record::{Shape, int, list, record, text};
use crate::describe::scale::Scale;
use crate::describe::value::Value;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Numbers of SMs beside 1 and 2.
const STEPS: u32 = 16;

record! {
    /// Speed of a kernel alone over numbers of SMs.
    pub struct Curve as CURVE "Curve", "a curve: an object";
    /// The kernel.
    kernel: String = text!(200), Needed;
    /// The GPU.
    gpu: String = text!(200), Needed;
    /// Numbers of SMs, the fewest first.
    points: Vec<OnSms> = list!(Shape::Record(&ON_SMS), 1, 256, "points"), Needed;
}

record! {
    /// What a kernel does on so many SMs.
    pub struct OnSms as ON_SMS "OnSms", "a number of SMs";
    /// How many.
    sms: u32 ["SMs"] = int!(1, 256), Needed;
    /// Instructions of active lanes per core cycle, over the whole GPU.
    ipc: Option<f64> ["thread instructions per cycle"] = Shape::Measured, Needed;
    /// IPC by that on all SMs.
    speed: Option<f64> ["fraction"] = Shape::Measured, Needed;
    /// Speed by the share of the SMs: over 1, fewer SMs do more each.
    by_share: Option<f64> ["fraction"] = Shape::Measured, Needed;
}

/// The runs of a curve over SMs: the kernel by itself on a GPU, or a part of it, each until its IPC is known or for so many cycles.
pub fn sms(kernel: &str, gpu: &Gpu, scale: &str, cycles: u64) -> Result<Sweep, Problems> {
    let whole = gpu.sm_count();
    let part = Scale::of(scale).of_count(whole);
    let mut numbers: Vec<u32> = [1, 2].into_iter().chain((1..=STEPS).map(|step| (part * step).div_ceil(STEPS))).collect();
    numbers.retain(|&sms| (1..=part).contains(&sms));
    numbers.sort_unstable();
    numbers.dedup();
    // A part divides what the policy gives.
    let split = |sms: u32| Value::array([Value::from(sms * (whole / part.max(1)))]);
    let policy = |sms| Value::object([("name", Value::from("spatial")), ("split", split(sms))]);
    let base = Value::object([
        ("corun", Value::from(1)),
        ("gpu", gpu.name.as_str().into()),
        ("kernels", Value::array([kernel])),
        ("scale", scale.into()),
        ("alone", false.into()),
        ("stop", Value::object([("settled", Value::from(0.02)), ("at_most", cycles.into())])),
    ]);
    let axis = Value::object([("path", Value::from("policy")), ("values", Value::array(numbers.into_iter().map(policy)))]);
    let body = Value::object([("name", Value::from(format!("{kernel} over SMs"))), ("base", base), ("axes", Value::array([axis]))]);
    Sweep::decode(&Value::object([("corun", Value::from(1)), ("sweep", body)]))
}

impl Curve {
    /// The curve that the points of `sms` make, each as the line of a sweep's results.
    pub fn of(kernel: &str, gpu: &str, lines: &[Value]) -> Result<Curve, Problems> {
        let sms = |line: &Value| {
            let decided = line.get("result")?.get("policy")?.get("decisions")?.items().first()?;
            Some(decided.get("values")?.get("sms")?.as_int()? as u32)
        };
        let ipc = |line: &Value| lookup(line.get("result")?, "gpu.ipc");
        let known: Vec<(u32, Option<f64>)> = lines.iter().filter_map(|line| Some((sms(line)?, ipc(line)))).collect();
        let Some(&(all, of_all)) = known.last() else {
            let mut problems = Problems::default();
            problems.add("(results)", "no points", "a run on all SMs");
            return Err(problems);
        };
        let points = known.into_iter().map(|(sms, ipc)| {
            let speed = ipc.zip(of_all).filter(|(_, all)| *all > 0.0).map(|(ipc, all)| ipc / all);
            OnSms { sms, ipc, speed, by_share: speed.map(|speed| speed * f64::from(all) / f64::from(sms)) }
        });
        Ok(Curve { kernel: kernel.into(), gpu: gpu.into(), points: points.collect() })
    }

    /// The curve beside the line of a kernel that needs all SMs alike.
    pub fn figure(&self) -> Figure {
        let label = |label: &str| Label { label: label.to_string(), unit: String::new() };
        let point = |series: usize, sms: u32, value: Option<f64>| Point {
            series,
            x: f64::from(sms),
            value,
            ci95: None,
            paper: None,
            runs: Vec::new(),
            baseline: Vec::new(),
            measure: None,
        };
        let all = self.points.last().map_or(1, |point| point.sms);
        let ends = [0, all].map(|sms| point(1, sms, Some(f64::from(sms) / f64::from(all))));
        Figure {
            id: "curve".into(),
            title: format!("{} alone on {}", self.kernel, self.gpu),
            source: String::new(),
            kind: Kind::Lines,
            x: label("SMs"),
            y: label("Speed, of all SMs"),
            series: [self.kernel.as_str(), "in proportion"].map(String::from).to_vec(),
            categories: Vec::new(),
            measure: Measure { path: "gpu.ipc".into(), reduce: Reduce::Given },
            points: self.points.iter().map(|on| point(0, on.sms, on.speed)).chain(ends).collect(),
            differs: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::gpu::presets;

    /// About as many numbers of SMs on any GPU, the first and the last among them, of a part those of the part.
    #[test]
    fn a_curve_goes_from_one_sm_to_all() {
        let numbers = |gpu: &str, scale: &str| {
            let sweep = sms("ccbp/BP", &presets::find(gpu).unwrap(), scale, 1000).unwrap();
            let split = |at: usize| sweep.point(at).unwrap().experiment.policy.ints("split")[0];
            (0..sweep.points()).map(split).collect::<Vec<_>>()
        };
        assert_eq!(numbers("tiny-2sm", "1"), [1, 2]);
        assert_eq!(numbers("ccbp-16sm", "1"), (1..=16).collect::<Vec<_>>());
        assert_eq!(numbers("a100-40gb", "1")[..5], [1, 2, 7, 14, 21]);
        let quarter = numbers("h100-sxm5", "1/4");
        assert_eq!((quarter[0], quarter.last(), quarter.len()), (1, Some(&33), 18));
        let unknown = sms("nosuch", &presets::find("tiny-2sm").unwrap(), "1", 1000).unwrap_err();
        assert_eq!(unknown.0[0].path, "sweep.base.kernels[0]");
    }

    /// What arithmetic alone holds back grows with its SMs; what DRAM holds back is flat from a few SMs on.
    #[test]
    fn speed_is_by_all_sms_and_by_share() {
        let line = |sms: i64, ipc: f64| {
            let values = Value::object([("values", Value::object([("sms", sms)]))]);
            let policy = Value::object([("decisions", Value::array([values]))]);
            Value::object([("result", Value::object([("policy", policy), ("gpu", Value::object([("ipc", ipc)]))]))])
        };
        let curve = Curve::of("K", "G", &[line(1, 20.0), line(2, 36.0), line(4, 40.0)]).unwrap();
        let shown: Vec<_> = curve.points.iter().map(|point| (point.sms, point.speed.unwrap(), point.by_share.unwrap())).collect();
        assert_eq!(shown, [(1, 0.5, 2.0), (2, 0.9, 1.8), (4, 1.0, 1.0)]);
        let drawn = crate::study::figure::draw(&curve.figure(), Default::default());
        assert!(drawn.contains("K alone on G") && drawn.contains("in proportion"), "{drawn}");
        assert!(Curve::of("K", "G", &[]).is_err());
    }
}
