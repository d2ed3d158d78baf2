//! Profiles: what each kernel of an experiment does alone, with as many CTAs as fit or with every smaller number of them, for policies that
//! have to know before they begin (`Policy::needs`).
//!
//! A profile is runs of the same engine on the same GPU, with the seed of the experiment, greedy-then-oldest warps, and kernels that start
//! again when they end. Each starts with empty caches, as the shared run does. So equal experiments have equal profiles, bit for bit.

use crate::describe::error::Problems;
use crate::describe::ids::{Cycle, KernelId};
use crate::policy::PolicySpec;
use crate::run::experiment::{Experiment, Stop};
use crate::run::simulation::Simulation;
use crate::seam::observation::Needs;
use crate::seam::observation::Profile;
use alloc::vec::Vec;

/// Measures what `needs` asks for.
pub fn measure(experiment: &Experiment, needs: Needs) -> Result<Profile, Problems> {
    let mut profile = Profile::default();
    for kernel in KernelId::first(experiment.kernels.len()) {
        let last = match needs {
            Needs::Nothing => return Ok(profile),
            Needs::Alone { cycles } => point(experiment, kernel, None, cycles)?,
            Needs::Curves { cycles } => {
                let points = curve(experiment, kernel, cycles)?;
                profile.curves.push(points.iter().map(|point| point.ipc).collect());
                // The last point has every CTA that fits.
                points.last().copied().unwrap_or_default()
            }
        };
        profile.ipc_alone.push(last.ipc);
        profile.warp_ipc_alone.push(last.warp_ipc);
    }
    Ok(profile)
}

/// What one run alone measures.
#[derive(Clone, Copy, Debug, Default)]
struct Point {
    ipc: f64,
    warp_ipc: f64,
}

/// A kernel alone with 1, 2, … CTAs on every SM, up to what the largest SM can hold.
fn curve(experiment: &Experiment, kernel: KernelId, cycles: Cycle) -> Result<Vec<Point>, Problems> {
    let alone = Simulation::new(&alone(experiment, kernel, None, 1))?;
    let most = alone.cta_limit().iter().map(|limit| limit[KernelId(0)]).max().unwrap_or(0);
    (1..=most).map(|ctas| point(experiment, kernel, Some(ctas), cycles)).collect()
}

/// The run of a kernel alone, with so many CTAs on every SM or with all that fit.
fn alone(experiment: &Experiment, kernel: KernelId, ctas: Option<u32>, cycles: Cycle) -> Experiment {
    let policy = ctas.map_or_else(PolicySpec::leftover, |ctas| PolicySpec::fixed(&[ctas]));
    Experiment { policy, stop: Stop::Cycles(cycles), warm_up: 0, restart: true, ..experiment.alone(kernel) }
}

fn point(experiment: &Experiment, kernel: KernelId, ctas: Option<u32>, cycles: Cycle) -> Result<Point, Problems> {
    let mut run = Simulation::new(&alone(experiment, kernel, ctas, cycles))?;
    run.advance(u64::MAX);
    let done = run.totals()[0];
    let rate = |instructions: u64| instructions as f64 / run.cycle().max(1) as f64;
    Ok(Point { ipc: rate(done.thread_instructions), warp_ipc: rate(done.warp_instructions) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::value::Value;
    use crate::seam::ratios;

    fn experiment() -> Experiment {
        let kernels = Value::array(["CFD", "SAD"]);
        let value = Value::object([("corun", Value::from(1)), ("gpu", "tiny-2sm".into()), ("kernels", kernels), ("policy", "even".into())]);
        Experiment::decode(&value).unwrap()
    }

    /// Could the user have measured the same by hand, with experiments of one kernel?
    #[test]
    fn a_profile_is_what_runs_alone_measure() {
        let experiment = experiment();
        let profile = measure(&experiment, Needs::Curves { cycles: 3000 }).unwrap();
        assert_eq!(profile, measure(&experiment, Needs::Curves { cycles: 3000 }).unwrap());
        let limit = Simulation::new(&experiment).unwrap().cta_limit()[0];
        for kernel in KernelId::first(2) {
            let curve = &profile.curves[kernel.index()];
            assert_eq!(curve.len() as u32, limit[kernel]);
            assert!(curve.iter().all(|&ipc| ipc > 0.0) && curve[0] != curve[1], "{curve:?}");
            let by_hand = Experiment { stop: Stop::Cycles(3000), ..experiment.alone(kernel) };
            let mut run = Simulation::new(&by_hand).unwrap();
            run.advance(u64::MAX);
            assert_eq!(Some(profile.ipc_alone[kernel.index()]), ratios::ipc(&run.totals()[0], 3000));
        }
        let alone = measure(&experiment, Needs::Alone { cycles: 3000 }).unwrap();
        assert_eq!(alone, Profile { curves: Vec::new(), ..profile });
        assert_eq!(measure(&experiment, Needs::Nothing).unwrap(), Profile::default());
    }
}
