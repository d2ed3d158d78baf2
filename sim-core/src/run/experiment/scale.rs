//! An experiment at a part of its size: what cannot be scaled is refused, and the rest is. SMs and DRAM channels that a policy gives are rounded down,
//! so that kernels with equal parts keep equal ones; `rounding` says where.

use super::KernelUse;
use crate::describe::error::Problems;
use crate::describe::goal::{Goal, LEAST_RATE};
use crate::describe::gpu::{Gpu, vendor};
use crate::describe::path::{element, field};
use crate::describe::scale::Scale;
use crate::machine::dispatch::order::CtaOrderSpec;
use crate::policy::PolicySpec;
use crate::policy::spec::Setting;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Units of parts of a GPU, which a parameter names or counts.
const PARTS_OF_GPU: [&str; 3] = ["SM", "SMs", "DRAM channels"];

/// Choices of parameters by which a policy goes SM by SM, so that it learns something else on fewer: the policy, its parameter and the choice,
/// what it does then, and what is wanted.
const SM_BY_SM: [[&str; 5]; 2] = [
    ["ws", "curves_from", "online", "which gives each SM another number of CTAs", "curves measured alone"],
    ["spart", "rule", "climb", "which moves one SM at a time, more of a part than of the whole", "linear"],
];

/// Units of rates of a whole GPU.
const RATES_OF_GPU: [&str; 2] = ["thread instructions per cycle", "warp instructions per cycle"];

/// Adds what of an experiment means SMs by their numbers, or counts parts of the whole GPU.
pub fn check(scale: Scale, policy: &PolicySpec, order: &CtaOrderSpec, problems: &mut Problems) {
    if scale.is_whole() {
        return;
    }
    if *order != CtaOrderSpec::default() {
        let found = format!("{} with scale {scale}: it goes by the numbers of SMs", order.name());
        problems.add("cta_order", found, format!("{}, or no scale", CtaOrderSpec::default().name()));
    }
    for (path, member) in policy.placed("policy") {
        let said = member.info().params.iter().filter(|param| !param.is_constant());
        for (param, setting) in said.map(|param| (param, member.get(param.name))) {
            let (found, want) = match setting {
                Setting::Unset => continue,
                Setting::Controls(_) => ("controls of SMs by their numbers".to_string(), "nothing"),
                Setting::Text(_) => ("a program, which may name SMs".into(), "nothing"),
                Setting::Choice(choice) => match SM_BY_SM.iter().find(|of| of[..3] == [member.info().name, param.name, choice]) {
                    Some([.., does, want]) => (format!("{choice}, {does}"), *want),
                    None => continue,
                },
                Setting::Ints(counts) if PARTS_OF_GPU.contains(&param.unit) && param.unit != "SM" => {
                    let Some(at) = counts.iter().position(|&count| count > 0 && scale.of_count(count) == 0) else { continue };
                    let path = element(&field(&path, param.name), at);
                    let (found, want) = (format!("{} {}, with scale {scale} none", counts[at], param.unit), scale.of_rate(1.0).recip());
                    problems.add(path, found, format!("at least {want}, or no scale"));
                    continue;
                }
                Setting::Numbers(rates) if RATES_OF_GPU.contains(&param.unit) => {
                    for (at, rate) in rates.iter().enumerate() {
                        rate_of_part(scale, *rate, &element(&field(&path, param.name), at), problems);
                    }
                    continue;
                }
                _ => continue,
            };
            problems.add(field(&path, param.name), format!("{found}, with scale {scale}"), format!("{want}, or no scale"));
        }
    }
}

/// A rate of the whole GPU on the part; where that is less than any may be, a problem, for the part written out says it.
fn rate_of_part(scale: Scale, rate: f64, path: &str, problems: &mut Problems) -> f64 {
    let part = scale.of_rate(rate);
    if part < LEAST_RATE {
        problems.add(
            path,
            format!("{rate}, with scale {scale} {part}"),
            format!("at least {}, or no scale", LEAST_RATE / scale.of_rate(1.0)),
        );
    }
    part
}

