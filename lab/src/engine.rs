//! What tells results of one engine from those of another: the files that keep results carry it.

use crate::failure::problem;
use sim_core::describe::digest::{Fnv, hex};
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::policy;
use sim_core::policy::spec::{COMBINATIONS, Param, PolicyInfo};
use sim_core::run::experiment::Experiment;
use sim_core::run::result::ENGINE;
use sim_core::study::profile;
use std::hash::Hasher;
use std::sync::OnceLock;

/// A digest of what the machine and every policy without needed parameters do in a short run, and of the engine's stamp, which stands for longer ones:
/// equal for two engines that behave alike.
pub fn behaviour() -> Result<String, Problems> {
    static KNOWN: OnceLock<Option<String>> = OnceLock::new();
    let known = KNOWN.get_or_init(digest).clone();
    known.ok_or_else(|| problem("(engine)", "an experiment that does not run", "one that does"))
}

fn digest() -> Option<String> {
    let mut digest = Fnv::default();
    digest.write(ENGINE.as_bytes());
    // A policy that only makes sense on another's CTAs runs in the combination that has a name.
    let combined = |info: &PolicyInfo| COMBINATIONS.iter().find(|combination| combination.of.last().is_some_and(|of| of.name == info.name));
    for info in policy::all() {
        let (name, params): (&str, Vec<&Param>) =
            combined(info).map_or((info.name, info.params.iter().collect()), |of| (of.name, of.params().collect()));
        let has = |name: &str| params.iter().any(|param| param.name == name);
        let mut policy = vec![("name", Value::from(name))];
        policy.extend(has("profile_cycles").then(|| ("profile_cycles", 1000.into())));
        policy.extend(has("time_scale").then(|| ("time_scale", 0.02.into())));
        let value = Value::object([
            ("corun", Value::from(1)),
            ("gpu", "tiny-2sm".into()),
            ("kernels", Value::array(["ccbp/BP", "ccbp/CFD"])),
            ("policy", Value::object(policy)),
            ("stop", Value::object([("cycles", 10_000)])),
        ]);
        if let Ok(experiment) = Experiment::decode(&value) {
            let mut simulation = profile::start(&experiment).ok()?;
            simulation.advance(u64::MAX);
            digest.write_u64(simulation.digest());
        }
    }
    Some(hex(digest.finish()))
}
