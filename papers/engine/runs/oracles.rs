//! Searches for the best way to share a GPU.

use super::spaces::Space;
use super::written::fixed;
use super::{Detail, Lengths, Mix, Run, Runs};
use crate::engine::study::{Rung, Scheme};
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::study::figure::lookup;
use std::rc::Rc;

impl Runs {
    /// The best run of a search: all of it short, after each rung the best of what is left, the last few at full length; and with these what the
    /// schemes of `also` settle for.
    pub(super) fn search(&self, mix: &Mix, scheme: &str, space: Space, goal: &str, machine: &str) -> Option<Rc<Run>> {
        let found = self.study.schemes.get(scheme)?;
        let goal = found.best.as_deref().unwrap_or(goal);
        let key = format!("{} {scheme} {machine} {goal}", mix.join("+"));
        if let Some(best) = self.best.borrow().get(&key) {
            return Some(best.clone());
        }
        let rungs = self.study.mode.rungs(space);
        let all = self.space(mix, found, space, machine)?;
        let settled: Vec<Option<Vec<u32>>> =
            found.also.iter().map(|scheme| self.settled(mix, &format!("{scheme} {machine}"), goal)).collect();
        let mut left = all.clone();
        for (place, rung) in rungs.iter().enumerate() {
            let mut ranked = self.ranked(&left, goal)?;
            ranked.truncate(rung.keep);
            let next = rungs.get(place + 1);
            if next.is_none() {
                let settled: Vec<Value> = settled.iter().map(|ctas| Some(fixed(ctas.as_ref()?))).collect::<Option<_>>()?;
                ranked.extend(all.iter().filter(|run| run.written.get("policy").is_some_and(|policy| settled.contains(policy))).cloned());
            }
            let runs: Vec<Option<Rc<Run>>> = ranked
                .iter()
                .map(|run| match next {
                    Some(next) => self.again(run, next.lengths(), Detail::Ipc),
                    None => self.again(run, self.lengths(mix, machine), Detail::Full),
                })
                .collect();
            left = Rc::new(runs.into_iter().collect::<Option<_>>()?);
        }
        let best = self.ranked(&left, goal)?.into_iter().next()?;
        self.best.borrow_mut().insert(key, best.clone());
        Some(best)
    }

    /// The CTAs of each kernel on an SM that a scheme settles for: what it decided last.
    fn settled(&self, mix: &Mix, scheme: &str, goal: &str) -> Option<Vec<u32>> {
        let result = self.result(&self.run(mix, scheme, goal, Detail::Full)?)?;
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
        Some((0..mix.len()).map(|kernel| last(kernel).unwrap_or(0)).collect())
    }

    /// Every run of a search, as long as its first rung.
    fn space(&self, mix: &Mix, scheme: &Scheme, space: Space, machine: &str) -> Option<Rc<Vec<Rc<Run>>>> {
        let lengths = self.study.mode.rungs(space).first().map(Rung::lengths)?;
        let name = format!("{} {space:?} {machine}", mix.join("+"));
        let (base, reference) = self.under(scheme, name.trim_end(), mix, "even".into(), lengths, machine);
        let key = format!("{base}");
        if let Some(runs) = self.searches.borrow().get(&key) {
            return Some(runs.clone());
        }
        let policies = Experiment::decode(&base).and_then(|experiment| space.policies(&experiment));
        let policies = policies.map_err(|problems| self.problems.borrow_mut().0.extend(problems.0)).ok()?;
        let run = |policy| {
            let mut written = base.clone();
            self.set(&mut written, "policy", policy);
            self.register(written, Detail::Ipc, reference.clone())
        };
        let runs: Rc<Vec<Rc<Run>>> = Rc::new(policies.into_iter().map(run).collect::<Option<_>>()?);
        self.searches.borrow_mut().insert(key, runs.clone());
        Some(runs)
    }

    /// Runs from the best to the worst; of equals, the first. Stuck runs come last.
    fn ranked(&self, runs: &[Rc<Run>], goal: &str) -> Option<Vec<Rc<Run>>> {
        let results: Vec<Option<Rc<Value>>> = runs.iter().map(|run| self.result(run)).collect();
        let results: Vec<Rc<Value>> = results.into_iter().collect::<Option<_>>()?;
        // Of ANTT less is better.
        let sign = if goal == "antt" { -1.0 } else { 1.0 };
        let score = |result: &Value| lookup(result, &format!("metrics.{goal}")).map_or(f64::NEG_INFINITY, |metric| sign * metric);
        let mut ranked: Vec<(f64, Rc<Run>)> = results.iter().map(|result| score(result)).zip(runs.iter().cloned()).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        Some(ranked.into_iter().map(|(_, run)| run).collect())
    }

    /// The same run with other lengths.
    pub fn again(&self, run: &Run, (warm_up, stop): Lengths, detail: Detail) -> Option<Rc<Run>> {
        let mut written = run.written.clone();
        self.set(&mut written, "warm_up", warm_up.into());
        self.set(&mut written, "stop", stop);
        self.register(written, detail, run.reference.clone())
    }
}