/// What of a policy's shares is rounded: the share of each kernel that would not be whole on the part, and what it is.
pub fn rounding(scale: Scale, gpu: &Gpu, policy: &PolicySpec, problems: &mut Problems) {
    let sms = f64::from(gpu.sm_count());
    for (path, member) in policy.placed("policy") {
        for param in member.info().params {
            // Of the whole GPU, in which unit, and what it is called.
            let shares: Vec<(f64, &str, String)> = match member.get(param.name) {
                Setting::Ints(counts) if PARTS_OF_GPU.contains(&param.unit) => {
                    counts.iter().map(|&count| (f64::from(count), param.unit, format!("{count} {}", param.unit))).collect()
                }
                Setting::Numbers(shares) if param.unit == "%" => {
                    shares.iter().map(|share| (sms * share / 100.0, "SMs", format!("{share} %"))).collect()
                }
                Setting::Texts(names) => {
                    let profile = |name: &String| Some(f64::from(vendor::of(gpu)?.profile(name)?.sms));
                    names.iter().filter_map(|name| Some((profile(name)?, "SMs", name.clone()))).collect()
                }
                _ => continue,
            };
            for (at, (whole, unit, said)) in shares.into_iter().enumerate() {
                let part = scale.of_rate(whole);
                if part > 1.0 && part - libm::floor(part) > 1e-9 {
                    let found = format!("{said}, with scale {scale} {} {unit}", libm::round(100.0 * part) / 100.0);
                    problems.add(element(&field(&path, param.name), at), found, format!("{}: it is rounded down", part as u32));
                }
            }
        }
    }
}

/// The policy with what it was given of the whole GPU as that of the part: rates, and SMs and DRAM channels.
pub fn policy(scale: Scale, policy: PolicySpec) -> PolicySpec {
    let mut scaled = policy.clone();
    for member in policy.members() {
        for param in member.info().params.iter().filter(|param| RATES_OF_GPU.contains(&param.unit) || PARTS_OF_GPU.contains(&param.unit)) {
            let of_each = |rates: &[f64]| rates.iter().map(|&rate| scale.of_rate(rate)).collect::<Vec<_>>();
            let rates = match member.get(param.name) {
                Setting::Number(rate) => Setting::Number(scale.of_rate(*rate)),
                Setting::Numbers(rates) => Setting::Numbers(of_each(rates)),
                Setting::Ints(counts) => Setting::Ints(counts.iter().map(|&count| scale.of_count(count)).collect()),
                Setting::Lists(lists) => Setting::Lists(lists.iter().map(|rates| of_each(rates)).collect()),
                _ => continue,
            };
            scaled = scaled.with(param.name, rates);
        }
    }
    scaled
}

