//! `corun profiles`: what the library's kernels do alone, as the page brings it along.

use crate::store::Kept;
use clap::Args;
use corun_lab::{Failure, native, output, workers};
use sim_core::describe::error::Problems;
use sim_core::describe::gpu::presets::PRESETS;
use sim_core::describe::kernel::library;
use sim_core::describe::value::Value;
use sim_core::interface::observation::Alone;
use sim_core::policy::spec::POLICIES;
use sim_core::run::experiment::Experiment;
use sim_core::run::plan::{self, Plan, Planned};
use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::num::NonZero;

/// Arguments of `corun profiles`.
#[derive(Args, Debug)]
#[command(after_help = "\
Plans every run alone that a mix of the library's kernels needs under any policy with its defaults and seed 1, runs each once, and prints the \
answers as JSON, by the hash of their experiments: `cargo xtask profiles` puts them into the page. Where a kernel's time goes is said of the runs \
that results compare with, and left out of those that only policies ask for.

Exit status: 0 done, 2 bad usage or input, 130 told to stop.")]
pub struct Profiles {
    /// Only on this GPU; may be repeated. Of "NAME,1/4" it is that part of it, and what results compare with alone
    #[arg(long, value_name = "NAME")]
    gpu: Vec<String>,
    /// Also for experiments that run so many cycles; may be repeated
    #[arg(long, value_name = "N")]
    cycles: Vec<u64>,
    /// Runs at a time; as many as there are cores if left out
    #[arg(long)]
    jobs: Option<NonZero<u16>>,
    #[command(flatten)]
    kept: Kept,
}

impl Profiles {
    pub fn execute(self) -> Result<(), Failure> {
        let gpus = if self.gpu.is_empty() { PRESETS.iter().map(|preset| preset.name.to_owned()).collect() } else { self.gpu };
        let (runs, compared) = planned(&gpus, &self.cycles)?;
        let known = native::profiles(runs.values(), self.kept.open()?.as_ref(), workers::jobs(self.jobs), None)?;
        let known =
            known.ok_or_else(|| Failure::Interrupted("before all was measured; what is done is kept, but with --no-store".into()))?;
        let said = |(hash, alone): (&String, &Alone)| {
            let breakdown = alone.breakdown.filter(|_| compared.contains(hash));
            (hash.clone(), plan::encode(&Alone { breakdown, ..*alone }))
        };
        output::print_json(&Value::object(known.iter().map(said)))
    }
}

/// Every run alone that a kernel of the library may need on these GPUs, by hash, and those that results compare with.
fn planned(gpus: &[String], cycles: &[u64]) -> Result<(BTreeMap<String, Planned>, BTreeSet<String>), Problems> {
    let (mut runs, mut compared) = (BTreeMap::new(), BTreeSet::new());
    let stops = iter::once(None).chain(cycles.iter().map(|cycles| Some(("stop", Value::object([("cycles", *cycles)])))));
    let stops: Vec<_> = stops.collect();
    for gpu in gpus {
        let (name, part) = gpu.split_once(',').map_or((gpu.as_str(), None), |(name, part)| (name, Some(("scale", Value::from(part)))));
        let policies = if part.is_some() { &POLICIES[..1] } else { POLICIES };
        // Whole programs of many launches are no part of a mix that a policy wants to know of beforehand.
        for kernel in library::names().into_iter().filter(|name| !name.starts_with("ikra/")) {
            for (policy, stop) in policies.iter().flat_map(|policy| stops.iter().map(move |stop| (policy, stop))) {
                let written =
                    [("corun", Value::from(1)), ("gpu", name.into()), ("kernels", Value::array([kernel])), ("policy", policy.name.into())];
                match Experiment::decode(&Value::object(written.into_iter().chain(part.clone()).chain(stop.clone()))) {
                    Ok(experiment) => {
                        let plan = Plan::of(&experiment);
                        compared.extend(plan.alone.iter().map(|run| run.hash.clone()));
                        runs.extend(plan.runs().map(|run| (run.hash.clone(), run.clone())));
                    }
                    // A policy that cannot be without a parameter has no defaults, and a kernel whose CTA fits no SM runs nowhere; what else is
                    // wrong is wrong.
                    Err(problems) if problems.0.iter().any(|problem| !is_of_the_pair(&problem.path)) => return Err(problems),
                    Err(_) => {}
                }
            }
        }
    }
    Ok((runs, compared))
}

/// Whether a problem there is one of this policy, or of this kernel on this GPU.
fn is_of_the_pair(path: &str) -> bool {
    path.starts_with("policy") || path.starts_with("kernels") || path == "scale"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a mix needs is what its kernels need: the page looks its runs up by the same hashes.
    #[test]
    fn the_runs_of_any_mix_are_among_them() {
        let (runs, compared) = planned(&["tiny-2sm".to_owned()], &[500_000]).unwrap();
        for policy in ["even", "ws", "smk", "ccbp"] {
            for stop in [1_000_000, 500_000] {
                let written = Value::object([
                    ("corun", Value::from(1)),
                    ("gpu", "tiny-2sm".into()),
                    ("kernels", Value::array(["ccbp/BP", "ccbp/SAD", "ccbp/CFD"])),
                    ("policy", policy.into()),
                    ("stop", Value::object([("cycles", stop)])),
                ]);
                let plan = Plan::of(&Experiment::decode(&written).unwrap());
                assert_eq!(plan.alone.len(), 3);
                assert!(plan.runs().all(|run| runs.contains_key(&run.hash)), "{policy}");
                assert!(plan.alone.iter().all(|run| compared.contains(&run.hash)), "{policy}");
            }
        }
        let problems = planned(&["no-gpu".to_owned()], &[]).unwrap_err();
        assert_eq!(problems.0[0].path, "gpu");
    }
}
