//! The partition of the SMs among kernels that is best by prediction: the one in which every kernel meets its deadline, and of these the one
//! with the shortest makespan.

use super::Platform;
use super::group::{Load, Prediction, predict};
use super::question::Question;
use super::reading::Model;
use crate::describe::error::Problems;
use alloc::format;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// Partitions that a search may compare.
pub const MOST_TRIED: u64 = 1_000_000;

/// Partitions up to which the step is as small as it can be, if the question names none.
const QUICKLY_TRIED: u64 = 100_000;

/// The best partition of a question.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The kernels on it.
    pub loads: Vec<Load>,
    /// Every part is a multiple of so many SMs.
    pub step: u32,
    /// Partitions compared.
    pub tried: u64,
    /// Whether every kernel with a deadline meets it.
    pub meets: bool,
}

impl Plan {
    /// The best partition for a question's kernels; some SMs may be left over. Where no partition meets all deadlines, it is the one whose latest
    /// kernel is the least late, in parts of its deadline. Of equals it is the one of the fewest SMs, and of these the first.
    pub fn of(question: &Question) -> Result<Plan, Problems> {
        let platform = question.platform()?;
        let kernels = question.kernels.len();
        let step = question.step.unwrap_or_else(|| quick_step(platform.sms, kernels));
        let mut problems = Problems::default();
        match partitions(platform.sms, step, kernels) {
            0 => problems.add(
                "predict.step",
                step,
                format!("at most {}: a step for each of {kernels} kernels", platform.sms / kernels as u32),
            ),
            1..=MOST_TRIED => {}
            many => {
                problems.add("predict.step", format!("{step}, which makes {many} partitions"), format!("at most {MOST_TRIED} partitions"))
            }
        }
        problems.or(())?;
        let sizes: Vec<u32> = (1..=platform.sms / step).map(|parts| parts * step).collect();
        let deadlines: Vec<Option<f64>> = question.kernels.iter().map(|kernel| kernel.deadline).collect();
        let loads = question.loads_on(&sizes)?;
        let mut search = Search {
            platform: &platform,
            model: question.model,
            loads: &loads,
            deadlines: &deadlines,
            chosen: Vec::new(),
            best: None,
            tried: 0,
        };
        search.extend(platform.sms);
        let tried = search.tried;
        // There is a partition, so there is a best one.
        let (score, loads) = search.best.unwrap_or_default();
        Ok(Plan { loads, step, tried, meets: score.late == 0.0 })
    }
}

/// Partitions of `sms` among `kernels` in steps, some SMs possibly left over: the ways to choose `kernels` of `sms` / `step` places.
fn partitions(sms: u32, step: u32, kernels: usize) -> u64 {
    let places = u64::from(sms / step);
    (0..kernels as u64).fold(1, |ways: u64, taken| ways.saturating_mul(places.saturating_sub(taken)) / (taken + 1))
}

/// The smallest step with which the search is quick.
fn quick_step(sms: u32, kernels: usize) -> u32 {
    (1..=sms).find(|&step| partitions(sms, step, kernels) <= QUICKLY_TRIED).unwrap_or(1)
}

/// How good a partition is; the least is the best.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Score {
    /// Latency of the latest kernel in parts of its deadline; 0 where all deadlines are met.
    late: f64,
    makespan: f64,
    /// SMs taken.
    sms: u32,
}

impl Score {
    fn of(prediction: &Prediction, deadlines: &[Option<f64>], loads: &[Load]) -> Score {
        let parts = prediction.kernels.iter().zip(deadlines).filter_map(|(kernel, deadline)| Some(kernel.latency / (*deadline)?));
        let late = parts.filter(|&part| part > 1.0).fold(0.0, f64::max);
        Score { late, makespan: prediction.makespan(), sms: loads.iter().map(|load| load.sms).sum() }
    }

    fn order(&self, other: &Score) -> Ordering {
        self.late.total_cmp(&other.late).then(self.makespan.total_cmp(&other.makespan)).then(self.sms.cmp(&other.sms))
    }
}

struct Search<'g> {
    platform: &'g Platform,
    model: Model,
    /// By kernel and size.
    loads: &'g [Vec<Load>],
    deadlines: &'g [Option<f64>],
    chosen: Vec<Load>,
    best: Option<(Score, Vec<Load>)>,
    tried: u64,
}

impl Search<'_> {
    /// Tries every partition that begins as chosen, with `left` SMs for the other kernels.
    fn extend(&mut self, left: u32) {
        let Some(sizes) = self.loads.get(self.chosen.len()) else { return self.judge() };
        for load in sizes.iter().take_while(|load| load.sms <= left) {
            self.chosen.push(*load);
            self.extend(left - load.sms);
            self.chosen.pop();
        }
    }

    fn judge(&mut self) {
        self.tried += 1;
        let score = Score::of(&predict(self.platform, &self.chosen, self.model), self.deadlines, &self.chosen);
        if self.best.as_ref().is_none_or(|(best, _)| score.order(best) == Ordering::Less) {
            self.best = Some((score, self.chosen.clone()));
        }
    }
}