/// Scales the GPUs, the kernels and the rates that they are promised.
pub fn apply(scale: Scale, gpu: &mut Gpu, alone_gpu: Option<&mut Gpu>, kernels: &mut [KernelUse], problems: &mut Problems) {
    for (i, used) in kernels.iter_mut().enumerate() {
        scale.kernel(&mut used.kernel, gpu.sms[0].l1.bytes, &element("kernels", i), problems);
        if let Some(Goal::Ipc(ipc)) = &mut used.qos {
            *ipc = rate_of_part(scale, *ipc, &field(&element("kernels", i), "qos.ipc"), problems);
        }
    }
    scale.gpu(gpu, "gpu", problems);
    if let Some(gpu) = alone_gpu {
        scale.gpu(gpu, "alone_gpu", problems);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Experiment;
    use crate::describe::value::Value;

    fn read(fields: &str) -> Result<Experiment, Problems> {
        Experiment::from_json(&format!(r#"{{"corun": 1, "gpu": "a100-40gb", {fields}}}"#))
    }

    const PAIR: &str = r#""kernels": ["qos/STENCIL", "qos/MRIQ"]"#;

    fn scaled(fields: &str) -> Result<Experiment, Problems> {
        read(&format!(r#"{fields}, "scale": "1/4""#))
    }

    /// The canonical form is the part written out: it reads back to an equal experiment, at no scale.
    #[test]
    fn a_scaled_experiment_is_the_part_written_out() {
        let part = scaled(PAIR).unwrap();
        assert_eq!((part.gpu.sm_count(), part.gpu.l2.banks, part.gpu.dram.channels), (27, 20, 10));
        assert_eq!(part.kernels[0].kernel.launches[0].ctas(), 256);
        assert!(part.encode().get("scale").is_none());
        assert_eq!(Experiment::decode(&part.encode()), Ok(part.clone()));
        assert_eq!(part.alone(crate::KernelId(0)).gpu, part.gpu);
    }

    #[test]
    fn the_whole_is_what_it_was() {
        let (plain, one) = (read(PAIR).unwrap(), read(&format!(r#"{PAIR}, "scale": "1""#)).unwrap());
        assert_eq!((plain.encode(), plain.config_hash()), (one.encode(), one.config_hash()));
        assert_ne!(scaled(PAIR).unwrap().config_hash(), plain.config_hash());
    }

    /// A share of the IPC alone is one of the part's, an IPC is the GPU's and shrinks, and a deadline is that of a smaller run.
    #[test]
    fn goals_are_of_the_part() {
        let goal = |qos: &str| {
            let mix = format!(r#""policy": "qos-rollover", "kernels": [{{"kernel": "qos/STENCIL", "qos": {qos}}}, "qos/MRIQ"]"#);
            let rate = |experiment: Experiment| match experiment.goals()[0] {
                Some(Goal::Ipc(rate) | Goal::OfAlone(rate)) => rate,
                _ => panic!("a rate"),
            };
            rate(scaled(&mix).unwrap()) / rate(read(&mix).unwrap())
        };
        assert_eq!(["0.5", r#"{"ipc": 800}"#, r#"{"deadline_ms": 100}"#].map(goal), [1.0, 0.25, 0.25]);
    }

    /// Rates that a policy is given are those of the whole, also where it gives them to itself.
    #[test]
    fn rates_of_the_whole_become_rates_of_the_part() {
        let part = scaled(&format!(r#""policy": {{"name": "qos-rollover", "ipc_alone": [1000, 2000]}}, {PAIR}"#)).unwrap();
        let member = &part.policy.members()[0];
        assert_eq!((member.numbers("ipc_alone"), member.number("first_ipc")), (&[250.0, 500.0][..], 0.25));
        let part = scaled(&format!(r#""policy": {{"name": "ws", "curves": [[10, 20], [4, 8]]}}, {PAIR}"#)).unwrap();
        assert_eq!(part.policy.members()[0].lists("curves"), [[2.5, 5.0], [1.0, 2.0]]);
    }

    #[test]
    fn what_cannot_be_scaled_is_refused_by_name() {
        let said = |fields: &str| scaled(fields).unwrap_err().0[0].to_string();
        for (more, problem) in [
            (
                r#""cta_order": "chunk""#,
                "cta_order: found chunk with scale 1/4: it goes by the numbers of SMs, want round-robin, or no scale",
            ),
            (
                r#""policy": {"name": "spatial", "split": [105, 3]}"#,
                "policy.split[1]: found 3 SMs, with scale 1/4 none, want at least 4, or no scale",
            ),
            (
                r#""policy": {"name": "spatial", "channels": [2, 38]}"#,
                "policy.channels[0]: found 2 DRAM channels, with scale 1/4 none, want at least 4, or no scale",
            ),
            (
                r#""policy": {"name": "ws", "curves_from": "online"}"#,
                "policy.curves_from: found online, which gives each SM another number of CTAs, with scale 1/4, want curves measured alone, or no scale",
            ),
            (
                r#""policy": "spart""#,
                "policy.rule: found climb, which moves one SM at a time, more of a part than of the whole, with scale 1/4, want linear, or no scale",
            ),
            (
                r#""policy": ["even", {"name": "manual", "controls": {"dram_rank": [0, 1]}}]"#,
                "policy[1].controls: found controls of SMs by their numbers, with scale 1/4, want nothing, or no scale",
            ),
            (
                r#""gpu": "ikra-15cu""#,
                "scale: found 1/4 of gpu, ikra-15cu, with a mesh, in which distances grow with the SMs, want no scale where noc.kind is \"mesh\"",
            ),
            (
                r#""alone_gpu": "tiny-2sm""#,
                "scale: found 1/4 of alone_gpu: 2 SMs, 2 L2 banks and 2 DRAM channels, want 1 or 1/2, which divides all of them",
            ),
        ] {
            let gpu = if more.contains("gpu\"") && !more.contains("alone") { "" } else { r#""gpu": "a100-40gb", "# };
            let text = format!(r#"{{"corun": 1, {gpu}{PAIR}, "scale": "1/4", {more}}}"#);
            let problems = Experiment::from_json(&text).unwrap_err();
            assert_eq!(problems.0[0].to_string(), problem);
            assert_eq!(problems.0[0].rule, Some("scales"));
        }
        assert!(said(r#""kernels": ["ikra/LUD"]"#).contains("whose grid changes from repeat to repeat"));
    }

    /// Who takes a quarter of a GPU that is shared half and half gets two equal halves of the quarter, and hears what was rounded.
    #[test]
    fn shares_are_rounded_down_and_said() {
        let gpu = |gpu: &str, policy: &str| {
            Value::from_json(&format!(r#"{{"corun": 1, "gpu": "{gpu}", {PAIR}, "scale": "1/4", "policy": {policy}}}"#))
        };
        let said = |on: &str, policy: &str| {
            let value = gpu(on, policy).unwrap();
            let experiment = Experiment::decode(&value).unwrap();
            assert_eq!(Experiment::decode(&experiment.encode()), Ok(experiment.clone()), "{policy}");
            assert!(Experiment::rounding(&experiment.encode()).0.is_empty(), "the part is what it says");
            let mut run = crate::Simulation::new(&experiment).unwrap();
            run.advance(1);
            let sms = |kernel: usize| run.machine().controls().sms.iter().filter(|sm| sm.allowed.0[kernel]).count();
            let channels = run.machine().controls().channels.0[0];
            ([sms(0), sms(1)], channels, Experiment::rounding(&value).to_string().trim().lines().map(String::from).collect::<Vec<_>>())
        };
        let (sms, _, notes) = said("h100", r#"{"name": "mps", "percentage": 50}"#);
        assert_eq!(sms, [16, 16]);
        assert_eq!(notes[0], "policy.percentage[0]: found 50 %, with scale 1/4 16.5 SMs, want 16: it is rounded down");
        let (sms, _, notes) = said("h100", r#"{"name": "spatial", "split": [66, 66]}"#);
        assert_eq!((sms, notes.len()), ([16, 16], 2));
        assert_eq!(notes[1], "policy.split[1]: found 66 SMs, with scale 1/4 16.5 SMs, want 16: it is rounded down");
        let (sms, channels, notes) = said("a100", r#"{"name": "mig", "profiles": ["3g.20gb", "4g.20gb"]}"#);
        assert_eq!((sms, channels), ([10, 14], 5));
        assert_eq!(notes, ["policy.profiles[0]: found 3g.20gb, with scale 1/4 10.5 SMs, want 10: it is rounded down"]);
        let (sms, _, notes) = said("h100", r#"{"name": "green-context", "sms": [64, 40]}"#);
        assert_eq!((sms, notes), ([16, 10], Vec::new()));
        let (sms, channels, notes) = said("a100", r#"{"name": "spatial", "split": [40, 60], "first": [4, 44], "channels": [20, 20]}"#);
        assert_eq!((sms, channels, notes), ([10, 15], 5, Vec::new()));
    }
}
