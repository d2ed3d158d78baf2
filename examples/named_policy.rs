//! A sharing scheme of one's own that experiments name: it stands in a sweep beside those of the catalogue, with a parameter.

use sim_core::policy::spec::Param;
use sim_core::{Controls, KernelId, Log, Observation, OwnPolicy, Policy, PolicyInfo, Problems, Sweep, Value};

/// Every kernel may hold so many CTAs on an SM.
#[derive(Clone, Debug)]
struct AtMost(u16);

impl Policy for AtMost {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, _: &mut Log) {
        KernelId::first(seen.kernels).for_each(|kernel| controls.each_sm(|sm| sm.cta_target[kernel] = self.0));
    }
}

const AT_MOST: OwnPolicy = OwnPolicy {
    info: PolicyInfo {
        name: "at-most",
        title: "At most so many CTAs",
        source: "examples/named_policy.rs",
        doc: "Every kernel may hold so many CTAs on an SM",
        params: &[Param::int("ctas", (1, 32), 2, "CTAs", "CTAs of each kernel on an SM")],
        topics: &[],
        check: PolicyInfo::NO_CHECK,
    },
    new: |member| Box::new(AtMost(member.int("ctas") as u16)),
};

fn main() -> Result<(), Problems> {
    sim_core::register([AT_MOST])?;
    let sweep = r#"{"corun": 1, "sweep": {"base": {"corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "stop": {"cycles": 20000}},
        "axes": [{"path": "policy", "values": ["even", "at-most", {"name": "at-most", "ctas": 3}]}]}}"#;
    let sweep = Sweep::decode(&Value::from_json(sweep)?)?;
    for index in 0..sweep.points() {
        let outcome = sim_core::run(&sweep.point(index)?.experiment)?;
        println!("{:<24} HSpeedup {:.3}", outcome.policy.title, outcome.metrics.hspeedup.unwrap_or_default());
    }
    Ok(())
}
