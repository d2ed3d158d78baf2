//! Oracles: the best fixed way to hand out CTAs, found by trying them all. An oracle is no policy: it is a search over whole runs, and what it
//! finds is known only afterwards. It bounds from above what schemes that only choose numbers of CTAs can reach.
//!
//! - The *CTA oracle* (CCBP §7.1) tries every combination (c₁, …, c_K) with c ≥ 1 that fits an SM, the same on every SM.
//! - The *spatial oracle* splits the SMs evenly and tries every number of CTAs of each kernel on its own SMs, all jointly, since NoC, L2 and
//!   DRAM stay shared.
//!
//! Either is a sweep over the `policy` of an experiment, so whatever runs sweeps runs oracles.

use crate::describe::error::Problems;
use crate::describe::gpu::occupancy::Resources;
use crate::describe::value::Value;
use crate::run::experiment::{Experiment, VERSION};
use crate::study::sweep::{MAX_VALUES, Sweep};
use alloc::format;
use alloc::vec::Vec;

/// Which space is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// CTAs of all kernels on every SM.
    Combinations,
    /// CTAs of each kernel on its part of the SMs.
    Spatial,
}

/// Every point of `space` as a policy; more than a sweep takes are not all of them.
pub fn policies(experiment: &Experiment, space: Space) -> Vec<Value> {
    let policy = |ctas: Vec<u32>| match space {
        Space::Combinations => Value::object([("name", "fixed".into()), ("combination", Value::array(ctas))]),
        Space::Spatial => Value::object([("name", "spatial".into()), ("ctas", Value::array(ctas))]),
    };
    let numbers = match space {
        Space::Combinations => combinations(experiment),
        Space::Spatial => counts(experiment),
    };
    numbers.into_iter().map(policy).collect()
}

/// The sweep that tries every point of `space` for the mix of `experiment`, whose own policy does not matter.
pub fn sweep(experiment: &Experiment, space: Space) -> Result<Sweep, Problems> {
    let policies = policies(experiment, space);
    let fault = |found, want| {
        let mut problems = Problems::default();
        problems.add("kernels", found, want);
        Err(problems)
    };
    if policies.is_empty() {
        return fault("kernels whose CTAs do not fit an SM together", "a mix of which every SM holds a CTA of each");
    }
    if policies.len() > MAX_VALUES {
        return fault("too many combinations of CTAs", &format!("at most {MAX_VALUES}: a smaller mix, or kernels with ctas_per_sm"));
    }
    let axis = Value::object([("path", "policy".into()), ("values", Value::Array(policies))]);
    let base = Experiment { alone: true, ..experiment.clone() }.encode();
    let name = match space {
        Space::Combinations => format!("CTA oracle of {}", experiment.name),
        Space::Spatial => format!("Spatial oracle of {}", experiment.name),
    };
    let inner = Value::object([("name", Value::from(name)), ("base", base), ("axes", Value::Array(alloc::vec![axis]))]);
    Sweep::decode(&Value::object([("corun", VERSION.into()), ("sweep", inner)]))
}

/// Whether every SM can hold one CTA of each kernel of a mix.
pub fn fits_once(experiment: &Experiment) -> bool {
    let costs = experiment.cta_costs();
    (0..experiment.gpu.sm_count()).zip(&costs).all(|(sm, cost)| {
        let whole = Resources::of_class(experiment.gpu.class_of(sm));
        let mut used = Resources::default();
        cost.0.iter().take(experiment.kernels.len()).all(|&one| {
            let room = used.fits(one, whole);
            used.add(one);
            room
        })
    })
}

/// Every combination with at least one CTA of each kernel that fits every SM, in the order of the numbers; not many more than a sweep takes.
fn combinations(experiment: &Experiment) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    grow(&mut Vec::new(), experiment.kernels.len(), &fitting(experiment), &mut found);
    found
}

/// Whether every SM holds so many CTAs of each kernel at once.
pub fn fits(experiment: &Experiment, ctas: &[u32]) -> bool {
    fitting(experiment)(ctas)
}

fn fitting(experiment: &Experiment) -> impl Fn(&[u32]) -> bool {
    let (limits, costs) = (experiment.cta_limits(), experiment.cta_costs());
    let wholes: Vec<Resources> = (0..experiment.gpu.sm_count()).map(|sm| Resources::of_class(experiment.gpu.class_of(sm))).collect();
    move |ctas: &[u32]| {
        costs.iter().zip(&limits).zip(&wholes).all(|((cost, limit), &whole)| {
            let mut used = Resources::default();
            ctas.iter().zip(cost.0).zip(limit.0).all(|((&ctas, cost), limit)| {
                let more = Resources {
                    ctas: cost.ctas * ctas,
                    threads: cost.threads * ctas,
                    registers: cost.registers * ctas,
                    shared_bytes: cost.shared_bytes * ctas,
                };
                let room = ctas <= limit && used.fits(more, whole);
                used.add(more);
                room
            })
        })
    }
}

