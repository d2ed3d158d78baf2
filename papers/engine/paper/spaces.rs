//! What searches try: ways to share a GPU, each a policy, of which the best run counts. An oracle of `sim_core::study::oracle`, or ways to
//! hand out whole SMs.

use sim_core::describe::error::Problems;
use sim_core::describe::ids::KernelId;
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::study::oracle;

/// A space of policies for a mix.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Space {
    /// CTAs of all kernels on every SM.
    Combinations,
    /// CTAs of each kernel on its part of the SMs.
    Spatial,
    /// Two kernels: two SMs for one and all others for the other, four, …
    Splits,
    /// Two kernels: a quarter, half or three quarters of the SMs for one, with each number of them from the first class.
    Groups,
}

impl Space {
    /// All, each with its name in study.toml.
    pub const ALL: [(&'static str, Space); 4] =
        [("combinations", Space::Combinations), ("spatial", Space::Spatial), ("splits", Space::Splits), ("groups", Space::Groups)];

    /// By its name.
    pub fn named(name: &str) -> Option<Space> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, space)| space)
    }

    /// Its policies for the mix of an experiment, whose own policy does not matter.
    pub fn policies(self, experiment: &Experiment) -> Result<Vec<Value>, Problems> {
        let of = |space| Ok(oracle::sweep(experiment, space)?.axes()[0].paths[0].1.clone());
        match self {
            Space::Combinations => of(oracle::Space::Combinations),
            Space::Spatial => of(oracle::Space::Spatial),
            Space::Splits => two(experiment, splits(experiment)),
            Space::Groups => two(experiment, groups(experiment)),
        }
    }
}

fn two(experiment: &Experiment, policies: Vec<Value>) -> Result<Vec<Value>, Problems> {
    let mut problems = Problems::default();
    if experiment.kernels.len() != 2 || policies.is_empty() {
        let found = format!("{} kernels on {} SMs", experiment.kernels.len(), experiment.gpu.sm_count());
        problems.add("kernels", found, "two kernels, and four SMs or more that each fits");
    }
    problems.or(policies)
}

fn splits(experiment: &Experiment) -> Vec<Value> {
    let sms = experiment.gpu.sm_count();
    let policy = |first| Value::object([("name", Value::from("spatial")), ("split", Value::array([first, sms - first]))]);
    (2..sms.saturating_sub(1)).step_by(2).map(policy).collect()
}

/// Those of which each kernel fits an SM of its own.
fn groups(experiment: &Experiment) -> Vec<Value> {
    let sms = experiment.gpu.sm_count();
    let big = experiment.gpu.sms.first().map_or(0, |class| class.count);
    let limits = experiment.cta_limits();
    let mut found = Vec::new();
    for (count, of_first) in (1..4).flat_map(|quarters| (0..=big).map(move |of_first| (sms * quarters / 4, of_first))) {
        if of_first > count || count - of_first > sms - big {
            continue;
        }
        let is_own = |sm: &u32| if *sm < big { *sm < of_first } else { *sm - big < count - of_first };
        let (own, others): (Vec<u32>, Vec<u32>) = (0..sms).partition(is_own);
        let fits = |sms: &[u32], kernel: u8| sms.iter().any(|sm| limits[*sm as usize][KernelId(kernel)] > 0);
        if fits(&own, 0) && fits(&others, 1) {
            let mask = Value::array([Value::array(own), Value::array(others)]);
            found.push(Value::object([("name", Value::from("manual")), ("controls", Value::object([("sm_mask", mask)]))]));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(space: Space, gpu: &str, kernels: &[&str]) -> Result<Vec<Value>, Problems> {
        let kernels = Value::array(kernels.iter().copied());
        let value = Value::object([("corun", Value::from(1)), ("gpu", gpu.into()), ("kernels", kernels)]);
        space.policies(&Experiment::decode(&value).unwrap())
    }

    /// HeteroCore's uneven partitions: 2/14, 4/12, …, 14/2.
    #[test]
    fn splits_are_in_steps_of_two_sms() {
        let splits = of(Space::Splits, "fermi-16sm", &["ccbp/BP", "ccbp/CFD"]).unwrap();
        let all: Vec<String> = splits.iter().map(|policy| policy.get("split").unwrap().to_string()).collect();
        assert_eq!(all, ["[2,14]", "[4,12]", "[6,10]", "[8,8]", "[10,6]", "[12,4]", "[14,2]"]);
        assert!(of(Space::Splits, "fermi-16sm", &["ccbp/BP"]).is_err() && of(Space::Splits, "tiny-2sm", &["ccbp/BP", "ccbp/CFD"]).is_err());
    }

    /// HeteroCore Fig. 10: 4, 8 or 12 SMs for a kernel, with every mix of classes; nothing that is not there, and nothing twice.
    #[test]
    fn groups_are_of_every_mix_of_classes() {
        for (gpu, count) in [("hetero-8b8s", 19), ("hetero-4b12s", 15), ("hetero-12b4s", 15)] {
            let groups = of(Space::Groups, gpu, &["ccbp/BP", "ccbp/CFD"]).unwrap();
            let masks: std::collections::BTreeSet<String> = groups.iter().map(Value::to_string).collect();
            assert_eq!((groups.len(), masks.len()), (count, count), "{gpu}");
            for policy in &groups {
                let Some(Value::Array(masks)) = policy.get("controls").and_then(|controls| controls.get("sm_mask")) else { panic!() };
                let of =
                    |mask: &Value| if let Value::Array(sms) = mask { sms.iter().filter_map(Value::as_int).collect() } else { Vec::new() };
                let (first, second): (Vec<i64>, Vec<i64>) = (of(&masks[0]), of(&masks[1]));
                let mut all = [&first[..], &second[..]].concat();
                all.sort_unstable();
                assert!([4, 8, 12].contains(&first.len()) && all == (0..16).collect::<Vec<_>>(), "{policy}");
                let value = Value::object([
                    ("corun", Value::from(1)),
                    ("gpu", gpu.into()),
                    ("kernels", Value::array(["ccbp/BP", "ccbp/CFD"])),
                    ("policy", policy.clone()),
                ]);
                Experiment::decode(&value).unwrap();
            }
        }
    }
}
