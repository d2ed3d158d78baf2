//! Whether a policy from outside the core has a name wherever those of the catalogue have one. A program registers once: this is one of its own.

use sim_core::policy::spec::Param;
use sim_core::{Controls, Experiment, KernelId, Log, Observation, OwnPolicy, POLICIES, Policy, PolicyInfo, Simulation, Sweep, Value};

/// Every kernel may hold so many CTAs on an SM.
#[derive(Clone, Debug)]
struct AtMost(u16);

impl Policy for AtMost {
    fn start(&mut self, seen: &Observation, controls: &mut Controls, _: &mut Log) {
        KernelId::first(seen.kernels).for_each(|kernel| controls.each_sm(|sm| sm.cta_target[kernel] = self.0));
    }
}

const PARAMS: &[Param] = &[Param::int("ctas", (1, 32), 2, "CTAs", "CTAs of each kernel on an SM")];

const fn named(name: &'static str) -> OwnPolicy {
    OwnPolicy {
        info: PolicyInfo {
            name,
            title: "At most so many CTAs",
            source: "tests/registered.rs",
            doc: "Every kernel may hold so many CTAs on an SM",
            params: PARAMS,
            topics: &[],
            check: PolicyInfo::NO_CHECK,
        },
        new: |member| Box::new(AtMost(member.int("ctas") as u16)),
    }
}

fn experiment(policy: &str) -> Result<Experiment, String> {
    let text = format!(
        r#"{{"corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": {policy}, "alone": false, "stop": {{"cycles": 5000}}}}"#
    );
    Experiment::from_json(&text).map_err(|problems| problems.to_string())
}

fn ended(mut run: Simulation) -> (u64, String) {
    run.advance(u64::MAX);
    (run.digest(), run.policy_name().to_owned())
}

#[test]
fn a_registered_policy_is_chosen_by_its_name_as_any_other() {
    assert!(experiment(r#""at-most""#).is_err(), "before it is registered");
    for wrong in ["even", "at-most+even"] {
        assert!(sim_core::register([named(wrong)]).unwrap_err().to_string().contains(wrong));
    }
    sim_core::register([named("at-most")]).unwrap();
    assert!(sim_core::register([named("other")]).is_err(), "once");

    // It has its parameters, with their defaults, in the hash and when it is read back.
    let [two, three] = [r#""at-most""#, r#"{"name": "at-most", "ctas": 3}"#].map(|policy| experiment(policy).unwrap());
    assert_ne!(two.config_hash(), three.config_hash());
    assert_eq!(Experiment::decode(&three.encode()).as_ref(), Ok(&three));
    assert!(experiment(r#"{"name": "at-most", "ctas": 33}"#).unwrap_err().contains("policy.ctas"));
    assert!(experiment(r#"["at-most", "tcm"]"#).is_ok(), "beside another");
    assert!(experiment(r#""no-such""#).unwrap_err().contains("at-most"), "it is offered");

    // It does what it does when it is handed to the run.
    for (of, ctas) in [(&two, 2), (&three, 3)] {
        let by_name = ended(Simulation::new(of).unwrap());
        let handed = ended(Simulation::with_policy(of, Box::new(AtMost(ctas))).unwrap());
        assert_eq!((by_name.0, by_name.1.as_str()), (handed.0, "at-most"));
    }

    // Sweeps have it, and so has the catalogue, from which a page makes its menus.
    let sweep = r#"{"corun": 1, "sweep": {"base": {"corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/CFD"]},
        "axes": [{"path": "policy", "values": ["even", "at-most"]}]}}"#;
    let sweep = Sweep::decode(&Value::from_json(sweep).unwrap()).unwrap();
    assert_eq!(sweep.point(1).unwrap().experiment.policy.name(), "at-most");
    let catalogue = sim_core::catalogue(&[], &[]);
    let policies = catalogue.get("policies").unwrap().items();
    let listed = policies.iter().find(|policy| policy.get("name").and_then(Value::as_str) == Some("at-most")).unwrap();
    assert_eq!(listed.get("params").unwrap().items().len(), 1);
    assert!(policies.len() > POLICIES.len());
}
