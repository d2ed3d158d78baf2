//! An experiment at a part of its size: what cannot be scaled is refused, and the rest is.

use super::KernelUse;
use crate::describe::error::Problems;
use crate::describe::goal::Goal;
use crate::describe::gpu::Gpu;
use crate::describe::path::{element, field};
use crate::describe::scale::Scale;
use crate::machine::dispatch::order::CtaOrderSpec;
use crate::policy::PolicySpec;
use crate::policy::spec::Setting;
use alloc::format;
use alloc::string::ToString;
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
pub fn check(scale: Scale, gpu: &Gpu, policy: &PolicySpec, order: &CtaOrderSpec, problems: &mut Problems) {
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
                Setting::Numbers(shares) if param.unit == "%" => match uneven(scale, shares, gpu.sm_count()) {
                    Some((share, sms)) => {
                        (format!("{share} %, which is {sms} of {} SMs", gpu.sm_count()), "percentages of which the scale divides the SMs")
                    }
                    None => continue,
                },
                Setting::Choice(choice) => match SM_BY_SM.iter().find(|of| of[..3] == [member.info().name, param.name, choice]) {
                    Some([.., does, want]) => (format!("{choice}, {does}"), *want),
                    None => continue,
                },
                _ if PARTS_OF_GPU.contains(&param.unit) => (format!("{} of the whole GPU", param.unit), "nothing"),
                _ => continue,
            };
            problems.add(field(&path, param.name), format!("{found}, with scale {scale}"), format!("{want}, or no scale"));
        }
    }
}

/// The first of some shares of the SMs of which there is no such part, and its SMs.
fn uneven(scale: Scale, shares: &[f64], sms: u32) -> Option<(f64, u32)> {
    let of = |share: f64| ((f64::from(sms) * share / 100.0) as u32).max(1);
    shares.iter().map(|&share| (share, of(share))).find(|(_, sms)| !scale.divides(*sms))
}

/// The policy with the rates of the whole GPU that it was given as rates of the part.
pub fn policy(scale: Scale, policy: PolicySpec) -> PolicySpec {
    let mut scaled = policy.clone();
    for member in policy.members() {
        for param in member.info().params.iter().filter(|param| RATES_OF_GPU.contains(&param.unit)) {
            let of_each = |rates: &[f64]| rates.iter().map(|&rate| scale.of_rate(rate)).collect::<Vec<_>>();
            let rates = match member.get(param.name) {
                Setting::Number(rate) => Setting::Number(scale.of_rate(*rate)),
                Setting::Numbers(rates) => Setting::Numbers(of_each(rates)),
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
            *ipc = scale.of_rate(*ipc);
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
                r#""policy": {"name": "spatial", "split": [54, 54]}"#,
                "policy.split: found SMs of the whole GPU, with scale 1/4, want nothing, or no scale",
            ),
            (
                r#""policy": {"name": "spatial", "channels": [20, 20]}"#,
                "policy.channels: found DRAM channels of the whole GPU, with scale 1/4, want nothing, or no scale",
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
                r#""policy": {"name": "mps", "percentage": [50, 50]}"#,
                "policy.percentage: found 50 %, which is 54 of 108 SMs, with scale 1/4, want percentages of which the scale divides the SMs, or no scale",
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
        assert!(scaled(&format!(r#"{PAIR}, "policy": {{"name": "mps", "percentage": [75, 75]}}"#)).is_err());
        assert!(scaled(&format!(r#"{PAIR}, "policy": {{"name": "mps", "percentage": [26, 75]}}"#)).is_err());
        assert!(scaled(&format!(r#"{PAIR}, "policy": {{"name": "mps", "percentage": [26, 26]}}"#)).is_ok());
    }
}