/// Extends a combination that fits by every number of CTAs of the next kernel with which it still does.
fn grow(ctas: &mut Vec<u32>, kernels: usize, fits: &impl Fn(&[u32]) -> bool, found: &mut Vec<Vec<u32>>) {
    if ctas.len() == kernels {
        found.push(ctas.clone());
        return;
    }
    for more in 1.. {
        ctas.push(more);
        let go_on = fits(ctas) && found.len() <= MAX_VALUES;
        if go_on {
            grow(ctas, kernels, fits, found);
        }
        ctas.pop();
        if !go_on {
            return;
        }
    }
}

/// Every number of CTAs of each kernel up to what an SM holds of it alone, all jointly, in the order of the numbers.
fn counts(experiment: &Experiment) -> Vec<Vec<u32>> {
    let limits = experiment.cta_limits();
    let most: Vec<u32> = (0..experiment.kernels.len()).map(|k| limits.iter().map(|limit| limit.0[k]).max().unwrap_or(0)).collect();
    let mut found = Vec::new();
    grow(&mut Vec::new(), most.len(), &|ctas| ctas.iter().zip(&most).all(|(ctas, most)| ctas <= most), &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn experiment(kernels: &[&str], own_limit: Option<u32>) -> Experiment {
        let kernels = kernels.iter().map(|name| {
            let limit = own_limit.map(|n| ("ctas_per_sm", Value::from(n)));
            Value::object([("kernel", Value::from(*name))].into_iter().chain(limit))
        });
        let value = Value::object([("corun", Value::from(1)), ("gpu", "tiny-2sm".into()), ("kernels", Value::array(kernels))]);
        Experiment::decode(&value).unwrap()
    }

    /// Counted by hand from what a CTA takes: nothing that fits is left out, and nothing else is in.
    #[test]
    fn every_combination_that_fits_is_tried_once() {
        let experiment = experiment(&["ccbp/CFD", "ccbp/SAD"], None);
        let (cost, limit) = (experiment.cta_costs()[0], experiment.cta_limits()[0]);
        let whole = Resources::of_class(experiment.gpu.class_of(0));
        let fits = |a: u32, b: u32| {
            let part = |x: u32, y: u32| a * x + b * y;
            part(1, 1) <= whole.ctas
                && part(cost.0[0].threads, cost.0[1].threads) <= whole.threads
                && part(cost.0[0].registers, cost.0[1].registers) <= whole.registers
                && part(cost.0[0].shared_bytes, cost.0[1].shared_bytes) <= whole.shared_bytes
        };
        let pairs = (1..=limit.0[0]).flat_map(|a| (1..=limit.0[1]).map(move |b| (a, b)));
        let by_hand: Vec<Vec<u32>> = pairs.filter(|&(a, b)| fits(a, b)).map(|(a, b)| alloc::vec![a, b]).collect();
        assert!(by_hand.len() > 3);
        assert_eq!(combinations(&experiment), by_hand);
        assert_eq!(sweep(&experiment, Space::Combinations).unwrap().points(), by_hand.len());
        let last = by_hand.last().unwrap();
        assert!(super::fits(&experiment, last) && !super::fits(&experiment, &[last[0], last[1] + 1]));
    }

    #[test]
    fn the_spatial_oracle_tries_all_counts_jointly() {
        let experiment = experiment(&["ccbp/CFD", "ccbp/SAD"], Some(2));
        assert_eq!(counts(&experiment), [[1, 1], [1, 2], [2, 1], [2, 2]]);
        let sweep = sweep(&experiment, Space::Spatial).unwrap();
        let point = sweep.point(1).unwrap().experiment;
        assert_eq!((point.policy.name(), point.policy.ints("ctas"), point.alone), ("spatial", &[1, 2][..], true));
    }

    #[test]
    fn a_mix_that_never_fits_or_has_too_many_combinations_is_named() {
        let found = |kernels: &[&str], gpu: &str, space| {
            let value = Value::object([("corun", Value::from(1)), ("gpu", gpu.into()), ("kernels", Value::array(kernels.iter().copied()))]);
            let problems = sweep(&Experiment::decode(&value).unwrap(), space).map(|_| ()).unwrap_err();
            assert_eq!((problems.0.len(), problems.0[0].path.as_str()), (1, "kernels"));
            problems.0[0].found.clone()
        };
        let three = found(&["ccbp/BP"; 3], "tiny-2sm", Space::Combinations);
        assert_eq!(three, "kernels whose CTAs do not fit an SM together");
        let eight = found(&["ccbp/BP"; 8], "ccbp-16sm", Space::Spatial);
        assert_eq!(eight, "too many combinations of CTAs");
    }
}
