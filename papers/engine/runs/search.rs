//! Searches by successive halving: all candidates run short, and after each rung the best of what is left go on to the next.

use super::results::Results;
use super::run::Run;
use crate::engine::paper::mode::Rung;
use sim_core::describe::value::Value;
use sim_core::study::figure::lookup;
use std::rc::Rc;

/// A search in the making: asked again whenever results have come, until it ends.
#[derive(Debug)]
pub struct Search<'a> {
    /// All candidates, as long as the first rung.
    pub all: &'a [Rc<Run>],
    pub rungs: &'a [Rung],
    /// The metric by which the best is chosen.
    pub goal: &'a str,
    /// Policies whose candidates run at full length, whatever the rungs say of them; nothing while they are not known.
    pub also: Option<Vec<Value>>,
}

impl Search<'_> {
    /// The best candidate at full length; `longer` gives a candidate's run on a rung, or at full length.
    pub fn best(self, results: &Results, longer: impl Fn(&Run, Option<&Rung>) -> Option<Rc<Run>>) -> Option<Rc<Run>> {
        let mut left = self.all.to_vec();
        for (place, rung) in self.rungs.iter().enumerate() {
            let mut ranked = ranked(results, &left, self.goal)?;
            ranked.truncate(rung.keep);
            let next = self.rungs.get(place + 1);
            if next.is_none() {
                let also = self.also.as_ref()?;
                ranked.extend(
                    self.all.iter().filter(|run| run.experiment.get("policy").is_some_and(|policy| also.contains(policy))).cloned(),
                );
            }
            let runs: Vec<Option<Rc<Run>>> = ranked.iter().map(|run| longer(run, next)).collect();
            left = runs.into_iter().collect::<Option<_>>()?;
        }
        ranked(results, &left, self.goal)?.into_iter().next()
    }
}

/// Runs from the best to the worst; of equals, the first. Stuck runs come last.
fn ranked(results: &Results, runs: &[Rc<Run>], goal: &str) -> Option<Vec<Rc<Run>>> {
    let found: Vec<Option<Rc<Value>>> = runs.iter().map(|run| results.of(run)).collect();
    let found: Vec<Rc<Value>> = found.into_iter().collect::<Option<_>>()?;
    // Of ANTT less is better.
    let sign = if goal == "antt" { -1.0 } else { 1.0 };
    let score = |result: &Value| lookup(result, &format!("metrics.{goal}")).map_or(f64::NEG_INFINITY, |metric| sign * metric);
    let mut ranked: Vec<(f64, Rc<Run>)> = found.iter().map(|result| score(result)).zip(runs.iter().cloned()).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    Some(ranked.into_iter().map(|(_, run)| run).collect())
}

/// The CTAs of each of `kernels` on an SM that a scheme settles for: what its run decided last.
pub fn settled(result: &Value, kernels: usize) -> Option<Vec<u32>> {
    let Value::Array(decisions) = result.get("policy")?.get("decisions")? else { return None };
    let last = |kernel: usize| {
        let about = |decision: &Value| {
            let (of, topic) = (decision.get("kernel").and_then(Value::as_int), decision.get("topic").and_then(Value::as_str));
            (of, topic) == (Some(kernel as i64), Some("ctas"))
        };
        let decision = decisions.iter().rev().find(|decision| about(decision))?;
        u32::try_from(decision.get("values")?.get("ctas")?.as_int()?).ok()
    };
    // A scheme may leave a kernel without any.
    Some((0..kernels).map(|kernel| last(kernel).unwrap_or(0)).collect())
}
